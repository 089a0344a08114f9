/*-------------------------------------------------------------------------
 *
 * pass.c
 *	  One round of work: what a worker does again and again, and what
 *	  ddb.run_maintenance() does by hand.
 *
 * A pass finds the indexes that have something to do, locks them one by one
 * without ever waiting (what another session holds is left for the next pass),
 * takes its snapshot, and then applies, backfills and writes the cursors, all
 * in one transaction.  Indexes whose cursors have the same position are applied
 * together, so that the log is read and each item fetched once for all of
 * them.
 *
 * Failing.  Each batch runs in a subtransaction.  If it fails, its indexes are
 * tried one at a time, and the one that fails alone waits before it is tried
 * again, longer each time, and then has a pass of its own: whatever it does
 * there (a function of a user's index on it may never end), the others' work has
 * been committed, and their cursors are not locked.  One that has failed for longer than
 * ddb.index_give_up becomes INACTIVE: nobody waits for it any more, and the log
 * is not kept for it, until REFRESH MATERIALIZED VIEW or ddb_index_rebuild()
 * starts it anew.
 *
 * Starting.  An index without a cursor (as after a restore), or with one that
 * does not fit the storage of table and index (TRUNCATE, CLUSTER, REFRESH),
 * starts from nothing: it is emptied, gets a cursor at the pass's snapshot, and
 * is filled from the table.  Writers must log by then.  They do where
 * ddb_index_announce() has made the cursor together with the index; else this
 * session must lock them out once and send them word.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "commands/matview.h"
#include "commands/tablecmds.h"
#include "index/index_int.h"
#include "miscadmin.h"
#include "storage/bufmgr.h"
#include "storage/lmgr.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timeout.h"

int			ddb_index_give_up = 3600;

/* Between the tries of an index that fails, in seconds. */
#define LONGEST_PAUSE	300

/*
 * What one attempt may take in a worker; a good one is done within a second or
 * two.  After a failure it is less, for all wait, but no less than a quarter of
 * what the index itself has waited: one that is but slow gets there.
 */
#define ATTEMPT_MS		10000
#define RETRY_MS		2000

/* An idle cursor follows when the log has grown by so many pages. */
#define IDLE_PAGES		64

/* ----------------------------------------------------------------------
 * Which have something to do
 * ---------------------------------------------------------------------- */

/* Does the cursor not fit, or is there none? */
static bool
must_start(const DdbWork *work)
{
	const DdbCursor *cursor = work->cursor;

	return cursor == NULL || cursor->table != work->table || !ddb_cursor_fits(cursor);
}

/* Is the cursor, although nothing is there for it, far behind in the logs? */
static bool
is_far_behind(const DdbCursor *cursor)
{
	ListCell   *lc;

	foreach(lc, ddb_logs())
	{
		Oid			storage;
		BlockNumber pages;
		BlockNumber block = 0;

		if (!ddb_log_storage(lfirst_oid(lc), &storage, &pages))
			continue;
		for (int i = 0; i < cursor->nplaces; i++)
		{
			if (cursor->places[i].log == lfirst_oid(lc) && cursor->places[i].storage == storage)
				block = cursor->places[i].block;
		}
		if (pages > block + IDLE_PAGES)
			return true;
	}
	return false;
}

/* What is found of one index holds for another of the table at the same position. */
static bool
is_behind(DdbWork *work, const DdbWork *previous)
{
	if (previous && previous->looked && previous->table == work->table &&
		strcmp(previous->cursor->position, work->cursor->position) == 0)
		work->behind = previous->behind;
	else
		work->behind = ddb_apply_pending(work->cursor, 0, PG_UINT64_MAX, 1) > 0 ||
			is_far_behind(work->cursor);
	work->looked = true;
	return work->behind;
}

