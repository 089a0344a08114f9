/*-------------------------------------------------------------------------
 *
 * log.c
 *	  Append-only logs of what changed.
 *
 * The logs are the heap tables ddb.index_log_1, ddb.index_log_2 ... without an
 * index.  A transaction writes to one of them; which, is decided at its first
 * row: the one that this backend used last, until it has grown beyond
 * ddb.index_log_size.  A log that no reader needs any more is emptied by giving
 * it new storage, under a lock that excludes its writers.
 *
 * Which pages may still get rows?  A reader wants to leave behind what it has
 * read, but rows of one page become visible in any order, and a page is
 * written by whoever has it as its target.  So a writer chooses its target
 * anew in each transaction, after that has its transaction id, and chooses the
 * last page; from there it only ever moves to pages that are last when it gets
 * them (the free space map is not used).  Therefore: if a log had n pages at a
 * time when the next transaction id was x, then only transactions older than x
 * will ever write to pages before n - 1; once they all have ended, what those
 * pages hold is final.  That needs a log that never gets shorter, so VACUUM is
 * told to cut nothing off when all rows at the end were rolled back.
 *
 * Rows are inserted by heap_insert() itself, without a trace in logical
 * decoding: they mean nothing elsewhere.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "access/multixact.h"
#include "access/xact.h"
#include "catalog/heap.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "storage/smgr.h"
#include "storage/storage_int.h"
#include "utils/lsyscache.h"
#include "utils/relcache.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

/* Columns of a log. */
enum
{
	LOG_XID, LOG_TABLE, LOG_KEY, LOG_OLD, LOG_COLUMNS
};

int			ddb_log_size = 16 * 1024;

/* ----------------------------------------------------------------------
 * Which there are
 * ---------------------------------------------------------------------- */
List *
ddb_logs(void)
{
	Oid			schema = get_namespace_oid("ddb", true);
	List	   *logs = NIL;

	for (int i = 1;; i++)
	{
		char		name[NAMEDATALEN];
		Oid			log;

		snprintf(name, sizeof(name), "index_log_%d", i);
		log = get_relname_relid(name, schema);
		if (!OidIsValid(log))
			return logs;
		logs = lappend_oid(logs, log);
	}
}

/* Opens a log; NULL when it is gone or, with `wait` false, locked. */
static Relation
open_log(Oid log, LOCKMODE lockmode, bool wait)
{
	Relation	rel;

	if (wait)
		LockRelationOid(log, lockmode);
	else if (!ConditionalLockRelationOid(log, lockmode))
		return NULL;
	rel = try_relation_open(log, NoLock);
	if (rel && rel->rd_rel->relam == HEAP_TABLE_AM_OID &&
		RelationGetNumberOfAttributes(rel) == LOG_COLUMNS)
		return rel;
	if (rel)
		relation_close(rel, NoLock);
	UnlockRelationOid(log, lockmode);
	return NULL;
}

bool
ddb_log_storage(Oid log, Oid *storage, BlockNumber *pages)
{
	Relation	rel = open_log(log, AccessShareLock, true);

	if (rel == NULL)
		return false;
	*storage = rel->rd_rel->relfilenode;
	*pages = RelationGetNumberOfBlocks(rel);
	relation_close(rel, AccessShareLock);
	return true;
}

/* ----------------------------------------------------------------------
 * Writing
 * ---------------------------------------------------------------------- */

/* What this transaction writes to; it belongs to the top transaction's owner. */
static Relation current = NULL;

/* What this backend used last. */
static Oid	last = InvalidOid;

static inline Size
grown_to(Relation rel)
{
	return (Size) RelationGetNumberOfBlocks(rel) * (BLCKSZ / 1024);
}

/* Takes the log if it still has room. */
static Relation
try_log(Oid log)
{
	Relation	rel = open_log(log, RowExclusiveLock, false);

	if (rel && grown_to(rel) >= ddb_log_size)
	{
		relation_close(rel, RowExclusiveLock);
		rel = NULL;
	}
	return rel;
}

/* All have grown: a row must go somewhere.  More room is the reader's affair. */
static Relation
any_log(List *logs)
{
	ListCell   *lc;

	foreach(lc, logs)
	{
		Relation	rel = open_log(lfirst_oid(lc), RowExclusiveLock,
								   lnext(logs, lc) == NULL);

		if (rel)
			return rel;
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_TABLE),
			 errmsg("table ddb.index_log_1 does not exist"),
			 errhint("The extension ddb is not whole in this database.")));
}

