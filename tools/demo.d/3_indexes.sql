-- The shop grows: secondary indexes, added to the table while it is in use.
\echo
\echo '== The shop grows. What is to be sent, oldest first? Only pending orders have pending_since,'
\echo '   so only they stand in this index: it is sparse.'
SELECT ddb.add_index('shop', 'pending', partition_key => 'status', sort_key => 'pending_since');

SELECT ddb.wait_for_index('shop', 'pending', timeout => '30s') AS filled;

\echo '== The oldest pending orders.'
SELECT i ->> 'PK' AS "order", i ->> 'pending_since' AS pending_since, i ->> 'total' AS total
FROM ddb.query('shop', '#s = :paid', attr_names => '{"#s": "status"}', attr_values => '{":paid": "PAID"}',
	index_name => 'pending', max_items => 3) i;

\echo '== Send the oldest, and wait for one''s own write before reading: it has dropped out.'
BEGIN;
SELECT ddb.update_item('shop', 'ORDER#o1076', 'META', update => 'SET #s = :shipped REMOVE pending_since',
	attr_names => '{"#s": "status"}', attr_values => '{":shipped": "SHIPPED"}', return_values => 'UPDATED_NEW')::jsonb AS changed;
SELECT ddb.index_token() AS token \gset
\echo '   token =' :token
COMMIT;
SELECT ddb.wait_for_index('shop', 'pending', token => :'token') AS seen;
SELECT i ->> 'PK' AS "order", i ->> 'pending_since' AS pending_since, i ->> 'total' AS total
FROM ddb.collection('shop', 'PAID', index_name => 'pending', max_items => 3) i;

\echo '== An overloaded index: GSI1PK and GSI1SK mean what each kind of item writes there.'
\echo '   Under SKU#p17 stand the product''s stock and the order lines that sold it.'
SELECT ddb.add_index('shop', 'gsi1', 'GSI1PK', 'GSI1SK', projection => 'INCLUDE', include => ARRAY['name', 'quantity', 'qty']);

\echo '== The table is in use; the index is filled from it in the background. Watch it.'
\echo 'SELECT state, backfill_done, backfill_total FROM ddb.index_status WHERE index_name = ''gsi1'' \\watch 0.3'
\set ECHO none
\set QUIET on
\t on
SELECT 'DO ''BEGIN PERFORM pg_sleep(0.3); END''',
	'SELECT state, backfill_done, backfill_total FROM ddb.index_status WHERE index_name = ''gsi1'''
FROM generate_series(1, 6) \gexec
\t off
\set QUIET off
\set ECHO queries
SELECT ddb.wait_for_index('shop', 'gsi1', timeout => '30s') AS filled;
SELECT state, entries, backfill_done, backfill_total, backfill_skipped FROM ddb.index_status WHERE index_name = 'gsi1';

\echo '== In which orders was product 17 sold, in one week of March?'
SELECT i ->> 'GSI1SK' AS sold, i ->> 'quantity' AS quantity
FROM ddb.query('shop', 'GSI1PK = :sku AND GSI1SK BETWEEN :from AND :to', index_name => 'gsi1',
	attr_values => '{":sku": "SKU#p17", ":from": "SOLD#2026-03-15", ":to": "SOLD#2026-03-21~"}') i;
\echo '   The same index, another question: what is left of it?'
SELECT i ->> 'name' AS name, i ->> 'qty' AS qty FROM ddb.collection('shop', 'SKU#p17', begins_with => 'STOCK', index_name => 'gsi1') i;

\echo '== And it is a table: the best sellers, in plain SQL.'
SELECT ipk AS sku, sum((item ->> 'quantity')::int) AS sold FROM shop_gsi1 GROUP BY ipk ORDER BY sold DESC, ipk LIMIT 3;

\echo '== The shop gives courses. Students and classes, many to many: one item each, and an inverted index.'
SELECT ddb.create_table('school', partition_key => 'PK', sort_key => 'SK');
SELECT ddb.add_index('school', 'inverted', partition_key => 'SK', sort_key => 'PK', projection => 'INCLUDE', include => ARRAY['grade']);
SELECT ddb.batch_write_item('{"school": [
	{"PutRequest": {"Item": {"PK": {"S": "STUDENT#ada"},  "SK": {"S": "CLASS#joinery"}, "grade": {"N": "1"}}}},
	{"PutRequest": {"Item": {"PK": {"S": "STUDENT#ada"},  "SK": {"S": "CLASS#weaving"}, "grade": {"N": "2"}}}},
	{"PutRequest": {"Item": {"PK": {"S": "STUDENT#bo"},   "SK": {"S": "CLASS#joinery"}, "grade": {"N": "3"}}}},
	{"PutRequest": {"Item": {"PK": {"S": "STUDENT#cleo"}, "SK": {"S": "CLASS#joinery"}, "grade": {"N": "2"}}}}]}');
SELECT ddb.wait_for_index('school') AS filled;
\echo '   The classes of a student, from the table …'
SELECT i ->> 'SK' AS class, i ->> 'grade' AS grade FROM ddb.collection('school', 'STUDENT#ada') i;
\echo '   … and the students of a class, from the index.'
SELECT i ->> 'PK' AS student, i ->> 'grade' AS grade FROM ddb.collection('school', 'CLASS#joinery', index_name => 'inverted') i;

\echo '== A hot key: a third of all orders is DELIVERED. Ten shards keep its entries apart,'
\echo '   and a query merges them: the newest three, as from one place.'
SELECT ddb.add_index('shop', 'by_status', 'status', 'day', projection => 'KEYS_ONLY', shards => 10);
SELECT ddb.wait_for_index('shop', 'by_status', timeout => '30s') AS filled;
SELECT shard, count(*) FROM shop_by_status WHERE ipk = 'DELIVERED' GROUP BY shard ORDER BY shard;
SELECT i ->> 'day' AS day, i ->> 'PK' AS "order"
FROM ddb.collection('shop', 'DELIVERED', index_name => 'by_status', newest_first => true, max_items => 3) i;

\echo '== Load: the orders that were sent are archived, all at once. How far behind are the indexes?'
UPDATE shop SET item = item || '{"status": "ARCHIVED"}'
WHERE sk = 'META' AND item ->> 'status' IN ('SHIPPED', 'DELIVERED');
SELECT index_name, rows_behind, seconds_behind FROM ddb.index_status WHERE table_name = 'shop' ORDER BY index_name;
\timing on
SELECT ddb.wait_for_index('shop', timeout => '60s') AS caught_up;
\timing off
SELECT index_name, rows_behind, seconds_behind, state, entries FROM ddb.index_status ORDER BY index_name;

\echo '== Is an index what its table says? No row: it is.'
SELECT * FROM ddb.verify_index('shop', 'by_status');
