/*-------------------------------------------------------------------------
 *
 * storage_int.h
 *	  What the files of src/storage/ know of each other.
 *
 * hash.c		the order of partition keys
 * keys.c		key columns: escapes, limits, lock order
 * facts.c		what a relation is
 * table.c		the tables kept open
 * rows.c		one row: get, write, lock
 * scan.c		many rows: collections and segments
 * scan_keys.c	which entries of an index a scan wants
 * scan_index.c	scans of secondary indexes
 * executor.c	the same on tables that are not plain
 * tableam.c	the access method
 * check.c		what it demands of a row
 * capture.c	who is told of changed rows
 * entries.c	entries of global secondary indexes: opened, and looked for
 * entries_write.c	the same: removed and put
 * log.c		append-only logs
 * lookup.c		one key in the key index
 * neighbourhood.c	what the key index tells of the rows around a key
 * placement.c	where rows go
 * placement_batch.c	where the rows of a COPY go
 * compact.c, compact_pass.c, compact_guard.c	moving rows together that were placed
 *				apart (compact_int.h)
 * owner.c		acting as a table's owner
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_STORAGE_INT_H
#define DDB_STORAGE_INT_H

#include "access/heapam.h"
#include "access/skey.h"
#include "executor/tuptable.h"
#include "storage/block.h"
#include "storage/storage.h"
#include "utils/resowner.h"

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

/* The function of a scan key that the descent has settled (scan_keys.c). */
extern Datum ddb_always(PG_FUNCTION_ARGS);

/* The hash of a key column's value. */
extern int64 ddb_datum_hash(DdbType type, Datum datum);

/*
 * Makes this datum the search key whose hash is known by its address; its
 * bytes must stay until another is announced, or it is withdrawn.  `rest`
 * places an entry that has this key.
 */
typedef int (*DdbEntryOrder) (Datum entry);
extern void ddb_hash_announce(Datum key, DdbType type, DdbEntryOrder rest);
extern void ddb_hash_withdraw(void);

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
 * keys.c
 * ---------------------------------------------------------------------- */

/* As ddb_key_to_datum(), into `buffer` if it fits into `size` bytes. */
extern Datum ddb_key_store(DdbValue value, char *buffer, Size size);

/* Order of two values of a key column: by bytes, numbers by value. */
extern int	ddb_datum_compare(DdbType type, Datum a, Datum b);

/*
 * The same for a value as it stands in an index entry or a row, mostly with a
 * short header, and a search key's, which is plain.
 */
static inline int
ddb_stored_compare(DdbType type, Datum stored, Datum wanted)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(stored);
	struct varlena *key = (struct varlena *) DatumGetPointer(wanted);
	int			len;
	int			key_len;
	int			order;

	if (unlikely(type == DDB_N || !VARATT_IS_1B(value) || VARATT_IS_1B_E(value)))
		return ddb_datum_compare(type, stored, wanted);
	len = VARSIZE_1B(value) - VARHDRSZ_SHORT;
	key_len = VARSIZE_4B(key) - VARHDRSZ;
	order = memcmp(VARDATA_1B(value), VARDATA_4B(key), Min(len, key_len));
	return order ? order : len - key_len;
}

/* Raises YD001 when the index entry of this key would not fit. */
extern void ddb_key_check_entry(const DdbKeySchema *schema, const Datum *datums);

/* The table's CHECK constraint, by which it is recognised. */
extern Datum ddb_check_key(PG_FUNCTION_ARGS);

/* ----------------------------------------------------------------------
 * facts.c: what a relation is
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
	bool		in_order;		/* pk, sk and item are the first columns */
	bool		observed;		/* the observer is told of changes */
	DdbKeySchema schema;
} DdbFacts;

extern const DdbFacts *ddb_facts(Relation rel);

/* Is the index's first column in one of our classes; does this one sort in the order of bytes? */
extern bool ddb_in_hash_class(Relation index);
extern bool ddb_in_byte_order(Relation index, int column);

/* Listens for news of relations; called once, at load. */
extern void ddb_facts_init(void);

/* Is the relation under our access method?  (tableam.c) */
extern bool ddb_is_ours(Relation rel);

/* The columns of a row as they lie; views into the tuple. */
typedef struct DdbColumnValues
{
	Datum		pk;
	Datum		sk;
	Datum		item;
} DdbColumnValues;

/* The column of a variable length that stands here, and on to the next. */
static inline Datum
ddb_next_varlena(char **at)
{
	char	   *value = (char *) att_align_pointer((uintptr_t) *at, TYPALIGN_INT, -1, *at);

	*at = value + VARSIZE_ANY(value);
	return PointerGetDatum(value);
}

/* Reads them; false when one of them is null. */
extern bool ddb_read_columns(HeapTuple tuple, const DdbFacts *facts, TupleDesc desc,
							 DdbColumnValues *values);

/* ----------------------------------------------------------------------
 * check.c
 * ---------------------------------------------------------------------- */

/* Raises YD001 when the row is not one of this table's; may change its item. */
extern void ddb_check_row(const DdbFacts *facts, TupleTableSlot *slot);

