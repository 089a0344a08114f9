/*-------------------------------------------------------------------------
 *
 * model.c
 *	  Checks requests against DynamoDB's published API model.
 *
 * The tables in model.inc say what a request may look like; this file walks
 * them twice along the request's JSON tree:
 *
 *	1. Types.  The first member of the wrong JSON type is a
 *	   SerializationException, in the words of the service's deserializer.
 *	   Members that the model does not know are skipped, null is absent.
 *
 *	2. Constraints.  Everything wrong with a required member, a length, a
 *	   range, a pattern or an enumeration is collected into one message,
 *	   ten errors at most:
 *
 *		2 validation errors detected: Value 'x' at 'tableName' failed to ...;
 *		Value null at 'item' failed to satisfy constraint: Member must not be null
 *
 *	   A path spells each member with a small first letter, the elements of a
 *	   list as 1.member, 2.member ..., the entries of a map as key.member.
 *
 * A TableName that breaks its constraints is reported alone, unless a required
 * member is missing beside it; and so is one that an operation on tables lacks.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"
#include "base/errors.h"
#include "miscadmin.h"

/* Errors listed in one message. */
#define MAX_ERRORS		10

/* Bytes of a value shown in a message; longer ones are cut. */
#define MAX_SHOWN		2048

typedef enum ModelKind
{
	MODEL_STRING, MODEL_BOOLEAN, MODEL_INTEGER, MODEL_LONG,
	MODEL_LIST, MODEL_MAP, MODEL_STRUCTURE,
	MODEL_VALUE					/* an AttributeValue: item/ knows its types */
} ModelKind;

typedef struct ModelLimit
{
	bool		set;
	int32		value;
} ModelLimit;

typedef struct ModelShape
{
	const char *name;
	ModelKind	kind;
	ModelLimit	min;			/* of a length or a number */
	ModelLimit	max;
	bool		arn;			/* an ARN stands for the name within */
	uint16		then;			/* a shape to hold to as well, if this one holds */
	const char *pattern;		/* one character class, repeated */
	const char *enumeration;	/* "A, B, C" */
	uint16		key;			/* MAP */
	uint16		element;		/* MAP, LIST */
	uint16		first;			/* STRUCTURE: in model_members */
	uint16		count;
} ModelShape;

typedef struct ModelMember
{
	const char *name;
	uint16		shape;
	bool		required;
} ModelMember;

typedef struct ModelOperation
{
	const char *name;
	uint16		input;
} ModelOperation;

#include "api/model.inc"

#define PACKAGE "com.amazonaws.dynamodb.v20120810."

/* Where a value stands decides what the deserializer calls it. */
typedef enum Place
{
	PLACE_MEMBER,				/* a structure's member */
	PLACE_ELEMENT,				/* in a list or map, or the request itself */
} Place;

typedef struct Checker
{
	StringInfoData path;		/* 'requestItems.foo.member' so far */
	StringInfoData errors;
	int			count;
} Checker;

static void check_types(const ModelShape *shape, const DdbJson *value, Place place);
static void check_constraints(Checker *checker, const ModelShape *shape, const DdbJson *value);
static void check_elements(Checker *checker, const ModelShape *shape, const DdbJson *value);

static const ModelShape *
input_shape(const char *operation)
{
	for (int i = 0; i < lengthof(model_operations); i++)
		if (strcmp(model_operations[i].name, operation) == 0)
			return &model_shapes[model_operations[i].input];
	elog(ERROR, "no model of operation \"%s\"", operation);
	return NULL;
}

static bool
name_is(DdbName name, const char *s)
{
	return strlen(s) == name.len && memcmp(name.data, s, name.len) == 0;
}

/* ----------------------------------------------------------------------
 * JSON types
 * ---------------------------------------------------------------------- */

static bool
is_decimal(const DdbJson *number)
{
	for (uint32 i = 0; i < number->text.len; i++)
		if (strchr(".eE", number->text.data[i]))
			return true;
	return false;
}

