/*-------------------------------------------------------------------------
 *
 * entries.c
 *	  An index relation, opened for work on its entries, and looking for them.
 *
 * An index relation is a materialized view with the columns
 *
 *		ipk [shard] [isk] pk [sk] digest item
 *
 * and a unique btree on (ipk [shard] [isk] digest) in the classes and orders
 * that ddb.add_index() gives it.  Columns are known by number, for a user may
 * rename them.  Which optional ones there are is seen from their number and from
 * the shard's type.
 *
 * The caller has locked the relation and is its only writer, so an entry is
 * looked for with SnapshotSelf: what is committed, and what this transaction
 * has done.
 *
 * Looking.  As in lookup.c there is a single scan key, on the first column,
 * whose functions are ours and compare the whole key of an entry: they are given
 * the address of the first column's value inside it, behind which the others
 * stand.
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
#include "storage/entries_int.h"
#include "storage/index_tuple_int.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* ----------------------------------------------------------------------
 * Entries of the key index, seen from their first column's value
 * ---------------------------------------------------------------------- */

/*
 * What is looked for now.  The first column's value stays here until the next
 * is announced, whatever becomes of the look that announced it.
 */
static struct
{
	const DdbEntries *entries;
	const DdbEntryKey *key;
	char		ipk[BLCKSZ];
}			sought;

/*
 * The order of an entry that has the index partition key, relative to the whole
 * key.  What is cut off a pivot counts as less than anything.
 */
static int
entry_order(Datum ipk)
{
	const DdbEntries *e = sought.entries;
	IndexTuple	entry = ddb_index_tuple_of(ipk);
	int			stand = ddb_index_tuple_columns(entry, e->nkeys);
	char	   *at = DatumGetPointer(ipk) + VARSIZE_ANY(DatumGetPointer(ipk));
	int			column = 1;
	int			order = 0;

	if (unlikely(ddb_index_tuple_has_null(entry)))
		return 1;
	if (e->shard)
	{
		if (stand <= column++)
			return -1;
		at = (char *) att_align_nominal((uintptr_t) at, TYPALIGN_SHORT);
		order = *(int16 *) at - sought.key->shard;
		at += sizeof(int16);
	}
	if (e->isk && order == 0)
	{
		if (stand <= column++)
			return -1;
		order = ddb_stored_compare(e->isk_type, ddb_next_varlena(&at), sought.key->isk);
	}
	if (order == 0)
		order = stand <= column ? -1 :
			ddb_stored_compare(DDB_B, ddb_next_varlena(&at), PointerGetDatum(&sought.key->digest));
	return order == 0 && ddb_index_tuple_lacks_address(entry) ? -1 : order;
}

/* May the scan go on: is this the entry, or a high key that allows it? */
static Datum
entry_equal(PG_FUNCTION_ARGS)
{
	Datum		ipk = PG_GETARG_DATUM(0);
	int			order;

	if (ddb_stored_compare(sought.entries->ipk_type, ipk, sought.key->ipk) != 0)
		PG_RETURN_BOOL(false);
	order = entry_order(ipk);
	PG_RETURN_BOOL(order == 0 || (order < 0 && BTreeTupleIsPivot(ddb_index_tuple_of(ipk))));
}

static void
set_scan_key(DdbEntries *e)
{
	ScanKey		key = &e->scan_key;

	key->sk_attno = 1;
	key->sk_strategy = BTEqualStrategyNumber;
	key->sk_collation = e->key_index->rd_indcollation[0];
	key->sk_func.fn_addr = entry_equal;
	key->sk_func.fn_oid = F_BYTEAEQ;
	key->sk_func.fn_nargs = 2;
	key->sk_func.fn_strict = true;
	key->sk_func.fn_mcxt = CurrentMemoryContext;
	key->sk_argument = PointerGetDatum(sought.ipk);
}

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
		if (form->indkey.values[i] != e->key_columns[i] || index->rd_indoption[i] != 0)
			return false;
	}
	return ddb_in_hash_class(index) &&
		(!e->isk || ddb_in_byte_order(index, e->shard ? 3 : 2));
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
	e->lasting = CurrentMemoryContext;
	e->context = AllocSetContextCreate(CurrentMemoryContext, "ddb entries", ALLOCSET_DEFAULT_SIZES);
	e->key_info = BuildIndexInfo(e->key_index);
	set_scan_key(e);
	e->scan = ddb_index_beginscan(e->rel, e->key_index, SnapshotSelf, 1);
	e->found = MakeSingleTupleTableSlot(RelationGetDescr(e->rel), &TTSOpsBufferHeapTuple);
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
	for (int i = 0; i < e->nrows; i++)
		ExecDropSingleTupleTableSlot(e->rows[i]);
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
void
ddb_entry_key(const DdbEntries *e, const DdbEntry *entry, DdbEntryKey *key)
{
	key->ipk = ddb_key_to_datum(entry->ipk);
	key->hash = ddb_datum_hash(e->ipk_type, key->ipk);
	key->shard = e->shard ? entry->shard : 0;
	key->isk = e->isk ? ddb_key_to_datum(entry->isk) : (Datum) 0;
	SET_VARSIZE(&key->digest, sizeof(key->digest));
	memcpy(VARDATA(&key->digest), entry->digest, DDB_ENTRY_DIGEST);
}