/* Raises the error of a null in a row that came before the columns were NOT NULL. */
extern void ddb_raise_null(void) pg_attribute_noreturn();

/* ----------------------------------------------------------------------
 * capture.c: only for relations whose facts say `observed`
 * ---------------------------------------------------------------------- */

/* Is it to be observed? */
extern bool ddb_capture_wanted(Oid relid);

/*
 * Before a row of this materialized view is changed by SQL, which only REFRESH
 * ... CONCURRENTLY can do: refuses it, where the view is an index.
 */
extern void ddb_capture_refuse_refresh(Oid relid);

/* Can an index that is not populated be read nevertheless? */
extern bool ddb_capture_closed(Oid index);

/* Before a row is written, and after. */
extern bool ddb_capture_check(Oid relid, const DdbRecord *old, const DdbRecord *row,
							  DdbRowNotes *notes);
extern void ddb_capture_changed(Oid relid, const DdbRecord *old, const DdbRecord *new,
								const DdbRowNotes *notes);
extern void ddb_capture_emptied(void);

/* The same from the access method's view; slot NULL: the row was deleted. */
extern void ddb_capture_check_slot(Relation rel, const DdbFacts *facts, TupleTableSlot *slot);
extern void ddb_capture_inserted(Relation rel, const DdbFacts *facts, TupleTableSlot *slot);
extern void ddb_capture_replaced(Relation rel, const DdbFacts *facts, ItemPointer tid,
								 TupleTableSlot *slot);

/* ----------------------------------------------------------------------
 * entries.c
 * ---------------------------------------------------------------------- */

/* Gives a relation, its toast table and indexes new and empty storage. */
extern void ddb_set_new_storage(Relation rel);

/* ----------------------------------------------------------------------
 * log.c
 * ---------------------------------------------------------------------- */

/* Closes the log that the transaction writes to. */
extern void ddb_log_close(void);

/* The transaction is over: PostgreSQL has let go of it. */
extern void ddb_log_forget(void);

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

/* The room on a page for rows and their line pointers; 0 and *busy + 1 if it is locked. */
extern Size ddb_page_room(Relation rel, BlockNumber block, int *busy);

/* A new page at the file's end, known to nobody else. */
extern BlockNumber ddb_page_extend(Relation rel);

/* placement_batch.c: the same for a relation with a key index. */
extern void ddb_place_batch(Relation rel, const DdbFacts *facts, TupleTableSlot **slots,
							int nslots, CommandId cid, int options, BulkInsertState bistate);

/* The page of the nearest row of the slot's collection, or invalid if it has none. */
extern BlockNumber ddb_place_nearest(Relation rel, const DdbFacts *facts, TupleTableSlot *slot);

/* *index is set when the new version needs index entries of its own. */
extern TM_Result ddb_place_update(Relation rel, const DdbFacts *facts, ItemPointer otid,
								  TupleTableSlot *slot, CommandId cid, Snapshot crosscheck,
								  bool wait, TM_FailureData *tmfd, LockTupleMode *lockmode,
								  DdbUpdateIndexes *index);

/* ----------------------------------------------------------------------
 * neighbourhood.c: the rows around a key
 * ---------------------------------------------------------------------- */

/* Index entries looked at to either side of a key. */
#define DDB_WINDOW 128

typedef struct DdbCollectionSeen
{
	int			rows;
	BlockNumber newest;			/* the highest block it stands on */
	int			on_newest;		/* its rows there */
	int			pages;			/* that it stands on */
	bool		whole;			/* the window holds all of it */
	int			next;			/* the next collection with the same newest block, or 0 */
} DdbCollectionSeen;

typedef struct DdbBlockSeen
{
	BlockNumber block;
	int			rows;			/* in the window; the page may hold more */
	int			own_rows;		/* of the key's own collection */
	int			last;			/* the collection last met on it */
	int			newest_of;		/* the first collection whose newest block it is, or 0 */
} DdbBlockSeen;

typedef struct DdbNeighbourhood
{
	Relation	heap;
	Relation	index;
	IndexTuple	key;			/* the key's own entry, as it will be */
	int			ncollections;
	int			nblocks;
	DdbCollectionSeen collections[2 * DDB_WINDOW + 1];	/* [0] is the key's own */
	DdbBlockSeen blocks[2 * DDB_WINDOW];	/* nearest first */
	uint16		table[4 * DDB_WINDOW];	/* finds a block's number + 1 */
} DdbNeighbourhood;

/* Finds the key's place; good until the next call. */
extern DdbNeighbourhood *ddb_neighbourhood_begin(Relation heap, Relation index, Datum *values);

/* Goes on until so many entries to either side are seen, DDB_WINDOW at most. */
extern void ddb_neighbourhood_widen(DdbNeighbourhood *hood, int width);

/* Goes on to the ends of the key's own collection. */
extern void ddb_neighbourhood_see_own(DdbNeighbourhood *hood);

/* Works out newest_of, once and when the rest is seen. */
extern void ddb_neighbourhood_note_debts(DdbNeighbourhood *hood);
extern int	ddb_neighbourhood_median(const DdbNeighbourhood *hood);

