-- Key attributes in columns, the others in the item, and the whole again.

-- The key's names fall before, between and behind the attributes' own.
SELECT ddb.create_table('parted', partition_key => 'bb', sort_key => 'a');
SELECT ddb.create_table('simple', partition_key => 'key');
CREATE FUNCTION there_and_back(doc text) RETURNS TABLE (stored ddb.item, whole ddb.item, equal boolean) LANGUAGE sql AS $$
	DELETE FROM parted;
	SELECT ddb.put_item('parted', doc::ddb.item);
	SELECT item, ddb.full_item(parted), ddb.full_item(parted) = doc::ddb.item AND ddb.get_item('parted', pk, sk) = doc::ddb.item
	FROM parted;
$$;
SELECT t.* FROM (VALUES
	('{"a": {"S": "s"}, "bb": {"S": "p"}}'),
	('{"a": {"S": "s"}, "bb": {"S": "p"}, "c": {"N": "1"}}'),
	('{"a": {"S": "s"}, "bb": {"S": "p"}, "A": {"N": "1"}}'),
	('{"a": {"S": "s"}, "bb": {"S": "p"}, "b": {"N": "1"}, "ba": {"N": "2"}, "bc": {"N": "3"}}'),
	('{"a": {"S": "s"}, "bb": {"S": "p"}, "zzz": {"N": "1"}, "B": {"M": {"a": {"S": "inner"}, "bb": {"L": []}}}}')) AS v(doc),
	LATERAL there_and_back(doc) t;

-- At every size around the change from the short form to the long one.
SELECT count(*) AS sizes, bool_and(equal) AS equal, min(octet_length(ddb.item_send(whole))) AS smallest,
	count(DISTINCT get_byte(ddb.item_send(whole), 1)) AS forms, count(DISTINCT get_byte(ddb.item_send(stored), 1)) AS stored_forms
FROM generate_series(980, 1040) n,
	LATERAL there_and_back(format('{"a": {"S": "s"}, "bb": {"S": "p"}, "c": {"S": "%s"}, "d": {"N": "5"}}', repeat('x', n))) t;

-- Many attributes; a simple key.
SELECT equal, whole ->> 'n77' AS n77, whole ->> 'bb' AS bb
FROM (SELECT '{"a": {"S": "s"}, "bb": {"S": "p"}, ' || string_agg(format('"n%s": {"N": "%s"}', i, i), ', ') || '}' FROM generate_series(1, 300) i) d(doc),
	LATERAL there_and_back(doc) t;
SELECT ddb.put_item('simple', '{"key": "k", "a": 1}'), ddb.put_item('simple', '{"key": "alone"}');
SELECT ddb.get_item('simple', 'k'), ddb.get_item('simple', 'alone'), ddb.get_item('simple', 'K');
SELECT pk, item FROM simple ORDER BY pk;

-- What a key may be.
CREATE FUNCTION refused(doc text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ddb.put_item('parted', doc::ddb.item);
	RETURN 'accepted';
EXCEPTION WHEN SQLSTATE 'YD001' THEN
	RETURN SQLERRM;
END
$$;
SELECT doc, refused(doc) FROM (VALUES
	('{"a": {"S": "s"}}'),
	('{"bb": {"S": "p"}}'),
	('{}'),
	('{"a": {"N": "1"}, "bb": {"S": "p"}}'),
	('{"a": {"S": "s"}, "bb": {"M": {}}}'),
	('{"a": {"S": "s"}, "bb": {"NULL": true}}'),
	('{"a": {"S": ""}, "bb": {"S": "p"}}'),
	('{"a": {"S": "s"}, "bb": {"S": ""}}')) AS v(doc);
-- 2048 bytes and 1024 bytes, of UTF-8; one key of each at a time, for both
-- together may be more than an index takes.
SELECT p, s, refused(format('{"a": {"S": "%s"}, "bb": {"S": "%s"}}', repeat('é', s / 2) || repeat('x', s % 2), repeat('é', p / 2) || repeat('x', p % 2)))
FROM (VALUES (2048, 4), (2049, 4), (4, 1024), (4, 1025), (2050, 1026)) AS v(p, s);

SELECT ddb.create_table('bytes', partition_key => 'b', partition_key_type => 'B');
SELECT ddb.put_item('bytes', '{"b": {"B": "AAH/"}, "x": {"N": "1"}}'::ddb.item);
SELECT pk, item, ddb.full_item(bytes) FROM bytes;
SELECT ddb.put_item('bytes', '{"b": {"B": ""}}'::ddb.item);
SELECT ddb.put_item('bytes', '{"b": {"S": "AAH/"}}'::ddb.item);

-- The size of an item is that of the whole: a (1) + s (1), bb (2) + p (1), c (1).
SELECT refused('{"a": {"S": "s"}, "bb": {"S": "p"}, "c": {"S": "' || repeat('x', 409600 - 6) || '"}}') AS fits,
	refused('{"a": {"S": "s"}, "bb": {"S": "p"}, "c": {"S": "' || repeat('x', 409600 - 5) || '"}}') AS one_more;

SELECT ddb.drop_table('parted'), ddb.drop_table('simple'), ddb.drop_table('bytes');
DROP FUNCTION there_and_back, refused;
