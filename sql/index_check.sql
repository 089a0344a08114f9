-- Index keys of a wrong type, empty or too long: refused on every path that
-- writes, let in where they are missing, and lifted with the index
\pset format unaligned
\pset tuples_only on
CREATE SCHEMA index_check;
SET search_path = index_check;
\set VERBOSITY terse

-- The failure's SQLSTATE and message, or 'done'.
CREATE FUNCTION outcome(command text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE command;
	RETURN 'done';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
CREATE FUNCTION put(item text) RETURNS text LANGUAGE sql AS
	$$SELECT outcome(format('SELECT ddb.put_item(%L, %L::ddb.item)', 'shop', item))$$;

SELECT ddb.create_table('shop', 'PK', 'SK');
-- old items, which an index to come leaves out
SELECT put('{"PK": {"S": "old"}, "SK": {"S": "1"}, "GSI1PK": {"N": "1"}, "GSI1SK": {"S": ""}}');
SELECT ddb.add_index('shop', 'by_status', 'GSI1PK', 'GSI1SK', sort_key_type => 'N');
SELECT ddb.add_index('shop', 'by_blob', 'blob', partition_key_type => 'B');
SELECT ddb.add_index('shop', 'a_tuple', ARRAY['t', 'SK'], ARRAY['n', 'SK2'], sort_key_type => ARRAY['N', 'S']);
SET client_min_messages = warning;
SELECT ddb.add_local_index('shop', 'local', 'level');
RESET client_min_messages;

--
-- DynamoDB's words
--
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1PK": {"N": "1"}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1SK": {"S": "1"}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1PK": {"NULL": true}, "GSI1SK": {"N": "1"}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "blob": {"S": "AAE="}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "n": {"SS": ["1"]}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "level": {"M": {}}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1PK": {"S": ""}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "blob": {"B": ""}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "SK2": {"S": ""}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "level": {"S": ""}}');
-- too long, alone or together
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "blob": {"B": "' || replace(encode(convert_to(repeat('x', 2049), 'UTF8'), 'base64'), E'\n', '') || '"}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1PK": {"S": "' || repeat('x', 2049) || '"}, "GSI1SK": {"N": "1"}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "t": {"S": "' || repeat('x', 2048) || '"}, "n": {"N": "1"}, "SK2": {"S": "x"}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "t": {"S": "x"}, "n": {"N": "1"}, "SK2": {"S": "' || repeat('x', 1024) || '"}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "level": {"S": "' || repeat('x', 1025) || '"}}');
-- more than PostgreSQL's index entries hold, though DynamoDB's keys may
SELECT put(format('{"PK": {"S": %s}, "SK": {"S": "1"}, "level": {"S": %s}}', to_json(k), to_json(substr(k, 1, 1000))))
	FROM (SELECT string_agg(md5(i::text), '' ORDER BY i) k FROM generate_series(1, 60) i) r;
SELECT count(*) FROM shop;
-- missing ones only keep the item out; a nested one is none
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}}'), put('{"PK": {"S": "a"}, "SK": {"S": "2"}, "GSI1PK": {"S": "x"}}'),
	put('{"PK": {"S": "a"}, "SK": {"S": "3"}, "m": {"M": {"GSI1PK": {"N": "1"}}}}');

--
-- Every path
--
SELECT outcome($$SELECT ddb.update_item('shop', 'a', '1', update => 'SET GSI1PK = :n', attr_values => '{":n": 1}')$$);
SELECT outcome($$SELECT ddb.update_item('shop', 'new', '1', update => 'SET #l = :e', attr_names => '{"#l": "level"}', attr_values => '{":e": ""}')$$);
SELECT outcome($$SELECT ddb.update_item('shop', 'a', '2', update => 'ADD GSI1PK :n', attr_values => '{":n": 1}')$$);
SELECT outcome($$SELECT ddb.try_put_item('shop', '{"PK": "a", "SK": "9", "GSI1PK": 1}')$$);
SELECT outcome($$SELECT ddb.batch_write_item('{"shop": [{"PutRequest": {"Item": {"PK": {"S": "b"}, "SK": {"S": "1"}}}},
	{"PutRequest": {"Item": {"PK": {"S": "b"}, "SK": {"S": "2"}, "GSI1PK": {"N": "1"}}}}]}')$$);
