-- Tables: what ddb.create_table makes, and what DDL does to it.
SELECT ddb.create_table('t_full', partition_key => 'PK', sort_key => 'SK');
\d t_full
SELECT reloptions FROM pg_class WHERE oid = 't_full'::regclass;
SELECT * FROM ddb.create_table('t_simple', 'id');
SELECT ddb.create_table('t_num', 'n', 's', 'N', 'bytea');
SELECT attname, format_type(atttypid, atttypmod), attstorage, attnotnull
	FROM pg_attribute WHERE attrelid = 't_num'::regclass AND attnum > 0 ORDER BY attnum;

-- Describing and listing.
SELECT name, partition_key, partition_key_type, sort_key, sort_key_type,
		item_count, plain, created IS NOT NULL AS created, id IS NOT NULL AS id
	FROM ddb.describe_table('t_full');
SELECT name, partition_key, sort_key, sort_key_type FROM ddb.describe_table('t_simple');
SELECT * FROM ddb.list_tables();
SELECT ddb.describe_table('pg_class');

-- What is refused.
SELECT ddb.create_table('t_full', 'PK');
SELECT ddb.create_table('x', 'a', 'a');
SELECT ddb.create_table('x', '');
SELECT ddb.create_table('x', repeat('a', 256));
SELECT ddb.create_table('x', 'a', 'b', 'S', 'BOOL');
SELECT ddb.create_table(NULL, 'a');
SELECT ddb.create_table('no_such_schema.x', 'a');
SELECT ddb.drop_table('pg_class');
CREATE TABLE t_other (a int);
SELECT ddb.put_item('t_other', '{"a": 1}');
SELECT ddb.get_item('t_other', 'a');
SELECT ddb.describe_table('t_other');
DROP TABLE t_other;

-- An item has a place for everything: rows and whole items.
SELECT ddb.put_item('t_full', '{"PK": "u1", "SK": "PROFILE", "name": "Ann", "age": 41}');
SELECT * FROM t_full;
SELECT ddb.full_item(t) FROM t_full t;
SELECT ddb.full_item(t)::jsonb FROM t_full t WHERE pk = 'u1';
SELECT (ddb.populate_record(NULL::t_full, '{"PK": "u2", "SK": "A", "x": [1, null]}')).*;
INSERT INTO t_full SELECT r.* FROM ddb.populate_record(NULL::t_full, '{"PK": "u2", "SK": "A", "x": 1}') r;
SELECT ddb.get_item('t_full', 'u2', 'A');
SELECT ddb.populate_record(NULL::t_full, '{"PK": "u2", "x": 1}');
SELECT ddb.populate_record(NULL::t_full, '{"PK": {"S": "u2"}, "SK": "x"}');
SELECT ddb.populate_record(NULL::t_full, NULL);
SELECT ddb.populate_record(NULL::int4, '{}');
SELECT ddb.full_item(ROW(1, 2));
SELECT ddb.full_item(t) FROM (VALUES (1)) v(a) LEFT JOIN t_full t ON t.pk = 'nobody';
-- U+0000 in a key: escaped in the column, itself in the item.
SELECT ddb.put_item('t_full', '{"PK": "a\u0000b", "SK": "\u0001", "v": "\u0000"}');
SELECT pk = E'a\x01\x01b' AS pk, sk = E'\x01\x02' AS sk FROM t_full WHERE pk > 'a' AND pk < 'b';
SELECT ddb.full_item(t) FROM t_full t WHERE pk = E'a\x01\x01b';
SELECT (ddb.populate_record(NULL::t_full, ddb.full_item(t))).pk = pk AS same
	FROM t_full t WHERE pk = E'a\x01\x01b';
-- Limits of plain SQL are the functions' limits.
INSERT INTO t_full VALUES ('', 'A', '{}');
INSERT INTO t_full VALUES (repeat('x', 2049), 'A', '{}');
INSERT INTO t_full VALUES ('x', repeat('y', 1025), '{}');
INSERT INTO t_full VALUES (E'x\x01', 'y', '{}');
INSERT INTO t_num VALUES ('NaN', '\x01', '{}');

