/*-------------------------------------------------------------------------
 *
 * entries_write.c
 *	  Removing and putting entries of a global secondary index.
 *
 * PostgreSQL lets nobody write to a materialized view, so these functions do
 * what its executor would: the table's rows, and entries in every index on
 * them, the user's among them.  One entry may be changed once between two
 * commands.
 *
 * Many are given at once and are taken in the order of the index, so that what
 * is near in it is touched together, and new rows stand together on few pages.
 *
 * An entry that is said to be new is not looked for but put in straight away.
 * The key index tells whether another may have its key; if one has, that one
 * goes.  So what is said saves work, and nothing right or wrong depends on it.
 * Where the user has indexes of his own they would refuse the second of the two
 * rows, so there every entry is looked for first.
 *
 * InitResultRelInfo() is given no range table index, or an update would look
 * for the columns it changes in a range table that is not there.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xact.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "storage/entries_int.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

/* ----------------------------------------------------------------------
 * In the order of the index
 * ---------------------------------------------------------------------- */
typedef struct Sorted
{
	int64		hash;
	const DdbEntryKey *key;
} Sorted;

static pg_noinline int
compare_sort_keys(const DdbEntryKey *a, const DdbEntryKey *b)
{
	struct varlena *x = (struct varlena *) DatumGetPointer(a->isk);
	struct varlena *y = (struct varlena *) DatumGetPointer(b->isk);

	if (a->shard != b->shard || x == NULL)
		return a->shard - b->shard;
	return memcmp(VARDATA(x), VARDATA(y), Min(VARSIZE(x), VARSIZE(y)) - VARHDRSZ);
}

/* Nearly the order of the index: neighbours come together, and no more is wanted. */
static inline int
compare_sorted(const Sorted *a, const Sorted *b)
{
	if (likely(a->hash != b->hash))
		return a->hash < b->hash ? -1 : 1;
	return compare_sort_keys(a->key, b->key);
}

#define ST_SORT sort_sorted
#define ST_ELEMENT_TYPE Sorted
#define ST_COMPARE(a, b) compare_sorted(a, b)
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* The keys of n entries, `step` bytes apart, and in *sorted their order. */
static DdbEntryKey *
sort_keys(const DdbEntries *e, const DdbEntry *first, Size step, int n, Sorted **sorted)
{
	DdbEntryKey *keys = palloc_array(DdbEntryKey, n);

	*sorted = palloc_array(Sorted, n);
	for (int i = 0; i < n; i++)
	{
		ddb_entry_key(e, (const DdbEntry *) ((const char *) first + step * i), &keys[i]);
		(*sorted)[i] = (Sorted) {keys[i].hash, &keys[i]};
	}
	sort_sorted(*sorted, n);
	return keys;
}

/* ----------------------------------------------------------------------
 * Removing
 * ---------------------------------------------------------------------- */
static void
delete(DdbEntries *e, ItemPointer tid)
{
	TM_FailureData failure;

	if (table_tuple_delete(e->rel, tid, GetCurrentCommandId(true), SnapshotAny, InvalidSnapshot,
						   true, &failure, false) != TM_Ok)
		elog(ERROR, "could not remove an entry of index \"%s\"", RelationGetRelationName(e->rel));
}

int
ddb_entries_remove(DdbEntries *e, DdbEntryRemoval *removals, int n)
{
	MemoryContext caller;
	DdbEntryKey *keys;
	Sorted	   *sorted;
	int			removed = 0;

	MemoryContextReset(e->context);
	caller = MemoryContextSwitchTo(e->context);
	keys = sort_keys(e, &removals->entry, sizeof(DdbEntryRemoval), n, &sorted);
	for (int i = 0; i < n; i++)
	{
		DdbEntryRemoval *removal = &removals[sorted[i].key - keys];
		ItemPointerData tid;

		CHECK_FOR_INTERRUPTS();
		removal->found = ddb_entry_find_tid(e, sorted[i].key, NULL, &tid);
		if (removal->found)
			delete(e, &tid);
		removed += removal->found;
	}
	ddb_entry_let_go(e);
	MemoryContextSwitchTo(caller);
	return removed;
}

/* ----------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------- */
static TupleTableSlot *
row_slot(DdbEntries *e, int i)
{
	if (i == e->nrows)
	{
		MemoryContext caller = MemoryContextSwitchTo(e->lasting);

		e->rows[e->nrows] = MakeSingleTupleTableSlot(RelationGetDescr(e->rel), &TTSOpsVirtual);
		MemoryContextSwitchTo(caller);
		e->nrows++;
	}
	return e->rows[i];
}

static inline void
set_column(TupleTableSlot *slot, AttrNumber attno, Datum value)
{
	slot->tts_values[attno - 1] = value;
	slot->tts_isnull[attno - 1] = false;
}

