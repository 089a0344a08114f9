/*-------------------------------------------------------------------------
 *
 * args.c
 *	  Arguments of SQL functions as the layers below take them.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "sql/sql_int.h"

static void
require(FunctionCallInfo fcinfo, int n, const char *what)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be null", what)));
}

Oid
ddb_arg_table(FunctionCallInfo fcinfo, int n)
{
	require(fcinfo, n, "the table");
	return PG_GETARG_OID(n);
}

DdbItem *
ddb_arg_item(FunctionCallInfo fcinfo, int n)
{
	require(fcinfo, n, "the item");
	return PG_GETARG_VARLENA_PP(n);
}

bool
ddb_arg_map(FunctionCallInfo fcinfo, int n, DdbValue *map)
{
	if (PG_ARGISNULL(n))
		return false;
	*map = ddb_item_map(PG_GETARG_VARLENA_PP(n));
	return true;
}

DdbText
ddb_arg_text(FunctionCallInfo fcinfo, int n)
{
	text	   *t;

	if (PG_ARGISNULL(n))
		return (DdbText) {NULL, 0};
	t = PG_GETARG_TEXT_PP(n);
	return (DdbText) {VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t)};
}

int64
ddb_arg_int(FunctionCallInfo fcinfo, int n, int64 otherwise)
{
	return PG_ARGISNULL(n) ? otherwise : PG_GETARG_INT32(n);
}

void
ddb_arg_placeholders(FunctionCallInfo fcinfo, int n, bool values,
					 DdbValue maps[2], DdbPlaceholders *placeholders)
{
	placeholders->names = ddb_arg_map(fcinfo, n, &maps[0]) ? &maps[0] : NULL;
	placeholders->values = values && ddb_arg_map(fcinfo, n + 1, &maps[1]) ? &maps[1] : NULL;
}

/* 'S', 'N', 'B', or the type of the column that will hold it. */
static DdbType
parse_key_type(const char *name)
{
	static const struct
	{
		const char *name;
		DdbType		type;
	}			types[] = {
		{"S", DDB_S}, {"text", DDB_S},
		{"N", DDB_N}, {"numeric", DDB_N},
		{"B", DDB_B}, {"bytea", DDB_B},
	};

	for (int i = 0; i < lengthof(types); i++)
		if (pg_strcasecmp(types[i].name, name) == 0)
			return types[i].type;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown key type \"%s\"", name),
			 errhint("Key types are S (text), N (numeric) and B (bytea).")));
}

void
ddb_set_key_attr(DdbKeyAttr *attr, const char *name, const char *type)
{
	size_t		len = strlen(name);

	if (len > DDB_MAX_KEY_NAME)
		ddb_raise(DDB_VALIDATION, "A key attribute's name must be at most %d bytes long",
				  DDB_MAX_KEY_NAME);
	attr->len = len;
	strlcpy(attr->name, name, sizeof(attr->name));
	attr->type = parse_key_type(type);
}
