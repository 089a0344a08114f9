# Whatever is killed, and whenever: once the server is back, the indexes
# become what their table says.  Killed under load are the worker, a backend
# that writes, the postmaster, and a worker in the middle of a backfill.
use strict;
use warnings;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;
use PostgreSQL::Test::Utils;

my $node = ddb_node('index_crash', 'restart_after_crash = on', 'shared_preload_libraries = ddb',
	'ddb.index_log_size = 256kB');
my $folder = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', q{
	SELECT ddb.create_table('load', partition_key => 'PK', sort_key => 'SK');
	SELECT ddb.add_index('load', 'by_status', 'status', 'at', sort_key_type => 'N');
	SELECT ddb.add_index('load', 'by_owner', 'owner', projection => 'KEYS_ONLY', shards => 3);
	SELECT ddb.add_index('load', 'by_both', ARRAY['status', 'owner'], projection => 'INCLUDE', include => '{note}');
});

# Items come, change their index keys, fall out of an index, go.
PostgreSQL::Test::Utils::append_to_file("$folder/load.sql", q{
\set k random(1, 100)
\set s random(1, 10)
\set o random(1, 5)
SELECT ddb.put_item('load', json_build_object('PK', 'p' || :k, 'SK', 's' || :s, 'status', 'st' || :o, 'at', :k, 'owner', 'o' || :o));
SELECT ddb.update_item('load', 'p' || :k, 's' || :s, update => 'SET #o = :new, note = :new', attr_names => '{"#o": "owner"}', attr_values => json_build_object(':new', 'o' || :s));
SELECT ddb.update_item('load', 'p' || :s, 's' || :s, update => 'REMOVE #s', attr_names => '{"#s": "status"}');
BEGIN;
UPDATE load SET item = jsonb_build_object('status', 'sql', 'at', :s, 'owner', 'o') WHERE pk = 'p' || :k AND sk = 's' || :o;
DELETE FROM load WHERE pk = 'p' || :k AND sk = 's' || :s;
COMMIT;
});

sub worker { return $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'ddb worker' LIMIT 1}); }

# Loads, strikes after some seconds, and waits for the end of it all.
sub load_until
{
	my ($seconds, $strike) = @_;
	my $out = '';
	my $bench = IPC::Run::start([ 'pgbench', '-n', '-c', 4, '-T', 30, '-f', "$folder/load.sql", $node->connstr('postgres') ],
		'>', \$out, '2>', \$out);
	select(undef, undef, undef, $seconds);
	$strike->();
	$bench->finish;
	for (1 .. 30) { last if $node->psql('postgres', 'SELECT 1') eq '0'; sleep 1; }
}

sub kill9
{
	my ($pid) = @_;
	die 'nothing to kill' if !$pid;
	kill 'KILL', $pid;
}

sub kill_server
{
	my ($pid) = PostgreSQL::Test::Utils::slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	$node->kill9;
	sleep 1 while kill 0, $pid;
	# Its children may hold the shared memory a moment longer.
	for (1 .. 20) { last if $node->start(fail_ok => 1); sleep 1; }
}

foreach my $seconds (0.7, 2)
{
	load_until($seconds, sub { kill9(worker()) });
	is(index_problems($node, 'load'), '', "a worker killed after $seconds s");
	load_until($seconds, sub {
		kill9($node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1}));
	});
	is(index_problems($node, 'load'), '', "a writer killed after $seconds s");
	load_until($seconds, \&kill_server);
	is(index_problems($node, 'load'), '', "the server killed after $seconds s");
}

# A backfill goes on where it was.
$node->safe_psql('postgres', q{
	INSERT INTO load SELECT 'b' || i % 500, i::text, jsonb_build_object('kind', 'k' || i % 7) FROM generate_series(1, 40000) i;
	SELECT ddb.add_index('load', 'by_kind', 'kind');
});
my $done = q{SELECT backfill_done FROM ddb.index_status WHERE index_name = 'by_kind'};
$node->poll_query_until('postgres', "SELECT ($done) > 0") or die 'no backfill';
my $before = $node->safe_psql('postgres', $done);
kill9(worker());
for (1 .. 30) { last if $node->psql('postgres', 'SELECT 1') eq '0'; sleep 1; }
my $after = $node->safe_psql('postgres', $done);
cmp_ok($after, '>=', $before, 'a backfill does not begin again');
$node->safe_psql('postgres', q{INSERT INTO load SELECT 'late', i::text, '{"kind": "k1"}'::jsonb FROM generate_series(1, 100) i});
is(index_problems($node, 'load'), '', 'a worker killed in a backfill');
is($node->safe_psql('postgres', q{SELECT count(*) FROM load_by_kind}), '40100', 'the backfill is whole');

$node->stop;
done_testing();
