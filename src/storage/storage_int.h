/*-------------------------------------------------------------------------
 *
 * storage_int.h
 *	  What the files of src/storage/ know of each other.
 *
 * hash.c		the order of partition keys
 * keys.c		key columns: escapes, limits, lock order
 * table.c		what a relation is, and the tables kept open
 * rows.c		one row: get, write, lock
 * scan.c		many rows: collections and segments
 * executor.c	the same on tables that are not plain
 * tableam.c	the access method
 * placement.c	where rows go
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_STORAGE_INT_H
#define DDB_STORAGE_INT_H

#include "access/heapam.h"
#include "executor/tuptable.h"
#include "storage/block.h"
#include "storage/storage.h"

/* ----------------------------------------------------------------------
 * hash.c
 * ---------------------------------------------------------------------- */

/* XXH64 with seed 0. */
extern uint64 ddb_hash_bytes(const uint8 *data, size_t len);

/*
 * A search key that sorts before every key of this hash; good for one descent,
 * for there is one such key at a time.
 */
extern Datum ddb_hash_bound(int64 hash);

/* The classes' order functions, by which an index is recognised as ours. */
extern Datum ddb_text_hash_cmp(PG_FUNCTION_ARGS);
extern Datum ddb_numeric_hash_cmp(PG_FUNCTION_ARGS);
extern Datum ddb_bytea_hash_cmp(PG_FUNCTION_ARGS);

/* The operator class parameters of a key index. */
typedef struct DdbKeyOptions
{
	int32		vl_len_;
	int			partition_key;	/* offsets of the names in this struct */
	int			sort_key;
} DdbKeyOptions;

/* ----------------------------------------------------------------------
 * table.c: what a relation is
 * ---------------------------------------------------------------------- */

/*
 * Found once per relation and kept with its relcache entry, so it goes when
 * the entry is invalidated: whatever may process invalidations (opening a
 * relation, taking a lock, a toasted insert) ends a pointer's life.  Copy what
 * you need beyond that.
 */
typedef struct DdbFacts
{
	Oid			key_index;		/* InvalidOid: no key index (yet) */
	AttrNumber	pk;				/* columns; 0 where there is none */
	AttrNumber	sk;
	AttrNumber	item;
	bool		plain;			/* as we made it: see table.c */
	bool		other_indexes;	/* has indexes beside the key index */
	DdbKeySchema schema;
} DdbFacts;

extern const DdbFacts *ddb_facts(Relation rel);

/* ----------------------------------------------------------------------
 * placement.c: where rows go
 *
 * The access method and rows.c have checked the rows; these choose the page
 * and do what heap's callback of the same name does.  A relation without a
 * key index (a rewrite's target, a table being restored) has facts with
 * key_index == InvalidOid.
 * ---------------------------------------------------------------------- */

/*
 * Where the rows beside a key stand: heap blocks of the index entries around
 * the place where the key's own entry goes, nearest first, as far as they lie
 * on the same index page.
 */
#define DDB_NEIGHBOURS 16

typedef struct DdbNeighbours
{
	int			nbefore;		/* of the same collection, smaller sort keys */
	int			nafter;			/* of the same collection, greater ones */
	BlockNumber before[DDB_NEIGHBOURS];
	BlockNumber after[DDB_NEIGHBOURS];
	BlockNumber beside;			/* of the nearest other collection, or invalid */
} DdbNeighbours;

/*
 * neighbours is NULL when the caller has not looked (SQL's inserts).
 * spec_token is 0 but for INSERT ... ON CONFLICT.
 */
extern void ddb_place_insert(Relation rel, const DdbFacts *facts, TupleTableSlot *slot,
							 CommandId cid, int options, BulkInsertState bistate,
							 uint32 spec_token, const DdbNeighbours *neighbours);
extern void ddb_place_multi_insert(Relation rel, const DdbFacts *facts, TupleTableSlot **slots,
								   int nslots, CommandId cid, int options,
								   BulkInsertState bistate);

/* *index is set when the new version needs index entries of its own. */
extern TM_Result ddb_place_update(Relation rel, const DdbFacts *facts, ItemPointer otid,
								  TupleTableSlot *slot, CommandId cid, Snapshot crosscheck,
								  bool wait, TM_FailureData *tmfd, LockTupleMode *lockmode,
								  DdbUpdateIndexes *index);

#endif							/* DDB_STORAGE_INT_H */
