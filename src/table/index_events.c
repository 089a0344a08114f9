/*-------------------------------------------------------------------------
 *
 * index_events.c
 *	  Indexes follow what DDL makes of their tables, or refuse it.
 *
 * Called by the event triggers of events.c.  An index stays in its table's
 * schema and with its table's owner, goes with it, and is found again under a
 * new name.  Refused is what would leave indexes behind that nobody keeps: a
 * table with indexes stays a ddb table, permanent if any of them is global,
 * and an index stays under its access method.
 *
 * Event triggers can be switched off, and pg_upgrade brings them back last.
 * So nothing wrong may come of their not running but an index that is not
 * believed (indexes.c), or adopted late (ddb_index_adopt()).
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "commands/event_trigger.h"
#include "commands/tablecmds.h"
#include "nodes/primnodes.h"
#include "rewrite/prs2lock.h"
#include "table/table_int.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

static void refuse(const char *relname, const char *what) pg_attribute_noreturn();

static void
refuse(const char *relname, const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("cannot %s while table \"%s\" has secondary indexes", what, relname),
			 errhint("Drop the indexes with ddb.drop_index() first, and add them again afterwards.")));
}

/* The relations of a table's global indexes. */
static List *
global_indexes(Oid relid)
{
	const DdbIndexSet *set = ddb_table_indexes(relid);
	List	   *relids = NIL;

	for (int i = 0; set && i < set->n; i++)
		if (!set->index[i].local)
			relids = lappend_oid(relids, set->index[i].relid);
	return relids;
}

/* ----------------------------------------------------------------------
 * What a materialized view is of
 * ---------------------------------------------------------------------- */

static bool
computes_digest(Query *query)
{
	Oid			schema = get_namespace_oid("ddb", true);
	ListCell   *lc;

	foreach(lc, query->targetList)
	{
		FuncExpr   *call = (FuncExpr *) lfirst_node(TargetEntry, lc)->expr;

		if (IsA(call, FuncExpr) && get_func_namespace(call->funcid) == schema &&
			strcmp(get_func_name(call->funcid), "index_digest") == 0)
			return true;
	}
	return false;
}

/*
 * The table whose index this view is by its query, which alone tells while a
 * restore has not brought the catalog's rows yet.  InvalidOid: it is none.
 */
static Oid
view_base(Oid relid)
{
	Relation	view = relation_open(relid, AccessShareLock);
	Query	   *query = view->rd_rules && view->rd_rules->numLocks == 1 ?
		linitial(view->rd_rules->rules[0]->actions) : NULL;
	Oid			base = InvalidOid;

	if (query && list_length(query->jointree->fromlist) == 1 &&
		IsA(linitial(query->jointree->fromlist), RangeTblRef) && computes_digest(query))
	{
		int			rti = linitial_node(RangeTblRef, query->jointree->fromlist)->rtindex;
		RangeTblEntry *rte = list_nth(query->rtable, rti - 1);

		if (rte->rtekind == RTE_RELATION)
			base = rte->relid;
	}
	relation_close(view, AccessShareLock);
	return base;
}

void
ddb_index_created(const CreateTableAsStmt *stmt)
{
	Oid			relid = RangeVarGetRelid(stmt->into->rel, NoLock, true);
	Oid			base;

	if (!OidIsValid(relid) || get_rel_relkind(relid) != RELKIND_MATVIEW)
		return;
	base = view_base(relid);
	if (OidIsValid(base))
		ddb_index_depend(base, relid);
}

/* ----------------------------------------------------------------------
 * ALTER
 * ---------------------------------------------------------------------- */

static DdbIndexHook altered_hook = NULL;

void
ddb_on_table_altered(DdbIndexHook hook)
{
	altered_hook = hook;
}

static void
table_altered(Oid relid)
{
	List	   *views = global_indexes(relid);
	DdbKeySchema schema;
	HeapTuple	tuple;
	Form_pg_class form;
	ListCell   *lc;

	if (ddb_table_indexes(relid) == NULL)
		return;
	if (!ddb_relation_key_schema(relid, &schema))
		refuse(get_rel_name(relid), "alter a key or item column");
	if (views == NIL)
		return;
	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	form = (Form_pg_class) GETSTRUCT(tuple);
	ddb_index_check_table(NameStr(form->relname), form->relpersistence, form->relforcerowsecurity);
	ReleaseSysCache(tuple);
	foreach(lc, views)
	{
		ddb_index_adopt(relid, lfirst_oid(lc));
		if (altered_hook)
			altered_hook(relid, lfirst_oid(lc));
	}
}

void
ddb_index_altered(const RangeVar *relation)
{
	Oid			relid = RangeVarGetRelid(relation, NoLock, true);
	char		kind = OidIsValid(relid) ? get_rel_relkind(relid) : 0;

	if (kind == RELKIND_RELATION)
		table_altered(relid);
}

/* ----- OWNER: an index of another owner is not believed, so the catalog is asked ----- */

/* The materialized views of the catalog's indexes of this table. */
static List *
catalog_views(Oid table)
{
	Oid			schema = get_rel_namespace(table);
	List	   *views = NIL;
	ListCell   *lc;

	foreach(lc, ddb_catalog_index_relations(get_namespace_name(schema), get_rel_name(table)))
	{
		Oid			relid = get_relname_relid(lfirst(lc), schema);

		if (OidIsValid(relid) && get_rel_relkind(relid) == RELKIND_MATVIEW &&
			view_base(relid) == table)
			views = lappend_oid(views, relid);
	}
	return views;
}

