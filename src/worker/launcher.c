/*-------------------------------------------------------------------------
 *
 * launcher.c
 *	  Workers after a restart.
 *
 * The launcher runs only where the library is preloaded.  After a start, a
 * crash or a standby's promotion it starts a worker in each database once, so
 * that work left over is done without anybody writing first; a worker that
 * finds no indexes leaves at once, and makes room for those of the databases
 * that have not had theirs.  Then it waits: a commit that finds no place for its
 * database's worker leaves word, and the launcher tries until there is one.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/heapam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_database.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/latch.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/wait_event.h"
#include "worker/worker_int.h"

/* Between tries, while all places for workers are taken. */
#define RETRY_MS 1000

PGDLLEXPORT void ddb_launcher_main(Datum arg);

static List *
databases(void)
{
	MemoryContext context = CurrentMemoryContext;
	List	   *list = NIL;
	Relation	rel;
	TableScanDesc scan;
	HeapTuple	tuple;

	StartTransactionCommand();
	(void) GetTransactionSnapshot();
	rel = table_open(DatabaseRelationId, AccessShareLock);
	scan = table_beginscan_catalog(rel, 0, NULL);
	while ((tuple = heap_getnext(scan, ForwardScanDirection)) != NULL)
	{
		Form_pg_database database = (Form_pg_database) GETSTRUCT(tuple);
		MemoryContext caller = MemoryContextSwitchTo(context);

		if (database->datallowconn && !database->datistemplate)
			list = lappend_oid(list, database->oid);
		MemoryContextSwitchTo(caller);
	}
	table_endscan(scan);
	table_close(rel, AccessShareLock);
	CommitTransactionCommand();
	MemoryContextSwitchTo(context);
	return list;
}

/* Returns the databases for whose workers there was no place. */
static List *
start_workers(List *todo)
{
	List	   *left = NIL;
	ListCell   *lc;

	foreach(lc, todo)
	{
		bool		started = true;

		for (int part = 0; part < ddb_index_workers; part++)
			started &= ddb_worker_start(lfirst_oid(lc), part);
		if (!started)
			left = lappend_oid(left, lfirst_oid(lc));
	}
	list_free(todo);
	return left;
}

void
ddb_launcher_main(Datum arg)
{
	List	   *todo;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);

	/* When its work is done it stays: after a crash the postmaster starts it again. */
	ddb_launcher_attach();
	todo = databases();
	for (;;)
	{
		todo = start_workers(list_concat_unique_oid(todo, ddb_databases_without_place()));
		(void) WaitLatch(MyLatch,
						 WL_LATCH_SET | WL_EXIT_ON_PM_DEATH | (todo ? WL_TIMEOUT : 0),
						 RETRY_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

void
ddb_launcher_register(void)
{
	BackgroundWorker worker = {
		.bgw_name = "ddb launcher",
		.bgw_type = "ddb launcher",
		.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION,
		.bgw_start_time = BgWorkerStart_RecoveryFinished,
		.bgw_restart_time = 10,
		.bgw_library_name = "ddb",
		.bgw_function_name = "ddb_launcher_main",
	};

	RegisterBackgroundWorker(&worker);
}
