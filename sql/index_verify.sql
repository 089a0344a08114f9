-- An index that is wrong is found out and mended; one that fails harms nobody.
SET client_min_messages = warning;
CREATE FUNCTION follow() RETURNS void LANGUAGE sql AS 'SELECT ddb.run_maintenance()' ;
SELECT ddb.create_table('v', 'PK', 'SK');
SELECT ddb.add_index('v', 'by_s', 's', 'n', sort_key_type => 'N');
SELECT ddb.add_index('v', 'by_n', 'n', partition_key_type => 'N', projection => 'KEYS_ONLY');
INSERT INTO v SELECT 'a', i::text, jsonb_build_object('s', 's' || i, 'n', i, 'x', i)::ddb.item FROM generate_series(1, 6) i;
SELECT follow();
SELECT * FROM ddb.verify_index('v', 'by_s');

-- Changes that a cursor is made to pass over: missing, different and extra.
BEGIN;
UPDATE v SET item = '{"s": {"S": "s1"}, "n": {"N": "1"}, "x": {"N": "0"}}' WHERE sk = '1';
UPDATE v SET item = '{"s": {"S": "t2"}, "n": {"N": "2"}, "x": {"N": "2"}}' WHERE sk = '2';
DELETE FROM v WHERE sk = '3';
INSERT INTO v VALUES ('a', '7', '{"s": {"S": "s7"}, "n": {"N": "7"}}');
UPDATE ddb.index_cursor SET snapshot = format('%s:%1$s:', pg_current_xact_id()::text::bigint + 1)::pg_snapshot
	WHERE index_oid = 'v_by_s'::regclass;
COMMIT;
SELECT follow();
SELECT * FROM ddb.verify_index('v', 'by_s') ORDER BY difference, key->>'SK';
SELECT * FROM ddb.verify_index('v', 'by_n');
SELECT * FROM ddb.verify_index('v', 'by_s', repair => true) ORDER BY difference, key->>'SK';
SELECT * FROM ddb.verify_index('v', 'by_s');
SELECT ipk, isk, sk, item FROM v_by_s ORDER BY 1, 2;
SELECT entries FROM ddb.index_cursor WHERE index_oid = 'v_by_s'::regclass;

-- What the log explains is no difference.
BEGIN;
DELETE FROM v WHERE sk = '4';
INSERT INTO v VALUES ('a', '8', '{"s": {"S": "s8"}, "n": {"N": "8"}}');
SELECT * FROM ddb.verify_index('v', 'by_s');
ROLLBACK;

-- An index of the user's that fails: that index waits, the other goes on.
CREATE FUNCTION fail(bigint) RETURNS bigint IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	IF $1 > 100 THEN RAISE 'too much'; END IF;
	RETURN $1;
END $$;
CREATE INDEX v_fail ON v_by_s (fail((item->>'x')::bigint));
INSERT INTO v VALUES ('b', '1', '{"s": {"S": "s1"}, "n": {"N": "1"}, "x": {"N": "1000"}}');
SELECT follow();
SELECT index_oid::regclass, state, failures > 0 AS fails, last_error FROM ddb.index_cursor
	WHERE table_oid = 'v'::regclass ORDER BY 1;
SELECT sk FROM v_by_n WHERE pk = 'b';
SELECT sk FROM v_by_s WHERE pk = 'b';
DROP INDEX v_fail;
UPDATE ddb.index_cursor SET retry_at = NULL WHERE index_oid = 'v_by_s'::regclass;
SELECT follow();
SELECT index_oid::regclass, state, failures > 0 AS fails, last_error FROM ddb.index_cursor
	WHERE table_oid = 'v'::regclass ORDER BY 1;
SELECT sk FROM v_by_s WHERE pk = 'b';

-- One that fails for too long is given up, until it is refreshed.
CREATE INDEX v_fail ON v_by_s (fail((item->>'x')::bigint)) WHERE pk <> 'b';
INSERT INTO v VALUES ('c', '1', '{"s": {"S": "s1"}, "n": {"N": "1"}, "x": {"N": "1000"}}');
SELECT follow();
UPDATE ddb.index_cursor SET retry_at = NULL, failing_since = now() - interval '1 day' WHERE index_oid = 'v_by_s'::regclass;
SELECT follow();
SELECT index_oid::regclass, state FROM ddb.index_cursor WHERE table_oid = 'v'::regclass ORDER BY 1;
SELECT count(*) FROM v_by_s;
DROP INDEX v_fail;
REFRESH MATERIALIZED VIEW v_by_s;
SELECT follow();
SELECT index_oid::regclass, state FROM ddb.index_cursor WHERE table_oid = 'v'::regclass ORDER BY 1;
SELECT sk FROM v_by_s WHERE pk = 'c';

-- Who may
SELECT ddb.verify_index('v', 'nothing');
SELECT ddb.verify_index('pg_class', 'by_s');
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT follow();
ROLLBACK;
BEGIN READ ONLY;
SELECT follow();
ROLLBACK;
DROP TABLE v;
DROP FUNCTION follow(), fail(bigint);
