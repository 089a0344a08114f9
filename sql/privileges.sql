-- Privileges, columns, row security, ownership: PostgreSQL's own rules.
SELECT ddb.create_table('pr', 'PK', 'SK');
SELECT ddb.put_item('pr', '{"PK": "a", "SK": "1", "v": 1}');
CREATE ROLE ddb_reader;
CREATE ROLE ddb_writer;
CREATE ROLE ddb_nobody;
GRANT SELECT ON pr TO ddb_reader;

-- Nothing without a grant, but USAGE on ddb is everybody's.
SET ROLE ddb_nobody;
SELECT ddb.get_item('pr', 'a', '1');
SELECT * FROM ddb.query('pr', 'PK = :p', attr_values => '{":p": "a"}');
SELECT * FROM ddb.scan('pr');
SELECT ddb.put_item('pr', '{"PK": "a", "SK": "1"}');
SELECT * FROM ddb.batch_get_item('{"pr": {"Keys": [{"PK": {"S": "a"}, "SK": {"S": "1"}}]}}');
SELECT ddb.describe_table('pr');
SELECT * FROM ddb.transaction_tokens;
INSERT INTO ddb.catalog VALUES ('a', 'b', 'c');
SELECT ddb.create_table('mine', 'id');
SELECT ddb.drop_table('pr');

-- SELECT reads.
SET ROLE ddb_reader;
SELECT ddb.get_item('pr', 'a', '1')::jsonb;
SELECT count(*) FROM ddb.query('pr', 'PK = :p', attr_values => '{":p": "a"}');
SELECT count(*) FROM ddb.collection('pr', 'a');
SELECT count(*) FROM ddb.scan('pr');
SELECT ddb.update_item('pr', 'a', '1', update => 'SET v = :v', attr_values => '{":v": 2}');
SELECT ddb.delete_item('pr', 'a', '1');
SELECT ddb.transact_write_items('[{"ConditionCheck": {"TableName": "pr", "Key": {"PK": {"S": "a"}, "SK": {"S": "1"}}, "ConditionExpression": "attribute_exists(PK)"}}]');

-- INSERT and UPDATE put without seeing; conditions and old items read.
RESET ROLE;
GRANT INSERT, UPDATE ON pr TO ddb_writer;
SET ROLE ddb_writer;
SELECT ddb.put_item('pr', '{"PK": "a", "SK": "1", "v": 2}');
SELECT ddb.put_item('pr', '{"PK": "a", "SK": "1", "v": 2}', return_values => 'ALL_OLD');
SELECT ddb.put_item('pr', '{"PK": "a", "SK": "1", "v": 2}', condition => 'v = :v', attr_values => '{":v": 2}');
SELECT ddb.put_item('pr', '{"PK": "a", "SK": "1", "v": 2}', return_values_on_failure => 'ALL_OLD');
SELECT ddb.update_item('pr', 'a', '1', update => 'SET v = :v', attr_values => '{":v": 3}');
SELECT ddb.delete_item('pr', 'a', '1', return_values => 'NONE');
SELECT ddb.get_item('pr', 'a', '1');
RESET ROLE;
GRANT DELETE ON pr TO ddb_writer;
SET ROLE ddb_writer;
SELECT ddb.try_delete_item('pr', 'a', '1');
SELECT ddb.delete_item('pr', 'a', '1', return_values => 'NONE');
SELECT ddb.delete_item('pr', 'a', '1');
RESET ROLE;
GRANT SELECT ON pr TO ddb_writer;
SET ROLE ddb_writer;
SELECT ddb.put_item('pr', '{"PK": "a", "SK": "1", "v": 2}');
SELECT ddb.update_item('pr', 'a', '1', update => 'ADD v :v', attr_values => '{":v": 3}') ->> 'v' AS v;
SELECT ddb.transact_write_items('[{"Put": {"TableName": "pr", "Item": {"PK": {"S": "a"}, "SK": {"S": "2"}}}}]', client_token => 'mine');

-- A token belongs to its role.
RESET ROLE;
SELECT ddb.transact_write_items('[{"Put": {"TableName": "pr", "Item": {"PK": {"S": "a"}, "SK": {"S": "2"}}}}]', client_token => 'mine');
TRUNCATE ddb.transaction_tokens;

