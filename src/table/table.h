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

typedef struct DdbTableDefinition
{
	const char *name;			/* the API's exact name, or SQL's (maybe qualified) */
	bool		exact;			/* true: name is taken as it is, in the current schema */
	DdbKeySchema schema;
} DdbTableDefinition;

/* Creates the table in the current schema, owned by the caller; YD005 if it exists. */
extern Oid	ddb_table_create(const DdbTableDefinition *definition);

/* Drops it, as DROP TABLE does. */
extern void ddb_table_drop(Oid relid);

/* The relation with this exact API name on the search_path; InvalidOid if none. */
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
	double		created;		/* seconds since the epoch */
	char		id[37];			/* a UUID, stable for the table's life */
} DdbTableFacts;

extern void ddb_table_facts(Oid relid, DdbTableFacts *facts);

/* Names after `after` (or NULL) in byte order, at most limit + 1 of them. */
extern List *ddb_table_names(const char *after, int limit);

#endif							/* DDB_TABLE_H */
