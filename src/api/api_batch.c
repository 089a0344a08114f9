/*-------------------------------------------------------------------------
 *
 * api_batch.c
 *	  BatchGetItem, BatchWriteItem, TransactGetItems, TransactWriteItems.
 *
 * The entries of RequestItems follow one another table by table in the order
 * of the request; replies speak of each table by the name that the request
 * used for it.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"
#include "base/errors.h"
#include "miscadmin.h"

/* RequestItems, which may not be empty. */
static const DdbJson *
request_items(const DdbJson *request, const char *operation)
{
	const DdbJson *items = ddb_json_member(request, "RequestItems");

	if (items->count == 0)
		ddb_raise(DDB_VALIDATION, "The requestItems parameter is required for %s", operation);
	return items;
}

static void
reply_name(StringInfo reply, DdbName name)
{
	ddb_reply_separate(reply);
	ddb_json_string(reply, name.data, name.len);
	appendStringInfoChar(reply, ':');
}

/* The items of one table's keys; a table whose keys were all missing has []. */
static void
reply_found(StringInfo reply, const DdbValue *items, const DdbFound *found, uint32 n)
{
	appendStringInfoChar(reply, '[');
	for (uint32 i = 0; i < n; i++)
	{
		if (found[i] != DDB_FOUND)
			continue;
		ddb_reply_separate(reply);
		ddb_map_to_json(reply, items[i], DDB_JSON_WIRE);
	}
	appendStringInfoChar(reply, ']');
}

/* What the request said, without its white space. */
static void
reply_json(StringInfo reply, const DdbJson *json)
{
	bool		object = json->type == DDB_JSON_OBJECT;

	check_stack_depth();
	if (!object && json->type != DDB_JSON_ARRAY)
	{
		appendBinaryStringInfo(reply, json->source.data, json->source.len);
		return;
	}
	appendStringInfoChar(reply, object ? '{' : '[');
	for (const DdbJson *child = json->child; child; child = child->next)
	{
		if (object)
			reply_name(reply, child->name);
		else
			ddb_reply_separate(reply);
		reply_json(reply, child);
	}
	appendStringInfoChar(reply, object ? '}' : ']');
}

/* A table's entry again, with only the keys that were not processed. */
static void
reply_unprocessed(StringInfo reply, const DdbJson *table, const DdbFound *found)
{
	const DdbJson *keys = ddb_json_member(table, "Keys");
	int			i = 0;

	appendStringInfoChar(reply, '{');
	for (const DdbJson *member = table->child; member; member = member->next)
	{
		if (member == keys || member->type == DDB_JSON_NULL)
			continue;
		reply_name(reply, member->name);
		reply_json(reply, member);
	}
	ddb_reply_member(reply, "Keys");
	appendStringInfoChar(reply, '[');
	for (const DdbJson *key = keys->child; key; key = key->next)
	{
		if (found[i++] != DDB_UNPROCESSED)
			continue;
		ddb_reply_separate(reply);
		reply_json(reply, key);
	}
	appendStringInfoString(reply, "]}");
}

static bool
has_unprocessed(const DdbFound *found, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
		if (found[i] == DDB_UNPROCESSED)
			return true;
	return false;
}

static void
reply_batch(StringInfo reply, const DdbJson *tables, const DdbValue *items, const DdbFound *found)
{
	uint32		at = 0;

	ddb_reply_member(reply, "Responses");
	appendStringInfoChar(reply, '{');
	for (const DdbJson *table = tables->child; table; table = table->next)
	{
		uint32		n = ddb_json_member(table, "Keys")->count;

		reply_name(reply, table->name);
		reply_found(reply, items + at, found + at, n);
		at += n;
	}
	appendStringInfoChar(reply, '}');

	at = 0;
	ddb_reply_member(reply, "UnprocessedKeys");
	appendStringInfoChar(reply, '{');
	for (const DdbJson *table = tables->child; table; table = table->next)
	{
		uint32		n = ddb_json_member(table, "Keys")->count;

		if (has_unprocessed(found + at, n))
		{
			reply_name(reply, table->name);
			reply_unprocessed(reply, table, found + at);
		}
		at += n;
	}
	appendStringInfoChar(reply, '}');
}

/* Each table has its own AttributesToGet. */
static void
add_legacy(const DdbJson *tables, DdbGet *gets)
{
	uint32		at = 0;

	for (const DdbJson *table = tables->child; table; table = table->next)
	{
		const DdbLegacy *legacy = ddb_api_legacy(table, API_LEGACY_GET);
		uint32		n = ddb_json_member(table, "Keys")->count;

		for (uint32 i = 0; i < n; i++)
			gets[at++].legacy = legacy;
	}
}

void
ddb_api_batch_get_item(const DdbJson *request, StringInfo reply)
{
	const DdbJson *tables = request_items(request, "BatchGetItem");
	int			n;
	DdbText    *names;
	DdbGet	   *gets;
	DdbValue   *items;
	DdbFound   *found;

	ddb_api_check_legacy_tables(tables);
	gets = ddb_request_batch_get(tables, &n, &names);
	add_legacy(tables, gets);
	items = palloc0(n * sizeof(DdbValue));
	found = palloc0(n * sizeof(DdbFound));
	ddb_batch_get(gets, n, DDB_MAX_BATCH_BYTES, items, found);
	reply_batch(reply, tables, items, found);
}

/* One transaction writes the whole batch, so nothing is ever left over. */
void
ddb_api_batch_write_item(const DdbJson *request, StringInfo reply)
{
	int			n;
	DdbText    *names;
	DdbWrite   *writes = ddb_request_batch_write(request_items(request, "BatchWriteItem"), &n, &names);

	ddb_batch_write(writes, n);
	ddb_reply_member(reply, "UnprocessedItems");
	appendStringInfoString(reply, "{}");
}

void
ddb_api_transact_get_items(const DdbJson *request, StringInfo reply)
{
	int			n;
	DdbGet	   *gets = ddb_request_transact_get(ddb_json_member(request, "TransactItems"), &n);
	DdbValue   *items = palloc0(n * sizeof(DdbValue));
	bool	   *found = palloc0(n * sizeof(bool));

	ddb_transact_get(gets, n, items, found);
	ddb_reply_member(reply, "Responses");
	appendStringInfoChar(reply, '[');
	for (int i = 0; i < n; i++)
	{
		ddb_reply_separate(reply);
		appendStringInfoChar(reply, '{');
		if (found[i])
			ddb_reply_map(reply, "Item", items[i]);
		appendStringInfoChar(reply, '}');
	}
	appendStringInfoChar(reply, ']');
}

void
ddb_api_transact_write_items(const DdbJson *request, StringInfo reply)
{
	int			n;
	DdbWrite   *writes = ddb_request_transact_write(ddb_json_member(request, "TransactItems"), &n);

	ddb_transact_write(writes, n, ddb_request_text(request, "ClientRequestToken"));
}
