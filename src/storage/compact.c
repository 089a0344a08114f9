/*-------------------------------------------------------------------------
 *
 * compact.c
 *	  Moving rows together that were placed apart.
 *
 * What an insert could not know in time (how far its collection would grow)
 * is plain later.  A pass goes once through the key index, beginning at a
 * random hash, and looks at stretches of a few thousand rows (a big collection
 * is several, piece by piece, so that its rows come to stand in key order):
 *
 *	- a collection is in order when it stands on not many more pages than it
 *	  would fill;
 *	- one that is not has its smallest pages emptied into its others, as far as
 *	  those have room; else all of it is written anew;
 *	- a stretch is written anew as a whole when most of it is not in order, or
 *	  when its pages are half empty: neighbours share pages, so that gives
 *	  whole pages back.
 *
 * What is written anew goes, in key order, onto pages that are free; only if
 * those are not a few per cent of the file may a pass add new ones.  So the
 * file hardly grows: the pages that a pass empties are what the next one
 * fills.  They are noted in the free space map at once and need no VACUUM to
 * be used again; VACUUM then takes away the old index entries and what is free
 * at the file's end.  When hardly a row is out of order any more, a pass moves
 * the rows at the end of the file onto free pages before it, until there is
 * nothing to win.
 *
 * The protocol.  A row is locked and moved by heap_update() with its own
 * contents, so whoever waits for it follows the chain to the new version, as
 * after any update.  A row that changed since the pass's snapshot, or that somebody has
 * locked, is left alone; a pass waits for nobody.  The rows that it moved are
 * locked until its transaction ends; therefore it moves only so many.  No
 * trigger fires, and the change log is not told: the item is what it was.
 *
 * heap_update() keeps a row on its page while there is room for another
 * version.  So a row is updated again until it leaves; the first one to leave
 * fills the page, the others then go at once.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/relscan.h"
#include "access/xact.h"
#include "base/errors.h"
#include "catalog/pg_class.h"
#include "commands/vacuum.h"
#include "common/pg_prng.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/freespace.h"
#include "storage/lmgr.h"
#include "storage/storage_int.h"
#include "utils/acl.h"
#include "utils/guc.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/*
 * A page that is begun takes at least FREE_PAGE - FILL_ROOM of rows.  That must
 * be in order by pages_allowed(), or it would be written anew for ever.
 */
#define PAGE_ROOM		(BLCKSZ - SizeOfPageHeaderData)
#define FREE_PAGE		(PAGE_ROOM * 8 / 10)	/* room of a page that counts as free */
#define FILL_ROOM		(PAGE_ROOM * 3 / 50)	/* left free on a page written anew */
#define SPARSE_ROOM		(PAGE_ROOM * 2 / 5) /* mean room at which a stretch is sparse */
#define LEAST_REST		(PAGE_ROOM / 8) /* less is not begun by a collection that would fit a page */
#define STRETCH_ROWS	2048	/* then a stretch ends with a collection or a piece */
#define PIECE_ROWS		512		/* of a big collection, looked at by itself */
#define PASS_ROWS		100000	/* rows moved by one pass */
#define PASS_GROWTH		33		/* a free or new page for so many that there are */
#define LEAST_GROWTH	16		/* but so many at least */
#define LEAST_SHRINK	12		/* the end is moved if one page of so many is free */

typedef struct PageSeen
{
	BlockNumber block;			/* hash key */
	int			room;
	int			own_rows;		/* of the collection looked at */
	int			own_bytes;
	bool		kept;			/* the collection's rows there stay */
} PageSeen;

/* A page that rows have left in this pass. */
typedef struct PageLeft
{
	BlockNumber block;			/* hash key */
	int			bytes;
} PageLeft;

typedef struct RowSeen
{
	ItemPointerData tid;
	int			size;			/* with its line pointer */
	PageSeen   *page;
} RowSeen;

/* A collection, or a piece of a big one. */
typedef struct CollectionSeen
{
	int64		hash;
	int			first;			/* its rows, in key order */
	int			nrows;
	int			bytes;
	int			npages;
	bool		ordered;
} CollectionSeen;

