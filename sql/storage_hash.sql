-- The operator classes: hash order, equality of the type, parameters.

-- XXH64 with seed 0: the published test vectors, and lengths around each of
-- the algorithm's steps (4, 8 and 32 bytes).  These numbers are on disk.
SELECT v, to_hex(ddb.key_hash(v)) FROM (VALUES (''), ('a'), ('abc'), ('abcd'), ('abcdefgh'),
	('Nobody inspects the spammish repetition')) t (v);
SELECT to_hex(ddb.key_hash('abc'::bytea)) = to_hex(ddb.key_hash('abc'::text)) AS same_bytes_same_hash;
SELECT n, to_hex(ddb.key_hash(repeat('x', n))) FROM (VALUES (3), (4), (7), (31), (32), (33), (100)) t (n);

-- Numbers by value, whatever their scale.
SELECT v, ddb.key_hash(v) = ddb.key_hash(trim_scale(v)) AS by_value FROM unnest('{0,1.00,-1.50,1e20,0.00001000,NaN,Infinity,-Infinity}'::numeric[]) v;
SELECT count(DISTINCT ddb.key_hash(v)) FROM unnest('{0,1,-1,10000,100000000,0.1,0.0001,12345678901234567890,-12345678901234567890,NaN,Infinity,-Infinity}'::numeric[]) v;
SELECT to_hex(ddb.key_hash(1::numeric)), to_hex(ddb.key_hash(-1::numeric)), to_hex(ddb.key_hash(12345.6789)),
	to_hex(ddb.key_hash(1e125::numeric));
-- One stored form is short, the other long (weight beyond 63).
SELECT ddb.key_hash(1e300) = ddb.key_hash(1e300 + 0.00) AS long_form;

