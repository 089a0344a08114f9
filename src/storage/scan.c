/*-------------------------------------------------------------------------
 *
 * scan.c
 *	  Many rows: a collection, or a segment, of a table or one of its indexes,
 *	  in key order.
 *
 * The index gives row addresses in key order; rows of a collection lie on few
 * pages, but in the order in which they came.  So addresses are taken in
 * batches, each batch's pages are visited once, in block order, and the rows
 * are handed out in key order from copies (a toasted item is copied as the
 * pointer it is).
 *
 * A scan outlives the call that began it: a set-returning function gives one
 * row a call, a cursor may run utility commands in between.  So it has its own
 * references and its own snapshot, in the resource owner of the call that
 * began it, and does not lean on the kept DdbTable.
 *
 * Which entries of the index are wanted is scan_keys.c's business, what an
 * index's rows are and how shards are merged scan_index.c's.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/nbtree.h"
#include "access/relscan.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/scan_int.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#define FIRST_BATCH		64
#define LARGEST_BATCH	256

/* ----------------------------------------------------------------------
 * Batches
 * ---------------------------------------------------------------------- */

/*
 * Takes the next addresses from the index, in key order.  The index reads a
 * page at a time; having asked it for one address, we take the others of that
 * page as they lie.  A batch ends with the page at the latest, so that what is
 * found dead can be marked before the page is left.
 */
static void
take_addresses(DdbScan *scan)
{
	BTScanPos	pos = &((BTScanOpaque) scan->scan->opaque)->currPos;
	bool		forward = ScanDirectionIsForward(scan->direction);
	int			step = forward ? 1 : -1;
	int			at;
	int			last;

	scan->nrows = scan->next_row = 0;
	scan->exhausted = index_getnext_tid(scan->scan, scan->direction) == NULL;
	if (scan->exhausted)
		return;
	last = forward ? pos->lastItem : pos->firstItem;
	for (at = pos->itemIndex;; at += step)
	{
		ScanRow    *row = &scan->rows[scan->nrows++];

		row->tid = pos->items[at].heapTid;
		row->index_item = at;
		if (at == last || scan->nrows == scan->batch)
			break;
	}
	pos->itemIndex = at;
	pgstat_count_index_tuples(scan->index, scan->nrows - 1);
}

static int
by_block(const void *a, const void *b)
{
	BlockNumber x = ((const ScanPage *) a)->block;
	BlockNumber y = ((const ScanPage *) b)->block;

	return (x > y) - (x < y);
}

/*
 * Strings the batch's rows together by page.  A page is looked for from the
 * last one met: neighbours in key order mostly stand on the same few.
 */
static void
group_by_page(DdbScan *scan)
{
	bool		ordered = true;
	int			at = 0;

	scan->npages = 0;
	for (int i = 0; i < scan->nrows; i++)
	{
		BlockNumber block = ItemPointerGetBlockNumber(&scan->rows[i].tid);
		int			tries = 0;

		while (tries < scan->npages && scan->pages[at].block != block)
		{
			at = at == 0 ? scan->npages - 1 : at - 1;
			tries++;
		}
		if (tries == scan->npages)
		{
			at = scan->npages++;
			ordered &= at == 0 || scan->pages[at - 1].block < block;
			scan->pages[at].block = block;
			scan->pages[at].first = -1;
		}
		scan->rows[i].next = scan->pages[at].first;
		scan->pages[at].first = i;
	}
	if (!ordered)
		qsort(scan->pages, scan->npages, sizeof(ScanPage), by_block);
}

static void
copy_row(DdbScan *scan, ScanRow *row, HeapTuple tuple)
{
	Size		needed = scan->used + tuple->t_len;

	/* Rows are mostly of about a size, so there will be room for all. */
	if (unlikely(needed > scan->size))
	{
		scan->size = needed + scan->nrows * (Size) (tuple->t_len + tuple->t_len / 4);
		scan->bytes = scan->bytes ? repalloc(scan->bytes, scan->size) :
			MemoryContextAlloc(scan->context, scan->size);
	}
	memcpy(scan->bytes + scan->used, tuple->t_data, tuple->t_len);
	row->tuple = scan->used;
	row->len = tuple->t_len;
	scan->used = MAXALIGN(needed);
}

/*
 * Is every row of the page one that all snapshots see?  This is heap's own rule
 * for reading a whole page.  Serializable transactions note each row they read.
 */
