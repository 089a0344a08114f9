/*-------------------------------------------------------------------------
 *
 * catalog.c
 *	  ddb.catalog: what a table cannot say of itself.
 *
 * A row holds a table's API name, its id and the time it was made, keyed by
 * schema and relation name as text, so that it survives pg_dump whatever else
 * is in the dump.  A row is believed only of a relation that has our key
 * index, and no row is needed: a table that came from a partial restore or
 * from CREATE TABLE ... LIKE has its relation's name and an id made from it.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "base/errors.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "table/table_int.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

/* ----------------------------------------------------------------------
 * Working on ddb's own tables
 * ---------------------------------------------------------------------- */

static Oid
catalog_owner(void)
{
	Oid			relid = get_relname_relid("catalog", get_namespace_oid("ddb", false));
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_TABLE),
				 errmsg("table ddb.catalog does not exist"),
				 errhint("The extension ddb is not whole in this database.")));
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

void
ddb_catalog_enter(DdbCatalogScope *scope)
{
	Oid			owner = catalog_owner();

	GetUserIdAndSecContext(&scope->user, &scope->security);
	SetUserIdAndSecContext(owner, scope->security | SECURITY_LOCAL_USERID_CHANGE);
	scope->guc_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
}

void
ddb_catalog_leave(DdbCatalogScope *scope)
{
	SPI_finish();
	AtEOXact_GUC(true, scope->guc_level);
	SetUserIdAndSecContext(scope->user, scope->security);
}

/*
 * Runs one command with text parameters; returns the rows it touched or found.
 * Like PostgreSQL's own catalogs this one is read as it is now, not as it was
 * for the statement: that may be the one that has just made a table.
 */
static uint64
run(const char *command, int nargs, const char *const *args, bool read_only)
{
	Oid			types[5];
	Datum		values[5];
	int			rc;

	Assert(nargs <= lengthof(types));
	for (int i = 0; i < nargs; i++)
	{
		types[i] = TEXTOID;
		values[i] = CStringGetTextDatum(args[i]);
	}
	/* Where no newer one may be taken, nothing can have been made meanwhile. */
	if (read_only)
		PushActiveSnapshot(IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot());
	rc = SPI_execute_with_args(command, nargs, types, values, NULL, read_only, 0);
	if (read_only)
		PopActiveSnapshot();
	if (rc < 0)
		elog(ERROR, "ddb.catalog: %s: %s", SPI_result_code_string(rc), command);
	return SPI_processed;
}

static void
change(const char *command, int nargs, const char *const *args)
{
	DdbCatalogScope scope;

	ddb_catalog_enter(&scope);
	run(command, nargs, args, false);
	ddb_catalog_leave(&scope);
}

/*
 * A row of the new name is left over, by a drop that no event trigger saw or a
 * partial restore: what had the name is gone, or it could not have been taken.
 */
#define OVERWRITE \
	" ON CONFLICT (schema_name, relation_name) DO UPDATE" \
	" SET name = excluded.name, id = excluded.id, created = excluded.created"

void
ddb_catalog_insert(const char *schema, const char *relname, const char *name)
{
	change("INSERT INTO ddb.catalog (schema_name, relation_name, name) VALUES ($1, $2, $3)" OVERWRITE,
		   3, (const char *const[]) {schema, relname, name});
}

void
ddb_catalog_move(const char *schema, const char *relname,
				 const char *new_schema, const char *new_relname)
{
	change("WITH moved AS (DELETE FROM ddb.catalog"
		   " WHERE schema_name = $1 AND relation_name = $2 RETURNING *)"
		   " INSERT INTO ddb.catalog (schema_name, relation_name, name, id, created)"
		   " SELECT $3, $4, CASE WHEN $2 = $4 THEN name ELSE $4 END, id, created FROM moved" OVERWRITE,
		   4, (const char *const[]) {schema, relname, new_schema, new_relname});
	change("UPDATE ddb.secondary_index SET schema_name = $3, relation_name = $4"
		   " WHERE schema_name = $1 AND relation_name = $2",
		   4, (const char *const[]) {schema, relname, new_schema, new_relname});
}

void
ddb_catalog_move_schema(const char *schema, const char *new_schema)
{
	change("WITH moved AS (DELETE FROM ddb.catalog WHERE schema_name = $1 RETURNING *)"
		   " INSERT INTO ddb.catalog (schema_name, relation_name, name, id, created)"
		   " SELECT $2, relation_name, name, id, created FROM moved" OVERWRITE,
		   2, (const char *const[]) {schema, new_schema});
	change("UPDATE ddb.secondary_index SET schema_name = $2 WHERE schema_name = $1",
		   2, (const char *const[]) {schema, new_schema});
}

/* ----------------------------------------------------------------------
 * ddb.secondary_index
 * ---------------------------------------------------------------------- */

