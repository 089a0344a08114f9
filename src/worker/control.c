/*-------------------------------------------------------------------------
 *
 * control.c
 *	  Shared memory: which worker serves which database, and its lag.
 *
 * A small fixed array, so that it fits the slop that PostgreSQL leaves for
 * libraries that are not preloaded.  Its name carries the layout's version:
 * a newer library beside an older one makes an array of its own.  Losing it
 * costs only speed: a worker that finds its slot taken leaves, a writer that
 * finds no worker starts one.
 *
 * A worker that leaves frees its slot first and looks for work once more after
 * that.  A writer commits first and looks at the slot after that.  So either
 * the writer finds the slot free, or the worker finds what was committed.
 *
 * One spinlock guards all of it.  It is held for a walk over the array and
 * never across anything that can raise or wait.  A latch is set outside of it:
 * it lies in the process array, which never goes, and a process woken in vain
 * looks and sleeps again.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/lwlock.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/timestamp.h"
#include "worker/worker_int.h"

#define SHARED_NAME "ddb workers 1"
#define SLOTS 64
#define LAGS 256

/* A worker registered but not attached after so long has not come up. */
#define START_PATIENCE_MS 10000

typedef struct Slot
{
	Oid			database;		/* InvalidOid: free */
	int			part;
	pid_t		pid;			/* 0: registered, on its way */
	TimestampTz started;
	Latch	   *latch;
} Slot;

typedef struct LagEntry
{
	Oid			database;		/* InvalidOid: free */
	Oid			table;
	Oid			index;
	DdbLag		lag;
	TimestampTz measured;
} LagEntry;

typedef struct Shared
{
	slock_t		lock;
	Slot		slots[SLOTS];
	LagEntry	lags[LAGS];
} Shared;

static Shared *shared = NULL;
static Slot *own = NULL;

/* May raise, where there is no memory left: not to be called first at a commit. */
void
ddb_workers_attach(void)
{
	bool		found;

	if (shared)
		return;
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	shared = ShmemInitStruct(SHARED_NAME, sizeof(Shared), &found);
	if (!found)
	{
		memset(shared, 0, sizeof(Shared));
		SpinLockInit(&shared->lock);
	}
	LWLockRelease(AddinShmemInitLock);
}

/* ----------------------------------------------------------------------
 * Slots
 * ---------------------------------------------------------------------- */

/* With the lock held. */
static Slot *
find_slot(Oid database, int part)
{
	for (int i = 0; i < SLOTS; i++)
		if (shared->slots[i].database == database && shared->slots[i].part == part)
			return &shared->slots[i];
	return NULL;
}

/* Has the worker not come up, perhaps because its database has gone? */
static bool
is_abandoned(const Slot *slot)
{
	return slot->pid == 0 &&
		GetCurrentTimestamp() - slot->started > START_PATIENCE_MS * INT64CONST(1000);
}

static Slot *
find_or_make_slot(Oid database, int part)
{
	Slot	   *slot = find_slot(database, part);

	if (slot)
		return slot;
	slot = find_slot(InvalidOid, 0);
	for (int i = 0; slot == NULL && i < SLOTS; i++)
	{
		if (is_abandoned(&shared->slots[i]))
			slot = &shared->slots[i];
	}
	if (slot)
		*slot = (Slot) {.database = database, .part = part};
	return slot;
}

static void
free_slot(Slot *slot)
{
	*slot = (Slot) {.database = InvalidOid};
}

void
ddb_slot_detach(void)
{
	SpinLockAcquire(&shared->lock);
	if (own && own->pid == MyProcPid)
		free_slot(own);
	SpinLockRelease(&shared->lock);
	own = NULL;
}

static void
detach_at_exit(int code, Datum arg)
{
	ddb_slot_detach();
}

bool
ddb_slot_attach(int part)
{
	Slot	   *slot;

	ddb_workers_attach();
	SpinLockAcquire(&shared->lock);
	slot = find_or_make_slot(MyDatabaseId, part);
	if (slot && slot->pid != 0)
		slot = NULL;
	if (slot)
	{
		slot->pid = MyProcPid;
		slot->latch = MyLatch;
	}
	SpinLockRelease(&shared->lock);
	own = slot;
	if (slot)
		on_shmem_exit(detach_at_exit, (Datum) 0);
	return slot != NULL;
}

int
ddb_worker_pid(void)
{
	int			pid = 0;

	ddb_workers_attach();
	SpinLockAcquire(&shared->lock);
	for (int i = 0; i < SLOTS && pid == 0; i++)
		if (shared->slots[i].database == MyDatabaseId)
			pid = shared->slots[i].pid;
	SpinLockRelease(&shared->lock);
	return pid;
}

/* ----------------------------------------------------------------------
 * Starting and waking
 * ---------------------------------------------------------------------- */

