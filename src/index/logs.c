/*-------------------------------------------------------------------------
 *
 * logs.c
 *	  Emptying the logs that all indexes have followed.
 *
 * A log is needed as long as a cursor lacks one of its rows.  A cursor that is
 * being made needs rows that nobody can see it needs yet: so whoever makes one,
 * and who empties logs, exclude each other to the end of their transactions.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "executor/spi.h"
#include "index/index_int.h"
#include "miscadmin.h"
#include "storage/lock.h"

#define CURSOR_LOCK_CLASS 0x0DDC

bool
ddb_cursors_lock(LOCKMODE lockmode)
{
	LOCKTAG		tag;

	SET_LOCKTAG_ADVISORY(tag, MyDatabaseId, 0, 0, CURSOR_LOCK_CLASS);
	return LockAcquire(&tag, lockmode, false, true) != LOCKACQUIRE_NOT_AVAIL;
}

/* Does any cursor still lack the row? */
static bool
row_is_needed(void *arg, const DdbLogRow *row)
{
	ListCell   *lc;

	foreach(lc, (List *) arg)
	{
		DdbCursor  *cursor = lfirst(lc);

		if (cursor->table == row->table && cursor->state != DDB_INDEX_INACTIVE &&
			cursor->from.xmax != 0 && !ddb_ended_contains(&cursor->from, row->xid))
			return true;
	}
	return false;
}

static void
add_log(int number)
{
	DdbCatalogScope scope;
	char	   *name = psprintf("ddb.index_log_%d", number);

	ddb_catalog_enter(&scope);
	if (SPI_execute(psprintf("CREATE TABLE %s (LIKE ddb.index_log_1 INCLUDING STORAGE) USING heap"
							 " WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off,"
							 " vacuum_truncate = off)", name), false, 0) != SPI_OK_UTILITY ||
		SPI_execute(psprintf("ALTER EXTENSION ddb ADD TABLE %s", name), false,
					0) != SPI_OK_UTILITY)
		elog(ERROR, "could not add %s", name);
	ddb_catalog_leave(&scope);
}

/* Empties the logs that are full and read; adds one when all stay full. */
void
ddb_logs_turn(void)
{
	List	   *logs = ddb_logs();
	List	   *cursors = NIL;
	bool		room = false;
	bool		locked = false;
	ListCell   *lc;

	foreach(lc, logs)
	{
		Oid			storage;
		BlockNumber pages;

		if (!ddb_log_storage(lfirst_oid(lc), &storage, &pages))
			continue;
		if ((Size) pages * (BLCKSZ / 1024) < ddb_log_size)
		{
			room = true;
			continue;
		}
		if (!locked && !ddb_cursors_lock(ExclusiveLock))
			return;
		if (!locked)
			cursors = ddb_cursors();
		locked = true;
		room |= ddb_log_empty(lfirst_oid(lc), row_is_needed, cursors);
	}
	if (!room && locked)
		add_log(list_length(logs) + 1);
}
