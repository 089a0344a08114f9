-- Tables with secondary indexes under PostgreSQL's own DDL
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
SET client_min_messages = warning;
CREATE SCHEMA index_ddl;
CREATE SCHEMA index_ddl_other;
SET search_path = index_ddl;
CREATE ROLE index_ddl_one;
CREATE ROLE index_ddl_two;
GRANT ALL ON SCHEMA index_ddl, index_ddl_other TO index_ddl_one, index_ddl_two;

-- The table's indexes as the catalog has them, and where and whose they are.
CREATE FUNCTION indexes() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('%s.%s %s: %s %s %s', k.schema_name, k.relation_name, k.index_name, c.oid::regclass, c.relkind, c.relowner::regrole)
	FROM ddb.secondary_index k
	LEFT JOIN pg_class c ON c.oid = ddb.index_table(format('%I.%I', k.schema_name, k.relation_name)::regclass, k.index_name)
	ORDER BY 1$$;

SET ROLE index_ddl_one;
SELECT ddb.create_table('shop', 'PK', 'SK');
SELECT ddb.add_index('shop', 'by_status', 'status', 'SK');
SELECT ddb.add_local_index('shop', 'by_total', 'total', 'N');
RESET ROLE;
SELECT indexes();

--
-- Owners, names, schemas
--
ALTER TABLE shop OWNER TO index_ddl_two;
SELECT indexes();
ALTER MATERIALIZED VIEW shop_by_status OWNER TO index_ddl_one;
ALTER TABLE shop_by_status OWNER TO index_ddl_one;
ALTER INDEX shop_by_total OWNER TO index_ddl_one;
REASSIGN OWNED BY index_ddl_two TO index_ddl_one;
SELECT indexes();
ALTER TABLE shop RENAME TO store;
SELECT indexes();
ALTER TABLE index_ddl.store RENAME TO shop;
ALTER MATERIALIZED VIEW shop_by_status RENAME TO statuses;
ALTER INDEX shop_by_total RENAME TO totals;
SELECT indexes();
ALTER TABLE statuses RENAME TO shop_by_status;
ALTER TABLE shop SET SCHEMA index_ddl_other;
SELECT indexes();
SET search_path = index_ddl, index_ddl_other;
ALTER MATERIALIZED VIEW index_ddl_other.shop_by_status SET SCHEMA index_ddl;
ALTER TABLE shop SET SCHEMA index_ddl;
SELECT indexes();
ALTER SCHEMA index_ddl RENAME TO index_ddl_third;
SET search_path = index_ddl_third;
SELECT indexes();
ALTER SCHEMA index_ddl_third RENAME TO index_ddl;
SET search_path = index_ddl;
-- rolled back, all of it
BEGIN;
ALTER TABLE shop RENAME TO store;
ALTER TABLE store SET SCHEMA index_ddl_other;
ALTER TABLE index_ddl_other.store OWNER TO index_ddl_two;
SELECT indexes();
ROLLBACK;
SELECT indexes();

-- columns may be called something else, in the table and in the index
ALTER TABLE shop RENAME pk TO customer;
ALTER MATERIALIZED VIEW shop_by_status RENAME ipk TO status;
SELECT ddb.put_item('shop', '{"PK": "c", "SK": "s", "status": "open", "total": 1}');
SELECT ddb.run_maintenance() >= 0 AND ddb.wait_for_index('shop', timeout => '60s');
SELECT status, isk, pk, sk, item FROM shop_by_status;
ALTER TABLE shop RENAME customer TO pk;
ALTER MATERIALIZED VIEW shop_by_status RENAME status TO ipk;
ALTER TABLE shop RENAME item TO thing;

--
-- Refused, with a way out
--
\set VERBOSITY default
ALTER TABLE shop SET ACCESS METHOD heap;
\set VERBOSITY terse
ALTER MATERIALIZED VIEW shop_by_status SET ACCESS METHOD heap;
ALTER TABLE shop SET UNLOGGED;
ALTER TABLE shop FORCE ROW LEVEL SECURITY;
ALTER TABLE shop ALTER item TYPE jsonb USING NULL;
ALTER TABLE shop ALTER sk TYPE varchar(10);
ALTER TABLE shop DROP COLUMN sk;
DROP INDEX shop_key;
-- PostgreSQL's own refusals
INSERT INTO shop_by_status VALUES ('x');
UPDATE shop_by_status SET ipk = 'x';
DELETE FROM shop_by_status WHERE false;
MERGE INTO shop_by_status USING shop ON false WHEN NOT MATCHED THEN DO NOTHING;
SELECT FROM shop_by_status FOR UPDATE;
COPY shop_by_status FROM stdin;
\.
TRUNCATE shop_by_status;
ALTER MATERIALIZED VIEW shop_by_status ADD COLUMN x int;
-- an index that is used otherwise holds its table, as it should
CREATE VIEW statuses AS SELECT ipk FROM shop_by_status;
DROP TABLE shop;
SELECT ddb.drop_index('shop', 'by_status');
DROP VIEW statuses;

