-- Reading global secondary indexes: ddb.query, ddb.collection and ddb.scan with index_name
\pset format unaligned
\pset tuples_only on
SELECT ddb.create_table('iq', 'PK', 'SK');
SELECT count(ddb.put_item('iq', item)) FROM (VALUES
	('{"PK": "c1", "SK": "ORDER#1", "status": "OPEN", "amount": 10, "city": "Bern"}'::ddb.doc),
	('{"PK": "c1", "SK": "ORDER#2", "status": "SENT", "amount": 25, "city": "Bern"}'),
	('{"PK": "c1", "SK": "ORDER#3", "amount": 99, "city": "Rome"}'),
	('{"PK": "c2", "SK": "ORDER#1", "status": "OPEN", "amount": 10, "city": "Oslo"}'),
	('{"PK": "c2", "SK": "ORDER#2", "status": "OPEN", "amount": 7, "city": "Oslo"}'),
	('{"PK": "c2", "SK": "ORDER#4", "status": "OPEN", "amount": 100, "city": "Rome", "note": "gift"}'),
	('{"PK": "c2", "SK": "PROFILE", "name": "Ada"}')) v(item);
SELECT ddb.add_index('iq', 'by_status', 'status', 'amount', sort_key_type => 'N', projection => 'KEYS_ONLY');
SELECT ddb.add_index('iq', 'by_city', 'city', projection => 'INCLUDE', include => ARRAY['note']);
SELECT ddb.add_index('iq', 'inverted', 'SK', 'PK');
CREATE FUNCTION iq_show(item ddb.item) RETURNS text LANGUAGE sql RETURN (item ->> 'PK') || '/' || (item ->> 'SK');
CREATE FUNCTION iq_status(condition text, attr_values ddb.doc, forward boolean DEFAULT true, start ddb.doc DEFAULT NULL, n integer DEFAULT NULL)
RETURNS SETOF ddb.item LANGUAGE sql AS $$
	SELECT * FROM ddb.query('iq', '#s = :s' || condition, attr_names => '{"#s": "status"}', attr_values => attr_values,
		scan_forward => forward, start_key => start, max_items => n, index_name => 'by_status')
$$;

DO $$ BEGIN PERFORM ddb.run_maintenance(); END $$;

-- Until it has been filled an index cannot be read.  (Nobody fills one that is not committed.)
BEGIN;
SELECT ddb.add_index('iq', 'early', 'status');
SAVEPOINT before;
SELECT * FROM ddb.query('iq', '#s = :s', attr_names => '{"#s": "status"}', attr_values => '{":s": "OPEN"}', index_name => 'early');
ROLLBACK TO before;
SELECT * FROM ddb.scan('iq', index_name => 'early');
ROLLBACK;

-- In the order of the sort key; whoever has no key attribute is not there.
SELECT iq_show(i), i ->> 'amount' FROM iq_status('', '{":s": "OPEN"}') i ORDER BY (i ->> 'amount')::int, 1;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status('', '{":s": "OPEN"}') i;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status('', '{":s": "OPEN"}', false) i;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status(' AND amount = :a', '{":s": "OPEN", ":a": 10}') i;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status(' AND amount < :a', '{":s": "OPEN", ":a": 10}') i;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status(' AND amount <= :a', '{":s": "OPEN", ":a": 10}') i;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status(' AND amount > :a', '{":s": "OPEN", ":a": 10}') i;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status(' AND amount >= :a', '{":s": "OPEN", ":a": 10}', false) i;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status(' AND amount BETWEEN :a AND :b', '{":s": "OPEN", ":a": 8, ":b": 100}') i;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status('', '{":s": "OPEN"}', false, n => 1) i;
SELECT count(*) FROM iq_status('', '{":s": "LOST"}');

