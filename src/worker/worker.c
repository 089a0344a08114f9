/*-------------------------------------------------------------------------
 *
 * worker.c
 *	  A worker's loop.
 *
 * A worker serves one database (or its part of the tables, where several
 * share them).  Round after round it does one bounded pass (index/pass.c) in
 * a transaction of its own: at once again while there is more, else when its
 * latch is set by a commit, when an index that failed is due, and anyway
 * after a nap, for a prepared transaction commits without telling us.
 *
 * It is a good neighbour.  In each round, and at least every NAP_MS, it asks
 * without waiting for the lock that a session takes on its database when it
 * begins: DROP DATABASE and CREATE DATABASE ... TEMPLATE take theirs first and
 * then wait some seconds for others to leave, so being refused means that it is
 * time to go.  It holds a share lock on the extension within a round and looks
 * for it anew in each, so DROP EXTENSION waits a round at most, and for nothing
 * else that the worker holds.  After some idle seconds it leaves; the next
 * commit that logs something starts another.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/twophase.h"
#include "access/xact.h"
#include "catalog/pg_database.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/latch.h"
#include "storage/lock.h"
#include "storage/storage.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"
#include "worker/worker_int.h"

#define ROUND_MS	500			/* a pass's budget */
#define NAP_MS		1000
#define COUNT_MS	250			/* between countings of what is behind */
#define RETRY_MS	100			/* until what another session holds is tried again */
#define LONGEST_PAUSE_MS 60000	/* after rounds that failed as a whole */

int			ddb_index_workers = 1;
static int	idle_seconds = 10;

PGDLLEXPORT void ddb_worker_main(Datum arg);

/* ----------------------------------------------------------------------
 * Being a good neighbour
 * ---------------------------------------------------------------------- */

