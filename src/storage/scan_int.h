/*-------------------------------------------------------------------------
 *
 * scan_int.h
 *	  What scan.c, scan_keys.c and scan_index.c share: a scan.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_SCAN_INT_H
#define DDB_SCAN_INT_H

#include "storage/storage_int.h"
#include "utils/resowner.h"

/* A partition key, a shard, a sort key, and what tells equal ones apart. */
#define SCAN_COLUMNS 4

/* An end of a range of sort keys. */
typedef struct ScanBound
{
	bool		given;
	bool		inclusive;
	DdbValue	value;
} ScanBound;

/* How a column of the index is compared. */
typedef enum ScanKind
{
	SCAN_BYTES,
	SCAN_NUMBER,
	SCAN_SHARD,
} ScanKind;

/* A row: its address, and its copy if the snapshot sees it. */
typedef struct ScanRow
{
	ItemPointerData tid;
	int			index_item;		/* its entry's place in the scan's page, for killing */
	int			next;			/* the next row of the batch on the same page, or -1 */
	bool		visible;
	bool		dead;			/* no snapshot sees it */
	Size		tuple;			/* offset in the batch's bytes */
	uint32		len;
} ScanRow;

/* A page of the batch. */
typedef struct ScanPage
{
	BlockNumber block;
	int			first;			/* row */
} ScanPage;

/* The columns of a global index's row, as they lie. */
typedef struct ScanEntry
{
	Datum		sort;			/* where there is a sort key */
	Datum		digest;
	DdbColumnValues columns;
} ScanEntry;

typedef struct ScanMerge ScanMerge;

struct DdbScan
{
	DdbFacts	facts;			/* the columns of the rows read, the table's schema */
	MemoryContext context;
	MemoryContext row_context;	/* what the last record points to */
	ResourceOwner owner;
	Relation	heap;
	Relation	index;
	Snapshot	snapshot;
	IndexScanDesc scan;
	DdbExecScan *exec;			/* instead of all that: through the executor */
	ScanMerge  *merge;			/* or a scan for each shard */

	/* The index's columns, by number from 0; 0 where there is none. */
	int			ncolumns;
	uint8		kinds[SCAN_COLUMNS];	/* ScanKind */
	int			shard_at;
	int			sort_at;
	int			tie_at;
	bool		by_digest;		/* the last column is a digest of the item's key */
	int			shards;

	/* What is read: see scan_keys.c. */
	ScanDirection direction;
	int			level;
	int			last_level;
	bool		starts_after;
	bool		done;
	Datum		at[SCAN_COLUMNS];
	ScanBound	begin;
	ScanBound	end;
	bool		begins_at_hash;
	int64		first_hash;
	bool		ends_at_hash;
	int64		end_hash;		/* exclusive */
	ScanKeyData keys[SCAN_COLUMNS + 2];
	int			nkeys;

	bool		by_key;			/* the index is the table's key index */
	bool		partition_known;	/* all rows of the level are of this partition */
	DdbValue	partition;

	ScanRow    *rows;
	int			nrows;
	int			next_row;
	ScanPage   *pages;
	int			npages;
	int			batch;
	int			largest_batch;
	bool		exhausted;		/* the level has no more addresses */
	char	   *bytes;			/* copies of the batch's rows */
	Size		used;
	Size		size;
};

/* ----------------------------------------------------------------------
 * scan.c
 * ---------------------------------------------------------------------- */

/* A scan of the table, or of one of its indexes, that reads nothing yet. */
extern DdbScan *ddb_scan_make(DdbTable *table, const DdbScanIndex *index, bool forward);

/* Begins reading what the scan is set to; a hint of 0 is unknown. */
extern void ddb_scan_start(DdbScan *scan, uint32 limit_hint, int largest_batch);

/* The next row that the snapshot sees, or NULL; good until the next call. */
extern const ScanRow *ddb_scan_advance(DdbScan *scan);

extern void ddb_scan_record(DdbScan *scan, const ScanRow *row, DdbRecord *record);
extern HeapTupleData ddb_scan_tuple(DdbScan *scan, const ScanRow *row);
extern void ddb_scan_close(DdbScan *scan);

/* ----------------------------------------------------------------------
 * scan_keys.c
 * ---------------------------------------------------------------------- */

/* Sets the scan to a collection's range, in a sharded index of one shard. */
extern void ddb_scan_set_collection(DdbScan *scan, const DdbKeyCondition *condition,
									const DdbPlace *after, int shard);
extern void ddb_scan_set_segment(DdbScan *scan, uint32 segment, uint32 total,
								 const DdbPlace *after);

/* Makes the scan keys of the current level. */
extern void ddb_scan_level_keys(DdbScan *scan);

/* How key columns of this type are compared. */
extern ScanKind ddb_scan_kind(DdbType type);

/* ----------------------------------------------------------------------
 * scan_index.c
 * ---------------------------------------------------------------------- */

/* Opens an index of the table, and tells which columns it has. */
extern void ddb_scan_open_index(DdbScan *scan, Oid table, const DdbScanIndex *index);

/* Reads a global index's row; false when it holds a null. */
extern bool ddb_scan_read_entry(const DdbScan *scan, HeapTuple tuple, ScanEntry *entry);

/* A collection of a sharded index: a scan for each shard, merged by sort key. */
extern DdbScan *ddb_scan_merge(DdbTable *table, const DdbScanIndex *index,
							   const DdbKeyCondition *condition, bool forward,
							   const DdbPlace *after, uint32 limit_hint);
extern bool ddb_scan_merge_next(ScanMerge *merge, DdbRecord *record);
extern void ddb_scan_merge_end(ScanMerge *merge);

#endif							/* DDB_SCAN_INT_H */
