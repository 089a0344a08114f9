/*-------------------------------------------------------------------------
 *
 * json.c
 *	  Values from JSON: DynamoDB JSON {"a": {"N": "1"}} and plain {"a": 1}.
 *
 * Text becomes bytes in one pass, without a tree between.  A tree's values
 * are read from the text they stand in, so there is one reader and one place
 * for each rule.
 *
 * DynamoDB checks JSON types before anything else: a number where a string
 * belongs is a SerializationException although an earlier member of the
 * request is an invalid value.  We read on the assumption that all is well;
 * when a value turns out invalid, the whole text is read once more in a dry
 * run, which looks at JSON types only and raises if one is wrong, before the
 * value's own error is raised.
 *
 * In DynamoDB JSON, members of a value that are no type tag, and null where
 * a tag's value stands, are passed over as the service passes over them; so
 * {"S": null} is an empty value.  Plain JSON has no such rules: an object is
 * a map, also one that looks like DynamoDB JSON.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "item/json_int.h"
#include "miscadmin.h"

#define ROOM 1024				/* bytes of numbers and binaries at hand */

typedef struct Reader
{
	DdbLexer	lex;
	DdbJsonForm form;
	bool		dry;			/* check JSON types, build nothing */

	/* Where decoded numbers and binaries lie until a container copies them. */
	uint8	   *next;
	size_t		left;
	uint8		room[ROOM];
} Reader;

static void
reader_begin(Reader *r, const char *json, size_t len, DdbJsonForm form)
{
	ddb_lex_begin(&r->lex, json, len);
	r->form = form;
	r->dry = false;
	r->next = r->room;
	r->left = ROOM;
}

/* At least `size` bytes at r->next; the caller moves it by what it uses. */
static uint8 *
reserve(Reader *r, size_t size)
{
	if (r->left < size)
	{
		r->left = Max(size, 8 * ROOM);
		r->next = palloc(r->left);
	}
	return r->next;
}

static DdbValue
use(Reader *r, DdbType type, uint32 len)
{
	DdbValue	value = {.type = type, .data = r->next, .len = len};

	r->next += len;
	r->left -= len;
	return value;
}

static void
invalid(Reader *r, const char *message)
{
	if (!r->dry)
		ddb_raise(DDB_VALIDATION, "%s", message);
}

void
ddb_check_depth(int depth)
{
	if (depth > DDB_MAX_DEPTH)
		ddb_raise(DDB_VALIDATION, "Nesting Levels have exceeded supported limits: "
				  "Attributes in the item have nested levels beyond supported limit");
}

/*
 * Every container asks here first.  The dry run only has to keep the stack:
 * the level that is one too many has been complained about.
 */
static void
check_depth(Reader *r, int depth)
{
	if (!r->dry)
		ddb_check_depth(depth);
	if (depth > JSON_MAX_DEPTH)
		ddb_lex_fail(&r->lex, "too many levels");
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
}

/* ----------------------------------------------------------------------
 * JSON of the wrong type
 * ---------------------------------------------------------------------- */

/* What may be expected, and the service's words for something else. */
typedef struct Expected
{
	const char *collection;		/* the type it names when it finds an array */
	const char *scalar;			/* its words for any scalar, or NULL */
	const char *class;			/* else: "... cannot be converted to" this */
} Expected;

static const Expected a_string = {"class java.lang.String", NULL, "String"};
static const Expected a_boolean = {"class java.lang.Boolean", NULL, "Boolean"};
static const Expected a_blob = {"class java.nio.ByteBuffer", "only base-64-encoded strings are convertible to bytes"};
static const Expected a_list = {"", "Unexpected field type"};
static const Expected a_map = {
	"java.util.Map<java.lang.String, com.amazonaws.dynamodb.v20120810.AttributeValue>",
	"Unexpected field type"
};
static const Expected an_attribute = {
	"class com.amazonaws.dynamodb.v20120810.AttributeValue",
	"Unexpected value type in payload"
};

