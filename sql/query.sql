-- ddb.query: one collection by key condition.
SELECT ddb.create_table('q', 'PK', 'SK');
SELECT ddb.create_table('q_num', 'PK', 'SK', sort_key_type => 'N');
SELECT ddb.create_table('q_simple', 'id');
SELECT count(ddb.put_item('q', jsonb_build_object('PK', 'c' || c, 'SK', 'ORDER#' || lpad(i::text, 2, '0'), 'i', i, 'even', i % 2 = 0)))
	FROM generate_series(1, 3) c, generate_series(1, 9) i;
SELECT count(ddb.put_item('q', jsonb_build_object('PK', 'c' || c, 'SK', 'PROFILE', 'name', 'name ' || c))) FROM generate_series(1, 3) c;
CREATE FUNCTION q_sk(item ddb.item) RETURNS text LANGUAGE sql RETURN item ->> 'SK';

-- Every operator on the sort key, forwards and backwards.
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}') i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', scan_forward => false) i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p AND SK = :s', attr_values => '{":p": "c1", ":s": "ORDER#03"}') i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p AND SK < :s', attr_values => '{":p": "c1", ":s": "ORDER#03"}') i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p AND SK <= :s', attr_values => '{":p": "c1", ":s": "ORDER#03"}') i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p AND SK > :s', attr_values => '{":p": "c1", ":s": "ORDER#07"}') i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p AND SK >= :s', attr_values => '{":p": "c1", ":s": "ORDER#07"}', scan_forward => false) i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p AND SK BETWEEN :a AND :b', attr_values => '{":p": "c1", ":a": "ORDER#02", ":b": "ORDER#04"}') i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p AND begins_with(SK, :s)', attr_values => '{":p": "c1", ":s": "ORDER#"}', max_items => 2, scan_forward => false) i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p AND begins_with(SK, :s)', attr_values => '{":p": "c1", ":s": "P"}') i;
SELECT count(*) FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "nobody"}');
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', ':s <= #s AND :p = #p', attr_names => '{"#p": "PK", "#s": "SK"}', attr_values => '{":p": "c1", ":s": "ORDER#09"}') i;

-- The whole item, or a projection of it.
SELECT i FROM ddb.query('q', 'PK = :p AND SK = :s', attr_values => '{":p": "c1", ":s": "ORDER#03"}') i;
SELECT i FROM ddb.query('q', 'PK = :p AND SK < :s', attr_values => '{":p": "c1", ":s": "ORDER#03"}', projection => 'i, nothing') i;
SELECT i FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', projection => 'nothing', max_items => 2) i;

-- Filters come after reading; max_items counts what is returned.
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p', filter => 'even = :t', attr_values => '{":p": "c1", ":t": true}') i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p', filter => 'even = :t', attr_values => '{":p": "c1", ":t": true}', max_items => 3) i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p', filter => 'i > :five', attr_values => '{":p": "c1", ":five": 5}', max_items => 2, scan_forward => false) i;
SELECT count(*) FROM ddb.query('q', 'PK = :p', filter => 'SK = :s', attr_values => '{":p": "c1", ":s": "PROFILE"}');
SELECT count(*) FROM ddb.query('q', 'PK = :p', filter => 'i = :x OR PK = :p', attr_values => '{":p": "c1", ":x": 1}');

-- Paging with a whole last item, an item that is no longer there, and keys alone.
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', max_items => 3,
	start_key => ddb.get_item('q', 'c1', 'ORDER#03')) i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', max_items => 3, scan_forward => false,
	start_key => '{"PK": "c1", "SK": "ORDER#03"}') i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', max_items => 2,
	start_key => '{"PK": "c1", "SK": "ORDER#035", "more": 1}') i;
SELECT count(*) FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', start_key => '{"PK": "c1", "SK": "PROFILE"}');
SELECT * FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', start_key => '{"PK": "c1"}');
SELECT * FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', start_key => '{"PK": "c1", "SK": 1}');
SELECT * FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', start_key => '{"PK": "c2", "SK": "ORDER#03"}');
SELECT * FROM ddb.query('q', 'PK = :p AND SK > :s', attr_values => '{":p": "c1", ":s": "ORDER#05"}', start_key => '{"PK": "c1", "SK": "ORDER#03"}');
SELECT * FROM ddb.query('q', 'PK = :p AND begins_with(SK, :s)', attr_values => '{":p": "c1", ":s": "ORDER#"}', start_key => '{"PK": "c1", "SK": "PROFILE"}');

