/*-------------------------------------------------------------------------
 *
 * request.c
 *	  The API's JSON read into the operations' structs.
 *
 * Both doors come through here: ddb.api for every operation, after its model
 * has checked the request, and the SQL functions that take the API's arrays
 * word for word.  So what is missing or of the wrong JSON type is still
 * refused here, in fewer words than the model has.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "ops/ops_int.h"
#include "table/table.h"

static const char *
json_type_name(DdbJsonType type)
{
	switch (type)
	{
		case DDB_JSON_NULL:
			return "NULL_VALUE";
		case DDB_JSON_FALSE:
			return "FALSE_VALUE";
		case DDB_JSON_TRUE:
			return "TRUE_VALUE";
		case DDB_JSON_NUMBER:
			return "NUMBER_VALUE";
		case DDB_JSON_STRING:
			return "STRING_VALUE";
		case DDB_JSON_ARRAY:
			return "START_ARRAY";
		case DDB_JSON_OBJECT:
			return "START_OBJECT";
	}
	pg_unreachable();
}

static void
expect(const DdbJson *json, DdbJsonType type, const char *wanted)
{
	if (json->type != type)
		ddb_raise(DDB_SERIALIZATION, "%s cannot be converted to %s",
				  json_type_name(json->type), wanted);
}

static const DdbJson *
required(const DdbJson *body, const char *name)
{
	const DdbJson *json = ddb_json_member(body, name);

	if (!json)
		ddb_raise(DDB_VALIDATION, "1 validation error detected: Value null at '%c%s' failed to "
				  "satisfy constraint: Member must not be null",
				  pg_tolower((unsigned char) name[0]), name + 1);
	return json;
}

DdbText
ddb_request_text(const DdbJson *body, const char *name)
{
	const DdbJson *json = ddb_json_member(body, name);

	if (!json)
		return (DdbText) {NULL, 0};
	expect(json, DDB_JSON_STRING, "String");
	return (DdbText) {json->text.data ? json->text.data : "", json->text.len};
}

static Oid
find_table(DdbName text)
{
	DdbName		name = ddb_request_table_name(text);

	return ddb_table_lookup(name.data, name.len);
}

/* The table found last: the actions of a request mostly share one. */
typedef struct LastTable
{
	DdbName		name;
	Oid			relid;
} LastTable;

static Oid
read_table(const DdbJson *body, LastTable *last)
{
	DdbName		name;

	required(body, "TableName");
	name = ddb_request_text(body, "TableName");
	if (last->name.data == NULL || last->name.len != name.len ||
		memcmp(last->name.data, name.data, name.len) != 0)
	{
		last->relid = find_table(name);
		last->name = name;
	}
	return last->relid;
}

Oid
ddb_request_table(const DdbJson *body)
{
	LastTable	none = {{NULL, 0}, InvalidOid};

	return read_table(body, &none);
}

static DdbValue
read_map(const DdbJson *json)
{
	expect(json, DDB_JSON_OBJECT, "Map");
	return ddb_map_from_tree(json, DDB_JSON_TYPED);
}

static const DdbValue *
keep(DdbValue value)
{
	DdbValue   *kept = palloc(sizeof(DdbValue));

	*kept = value;
	return kept;
}

/* ----------------------------------------------------------------------
 * Names and values
 *
 * The order of checks is the service's: first whether there are expressions to
 * use them in; when everything else of the request has been read, the keys of
 * both maps; and then the values, of which the message names the bad one.
 * ---------------------------------------------------------------------- */
void
ddb_request_check_given(const DdbJson *body, unsigned kinds)
{
	unsigned	given = 0;

	for (int kind = DDB_EXPR_CONDITION; kind <= DDB_EXPR_PROJECTION; kind++)
	{
		if ((kinds & DDB_EXPR_BIT(kind)) && ddb_json_member(body, ddb_kind_name(kind)))
			given |= DDB_EXPR_BIT(kind);
	}
	ddb_exprs_check_given(kinds, given, ddb_json_member(body, DDB_NAMES) != NULL,
						  ddb_json_member(body, DDB_VALUES) != NULL);
}

static void
check_keys(const DdbJson *map, char mark)
{
	expect(map, DDB_JSON_OBJECT, "Map");
	for (const DdbJson *entry = map->child; entry; entry = entry->next)
		ddb_exprs_check_placeholder(entry->name, mark);
}

static const DdbValue *
read_names(const DdbJson *map)
{
	const DdbValue *names;

	check_keys(map, '#');
	for (const DdbJson *name = map->child; name; name = name->next)
		expect(name, DDB_JSON_STRING, "String");
	names = keep(ddb_map_from_tree(map, DDB_JSON_PLAIN));
	ddb_exprs_check_names(names);
	return names;
}