typedef struct Pass
{
	Relation	heap;
	Relation	index;
	DdbFacts	facts;
	Snapshot	snapshot;
	IndexScanDesc scan;
	ScanKeyData from;			/* the hash it began at */
	int64		from_hash;
	bool		wrapped;		/* goes from the lowest hash to there */
	TupleTableSlot *slot;		/* of the scan */
	TupleTableSlot *row;		/* being moved */
	ResultRelInfo *result;
	EState	   *estate;
	MemoryContext stretch_context;
	HTAB	   *left;			/* PageLeft */
	DdbCompaction *done;

	/* The stretch. */
	HTAB	   *pages;			/* PageSeen */
	RowSeen    *rows;
	int			nrows;
	bool		ahead;			/* the row in the slot belongs to the next stretch */
	int64		hash_seen;		/* of the last collection seen, and moved */
	int64		hash_moved;
	CollectionSeen *collections;
	int			ncollections;

	/* Where rows go that are written anew. */
	BlockNumber *free;			/* pages the map says are free, ascending */
	int			nfree;
	int			next_free;
	int			may_extend;
	BlockNumber tail;			/* the file's end could be cut from here */
	bool		tail_only;		/* the second sweep: nothing is out of order */
	BlockNumber target;
	int			target_room;
	bool		exhausted;
	int			busy;			/* pages found locked, and so taken for full */
} Pass;

/* ----------------------------------------------------------------------
 * Pages to write on
 * ---------------------------------------------------------------------- */

