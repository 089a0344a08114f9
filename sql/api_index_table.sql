-- Secondary indexes in CreateTable, UpdateTable and DescribeTable
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA api_index_table;
SET search_path = api_index_table;
\set VERBOSITY terse

-- The reply, or one member of it, with what changes from run to run masked; or the failure.
CREATE FUNCTION api(operation text, request json, VARIADIC path text[] DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN regexp_replace((ddb.api(operation, request) #> path)::text, '"(IndexSizeBytes|ItemCount)":[0-9]+', '"\1":0', 'g');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION update_indexes(updates json, definitions json DEFAULT NULL, VARIADIC path text[] DEFAULT '{}') RETURNS text LANGUAGE sql AS
	$$SELECT api('UpdateTable', json_strip_nulls(json_build_object('TableName', 'orders', 'AttributeDefinitions', definitions, 'GlobalSecondaryIndexUpdates', updates)), VARIADIC path)$$;

--
-- A table with indexes of every kind
--
SELECT api('CreateTable', '{"TableName": "orders", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "customer", "AttributeType": "S"}, {"AttributeName": "id", "AttributeType": "S"},
		{"AttributeName": "status", "AttributeType": "S"}, {"AttributeName": "at", "AttributeType": "N"}, {"AttributeName": "total", "AttributeType": "N"},
		{"AttributeName": "blob", "AttributeType": "B"}],
	"KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "id", "KeyType": "RANGE"}],
	"LocalSecondaryIndexes": [{"IndexName": "by-total", "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}, {"AttributeName": "total", "KeyType": "RANGE"}],
		"Projection": {"ProjectionType": "KEYS_ONLY"}}],
	"GlobalSecondaryIndexes": [
		{"IndexName": "by.status", "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
			"Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["note", "customer"]}},
		{"IndexName": "Many", "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}, {"AttributeName": "id", "KeyType": "HASH"},
			{"AttributeName": "blob", "KeyType": "RANGE"}, {"AttributeName": "at", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}', 'TableDescription', 'GlobalSecondaryIndexes');
SELECT ddb.wait_for_index('orders', timeout => '60s');
SELECT api('DescribeTable', '{"TableName": "orders"}', 'Table', 'AttributeDefinitions');
SELECT api('DescribeTable', '{"TableName": "orders"}', 'Table', 'LocalSecondaryIndexes');
SELECT api('DescribeTable', '{"TableName": "orders"}', 'Table', 'GlobalSecondaryIndexes');
SELECT index_name, index_relation FROM ddb.secondary_index ORDER BY 1;
SELECT api('PutItem', '{"TableName": "orders", "Item": {"customer": {"S": "c"}, "id": {"S": "1"}, "status": {"N": "1"}}}');
SELECT api('PutItem', '{"TableName": "orders", "Item": {"customer": {"S": "c"}, "id": {"S": "1"}, "status": {"S": "open"}, "at": {"N": "1"}, "note": {"S": "x"}}}');
-- a table without any has no such members
SELECT api('CreateTable', '{"TableName": "simple", "BillingMode": "PAY_PER_REQUEST",
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}]}') LIKE '%Secondary%';

--
-- UpdateTable: one more
--
SELECT update_indexes('[{"Create": {"IndexName": "by-sku", "KeySchema": [{"AttributeName": "sku", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]',
	'[{"AttributeName": "sku", "AttributeType": "S"}, {"AttributeName": "unused", "AttributeType": "N"}]', 'TableDescription', 'GlobalSecondaryIndexes', '1');
SELECT ddb.wait_for_index('orders', 'by-sku', timeout => '60s');
SELECT api('DescribeTable', '{"TableName": "orders"}', 'Table', 'GlobalSecondaryIndexes', '1', 'IndexStatus'),
	api('DescribeTable', '{"TableName": "orders"}', 'Table', 'TableStatus');
SELECT api('DescribeTable', '{"TableName": "orders"}', 'Table', 'AttributeDefinitions');
-- and away again: the reply shows it once more
SELECT update_indexes('[{"Delete": {"IndexName": "by-sku"}}]', NULL, 'TableDescription', 'GlobalSecondaryIndexes', '1', 'IndexStatus');
SELECT api('DescribeTable', '{"TableName": "orders"}', 'Table', 'GlobalSecondaryIndexes', '1', 'IndexName');
SELECT ddb.index_table('orders', 'by-sku');
-- throughput and the like have no effect
SELECT update_indexes('[{"Update": {"IndexName": "by.status", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}}]', NULL, 'TableDescription', 'TableStatus');
SELECT api('UpdateTable', '{"TableName": "orders", "BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}',
	'TableDescription', 'BillingModeSummary', 'BillingMode');
SELECT api('UpdateTable', '{"TableName": "orders", "DeletionProtectionEnabled": false}', 'TableDescription', 'TableName');

--
-- What UpdateTable refuses
--
SELECT api('UpdateTable', '{"TableName": "orders"}');
SELECT update_indexes('[]');
SELECT update_indexes('[]', '[{"AttributeName": "sku", "AttributeType": "S"}]');
SELECT api('UpdateTable', '{"TableName": "orders", "BillingMode": "PAY_PER_REQUEST", "GlobalSecondaryIndexUpdates": []}');
SELECT api('UpdateTable', '{"TableName": "nothing", "BillingMode": "PAY_PER_REQUEST"}');
SELECT api('UpdateTable', '{"TableName": "orders", "StreamSpecification": {"StreamEnabled": true, "StreamViewType": "KEYS_ONLY"}}');
SELECT api('UpdateTable', '{"TableName": "orders", "ReplicaUpdates": [{"Create": {"RegionName": "x"}}]}');
SELECT update_indexes('[{}]');
SELECT update_indexes('[{"Delete": {"IndexName": "by.status"}, "Update": {"IndexName": "by.status"}}]');
SELECT update_indexes('[{"Delete": {"IndexName": "by.status"}}, {"Update": {"IndexName": "by.status"}}]');
SELECT update_indexes('[{"Delete": {"IndexName": "by.status"}}, {"Delete": {"IndexName": "Many"}}]');
SELECT update_indexes('[{"Delete": {"IndexName": "nothing"}}]');
SELECT update_indexes('[{"Update": {"IndexName": "nothing"}}]');
SELECT update_indexes('[{"Delete": {"IndexName": "by-total"}}]');
SELECT update_indexes('[{"Update": {"IndexName": "by-total"}}]');
SELECT update_indexes('[{"Delete": {"IndexName": "x"}}]');
SELECT update_indexes('[{"Create": {"IndexName": "Many", "KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]');
SELECT update_indexes('[{"Create": {"IndexName": "by-total", "KeySchema": [{"AttributeName": "x", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"}}}]');
CREATE FUNCTION add_index(definitions json, keys json, projection json DEFAULT '{"ProjectionType": "ALL"}') RETURNS text LANGUAGE sql AS
	$$SELECT update_indexes(json_build_array(json_build_object('Create', json_build_object('IndexName', 'new', 'KeySchema', keys, 'Projection', projection))), definitions)$$;
SELECT add_index(NULL, '[{"AttributeName": "status", "KeyType": "HASH"}]');
SELECT add_index('[{"AttributeName": "x", "AttributeType": "S"}]', '[{"AttributeName": "status", "KeyType": "HASH"}]');
SELECT add_index('[{"AttributeName": "status", "AttributeType": "N"}]', '[{"AttributeName": "status", "KeyType": "HASH"}]');
SELECT add_index('[{"AttributeName": "id", "AttributeType": "B"}]', '[{"AttributeName": "id", "KeyType": "HASH"}]');
SELECT add_index('[{"AttributeName": "x", "AttributeType": "S"}]', '[{"AttributeName": "x", "KeyType": "RANGE"}]');
SELECT add_index('[{"AttributeName": "x", "AttributeType": "S"}]', '[{"AttributeName": "x", "KeyType": "HASH"}, {"AttributeName": "x", "KeyType": "RANGE"}]');
SELECT add_index('[{"AttributeName": "x", "AttributeType": "S"}]', '[{"AttributeName": "x", "KeyType": "HASH"}]', '{}');
SELECT add_index('[{"AttributeName": "x", "AttributeType": "S"}]', '[{"AttributeName": "x", "KeyType": "HASH"}]', '{"ProjectionType": "INCLUDE"}');
SELECT add_index('[{"AttributeName": "x", "AttributeType": "S"}]', '[{"AttributeName": "x", "KeyType": "HASH"}]', '{"ProjectionType": "SOME"}');
SELECT index_name FROM ddb.secondary_index ORDER BY 1;

--
-- What CreateTable refuses
--
CREATE FUNCTION create_with(members json) RETURNS text LANGUAGE sql AS $$
	SELECT api('CreateTable', (jsonb '{"TableName": "abc", "BillingMode": "PAY_PER_REQUEST",
		"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}, {"AttributeName": "c", "AttributeType": "S"}],
		"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}]}'
		|| members::jsonb)::json)
$$;
-- one index of the kind, with these keys and this projection
CREATE FUNCTION create_index(kind text, keys text, projection json DEFAULT '{"ProjectionType": "ALL"}', members json DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT create_with((jsonb_build_object(kind || 'SecondaryIndexes', json_build_array(json_build_object('IndexName', 'idx', 'Projection', projection,
		'KeySchema', (SELECT json_agg(json_build_object('AttributeName', split_part(k, ':', 1), 'KeyType', split_part(k, ':', 2)))
			FROM regexp_split_to_table(keys, ' ') k)))) || members::jsonb)::json)
$$;
SELECT create_with('{"GlobalSecondaryIndexes": []}');
SELECT create_with('{"LocalSecondaryIndexes": []}');
SELECT create_with('{"VectorIndexes": []}');
-- definitions are of all keys, and of nothing else
SELECT create_index('Global', 'd:HASH');
SELECT create_index('Global', 'b:HASH');
SELECT create_index('Local', 'a:HASH b:RANGE');
SELECT create_index('Global', 'c:HASH', members => '{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}, {"AttributeName": "c", "AttributeType": "S"}, {"AttributeName": "a", "AttributeType": "N"}]}');
SELECT create_index('Global', 'c:HASH', members => '{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "c", "AttributeType": "S"}, {"AttributeName": "d", "AttributeType": "S"}]}');
-- keys
SELECT create_index('Global', 'c:RANGE');
SELECT create_index('Global', 'c:HASH b:RANGE a:HASH');
SELECT create_index('Global', 'c:HASH c:RANGE');
SELECT create_index('Global', 'c:HASH b:HASH c:RANGE');
SELECT create_index('Global', 'c:HASH a:HASH a:HASH b:HASH b:HASH');
SELECT create_index('Global', 'c:HASH b:RANGE b:RANGE b:RANGE b:RANGE b:RANGE');
SELECT create_index('Local', 'a:HASH', members => '{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}]}');
SELECT create_index('Local', 'b:HASH c:RANGE');
SELECT create_index('Local', 'a:HASH c:HASH');
SELECT create_index('Local', 'a:HASH b:RANGE c:RANGE');
SELECT create_index('Local', 'a:HASH c:RANGE', members => '{"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
	"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "c", "AttributeType": "S"}]}');
-- projections
SELECT create_index('Global', 'c:HASH', '{}');
SELECT create_index('Global', 'c:HASH', '{"ProjectionType": "INCLUDE"}');
SELECT create_index('Global', 'c:HASH', '{"ProjectionType": "INCLUDE", "NonKeyAttributes": []}');
SELECT create_index('Global', 'c:HASH', '{"ProjectionType": "ALL", "NonKeyAttributes": ["x"]}');
SELECT create_index('Global', 'c:HASH', '{"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y", "x"]}');
SELECT create_index('Global', 'c:HASH', (json_build_object('ProjectionType', 'INCLUDE', 'NonKeyAttributes', (SELECT json_agg('a' || i) FROM generate_series(1, 21) i))));
-- throughput
SELECT create_with('{"GlobalSecondaryIndexes": [{"IndexName": "idx", "KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}], "Projection": {"ProjectionType": "ALL"},
	"ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}]}');
SELECT create_index('Global', 'c:HASH', members => '{"BillingMode": "PROVISIONED", "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 1}}');
-- names and numbers
SELECT create_with(json_build_object('GlobalSecondaryIndexes', (SELECT json_agg(json_build_object('IndexName', 'same', 'KeySchema', json '[{"AttributeName": "c", "KeyType": "HASH"}]',
	'Projection', json '{"ProjectionType": "ALL"}')) FROM generate_series(1, 2))));
SELECT create_with(json_build_object('GlobalSecondaryIndexes', (SELECT json_agg(json_build_object('IndexName', 'index' || i, 'KeySchema', json '[{"AttributeName": "c", "KeyType": "HASH"}]',
	'Projection', json '{"ProjectionType": "ALL"}')) FROM generate_series(1, 21) i)));
SELECT create_with(json_build_object('LocalSecondaryIndexes', (SELECT json_agg(json_build_object('IndexName', 'index' || i, 'KeySchema',
	json '[{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "c", "KeyType": "RANGE"}]', 'Projection', json '{"ProjectionType": "ALL"}')) FROM generate_series(1, 6) i)));
SELECT create_with(json_build_object('GlobalSecondaryIndexes', (SELECT json_agg(json_build_object('IndexName', 'index' || i, 'KeySchema', json '[{"AttributeName": "c", "KeyType": "HASH"}]',
	'Projection', json_build_object('ProjectionType', 'INCLUDE', 'NonKeyAttributes', (SELECT json_agg('a' || j) FROM generate_series(1, 20) j)))) FROM generate_series(1, 6) i)));
SELECT create_with('{"GlobalSecondaryIndexes": [{"IndexName": "a?", "KeySchema": [{"AttributeName": "c", "KeyType": "HASH"}]}]}');
-- nothing is left of all that
SELECT api('ListTables', '{}');
SELECT count(*) FROM ddb.secondary_index WHERE relation_name = 'abc';

-- accepted: an index like the table, one named like it, a local one of its sort key
SET client_min_messages = warning;
SELECT create_with('{"AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}],
	"GlobalSecondaryIndexes": [{"IndexName": "abc", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}],
	"LocalSecondaryIndexes": [{"IndexName": "again", "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}, {"AttributeName": "b", "KeyType": "RANGE"}], "Projection": {"ProjectionType": "ALL"}}]}') LIKE '%"TableStatus":"ACTIVE"%';
SELECT ddb.wait_for_index('abc', timeout => '60s');
SELECT api('DescribeTable', '{"TableName": "abc"}', 'Table', 'TableStatus');
RESET client_min_messages;

SELECT api('DeleteTable', '{"TableName": "abc"}') LIKE '%Secondary%';
SELECT api('DeleteTable', '{"TableName": "orders"}', 'TableDescription', 'TableStatus');
SELECT api('DeleteTable', '{"TableName": "simple"}', 'TableDescription', 'TableStatus');
SELECT count(*) FROM ddb.secondary_index;
DROP FUNCTION api, update_indexes, add_index, create_with, create_index;
DROP SCHEMA api_index_table;