static void
check_view_owner(Oid relid)
{
	Oid			base = view_base(relid);

	if (OidIsValid(base) && ddb_relation_owner(relid) != ddb_relation_owner(base) &&
		list_member_oid(catalog_views(base), relid))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("cannot change the owner of secondary index \"%s\"", get_rel_name(relid)),
				 errhint("Change the owner of its table \"%s\" instead.", get_rel_name(base))));
}

void
ddb_index_owner_changed(const RangeVar *relation)
{
	Oid			relid = RangeVarGetRelid(relation, NoLock, true);
	char		kind = OidIsValid(relid) ? get_rel_relkind(relid) : 0;
	ListCell   *lc;

	if (kind == RELKIND_MATVIEW)
		check_view_owner(relid);
	if (kind != RELKIND_RELATION)
		return;
	foreach(lc, catalog_views(relid))
		ddb_index_adopt(relid, lfirst_oid(lc));
}

/* ----- SET SCHEMA ----- */

static void
move_view(Oid relid, Oid from, Oid to)
{
	Relation	view = relation_open(relid, AccessExclusiveLock);
	ObjectAddresses *moved = new_object_addresses();

	AlterTableNamespaceInternal(view, from, to, moved);
	free_object_addresses(moved);
	relation_close(view, NoLock);
}

void
ddb_index_follow_schema(const char *from, const char *to, const char *relname)
{
	Oid			from_oid = get_namespace_oid(from, false);
	Oid			to_oid = get_namespace_oid(to, false);
	ListCell   *lc;

	foreach(lc, ddb_catalog_index_relations(to, relname))
	{
		Oid			relid = get_relname_relid(lfirst(lc), from_oid);

		if (OidIsValid(relid) && get_rel_relkind(relid) == RELKIND_MATVIEW)
			move_view(relid, from_oid, to_oid);
	}
}

void
ddb_index_check_schema(const RangeVar *relation, const char *new_schema)
{
	Oid			relid = get_relname_relid(relation->relname, get_namespace_oid(new_schema, false));
	Oid			base;

	if (!OidIsValid(relid) || get_rel_relkind(relid) != RELKIND_MATVIEW)
		return;
	base = view_base(relid);
	if (OidIsValid(base) && get_rel_namespace(base) != get_rel_namespace(relid))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("cannot move secondary index \"%s\" into another schema", relation->relname),
				 errhint("It goes where its table \"%s\" goes.", get_rel_name(base))));
}

/* ----- rewrites: the event comes before the work ----- */

/* Does the command change the type of a column that makes a ddb table? */
static bool
changes_type(const AlterTableStmt *stmt, Oid relid)
{
	DdbKeySchema schema;
	DdbColumns	columns;
	ListCell   *lc;

	if (!ddb_relation_columns(relid, &schema, &columns))
		return false;
	foreach(lc, stmt->cmds)
	{
		AlterTableCmd *cmd = lfirst(lc);
		AttrNumber	attno = cmd->name ? get_attnum(relid, cmd->name) : InvalidAttrNumber;

		if (cmd->subtype == AT_AlterColumnType && attno != InvalidAttrNumber &&
			(attno == columns.pk || attno == columns.sk || attno == columns.item))
			return true;
	}
	return false;
}

void
ddb_index_rewrite(const Node *command)
{
	Oid			relid = DatumGetObjectId(OidFunctionCall0(F_PG_EVENT_TRIGGER_TABLE_REWRITE_OID));
	int			reason = DatumGetInt32(OidFunctionCall0(F_PG_EVENT_TRIGGER_TABLE_REWRITE_REASON));
	Oid			base = ddb_index_base(relid);

	if (OidIsValid(base) && (reason & AT_REWRITE_ACCESS_METHOD))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("cannot change the access method of secondary index \"%s\"", get_rel_name(relid))));
	if (ddb_table_indexes(relid) == NULL)
		return;
	if (reason & AT_REWRITE_ACCESS_METHOD)
		refuse(get_rel_name(relid), "change the access method");
	if ((reason & AT_REWRITE_ALTER_PERSISTENCE) && global_indexes(relid) != NIL)
		ddb_index_check_table(get_rel_name(relid), RELPERSISTENCE_UNLOGGED, false);
	if ((reason & AT_REWRITE_COLUMN_REWRITE) && IsA(command, AlterTableStmt) &&
		changes_type((const AlterTableStmt *) command, relid))
		refuse(get_rel_name(relid), "change the type of a key or item column");
}

/* ----- REFRESH: before the work, and before the access method would refuse it ----- */

void
ddb_index_refresh(const RefreshMatViewStmt *stmt)
{
	Oid			relid = RangeVarGetRelid(stmt->relation, NoLock, true);

	if (stmt->concurrent && OidIsValid(relid) && OidIsValid(ddb_index_base(relid)))
		ddb_raise_refresh(relid);
}

/* ----------------------------------------------------------------------
 * DROP
 * ---------------------------------------------------------------------- */

/*
 * After the catalog has lost the rows of what was dropped.  Without its key
 * index a table would be written to, and no change would be known.
 */
void
ddb_index_check_dropped(void)
{
	ListCell   *lc;

	foreach(lc, ddb_catalog_tables_losing_indexes())
	{
		Oid			relid = lfirst_oid(lc);
		DdbKeySchema schema;

		if (ddb_table_indexes(relid) && !ddb_relation_key_schema(relid, &schema))
			refuse(get_rel_name(relid), "drop the key index");
	}
}