/* What the map knows, in one look through its lowest level. */
static void
find_free_pages(Pass *pass)
{
	BlockNumber nblocks = RelationGetNumberOfBlocks(pass->heap);

	pass->free = MemoryContextAllocHuge(CurrentMemoryContext,
										Max(nblocks, 1) * sizeof(BlockNumber));
	for (BlockNumber block = 0; block < nblocks; block++)
	{
		if (GetRecordedFreeSpace(pass->heap, block) >= FREE_PAGE)
			pass->free[pass->nfree++] = block;
		if (block % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	/* Some less than there is room for, or a rest would keep the end from being cut. */
	pass->tail = nblocks - pass->nfree + pass->nfree / 8;
	pass->may_extend = Max((int) (nblocks / PASS_GROWTH), LEAST_GROWTH) - pass->nfree;
	pass->target = InvalidBlockNumber;
}

/* Begins another page; false when the pass has used up its share. */
static bool
next_target(Pass *pass)
{
	while (pass->next_free < pass->nfree)
	{
		BlockNumber block = pass->free[pass->next_free++];
		int			room;

		if (pass->tail_only && block >= pass->tail)
			break;
		/* It may be too early to use what another pass has left. */
		room = ddb_page_room(pass->heap, block, &pass->busy);
		if (room >= FREE_PAGE)
		{
			RecordPageWithFreeSpace(pass->heap, block, 0);
			pass->target = block;
			pass->target_room = room - FILL_ROOM;
			return true;
		}
	}
	if (pass->tail_only || pass->may_extend-- <= 0)
	{
		pass->exhausted = true;
		return false;
	}
	pass->target = ddb_page_extend(pass->heap);
	pass->target_room = PAGE_ROOM - FILL_ROOM;
	return true;
}

/* ----------------------------------------------------------------------
 * Moving
 * ---------------------------------------------------------------------- */

/*
 * What the pass leaves behind on a page, for the next one to use: rows of
 * several stretches may have stood there.
 */
static void
note_room(Pass *pass, PageSeen *page, int gained)
{
	bool		found;
	PageLeft   *left = hash_search(pass->left, &page->block, HASH_ENTER, &found);
	int			room;

	left->bytes = (found ? left->bytes : 0) + gained;
	room = Min(page->room + left->bytes, (int) MaxHeapTupleSize);
	if (room >= FREE_PAGE)
		RecordPageWithFreeSpace(pass->heap, page->block, room);
}

/*
 * The entries are made without asking whether they are unique: what we could be
 * told of is another's attempt at this key, who will be told of ours.
 */
static void
index_moved_row(Pass *pass)
{
	bool		conflict;

	ResetPerTupleExprContext(pass->estate);
	ddb_exec_insert_index_tuples(pass->result, pass->row, pass->estate, true, &conflict, NIL);
}

/*
 * Takes the row's lock, if that needs no waiting: heap_update() itself cannot
 * be told not to wait, but has nothing to wait for then.
 */
static bool
lock_row(Pass *pass, ItemPointer tid)
{
	TM_FailureData failure;

	return table_tuple_lock(pass->heap, tid, pass->snapshot, pass->row,
							GetCurrentCommandId(true), LockTupleNoKeyExclusive, LockWaitSkip, 0,
							&failure) == TM_Ok;
}

/* Moves a row to that page, or to another if there is no room after all. */
static bool
move_row(Pass *pass, RowSeen *row, BlockNumber to)
{
	const TableAmRoutine *heap = GetHeapamTableAmRoutine();
	ItemPointerData tid = row->tid;

	if (!lock_row(pass, &tid))
		return false;
	ExecMaterializeSlot(pass->row);
	for (int i = 0; i < MaxHeapTuplesPerPage; i++)
	{
		TM_FailureData failure;
		LockTupleMode lockmode;
		DdbUpdateIndexes indexes = TU_None;

		RelationSetTargetBlock(pass->heap, to);
		if (heap->tuple_update(pass->heap, &tid, pass->row, GetCurrentCommandId(true),
							   InvalidSnapshot, InvalidSnapshot, true, &failure, &lockmode,
							   &indexes) != TM_Ok)
			break;
		if (indexes != TU_None)
			index_moved_row(pass);
		CommandCounterIncrement();
		tid = pass->row->tts_tid;
		if (ItemPointerGetBlockNumber(&tid) != row->page->block)
		{
			note_room(pass, row->page, row->size);
			pass->done->rows_moved++;
			return true;
		}
	}
	return false;
}

/* Writes a collection anew, or what of it is at the end, behind the one before. */
static bool
rewrite_collection(Pass *pass, CollectionSeen *collection)
{
	bool		moved = false;

	if (!pass->tail_only && pass->target_room < collection->bytes &&
		pass->target_room < LEAST_REST && !next_target(pass))
		return false;
	for (int i = 0; i < collection->nrows; i++)
	{
		RowSeen    *row = &pass->rows[collection->first + i];

		if (pass->tail_only && row->page->block < pass->tail)
			continue;
		if (pass->target_room < row->size && !next_target(pass))
			break;
		if (row->page->block == pass->target)
			continue;
		if (move_row(pass, row, pass->target))
		{
			pass->target_room -= row->size;
			moved = true;
		}
		ddb_vacuum_delay_point();
	}
	return moved;
}

/* ----------------------------------------------------------------------
 * One collection
 * ---------------------------------------------------------------------- */

/*
 * The pages of a collection in order: those it would fill, one because it may
 * begin on another's, and half as many again, for rows that were deleted will
 * often come back.
 */
static inline int
pages_allowed(int bytes)
{
	int			full = (bytes + PAGE_ROOM - 1) / PAGE_ROOM;

	return full + 1 + full / 2;
}

/* The pages of a collection, those with most of its rows first. */
static int
fuller_first(const void *a, const void *b)
{
	const PageSeen *x = *(PageSeen *const *) a;
	const PageSeen *y = *(PageSeen *const *) b;

	if (x->own_bytes != y->own_bytes)
		return x->own_bytes > y->own_bytes ? -1 : 1;
	return x->block < y->block ? -1 : 1;
}

static PageSeen **
collection_pages(Pass *pass, const CollectionSeen *collection)
{
	PageSeen  **pages = palloc(collection->npages * sizeof(PageSeen *));
	int			n = 0;

	for (int i = 0; i < collection->nrows; i++)
		pass->rows[collection->first + i].page->own_rows =
			pass->rows[collection->first + i].page->own_bytes = 0;
	for (int i = 0; i < collection->nrows; i++)
	{
		PageSeen   *page = pass->rows[collection->first + i].page;

		if (page->own_rows++ == 0)
			pages[n++] = page;
		page->own_bytes += pass->rows[collection->first + i].size;
	}
	Assert(n == collection->npages);
	qsort(pages, n, sizeof(PageSeen *), fuller_first);
	return pages;
}

/*
 * How many of its pages, fullest first, could hold the whole collection;
 * 0 when too many.
 */
static int
pages_to_keep(const CollectionSeen *collection, PageSeen **pages)
{
	int			rest = collection->bytes;

	for (int keep = 0; keep < pages_allowed(collection->bytes) && keep < collection->npages; keep++)
	{
		rest -= pages[keep]->own_bytes + Max(pages[keep]->room - FILL_ROOM, 0);
		if (rest <= 0)
			return keep + 1;
	}
	return 0;
}

/* Empties the collection's smallest pages into its others. */
static bool
gather_collection(Pass *pass, CollectionSeen *collection)
{
	PageSeen  **pages = collection_pages(pass, collection);
	int			keep = pages_to_keep(collection, pages);
	int			to = 0;
	bool		moved = false;

	for (int i = 0; i < collection->npages; i++)
		pages[i]->kept = i < keep;
	for (int i = 0; i < collection->nrows && keep > 0; i++)
	{
		RowSeen    *row = &pass->rows[collection->first + i];

		if (row->page->kept)
			continue;
		while (to < keep && pages[to]->room < row->size)
			to++;
		if (to == keep)
			break;
		if (move_row(pass, row, pages[to]->block))
		{
			pages[to]->room -= row->size;
			moved = true;
		}
		ddb_vacuum_delay_point();
	}
	pfree(pages);
	return moved;
}

static bool
compact_collection(Pass *pass, CollectionSeen *collection, bool whole_stretch)
{
	if (whole_stretch || pass->tail_only)
		return rewrite_collection(pass, collection);
	if (collection->ordered)
		return false;
	return gather_collection(pass, collection) || rewrite_collection(pass, collection);
}

/* ----------------------------------------------------------------------
 * Stretches
 * ---------------------------------------------------------------------- */

/* Is the stretch better written anew as a whole? */
static bool
is_disordered(Pass *pass)
{
	int			rows = 0;
	int64		room = 0;
	int			npages = 0;
	HASH_SEQ_STATUS seq;
	PageSeen   *page;

	for (int i = 0; i < pass->ncollections; i++)
	{
		if (!pass->collections[i].ordered)
			rows += pass->collections[i].nrows;
	}
	hash_seq_init(&seq, pass->pages);
	while ((page = hash_seq_search(&seq)) != NULL)
	{
		room += page->room;
		npages++;
	}
	return rows * 2 > pass->nrows || (npages > 8 && room > (int64) npages * SPARSE_ROOM);
}

static void
compact_stretch(Pass *pass)
{
	bool		whole = !pass->tail_only && is_disordered(pass);

	for (int i = 0; i < pass->ncollections && !pass->exhausted; i++)
	{
		CollectionSeen *collection = &pass->collections[i];

		if (!compact_collection(pass, collection, whole))
			continue;
		if (pass->done->collections_moved == 0 || collection->hash != pass->hash_moved)
			pass->done->collections_moved++;
		pass->hash_moved = collection->hash;
	}
	if (pass->done->rows_moved >= PASS_ROWS)
		pass->exhausted = true;
}

/* Counts the pages of the collection just read to its end. */
static void
end_collection(Pass *pass)
{
	CollectionSeen *collection = &pass->collections[pass->ncollections - 1];

	for (int i = 0; i < collection->nrows; i++)
		pass->rows[collection->first + i].page->own_rows = 0;
	for (int i = 0; i < collection->nrows; i++)
	{
		if (pass->rows[collection->first + i].page->own_rows++ == 0)
			collection->npages++;
	}
	collection->ordered = collection->npages <= pages_allowed(collection->bytes);
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
	row->size = MAXALIGN(tuple->t_len) + sizeof(ItemIdData);
	row->page = page_seen(pass, ItemPointerGetBlockNumber(&row->tid));
	collection->nrows++;
	collection->bytes += row->size;
	if (should_free)
		heap_freetuple(tuple);
}

static CollectionSeen *
begin_collection(Pass *pass, int64 hash)
{
	CollectionSeen *collection = &pass->collections[pass->ncollections++];

	*collection = (CollectionSeen) {.hash = hash, .first = pass->nrows};
	if (!pass->tail_only && (pass->done->collections_seen == 0 || hash != pass->hash_seen))
		pass->done->collections_seen++;
	pass->hash_seen = hash;
	return collection;
}

static bool
next_row(Pass *pass)
{
	MemoryContext caller = MemoryContextSwitchTo(pass->estate->es_query_cxt);
	bool		found = index_getnext_slot(pass->scan, ForwardScanDirection, pass->slot);

	if (!found && !pass->wrapped)
	{
		/* Once more from the lowest hash, to where we began. */
		pass->wrapped = true;
		index_endscan(pass->scan);
		pass->scan = ddb_index_beginscan(pass->heap, pass->index, pass->snapshot, 0);
		index_rescan(pass->scan, NULL, 0, NULL, 0);
		found = index_getnext_slot(pass->scan, ForwardScanDirection, pass->slot);
	}
	MemoryContextSwitchTo(caller);
	return found;
}

/* Is there another row before the place where the pass began? */
static bool
read_row(Pass *pass, int64 *hash)
{
	bool		isnull;

	if (!pass->ahead && !next_row(pass))
		return false;
	pass->ahead = false;
	*hash = ddb_datum_hash(pass->facts.schema.attr[0].type,
						   slot_getattr(pass->slot, pass->facts.pk, &isnull));
	return !pass->wrapped || *hash < pass->from_hash;
}

/* Reads collections and pieces of them; true while there is more. */
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
			pass->ahead = pass->nrows >= STRETCH_ROWS;
			if (pass->ahead)
				return true;
		}
		if (collection == NULL)
			collection = begin_collection(pass, hash);
		add_row(pass, collection);
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
		page->room = ddb_page_room(pass->heap, page->block, &pass->busy);
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
 * The pass
 * ---------------------------------------------------------------------- */
static void
begin_scan(Pass *pass)
{
	pass->from_hash = (int64) pg_prng_uint64(&pg_global_prng_state);
	memset(&pass->from, 0, sizeof(pass->from));
	pass->from.sk_attno = 1;
	pass->from.sk_strategy = BTGreaterEqualStrategyNumber;
	pass->from.sk_collation = pass->index->rd_indcollation[0];
	pass->from.sk_func.fn_addr = ddb_always;
	pass->from.sk_func.fn_nargs = 2;
	pass->from.sk_func.fn_strict = true;
	pass->from.sk_func.fn_mcxt = CurrentMemoryContext;
	pass->from.sk_argument = ddb_hash_bound(pass->from_hash);
	pass->wrapped = false;
	pass->scan = ddb_index_beginscan(pass->heap, pass->index, pass->snapshot, 1);
	index_rescan(pass->scan, &pass->from, 1, NULL, 0);
}

static void
sweep(Pass *pass)
{
	bool		more = true;

	begin_scan(pass);
	while (more && !pass->exhausted)
	{
		CHECK_FOR_INTERRUPTS();
		begin_stretch(pass);
		more = read_stretch(pass);
		release_pages(pass);
		measure_pages(pass);
		compact_stretch(pass);
	}
	index_endscan(pass->scan);
}

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
	find_free_pages(pass);
}