-- What a key condition cannot be.
SELECT * FROM ddb.query('q', 'SK = :s', attr_values => '{":s": "x"}');
SELECT * FROM ddb.query('q', 'PK > :s', attr_values => '{":s": "x"}');
SELECT * FROM ddb.query('q', 'PK = :s', attr_values => '{":s": 1}');
SELECT * FROM ddb.query('q', 'PK = :s AND SK = :s AND SK = :s', attr_values => '{":s": "x"}');
SELECT * FROM ddb.query('q', 'PK = :s OR SK = :s', attr_values => '{":s": "x"}');
SELECT * FROM ddb.query('q', 'PK = :s AND i = :s', attr_values => '{":s": "x"}');
SELECT * FROM ddb.query('q', 'PK = :s AND SK <> :s', attr_values => '{":s": "x"}');
SELECT * FROM ddb.query('q', NULL);
SELECT * FROM ddb.query('q', '');
SELECT * FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', max_items => 0);
SELECT * FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', index_name => 'by_status');

-- A numeric sort key is in numeric order; a simple key has one item.
SELECT count(ddb.put_item('q_num', jsonb_build_object('PK', 'a', 'SK', n))) FROM unnest('{-10,-9.5,0,1e3,2,1000.5,10,0.001}'::numeric[]) n;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q_num', 'PK = :p', attr_values => '{":p": "a"}') i;
SELECT string_agg(q_sk(i), ' ') FROM ddb.query('q_num', 'PK = :p AND SK BETWEEN :a AND :b', attr_values => '{":p": "a", ":a": -9.50, ":b": 1e1}', scan_forward => false) i;
SELECT ddb.put_item('q_simple', '{"id": "x", "v": 1}');
SELECT * FROM ddb.query('q_simple', 'id = :p', attr_values => '{":p": "x"}');
SELECT * FROM ddb.query('q_simple', 'id = :p AND v = :p', attr_values => '{":p": "x"}');

-- A target list and a cursor stream: neither reads what it is not asked for.
SELECT q_sk(ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}')) LIMIT 2;
BEGIN;
DECLARE walk CURSOR FOR SELECT q_sk(ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}'));
FETCH 2 FROM walk;
SELECT ddb.delete_item('q', 'c1', 'ORDER#03', return_values => 'NONE');
FETCH 2 FROM walk;
CLOSE walk;
ROLLBACK;

-- Two readers of one table in one statement, and one for each row of another.
SELECT q_sk(a), count(*) FROM ddb.query('q', 'PK = :p', attr_values => '{":p": "c1"}', max_items => 2) a,
	ddb.query('q', 'PK = :p', attr_values => '{":p": "c2"}') b GROUP BY 1 ORDER BY 1;
SELECT c, q_sk(i) FROM unnest('{c1,c2,nobody}'::text[]) c
	LEFT JOIN LATERAL ddb.query('q', 'PK = :p AND begins_with(SK, :o)', attr_values => jsonb_build_object(':p', c, ':o', 'ORDER#'),
		scan_forward => false, max_items => 1) i ON true ORDER BY c;

-- The planner expects what max_items and the statistics say.
ANALYZE q;
CREATE FUNCTION q_rows(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan -> 0 -> 'Plan' ->> 'Plan Rows';
END $$;
SELECT q_rows($$SELECT * FROM ddb.query('q', 'PK = :p', max_items => 7)$$) AS max_items,
	q_rows($$SELECT * FROM ddb.query('q', 'PK = :p')$$) AS collection,
	q_rows($$SELECT * FROM ddb.collection('q', 'a')$$) AS collection,
	q_rows($$SELECT * FROM ddb.scan('q')$$) AS table;

DROP FUNCTION q_rows;
DROP FUNCTION q_sk;
DROP TABLE q, q_num, q_simple;
