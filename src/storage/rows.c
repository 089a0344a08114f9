/*-------------------------------------------------------------------------
 *
 * rows.c
 *	  One row: get, write, lock.
 *
 * A write is optimistic.  It finds the newest version (lookup.c), lets the
 * caller decide on it, and swaps it; if another writer came between, it looks
 * and decides again.  heap_update() itself makes sure that what it replaces is
 * still the newest, so no row lock is taken first.
 *
 * A new key.  Two writers that both found nothing may both insert: the unique
 * index decides.  It is asked to tell rather than to raise
 * (UNIQUE_CHECK_PARTIAL); the one who is told of a conflict deletes what it
 * inserted and starts again, and finds and waits for the other.  So two
 * unconditional writes both succeed under any interleaving, against SQL's
 * INSERT too (which, as ever, gets 23505 when it loses).  A short lock on the
 * key, from before the insertion to just after it, keeps ddb's writers from
 * making and deleting versions for nothing, and is what ddb_row_lock() holds
 * to the end of the transaction to keep an item absent.  It is never held
 * while waiting for anything.  The access method does not take it for SQL's
 * INSERT and COPY: a lock for each row would cost them a tenth and more, and a
 * row that SQL inserts beside a transaction that found it absent is the same as
 * one inserted after it; if the transaction goes on to write that key itself,
 * the unique index makes it wait and decide again.
 *
 * Isolation.  READ COMMITTED decides on the newest version.  Above it, the
 * look with the transaction's snapshot comes first, through the index (which
 * takes the predicate locks, on absence too), and 40001 is raised when the
 * newest version is not the one the snapshot sees.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "storage/storage_int.h"
#include "utils/snapmgr.h"

/* ----------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------- */

/* The item of the row in the slot, as it lies. */
static inline struct varlena *
slot_item(DdbTable *table)
{
	HeapTuple	tuple = ExecFetchSlotHeapTuple(table->slot, false, NULL);
	DdbColumnValues values;

	if (unlikely(!ddb_read_columns(tuple, &table->facts, RelationGetDescr(table->heap), &values)))
		ddb_raise_null();
	return (struct varlena *) DatumGetPointer(values.item);
}

static inline struct varlena *
detoasted(DdbTable *table, struct varlena *item)
{
	MemoryContext caller;

	if (likely(!VARATT_IS_EXTERNAL(item) && !VARATT_IS_COMPRESSED(item)))
		return item;
	caller = MemoryContextSwitchTo(table->row_context);
	item = pg_detoast_datum_packed(item);
	MemoryContextSwitchTo(caller);
	return item;
}

/* The row's item in memory of the table's, so that the page can be let go. */
static inline struct varlena *
copied(DdbTable *table, struct varlena *item)
{
	Size		size = VARSIZE_ANY(item);

	if (unlikely(size > table->row_size))
	{
		table->row_size = Max(1024, size * 2);
		if (table->row)
			pfree(table->row);
		table->row = MemoryContextAlloc(table->context, table->row_size);
	}
	memcpy(table->row, item, size);
	return (struct varlena *) table->row;
}

/* The record of the row in the slot, good while the slot holds it. */
const DdbRecord *
ddb_slot_record(DdbTable *table)
{
	table->record.map = ddb_item_map(detoasted(table, slot_item(table)));
	return &table->record;
}

bool
ddb_row_get(DdbTable *table, const DdbKey *key, DdbRecord *record)
{
	struct varlena *item;
	struct varlena *flat;

	ddb_table_ready(table);
	if (table->row_security)
		return ddb_exec_get(table, key, record);

	ddb_lookup_key(table, key);
	if (!ddb_lookup(table, GetActiveSnapshot()))
	{
		ddb_lookup_end(table);
		record->schema = NULL;
		return false;
	}
	item = slot_item(table);
	flat = detoasted(table, item);
	table->record.map = ddb_item_map(flat == item ? copied(table, item) : flat);
	ddb_lookup_end(table);
	*record = table->record;
	return true;
}

/* ----------------------------------------------------------------------
 * Isolation
 * ---------------------------------------------------------------------- */
static void
raise_serialization_failure(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not serialize access due to concurrent update")));
}

/*
 * ddb_lookup_newest(), and above READ COMMITTED the demand that the
 * transaction's snapshot sees that version.
 */
bool
ddb_look(DdbTable *table, DdbNeighbours *neighbours)
{
	ItemPointerData seen_tid;
	bool		seen;
	bool		found;

	if (!IsolationUsesXactSnapshot())
		return ddb_lookup_newest(table, neighbours);

	seen = ddb_lookup(table, GetTransactionSnapshot());
	if (seen)
		seen_tid = table->slot->tts_tid;
	ddb_lookup_end(table);
	found = ddb_lookup_newest(table, neighbours);
	if (found != seen || (found && !ItemPointerEquals(&seen_tid, &table->slot->tts_tid)))
		raise_serialization_failure();
	return found;
}