SELECT outcome($$SELECT ddb.transact_write_items('[{"Put": {"TableName": "shop", "Item": {"PK": {"S": "b"}, "SK": {"S": "1"}}}},
	{"Put": {"TableName": "shop", "Item": {"PK": {"S": "b"}, "SK": {"S": "2"}, "GSI1PK": {"N": "1"}}}}]')$$);
SELECT outcome($$SELECT ddb.api('PutItem', '{"TableName": "shop", "Item": {"PK": {"S": "b"}, "SK": {"S": "2"}, "GSI1PK": {"N": "1"}}}')$$);
SELECT outcome($$INSERT INTO shop VALUES ('b', '1', '{"GSI1PK": 1}'::jsonb)$$);
SELECT outcome($$INSERT INTO shop VALUES ('b', '1', '{"GSI1PK": 1}'::jsonb) ON CONFLICT (pk, sk) DO NOTHING$$);
SELECT outcome($$INSERT INTO shop VALUES ('a', '1', '{}'::jsonb) ON CONFLICT (pk, sk) DO UPDATE SET item = '{"GSI1PK": 1}'::jsonb$$);
SELECT outcome($$UPDATE shop SET item = '{"GSI1PK": 1}'::jsonb WHERE pk = 'a'$$);
SELECT outcome($$MERGE INTO shop USING (VALUES ('a')) v (k) ON pk = k AND sk = '1' WHEN MATCHED THEN UPDATE SET item = '{"level": 1}'::jsonb$$);
COPY shop FROM stdin;
c	1	{"ok": {"S": "x"}}
c	2	{"GSI1PK": {"N": "1"}}
\.
SELECT pk, sk, item FROM shop ORDER BY pk, sk;

-- the old item is mended by whoever writes it next
SELECT outcome($$UPDATE shop SET item = item WHERE pk = 'old'$$);
SELECT outcome($$SELECT ddb.update_item('shop', 'old', '1', update => 'SET x = :x', attr_values => '{":x": 1}')$$);
SELECT outcome($$SELECT ddb.update_item('shop', 'old', '1', update => 'REMOVE GSI1PK, GSI1SK')$$);

-- two indexes want an attribute: the first by name is told of
SELECT ddb.add_index('shop', 'before', 'GSI1PK');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1PK": {"N": "1"}}');

--
-- Dropping an index lifts its demands, but not another one's
--
SELECT ddb.drop_index('shop', 'by_status');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1SK": {"S": "1"}}');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1PK": {"N": "1"}}');
SELECT ddb.drop_index('shop', 'before');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "GSI1PK": {"N": "1"}}');
SELECT ddb.drop_index('shop', 'local');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "level": {"N": "1"}}');
-- in the transaction that adds one too
BEGIN;
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "x": {"N": "1"}}');
SELECT ddb.add_index('shop', 'by_x', 'x');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "x": {"N": "1"}}');
SAVEPOINT s;
SELECT ddb.drop_index('shop', 'by_x');
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "x": {"N": "1"}}');
ROLLBACK TO s;
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "x": {"N": "1"}}');
ROLLBACK;
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "x": {"N": "1"}}');

--
-- A table that is not plain takes the other path
--
CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
CREATE TRIGGER quiet BEFORE INSERT OR UPDATE ON shop FOR EACH ROW EXECUTE FUNCTION quiet();
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "blob": {"N": "1"}}');
SELECT outcome($$SELECT ddb.update_item('shop', 'a', '1', update => 'SET #b = :n', attr_names => '{"#b": "blob"}', attr_values => '{":n": 1}')$$);
SELECT put('{"PK": {"S": "a"}, "SK": {"S": "1"}, "blob": {"B": "AA=="}}');

DROP TABLE shop;
DROP FUNCTION put, outcome, quiet;
DROP SCHEMA index_check;
