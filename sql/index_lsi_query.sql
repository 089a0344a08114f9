-- Reading local secondary indexes
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
SELECT ddb.create_table('lq', 'PK', 'SK');
SELECT count(ddb.put_item('lq', item)) FROM (VALUES
	('{"PK": "a", "SK": "1", "score": 30, "team": "red", "more": {"x": 1}}'::ddb.doc),
	('{"PK": "a", "SK": "2", "score": 10, "team": "blue"}'),
	('{"PK": "a", "SK": "3", "score": 30, "team": "blue", "note": "n3"}'),
	('{"PK": "a", "SK": "4", "team": "red"}'),
	('{"PK": "a", "SK": "5", "score": 20}'),
	('{"PK": "b", "SK": "1", "score": 15, "team": "red"}')) v(item);
SELECT ddb.add_local_index('lq', 'by_score', 'score', 'N', projection => 'KEYS_ONLY');
SELECT ddb.add_local_index('lq', 'by_team', 'team', projection => 'INCLUDE', include => ARRAY['note']);
SELECT ddb.add_local_index('lq', 'by_team_all', 'team');
CREATE FUNCTION lq_keys(i ddb.item) RETURNS text LANGUAGE sql RETURN i ->> 'SK';

-- At once, in the order of (sort key, the table's sort key), both ways.
SELECT string_agg(lq_keys(i), ' ') FROM ddb.query('lq', 'PK = :p', attr_values => '{":p": "a"}', index_name => 'by_score') i;
SELECT string_agg(lq_keys(i), ' ') FROM ddb.query('lq', 'PK = :p', attr_values => '{":p": "a"}', index_name => 'by_score', scan_forward => false) i;
SELECT string_agg(lq_keys(i), ' ') FROM ddb.query('lq', 'PK = :p AND score = :s', attr_values => '{":p": "a", ":s": 30}', index_name => 'by_score') i;
SELECT string_agg(lq_keys(i), ' ') FROM ddb.query('lq', 'PK = :p AND score > :s', attr_values => '{":p": "a", ":s": 10}', index_name => 'by_score') i;
SELECT string_agg(lq_keys(i), ' ') FROM ddb.query('lq', 'PK = :p AND score BETWEEN :s AND :t', attr_values => '{":p": "a", ":s": 10, ":t": 20}', index_name => 'by_score', scan_forward => false) i;
SELECT string_agg(lq_keys(i), ' ') FROM ddb.query('lq', 'PK = :p AND begins_with(team, :t)', attr_values => '{":p": "a", ":t": "r"}', index_name => 'by_team') i;

-- What is projected is shown, and anything that is asked for.
SELECT i FROM ddb.query('lq', 'PK = :p AND score = :s', attr_values => '{":p": "a", ":s": 30}', index_name => 'by_score') i;
SELECT i FROM ddb.query('lq', 'PK = :p AND team = :t', attr_values => '{":p": "a", ":t": "blue"}', index_name => 'by_team') i;
SELECT i FROM ddb.query('lq', 'PK = :p AND team = :t', attr_values => '{":p": "a", ":t": "blue"}', index_name => 'by_team_all') i;
SELECT i FROM ddb.query('lq', 'PK = :p AND score = :s', projection => 'more.x, team', attr_values => '{":p": "a", ":s": 30}', index_name => 'by_score') i;
SELECT i FROM ddb.query('lq', 'PK = :p', filter => 'team = :t', attr_values => '{":p": "a", ":t": "blue"}', index_name => 'by_score') i;
SELECT i FROM ddb.query('lq', 'PK = :p', filter => 'SK > :s', attr_values => '{":p": "a", ":s": "3"}', index_name => 'by_score') i;
SELECT * FROM ddb.query('lq', 'PK = :p', filter => 'score > :s', attr_values => '{":p": "a", ":s": 3}', index_name => 'by_score');
SELECT * FROM ddb.query('lq', 'PK = :p AND SK = :s', attr_values => '{":p": "a", ":s": "3"}', index_name => 'by_score');

-- A change is seen by the next statement, in the same transaction.
BEGIN;
SELECT ddb.update_item('lq', 'a', '1', 'SET score = :s', attr_values => '{":s": 5}');
SELECT ddb.update_item('lq', 'a', '5', 'REMOVE score');
SELECT string_agg(lq_keys(i), ' ') FROM ddb.query('lq', 'PK = :p', attr_values => '{":p": "a"}', index_name => 'by_score') i;
ROLLBACK;
SELECT string_agg(lq_keys(i), ' ') FROM ddb.query('lq', 'PK = :p', attr_values => '{":p": "a"}', index_name => 'by_score') i;

-- Starts, collections, scans.
SELECT string_agg(lq_keys(i), ' ') FROM ddb.query('lq', 'PK = :p', attr_values => '{":p": "a"}', index_name => 'by_score', start_key => '{"PK": "a", "SK": "1", "score": 30}') i;
SELECT string_agg(lq_keys(i), ' ') FROM ddb.query('lq', 'PK = :p', attr_values => '{":p": "a"}', index_name => 'by_score', start_key => '{"PK": "a", "SK": "2", "score": 30}', scan_forward => false) i;
SELECT string_agg(lq_keys(i), ' ') FROM ddb.query('lq', 'PK = :p', attr_values => '{":p": "a"}', index_name => 'by_score', start_key => '{"PK": "a", "SK": "0", "score": 12}') i;
SELECT * FROM ddb.query('lq', 'PK = :p', attr_values => '{":p": "a"}', index_name => 'by_score', start_key => '{"PK": "b", "SK": "0", "score": 12}');
SELECT * FROM ddb.query('lq', 'PK = :p', attr_values => '{":p": "a"}', index_name => 'by_score', start_key => '{"PK": "a", "SK": "0"}');
SELECT string_agg(lq_keys(i), ' ') FROM ddb.collection('lq', 'a', sk_from => 15, index_name => 'by_score') i;
SELECT string_agg(lq_keys(i), ' ') FROM ddb.collection('lq', 'a', after => 30, newest_first => true, index_name => 'by_score') i;
SELECT string_agg(lq_keys(i), ' ') FROM ddb.collection('lq', 'a', begins_with => 'b', index_name => 'by_team') i;
SELECT i FROM ddb.scan('lq', index_name => 'by_team', filter => 'attribute_exists(score)') i WHERE i ->> 'PK' = 'b';
SELECT count(*) FROM ddb.scan('lq', index_name => 'by_team');
SELECT count(*) FROM generate_series(0, 2) s, ddb.scan('lq', segment => s, total_segments => 3, index_name => 'by_score');
DROP FUNCTION lq_keys;
DROP TABLE lq;
