\echo
\echo '== One table holds the whole shop: customers, orders, lines, stock and stores.'
SELECT split_part(pk, '#', 1) || ' / ' || split_part(sk, '#', 1) AS kind, count(*)
FROM shop WHERE pk <> 'STORE' GROUP BY 1 ORDER BY 1;

\echo '== Get one item by its key.'
SELECT ddb.get_item('shop', 'CUSTOMER#c42', 'PROFILE')::jsonb AS item;

\echo '== The newest two orders of a customer.'
SELECT i ->> 'SK' AS sk, i ->> 'status' AS status, i ->> 'total' AS total
FROM ddb.query('shop', 'PK = :customer AND begins_with(SK, :orders)',
	attr_values => '{":customer": "CUSTOMER#c42", ":orders": "ORDER#"}',
	scan_forward => false, max_items => 2) i;

\echo '== The same in plain SQL: it uses the same index, streams, joins and explains.'
SELECT sk, item ->> 'status' AS status, item ->> 'total' AS total
FROM shop WHERE pk = 'CUSTOMER#c42' AND sk LIKE 'ORDER#%' ORDER BY sk DESC LIMIT 2;
EXPLAIN (COSTS OFF) SELECT item FROM shop WHERE pk = 'CUSTOMER#c42' AND sk LIKE 'ORDER#%' ORDER BY sk DESC LIMIT 2;

\echo '== The orders of September: a range whose upper bound ends in ~ (it sorts behind every digit).'
SELECT i ->> 'SK' AS sk, i ->> 'total' AS total
FROM ddb.collection('shop', 'CUSTOMER#c42', sk_from => 'ORDER#2026-09', sk_to => 'ORDER#2026-09~') i;

\echo '== Only those above 300, filtered where the items are read (total is a reserved word, so it goes by #t).'
SELECT i::jsonb AS item
FROM ddb.query('shop', 'PK = :c AND SK BETWEEN :from AND :to',
	filter => '#t > :least', projection => 'SK, #t', attr_names => '{"#t": "total"}',
	attr_values => '{":c": "CUSTOMER#c42", ":from": "ORDER#2026-09", ":to": "ORDER#2026-09~", ":least": 300}') i;

\echo '== An order with its lines, in one query: they share a partition key.'
SELECT i ->> 'SK' AS sk, i ->> 'name' AS product, i ->> 'quantity' AS quantity, i ->> 'price' AS price, i ->> 'total' AS total
FROM ddb.collection('shop', 'ORDER#o1002') i;

\echo '== A customer''s profile and newest orders together, one collection read once.'
SELECT i ->> 'SK' AS sk, i ->> 'name' AS name, i ->> 'total' AS total
FROM ddb.collection('shop', 'CUSTOMER#c42', newest_first => true, max_items => 3) i;

\echo '== Create only if absent: the second time it says no.'
SELECT ddb.try_put_item('shop', '{"PK": "CUSTOMER#c9001", "SK": "PROFILE", "name": "Ada", "version": 1}',
	condition => 'attribute_not_exists(PK)') AS created;
SELECT ddb.try_put_item('shop', '{"PK": "CUSTOMER#c9001", "SK": "PROFILE", "name": "Eve", "version": 1}',
	condition => 'attribute_not_exists(PK)') AS created;

\echo '== Optimistic locking: whoever still holds version 1 after this has lost.'
SELECT ddb.update_item('shop', 'CUSTOMER#c42', 'PROFILE',
	update => 'SET email = :email, version = version + :one', condition => 'version = :seen',
	attr_values => '{":email": "c42@example.org", ":one": 1, ":seen": 1}')::jsonb AS item;
SELECT ddb.try_update_item('shop', 'CUSTOMER#c42', 'PROFILE',
	update => 'SET email = :email, version = version + :one', condition => 'version = :seen',
	attr_values => '{":email": "old@example.org", ":one": 1, ":seen": 1}')::jsonb AS item;

