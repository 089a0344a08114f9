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
#include "utils/rel.h"

/* A walk along the leaf level, in one direction. */
typedef struct Walk
{
	Relation	index;
	Page		page;			/* a copy: the page both walks begin on, or the buffer */
	PGAlignedBlock buffer;
	OffsetNumber off;			/* the next entry to look at */
	int			step;			/* 1 or -1 */
	int			pages;			/* that may still be read */
	const char *last;			/* the partition key last met */
	char		last_copy[BLCKSZ / 2];	/* kept across a change of page */
} Walk;

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
	opaque = BTPageGetOpaque(walk->page);
	walk->off = walk->step > 0 ? P_FIRSTDATAKEY(opaque) : PageGetMaxOffsetNumber(walk->page);
	return true;
}

/* The next entry's partition key and block. */
static const char *
next_entry(Walk *walk, BlockNumber *block)
{
	for (;;)
	{
		Page		page = walk->page;
		ItemId		item;
		IndexTuple	entry;
		bool		isnull;

		if (walk->off < P_FIRSTDATAKEY(BTPageGetOpaque(page)) ||
			walk->off > PageGetMaxOffsetNumber(page))
		{
			CHECK_FOR_INTERRUPTS();
			if (!turn_page(walk))
				return NULL;
			continue;
		}
		item = PageGetItemId(page, walk->off);
		walk->off += walk->step;
		if (ItemIdIsDead(item))
			continue;
		entry = (IndexTuple) PageGetItem(page, item);
		*block = ItemPointerGetBlockNumber(BTreeTupleGetHeapTID(entry));
		return DatumGetPointer(index_getattr(entry, 1, RelationGetDescr(walk->index), &isnull));
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
descend(DdbNeighbourhood *hood, IndexTuple key, Page copy, OffsetNumber *off)
{
	BTScanInsert scan_key = _bt_mkscankey(hood->index, key);
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
static DdbBlockSeen *
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

static void
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

/* One step of a walk; false at its end. */
static bool
walk_on(DdbNeighbourhood *hood, Walk *walk, DdbCollectionSeen **seen)
{
	BlockNumber block;
	const char *partition = next_entry(walk, &block);

	if (partition == NULL)
	{
		/* The table ends here, and so does the collection. */
		(*seen)->whole = *seen != &hood->collections[0];
		return false;
	}
	if (!same_bytes(partition, walk->last))
	{
		(*seen)->whole = *seen != &hood->collections[0];
		*seen = add_collection(hood);
	}
	walk->last = partition;
	count_row(hood, *seen, block);
	return true;
}

static void
begin_walk(Walk *walk, DdbNeighbourhood *hood, int step, Page page, OffsetNumber off,
		   const char *partition)
{
	walk->index = hood->index;
	walk->page = page;
	walk->off = off;
	walk->step = step;
	walk->pages = WALK_PAGES;
	walk->last = partition;
}

static void
walk_both_ways(DdbNeighbourhood *hood, Walk *before, Walk *after, int window)
{
	DdbCollectionSeen *left = &hood->collections[0];
	DdbCollectionSeen *right = &hood->collections[0];
	bool		go_left = true;
	bool		go_right = true;

	/* Alternately, so that blocks are met nearest first. */
	for (int i = 0; i < window; i++)
	{
		go_left = go_left && walk_on(hood, before, &left);
		go_right = go_right && walk_on(hood, after, &right);
	}
}

/* The pages that a collection has begun are the block's debt to it. */
static void
note_newest(DdbNeighbourhood *hood)
{
	for (int i = 1; i < hood->ncollections; i++)
	{
		DdbCollectionSeen *seen = &hood->collections[i];
		DdbBlockSeen *block = block_seen(hood, seen->newest);

		seen->next = block->newest_of;
		block->newest_of = i;
	}
}

void
ddb_neighbourhood_gather(DdbNeighbourhood *hood, Relation heap, Relation index,
						 const Datum *values, int window)
{
	static const bool isnull[INDEX_MAX_KEYS] = {false};
	IndexTuple	key = index_form_tuple(RelationGetDescr(index), (Datum *) values,
									   (bool *) isnull);
	static Walk before;			/* large, and nothing called from here calls back */
	static Walk after;
	PGAlignedBlock page;
	OffsetNumber off;
	bool		null;
	const char *partition;

	hood->heap = heap;
	hood->index = index;
	hood->ncollections = hood->nblocks = 0;
	memset(hood->table, 0, sizeof(hood->table));
	add_collection(hood);
	if (descend(hood, key, (Page) page.data, &off))
	{
		partition = DatumGetPointer(index_getattr(key, 1, RelationGetDescr(index), &null));
		begin_walk(&before, hood, -1, (Page) page.data, off - 1, partition);
		begin_walk(&after, hood, 1, (Page) page.data, off, partition);
		walk_both_ways(hood, &before, &after, window);
		note_newest(hood);
	}
	pfree(key);
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
