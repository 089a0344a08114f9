/*-------------------------------------------------------------------------
 *
 * scan.c
 *	  Many rows: a collection, or a segment of the table, in key order.
 *
 * The index gives row addresses in key order; rows of a collection lie on few
 * pages, but in the order in which they came.  So addresses are taken in
 * batches, each batch's pages are visited once, in block order, each locked
 * once for all its rows, and the rows are handed out in key order from copies
 * (a toasted item is copied as the pointer it is).
 *
 * A scan outlives the call that began it: a set-returning function gives one
 * row a call, a cursor may run utility commands in between.  So it has its own
 * references and its own snapshot, in the resource owner of the call that
 * began it, and does not lean on the kept DdbTable.
 *
 * The index checks the scan keys of every entry it passes.  Where the descent
 * has settled a condition already (the bound at which the scan begins), the
 * key's function is one that holds always.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/nbtree.h"
#include "access/relscan.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/bufmgr.h"
#include "storage/storage_int.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#define FIRST_BATCH		64
#define LARGEST_BATCH	256

/* An end of a range of sort keys or hashes. */
typedef struct Bound
{
	bool		given;
	bool		inclusive;
	DdbValue	value;
} Bound;

/* A row: its address, and its copy if the snapshot sees it. */
typedef struct Row
{
	ItemPointerData tid;
	int			index_item;		/* its entry's place in the scan's page, for killing */
	int			next;			/* the next row of the batch on the same page, or -1 */
	bool		visible;
	bool		dead;			/* no snapshot sees it */
	Size		tuple;			/* offset in the batch's bytes */
	uint32		len;
} Row;

/* A page of the batch. */
typedef struct BatchPage
{
	BlockNumber block;
	int			first;			/* row */
} BatchPage;

/* What the scan reads: a collection's range, or collections. */
typedef enum Phase
{
	PHASE_RANGE,				/* pk = key[0], sk within bounds */
	PHASE_COLLECTIONS,			/* pk beyond key[0], or from a hash, to a hash */
	PHASE_DONE,
} Phase;

struct DdbScan
{
	DdbFacts	facts;
	MemoryContext context;
	MemoryContext row_context;	/* what the last record points to */
	ResourceOwner owner;
	Relation	heap;
	Relation	index;
	Snapshot	snapshot;
	IndexScanDesc scan;
	DdbExecScan *exec;			/* instead of all that: through the executor */

	Phase		phase;
	Phase		next_phase;
	ScanDirection direction;
	Datum		pk;				/* of the range; of the collections' exclusive start */
	DdbType		sk_type;
	Datum		low;
	Datum		high;
	bool		begins_at_hash;
	int64		first_hash;
	bool		ends_at_hash;
	int64		end_hash;		/* exclusive */
	ScanKeyData keys[3];
	int			nkeys;

	DdbValue	partition;		/* the range's, as records have it */
	int			batch;			/* how many addresses to take next */
	bool		exhausted;		/* the phase has no more */
	int			nrows;
	int			next_row;
	int			npages;
	char	   *bytes;			/* copies of the batch's rows */
	Size		used;
	Size		size;
	Row			rows[LARGEST_BATCH];	/* not cleared, as what follows */
	BatchPage	pages[LARGEST_BATCH];
};

/* ----------------------------------------------------------------------
 * The functions of scan keys
 * ---------------------------------------------------------------------- */
Datum
ddb_always(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(true);
}

#define BYTES_FUNCTION(name, condition) \
static Datum \
name(PG_FUNCTION_ARGS) \
{ \
	int			order = ddb_stored_compare(DDB_B, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)); \
\
	PG_RETURN_BOOL(condition); \
}

BYTES_FUNCTION(bytes_lt, order < 0)
BYTES_FUNCTION(bytes_le, order <= 0)
BYTES_FUNCTION(bytes_eq, order == 0)
BYTES_FUNCTION(bytes_ge, order >= 0)
BYTES_FUNCTION(bytes_gt, order > 0)

