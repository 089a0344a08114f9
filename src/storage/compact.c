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

#include "access/xact.h"
#include "commands/vacuum.h"
#include "miscadmin.h"
#include "storage/compact_int.h"
#include "storage/freespace.h"
#include "utils/memutils.h"

/* Moved by a slice of what is written anew, and of what is moved here and there. */
#define SLICE_REWRITES	32
#define SLICE_MOVES		256

/* ----------------------------------------------------------------------
 * Pages to write on
 * ---------------------------------------------------------------------- */

/*
 * What the map knows, in one look through its lowest level.  How far the file
 * may grow, and what its end is, is told by the first look of a sweep.
 */
void
ddb_compact_find_pages(Pass *pass)
{
	DdbSweep   *sweep = pass->sweep;
	BlockNumber nblocks = RelationGetNumberOfBlocks(pass->heap);

	if (sweep->free)
		pfree(sweep->free);
	sweep->free = MemoryContextAllocHuge(sweep->context, Max(nblocks, 1) * sizeof(BlockNumber));
	sweep->nfree = sweep->next_free = sweep->moved_since = 0;
	for (BlockNumber block = 0; block < nblocks; block++)
	{
		if (GetRecordedFreeSpace(pass->heap, block) >= free_page(pass))
			sweep->free[sweep->nfree++] = block;
		if (block % 4096 == 0)
			CHECK_FOR_INTERRUPTS();
	}
	sweep->walked = true;
	if (sweep->growth_known)
		return;
	sweep->growth_known = true;
	/* Some less than there is room for, or a rest would keep the end from being cut. */
	sweep->tail = nblocks - sweep->nfree + sweep->nfree / 8;
	sweep->may_extend = Max((int) (nblocks / PASS_GROWTH), LEAST_GROWTH) - sweep->nfree;
}

/*
 * The room of a page.  What has left it may be there yet, and PostgreSQL prunes
 * only pages that are nearly full, or are said to be.
 */
int
ddb_compact_page_room(Pass *pass, BlockNumber block)
{
	Buffer		buffer = ReadBuffer(pass->heap, block);
	Page		page = BufferGetPage(buffer);

	if (!PageIsNew(page) && TransactionIdIsValid(((PageHeader) page)->pd_prune_xid) &&
		ConditionalLockBuffer(buffer))
	{
		PageSetFull(page);
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	}
	ReleaseBuffer(buffer);
	return ddb_page_room(pass->heap, block, &pass->busy);
}

/* Begins another page; false when the pass has used up its share. */
static bool
next_target(Pass *pass)
{
	while (pass->sweep->next_free < pass->sweep->nfree)
	{
		BlockNumber block = pass->sweep->free[pass->sweep->next_free++];
		int			room;

		/* VACUUM may have cut it off since the map was looked at. */
		if (block >= RelationGetNumberOfBlocks(pass->heap) ||
			(pass->sweep->tail_only && block >= pass->sweep->tail))
			break;
		/* It may be too early to use what another pass has left. */
		room = ddb_compact_page_room(pass, block);
		if (room >= free_page(pass))
		{
			RecordPageWithFreeSpace(pass->heap, block, 0);
			pass->sweep->target = block;
			pass->sweep->target_room = room - fill_room(pass);
			return true;
		}
	}
	if (pass->sweep->tail_only || pass->sweep->may_extend-- <= 0)
	{
		pass->exhausted = true;
		return false;
	}
	pass->sweep->target = ddb_page_extend(pass->heap);
	pass->sweep->target_room = PAGE_ROOM - fill_room(pass);
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
	if (room >= free_page(pass))
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
			pass->sweep->moved_since++;
			return true;
		}
	}
	return false;
}

/* Has the pass moved enough?  Not before it has moved anything: it would never get on. */
static bool
must_stop(Pass *pass)
{
	pass->stopped = pass->done->rows_moved >= pass->most_rows ||
		(pass->deadline && pass->done->rows_moved > 0 &&
		 GetCurrentTimestamp() >= pass->deadline);
	return pass->stopped;
}

