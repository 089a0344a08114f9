-- ddb.item and ddb.doc as types: the ten types in and out, casts, limits,
-- and bytes from strangers.
\set VERBOSITY terse

-- 1. Every type, in DynamoDB JSON and back without loss.
CREATE TEMP TABLE samples (what text PRIMARY KEY, item ddb.item);
INSERT INTO samples VALUES
	('S', '{"a": {"S": "grüße"}}'),
	('N', '{"a": {"N": "-12.50"}}'),
	('B', '{"a": {"B": "AAEC/w=="}}'),
	('BOOL', '{"a": {"BOOL": true}, "b": {"BOOL": false}}'),
	('NULL', '{"a": {"NULL": true}}'),
	('SS', '{"a": {"SS": ["b", "a", ""]}}'),
	('NS', '{"a": {"NS": ["10", "-1", "2.0"]}}'),
	('BS', '{"a": {"BS": ["AQ==", "", "AA=="]}}'),
	('L', '{"a": {"L": [{"S": "x"}, {"N": "1"}, {"L": []}, {"M": {}}]}}'),
	('M', '{"a": {"M": {"b": {"M": {"c": {"NULL": true}}}, "ab": {"N": "0"}}}}'),
	('empty', '{}'),
	('empty values', '{"s": {"S": ""}, "b": {"B": ""}, "l": {"L": []}, "m": {"M": {}}}');
SELECT what, item FROM samples ORDER BY what COLLATE "C";
SELECT what, item::jsonb, item::json, item::ddb.doc FROM samples ORDER BY what COLLATE "C";
-- Text is lossless: what is printed reads back as the same bytes.
SELECT what FROM samples WHERE item::text::ddb.item <> item;
-- So is the binary form.
COPY (SELECT item FROM samples) TO PROGRAM 'cat > /tmp/ddb_item_types.$PPID' (FORMAT binary);
CREATE TEMP TABLE again (item ddb.item);
COPY again FROM PROGRAM 'cat /tmp/ddb_item_types.$PPID; rm /tmp/ddb_item_types.$PPID' (FORMAT binary);
SELECT count(*) FROM samples JOIN again USING (item);

-- 2. Plain JSON: what each JSON type becomes.
SELECT '{"s": "x", "n": 1.50, "t": true, "f": false, "z": null, "l": [1, "a"], "m": {"k": {}}}'::ddb.doc::ddb.item;
SELECT '{"s": "x", "n": 1.50, "t": true, "f": false, "z": null, "l": [1, "a"], "m": {"k": {}}}'::json::ddb.item;
SELECT '{"s": "x", "n": 1.50, "t": true, "f": false, "z": null, "l": [1, "a"], "m": {"k": {}}}'::jsonb::ddb.item;
-- A map that looks like DynamoDB JSON stays a map.
SELECT '{"stock": {"S": "sold out"}}'::ddb.doc::ddb.item, '{"stock": {"S": "sold out"}}'::jsonb::ddb.item;
-- Numbers are exact all the way, where float would lose digits.
SELECT '{"n": 12345678901234567890.123456789012345678}'::jsonb::ddb.item::jsonb;
SELECT '{"n": 12345678901234567890.123456789012345678}'::ddb.doc;
SELECT '{"big": 1e125, "small": -1e-130}'::jsonb::ddb.item = '{"big": {"N": "1E125"}, "small": {"N": "-0.1E-129"}}';
-- Outside the range, from every side.
SELECT '{"n": 1e126}'::ddb.doc;
SELECT '{"n": 1e126}'::json::ddb.item;
SELECT '{"n": 1e126}'::jsonb::ddb.item;
SELECT '{"n": 123456789012345678901234567890123456789}'::jsonb::ddb.item;
SELECT '{"n": 1e400}'::ddb.doc;

-- 3. Which casts happen by themselves.
SELECT castsource::regtype AS "from", casttarget::regtype AS "to", castcontext AS context,
	castmethod AS method
FROM pg_cast WHERE castsource IN ('ddb.item'::regtype, 'ddb.doc'::regtype)
	OR casttarget IN ('ddb.item'::regtype, 'ddb.doc'::regtype)
ORDER BY castsource::regtype::text COLLATE "C", casttarget::regtype::text COLLATE "C";
CREATE FUNCTION pg_temp.takes_doc(ddb.doc) RETURNS text LANGUAGE sql AS 'SELECT $1::text';
SELECT pg_temp.takes_doc('{"a": 1}') AS literal, pg_temp.takes_doc('{"a": 1}'::json) AS json,
	pg_temp.takes_doc('{"a": 1}'::jsonb) AS jsonb, pg_temp.takes_doc('{"a": {"SS": ["1"]}}'::ddb.item) AS item;
