/*-------------------------------------------------------------------------
 *
 * index_tuple_int.h
 *	  Entries of a btree, seen from their first column's value.
 *
 * A scan key's function is given the address of a value inside an entry.  Of
 * the first column's value that tells where the entry is, and the others stand
 * behind it (lookup.c, entries.c).
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_INDEX_TUPLE_INT_H
#define DDB_INDEX_TUPLE_INT_H

#include "access/nbtree.h"

static inline IndexTuple
ddb_index_tuple_of(Datum first)
{
	return (IndexTuple) (DatumGetPointer(first) - MAXALIGN(sizeof(IndexTupleData)));
}

/*
 * Key columns are NOT NULL, but an entry that died before they were may have a
 * null second column.  Then a bitmap and zeroed padding stand between header
 * and value, where else the header ends with its never zero size.
 */
static inline bool
ddb_index_tuple_has_null(IndexTuple entry)
{
	return entry->t_info == 0;
}

/*
 * A page's high key and an entry of an inner page are pivots: their end may be
 * cut off.  How many of an index's columns are there?
 */
static inline int
ddb_index_tuple_columns(IndexTuple entry, int ncolumns)
{
	return BTreeTupleIsPivot(entry) ?
		ItemPointerGetOffsetNumberNoCheck(&entry->t_tid) & BT_OFFSET_MASK : ncolumns;
}

/* Is the row's address cut off, too? */
static inline bool
ddb_index_tuple_lacks_address(IndexTuple entry)
{
	return BTreeTupleIsPivot(entry) &&
		(ItemPointerGetOffsetNumberNoCheck(&entry->t_tid) & BT_PIVOT_HEAP_TID_ATTR) == 0;
}

#endif							/* DDB_INDEX_TUPLE_INT_H */
