/*-------------------------------------------------------------------------
 *
 * placement.c
 *	  Where a row goes: beside its collection, and the collection on few pages,
 *	  however its rows arrive.
 *
 * The rows of a collection come one at a time, between those of thousands of
 * others.  A heap spreads them over as many pages as there are rows.  We look
 * at where the rows beside it in key order stand, and put the new one there:
 *
 *	1. on the newest page of its collection, as far as that is in sight, if it
 *	   has room: it most likely has, and each page asked may be one that
 *	   memory does not hold;
 *	2. on the page of the nearest row, which comes first where a large
 *	   collection fills the window;
 *	3. on the newest pages of its collection before the first, if one has;
 *	4. else the collection begins another page (or its first), and takes a
 *	   reservation there, so that its next rows find room too.
 *
 * How much to reserve is the whole art.  Too little, and a collection of fifty
 * rows ends up on fifteen pages; too much, and the file is half empty.  Nobody
 * knows how far a collection will grow, but in hash order its neighbours are
 * a fair sample of the table, so we ask them:
 *
 *	- a new collection gets the median size of the collections around it;
 *	- one that has outgrown its pages gets 1.5 times what it holds while it is
 *	  small, 0.75 times from ten rows on, and 0.4 times if it is larger than
 *	  its neighbours are, so that the waste of a guess that came too late stays
 *	  a fraction of what is there;
 *	- one that stands packed, as COPY, CLUSTER and compaction leave it, has not
 *	  shown that it grows, and gets a tenth;
 *	- never more than a page; a collection that fills the window by itself gets
 *	  pages of its own.
 *
 * A reservation is written nowhere.  What a page owes is worked out again
 * from the index whenever another collection asks for room on it: for each
 * collection whose newest page it is, what that collection would have reserved
 * when it came, less the rows it has put there since.  So truth is in the
 * table alone, backends share it without shared memory, and eight writers do
 * what one would.  A debt counts for four fifths: not every collection
 * grows.
 *
 * The page on which a collection begins anew is one on which its neighbours
 * stand, the nearest that has room for the reservation beside its debts;
 * else, if the pages around are half empty on the whole, the emptiest of them
 * (the cap on what all reservations together may waste); else a page that
 * VACUUM found nearly empty; else a new one.  As neighbours share pages, what
 * a later move or delete of a range frees is whole pages.
 *
 * An update that does not fit on its page is placed by the same rules, and so
 * is each row of a COPY in random order; runs of whole collections, as a
 * sorted COPY brings them, are packed one after another.
 *
 * Certainty.  Blocks come out of the index, the free space map or this very
 * statement, all under the table's lock, so they exist: VACUUM cannot cut the
 * file meanwhile.  None is believed beyond the transaction.  Whether a row fits is
 * asked of the page; if it fills up before heap comes there, heap takes another page.  A
 * page whose lock is not free at once is passed over, and after two such the
 * free space map decides, so that the writers of a hot collection spread out
 * before they queue.  fillfactor keeps room for updates in place, as in any
 * table, and is left free by inserts.  A relation without a key index (a
 * rewrite, a restore) is plain heap.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/heaptoast.h"
#include "access/hio.h"
#include "access/xact.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/freespace.h"
#include "storage/lmgr.h"
#include "storage/storage_int.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* The policy; the figures are in docs/performance.md. */
#define SMALL_COLLECTION	10		/* rows, up to which growth is bet on */
#define SMALL_GROWTH		1.5		/* reservation over what it holds */
#define LARGE_GROWTH		0.75
#define LARGER				1.5		/* times the median: such a one may have grown enough */
#define LARGER_GROWTH		0.4
#define TOGETHER_ROWS		8		/* rows from which a collection can look packed */
#define TOGETHER_GROWTH		0.1		/* then little is known of its growth */
#define FIRST_ROWS			2		/* reserved where no neighbour tells */
#define BIG_COLLECTION		96		/* rows in the window: it has pages of its own */
#define DEBT_WEIGHT			0.8
#define OWN_PAGE			0.55	/* of a page: such a reservation wants a page */
#define SHARED_PAGES		24		/* neighbours' pages considered */
#define EMPTY_ENOUGH		0.4		/* mean free share at which no page is begun */
#define FRESH_PAGE			0.7		/* free share of a page that counts as new */
#define OWN_PAGES			4		/* pages of its own that are tried */
#define BUSY_PAGES			2		/* pages found locked before the map decides */

