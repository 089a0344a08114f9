/*-------------------------------------------------------------------------
 *
 * jsonb.c
 *	  Values from and to jsonb, directly, without text between.
 *
 * jsonb is plain JSON: sets become arrays and binary becomes base64 on the
 * way out, and nothing becomes a set or binary on the way in.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "item/json_int.h"
#include "miscadmin.h"

/* ----------------------------------------------------------------------
 * From jsonb
 * ---------------------------------------------------------------------- */

static DdbValue
scalar_from_jsonb(const JsonbValue *v)
{
	uint8		number[DDB_NUMBER_BYTES];

	switch (v->type)
	{
		case jbvNull:
			return ddb_value_null();
		case jbvBool:
			return ddb_value_bool(v->val.boolean);
		case jbvNumeric:
			return ddb_value_number(number, ddb_number_from_numeric(v->val.numeric, number));
		case jbvString:
			return ddb_value_string(v->val.string.val, v->val.string.len);
		default:
			elog(ERROR, "unexpected jsonb value type %d", (int) v->type);
	}
}

/* The container whose begin token was just read. */
static DdbValue
container_from_jsonb(JsonbIterator **it, DdbType type, int depth)
{
	DdbBuilder *builder = ddb_builder_begin(type);
	DdbName		name = {0};
	JsonbValue	v;
	JsonbIteratorToken token;

	ddb_check_depth(depth);
	while ((token = JsonbIteratorNext(it, &v, false)) != WJB_END_ARRAY && token != WJB_END_OBJECT)
	{
		DdbValue	value;

		if (token == WJB_KEY)
		{
			name.data = v.val.string.val;
			name.len = v.val.string.len;
			continue;
		}
		if (token == WJB_BEGIN_OBJECT || token == WJB_BEGIN_ARRAY)
			value = container_from_jsonb(it, token == WJB_BEGIN_OBJECT ? DDB_M : DDB_L, depth + 1);
		else
			value = scalar_from_jsonb(&v);
		if (type == DDB_M)
			ddb_builder_put(builder, name.data, name.len, value);
		else
			ddb_builder_add(builder, value);
	}
	return ddb_builder_finish(builder, DDB_DUPLICATES_ERROR);
}

DdbValue
ddb_map_from_jsonb(Jsonb *jsonb)
{
	JsonbIterator *it = JsonbIteratorInit(&jsonb->root);
	JsonbValue	v;

	if (!JB_ROOT_IS_OBJECT(jsonb))
		ddb_raise(DDB_SERIALIZATION, "An item is a JSON object, not %s",
				  JB_ROOT_IS_SCALAR(jsonb) ? "a scalar" : "an array");
	JsonbIteratorNext(&it, &v, false);
	return container_from_jsonb(&it, DDB_M, 1);
}

/* ----------------------------------------------------------------------
 * To jsonb
 * ---------------------------------------------------------------------- */

typedef struct Writer
{
	JsonbParseState *state;
	JsonbValue *result;
	DdbName		attribute;		/* the innermost name, for errors */
} Writer;

void
ddb_text_check(DdbName attribute, const char *s, uint32 len)
{
	if (memchr(s, '\0', len) == NULL)
		return;
	if (memchr(attribute.data, '\0', attribute.len) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
				 errmsg("an attribute's name holds U+0000, which text and jsonb cannot")));
	ereport(ERROR,
			(errcode(ERRCODE_UNTRANSLATABLE_CHARACTER),
			 errmsg("attribute \"%.*s\" holds U+0000, which text and jsonb cannot",
					(int) attribute.len, attribute.data)));
}

static void
fill_string(JsonbValue *v, const char *s, uint32 len)
{
	v->type = jbvString;
	v->val.string.val = unconstify(char *, s);
	v->val.string.len = len;
}

static void
scalar_to_jsonb(const Writer *w, DdbValue value, JsonbValue *v)
{
	char	   *text;

	switch ((DdbType) value.type)
	{
		case DDB_BOOL:
			v->type = jbvBool;
			v->val.boolean = value.boolean;
			break;
		case DDB_N:
			v->type = jbvNumeric;
			v->val.numeric = ddb_number_to_numeric(value.data, value.len);
			break;
		case DDB_S:
			ddb_text_check(w->attribute, (const char *) value.data, value.len);
			fill_string(v, (const char *) value.data, value.len);
			break;
		case DDB_B:
			text = palloc(BASE64_ENCODED(value.len) + 1);
			ddb_base64_encode(value.data, value.len, text);
			fill_string(v, text, BASE64_ENCODED(value.len));
			break;
		default:
			v->type = jbvNull;
	}
}

static void
push_container(Writer *w, DdbValue container, int token, int endtoken)
{
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	CHECK_FOR_INTERRUPTS();
	pushJsonbValue(&w->state, token, NULL);
	ddb_iter_begin(&it, container);
	while (ddb_iter_next(&it, &name, &value))
	{
		JsonbValue	v;

		if (container.type == DDB_M)
		{
			w->attribute = name;
			ddb_text_check(name, name.data, name.len);
			fill_string(&v, name.data, name.len);
			pushJsonbValue(&w->state, WJB_KEY, &v);
		}
		if (value.type == DDB_M)
			push_container(w, value, WJB_BEGIN_OBJECT, WJB_END_OBJECT);
		else if (value.type >= DDB_NS)
			push_container(w, value, WJB_BEGIN_ARRAY, WJB_END_ARRAY);
		else
		{
			scalar_to_jsonb(w, value, &v);
			pushJsonbValue(&w->state, container.type == DDB_M ? WJB_VALUE : WJB_ELEM, &v);
		}
	}
	w->result = pushJsonbValue(&w->state, endtoken, NULL);
}

Jsonb *
ddb_attribute_to_jsonb(DdbName name, DdbValue value)
{
	Writer		w = {.attribute = name};
	JsonbValue	scalar;

	if (value.type == DDB_M)
		push_container(&w, value, WJB_BEGIN_OBJECT, WJB_END_OBJECT);
	else if (value.type >= DDB_NS)
		push_container(&w, value, WJB_BEGIN_ARRAY, WJB_END_ARRAY);
	else
	{
		scalar_to_jsonb(&w, value, &scalar);
		w.result = &scalar;
	}
	return JsonbValueToJsonb(w.result);
}

Jsonb *
ddb_map_to_jsonb(DdbValue map)
{
	return ddb_attribute_to_jsonb((DdbName) {"", 0}, map);
}
