-- The parameters that expressions replaced
\pset format unaligned
\pset tuples_only on
SELECT ddb.create_table('api_legacy', partition_key => 'PK', sort_key => 'SK', sort_key_type => 'N');

CREATE FUNCTION api(operation text, request json) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN ddb.api(operation, request);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- A request about item (a, 1) with more members.
CREATE FUNCTION put(members json) RETURNS text LANGUAGE sql AS $$
	SELECT api('PutItem', (jsonb '{"TableName": "api_legacy", "Item": {"PK": {"S": "a"}, "SK": {"N": "1"}, "v": {"N": "5"}, "s": {"S": "hello"}}}' || members::jsonb)::json)
$$;
CREATE FUNCTION update(members json) RETURNS text LANGUAGE sql AS $$
	SELECT api('UpdateItem', (jsonb '{"TableName": "api_legacy", "Key": {"PK": {"S": "a"}, "SK": {"N": "1"}}, "ReturnValues": "ALL_NEW"}' || members::jsonb)::json)
$$;

--
-- Expected
--
SELECT put('{"Expected": {"PK": {"Exists": true, "Value": {"S": "a"}}}}');
SELECT put('{"Expected": {"PK": {"Exists": false}}}');
SELECT put('{"Expected": {"PK": {"Exists": false}}, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
SELECT put('{"Expected": {"v": {"Value": {"N": "5.0"}}}}');
SELECT put('{"Expected": {"v": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "5"}]}}}');
SELECT put('{"Expected": {"v": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "5"}]}, "s": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "he"}]}}}');
SELECT put('{"Expected": {"v": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "5"}]}, "s": {"ComparisonOperator": "BEGINS_WITH", "AttributeValueList": [{"S": "he"}]}}, "ConditionalOperator": "OR"}');
SELECT put('{"Expected": {"nope": {"ComparisonOperator": "NULL"}, "v": {"ComparisonOperator": "NOT_NULL"}}, "ConditionalOperator": "AND"}');
SELECT put('{"Expected": {}}');
SELECT api('DeleteItem', '{"TableName": "api_legacy", "Key": {"PK": {"S": "a"}, "SK": {"N": "1"}}, "Expected": {"v": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": "1"}, {"N": "2"}]}}}');
SELECT put('{"Expected": {"a": {"Exists": true}}}');
SELECT put('{"Expected": {"a": {}}}');
SELECT put('{"Expected": {"a": {"Exists": false, "Value": {"S": "x"}}}}');
SELECT put('{"Expected": {"a": {"ComparisonOperator": "EQ"}}}');
SELECT put('{"Expected": {"a": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"S": "x"}]}}}');
SELECT put('{"Expected": {"a": {"Value": {"S": "x"}, "ComparisonOperator": "EQ", "AttributeValueList": [{"S": "x"}]}}}');
SELECT put('{"Expected": {"a": {"ComparisonOperator": "EQ", "AttributeValueList": [null]}}}');

--
-- AttributeUpdates
--
SELECT update('{"AttributeUpdates": {"v": {"Action": "ADD", "Value": {"N": "1"}}, "s": {"Action": "DELETE"}, "t": {"Value": {"SS": ["a", "b"]}}}}');
SELECT update('{"AttributeUpdates": {"t": {"Action": "DELETE", "Value": {"SS": ["a"]}}, "l": {"Action": "PUT", "Value": {"L": []}}}, "Expected": {"v": {"Value": {"N": "6"}}}}');
SELECT update('{"AttributeUpdates": {"v": {"Action": "PUT", "Value": {"N": "0"}}}, "Expected": {"v": {"Value": {"N": "7"}}}}');
SELECT update('{"AttributeUpdates": {"v": {"Action": "PUT", "Value": {"N": "9"}}}, "ReturnValues": "UPDATED_OLD"}');
SELECT update('{"AttributeUpdates": {}}');
SELECT update('{"AttributeUpdates": {"PK": {"Action": "PUT", "Value": {"S": "b"}}}}');
SELECT update('{"AttributeUpdates": {"v": {"Action": "PUT"}}}');
SELECT update('{"AttributeUpdates": {"v": {"Action": "ADD", "Value": {"S": "x"}}}}');

--
-- AttributesToGet
--
SELECT api('GetItem', '{"TableName": "api_legacy", "Key": {"PK": {"S": "a"}, "SK": {"N": "1"}}, "AttributesToGet": ["v", "order", "absent"]}');
SELECT api('GetItem', '{"TableName": "api_legacy", "Key": {"PK": {"S": "a"}, "SK": {"N": "1"}}, "AttributesToGet": ["v", "v"]}');
SELECT api('BatchGetItem', '{"RequestItems": {"api_legacy": {"Keys": [{"PK": {"S": "a"}, "SK": {"N": "1"}}], "AttributesToGet": ["PK"]}}}');

--
-- KeyConditions, QueryFilter, ScanFilter
--
SELECT count(ddb.api('PutItem', json_build_object('TableName', 'api_legacy', 'Item', json_build_object(
	'PK', json_build_object('S', 'q'), 'SK', json_build_object('N', i::text), 'v', json_build_object('N', (10 - i)::text)))))
FROM generate_series(1, 5) i;
CREATE FUNCTION query_q(members json) RETURNS text LANGUAGE sql AS $$
	SELECT api('Query', (jsonb '{"TableName": "api_legacy", "AttributesToGet": ["SK"], "KeyConditions": {"PK": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "q"}]}}}'
		|| members::jsonb)::json)
$$;
SELECT query_q('{}');
SELECT query_q('{"KeyConditions": {"PK": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "q"}]}, "SK": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "2"}, {"N": "3"}]}}}');
SELECT query_q('{"QueryFilter": {"v": {"ComparisonOperator": "LE", "AttributeValueList": [{"N": "6"}]}}, "Limit": 4}');
SELECT query_q('{"QueryFilter": {"v": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "9"}]}, "nope": {"ComparisonOperator": "NOT_NULL"}}, "ConditionalOperator": "OR", "ScanIndexForward": false}');
SELECT query_q('{"Select": "COUNT", "AttributesToGet": null}');
SELECT query_q('{"Select": "COUNT"}');
SELECT query_q('{"QueryFilter": {"SK": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "1"}]}}}');
SELECT query_q('{"KeyConditions": {}}');
SELECT query_q('{"KeyConditions": {"SK": {"ComparisonOperator": "EQ", "AttributeValueList": [{"N": "1"}]}}}');
SELECT query_q('{"KeyConditions": {"PK": {"ComparisonOperator": "NE", "AttributeValueList": [{"S": "q"}]}}}');
SELECT api('Scan', '{"TableName": "api_legacy", "AttributesToGet": ["SK"], "ScanFilter": {"PK": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "q"}]},
	"v": {"ComparisonOperator": "IN", "AttributeValueList": [{"N": "9"}, {"N": "5"}]}}}');

