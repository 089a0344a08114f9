# A worker stands in nobody's way: DROP DATABASE, CREATE DATABASE ... TEMPLATE,
# DROP EXTENSION and DROP TABLE get through while it follows changes, while a
# long backfill runs, while an index of it fails again and again, and while it
# sleeps.
use strict;
use warnings;
use FindBin;
use Test::More;
use Time::HiRes qw(time);
use lib "$FindBin::Bin/lib";
use DdbTest;

my $node = ddb_node('index_neighbours', 'shared_preload_libraries = ddb', 'deadlock_timeout = 10s');
my $worker = q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'ddb worker' AND datname = };

# A database with a table that takes some seconds to backfill.
sub make_database
{
	my ($name) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $name");
	$node->safe_psql($name, q{
		CREATE EXTENSION ddb;
		SELECT ddb.create_table('t', partition_key => 'PK', sort_key => 'SK');
		INSERT INTO t SELECT 'p' || i % 500, i::text, jsonb_build_object('kind', 'k' || i % 7, 'text', repeat('x', 100))
			FROM generate_series(1, 40000) i});
}

sub backfill
{
	my ($name) = @_;
	$node->safe_psql($name, q{SELECT ddb.add_index('t', 'by_kind', 'kind')});
	$node->poll_query_until($name, q{SELECT backfill_done > 0 FROM ddb.index_status})
	  or die 'no backfill';
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

make_database('one');
backfill('one');
passes('postgres', 'CREATE DATABASE copy TEMPLATE one', 'CREATE DATABASE TEMPLATE in a backfill');
is(index_problems($node, 't', 'copy'), '', 'the copied database goes on with it');
is(index_problems($node, 't', 'one'), '', 'and so does the first');

$node->safe_psql('copy', q{SELECT ddb.add_index('t', 'by_text', 'text')});
passes('copy', 'DROP EXTENSION ddb CASCADE', 'DROP EXTENSION in a backfill');
ok($node->poll_query_until('postgres', "$worker 'copy'", '0'), 'its worker leaves');
$node->safe_psql('copy', q{CREATE EXTENSION ddb;
	SELECT ddb.create_table('t', partition_key => 'PK');
	SELECT ddb.add_index('t', 'by_kind', 'kind');
	INSERT INTO t VALUES ('1', '{"kind": {"S": "a"}}')});
is(index_problems($node, 't', 'copy'), '', 'the extension made again has workers');
passes('postgres', 'DROP DATABASE copy', 'DROP DATABASE with a sleeping worker');

$node->safe_psql('one', q{SELECT ddb.add_index('t', 'by_text', 'text', 'kind')});
$node->poll_query_until('one', q{SELECT backfill_done > 0 FROM ddb.index_status WHERE index_name = 'by_text'});
passes('one', q{SELECT ddb.drop_index('t', 'by_text')}, 'drop_index in a backfill');
$node->safe_psql('one', q{SELECT ddb.add_index('t', 'by_text', 'text', 'kind')});
passes('one', q{TRUNCATE t}, 'TRUNCATE in a backfill');
is(index_problems($node, 't', 'one'), '', 'indexes after TRUNCATE');
is($node->safe_psql('one', 'SELECT count(*) FROM t_by_kind'), '0', 'are empty');

# While changes are followed.
my $writer = session($node, 'one');
$writer->query(q{INSERT INTO t SELECT 'p' || i % 500, i::text, jsonb_build_object('kind', 'k' || i % 7, 'text', repeat('x', 100)) FROM generate_series(1, 30000) i});
passes('one', 'DROP TABLE t CASCADE', 'DROP TABLE while changes are followed');
$writer->quit;
is($node->safe_psql('one', 'SELECT count(*) FROM ddb.index_status'), '0', 'nothing is left of it');

# An index that cannot be kept.
$node->safe_psql('one', q{
	SELECT ddb.create_table('f', partition_key => 'PK');
	SELECT ddb.add_index('f', 'by_kind', 'kind');
	SELECT ddb.wait_for_index('f');
	CREATE UNIQUE INDEX ON f_by_kind (ipk);
	INSERT INTO f SELECT i::text, '{"kind": {"S": "same"}}' FROM generate_series(1, 3) i});
$node->poll_query_until('one', q{SELECT last_error IS NOT NULL FROM ddb.index_status WHERE table_name = 'f'}) or die 'no failure';
passes('postgres', 'DROP DATABASE one', 'DROP DATABASE with an index that fails');

make_database('two');
backfill('two');
passes('postgres', 'DROP DATABASE two', 'DROP DATABASE in a backfill');
is($node->safe_psql('postgres', q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'ddb worker' AND datname <> 'postgres'}), '0', 'no worker is left');

$node->stop;
done_testing();
