-- Maintenance of indexes runs with a superuser's session: what a table's owner
-- can have it call must run as the owner, and leave nothing behind.
SET client_min_messages = warning;
CREATE ROLE index_owner;
CREATE SCHEMA owned AUTHORIZATION index_owner;
CREATE TABLE called (by name);
GRANT INSERT ON called TO PUBLIC;
SET ROLE index_owner;
SET search_path = owned, public;
SELECT ddb.create_table('mine', 'pk');
SELECT ddb.create_table('other', 'pk');
SELECT ddb.add_index('mine', 'idx', 'a');
SELECT ddb.add_index('other', 'idx', 'a');
CREATE FUNCTION owned.note() RETURNS void LANGUAGE sql AS 'INSERT INTO public.called VALUES (current_user)';
CREATE FUNCTION owned.spy(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	PERFORM owned.note();
	PERFORM set_config('default_transaction_isolation', 'serializable', false);
	RETURN $1;
END $$;
CREATE INDEX constant ON mine_idx (owned.spy('x'));
CREATE INDEX computed ON mine_idx (owned.spy(ipk));
CREATE INDEX partial ON mine_idx (ipk) WHERE owned.spy('x') = 'x';
SELECT ddb.put_item('mine', '{"pk": "1", "a": "x"}');
SELECT ddb.put_item('other', '{"pk": "1", "a": "x"}');
RESET ROLE;
SET default_transaction_isolation = 'read committed';
SELECT ddb.run_maintenance() >= 0 AS done;
SHOW default_transaction_isolation;
SELECT DISTINCT by FROM public.called;

-- An error that looks like an interruption is the index's own fault.
SET ROLE index_owner;
DROP INDEX constant, computed, partial;
SELECT pk FROM mine_idx;
CREATE FUNCTION owned.cancel(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$
BEGIN
	IF $1 = 'y' THEN
		RAISE EXCEPTION 'as if canceled' USING ERRCODE = 'query_canceled';
	END IF;
	RETURN $1;
END $$;
CREATE INDEX canceling ON mine_idx (owned.cancel(ipk));
SELECT ddb.put_item('mine', '{"pk": "2", "a": "y"}');
SELECT ddb.put_item('other', '{"pk": "2", "a": "y"}');
RESET ROLE;
SELECT ddb.run_maintenance() >= 0 AS done;
SELECT pk FROM other_idx ORDER BY pk;
-- A worker may be at it, and tell a moment later.
DO $$ BEGIN
	FOR i IN 1 .. 3000 LOOP
		EXIT WHEN EXISTS (SELECT FROM ddb.index_status WHERE table_name = 'mine' AND last_error IS NOT NULL);
		PERFORM pg_sleep(0.01);
	END LOOP;
END $$;
SELECT table_name, last_error FROM ddb.index_status ORDER BY 1;

-- So is one that comes while an emptied index is built.
SET ROLE index_owner;
SELECT ddb.create_table('emptied', 'pk');
SELECT ddb.add_index('emptied', 'idx', 'a');
CREATE FUNCTION owned.broken(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
CREATE INDEX broken ON emptied_idx (owned.broken('x'));
SELECT ddb.put_item('emptied', '{"pk": "1", "a": "x"}');
RESET ROLE;
SELECT ddb.run_maintenance() >= 0 AS done;
SET ROLE index_owner;
CREATE OR REPLACE FUNCTION owned.broken(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$;
TRUNCATE emptied;
SELECT ddb.put_item('other', '{"pk": "3", "a": "y"}');
RESET ROLE;
SELECT ddb.run_maintenance() >= 0 AS done;
SELECT pk FROM other_idx ORDER BY pk;

-- Operators of the caller's search_path are not asked when an index is made.
CREATE SCHEMA traps;
CREATE FUNCTION traps.trap(oid, integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RAISE 'trapped';
END $$;
CREATE OPERATOR traps.= (LEFTARG = oid, RIGHTARG = integer, FUNCTION = traps.trap);
SET search_path = owned, traps, public, pg_catalog;
ALTER DEFAULT PRIVILEGES IN SCHEMA owned GRANT SELECT ON TABLES TO PUBLIC;
SELECT ddb.add_index('owned.other', 'second', 'a');
SELECT relacl FROM pg_class WHERE relname = 'other_second';
ALTER DEFAULT PRIVILEGES IN SCHEMA owned REVOKE SELECT ON TABLES FROM PUBLIC;

RESET search_path;
DROP TABLE owned.mine, owned.other, owned.emptied, called;
DROP SCHEMA traps CASCADE;
DROP SCHEMA owned CASCADE;
DROP ROLE index_owner;
