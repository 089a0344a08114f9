/*-------------------------------------------------------------------------
 *
 * fn_maintenance.c
 *	  SQL functions of the work on indexes: a worker's pass by hand, and the
 *	  comparison of an index with its table.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "catalog/pg_class.h"
#include "funcapi.h"
#include "index/index.h"
#include "miscadmin.h"
#include "sql/sql_int.h"
#include "storage/latch.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/wait_event.h"

PG_FUNCTION_INFO_V1(ddb_fn_run_maintenance);
PG_FUNCTION_INFO_V1(ddb_fn_verify_index);

/* Differences that one call lists. */
#define MAX_DIFFERENCES 1000

/*
 * How long to wait for what a worker is at.  Two sessions that each hold what
 * the other waits for would never end otherwise: nothing here is a lock that
 * the deadlock detector knows.
 */
#define PATIENCE_MS 10000
#define PAUSE_MS 5

static void
pause_shortly(void)
{
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, PAUSE_MS,
					 PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
}

/*
 * How many changes were applied and items visited.  What a worker is at in this
 * moment is waited for, so that all is done afterwards, whoever did it.
 */
Datum
ddb_fn_run_maintenance(PG_FUNCTION_ARGS)
{
	DdbPass		pass = {.parts = 1, .keep_logs = true};
	int64		done = 0;
	int64		progress;
	int			waited = 0;

	do
	{
		CHECK_FOR_INTERRUPTS();
		ddb_index_pass(&pass);
		progress = pass.applied + pass.backfilled;
		done += progress;
		if (progress == 0 && pass.left_out > 0)
		{
			pause_shortly();
			waited += PAUSE_MS;
		}
	} while (progress > 0 ? pass.more || pass.left_out > 0 :
			 pass.left_out > 0 && waited < PATIENCE_MS);
	pass.keep_logs = false;
	ddb_index_pass(&pass);
	done += pass.applied + pass.backfilled;
	PG_RETURN_INT64(done);
}

/* The relation of a global index; only its table's owner may see its faults. */
static Oid
owned_index(Oid table, DdbText name)
{
	const DdbIndexDef *def;

	if (!ddb_owns_relation(table, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, get_rel_name(table));
	def = name.data ? ddb_index_find(table, name.data, name.len) : NULL;
	if (def == NULL)
		ddb_raise(DDB_RESOURCE_NOT_FOUND, "Requested resource not found");
	return def->local ? InvalidOid : def->relid;
}

Datum
ddb_fn_verify_index(PG_FUNCTION_ARGS)
{
	static const char *const kinds[] = {
		[DDB_ENTRY_MISSING] = "missing",
		[DDB_ENTRY_DIFFERS] = "differs",
		[DDB_ENTRY_EXTRA] = "extra",
	};
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Oid			index = owned_index(ddb_arg_table(fcinfo, 0), ddb_arg_text(fcinfo, 1));
	bool		repair = !PG_ARGISNULL(2) && PG_GETARG_BOOL(2);
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	/* PostgreSQL itself keeps a local index right. */
	if (!OidIsValid(index))
		return (Datum) 0;
	foreach(lc, ddb_index_verify(index, repair, MAX_DIFFERENCES))
	{
		DdbDifference *difference = lfirst(lc);
		Datum		values[2] = {
			CStringGetTextDatum(kinds[difference->kind]), PointerGetDatum(difference->key)
		};
		bool		isnull[2] = {false, false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
	}
	return (Datum) 0;
}