/* By strategy: of strings and binaries, and of numbers. */
static const PGFunction bytes_functions[] = {NULL, bytes_lt, bytes_le, bytes_eq, bytes_ge, bytes_gt};
static const PGFunction number_functions[] = {NULL, numeric_lt, numeric_le, numeric_eq, numeric_ge, numeric_gt};

/* Does the partition key's hash come before the scan's end? */
static Datum
before_end_hash(PG_FUNCTION_ARGS)
{
	DdbScan    *scan = fcinfo->flinfo->fn_extra;

	PG_RETURN_BOOL(ddb_datum_hash(scan->facts.schema.attr[0].type, PG_GETARG_DATUM(0)) <
				   scan->end_hash);
}

static void
add_key(DdbScan *scan, AttrNumber attno, StrategyNumber strategy, Datum argument,
		PGFunction function)
{
	ScanKey		key = &scan->keys[scan->nkeys++];

	memset(key, 0, sizeof(*key));
	key->sk_attno = attno;
	key->sk_strategy = strategy;
	key->sk_collation = scan->index->rd_indcollation[attno - 1];
	key->sk_func.fn_addr = function;
	key->sk_func.fn_oid = F_BYTEAEQ;
	key->sk_func.fn_nargs = 2;
	key->sk_func.fn_strict = true;
	key->sk_func.fn_mcxt = scan->context;
	key->sk_func.fn_extra = scan;
	key->sk_argument = argument;
}

static inline PGFunction
key_function(DdbType type, StrategyNumber strategy)
{
	return (type == DDB_N ? number_functions : bytes_functions)[strategy];
}

/* ----------------------------------------------------------------------
 * Ranges of sort keys
 * ---------------------------------------------------------------------- */

/* The least value beyond all that begin with this one; false if none is. */
static bool
next_prefix(DdbValue prefix, DdbValue *next)
{
	uint8	   *bytes = palloc(prefix.len + 1);
	uint32		len = prefix.len;

	memcpy(bytes, prefix.data, len);
	while (len > 0 && bytes[len - 1] == 0xFF)
		len--;
	if (len == 0)
		return false;
	bytes[len - 1]++;
	*next = prefix;
	next->data = bytes;
	next->len = len;
	return true;
}

static void
condition_bounds(const DdbKeyCondition *condition, Bound *low, Bound *high)
{
	Bound		first = {true, true, condition->low};
	Bound		second = {true, true, condition->high};

	switch (condition->op)
	{
		case DDB_KEY_ALL:
			break;
		case DDB_KEY_EQ:
			*low = *high = first;
			break;
		case DDB_KEY_LT:
			first.inclusive = false;
			/* FALLTHROUGH */
		case DDB_KEY_LE:
			*high = first;
			break;
		case DDB_KEY_GT:
			first.inclusive = false;
			/* FALLTHROUGH */
		case DDB_KEY_GE:
			*low = first;
			break;
		case DDB_KEY_BETWEEN:
			*low = first;
			*high = second;
			break;
		case DDB_KEY_BEGINS_WITH:
			*low = first;
			high->given = next_prefix(condition->low, &high->value);
			high->inclusive = false;
			break;
	}
}

/* An exclusive start moves the bound where the scan begins. */
static void
start_after(Bound *begin, DdbValue after, bool forward)
{
	int			order = begin->given ? ddb_value_compare(after, begin->value) : 0;

	if (begin->given && (forward ? order < 0 : order > 0))
		return;
	begin->given = true;
	begin->inclusive = false;
	begin->value = after;
}

/*
 * The keys of a bound: the one where the scan begins is settled by the
 * descent, the other ends it.
 */
