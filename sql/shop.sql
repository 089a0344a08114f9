-- The shop: one table, every access pattern of a single-table design.  Small
-- enough that each answer was worked out by hand.
SELECT ddb.create_table('shop', partition_key => 'PK', sort_key => 'SK');
CREATE TABLE invoices (order_id text PRIMARY KEY, amount numeric(10,2) NOT NULL);

INSERT INTO shop VALUES
	('CUSTOMER#c42', 'PROFILE', '{"name": {"S": "Ada"}, "version": {"N": "1"}}'),
	('CUSTOMER#c43', 'PROFILE', '{"name": {"S": "Bo"}, "version": {"N": "7"}}'),
	('PRODUCT#chair', 'STOCK', '{"qty": {"N": "5"}, "price": {"N": "40"}}'),
	('PRODUCT#lamp', 'STOCK', '{"qty": {"N": "1"}, "price": {"N": "9.50"}}');

-- Orders: o1001 and o1002 of c42 in August, o1003 and o1004 in September,
-- o1006 in October; o1005 of c43.  Totals: chairs at 40, lamps at 9.50.
SELECT ddb.put_item('shop', format('{"PK": "CUSTOMER#%s", "SK": "ORDER#%s#%s", "total": %s, "status": "%s"}', customer, day, id, total, status)::ddb.doc)
FROM (VALUES
	('o1001', 'c42', '2026-08-01', 40.00, 'DELIVERED'),
	('o1002', 'c42', '2026-08-31', 59.00, 'DELIVERED'),
	('o1003', 'c42', '2026-09-01', 120.00, 'SHIPPED'),
	('o1004', 'c42', '2026-09-30', 9.50, 'PAID'),
	('o1005', 'c43', '2026-09-15', 80.00, 'PAID'),
	('o1006', 'c42', '2026-10-01', 19.00, 'PAID')) o (id, customer, day, total, status);
-- o1002 in full: one chair and two lamps, 40 + 19.
SELECT ddb.put_item('shop', '{"PK": "ORDER#o1002", "SK": "META", "customer": "c42", "total": 59, "version": 1}');
SELECT ddb.put_item('shop', '{"PK": "ORDER#o1002", "SK": "LINE#01", "product": "chair", "price": 40, "quantity": 1}');
SELECT ddb.put_item('shop', '{"PK": "ORDER#o1002", "SK": "LINE#02", "product": "lamp", "price": 9.50, "quantity": 2}');

-- The newest two orders of a customer, three ways.
SELECT i ->> 'SK' AS sk, i ->> 'total' AS total
FROM ddb.query('shop', 'PK = :c AND begins_with(SK, :o)', attr_values => '{":c": "CUSTOMER#c42", ":o": "ORDER#"}',
	scan_forward => false, max_items => 2) i;
SELECT i ->> 'SK' AS sk FROM ddb.collection('shop', 'CUSTOMER#c42', begins_with => 'ORDER#', newest_first => true, max_items => 2) i;
SELECT sk FROM shop WHERE pk = 'CUSTOMER#c42' AND sk LIKE 'ORDER#%' ORDER BY sk DESC LIMIT 2;

-- The orders of September: the first and the last day are in, their
-- neighbours out.
SELECT i ->> 'SK' AS sk FROM ddb.query('shop', 'PK = :c AND SK BETWEEN :from AND :to',
	attr_values => '{":c": "CUSTOMER#c42", ":from": "ORDER#2026-09", ":to": "ORDER#2026-09~"}') i;
SELECT i ->> 'SK' AS sk FROM ddb.collection('shop', 'CUSTOMER#c42', sk_from => 'ORDER#2026-09', sk_to => 'ORDER#2026-09~') i;

-- Above 50: o1002 and o1003.
SELECT i::jsonb FROM ddb.query('shop', 'PK = :c AND begins_with(SK, :o)', filter => '#t > :least', projection => '#t',
	attr_names => '{"#t": "total"}',
	attr_values => '{":c": "CUSTOMER#c42", ":o": "ORDER#", ":least": 50}') i;

-- An order with its lines in one query; the lines add up to its total.
SELECT i ->> 'SK' AS sk, i ->> 'product' AS product, i ->> 'total' AS total FROM ddb.collection('shop', 'ORDER#o1002') i;
SELECT sum((item ->> 'price')::numeric * (item ->> 'quantity')::numeric) AS total FROM shop WHERE pk = 'ORDER#o1002' AND sk LIKE 'LINE#%';

-- Profile and newest order together.
SELECT i ->> 'SK' AS sk, i ->> 'name' AS name FROM ddb.collection('shop', 'CUSTOMER#c42', newest_first => true, max_items => 2) i;

