/*-------------------------------------------------------------------------
 *
 * scan_index.c
 *	  Scans of secondary indexes.
 *
 * A local index is a btree on the table, and its rows are the table's.  A
 * global index is a relation of its own with the columns
 *
 *		ipk [shard] [isk] pk [sk] digest item
 *
 * (known by number, for a user may rename them), whose rows read like the
 * table's: pk, sk and the projected attributes.
 *
 * Both may be younger than the snapshot that reads them.  A local index leaves
 * out versions of rows that were dead to everybody when it was made but not to
 * an older snapshot (indcheckxmin says whether there were any); a global one
 * holds nothing that an older snapshot could see.  Such a reader is told to
 * come again in a new transaction.
 *
 * In a sharded index the entries of one partition key stand in as many ranges
 * as there are shards.  Each is scanned by itself, and the scan whose next row
 * comes first in the order of (sort key, digest) gives its row.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "access/nbtree.h"
#include "access/relation.h"
#include "access/xact.h"
#include "base/errors.h"
#include "catalog/pg_am.h"
#include "catalog/pg_class.h"
#include "catalog/pg_index.h"
#include "lib/binaryheap.h"
#include "miscadmin.h"
#include "storage/scan_int.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* A shard's rows are few of those that are wanted. */
#define SHARD_FIRST_BATCH	16
#define SHARD_LARGEST_BATCH 64

/* ----------------------------------------------------------------------
 * Is it there, and old enough?
 * ---------------------------------------------------------------------- */
static Relation
open_relation(const DdbScanIndex *index)
{
	Relation	rel = try_relation_open(index->relid, AccessShareLock);

	/* Its definition was read before we had the lock. */
	if (rel == NULL)
		ddb_raise(DDB_VALIDATION, DDB_NO_INDEX_MESSAGE ": %s", index->name);
	return rel;
}

/*
 * Was this catalog row written by a transaction that the snapshot does not
 * see?  Our own counts as seen where each statement has a new snapshot.
 */
static bool
is_younger(HeapTuple tuple, Snapshot snapshot)
{
	TransactionId xmin = HeapTupleHeaderGetXmin(tuple->t_data);

	if (!TransactionIdIsNormal(xmin))
		return false;
	if (TransactionIdIsCurrentTransactionId(xmin))
		return IsolationUsesXactSnapshot();
	return XidInMVCCSnapshot(xmin, snapshot);
}

static void
raise_younger(const DdbScanIndex *index)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
			 errmsg("could not read index \"%s\" with a snapshot older than the index",
					index->name)));
}

static void
check_entries_age(DdbScan *scan, const DdbScanIndex *index)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(index->relid));
	bool		younger = HeapTupleIsValid(tuple) && is_younger(tuple, scan->snapshot);

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	if (younger)
		raise_younger(index);
}

/* ----------------------------------------------------------------------
 * Opening
 * ---------------------------------------------------------------------- */
static void
open_local(DdbScan *scan, const DdbScanIndex *index)
{
	const DdbKeySchema *schema = &scan->facts.schema;

	scan->index = open_relation(index);
	if (scan->index->rd_rel->relkind != RELKIND_INDEX || !scan->index->rd_index->indisvalid)
		ddb_raise(DDB_VALIDATION, DDB_NO_INDEX_MESSAGE ": %s", index->name);
	if (scan->index->rd_index->indcheckxmin &&
		is_younger(scan->index->rd_indextuple, scan->snapshot))
		raise_younger(index);
	scan->ncolumns = 3;
	scan->kinds[0] = ddb_scan_kind(schema->attr[0].type);
	scan->kinds[1] = ddb_scan_kind(index->sort);
	scan->kinds[2] = ddb_scan_kind(schema->attr[1].type);
	scan->sort_at = 1;
	scan->tie_at = 2;
}

static void
add_column(DdbScan *scan, ScanKind kind, int *at)
{
	*at = scan->ncolumns;
	scan->kinds[scan->ncolumns++] = kind;
}

/* Sets the columns of a global index, and of its rows. */
static void
set_columns(DdbScan *scan, const DdbScanIndex *index)
{
	int			partition_at;

	add_column(scan, ddb_scan_kind(index->partition), &partition_at);
	if (index->shards > 0)
		add_column(scan, SCAN_SHARD, &scan->shard_at);
	if (index->has_sort)
		add_column(scan, ddb_scan_kind(index->sort), &scan->sort_at);
	add_column(scan, SCAN_BYTES, &scan->tie_at);
	scan->by_digest = true;
	scan->shards = index->shards;
	/* The index's columns but the last are the row's first. */
	scan->facts.pk = scan->ncolumns;
	if (scan->facts.sk)
		scan->facts.sk = scan->facts.pk + 1;
	scan->facts.item = scan->facts.pk + scan->facts.schema.nkeys + 1;
}

/* Read by hand, as the rows of a table are: all columns but the shard vary in length. */
bool
ddb_scan_read_entry(const DdbScan *scan, HeapTuple tuple, ScanEntry *entry)
{
	HeapTupleHeader header = tuple->t_data;
	char	   *at = (char *) header + header->t_hoff;

	if (HeapTupleHasNulls(tuple) || HeapTupleHeaderGetNatts(header) < scan->facts.item)
		return false;
	(void) ddb_next_varlena(&at);
	if (scan->shard_at)
		at = (char *) SHORTALIGN(at) + sizeof(int16);
	if (scan->sort_at)
		entry->sort = ddb_next_varlena(&at);
	entry->columns.pk = ddb_next_varlena(&at);
	if (scan->facts.sk)
		entry->columns.sk = ddb_next_varlena(&at);
	entry->digest = ddb_next_varlena(&at);
	entry->columns.item = ddb_next_varlena(&at);
	return true;
}

