/*-------------------------------------------------------------------------
 *
 * key_args.c
 *	  Keys as requests give them: SQL's parts and the API's maps.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "mb/pg_wchar.h"
#include "ops/ops_int.h"
#include "utils/builtins.h"

/*
 * Checks a string that arrived as raw bytes.  PostgreSQL's own check refuses
 * NUL, which DynamoDB allows, so it is asked about what lies between them.
 */
static void
check_utf8(DdbValue value)
{
	const char *s = (const char *) value.data;
	const char *end = s + value.len;

	while (s < end)
	{
		const char *nul = memchr(s, '\0', end - s);
		int			len = (nul ? nul : end) - s;

		pg_verify_mbstr(PG_UTF8, s, len, false);
		s += len + 1;
	}
}

static DdbValue
number_from_text(DdbValue text)
{
	uint8		buf[DDB_NUMBER_BYTES];
	uint32		len = ddb_number_parse((const char *) text.data, text.len, buf);

	return ddb_value_number(buf, len);
}

static DdbValue
binary_from_text(DdbValue text)
{
	char	   *cstring = pnstrdup((const char *) text.data, text.len);
	bytea	   *bytes = DatumGetByteaPP(DirectFunctionCall1(byteain, CStringGetDatum(cstring)));

	return ddb_value_binary((uint8 *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes));
}

/* Reads text or received bytes as a column of the key's type would. */
static DdbValue
read_untyped(DdbType type, const DdbKeyPart *part)
{
	switch (type)
	{
		case DDB_N:
			return number_from_text(part->value);
		case DDB_B:
			if (part->form == DDB_PART_RAW)
				return ddb_value_binary(part->value.data, part->value.len);
			return binary_from_text(part->value);
		default:
			if (part->form == DDB_PART_RAW)
				check_utf8(part->value);
			return ddb_value_string((const char *) part->value.data, part->value.len);
	}
}

DdbValue
ddb_key_part_value(const DdbKeySchema *schema, int which, const DdbKeyPart *part)
{
	const DdbKeyAttr *attr = &schema->attr[which];
	DdbValue	value;

	if (part->form == DDB_PART_VALUE)
	{
		if (part->value.type != attr->type)
			ddb_raise_hint(DDB_VALIDATION,
						   psprintf("Key attribute \"%s\" has type %s, the value given has type %s.",
									attr->name, ddb_type_name(attr->type),
									ddb_type_name(part->value.type)),
						   DDB_KEY_MISMATCH_MESSAGE);
		value = part->value;
	}
	else
		value = read_untyped(attr->type, part);
	ddb_key_check(schema, which, value);
	return value;
}

void
ddb_key_from_parts(const DdbKeySchema *schema, const DdbKeyParts *parts, DdbKey *key)
{
	for (int i = 0; i < 2; i++)
	{
		bool		given = parts->part[i].form != DDB_PART_NONE;

		if (given && i >= schema->nkeys)
			ddb_raise_hint(DDB_VALIDATION, "The table has no sort key.", DDB_KEY_MISMATCH_MESSAGE);
		if (!given && i < schema->nkeys)
			ddb_raise_hint(DDB_VALIDATION,
						   psprintf("A value for key attribute \"%s\" is missing.",
									schema->attr[i].name),
						   DDB_KEY_MISMATCH_MESSAGE);
		if (given)
			key->values[i] = ddb_key_part_value(schema, i, &parts->part[i]);
	}
}

void
ddb_key_from_map(DdbValue map, const DdbKeySchema *schema, DdbKey *key)
{
	if (ddb_value_count(map) != schema->nkeys)
		ddb_raise(DDB_VALIDATION, DDB_KEY_MISMATCH_MESSAGE);
	for (int i = 0; i < schema->nkeys; i++)
	{
		const DdbKeyAttr *attr = &schema->attr[i];
		DdbValue	value;

		if (!ddb_map_get(map, attr->name, attr->len, &value) || value.type != attr->type)
			ddb_raise(DDB_VALIDATION, DDB_KEY_MISMATCH_MESSAGE);
		ddb_key_check(schema, i, value);
		key->values[i] = value;
	}
}

void
ddb_request_key(const DdbKeySchema *schema, const DdbKeyParts *parts,
				DdbValue map, DdbKey *key)
{
	if (parts)
		ddb_key_from_parts(schema, parts, key);
	else
		ddb_key_from_map(map, schema, key);
}

DdbValue
ddb_key_map(const DdbKeySchema *schema, const DdbKey *key)
{
	DdbBuilder *b = ddb_builder_begin(DDB_M);

	for (int i = 0; i < schema->nkeys; i++)
		ddb_builder_put(b, schema->attr[i].name, schema->attr[i].len, key->values[i]);
	return ddb_builder_finish(b, DDB_DUPLICATES_ERROR);
}

/* ----------------------------------------------------------------------
 * Whole items
 * ---------------------------------------------------------------------- */

typedef struct SplitContext
{
	DdbValue	map;
	const DdbKeySchema *schema;
} SplitContext;

/* Does the value look like DynamoDB JSON read as plain JSON: {"S": ...}? */
static bool
looks_typed(DdbValue value)
{
	DdbIter		it;
	DdbName		name;
	DdbValue	member;
	DdbType		type;

	if (value.type != DDB_M || ddb_value_count(value) != 1)
		return false;
	ddb_iter_begin(&it, value);
	return ddb_iter_next(&it, &name, &member) &&
		ddb_type_from_name(name.data, name.len, &type);
}

/*
 * Adds a hint to whatever is wrong with a key attribute: plain JSON was read
 * where DynamoDB JSON was meant.
 */
static void
hint_typed_json(void *arg)
{
	SplitContext *context = arg;

	for (int i = 0; i < context->schema->nkeys; i++)
	{
		const DdbKeyAttr *attr = &context->schema->attr[i];
		DdbValue	value;

		if (ddb_map_get(context->map, attr->name, attr->len, &value) && looks_typed(value))
			errhint("This looks like DynamoDB JSON: cast it to ddb.item.");
	}
}

void
ddb_split_item(DdbValue item, const DdbKeySchema *schema, DdbKey *key, DdbValue *rest)
{
	SplitContext context = {item, schema};
	ErrorContextCallback callback = {error_context_stack, hint_typed_json, &context};

	error_context_stack = &callback;
	ddb_map_split(item, schema, key, rest);
	error_context_stack = callback.previous;
}

/* ----------------------------------------------------------------------
 * Several keys of one request
 * ---------------------------------------------------------------------- */

static int
compare_refs(const void *a, const void *b)
{
	const DdbKeyRef *x = a;
	const DdbKeyRef *y = b;

	return ddb_key_lock_order(x->relid, x->key, y->relid, y->key);
}

int
ddb_sort_keys(DdbKeyRef *refs, int n)
{
	qsort(refs, n, sizeof(DdbKeyRef), compare_refs);
	for (int i = 1; i < n; i++)
		if (compare_refs(&refs[i - 1], &refs[i]) == 0)
			return refs[i].place;
	return -1;
}
