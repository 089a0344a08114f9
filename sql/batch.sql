-- Batches: the API's RequestItems, word for word.
SELECT ddb.create_table('b1', 'PK', 'SK');
SELECT ddb.create_table('b2', 'id');

SELECT ddb.batch_write_item('{
	"b1": [{"PutRequest": {"Item": {"PK": {"S": "a"}, "SK": {"S": "1"}, "v": {"N": "1"}}}},
		{"PutRequest": {"Item": {"PK": {"S": "a"}, "SK": {"S": "2"}, "v": {"SS": ["x"]}}}}],
	"b2": [{"PutRequest": {"Item": {"id": {"S": "a"}, "v": {"BOOL": true}}}}]}');
SELECT ddb.batch_write_item('{
	"b1": [{"DeleteRequest": {"Key": {"PK": {"S": "a"}, "SK": {"S": "1"}}}},
		{"DeleteRequest": {"Key": {"PK": {"S": "a"}, "SK": {"S": "never"}}}},
		{"PutRequest": {"Item": {"PK": {"S": "a"}, "SK": {"S": "3"}}}}]}');
SELECT * FROM ddb.batch_get_item('{
	"b2": {"Keys": [{"id": {"S": "a"}}, {"id": {"S": "none"}}]},
	"b1": {"Keys": [{"PK": {"S": "a"}, "SK": {"S": "3"}}, {"PK": {"S": "a"}, "SK": {"S": "1"}}, {"PK": {"S": "a"}, "SK": {"S": "2"}}]}}');
SELECT * FROM ddb.batch_get_item('{"b1": {"Keys": [{"PK": {"S": "a"}, "SK": {"S": "2"}}],
	"ProjectionExpression": "#v, PK", "ExpressionAttributeNames": {"#v": "v"}}}');

-- All or nothing is checked before the first write.
SELECT ddb.batch_write_item('{"b2": [{"PutRequest": {"Item": {"id": {"S": "new"}}}}, {"PutRequest": {"Item": {"id": {"S": ""}}}}]}');
SELECT ddb.batch_write_item('{"b2": [{"PutRequest": {"Item": {"id": {"S": "new"}}}}, {"PutRequest": {"Item": {"other": {"S": "x"}}}}]}');
SELECT ddb.batch_write_item('{"b2": [{"PutRequest": {"Item": {"id": {"S": "new"}}}}], "b3": [{"PutRequest": {"Item": {"id": {"S": "x"}}}}]}');
SELECT ddb.batch_write_item('{"b2": [{"PutRequest": {"Item": {"id": {"S": "new"}}}}, {"DeleteRequest": {"Key": {"id": {"S": "new"}}}}]}');
SELECT ddb.get_item('b2', 'new') IS NULL AS untouched;
-- Equal keys in two tables are no duplicates, nor are equal numbers written differently two keys.
SELECT ddb.create_table('b_num', 'n', partition_key_type => 'N');
SELECT ddb.batch_write_item('{"b_num": [{"PutRequest": {"Item": {"n": {"N": "1"}}}}, {"PutRequest": {"Item": {"n": {"N": "1.0"}}}}]}');
SELECT * FROM ddb.batch_get_item('{"b2": {"Keys": [{"id": {"S": "a"}}, {"id": {"S": "a"}}]}}');

-- Limits: 25 writes, 100 reads, over all tables together.
SELECT ddb.batch_write_item(json_build_object(
	'b1', (SELECT json_agg(json_build_object('PutRequest', json_build_object('Item', json_build_object(
		'PK', json_build_object('S', 'l'), 'SK', json_build_object('S', 'k' || i))))) FROM generate_series(1, n1) i),
	'b2', (SELECT json_agg(json_build_object('PutRequest', json_build_object('Item', json_build_object(
		'id', json_build_object('S', 'k' || i))))) FROM generate_series(1, 12) i))) FROM (VALUES (13)) v(n1);
SELECT ddb.batch_write_item(json_build_object(
	'b2', (SELECT json_agg(json_build_object('DeleteRequest', json_build_object('Key', json_build_object(
		'id', json_build_object('S', 'k' || i))))) FROM generate_series(1, 26) i)));
SELECT count(*) FROM ddb.batch_get_item(json_build_object('b2', json_build_object('Keys',
	(SELECT json_agg(json_build_object('id', json_build_object('S', 'k' || i))) FROM generate_series(1, 100) i))));
SELECT count(*) FROM ddb.batch_get_item(json_build_object('b2', json_build_object('Keys',
	(SELECT json_agg(json_build_object('id', json_build_object('S', 'k' || i))) FROM generate_series(1, 101) i))));
-- In SQL nothing is left unprocessed: more than 16 MB come back.
SELECT count(ddb.put_item('b2', jsonb_build_object('id', 'm' || i, 'v', repeat('x', 400000)))) FROM generate_series(1, 45) i;
SELECT count(*), sum(length(item ->> 'v')) FROM ddb.batch_get_item(json_build_object('b2', json_build_object('Keys',
	(SELECT json_agg(json_build_object('id', json_build_object('S', 'm' || i))) FROM generate_series(1, 45) i))));

-- Requests that are none.
SELECT ddb.batch_write_item('[]');
SELECT ddb.batch_write_item('{"b2": {}}');
SELECT ddb.batch_write_item('{"b2": [{}]}');
SELECT ddb.batch_write_item('{"b2": [{"PutRequest": {"Item": {"id": {"S": "x"}}}, "DeleteRequest": {"Key": {"id": {"S": "x"}}}}]}');
SELECT ddb.batch_write_item('{"b2": [{"PutRequest": {}}]}');
SELECT ddb.batch_write_item('{"b2": [{"PutRequest": {"Item": {"id": "x"}}}]}');
SELECT * FROM ddb.batch_get_item('{"b2": []}');
SELECT * FROM ddb.batch_get_item('{"b2": {}}');
SELECT * FROM ddb.batch_get_item('{"b2": {"Keys": [{"id": {"N": "1"}}]}}');
SELECT * FROM ddb.batch_get_item('{"b2": {"Keys": [{"id": {"S": "1"}, "x": {"S": "1"}}]}}');

DROP TABLE b1, b2, b_num;
