/*-------------------------------------------------------------------------
 *
 * neighbourhood.c
 *	  What the key index tells of the rows around a place in key order.
 *
 * Placement (placement.c) decides from the index alone: for up to
 * DDB_WINDOW entries to either side of where a key belongs, which heap block
 * each row stands on, and where one collection ends and the next begins.  The
 * order is by hash, so the collections beside a key are a fair sample of the
 * table's, and what they need is what a new one may need.
 *
 * Each leaf page is copied and its lock let go before anything else is done:
 * no lock is held while heap pages are looked at, and siblings are followed
 * one page at a time.  A page that splits meanwhile is seen in part or twice.
 * That is harmless, for all that is learned here is advice; what is certain
 * (does the row fit?) is asked of the page itself.
 *
 * Collections are told apart by the bytes of their partition key in the
 * entries.  Two spellings of one number are taken for two collections, which
 * costs a little of the clustering of such keys and nothing else.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/nbtree.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/storage_int.h"
#include "utils/memutils.h"
#include "utils/rel.h"

/* A walk along the leaf level, in one direction. */
typedef struct Walk
{
	Relation	index;
	DdbCollectionSeen *seen;	/* the collection it has come to */
	bool		ended;
	int			width;			/* entries gone over */
	Page		page;			/* a copy: the page both walks begin on, or the buffer */
	PGAlignedBlock buffer;
	OffsetNumber off;			/* the next entry to look at */
	OffsetNumber low;			/* the page's first and last */
	OffsetNumber high;
	int			step;			/* 1 or -1 */
	int			pages;			/* that may still be read */
	const char *last;			/* the partition key last met */
	char		last_copy[BLCKSZ / 2];	/* kept across a change of page */
} Walk;

/*
 * There is one neighbourhood at a time: it is large, and nothing that is called
 * from here calls back.
 */
static DdbNeighbourhood neighbourhood;
static PGAlignedBlock first_page;
static Walk before;
static Walk after;

/* The pages that a walk reads beyond its first; entries may be few on each. */
#define WALK_PAGES 4

/* ----------------------------------------------------------------------
 * Walking
 * ---------------------------------------------------------------------- */
static bool
copy_page(Relation index, BlockNumber block, Page copy)
{
	Buffer		buffer = _bt_getbuf(index, block, BT_READ);

	memcpy(copy, BufferGetPage(buffer), BLCKSZ);
	_bt_relbuf(index, buffer);
	return !P_IGNORE(BTPageGetOpaque(copy));
}

static void
set_page(Walk *walk)
{
	walk->low = P_FIRSTDATAKEY(BTPageGetOpaque(walk->page));
	walk->high = PageGetMaxOffsetNumber(walk->page);
}

/* Goes on to the sibling page. */
static bool
turn_page(Walk *walk)
{
	BTPageOpaque opaque = BTPageGetOpaque(walk->page);
	BlockNumber next = walk->step > 0 ? opaque->btpo_next : opaque->btpo_prev;

	if (next == P_NONE || walk->pages-- == 0)
		return false;
	if (walk->last != walk->last_copy)
	{
		memcpy(walk->last_copy, walk->last, VARSIZE_ANY(walk->last));
		walk->last = walk->last_copy;
	}
	walk->page = (Page) walk->buffer.data;
	if (!copy_page(walk->index, next, walk->page))
		return false;
	set_page(walk);
	walk->off = walk->step > 0 ? walk->low : walk->high;
	return true;
}

/* The partition key of an entry without nulls: it comes first in the entry. */
static inline const char *
partition_of(IndexTuple entry)
{
	return (const char *) entry + IndexInfoFindDataOffset(entry->t_info);
}

/* The next entry's partition key and block. */
static inline const char *
next_entry(Walk *walk, BlockNumber *block)
{
	for (;;)
	{
		Page		page = walk->page;
		ItemId		item;
		IndexTuple	entry;

		if (unlikely(walk->off < walk->low || walk->off > walk->high))
		{
			CHECK_FOR_INTERRUPTS();
			if (!turn_page(walk))
				return NULL;
			continue;
		}
		item = PageGetItemId(page, walk->off);
		walk->off += walk->step;
		entry = (IndexTuple) PageGetItem(page, item);
		/* What has a null is dead too: its row went before the columns were NOT NULL. */
		if (ItemIdIsDead(item) || IndexTupleHasNulls(entry))
			continue;
		*block = ItemPointerGetBlockNumber(BTreeTupleGetHeapTID(entry));
		return partition_of(entry);
	}
}

static inline bool
same_bytes(const char *a, const char *b)
{
	Size		size = VARSIZE_ANY(a);

	return size == VARSIZE_ANY(b) && memcmp(a, b, size) == 0;
}

/* ----------------------------------------------------------------------
 * Gathering
 * ---------------------------------------------------------------------- */

