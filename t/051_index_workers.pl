# Workers are there when there is work, and only then: after a restart with and
# without preloading, for prepared transactions, in several databases, several
# to a database; idle ones leave.
use strict;
use warnings;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;

my $node = ddb_node('index_workers', 'shared_preload_libraries = ddb', 'ddb.worker_idle_timeout = 1s',
	'max_worker_processes = 4', 'max_parallel_workers = 0');
my $count = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'ddb worker'};
my $worker = q{SELECT worker FROM ddb.index_status WHERE table_name = 't'};
my $here = "$count AND datname = current_database()";

# What a database's cursors and the like have seen, told without connecting to it.
sub updated { return "SELECT pg_stat_get_db_tuples_updated(oid) FROM pg_database WHERE datname = 'd$_[0]'"; }

sub make_table
{
	my ($database, $table) = @_;
	$node->safe_psql($database, qq{
		SELECT ddb.create_table('$table', partition_key => 'PK');
		SELECT ddb.add_index('$table', 'by_kind', 'kind');
		INSERT INTO $table SELECT i::text, '{"kind": "a"}'::jsonb FROM generate_series(1, 100) i});
}

sub setting
{
	my ($name, $value) = @_;
	$node->safe_psql('postgres', "ALTER SYSTEM SET $name = $value");
	$node->reload;
}

make_table('postgres', 't');
is(index_problems($node, 't'), '', 'a worker comes without being called');
ok($node->poll_query_until('postgres', $count, '0'), 'and leaves when it is idle');
$node->safe_psql('postgres', q{UPDATE t SET item = '{"kind": "b"}'::jsonb WHERE pk < '5'});
ok($node->poll_query_until('postgres', q{SELECT count(*) > 40 FROM t_by_kind WHERE ipk = 'b'}), 'and comes back with the next write');

# More databases than there are places for workers, one of them a user's
# session would find read-only.
foreach my $i (1 .. 5)
{
	$node->safe_psql('postgres', "CREATE DATABASE d$i");
	$node->safe_psql("d$i", 'CREATE EXTENSION ddb');
	make_table("d$i", 't');
}
$node->safe_psql('postgres', q{ALTER DATABASE d1 SET default_transaction_read_only = on});
$node->safe_psql('postgres', q{ALTER DATABASE d2 SET default_transaction_isolation = 'serializable'});
is($node->safe_psql('d1', q{SELECT ddb.wait_for_index('t', timeout => '30s')}), 't', 'a database whose sessions are read-only');
is($node->safe_psql('d2', q{BEGIN ISOLATION LEVEL READ COMMITTED; SELECT ddb.wait_for_index('t', timeout => '30s')}), 't', 'one whose sessions are serializable');
is(index_problems($node, 't', "d$_"), '', "database $_") foreach 3 .. 5;

# All write at once and then no more: those for whom there was no place have
# their turn when others leave.
my $all = join(' ', map { "\\c d$_\nSET default_transaction_read_only = off;\nUPDATE t SET item = '{\"kind\": \"turn\"}'::jsonb WHERE pk = '6';\n" } 1 .. 5);
ok($node->poll_query_until('postgres', $count, '0'), 'all have left');
$node->safe_psql('postgres', $all);
ok($node->poll_query_until("d$_", q{SELECT count(*) = 1 FROM t_by_kind WHERE ipk = 'turn'}), "database $_ has its turn") foreach 3 .. 5;

# What is left over at a restart is done with nobody connected to the databases.
setting('ddb.index_workers', 0);
ok($node->poll_query_until('postgres', $count, '0'), 'without workers');
$node->safe_psql("d$_", q{UPDATE t SET item = '{"kind": "late"}'::jsonb WHERE pk = '7'}) foreach 3 .. 5;
is($node->safe_psql('d3', q{SELECT rows_behind, worker FROM ddb.index_status}), '1|none: ddb.index_workers is 0', 'what is behind shows');
is($node->safe_psql('d3', q{SELECT ddb.wait_for_index('t', timeout => '300ms')}), 'f', 'waiting ends in time');
is($node->safe_psql('d3', q{
	BEGIN; SELECT pg_current_xact_id() IS NULL; SELECT ddb.index_token() AS token \gset
	COMMIT; SELECT ddb.wait_for_index('t', token => :'token', timeout => '0')}), "f\nt",
	'a transaction that wrote nothing waits for no earlier one');
