-- What SQL's own INSERT, UPDATE and COPY may put into a ddb table, and how
-- key values stand in their columns.
\set VERBOSITY terse
SELECT ddb.create_table('r', 'PK', 'SK');

-- An item holds no key attribute, unless it is the column's value.
INSERT INTO r VALUES ('a', '1', '{"PK": {"S": "a"}, "SK": {"S": "1"}, "v": {"N": "1"}}') RETURNING item;
INSERT INTO r VALUES ('a', '2', '{"PK": {"S": "b"}}');
INSERT INTO r VALUES ('a', '2', '{"SK": {"N": "2"}}');
INSERT INTO r VALUES ('a', '1', '{"SK": {"S": "1"}, "v": {"N": "2"}}') ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item RETURNING item;
UPDATE r SET item = '{"SK": {"S": "1"}, "v": {"N": "3"}}' RETURNING item;
UPDATE r SET sk = '2', item = '{"SK": {"S": "1"}, "v": {"N": "3"}}';
UPDATE r SET item = item || '{"PK": "other"}';
COPY r FROM stdin;
a	5	{"PK": {"S": "a"}, "w": {"NULL": true}}
\.
COPY r FROM stdin;
a	6	{"PK": {"S": "b"}}
\.
SELECT * FROM r ORDER BY sk;
-- A large one, where the key is looked for in the toasted item.
INSERT INTO r SELECT 'a', '7', jsonb_build_object('PK', 'a', 't', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 5000) i));
SELECT item ? 'PK' AS held, length(item->>'t') FROM r WHERE sk = '7';

-- 400 KB with keys and names: PK 2 + b 1 + SK 2 + 1 1 + t 1 = 7.
INSERT INTO r SELECT 'b', '1', jsonb_build_object('t', repeat('x', 400 * 1024 - 6));
INSERT INTO r SELECT 'b', '1', jsonb_build_object('t', repeat('x', 400 * 1024 - 7));
UPDATE r SET sk = '12' WHERE pk = 'b';
UPDATE r SET item = item || '{"y": ""}' WHERE pk = 'b';

-- Lengths count bytes, unescaped ones.
INSERT INTO r VALUES (repeat('p', 2048), '1', '{}');
INSERT INTO r VALUES (repeat('p', 2049), '1', '{}');
INSERT INTO r VALUES (repeat('é', 1025), '1', '{}');
INSERT INTO r VALUES ('p', repeat('s', 1024), '{}');
INSERT INTO r VALUES ('p', repeat('s', 1025), '{}');
INSERT INTO r VALUES (repeat(E'\001\002', 2048), '1', '{}');
INSERT INTO r VALUES (repeat(E'\001\002', 2049), '1', '{}');
INSERT INTO r VALUES ('', '1', '{}');
INSERT INTO r VALUES ('p', '', '{}');
INSERT INTO r VALUES (NULL, '1', '{}');

-- Escapes: U+0000 is 1 1, U+0001 is 1 2.
INSERT INTO r VALUES (E'p\001', 's', '{}');
INSERT INTO r VALUES (E'p\001x', 's', '{}');
INSERT INTO r VALUES (E'p\001\003', 's', '{}');
INSERT INTO r VALUES ('p', E'\001', '{}');
INSERT INTO r VALUES (E'esc\001\001', E's\001\002', '{}');
SELECT ddb.put_item('r', '{"PK": {"S": "esc\u0000"}, "SK": {"S": "s\u0001"}, "v": {"N": "1"}}'::ddb.item, return_values => 'ALL_OLD');
SELECT ddb.put_item('r', '{"PK": {"S": "esc\u0000"}, "SK": {"S": "s\u0000"}}'::ddb.item);
SELECT ddb.put_item('r', '{"PK": {"S": "esc\u0000"}, "SK": {"S": "s\u0002"}}'::ddb.item);
SELECT ddb.put_item('r', '{"PK": {"S": "esc\u0000"}, "SK": {"S": "s"}}'::ddb.item);
SELECT ddb.full_item(r) FROM r WHERE pk LIKE 'esc%' ORDER BY sk;
SELECT i FROM ddb.query('r', 'PK = :p AND SK BETWEEN :a AND :b', attr_values => '{":p": {"S": "esc\u0000"}, ":a": {"S": "s\u0000"}, ":b": {"S": "s\u0001"}}'::ddb.item) i;
SELECT i FROM ddb.query('r', 'PK = :p AND begins_with(SK, :a)', attr_values => '{":p": {"S": "esc\u0000"}, ":a": {"S": "s\u0001"}}'::ddb.item) i;