/*
 * What a row is taken for that will be toasted: it may well stand outside, and
 * one that compression brings onto half a page gains little by company.
 */
#define TOASTED_ROW			256

/* A page that no row is on may still have line pointers (as hio.c has it). */
#define NEARLY_EMPTY (MaxHeapTupleSize - MaxHeapTuplesPerPage / 8 * sizeof(ItemIdData))

#define PAGE_ROOM ((double) (BLCKSZ - SizeOfPageHeaderData))

static void (*page_begun) (Relation rel) = NULL;

void
ddb_observe_placement(void (*observer) (Relation rel))
{
	page_begun = observer;
}

/* One row on its way. */
typedef struct Placing
{
	Relation	rel;
	Oid			key_index;
	int			nkeys;
	Datum		key[2];
	Size		size;			/* on the page, with its line pointer */
	Size		spared;			/* what fillfactor keeps free for updates */
	BlockNumber avoid;			/* where it does not fit */
	int			busy;			/* pages found locked */
	bool		small;			/* any of its collection's pages is near enough */
} Placing;

/* ----------------------------------------------------------------------
 * The row
 * ---------------------------------------------------------------------- */

/* How long the row is on its page. */
static Size
row_size(Relation rel, TupleTableSlot *slot)
{
	TupleDesc	desc = slot->tts_tupleDescriptor;
	Size		size = SizeofHeapTupleHeader;

	slot_getallattrs(slot);
	for (int i = 0; i < desc->natts; i++)
	{
		if (slot->tts_isnull[i])
		{
			size += BITMAPLEN(desc->natts);
			break;
		}
	}
	size = MAXALIGN(size) +
		heap_compute_data_size(desc, slot->tts_values, slot->tts_isnull);
	if (size > Max(TOAST_TUPLE_THRESHOLD, RelationGetToastTupleTarget(rel, TOAST_TUPLE_TARGET)))
		size = TOASTED_ROW;
	return MAXALIGN(size) + sizeof(ItemIdData);
}

static void
begin_placing(Placing *p, Relation rel, const DdbFacts *facts, TupleTableSlot *slot)
{
	p->rel = rel;
	p->key_index = facts->key_index;
	p->nkeys = facts->schema.nkeys;
	p->size = row_size(rel, slot);
	p->key[0] = slot->tts_values[facts->pk - 1];
	if (facts->sk)
		p->key[1] = slot->tts_values[facts->sk - 1];
	p->spared = RelationGetTargetPageFreeSpace(rel, HEAP_DEFAULT_FILLFACTOR);
	if (p->size + p->spared > NEARLY_EMPTY)
		p->spared = Max(p->size, NEARLY_EMPTY) - p->size;
	p->avoid = InvalidBlockNumber;
	p->busy = 0;
	p->small = false;
}

/* ----------------------------------------------------------------------
 * Pages
 * ---------------------------------------------------------------------- */

Size
ddb_page_room(Relation rel, BlockNumber block, int *busy)
{
	Buffer		buffer = ReadBuffer(rel, block);
	Page		page = BufferGetPage(buffer);
	Size		room = 0;

	heap_page_prune_opt(rel, buffer);
	if (ConditionalLockBuffer(buffer))
	{
		if (PageIsNew(page))
			room = PAGE_ROOM;
		else if ((room = PageGetHeapFreeSpace(page)) > 0)
			room += sizeof(ItemIdData);
		LockBuffer(buffer, BUFFER_LOCK_UNLOCK);
	}
	else
		(*busy)++;
	ReleaseBuffer(buffer);
	return room;
}

static inline bool
fits(Placing *p, BlockNumber block)
{
	return block != p->avoid && p->busy < BUSY_PAGES &&
		ddb_page_room(p->rel, block, &p->busy) >= p->size + p->spared;
}

BlockNumber
ddb_page_extend(Relation rel)
{
	bool		need_lock = !RELATION_IS_LOCAL(rel);
	BlockNumber block;
	Buffer		buffer;

	if (need_lock)
		LockRelationForExtension(rel, ExclusiveLock);
	buffer = ReadBuffer(rel, P_NEW);
	block = BufferGetBlockNumber(buffer);
	ReleaseBuffer(buffer);
	if (need_lock)
		UnlockRelationForExtension(rel, ExclusiveLock);
	return block;
}

