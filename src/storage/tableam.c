/*-------------------------------------------------------------------------
 *
 * tableam.c
 *	  The access method: PostgreSQL's heap, but we choose the page.
 *
 * The routine is a copy of heap's, so pages, WAL, visibility, vacuum, TOAST
 * and decoding are heap's.  What is overridden:
 *
 *	insert, multi_insert, speculative insert, update
 *		the row is checked (check.c) and placed (placement.c), on whatever path
 *		it comes: INSERT, COPY, MERGE, an apply worker.
 *	the same, delete and the end of a speculative insertion
 *		the observer is told (capture.c).
 *	insert, delete
 *		a materialized view's row is changed by SQL in REFRESH ... CONCURRENTLY
 *		alone, from a snapshot older than its lock: an index refuses it, whose
 *		worker would never learn of it.
 *	relation_toast_am
 *		heap: the toast table has no keys.
 *	index_build_range_scan, index_validate_scan
 *		heap's own, run under heap's name (below).
 *
 * Heap's name: heap_getnext() insists on a relation whose access method is
 * heap, by address, and heap's index builds call it.  So rd_tableam is
 * switched for the time of the scan.  A relcache invalidation in the middle
 * (an expression index's function may open a table and so receive one)
 * rebuilds the entry and puts our address back; callbacks run after the
 * rebuild, so a callback switches again.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "catalog/pg_am.h"
#include "commands/matview.h"
#include "nodes/execnodes.h"
#include "storage/storage_int.h"
#include "utils/inval.h"

/* ----------------------------------------------------------------------
 * Rows in
 * ---------------------------------------------------------------------- */
static inline void
check_refresh(Relation rel)
{
	if (unlikely(rel->rd_rel->relkind == RELKIND_MATVIEW &&
				 MatViewIncrementalMaintenanceIsEnabled()))
		ddb_capture_refuse_refresh(RelationGetRelid(rel));
}

static void
insert(Relation rel, TupleTableSlot *slot, CommandId cid, int options,
	   BulkInsertState bistate, uint32 spec_token)
{
	DdbFacts	facts = *ddb_facts(rel);

	check_refresh(rel);
	ddb_check_row(&facts, slot);
	if (unlikely(facts.observed))
		ddb_capture_check_slot(rel, &facts, slot);
	ddb_place_insert(rel, &facts, slot, cid, options, bistate, spec_token, NULL);
	if (unlikely(facts.observed) && spec_token == 0)
		ddb_capture_inserted(rel, &facts, slot);
}

static void
am_tuple_insert(Relation rel, TupleTableSlot *slot, CommandId cid, int options,
				BulkInsertState bistate)
{
	insert(rel, slot, cid, options, bistate, 0);
}

static void
am_tuple_insert_speculative(Relation rel, TupleTableSlot *slot, CommandId cid, int options,
							BulkInsertState bistate, uint32 spec_token)
{
	insert(rel, slot, cid, options, bistate, spec_token);
}

/* Only now it is certain that the row stays. */
static void
am_tuple_complete_speculative(Relation rel, TupleTableSlot *slot, uint32 spec_token,
							  bool succeeded)
{
	GetHeapamTableAmRoutine()->tuple_complete_speculative(rel, slot, spec_token, succeeded);
	if (succeeded && ddb_facts(rel)->observed)
	{
		DdbFacts	facts = *ddb_facts(rel);

		ddb_capture_inserted(rel, &facts, slot);
	}
}

static void
am_multi_insert(Relation rel, TupleTableSlot **slots, int nslots, CommandId cid, int options,
				BulkInsertState bistate)
{
	DdbFacts	facts = *ddb_facts(rel);

	for (int i = 0; i < nslots; i++)
	{
		ddb_check_row(&facts, slots[i]);
		if (unlikely(facts.observed))
			ddb_capture_check_slot(rel, &facts, slots[i]);
	}
	ddb_place_multi_insert(rel, &facts, slots, nslots, cid, options, bistate);
	for (int i = 0; facts.observed && i < nslots; i++)
		ddb_capture_inserted(rel, &facts, slots[i]);
}

static TM_Result
am_tuple_update(Relation rel, ItemPointer otid, TupleTableSlot *slot, CommandId cid,
				Snapshot snapshot, Snapshot crosscheck, bool wait, TM_FailureData *tmfd,
				LockTupleMode *lockmode, DdbUpdateIndexes *update_indexes)
{
	DdbFacts	facts = *ddb_facts(rel);
	TM_Result	result;

	ddb_check_row(&facts, slot);
	if (unlikely(facts.observed))
		ddb_capture_check_slot(rel, &facts, slot);
	result = ddb_place_update(rel, &facts, otid, slot, cid, crosscheck, wait, tmfd, lockmode,
							  update_indexes);
	if (unlikely(facts.observed) && result == TM_Ok)
		ddb_capture_replaced(rel, &facts, otid, slot);
	return result;
}

