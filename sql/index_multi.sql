-- Keys of several attributes: every partition attribute by equality, sort attributes from the left
\pset format unaligned
\pset tuples_only on
SELECT ddb.create_table('mq', 'id', partition_key_type => 'N');
-- 24 matches: tournament T1, T2; region EU, US; stage 1 .. 3; bracket A, AB
SELECT count(*), count(ddb.put_item('mq', jsonb_build_object('id', t * 12 + r * 6 + n * 2 + b + 1, 'tournament', 'T' || t + 1,
	'region', (ARRAY['EU', 'US'])[r + 1], 'stage', n + 1, 'bracket', (ARRAY['A', 'AB'])[b + 1])))
FROM generate_series(0, 1) t, generate_series(0, 1) r, generate_series(0, 2) n, generate_series(0, 1) b;
SELECT ddb.add_index('mq', 'matches', ARRAY['tournament', 'region'], ARRAY['stage', 'bracket', 'id'], sort_key_type => ARRAY['N', 'S', 'N']);
SELECT ddb.add_index('mq', 'regions', ARRAY['region', 'tournament'], projection => 'KEYS_ONLY');
DO $$ BEGIN PERFORM ddb.run_maintenance(); END $$;
CREATE FUNCTION mq(condition text, more jsonb DEFAULT '{}', forward boolean DEFAULT true) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN (SELECT coalesce(string_agg(i ->> 'id', ' '), 'none')
		FROM ddb.query('mq', 'tournament = :t AND #r = :r' || condition, attr_names => '{"#r": "region"}',
			attr_values => '{":t": "T1", ":r": "US"}'::jsonb || more, index_name => 'matches', scan_forward => forward) i);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;

-- T1/US are 7 .. 12: stages 1, 1, 2, 2, 3, 3, brackets A, AB in turn.
SELECT mq('');
SELECT mq('', forward => false);
SELECT mq(' AND stage = :n', '{":n": 2}');
SELECT mq(' AND stage < :n', '{":n": 2}');
SELECT mq(' AND stage <= :n', '{":n": 2}');
SELECT mq(' AND stage > :n', '{":n": 1.5}');
SELECT mq(' AND stage >= :n', '{":n": 2}', false);
SELECT mq(' AND stage BETWEEN :n AND :m', '{":n": 2, ":m": 2.5}');
SELECT mq(' AND stage = :n AND bracket = :b', '{":n": 2, ":b": "A"}');
SELECT mq(' AND stage = :n AND begins_with(bracket, :b)', '{":n": 2, ":b": "A"}');
SELECT mq(' AND stage = :n AND bracket > :b', '{":n": 2, ":b": "A"}');
SELECT mq(' AND stage = :n AND bracket >= :b', '{":n": 2, ":b": "A"}', false);
SELECT mq(' AND stage = :n AND bracket < :b', '{":n": 2, ":b": "AB"}');
SELECT mq(' AND stage = :n AND bracket <= :b', '{":n": 2, ":b": "AB"}');
SELECT mq(' AND stage = :n AND bracket = :b AND id = :i', '{":n": 2, ":b": "AB", ":i": 10}');
SELECT mq(' AND stage = :n AND bracket = :b AND id > :i', '{":n": 2, ":b": "AB", ":i": 10}');
SELECT mq(' AND bracket = :b AND stage = :n', '{":n": 3, ":b": "AB"}');

-- What is not a range of the key.
SELECT mq(' AND bracket = :b', '{":b": "A"}');
SELECT mq(' AND id = :i AND stage = :i', '{":i": 2}');
SELECT mq(' AND stage > :n AND bracket = :b', '{":n": 2, ":b": "A"}');
SELECT mq(' AND begins_with(stage, :n)', '{":n": "2"}');
SELECT mq(' AND stage = :n', '{":n": "2"}');
SELECT mq(' AND nothing = :n', '{":n": 2}');
SELECT mq(' AND stage = :n AND nothing = :n', '{":n": 2}');
SELECT mq(' AND stage = :n AND bracket = :b AND id = :n AND nothing = :n', '{":n": 2, ":b": "A"}');
SELECT * FROM ddb.query('mq', 'tournament = :t', attr_values => '{":t": "T1"}', index_name => 'matches');
SELECT * FROM ddb.query('mq', 'tournament = :t AND #r > :t', attr_names => '{"#r": "region"}', attr_values => '{":t": "T1"}', index_name => 'matches');
SELECT * FROM ddb.query('mq', 'tournament = :t AND #r = :r', filter => '#r = :r', attr_names => '{"#r": "region"}', attr_values => '{":t": "T1", ":r": "US"}', index_name => 'matches');
SELECT * FROM ddb.query('mq', 'tournament = :t AND #r = :r', filter => 'bracket = :r', attr_names => '{"#r": "region"}', attr_values => '{":t": "T1", ":r": "US"}', index_name => 'matches');
SELECT * FROM ddb.collection('mq', 'T1', index_name => 'matches');