/* In PG_CATCH: raises a validation error again with the value's key. */
static void
name_value(DdbName key, MemoryContext context)
{
	ErrorData  *error;

	if (geterrcode() != ddb_sqlstate(DDB_VALIDATION))
		PG_RE_THROW();
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	ddb_raise(DDB_VALIDATION, DDB_VALUES " contains invalid value: %s for key %.*s",
			  error->message, (int) key.len, key.data);
}

static const DdbValue *
read_values(const DdbJson *map)
{
	MemoryContext context = CurrentMemoryContext;
	DdbBuilder *builder = ddb_builder_begin(DDB_M);
	const DdbJson *volatile value = NULL;

	check_keys(map, ':');
	PG_TRY();
	{
		for (value = map->child; value; value = value->next)
			ddb_builder_put(builder, value->name.data, value->name.len,
							ddb_value_from_tree(value, DDB_JSON_TYPED));
	}
	PG_CATCH();
	{
		name_value(value->name, context);
	}
	PG_END_TRY();
	return keep(ddb_builder_finish(builder, DDB_DUPLICATES_MERGE));
}

void
ddb_request_placeholders(const DdbJson *body, DdbPlaceholders *placeholders)
{
	const DdbJson *names = ddb_json_member(body, DDB_NAMES);
	const DdbJson *values = ddb_json_member(body, DDB_VALUES);

	placeholders->names = names ? read_names(names) : NULL;
	placeholders->values = values ? read_values(values) : NULL;
}

/* ----------------------------------------------------------------------
 * One item
 * ---------------------------------------------------------------------- */

/* The kinds of expressions that a write takes, as bits. */
static unsigned
write_kinds(DdbAction action)
{
	return DDB_EXPR_BIT(DDB_EXPR_CONDITION) |
		(action == DDB_ACTION_UPDATE ? DDB_EXPR_BIT(DDB_EXPR_UPDATE) : 0);
}

static void
read_write(const DdbJson *body, DdbAction action, LastTable *last, DdbWrite *write)
{
	expect(body, DDB_JSON_OBJECT, "Structure");
	memset(write, 0, sizeof(*write));
	ddb_request_check_given(body, write_kinds(action));
	write->action = action;
	write->relid = read_table(body, last);
	write->item = read_map(required(body, action == DDB_ACTION_PUT ? "Item" : "Key"));
	write->condition = ddb_request_text(body, "ConditionExpression");
	if (action == DDB_ACTION_UPDATE)
		write->update = ddb_request_text(body, "UpdateExpression");
	ddb_request_placeholders(body, &write->placeholders);
	write->return_values =
		ddb_return_values(ddb_request_text(body, "ReturnValues"), "returnValues");
	write->return_item_on_failure =
		ddb_return_values(ddb_request_text(body, "ReturnValuesOnConditionCheckFailure"),
						  "returnValuesOnConditionCheckFailure") == DDB_RETURN_ALL_OLD;
}

void
ddb_request_write(const DdbJson *body, DdbAction action, DdbWrite *write)
{
	LastTable	none = {{NULL, 0}, InvalidOid};

	read_write(body, action, &none, write);
}

static void
read_get(const DdbJson *body, LastTable *last, DdbGet *get)
{
	expect(body, DDB_JSON_OBJECT, "Structure");
	memset(get, 0, sizeof(*get));
	ddb_request_check_given(body, DDB_EXPR_BIT(DDB_EXPR_PROJECTION));
	get->relid = read_table(body, last);
	get->key = read_map(required(body, "Key"));
	get->projection = ddb_request_text(body, "ProjectionExpression");
	ddb_request_placeholders(body, &get->placeholders);
}

void
ddb_request_get(const DdbJson *body, DdbGet *get)
{
	LastTable	none = {{NULL, 0}, InvalidOid};

	read_get(body, &none, get);
}

/* ----------------------------------------------------------------------
 * Transactions
 * ---------------------------------------------------------------------- */

/*
 * Actions are read one by one, and each is parsed before the next is read: so
 * the first mistake in the request's order is the one reported.
 */
static void
read_action(const DdbJson *entry, LastTable *last, DdbWrite *write)
{
	static const char *const names[] = {
		[DDB_ACTION_PUT] = "Put",
		[DDB_ACTION_UPDATE] = "Update",
		[DDB_ACTION_DELETE] = "Delete",
		[DDB_ACTION_CHECK] = "ConditionCheck",
	};
	const DdbJson *body = NULL;
	DdbPlan		plan;

	expect(entry, DDB_JSON_OBJECT, "Structure");
	for (int i = 0; i < lengthof(names); i++)
	{
		const DdbJson *found = ddb_json_member(entry, names[i]);

		if (found && body)
			ddb_raise(DDB_VALIDATION,
					  "TransactItems can only contain one of Check, Put, Update or Delete");
		if (!found)
			continue;
		body = found;
		read_write(body, i, last, write);
	}
	if (!body)
		ddb_raise(DDB_VALIDATION, "Invalid Request: TransactWriteRequest should contain "
				  "Delete or Put or Update request");
	if (write->action == DDB_ACTION_UPDATE)
		required(body, "UpdateExpression");
	if (write->action == DDB_ACTION_CHECK)
		required(body, "ConditionExpression");
	ddb_plan_parse(&plan, write);
}

