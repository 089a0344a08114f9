-- What is logged for indexes: a row where an entry changes, whatever writes,
-- and nothing else.
SET client_min_messages = warning;
SELECT ddb.create_table('cap', 'PK', 'SK');
SELECT ddb.add_index('cap', 'by_status', 'status', 'at', projection => 'INCLUDE', include => '{amount}');
SELECT ddb.add_index('cap', 'by_kind', 'kind', projection => 'KEYS_ONLY');

-- Rows that this transaction has logged, in order of writing.
CREATE FUNCTION logged(OUT item text, OUT concerned text) RETURNS SETOF record LANGUAGE sql AS $$
	SELECT convert_from(substr(key, 3), 'UTF8'), CASE WHEN old IS NULL THEN 'all' WHEN old = '' THEN 'all, new' ELSE 'some' END
	FROM (SELECT ctid, * FROM ddb.index_log_1 UNION ALL SELECT ctid, * FROM ddb.index_log_2) l
	WHERE xid = pg_current_xact_id() AND tbl = 'cap'::regclass ORDER BY ctid
$$;


-- functions
BEGIN;
SELECT ddb.put_item('cap', '{"PK": "a", "SK": "1", "status": "open", "at": "d1", "amount": 5, "note": "x"}');
SELECT ddb.put_item('cap', '{"PK": "a", "SK": "2", "note": "in no index"}');
SELECT ddb.put_item('cap', '{"PK": "a", "SK": "3", "kind": "k", "status": "open"}');
SELECT * FROM logged();
COMMIT;
BEGIN;

-- an attribute that no index holds, the same value, an item in no index: nothing
SELECT ddb.update_item('cap', 'a', '1', update => 'SET note = :y', attr_values => '{":y": "y"}');
SELECT ddb.update_item('cap', 'a', '1', update => 'SET amount = :t', attr_values => '{":t": 5}');
SELECT ddb.update_item('cap', 'a', '2', update => 'SET amount = :t', attr_values => '{":t": 5}');
SELECT ddb.update_item('cap', 'a', '3', update => 'SET amount = :t', attr_values => '{":t": 5}');
SELECT ddb.delete_item('cap', 'a', '2');
SELECT ddb.delete_item('cap', 'a', 'nowhere');
SELECT * FROM logged();

-- a projected attribute; a key; the last key attribute goes
SELECT ddb.update_item('cap', 'a', '1', update => 'SET amount = :t', attr_values => '{":t": 6}');
SELECT ddb.update_item('cap', 'a', '1', update => 'SET #s = :s', attr_names => '{"#s": "status"}', attr_values => '{":s": "shipped"}');
SELECT ddb.update_item('cap', 'a', '3', update => 'REMOVE kind');
SELECT ddb.delete_item('cap', 'a', '1');
SELECT * FROM logged();
COMMIT;


-- SQL
BEGIN;
INSERT INTO cap VALUES ('b', '1', '{"kind": {"S": "k"}}'), ('b', '2', '{"kind": {"S": "k"}}'), ('b', '3', '{}');
UPDATE cap SET item = '{"kind": {"S": "l"}}' WHERE pk = 'b' AND sk = '1';
UPDATE cap SET sk = '2b' WHERE pk = 'b' AND sk = '2';
DELETE FROM cap WHERE pk = 'b';
SELECT * FROM logged();
COMMIT;
BEGIN;
COPY cap FROM stdin;
c	1	{"kind": {"S": "k"}}
c	2	{"note": {"S": "k"}}
c	3	{"kind": {"S": "k"}}
\.
INSERT INTO cap VALUES ('c', '1', '{"kind": {"S": "other"}}') ON CONFLICT DO NOTHING;
INSERT INTO cap VALUES ('c', '4', '{"kind": {"S": "k"}}') ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;
INSERT INTO cap VALUES ('c', '1', '{"kind": {"S": "l"}}') ON CONFLICT (pk, sk) DO UPDATE SET item = excluded.item;
MERGE INTO cap USING (VALUES ('c', '3'), ('c', '5')) v (p, s) ON pk = p AND sk = s
	WHEN MATCHED THEN DELETE
	WHEN NOT MATCHED THEN INSERT VALUES (p, s, '{"kind": {"S": "k"}}');
SELECT * FROM logged();
COMMIT;


-- what is rolled back leaves nothing
BEGIN;
SAVEPOINT s;
SELECT ddb.put_item('cap', '{"PK": "d", "SK": "1", "kind": "k"}');
ROLLBACK TO s;
SELECT ddb.put_item('cap', '{"PK": "d", "SK": "2", "kind": "k"}');
SELECT * FROM logged();
ROLLBACK;
BEGIN;
SELECT * FROM logged();
COMMIT;


-- rewrites and moves are no changes
BEGIN;
CLUSTER cap USING cap_key;
ALTER TABLE cap SET (fillfactor = 90);
SELECT * FROM logged();
COMMIT;


-- a wrong type fails on every path
SELECT ddb.put_item('cap', '{"PK": "e", "SK": "1", "kind": 5}');
SELECT ddb.update_item('cap', 'c', '1', update => 'SET kind = :k', attr_values => '{":k": true}');
INSERT INTO cap VALUES ('e', '1', '{"kind": {"N": "5"}}');
INSERT INTO cap VALUES ('e', '1', '{"kind": {"N": "5"}}') ON CONFLICT DO NOTHING;
UPDATE cap SET item = '{"kind": {"S": ""}}' WHERE pk = 'c' AND sk = '1';
COPY cap FROM stdin;
e	1	{"kind": {"BOOL": true}}
\.
SELECT count(*) FROM cap WHERE pk = 'e';


-- a table that is not plain logs the same
CREATE FUNCTION nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN new; END $$;
CREATE TRIGGER t BEFORE INSERT OR UPDATE ON cap FOR EACH ROW EXECUTE FUNCTION nothing();
BEGIN;
SELECT ddb.put_item('cap', '{"PK": "f", "SK": "1", "kind": "k"}');
SELECT ddb.put_item('cap', '{"PK": "f", "SK": "1", "kind": "l"}');
SELECT ddb.delete_item('cap', 'f', '1');
SELECT * FROM logged();
COMMIT;


-- other tables log nothing
SELECT ddb.create_table('other', 'PK', 'SK');
BEGIN;
SELECT ddb.put_item('other', '{"PK": "a", "SK": "1", "kind": "k"}');
SELECT count(*) FROM ddb.index_log_1 WHERE xid = pg_current_xact_id();
COMMIT;
DROP TABLE cap, other;
DROP FUNCTION logged(), nothing();
