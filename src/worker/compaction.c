/*-------------------------------------------------------------------------
 *
 * compaction.c
 *	  Compaction without anybody calling: which table is due, and how fast.
 *
 * The worker of a database's first part does it when its indexes have nothing
 * more to apply, one table at a time, in slices (storage/compact_pass.c).
 *
 * When a table is due.  PostgreSQL counts what is written to it.  When enough
 * has been since it was last in order, and no more is written now than could be
 * compacted meanwhile, a survey of some stretches tells which share of the rows
 * a sweep would move; if that is little, the table counts as in order.  So
 * memory is a convenience: whatever is forgotten costs a survey.  After the
 * survey come sweeps until one moves hardly a row, and one more that empties the
 * end of the file.
 *
 * How fast.  ddb.compact_rate is in rows moved a second.  A row looked at counts
 * as a twentieth of one, which is about what it costs.  After a tenth of a second
 * of slices, or what indexes have to do, the worker sleeps until what they did is
 * within the rate, and at least for as long as they took, so that where pages come
 * from a disk it takes half of that disk's time at most.
 *
 * What keeps a table from it is waited for by putting the table off, so that
 * another may have its turn; the sweep is given up then, for the next one goes
 * quickly over what is in order.
 *
 * What is remembered lies in shared memory, for the view and for the worker
 * that comes after this one.  Only the worker of a database writes its entries.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xact.h"
#include "common/pg_prng.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/latch.h"
#include "storage/spin.h"
#include "storage/storage.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "worker/worker_int.h"

#define SHARED_NAME		"ddb compaction 1"
#define ENTRIES			256

#define LEAST_WRITTEN	5000	/* rows, and a tenth of the table, before it is looked at */
#define WORTH_WHILE		0.05	/* share of rows out of order */
#define SEEN_COST		20		/* rows looked at that cost as much as one moved */
#define SETTLED			50		/* a sweep that moved fewer than one row of so many is the last */
#define MOST_SWEEPS		8

#define BATCH_MS		100		/* of slices without a pause */
#define BATCH_ROWS		2048
#define LOOK_MS			5000	/* between looks at what is written */
#define NEXT_MS			1000	/* after a table's turn */
#define LONG_MS			60000	/* what does not change by itself */
#define LOOKS			3		/* after a commit: what it wrote is counted up to 10 s later */
#define STALE_MS		60000	/* then an earlier look does not tell how fast it is written */
#define ATTEMPT_MS		20000	/* functions of a user's index may never end */
#define FORGET_MS		3600000 /* then another table may take the place in shared memory */

/* Begun pages of which one wakes the worker: it then looks at what was counted. */
#define WAKE_ONE_OF		64

typedef struct Entry
{
	DdbCompactionStatus status;
	Oid			database;		/* InvalidOid: free */
	int64		in_order;		/* what was written when it was last in order */
	int64		written;		/* when it was looked at */
	TimestampTz looked;
	TimestampTz retry_at;
	int			sweeps;			/* that came round since it was last in order */
	int			starved;		/* times without having moved anything */
	int			failures;
} Entry;

typedef struct Shared
{
	slock_t		lock;
	Entry		entries[ENTRIES];
} Shared;

static int	compact_rate = 1000;

static Shared *shared = NULL;

/* What this worker is at. */
static DdbSweep *sweep = NULL;
static Entry current;			/* the table's, while there is a sweep */
static bool tail_only;
static int64 written_at_start;
static TimestampTz due_at;		/* its next slice; 0: at once */
static TimestampTz look_at = 0;	/* else: to look for a table */
static bool none_large = false; /* when it last looked */
static bool awaited = false;	/* something will be due without being told */
static int	looks_left = LOOKS;

/* Slices since it slept. */
typedef struct Batch
{
	TimestampTz start;
	double		rows;
} Batch;

static Batch batch;

/* ----------------------------------------------------------------------
 * Shared memory
 * ---------------------------------------------------------------------- */
static void
attach(void)
{
	if (shared == NULL)
		shared = ddb_shared_attach(SHARED_NAME, sizeof(Shared), offsetof(Shared, lock));
}

