/*-------------------------------------------------------------------------
 *
 * compact_pass.c
 *	  Compaction, stretch after stretch: a pass by hand, a slice of a sweep in
 *	  the background, a survey of whether one would be worth while.
 *
 * A sweep goes once through the key index from a random hash round to where it
 * began.  A pass by hand is a sweep in one transaction, which ends early when it
 * has moved enough or finds no page to write on.  In the background a sweep is
 * cut into slices, each a short transaction, and what lasts from one to the next
 * (DdbSweep) is the place where it goes on, the page it was filling, and how far
 * everything is to be written anew.  Nothing of that is believed: the place is a key that need not be
 * there any more, a page is asked for its room before it is written on, and a
 * table that has been given other storage ends the sweep.
 *
 * A slice moves few of the rows whose entries share a page of the index.  Until
 * it has committed, both entries of a row must be kept; after that the btree
 * itself removes the old ones from a page that gets full, rather than split it.
 *
 * Rows that were written since the sweep began are spared in the background.
 * They are the ones that a transaction above READ COMMITTED is most likely to
 * write next, which would fail with 40001 if they had moved meanwhile; and rows
 * that this sweep has moved itself are among them, so it does no work twice.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/transam.h"
#include "access/xact.h"
#include "base/errors.h"
#include "catalog/pg_class.h"
#include "commands/vacuum.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "storage/compact_int.h"
#include "storage/freespace.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#define PASS_ROWS		100000	/* moved by a pass by hand */

/* Read at once of what is written anew: hardly more than a slice moves. */
#define REWRITE_ROWS	64

/* A survey looks at so many stretches, and so many rows of each or a few more. */
#define SURVEY_STRETCHES 16
#define SURVEY_ROWS		256

/* A walk through the map is paid for by moving a row for so many pages of it. */
#define PAGES_WALKED	10

/* ----------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------- */

/*
 * Counts the pages of the collection just read to its end.  Whether it is in
 * order is asked of the rows that may be moved.
 */
static void
end_collection(Pass *pass)
{
	CollectionSeen *collection = &pass->collections[pass->ncollections - 1];
	RowSeen    *rows = &pass->rows[collection->first];
	int			npages = 0;
	int			bytes = 0;

	for (int i = 0; i < collection->nrows; i++)
		rows[i].page->own_rows = 0;
	for (int i = 0; i < collection->nrows; i++)
	{
		if (rows[i].spared)
			continue;
		bytes += rows[i].size;
		npages += rows[i].page->own_rows++ == 0;
	}
	collection->ordered = npages <= pages_allowed(pass, bytes);
	for (int i = 0; i < collection->nrows; i++)
		npages += rows[i].page->own_rows++ == 0;
	collection->npages = npages;
}

static PageSeen *
page_seen(Pass *pass, BlockNumber block)
{
	bool		found;
	PageSeen   *page = hash_search(pass->pages, &block, HASH_ENTER, &found);

	if (!found)
		memset((char *) page + sizeof(block), 0, sizeof(PageSeen) - sizeof(block));
	return page;
}

/* Adds the row that the scan has come to. */
static void
add_row(Pass *pass, CollectionSeen *collection)
{
	RowSeen    *row = &pass->rows[pass->nrows++];
	bool		should_free;
	HeapTuple	tuple = ExecFetchSlotHeapTuple(pass->slot, false, &should_free);

	row->tid = pass->slot->tts_tid;
	row->spared = TransactionIdIsValid(pass->sweep->began) &&
		TransactionIdFollowsOrEquals(HeapTupleHeaderGetXmin(tuple->t_data), pass->sweep->began);
	row->size = MAXALIGN(tuple->t_len) + sizeof(ItemIdData);
	row->page = page_seen(pass, ItemPointerGetBlockNumber(&row->tid));
	collection->nrows++;
	collection->bytes += row->size;
	if (should_free)
		heap_freetuple(tuple);
}

