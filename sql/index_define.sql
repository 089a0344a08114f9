-- Secondary indexes defined from SQL: what becomes of them, and what is refused
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA index_define;
SET search_path = index_define;

-- The failure's SQLSTATE and message, or the answer.
CREATE FUNCTION outcome(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE command INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- A view's query, without the table's name before columns, which 16 leaves out.
CREATE FUNCTION query(view regclass) RETURNS text LANGUAGE sql AS
	$$SELECT regexp_replace(pg_get_viewdef(view), '(shop|simple|"Odd name")\.', '', 'g')$$;

SELECT ddb.create_table('shop', 'PK', 'SK');
SELECT ddb.create_table('simple', 'id', partition_key_type => 'N');

--
-- One attribute, another as the sort key, some attributes included
--
BEGIN;
SELECT ddb.add_index('shop', 'by_status', 'status', 'at', sort_key_type => 'N', include => ARRAY['total', 'PK', 'status']);
SELECT ddb.index_table('shop', 'by_status');
SELECT query('shop_by_status');
SELECT pg_get_indexdef('shop_by_status_key'::regclass);
-- of a table that never had a row it is whole at once
SELECT relispopulated FROM pg_class WHERE oid = 'shop_by_status'::regclass;
SELECT outcome('SELECT count(*) FROM shop_by_status');
COMMIT;
-- else the worker's to fill: it begins empty, and is not to be read
BEGIN;
INSERT INTO shop VALUES ('a', 'b', '{"status": "open"}'::jsonb);
SELECT ddb.add_index('shop', 'filled', 'status');
SELECT relispopulated FROM pg_class WHERE oid = 'shop_filled'::regclass;
SELECT outcome('SELECT count(*) FROM shop_filled');
ROLLBACK;
-- PostgreSQL keeps everybody else's hands off
SELECT outcome('DELETE FROM shop_by_status RETURNING 1');

--
-- Several attributes, spread over shards; the table's own keys among them
--
SELECT ddb.add_index('shop', 'wide', ARRAY['SK', 'n', 'b'], ARRAY['x', 'y'], 'KEYS_ONLY',
	partition_key_type => ARRAY['S', 'N', 'B'], sort_key_type => ARRAY['B', 'N'], shards => 3);
SELECT query('shop_wide');
SELECT pg_get_indexdef('shop_wide_key'::regclass);
-- inverted: a table's keys the other way round
SELECT ddb.add_index('shop', 'inverted', 'SK', 'PK', 'KEYS_ONLY');
SELECT query('shop_inverted');
-- of a table with one key
SELECT ddb.add_index('simple', 'by_name', 'name');
SELECT query('simple_by_name');
SELECT pg_get_indexdef('simple_by_name_key'::regclass);

--
-- What the definitions make of rows
--
SELECT ddb.put_item('shop', '{"PK": {"S": "c1"}, "SK": {"S": "o1"}, "status": {"S": "open"}, "at": {"N": "10.50"}, "total": {"N": "3"}, "note": {"S": "-"}}'::ddb.item);
SELECT ddb.put_item('shop', '{"PK": {"S": "c1"}, "SK": {"S": "o2"}, "n": {"N": "-1"}, "b": {"B": "AAE="}, "x": {"B": "/w=="}, "y": {"N": "0"}, "z": {"N": "1"}}'::ddb.item);
SELECT ddb.put_item('shop', '{"PK": {"S": "c1"}, "SK": {"S": "o3"}, "status": {"S": "open"}}'::ddb.item);
BEGIN;
REFRESH MATERIALIZED VIEW shop_by_status;
SELECT ipk, isk, pk, sk, digest = substr(sha256('c1\000\001o1\000\001'), 1, 16) AS digest, item FROM shop_by_status;
COMMIT;
BEGIN;
REFRESH MATERIALIZED VIEW shop_wide;
SELECT ipk, isk, pk, sk, item, shard = ddb.index_shard(3, pk, sk) AS shard FROM shop_wide;
COMMIT;
BEGIN;
REFRESH MATERIALIZED VIEW shop_inverted;
SELECT ipk, isk, pk, sk, item FROM shop_inverted ORDER BY 1;
COMMIT;

--
-- The functions that definitions consist of
--
CREATE FUNCTION item(text) RETURNS ddb.item LANGUAGE sql IMMUTABLE AS 'SELECT $1::ddb.item';
SELECT ddb.index_s(item('{"a": {"S": "x"}}'), 'a'), ddb.index_n(item('{"a": {"N": "1.20E1"}}'), 'a'), ddb.index_b(item('{"a": {"B": "AAE="}}'), 'a');
-- nothing is raised: missing, of another type, empty, longer than any index takes
SELECT ddb.index_s(item('{}'), 'a') IS NULL, ddb.index_s(item('{"a": {"N": "1"}}'), 'a') IS NULL, ddb.index_n(item('{"a": {"S": "1"}}'), 'a') IS NULL,
	ddb.index_b(item('{"a": {"NULL": true}}'), 'a') IS NULL, ddb.index_s(item('{"a": {"S": ""}}'), 'a') IS NULL, ddb.index_b(item('{"a": {"B": ""}}'), 'a') IS NULL,
	ddb.index_s(item('{"a": {"S": "' || repeat('x', 2049) || '"}}'), 'a') IS NULL, length(ddb.index_s(item('{"a": {"S": "' || repeat('x', 2048) || '"}}'), 'a'));
SELECT ddb.index_s(NULL, 'a') IS NULL, ddb.index_s(item('{}'), NULL) IS NULL, ddb.index_item(NULL, 'a') IS NULL;
-- U+0000 and U+0001 as key columns have them
SELECT ddb.index_s(item('{"a": {"S": "u\u0000v\u0001"}}'), 'a') = E'u\001\001v\001\002';
SELECT ddb.index_item(item('{"a": {"N": "1"}, "b": {"L": []}, "c": {"S": ""}}'), 'c', 'a', 'missing', 'a');
-- tuples: each value, 00 as 00 FF, and then 00 01
SELECT ddb.index_tuple('a'::text, '\x00ff'::bytea), ddb.index_tuple('a'::text, NULL::numeric) IS NULL;
SELECT ddb.index_tuple(E'\001\001'::text);
-- they sort as their values do
SELECT string_agg(v::text, ' ' ORDER BY ddb.index_tuple(v, 'z'::text)) FROM unnest(ARRAY[10, -1, 0, 9.5, -2, 1e20, 100]) v;
SELECT string_agg(v, ' ' ORDER BY ddb.index_tuple(v, 'z'::text)) FROM unnest(ARRAY['b', 'a', 'ab', 'aaa', 'a!']) v;
SELECT bool_and(ddb.index_tuple(a, b) < ddb.index_tuple(c, d)) FROM
	(VALUES ('\x'::bytea, '\xff'::bytea, '\x00'::bytea, '\x'::bytea), ('\x01', '\x', '\x0100', ''), ('\x00', '\xff', '\x00ff', '\x')) v (a, b, c, d);
SELECT ddb.index_digest('c1'::text, 'o1'::text) = substr(sha256('c1\000\001o1\000\001'), 1, 16), length(ddb.index_digest(5::numeric)), ddb.index_digest(NULL::text) IS NULL;
SELECT ddb.index_digest(1::numeric) = ddb.index_digest(1.00::numeric);
SELECT min(s), max(s), count(DISTINCT s), max(n) - min(n) < 200 FROM
	(SELECT ddb.index_shard(8, 'k' || i) s, count(*) n FROM generate_series(1, 8000) i GROUP BY 1) t;
SELECT ddb.index_shard(0, 'k'::text) IS NULL, ddb.index_shard(NULL, 'k'::text) IS NULL;
-- what an index takes: 2048 and 1024 bytes, and both together as PostgreSQL's entries allow
SELECT ddb.index_fits(1, 'a'::text), ddb.index_fits(1, NULL::text), ddb.index_fits(1, 'a'::text, NULL::numeric), ddb.index_fits(2, 'a'::text);
SELECT ddb.index_fits(1, repeat('x', 2048)), ddb.index_fits(1, repeat('x', 2049)), ddb.index_fits(1, 'a'::text, repeat('x', 1024)), ddb.index_fits(1, 'a'::text, repeat('x', 1025)),
	ddb.index_fits(2, repeat('x', 1024), repeat('x', 1024)), ddb.index_fits(2, repeat('x', 1024), repeat('x', 1025));
SELECT ddb.index_fits(1, r.k, substr(r.k, 1, 500)), ddb.index_fits(1, r.k, substr(r.k, 1, 1000))
	FROM (SELECT string_agg(md5(i::text), '' ORDER BY i) k FROM generate_series(1, 64) i) r;

--
-- What is refused
--
SELECT outcome($$SELECT ddb.add_index('shop', 'by_status', 'q')$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'ab', 'q')$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'what?', 'q')$$);
SELECT outcome(format('SELECT ddb.add_index(%L, %L, %L)', 'shop', repeat('x', 256), 'q'));
SELECT outcome($$SELECT ddb.add_index('shop', NULL, 'q')$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', '')$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', NULL::text)$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', 'q', 'q')$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', ARRAY['p', 'q'], ARRAY['p'])$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', ARRAY['a', 'b', 'c', 'd', 'e'])$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', ARRAY['a', 'b'], partition_key_type => ARRAY['S'])$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', '{}'::text[])$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', 'q', partition_key_type => 'BOOL')$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', 'q', projection => 'SOME')$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', 'q', projection => 'INCLUDE')$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', 'q', projection => 'KEYS_ONLY', include => ARRAY['a'])$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', 'q', include => ARRAY['a', 'a'])$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', 'q', include => ARRAY[''])$$);
SELECT outcome(format('SELECT ddb.add_index(%L, %L, %L, include => %L)', 'shop', 'bad', 'q', (SELECT array_agg('a' || i) FROM generate_series(1, 100) i)));
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', 'q', shards => 0)$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', 'q', shards => 1001)$$);
-- an attribute has one type, in the table's key and in all indexes
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', 'PK', partition_key_type => 'N')$$);
SELECT outcome($$SELECT ddb.add_index('shop', 'bad', 'q', 'at')$$);
SELECT outcome($$SELECT ddb.add_local_index('shop', 'bad', 'status', 'B')$$);
-- twenty
SELECT count(outcome(format('SELECT ddb.add_index(%L, %L, %L)', 'simple', 'index' || i, 'a' || i))) FROM generate_series(1, 19) i;
SELECT outcome($$SELECT ddb.add_index('simple', 'one_more', 'x')$$);
SELECT count(*) FROM pg_matviews WHERE schemaname = 'index_define' AND matviewname LIKE 'simple%';
-- no table for it
SELECT outcome($$SELECT ddb.add_index('shop_by_status', 'bad', 'q')$$);
CREATE TABLE plain (pk text, sk text, item ddb.item);
SELECT outcome($$SELECT ddb.add_index('plain', 'bad', 'q')$$);
SELECT outcome($$SELECT ddb.add_index(0, 'bad', 'q')$$);
SELECT ddb.create_table('pg_temp.brief', 'id');
SELECT outcome($$SELECT ddb.add_index('pg_temp.brief', 'bad', 'q')$$);
SELECT outcome($$SELECT ddb.add_local_index('pg_temp.brief', 'bad', 'q')$$);
SELECT ddb.create_table('reckless', 'id', 'at');
ALTER TABLE reckless SET UNLOGGED;
SELECT outcome($$SELECT ddb.add_index('reckless', 'bad', 'q')$$);
SELECT outcome($$SELECT ddb.add_local_index('reckless', 'well', 'x')$$);
SELECT ddb.create_table('secret', 'id');
ALTER TABLE secret ENABLE ROW LEVEL SECURITY;
SELECT outcome($$SELECT ddb.add_index('secret', 'well', 'x')$$);
SELECT ddb.create_table('top_secret', 'id');
ALTER TABLE top_secret ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
SELECT outcome($$SELECT ddb.add_index('top_secret', 'bad', 'q')$$);

