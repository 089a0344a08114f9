/*-------------------------------------------------------------------------
 *
 * placement_batch.c
 *	  Where the rows of a COPY go.
 *
 * COPY hands over up to a thousand rows at once and makes their index entries
 * afterwards.
 *
 * A batch in which every collection's rows stand together, as a sorted or
 * grouped file brings them, needs no reservations: its new collections come
 * whole, and are packed onto page after page, as heap does it.  What tells
 * such a batch from rows in random order is that no collection comes twice,
 * and that either its rows are two a collection or its keys ascend.  Rows of
 * collections that the table has already are placed one by one, beside the
 * others; but not of the one that the batch before ended with, which goes on
 * where it was.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/hio.h"
#include "storage/bufmgr.h"
#include "storage/storage_int.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/numeric.h"
#include "utils/rel.h"

typedef struct Batch
{
	Relation	rel;
	DdbFacts	facts;			/* a copy: toasting may end the original's life */
	TupleTableSlot **slots;
	int			nslots;
	int64	   *hashes;
	CommandId	cid;
	int			options;
	BulkInsertState bistate;
} Batch;

static Datum
partition_of(const Batch *batch, int i)
{
	bool		isnull;

	return slot_getattr(batch->slots[i], batch->facts.pk, &isnull);
}

/* Is the row's partition key not below that of the row before? */
static bool
ascends(const Batch *batch, int i)
{
	Datum		before = partition_of(batch, i - 1);
	Datum		key = partition_of(batch, i);

	if (batch->facts.schema.attr[0].type == DDB_N)
		return DatumGetBool(DirectFunctionCall2(numeric_le, before, key));
	return DatumGetBool(DirectFunctionCall2(byteale, before, key));
}

/* Do the rows of each collection stand together, and is that no accident? */
static bool
is_grouped(const Batch *batch)
{
	HASHCTL		ctl = {.keysize = sizeof(int64), .entrysize = sizeof(int64), .hcxt = CurrentMemoryContext};
	HTAB	   *met = hash_create("ddb batch", batch->nslots, &ctl,
								  HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	int			runs = 0;
	bool		ascending = true;
	bool		again = false;

	for (int i = 0; i < batch->nslots && !again; i++)
	{
		if (i > 0 && batch->hashes[i] == batch->hashes[i - 1])
			continue;
		runs++;
		hash_search(met, &batch->hashes[i], HASH_ENTER, &again);
		if (i > 0 && ascending)
			ascending = ascends(batch, i);
	}
	hash_destroy(met);
	return !again && (runs * 2 <= batch->nslots || (ascending && runs > 2));
}

static void
place_one(Batch *batch, int i)
{
	ddb_place_insert(batch->rel, &batch->facts, batch->slots[i], batch->cid, batch->options,
					 NULL, 0, NULL);
}

static int
run_end(const Batch *batch, int i)
{
	int64		hash = batch->hashes[i];

	while (i < batch->nslots && batch->hashes[i] == hash)
		i++;
	return i;
}

/* Does the run that begins at i go with the rows that are packed? */
static bool
is_packed(const Batch *batch, int i)
{
	BlockNumber nearest = ddb_place_nearest(batch->rel, &batch->facts, batch->slots[i]);

	return nearest == InvalidBlockNumber ||
		(i == 0 && batch->bistate && BufferIsValid(batch->bistate->current_buf) &&
		 nearest == BufferGetBlockNumber(batch->bistate->current_buf));
}

static void
append(Batch *batch, int from, int to)
{
	if (from < to)
		GetHeapamTableAmRoutine()->multi_insert(batch->rel, batch->slots + from, to - from,
												batch->cid, batch->options, batch->bistate);
}

/* Packs the new collections, and places the rows of those that the table has. */
static void
place_grouped(Batch *batch)
{
	int			from = 0;		/* the rows from here to i are to be packed */
	int			to;

	for (int i = 0; i < batch->nslots; i = to)
	{
		to = run_end(batch, i);
		if (is_packed(batch, i))
			continue;
		append(batch, from, i);
		for (; i < to; i++)
			place_one(batch, i);
		from = to;
	}
	append(batch, from, batch->nslots);
}

void
ddb_place_batch(Relation rel, const DdbFacts *facts, TupleTableSlot **slots, int nslots,
				CommandId cid, int options, BulkInsertState bistate)
{
	Batch		batch = {rel, *facts, slots, nslots, NULL, cid, options, bistate};

	batch.hashes = palloc(nslots * sizeof(int64));
	for (int i = 0; i < nslots; i++)
		batch.hashes[i] = ddb_datum_hash(facts->schema.attr[0].type, partition_of(&batch, i));
	if (is_grouped(&batch))
		place_grouped(&batch);
	else
	{
		for (int i = 0; i < nslots; i++)
			place_one(&batch, i);
	}
	pfree(batch.hashes);
}
