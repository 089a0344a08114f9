-- What an update shows of itself: UPDATED_OLD and UPDATED_NEW; and updates of
-- items that are not there.
\pset format unaligned
\pset tuples_only on
SELECT ddb.create_table('r', 'PK', 'SK');

-- The item before, the update, and what it returns in plain JSON; a NULL item is none.
CREATE FUNCTION r(item jsonb, update text, vals ddb.doc, return_values text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ddb.delete_item('r', 'p', 's');
	IF item IS NOT NULL THEN
		PERFORM ddb.put_item('r', item || '{"PK": "p", "SK": "s"}');
	END IF;
	RETURN ddb.update_item('r', 'p', 's', update => update, attr_values => vals, return_values => return_values)::json;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- Is there an item after an update of none?
CREATE FUNCTION made(update text, vals ddb.doc) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ddb.delete_item('r', 'p', 's');
	PERFORM r(NULL, update, vals, 'NONE');
	RETURN ddb.get_item('r', 'p', 's') IS NOT NULL;
END $$;

-- Only what the paths touch, inside its bare parents: old values in the old item, new ones in the new
SELECT e, r(i, e, v, 'UPDATED_OLD') AS old, r(i, e, v, 'UPDATED_NEW') AS new FROM (VALUES ('{"a": {"b": "dog", "c": [1, 2, 3], "n": 5}, "d": "cat", "e": [10, 20, 30, 40]}'::jsonb)) x(i),
	(VALUES ('SET d = :v', '{":v": "hi"}'::ddb.doc), ('SET d = :v, f = :v', '{":v": "hi"}'), ('SET f = :v', '{":v": "hi"}'), ('SET d = d', NULL), ('REMOVE d', NULL), ('REMOVE q', NULL),
		('SET a.b = :v', '{":v": "hi"}'), ('SET a.c[1] = :v', '{":v": 7}'), ('SET a.c[1] = :v, a.b = :v', '{":v": 8}'), ('SET a.x = :v', '{":v": 8}'), ('ADD a.n :v', '{":v": 8}'),
		-- a neighbour is no part of it; what is past the end is not shown, what moves into a gap is
		('SET a.c[100] = :v', '{":v": 70}'), ('REMOVE a.c[1]', NULL), ('REMOVE a.c[2]', NULL), ('REMOVE a.c[1], a.c[3]', NULL), ('REMOVE e[0], e[3]', NULL), ('REMOVE e[1] SET e[0] = :v, e[3] = :v', '{":v": 1}'),
		('REMOVE a.b SET d = a.b', NULL), ('SET a = :v', '{":v": {"new": [1]}}'), ('REMOVE a', NULL)) u(e, v);

-- No item: a removal alone makes none; a set or an addition does
SELECT e, r(NULL, e, v, 'ALL_NEW'), r(NULL, e, v, 'ALL_OLD'), r(NULL, e, v, 'UPDATED_OLD'), r(NULL, e, v, 'UPDATED_NEW'), made(e, v) FROM
	(VALUES ('SET a = :v', '{":v": 1}'::ddb.doc), ('ADD a :v', '{":v": 1}'), ('SET a = if_not_exists(a, :v) + :v', '{":v": 1}'), ('REMOVE a', NULL), ('REMOVE a.b, c[0], d.e.f', NULL), ('DELETE a :v', '{":v": {"SS": ["x"]}}'::ddb.item),
		('SET a = b', NULL), ('SET a.b = :v', '{":v": 1}'), ('SET a = :v REMOVE b.c', '{":v": 1}'), ('ADD a.b :v', '{":v": 1}'), ('SET a = SK', NULL)) u(e, v);
-- an item of its key alone, and its key attributes on a right-hand side
SELECT r('{}', 'SET x = PK, y = SK', NULL, 'ALL_NEW'), r('{}', 'REMOVE a', NULL, 'ALL_NEW'), r('{}', 'REMOVE a.b', NULL, 'ALL_NEW');

DROP FUNCTION made(text, ddb.doc), r(jsonb, text, ddb.doc, text);
SELECT ddb.drop_table('r');
