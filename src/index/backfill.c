/*-------------------------------------------------------------------------
 *
 * backfill.c
 *	  Filling an index from its table.
 *
 * The table is visited once, in key order, in pieces between which the log is
 * applied.  A piece reads the items as they are now and puts their entries; a
 * change that comes later is in the log, for the cursor was placed before the
 * first piece, so nothing newer is overwritten: both write what the item is.
 * The last key visited is in the cursor, so a crash costs one piece.
 *
 * An item whose key attributes the index cannot take (it was written before
 * the index came) is left out and counted.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xact.h"
#include "index/index_int.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Items of a piece; the time is looked at after each. */
#define PIECE 500

/* Keeps the key as the log has it. */
static bytea *
key_bytes(const DdbKeySchema *schema, const DdbKey *key)
{
	uint16		len = key->values[0].len;
	uint32		sort_len = schema->nkeys == 2 ? key->values[1].len : 0;
	Size		size = VARHDRSZ + sizeof(len) + len + sort_len;
	bytea	   *bytes = palloc(size);
	char	   *p = VARDATA(bytes);

	SET_VARSIZE(bytes, size);
	memcpy(p, &len, sizeof(len));
	memcpy(p + sizeof(len), key->values[0].data, len);
	if (sort_len > 0)
		memcpy(p + sizeof(len) + len, key->values[1].data, sort_len);
	return bytes;
}

/* What is put has mostly not been there: the log brings only what changes meanwhile. */
static void
visit(DdbWork *work, const DdbRecord *record)
{
	DdbRecord	item = *record;
	uint8		digest[DDB_ENTRY_DIGEST];

	item.schema = &work->schema;
	item.map = ddb_value_copy(record->map);
	for (int k = 0; k < work->schema.nkeys; k++)
		item.key.values[k] = ddb_value_copy(record->key.values[k]);
	if (!ddb_index_accepts(&work->def, &item))
		work->cursor->skipped++;
	ddb_key_digest(item.schema, &item.key, digest);
	ddb_gather_item(work, &item, digest, true);
	work->cursor->backfill_done++;
}

/* Visits the next items; false when there are no more. */
static bool
piece(DdbWork *work, int64 *visited)
{
	MemoryContext outer = CurrentMemoryContext;
	DdbGathering gathering;
	DdbTable   *table = ddb_table_open(work->table, 0);
	DdbCursor  *cursor = work->cursor;
	DdbPlace	after;
	DdbScan    *scan;
	DdbRecord	record;
	int			n = 0;

	if (cursor->backfill_key)
	{
		ddb_change_key(&work->schema, (uint8 *) VARDATA_ANY(cursor->backfill_key),
					   VARSIZE_ANY_EXHDR(cursor->backfill_key), &after.key);
		after.partition = after.key.values[0];
		after.sort = after.key.values[1];
	}
	ddb_gather_begin(&gathering, list_make1(work));
	scan = ddb_scan_segment(table, NULL, 0, 1, cursor->backfill_key ? &after : NULL);
	while (n < PIECE && ddb_scan_next(scan, &record))
	{
		CHECK_FOR_INTERRUPTS();
		n++;
		if (n == PIECE)
			cursor->backfill_key = key_bytes(&work->schema, &record.key);
		MemoryContextSwitchTo(gathering.context);
		visit(work, &record);
		MemoryContextSwitchTo(outer);
		ddb_gather_check(&gathering);
	}
	ddb_gather_end(&gathering);
	ddb_scan_end(scan);
	CommandCounterIncrement();
	*visited += n;
	return n == PIECE;
}

bool
ddb_backfill(DdbWork *work, const DdbView *view, int64 *visited)
{
	DdbOwnerScope scope;
	bool		more = true;

	ddb_owner_enter(&scope, work->owner);
	while (more)
	{
		more = piece(work, visited);
		if (more && ddb_view_expired(view))
			break;
	}
	ddb_work_close(work);
	ddb_owner_leave(&scope);
	return !more;
}
