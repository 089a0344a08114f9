-- Indexes follow their table.  By hand here; the workers do the same.
SET client_min_messages = warning;
CREATE FUNCTION follow() RETURNS void LANGUAGE sql AS 'SELECT ddb.run_maintenance()' ;

-- What the index's query says against what stands in it, and what it counts.
CREATE FUNCTION differences(index regclass) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	query text := rtrim(pg_get_viewdef(index), ';');
	n bigint;
BEGIN
	EXECUTE format('SELECT count(*) FROM ((TABLE %s EXCEPT ALL (%s)) UNION ALL ((%2$s) EXCEPT ALL TABLE %1$s)) d',
				   index, query) INTO n;
	EXECUTE format('SELECT $1 + abs(count(*) - (SELECT entries FROM ddb.index_cursor WHERE index_oid = %L::regclass)) FROM %s',
				   index, index) INTO n USING n;
	RETURN n;
END $$;

SELECT ddb.create_table('shop', 'PK', 'SK');
SELECT ddb.put_item('shop', '{"PK": "c1", "SK": "o1", "status": "open", "amount": 10, "note": "before"}');
SELECT ddb.add_index('shop', 'by_status', 'status', 'amount', sort_key_type => 'N');
SELECT ddb.add_index('shop', 'inverted', 'SK', 'PK', projection => 'KEYS_ONLY');
SELECT ddb.add_index('shop', 'by_status_shard', 'status', shards => 4, projection => 'INCLUDE', include => '{amount}');
SELECT ddb.add_index('shop', 'by_both', ARRAY['status', 'city'], ARRAY['zip', 'amount'], sort_key_type => ARRAY['S', 'N'], projection => 'KEYS_ONLY');


-- closed until it is filled
BEGIN;
SELECT ddb.add_index('shop', 'not_yet', 'status');
SELECT * FROM shop_not_yet;
ROLLBACK;
SELECT follow();
SELECT ipk, isk, pk, sk, item FROM shop_by_status;
SELECT ipk, isk, pk, sk, item FROM shop_inverted;
SELECT ipk, pk, sk, item FROM shop_by_status_shard;
SELECT count(*) FROM shop_by_both;


-- inserted, changed, moved and gone
SELECT ddb.put_item('shop', '{"PK": "c1", "SK": "o2", "status": "open", "amount": 20, "city": "Bern", "zip": "3000"}');
SELECT ddb.put_item('shop', '{"PK": "c2", "SK": "o1", "status": "open", "amount": 20}');
SELECT ddb.put_item('shop', '{"PK": "c2", "SK": "o2", "amount": 1}');
SELECT follow();
SELECT ipk, isk, pk, sk FROM shop_by_status ORDER BY 1, 2, 3;
SELECT pk, sk, item FROM shop_by_both;
SELECT ddb.update_item('shop', 'c1', 'o1', update => 'SET note = :n', attr_values => '{":n": "after"}');
SELECT ddb.update_item('shop', 'c1', 'o2', update => 'SET #s = :s', attr_names => '{"#s": "status"}', attr_values => '{":s": "shipped"}');
SELECT ddb.update_item('shop', 'c2', 'o1', update => 'REMOVE amount');
SELECT ddb.update_item('shop', 'c2', 'o2', update => 'SET #s = :s', attr_names => '{"#s": "status"}', attr_values => '{":s": "open"}');
SELECT follow();
SELECT ipk, isk, pk, sk, item FROM shop_by_status ORDER BY 1, 2, 3;
SELECT ddb.delete_item('shop', 'c1', 'o1');
SELECT follow();
SELECT ipk, isk, pk, sk FROM shop_by_status ORDER BY 1, 2, 3;
SELECT ipk, isk FROM shop_inverted ORDER BY 1, 2;


-- away and back, and through many keys, inside one batch
SELECT ddb.put_item('shop', '{"PK": "m", "SK": "1", "status": "A", "amount": 1}');
SELECT follow();
SELECT ddb.put_item('shop', '{"PK": "m", "SK": "1", "status": "B", "amount": 1}');
SELECT ddb.put_item('shop', '{"PK": "m", "SK": "1", "status": "A", "amount": 1}');
SELECT follow();
SELECT ipk, isk FROM shop_by_status WHERE pk = 'm';
SELECT ddb.put_item('shop', jsonb_build_object('PK', 'm', 'SK', '1', 'status', 'S' || i, 'amount', i)) IS NULL FROM generate_series(1, 3) i;
SELECT ddb.delete_item('shop', 'm', '1');
SELECT ddb.put_item('shop', '{"PK": "m", "SK": "1", "status": "C", "amount": 9}');
SELECT follow();
SELECT ipk, isk FROM shop_by_status WHERE pk = 'm';


-- the base key itself changes, by SQL
UPDATE shop SET sk = '2' WHERE pk = 'm';
SELECT follow();
SELECT ipk, isk, pk, sk FROM shop_by_status WHERE pk = 'm';
SELECT ipk, isk FROM shop_inverted WHERE pk = 'm';


-- swapped keys in one statement's transaction
BEGIN;
INSERT INTO shop VALUES ('x', '1', '{"status": {"S": "one"}, "amount": {"N": "1"}}'), ('x', '2', '{"status": {"S": "two"}, "amount": {"N": "2"}}');
UPDATE shop SET sk = '3' WHERE pk = 'x' AND sk = '1';
UPDATE shop SET sk = '1' WHERE pk = 'x' AND sk = '2';
UPDATE shop SET sk = '2' WHERE pk = 'x' AND sk = '3';
COMMIT;
SELECT follow();
SELECT ipk, pk, sk FROM shop_by_status WHERE pk = 'x' ORDER BY 1;