/* The key of the row in the slot, good for the stretch: to go on from one day. */
static void
copy_key(Pass *pass, Datum *key)
{
	MemoryContext caller = MemoryContextSwitchTo(pass->stretch_context);
	bool		isnull;

	key[0] = PointerGetDatum(PG_DETOAST_DATUM_COPY(slot_getattr(pass->slot, pass->facts.pk, &isnull)));
	key[1] = PointerGetDatum(PG_DETOAST_DATUM_COPY(slot_getattr(pass->slot, pass->facts.sk, &isnull)));
	MemoryContextSwitchTo(caller);
}

static CollectionSeen *
begin_collection(Pass *pass, int64 hash)
{
	DdbSweep   *sweep = pass->sweep;
	CollectionSeen *collection = &pass->collections[pass->ncollections++];

	*collection = (CollectionSeen) {.hash = hash, .first = pass->nrows};
	if (!sweep->tail_only && (pass->done->collections_seen == 0 || hash != sweep->hash_seen))
		pass->done->collections_seen++;
	if (hash == sweep->hash_seen && pass->facts.sk)
	{
		collection->piece = true;
		copy_key(pass, collection->key);
	}
	sweep->hash_seen = hash;
	return collection;
}

/* Is there another row before the index's end, or before the place where the sweep began? */
static bool
read_row(Pass *pass, int64 *hash)
{
	bool		isnull;

	if (!pass->ahead)
	{
		MemoryContext caller = MemoryContextSwitchTo(pass->estate->es_query_cxt);
		bool		found = index_getnext_slot(pass->scan, ForwardScanDirection, pass->slot);

		MemoryContextSwitchTo(caller);
		if (!found)
			return false;
	}
	pass->ahead = false;
	*hash = ddb_datum_hash(pass->facts.schema.attr[0].type,
						   slot_getattr(pass->slot, pass->facts.pk, &isnull));
	return !pass->sweep->wrapped || *hash < pass->sweep->from_hash;
}

/* Reads collections and pieces of them; true while there is more, whose first row is in the slot. */
static bool
read_stretch(Pass *pass)
{
	CollectionSeen *collection = NULL;
	int64		hash;

	while (read_row(pass, &hash))
	{
		if (collection && (collection->hash != hash || collection->nrows == PIECE_ROWS))
		{
			end_collection(pass);
			collection = NULL;
			pass->ahead = pass->nrows >= pass->stretch_rows;
			if (pass->ahead)
				return true;
		}
		if (collection == NULL)
			collection = begin_collection(pass, hash);
		add_row(pass, collection);
		pass->done->rows_seen++;
	}
	if (collection)
		end_collection(pass);
	return false;
}

/* No page stays pinned by the scan: it could not be pruned. */
static void
release_pages(Pass *pass)
{
	if (pass->ahead)
		ExecMaterializeSlot(pass->slot);
	else
		ExecClearTuple(pass->slot);
	table_index_fetch_reset(pass->scan->xs_heapfetch);
}

static void
measure_pages(Pass *pass)
{
	HASH_SEQ_STATUS seq;
	PageSeen   *page;

	hash_seq_init(&seq, pass->pages);
	while ((page = hash_seq_search(&seq)) != NULL)
		page->room = ddb_compact_page_room(pass, page->block);
}