static void wrong_type(Reader *r, const Expected *expected) pg_attribute_noreturn();

static void
wrong_type(Reader *r, const Expected *expected)
{
	char		c = ddb_lex_peek(&r->lex);
	const char *at = r->lex.at;
	const char *token;

	ddb_lex_skip(&r->lex, 0);	/* malformed JSON comes first */
	if (c == '{')
		ddb_raise(DDB_SERIALIZATION, "Start of structure or map found where not expected");
	if (c == '[')
		ddb_raise(DDB_SERIALIZATION, "Unrecognized collection type %s", expected->collection);
	if (expected->scalar)
		ddb_raise(DDB_SERIALIZATION, "%s", expected->scalar);
	if (c == '"')
		ddb_raise(DDB_SERIALIZATION, "Unexpected token received from parser");
	if (c == 't' || c == 'f')
		token = c == 't' ? "TRUE" : "FALSE";
	else
	{
		token = "NUMBER";
		for (; at < r->lex.at; at++)
		{
			if (*at == '.' || *at == 'e' || *at == 'E')
				token = "DECIMAL";
		}
	}
	ddb_raise(DDB_SERIALIZATION, "%s_VALUE cannot be converted to %s", token, expected->class);
}

/* ----------------------------------------------------------------------
 * Scalars
 * ---------------------------------------------------------------------- */

static DdbValue
number_from_text(Reader *r, DdbName text)
{
	if (r->dry)
		return ddb_value_null();
	reserve(r, DDB_NUMBER_BYTES);
	return use(r, DDB_N, ddb_number_parse(text.data, text.len, r->next));
}

/* A member's value where a string is wanted, for a scalar of `type`. */
static DdbValue
typed_scalar(Reader *r, DdbType type)
{
	DdbName		text;

	if (ddb_lex_peek(&r->lex) != '"')
		wrong_type(r, type == DDB_B ? &a_blob : &a_string);
	text = ddb_lex_string(&r->lex);
	if (type == DDB_N)
		return number_from_text(r, text);
	if (type == DDB_S)
		return ddb_value_string(text.data, text.len);
	reserve(r, BASE64_DECODED(text.len));
	return use(r, DDB_B, ddb_base64_decode(text.data, text.len, r->next));
}

static DdbValue
typed_boolean(Reader *r, DdbType type)
{
	char		c = ddb_lex_peek(&r->lex);

	if (c != 't' && c != 'f')
		wrong_type(r, &a_boolean);
	ddb_lex_word(&r->lex);
	if (type == DDB_BOOL)
		return ddb_value_bool(c == 't');
	if (c == 'f')
		invalid(r, "One or more parameter values were invalid: "
				"Null attribute value types must have the value of true");
	return ddb_value_null();
}

/* ----------------------------------------------------------------------
 * DynamoDB JSON
 * ---------------------------------------------------------------------- */

static DdbValue typed_value(Reader *r, int depth);

/* Steps over a null; false when something else stands there. */
static bool
skip_null(Reader *r)
{
	if (ddb_lex_peek(&r->lex) != 'n')
		return false;
	ddb_lex_word(&r->lex);
	return true;
}

static void
null_member(Reader *r, DdbType set)
{
	if (set == DDB_SS)
		invalid(r, "One or more parameter values were invalid: "
				"An string set may not have a null string as a member");
	else if (set == DDB_BS)
		invalid(r, "One or more parameter values were invalid: "
				"Binary sets may not contain null or empty values");
	else
		invalid(r, "The parameter cannot be converted to a numeric value");
}

