-- The tables that tools/bench measures: U, 4,000 collections of 50 items of
-- about 300 bytes, arriving in random order.  "ours" is a ddb table, "plain"
-- what a good engineer would make without it.
SET client_min_messages = warning;
CREATE FUNCTION draw(n bigint, salt int, choices int) RETURNS int LANGUAGE sql IMMUTABLE
	RETURN ((hashint8extended(n, salt) & 9223372036854775807) % choices)::int;

-- A typical item: an order as a shop keeps it.
CREATE FUNCTION document(n bigint) RETURNS jsonb LANGUAGE sql IMMUTABLE RETURN jsonb_build_object(
	'status', (ARRAY['PAID','SHIPPED','DELIVERED'])[1 + draw(n, 4, 3)], 'version', 1,
	'total', ((500 + draw(n, 5, 19500)) / 100.0)::numeric(10,2), 'currency', 'EUR',
	'created', to_char(timestamp '2026-01-01' + draw(n, 6, 20000000) * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
	'customer', 'c' || draw(n, 7, 100000), 'email', 'c' || draw(n, 7, 100000) || '@example.com', 'paid', draw(n, 8, 2) = 1,
	'address', jsonb_build_object('street', md5(n::text), 'city', 'Berlin', 'zip', lpad(draw(n, 9, 99999)::text, 5, '0')));

CREATE TABLE input AS
	SELECT 'CUSTOMER#c' || c AS pk, 'ORDER#2026-' || lpad(s::text, 4, '0') AS sk, document(c * 50 + s) AS doc
	FROM generate_series(0, 3999) c, generate_series(0, 49) s ORDER BY draw(c * 50 + s, 1, 1000000000);

SELECT ddb.create_table('ours', partition_key => 'PK', sort_key => 'SK');
CREATE TABLE plain (pk text COLLATE "C" NOT NULL, sk text COLLATE "C" NOT NULL, doc jsonb NOT NULL);
CREATE UNIQUE INDEX ON plain (pk, sk);
INSERT INTO ours SELECT pk, sk, doc FROM input;
INSERT INTO plain SELECT pk, sk, doc FROM input;
VACUUM (ANALYZE, FREEZE) ours, plain;

-- The same with room on every page, for overwriting in place.
SELECT ddb.create_table('ours_room', partition_key => 'PK', sort_key => 'SK');
ALTER TABLE ours_room SET (fillfactor = 50);
CREATE TABLE plain_room (LIKE plain) WITH (fillfactor = 50);
CREATE UNIQUE INDEX ON plain_room (pk, sk);
INSERT INTO ours_room SELECT pk, sk, doc FROM input ORDER BY pk, sk LIMIT 20000;
INSERT INTO plain_room SELECT pk, sk, doc FROM input ORDER BY pk, sk LIMIT 20000;
VACUUM (ANALYZE, FREEZE) ours_room, plain_room;

-- And loaded in key order by COPY.
SELECT ddb.create_table('ours_sorted', partition_key => 'PK', sort_key => 'SK');
CREATE TABLE plain_sorted (LIKE plain);
CREATE UNIQUE INDEX ON plain_sorted (pk, sk);

-- The times of both sides, in microseconds: the median of rounds that alternate
-- between them.
CREATE FUNCTION loop(times int, body text) RETURNS numeric LANGUAGE plpgsql AS $$
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

CREATE FUNCTION compare(name text, times int, target text, ours text, plain text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	o numeric[]; p numeric[];
	mo numeric; mp numeric;
BEGIN
	FOR round IN 0..7 LOOP
		IF round = 0 THEN	-- warms both
			PERFORM loop(4000, ours), loop(4000, plain);
		ELSE
			o := o || loop(times, ours);
			p := p || loop(times, plain);
		END IF;
	END LOOP;
	SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY v) INTO mo FROM unnest(o) v;
	SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY v) INTO mp FROM unnest(p) v;
	RETURN format('%s|%s|%s|%s|%s', name, round(mo, 2), round(mp, 2),
		CASE WHEN target LIKE '>%' THEN round(mp / mo, 3) ELSE round(mo / mp, 3) END, target);
END $$;
