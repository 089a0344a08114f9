/*-------------------------------------------------------------------------
 *
 * lag.c
 *	  What a worker knows of how far its indexes are behind.
 *
 * All that was committed before an index's `reached` stands in it.  That is the
 * time at which the snapshot of its last complete batch was taken, or of the
 * last look that found nothing to do; so, while there is something, the time
 * since then is what the index lags at most, and it is as fresh as the clock,
 * also in the middle of a long batch.  It costs no counting.
 *
 * A worker that goes to sleep with its latch not set knows that nobody has
 * committed anything since its last look: then everything has been reached.
 * When it is woken, the commit that does so was a moment ago.
 *
 * From batch to batch the lag goes up and down like a saw: it falls to what the
 * batch took when that is complete, and is twice as much when the next one is.
 * Writers go by the teeth's tips, or they would be let loose after each batch.
 *
 * Rows are counted now and then, for those who set limits in rows.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "utils/memutils.h"
#include "utils/timestamp.h"
#include "worker/worker_int.h"

/* The rate is that of about so long. */
#define RATE_MS 500

/* What is remembered of an index. */
typedef struct Measure
{
	Oid			index;
	TimestampTz reached;
	TimestampTz batch;			/* snapshot of the batch under way, or 0 */
	double		rate;			/* of applying, while there is something to apply; 0: unknown */
	TimestampTz rated;
	double		peak;			/* seconds behind when the last batch was complete */

	/* Of the last round, in which it may not have been this worker's */
	bool		found;
	bool		behind;
	bool		complete;		/* nothing is left that was seen */
	TimestampTz will_reach;		/* once this is committed */
	int64		rows;

	/* Of the last counting */
	TimestampTz counted;
	int64		applied;
} Measure;

static List *measures = NIL;	/* in TopMemoryContext */

static Measure *
find_measure(Oid index)
{
	MemoryContext caller;
	Measure    *measure;
	ListCell   *lc;

	foreach(lc, measures)
	{
		measure = lfirst(lc);
		if (measure->index == index)
			return measure;
	}
	caller = MemoryContextSwitchTo(TopMemoryContext);
	measure = palloc0(sizeof(Measure));
	measure->index = index;
	measure->reached = GetCurrentTimestamp();
	measures = lappend(measures, measure);
	MemoryContextSwitchTo(caller);
	return measure;
}

static void
publish(const Measure *measure)
{
	ddb_lag_publish_reached(measure->index, measure->reached, measure->behind, measure->peak,
							measure->rate);
}

/* ----------------------------------------------------------------------
 * A round
 * ---------------------------------------------------------------------- */
void
ddb_lag_round_begins(void)
{
	ListCell   *lc;

	foreach(lc, measures)
	{
		Measure    *measure = lfirst(lc);

		measure->found = measure->complete = false;
		measure->rows = 0;
	}
}

void
ddb_lag_found(const DdbFinding *finding)
{
	Measure    *measure = find_measure(finding->index);

	measure->found = true;
	switch (finding->kind)
	{
		case DDB_FOUND_NOTHING:
			measure->will_reach = finding->seen;
			measure->complete = true;
			measure->behind = false;
			break;
		case DDB_FOUND_WORK:
			measure->will_reach = measure->reached;
			measure->behind = true;
			publish(measure);
			break;
		case DDB_FOUND_BATCH:
			if (finding->seen != 0)
				measure->batch = finding->seen;
			if (finding->complete && measure->batch != 0)
				measure->will_reach = measure->batch;
			measure->complete = finding->complete;
			measure->rows += finding->rows;
			break;
	}
}

/* An index that cannot be worked on soon has no rate. */
static void
set_rate(Measure *measure, TimestampTz began, TimestampTz now)
{
	double		ms = Max(1, now - (measure->rows > 0 ? began : measure->rated)) / 1000.0;
	double		rate = measure->rows / ms * 1000;

	if (measure->rows == 0 && measure->complete)
		return;
	measure->rate += measure->rate == 0 ? rate :
		(rate - measure->rate) * Min(1, ms / RATE_MS);
	measure->rated = now;
}

void
ddb_lag_round_done(TimestampTz began)
{
	TimestampTz now = GetCurrentTimestamp();
	ListCell   *lc;

	foreach(lc, measures)
	{
		Measure    *measure = lfirst(lc);

		if (!measure->found)
			continue;
		set_rate(measure, began, now);
		if (measure->complete)
			measure->peak = measure->behind ? (now - measure->reached) / 1e6 : 0;
		measure->reached = measure->will_reach;
		publish(measure);
	}
}

/* ----------------------------------------------------------------------
 * Sleep
 * ---------------------------------------------------------------------- */
void
ddb_lag_nothing_since(void)
{
	TimestampTz now = GetCurrentTimestamp();
	ListCell   *lc;

	foreach(lc, measures)
	{
		Measure    *measure = lfirst(lc);

		if (!measure->complete)
			continue;
		measure->reached = now;
		measure->behind = false;
		publish(measure);
	}
}

/* ----------------------------------------------------------------------
 * Countings
 * ---------------------------------------------------------------------- */
static void
count(const DdbProgress *progress, TimestampTz now)
{
	Measure    *measure = find_measure(progress->index);
	double		seconds = Max(1, now - measure->counted) / 1e6;
	double		applied = progress->applied - measure->applied;

	if (measure->counted == 0)
		applied = 0;
	measure->applied = progress->applied;
	measure->counted = now;
	ddb_lag_publish_count(progress->table, progress->index, progress->rows_behind,
						  applied / seconds);
}

void
ddb_lag_count(void)
{
	TimestampTz now = GetCurrentTimestamp();
	ListCell   *lc;

	foreach(lc, ddb_index_progress())
		count(lfirst(lc), now);
	ddb_lag_forget(now);
}