/* Did the change of the version found succeed?  False: look again. */
static bool
succeeded(TM_Result result)
{
	switch (result)
	{
		case TM_Ok:
			return true;
		case TM_Updated:
		case TM_Deleted:
			if (IsolationUsesXactSnapshot())
				raise_serialization_failure();
			return false;
		default:
			elog(ERROR, "unexpected result %d of changing a row", (int) result);
	}
	pg_unreachable();
}

/* ----------------------------------------------------------------------
 * Key locks
 * ---------------------------------------------------------------------- */

/*
 * The class of our advisory locks.  PostgreSQL's own functions use 1 and 2,
 * other extensions small numbers.
 */
#define KEY_LOCK_CLASS 0x0DDB

static void
set_key_lock(LOCKTAG *tag, const DdbTable *table)
{
	uint64		hash = table->relid;

	for (int k = 0; k < table->facts.schema.nkeys; k++)
	{
		hash ^= (uint64) ddb_datum_hash(table->facts.schema.attr[k].type, table->key[k]);
		hash = (hash ^ (hash >> 32)) * UINT64CONST(0x9E3779B185EBCA87);
	}
	SET_LOCKTAG_ADVISORY(*tag, MyDatabaseId, (uint32) (hash >> 32), (uint32) hash,
						 KEY_LOCK_CLASS);
}

/*
 * Takes the key's lock without waiting for it while it is held: false after a
 * wait, when the row must be looked for again.
 */
static bool
key_lock(const LOCKTAG *tag)
{
	if (LockAcquire(tag, ExclusiveLock, false, true) != LOCKACQUIRE_NOT_AVAIL)
		return true;
	(void) LockAcquire(tag, ExclusiveLock, false, false);
	LockRelease(tag, ExclusiveLock, false);
	return false;
}

/* ----------------------------------------------------------------------
 * Writing
 * ---------------------------------------------------------------------- */

static inline void
set_column(TupleTableSlot *slot, AttrNumber attno, Datum value)
{
	slot->tts_values[attno - 1] = value;
	slot->tts_isnull[attno - 1] = false;
}

/* The row to be written, in new_slot. */
static void
form_row(DdbTable *table, DdbValue rest)
{
	TupleTableSlot *slot = table->new_slot;
	const DdbFacts *facts = &table->facts;

	ExecClearTuple(slot);
	/* Columns that were dropped are null. */
	memset(slot->tts_isnull, true, sizeof(bool) * slot->tts_tupleDescriptor->natts);
	set_column(slot, facts->pk, table->key[0]);
	if (facts->sk)
		set_column(slot, facts->sk, table->key[1]);
	set_column(slot, facts->item, PointerGetDatum(ddb_item_from_map(rest)));
	ExecStoreVirtualTuple(slot);
}

/*
 * Makes the new row's entries in all indexes; the executor does it where
 * there are others than the key index.  Their expressions may run anything,
 * so the table is held.  False: the key is not unique.
 */
static bool
insert_into_all_indexes(DdbTable *table, bool update)
{
	EState	   *estate = CreateExecutorState();
	ResultRelInfo *result = makeNode(ResultRelInfo);
	List	   *arbiters = list_make1_oid(table->facts.key_index);
	bool		conflict = false;

	ddb_table_hold(table);
	InitResultRelInfo(result, table->heap, 0, NULL, 0);
	ExecOpenIndices(result, false);
	ddb_exec_insert_index_tuples(result, table->new_slot, estate, update, &conflict, arbiters);
	ExecCloseIndices(result);
	ddb_table_let_go(table);
	FreeExecutorState(estate);
	return !conflict;
}

static bool
insert_into_indexes(DdbTable *table, bool update)
{
	bool		isnull[2] = {false, false};

	if (table->facts.other_indexes)
		return insert_into_all_indexes(table, update);
	return index_insert(table->index, table->key, isnull, &table->new_slot->tts_tid, table->heap,
						update ? UNIQUE_CHECK_YES : UNIQUE_CHECK_PARTIAL, update,
						table->index_info) || update;
}

/* Heap's own deletion, of which the observer, if any, is told here. */
static TM_Result
delete_version(Relation rel, ItemPointer tid)
{
	TM_FailureData failure;

	return GetHeapamTableAmRoutine()->tuple_delete(rel, tid, GetCurrentCommandId(true),
												   InvalidSnapshot, InvalidSnapshot, true,
												   &failure, false);
}

/* Takes back the row just inserted: another has the key. */
static void
take_back(DdbTable *table)
{
	ItemPointerData tid = table->new_slot->tts_tid;

	CommandCounterIncrement();
	if (delete_version(table->heap, &tid) != TM_Ok)
		elog(ERROR, "could not take back a row");
}