/* Claims the starting of a worker; false when one runs, or is on its way. */
static bool
claim_start(Oid database, int part, Latch **latch)
{
	bool		claimed = false;
	Slot	   *slot;

	*latch = NULL;
	SpinLockAcquire(&shared->lock);
	slot = find_or_make_slot(database, part);
	if (slot && slot->pid != 0)
		*latch = slot->latch;
	else if (slot && is_abandoned(slot))
	{
		slot->started = GetCurrentTimestamp();
		claimed = true;
	}
	SpinLockRelease(&shared->lock);
	return claimed;
}

static void
release_start(Oid database, int part)
{
	Slot	   *slot;

	SpinLockAcquire(&shared->lock);
	slot = find_slot(database, part);
	if (slot && slot->pid == 0)
		free_slot(slot);
	SpinLockRelease(&shared->lock);
}

static bool
register_worker(Oid database, int part)
{
	BackgroundWorker worker = {
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished,
		.bgw_restart_time = BGW_NEVER_RESTART,
		.bgw_library_name = "ddb",
		.bgw_function_name = "ddb_worker_main",
		.bgw_type = "ddb worker",
		.bgw_main_arg = ObjectIdGetDatum(database),
	};

	snprintf(worker.bgw_name, BGW_MAXLEN, "ddb worker %d of database %u", part, database);
	memcpy(worker.bgw_extra, &part, sizeof(part));
	return RegisterDynamicBackgroundWorker(&worker, NULL);
}

bool
ddb_worker_start(Oid database, int part)
{
	Latch	   *latch;

	ddb_workers_attach();
	if (!claim_start(database, part, &latch))
	{
		if (latch)
			SetLatch(latch);
		return true;
	}
	if (register_worker(database, part))
		return true;
	release_start(database, part);
	return false;
}

void
ddb_workers_wake(void)
{
	if (RecoveryInProgress())
		return;
	for (int part = 0; part < ddb_index_workers; part++)
		(void) ddb_worker_start(MyDatabaseId, part);
}

/* ----------------------------------------------------------------------
 * Lag
 * ---------------------------------------------------------------------- */
static LagEntry *
find_lag(Oid database, Oid index)
{
	for (int i = 0; i < LAGS; i++)
		if (shared->lags[i].database == database &&
			(database == InvalidOid || shared->lags[i].index == index))
			return &shared->lags[i];
	return NULL;
}

void
ddb_lag_publish(Oid table, Oid index, const DdbLag *lag)
{
	TimestampTz now = GetCurrentTimestamp();
	LagEntry   *entry;

	SpinLockAcquire(&shared->lock);
	entry = find_lag(MyDatabaseId, index);
	if (entry == NULL)
		entry = find_lag(InvalidOid, InvalidOid);
	if (entry)
		*entry = (LagEntry) {MyDatabaseId, table, index, *lag, now};
	SpinLockRelease(&shared->lock);
}

void
ddb_lag_forget(TimestampTz before)
{
	SpinLockAcquire(&shared->lock);
	for (int i = 0; i < LAGS; i++)
	{
		if (shared->lags[i].database == MyDatabaseId && shared->lags[i].measured < before)
			shared->lags[i].database = InvalidOid;
	}
	SpinLockRelease(&shared->lock);
}

/* An index that lagged when it was measured has gone on lagging since. */
static DdbLag
lag_by_now(const LagEntry *entry)
{
	DdbLag		lag = entry->lag;

	if (lag.rows != 0 && lag.seconds >= 0)
		lag.seconds += (GetCurrentTimestamp() - entry->measured) / 1e6;
	return lag;
}

bool
ddb_worker_lag(Oid index, DdbLag *lag)
{
	LagEntry	entry = {InvalidOid};
	LagEntry   *found;

	ddb_workers_attach();
	SpinLockAcquire(&shared->lock);
	found = find_lag(MyDatabaseId, index);
	if (found)
		entry = *found;
	SpinLockRelease(&shared->lock);
	if (entry.database == InvalidOid)
		return false;
	*lag = lag_by_now(&entry);

	/* Had it caught up when it was measured, then what lags has come since. */
	lag->rows = ddb_index_rows_behind(index);
	if (lag->rows == 0)
		lag->seconds = 0;
	else if (lag->rows > 0 && entry.lag.rows == 0)
		lag->seconds = Max(0, GetCurrentTimestamp() - entry.measured) / 1e6;
	return true;
}

bool
ddb_lag_worst(Oid table, DdbLag *lag, Oid *index)
{
	LagEntry	worst = {InvalidOid};

	ddb_workers_attach();
	SpinLockAcquire(&shared->lock);
	for (int i = 0; i < LAGS; i++)
	{
		const LagEntry *entry = &shared->lags[i];

		if (entry->database == MyDatabaseId && entry->table == table &&
			(worst.database == InvalidOid || entry->lag.rows > worst.lag.rows))
			worst = *entry;
	}
	SpinLockRelease(&shared->lock);
	if (worst.database == InvalidOid)
		return false;
	*lag = lag_by_now(&worst);
	*index = worst.index;
	return true;
}
