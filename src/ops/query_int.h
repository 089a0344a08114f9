/*-------------------------------------------------------------------------
 *
 * query_int.h
 *	  What query.c, query_index.c and query_start.c share: the cursor of a
 *	  Query or Scan.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_QUERY_INT_H
#define DDB_QUERY_INT_H

#include "ops/ops_int.h"
#include "table/table.h"

struct DdbCursor
{
	DdbRead		read;
	DdbKeySchema schema;		/* a copy: the table may be reopened between calls */
	DdbQueryKey key;			/* of what is read, the table or the index */
	const DdbIndexDef *index;	/* a copy, or NULL: the table */
	DdbScanIndex scan_index;
	DdbExpr    *key_condition;
	DdbExpr    *filter;
	DdbExpr    *projection;
	const DdbName *view;		/* all that is shown of an item; or NULL: all of it */
	int			nview;
	DdbKeyCondition condition;	/* Query: the range */
	DdbScan    *scan;			/* NULL: the range is empty */
	DdbRecord	record;			/* the current row */
	DdbValue	seen;			/* what the view shows of it */
	MemoryContext cursor_context;
	MemoryContext row_context;
	int64		bytes;			/* of the page, before the filter */
	bool		ended;
	DdbPage		page;
};

/* ----------------------------------------------------------------------
 * query_index.c
 * ---------------------------------------------------------------------- */

/* Finds the index that is to be read, if one is named; sets the cursor's key. */
extern void ddb_cursor_find_index(DdbCursor *c);

/* Checks what is asked for against what the index holds; sets the view. */
extern void ddb_cursor_check_projection(DdbCursor *c);

/* The attributes of the current row that the view shows. */
extern DdbValue ddb_cursor_view(const DdbCursor *c);

/* LastEvaluatedKey after the current row. */
extern DdbValue ddb_cursor_last_key(const DdbCursor *c);

/* ----------------------------------------------------------------------
 * query_start.c
 * ---------------------------------------------------------------------- */

/*
 * Resolves the range and the place to start after; *has_start tells whether
 * there is one.  False when nothing is in the range.
 */
extern bool ddb_cursor_resolve(DdbCursor *c, DdbPlace *start, bool *has_start);

#endif							/* DDB_QUERY_INT_H */
