/*-------------------------------------------------------------------------
 *
 * args.c
 *	  Arguments of SQL functions as the layers below take them.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

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
