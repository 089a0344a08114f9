# Secondary indexes through pg_dump: their definitions are restored, their rows
# are made again, and the indexes follow their tables as before.
use strict;
use warnings;
use lib 't/lib';
use DdbTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ddb_node('index_dump');
my $dir = PostgreSQL::Test::Utils::tempdir();

$node->safe_psql('postgres', q{
	CREATE ROLE alice;
	CREATE SCHEMA other;
	SELECT ddb.create_table('shop', 'PK', 'SK');
	SELECT ddb.add_index('shop', 'by_status', 'status', 'at', sort_key_type => 'N', include => ARRAY['it''s', 'to"tal']);
	SELECT ddb.add_index('shop', 'many', ARRAY['status', 'PK'], ARRAY['at', 'note'], 'KEYS_ONLY', sort_key_type => ARRAY['N', 'S'], shards => 3);
	SELECT ddb.add_index('shop', 'inverted', 'SK', 'PK', 'KEYS_ONLY');
	SELECT ddb.add_local_index('shop', 'by_note', 'note');
	SELECT ddb.create_table('other."Mixed.Name"', 'id', partition_key_type => 'N');
	SELECT ddb.add_index('other."Mixed.Name"', 'By-Value.1', 'v', partition_key_type => 'B');
	ALTER TABLE other."Mixed.Name" OWNER TO alice;
	GRANT SELECT ON shop_by_status TO alice;
	INSERT INTO shop SELECT 'c' || i, 'o' || o, jsonb_build_object('status', 's' || (i + o) % 4, 'at', o, 'note', 'n' || i % 3, 'to"tal', i * o)
		FROM generate_series(1, 40) i, generate_series(1, 10) o;
	SELECT ddb.put_item('other."Mixed.Name"', '{"id": {"N": "1"}, "v": {"B": "AAE="}}'::ddb.item);
	CREATE VIEW report AS SELECT ipk, count(*) FROM shop_by_status GROUP BY ipk;
});
$node->safe_psql('postgres', "ALTER DATABASE postgres SET ddb.index_max_lag = '0'");

# Waits until every index is right, and says what there is.
sub settle
{
	my ($database) = @_;
	return $node->poll_query_until($database,
		q{SELECT ddb.run_maintenance() >= 0 AND bool_and(ddb.wait_for_index(format('%I.%I', schema_name, relation_name)::regclass, timeout => '30s')) FROM ddb.secondary_index});
}

sub contents
{
	my ($database) = @_;
	return join "\n", map { $node->safe_psql($database, $_) } (
		'SELECT * FROM ddb.secondary_index ORDER BY 1, 2, 3',
		'SELECT * FROM shop_by_status ORDER BY digest',
		'SELECT * FROM shop_many ORDER BY digest',
		'SELECT * FROM shop_inverted ORDER BY digest',
		'SELECT * FROM other."Mixed.Name_By-Value.1"',
		"SELECT sk, item FROM shop WHERE pk = 'c7' AND ddb.index_s(item, 'note') COLLATE \"C\" = 'n1' ORDER BY sk",
		"SELECT pg_get_indexdef(c.oid) FROM pg_class c WHERE relname ~ '^(shop|Mixed)' AND relkind = 'i' ORDER BY 1",
		"SELECT relname, relowner::regrole, relacl, relispopulated, reloptions FROM pg_class WHERE relkind = 'm' ORDER BY 1",
		# goes with its table
		"SELECT objid::regclass, refobjid::regclass FROM pg_depend WHERE classid = 'pg_class'::regclass AND deptype = 'a' AND refobjsubid = 0
			AND refclassid = 'pg_class'::regclass AND objid IN (SELECT oid FROM pg_class WHERE relkind = 'm') ORDER BY objid::regclass::text",
		'SELECT * FROM report ORDER BY 1',
		q{SELECT count(*) FROM ddb.verify_index('shop', 'by_status')},
		q{SELECT count(*) FROM ddb.verify_index('shop', 'many')},
		q{SELECT count(*) FROM ddb.verify_index('shop', 'inverted')});
}

