/*-------------------------------------------------------------------------
 *
 * fn_operators.c
 *	  The operators on ddb.item, named and shaped after jsonb's.
 *
 * Those that want one attribute read it through ddb_datum_get(), which
 * fetches no more of a large item than the attribute takes.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "item/item.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

static DdbName
name_from_text(const text *t)
{
	return (DdbName) {VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t)};
}

/* The elements of a text[] but its NULLs; *had_null says whether it had any. */
static DdbName *
names_from_array(ArrayType *array, int *count, bool *had_null)
{
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	DdbName    *names;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &n);
	names = palloc(Max(n, 1) * sizeof(DdbName));
	*count = 0;
	*had_null = false;
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			*had_null = true;
		else
			names[(*count)++] = name_from_text(DatumGetTextPP(elements[i]));
	}
	return names;
}

static bool
get_attribute(Datum item, DdbName name, DdbValue *value)
{
	return ddb_datum_get(item, name.data, name.len, value);
}

/* As jsonb's ->> shows it: NULL (false) for a null, strings bare, the rest as JSON. */
static bool
value_to_text(DdbName attribute, DdbValue value, Datum *result)
{
	StringInfoData out;

	if (value.type == DDB_NULL)
		return false;
	initStringInfo(&out);
	if (value.type == DDB_S)
	{
		ddb_text_check(attribute, (const char *) value.data, value.len);
		appendBinaryStringInfo(&out, (const char *) value.data, value.len);
	}
	else
		ddb_value_to_json(&out, value, DDB_JSON_PLAIN);
	if (value.type == DDB_B)
		*result = PointerGetDatum(cstring_to_text_with_len(out.data + 1, out.len - 2));
	else
		*result = PointerGetDatum(cstring_to_text_with_len(out.data, out.len));
	return true;
}

/* ----------------------------------------------------------------------
 * One attribute
 * ---------------------------------------------------------------------- */

/* item -> 'name' */
PG_FUNCTION_INFO_V1(ddb_fn_item_get);
Datum
ddb_fn_item_get(PG_FUNCTION_ARGS)
{
	DdbName		name = name_from_text(PG_GETARG_TEXT_PP(1));
	DdbValue	value;

	if (!get_attribute(PG_GETARG_DATUM(0), name, &value))
		PG_RETURN_NULL();
	PG_RETURN_JSONB_P(ddb_attribute_to_jsonb(name, value));
}

/* item ->> 'name' */
PG_FUNCTION_INFO_V1(ddb_fn_item_get_text);
Datum
ddb_fn_item_get_text(PG_FUNCTION_ARGS)
{
	DdbName		name = name_from_text(PG_GETARG_TEXT_PP(1));
	DdbValue	value;
	Datum		result;

	if (!get_attribute(PG_GETARG_DATUM(0), name, &value) || !value_to_text(name, value, &result))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(result);
}

/* item ? 'name', ddb.has(item, 'name') */
PG_FUNCTION_INFO_V1(ddb_fn_item_has);
Datum
ddb_fn_item_has(PG_FUNCTION_ARGS)
{
	DdbValue	value;

	PG_RETURN_BOOL(get_attribute(PG_GETARG_DATUM(0), name_from_text(PG_GETARG_TEXT_PP(1)), &value));
}

/* ----------------------------------------------------------------------
 * Paths
 * ---------------------------------------------------------------------- */

/* What a path leads to; *attribute is the first step, for errors. */
static bool
get_path(FunctionCallInfo fcinfo, DdbName *attribute, DdbValue *value)
{
	int			count;
	bool		had_null;
	DdbName    *path = names_from_array(PG_GETARG_ARRAYTYPE_P(1), &count, &had_null);

	*attribute = (DdbName) {"", 0};
	if (had_null)
		return false;
	if (count == 0)
	{
		*value = ddb_item_map(PG_GETARG_VARLENA_PP(0));
		return true;
	}
	*attribute = path[0];
	if (!get_attribute(PG_GETARG_DATUM(0), path[0], value))
		return false;
	for (int i = 1; i < count; i++)
	{
		if (!ddb_value_step(*value, path[i], value))
			return false;
	}
	return true;
}

/* item #> '{a,b}' */
PG_FUNCTION_INFO_V1(ddb_fn_item_get_path);
Datum
ddb_fn_item_get_path(PG_FUNCTION_ARGS)
{
	DdbName		attribute;
	DdbValue	value;

	if (!get_path(fcinfo, &attribute, &value))
		PG_RETURN_NULL();
	PG_RETURN_JSONB_P(ddb_attribute_to_jsonb(attribute, value));
}

/* item #>> '{a,b}' */
PG_FUNCTION_INFO_V1(ddb_fn_item_get_path_text);
Datum
ddb_fn_item_get_path_text(PG_FUNCTION_ARGS)
{
	DdbName		attribute;
	DdbValue	value;
	Datum		result;

	if (!get_path(fcinfo, &attribute, &value) || !value_to_text(attribute, value, &result))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(result);
}

/* ----------------------------------------------------------------------
 * Several attributes
 * ---------------------------------------------------------------------- */

