-- Failures of ddb.api as their catcher sees them: SQLSTATE, message, reply body
\pset format unaligned
\pset tuples_only on
SELECT ddb.create_table('api_errors', partition_key => 'PK', sort_key => 'SK');

CREATE FUNCTION api(operation text, request json) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	body text;
	hint text;
BEGIN
	RETURN ddb.api(operation, request);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS body = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ' ' || SQLERRM || E'\n' || body || CASE WHEN hint <> '' THEN E'\n' || hint ELSE '' END;
END $$;

-- one of each
SELECT api('Frobnicate', '{}');
SELECT api('putitem', '{}');
SELECT api('PutItem', '{"TableName": 1}');
SELECT api('PutItem', '{}');
SELECT api('PutItem', '{"TableName": "nowhere", "Item": {"PK": {"S": "a"}, "SK": {"S": "a"}}}');
SELECT api('DescribeTable', '{"TableName": "nowhere"}');
SELECT api('CreateTable', '{"TableName": "api_errors", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}],
	"KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}');
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "a"}, "SK": {"S": "\"\\"}, "v": {"B": "AAE="}}}');
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "a"}, "SK": {"S": "\"\\"}}, "ConditionExpression": "attribute_not_exists(PK)"}');
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "a"}, "SK": {"S": "\"\\"}}, "ConditionExpression": "attribute_not_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT api('TransactWriteItems', '{"TransactItems": [{"ConditionCheck": {"TableName": "api_errors", "Key": {"PK": {"S": "a"}, "SK": {"S": "\"\\"}},
	"ConditionExpression": "attribute_not_exists(PK)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}}]}');
SELECT api('TransactWriteItems', '{"ClientRequestToken": "api-errors", "TransactItems": [{"Delete": {"TableName": "api_errors", "Key": {"PK": {"S": "b"}, "SK": {"S": "b"}}}}]}');
SELECT api('TransactWriteItems', '{"ClientRequestToken": "api-errors", "TransactItems": [{"Delete": {"TableName": "api_errors", "Key": {"PK": {"S": "b"}, "SK": {"S": "c"}}}}]}');
SELECT ddb.api('PutItem', NULL) IS NULL;

--
-- Expressions before the table, the table before the key, the key before the item
--
SELECT api('PutItem', '{"TableName": "nowhere", "Item": {"PK": {"N": "1"}}, "ConditionExpression": "a ="}');
SELECT api('PutItem', '{"TableName": "nowhere", "Item": {"PK": {"N": "1"}}}');
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"N": "1"}, "SK": {"S": "a"}}}');
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "a"}}}');
SELECT api('GetItem', '{"TableName": "api_errors", "Key": {"PK": {"S": "a"}}}');
SELECT api('GetItem', '{"TableName": "api_errors", "Key": {"PK": {"S": "a"}, "SK": {"S": ""}}}');
SELECT api('GetItem', '{"TableName": "api_errors", "Key": {"PK": {"S": "a"}, "SK": {"S": "a"}}, "ExpressionAttributeNames": {"#a": "a"}}');
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "a"}, "SK": {"S": "a"}, "v": {}}}');
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "a"}, "SK": {"S": "a"}, "v": null}}');
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "a"}, "SK": {"S": "a"}, "v": {"S": "a", "N": "1"}}}');
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "a"}, "SK": {"S": "a"}, "v": {"NS": ["1", "1.0"]}}}');
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "a"}, "SK": {"S": "a"}}, "ExpressionAttributeValues": {":v": {"S": "x"}}}');

--
-- PostgreSQL's own errors: those that DynamoDB has a name for, and the rest
--
CREATE ROLE api_reader;
GRANT SELECT ON api_errors TO api_reader;
SET ROLE api_reader;
SELECT api('GetItem', '{"TableName": "api_errors", "Key": {"PK": {"S": "b"}, "SK": {"S": "b"}}}');
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "b"}, "SK": {"S": "b"}}}');
RESET ROLE;
BEGIN READ ONLY;
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "b"}, "SK": {"S": "b"}}}');
SELECT api('GetItem', '{"TableName": "api_errors", "Key": {"PK": {"S": "b"}, "SK": {"S": "b"}}}');
ROLLBACK;

-- an error leaves nothing behind in the session: the next call is well
SELECT api('PutItem', '{"TableName": "api_errors", "Item": {"PK": {"S": "b"}, "SK": {"S": "b"}}}');

DROP FUNCTION api;
DROP TABLE api_errors;
DROP ROLE api_reader;
