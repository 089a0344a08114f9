-- What a request may look like, before anything is looked up: JSON types
-- first, then all simple constraints together in one message.
\pset format unaligned
\pset tuples_only on

-- The SQLSTATE and message of a request that fails, or its reply.
CREATE FUNCTION api(operation text, request json) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN ddb.api(operation, request);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

--
-- JSON types come before everything else
--
SELECT api('PutItem', '[]');
SELECT api('PutItem', '"x"');
SELECT api('PutItem', 'null');
SELECT api('PutItem', '{"TableName": 23}');
SELECT api('PutItem', '{"TableName": 23.5}');
SELECT api('PutItem', '{"TableName": true}');
SELECT api('PutItem', '{"TableName": []}');
SELECT api('PutItem', '{"TableName": {}}');
SELECT api('PutItem', '{"TableName": "", "Item": []}');
SELECT api('PutItem', '{"TableName": "", "Item": "x"}');
SELECT api('PutItem', '{"TableName": "", "Item": {"a": "x"}}');
SELECT api('PutItem', '{"TableName": "", "Item": {"a": {"S": 1}}}');
SELECT api('PutItem', '{"TableName": "", "Item": {"a": {"N": 1}}}');
SELECT api('PutItem', '{"TableName": "", "Item": {"a": {"M": {"b": {"L": [{"BOOL": "no"}]}}}}}');
SELECT api('PutItem', '{"TableName": "", "Item": {"a": {"SS": "x"}}}');
SELECT api('PutItem', '{"Expected": []}');
SELECT api('PutItem', '{"Expected": {"a": 1}}');
SELECT api('PutItem', '{"Expected": {"a": {"Exists": "true"}}}');
SELECT api('PutItem', '{"Expected": {"a": {"Value": {"S": 1}}}}');
SELECT api('PutItem', '{"ExpressionAttributeNames": []}');
SELECT api('PutItem', '{"ExpressionAttributeNames": {"#a": 1}}');
SELECT api('PutItem', '{"ExpressionAttributeValues": {":a": []}}');
SELECT api('Query', '{"Limit": "1"}');
SELECT api('Query', '{"Limit": true}');
SELECT api('Query', '{"Limit": []}');
SELECT api('Query', '{"ConsistentRead": 1}');
SELECT api('Query', '{"AttributesToGet": "a"}');
SELECT api('Query', '{"AttributesToGet": {}}');
SELECT api('Query', '{"AttributesToGet": [1]}');
SELECT api('Query', '{"KeyConditions": []}');
SELECT api('Query', '{"KeyConditions": {"a": []}}');
SELECT api('CreateTable', '{"ProvisionedThroughput": 1}');
SELECT api('CreateTable', '{"ProvisionedThroughput": []}');
SELECT api('CreateTable', '{"ProvisionedThroughput": {"ReadCapacityUnits": "1"}}');
SELECT api('CreateTable', '{"KeySchema": ["a"]}');
SELECT api('CreateTable', '{"KeySchema": [[]]}');
SELECT api('BatchGetItem', '{"RequestItems": []}');
SELECT api('BatchGetItem', '{"RequestItems": {"abc": {"Keys": [[]]}}}');
SELECT api('BatchWriteItem', '{"RequestItems": []}');
SELECT api('BatchWriteItem', '{"RequestItems": {"abc": [1]}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"abc": [{"PutRequest": 1}]}}');
SELECT api('TransactWriteItems', '{"TransactItems": [{"Put": []}]}');
-- members that nobody knows are skipped, null is absent
SELECT api('ListTables', '{"Colour": {"a": 1}, "Limit": null, "ExclusiveStartTableName": ";"}');

--
-- Constraints are listed together
--
SELECT api('PutItem', '{}');
SELECT api('PutItem', '{"TableName": null, "Item": null}');
SELECT api('PutItem', '{"TableName": "x"}');
SELECT api('UpdateItem', '{"TableName": "", "ReturnConsumedCapacity": "INVALID", "ReturnValues": "INVALID"}');
SELECT api('UpdateItem', '{"TableName": "abc", "ConditionalOperator": "XOR"}');
SELECT api('GetItem', '{"TableName": "abc", "Key": {}, "AttributesToGet": [], "ReturnConsumedCapacity": "total"}');
SELECT api('Query', '{"TableName": "abc", "IndexName": "a;", "Select": "hi", "Limit": -1, "ReturnConsumedCapacity": "hi",
	"AttributesToGet": [], "ConditionalOperator": "AN", "KeyConditions": {"a": {}},
	"QueryFilter": {"a": {}, "b": {"ComparisonOperator": ""}}}');
