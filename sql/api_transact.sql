-- TransactWriteItems, TransactGetItems
\pset format unaligned
\pset tuples_only on
SELECT ddb.create_table('api_stock', partition_key => 'sku');
SELECT ddb.create_table('api_order', partition_key => 'PK', sort_key => 'SK');

-- The reply, or the failure with its reply body.
CREATE FUNCTION api(operation text, request json) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	body text;
BEGIN
	RETURN ddb.api(operation, request);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS body = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ' ' || body;
END $$;

--
-- All four actions, over two tables
--
SELECT api('TransactWriteItems', '{"TransactItems": [
	{"Put": {"TableName": "api_stock", "Item": {"sku": {"S": "kb"}, "qty": {"N": "3"}}}},
	{"Put": {"TableName": "api_stock", "Item": {"sku": {"S": "old"}}}},
	{"Put": {"TableName": "api_order", "Item": {"PK": {"S": "c1"}, "SK": {"S": "PROFILE"}}, "ConditionExpression": "attribute_not_exists(PK)"}}]}');
SELECT api('TransactWriteItems', '{"TransactItems": [
	{"ConditionCheck": {"TableName": "api_order", "Key": {"PK": {"S": "c1"}, "SK": {"S": "PROFILE"}}, "ConditionExpression": "attribute_exists(PK)"}},
	{"Update": {"TableName": "api_stock", "Key": {"sku": {"S": "kb"}}, "UpdateExpression": "SET qty = qty - :n",
		"ConditionExpression": "qty >= :n", "ExpressionAttributeValues": {":n": {"N": "2"}}}},
	{"Put": {"TableName": "api_order", "Item": {"PK": {"S": "c1"}, "SK": {"S": "ORDER#1"}, "qty": {"N": "2"}}}},
	{"Delete": {"TableName": "api_stock", "Key": {"sku": {"S": "old"}}}}],
	"ReturnConsumedCapacity": "TOTAL", "ReturnItemCollectionMetrics": "SIZE"}');
SELECT api('TransactGetItems', '{"TransactItems": [
	{"Get": {"TableName": "api_stock", "Key": {"sku": {"S": "kb"}}}},
	{"Get": {"TableName": "api_stock", "Key": {"sku": {"S": "old"}}}},
	{"Get": {"TableName": "api_order", "Key": {"PK": {"S": "c1"}, "SK": {"S": "ORDER#1"}}, "ProjectionExpression": "#q", "ExpressionAttributeNames": {"#q": "qty"}}}]}');