-- many items with one and the same index key
INSERT INTO shop SELECT 'eq', lpad(i::text, 4, '0'), '{"status": {"S": "same"}, "amount": {"N": "1"}}' FROM generate_series(1, 500) i;
SELECT follow();
SELECT count(*), count(DISTINCT digest) FROM shop_by_status WHERE ipk = 'same';
SELECT count(*), count(DISTINCT shard) FROM shop_by_status_shard WHERE ipk = 'same';
DELETE FROM shop WHERE pk = 'eq' AND sk > '0100';
SELECT follow();
SELECT count(*) FROM shop_by_status WHERE ipk = 'same';


-- subtransactions
BEGIN;
SAVEPOINT a;
SELECT ddb.put_item('shop', '{"PK": "sub", "SK": "1", "status": "a"}');
SAVEPOINT b;
SELECT ddb.put_item('shop', '{"PK": "sub", "SK": "2", "status": "b"}');
ROLLBACK TO b;
RELEASE a;
SAVEPOINT c;
SELECT ddb.put_item('shop', '{"PK": "sub", "SK": "3", "status": "c"}');
COMMIT;
SELECT follow();
SELECT ipk, sk FROM shop_by_status_shard WHERE pk = 'sub' ORDER BY 1;


-- the pass in the transaction that made the changes, rolled back and not
BEGIN;
SELECT ddb.put_item('shop', '{"PK": "own", "SK": "1", "status": "own"}');
SELECT follow();
SELECT ddb.put_item('shop', '{"PK": "own", "SK": "2", "status": "own"}');
ROLLBACK;
BEGIN;
SELECT ddb.put_item('shop', '{"PK": "own", "SK": "3", "status": "own"}');
SELECT follow();
SELECT ddb.put_item('shop', '{"PK": "own", "SK": "3", "status": "own too"}');
COMMIT;
SELECT follow();
SELECT ipk, sk FROM shop_by_status_shard WHERE pk = 'own';


-- an index of the user's on an index
CREATE INDEX ON shop_by_status ((item->>'note'));
CREATE INDEX ON shop_by_status (isk) WHERE pk LIKE 'c%';
SELECT ddb.put_item('shop', '{"PK": "c9", "SK": "1", "status": "s", "amount": 7, "note": "find me"}');
SELECT follow();
SELECT ddb.put_item('shop', '{"PK": "c9", "SK": "1", "status": "s", "amount": 7, "note": "find me too"}');
SELECT follow();
SET enable_seqscan = off;
SELECT pk, sk FROM shop_by_status WHERE item->>'note' = 'find me too';
SELECT pk, sk FROM shop_by_status WHERE isk = 7 AND pk LIKE 'c%';
RESET enable_seqscan;


-- large items
SELECT ddb.put_item('shop', jsonb_build_object('PK', 'big', 'SK', '1', 'status', 'big', 'amount', 1, 'text', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 5000) i)));
SELECT follow();
SELECT length(item->>'text') FROM shop_by_status WHERE pk = 'big';

SELECT i, differences(('shop_' || i)::regclass) FROM unnest('{by_status,inverted,by_status_shard,by_both}'::text[]) i;
DROP TABLE shop;


-- simple keys; numbers and binaries as index keys; keys with U+0000
SELECT ddb.create_table('plain', 'id', partition_key_type => 'N');
SELECT ddb.add_index('plain', 'by_n', 'n', 'b', partition_key_type => 'N', sort_key_type => 'B');
SELECT ddb.add_index('plain', 'by_id', 'id', 's', partition_key_type => 'N');
SELECT ddb.put_item('plain', '{"id": {"N": "1.50"}, "n": {"N": "-7"}, "b": {"B": "AAEC"}, "s": {"S": "a\u0000b"}}'::ddb.item);
SELECT ddb.put_item('plain', '{"id": {"N": "2"}, "n": {"N": "-7"}, "b": {"B": "AAE="}, "s": {"S": "\u0001"}}'::ddb.item);
SELECT follow();
SELECT ipk, isk, pk, item FROM plain_by_n ORDER BY 1, 2;
SELECT ddb.put_item('plain', '{"id": {"N": "1.5"}, "n": {"N": "7"}, "b": {"B": "AAEC"}, "s": {"S": "a"}}'::ddb.item);
SELECT follow();
SELECT ipk, isk, pk FROM plain_by_n ORDER BY 1, 2;
SELECT differences('plain_by_n'), differences('plain_by_id');
DROP TABLE plain;
-- A log whose last pages were rolled back, and are cut off by VACUUM if it is told to.
SELECT ddb.create_table('cut', 'id');
SELECT ddb.add_index('cut', 'by_a', 'a');
CREATE PROCEDURE roll_back() LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO cut SELECT i::text, '{"a": {"S": "x"}}' FROM generate_series(1001, 11000) i;
	ROLLBACK;
	FOR i IN 1 .. 3 LOOP
		PERFORM follow();
		COMMIT;
	END LOOP;
END $$;
CALL roll_back();
VACUUM ddb.index_log_1, ddb.index_log_2;
INSERT INTO cut VALUES ('1', '{"a": {"S": "x"}}');
SELECT follow();
SELECT pk, ipk FROM cut_by_a;
CALL roll_back();
VACUUM (TRUNCATE) ddb.index_log_1, ddb.index_log_2;
INSERT INTO cut VALUES ('2', '{"a": {"S": "x"}}');
SELECT follow();
SELECT pk, ipk FROM cut_by_a ORDER BY 1;
DROP TABLE cut;
DROP PROCEDURE roll_back();
DROP FUNCTION follow(), differences(regclass);
