/*-------------------------------------------------------------------------
 *
 * cursor.c
 *	  ddb.index_cursor: how far each index has followed its table.
 *
 * An index has applied the changes of exactly those transactions that had
 * ended by its cursor's snapshot.  The next batch is what a later snapshot
 * sees of the log and this one does not: however long a transaction runs, its
 * changes are in the first batch after its end, and hold up nobody else's.
 *
 * The row's lock is what keeps two sessions from working on one index; the
 * snapshot of a batch is taken after it.  The order of all locks is: base
 * table, index, cursor, snapshot.
 *
 * What the cursor says is believed while table and index have the storage it
 * knows.  TRUNCATE, CLUSTER, REFRESH and their like give new storage; then the
 * index starts again from nothing.  An index without a cursor, as after a
 * restore, starts so too.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "index/index_int.h"
#include "storage/procarray.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"

/* ----------------------------------------------------------------------
 * Snapshots as sets of transactions
 * ---------------------------------------------------------------------- */
static int
compare_xids(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a;
	uint64		y = *(const uint64 *) b;

	return (x > y) - (x < y);
}

bool
ddb_ended_contains(const DdbEnded *ended, uint64 xid)
{
	if (xid < ended->xmin)
		return true;
	if (xid >= ended->xmax)
		return false;
	return bsearch(&xid, ended->running, ended->n, sizeof(uint64), compare_xids) == NULL;
}

/* The whole of a transaction id that is not older than half of all there are. */
static uint64
whole_xid(TransactionId xid, FullTransactionId next)
{
	uint32		epoch = EpochFromFullTransactionId(next);

	if (xid > XidFromFullTransactionId(next))
		epoch--;
	return U64FromFullTransactionId(FullTransactionIdFromEpochAndXid(epoch, xid));
}

DdbEnded
ddb_ended_from_snapshot(Snapshot snapshot)
{
	FullTransactionId next = ReadNextFullTransactionId();
	TransactionId own = GetTopTransactionIdIfAny();
	DdbEnded	ended = {
		.xmin = whole_xid(snapshot->xmin, next),
		.xmax = whole_xid(snapshot->xmax, next),
		.running = palloc_array(uint64, snapshot->xcnt + 1),
	};

	for (uint32 i = 0; i < snapshot->xcnt; i++)
		ended.running[ended.n++] = whole_xid(snapshot->xip[i], next);
	if (TransactionIdIsValid(own))
	{
		uint64		xid = whole_xid(own, next);

		ended.running[ended.n++] = xid;
		ended.xmin = Min(ended.xmin, xid);
	}
	qsort(ended.running, ended.n, sizeof(uint64), compare_xids);
	return ended;
}

/* In the form of pg_snapshot, which wants them in order and below xmax. */
static void
add_ended(StringInfo out, const DdbEnded *ended)
{
	const char *separator = "";

	appendStringInfo(out, UINT64_FORMAT ":" UINT64_FORMAT ":", ended->xmin, ended->xmax);
	for (int i = 0; i < ended->n; i++)
	{
		if (ended->running[i] < ended->xmin || ended->running[i] >= ended->xmax ||
			(i > 0 && ended->running[i] == ended->running[i - 1]))
			continue;
		appendStringInfo(out, "%s" UINT64_FORMAT, separator, ended->running[i]);
		separator = ",";
	}
}

static DdbEnded
parse_ended(const char *text)
{
	DdbEnded	ended = {0};
	char	   *s;

	if (text == NULL)
		return ended;
	ended.xmin = strtou64(text, &s, 10);
	ended.xmax = strtou64(s + 1, &s, 10);
	ended.running = palloc_array(uint64, strlen(s) / 2 + 1);
	while (*s && s[1])
		ended.running[ended.n++] = strtou64(s + 1, &s, 10);
	return ended;
}

/* ----------------------------------------------------------------------
 * Places in the logs
 * ---------------------------------------------------------------------- */
static void
add_places(StringInfo out, const DdbCursor *cursor)
{
	for (int i = 0; i < cursor->nplaces; i++)
	{
		const DdbLogPlace *p = &cursor->places[i];

		appendStringInfo(out, "%s%u:%u:%u:%u:" UINT64_FORMAT ":%u", i > 0 ? "," : "", p->log,
						 p->storage, p->block, p->next, p->horizon, p->done);
	}
}

