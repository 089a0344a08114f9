# Eight clients at once, every one of them sure of its arithmetic: counters sum
# exactly, a transfer in a transaction neither makes nor loses money, and of
# all who create one item only one is told that he did.
use strict;
use warnings;
use FindBin;
use Test::More;
use lib "$FindBin::Bin/lib";
use DdbTest;
use PostgreSQL::Test::Utils;

my $node = ddb_node('counters');
my $clients = 8;
my $each = $ENV{DDB_MODEL_ROUNDS} // 300;
my $folder = PostgreSQL::Test::Utils::tempdir();

# Runs a pgbench script, every client $each times; no call may fail.
sub bench
{
	my ($name, $script) = @_;
	my $file = "$folder/$name.sql";
	PostgreSQL::Test::Utils::append_to_file($file, $script);
	$node->command_like([ 'pgbench', '-n', '-c', $clients, '-j', 2, '-t', $each, '-f', $file,
			$node->connstr('postgres') ],
		qr{processed: ${\($clients * $each)}/}, "$name: no call fails");
}

foreach my $table ('plain', 'triggered')
{
	$node->safe_psql('postgres', "SELECT ddb.create_table('$table', partition_key => 'PK')");
	$node->safe_psql('postgres', q{
		CREATE FUNCTION pass() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
		CREATE TRIGGER pass BEFORE INSERT OR UPDATE ON triggered FOR EACH ROW EXECUTE FUNCTION pass();
	}) if $table eq 'triggered';

	# The counters do not exist when they are first added to.
	bench("add_$table", qq{\\set k random(1, 5)
SELECT ddb.update_item('$table', 'counter' || :k, update => 'ADD n :one', attr_values => '{":one": 1}');
});
	is($node->safe_psql('postgres', "SELECT sum((item ->> 'n')::int) FROM $table WHERE pk LIKE 'counter%'"),
		$clients * $each, "$table: counters sum exactly");

	# Each client takes turns with all others at two accounts in either order.
	$node->safe_psql('postgres', "INSERT INTO $table SELECT 'account' || a, '{\"money\": {\"N\": \"1000\"}}' FROM generate_series(1, 4) a");
	bench("transfer_$table", qq{\\set a random(1, 4)
\\set b 1 + (:a + random(0, 2)) % 4
SELECT ddb.transact_write_items(format('[
	{"Update": {"TableName": "$table", "Key": {"PK": {"S": "account%s"}}, "UpdateExpression": "SET money = money - :m",
		"ExpressionAttributeValues": {":m": {"N": "7"}}}},
	{"Update": {"TableName": "$table", "Key": {"PK": {"S": "account%s"}}, "UpdateExpression": "SET money = money + :m",
		"ExpressionAttributeValues": {":m": {"N": "7"}}}}]', :a::int, :b::int)::json);
});
	is($node->safe_psql('postgres', "SELECT sum((item ->> 'money')::int) FROM $table WHERE pk LIKE 'account%'"),
		4000, "$table: transfers keep the sum");

	# Who created, says so in a relational table, in the same transaction.
	$node->safe_psql('postgres', "CREATE TABLE winner_$table (k int)");
	bench("create_$table", qq{\\set k random(1, 400)
INSERT INTO winner_$table SELECT :k::int WHERE ddb.try_put_item('$table',
	json_build_object('PK', 'new' || :k::int), condition => 'attribute_not_exists(PK)');
});
	is($node->safe_psql('postgres', "SELECT count(*) - count(DISTINCT k), count(*) - (SELECT count(*) FROM $table WHERE pk LIKE 'new%') FROM winner_$table"),
		'0|0', "$table: one winner an item");
}

$node->stop;
done_testing();
