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

#define SHARED_NAME "ddb workers 3"
#define SLOTS 64
#define LAGS 256

/* Turns that were not taken in the last so many milliseconds may be taken yet. */
#define KEPT_TURNS_MS 10

/* A turn is for as many rows as it may be, and a rate may be next to nothing. */
#define LONGEST_TURN_S 3600

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

	/* As counted */
	int64		rows;
	double		applied_per_second;
	TimestampTz counted;

	/* As found (lag.c) */
	TimestampTz reached;
	bool		behind;
	double		peak;			/* seconds that it lagged before its last batch was complete */
	double		rate;

	TimestampTz next_turn;		/* of those who write */
} LagEntry;

typedef struct Shared
{
	slock_t		lock;
	Latch	   *launcher;		/* NULL: there is none */
	Slot		slots[SLOTS];
	LagEntry	lags[LAGS];
} Shared;

static Shared *shared = NULL;
static Slot *own = NULL;

void *
ddb_shared_attach(const char *name, Size size, Size lock)
{
	bool		found;
	char	   *memory;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	memory = ShmemInitStruct(name, size, &found);
	if (!found)
	{
		memset(memory, 0, size);
		SpinLockInit((slock_t *) (memory + lock));
	}
	LWLockRelease(AddinShmemInitLock);
	return memory;
}

/* May raise, where there is no memory left: not to be called first at a commit. */
void
ddb_workers_attach(void)
{
	if (shared == NULL)
		shared = ddb_shared_attach(SHARED_NAME, sizeof(Shared), offsetof(Shared, lock));
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

const char *
ddb_worker_state(void)
{
	Slot		slot = {InvalidOid};

	if (RecoveryInProgress())
		return "none on a standby";
	ddb_workers_attach();
	SpinLockAcquire(&shared->lock);
	for (int i = 0; i < SLOTS && slot.pid == 0; i++)
		if (shared->slots[i].database == MyDatabaseId)
			slot = shared->slots[i];
	SpinLockRelease(&shared->lock);
	if (slot.pid != 0)
		return psprintf("pid %d", (int) slot.pid);
	if (ddb_index_workers == 0)
		return "none: ddb.index_workers is 0";
	if (!OidIsValid(slot.database))
		return "idle: starts with the next write";
	if (slot.started == 0)
		return "none: no place left among max_worker_processes";
	return is_abandoned(&slot) ? "none: it did not come up" : "starting";
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

/* The slot stays, abandoned at once, to tell that there was no place. */
static void
release_start(Oid database, int part)
{
	Slot	   *slot;
	Latch	   *launcher;

	SpinLockAcquire(&shared->lock);
	slot = find_slot(database, part);
	if (slot && slot->pid == 0)
		slot->started = 0;
	launcher = shared->launcher;
	SpinLockRelease(&shared->lock);
	if (launcher && launcher != MyLatch)
		SetLatch(launcher);
}

static void
launcher_gone(int code, Datum arg)
{
	SpinLockAcquire(&shared->lock);
	shared->launcher = NULL;
	SpinLockRelease(&shared->lock);
}

void
ddb_launcher_attach(void)
{
	ddb_workers_attach();
	SpinLockAcquire(&shared->lock);
	shared->launcher = MyLatch;
	SpinLockRelease(&shared->lock);
	on_shmem_exit(launcher_gone, (Datum) 0);
}

List *
ddb_databases_without_place(void)
{
	Oid			found[SLOTS];
	int			n = 0;
	List	   *databases = NIL;

	SpinLockAcquire(&shared->lock);
	for (int i = 0; i < SLOTS; i++)
	{
		const Slot *slot = &shared->slots[i];

		if (slot->database != InvalidOid && slot->pid == 0 && slot->started == 0)
			found[n++] = slot->database;
	}
	SpinLockRelease(&shared->lock);
	for (int i = 0; i < n; i++)
		databases = list_append_unique_oid(databases, found[i]);
	return databases;
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
ddb_lag_publish_count(Oid table, Oid index, int64 rows, double applied_per_second)
{
	TimestampTz now = GetCurrentTimestamp();
	LagEntry   *entry;

	SpinLockAcquire(&shared->lock);
	entry = find_lag(MyDatabaseId, index);
	if (entry == NULL)
	{
		entry = find_lag(InvalidOid, InvalidOid);
		if (entry)
			*entry = (LagEntry) {.database = MyDatabaseId, .table = table, .index = index,
			.reached = now, .behind = rows > 0};
	}
	if (entry)
	{
		entry->rows = rows;
		entry->applied_per_second = applied_per_second;
		entry->counted = now;
	}
	SpinLockRelease(&shared->lock);
}

void
ddb_lag_publish_reached(Oid index, TimestampTz reached, bool behind, double peak, double rate)
{
	LagEntry   *entry;

	SpinLockAcquire(&shared->lock);
	entry = find_lag(MyDatabaseId, index);
	if (entry)
	{
		entry->reached = reached;
		entry->behind = behind;
		entry->peak = peak;
		entry->rate = rate;
	}
	SpinLockRelease(&shared->lock);
}

void
ddb_lag_forget(TimestampTz before)
{
	SpinLockAcquire(&shared->lock);
	for (int i = 0; i < LAGS; i++)
	{
		if (shared->lags[i].database == MyDatabaseId && shared->lags[i].counted < before)
			shared->lags[i].database = InvalidOid;
	}
	SpinLockRelease(&shared->lock);
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
	lag->applied_per_second = entry.applied_per_second;
	lag->rows = ddb_index_rows_behind(index);
	lag->seconds = -1;
	if (lag->rows == 0)
		lag->seconds = 0;
	else if (lag->rows > 0 && found)
		lag->seconds = Max(0, GetCurrentTimestamp() - entry.reached) / 1e6;
	return found != NULL;
}

bool
ddb_lag_worst(Oid table, DdbLag *lag, double *peak, Oid *index)
{
	TimestampTz now = GetCurrentTimestamp();

	*index = InvalidOid;
	*peak = 0;
	*lag = (DdbLag) {0};
	ddb_workers_attach();
	SpinLockAcquire(&shared->lock);
	for (int i = 0; i < LAGS; i++)
	{
		const LagEntry *entry = &shared->lags[i];
		double		seconds = entry->behind ? Max(0, now - entry->reached) / 1e6 : 0;

		if (entry->database != MyDatabaseId || entry->table != table)
			continue;
		if (!OidIsValid(*index) || seconds > lag->seconds || entry->rows > lag->rows)
			*index = entry->index;
		lag->seconds = Max(lag->seconds, seconds);
		*peak = Max(*peak, entry->behind ? Max(seconds, entry->peak) : 0);
		lag->rows = Max(lag->rows, entry->rows);
	}
	SpinLockRelease(&shared->lock);
	return OidIsValid(*index);
}

double
ddb_lag_take_turn(Oid index, int64 rows, double share, double longest)
{
	TimestampTz now = GetCurrentTimestamp();
	TimestampTz turn;
	double		wait = -1;
	LagEntry   *entry;

	SpinLockAcquire(&shared->lock);
	entry = find_lag(MyDatabaseId, index);
	if (entry && entry->rate > 0)
	{
		turn = Max(entry->next_turn, now - KEPT_TURNS_MS * 1000);
		turn = Min(turn, now + longest * 1000);
		entry->next_turn = turn + Min(rows / (entry->rate * share), LONGEST_TURN_S) * 1e6;
		wait = Max(0, turn - now) / 1000.0;
	}
	SpinLockRelease(&shared->lock);
	return wait;
}
