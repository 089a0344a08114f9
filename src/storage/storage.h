/*-------------------------------------------------------------------------
 *
 * storage.h
 *	  Rows of ddb tables: found by key, read in key order, written exactly
 *	  once, placed beside their collection.
 *
 * Nothing above src/storage/ opens a scan or calls a table or index access
 * method.  A table is its columns (pk, sk, item) and its key index; the names
 * of the key attributes are the index's operator class parameters, so what is
 * needed to read and write is found from the relation itself and cached with
 * its relcache entry.
 *
 * Every function may raise PostgreSQL's own errors (locks, privileges,
 * read-only transaction, standby); those of ddb are named below.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_STORAGE_H
#define DDB_STORAGE_H

#include "item/item.h"
#include "nodes/parsenodes.h"
#include "utils/rel.h"
#include "utils/snapshot.h"

/* Installs what ends the keeping of open tables; called once, at load. */
extern void ddb_storage_init(void);

/*
 * An open table.  Opened tables are kept until the statement's next utility
 * command or the transaction's end, so that opening again costs no lock and
 * no catalog look-up; the lock is held to the end of the transaction.  A
 * caller never closes one and never keeps the pointer beyond its own call.
 */
typedef struct DdbTable DdbTable;

/*
 * Opens a table for an operation that needs these privileges (ACL_SELECT,
 * ACL_INSERT | ACL_UPDATE ...) of the current user; any but ACL_SELECT makes
 * it a write (row exclusive lock, refused when read-only or in recovery).
 * Raises YD004 when there is no such relation, ERRCODE_WRONG_OBJECT_TYPE when
 * it is not a ddb table.
 */
extern DdbTable *ddb_table_open(Oid relid, AclMode need);

extern const DdbKeySchema *ddb_table_schema(const DdbTable *table);
extern Oid	ddb_table_oid(const DdbTable *table);

/* Is the table as ddb.create_table() made it (see rows.c)? */
extern bool ddb_table_is_plain(const DdbTable *table);

/* The relation's key schema if it is a ddb table; false otherwise. */
extern bool ddb_relation_key_schema(Oid relid, DdbKeySchema *schema);

/* The same, and where its columns stand; sk is 0 with a simple key. */
typedef struct DdbColumns
{
	AttrNumber	pk;
	AttrNumber	sk;
	AttrNumber	item;
} DdbColumns;

extern bool ddb_relation_columns(Oid relid, DdbKeySchema *schema, DdbColumns *columns);

/* ----------------------------------------------------------------------
 * Reading.  Records are views: valid until the next call for the same table
 * or scan.  The snapshot is the active one.
 * ---------------------------------------------------------------------- */
extern bool ddb_row_get(DdbTable *table, const DdbKey *key, DdbRecord *record);

typedef struct DdbScan DdbScan;

/* A secondary index of the table, as a scan reads it. */
typedef struct DdbScanIndex
{
	const char *name;			/* for messages */
	Oid			relid;			/* of the entries; of a local index: the btree */
	bool		local;
	uint8		partition;		/* types of its key columns: B for several attributes */
	bool		has_sort;
	uint8		sort;
	int			shards;			/* 0: not sharded */
} DdbScanIndex;

/*
 * A place in the order of a table or an index: where an item is, or would be.
 * Partition and sort key are the index's, or the table's own.
 */
typedef struct DdbPlace
{
	DdbValue	partition;
	DdbValue	sort;			/* where there is a sort key */
	DdbKey		key;			/* the item's; zeroed: behind all items of this sort key */
} DdbPlace;

/* What is said of an index that is not there, or no more. */
#define DDB_NO_INDEX_MESSAGE "The table does not have the specified index"

/*
 * The items of one collection in sort-key order, of the table or (index not
 * NULL) of one of its indexes.  `after` (or NULL) is an exclusive start,
 * whether or not an item is there; limit_hint (0: unknown) is how many rows
 * the caller expects to take.
 *
 * An index's records look like the table's; of a global one they hold what is
 * projected.  Raises YD001 when it is not there or not yet filled, 42501
 * where row security would have to filter it, and 40001 when the snapshot is
 * older than the index.
 */
extern DdbScan *ddb_scan_collection(DdbTable *table, const DdbScanIndex *index,
									const DdbKeyCondition *condition, bool forward,
									const DdbPlace *after, uint32 limit_hint);