/* Does somebody want this database for himself?  In a transaction. */
static bool
database_is_wanted(void)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, InvalidOid, DatabaseRelationId, MyDatabaseId, 0);
	if (LockAcquire(&tag, RowExclusiveLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return true;
	LockRelease(&tag, RowExclusiveLock, false);
	return false;
}

/* Is the extension there, and does it stay for this transaction? */
static bool
extension_stays(void)
{
	Oid			extension = get_extension_oid("ddb", true);
	LOCKTAG		tag;

	if (!OidIsValid(extension))
		return false;
	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, ExtensionRelationId, extension, 0);
	if (LockAcquire(&tag, AccessShareLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return false;
	return get_extension_oid("ddb", true) == extension;
}

bool
ddb_worker_begin(void)
{
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	if (database_is_wanted() || !extension_stays())
	{
		CommitTransactionCommand();
		return false;
	}
	PushActiveSnapshot(GetTransactionSnapshot());
	return true;
}

void
ddb_worker_commit(void)
{
	PopActiveSnapshot();
	CommitTransactionCommand();
}

/* ----------------------------------------------------------------------
 * The worker
 * ---------------------------------------------------------------------- */
typedef struct Worker
{
	DdbPass		pass;
	TimestampTz counted;
	TimestampTz last_work;
	int			failed_rounds;
} Worker;

/* Work is what was done, what waits for its time, and what others hold up. */
static bool
has_work(const DdbPass *pass)
{
	return pass->more || pass->applied > 0 || pass->backfilled > 0 || pass->failed ||
		pass->retry_at != 0 || pass->left_out > 0 || pass->restoring;
}

/* Before it grows idle: may a prepared transaction bring something yet? */
static bool
awaits_prepared(const Worker *worker, TimestampTz now)
{
	return worker->pass.indexes > 0 && max_prepared_xacts > 0 &&
		now - worker->last_work > NAP_MS * INT64CONST(1000) && ddb_index_prepared();
}

/* One round.  False: it is time to go. */
static bool
do_round(Worker *worker)
{
	TimestampTz now = GetCurrentTimestamp();

	if (!ddb_worker_begin())
		return false;
	worker->pass.budget_ms = ROUND_MS;
	worker->pass.found = ddb_lag_found;
	ddb_lag_round_begins();
	ddb_index_pass(&worker->pass);
	if (has_work(&worker->pass) || awaits_prepared(worker, now))
		worker->last_work = now;
	ddb_worker_commit();
	ddb_lag_round_done(now);
	if (now - worker->counted >= COUNT_MS * INT64CONST(1000))
	{
		if (!ddb_worker_begin())
			return false;
		ddb_lag_count();
		ddb_worker_commit();
		worker->counted = now;
	}
	pgstat_report_stat(false);
	return true;
}

/* A round that failed as a whole is reported, and the next one waits. */
static bool
try_round(Worker *worker)
{
	MemoryContext caller = CurrentMemoryContext;
	bool		stays = true;

	PG_TRY();
	{
		stays = do_round(worker);
		worker->failed_rounds = 0;
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		HOLD_INTERRUPTS();
		EmitErrorReport();
		AbortOutOfAnyTransaction();
		FlushErrorState();
		RESUME_INTERRUPTS();
		ddb_lag_round_begins();
		worker->pass.more = false;
		worker->failed_rounds++;
	}
	PG_END_TRY();
	return stays;
}

/* One worker of a database compacts its tables. */
static bool
compacts(const Worker *worker)
{
	return worker->pass.part == 0;
}

/* How long to sleep: no longer than until an index that waits, or compaction, is due. */
static long
nap(const Worker *worker)
{
	TimestampTz now = GetCurrentTimestamp();
	long		ms = worker->pass.left_out > 0 ? RETRY_MS : NAP_MS;

	if (worker->pass.retry_at != 0)
		ms = Min(ms, TimestampDifferenceMilliseconds(now, worker->pass.retry_at));
	if (compacts(worker))
		ms = Min(ms, TimestampDifferenceMilliseconds(now, ddb_compaction_due()));
	return Max(ms, 1);
}

static bool
is_idle(const Worker *worker)
{
	if (has_work(&worker->pass) || worker->failed_rounds > 0 ||
		(compacts(worker) && ddb_compaction_pending()))
		return false;
	return worker->pass.indexes == 0 ||
		GetCurrentTimestamp() - worker->last_work > idle_seconds * INT64CONST(1000000);
}

/* Told by a wake-up that there is something: an idle time begins anew. */
static void
sleep_until_woken(Worker *worker, long ms)
{
	bool		nothing = !MyLatch->is_set;
	int			events;

	pgstat_report_activity(STATE_IDLE, NULL);
	if (nothing)
		ddb_lag_nothing_since();
	events = WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, ms,
					   PG_WAIT_EXTENSION);
	/* The commit that wakes us was a moment ago. */
	if (nothing)
		ddb_lag_nothing_since();
	ResetLatch(MyLatch);
	if (events & WL_LATCH_SET)
	{
		worker->last_work = GetCurrentTimestamp();
		ddb_compaction_woken();
	}
	CHECK_FOR_INTERRUPTS();
	if (ConfigReloadPending)
	{
		ConfigReloadPending = false;
		ProcessConfigFile(PGC_SIGHUP);
	}
}

/* After rounds that failed as a whole, no commit makes us hurry.  False: it is time to go. */
static bool
sit_out(Worker *worker)
{
	long		ms = Min(LONGEST_PAUSE_MS, NAP_MS << Min(worker->failed_rounds, 6));

	for (TimestampTz end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), ms);
		 GetCurrentTimestamp() < end;)
	{
		sleep_until_woken(worker, NAP_MS);
		if (!ddb_worker_begin())
			return false;
		ddb_worker_commit();
	}
	return true;
}

