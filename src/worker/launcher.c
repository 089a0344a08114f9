/*-------------------------------------------------------------------------
 *
 * launcher.c
 *	  Workers after a restart.
 *
 * The launcher runs only where the library is preloaded.  After a start, a
 * crash or a standby's promotion it starts a worker in each database once, so
 * that work left over is done without anybody writing first; a worker that
 * finds no indexes leaves at once.
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

void
ddb_launcher_main(Datum arg)
{
	ListCell   *lc;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);

	/* Without a free place for a worker the next commit tries again. */
	foreach(lc, databases())
	{
		for (int part = 0; part < ddb_index_workers; part++)
			(void) ddb_worker_start(lfirst_oid(lc), part);
	}

	/* Its work is done; after a crash the postmaster starts it again. */
	for (;;)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1, PG_WAIT_EXTENSION);
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