--
-- A reason for each action, in order; nothing is written
--
SELECT api('TransactWriteItems', '{"TransactItems": [
	{"Put": {"TableName": "api_order", "Item": {"PK": {"S": "c1"}, "SK": {"S": "ORDER#2"}}}},
	{"Update": {"TableName": "api_stock", "Key": {"sku": {"S": "kb"}}, "UpdateExpression": "SET qty = qty - :n",
		"ConditionExpression": "qty >= :n", "ExpressionAttributeValues": {":n": {"N": "2"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
	{"ConditionCheck": {"TableName": "api_stock", "Key": {"sku": {"S": "none"}}, "ConditionExpression": "attribute_exists(sku)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
	{"Delete": {"TableName": "api_stock", "Key": {"sku": {"S": "gone"}}}}]}');
SELECT api('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "api_order", "Key": {"PK": {"S": "c1"}, "SK": {"S": "ORDER#2"}}}}]}');
-- what is wrong with one entry alone is its reason
SELECT api('TransactWriteItems', '{"TransactItems": [
	{"Put": {"TableName": "api_stock", "Item": {"sku": {"S": "a"}}}},
	{"Update": {"TableName": "api_order", "Key": {"PK": {"S": "c1"}}, "UpdateExpression": "SET a = :a", "ExpressionAttributeValues": {":a": {"N": "1"}}}}]}');
SELECT api('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "api_stock", "Key": {}}}, {"Get": {"TableName": "api_stock", "Key": {"sku": {"S": "kb"}}}}]}');
SELECT api('TransactWriteItems', '{"TransactItems": [
	{"Update": {"TableName": "api_order", "Key": {"PK": {"S": "c1"}, "SK": {"S": "ORDER#1"}}, "UpdateExpression": "SET qty = qty + :a", "ExpressionAttributeValues": {":a": {"N": "1"}}}},
	{"Update": {"TableName": "api_order", "Key": {"PK": {"S": "c1"}, "SK": {"S": "PROFILE"}}, "UpdateExpression": "SET qty = qty + :a", "ExpressionAttributeValues": {":a": {"N": "1"}}}}]}');
-- what is wrong with the request is not
SELECT api('TransactWriteItems', '{"TransactItems": [
	{"Update": {"TableName": "api_order", "Key": {"PK": {"S": "c1"}, "SK": {"S": "ORDER#1"}}, "UpdateExpression": "SET qty = qty + :a", "ExpressionAttributeValues": {":a": {"S": "1"}}}}]}');
SELECT api('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "nowhere", "Item": {"sku": {"S": "a"}}}}]}');
SELECT api('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "nowhere", "Key": {"sku": {"S": "a"}}}}]}');
SELECT api('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "api_stock", "Item": {"sku": {"S": "a"}}}}, {"Delete": {"TableName": "api_stock", "Key": {"sku": {"S": "a"}}}}]}');
SELECT api('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "api_stock", "Key": {"sku": {"S": "a"}}}}, {"Get": {"TableName": "api_stock", "Key": {"sku": {"S": "a"}}}}]}');
SELECT api('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "api_stock", "Item": {"sku": {"S": "a"}}}, "Delete": {"TableName": "api_stock", "Key": {"sku": {"S": "b"}}}}]}');
SELECT api('TransactWriteItems', '{"TransactItems": [{}]}');
SELECT api('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "api_stock", "Item": {"sku": {"S": "a"}}, "ConditionExpression": "a ="}}]}');
SELECT api('Scan', '{"TableName": "api_stock"}');

--
-- The token
--
SELECT api('TransactWriteItems', '{"ClientRequestToken": "api-token-1", "TransactItems": [
	{"Update": {"TableName": "api_stock", "Key": {"sku": {"S": "kb"}}, "UpdateExpression": "ADD qty :n", "ExpressionAttributeValues": {":n": {"N": "10"}}}}]}');
-- the same meaning in other words
SELECT api('TransactWriteItems', '{"TransactItems": [{"Update": {"ExpressionAttributeValues": {":n": {"N": "1e1"}}, "UpdateExpression": "ADD qty :n",
	"Key": {"sku": {"S": "kb"}}, "TableName": "api_stock"}}], "ClientRequestToken": "api-token-1"}');
SELECT api('GetItem', '{"TableName": "api_stock", "Key": {"sku": {"S": "kb"}}}');
SELECT api('TransactWriteItems', '{"ClientRequestToken": "api-token-1", "TransactItems": [
	{"Update": {"TableName": "api_stock", "Key": {"sku": {"S": "kb"}}, "UpdateExpression": "ADD qty :n", "ExpressionAttributeValues": {":n": {"N": "11"}}}}]}');
-- a transaction that was cancelled leaves no token behind
SELECT api('TransactWriteItems', '{"ClientRequestToken": "api-token-2", "TransactItems": [
	{"Put": {"TableName": "api_stock", "Item": {"sku": {"S": "t2"}}, "ConditionExpression": "attribute_exists(sku)"}}]}');
SELECT api('TransactWriteItems', '{"ClientRequestToken": "api-token-2", "TransactItems": [{"Put": {"TableName": "api_stock", "Item": {"sku": {"S": "t2"}}}}]}');

--
-- A hundred actions; 101 are too many
--
CREATE FUNCTION puts(n int) RETURNS json LANGUAGE sql AS $$
	SELECT json_build_object('TransactItems', json_agg(json_build_object('Put', json_build_object('TableName', 'api_order',
		'Item', json_build_object('PK', json_build_object('S', 'many'), 'SK', json_build_object('S', i::text))))))
	FROM generate_series(1, n) i
$$;
SELECT api('TransactWriteItems', puts(100));
SELECT api('Query', '{"TableName": "api_order", "Select": "COUNT", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "many"}}}');
SELECT right(api('TransactWriteItems', puts(101)), 120);

DROP FUNCTION puts, api;
DROP TABLE api_stock, api_order;
