-- The access method under PostgreSQL's commands: each works completely.
-- After each the rows are counted and summed through a sequential scan, the
-- key index, and ddb's own functions.
\set VERBOSITY terse
SELECT ddb.create_table('am', 'PK', 'SK');
CREATE FUNCTION am_check(tbl regclass DEFAULT 'am') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	seq text;
	idx text;
	own text;
BEGIN
	SET LOCAL enable_indexscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_indexonlyscan = off;
	EXECUTE format('SELECT count(*) || %L || sum((item->>%L)::int) FROM %s', ' ', 'n', tbl) INTO seq;
	RESET enable_indexscan; RESET enable_bitmapscan; RESET enable_indexonlyscan; SET LOCAL enable_seqscan = off;
	EXECUTE format('SELECT count(*) || %L || sum((item->>%L)::int) FROM %s WHERE pk = ANY (SELECT %L || i FROM generate_series(0, 99) i)', ' ', 'n', tbl, 'p') INTO idx;
	RESET enable_seqscan;
	SELECT count(*) || ' ' || sum((i->>'n')::int) INTO own FROM ddb.scan(tbl) i;
	RETURN CASE WHEN seq = idx AND seq = own THEN seq ELSE format('seq %s, idx %s, own %s', seq, idx, own) END;
END $$;

-- INSERT ... SELECT, COPY, RETURNING
INSERT INTO am SELECT 'p' || i % 100, lpad((i / 100)::text, 3, '0'), jsonb_build_object('n', i, 'c', i % 7) FROM generate_series(0, 999) i;
COPY am FROM stdin;
p1	x1	{"n": {"N": "5000"}, "c": {"N": "1"}}
p1	x2	{"n": {"N": "6000"}, "PK": {"S": "p1"}, "SK": {"S": "x2"}}
\.
-- 0 + ... + 999 = 499500, and 11000
SELECT am_check();
INSERT INTO am VALUES ('p2', 'x', '{"n": {"N": "1"}}') RETURNING pk, sk, item;
COPY (SELECT * FROM am WHERE sk LIKE 'x%' ORDER BY sk) TO stdout;

-- ON CONFLICT, UPDATE, DELETE, MERGE
INSERT INTO am VALUES ('p2', 'x', '{"n": {"N": "2"}}'), ('p2', 'y', '{"n": {"N": "3"}}')
	ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item RETURNING sk, item;
INSERT INTO am VALUES ('p2', 'x', '{}') ON CONFLICT DO NOTHING RETURNING sk;
MERGE INTO am USING (VALUES ('p2', 'x', 10), ('p2', 'z', 20)) v (pk, sk, n) ON am.pk = v.pk AND am.sk = v.sk
	WHEN MATCHED THEN UPDATE SET item = jsonb_build_object('n', v.n)
	WHEN NOT MATCHED THEN INSERT VALUES (v.pk, v.sk, jsonb_build_object('n', v.n));
UPDATE am SET item = item || '{"d": true}' WHERE pk = 'p3';
UPDATE am SET sk = 'moved' WHERE pk = 'p2' AND sk = 'z';
DELETE FROM am WHERE pk = 'p1' AND sk LIKE 'x%';
-- 499500 + 10 + 3 + 20
SELECT am_check();
INSERT INTO am VALUES ('p2', 'x', '{}');

-- Indexes: plain, expression, partial, concurrent, parallel, covering the whole table
CREATE INDEX am_sk ON am (sk);
CREATE INDEX am_n ON am (((item->>'n')::int));
CREATE INDEX am_c ON am (((item->>'c')::int)) WHERE (item->>'c')::int < 3;
CREATE INDEX CONCURRENTLY am_conc ON am (sk, pk);
CREATE INDEX am_brin ON am USING brin (sk);
CREATE INDEX am_hash ON am USING hash (sk);
SET min_parallel_table_scan_size = 0; SET max_parallel_maintenance_workers = 2;
CREATE INDEX am_par ON am (sk DESC);
RESET max_parallel_maintenance_workers;
SET enable_seqscan = off;
SELECT pk, sk FROM am WHERE (item->>'n')::int = 77;
SELECT count(*) FROM am WHERE (item->>'c')::int = 2 AND (item->>'c')::int < 3;
RESET enable_seqscan;
-- New rows and new versions reach them all, whoever writes.
SELECT ddb.put_item('am', '{"PK": "p5", "SK": "new", "n": 70000, "c": 1}');
SELECT ddb.update_item('am', 'p5', 'new', update => 'SET n = :n, c = :c', attr_values => '{":n": 80000, ":c": 2}');
SET enable_seqscan = off;
SELECT pk, sk FROM am WHERE (item->>'n')::int = 80000;
SELECT pk, sk FROM am WHERE (item->>'n')::int = 70000;
SELECT pk, sk FROM am WHERE (item->>'c')::int < 3 AND (item->>'c')::int = 2 AND sk = 'new';
SELECT pk FROM am WHERE sk = 'new';
RESET enable_seqscan;
SELECT ddb.delete_item('am', 'p5', 'new', return_values => 'NONE');
SELECT am_check();
REINDEX TABLE am;
REINDEX TABLE CONCURRENTLY am;
REINDEX INDEX CONCURRENTLY am_key;
SELECT am_check();
SELECT ddb.get_item('am', 'p2', 'moved');
-- A function that opens a table while the index is built.
CREATE TABLE am_other (v int);
INSERT INTO am_other VALUES (1);
CREATE FUNCTION am_f(text) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN RETURN (SELECT v FROM public.am_other); END $$;
CREATE INDEX am_fun ON am (am_f(sk));
DROP INDEX am_sk, am_n, am_c, am_conc, am_brin, am_hash, am_par, am_fun;

