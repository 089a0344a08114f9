-- PutItem, GetItem, UpdateItem, DeleteItem: whole replies
\pset format unaligned
\pset tuples_only on
SELECT ddb.create_table('api_item', partition_key => 'PK', sort_key => 'SK');
SELECT ddb.create_table('api_simple', partition_key => 'id', partition_key_type => 'N');

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
-- All ten types there and back
--
SELECT api('PutItem', '{"TableName": "api_item", "Item": {"PK": {"S": "a"}, "SK": {"S": "1"},
	"null": {"NULL": true}, "yes": {"BOOL": true}, "no": {"BOOL": false}, "number": {"N": "-012.500"}, "string": {"S": "zwölf\n\u0000"},
	"binary": {"B": "AAEC/w=="}, "numbers": {"NS": ["3", "1.0", "2e0"]}, "strings": {"SS": ["b", "a", ""]}, "binaries": {"BS": ["/w==", ""]},
	"list": {"L": [{"S": "x"}, {"L": []}, {"N": "1"}]}, "map": {"M": {"deep": {"M": {}}, "e": {"S": ""}}}}}');
SELECT api('GetItem', '{"TableName": "api_item", "Key": {"SK": {"S": "1"}, "PK": {"S": "a"}}}');
SELECT api('GetItem', '{"TableName": "api_item", "Key": {"PK": {"S": "a"}, "SK": {"S": "1"}}, "ConsistentRead": true,
	"ProjectionExpression": "#n, #l[2], #m.deep, absent", "ExpressionAttributeNames": {"#n": "number", "#l": "list", "#m": "map"}}');
-- a projection that matches nothing gives an empty item, a missing item none
SELECT api('GetItem', '{"TableName": "api_item", "Key": {"PK": {"S": "a"}, "SK": {"S": "1"}}, "ProjectionExpression": "absent"}');
SELECT api('GetItem', '{"TableName": "api_item", "Key": {"PK": {"S": "a"}, "SK": {"S": "2"}}}');
SELECT api('PutItem', '{"TableName": "api_simple", "Item": {"id": {"N": "1E2"}}}');
SELECT api('GetItem', '{"TableName": "api_simple", "Key": {"id": {"N": "100.0"}}}');

--
-- ReturnValues
--
SELECT api('PutItem', '{"TableName": "api_item", "Item": {"PK": {"S": "b"}, "SK": {"S": "1"}, "n": {"N": "1"}}, "ReturnValues": "ALL_OLD"}');
SELECT api('PutItem', '{"TableName": "api_item", "Item": {"PK": {"S": "b"}, "SK": {"S": "1"}, "n": {"N": "2"}}, "ReturnValues": "ALL_OLD"}');
SELECT api('PutItem', '{"TableName": "api_item", "Item": {"PK": {"S": "b"}, "SK": {"S": "1"}, "n": {"N": "2"}}, "ReturnValues": "NONE"}');
SELECT api('PutItem', '{"TableName": "api_item", "Item": {"PK": {"S": "b"}, "SK": {"S": "1"}}, "ReturnValues": "ALL_NEW"}');
SELECT api('UpdateItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "1"}},
	"UpdateExpression": "SET n = n + :one, s = :s", "ExpressionAttributeValues": {":one": {"N": "1"}, ":s": {"S": "new"}}}');
SELECT api('UpdateItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "1"}}, "ReturnValues": "UPDATED_OLD",
	"UpdateExpression": "ADD n :one REMOVE s", "ExpressionAttributeValues": {":one": {"N": "1"}}}');
SELECT api('UpdateItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "1"}}, "ReturnValues": "UPDATED_NEW",
	"UpdateExpression": "ADD n :one", "ExpressionAttributeValues": {":one": {"N": "1"}}}');
SELECT api('UpdateItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "1"}}, "ReturnValues": "ALL_OLD",
	"UpdateExpression": "SET t = :t", "ExpressionAttributeValues": {":t": {"L": []}}}');
SELECT api('UpdateItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "1"}}, "ReturnValues": "ALL_NEW",
	"UpdateExpression": "SET t = list_append(t, :t)", "ExpressionAttributeValues": {":t": {"L": [{"BOOL": true}]}}}');
-- nothing was there, or nothing is left to show: no Attributes
SELECT api('UpdateItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "1"}}, "ReturnValues": "UPDATED_NEW", "UpdateExpression": "REMOVE t"}');
SELECT api('UpdateItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "2"}}, "ReturnValues": "UPDATED_OLD",
	"UpdateExpression": "SET n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}');
-- without an expression the item is only made
SELECT api('UpdateItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "3"}}, "ReturnValues": "ALL_NEW"}');
SELECT api('GetItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "3"}}}');
SELECT api('DeleteItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "2"}}}');
SELECT api('DeleteItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "1"}}, "ReturnValues": "ALL_OLD"}');
SELECT api('DeleteItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "1"}}, "ReturnValues": "ALL_OLD"}');
SELECT api('DeleteItem', '{"TableName": "api_item", "Key": {"PK": {"S": "b"}, "SK": {"S": "3"}}, "ReturnValues": "UPDATED_OLD"}');

--
-- Conditions: the item goes into the failure when asked for
--
SELECT api('PutItem', '{"TableName": "api_simple", "Item": {"id": {"N": "100"}, "v": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(id)"}');
SELECT api('PutItem', '{"TableName": "api_simple", "Item": {"id": {"N": "7"}, "v": {"N": "1"}}, "ConditionExpression": "attribute_not_exists(id)"}');
SELECT api('UpdateItem', '{"TableName": "api_simple", "Key": {"id": {"N": "7"}}, "UpdateExpression": "SET v = :new",
	"ConditionExpression": "v = :old", "ExpressionAttributeValues": {":new": {"N": "3"}, ":old": {"N": "2"}},
	"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT api('DeleteItem', '{"TableName": "api_simple", "Key": {"id": {"N": "7"}}, "ConditionExpression": "v > :v",
	"ExpressionAttributeValues": {":v": {"N": "1"}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT api('DeleteItem', '{"TableName": "api_simple", "Key": {"id": {"N": "8"}}, "ConditionExpression": "attribute_exists(v)",
	"ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT api('DeleteItem', '{"TableName": "api_simple", "Key": {"id": {"N": "7"}}, "ConditionExpression": "v = :v",
	"ExpressionAttributeValues": {":v": {"N": "1.0"}}, "ReturnValues": "ALL_OLD", "ReturnConsumedCapacity": "TOTAL", "ReturnItemCollectionMetrics": "SIZE"}');

--
-- Inside the caller's transaction
--
BEGIN;
SELECT api('PutItem', '{"TableName": "api_simple", "Item": {"id": {"N": "9"}}}');
SAVEPOINT s;
SELECT api('DeleteItem', '{"TableName": "api_simple", "Key": {"id": {"N": "9"}}}');
SELECT api('GetItem', '{"TableName": "api_simple", "Key": {"id": {"N": "9"}}}');
ROLLBACK TO s;
SELECT api('GetItem', '{"TableName": "api_simple", "Key": {"id": {"N": "9"}}}');
ROLLBACK;
SELECT api('GetItem', '{"TableName": "api_simple", "Key": {"id": {"N": "9"}}}');

DROP FUNCTION api;
DROP TABLE api_item, api_simple;
