-- The old-style parameters mean what expressions mean, with a few differences.
\pset format unaligned
\pset tuples_only on
SELECT ddb.create_table('old', 'PK');

-- Expected as it is written in a request: true, false, or the error.
CREATE FUNCTION expected(condition json, operator text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ddb.api('UpdateItem', json_strip_nulls(json_build_object('TableName', 'old', 'Key', json '{"PK": {"S": "p"}}', 'AttributeUpdates', json '{}', 'Expected', condition, 'ConditionalOperator', operator)));
	RETURN true;
EXCEPTION WHEN SQLSTATE 'YD002' THEN RETURN false;
	WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
-- One comparison of one attribute.
CREATE FUNCTION is(attribute text, operator text, vals json DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
	SELECT expected(json_build_object(attribute, json_strip_nulls(json_build_object('ComparisonOperator', operator, 'AttributeValueList', vals))))
$$;
SELECT ddb.put_item('old', '{"PK": {"S": "p"}, "n": {"N": "5"}, "s": {"S": "hello"}, "b": {"B": "aGk="}, "t": {"BOOL": true}, "z": {"NULL": true}, "ns": {"NS": ["1", "2"]}, "l": {"L": [{"N": "1"}, {"S": "x"}]}, "m": {"M": {"a": {"N": "1"}}}}'::ddb.item);

SELECT a || ' ' || o || ' ' || coalesce(v, ''), is(a, o, v::json) FROM (VALUES
	('n', 'EQ', '[{"N": "5.0"}]'), ('n', 'EQ', '[{"S": "5"}]'), ('q', 'EQ', '[{"N": "5"}]'), ('ns', 'EQ', '[{"NS": ["2", "1"]}]'), ('m', 'EQ', '[{"M": {"a": {"N": "1"}}}]'), ('t', 'EQ', '[{"BOOL": true}]'), ('n', 'EQ', '[{"N": "5"}, {"N": "6"}]'), ('n', 'EQ', '[]'), ('n', 'EQ', NULL),
	('n', 'NE', '[{"N": "5"}]'), ('n', 'NE', '[{"S": "5"}]'), ('q', 'NE', '[{"N": "5"}]'),
	('n', 'LT', '[{"N": "6"}]'), ('n', 'LE', '[{"N": "5"}]'), ('n', 'GT', '[{"N": "5"}]'), ('n', 'GE', '[{"N": "5"}]'), ('s', 'LT', '[{"S": "hellp"}]'), ('n', 'LT', '[{"S": "6"}]'), ('q', 'GE', '[{"N": "5"}]'), ('n', 'LT', '[{"L": []}]'), ('n', 'GT', '[{"BOOL": true}]'),
	('n', 'BETWEEN', '[{"N": "5"}, {"N": "7"}]'), ('n', 'BETWEEN', '[{"N": "6"}, {"N": "7"}]'), ('n', 'BETWEEN', '[{"N": "7"}, {"N": "6"}]'), ('n', 'BETWEEN', '[{"N": "4"}, {"S": "6"}]'), ('n', 'BETWEEN', '[{"N": "4"}]'), ('ns', 'BETWEEN', '[{"NS": ["1"]}, {"NS": ["2"]}]'),
	('n', 'IN', '[{"N": "4"}, {"N": "5"}]'), ('n', 'IN', '[{"N": "4"}]'), ('n', 'IN', '[]'), ('n', 'IN', '[{"N": "4"}, {"S": "5"}]'), ('l', 'IN', '[{"L": []}]'), ('ns', 'IN', '[{"N": "1"}]'),
	('s', 'BEGINS_WITH', '[{"S": "hell"}]'), ('b', 'BEGINS_WITH', '[{"B": "aA=="}]'), ('n', 'BEGINS_WITH', '[{"S": "5"}]'), ('s', 'BEGINS_WITH', '[{"N": "5"}]'), ('q', 'BEGINS_WITH', '[{"S": ""}]'),
	('s', 'CONTAINS', '[{"S": "ell"}]'), ('ns', 'CONTAINS', '[{"N": "2.0"}]'), ('l', 'CONTAINS', '[{"S": "x"}]'), ('q', 'CONTAINS', '[{"S": "x"}]'), ('s', 'CONTAINS', '[{"N": "1"}]'), ('l', 'CONTAINS', '[{"L": []}]'),
	-- no attribute: neither contains nor does not
	('s', 'NOT_CONTAINS', '[{"S": "ell"}]'), ('s', 'NOT_CONTAINS', '[{"S": "elo"}]'), ('s', 'NOT_CONTAINS', '[{"N": "1"}]'), ('ns', 'NOT_CONTAINS', '[{"N": "3"}]'), ('q', 'NOT_CONTAINS', '[{"N": "1"}]'), ('l', 'NOT_CONTAINS', '[{"NS": ["1"]}]'),
	('q', 'NULL', NULL), ('z', 'NULL', NULL), ('n', 'NULL', '[{"N": "1"}]'), ('z', 'NOT_NULL', '[]'), ('q', 'NOT_NULL', NULL)) t(a, o, v);

SELECT e, expected(e::json) FROM (VALUES
	('{"n": {"Value": {"N": "5"}}}'), ('{"n": {"Value": {"N": "6"}}}'), ('{"n": {"Exists": true, "Value": {"N": "5"}}}'), ('{"q": {"Exists": false}}'), ('{"n": {"Exists": false}}'), ('{"n": {"Exists": true}}'), ('{"n": {}}'), ('{"n": {"Exists": false, "Value": {"N": "5"}}}'),
	('{"n": {"Exists": false, "ComparisonOperator": "NULL"}}'), ('{"n": {"AttributeValueList": [{"N": "5"}]}}'), ('{"n": {"Value": {"N": "5"}, "ComparisonOperator": "GE"}}'), ('{"n": {"Value": {"N": "5"}, "AttributeValueList": [{"N": "5"}], "ComparisonOperator": "EQ"}}'), ('{}')) t(e);
SELECT o, expected('{"n": {"Value": {"N": "5"}}, "s": {"ComparisonOperator": "NOT_CONTAINS", "AttributeValueList": [{"S": "ell"}]}, "q": {"Exists": false}}', o) FROM (VALUES (NULL), ('AND'), ('OR')) t(o);

-- AttributeUpdates: one action for each attribute; ADD appends to lists
CREATE FUNCTION updated(updates json) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ddb.put_item('old', '{"PK": {"S": "u"}, "n": {"N": "5"}, "s": {"S": "x"}, "ns": {"NS": ["1", "2"]}, "l": {"L": [{"N": "1"}]}}'::ddb.item);
	RETURN ddb.api('UpdateItem', json_build_object('TableName', 'old', 'Key', json '{"PK": {"S": "u"}}', 'AttributeUpdates', updates, 'ReturnValues', 'UPDATED_NEW'));
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT e, updated(e::json) FROM (VALUES
	('{"n": {"Value": {"N": "1"}}}'), ('{"n": {"Action": "PUT", "Value": {"S": "1"}}, "new": {"Value": {"L": []}}}'), ('{"n": {"Action": "ADD", "Value": {"N": "-7"}}, "new": {"Action": "ADD", "Value": {"N": "3"}}}'),
	('{"ns": {"Action": "ADD", "Value": {"NS": ["2.0", "3"]}}}'), ('{"l": {"Action": "ADD", "Value": {"L": [{"N": "2"}, {"S": "y"}]}}, "k": {"Action": "ADD", "Value": {"L": [{"N": "9"}]}}}'),
	('{"ns": {"Action": "DELETE", "Value": {"NS": ["1"]}}}'), ('{"ns": {"Action": "DELETE", "Value": {"NS": ["1", "2"]}}}'), ('{"ns": {"Action": "DELETE"}, "s": {"Action": "DELETE"}, "q": {"Action": "DELETE"}}'), ('{"a.b[0]": {"Value": {"N": "1"}}}'),
	('{"s": {"Action": "ADD", "Value": {"N": "1"}}}'), ('{"ns": {"Action": "ADD", "Value": {"SS": ["1"]}}}'), ('{"ns": {"Action": "ADD", "Value": {"L": []}}}'), ('{"n": {"Action": "ADD", "Value": {"S": "1"}}}'), ('{"n": {"Action": "ADD"}}'), ('{"n": {}}'),
	('{"ns": {"Action": "DELETE", "Value": {"N": "1"}}}'), ('{"l": {"Action": "DELETE", "Value": {"L": []}}}'), ('{"n": {"Action": "DELETE", "Value": {"NS": ["1"]}}}'), ('{"PK": {"Value": {"S": "u"}}}'), ('{}')) t(e);

DROP FUNCTION expected, is, updated;
SELECT ddb.drop_table('old');