static bool
all_visible(DdbScan *scan, Page page)
{
	return PageIsAllVisible(page) && !scan->snapshot->takenDuringRecovery &&
		!IsolationIsSerializable();
}

/* Such a page's row, where there is one at this address. */
static bool
find_row(Page page, ItemPointer tid, HeapTuple tuple)
{
	OffsetNumber offset = ItemPointerGetOffsetNumber(tid);
	ItemId		line;

	if (unlikely(offset > PageGetMaxOffsetNumber(page)))
		return false;
	line = PageGetItemId(page, offset);
	if (ItemIdIsRedirected(line))
		line = PageGetItemId(page, ItemIdGetRedirect(line));
	if (unlikely(!ItemIdIsNormal(line)))
		return false;
	tuple->t_data = (HeapTupleHeader) PageGetItem(page, line);
	tuple->t_len = ItemIdGetLength(line);
	return true;
}

/* What heap's index fetch does for one row, for all rows of a page. */
static void
visit_page(DdbScan *scan, const ScanPage *page)
{
	Buffer		buffer = ReadBuffer(scan->heap, page->block);
	bool		by_address;

	heap_page_prune_opt(scan->heap, buffer);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	by_address = all_visible(scan, BufferGetPage(buffer));
	for (int i = page->first; i >= 0; i = scan->rows[i].next)
	{
		ScanRow    *row = &scan->rows[i];
		ItemPointerData tid = row->tid;
		HeapTupleData tuple;

		row->visible = (by_address && find_row(BufferGetPage(buffer), &tid, &tuple)) ||
			heap_hot_search_buffer(&tid, scan->heap, buffer, scan->snapshot, &tuple,
								   &row->dead, true);
		if (row->visible)
		{
			copy_row(scan, row, &tuple);
			pgstat_count_heap_fetch(scan->index);
		}
	}
	UnlockReleaseBuffer(buffer);
}

/*
 * Remembers entries that lead to nothing any snapshot sees, as the scan itself
 * does for the entry it came from; it marks them when it leaves the page.
 */
static void
kill_entry(DdbScan *scan, const ScanRow *row)
{
	BTScanOpaque so = (BTScanOpaque) scan->scan->opaque;

	if (scan->scan->xactStartedInRecovery || !BTScanPosIsValid(so->currPos))
		return;
	if (so->killedItems == NULL)
		so->killedItems = MemoryContextAlloc(scan->context, MaxTIDsPerBTreePage * sizeof(int));
	if (so->numKilled < MaxTIDsPerBTreePage)
		so->killedItems[so->numKilled++] = row->index_item;
}

/* Visits the batch's pages and copies what the snapshot sees. */
static void
visit_pages(DdbScan *scan)
{
	group_by_page(scan);
	scan->used = 0;
	for (int i = 0; i < scan->npages; i++)
		visit_page(scan, &scan->pages[i]);
	for (int i = 0; i < scan->nrows; i++)
	{
		if (unlikely(!scan->rows[i].visible && scan->rows[i].dead))
			kill_entry(scan, &scan->rows[i]);
	}
}

/* ----------------------------------------------------------------------
 * Levels
 * ---------------------------------------------------------------------- */

/* An index scan has a fixed number of keys, so each level has one. */
static void
begin_level(DdbScan *scan)
{
	if (scan->scan)
		index_endscan(scan->scan);
	scan->scan = NULL;
	scan->exhausted = false;
	if (scan->done)
		return;
	ddb_scan_level_keys(scan);
	/* Below the first level all rows are of one partition. */
	scan->partition_known = scan->by_key && scan->level > 0;
	if (scan->partition_known)
		scan->partition = ddb_key_from_datum(scan->facts.schema.attr[0].type, scan->at[0]);
	scan->scan = ddb_index_beginscan(scan->heap, scan->index, scan->snapshot, scan->nkeys);
	index_rescan(scan->scan, scan->keys, scan->nkeys, NULL, 0);
}

static void
next_level(DdbScan *scan)
{
	scan->done = scan->level == scan->last_level;
	scan->level--;
	begin_level(scan);
}

