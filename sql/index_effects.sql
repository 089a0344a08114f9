-- Which indexes a change is logged for, and whether one has lost an entry.
SET client_min_messages = warning;
SELECT ddb.create_table('e', 'PK', 'SK');
SELECT ddb.add_index('e', 'all', 's');
SELECT ddb.add_index('e', 'some', 's', 'n', sort_key_type => 'N', projection => 'INCLUDE', include => '{box}');
SELECT ddb.add_index('e', 'turned', 'SK', 'PK', projection => 'KEYS_ONLY');

CREATE FUNCTION relation_name(bytes bytea) RETURNS text LANGUAGE sql AS $$
	SELECT relname FROM pg_class
	WHERE int4send(oid::int) IN (bytes, substr(bytes, 4, 1) || substr(bytes, 3, 1) || substr(bytes, 2, 1) || substr(bytes, 1, 1))
$$;
CREATE FUNCTION effect(old bytea) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN old IS NULL THEN 'all of them' WHEN old = '' THEN 'all of them, new' ELSE
		coalesce((SELECT string_agg(relation_name(substr(old, 2 + 4 * i, 4)), ' ' ORDER BY i) FROM generate_series(0, get_byte(old, 0) - 1) i), 'all of them') ||
		CASE WHEN octet_length(old) > 1 + 4 * get_byte(old, 0) THEN ', lost' ELSE '' END END
$$;
-- What this transaction has logged, in order of writing.
CREATE FUNCTION logged(OUT item text, OUT effect text) RETURNS SETOF record LANGUAGE sql AS $$
	SELECT convert_from(substr(key, 3), 'UTF8'), effect(old)
	FROM (SELECT ctid, * FROM ddb.index_log_1 UNION ALL SELECT ctid, * FROM ddb.index_log_2) l
	WHERE xid = pg_current_xact_id() AND tbl = 'e'::regclass ORDER BY ctid
$$;
CREATE FUNCTION change(sk text, update text, attr_values jsonb DEFAULT NULL) RETURNS void LANGUAGE sql AS $$
	SELECT ddb.update_item('e', 'a', sk, update => update, attr_values => attr_values)
$$;
CREATE FUNCTION wrong() RETURNS TABLE (index text, difference text, key jsonb) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM ddb.run_maintenance();
	FOREACH index IN ARRAY '{all,some,turned}'::text[] LOOP
		RETURN QUERY SELECT index, v.difference::text, v.key::text::jsonb FROM ddb.verify_index('e', index) v;
	END LOOP;
END $$;

-- comes, and goes
BEGIN;
SELECT ddb.put_item('e', '{"PK": "a", "SK": "1", "s": "x", "n": 1, "box": {"a": {"b": [1, 2]}}, "memo": "f"}');
SELECT ddb.put_item('e', '{"PK": "a", "SK": "2"}');
SELECT ddb.put_item('e', '{"PK": "a", "SK": "3", "s": "x"}');
SELECT ddb.put_item('e', '{"PK": "a", "SK": "4", "s": "x", "n": 1}');
SELECT ddb.delete_item('e', 'a', '3');
SELECT ddb.delete_item('e', 'a', '4');
SELECT * FROM logged();
COMMIT;

-- an attribute that one of them sees; all of an item; a part of what is
-- projected; another part, by SQL; nothing new; more than a few at a time
BEGIN;
SELECT change('1', 'SET memo = :v', '{":v": "g"}');
SELECT change('1', 'SET memo = :v, more = :v', '{":v": "h"}');
SELECT change('1', 'SET box.a.b[1] = :v', '{":v": 3}');
UPDATE e SET item = item || '{"box": {"a": {"b": [1, 4]}}}' WHERE sk = '1';
SELECT change('1', 'SET memo = :v', '{":v": "h"}');
SELECT change('1', 'SET memo = :v, more = :v', '{":v": "h"}');
SELECT change('1', 'SET box = :v', '{":v": {"a": {"b": [1, 4]}}}');
SELECT change('1', 'REMOVE nothing');
UPDATE e SET item = item WHERE sk = '1';
SELECT change('1', 'SET a1 = :v, a2 = :v, a3 = :v, a4 = :v, a5 = :v, box = :v', '{":v": "h"}');
SELECT change('1', 'REMOVE a1, a2, a3, a4, a5');
SELECT * FROM logged();
COMMIT;
-- of an item that only the table's own key has in an index
BEGIN;
SELECT change('2', 'SET memo = :v', '{":v": "g"}');
SELECT * FROM logged();
COMMIT;

-- a key changes, goes, comes back, and is what it was
BEGIN;
SELECT change('1', 'SET n = n + :v', '{":v": 1}');
SELECT change('1', 'SET n = n + :v', '{":v": 0}');
SELECT change('1', 'REMOVE n');
SELECT change('1', 'SET n = :v', '{":v": 2}');
SELECT change('1', 'REMOVE s');
SELECT change('1', 'SET memo = :v', '{":v": "i"}');
SELECT change('1', 'SET s = :v', '{":v": "x"}');
SELECT change('1', 'SET s = :v, memo = :v', '{":v": "y"}');
SELECT * FROM logged();
COMMIT;
SELECT * FROM wrong();

-- An index is added while everything about the table is warm.
SELECT change('1', 'SET memo = :v', '{":v": "j"}');
SELECT ddb.add_index('e', 'memo', 'memo', projection => 'KEYS_ONLY');
BEGIN;
SELECT change('1', 'SET memo = :v', '{":v": "k"}');
SELECT change('2', 'SET memo = :v', '{":v": "k"}');
SELECT change('2', 'SET surplus = :v', '{":v": "k"}');
SELECT * FROM logged();
COMMIT;
SELECT ddb.drop_index('e', 'memo');
BEGIN;
SELECT change('2', 'SET memo = :v', '{":v": "l"}');
SELECT * FROM logged();
COMMIT;
SELECT * FROM wrong();

