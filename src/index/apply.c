/*-------------------------------------------------------------------------
 *
 * apply.c
 *	  Making entries match their items.
 *
 * A batch is what the new snapshot sees of the log and the cursor's does not,
 * read in chunks of bounded size.  Rows of a chunk are brought together by
 * item, and each item is read once, as it is now: its entry is put where it
 * belongs, and removed from wherever a row says it has been.  That is
 * idempotent, and right in whatever order and however often it is done:
 *
 *	- between two cursors an item's entry has stood under one key, or it was
 *	  moved, and each key it was moved from is in a row of the batch;
 *	- an item that is read later than the new cursor may already have moved on,
 *	  but then the row that tells so is in the next batch.
 *
 * For each index the changes of many items are gathered; then first all that
 * moved or went are removed, then all entries are put, both in the order of the
 * index.  An item has one entry in an index.  So where one was removed, or
 * the item is said to be new, none is looked for before the entry is put in;
 * should one stand there nevertheless (the item was removed and came back, or
 * a crash has us do it again), the key index tells, and it goes
 * (storage/entries_write.c).
 *
 * A batch that does not fit in the time there is goes on in another
 * transaction: the cursor remembers its end and the pages that were read.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xact.h"
#include "index/index_int.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* A chunk ends with the page that exceeds one of these. */
#define MAX_CHANGES		5000
#define MAX_BYTES		(4 * 1024 * 1024)

/* So much is gathered before it is done. */
#define GATHERED_BYTES	(8 * 1024 * 1024)

typedef struct Chunk
{
	MemoryContext context;
	int			n;
	int			max;
	Size		bytes;
	DdbLogRow  *rows;			/* in the context */
} Chunk;

bool
ddb_view_expired(const DdbView *view)
{
	return view->deadline != 0 && GetCurrentTimestamp() >= view->deadline;
}

/* What is opened lives as long as the work does, not as the item at hand. */
static void
open_entries(DdbWork *work)
{
	MemoryContext caller;

	if (work->entries)
		return;
	caller = MemoryContextSwitchTo(GetMemoryChunkContext(work));
	work->entries = ddb_entries_open(work->def.relid, &work->schema);
	MemoryContextSwitchTo(caller);
	if (work->entries == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("index \"%s\" has lost its key index", work->def.name)));
}

void
ddb_work_close(DdbWork *work)
{
	if (work->entries)
		ddb_entries_close(work->entries);
	work->entries = NULL;
}

/* ----------------------------------------------------------------------
 * Gathering
 * ---------------------------------------------------------------------- */
static void
forget_gathered(DdbGathering *gathering)
{
	ListCell   *lc;

	foreach(lc, gathering->works)
	{
		DdbWork    *work = lfirst(lc);

		work->nolds = work->max_olds = work->nputs = work->max_puts = work->item_olds = 0;
		work->olds = NULL;
		work->puts = NULL;
	}
	MemoryContextReset(gathering->context);
}

void
ddb_gather_begin(DdbGathering *gathering, List *works)
{
	gathering->works = works;
	gathering->context = AllocSetContextCreate(CurrentMemoryContext, "ddb gathered changes",
											   ALLOCSET_DEFAULT_SIZES);
	forget_gathered(gathering);
}

/* Room for one more in an array; what is there need not be initialised. */
static void *
grow(void *array, int n, int *max, Size size)
{
	if (n < *max)
		return array;
	*max = Max(16, *max * 2);
	return array ? repalloc(array, *max * size) : palloc(*max * size);
}

static bool
same_place(const DdbEntry *a, const DdbEntry *b)
{
	return ddb_value_equal(a->ipk, b->ipk) &&
		(!a->has_isk || ddb_value_equal(a->isk, b->isk));
}

/* The old keys of the item at hand; the key that its entry has now is none.  Was it among them? */
static bool
settle_olds(DdbWork *work, const DdbEntry *entry)
{
	int			n = work->item_olds;
	bool		back = false;

	for (int i = work->item_olds; i < work->nolds; i++)
	{
		if (entry && same_place(&work->olds[i].entry, entry))
			back = true;
		else
		{
			work->olds[n] = work->olds[i];
			work->olds[n++].of = entry ? work->nputs : -1;
		}
	}
	work->item_olds = work->nolds = n;
	return back;
}

