/*-------------------------------------------------------------------------
 *
 * api_table.c
 *	  CreateTable, UpdateTable, DescribeTable, ListTables, DeleteTable.
 *
 * A table is there when CreateTable returns, so its status is ACTIVE at once,
 * unless it has global indexes, which are filled in the background.
 * Throughput is not limited or counted: every table says that it is billed
 * per request, with a provisioned throughput of zero.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"
#include "base/errors.h"
#include "index/index.h"
#include "nodes/pg_list.h"
#include "table/table.h"

#define TABLE_ARN			"arn:aws:dynamodb:ddblocal:000000000000:table/"

#define ACTIVE				"ACTIVE"
#define CREATING			"CREATING"
#define DELETING			"DELETING"
#define UPDATING			"UPDATING"

/* Names that ListTables gives when no Limit is given. */
#define LIST_TABLES_LIMIT	100

/* Most capacity units that a request may provision. */
#define MAX_CAPACITY_UNITS	INT64CONST(1000000000000)

/* ----------------------------------------------------------------------
 * CreateTable
 * ---------------------------------------------------------------------- */

static void
check_units(const DdbJson *throughput, const char *member)
{
	int64		units = ddb_api_int_member(throughput, member, 0);

	if (units > MAX_CAPACITY_UNITS)
		ddb_raise(DDB_VALIDATION, "Given value " INT64_FORMAT " for %s is out of bounds", units, member);
}

static void
check_billing(const DdbJson *request)
{
	const DdbJson *throughput = ddb_json_member(request, "ProvisionedThroughput");

	if (ddb_api_member_is(request, "BillingMode", "PAY_PER_REQUEST"))
	{
		if (throughput)
			ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "Neither ReadCapacityUnits nor WriteCapacityUnits "
					  "can be specified when BillingMode is PAY_PER_REQUEST");
		return;
	}
	if (throughput == NULL)
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "ReadCapacityUnits and WriteCapacityUnits must both "
				  "be specified when BillingMode is PROVISIONED");
	check_units(throughput, "ReadCapacityUnits");
	check_units(throughput, "WriteCapacityUnits");
}

/* What would change what the table does, and is not there. */
static void
refuse_unsupported(const DdbJson *request)
{
	static const char *const members[] = {
		"GlobalTableSettingsReplicationMode", "GlobalTableSourceArn", "GlobalTableWitnessUpdates",
		"MultiRegionConsistency", "ReplicaUpdates", "ResourcePolicy", "VectorIndexes", "VectorIndexUpdates"
	};
	const DdbJson *stream = ddb_json_member(request, "StreamSpecification");

	if (stream && ddb_api_boolean(stream, "StreamEnabled", false))
		ddb_raise(DDB_VALIDATION, "StreamSpecification is not supported by this server");
	if (stream && ddb_json_member(stream, "StreamViewType"))
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "Table is being created with a stream disabled, "
				  "UpdateViewType should not be specified");
	if (ddb_api_boolean(request, "DeletionProtectionEnabled", false))
		ddb_raise(DDB_VALIDATION, "DeletionProtectionEnabled is not supported by this server");
	for (int i = 0; i < lengthof(members); i++)
		if (ddb_json_member(request, members[i]))
			ddb_raise(DDB_VALIDATION, "%s is not supported by this server", members[i]);
}

/* ----------------------------------------------------------------------
 * Descriptions
 * ---------------------------------------------------------------------- */

static void
reply_time(StringInfo reply, const char *member, double seconds)
{
	if (seconds > 0)
	{
		ddb_reply_member(reply, member);
		appendStringInfo(reply, "%.3f", seconds);
	}
}

static void
reply_billing(StringInfo reply, const DdbTableFacts *facts)
{
	ddb_reply_member(reply, "ProvisionedThroughput");
	appendStringInfoString(reply, DDB_NO_THROUGHPUT);
	ddb_reply_member(reply, "BillingModeSummary");
	appendStringInfoString(reply, "{\"BillingMode\":\"PAY_PER_REQUEST\"");
	reply_time(reply, "LastUpdateToPayPerRequestDateTime", facts->created);
	appendStringInfoChar(reply, '}');
}

/*
 * Who makes a table waits for it to be ACTIVE, and expects its indexes to be
 * so too: nothing can be read from them before, not even that they are empty.
 */
static const char *
table_status(const DdbTableFacts *facts, const DdbIndexSet *set)
{
	for (int i = 0; set && facts->size_bytes == 0 && i < set->n; i++)
	{
		if (!set->index[i].local && ddb_index_state(set->index[i].relid) == DDB_INDEX_CREATING)
			return CREATING;
	}
	return ACTIVE;
}

/*
 * The status is worked out if it is not given.  A table that is going has no
 * keys, indexes and age any more.  going_index is an index that is, or NULL.
 */
static void
reply_table(StringInfo reply, const char *member, const DdbTableFacts *facts, const char *status,
			const char *going_index)
{
	bool		going = status && strcmp(status, DELETING) == 0;
	DdbIndexSet *set = going ? NULL : ddb_table_indexes_copy(facts->relid);
	char	   *arn = psprintf(TABLE_ARN "%s", facts->name);

	ddb_reply_member(reply, member);
	appendStringInfoChar(reply, '{');
	if (!going)
	{
		ddb_api_reply_definitions(reply, &facts->schema, set);
		ddb_api_reply_keys(reply, &facts->schema.attr[0], 1, &facts->schema.attr[1],
						   facts->schema.nkeys - 1);
	}
	ddb_reply_text(reply, "TableName", facts->name);
	ddb_reply_text(reply, "TableStatus", status ? status : table_status(facts, set));
	if (!going)
		reply_time(reply, "CreationDateTime", facts->created);
	reply_billing(reply, facts);
	ddb_reply_int(reply, "TableSizeBytes", facts->size_bytes);
	ddb_reply_int(reply, "ItemCount", facts->item_count);
	ddb_reply_text(reply, "TableArn", arn);
	ddb_reply_text(reply, "TableId", facts->id);
	ddb_api_reply_indexes(reply, arn, set, going_index);
	ddb_reply_member(reply, "DeletionProtectionEnabled");
	appendStringInfoString(reply, "false}");
}