void
ddb_catalog_insert_index(const char *schema, const char *relname, const char *name,
						 const char *index_relname, const char *definition)
{
	/* Rows left over by drops that no event trigger saw. */
	ddb_catalog_delete_index(schema, index_relname);
	change("INSERT INTO ddb.secondary_index VALUES ($1, $2, $3, $4, $5::jsonb)"
		   " ON CONFLICT (schema_name, relation_name, index_name) DO UPDATE"
		   " SET index_relation = excluded.index_relation, definition = excluded.definition",
		   5, (const char *const[]) {schema, relname, name, index_relname, definition});
}

void
ddb_catalog_delete_index(const char *schema, const char *index_relname)
{
	change("DELETE FROM ddb.secondary_index WHERE schema_name = $1 AND index_relation = $2",
		   2, (const char *const[]) {schema, index_relname});
}

void
ddb_catalog_rename_index(const char *schema, const char *index_relname, const char *new_relname)
{
	change("UPDATE ddb.secondary_index SET index_relation = $3"
		   " WHERE schema_name = $1 AND index_relation = $2",
		   3, (const char *const[]) {schema, index_relname, new_relname});
}

List *
ddb_catalog_index_relations(const char *schema, const char *relname)
{
	MemoryContext context = CurrentMemoryContext;
	DdbCatalogScope scope;
	List	   *names = NIL;

	ddb_catalog_enter(&scope);
	run("SELECT index_relation FROM ddb.secondary_index WHERE schema_name = $1 AND relation_name = $2",
		2, (const char *const[]) {schema, relname}, true);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		MemoryContext spi = MemoryContextSwitchTo(context);

		names = lappend(names, SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1));
		MemoryContextSwitchTo(spi);
	}
	ddb_catalog_leave(&scope);
	return names;
}

List *
ddb_catalog_tables_losing_indexes(void)
{
	MemoryContext context = CurrentMemoryContext;
	DdbCatalogScope scope;
	List	   *tables = NIL;

	ddb_catalog_enter(&scope);
	run("SELECT DISTINCT c.oid FROM ddb.secondary_index k, pg_class c, pg_namespace n"
		" WHERE k.relation_name = c.relname AND k.schema_name = n.nspname AND c.relnamespace = n.oid"
		" AND EXISTS (SELECT FROM pg_event_trigger_dropped_objects() d WHERE d.object_type = 'index')",
		0, NULL, true);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		MemoryContext spi = MemoryContextSwitchTo(context);
		bool		isnull;

		tables = lappend_oid(tables, DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i],
																	SPI_tuptable->tupdesc, 1, &isnull)));
		MemoryContextSwitchTo(spi);
	}
	ddb_catalog_leave(&scope);
	return tables;
}

/* ----------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------- */

typedef struct Row
{
	char	   *name;
	char	   *id;
	double		created;
} Row;

/* Reads the relation's row into the memory context that was current. */
static bool
read_row(Oid relid, Row *row)
{
	MemoryContext context = CurrentMemoryContext;
	DdbCatalogScope scope;
	char	   *args[2];
	bool		found;

	args[0] = get_namespace_name(get_rel_namespace(relid));
	args[1] = get_rel_name(relid);
	if (args[0] == NULL || args[1] == NULL)
		return false;
	ddb_catalog_enter(&scope);
	found = run("SELECT name, id::text, extract(epoch FROM created)::float8 FROM ddb.catalog"
				" WHERE schema_name = $1 AND relation_name = $2",
				2, (const char *const *) args, true) == 1;
	if (found)
	{
		HeapTuple	tuple = SPI_tuptable->vals[0];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;

		row->name = MemoryContextStrdup(context, SPI_getvalue(tuple, desc, 1));
		row->id = MemoryContextStrdup(context, SPI_getvalue(tuple, desc, 2));
		row->created = DatumGetFloat8(SPI_getbinval(tuple, desc, 3, &isnull));
	}
	ddb_catalog_leave(&scope);
	return found;
}

char *
ddb_catalog_name(Oid relid)
{
	Row			row;

	return read_row(relid, &row) ? row.name : NULL;
}

/* Without a row: an id from the relation's whole name. */
static void
derive_id(Oid relid, char id[37])
{
	char	   *name = psprintf("%s.%s", get_namespace_name(get_rel_namespace(relid)),
								get_rel_name(relid));
	uint64		half[2];

	for (int i = 0; i < 2; i++)
		half[i] = hash_bytes_extended((const unsigned char *) name, strlen(name), i);
	snprintf(id, 37, "%08x-%04x-%04x-%04x-%012llx",
			 (uint32) (half[0] >> 32), (uint16) (half[0] >> 16), (uint16) half[0],
			 (uint16) (half[1] >> 48), (unsigned long long) (half[1] & UINT64CONST(0xffffffffffff)));
}

/*
 * How many items: what the statistics have counted since they were last set
 * right by ANALYZE, or what that found if they were lost.
 */
