-- Numbers: 38 significant digits, 1E-130 to 9.99E+125, exact, one spelling.

-- The text that comes out for a text that goes in, or the error.
CREATE FUNCTION n(given text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN format('{"n": {"N": %s}}', to_json(given))::ddb.item ->> 'n';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$;

-- Its bytes.
CREATE FUNCTION bytes(given text) RETURNS text LANGUAGE sql AS $$
	SELECT encode(substr(ddb.item_send(format('{"n":{"N":"%s"}}', given)::ddb.item), 6), 'hex')
$$;

-- Normal form.
SELECT given, n(given) FROM (VALUES
	('0'), ('-0'), ('0.000'), ('0e1000'), ('00'), ('1'), ('+3'), ('-3'), ('007'), ('1.50'), ('.123'), ('5.'),
	('-0.5'), ('100'), ('1e2'), ('1E+2'), ('1.5e1'), ('15e-1'), ('0.0012e3'), ('120.0'), ('-12.30'),
	('1000000000000000000000'), ('1e-7')) AS v(given);

-- Not a number.
SELECT given, n(given) FROM (VALUES
	(''), (' '), (' 1'), ('1 '), ('.'), ('+'), ('-'), ('e5'), ('1e'), ('1e+'), ('1.2.3'), ('--1'), ('1,5'),
	('0x10'), ('NaN'), ('Infinity'), ('1e5.5'), ('one'), ('1_000'), (E'1\n'), ('١')) AS v(given);

-- The magnitude's ends.  1E125 is a 1 and 125 zeros; 1E-130 is "0." and 129
-- zeros before the 1.
SELECT n('1e125') = '1' || repeat('0', 125) AS largest_power,
	n('-1e125') = '-1' || repeat('0', 125) AS its_negative,
	n('9.9999999999999999999999999999999999999e125') = repeat('9', 38) || repeat('0', 88) AS largest,
	n('1e-130') = '0.' || repeat('0', 129) || '1' AS smallest,
	n('-1e-130') = '-0.' || repeat('0', 129) || '1' AS its_negative,
	n('1.5e-130') = '0.' || repeat('0', 129) || '15' AS a_digit_beyond,
	n('9.9999999999999999999999999999999999999e-130') = '0.' || repeat('0', 129) || repeat('9', 38) AS digits_beyond,
	n('1' || repeat('0', 125)) = n('1e125') AS written_out,
	n('0.' || repeat('0', 129) || '1') = n('1e-130') AS written_out;
SELECT given, n(given) FROM (VALUES
	('1e126'), ('-1e126'), ('10e125'), ('0.1e127'), ('1e-131'), ('-1e-131'), ('0.9e-130'), ('0.1e-129'),
	('1e2147483647'), ('1e-2147483648'), ('1e99999999999999999999999'), ('-1e99999999999999999999999'),
	('1e-99999999999999999999999')) AS v(given);

-- 38 digits, counted between the first and the last that is not zero.
SELECT n(repeat('9', 38)) = repeat('9', 38) AS digits_38,
	n('1' || repeat('0', 36) || '1') = '1' || repeat('0', 36) || '1' AS zeros_between,
	n('0.' || repeat('9', 38)) = '0.' || repeat('9', 38) AS all_behind_the_point,
	n(repeat('9', 19) || '.' || repeat('9', 19)) = repeat('9', 19) || '.' || repeat('9', 19) AS on_both_sides,
	n('1.' || repeat('3', 37)) = '1.' || repeat('3', 37) AS from_the_middle_of_a_pair,
	n(repeat('0', 1000) || repeat('9', 38) || '.' || repeat('0', 1000)) = repeat('9', 38) AS zeros_around,
	n(repeat('9', 38) || repeat('0', 80)) = repeat('9', 38) || repeat('0', 80) AS zeros_behind;
SELECT n(repeat('9', 39)) AS digits_39,
	n('1' || repeat('0', 37) || '1') AS zeros_between,
	n('-0.' || repeat('3', 39)) AS behind_the_point;

-- Bytes: docs/item-format.md's table, then the pairs around the point.
SELECT given, bytes(given) FROM (VALUES
	('0'), ('1'), ('59'), ('100'), ('12.3'), ('0.5'), ('1E-130'), ('1E+125'), ('-1'), ('-12.3'),
	('1234'), ('123'), ('1.23'), ('0.05'), ('0.123'), ('10'), ('1010'), ('-100'), ('-1E-130'), ('-1E+125')) AS v(given);
-- The longest: 19 pairs and the exponent; 20 pairs, the exponent and a
-- negative's end.  (The length takes a varint of one byte before them.)
SELECT bytes(repeat('9', 38)), bytes('-1.' || repeat('3', 37));

-- Order: the members of a set come out in the order of their bytes.
SELECT '{"s": {"NS": ["1", "-1", "0", "10", "9", "100", "-10", "-9", "-100", "0.5", "-0.5", "1E-130", "-1E-130",
	"1E125", "-1E125", "1.1", "1.01", "-1.1", "-1.01", "99", "99.9", "-99", "-99.9", "0.099", "0.1", "0.10001"]}}'::ddb.item;

-- A long run against numeric: the same order, and a value that survives.
SELECT count(*) AS numbers,
	bool_and(bytes(v::text)::bytea > before_bytes OR v = before) AS in_order,
	bool_and(n(v::text)::numeric = v) AS unchanged
