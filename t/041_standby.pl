# A streaming standby serves reads, refuses writes, holds the same rows, and
# goes on as a primary when it is promoted.
use strict;
use warnings;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;

my $primary = ddb_node('primary');
$primary->safe_psql('postgres', q{
	CREATE EXTENSION amcheck;
	SELECT ddb.create_table('s', partition_key => 'PK', sort_key => 'SK');
	INSERT INTO s SELECT 'p' || i % 50, i::text, jsonb_build_object('n', i, 'f', repeat('x', i % 300)) FROM generate_series(1, 2000) i;
});
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

# Everything that moves rows: updates that stay and that move, deletes, TOAST,
# a vacuum that truncates, CLUSTER, a new index.
$primary->safe_psql('postgres', $_) foreach
	q{SELECT count(ddb.update_item('s', pk, sk, update => 'SET n = n + :one, g = :g',
		attr_values => json_build_object(':one', 1, ':g', repeat('y', 200)))) FROM s},
	q{SELECT count(ddb.delete_item('s', pk, sk)) FROM s WHERE (item->>'n')::int % 3 = 0},
	q{SELECT count(ddb.put_item('s', json_build_object('PK', 'big', 'SK', i::text, 't',
		(SELECT string_agg(md5((i * 1000 + j)::text), '') FROM generate_series(1, 3000) j)))) FROM generate_series(1, 3) i},
	'VACUUM s', 'CLUSTER s USING s_key',
	q{INSERT INTO s SELECT 'q' || i % 10, i::text, '{}' FROM generate_series(1, 500) i},
	'CREATE INDEX s_n ON s (((item->>\'n\')::int))',
	q{SELECT ddb.put_item('s', '{"PK": "last", "SK": "1", "n": 7}')};
$primary->wait_for_catchup($standby);

my $digest = q{SELECT count(*), sum(hashtext(s::text)::bigint) FROM s};
is($standby->safe_psql('postgres', $digest), $primary->safe_psql('postgres', $digest), 'the same rows');
is($standby->safe_psql('postgres', q{SELECT ddb.get_item('s', 'last', '1') ->> 'n'}), '7', 'get');
is($standby->safe_psql('postgres', q{SELECT length(ddb.get_item('s', 'big', '2') ->> 't')}), '96000', 'get of a large item');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM ddb.query('s', 'PK = :p', attr_values => '{":p": "q3"}')}), '50', 'query');
is($standby->safe_psql('postgres', q{SELECT sum((SELECT count(*) FROM ddb.scan('s', segment => g, total_segments => 4))) = (SELECT count(*) FROM s) FROM generate_series(0, 3) g}),
	't', 'scan in segments');
foreach my $write (q{SELECT ddb.put_item('s', '{"PK": "x", "SK": "1"}')},
	q{SELECT ddb.delete_item('s', 'last', '1')},
	q{SELECT ddb.update_item('s', 'last', '1', update => 'SET n = :n', attr_values => '{":n": 1}')},
	q{SELECT ddb.transact_write_items('[{"Delete": {"TableName": "s", "Key": {"PK": {"S": "last"}, "SK": {"S": "1"}}}}]')})
{
	my ($rc, $out, $err) = $standby->psql('postgres', "\\set VERBOSITY sqlstate\n$write");
	like($err, qr/25006/, "refused: $write");
}
is($standby->safe_psql('postgres', q{BEGIN; SELECT 1; SELECT bt_index_check('s_key', true); COMMIT}), "1\n", 'the index has every row');

$standby->promote;
is($standby->safe_psql('postgres', q{SELECT ddb.update_item('s', 'last', '1', update => 'SET n = n + :n', attr_values => '{":n": 1}') ->> 'n'}), '8', 'promoted: update');
is($standby->safe_psql('postgres', q{SELECT count(*) FILTER (WHERE ddb.put_item('s', json_build_object('PK', 'new', 'SK', i::text)) IS NULL) FROM generate_series(1, 300) i}), '300', 'promoted: puts');
is($standby->safe_psql('postgres', q{SELECT bt_index_check('s_key', true)}), '', 'promoted: the index has every row');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM ddb.collection('s', 'new')}), '300', 'promoted: query');

$standby->stop;
$primary->stop;
done_testing();