/* With the lock held. */
static Entry *
find_entry(Oid database, Oid table)
{
	for (int i = 0; i < ENTRIES; i++)
		if (shared->entries[i].database == database &&
			(database == InvalidOid || shared->entries[i].status.table == table))
			return &shared->entries[i];
	return NULL;
}

/* With the lock held: a free place, or the longest forgotten. */
static Entry *
free_entry(TimestampTz now)
{
	Entry	   *entry = find_entry(InvalidOid, InvalidOid);

	if (entry)
		return entry;
	entry = &shared->entries[0];
	for (int i = 1; i < ENTRIES; i++)
	{
		if (shared->entries[i].looked < entry->looked)
			entry = &shared->entries[i];
	}
	return now - entry->looked > FORGET_MS * INT64CONST(1000) ? entry : NULL;
}

static Entry
read_entry(Oid table)
{
	Entry		entry = {.status = {.table = table}, .database = MyDatabaseId};
	Entry	   *found;

	SpinLockAcquire(&shared->lock);
	found = find_entry(MyDatabaseId, table);
	if (found)
		entry = *found;
	SpinLockRelease(&shared->lock);
	return entry;
}

/* False: there is no place. */
static bool
write_entry(const Entry *entry)
{
	TimestampTz now = GetCurrentTimestamp();
	Entry	   *place;

	SpinLockAcquire(&shared->lock);
	place = find_entry(MyDatabaseId, entry->status.table);
	if (place == NULL)
		place = free_entry(now);
	if (place)
		*place = *entry;
	SpinLockRelease(&shared->lock);
	return place != NULL;
}

static void
forget_entry(Oid table)
{
	Entry	   *found;

	SpinLockAcquire(&shared->lock);
	found = find_entry(MyDatabaseId, table);
	if (found)
		found->database = InvalidOid;
	SpinLockRelease(&shared->lock);
}

List *
ddb_compaction_status(void)
{
	Entry	   *copy = palloc_array(Entry, ENTRIES);
	List	   *list = NIL;

	attach();
	SpinLockAcquire(&shared->lock);
	memcpy(copy, shared->entries, sizeof(shared->entries));
	SpinLockRelease(&shared->lock);
	for (int i = 0; i < ENTRIES; i++)
	{
		if (copy[i].database == MyDatabaseId)
			list = lappend(list, &copy[i].status);
	}
	return list;
}

/* ----------------------------------------------------------------------
 * Which table is due
 * ---------------------------------------------------------------------- */

/* Is no more written to it than could be compacted meanwhile? */
static bool
is_calm(const Entry *before, const DdbWritten *table, TimestampTz now)
{
	double		seconds = (now - before->looked) / 1e6;

	return before->looked != 0 && seconds > 0 && seconds < STALE_MS / 1000 &&
		(table->written - before->written) / seconds <= compact_rate;
}

/* Else the worker need not stay for it. */
static bool
changes_by_itself(DdbCompactionState state)
{
	return state == DDB_COMPACTION_UNVACUUMED || state == DDB_COMPACTION_NO_PAGES ||
		state == DDB_COMPACTION_LOCKED;
}

/* Notes what has been written to a table; is it its turn? */
static bool
look_at_table(const DdbWritten *table, TimestampTz now, Entry *entry)
{
	Entry		before = read_entry(table->table);
	bool		due = false;

	*entry = before;
	if (table->written < entry->in_order)
		entry->in_order = 0;	/* the statistics have been reset */
	entry->written = table->written;
	entry->looked = now;
	entry->status.rows = table->rows;
	entry->status.written = table->written - entry->in_order;
	entry->status.due_at = Max(LEAST_WRITTEN, table->rows / 10);
	if (entry->status.written < entry->status.due_at)
		entry->status.state = DDB_COMPACTION_IN_ORDER;
	else if (entry->retry_at > now)
		awaited |= changes_by_itself(entry->status.state);
	else if (is_calm(&before, table, now))
		due = true;
	else
	{
		entry->status.state = DDB_COMPACTION_WRITTEN;
		awaited = true;
	}
	return write_entry(entry) && due;
}

