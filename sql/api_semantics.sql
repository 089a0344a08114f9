-- DynamoDB's meaning through ddb.api, point by point as the design lists it
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA api_semantics;
SET search_path = api_semantics;
SELECT ddb.create_table('one', 'pk');
SELECT ddb.create_table('two', 'pk', sort_key => 'sk');
SELECT ddb.create_table('num', 'pk', sort_key => 'sk', sort_key_type => 'N');
SELECT ddb.create_table('bin', 'pk', sort_key => 'sk', sort_key_type => 'B');

-- The reply, or the failure: its message, or its body where that says more.
CREATE FUNCTION api(operation text, request json) RETURNS text LANGUAGE plpgsql AS $$
DECLARE body json;
BEGIN
	RETURN ddb.api(operation, request);
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS body = PG_EXCEPTION_DETAIL;
	RETURN substr(SQLSTATE, 5) || ' ' || coalesce((body -> 'CancellationReasons')::text, SQLERRM || coalesce(' ' || (body ->> 'Item'), ''));
END $$;
-- What an attribute v comes back as.
CREATE FUNCTION v(value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE reply text = api('PutItem', ('{"TableName": "one", "Item": {"pk": {"S": "v"}, "v": ' || value || '}}')::json);
BEGIN
	IF reply <> '{}' THEN
		RETURN reply;
	END IF;
	RETURN regexp_replace(api('GetItem', '{"TableName": "one", "Key": {"pk": {"S": "v"}}, "ProjectionExpression": "v"}'), '^{"Item":{"v":(.*)}}$', '\1');
END $$;
CREATE FUNCTION n(number text) RETURNS text LANGUAGE sql AS $$
	SELECT v(json_build_object('N', number)::text) $$;
-- One update of the item k of table one.
CREATE FUNCTION u(expression text, vals text DEFAULT NULL, names text DEFAULT NULL, rv text DEFAULT 'ALL_NEW', k text DEFAULT 'u')
	RETURNS text LANGUAGE sql AS $$
	SELECT api('UpdateItem', json_strip_nulls(json_build_object('TableName', 'one', 'Key', json_build_object('pk', json_build_object('S', k)),
		'UpdateExpression', expression, 'ExpressionAttributeValues', vals::json, 'ExpressionAttributeNames', names::json, 'ReturnValues', rv))) $$;
CREATE FUNCTION put(item text) RETURNS text LANGUAGE sql AS $$
	SELECT api('PutItem', json_build_object('TableName', 'one', 'Item', item::json)) $$;
-- Whether a condition holds for item c of table one: how many items a filter lets through.
CREATE FUNCTION c(filter text, vals text DEFAULT NULL, names text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce((api('Scan', json_strip_nulls(json_build_object('TableName', 'one', 'FilterExpression', '(' || filter || ') AND pk = :pk',
		'ExpressionAttributeValues', coalesce(vals::jsonb, '{}') || '{":pk": {"S": "c"}}', 'ExpressionAttributeNames', names::json, 'Select', 'COUNT')))::json) ->> 'Count') $$;
CREATE FUNCTION f(filter text, vals text DEFAULT NULL, names text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
	SELECT api('Scan', json_strip_nulls(json_build_object('TableName', 'bin', 'FilterExpression', filter,
		'ExpressionAttributeValues', vals::json, 'ExpressionAttributeNames', names::json))) $$;
-- The sort keys of a page, and where it ended.
CREATE FUNCTION q(tab text, cond text, vals text, more text DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN r ~ '^{' THEN coalesce((SELECT string_agg(k #>> '{}', ' ') FROM json_array_elements(r::json -> 'Items') i, json_each(i -> 'sk') s(t, k)), '') ||
		coalesce(' LEK ' || (r::json ->> 'LastEvaluatedKey'), '') ELSE r END
	FROM api('Query', (jsonb_build_object('TableName', tab, 'KeyConditionExpression', cond, 'ExpressionAttributeValues', vals::jsonb) || more::jsonb)::json) r $$;

--
-- 1. Range of numbers: 38 digits, 1E-130 to 9.99...E+125, both signs
--
SELECT x, n(x) FROM unnest(ARRAY['99999999999999999999999999999999999999', '1.2345678901234567890123456789012345678',
	'999999999999999999999999999999999999990', '123456789012345678901234567890123456789', '0.1234567890123456789012345678901234567890', '0.123456789012345678901234567890123456789']) x;
SELECT x, length(n(x)), left(n(x), 90) FROM unnest(ARRAY['1e-130', '-1e-130', '9.9999999999999999999999999999999999999e125', '-9.9999999999999999999999999999999999999E+125',
	'1e-131', '-9.9e-131', '1e126', '-1e126', '1e99999999999999999999', '0.1e-129', '10e125']) x;
SELECT api('PutItem', '{"TableName": "num", "Item": {"pk": {"S": "x"}, "sk": {"N": "1e126"}}}'), api('GetItem', '{"TableName": "num", "Key": {"pk": {"S": "x"}, "sk": {"N": "1e-131"}}}');
--
-- 2. Numbers come back normalized
--
SELECT x, n(x) FROM unnest(ARRAY['007', '1.500', '-0', '-0.0e5', '+3', '.123', '-.5', '5.', '1e2', '12e-1', '1.0E+1', '0e1000', '100', '00.00', '1E0']) x;
SELECT x, n(x) FROM unnest(ARRAY['NaN', 'Infinity', '-Infinity', ' 1', '1 ', '', '1 2', '0x10', '1e', 'e1', '.', '--1', '1,5', '1_0', '１']) x;
--
-- 3. Sums are exact or fail
--
SELECT u('SET v = :a + :b', '{":a": {"N": "1E50"}, ":b": {"N": "1"}}'), u('SET v = :a - :b', '{":a": {"N": "9E125"}, ":b": {"N": "-9E125"}}');
SELECT u('SET v = :a + :b', '{":a": {"N": "1E125"}, ":b": {"N": "1E-130"}}');
SELECT u('SET v = :a + :b', '{":a": {"N": "0.1"}, ":b": {"N": "0.2"}}'), u('ADD v :a', '{":a": {"N": "99999999999999999999999999999999999999"}}');
SELECT u('SET v = :a - :b', '{":a": {"N": "99999999999999999999999999999999999999"}, ":b": {"N": "1"}}'), u('SET v = :a - :a', '{":a": {"N": "-1.5"}}');
--
-- 4. JSON types come first
--
SELECT put('{"pk": {"S": "a"}, "v": {"N": 1}}'), put('{"pk": {"N": true}}'), put('{"pk": {"S": ""}, "v": {"SS": [1]}}'), api('PutItem', '{"TableName": "nowhere!", "Item": []}'), put('{"pk": {"BOOL": "yes"}}');
--
-- 5. Sets
--
SELECT v('{"SS": []}'), v('{"NS": []}'), v('{"BS": []}'), v('{"L": [{"M": {"a": {"SS": []}}}]}');
SELECT v('{"SS": ["a", "b", "a"]}'), v('{"NS": ["1", "1.0"]}'), v('{"BS": ["YQ==", "Yg==", "YQ=="]}'), v('{"M": {"a": {"NS": ["2", "20e-1"]}}}');
SELECT put('{"pk": {"S": "c"}, "ns": {"NS": ["1", "2"]}, "ss": {"SS": ["b", "a"]}, "l": {"L": [{"M": {"s": {"SS": ["x", "y"]}}}]}, "n": {"N": "5"}, "s": {"S": "hello"}, "b": {"B": "YWJj"}, "m": {"M": {"k": {"S": "v"}, "z": {"NULL": true}}}, "t": {"BOOL": true}, "hi": {"N": "9"}, "lo": {"N": "1"}}');
SELECT c('ns = :v', '{":v": {"NS": ["2.0", "1"]}}'), c('ss = :v', '{":v": {"SS": ["a", "b"]}}'), c('l = :v', '{":v": {"L": [{"M": {"s": {"SS": ["y", "x"]}}}]}}'), c('ss = :v', '{":v": {"SS": ["a"]}}'), c('ns = :v', '{":v": {"SS": ["1", "2"]}}');
--
-- 6. Empty strings and binaries
--
SELECT v('{"S": ""}'), v('{"B": ""}'), v('{"L": [{"S": ""}, {"M": {"e": {"B": ""}}}]}'), v('{"SS": [""]}'), put('{"pk": {"S": ""}}');
SELECT api('GetItem', '{"TableName": "bin", "Key": {"pk": {"S": "a"}, "sk": {"B": ""}}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"one": [{"PutRequest": {"Item": {"pk": {"S": "w1"}}}}, {"PutRequest": {"Item": {"pk": {"S": ""}}}}]}}'), api('GetItem', '{"TableName": "one", "Key": {"pk": {"S": "w1"}}}');
--
-- 7. U+0000, in strings, keys, names and paging
--
SELECT v('{"M": {"\u0000": {"S": "a\u0000b"}, "s": {"SS": ["\u0000", "\u0000\u0000"]}}}');
SELECT count(*) FROM unnest(ARRAY['a', 'a\u0000', 'a\u0000\u0000', 'a\u0000b', 'a\u0001', 'b', '\u0000']) s,
	LATERAL (SELECT api('PutItem', ('{"TableName": "two", "Item": {"pk": {"S": "z"}, "sk": {"S": "' || s || '"}, "w": {"S": "\u0000' || s || '"}}}')::json)) x WHERE api = '{}';
SELECT api('Query', '{"TableName": "two", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "z"}}, "ProjectionExpression": "sk"}');
SELECT api('Query', '{"TableName": "two", "KeyConditionExpression": "pk = :p AND begins_with(sk, :s)", "ExpressionAttributeValues": {":p": {"S": "z"}, ":s": {"S": "a\u0000"}}, "ProjectionExpression": "sk", "ScanIndexForward": false, "Limit": 2}');
SELECT api('Query', '{"TableName": "two", "KeyConditionExpression": "pk = :p AND begins_with(sk, :s)", "ExpressionAttributeValues": {":p": {"S": "z"}, ":s": {"S": "a\u0000"}}, "ProjectionExpression": "sk", "ScanIndexForward": false, "Limit": 2, "ExclusiveStartKey": {"pk": {"S": "z"}, "sk": {"S": "a\u0000\u0000"}}}');
SELECT api('Query', '{"TableName": "two", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": {":p": {"S": "z\u0000"}}}'),
	api('Scan', '{"TableName": "two", "FilterExpression": "w = :w AND contains(w, :z)", "ExpressionAttributeValues": {":w": {"S": "\u0000a\u0000b"}, ":z": {"S": "\u0000b"}}}');
SELECT api('DeleteItem', '{"TableName": "two", "Key": {"pk": {"S": "z"}, "sk": {"S": "\u0000"}}, "ReturnValues": "ALL_OLD"}'), api('GetItem', '{"TableName": "two", "Key": {"pk": {"S": "z"}, "sk": {"S": "\u0000"}}}');
--
-- 8. Base64 is strict, wherever it stands
--
SELECT x, v(json_build_object('B', x)::text) FROM unnest(ARRAY['YQ==', 'YWI=', 'YWJj', 'YQ', 'YQ=', 'YR==', 'Y Q==', 'YQ==YQ==', '_-==', '====']) x;
SELECT f('a = :v', '{":v": {"L": [{"B": "YQ"}]}}'), v('{"BS": ["YQ==", "Y"]}');
--
-- 9. Order by bytes
--
SELECT count(*) FROM unnest(ARRAY['Z', 'a', 'ä', 'é', '€', '😀', 'A', 'z', '~']) s, LATERAL (SELECT api('PutItem', json_build_object('TableName', 'two', 'Item',
	json_build_object('pk', '{"S": "o"}'::json, 'sk', json_build_object('S', s))))) x;
SELECT q('two', 'pk = :p', '{":p": {"S": "o"}}'), q('two', 'pk = :p AND sk > :s', '{":p": {"S": "o"}, ":s": {"S": "~"}}', '{"ScanIndexForward": false}');
SELECT count(*) FROM unnest(ARRAY['AA==', 'AAA=', 'fw==', 'gA==', '/w==', '/wA=', 'AQ==']) b, LATERAL (SELECT api('PutItem', json_build_object('TableName', 'bin', 'Item',
	json_build_object('pk', '{"S": "o"}'::json, 'sk', json_build_object('B', b))))) x;
SELECT q('bin', 'pk = :p', '{":p": {"S": "o"}}'), q('bin', 'pk = :p AND begins_with(sk, :s)', '{":p": {"S": "o"}, ":s": {"B": "/w=="}}', '{"ScanIndexForward": false}'),
	q('bin', 'pk = :p AND sk BETWEEN :s AND :t', '{":p": {"S": "o"}, ":s": {"B": "AAA="}, ":t": {"B": "gA=="}}');
--
-- 10. Depth, and NULL
--
SELECT n, put(json_build_object('pk', '{"S": "d"}'::json, 'd', (repeat('{"M": {"n": ', n) || '{"S": "x"}' || repeat('}}', n))::json)::text) FROM generate_series(31, 32) n;
SELECT n, u('SET a = :v', json_build_object(':v', (repeat('{"L": [', n) || '{"S": "x"}' || repeat(']}', n))::json)::text, rv => 'NONE') FROM generate_series(31, 32) n;
SELECT n, left(f('attribute_exists(a' || repeat('.b', n - 1) || ')'), 100) FROM generate_series(32, 33) n;
SELECT v('{"NULL": true}'), v('{"NULL": false}');
--
-- 11. and 12. Sizes
--
SELECT x, y, api('GetItem', json_build_object('TableName', 'two', 'Key', json_build_object('pk', json_build_object('S', repeat('x', x)), 'sk', json_build_object('S', repeat('y', y)))))
FROM (VALUES (2048, 1024), (2049, 1), (1, 1025)) v(x, y);
SELECT n, api('PutItem', json_build_object('TableName', 'bin', 'Item', json_build_object('pk', '{"S": "o"}'::json, 'sk', json_build_object('B', replace(encode(decode(repeat('00', n), 'hex'), 'base64'), E'\n', ''))))) ~ 'size limit of 1024' FROM generate_series(1024, 1025) n;
SELECT n, put(json_build_object('pk', '{"S": "l"}'::json, repeat('n', n), '{"S": ""}'::json)::text) FROM unnest('{65535, 65536}'::int[]) n;
SELECT n, put(json_build_object('pk', '{"S": "l"}'::json, 'm', json_build_object('M', json_build_object('nested', json_build_object('S', repeat('x', n)))))::text)
FROM generate_series(409600 - 3 - 1 - 3 - 1 - 6, 409600 - 3 - 1 - 3 - 1 - 6 + 1) n;
--
-- 13. Expressions
--
SELECT f(rpad('a = b', 4096)), f(rpad('a = b', 4097));
SELECT n, f('a IN (' || (SELECT string_agg('b' || i, ', ') FROM generate_series(1, n) i) || ')') FROM generate_series(99, 100) n;
SELECT n, f((SELECT string_agg('a' || i || '=b', ' OR ') FROM generate_series(1, n) i)) FROM generate_series(150, 151) n;
SELECT f('((a = b))'), f('(a = b) AND (NOT (c = d))'), f('a = ((b))'), f(repeat('(', 2000) || 'a = b' || repeat(')', 2000));
--
-- 14. to 19. Names, values, words
--
SELECT f('Not a = b aNd c bEtween d aNd e'), f('Size(a) = b'), f('a-b = c'), f('_a = c'), f('a1_b=c'), f(E'\n\ta\r\n=b ');
SELECT f('name = a'), f('a.NaMe = b'), f('#n = a', NULL, '{"#n": "name"}'), u('SET status = a'), api('Scan', '{"TableName": "bin", "ProjectionExpression": "a, data"}');
SELECT u('SET #n = :v', '{":v": {"N": "1"}}', '{"#n": "a.b[0]"}', 'UPDATED_NEW'), f('a[#i] = b', NULL, '{"#i": "1"}'), f('a[:i] = b', '{":i": {"N": "1"}}');
SELECT f('a = :v', '{":v": {"N": "1"}, ":w": {"N": "1"}, ":x": {"N": "1"}}'), f('a = b', NULL, '{"#b": "b", "#a": "a"}'), f('a = :v'), f('#a = b'), f('');
SELECT api('GetItem', '{"TableName": "one", "Key": {"pk": {"S": "a"}}, "ExpressionAttributeNames": {"#a": "a"}}'), api('DeleteItem', '{"TableName": "one", "Key": {"pk": {"S": "a"}}, "ExpressionAttributeValues": {":a": {"S": "a"}}}');
SELECT api('PutItem', '{"TableName": "one", "Item": {"pk": {"S": "a"}}, "ConditionExpression": "a = b", "Expected": {"a": {"Exists": false}}}'),
	api('UpdateItem', '{"TableName": "one", "Key": {"pk": {"S": "a"}}, "AttributeUpdates": {"a": {"Action": "DELETE"}}, "UpdateExpression": "SET a = b", "ConditionExpression": "a = b", "ConditionalOperator": "OR"}');
SELECT f('foo(a) = b'), f('contains(a, b) = c'), f('attribute_exists(a, b)'), f('size(a)'), f('a = b c'), u('SET a = contains(a, b)');
--
-- 20. to 25. Conditions on item c
--
SELECT f('a < :v', '{":v": {"BOOL": true}}'), f('a BETWEEN :v AND :w', '{":v": {"N": "1"}, ":w": {"S": "1"}}'), f('begins_with(a, :v)', '{":v": {"N": "1"}}'), f('size(:v) = a', '{":v": {"N": "1"}}');
SELECT c('t < t2'), c('n < s'), c('n BETWEEN s AND hi'), c('begins_with(n, s)'), c('size(n) > :v', '{":v": {"N": "0"}}');
SELECT c('x = y'), c('x <> y'), c('x < n'), c('n <> s'), c('n = s'), c('NOT x = y');
SELECT c('n BETWEEN lo AND hi'), c(':v BETWEEN lo AND hi', '{":v": {"N": "9.0"}}'), c('n BETWEEN hi AND lo'), f('n BETWEEN :a AND :b', '{":a": {"N": "2"}, ":b": {"N": "1"}}');
SELECT c('contains(s, :v)', '{":v": {"S": "ell"}}'), c('contains(b, :v)', '{":v": {"B": "YmM="}}'), c('contains(ns, :v)', '{":v": {"N": "1.0"}}'), c('contains(l, :v)', '{":v": {"M": {"s": {"SS": ["y", "x"]}}}}'),
	c('contains(ss, :v)', '{":v": {"SS": ["a"]}}'), c('contains(m, :v)', '{":v": {"S": "k"}}'), c('contains(n, :v)', '{":v": {"N": "5"}}'), f('contains(a, a)');
SELECT c('size(s) = :v', '{":v": {"N": "5"}}'), c('size(b) = :v', '{":v": {"N": "3"}}'), c('size(ns) = size(ss)'), c('size(l) = :v', '{":v": {"N": "1"}}'), c('size(m) = :v', '{":v": {"N": "2"}}'), c('size(t) = :v', '{":v": {"N": "1"}}'), c('size(x) <> :v', '{":v": {"N": "1"}}');
SELECT f('attribute_exists(a) = b'), f('attribute_exists(:v)', '{":v": {"N": "1"}}'), f('attribute_type(a, b)'), f('attribute_type(a, :v)', '{":v": {"S": "X"}}'), c('attribute_type(m, :v)', '{":v": {"S": "M"}}');
SELECT c('n = n2 OR n = :v AND n = n2', '{":v": {"N": "5"}}'), c('n = :v OR n = n2 AND n = n3', '{":v": {"N": "5"}}'), c('NOT n = n2 AND n = :v', '{":v": {"N": "5"}}'), c('NOT NOT NOT n = n2');
--
-- 26. A missing item
--
SELECT api('PutItem', '{"TableName": "one", "Item": {"pk": {"S": "absent"}}, "ConditionExpression": "attribute_exists(pk)"}'),
	api('UpdateItem', '{"TableName": "one", "Key": {"pk": {"S": "absent"}}, "UpdateExpression": "SET a = :a", "ConditionExpression": "a = :a", "ExpressionAttributeValues": {":a": {"N": "1"}}}'), api('GetItem', '{"TableName": "one", "Key": {"pk": {"S": "absent"}}}');
SELECT i, api('PutItem', '{"TableName": "one", "Item": {"pk": {"S": "fresh"}}, "ConditionExpression": "pk <> :k", "ExpressionAttributeValues": {":k": {"S": "fresh"}}}') FROM generate_series(1, 2) i;
--
-- 27. to 34. Updates
--
SELECT put('{"pk": {"S": "u"}, "a": {"S": "A"}, "b": {"S": "B"}, "l": {"L": [{"N": "0"}, {"N": "1"}, {"N": "2"}, {"N": "3"}]}, "m": {"M": {"x": {"N": "1"}}}, "ss": {"SS": ["p", "q"]}, "n": {"N": "1"}}');
SELECT u('SET a = b, b = a', rv => 'UPDATED_NEW'), u('REMOVE l[1] SET l[3] = :v', '{":v": {"S": "fourth"}}', rv => 'NONE'), u('SET n = n + :one, c = n', '{":one": {"N": "1"}}', rv => 'UPDATED_NEW');
SELECT api('GetItem', '{"TableName": "one", "Key": {"pk": {"S": "u"}}, "ProjectionExpression": "l"}');
SELECT u('SET a = b SET c = d'), u('SET a = b, a = c'), u('SET a = b REMOVE a.c'), u('SET a.b = c, a[0] = d'), api('Scan', '{"TableName": "bin", "ProjectionExpression": "a.b, a"}'), api('Scan', '{"TableName": "bin", "ProjectionExpression": "a[0], a.b"}');
SELECT u('SET l[9] = :v, l[7] = :w', '{":v": {"S": "nine"}, ":w": {"S": "seven"}}', rv => 'NONE'), u('REMOVE l[20]', rv => 'NONE'), u('REMOVE l[0], l[2], l[3]', rv => 'NONE'), u('REMOVE m.x', rv => 'NONE');
SELECT api('GetItem', '{"TableName": "one", "Key": {"pk": {"S": "u"}}, "ProjectionExpression": "l, m"}'), u('REMOVE l[0], l[1]', rv => 'NONE'), api('GetItem', '{"TableName": "one", "Key": {"pk": {"S": "u"}}, "ProjectionExpression": "l"}');
SELECT u('SET zz.a = :v', '{":v": {"N": "1"}}'), u('REMOVE zz.a'), u('REMOVE m.zz', rv => 'UPDATED_NEW'), u('REMOVE zz.a.b', k => 'missing'), u('REMOVE a', k => 'missing');
SELECT api('GetItem', '{"TableName": "one", "Key": {"pk": {"S": "missing"}}}'), u(NULL, k => 'missing1'), u('ADD a :v', '{":v": {"N": "2"}}', k => 'missing2'), u('DELETE ss :v', '{":v": {"SS": ["q", "p", "o"]}}', rv => 'UPDATED_OLD'), u('DELETE ss :v', '{":v": {"SS": ["q"]}}', rv => 'UPDATED_NEW');
SELECT u('SET a = b + c + d'), u('SET v = if_not_exists(x, :v) + if_not_exists(y, :v)', '{":v": {"N": "2"}}', rv => 'UPDATED_NEW'), u('SET a = if_not_exists(x, y + z)'), u('SET a = list_append(if_not_exists(x, :e), :e)', '{":e": {"L": [{"N": "1"}]}}', rv => 'UPDATED_NEW');
SELECT u('ADD fresh :v', '{":v": {"N": "-3"}}', rv => 'UPDATED_NEW'), u('ADD fs :v', '{":v": {"NS": ["3", "1"]}}', rv => 'UPDATED_NEW'), u('ADD fs :v', '{":v": {"NS": ["2", "1.0"]}}', rv => 'UPDATED_NEW'), u('ADD fs :v', '{":v": {"SS": ["2"]}}'), u('ADD a :v', '{":v": {"L": []}}');
SELECT api('UpdateItem', '{"TableName": "one", "Key": {"pk": {"S": "u"}}, "AttributeUpdates": {"a": {"Action": "ADD", "Value": {"L": [{"N": "2"}]}}}, "ReturnValues": "UPDATED_NEW"}');
SELECT u('SET pk = :v', '{":v": {"S": "u"}}'), u('REMOVE pk'), u('ADD pk.a :v', '{":v": {"N": "1"}}');
--
-- 35. and 36. Values returned
--
SELECT api('PutItem', '{"TableName": "one", "Item": {"pk": {"S": "r"}}, "ReturnValues": "ALL_NEW"}'), api('DeleteItem', '{"TableName": "one", "Key": {"pk": {"S": "r"}}, "ReturnValues": "UPDATED_OLD"}'), api('PutItem', '{"TableName": "one", "Item": {"pk": {"S": "r"}}, "ReturnValues": "all_old"}');
SELECT put('{"pk": {"S": "r"}, "m": {"M": {"x": {"N": "1"}, "y": {"N": "2"}}}, "l": {"L": [{"N": "0"}, {"M": {"p": {"N": "1"}, "q": {"N": "2"}}}, {"N": "2"}]}}');
SELECT u('SET m.x = :v, l[1].p = :v', '{":v": {"S": "new"}}', NULL, 'UPDATED_OLD', 'r'), u('SET m.x = :v, l[1].p = :v', '{":v": {"S": "newer"}}', NULL, 'UPDATED_NEW', 'r');
SELECT u('SET m.w = :v', '{":v": {"N": "3"}}', NULL, 'UPDATED_OLD', 'r'), u('REMOVE m.w', NULL, NULL, 'UPDATED_NEW', 'r'), u('SET l[9] = :v', '{":v": {"N": "3"}}', NULL, 'UPDATED_NEW', 'r'), u('REMOVE l[0]', NULL, NULL, 'UPDATED_NEW', 'r');
SELECT api('DeleteItem', '{"TableName": "one", "Key": {"pk": {"S": "fresh"}}, "ConditionExpression": "attribute_exists(a)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}'),
	api('DeleteItem', '{"TableName": "one", "Key": {"pk": {"S": "none"}}, "ConditionExpression": "attribute_exists(a)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}');
--
-- 37. Key conditions
--
SELECT count(*) FROM unnest(ARRAY['-1e125', '-1.5', '-1', '-1e-130', '0', '1e-130', '1', '1.5', '9', '10']) s, LATERAL (SELECT api('PutItem', json_build_object('TableName', 'num', 'Item',
	json_build_object('pk', '{"S": "n"}'::json, 'sk', json_build_object('N', s), 'z', '{"N": "1"}'::json)))) x;
SELECT cond, q('num', 'pk = :p AND ' || cond, '{":p": {"S": "n"}, ":v": {"N": "1.0"}}'), q('num', 'pk = :p AND ' || cond, '{":p": {"S": "n"}, ":v": {"N": "1.0"}}', '{"ScanIndexForward": false, "Limit": 2}')
FROM unnest(ARRAY['sk = :v', 'sk > :v', 'sk >= :v', ':v < sk', 'sk BETWEEN :v AND :v']) cond;
SELECT q('num', 'pk = :p AND sk BETWEEN :v AND :w', '{":p": {"S": "n"}, ":v": {"N": "-1"}, ":w": {"N": "0"}}') = '-1 -0.' || repeat('0', 129) || '1 0';
SELECT cond, q('num', cond, '{":p": {"S": "n"}, ":v": {"N": "1"}}') FROM unnest(ARRAY['pk = :p AND begins_with(sk, :v)', 'pk = :p AND sk <> :v', 'pk = :p OR sk = :v', 'NOT pk = :p AND sk = :v', 'pk = :p AND sk IN (:v)',
	'sk = :p AND sk = :v', 'pk = :p AND sk > :v AND sk < :v', 'sk = :v AND z = :p', 'pk > :p AND sk = :v', 'pk = :p AND z = :v', 'pk = :p AND sk = :v AND z = :v', 'pk = :v AND sk = :p', 'pk = :p AND size(sk) = :v', 'pk = :p AND sk.a = :v',
	'pk = :p AND :v = :v', 'pk = :p AND sk = pk AND z = :v', 'pk = :p AND attribute_exists(sk) AND z = :v', ':p BETWEEN pk AND :v']) cond;
SELECT q('one', 'pk = :p AND sk = :v', '{":p": {"S": "n"}, ":v": {"N": "1"}}'), q('num', 'pk = :p AND sk BETWEEN :v AND :w', '{":p": {"S": "n"}, ":v": {"N": "2"}, ":w": {"N": "1"}}'), q('num', 'pk = :p AND sk < :v', '{":p": {"S": "n"}, ":v": {"BOOL": true}}');
SELECT api('Query', '{"TableName": "num", "KeyConditions": {"pk": {"ComparisonOperator": "EQ", "AttributeValueList": [{"S": "n"}]}, "sk": {"ComparisonOperator": "BETWEEN", "AttributeValueList": [{"N": "2"}, {"N": "1"}]}}}');
--
-- 38. Filters
--
SELECT q('num', 'pk = :p', '{":p": {"S": "n"}}', '{"FilterExpression": "z > sk"}'), c('pk > :v', '{":v": {"S": "b"}}');
--
-- 39. and 40. Pages
--
SELECT api('Query', '{"TableName": "num", "KeyConditionExpression": "pk = :p", "FilterExpression": "z > :v", "ExpressionAttributeValues": {":p": {"S": "n"}, ":v": {"N": "1"}}, "ScanIndexForward": false, "Limit": 3}');
SELECT q('num', 'pk = :p AND sk > :v', '{":p": {"S": "n"}, ":v": {"N": "1"}}', '{"Limit": 3}'), q('num', 'pk = :p AND sk > :v', '{":p": {"S": "n"}, ":v": {"N": "1"}}', '{"Limit": 4}'),
	q('num', 'pk = :p AND sk > :v', '{":p": {"S": "n"}, ":v": {"N": "1"}}', '{"Limit": 3, "ExclusiveStartKey": {"pk": {"S": "n"}, "sk": {"N": "10"}}}');
SELECT q('num', 'pk = :p', '{":p": {"S": "n"}}', '{"ExclusiveStartKey": {"pk": {"S": "n"}, "sk": {"N": "1.2"}}}'), q('num', 'pk = :p AND sk >= :v', '{":p": {"S": "n"}, ":v": {"N": "1"}}', '{"ScanIndexForward": false, "ExclusiveStartKey": {"pk": {"S": "n"}, "sk": {"N": "9.5"}}}');
SELECT i, api('PutItem', json_build_object('TableName', 'two', 'Item', json_build_object('pk', '{"S": "big"}'::json, 'sk', json_build_object('S', 's' || i), 'v', json_build_object('S', repeat('x', 349500))))) FROM generate_series(1, 4) i;
SELECT q('two', 'pk = :p', '{":p": {"S": "big"}}'), api('Query', '{"TableName": "two", "KeyConditionExpression": "pk = :p", "FilterExpression": "v = :p", "ExpressionAttributeValues": {":p": {"S": "big"}}, "Select": "COUNT"}');
--
-- 41. Starting keys
--
SELECT k, q('num', 'pk = :p AND sk < :v', '{":p": {"S": "n"}, ":v": {"N": "0"}}', json_build_object('ExclusiveStartKey', k::json)::text), api('Scan', json_build_object('TableName', 'num', 'ExclusiveStartKey', k::json, 'Select', 'COUNT'))
FROM unnest(ARRAY['{}', '{"pk": {"S": "n"}}', '{"pk": {"N": "1"}, "sk": {"N": "1"}}', '{"pk": {"S": "n"}, "sk": {"S": "1"}}', '{"pk": {"S": "n"}, "sk": {"N": "1"}, "z": {"N": "1"}}', '{"pk": {"S": "n"}, "sk": {"N": "0"}}', '{"pk": {"S": ""}, "sk": {"N": "0"}}']) k;
SELECT q('num', 'pk = :p AND sk < :v', '{":p": {"S": "n"}, ":v": {"N": "0"}}', '{"ExclusiveStartKey": {"pk": {"S": "o"}, "sk": {"N": "-1"}}}');
SELECT count(*) FILTER (WHERE r ~ 'Invalid ExclusiveStartKey. Please use ExclusiveStartKey with correct Segment. TotalSegments: 3 Segment: '), count(*) FILTER (WHERE r ~ '^{"Count"') FROM generate_series(0, 2) s,
	LATERAL api('Scan', json_build_object('TableName', 'num', 'Segment', s, 'TotalSegments', 3, 'Select', 'COUNT', 'ExclusiveStartKey', '{"pk": {"S": "n"}, "sk": {"N": "9"}}'::json)) r;
SELECT api('Scan', '{"TableName": "nowhere", "Segment": 1, "FilterExpression": "", "ExpressionAttributeNames": {}}'), api('Scan', '{"TableName": "nowhere", "TotalSegments": 1}'), api('Scan', '{"TableName": "nowhere", "Segment": 3, "TotalSegments": 3}');
SELECT q('num', 'pk = :p AND sk = :z', '{":p": {"S": "n"}}', '{"ExclusiveStartKey": {"pk": {"S": {}}}}'), q('num', 'pk = :p AND sk = :z', '{":p": {"S": "n"}}', '{"ExclusiveStartKey": {"pk": {"N": "x"}}}');
--
-- 43. Projections and Select
--
SELECT api('Query', '{"TableName": "num", "KeyConditionExpression": "pk = :p AND sk > :v", "ExpressionAttributeValues": {":p": {"S": "n"}, ":v": {"N": "1"}}, "ProjectionExpression": "nothing.there[3]"}');
SELECT s, p, api('Scan', ('{"TableName": "two", "Limit": 1, "Select": "' || s || '"' || p || '}')::json) ~ '^{' FROM unnest(ARRAY['COUNT', 'ALL_ATTRIBUTES', 'SPECIFIC_ATTRIBUTES', 'ALL_PROJECTED_ATTRIBUTES']) s, unnest(ARRAY['', ', "ProjectionExpression": "a"', ', "AttributesToGet": ["a"]']) p;
--
-- 49. and 50. Tables
--
SELECT api('Scan', '{"TableName": "one", "IndexName": "none"}'), api('Scan', '{"TableName": "nowhere", "IndexName": "none"}'), api('Scan', '{"TableName": "no!where"}'), api('GetItem', '{"TableName": "no", "Key": {}}'), api('GetItem', '{"TableName": "", "Key": {}}');
SELECT api('DescribeTable', '{}'), api('CreateTable', '{"KeySchema": []}'), api('DeleteTable', '{"TableName": null}'), api('PutItem', '{"Item": {}}');
SELECT api('CreateTable', '{"TableName": "extra", "BillingMode": "PAY_PER_REQUEST", "AttributeDefinitions": [{"AttributeName": "a", "AttributeType": "S"}, {"AttributeName": "b", "AttributeType": "S"}], "KeySchema": [{"AttributeName": "a", "KeyType": "HASH"}]}');
--
-- 51. Batches
--
SELECT api('BatchWriteItem', '{"RequestItems": {"num": [{"PutRequest": {"Item": {"pk": {"S": "w"}, "sk": {"N": "1"}}}}, {"DeleteRequest": {"Key": {"sk": {"N": "1.0"}, "pk": {"S": "w"}}}}]}}'),
	api('BatchGetItem', '{"RequestItems": {"num": {"Keys": [{"pk": {"S": "w"}, "sk": {"N": "10"}}, {"sk": {"N": "1e1"}, "pk": {"S": "w"}}]}}}');
SELECT api('BatchWriteItem', '{"RequestItems": {"one": [{"PutRequest": {"Item": {"pk": {"S": "w"}}}}], "two": [{"PutRequest": {"Item": {"pk": {"S": "w"}, "sk": {"S": "w"}}}}]}}'),
	api('BatchGetItem', '{"RequestItems": {"one": {"Keys": [{"pk": {"S": "w"}}]}, "two": {"Keys": [{"pk": {"S": "w"}, "sk": {"S": "none"}}]}}}');
SELECT api('BatchGetItem', '{"RequestItems": {"one": {"Keys": [{"pk": {"S": "w"}}], "ProjectionExpression": "pk"}, "two": {"Keys": [{"pk": {"S": "w"}, "sk": {"S": "w"}}], "AttributesToGet": ["pk"]}}}');
-- keys left over come back as they were asked for, without the request's white space
SELECT count(*) FROM generate_series(1, 45) i, LATERAL put(json_build_object('pk', json_build_object('S', 'left' || i), 'v', json_build_object('S', repeat('x', 400000)))::text) WHERE put = '{}';
SELECT substr(r, strpos(r, '"UnprocessedKeys"'), 100) FROM api('BatchGetItem', (SELECT json_build_object('RequestItems', json_build_object('one', json_build_object('ProjectionExpression', '#p', 'ExpressionAttributeNames', '{ "#p" : "pk" }'::json,
	'Keys', json_agg(('{ "pk" : { "S" : "left' || i || '" } }')::json)))) FROM generate_series(1, 45) i)) r;
--
-- 52. and 53. Transactions
--
SELECT api('TransactWriteItems', '{"TransactItems": [
	{"Put": {"TableName": "one", "Item": {"pk": {"S": "w"}}, "ConditionExpression": "attribute_not_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
	{"Delete": {"TableName": "one", "Key": {"pk": {"S": "other"}}}},
	{"ConditionCheck": {"TableName": "one", "Key": {"pk": {"S": "none"}}, "ConditionExpression": "attribute_exists(pk)", "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}},
	{"Update": {"TableName": "one", "Key": {"pk": {"S": "w2"}}, "UpdateExpression": "SET a = b"}}]}');
SELECT api('TransactWriteItems', '{"TransactItems": [
	{"Put": {"TableName": "one", "Item": {"pk": {"S": "w3"}}}},
	{"Delete": {"TableName": "one", "Key": {"pk": {"N": "1"}}}},
	{"Update": {"TableName": "one", "Key": {"pk": {"S": "w2"}}, "UpdateExpression": "SET pk = :v", "ExpressionAttributeValues": {":v": {"S": "x"}}}}]}');
SELECT api('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "num", "Item": {"pk": {"S": "t"}, "sk": {"N": "1"}}}}, {"Delete": {"TableName": "num", "Key": {"pk": {"S": "t"}, "sk": {"N": "1.0"}}}}]}'),
	api('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "one", "Item": {"pk": {"S": "t"}}}}, {"Delete": {"TableName": "nowhere", "Key": {"pk": {"S": "t"}}}}]}'),
	api('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "one", "Key": {"pk": {"S": "w"}}}}, {"Get": {"TableName": "one", "Key": {"pk": {"S": "none"}}}}]}');
-- what a request says is wrong as a whole, the first mistake first
SELECT api('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "one", "Item": {"pk": {"S": "t"}}, "ConditionExpression": "a = = b"}}, {"Put": {"TableName": "one", "Item": {"pk": {"N": "x"}}}}]}'),
	api('TransactWriteItems', '{"TransactItems": [{"Put": {"TableName": "one", "Item": {"pk": {"S": ""}}}}]}'), api('TransactGetItems', '{"TransactItems": [{"Get": {"TableName": "one", "Key": {"pk": {"S": ""}}}}]}'),
	api('TransactWriteItems', json_build_object('TransactItems', json_build_array(json_build_object('Put', json_build_object('TableName', 'one', 'Item', json_build_object('pk', '{"S": "t"}'::json, 'v', json_build_object('S', repeat('x', 409600))))))));
SELECT api('TransactWriteItems', '{"ClientRequestToken": "semantics", "TransactItems": [{"Update": {"TableName": "one", "Key": {"pk": {"S": "token"}}, "UpdateExpression": "ADD n :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}}]}'),
	api('TransactWriteItems', '{"TransactItems": [{"Update": {"ExpressionAttributeValues": {":n": {"N": "1.0"}}, "UpdateExpression": "ADD n :n", "Key": {"pk": {"S": "token"}}, "TableName": "one"}}], "ClientRequestToken": "semantics"}'),
	api('TransactWriteItems', '{"ClientRequestToken": "semantics", "TransactItems": [{"Update": {"TableName": "one", "Key": {"pk": {"S": "token"}}, "UpdateExpression": "ADD n :n", "ExpressionAttributeValues": {":n": {"N": "2"}}}}]}'),
	api('GetItem', '{"TableName": "one", "Key": {"pk": {"S": "token"}}}');
--
-- 54. The order of checks: each request lacks the mistake that the one before was told of
--
SELECT r, api('UpdateItem', r::json) FROM unnest(ARRAY[
	'{"TableName": "nowhere", "Key": {"a": {"S": 1}}, "ReturnValues": "X", "UpdateExpression": "", "AttributeUpdates": {}, "ExpressionAttributeNames": {"a": ""}, "ExpressionAttributeValues": {":b": {"N": "x"}, "b": {}}}',
	'{"TableName": "nowhere", "Key": {"a": {}}, "ReturnValues": "X", "UpdateExpression": "", "AttributeUpdates": {}, "ExpressionAttributeNames": {"a": ""}, "ExpressionAttributeValues": {":b": {"N": "x"}, "b": {}}}',
	'{"TableName": "nowhere", "Key": {"a": {}}, "UpdateExpression": "", "AttributeUpdates": {}, "ExpressionAttributeNames": {"a": ""}, "ExpressionAttributeValues": {":b": {"N": "x"}, "b": {}}}',
	'{"TableName": "nowhere", "Key": {"a": {}}, "ExpressionAttributeNames": {"a": ""}, "ExpressionAttributeValues": {":b": {"N": "x"}, "b": {}}}',
	'{"TableName": "nowhere", "Key": {"a": {}}, "UpdateExpression": "", "ExpressionAttributeNames": {"a": ""}, "ExpressionAttributeValues": {":b": {"N": "x"}, "b": {}}}',
	'{"TableName": "nowhere", "Key": {"a": {"S": "x"}}, "UpdateExpression": "", "ExpressionAttributeNames": {"a": ""}, "ExpressionAttributeValues": {":b": {"N": "x"}, "b": {}}}',
	'{"TableName": "nowhere", "Key": {"a": {"S": "x"}}, "UpdateExpression": "", "ExpressionAttributeNames": {"#a": ""}, "ExpressionAttributeValues": {":b": {"N": "x"}, "b": {}}}',
	'{"TableName": "nowhere", "Key": {"a": {"S": "x"}}, "UpdateExpression": "", "ExpressionAttributeNames": {"#a": "a"}, "ExpressionAttributeValues": {":b": {"N": "x"}, "b": {}}}',
	'{"TableName": "nowhere", "Key": {"a": {"S": "x"}}, "UpdateExpression": "", "ExpressionAttributeNames": {"#a": "a"}, "ExpressionAttributeValues": {":b": {"N": "x"}}}',
	'{"TableName": "nowhere", "Key": {"a": {"S": "x"}}, "UpdateExpression": "", "ExpressionAttributeNames": {"#a": "a"}, "ExpressionAttributeValues": {":b": {"N": "1"}}}',
	'{"TableName": "nowhere", "Key": {"a": {"S": "x"}}, "UpdateExpression": "SET a = c", "ExpressionAttributeNames": {"#a": "a"}, "ExpressionAttributeValues": {":b": {"N": "1"}}}',
	'{"TableName": "nowhere", "Key": {"a": {"S": "x"}}, "UpdateExpression": "SET #a = :b", "ExpressionAttributeNames": {"#a": "pk"}, "ExpressionAttributeValues": {":b": {"N": "1"}}}',
	'{"TableName": "one", "Key": {"a": {"S": "x"}}, "UpdateExpression": "SET #a = :b", "ExpressionAttributeNames": {"#a": "pk"}, "ExpressionAttributeValues": {":b": {"N": "1"}}}',
	'{"TableName": "one", "Key": {"a": {"S": "x"}}, "UpdateExpression": "SET #a = :b", "ExpressionAttributeNames": {"#a": "a"}, "ExpressionAttributeValues": {":b": {"N": "1"}}}']) r;
SELECT api('PutItem', json_build_object('TableName', 'nowhere', 'Item', json_build_object('a', json_build_object('S', repeat('x', 409600))))),
	api('Query', '{"TableName": "nowhere", "KeyConditionExpression": "a", "FilterExpression": "b", "ProjectionExpression": "c d"}'), api('Query', '{"TableName": "nowhere", "KeyConditionExpression": "a = b", "FilterExpression": "b", "ProjectionExpression": "c d"}'),
	api('Query', '{"TableName": "nowhere", "KeyConditionExpression": "a = b", "FilterExpression": "b = c", "ProjectionExpression": "c d"}');

SELECT r, api('Query', ('{"TableName": "nowhere", ' || r || '}')::json) FROM unnest(ARRAY[
	'"QueryFilter": {"f": {"ComparisonOperator": "LT"}}, "AttributesToGet": ["a", "a"], "ExclusiveStartKey": {"k": {"N": "x"}}, "KeyConditions": {"k": {"ComparisonOperator": "EQ", "AttributeValueList": [{}]}}',
	'"QueryFilter": {}, "AttributesToGet": ["a", "a"], "ExclusiveStartKey": {"k": {"N": "x"}}, "KeyConditions": {"k": {"ComparisonOperator": "EQ", "AttributeValueList": [{}]}}',
	'"QueryFilter": {}, "AttributesToGet": ["a"], "ExclusiveStartKey": {"k": {"N": "x"}}, "KeyConditions": {"k": {"ComparisonOperator": "EQ", "AttributeValueList": [{}]}}',
	'"QueryFilter": {}, "AttributesToGet": ["a"], "ExclusiveStartKey": {"k": {"N": "1"}}, "KeyConditions": {"k": {"ComparisonOperator": "EQ", "AttributeValueList": [{}]}}',
	'"KeyConditions": {"k": {"ComparisonOperator": "EQ", "AttributeValueList": []}}', '"KeyConditions": {}', '"QueryFilter": {}',
	'"KeyConditions": {"k": {"ComparisonOperator": "NULL"}}']) r;

SELECT ddb.drop_table(t) FROM unnest('{one, two, num, bin}'::regclass[]) t;
SET client_min_messages = warning;
DROP SCHEMA api_semantics CASCADE;
