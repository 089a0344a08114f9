/*-------------------------------------------------------------------------
 *
 * lookup.c
 *	  One key in the key index.
 *
 * A look-up goes through the index's own API, with one scan kept and rescanned
 * for each key, so that dead entries are marked and pages pruned as any scan
 * does it.  But it has a single scan key, on the first column, whose functions
 * are ours and compare the whole key: they are given the address of the first
 * column's value inside the index entry, and the second column's stands right
 * behind it.  The index has no more to do per entry than for a simple key.
 *
 * The equality function is called on the very entry beside which a missing key
 * belongs, while its page is locked.  That is how a put learns its neighbours
 * from the descent it makes anyway.
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

#include "access/relscan.h"
#include "access/tupmacs.h"
#include "miscadmin.h"
#include "storage/index_tuple_int.h"
#include "storage/lmgr.h"
#include "storage/storage_int.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* ----------------------------------------------------------------------
 * Entries, seen from their first column's value
 * ---------------------------------------------------------------------- */

/* The table whose key is looked for now. */
static DdbTable *sought = NULL;

static inline Datum
second_value(Datum pk)
{
	char	   *end = DatumGetPointer(pk) + VARSIZE_ANY(DatumGetPointer(pk));

	return (Datum) att_align_pointer((uintptr_t) end, TYPALIGN_INT, -1, end);
}

static inline DdbType
column_type(int which)
{
	return sought->facts.schema.attr[which].type;
}

/*
 * Order of an entry that has the partition key, relative to the whole key.
 * What is cut off a pivot counts as less than anything, its row address too.
 */
static int
entry_order(Datum pk)
{
	IndexTuple	entry = ddb_index_tuple_of(pk);
	int			order;

	if (sought->facts.schema.nkeys == 1)
		return 0;
	if (unlikely(ddb_index_tuple_has_null(entry)))
		return 1;
	if (ddb_index_tuple_columns(entry, 2) < 2)
		return -1;
	order = ddb_stored_compare(column_type(1), second_value(pk), sought->key[1]);
	if (order == 0 && ddb_index_tuple_lacks_address(entry))
		return -1;
	return order;
}

/* May the scan go on: is this the key's entry, or a high key that allows it? */
static inline bool
entry_matches(Datum pk)
{
	IndexTuple	entry = ddb_index_tuple_of(pk);

	if (ddb_stored_compare(column_type(0), pk, sought->key[0]) != 0)
		return false;
	if (sought->facts.schema.nkeys == 1)
		return true;
	if (unlikely(ddb_index_tuple_has_null(entry)))
		return false;
	if (ddb_index_tuple_columns(entry, 2) < 2)
		return true;
	return ddb_stored_compare(column_type(1), second_value(pk), sought->key[1]) == 0;
}

/* ----------------------------------------------------------------------
 * Neighbours
 * ---------------------------------------------------------------------- */

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

		if (ItemIdIsDead(item) || IndexTupleHasNulls(entry))
			continue;
		block = ItemPointerGetBlockNumber(BTreeTupleGetHeapTID(entry));
		pk = index_getattr(entry, 1, RelationGetDescr(table->index), &isnull);
		if (ddb_stored_compare(column_type(0), pk, table->key[0]) != 0)
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

static Datum
key_equal(PG_FUNCTION_ARGS)
{
	Datum		pk = PG_GETARG_DATUM(0);
	bool		same = entry_matches(pk);

	if (same)
		sought->key_met = true;
	else if (sought->neighbours && !sought->key_met)
		note_neighbours(sought, pk);
	PG_RETURN_BOOL(same);
}

/* ----------------------------------------------------------------------
 * The scan
 * ---------------------------------------------------------------------- */
void
ddb_lookup_begin(DdbTable *table)
{
	ScanKey		key = &table->scan_key;

	memset(key, 0, sizeof(*key));
	key->sk_attno = 1;
	key->sk_strategy = BTEqualStrategyNumber;
	key->sk_collation = table->index->rd_indcollation[0];
	key->sk_func.fn_addr = key_equal;
	key->sk_func.fn_oid = F_BYTEAEQ;
	key->sk_func.fn_nargs = 2;
	key->sk_func.fn_strict = true;
	key->sk_func.fn_mcxt = table->context;
	for (int k = 0; k < table->facts.schema.nkeys; k++)
		table->key_buffer[k] = palloc(DDB_KEY_BUFFER);
	table->neighbours = NULL;
	InitDirtySnapshot(table->dirty);
	table->scan = ddb_index_beginscan(table->heap, table->index, &table->dirty, 1);
}

void
ddb_lookup_key(DdbTable *table, const DdbKey *key)
{
	MemoryContext caller;

	ddb_hash_withdraw();
	MemoryContextReset(table->row_context);
	caller = MemoryContextSwitchTo(table->row_context);
	for (int k = 0; k < table->facts.schema.nkeys; k++)
		table->key[k] = ddb_key_store(key->values[k], table->key_buffer[k], DDB_KEY_BUFFER);
	table->scan_key.sk_argument = table->key[0];
	MemoryContextSwitchTo(caller);
	table->record.key = *key;
}

static inline void
rescan(DdbTable *table, Snapshot snapshot)
{
	sought = table;
	ddb_hash_announce(table->key[0], table->facts.schema.attr[0].type, entry_order);
	table->scan->xs_snapshot = snapshot;
	table->key_met = false;
	index_rescan(table->scan, &table->scan_key, 1, NULL, 0);
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
		index_rescan(table->scan, &table->scan_key, 1, NULL, 0);
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
	int			sorted;			/* so many of them are of the scans before */
	int			max;
	ItemPointerData *tids;
} DeadEntries;

static int
compare_tids(const void *a, const void *b)
{
	return ItemPointerCompare((ItemPointer) a, (ItemPointer) b);
}

static inline bool
was_dead_before(const DeadEntries *dead, ItemPointer tid)
{
	return dead->sorted > 0 &&
		bsearch(tid, dead->tids, dead->sorted, sizeof(ItemPointerData), compare_tids) != NULL;
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
		if (!was_dead_before(dead, &table->scan->xs_heaptid))
		{
			remember(dead, &table->scan->xs_heaptid);
			*news = true;
		}
	}
	if (*news)
		qsort(dead->tids, dead->n, sizeof(ItemPointerData), compare_tids);
	dead->sorted = dead->n;
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
