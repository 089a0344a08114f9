# Compaction without anybody calling: scattered tables come to stand on few
# pages and the worker leaves; it is in nobody's way, loses nothing when it or
# the server is killed, and leaves alone what it should.
use strict;
use warnings;
use FindBin;
use Test::More;
use Time::HiRes qw(time sleep);
use lib "$FindBin::Bin/lib";
use DdbTest;
use PostgreSQL::Test::Utils;

my $node = ddb_node('compaction', 'shared_preload_libraries = ddb', 'wal_level = logical', 'restart_after_crash = on',
	'autovacuum_naptime = 1s', 'ddb.worker_idle_timeout = 1s', 'ddb.compact_rate = 200000', 'deadlock_timeout = 10s');
my $workers = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'ddb worker'};
$node->safe_psql('postgres', 'CREATE EXTENSION amcheck');

# 400 collections of 50 rows, in an order that has nothing to do with them.
sub load
{
	my ($table, $database) = @_;
	$node->safe_psql($database // 'postgres', qq{
		SELECT ddb.create_table('$table', partition_key => 'PK', sort_key => 'SK');
		INSERT INTO $table SELECT 'c' || i / 50, lpad((i % 50)::text, 2, '0'), jsonb_build_object('n', 0, 'filler', repeat('x', 200 + i % 50))
			FROM generate_series(0, 19999) i ORDER BY md5(i::text)});
}
sub pages
{
	my ($table) = @_;
	return $node->safe_psql('postgres', "SELECT avg(n) FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS n FROM $table GROUP BY pk) x");
}
sub state_is
{
	my ($table, $state, $what, $database) = @_;
	ok($node->poll_query_until($database // 'postgres',
			"SELECT state = '$state' FROM ddb.compaction_status WHERE table_name = '$table'"), $what);
}
sub comes_to_rest
{
	my ($table) = @_;
	ok($node->poll_query_until('postgres', "SELECT state = 'in order' AND finished IS NOT NULL FROM ddb.compaction_status WHERE table_name = '$table'"),
		"$table comes to rest");
	cmp_ok(pages($table), '<', 3.5, "$table stands on few pages");
}
sub is_whole
{
	my ($table, $what) = @_;
	is($node->safe_psql('postgres', "SELECT count(*), count(DISTINCT (pk, sk)), bt_index_check('${table}_key', true) FROM $table"), '20000|20000|', $what);
}
sub rate
{
	my ($rate) = @_;
	$node->safe_psql('postgres', "ALTER SYSTEM SET ddb.compact_rate = $rate");
	$node->reload;
}
# In time, and without a deadlock.
sub passes
{
	my ($database, $statement, $what) = @_;
	my $start = time;
	my ($rc, $out, $err) = $node->psql($database, $statement);
	is($err =~ s/^.*NOTICE:.*\n?//mgr, '', $what);
	cmp_ok(time - $start, '<', 8, "$what: in time");
}

# A load is compacted when it has ended.
load('first');
cmp_ok(pages('first'), '>', 5, 'as they came, the rows are scattered');
comes_to_rest('first');
is_whole('first', 'no row is lost');
ok($node->poll_query_until('postgres', $workers, '0'), 'the worker leaves');
is($node->safe_psql('postgres', q{SELECT autovacuum_count > 0 FROM pg_stat_user_tables WHERE relname = 'first'}),
	't', 'it took turns with autovacuum');

# Counters are exact while it runs.
load('counted');
my $file = PostgreSQL::Test::Utils::tempdir() . '/count.sql';
PostgreSQL::Test::Utils::append_to_file($file, q{\set c random(0, 399)
\set s random(10, 49)
SELECT ddb.update_item('counted', 'c' || :c, :s::text, update => 'ADD n :one', attr_values => '{":one": 1}');
});
my $out = '';
my $bench = IPC::Run::start([ 'pgbench', '-n', '-c', 4, '-t', 1500, '-R', 300, '-f', $file, $node->connstr('postgres') ], '>', \$out, '2>', \$out);
ok($node->poll_query_until('postgres', q{SELECT rows_moved > 0 FROM ddb.compaction_status WHERE table_name = 'counted'}), 'it runs beside writers');
$bench->finish;
like($out, qr{processed: 6000/6000}, 'no writer fails');
is($node->safe_psql('postgres', q{SELECT sum((item->>'n')::int) FROM counted}), '6000', 'counters are exact');
comes_to_rest('counted');
is_whole('counted', 'no row is lost under updates');

# What is published is left alone, and so is everything where it is turned off.
$node->safe_psql('postgres', q{CREATE PUBLICATION p});
sub placed { return $node->safe_psql('postgres', "SELECT md5(string_agg(ctid::text || xmin::text, ',' ORDER BY ctid)) FROM $_[0]"); }
$node->safe_psql('postgres', q{
	SELECT ddb.create_table('published', partition_key => 'PK', sort_key => 'SK');
	ALTER PUBLICATION p ADD TABLE published;
	INSERT INTO published SELECT 'c' || i / 50, (i % 50)::text, jsonb_build_object('filler', repeat('x', 200)) FROM generate_series(0, 19999) i ORDER BY md5(i::text)});
my $before = placed('published');
state_is('published', 'left alone: replicated', 'a published table is left alone');
is(placed('published'), $before, 'not a row has moved');
cmp_ok($node->safe_psql('postgres', q{SELECT rows_moved FROM ddb.compact('published')}), '>', 0, 'by hand it can be compacted');
$node->safe_psql('postgres', 'DROP PUBLICATION p; DROP TABLE published');

rate(0);
load('off');
$before = placed('off');
sleep 8;
is(placed('off'), $before, 'off is off');
is($node->safe_psql('postgres', q{SELECT state FROM ddb.compaction_status WHERE table_name = 'off'}), 'not looked at', 'nobody has looked');
is($node->safe_psql('postgres', $workers), '0', 'no worker comes');

# It is in nobody's way.
rate(2000);
load('dropped');
state_is('dropped', 'compacting', 'a slow sweep');
like($node->safe_psql('postgres', q{SELECT string_agg(query, ',') FROM pg_stat_activity WHERE backend_type = 'ddb worker'}),
	qr/^ddb: compacting public\./, 'it shows what it is at');
passes('postgres', q{ALTER TABLE dropped ADD COLUMN more int}, 'ALTER TABLE');
passes('postgres', q{CREATE INDEX ON dropped (sk)}, 'CREATE INDEX');
passes('postgres', q{TRUNCATE dropped}, 'TRUNCATE');
passes('postgres', q{DROP TABLE dropped}, 'DROP TABLE');
$node->safe_psql('postgres', 'CREATE DATABASE other');
$node->safe_psql('other', 'CREATE EXTENSION ddb');
load('t', 'other');
state_is('t', 'compacting', 'another database', 'other');
passes('postgres', 'CREATE DATABASE copy TEMPLATE other', 'CREATE DATABASE TEMPLATE');
$node->safe_psql('other', q{INSERT INTO t SELECT 'd' || i / 50, (i % 50)::text, '{}'::jsonb FROM generate_series(0, 19999) i ORDER BY md5(i::text)});
ok($node->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'ddb worker' AND datname = 'other'}),
	'a worker is there again');
