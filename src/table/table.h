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
	Oid			relid;
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

/* ----------------------------------------------------------------------
 * Secondary indexes: what is defined (indexes.c), and how it comes and goes
 * (index_ddl.c)
 * ---------------------------------------------------------------------- */

/* DynamoDB's limits of indexes; the one place for each of them. */
#define DDB_MAX_GLOBAL_INDEXES		20
#define DDB_MAX_LOCAL_INDEXES		5
#define DDB_MIN_INDEX_NAME			3
#define DDB_MAX_INDEX_NAME			255
#define DDB_MAX_INDEX_KEYS			4	/* attributes of a partition key, and of a sort key */
#define DDB_MAX_PROJECTED			100 /* INCLUDE attributes of all a table's indexes */
#define DDB_MAX_SHARDS				1000	/* ours: of one index */

typedef enum DdbProjectionType
{
	DDB_PROJECT_ALL,
	DDB_PROJECT_KEYS_ONLY,
	DDB_PROJECT_INCLUDE,
} DdbProjectionType;
#define DDB_NPROJECTIONS 3

/* "ALL" ...: as DynamoDB calls it. */
extern const char *ddb_projection_name(DdbProjectionType projection);

/*
 * One secondary index.  A global one's relation is the materialized view of
 * its entries, a local one's the btree on the base table.  A local index has
 * the table's partition key and a single sort attribute.
 */
typedef struct DdbIndexDef
{
	char		name[DDB_MAX_INDEX_NAME + 1];
	bool		local;
	Oid			relid;
	int			npartition;
	int			nsort;
	DdbKeyAttr	partition[DDB_MAX_INDEX_KEYS];
	DdbKeyAttr	sort[DDB_MAX_INDEX_KEYS];
	int			shards;			/* 0: not sharded */
	DdbProjectionType projection;
	int			ninclude;
	DdbName    *include;		/* the attributes of DDB_PROJECT_INCLUDE */

	/* Derived: what an entry's item holds, unless DDB_PROJECT_ALL. */
	int			nproject;
	DdbName    *project;

	/* Of one that is in a set: which of the set's keys its own are. */
	uint8		partition_at[DDB_MAX_INDEX_KEYS];
	uint8		sort_at[DDB_MAX_INDEX_KEYS];
} DdbIndexDef;

/* Some of a table's indexes: a bit for each place in its set. */
typedef uint32 DdbIndexes;
#define DDB_MAX_INDEXES		(DDB_MAX_GLOBAL_INDEXES + DDB_MAX_LOCAL_INDEXES)
#define DDB_MAX_SET_KEYS	(DDB_MAX_INDEXES * 2 * DDB_MAX_INDEX_KEYS)

/* An attribute that indexes name, and which of them do. */
typedef struct DdbIndexAttr
{
	DdbName		name;
	DdbIndexes	keys;			/* as part of their key */
	DdbIndexes	held;			/* so that their entries hold it, key or not */
} DdbIndexAttr;

/* A table's indexes in byte order of their names. */
typedef struct DdbIndexSet
{
	Oid			relid;			/* the base table */
	int			n;
	int			nglobal;
	DdbIndexDef *index;

	uint64		version;		/* a loaded set's own */

	/* Derived, so that a write looks once for what all indexes name. */
	DdbIndexes	global;
	DdbIndexes	all;			/* whose entries hold every attribute */
	int			nattrs;
	DdbIndexAttr *attrs;		/* in order of ddb_map_order() */
	int			nkeys;
	DdbName    *keys;			/* those of them that are part of a key */
	DdbIndexes *key_of;			/* of which */
	uint8	   *key_type;		/* and of what type; DDB_NULL where they disagree */
} DdbIndexSet;

/*
 * The table's indexes, or NULL when it has none.  From the backend's cache, so
 * it may be called on the write path; the answer is good until invalidations
 * can next be processed (a lock taken, a relation opened).
 */
extern const DdbIndexSet *ddb_table_indexes(Oid relid);

/* The same, palloc'd, for those who do more in between. */
extern DdbIndexSet *ddb_table_indexes_copy(Oid relid);

/* One of them by its name, or NULL. */
extern const DdbIndexDef *ddb_index_find(Oid relid, const char *name, size_t len);

/* The base table of an index's relation; InvalidOid when it is none of ours. */
extern Oid	ddb_index_base(Oid index_relid);

/* Facts for DescribeTable: estimates, as DynamoDB's are. */
typedef struct DdbIndexFacts
{
	int64		item_count;
	int64		size_bytes;
} DdbIndexFacts;

extern void ddb_index_facts(const DdbIndexDef *def, DdbIndexFacts *facts);

/* The rules that a definition has to keep, for a table of these keys. */
extern void ddb_index_check_definition(const DdbIndexDef *def, const DdbKeySchema *schema);

/* The error of a name that is taken. */
extern void ddb_index_raise_exists(void) pg_attribute_noreturn();

/*
 * Makes the index and returns its relation.  Of the definition, relid and what
 * is derived are not read, nor a local index's partition key if there is none.
 * The current user must own the table.  A global index begins unpopulated: it is
 * ACTIVE when its materialized view is populated.
 */
extern Oid	ddb_index_create(Oid relid, const DdbIndexDef *def);

/*
 * Someone above is told, in the same transaction, of a global index just made,
 * and of each of a table's when something about the table was altered.
 */
typedef void (*DdbIndexHook) (Oid relid, Oid index);
extern void ddb_on_index_created(DdbIndexHook hook);
extern void ddb_on_table_altered(DdbIndexHook hook);

/*
 * Makes a global index's relation follow its table, as after a restore or an
 * upgrade that lost it: dropped with it, owned by its owner.
 */
extern void ddb_index_adopt(Oid relid, Oid index);

/* Drops it with its relation; YD004 when there is no such index. */
extern void ddb_index_drop(Oid relid, const char *name, size_t len);

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
