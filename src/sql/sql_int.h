/*-------------------------------------------------------------------------
 *
 * sql_int.h
 *	  Arguments of SQL functions as the layers below take them.
 *
 * Arguments that are NULL, or that a caller left at their default, are "not
 * given": a text without data, a part of form NONE, false.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_SQL_INT_H
#define DDB_SQL_INT_H

#include "ops/ops.h"

/* A table, which must be given. */
extern Oid	ddb_arg_table(FunctionCallInfo fcinfo, int n);

/* A ddb.item or ddb.doc, which must be given. */
extern DdbItem *ddb_arg_item(FunctionCallInfo fcinfo, int n);

/* The attributes of a ddb.doc. */
extern bool ddb_arg_map(FunctionCallInfo fcinfo, int n, DdbValue *map);

extern DdbText ddb_arg_text(FunctionCallInfo fcinfo, int n);
extern int64 ddb_arg_int(FunctionCallInfo fcinfo, int n, int64 otherwise);

/* A key attribute of this name; its type is 'S', 'N', 'B' or a column's that will hold it. */
extern void ddb_set_key_attr(DdbKeyAttr *attr, const char *name, const char *type);

/* A ddb.key (fn_key.c). */
extern void ddb_arg_key(FunctionCallInfo fcinfo, int n, DdbKeyPart *part);

/*
 * attr_names and attr_values at n and n + 1 (values too only if asked for);
 * the maps live in `maps`.
 */
extern void ddb_arg_placeholders(FunctionCallInfo fcinfo, int n, bool values,
								 DdbValue maps[2], DdbPlaceholders *placeholders);

#endif							/* DDB_SQL_INT_H */