/* Chooses the table of which most was written, for its size. */
static bool
choose_table(TimestampTz now)
{
	List	   *tables = ddb_tables_written();
	double		most = 0;
	ListCell   *lc;

	/* What a commit has written to them is counted later. */
	none_large = tables == NIL;
	looks_left = none_large ? 0 : Max(looks_left - 1, 0);
	awaited = false;
	current = (Entry) {0};
	foreach(lc, tables)
	{
		const DdbWritten *table = lfirst(lc);
		Entry		entry;
		double		share;

		if (!look_at_table(table, now, &entry))
			continue;
		awaited = true;
		share = (double) entry.status.written / Max(table->rows, 1);
		if (share > most)
		{
			most = share;
			current = entry;
		}
	}
	return most > 0;
}

/* ----------------------------------------------------------------------
 * One table's turn
 * ---------------------------------------------------------------------- */
static void
end_turn(void)
{
	if (sweep)
		ddb_sweep_end(sweep);
	sweep = NULL;
	look_at = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), NEXT_MS);
}

static void
put_off(DdbCompactionState state, int64 ms)
{
	current.status.state = state;
	current.retry_at = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), ms);
	write_entry(&current);
	end_turn();
}

/* It is in order as far as what had been written when the last sweep began. */
static void
rest(void)
{
	current.status.state = DDB_COMPACTION_IN_ORDER;
	current.status.finished = GetCurrentTimestamp();
	current.in_order = written_at_start;
	current.status.written = Max(current.written - current.in_order, 0);
	current.sweeps = current.failures = 0;
	write_entry(&current);
	end_turn();
}

static void
begin_sweep(bool tail)
{
	if (sweep)
		ddb_sweep_end(sweep);
	sweep = NULL;
	sweep = ddb_sweep_begin(current.status.table, tail);
	tail_only = tail;
	written_at_start = current.written;
	current.status.state = DDB_COMPACTION_COMPACTING;
	current.status.rows_seen = current.status.rows_moved = 0;
	write_entry(&current);
}

/* What keeps the table from being worked on. */
static void
hindered(DdbSliceEnd end)
{
	switch (end)
	{
		case DDB_SLICE_LOCKED:
			put_off(DDB_COMPACTION_LOCKED, LOOK_MS);
			break;
		case DDB_SLICE_STARVED:
			/* Some snapshot still sees what was on the pages that are empty. */
			current.starved = current.status.rows_moved > 0 ? 0 : Min(current.starved + 1, 8);
			put_off(DDB_COMPACTION_NO_PAGES, NEXT_MS << current.starved);
			break;
		case DDB_SLICE_UNVACUUMED:
			put_off(DDB_COMPACTION_UNVACUUMED, LOOK_MS);
			break;
		case DDB_SLICE_NO_VACUUM:
			put_off(DDB_COMPACTION_NO_VACUUM, LONG_MS);
			break;
		case DDB_SLICE_REPLICATED:
			put_off(DDB_COMPACTION_REPLICATED, LONG_MS);
			break;
		case DDB_SLICE_SMALL:
			written_at_start = current.written;
			rest();
			break;
		case DDB_SLICE_GONE:
			forget_entry(current.status.table);
			end_turn();
			break;
		case DDB_SLICE_MORE:
		case DDB_SLICE_DONE:
			break;
	}
}

/* The sweep has come round: another, the file's end, or that was it. */
static void
sweep_ended(void)
{
	if (tail_only)
		rest();
	else
		begin_sweep(++current.sweeps >= MOST_SWEEPS ||
					current.status.rows_moved * SETTLED <= current.status.rows_seen);
}

static void
count(const DdbCompaction *done)
{
	current.status.rows_seen += done->rows_seen;
	current.status.rows_moved += done->rows_moved;

	/* What a sweep writes is written by nobody else. */
	current.in_order += done->rows_moved;
	current.written += done->rows_moved;
	written_at_start += done->rows_moved;
	write_entry(&current);
}

/* After so much, or so long, or when there is something for indexes, the worker sleeps. */
static void
pay(const DdbCompaction *done, TimestampTz start)
{
	TimestampTz now = GetCurrentTimestamp();

	if (due_at != 0)
		batch = (Batch) {.start = start};
	batch.rows += done->rows_moved + (double) done->rows_seen / SEEN_COST;
	if (batch.rows < BATCH_ROWS && now - batch.start < BATCH_MS * 1000 && !MyLatch->is_set)
		due_at = 0;
	else
		due_at = now + Max(now - batch.start, (int64) (batch.rows * 1000000 / compact_rate));
}

