/*-------------------------------------------------------------------------
 *
 * capture.c
 *	  Telling the observer what became of a row.
 *
 * Whether a relation is observed is one of its facts, so a table that nobody
 * watches pays for reading one flag.  The old row is fetched only for those
 * that are, after the change has succeeded: until the transaction ends no one
 * can prune it.
 *
 * The observer works in a memory context of ours that is reset row by row, for
 * a COPY calls it millions of times in one and the same context.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "storage/bufmgr.h"
#include "storage/storage_int.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

static const DdbRowObserver *observer = NULL;

void
ddb_observe_rows(const DdbRowObserver *new_observer)
{
	observer = new_observer;
}

bool
ddb_capture_wanted(Oid relid)
{
	return observer && observer->wanted(relid);
}

void
ddb_raise_refresh(Oid index)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot refresh secondary index \"%s\" concurrently", get_rel_name(index)),
			 errhint("No refresh is needed; REFRESH MATERIALIZED VIEW without CONCURRENTLY has the index filled anew.")));
}

void
ddb_capture_refuse_refresh(Oid relid)
{
	if (observer && observer->is_index(relid))
		ddb_raise_refresh(relid);
}

bool
ddb_capture_closed(Oid index)
{
	return observer && observer->closed(index);
}

/* ----------------------------------------------------------------------
 * With records at hand
 * ---------------------------------------------------------------------- */

/* An empty context to work in; returns the caller's. */
static MemoryContext
enter(void)
{
	static MemoryContext context = NULL;

	if (context == NULL)
		context = AllocSetContextCreate(TopMemoryContext, "ddb capture", ALLOCSET_DEFAULT_SIZES);
	if (!context->isReset)
		MemoryContextReset(context);
	return MemoryContextSwitchTo(context);
}

bool
ddb_capture_check(Oid relid, const DdbRecord *old, const DdbRecord *row, DdbRowNotes *notes)
{
	MemoryContext caller = enter();

	bool		tell = observer->check(relid, old, row, notes);

	MemoryContextSwitchTo(caller);
	return tell;
}

void
ddb_capture_changed(Oid relid, const DdbRecord *old, const DdbRecord *new,
					const DdbRowNotes *notes)
{
	MemoryContext caller = enter();

	observer->changed(relid, old, new, notes);
	MemoryContextSwitchTo(caller);
}

void
ddb_capture_emptied(void)
{
	if (observer)
		observer->emptied();
}

/* ----------------------------------------------------------------------
 * From rows as the access method has them
 * ---------------------------------------------------------------------- */

/* Sets one of a record's parts from a column. */
static void
set_part(DdbRecord *record, const DdbFacts *facts, AttrNumber attno, Datum datum, bool isnull)
{
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NOT_NULL_VIOLATION),
				 errmsg("a row of a ddb table has a null")));
	if (attno == facts->item)
		record->map = ddb_item_map((DdbItem *) PG_DETOAST_DATUM_PACKED(datum));
	else
	{
		int			which = attno == facts->sk ? 1 : 0;

		record->key.values[which] = ddb_key_from_datum(facts->schema.attr[which].type, datum);
	}
}

static void
slot_record(DdbRecord *record, const DdbFacts *facts, TupleTableSlot *slot)
{
	AttrNumber	attnos[3] = {facts->pk, facts->sk, facts->item};

	record->schema = &facts->schema;
	for (int i = 0; i < 3; i++)
	{
		bool		isnull;
		Datum		datum;

		if (attnos[i] == InvalidAttrNumber)
			continue;
		datum = slot_getattr(slot, attnos[i], &isnull);
		set_part(record, facts, attnos[i], datum, isnull);
	}
}

static void
tuple_record(DdbRecord *record, const DdbFacts *facts, HeapTuple tuple, TupleDesc desc)
{
	AttrNumber	attnos[3] = {facts->pk, facts->sk, facts->item};

	record->schema = &facts->schema;
	for (int i = 0; i < 3; i++)
	{
		bool		isnull;
		Datum		datum;

		if (attnos[i] == InvalidAttrNumber)
			continue;
		datum = heap_getattr(tuple, attnos[i], desc, &isnull);
		set_part(record, facts, attnos[i], datum, isnull);
	}
}

void
ddb_capture_check_slot(Relation rel, const DdbFacts *facts, TupleTableSlot *slot)
{
	MemoryContext caller = enter();
	DdbRecord	record;

	slot_record(&record, facts, slot);
	(void) observer->check(RelationGetRelid(rel), NULL, &record, NULL);
	MemoryContextSwitchTo(caller);
}

void
ddb_capture_inserted(Relation rel, const DdbFacts *facts, TupleTableSlot *slot)
{
	MemoryContext caller = enter();
	DdbRecord	record;

	slot_record(&record, facts, slot);
	observer->changed(RelationGetRelid(rel), NULL, &record, NULL);
	MemoryContextSwitchTo(caller);
}

void
ddb_capture_replaced(Relation rel, const DdbFacts *facts, ItemPointer tid, TupleTableSlot *slot)
{
	MemoryContext caller = enter();
	HeapTupleData tuple;
	Buffer		buffer;
	DdbRecord	old;
	DdbRecord	new;

	tuple.t_self = *tid;
	if (!heap_fetch(rel, SnapshotAny, &tuple, &buffer, false))
		elog(ERROR, "could not read the row that was changed");
	tuple_record(&old, facts, &tuple, RelationGetDescr(rel));
	if (slot)
		slot_record(&new, facts, slot);
	observer->changed(RelationGetRelid(rel), &old, slot ? &new : NULL, NULL);
	ReleaseBuffer(buffer);
	MemoryContextSwitchTo(caller);
}