PREPARE untyped AS SELECT pg_temp.takes_doc($1);
EXECUTE untyped('{"a": [1, 2]}');
DEALLOCATE untyped;
-- Assignments.
CREATE TEMP TABLE assigned (n int, item ddb.item);
INSERT INTO assigned VALUES (1, '{"a": {"N": "1"}}'), (2, '{"a": {"N": "2"}}');
INSERT INTO assigned SELECT 3, '{"a": 3}'::json;
INSERT INTO assigned SELECT 4, '{"a": 4}'::jsonb;
INSERT INTO assigned SELECT 5, '{"a": 5}'::ddb.doc;
SELECT * FROM assigned ORDER BY n;
SELECT pg_temp.takes_doc('{"a": 1}'::text);
-- Sets do not decay unnoticed: nothing takes an item for jsonb.
SELECT jsonb_typeof('{"a": {"SS": ["x"]}}'::ddb.item);

-- 4. PostgreSQL's JSON functions nest items as objects.
SELECT json_agg(item), jsonb_agg(item) FROM (SELECT item FROM assigned ORDER BY n LIMIT 2) t;
SELECT to_jsonb(a), row_to_json(a), jsonb_build_object('i', item) FROM assigned a WHERE n = 1;

-- 5. U+0000 is legal in strings and names, but not in jsonb or text.
SELECT '{"a": {"S": "x\u0000y"}, "n\u0000": {"N": "1"}}'::ddb.item;
SELECT '{"a": "x\u0000y"}'::ddb.doc::ddb.item;
SELECT '{"a": {"S": "x\u0000y"}}'::ddb.item::json;
SELECT '{"a": {"S": "x\u0000y"}}'::ddb.item::jsonb;
SELECT '{"a": {"M": {"deep": {"L": [{"S": "\u0000"}]}}}}'::ddb.item::jsonb;
SELECT '{"n\u0000": {"N": "1"}}'::ddb.item::jsonb;
SELECT '{"a": {"S": "x\u0000y"}}'::ddb.item ->> 'a';

-- 6. 32 levels: the item itself and 31 containers in it.
CREATE FUNCTION pg_temp.nested(levels int, opening text, closing text) RETURNS text LANGUAGE sql AS
	$$SELECT '{"a": ' || repeat(opening, levels) || repeat(closing, levels) || '}'$$;
SELECT length(pg_temp.nested(31, '{"L": [', ']}')::ddb.item::text),
	length(pg_temp.nested(31, '[', ']')::ddb.doc::text),
	length(pg_temp.nested(31, '[', ']')::jsonb::ddb.item::json::text);
SELECT pg_temp.nested(32, '{"L": [', ']}')::ddb.item;
SELECT pg_temp.nested(32, '[', ']')::ddb.doc;
SELECT pg_temp.nested(32, '[', ']')::json::ddb.item;
SELECT pg_temp.nested(32, '[', ']')::jsonb::ddb.item;
SELECT ('{"a": ' || repeat('{"M": {"n": ', 31) || '{"S": "leaf"}' || repeat('}}', 31) || '}')::ddb.item IS NOT NULL;
SELECT ('{"a": ' || repeat('{"M": {"n": ', 32) || '{"S": "leaf"}' || repeat('}}', 32) || '}')::ddb.item;
-- A bomb costs an error, not the stack.
SELECT pg_temp.nested(100000, '{"L": [', ']}')::ddb.item;
SELECT pg_temp.nested(100000, '[', ']')::ddb.doc;
SELECT ('{"a": {"X": ' || repeat('[', 100000))::ddb.item;

-- 7. 400 KB, names included.
SELECT octet_length(jsonb_build_object('a', repeat('x', 409599))::ddb.item ->> 'a');
SELECT jsonb_build_object('a', repeat('x', 409600))::ddb.item;
SELECT ('{"a": {"S": "' || repeat('x', 409600) || '"}}')::ddb.item;
SELECT json_build_object('a', repeat('x', 409600))::ddb.item;
SELECT json_build_object('a', repeat('x', 409600))::ddb.doc::ddb.item;
-- Small things count too: 409,600 / 4 empty lists are one too many.
SELECT ('{"a": [' || repeat('[], ', 102398) || '[]]}')::ddb.doc::ddb.item IS NOT NULL;
SELECT ('{"a": [' || repeat('[], ', 102399) || '[]]}')::ddb.doc::ddb.item IS NOT NULL;
-- An attribute's name has 1 to 65,535 bytes.
SELECT length(('{"' || repeat('n', 65535) || '": 1}')::ddb.doc::text);
SELECT ('{"' || repeat('n', 65536) || '": 1}')::ddb.doc;
SELECT '{"": 1}'::ddb.doc;

