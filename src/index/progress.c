/*-------------------------------------------------------------------------
 *
 * progress.c
 *	  How far the indexes are, for those who wait for them or watch them.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "executor/spi.h"
#include "index/index_int.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

const char *
ddb_index_name(Oid index)
{
	const DdbIndexSet *set = ddb_table_indexes(ddb_index_base(index));

	for (int i = 0; set && i < set->n; i++)
	{
		if (set->index[i].relid == index)
			return set->index[i].name;
	}
	return get_rel_name(index);
}

List *
ddb_index_list(Oid table, const char *name)
{
	const DdbIndexSet *set = ddb_table_indexes(table);
	List	   *list = NIL;

	for (int i = 0; set && i < set->n; i++)
	{
		const DdbIndexDef *def = &set->index[i];

		if (!def->local && (name == NULL || strcmp(name, def->name) == 0))
			list = lappend_oid(list, def->relid);
	}
	if (name && list == NIL)
		ddb_raise(DDB_VALIDATION, "The table does not have the specified index: %s", name);
	return list;
}

/* Changes from transactions before `end` that the index lacks; at most limit. */
static int64
count_pending(const DdbCursor *cursor, uint64 end, int64 limit)
{
	int64		rows;

	PushActiveSnapshot(GetLatestSnapshot());
	rows = ddb_apply_pending(cursor, 0, end, limit);
	PopActiveSnapshot();
	return rows;
}

bool
ddb_index_reached_all(Oid index, FullTransactionId xid)
{
	DdbCursor  *cursor = ddb_cursor_read(index);
	uint64		end = U64FromFullTransactionId(xid);

	if (!ddb_cursor_follows(cursor))
		return false;
	return cursor->from.xmin >= end || count_pending(cursor, end, 1) == 0;
}

/* Cursors come by table, and those of one table mostly have one position: that is counted once. */
List *
ddb_index_progress(void)
{
	List	   *list = NIL;
	const DdbCursor *before = NULL;
	int64		rows = 0;
	ListCell   *lc;

	foreach(lc, ddb_cursors())
	{
		const DdbCursor *cursor = lfirst(lc);
		DdbProgress *progress;

		if (cursor->state != DDB_INDEX_ACTIVE || cursor->from.xmax == 0 || cursor->failures > 0)
			continue;
		if (before == NULL || before->table != cursor->table ||
			strcmp(before->position, cursor->position) != 0)
			rows = count_pending(cursor, PG_UINT64_MAX, PG_INT64_MAX);
		before = cursor;
		progress = palloc(sizeof(DdbProgress));
		progress->table = cursor->table;
		progress->index = cursor->index;
		progress->applied = cursor->applied;
		progress->rows_behind = rows;
		list = lappend(list, progress);
	}
	return list;
}

bool
ddb_index_prepared(void)
{
	bool		found;

	if (SPI_connect() != SPI_OK_CONNECT ||
		SPI_execute("SELECT FROM pg_catalog.pg_prepared_xact() p, pg_catalog.pg_database d"
					" WHERE d.oid OPERATOR(pg_catalog.=) p.dbid"
					" AND d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()",
					true, 1) != SPI_OK_SELECT)
		elog(ERROR, "could not read pg_prepared_xact()");
	found = SPI_processed > 0;
	SPI_finish();
	return found;
}
