-- The keys that the instruction counts go over, in random order, with all that
-- a body needs made beforehand so that making it is not measured.
CREATE TABLE keys AS
	SELECT row_number() OVER (ORDER BY draw(hashtext(pk || sk), 2, 1000000000), pk, sk) AS n, pk, sk,
		replace(sk, 'ORDER', 'RETURN') AS new_sk, doc::text AS doc_text,
		(doc || jsonb_build_object('PK', pk, 'SK', sk))::text AS item_text,
		(doc || jsonb_build_object('PK', pk, 'SK', replace(sk, 'ORDER', 'RETURN')))::text AS new_text,
		(SELECT json_agg(json_build_object('Put', json_build_object('TableName', 'ours_room', 'Item',
				populated || jsonb_build_object('PK', jsonb_build_object('S', pk),
					'SK', jsonb_build_object('S', 'ORDER#2026-' || lpad(j::text, 4, '0'))))))
			FROM generate_series(0, 9) j) AS ten_puts
	FROM (SELECT pk, sk, doc, (doc::ddb.item)::text::jsonb AS populated FROM plain_room) r;
CREATE UNIQUE INDEX ON keys (n);
VACUUM ANALYZE keys;
