-- Query and Scan of indexes by the API: keys of pages, Select, ConsistentRead, old parameters
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
SELECT ddb.create_table('api_index', 'PK', 'SK');
CREATE FUNCTION api(operation text, request jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN ddb.api(operation, ('{"TableName": "api_index"}' || request)::json);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT count(ddb.put_item('api_index', item)) FROM (VALUES
	('{"PK": "c1", "SK": "o1", "status": "OPEN", "day": 1, "city": "Bern", "note": "n"}'::ddb.doc),
	('{"PK": "c1", "SK": "o2", "status": "OPEN", "day": 2, "city": "Bern"}'),
	('{"PK": "c2", "SK": "o3", "status": "OPEN", "day": 3, "city": "Rome", "note": "n"}'),
	('{"PK": "c2", "SK": "o4", "day": 4, "city": "Rome"}')) v(item);
SELECT ddb.add_index('api_index', 'keys', 'status', 'day', sort_key_type => 'N', projection => 'KEYS_ONLY');
SELECT ddb.add_index('api_index', 'some', 'status', 'day', sort_key_type => 'N', projection => 'INCLUDE', include => ARRAY['note']);
SELECT ddb.add_index('api_index', 'full', 'SK', 'PK');
SELECT ddb.add_local_index('api_index', 'local', 'day', 'N', projection => 'KEYS_ONLY');

CREATE FUNCTION open_orders(index_name text, members jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT api('Query', jsonb_build_object('IndexName', index_name) || '{"KeyConditionExpression": "#s = :s",
		"ExpressionAttributeNames": {"#s": "status"}, "ExpressionAttributeValues": {":s": {"S": "OPEN"}}}' || members)
$$;
CREATE FUNCTION local_orders(members jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT api('Query', '{"IndexName": "local", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "c2"}}}' || members)
$$;

BEGIN;
SELECT ddb.add_index('api_index', 'early', 'status');
SELECT open_orders('early', '{}');
SELECT api('Scan', '{"IndexName": "early"}');
ROLLBACK;
DO $$ BEGIN PERFORM ddb.run_maintenance(); END $$;

-- What each projection shows, and the key of a page: the index's and the table's.
SELECT open_orders('keys', '{"Limit": 1}');
SELECT open_orders('some', '{"Limit": 1, "ScanIndexForward": false}');
SELECT api('Query', '{"IndexName": "full", "KeyConditionExpression": "SK = :s AND PK = :p", "ExpressionAttributeValues": {":s": {"S": "o4"}, ":p": {"S": "c2"}}, "Limit": 1}');
SELECT local_orders('{"Limit": 1}');
SELECT open_orders('keys', '{"Limit": 2, "ExclusiveStartKey": {"PK": {"S": "c1"}, "SK": {"S": "o1"}, "status": {"S": "OPEN"}, "day": {"N": "1"}}, "ProjectionExpression": "SK"}');
SELECT open_orders('keys', '{"Limit": 2, "ExclusiveStartKey": {"PK": {"S": "c2"}, "SK": {"S": "o3"}, "status": {"S": "OPEN"}, "day": {"N": "3"}}}');
SELECT api('Scan', '{"IndexName": "local", "Limit": 4, "Select": "COUNT"}')::jsonb ->> 'ScannedCount';

-- Select
SELECT open_orders('some', '{"Select": "COUNT"}');
SELECT open_orders('some', '{"Select": "COUNT", "FilterExpression": "note = :s"}');
SELECT open_orders('some', '{"Select": "ALL_PROJECTED_ATTRIBUTES", "Limit": 1}')::jsonb -> 'Items';
SELECT open_orders('some', '{"Select": "ALL_ATTRIBUTES"}');
SELECT api('Scan', '{"IndexName": "keys", "Select": "ALL_ATTRIBUTES"}');
SELECT api('Query', '{"IndexName": "full", "Select": "ALL_ATTRIBUTES", "KeyConditionExpression": "SK = :s", "ExpressionAttributeValues": {":s": {"S": "o2"}}}')::jsonb -> 'Items';
SELECT local_orders('{}')::jsonb -> 'Items';
SELECT local_orders('{"Select": "ALL_PROJECTED_ATTRIBUTES"}')::jsonb -> 'Items';
SELECT local_orders('{"Select": "ALL_ATTRIBUTES"}')::jsonb -> 'Items';
SELECT local_orders('{"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "note, city"}')::jsonb -> 'Items';
SELECT api('Query', '{"IndexName": "local", "KeyConditions": {"PK": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "c2"}]}}, "AttributesToGet": ["note", "SK"]}')::jsonb -> 'Items';
SELECT open_orders('some', '{"Select": "SPECIFIC_ATTRIBUTES", "ProjectionExpression": "note, SK, city.zip, nothing"}');
SELECT api('Scan', '{"IndexName": "some", "AttributesToGet": ["PK", "city"]}');
SELECT api('Scan', '{"IndexName": "some", "ScanFilter": {"city": {"ComparisonOperator": "NULL"}}}');

-- Only a local index has consistent reads.
SELECT open_orders('some', '{"ConsistentRead": true}');
SELECT api('Scan', '{"IndexName": "keys", "ConsistentRead": true}');
SELECT open_orders('some', '{"ConsistentRead": false, "Select": "COUNT"}');
SELECT local_orders('{"ConsistentRead": true, "Select": "COUNT"}');
SELECT api('PutItem', '{"Item": {"PK": {"S": "c2"}, "SK": {"S": "o5"}, "day": {"N": "0"}}}');
SELECT local_orders('{"ConsistentRead": true, "ProjectionExpression": "SK"}')::jsonb -> 'Items';

-- No such index, no such table, no such key.
SELECT api('Query', '{"IndexName": "none", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "c2"}}}');
SELECT api('Scan', '{"IndexName": "none", "ConsistentRead": true}');
SELECT api('Scan', '{"TableName": "api_index_none", "IndexName": "keys"}');
SELECT api('Query', '{"IndexName": "keys", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "c2"}}}');
SELECT open_orders('keys', '{"FilterExpression": "#s = :s"}');
SELECT open_orders('keys', '{"FilterExpression": "PK <> :s", "Select": "COUNT"}');
SELECT open_orders('keys', '{"FilterExpression": "note = :s"}');

-- Old parameters
SELECT api('Query', '{"IndexName": "keys", "KeyConditions": {"status": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "OPEN"}]}, "day": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "2"}]}}}')::jsonb -> 'Items';
SELECT api('Query', '{"IndexName": "keys", "KeyConditions": {"status": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "OPEN"}]}, "PK": {"ComparisonOperator": "GT", "AttributeValueList": [{"S": "2"}]}}}');
SELECT api('Query', '{"IndexName": "keys", "KeyConditions": {"status": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "OPEN"}]}}, "QueryFilter": {"day": {"ComparisonOperator": "NOT_NULL"}}}');

-- Start keys: exactly the attributes of both keys, of their types, where the request could have come.
CREATE FUNCTION start_at(members text, more jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT open_orders('keys', jsonb_build_object('ExclusiveStartKey', ('{' || members || '}')::jsonb, 'Select', 'COUNT') || more)
$$;
SELECT start_at('"PK": {"S": "x"}, "SK": {"S": "x"}, "status": {"S": "OPEN"}, "day": {"N": "1.5"}');
SELECT start_at('"PK": {"S": "x"}, "SK": {"S": "x"}, "status": {"S": "OPEN"}, "day": {"N": "1.5"}', '{"ScanIndexForward": false}');
SELECT start_at('');
SELECT start_at('"PK": {"S": "x"}, "SK": {"S": "x"}');
SELECT start_at('"status": {"S": "OPEN"}, "day": {"N": "1"}');
SELECT start_at('"PK": {"S": "x"}, "SK": {"S": "x"}, "status": {"S": "OPEN"}, "day": {"N": "1"}, "note": {"S": "n"}');
SELECT start_at('"PK": {"S": "x"}, "SK": {"S": "x"}, "status": {"S": "OPEN"}, "date": {"N": "1"}');
SELECT start_at('"PK": {"S": "x"}, "SK": {"S": "x"}, "status": {"S": "OPEN"}, "day": {"S": "1"}');
SELECT start_at('"PK": {"S": "x"}, "SK": {"S": "x"}, "status": {"N": "1"}, "day": {"N": "1"}');
SELECT start_at('"PK": {"S": "x"}, "SK": {"N": "1"}, "status": {"S": "OPEN"}, "day": {"N": "1"}');
SELECT start_at('"PK": {"S": "x"}, "SK": {"S": "x"}, "status": {"S": "SENT"}, "day": {"N": "1"}');
SELECT start_at('"PK": {"S": "x"}, "SK": {"S": "x"}, "status": {"S": "OPEN"}, "day": {"N": "1"}',
	'{"KeyConditionExpression": "#s = :s AND #d > :d", "ExpressionAttributeNames": {"#s": "status", "#d": "day"}, "ExpressionAttributeValues": {":s": {"S": "OPEN"}, ":d": {"N": "1"}}}');
SELECT start_at('"PK": {"S": "x"}, "SK": {"S": ""}, "status": {"S": "OPEN"}, "day": {"N": "1"}');
SELECT api('Scan', '{"IndexName": "keys", "ExclusiveStartKey": {"PK": {"S": "x"}, "SK": {"S": "x"}}}');
SELECT api('Scan', '{"IndexName": "full", "ExclusiveStartKey": {"PK": {"S": "x"}, "SK": {"N": "1"}}}');
SELECT count(*) FILTER (WHERE reply LIKE '%with correct Segment%'), count(*) FILTER (WHERE reply LIKE '%Count%')
FROM generate_series(0, 2) s, LATERAL (SELECT api('Scan', jsonb_build_object('IndexName', 'keys', 'TotalSegments', 3, 'Segment', s,
	'ExclusiveStartKey', '{"PK": {"S": "x"}, "SK": {"S": "x"}, "status": {"S": "OPEN"}, "day": {"N": "1"}}'::jsonb))) a(reply);

-- 1 MB ends a page, counted in what the index holds.
SELECT count(ddb.put_item('api_index', jsonb_build_object('PK', 'big', 'SK', 's' || i, 'status', 'BIG', 'day', i, 'filler', repeat('x', 300000)))) FROM generate_series(1, 5) i;
DO $$ BEGIN PERFORM ddb.run_maintenance(); END $$;
SELECT r -> 'Count', r -> 'LastEvaluatedKey' FROM (SELECT open_orders('keys', '{"ExpressionAttributeValues": {":s": {"S": "BIG"}}}')::jsonb) x(r);
SELECT r -> 'Count', r -> 'LastEvaluatedKey' FROM (SELECT api('Query', '{"IndexName": "local", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "big"}}}')::jsonb) x(r);
SELECT r -> 'Count', r -> 'LastEvaluatedKey' FROM (SELECT api('Query', '{"IndexName": "local", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "big"}}, "Select": "ALL_ATTRIBUTES"}')::jsonb) x(r);
DROP FUNCTION start_at, local_orders, open_orders, api;
DROP TABLE api_index;
