/*-------------------------------------------------------------------------
 *
 * worker.h
 *	  The processes that do index/'s work: started when first needed, woken at
 *	  commit, gone when idle.
 *
 * control.c	shared memory: which worker serves which database, and its lag
 * worker.c		a worker's loop
 * lag.c		what a worker knows of how far its indexes are behind
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

#endif							/* DDB_WORKER_H */
