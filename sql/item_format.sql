-- The bytes of items, as docs/item-format.md draws them.

CREATE FUNCTION bytes(item ddb.item) RETURNS text LANGUAGE sql AS $$ SELECT encode(ddb.item_send(item), 'hex') $$;
CREATE FUNCTION size(item ddb.item) RETURNS int LANGUAGE sql AS $$ SELECT octet_length(ddb.item_send(item)) $$;
-- An attribute of this many bytes.
CREATE FUNCTION string(name text, length int) RETURNS text LANGUAGE sql AS $$
	SELECT format('%s:{"S":"%s"}', to_json(name), repeat('x', length))
$$;

-- Short bodies.
SELECT bytes('{}');
SELECT bytes('{"id": {"S": "o1"}, "total": {"N": "59"}}');
SELECT bytes('{"m": {"M": {"paid": {"BOOL": true}}}}');
SELECT bytes('{"a": {"NULL": true}, "b": {"BOOL": false}, "c": {"BOOL": true}, "d": {"B": "AAH/"}, "e": {"S": ""}}');
SELECT bytes('{"a": {"L": []}, "b": {"M": {}}, "c": {"L": [{"N": "1"}, {"L": [{"S": "x"}]}]}}');
SELECT bytes('{"a": {"SS": ["b", "a", ""]}, "b": {"NS": ["2", "-1"]}, "c": {"BS": ["/w==", "AA==", "AAA="]}}');

-- Names in order of length, then bytes, whatever the order given.
SELECT '{"bb": {"N": "1"}, "c": {"N": "2"}, "ba": {"N": "3"}, "é": {"N": "4"}, "B": {"N": "5"}, "aaa": {"N": "6"}}'::ddb.item;
SELECT bytes('{"b": {"N": "1"}, "a": {"N": "2"}}') = bytes('{"a": {"N": "2"}, "b": {"N": "1"}}') AS equal;

-- U+0000 is a character like any other.
SELECT bytes('{"a\u0000": {"S": "\u0000b\u0000"}}'), '{"a\u0000": {"S": "\u0000b\u0000"}}'::ddb.item;

-- A header of one byte up to 110 bytes; beyond, and from 143 on, its varint.
SELECT n, left(bytes(('{' || string('a', n) || '}')::ddb.item), 16) FROM unnest('{14, 15, 110, 111, 142, 143}'::int[]) n;

-- A name of 127 and one of 128 bytes.
SELECT n, left(bytes(('{' || string(repeat('n', n), 1) || '}')::ddb.item), 10) FROM unnest('{127, 128}'::int[]) n;

-- Short up to 1024 bytes: varint 1, name 1 + 1, header 3, so 1018 of payload
-- (and the version byte before it all).  One more, and there is a directory of
-- a name end and an offset of two bytes each in place of the name's length.
SELECT n, size(item), left(bytes(item), 22)
FROM unnest('{1018, 1019}'::int[]) n, LATERAL (SELECT ('{' || string('a', n) || '}')::ddb.item) i(item);
-- A list of the same size: varint 1, header 3, payload 1017, a number 3.
SELECT n, size(item), left(bytes(item), 34)
FROM unnest('{1017, 1018}'::int[]) n, LATERAL (SELECT ('{"l":{"L":[{"S":"' || repeat('x', n) || '"},{"N":"1"}]}}')::ddb.item) i(item);

-- Long: the directory in name order, then names, then elements, the smallest
-- first and equal ones in name order.
SELECT left(bytes(item), 74) FROM (SELECT ('{' || string('a', 1000) || ',' || string('bb', 20) ||
	', "c": {"N": "1"}, "d": {"N": "2"}}')::ddb.item) i(item);

-- Two bytes to a field up to 65535 bytes of elements (header 4, payload
-- 65531), four beyond.
SELECT n, size(item), left(bytes(item), 26)
FROM unnest('{65531, 65532}'::int[]) n, LATERAL (SELECT ('{' || string('a', n) || '}')::ddb.item) i(item);
-- Names count as well: 16 of 4095 and more.
SELECT n, left(bytes(item), 4) FROM unnest('{4095, 4096}'::int[]) n,
	LATERAL (SELECT ('{' || string_agg(string(chr(64 + i) || repeat('n', n - 1), 1), ',') || '}')::ddb.item
		FROM generate_series(1, 16) i) s(item);