-- An attribute of a wrong type from before an index refuses every write that
-- leaves it there, as DynamoDB does, and none that does not.
SELECT change('1', 'SET kind = :v', '{":v": 5}');
SELECT ddb.add_index('e', 'kind', 'kind', projection => 'KEYS_ONLY');
\set VERBOSITY terse
SELECT change('1', 'SET memo = :v', '{":v": "k"}');
UPDATE e SET item = item || '{"memo": "k"}' WHERE sk = '1';
\set VERBOSITY default
BEGIN;
SELECT change('1', 'SET kind = :v', '{":v": "5"}');
SELECT change('1', 'SET memo = :v', '{":v": "m"}');
SELECT change('1', 'REMOVE kind');
SELECT * FROM logged();
COMMIT;
SELECT ddb.drop_index('e', 'kind');
SELECT * FROM wrong();

-- Any item becomes any other, in any way: what is logged is what a comparison
-- of both says.  Some are so long that they have another form.
CREATE FUNCTION some_item() RETURNS jsonb LANGUAGE sql AS $$
	SELECT jsonb_strip_nulls(jsonb_build_object(
		's', CASE WHEN random() < 0.7 THEN 's' || floor(random() * 2) END,
		'n', CASE WHEN random() < 0.7 THEN floor(random() * 2) END,
		'box', CASE WHEN random() < 0.5 THEN jsonb_build_object('x', floor(random() * 2), 'y', '[1, 2]'::jsonb) END,
		'memo', CASE WHEN random() < 0.5 THEN repeat('f', (random() * 20)::int) END,
		'a long name of an attribute', CASE WHEN random() < 0.5 THEN floor(random() * 2) END,
		'large', CASE WHEN random() < 0.3 THEN repeat('l', 900 + (random() * 200)::int) END,
		'zz', random() < 0.5))
$$;
CREATE FUNCTION expected_effect(o jsonb, n jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(relation, ' ' ORDER BY relation) || CASE WHEN bool_or(stood AND moved) THEN ', lost' ELSE '' END
	FROM (VALUES ('e_all', o ? 's', n ? 's', (o -> 's') IS DISTINCT FROM (n -> 's'), o <> n),
		('e_some', o ?& '{s,n}', n ?& '{s,n}', ((o -> 's'), (o -> 'n')) IS DISTINCT FROM ((n -> 's'), (n -> 'n')),
			((o -> 's'), (o -> 'n'), (o -> 'box')) IS DISTINCT FROM ((n -> 's'), (n -> 'n'), (n -> 'box'))))
		v (relation, stood, stands, moved, changed)
	WHERE (stood OR stands) AND changed
$$;
DO $$
DECLARE
	o jsonb; n jsonb; got text; expected text; rows int; before int; nothing int := 0;
	sets text; removes text; names jsonb; vals jsonb;
BEGIN
	PERFORM setseed(0.5);
	o := some_item();
	INSERT INTO e VALUES ('a', 'r', o);
	FOR i IN 1 .. 600 LOOP
		n := some_item();
		IF i % 2 = 0 THEN	-- but for one attribute as before
			SELECT o - key || coalesce(jsonb_build_object(key, n -> key), '{}') INTO n
				FROM (SELECT key FROM jsonb_object_keys(o || n) key ORDER BY random() LIMIT 1) k;
			n := jsonb_strip_nulls(n);
		END IF;
		SELECT count(*) INTO before FROM logged();
		IF i % 3 = 0 THEN
			PERFORM ddb.put_item('e', n || '{"PK": "a", "SK": "r"}');
		ELSIF i % 3 = 1 THEN
			UPDATE e SET item = n WHERE pk = 'a' AND sk = 'r';
		ELSE
			SELECT string_agg(format('#%s = :%s', a, a), ', ') FILTER (WHERE n ? key), string_agg('#' || a, ', ') FILTER (WHERE NOT n ? key),
				jsonb_object_agg('#' || a, key), jsonb_object_agg(':' || a, n -> key) FILTER (WHERE n ? key) INTO sets, removes, names, vals
				FROM (SELECT key, 'a' || row_number() OVER () AS a FROM jsonb_object_keys(o || n) key WHERE i % 4 = 0 OR (o -> key) IS DISTINCT FROM (n -> key)) k;
			IF names IS NOT NULL THEN
				PERFORM ddb.update_item('e', 'a', 'r', update => concat_ws(' ', 'SET ' || sets, 'REMOVE ' || removes), attr_names => names, attr_values => vals);
			END IF;
		END IF;
		IF (SELECT item FROM e WHERE pk = 'a' AND sk = 'r') <> n::ddb.item THEN
			RAISE EXCEPTION '% did not become %', o, n;
		END IF;
		SELECT count(*) - before, (array_agg(l.effect))[before + 1] INTO rows, got FROM logged() l;
		expected := expected_effect(o, n);
		IF got IS DISTINCT FROM expected OR rows <> (expected IS NOT NULL)::int THEN
			RAISE EXCEPTION '% to %: %, expected %', o, n, got, expected;
		END IF;
		nothing := nothing + (expected IS NULL)::int;
		o := n;
	END LOOP;
	IF nothing NOT BETWEEN 50 AND 550 THEN RAISE EXCEPTION 'no choice of items: % without effect', nothing; END IF;
END $$;
SELECT * FROM wrong();
DROP TABLE e;
DROP FUNCTION relation_name(bytea), effect(bytea), logged(), change(text, text, jsonb), wrong(), some_item(), expected_effect(jsonb, jsonb);
