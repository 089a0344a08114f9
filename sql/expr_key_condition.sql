-- Key conditions: which items of a collection a Query wants, on sort keys of
-- each type, and what is no key condition.
\pset format unaligned
\pset tuples_only on

SELECT ddb.create_table('ks', 'PK', 'SK'), ddb.create_table('kn', 'PK', 'SK', sort_key_type => 'N'), ddb.create_table('kb', 'PK', 'SK', sort_key_type => 'B'), ddb.create_table('k1', 'PK');
SELECT count(ddb.put_item('ks', jsonb_build_object('PK', 'p', 'SK', s, 'v', 1))) FROM unnest(ARRAY['001', '002', '003', '0030', '01', 'é', 'ÿÿ', '𝄞']) s;
SELECT count(ddb.put_item('kn', jsonb_build_object('PK', 'p', 'SK', n, 'v', 1))) FROM unnest(ARRAY[-10, -1.5, 0, 2, 10, 100]) n;
SELECT count(ddb.put_item('kb', ('{"PK": {"S": "p"}, "SK": {"B": "' || encode(b, 'base64') || '"}, "v": {"N": "1"}}')::ddb.item)) FROM unnest(ARRAY['\x00', '\x7e', '\x7f', '\x7f00', '\x80', '\xff']::bytea[]) b;
SELECT count(ddb.put_item('ks', jsonb_build_object('PK', 'other', 'SK', '002'))), count(ddb.put_item('k1', '{"PK": "p", "v": 1}')) FROM generate_series(1, 1);

