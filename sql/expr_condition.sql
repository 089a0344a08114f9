-- What conditions and filters mean, on one item.
\pset format unaligned
\pset tuples_only on

-- true, false, or the error; the item is this one unless another is given.
CREATE FUNCTION m(condition text, vals ddb.doc DEFAULT NULL, names ddb.doc DEFAULT NULL, item ddb.item DEFAULT '{
	"one": {"N": "1"}, "two": {"N": "2"}, "three": {"N": "3"}, "big": {"N": "12345678901234567890123456789012345678"},
	"cat": {"S": "cat"}, "dog": {"S": "dog"}, "blank": {"S": ""}, "accent": {"S": "é𝄞"}, "hello": {"S": "hello"},
	"bin": {"B": "Y2F0"}, "high": {"B": "gA=="}, "low": {"B": "fw=="}, "yes": {"BOOL": true}, "no_": {"BOOL": false}, "nil": {"NULL": true},
	"ss": {"SS": ["b", "a"]}, "ns": {"NS": ["1", "2.5"]}, "bs": {"BS": ["YQ=="]},
	"l": {"L": [{"N": "1"}, {"S": "x"}, {"SS": ["p", "q"]}, {"L": [{"N": "3"}]}]}, "l0": {"L": []},
	"m": {"M": {"x": {"N": "1"}, "y": {"L": [{"N": "-1"}, {"N": "2"}, {"M": {"z": {"S": "deep"}}}]}}},
	"a.b": {"S": "dotted"}, "and": {"M": {"or": {"N": "2"}}}, "status": {"S": "open"}
}') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN ddb.matches(item, condition, names, vals);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

--
-- Equality: type and value; sets in any order at any depth; a missing side is never equal
--
SELECT c, m(c, v) FROM (VALUES
	('one = :v', '{":v": 1}'::ddb.doc),
	('one = :v', '{":v": 1.00}'),
	('one = :v', '{":v": "1"}'),
	('one <> :v', '{":v": "1"}'),
	('cat = :v', '{":v": "cat"}'),
	('cat = :v', '{":v": "Cat"}'),
	('yes = :v', '{":v": true}'),
	('no_ = :v', '{":v": true}'),
	('nil = :v', '{":v": null}'),
	('ss = :v', '{":v": {"SS": ["a", "b"]}}'::ddb.item),
	('ns = :v', '{":v": {"NS": ["2.50", "1.0"]}}'::ddb.item),
	('ss = :v', '{":v": ["a", "b"]}'),
	('l = :v', '{":v": {"L": [{"N": "1"}, {"S": "x"}, {"SS": ["q", "p"]}, {"L": [{"N": "3"}]}]}}'::ddb.item),
	('bin = :v', '{":v": {"B": "Y2F0"}}'::ddb.item),
	('bin = :v', '{":v": "cat"}'),
	('gone = :v', '{":v": 1}'),
	('gone <> :v', '{":v": 1}')) t(c, v);
SELECT c, m(c) FROM (VALUES ('one = two'), ('one <> two'), ('gone = absent'), ('gone <> absent'), ('l0 = ss')) t(c);

--
-- Order: S, N and B, each among themselves; numbers by value, strings and binary by unsigned bytes
--
SELECT c, m(c) FROM (VALUES
	('one < two'), ('two < one'), ('one <= one_'), ('two >= one'), ('two > big'), ('big > two'),
	('cat < dog'), ('dog < cat'), ('cat < one'), ('cat > one'), ('blank < cat'), ('cat < accent'),
	('low < high'), ('high < low'), ('yes < no_'), ('yes > no_'), ('l < one'), ('gone < absent'),
	('gone <= absent'), ('gone > absent'), ('gone >= absent'), ('one < gone'), ('gone < one')) t(c);
SELECT c, m(c, '{":v": 2}') FROM (VALUES
	('one < :v'), ('two < :v'), ('two <= :v'), (':v > one'), (':v >= two'), ('cat < :v'), ('l < :v'), (':v < gone')) t(c);

--
-- BETWEEN, its three places; bounds from the item in the wrong order are false
--
SELECT c, m(c) FROM (VALUES
	('two BETWEEN one AND three'), ('one BETWEEN one AND one_'), ('one BETWEEN one_ AND two'), ('two BETWEEN three AND one'),
	('cat between hello and dog'), ('dog between cat and hello'), ('cat BETWEEN one AND three'), ('q between z and x')) t(c);
