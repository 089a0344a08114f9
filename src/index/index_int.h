/*-------------------------------------------------------------------------
 *
 * index_int.h
 *	  What the files of src/index/ know of each other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_INDEX_INT_H
#define DDB_INDEX_INT_H

#include "index/index.h"
#include "utils/snapshot.h"

/* ----------------------------------------------------------------------
 * projection.c: for the writers, who ask all of a table's indexes
 * ---------------------------------------------------------------------- */

/*
 * The item's values of the set's key attributes, with no data where it has
 * none: at most DDB_MAX_SET_KEYS.
 */
extern void ddb_index_find_keys(const DdbIndexSet *set, const DdbRecord *base, DdbValue *found);

/* Which of the set's key attributes is the table's own? -1: none. */
extern int	ddb_index_key_place(const DdbIndexSet *set, const DdbKeyAttr *attr);

/*
 * Raises YD001, naming index and attribute, for a key attribute of the wrong
 * type, an empty or an over-long one.  Every write of a base item asks this.
 */
extern void ddb_index_check(const DdbIndexSet *set, const DdbRecord *base, const DdbValue *found);

/* Which of these indexes have an entry of the item?  As ddb_index_entry(). */
extern DdbIndexes ddb_index_standing(const DdbIndexSet *set, DdbIndexes among,
									 const DdbRecord *base, const DdbValue *found);

/* ----------------------------------------------------------------------
 * changelog.c: what a row of the log says
 * ---------------------------------------------------------------------- */

/* This transaction, when it commits, leaves something to do. */
extern void ddb_index_has_work(void);

/* The key of the item that changed; views of the row. */
extern void ddb_change_key(const DdbKeySchema *schema, const uint8 *bytes, uint32 len, DdbKey *key);

/* Was the item new?  A hint; changelog.c says what it is worth. */
extern bool ddb_change_is_insert(const DdbLogRow *row);

/* Which indexes it concerns, and where their entries stood; views of the row. */
typedef struct DdbChange
{
	int			n;				/* how many; 0: all */
	const uint8 *indexes;
	DdbValue	lost;			/* a map; of no length when no entry was lost */
} DdbChange;

extern void ddb_change_read(DdbChange *change, const DdbLogRow *row);
extern Oid	ddb_change_index(const DdbChange *change, int i);

/*
 * The key that the entry of this item had in an index that is concerned, if it
 * may have lost it; the digest is the item's.
 */
extern bool ddb_change_old(const DdbChange *change, const DdbIndexDef *def,
						   const DdbKeySchema *schema, const DdbKey *key, const uint8 *digest,
						   DdbEntry *old);

/* ----------------------------------------------------------------------
 * cursor.c: how far an index is
 * ---------------------------------------------------------------------- */

/* A snapshot as a set of transactions that had ended. */
typedef struct DdbEnded
{
	uint64		xmin;			/* all before have ended */
	uint64		xmax;			/* none from here on has; 0: no snapshot */
	int			n;
	uint64	   *running;		/* between them: those that had not */
} DdbEnded;

extern bool ddb_ended_contains(const DdbEnded *ended, uint64 xid);

/* A snapshot's, in which our own transaction has not ended. */
extern DdbEnded ddb_ended_from_snapshot(Snapshot snapshot);

/* How far a log has been read (log.c says why `block` may move to `next`). */
typedef struct DdbLogPlace
{
	Oid			log;
	Oid			storage;		/* another one: the log has been emptied since */
	BlockNumber block;			/* all pages before are done with */
	BlockNumber next;			/* will be the block once all before horizon have ended */
	uint64		horizon;
	BlockNumber done;			/* of a batch under way: pages before have been read */
} DdbLogPlace;

typedef struct DdbCursor
{
	Oid			index;
	Oid			table;
	Oid			index_storage;	/* InvalidOid: start again from nothing */
	Oid			table_storage;
	DdbIndexState state;
	DdbEnded	from;			/* what has been applied */
	DdbEnded	until;			/* of a batch under way; xmax 0: none is */
	int			nplaces;
	DdbLogPlace   *places;
	char	   *position;		/* all of the above as text: equal cursors have equal ones */

	bytea	   *backfill_key;	/* the last item visited, or NULL */
	int64		backfill_done;
	int64		backfill_total; /* -1: unknown */
	int64		entries;
	int64		applied;
	int64		skipped;
	int			failures;
	TimestampTz failing_since;	/* 0: it is not */
	TimestampTz retry_at;
	char	   *last_error;
} DdbCursor;

/* All cursors, without locking them: a list of DdbCursor. */
extern List *ddb_cursors(void);

/* One of them, or NULL. */
extern DdbCursor *ddb_cursor_read(Oid index);

/* Has it begun, and have table and index still the storage it is about? */
extern bool ddb_cursor_fits(const DdbCursor *cursor);

/* Does the index show what its cursor says?  NULL: there is none. */
extern bool ddb_cursor_follows(const DdbCursor *cursor);

/* Locks a cursor and reads it again; false when another session has it or it is gone. */
extern bool ddb_cursor_lock(DdbCursor *cursor);

