-- Local secondary indexes: what is written
\pset format unaligned
\pset tuples_only on
\set VERBOSITY terse
CREATE SCHEMA index_lsi;
SET search_path = index_lsi, public;

CREATE FUNCTION outcome(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE command INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

SELECT ddb.create_table('shop', 'PK', 'SK');
INSERT INTO shop SELECT 'c' || i % 3, 'o' || i, jsonb_build_object('price', i * 10 % 70, 'day', 'd' || i % 4) FROM generate_series(1, 12) i;
-- old items may have anything there
INSERT INTO shop VALUES ('c1', 'x1', '{"price": "much"}'::jsonb), ('c1', 'x2', '{"price": null}'::jsonb), ('c1', 'x3', '{}'::jsonb),
	('c1', 'x4', jsonb_build_object('price', repeat('y', 3000)));

SELECT ddb.add_local_index('shop', 'by_price', 'price', 'N');
SELECT ddb.add_local_index('shop', 'by_day', 'day', projection => 'KEYS_ONLY');
SELECT pg_get_indexdef('shop_by_price'::regclass);
SELECT pg_get_indexdef('shop_by_day'::regclass);
-- the table is as plain as before
SELECT plain FROM ddb.describe_table('shop');

--
-- It is PostgreSQL's own, so it is right at once, and the planner may use it
--
SELECT sk, ddb.index_n(item, 'price') FROM shop WHERE pk = 'c1' AND ddb.index_n(item, 'price') > 0 ORDER BY 2, 1;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS off) SELECT sk FROM shop WHERE pk = 'c1' AND ddb.index_n(item, 'price') > 20 ORDER BY ddb.index_n(item, 'price');
EXPLAIN (COSTS off) SELECT sk FROM shop WHERE pk = 'c1' AND ddb.index_s(item, 'day') COLLATE "C" >= 'd2' ORDER BY ddb.index_s(item, 'day') COLLATE "C" DESC;
RESET enable_seqscan;
RESET enable_bitmapscan;

-- What the index holds of a collection, in its order.
CREATE FUNCTION entries(collection text) RETURNS text LANGUAGE sql SET enable_seqscan = off SET enable_bitmapscan = off AS
	$$SELECT string_agg(ddb.index_n(item, 'price') || ':' || sk, ' ') FROM (SELECT * FROM shop WHERE pk = collection AND ddb.index_n(item, 'price') IS NOT NULL
		ORDER BY ddb.index_n(item, 'price'), sk) t$$;
SELECT entries('c1'), entries('c2');
SELECT ddb.put_item('shop', '{"PK": "c2", "SK": "new", "price": 5.50}');
SELECT entries('c2');
-- changed, taken away and given again
SELECT ddb.update_item('shop', 'c2', 'new', update => 'SET price = :n', attr_values => '{":n": 15}');
SELECT entries('c2');
SELECT ddb.update_item('shop', 'c2', 'new', update => 'REMOVE price');
SELECT entries('c2');
SELECT ddb.update_item('shop', 'c2', 'new', update => 'SET price = :n', attr_values => '{":n": 15}');
UPDATE shop SET item = item || '{"price": 16}' WHERE pk = 'c2' AND sk = 'new';
SELECT entries('c2');
-- the same value again, and another attribute
SELECT ddb.update_item('shop', 'c2', 'new', update => 'SET price = :n, remark = :x', attr_values => '{":n": 16, ":x": "x"}');
SELECT entries('c2');
-- ties stand in the order of the sort key
SELECT ddb.put_item('shop', '{"PK": "c2", "SK": "a", "price": 16}'), ddb.put_item('shop', '{"PK": "c2", "SK": "z", "price": 16}');
SELECT entries('c2');
SELECT ddb.delete_item('shop', 'c2', 'new', return_values => 'NONE');
SELECT entries('c2');
-- rolled back
BEGIN;
SELECT ddb.put_item('shop', '{"PK": "c2", "SK": "gone", "price": 1}');
SELECT entries('c2');
ROLLBACK;
SELECT entries('c2');
COPY shop FROM stdin;
c2	copied	{"price": {"N": "-1"}}
\.
SELECT entries('c2');

--
-- Rows that were written before stay where they are under every command
--
VACUUM FULL shop;
REINDEX TABLE shop;
CLUSTER shop USING shop_key;
SELECT entries('c1'), entries('c2');
TRUNCATE shop;
SELECT entries('c1');
SELECT index_name, index_relation, definition FROM ddb.secondary_index ORDER BY 1;

--
-- What is refused
--
SELECT outcome($$SELECT ddb.add_local_index('shop', 'by_price', 'x')$$);
SELECT outcome($$SELECT ddb.add_local_index('shop', 'bad', 'PK')$$);
SELECT outcome($$SELECT ddb.add_local_index('shop', 'bad', 'price')$$);
SELECT outcome($$SELECT ddb.add_local_index('shop', 'bad', NULL)$$);
SELECT outcome($$SELECT ddb.add_local_index('shop', 'bad', 'x', 'SS')$$);
SET client_min_messages = warning;
-- the table's sort key will do, and an attribute twice
SELECT ddb.add_local_index('shop', 'by_sk', 'SK'), ddb.add_local_index('shop', 'by_day_again', 'day', include => ARRAY['price']), ddb.add_local_index('shop', 'fifth', 'e');
SELECT outcome($$SELECT ddb.add_local_index('shop', 'sixth', 'f')$$);
SELECT ddb.create_table('simple', 'id');
SELECT outcome($$SELECT ddb.add_local_index('simple', 'bad', 'x')$$);
RESET client_min_messages;
SELECT ddb.put_item('shop', '{"PK": "c", "SK": "s", "day": "d"}');
SELECT ddb.drop_index('shop', 'by_day');
SELECT ddb.drop_index('shop', 'by_sk');
SELECT string_agg(index_name, ' ' ORDER BY index_name) FROM ddb.secondary_index;
DROP INDEX shop_fifth;
SELECT string_agg(index_name, ' ' ORDER BY index_name) FROM ddb.secondary_index;

DROP TABLE shop;
DROP TABLE simple;
SELECT count(*) FROM ddb.secondary_index;
DROP FUNCTION outcome, entries;
DROP SCHEMA index_lsi;
