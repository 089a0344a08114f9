-- CreateTable, DescribeTable, ListTables, DeleteTable
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA api_table;
SET search_path = api_table;

-- The reply, with what changes from run to run masked, or the failure.
CREATE FUNCTION api(operation text, request json) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN regexp_replace(regexp_replace(ddb.api(operation, request)::text,
		'("CreationDateTime"|"LastUpdateToPayPerRequestDateTime"):[0-9.]+', '\1:0', 'g'),
		'"TableId":"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"', '"TableId":"id"');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

--
-- A table's life
--
SELECT api('CreateTable', '{"TableName": "Orders", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}');
SELECT api('CreateTable', '{"TableName": "my.table-2", "ProvisionedThroughput": {"ReadCapacityUnits": 5, "WriteCapacityUnits": 6},
	"AttributeDefinitions": [{"AttributeName": "when", "AttributeType": "N"}, {"AttributeName": "blob", "AttributeType": "B"}],
	"KeySchema": [{"AttributeName": "blob", "KeyType": "HASH"}, {"AttributeName": "when", "KeyType": "RANGE"}],
	"SSESpecification": {"Enabled": true}, "TableClass": "STANDARD", "Tags": [{"Key": "a", "Value": "b"}],
	"StreamSpecification": {"StreamEnabled": false}, "DeletionProtectionEnabled": false}');
SELECT api('DescribeTable', '{"TableName": "my.table-2"}') = replace(api('DescribeTable',
	'{"TableName": "arn:aws:dynamodb:eu-west-1:123456789012:table/my.table-2"}'), 'x', 'x');
SELECT api('DescribeTable', '{"TableName": "Orders"}');
-- they are what ddb.create_table() makes
SELECT c.relname, a.amname FROM pg_class c JOIN pg_am a ON a.oid = c.relam
	WHERE c.relnamespace = 'api_table'::regnamespace AND c.relkind = 'r' ORDER BY relname COLLATE "C";
-- names are exact
SELECT api('DescribeTable', '{"TableName": "orders"}');
SELECT api('DescribeTable', '{"TableName": "api_table.Orders"}');
SELECT api('GetItem', '{"TableName": "ORDERS", "Key": {"id": {"S": "a"}}}');
SELECT api('CreateTable', '{"TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}') IS NOT NULL;
SELECT api('CreateTable', '{"TableName": "Orders", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}');
-- a name longer than PostgreSQL's
SELECT api('CreateTable', json_build_object('TableName', repeat('long', 63), 'BillingMode', 'PAY_PER_REQUEST',
	'AttributeDefinitions', '[{"AttributeName": "id", "AttributeType": "S"}]'::json,
	'KeySchema', '[{"AttributeName": "id", "KeyType": "HASH"}]'::json)) LIKE '%"TableName":"longlong%"TableStatus":"ACTIVE"%';
SELECT api('PutItem', json_build_object('TableName', repeat('long', 63), 'Item', '{"id": {"S": "a"}}'::json));
SELECT api('GetItem', json_build_object('TableName', repeat('long', 63), 'Key', '{"id": {"S": "a"}}'::json));

--
-- ListTables
--
SELECT api('ListTables', '{"Limit": 3}');
SELECT api('ListTables', '{"Limit": 4}') = replace('{"TableNames":["Orders","LONG","my.table-2","orders"]}', 'LONG', repeat('long', 63));
SELECT api('ListTables', '{"ExclusiveStartTableName": "lonh", "Limit": 1}');
SELECT api('ListTables', '{"ExclusiveStartTableName": "my.table-2", "Limit": 1}');
SELECT api('ListTables', '{"ExclusiveStartTableName": "orders"}');

--
-- DeleteTable
--
SELECT api('DeleteTable', json_build_object('TableName', repeat('long', 63))) LIKE '%"TableStatus":"DELETING"%';
SELECT api('DeleteTable', '{"TableName": "Orders"}');
SELECT api('DeleteTable', '{"TableName": "Orders"}');
SELECT api('DescribeTable', '{"TableName": "Orders"}');
SELECT api('PutItem', '{"TableName": "Orders", "Item": {"id": {"S": "a"}}}');
SELECT api('ListTables', '{}');
SELECT api('DeleteTable', '{"TableName": "orders"}') IS NOT NULL;
SELECT api('DeleteTable', '{"TableName": "my.table-2"}') IS NOT NULL;
SELECT api('ListTables', '{}');
-- a table made and dropped within a transaction
BEGIN;
SELECT api('CreateTable', '{"TableName": "brief", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}') IS NOT NULL;
SELECT api('PutItem', '{"TableName": "brief", "Item": {"id": {"S": "a"}}}');
ROLLBACK;
SELECT api('ListTables', '{}');

--
-- What CreateTable refuses
--
CREATE FUNCTION create_with(members json) RETURNS text LANGUAGE sql AS $$
	SELECT api('CreateTable', (jsonb '{"TableName": "abc", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}]}'
		|| members::jsonb)::json)
$$;
SELECT create_with('{"BillingMode": null}');
SELECT create_with('{"BillingMode": "PROVISIONED"}');
SELECT create_with('{"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
SELECT create_with('{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 1000000000001, "WriteCapacityUnits": 1000000000001}}');
SELECT create_with('{"BillingMode": null, "ProvisionedThroughput": {"ReadCapacityUnits": 1000000000000, "WriteCapacityUnits": 1000000000001}}');
SELECT create_with('{"AttributeDefinitions": []}');
SELECT create_with('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}]}');
SELECT create_with('{"KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}]}');
SELECT create_with('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}]}');
SELECT create_with('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}');
SELECT create_with('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}]}');
SELECT create_with('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "a", "KeyType": "RANGE"}]}');
SELECT create_with('{"KeySchema": [{"AttributeName": "a", "KeyType": "RANGE"}, {"AttributeName": "b", "KeyType": "HASH"}]}');
SELECT create_with('{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "HASH"}]}');
SELECT create_with('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"},
	{"AttributeName": "c", "AttributeType": "S"}]}');
SELECT create_with('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "a", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}');
SELECT create_with(json_build_object('AttributeDefinitions', json_build_array(json_build_object('AttributeName', repeat('ü', 200), 'AttributeType', 'S')),
	'KeySchema', json_build_array(json_build_object('AttributeName', repeat('ü', 200), 'KeyType', 'HASH'))));
SELECT create_with('{"LocalSecondaryIndexes": []}');
SELECT create_with('{"GlobalSecondaryIndexes": []}');
SELECT create_with('{"StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}');
SELECT create_with('{"StreamSpecification": {"StreamEnabled": false, "StreamViewType": "KEYS_ONLY"}}');
SELECT create_with('{"DeletionProtectionEnabled": true}');
SELECT create_with('{"ResourcePolicy": "{}"}');
SELECT api('ListTables', '{}');

DROP FUNCTION create_with;
DROP FUNCTION api;
DROP SCHEMA api_table;
