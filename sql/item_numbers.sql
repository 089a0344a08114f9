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

DROP FUNCTION n, bytes;
