-- What is wrong with a request's expressions is found before any item is
-- looked at, and said in DynamoDB's words.
\pset format unaligned
\pset tuples_only on

CREATE FUNCTION e(kind text, expression text, vals ddb.doc DEFAULT NULL, names ddb.doc DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN CASE kind
		WHEN 'c' THEN ddb.matches('{}', expression, names, vals)::text
		WHEN 'u' THEN ddb.apply('{}', expression, names, vals)::text
		ELSE ddb.project('{}', expression, names)::text END;
EXCEPTION WHEN OTHERS THEN
	RETURN CASE SQLSTATE WHEN 'YD001' THEN '' ELSE SQLSTATE || ' ' END || SQLERRM;
END $$;

--
-- Syntax: the token and its neighbours
--
SELECT x, e('c', x, '{":v": 1}') FROM (VALUES
	(''), (' '), ('a x b'), ('a'), (':v'), ('(a)'), ('a ='), ('= a'), ('a = :v b'), ('a == :v'), ('a != :v'), ('a = 1'), ('a = "x"'), ('a = ''x'''),
	('a AND b = :v'), ('a = :v AND'), ('a = :v AND b'), ('NOT'), ('NOT a'), ('a NOT = :v'), ('(a = :v'), ('a = :v)'), ('(a = :v) = :v'), ('()'), ('a = ()'),
	('a BETWEEN :v'), ('a BETWEEN :v AND'), ('a BETWEEN :v OR :v'), ('a IN ()'), ('a IN :v'), ('a IN (:v'), ('a IN (:v,)'), ('a IN (:v :v)'),
	('attribute_exists()'), ('attribute_exists(a'), ('attribute_exists(a,)'), ('a. = :v'), ('a.1 = :v'), ('a[ = :v'), ('a[] = :v'), ('a[x] = :v'), ('a[#x] = :v'),
	('a[:v] = :v'), ('a[-1] = :v'), ('.a = :v'), ('a..b = :v'), ('_a = :v'), ('1a = :v'), ('a-b = :v'), ('a$b = :v'), ('é = :v'), ('# = :v'), ('a = :'), ('a = : v'),
	('a = :v;'), ('and = :v'), ('a.or = :v'), ('a + :v = :v'), ('a = :v -- x'), ('a <> = :v'), ('a > < :v'), (':v.x = a'), ('#.x = a')) t(x);
SELECT x, e('u', x, '{":v": 1}') FROM (VALUES
	(''), ('INVALID SYNTAX HERE'), ('HELLO b = :v'), ('SET'), ('SET a'), ('SET a ='), ('SET a = :v,'), ('SET a = :v, SET b = :v'), ('SET a = :v b = :v'), ('a = :v'),
	('SET _123 = :v'), ('SET 123a = :v'), ('SET hi-there = :v'), ('SET hi$there = :v'), ('SET "hithere" = :v'), ('SET # = :v'), ('SET #hi-there = :v'), ('SET a = :hi!there'),
	('SET :v = :v'), ('SET a[:v] = :v'), ('SET a = :v + :v + :v'), ('SET a = :v + (:v + :v)'), ('SET a = (:v + :v) + :v'), ('SET a = if_not_exists(a, :v + :v)'), ('SET a = _f(b)'),
	('SET a = :v * :v'), ('SET a = -:v'), ('SET (a) = :v'), ('REMOVE'), ('REMOVE a b'), ('REMOVE a,'), ('REMOVE :v'), ('ADD a'), ('ADD a b'), ('ADD a = :v'), ('ADD hits : incr'),
	('DELETE a'), ('DELETE a b'), ('SET add = :v'), ('SET a = 5'), ('SET a = :v;'), ('SET a.:v = :v'), ('SET a = f()')) t(x);
SELECT x, e('p', x) FROM (VALUES (''), ('a,'), (',a'), ('a,,b'), ('a b'), ('(a)'), ('a, :v'), ('a[*]'), ('*'), ('a.b.'), ('a[0'), ('#')) t(x);

--
-- Reserved words, in any case and any step; a #name reaches them
--
SELECT x, e('c', x, '{":v": 1}') FROM (VALUES ('status = :v'), ('Status = :v'), ('a.size = :v'), ('size = :v'), ('a = :v AND ZONE = :v'), ('set = :v'), ('abort = :v'), ('flattern = :v')) t(x);
SELECT e('u', 'SET name = :v', '{":v": 1}'), e('u', 'SET a = name', NULL), e('u', 'REMOVE a.list', NULL), e('p', 'a, data', NULL), e('p', 'and', NULL);
SELECT e('c', '#s <> :v', '{":v": 1}', '{"#s": "status"}'), e('u', 'SET #s = :v', '{":v": 1}', '{"#s": "size"}'), e('c', 'statuses <> :v AND sizes <> :v', '{":v": 1}');

--
-- Functions: unknown ones, those of another language, and places they cannot stand in
--
SELECT x, e('c', x, '{":v": 1}') FROM (VALUES
	('foo(a)'), ('foo(a) = :v'), ('Size(a) = :v'), ('ATTRIBUTE_EXISTS(a)'), ('if_not_exists(a, a1) = :v'), ('list_append(a, b)'), ('list(a) = :v'),
	('size(a)'), ('NOT size(a)'), ('size(a) AND b = :v'), ('b = :v OR size(a)'), ('attribute_exists(a) = :v'), (':v < attribute_exists(a)'), ('contains(attribute_exists(a), :v)'),
	('a BETWEEN :v AND begins_with(b, :v)'), ('a IN (contains(a, :v))'), ('size(size(a)) = :v')) t(x);
SELECT x, e('u', x, '{":v": [1]}') FROM (VALUES
	('SET a = foo(b)'), ('SET a = size(b)'), ('SET a = attribute_exists(b)'), ('SET a = LIST_APPEND(:v, :v)'), ('SET a = f123_hi(b, c, d)'),
	('SET a = list_append(list_append(:v, :v), :v)'), ('SET a = if_not_exists(b, list_append(:v, :v))'), ('SET a = list_append(if_not_exists(b, :v), :v)')) t(x);

--
-- Operands: how many, and of what kind
--
SELECT x, e('c', x, '{":v": 1, ":s": "x", ":m": {"a": 1}}') FROM (VALUES
	('begins_with(a) AND a IN (:v, :s, :m)'), ('begins_with(a, :s, :s) AND a IN (:v, :m)'), ('attribute_exists(a, b) AND a IN (:v, :s, :m)'), ('size(a, a) IN (:v, :s, :m)'),
	('contains(a) AND a IN (:v, :s, :m)'), ('attribute_type(a) AND a IN (:v, :s, :m)'),
	('attribute_exists(:v) AND a IN (:s, :m)'), ('attribute_exists(size(a)) AND a IN (:v, :s, :m)'), ('attribute_type(a, :v) AND a IN (:s, :m)'), ('attribute_type(a, b) AND a IN (:v, :s, :m)'),
	('attribute_type(a, :s) AND a IN (:v, :m)'), ('a < :m AND a IN (:v, :s)'), (':m >= a AND a IN (:v, :s)'), ('a BETWEEN :v AND :m AND a IN (:s, b)'), ('begins_with(a, size(b)) AND a IN (:v, :s, :m)'),
	('a = a AND b IN (:v, :s, :m)'), ('a.b[1] <= a.b[1] AND b IN (:v, :s, :m)'), ('a BETWEEN b AND a AND b IN (:v, :s, :m)'), ('a IN (:v, :s, :m, a)')) t(x);
SELECT x, e('c', x, '{":v": true}') FROM (VALUES ('a > :v'), ('size(:v) = b'), ('a BETWEEN :v AND b'), ('a = :v'), ('contains(a, :v)')) t(x);
SELECT x, e('u', x, '{":v": "x", ":n": 1, ":l": []}') FROM (VALUES
	('SET a = :v + :n, b = :l'), ('SET a = b - :v, c = :n, d = :l'), ('SET a = :l + :n, b = :v'), ('SET a = list_append(:l) REMOVE b SET b = :v'), ('SET a = list_append(:l), b = :v, c = :n'),
	('SET a = list_append(:l, :l, :l), b = :v, c = :n'), ('SET a = list_append(:l, :v), b = :n'), ('SET a = if_not_exists(:v, :n), b = :l'), ('SET a = if_not_exists(if_not_exists(a, :v), :n), b = :l'),
	('SET a = if_not_exists(b), c = :n, d = :l, f = :v'), ('SET a = list_append(:l, :l) + :n, b = :v')) t(x);

--
-- Names and values: undefined, unused, malformed; all expressions of the request together
--
SELECT e('c', '#n = :v', '{":v": 1}'), e('c', '#n = :v', '{":v": 1}', '{"#m": "x"}'), e('c', 'a = :v'), e('c', 'a = :v', '{":w": 1}'), e('c', 'a.#b = :v');
SELECT e('c', 'a = :x OR #y = :z', '{":x": 1}', '{"#y": "y"}'), e('c', ':x = #y'), e('c', '#y = :x');
SELECT e('u', 'SET a = :v, #b = :w', '{":w": 1}'), e('u', 'SET a = :v, #b = :w', '{":w": 1}', '{"#b": "b"}'), e('p', 'a, #b'), e('u', 'SET b = if_not_exists(:v2, :v)', '{":v": 1}');
SELECT e('c', 'a = :v', '{":v": 1, ":a": 2}'), e('c', 'a = :v', '{":v": 1, ":a": 2, ":b": 3}'), e('c', 'a = :v', '{":v": 1}', '{"#a": "x"}'), e('p', 'a', NULL, '{"#a": "x", "#b": "y"}'),
	e('c', 'a = b OR c = :v', '{":v": 1, ":V": 2}');
SELECT e('c', 'a = b', '{}'), e('c', 'a = b', NULL, '{}'), e('p', 'a', NULL, '{}');
SELECT e('c', '#x = :v', '{":v": 1}', '{"x": "y"}'), e('c', '#x = :v', '{":v": 1}', '{"#": "y"}'), e('c', '#x = :v', '{":v": 1}', '{"#a-b": "y"}'), e('c', 'a = :v', '{"v": 1}'), e('c', 'a = :v', '{":v ": 1}');
SELECT e('c', '#x = a', NULL, '{"#x": ""}'), e('c', '#x = a', NULL, '{"#x": 5}');
-- what comes first: the maps, the text, the references, what is unused
SELECT e('c', 'a = = b', '{"x": 1}'), e('c', 'a = = b', '{":x": 1}'), e('c', 'status = :y', '{":x": 1}'), e('c', 'a = :y', '{":x": 1}'), e('c', '((a = :y))'), e('c', 'foo(size) = :y AND ((a = :y))');
-- short circuits change nothing
SELECT e('c', 'a <> :v OR #n = :w', '{":v": 1}'), e('c', 'a = :v AND b < :w', '{":v": 1, ":w": [2]}');

--
-- Parentheses around parentheses, and useful ones
--
SELECT x, e('c', x, '{":v": 1}') FROM (VALUES
	('((a = :v))'), ('(((a = :v)))'), ('((a = :v) AND (b = :v))'), ('(a = :v AND ((b = :v)))'), ('((a = :v AND b = :v))'), ('NOT ((a = :v))'), ('((a)) = :v'), ('(a) = ((:v))'),
	('((a).b).c = :v'), ('(((a).b)).c = :v'), ('contains(((a)), :v)'), ('((a = :v) OR b = :v) AND (c = :v)')) t(x);
SELECT e('u', 'SET a = (:v)', '{":v": 1}'), e('u', 'SET a = ((:v))', '{":v": 1}'), e('u', 'SET a = ((:v) + (:v))', '{":v": 1}'), e('u', 'SET a = ((:v + :v))', '{":v": 1}');

--
-- Updates: clauses once, targets apart
--
SELECT x, e('u', x, '{":v": 1}') FROM (VALUES
	('SET a = :v SET b = :v'), ('SET a = :v REMOVE c SET b = :v'), ('REMOVE a REMOVE b SET c = :v'), ('ADD a :v ADD b :v'), ('set a = :v Set b = :v'),
	('SET a = :v, a = :v'), ('SET a = :v REMOVE a'), ('REMOVE a SET a = :v'), ('SET a = :v, a.b = :v'), ('SET a.b.c.d.e = :v, a.b = :v'), ('SET a[1] = :v, a[1][1] = :v'), ('ADD a :v SET a = :v'),
	('SET a.b = :v, a[1] = :v'), ('SET a.b.c = :v REMOVE a.b[2]'), ('SET a.b = :v, a[1] = :v, c = :v, c.d = :v')) t(x);
SELECT e('u', 'SET #a1 = :v1, #a2 = :v2', '{":v1": 1, ":v2": 2}', '{"#a1": "a", "#a2": "a"}');

-- The cache is none the worse for errors.
SELECT e('c', 'a = = b'), e('c', 'a = = b'), e('c', 'a <> b1'), e('u', 'a <> b1'), e('c', 'a <> b1');

DROP FUNCTION e;
