-- Where rows go, and what ddb.compact() makes of it.  Bounds are wide: what is
-- tested is that collections stand together, not how well (bench/placement).
SET client_min_messages = warning;
-- Nobody else is to move rows here, and a worker left over by other tests would
-- hold back what VACUUM may remove.
SELECT current_database() AS db \gset
ALTER DATABASE :"db" SET ddb.compact_rate = 0;
SET ddb.compact_rate = 0;
DO $$ BEGIN PERFORM pg_terminate_backend(pid, 5000) FROM pg_stat_activity
	WHERE backend_type = 'ddb worker' AND datname = current_database(); END $$;

CREATE FUNCTION per_collection(tbl regclass) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE n numeric;
BEGIN
	EXECUTE format('SELECT avg(n) FROM (SELECT count(DISTINCT (ctid::text::point)[0]) AS n FROM %s GROUP BY pk) x', tbl) INTO n;
	RETURN n;
END $$;
CREATE FUNCTION pages(tbl regclass) RETURNS numeric LANGUAGE sql
	RETURN pg_relation_size(tbl)::numeric / current_setting('block_size')::int;
CREATE FUNCTION filler(i int) RETURNS ddb.item LANGUAGE sql
	RETURN jsonb_build_object('n', i, 'filler', repeat('x', 200 + i % 50))::ddb.item;

-- 200 collections of 50 rows, in an order that has nothing to do with them
CREATE TABLE arrival AS SELECT i, 'c' || i / 50 AS pk, lpad((i % 50)::text, 2, '0') AS sk
	FROM generate_series(0, 9999) i ORDER BY md5(i::text);
SELECT ddb.create_table('placed', 'PK', 'SK');
CREATE TABLE plain (LIKE placed) USING heap;
INSERT INTO plain SELECT pk, sk, filler(i) FROM arrival;
INSERT INTO placed SELECT pk, sk, filler(i) FROM arrival;
SELECT per_collection('plain') > 40 AS heap_scatters, per_collection('placed') < 7 AS placed,
	pages('placed') / pages('plain') < 1.4 AS space;

-- one put at a time, by ddb's own functions: as good
SELECT ddb.create_table('put', 'PK', 'SK');
SELECT count(ddb.put_item('put', jsonb_build_object('PK', pk, 'SK', sk, 'n', i, 'filler', repeat('x', 200 + i % 50)))) FROM arrival;
SELECT per_collection('put') < 7 AS placed, pages('put') / pages('plain') < 1.4 AS space;

-- Passes bring them together on few pages, and with VACUUM on little space; the
-- rows are the same.
CREATE PROCEDURE compact_all(tbl regclass) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. 60 LOOP
		EXIT WHEN (SELECT rows_moved FROM ddb.compact(tbl)) = 0;
		COMMIT;
	END LOOP;
END $$;
CALL compact_all('placed');
SELECT per_collection('placed') < 3.5 AS together, pages('placed') / pages('plain') < 1.5 AS space;
VACUUM placed;
CALL compact_all('placed');
VACUUM placed;
SELECT per_collection('placed') < 3.5 AS together, pages('placed') / pages('plain') < 1.4 AS space;
SELECT count(*) FROM placed;
SELECT count(*) FROM (TABLE placed EXCEPT ALL TABLE plain) x;
SET enable_seqscan = off;
SELECT count(*), sum((item->>'n')::int) FROM placed WHERE pk = 'c7' AND sk BETWEEN '10' AND '19';
RESET enable_seqscan;
SELECT count(*) FROM ddb.query('placed', 'PK = :pk', attr_values => '{":pk": "c123"}');

-- They stay together while rows come and go.
DELETE FROM placed WHERE abs(hashtext(pk || sk)) % 10 < 3;
UPDATE placed SET item = item || '{"more": "yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy"}' WHERE abs(hashtext(sk || pk)) % 10 < 3;
VACUUM placed;
INSERT INTO placed SELECT pk, sk, filler(i) FROM arrival ON CONFLICT (pk, sk) DO NOTHING;
SELECT count(*), per_collection('placed') < 4 AS together, pages('placed') / pages('plain') < 1.5 AS space FROM placed;