-- An entry is an item with what is projected.
SELECT i FROM iq_status('', '{":s": "SENT"}') i;
SELECT i FROM ddb.query('iq', 'city = :c', attr_values => '{":c": "Bern"}', index_name => 'by_city') i ORDER BY i::text COLLATE "C";
SELECT i FROM ddb.query('iq', 'city = :c', filter => 'attribute_exists(note)', attr_values => '{":c": "Rome"}', index_name => 'by_city') i;
SELECT i FROM ddb.query('iq', 'city = :c', projection => 'note, SK', attr_values => '{":c": "Rome"}', index_name => 'by_city', filter => 'SK = :c OR note <> :c') i ORDER BY i::text COLLATE "C";
SELECT i FROM ddb.query('iq', 'SK = :s AND PK >= :p', attr_values => '{":s": "ORDER#2", ":p": "c2"}', index_name => 'inverted') i;
SELECT string_agg(iq_show(i), ' ') FROM ddb.query('iq', 'SK = :s', attr_values => '{":s": "ORDER#1"}', index_name => 'inverted') i;

-- What is not projected cannot be asked for, nor filtered by.
SELECT * FROM ddb.query('iq', 'city = :c', projection => 'PK, amount, city, status_text', attr_values => '{":c": "Rome"}', index_name => 'by_city');
SELECT * FROM ddb.query('iq', 'city = :c', filter => 'amount > :a OR note = :c', attr_values => '{":c": "Rome", ":a": 1}', index_name => 'by_city');
SELECT * FROM ddb.scan('iq', projection => 'note.more', index_name => 'by_status');
-- A filter may name the table's key, but not the index's; a Scan's may name both.
SELECT iq_show(i) FROM ddb.query('iq', 'city = :c', filter => 'PK = :p', attr_values => '{":c": "Rome", ":p": "c2"}', index_name => 'by_city') i;
SELECT * FROM ddb.query('iq', 'city = :c', filter => 'city = :c', attr_values => '{":c": "Rome"}', index_name => 'by_city');
SELECT iq_show(i) FROM ddb.scan('iq', filter => 'city = :c AND PK = :p', attr_values => '{":c": "Rome", ":p": "c2"}', index_name => 'by_city') i;

-- Key conditions are on the index's key.
SELECT * FROM ddb.query('iq', 'PK = :p', attr_values => '{":p": "c1"}', index_name => 'by_status');
SELECT * FROM ddb.query('iq', 'PK = :p', attr_values => '{":p": "c1"}', index_name => 'by_city');
SELECT * FROM iq_status(' AND SK = :a', '{":s": "OPEN", ":a": "x"}');
SELECT * FROM iq_status(' AND amount = :a', '{":s": "OPEN", ":a": "x"}');
SELECT * FROM iq_status(' AND amount = :a AND SK = :a', '{":s": "OPEN", ":a": 1}');
SELECT * FROM ddb.query('iq', 'city > :c', attr_values => '{":c": "x"}', index_name => 'by_city');
SELECT * FROM ddb.query('iq', 'city = :c', attr_values => '{":c": "x"}', index_name => 'by_cit');
SELECT * FROM ddb.scan('iq', index_name => 'By_city');