void
ddb_gather_item(DdbWork *work, const DdbRecord *record, const uint8 *digest, bool is_new)
{
	DdbEntryPut *put;

	work->puts = grow(work->puts, work->nputs, &work->max_puts, sizeof(DdbEntryPut));
	put = &work->puts[work->nputs];
	if (!ddb_index_entry(&work->def, record, digest, &put->entry))
	{
		(void) settle_olds(work, NULL);
		return;
	}
	put->base = record->key;
	put->is_new = !settle_olds(work, &put->entry) && is_new;
	work->nputs++;
}

static void
write_gathered(DdbWork *work)
{
	if (work->nolds + work->nputs == 0)
		return;
	open_entries(work);
	if (work->nolds > 0)
		work->cursor->entries -= ddb_entries_remove(work->entries, work->olds, work->nolds);
	for (int i = 0; i < work->nolds; i++)
	{
		if (work->olds[i].found && work->olds[i].of >= 0)
			work->puts[work->olds[i].of].is_new = true;
	}
	if (work->nputs > 0)
		work->cursor->entries += ddb_entries_put(work->entries, work->puts, work->nputs);
}

static void
write_all(DdbGathering *gathering)
{
	ListCell   *lc;

	foreach(lc, gathering->works)
		write_gathered(lfirst(lc));
	forget_gathered(gathering);
}

void
ddb_gather_check(DdbGathering *gathering)
{
	if (MemoryContextMemAllocated(gathering->context, false) >= GATHERED_BYTES)
		write_all(gathering);
}

void
ddb_gather_end(DdbGathering *gathering)
{
	write_all(gathering);
	MemoryContextDelete(gathering->context);
}

/* ----------------------------------------------------------------------
 * One item
 * ---------------------------------------------------------------------- */

/*
 * The item as the active snapshot sees it, in memory of its own: an index
 * expression of the user's may end what the table keeps.
 */
static void
read_item(DdbWork *work, const DdbKey *key, DdbRecord *record)
{
	if (ddb_row_get(ddb_table_open(work->table, 0), key, record))
	{
		record->schema = &work->schema;
		record->key = *key;
		record->map = ddb_value_copy(record->map);
	}
}

/* A row has indexes in the order in which they are worked on; *at is where the next is expected. */
static DdbWork *
find_work(List *works, Oid index, int *at)
{
	int			n = list_length(works);

	for (int i = 0; i < n; i++)
	{
		int			here = (*at + i) % n;
		DdbWork    *work = list_nth(works, here);

		if (work->def.relid == index)
		{
			*at = here + 1;
			return work;
		}
	}
	return NULL;
}

static void
note_change(DdbWork *work, const DdbChange *change, const DdbKey *key, const uint8 *digest)
{
	work->concerned = true;
	work->olds = grow(work->olds, work->nolds, &work->max_olds, sizeof(DdbEntryRemoval));
	work->nolds += ddb_change_old(change, &work->def, &work->schema, key, digest,
								  &work->olds[work->nolds].entry);
}

/* Which indexes does a row concern, and where did their entries stand? */
static void
note_row(List *works, const DdbLogRow *row, const DdbKey *key, const uint8 *digest)
{
	DdbChange	change;
	int			at = 0;
	ListCell   *lc;

	ddb_change_read(&change, row);
	if (change.n == 0)
	{
		foreach(lc, works)
		{
			DdbWork    *work = lfirst(lc);

			note_change(work, &change, key, digest);
			work->is_new |= ddb_change_is_insert(row);
		}
	}
	for (int i = 0; i < change.n; i++)
	{
		DdbWork    *work = find_work(works, ddb_change_index(&change, i), &at);

		if (work)
			note_change(work, &change, key, digest);
	}
}

/* An item with n rows, and its table's indexes. */
static void
apply_item(List *works, const DdbLogRow *rows, int n)
{
	DdbWork    *first = linitial(works);
	DdbRecord	record = {0};
	DdbKey		key;
	uint8		digest[DDB_ENTRY_DIGEST];
	ListCell   *lc;

	ddb_change_key(&first->schema, rows[0].key, rows[0].key_len, &key);
	ddb_key_digest(&first->schema, &key, digest);
	read_item(first, &key, &record);
	foreach(lc, works)
	{
		DdbWork    *work = lfirst(lc);

		work->concerned = work->is_new = false;
		work->cursor->applied += n;
	}
	for (int i = 0; i < n; i++)
		note_row(works, &rows[i], &key, digest);
	foreach(lc, works)
	{
		DdbWork    *work = lfirst(lc);

		if (work->concerned)
			ddb_gather_item(work, &record, digest, work->is_new);
	}
}