/* The deserializer's name for a scalar token. */
static const char *
token_name(const DdbJson *value)
{
	switch (value->type)
	{
		case DDB_JSON_TRUE:
			return "TRUE_VALUE";
		case DDB_JSON_FALSE:
			return "FALSE_VALUE";
		case DDB_JSON_NUMBER:
			return is_decimal(value) ? "DECIMAL_VALUE" : "NUMBER_VALUE";
		default:
			return "STRING_VALUE";
	}
}

/* The Java class that a shape is to the service. */
static char *
class_name(const ModelShape *shape)
{
	static const char *const simple[] = {
		[MODEL_STRING] = "java.lang.String",
		[MODEL_BOOLEAN] = "java.lang.Boolean",
		[MODEL_INTEGER] = "java.lang.Integer",
		[MODEL_LONG] = "java.lang.Long",
	};

	switch (shape->kind)
	{
		case MODEL_STRUCTURE:
		case MODEL_VALUE:
			return psprintf(PACKAGE "%s", shape->name);
		case MODEL_LIST:
			return psprintf("java.util.List<%s>", class_name(&model_shapes[shape->element]));
		case MODEL_MAP:
			return psprintf("java.util.Map<java.lang.String, %s>",
							class_name(&model_shapes[shape->element]));
		default:
			return pstrdup(simple[shape->kind]);
	}
}

static void raise_type(const ModelShape *shape, const DdbJson *value, Place place)
			pg_attribute_noreturn();

/* The value's JSON type is not the shape's: says so as the service does. */
static void
raise_type(const ModelShape *shape, const DdbJson *value, Place place)
{
	bool		container = shape->kind == MODEL_LIST || shape->kind == MODEL_MAP;

	if (value->type == DDB_JSON_OBJECT)
		ddb_raise(DDB_SERIALIZATION, "Start of structure or map found where not expected");
	if (value->type == DDB_JSON_ARRAY)
		ddb_raise(DDB_SERIALIZATION, "Unrecognized collection type %s%s",
				  container ? "" : "class ", class_name(shape));

	switch (shape->kind)
	{
		case MODEL_BOOLEAN:
			if (value->type == DDB_JSON_STRING)
				ddb_raise(DDB_SERIALIZATION, "Unexpected token received from parser");
			ddb_raise(DDB_SERIALIZATION, "%s cannot be converted to Boolean", token_name(value));
		case MODEL_STRING:
			ddb_raise(DDB_SERIALIZATION, "%s cannot be converted to String", token_name(value));
		case MODEL_INTEGER:
			ddb_raise(DDB_SERIALIZATION, "%s cannot be converted to Integer", token_name(value));
		case MODEL_LONG:
			ddb_raise(DDB_SERIALIZATION, "%s cannot be converted to Long", token_name(value));
		default:
			if (place == PLACE_ELEMENT)
				ddb_raise(DDB_SERIALIZATION, "Unexpected value type in payload");
			ddb_raise(DDB_SERIALIZATION, "Unexpected field type");
	}
}

static bool
type_fits(ModelKind kind, DdbJsonType type)
{
	switch (kind)
	{
		case MODEL_STRING:
			return type == DDB_JSON_STRING;
		case MODEL_BOOLEAN:
			return type == DDB_JSON_TRUE || type == DDB_JSON_FALSE;
		case MODEL_INTEGER:
		case MODEL_LONG:
			return type == DDB_JSON_NUMBER;
		case MODEL_LIST:
			return type == DDB_JSON_ARRAY;
		case MODEL_MAP:
		case MODEL_STRUCTURE:
		case MODEL_VALUE:
			return type == DDB_JSON_OBJECT;
	}
	return false;
}

static void
check_member_types(const ModelShape *shape, const DdbJson *value)
{
	for (const DdbJson *child = value->child; child; child = child->next)
	{
		for (int i = 0; i < shape->count; i++)
		{
			const ModelMember *member = &model_members[shape->first + i];

			if (name_is(child->name, member->name))
			{
				check_types(&model_shapes[member->shape], child, PLACE_MEMBER);
				break;
			}
		}
	}
}

