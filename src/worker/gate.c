/*-------------------------------------------------------------------------
 *
 * gate.c
 *	  Back-pressure: a writer waits for an index that lags.
 *
 * It acts at the start of an operation of ddb's, before any lock is held, and
 * never inside the access method: plain SQL is not held up.  Past
 * ddb.index_max_lag all who write to the table take turns, at the rate at
 * which the worker applies what they log, less the further the index is
 * behind: at twice the limit half of it.  So writers settle at what the worker
 * can keep, and the lag at the limit or little more.  A turn is for as many rows as
 * the writer has logged since the last one.  Nobody waits longer than
 * LONGEST_PAUSE_MS at once.  Past ddb.index_refuse_lag a write is refused as
 * DynamoDB refuses it, naming the index.  How far an index lags is known at any
 * moment (lag.c); nothing known, being filled or given up means no waiting.
 * Who is refused commits nothing, so he wakes the worker himself: it may have
 * left in the middle, and while all are refused no one else would.
 *
 * Both limits are read as rows ('100000') or as a time ('10s').
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/wait_event.h"
#include "worker/worker_int.h"

#define LONGEST_PAUSE_MS 100

typedef struct Limit
{
	int64		rows;			/* 0: none */
	double		seconds;		/* 0: none */
} Limit;

static Limit slow = {0, 0};
static Limit refuse = {0, 0};
static char *slow_text;
static char *refuse_text;

/* ----------------------------------------------------------------------
 * Settings
 * ---------------------------------------------------------------------- */
static bool
read_limit(const char *text, Limit *limit)
{
	char	   *end;
	double		number = strtod(text, &end);

	*limit = (Limit) {0, 0};
	if (end == text || !(number >= 0 && number < 1e15))
		return false;
	if (*end == '\0')
		limit->rows = (int64) number;
	else if (strcmp(end, "ms") == 0)
		limit->seconds = number / 1000;
	else if (strcmp(end, "s") == 0)
		limit->seconds = number;
	else if (strcmp(end, "min") == 0)
		limit->seconds = number * 60;
	else
		return false;
	return true;
}

static bool
check_limit(char **newval, void **extra, GucSource source)
{
	Limit		limit;

	if (read_limit(*newval, &limit))
		return true;
	GUC_check_errhint("Give a number of rows ('100000') or a time ('500ms', '10s', '1min').");
	return false;
}

static void
assign_slow(const char *newval, void *extra)
{
	(void) read_limit(newval, &slow);
}

static void
assign_refuse(const char *newval, void *extra)
{
	(void) read_limit(newval, &refuse);
}

/* ----------------------------------------------------------------------
 * The gate
 * ---------------------------------------------------------------------- */

/* How many times the limit this is; 0 where there is none. */
static double
excess(int64 rows, double seconds, const Limit *limit)
{
	if (limit->rows > 0)
		return (double) rows / limit->rows;
	return limit->seconds > 0 ? seconds / limit->seconds : 0;
}

static int64 rows_logged = 0;	/* since this backend's last turn */

void
ddb_gate_count_row(void)
{
	rows_logged++;
}

static void
wait_for_turn(Oid index, double excess)
{
	double		ms = ddb_lag_take_turn(index, Max(1, rows_logged), 1 / excess, LONGEST_PAUSE_MS);

	rows_logged = 0;
	/* A worker that has applied nothing yet has no rate. */
	if (ms < 0)
		ms = Min(LONGEST_PAUSE_MS, excess * 10);
	if (ms < 1)
		return;
	(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, (long) ms,
					 PG_WAIT_EXTENSION);
	ResetLatch(MyLatch);
	CHECK_FOR_INTERRUPTS();
}

/* An index that has been dropped since lags no more. */
static void
refuse_write(Oid index)
{
	const char *name = ddb_index_name(index);

	ddb_workers_wake();
	if (name)
		ddb_raise_hint(DDB_THROTTLING, "Try again when ddb.index_status shows that it has caught up.",
					   "Throughput exceeds the current capacity of index %s", name);
}

void
ddb_worker_gate(Oid table)
{
	DdbLag		lag;
	double		peak;
	double		times;
	Oid			index;

	if (slow.rows == 0 && slow.seconds == 0 && refuse.rows == 0 && refuse.seconds == 0)
		return;
	if (!ddb_lag_worst(table, &lag, &peak, &index))
		return;
	if (excess(lag.rows, lag.seconds, &refuse) > 1)
		refuse_write(index);
	times = excess(lag.rows, peak, &slow);
	if (times > 1)
		wait_for_turn(index, times);
	else
		rows_logged = 0;
}

void
ddb_gate_settings(void)
{
	DefineCustomStringVariable("ddb.index_max_lag",
							   "Writers are slowed when an index is further behind, in rows or time; 0: never.",
							   NULL, &slow_text, "0", PGC_USERSET, 0, check_limit, assign_slow, NULL);
	DefineCustomStringVariable("ddb.index_refuse_lag",
							   "Writes are refused when an index is further behind, in rows or time; 0: never.",
							   NULL, &refuse_text, "0", PGC_SUSET, 0, check_limit, assign_refuse,
							   NULL);
}
