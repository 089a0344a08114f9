-- Transactions: TransactItems word for word, a reason for every action.
SELECT ddb.create_table('tr', 'PK', 'SK');
SELECT ddb.create_table('tr2', 'id');
SELECT ddb.put_item('tr', '{"PK": "SKU#KB", "SK": "STOCK", "qty": 10}'), ddb.put_item('tr', '{"PK": "c1", "SK": "PROFILE"}');

-- All four actions, over two tables.
SELECT ddb.transact_write_items('[
	{"Update": {"TableName": "tr", "Key": {"PK": {"S": "SKU#KB"}, "SK": {"S": "STOCK"}},
		"UpdateExpression": "SET qty = qty - :n", "ConditionExpression": "qty >= :n", "ExpressionAttributeValues": {":n": {"N": "3"}}}},
	{"Put": {"TableName": "tr", "Item": {"PK": {"S": "c1"}, "SK": {"S": "ORDER#1"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
	{"ConditionCheck": {"TableName": "tr", "Key": {"PK": {"S": "c1"}, "SK": {"S": "PROFILE"}}, "ConditionExpression": "attribute_exists(PK)"}},
	{"Delete": {"TableName": "tr2", "Key": {"id": {"S": "cart"}}}},
	{"Put": {"TableName": "tr2", "Item": {"id": {"S": "o1"}}}}]');
SELECT ddb.full_item(t)::jsonb FROM tr t ORDER BY pk COLLATE "C", sk;
SELECT * FROM tr2;

-- One false condition stops all, and says so for each; with the item if asked.
SELECT ddb.transact_write_items('[
	{"Put": {"TableName": "tr2", "Item": {"id": {"S": "o2"}}}},
	{"Update": {"TableName": "tr", "Key": {"PK": {"S": "SKU#KB"}, "SK": {"S": "STOCK"}},
		"UpdateExpression": "SET qty = qty - :n", "ConditionExpression": "qty >= :n", "ExpressionAttributeValues": {":n": {"N": "30"}},
		"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
	{"Put": {"TableName": "tr", "Item": {"PK": {"S": "c1"}, "SK": {"S": "ORDER#1"}}, "ConditionExpression": "attribute_not_exists(PK)"}}]');
SELECT ddb.get_item('tr2', 'o2') IS NULL AS nothing_written;

-- What is wrong with one action alone is its reason.
SELECT ddb.transact_write_items('[
	{"Put": {"TableName": "tr2", "Item": {"id": {"S": "o2"}}}},
	{"Put": {"TableName": "tr2", "Item": {"id": {"S": ""}}}},
	{"Delete": {"TableName": "tr", "Key": {"PK": {"S": "x"}}}}]');
SELECT ddb.transact_write_items('[
	{"Update": {"TableName": "tr", "Key": {"PK": {"S": "c1"}, "SK": {"S": "PROFILE"}}, "UpdateExpression": "SET a = nowhere"}},
	{"ConditionCheck": {"TableName": "tr", "Key": {"PK": {"S": "c1"}, "SK": {"S": "none"}}, "ConditionExpression": "attribute_exists(PK)",
		"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
	{"Delete": {"TableName": "tr2", "Key": {"id": {"S": "o1"}}}}]');
SELECT ddb.get_item('tr2', 'o1') IS NOT NULL AS still_there;

-- What is wrong with the request is an error of its own.
SELECT ddb.transact_write_items('[
	{"Put": {"TableName": "tr2", "Item": {"id": {"S": "o2"}}}},
	{"Delete": {"TableName": "tr2", "Key": {"id": {"S": "o2"}}}}]');
SELECT ddb.transact_write_items('[{"Put": {"TableName": "tr3", "Item": {"id": {"S": "o2"}}}}]');
SELECT ddb.transact_write_items('[{"Put": {"TableName": "tr2", "Item": {"id": {"S": "o2"}}, "ConditionExpression": "attribute_exists("}}]');
SELECT ddb.transact_write_items('[]');
SELECT ddb.transact_write_items('{}');
SELECT ddb.transact_write_items('[{}]');
SELECT ddb.transact_write_items(NULL);
SELECT ddb.transact_write_items('[{"Put": {"TableName": "tr2", "Item": {"id": {"S": "a"}}}, "Delete": {"TableName": "tr2", "Key": {"id": {"S": "b"}}}}]');
SELECT ddb.transact_write_items('[{"Put": {"TableName": "tr2"}}]');
SELECT ddb.transact_write_items('[{"Put": {"Item": {"id": {"S": "a"}}}}]');
SELECT ddb.transact_write_items('[{"Update": {"TableName": "tr2", "Key": {"id": {"S": "a"}}}}]');
SELECT ddb.transact_write_items('[{"ConditionCheck": {"TableName": "tr2", "Key": {"id": {"S": "a"}}}}]');
SELECT ddb.transact_write_items('[{"Put": {"TableName": 1, "Item": {"id": {"S": "a"}}}}]');
SELECT ddb.transact_write_items((SELECT json_agg(json_build_object('Put', json_build_object('TableName', 'tr2',
	'Item', json_build_object('id', json_build_object('S', 'n' || i))))) FROM generate_series(1, 101) i));
SELECT ddb.transact_write_items((SELECT json_agg(json_build_object('Put', json_build_object('TableName', 'tr2',
	'Item', json_build_object('id', json_build_object('S', 'n' || i))))) FROM generate_series(1, 100) i));
SELECT count(*) FROM tr2 WHERE pk LIKE 'n%';
SELECT ddb.transact_write_items((SELECT json_agg(json_build_object('Put', json_build_object('TableName', 'tr2',
	'Item', json_build_object('id', json_build_object('S', 'n' || i), 'v', json_build_object('S', repeat('x', 399000)))))) FROM generate_series(1, 11) i));
SELECT ddb.transact_write_items((SELECT json_agg(json_build_object('Update', json_build_object('TableName', 'tr2',
	'Key', json_build_object('id', json_build_object('S', 'n' || i)), 'UpdateExpression', 'SET v = :v',
	'ExpressionAttributeValues', json_build_object(':v', json_build_object('S', repeat('x', 399000)))))) FROM generate_series(1, 11) i));

-- ClientRequestToken: done once, compared by meaning.
SELECT ddb.transact_write_items('[{"Update": {"TableName": "tr2", "Key": {"id": {"S": "count"}},
	"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}}]', client_token => 'token-1');
SELECT ddb.transact_write_items('[ {"Update": {"Key": {"id": {"S": "count"}}, "TableName": "tr2",
	"ExpressionAttributeValues": {":one": {"N": "1.00"}}, "UpdateExpression": "ADD n :one"}} ]', client_token => 'token-1');
SELECT ddb.get_item('tr2', 'count') ->> 'n' AS n;
SELECT ddb.transact_write_items('[{"Update": {"TableName": "tr2", "Key": {"id": {"S": "count"}},
	"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "2"}}}}]', client_token => 'token-1');
-- A token is rolled back with its transaction, and whatever failed may be tried again.
BEGIN;
SELECT ddb.transact_write_items('[{"Put": {"TableName": "tr2", "Item": {"id": {"S": "rolled"}}}}]', client_token => 'token-2');
ROLLBACK;
SELECT ddb.transact_write_items('[{"Put": {"TableName": "tr2", "Item": {"id": {"S": "rolled"}}}}]', client_token => 'token-2');
SELECT ddb.transact_write_items('[{"ConditionCheck": {"TableName": "tr2", "Key": {"id": {"S": "later"}}, "ConditionExpression": "attribute_exists(id)"}}]', client_token => 'token-3');
SELECT ddb.put_item('tr2', '{"id": "later"}');
SELECT ddb.transact_write_items('[{"ConditionCheck": {"TableName": "tr2", "Key": {"id": {"S": "later"}}, "ConditionExpression": "attribute_exists(id)"}}]', client_token => 'token-3');
-- It is good for ten minutes, and old ones are taken away.
UPDATE ddb.transaction_tokens SET claimed = claimed - interval '9 minutes';
SELECT ddb.transact_write_items('[{"Put": {"TableName": "tr2", "Item": {"id": {"S": "rolled"}}}}]', client_token => 'token-2');
UPDATE ddb.transaction_tokens SET claimed = claimed - interval '2 minutes';
SELECT ddb.transact_write_items('[{"Put": {"TableName": "tr2", "Item": {"id": {"S": "rolled"}}}}]', client_token => 'token-2');
SELECT count(*) FROM ddb.transaction_tokens;
SELECT ddb.transact_write_items('[{"Put": {"TableName": "tr2", "Item": {"id": {"S": "a"}}}}]', client_token => '');
SELECT ddb.transact_write_items('[{"Put": {"TableName": "tr2", "Item": {"id": {"S": "a"}}}}]', client_token => repeat('x', 37));
TRUNCATE ddb.transaction_tokens;

-- Together with plain SQL, and undone together.
CREATE TABLE tr_invoices (order_id text PRIMARY KEY, amount numeric);
BEGIN;
INSERT INTO tr_invoices VALUES ('o9', 59);
SELECT ddb.transact_write_items('[{"Put": {"TableName": "tr2", "Item": {"id": {"S": "o9"}}}},
	{"ConditionCheck": {"TableName": "tr", "Key": {"PK": {"S": "c1"}, "SK": {"S": "PROFILE"}}, "ConditionExpression": "attribute_exists(PK)"}}]');
SELECT t.pk, i.amount FROM tr2 t JOIN tr_invoices i ON i.order_id = t.pk;
ROLLBACK;
SELECT count(*) FROM tr2 t JOIN tr_invoices i ON i.order_id = t.pk;

-- Reading several at one moment.
SELECT i::jsonb FROM ddb.transact_get_items('[
	{"Get": {"TableName": "tr2", "Key": {"id": {"S": "count"}}}},
	{"Get": {"TableName": "tr2", "Key": {"id": {"S": "none"}}}},
	{"Get": {"TableName": "tr", "Key": {"PK": {"S": "SKU#KB"}, "SK": {"S": "STOCK"}}, "ProjectionExpression": "#q", "ExpressionAttributeNames": {"#q": "qty"}}}]') i;
SELECT * FROM ddb.transact_get_items('[{"Get": {"TableName": "tr2", "Key": {"id": {"S": "a"}}}}, {"Get": {"TableName": "tr2", "Key": {"id": {"N": "1"}}}}]');
SELECT * FROM ddb.transact_get_items('[{"Get": {"TableName": "tr2", "Key": {"id": {"S": "a"}}}}, {"Get": {"TableName": "tr2", "Key": {"id": {"S": "a"}}}}]');
SELECT * FROM ddb.transact_get_items('[]');
SELECT * FROM ddb.transact_get_items('[{"Put": {}}]');

DROP TABLE tr, tr2, tr_invoices;