static void
parse_places(DdbCursor *cursor, const char *text)
{
	char	   *s = unconstify(char *, text);
	int			n = 1;

	for (const char *p = text; *p; p++)
		n += *p == ',';
	cursor->places = palloc0_array(DdbLogPlace, n);
	while (*s)
	{
		DdbLogPlace   *p = &cursor->places[cursor->nplaces++];

		p->log = strtoul(s, &s, 10);
		p->storage = strtoul(s + 1, &s, 10);
		p->block = strtoul(s + 1, &s, 10);
		p->next = strtoul(s + 1, &s, 10);
		p->horizon = strtou64(s + 1, &s, 10);
		p->done = strtoul(s + 1, &s, 10);
		if (*s)
			s++;
	}
}

DdbLogPlace *
ddb_cursor_place(DdbCursor *cursor, Oid log, Oid storage)
{
	DdbLogPlace   *place = NULL;

	for (int i = 0; i < cursor->nplaces && place == NULL; i++)
	{
		if (cursor->places[i].log == log)
			place = &cursor->places[i];
	}
	if (place == NULL)
	{
		cursor->places = cursor->places ?
			repalloc(cursor->places, sizeof(DdbLogPlace) * (cursor->nplaces + 1)) :
			palloc(sizeof(DdbLogPlace));
		place = &cursor->places[cursor->nplaces++];
		*place = (DdbLogPlace) {.log = log};
	}
	if (place->storage != storage)
		*place = (DdbLogPlace) {.log = log, .storage = storage};
	return place;
}

/* ----------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------- */
static const char *const state_names[] = {
	[DDB_INDEX_CREATING] = "CREATING",
	[DDB_INDEX_ACTIVE] = "ACTIVE",
	[DDB_INDEX_INACTIVE] = "INACTIVE",
};

/* The columns in the order of the table, whose definition gives their types. */
enum
{
	CURSOR_INDEX = 1, CURSOR_TABLE, CURSOR_INDEX_STORAGE, CURSOR_TABLE_STORAGE, CURSOR_STATE,
	CURSOR_FROM, CURSOR_UNTIL, CURSOR_PLACES, CURSOR_BACKFILL_KEY, CURSOR_BACKFILL_DONE,
	CURSOR_BACKFILL_TOTAL, CURSOR_ENTRIES, CURSOR_APPLIED, CURSOR_SKIPPED, CURSOR_FAILURES,
	CURSOR_FAILING_SINCE, CURSOR_RETRY_AT, CURSOR_LAST_ERROR,
	CURSOR_COLUMNS = CURSOR_LAST_ERROR
};

#define READ \
	"SELECT index_oid, table_oid, index_storage, table_storage, state, snapshot::text," \
	" until::text, places, backfill_key, backfill_done, backfill_total, entries, applied," \
	" skipped, failures, failing_since, retry_at, last_error FROM ddb.index_cursor"

/* A statement prepared once a session. */
static SPIPlanPtr
prepared(SPIPlanPtr *plan, const char *text, int nargs, Oid *types)
{
	if (*plan == NULL)
	{
		*plan = SPI_prepare(text, nargs, types);
		if (*plan == NULL || SPI_keepplan(*plan) != 0)
			elog(ERROR, "could not prepare: %s", text);
	}
	return *plan;
}

static int64
number_at(HeapTuple tuple, int number, int64 otherwise)
{
	bool		isnull;
	Datum		datum = SPI_getbinval(tuple, SPI_tuptable->tupdesc, number, &isnull);

	if (isnull)
		return otherwise;
	switch (SPI_gettypeid(SPI_tuptable->tupdesc, number))
	{
		case OIDOID:
			return DatumGetObjectId(datum);
		case INT4OID:
			return DatumGetInt32(datum);
		default:
			return DatumGetInt64(datum);
	}
}

static DdbIndexState
parse_state(const char *name)
{
	for (int i = 0; i < lengthof(state_names); i++)
	{
		if (strcmp(state_names[i], name) == 0)
			return i;
	}
	elog(ERROR, "unknown state of an index: %s", name);
}