SELECT c, m(c, v) FROM (VALUES
	('two BETWEEN :a AND :b', '{":a": 2, ":b": 2}'::ddb.doc),
	('one BETWEEN :a AND :b', '{":a": 2, ":b": 3}'),
	('one BETWEEN :a AND :b', '{":a": "0", ":b": "2"}'),
	('two BETWEEN three AND :b', '{":b": 1}'),
	(':b BETWEEN one AND three', '{":b": 2}'),
	('two BETWEEN :a AND :b', '{":a": 3, ":b": 1}'),
	('two BETWEEN :a AND :b', '{":a": 1, ":b": "b"}'),
	('cat BETWEEN :a AND :b', '{":a": "b", ":b": "a"}'),
	('bin BETWEEN :a AND :b', '{":a": {"B": "Yg=="}, ":b": {"B": "YQ=="}}'::ddb.item),
	('two BETWEEN :a AND :b', '{":a": [1], ":b": [2]}')) t(c, v);

--
-- IN: equality with any of the operands, of any types
--
SELECT c, m(c, '{":x": "dog", ":y": 1}') FROM (VALUES
	('one IN (:x, :y)'), ('two in (:x, :y)'), ('dog IN (:x, :y)'), ('gone IN (:x, :y)'), ('one IN (two, :y, :x)')) t(c);
SELECT m('ss IN (:v)', '{":v": {"SS": ["b", "a"]}}'::ddb.item), m('two IN (one, two_, three)'), m('l IN (l0, l_)');

--
-- Functions
--
SELECT c, m(c) FROM (VALUES
	('attribute_exists(one)'), ('attribute_exists(gone)'), ('attribute_exists (m.x)'), ('attribute_exists(m.y[2].z)'),
	('attribute_exists(m.y[3])'), ('attribute_exists(m.x.q)'), ('attribute_exists(l.x)'), ('attribute_exists(m[0])'),
	('attribute_not_exists(gone)'), ('attribute_not_exists(nil)'), ('attribute_not_exists(m.nothing)')) t(c);
SELECT t, m('attribute_type(' || a || ', :t)', jsonb_build_object(':t', t)) FROM (VALUES
	('S', 'cat'), ('N', 'one'), ('B', 'bin'), ('BOOL', 'yes'), ('NULL', 'nil'), ('SS', 'ss'), ('NS', 'ns'), ('BS', 'bs'),
	('L', 'l'), ('M', 'm'), ('S', 'one'), ('N', 'gone'), ('DOG', 'one'), ('s', 'cat')) t(t, a);
SELECT c, m(c, v) FROM (VALUES
	('begins_with(hello, :v)', '{":v": "hell"}'::ddb.doc),
	('begins_with(hello, :v)', '{":v": ""}'),
	('begins_with(hello, :v)', '{":v": "hello!"}'),
	('begins_with(hello, :v)', '{":v": "ello"}'),
	('begins_with(bin, :v)', '{":v": {"B": "Y2E="}}'::ddb.item),
	('begins_with(bin, :v)', '{":v": "ca"}'),
	('begins_with(one, :v)', '{":v": "1"}'),
	('begins_with(gone, :v)', '{":v": ""}'),
	('begins_with(:v, cat)', '{":v": "catfish"}'),
	('begins_with(hello, :v)', '{":v": 2}'),
	('begins_with(:v, hello)', '{":v": [1]}')) t(c, v);
SELECT m('begins_with(hello, blank)'), m('begins_with(hello, one)'), m('begins_with(hello, cat)');
-- substring in strings and binary; membership in sets and lists, of any type; no subsets, no map keys
SELECT c, m(c, v) FROM (VALUES
	('contains(hello, :v)', '{":v": "ell"}'::ddb.doc),
	('contains(hello, :v)', '{":v": "elo"}'),
	('contains(hello, :v)', '{":v": ""}'),
	('contains(bin, :v)', '{":v": {"B": "YXQ="}}'::ddb.item),
	('contains(bin, :v)', '{":v": "at"}'),
	('contains(ss, :v)', '{":v": "a"}'),
	('contains(ss, :v)', '{":v": "c"}'),
	('contains(ss, :v)', '{":v": {"SS": ["a"]}}'::ddb.item),
	('contains(ns, :v)', '{":v": 2.50}'),
	('contains(ns, :v)', '{":v": "2.5"}'),
	('contains(bs, :v)', '{":v": {"B": "YQ=="}}'::ddb.item),
	('contains(l, :v)', '{":v": 1}'),
	('contains(l, :v)', '{":v": 3}'),
	('contains(l, :v)', '{":v": {"SS": ["q", "p"]}}'::ddb.item),
	('contains(l, :v)', '{":v": [3]}'),
	('contains(m, :v)', '{":v": "x"}'),
	('contains(one, :v)', '{":v": 1}'),
	('contains(gone, :v)', '{":v": 1}'),
	('contains(:v, cat)', '{":v": ["dog", "cat"]}')) t(c, v);
SELECT m('contains(hello, blank)'), m('contains(l, one)'), m('contains(cat, cat)'), m('contains(m.x, m.x)');
-- size: strings in UTF-16 code units, binary in bytes, else members; of others no comparison is true
SELECT a, m('size(' || a || ') = :n', jsonb_build_object(':n', n)) FROM (VALUES
	('cat', 3), ('accent', 3), ('accent', 6), ('blank', 0), ('bin', 3), ('ss', 2), ('ns', 2), ('bs', 1), ('l', 4), ('l0', 0), ('m', 2),
	('one', 1), ('yes', 1), ('nil', 1), ('gone', 0)) t(a, n);