static TM_Result
am_tuple_delete(Relation rel, ItemPointer tid, CommandId cid, Snapshot snapshot,
				Snapshot crosscheck, bool wait, TM_FailureData *tmfd, bool changing_part)
{
	TM_Result	result;

	check_refresh(rel);
	result = GetHeapamTableAmRoutine()->tuple_delete(rel, tid, cid, snapshot, crosscheck, wait,
													 tmfd, changing_part);
	if (result == TM_Ok && ddb_facts(rel)->observed)
	{
		DdbFacts	facts = *ddb_facts(rel);

		ddb_capture_replaced(rel, &facts, tid, NULL);
	}
	return result;
}

static Oid
am_relation_toast_am(Relation rel)
{
	return HEAP_TABLE_AM_OID;
}

/* ----------------------------------------------------------------------
 * Under heap's name
 * ---------------------------------------------------------------------- */

/* The scans that run now; a function of an expression index may nest one. */
typedef struct HeapName
{
	Relation	rel;
	const TableAmRoutine *own;
	struct HeapName *outer;
} HeapName;

static HeapName *heap_names = NULL;

static void
heap_name_again(Datum arg, Oid relid)
{
	for (HeapName *name = heap_names; name; name = name->outer)
	{
		if (relid == InvalidOid || relid == RelationGetRelid(name->rel))
			name->rel->rd_tableam = GetHeapamTableAmRoutine();
	}
}

static void
heap_name_begin(HeapName *name, Relation rel)
{
	static bool registered = false;

	if (!registered)
	{
		CacheRegisterRelcacheCallback(heap_name_again, (Datum) 0);
		registered = true;
	}
	name->rel = rel;
	name->own = rel->rd_tableam;
	name->outer = heap_names;
	heap_names = name;
	rel->rd_tableam = GetHeapamTableAmRoutine();
}

static void
heap_name_end(HeapName *name)
{
	heap_names = name->outer;
	name->rel->rd_tableam = name->own;
}

static double
am_index_build_range_scan(Relation rel, Relation index, IndexInfo *info, bool allow_sync,
						  bool anyvisible, bool progress, BlockNumber start,
						  BlockNumber nblocks, IndexBuildCallback callback, void *state,
						  TableScanDesc scan)
{
	HeapName	name;
	double		result;

	heap_name_begin(&name, rel);
	PG_TRY();
	{
		result = GetHeapamTableAmRoutine()->index_build_range_scan(rel, index, info, allow_sync,
																   anyvisible, progress, start,
																   nblocks, callback, state,
																   scan);
	}
	PG_FINALLY();
	{
		heap_name_end(&name);
	}
	PG_END_TRY();
	return result;
}

static void
am_index_validate_scan(Relation rel, Relation index, IndexInfo *info, Snapshot snapshot,
					   struct ValidateIndexState *state)
{
	HeapName	name;

	heap_name_begin(&name, rel);
	PG_TRY();
	{
		GetHeapamTableAmRoutine()->index_validate_scan(rel, index, info, snapshot, state);
	}
	PG_FINALLY();
	{
		heap_name_end(&name);
	}
	PG_END_TRY();
}

/* TRUNCATE, for one: what follows the table's rows has to begin anew. */
static void
am_relation_set_new_filenode(Relation rel, const RelFileNode *storage, char persistence,
							 TransactionId *freeze_xid, MultiXactId *min_multi)
{
	GetHeapamTableAmRoutine()->relation_set_new_filenode(rel, storage, persistence, freeze_xid,
														 min_multi);
	if (rel->rd_createSubid == InvalidSubTransactionId)
		ddb_capture_emptied();
}

/* ----------------------------------------------------------------------
 * The handler
 * ---------------------------------------------------------------------- */
static TableAmRoutine routine;

bool
ddb_is_ours(Relation rel)
{
	if (likely(rel->rd_tableam == &routine))
		return true;
	for (HeapName *name = heap_names; name; name = name->outer)
	{
		if (name->rel == rel)
			return true;
	}
	return false;
}

PG_FUNCTION_INFO_V1(ddb_tableam_handler);
extern Datum ddb_tableam_handler(PG_FUNCTION_ARGS);

Datum
ddb_tableam_handler(PG_FUNCTION_ARGS)
{
	if (routine.type != T_TableAmRoutine)
	{
		routine = *GetHeapamTableAmRoutine();
		routine.tuple_insert = am_tuple_insert;
		routine.tuple_insert_speculative = am_tuple_insert_speculative;
		routine.tuple_complete_speculative = am_tuple_complete_speculative;
		routine.multi_insert = am_multi_insert;
		routine.tuple_update = am_tuple_update;
		routine.tuple_delete = am_tuple_delete;
		routine.relation_toast_am = am_relation_toast_am;
		routine.relation_set_new_filenode = am_relation_set_new_filenode;
		routine.index_build_range_scan = am_index_build_range_scan;
		routine.index_validate_scan = am_index_validate_scan;
	}
	PG_RETURN_POINTER(&routine);
}
