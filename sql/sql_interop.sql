-- Plain SQL on a ddb table: the same rows, the planner's own means.
SELECT ddb.create_table('i', 'PK', 'SK');
INSERT INTO i VALUES ('c1', 'PROFILE', '{"name": {"S": "Ann"}}'), ('c2', 'PROFILE', '{"name": {"S": "Bob"}}');
INSERT INTO i SELECT 'c' || c, 'ORDER#' || lpad(o::text, 3, '0'), jsonb_build_object('total', c * o, 'status', CASE o % 2 WHEN 0 THEN 'SHIPPED' ELSE 'PENDING' END)
	FROM generate_series(1, 50) c, generate_series(1, 20) o;
ANALYZE i;

-- Functions see what SQL wrote, and SQL what functions wrote.
SELECT ddb.get_item('i', 'c1', 'PROFILE')::jsonb;
SELECT ddb.put_item('i', '{"PK": "c3", "SK": "PROFILE", "name": "Eve"}');
SELECT item ->> 'name' AS name FROM i WHERE sk = 'PROFILE' ORDER BY pk COLLATE "C";

-- The key index serves a collection, its order, and one item.
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM i WHERE pk = 'c1' AND sk >= 'ORDER#' ORDER BY sk DESC LIMIT 2;
SELECT sk, item ->> 'total' AS total FROM i WHERE pk = 'c1' AND sk >= 'ORDER#' AND sk < 'ORDER#~' ORDER BY sk DESC LIMIT 2;
EXPLAIN (COSTS OFF) SELECT * FROM i WHERE pk = 'c1' AND sk LIKE 'ORDER#01%' ORDER BY sk;
SELECT string_agg(sk, ' ') FROM (SELECT sk FROM i WHERE pk = 'c1' AND sk LIKE 'ORDER#01%' ORDER BY sk LIMIT 3) o;
EXPLAIN (COSTS OFF) SELECT * FROM i WHERE pk = ANY ('{c1,c2}') AND sk = 'PROFILE';
SELECT count(*) FROM i WHERE pk = ANY ('{c1,c2,nobody}') AND sk = 'PROFILE';
-- Keyset paging: the partition by =, the sort key by >.
EXPLAIN (COSTS OFF) SELECT * FROM i WHERE pk = 'c1' AND sk > 'ORDER#005' ORDER BY sk LIMIT 2;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- UPDATE, DELETE, ON CONFLICT, MERGE, RETURNING.
UPDATE i SET item = item || '{"status": "SHIPPED"}' WHERE pk = 'c1' AND sk = 'ORDER#001' RETURNING ddb.full_item(i)::jsonb;
INSERT INTO i VALUES ('c1', 'PROFILE', '{"name": {"S": "other"}}') ON CONFLICT (pk, sk) DO NOTHING;
INSERT INTO i VALUES ('c1', 'PROFILE', '{"name": {"S": "Anna"}}') ON CONFLICT (pk, sk) DO UPDATE SET item = i.item || excluded.item || '{"upserted": true}';
SELECT ddb.get_item('i', 'c1', 'PROFILE')::jsonb;
INSERT INTO i VALUES ('c1', 'PROFILE', '{}');
MERGE INTO i USING (VALUES ('c1', 'PROFILE', 'Anne'), ('c9', 'NEW', 'Zoe')) v(pk, sk, name) ON i.pk = v.pk AND i.sk = v.sk
	WHEN MATCHED THEN UPDATE SET item = item || jsonb_build_object('name', v.name)
	WHEN NOT MATCHED THEN INSERT VALUES (v.pk, v.sk, jsonb_build_object('name', v.name));
SELECT ddb.get_item('i', 'c1', 'PROFILE') ->> 'name' AS c1, ddb.get_item('i', 'c9', 'NEW') ->> 'name' AS c9;
DELETE FROM i WHERE pk = 'c9' AND sk = 'NEW';
UPDATE i SET sk = 'ORDER#900' WHERE pk = 'c1' AND sk = 'ORDER#001';
SELECT ddb.get_item('i', 'c1', 'ORDER#001') IS NULL AS moved, ddb.get_item('i', 'c1', 'ORDER#900') ->> 'total' AS total;

