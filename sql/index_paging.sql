-- Pages of an index, whatever their size, lose and repeat nothing
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
SELECT ddb.create_table('pages', 'PK', 'SK', sort_key_type => 'N');
-- 120 items; every index key has many of them.
SELECT count(ddb.put_item('pages', jsonb_build_object('PK', 'p' || i % 4, 'SK', i, 'a', i % 2, 'b', i / 25, 'c', 'x' || i % 3, 'd', i % 5)))
FROM generate_series(1, 120) i;
SELECT ddb.add_index('pages', 'sorted', 'a', 'b', partition_key_type => 'N', sort_key_type => 'N', projection => 'KEYS_ONLY');
SELECT ddb.add_index('pages', 'unsorted', 'a', partition_key_type => 'N');
SELECT ddb.add_index('pages', 'many', ARRAY['a', 'c'], ARRAY['d', 'b'], partition_key_type => ARRAY['N', 'S'], sort_key_type => ARRAY['N', 'N']);
SELECT ddb.add_index('pages', 'spread', 'a', 'c', partition_key_type => 'N', shards => 5);
SELECT ddb.add_local_index('pages', 'local', 'c', projection => 'KEYS_ONLY');
DO $$ BEGIN PERFORM ddb.run_maintenance(); END $$;

-- All items of a request, page by page.
CREATE FUNCTION paged(operation text, request jsonb, page_size integer) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	reply jsonb;
	items jsonb := '[]';
	next_page jsonb := '{}';
BEGIN
	LOOP
		reply := ddb.api(operation, (request || next_page || jsonb_build_object('Limit', page_size))::json);
		items := items || (reply -> 'Items');
		EXIT WHEN NOT reply ? 'LastEvaluatedKey' OR jsonb_array_length(items) > 1000;
		next_page := jsonb_build_object('ExclusiveStartKey', reply -> 'LastEvaluatedKey');
	END LOOP;
	RETURN items;
END $$;

