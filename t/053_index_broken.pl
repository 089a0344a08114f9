# An index that fails, fails alone: it backs off, says why, is given up in the
# end, and a repair brings it back.
use strict;
use warnings;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;

my $node = ddb_node('index_broken', 'ddb.index_give_up = 4s', "ddb.index_refuse_lag = '100'");
my $state = q{SELECT state FROM ddb.index_status WHERE index_name = 'by_kind'};

$node->safe_psql('postgres', q{
	SELECT ddb.create_table('t', partition_key => 'PK');
	SELECT ddb.add_index('t', 'by_kind', 'kind');
	SELECT ddb.add_index('t', 'by_size', 'size', partition_key_type => 'N', projection => 'KEYS_ONLY');
	SELECT ddb.wait_for_index('t');
	CREATE UNIQUE INDEX bad ON t_by_kind (ipk);
	INSERT INTO t SELECT i::text, jsonb_build_object('kind', 'same', 'size', i) FROM generate_series(1, 200) i});
ok($node->poll_query_until('postgres', q{SELECT last_error LIKE 'duplicate key value%"bad"' FROM ddb.index_status WHERE index_name = 'by_kind'}), 'the error shows');
is($node->safe_psql('postgres', q{SELECT ddb.wait_for_index('t', 'by_size')}), 't', 'the other index goes on');
is($node->safe_psql('postgres', q{SELECT count(*) FROM t_by_size}), '200', 'and is whole');
is($node->safe_psql('postgres', q{SELECT ddb.put_item('t', '{"PK": "x", "kind": "same", "size": 7}') IS NULL}), 't', 'no writer is held up');
ok($node->poll_query_until('postgres', q{SELECT rows_behind = 201 FROM ddb.index_status WHERE index_name = 'by_kind'}), 'what it lacks is counted');
cmp_ok($node->safe_psql('postgres', q{SELECT failures FROM ddb.index_cursor WHERE index_oid = 't_by_kind'::regclass}), '<', 4, 'it backs off');
is($node->safe_psql('postgres', 'SELECT ddb.run_maintenance()'), '0', 'it is not tried before its time');

ok($node->poll_query_until('postgres', $state, 'INACTIVE'), 'it is given up');
my ($rc, $out, $err) = $node->psql('postgres', q{SELECT ddb.wait_for_index('t')});
like($err, qr/index "by_kind" is INACTIVE/, 'who waits is told at once');
is($node->safe_psql('postgres', q{SELECT ddb.wait_for_index('t', 'by_size')}), 't', 'the other can be waited for');
$node->safe_psql('postgres', q{CREATE ROLE reader LOGIN});
is($node->safe_psql('postgres', q{SELECT state, last_error IS NULL FROM ddb.index_status WHERE index_name = 'by_kind'}, extra_params => [ '-U', 'reader' ]),
	'INACTIVE|t', 'others see the state, not the error');
is($node->safe_psql('postgres', q{SELECT rows_behind IS NULL AND seconds_behind IS NULL FROM ddb.index_status WHERE index_name = 'by_kind'}),
	't', 'what it lacks is not known any more');

$node->safe_psql('postgres', 'DROP INDEX bad');
$node->safe_psql('postgres', q{SELECT ddb.verify_index('t', 'by_kind', repair => true)});
is($node->safe_psql('postgres', q{SELECT ddb.wait_for_index('t', timeout => '20s')}), 't', 'repaired, it is built again');
is(index_problems($node, 't'), '', 'and right');
is($node->safe_psql('postgres', q{SELECT state, last_error IS NULL, rows_behind FROM ddb.index_status WHERE index_name = 'by_kind'}), 'ACTIVE|t|0', 'as its state says');

$node->stop;
done_testing();
