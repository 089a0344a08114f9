/*-------------------------------------------------------------------------
 *
 * table_int.h
 *	  What the files of src/table/ know of each other.
 *
 * names.c		API names, SQL names, relation names
 * catalog.c	ddb.catalog, and what there is to say about a table
 * ddl.c		creating and dropping
 * indexes.c	the secondary indexes of a table, cached
 * index_ddl.c	creating and dropping them
 * definition.c	what an index is, as JSON
 * events.c		event triggers: the catalog follows DROP and ALTER
 * index_events.c	and so do the indexes
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_TABLE_INT_H
#define DDB_TABLE_INT_H

#include "table/table.h"
#include "utils/jsonb.h"

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

/* A relation's name of a name that may be too long for one. */
extern void ddb_shorten_name(const char *name, size_t len, char relname[NAMEDATALEN]);

/* The operator class in which a partition key of this type stands (ddl.c). */
extern const char *ddb_key_class(DdbType type);

/* ----------------------------------------------------------------------
 * ddb.catalog: one row for each table made by ddb.create_table()
 * ---------------------------------------------------------------------- */
extern void ddb_catalog_insert(const char *schema, const char *relname, const char *name);

/* The relation has a new name or schema; its API name follows a new name. */
extern void ddb_catalog_move(const char *schema, const char *relname,
							 const char *new_schema, const char *new_relname);
extern void ddb_catalog_move_schema(const char *schema, const char *new_schema);

/* The API name kept for the relation, palloc'd, or NULL. */
extern char *ddb_catalog_name(Oid relid);

/* ----------------------------------------------------------------------
 * ddb.secondary_index: one row for each index
 * ---------------------------------------------------------------------- */
extern void ddb_catalog_insert_index(const char *schema, const char *relname, const char *name,
									 const char *index_relname, const char *definition);
extern void ddb_catalog_delete_index(const char *schema, const char *index_relname);

/* An index's relation has a new name. */
extern void ddb_catalog_rename_index(const char *schema, const char *index_relname,
									 const char *new_relname);

/* The names (char *) of the relations of a table's indexes. */
extern List *ddb_catalog_index_relations(const char *schema, const char *relname);

/* In an event trigger on a drop: tables with indexes (OIDs), if any index was dropped. */
extern List *ddb_catalog_tables_losing_indexes(void);

/* The row's definition (definition.c). */
extern char *ddb_index_definition_text(const DdbIndexDef *def);

/* Fills what the definition says; false when it is not well. */
extern bool ddb_index_definition_read(Jsonb *jsonb, DdbIndexDef *def);

/* ----------------------------------------------------------------------
 * An index follows its table (index_ddl.c)
 * ---------------------------------------------------------------------- */

/* Makes the index's relation go when the table goes. */
extern void ddb_index_depend(Oid relid, Oid index);

/* Refuses a table that cannot have global indexes. */
extern void ddb_index_check_table(const char *relname, char persistence, bool force_row_security);

extern Oid	ddb_relation_owner(Oid relid);

/* What a command has done or is about to do (index_events.c); these may refuse it. */
extern void ddb_index_created(const CreateTableAsStmt *stmt);
extern void ddb_index_altered(const RangeVar *relation);
extern void ddb_index_owner_changed(const RangeVar *relation);
extern void ddb_index_check_schema(const RangeVar *relation, const char *new_schema);
extern void ddb_index_rewrite(const Node *command);
extern void ddb_index_refresh(const RefreshMatViewStmt *stmt);
extern void ddb_index_check_dropped(void);

/* The table has left this schema: its global indexes go after it. */
extern void ddb_index_follow_schema(const char *from, const char *to, const char *relname);

#endif							/* DDB_TABLE_INT_H */