/* Takes what SPI has returned, in the context that is current. */
static DdbCursor *
take_cursor(HeapTuple tuple)
{
	TupleDesc	desc = SPI_tuptable->tupdesc;
	DdbCursor  *c = palloc0(sizeof(DdbCursor));
	char	   *from = SPI_getvalue(tuple, desc, CURSOR_FROM);
	char	   *until = SPI_getvalue(tuple, desc, CURSOR_UNTIL);
	char	   *places = SPI_getvalue(tuple, desc, CURSOR_PLACES);
	bool		isnull;
	Datum		key = SPI_getbinval(tuple, desc, CURSOR_BACKFILL_KEY, &isnull);

	c->backfill_key = isnull ? NULL : DatumGetByteaPCopy(key);
	c->index = number_at(tuple, CURSOR_INDEX, 0);
	c->table = number_at(tuple, CURSOR_TABLE, 0);
	c->index_storage = number_at(tuple, CURSOR_INDEX_STORAGE, 0);
	c->table_storage = number_at(tuple, CURSOR_TABLE_STORAGE, 0);
	c->state = parse_state(SPI_getvalue(tuple, desc, CURSOR_STATE));
	c->from = parse_ended(from);
	c->until = parse_ended(until);
	parse_places(c, places);
	c->position = psprintf("%s %s %s", from ? from : "", until ? until : "", places);
	c->backfill_done = number_at(tuple, CURSOR_BACKFILL_DONE, 0);
	c->backfill_total = number_at(tuple, CURSOR_BACKFILL_TOTAL, -1);
	c->entries = number_at(tuple, CURSOR_ENTRIES, 0);
	c->applied = number_at(tuple, CURSOR_APPLIED, 0);
	c->skipped = number_at(tuple, CURSOR_SKIPPED, 0);
	c->failures = number_at(tuple, CURSOR_FAILURES, 0);
	c->failing_since = number_at(tuple, CURSOR_FAILING_SINCE, 0);
	c->retry_at = number_at(tuple, CURSOR_RETRY_AT, 0);
	c->last_error = SPI_getvalue(tuple, desc, CURSOR_LAST_ERROR);
	return c;
}

/*
 * Reads cursors as they are now, of InvalidOid all.  The rows go to the caller's
 * context.
 */
