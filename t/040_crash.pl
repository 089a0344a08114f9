# A server killed under load comes back with nothing lost and nothing half
# done: items agree with a relational journal written in the same
# transactions, and every row has its entry in the key index and the other way
# round.  Killed twice: once a backend (the postmaster starts all over), once
# the postmaster with all its children.
use strict;
use warnings;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;
use PostgreSQL::Test::Utils;

my $node = ddb_node('crash', 'restart_after_crash = on', 'checkpoint_timeout = 30s');
my $folder = PostgreSQL::Test::Utils::tempdir();
$node->safe_psql('postgres', q{
	CREATE EXTENSION amcheck;
	CREATE TABLE journal (k text, what int);
	SELECT ddb.create_table('load', partition_key => 'PK', sort_key => 'SK');
});

# Counters, items that come and go, an overwrite that grows, plain SQL between.
PostgreSQL::Test::Utils::append_to_file("$folder/load.sql", q{
\set k random(1, 200)
\set s random(1, 20)
BEGIN;
SELECT ddb.update_item('load', 'c' || :k, 'n', update => 'ADD n :one SET filler = :f',
	attr_values => json_build_object(':one', 1, ':f', repeat('x', :s * 20)));
INSERT INTO journal VALUES ('c' || :k, 1);
COMMIT;
BEGIN;
SELECT ddb.put_item('load', json_build_object('PK', 'p' || :k, 'SK', 's' || :s, 'v', 1));
SELECT ddb.delete_item('load', 'p' || :k, 's' || (:s + 5));
INSERT INTO load SELECT 'p' || :k, 't' || :s, '{}' ON CONFLICT DO NOTHING;
DELETE FROM load WHERE pk = 'p' || :k AND sk = 't' || (:s + 5);
COMMIT;
SELECT ddb.transact_write_items(format('[
	{"Update": {"TableName": "load", "Key": {"PK": {"S": "c%s"}, "SK": {"S": "n"}}, "UpdateExpression": "ADD m :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}},
	{"Update": {"TableName": "load", "Key": {"PK": {"S": "total"}, "SK": {"S": "m"}}, "UpdateExpression": "ADD m :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}]', :k::int)::json);
});

# And compaction beside it all.
PostgreSQL::Test::Utils::append_to_file("$folder/compact.sql", "SELECT * FROM ddb.compact('load');\n");

sub load_until
{
	my ($strike) = @_;
	my $out = '';
	my $bench = IPC::Run::start([ 'pgbench', '-n', '-c', 6, '-j', 2, '-T', 60, '-f', "$folder/load.sql\@30", '-f', "$folder/compact.sql\@1",
			$node->connstr('postgres') ], '>', \$out, '2>', \$out);
	sleep 4;
	$strike->();
	$bench->finish;
}

sub check
{
	my ($name) = @_;
	is($node->safe_psql('postgres', q{
		SELECT count(*) FROM (SELECT k, sum(what) AS n FROM journal GROUP BY k) j
		FULL JOIN (SELECT pk AS k, (item->>'n')::int AS n FROM load WHERE sk = 'n' AND item ? 'n') l USING (k)
		WHERE j.n IS DISTINCT FROM l.n}), '0', "$name: counters agree with the journal");
	is($node->safe_psql('postgres', q{
		SELECT sum((item->>'m')::int) FILTER (WHERE pk <> 'total') = sum((item->>'m')::int) FILTER (WHERE pk = 'total') FROM load}),
		't', "$name: transactions are whole");
	is($node->safe_psql('postgres', q{SELECT bt_index_check('load_key', true)}), '', "$name: the index has every row");
	is($node->safe_psql('postgres', q{
		SELECT count(*) FROM (SELECT pk, sk FROM load GROUP BY pk, sk HAVING count(*) > 1) d}), '0', "$name: no key twice");
	is($node->safe_psql('postgres', q{
		SELECT (SELECT count(*) FROM load) = (SELECT count(*) FROM ddb.scan('load'))}), 't', "$name: a scan meets every row");
	cmp_ok($node->safe_psql('postgres', 'SELECT count(*) FROM journal'), '>', 100, "$name: there was a load");
}

load_until(sub {
	my $pid = $node->safe_psql('postgres', q{SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1});
	kill 'KILL', $pid;
});
$node->poll_query_until('postgres', 'SELECT true') or die 'the server did not come back';
check('a backend killed');

load_until(sub {
	my ($pid) = PostgreSQL::Test::Utils::slurp_file($node->data_dir . '/postmaster.pid') =~ /^(\d+)/;
	$node->kill9;
	sleep 1 while kill 0, $pid;
});
# Its children may hold the shared memory a moment longer.
for (1 .. 20) { last if $node->start(fail_ok => 1); sleep 1; }
check('the server killed');

# A transaction that was prepared survives too, with its locks.
my $session = session($node);
$session->query('BEGIN');
$session->query(q{SELECT ddb.put_item('load', '{"PK": "prepared", "SK": "1", "v": 1}')});
$session->query(q{SELECT ddb.transact_write_items('[{"ConditionCheck": {"TableName": "load",
	"Key": {"PK": {"S": "absent"}, "SK": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(PK)"}}]')});
$session->query(q{PREPARE TRANSACTION 'p'});
$session->quit;
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', q{SELECT ddb.get_item('load', 'prepared', '1') IS NULL}), 't', 'prepared: not yet seen');
my ($rc, $out, $err) = $node->psql('postgres', q{
	SET lock_timeout = '500ms';
	SELECT ddb.put_item('load', '{"PK": "prepared", "SK": "1", "v": 2}')});
like($err, qr/lock timeout/, 'prepared: the row is held');
($rc, $out, $err) = $node->psql('postgres', q{
	SET lock_timeout = '500ms';
	SELECT ddb.put_item('load', '{"PK": "absent", "SK": "1", "v": 2}')});
like($err, qr/lock timeout/, 'prepared: the absence is held');
$node->safe_psql('postgres', q{COMMIT PREPARED 'p'});
is($node->safe_psql('postgres', q{SELECT ddb.get_item('load', 'prepared', '1') ->> 'v'}), '1', 'prepared: committed');
is($node->safe_psql('postgres', q{SELECT ddb.put_item('load', '{"PK": "absent", "SK": "1"}') IS NULL}), 't', 'prepared: the absence is free');

$node->stop;
done_testing();
