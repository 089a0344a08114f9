-- Tables are kept open from call to call; nobody may notice.
\set VERBOSITY terse
SELECT ddb.create_table('k', 'PK', 'SK');

-- Utility commands in the same transaction, the same statement, a procedure.
BEGIN;
SELECT ddb.put_item('k', '{"PK": "a", "SK": "1", "n": 1}');
ALTER TABLE k SET (fillfactor = 90);
SELECT ddb.get_item('k', 'a', '1');
CREATE INDEX k_sk ON k (sk);
SELECT ddb.put_item('k', '{"PK": "a", "SK": "2", "n": 2}');
CLUSTER k USING k_key;
SELECT count(*) FROM ddb.query('k', 'PK = :p', attr_values => '{":p": "a"}');
TRUNCATE k;
SELECT count(*) FROM ddb.scan('k');
SELECT ddb.put_item('k', '{"PK": "a", "SK": "3", "n": 3}');
REINDEX TABLE k;
DROP INDEX k_sk;
SELECT ddb.get_item('k', 'a', '3');
ALTER TABLE k RENAME TO k2;
SELECT ddb.get_item('k2', 'a', '3');
ALTER TABLE k2 RENAME TO k;
COMMIT;
DO $$
BEGIN
	FOR i IN 1..3 LOOP
		PERFORM ddb.put_item('k', json_build_object('PK', 'do', 'SK', i::text));
		EXECUTE format('ALTER TABLE k ALTER COLUMN item SET STATISTICS %s', i * 10);
		DO 'BEGIN PERFORM ddb.put_item(''k'', ''{"PK": "do", "SK": "inner"}''); ALTER TABLE k SET (fillfactor = 80); END';
	END LOOP;
	CREATE TEMP TABLE gone (v int);
	PERFORM ddb.create_table('short', 'PK');
	PERFORM ddb.put_item('short', '{"PK": "x"}');
	PERFORM ddb.drop_table('short');
	PERFORM ddb.create_table('short', 'other');
	PERFORM ddb.put_item('short', '{"other": "x"}');
	DROP TABLE short;
END $$;
SELECT count(*) FROM ddb.query('k', 'PK = :p', attr_values => '{":p": "do"}');
CREATE PROCEDURE k_steps() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..4 LOOP
		PERFORM ddb.put_item('k', json_build_object('PK', 'proc', 'SK', i::text));
		IF i % 2 = 0 THEN ROLLBACK; ELSE COMMIT; END IF;
		PERFORM ddb.get_item('k', 'proc', '1');
	END LOOP;
END $$;
CALL k_steps();
SELECT sk FROM k WHERE pk = 'proc' ORDER BY sk;

-- Errors in subtransactions, out of the middle of a call.
DO $$
BEGIN
	FOR i IN 1..5 LOOP
		BEGIN
			PERFORM ddb.put_item('k', json_build_object('PK', 'sub', 'SK', i::text));
			PERFORM ddb.update_item('k', 'sub', i::text, update => 'SET x = nowhere');
		EXCEPTION WHEN SQLSTATE 'YD001' THEN
			PERFORM ddb.put_item('k', json_build_object('PK', 'caught', 'SK', i::text));
		END;
		BEGIN
			PERFORM ddb.put_item('k', json_build_object('PK', 'caught', 'SK', i::text), condition => 'attribute_not_exists(PK)');
		EXCEPTION WHEN SQLSTATE 'YD002' THEN
			PERFORM ddb.get_item('k', 'caught', '1');
		END;
	END LOOP;
END $$;
SELECT pk, count(*) FROM k WHERE pk IN ('sub', 'caught') GROUP BY pk;
BEGIN;
SELECT ddb.put_item('k', '{"PK": "sp", "SK": "1"}');
SAVEPOINT one;
SELECT ddb.create_table('inner_table', 'PK');
SELECT ddb.put_item('inner_table', '{"PK": "x"}');
SELECT ddb.put_item('k', '{"PK": "sp", "SK": "2"}');
ROLLBACK TO one;
SELECT ddb.put_item('k', '{"PK": "sp", "SK": "3"}');
SELECT ddb.put_item('inner_table', '{"PK": "x"}');
ROLLBACK TO one;
SELECT ddb.put_item('k', '{"PK": "sp", "SK": "4"}');
RELEASE one;
COMMIT;
SELECT sk FROM k WHERE pk = 'sp' ORDER BY sk;

