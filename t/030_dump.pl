# Dump and restore: whole databases, single tables, single schemas, and what
# comes back without the catalog.
use strict;
use warnings;
use lib 't/lib';
use DdbTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ddb_node('dump');
my $long = 'long.' . 'n' x 200;
my $dir = PostgreSQL::Test::Utils::tempdir();

$node->safe_psql('postgres', <<"SQL");
CREATE SCHEMA other;
SELECT ddb.create_table('shop', 'PK', 'SK');
SELECT ddb.create_table('other."Mixed.Name"', 'id', partition_key_type => 'N');
SELECT ddb.create_table('blobs', 'id', 'at', 'B', 'N');
SELECT ddb.put_item('shop', jsonb_build_object('PK', 'c' || i, 'SK', 'o' || o, 'amount', i * o))
	FROM generate_series(1, 20) i, generate_series(1, 10) o;
SELECT ddb.put_item('shop', '{"PK": "u\\u0000v", "SK": "\\u0001", "text": "\\u0000 \\\\ \\" \\n\\t"}');
SELECT ddb.put_item('shop', '{"PK": {"S": "types"}, "SK": {"S": "x"}, "ns": {"NS": ["1", "-2.5"]}, "bs": {"BS": ["AQ==", ""]},
	"m": {"M": {"l": {"L": [{"NULL": true}, {"BOOL": false}]}}}}'::ddb.item);
SELECT ddb.put_item('other."Mixed.Name"', '{"id": 12345678901234567890123456789012345678, "v": 1}');
SELECT ddb.put_item('blobs', ('{"id": {"B": "AAEC"}, "at": {"N": "1e-5"}, "big": {"S": "' || repeat('x', 200000) || '"}}')::ddb.item);
CREATE INDEX by_amount ON shop ((item ->> 'amount'));
CREATE TABLE invoices (pk text COLLATE "C", sk text COLLATE "C", FOREIGN KEY (pk, sk) REFERENCES shop (pk, sk));
INSERT INTO invoices VALUES ('c1', 'o1');
SQL
$node->safe_psql('postgres', <<"SQL");
SELECT ddb.api('CreateTable', '{"TableName": "$long", "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST"}');
SELECT ddb.api('PutItem', '{"TableName": "$long", "Item": {"id": {"S": "1"}}}');
SQL

# Everything there is to say of a database's ddb tables.
sub contents
{
	my ($database) = @_;
	return join "\n", map { $node->safe_psql($database, $_) } (
		'SELECT ddb.full_item(s) FROM shop s ORDER BY pk COLLATE "C", sk',
		'SELECT ddb.full_item(s) FROM other."Mixed.Name" s ORDER BY pk',
		'SELECT md5(ddb.full_item(s)::text) FROM blobs s ORDER BY pk, sk',
		'SELECT tbl, name, partition_key, partition_key_type, sort_key, sort_key_type FROM ddb.list_tables()',
		'SELECT schema_name, relation_name, name, id, created FROM ddb.catalog ORDER BY 1, 2',
		'SELECT relname, amname FROM pg_class c JOIN pg_am a ON a.oid = c.relam WHERE relname IN (\'shop\', \'blobs\') ORDER BY 1',
		'SELECT relname, reloptions, relreplident FROM pg_class WHERE relname IN (\'shop\', \'blobs\') ORDER BY 1',
		'SELECT (ddb.describe_table(\'blobs\')).plain',
		"SELECT ddb.api('GetItem', '{\"TableName\": \"$long\", \"Key\": {\"id\": {\"S\": \"1\"}}}')",
		'SELECT * FROM invoices');
}

sub restore
{
	my ($database, $file, @tables) = @_;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, 'CREATE EXTENSION ddb') if @tables;
	$node->command_ok([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr($database), '-f', $file ],
		"restore into $database");
}

my $expected = contents('postgres');

