/*-------------------------------------------------------------------------
 *
 * entries_int.h
 *	  What entries.c and entries_write.c know of each other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_ENTRIES_INT_H
#define DDB_ENTRIES_INT_H

#include "nodes/execnodes.h"
#include "storage/storage_int.h"

/* ipk, shard, isk, digest */
#define DDB_ENTRY_KEY_COLUMNS 4

/* Rows written at once. */
#define DDB_ENTRY_ROWS 64

struct DdbEntries
{
	Relation	rel;
	Relation	key_index;
	IndexInfo  *key_info;
	DdbKeySchema base;

	/* Columns; 0 where there is none. */
	AttrNumber	shard;
	AttrNumber	isk;
	AttrNumber	pk;
	AttrNumber	digest;
	AttrNumber	item;
	uint8		ipk_type;
	uint8		isk_type;

	int			nkeys;
	AttrNumber	key_columns[DDB_ENTRY_KEY_COLUMNS];
	ScanKeyData scan_key;
	IndexScanDesc scan;
	TableScanDesc all;			/* of ddb_entries_scan() */
	TupleTableSlot *found;
	int			nrows;			/* slots made */
	TupleTableSlot *rows[DDB_ENTRY_ROWS];	/* to be written */

	/* Where there are indexes of the user's. */
	ResultRelInfo *result;
	EState	   *estate;

	MemoryContext lasting;		/* as long as this */
	MemoryContext context;		/* of one call */
};

/* An entry's key as its columns have it, with plain headers. */
typedef struct DdbEntryKey
{
	int64		hash;			/* of ipk */
	Datum		ipk;
	int16		shard;
	Datum		isk;
	union
	{
		int32		header;
		char		bytes[VARHDRSZ + DDB_ENTRY_DIGEST];
	}			digest;			/* a varlena */
} DdbEntryKey;

/* In the current context; views of the entry. */
extern void ddb_entry_key(const DdbEntries *e, const DdbEntry *entry, DdbEntryKey *key);

/*
 * Finds the entry with this key; it is in e->found until it is let go.  Whoever
 * has looked lets go in the end; between two looks that is not necessary.
 */
extern bool ddb_entry_look(DdbEntries *e, Snapshot snapshot, const DdbEntryKey *key);
extern void ddb_entry_let_go(DdbEntries *e);

/* The item of the entry found. */
extern DdbValue ddb_entry_found_item(DdbEntries *e);

/* A look for where the entry with this key stands, other than the one at `but`, which may be NULL. */
extern bool ddb_entry_find_tid(DdbEntries *e, const DdbEntryKey *key, const ItemPointerData *but,
							   ItemPointer tid);

#endif							/* DDB_ENTRIES_INT_H */
