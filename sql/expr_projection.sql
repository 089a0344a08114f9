-- Projections: the paths that are there, inside their bare parents.
\pset format unaligned
\pset tuples_only on

CREATE FUNCTION p(projection text, names ddb.doc DEFAULT NULL, item ddb.item DEFAULT '{
	"p": {"S": "key"}, "b": {"S": "hello"}, "a.b": {"S": "dotted"}, "n": {"NULL": true}, "s": {"SS": ["x", "y"]},
	"a": {"M": {"b": {"L": [{"N": "2"}, {"N": "4"}, {"M": {"x": {"S": "hi"}, "y": {"S": "yo"}}}]}, "c": {"N": "5"}, "e": {"M": {}}}},
	"l": {"L": [{"S": "l0"}, {"S": "l1"}, {"S": "l2"}, {"L": [{"N": "30"}, {"N": "31"}]}]}
}') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN ddb.project(item, projection, names)::json;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

SELECT e, p(e) FROM (VALUES
	('a'), ('b'), ('b, p'), ('  b  ,   n '), ('n'), ('s'),
	('a.b'), ('a.b[0]'), ('a.b[2]'), ('a.b[2].y'), ('a.e'), ('l[3][1]'),
	-- what is not there is left out, with its parents
	('x'), ('a.b[3]'), ('a.x'), ('a.x.y'), ('a.b[3].x'), ('a.b.x'), ('a[0]'), ('a.b[0].x'), ('a.b[0][0]'), ('s[0]'), ('b.x'),
	-- several paths merge; list elements close up in the order of their indexes
	('a.b[0], a.b[1]'), ('a.b[1], a.b[0]'), ('a.b[0], a.c'), ('a.c, b'), ('a.x, a.b[0], x, a.b[3].x'), ('l[2], l[0]'), ('l[3][1], l[0], l[3][0]'),
	('a.b[2].x, a.b[2].y, a.c, a.b[0]'), ('a.b[2].x, a.b[0], l[1], p')) t(e);

-- #names: one step each, dots and all; a reserved word or a digit at the front needs one
SELECT e, p(e, n) FROM (VALUES
	('#1.b', '{"#1": "a"}'::ddb.doc), ('a.#2', '{"#2": "b"}'), ('#1.#2[2].#3', '{"#1": "a", "#2": "b", "#3": "x"}'), ('#n', '{"#n": "a.b"}'),
	('#n[0]', '{"#n": "l"}'), ('#n.c, #n.b[0]', '{"#n": "a"}')) t(e, n);

-- Two paths may not be equal, nor one inside the other, nor treat one value as list and map
SELECT e, p(e) FROM (VALUES
	('a, a'), ('a.b, a.b'), ('a[1], a[1]'), ('a, a.b'), ('a.b, a'), ('a.b, a.b[2]'), ('a, a.b[2].c'), ('a.b.d, a.b'), ('a.b, b, a.b.d.e'),
	('a.b, a[1]'), ('a[1], a.b'), ('a.b.c, a.b[2]'), ('a.b[0].x, q, a.b[0][1]'),
	('a.b, a.c, a.b.d, a[0]'),
	('a, b'), ('a.b, a.c'), ('a[1], a[2]'), ('a.b, ab, a.bc')) t(e);
SELECT p('#x, #y', '{"#x": "a", "#y": "a"}'), p('#x, #y', '{"#x": "a.b", "#y": "a"}');

-- Whole values keep their types; a projection without hits is an empty item, of an empty item too
SELECT ddb.project('{"a": {"M": {"s": {"NS": ["1", "2"]}, "b": {"B": "AA=="}}}, "c": {"BOOL": false}}', 'a.s, c');
SELECT ddb.project('{"a": {"N": "1"}}', 'b, c[1], a.x'), ddb.project('{}', 'a');
SELECT ddb.project(NULL, 'a') IS NULL, ddb.project('{}', NULL) IS NULL;
-- many paths of a large item
SELECT ddb.project(big, list) = want FROM
	(SELECT ddb.to_item(jsonb_build_object('l', jsonb_agg(i ORDER BY i))) FROM generate_series(0, 999) i) b(big),
	(SELECT string_agg('l[' || i || ']', ',' ORDER BY i DESC) FROM generate_series(0, 999, 3) i) l(list),
	(SELECT ddb.to_item(jsonb_build_object('l', jsonb_agg(i ORDER BY i))) FROM generate_series(0, 999, 3) i) w(want);

DROP FUNCTION p;