static void
fill_row(DdbEntries *e, TupleTableSlot *row, const DdbEntryKey *key, const DdbEntryPut *put)
{
	ExecClearTuple(row);
	set_column(row, 1, key->ipk);
	if (e->shard)
		set_column(row, e->shard, Int16GetDatum(key->shard));
	if (e->isk)
		set_column(row, e->isk, key->isk);
	for (int k = 0; k < e->base.nkeys; k++)
		set_column(row, e->pk + k, ddb_key_to_datum(put->base.values[k]));
	set_column(row, e->digest, PointerGetDatum(&key->digest));
	set_column(row, e->item, PointerGetDatum(ddb_item_from_map(put->entry.item)));
	ExecStoreVirtualTuple(row);
	row->tts_tableOid = RelationGetRelid(e->rel);
}

/* ----------------------------------------------------------------------
 * Putting
 * ---------------------------------------------------------------------- */

/* Into all indexes.  None arbitrates: a unique one raises. */
static void
insert_into_indexes(DdbEntries *e, TupleTableSlot *row)
{
	List	   *arbiters = list_make1_oid(InvalidOid);

	ResetPerTupleExprContext(e->estate);
	ddb_exec_insert_index_tuples(e->result, row, e->estate, false, NULL, arbiters);
}

/* Into the key index alone; false when another entry may have the same key. */
static bool
insert_into_key_index(DdbEntries *e, TupleTableSlot *row)
{
	Datum		values[DDB_ENTRY_KEY_COLUMNS];
	bool		isnull[DDB_ENTRY_KEY_COLUMNS] = {false};

	for (int i = 0; i < e->nkeys; i++)
		values[i] = row->tts_values[e->key_columns[i] - 1];
	return index_insert(e->key_index, values, isnull, &row->tts_tid, e->rel, UNIQUE_CHECK_PARTIAL,
						false, e->key_info);
}

static void
update(DdbEntries *e, ItemPointer tid, TupleTableSlot *row)
{
	TM_FailureData failure;
	LockTupleMode lockmode;
	DdbUpdateIndexes indexes = TU_None;

	if (table_tuple_update(e->rel, tid, row, GetCurrentCommandId(true), SnapshotAny,
						   InvalidSnapshot, true, &failure, &lockmode, &indexes) != TM_Ok)
		elog(ERROR, "could not change an entry of index \"%s\"", RelationGetRelationName(e->rel));
	if (indexes != TU_None && e->result)
		insert_into_indexes(e, row);
	else if (indexes != TU_None)
		(void) insert_into_key_index(e, row);
}

/* Entries that are to be added, their rows filled. */
typedef struct Added
{
	int			n;
	const DdbEntryKey *keys[DDB_ENTRY_ROWS];
} Added;

/* Writes them; how many there are more than before. */
static int
add_rows(DdbEntries *e, Added *added)
{
	int			more = added->n;
	ItemPointerData tid;

	if (added->n > 0)
		table_multi_insert(e->rel, e->rows, added->n, GetCurrentCommandId(true), 0, NULL);
	for (int i = 0; i < added->n; i++)
	{
		if (e->result)
			insert_into_indexes(e, e->rows[i]);
		else if (!insert_into_key_index(e, e->rows[i]) &&
				 ddb_entry_find_tid(e, added->keys[i], &e->rows[i]->tts_tid, &tid))
		{
			delete(e, &tid);
			more--;
		}
	}
	ddb_entry_let_go(e);
	added->n = 0;
	return more;
}

/* Is one with this key there?  Then it is made the same, by way of the row. */
static bool
change_found(DdbEntries *e, const DdbEntryKey *key, const DdbEntryPut *put, TupleTableSlot *row)
{
	ItemPointerData tid;
	bool		found = ddb_entry_look(e, SnapshotSelf, key);
	bool		same = found && ddb_value_equal(ddb_entry_found_item(e), put->entry.item);

	if (found)
		tid = e->found->tts_tid;
	ddb_entry_let_go(e);
	if (found && !same)
	{
		fill_row(e, row, key, put);
		update(e, &tid, row);
	}
	return found;
}

int
ddb_entries_put(DdbEntries *e, const DdbEntryPut *puts, int n)
{
	MemoryContext caller;
	Added		added = {0};
	DdbEntryKey *keys;
	Sorted	   *sorted;
	int			more = 0;

	MemoryContextReset(e->context);
	caller = MemoryContextSwitchTo(e->context);
	keys = sort_keys(e, &puts->entry, sizeof(DdbEntryPut), n, &sorted);
	for (int i = 0; i < n; i++)
	{
		const DdbEntryKey *key = sorted[i].key;
		const DdbEntryPut *put = &puts[key - keys];
		TupleTableSlot *row = row_slot(e, added.n);

		CHECK_FOR_INTERRUPTS();
		if ((!put->is_new || e->result) && change_found(e, key, put, row))
			continue;
		fill_row(e, row, key, put);
		added.keys[added.n++] = key;
		if (added.n == DDB_ENTRY_ROWS)
			more += add_rows(e, &added);
	}
	more += add_rows(e, &added);
	MemoryContextSwitchTo(caller);
	/* The rows' copies, which other indexes of the table are not to be added to. */
	MemoryContextReset(e->context);
	return more;
}