static Relation
choose_log(void)
{
	Relation	rel = OidIsValid(last) ? try_log(last) : NULL;
	List	   *logs;
	ListCell   *lc;

	if (rel)
		return rel;
	logs = ddb_logs();
	foreach(lc, logs)
	{
		rel = try_log(lfirst_oid(lc));
		if (rel)
			return rel;
	}
	return any_log(logs);
}

static void
open_current(void)
{
	ResourceOwner caller = CurrentResourceOwner;

	/* The writer has its transaction id before it chooses a page: see above. */
	Assert(TransactionIdIsValid(GetTopTransactionIdIfAny()));
	CurrentResourceOwner = TopTransactionResourceOwner;
	PG_TRY();
	{
		current = choose_log();
	}
	PG_FINALLY();
	{
		CurrentResourceOwner = caller;
	}
	PG_END_TRY();
	last = RelationGetRelid(current);
	RelationSetTargetBlock(current, InvalidBlockNumber);
}

void
ddb_log_close(void)
{
	ResourceOwner caller = CurrentResourceOwner;

	if (current == NULL)
		return;
	CurrentResourceOwner = TopTransactionResourceOwner;
	relation_close(current, NoLock);
	CurrentResourceOwner = caller;
	current = NULL;
}

void
ddb_log_forget(void)
{
	current = NULL;
}

/* The column's bytes at `at`, as they would come out of heap_form_tuple(). */
static char *
put_bytes(char *at, const uint8 *bytes, uint32 len)
{
	if (len + VARHDRSZ_SHORT <= VARATT_SHORT_MAX)
	{
		SET_VARSIZE_SHORT(at, len + VARHDRSZ_SHORT);
		memcpy(at + VARHDRSZ_SHORT, bytes, len);
		return at + VARHDRSZ_SHORT + len;
	}
	while (((uintptr_t) at & (ALIGNOF_INT - 1)) != 0)
		*at++ = 0;
	SET_VARSIZE(at, len + VARHDRSZ);
	memcpy(at + VARHDRSZ, bytes, len);
	return at + VARHDRSZ + len;
}

/*
 * heap_form_tuple() takes a fifth of what inserting the row does, only to find
 * out what is known here.
 */
#define ROW_HEADER	MAXALIGN(SizeofHeapTupleHeader + BITMAPLEN(LOG_COLUMNS))
#define ROW_REST	(sizeof(uint64) + sizeof(Oid) + 2 * (VARHDRSZ + ALIGNOF_INT))

static HeapTuple
form_row(const DdbLogRow *row)
{
	HeapTuple	tuple = palloc(HEAPTUPLESIZE + ROW_HEADER + ROW_REST + row->key_len + row->old_len);
	HeapTupleHeader header = (HeapTupleHeader) ((char *) tuple + HEAPTUPLESIZE);
	char	   *at = (char *) header + ROW_HEADER;

	memset(header, 0, ROW_HEADER);
	HeapTupleHeaderSetNatts(header, LOG_COLUMNS);
	header->t_hoff = ROW_HEADER;
	header->t_infomask = HEAP_HASVARWIDTH;
	memcpy(at, &row->xid, sizeof(row->xid));
	at += sizeof(row->xid);
	memcpy(at, &row->table, sizeof(row->table));
	at = put_bytes(at + sizeof(row->table), row->key, row->key_len);
	if (row->old)
		at = put_bytes(at, row->old, row->old_len);
	else
	{
		header->t_infomask |= HEAP_HASNULL;
		header->t_bits[0] = (1 << LOG_OLD) - 1;
	}
	tuple->t_len = at - (char *) header;
	tuple->t_tableOid = RelationGetRelid(current);
	tuple->t_data = header;
	ItemPointerSetInvalid(&tuple->t_self);
	return tuple;
}

void
ddb_log_append(const DdbLogRow *row)
{
	HeapTuple	tuple;

	if (current == NULL)
		open_current();
	tuple = form_row(row);
	heap_insert(current, tuple, GetCurrentCommandId(true),
				HEAP_INSERT_SKIP_FSM | HEAP_INSERT_NO_LOGICAL, NULL);
	pfree(tuple);
}