-- The sort keys found, or the error.
CREATE FUNCTION q(tbl regclass, condition text, vals ddb.doc, names ddb.doc DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT string_agg(i #>> '{SK}', ' ' ORDER BY n) FROM ddb.query(tbl, condition, attr_names => names, attr_values => vals) WITH ORDINALITY q(i, n));
EXCEPTION WHEN OTHERS THEN
	RETURN CASE SQLSTATE WHEN 'YD001' THEN '' ELSE SQLSTATE || ' ' END || SQLERRM;
END $$;

-- Strings, by their UTF-8 bytes
SELECT c, q('ks', c, v) FROM (VALUES
	('PK = :p', '{":p": "p"}'::ddb.doc), (' PK  =  :p ', '{":p": "p"}'), (':p = PK', '{":p": "p"}'), ('(PK = :p)', '{":p": "p"}'), ('PK = :p', '{":p": "nobody"}'),
	('PK = :p AND SK = :s', '{":p": "p", ":s": "002"}'), ('SK = :s and PK = :p', '{":p": "p", ":s": "002"}'), ('PK = :p AND SK < :s', '{":p": "p", ":s": "003"}'),
	('PK = :p AND SK <= :s', '{":p": "p", ":s": "003"}'), ('PK = :p AND SK > :s', '{":p": "p", ":s": "01"}'), ('PK = :p AND SK >= :s', '{":p": "p", ":s": "01"}'),
	('PK = :p AND :s < SK', '{":p": "p", ":s": "01"}'), ('PK = :p AND :s >= SK', '{":p": "p", ":s": "002"}'), (':s = SK AND :p = PK', '{":p": "p", ":s": "é"}'),
	('PK = :p AND SK BETWEEN :s AND :t', '{":p": "p", ":s": "002", ":t": "003"}'), ('SK beTWeen :s aND :t AnD PK = :p', '{":p": "p", ":s": "002", ":t": "01"}'),
	('PK = :p AND begins_with(SK, :s)', '{":p": "p", ":s": "003"}'), ('PK = :p AND begins_with(SK, :s)', '{":p": "p", ":s": "ÿ"}'), ('begins_with(SK, :s) AND PK = :p', '{":p": "p", ":s": "x"}'),
	('((PK = :p) AND (SK > :s))', '{":p": "p", ":s": "é"}'), ('PK = :p AND SK > :s', '{":p": "p", ":s": "\uffff"}')) t(c, v);
SELECT q('ks', '#a = :p AND #b > :s', '{":p": "p", ":s": "é"}', '{"#a": "PK", "#b": "SK"}');

-- Numbers, by value
SELECT c, q('kn', c, v) FROM (VALUES
	('PK = :p', '{":p": "p"}'::ddb.doc), ('PK = :p AND SK = :s', '{":p": "p", ":s": 2.0}'), ('PK = :p AND SK < :s', '{":p": "p", ":s": 2}'), ('PK = :p AND SK <= :s', '{":p": "p", ":s": 2}'),
	('PK = :p AND SK > :s', '{":p": "p", ":s": -1.5}'), ('PK = :p AND :s <= SK', '{":p": "p", ":s": -1.5}'), ('PK = :p AND SK BETWEEN :s AND :t', '{":p": "p", ":s": -5, ":t": 1e1}'),
	('PK = :p AND begins_with(SK, :s)', '{":p": "p", ":s": 1}'), ('PK = :p AND SK BETWEEN :s AND :t', '{":p": "p", ":s": 2, ":t": 1}'), ('PK = :p AND SK = :s', '{":p": "p", ":s": "2"}')) t(c, v);

-- Binary, by unsigned bytes
SELECT c, q('kb', c, v::ddb.item) FROM (VALUES
	('PK = :p', '{":p": {"S": "p"}}'), ('PK = :p AND SK = :s', '{":p": {"S": "p"}, ":s": {"B": "gA=="}}'), ('PK = :p AND SK < :s', '{":p": {"S": "p"}, ":s": {"B": "fw=="}}'),
	('PK = :p AND SK > :s', '{":p": {"S": "p"}, ":s": {"B": "fw=="}}'), ('PK = :p AND SK BETWEEN :s AND :t', '{":p": {"S": "p"}, ":s": {"B": "fw=="}, ":t": {"B": "gA=="}}'),
	('PK = :p AND begins_with(SK, :s)', '{":p": {"S": "p"}, ":s": {"B": "fw=="}}'), ('PK = :p AND begins_with(SK, :s)', '{":p": {"S": "p"}, ":s": {"B": "/w=="}}'), ('PK = :p AND SK = :s', '{":p": {"S": "p"}, ":s": {"S": "x"}}')) t(c, v);

-- A table without a sort key
SELECT count(i), q('k1', 'PK = :p AND SK = :p', '{":p": "p"}'), q('k1', 'SK = :p', '{":p": "p"}'), q('k1', 'v = :p', '{":p": "p"}') FROM ddb.query('k1', 'PK = :p', attr_values => '{":p": "p"}') i;

-- What is no key condition
SELECT c, q('ks', c, '{":p": "p", ":s": "s"}') FROM (VALUES
	('PK = :p OR SK = :s'), ('NOT PK = :p AND SK = :s'), ('NOT NOT PK = :p AND SK = :s'), ('PK = :p AND SK <> :s'), ('PK = :p AND SK IN (:s)'), ('PK = :p AND (SK = :s OR SK = :p)'),
	('PK = :p AND attribute_exists(SK) AND a = :s'), ('PK = :p AND contains(SK, :s)'), ('PK = :p AND size(SK) = :s'), ('PK = :p AND begins_with(:s, SK)'), (':p BETWEEN PK AND :s'),
	('PK = :p AND SK = PK AND a = :s'), ('PK = :p AND SK BETWEEN PK AND :s'), ('PK = :p AND :p = :s'), ('PK = :p AND SK.a = :s'), ('PK = :p AND SK[0] = :s'),
	('PK = :p AND PK = :s'), ('PK = :p AND SK > :p AND SK < :s'), ('PK = :p AND SK = :s AND a = :s'), ('PK = :p AND a = :s'), ('SK = :p OR a = :s'), ('PK < :p AND SK = :s'), ('begins_with(PK, :p) AND SK = :s'),
	('PK BETWEEN :p AND :s'), ('a = :p AND b = :s'), ('PK = :p AND BEGINS_WITH(SK, :s)'), ('PK = :p AND dog(SK, :s)'), ('PK = :p AND SK != :s'), ('PK AND :p = :s'), ('PK = :p AND ((SK = :s))'), ('PK = :p AND if_not_exists(SK, :s)')) t(c);
SELECT q('ks', 'SK = :s', '{":s": "s"}'), q('ks', 'PK', NULL), q('ks', '', '{":s": "s"}'), q('ks', 'PK = :p', '{":p": 1}'), q('ks', 'PK = :p AND SK = :s', '{":p": "p", ":s": 1}'), q('ks', 'PK = :p', '{":p": ""}'), q('ks', 'PK = :p AND SK = :s', '{":p": "p", ":s": ""}');
SELECT q('ks', 'PK = :p', NULL), q('ks', 'PK = :p', '{":p": "p", ":q": 1}'), q('ks', '#p = :p', '{":p": "p"}'), q('ks', 'PK = :p AND SK < :s', '{":p": "p", ":s": {"a": 1}}'), q('ks', 'PK = :p AND SK BETWEEN :t AND :s', '{":p": "p", ":s": "a", ":t": "b"}');
-- found before the table is
SELECT ddb.api('Query', '{"TableName": "nowhere", "KeyConditionExpression": "PK = :p OR SK = :p", "ExpressionAttributeValues": {":p": {"S": "p"}}}');
SELECT ddb.api('Query', '{"TableName": "nowhere", "KeyConditionExpression": "PK = :p", "ExpressionAttributeValues": {":p": {"S": "p"}}}');
-- a filter may not name the keys, not even on the other side of a comparison; a Scan's may
SELECT c, (SELECT count(*) FROM ddb.scan('ks', filter => c, attr_values => '{":s": "003"}')) FROM (VALUES ('SK = :s'), (':s < SK'), ('begins_with(SK, :s) AND v <> SK')) t(c);
SELECT ddb.query('ks', 'PK = :p', filter => 'v < SK', attr_values => '{":p": "p"}');
SELECT ddb.query('ks', 'PK = :p', filter => 'size(PK) > v', attr_values => '{":p": "p"}');

DROP FUNCTION q;
SELECT ddb.drop_table('ks'), ddb.drop_table('kn'), ddb.drop_table('kb'), ddb.drop_table('k1');
