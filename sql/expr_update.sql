-- What updates do to an item.
\pset format unaligned
\pset tuples_only on

-- The item after the update in plain JSON, or the error.
CREATE FUNCTION u(item ddb.item, update text, vals ddb.doc DEFAULT NULL, names ddb.doc DEFAULT NULL) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
	RETURN ddb.apply(item, update, names, vals)::json;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

--
-- SET: new and old attributes; the right-hand side is a value, a path, arithmetic, a function
--
SELECT e, u('{"a": {"N": "1"}, "b": {"S": "x"}, "m": {"M": {"n": {"N": "5"}}}}', e, '{":v": 7}') FROM (VALUES
	('SET a = :v'), ('SET c = :v'), ('set b=:v'), ('SET a = a + :v'), ('SET a = :v - a'), ('SET c = a - :v'), ('SET a = m.n + :v'),
	('SET c = (a + :v)'), ('SET c = (a) + (:v)'), ('SET c = (:v)'), ('SET m.n = m.n + :v'), ('SET m.k = :v'), ('SET c = m, m.n = :v'),
	('SET c = if_not_exists(a, :v)'), ('SET c = if_not_exists(d, :v)'), ('SET c = if_not_exists(m.n, :v)'), ('SET c = if_not_exists(m.x.y, :v)'),
	('SET c = if_not_exists(d, if_not_exists(e, :v))'), ('SET c = if_not_exists(d, :v) + :v'), ('SET a = :v, b = a, c = b'),
	('SET c = d, a = :v'), ('SET c = a + d, a = :v'), ('SET c = b + :v'), ('SET c = :v + m')) t(e);
-- Numbers stay exact, to 38 digits.
SELECT u('{"n": {"N": "0.1"}}', 'SET n = n + :v', '{":v": 0.2}'),
	u('{"n": {"N": "1E50"}}', 'SET n = n + :v', '{":v": 1}'),
	u('{"n": {"N": "99999999999999999999999999999999999999"}}', 'SET n = n - :v', '{":v": 1}'),
	u('{"n": {"N": "5"}}', 'SET n = n - :v', '{":v": 5}');

--
-- All right-hand sides see the item as it was: swap, copy and remove
--
SELECT u('{"a": {"N": "1"}, "b": {"N": "2"}}', 'SET a = b, b = a'),
	u('{"a": {"N": "1"}}', 'REMOVE a SET b = a'),
	u('{"a": {"N": "1"}}', 'SET b = a REMOVE a'),
	u('{"a": {"L": [{"N": "1"}, {"N": "2"}]}}', 'SET a[0] = a[1], a[1] = a[0]');

--
-- list_append
--
SELECT e, u('{"l": {"L": [{"N": "1"}, {"S": "x"}]}, "k": {"L": []}, "n": {"N": "1"}}', e, '{":v": [2, "y"]}') FROM (VALUES
	('SET l = list_append(l, :v)'), ('SET l = list_append(:v, l)'), ('SET k = list_append(l, :v)'), ('SET k = list_append(k, k), n = :v'),
	('SET j = list_append(if_not_exists(j, :v), l)'), ('SET l = list_append(n, :v)'), ('SET l = list_append(:v, q)'),
	('SET l[0] = list_append(l, :v)')) t(e);

--
-- List elements: past the end appends in the order of the indexes; removing shifts only once all are known
--
SELECT e, u('{"a": {"L": [{"N": "2"}, {"N": "3"}, {"N": "4"}, {"N": "5"}, {"N": "6"}, {"N": "7"}]}}', e, '{":v": 17, ":w": 18, ":x": 19}') FROM (VALUES
	('SET a[1] = :v, a[0] = :w, a[2] = :x'), ('SET a[6] = :v, a[1] = :w, a[2] = :x'),
	('SET a[84] = :v, a[37] = :w, a[7] = :x'), ('REMOVE a[1] SET a[3] = :v, a[4] = :w, a[5] = :x'), ('SET a[3] = :v, a[4] = :w, a[5] = :x REMOVE a[1]')) t(e);
SELECT e, u('{"a": {"L": [{"N": "2"}, {"N": "3"}, {"N": "4"}, {"N": "5"}]}, "m": {"M": {"x": {"N": "1"}}}}', e) FROM (VALUES
	('REMOVE a[0]'), ('REMOVE a[3]'), ('REMOVE a[17]'), ('REMOVE a[0], a[2]'), ('REMOVE a[2], a[0]'), ('REMOVE a[0], a[1], a[2], a[3]'), ('REMOVE m.x'),
	('REMOVE a[1] SET a[9] = a[0]'), ('SET a[3] = a[0] REMOVE a[0]'), ('REMOVE m'), ('REMOVE q'), ('REMOVE m.q'), ('SET a[0] = m, m.x = a')) t(e);