static void
add_bound(DdbScan *scan, const Bound *bound, bool lower)
{
	bool		begins = lower == ScanDirectionIsForward(scan->direction);
	StrategyNumber strategy;

	if (!bound->given)
		return;
	if (lower)
		strategy = bound->inclusive ? BTGreaterEqualStrategyNumber : BTGreaterStrategyNumber;
	else
		strategy = bound->inclusive ? BTLessEqualStrategyNumber : BTLessStrategyNumber;
	add_key(scan, 2, strategy, ddb_key_to_datum(bound->value),
			begins ? ddb_always : key_function(scan->facts.schema.attr[1].type, strategy));
}

static void
add_partition(DdbScan *scan)
{
	scan->partition = ddb_key_from_datum(scan->facts.schema.attr[0].type, scan->pk);
	add_key(scan, 1, BTEqualStrategyNumber, scan->pk,
			key_function(scan->facts.schema.attr[0].type, BTEqualStrategyNumber));
}

/* ----------------------------------------------------------------------
 * Segments: shares of the range of hashes
 * ---------------------------------------------------------------------- */
#define POSITION(hash) ((uint64) (hash) + (UINT64CONST(1) << 63))
#define HASH_AT(position) ((int64) ((position) - (UINT64CONST(1) << 63)))

static inline uint64
segment_width(uint32 total)
{
	return PG_UINT64_MAX / total;
}

bool
ddb_key_in_segment(const DdbKeySchema *schema, const DdbKey *key, uint32 segment, uint32 total)
{
	uint64		position = POSITION(ddb_partition_hash(key->values[0]));

	return Min(position / segment_width(total), total - 1) == segment;
}

/* ----------------------------------------------------------------------
 * Batches
 * ---------------------------------------------------------------------- */
/* Takes the next addresses from the index, in key order. */
static void
take_addresses(DdbScan *scan)
{
	BTScanOpaque so = (BTScanOpaque) scan->scan->opaque;

	scan->nrows = scan->next_row = 0;
	while (scan->nrows < scan->batch)
	{
		ItemPointer tid = index_getnext_tid(scan->scan, scan->direction);
		Row		   *row = &scan->rows[scan->nrows];

		if (tid == NULL)
		{
			scan->exhausted = true;
			break;
		}
		scan->nrows++;
		row->tid = *tid;
		row->index_item = so->currPos.itemIndex;
		/* The page is about to be left; what is dead on it can be marked. */
		if (row->index_item == (ScanDirectionIsForward(scan->direction) ?
								so->currPos.lastItem : so->currPos.firstItem))
			break;
	}
}

static int
by_block(const void *a, const void *b)
{
	BlockNumber x = ((const BatchPage *) a)->block;
	BlockNumber y = ((const BatchPage *) b)->block;

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
		qsort(scan->pages, scan->npages, sizeof(BatchPage), by_block);
}

static void
copy_row(DdbScan *scan, Row *row, HeapTuple tuple)
{
	Size		needed = scan->used + tuple->t_len;

	if (unlikely(needed > scan->size))
	{
		scan->size = Max(needed, scan->size * 2);
		scan->bytes = repalloc(scan->bytes, scan->size);
	}
	memcpy(scan->bytes + scan->used, tuple->t_data, tuple->t_len);
	row->tuple = scan->used;
	row->len = tuple->t_len;
	scan->used = MAXALIGN(needed);
}

