/*-------------------------------------------------------------------------
 *
 * api_table.c
 *	  CreateTable, DescribeTable, ListTables, DeleteTable.
 *
 * A table is there when CreateTable returns, so its status is ACTIVE at once.
 * Throughput is not limited or counted: every table says that it is billed
 * per request, with a provisioned throughput of zero.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"
#include "base/errors.h"
#include "nodes/pg_list.h"
#include "table/table.h"

#define INVALID_PARAMETER	"One or more parameter values were invalid: "

#define TABLE_ARN			"arn:aws:dynamodb:ddblocal:000000000000:table/"

#define ACTIVE				"ACTIVE"
#define DELETING			"DELETING"

/* Names that ListTables gives when no Limit is given. */
#define LIST_TABLES_LIMIT	100

/* Most capacity units that a request may provision. */
#define MAX_CAPACITY_UNITS	INT64CONST(1000000000000)

/* ----------------------------------------------------------------------
 * CreateTable
 * ---------------------------------------------------------------------- */

static bool
same_text(const DdbJson *a, const DdbJson *b)
{
	return a->text.len == b->text.len && memcmp(a->text.data, b->text.data, a->text.len) == 0;
}

/* "[a, b]": the attribute names of a list of structures. */
static char *
attribute_names(const DdbJson *list)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '[');
	for (const DdbJson *entry = list->child; entry; entry = entry->next)
	{
		DdbName		name = ddb_json_member(entry, "AttributeName")->text;

		appendStringInfo(&out, "%s%.*s", out.len > 1 ? ", " : "", (int) name.len, name.data);
	}
	appendStringInfoChar(&out, ']');
	return out.data;
}

/* The definition of a key attribute, or NULL. */
static const DdbJson *
find_definition(const DdbJson *definitions, const DdbJson *name)
{
	for (const DdbJson *entry = definitions->child; entry; entry = entry->next)
		if (same_text(ddb_json_member(entry, "AttributeName"), name))
			return entry;
	return NULL;
}

/* Which message it is depends on the numbers first, and on names only if they agree. */
static void
check_definitions(const DdbJson *keys, const DdbJson *definitions)
{
	if (definitions->count < keys->count)
		ddb_raise(DDB_VALIDATION, "Invalid KeySchema: Some index key attribute have no definition");
	if (definitions->count > keys->count)
		return;
	for (const DdbJson *key = keys->child; key; key = key->next)
		if (find_definition(definitions, ddb_json_member(key, "AttributeName")) == NULL)
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Some index key attributes are not defined in "
					  "AttributeDefinitions. Keys: %s, AttributeDefinitions: %s",
					  attribute_names(keys), attribute_names(definitions));
}

/* The service's rules for KeySchema and AttributeDefinitions, in its order. */
static void
check_key_schema(const DdbJson *keys, const DdbJson *definitions)
{
	const DdbJson *first = keys->child;
	const DdbJson *second = first->next;
	bool		same = second && same_text(ddb_json_member(first, "AttributeName"),
										   ddb_json_member(second, "AttributeName"));

	check_definitions(keys, definitions);
	if (same)
		ddb_raise(DDB_VALIDATION, "Both the Hash Key and the Range Key element in the KeySchema have the same name");
	if (!ddb_api_member_is(first, "KeyType", "HASH"))
		ddb_raise(DDB_VALIDATION, "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
	if (second && !ddb_api_member_is(second, "KeyType", "RANGE"))
		ddb_raise(DDB_VALIDATION, "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
	if (keys->count != definitions->count)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Number of attributes in KeySchema does not "
				  "exactly match number of attributes defined in AttributeDefinitions");
}

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
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Neither ReadCapacityUnits nor WriteCapacityUnits "
					  "can be specified when BillingMode is PAY_PER_REQUEST");
		return;
	}
	if (throughput == NULL)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "ReadCapacityUnits and WriteCapacityUnits must both "
				  "be specified when BillingMode is PROVISIONED");
	check_units(throughput, "ReadCapacityUnits");
	check_units(throughput, "WriteCapacityUnits");
}

/* An index list, which may not be empty if it is there. */
static void
refuse_indexes(const DdbJson *request, const char *member)
{
	const DdbJson *list = ddb_json_member(request, member);

	if (list == NULL)
		return;
	if (list->count == 0)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "List of %s is empty", member);
	ddb_raise(DDB_VALIDATION, "%s are not supported by this server", member);
}

/* What would change what the table does, and is not there. */
static void
refuse_unsupported(const DdbJson *request)
{
	static const char *const members[] = {
		"GlobalTableSettingsReplicationMode", "GlobalTableSourceArn", "ResourcePolicy"
	};
	const DdbJson *stream = ddb_json_member(request, "StreamSpecification");

	refuse_indexes(request, "LocalSecondaryIndexes");
	refuse_indexes(request, "GlobalSecondaryIndexes");
	refuse_indexes(request, "VectorIndexes");
	if (stream && ddb_api_boolean(stream, "StreamEnabled", false))
		ddb_raise(DDB_VALIDATION, "StreamSpecification is not supported by this server");
	if (stream && ddb_json_member(stream, "StreamViewType"))
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Table is being created with a stream disabled, "
				  "UpdateViewType should not be specified");
	if (ddb_api_boolean(request, "DeletionProtectionEnabled", false))
		ddb_raise(DDB_VALIDATION, "DeletionProtectionEnabled is not supported by this server");
	for (int i = 0; i < lengthof(members); i++)
		if (ddb_json_member(request, members[i]))
			ddb_raise(DDB_VALIDATION, "%s is not supported by this server", members[i]);
}