/* The table that TableName names; table operations say which is missing. */
static Oid
require_table(const DdbJson *request)
{
	Oid			relid = ddb_request_table(request);
	DdbName		name = ddb_json_member(request, "TableName")->text;

	if (!OidIsValid(relid))
		ddb_raise(DDB_RESOURCE_NOT_FOUND, "Requested resource not found: Table: %.*s not found",
				  (int) name.len, name.data);
	return relid;
}

/* ----------------------------------------------------------------------
 * The operations
 * ---------------------------------------------------------------------- */

static void
read_key_schema(const DdbJson *keys, const DdbJson *definitions, DdbKeySchema *schema)
{
	for (const DdbJson *key = keys->child; key; key = key->next)
		ddb_api_read_key(key, definitions, &schema->attr[schema->nkeys++]);
}

void
ddb_api_create_table(const DdbJson *request, StringInfo reply)
{
	const DdbJson *keys = ddb_json_member(request, "KeySchema");
	const DdbJson *definitions = ddb_json_member(request, "AttributeDefinitions");
	DdbName		name = ddb_request_table_name(ddb_json_member(request, "TableName")->text);
	DdbTableDefinition definition = {.name = pnstrdup(name.data, name.len), .exact = true};
	DdbTableFacts facts;
	List	   *indexes = NIL;
	ListCell   *lc;
	Oid			relid;

	check_billing(request);
	refuse_unsupported(request);
	ddb_api_check_table_keys(keys, definitions);
	ddb_api_check_definitions(request, definitions);
	read_key_schema(keys, definitions, &definition.schema);
	indexes = ddb_api_read_indexes(request, definitions, &definition.schema);

	relid = ddb_table_create(&definition);
	foreach(lc, indexes)
		ddb_index_create(relid, lfirst(lc));
	ddb_table_facts(relid, &facts);
	reply_table(reply, "TableDescription", &facts, NULL, NULL);
}

/* ----- UpdateTable ----- */

/* What may be changed; throughput, class and encryption have no effect here. */
static void
check_update(const DdbJson *request)
{
	static const char *const members[] = {
		"ProvisionedThroughput", "BillingMode", "StreamSpecification", "SSESpecification", "ReplicaUpdates",
		"MultiRegionConsistency", "DeletionProtectionEnabled", "OnDemandThroughput", "WarmThroughput",
		"TableClass", "GlobalTableWitnessUpdates", "GlobalTableSettingsReplicationMode", "VectorIndexUpdates"
	};
	const DdbJson *updates = ddb_json_member(request, "GlobalSecondaryIndexUpdates");
	bool		any = false;

	for (int i = 0; i < lengthof(members); i++)
		any = any || ddb_json_member(request, members[i]);
	if (!any && (updates == NULL || updates->count == 0))
		ddb_raise(DDB_VALIDATION, "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, OnDemandThroughput, WarmThroughput or TableClass is required");
	if (updates && updates->count == 0)
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "List of GlobalSecondaryIndexUpdates is empty");
	refuse_unsupported(request);
}

void
ddb_api_update_table(const DdbJson *request, StringInfo reply)
{
	const DdbJson *updates = ddb_json_member(request, "GlobalSecondaryIndexUpdates");
	const char *going = NULL;
	DdbTableFacts facts;
	Oid			relid;

	check_update(request);
	relid = require_table(request);
	if (updates)
		going = ddb_api_update_indexes(relid, updates, ddb_json_member(request, "AttributeDefinitions"));
	ddb_table_facts(relid, &facts);
	reply_table(reply, "TableDescription", &facts, UPDATING, going);
	if (going)
		ddb_index_drop(relid, going, strlen(going));
}

void
ddb_api_describe_table(const DdbJson *request, StringInfo reply)
{
	DdbTableFacts facts;

	ddb_table_facts(require_table(request), &facts);
	reply_table(reply, "Table", &facts, NULL, NULL);
}

void
ddb_api_delete_table(const DdbJson *request, StringInfo reply)
{
	Oid			relid = require_table(request);
	DdbTableFacts facts;

	ddb_table_facts(relid, &facts);
	ddb_table_drop(relid);
	reply_table(reply, "TableDescription", &facts, DELETING, NULL);
}

void
ddb_api_list_tables(const DdbJson *request, StringInfo reply)
{
	DdbText		after = ddb_request_text(request, "ExclusiveStartTableName");
	int			limit = ddb_api_int_member(request, "Limit", LIST_TABLES_LIMIT);
	List	   *names = ddb_table_names(after.data ? pnstrdup(after.data, after.len) : NULL, limit);
	bool		more = list_length(names) > limit;

	ddb_reply_member(reply, "TableNames");
	appendStringInfoChar(reply, '[');
	for (int i = 0; i < Min(limit, list_length(names)); i++)
	{
		const char *name = list_nth(names, i);

		ddb_reply_separate(reply);
		ddb_json_string(reply, name, strlen(name));
	}
	appendStringInfoChar(reply, ']');
	if (more)
		ddb_reply_text(reply, "LastEvaluatedTableName", list_nth(names, limit - 1));
}