/* ----------------------------------------------------------------------
 * table.c: the tables kept open
 * ---------------------------------------------------------------------- */

/* Room for a key column's datum; a rare longer one is palloc'd. */
#define DDB_KEY_BUFFER	1024

struct DdbTable
{
	/* Who it is and what was checked; these live to the transaction's end. */
	Oid			relid;
	Oid			userid;
	AclMode		granted;		/* privileges checked */
	LOCKMODE	lockmode;		/* strongest lock taken */
	bool		open;
	bool		stale;			/* invalidated since it was opened */
	bool		row_security;	/* reads must go through the executor */
	int			held;			/* nesting level of the transaction in which it is, or 0 */
	DdbFacts	facts;
	DdbTable   *next;

	/* What is open, in a resource owner and a memory context of its own. */
	ResourceOwner owner;
	MemoryContext context;
	MemoryContext row_context;	/* what a record points to, until the next one */
	Relation	heap;
	Relation	index;
	struct IndexInfo *index_info;
	IndexScanDesc scan;			/* of the key index, rescanned for each key */
	ScanKeyData scan_key;
	SnapshotData dirty;
	TupleTableSlot *slot;		/* the row found; holds no pin between calls */
	TupleTableSlot *new_slot;	/* the row to be written */

	/* The key looked for. */
	Datum		key[2];
	char	   *key_buffer[2];
	bool		key_met;		/* the scan has met an entry of this key */
	DdbNeighbours *neighbours;	/* wanted if it meets none; or NULL */

	DdbRecord	record;
	uint8	   *row;			/* a copy of the last item read */
	Size		row_size;
};

/* Opens the table again if it was closed or invalidated since. */
extern void ddb_table_reopen(DdbTable *table);

static inline void
ddb_table_ready(DdbTable *table)
{
	if (unlikely(!table->open || table->stale))
		ddb_table_reopen(table);
}

/*
 * Around what may run users' code in the middle of an operation: keeps the
 * table, open and to itself (table.c).  An error lets go by itself.
 */
extern void ddb_table_hold(DdbTable *table);
extern void ddb_table_let_go(DdbTable *table);

/* Raises the error of a relation that is no ddb table. */
extern void ddb_not_a_table(Oid relid) pg_attribute_noreturn();

/* ----------------------------------------------------------------------
 * lookup.c: one key in the key index
 * ---------------------------------------------------------------------- */

/* Makes the table's scan of the key index. */
extern void ddb_lookup_begin(DdbTable *table);

/* Makes this the key that the following look-ups look for. */
extern void ddb_lookup_key(DdbTable *table, const DdbKey *key);

/* Finds the version that an MVCC snapshot sees; it is in table->slot. */
extern bool ddb_lookup(DdbTable *table, Snapshot snapshot);

/*
 * Finds the newest version, our own uncommitted one included, waiting for
 * other writers; it is in table->slot.  False is certain: no version was
 * missed that moved while we looked.  Then *neighbours is filled.
 */
extern bool ddb_lookup_newest(DdbTable *table, DdbNeighbours *neighbours);

/* Lets go of the scan's pins; the row in table->slot stays. */
extern void ddb_lookup_release(DdbTable *table);

/* Lets go of everything: no pin may outlive the caller's call. */
extern void ddb_lookup_end(DdbTable *table);

/* ----------------------------------------------------------------------
 * executor.c: the same through SQL, on tables that are not plain
 * ---------------------------------------------------------------------- */
extern bool ddb_exec_get(DdbTable *table, const DdbKey *key, DdbRecord *record);
extern void ddb_exec_write(DdbTable *table, const DdbKey *key, DdbDecide decide, void *arg);

/* What of scan.c goes through the executor, where row security filters rows. */
typedef struct DdbExecScan DdbExecScan;

/* A range of sort keys; NULL is no bound.  nothing: the scan has no rows. */
extern DdbExecScan *ddb_exec_collection(DdbTable *table, DdbValue partition,
										const DdbValue *low, bool low_inclusive,
										const DdbValue *high, bool high_inclusive,
										bool forward, bool nothing);

/* Hashes from first (or NULL) to before end (or NULL), beyond a key (or NULL). */
extern DdbExecScan *ddb_exec_segment(DdbTable *table, const int64 *first, const int64 *end,
									 const DdbKey *after);

/* The next row, in memory of `context`, which is reset first. */
extern bool ddb_exec_next(DdbExecScan *scan, MemoryContext context, DdbRecord *record);
extern void ddb_exec_end(DdbExecScan *scan);

/* ----------------------------------------------------------------------
 * rows.c, for executor.c
 * ---------------------------------------------------------------------- */

/*
 * ddb_lookup_newest(), and above READ COMMITTED the demand that the
 * transaction's snapshot sees that version.
 */
extern bool ddb_look(DdbTable *table, DdbNeighbours *neighbours);

/* Locks the row found; false when it must be looked for again. */
extern bool ddb_lock_found(DdbTable *table);

/* The record of the row in table->slot, good while the slot holds it. */
extern const DdbRecord *ddb_slot_record(DdbTable *table);

#endif							/* DDB_STORAGE_INT_H */