--
-- Paths: only the last step may be new
--
SELECT e, u('{"a": {"M": {"b": {"M": {"c": {"N": "1"}, "d": {"L": [{"M": {"x": {"N": "1"}}}]}}}}}, "s": {"S": "x"}, "l": {"L": [{"S": "y"}]}}', e, '{":v": 7}') FROM (VALUES
	('SET a.b.c = :v'), ('SET a.b.q = :v'), ('SET a.b = :v'), ('SET a.b.d[0].x = :v'), ('SET a.b.d[0].y = :v'), ('SET a.b.d[5] = :v'),
	('SET a.b.c = :v, a.b.d[0].x = a.b.c, a.k = s'), ('SET a.q.c = :v'), ('SET q.c = :v'), ('SET q[0] = :v'), ('SET s.c = :v'), ('SET l.c = :v'),
	('SET a[0] = :v'), ('SET s[0] = :v'), ('SET a.b.d[1].x = :v'), ('SET a.b.c.d = :v')) t(e);
SELECT e, u('{"a": {"M": {"b": {"N": "1"}}}, "s": {"S": "x"}, "l": {"L": [{"S": "y"}]}}', e) FROM (VALUES
	('REMOVE a.b'), ('REMOVE a.q'), ('REMOVE l[7]'), ('REMOVE q'), ('REMOVE q.b'), ('REMOVE q[0]'), ('REMOVE s.b'), ('REMOVE l.b'), ('REMOVE a[0]'), ('REMOVE a.q.b')) t(e);
SELECT u('{}', 'SET #d = :v', '{":v": 3}', '{"#d": "a.b"}'),
	u('{"a": {"M": {"x": {"N": "3"}}}}', 'SET #a.#x = :v', '{":v": 9}', '{"#a": "a", "#x": "x"}');

--
-- ADD: numbers from 0, sets of one type, never lists
--
SELECT e, u('{"n": {"N": "3"}, "s": {"S": "x"}, "m": {"M": {"n": {"N": "1"}}}, "l": {"L": []}}', e, '{":v": 4}') FROM (VALUES
	('ADD n :v'), ('ADD k :v'), ('ADD m.n :v'), ('ADD m.k :v'), ('ADD s :v'), ('ADD l :v'), ('ADD q.n :v'), ('add n :v SET s = n')) t(e);
SELECT e, ddb.apply('{"s": {"SS": ["a", "c"]}, "n": {"NS": ["1", "2"]}, "b": {"BS": ["YQ=="]}}', e, attr_values => '{":v": {"SS": ["b", "a"]}}'::ddb.item) FROM (VALUES
	('ADD s :v'), ('ADD new1 :v')) t(e);
SELECT ddb.apply('{"n": {"NS": ["1", "2"]}}', 'ADD n :v', attr_values => '{":v": {"NS": ["2.0", "-1"]}}'::ddb.item),
	ddb.apply('{"b": {"BS": ["YQ=="]}}', 'ADD b :v', attr_values => '{":v": {"BS": ["YQ==", "Yg=="]}}'::ddb.item);
SELECT e, u('{"s": {"SS": ["a"]}, "n": {"N": "1"}}', e, v) FROM (VALUES
	('ADD s :v', '{":v": 1}'::ddb.doc), ('ADD s :v', '{":v": {"NS": ["1"]}}'::ddb.item), ('ADD n :v', '{":v": {"NS": ["1"]}}'::ddb.item),
	('ADD s :v', '{":v": "a"}'), ('ADD s :v', '{":v": ["a"]}'), ('ADD s :v', '{":v": {"a": 1}}'), ('ADD s :v', '{":v": true}'), ('ADD s :v', '{":v": null}')) t(e, v);
-- people get told how
SELECT ddb.apply('{}', 'ADD tags :t', attr_values => '{":t": ["a"]}');
SELECT ddb.apply('{}', 'ADD tags :t', attr_values => ddb.to_set('{":t": ["a"]}', ':t'));

--
-- DELETE: elements of sets; the last one takes the attribute with it
--
SELECT e, ddb.apply('{"s": {"SS": ["a", "b", "c"]}, "m": {"M": {"s": {"SS": ["a"]}}}}', e, attr_values => '{":v": {"SS": ["a", "z"]}}'::ddb.item) FROM (VALUES
	('DELETE s :v'), ('DELETE q :v'), ('delete m.s :v'), ('DELETE m.q :v')) t(e);
SELECT ddb.apply('{"s": {"NS": ["1", "2"]}}', 'DELETE s :v', attr_values => '{":v": {"NS": ["2", "1.0"]}}'::ddb.item);
SELECT e, u('{"s": {"SS": ["a"]}, "n": {"N": "1"}, "m": {"M": {}}}', e, v) FROM (VALUES
	('DELETE s :v', '{":v": 1}'::ddb.doc), ('DELETE s :v', '{":v": "a"}'), ('DELETE s :v', '{":v": ["a"]}'), ('DELETE s :v', '{":v": {"NS": ["1"]}}'::ddb.item),
	('DELETE n :v', '{":v": {"NS": ["1"]}}'::ddb.item), ('DELETE q.s :v', '{":v": {"SS": ["a"]}}'::ddb.item), ('DELETE n.s :v', '{":v": {"SS": ["a"]}}'::ddb.item)) t(e, v);