/* Places the scan before the entries with this key. */
static void
seek(DdbEntries *e, Snapshot snapshot, const DdbEntryKey *key)
{
	struct varlena *ipk = (struct varlena *) DatumGetPointer(key->ipk);

	if (VARSIZE(ipk) > sizeof(sought.ipk))
		elog(ERROR, "a key of index \"%s\" is too long", RelationGetRelationName(e->rel));
	memcpy(sought.ipk, ipk, VARSIZE(ipk));
	sought.entries = e;
	sought.key = key;
	ddb_hash_announce(PointerGetDatum(sought.ipk), e->ipk_type, entry_order);
	e->scan->xs_snapshot = snapshot;
	index_rescan(e->scan, &e->scan_key, 1, NULL, 0);
}

bool
ddb_entry_look(DdbEntries *e, Snapshot snapshot, const DdbEntryKey *key)
{
	/* What the scan allocates it keeps. */
	MemoryContext caller = MemoryContextSwitchTo(e->lasting);
	bool		found;

	seek(e, snapshot, key);
	found = index_getnext_slot(e->scan, ForwardScanDirection, e->found);
	ddb_hash_withdraw();
	MemoryContextSwitchTo(caller);
	return found;
}

/* Does this root of a chain of versions have one that stands? */
static bool
stands(DdbEntries *e, const ItemPointerData *root, ItemPointer tid)
{
	Buffer		buffer = ReadBuffer(e->rel, ItemPointerGetBlockNumber(root));
	HeapTupleData tuple;
	bool		all_dead = false;
	bool		found;

	*tid = *root;
	LockBuffer(buffer, BUFFER_LOCK_SHARE);
	found = heap_hot_search_buffer(tid, e->rel, buffer, SnapshotSelf, &tuple, &all_dead, true);
	UnlockReleaseBuffer(buffer);
	e->scan->kill_prior_tuple = !found && all_dead;
	return found;
}

/*
 * Not by index_getnext_slot(), which would prune the page: that makes room for
 * updates, and entries that move make none.
 */
bool
ddb_entry_find_tid(DdbEntries *e, const DdbEntryKey *key, const ItemPointerData *but,
				   ItemPointer tid)
{
	MemoryContext caller = MemoryContextSwitchTo(e->lasting);
	ItemPointer root;
	bool		found = false;

	seek(e, SnapshotSelf, key);
	while (!found && (root = index_getnext_tid(e->scan, ForwardScanDirection)) != NULL)
		found = stands(e, root, tid) && !(but && ItemPointerEquals(tid, unconstify(ItemPointerData *, but)));
	ddb_hash_withdraw();
	MemoryContextSwitchTo(caller);
	return found;
}

void
ddb_entry_let_go(DdbEntries *e)
{
	BTScanOpaque so = (BTScanOpaque) e->scan->opaque;

	ExecClearTuple(e->found);
	table_index_fetch_reset(e->scan->xs_heapfetch);
	if (BTScanPosIsPinned(so->currPos) || so->numKilled > 0)
		index_rescan(e->scan, &e->scan_key, 1, NULL, 0);
}

DdbValue
ddb_entry_found_item(DdbEntries *e)
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
	DdbEntryKey key;
	bool		found;

	MemoryContextReset(e->context);
	caller = MemoryContextSwitchTo(e->context);
	ddb_entry_key(e, entry, &key);
	found = ddb_entry_look(e, snapshot, &key);
	*same = found && ddb_value_equal(ddb_entry_found_item(e), entry->item);
	ddb_entry_let_go(e);
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
