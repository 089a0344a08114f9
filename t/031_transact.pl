# What transactions promise beyond one session: a token outlives a crash, a
# prepared transaction keeps its items, and the server log shows no item.
use strict;
use warnings;
use lib 't/lib';
use DdbTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ddb_node('transact', 'log_statement = none', 'log_min_error_statement = panic');
my $add = q{SELECT ddb.transact_write_items('[{"Update": {"TableName": "t", "Key": {"id": {"S": "c"}},
	"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}]', 'token')};

$node->safe_psql('postgres', q{SELECT ddb.create_table('t', 'id')});
is($node->safe_psql('postgres', $add), 't', 'a transaction with a token is done');
$node->stop('immediate');
$node->start;
is($node->safe_psql('postgres', $add), 'f', 'and after a crash it has been done');
is($node->safe_psql('postgres', q{SELECT ddb.get_item('t', 'c') ->> 'n'}), '1', 'once');

# A prepared transaction holds what it has checked and written.
$node->safe_psql('postgres', q{
	BEGIN;
	SELECT ddb.transact_write_items('[{"ConditionCheck": {"TableName": "t", "Key": {"id": {"S": "absent"}}, "ConditionExpression": "attribute_not_exists(id)"}},
		{"Put": {"TableName": "t", "Item": {"id": {"S": "prepared"}}}}]');
	PREPARE TRANSACTION 'p'});
my ($rc, $out, $err) = $node->psql('postgres', q{SET lock_timeout = '200ms'; SELECT ddb.put_item('t', '{"id": "absent"}')});
like($err, qr/canceling statement due to lock timeout/, 'a prepared transaction holds an absence');
($rc, $out, $err) = $node->psql('postgres', q{SET lock_timeout = '200ms'; SELECT ddb.put_item('t', '{"id": "prepared"}')});
like($err, qr/canceling statement due to lock timeout/, 'and its new item');
$node->stop('immediate');
$node->start;
$node->safe_psql('postgres', q{COMMIT PREPARED 'p'});
is($node->safe_psql('postgres', q{SELECT ddb.get_item('t', 'prepared') IS NOT NULL, ddb.try_put_item('t', '{"id": "absent"}')}),
	't|t', 'until it is committed, after a crash too');

# The client gets the items of a failure, the log does not.
$node->safe_psql('postgres', q{SELECT ddb.put_item('t', '{"id": "secret", "name": "Rumpelstiltskin"}')});
($rc, $out, $err) = $node->psql('postgres',
	q{SELECT ddb.put_item('t', '{"id": "secret"}', condition => 'attribute_not_exists(id)', return_values_on_failure => 'ALL_OLD')});
like($err, qr/"Item":\{.*Rumpelstiltskin/, 'the client sees the item');
($rc, $out, $err) = $node->psql('postgres', q{SELECT ddb.transact_write_items('[{"Delete": {"TableName": "t", "Key": {"id": {"S": "secret"}},
	"ConditionExpression": "attribute_not_exists(id)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}]')});
like($err, qr/"Item":\{.*Rumpelstiltskin/, 'in a reason too');
my $log = slurp_file($node->logfile);
unlike($log, qr/Rumpelstiltskin/, 'the log does not');
like($log, qr/ConditionalCheckFailedException; the items are withheld from the log/, 'and says so');

$node->stop;
done_testing();
