-- Time to print items as DynamoDB JSON, against jsonb that holds the same
-- JSON, and to read it again.  Rounds alternate; the medians are compared.
CREATE TEMP TABLE docs AS
	SELECT doc::ddb.item AS item, doc::ddb.item::text::jsonb AS typed, doc::ddb.item::text AS text FROM input LIMIT 2000;
VACUUM ANALYZE docs;
CREATE FUNCTION pg_temp.ratio(ours text, theirs text, OUT ours_us numeric, OUT theirs_us numeric) LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
	ours_times numeric[];
	theirs_times numeric[];
BEGIN
	FOR i IN 1 .. 31 LOOP
		start := clock_timestamp();
		EXECUTE format('SELECT count(%s) FROM docs', ours);
		ours_times[i] := extract(epoch FROM clock_timestamp() - start) * 1e6 / 2000;
		start := clock_timestamp();
		EXECUTE format('SELECT count(%s) FROM docs', theirs);
		theirs_times[i] := extract(epoch FROM clock_timestamp() - start) * 1e6 / 2000;
	END LOOP;
	SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t)::numeric, 2) INTO ours_us FROM unnest(ours_times) t;
	SELECT round(percentile_cont(0.5) WITHIN GROUP (ORDER BY t)::numeric, 2) INTO theirs_us FROM unnest(theirs_times) t;
END $$;
SELECT 'microseconds to print DynamoDB JSON', ours_us, theirs_us, round(ours_us / theirs_us, 3), '<= 0.35'
	FROM pg_temp.ratio('item::text', 'typed::text');
SELECT 'microseconds to read DynamoDB JSON', ours_us, theirs_us, round(ours_us / theirs_us, 3), ''
	FROM pg_temp.ratio('text::ddb.item', 'text::jsonb');
SELECT 'microseconds to turn an item into plain JSON', ours_us, theirs_us, round(ours_us / theirs_us, 3), ''
	FROM pg_temp.ratio('item::json', 'typed::json');
