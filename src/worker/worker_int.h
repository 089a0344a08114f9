/*-------------------------------------------------------------------------
 *
 * worker_int.h
 *	  What the files of src/worker/ know of each other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_WORKER_INT_H
#define DDB_WORKER_INT_H

#include "worker/worker.h"

/* ----------------------------------------------------------------------
 * control.c
 * ---------------------------------------------------------------------- */

/* Finds a piece of shared memory, or makes it: zeros and, at `lock`, a spinlock.  May raise. */
extern void *ddb_shared_attach(const char *name, Size size, Size lock);

/* Finds the shared memory; what the other functions do themselves where they may raise. */
extern void ddb_workers_attach(void);

/* Takes the slot of this database and part for this process; false if it is taken. */
extern bool ddb_slot_attach(int part);
extern void ddb_slot_detach(void);

/*
 * Wakes this database's workers, starting those that do not run.  Never raises
 * after ddb_workers_attach().  A standby has none.
 */
extern void ddb_workers_wake(void);

/* Starts a worker of a database, or wakes it (the launcher; one part's work). */
extern bool ddb_worker_start(Oid database, int part);

/* The launcher is woken when there was no place for a worker of a database's. */
extern void ddb_launcher_attach(void);
extern List *ddb_databases_without_place(void);

/*
 * Publishes how far an index is: a counting, which makes it known, and what is
 * found between countings.  Forgets what has not been counted since.
 */
extern void ddb_lag_publish_count(Oid table, Oid index, int64 rows, double applied_per_second);
extern void ddb_lag_publish_reached(Oid index, TimestampTz reached, bool behind, double peak,
									double rate);
extern void ddb_lag_forget(TimestampTz before);

/*
 * The most lagging of a table's indexes; false when none has been measured.
 * *peak: the most seconds that it has lagged lately.
 */
extern bool ddb_lag_worst(Oid table, DdbLag *lag, double *peak, Oid *index);

/*
 * Takes a turn for so many rows among all who write to the index's table, at
 * `share` of the rate at which the worker applies them: how long to wait for it,
 * in milliseconds, `longest` at most.  -1: the rate is not known.
 */
extern double ddb_lag_take_turn(Oid index, int64 rows, double share, double longest);

/* ----------------------------------------------------------------------
 * lag.c
 * ---------------------------------------------------------------------- */

/* A round of work, of which the pass tells what it finds; if it fails, it is not done but begins again. */
extern void ddb_lag_round_begins(void);
extern void ddb_lag_found(const DdbFinding *finding);
extern void ddb_lag_round_done(TimestampTz began);

/* Nobody has committed anything since the last round, up to now. */
extern void ddb_lag_nothing_since(void);

/* Counts the rows that indexes lack.  In a transaction. */
extern void ddb_lag_count(void);

/* ----------------------------------------------------------------------
 * gate.c
 * ---------------------------------------------------------------------- */
extern void ddb_gate_settings(void);

/* This backend has logged a row. */
extern void ddb_gate_count_row(void);

/* ----------------------------------------------------------------------
 * launcher.c
 * ---------------------------------------------------------------------- */
extern void ddb_launcher_register(void);

/* ----------------------------------------------------------------------
 * compaction.c
 * ---------------------------------------------------------------------- */

/* Does what is due, in a transaction of its own.  False: it is time to go. */
extern bool ddb_compaction_step(void);

/* Is there something under way, or waited for?  And when it is to be called again. */
extern bool ddb_compaction_pending(void);
extern TimestampTz ddb_compaction_due(void);

/* Something was committed. */
extern void ddb_compaction_woken(void);

/* A page was begun in this table: shall the worker be woken? */
extern bool ddb_compaction_wants(Relation rel);
extern void ddb_compaction_settings(void);

/* ----------------------------------------------------------------------
 * worker.c
 * ---------------------------------------------------------------------- */

/* Begins a transaction with a snapshot; false, and no transaction, when it is time to go. */
extern bool ddb_worker_begin(void);
extern void ddb_worker_commit(void);

extern int	ddb_index_workers;

#endif							/* DDB_WORKER_INT_H */