static void
check_types(const ModelShape *shape, const DdbJson *value, Place place)
{
	check_stack_depth();

	if (value->type == DDB_JSON_NULL)
		return;
	if (!type_fits(shape->kind, value->type))
		raise_type(shape, value, place);

	if (shape->kind == MODEL_STRUCTURE)
		check_member_types(shape, value);
	else if (shape->kind == MODEL_VALUE)
		ddb_value_check_tree(value);
	else if (shape->element != SHAPE_NONE)
		for (const DdbJson *child = value->child; child; child = child->next)
			check_types(&model_shapes[shape->element], child, PLACE_ELEMENT);
}

/* ----------------------------------------------------------------------
 * Constraints
 * ---------------------------------------------------------------------- */

/* Bytes for a message, which ends at a NUL and shows no more than MAX_SHOWN. */
static void
append_shown(StringInfo out, DdbName text)
{
	uint32		len = Min(text.len, MAX_SHOWN);

	while (len < text.len && len > 0 && (text.data[len] & 0xC0) == 0x80)
		len--;
	for (uint32 i = 0; i < len; i++)
	{
		if (text.data[i] == '\0')
			appendStringInfoString(out, "\\u0000");
		else
			appendStringInfoCharMacro(out, text.data[i]);
	}
	if (len < text.len)
		appendStringInfoString(out, "...");
}

static void add_error(Checker *checker, const DdbJson *value, const char *fmt,...)
			pg_attribute_printf(3, 4);

/* Adds "Value ... at 'path' failed to satisfy constraint: ..."; NULL is null. */
static void
add_error(Checker *checker, const DdbJson *value, const char *fmt,...)
{
	StringInfo	out = &checker->errors;
	va_list		args;
	char		constraint[512];

	if (checker->count == MAX_ERRORS)
		return;
	appendStringInfoString(out, checker->count++ ? "; Value " : "Value ");
	if (value)
	{
		appendStringInfoChar(out, '\'');
		if (value->type == DDB_JSON_NUMBER)
			appendStringInfo(out, INT64_FORMAT, ddb_api_integer(value));
		else
			append_shown(out, value->type == DDB_JSON_STRING ? value->text : value->source);
		appendStringInfoChar(out, '\'');
	}
	else
		appendStringInfoString(out, "null");

	va_start(args, fmt);
	vsnprintf(constraint, sizeof(constraint), fmt, args);
	va_end(args);
	appendStringInfo(out, " at '%s' failed to satisfy constraint: %s",
					 checker->path.data, constraint);
}

static void raise_errors(const Checker *checker) pg_attribute_noreturn();

static void
raise_errors(const Checker *checker)
{
	ddb_raise(DDB_VALIDATION, "%d validation error%s detected: %s",
			  checker->count, checker->count == 1 ? "" : "s", checker->errors.data);
}

/* Characters of UTF-8 text, which may hold U+0000. */
static uint32
text_length(DdbName text)
{
	uint32		n = 0;

	for (uint32 i = 0; i < text.len; i++)
		if ((text.data[i] & 0xC0) != 0x80)
			n++;
	return n;
}

/* Does the text match a pattern of the form [a-z_.-]+ ? */
static bool
pattern_matches(const char *pattern, DdbName text)
{
	bool		allowed[256] = {false};
	const char *end = strchr(pattern, ']');

	for (const char *p = pattern + 1; p < end; p++)
	{
		if (p[1] == '-' && p + 2 < end)
		{
			for (int c = (uint8) p[0]; c <= (uint8) p[2]; c++)
				allowed[c] = true;
			p += 2;
		}
		else
			allowed[(uint8) *p] = true;
	}
	for (uint32 i = 0; i < text.len; i++)
		if (!allowed[(uint8) text.data[i]])
			return false;
	return text.len > 0;
}

/* Is the text one of "A, B, C"? */
static bool
enumeration_has(const char *enumeration, DdbName text)
{
	const char *p = enumeration;

	while (p)
	{
		size_t		len = strcspn(p, ",");

		if (len == text.len && memcmp(p, text.data, len) == 0)
			return true;
		p = p[len] ? p + len + strlen(", ") : NULL;
	}
	return false;
}