/*
 * All items of a segment, in (hash, partition key, ...) order.  Segments
 * are hash ranges: 0 .. total - 1 together hold every item exactly once.
 */
extern DdbScan *ddb_scan_segment(DdbTable *table, const DdbScanIndex *index,
								 uint32 segment, uint32 total, const DdbPlace *after);

/* Would a scan of this segment meet this partition key? */
extern bool ddb_in_segment(DdbValue partition, uint32 segment, uint32 total);

extern bool ddb_scan_next(DdbScan *scan, DdbRecord *record);
extern void ddb_scan_end(DdbScan *scan);

/* ----------------------------------------------------------------------
 * Writing.
 * ---------------------------------------------------------------------- */
typedef enum DdbDecision
{
	DDB_KEEP,					/* leave the row, or its absence, as it is */
	DDB_STORE,					/* the item becomes *stored */
	DDB_REMOVE,					/* delete the row */
} DdbDecision;

/* What an item becomes. */
typedef struct DdbStored
{
	DdbValue	rest;			/* the attributes without the key's */

	/* Known to be all that may differ from the old version; n == 0: not known. */
	int			nnames;
	const DdbName *names;
} DdbStored;

/*
 * Decides what becomes of the newest committed version of an item (or our own
 * uncommitted one); old->schema is NULL when there is none.  Called again on
 * the version that won when another writer comes between, so it must decide
 * from *old alone; the last call is what happened.  `old` lives until the call
 * returns, what *stored (zeroed before) points to must live until
 * ddb_row_write() returns.  It may raise.
 */
typedef DdbDecision (*DdbDecide) (void *arg, const DdbRecord *old, DdbStored *stored);

/*
 * Reads, decides and writes one item as a single atomic step.  Above READ
 * COMMITTED it raises 40001 when the newest version is not the one that the
 * transaction's snapshot sees.  The write is visible to the transaction's own
 * later statements and to later calls.  The item's size must be checked
 * before.
 */
extern void ddb_row_write(DdbTable *table, const DdbKey *key, DdbDecide decide, void *arg);

/*
 * Holds the item to the end of the transaction against every writer, or its
 * absence against ddb's writers.  (SQL's INSERT meets rows only: one that
 * makes the item meanwhile counts as coming after the transaction.)
 */
extern void ddb_row_lock(DdbTable *table, const DdbKey *key);

/*
 * The one global order in which several items are locked.  values[1] of a
 * simple key must be zeroed.
 */
extern int	ddb_key_lock_order(Oid relid_a, const DdbKey *a, Oid relid_b, const DdbKey *b);

/* ----------------------------------------------------------------------
 * Keys (keys.c) and their hash (hash.c)
 * ---------------------------------------------------------------------- */

/*
 * The 64-bit hash by whose order partition keys stand in the index (hash.c
 * says over which bytes).  Part of the on-disk format: it never changes.
 */
extern int64 ddb_partition_hash(DdbValue partition_key);

/* The type of a key column, or false when it cannot be one. */
extern bool ddb_key_type(Oid typid, uint8 *type);

/* A key column's Datum from a value, and back (views, or palloc'd). */
extern Datum ddb_key_to_datum(DdbValue value);
extern DdbValue ddb_key_from_datum(DdbType type, Datum datum);

/*
 * Do these columns, with `rest` bytes of others beside them, fit an entry of
 * a btree?  Columns that take no more than DDB_KEY_ALWAYS_FITS bytes do.
 */
#define DDB_KEY_ALWAYS_FITS	2560

extern bool ddb_key_columns_fit(const DdbValue *columns, int n, Size rest);

/* ----------------------------------------------------------------------
 * Who wants to know of changes (capture.c)
 *
 * One observer, registered at load by a layer above.  It is told of every
 * change of a row, on whatever path it comes (ddb's functions, SQL, COPY, an
 * apply worker), once that has happened, and of nothing that is no change:
 * failed and taken back insertions, moves, rewrites, tables without a key
 * index.
 * ---------------------------------------------------------------------- */
/*
 * Of a change that has both versions at hand: what the observer may know, and
 * what its check() has found out for its changed(), zeroed before.
 */
typedef struct DdbRowNotes
{
	int			nnames;			/* as in DdbStored */
	const DdbName *names;
	uint64		version;		/* from here on the observer's own */
	uint32		what[2];
} DdbRowNotes;

