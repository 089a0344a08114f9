/*-------------------------------------------------------------------------
 *
 * worker.h
 *	  The processes that do index/'s work, and compact tables: started when first
 *	  needed, woken at commit, gone when idle.
 *
 * control.c	shared memory: which worker serves which database, and its lag
 * worker.c		a worker's loop
 * lag.c		what a worker knows of how far its indexes are behind
 * compaction.c	which table is compacted, when and how fast
 * launcher.c	workers after a restart
 * gate.c		back-pressure: writers wait for, or are refused by, a lagging index
 * wait.c		a reader waits for its own write
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_WORKER_H
#define DDB_WORKER_H

#include "index/index.h"

/* Settings, hooks and, when preloaded, the launcher; called once, at load. */
extern void ddb_worker_init(void);

/*
 * The start of a write on this table: waits, or raises YD013, when an index of
 * it lags further than the settings allow.  Called before any lock is held.
 */
extern void ddb_worker_gate(Oid table);

/* What there is of workers of this database, in words: "pid 17", or why there is none. */
extern const char *ddb_worker_state(void);

/*
 * How far an index is behind: its rows are counted, the time is what it lags at
 * most (lag.c).  rows and seconds are -1 where nothing is known; false when no
 * worker has measured this index.
 */
typedef struct DdbLag
{
	int64		rows;
	double		seconds;
	double		applied_per_second;
} DdbLag;

extern bool ddb_worker_lag(Oid index, DdbLag *lag);

/* What a reader may wait for: see wait.c.  Text in the current context. */
extern char *ddb_index_token(void);

/*
 * Waits until the index (or all global indexes of the table) shows what the
 * token stands for; without a token, all that has been committed before the
 * call.  False after timeout_ms.  Raises at once what can never come true.
 */
extern bool ddb_wait_for_index(Oid table, const char *index_name, const char *token,
							   int64 timeout_ms);

/* ----------------------------------------------------------------------
 * Compaction in the background
 * ---------------------------------------------------------------------- */
typedef enum DdbCompactionState
{
	DDB_COMPACTION_IN_ORDER,	/* as far as is known, or not enough was written since */
	DDB_COMPACTION_WRITTEN,		/* it is due, but written too fast */
	DDB_COMPACTION_COMPACTING,
	DDB_COMPACTION_UNVACUUMED,	/* the other states are what a slice met: see storage.h */
	DDB_COMPACTION_NO_VACUUM,
	DDB_COMPACTION_NO_PAGES,
	DDB_COMPACTION_LOCKED,
	DDB_COMPACTION_REPLICATED,
	DDB_COMPACTION_FAILED
} DdbCompactionState;

typedef struct DdbCompactionStatus
{
	Oid			table;
	DdbCompactionState state;
	int64		rows;			/* in the table, when it was last looked at */
	int64		written;		/* since it was last in order */
	int64		due_at;			/* so many */
	int64		rows_seen;		/* by this sweep, or the last */
	int64		rows_moved;
	TimestampTz finished;		/* 0: has not come to rest yet */
} DdbCompactionStatus;

/* What is known of this database's tables (DdbCompactionStatus). */
extern List *ddb_compaction_status(void);

#endif							/* DDB_WORKER_H */
