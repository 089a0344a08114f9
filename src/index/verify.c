/*-------------------------------------------------------------------------
 *
 * verify.c
 *	  Is an index what its table says?
 *
 * Both are read with one snapshot.  Items with changes in the log that the
 * index has yet to follow are left out: that it lags is no fault.  What is
 * left must agree, item by item:
 *
 *		from the table		each item's entry stands in the index, as it ought to
 *		from the index		each entry is the one its item has
 *
 * With the cursor locked nobody else writes to the index, so what is mended
 * stays mended.  An index that has been given up is not compared: its repair is
 * to be built again.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xact.h"
#include "base/errors.h"
#include "index/index_int.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

typedef struct Verify
{
	DdbWork		work;
	DdbEntries *entries;
	Snapshot	snapshot;
	HTAB	   *lagging;		/* digests of items with changes to come */
	bool		repair;
	int			limit;
	List	   *differences;
	MemoryContext results;
	MemoryContext item_context;
} Verify;

static bool
is_lagging(const Verify *v, const uint8 *digest)
{
	return hash_search(v->lagging, digest, HASH_FIND, NULL) != NULL;
}

/* Notes the items of which the log has more than the cursor. */
static void
find_lagging(Verify *v)
{
	HASHCTL		control = {.keysize = DDB_ENTRY_DIGEST, .entrysize = DDB_ENTRY_DIGEST,
	.hcxt = CurrentMemoryContext};
	ListCell   *lc;

	v->lagging = hash_create("ddb lagging items", 256, &control,
							 HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	foreach(lc, ddb_logs())
	{
		Oid			storage = InvalidOid;
		BlockNumber first = 0;
		DdbLogScan *scan = ddb_log_scan(lfirst_oid(lc), &storage, &first, v->snapshot);
		DdbLogRow	row;
		BlockNumber page;

		while (scan && ddb_log_next(scan, &row, &page))
		{
			uint8		digest[DDB_ENTRY_DIGEST];
			DdbKey		key;

			if (row.table != v->work.table ||
				ddb_ended_contains(&v->work.cursor->from, row.xid))
				continue;
			ddb_change_key(&v->work.schema, row.key, row.key_len, &key);
			ddb_key_digest(&v->work.schema, &key, digest);
			hash_search(v->lagging, digest, HASH_ENTER, NULL);
		}
		if (scan)
			ddb_log_scan_end(scan);
	}
}

static void
report(Verify *v, DdbDifferenceKind kind, const DdbKey *key)
{
	MemoryContext caller = MemoryContextSwitchTo(v->results);
	DdbDifference *difference = palloc(sizeof(DdbDifference));
	DdbBuilder *b = ddb_builder_begin(DDB_M);

	for (int k = 0; k < v->work.schema.nkeys; k++)
		ddb_builder_put(b, v->work.schema.attr[k].name, v->work.schema.attr[k].len,
						key->values[k]);
	difference->kind = kind;
	difference->key = ddb_item_from_map(ddb_builder_finish(b, DDB_DUPLICATES_ERROR));
	v->differences = lappend(v->differences, difference);
	MemoryContextSwitchTo(caller);
}

static bool
is_full(const Verify *v)
{
	return list_length(v->differences) >= v->limit;
}

/* ----------------------------------------------------------------------
 * From the table
 * ---------------------------------------------------------------------- */
static void
check_item(Verify *v, const DdbRecord *record)
{
	DdbRecord	item = *record;
	DdbEntryPut put = {.base = record->key};
	uint8		digest[DDB_ENTRY_DIGEST];
	bool		same;
	bool		found;

	item.schema = &v->work.schema;
	item.map = ddb_value_copy(record->map);
	ddb_key_digest(item.schema, &item.key, digest);
	if (is_lagging(v, digest) || !ddb_index_entry(&v->work.def, &item, digest, &put.entry))
		return;
	found = ddb_entries_find(v->entries, v->snapshot, &put.entry, &same);
	if (found && same)
		return;
	report(v, found ? DDB_ENTRY_DIFFERS : DDB_ENTRY_MISSING, &item.key);
	if (v->repair)
		v->work.cursor->entries += ddb_entries_put(v->entries, &put, 1);
}

static void
check_items(Verify *v)
{
	DdbScan    *scan = ddb_scan_segment(ddb_table_open(v->work.table, 0), NULL, 0, 1, NULL);
	MemoryContext caller = CurrentMemoryContext;
	DdbRecord	record;

	while (!is_full(v) && ddb_scan_next(scan, &record))
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextSwitchTo(v->item_context);
		check_item(v, &record);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(v->item_context);
	}
	ddb_scan_end(scan);
}

/* ----------------------------------------------------------------------
 * From the index
 * ---------------------------------------------------------------------- */