/* A page to begin: one that VACUUM found nearly empty, or a new one. */
static BlockNumber
fresh_page(Placing *p)
{
	Size		wanted = Min(Max(p->size + p->spared, FRESH_PAGE * PAGE_ROOM), MaxHeapTupleSize);
	BlockNumber block = GetPageWithFreeSpace(p->rel, wanted);

	/* The map may be out of date, after a crash even beyond the file's end. */
	for (int tries = 0; block != InvalidBlockNumber && tries < 4; tries++)
	{
		Size		room;

		if (block >= RelationGetNumberOfBlocks(p->rel))
			break;
		room = ddb_page_room(p->rel, block, &p->busy);
		if (room >= wanted)
		{
			RecordPageWithFreeSpace(p->rel, block, 0);
			return block;
		}
		block = RecordAndGetPageWithFreeSpace(p->rel, block, room, wanted);
	}
	return ddb_page_extend(p->rel);
}

/* ----------------------------------------------------------------------
 * The policy
 * ---------------------------------------------------------------------- */

/* Did its rows come to these pages together, rather than one by one? */
static inline bool
came_together(const Placing *p, int rows, int pages)
{
	double		full = rows * p->size / PAGE_ROOM;

	return rows >= TOGETHER_ROWS && pages <= (full < 0.6 ? 1 : (int) (full / 0.9) + 2);
}

/*
 * What a collection that stands with so many rows on so many pages reserves
 * when it begins another page, in bytes.
 */
static double
reservation(const Placing *p, int rows, int pages, int median)
{
	bool		together = came_together(p, rows, pages);
	double		first = together ? 0 : median > 0 ? median : FIRST_ROWS;
	double		growth = rows * (together ? TOGETHER_GROWTH :
								 rows < SMALL_COLLECTION ? SMALL_GROWTH :
								 rows > LARGER * median ? LARGER_GROWTH : LARGE_GROWTH);
	double		least = Min(first * p->size, PAGE_ROOM / 2);

	return Min(Max(growth * p->size, Max(least, p->size)), PAGE_ROOM);
}

/* What a page owes to the collections whose newest page it is, in bytes. */
static double
debt(const Placing *p, const DdbNeighbourhood *hood, const DdbBlockSeen *block, int median)
{
	double		sum = 0;

	for (int i = block->newest_of; i != 0; i = hood->collections[i].next)
	{
		const DdbCollectionSeen *seen = &hood->collections[i];
		double		left = reservation(p, seen->rows - seen->on_newest, seen->pages - 1, median) -
			(double) seen->on_newest * p->size;

		sum += Max(left, 0);
	}
	return sum * DEBT_WEIGHT;
}

/*
 * A neighbours' page for a collection to begin on, or InvalidBlockNumber.  Pages
 * that must be full by what the window shows of them are not read.
 */
static BlockNumber
shared_page(Placing *p, const DdbNeighbourhood *hood, int median)
{
	double		wanted = reservation(p, hood->collections[0].rows, hood->collections[0].pages, median);
	bool		wants_own = wanted > OWN_PAGE * PAGE_ROOM;
	BlockNumber emptiest = InvalidBlockNumber;
	double		most = 0;
	double		weights = 0;
	double		free_share = 0;
	int			own = 0;
	int			considered = 0;
	int			read = 0;

	for (int i = 0; i < hood->nblocks && considered < SHARED_PAGES && p->busy < BUSY_PAGES; i++)
	{
		const DdbBlockSeen *block = &hood->blocks[i];
		double		owed;
		double		room;

		if (block->own_rows > 0 || block->block == p->avoid)
		{
			own++;
			continue;
		}
		considered++;
		owed = debt(p, hood, block, median);
		if (block->rows * p->size + owed + wanted + p->spared > PAGE_ROOM)
			continue;
		room = Max((double) ddb_page_room(p->rel, block->block, &p->busy) - p->spared, 0);
		read++;
		if (!wants_own && room >= wanted + owed)
			return block->block;

		/* A fuller page is met the more often: weigh by what is on it. */
		weights += 1 / Max(PAGE_ROOM - room, p->size);
		free_share += room / PAGE_ROOM / Max(PAGE_ROOM - room, p->size);
		if (room > most)
		{
			most = room;
			emptiest = block->block;
		}
	}
	if (read == 0 || considered + own < 3 ||
		free_share / weights * read / (read + own) < EMPTY_ENOUGH)
		return InvalidBlockNumber;
	return most >= Max(wanted / 4, p->size) ? emptiest : InvalidBlockNumber;
}