/* Fills the next batch; false at the scan's end. */
static bool
next_batch(DdbScan *scan)
{
	while (!scan->done)
	{
		if (scan->exhausted)
		{
			next_level(scan);
			continue;
		}
		CHECK_FOR_INTERRUPTS();
		/* There is one such bound, and other scans may have moved it. */
		if (scan->begins_at_hash)
			(void) ddb_hash_bound(scan->first_hash);
		take_addresses(scan);
		scan->batch = scan->largest_batch;
		if (scan->nrows > 0)
		{
			visit_pages(scan);
			return true;
		}
	}
	return false;
}

const ScanRow *
ddb_scan_advance(DdbScan *scan)
{
	for (;;)
	{
		while (scan->next_row < scan->nrows)
		{
			const ScanRow *row = &scan->rows[scan->next_row++];

			if (row->visible)
				return row;
		}
		if (!next_batch(scan))
			return NULL;
	}
}

HeapTupleData
ddb_scan_tuple(DdbScan *scan, const ScanRow *row)
{
	return (HeapTupleData) {
		.t_len = row->len, .t_data = (HeapTupleHeader) (scan->bytes + row->tuple)
	};
}

static bool
read_columns(DdbScan *scan, HeapTuple tuple, DdbColumnValues *values)
{
	ScanEntry	entry;

	if (!scan->by_digest)
		return ddb_read_columns(tuple, &scan->facts, RelationGetDescr(scan->heap), values);
	if (!ddb_scan_read_entry(scan, tuple, &entry))
		return false;
	*values = entry.columns;
	return true;
}

/* The record of a row; it points into the batch, or to what was detoasted. */
void
ddb_scan_record(DdbScan *scan, const ScanRow *row, DdbRecord *record)
{
	const DdbFacts *facts = &scan->facts;
	HeapTupleData tuple = ddb_scan_tuple(scan, row);
	DdbColumnValues values;
	MemoryContext caller;

	if (!read_columns(scan, &tuple, &values))
		ddb_raise_null();
	MemoryContextReset(scan->row_context);
	caller = MemoryContextSwitchTo(scan->row_context);
	record->schema = &facts->schema;
	record->key.values[0] = scan->partition_known ? scan->partition :
		ddb_key_from_datum(facts->schema.attr[0].type, values.pk);
	if (facts->sk)
		record->key.values[1] = ddb_key_from_datum(facts->schema.attr[1].type, values.sk);
	record->map = ddb_item_map(PG_DETOAST_DATUM_PACKED(values.item));
	MemoryContextSwitchTo(caller);
}

/* ----------------------------------------------------------------------
 * Opening and closing
 * ---------------------------------------------------------------------- */

/* The columns of a table's key index. */
static void
open_key_index(DdbScan *scan, Oid table)
{
	const DdbKeySchema *schema = &scan->facts.schema;

	scan->heap = table_open(table, NoLock);
	scan->index = index_open(scan->facts.key_index, NoLock);
	scan->ncolumns = schema->nkeys;
	for (int k = 0; k < schema->nkeys; k++)
		scan->kinds[k] = ddb_scan_kind(schema->attr[k].type);
	scan->sort_at = schema->nkeys - 1;
	scan->by_key = true;
}

/* Policies are on the table's rows; nothing would apply them to entries. */
static void
refuse_index(const DdbScanIndex *index)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("index \"%s\" cannot be read under row-level security", index->name),
			 errhint("Read the table itself, which applies its policies.")));
}

DdbScan *
ddb_scan_make(DdbTable *table, const DdbScanIndex *index, bool forward)
{
	DdbScan    *scan = palloc0(sizeof(DdbScan));

	scan->facts = table->facts;
	scan->context = CurrentMemoryContext;
	scan->owner = CurrentResourceOwner;
	scan->direction = forward ? ForwardScanDirection : BackwardScanDirection;
	scan->row_context = AllocSetContextCreate(CurrentMemoryContext, "ddb scan row",
											  ALLOCSET_DEFAULT_SIZES);
	if (table->row_security && index == NULL)
		return scan;
	if (table->row_security)
		refuse_index(index);
	scan->snapshot = RegisterSnapshot(GetActiveSnapshot());
	if (index)
		ddb_scan_open_index(scan, table->relid, index);
	else
		open_key_index(scan, table->relid);
	return scan;
}