DdbWrite *
ddb_request_transact_write(const DdbJson *actions, int *n)
{
	LastTable	last = {{NULL, 0}, InvalidOid};
	DdbWrite   *writes;
	int			i = 0;

	expect(actions, DDB_JSON_ARRAY, "List");
	writes = palloc_array(DdbWrite, actions->count + 1);
	for (const DdbJson *entry = actions->child; entry; entry = entry->next)
		read_action(entry, &last, &writes[i++]);
	*n = i;
	return writes;
}

DdbGet *
ddb_request_transact_get(const DdbJson *actions, int *n)
{
	LastTable	last = {{NULL, 0}, InvalidOid};
	DdbGet	   *gets;
	DdbGetPlan	plan;
	int			i = 0;

	expect(actions, DDB_JSON_ARRAY, "List");
	gets = palloc_array(DdbGet, actions->count + 1);
	for (const DdbJson *entry = actions->child; entry; entry = entry->next)
	{
		expect(entry, DDB_JSON_OBJECT, "Structure");
		read_get(required(entry, "Get"), &last, &gets[i]);
		ddb_get_parse(&plan, &gets[i++]);
	}
	*n = i;
	return gets;
}

/* ----------------------------------------------------------------------
 * Batches
 * ---------------------------------------------------------------------- */

static void
read_write_request(const DdbJson *entry, Oid relid, DdbWrite *write)
{
	const DdbJson *put;
	const DdbJson *delete;
	const DdbJson *body;

	expect(entry, DDB_JSON_OBJECT, "Structure");
	put = ddb_json_member(entry, "PutRequest");
	delete = ddb_json_member(entry, "DeleteRequest");
	if (put && delete)
		ddb_raise(DDB_VALIDATION, "Supplied WriteRequest has more than one member, "
				  "must contain exactly one of PutRequest or DeleteRequest");
	if (!put && !delete)
		ddb_raise(DDB_VALIDATION, "Supplied WriteRequest is empty, "
				  "must contain exactly one of PutRequest or DeleteRequest");
	body = put ? put : delete;
	expect(body, DDB_JSON_OBJECT, "Structure");
	memset(write, 0, sizeof(*write));
	write->action = put ? DDB_ACTION_PUT : DDB_ACTION_DELETE;
	write->relid = relid;
	write->item = read_map(required(body, put ? "Item" : "Key"));
}

/* The number of entries of all tables: what each of them holds under `list`. */
static int
count_entries(const DdbJson *items, const char *list)
{
	int			n = 0;

	expect(items, DDB_JSON_OBJECT, "Map");
	for (const DdbJson *table = items->child; table; table = table->next)
	{
		const DdbJson *entries = table;

		if (list)
		{
			expect(table, DDB_JSON_OBJECT, "Structure");
			entries = required(table, list);
		}
		expect(entries, DDB_JSON_ARRAY, "List");
		n += entries->count;
	}
	return n;
}

DdbWrite *
ddb_request_batch_write(const DdbJson *items, int *n, DdbText **tables)
{
	int			count = count_entries(items, NULL);
	DdbWrite   *writes = palloc_array(DdbWrite, count + 1);
	int			i = 0;

	*tables = palloc_array(DdbText, count + 1);
	for (const DdbJson *table = items->child; table; table = table->next)
	{
		Oid			relid = find_table(table->name);

		for (const DdbJson *entry = table->child; entry; entry = entry->next)
		{
			(*tables)[i] = table->name;
			read_write_request(entry, relid, &writes[i++]);
		}
	}
	*n = count;
	return writes;
}

DdbGet *
ddb_request_batch_get(const DdbJson *items, int *n, DdbText **tables)
{
	int			count = count_entries(items, "Keys");
	DdbGet	   *gets = palloc_array(DdbGet, count + 1);
	int			i = 0;

	*tables = palloc_array(DdbText, count + 1);
	for (const DdbJson *table = items->child; table; table = table->next)
	{
		DdbGet		get = {find_table(table->name)};

		get.projection = ddb_request_text(table, "ProjectionExpression");
		ddb_request_placeholders(table, &get.placeholders);
		for (const DdbJson *key = required(table, "Keys")->child; key; key = key->next)
		{
			(*tables)[i] = table->name;
			get.key = read_map(key);
			gets[i++] = get;
		}
	}
	*n = count;
	return gets;
}