/* ----------------------------------------------------------------------
 * A chunk
 * ---------------------------------------------------------------------- */
static int
compare_rows(const void *a, const void *b)
{
	const DdbLogRow *x = a;
	const DdbLogRow *y = b;
	int			order = (x->table > y->table) - (x->table < y->table);

	if (order == 0)
		order = memcmp(x->key, y->key, Min(x->key_len, y->key_len));
	if (order == 0)
		order = (x->key_len > y->key_len) - (x->key_len < y->key_len);
	return order;
}

static List *
works_of(List *works, Oid table)
{
	List	   *of_table = NIL;
	ListCell   *lc;

	foreach(lc, works)
	{
		if (((DdbWork *) lfirst(lc))->table == table)
			of_table = lappend(of_table, lfirst(lc));
	}
	return of_table;
}

/* Applies sorted rows of one table, as its owner. */
static void
apply_table(List *works, const DdbLogRow *rows, int nrows)
{
	DdbGathering gathering;
	MemoryContext caller;
	DdbOwnerScope scope;
	int			n;

	ddb_owner_enter(&scope, ((DdbWork *) linitial(works))->owner);
	ddb_gather_begin(&gathering, works);
	caller = MemoryContextSwitchTo(gathering.context);
	for (int i = 0; i < nrows; i += n)
	{
		CHECK_FOR_INTERRUPTS();
		for (n = 1; i + n < nrows && compare_rows(&rows[i], &rows[i + n]) == 0;)
			n++;
		apply_item(works, &rows[i], n);
		ddb_gather_check(&gathering);
	}
	MemoryContextSwitchTo(caller);
	ddb_gather_end(&gathering);
	ddb_owner_leave(&scope);
}

static void
apply_chunk(List *works, Chunk *chunk, int64 *applied)
{
	int			n;

	qsort(chunk->rows, chunk->n, sizeof(DdbLogRow), compare_rows);
	for (int i = 0; i < chunk->n; i += n)
	{
		for (n = 1; i + n < chunk->n && chunk->rows[i + n].table == chunk->rows[i].table;)
			n++;
		apply_table(works_of(works, chunk->rows[i].table), &chunk->rows[i], n);
	}
	*applied += chunk->n;
}

/* ----------------------------------------------------------------------
 * A batch
 * ---------------------------------------------------------------------- */
static void
chunk_clear(Chunk *chunk)
{
	MemoryContextReset(chunk->context);
	chunk->n = chunk->max = 0;
	chunk->bytes = 0;
	chunk->rows = NULL;
}

static void
chunk_add(Chunk *chunk, const DdbLogRow *row)
{
	MemoryContext caller = MemoryContextSwitchTo(chunk->context);
	uint8	   *bytes = palloc(row->key_len + row->old_len + 1);
	DdbLogRow  *copy;

	if (chunk->n == chunk->max)
	{
		chunk->max = Max(64, chunk->max * 2);
		chunk->rows = chunk->rows ? repalloc(chunk->rows, sizeof(DdbLogRow) * chunk->max) :
			palloc(sizeof(DdbLogRow) * chunk->max);
	}
	copy = &chunk->rows[chunk->n++];
	*copy = *row;
	copy->key = bytes;
	memcpy(bytes, row->key, row->key_len);
	if (row->old)
	{
		copy->old = bytes + row->key_len;
		memcpy(bytes + row->key_len, row->old, row->old_len);
	}
	chunk->bytes += row->key_len + row->old_len + sizeof(DdbLogRow);
	MemoryContextSwitchTo(caller);
}

static bool
chunk_full(const Chunk *chunk)
{
	return chunk->n >= MAX_CHANGES || chunk->bytes >= MAX_BYTES;
}

static bool
concerns_works(List *works, Oid table)
{
	ListCell   *lc;

	foreach(lc, works)
	{
		if (((DdbWork *) lfirst(lc))->table == table)
			return true;
	}
	return false;
}

/*
 * Reads a log from where the batch left off.  Full chunks are applied on the
 * way; false when time is over.
 */