static void
check_length(Checker *checker, const ModelShape *shape, const DdbJson *value, uint32 length)
{
	if (shape->min.set && length < shape->min.value)
		add_error(checker, value, "Member must have length greater than or equal to %d", shape->min.value);
	if (shape->max.set && length > shape->max.value)
		add_error(checker, value, "Member must have length less than or equal to %d", shape->max.value);
}

static void
check_string(Checker *checker, const ModelShape *shape, const DdbJson *value)
{
	DdbName		text = shape->arn ? ddb_request_table_name(value->text) : value->text;
	int			before = checker->count;

	if (shape->pattern && !pattern_matches(shape->pattern, text))
		add_error(checker, value, "Member must satisfy regular expression pattern: %s", shape->pattern);
	check_length(checker, shape, value, text_length(text));
	if (shape->enumeration && !enumeration_has(shape->enumeration, text))
		add_error(checker, value, "Member must satisfy enum value set: [%s]", shape->enumeration);
	if (shape->then != SHAPE_NONE && checker->count == before)
		check_string(checker, &model_shapes[shape->then], value);
}

static void
check_number(Checker *checker, const ModelShape *shape, const DdbJson *value)
{
	int64		n = ddb_api_integer(value);

	if (shape->min.set && n < shape->min.value)
		add_error(checker, value, "Member must have value greater than or equal to %d", shape->min.value);
	if (shape->max.set && n > shape->max.value)
		add_error(checker, value, "Member must have value less than or equal to %d", shape->max.value);
}

/* The constraints that entries of a map are held to, as its errors list them. */
static char *
list_constraints(const ModelShape *shape)
{
	StringInfoData out;

	initStringInfo(&out);
	if (shape->max.set)
		appendStringInfo(&out, "Member must have length less than or equal to %d", shape->max.value);
	if (shape->min.set)
		appendStringInfo(&out, "%sMember must have length greater than or equal to %d",
						 out.len ? ", " : "", shape->min.value);
	if (shape->pattern)
		appendStringInfo(&out, "%sMember must satisfy regular expression pattern: %s",
						 out.len ? ", " : "", shape->pattern);
	return out.data;
}

/* Whether this value alone meets its shape, without a word about it. */
static bool
satisfies(const ModelShape *shape, const DdbJson *value)
{
	Checker		probe = {0};

	if (!shape->min.set && !shape->max.set && !shape->pattern)
		return true;
	initStringInfo(&probe.path);
	initStringInfo(&probe.errors);
	if (shape->kind == MODEL_STRING)
		check_string(&probe, shape, value);
	else
		check_length(&probe, shape, value, value->count);
	return probe.count == 0;
}

/* The keys of a map, and its values where they are lists, as the map's errors. */
static void
check_entries(Checker *checker, const ModelShape *shape, const DdbJson *map)
{
	const ModelShape *key = &model_shapes[shape->key];
	const ModelShape *element = &model_shapes[shape->element];
	bool		bad_key = false;
	bool		bad_value = false;

	for (const DdbJson *child = map->child; child; child = child->next)
	{
		DdbJson		name = {.type = DDB_JSON_STRING, .text = child->name};

		if (!satisfies(key, &name))
			bad_key = true;
		if (element->kind == MODEL_LIST && child->type != DDB_JSON_NULL && !satisfies(element, child))
			bad_value = true;
	}
	if (bad_key)
		add_error(checker, map, "Map keys must satisfy constraint: [%s]", list_constraints(key));
	if (bad_value)
		add_error(checker, map, "Map value must satisfy constraint: [%s]", list_constraints(element));
}

/*
 * Descends: the path grows by a step while the child is checked; NULL is null.
 * The length of a list in a map is the map's matter (check_entries).
 */
static void
check_child(Checker *checker, ModelKind parent, const char *step,
			const ModelShape *shape, const DdbJson *child)
{
	int			len = checker->path.len;

	appendStringInfo(&checker->path, "%s%s", len ? "." : "", step);
	if (child == NULL)
		add_error(checker, NULL, "Member must not be null");
	else if (parent == MODEL_MAP && shape->kind == MODEL_LIST)
		check_elements(checker, shape, child);
	else
		check_constraints(checker, shape, child);
	checker->path.len = len;
	checker->path.data[len] = '\0';
}