-- Whose privileges: the current user's, each time anew.
CREATE ROLE k_user;
CREATE FUNCTION k_definer() RETURNS ddb.item LANGUAGE sql SECURITY DEFINER AS $$ SELECT ddb.get_item('k', 'a', '3') $$;
BEGIN;
SELECT ddb.get_item('k', 'a', '3');
SET LOCAL ROLE k_user;
SELECT k_definer();
SAVEPOINT s;
SELECT ddb.get_item('k', 'a', '3');
ROLLBACK TO s;
RESET ROLE;
GRANT SELECT ON k TO k_user;
SET LOCAL ROLE k_user;
SELECT ddb.get_item('k', 'a', '3');
RESET ROLE;
REVOKE SELECT ON k FROM k_user;
SET LOCAL ROLE k_user;
SELECT ddb.get_item('k', 'a', '3');
ROLLBACK;
GRANT SELECT (pk, sk, item), INSERT (pk, sk, item) ON k TO k_user;
BEGIN;
SET LOCAL ROLE k_user;
SELECT ddb.get_item('k', 'a', '3');
SELECT ddb.put_item('k', '{"PK": "a", "SK": "3"}');
ROLLBACK;
DROP OWNED BY k_user;
DROP ROLE k_user;
DROP FUNCTION k_definer;

-- A cursor on a query, and what happens between two fetches.
BEGIN;
DECLARE c CURSOR FOR SELECT ddb.query('k', 'PK = :p', attr_values => '{":p": "caught"}') ->> 'SK' AS sk;
FETCH 2 FROM c;
SELECT ddb.delete_item('k', 'caught', '3', return_values => 'NONE');
SELECT ddb.put_item('k', '{"PK": "caught", "SK": "9"}');
CREATE TEMP TABLE between_fetches (v int) ON COMMIT DROP;
SAVEPOINT s;
ALTER TABLE k SET (fillfactor = 70);
ROLLBACK TO s;
FETCH ALL FROM c;
CLOSE c;
ALTER TABLE k SET (fillfactor = 70);
ROLLBACK;
-- A cursor that is left behind, by LIMIT, by an error, by the transaction's end.
SELECT ddb.scan('k') IS NOT NULL AS one LIMIT 1;
BEGIN;
DECLARE c CURSOR FOR SELECT ddb.scan('k');
MOVE 1 FROM c;
COMMIT;

-- What the same command has written counts.
WITH i AS (INSERT INTO k VALUES ('cmd', '1', '{"n": {"N": "1"}}') RETURNING pk, sk)
SELECT ddb.update_item('k', pk, sk, update => 'ADD n :n', attr_values => '{":n": 10}') FROM i;
WITH i AS (INSERT INTO k VALUES ('cmd', '2', '{"n": {"N": "1"}}') RETURNING pk, sk)
SELECT ddb.delete_item('k', pk, sk) FROM i;
SELECT ddb.update_item('k', 'cmd', '3', update => 'ADD n :n', attr_values => json_build_object(':n', g)) ->> 'n' AS sum FROM generate_series(1, 4) g;
SELECT ddb.put_item('k', '{"PK": "cmd", "SK": "4", "v": 1}'), ddb.delete_item('k', 'cmd', '4') ->> 'v' AS deleted, ddb.put_item('k', '{"PK": "cmd", "SK": "4", "v": 2}');
-- Reads keep to the statement's snapshot, as any STABLE function.
SELECT ddb.put_item('k', '{"PK": "cmd", "SK": "5"}'), ddb.get_item('k', 'cmd', '5');
SELECT sk, item FROM k WHERE pk = 'cmd' ORDER BY sk;
-- An UPDATE whose own function changes the row first meets PostgreSQL's rule.
CREATE FUNCTION k_touch(p text, s text) RETURNS boolean LANGUAGE sql VOLATILE AS $$
	SELECT ddb.update_item('k', p, s, update => 'ADD n :n', attr_values => '{":n": 1}') IS NOT NULL $$;