static void
work_on_slice(void)
{
	TimestampTz start = GetCurrentTimestamp();
	DdbCompaction done;
	DdbSliceEnd end = ddb_sweep_slice(sweep, BATCH_MS, &done);

	count(&done);
	pay(&done, start);
	if (end == DDB_SLICE_DONE)
		sweep_ended();
	else
		hindered(end);
}

/* What is in order may still have a file whose end could be cut off. */
static void
begin_turn(void)
{
	double		disordered = 0;
	DdbSliceEnd end = ddb_table_survey(current.status.table, &disordered);

	written_at_start = current.written;
	due_at = GetCurrentTimestamp();
	if (end == DDB_SLICE_MORE)
		begin_sweep(disordered < WORTH_WHILE);
	else
		hindered(end);
}

static void
report(void)
{
	Oid			table = current.status.table;
	char	   *name = get_rel_name(table);

	if (name)
		pgstat_report_activity(STATE_RUNNING,
							   psprintf("ddb: compacting %s",
										quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)),
																   name)));
}

/* A survey, or a slice. */
static void
step(TimestampTz now)
{
	attach();
	if (sweep == NULL)
	{
		look_at = TimestampTzPlusMilliseconds(now, LOOK_MS);
		if (!choose_table(now))
			return;
	}
	report();
	ddb_limit_begin(ATTEMPT_MS);
	if (sweep)
		work_on_slice();
	else
		begin_turn();
	ddb_limit_end();
}

/* Its own failure, for index functions of a user may raise anything; the others go on. */
static void
failed(void)
{
	HOLD_INTERRUPTS();
	ddb_limit_end();
	EmitErrorReport();
	AbortOutOfAnyTransaction();
	FlushErrorState();
	RESUME_INTERRUPTS();
	if (OidIsValid(current.status.table))
	{
		current.failures = Min(current.failures + 1, 6);
		put_off(DDB_COMPACTION_FAILED, (int64) LONG_MS << current.failures);
	}
	else
	{
		end_turn();
		look_at = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), LONG_MS);
	}
}

/* ----------------------------------------------------------------------
 * Called by the worker
 * ---------------------------------------------------------------------- */
bool
ddb_compaction_step(void)
{
	MemoryContext caller = CurrentMemoryContext;
	TimestampTz now = GetCurrentTimestamp();
	bool		stays = true;

	if (compact_rate == 0)
	{
		end_turn();
		awaited = false;
		looks_left = 0;
		look_at = TimestampTzPlusMilliseconds(now, LOOK_MS);
		return true;
	}
	if (now < (sweep ? due_at : look_at))
		return true;
	PG_TRY();
	{
		do
		{
			CHECK_FOR_INTERRUPTS();
			stays = ddb_worker_begin();
			if (stays)
			{
				step(now);
				ddb_worker_commit();
			}
		} while (stays && sweep && due_at == 0);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		failed();
	}
	PG_END_TRY();
	pgstat_report_stat(false);
	return stays;
}

bool
ddb_compaction_pending(void)
{
	return sweep != NULL || awaited || looks_left > 0;
}

void
ddb_compaction_woken(void)
{
	TimestampTz soon = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), NEXT_MS);

	/* A worker need not stay long to see that there is nothing large. */
	looks_left = LOOKS;
	if (none_large)
		look_at = Min(look_at, soon);
}

TimestampTz
ddb_compaction_due(void)
{
	return sweep ? due_at : look_at;
}

/* ----------------------------------------------------------------------
 * Waking
 * ---------------------------------------------------------------------- */
bool
ddb_compaction_wants(Relation rel)
{
	return compact_rate > 0 && !RelationUsesLocalBuffers(rel) &&
		pg_prng_uint32(&pg_global_prng_state) % WAKE_ONE_OF == 0;
}

void
ddb_compaction_settings(void)
{
	DefineCustomIntVariable("ddb.compact_rate",
							"Rows a second that are moved together in the background; 0: none.",
							NULL, &compact_rate, 1000, 0, 1000000, PGC_SUSET, 0, NULL, NULL,
							NULL);
}