-- Lists keep their order in both forms.
SELECT bytes('{"a": {"L": [{"S": "bb"}, {"S": "a"}]}}');
SELECT item #>> '{l,0}' AS first, item #>> '{l,1}' AS second, length(item #>> '{l,2}') AS third, item #>> '{l,3}' AS past
FROM (SELECT ('{"l":{"L":[{"S":"bb"},{"S":"a"},{"S":"' || repeat('x', 2000) || '"}]}}')::ddb.item) i(item);

-- Text, bytes and text again, at many sizes.
CREATE FUNCTION wide(n int) RETURNS ddb.item LANGUAGE sql AS $$
	SELECT ('{' || string_agg(CASE i % 4
		WHEN 0 THEN format('"n%s":{"N":"%s"}', i, i * 1234567::bigint)
		WHEN 1 THEN string('s' || i, i * 7 % 97)
		WHEN 2 THEN format('"l%s":{"L":[{"N":"%s"},{"BOOL":true},{"M":{"x":{"NULL":true}}}]}', i, i)
		ELSE format('"set%s":{"SS":["%s","b"]}', i, i) END, ',') || '}')::ddb.item
	FROM generate_series(1, n) i
$$;
SELECT n, size(wide(n)), wide(n)::text::ddb.item = wide(n) AS same,
	wide(n) ->> ('s' || n / 4 * 4 - 3) = repeat('x', (n / 4 * 4 - 3) * 7 % 97) AS found, wide(n) ? 'absent' AS absent
FROM unnest('{4, 40, 64, 400, 4000}'::int[]) n;

-- Equality does not depend on the order in which members were given.
SELECT '{"s": {"SS": ["a", "b"]}, "l": {"L": [{"SS": ["x", "y"]}]}}'::ddb.item =
	'{"l": {"L": [{"SS": ["y", "x"]}]}, "s": {"SS": ["b", "a"]}}'::ddb.item AS equal,
	'{"l": {"L": [{"N": "1"}, {"N": "2"}]}}'::ddb.item = '{"l": {"L": [{"N": "2"}, {"N": "1"}]}}'::ddb.item AS lists_have_order,
	'{"a": {"S": "1"}}'::ddb.item = '{"a": {"N": "1"}}'::ddb.item AS types_differ;

-- 32 levels: the item is the first, so 31 lists may stand in it.
CREATE FUNCTION nested(n int) RETURNS text LANGUAGE sql AS $$
	SELECT '{"a":' || repeat('{"L":[', n) || '{"N":"1"}' || repeat(']}', n) || '}'
$$;
SELECT nested(31)::ddb.item::text = '{"a": ' || repeat('{"L": [', 31) || '{"N": "1"}' || repeat(']}', 31) || '}' AS deep;
SELECT nested(32)::ddb.item;