passes('other', 'DROP TABLE t; DROP EXTENSION ddb CASCADE', 'DROP EXTENSION');
passes('postgres', 'DROP DATABASE other', 'DROP DATABASE');

# The worker is killed, and then the server.
foreach my $victim ('worker', 'postmaster')
{
	load($victim);
	state_is($victim, 'compacting', "$victim: a slow sweep");
	$node->poll_query_until('postgres', "SELECT rows_moved > 2000 FROM ddb.compaction_status WHERE table_name = '$victim'");
	if ($victim eq 'worker')
	{
		my $pid = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'ddb worker' AND datname = 'postgres'});
		kill 'KILL', $pid;
		$node->poll_query_until('postgres', "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = $pid");
	}
	else
	{
		$node->stop('immediate');
		$node->start;
	}
	is_whole($victim, "$victim: killed, no row is lost");
}
rate(200000);
$node->safe_psql('postgres', q{ANALYZE postmaster; INSERT INTO postmaster SELECT 'd' || i % 400, 'z' || i, jsonb_build_object('filler', repeat('x', 250)) FROM generate_series(1, 8000) i});
ok($node->poll_query_until('postgres', q{SELECT state = 'in order' AND finished IS NOT NULL FROM ddb.compaction_status WHERE table_name = 'postmaster'}),
	'after a crash it goes on with what is written next');

$node->stop;
done_testing();