/* Where on this leaf page the key belongs: the first entry not below it. */
static OffsetNumber
find_place(Relation index, BTScanInsert key, Page page)
{
	OffsetNumber low = P_FIRSTDATAKEY(BTPageGetOpaque(page));
	OffsetNumber high = PageGetMaxOffsetNumber(page) + 1;

	while (low < high)
	{
		OffsetNumber middle = low + (high - low) / 2;

		if (_bt_compare(index, key, page, middle) > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Descends to the leaf page where the key belongs and copies it. */
static bool
descend(DdbNeighbourhood *hood, Page copy, OffsetNumber *off)
{
	BTScanInsert scan_key = _bt_mkscankey(hood->index, hood->key);
	Buffer		buffer;
	BTStack		stack = ddb_bt_search(hood->index, hood->heap, scan_key, &buffer);
	bool		found = BufferIsValid(buffer);

	_bt_freestack(stack);
	if (found)
	{
		memcpy(copy, BufferGetPage(buffer), BLCKSZ);
		_bt_relbuf(hood->index, buffer);
		*off = find_place(hood->index, scan_key, copy);
	}
	pfree(scan_key);
	return found;
}

static DdbCollectionSeen *
add_collection(DdbNeighbourhood *hood)
{
	DdbCollectionSeen *seen = &hood->collections[hood->ncollections++];

	memset(seen, 0, sizeof(*seen));
	seen->newest = InvalidBlockNumber;
	return seen;
}

/* The block's record, made if need be. */
static inline DdbBlockSeen *
block_seen(DdbNeighbourhood *hood, BlockNumber block)
{
	int			at = block % lengthof(hood->table);

	while (hood->table[at] != 0)
	{
		if (hood->blocks[hood->table[at] - 1].block == block)
			return &hood->blocks[hood->table[at] - 1];
		at = (at + 1) % lengthof(hood->table);
	}
	hood->blocks[hood->nblocks] = (DdbBlockSeen) {.block = block, .last = -1};
	hood->table[at] = ++hood->nblocks;
	return &hood->blocks[hood->nblocks - 1];
}

static inline void
count_row(DdbNeighbourhood *hood, DdbCollectionSeen *seen, BlockNumber block)
{
	DdbBlockSeen *b = block_seen(hood, block);

	b->rows++;
	if (seen == &hood->collections[0])
	{
		seen->pages += b->own_rows == 0;
		b->own_rows++;
	}
	else if (b->last != seen - hood->collections)
	{
		seen->pages++;
		b->last = seen - hood->collections;
	}
	seen->rows++;
	if (seen->newest == InvalidBlockNumber || block > seen->newest)
	{
		seen->newest = block;
		seen->on_newest = 0;
	}
	if (block == seen->newest)
		seen->on_newest++;
}

static void
walk_on(DdbNeighbourhood *hood, Walk *walk)
{
	BlockNumber block = InvalidBlockNumber;
	const char *partition = next_entry(walk, &block);

	walk->ended = partition == NULL;
	if (walk->ended || !same_bytes(partition, walk->last))
	{
		walk->seen->whole = walk->seen != &hood->collections[0];
		if (walk->ended)
			return;
		walk->seen = add_collection(hood);
	}
	walk->last = partition;
	walk->width++;
	count_row(hood, walk->seen, block);
}

static void
begin_walk(Walk *walk, DdbNeighbourhood *hood, int step, OffsetNumber off)
{
	walk->index = hood->index;
	walk->seen = &hood->collections[0];
	walk->ended = false;
	walk->width = 0;
	walk->page = (Page) first_page.data;
	set_page(walk);
	walk->off = off;
	walk->step = step;
	walk->pages = WALK_PAGES;
	walk->last = partition_of(hood->key);
}

DdbNeighbourhood *
ddb_neighbourhood_begin(Relation heap, Relation index, Datum *values)
{
	static bool isnull[INDEX_MAX_KEYS];
	DdbNeighbourhood *hood = &neighbourhood;
	OffsetNumber off;

	if (hood->key)
		pfree(hood->key);
	hood->key = NULL;
	hood->heap = heap;
	hood->index = index;
	hood->ncollections = hood->nblocks = 0;
	memset(hood->table, 0, sizeof(hood->table));
	add_collection(hood);
	hood->key = index_form_tuple_context(RelationGetDescr(index), values, isnull,
										 TopMemoryContext);
	before.ended = after.ended = true;
	if (descend(hood, (Page) first_page.data, &off))
	{
		begin_walk(&before, hood, -1, off - 1);
		begin_walk(&after, hood, 1, off);
	}
	return hood;
}

void
ddb_neighbourhood_widen(DdbNeighbourhood *hood, int width)
{
	/* Alternately, so that blocks are met nearest first. */
	for (;;)
	{
		bool		go_before = !before.ended && before.width < width;
		bool		go_after = !after.ended && after.width < width;

		if (go_before)
			walk_on(hood, &before);
		if (go_after)
			walk_on(hood, &after);
		if (!go_before && !go_after)
			break;
	}
}

void
ddb_neighbourhood_see_own(DdbNeighbourhood *hood)
{
	DdbCollectionSeen *own = &hood->collections[0];

	while (!before.ended && before.seen == own && before.width < DDB_WINDOW)
		walk_on(hood, &before);
	while (!after.ended && after.seen == own && after.width < DDB_WINDOW)
		walk_on(hood, &after);
}

/* The pages that a collection has begun are the block's debt to it. */
void
ddb_neighbourhood_note_debts(DdbNeighbourhood *hood)
{
	for (int i = 1; i < hood->ncollections; i++)
	{
		DdbCollectionSeen *seen = &hood->collections[i];
		DdbBlockSeen *block = block_seen(hood, seen->newest);

		seen->next = block->newest_of;
		block->newest_of = i;
	}
}

/* ----------------------------------------------------------------------
 * What can be told from it
 * ---------------------------------------------------------------------- */

/* The median size, in rows, of the collections seen whole; 0: saw none. */
int
ddb_neighbourhood_median(const DdbNeighbourhood *hood)
{
	int			count[DDB_WINDOW + 1] = {0};
	int			n = 0;
	int			size = 0;

	for (int i = 1; i < hood->ncollections; i++)
	{
		if (hood->collections[i].whole)
		{
			count[Min(hood->collections[i].rows, DDB_WINDOW)]++;
			n++;
		}
	}
	if (n == 0)
		return 0;
	for (int below = 0; (below += count[size]) <= n / 2;)
		size++;
	return size;
}