/* The elements of a list, the values of a map: none of them may be null. */
static void
check_elements(Checker *checker, const ModelShape *shape, const DdbJson *value)
{
	const ModelShape *element = &model_shapes[shape->element];
	int			i = 1;
	StringInfoData step;

	if (element->kind == MODEL_VALUE)
		return;
	initStringInfo(&step);
	for (const DdbJson *child = value->child; child && checker->count < MAX_ERRORS; child = child->next)
	{
		resetStringInfo(&step);
		if (shape->kind == MODEL_LIST)
			appendStringInfo(&step, "%d", i++);
		else
			append_shown(&step, child->name);
		appendStringInfoString(&step, ".member");
		check_child(checker, shape->kind, step.data, element,
					child->type == DDB_JSON_NULL ? NULL : child);
	}
}

static void
check_structure(Checker *checker, const ModelShape *shape, const DdbJson *value)
{
	for (int i = 0; i < shape->count; i++)
	{
		const ModelMember *member = &model_members[shape->first + i];
		const DdbJson *child = ddb_json_member(value, member->name);
		char	   *step;

		if (child == NULL && !member->required)
			continue;
		step = pstrdup(member->name);
		step[0] = pg_ascii_tolower((unsigned char) step[0]);
		check_child(checker, MODEL_STRUCTURE, step, &model_shapes[member->shape], child);
		pfree(step);
	}
}

static void
check_constraints(Checker *checker, const ModelShape *shape, const DdbJson *value)
{
	check_stack_depth();

	switch (shape->kind)
	{
		case MODEL_STRING:
			check_string(checker, shape, value);
			break;
		case MODEL_INTEGER:
		case MODEL_LONG:
			check_number(checker, shape, value);
			break;
		case MODEL_STRUCTURE:
			check_structure(checker, shape, value);
			break;
		case MODEL_MAP:
			check_length(checker, shape, value, value->count);
			check_entries(checker, shape, value);
			check_elements(checker, shape, value);
			break;
		case MODEL_LIST:
			check_length(checker, shape, value, value->count);
			check_elements(checker, shape, value);
			break;
		case MODEL_BOOLEAN:
		case MODEL_VALUE:
			break;
	}
}

/* The operations on tables miss a table's name in words of their own. */
static void
require_table_name(const ModelShape *shape, const DdbJson *request)
{
	for (int i = 0; i < shape->count; i++)
	{
		const ModelMember *member = &model_members[shape->first + i];

		if (member->required && member->shape == SHAPE_TableName &&
			ddb_json_member(request, member->name) == NULL)
			ddb_raise(DDB_VALIDATION, "The parameter '%s' is required but was not present in the request",
					  member->name);
	}
}

static bool
lacks_required(const ModelShape *shape, const DdbJson *request)
{
	for (int i = 0; i < shape->count; i++)
	{
		const ModelMember *member = &model_members[shape->first + i];

		if (member->required && ddb_json_member(request, member->name) == NULL)
			return true;
	}
	return false;
}

/* Raises if the request's table name is malformed and nothing is missing. */
static void
check_table_name(const ModelShape *shape, const DdbJson *request)
{
	Checker		checker = {0};

	if (lacks_required(shape, request))
		return;
	initStringInfo(&checker.path);
	initStringInfo(&checker.errors);
	for (int i = 0; i < shape->count; i++)
	{
		const ModelMember *member = &model_members[shape->first + i];

		if (strcmp(member->name, "TableName") == 0)
			check_child(&checker, MODEL_STRUCTURE, "tableName", &model_shapes[member->shape],
						ddb_json_member(request, member->name));
	}
	if (checker.count > 0)
		raise_errors(&checker);
}

void
ddb_api_validate(const char *operation, const DdbJson *request)
{
	const ModelShape *shape = input_shape(operation);
	Checker		checker = {0};

	check_types(shape, request, PLACE_ELEMENT);
	require_table_name(shape, request);
	check_table_name(shape, request);

	initStringInfo(&checker.path);
	initStringInfo(&checker.errors);
	check_structure(&checker, shape, request);
	if (checker.count > 0)
		raise_errors(&checker);
}