-- 8. Bytes from strangers.  A binary COPY of a bytea is the way to recv.
CREATE TEMP TABLE received (item ddb.item);
CREATE FUNCTION pg_temp.try_recv(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	result text;
	file text := '/tmp/ddb_item_recv.' || pg_backend_pid();
BEGIN
	EXECUTE format('COPY (SELECT %L::bytea) TO %L (FORMAT binary)', bytes, file);
	TRUNCATE received;
	EXECUTE format('COPY received FROM %L (FORMAT binary)', file);
	SELECT CASE WHEN ddb.item_send(item) = bytes THEN item::text ELSE 'OTHER BYTES' END INTO result FROM received;
	RETURN result;
EXCEPTION WHEN invalid_binary_representation THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLERRM || ': ' || detail;
END $$;
SELECT what, bytes, pg_temp.try_recv(bytes) FROM (VALUES
	(1, 'a good one', '\x10040161 3178'::bytea),
	(2, 'nothing', '\x'), (3, 'a version only', '\x10'), (4, 'another version', '\x2000'),
	(5, 'no entry', '\x1004'), (6, 'value cut off', '\x10040161 31'),
	(7, 'a byte too many', '\x10040161 3178 00'), (8, 'empty name', '\x100400 3178'),
	(9, 'same name twice', '\x10080161 3178 0161 3179'), (10, 'names out of order', '\x10080162 3178 0161 3179'),
	(11, 'string not UTF-8', '\x10040161 31ff'), (12, 'surrogate in a string', '\x10040161 33eda080'),
	(13, 'name not UTF-8', '\x100401c3 3178'), (14, 'NULL of 2', '\x10040161 02'), (15, 'BOOL of 2', '\x10040161 12'),
	(16, 'half a string', '\x10040161 a0'), (17, 'empty set', '\x10040161 6100'), (18, 'set with equal members', '\x10040161 65 02 0161 0161'),
	(19, 'set out of order', '\x10040161 65 02 0162 0161'), (20, 'number of no bytes', '\x10040161 20'),
	(21, 'number of wrong bytes', '\x10040161 22ffff'), (22, 'varint with a needless byte', '\x10 8400 0161 3178'),
	(23, 'endless varint', '\x10 ffffffffffff'), (24, 'unknown form', '\x10070161 3178'),
	(25, 'long form of a short map', '\x1005 0100 0000 61 3178'), (26, 'length beyond the end', '\x10040161 3fffffff7f'),
	(27, 'list with a wrong count', '\x10040161 82 0c 00'), (28, 'directory of many', '\x10fdffffff0f'))
	AS t (n, what, bytes) ORDER BY n;
-- 32 levels are well, 33 are not: each list is one byte of head and one of count (04) around the next.
CREATE FUNCTION pg_temp.lists(levels int) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
	b bytea := '\x8100';
BEGIN
	FOR i IN 2 .. levels LOOP
		b := CASE WHEN length(b) + 1 < 15 THEN set_byte('\x80'::bytea, 0, 128 + length(b) + 1)
			ELSE '\x8f'::bytea || set_byte('\x00'::bytea, 0, length(b) + 1 - 15) END || '\x04'::bytea || b;
	END LOOP;
	RETURN '\x10040161'::bytea || b;
END $$;
SELECT pg_temp.try_recv(pg_temp.lists(3));
SELECT length(pg_temp.try_recv(pg_temp.lists(31)));
SELECT pg_temp.try_recv(pg_temp.lists(32));
-- Every single bit of a rich item turned over: refused, or another item in canonical form.
CREATE TEMP TABLE victim AS SELECT ddb.item_send('{"n": {"N": "-59.5"}, "s": {"S": "grün"}, "ss": {"SS": ["a", "bc"]}, "l": {"L": [{"NULL": true}, {"BOOL": true}]}, "m": {"M": {"x": {"NS": ["1", "2"]}}}}') AS bytes;
SELECT count(*) > 100 AS some_refused, count(*) FILTER (WHERE answer = 'OTHER BYTES') AS wrong,
	count(*) FILTER (WHERE answer NOT LIKE 'invalid item%' AND ddb.item_send(answer::ddb.item) <> flipped) AS not_canonical
FROM victim, generate_series(0, length(bytes) * 8 - 1) bit,
	LATERAL (SELECT set_bit(bytes, bit, 1 - get_bit(bytes, bit)) AS flipped) f,
	LATERAL (SELECT CASE WHEN pg_temp.try_recv(flipped) LIKE 'invalid item%' THEN 'invalid item' ELSE pg_temp.try_recv(flipped) END AS answer) a;
-- And cut off after every byte.
SELECT count(*) AS cuts, count(*) FILTER (WHERE pg_temp.try_recv(substr(bytes, 1, n)) LIKE 'invalid item: %') AS refused
FROM victim, generate_series(0, length(bytes) - 1) n;
COPY (SELECT 1) TO PROGRAM 'rm -f /tmp/ddb_item_recv.*';

-- 9. A document's binary input is its JSON text.
COPY (SELECT '{"a": [1]}'::text) TO PROGRAM 'cat > /tmp/ddb_doc.$PPID' (FORMAT binary);
CREATE TEMP TABLE docs (doc ddb.doc);
COPY docs FROM PROGRAM 'cat /tmp/ddb_doc.$PPID; rm /tmp/ddb_doc.$PPID' (FORMAT binary);
SELECT doc, ddb.doc_send(doc) = '{"a": [1]}'::text::bytea FROM docs;