--
-- All four together, and what nothing touches keeps its bytes
--
SELECT ddb.apply('{"a": {"N": "1"}, "b": {"S": "keep"}, "c": {"SS": ["x", "y"]}, "d": {"BOOL": true}, "e": {"L": [{"B": "AA=="}, {"NULL": true}]}, "f": {"NS": ["1"]}}',
	'DELETE c :s REMOVE d, e[1] SET a = a + :one, g = b ADD f :n', NULL, '{":s": {"SS": ["x"]}, ":one": {"N": "1"}, ":n": {"NS": ["2"]}}'::ddb.item);
SELECT ddb.apply(i, 'SET x = :v REMOVE x1', attr_values => '{":v": 1}') = ddb.apply(i, 'SET #x = :v', '{"#x": "x"}', '{":v": 1.0}')
	FROM (SELECT ('{"l": {"L": [{"M": {"q": {"S": "' || repeat('z', 3000) || '"}}}]}, "x": {"S": "old"}}')::ddb.item) t(i);
-- an item of a thousand attributes and a list of a thousand elements
SELECT ddb.apply(big, 'SET k0500 = :v, l[499] = :v REMOVE k0001, l[0], l[998] ADD k0002 :v', attr_values => '{":v": 7}') = want FROM
	(SELECT ddb.to_item(jsonb_object_agg('k' || lpad(i::text, 4, '0'), i) || jsonb_build_object('l', jsonb_agg(i ORDER BY i))) FROM generate_series(0, 999) i) b(big),
	(SELECT ddb.to_item(jsonb_object_agg('k' || lpad(i::text, 4, '0'), CASE i WHEN 500 THEN 7 WHEN 2 THEN 9 ELSE i END) FILTER (WHERE i <> 1)
		|| jsonb_build_object('l', jsonb_agg(CASE i WHEN 499 THEN 7 ELSE i END ORDER BY i) FILTER (WHERE i NOT IN (0, 998)))) FROM generate_series(0, 999) i) w(want);

-- items whose bytes change form: around a kilobyte, and around 32 attributes, either way (counts what differs from building afresh)
SELECT count(*) FROM generate_series(900, 1060) n WHERE
	ddb.apply(jsonb_build_object('a', repeat('x', n), 'c', 'cc', 'n', 1), 'SET b = :b REMOVE c, d ADD n :n', attr_values => '{":b": "bb", ":n": 4}')
		<> ddb.to_item(jsonb_build_object('a', repeat('x', n), 'b', 'bb', 'n', 5))
	OR ddb.apply(jsonb_build_object('a', repeat('x', n), 'c', repeat('y', 100)), 'REMOVE c') <> ddb.to_item(jsonb_build_object('a', repeat('x', n)))
	OR ddb.apply(jsonb_build_object('a', repeat('x', n)), 'SET c = :c', attr_values => jsonb_build_object(':c', repeat('y', 100)))
		<> ddb.to_item(jsonb_build_object('a', repeat('x', n), 'c', repeat('y', 100)));
SELECT count(*) FROM generate_series(28, 36) n, LATERAL (SELECT jsonb_object_agg('k' || i, i) FROM generate_series(1, n) i) a(this), LATERAL (SELECT jsonb_object_agg('k' || i, i) FROM generate_series(2, n + 2) i) b(want)
	WHERE ddb.apply(this, 'SET k' || n + 2 || ' = :b, k' || n + 1 || ' = :a REMOVE k1', attr_values => jsonb_build_object(':a', n + 1, ':b', n + 2)) <> ddb.to_item(want);

-- NULLs, and a size beyond what an item holds
SELECT ddb.apply(NULL, 'REMOVE a') IS NULL, ddb.apply('{}', NULL) IS NULL;
SELECT u('{}', 'SET a = :v, b = :v', jsonb_build_object(':v', repeat('x', 205000)));
-- 31 levels inside an item's own map are the last that fit
SELECT left(u('{"a": {"M": {}}}', 'SET a.b = :v', ('{":v":' || repeat('[', 30) || repeat(']', 30) || '}')::jsonb), 70),
	left(u('{"a": {"M": {}}}', 'SET a.b = :v', ('{":v":' || repeat('[', 31) || repeat(']', 31) || '}')::jsonb), 70);

DROP FUNCTION u;

-- What is deleted from a set need not be in it, nor stand beside what is.
SELECT ddb.apply('{"s": {"NS": ["-1", "2", "10", "30"]}}'::ddb.item, 'DELETE s :x', attr_values => ('{":x": {"NS": ' || x || '}}')::ddb.item)
	FROM unnest('{"[\"10\"]","[\"-2\", \"2\", \"9\", \"30\", \"31\"]","[\"40\"]","[\"-9\", \"-1\", \"1\", \"2\", \"3\", \"10\", \"30\"]"}'::text[]) x;
