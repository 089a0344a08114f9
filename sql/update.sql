-- update_item: return values, missing items, and what SQL adds to them.
-- The expression language has tests of its own.
SELECT ddb.create_table('u', 'PK', 'SK');

-- A missing item is made by SET and ADD, not by REMOVE or DELETE.
SELECT ddb.update_item('u', 'a', '1', update => 'SET v = :v', attr_values => '{":v": 1}');
SELECT ddb.update_item('u', 'a', '2', update => 'REMOVE v') IS NULL AS not_made;
SELECT ddb.get_item('u', 'a', '2') IS NULL AS not_made;
SELECT ddb.update_item('u', 'a', '2', update => 'DELETE v :s', attr_values => '{":s": {"SS": ["x"]}}'::ddb.item) IS NULL AS not_made;
SELECT ddb.update_item('u', 'a', '3', update => 'ADD n :n', attr_values => '{":n": 5}');

-- What it answers with.
SELECT ddb.put_item('u', '{"PK": "r", "SK": "1", "a": 1, "b": {"c": 2, "d": 3}, "l": [10, 20, 30]}');
SELECT ddb.update_item('u', 'r', '1', update => 'SET a = a + :one, b.c = :x', attr_values => '{":one": 1, ":x": "new"}', return_values => 'UPDATED_OLD')::jsonb;
SELECT ddb.update_item('u', 'r', '1', update => 'SET a = a + :one, b.c = :x', attr_values => '{":one": 1, ":x": "newer"}', return_values => 'UPDATED_NEW')::jsonb;
SELECT ddb.update_item('u', 'r', '1', update => 'SET a = :a', attr_values => '{":a": 9}', return_values => 'ALL_OLD')::jsonb;
SELECT ddb.update_item('u', 'r', '1', update => 'SET a = :a', attr_values => '{":a": 10}', return_values => 'ALL_NEW')::jsonb;
SELECT ddb.update_item('u', 'r', '1', update => 'SET a = :a', attr_values => '{":a": 11}', return_values => 'NONE') IS NULL AS none;
SELECT ddb.update_item('u', 'r', '1', update => 'SET l[1] = :x REMOVE b', attr_values => '{":x": 21}', return_values => 'UPDATED_NEW')::jsonb;
SELECT ddb.update_item('u', 'r', '1', update => 'REMOVE nothing', return_values => 'UPDATED_NEW') IS NULL AS nothing;
SELECT ddb.update_item('u', 'r', '9', update => 'SET a = :a', attr_values => '{":a": 1}', return_values => 'ALL_OLD') IS NULL AS nothing;
SELECT ddb.update_item('u', 'r', '1', update => 'SET a = :a', attr_values => '{":a": 1}', return_values => 'OLD');
SELECT ddb.get_item('u', 'r', '1')::jsonb;

-- The key cannot be assigned, even to what it is.
SELECT ddb.update_item('u', 'r', '1', update => 'SET PK = :p', attr_values => '{":p": "r"}');
SELECT ddb.update_item('u', 'r', '1', update => 'REMOVE SK');

-- A forgotten name puts the expression into the sort key's place.
SELECT ddb.update_item('u', 'r', 'SET a = :a', attr_values => '{":a": 1}');
SELECT ddb.update_item('u', 'r');
SELECT ddb.update_item('u', 'r', update => 'SET a = :a', attr_values => '{":a": 1}');

-- Plain JSON has no sets; a typed value is one cast away.
SELECT ddb.update_item('u', 's', '1', update => 'ADD tags :t', attr_values => '{":t": ["vip"]}');
SELECT ddb.update_item('u', 's', '1', update => 'ADD tags :t', attr_values => '{":t": {"SS": ["vip"]}}'::ddb.item);
SELECT ddb.update_item('u', 's', '1', update => 'ADD tags :t', attr_values => '{":t": {"SS": ["new", "vip"]}}'::ddb.item);
SELECT ddb.update_item('u', 's', '1', update => 'DELETE tags :t', attr_values => '{":t": {"SS": ["new", "vip"]}}'::ddb.item);

-- Errors of evaluation leave the item as it was.
SELECT ddb.update_item('u', 'r', '1', update => 'SET a = nowhere + :one', attr_values => '{":one": 1}');
SELECT ddb.update_item('u', 'r', '1', update => 'SET x.y = :one', attr_values => '{":one": 1}');
SELECT ddb.update_item('u', 'r', '1', update => 'SET l = l + :one', attr_values => '{":one": 1}');
SELECT ddb.update_item('u', 'r', '1', update => 'SET a = :one', attr_values => '{":one": 1, ":two": 2}');
SELECT ddb.update_item('u', 'r', '1', update => 'SET a = :two', attr_values => '{":one": 1}');
SELECT ddb.update_item('u', 'r', '1', update => '');
SELECT ddb.get_item('u', 'r', '1')::jsonb;

-- A counter, many times over in one statement.
SELECT max((ddb.update_item('u', 'COUNTER', 'orders', update => 'ADD n :one', attr_values => '{":one": 1}') ->> 'n')::int)
	FROM generate_series(1, 200);

-- Nesting grows by an update no further than an item may nest.
SELECT ddb.put_item('u', ('{"PK": "deep", "SK": "1", "a": ' || repeat('{"a": ', 30) || '1' || repeat('}', 30) || '}')::json);
SELECT ddb.update_item('u', 'deep', '1', update => 'SET b = a') IS NOT NULL AS fits;
SELECT ddb.update_item('u', 'deep', '1', update => 'SET a.a.b = a');

DROP TABLE u;
