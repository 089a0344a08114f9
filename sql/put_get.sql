-- put_item, get_item, delete_item on one item.
SELECT ddb.create_table('p', 'PK', 'SK');
SELECT ddb.create_table('p1', 'id');

-- Put answers with nothing, or with what was there.
SELECT ddb.put_item('p', '{"PK": "a", "SK": "1", "v": 1}');
SELECT ddb.put_item('p', '{"PK": "a", "SK": "1", "v": 2}', return_values => 'ALL_OLD');
SELECT ddb.put_item('p', '{"PK": "a", "SK": "2"}', return_values => 'ALL_OLD') IS NULL AS nothing_before;
SELECT ddb.put_item('p', '{"PK": "a", "SK": "1"}', return_values => 'ALL_NEW');
SELECT ddb.put_item('p', '{"PK": "a", "SK": "1"}', return_values => 'all_old');

-- A put replaces the whole item.
SELECT ddb.put_item('p', '{"PK": "a", "SK": "1", "w": [1, {"x": null}, true]}');
SELECT ddb.get_item('p', 'a', '1');
SELECT ddb.get_item('p', 'a', '2');
SELECT ddb.get_item('p', 'a', '3') IS NULL AS missing;

-- Typed values keep their types; plain ones become S, N, BOOL, NULL, L, M.
SELECT ddb.put_item('p', '{"PK": {"S": "t"}, "SK": {"S": "1"}, "ss": {"SS": ["b", "a"]}, "ns": {"NS": ["1.0", "-2"]},
	"bs": {"BS": ["AQ=="]}, "b": {"B": ""}, "nul": {"NULL": true}, "n": {"N": "1E2"}}'::ddb.item);
SELECT ddb.get_item('p', 't', '1');
SELECT ddb.put_item('p', '{"PK": "t", "SK": "2", "size": {"S": "sold out"}}');
SELECT ddb.get_item('p', 't', '2');

-- Keys that do not fit.
SELECT ddb.put_item('p', '{"PK": "a"}');
SELECT ddb.put_item('p', '{"SK": "1", "v": 2}');
SELECT ddb.put_item('p', '{"PK": "a", "SK": 1}');
SELECT ddb.put_item('p', '{"PK": "", "SK": "1"}');
SELECT ddb.put_item('p', '{"PK": "a", "SK": ""}');
SELECT ddb.put_item('p', '{"PK": {"S": "a"}, "SK": {"S": "1"}}');
SELECT ddb.put_item('p', '{"PK": {"S": "a", "x": 1}, "SK": "1"}');
SELECT ddb.put_item('p', jsonb_build_object('PK', repeat('x', 2049), 'SK', '1'));
SELECT ddb.put_item('p', jsonb_build_object('PK', 'a', 'SK', repeat('x', 1025)));
SELECT ddb.get_item('p', 'a');
SELECT ddb.get_item('p1', 'a', 'b');
SELECT ddb.get_item('p', NULL, 'b');
SELECT ddb.get_item('p', '', 'b');
SELECT ddb.put_item('p', NULL);
SELECT ddb.get_item(NULL, 'a', 'b');
SELECT ddb.get_item('no_such_table', 'a', 'b');

-- An item of keys only; and a simple key.
SELECT ddb.put_item('p1', '{"id": "only"}');
SELECT ddb.get_item('p1', 'only');
SELECT * FROM p1;

-- Projections.
SELECT ddb.put_item('p', '{"PK": "a", "SK": "p", "name": "Ann", "els": [1, 2, 3], "map": {"x": {"y": 1}, "z": 2}}');
SELECT ddb.get_item('p', 'a', 'p', projection => 'PK, els[1], #m.x', attr_names => '{"#m": "map"}')::jsonb;
SELECT ddb.get_item('p', 'a', 'p', projection => 'nothing');
SELECT ddb.get_item('p', 'none', 'p', projection => 'els') IS NULL AS missing;
SELECT ddb.get_item('p', 'a', 'p', projection => 'els, els[1]');
SELECT ddb.get_item('p', 'a', 'p', projection => '#x');
SELECT ddb.get_item('p', 'a', 'p', projection => 'els', attr_names => '{"#m": "map"}');
SELECT ddb.get_item('p', 'a', 'p', projection => '');

-- Sizes: 400 KB counted with names; the key counts too.
SELECT ddb.put_item('p1', jsonb_build_object('id', 'big', 'v', repeat('x', 409600 - 6)));
SELECT length(ddb.get_item('p1', 'big') ->> 'v');
SELECT ddb.put_item('p1', jsonb_build_object('id', 'big', 'v', repeat('x', 409600 - 5)));
SELECT ddb.update_item('p1', 'big', update => 'SET w = :w', attr_values => '{":w": "1"}');
SELECT length(ddb.get_item('p1', 'big') ->> 'v');

-- Deleting answers with the item that was there.
SELECT ddb.delete_item('p', 'a', '1')::jsonb;
SELECT ddb.delete_item('p', 'a', '1') IS NULL AS nothing;
SELECT ddb.delete_item('p', 'a', '2', return_values => 'NONE') IS NULL AS not_asked;
SELECT ddb.get_item('p', 'a', '2') IS NULL AS gone;
SELECT ddb.delete_item('p', 'a', '2', return_values => 'UPDATED_OLD');
SELECT ddb.delete_item('p', 'a');

-- In one transaction: its own writes are seen by later statements, savepoints undo.
BEGIN;
SELECT ddb.put_item('p1', '{"id": "tx", "v": 1}');
SAVEPOINT s;
SELECT ddb.put_item('p1', '{"id": "tx", "v": 2}');
SELECT ddb.get_item('p1', 'tx') ->> 'v' AS v;
ROLLBACK TO s;
SELECT ddb.get_item('p1', 'tx') ->> 'v' AS v;
SELECT ddb.put_item('p1', '{"id": "tx", "v": 3}') IS NULL, ddb.put_item('p1', '{"id": "tx", "v": 4}', return_values => 'ALL_OLD') ->> 'v' AS old;
COMMIT;
SELECT ddb.get_item('p1', 'tx') ->> 'v' AS v;

-- Writes are VOLATILE: not in a read-only transaction.
BEGIN READ ONLY;
SELECT ddb.get_item('p1', 'tx') ->> 'v' AS v;
SELECT ddb.put_item('p1', '{"id": "tx", "v": 5}');
ROLLBACK;

-- Many calls in one statement.
SELECT count(ddb.put_item('p1', jsonb_build_object('id', 'k' || i, 'i', i))) FROM generate_series(1, 100) i;
SELECT sum((ddb.get_item('p1', 'k' || i) ->> 'i')::int) FROM generate_series(1, 100) i;

DROP TABLE p, p1;