void
ddb_scan_start(DdbScan *scan, uint32 limit_hint, int largest_batch)
{
	scan->largest_batch = largest_batch;
	scan->batch = Min(limit_hint > 0 ? limit_hint : FIRST_BATCH, largest_batch);
	scan->rows = palloc(sizeof(ScanRow) * largest_batch);
	scan->pages = palloc(sizeof(ScanPage) * largest_batch);
	begin_level(scan);
}

void
ddb_scan_close(DdbScan *scan)
{
	if (scan->scan)
		index_endscan(scan->scan);
	UnregisterSnapshot(scan->snapshot);
	index_close(scan->index, NoLock);
	table_close(scan->heap, NoLock);
	MemoryContextDelete(scan->row_context);
}

/* ----------------------------------------------------------------------
 * The interface
 * ---------------------------------------------------------------------- */

/* A collection through the executor; an exclusive start is a bound like any other. */
static DdbExecScan *
exec_collection(DdbTable *table, DdbScan *scan, const DdbKeyCondition *condition,
				const DdbPlace *after)
{
	bool		forward = ScanDirectionIsForward(scan->direction);
	const ScanBound *low;
	const ScanBound *high;

	scan->sort_at = table->facts.schema.nkeys - 1;
	scan->ncolumns = table->facts.schema.nkeys;
	ddb_scan_set_collection(scan, condition, after, 0);
	if (scan->starts_after && scan->sort_at)
		scan->begin = (ScanBound) {true, false, after->sort};
	low = forward ? &scan->begin : &scan->end;
	high = forward ? &scan->end : &scan->begin;
	return ddb_exec_collection(table, condition->partition,
							   low->given ? &low->value : NULL, low->inclusive,
							   high->given ? &high->value : NULL, high->inclusive,
							   forward, scan->done);
}

DdbScan *
ddb_scan_collection(DdbTable *table, const DdbScanIndex *index, const DdbKeyCondition *condition,
					bool forward, const DdbPlace *after, uint32 limit_hint)
{
	DdbScan    *scan;

	ddb_table_ready(table);
	if (index && index->shards > 0)
		return ddb_scan_merge(table, index, condition, forward, after, limit_hint);
	scan = ddb_scan_make(table, index, forward);
	if (scan->heap == NULL)
	{
		scan->exec = exec_collection(table, scan, condition, after);
		return scan;
	}
	ddb_scan_set_collection(scan, condition, after, 0);
	ddb_scan_start(scan, limit_hint, LARGEST_BATCH);
	return scan;
}

DdbScan *
ddb_scan_segment(DdbTable *table, const DdbScanIndex *index, uint32 segment, uint32 total,
				 const DdbPlace *after)
{
	DdbScan    *scan;

	ddb_table_ready(table);
	scan = ddb_scan_make(table, index, true);
	ddb_scan_set_segment(scan, segment, total, after);
	if (scan->heap == NULL)
	{
		scan->exec = ddb_exec_segment(table, scan->begins_at_hash ? &scan->first_hash : NULL,
									  scan->ends_at_hash ? &scan->end_hash : NULL,
									  after ? &after->key : NULL);
		return scan;
	}
	ddb_scan_start(scan, 0, LARGEST_BATCH);
	return scan;
}

static bool
next_record(DdbScan *scan, DdbRecord *record)
{
	const ScanRow *row = ddb_scan_advance(scan);

	if (row)
		ddb_scan_record(scan, row, record);
	return row != NULL;
}

bool
ddb_scan_next(DdbScan *scan, DdbRecord *record)
{
	ResourceOwner caller_owner = CurrentResourceOwner;
	MemoryContext caller_context = MemoryContextSwitchTo(scan->context);
	bool		found;

	CurrentResourceOwner = scan->owner;
	if (scan->exec)
		found = ddb_exec_next(scan->exec, scan->row_context, record);
	else if (scan->merge)
		found = ddb_scan_merge_next(scan->merge, record);
	else
		found = next_record(scan, record);
	CurrentResourceOwner = caller_owner;
	MemoryContextSwitchTo(caller_context);
	return found;
}

void
ddb_scan_end(DdbScan *scan)
{
	ResourceOwner caller = CurrentResourceOwner;

	CurrentResourceOwner = scan->owner;
	if (scan->exec)
		ddb_exec_end(scan->exec);
	else if (scan->merge)
		ddb_scan_merge_end(scan->merge);
	else
		ddb_scan_close(scan);
	CurrentResourceOwner = caller;
}
