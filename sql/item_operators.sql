-- The operators on ddb.item, under the default search_path.
\set VERBOSITY terse
SHOW search_path;
CREATE TEMP TABLE t (item ddb.item);
INSERT INTO t VALUES ('{"n": {"N": "59"}, "s": {"S": "a \"b\""}, "b": {"B": "AAEC"}, "t": {"BOOL": true}, "z": {"NULL": true},
	"l": {"L": [{"N": "1"}, {"S": "two"}, {"M": {"k": {"S": "deep"}}}]}, "m": {"M": {"x": {"N": "1"}, "y": {"L": [{"N": "2"}]}}},
	"ss": {"SS": ["red", "blue"]}, "ns": {"NS": ["1", "10", "2"]}}');

-- One SELECT with each operator.
SELECT item -> 'n', item ->> 'n', item #> '{m,y}', item #>> '{l,1}', item ? 'n', item ?| '{q,n}', item ?& '{q,n}',
	item = item, item <> item, item @> '{"n": 59}' FROM t;
SELECT '{"a": {"N": "1"}, "b": {"S": "x"}}'::ddb.item || '{"b": 2, "c": 3}', '{"a": {"N": "1"}, "b": {"S": "x"}}'::ddb.item - 'a',
	'{"a": {"N": "1"}, "b": {"S": "x"}}'::ddb.item - '{a,b,c}'::text[], '{"a": {"M": {"b": {"N": "1"}, "c": {"N": "2"}}}}'::ddb.item #- '{a,b}';
-- And with none but the system's path: operators are then named in full.
SET search_path = '';
SELECT '{"a": {"N": "1"}}'::ddb.item OPERATOR(public.->) 'a', ddb.has('{"a": {"N": "1"}}', 'a');
RESET search_path;

-- 1. One attribute, as jsonb and as text.
SELECT name, item -> name AS jsonb, jsonb_typeof(item -> name), item ->> name AS text, item ? name AS has, ddb.has(item, name)
FROM t, unnest('{n,s,b,t,z,l,m,ss,ns,missing}'::text[]) name;
SELECT item -> NULL, item ->> NULL, item ? NULL, NULL::ddb.item -> 'a' FROM t;
-- jsonb's own operators go on from there.
SELECT item -> 'l' -> 2 ->> 'k', item -> 'm' #>> '{y,0}', jsonb_array_length(item -> 'ss'), (item ->> 'n')::numeric + 1 FROM t;

-- 2. Paths, through lists and into sets.
SELECT path, item #> path::text[] AS jsonb, item #>> path::text[] AS text FROM t, unnest(ARRAY['{n}', '{l,0}', '{l,-1}', '{l,-3}', '{l,2,k}', '{m,y,0}', '{ss,0}', '{ss,1}', '{ns,2}', '{ns,-1}', '{z}',
	'{l,3}', '{l,-4}', '{l,x}', '{l,""}', '{l,-}', '{l,99999999999}', '{l,0,0}', '{n,0}', '{missing,a}', '{ss,2}', '{l,NULL}']) path;
SELECT item #> '{}' = item::jsonb, item #>> '{}' = item::json::text FROM t;

-- 3. Which attributes are there?
SELECT names, item ?| names::text[] AS any, item ?& names::text[] AS all
FROM t, unnest(ARRAY['{n,s}', '{n,q}', '{q,r}', '{}', '{NULL,n}', '{NULL}']) names;

-- 4. Containment, as jsonb has it; a set contains lists of its members, for plain JSON has no sets.
SELECT part, item @> part::ddb.doc FROM t, unnest(ARRAY['{}', '{"n": 59.0}', '{"n": 60}', '{"n": "59"}', '{"q": 1}', '{"z": null}', '{"q": null}', '{"t": true}', '{"t": false}',
	'{"m": {}}', '{"m": {"x": 1}}', '{"m": {"x": 1, "y": []}}', '{"m": {"x": 2}}', '{"m": {"z": 1}}', '{"l": []}', '{"l": ["two", 1]}', '{"l": [{"k": "deep"}]}', '{"l": [{"k": "other"}]}',
	'{"l": [[1]]}', '{"l": "two"}', '{"ss": ["blue"]}', '{"ss": ["blue", "red"]}', '{"ss": ["green"]}', '{"ss": []}', '{"ns": [10, 1]}', '{"ns": ["1"]}', '{"b": "AAEC"}']) part;
