-- Sharded indexes: one key value spread over several ranges, read as one
\pset format unaligned
\pset tuples_only on
SELECT ddb.create_table('sq', 'id', partition_key_type => 'N');
SELECT count(ddb.put_item('sq', jsonb_build_object('id', i, 'kind', CASE WHEN i <= 40 THEN 'hot' ELSE 'cold' END, 'at', i % 10))) FROM generate_series(1, 42) i;
SELECT ddb.add_index('sq', 'by_time', 'kind', 'at', sort_key_type => 'N', shards => 8);
SELECT ddb.add_index('sq', 'by_kind', 'kind', shards => 3);
DO $$ BEGIN PERFORM ddb.run_maintenance(); END $$;

-- Entries are spread, and readers do not see it.
SELECT count(DISTINCT shard) > 4, min(shard) >= 0, max(shard) < 8 FROM sq_by_time;
SELECT string_agg(i ->> 'at', '') FROM ddb.query('sq', 'kind = :k', attr_values => '{":k": "hot"}', index_name => 'by_time') i;
SELECT string_agg(i ->> 'at', '') FROM ddb.query('sq', 'kind = :k', attr_values => '{":k": "hot"}', index_name => 'by_time', scan_forward => false) i;
SELECT string_agg(i ->> 'at', '') FROM ddb.query('sq', 'kind = :k AND #a BETWEEN :a AND :b', attr_names => '{"#a": "at"}', attr_values => '{":k": "hot", ":a": 3, ":b": 4}', index_name => 'by_time') i;
SELECT string_agg(i ->> 'at', '') FROM ddb.query('sq', 'kind = :k AND #a < :a', attr_names => '{"#a": "at"}', attr_values => '{":k": "hot", ":a": 2}', index_name => 'by_time', scan_forward => false) i;
SELECT string_agg(i ->> 'at', '') FROM ddb.query('sq', 'kind = :k', attr_values => '{":k": "hot"}', index_name => 'by_time', max_items => 6) i;
SELECT string_agg(i ->> 'at', '') FROM ddb.query('sq', 'kind = :k', attr_values => '{":k": "cold"}', index_name => 'by_time') i;
SELECT count(*) FROM ddb.query('sq', 'kind = :k', attr_values => '{":k": "none"}', index_name => 'by_time');
SELECT count(DISTINCT i ->> 'id'), count(*) FROM ddb.query('sq', 'kind = :k', attr_values => '{":k": "hot"}', index_name => 'by_kind') i;
SELECT i FROM ddb.query('sq', 'kind = :k', filter => 'id = :i', attr_values => '{":k": "cold", ":i": 41}', index_name => 'by_kind') i;
SELECT string_agg(i ->> 'at', '') FROM ddb.collection('sq', 'hot', sk_from => 8, index_name => 'by_time') i;
SELECT string_agg(i ->> 'at', '') FROM ddb.collection('sq', 'hot', after => 7, index_name => 'by_time') i;

-- Items of equal keys stand in one order, that of their digests, over all shards.
SELECT (SELECT array_agg((i ->> 'id')::numeric) FROM ddb.query('sq', 'kind = :k', attr_values => '{":k": "hot"}', index_name => 'by_time') i)
	= (SELECT array_agg(pk ORDER BY isk, digest) FROM sq_by_time WHERE ipk = 'hot');

-- A start written by hand is a place in the order of all shards.
SELECT string_agg(i ->> 'at', '') FROM ddb.query('sq', 'kind = :k', attr_values => '{":k": "hot"}', index_name => 'by_time', start_key => '{"id": 0, "kind": "hot", "at": 8.5}') i;
SELECT string_agg(i ->> 'at', '') FROM ddb.query('sq', 'kind = :k', attr_values => '{":k": "hot"}', index_name => 'by_time', start_key => '{"id": 0, "kind": "hot", "at": 1.5}', scan_forward => false) i;

-- Scans read shard after shard.
SELECT count(*), count(DISTINCT i ->> 'id') FROM ddb.scan('sq', index_name => 'by_time') i;
SELECT count(*), count(DISTINCT i ->> 'id') FROM generate_series(0, 6) s, ddb.scan('sq', segment => s, total_segments => 7, index_name => 'by_kind') i;

-- A reader left early lets go of all shards.
BEGIN;
DECLARE c CURSOR FOR SELECT i ->> 'at' FROM ddb.query('sq', 'kind = :k', attr_values => '{":k": "hot"}', index_name => 'by_time') i;
DECLARE d CURSOR FOR SELECT (ddb.query('sq', 'kind = :k', attr_values => '{":k": "hot"}', index_name => 'by_time')) ->> 'at';
FETCH 3 FROM c;
FETCH 5 FROM d;
CLOSE c;
FETCH 1 FROM d;
COMMIT;
DROP TABLE sq;