-- COPY in key order packs, also across the batches in which COPY comes.
\getenv dir PG_ABS_BUILDDIR
-- (a file of the client's: the server may be somebody else)
\set file :dir '/results/placement.data'
\set load_placed '\\copy placed FROM ''' :file ''''
\set load_put '\\copy put FROM ''' :file ''''
COPY (SELECT pk, sk, filler(i) FROM arrival ORDER BY pk, sk) TO STDOUT \g :file
TRUNCATE placed;
:load_placed
-- (From 16 on heap makes pages ahead of a COPY; those that got no row do not count.)
SELECT count(*), per_collection('placed') < 3.5 AS together,
	count(DISTINCT (ctid::text::point)[0]) / pages('plain') < 1.05 AS space FROM placed;
-- COPY in random order places
COPY (SELECT pk, sk, filler(i) FROM arrival) TO STDOUT \g :file
TRUNCATE put;
:load_put
SELECT count(*), per_collection('put') < 8 AS placed, pages('put') / pages('plain') < 1.3 AS space FROM put;

-- What was packed is not torn open by a few rows more.
CLUSTER placed USING placed_key;
INSERT INTO placed SELECT pk, sk || '+', filler(i) FROM arrival WHERE i % 17 = 0;
SELECT pages('placed') / pages('plain') < 1.15 AS space FROM placed LIMIT 1;

-- Pages that VACUUM cut off are not aimed at.
DELETE FROM placed;
VACUUM placed;
SELECT pages('placed');
INSERT INTO placed SELECT pk, sk, filler(i) FROM arrival WHERE i % 7 = 0;
BEGIN;
INSERT INTO placed SELECT pk, sk, filler(i) FROM arrival WHERE i % 7 = 1;
TRUNCATE placed;
INSERT INTO placed SELECT pk, sk, filler(i) FROM arrival WHERE i % 7 = 1;
COMMIT;
BEGIN;
TRUNCATE placed;
SAVEPOINT s;
INSERT INTO placed SELECT pk, sk, filler(i) FROM arrival WHERE i % 7 = 2;
TRUNCATE placed;
INSERT INTO placed SELECT pk, sk, filler(i) FROM arrival WHERE i % 7 = 2;
ROLLBACK TO s;
INSERT INTO placed SELECT pk, sk, filler(i) FROM arrival WHERE i % 7 = 3;
COMMIT;
SELECT count(*) FROM placed;

-- fillfactor keeps room
ALTER TABLE placed SET (fillfactor = 50);
TRUNCATE placed;
INSERT INTO placed SELECT pk, sk, filler(i) FROM arrival;
SELECT pages('placed') / pages('plain') BETWEEN 1.9 AND 2.8 AS half_full, per_collection('placed') < 10 AS placed FROM placed LIMIT 1;
ALTER TABLE placed RESET (fillfactor);

-- Rows of all sizes, some beside the page
TRUNCATE placed;
INSERT INTO placed SELECT 'big' || i % 5, i::text, jsonb_build_object('t', repeat(md5(i::text), i * i)) FROM generate_series(1, 40) i;
SELECT rows_moved >= 0 AS ran FROM ddb.compact('placed');
SELECT count(*), sum(length(item->>'t')) FROM placed;

-- A sort key, numbers, bytes, none; a user's index, unique or on an expression
SELECT ddb.create_table('numbers', 'N', 'M', partition_key_type => 'N', sort_key_type => 'N');
CREATE UNIQUE INDEX ON numbers ((item->>'n'));
CREATE INDEX ON numbers (sk) WHERE pk < 50;
INSERT INTO numbers SELECT i % 100, i, filler(i) FROM generate_series(1, 5000) i;
DELETE FROM numbers WHERE sk % 5 > 0;
VACUUM numbers;
SELECT rows_moved > 0 AS moved FROM ddb.compact('numbers');
CALL compact_all('numbers');
SET enable_seqscan = off;
SELECT count(*), sum(sk) FROM numbers WHERE pk = 35;
SELECT pk, sk FROM numbers WHERE item->>'n' = '4935';
SELECT count(*) FROM numbers WHERE pk < 50 AND sk > 4000;
RESET enable_seqscan;
CREATE TEMP TABLE fleeting (LIKE numbers INCLUDING ALL) USING ddb;
INSERT INTO fleeting SELECT * FROM numbers;
DELETE FROM fleeting WHERE sk % 15 > 0;
CALL compact_all('fleeting');
SELECT count(*), sum(sk) FROM fleeting;
SELECT ddb.create_table('simple', 'id', partition_key_type => 'B');
INSERT INTO simple SELECT decode(md5(i::text), 'hex'), filler(i) FROM generate_series(1, 3000) i;
DELETE FROM simple WHERE (item->>'n')::int % 5 > 0;
CALL compact_all('simple');
VACUUM simple;
SELECT count(*), sum((item->>'n')::int), pages('simple') < 90 AS shrunk FROM simple;

-- Nothing to do
SELECT ddb.create_table('empty', 'id');
SELECT * FROM ddb.compact('empty');

-- Who may, and on what
SELECT ddb.compact('plain');
SELECT ddb.compact('pg_class');
CREATE ROLE placement_stranger;
SET ROLE placement_stranger;
SELECT ddb.compact('placed');
RESET ROLE;
DROP ROLE placement_stranger;
BEGIN READ ONLY;
SELECT ddb.compact('placed');
ROLLBACK;
-- as slowly as VACUUM
SET vacuum_cost_delay = '0.1ms';
SELECT rows_moved >= 0 AS ran FROM ddb.compact('numbers');
RESET vacuum_cost_delay;

DROP TABLE placed, plain, put, arrival, numbers, fleeting, simple, empty;
DROP PROCEDURE compact_all;
DROP FUNCTION per_collection, pages, filler;
ALTER DATABASE :"db" RESET ddb.compact_rate;
