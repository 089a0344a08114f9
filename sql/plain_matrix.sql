-- The same operations over a plain table and over tables that are not: the
-- answers must be the same, and what the tables have on them must happen.
CREATE FUNCTION m_try(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	answer text;
BEGIN
	EXECUTE 'SELECT (' || command || ')::text' INTO answer;
	RETURN coalesce(answer, 'NULL');
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- One script for all: each step's answer, and the table at the end.
CREATE FUNCTION m_run(tbl text) RETURNS TABLE (step int, answer text) LANGUAGE plpgsql AS $$
DECLARE
	command text;
	commands text[] := ARRAY[
		$c$ddb.put_item('T', '{"PK": "a", "SK": "1", "v": 1, "tags": ["x"]}')$c$,
		$c$ddb.put_item('T', '{"PK": "a", "SK": "1", "v": 2}', return_values => 'ALL_OLD')::jsonb$c$,
		$c$ddb.put_item('T', '{"PK": "a", "SK": "1", "v": 3}', condition => 'attribute_not_exists(PK)')$c$,
		$c$ddb.put_item('T', '{"PK": "a", "SK": "2", "v": 3}', condition => 'attribute_not_exists(PK)')$c$,
		$c$ddb.put_item('T', '{"PK": "a"}')$c$,
		$c$ddb.get_item('T', 'a', '1')::jsonb$c$,
		$c$ddb.get_item('T', 'a', '9')$c$,
		$c$ddb.update_item('T', 'a', '1', update => 'ADD v :n SET w = :n', attr_values => '{":n": 5}')::jsonb$c$,
		$c$ddb.update_item('T', 'a', '3', update => 'ADD v :n', attr_values => '{":n": 5}')::jsonb$c$,
		$c$ddb.update_item('T', 'a', '4', update => 'REMOVE v')$c$,
		$c$ddb.update_item('T', 'a', '1', update => 'SET v = nowhere')$c$,
		$c$ddb.update_item('T', 'a', '1', update => 'SET v = :n', condition => 'v = :m', attr_values => '{":n": 1, ":m": 0}')$c$,
		$c$ddb.try_update_item('T', 'a', '1', update => 'SET v = :n', condition => 'v = :m', attr_values => '{":n": 1, ":m": 7}')::jsonb$c$,
		$c$ddb.try_delete_item('T', 'a', '2', condition => 'v = :m', attr_values => '{":m": 7}')$c$,
		$c$ddb.delete_item('T', 'a', '2')::jsonb$c$,
		$c$ddb.delete_item('T', 'a', '2')$c$,
		$c$(SELECT json_agg(i::jsonb) FROM ddb.query('T', 'PK = :p AND SK > :s', attr_values => '{":p": "a", ":s": "0"}', scan_forward => false) i)$c$,
		$c$(SELECT json_agg(i::jsonb) FROM ddb.collection('T', 'a', begins_with => '1') i)$c$,
		$c$(SELECT json_agg(i::jsonb) FROM ddb.query('T', 'PK = :p', filter => 'v > :five', attr_values => '{":p": "a", ":five": 1}', max_items => 1) i)$c$,
		$c$(SELECT count(*) FROM generate_series(0, 2) g, ddb.scan('T', segment => g, total_segments => 3))$c$,
		$c$ddb.batch_write_item('{"T": [{"PutRequest": {"Item": {"PK": {"S": "b"}, "SK": {"S": "1"}}}},
			{"PutRequest": {"Item": {"PK": {"S": "b"}, "SK": {"S": "2"}}}}, {"DeleteRequest": {"Key": {"PK": {"S": "a"}, "SK": {"S": "3"}}}}]}')$c$,
		$c$(SELECT json_agg(item::jsonb) FROM ddb.batch_get_item('{"T": {"Keys": [{"PK": {"S": "b"}, "SK": {"S": "2"}}, {"PK": {"S": "a"}, "SK": {"S": "3"}}]}}'))$c$,
		$c$ddb.transact_write_items('[{"Put": {"TableName": "T", "Item": {"PK": {"S": "c"}, "SK": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
			{"Update": {"TableName": "T", "Key": {"PK": {"S": "a"}, "SK": {"S": "1"}}, "UpdateExpression": "SET t = :t", "ExpressionAttributeValues": {":t": {"SS": ["x"]}}}},
			{"Delete": {"TableName": "T", "Key": {"PK": {"S": "b"}, "SK": {"S": "1"}}}},
			{"ConditionCheck": {"TableName": "T", "Key": {"PK": {"S": "no"}, "SK": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(PK)"}}]')$c$,
		$c$ddb.transact_write_items('[{"Put": {"TableName": "T", "Item": {"PK": {"S": "c"}, "SK": {"S": "1"}}, "ConditionExpression": "attribute_not_exists(PK)"}},
			{"Delete": {"TableName": "T", "Key": {"PK": {"S": "b"}, "SK": {"S": "2"}}}}]')$c$,
		$c$(SELECT string_agg(ddb.full_item(t)::text, ' ' ORDER BY pk COLLATE "C", sk) FROM T t)$c$];
BEGIN
	step := 0;
	FOREACH command IN ARRAY commands LOOP
		step := step + 1;
		answer := m_try(replace(command, $q$'T'$q$, quote_literal(tbl)));
		IF command ~ '"T"' THEN answer := m_try(replace(replace(command, '"T"', '"' || tbl || '"'), $q$'T'$q$, quote_literal(tbl))); END IF;
		IF command ~ 'FROM T ' THEN answer := m_try(replace(command, 'FROM T ', 'FROM ' || tbl || ' ')); END IF;
		RETURN NEXT;
	END LOOP;
END $$;

SELECT ddb.create_table('m_plain', 'PK', 'SK');
SELECT answer FROM m_run('m_plain') ORDER BY step;
SELECT plain FROM ddb.describe_table('m_plain');
TRUNCATE m_plain;
CREATE TABLE m_expected AS SELECT * FROM m_run('m_plain');

-- The same table as each variant; differences would show.
CREATE FUNCTION m_compare(tbl text) RETURNS TABLE (plain boolean, step int, expected text, got text) LANGUAGE sql AS $$
	SELECT (ddb.describe_table(tbl::regclass)).plain, NULL::int, NULL::text, NULL::text
	UNION ALL
	SELECT NULL, step, e.answer, g.answer FROM m_expected e FULL JOIN m_run(tbl) g USING (step)
		WHERE e.answer IS DISTINCT FROM g.answer $$;

-- Row triggers, BEFORE and AFTER.
CREATE TABLE m_log (seq serial, what text);
CREATE FUNCTION m_trigger() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO m_log (what) VALUES (concat_ws(' ', TG_WHEN, TG_OP, TG_LEVEL, CASE WHEN TG_LEVEL = 'ROW' THEN coalesce(NEW.pk, OLD.pk) || '/' || coalesce(NEW.sk, OLD.sk) END));
	RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
END $$;
SELECT ddb.create_table('m_triggers', 'PK', 'SK');
CREATE TRIGGER a BEFORE INSERT OR UPDATE OR DELETE ON m_triggers FOR EACH ROW EXECUTE FUNCTION m_trigger();
CREATE TRIGGER b AFTER INSERT OR UPDATE OR DELETE ON m_triggers FOR EACH ROW EXECUTE FUNCTION m_trigger();
SELECT * FROM m_compare('m_triggers');
SELECT what, count(*) FROM m_log GROUP BY 1 ORDER BY 1;

-- Foreign keys in both directions.
SELECT ddb.create_table('m_fk', 'PK', 'SK');
CREATE TABLE m_parents (sk text COLLATE "C" PRIMARY KEY);
INSERT INTO m_parents VALUES ('1'), ('2'), ('3'), ('4');
CREATE TABLE m_children (pk text COLLATE "C", sk text COLLATE "C", FOREIGN KEY (pk, sk) REFERENCES m_fk (pk, sk) ON DELETE CASCADE);
ALTER TABLE m_fk ADD FOREIGN KEY (sk) REFERENCES m_parents;
SELECT * FROM m_compare('m_fk');
SELECT m_try($$ddb.put_item('m_fk', '{"PK": "z", "SK": "5"}')$$);
INSERT INTO m_children VALUES ('c', '1');
SELECT ddb.delete_item('m_fk', 'c', '1')::jsonb;
SELECT count(*) FROM m_children;

-- Row security as the owner sees it when forced.
SELECT ddb.create_table('m_rls', 'PK', 'SK');
CREATE ROLE ddb_m_owner;
GRANT ALL ON SCHEMA public TO ddb_m_owner;
GRANT ALL ON m_log, m_expected TO ddb_m_owner;
ALTER TABLE m_rls OWNER TO ddb_m_owner;
ALTER TABLE m_rls ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
CREATE POLICY p ON m_rls USING (length(pk) < 3);
SET ROLE ddb_m_owner;
SELECT * FROM m_compare('m_rls');
SELECT m_try($$ddb.put_item('m_rls', '{"PK": "long", "SK": "5"}')$$);
RESET ROLE;

-- Generated, defaulted and nullable extra columns.
SELECT ddb.create_table('m_columns', 'PK', 'SK');
ALTER TABLE m_columns ADD total text GENERATED ALWAYS AS (ddb.item_get_text(item, 'v')) STORED,
	ADD made text DEFAULT 'by default', ADD nothing int;
SELECT * FROM m_compare('m_columns');
SELECT pk, sk, total, made, nothing FROM m_columns ORDER BY pk COLLATE "C", sk;
-- An update keeps what it does not own.
UPDATE m_columns SET nothing = 7 WHERE pk = 'a';
SELECT ddb.update_item('m_columns', 'a', '1', update => 'SET v = :v', attr_values => '{":v": 99}', return_values => 'NONE');
SELECT pk, sk, total, made, nothing FROM m_columns WHERE pk = 'a';

-- Extra indexes: not unique, unique, and a constraint that is checked late.
SELECT ddb.create_table('m_index', 'PK', 'SK');
CREATE INDEX ON m_index (ddb.item_get_text(item, 'v'));
SELECT * FROM m_compare('m_index');
SELECT ddb.create_table('m_unique', 'PK', 'SK');
CREATE UNIQUE INDEX ON m_unique (pk, ddb.item_get_text(item, 'email'));
SELECT * FROM m_compare('m_unique');
SELECT ddb.put_item('m_unique', '{"PK": "e", "SK": "1", "email": "x"}');
SELECT m_try($$ddb.put_item('m_unique', '{"PK": "e", "SK": "2", "email": "x"}')$$);
SELECT ddb.create_table('m_exclude', 'PK', 'SK');
ALTER TABLE m_exclude ADD EXCLUDE USING btree (sk WITH =, pk WITH =) DEFERRABLE INITIALLY DEFERRED;
SELECT * FROM m_compare('m_exclude');
-- A CHECK of one's own, and a rule.
SELECT ddb.create_table('m_check', 'PK', 'SK');
ALTER TABLE m_check ADD CHECK (pk <> 'forbidden');
SELECT * FROM m_compare('m_check');
SELECT m_try($$ddb.put_item('m_check', '{"PK": "forbidden", "SK": "1"}')$$);

-- A BEFORE trigger's word counts: it changes the row, or forbids the write.
CREATE FUNCTION m_stamp() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.pk = 'refuse' THEN RETURN NULL; END IF;
	NEW.item := NEW.item || '{"stamped": true}';
	RETURN NEW;
END $$;
SELECT ddb.create_table('m_stamp', 'PK', 'SK');
CREATE TRIGGER s BEFORE INSERT OR UPDATE ON m_stamp FOR EACH ROW EXECUTE FUNCTION m_stamp();
SELECT ddb.put_item('m_stamp', '{"PK": "a", "SK": "1"}'), ddb.put_item('m_stamp', '{"PK": "refuse", "SK": "1"}');
SELECT ddb.full_item(t)::jsonb FROM m_stamp t;

DROP TABLE m_plain, m_triggers, m_children, m_fk, m_parents, m_rls, m_columns, m_index, m_unique, m_exclude, m_check, m_stamp, m_log, m_expected;
DROP FUNCTION m_compare, m_run, m_try, m_trigger, m_stamp;
REVOKE ALL ON SCHEMA public FROM ddb_m_owner;
DROP ROLE ddb_m_owner;