/* Writes a collection anew, or what of it is at the end, behind the one before. */
static bool
rewrite_collection(Pass *pass, CollectionSeen *collection)
{
	bool		moved = false;

	if (!pass->sweep->tail_only && pass->sweep->target_room < collection->bytes &&
		pass->sweep->target_room < LEAST_REST && !next_target(pass))
		return false;
	for (int i = 0; i < collection->nrows; i++)
	{
		RowSeen    *row = &pass->rows[collection->first + i];

		if (row->spared || (pass->sweep->tail_only && row->page->block < pass->sweep->tail))
			continue;
		if (pass->sweep->target_room < row->size && !next_target(pass))
			break;
		if (row->page->block == pass->sweep->target)
			continue;
		if (move_row(pass, row, pass->sweep->target))
		{
			pass->sweep->target_room -= row->size;
			moved = true;
		}
		if (must_stop(pass))
			break;
		ddb_vacuum_delay_point();
	}
	return moved;
}

/* ----------------------------------------------------------------------
 * One collection
 * ---------------------------------------------------------------------- */

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
pages_to_keep(const Pass *pass, const CollectionSeen *collection, PageSeen **pages)
{
	int			rest = collection->bytes;

	for (int keep = 0; keep < pages_allowed(pass, collection->bytes) && keep < collection->npages; keep++)
	{
		rest -= pages[keep]->own_bytes + Max(pages[keep]->room - fill_room(pass), 0);
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
	int			keep = pages_to_keep(pass, collection, pages);
	int			to = 0;
	bool		moved = false;

	for (int i = 0; i < collection->npages; i++)
		pages[i]->kept = i < keep;
	for (int i = 0; i < collection->nrows && keep > 0; i++)
	{
		RowSeen    *row = &pass->rows[collection->first + i];

		if (row->page->kept || row->spared)
			continue;
		while (to < keep && pages[to]->room < row->size + pass->spared)
			to++;
		if (to == keep)
			break;
		if (move_row(pass, row, pages[to]->block))
		{
			pages[to]->room -= row->size;
			moved = true;
		}
		if (must_stop(pass))
			break;
		ddb_vacuum_delay_point();
	}
	pfree(pages);
	return moved;
}

static bool
compact_collection(Pass *pass, CollectionSeen *collection, bool whole_stretch)
{
	if (whole_stretch || pass->sweep->tail_only)
		return rewrite_collection(pass, collection);
	if (collection->ordered)
		return false;
	return gather_collection(pass, collection) || rewrite_collection(pass, collection);
}

/* ----------------------------------------------------------------------
 * Stretches
 * ---------------------------------------------------------------------- */

bool
ddb_compact_is_disordered(Pass *pass)
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
	return rows * 2 > pass->nrows || (npages > 8 && room > (int64) npages * sparse_room(pass));
}

/* What stopped in a collection's midst is taken up there. */
void
ddb_compact_stretch(Pass *pass)
{
	DdbSweep   *sweep = pass->sweep;
	bool		whole = !sweep->tail_only && (sweep->rewriting || ddb_compact_is_disordered(pass));

	if (pass->deadline)
		pass->most_rows = whole ? SLICE_REWRITES : SLICE_MOVES;
	if (whole && !sweep->rewriting && pass->ncollections > 0)
		sweep->rewrite_to = pass->collections[pass->ncollections - 1].hash;
	for (pass->reached = 0; pass->reached < pass->ncollections; pass->reached++)
	{
		CollectionSeen *collection = &pass->collections[pass->reached];
		bool		moved = compact_collection(pass, collection, whole);

		if (moved && (pass->done->collections_moved == 0 ||
					  collection->hash != sweep->hash_moved))
			pass->done->collections_moved++;
		if (moved)
			sweep->hash_moved = collection->hash;
		if (pass->exhausted || pass->stopped)
			break;
	}
	sweep->rewriting = whole && (sweep->rewriting || pass->stopped);
}
