/*-------------------------------------------------------------------------
 *
 * table.h
 *	  Which tables there are: creating, dropping, describing and naming them.
 *
 * The catalog (schema ddb) holds only what a plain table lacks, above all the
 * API's exact name, keyed by schema-qualified text and believed only while
 * the relation still has our key index.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_TABLE_H
#define DDB_TABLE_H

#include "storage/storage.h"

/* A table's name in the API: DynamoDB's limit. */
#define DDB_MAX_TABLE_NAME	255

typedef struct DdbTableDefinition
{
	const char *name;			/* the API's exact name, or SQL's (maybe qualified) */
	bool		exact;			/* true: name is taken as it is, in the current schema */
	DdbKeySchema schema;
} DdbTableDefinition;

/*
 * Creates the table, owned by the caller; YD005 if it exists.  SQL's names
 * are folded and may be quoted and schema-qualified, as in CREATE TABLE.
 */
extern Oid	ddb_table_create(const DdbTableDefinition *definition);

/* Drops it, as DROP TABLE does. */
extern void ddb_table_drop(Oid relid);

/*
 * The ddb table with this exact API name that comes first on the search_path;
 * InvalidOid if none.  Cheap: a few look-ups in PostgreSQL's own caches.
 */
extern Oid	ddb_table_lookup(const char *name, size_t len);

/* The API's name of a ddb table. */
extern char *ddb_table_name(Oid relid);

/* Facts for DescribeTable and ddb.describe_table(). */
typedef struct DdbTableFacts
{
	char	   *name;
	DdbKeySchema schema;
	int64		item_count;		/* estimates, as DynamoDB's are */
	int64		size_bytes;
	bool		plain;			/* as ddb.create_table() made it */
	double		created;		/* seconds since the epoch; 0 when unknown */
	char		id[37];			/* a UUID, stable for the table's life */
} DdbTableFacts;

extern void ddb_table_facts(Oid relid, DdbTableFacts *facts);

/* All ddb tables of the database, in byte order of their API names. */
typedef struct DdbTableEntry
{
	Oid			relid;
	char	   *name;
} DdbTableEntry;

extern List *ddb_table_list(void);

/*
 * The API names (char *) of the tables on the search_path that come after
 * `after` (or NULL: all) in byte order, at most limit + 1 of them.
 */
extern List *ddb_table_names(const char *after, int limit);

/*
 * Work on ddb's own tables: between enter and leave, SPI is connected and
 * runs as their owner, with nothing but pg_catalog on the search_path.  An
 * error in between needs no leave.
 */
typedef struct DdbCatalogScope
{
	Oid			user;
	int			security;
	int			guc_level;
} DdbCatalogScope;

extern void ddb_catalog_enter(DdbCatalogScope *scope);
extern void ddb_catalog_leave(DdbCatalogScope *scope);

#endif							/* DDB_TABLE_H */
