-- BatchGetItem, BatchWriteItem
\pset format unaligned
\pset tuples_only on
SELECT ddb.create_table('api_one', partition_key => 'id');
SELECT ddb.create_table('api_two', partition_key => 'PK', sort_key => 'SK');

CREATE FUNCTION api(operation text, request json) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN ddb.api(operation, request);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

--
-- Writes to two tables, and what is read of them
--
SELECT api('BatchWriteItem', '{"RequestItems": {
	"api_one": [{"PutRequest": {"Item": {"id": {"S": "x"}, "n": {"N": "1"}}}}, {"PutRequest": {"Item": {"id": {"S": "y"}}}}],
	"api_two": [{"PutRequest": {"Item": {"PK": {"S": "x"}, "SK": {"S": "y"}, "l": {"L": []}}}}]},
	"ReturnConsumedCapacity": "INDEXES", "ReturnItemCollectionMetrics": "SIZE"}');
SELECT api('BatchGetItem', '{"RequestItems": {
	"api_two": {"Keys": [{"PK": {"S": "x"}, "SK": {"S": "y"}}]},
	"api_one": {"Keys": [{"id": {"S": "y"}}, {"id": {"S": "nothing"}}, {"id": {"S": "x"}}], "ConsistentRead": true}}}');
SELECT api('BatchGetItem', '{"RequestItems": {
	"api_one": {"Keys": [{"id": {"S": "x"}}], "ProjectionExpression": "#n", "ExpressionAttributeNames": {"#n": "n"}},
	"api_two": {"Keys": [{"PK": {"S": "x"}, "SK": {"S": "z"}}]}}}');
-- by ARN: the reply names the table as the request did
SELECT api('BatchGetItem', '{"RequestItems": {"arn:aws:dynamodb:x:1:table/api_one": {"Keys": [{"id": {"S": "y"}}]}}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"api_one": [{"DeleteRequest": {"Key": {"id": {"S": "y"}}}},
	{"DeleteRequest": {"Key": {"id": {"S": "nothing"}}}}, {"PutRequest": {"Item": {"id": {"S": "z"}}}}]}}');
SELECT api('Scan', '{"TableName": "api_one", "Select": "COUNT"}');

--
-- One key twice is an error, equal keys in two tables are not
--
SELECT api('BatchGetItem', '{"RequestItems": {"api_one": {"Keys": [{"id": {"S": "x"}}, {"id": {"S": "x"}}]}}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"api_one": [{"PutRequest": {"Item": {"id": {"S": "q"}, "n": {"N": "1"}}}}, {"DeleteRequest": {"Key": {"id": {"S": "q"}}}}]}}');
-- also when the table is named twice
SELECT api('BatchGetItem', '{"RequestItems": {"api_one": {"Keys": [{"id": {"S": "x"}}]}, "arn:aws:dynamodb:x:1:table/api_one": {"Keys": [{"id": {"S": "x"}}]}}}');

--
-- Everything is checked before anything is written
--
SELECT api('BatchWriteItem', '{"RequestItems": {"api_one": [{"PutRequest": {"Item": {"id": {"S": "q"}}}}, {"PutRequest": {"Item": {"id": {"N": "1"}}}}]}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"api_one": [{"PutRequest": {"Item": {"id": {"S": "q"}}}}, {"PutRequest": {"Item": {"id": {"S": ""}}}}]}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"api_one": [{"PutRequest": {"Item": {"id": {"S": "q"}}}}, {"DeleteRequest": {"Key": {}}}]}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"api_one": [{"PutRequest": {"Item": {"id": {"S": "q"}}}}], "nowhere": [{"DeleteRequest": {"Key": {"id": {"S": "q"}}}}]}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"api_one": [{"PutRequest": {"Item": {"id": {"S": "q"}}}, "DeleteRequest": {"Key": {"id": {"S": "r"}}}}]}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"api_one": [{"PutRequest": {"Item": {"id": {"S": "q"}}}}, {}]}}');
SELECT api('GetItem', '{"TableName": "api_one", "Key": {"id": {"S": "q"}}}');
SELECT api('BatchGetItem', '{"RequestItems": {"nowhere": {"Keys": [{"id": {"S": "q"}}]}}}');
SELECT api('BatchGetItem', '{"RequestItems": {"api_two": {"Keys": [{"PK": {"S": "x"}}]}}}');
SELECT api('BatchGetItem', '{"RequestItems": {"api_one": {"Keys": [{"id": {"S": "x"}}], "ProjectionExpression": ""}}}');
SELECT api('BatchGetItem', '{"RequestItems": {"api_one": {"Keys": [{"id": {"S": "x"}}], "ExpressionAttributeNames": {"#n": "n"}}}}');

--
-- Counts: 25 writes, 100 reads, over all tables together
--
CREATE FUNCTION requests(n int, prefix text) RETURNS json LANGUAGE sql AS $$
	SELECT json_agg(json_build_object('PutRequest', json_build_object('Item', json_build_object('id', json_build_object('S', prefix || i)))))
	FROM generate_series(1, n) i
$$;
CREATE FUNCTION keys(n int, prefix text) RETURNS json LANGUAGE sql AS $$
	SELECT json_agg(json_build_object('id', json_build_object('S', prefix || i))) FROM generate_series(1, n) i
$$;
SELECT api('BatchWriteItem', json_build_object('RequestItems', json_build_object('api_one', requests(25, 'k'))));
SELECT api('BatchWriteItem', json_build_object('RequestItems', json_build_object('api_one', requests(25, 'k'),
	'api_two', '[{"DeleteRequest": {"Key": {"PK": {"S": "x"}, "SK": {"S": "z"}}}}]'::json)));
SELECT json_array_length(ddb.api('BatchGetItem', json_build_object('RequestItems', json_build_object('api_one', json_build_object('Keys', keys(100, 'k'))))) -> 'Responses' -> 'api_one');
SELECT api('BatchGetItem', json_build_object('RequestItems', json_build_object('api_one', json_build_object('Keys', keys(100, 'k')),
	'api_two', '{"Keys": [{"PK": {"S": "x"}, "SK": {"S": "z"}}]}'::json)));
SELECT right(api('BatchGetItem', json_build_object('RequestItems', json_build_object('api_one', json_build_object('Keys', keys(101, 'k'))))), 130);

--
-- 16 MB: of 60 items of 300 KB the first 54 fit, the others come back as they were asked for
--
SELECT count(ddb.api('PutItem', json_build_object('TableName', 'api_one', 'Item', json_build_object(
	'id', json_build_object('S', 'big' || i), 'pad', json_build_object('S', repeat('x', 307200 - 30))))))
FROM generate_series(1, 60) i;
SELECT json_array_length(r -> 'Responses' -> 'api_one'), json_array_length(r -> 'UnprocessedKeys' -> 'api_one' -> 'Keys'),
	r -> 'UnprocessedKeys' -> 'api_one' -> 'ProjectionExpression', r -> 'UnprocessedKeys' -> 'api_one' -> 'Keys' -> 0, r -> 'Responses' -> 'api_one' -> 53
FROM ddb.api('BatchGetItem', json_build_object('RequestItems', json_build_object('api_one',
	json_build_object('ProjectionExpression', 'id', 'Keys', keys(60, 'big'), 'ConsistentRead', null)))) r;

DROP FUNCTION requests, keys, api;
DROP TABLE api_one, api_two;