-- Scans: parallel, bitmap, index only, sample, by row address
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET enable_indexscan = off; SET enable_indexonlyscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM am;
SELECT count(*) FROM am;
RESET enable_indexscan; RESET parallel_setup_cost; RESET parallel_tuple_cost; RESET min_parallel_table_scan_size;
EXPLAIN (COSTS OFF) SELECT * FROM am WHERE pk = 'p7' AND sk > '005';
SELECT sk FROM am WHERE pk = 'p7' AND sk > '005';
RESET enable_indexonlyscan;
VACUUM am;
SET enable_seqscan = off; SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT sk FROM am WHERE pk = 'p7' AND sk > '005' ORDER BY sk DESC LIMIT 2;
SELECT sk FROM am WHERE pk = 'p7' AND sk > '005' ORDER BY sk DESC LIMIT 2;
RESET enable_seqscan; RESET enable_bitmapscan;
SELECT count(*) FROM am TABLESAMPLE bernoulli (100);
SELECT count(*) FROM am WHERE ctid < '(1000000,1)';
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT sk FROM am WHERE pk = 'p8' ORDER BY sk;
FETCH 2 FROM c; FETCH LAST FROM c; FETCH BACKWARD 1 FROM c;
SELECT sk FROM am WHERE pk = 'p8' AND sk = '001' FOR UPDATE;
COMMIT;

-- Maintenance
ANALYZE am;
SELECT n_distinct, null_frac FROM pg_stats WHERE tablename = 'am' AND attname = 'pk';
VACUUM (FREEZE) am;
VACUUM FULL am;
SELECT am_check();
CLUSTER am USING am_key;
SELECT am_check();
SELECT count(*) AS out_of_order FROM (SELECT pk, lag(pk) OVER (ORDER BY ctid) AS before FROM am) t WHERE before #># pk;
ALTER TABLE am ALTER COLUMN item SET STORAGE external;
ALTER TABLE am ALTER COLUMN item SET STORAGE main;
ALTER TABLE am SET (fillfactor = 80);
SELECT am_check();

-- To heap and back
ALTER TABLE am SET ACCESS METHOD heap;
SELECT ddb.get_item('am', 'p2', 'moved');
SELECT count(*) FROM am;
ALTER TABLE am SET ACCESS METHOD ddb;
SELECT am_check();

-- Columns: an extra one makes the table not plain, and it still works.
ALTER TABLE am ADD COLUMN extra int DEFAULT 5;
SELECT plain FROM ddb.describe_table('am');
SELECT ddb.put_item('am', '{"PK": "p5", "SK": "extra", "n": 0}');
SELECT extra FROM am WHERE sk = 'extra';
ALTER TABLE am DROP COLUMN extra;
SELECT ddb.delete_item('am', 'p5', 'extra', return_values => 'NONE');
SELECT am_check();
ALTER TABLE am RENAME COLUMN sk TO "Sort Key";
SELECT ddb.get_item('am', 'p2', 'moved');
ALTER TABLE am RENAME COLUMN "Sort Key" TO sk;

-- TOAST: an item that stays outside the page, changed, and its space
INSERT INTO am SELECT 'big', i::text, jsonb_build_object('n', 0, 't', (SELECT string_agg(md5((i * 10000 + j)::text), '') FROM generate_series(1, 4000) j)) FROM generate_series(1, 4) i;
SELECT sk, length(item->>'t'), pg_column_size(item) > 8192 AS outside FROM am WHERE pk = 'big' ORDER BY sk;
UPDATE am SET item = item || '{"n": 1}' WHERE pk = 'big';
SELECT length(item->>'t') FROM am WHERE pk = 'big' AND sk = '3';
SELECT length(ddb.get_item('am', 'big', '2') ->> 't'), ddb.update_item('am', 'big', '2', update => 'SET n = n - :n', attr_values => '{":n": 1}') ->> 'n' AS n;
SELECT length(i->>'t'), i->>'n' AS n FROM ddb.query('am', 'PK = :p', attr_values => '{":p": "big"}') i;
-- Compressed in the page.
SELECT ddb.put_item('am', json_build_object('PK', 'big', 'SK', 'z', 'n', 0, 't', repeat('compress me ', 3000)));
SELECT pg_column_size(item) < 2000 AS compressed FROM am WHERE pk = 'big' AND sk = 'z';
SELECT length(ddb.get_item('am', 'big', 'z') ->> 't'), ddb.update_item('am', 'big', 'z', update => 'SET n = n + :n', attr_values => '{":n": 1}') ->> 'n' AS n;
SELECT length(i->>'t'), i->>'n' AS n FROM ddb.query('am', 'PK = :p', attr_values => '{":p": "big"}', scan_forward => false, max_items => 2) i;
SELECT amname FROM pg_class t JOIN pg_am a ON a.oid = t.relam WHERE t.oid = (SELECT reltoastrelid FROM pg_class WHERE oid = 'am'::regclass);
DELETE FROM am WHERE pk = 'big';
VACUUM am;
SELECT am_check();

