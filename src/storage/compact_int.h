/*-------------------------------------------------------------------------
 *
 * compact_int.h
 *	  What the files of compaction know of each other.
 *
 * compact.c		one stretch of rows: what is out of order, and moving it
 * compact_pass.c	stretch after stretch: a pass by hand, a slice, a survey
 * compact_guard.c	which tables are left alone in the background
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_COMPACT_INT_H
#define DDB_COMPACT_INT_H

#include "access/relscan.h"
#include "executor/executor.h"
#include "storage/bufmgr.h"
#include "storage/storage_int.h"
#include "utils/hsearch.h"
#include "utils/timestamp.h"

#define PAGE_ROOM		(BLCKSZ - SizeOfPageHeaderData)
#define LEAST_REST		(PAGE_ROOM / 8) /* less is not begun by a collection that would fit a page */
#define STRETCH_ROWS	2048	/* then a stretch ends with a collection or a piece */
#define PIECE_ROWS		512		/* of a big collection, looked at by itself */
#define PASS_GROWTH		33		/* a free or new page for so many that there are */
#define LEAST_GROWTH	16		/* but so many at least */
#define LEAST_SHRINK	20		/* the end is moved if one page of so many is free */

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
	bool		spared;			/* it stays, but counts */
	int			size;			/* with its line pointer */
	PageSeen   *page;
} RowSeen;

/* A collection, or a piece of a big one. */
typedef struct CollectionSeen
{
	int64		hash;
	Datum		key[2];			/* of its first row, if it does not begin there */
	bool		piece;			/* so that is so */
	int			first;			/* its rows, in key order */
	int			nrows;
	int			bytes;
	int			npages;
	bool		ordered;
} CollectionSeen;

/* What lasts from one slice to the next. */
struct DdbSweep
{
	MemoryContext context;		/* of this and what hangs on it */
	Oid			relid;
	Oid			storage;
	bool		tail_only;		/* nothing is out of order: the file's end is moved */
	TransactionId began;		/* rows written since stay; invalid: none does */

	/* Where it goes on: at a hash, or within a collection at a key. */
	int64		at_hash;
	bool		within;
	Datum		at[2];
	int64		from_hash;		/* where it began */
	bool		wrapped;		/* goes from the lowest hash to there */
	bool		ended;
	bool		rewriting;		/* all is written anew, as decided, to the hash */
	int64		rewrite_to;
	int64		hash_seen;		/* of the last collection seen, and moved */
	int64		hash_moved;

	/* Where rows go that are written anew. */
	bool		walked;			/* the pages below have been looked for */
	BlockNumber *free;			/* pages the map says are free, ascending */
	int			nfree;
	int			next_free;
	int			moved_since;	/* rows, since they were looked for */
	bool		growth_known;
	int			may_extend;
	BlockNumber tail;			/* the file's end could be cut from here */
	BlockNumber target;
	int			target_room;
};

/* One transaction's part of it. */
typedef struct Pass
{
	DdbSweep   *sweep;
	Relation	heap;
	Relation	index;
	DdbFacts	facts;
	int			spared;			/* of a page, for updates: fillfactor */
	Snapshot	snapshot;
	IndexScanDesc scan;
	TupleTableSlot *slot;		/* of the scan */
	TupleTableSlot *row;		/* being moved */
	ResultRelInfo *result;
	EState	   *estate;
	MemoryContext stretch_context;
	HTAB	   *left;			/* PageLeft */
	DdbCompaction *done;
	int64		most_rows;		/* to be moved */
	TimestampTz deadline;		/* 0: none, as there is by hand */

	/* The stretch. */
	int			stretch_rows;
	HTAB	   *pages;			/* PageSeen */
	RowSeen    *rows;
	int			nrows;
	bool		ahead;			/* the row in the slot belongs to the next stretch */
	CollectionSeen *collections;
	int			ncollections;
	int			reached;		/* the first of them that has not been dealt with */

	bool		exhausted;		/* no page is left to write on */
	bool		stopped;		/* by most_rows or the deadline */
	int			busy;			/* pages found locked, and so taken for full */
	double		disordered;		/* what a survey found */
} Pass;

/* compact.c */
extern void ddb_compact_find_pages(Pass *pass);
extern void ddb_compact_stretch(Pass *pass);

extern int	ddb_compact_page_room(Pass *pass, BlockNumber block);

/* Is the stretch better written anew as a whole? */
extern bool ddb_compact_is_disordered(Pass *pass);

/*
 * The pages of a collection in order: those it would fill, one because it may
 * begin on another's, and half as many again, for rows that were deleted will
 * often come back.
 */
static inline int
pages_allowed(const Pass *pass, int bytes)
{
	int			page = PAGE_ROOM - pass->spared;
	int			full = (bytes + page - 1) / page;

	return full + 1 + full / 2;
}

/*
 * What counts as a free page has so much room, and so much is left free on one
 * written anew.  It takes at least the difference in rows, which must be in order
 * by pages_allowed(), or it would be written anew for ever.
 */
static inline int
free_page(const Pass *pass)
{
	return pass->spared + (PAGE_ROOM - pass->spared) * 8 / 10;
}

static inline int
fill_room(const Pass *pass)
{
	return Max((int) PAGE_ROOM * 3 / 50, pass->spared);
}

/* The mean room at which a stretch is sparse: packed sooner, collections that come back begin new pages. */
static inline int
sparse_room(const Pass *pass)
{
	return pass->spared + (PAGE_ROOM - pass->spared) * 9 / 20;
}

/* compact_guard.c: may it be compacted now, without having been asked to? */
extern DdbSliceEnd ddb_compact_guard(Relation heap);

#endif							/* DDB_COMPACT_INT_H */
