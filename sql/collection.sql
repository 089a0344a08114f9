-- ddb.collection: a query without expressions.
SELECT ddb.create_table('co', 'PK', 'SK');
SELECT ddb.create_table('co_num', 'PK', 'SK', sort_key_type => 'N');
SELECT ddb.create_table('co_bin', 'PK', 'SK', sort_key_type => 'B');
SELECT ddb.create_table('co_simple', 'id');
SELECT count(ddb.put_item('co', jsonb_build_object('PK', 'c1', 'SK', 'ORDER#' || i, 'i', i))) FROM generate_series(1, 9) i;
SELECT ddb.put_item('co', '{"PK": "c1", "SK": "PROFILE"}'), ddb.put_item('co', '{"PK": "c1", "SK": "ADDRESS"}');
CREATE FUNCTION co_list(VARIADIC items ddb.item[]) RETURNS text LANGUAGE sql
	RETURN (SELECT string_agg(i ->> 'SK', ' ' ORDER BY n) FROM unnest(items) WITH ORDINALITY u(i, n));

SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1') i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', begins_with => 'ORDER#', newest_first => true, max_items => 2) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', sk_from => 'ORDER#3', sk_to => 'ORDER#5') i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', sk_from => 'ORDER#3', sk_to => 'ORDER#5', newest_first => true) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', sk_from => 'ORDER#8') i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', sk_to => 'ORDER#1') i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', sk_from => 'ORDER#5', sk_to => 'ORDER#3') i;
SELECT i FROM ddb.collection('co', 'c1', sk_from => 'ORDER#3', sk_to => 'ORDER#3', projection => '#x, SK', attr_names => '{"#x": "i"}') i;

-- `after` is exclusive, in reading direction, and need not lie within the range.
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'ORDER#7') i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'ORDER#3', newest_first => true) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'ORDER#75', begins_with => 'ORDER#') i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'A', begins_with => 'ORDER#', max_items => 1) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'P', begins_with => 'ORDER#', max_items => 1) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'P', begins_with => 'ORDER#', newest_first => true, max_items => 1) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'A', begins_with => 'ORDER#', newest_first => true, max_items => 1) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'ORDER#1', sk_from => 'ORDER#3', max_items => 1) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'ORDER#1', sk_from => 'ORDER#3', newest_first => true) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'ORDER#5', sk_to => 'ORDER#3') i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'ORDER#5', sk_to => 'ORDER#3', newest_first => true, max_items => 2) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'ORDER#9', sk_from => 'ORDER#3', sk_to => 'ORDER#5', newest_first => true, max_items => 1) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co', 'c1', after => 'ORDER#4', sk_from => 'ORDER#3', sk_to => 'ORDER#5') i;

-- Key types: numbers and bytes as columns would read them.
SELECT count(ddb.put_item('co_num', jsonb_build_object('PK', 'a', 'SK', n))) FROM generate_series(-5, 5) n;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co_num', 'a', sk_from => -2, sk_to => '3.0') i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co_num', 'a', after => 3.5::numeric) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co_num', 'a', begins_with => '1') i;
SELECT count(ddb.put_item('co_bin', ('{"PK": {"S": "a"}, "SK": {"B": "' || encode(b, 'base64') || '"}}')::ddb.item)) FROM unnest('{"\\x00","\\x0102","\\x01ff","\\xff"}'::bytea[]) b;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co_bin', 'a', begins_with => '\x01'::bytea) i;
SELECT co_list(VARIADIC array_agg(i)) FROM ddb.collection('co_bin', 'a', sk_from => '\x01ff') i;
SELECT ddb.put_item('co_simple', '{"id": "x"}');
SELECT ddb.collection('co_simple', 'x');
SELECT ddb.collection('co_simple', 'x', after => 'y');

-- What is refused.
SELECT ddb.collection('co', NULL);
SELECT ddb.collection('co', 'c1', begins_with => 'A', sk_from => 'B');
SELECT ddb.collection('co', 'c1', sk_from => 1);
SELECT ddb.collection('co', 'c1', max_items => -1);
SELECT ddb.collection('co', 'c1', index_name => 'by_day');

DROP FUNCTION co_list;
DROP TABLE co, co_num, co_bin, co_simple;