-- TRUNCATE, in one transaction with what comes after
BEGIN;
TRUNCATE am;
SELECT ddb.put_item('am', '{"PK": "p1", "SK": "1", "n": 1}');
SELECT am_check();
ROLLBACK;
SELECT am_check();

-- Foreign keys in both directions, triggers
CREATE TABLE am_line (pk text COLLATE "C", sk text COLLATE "C", FOREIGN KEY (pk, sk) REFERENCES am (pk, sk) ON DELETE CASCADE);
INSERT INTO am_line VALUES ('p2', 'moved');
INSERT INTO am_line VALUES ('p2', 'nothing');
SELECT ddb.delete_item('am', 'p2', 'moved', return_values => 'NONE');
SELECT count(*) FROM am_line;
DROP TABLE am_line;
CREATE TABLE am_owner (pk text COLLATE "C" PRIMARY KEY);
INSERT INTO am_owner SELECT 'p' || i FROM generate_series(0, 99) i;
ALTER TABLE am ADD CONSTRAINT am_owned FOREIGN KEY (pk) REFERENCES am_owner;
SELECT plain FROM ddb.describe_table('am');
SELECT ddb.put_item('am', '{"PK": "p100", "SK": "1", "n": 1}');
SELECT ddb.put_item('am', '{"PK": "p99", "SK": "owned", "n": 1}');
SELECT ddb.delete_item('am', 'p99', 'owned', return_values => 'NONE');
ALTER TABLE am DROP CONSTRAINT am_owned;
DROP TABLE am_owner, am_other;
-- A column that was dropped is no reason not to be plain.
SELECT plain FROM ddb.describe_table('am');
SELECT ddb.put_item('am', '{"PK": "p99", "SK": "plain", "n": 1}');
SELECT ddb.delete_item('am', 'p99', 'plain');

-- Temporary, unlogged, CREATE TABLE AS, LIKE, partitions
CREATE TEMP TABLE am_temp (LIKE am INCLUDING ALL) USING ddb;
SELECT ddb.put_item('am_temp', '{"PK": "p1", "SK": "1", "n": 4}');
SELECT am_check('am_temp');
BEGIN READ ONLY;
SELECT ddb.put_item('am_temp', '{"PK": "p1", "SK": "2", "n": 4}');
SELECT ddb.put_item('am', '{"PK": "p1", "SK": "2", "n": 4}');
ROLLBACK;
CREATE UNLOGGED TABLE am_unlogged (LIKE am INCLUDING ALL) USING ddb;
INSERT INTO am_unlogged SELECT * FROM am;
SELECT am_check('am_unlogged');
ALTER TABLE am_unlogged SET LOGGED;
SELECT am_check('am_unlogged');
CREATE TABLE am_as USING ddb AS SELECT * FROM am;
SELECT count(*) FROM am_as;
SELECT ddb.get_item('am_as', 'p2', 'x');
CREATE MATERIALIZED VIEW am_view USING ddb AS SELECT pk, sk, item FROM am;
REFRESH MATERIALIZED VIEW am_view;
SELECT count(*) FROM am_view;
CREATE TABLE am_parts (LIKE am INCLUDING ALL) PARTITION BY HASH (pk);
CREATE TABLE am_part0 PARTITION OF am_parts FOR VALUES WITH (MODULUS 2, REMAINDER 0) USING ddb;
CREATE TABLE am_part1 PARTITION OF am_parts FOR VALUES WITH (MODULUS 2, REMAINDER 1) USING ddb;
INSERT INTO am_parts SELECT * FROM am;
SELECT count(*) FROM am_parts;
SELECT (SELECT count(*) FROM ddb.scan('am_part0')) + (SELECT count(*) FROM ddb.scan('am_part1')) AS both_parts;
SELECT ddb.get_item('am_parts', 'p2', 'x');
DROP MATERIALIZED VIEW am_view;
DROP TABLE am_temp, am_unlogged, am_as, am_parts;
DROP FUNCTION am_f, am_check;
DROP TABLE am;