--
-- ConditionalOperator joins two at least
--
SELECT put('{"ConditionalOperator": "AND"}');
SELECT put('{"ConditionalOperator": "AND", "Expected": {}}');
SELECT put('{"ConditionalOperator": "AND", "Expected": {"PK": {"ComparisonOperator": "NULL"}}}');
SELECT api('Query', '{"TableName": "api_legacy", "ConditionalOperator": "OR"}');
SELECT api('Scan', '{"TableName": "api_legacy", "ConditionalOperator": "OR", "ScanFilter": {"v": {"ComparisonOperator": "NULL"}}}');

--
-- They do not mix with expressions
--
SELECT put('{"Expected": {"a": {}}, "ConditionExpression": ""}');
SELECT update('{"AttributeUpdates": {}, "Expected": {}, "ConditionalOperator": "AND", "UpdateExpression": "", "ConditionExpression": ""}');
SELECT api('GetItem', '{"TableName": "api_legacy", "Key": {}, "AttributesToGet": ["a"], "ProjectionExpression": "a"}');
SELECT api('BatchGetItem', '{"RequestItems": {"api_legacy": {"Keys": [{}], "AttributesToGet": ["a"], "ProjectionExpression": "a"}}}');
SELECT query_q('{"QueryFilter": {}, "ConditionalOperator": "AND", "ProjectionExpression": "a", "FilterExpression": "a", "KeyConditionExpression": "a"}');
SELECT query_q('{"QueryFilter": {}, "FilterExpression": "a"}');
SELECT api('Scan', '{"TableName": "api_legacy", "AttributesToGet": ["a"], "ScanFilter": {}, "ConditionalOperator": "AND", "FilterExpression": "a", "ProjectionExpression": "a"}');
-- but KeyConditions may stand beside a filter
SELECT query_q('{"AttributesToGet": null, "FilterExpression": "v = :v", "ProjectionExpression": "SK", "ExpressionAttributeValues": {":v": {"N": "7"}}}');

DROP FUNCTION query_q, update, put, api;
DROP TABLE api_legacy;
