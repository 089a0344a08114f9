# A standby serves index reads; promoted in mid-load, its indexes converge.
use strict;
use warnings;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;
use PostgreSQL::Test::Utils;

my $primary = ddb_node('index_primary', 'shared_preload_libraries = ddb', 'ddb.index_log_size = 256kB');
$primary->safe_psql('postgres', q{
	SELECT ddb.create_table('t', partition_key => 'PK', sort_key => 'SK');
	SELECT ddb.add_index('t', 'by_kind', 'kind', 'at', sort_key_type => 'N');
	SELECT ddb.add_index('t', 'by_owner', 'owner', projection => 'KEYS_ONLY', shards => 4);
	INSERT INTO t SELECT 'p' || i % 20, i::text, jsonb_build_object('kind', 'k' || i % 5, 'at', i, 'owner', 'o' || i % 3) FROM generate_series(1, 1000) i;
	SELECT ddb.wait_for_index('t')});
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('index_standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;

my $query = q{SELECT count(*), sum((item->>'at')::int) FROM ddb.query('t', 'kind = :k AND #at > :a', attr_names => '{"#at": "at"}',
	attr_values => '{":k": "k3", ":a": 500}', index_name => 'by_kind') item};
is($standby->safe_psql('postgres', $query), $primary->safe_psql('postgres', $query), 'a query of an index on the standby');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM t_by_owner WHERE ipk = 'o1'}), '334', 'plain SQL');
is($standby->safe_psql('postgres', q{SELECT ddb.wait_for_index('t', timeout => '20s')}), 't', 'waiting');
$primary->safe_psql('postgres', q{SELECT ddb.put_item('t', '{"PK": "new", "SK": "1", "kind": "new", "at": 1}')});
$primary->wait_for_catchup($standby);
is($standby->safe_psql('postgres', q{SELECT ddb.wait_for_index('t', timeout => '20s')}), 't', 'waiting for what was replayed');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM t_by_kind WHERE ipk = 'new'}), '1', 'shows it');
my ($rc, $out, $err) = $standby->psql('postgres', 'SELECT ddb.run_maintenance()');
like($err, qr/recovery|read-only/, 'maintenance is the primary\'s');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type LIKE 'ddb%'}), '0', 'no workers there');

my $folder = PostgreSQL::Test::Utils::tempdir();
PostgreSQL::Test::Utils::append_to_file("$folder/load.sql", q{
\set k random(1, 20)
\set s random(1, 100)
SELECT ddb.put_item('t', json_build_object('PK', 'p' || :k, 'SK', (:s)::text, 'kind', 'k' || :k, 'at', :s, 'owner', 'o' || :s % 3));
SELECT ddb.delete_item('t', 'p' || :s, (:k)::text);
UPDATE t SET item = jsonb_build_object('kind', 'u', 'at', :s) WHERE pk = 'p' || :k AND sk = (:s)::text;
});
my $log = '';
my $bench = IPC::Run::start([ 'pgbench', '-n', '-c', 3, '-T', 4, '-f', "$folder/load.sql", $primary->connstr('postgres') ], '>', \$log, '2>', \$log);
sleep 2;
$standby->promote;
$bench->finish;
is(index_problems($standby, 't'), '', 'promoted in mid-load');
is(index_problems($primary, 't'), '', 'the old primary');
$standby->safe_psql('postgres', q{SELECT ddb.put_item('t', '{"PK": "after", "SK": "1", "kind": "after", "at": 1}')});
is(index_problems($standby, 't'), '', 'the new primary goes on');
is($standby->safe_psql('postgres', q{SELECT count(*) FROM t_by_kind WHERE ipk = 'after'}), '1', 'with its writes');

$_->stop foreach $standby, $primary;
done_testing();