-- Create only if absent: once.
SELECT ddb.try_put_item('shop', '{"PK": "CUSTOMER#c44", "SK": "PROFILE", "name": "Cy"}', condition => 'attribute_not_exists(PK)');
SELECT ddb.try_put_item('shop', '{"PK": "CUSTOMER#c44", "SK": "PROFILE", "name": "Di"}', condition => 'attribute_not_exists(PK)');
SELECT ddb.get_item('shop', 'CUSTOMER#c44', 'PROFILE') ->> 'name' AS name;

-- Optimistic locking: c43 is at version 7, so the first wins and the second
-- comes too late.
SELECT ddb.try_update_item('shop', 'CUSTOMER#c43', 'PROFILE', update => 'SET city = :city, version = version + :one',
	condition => 'version = :seen', attr_values => '{":city": "Bonn", ":one": 1, ":seen": 7}')::jsonb;
SELECT ddb.try_update_item('shop', 'CUSTOMER#c43', 'PROFILE', update => 'SET city = :city, version = version + :one',
	condition => 'version = :seen', attr_values => '{":city": "Kiel", ":one": 1, ":seen": 7}')::jsonb;

-- Three chairs of five, and the order: both.
SELECT ddb.transact_write_items('[
	{"Update": {"TableName": "shop", "Key": {"PK": {"S": "PRODUCT#chair"}, "SK": {"S": "STOCK"}}, "UpdateExpression": "SET qty = qty - :n",
		"ConditionExpression": "qty >= :n", "ExpressionAttributeValues": {":n": {"N": "3"}}}},
	{"Put": {"TableName": "shop", "Item": {"PK": {"S": "ORDER#o1007"}, "SK": {"S": "META"}, "total": {"N": "120"}},
		"ConditionExpression": "attribute_not_exists(PK)"}}]');
SELECT item ->> 'qty' AS left FROM shop WHERE pk = 'PRODUCT#chair';
-- Three of two are not there: neither stock nor order, and the reason is the
-- first action's.
\set VERBOSITY terse
SELECT ddb.transact_write_items('[
	{"Update": {"TableName": "shop", "Key": {"PK": {"S": "PRODUCT#chair"}, "SK": {"S": "STOCK"}}, "UpdateExpression": "SET qty = qty - :n",
		"ConditionExpression": "qty >= :n", "ExpressionAttributeValues": {":n": {"N": "3"}}}},
	{"Put": {"TableName": "shop", "Item": {"PK": {"S": "ORDER#o1008"}, "SK": {"S": "META"}, "total": {"N": "120"}}}}]');
\set VERBOSITY default
SELECT item ->> 'qty' AS left FROM shop WHERE pk = 'PRODUCT#chair';
SELECT ddb.get_item('shop', 'ORDER#o1008', 'META') IS NULL AS absent;

-- A composite key at each level: 5 in the US, 3 in New York, 2 in Buffalo.
INSERT INTO shop SELECT 'STORE', place, '{}'::ddb.item FROM unnest(ARRAY['DE#BE#Berlin#s1', 'US#CA#Oakland#s2', 'US#CA#San Diego#s3',
	'US#NY#Buffalo#s4', 'US#NY#Buffalo#s5', 'US#NY#New York#s6', 'USB#X#Y#s7']) place;
SELECT level, count(*) FROM unnest(ARRAY['US#', 'US#NY#', 'US#NY#Buffalo#']) level,
	LATERAL ddb.collection('shop', 'STORE', begins_with => level) i GROUP BY level ORDER BY level;

-- An order joined with its invoice; both written in one transaction that is
-- rolled back once.
INSERT INTO invoices VALUES ('o1003', 120.00), ('o1004', 9.50);
SELECT o.item ->> 'status' AS status, v.amount FROM shop o JOIN invoices v ON v.order_id = split_part(o.sk, '#', 3)
WHERE o.pk = 'CUSTOMER#c42' AND o.sk LIKE 'ORDER#%' ORDER BY o.sk;
BEGIN;
SELECT ddb.put_item('shop', '{"PK": "ORDER#o1009", "SK": "META", "total": 40}');
INSERT INTO invoices VALUES ('o1009', 40);
SELECT (SELECT count(*) FROM invoices) AS invoices, (SELECT count(*) FROM shop WHERE pk = 'ORDER#o1009') AS orders;
ROLLBACK;
SELECT (SELECT count(*) FROM invoices) AS invoices, (SELECT count(*) FROM shop WHERE pk = 'ORDER#o1009') AS orders;
BEGIN;
SELECT ddb.put_item('shop', '{"PK": "ORDER#o1009", "SK": "META", "total": 40}');
INSERT INTO invoices VALUES ('o1009', 40);
COMMIT;
SELECT (SELECT count(*) FROM invoices) AS invoices, (SELECT count(*) FROM shop WHERE pk = 'ORDER#o1009') AS orders;

DROP TABLE shop, invoices;
