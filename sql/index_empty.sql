-- An index of a table that never had a row is active at once.  What is written
-- from then on it follows like any other, by whomever and however soon.
CREATE FUNCTION state(name text) RETURNS text LANGUAGE sql AS
	'SELECT state FROM ddb.index_status WHERE table_name = name';

-- in the transaction that makes table and index
BEGIN;
SELECT ddb.create_table('e1', 'PK');
SELECT ddb.add_index('e1', 'idx', 'a');
SELECT state('e1');
SELECT ddb.put_item('e1', '{"PK": "1", "a": "x"}');
SAVEPOINT s;
SELECT ddb.put_item('e1', '{"PK": "2", "a": "x"}');
ROLLBACK TO s;
SELECT ddb.put_item('e1', '{"PK": "3", "a": "y"}');
COMMIT;
SELECT ddb.run_maintenance() >= 0 AND ddb.wait_for_index('e1', timeout => '60s');
SELECT ipk, pk FROM e1_idx ORDER BY pk;
SELECT * FROM ddb.verify_index('e1', 'idx');

-- rows of this transaction, rows that are dead: there are pages, and the worker looks at them
SELECT ddb.create_table('e2', 'PK');
BEGIN;
SELECT ddb.put_item('e2', '{"PK": "1", "a": "x"}');
SELECT ddb.add_index('e2', 'idx', 'a');
SELECT state('e2');
ROLLBACK;
BEGIN;
SELECT ddb.add_index('e2', 'idx', 'a');
SELECT state('e2');
COMMIT;
SELECT ddb.run_maintenance() >= 0 AND ddb.wait_for_index('e2', timeout => '60s');
SELECT state('e2');

-- a truncation, and its end
BEGIN;
SELECT ddb.put_item('e2', '{"PK": "1", "a": "x"}');
SELECT ddb.drop_index('e2', 'idx');
SAVEPOINT s;
TRUNCATE e2;
SELECT ddb.add_index('e2', 'idx', 'a');
SELECT state('e2');
ROLLBACK TO s;
SELECT ddb.add_index('e2', 'idx', 'a');
SELECT state('e2');
COMMIT;
SELECT ddb.run_maintenance() >= 0 AND ddb.wait_for_index('e2', timeout => '60s');
SELECT ipk, pk FROM e2_idx;
SELECT * FROM ddb.verify_index('e2', 'idx');

-- a snapshot that stays has not seen what was written meanwhile: the worker's, too
SELECT ddb.create_table('e3', 'PK');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT ddb.add_index('e3', 'idx', 'a');
SELECT state('e3');
COMMIT;
SELECT ddb.run_maintenance() >= 0 AND ddb.wait_for_index('e3', timeout => '60s');

-- how many items are to be visited is told from the start
INSERT INTO e3 SELECT i::text, '{}' FROM generate_series(1, 100) i;
ANALYZE e3;
SELECT ddb.drop_index('e3', 'idx');
BEGIN;
SELECT ddb.add_index('e3', 'idx', 'a');
SELECT backfill_done, backfill_total FROM ddb.index_status WHERE table_name = 'e3';
COMMIT;

-- how far it is behind is known before any worker has measured it; of no index, nothing
BEGIN;
SELECT ddb.create_table('e5', 'PK');
SELECT ddb.add_index('e5', 'idx', 'a');
SELECT state, rows_behind, seconds_behind, applied_per_second FROM ddb.index_status WHERE table_name = 'e5';
SELECT rows_behind, seconds_behind FROM ddb.index_lag(0);
ROLLBACK;

-- with row security nobody selects from it, and it is whole nevertheless
SELECT ddb.create_table('e4', 'PK');
ALTER TABLE e4 ENABLE ROW LEVEL SECURITY;
SELECT ddb.add_index('e4', 'idx', 'a');
SELECT state('e4');
SELECT ddb.put_item('e4', '{"PK": "1", "a": "x"}');
SELECT ddb.run_maintenance() >= 0 AND ddb.wait_for_index('e4', timeout => '60s');
SELECT count(*) FROM ddb.collection('e4', 'x', index_name => 'idx');
SELECT count(*) FROM e4_idx;

DROP TABLE e1, e2, e3, e4;
DROP FUNCTION state;