/* ----------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------- */
struct DdbLogScan
{
	Relation	rel;
	TableScanDesc scan;
	TupleTableSlot *slot;
	bool		nothing;
};

static DdbLogScan *
begin_scan(Relation rel, BlockNumber first, Snapshot snapshot)
{
	DdbLogScan *scan = palloc0(sizeof(DdbLogScan));
	BlockNumber pages = RelationGetNumberOfBlocks(rel);

	scan->rel = rel;
	scan->nothing = first >= pages;
	if (scan->nothing)
		return scan;
	scan->slot = table_slot_create(rel, NULL);
	scan->scan = table_beginscan_strat(rel, snapshot, 0, NULL, true, false);
	heap_setscanlimits(scan->scan, first, pages - first);
	return scan;
}

/*
 * What is compared is the storage that is read, not one seen a moment before:
 * a log may be emptied, and written to again, in between.
 */
DdbLogScan *
ddb_log_scan(Oid log, Oid *storage, BlockNumber *first, Snapshot snapshot)
{
	Relation	rel = open_log(log, AccessShareLock, true);

	if (rel == NULL)
		return NULL;
	if (rel->rd_rel->relfilenode != *storage || *first >= RelationGetNumberOfBlocks(rel))
	{
		*storage = rel->rd_rel->relfilenode;
		*first = 0;
	}
	return begin_scan(rel, *first, snapshot);
}

static void
set_bytes(TupleTableSlot *slot, int column, const uint8 **bytes, uint32 *len)
{
	bool		isnull;
	Datum		datum = slot_getattr(slot, column + 1, &isnull);
	struct varlena *flat;

	*bytes = NULL;
	*len = 0;
	if (isnull)
		return;
	flat = PG_DETOAST_DATUM_PACKED(datum);
	*bytes = (const uint8 *) VARDATA_ANY(flat);
	*len = VARSIZE_ANY_EXHDR(flat);
}

bool
ddb_log_next(DdbLogScan *scan, DdbLogRow *row, BlockNumber *page)
{
	bool		isnull;

	CHECK_FOR_INTERRUPTS();
	if (scan->nothing || !table_scan_getnextslot(scan->scan, ForwardScanDirection, scan->slot))
		return false;
	row->xid = DatumGetUInt64(slot_getattr(scan->slot, LOG_XID + 1, &isnull));
	row->table = DatumGetObjectId(slot_getattr(scan->slot, LOG_TABLE + 1, &isnull));
	set_bytes(scan->slot, LOG_KEY, &row->key, &row->key_len);
	set_bytes(scan->slot, LOG_OLD, &row->old, &row->old_len);
	*page = ItemPointerGetBlockNumber(&scan->slot->tts_tid);
	return true;
}

static void
end_scan(DdbLogScan *scan)
{
	if (!scan->nothing)
	{
		table_endscan(scan->scan);
		ExecDropSingleTupleTableSlot(scan->slot);
	}
}

void
ddb_log_scan_end(DdbLogScan *scan)
{
	end_scan(scan);
	relation_close(scan->rel, AccessShareLock);
	pfree(scan);
}

/* ----------------------------------------------------------------------
 * Emptying
 * ---------------------------------------------------------------------- */

static bool
is_needed(Relation rel, DdbLogNeeded needed, void *arg)
{
	Snapshot	snapshot = RegisterSnapshot(GetLatestSnapshot());
	DdbLogScan *scan = begin_scan(rel, 0, snapshot);
	DdbLogRow	row;
	BlockNumber page;
	bool		result = false;

	while (!result && ddb_log_next(scan, &row, &page))
		result = needed(arg, &row);
	end_scan(scan);
	pfree(scan);
	UnregisterSnapshot(snapshot);
	return result;
}

/*
 * With the lock there are no other writers, so what the latest snapshot does
 * not see was rolled back.
 */
bool
ddb_log_empty(Oid log, DdbLogNeeded needed, void *arg)
{
	Relation	rel;
	bool		empty;

	if (current && RelationGetRelid(current) == log)
		return false;
	rel = open_log(log, AccessExclusiveLock, false);
	if (rel == NULL)
		return false;
	empty = !is_needed(rel, needed, arg);
	if (empty)
		ddb_set_new_storage(rel);
	relation_close(rel, empty ? NoLock : AccessExclusiveLock);
	return empty;
}
