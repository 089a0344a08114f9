/*-------------------------------------------------------------------------
 *
 * fn_worker.c
 *	  SQL functions of waiting for indexes and watching them.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "worker/worker.h"

PG_FUNCTION_INFO_V1(ddb_fn_index_token);
Datum
ddb_fn_index_token(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(ddb_index_token()));
}

static char *
text_or_null(FunctionCallInfo fcinfo, int arg)
{
	return PG_ARGISNULL(arg) ? NULL : text_to_cstring(PG_GETARG_TEXT_PP(arg));
}

/* Milliseconds of an interval, months counted as 30 days. */
static int64
interval_ms(const Interval *span)
{
	int64		days = span->day + (int64) span->month * DAYS_PER_MONTH;

	return span->time / 1000 + days * (SECS_PER_DAY * INT64CONST(1000));
}

PG_FUNCTION_INFO_V1(ddb_fn_wait_for_index);
Datum
ddb_fn_wait_for_index(PG_FUNCTION_ARGS)
{
	Oid			table;
	int64		timeout;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(3))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("tbl and timeout must not be null")));
	table = PG_GETARG_OID(0);
	timeout = interval_ms(PG_GETARG_INTERVAL_P(3));
	if (timeout < 0 || timeout > INT64CONST(86400000))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("timeout must be between 0 and one day")));
	PG_RETURN_BOOL(ddb_wait_for_index(table, text_or_null(fcinfo, 1), text_or_null(fcinfo, 2),
									  timeout));
}

/*
 * One index's lag, for the view ddb.index_status.  Where no worker has measured
 * it, the rows alone are known; and where there are none, that it does not lag.
 */
PG_FUNCTION_INFO_V1(ddb_fn_index_lag);
Datum
ddb_fn_index_lag(PG_FUNCTION_ARGS)
{
	Oid			index = PG_GETARG_OID(0);
	TupleDesc	desc;
	DdbLag		lag;
	bool		measured = ddb_worker_lag(index, &lag);
	Datum		values[4];
	bool		nulls[4] = {lag.rows < 0, lag.seconds < 0, !measured, false};

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int64GetDatum(lag.rows);
	values[1] = Float8GetDatum(lag.seconds);
	values[2] = Float8GetDatum(lag.applied_per_second);
	values[3] = CStringGetTextDatum(ddb_worker_state());
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

/* What is known of the compaction of each table, for the view ddb.compaction_status. */
PG_FUNCTION_INFO_V1(ddb_fn_compaction_progress);
Datum
ddb_fn_compaction_progress(PG_FUNCTION_ARGS)
{
	static const char *const states[] = {
		[DDB_COMPACTION_IN_ORDER] = "in order",
		[DDB_COMPACTION_WRITTEN] = "waits until less is written",
		[DDB_COMPACTION_COMPACTING] = "compacting",
		[DDB_COMPACTION_UNVACUUMED] = "waits for autovacuum",
		[DDB_COMPACTION_NO_VACUUM] = "needs VACUUM",
		[DDB_COMPACTION_NO_PAGES] = "waits for free pages",
		[DDB_COMPACTION_LOCKED] = "waits for a lock",
		[DDB_COMPACTION_REPLICATED] = "left alone: replicated",
		[DDB_COMPACTION_FAILED] = "failed: see the server's log",
	};
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	foreach(lc, ddb_compaction_status())
	{
		const DdbCompactionStatus *status = lfirst(lc);
		Datum		values[] = {
			ObjectIdGetDatum(status->table), CStringGetTextDatum(states[status->state]),
			Int64GetDatum(status->rows), Int64GetDatum(status->written),
			Int64GetDatum(status->due_at), Int64GetDatum(status->rows_seen),
			Int64GetDatum(status->rows_moved), TimestampTzGetDatum(status->finished)
		};
		bool		nulls[lengthof(values)] = {false};

		nulls[lengthof(values) - 1] = status->finished == 0;
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