static List *
read_cursors(SPIPlanPtr *plan, const char *text, Oid index, bool read_only)
{
	MemoryContext context = CurrentMemoryContext;
	Oid			type = OIDOID;
	Datum		arg = ObjectIdGetDatum(index);
	DdbCatalogScope scope;
	List	   *cursors = NIL;
	MemoryContext spi;

	ddb_catalog_enter(&scope);
	/* In parallel mode no newer one may be taken; the leader's will do. */
	if (read_only)
		PushActiveSnapshot(IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot());
	if (SPI_execute_plan(prepared(plan, text, OidIsValid(index) ? 1 : 0, &type), &arg, NULL,
						 read_only, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read ddb.index_cursor");
	if (read_only)
		PopActiveSnapshot();
	spi = MemoryContextSwitchTo(context);
	for (uint64 i = 0; i < SPI_processed; i++)
		cursors = lappend(cursors, take_cursor(SPI_tuptable->vals[i]));
	MemoryContextSwitchTo(spi);
	ddb_catalog_leave(&scope);
	return cursors;
}

List *
ddb_cursors(void)
{
	static SPIPlanPtr plan = NULL;

	return read_cursors(&plan, READ " ORDER BY table_oid, index_oid", InvalidOid, true);
}

DdbCursor *
ddb_cursor_read(Oid index)
{
	static SPIPlanPtr plan = NULL;
	List	   *cursors = NIL;

	if (OidIsValid(index))
		cursors = read_cursors(&plan, READ " WHERE index_oid = $1", index, true);
	return cursors ? linitial(cursors) : NULL;
}

bool
ddb_cursor_lock(DdbCursor *cursor)
{
	static SPIPlanPtr plan = NULL;
	List	   *cursors = read_cursors(&plan, READ " WHERE index_oid = $1 FOR UPDATE SKIP LOCKED",
									   cursor->index, false);

	if (cursors == NIL)
		return false;
	*cursor = *(DdbCursor *) linitial(cursors);
	return true;
}

static Datum
text_or_null(const char *text, char *isnull)
{
	*isnull = text ? ' ' : 'n';
	return text ? CStringGetTextDatum(text) : (Datum) 0;
}

static Datum
ended_or_null(const DdbEnded *ended, char *isnull)
{
	StringInfoData text;

	if (ended->xmax == 0)
		return text_or_null(NULL, isnull);
	initStringInfo(&text);
	add_ended(&text, ended);
	return text_or_null(text.data, isnull);
}

/* Runs a statement that has a cursor's columns as its arguments. */
static uint64
run(SPIPlanPtr *plan, const char *text, const DdbCursor *c)
{
	static Oid	types[CURSOR_COLUMNS] = {
		OIDOID, OIDOID, OIDOID, OIDOID, TEXTOID, TEXTOID, TEXTOID, TEXTOID, BYTEAOID, INT8OID,
		INT8OID, INT8OID, INT8OID, INT8OID, INT4OID, TIMESTAMPTZOID, TIMESTAMPTZOID, TEXTOID
	};
	Datum		values[CURSOR_COLUMNS];
	char		nulls[CURSOR_COLUMNS];
	StringInfoData places;
	DdbCatalogScope scope;
	uint64		processed;

	ddb_catalog_enter(&scope);
	memset(nulls, ' ', sizeof(nulls));
	initStringInfo(&places);
	add_places(&places, c);
	values[CURSOR_INDEX - 1] = ObjectIdGetDatum(c->index);
	values[CURSOR_TABLE - 1] = ObjectIdGetDatum(c->table);
	values[CURSOR_INDEX_STORAGE - 1] = ObjectIdGetDatum(c->index_storage);
	values[CURSOR_TABLE_STORAGE - 1] = ObjectIdGetDatum(c->table_storage);
	values[CURSOR_STATE - 1] = CStringGetTextDatum(state_names[c->state]);
	values[CURSOR_FROM - 1] = ended_or_null(&c->from, &nulls[CURSOR_FROM - 1]);
	values[CURSOR_UNTIL - 1] = ended_or_null(&c->until, &nulls[CURSOR_UNTIL - 1]);
	values[CURSOR_PLACES - 1] = CStringGetTextDatum(places.data);
	values[CURSOR_BACKFILL_KEY - 1] = PointerGetDatum(c->backfill_key);
	nulls[CURSOR_BACKFILL_KEY - 1] = c->backfill_key ? ' ' : 'n';
	values[CURSOR_BACKFILL_DONE - 1] = Int64GetDatum(c->backfill_done);
	values[CURSOR_BACKFILL_TOTAL - 1] = Int64GetDatum(c->backfill_total);
	nulls[CURSOR_BACKFILL_TOTAL - 1] = c->backfill_total >= 0 ? ' ' : 'n';
	values[CURSOR_ENTRIES - 1] = Int64GetDatum(c->entries);
	values[CURSOR_APPLIED - 1] = Int64GetDatum(c->applied);
	values[CURSOR_SKIPPED - 1] = Int64GetDatum(c->skipped);
	values[CURSOR_FAILURES - 1] = Int32GetDatum(c->failures);
	values[CURSOR_FAILING_SINCE - 1] = TimestampTzGetDatum(c->failing_since);
	nulls[CURSOR_FAILING_SINCE - 1] = c->failing_since ? ' ' : 'n';
	values[CURSOR_RETRY_AT - 1] = TimestampTzGetDatum(c->retry_at);
	nulls[CURSOR_RETRY_AT - 1] = c->retry_at ? ' ' : 'n';
	values[CURSOR_LAST_ERROR - 1] = text_or_null(c->last_error, &nulls[CURSOR_LAST_ERROR - 1]);
	if (SPI_execute_plan(prepared(plan, text, CURSOR_COLUMNS, types), values, nulls, false, 0) < 0)
		elog(ERROR, "could not write ddb.index_cursor");
	processed = SPI_processed;
	ddb_catalog_leave(&scope);
	return processed;
}

bool
ddb_cursor_insert(DdbCursor *cursor)
{
	static SPIPlanPtr plan = NULL;

	return run(&plan, "INSERT INTO ddb.index_cursor VALUES ($1, $2, $3, $4, $5, $6::pg_snapshot,"
			   " $7::pg_snapshot, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)"
			   " ON CONFLICT DO NOTHING", cursor) == 1;
}

void
ddb_cursor_write(DdbCursor *cursor)
{
	static SPIPlanPtr plan = NULL;

	if (run(&plan, "UPDATE ddb.index_cursor SET table_oid = $2, index_storage = $3,"
			" table_storage = $4, state = $5, snapshot = $6::pg_snapshot,"
			" until = $7::pg_snapshot, places = $8, backfill_key = $9, backfill_done = $10,"
			" backfill_total = $11, entries = $12, applied = $13, skipped = $14, failures = $15,"
			" failing_since = $16, retry_at = $17, last_error = $18, applied_at = clock_timestamp()"
			" WHERE index_oid = $1", cursor) != 1)
		elog(ERROR, "the cursor of index %u is gone", cursor->index);
}

void
ddb_cursor_delete(Oid index)
{
	DdbCatalogScope scope;
	Oid			type = OIDOID;
	Datum		arg = ObjectIdGetDatum(index);

	ddb_catalog_enter(&scope);
	if (SPI_execute_with_args("DELETE FROM ddb.index_cursor WHERE index_oid = $1", 1, &type, &arg,
							  NULL, false, 0) != SPI_OK_DELETE)
		elog(ERROR, "could not delete from ddb.index_cursor");
	ddb_catalog_leave(&scope);
}

/* ----------------------------------------------------------------------
 * What others ask
 * ---------------------------------------------------------------------- */
bool
ddb_cursor_fits(const DdbCursor *cursor)
{
	return cursor->from.xmax != 0 &&
		cursor->index_storage == ddb_relation_storage(cursor->index) &&
		cursor->table_storage == ddb_relation_storage(cursor->table);
}

bool
ddb_cursor_follows(const DdbCursor *cursor)
{
	return cursor && cursor->state == DDB_INDEX_ACTIVE && ddb_cursor_fits(cursor);
}

DdbIndexState
ddb_index_state(Oid index)
{
	DdbCursor  *cursor = ddb_cursor_read(index);

	return cursor ? cursor->state : DDB_INDEX_CREATING;
}

int64
ddb_index_rows_behind(Oid index)
{
	DdbCursor  *cursor = ddb_cursor_read(index);
	int64		rows;

	/* The log is not kept for one that is INACTIVE. */
	if (cursor == NULL || cursor->state == DDB_INDEX_INACTIVE || cursor->from.xmax == 0)
		return -1;
	PushActiveSnapshot(GetLatestSnapshot());
	rows = ddb_apply_pending(cursor, 0, PG_UINT64_MAX, PG_INT64_MAX);
	PopActiveSnapshot();
	return rows;
}

bool
ddb_index_reached(Oid index, FullTransactionId xid)
{
	DdbCursor  *cursor = ddb_cursor_read(index);
	uint64		wanted = U64FromFullTransactionId(xid);
	bool		reached;

	if (!ddb_cursor_follows(cursor))
		return false;
	if (ddb_ended_contains(&cursor->from, wanted))
		return true;
	if (TransactionIdIsInProgress(XidFromFullTransactionId(xid)))
		return false;
	PushActiveSnapshot(GetLatestSnapshot());
	reached = ddb_apply_pending(cursor, wanted, wanted + 1, 1) == 0;
	PopActiveSnapshot();
	return reached;
}

int64
ddb_count_items(Oid table)
{
	DdbTableFacts facts;

	ddb_table_facts(table, &facts);
	return facts.item_count == 0 && facts.size_bytes > 0 ? -1 : facts.item_count;
}

void
ddb_index_announce(Oid table, Oid index)
{
	DdbCursor	cursor = {.index = index, .table = table};

	cursor.backfill_total = ddb_count_items(table);

	(void) ddb_cursor_insert(&cursor);
	ddb_index_has_work();
}

void
ddb_index_rebuild(Oid index)
{
	DdbCatalogScope scope;
	Oid			type = OIDOID;
	Datum		arg = ObjectIdGetDatum(index);

	ddb_catalog_enter(&scope);
	if (SPI_execute_with_args("UPDATE ddb.index_cursor SET index_storage = 0, state = 'CREATING',"
							  " failures = 0, failing_since = NULL, retry_at = NULL"
							  " WHERE index_oid = $1", 1, &type, &arg, NULL, false,
							  0) != SPI_OK_UPDATE)
		elog(ERROR, "could not write ddb.index_cursor");
	ddb_catalog_leave(&scope);
	ddb_index_has_work();
}