ok(settle('postgres'), 'the indexes are filled');
my $expected = contents('postgres');
is($node->safe_psql('postgres', 'SELECT count(*) FROM shop_by_status'), '400', 'with every item');
is(scalar(() = $expected =~ /Mixed/g) > 3, 1, 'and there is something to compare');

my $dump = "$dir/all.sql";
$node->command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', $dump ], 'pg_dump');
$node->command_ok([ 'pg_dump', '-Fc', '-d', $node->connstr('postgres'), '-f', "$dir/all.dump" ], 'pg_dump -Fc');
my $text = slurp_file($dump);
unlike($text, qr/^COPY \S*shop_(by_status|many|inverted)/m, 'no rows of indexes are dumped');
unlike($text, qr/^COPY ddb\.(index_cursor|index_log)/m, 'nor cursors and logs');

foreach my $way (
	[ 'plain', [ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-f', $dump, '-d' ] ],
	[ 'parallel', [ 'pg_restore', '-j', '2', "$dir/all.dump", '-d' ] ],
	[ 'single', [ 'pg_restore', '-1', "$dir/all.dump", '-d' ] ])
{
	my ($database, $command) = @$way;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	local $ENV{PGOPTIONS} = '-c max_parallel_maintenance_workers=0 -c max_parallel_workers_per_gather=0';
	$node->command_ok([ @$command, $node->connstr($database) ], "$database: restored");
	ok(settle($database), "$database: the indexes are filled");
	is(contents($database), $expected, "$database: tables, definitions and entries are as they were");
}

# What was restored follows its tables and is kept.
$node->safe_psql('plain', q{
	SELECT ddb.put_item('shop', '{"PK": "new", "SK": "1", "status": "s9", "at": 1}');
	ALTER TABLE shop RENAME TO store;
	ALTER TABLE store OWNER TO alice;
});
ok(settle('plain'), 'a restored index follows writes');
is($node->safe_psql('plain', q{SELECT pk FROM shop_by_status WHERE ipk = 's9'}), 'new', 'it has the new entry');
is($node->safe_psql('plain', q{SELECT relowner::regrole FROM pg_class WHERE oid = ddb.index_table('store', 'by_status')}), 'alice', 'and the new owner');
my ($rc, $out, $err) = $node->psql('plain', q{SELECT ddb.put_item('store', '{"PK": "new", "SK": "2", "status": 9}')});
like($err, qr/Type mismatch for Index Key status Expected: S Actual: N IndexName: by_status/, 'and its keys are checked');
$node->safe_psql('plain', 'DROP VIEW report; DROP TABLE store');
is($node->safe_psql('plain', 'SELECT string_agg(index_name, \' \') FROM ddb.secondary_index'), 'By-Value.1', 'they go with the table');

# The schema alone: indexes of empty tables.
$node->command_ok([ 'pg_dump', '-s', '-d', $node->connstr('postgres'), '-f', "$dir/schema.sql" ], 'pg_dump -s');
$node->safe_psql('postgres', 'CREATE DATABASE bare');
$node->command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('bare'), '-f', "$dir/schema.sql" ], 'restored');
$node->safe_psql('bare', q{SELECT ddb.put_item('shop', '{"PK": "a", "SK": "1", "status": 9}')});
is($node->safe_psql('bare', 'SELECT count(*) FROM ddb.secondary_index'), '0', 'no rows of the catalog, no index is known');

# The table without its indexes and the catalog: pg_dump -t.
$node->command_ok([ 'pg_dump', '-t', 'shop', '-d', $node->connstr('postgres'), '-f', "$dir/shop.sql" ], 'pg_dump -t');
$node->safe_psql('postgres', 'CREATE DATABASE alone');
$node->safe_psql('alone', 'CREATE EXTENSION ddb');
$node->command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('alone'), '-f', "$dir/shop.sql" ], 'restored');
is($node->safe_psql('alone', q{SELECT ddb.add_index('shop', 'by_status', 'status', 'at', sort_key_type => 'N')}), 'shop_by_status', 'an index can be added again');
ok(settle('alone'), 'and is filled');
is($node->safe_psql('alone', 'SELECT count(*) FROM shop_by_status'), '400', 'with every item');

$node->stop;
done_testing();