--
-- Allowed: what leaves the items as they are
--
ALTER TABLE shop ADD COLUMN note text DEFAULT 'x' || random(), ADD CHECK (sk <> 'never'), ENABLE ROW LEVEL SECURITY;
ALTER TABLE shop ALTER note DROP DEFAULT, DISABLE ROW LEVEL SECURITY;
ALTER TABLE shop ALTER note TYPE bytea USING note::bytea;
ALTER TABLE shop DROP COLUMN note;
CREATE INDEX ON shop_by_status (isk);
CLUSTER shop USING shop_key;
SELECT indexes();
-- row security closes an index to plain SELECT, and opens it again
SELECT ddb.run_maintenance() >= 0 AND ddb.wait_for_index('shop', timeout => '60s');
ALTER TABLE shop ENABLE ROW LEVEL SECURITY;
SELECT count(*) FROM shop_by_status;
ALTER TABLE shop DISABLE ROW LEVEL SECURITY;
SELECT count(*) FROM shop_by_status;
-- the key index is replaced, not lost
BEGIN;
CREATE UNIQUE INDEX shop_new_key ON shop (pk ddb.text_hash_ops (partition_key = 'PK', sort_key = 'SK'), sk);
DROP INDEX shop_key;
COMMIT;
SELECT ddb.put_item('shop', '{"PK": "d", "SK": "s", "status": "done"}');
SELECT ddb.run_maintenance() >= 0 AND ddb.wait_for_index('shop', timeout => '60s');
SELECT ipk, isk, pk, sk FROM shop_by_status ORDER BY ipk COLLATE "C";

--
-- Without global indexes the table is PostgreSQL's to change again
--
SELECT ddb.drop_index('shop', 'by_status');
ALTER TABLE shop SET UNLOGGED;
ALTER TABLE shop SET LOGGED;
ALTER TABLE shop FORCE ROW LEVEL SECURITY;
ALTER TABLE shop NO FORCE ROW LEVEL SECURITY;
ALTER TABLE shop SET ACCESS METHOD heap;
ALTER TABLE shop ALTER sk TYPE varchar(10);
SELECT ddb.drop_index('shop', 'by_total');
ALTER TABLE shop SET ACCESS METHOD heap;
ALTER TABLE shop SET ACCESS METHOD ddb;
SELECT indexes();

--
-- What an index leaves behind: nothing
--
SELECT ddb.add_index('shop', 'by_status', 'status'), ddb.add_local_index('shop', 'by_total', 'total', 'N');
BEGIN;
DROP TABLE shop;
SELECT indexes();
ROLLBACK;
SELECT indexes();
ALTER TABLE shop DROP COLUMN sk CASCADE;
SELECT indexes();
DROP TABLE shop;
SET ROLE index_ddl_two;
SELECT ddb.create_table('shop', 'PK', 'SK');
SELECT ddb.add_index('shop', 'by_status', 'status');
RESET ROLE;
DROP OWNED BY index_ddl_two;
SELECT indexes();
SELECT ddb.create_table('index_ddl_other.shop', 'PK', 'SK');
SELECT ddb.add_index('index_ddl_other.shop', 'by_status', 'status');
DROP SCHEMA index_ddl_other CASCADE;
SELECT indexes();
-- the extension is still there
SELECT count(*) FROM pg_extension WHERE extname = 'ddb';

--
-- A row that fits nothing harms nobody
--
SELECT ddb.create_table('shop', 'PK', 'SK');
SELECT ddb.add_index('shop', 'good', 'status');
INSERT INTO ddb.secondary_index VALUES
	('index_ddl', 'shop', 'no_relation', 'nothing', '{"partition": [{"name": "a", "type": "S"}], "projection": "ALL"}'),
	('index_ddl', 'shop', 'not_a_view', 'shop', '{"partition": [{"name": "a", "type": "S"}], "projection": "ALL"}'),
	('index_ddl', 'nothing', 'no_table', 'nothing2', '{"partition": [{"name": "a", "type": "S"}], "projection": "ALL"}');
UPDATE ddb.secondary_index SET definition = '{"partition": 5}' WHERE index_name = 'good';
SELECT ddb.put_item('shop', '{"PK": "c", "SK": "s", "status": 1}');
SELECT ddb.index_table('shop', 'good');
UPDATE ddb.secondary_index SET definition = '{"partition": [{"name": "status", "type": "S"}], "projection": "ALL"}' WHERE index_name = 'good';
SELECT ddb.put_item('shop', '{"PK": "c", "SK": "s", "status": 1}');
SELECT ddb.index_table('shop', 'no_relation');
SELECT ddb.index_table('shop', 'not_a_view');
DELETE FROM ddb.secondary_index WHERE index_name IN ('no_relation', 'not_a_view', 'no_table');
-- a view that looks like an index is not one without its row, but goes with the table
CREATE MATERIALIZED VIEW lookalike USING ddb AS SELECT ddb.index_s(item, 'x') ipk, ddb.index_digest(pk, sk) digest FROM shop WITH NO DATA;
DROP TABLE shop;
SELECT to_regclass('lookalike') IS NULL;
SELECT indexes();

DROP FUNCTION indexes;
DROP SCHEMA index_ddl;
DROP ROLE index_ddl_one, index_ddl_two;