\echo '== A counter: atomic, whoever else adds.'
SELECT ddb.update_item('shop', 'CUSTOMER#c42', 'PROFILE',
	update => 'ADD orders :one', attr_values => '{":one": 1}') ->> 'orders' AS orders;

\echo '== Take three from stock and write the order: both or neither.'
\echo '   (the actions are word for word those of TransactWriteItems)'
SELECT ddb.transact_write_items('[
	{"Update": {"TableName": "shop", "Key": {"PK": {"S": "PRODUCT#p17"}, "SK": {"S": "STOCK"}},
		"UpdateExpression": "SET qty = qty - :n", "ConditionExpression": "qty >= :n",
		"ExpressionAttributeValues": {":n": {"N": "3"}}}},
	{"Put": {"TableName": "shop", "Item": {"PK": {"S": "ORDER#o99001"}, "SK": {"S": "META"}, "customer": {"S": "c42"}},
		"ConditionExpression": "attribute_not_exists(PK)"}}]');
SELECT item ->> 'qty' AS left FROM shop WHERE pk = 'PRODUCT#p17' AND sk = 'STOCK';

\echo '== Thirty are not there: the transaction is cancelled, each action has its reason.'
\set ON_ERROR_STOP off
SELECT ddb.transact_write_items('[
	{"Update": {"TableName": "shop", "Key": {"PK": {"S": "PRODUCT#p17"}, "SK": {"S": "STOCK"}},
		"UpdateExpression": "SET qty = qty - :n", "ConditionExpression": "qty >= :n",
		"ExpressionAttributeValues": {":n": {"N": "30"}}}},
	{"Put": {"TableName": "shop", "Item": {"PK": {"S": "ORDER#o99002"}, "SK": {"S": "META"}, "customer": {"S": "c42"}}}}]');
\set ON_ERROR_STOP on
SELECT ddb.get_item('shop', 'ORDER#o99002', 'META') AS order;

\echo '== A composite sort key COUNTRY#STATE#CITY, queried at each level.'
SELECT level, count(*) FROM (VALUES ('US#'), ('US#NY#'), ('US#NY#Buffalo#')) l(level),
	LATERAL ddb.collection('shop', 'STORE', begins_with => level) i GROUP BY level ORDER BY level;

\echo '== Items join relational tables like any other rows.'
SELECT o.sk, o.item ->> 'status' AS status, v.amount, v.paid
FROM shop o JOIN invoices v ON v.order_id = split_part(o.sk, '#', 3)
WHERE o.pk = 'CUSTOMER#c42' AND o.sk LIKE 'ORDER#2026-09%' ORDER BY o.sk;

\echo '== And are written with them in one transaction. This one is rolled back …'
BEGIN;
SELECT ddb.put_item('shop', '{"PK": "ORDER#o99003", "SK": "META", "customer": "c42"}');
INSERT INTO invoices VALUES ('o99003', 59.00, false);
ROLLBACK;
SELECT ddb.get_item('shop', 'ORDER#o99003', 'META') AS order,
	(SELECT count(*) FROM invoices WHERE order_id = 'o99003') AS invoices;
\echo '   … and this one is not.'
BEGIN;
SELECT ddb.put_item('shop', '{"PK": "ORDER#o99003", "SK": "META", "customer": "c42"}');
INSERT INTO invoices VALUES ('o99003', 59.00, false);
COMMIT;
SELECT ddb.get_item('shop', 'ORDER#o99003', 'META')::jsonb AS order,
	(SELECT count(*) FROM invoices WHERE order_id = 'o99003') AS invoices;

\echo '== DynamoDB''s own API is there too, request and reply as on the wire.'
SELECT ddb.api('Query', '{"TableName": "shop", "KeyConditionExpression": "PK = :o", "Select": "COUNT",
	"ExpressionAttributeValues": {":o": {"S": "ORDER#o1002"}}}');
