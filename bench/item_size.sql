-- Bytes of a typical item of 300 bytes, and what it costs to read one small
-- attribute of a large one.
CREATE TEMP TABLE sizes AS
	SELECT sum(pg_column_size(doc::ddb.item))::numeric AS item, sum(pg_column_size(doc))::numeric AS plain,
		sum(pg_column_size(doc::ddb.item::text::jsonb))::numeric AS typed, count(*) AS n
	FROM (SELECT doc FROM input LIMIT 2000) i;
SELECT 'bytes of an item against DynamoDB JSON in jsonb', round(item / n, 1), round(typed / n, 1), round(item / typed, 3), '<= 0.45' FROM sizes;
SELECT 'bytes of an item against plain JSON in jsonb', round(item / n, 1), round(plain / n, 1), round(item / plain, 3), '<= 0.70' FROM sizes;

-- 200 items each of 3 KB and of 300 KB that do not compress, and as jsonb.
CREATE TEMP TABLE large AS
	SELECT kb, n, jsonb_build_object('status', 'PAID', 'version', n, 'body', (SELECT string_agg(md5(n::text || i), '') FROM generate_series(1, kb * 32) i)) AS plain
	FROM unnest(ARRAY[3, 300]) kb, generate_series(1, 200) n;
CREATE TEMP TABLE large_items AS SELECT kb, n, plain::ddb.item AS item FROM large;
CREATE INDEX ON large (kb, n);
CREATE INDEX ON large_items (kb, n);
VACUUM ANALYZE large;
VACUUM ANALYZE large_items;

-- Buffers and the best of forty times in microseconds, per item.
CREATE FUNCTION pg_temp.cost(query text, OUT buffers numeric, OUT us numeric) LANGUAGE plpgsql AS $$
DECLARE
	plan json;
BEGIN
	FOR i IN 1 .. 40 LOOP
		EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, TIMING off, FORMAT json) ' || query INTO plan;
		buffers := (plan #>> '{0,Plan,Shared Hit Blocks}')::int + (plan #>> '{0,Plan,Shared Read Blocks}')::int
			+ (plan #>> '{0,Plan,Local Hit Blocks}')::int + (plan #>> '{0,Plan,Local Read Blocks}')::int;
		us := least(us, (plan #>> '{0,Execution Time}')::numeric * 1000);
	END LOOP;
	buffers := round(buffers / 200, 1);
	us := round(us / 200, 2);
END $$;
CREATE TEMP TABLE costs AS SELECT kb, i.*, p.buffers AS plain_buffers, p.us AS plain_us FROM unnest(ARRAY[3, 300]) kb,
	LATERAL pg_temp.cost(format('SELECT sum((item ->> ''version'')::int) FROM large_items WHERE kb = %s', kb)) i,
	LATERAL pg_temp.cost(format('SELECT sum((plain ->> ''version'')::int) FROM large WHERE kb = %s', kb)) p;
SELECT 'buffers for an attribute of 300 KB against 3 KB', l.buffers, s.buffers, round(l.buffers / s.buffers, 2), '<= 1.10' FROM costs l, costs s WHERE l.kb = 300 AND s.kb = 3;
SELECT 'microseconds for an attribute of 300 KB against 3 KB', l.us, s.us, round(l.us / s.us, 2), '<= 1.25' FROM costs l, costs s WHERE l.kb = 300 AND s.kb = 3;
SELECT 'buffers for an attribute of 300 KB against jsonb', buffers, plain_buffers, round(buffers / plain_buffers, 3), '' FROM costs WHERE kb = 300;
SELECT 'microseconds for an attribute of 300 KB against jsonb', us, plain_us, round(us / plain_us, 3), '' FROM costs WHERE kb = 300;