static bool
is_due(DdbWork *work, const DdbWork *previous, DdbPass *pass)
{
	DdbCursor  *cursor = work->cursor;

	/* New storage, as REFRESH gives it, starts even that one again. */
	if (cursor && cursor->state == DDB_INDEX_INACTIVE)
		return must_start(work);
	if (cursor && cursor->retry_at > GetCurrentTimestamp())
	{
		if (pass->retry_at == 0 || cursor->retry_at < pass->retry_at)
			pass->retry_at = cursor->retry_at;
		return false;
	}
	return must_start(work) || cursor->state == DDB_INDEX_CREATING || cursor->until.xmax != 0 ||
		is_behind(work, previous);
}

/* Tells of an index that writers may have to wait for. */
static void
tell(const DdbPass *pass, const DdbWork *work, DdbFinding finding)
{
	const DdbCursor *cursor = work->cursor;

	finding.index = work->def.relid;
	if (pass->found && cursor && cursor->state == DDB_INDEX_ACTIVE && cursor->failures == 0)
		pass->found(&finding);
}

/* Finds the works' cursors, and removes those of indexes that are gone. */
static void
find_cursors(List *works)
{
	ListCell   *lc;

	foreach(lc, ddb_cursors())
	{
		DdbCursor  *cursor = lfirst(lc);
		ListCell   *w;

		foreach(w, works)
		{
			DdbWork    *work = lfirst(w);

			if (work->def.relid == cursor->index)
				work->cursor = cursor;
		}
		if (get_rel_relkind(cursor->index) == '\0')
			ddb_cursor_delete(cursor->index);
	}
}

/* ----------------------------------------------------------------------
 * Locks
 * ---------------------------------------------------------------------- */

static bool
lock_work(DdbWork *work)
{
	if (!ConditionalLockRelationOid(work->def.relid, RowExclusiveLock) || !ddb_work_is_unchanged(work))
		return false;
	return work->cursor == NULL || ddb_cursor_lock(work->cursor);
}

/* ----------------------------------------------------------------------
 * Starting
 * ---------------------------------------------------------------------- */

/* Empties the index and closes it to plain SELECT; false when it is in use. */
static bool
empty_index(Oid index)
{
	Relation	rel = relation_open(index, NoLock);
	bool		nothing = RelationGetNumberOfBlocks(rel) == 0 && !RelationIsPopulated(rel);
	bool		locked = nothing || ConditionalLockRelation(rel, AccessExclusiveLock);

	if (locked && !nothing)
	{
		CheckTableNotInUse(rel, "REFRESH");
		SetMatViewPopulatedState(rel, false);
	}
	relation_close(rel, NoLock);
	if (locked && !nothing)
		ddb_entries_empty(index);
	return locked;
}

/*
 * Writers may not know of this index: they are locked out, to the end of this
 * transaction, and told.
 */
static bool
adopt(DdbWork *work)
{
	if (!ConditionalLockRelationOid(work->table, ShareRowExclusiveLock))
		return false;
	CacheInvalidateRelcacheByRelid(work->table);
	ddb_index_adopt(work->table, work->def.relid);
	work->cursor = palloc0(sizeof(DdbCursor));
	work->cursor->index = work->def.relid;
	work->cursor->table = work->table;
	return ddb_cursor_insert(work->cursor);
}

static bool
start(DdbWork *work)
{
	DdbCursor  *cursor;

	if (!ddb_cursors_lock(ShareLock) ||
		(work->cursor == NULL && !adopt(work)) || !empty_index(work->def.relid))
		return false;
	cursor = work->cursor;
	*cursor = (DdbCursor) {
		.index = work->def.relid,
		.table = work->table,
		.index_storage = ddb_relation_storage(work->def.relid),
		.table_storage = ddb_relation_storage(work->table),
		.state = DDB_INDEX_CREATING,
		.backfill_total = ddb_count_items(work->table),
		.position = "",
	};
	return true;
}

/* A materialized view cannot have row security: if its table has, nobody selects from it. */
void
ddb_index_follow_row_security(Oid table, Oid index)
{
	Relation	base = relation_open(table, NoLock);
	Relation	view = relation_open(index, ShareUpdateExclusiveLock);
	bool		closed = base->rd_rel->relrowsecurity;

	if (closed && RelationIsPopulated(view))
		SetMatViewPopulatedState(view, false);
	if (!closed && !RelationIsPopulated(view) && ddb_index_state(index) == DDB_INDEX_ACTIVE)
		SetMatViewPopulatedState(view, true);
	relation_close(view, NoLock);
	relation_close(base, NoLock);
}

