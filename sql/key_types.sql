-- ddb.key: whatever people have in hand, read by the table's key type.
SELECT ddb.create_table('k_s', 'PK');
SELECT ddb.create_table('k_n', 'PK', partition_key_type => 'N');
SELECT ddb.create_table('k_b', 'PK', partition_key_type => 'B');
SELECT ddb.put_item('k_s', '{"PK": "42"}'), ddb.put_item('k_s', '{"PK": "5c0b6d4e-7d0f-4f57-9f0e-3b1a7c2d9e11"}'),
	ddb.put_item('k_n', '{"PK": 42}'), ddb.put_item('k_n', '{"PK": -1.50}'),
	ddb.put_item('k_b', '{"PK": {"B": "Af8="}}'::ddb.item), ddb.put_item('k_b', '{"PK": {"B": "NDI="}}'::ddb.item);

-- Text: a literal, text, varchar, a uuid.
SELECT ddb.get_item('k_s', '42')::jsonb, ddb.get_item('k_s', '42'::text)::jsonb, ddb.get_item('k_s', '42'::varchar(10))::jsonb;
SELECT ddb.get_item('k_s', '5c0b6d4e-7d0f-4f57-9f0e-3b1a7c2d9e11'::uuid)::jsonb;
SELECT ddb.get_item('k_s', 42);
SELECT ddb.get_item('k_s', '\x3432'::bytea);

-- Numbers: any spelling of them.
SELECT ddb.get_item('k_n', 42)::jsonb, ddb.get_item('k_n', 42::smallint)::jsonb, ddb.get_item('k_n', 42::bigint)::jsonb,
	ddb.get_item('k_n', 42.0)::jsonb, ddb.get_item('k_n', '42')::jsonb, ddb.get_item('k_n', '4.2e1'::text)::jsonb;
SELECT ddb.get_item('k_n', '-1.5')::jsonb, ddb.get_item('k_n', -1.500)::jsonb;
SELECT ddb.get_item('k_n', 9223372036854775807) IS NULL AS largest, ddb.get_item('k_n', (-9223372036854775808)::bigint) IS NULL AS smallest;
SELECT ddb.get_item('k_n', 'forty-two');
SELECT ddb.get_item('k_n', '');
SELECT ddb.get_item('k_n', 'NaN'::numeric);
SELECT ddb.get_item('k_n', '1e126');
SELECT ddb.get_item('k_n', repeat('9', 39));
SELECT ddb.get_item('k_n', 42::double precision);
SELECT ddb.get_item('k_n', '\x01'::bytea);

-- Octets: as bytea reads and writes them.
SELECT ddb.get_item('k_b', '\x01ff'::bytea), ddb.get_item('k_b', '\x01ff'), ddb.get_item('k_b', '42');
SELECT ddb.get_item('k_b', '\x01f');
SELECT ddb.get_item('k_b', 42);

-- Numbers at the edges of the range, as keys and in order.
SELECT count(ddb.put_item('k_n', ('{"PK": {"N": "' || n || '"}}')::ddb.item))
	FROM unnest('{9.9999999999999999999999999999999999999e125,-9.9999999999999999999999999999999999999e125,1e-130,-1e-130,0,-0.0}'::text[]) n;
SELECT ddb.full_item(t) FROM k_n t ORDER BY pk;
SELECT ddb.get_item('k_n', 1e-130);
SELECT ddb.put_item('k_n', '{"PK": {"N": "1e-131"}}'::ddb.item);

-- Not a column, not a result; no operators.
SELECT ddb.key('a') = ddb.key('a');
SELECT '42'::ddb.key, 42::ddb.key, '\x01'::bytea::ddb.key;

-- Long keys of random bytes: what PostgreSQL's index cannot hold is refused by name.
SELECT setseed(0.5);
SELECT ddb.create_table('k_long', 'PK', 'SK', 'B', 'B');
CREATE FUNCTION k_bytes(n int) RETURNS bytea LANGUAGE sql VOLATILE AS $$
	SELECT decode(string_agg(lpad(to_hex((random() * 255)::int), 2, '0'), ''), 'hex') FROM generate_series(1, n) $$;
CREATE TABLE k_values AS SELECT k_bytes(2048) AS pk, k_bytes(1024) AS sk;
CREATE FUNCTION k_put(p bytea, s bytea) RETURNS ddb.item LANGUAGE sql AS $$
	SELECT ddb.put_item('k_long', format('{"PK": {"B": "%s"}, "SK": {"B": "%s"}}',
		translate(encode(p, 'base64'), E'\n', ''), translate(encode(s, 'base64'), E'\n', ''))::ddb.item) $$;
SELECT k_put(pk, substr(sk, 1, 600)) FROM k_values;
SELECT ddb.get_item('k_long', pk, substr(sk, 1, 600)) IS NOT NULL AS found FROM k_values;
\set VERBOSITY terse
SELECT k_put(pk, sk) FROM k_values;
SELECT k_put(pk || '\x00', sk) FROM k_values;
SELECT k_put(pk, sk || '\x00') FROM k_values;
INSERT INTO k_long SELECT pk, sk, '{}' FROM k_values;
\set VERBOSITY default
-- Compressible ones fit whole.
SELECT k_put(decode(repeat('61', 2048), 'hex'), decode(repeat('62', 1024), 'hex'));
SELECT length(pk), length(sk) FROM k_long ORDER BY 1, 2;

DROP FUNCTION k_put;
DROP FUNCTION k_bytes;
DROP TABLE k_s, k_n, k_b, k_long, k_values;
