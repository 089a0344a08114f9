/*-------------------------------------------------------------------------
 *
 * events.c
 *	  Triggers: by event triggers catalog and indexes follow DDL, and by
 *	  row triggers ddb's own tables stay this server's.
 *
 * The catalog is keyed by names, and when a command has ended the old name is
 * gone from PostgreSQL's catalogs; but the command's own tree still has it.
 * So nothing has to be remembered from before the command, and nothing can be
 * out of date.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "commands/event_trigger.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "replication/logicalworker.h"
#include "table/table_int.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(ddb_on_drop);
PG_FUNCTION_INFO_V1(ddb_on_alter);
PG_FUNCTION_INFO_V1(ddb_on_rewrite);
PG_FUNCTION_INFO_V1(ddb_on_refresh);
PG_FUNCTION_INFO_V1(ddb_keep_local);
PG_FUNCTION_INFO_V1(ddb_index_changed);

static EventTriggerData *
event(FunctionCallInfo fcinfo)
{
	if (!CALLED_AS_EVENT_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_EVENT_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("not called by an event trigger")));
	return (EventTriggerData *) fcinfo->context;
}

Datum
ddb_on_drop(PG_FUNCTION_ARGS)
{
	DdbCatalogScope scope;

	(void) event(fcinfo);
	ddb_catalog_enter(&scope);
	if (SPI_execute("DELETE FROM ddb.catalog k USING pg_event_trigger_dropped_objects() d"
					" WHERE d.object_type = 'table' AND k.schema_name = d.schema_name"
					" AND k.relation_name = d.object_name", false, 0) != SPI_OK_DELETE)
		elog(ERROR, "could not follow a drop");
	if (SPI_execute("DELETE FROM ddb.secondary_index k USING pg_event_trigger_dropped_objects() d"
					" WHERE k.schema_name = d.schema_name"
					" AND (d.object_type = 'table' AND k.relation_name = d.object_name"
					" OR d.object_type IN ('materialized view', 'index') AND k.index_relation = d.object_name)",
					false, 0) != SPI_OK_DELETE)
		elog(ERROR, "could not follow a drop");
	ddb_catalog_leave(&scope);
	ddb_index_check_dropped();
	PG_RETURN_NULL();
}

/*
 * A relation has left a name: moves the catalog's row of the schema that it
 * left.  Of an unqualified name only the search_path says which that was: one
 * that has the old name no more.  Where the catalog never had a row, nothing
 * happens.
 */
static void
follow(const RangeVar *old, const char *new_schema, const char *new_name)
{
	List	   *path = NIL;
	ListCell   *lc;

	if (old->schemaname)
		path = list_make1_oid(get_namespace_oid(old->schemaname, true));
	else
		path = fetch_search_path(false);
	foreach(lc, path)
	{
		char	   *schema = get_namespace_name(lfirst_oid(lc));

		if (schema == NULL || OidIsValid(get_relname_relid(old->relname, lfirst_oid(lc))))
			continue;
		if (new_schema == NULL && !OidIsValid(get_relname_relid(new_name, lfirst_oid(lc))))
			continue;
		ddb_catalog_move(schema, old->relname, new_schema ? new_schema : schema, new_name);
		if (new_schema)
			ddb_index_follow_schema(schema, new_schema, new_name);
		else
			ddb_catalog_rename_index(schema, old->relname, new_name);
	}
}

static bool
changes_owner(const AlterTableStmt *stmt)
{
	ListCell   *lc;

	foreach(lc, stmt->cmds)
	{
		if (lfirst_node(AlterTableCmd, lc)->subtype == AT_ChangeOwner)
			return true;
	}
	return false;
}

Datum
ddb_on_alter(PG_FUNCTION_ARGS)
{
	Node	   *command = event(fcinfo)->parsetree;

	if (IsA(command, RenameStmt))
	{
		RenameStmt *stmt = (RenameStmt *) command;

		/* ALTER INDEX and ALTER VIEW rename tables too; columns have a subname. */
		if (stmt->renameType == OBJECT_SCHEMA)
			ddb_catalog_move_schema(stmt->subname, stmt->newname);
		else if (stmt->relation && stmt->subname == NULL)
			follow(stmt->relation, NULL, stmt->newname);
		else if (stmt->relation)
			ddb_index_altered(stmt->relation);
	}
	else if (IsA(command, AlterObjectSchemaStmt))
	{
		AlterObjectSchemaStmt *stmt = (AlterObjectSchemaStmt *) command;

		if (stmt->relation)
		{
			follow(stmt->relation, stmt->newschema, stmt->relation->relname);
			ddb_index_check_schema(stmt->relation, stmt->newschema);
		}
	}
	else if (IsA(command, AlterTableStmt))
	{
		AlterTableStmt *stmt = (AlterTableStmt *) command;

		if (changes_owner(stmt))
			ddb_index_owner_changed(stmt->relation);
		ddb_index_altered(stmt->relation);
	}
	else if (IsA(command, CreateTableAsStmt))
		ddb_index_created((CreateTableAsStmt *) command);
	PG_RETURN_NULL();
}

Datum
ddb_on_rewrite(PG_FUNCTION_ARGS)
{
	ddb_index_rewrite(event(fcinfo)->parsetree);
	PG_RETURN_NULL();
}

Datum
ddb_on_refresh(PG_FUNCTION_ARGS)
{
	ddb_index_refresh(castNode(RefreshMatViewStmt, event(fcinfo)->parsetree));
	PG_RETURN_NULL();
}

/*
 * A publication FOR ALL TABLES holds ddb's own tables too, and their rows mean
 * nothing on another server: what logical replication brings is let drop.
 */
Datum
ddb_keep_local(PG_FUNCTION_ARGS)
{
	TriggerData *data = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("not called by a trigger")));
	if (IsLogicalWorker())
		PG_RETURN_POINTER(NULL);
	PG_RETURN_POINTER(TRIGGER_FIRED_BY_UPDATE(data->tg_event) ? data->tg_newtuple
					  : data->tg_trigtuple);
}

/* The table that a row of ddb.secondary_index names; it may not be there. */
static void
invalidate_table(Relation catalog, HeapTuple row)
{
	TupleDesc	desc = RelationGetDescr(catalog);
	bool		isnull;
	char	   *schema = TextDatumGetCString(heap_getattr(row, 1, desc, &isnull));
	char	   *name = TextDatumGetCString(heap_getattr(row, 2, desc, &isnull));
	Oid			namespace = get_namespace_oid(schema, true);
	Oid			relid = OidIsValid(namespace) ? get_relname_relid(name, namespace) : InvalidOid;

	if (OidIsValid(relid))
		CacheInvalidateRelcacheByRelid(relid);
}

/*
 * Whoever changes what indexes there are, a restore included: every session
 * learns of it with the table's relcache entry.
 */
Datum
ddb_index_changed(PG_FUNCTION_ARGS)
{
	TriggerData *data = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("not called by a trigger")));
	invalidate_table(data->tg_relation, data->tg_trigtuple);
	if (TRIGGER_FIRED_BY_UPDATE(data->tg_event))
		invalidate_table(data->tg_relation, data->tg_newtuple);
	PG_RETURN_POINTER(NULL);
}