/* Opens the index to plain SELECT; with row security on the table it stays closed. */
static bool
activate(DdbWork *work)
{
	Relation	table = relation_open(work->table, NoLock);
	bool		closed = table->rd_rel->relrowsecurity;
	Relation	index;

	relation_close(table, NoLock);
	if (!closed)
	{
		if (!ConditionalLockRelationOid(work->def.relid, ShareUpdateExclusiveLock))
			return false;
		index = relation_open(work->def.relid, NoLock);
		if (!RelationIsPopulated(index))
			SetMatViewPopulatedState(index, true);
		relation_close(index, NoLock);
	}
	work->cursor->state = DDB_INDEX_ACTIVE;
	work->cursor->backfill_key = NULL;
	return true;
}

/* ----------------------------------------------------------------------
 * Attempts
 * ---------------------------------------------------------------------- */

/* A batch, or one index's backfill. */
typedef struct Attempt
{
	List	   *works;
	const DdbView *view;
	bool		start;
	bool		backfill;
	int			limit_ms;		/* a worker's; 0: none */
	bool		complete;
	int64		count;
} Attempt;

/* The pause after so many failures, in milliseconds. */
static int
pause_after(int failures)
{
	return Min(LONGEST_PAUSE, 1 << Min(failures, 16)) * 1000;
}

static int
attempt_limit(const DdbPass *pass, const DdbWork *work)
{
	int			failures = work->cursor->failures;

	if (pass->budget_ms == 0)
		return 0;
	return failures == 0 ? ATTEMPT_MS : Min(ATTEMPT_MS, Max(RETRY_MS, pause_after(failures - 1) / 4));
}

static void
run_attempt(Attempt *attempt)
{
	if (attempt->start)
		attempt->complete = start(linitial(attempt->works));
	else if (attempt->backfill)
		attempt->complete = ddb_backfill(linitial(attempt->works), attempt->view,
										 &attempt->count);
	else
		attempt->complete = ddb_apply(attempt->works, attempt->view, &attempt->count);
}

/* When the attempt under way is to end; 0: no limit. */
static TimestampTz attempt_end = 0;

/*
 * A function may catch the cancellation and go on.  To catch it takes a
 * subtransaction, so it is cancelled anew wherever one has failed, until no
 * block is left that catches.
 */
static void
cancel_again(SubXactEvent event, SubTransactionId subxact, SubTransactionId parent, void *arg)
{
	if (event == SUBXACT_EVENT_ABORT_SUB && attempt_end != 0 && GetCurrentTimestamp() >= attempt_end)
		QueryCancelPending = InterruptPending = true;
}

void
ddb_limit_begin(int ms)
{
	static bool registered = false;

	if (ms == 0)
		return;
	if (!registered)
		RegisterSubXactCallback(cancel_again, NULL);
	registered = true;
	attempt_end = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), ms);
	enable_timeout_after(STATEMENT_TIMEOUT, ms);
}

/* A cancellation that was not noticed means nothing to what comes next. */
void
ddb_limit_end(void)
{
	if (attempt_end == 0)
		return;
	disable_timeout(STATEMENT_TIMEOUT, false);
	attempt_end = 0;
	QueryCancelPending = false;
}

/* Functions of a user's index may never end; one table's do not stop all. */
static void
run_limited(Attempt *attempt)
{
	ddb_limit_begin(attempt->limit_ms);
	run_attempt(attempt);
	ddb_limit_end();
}

static DdbCursor
copy_cursor(const DdbCursor *cursor)
{
	DdbCursor	copy = *cursor;

	copy.places = palloc_array(DdbLogPlace, cursor->nplaces + 1);
	memcpy(copy.places, cursor->places, sizeof(DdbLogPlace) * cursor->nplaces);
	return copy;
}