/* The nearest page of the collection's own, before those of the whole window. */
static BlockNumber
nearest_own_page(Placing *p, const DdbNeighbourhood *hood)
{
	for (int i = 0; i < hood->nblocks; i++)
	{
		if (hood->blocks[i].own_rows > 0)
			return fits(p, hood->blocks[i].block) ? hood->blocks[i].block : InvalidBlockNumber;
	}
	return InvalidBlockNumber;
}

/* The newest page of the collection's own that has room, among so many of them. */
static BlockNumber
newest_own_page(Placing *p, const DdbNeighbourhood *hood, int pages)
{
	BlockNumber bound = InvalidBlockNumber;

	for (int tries = 0; tries < pages; tries++)
	{
		BlockNumber newest = InvalidBlockNumber;

		for (int i = 0; i < hood->nblocks; i++)
		{
			BlockNumber block = hood->blocks[i].block;

			if (hood->blocks[i].own_rows > 0 && block < bound &&
				(newest == InvalidBlockNumber || block > newest))
				newest = block;
		}
		if (newest == InvalidBlockNumber)
			break;
		if (fits(p, newest))
			return newest;
		bound = newest;
	}
	return InvalidBlockNumber;
}

/*
 * By the neighbourhood; InvalidBlockNumber leaves it to heap.  `looked`: the
 * nearest pages of the collection have been tried.
 */
static BlockNumber
choose_page(Placing *p, bool looked)
{
	Relation	index = index_open(p->key_index, RowExclusiveLock);
	DdbNeighbourhood *hood = ddb_neighbourhood_begin(p->rel, index, p->key);
	BlockNumber block = InvalidBlockNumber;

	ddb_neighbourhood_see_own(hood);
	p->small = hood->collections[0].rows < BIG_COLLECTION;
	if (!looked)
	{
		if (p->small)
			block = newest_own_page(p, hood, 1);
		if (block == InvalidBlockNumber)
			block = nearest_own_page(p, hood);
	}
	if (block == InvalidBlockNumber)
		block = newest_own_page(p, hood, OWN_PAGES);
	if (block == InvalidBlockNumber && page_begun)
		page_begun(p->rel);
	if (block == InvalidBlockNumber && p->small)
	{
		ddb_neighbourhood_widen(hood, DDB_WINDOW);
		ddb_neighbourhood_note_debts(hood);
		block = shared_page(p, hood, ddb_neighbourhood_median(hood));
	}
	if (block == InvalidBlockNumber && p->busy < BUSY_PAGES)
		block = fresh_page(p);
	index_close(index, RowExclusiveLock);
	return block;
}

/* The pages that the caller's own look-up has met: the newest, and the nearest. */
static BlockNumber
neighbour_page(Placing *p, const DdbNeighbours *n)
{
	int64		newest = -1;

	for (int i = 0; i < n->nbefore; i++)
		newest = Max(newest, (int64) n->before[i]);
	for (int i = 0; i < n->nafter; i++)
		newest = Max(newest, (int64) n->after[i]);
	if (newest >= 0 && fits(p, (BlockNumber) newest))
		return (BlockNumber) newest;
	if (n->nbefore > 0 && n->before[0] != newest && fits(p, n->before[0]))
		return n->before[0];
	if (n->nafter > 0 && n->after[0] != newest &&
		(n->nbefore == 0 || n->after[0] != n->before[0]) && fits(p, n->after[0]))
		return n->after[0];
	return InvalidBlockNumber;
}

/* ----------------------------------------------------------------------
 * What this transaction has placed
 * ---------------------------------------------------------------------- */

/*
 * The page of the last row of a small collection, by the hash of its partition
 * key.  It saves a statement of many rows most of its descents, and knows the
 * rows of a COPY that are not in the index yet.  Entries of other transactions
 * are not believed, and the page must exist.
 */
typedef struct Placed
{
	int64		hash;
	Oid			filenode;
	TransactionId xid;
	BlockNumber block;
} Placed;

#define PLACED_ENTRIES 8192

static Placed *placed = NULL;

static inline Placed *
placed_entry(int64 hash)
{
	if (placed == NULL)
		placed = MemoryContextAllocZero(TopMemoryContext, PLACED_ENTRIES * sizeof(Placed));
	return &placed[(uint64) hash % PLACED_ENTRIES];
}

static BlockNumber
placed_page(Placing *p, int64 hash)
{
	Placed	   *entry = placed_entry(hash);

	if (entry->hash != hash || entry->filenode != p->rel->rd_rel->relfilenode ||
		!TransactionIdIsValid(entry->xid) || entry->xid != GetTopTransactionIdIfAny() ||
		entry->block >= RelationGetNumberOfBlocks(p->rel) || !fits(p, entry->block))
		return InvalidBlockNumber;
	p->small = true;
	return entry->block;
}