-- The size of an item is DynamoDB's: names and values, 409600 at most.
-- A string: name 1, value 409599.
SELECT size(('{' || string('a', 409599) || '}')::ddb.item);
SELECT ('{' || string('a', 409600) || '}')::ddb.item;
-- What a number costs, measured on the service to the byte: beside it, a
-- string that just fits.  (name 1) + number + (name 1) + string = 409600.
CREATE FUNCTION fits(number text, cost int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM (format('{"n":{"N":"%s"},', number) || string('s', 409598 - cost) || '}')::ddb.item;
	RETURN true;
EXCEPTION WHEN SQLSTATE 'YD001' THEN
	RETURN false;
END
$$;
SELECT number, cost, fits(number, cost) AS fits, fits(number, cost - 1) AS one_less FROM (VALUES
	('0', 1), ('1', 2), ('12', 2), ('123', 3), ('1234', 3), ('12345678901234567890123456789012345678', 20), ('100', 2),
	('1010', 3), ('0.0000001', 2), ('1E125', 2), ('1E-100', 2), ('1.5', 3), ('15', 2), ('1.2', 3), ('1.200', 3),
	('1.234', 4), ('3.14159', 5), ('123456', 4), ('-1', 3), ('-1.5', 4)) AS v(number, cost);
-- Other types: BOOL and NULL 1; a list or map 3, and 1 for each of its own.
CREATE FUNCTION fits_beside(given text, cost int) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM (format('{"v":%s,', given) || string('s', 409598 - cost) || '}')::ddb.item;
	RETURN true;
EXCEPTION WHEN SQLSTATE 'YD001' THEN
	RETURN false;
END
$$;
SELECT given, cost, fits_beside(given, cost) AS fits, fits_beside(given, cost - 1) AS one_less FROM (VALUES
	('{"BOOL":true}', 1), ('{"NULL":true}', 1), ('{"S":""}', 0), ('{"S":"é€"}', 5), ('{"B":"AAECAw=="}', 4),
	('{"L":[]}', 3), ('{"M":{}}', 3), ('{"L":[{"N":"1"},{"BOOL":true}]}', 3 + 2 + 2 + 1),
	('{"M":{"name":{"S":"abc"}}}', 3 + 1 + 4 + 3), ('{"L":[{"M":{"a":{"L":[]}}}]}', 3 + 1 + 3 + 1 + 1 + 3),
	('{"SS":["ab","c"]}', 3), ('{"NS":["1","1.5","-2"]}', 2 + 3 + 3), ('{"BS":["AA==","AAA="]}', 3)) AS v(given, cost);

-- One attribute of a large item, read from a slice of it: stored whole, in
-- TOAST, compressed there, and compressed in the row.
CREATE TABLE big (way text, item ddb.item);
INSERT INTO big SELECT 'toast', ('{' || string_agg(format('"part%s":{"S":"%s"}', i, (
		SELECT string_agg(md5((i * 1000 + j)::text), '') FROM generate_series(1, 900) j)), ',') ||
	',"small":{"N":"7"},"list":{"L":[{"S":"x"}]},"flag":{"BOOL":true}}')::ddb.item FROM generate_series(1, 10) i;
ALTER TABLE big ALTER item SET STORAGE external;
INSERT INTO big SELECT 'external', item FROM big WHERE way = 'toast';
INSERT INTO big SELECT 'long directory', wide(4000);
ALTER TABLE big ALTER item SET STORAGE extended;
INSERT INTO big SELECT 'compressed', ('{"part3":{"S":"' || repeat('abcdefghij', 28800 / 10) || '"},"small":{"N":"7"},"rest":{"S":"' ||
	repeat('0123456789', 30000) || '"},"flag":{"BOOL":true},"list":{"L":[{"S":"x"}]}}')::ddb.item;
SELECT way, size(item), item ->> 'small' AS small, item ->> 'flag' AS flag, item -> 'list' AS list,
	length(item ->> 'part3') AS part, item ->> 'absent' AS absent, item ? 'small' AS has
FROM big ORDER BY way COLLATE "C";
SELECT item ->> 's3997' = repeat('x', 3997 * 7 % 97) AS s3997, item ->> 'n4000' AS n4000, item -> 'l2' AS l2, item -> 'set3999' AS set3999
FROM big WHERE way = 'long directory';
-- Of 290 kB in TOAST (37 pages), the small attribute needs the row's page, the
-- index's and one chunk, the large one its own 15 chunks, four to a page.
CREATE FUNCTION pages(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, FORMAT json) ' || query INTO plan;
	RETURN (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int;
END
$$;
SELECT way, pages(format('SELECT item ->> ''small'' FROM big WHERE way = %L', way)) <= 5 AS small,
	pages(format('SELECT item ->> ''part3'' FROM big WHERE way = %L', way)) BETWEEN 8 AND 20 AS large, pages(format('SELECT item::text FROM big WHERE way = %L', way)) > 37 AS whole
FROM big WHERE way IN ('toast', 'external') ORDER BY way;

-- A typical item: at most 0.45 of its DynamoDB JSON in jsonb, 0.70 of its
-- plain JSON in jsonb.  (Four bytes for the value's length word.)
SELECT octet_length(json) AS json, size(json::ddb.item) + 4 AS item,
	round((size(json::ddb.item) + 4) / pg_column_size(json::jsonb)::numeric, 3) AS of_typed,
	round((size(json::ddb.item) + 4) / pg_column_size(json::ddb.item::jsonb)::numeric, 3) AS of_plain
FROM (VALUES ('{"id":{"S":"o1002"},"total":{"N":"129.90"},"paid":{"BOOL":true},"created":{"S":"2026-03-14T10:00:00Z"},' ||
	'"status":{"S":"SHIPPED"},"quantity":{"N":"3"},"customer":{"S":"c42"},"version":{"N":"17"},' ||
	'"address":{"M":{"city":{"S":"Berlin"},"zip":{"S":"10115"}}},"note":{"S":"leave at the door please"}}')) v(json);

DROP TABLE big;
DROP FUNCTION bytes, size, string, wide, nested, fits, fits_beside, pages;