SELECT c, m(c, '{":n": 3}') FROM (VALUES
	('size(cat) < :n'), ('size(cat) <= :n'), ('size(cat) <> :n'), ('size(one) <> :n'), (':n > size(ss)'), ('size(l) > size(ss) AND one < :n'),
	('size(hello) BETWEEN :n AND big'), ('size(cat) IN (one, :n)'), ('size(m.y) = :n'), ('size(cat) = cat AND one < :n')) t(c);
SELECT m('size(:v) = three', '{":v": "abc"}'), m('size(:v) = three', '{":v": 5}'), m('size(:v) = three', '{":v": true}'), m('size(cat) = three');

--
-- AND, OR, NOT, parentheses; comparison and BETWEEN bind before NOT, NOT before AND, AND before OR
--
SELECT c, m(c) FROM (VALUES
	('one < two AND two < three'), ('one < two aNd three < two'), ('two < one oR one < two'), ('two < one OR three < two'),
	('NOT two < one'), ('nOt one < two'), ('NOT NOT one < two'), ('NOT NOT NOT one < two'),
	('one < two OR three < two AND two < one'), ('(one < two OR three < two) AND two < one'),
	('NOT one < two AND three < two'), ('NOT (one < two AND three < two)'), ('NOT one < two OR one < two'),
	('two BETWEEN one AND three AND one < two'), ('NOT two BETWEEN one AND three'), ('one < two AND NOT two < one AND attribute_exists(cat)'),
	('(one < two OR two < one) AND (two < three AND (one < two OR two < three))'), ('(one) < (two)'), ('(size(cat)) = (three)'),
	('(attribute_exists(one)) AND (attribute_not_exists(gone))'), ('(m).x = one'), ('((m).y)[1] = two')) t(c);
-- A condition stops at the first member that decides, and nothing after it can fail.
SELECT m('one = :a OR cat < dog', '{":a": 1}'), m('one = :a AND cat < dog', '{":a": 2}');

--
-- Paths and names: white space is free, #name is one step whatever is in it
--
SELECT c, m(c, '{":v": 2}', n) FROM (VALUES
	('m.y[1] = :v', NULL::ddb.doc),
	(' m . y [ 1 ]=:v ', NULL),
	(E'm.y[1]\n=\t:v', NULL),
	('m.y[01] = :v', NULL),
	('m.y[9] = :v', NULL),
	('#a.#o = :v', '{"#a": "and", "#o": "or"}'),
	('#m.y[1] = :v', '{"#m": "m"}'),
	('#my[1] = :v', '{"#my": "m.y"}')) t(c, n);
SELECT m('#n = :v', '{":v": "dotted"}', '{"#n": "a.b"}'), m('#0 = :1', '{":1": "open"}', '{"#0": "status"}'), m('#_ = :_', '{":_": "open"}', '{"#_": "status"}');

--
-- No item: every attribute is missing
--
SELECT c, m(c, '{":v": 1}', item => '{}') FROM (VALUES
	('k <> :v'), ('k = :v'), ('k < :v'), ('NOT k < :v'), ('attribute_not_exists(k) AND k <> :v')) t(c);

-- As a constraint and a filter; no item or no condition is NULL.
CREATE TABLE checked (item ddb.item CHECK (ddb.matches(item, 'attribute_exists(email) AND size(email) > :min', attr_values => '{":min": 3}')));
INSERT INTO checked VALUES ('{"email": {"S": "a@b.c"}}');
INSERT INTO checked VALUES ('{"email": {"S": "a@b"}}');
SELECT count(*) FROM checked WHERE ddb.matches(item, 'contains(email, :at)', attr_values => '{":at": "@"}');
SELECT ddb.matches(NULL, 'a = a1') IS NULL, ddb.matches('{}', NULL) IS NULL;

-- Arguments that stay are bound once a statement, others once a row.
PREPARE matching(text, ddb.doc) AS SELECT count(*) FROM checked WHERE ddb.matches(item, $1, attr_values => $2);
EXECUTE matching('begins_with(email, :p)', '{":p": "a"}');
EXECUTE matching('begins_with(email, :p)', '{":p": "b"}');
EXECUTE matching('email = :p OR n = :q', '{":p": "a@b.c", ":q": 1}');
EXECUTE matching('email = :p OR n = :q', '{":p": "a@b.c"}');
SELECT n, c, ddb.matches(item, c, attr_values => jsonb_build_object(':n', n)) FROM checked, (VALUES (5, 'size(email) = :n'), (6, 'size(email) = :n'), (6, 'size(email) < :n')) v(n, c);
DEALLOCATE matching;

DROP TABLE checked;
DROP FUNCTION m;