static DdbValue
typed_set(Reader *r, DdbType type)
{
	DdbType		member = type == DDB_SS ? DDB_S : type == DDB_NS ? DDB_N : DDB_B;
	DdbBuilder *set = r->dry ? NULL : ddb_builder_begin(type);

	if (ddb_lex_peek(&r->lex) != '[')
		wrong_type(r, &a_list);
	for (bool more = ddb_lex_open(&r->lex, ']'); more; more = ddb_lex_more(&r->lex, ']'))
	{
		if (skip_null(r))
			null_member(r, type);
		else
		{
			DdbValue	value = typed_scalar(r, member);

			if (set)
				ddb_builder_add(set, value);
		}
	}
	return set ? ddb_builder_finish(set, DDB_DUPLICATES_ERROR) : ddb_value_null();
}

static DdbValue
typed_list(Reader *r, int depth)
{
	DdbBuilder *list = r->dry ? NULL : ddb_builder_begin(DDB_L);

	check_depth(r, depth);
	if (ddb_lex_peek(&r->lex) != '[')
		wrong_type(r, &a_list);
	for (bool more = ddb_lex_open(&r->lex, ']'); more; more = ddb_lex_more(&r->lex, ']'))
	{
		DdbValue	value = typed_value(r, depth);

		if (list)
			ddb_builder_add(list, value);
	}
	return list ? ddb_builder_finish(list, DDB_DUPLICATES_ERROR) : ddb_value_null();
}

static DdbValue
typed_map(Reader *r, int depth)
{
	DdbBuilder *map = r->dry ? NULL : ddb_builder_begin(DDB_M);

	check_depth(r, depth);
	if (ddb_lex_peek(&r->lex) != '{')
		wrong_type(r, &a_map);
	for (bool more = ddb_lex_open(&r->lex, '}'); more; more = ddb_lex_more(&r->lex, '}'))
	{
		DdbName		name = ddb_lex_name(&r->lex);
		DdbValue	value = typed_value(r, depth);

		if (map)
			ddb_builder_put(map, name.data, name.len, value);
	}
	return map ? ddb_builder_finish(map, DDB_DUPLICATES_MERGE) : ddb_value_null();
}

/* What stands behind a type tag. */
static DdbValue
typed_payload(Reader *r, DdbType type, int depth)
{
	switch (type)
	{
		case DDB_S:
		case DDB_N:
		case DDB_B:
			return typed_scalar(r, type);
		case DDB_BOOL:
		case DDB_NULL:
			return typed_boolean(r, type);
		case DDB_SS:
		case DDB_NS:
		case DDB_BS:
			return typed_set(r, type);
		case DDB_L:
			return typed_list(r, depth + 1);
		case DDB_M:
			return typed_map(r, depth + 1);
	}
	pg_unreachable();
}

/* One value with its tag; `depth` is that of the container it stands in. */
static DdbValue
typed_value(Reader *r, int depth)
{
	DdbValue	value = ddb_value_null();
	uint32		tags = 0;		/* a bit for each type seen */

	if (!skip_null(r))
	{
		if (ddb_lex_peek(&r->lex) != '{')
			wrong_type(r, &an_attribute);
		for (bool more = ddb_lex_open(&r->lex, '}'); more; more = ddb_lex_more(&r->lex, '}'))
		{
			DdbName		tag = ddb_lex_name(&r->lex);
			DdbType		type;

			if (!ddb_type_from_name(tag.data, tag.len, &type))
				ddb_lex_skip(&r->lex, depth);
			else if (!skip_null(r))
			{
				value = typed_payload(r, type, depth);
				tags |= 1U << type;
			}
		}
	}
	if (tags == 0)
		invalid(r, "Supplied AttributeValue is empty, "
				"must contain exactly one of the supported datatypes");
	if ((tags & (tags - 1)) != 0)
		invalid(r, "Supplied AttributeValue has more than one datatypes set, "
				"must contain exactly one of the supported datatypes");
	return value;
}

/* ----------------------------------------------------------------------
 * Plain JSON
 * ---------------------------------------------------------------------- */

static DdbValue plain_value(Reader *r, int depth);