/* Rounds until it is time to go, or nothing has been left to do for long. */
static bool
follow(Worker *worker)
{
	for (;;)
	{
		worker->pass.parts = Max(ddb_index_workers, worker->pass.part + 1);
		pgstat_report_activity(STATE_RUNNING, "ddb: following changes");
		if (worker->pass.part >= ddb_index_workers || !try_round(worker))
			return false;
		if (worker->failed_rounds > 0)
		{
			if (!sit_out(worker))
				return false;
		}
		else if (!worker->pass.more)
		{
			/* Indexes come first. */
			if (compacts(worker) && !ddb_compaction_step())
				return false;
			if (is_idle(worker))
				return true;
			sleep_until_woken(worker, nap(worker));
		}
		CHECK_FOR_INTERRUPTS();
	}
}

/* What is set for users' sessions in this database is not meant for this one. */
static void
set_parameters(void)
{
	static const char *const parameters[][2] = {
		{"role", "none"},
		{"default_transaction_isolation", "read committed"},
		{"default_transaction_read_only", "off"},
		{"session_replication_role", "origin"},
		{"lock_timeout", "0"},
		{"jit", "off"},

		/* Entries and cursor are lost together, and made again. */
		{"synchronous_commit", "off"},
	};

	for (int i = 0; i < lengthof(parameters); i++)
		SetConfigOption(parameters[i][0], parameters[i][1], PGC_SUSET, PGC_S_OVERRIDE);
	ddb_no_transaction_timeout();
}

void
ddb_worker_main(Datum arg)
{
	Worker		worker = {.last_work = GetCurrentTimestamp()};

	memcpy(&worker.pass.part, MyBgworkerEntry->bgw_extra, sizeof(worker.pass.part));
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnectionByOid(DatumGetObjectId(arg), InvalidOid, 0);
	set_parameters();
	if (!ddb_slot_attach(worker.pass.part) || !follow(&worker))
		return;

	/* A commit that has just woken this process in vain wants another one. */
	ddb_slot_detach();
	if (try_round(&worker) && (has_work(&worker.pass) || worker.failed_rounds > 0))
		ddb_workers_wake();
}

/* ----------------------------------------------------------------------
 * Waking at commit
 * ---------------------------------------------------------------------- */
static bool wake_at_commit = false;
static bool wake_first = false;	/* the worker that compacts */

static void
log_written(void)
{
	if (!wake_at_commit)
		ddb_workers_attach();
	wake_at_commit = true;
	ddb_gate_count_row();
}

static void
page_begun(Relation rel)
{
	if (wake_first || !ddb_compaction_wants(rel))
		return;
	ddb_workers_attach();
	wake_first = true;
}

/* After the rows are visible.  Nothing here may raise. */
static void
transaction_ended(XactEvent event, void *arg)
{
	bool		commits = event == XACT_EVENT_COMMIT || event == XACT_EVENT_PREPARE;

	if (!wake_at_commit && !wake_first)
		return;
	if (commits && wake_at_commit)
		ddb_workers_wake();
	else if (commits && ddb_index_workers > 0 && !RecoveryInProgress())
		(void) ddb_worker_start(MyDatabaseId, 0);
	if (commits || event == XACT_EVENT_ABORT)
		wake_at_commit = wake_first = false;
}

void
ddb_worker_init(void)
{
	DefineCustomIntVariable("ddb.index_workers",
							"Workers that keep global secondary indexes, and compact tables, in each database.",
							NULL, &ddb_index_workers, 1, 0, 8, PGC_SIGHUP, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("ddb.worker_idle_timeout",
							"How long a worker without work stays.",
							NULL, &idle_seconds, 10, 0, 86400, PGC_SIGHUP, GUC_UNIT_S, NULL, NULL,
							NULL);
	ddb_gate_settings();
	ddb_compaction_settings();
	if (IsBinaryUpgrade)
		return;
	RegisterXactCallback(transaction_ended, NULL);
	ddb_index_on_log(log_written);
	ddb_observe_placement(page_begun);
	if (process_shared_preload_libraries_in_progress)
		ddb_launcher_register();
}
