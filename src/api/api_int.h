/*-------------------------------------------------------------------------
 *
 * api_int.h
 *	  What the files of src/api/ share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_API_INT_H
#define DDB_API_INT_H

#include "item/item.h"

/* ----- model.c ----- */

/*
 * Checks a request against the published model: JSON types first (YD015),
 * then lengths, ranges, patterns, enumerations and required members, all of
 * them in one YD001.  After it, a member that is present has the JSON type
 * its shape says, at every depth.
 */
extern void ddb_api_validate(const char *operation, const DdbJson *request);

/* The table's name: TableName may be an ARN. */
extern DdbName ddb_api_table_name(DdbName text);

/* A JSON number cut to an integer, saturating. */
extern int64 ddb_api_integer(const DdbJson *number);

#endif							/* DDB_API_INT_H */
