-- Users' code in the middle of ddb's operations: functions of index
-- expressions, triggers and policies may call ddb on the same table, run
-- utility commands, and fail and be caught.
\set VERBOSITY terse

-- Fails and is caught: a subtransaction is rolled back.
CREATE FUNCTION stumble() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM 1 / 0;
EXCEPTION WHEN division_by_zero THEN
	NULL;
END $$;

-- The same in the middle of an operation of ddb.
CREATE FUNCTION stumble_in(tbl regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ddb.put_item(tbl, '{"PK": "lost", "SK": "1"}');
	PERFORM ddb.update_item(tbl, 'lost', '1', 'SET n = nothing');
EXCEPTION WHEN SQLSTATE 'YD001' THEN
	NULL;
END $$;

-- An index expression writes to its own table and stumbles.
SELECT ddb.create_table('indexed', 'PK', 'SK');
CREATE FUNCTION note(item ddb.item) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF item ? 'note' THEN
		PERFORM ddb.put_item('indexed', '{"PK": "note", "SK": "a key that has nothing of the other"}');
		PERFORM stumble(), stumble_in('indexed');
	END IF;
	RETURN item->>'note';
END $$;
CREATE INDEX ON indexed (note(item));
SELECT ddb.put_item('indexed', '{"PK": "a", "SK": "1", "note": "new"}');
SELECT ddb.put_item('indexed', '{"PK": "a", "SK": "1", "note": "changed"}', return_values => 'ALL_OLD');
SELECT ddb.update_item('indexed', 'a', '1', 'SET note = :n', attr_values => '{":n": "updated"}');
SELECT ddb.put_item('indexed', '{"PK": "a", "SK": "2", "note": "another"}');
SELECT ddb.full_item(i) FROM indexed i ORDER BY pk, sk;
SELECT count(*) FROM indexed WHERE note(item) = 'updated';

-- Nor may the function change or drop the table that is being written.
CREATE OR REPLACE FUNCTION note(item ddb.item) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	PERFORM set_config('reentry.done', change('DROP TABLE indexed') || ', ' || change('TRUNCATE indexed'), false);
	RETURN item->>'note';
END $$;
CREATE FUNCTION change(command text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE command;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SELECT ddb.put_item('indexed', '{"PK": "a", "SK": "3", "note": "third"}');
SELECT current_setting('reentry.done');
SELECT ddb.get_item('indexed', 'a', '3');
DROP TABLE indexed;

-- A trigger: an item that says "of" writes what it is of, runs utility
-- commands, and stumbles, all in the middle of each of the operations.
SELECT ddb.create_table('triggered', 'PK', 'SK');
CREATE FUNCTION follow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	row triggered := coalesce(NEW, OLD);
BEGIN
	IF row.item ? 'of' THEN
		PERFORM ddb.update_item('triggered', row.item->>'of', 'count', 'ADD n :one', attr_values => '{":one": 1}');
		CREATE TEMP TABLE scratch (n int);
		DROP TABLE scratch;
		PERFORM stumble(), stumble_in('triggered');
	END IF;
	RETURN row;
END $$;
CREATE TRIGGER follow BEFORE INSERT OR UPDATE OR DELETE ON triggered FOR EACH ROW EXECUTE FUNCTION follow();
BEGIN;
SELECT ddb.put_item('triggered', '{"PK": "a", "SK": "1", "of": "x"}');
SELECT ddb.put_item('triggered', '{"PK": "a", "SK": "1", "of": "y"}', return_values => 'ALL_OLD');
SELECT ddb.update_item('triggered', 'a', '1', 'SET v = :v', attr_values => '{":v": 1}');
SELECT ddb.batch_write_item('{"triggered": [
	{"PutRequest": {"Item": {"PK": {"S": "b"}, "SK": {"S": "1"}, "of": {"S": "x"}}}},
	{"PutRequest": {"Item": {"PK": {"S": "b"}, "SK": {"S": "2"}, "of": {"S": "x"}}}},
	{"DeleteRequest": {"Key": {"PK": {"S": "a"}, "SK": {"S": "1"}}}}]}');
SELECT ddb.transact_write_items('[
	{"Put": {"TableName": "triggered", "Item": {"PK": {"S": "c"}, "SK": {"S": "1"}, "of": {"S": "x"}},
		"ConditionExpression": "attribute_not_exists(PK)"}},
	{"Delete": {"TableName": "triggered", "Key": {"PK": {"S": "b"}, "SK": {"S": "1"}}}}]');
COMMIT;
SELECT ddb.full_item(t) FROM triggered t ORDER BY pk, sk;
-- An operation that fails in a savepoint leaves nothing behind.
BEGIN;
SELECT ddb.get_item('triggered', 'x', 'count') ->> 'n';
SAVEPOINT s;
SELECT ddb.update_item('triggered', 'b', '2', 'SET v = nothing');
ROLLBACK TO s;
SELECT ddb.update_item('triggered', 'b', '2', 'SET v = :v', attr_values => '{":v": 1}');
ROLLBACK TO s;
SELECT ddb.get_item('triggered', 'x', 'count') ->> 'n';
COMMIT;
DROP TABLE triggered;
DROP FUNCTION follow;

-- A policy that stumbles and reads the table.
SELECT ddb.create_table('secured', 'PK', 'SK');
CREATE ROLE regress_ddb_reader;
GRANT ALL ON secured TO regress_ddb_reader;
CREATE FUNCTION may_see(pk text, sk text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
	PERFORM stumble();
	RETURN pk = 'a key' OR ddb.get_item('secured', 'allowed', sk) IS NOT NULL;
END $$;
ALTER TABLE secured ENABLE ROW LEVEL SECURITY;
CREATE POLICY see ON secured USING (may_see(pk, sk));
SELECT count(ddb.put_item('secured', jsonb_build_object('PK', p, 'SK', s::text)))
	FROM unnest('{allowed,hidden,a key}'::text[]) p, generate_series(1, 3) s WHERE (p, s) <> ('allowed', 2);
SET ROLE regress_ddb_reader;
SELECT ddb.get_item('secured', 'hidden', '1');
SELECT ddb.get_item('secured', 'hidden', '2');
SELECT ddb.put_item('secured', '{"PK": "a key", "SK": "2", "v": 1}', return_values => 'ALL_OLD');
SELECT ddb.update_item('secured', 'hidden', '3', 'SET v = :v', attr_values => '{":v": 3}');
SELECT ddb.update_item('secured', 'hidden', '2', 'SET v = :v', attr_values => '{":v": 3}');
SELECT ddb.delete_item('secured', 'hidden', '2');
SELECT i FROM ddb.scan('secured') i ORDER BY i->>'PK', i->>'SK';
-- Such scans are nobody's cursors: no name by which to close or replace them,
-- and a holdable cursor outlives the transaction.
BEGIN;
DECLARE c CURSOR WITH HOLD FOR SELECT ddb.query('secured', 'PK = :p', attr_values => '{":p": "a key"}');
DECLARE d CURSOR WITH HOLD FOR SELECT ddb.query('secured', 'PK = :p', attr_values => '{":p": "a key"}', scan_forward => false);
FETCH c;
FETCH d;
SAVEPOINT s;
FETCH c;
SELECT 1 / 0;
ROLLBACK TO s;
SELECT name FROM pg_cursors ORDER BY name;
COMMIT;
FETCH c;
FETCH ALL d;
CLOSE ALL;
-- Who may see a row but not change it is told.
RESET ROLE;
DROP POLICY see ON secured;
CREATE POLICY see ON secured FOR SELECT USING (true);
CREATE POLICY change ON secured FOR UPDATE USING (sk = '1');
CREATE POLICY take ON secured FOR DELETE USING (sk = '1');
SET ROLE regress_ddb_reader;
SELECT ddb.update_item('secured', 'a key', '1', 'SET v = :v', attr_values => '{":v": 4}');
SELECT ddb.update_item('secured', 'a key', '2', 'SET v = :v', attr_values => '{":v": 4}');
SELECT ddb.put_item('secured', '{"PK": "a key", "SK": "2", "v": 4}');
SELECT ddb.delete_item('secured', 'a key', '2');
SELECT ddb.delete_item('secured', 'a key', '1');
RESET ROLE;
DROP TABLE secured;
DROP ROLE regress_ddb_reader;
DROP FUNCTION may_see, note, change, stumble, stumble_in;

-- A kept statement is not taken for other types of arguments, nor thrown out
-- while it runs: a hundred are needed in the middle of one.
CREATE FUNCTION spread() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. coalesce((NEW.item->>'spread')::int, 0) LOOP
		PERFORM ddb.put_item(('spread' || i)::regclass, '{"PK": "a"}');
		PERFORM ddb.put_item(('spread' || i)::regclass, '{"PK": "a", "v": 1}');
	END LOOP;
	RETURN NEW;
END $$;
CREATE FUNCTION create_spread(i int, type text DEFAULT 'S') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ddb.create_table('spread' || i, 'PK', partition_key_type => type);
	EXECUTE format('CREATE TRIGGER spread AFTER INSERT OR UPDATE ON spread%s FOR EACH ROW EXECUTE FUNCTION spread()', i);
END $$;
SELECT count(*) FROM (SELECT create_spread(i) FROM generate_series(0, 50) i) made;
SELECT ddb.put_item('spread0', '{"PK": "a", "spread": 50}');
SELECT ddb.put_item('spread0', '{"PK": "a", "spread": 50, "v": 1}');
SELECT ddb.get_item('spread50', 'a');
DROP TABLE spread50;
SELECT create_spread(50, 'N');
SELECT ddb.put_item('spread50', '{"PK": 1}');
SELECT ddb.put_item('spread50', '{"PK": 1, "v": 1}', return_values => 'ALL_OLD');
SET client_min_messages = warning;
DROP FUNCTION spread CASCADE;
RESET client_min_messages;
SELECT count(ddb.drop_table(('spread' || i)::regclass)) FROM generate_series(0, 50) i;
DROP FUNCTION create_spread;

-- ddb.compact() evaluates index expressions as the owner, whoever calls it.
CREATE ROLE regress_ddb_owner;
GRANT CREATE ON SCHEMA public TO regress_ddb_owner;
SET ROLE regress_ddb_owner;
SELECT ddb.create_table('owned', 'PK', 'SK');
CREATE FUNCTION who(item ddb.item) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
	IF current_user <> 'regress_ddb_owner' THEN
		RAISE '% evaluates my index', current_user;
	END IF;
	RETURN item->>'v';
END $$;
CREATE INDEX ON owned (who(item));
INSERT INTO owned SELECT i % 100, i, jsonb_build_object('v', repeat('x', 200)) FROM generate_series(1, 5000) i;
DELETE FROM owned WHERE sk::int % 5 > 0;
RESET ROLE;
VACUUM owned;
SELECT rows_moved > 0 AS moved FROM ddb.compact('owned');
SELECT current_user <> 'regress_ddb_owner' AS back;
DROP TABLE owned;
DROP FUNCTION who;
REVOKE CREATE ON SCHEMA public FROM regress_ddb_owner;
DROP ROLE regress_ddb_owner;

-- Another index compares the very key that is being written.
SELECT ddb.create_table('t', 'PK', 'SK');
CREATE INDEX t_beyond ON t (('k' #<# pk));
SELECT ddb.put_item('t', json_build_object('PK', 'k', 'SK', sk, 'v', 1)) IS NULL AS put FROM unnest('{a,b,zz}'::text[]) sk;
SET enable_seqscan = off;
SELECT count(*) FROM t WHERE ('k' #<# pk) = false;
RESET enable_seqscan;
DROP TABLE t;

-- What PostgreSQL forbids half-way through a transaction.
SELECT ddb.create_table('t', 'PK');
BEGIN;
SELECT ddb.put_item('t', '{"PK": "a"}');
SELECT set_config('transaction_read_only', 'on', true);
SELECT ddb.put_item('t', '{"PK": "b"}');
ROLLBACK;
-- The table's constraint takes what it is given.
SELECT ddb.check_key('a'::text, 'b'::text, 'c'::text);
SELECT ddb.check_key('a'::text, 1);
SELECT ddb.check_key(VARIADIC '{}'::text[]);
SELECT ddb.check_key('a'::text, NULL::numeric);
DROP TABLE t;