/* How many of the names in argument 1 the item in argument 0 has, and of how many. */
static int
count_present(FunctionCallInfo fcinfo, int *wanted)
{
	DdbValue	map = ddb_item_map(PG_GETARG_VARLENA_PP(0));
	bool		had_null;
	DdbName    *names = names_from_array(PG_GETARG_ARRAYTYPE_P(1), wanted, &had_null);
	int			present = 0;
	DdbValue	value;

	for (int i = 0; i < *wanted; i++)
		present += ddb_map_get(map, names[i].data, names[i].len, &value);
	return present;
}

/* item ?| '{a,b}' */
PG_FUNCTION_INFO_V1(ddb_fn_item_has_any);
Datum
ddb_fn_item_has_any(PG_FUNCTION_ARGS)
{
	int			wanted;

	PG_RETURN_BOOL(count_present(fcinfo, &wanted) > 0);
}

/* item ?& '{a,b}' */
PG_FUNCTION_INFO_V1(ddb_fn_item_has_all);
Datum
ddb_fn_item_has_all(PG_FUNCTION_ARGS)
{
	int			wanted;

	PG_RETURN_BOOL(count_present(fcinfo, &wanted) == wanted);
}

/* ----------------------------------------------------------------------
 * Whole items
 * ---------------------------------------------------------------------- */

/* Equal items have equal bytes. */
PG_FUNCTION_INFO_V1(ddb_fn_item_eq);
Datum
ddb_fn_item_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ddb_value_equal(ddb_item_map(PG_GETARG_VARLENA_PP(0)),
								   ddb_item_map(PG_GETARG_VARLENA_PP(1))));
}

PG_FUNCTION_INFO_V1(ddb_fn_item_ne);
Datum
ddb_fn_item_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!ddb_value_equal(ddb_item_map(PG_GETARG_VARLENA_PP(0)),
									ddb_item_map(PG_GETARG_VARLENA_PP(1))));
}

PG_FUNCTION_INFO_V1(ddb_fn_item_hash);
Datum
ddb_fn_item_hash(PG_FUNCTION_ARGS)
{
	DdbValue	map = ddb_item_map(PG_GETARG_VARLENA_PP(0));

	PG_RETURN_UINT32(hash_bytes(map.data, map.len));
}

PG_FUNCTION_INFO_V1(ddb_fn_item_hash_extended);
Datum
ddb_fn_item_hash_extended(PG_FUNCTION_ARGS)
{
	DdbValue	map = ddb_item_map(PG_GETARG_VARLENA_PP(0));

	PG_RETURN_UINT64(hash_bytes_extended(map.data, map.len, PG_GETARG_INT64(1)));
}

/* item @> doc */
PG_FUNCTION_INFO_V1(ddb_fn_item_contains);
Datum
ddb_fn_item_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(ddb_value_covers(ddb_item_map(PG_GETARG_VARLENA_PP(0)),
									ddb_item_map(PG_GETARG_VARLENA_PP(1))));
}

/* item || doc */
PG_FUNCTION_INFO_V1(ddb_fn_item_concat);
Datum
ddb_fn_item_concat(PG_FUNCTION_ARGS)
{
	DdbValue	merged = ddb_map_merge(ddb_item_map(PG_GETARG_VARLENA_PP(0)),
									   ddb_item_map(PG_GETARG_VARLENA_PP(1)));

	PG_RETURN_POINTER(ddb_item_from_map(ddb_map_check_size(merged)));
}

/* item - 'name' */
PG_FUNCTION_INFO_V1(ddb_fn_item_delete);
Datum
ddb_fn_item_delete(PG_FUNCTION_ARGS)
{
	DdbName		name = name_from_text(PG_GETARG_TEXT_PP(1));

	PG_RETURN_POINTER(ddb_item_from_map(ddb_map_without(ddb_item_map(PG_GETARG_VARLENA_PP(0)), &name, 1)));
}

/* The item in argument 0 and the names in argument 1 through one of document.c's functions. */
static Datum
apply_names(FunctionCallInfo fcinfo, DdbValue (*apply) (DdbValue map, const DdbName *names, int count))
{
	int			count;
	bool		had_null;
	DdbName    *names = names_from_array(PG_GETARG_ARRAYTYPE_P(1), &count, &had_null);

	return PointerGetDatum(ddb_item_from_map(apply(ddb_item_map(PG_GETARG_VARLENA_PP(0)), names, count)));
}

/* item - '{a,b}' */
PG_FUNCTION_INFO_V1(ddb_fn_item_delete_many);
Datum
ddb_fn_item_delete_many(PG_FUNCTION_ARGS)
{
	return apply_names(fcinfo, ddb_map_without);
}

/* item #- '{a,b}' */
PG_FUNCTION_INFO_V1(ddb_fn_item_delete_path);
Datum
ddb_fn_item_delete_path(PG_FUNCTION_ARGS)
{
	return apply_names(fcinfo, ddb_map_without_path);
}

/* ddb.to_set(doc, 'a', 'b') */
PG_FUNCTION_INFO_V1(ddb_fn_to_set);
Datum
ddb_fn_to_set(PG_FUNCTION_ARGS)
{
	return apply_names(fcinfo, ddb_map_to_sets);
}