/*
 * Whose fault is it not?  The code tells little, for functions of a user's index
 * may raise any: a real interruption comes from where they are processed.  A
 * worker is interrupted by its own limit alone; what ends it is no error.
 */
static bool
is_interruption(const Attempt *attempt, const ErrorData *error)
{
	return attempt->limit_ms == 0 && ERRCODE_TO_CATEGORY(error->sqlerrcode) == ERRCODE_OPERATOR_INTERVENTION &&
		error->funcname && strcmp(error->funcname, "ProcessInterrupts") == 0;
}

/* Runs it in a subtransaction; the error's message, or NULL. */
static char *
attempt_error(Attempt *attempt)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	int			n = list_length(attempt->works);
	DdbCursor  *before = palloc_array(DdbCursor, n);
	char	   *message = NULL;

	for (int i = 0; i < n; i++)
		before[i] = copy_cursor(((DdbWork *) list_nth(attempt->works, i))->cursor);
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	PG_TRY();
	{
		run_limited(attempt);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		if (is_interruption(attempt, error))
			PG_RE_THROW();
		FlushErrorState();
		ddb_limit_end();
		RollbackAndReleaseCurrentSubTransaction();
		message = error->message;
		for (int i = 0; i < n; i++)
		{
			DdbWork    *work = list_nth(attempt->works, i);

			*work->cursor = before[i];
			work->entries = NULL;
		}
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return message;
}

/* What the index shows is getting old: it is closed to plain SELECT. */
static void
give_up(DdbWork *work)
{
	Relation	index;

	work->cursor->state = DDB_INDEX_INACTIVE;
	if (!ConditionalLockRelationOid(work->def.relid, ShareUpdateExclusiveLock))
		return;
	index = relation_open(work->def.relid, NoLock);
	if (RelationIsPopulated(index))
		SetMatViewPopulatedState(index, false);
	relation_close(index, NoLock);
}

static void
note_failure(DdbWork *work, DdbPass *pass, char *message)
{
	DdbCursor  *cursor = work->cursor;
	TimestampTz now = GetCurrentTimestamp();
	int			pause = pause_after(cursor->failures);

	ereport(LOG,
			(errmsg("index \"%s\" of table \"%s\" failed: %s", work->def.name,
					get_rel_name(work->table), message)));
	pass->failed = true;
	cursor->failures++;
	cursor->last_error = message;
	if (cursor->failing_since == 0)
		cursor->failing_since = now;
	cursor->retry_at = TimestampTzPlusMilliseconds(now, pause);
	if (TimestampDifferenceExceeds(cursor->failing_since, now, ddb_index_give_up * 1000))
		give_up(work);
}

/* Emptying an index builds those on it, with the user's functions in them. */
static bool
try_start(DdbWork *work, DdbPass *pass)
{
	Attempt		attempt = {.works = list_make1(work), .start = true};
	char	   *message;

	/* There is none to empty yet. */
	if (work->cursor == NULL)
		return start(work);
	attempt.limit_ms = attempt_limit(pass, work);
	message = attempt_error(&attempt);
	if (message == NULL)
		return attempt.complete;
	note_failure(work, pass, message);
	ddb_cursor_write(work->cursor);
	return false;
}

static void
note_success(List *works)
{
	ListCell   *lc;

	foreach(lc, works)
	{
		DdbCursor  *cursor = ((DdbWork *) lfirst(lc))->cursor;

		cursor->failures = 0;
		cursor->failing_since = cursor->retry_at = 0;
		cursor->last_error = NULL;
	}
}

/*
 * Applies what the log has for indexes with cursors of one position.  If they
 * fail together, each is tried alone, as briefly as one that has failed.
 */