typedef struct DdbRowObserver
{
	/* Does this table matter?  The answer is kept with its relcache entry. */
	bool		(*wanted) (Oid relid);

	/*
	 * A row is about to be written; may raise.  notes is NULL where it is not
	 * known yet what the row replaces, else old is that, or NULL for nothing.
	 * False: changed() need not be told.
	 */
	bool		(*check) (Oid relid, const DdbRecord *old, const DdbRecord *row,
						  DdbRowNotes *notes);

	/* It was inserted (old NULL), deleted (new NULL) or updated.  notes may be NULL. */
	void		(*changed) (Oid relid, const DdbRecord *old, const DdbRecord *new,
							const DdbRowNotes *notes);

	/* Is this materialized view a global index? */
	bool		(*is_index) (Oid relid);

	/* Is this global index whole, although it is not populated: closed to plain SELECT? */
	bool		(*closed) (Oid index);

	/* A table has been given new, empty storage. */
	void		(*emptied) (void);
} DdbRowObserver;

extern void ddb_observe_rows(const DdbRowObserver *observer);

/* The error of REFRESH MATERIALIZED VIEW CONCURRENTLY on an index. */
extern void ddb_raise_refresh(Oid index) pg_attribute_noreturn();

/* ----------------------------------------------------------------------
 * The log of changes (log.c): rows in the order of nothing in particular, in
 * tables used in turn
 * ---------------------------------------------------------------------- */
typedef struct DdbLogRow
{
	uint64		xid;			/* the top transaction that wrote it */
	Oid			table;
	const uint8 *key;
	uint32		key_len;
	const uint8 *old;			/* NULL: none */
	uint32		old_len;
} DdbLogRow;

/* In kB: a log that has grown beyond is left for another. */
extern int	ddb_log_size;

/* Appends a row; table, key and old are the caller's affair. */
extern void ddb_log_append(const DdbLogRow *row);

/* The logs there are (Oid), in the order of their numbers. */
extern List *ddb_logs(void);

/* Which storage a log has, and how many pages; false when it is gone. */
extern bool ddb_log_storage(Oid log, Oid *storage, BlockNumber *pages);

/*
 * The log's rows that the snapshot sees, page by page; from a page on, which
 * counts for one storage: if the log has another by now, or was cut off, it is
 * read from the beginning, and *storage and *first are set.  NULL: the log is
 * gone.  Keys live until the next call.
 */
typedef struct DdbLogScan DdbLogScan;

extern DdbLogScan *ddb_log_scan(Oid log, Oid *storage, BlockNumber *first, Snapshot snapshot);
extern bool ddb_log_next(DdbLogScan *scan, DdbLogRow *row, BlockNumber *page);
extern void ddb_log_scan_end(DdbLogScan *scan);

/* Empties a log, unless someone has it open or `needed` says so of a row. */
typedef bool (*DdbLogNeeded) (void *arg, const DdbLogRow *row);
extern bool ddb_log_empty(Oid log, DdbLogNeeded needed, void *arg);

/* ----------------------------------------------------------------------
 * Entries of global secondary indexes (entries.c)
 * ---------------------------------------------------------------------- */
/* What an item's entry in an index looks like. */
typedef struct DdbEntry
{
	DdbValue	ipk;			/* index partition key */
	bool		has_isk;
	DdbValue	isk;			/* index sort key */
	int			shard;			/* -1: the index is not sharded */
	uint8		digest[DDB_ENTRY_DIGEST];	/* of the base key */
	DdbValue	item;			/* the projected attributes, a map */
} DdbEntry;

/*
 * An index relation opened for work on its entries; the caller holds a lock on
 * it (row exclusive to write) and is its only writer.  NULL: it is not, or not
 * yet, an index relation with its key index.  base is the table's schema.
 */
typedef struct DdbEntries DdbEntries;

extern DdbEntries *ddb_entries_open(Oid index, const DdbKeySchema *base);

/* Could it be opened?  Of the user's own indexes this looks at none, so that no code of theirs runs. */
extern bool ddb_entries_whole(Oid index, const DdbKeySchema *base);
extern void ddb_entries_close(DdbEntries *entries);

/*
 * Makes these entries stand in the index; how many there are more than before.
 * Of one that is_new, none stands with its key, so probably: that saves looking.
 * Between two commands no entry may be written twice.
 */