DELETE FROM k WHERE pk = 'cmd' AND sk = '5' AND k_touch(pk, sk);

-- Calls within calls: a trigger that writes the same table and others, catches
-- an error and alters a table.
SELECT ddb.create_table('k_audit', 'id');
CREATE TABLE k_alter (v int);
CREATE FUNCTION k_trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.pk <> 'trigger' THEN RETURN NEW; END IF;
	PERFORM ddb.update_item('k_audit', NEW.sk, update => 'ADD n :n', attr_values => '{":n": 1}');
	PERFORM ddb.put_item('k', json_build_object('PK', 'from trigger', 'SK', NEW.sk));
	BEGIN
		PERFORM ddb.put_item('k', '{"PK": 1, "SK": "wrong type"}');
	EXCEPTION WHEN SQLSTATE 'YD001' THEN NULL;
	END;
	EXECUTE 'ALTER TABLE k_alter ALTER COLUMN v SET STATISTICS 5';
	RETURN NEW;
END $$;
CREATE TRIGGER k_trigger BEFORE INSERT OR UPDATE ON k FOR EACH ROW EXECUTE FUNCTION k_trigger();
SELECT ddb.put_item('k', '{"PK": "trigger", "SK": "1", "v": 1}');
SELECT ddb.update_item('k', 'trigger', '1', update => 'SET v = v + :n', attr_values => '{":n": 1}');
SELECT ddb.batch_write_item('{"k": [{"PutRequest": {"Item": {"PK": {"S": "trigger"}, "SK": {"S": "2"}}}}, {"PutRequest": {"Item": {"PK": {"S": "trigger"}, "SK": {"S": "1"}}}}]}');
SELECT pk, sk, item FROM k WHERE pk LIKE '%trigger' ORDER BY pk, sk;
SELECT ddb.full_item(a) FROM k_audit a ORDER BY pk;
DROP TRIGGER k_trigger ON k;

-- An index whose expression reads the table through us.
CREATE FUNCTION k_peek(text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT ddb.get_item('public.k', 'a', '3') OPERATOR(public.->>) 'n' $$;
CREATE INDEX k_peek ON k (k_peek(sk));
SELECT ddb.put_item('k', json_build_object('PK', 'peek', 'SK', '1', 'v', 1, 't', repeat('compress me ', 2000)));
SELECT length(ddb.put_item('k', '{"PK": "peek", "SK": "1", "v": 2}', return_values => 'ALL_OLD') ->> 't');
SELECT ddb.update_item('k', 'peek', '1', update => 'SET v = v + :n', attr_values => '{":n": 1}');
SET enable_seqscan = off;
SELECT sk, item FROM k WHERE k_peek(sk) = '3' AND pk = 'peek';
RESET enable_seqscan;
DROP INDEX k_peek;

-- Many tables in one transaction.
BEGIN;
DO $$
BEGIN
	FOR i IN 1..40 LOOP PERFORM ddb.create_table('k_many' || i, 'id'); END LOOP;
	FOR j IN 1..3 LOOP
		FOR i IN 1..40 LOOP
			PERFORM ddb.update_item(('k_many' || i)::regclass, 'c', update => 'ADD n :n', attr_values => json_build_object(':n', i));
		END LOOP;
	END LOOP;
END $$;
SELECT sum((ddb.get_item(('k_many' || i)::regclass, 'c') ->> 'n')::int) FROM generate_series(1, 40) i;
ROLLBACK;

DROP TABLE k, k_audit, k_alter;
DROP FUNCTION k_touch, k_trigger, k_peek;
DROP PROCEDURE k_steps;
