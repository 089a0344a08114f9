-- A warm query of a whole collection of 50 items, and the time of a get.
SELECT compare('warm query of 50 items, us (times faster)', 2000, '>= 2.5',
	$$SELECT count(i) INTO n FROM ddb.query('ours', 'PK = :p', attr_values => jsonb_build_object(':p', p)) i;$$,
	$$SELECT count(doc) INTO n FROM (SELECT doc FROM plain WHERE pk = p ORDER BY sk OFFSET 0) i;$$);
SELECT compare('the same by ddb.collection', 2000, '',
	$$SELECT count(i) INTO n FROM ddb.collection('ours', p) i;$$,
	$$SELECT count(doc) INTO n FROM (SELECT doc FROM plain WHERE pk = p ORDER BY sk OFFSET 0) i;$$);
SELECT compare('the same by SELECT', 2000, '',
	$$SELECT count(item) INTO n FROM (SELECT item FROM ours WHERE pk = p ORDER BY sk OFFSET 0) i;$$,
	$$SELECT count(doc) INTO n FROM (SELECT doc FROM plain WHERE pk = p ORDER BY sk OFFSET 0) i;$$);
SELECT compare('get, us', 20000, '',
	$$y := ddb.get_item('ours', p, s);$$,
	$$SELECT doc INTO x FROM plain WHERE pk = p AND sk = s;$$);
-- The planner prefers a bitmap scan and a sort there.
SET enable_bitmapscan = off;
SELECT compare('warm query of 50 items, beside an index scan', 2000, '',
	$$SELECT count(i) INTO n FROM ddb.query('ours', 'PK = :p', attr_values => jsonb_build_object(':p', p)) i;$$,
	$$SELECT count(doc) INTO n FROM (SELECT doc FROM plain WHERE pk = p ORDER BY sk OFFSET 0) i;$$);
