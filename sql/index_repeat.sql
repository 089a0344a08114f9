-- Changes applied again, and more than one to an item at once: nothing depends
-- on what the log says of where an entry is, or that its item is new.
SET client_min_messages = warning;
SELECT ddb.create_table('r', partition_key => 'PK', sort_key => 'SK') \g /dev/null
SELECT ddb.add_index('r', 'by_kind', 'kind', 'rank', sort_key_type => 'N', projection => 'INCLUDE', include => ARRAY['note']) \g /dev/null
SELECT ddb.add_index('r', 'by_shard', 'kind', projection => 'KEYS_ONLY', shards => 3) \g /dev/null
SELECT ddb.run_maintenance() \g /dev/null
CREATE FUNCTION put(p text, s text, kind text, rank int, note text DEFAULT 'n') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ddb.put_item('r', jsonb_build_object('PK', p, 'SK', s, 'kind', kind, 'rank', rank, 'note', note));
	RETURN p;
END $$;
CREATE FUNCTION remove(p text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ddb.delete_item('r', p, 's');
	RETURN p;
END $$;
CREATE VIEW entries AS
	SELECT ipk, isk, pk, sk, item ->> 'note' AS note FROM r_by_kind ORDER BY ipk, isk, pk, sk;
-- What is wrong: nothing.
CREATE VIEW wrong AS
	SELECT index_name, d.* FROM ddb.index_status, ddb.verify_index('r', index_name) d WHERE table_name = 'r'
	UNION ALL
	SELECT 'count', index_name, NULL FROM ddb.index_status
		WHERE table_name = 'r' AND entries <> (SELECT count(*) FROM r_by_kind);
-- Applies what has been logged since the last time; then all of it once more.
CREATE TABLE reached AS SELECT index_oid, snapshot, places FROM ddb.index_cursor WHERE table_oid = 'r'::regclass;
CREATE PROCEDURE apply_twice() LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ddb.run_maintenance();
	UPDATE ddb.index_cursor c SET snapshot = r.snapshot, places = r.places, until = NULL
		FROM reached r WHERE r.index_oid = c.index_oid;
	PERFORM ddb.run_maintenance();
	UPDATE reached r SET snapshot = c.snapshot, places = c.places
		FROM ddb.index_cursor c WHERE r.index_oid = c.index_oid;
END $$;

-- New items, whose entries are there the second time.
SELECT count(put('p' || i, 's', 'a', i)) FROM generate_series(1, 3) i;
CALL apply_twice();
TABLE entries;
TABLE wrong;

-- One moves, one goes, one changes what is projected, one stays and another comes.
SELECT put('p1', 's', 'b', 1), put('p3', 's', 'a', 3, 'changed'), put('p4', 's', 'a', 4), remove('p2');
CALL apply_twice();
TABLE entries;
TABLE wrong;

-- Several changes of one item at once: there and back, in a chain, gone and
-- come again, come and gone.
SELECT put('p1', 's', 'c', 1);
SELECT put('p1', 's', 'b', 1, 'back');
SELECT put('p3', 's', 'x', 3);
SELECT put('p3', 's', 'y', 3);
SELECT put('p3', 's', 'z', 3, 'chain');
SELECT remove('p4');
SELECT put('p4', 's', 'a', 4, 'again');
SELECT put('p5', 's', 'a', 5);
SELECT remove('p5');
CALL apply_twice();
TABLE entries;
TABLE wrong;

-- In a table that has an index of its user's on the entries, which refuses two of one item.
CREATE UNIQUE INDEX one_each ON r_by_kind (pk, sk);
SELECT put('p6', 's', 'a', 6), put('p1', 's', 'd', 1), remove('p4');
CALL apply_twice();
TABLE entries;
TABLE wrong;
SELECT DISTINCT last_error FROM ddb.index_status WHERE table_name = 'r';

-- More than are written at once, keys that all are equal, and longer than any.
SELECT count(put('q' || i, repeat('s', 1 + i % 7), 'many', i % 3)) FROM generate_series(1, 200) i;
SELECT put('long', 's', repeat('k', 2000), 1);
CALL apply_twice();
SELECT left(ipk, 4) AS ipk, isk, count(*) FROM r_by_kind GROUP BY ipk, isk ORDER BY 1, 2;
TABLE wrong;
SELECT count(put('q' || i, repeat('s', 1 + i % 7), 'more' || i % 2, i % 5)) FROM generate_series(1, 200) i;
SELECT put('long', 's', repeat('k', 1999), 1);
CALL apply_twice();
SELECT left(ipk, 5) AS ipk, length(ipk), isk, count(*) FROM r_by_kind GROUP BY ipk, isk ORDER BY 1, 2, 3;
TABLE wrong;
DROP VIEW entries, wrong;
DROP TABLE reached;
DROP FUNCTION remove(text);
DROP PROCEDURE apply_twice();
DROP FUNCTION put(text, text, text, int, text);
SELECT ddb.drop_table('r');
