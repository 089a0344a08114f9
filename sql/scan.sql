-- ddb.scan: everything, in segments that cover it exactly once.
SELECT ddb.create_table('s', 'PK', 'SK');
SELECT count(ddb.put_item('s', jsonb_build_object('PK', 'p' || p, 'SK', 's' || i, 'n', p * 10 + i)))
	FROM generate_series(1, 100) p, generate_series(1, 5) i;

SELECT count(*), count(DISTINCT i ->> 'n'), sum((i ->> 'n')::int) FROM ddb.scan('s') i;
-- Sum of p * 10 + i: 5 * 10 * 5050 + 100 * 15.
SELECT count(*) FROM ddb.scan('s', filter => 'n < :n', attr_values => '{":n": 30}');
SELECT count(*) FROM ddb.scan('s', filter => 'SK = :s AND begins_with(PK, :p)', attr_values => '{":s": "s1", ":p": "p9"}');
SELECT count(*) FROM ddb.scan('s', max_items => 7);
SELECT count(*), max(i ->> 'n') IS NULL AS only_keys FROM ddb.scan('s', projection => 'PK', max_items => 3) i;

-- Segments.
SELECT count(*), count(DISTINCT i ->> 'n') FROM generate_series(0, 6) g, ddb.scan('s', segment => g, total_segments => 7) i;
SELECT count(*) FROM ddb.scan('s', segment => 0, total_segments => 1);
SELECT count(*) FROM generate_series(0, 999) g, ddb.scan('s', segment => g, total_segments => 1000) i;
-- A collection lies within one segment.
SELECT max(segments) FROM (SELECT count(DISTINCT g) AS segments
	FROM generate_series(0, 6) g, ddb.scan('s', segment => g, total_segments => 7) i GROUP BY i ->> 'PK') c;
SELECT * FROM ddb.scan('s', segment => 1);
SELECT * FROM ddb.scan('s', total_segments => 2);
SELECT * FROM ddb.scan('s', segment => 2, total_segments => 2);
SELECT * FROM ddb.scan('s', segment => -1, total_segments => 2);
SELECT * FROM ddb.scan('s', segment => 0, total_segments => 1000001);

-- Paging meets every item once, whatever the page.
CREATE FUNCTION s_pages(page int, segment int, total int) RETURNS TABLE (pages bigint, items bigint, keys bigint) LANGUAGE plpgsql AS $$
DECLARE
	start ddb.item;
	got ddb.item[];
BEGIN
	CREATE TEMP TABLE s_seen (key text);
	pages := 0;
	LOOP
		SELECT array_agg(i) INTO got FROM ddb.scan('s', segment => segment, total_segments => total, max_items => page, start_key => start) i;
		EXIT WHEN got IS NULL;
		pages := pages + 1;
		INSERT INTO s_seen SELECT (i ->> 'PK') || '/' || (i ->> 'SK') FROM unnest(got) i;
		start := got[array_length(got, 1)];
	END LOOP;
	SELECT count(*), count(DISTINCT key) INTO items, keys FROM s_seen;
	DROP TABLE s_seen;
	RETURN NEXT;
END $$;
SELECT * FROM s_pages(1, NULL, NULL);
SELECT * FROM s_pages(37, NULL, NULL);
SELECT sum(items), sum(keys) FROM generate_series(0, 2) g, s_pages(10, g, 3);
SELECT * FROM ddb.scan('s', start_key => '{"PK": "p1"}');
SELECT * FROM ddb.scan('s', start_key => '{"PK": "p1", "SK": 1}');
-- A start in another segment.
SELECT count(*) FROM (SELECT i FROM ddb.scan('s', segment => 0, total_segments => 2, max_items => 1) i) f,
	ddb.scan('s', segment => 1, total_segments => 2, start_key => f.i);
SELECT * FROM ddb.scan('s', index_name => 'by_n');

DROP FUNCTION s_pages;
DROP TABLE s;
