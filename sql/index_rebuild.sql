-- Whatever gives a table or an index new storage ends in a rebuilt, right index.
SET client_min_messages = warning;
SET check_function_bodies = off;
CREATE FUNCTION follow() RETURNS void LANGUAGE sql AS 'SELECT ddb.run_maintenance()' ;
CREATE FUNCTION shown(OUT ipk text, OUT pk text, OUT sk text) RETURNS SETOF record LANGUAGE sql
	AS 'SELECT ipk, pk, sk FROM r_by_s ORDER BY 1, 2, 3';
CREATE FUNCTION state(OUT state text, OUT entries bigint, OUT skipped bigint, OUT backfilled bigint)
	LANGUAGE sql AS 'SELECT state, entries, skipped, backfill_done FROM ddb.index_cursor WHERE table_oid = ''r''::regclass';

SELECT ddb.create_table('r', 'PK', 'SK');
-- Items from before the index, some of which it cannot take.
INSERT INTO r VALUES ('a', '1', '{"s": {"S": "x"}}'), ('a', '2', '{"s": {"N": "5"}}'),
	('a', '3', '{"s": {"S": ""}}'), ('a', '4', '{}'), ('a', '5', '{"s": {"S": "y"}}');
SELECT ddb.add_index('r', 'by_s', 's');
SELECT follow();
SELECT * FROM shown();
SELECT * FROM state();

-- TRUNCATE, alone and with more in its transaction
TRUNCATE r;
SELECT follow();
SELECT * FROM shown();
SELECT * FROM state();
INSERT INTO r VALUES ('b', '1', '{"s": {"S": "x"}}');
SELECT follow();
BEGIN;
INSERT INTO r VALUES ('b', '2', '{"s": {"S": "x"}}');
TRUNCATE r;
INSERT INTO r VALUES ('b', '3', '{"s": {"S": "x"}}');
COMMIT;
SELECT follow();
SELECT * FROM shown();
BEGIN;
TRUNCATE r;
-- The index has yet to begin anew: it shows what was.
SELECT ddb.wait_for_index('r', timeout => '0');
ROLLBACK;
INSERT INTO r VALUES ('b', '4', '{"s": {"S": "x"}}');
SELECT follow();
SELECT * FROM shown();

-- CLUSTER and VACUUM FULL of either
CLUSTER r USING r_key;
INSERT INTO r VALUES ('c', '1', '{"s": {"S": "x"}}');
SELECT follow();
SELECT count(*) FROM shown();
VACUUM FULL r;
UPDATE r SET item = '{"s": {"S": "z"}}' WHERE pk = 'c';
SELECT follow();
SELECT * FROM shown() WHERE pk = 'c';
VACUUM FULL r_by_s;
DELETE FROM r WHERE pk = 'c';
SELECT follow();
SELECT * FROM shown();
CLUSTER r_by_s USING r_by_s_key;
SELECT follow();
SELECT * FROM shown();

-- REFRESH, with data, without, and of an older snapshot's data
REFRESH MATERIALIZED VIEW r_by_s;
SELECT follow();
SELECT * FROM shown();
REFRESH MATERIALIZED VIEW r_by_s WITH NO DATA;
SELECT follow();
SELECT * FROM shown();
INSERT INTO r VALUES ('d', '1', '{"s": {"S": "x"}}');
REFRESH MATERIALIZED VIEW r_by_s;
DELETE FROM r WHERE pk = 'd';
SELECT follow();
SELECT * FROM shown();
SELECT state, entries FROM state();

-- Not concurrently, not even by a superuser without event triggers: there the
-- new entries do not get into the view, nor the old ones out.
REFRESH MATERIALIZED VIEW CONCURRENTLY r_by_s;
ALTER EVENT TRIGGER ddb_on_refresh DISABLE;
\set SHOW_CONTEXT never
BEGIN;
INSERT INTO r VALUES ('d', '2', '{"s": {"S": "x"}}');
REFRESH MATERIALIZED VIEW CONCURRENTLY r_by_s;
ROLLBACK;
BEGIN;
DELETE FROM r;
REFRESH MATERIALIZED VIEW CONCURRENTLY r_by_s;
ROLLBACK;
SELECT follow();
SELECT * FROM shown();
-- Other materialized views may.
CREATE MATERIALIZED VIEW r_other USING ddb AS SELECT pk, count(*) FROM r GROUP BY 1;
CREATE UNIQUE INDEX ON r_other (pk);
INSERT INTO r VALUES ('e', '0', '{}');
REFRESH MATERIALIZED VIEW CONCURRENTLY r_other;
ALTER EVENT TRIGGER ddb_on_refresh ENABLE;
DELETE FROM r WHERE pk = 'e';
REFRESH MATERIALIZED VIEW CONCURRENTLY r_other;
SELECT * FROM r_other ORDER BY pk;
DROP MATERIALIZED VIEW r_other;

-- An index without a cursor, as after a restore
DELETE FROM ddb.index_cursor WHERE table_oid = 'r'::regclass;
INSERT INTO r VALUES ('e', '1', '{"s": {"S": "x"}}');
SELECT follow();
SELECT * FROM shown();
SELECT state, entries FROM state();

-- Many items, in several pieces
INSERT INTO r SELECT 'many', i::text, jsonb_build_object('s', 'm' || i % 7)::ddb.item FROM generate_series(1, 1777) i;
REFRESH MATERIALIZED VIEW r_by_s WITH NO DATA;
SELECT follow();
SELECT ipk, count(*) FROM shown() WHERE pk = 'many' GROUP BY 1 ORDER BY 1;
SELECT * FROM state();
DELETE FROM r WHERE pk = 'many';

-- More changes than a chunk holds, and logs used in turn
SET ddb.index_log_size = '64kB';
INSERT INTO r SELECT 'chunk', i::text, jsonb_build_object('s', 'k' || i % 3)::ddb.item FROM generate_series(1, 12000) i;
SELECT follow();
SELECT ipk, count(*) FROM shown() WHERE pk = 'chunk' GROUP BY 1 ORDER BY 1;
DELETE FROM r WHERE pk = 'chunk';
SELECT follow();
SELECT * FROM shown();
-- Nothing is left that an index needs.
SELECT follow();
SELECT count(*) FROM ddb.verify_index('r', 'by_s');
RESET ddb.index_log_size;

-- Dropped and made again under the same name
BEGIN;
SELECT ddb.drop_index('r', 'by_s');
SELECT ddb.add_index('r', 'by_s', 's');
INSERT INTO r VALUES ('f', '1', '{"s": {"S": "x"}}');
COMMIT;
SELECT follow();
SELECT * FROM shown();
DROP TABLE r;
SELECT follow();
SELECT count(*) FROM ddb.index_cursor c WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = c.index_oid);
DROP FUNCTION follow(), shown(), state();
