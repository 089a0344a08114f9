/*-------------------------------------------------------------------------
 *
 * lookup.c
 *	  One key in the key index.
 *
 * A look-up goes through the index's own API, with one scan kept and rescanned
 * for each key, so that dead entries are marked and pages pruned as any scan
 * does it.  Only the equality functions of its scan keys are ours: they
 * compare bytes, and they are called on the very entry beside which a missing
 * key belongs, while its page is locked.  That is how a put learns its
 * neighbours from the descent it makes anyway.
 *
 * The newest version is found with a dirty snapshot.  Such a scan can miss a
 * row: it takes the key's entries from the index page at one moment and visits
 * the rows later; a row that moves to another page in between has its new
 * entry unseen and its old version dead.  So absence is believed only of a
 * scan all of whose entries had been found dead by a scan before it: no
 * version comes back to life, and a new one would have had its entry.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/nbtree.h"
#include "access/relscan.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/storage_int.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* ----------------------------------------------------------------------
 * Neighbours
 * ---------------------------------------------------------------------- */

/* Is the key column's value in an index entry the one looked for? */
static inline bool
same_value(DdbType type, Datum entry, Datum wanted)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(entry);
	struct varlena *key = (struct varlena *) DatumGetPointer(wanted);
	struct varlena *flat;
	bool		same;

	if (type == DDB_N)
		return DatumGetBool(DirectFunctionCall2(numeric_eq, entry, wanted));
	flat = pg_detoast_datum_packed(value);
	same = VARSIZE_ANY_EXHDR(flat) == VARSIZE_ANY_EXHDR(key) &&
		memcmp(VARDATA_ANY(flat), VARDATA_ANY(key), VARSIZE_ANY_EXHDR(key)) == 0;
	if (flat != value)
		pfree(flat);
	return same;
}

/* The page's first entry beyond the key: the one that holds this datum. */
static OffsetNumber
find_entry(Page page, const char *datum)
{
	Size		at = datum - (const char *) page;
	OffsetNumber max = PageGetMaxOffsetNumber(page);
	OffsetNumber off = P_FIRSTDATAKEY(BTPageGetOpaque(page));

	for (; off <= max; off++)
	{
		ItemId		item = PageGetItemId(page, off);

		if (at >= ItemIdGetOffset(item) && at < ItemIdGetOffset(item) + ItemIdGetLength(item))
			break;
	}
	return off;
}

/* Takes entries from `off` on, until the page or the collection ends. */
static int
take_entries(DdbTable *table, Page page, OffsetNumber off, int step, BlockNumber *blocks,
			 BlockNumber *beside)
{
	OffsetNumber first = P_FIRSTDATAKEY(BTPageGetOpaque(page));
	OffsetNumber max = PageGetMaxOffsetNumber(page);
	int			n = 0;

	for (; off >= first && off <= max && n < DDB_NEIGHBOURS; off += step)
	{
		ItemId		item = PageGetItemId(page, off);
		IndexTuple	entry = (IndexTuple) PageGetItem(page, item);
		BlockNumber block;
		bool		isnull;
		Datum		pk;

		if (ItemIdIsDead(item))
			continue;
		block = ItemPointerGetBlockNumber(BTreeTupleGetHeapTID(entry));
		pk = index_getattr(entry, 1, RelationGetDescr(table->index), &isnull);
		if (!same_value(table->facts.schema.attr[0].type, pk, table->key[0]))
		{
			if (*beside == InvalidBlockNumber)
				*beside = block;
			break;
		}
		blocks[n++] = block;
	}
	return n;
}

/*
 * The scan has come to an entry that is not the key's, and met none that is:
 * here the key belongs.  The page is locked by the scan that calls us.
 */
static void
note_neighbours(DdbTable *table, Datum entry_value)
{
	DdbNeighbours *n = table->neighbours;
	BTScanOpaque so = (BTScanOpaque) table->scan->opaque;
	Page		page = BufferGetPage(so->currPos.buf);
	const char *datum = DatumGetPointer(entry_value);
	OffsetNumber off;

	table->neighbours = NULL;
	if (datum < (const char *) page || datum >= (const char *) page + BLCKSZ)
		return;
	/* A page's high key is no entry: then the key belongs at the page's end. */
	off = find_entry(page, datum);
	n->nbefore = take_entries(table, page, OffsetNumberPrev(off), -1, n->before, &n->beside);
	n->nafter = take_entries(table, page, off, 1, n->after, &n->beside);
}

static inline Datum
key_column_equal(FunctionCallInfo fcinfo, int which)
{
	DdbTable   *table = fcinfo->flinfo->fn_extra;
	bool		same = same_value(table->facts.schema.attr[which].type,
								  PG_GETARG_DATUM(0), PG_GETARG_DATUM(1));

	if (same)
		table->key_met |= which == table->facts.schema.nkeys - 1;
	else if (table->neighbours && !table->key_met)
		note_neighbours(table, PG_GETARG_DATUM(0));
	return BoolGetDatum(same);
}

static Datum
pk_equal(PG_FUNCTION_ARGS)
{
	return key_column_equal(fcinfo, 0);
}

static Datum
sk_equal(PG_FUNCTION_ARGS)
{
	return key_column_equal(fcinfo, 1);
}

/* ----------------------------------------------------------------------
 * The scan
 * ---------------------------------------------------------------------- */
