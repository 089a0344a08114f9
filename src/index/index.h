/*-------------------------------------------------------------------------
 *
 * index.h
 *	  Asynchronous work on secondary indexes, as plain functions.
 *
 * projection.c	what an item's entry in an index is
 * changelog.c	the log of changes that an index must follow
 * cursor.c		how far each index has followed
 * apply.c		making entries match
 * backfill.c	the same over a whole table
 * logs.c		emptying what all have followed
 * works.c		which indexes there are
 * pass.c		one bounded round over all indexes
 * verify.c		is an index right?
 * progress.c	for those who wait or watch
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_INDEX_H
#define DDB_INDEX_H

#include "access/transam.h"
#include "table/table.h"
#include "utils/timestamp.h"

/* Registers the observer of rows and the settings; called once, at load. */
extern void ddb_index_init(void);

/* ----------------------------------------------------------------------
 * projection.c
 * ---------------------------------------------------------------------- */

/*
 * The item's entry, in the current memory context or as views of the record.
 * False: the index has none of it (a key attribute is missing, empty or of
 * another type, or too long).  digest is that of the item's key; without one,
 * only the key of the index is set.
 */
extern bool ddb_index_entry(const DdbIndexDef *def, const DdbRecord *base, const uint8 *digest,
							DdbEntry *entry);

/* Sets what an entry has of the item's key. */
extern void ddb_index_entry_complete(const DdbIndexDef *def, const uint8 *digest, DdbEntry *entry);

/* Would ddb_index_check() let the item pass?  For a backfill, which skips what it would not. */
extern bool ddb_index_accepts(const DdbIndexDef *def, const DdbRecord *base);

/*
 * Is a global index's key of these values, partition attributes first, none
 * empty, within the limits?
 */
extern bool ddb_index_key_fits(const DdbValue *values, int npartition, int nsort);

/* ----------------------------------------------------------------------
 * changelog.c
 * ---------------------------------------------------------------------- */

/*
 * Called in a transaction that has logged a change, or leaves an index to be
 * filled, to register the waking of a worker at its commit.
 */
typedef void (*DdbLogWritten) (void);
extern void ddb_index_on_log(DdbLogWritten hook);

/* ----------------------------------------------------------------------
 * pass.c
 * ---------------------------------------------------------------------- */

/* What a pass finds of an active index that does not fail. */
typedef enum DdbFindingKind
{
	DDB_FOUND_NOTHING,			/* to do, of what had been committed by `seen` */
	DDB_FOUND_WORK,				/* which is now begun, if nobody else is at it */
	DDB_FOUND_BATCH,			/* was applied: so many rows of it */
} DdbFindingKind;

typedef struct DdbFinding
{
	DdbFindingKind kind;
	Oid			index;
	TimestampTz seen;			/* when a new batch's snapshot was taken; 0: of an earlier pass */
	bool		complete;		/* the batch is */
	int64		rows;
} DdbFinding;

/*
 * One bounded pass over the global indexes of this database, in the caller's
 * transaction, which must be READ COMMITTED and should end soon after.  What
 * another session works on is left out.  Several workers divide the tables
 * among themselves: this one takes those of `part` (0 .. parts - 1).
 */
typedef struct DdbPass
{
	int			budget_ms;		/* about how long; 0: until nothing is left */
	int			part;
	int			parts;			/* 1: all tables */

	/*
	 * An emptied log stays locked to the transaction's end, and a worker would
	 * wait for it: not to be done before waiting for a worker.
	 */
	bool		keep_logs;

	bool		ailing;			/* was the last pass that of an index that fails? */

	/* Told as it goes, before anything is committed; may be NULL. */
	void		(*found) (const DdbFinding *finding);

	/* Results */
	bool		more;			/* there is work left that could be done at once */
	bool		failed;			/* an index failed; it is tried again at retry_at */
	bool		restoring;		/* an index has no key index yet, as while it is restored */
	int			indexes;		/* global indexes in the database */
	int			left_out;		/* those with work that another session is at, or the next pass takes */
	int64		applied;		/* changes applied */
	int64		backfilled;		/* items visited by backfills */
	TimestampTz retry_at;		/* when the next one that waits is due; 0: none */
} DdbPass;

extern void ddb_index_pass(DdbPass *pass);

/* ----------------------------------------------------------------------
 * cursor.c: how far an index is.  All take the index's relation.
 * ---------------------------------------------------------------------- */
typedef enum DdbIndexState
{
	DDB_INDEX_CREATING,			/* is being filled, or waits to be */
	DDB_INDEX_ACTIVE,
	DDB_INDEX_INACTIVE,			/* has failed for too long: given up until it is rebuilt */
} DdbIndexState;

extern DdbIndexState ddb_index_state(Oid index);

/*
 * Does the index, being active, show what this transaction has committed?  Also
 * true when it has logged nothing that the index still lacks.  Takes a snapshot
 * of its own.
 */
extern bool ddb_index_reached(Oid index, FullTransactionId xid);

/* How many logged changes of its table the index lacks; -1: unknown. */
extern int64 ddb_index_rows_behind(Oid index);

/* Starts a given-up or doubted index again from nothing, at the next pass. */
extern void ddb_index_rebuild(Oid index);

/* ----------------------------------------------------------------------
 * progress.c
 * ---------------------------------------------------------------------- */

/* The API's name of an index. */
extern const char *ddb_index_name(Oid index);

/* A table's global indexes, or the one of this name; raises YD001 when there is none. */
extern List *ddb_index_list(Oid table, const char *name);

/* As ddb_index_reached(), of all transactions before this one that have committed. */
extern bool ddb_index_reached_all(Oid index, FullTransactionId xid);

/* What active indexes that do not fail lack, counted now: a list of DdbProgress. */
typedef struct DdbProgress
{
	Oid			table;
	Oid			index;
	int64		applied;		/* changes, since the index was made */
	int64		rows_behind;
} DdbProgress;

extern List *ddb_index_progress(void);

/* Are there prepared transactions in this database, with changes still to come perhaps? */
extern bool ddb_index_prepared(void);

/* ----------------------------------------------------------------------
 * verify.c
 * ---------------------------------------------------------------------- */
typedef enum DdbDifferenceKind
{
	DDB_ENTRY_MISSING,
	DDB_ENTRY_DIFFERS,
	DDB_ENTRY_EXTRA,
} DdbDifferenceKind;

typedef struct DdbDifference
{
	DdbDifferenceKind kind;
	DdbItem    *key;			/* the base item's key attributes */
} DdbDifference;

/*
 * Compares index and base at one snapshot; differences that the log explains
 * are none.  A list of DdbDifference, at most `limit`; with repair they are
 * mended too, and an INACTIVE index is built again by the passes that follow.
 */
extern List *ddb_index_verify(Oid index, bool repair, int limit);

/*
 * Between these, functions of a user's indexes are cancelled after so long, even
 * if they catch it; 0: no limit.
 */
extern void ddb_limit_begin(int ms);
extern void ddb_limit_end(void);

#endif							/* DDB_INDEX_H */
