/*-------------------------------------------------------------------------
 *
 * works.c
 *	  Which global indexes there are to work on.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/pg_class.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "index/index_int.h"
#include "storage/lmgr.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

static bool
set_table(DdbWork *work, Oid table)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(table));

	if (!HeapTupleIsValid(tuple))
		return false;
	work->table = table;
	work->owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return ddb_relation_key_schema(table, &work->schema);
}

/* Those of a table, in memory of their own; of one index, or of all (InvalidOid). */
static List *
works_of_table(Oid table, Oid index)
{
	DdbWork		work = {0};
	DdbIndexSet *set;
	List	   *works = NIL;

	if (!set_table(&work, table))
		return NIL;
	set = ddb_table_indexes_copy(table);
	for (int i = 0; set && i < set->n; i++)
	{
		if (set->index[i].local || (OidIsValid(index) && set->index[i].relid != index))
			continue;
		work.def = set->index[i];
		works = lappend(works, memcpy(palloc(sizeof(DdbWork)), &work, sizeof(DdbWork)));
	}
	return works;
}

bool
ddb_work_find(Oid index, DdbWork *work)
{
	Oid			table = ddb_index_base(index);
	List	   *works = OidIsValid(table) ? works_of_table(table, index) : NIL;

	if (works)
		*work = *(DdbWork *) linitial(works);
	return works != NIL;
}

bool
ddb_work_is_unchanged(const DdbWork *work)
{
	const DdbIndexSet *set = ddb_table_indexes(work->table);

	for (int i = 0; set && i < set->n; i++)
	{
		if (set->index[i].relid == work->def.relid)
			return !set->index[i].local && strcmp(set->index[i].name, work->def.name) == 0;
	}
	return false;
}

/* The tables of which the catalog says that they have indexes. */
static List *
indexed_tables(void)
{
	static SPIPlanPtr plan = NULL;
	MemoryContext context = CurrentMemoryContext;
	DdbCatalogScope scope;
	List	   *tables = NIL;

	ddb_catalog_enter(&scope);
	if (plan == NULL)
	{
		plan = SPI_prepare("SELECT DISTINCT c.oid FROM ddb.secondary_index i"
						   " JOIN pg_namespace n ON n.nspname = i.schema_name"
						   " JOIN pg_class c ON c.relnamespace = n.oid"
						   " AND c.relname = i.relation_name ORDER BY c.oid", 0, NULL);
		if (plan == NULL || SPI_keepplan(plan) != 0)
			elog(ERROR, "could not read ddb.secondary_index");
	}
	PushActiveSnapshot(GetLatestSnapshot());
	if (SPI_execute_plan(plan, NULL, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "could not read ddb.secondary_index");
	PopActiveSnapshot();
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		Oid			table = DatumGetObjectId(SPI_getbinval(SPI_tuptable->vals[i],
														   SPI_tuptable->tupdesc, 1, &isnull));
		MemoryContext spi = MemoryContextSwitchTo(context);

		tables = lappend_oid(tables, table);
		MemoryContextSwitchTo(spi);
	}
	ddb_catalog_leave(&scope);
	return tables;
}

/*
 * Locks the table and its indexes, which work on it opens, without waiting:
 * whoever alters or reindexes one table does not stop the work on all.
 */
static bool
lock_table(Oid table)
{
	Relation	rel;
	List	   *indexes;
	ListCell   *lc;

	if (!ConditionalLockRelationOid(table, AccessShareLock))
		return false;
	rel = try_relation_open(table, NoLock);
	if (rel == NULL)
		return false;
	indexes = RelationGetIndexList(rel);
	relation_close(rel, NoLock);
	foreach(lc, indexes)
	{
		if (!ConditionalLockRelationOid(lfirst_oid(lc), AccessShareLock))
			return false;
	}
	return true;
}

List *
ddb_works_find(DdbPass *pass)
{
	List	   *works = NIL;
	ListCell   *lc;

	foreach(lc, indexed_tables())
	{
		Oid			table = lfirst_oid(lc);

		/* Tables made in one way have OIDs at one distance: not to be divided by those. */
		if (pass->parts > 1 && murmurhash32(table) % pass->parts != pass->part)
			continue;
		if (lock_table(table))
			works = list_concat(works, works_of_table(table, InvalidOid));
		else
			pass->left_out++;
	}
	return works;
}
