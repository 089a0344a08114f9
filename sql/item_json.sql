-- The JSON reader: what it takes, what it refuses and in which words.
\set VERBOSITY terse
CREATE FUNCTION pg_temp.read_item(source text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN source::ddb.item::text;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION pg_temp.read_doc(source text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN source::ddb.doc::text;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- 1. Strings, decoded.
SELECT json, pg_temp.read_doc('{"a": ' || json || '}') FROM (VALUES
	(1, '"\" \\ \/ \b \f \n \r \t"'), (2, '"\u0041\u00e9\u20ac"'), (3, '"\ud83d\ude00 \uD83D\uDE00"'), (4, '"\u0000"'),
	(5, '"naïve – 日本 😀"'), (6, '"a long one with an escape\u002e at its twentieth place and more behind"'),
	(7, '"\u001f\u007f"'), (8, '"\u0022\u005c"'), (9, '"no escape, more than eight bytes"'), (10, '"é then \" then é"'))
	AS t (n, json) ORDER BY n;
-- Names are strings like any other.
SELECT pg_temp.read_doc('{"\u0061\n": 1, "😀": 2}');
-- White space goes anywhere between tokens, and only the four kinds of it.
SELECT pg_temp.read_doc(E' \t\r\n{ \t"a" : [ 1 , 2 ] ,\n"b" : { } } \n');
SELECT pg_temp.read_doc(E'{\f}');

-- 2. Text that is not JSON.
SELECT json, pg_temp.read_doc(json) FROM (VALUES
	(1, ''), (2, '   '), (3, '{'), (4, '{"a"'), (5, '{"a":'), (6, '{"a":1'), (7, '{"a":1,'), (8, '{"a":1,}'), (9, '{,}'), (10, '{a:1}'),
	(11, '{"a" 1}'), (12, '{"a":1 "b":2}'), (13, '{"a":[1,]}'), (14, '{"a":[1 2]}'), (15, '{"a":[}'), (16, '{"a":1}}'), (17, '{"a":1} x'), (18, '{1:2}'),
	(19, '{"a":"x}'), (20, '{"a":"\x"}'), (21, '{"a":"\u12g4"}'), (22, '{"a":"\u12'), (23, '{"a":"\ud83d"}'), (24, '{"a":"\ud83dx"}'), (25, '{"a":"\ud83d\u0041"}'),
	(26, '{"a":"\ude00"}'), (27, E'{"a":"tab\there"}'), (28, E'{"a":"escape \\n and tab\there"}'), (29, '{"a":"\'), (30, '{"a":"\"'),
	(31, '{"a":tru}'), (32, '{"a":nul'), (33, '{"a":True}'), (34, '{"a":01}'), (35, '{"a":1.}'), (36, '{"a":.5}'), (37, '{"a":+1}'), (38, '{"a":-}'),
	(39, '{"a":1e}'), (40, '{"a":1e+}'), (41, '{"a":0x10}'), (42, '{"a":NaN}'), (43, '{"a":Infinity}'), (44, '{"a":''x''}'), (45, '{"a":1} {"b":2}'))
	AS t (n, json) ORDER BY n;
-- A document is an object.
SELECT json, pg_temp.read_doc(json) FROM (VALUES (1, '[1]'), (2, '"a"'), (3, '1'), (4, 'null'), (5, 'true')) AS t (n, json) ORDER BY n;
SELECT '[1]'::jsonb::ddb.item;
SELECT '1'::jsonb::ddb.doc;
SELECT '[1]'::json::ddb.item;

-- 3. Of members with one name the last one counts, as in jsonb.
SELECT pg_temp.read_doc('{"a": 1, "b": 2, "a": {"c": 3, "c": 4}}'), pg_temp.read_item('{"a": {"S": "1"}, "a": {"N": "2"}}');
SELECT pg_temp.read_item('{"a": {"M": {"x": {"S": "1"}, "x": {"S": "2"}}}}'), pg_temp.read_item('{"a": {"S": "1", "S": "2"}}');
-- Also among many, where another sort is used.
SELECT doc::ddb.doc::ddb.item -> 'k7' AS item, doc::jsonb -> 'k7' AS jsonb, doc::ddb.doc::ddb.item = doc::jsonb::ddb.item AS same
FROM (SELECT '{' || string_agg(format('"k%s": %s', (i * 37) % 101, i), ',' ORDER BY i) || '}' FROM generate_series(1, 300) i) AS t (doc);

-- 4. Wrong JSON types: the service's words, before anything else is looked at.
SELECT json, pg_temp.read_item(json) FROM (VALUES
	(1, '[]'), (2, '"x"'), (3, 'null'), (4, '{"a": 1}'), (5, '{"a": "x"}'), (6, '{"a": []}'), (7, '{"a": true}'),
	(11, '{"a": {"S": 23}}'), (12, '{"a": {"S": 34.56}}'), (13, '{"a": {"S": -2e9}}'), (14, '{"a": {"S": true}}'), (15, '{"a": {"S": false}}'), (16, '{"a": {"S": []}}'), (17, '{"a": {"S": {}}}'),
	(21, '{"a": {"N": 23}}'), (22, '{"a": {"N": [1]}}'),
	(31, '{"a": {"B": 23}}'), (32, '{"a": {"B": true}}'), (33, '{"a": {"B": []}}'), (34, '{"a": {"B": {}}}'),
	(41, '{"a": {"BOOL": "true"}}'), (42, '{"a": {"BOOL": 1}}'), (43, '{"a": {"BOOL": 0.5}}'), (44, '{"a": {"BOOL": []}}'), (45, '{"a": {"BOOL": {}}}'), (46, '{"a": {"NULL": "true"}}'), (47, '{"a": {"NULL": 1}}'),
	(51, '{"a": {"SS": "x"}}'), (52, '{"a": {"SS": {}}}'), (53, '{"a": {"SS": [1]}}'), (54, '{"a": {"NS": [1]}}'), (55, '{"a": {"BS": [1]}}'), (56, '{"a": {"SS": [["x"]]}}'),
	(61, '{"a": {"L": "x"}}'), (62, '{"a": {"L": {}}}'), (63, '{"a": {"L": ["x"]}}'), (64, '{"a": {"L": [[]]}}'), (65, '{"a": {"L": [{"S": 1}]}}'),
	(71, '{"a": {"M": "x"}}'), (72, '{"a": {"M": []}}'), (73, '{"a": {"M": {"b": "x"}}}'), (74, '{"a": {"M": {"b": []}}}'), (75, '{"a": {"M": {"b": {"BS": [5]}}}}'))
	AS t (n, json) ORDER BY n;
-- A wrong type late in the text comes before an invalid value early in it.
SELECT pg_temp.read_item('{"a": {"N": "x"}, "b": {"L": [{"S": 1}]}}'), pg_temp.read_item('{"a": {"SS": []}, "b": {"B": "x"}}');
SELECT pg_temp.read_item('{"a": {}, "b": {"S": "unfinished}}');
SELECT pg_temp.read_item('{"a": {"SS": ["x", "x"]}, "b": 1}');

-- 5. Base64: one spelling for each value.
SELECT json, pg_temp.read_item('{"a": {"B": "' || json || '"}}') FROM (VALUES
	(1, ''), (2, 'AA=='), (3, 'AAA='), (4, 'AAAA'), (5, '+/+/'), (6, 'a'), (7, 'ab'), (8, 'abc'), (9, '23456'), (10, 'AA='), (11, '='), (12, '===='), (13, 'A==='), (14, '=+/='), (15, '+/+='), (16, 'AB=='), (17, 'AAB='),
	(18, 'AA==AAAA'), (19, 'A=AA'), (20, 'AA A'), (21, 'AA-_'), (22, 'AA\n='), (23, 'é__'), (24, 'AA\u0000A'))
	AS t (n, json) ORDER BY n;
-- Every byte value and every length of a last group survive.
WITH b AS (SELECT string_agg(set_byte('\x00'::bytea, 0, i), '' ORDER BY i) AS all_bytes FROM generate_series(0, 255) i)
SELECT count(*), bool_and(json::ddb.item ->> 'a' = code AND pg_column_size(json::ddb.item) > n)
FROM b, generate_series(0, 256) n, LATERAL (SELECT translate(encode(substr(all_bytes, 1, n), 'base64'), E'\n', '')) AS e (code),
	LATERAL (SELECT '{"a": {"B": "' || code || '"}}') AS j (json);

-- 6. Values that are not valid.
SELECT json, pg_temp.read_item(json) FROM (VALUES
	(1, '{"a": {}}'), (2, '{"a": null}'), (3, '{"a": {"S": null}}'), (4, '{"a": {"X": "x"}}'), (5, '{"a": {"s": "x"}}'), (6, '{"a": {"M": {"b": {}}}}'), (7, '{"a": {"L": [{}]}}'), (8, '{"a": {"L": [null]}}'),
	(11, '{"a": {"S": "x", "N": "1"}}'), (12, '{"a": {"NULL": true, "BOOL": true}}'), (13, '{"a": {"S": "x", "N": null, "Other": [1]}}'), (14, '{"a": {"N": "x", "S": "y"}}'),
	(21, '{"a": {"NULL": false}}'), (22, '{"a": {"N": ""}}'), (23, '{"a": {"N": "x"}}'), (24, '{"a": {"N": "1 "}}'), (25, '{"a": {"N": "NaN"}}'), (26, '{"a": {"N": "1e126"}}'), (27, '{"a": {"N": "1e-131"}}'), (28, '{"a": {"N": "123456789012345678901234567890123456789"}}'),
	(31, '{"a": {"SS": []}}'), (32, '{"a": {"NS": []}}'), (33, '{"a": {"BS": []}}'), (34, '{"a": {"L": [{"M": {"deep": {"SS": []}}}]}}'),
	(41, '{"a": {"SS": ["a", "a"]}}'), (42, '{"a": {"SS": ["c", "a", "b", "a"]}}'), (43, '{"a": {"NS": ["1", "2", "1.0"]}}'), (44, '{"a": {"BS": ["Yg==", "Yg=="]}}'),
	(51, '{"a": {"SS": ["a", null]}}'), (52, '{"a": {"NS": [null]}}'), (53, '{"a": {"BS": [null]}}'), (54, '{"": {"S": "x"}}'))
	AS t (n, json) ORDER BY n;
-- Numbers in plain JSON obey the same limits.
SELECT pg_temp.read_doc('{"a": 1e126}'), pg_temp.read_doc('{"a": [-1E-131]}'), pg_temp.read_doc('{"a": 0e999999999, "b": -0, "c": 1000e-3}');

-- 7. DETAIL is the reply's body.
\set VERBOSITY default
SELECT '{"a": {"S": 1}}'::ddb.item;
SELECT '{"a": {"N": "\"quoted\""}}'::ddb.item;
\set VERBOSITY terse

-- 8. What is written can be read by PostgreSQL too, character by character.
SELECT count(*), bool_and((text::json ->> 'a') = c AND text::ddb.doc::text = text AND (text::jsonb::ddb.item ->> 'a') = c)
FROM generate_series(1, 70000) i, LATERAL (SELECT chr(i)) AS t (c), LATERAL (SELECT json_build_object('a', c)::ddb.doc::text) AS j (text)
WHERE i NOT BETWEEN 55296 AND 57343;
-- Escapes at every offset of the eight bytes that are looked at together.
SELECT bool_and(format('{"a": {"S": "%s\"%s\\%s"}}', repeat('x', i), repeat('y', j), repeat('z', 9))::ddb.item::text
		= format('{"a": {"S": "%s\"%s\\%s"}}', repeat('x', i), repeat('y', j), repeat('z', 9)))
FROM generate_series(0, 17) i, generate_series(0, 17) j;