/* Makes a cursor; false when there is one. */
extern bool ddb_cursor_insert(DdbCursor *cursor);

extern void ddb_cursor_write(DdbCursor *cursor);
extern void ddb_cursor_delete(Oid index);

/*
 * Makes the cursor of an index that this transaction has made: all who write
 * to its table from the transaction's end on will log.
 */
extern void ddb_index_announce(Oid table, Oid index);

/* An estimate of the items that a new index is filled from; -1: unknown. */
extern int64 ddb_count_items(Oid table);

/* The place of a log, added if there is none or the log was emptied. */
extern DdbLogPlace *ddb_cursor_place(DdbCursor *cursor, Oid log, Oid storage);

/* ----------------------------------------------------------------------
 * apply.c
 * ---------------------------------------------------------------------- */

/* An index that a pass works on: locked, its cursor ours. */
typedef struct DdbWork
{
	Oid			table;
	Oid			owner;			/* of the table */
	DdbKeySchema schema;
	DdbIndexDef def;
	DdbCursor  *cursor;
	DdbEntries *entries;		/* while open */

	/* Gathered (apply.c) */
	int			nolds;
	int			max_olds;
	DdbEntryRemoval *olds;
	int			nputs;
	int			max_puts;
	DdbEntryPut *puts;
	int			item_olds;		/* those of the item at hand begin here */
	bool		concerned;		/* by it */
	bool		is_new;

	bool		looked;			/* is it known whether the index is behind? */
	bool		behind;
} DdbWork;

/* A log as it was before the pass's snapshot. */
typedef struct DdbLogSize
{
	Oid			log;
	Oid			storage;
	BlockNumber pages;
} DdbLogSize;

/* What the pass sees. */
typedef struct DdbView
{
	int			nlogs;
	DdbLogSize *logs;
	uint64		horizon;		/* the next transaction id when the logs had these sizes */
	TimestampTz taken;
	DdbEnded	ended;			/* of the active snapshot, which was taken after */
	TimestampTz deadline;		/* 0: none */
} DdbView;

extern bool ddb_view_expired(const DdbView *view);

/*
 * Applies what the log has for these indexes (DdbWork, whose cursors have the
 * same position), in chunks until the deadline.  True when the batch is
 * complete.  The cursors are changed, not yet written.
 */
extern bool ddb_apply(List *works, const DdbView *view, int64 *applied);

/* Places a new cursor: what the view has not seen of the log is still to come. */
extern void ddb_cursor_start(DdbCursor *cursor, const DdbView *view);

/*
 * How many rows of the log, from transactions first .. end - 1, the cursor
 * lacks.  Stops at `limit`; in the active snapshot.
 */
extern int64 ddb_apply_pending(const DdbCursor *cursor, uint64 first, uint64 end, int64 limit);

/*
 * What is to be done to the indexes of a table is gathered, item by item, and
 * then done at once, in the order of each index.  The context is for what
 * items and entries are views of.
 */
typedef struct DdbGathering
{
	List	   *works;			/* DdbWork */
	MemoryContext context;
} DdbGathering;

extern void ddb_gather_begin(DdbGathering *gathering, List *works);

/* What entry the item has; is_new as in DdbEntryPut.  In the gathering's context. */
extern void ddb_gather_item(DdbWork *work, const DdbRecord *record, const uint8 *digest,
							bool is_new);

/* Between two items: does what has been gathered if that is much. */
extern void ddb_gather_check(DdbGathering *gathering);

/* Does the rest. */
extern void ddb_gather_end(DdbGathering *gathering);

extern void ddb_work_close(DdbWork *work);

/* ----------------------------------------------------------------------
 * backfill.c
 * ---------------------------------------------------------------------- */

/* Goes on filling the index until the deadline; true when all items were visited. */
extern bool ddb_backfill(DdbWork *work, const DdbView *view, int64 *visited);

/* ----------------------------------------------------------------------
 * pass.c
 * ---------------------------------------------------------------------- */

/* The table has or has not row security now: closes or opens the index. */
extern void ddb_index_follow_row_security(Oid table, Oid index);

/*
 * An index that this transaction has made: announced and, where its table has
 * never had a row, active at once.
 */
extern void ddb_index_begin(Oid table, Oid index);

/* Seconds after which an index that fails is given up. */
extern int	ddb_index_give_up;


/* ----------------------------------------------------------------------
 * works.c
 * ---------------------------------------------------------------------- */

/* The global index as work without a cursor; false when there is none. */
extern bool ddb_work_find(Oid index, DdbWork *work);

/* Is the index still what the work says, now that it is locked as its table is? */
extern bool ddb_work_is_unchanged(const DdbWork *work);

/*
 * All of the pass's tables, locked; those that could not be are counted as left
 * out.
 */
extern List *ddb_works_find(DdbPass *pass);

/* ----------------------------------------------------------------------
 * logs.c
 * ---------------------------------------------------------------------- */

/* To make a cursor: ShareLock.  False when somebody empties logs. */
extern bool ddb_cursors_lock(LOCKMODE lockmode);

/* Empties the logs that are full and read; adds one when all stay full. */
extern void ddb_logs_turn(void);

#endif							/* DDB_INDEX_INT_H */