static void
end_pass(Pass *pass)
{
	/* Only now do searchers of the map see what it was told. */
	FreeSpaceMapVacuumRange(pass->heap, 0, InvalidBlockNumber);
	UnregisterSnapshot(pass->snapshot);
	ExecCloseIndices(pass->result);
	FreeExecutorState(pass->estate);
	ExecDropSingleTupleTableSlot(pass->row);
	ExecDropSingleTupleTableSlot(pass->slot);
	MemoryContextDelete(pass->stretch_context);
	hash_destroy(pass->left);
}

static void
check_allowed(Oid relid)
{
	if (!ddb_owns_relation(relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(relid));
	PreventCommandIfReadOnly("ddb.compact()");
	PreventCommandIfParallelMode("ddb.compact()");
	PreventCommandDuringRecovery("ddb.compact()");
}

/* When hardly a row was out of order, the end of the file is moved, if that wins much. */
static void
run_pass(Pass *pass)
{
	begin_pass(pass);
	sweep(pass);
	if (!pass->exhausted && pass->done->rows_moved <= pass->tail / 4 &&
		(uint64) pass->nfree * LEAST_SHRINK > RelationGetNumberOfBlocks(pass->heap))
	{
		pass->tail_only = true;
		pass->exhausted = false;
		pass->next_free = 0;
		pass->target = InvalidBlockNumber;
		pass->target_room = 0;

		/* One that sees what this sweep moved where it is now. */
		UnregisterSnapshot(pass->snapshot);
		pass->snapshot = RegisterSnapshot(GetTransactionSnapshot());
		sweep(pass);
	}
	end_pass(pass);
}

/*
 * The lock admits one pass at a time, and no VACUUM beside it.  The pass obeys
 * vacuum_cost_delay, as VACUUM does.
 */
void
ddb_table_compact(Oid relid, DdbCompaction *result)
{
	Pass		pass = {.done = result};
	Oid			user;
	int			security;
	int			guc_level = NewGUCNestLevel();

	*result = (DdbCompaction) {0};
	check_allowed(relid);
	pass.heap = try_relation_open(relid, ShareUpdateExclusiveLock);
	if (pass.heap == NULL)
		ddb_raise(DDB_RESOURCE_NOT_FOUND, "Requested resource not found");
	if (!ddb_is_ours(pass.heap) || !OidIsValid(ddb_facts(pass.heap)->key_index))
		ddb_not_a_table(relid);
	pass.facts = *ddb_facts(pass.heap);
	pass.index = index_open(pass.facts.key_index, RowExclusiveLock);

	/* As VACUUM does: index expressions are the owner's code, not the caller's. */
	GetUserIdAndSecContext(&user, &security);
	SetUserIdAndSecContext(pass.heap->rd_rel->relowner, security | SECURITY_RESTRICTED_OPERATION);
	PG_TRY();
	{
		VacuumCostActive = VacuumCostDelay > 0;
		VacuumCostBalance = 0;
		run_pass(&pass);
	}
	PG_FINALLY();
	{
		VacuumCostActive = false;
	}
	PG_END_TRY();
	AtEOXact_GUC(false, guc_level);
	SetUserIdAndSecContext(user, security);
	index_close(pass.index, NoLock);
	table_close(pass.heap, NoLock);
}