SELECT api('Scan', '{"TableName": "abc", "Segment": -1, "TotalSegments": 1000001, "Limit": 0}');
SELECT api('Scan', '{"TableName": "abc", "Segment": 1000000, "TotalSegments": 0}');
SELECT api('ListTables', '{"Limit": 0}');
SELECT api('ListTables', '{"Limit": 101.9, "ExclusiveStartTableName": ""}');
SELECT api('ListTables', '{"Limit": 1e99}');
SELECT api('ListTables', '{"Limit": -99999999999999999999999}');
-- no more than ten
SELECT api('CreateTable', '{"TableName": "abc", "AttributeDefinitions": [{}, {}, {}, {}, {}, {}, {}], "KeySchema": []}');

--
-- Paths
--
SELECT api('CreateTable', '{"TableName": "abc", "AttributeDefinitions": [{}, {"AttributeName": "", "AttributeType": "SS"}],
	"KeySchema": [{"KeyType": "HASH"}, {"AttributeName": "a"}, {"AttributeName": "a", "KeyType": "Woop"}],
	"ProvisionedThroughput": {"ReadCapacityUnits": 0}}');
SELECT api('CreateTable', '{"TableName": "abc", "AttributeDefinitions": [], "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
	"SSESpecification": {"SSEType": "x"}, "StreamSpecification": {"StreamEnabled": true, "StreamViewType": ""}}');
SELECT api('CreateTable', '{"TableName": "abc", "AttributeDefinitions": [], "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}],
	"LocalSecondaryIndexes": [{"IndexName": "l1", "KeySchema": [], "Projection": {}}],
	"GlobalSecondaryIndexes": [{"IndexName": "abc", "KeySchema": [{}], "Projection": {"NonKeyAttributes": []}}]}');
SELECT api('BatchGetItem', '{}');
SELECT api('BatchGetItem', '{"RequestItems": {}}');
SELECT api('BatchGetItem', '{"RequestItems": {"abc": {}}}');
SELECT api('BatchGetItem', '{"RequestItems": {"abc": {"Keys": []}}}');
SELECT api('BatchGetItem', '{"RequestItems": {"bad!name":{"Keys":[{"pk":{"S":"a"}}]}}, "ReturnConsumedCapacity": "BOGUS"}');
SELECT api('BatchWriteItem', '{"ReturnConsumedCapacity": "hi", "ReturnItemCollectionMetrics": "hi"}');
SELECT api('BatchWriteItem', '{"RequestItems": {}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"a": []}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"aa;": [{"PutRequest": {}, "DeleteRequest": {}}]}}');
SELECT right(api, 200) FROM api('BatchWriteItem', json_build_object('RequestItems', json_build_object('abc',
	(SELECT json_agg(json_build_object('DeleteRequest', json_build_object('Key', json_build_object('a', json_build_object('N', i::text))))) FROM generate_series(1, 26) i))));
SELECT api('TransactWriteItems', '{}');
SELECT api('TransactWriteItems', '{"TransactItems": [], "ClientRequestToken": ""}');
SELECT api('TransactWriteItems', '{"TransactItems": [{"Put": {}}, {"Update": {"Key": {}}, "Delete": {"TableName": "a;"}},
	{"ConditionCheck": {"ReturnValuesOnConditionCheckFailure": "NEW"}}]}');
SELECT api('TransactGetItems', '{"TransactItems": [{}, {"Get": {}}]}');
-- null is no element
SELECT api('BatchGetItem', '{"RequestItems": {"abc": null}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"abc": null, "abd": [null]}}');
SELECT api('TransactWriteItems', '{"TransactItems": [null]}');
SELECT api('GetItem', '{"TableName": "abc", "Key": {}, "AttributesToGet": [null]}');

--
-- A malformed TableName is reported alone, unless something required is missing
--
SELECT api('PutItem', '{"TableName": "", "Item": {}}');
SELECT api('PutItem', '{"TableName": "", "Item": {}, "ReturnValues": "INVALID"}');
SELECT api('PutItem', '{"TableName": "x!", "Item": {}, "ReturnValues": "INVALID"}');
SELECT api('PutItem', '{"TableName": "bad table!@#", "Item": {}}');
SELECT api('PutItem', json_build_object('TableName', repeat('a', 256), 'Item', '{}'::json));
SELECT api('DescribeTable', '{"TableName": ""}');
SELECT api('CreateTable', '{"TableName": "", "KeySchema": [], "AttributeDefinitions": []}');
SELECT api('CreateTable', '{"TableName": ""}');
-- lengths are counted in characters, what is shown of a value has an end
SELECT api('DescribeTable', '{"TableName": "äöü"}');
SELECT api('DescribeTable', '{"TableName": "a\u0000b"}');
SELECT length(api('DescribeTable', json_build_object('TableName', repeat('ü', 5000))));

-- an ARN stands for the name in it
SELECT api('DescribeTable', '{"TableName": "arn:aws:dynamodb:eu-west-1:123456789012:table/a!"}');
SELECT api('DescribeTable', '{"TableName": "arn:aws:dynamodb:eu-west-1:123456789012:index/abc"}');
SELECT api('PutItem', '{"TableName": "arn:aws:dynamodb:eu-west-1:123456789012:table/ab", "Item": {}}');

DROP FUNCTION api;
