-- Where expressions end: sizes, counts and depths, each at its last good value
-- and one beyond.  Nothing here may cost the stack or the server.
\pset format unaligned
\pset tuples_only on

CREATE FUNCTION e(kind text, expression text, vals ddb.doc DEFAULT NULL, names ddb.doc DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN left(CASE kind
		WHEN 'c' THEN ddb.matches('{}', expression, names, vals)::text
		WHEN 'u' THEN ddb.apply('{}', expression, names, vals)::text
		ELSE ddb.project('{}', expression, names)::text END, 40);
EXCEPTION WHEN OTHERS THEN
	RETURN CASE SQLSTATE WHEN 'YD001' THEN '' ELSE SQLSTATE || ' ' END || left(SQLERRM, 150);
END $$;

-- 4,096 bytes, blanks and all; the size comes before everything else
SELECT n, e('p', repeat('x', n)) FROM (VALUES (4096), (4097)) t(n);
SELECT n, e('u', 'SET' || repeat(' ', n - 11) || 'a = :val', '{":val": 1}') FROM (VALUES (4096), (4097)) t(n);
SELECT n, e('c', 'a' || repeat(' ', n - 5) || '= :v', '{":v": 1}') FROM (VALUES (4096), (4097)) t(n);
SELECT e('c', repeat('(', 15000)), e('c', 'a<b ' || repeat('and (a<b ', 20000) || repeat(')', 20000)), e('p', 'a = ' || repeat('é', 2047));

-- 300 operators: comparisons, AND, OR, NOT, BETWEEN, IN, +, -; not function calls, not parentheses
SELECT n, e('c', 'a<b ' || repeat('or (a<b ', n) || repeat(')', n)) FROM (VALUES (149), (150), (454)) t(n);
SELECT n, e('c', repeat('not ', n) || 'a<b') FROM (VALUES (299), (300), (1000)) t(n);
SELECT n, e('c', 'a<b' || repeat(' and a<b', n)) FROM (VALUES (149), (150), (500)) t(n);
SELECT n, e('c', 'size(a)<b' || repeat(' and attribute_exists(a)', n)) FROM (VALUES (165), (169)) t(n);
SELECT e('c', 'attribute_exists(a) AND attribute_exists(b)' || repeat(' OR size(a) = size(b)', 150)), e('c', 'attribute_exists(a) AND attribute_exists(b)' || repeat(' OR size(a) = size(b)', 149));
SELECT n, e('u', 'SET ' || (SELECT string_agg('a' || i || '=:v+:v', ',') FROM generate_series(1, n) i), '{":v": 1}') FROM (VALUES (300), (301)) t(n);

-- IN takes 100 operands, the first included
SELECT n, e('c', 'a IN (' || (SELECT string_agg(':v' || i, ',') FROM generate_series(1, n) i) || ')', (SELECT jsonb_object_agg(':v' || i, i) FROM generate_series(1, n) i)) FROM (VALUES (99), (100)) t(n);

-- paths of 32 steps, list indexes of 31 bits, references of 255 bytes, names of 65,535
SELECT n, e('p', 'a' || repeat('.b', n - 1)), e('c', 'a' || repeat('[0]', n - 1) || ' = b'), e('u', 'REMOVE a' || repeat('.b', n - 1)) FROM (VALUES (32), (33), (2000)) t(n);
SELECT e('p', 'a[2147483647]'), e('p', 'a[2147483648]'), e('p', 'a[00000000000000000000000000000000000001]'), e('p', 'a[99999999999999999999999999999999999999]');
SELECT n, e('c', '#' || repeat('n', n - 1) || ' <> :v', '{":v": 1}', jsonb_build_object('#' || repeat('n', n - 1), 'x')), e('c', 'a <> :' || repeat('v', n - 1), jsonb_build_object(':' || repeat('v', n - 1), 1)) FROM (VALUES (255), (256)) t(n);
SELECT n, e('p', '#n', NULL, jsonb_build_object('#n', repeat('x', n))) FROM (VALUES (65535), (65536)) t(n);

-- bombs
SELECT e('c', repeat('(', 4096)), e('c', repeat('(', 2046) || 'a<b' || repeat(')', 2046)), e('c', repeat('(', 300) || 'a<b' || repeat(')', 300)), e('u', 'SET a = ' || repeat('(', 2000) || 'b');
SELECT e('c', repeat('f(', 2000)), e('c', 'a < ' || repeat('f(', 1355) || 'b' || repeat(')', 1355)), e('c', 'a < ' || repeat('f(', 100) || 'b' || repeat(')', 100));
SELECT e('c', 'a < ' || repeat('size(', 680) || 'b' || repeat(')', 680)), e('c', 'a < ' || repeat('size(', 100) || 'b' || repeat(')', 100));
SELECT e('u', 'SET a = ' || repeat('if_not_exists(a,', 226) || ':v' || repeat(')', 226), '{":v": 1}'), e('u', 'SET a = ' || repeat('list_append(a,', 250) || ':v' || repeat(')', 250), '{":v": []}');
SELECT e('c', repeat('not ', 1023)), e('c', repeat('a.', 2048)), e('p', repeat('a.', 2047) || 'a'), e('c', repeat('a[', 2048)), e('c', repeat('NOT(', 1000)), e('c', repeat('a<', 2000) || 'a');
SELECT e('c', repeat('a=:v AND(', 400) || 'a=:v'), e('c', repeat('(a).', 1000) || 'b = a');
-- as many paths as fit: all different, all the same
SELECT e('p', (SELECT string_agg('a' || i, ',') FROM generate_series(1, 680) i)), e('u', 'REMOVE ' || (SELECT string_agg('a' || i, ',') FROM generate_series(1, 680) i)), e('u', 'REMOVE a' || repeat(',a', 2000));
-- ten thousand names that nobody uses
SELECT e('c', 'a = b', NULL, (SELECT jsonb_object_agg('#n' || i, 'x') FROM generate_series(1, 10000) i));
-- more texts than the cache keeps
SELECT count(*) FROM generate_series(1, 3000) i WHERE ddb.matches('{"n": {"N": "7"}}', 'n = :v OR m = :v OR k' || i || ' = :v', attr_values => '{":v": 7}');
SELECT count(*) FROM generate_series(1, 900) i WHERE ddb.matches('{"n": {"N": "7"}}', rpad('n = :v OR k' || i || ' = :v', 4000), attr_values => '{":v": 7}');
SELECT count(*) FROM generate_series(1, 60) i WHERE ddb.project('{"n": {"N": "7"}}', 'n' || (SELECT string_agg(',a' || j, '') FROM generate_series(1, 650) j) || ',b' || i) = '{"n": {"N": "7"}}';
-- an error in between, and a transaction that ends
BEGIN;
SELECT ddb.matches('{"n": {"N": "7"}}', 'n = :v', attr_values => '{":v": 7}');
SELECT ddb.matches('{"n": {"N": "7"}}', 'n = = :v', attr_values => '{":v": 7}');
ROLLBACK;
SELECT ddb.matches('{"n": {"N": "7"}}', 'n = :v', attr_values => '{":v": 7}');

DROP FUNCTION e;
