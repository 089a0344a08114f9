/*-------------------------------------------------------------------------
 *
 * placement.c
 *	  Where a row goes.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "storage/storage_int.h"

void
ddb_place_insert(Relation rel, const DdbFacts *facts, TupleTableSlot *slot, CommandId cid,
				 int options, BulkInsertState bistate, uint32 spec_token,
				 const DdbNeighbours *neighbours)
{
	const TableAmRoutine *heap = GetHeapamTableAmRoutine();

	if (spec_token)
		heap->tuple_insert_speculative(rel, slot, cid, options, bistate, spec_token);
	else
		heap->tuple_insert(rel, slot, cid, options, bistate);
}

void
ddb_place_multi_insert(Relation rel, const DdbFacts *facts, TupleTableSlot **slots, int nslots,
					   CommandId cid, int options, BulkInsertState bistate)
{
	GetHeapamTableAmRoutine()->multi_insert(rel, slots, nslots, cid, options, bistate);
}

TM_Result
ddb_place_update(Relation rel, const DdbFacts *facts, ItemPointer otid, TupleTableSlot *slot,
				 CommandId cid, Snapshot crosscheck, bool wait, TM_FailureData *tmfd,
				 LockTupleMode *lockmode, DdbUpdateIndexes *index)
{
	return GetHeapamTableAmRoutine()->tuple_update(rel, otid, slot, cid, InvalidSnapshot,
												   crosscheck, wait, tmfd, lockmode, index);
}
