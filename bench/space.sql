-- Table and index together, in bytes, after random arrival and after a COPY in
-- key order (tools/bench has made and copied the tables).
SELECT 'bytes after random arrival, as it arrived', o, p, round(o / p, 3), ''
FROM (SELECT pg_total_relation_size('ours')::numeric AS o, pg_total_relation_size('plain')::numeric AS p) x;
SELECT 'bytes after a sorted COPY', o, p, round(o / p, 3), '<= 0.82'
FROM (SELECT pg_total_relation_size('ours_sorted')::numeric AS o, pg_total_relation_size('plain_sorted')::numeric AS p) x;