SELECT part, item @> part::ddb.item FROM t, unnest(ARRAY['{"ss": {"SS": ["red"]}}', '{"ss": {"SS": ["red", "green"]}}', '{"ns": {"NS": ["2.0"]}}', '{"ss": {"NS": ["1"]}}', '{"l": {"SS": ["two"]}}', '{"b": {"B": "AAEC"}}']) part;
-- jsonb and ddb.item agree wherever jsonb has the types.
SELECT count(*), bool_and((a::jsonb @> b::jsonb) = (a::jsonb::ddb.item @> b::jsonb))
FROM unnest(ARRAY['{}', '{"a": 1}', '{"a": [1, 2]}', '{"a": [1]}', '{"a": []}', '{"a": {"b": [1, {"c": 2}]}}', '{"a": {"b": [{"c": 2}]}}', '{"a": {"b": [{}]}}', '{"a": [[1], [2]]}', '{"a": [[2]]}', '{"a": null}', '{"a": {}}', '{"b": 1}', '{"a": 1, "b": 1}']) a,
	unnest(ARRAY['{}', '{"a": 1}', '{"a": [1, 2]}', '{"a": [1]}', '{"a": []}', '{"a": {"b": [1, {"c": 2}]}}', '{"a": {"b": [{"c": 2}]}}', '{"a": {"b": [{}]}}', '{"a": [[1], [2]]}', '{"a": [[2]]}', '{"a": null}', '{"a": {}}', '{"b": 1}', '{"a": 1, "b": 1}']) b;
-- Every kind of right side resolves.
SELECT item @> '{"n": 59}'::jsonb, item @> '{"n": 59}'::json, item @> '{"n": {"N": "59"}}'::ddb.item FROM t;
SELECT item || '{"n": 1}'::jsonb ->> 'n', (item || '{"n": 1}'::json) ->> 'n', (item || '{"n": {"SS": ["x"]}}'::ddb.item) -> 'n' FROM t;

-- 5. Merging keeps types, above all sets.
SELECT ('{"a": {"SS": ["x"]}, "b": {"N": "1"}}'::ddb.item || '{"b": {"c": 1}}');
SELECT '{"a": {"M": {"x": {"N": "1"}}}}'::ddb.item || '{"a": {"y": 2}}', '{}'::ddb.item || '{}', '{"a": {"N": "1"}}'::ddb.item || '{}';
UPDATE t SET item = (item || '{"status": "SHIPPED"}') - 'l';
SELECT item ->> 'status', item ? 'l', item -> 'ss' FROM t;
PREPARE merge AS UPDATE t SET item = item || $1 RETURNING item -> 'added';
EXECUTE merge('{"added": [1, {"x": null}]}');
DEALLOCATE merge;
SELECT octet_length(('{}'::ddb.item || jsonb_build_object('a', repeat('x', 409599))) ->> 'a');
SELECT '{"b": {"N": "1"}}'::ddb.item || jsonb_build_object('a', repeat('x', 409599));

-- 6. Cutting.
SELECT item, item - 'a', item - 'q', item - '{a,c,NULL}'::text[], item - '{}'::text[] FROM (VALUES ('{"a": {"N": "1"}, "b": {"SS": ["x"]}}'::ddb.item)) v (item);
SELECT path, '{"a": {"L": [{"N": "1"}, {"M": {"b": {"N": "2"}, "c": {"N": "3"}}}, {"N": "4"}]}, "s": {"SS": ["x", "y"]}}'::ddb.item #- path::text[]
FROM unnest(ARRAY['{a}', '{a,0}', '{a,-1}', '{a,1,b}', '{a,1}', '{a,7}', '{a,x}', '{a,0,b}', '{q,r}', '{s,0}', '{s}', '{}']) path;
SELECT '{"a": {"L": [{"N": "1"}]}, "m": {"M": {"x": {"N": "1"}}}}'::ddb.item #- '{a,0}' #- '{m,x}';

