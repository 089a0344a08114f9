# A publication FOR ALL TABLES between two servers that both have ddb: items
# travel, what ddb keeps for itself does not.
use strict;
use warnings;
use lib 't/lib';
use DdbTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $publisher = ddb_node('publisher', 'wal_level = logical');
my $subscriber = ddb_node('subscriber', 'wal_level = logical');

$_->safe_psql('postgres', q{SELECT ddb.create_table('shop', 'PK', 'SK')}) foreach $publisher, $subscriber;
$publisher->safe_psql('postgres', q{
	SELECT ddb.put_item('shop', jsonb_build_object('PK', 'c1', 'SK', 'o' || i, 'n', i)) FROM generate_series(1, 10) i;
	CREATE PUBLICATION everything FOR ALL TABLES;
});
my $connection = $publisher->connstr . ' dbname=postgres';
$subscriber->safe_psql('postgres', "CREATE SUBSCRIPTION everything CONNECTION '$connection' PUBLICATION everything");
$subscriber->wait_for_subscription_sync($publisher, 'everything');

sub items { return shift->safe_psql('postgres', 'SELECT ddb.full_item(s) FROM shop s ORDER BY pk, sk'); }
sub catalog { return shift->safe_psql('postgres', 'SELECT relation_name, id FROM ddb.catalog ORDER BY 1'); }

my $own = catalog($subscriber);
is(items($subscriber), items($publisher), 'the items are copied');
isnt($own, catalog($publisher), 'the catalogs are each server\'s own');

# Every kind of change, by functions and by SQL, and what goes into ddb's tables.
$publisher->safe_psql('postgres', q{
	SELECT ddb.create_table('other', 'id');
	SELECT ddb.put_item('shop', '{"PK": "c1", "SK": "o1", "n": 100}');
	SELECT ddb.update_item('shop', 'c1', 'o2', update => 'ADD n :n', attr_values => '{":n": 1}');
	SELECT ddb.delete_item('shop', 'c1', 'o3');
	SELECT ddb.put_item('shop', '{"PK": "new", "SK": "x"}');
	UPDATE shop SET sk = 'moved' WHERE pk = 'c1' AND sk = 'o4';
	DELETE FROM shop WHERE pk = 'c1' AND sk = 'o5';
	SELECT ddb.transact_write_items('[{"Put": {"TableName": "shop", "Item": {"PK": {"S": "t"}, "SK": {"S": "1"}}}}]', 'token');
	ALTER TABLE other RENAME TO another;
	DROP TABLE another;
});
$publisher->wait_for_catchup('everything');
is(items($subscriber), items($publisher), 'changes follow');
is($subscriber->safe_psql('postgres', q{SELECT ddb.get_item('shop', 'c1', 'o2') ->> 'n'}), '3', 'an item by its key');
is(catalog($subscriber), $own, 'the catalog is left alone');
is($subscriber->safe_psql('postgres', 'SELECT count(*) FROM ddb.transaction_tokens'), '0', 'and so are the tokens');

$_->stop foreach $subscriber, $publisher;
done_testing();