static int64
item_count(Oid relid)
{
	int64		live = DatumGetInt64(DirectFunctionCall1(pg_stat_get_live_tuples,
														 ObjectIdGetDatum(relid)));
	HeapTuple	tuple;

	if (live > 0 || DatumGetInt64(DirectFunctionCall1(pg_stat_get_tuples_inserted,
													  ObjectIdGetDatum(relid))) > 0)
		return live;
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	if (HeapTupleIsValid(tuple))
	{
		live = Max(((Form_pg_class) GETSTRUCT(tuple))->reltuples, 0);
		ReleaseSysCache(tuple);
	}
	return live;
}

static int64
main_fork_bytes(Oid relid)
{
	return DatumGetInt64(DirectFunctionCall2(pg_relation_size, ObjectIdGetDatum(relid),
											 CStringGetTextDatum("main")));
}

/* The items' own pages, long values included; indexes and maps are not the items. */
static int64
heap_bytes(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			toast = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		toast = ((Form_pg_class) GETSTRUCT(tuple))->reltoastrelid;
		ReleaseSysCache(tuple);
	}
	return main_fork_bytes(relid) + (OidIsValid(toast) ? main_fork_bytes(toast) : 0);
}

void
ddb_table_facts(Oid relid, DdbTableFacts *facts)
{
	DdbTable   *table = ddb_table_open(relid, ACL_SELECT);
	Row			row;

	memset(facts, 0, sizeof(*facts));
	facts->relid = relid;
	facts->schema = *ddb_table_schema(table);
	facts->plain = ddb_table_is_plain(table);
	facts->name = get_rel_name(relid);
	if (read_row(relid, &row))
	{
		facts->name = row.name;
		facts->created = row.created;
		strlcpy(facts->id, row.id, sizeof(facts->id));
	}
	else
		derive_id(relid, facts->id);
	facts->item_count = item_count(relid);
	facts->size_bytes = heap_bytes(relid);
}

/* Of a local index, what VACUUM, ANALYZE or its making last counted. */
void
ddb_index_facts(const DdbIndexDef *def, DdbIndexFacts *facts)
{
	HeapTuple	tuple;

	facts->size_bytes = heap_bytes(def->relid);
	facts->item_count = 0;
	if (!def->local)
		facts->item_count = item_count(def->relid);
	else if (HeapTupleIsValid(tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(def->relid))))
	{
		facts->item_count = Max(((Form_pg_class) GETSTRUCT(tuple))->reltuples, 0);
		ReleaseSysCache(tuple);
	}
}

/* ----------------------------------------------------------------------
 * All tables
 * ---------------------------------------------------------------------- */

/* What stands in one of our classes; whether it is a table is asked below. */
#define FIND_TABLES \
	"SELECT i.indrelid, coalesce(k.name, c.relname::text)" \
	" FROM pg_index i" \
	" JOIN pg_opclass o ON o.oid = i.indclass[0]" \
	" JOIN pg_namespace d ON d.oid = o.opcnamespace AND d.nspname = 'ddb'" \
	" JOIN pg_class c ON c.oid = i.indrelid AND c.relkind = 'r'" \
	" JOIN pg_namespace n ON n.oid = c.relnamespace" \
	" LEFT JOIN ddb.catalog k ON k.schema_name = n.nspname AND k.relation_name = c.relname" \
	" WHERE i.indisunique"

static int
compare_entries(const ListCell *a, const ListCell *b)
{
	const DdbTableEntry *x = lfirst(a);
	const DdbTableEntry *y = lfirst(b);

	return strcmp(x->name, y->name);
}

List *
ddb_table_list(void)
{
	MemoryContext context = CurrentMemoryContext;
	List	   *entries = NIL;
	List	   *tables = NIL;
	DdbCatalogScope scope;
	ListCell   *lc;

	ddb_catalog_enter(&scope);
	run(FIND_TABLES, 0, NULL, true);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	tuple = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		MemoryContext spi = MemoryContextSwitchTo(context);
		DdbTableEntry *entry = palloc(sizeof(DdbTableEntry));

		entry->relid = DatumGetObjectId(SPI_getbinval(tuple, desc, 1, &isnull));
		entry->name = SPI_getvalue(tuple, desc, 2);
		entries = lappend(entries, entry);
		MemoryContextSwitchTo(spi);
	}
	ddb_catalog_leave(&scope);

	foreach(lc, entries)
	{
		DdbTableEntry *entry = lfirst(lc);
		DdbKeySchema schema;

		if (ddb_relation_key_schema(entry->relid, &schema))
			tables = lappend(tables, entry);
	}
	list_sort(tables, compare_entries);
	return tables;
}

List *
ddb_table_names(const char *after, int limit)
{
	List	   *names = NIL;
	ListCell   *lc;

	foreach(lc, ddb_table_list())
	{
		DdbTableEntry *entry = lfirst(lc);

		if (list_length(names) <= limit && RelationIsVisible(entry->relid) &&
			(after == NULL || strcmp(entry->name, after) > 0))
			names = lappend(names, entry->name);
	}
	return names;
}