-- 7. Equality: sets without order, numbers by value, types by type.
SELECT a, b, a::ddb.item = b::ddb.item AS "=", a::ddb.item <> b::ddb.item AS "<>", ddb.item_hash(a::ddb.item) = ddb.item_hash(b::ddb.item) AS hash FROM (VALUES
	('{"a": {"N": "1.0"}, "b": {"S": "x"}}', '{"b": {"S": "x"}, "a": {"N": "10E-1"}}'),
	('{"a": {"L": [{"SS": ["x", "y"]}]}}', '{"a": {"L": [{"SS": ["y", "x"]}]}}'),
	('{"a": {"L": [{"N": "1"}, {"N": "2"}]}}', '{"a": {"L": [{"N": "2"}, {"N": "1"}]}}'),
	('{"a": {"N": "1"}}', '{"a": {"S": "1"}}'), ('{"a": {"SS": ["x"]}}', '{"a": {"L": [{"S": "x"}]}}'), ('{"a": {"B": "YQ=="}}', '{"a": {"S": "a"}}'),
	('{"a": {"BOOL": true}}', '{"a": {"BOOL": false}}'), ('{"a": {"NULL": true}}', '{}')) AS v (a, b);
CREATE TEMP TABLE many AS SELECT jsonb_build_object('k', i % 10, 'l', ARRAY[i % 2])::ddb.item AS item FROM generate_series(1, 1000) i;
SELECT item, count(*) FROM many GROUP BY item ORDER BY item ->> 'k';
SELECT count(*) FROM (SELECT DISTINCT item FROM many) d;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT count(*) FROM many a JOIN many b USING (item);
EXPLAIN (COSTS OFF) SELECT count(*) FROM many a JOIN many b USING (item);
RESET enable_nestloop;
RESET enable_mergejoin;
CREATE INDEX ON many USING hash (item);
SET enable_seqscan = off;
SELECT count(*) FROM many WHERE item = '{"k": {"N": "3"}, "l": {"L": [{"N": "1"}]}}';
RESET enable_seqscan;
SELECT ddb.item_hash(item) = ddb.item_hash_extended(item, 0)::bit(32)::int AS same_low_half, ddb.item_hash_extended(item, 0) <> ddb.item_hash_extended(item, 1) AS seeded FROM t;

-- 8. Lists into sets.
SELECT ddb.to_set('{"s": ["b", "a"], "n": [2, 1.0], "l": [1, "x"]}', 's', 'n');
SELECT ddb.to_set('{"b": {"L": [{"B": "AQ=="}, {"B": "AA=="}]}, "s": {"SS": ["x"]}}'::ddb.item, 'b', 's', 'missing');
SELECT ddb.to_set('{":t": ["vip"]}'::jsonb, ':t'), ddb.to_set('{":t": ["vip"]}'::json, VARIADIC '{:t}');
SELECT ddb.to_set('{"s": ["a", 1]}', 's');
SELECT ddb.to_set('{"s": [["a"]]}', 's');
SELECT ddb.to_set('{"s": "a"}', 's');
SELECT ddb.to_set('{"s": ["a", "a"]}', 's');
SELECT ddb.to_set('{"s": []}', 's');

-- 9. Plain jsonb, text and arrays are not disturbed.
SELECT '{"a": 1}'::jsonb || '{"b": 2}', '{"a": 1}'::jsonb - 'a', '{"a": 1}'::jsonb @> '{"a": 1}', '{"a": 1}'::jsonb = '{"a": 1}', 'a' || 'b', ARRAY[1] || 2, '{1}'::int[] @> '{1}', '{"a": 1}'::json ->> 'a';
-- An item compares with jsonb by becoming none: jsonb becomes an item.
SELECT '{"a": {"N": "1"}}'::ddb.item = '{"a": 1}'::jsonb, '{"a": 1}'::jsonb = '{"a": {"N": "1"}}'::ddb.item;

-- 10. A large item: whatever its size, what is small is found.
CREATE TEMP TABLE large (item ddb.item);
ALTER TABLE large ALTER item SET STORAGE external;
INSERT INTO large SELECT ('{"big": "' || repeat('x', 300000) || '", "n": 7, "list": [' || repeat('1, ', 999) || '1], "m": {"deep": "value"}}')::ddb.doc;
SELECT item ->> 'n', item #>> '{m,deep}', item ? 'list', item ? 'q', item -> 'q', length(item ->> 'big'), jsonb_array_length(item -> 'list') FROM large;
ALTER TABLE large ALTER item SET STORAGE extended;
UPDATE large SET item = item || '{"n": 8}';
SELECT item ->> 'n', item #>> '{m,deep}', item ? 'list', item ? 'q', item -> 'q', length(item ->> 'big'), jsonb_array_length(item -> 'list') FROM large;