-- Without a sort key; entries and LastEvaluatedKey hold all the attributes.
SELECT string_agg(i ->> 'id', ' ' ORDER BY (i ->> 'id')::int) FROM ddb.query('mq', '#r = :r AND tournament = :t', attr_names => '{"#r": "region"}', attr_values => '{":t": "T2", ":r": "EU"}', index_name => 'regions') i;
SELECT i FROM ddb.scan('mq', filter => 'id = :i', attr_values => '{":i": 5}', index_name => 'regions') i;
SELECT i FROM ddb.query('mq', 'tournament = :t AND #r = :r AND stage = :n', attr_names => '{"#r": "region"}', attr_values => '{":t": "T1", ":r": "US", ":n": 2}',
	start_key => '{"id": 0, "tournament": "T1", "region": "US", "stage": 2, "bracket": "AA"}', index_name => 'matches') i;
SELECT i FROM ddb.query('mq', 'tournament = :t AND #r = :r AND stage = :n', attr_names => '{"#r": "region"}', attr_values => '{":t": "T1", ":r": "US", ":n": 2}',
	start_key => '{"id": 0, "tournament": "T1", "region": "US", "stage": 1, "bracket": "AA"}', index_name => 'matches') i;
SELECT i FROM ddb.query('mq', 'tournament = :t AND #r = :r AND stage = :n', attr_names => '{"#r": "region"}', attr_values => '{":t": "T1", ":r": "US", ":n": 2}',
	start_key => '{"id": 0, "tournament": "T2", "region": "US", "stage": 2, "bracket": "AA"}', index_name => 'matches') i;
DROP FUNCTION mq;
DROP TABLE mq;

-- A value is no prefix of its neighbour's, whatever bytes it has.
SELECT ddb.create_table('mq', 'id', partition_key_type => 'N');
SELECT count(ddb.put_item('mq', item)) FROM (VALUES
	('{"id": {"N": "1"}, "a": {"S": "x"}, "b": {"S": "yz"}, "c": {"B": "AA=="}, "d": {"B": "AAA="}}'::ddb.item),
	('{"id": {"N": "2"}, "a": {"S": "xy"}, "b": {"S": "z"}, "c": {"B": "AP8="}, "d": {"B": "AA=="}}'),
	('{"id": {"N": "3"}, "a": {"S": "x"}, "b": {"S": "yz"}, "c": {"B": "AAE="}, "d": {"B": "AA=="}}'),
	('{"id": {"N": "4"}, "a": {"S": "x"}, "b": {"S": "yz"}, "c": {"B": "AA=="}, "d": {"B": "/w=="}}')) v(item);
SELECT ddb.add_index('mq', 'odd', ARRAY['a', 'b'], ARRAY['c', 'd'], sort_key_type => ARRAY['B', 'B']);
DO $$ BEGIN PERFORM ddb.run_maintenance(); END $$;
-- c is 00 in items 1 and 4, whose d is 00 00 and ff; then comes 00 01 in item 3
SELECT string_agg(i ->> 'id', ' ') FROM ddb.query('mq', 'a = :a AND b = :b', attr_values => '{":a": "x", ":b": "yz"}', index_name => 'odd') i;
SELECT string_agg(i ->> 'id', ' ') FROM ddb.query('mq', 'a = :a AND b = :b', attr_values => '{":a": "xy", ":b": "z"}', index_name => 'odd') i;
SELECT string_agg(i ->> 'id', ' ') FROM ddb.query('mq', 'a = :a AND b = :b AND c = :c', attr_values => '{":a": {"S": "x"}, ":b": {"S": "yz"}, ":c": {"B": "AA=="}}'::ddb.item, index_name => 'odd') i;
SELECT string_agg(i ->> 'id', ' ') FROM ddb.query('mq', 'a = :a AND b = :b AND begins_with(c, :c)', attr_values => '{":a": {"S": "x"}, ":b": {"S": "yz"}, ":c": {"B": "AA=="}}'::ddb.item, index_name => 'odd') i;
SELECT string_agg(i ->> 'id', ' ') FROM ddb.query('mq', 'a = :a AND b = :b AND c > :c', attr_values => '{":a": {"S": "x"}, ":b": {"S": "yz"}, ":c": {"B": "AA=="}}'::ddb.item, index_name => 'odd') i;
DROP TABLE mq;