static bool
read_log(List *works, const DdbCursor *cursor, DdbLogPlace *place, Chunk *chunk,
		 const DdbView *view, int64 *applied)
{
	BlockNumber first = Max(place->block, place->done);
	BlockNumber page;
	BlockNumber last = InvalidBlockNumber;
	Oid			storage = place->storage;
	BlockNumber begin = first;
	DdbLogScan *scan = ddb_log_scan(place->log, &storage, &begin, GetActiveSnapshot());
	DdbLogRow	row;
	bool		in_time = true;

	if (storage != place->storage || begin < first)
		*place = (DdbLogPlace) {.log = place->log, .storage = storage};
	while (scan && in_time && ddb_log_next(scan, &row, &page))
	{
		if (page != last && chunk_full(chunk))
		{
			apply_chunk(works, chunk, applied);
			chunk_clear(chunk);
			CommandCounterIncrement();
			place->done = page;
			in_time = !ddb_view_expired(view);
		}
		last = page;
		if (in_time && !ddb_ended_contains(&cursor->from, row.xid) &&
			ddb_ended_contains(&cursor->until, row.xid) && concerns_works(works, row.table))
			chunk_add(chunk, &row);
	}
	if (scan)
		ddb_log_scan_end(scan);
	if (in_time)
		place->done = InvalidBlockNumber;
	return in_time;
}

/* The batch is complete: what the cursor says from now on. */
static void
advance(DdbCursor *cursor, const DdbView *view)
{
	for (int i = 0; i < view->nlogs; i++)
	{
		const DdbLogSize *log = &view->logs[i];
		DdbLogPlace   *place = ddb_cursor_place(cursor, log->log, log->storage);

		place->done = 0;
		if (place->horizon > cursor->until.xmin)
			continue;
		if (place->horizon != 0)
			place->block = place->next;
		place->next = log->pages > 0 ? log->pages - 1 : 0;
		place->horizon = view->horizon;
	}
	cursor->from = cursor->until;
	cursor->until = (DdbEnded) {0};
}

void
ddb_cursor_start(DdbCursor *cursor, const DdbView *view)
{
	cursor->until = view->ended;
	advance(cursor, view);
	cursor->position = "";
}

/* Cursors of one position move together. */
static void
copy_position(List *works, const DdbCursor *from)
{
	ListCell   *lc;

	foreach(lc, works)
	{
		DdbCursor  *cursor = ((DdbWork *) lfirst(lc))->cursor;

		if (cursor == from)
			continue;
		cursor->from = from->from;
		cursor->until = from->until;
		cursor->nplaces = from->nplaces;
		cursor->places = palloc_array(DdbLogPlace, from->nplaces + 1);
		memcpy(cursor->places, from->places, sizeof(DdbLogPlace) * from->nplaces);
	}
}

bool
ddb_apply(List *works, const DdbView *view, int64 *applied)
{
	DdbCursor  *cursor = ((DdbWork *) linitial(works))->cursor;
	Chunk		chunk = {0};
	bool		complete = true;
	ListCell   *lc;

	chunk.context = AllocSetContextCreate(CurrentMemoryContext, "ddb chunk",
										  ALLOCSET_DEFAULT_SIZES);
	if (cursor->until.xmax == 0)
		cursor->until = view->ended;
	for (int i = 0; complete && i < view->nlogs; i++)
	{
		DdbLogPlace   *place = ddb_cursor_place(cursor, view->logs[i].log, view->logs[i].storage);

		if (place->done != InvalidBlockNumber)
			complete = read_log(works, cursor, place, &chunk, view, applied);
	}
	apply_chunk(works, &chunk, applied);
	CommandCounterIncrement();
	if (complete)
		advance(cursor, view);
	copy_position(works, cursor);
	foreach(lc, works)
		ddb_work_close(lfirst(lc));
	MemoryContextDelete(chunk.context);
	return complete;
}

int64
ddb_apply_pending(const DdbCursor *cursor, uint64 first, uint64 end, int64 limit)
{
	int64		rows = 0;
	ListCell   *lc;

	foreach(lc, ddb_logs())
	{
		Oid			log = lfirst_oid(lc);
		BlockNumber block = 0;
		Oid			storage = InvalidOid;
		BlockNumber page;
		DdbLogScan *scan;
		DdbLogRow	row;

		for (int i = 0; i < cursor->nplaces; i++)
		{
			if (cursor->places[i].log == log)
			{
				storage = cursor->places[i].storage;
				block = cursor->places[i].block;
			}
		}
		scan = rows < limit ? ddb_log_scan(log, &storage, &block, GetActiveSnapshot()) : NULL;
		while (scan && rows < limit && ddb_log_next(scan, &row, &page))
			rows += row.table == cursor->table && row.xid >= first && row.xid < end &&
				!ddb_ended_contains(&cursor->from, row.xid);
		if (scan)
			ddb_log_scan_end(scan);
	}
	return rows;
}