void
ddb_lookup_begin(DdbTable *table)
{
	int			nkeys = table->facts.schema.nkeys;

	memset(table->scan_keys, 0, sizeof(table->scan_keys));
	for (int k = 0; k < nkeys; k++)
	{
		ScanKey		key = &table->scan_keys[k];

		key->sk_attno = k + 1;
		key->sk_strategy = BTEqualStrategyNumber;
		key->sk_collation = table->index->rd_indcollation[k];
		key->sk_func.fn_addr = k == 0 ? pk_equal : sk_equal;
		key->sk_func.fn_oid = F_BYTEAEQ;
		key->sk_func.fn_nargs = 2;
		key->sk_func.fn_strict = true;
		key->sk_func.fn_mcxt = table->context;
		key->sk_func.fn_extra = table;
		table->key_buffer[k] = palloc(DDB_KEY_BUFFER);
	}
	table->neighbours = NULL;
	InitDirtySnapshot(table->dirty);
	table->scan = ddb_index_beginscan(table->heap, table->index, &table->dirty, nkeys);
}

void
ddb_lookup_key(DdbTable *table, const DdbKey *key)
{
	MemoryContext caller;

	MemoryContextReset(table->row_context);
	caller = MemoryContextSwitchTo(table->row_context);
	for (int k = 0; k < table->facts.schema.nkeys; k++)
	{
		table->key[k] = ddb_key_store(key->values[k], table->key_buffer[k], DDB_KEY_BUFFER);
		table->scan_keys[k].sk_argument = table->key[k];
	}
	MemoryContextSwitchTo(caller);
	table->record.key = *key;
}

static inline void
rescan(DdbTable *table, Snapshot snapshot)
{
	table->scan->xs_snapshot = snapshot;
	table->key_met = false;
	index_rescan(table->scan, table->scan_keys, table->facts.schema.nkeys, NULL, 0);
}

bool
ddb_lookup(DdbTable *table, Snapshot snapshot)
{
	/* What the scan allocates it keeps. */
	MemoryContext caller = MemoryContextSwitchTo(table->context);
	bool		found;

	rescan(table, snapshot);
	found = index_getnext_slot(table->scan, ForwardScanDirection, table->slot);
	MemoryContextSwitchTo(caller);
	return found;
}

void
ddb_lookup_release(DdbTable *table)
{
	BTScanOpaque so = (BTScanOpaque) table->scan->opaque;

	table_index_fetch_reset(table->scan->xs_heapfetch);
	if (BTScanPosIsPinned(so->currPos) || so->numKilled > 0)
		index_rescan(table->scan, table->scan_keys, table->facts.schema.nkeys, NULL, 0);
}

void
ddb_lookup_end(DdbTable *table)
{
	ExecClearTuple(table->slot);
	ddb_lookup_release(table);
}

/* ----------------------------------------------------------------------
 * The newest version
 * ---------------------------------------------------------------------- */

/* The entries of the key that led to nothing alive. */
typedef struct DeadEntries
{
	int			n;
	int			max;
	ItemPointerData *tids;
} DeadEntries;

static bool
is_among(const DeadEntries *dead, ItemPointer tid)
{
	for (int i = 0; i < dead->n; i++)
	{
		if (ItemPointerEquals(&dead->tids[i], tid))
			return true;
	}
	return false;
}

static void
remember(DeadEntries *dead, ItemPointer tid)
{
	if (dead->n == dead->max)
	{
		dead->max = Max(16, dead->max * 2);
		dead->tids = dead->tids ? repalloc(dead->tids, dead->max * sizeof(ItemPointerData)) :
			palloc(dead->max * sizeof(ItemPointerData));
	}
	dead->tids[dead->n++] = *tid;
}

/*
 * Scans the key's entries for a version that is alive in the widest sense.
 * Entries that lead to none are added to *dead; *news tells that one of them
 * was not there before.
 */
static bool
scan_entries(DdbTable *table, DeadEntries *dead, bool *news)
{
	ItemPointer tid;

	*news = false;
	rescan(table, &table->dirty);
	while ((tid = index_getnext_tid(table->scan, ForwardScanDirection)) != NULL)
	{
		if (index_fetch_heap(table->scan, table->slot))
			return true;
		if (!is_among(dead, &table->scan->xs_heaptid))
		{
			remember(dead, &table->scan->xs_heaptid);
			*news = true;
		}
	}
	return false;
}

/*
 * If another transaction is about to change what was found, waits for it to
 * end: the look must be taken again.
 */
static bool
waited(DdbTable *table)
{
	SnapshotData *dirty = &table->dirty;
	TransactionId other = TransactionIdIsValid(dirty->xmin) ? dirty->xmin : dirty->xmax;
	ItemPointerData tid = table->slot->tts_tid;
	TransactionId inserter = dirty->xmin;
	uint32		token = dirty->speculativeToken;

	if (!TransactionIdIsValid(other))
		return false;
	ddb_lookup_end(table);
	if (TransactionIdIsValid(inserter) && token != 0)
		SpeculativeInsertionWait(inserter, token);
	else
		XactLockTableWait(other, table->heap, &tid, XLTW_Update);
	return true;
}

bool
ddb_lookup_newest(DdbTable *table, DdbNeighbours *neighbours)
{
	MemoryContext caller = MemoryContextSwitchTo(table->context);
	DeadEntries dead = {0};
	bool		found;
	bool		news;

	do
	{
		CHECK_FOR_INTERRUPTS();
		if (neighbours)
		{
			neighbours->nbefore = neighbours->nafter = 0;
			neighbours->beside = InvalidBlockNumber;
		}
		table->neighbours = neighbours;
		found = scan_entries(table, &dead, &news);
		table->neighbours = NULL;
	} while (found ? waited(table) : news);

	if (dead.tids)
		pfree(dead.tids);
	MemoryContextSwitchTo(caller);
	return found;
}
