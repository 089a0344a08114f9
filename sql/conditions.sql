-- Conditions: YD002 and its DETAIL, and the functions that answer instead.
SELECT ddb.create_table('c', 'PK', 'SK');

-- Put if absent, both ways to write it.
SELECT ddb.put_item('c', '{"PK": "a", "SK": "1", "version": 1}', condition => 'attribute_not_exists(PK)');
DO $$
BEGIN
	PERFORM ddb.put_item('c', '{"PK": "a", "SK": "1", "version": 2}', condition => 'attribute_not_exists(PK)');
EXCEPTION WHEN SQLSTATE 'YD002' THEN
	RAISE NOTICE 'trapped: %', SQLERRM;
END
$$;
SELECT ddb.put_item('c', '{"PK": "a", "SK": "1"}', condition => 'PK <> :p', attr_values => '{":p": "a"}');
SELECT ddb.put_item('c', '{"PK": "b", "SK": "1"}', condition => 'PK <> :p', attr_values => '{":p": "b"}');

-- The item comes along when asked for, and only if there was one.
SELECT ddb.put_item('c', '{"PK": "a", "SK": "1"}', condition => 'version = :v', attr_values => '{":v": 7}', return_values_on_failure => 'ALL_OLD');
SELECT ddb.put_item('c', '{"PK": "x", "SK": "1"}', condition => 'version = :v', attr_values => '{":v": 7}', return_values_on_failure => 'ALL_OLD');
SELECT ddb.update_item('c', 'a', '1', update => 'SET version = :v', condition => 'version = :old', attr_values => '{":v": 8, ":old": 7}', return_values_on_failure => 'ALL_OLD');
SELECT ddb.delete_item('c', 'a', '1', condition => 'attribute_not_exists(PK)', return_values_on_failure => 'ALL_OLD');
SELECT ddb.delete_item('c', 'a', '1', condition => 'version = :v', attr_values => '{":v": 7}');
SELECT ddb.get_item('c', 'a', '1')::jsonb, ddb.get_item('c', 'x', '1') IS NULL AS not_made;

-- A condition on a missing item sees no attributes; when false, nothing is made.
SELECT ddb.update_item('c', 'x', '1', update => 'SET a = :a', condition => 'attribute_exists(PK)', attr_values => '{":a": 1}');
SELECT ddb.delete_item('c', 'x', '1', condition => 'attribute_exists(PK)');
SELECT ddb.delete_item('c', 'x', '1', condition => 'attribute_not_exists(PK)') IS NULL AS fine;

-- Errors in a condition come whatever the item is.
SELECT ddb.put_item('c', '{"PK": "q", "SK": "1"}', condition => 'attribute_exists(a) OR :x = :y', attr_values => '{":x": 1}');
SELECT ddb.put_item('c', '{"PK": "q", "SK": "1"}', condition => 'a = :x', attr_values => '{":x": 1, ":y": 2}');
SELECT ddb.put_item('c', '{"PK": "q", "SK": "1"}', attr_values => '{":x": 1}');
SELECT ddb.put_item('c', '{"PK": "q", "SK": "1"}', condition => '');
SELECT ddb.put_item('c', '{"PK": "q", "SK": "1"}', condition => 'size(a)');

-- The try_ functions: an answer, and the transaction goes on.
BEGIN;
SELECT ddb.try_put_item('c', '{"PK": "a", "SK": "1"}', condition => 'attribute_not_exists(PK)') AS put;
SELECT ddb.try_put_item('c', '{"PK": "t", "SK": "1", "version": 1}', condition => 'attribute_not_exists(PK)') AS put;
SELECT ddb.try_update_item('c', 't', '1', update => 'SET version = version + :one', condition => 'version = :v', attr_values => '{":one": 1, ":v": 1}')::jsonb AS updated;
SELECT ddb.try_update_item('c', 't', '1', update => 'SET version = version + :one', condition => 'version = :v', attr_values => '{":one": 1, ":v": 1}')::jsonb AS updated;
SELECT ddb.try_delete_item('c', 't', '1', condition => 'version = :v', attr_values => '{":v": 1}') AS deleted;
SELECT ddb.try_delete_item('c', 't', '1', condition => 'version = :v', attr_values => '{":v": 2}') AS deleted;
SELECT ddb.try_delete_item('c', 't', '1') AS deleted;
COMMIT;
SELECT ddb.try_put_item('c', '{"PK": "t", "SK": "1"}') AS put;
SELECT ddb.try_update_item('c', 't', '1', update => 'SET a = :a', attr_values => '{":a": 1}')::jsonb AS updated;
-- Other errors stay errors.
SELECT ddb.try_put_item('c', '{"PK": "t"}');
SELECT ddb.try_update_item('c', 't', '1', update => 'SET a = b');
SELECT ddb.try_update_item('c', 't', '1');

-- A typed key in plain JSON is explained.
SELECT ddb.try_put_item('c', '{"PK": {"S": "t"}, "SK": {"S": "1"}}');

DROP TABLE c;