static void
remember_placed(Placing *p, int64 hash, ItemPointer tid)
{
	Placed	   *entry = placed_entry(hash);

	if (p->small)
		*entry = (Placed) {hash, p->rel->rd_rel->relfilenode, GetTopTransactionIdIfAny(),
			ItemPointerGetBlockNumber(tid)};
	else if (entry->hash == hash)
		entry->xid = InvalidTransactionId;
}

/* ----------------------------------------------------------------------
 * Heap's callbacks, aimed
 * ---------------------------------------------------------------------- */
void
ddb_place_insert(Relation rel, const DdbFacts *facts, TupleTableSlot *slot, CommandId cid,
				 int options, BulkInsertState bistate, uint32 spec_token,
				 const DdbNeighbours *neighbours)
{
	const TableAmRoutine *heap = GetHeapamTableAmRoutine();
	Placing		placing;

	BlockNumber block;
	bool		placed_by_key = OidIsValid(facts->key_index);
	int64		hash = 0;

	if (placed_by_key)
	{
		begin_placing(&placing, rel, facts, slot);
		if (neighbours)
			block = neighbour_page(&placing, neighbours);
		else
		{
			hash = ddb_datum_hash(facts->schema.attr[0].type, placing.key[0]);
			block = placed_page(&placing, hash);
		}
		if (block == InvalidBlockNumber)
			block = choose_page(&placing, neighbours != NULL);
		RelationSetTargetBlock(rel, block);
		/* A page that bistate holds would come before ours. */
		bistate = NULL;
		options &= ~TABLE_INSERT_SKIP_FSM;
	}
	if (spec_token)
		heap->tuple_insert_speculative(rel, slot, cid, options, bistate, spec_token);
	else
		heap->tuple_insert(rel, slot, cid, options, bistate);
	if (placed_by_key && neighbours == NULL)
		remember_placed(&placing, hash, &slot->tts_tid);
}

void
ddb_place_multi_insert(Relation rel, const DdbFacts *facts, TupleTableSlot **slots, int nslots,
					   CommandId cid, int options, BulkInsertState bistate)
{
	if (!OidIsValid(facts->key_index))
		GetHeapamTableAmRoutine()->multi_insert(rel, slots, nslots, cid, options, bistate);
	else
		ddb_place_batch(rel, facts, slots, nslots, cid, options, bistate);
}

BlockNumber
ddb_place_nearest(Relation rel, const DdbFacts *facts, TupleTableSlot *slot)
{
	DdbNeighbourhood *hood;
	Placing		placing;
	Relation	index;

	begin_placing(&placing, rel, facts, slot);
	index = index_open(placing.key_index, RowExclusiveLock);
	hood = ddb_neighbourhood_begin(rel, index, placing.key);
	ddb_neighbourhood_widen(hood, 1);
	index_close(index, RowExclusiveLock);
	for (int i = 0; i < hood->nblocks; i++)
	{
		if (hood->blocks[i].own_rows > 0)
			return hood->blocks[i].block;
	}
	return InvalidBlockNumber;
}

TM_Result
ddb_place_update(Relation rel, const DdbFacts *facts, ItemPointer otid, TupleTableSlot *slot,
				 CommandId cid, Snapshot crosscheck, bool wait, TM_FailureData *tmfd,
				 LockTupleMode *lockmode, DdbUpdateIndexes *index)
{
	BlockNumber old = ItemPointerGetBlockNumber(otid);
	BlockNumber block;
	Placing		placing;
	bool		moves = false;
	int64		hash = 0;
	TM_Result	result;

	if (OidIsValid(facts->key_index))
	{
		begin_placing(&placing, rel, facts, slot);
		moves = ddb_page_room(rel, old, &placing.busy) < placing.size;
	}
	if (moves)
	{
		placing.avoid = old;
		hash = ddb_datum_hash(facts->schema.attr[0].type, placing.key[0]);
		block = placed_page(&placing, hash);
		if (block == InvalidBlockNumber)
			block = choose_page(&placing, false);
		RelationSetTargetBlock(rel, block);
	}
	result = GetHeapamTableAmRoutine()->tuple_update(rel, otid, slot, cid, InvalidSnapshot,
													 crosscheck, wait, tmfd, lockmode, index);
	if (moves && result == TM_Ok)
		remember_placed(&placing, hash, &slot->tts_tid);
	return result;
}