static void
apply_group(List *works, const DdbView *view, DdbPass *pass, int limit_ms)
{
	Attempt		attempt = {.works = works, .view = view, .limit_ms = limit_ms};
	bool		begins = ((DdbWork *) linitial(works))->cursor->until.xmax == 0;
	char	   *message = attempt_error(&attempt);
	ListCell   *lc;

	if (message == NULL)
	{
		note_success(works);
		foreach(lc, works)
			tell(pass, lfirst(lc), (DdbFinding) {DDB_FOUND_BATCH, .seen = begins ? view->taken : 0,
				 .complete = attempt.complete, .rows = attempt.count});
		pass->applied += attempt.count;
		pass->more |= !attempt.complete;
	}
	else if (list_length(works) == 1)
		note_failure(linitial(works), pass, message);
	else
	{
		foreach(lc, works)
			apply_group(list_make1(lfirst(lc)), view, pass, Min(limit_ms, RETRY_MS));
	}
}

static void
backfill(DdbWork *work, const DdbView *view, DdbPass *pass)
{
	Attempt		attempt = {.works = list_make1(work), .view = view, .backfill = true,
	.limit_ms = attempt_limit(pass, work)};
	char	   *message;

	if (ddb_view_expired(view))
	{
		pass->more = true;
		return;
	}
	message = attempt_error(&attempt);
	if (message)
	{
		note_failure(work, pass, message);
		return;
	}
	note_success(attempt.works);
	pass->backfilled += attempt.count;
	if (!attempt.complete)
		pass->more = true;
	else if (!activate(work))
		pass->left_out++;
}

/* ----------------------------------------------------------------------
 * The pass
 * ---------------------------------------------------------------------- */

/* The logs' sizes, then the next transaction id, then the snapshot: see log.c. */
static void
take_view(DdbView *view, const DdbPass *pass)
{
	List	   *logs = ddb_logs();
	ListCell   *lc;

	memset(view, 0, sizeof(*view));
	view->logs = palloc_array(DdbLogSize, list_length(logs) + 1);
	foreach(lc, logs)
	{
		DdbLogSize *log = &view->logs[view->nlogs];

		log->log = lfirst_oid(lc);
		if (ddb_log_storage(log->log, &log->storage, &log->pages))
			view->nlogs++;
	}
	view->horizon = U64FromFullTransactionId(ReadNextFullTransactionId());
	view->taken = GetCurrentTimestamp();
	PushActiveSnapshot(GetTransactionSnapshot());
	view->ended = ddb_ended_from_snapshot(GetActiveSnapshot());
	if (pass->budget_ms > 0)
		view->deadline = TimestampTzPlusMilliseconds(GetCurrentTimestamp(), pass->budget_ms);
}

/* Those of the due works that could be locked, started where they must. */
static List *
take_works(List *due, DdbPass *pass)
{
	List	   *taken = NIL;
	ListCell   *lc;

	foreach(lc, due)
	{
		DdbWork    *work = lfirst(lc);

		if (!lock_work(work))
			pass->left_out++;
		else if (!must_start(work))
			taken = lappend(taken, work);
		else if (ddb_entries_whole(work->def.relid, &work->schema))
		{
			if (try_start(work, pass))
				taken = lappend(taken, work);
			else
				pass->left_out++;
		}
		else
			pass->restoring = true;
	}
	return taken;
}

/*
 * In a worker, an index that has failed has a pass of its own, and the next one
 * is the others'.  Returns those that this pass could take.
 */
static List *
choose_works(List *due, DdbPass *pass)
{
	List	   *sound = NIL;
	List	   *ailing = NIL;
	List	   *taken = NIL;
	ListCell   *lc;

	if (pass->budget_ms == 0)
		return take_works(due, pass);
	foreach(lc, due)
	{
		DdbWork    *work = lfirst(lc);

		if (work->cursor && work->cursor->failures > 0)
			ailing = lappend(ailing, work);
		else
			sound = lappend(sound, work);
	}
	pass->ailing = ailing != NIL && (sound == NIL || !pass->ailing);
	if (!pass->ailing)
	{
		pass->left_out += list_length(ailing);
		return take_works(sound, pass);
	}
	foreach(lc, ailing)
	{
		if (taken == NIL)
			taken = take_works(list_make1(lfirst(lc)), pass);
	}
	pass->more = sound != NIL;
	return taken;
}