static bool
same_key(const DdbEntry *a, const DdbEntry *b)
{
	return ddb_value_equal(a->ipk, b->ipk) &&
		(!a->has_isk || ddb_value_equal(a->isk, b->isk)) &&
		a->shard == b->shard && memcmp(a->digest, b->digest, DDB_ENTRY_DIGEST) == 0;
}

/* Has the item of this entry another one, or none? */
static bool
is_extra(Verify *v, const DdbKey *key, const DdbEntry *entry)
{
	DdbRecord	record;
	DdbEntry	right;
	uint8		digest[DDB_ENTRY_DIGEST];

	ddb_key_digest(&v->work.schema, key, digest);
	if (is_lagging(v, digest) || is_lagging(v, entry->digest))
		return false;
	if (!ddb_row_get(ddb_table_open(v->work.table, 0), key, &record))
		return true;
	record.schema = &v->work.schema;
	return !ddb_index_entry(&v->work.def, &record, digest, &right) || !same_key(&right, entry);
}

/*
 * Nothing is removed before the end of the scan, lest the entries that are
 * looked up for it take those of the scan's slot.
 */
static void
check_entries(Verify *v)
{
	DdbEntries *scanned = ddb_entries_open(v->work.def.relid, &v->work.schema);
	MemoryContext caller = CurrentMemoryContext;
	DdbEntry	entry;
	DdbKey		key;

	ddb_entries_scan(scanned, v->snapshot);
	while (!is_full(v) && ddb_entries_next(scanned, &key, &entry))
	{
		bool		extra;

		MemoryContextSwitchTo(v->item_context);
		extra = is_extra(v, &key, &entry);
		MemoryContextSwitchTo(caller);
		MemoryContextReset(v->item_context);
		if (!extra)
			continue;
		report(v, DDB_ENTRY_EXTRA, &key);
		if (v->repair)
		{
			DdbEntryRemoval removal = {.entry = entry};

			v->work.cursor->entries -= ddb_entries_remove(v->entries, &removal, 1);
		}
	}
	ddb_entries_close(scanned);
}

/* ----------------------------------------------------------------------
 * Both
 * ---------------------------------------------------------------------- */

/* Locks in the order of all: table, index, cursor. */
static void
lock_all(Verify *v, Oid index)
{
	DdbWork    *work = &v->work;

	LockRelationOid(ddb_index_base(index), AccessShareLock);
	LockRelationOid(index, v->repair ? RowExclusiveLock : AccessShareLock);
	if (!ddb_work_find(index, work))
		ddb_raise(DDB_RESOURCE_NOT_FOUND, "Requested resource not found");
	work->cursor = ddb_cursor_read(index);
	if (!ddb_cursor_follows(work->cursor))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" is not active", work->def.name)));
	if (v->repair && !ddb_cursor_lock(work->cursor))
		ereport(ERROR,
				(errcode(ERRCODE_LOCK_NOT_AVAILABLE),
				 errmsg("index \"%s\" is being worked on", work->def.name),
				 errhint("Try again.")));
}

/* What explains the lag that the snapshot shows must not be emptied before it is read. */
static void
keep_logs(void)
{
	ListCell   *lc;

	foreach(lc, ddb_logs())
		LockRelationOid(lfirst_oid(lc), AccessShareLock);
}

/* Is it INACTIVE, to be repaired?  Then it starts again at the next pass. */
static bool
revive(Oid index)
{
	if (ddb_index_state(index) != DDB_INDEX_INACTIVE)
		return false;
	ddb_index_rebuild(index);
	return true;
}

List *
ddb_index_verify(Oid index, bool repair, int limit)
{
	Verify		v = {.repair = repair, .limit = limit, .results = CurrentMemoryContext};
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "ddb verify", ALLOCSET_DEFAULT_SIZES);
	DdbOwnerScope scope;

	if (repair)
		PreventCommandIfReadOnly("repair of an index");
	if (repair && revive(index))
		return NIL;
	MemoryContextSwitchTo(context);
	lock_all(&v, index);
	v.item_context = AllocSetContextCreate(context, "ddb verified item", ALLOCSET_DEFAULT_SIZES);
	keep_logs();
	v.snapshot = RegisterSnapshot(GetLatestSnapshot());
	PushActiveSnapshot(v.snapshot);
	ddb_owner_enter(&scope, v.work.owner);
	v.entries = ddb_entries_open(index, &v.work.schema);
	if (v.entries == NULL)
		elog(ERROR, "index \"%s\" has no key index", v.work.def.name);
	find_lagging(&v);
	check_items(&v);
	CommandCounterIncrement();
	check_entries(&v);
	ddb_entries_close(v.entries);
	ddb_owner_leave(&scope);
	PopActiveSnapshot();
	UnregisterSnapshot(v.snapshot);
	if (repair)
		ddb_cursor_write(v.work.cursor);
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
	return v.differences;
}
