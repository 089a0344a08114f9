-- A warm query of a whole collection of 50 items, and the time of a get: the
-- median of rounds that alternate between both sides, in microseconds.
CREATE FUNCTION pg_temp.loop(times int, body text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	start timestamptz;
BEGIN
	start := clock_timestamp();
	EXECUTE format('DO $loop$ DECLARE p text; s text; n bigint; x jsonb; y ddb.item; d text; BEGIN
		FOR k IN 1..%s LOOP
			p := ''CUSTOMER#c'' || k * 7919 %% 4000; s := ''ORDER#2026-'' || lpad((k * 31 %% 50)::text, 4, ''0'');
			%s
		END LOOP; END $loop$', times, body);
	RETURN extract(epoch FROM clock_timestamp() - start) * 1000000 / times;
END $$;

CREATE FUNCTION pg_temp.compare(name text, times int, target text, ours text, plain text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	o numeric[]; p numeric[];
	mo numeric; mp numeric;
BEGIN
	FOR round IN 0..7 LOOP
		IF round = 0 THEN	-- warms both
			PERFORM pg_temp.loop(4000, ours), pg_temp.loop(4000, plain);
		ELSE
			o := o || pg_temp.loop(times, ours);
			p := p || pg_temp.loop(times, plain);
		END IF;
	END LOOP;
	SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY v) INTO mo FROM unnest(o) v;
	SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY v) INTO mp FROM unnest(p) v;
	RETURN format('%s|%s|%s|%s|%s', name, round(mo, 2), round(mp, 2),
		CASE WHEN target LIKE '>%' THEN round(mp / mo, 3) ELSE round(mo / mp, 3) END, target);
END $$;

SELECT pg_temp.compare('warm query of 50 items, us (times faster)', 2000, '>= 2.5',
	$$SELECT count(i) INTO n FROM ddb.query('ours', 'PK = :p', attr_values => jsonb_build_object(':p', p)) i;$$,
	$$SELECT count(doc) INTO n FROM (SELECT doc FROM plain WHERE pk = p ORDER BY sk OFFSET 0) i;$$);
SELECT pg_temp.compare('the same by ddb.collection', 2000, '',
	$$SELECT count(i) INTO n FROM ddb.collection('ours', p) i;$$,
	$$SELECT count(doc) INTO n FROM (SELECT doc FROM plain WHERE pk = p ORDER BY sk OFFSET 0) i;$$);
SELECT pg_temp.compare('the same by SELECT', 2000, '',
	$$SELECT count(item) INTO n FROM (SELECT item FROM ours WHERE pk = p ORDER BY sk OFFSET 0) i;$$,
	$$SELECT count(doc) INTO n FROM (SELECT doc FROM plain WHERE pk = p ORDER BY sk OFFSET 0) i;$$);
SELECT pg_temp.compare('get, us', 20000, '',
	$$y := ddb.get_item('ours', p, s);$$,
	$$SELECT doc INTO x FROM plain WHERE pk = p AND sk = s;$$);
