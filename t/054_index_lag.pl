# Lag is bounded and can be waited for: tokens, back-pressure, and logs that
# stay small while a long transaction is open.
use strict;
use warnings;
use FindBin;
use Test::More;
use Time::HiRes qw(time);
use lib "$FindBin::Bin/lib";
use DdbTest;

my $node = ddb_node('index_lag', 'ddb.index_log_size = 128kB');
$node->safe_psql('postgres', q{
	SELECT ddb.create_table('t', partition_key => 'PK');
	SELECT ddb.add_index('t', 'by_kind', 'kind');
	SELECT ddb.wait_for_index('t')});
my ($one, $two, $holder) = map { session($node) } 1 .. 3;

# Tokens.
$one->query('BEGIN');
$one->query(q{SELECT ddb.put_item('t', '{"PK": "1", "kind": "a"}')});
my ($token) = $one->query('SELECT ddb.index_token()');
$one->query('SAVEPOINT s');
ok(!$one->query("SELECT ddb.wait_for_index('t', token => '$token')", '55000' => 1), 'its own transaction cannot be waited for');
$one->query('ROLLBACK TO s');
is(($two->query("SELECT ddb.wait_for_index('t', token => '$token', timeout => '200ms')"))[0], 'f', 'one that is open is not reached');
$one->query('COMMIT');
is(($two->query("SELECT ddb.wait_for_index('t', token => '$token')"))[0], 't', 'a token of another session');
is(($two->query(q{SELECT count(*) FROM t_by_kind WHERE ipk = 'a'}))[0], '1', 'then the entry stands');
$two->query('BEGIN ISOLATION LEVEL REPEATABLE READ');
ok(!$two->query("SELECT ddb.wait_for_index('t', token => '$token')", '0A000' => 1), 'a fixed snapshot is refused');
$two->query('ROLLBACK');
foreach my $bad ('', 'x', 'n-1', 'x12y', '12', 'x99999999999')
{
	ok(!$two->query("SELECT ddb.wait_for_index('t', token => '$bad')", '22023' => 1), "no token: '$bad'");
}
$one->query('BEGIN');
$one->query(q{SELECT ddb.put_item('t', '{"PK": "2", "kind": "a"}')});
($token) = $one->query('SELECT ddb.index_token()');
$one->query('ROLLBACK');
is(($two->query("SELECT ddb.wait_for_index('t', token => '$token')"))[0], 't', 'a transaction rolled back is not waited for');

# Back-pressure, the index held still by its cursor.
$holder->query('BEGIN');
$holder->query('SELECT FROM ddb.index_cursor FOR UPDATE');
$one->query(q{INSERT INTO t SELECT 'b' || i, '{"kind": {"S": "b"}}' FROM generate_series(1, 1000) i});
is(($two->query("SELECT ddb.wait_for_index('t', timeout => '100ms')"))[0], 'f', 'an index that is held up is waited for in vain');
ok($node->poll_query_until('postgres', 'SELECT rows_behind = 1000 AND seconds_behind > 1 FROM ddb.index_status'), 'rows and seconds behind show');
# Rows are counted several times a second, and a rate of applying is soon forgotten.
sleep 1;
sub put_time
{
	my $start = time;
	$one->query(q{SELECT ddb.put_item('t', '{"PK": "3", "kind": "a"}')}) for 1 .. 10;
	return time - $start;
}
my $free = put_time();
$one->query(q{SET ddb.index_max_lag = '100'});
cmp_ok(put_time(), '>', $free + 0.5, 'past ddb.index_max_lag writers are slowed');
$one->query(q{SET ddb.index_max_lag = '1s'});
cmp_ok(put_time(), '>', $free + 0.1, 'the same by time');
$one->query(q{SET ddb.index_max_lag = '0'});
foreach my $limit ('500', '500ms')
{
	$one->query("SET ddb.index_refuse_lag = '$limit'");
	ok(!$one->query(q{SELECT ddb.put_item('t', '{"PK": "3", "kind": "a"}')}, 'YD013' => 1), "past ddb.index_refuse_lag = $limit they are refused");
}
my ($rc, $out, $err) = $node->psql('postgres', q{SET ddb.index_refuse_lag = '500'; SELECT ddb.put_item('t', '{"PK": "3"}')});
like($err, qr/by_kind/, 'naming the index');
is(($one->query(q{SELECT ddb.get_item('t', '3') IS NOT NULL}))[0], 't', 'readers are not');
$holder->query('COMMIT');
is(($two->query("SELECT ddb.wait_for_index('t')"))[0], 't', 'let go, the index catches up');
ok($node->poll_query_until('postgres', 'SELECT rows_behind = 0 FROM ddb.index_status'), 'which shows');
# Back-pressure in rows goes by what the worker last counted, a moment ago.
my $passed;
foreach (1 .. 100)
{
	last if $passed = eval { $one->query(q{SELECT ddb.put_item('t', '{"PK": "3", "kind": "c"}')}); 1 };
	select(undef, undef, undef, 0.1);
}
ok($passed, 'writes pass again');
$one->query(q{RESET ddb.index_refuse_lag});

