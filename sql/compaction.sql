-- Compaction in the background: its setting and its view.  What it does is in
-- t/058_compaction.pl.
SET client_min_messages = warning;
SELECT ddb.create_table('small', partition_key => 'PK', sort_key => 'SK');
SELECT boot_val, min_val, max_val, context FROM pg_settings WHERE name = 'ddb.compact_rate';
SET ddb.compact_rate = -1;
SET ddb.compact_rate = 1000001;
-- a name of ours that is misspelt is not taken for somebody else's setting
SET ddb.compaction_rate = 0;
SET ddb.compact_rate = 0;
SHOW ddb.compact_rate;
RESET ddb.compact_rate;

-- it is the superuser's to say, for a database too; everybody may look
CREATE ROLE regress_looker;
SET ROLE regress_looker;
SET ddb.compact_rate = 0;
SELECT state, table_rows, rows_written, due_at, rows_seen, rows_moved, finished
	FROM ddb.compaction_status WHERE table_name = 'small';
RESET ROLE;
DROP ROLE regress_looker;

-- tables of ours, and no others
CREATE TABLE plain (LIKE small) USING heap;
CREATE TEMP TABLE passing (LIKE small INCLUDING ALL) USING ddb;
SELECT table_name, state FROM ddb.compaction_status WHERE table_name IN ('small', 'plain', 'passing') ORDER BY table_name;
DROP TABLE small, plain, passing;
