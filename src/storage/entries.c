/*-------------------------------------------------------------------------
 *
 * entries.c
 *	  Entries of a global secondary index, one at a time.
 *
 * An index relation is a materialized view with the columns
 *
 *		ipk [shard] [isk] pk [sk] digest item
 *
 * and a unique btree on (ipk [shard] [isk] digest).  Columns are known by
 * number, for a user may rename them.  Which optional ones there are is seen
 * from their number and from the shard's type.
 *
 * PostgreSQL lets nobody write to a materialized view, so these functions do
 * what its executor would: the table's rows, and entries in every index on
 * them, the user's among them.  The caller has locked the relation and is its
 * only writer, so an entry is looked for with SnapshotSelf: what is committed,
 * and what this transaction has done.  One entry may be changed once between
 * two commands.
 *
 * InitResultRelInfo() is given no range table index, or an update would look
 * for the columns it changes in a range table that is not there.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "access/nbtree.h"
#include "access/relscan.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/storage_int.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* ipk, shard, isk, digest */
#define MAX_KEY_COLUMNS 4

struct DdbEntries
{
	Relation	rel;
	Relation	key_index;
	IndexInfo  *key_info;
	DdbKeySchema base;

	/* Columns; 0 where there is none. */
	AttrNumber	shard;
	AttrNumber	isk;
	AttrNumber	pk;
	AttrNumber	digest;
	AttrNumber	item;
	uint8		ipk_type;
	uint8		isk_type;

	int			nkeys;
	AttrNumber	key_columns[MAX_KEY_COLUMNS];
	ScanKeyData keys[MAX_KEY_COLUMNS];
	IndexScanDesc scan;
	TableScanDesc all;			/* of ddb_entries_scan() */
	TupleTableSlot *found;
	TupleTableSlot *row;		/* to be written */

	/* Where there are indexes of the user's. */
	ResultRelInfo *result;
	EState	   *estate;

	MemoryContext context;		/* of one entry */
};

/* ----------------------------------------------------------------------
 * Opening
 * ---------------------------------------------------------------------- */

/* Finds the columns; false when they are not an index's. */
static bool
read_columns(DdbEntries *e)
{
	TupleDesc	desc = RelationGetDescr(e->rel);
	int			optional = desc->natts - e->base.nkeys - 3;
	AttrNumber	next = 2;

	if (optional < 0 || optional > 2)
		return false;
	e->key_columns[e->nkeys++] = 1;
	if (optional > 0 && TupleDescAttr(desc, 1)->atttypid == INT2OID)
	{
		e->key_columns[e->nkeys++] = e->shard = next++;
		optional--;
	}
	if (optional > 0)
		e->key_columns[e->nkeys++] = e->isk = next++;
	e->pk = next;
	e->digest = e->pk + e->base.nkeys;
	e->item = e->digest + 1;
	e->key_columns[e->nkeys++] = e->digest;
	return e->item == desc->natts &&
		TupleDescAttr(desc, e->digest - 1)->atttypid == BYTEAOID &&
		ddb_key_type(TupleDescAttr(desc, 0)->atttypid, &e->ipk_type) &&
		(!e->isk || ddb_key_type(TupleDescAttr(desc, e->isk - 1)->atttypid, &e->isk_type));
}

static bool
is_key_index(const DdbEntries *e, Relation index)
{
	Form_pg_index form = index->rd_index;

	if (index->rd_rel->relam != BTREE_AM_OID || !form->indisunique || !form->indimmediate ||
		!form->indisvalid || !form->indisready || !form->indislive ||
		form->indnkeyatts != e->nkeys || form->indnatts != e->nkeys ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL))
		return false;
	for (int i = 0; i < e->nkeys; i++)
	{
		if (form->indkey.values[i] != e->key_columns[i])
			return false;
	}
	return true;
}

/* Opens the key index; *others tells of more indexes. */
static bool
open_key_index(DdbEntries *e, bool *others)
{
	List	   *indexes = RelationGetIndexList(e->rel);
	ListCell   *lc;

	*others = list_length(indexes) > 1;
	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), RowExclusiveLock);

		if (is_key_index(e, index))
		{
			e->key_index = index;
			return true;
		}
		index_close(index, RowExclusiveLock);
	}
	return false;
}