-- Items in one page; is every way through the pages the same, and backwards its reverse?
CREATE FUNCTION check_query(index_name text, condition text, attr_values jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	request jsonb := jsonb_build_object('TableName', 'pages', 'IndexName', index_name,
		'KeyConditionExpression', condition, 'ExpressionAttributeValues', attr_values);
	backward jsonb := request || '{"ScanIndexForward": false}';
	whole jsonb := ddb.api('Query', request::json)::jsonb -> 'Items';
	reversed jsonb := (SELECT jsonb_agg(item ORDER BY n DESC) FROM jsonb_array_elements(whole) WITH ORDINALITY x(item, n));
BEGIN
	RETURN jsonb_array_length(whole)
		|| ' forward ' || (SELECT bool_and(paged('Query', request, n) = whole) FROM unnest(ARRAY[1, 2, 7, 60]) n)
		|| ' backward ' || (SELECT bool_and(paged('Query', backward, n) = reversed) FROM unnest(ARRAY[1, 2, 7, 60]) n);
END $$;

SELECT check_query('sorted', 'a = :a', '{":a": {"N": "1"}}');
SELECT check_query('sorted', 'a = :a AND b = :b', '{":a": {"N": "1"}, ":b": {"N": "2"}}');
SELECT check_query('sorted', 'a = :a AND b < :b', '{":a": {"N": "1"}, ":b": {"N": "2"}}');
SELECT check_query('sorted', 'a = :a AND b >= :b', '{":a": {"N": "1"}, ":b": {"N": "2"}}');
SELECT check_query('sorted', 'a = :a AND b BETWEEN :b AND :c', '{":a": {"N": "1"}, ":b": {"N": "1"}, ":c": {"N": "3"}}');
SELECT check_query('unsorted', 'a = :a', '{":a": {"N": "0"}}');
SELECT check_query('many', 'a = :a AND c = :c', '{":a": {"N": "1"}, ":c": {"S": "x1"}}');
SELECT check_query('many', 'a = :a AND c = :c AND d > :d', '{":a": {"N": "1"}, ":c": {"S": "x1"}, ":d": {"N": "2"}}');
SELECT check_query('many', 'a = :a AND c = :c AND d = :d AND b <= :b', '{":a": {"N": "1"}, ":c": {"S": "x1"}, ":d": {"N": "2"}, ":b": {"N": "2"}}');
SELECT check_query('spread', 'a = :a', '{":a": {"N": "1"}}');
SELECT check_query('spread', 'a = :a AND c = :c', '{":a": {"N": "1"}, ":c": {"S": "x1"}}');
SELECT check_query('spread', 'a = :a AND c > :c', '{":a": {"N": "1"}, ":c": {"S": "x0"}}');
SELECT check_query('local', 'PK = :p', '{":p": {"S": "p1"}}');
SELECT check_query('local', 'PK = :p AND c = :c', '{":p": {"S": "p1"}, ":c": {"S": "x2"}}');
SELECT check_query('local', 'PK = :p AND c <= :c', '{":p": {"S": "p1"}, ":c": {"S": "x1"}}');

-- Scans, whole and by segments.
SELECT index_name, segment, jsonb_array_length(whole),
	(SELECT bool_and(paged('Scan', request, n) = whole) FROM unnest(ARRAY[1, 7, 60]) n)
FROM unnest(ARRAY['sorted', 'unsorted', 'many', 'spread', 'local']) index_name, (VALUES (0, 1), (0, 2), (1, 2)) s(segment, total),
	LATERAL (SELECT jsonb_build_object('TableName', 'pages', 'IndexName', index_name, 'Segment', segment, 'TotalSegments', total)) r(request),
	LATERAL (SELECT ddb.api('Scan', request::json)::jsonb -> 'Items') w(whole)
ORDER BY 1, total, 2;

-- Wherever a reader starts, by hand and between all items, it goes on right there.
SELECT b, forward, (
	SELECT count(*) FROM ddb.query('pages', 'a = :a', attr_values => '{":a": 1}', index_name => 'sorted', scan_forward => forward,
		start_key => jsonb_build_object('PK', 'nobody', 'SK', 0, 'a', 1, 'b', b)))
FROM unnest(ARRAY[-1, 0.5, 1.5, 9]) b, unnest(ARRAY[true, false]) forward ORDER BY 2 DESC, 1;

-- Between two pages items come, go and move; all that stay are read once.
CREATE FUNCTION disturb(i integer) RETURNS void LANGUAGE sql AS $$
	SELECT ddb.put_item('pages', jsonb_build_object('PK', 'new', 'SK', i, 'a', 1, 'b', i % 5));
	SELECT ddb.delete_item('pages', 'p' || (2 * i + 1) % 4, 2 * i + 1) WHERE i % 3 = 0;
	SELECT ddb.update_item('pages', 'p' || (2 * i + 1) % 4, 2 * i + 1, 'SET a = :zero', attr_values => '{":zero": 0}') WHERE i % 3 = 1;
$$;
CREATE FUNCTION read_disturbed(index_name text) RETURNS TABLE (read_once bigint, of_those bigint) LANGUAGE plpgsql AS $$
DECLARE
	request jsonb := jsonb_build_object('TableName', 'pages', 'IndexName', index_name, 'KeyConditionExpression', 'a = :a',
		'ExpressionAttributeValues', '{":a": {"N": "1"}}'::jsonb, 'Limit', 2);
	reply jsonb;
	seen integer[] := '{}';
	stay integer[] := ARRAY(SELECT n FROM generate_series(1, 119, 2) n WHERE n / 2 % 3 = 2);
BEGIN
	FOR i IN 0 .. 200 LOOP
		reply := ddb.api('Query', request::json);
		seen := seen || ARRAY(SELECT (x -> 'SK' ->> 'N')::integer FROM jsonb_array_elements(reply -> 'Items') x WHERE x -> 'PK' ->> 'S' <> 'new');
		EXIT WHEN NOT reply ? 'LastEvaluatedKey';
		request := request || jsonb_build_object('ExclusiveStartKey', reply -> 'LastEvaluatedKey');
		PERFORM disturb(i) WHERE i < 60;
		PERFORM ddb.run_maintenance();
	END LOOP;
	RETURN QUERY SELECT count(*) FILTER (WHERE times = 1), count(*)
		FROM (SELECT (SELECT count(*) FROM unnest(seen) s WHERE s = n) AS times FROM unnest(stay) n) x;
END $$;
SELECT * FROM read_disturbed('sorted');
DROP FUNCTION read_disturbed, disturb, check_query, paged;
DROP TABLE pages;