-- A start is any place: the last item, an item that is not there, one that is elsewhere.
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status('', '{":s": "OPEN"}', start => '{"PK": "c2", "SK": "ORDER#2", "status": "OPEN", "amount": 7}') i;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status('', '{":s": "OPEN"}', start => '{"PK": "nobody", "SK": "nothing", "status": "OPEN", "amount": 8}') i;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status('', '{":s": "OPEN"}', false, '{"PK": "nobody", "SK": "nothing", "status": "OPEN", "amount": 99, "city": "left alone"}') i;
SELECT string_agg(i ->> 'amount', ' ') FROM iq_status(' AND amount >= :a', '{":s": "OPEN", ":a": 10}', start => '{"PK": "nobody", "SK": "nothing", "status": "OPEN", "amount": 11}') i;
SELECT count(*) FROM iq_status('', '{":s": "OPEN"}', start => '{"PK": "c2", "SK": "ORDER#4", "status": "OPEN", "amount": 100}');
SELECT iq_show(i) FROM ddb.query('iq', 'SK = :s', attr_values => '{":s": "ORDER#1"}', start_key => '{"SK": "ORDER#1", "PK": "c1"}', index_name => 'inverted') i;
SELECT * FROM iq_status('', '{":s": "OPEN"}', start => '{"PK": "c1", "SK": "ORDER#1"}');
SELECT * FROM iq_status('', '{":s": "OPEN"}', start => '{"SK": "ORDER#1", "status": "OPEN", "amount": 1}');
SELECT * FROM iq_status('', '{":s": "OPEN"}', start => '{"PK": "c1", "SK": "ORDER#1", "status": "OPEN", "amount": "1"}');
SELECT * FROM iq_status('', '{":s": "OPEN"}', start => '{"PK": "c1", "SK": "ORDER#1", "status": "SENT", "amount": 1}');
SELECT * FROM iq_status(' AND amount > :a', '{":s": "OPEN", ":a": 5}', start => '{"PK": "c1", "SK": "ORDER#1", "status": "OPEN", "amount": 5}');
SELECT * FROM iq_status('', '{":s": "OPEN"}', start => '{"PK": 1, "SK": "ORDER#1", "status": "OPEN", "amount": 5}');

-- ddb.collection: `after` leaves out all items of that sort key.
SELECT string_agg(i ->> 'amount', ' ') FROM ddb.collection('iq', 'OPEN', index_name => 'by_status') i;
SELECT string_agg(i ->> 'amount', ' ') FROM ddb.collection('iq', 'OPEN', sk_from => 8, sk_to => 50, index_name => 'by_status') i;
SELECT string_agg(i ->> 'amount', ' ') FROM ddb.collection('iq', 'OPEN', after => 10, index_name => 'by_status') i;
SELECT string_agg(i ->> 'amount', ' ') FROM ddb.collection('iq', 'OPEN', after => 10, newest_first => true, index_name => 'by_status') i;
SELECT string_agg(i ->> 'amount', ' ') FROM ddb.collection('iq', 'OPEN', sk_to => 10, after => 7, index_name => 'by_status') i;
SELECT count(*) FROM ddb.collection('iq', 'OPEN', sk_to => 10, after => 10, index_name => 'by_status') i;
SELECT iq_show(i) FROM ddb.collection('iq', 'ORDER#1', begins_with => 'c', newest_first => true, max_items => 1, index_name => 'inverted') i;
SELECT iq_show(i) FROM ddb.collection('iq', 'Oslo', index_name => 'by_city') i ORDER BY 1;
SELECT * FROM ddb.collection('iq', 'Oslo', sk_from => 'x', index_name => 'by_city');
SELECT * FROM ddb.collection('iq', 'OPEN', sk_from => 'x', index_name => 'by_status');

-- ddb.scan: all entries, whole or in segments.
SELECT iq_show(i) FROM ddb.scan('iq', index_name => 'by_status') i ORDER BY 1;
SELECT count(*), count(DISTINCT iq_show(i)) FROM generate_series(0, 4) s, ddb.scan('iq', segment => s, total_segments => 5, index_name => 'by_city') i;
SELECT count(*) FROM ddb.scan('iq', index_name => 'inverted', max_items => 3);

-- An index is a table for SQL.
SELECT pk, sk, isk FROM iq_by_status WHERE ipk = 'OPEN' AND isk >= 10 ORDER BY isk DESC, pk LIMIT 2;
SELECT o.sk, p.item ->> 'name' FROM iq_by_status o JOIN iq p ON p.pk = o.pk AND p.sk = 'PROFILE' WHERE o.ipk = 'OPEN' ORDER BY 1;