static void
set_scan_keys(DdbEntries *e)
{
	Relation	index = e->key_index;

	for (int i = 0; i < e->nkeys; i++)
	{
		Oid			type = index->rd_opcintype[i];
		Oid			equal = get_opfamily_member(index->rd_opfamily[i], type, type,
												BTEqualStrategyNumber);

		ScanKeyEntryInitialize(&e->keys[i], 0, i + 1, BTEqualStrategyNumber, InvalidOid,
							   index->rd_indcollation[i], get_opcode(equal), (Datum) 0);
	}
}

static void
open_other_indexes(DdbEntries *e)
{
	e->estate = CreateExecutorState();
	e->result = makeNode(ResultRelInfo);
	InitResultRelInfo(e->result, e->rel, 0, NULL, 0);
	ExecOpenIndices(e->result, false);
}

DdbEntries *
ddb_entries_open(Oid index, const DdbKeySchema *base)
{
	DdbEntries *e = palloc0(sizeof(DdbEntries));
	bool		others;

	e->base = *base;
	e->rel = relation_open(index, NoLock);
	if (!ddb_is_ours(e->rel) || !read_columns(e) || !open_key_index(e, &others))
	{
		relation_close(e->rel, NoLock);
		return NULL;
	}
	e->context = AllocSetContextCreate(CurrentMemoryContext, "ddb entry", ALLOCSET_DEFAULT_SIZES);
	e->key_info = BuildIndexInfo(e->key_index);
	set_scan_keys(e);
	e->scan = ddb_index_beginscan(e->rel, e->key_index, SnapshotSelf, e->nkeys);
	e->found = MakeSingleTupleTableSlot(RelationGetDescr(e->rel), &TTSOpsBufferHeapTuple);
	e->row = MakeSingleTupleTableSlot(RelationGetDescr(e->rel), &TTSOpsVirtual);
	if (others)
		open_other_indexes(e);
	return e;
}

bool
ddb_entries_whole(Oid index, const DdbKeySchema *base)
{
	DdbEntries	e = {.base = *base};
	bool		others;

	e.rel = relation_open(index, NoLock);
	if (ddb_is_ours(e.rel) && read_columns(&e) && open_key_index(&e, &others))
		index_close(e.key_index, NoLock);
	relation_close(e.rel, NoLock);
	return e.key_index != NULL;
}

void
ddb_entries_close(DdbEntries *e)
{
	if (e->all)
		table_endscan(e->all);
	index_endscan(e->scan);
	ExecDropSingleTupleTableSlot(e->found);
	ExecDropSingleTupleTableSlot(e->row);
	if (e->result)
	{
		ExecCloseIndices(e->result);
		FreeExecutorState(e->estate);
	}
	MemoryContextDelete(e->context);
	index_close(e->key_index, NoLock);
	relation_close(e->rel, NoLock);
	pfree(e);
}

/* ----------------------------------------------------------------------
 * Looking
 * ---------------------------------------------------------------------- */
static Datum
bytes_datum(const uint8 *bytes, uint32 len)
{
	struct varlena *datum = palloc(VARHDRSZ + len);

	SET_VARSIZE(datum, VARHDRSZ + len);
	memcpy(VARDATA(datum), bytes, len);
	return PointerGetDatum(datum);
}

static inline void
set_column(TupleTableSlot *slot, AttrNumber attno, Datum value)
{
	slot->tts_values[attno - 1] = value;
	slot->tts_isnull[attno - 1] = false;
}

/* The key's columns, in the row to be written. */
static void
set_key(DdbEntries *e, const DdbEntry *entry)
{
	TupleTableSlot *row = e->row;

	ExecClearTuple(row);
	memset(row->tts_isnull, true, sizeof(bool) * row->tts_tupleDescriptor->natts);
	set_column(row, 1, ddb_key_to_datum(entry->ipk));
	if (e->shard)
		set_column(row, e->shard, Int16GetDatum(entry->shard));
	if (e->isk)
		set_column(row, e->isk, ddb_key_to_datum(entry->isk));
	set_column(row, e->digest, bytes_datum(entry->digest, DDB_ENTRY_DIGEST));
}