static void
apply_groups(List *works, const DdbView *view, DdbPass *pass)
{
	while (works)
	{
		const char *position = ((DdbWork *) linitial(works))->cursor->position;
		List	   *group = NIL;
		List	   *rest = NIL;
		ListCell   *lc;

		foreach(lc, works)
		{
			DdbWork    *work = lfirst(lc);

			if (strcmp(work->cursor->position, position) == 0)
				group = lappend(group, work);
			else
				rest = lappend(rest, work);
		}
		apply_group(group, view, pass, attempt_limit(pass, linitial(group)));
		works = rest;
	}
}

/* A cursor that has just been made stands at the view's snapshot. */
static void
place_new_cursors(List *works, const DdbView *view)
{
	ListCell   *lc;

	foreach(lc, works)
	{
		DdbCursor  *cursor = ((DdbWork *) lfirst(lc))->cursor;

		if (cursor->from.xmax == 0)
			ddb_cursor_start(cursor, view);
	}
}

static void
work_on(List *works, DdbPass *pass)
{
	DdbView		view;
	ListCell   *lc;

	take_view(&view, pass);
	place_new_cursors(works, &view);
	apply_groups(works, &view, pass);
	foreach(lc, works)
	{
		DdbWork    *work = lfirst(lc);

		if (work->cursor->state == DDB_INDEX_CREATING && work->cursor->retry_at == 0)
			backfill(work, &view, pass);
	}
	foreach(lc, works)
		ddb_cursor_write(((DdbWork *) lfirst(lc))->cursor);
	PopActiveSnapshot();
	CommandCounterIncrement();
}

static bool
has_pages(Oid table)
{
	Relation	rel = relation_open(table, NoLock);
	bool		has = RelationGetNumberOfBlocks(rel) > 0;

	relation_close(rel, NoLock);
	return has;
}

/*
 * Where the table has no page, no row of it is in anybody's doubt, for its lock
 * excludes writers: nothing is there to fill the index from.
 */
void
ddb_index_begin(Oid table, Oid index)
{
	DdbPass		pass = {0};
	DdbView		view;
	DdbWork		work;

	ddb_index_announce(table, index);
	if (has_pages(table) || IsolationUsesXactSnapshot() || !ddb_work_find(index, &work))
		return;
	work.cursor = ddb_cursor_read(index);
	if (work.cursor == NULL || !start(&work))
		return;
	take_view(&view, &pass);
	ddb_cursor_start(work.cursor, &view);
	(void) activate(&work);
	ddb_cursor_write(work.cursor);
	PopActiveSnapshot();
	CommandCounterIncrement();
}

static void
check_transaction(void)
{
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_ACTIVE_SQL_TRANSACTION),
				 errmsg("indexes are maintained in READ COMMITTED transactions only")));
	PreventCommandIfReadOnly("maintenance of indexes");
	PreventCommandIfParallelMode("maintenance of indexes");
	PreventCommandDuringRecovery("maintenance of indexes");
}

void
ddb_index_pass(DdbPass *pass)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "ddb pass",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	List	   *works;
	List	   *due = NIL;
	DdbWork    *previous = NULL;
	TimestampTz seen;
	ListCell   *lc;

	check_transaction();
	pass->more = pass->failed = pass->restoring = false;
	pass->applied = pass->backfilled = 0;
	pass->left_out = 0;
	pass->retry_at = 0;
	works = ddb_works_find(pass);
	pass->indexes = list_length(works);
	find_cursors(works);
	seen = GetCurrentTimestamp();
	PushActiveSnapshot(GetLatestSnapshot());
	foreach(lc, works)
	{
		DdbWork    *work = lfirst(lc);
		bool		is = is_due(work, previous, pass);

		tell(pass, work, (DdbFinding) {is ? DDB_FOUND_WORK : DDB_FOUND_NOTHING, .seen = seen});
		if (is)
			due = lappend(due, work);
		previous = work;
	}
	PopActiveSnapshot();
	due = choose_works(due, pass);
	if (due)
		work_on(due, pass);
	if (!pass->keep_logs)
		ddb_logs_turn();
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(context);
}