/* The unique index on (ipk [shard] [isk] digest). */
static bool
is_entry_index(const DdbScan *scan, Relation index)
{
	Form_pg_index form = index->rd_index;

	return index->rd_rel->relam == BTREE_AM_OID && form->indisunique && form->indisvalid &&
		form->indnkeyatts == scan->ncolumns && form->indkey.values[0] == 1 &&
		form->indkey.values[scan->ncolumns - 1] == scan->facts.item - 1;
}

static void
open_entry_index(DdbScan *scan)
{
	List	   *indexes = RelationGetIndexList(scan->heap);
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (is_entry_index(scan, index))
		{
			scan->index = index;
			break;
		}
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
}

static void
open_global(DdbScan *scan, const DdbScanIndex *index)
{
	scan->heap = open_relation(index);
	if (!RelationIsPopulated(scan->heap) && !ddb_capture_closed(RelationGetRelid(scan->heap)))
		ddb_raise(DDB_VALIDATION, "Cannot read from backfilling global secondary index: %s",
				  index->name);
	check_entries_age(scan, index);
	set_columns(scan, index);
	if (ddb_is_ours(scan->heap) && RelationGetNumberOfAttributes(scan->heap) == scan->facts.item)
		open_entry_index(scan);
	if (scan->index == NULL)
		ddb_raise(DDB_VALIDATION, DDB_NO_INDEX_MESSAGE ": %s", index->name);
}

void
ddb_scan_open_index(DdbScan *scan, Oid table, const DdbScanIndex *index)
{
	if (index->local)
	{
		scan->heap = table_open(table, NoLock);
		open_local(scan, index);
	}
	else
		open_global(scan, index);
}

/* ----------------------------------------------------------------------
 * Shards
 * ---------------------------------------------------------------------- */
typedef struct Shard
{
	DdbScan    *scan;
	const ScanRow *row;			/* its next one, or NULL */
	ScanEntry	entry;			/* that row's columns */
} Shard;

struct ScanMerge
{
	int			n;
	Shard	   *shards;
	binaryheap *heap;			/* of the shards that have a row, the first on top */
	Shard	   *given;			/* whose row was given last, or NULL */
};

static bool
advance_shard(Shard *shard)
{
	HeapTupleData tuple;

	shard->row = ddb_scan_advance(shard->scan);
	if (shard->row == NULL)
		return false;
	tuple = ddb_scan_tuple(shard->scan, shard->row);
	if (!ddb_scan_read_entry(shard->scan, &tuple, &shard->entry))
		ddb_raise_null();
	return true;
}

/* binaryheap has the greatest on top. */
static int
compare_shards(Datum a, Datum b, void *arg)
{
	const Shard *left = (const Shard *) DatumGetPointer(a);
	const Shard *right = (const Shard *) DatumGetPointer(b);
	const DdbScan *scan = left->scan;
	int			order = 0;

	if (scan->sort_at)
		order = ddb_datum_compare(scan->kinds[scan->sort_at] == SCAN_NUMBER ? DDB_N : DDB_B,
								  left->entry.sort, right->entry.sort);
	if (order == 0)
		order = ddb_datum_compare(DDB_B, left->entry.digest, right->entry.digest);
	return ScanDirectionIsForward(scan->direction) ? -order : order;
}

static DdbScan *
scan_shard(DdbTable *table, const DdbScanIndex *index, const DdbKeyCondition *condition,
		   bool forward, const DdbPlace *after, int shard, uint32 limit_hint)
{
	DdbScan    *scan = ddb_scan_make(table, index, forward);
	uint32		share = limit_hint > 0 ? limit_hint / index->shards + 1 : SHARD_FIRST_BATCH;

	ddb_scan_set_collection(scan, condition, after, shard);
	ddb_scan_start(scan, share, SHARD_LARGEST_BATCH);
	return scan;
}

DdbScan *
ddb_scan_merge(DdbTable *table, const DdbScanIndex *index, const DdbKeyCondition *condition,
			   bool forward, const DdbPlace *after, uint32 limit_hint)
{
	DdbScan    *scan = palloc0(sizeof(DdbScan));
	ScanMerge  *merge = palloc0(sizeof(ScanMerge));

	scan->context = CurrentMemoryContext;
	scan->owner = CurrentResourceOwner;
	scan->merge = merge;
	merge->n = index->shards;
	merge->shards = palloc_array(Shard, merge->n);
	merge->heap = binaryheap_allocate(merge->n, compare_shards, NULL);
	for (int i = 0; i < merge->n; i++)
	{
		Shard	   *shard = &merge->shards[i];

		CHECK_FOR_INTERRUPTS();
		shard->scan = scan_shard(table, index, condition, forward, after, i, limit_hint);
		if (advance_shard(shard))
			binaryheap_add_unordered(merge->heap, PointerGetDatum(shard));
	}
	binaryheap_build(merge->heap);
	return scan;
}

bool
ddb_scan_merge_next(ScanMerge *merge, DdbRecord *record)
{
	/* The row given last is the caller's until now. */
	if (merge->given && advance_shard(merge->given))
		binaryheap_replace_first(merge->heap, PointerGetDatum(merge->given));
	else if (merge->given)
		(void) binaryheap_remove_first(merge->heap);
	merge->given = NULL;
	if (binaryheap_empty(merge->heap))
		return false;
	merge->given = (Shard *) DatumGetPointer(binaryheap_first(merge->heap));
	ddb_scan_record(merge->given->scan, merge->given->row, record);
	return true;
}

void
ddb_scan_merge_end(ScanMerge *merge)
{
	for (int i = 0; i < merge->n; i++)
		ddb_scan_close(merge->shards[i].scan);
	binaryheap_free(merge->heap);
}