/* Finds the entry with the key in e->row.  What the scan allocates it keeps. */
static bool
look(DdbEntries *e, Snapshot snapshot)
{
	MemoryContext caller = MemoryContextSwitchTo(GetMemoryChunkContext(e));
	bool		found;

	for (int i = 0; i < e->nkeys; i++)
		e->keys[i].sk_argument = e->row->tts_values[e->key_columns[i] - 1];
	e->scan->xs_snapshot = snapshot;
	index_rescan(e->scan, e->keys, e->nkeys, NULL, 0);
	found = index_getnext_slot(e->scan, ForwardScanDirection, e->found);
	MemoryContextSwitchTo(caller);
	return found;
}

/* Lets go of the page of the entry found. */
static void
let_go(DdbEntries *e)
{
	ExecClearTuple(e->found);
	index_rescan(e->scan, e->keys, e->nkeys, NULL, 0);
}

/* The item of the entry found. */
static DdbValue
found_item(DdbEntries *e)
{
	bool		isnull;
	Datum		item = slot_getattr(e->found, e->item, &isnull);

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("an entry of index \"%s\" has no item", RelationGetRelationName(e->rel))));
	return ddb_item_map((DdbItem *) PG_DETOAST_DATUM_PACKED(item));
}

bool
ddb_entries_find(DdbEntries *e, Snapshot snapshot, const DdbEntry *entry, bool *same)
{
	MemoryContext caller;
	bool		found;

	MemoryContextReset(e->context);
	caller = MemoryContextSwitchTo(e->context);
	set_key(e, entry);
	found = look(e, snapshot);
	*same = found && ddb_value_equal(found_item(e), entry->item);
	let_go(e);
	MemoryContextSwitchTo(caller);
	return found;
}

/* ----------------------------------------------------------------------
 * Writing
 * ---------------------------------------------------------------------- */

/* The row's entries in all indexes. */
static void
insert_into_indexes(DdbEntries *e)
{
	Datum		values[MAX_KEY_COLUMNS];
	bool		isnull[MAX_KEY_COLUMNS] = {false};

	if (e->result)
	{
		/* No index arbitrates: a unique one raises. */
		List	   *arbiters = list_make1_oid(InvalidOid);

		ResetPerTupleExprContext(e->estate);
		e->row->tts_tableOid = RelationGetRelid(e->rel);
		ddb_exec_insert_index_tuples(e->result, e->row, e->estate, false, NULL, arbiters);
		return;
	}
	for (int i = 0; i < e->nkeys; i++)
		values[i] = e->row->tts_values[e->key_columns[i] - 1];
	index_insert(e->key_index, values, isnull, &e->row->tts_tid, e->rel, UNIQUE_CHECK_YES, false,
				 e->key_info);
}

static void
insert(DdbEntries *e)
{
	table_tuple_insert(e->rel, e->row, GetCurrentCommandId(true), 0, NULL);
	insert_into_indexes(e);
}

static void
update(DdbEntries *e, ItemPointer tid)
{
	TM_FailureData failure;
	LockTupleMode lockmode;
	DdbUpdateIndexes indexes = TU_None;

	if (table_tuple_update(e->rel, tid, e->row, GetCurrentCommandId(true), SnapshotAny,
						   InvalidSnapshot, true, &failure, &lockmode, &indexes) != TM_Ok)
		elog(ERROR, "could not change an entry of index \"%s\"", RelationGetRelationName(e->rel));
	if (indexes != TU_None)
		insert_into_indexes(e);
}

DdbEntryChange
ddb_entries_put(DdbEntries *e, const DdbKey *base, const DdbEntry *entry)
{
	DdbEntryChange change = DDB_ENTRY_ADDED;
	MemoryContext caller;
	ItemPointerData tid;

	MemoryContextReset(e->context);
	caller = MemoryContextSwitchTo(e->context);
	set_key(e, entry);
	if (look(e, SnapshotSelf))
	{
		change = ddb_value_equal(found_item(e), entry->item) ? DDB_ENTRY_SAME : DDB_ENTRY_CHANGED;
		tid = e->found->tts_tid;
	}
	let_go(e);
	if (change != DDB_ENTRY_SAME)
	{
		for (int k = 0; k < e->base.nkeys; k++)
			set_column(e->row, e->pk + k, ddb_key_to_datum(base->values[k]));
		set_column(e->row, e->item, PointerGetDatum(ddb_item_from_map(entry->item)));
		ExecStoreVirtualTuple(e->row);
		if (change == DDB_ENTRY_ADDED)
			insert(e);
		else
			update(e, &tid);
	}
	MemoryContextSwitchTo(caller);
	return change;
}

