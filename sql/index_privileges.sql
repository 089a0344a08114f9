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
SELECT DISTINCT a.grantee::regrole FROM pg_class, aclexplode(relacl) a WHERE relname = 'other_second';
ALTER DEFAULT PRIVILEGES IN SCHEMA owned REVOKE SELECT ON TABLES FROM PUBLIC;

RESET search_path;
-- To wait takes SELECT on the table, a column of it, or the indexes.
CREATE ROLE index_reader;
GRANT USAGE ON SCHEMA owned TO index_reader;
SET ROLE index_reader;
SELECT ddb.wait_for_index('owned.other');
SELECT ddb.wait_for_index('owned.other', 'idx');
RESET ROLE;
GRANT SELECT ON owned.other_idx TO index_reader;
SET ROLE index_reader;
SELECT ddb.wait_for_index('owned.other', 'idx', timeout => '60s');
SELECT ddb.wait_for_index('owned.other');
RESET ROLE;
REVOKE SELECT ON owned.other_idx FROM index_reader;
GRANT SELECT (pk) ON owned.other TO index_reader;
SET ROLE index_reader;
SELECT ddb.wait_for_index('owned.other', timeout => '60s');
-- How far an index is, is told to all, as statistics are; why it fails is not.
SELECT index_name, state, rows_behind, last_error FROM ddb.index_status WHERE table_name = 'other' ORDER BY 1;
SELECT rows_behind FROM ddb.index_lag('owned.other_idx'::regclass);
RESET ROLE;

-- A materialized view of somebody else's under an index's name is not the
-- index: he sees nothing of the table, and his functions are not called.
SET ROLE index_owner;
SELECT ddb.create_table('owned.prey', 'pk');
SELECT ddb.add_index('owned.prey', 'idx', 'a');
GRANT CREATE ON SCHEMA owned TO index_reader;
RESET ROLE;
CREATE TEMP TABLE kept AS SELECT * FROM ddb.secondary_index WHERE relation_name = 'prey';
SET ROLE index_owner;
SELECT ddb.drop_index('owned.prey', 'idx');
SET ROLE index_reader;
CREATE MATERIALIZED VIEW owned.prey_idx USING ddb AS
	SELECT ddb.index_s(item, 'a') COLLATE "C" AS ipk, pk, ddb.index_digest(pk) AS digest, item FROM owned.prey WITH NO DATA;
CREATE UNIQUE INDEX prey_idx_key ON owned.prey_idx (ipk ddb.text_hash_ops (partition_key = 'a'), digest);
CREATE FUNCTION owned.robber(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'called by %', current_user; RETURN $1; END $$;
CREATE INDEX ON owned.prey_idx (owned.robber(pk));
RESET ROLE;
INSERT INTO ddb.secondary_index SELECT * FROM kept;
SET ROLE index_owner;
SELECT ddb.put_item('owned.prey', '{"pk": "secret", "a": "x"}');
RESET ROLE;
SELECT ddb.run_maintenance() >= 0 AS done;
SET ROLE index_reader;
SELECT pk FROM owned.prey_idx;
RESET ROLE;
SELECT ddb.index_table('owned.prey', 'idx');
ALTER TABLE owned.prey ADD COLUMN other int;
SELECT ddb.index_table('owned.prey', 'idx');
-- It is, once it is the table's owner's.
ALTER MATERIALIZED VIEW owned.prey_idx OWNER TO index_owner;
DROP FUNCTION owned.robber CASCADE;
SELECT ddb.run_maintenance() >= 0 AND ddb.wait_for_index('owned.prey', timeout => '60s') AS done;
SET ROLE index_owner;
SELECT pk FROM owned.prey_idx;
RESET ROLE;
-- An index goes over to a table's new owner, and to nobody else.
ALTER MATERIALIZED VIEW owned.prey_idx OWNER TO index_reader;
ALTER TABLE owned.prey OWNER TO index_reader;
SELECT relowner::regrole FROM pg_class WHERE relname = 'prey_idx';
SELECT ddb.index_table('owned.prey', 'idx');
DROP TABLE owned.prey;
DROP OWNED BY index_reader;
DROP ROLE index_reader;

DROP TABLE owned.mine, owned.other, owned.emptied, called;
DROP SCHEMA traps CASCADE;
DROP SCHEMA owned CASCADE;
DROP ROLE index_owner;