static void
read_key_schema(const DdbJson *keys, const DdbJson *definitions, DdbKeySchema *schema)
{
	memset(schema, 0, sizeof(*schema));
	for (const DdbJson *key = keys->child; key; key = key->next)
	{
		const DdbJson *name = ddb_json_member(key, "AttributeName");
		const DdbJson *type = ddb_json_member(find_definition(definitions, name), "AttributeType");
		DdbKeyAttr *attr = &schema->attr[schema->nkeys++];
		DdbType		tag;

		/* The model counts characters, a column's name is counted in bytes. */
		if (name->text.len > DDB_MAX_KEY_NAME)
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Key attribute names must be at most %d bytes long",
					  DDB_MAX_KEY_NAME);
		if (!ddb_type_from_name(type->text.data, type->text.len, &tag))
			elog(ERROR, "unknown attribute type");
		attr->len = name->text.len;
		attr->type = tag;
		memcpy(attr->name, name->text.data, name->text.len);
	}
}

/* ----------------------------------------------------------------------
 * Descriptions
 * ---------------------------------------------------------------------- */

static void
reply_attributes(StringInfo reply, const DdbKeySchema *schema)
{
	static const char *const key_types[] = {"HASH", "RANGE"};

	ddb_reply_member(reply, "AttributeDefinitions");
	appendStringInfoChar(reply, '[');
	for (int i = 0; i < schema->nkeys; i++)
	{
		ddb_reply_separate(reply);
		appendStringInfoChar(reply, '{');
		ddb_reply_text(reply, "AttributeName", schema->attr[i].name);
		ddb_reply_text(reply, "AttributeType", ddb_type_name(schema->attr[i].type));
		appendStringInfoChar(reply, '}');
	}
	appendStringInfoChar(reply, ']');

	ddb_reply_member(reply, "KeySchema");
	appendStringInfoChar(reply, '[');
	for (int i = 0; i < schema->nkeys; i++)
	{
		ddb_reply_separate(reply);
		appendStringInfoChar(reply, '{');
		ddb_reply_text(reply, "AttributeName", schema->attr[i].name);
		ddb_reply_text(reply, "KeyType", key_types[i]);
		appendStringInfoChar(reply, '}');
	}
	appendStringInfoChar(reply, ']');
}

static void
reply_time(StringInfo reply, const char *member, double seconds)
{
	if (seconds > 0)
	{
		ddb_reply_member(reply, member);
		appendStringInfo(reply, "%.3f", seconds);
	}
}

/* A table that is going has no keys and no age any more. */
static void
reply_table(StringInfo reply, const char *member, const DdbTableFacts *facts, const char *status)
{
	bool		going = strcmp(status, DELETING) == 0;

	ddb_reply_member(reply, member);
	appendStringInfoChar(reply, '{');
	if (!going)
		reply_attributes(reply, &facts->schema);
	ddb_reply_text(reply, "TableName", facts->name);
	ddb_reply_text(reply, "TableStatus", status);
	if (!going)
		reply_time(reply, "CreationDateTime", facts->created);
	ddb_reply_member(reply, "ProvisionedThroughput");
	appendStringInfoString(reply, "{\"NumberOfDecreasesToday\":0,\"ReadCapacityUnits\":0,\"WriteCapacityUnits\":0}");
	ddb_reply_member(reply, "BillingModeSummary");
	appendStringInfoString(reply, "{\"BillingMode\":\"PAY_PER_REQUEST\"");
	reply_time(reply, "LastUpdateToPayPerRequestDateTime", facts->created);
	appendStringInfoChar(reply, '}');
	ddb_reply_int(reply, "TableSizeBytes", facts->size_bytes);
	ddb_reply_int(reply, "ItemCount", facts->item_count);
	ddb_reply_text(reply, "TableArn", psprintf(TABLE_ARN "%s", facts->name));
	ddb_reply_text(reply, "TableId", facts->id);
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

void
ddb_api_create_table(const DdbJson *request, StringInfo reply)
{
	const DdbJson *keys = ddb_json_member(request, "KeySchema");
	const DdbJson *definitions = ddb_json_member(request, "AttributeDefinitions");
	DdbName		name = ddb_request_table_name(ddb_json_member(request, "TableName")->text);
	DdbTableDefinition definition = {.name = pnstrdup(name.data, name.len), .exact = true};
	DdbTableFacts facts;

	check_billing(request);
	refuse_unsupported(request);
	check_key_schema(keys, definitions);
	read_key_schema(keys, definitions, &definition.schema);

	ddb_table_facts(ddb_table_create(&definition), &facts);
	reply_table(reply, "TableDescription", &facts, ACTIVE);
}

void
ddb_api_describe_table(const DdbJson *request, StringInfo reply)
{
	DdbTableFacts facts;

	ddb_table_facts(require_table(request), &facts);
	reply_table(reply, "Table", &facts, ACTIVE);
}

void
ddb_api_delete_table(const DdbJson *request, StringInfo reply)
{
	Oid			relid = require_table(request);
	DdbTableFacts facts;

	ddb_table_facts(relid, &facts);
	ddb_table_drop(relid);
	reply_table(reply, "TableDescription", &facts, DELETING);
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