$node->safe_psql('postgres', 'ALTER SYSTEM SET ddb.index_workers = 1');
my %before = map { $_ => $node->safe_psql('postgres', updated($_)) } 3 .. 5;
$node->restart;
ok($node->poll_query_until('postgres', "SELECT (" . updated($_) . ") > $before{$_}"), "preloaded, a worker wrote to database $_") foreach 3 .. 5;
ok($node->poll_query_until('postgres', $count, '0'), 'and left');
is($node->safe_psql("d$_", q{SELECT count(*) FROM t_by_kind WHERE ipk = 'late'}), '1', "preloaded, database $_ caught up") foreach 3 .. 5;

# A prepared transaction is awaited, and survives a restart.
$node->safe_psql('postgres', q{BEGIN; UPDATE t SET item = '{"kind": "prepared"}'::jsonb WHERE pk = '8'; PREPARE TRANSACTION 'p1'});
sleep 3;
is($node->safe_psql('postgres', $here), '1', 'a worker stays for a prepared transaction');
$node->safe_psql('postgres', q{COMMIT PREPARED 'p1'});
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM t_by_kind WHERE ipk = 'prepared'}), 'and applies it');
$node->safe_psql('postgres', q{BEGIN; UPDATE t SET item = '{"kind": "again"}'::jsonb WHERE pk = '8'; PREPARE TRANSACTION 'p2'});
$node->restart;
$node->safe_psql('postgres', q{COMMIT PREPARED 'p2'});
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM t_by_kind WHERE ipk = 'again'}), 'prepared before a restart');
$node->safe_psql('postgres', q{BEGIN; DELETE FROM t WHERE pk = '8'; PREPARE TRANSACTION 'p3'; ROLLBACK PREPARED 'p3'});
is(index_problems($node, 't'), '', 'after prepared transactions');

# Several workers in one database share its tables.
setting('ddb.index_workers', 2);
make_table('postgres', "shared$_") foreach 1 .. 4;
is(index_problems($node, "shared$_"), '', "two workers, table $_") foreach 1 .. 4;
$node->safe_psql('postgres', join(';', map { "UPDATE shared$_ SET item = '{\"kind\": \"two\"}'::jsonb" } 1 .. 4));
is(index_problems($node, "shared$_"), '', "two workers followed, table $_") foreach 1 .. 4;
setting('ddb.index_workers', 1);
ok($node->poll_query_until('postgres', $count, '0'), 'all leave');

# Not preloaded, the next write, or one who waits, brings a worker.
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
setting('ddb.index_workers', 0);
$node->safe_psql('postgres', q{UPDATE t SET item = '{"kind": "unseen"}'::jsonb WHERE pk = '9'; UPDATE shared1 SET item = '{"kind": "unseen"}'::jsonb WHERE pk = '9'});
$node->safe_psql('postgres', q{ALTER SYSTEM SET ddb.index_workers = 1});
$node->restart;
is($node->safe_psql('postgres', $count), '0', 'not preloaded: nobody comes');
is($node->safe_psql('postgres', $worker), 'idle: starts with the next write', 'as the status says');
$node->safe_psql('postgres', q{UPDATE shared2 SET item = '{"kind": "x"}'::jsonb WHERE pk = '9'});
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM t_by_kind WHERE ipk = 'unseen'}), 'a write brings a worker');
$node->safe_psql('postgres', q{BEGIN; UPDATE t SET item = '{"kind": "p4"}'::jsonb WHERE pk = '9'; PREPARE TRANSACTION 'p4'});
$node->restart;
$node->safe_psql('postgres', q{COMMIT PREPARED 'p4'});
is($node->safe_psql('postgres', q{SELECT ddb.wait_for_index('t')}), 't', 'one who waits brings a worker');
is($node->safe_psql('postgres', q{SELECT count(*) FROM t_by_kind WHERE ipk = 'p4'}), '1', 'a prepared transaction committed while there was none');
like($node->safe_psql('postgres', $worker), qr/^pid \d+$/, 'the status names it');

# Where there is no place for a worker, the status says so.
$node->append_conf('postgresql.conf', 'max_worker_processes = 0');
$node->restart;
$node->safe_psql('postgres', q{UPDATE t SET item = '{"kind": "stuck"}'::jsonb WHERE pk = '9'});
is($node->safe_psql('postgres', $worker), 'none: no place left among max_worker_processes', 'no place for a worker');
$node->append_conf('postgresql.conf', 'max_worker_processes = 4');
$node->restart;
is($node->safe_psql('postgres', q{SELECT ddb.wait_for_index('t')}), 't', 'and then there is one');

$node->stop;
done_testing();