-- The order is that of the hash, then of the value; equality is the type's.
SELECT v FROM unnest(ARRAY['a', 'b', 'c', 'd']) v ORDER BY v USING #<#;
SELECT v FROM unnest(ARRAY['a', 'b', 'c', 'd']) v ORDER BY ddb.key_hash(v);
SELECT 'a'::text #<# 'a'::text AS lt, 'a'::text #<=# 'a'::text AS le, 'a'::text #>=# 'a'::text AS ge, 'a'::text #># 'a'::text AS gt;
SELECT bool_and((a #<# b) = (ddb.key_hash(a) < ddb.key_hash(b)) AND (a #># b) = (ddb.key_hash(a) > ddb.key_hash(b))
	AND (a #<=# b) = (ddb.key_hash(a) <= ddb.key_hash(b)) AND (a #>=# b) = (ddb.key_hash(a) >= ddb.key_hash(b))) AS consistent
FROM generate_series(1, 40) i, generate_series(1, 40) j, LATERAL (SELECT 'k' || i AS a, 'k' || j AS b) k;
SELECT bool_and((a #<# b) = (ddb.key_hash(a) < ddb.key_hash(b))) AS consistent
FROM generate_series(-20, 20) i, generate_series(-20, 20) j, LATERAL (SELECT i / 4.0 AS a, j / 4.0 AS b) k;
SELECT 1.0 #<=# 1.00 AND 1.0 #>=# 1.00 AND NOT 1.0 #<# 1.00 AS equal_by_value;

-- PostgreSQL finds the classes well made.
SELECT opcname, amvalidate(oid) FROM pg_opclass WHERE opcname LIKE '%hash_ops' AND opcnamespace = 'ddb'::regnamespace ORDER BY 1;
SELECT oprname, oprleft::regtype, oprcom::regoperator, oprnegate::regoperator FROM pg_operator
WHERE oprname ~ '^#[<>]=?#$' ORDER BY oprleft::regtype::text, oprname;

-- An index of each class: built by sorting, grown by insertion, found by the planner.
CREATE TABLE h (t text COLLATE "C", n numeric, b bytea);
CREATE INDEX h_t ON h (t ddb.text_hash_ops);
INSERT INTO h SELECT 'key ' || i, i / 8.0, decode(md5(i::text), 'hex') FROM generate_series(1, 3000) i;
CREATE INDEX h_n ON h (n ddb.numeric_hash_ops);
CREATE INDEX h_b ON h (b ddb.bytea_hash_ops);
ANALYZE h;
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT * FROM h WHERE t = 'key 17';
SELECT t, n FROM h WHERE t = 'key 17';
SELECT t, n FROM h WHERE n = 2.1250;
SELECT t, n FROM h WHERE b = decode(md5('17'), 'hex');
SELECT count(*) FROM h WHERE t = ANY (SELECT 'key ' || i FROM generate_series(1, 6000, 2) i);
EXPLAIN (COSTS OFF) SELECT t FROM h ORDER BY t USING #<# LIMIT 3;
SELECT count(*), bool_and(ordered) FROM (SELECT t #>=# lag(t) OVER () IS NOT FALSE AS ordered FROM (SELECT t FROM h ORDER BY t USING #<#) x) y;
SELECT (SELECT count(*) FROM h WHERE n #># 700 AND n #<# 5) - (SELECT count(*) FROM h WHERE ddb.key_hash(n) > ddb.key_hash(700::numeric)
	AND ddb.key_hash(n) < ddb.key_hash(5::numeric)) AS differ, ddb.key_hash(5::numeric) > ddb.key_hash(700::numeric) AS this_way_round;
-- A merge join over the hash order.
SET enable_hashjoin = off; SET enable_nestloop = off;
SELECT count(*) FROM h a JOIN h b USING (n);
RESET enable_hashjoin; RESET enable_nestloop; RESET enable_seqscan;

-- Long keys, compressed in the index, and the longest.
INSERT INTO h (t) SELECT repeat(chr(97 + i), 1500 + i) FROM generate_series(0, 20) i;
SELECT length(t) FROM h WHERE t = repeat('d', 1503);
SELECT count(*), bool_and(ordered) FROM (SELECT t #>=# lag(t) OVER () IS NOT FALSE AS ordered FROM (SELECT t FROM h ORDER BY t USING #<#) x) y;

-- Numerics that are no DynamoDB numbers are ordered too.
INSERT INTO h (n) VALUES ('NaN'), ('Infinity'), ('-Infinity'), (1e-300), (1e300), (-1e300);
SELECT n FROM h WHERE n = 'NaN';
SELECT n = 1e300 FROM h WHERE n = 1e300;

-- "=" of a nondeterministic collation does not fit the hash.  (Without ICU
-- there is no such collation.)
DO $$
BEGIN
	IF EXISTS (SELECT FROM pg_collation WHERE collprovider = 'i') THEN
		CREATE COLLATION h_loose (provider = icu, locale = 'und', deterministic = false);
		BEGIN
			CREATE INDEX ON h (t COLLATE h_loose ddb.text_hash_ops);
			RAISE EXCEPTION 'an index with a nondeterministic collation was made';
		EXCEPTION WHEN feature_not_supported THEN NULL;
		END;
		DROP COLLATION h_loose;
	END IF;
END $$;

-- The parameters.
CREATE INDEX h_p ON h (t ddb.text_hash_ops (partition_key = 'PK', sort_key = 'a "quoted'' name'));
SELECT pg_get_indexdef('h_p'::regclass);
CREATE INDEX ON h (t ddb.text_hash_ops (partition_key = ''));
DO $$ BEGIN EXECUTE format('CREATE INDEX h_q ON h (t ddb.text_hash_ops (partition_key = %L))', repeat('k', 255)); END $$;
\set VERBOSITY terse
DO $$ BEGIN EXECUTE format('CREATE INDEX ON h (t ddb.text_hash_ops (partition_key = %L))', repeat('k', 256)); END $$;
\set VERBOSITY default
CREATE INDEX ON h (t ddb.text_hash_ops (colour = 'red'));
DROP TABLE h;
