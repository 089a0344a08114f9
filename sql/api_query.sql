-- Query and Scan: pages, counts, keys, Select, segments
\pset format unaligned
\pset tuples_only on
SELECT ddb.create_table('api_query', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N');

CREATE FUNCTION api(operation text, request json) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN ddb.api(operation, request);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- collection "a" holds SK 1 .. 5, each with its number and whether it is even
SELECT count(ddb.api('PutItem', json_build_object('TableName', 'api_query', 'Item', json_build_object(
	'PK', json_build_object('S', 'a'), 'SK', json_build_object('N', i::text),
	'v', json_build_object('N', i::text), 'even', json_build_object('BOOL', i % 2 = 0)))))
FROM generate_series(1, 5) i;

-- A query of collection "a" with more members.
CREATE FUNCTION query_a(members json) RETURNS text LANGUAGE sql AS $$
	SELECT api('Query', (jsonb '{"TableName": "api_query", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "a"}}}'
		|| members::jsonb)::json)
$$;

SELECT query_a('{}');
SELECT query_a('{"ScanIndexForward": false, "ProjectionExpression": "SK"}');
SELECT query_a('{"ExpressionAttributeValues": {":p": {"S": "nobody"}}}');

--
-- Limit and the filter: counted before it, and a key even with nothing behind
--
SELECT query_a('{"Limit": 2, "ProjectionExpression": "v"}');
SELECT query_a('{"Limit": 2, "ProjectionExpression": "v", "ExclusiveStartKey": {"PK": {"S": "a"}, "SK": {"N": "2"}}}');
SELECT query_a('{"Limit": 2, "ProjectionExpression": "v", "ExclusiveStartKey": {"PK": {"S": "a"}, "SK": {"N": "4"}}}');
SELECT query_a('{"Limit": 5, "ProjectionExpression": "v"}');
SELECT query_a('{"Limit": 6, "ProjectionExpression": "v"}');
SELECT query_a('{"Limit": 3, "FilterExpression": "even = :e", "ProjectionExpression": "v", "ExpressionAttributeValues": {":p": {"S": "a"}, ":e": {"BOOL": true}}}');
SELECT query_a('{"Limit": 1, "FilterExpression": "even = :e", "ProjectionExpression": "v", "ExpressionAttributeValues": {":p": {"S": "a"}, ":e": {"BOOL": true}}}');
-- backward, from a key that does not exist
SELECT query_a('{"Limit": 2, "ScanIndexForward": false, "ProjectionExpression": "SK", "ExclusiveStartKey": {"PK": {"S": "a"}, "SK": {"N": "3.5"}}}');
SELECT query_a('{"KeyConditionExpression": "PK = :p AND SK BETWEEN :x AND :y", "ProjectionExpression": "SK",
	"ExpressionAttributeValues": {":p": {"S": "a"}, ":x": {"N": "2"}, ":y": {"N": "3"}}}');

--
-- Select
--
SELECT query_a('{"Select": "COUNT"}');
SELECT query_a('{"Select": "COUNT", "Limit": 2}');
SELECT query_a('{"Select": "COUNT", "FilterExpression": "v > :v", "ExpressionAttributeValues": {":p": {"S": "a"}, ":v": {"N": "3"}}}');
SELECT query_a('{"Select": "ALL_ATTRIBUTES", "Limit": 1}');
SELECT query_a('{"Select": "SPECIFIC_ATTRIBUTES", "Limit": 1, "ProjectionExpression": "SK"}');
SELECT query_a('{"Select": "SPECIFIC_ATTRIBUTES"}');
SELECT query_a('{"Select": "ALL_ATTRIBUTES", "ProjectionExpression": "SK"}');
SELECT query_a('{"Select": "COUNT", "ProjectionExpression": "SK"}');
SELECT query_a('{"Select": "ALL_PROJECTED_ATTRIBUTES"}');
SELECT query_a('{"Select": "ALL_PROJECTED_ATTRIBUTES", "ProjectionExpression": "SK"}');
SELECT query_a('{"IndexName": "by-v"}');

--
-- What a start key must be
--
SELECT query_a('{"ExclusiveStartKey": {"PK": {"S": "a"}}}');
SELECT query_a('{"ExclusiveStartKey": {"PK": {"S": "a"}, "SK": {"S": "1"}}}');
SELECT query_a('{"ExclusiveStartKey": {"PK": {"S": "a"}, "SK": {"N": "1"}, "v": {"N": "1"}}}');
SELECT query_a('{"ExclusiveStartKey": {"PK": {"S": "b"}, "SK": {"N": "1"}}}');
SELECT query_a('{"KeyConditionExpression": "PK = :p AND SK > :s", "ExpressionAttributeValues": {":p": {"S": "a"}, ":s": {"N": "3"}},
	"ExclusiveStartKey": {"PK": {"S": "a"}, "SK": {"N": "2"}}}');
SELECT api('Query', '{"TableName": "api_query"}');
SELECT api('Query', '{"TableName": "api_query", "KeyConditionExpression": ""}');

--
-- Scan
--
SELECT api('Scan', '{"TableName": "api_query", "ProjectionExpression": "SK"}');
SELECT api('Scan', '{"TableName": "api_query", "Select": "COUNT", "FilterExpression": "SK < :s", "ExpressionAttributeValues": {":s": {"N": "3"}}}');
SELECT api('Scan', '{"TableName": "api_query", "Limit": 4, "ProjectionExpression": "SK"}');
SELECT api('Scan', '{"TableName": "api_query", "Limit": 4, "ProjectionExpression": "SK", "ExclusiveStartKey": {"PK": {"S": "a"}, "SK": {"N": "4"}}}');
SELECT api('Scan', '{"TableName": "api_query", "Segment": 0}');
SELECT api('Scan', '{"TableName": "api_query", "TotalSegments": 4}');
SELECT api('Scan', '{"TableName": "api_query", "Segment": 5, "TotalSegments": 5}');
SELECT api('Scan', '{"TableName": "api_query", "Segment": 0, "TotalSegments": 1, "Select": "COUNT"}');
SELECT api('Scan', '{"TableName": "api_query", "Select": "COUNT", "ProjectionExpression": "SK"}');
-- 200 collections of one: four segments hold each item exactly once
SELECT count(ddb.api('PutItem', json_build_object('TableName', 'api_query', 'Item', json_build_object(
	'PK', json_build_object('S', 'many' || i), 'SK', json_build_object('N', '0')))))
FROM generate_series(1, 200) i;
SELECT count(*), count(DISTINCT item), min(items) > 20 FROM (
	SELECT json_array_elements(reply -> 'Items')::text AS item, json_array_length(reply -> 'Items') AS items
	FROM (SELECT ddb.api('Scan', json_build_object('TableName', 'api_query', 'TotalSegments', 4, 'Segment', s)) AS reply
		FROM generate_series(0, 3) s) r) i;
-- a start key of another segment: one of two fails
SELECT count(*) FROM generate_series(0, 1) s WHERE api('Scan', json_build_object('TableName', 'api_query', 'TotalSegments', 2, 'Segment', s,
	'ExclusiveStartKey', '{"PK": {"S": "a"}, "SK": {"N": "1"}}'::json)) LIKE 'YD001 The provided starting key is invalid%';

-- walking by pages, a page's last key being the next one's start, meets everything; the last page may be empty
CREATE FUNCTION walk(page int) RETURNS TABLE (pages bigint, items bigint, different bigint) LANGUAGE sql AS $$
	WITH RECURSIVE p(n, reply) AS (
		SELECT 1, ddb.api('Scan', json_build_object('TableName', 'api_query', 'Limit', page))
		UNION ALL
		SELECT n + 1, ddb.api('Scan', json_build_object('TableName', 'api_query', 'Limit', page, 'ExclusiveStartKey', reply -> 'LastEvaluatedKey'))
		FROM p WHERE reply -> 'LastEvaluatedKey' IS NOT NULL)
	SELECT max(n), count(i::text), count(DISTINCT i::text) FROM p LEFT JOIN LATERAL json_array_elements(reply -> 'Items') i ON true
$$;
SELECT * FROM walk(7);
SELECT * FROM walk(205);

--
-- A page ends with the item that reaches 1 MB: 60 KB items, the eighteenth crosses it
--
SELECT count(ddb.api('PutItem', json_build_object('TableName', 'api_query', 'Item', json_build_object(
	'PK', json_build_object('S', 'big'), 'SK', json_build_object('N', i::text), 'pad', json_build_object('S', repeat('x', 60000))))))
FROM generate_series(1, 20) i;
SELECT r ->> 'Count', r ->> 'ScannedCount', json_array_length(r -> 'Items'), r -> 'LastEvaluatedKey'
FROM ddb.api('Query', '{"TableName": "api_query", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "big"}}}') r;
SELECT api('Query', '{"TableName": "api_query", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "big"}}, "Select": "COUNT"}');
SELECT api('Query', '{"TableName": "api_query", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "big"}}, "Select": "COUNT",
	"ExclusiveStartKey": {"PK": {"S": "big"}, "SK": {"N": "18"}}}');

DROP FUNCTION walk, query_a, api;
DROP TABLE api_query;