-- Every kind of DDL.
CREATE SCHEMA t_schema;
ALTER TABLE t_full RENAME TO t_renamed;
SELECT name FROM ddb.describe_table('t_renamed');
ALTER TABLE t_renamed SET SCHEMA t_schema;
SELECT schema_name, relation_name, name FROM ddb.catalog WHERE relation_name LIKE 't\_%' ORDER BY 1, 2;
ALTER TABLE t_schema.t_renamed RENAME TO "T.full";
ALTER SCHEMA t_schema RENAME TO t_schema2;
SELECT schema_name, relation_name, name FROM ddb.catalog ORDER BY 1, 2;
SELECT ddb.get_item('t_schema2."T.full"', 'u1', 'PROFILE')::jsonb;
ALTER TABLE t_schema2."T.full" SET SCHEMA public;
ALTER TABLE "T.full" RENAME TO t_full;
-- A rename leaves alone what only has the same name elsewhere.
SET search_path = t_schema2, public;
SELECT ddb.create_table('t_num2', 'id');
ALTER TABLE t_num RENAME TO t_num2;
SELECT schema_name, relation_name, name FROM ddb.catalog WHERE relation_name ~ 't_num' ORDER BY 1, 2;
ALTER TABLE public.t_num2 RENAME TO t_num;
RESET search_path;
SELECT schema_name, relation_name, name FROM ddb.catalog WHERE relation_name ~ 't_num' ORDER BY 1, 2;
DROP SCHEMA t_schema2 CASCADE;
SELECT schema_name, relation_name, name FROM ddb.catalog ORDER BY 1, 2;

ALTER TABLE t_full RENAME COLUMN pk TO partition;
SELECT ddb.get_item('t_full', 'u1', 'PROFILE')::jsonb;
ALTER TABLE t_full RENAME COLUMN partition TO pk;
CLUSTER t_full USING t_full_key;
REINDEX TABLE t_full;
REINDEX TABLE CONCURRENTLY t_full;
VACUUM FULL t_full;
SELECT ddb.get_item('t_full', 'u1', 'PROFILE')::jsonb;
TRUNCATE t_full;
SELECT ddb.get_item('t_full', 'u1', 'PROFILE');
SELECT ddb.put_item('t_full', '{"PK": "u1", "SK": "PROFILE", "name": "Ann"}');

-- A copy by LIKE is a ddb table too, temporary and unlogged ones as well.
CREATE TABLE t_like (LIKE t_full INCLUDING ALL) USING ddb;
SELECT ddb.put_item('t_like', '{"PK": "u1", "SK": "B", "n": 1}');
SELECT ddb.update_item('t_like', 'u1', 'B', update => 'ADD n :one', attr_values => '{":one": 1}') ->> 'n';
SELECT name, partition_key, sort_key, created FROM ddb.describe_table('t_like');
CREATE TEMP TABLE t_temp (LIKE t_full INCLUDING ALL) USING ddb;
SELECT ddb.put_item('t_temp', '{"PK": "u1", "SK": "B", "n": 1}');
SELECT ddb.get_item('t_temp', 'u1', 'B')::jsonb;
SELECT ddb.create_table('pg_temp.t_temp2', 'id');
SELECT count(*) FROM ddb.catalog WHERE relation_name = 't_temp2';
DROP TABLE t_temp, t_temp2;
ALTER TABLE t_full SET UNLOGGED;
SELECT ddb.get_item('t_full', 'u1', 'PROFILE')::jsonb;
ALTER TABLE t_full SET LOGGED;

-- The way out: a table of heap's, and back.
ALTER TABLE t_full SET ACCESS METHOD heap;
SELECT * FROM t_full;
ALTER TABLE t_full SET ACCESS METHOD ddb;
SELECT ddb.get_item('t_full', 'u1', 'PROFILE')::jsonb;
-- Without its key index it is no ddb table.
DROP INDEX t_full_key;
SELECT ddb.get_item('t_full', 'u1', 'PROFILE');
SELECT name FROM ddb.list_tables();
CREATE UNIQUE INDEX ON t_full (pk ddb.text_hash_ops (partition_key = 'A', sort_key = 'B'), sk);
SELECT ddb.get_item('t_full', 'u1', 'PROFILE');

-- All in a transaction that never was.
BEGIN;
SELECT ddb.create_table('t_undone', 'id');
SELECT ddb.put_item('t_undone', '{"id": "x"}');
SELECT ddb.drop_table('t_simple');
ROLLBACK;
SELECT name FROM ddb.list_tables();

SELECT ddb.drop_table('t_full'), ddb.drop_table('t_simple'), ddb.drop_table('t_num'), ddb.drop_table('t_like');
SELECT name FROM ddb.list_tables();
SELECT count(*) FROM ddb.catalog;