static DdbValue
plain_list(Reader *r, int depth)
{
	DdbBuilder *list = ddb_builder_begin(DDB_L);

	check_depth(r, depth);
	for (bool more = ddb_lex_open(&r->lex, ']'); more; more = ddb_lex_more(&r->lex, ']'))
		ddb_builder_add(list, plain_value(r, depth));
	return ddb_builder_finish(list, DDB_DUPLICATES_ERROR);
}

static DdbValue
plain_map(Reader *r, int depth)
{
	DdbBuilder *map = ddb_builder_begin(DDB_M);

	check_depth(r, depth);
	if (ddb_lex_peek(&r->lex) != '{')
		ddb_lex_fail(&r->lex, "an object is expected");
	for (bool more = ddb_lex_open(&r->lex, '}'); more; more = ddb_lex_more(&r->lex, '}'))
	{
		DdbName		name = ddb_lex_name(&r->lex);

		ddb_builder_put(map, name.data, name.len, plain_value(r, depth));
	}
	return ddb_builder_finish(map, DDB_DUPLICATES_MERGE);
}

/* Any value; `depth` is that of the container it stands in. */
static DdbValue
plain_value(Reader *r, int depth)
{
	char		c = ddb_lex_peek(&r->lex);

	if (c == '{')
		return plain_map(r, depth + 1);
	if (c == '[')
		return plain_list(r, depth + 1);
	if (c == '"')
	{
		DdbName		text = ddb_lex_string(&r->lex);

		return ddb_value_string(text.data, text.len);
	}
	if (c == '-' || (c >= '0' && c <= '9'))
		return number_from_text(r, ddb_lex_number(&r->lex));
	c = ddb_lex_word(&r->lex);
	return c == 'n' ? ddb_value_null() : ddb_value_bool(c == 't');
}

/* ----------------------------------------------------------------------
 * The whole text
 * ---------------------------------------------------------------------- */

/*
 * A lone value counts as an attribute of a map, so that it may nest exactly
 * as deep as it may in an item.
 */
static DdbValue
read_text(Reader *r, bool map)
{
	DdbValue	value;

	if (r->form == DDB_JSON_PLAIN)
		value = map ? plain_map(r, 1) : plain_value(r, 1);
	else
		value = map ? typed_map(r, 1) : typed_value(r, 1);
	ddb_lex_finish(&r->lex);
	return value;
}

static void
check_types(const char *json, size_t len, bool map)
{
	Reader		r;

	reader_begin(&r, json, len, DDB_JSON_TYPED);
	r.dry = true;
	read_text(&r, map);
}

static DdbValue
read_json(const char *json, size_t len, DdbJsonForm form, bool map)
{
	MemoryContext context = CurrentMemoryContext;
	DdbValue	value;
	Reader		r;

	reader_begin(&r, json, len, form);
	PG_TRY();
	{
		value = read_text(&r, map);
	}
	PG_CATCH();
	{
		if (form == DDB_JSON_TYPED && geterrcode() == ddb_sqlstate(DDB_VALIDATION))
		{
			ErrorData  *invalid_value;

			MemoryContextSwitchTo(context);
			invalid_value = CopyErrorData();
			FlushErrorState();
			check_types(json, len, map);
			ReThrowError(invalid_value);
		}
		PG_RE_THROW();
	}
	PG_END_TRY();

	/* A container was built from copies; a scalar still lies in the text. */
	return value.type < DDB_NS ? ddb_value_copy(value) : value;
}

DdbValue
ddb_map_from_json(const char *json, size_t len, DdbJsonForm form)
{
	return read_json(json, len, form, true);
}

DdbValue
ddb_map_from_tree(const DdbJson *tree, DdbJsonForm form)
{
	return read_json(tree->source.data, tree->source.len, form, true);
}

DdbValue
ddb_value_from_tree(const DdbJson *tree, DdbJsonForm form)
{
	return read_json(tree->source.data, tree->source.len, form, false);
}

void
ddb_value_check_tree(const DdbJson *tree)
{
	check_types(tree->source.data, tree->source.len, false);
}