static bool
insert_row(DdbTable *table, DdbValue rest, const DdbNeighbours *neighbours)
{
	DdbRecord	new = {&table->facts.schema, table->record.key, rest};
	DdbRowNotes notes = {0};
	LOCKTAG		tag;
	bool		unique;
	bool		tell = false;

	ddb_key_check_entry(&table->facts.schema, table->key);
	if (unlikely(table->facts.observed))
		tell = ddb_capture_check(table->relid, NULL, &new, &notes);
	form_row(table, rest);
	set_key_lock(&tag, table);
	if (!key_lock(&tag))
		return false;
	ddb_place_insert(table->heap, &table->facts, table->new_slot, GetCurrentCommandId(true), 0, NULL,
					 0, neighbours);
	unique = insert_into_indexes(table, false);
	LockRelease(&tag, ExclusiveLock, false);
	if (!unique)
		take_back(table);
	else if (unlikely(tell))
		ddb_capture_changed(table->relid, NULL, &new, &notes);
	return unique;
}

static bool
update_row(DdbTable *table, const DdbRecord *old, const DdbStored *stored)
{
	DdbRecord	new = {old->schema, old->key, stored->rest};
	ItemPointerData tid = table->slot->tts_tid;
	TM_FailureData failure;
	LockTupleMode lockmode;
	DdbUpdateIndexes indexes = TU_None;
	DdbRowNotes notes = {stored->nnames, stored->names};
	bool		tell = false;

	if (unlikely(table->facts.observed))
		tell = ddb_capture_check(table->relid, old, &new, &notes);
	form_row(table, stored->rest);
	ddb_lookup_release(table);
	if (!succeeded(ddb_place_update(table->heap, &table->facts, &tid, table->new_slot,
									GetCurrentCommandId(true), InvalidSnapshot, true, &failure,
									&lockmode, &indexes)))
		return false;
	if (unlikely(tell))
		ddb_capture_changed(table->relid, old, &new, &notes);
	if (indexes != TU_None)
		insert_into_indexes(table, true);
	return true;
}

static bool
delete_row(DdbTable *table, const DdbRecord *old)
{
	ItemPointerData tid = table->slot->tts_tid;

	ddb_lookup_release(table);
	if (!succeeded(delete_version(table->heap, &tid)))
		return false;
	if (unlikely(table->facts.observed))
		ddb_capture_changed(table->relid, old, NULL, NULL);
	return true;
}

/* One attempt; false when it must be made again. */
static bool
try_write(DdbTable *table, DdbDecide decide, void *arg)
{
	DdbRecord	old = {.schema = NULL};
	DdbStored	stored = {0};
	DdbNeighbours neighbours;
	bool		found = ddb_look(table, &neighbours);

	if (found)
		old = *ddb_slot_record(table);
	switch (decide(arg, &old, &stored))
	{
		case DDB_STORE:
			return found ? update_row(table, &old, &stored) :
				insert_row(table, stored.rest, &neighbours);
		case DDB_REMOVE:
			return !found || delete_row(table, &old);
		case DDB_KEEP:
			break;
	}
	return true;
}

void
ddb_row_write(DdbTable *table, const DdbKey *key, DdbDecide decide, void *arg)
{
	ddb_table_ready(table);
	if (!ddb_table_is_plain(table))
	{
		ddb_exec_write(table, key, decide, arg);
		return;
	}
	/* Whatever the running statement has written counts as done. */
	CommandCounterIncrement();
	ddb_lookup_key(table, key);
	while (!try_write(table, decide, arg))
		ddb_lookup_end(table);
	ddb_lookup_end(table);
	CommandCounterIncrement();
}

/* ----------------------------------------------------------------------
 * Locking
 * ---------------------------------------------------------------------- */

/*
 * Not stronger than an update of the item: rows that refer to this one by a
 * foreign key may still come.
 */
bool
ddb_lock_found(DdbTable *table)
{
	ItemPointerData tid = table->slot->tts_tid;
	TM_FailureData failure;

	ddb_lookup_end(table);
	return succeeded(table_tuple_lock(table->heap, &tid, InvalidSnapshot, table->slot,
									  GetCurrentCommandId(true), LockTupleNoKeyExclusive,
									  LockWaitBlock, 0, &failure));
}

void
ddb_row_lock(DdbTable *table, const DdbKey *key)
{
	LOCKTAG		tag;
	bool		absent_locked = false;

	ddb_table_ready(table);
	CommandCounterIncrement();
	ddb_lookup_key(table, key);
	for (;;)
	{
		if (ddb_look(table, NULL))
		{
			if (ddb_lock_found(table))
				break;
		}
		else if (absent_locked)
			break;
		else
		{
			/* Look again: the item may have come while we waited. */
			ddb_lookup_end(table);
			set_key_lock(&tag, table);
			(void) LockAcquire(&tag, ExclusiveLock, false, false);
			absent_locked = true;
		}
	}
	ddb_lookup_end(table);
}
