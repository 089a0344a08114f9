/*-------------------------------------------------------------------------
 *
 * fn_expr.c
 *	  DynamoDB's expressions on any item, without a table: ddb.matches(),
 *	  ddb.apply() and ddb.project().
 *
 * They see whole items, key attributes among the others, so they take any
 * ddb.item: in a CHECK constraint, in WHERE, in an UPDATE of a table of one's
 * own.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

#include "base/errors.h"
#include "expr/expr.h"

/* An item all of whose attributes are in its map. */
static const DdbKeySchema no_keys = {.nkeys = 0};

static DdbRecord
get_record(FunctionCallInfo fcinfo, int arg)
{
	return (DdbRecord) {.schema = &no_keys, .map = ddb_item_map(PG_GETARG_VARLENA_PP(arg))};
}

/* A copy of a map of names or values; NULL when the argument is. */
static const DdbValue *
get_map(FunctionCallInfo fcinfo, int arg)
{
	DdbValue   *map;

	if (arg >= PG_NARGS() || PG_ARGISNULL(arg))
		return NULL;
	map = palloc(sizeof(DdbValue));
	*map = ddb_item_map(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(arg)));
	return map;
}

/* The request of (item, text, names[, values]): one expression of this kind. */
static DdbExpr *
bind_arguments(FunctionCallInfo fcinfo, DdbExprKind kind)
{
	text	   *source = PG_GETARG_TEXT_PP(1);
	DdbExprSet *set = ddb_exprs_begin(get_map(fcinfo, 2), get_map(fcinfo, 3));
	DdbExpr    *expr;

	expr = ddb_exprs_add(set, kind, VARDATA_ANY(source), VARSIZE_ANY_EXHDR(source));
	ddb_exprs_finish(set);
	return expr;
}

/* Whether every argument but the item is a constant of the query's text. */
static bool
has_constant_expression(const FmgrInfo *flinfo)
{
	List	   *args;

	if (flinfo->fn_expr == NULL || !IsA(flinfo->fn_expr, FuncExpr))
		return false;
	args = ((FuncExpr *) flinfo->fn_expr)->args;
	for (int arg = 1; arg < list_length(args); arg++)
	{
		if (!IsA(list_nth(args, arg), Const))
			return false;
	}
	return true;
}

/*
 * An expression written out, as it is in CHECK and mostly in WHERE, is bound
 * once for all rows.  One with parameters is bound anew by each call: PL/pgSQL
 * keeps a call's state while it changes the parameters.
 */
static DdbExpr *
get_expression(FunctionCallInfo fcinfo, DdbExprKind kind)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	MemoryContext old;
	DdbExpr    *expr;

	if (flinfo->fn_extra)
		return flinfo->fn_extra;
	if (!has_constant_expression(flinfo))
		return bind_arguments(fcinfo, kind);
	old = MemoryContextSwitchTo(flinfo->fn_mcxt);
	expr = bind_arguments(fcinfo, kind);
	MemoryContextSwitchTo(old);
	return flinfo->fn_extra = expr;
}

PG_FUNCTION_INFO_V1(ddb_fn_matches);
Datum
ddb_fn_matches(PG_FUNCTION_ARGS)
{
	DdbRecord	record;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	record = get_record(fcinfo, 0);
	PG_RETURN_BOOL(ddb_condition_eval(get_expression(fcinfo, DDB_EXPR_CONDITION), &record));
}

PG_FUNCTION_INFO_V1(ddb_fn_apply);
Datum
ddb_fn_apply(PG_FUNCTION_ARGS)
{
	DdbRecord	record;
	DdbValue	map;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	record = get_record(fcinfo, 0);
	map = ddb_update_apply(get_expression(fcinfo, DDB_EXPR_UPDATE), &record);
	PG_RETURN_POINTER(ddb_item_from_map(ddb_map_check_size(map)));
}

PG_FUNCTION_INFO_V1(ddb_fn_project);
Datum
ddb_fn_project(PG_FUNCTION_ARGS)
{
	DdbRecord	record;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	record = get_record(fcinfo, 0);
	PG_RETURN_POINTER(ddb_item_from_map(ddb_projection_apply(get_expression(fcinfo, DDB_EXPR_PROJECTION),
															 &record)));
}