-- Reading the table is enough to read its indexes, and nothing less is.
CREATE ROLE iq_reader;
CREATE ROLE iq_stranger;
GRANT SELECT ON iq TO iq_reader;
SET ROLE iq_reader;
SELECT count(*) FROM ddb.scan('iq', index_name => 'by_city');
SELECT count(*) FROM iq_by_city;
SET ROLE iq_stranger;
SELECT count(*) FROM ddb.scan('iq', index_name => 'by_city');
RESET ROLE;
-- Policies would not hold for entries, so their readers read the table.
ALTER TABLE iq ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON iq FOR SELECT TO iq_reader USING (pk = 'c1');
SELECT count(*) FROM ddb.scan('iq', index_name => 'by_city');
SET ROLE iq_reader;
SELECT count(*) FROM ddb.scan('iq');
SELECT count(*) FROM ddb.scan('iq', index_name => 'by_city');
SELECT count(*) FROM ddb.query('iq', 'city = :c', attr_values => '{":c": "Rome"}', index_name => 'by_city');
RESET ROLE;
ALTER TABLE iq DISABLE ROW LEVEL SECURITY;

-- Dropped, it is no index of the table.
SELECT ddb.drop_index('iq', 'by_city');
SELECT count(*) FROM ddb.scan('iq', index_name => 'by_city');

DROP TABLE iq;
DROP ROLE iq_reader, iq_stranger;
DROP FUNCTION iq_status, iq_show;

-- Keys of the other types.
SELECT ddb.create_table('iq', 'id', partition_key_type => 'N');
SELECT count(ddb.put_item('iq', item)) FROM (VALUES
	('{"id": {"N": "1"}, "n": {"N": "5"}, "b": {"B": "AP8="}, "s": {"S": "x\u0000y"}}'::ddb.item),
	('{"id": {"N": "2"}, "n": {"N": "5.0"}, "b": {"B": "AP8B"}, "s": {"S": "x"}}'),
	('{"id": {"N": "3"}, "n": {"N": "50E-1"}, "b": {"B": "AQ=="}, "s": {"S": "x\u0001y"}}'),
	('{"id": {"N": "4"}, "n": {"N": "-5"}, "b": {"B": "/w=="}, "s": {"S": "y"}}')) v(item);
SELECT ddb.add_index('iq', 'by_n', 'n', 'b', partition_key_type => 'N', sort_key_type => 'B');
SELECT ddb.add_index('iq', 'by_b', 'b', 's', partition_key_type => 'B');
SELECT ddb.add_index('iq', 'by_s', 's', 'id', sort_key_type => 'N');
DO $$ BEGIN PERFORM ddb.run_maintenance(); END $$;
SELECT string_agg(i ->> 'id', ' ') FROM ddb.query('iq', 'n = :n', attr_values => '{":n": {"N": "5.00"}}'::ddb.item, index_name => 'by_n') i;
SELECT string_agg(i ->> 'id', ' ') FROM ddb.query('iq', 'n = :n AND begins_with(b, :b)', attr_values => '{":n": {"N": "5.00"}, ":b": {"B": "AP8="}}'::ddb.item, index_name => 'by_n', scan_forward => false) i;
SELECT string_agg(i ->> 'id', ' ') FROM ddb.query('iq', 'n = :n AND b > :b', attr_values => '{":n": {"N": "5.00"}, ":b": {"B": "AP8="}}'::ddb.item, index_name => 'by_n') i;
SELECT string_agg(i ->> 'id', ' ') FROM ddb.query('iq', 'b = :b AND begins_with(s, :s)', attr_values => '{":b": {"B": "AP8="}, ":s": {"S": "x\u0000"}}'::ddb.item, index_name => 'by_b') i;
SELECT string_agg(i ->> 'id', ' ') FROM ddb.query('iq', 's = :s', attr_values => '{":s": {"S": "x\u0001y"}}'::ddb.item, index_name => 'by_s') i;
SELECT string_agg(i ->> 'id', ' ') FROM ddb.collection('iq', '5', after => '\x00ff'::bytea, index_name => 'by_n') i;
DROP TABLE iq;