# A whole database, as SQL and in the custom format.
$node->command_ok([ 'pg_dump', '-d', $node->connstr('postgres'), '-f', "$dir/all.sql" ], 'pg_dump');
restore('whole', "$dir/all.sql");
is(contents('whole'), $expected, 'a whole database comes back');
$node->command_ok([ 'pg_dump', '-Fc', '-d', $node->connstr('postgres'), '-f', "$dir/all.dump" ], 'pg_dump -Fc');
$node->safe_psql('postgres', 'CREATE DATABASE custom');
$node->command_ok([ 'pg_restore', '-j', '2', '-d', $node->connstr('custom'), "$dir/all.dump" ], 'pg_restore -j');
is(contents('custom'), $expected, 'in parallel too');

# What was restored goes on working, and the catalog follows it.
$node->safe_psql('whole', 'ALTER TABLE shop RENAME TO store; DROP TABLE blobs');
is($node->safe_psql('whole', 'SELECT relation_name, name FROM ddb.catalog WHERE schema_name = \'public\' AND relation_name ~ \'^(s|b)\''),
	'store|store', 'the restored catalog follows DDL');
is($node->safe_psql('whole', q{SELECT ddb.update_item('store', 'c2', 'o3', update => 'SET amount = amount + :one', attr_values => '{":one": 1}') ->> 'amount'}),
	'7', 'and the restored table takes writes');

# One table alone: it describes itself.
$node->command_ok([ 'pg_dump', '-t', 'shop', '-d', $node->connstr('postgres'), '-f', "$dir/shop.sql" ], 'pg_dump -t');
restore('single', "$dir/shop.sql", 'shop');
is($node->safe_psql('single', q{SELECT ddb.get_item('shop', 'c2', 'o3') ->> 'amount'}), '6', 'a single table comes back');
is($node->safe_psql('single', q{SELECT name, partition_key, sort_key, plain, created FROM ddb.describe_table('shop')}),
	'shop|PK|SK|t|', 'and knows its keys');
is($node->safe_psql('single', 'SELECT count(*) FROM ddb.catalog'), '0', 'without the catalog');
is($node->safe_psql('single', q{SELECT ddb.put_item('shop', '{"PK": "n", "SK": "1"}'); SELECT count(*) FROM ddb.collection('shop', 'n')}),
	"\n1", 'and works');

# The catalog without one of its tables harms nobody.
$node->command_ok([ 'pg_dump', '-T', 'shop', '-T', 'invoices', '-d', $node->connstr('postgres'), '-f', "$dir/without.sql" ], 'pg_dump -T');
restore('without', "$dir/without.sql");
is($node->safe_psql('without', 'SELECT tbl FROM ddb.list_tables()'), "other.\"Mixed.Name\"\nblobs\n\"" . substr($long, 0, 46) . '_' . short_hash() . '"',
	'all tables but the one that is missing');
is($node->safe_psql('without', q{SELECT ddb.create_table('shop', 'other_key'); SELECT (ddb.describe_table('shop')).partition_key}),
	"shop\nother_key", 'a name whose row was left behind can be used');

# Without the access method a plain dump is heap's.
$node->command_ok([ 'pg_dump', '-Fc', '-t', 'shop', '-d', $node->connstr('postgres'), '-f', "$dir/shop.dump" ], 'pg_dump -t -Fc');
$node->safe_psql('postgres', 'CREATE DATABASE heap');
$node->safe_psql('heap', 'CREATE EXTENSION ddb');
$node->command_ok([ 'pg_restore', '--no-table-access-method', '-d', $node->connstr('heap'), "$dir/shop.dump" ], 'pg_restore --no-table-access-method');
is($node->safe_psql('heap', q{SELECT count(*) FROM shop WHERE pk = 'c2'}), '10', 'rows are there on heap');

# DROP EXTENSION takes the tables only by CASCADE.
my ($rc, $out, $err) = $node->psql('heap', 'DROP EXTENSION ddb');
like($err, qr/cannot drop extension ddb because other objects depend on it/, 'DROP EXTENSION is refused');
$node->safe_psql('heap', 'DROP EXTENSION ddb CASCADE; CREATE EXTENSION ddb');
is($node->safe_psql('heap', 'SELECT count(*) FROM ddb.list_tables()'), '0', 'and CASCADE leaves none');

sub short_hash
{
	return $node->safe_psql('postgres', q{SELECT right(relation_name, 16) FROM ddb.catalog WHERE name ~ '^long'});
}

$node->stop;
done_testing();
