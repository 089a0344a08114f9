-- Names: SQL reads them as PostgreSQL does, the API exactly.
SELECT ddb.create_table('Orders', 'id');
SELECT ddb.create_table('"Orders"', 'id');
SELECT ddb.create_table('n_plain', 'id');
SELECT name FROM ddb.list_tables();
SELECT ddb.put_item('Orders', '{"id": "folded"}'), ddb.put_item('"Orders"', '{"id": "quoted"}');
SELECT ddb.get_item('orders', 'folded')::jsonb, ddb.get_item('"Orders"', 'folded')::jsonb;

-- Through the API's arrays names are exact.
SELECT * FROM ddb.batch_get_item('{"orders": {"Keys": [{"id": {"S": "folded"}}]},
	"Orders": {"Keys": [{"id": {"S": "quoted"}}, {"id": {"S": "folded"}}]}}');
SELECT * FROM ddb.batch_get_item('{"ORDERS": {"Keys": [{"id": {"S": "folded"}}]}}');
SELECT * FROM ddb.batch_get_item('{"public.orders": {"Keys": [{"id": {"S": "folded"}}]}}');
SELECT * FROM ddb.batch_get_item('{"arn:aws:dynamodb:us-east-1:123456789012:table/orders":
	{"Keys": [{"id": {"S": "folded"}}]}}');

-- Schemas.
CREATE SCHEMA n_other;
SELECT ddb.create_table('n_other.n_plain', 'id');
SELECT ddb.create_table('n_other.Mixed.name', 'id');
SELECT ddb.create_table('n_other."Dots.and-dashes"', 'id');
SELECT ddb.put_item('n_plain', '{"id": "1", "in": "public"}'),
	ddb.put_item('n_other.n_plain', '{"id": "1", "in": "n_other"}');
SELECT item->>'in' AS found FROM ddb.batch_get_item('{"n_plain": {"Keys": [{"id": {"S": "1"}}]}}');
SET search_path = n_other, public;
SELECT item->>'in' AS found FROM ddb.batch_get_item('{"n_plain": {"Keys": [{"id": {"S": "1"}}]}}');
SELECT ddb.put_item('n_other."Dots.and-dashes"', '{"id": "d"}');
SELECT * FROM ddb.batch_get_item('{"Dots.and-dashes": {"Keys": [{"id": {"S": "d"}}]}}');
RESET search_path;

-- Names that are too long for an identifier are not cut in silence.
SELECT ddb.create_table(repeat('n', 64), 'id');
SELECT ddb.create_table('n_other."' || repeat('n', 62) || '""x"', 'id');
SELECT ddb.create_table('n_other."' || repeat('n', 62) || '"""', 'id');
SELECT ddb.create_table('', 'id');
SELECT ddb.create_table('a.b.c', 'id');

-- Key attributes may have any name.
SELECT ddb.create_table('n_keys', 'it''s a "key"', 'Schlüssel #1');
SELECT partition_key, sort_key FROM ddb.describe_table('n_keys');
SELECT ddb.put_item('n_keys', '{"it''s a \"key\"": "a", "Schlüssel #1": "b", "pk": "mine", "sk": 1, "item": true}');
SELECT ddb.get_item('n_keys', 'a', 'b');
SELECT ddb.query('n_keys', '#p = :p', attr_names => '{"#p": "it''s a \"key\""}', attr_values => '{":p": "a"}')::jsonb;
SELECT ddb.create_table('n_longkey', repeat('k', 255), repeat('s', 255));
SELECT ddb.put_item('n_longkey', jsonb_build_object(repeat('k', 255), 'a', repeat('s', 255), 'b', 'c', 1));
SELECT ddb.get_item('n_longkey', 'a', 'b') ->> 'c' AS c;

-- The API's names have up to 255 characters: the relation's is a prefix and a hash.
CREATE FUNCTION n_api(operation text, tbl text, more jsonb DEFAULT '{}') RETURNS jsonb LANGUAGE sql
	RETURN ddb.api(operation, (jsonb_build_object('TableName', tbl) || more)::json)::jsonb;
SELECT n_api('CreateTable', repeat('n', len), '{"KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
	"AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}], "BillingMode": "PAY_PER_REQUEST"}')
	-> 'TableDescription' ->> 'TableName' = repeat('n', len) AS same
	FROM unnest('{63,64,65,255}'::int[]) len;
SELECT relation_name, length(name) FROM ddb.catalog WHERE name LIKE 'nnn%' ORDER BY length(name), relation_name COLLATE "C";
SELECT n_api('PutItem', repeat('n', len), jsonb_build_object('Item', jsonb_build_object('id', '{"S": "x"}'::jsonb, 'len', jsonb_build_object('N', len::text))))
	FROM unnest('{63,64,65,255}'::int[]) len;
SELECT n_api('GetItem', repeat('n', len), '{"Key": {"id": {"S": "x"}}}') #>> '{Item,len,N}' AS len FROM unnest('{63,64,65,255}'::int[]) len;
SELECT length(n) FROM jsonb_array_elements_text(ddb.api('ListTables', '{}')::jsonb -> 'TableNames') n WHERE n LIKE 'nnn%';
-- The relation's name is none of the API's; SQL may use it.
SELECT relation_name AS short FROM ddb.catalog WHERE length(name) = 64 \gset
SELECT n_api('GetItem', :'short', '{"Key": {"id": {"S": "x"}}}');
SELECT ddb.get_item(:'short', 'x')::jsonb;
SELECT length(name) FROM ddb.describe_table(:'short');
-- A table that gets a name of its own has that in the API too.
ALTER TABLE :"short" RENAME TO n_renamed;
SELECT n_api('GetItem', 'n_renamed', '{"Key": {"id": {"S": "x"}}}') #>> '{Item,len,N}' AS len;
SELECT n_api('GetItem', repeat('n', 64), '{"Key": {"id": {"S": "x"}}}');
SELECT n_api('DeleteTable', repeat('n', 255)) -> 'TableDescription' ->> 'TableStatus' AS status;
SELECT n_api('DescribeTable', repeat('n', 255));
SELECT length(name) FROM ddb.catalog WHERE name LIKE 'n%' ORDER BY 1;
SELECT n_api('DeleteTable', repeat('n', len)) IS NULL AS failed FROM unnest('{63,65}'::int[]) len;
DROP TABLE n_renamed;
DROP FUNCTION n_api;

-- Rows that drops left behind unseen give way to tables that take their names.
SELECT ddb.create_table('n_moves', 'id');
CREATE SCHEMA n_there;
INSERT INTO ddb.catalog (schema_name, relation_name, name)
	VALUES ('public', 'n_moved', 'gone'), ('n_there', 'n_moved', 'gone'), ('n_later', 'n_moved', 'gone');
ALTER TABLE n_moves RENAME TO n_moved;
ALTER TABLE n_moved SET SCHEMA n_there;
ALTER SCHEMA n_there RENAME TO n_later;
SELECT schema_name, name FROM ddb.catalog WHERE relation_name = 'n_moved';
DROP SCHEMA n_later CASCADE;

DROP TABLE orders, "Orders", n_plain, n_keys, n_longkey;
DROP SCHEMA n_other CASCADE;
SELECT count(*) FROM ddb.catalog;
