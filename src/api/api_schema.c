/*-------------------------------------------------------------------------
 *
 * api_schema.c
 *	  KeySchema and AttributeDefinitions, of tables and of indexes.
 *
 * Which attributes are keys is said in one member of a request and what types
 * they have in another, for the table and all its indexes together.  The rules
 * that need both are the service's, in its order and words.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"
#include "base/errors.h"

static bool
same_text(const DdbJson *a, const DdbJson *b)
{
	return a->text.len == b->text.len && memcmp(a->text.data, b->text.data, a->text.len) == 0;
}

static const DdbJson *
attribute_name(const DdbJson *entry)
{
	return ddb_json_member(entry, "AttributeName");
}

static void
append_name(StringInfo out, const DdbJson *entry)
{
	DdbName		name = attribute_name(entry)->text;

	appendStringInfo(out, "%s%.*s", out->len > 1 ? ", " : "", (int) name.len, name.data);
}

/* "[a, b]": the attribute names of a list of structures. */
static char *
attribute_names(const DdbJson *list)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '[');
	for (const DdbJson *entry = list ? list->child : NULL; entry; entry = entry->next)
		append_name(&out, entry);
	appendStringInfoChar(&out, ']');
	return out.data;
}

/* The structure in the list that is about this attribute, or NULL. */
static const DdbJson *
find_attribute(const DdbJson *list, const DdbJson *name)
{
	for (const DdbJson *entry = list ? list->child : NULL; entry; entry = entry->next)
		if (same_text(attribute_name(entry), name))
			return entry;
	return NULL;
}

static void raise_undefined(const DdbJson *keys, const DdbJson *definitions) pg_attribute_noreturn();

static void
raise_undefined(const DdbJson *keys, const DdbJson *definitions)
{
	ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "Some index key attributes are not defined in "
			  "AttributeDefinitions. Keys: %s, AttributeDefinitions: %s",
			  attribute_names(keys), attribute_names(definitions));
}

static bool
all_defined(const DdbJson *keys, const DdbJson *definitions)
{
	for (const DdbJson *key = keys->child; key; key = key->next)
		if (find_attribute(definitions, attribute_name(key)) == NULL)
			return false;
	return true;
}

/* ----------------------------------------------------------------------
 * A table's keys
 * ---------------------------------------------------------------------- */

static void
check_one_or_two(const DdbJson *keys)
{
	const DdbJson *second = keys->child->next;

	if (second && same_text(attribute_name(keys->child), attribute_name(second)))
		ddb_raise(DDB_VALIDATION, "Both the Hash Key and the Range Key element in the KeySchema have the same name");
	if (!ddb_api_member_is(keys->child, "KeyType", "HASH"))
		ddb_raise(DDB_VALIDATION, "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
	if (second && !ddb_api_member_is(second, "KeyType", "RANGE"))
		ddb_raise(DDB_VALIDATION, "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type");
}

/* Which message it is depends on the numbers first, and on names only if they agree. */
void
ddb_api_check_table_keys(const DdbJson *keys, const DdbJson *definitions)
{
	if (definitions->count < keys->count)
		ddb_raise(DDB_VALIDATION, "Invalid KeySchema: Some index key attribute have no definition");
	if (definitions->count == keys->count && !all_defined(keys, definitions))
		raise_undefined(keys, definitions);
	check_one_or_two(keys);
}

void
ddb_api_check_definition_count(const DdbJson *keys, const DdbJson *definitions)
{
	if (keys->count != definitions->count)
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "Number of attributes in KeySchema does not "
				  "exactly match number of attributes defined in AttributeDefinitions");
}

/* ----------------------------------------------------------------------
 * An index's keys
 * ---------------------------------------------------------------------- */

/* All partition key attributes stand before the sort key's; how many is checked below. */
static void
check_many(const DdbJson *keys)
{
	bool		range = false;

	if (!ddb_api_member_is(keys->child, "KeyType", "HASH"))
		ddb_raise(DDB_VALIDATION, "Invalid KeySchema: The first KeySchemaElement is not a HASH key type");
	for (const DdbJson *key = keys->child; key; key = key->next)
	{
		if (!ddb_api_member_is(key, "KeyType", "HASH"))
			range = true;
		else if (range)
			ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "All HASH key attributes must precede RANGE key attributes in the KeySchema");
	}
}

