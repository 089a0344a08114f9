-- Tables made by hand, types that change under a call, odd plans.
\set VERBOSITY terse

-- A key index must name two attributes.
CREATE TABLE same (pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL, item ddb.item NOT NULL) USING ddb;
CREATE UNIQUE INDEX ON same (pk ddb.text_hash_ops (partition_key = 'K', sort_key = 'K'), sk);
SELECT ddb.put_item('same', '{"K": "a"}');
DROP TABLE same;

-- Any order of columns, dropped ones, others with defaults, odd names.
CREATE TABLE odd (item ddb.item NOT NULL, gone int, sk numeric NOT NULL, note text, pk bytea NOT NULL) USING ddb;
CREATE UNIQUE INDEX ON odd (pk ddb.bytea_hash_ops (partition_key = 'P"''\x', sort_key = ' '), sk);
SELECT ddb.put_item('odd', '{"P\"''\\x": {"B": "AA=="}, " ": {"N": "1"}, "v": {"S": "x"}}'::ddb.item);
ALTER TABLE odd DROP COLUMN gone;
ALTER TABLE odd ADD COLUMN more int NOT NULL DEFAULT 5;
SELECT ddb.put_item('odd', '{"P\"''\\x": {"B": "AQ=="}, " ": {"N": "1"}, "v": {"S": "y"}}'::ddb.item);
SELECT ddb.full_item(odd) FROM odd ORDER BY pk;
SELECT * FROM odd ORDER BY pk;
SELECT ddb.get_item('odd', '\x00'::bytea, 1);
SELECT ddb.populate_record(NULL::odd, '{"P\"''\\x": {"B": "AQ=="}, " ": {"N": "1"}, "v": {"S": "y"}}'::ddb.item);
DROP TABLE odd;

-- Rules do their work.
SELECT ddb.create_table('ruled', 'PK');
CREATE TABLE noted (pk text);
CREATE RULE note AS ON INSERT TO ruled DO ALSO INSERT INTO noted VALUES (NEW.pk);
CREATE RULE keep AS ON DELETE TO ruled DO INSTEAD NOTHING;
SELECT ddb.put_item('ruled', '{"PK": "a"}');
SELECT ddb.put_item('ruled', '{"PK": "a", "v": 1}', return_values => 'ALL_OLD');
SELECT ddb.delete_item('ruled', 'a');
SELECT ddb.full_item(r), pk FROM ruled r JOIN noted USING (pk);
DROP TABLE ruled;
DROP TABLE noted;
-- One that makes nothing of a write goes without a trace.
SELECT ddb.create_table('ruled', 'PK');
CREATE RULE never AS ON INSERT TO ruled DO INSTEAD NOTHING;
SELECT ddb.put_item('ruled', '{"PK": "b"}');
DROP RULE never ON ruled;
CREATE RULE other AS ON DELETE TO ruled DO INSTEAD NOTHING;
SELECT ddb.put_item('ruled', '{"PK": "b"}');
SELECT pk FROM ruled;
DROP TABLE ruled;

-- A row type that changes between two calls of one function.
SELECT ddb.create_table('changing', 'PK');
INSERT INTO changing VALUES ('a', '{"v": {"N": "1"}}');
CREATE FUNCTION read_both() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	row changing;
BEGIN
	FOR i IN 1 .. 2 LOOP
		SELECT * INTO row FROM changing;
		RETURN NEXT ddb.full_item(row);
		ALTER TABLE changing ALTER COLUMN item TYPE bytea USING '\xffffffffffff0123456789abcdef';
	END LOOP;
END $$;
SELECT read_both();
DROP FUNCTION read_both;
SELECT ddb.full_item(c) FROM changing c;

-- The leader of a parallel plan describes tables.
CREATE TABLE many AS SELECT i FROM generate_series(1, 1000) i;
ANALYZE many;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT count(*), (SELECT name FROM ddb.describe_table('changing')) FROM many WHERE i % 10 = 0;
SELECT count(*), (SELECT count(*) FROM ddb.list_tables() WHERE name = 'changing') FROM many WHERE i % 10 = 0;
SELECT sum((ddb.get_item('changing', 'a')->>'v')::int) FROM many WHERE i % 10 = 0;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
DROP TABLE many, changing;

-- Rows of the catalog left over by others do not stop a table from moving.
INSERT INTO ddb.catalog (schema_name, relation_name, name) VALUES
	('public', 'taken', 'left over'), ('elsewhere', 'taken', 'left over'), ('nowhere', 'taken', 'left over');
CREATE SCHEMA elsewhere;
SELECT ddb.create_table('free', 'PK');
ALTER TABLE free RENAME TO taken;
ALTER TABLE taken SET SCHEMA elsewhere;
ALTER SCHEMA elsewhere RENAME TO nowhere;
SELECT schema_name, relation_name, name FROM ddb.catalog WHERE name IN ('free', 'taken', 'left over');
SET client_min_messages = warning;
DROP SCHEMA nowhere CASCADE;
RESET client_min_messages;
SELECT count(*) FROM ddb.catalog WHERE name IN ('free', 'taken', 'left over');

SELECT ddb.compact(0::oid::regclass);