-- An index entry holds 2704 bytes: what compresses fits, what does not is
-- refused here.  (2048 + 1024, two headers of 4, the entry's of 8: 3088.)
CREATE FUNCTION noise(bytes int) RETURNS text LANGUAGE sql AS $$
	SELECT left(string_agg(translate(encode(sha512(i::text::bytea), 'base64'), E'\n=', ''), ''), bytes) FROM generate_series(1, 40) i $$;
INSERT INTO r VALUES (repeat('p', 2047), repeat('s', 1024), '{}');
INSERT INTO r VALUES (noise(2048), 's', '{}');
INSERT INTO r VALUES (noise(2048), noise(600), '{}');
INSERT INTO r VALUES (noise(2048), noise(1024), '{}');
SELECT ddb.put_item('r', json_build_object('PK', noise(2048), 'SK', noise(1024)));
SELECT ddb.put_item('r', json_build_object('PK', noise(2048), 'SK', noise(601)));
SELECT ddb.get_item('r', noise(2048), noise(601)) IS NOT NULL AS found;
SELECT count(*) FROM ddb.query('r', 'PK = :p AND begins_with(SK, :s)', attr_values => json_build_object(':p', noise(2048), ':s', noise(590)));
SELECT length(ddb.delete_item('r', noise(2048), noise(601)) ->> 'SK');
DROP TABLE r;
DROP FUNCTION noise;

-- Numbers.
SELECT ddb.create_table('rn', 'n', 'm', 'N', 'N');
INSERT INTO rn VALUES (1.00, -0.50, '{"n": {"N": "1"}, "m": {"N": "-0.5"}}'), (1e125, 1e-130, '{}'), (0, 0, '{}');
INSERT INTO rn VALUES (1, -0.5, '{}');
INSERT INTO rn VALUES (1, 'NaN', '{}');
INSERT INTO rn VALUES (1, 'Infinity', '{}');
INSERT INTO rn VALUES (1, 1e126, '{}');
INSERT INTO rn VALUES (1, 1e-131, '{}');
INSERT INTO rn VALUES (1, 123456789012345678901234567890123456789, '{}');
SELECT ddb.get_item('rn', 1.0, -0.500);
SELECT ddb.put_item('rn', json_build_object('n', 1, 'm', g / 4.0)) FROM generate_series(-3, 3) g WHERE g <> -2;
SELECT i FROM ddb.query('rn', 'n = :n AND m BETWEEN :a AND :b', attr_values => '{":n": 1.0, ":a": -0.5, ":b": 0.25}', scan_forward => false) i;
SELECT i FROM ddb.query('rn', 'n = :n AND m > :a', attr_values => '{":n": 1.0, ":a": 0.25}') i;
SELECT i FROM ddb.query('rn', 'n = :n AND m <= :a', attr_values => '{":n": 1.0, ":a": -0.5}') i;
SELECT n FROM (SELECT (i ->> 'n')::numeric AS n FROM ddb.scan('rn') i) s GROUP BY n ORDER BY n;
DROP TABLE rn;

-- Binaries, and prefixes at the end of the range.
SELECT ddb.create_table('rb', 'p', 's', 'B', 'B');
INSERT INTO rb SELECT '\x00', s, '{}' FROM unnest('{"\\x00","\\x01","\\x01ff","\\x01ff00","\\x02","\\xff","\\xffff","\\xffff00","\\xfe"}'::bytea[]) s;
INSERT INTO rb VALUES ('\x01', '\x01', '{}');
INSERT INTO rb VALUES ('\x', '\x01', '{}');
SELECT sk FROM rb WHERE pk = '\x00' ORDER BY sk;
CREATE FUNCTION rb(cond text, low bytea, forward boolean DEFAULT true) RETURNS SETOF bytea LANGUAGE sql AS $$
	SELECT decode(i ->> 's', 'base64') FROM ddb.query('rb', 'p = :p' || cond, scan_forward => forward,
		attr_values => CASE WHEN cond <> '' THEN format('{":p": {"B": "AA=="}, ":a": {"B": "%s"}}', encode(low, 'base64')) ELSE '{":p": {"B": "AA=="}}' END::ddb.item) i $$;
SELECT rb('', NULL);
SELECT rb(' AND begins_with(s, :a)', '\x01ff');
SELECT rb(' AND begins_with(s, :a)', '\xffff');
SELECT rb(' AND begins_with(s, :a)', '\xff', false);
SELECT rb(' AND begins_with(s, :a)', '\x03');
SELECT rb(' AND s > :a', '\x02', false);
SELECT rb(' AND s < :a', '\x01ff');
DROP FUNCTION rb;
DROP TABLE rb;

-- A large collection through batches of the scan, from both ends, resumed
-- after each item, with dead versions between.
SELECT ddb.create_table('rl', 'p', 's', 'S', 'N');
INSERT INTO rl SELECT 'p', i, '{}' FROM generate_series(1, 1000) i;
UPDATE rl SET item = '{"u": {"N": "1"}}' WHERE sk % 2 = 0;
DELETE FROM rl WHERE sk % 5 = 0;
SELECT count(*), sum((i ->> 's')::int) FROM ddb.query('rl', 'p = :p', attr_values => '{":p": "p"}') i;
SELECT count(*), bool_and(s < before) FROM (SELECT s, lag(s, 1, 2000) OVER () AS before FROM
	(SELECT (i ->> 's')::int AS s FROM ddb.query('rl', 'p = :p', attr_values => '{":p": "p"}', scan_forward => false) i) x) y;
DO $$
DECLARE
	last ddb.item;
	item ddb.item;
	n int := 0;
	total int := 0;
BEGIN
	LOOP
		SELECT i INTO item FROM ddb.query('rl', 'p = :p AND s BETWEEN :a AND :b', attr_values => '{":p": "p", ":a": 100, ":b": 899}', start_key => last, max_items => 1) i;
		EXIT WHEN item IS NULL;
		last := item; n := n + 1; total := total + (item ->> 's')::int;
	END LOOP;
	RAISE NOTICE '% items, sum %', n, total;
	-- From 100 to 899, without the multiples of five: 399600 - 79600.
END $$;
DO $$
DECLARE
	last ddb.item;
	item ddb.item;
	n int := 0;
BEGIN
	FOR segment IN 0..4 LOOP
		last := NULL;
		LOOP
			SELECT i INTO item FROM ddb.scan('rl', segment => segment, total_segments => 5, start_key => last, max_items => 1) i;
			EXIT WHEN item IS NULL;
			last := item; n := n + 1;
		END LOOP;
	END LOOP;
	RAISE NOTICE '% items in five segments', n;
END $$;
DROP TABLE rl;

-- An index older than its columns' NOT NULL holds entries of dead rows with nulls.
CREATE TABLE late (pk text COLLATE "C", sk text COLLATE "C", item ddb.item) USING ddb;
INSERT INTO late SELECT 'a', i, '{}' FROM generate_series(1, 9, 2) i;
INSERT INTO late SELECT NULL, NULLIF(i % 2, 0), '{}' FROM generate_series(1, 9000) i;
CREATE UNIQUE INDEX late_key ON late (pk ddb.text_hash_ops (partition_key='PK', sort_key='SK'), sk);
DELETE FROM late WHERE pk IS NULL;
ALTER TABLE late ALTER pk SET NOT NULL, ALTER sk SET NOT NULL, ALTER item SET NOT NULL;
SELECT count(ddb.put_item('late', json_build_object('PK', 'a', 'SK', i::text)) IS NULL) AS puts FROM generate_series(2, 8, 2) i;
INSERT INTO late SELECT 'a', i, '{}' FROM generate_series(10, 400) i;
SELECT count(*) FROM ddb.collection('late', 'a');
SELECT count(*) FROM ddb.scan('late');
DROP TABLE late;
