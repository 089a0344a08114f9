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

/* Starts a worker in another database (the launcher). */
extern bool ddb_worker_start(Oid database, int part);

/* Publishes what this worker has measured of an index; forgets older measures. */
extern void ddb_lag_publish(Oid table, Oid index, const DdbLag *lag);
extern void ddb_lag_forget(TimestampTz before);

/* The most lagging of a table's indexes; false when none has been measured. */
extern bool ddb_lag_worst(Oid table, DdbLag *lag, Oid *index);

/* ----------------------------------------------------------------------
 * gate.c
 * ---------------------------------------------------------------------- */
extern void ddb_gate_settings(void);

/* ----------------------------------------------------------------------
 * launcher.c
 * ---------------------------------------------------------------------- */
extern void ddb_launcher_register(void);

/* ----------------------------------------------------------------------
 * Settings (worker.c)
 * ---------------------------------------------------------------------- */
extern int	ddb_index_workers;

#endif							/* DDB_WORKER_INT_H */
