/*-------------------------------------------------------------------------
 *
 * table_int.h
 *	  What the files of src/table/ know of each other.
 *
 * names.c		API names, SQL names, relation names
 * catalog.c	ddb.catalog, and what there is to say about a table
 * ddl.c		creating and dropping
 * events.c		event triggers: the catalog follows DROP and ALTER
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_TABLE_INT_H
#define DDB_TABLE_INT_H

#include "table/table.h"

/* Where a table of this name goes: its schema and its relation's name. */
typedef struct DdbRelationName
{
	Oid			namespace;
	char		relname[NAMEDATALEN];
} DdbRelationName;

/* The API's name, exactly, in the current schema. */
extern void ddb_exact_relation_name(const char *name, DdbRelationName *result);

/* A name as SQL writes it; says so when it folds one. */
extern void ddb_sql_relation_name(const char *name, DdbRelationName *result);

/* Does the relation's name stand for a longer one that only the catalog knows? */
extern bool ddb_relation_name_is_short_for(const char *relname);

/* ----------------------------------------------------------------------
 * ddb.catalog: one row for each table made by ddb.create_table()
 * ---------------------------------------------------------------------- */
extern void ddb_catalog_insert(const char *schema, const char *relname, const char *name);
extern void ddb_catalog_delete(const char *schema, const char *relname);

/* The relation has a new name or schema; its API name follows a new name. */
extern void ddb_catalog_move(const char *schema, const char *relname,
							 const char *new_schema, const char *new_relname);
extern void ddb_catalog_move_schema(const char *schema, const char *new_schema);

/* The API name kept for the relation, palloc'd, or NULL. */
extern char *ddb_catalog_name(Oid relid);

#endif							/* DDB_TABLE_INT_H */