-- Joins with relational tables, and aggregates.
CREATE TABLE i_invoices (order_id text, amount numeric);
INSERT INTO i_invoices VALUES ('002', 10), ('004', 20), ('404', 30);
SELECT o.sk, o.item ->> 'status' AS status, v.amount FROM i o JOIN i_invoices v ON v.order_id = split_part(o.sk, '#', 2)
	WHERE o.pk = 'c1' AND o.sk LIKE 'ORDER#%' ORDER BY o.sk;
SELECT item ->> 'status' AS status, count(*), sum((item ->> 'total')::numeric) FROM i WHERE pk IN ('c1', 'c2') AND sk LIKE 'ORDER#%' GROUP BY 1 ORDER BY 1;
SELECT jsonb_agg(ddb.full_item(t)::json ORDER BY sk) FROM i t WHERE pk = 'c2' AND sk < 'ORDER#003';
CREATE VIEW i_orders AS SELECT pk, substr(sk, 7) AS id, (item ->> 'total')::int AS total FROM i WHERE sk LIKE 'ORDER#%';
SELECT * FROM i_orders WHERE pk = 'c7' ORDER BY id LIMIT 2;

-- One line turns a relational table into items.
CREATE TABLE i_people (id int, name text, born date, note text);
INSERT INTO i_people VALUES (1, 'Ada', '1815-12-10', NULL), (2, 'Bo', '1990-01-01', 'x');
INSERT INTO i SELECT 'PERSON#' || id, 'PROFILE', jsonb_strip_nulls(to_jsonb(p) - 'id') FROM i_people p;
SELECT ddb.get_item('i', 'PERSON#1', 'PROFILE')::jsonb, ddb.get_item('i', 'PERSON#2', 'PROFILE')::jsonb;

-- One COPY loads and one exports.
COPY i FROM stdin;
copied	1	{"n": {"N": "1"}}
copied	2	{"ss": {"SS": ["b", "a"]}, "nul": {"NULL": true}}
\.
COPY (SELECT * FROM i WHERE pk = 'copied' ORDER BY sk) TO stdout;
COPY (SELECT ddb.full_item(t) FROM i t WHERE pk = 'copied' ORDER BY sk) TO stdout;
COPY i FROM stdin;
copied	1	{"n": {"N": "2"}}
\.
COPY i FROM stdin;
	empty	{"n": {"N": "2"}}
\.

-- Prepared statements, PL/pgSQL, cursors over the table.
PREPARE i_get(text, text) AS SELECT ddb.get_item('i', $1, $2) ->> 'total' AS total;
EXECUTE i_get('c2', 'ORDER#003');
EXECUTE i_get('c3', 'ORDER#003');
DO $$
DECLARE
	r record;
	n int := 0;
BEGIN
	FOR r IN SELECT ddb.full_item(t) AS whole FROM i t WHERE pk = 'c4' LOOP
		n := n + (r.whole ->> 'total')::int;
	END LOOP;
	RAISE NOTICE 'total %', n;
END $$;
-- A function's write, SQL's write and an error in one transaction.
BEGIN;
SELECT ddb.put_item('i', '{"PK": "t", "SK": "1"}');
INSERT INTO i VALUES ('t', '2', '{}');
SELECT count(*) FROM ddb.collection('i', 't');
SAVEPOINT s;
INSERT INTO i VALUES ('t', '1', '{}');
ROLLBACK TO s;
SELECT ddb.delete_item('i', 't', '2')::jsonb;
COMMIT;
SELECT sk FROM i WHERE pk = 't';

-- TRUNCATE, foreign keys that reference it, partial restores are in table.sql and plain_matrix.sql.
DROP VIEW i_orders;
DROP TABLE i, i_invoices, i_people;