static void
begin_stretch(Pass *pass)
{
	HASHCTL		ctl = {.keysize = sizeof(BlockNumber), .entrysize = sizeof(PageSeen)};

	MemoryContextReset(pass->stretch_context);
	ctl.hcxt = pass->stretch_context;
	pass->pages = hash_create("ddb pages", 256, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	pass->nrows = pass->ncollections = 0;
}

/* ----------------------------------------------------------------------
 * The sweep
 * ---------------------------------------------------------------------- */

/* At the sweep's place.  The descent goes there; the keys' functions always hold. */
static void
begin_scan(Pass *pass)
{
	DdbSweep   *sweep = pass->sweep;
	ScanKeyData keys[2];
	int			n = sweep->within ? 2 : 1;

	memset(keys, 0, sizeof(keys));
	for (int i = 0; i < n; i++)
	{
		keys[i].sk_attno = i + 1;
		keys[i].sk_strategy = i + 1 < n ? BTEqualStrategyNumber : BTGreaterEqualStrategyNumber;
		keys[i].sk_collation = pass->index->rd_indcollation[i];
		keys[i].sk_func.fn_addr = ddb_always;
		keys[i].sk_func.fn_nargs = 2;
		keys[i].sk_func.fn_strict = true;
		keys[i].sk_func.fn_mcxt = CurrentMemoryContext;
		keys[i].sk_argument = sweep->within ? sweep->at[i] : ddb_hash_bound(sweep->at_hash);
	}
	pass->scan = ddb_index_beginscan(pass->heap, pass->index, pass->snapshot, n);
	index_rescan(pass->scan, keys, n, NULL, 0);
	pass->ahead = false;
}

static void
restart_scan(Pass *pass)
{
	index_endscan(pass->scan);
	begin_scan(pass);
}

static void
begin_at(DdbSweep *sweep, int64 hash)
{
	sweep->at_hash = sweep->from_hash = hash;
	sweep->within = sweep->wrapped = sweep->ended = sweep->rewriting = false;
}

static int64
random_hash(void)
{
	return (int64) pg_prng_uint64(&pg_global_prng_state);
}

/* The sweep goes on at this hash, or within its collection at the key. */
static void
set_place(DdbSweep *sweep, int64 hash, const Datum *key)
{
	sweep->at_hash = hash;
	for (int i = 0; sweep->within && i < 2; i++)
		pfree(DatumGetPointer(sweep->at[i]));
	sweep->within = key != NULL;
	for (int i = 0; key && i < 2; i++)
		sweep->at[i] = PointerGetDatum(memcpy(MemoryContextAlloc(sweep->context, VARSIZE_ANY(key[i])),
											  DatumGetPointer(key[i]), VARSIZE_ANY(key[i])));
}

/* After a stretch: where the next one begins. */
static void
note_place(Pass *pass, bool more)
{
	DdbSweep   *sweep = pass->sweep;
	bool		isnull;

	if (pass->reached < pass->ncollections)
	{
		const CollectionSeen *collection = &pass->collections[pass->reached];

		set_place(sweep, collection->hash, collection->piece ? collection->key : NULL);
	}
	else if (more)
	{
		int64		hash = ddb_datum_hash(pass->facts.schema.attr[0].type,
										  slot_getattr(pass->slot, pass->facts.pk, &isnull));
		Datum		key[2];
		bool		piece = hash == sweep->hash_seen && pass->facts.sk;

		if (piece)
			copy_key(pass, key);
		set_place(sweep, hash, piece ? key : NULL);
	}
	else if (!sweep->wrapped)
	{
		/* Once more from the lowest hash, to where we began. */
		sweep->wrapped = true;
		set_place(sweep, PG_INT64_MIN, NULL);
		sweep->rewriting = false;
		restart_scan(pass);
	}
	else
		sweep->ended = true;
}

static bool
is_over(const Pass *pass)
{
	return pass->exhausted || pass->stopped || pass->sweep->ended ||
		(pass->deadline && (GetCurrentTimestamp() >= pass->deadline ||
							LockHasWaitersRelation(pass->heap, ShareUpdateExclusiveLock)));
}

/* Has the sweep come to the end of what was to be written anew?  Then it looks further. */
static bool
rewritten(Pass *pass)
{
	DdbSweep   *sweep = pass->sweep;

	if (!sweep->rewriting ||
		(pass->ncollections > 0 && pass->collections[0].hash <= sweep->rewrite_to))
		return false;
	sweep->rewriting = false;
	return true;
}

/* Stretches until the sweep has come round, or the pass is over. */
static void
sweep_on(Pass *pass)
{
	if (!pass->sweep->walked)
		ddb_compact_find_pages(pass);
	begin_scan(pass);
	do
	{
		bool		more;

		CHECK_FOR_INTERRUPTS();
		begin_stretch(pass);
		pass->stretch_rows = pass->sweep->rewriting ? REWRITE_ROWS : STRETCH_ROWS;
		more = read_stretch(pass);
		if (rewritten(pass))
		{
			restart_scan(pass);
			continue;
		}
		release_pages(pass);
		measure_pages(pass);
		ddb_compact_stretch(pass);
		note_place(pass, more);
	} while (!is_over(pass));
	index_endscan(pass->scan);
}

/* What of several stretches is out of order: what a sweep would move. */
static double
survey(Pass *pass)
{
	int64		disordered = 0;

	for (int n = 0; n < SURVEY_STRETCHES; n++)
	{
		CHECK_FOR_INTERRUPTS();
		begin_at(pass->sweep, random_hash());
		begin_scan(pass);
		begin_stretch(pass);
		(void) read_stretch(pass);
		release_pages(pass);
		measure_pages(pass);
		if (ddb_compact_is_disordered(pass))
			disordered += pass->nrows;
		else
		{
			for (int i = 0; i < pass->ncollections; i++)
				disordered += pass->collections[i].ordered ? 0 : pass->collections[i].nrows;
		}
		index_endscan(pass->scan);
	}
	return (double) disordered / Max(pass->done->rows_seen, 1);
}

/* ----------------------------------------------------------------------
 * The pass
 * ---------------------------------------------------------------------- */
static void
begin_pass(Pass *pass)
{
	HASHCTL		ctl = {.keysize = sizeof(BlockNumber), .entrysize = sizeof(PageLeft)};

	ctl.hcxt = CurrentMemoryContext;
	pass->left = hash_create("ddb pages left", 1024, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	pass->stretch_context = AllocSetContextCreate(CurrentMemoryContext, "ddb stretch",
												  ALLOCSET_DEFAULT_SIZES);
	pass->rows = palloc((STRETCH_ROWS + PIECE_ROWS) * sizeof(RowSeen));
	pass->collections = palloc((STRETCH_ROWS + PIECE_ROWS) * sizeof(CollectionSeen));
	pass->slot = table_slot_create(pass->heap, NULL);
	pass->row = table_slot_create(pass->heap, NULL);
	pass->estate = CreateExecutorState();
	pass->result = makeNode(ResultRelInfo);
	InitResultRelInfo(pass->result, pass->heap, 0, NULL, 0);
	ExecOpenIndices(pass->result, false);
	pass->snapshot = RegisterSnapshot(GetActiveSnapshot());
}

static void
end_pass(Pass *pass)
{
	/* Only then do searchers of the map see what it was told. */
	if (pass->exhausted || pass->sweep->ended)
		FreeSpaceMapVacuumRange(pass->heap, 0, InvalidBlockNumber);
	UnregisterSnapshot(pass->snapshot);
	ExecCloseIndices(pass->result);
	FreeExecutorState(pass->estate);
	ExecDropSingleTupleTableSlot(pass->row);
	ExecDropSingleTupleTableSlot(pass->slot);
	MemoryContextDelete(pass->stretch_context);
	hash_destroy(pass->left);
	index_close(pass->index, NoLock);
}

static void
begin_sweep(DdbSweep *sweep, bool tail_only)
{
	*sweep = (DdbSweep) {
		.context = sweep->context, .relid = sweep->relid, .storage = sweep->storage,
		.tail_only = tail_only, .target = InvalidBlockNumber
	};
	begin_at(sweep, random_hash());
}

/* Would enough be won by cutting off the file's end? */
static bool
shrinks(Pass *pass)
{
	return (uint64) pass->sweep->nfree * LEAST_SHRINK > RelationGetNumberOfBlocks(pass->heap);
}

/* When hardly a row was out of order, the end of the file is moved, if that wins much. */
static void
run_pass(Pass *pass)
{
	DdbSweep   *sweep = pass->sweep;

	sweep_on(pass);
	if (sweep->ended && pass->done->rows_moved <= sweep->tail / 4 && shrinks(pass))
	{
		begin_sweep(sweep, true);

		/* One that sees what this sweep moved where it is now. */
		UnregisterSnapshot(pass->snapshot);
		pass->snapshot = RegisterSnapshot(GetTransactionSnapshot());
		sweep_on(pass);
	}
	sweep->ended = true;
}

/* Runs it as the owner, as VACUUM does: index expressions are his code, not the caller's. */
static void
run_as_owner(Pass *pass, void (*enter) (DdbOwnerScope *scope, Oid owner),
			 void (*run) (Pass *pass))
{
	DdbOwnerScope scope;

	enter(&scope, pass->heap->rd_rel->relowner);
	begin_pass(pass);
	run(pass);
	end_pass(pass);
	ddb_owner_leave(&scope);
}

static bool
open_indexes(Pass *pass)
{
	if (!ddb_is_ours(pass->heap) || !OidIsValid(ddb_facts(pass->heap)->key_index))
		return false;
	pass->facts = *ddb_facts(pass->heap);
	pass->spared = RelationGetTargetPageFreeSpace(pass->heap, HEAP_DEFAULT_FILLFACTOR);
	pass->index = index_open(pass->facts.key_index, RowExclusiveLock);
	return true;
}

/* ----------------------------------------------------------------------
 * By hand
 * ---------------------------------------------------------------------- */
static void
check_allowed(Oid relid)
{
	if (!ddb_owns_relation(relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relid));
	PreventCommandIfReadOnly("ddb.compact()");
	PreventCommandIfParallelMode("ddb.compact()");
	PreventCommandDuringRecovery("ddb.compact()");
}

/*
 * The lock admits one pass at a time, and no VACUUM beside it.  The pass obeys
 * vacuum_cost_delay, as VACUUM does.
 */
void
ddb_table_compact(Oid relid, DdbCompaction *result)
{
	DdbSweep	sweep = {.context = CurrentMemoryContext};
	Pass		pass = {.sweep = &sweep, .done = result, .most_rows = PASS_ROWS};

	*result = (DdbCompaction) {0};
	check_allowed(relid);
	pass.heap = try_relation_open(relid, ShareUpdateExclusiveLock);
	if (pass.heap == NULL)
		ddb_raise(DDB_RESOURCE_NOT_FOUND, "Requested resource not found");
	if (!open_indexes(&pass))
		ddb_not_a_table(relid);
	begin_sweep(&sweep, false);
	PG_TRY();
	{
		VacuumCostActive = VacuumCostDelay > 0;
		VacuumCostBalance = 0;
		run_as_owner(&pass, ddb_owner_enter_called, run_pass);
	}
	PG_FINALLY();
	{
		VacuumCostActive = false;
	}
	PG_END_TRY();
	table_close(pass.heap, NoLock);
}

/* ----------------------------------------------------------------------
 * In the background
 * ---------------------------------------------------------------------- */

/* Opens the table without waiting, if it may be compacted. */
static DdbSliceEnd
open_unasked(Oid relid, Pass *pass)
{
	DdbSliceEnd end;

	if (!ConditionalLockRelationOid(relid, ShareUpdateExclusiveLock))
		return DDB_SLICE_LOCKED;
	pass->heap = try_relation_open(relid, NoLock);
	if (pass->heap == NULL)
		return DDB_SLICE_GONE;
	end = ddb_compact_guard(pass->heap);
	if (end == DDB_SLICE_MORE && !open_indexes(pass))
		end = DDB_SLICE_GONE;
	if (end != DDB_SLICE_MORE)
		table_close(pass->heap, NoLock);
	return end;
}

static void
run_survey(Pass *pass)
{
	pass->disordered = survey(pass);
}

DdbSliceEnd
ddb_table_survey(Oid relid, double *disordered)
{
	DdbSweep	sweep = {.context = CurrentMemoryContext};
	DdbCompaction done = {0};
	Pass		pass = {.sweep = &sweep, .done = &done, .stretch_rows = SURVEY_ROWS};
	DdbSliceEnd end = open_unasked(relid, &pass);

	if (end != DDB_SLICE_MORE)
		return end;
	run_as_owner(&pass, ddb_owner_enter, run_survey);
	table_close(pass.heap, NoLock);
	*disordered = pass.disordered;
	return DDB_SLICE_MORE;
}

DdbSweep *
ddb_sweep_begin(Oid relid, bool tail_only)
{
	MemoryContext context = AllocSetContextCreate(TopMemoryContext, "ddb sweep",
												  ALLOCSET_DEFAULT_SIZES);
	DdbSweep   *sweep = MemoryContextAllocZero(context, sizeof(DdbSweep));

	sweep->context = context;
	sweep->relid = relid;
	begin_sweep(sweep, tail_only);
	return sweep;
}

void
ddb_sweep_end(DdbSweep *sweep)
{
	MemoryContextDelete(sweep->context);
}

/* What the last slice was filling, if it is still there and has room. */
static void
resume_target(Pass *pass)
{
	DdbSweep   *sweep = pass->sweep;
	int			room = 0;

	if (sweep->target != InvalidBlockNumber &&
		sweep->target < RelationGetNumberOfBlocks(pass->heap))
		room = (int) ddb_page_room(pass->heap, sweep->target, &pass->busy) - fill_room(pass);
	sweep->target_room = Max(Min(sweep->target_room, room), 0);
}

static void
run_slice(Pass *pass)
{
	DdbSweep   *sweep = pass->sweep;

	if (!TransactionIdIsValid(sweep->began))
		sweep->began = ReadNextTransactionId();
	resume_target(pass);
	if (!sweep->walked)
		ddb_compact_find_pages(pass);
	if (sweep->tail_only && !shrinks(pass))
		sweep->ended = true;
	else
		sweep_on(pass);
}

static DdbSliceEnd
slice_end(Pass *pass)
{
	DdbSweep   *sweep = pass->sweep;

	if (sweep->ended || (pass->exhausted && sweep->tail_only))
		return DDB_SLICE_DONE;
	if (!pass->exhausted)
		return DDB_SLICE_MORE;

	/*
	 * Pages that this sweep has emptied may do, once nobody sees what was there.
	 * Who does is worked out anew only when transactions have gone by since, so
	 * let this be one.
	 */
	(void) GetCurrentTransactionId();
	sweep->walked = false;
	return (BlockNumber) sweep->moved_since >= RelationGetNumberOfBlocks(pass->heap) / PAGES_WALKED ?
		DDB_SLICE_MORE : DDB_SLICE_STARVED;
}

DdbSliceEnd
ddb_sweep_slice(DdbSweep *sweep, int budget_ms, DdbCompaction *done)
{
	Pass		pass = {.sweep = sweep, .done = done};
	DdbSliceEnd end = open_unasked(sweep->relid, &pass);

	*done = (DdbCompaction) {0};
	if (end != DDB_SLICE_MORE)
		return end;
	if (!OidIsValid(sweep->storage))
		sweep->storage = pass.heap->rd_rel->relfilenode;
	if (sweep->storage == pass.heap->rd_rel->relfilenode)
	{
		pass.deadline = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), budget_ms);
		run_as_owner(&pass, ddb_owner_enter, run_slice);
		end = slice_end(&pass);
	}
	else
	{
		index_close(pass.index, NoLock);
		end = DDB_SLICE_GONE;
	}
	table_close(pass.heap, NoLock);
	return end;
}