typedef struct DdbEntryPut
{
	DdbKey		base;
	DdbEntry	entry;
	bool		is_new;
} DdbEntryPut;

extern int	ddb_entries_put(DdbEntries *entries, const DdbEntryPut *puts, int n);

/* Removes the entries with these keys (entry.item is not read); how many there were. */
typedef struct DdbEntryRemoval
{
	DdbEntry	entry;
	bool		found;			/* result */
	int			of;				/* the caller's */
} DdbEntryRemoval;

extern int	ddb_entries_remove(DdbEntries *entries, DdbEntryRemoval *removals, int n);

/* Does the snapshot see an entry with this key?  *same: with this item, too. */
extern bool ddb_entries_find(DdbEntries *entries, Snapshot snapshot, const DdbEntry *entry,
							 bool *same);

/* All entries that the snapshot sees, without their items; good until the next call. */
extern void ddb_entries_scan(DdbEntries *entries, Snapshot snapshot);
extern bool ddb_entries_next(DdbEntries *entries, DdbKey *base, DdbEntry *entry);

/* Gives an index new and empty storage, under an access exclusive lock. */
extern void ddb_entries_empty(Oid index);

/* Which storage a relation has; InvalidOid when it is gone.  Certain once it is locked. */
extern Oid	ddb_relation_storage(Oid relid);

/* ----------------------------------------------------------------------
 * Maintenance (owner.c): as whom, and with what search path
 * ---------------------------------------------------------------------- */
typedef struct DdbOwnerScope
{
	Oid			user;
	int			security;
	int			guc_level;
} DdbOwnerScope;

extern void ddb_owner_enter(DdbOwnerScope *scope, Oid owner);

/* Called by hand, as by VACUUM, the search path stays the caller's. */
extern void ddb_owner_enter_called(DdbOwnerScope *scope, Oid owner);
extern void ddb_owner_leave(DdbOwnerScope *scope);

/* ----------------------------------------------------------------------
 * Placement and compaction
 * ---------------------------------------------------------------------- */

/*
 * One observer, registered at load, is told when an insert begins a page for a
 * collection, which is how collections come to be scattered.
 */
extern void ddb_observe_placement(void (*page_begun) (Relation rel));

/*
 * One bounded pass of compaction: re-places rows so that collections stand on
 * few pages.  See placement.c and compact.c.
 */
typedef struct DdbCompaction
{
	int64		rows_moved;
	int64		rows_seen;
	int64		collections_seen;
	int64		collections_moved;
} DdbCompaction;

extern void ddb_table_compact(Oid relid, DdbCompaction *result);

/*
 * The same in the background: a sweep goes once through the table in slices,
 * each in a transaction of its own, and waits for nobody.  A survey looks
 * which share of the rows a sweep would move.
 */
typedef struct DdbSweep DdbSweep;

typedef enum DdbSliceEnd
{
	DDB_SLICE_MORE,				/* there is more to do, or may be */
	DDB_SLICE_DONE,				/* the sweep has come round */
	DDB_SLICE_STARVED,			/* there is no page to write on */
	DDB_SLICE_LOCKED,			/* somebody holds the table */
	DDB_SLICE_GONE,				/* it is not the table that it was */
	DDB_SLICE_SMALL,			/* not worth while */
	DDB_SLICE_REPLICATED,		/* each move would be sent as an update */
	DDB_SLICE_UNVACUUMED,		/* autovacuum is due, and comes first */
	DDB_SLICE_NO_VACUUM			/* a VACUUM is due, and autovacuum is off */
} DdbSliceEnd;

extern DdbSweep *ddb_sweep_begin(Oid relid, bool tail_only);
extern void ddb_sweep_end(DdbSweep *sweep);
extern DdbSliceEnd ddb_sweep_slice(DdbSweep *sweep, int budget_ms, DdbCompaction *done);

/* DDB_SLICE_MORE: it was surveyed. */
extern DdbSliceEnd ddb_table_survey(Oid relid, double *disordered);

/* How much is written to each table that is large enough to be compacted (DdbWritten). */
typedef struct DdbWritten
{
	Oid			table;
	int64		rows;			/* that it has */
	int64		written;		/* inserted, deleted, or updated onto another page */
} DdbWritten;

extern List *ddb_tables_written(void);

#endif							/* DDB_STORAGE_H */
