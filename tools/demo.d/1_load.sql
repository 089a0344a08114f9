-- The shop: 4,000 customers and 40,000 orders in one table, always the same.
-- Nothing is random: draw() takes its numbers from a hash of the row's number.
SET client_min_messages = warning;
CREATE FUNCTION draw(n bigint, salt int, choices int) RETURNS int LANGUAGE sql IMMUTABLE
	RETURN ((hashint8extended(n, salt) & 9223372036854775807) % choices)::int;

CREATE TEMP TABLE product AS
	SELECT p, 'p' || p AS id,
		(ARRAY['Chair','Table','Lamp','Shelf','Desk','Rug','Clock','Vase'])[1 + draw(p, 1, 8)] || ' No. ' || p AS name,
		((500 + draw(p, 2, 19500)) / 100.0)::numeric(10,2) AS price
	FROM generate_series(1, 500) p;

CREATE TEMP TABLE ordered AS
	SELECT n, 'o' || 1000 + n AS id, date '2026-03-14' + (n * 260 / 40000)::int AS day,
		CASE WHEN n % 997 = 2 THEN 'c42' ELSE 'c' || 1 + draw(n, 3, 4000) END AS customer,
		(ARRAY['PAID','SHIPPED','DELIVERED'])[1 + draw(n, 4, 3)] AS status,
		1 + draw(n, 5, 4) AS lines
	FROM generate_series(1, 40000) n;

CREATE TEMP TABLE line AS
	SELECT o.n, o.id AS order_id, l, p.id AS product, p.name, p.price, 1 + draw(o.n * 10 + l, 7, 3) AS quantity
	FROM ordered o, generate_series(1, o.lines) l, product p
	WHERE p.p = 1 + draw(o.n * 10 + l, 6, 500);

CREATE TEMP TABLE total AS
	SELECT n, sum(price * quantity) AS total FROM line GROUP BY n;

CREATE TABLE invoices (order_id text PRIMARY KEY, amount numeric(10,2) NOT NULL, paid boolean NOT NULL);
INSERT INTO invoices SELECT o.id, t.total, o.status <> 'PAID' FROM ordered o JOIN total t USING (n);

SELECT ddb.create_table('shop', partition_key => 'PK', sort_key => 'SK');

-- GSI1PK and GSI1SK are for an index that 3_indexes.sql adds.

INSERT INTO shop
	SELECT 'CUSTOMER#c' || c, 'PROFILE',
		jsonb_build_object('name', 'Customer ' || c, 'email', 'c' || c || '@example.com', 'version', 1, 'orders', 0)
	FROM generate_series(1, 4000) c;
INSERT INTO shop
	SELECT 'PRODUCT#' || id, 'STOCK', jsonb_build_object('name', name, 'price', price, 'qty', 20,
		'GSI1PK', 'SKU#' || id, 'GSI1SK', 'STOCK') FROM product;
INSERT INTO shop
	SELECT 'STORE', place || '#s' || row_number() OVER (ORDER BY place), jsonb_build_object('opened', 2001 + draw(k, 8, 25))
	FROM unnest(ARRAY['DE#BE#Berlin','DE#BY#Munich','DE#BY#Nuremberg','FR#IDF#Paris','US#CA#Oakland','US#CA#San Francisco',
		'US#NY#Buffalo','US#NY#New York']) WITH ORDINALITY x(place, ordinal), generate_series(1, 3) k;

-- Orders arrive as they do in a shop: by time, each for another customer.
INSERT INTO shop
	SELECT pk, sk, item FROM (
		SELECT n, 0 AS part, 'CUSTOMER#' || customer AS pk, 'ORDER#' || day || '#' || id AS sk,
			jsonb_build_object('status', status, 'total', total, 'lines', lines) AS item
		FROM ordered JOIN total USING (n)
		UNION ALL
		SELECT n, 1, 'ORDER#' || id, 'META',
			jsonb_build_object('customer', customer, 'day', day, 'status', status, 'total', total, 'version', 1)
				|| CASE WHEN status = 'PAID' THEN jsonb_build_object('pending_since', day) ELSE '{}' END
		FROM ordered JOIN total USING (n)
		UNION ALL
		SELECT n, 1 + l, 'ORDER#' || order_id, 'LINE#' || lpad(l::text, 2, '0'),
			jsonb_build_object('product', product, 'name', name, 'price', price, 'quantity', quantity,
				'GSI1PK', 'SKU#' || product, 'GSI1SK', 'SOLD#' || day || '#' || order_id)
		FROM line JOIN ordered USING (n)
	) arrivals ORDER BY n, part;
DROP TABLE product, ordered, line, total;
DROP FUNCTION draw;
VACUUM ANALYZE shop;