/* What heap's index fetch does for one row, for all rows of a page. */
static void
visit_page(DdbScan *scan, const BatchPage *page)
{
	Buffer		buffer = ReadBuffer(scan->heap, page->block);

	heap_page_prune_opt(scan->heap, buffer);
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	for (int i = page->first; i >= 0; i = scan->rows[i].next)
	{
		Row		   *row = &scan->rows[i];
		ItemPointerData tid = row->tid;
		HeapTupleData tuple;

		row->visible = heap_hot_search_buffer(&tid, scan->heap, buffer, scan->snapshot, &tuple,
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
kill_entry(DdbScan *scan, const Row *row)
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
 * Phases
 * ---------------------------------------------------------------------- */

/* Keys of the collections beyond a hash or a partition key. */
static void
collection_keys(DdbScan *scan)
{
	scan->nkeys = 0;
	if (scan->pk)
		add_key(scan, 1, BTGreaterStrategyNumber, scan->pk, ddb_always);
	else if (scan->begins_at_hash)
		add_key(scan, 1, BTGreaterEqualStrategyNumber, ddb_hash_bound(scan->first_hash), ddb_always);
	if (scan->ends_at_hash)
		add_key(scan, 1, BTLessStrategyNumber, PointerGetDatum(scan), before_end_hash);
}

/* A scan has a fixed number of keys, so each phase has a scan. */
static void
begin_phase(DdbScan *scan, Phase phase)
{
	if (scan->scan)
		index_endscan(scan->scan);
	scan->scan = NULL;
	scan->phase = phase;
	scan->exhausted = false;
	if (phase == PHASE_DONE)
		return;
	if (phase == PHASE_COLLECTIONS)
		collection_keys(scan);
	scan->scan = ddb_index_beginscan(scan->heap, scan->index, scan->snapshot, scan->nkeys);
	index_rescan(scan->scan, scan->keys, scan->nkeys, NULL, 0);
}

/* Fills the next batch; false at the scan's end. */
static bool
next_batch(DdbScan *scan)
{
	while (scan->phase != PHASE_DONE)
	{
		if (scan->exhausted)
		{
			Phase		next = scan->next_phase;

			scan->next_phase = PHASE_DONE;
			begin_phase(scan, next);
			continue;
		}
		CHECK_FOR_INTERRUPTS();
		/* There is one such bound, and other scans may have moved it. */
		if (scan->begins_at_hash)
			(void) ddb_hash_bound(scan->first_hash);
		take_addresses(scan);
		scan->batch = LARGEST_BATCH;
		if (scan->nrows > 0)
		{
			visit_pages(scan);
			return true;
		}
	}
	return false;
}

/* ----------------------------------------------------------------------
 * The interface
 * ---------------------------------------------------------------------- */
static DdbScan *
scan_begin(DdbTable *table, ScanDirection direction)
{
	DdbScan    *scan = palloc(sizeof(DdbScan));

	/* All but the batch. */
	memset(scan, 0, offsetof(DdbScan, rows));
	scan->facts = table->facts;
	scan->context = CurrentMemoryContext;
	scan->owner = CurrentResourceOwner;
	scan->direction = direction;
	scan->row_context = AllocSetContextCreate(CurrentMemoryContext, "ddb scan row",
											  ALLOCSET_DEFAULT_SIZES);
	if (table->row_security)
		return scan;
	scan->heap = table_open(table->relid, NoLock);
	scan->index = index_open(table->facts.key_index, NoLock);
	scan->snapshot = RegisterSnapshot(GetActiveSnapshot());
	scan->batch = FIRST_BATCH;
	scan->next_phase = PHASE_DONE;
	scan->size = BLCKSZ;
	scan->bytes = palloc(scan->size);
	return scan;
}

DdbScan *
ddb_scan_collection(DdbTable *table, const DdbKeyCondition *condition, bool forward,
					const DdbKey *after, uint32 limit_hint)
{
	Bound		low = {false};
	Bound		high = {false};
	DdbScan    *scan;

	ddb_table_ready(table);
	scan = scan_begin(table, forward ? ForwardScanDirection : BackwardScanDirection);
	if (table->facts.sk)
	{
		condition_bounds(condition, &low, &high);
		if (after)
			start_after(forward ? &low : &high, after->values[1], forward);
	}
	if (table->row_security)
	{
		scan->exec = ddb_exec_collection(table, condition->partition,
										 low.given ? &low.value : NULL, low.inclusive,
										 high.given ? &high.value : NULL, high.inclusive,
										 forward, after && !table->facts.sk);
		return scan;
	}
	scan->pk = ddb_key_to_datum(condition->partition);
	add_partition(scan);
	add_bound(scan, &low, true);
	add_bound(scan, &high, false);
	if (limit_hint > 0)
		scan->batch = Min(limit_hint, LARGEST_BATCH);
	/* A simple key's collection has one item, and that is what we are after. */
	begin_phase(scan, after && !table->facts.sk ? PHASE_DONE : PHASE_RANGE);
	return scan;
}

DdbScan *
ddb_scan_segment(DdbTable *table, uint32 segment, uint32 total, const DdbKey *after)
{
	Bound		low = {false};
	DdbScan    *scan;

	ddb_table_ready(table);
	scan = scan_begin(table, ForwardScanDirection);
	scan->begins_at_hash = segment > 0;
	scan->first_hash = HASH_AT(segment * segment_width(total));
	scan->ends_at_hash = segment + 1 < total;
	scan->end_hash = HASH_AT((segment + 1) * segment_width(total));
	if (table->row_security)
	{
		scan->exec = ddb_exec_segment(table, scan->begins_at_hash ? &scan->first_hash : NULL,
									  scan->ends_at_hash ? &scan->end_hash : NULL, after);
		return scan;
	}
	if (after)
		scan->pk = ddb_key_to_datum(after->values[0]);
	if (after && table->facts.sk)
	{
		/* First the rest of the collection, then those beyond it. */
		start_after(&low, after->values[1], true);
		add_partition(scan);
		add_bound(scan, &low, true);
		scan->next_phase = PHASE_COLLECTIONS;
		begin_phase(scan, PHASE_RANGE);
	}
	else
		begin_phase(scan, PHASE_COLLECTIONS);
	return scan;
}

/* The record of a row; it points into the batch, or to what was detoasted. */
static void
make_record(DdbScan *scan, const Row *row, DdbRecord *record)
{
	const DdbFacts *facts = &scan->facts;
	HeapTupleData tuple = {.t_len = row->len, .t_data = (HeapTupleHeader) (scan->bytes + row->tuple)};
	DdbColumnValues values;
	MemoryContext caller;

	if (!ddb_read_columns(&tuple, facts, RelationGetDescr(scan->heap), &values))
		ddb_raise_null();
	MemoryContextReset(scan->row_context);
	caller = MemoryContextSwitchTo(scan->row_context);
	record->schema = &facts->schema;
	record->key.values[0] = scan->phase == PHASE_RANGE ? scan->partition :
		ddb_key_from_datum(facts->schema.attr[0].type, values.pk);
	if (facts->sk)
		record->key.values[1] = ddb_key_from_datum(facts->schema.attr[1].type, values.sk);
	record->map = ddb_item_map(PG_DETOAST_DATUM_PACKED(values.item));
	MemoryContextSwitchTo(caller);
}

static bool
next_row(DdbScan *scan, DdbRecord *record)
{
	for (;;)
	{
		while (scan->next_row < scan->nrows)
		{
			const Row  *row = &scan->rows[scan->next_row++];

			if (row->visible)
			{
				make_record(scan, row, record);
				return true;
			}
		}
		if (!next_batch(scan))
			return false;
	}
}

bool
ddb_scan_next(DdbScan *scan, DdbRecord *record)
{
	ResourceOwner caller_owner = CurrentResourceOwner;
	MemoryContext caller_context = MemoryContextSwitchTo(scan->context);
	bool		found;

	CurrentResourceOwner = scan->owner;
	found = scan->exec ? ddb_exec_next(scan->exec, scan->row_context, record) :
		next_row(scan, record);
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
	else
	{
		begin_phase(scan, PHASE_DONE);
		UnregisterSnapshot(scan->snapshot);
		index_close(scan->index, NoLock);
		table_close(scan->heap, NoLock);
	}
	CurrentResourceOwner = caller;
	MemoryContextDelete(scan->row_context);
}