--
-- Names
--
-- longer than PostgreSQL's
SELECT ddb.add_index('shop', repeat('long', 50), 'q');
SELECT ddb.index_table('shop', repeat('long', 50)) = ddb.index_table('shop', repeat('long', 50)), count(*) FROM ddb.secondary_index WHERE index_name = repeat('long', 50);
SELECT outcome(format('SELECT ddb.index_table(%L, %L)', 'shop', repeat('long', 49)));
-- taken by another relation
CREATE TABLE shop_taken ();
SELECT ddb.add_index('shop', 'taken', 'q');
SELECT ddb.index_table('shop', 'taken');
-- case and signs
SELECT ddb.create_table('"Odd name"', '"q', 'it''s');
SELECT ddb.add_index('"Odd name"', 'By-It.s', 'it''s', '"q', include => ARRAY['a"b', 'c''d', 'e\f']);
SELECT query('"Odd name_By-It.s"');
SELECT ddb.add_local_index('"Odd name"', 'Local.1', '\"''');
SELECT pg_get_indexdef('"Odd name_Local.1"'::regclass);
SELECT outcome($$SELECT ddb.index_table('"Odd name"', 'by-it.s')$$);

--
-- Dropping
--
SELECT ddb.drop_index('shop', 'wide');
SELECT to_regclass('shop_wide') IS NULL;
SELECT outcome($$SELECT ddb.index_table('shop', 'wide')$$);
SELECT outcome($$SELECT ddb.drop_index('shop', 'wide')$$);
-- its attributes have no type any more
SELECT ddb.add_index('shop', 'wide', 'n');
-- in a transaction, which may end either way
BEGIN;
SELECT ddb.drop_index('shop', 'wide');
SELECT ddb.add_index('shop', 'wide', 'other');
SELECT ddb.index_table('shop', 'wide');
ROLLBACK;
SELECT definition -> 'partition' FROM ddb.secondary_index WHERE index_name = 'wide';
BEGIN;
SELECT ddb.add_index('shop', 'brief', 'x');
SAVEPOINT s;
SELECT ddb.drop_index('shop', 'brief');
SELECT outcome($$SELECT ddb.index_table('shop', 'brief')$$);
ROLLBACK TO s;
SELECT ddb.index_table('shop', 'brief');
ROLLBACK;
SELECT outcome($$SELECT ddb.index_table('shop', 'brief')$$);
-- with the view, whoever drops it
DROP MATERIALIZED VIEW shop_wide;
SELECT outcome($$SELECT ddb.index_table('shop', 'wide')$$);