void
ddb_api_check_index_keys(const DdbJson *keys, const DdbJson *definitions, bool local)
{
	if (!all_defined(keys, definitions))
		raise_undefined(keys, definitions);
	if (local)
		check_one_or_two(keys);
	else
		check_many(keys);
}

/* ----- no definition without a key ----- */

static bool
is_index_key(const DdbJson *indexes, const DdbJson *name)
{
	for (const DdbJson *index = indexes ? indexes->child : NULL; index; index = index->next)
		if (find_attribute(ddb_json_member(index, "KeySchema"), name))
			return true;
	return false;
}

static bool
is_key(const DdbJson *request, const DdbJson *name)
{
	return find_attribute(ddb_json_member(request, "KeySchema"), name) ||
		is_index_key(ddb_json_member(request, "LocalSecondaryIndexes"), name) ||
		is_index_key(ddb_json_member(request, "GlobalSecondaryIndexes"), name);
}

void
ddb_api_check_unused(const DdbJson *request, const DdbJson *definitions)
{
	StringInfoData used;
	bool		unused = false;

	initStringInfo(&used);
	appendStringInfoChar(&used, '[');
	for (const DdbJson *entry = definitions->child; entry; entry = entry->next)
	{
		if (find_attribute(definitions, attribute_name(entry)) != entry)
			ddb_raise(DDB_VALIDATION, "Attribute Name is duplicated: %.*s",
					  (int) attribute_name(entry)->text.len, attribute_name(entry)->text.data);
		if (is_key(request, attribute_name(entry)))
			append_name(&used, entry);
		else
			unused = true;
	}
	appendStringInfoChar(&used, ']');
	if (unused)
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "Some AttributeDefinitions are not used. "
				  "AttributeDefinitions: %s, keys used: %s", attribute_names(definitions), used.data);
}

/* ----------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------- */

void
ddb_api_read_key(const DdbJson *key, const DdbJson *definitions, DdbKeyAttr *attr)
{
	DdbName		name = attribute_name(key)->text;
	DdbName		type = ddb_json_member(find_attribute(definitions, attribute_name(key)),
									  "AttributeType")->text;
	DdbType		tag;

	/* The model counts characters, a column's name is counted in bytes. */
	if (name.len > DDB_MAX_KEY_NAME)
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "Key attribute names must be at most %d bytes long",
				  DDB_MAX_KEY_NAME);
	if (!ddb_type_from_name(type.data, type.len, &tag))
		elog(ERROR, "unknown attribute type");
	attr->len = name.len;
	attr->type = tag;
	memcpy(attr->name, name.data, name.len);
}

/* ----------------------------------------------------------------------
 * Replies
 * ---------------------------------------------------------------------- */

void
ddb_api_reply_definition(StringInfo reply, const DdbKeyAttr *attr)
{
	ddb_reply_separate(reply);
	appendStringInfoChar(reply, '{');
	ddb_reply_member(reply, "AttributeName");
	ddb_json_string(reply, attr->name, attr->len);
	ddb_reply_text(reply, "AttributeType", ddb_type_name(attr->type));
	appendStringInfoChar(reply, '}');
}

static void
reply_keys(StringInfo reply, const DdbKeyAttr *attrs, int n, const char *type)
{
	for (int i = 0; i < n; i++)
	{
		ddb_reply_separate(reply);
		appendStringInfoChar(reply, '{');
		ddb_reply_member(reply, "AttributeName");
		ddb_json_string(reply, attrs[i].name, attrs[i].len);
		ddb_reply_text(reply, "KeyType", type);
		appendStringInfoChar(reply, '}');
	}
}

void
ddb_api_reply_keys(StringInfo reply, const DdbKeyAttr *partition, int npartition,
				   const DdbKeyAttr *sort, int nsort)
{
	ddb_reply_member(reply, "KeySchema");
	appendStringInfoChar(reply, '[');
	reply_keys(reply, partition, npartition, "HASH");
	reply_keys(reply, sort, nsort, "RANGE");
	appendStringInfoChar(reply, ']');
}