bool
ddb_entries_remove(DdbEntries *e, const DdbEntry *entry)
{
	MemoryContext caller;
	ItemPointerData tid;
	TM_FailureData failure;
	bool		found;

	MemoryContextReset(e->context);
	caller = MemoryContextSwitchTo(e->context);
	set_key(e, entry);
	found = look(e, SnapshotSelf);
	tid = e->found->tts_tid;
	let_go(e);
	if (found &&
		table_tuple_delete(e->rel, &tid, GetCurrentCommandId(true), SnapshotAny, InvalidSnapshot,
						   true, &failure, false) != TM_Ok)
		elog(ERROR, "could not remove an entry of index \"%s\"", RelationGetRelationName(e->rel));
	MemoryContextSwitchTo(caller);
	return found;
}

/* ----------------------------------------------------------------------
 * All entries
 * ---------------------------------------------------------------------- */
void
ddb_entries_scan(DdbEntries *e, Snapshot snapshot)
{
	Assert(e->all == NULL);
	e->all = table_beginscan(e->rel, snapshot, 0, NULL);
}

static Datum
column(DdbEntries *e, AttrNumber attno)
{
	bool		isnull;
	Datum		datum = slot_getattr(e->found, attno, &isnull);

	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("an entry of index \"%s\" has a null",
						RelationGetRelationName(e->rel))));
	return datum;
}

bool
ddb_entries_next(DdbEntries *e, DdbKey *base, DdbEntry *entry)
{
	MemoryContext caller;
	struct varlena *digest;

	CHECK_FOR_INTERRUPTS();
	if (!table_scan_getnextslot(e->all, ForwardScanDirection, e->found))
		return false;
	MemoryContextReset(e->context);
	caller = MemoryContextSwitchTo(e->context);
	entry->ipk = ddb_key_from_datum(e->ipk_type, column(e, 1));
	entry->shard = e->shard ? DatumGetInt16(column(e, e->shard)) : -1;
	entry->has_isk = e->isk != 0;
	if (entry->has_isk)
		entry->isk = ddb_key_from_datum(e->isk_type, column(e, e->isk));
	digest = PG_DETOAST_DATUM_PACKED(column(e, e->digest));
	memset(entry->digest, 0, DDB_ENTRY_DIGEST);
	memcpy(entry->digest, VARDATA_ANY(digest), Min(VARSIZE_ANY_EXHDR(digest), DDB_ENTRY_DIGEST));
	for (int k = 0; k < e->base.nkeys; k++)
		base->values[k] = ddb_key_from_datum(e->base.attr[k].type, column(e, e->pk + k));
	MemoryContextSwitchTo(caller);
	return true;
}

/* ----------------------------------------------------------------------
 * Storage
 * ---------------------------------------------------------------------- */
void
ddb_set_new_storage(Relation rel)
{
	Oid			toast = rel->rd_rel->reltoastrelid;

	ddb_relation_set_new_storage(rel);
	if (OidIsValid(toast))
	{
		Relation	toast_rel = relation_open(toast, AccessExclusiveLock);

		ddb_relation_set_new_storage(toast_rel);
		relation_close(toast_rel, NoLock);
	}
	ddb_reindex_relation(RelationGetRelid(rel), REINDEX_REL_PROCESS_TOAST);
}

Oid
ddb_relation_storage(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			storage = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		storage = ((Form_pg_class) GETSTRUCT(tuple))->relfilenode;
		ReleaseSysCache(tuple);
	}
	return storage;
}

void
ddb_entries_empty(Oid index)
{
	Relation	rel = relation_open(index, AccessExclusiveLock);

	if (RelationGetNumberOfBlocks(rel) > 0)
		ddb_set_new_storage(rel);
	relation_close(rel, NoLock);
}