--
-- Whose they are
--
CREATE ROLE index_define_owner;
CREATE ROLE index_define_other;
GRANT USAGE, CREATE ON SCHEMA index_define TO index_define_owner, index_define_other;
ALTER DEFAULT PRIVILEGES IN SCHEMA index_define GRANT SELECT ON TABLES TO index_define_other;
SELECT ddb.create_table('theirs', 'id', 'at');
ALTER TABLE theirs OWNER TO index_define_owner;
-- a superuser's index belongs to the table's owner, and nobody is granted anything
SELECT ddb.add_index('theirs', 'first', 'x');
SET ROLE index_define_owner;
SELECT ddb.add_index('theirs', 'second', 'y');
SELECT ddb.add_local_index('theirs', 'third', 'z');
SET ROLE index_define_other;
SELECT outcome($$SELECT ddb.add_index('theirs', 'bad', 'q')$$);
SELECT outcome($$SELECT ddb.add_local_index('theirs', 'bad', 'q')$$);
SELECT outcome($$SELECT ddb.drop_index('theirs', 'first')$$);
SELECT outcome('INSERT INTO ddb.secondary_index VALUES (1, 2, 3, 4, ''{}'')');
SELECT ddb.index_table('theirs', 'first');
RESET ROLE;
SELECT relname, relowner::regrole, coalesce(relacl::text LIKE '%index_define_other%', false) FROM pg_class
	WHERE relname LIKE 'theirs%' ORDER BY 1;
SET ROLE index_define_owner;
SELECT ddb.drop_index('theirs', 'first');
RESET ROLE;
ALTER DEFAULT PRIVILEGES IN SCHEMA index_define REVOKE SELECT ON TABLES FROM index_define_other;

-- everything goes with the tables
DROP TABLE brief;
DROP TABLE plain;
DROP TABLE shop_taken;
DROP TABLE shop;
DROP TABLE simple;
DROP TABLE reckless;
DROP TABLE secret;
DROP TABLE top_secret;
DROP TABLE theirs;
DROP TABLE "Odd name";
SELECT count(*) FROM ddb.secondary_index;
SELECT count(*) FROM pg_class WHERE relnamespace = 'index_define'::regnamespace;
DROP FUNCTION outcome, item, query;
REVOKE ALL ON SCHEMA index_define FROM index_define_owner, index_define_other;
DROP ROLE index_define_owner, index_define_other;
DROP SCHEMA index_define;