-- Revoking counts at once, also for a table that is in use.
BEGIN;
SELECT ddb.get_item('pr', 'a', '1') ->> 'v' AS v;
SET LOCAL ROLE ddb_nobody;
SELECT ddb.get_item('pr', 'a', '1') ->> 'v' AS v;
ROLLBACK;
BEGIN;
SET LOCAL ROLE ddb_reader;
SELECT ddb.get_item('pr', 'a', '1') ->> 'v' AS v;
RESET ROLE;
REVOKE SELECT ON pr FROM ddb_reader;
SET LOCAL ROLE ddb_reader;
SELECT ddb.get_item('pr', 'a', '1') ->> 'v' AS v;
ROLLBACK;

-- Column privileges do for the whole row only together.
REVOKE ALL ON pr FROM ddb_reader;
GRANT SELECT (pk, sk) ON pr TO ddb_reader;
SET ROLE ddb_reader;
SELECT ddb.get_item('pr', 'a', '1');
RESET ROLE;
GRANT SELECT (item) ON pr TO ddb_reader;
SET ROLE ddb_reader;
SELECT ddb.get_item('pr', 'a', '1') ->> 'v' AS v;
RESET ROLE;

-- Through the executor a write is a statement that looks for its row by the key.
CREATE FUNCTION pr_nothing() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN coalesce(new, old); END';
CREATE TRIGGER nothing BEFORE INSERT OR UPDATE OR DELETE ON pr FOR EACH ROW EXECUTE FUNCTION pr_nothing();
REVOKE SELECT ON pr FROM ddb_writer;
SET ROLE ddb_writer;
SELECT ddb.put_item('pr', '{"PK": "a", "SK": "1", "v": 7}');
RESET ROLE;
GRANT SELECT (pk, sk) ON pr TO ddb_writer;
SET ROLE ddb_writer;
SELECT ddb.put_item('pr', '{"PK": "a", "SK": "1", "v": 7}');
SELECT ddb.put_item('pr', '{"PK": "a", "SK": "3", "v": 7}');
SELECT ddb.delete_item('pr', 'a', '3', return_values => 'NONE');
SELECT ddb.get_item('pr', 'a', '1');
RESET ROLE;
SELECT sk, item ->> 'v' AS v FROM pr ORDER BY sk;
DROP TRIGGER nothing ON pr;
DROP FUNCTION pr_nothing();
GRANT SELECT ON pr TO ddb_writer;

-- Row security.
GRANT SELECT, INSERT, UPDATE, DELETE ON pr TO ddb_reader;
ALTER TABLE pr ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON pr TO ddb_reader USING (pk = 'mine') WITH CHECK (pk = 'mine');
SELECT ddb.put_item('pr', '{"PK": "mine", "SK": "1", "v": 1}'), ddb.put_item('pr', '{"PK": "theirs", "SK": "1", "v": 1}');
SET ROLE ddb_reader;
SELECT ddb.get_item('pr', 'mine', '1') ->> 'v' AS v, ddb.get_item('pr', 'theirs', '1') IS NULL AS hidden;
SELECT i ->> 'PK' FROM ddb.scan('pr') i;
SELECT count(*) FROM ddb.query('pr', 'PK = :p', attr_values => '{":p": "theirs"}');
SELECT ddb.put_item('pr', '{"PK": "mine", "SK": "2", "v": 1}');
SELECT ddb.put_item('pr', '{"PK": "other", "SK": "2", "v": 1}');
SELECT ddb.put_item('pr', '{"PK": "theirs", "SK": "1", "v": 2}');
SELECT ddb.delete_item('pr', 'theirs', '1') IS NULL AS nothing;
SELECT ddb.update_item('pr', 'mine', '1', update => 'ADD v :v', attr_values => '{":v": 3}') ->> 'v' AS v;
RESET ROLE;
SELECT ddb.get_item('pr', 'theirs', '1') ->> 'v' AS v;
SELECT count(*) FROM ddb.scan('pr');

-- A table is its maker's.
CREATE SCHEMA pr_own AUTHORIZATION ddb_writer;
SET ROLE ddb_writer;
SELECT ddb.create_table('pr_own.t', 'id');
SELECT ddb.put_item('pr_own.t', '{"id": "1"}');
RESET ROLE;
SELECT tableowner FROM pg_tables WHERE schemaname = 'pr_own';
ALTER TABLE pr_own.t OWNER TO ddb_reader;
SET ROLE ddb_writer;
SELECT ddb.get_item('pr_own.t', '1');
RESET ROLE;

DROP SCHEMA pr_own CASCADE;
DROP TABLE pr;
DROP ROLE ddb_reader, ddb_writer, ddb_nobody;
