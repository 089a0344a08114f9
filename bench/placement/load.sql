-- Makes the arrivals that bench/placement/run loads: for each workload a table
-- of (seq, pk, sk) in the order in which the rows come.  Variable scale: 1 is
-- about a million rows in most of them.
SELECT setseed(0.5);
CREATE FUNCTION draw_size(c int, low int, high int) RETURNS int LANGUAGE sql IMMUTABLE
	RETURN low + abs(hashint4(c) % (high - low + 1));

-- u: 20,000 collections of 50 in random order
CREATE UNLOGGED TABLE arrival_u AS
SELECT row_number() OVER (ORDER BY random()) AS seq, 'U#' || c AS pk, md5(c || ':' || i) AS sk
FROM generate_series(1, (20000 * :scale)::int) c, generate_series(1, 50) i;

-- z: draws with weight 1 / (rank + 22): median 2, p90 8, p99 76, the largest 5,000
CREATE UNLOGGED TABLE arrival_z AS
SELECT i AS seq, 'Z#' || floor(22 * exp(random() * ln((190000 * :scale + 22) / 22.0))) AS pk, md5(i::text) AS sk
FROM generate_series(1, (1000000 * :scale)::int) i;

-- b: one collection of 100,000 among 2,000 of 50
CREATE UNLOGGED TABLE arrival_b AS
SELECT row_number() OVER (ORDER BY random()) AS seq, pk, sk
FROM (SELECT 'B#big' AS pk, md5(i::text) AS sk FROM generate_series(1, (100000 * :scale)::int) i
	UNION ALL
	SELECT 'B#' || c, md5(c || ':' || i) FROM generate_series(1, (2000 * :scale)::int) c, generate_series(1, 50) i) x;

-- v: sizes from 30 to 80 in random order
CREATE UNLOGGED TABLE arrival_v AS
SELECT row_number() OVER (ORDER BY random()) AS seq, 'V#' || c AS pk, md5(c || ':' || i) AS sk
FROM generate_series(1, (15000 * :scale)::int) c, generate_series(1, draw_size(c, 30, 80)) i;

-- m: nine collections of 3 to one of 100, in random order
CREATE UNLOGGED TABLE arrival_m AS
SELECT row_number() OVER (ORDER BY random()) AS seq, 'M#' || c AS pk, md5(c || ':' || i) AS sk
FROM generate_series(1, (60000 * :scale)::int) c, generate_series(1, CASE WHEN c % 10 = 0 THEN 100 ELSE 3 END) i;

-- t: 5,000 devices report in turn, 150 times, in order of time
CREATE UNLOGGED TABLE arrival_t AS
SELECT row_number() OVER (ORDER BY i, c) AS seq, 'T#' || c AS pk, to_char(i, 'FM000000') AS sk
FROM generate_series(1, (5000 * :scale)::int) c, generate_series(1, 150) i;

-- g: collections keep coming, and the younger ones grow the faster
CREATE UNLOGGED TABLE arrival_g AS
SELECT i AS seq, 'G#' || floor((i * 0.04 + 1) * (1 - random() ^ 2)) AS pk, md5(i::text) AS sk
FROM generate_series(1, (1000000 * :scale)::int) i;

-- A row of about 300 bytes.
CREATE FUNCTION make_item(sk text, version int) RETURNS ddb.item LANGUAGE sql IMMUTABLE
	RETURN format('{"d": {"S": "%s"}}', repeat('x', 170 + abs(hashtext(sk || version) % 90)))::ddb.item;

-- Heap pages of a table, and the mean number of them that a collection stands on.
CREATE FUNCTION pages(tbl regclass, OUT per_collection numeric, OUT total bigint) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT round(sum(n) / count(*), 2) FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS n FROM %s GROUP BY pk) x', tbl)
	INTO per_collection;
	total := pg_relation_size(tbl) / current_setting('block_size')::int;
END $$;