FROM (SELECT v, lag(v) OVER w AS before, lag(bytes(v::text)::bytea) OVER w AS before_bytes
	FROM (SELECT ((i * 7919) % 20011 - 10000)::numeric * 10::numeric ^ (i % 61 - 30) AS v FROM generate_series(1, 2000) i) s
	WINDOW w AS (ORDER BY v)) s;

-- Equal by value, however written.
SELECT '{"n": {"N": "1.50"}}'::ddb.item = '{"n": {"N": "15e-1"}}'::ddb.item AS equal,
	'{"n": {"NS": ["2", "1.0"]}}'::ddb.item = '{"n": {"NS": ["1", "2.00"]}}'::ddb.item AS equal_sets;
SELECT '{"n": {"NS": ["1", "1.0"]}}'::ddb.item;

-- Sums and differences are exact, or fail.
CREATE FUNCTION sum(a text, op text, b text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN ddb.apply(format('{"n": {"N": "%s"}}', a)::ddb.item, 'SET n = n ' || op || ' :b',
		attr_values => format('{":b": {"N": "%s"}}', b)::ddb.item) ->> 'n';
EXCEPTION WHEN SQLSTATE 'YD001' THEN
	RETURN SQLERRM;
END
$$;
SELECT a, op, b, sum(a, op, b) FROM (VALUES
	('1', '+', '2'), ('1', '-', '2'), ('0.1', '+', '0.2'), ('0', '+', '-5'), ('0', '-', '5'), ('5', '-', '0'), ('5', '-', '5'),
	('-5', '+', '5'), ('99', '+', '1'), ('9999', '+', '1'), ('100', '-', '1'), ('-100', '+', '0.01'), ('-0.5', '-', '0.5'),
	('1.5', '+', '-2.75'), ('123456789', '+', '0.000000001'), ('1000', '-', '999.99'), ('-7', '+', '7.01')) AS v(a, op, b);
-- 38 digits are kept, the 39th is an error, also far away.
SELECT sum('1E37', '+', '1') = '1' || repeat('0', 36) || '1' AS digits_38,
	sum(repeat('9', 38), '-', '1') = repeat('9', 37) || '8' AS nines,
	sum(repeat('9', 38), '+', '1') = '1' || repeat('0', 38) AS a_single_digit,
	sum('1' || repeat('0', 38), '-', '1') = repeat('9', 38) AS back_again,
	sum('1E50', '-', '1E50') AS nothing_left,
	sum('12345678901234567890123456789012345678', '-', '12345678901234567890123456789012345677') AS one_left,
	sum('1' || repeat('0', 40), '-', repeat('9', 38) || '00') = '100' AS far_above;
SELECT a, op, b, sum(a, op, b) FROM (VALUES
	('1E38', '+', '1'), ('1E50', '+', '1'), ('1E50', '-', '1'), ('1E125', '+', '1E-130'), ('-1E125', '-', '1E-130'),
	('1E39', '-', '1'), ('0.1', '+', '1E37')) AS v(a, op, b);
-- The range.
SELECT sum('9E125', '+', '9E124') = '99' || repeat('0', 124) AS within,
	sum('9.9E125', '+', '1E124') AS beyond, sum('-9.9E125', '-', '1E124') AS beyond,
	sum('1E-130', '-', '1E-130') AS zero,
	sum('1.1E-130', '-', '1E-130') AS too_small, sum('-1.1E-130', '+', '1E-130') AS too_small,
	sum('1E-130', '+', '1E-130') = '0.' || repeat('0', 129) || '2' AS smallest_twice;

-- Keys are numeric in their columns and the same numbers in the item.
SELECT ddb.create_table('numbered', partition_key => 'p', partition_key_type => 'N', sort_key => 's', sort_key_type => 'N');
SELECT ddb.put_item('numbered', format('{"p": {"N": "%s"}, "s": {"N": "%s"}}', p, s)::ddb.item) FROM (VALUES
	('0', '-0'), ('1.50', '-12.30'), ('100', '10000'), ('0.0001', '0.00001'), ('1234.5678', '12345.6789'),
	('1E125', '-1E125'), ('1E-130', '-1E-130'), ('9.9999999999999999999999999999999999999E125', '-0.12345678901234567890123456789012345678')) AS v(p, s);
CREATE FUNCTION short(v numeric) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN length(v::text) < 50 THEN v::text ELSE left(v::text, 3) || '... of ' || length(v::text) || ' characters' END
$$;
SELECT short(pk) AS pk, short(sk) AS sk,
	whole ->> 'p' = pk::text AS pk_same, whole ->> 's' = sk::text AS sk_same, whole = ddb.get_item('numbered', pk, sk) AS found
FROM (SELECT pk, sk, ddb.full_item(numbered) AS whole FROM numbered) s ORDER BY s.pk;
-- Plain SQL may write the same number otherwise.
INSERT INTO numbered VALUES (7.00, 070.0, '{"v": {"S": "seven"}}');
SELECT ddb.get_item('numbered', 7, 70);
SELECT ddb.put_item('numbered', '{"p": 7.0, "s": 7e1, "v": "again"}');
SELECT pk = 7 AND sk = 70 AS same_row, item FROM numbered WHERE pk BETWEEN 6 AND 8;
SELECT ddb.drop_table('numbered');

DROP FUNCTION n, bytes, short, sum(text, text, text);