# A worker that ends in the middle leaves its index behind.  No write that is
# refused commits, and yet another worker comes.
$holder->query('BEGIN');
$holder->query('SELECT FROM ddb.index_cursor FOR UPDATE');
$one->query(q{SELECT ddb.put_item('t', '{"PK": "4", "kind": "d"}')});
$one->query(q{SET ddb.index_refuse_lag = '500ms'});
my $write = q{SELECT ddb.put_item('t', '{"PK": "4", "kind": "e"}')};
foreach (1 .. 100)
{
	last if !$two->query("SET ddb.index_refuse_lag = '500ms'; $write", 'YD013' => 1);
	select(undef, undef, undef, 0.1);
}
is($node->safe_psql('postgres', q{SELECT count(pg_terminate_backend(pid, 10000)) FROM pg_stat_activity WHERE backend_type = 'ddb worker'}), '1', 'the worker ends');
$holder->query('COMMIT');
ok(!$one->query($write, 'YD013' => 1), 'its index lags, and writes are refused');
$passed = 0;
foreach (1 .. 100)
{
	last if $passed = $one->query($write, 'YD013' => 1);
	select(undef, undef, undef, 0.1);
}
ok($passed, 'but not for good');
$one->query(q{RESET ddb.index_refuse_lag});
$two->query(q{RESET ddb.index_refuse_lag});

# A transaction that has written stays open; others neither wait for it nor
# leave anything behind, and what they log is done away with.
$holder->query('BEGIN');
$holder->query(q{SELECT ddb.put_item('t', '{"PK": "long", "kind": "long"}')});
my $reader = session($node);
$reader->query('BEGIN ISOLATION LEVEL REPEATABLE READ');
$reader->query('SELECT count(*) FROM t');
my $size = q{SELECT sum(pg_relation_size(oid)) FROM pg_class WHERE relname LIKE 'index\_log\_%' AND relkind = 'r'};
my $largest = 0;
foreach my $round (1 .. 25)
{
	$one->query("INSERT INTO t SELECT 'r$round-' || i, jsonb_build_object('kind', 'r' || i % 10) FROM generate_series(1, 1500) i");
	is(($two->query("SELECT ddb.wait_for_index('t', timeout => '20s')"))[0], 't', 'followed') if $round % 5 == 0;
	my ($now) = $one->query($size);
	$largest = $now if $now > $largest;
}
cmp_ok($largest, '<', 1500 * 1024, 'logs are bounded while a transaction is open');
$holder->query('COMMIT');
is(($two->query("SELECT ddb.wait_for_index('t')"))[0], 't', 'the long transaction is reached');
is(($two->query(q{SELECT count(*) FROM t_by_kind WHERE ipk = 'long'}))[0], '1', 'and lost nothing');
$reader->query('COMMIT');
is(index_problems($node, 't'), '', 'all is right');
cmp_ok($node->safe_psql('postgres', q{SELECT count(*) FROM pg_class WHERE relname LIKE 'index\_log\_%' AND relkind = 'r'}), '<', 8, 'there are few logs');

$_->quit foreach $one, $two, $holder, $reader;
$node->stop;
done_testing();
