# What others set or write stops no worker: parameters of the database and of
# the role that workers run as, and a function of an index's that never ends.
use strict;
use warnings;
use FindBin;
use Test::More;
use Time::HiRes qw(time);
use lib "$FindBin::Bin/lib";
use DdbTest;

my $node = ddb_node('index_hostile', 'ddb.worker_idle_timeout = 1s');
my $version = $node->safe_psql('postgres', 'SHOW server_version_num');
my $workers = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'ddb worker'};

# Parameters: here our own sessions say otherwise.
my %parameters = (statement_timeout => '1', lock_timeout => '1', idle_in_transaction_session_timeout => '1',
	idle_session_timeout => '1', role => 'nobody', default_transaction_deferrable => 'on', default_transaction_read_only => 'on',
	search_path => 'traps', row_security => 'off', default_table_access_method => 'ddb', default_tablespace => 'nowhere');
$parameters{transaction_timeout} = '1' if $version >= 170000;
$node->safe_psql('postgres', q{
	CREATE ROLE nobody;
	CREATE DATABASE hostile;
	SET allow_in_place_tablespaces = on;
	CREATE TABLESPACE nowhere LOCATION ''});
$ENV{PGOPTIONS} = join(' ', '-c role=none -c default_transaction_read_only=off -c search_path=public -c default_table_access_method=heap -c default_tablespace=',
	map { "-c $_=0" } grep { /timeout/ } keys %parameters);
$node->safe_psql('postgres', 'ALTER ' . ($_ eq 'role' ? 'DATABASE hostile' : 'ROLE ALL') . " SET $_ = $parameters{$_}") foreach sort keys %parameters;
$node->safe_psql('hostile', q{
	CREATE EXTENSION ddb;
	SELECT ddb.create_table('t', partition_key => 'PK');
	INSERT INTO t SELECT i::text, '{"a": {"S": "x"}}' FROM generate_series(1, 2000) i;
	SELECT ddb.add_index('t', 'by_a', 'a')});
is($node->safe_psql('hostile', q{SELECT ddb.wait_for_index('t', timeout => '30s')}), 't', 'a new index is filled');
ok($node->poll_query_until('postgres', $workers, '0'), 'the worker leaves in peace');
$node->safe_psql('hostile', q{SET ddb.index_log_size = '64kB'; INSERT INTO t SELECT i::text, '{"a": {"S": "y"}}' FROM generate_series(2001, 4000) i});
is($node->safe_psql('hostile', q{SELECT ddb.wait_for_index('t', timeout => '30s')}), 't', 'and another follows');
is(index_problems($node, 't', 'hostile'), '', 'rightly');
$node->safe_psql('postgres', "ALTER ROLE ALL RESET ALL; DROP DATABASE hostile");
delete $ENV{PGOPTIONS};

# A function that never ends, once it meets a certain item, and does not let itself be cancelled.
$node->safe_psql('postgres', q{
	SELECT ddb.create_table(name, partition_key => 'PK'), ddb.add_index(name, 'idx', 'a') FROM (VALUES ('good'), ('bad')) v (name);
	SELECT ddb.wait_for_index('bad');
	CREATE FUNCTION endless(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
	BEGIN
		WHILE $1 = 'evil' LOOP
			BEGIN
				PERFORM pg_sleep(0.01);
			EXCEPTION WHEN query_canceled THEN
				BEGIN PERFORM pg_sleep(60); EXCEPTION WHEN query_canceled THEN NULL; END;
			END;
		END LOOP;
		RETURN $1;
	END $$;
	CREATE INDEX trap ON bad_idx (endless(ipk));
	INSERT INTO bad VALUES ('1', '{"a": {"S": "evil"}}')});
ok($node->poll_query_until('postgres', q{SELECT failures > 0 FROM ddb.index_cursor WHERE last_error LIKE 'canceling statement%'}), 'it is stopped');
my $worst = 0;
for my $i (1 .. 30)
{
	my $start = time;
	$node->safe_psql('postgres', qq{INSERT INTO good VALUES ('$i', '{"a": {"S": "x"}}'); SELECT ddb.wait_for_index('good', timeout => '30s')});
	$worst = time - $start if time - $start > $worst;
	select undef, undef, undef, 0.4;
}
cmp_ok($worst, '<', 6, 'its neighbours hardly wait for it');
cmp_ok($node->safe_psql('postgres', 'SELECT max(failures) FROM ddb.index_cursor'), '>', 2, 'however often it is tried');
$node->safe_psql('postgres', 'DROP INDEX trap');
ok($node->poll_query_until('postgres', q{SELECT last_error IS NULL FROM ddb.index_status WHERE table_name = 'bad'}), 'it is tried to the end');
is(index_problems($node, 'bad'), '', 'and then it is right');

# Nor does a function of an index's end the worker.
SKIP:
{
	skip 'a transaction has no timeout before PostgreSQL 17', 2 if $version < 170000;
	$node->safe_psql('postgres', q{
		CREATE OR REPLACE FUNCTION endless(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
		BEGIN
			IF $1 = 'brief' THEN
				PERFORM set_config('transaction_timeout', '1', false);
				PERFORM pg_sleep(1);
			END IF;
			RETURN $1;
		END $$;
		CREATE INDEX trap ON bad_idx (endless(ipk));
		INSERT INTO bad VALUES ('2', '{"a": {"S": "brief"}}')});
	ok($node->poll_query_until('postgres', q{SELECT last_error LIKE '%transaction_timeout%' FROM ddb.index_status WHERE table_name = 'bad'}), 'it is refused');
	is($node->safe_psql('postgres', q{INSERT INTO good VALUES ('x', '{"a": {"S": "x"}}'); SELECT ddb.wait_for_index('good', timeout => '30s')}), 't', 'the others are followed');
}

$node->stop;
done_testing();
