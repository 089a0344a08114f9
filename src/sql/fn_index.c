/*-------------------------------------------------------------------------
 *
 * fn_index.c
 *	  SQL functions of secondary indexes: defining them, and the functions of
 *	  which their definitions consist.
 *
 * The latter stand in the queries of materialized views and in the
 * expressions of btrees, dumps included: their names, arguments and results
 * never change.  What they make of a row is what src/index/projection.c makes
 * of it.  They raise nothing whatever an item holds, and are NULL for what no
 * index takes: a missing attribute, one of another type, an empty one.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "index/index.h"
#include "sql/sql_int.h"
#include "utils/array.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(ddb_fn_index_s);
PG_FUNCTION_INFO_V1(ddb_fn_index_n);
PG_FUNCTION_INFO_V1(ddb_fn_index_b);
PG_FUNCTION_INFO_V1(ddb_fn_index_tuple);
PG_FUNCTION_INFO_V1(ddb_fn_index_fits);
PG_FUNCTION_INFO_V1(ddb_fn_index_item);
PG_FUNCTION_INFO_V1(ddb_fn_index_digest);
PG_FUNCTION_INFO_V1(ddb_fn_index_shard);
PG_FUNCTION_INFO_V1(ddb_fn_add_index);
PG_FUNCTION_INFO_V1(ddb_fn_add_index_many);
PG_FUNCTION_INFO_V1(ddb_fn_add_local_index);
PG_FUNCTION_INFO_V1(ddb_fn_drop_index);
PG_FUNCTION_INFO_V1(ddb_fn_index_table);

/* ----------------------------------------------------------------------
 * One attribute
 * ---------------------------------------------------------------------- */

/* No index takes a longer key; in a local index a longer one would not even fit. */
static Datum
index_attribute(FunctionCallInfo fcinfo, DdbType type)
{
	text	   *name;
	DdbValue	value;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	name = PG_GETARG_TEXT_PP(1);
	if (!ddb_datum_get(PG_GETARG_DATUM(0), VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name), &value) ||
		value.type != type || value.len == 0 || value.len > DDB_MAX_PARTITION_KEY)
		PG_RETURN_NULL();
	return ddb_key_to_datum(value);
}

Datum
ddb_fn_index_s(PG_FUNCTION_ARGS)
{
	return index_attribute(fcinfo, DDB_S);
}

Datum
ddb_fn_index_n(PG_FUNCTION_ARGS)
{
	return index_attribute(fcinfo, DDB_N);
}

Datum
ddb_fn_index_b(PG_FUNCTION_ARGS)
{
	return index_attribute(fcinfo, DDB_B);
}

/* ----------------------------------------------------------------------
 * Several key values
 * ---------------------------------------------------------------------- */

#define MAX_VALUES (2 * DDB_MAX_INDEX_KEYS)

/* The arguments from `first` on as key values; -1 when one is NULL. */
static int
read_values(FunctionCallInfo fcinfo, int first, DdbValue values[MAX_VALUES])
{
	int			n = PG_NARGS() - first;

	if (n > MAX_VALUES)
		ereport(ERROR,
				(errcode(ERRCODE_TOO_MANY_ARGUMENTS),
				 errmsg("more values than an index has key attributes")));
	for (int i = 0; i < n; i++)
	{
		uint8		type;

		if (PG_ARGISNULL(first + i))
			return -1;
		if (!ddb_key_type(get_fn_expr_argtype(fcinfo->flinfo, first + i), &type))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("a key value is of type text, numeric or bytea")));
		values[i] = ddb_key_from_datum(type, PG_GETARG_DATUM(first + i));
	}
	return n;
}

Datum
ddb_fn_index_tuple(PG_FUNCTION_ARGS)
{
	DdbValue	values[MAX_VALUES];
	int			n = read_values(fcinfo, 0, values);

	if (n < 0)
		PG_RETURN_NULL();
	return ddb_key_to_datum(ddb_tuple(values, n));
}

Datum
ddb_fn_index_fits(PG_FUNCTION_ARGS)
{
	DdbValue	values[MAX_VALUES];
	int			npartition;
	int			n;

	if (PG_ARGISNULL(0))
		PG_RETURN_BOOL(false);
	npartition = PG_GETARG_INT32(0);
	n = read_values(fcinfo, 1, values);
	PG_RETURN_BOOL(n >= npartition && npartition >= 1 && npartition <= DDB_MAX_INDEX_KEYS &&
				   n - npartition <= DDB_MAX_INDEX_KEYS &&
				   ddb_index_key_fits(values, npartition, n - npartition));
}

/* The digest of the base key in the arguments; false when it has a NULL. */
static bool
read_digest(FunctionCallInfo fcinfo, int first, uint8 digest[DDB_ENTRY_DIGEST])
{
	DdbValue	values[MAX_VALUES];
	DdbKeySchema schema;
	DdbKey		key;

	schema.nkeys = read_values(fcinfo, first, values);
	if (schema.nkeys < 1 || schema.nkeys > 2)
		return false;
	memcpy(key.values, values, schema.nkeys * sizeof(DdbValue));
	ddb_key_digest(&schema, &key, digest);
	return true;
}

Datum
ddb_fn_index_digest(PG_FUNCTION_ARGS)
{
	bytea	   *result = palloc(VARHDRSZ + DDB_ENTRY_DIGEST);

	SET_VARSIZE(result, VARHDRSZ + DDB_ENTRY_DIGEST);
	if (!read_digest(fcinfo, 0, (uint8 *) VARDATA(result)))
		PG_RETURN_NULL();
	PG_RETURN_BYTEA_P(result);
}

Datum
ddb_fn_index_shard(PG_FUNCTION_ARGS)
{
	uint8		digest[DDB_ENTRY_DIGEST];

	if (PG_ARGISNULL(0) || PG_GETARG_INT32(0) < 1 || !read_digest(fcinfo, 1, digest))
		PG_RETURN_NULL();
	PG_RETURN_INT16(ddb_key_shard(digest, PG_GETARG_INT32(0)));
}

/* ----------------------------------------------------------------------
 * The projected attributes
 * ---------------------------------------------------------------------- */

/* The elements of a text array that are not NULL. */
static int
read_names(ArrayType *array, DdbName **names)
{
	Datum	   *elements;
	bool	   *nulls;
	int			n;
	int			count = 0;

	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, &nulls, &n);
	*names = palloc_array(DdbName, n + 1);
	for (int i = 0; i < n; i++)
	{
		text	   *name;

		if (nulls[i])
			continue;
		name = DatumGetTextPP(elements[i]);
		(*names)[count++] = (DdbName) {VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name)};
	}
	return count;
}

Datum
ddb_fn_index_item(PG_FUNCTION_ARGS)
{
	DdbBuilder *b;
	DdbName    *names;
	DdbValue	map;
	int			n;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	map = ddb_item_map(PG_GETARG_VARLENA_PP(0));
	n = read_names(PG_GETARG_ARRAYTYPE_P(1), &names);
	b = ddb_builder_begin(DDB_M);
	for (int i = 0; i < n; i++)
	{
		DdbValue	value;

		if (ddb_map_get(map, names[i].data, names[i].len, &value))
			ddb_builder_put(b, names[i].data, names[i].len, value);
	}
	PG_RETURN_POINTER(ddb_item_from_map(ddb_builder_finish(b, DDB_DUPLICATES_MERGE)));
}

/* ----------------------------------------------------------------------
 * Defining
 * ---------------------------------------------------------------------- */

static void
null_argument(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
			 errmsg("%s must not be null", what)));
}

static char *
required_text(FunctionCallInfo fcinfo, int n, const char *what)
{
	if (PG_ARGISNULL(n))
		null_argument(what);
	return text_to_cstring(PG_GETARG_TEXT_PP(n));
}

static void
read_index_name(FunctionCallInfo fcinfo, DdbIndexDef *def)
{
	char	   *name = required_text(fcinfo, 1, "index_name");

	if (strlcpy(def->name, name, sizeof(def->name)) >= sizeof(def->name))
		ddb_raise(DDB_VALIDATION, "Invalid index name: an index's name has at most %d characters",
				  DDB_MAX_INDEX_NAME);
}

/* Attributes to include mean INCLUDE. */
static void
read_projection(FunctionCallInfo fcinfo, int n, DdbIndexDef *def)
{
	char	   *name = required_text(fcinfo, n, "projection");
	int			i = 0;

	while (i < DDB_NPROJECTIONS && pg_strcasecmp(name, ddb_projection_name(i)) != 0)
		i++;
	if (i == DDB_NPROJECTIONS)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("unknown projection \"%s\"", name),
				 errhint("Projections are ALL, KEYS_ONLY and INCLUDE.")));
	def->projection = i;
	if (PG_ARGISNULL(n + 1))
		return;
	def->ninclude = read_names(PG_GETARG_ARRAYTYPE_P(n + 1), &def->include);
	if (def->projection == DDB_PROJECT_ALL)
		def->projection = DDB_PROJECT_INCLUDE;
}

static void
read_shards(FunctionCallInfo fcinfo, int n, DdbIndexDef *def)
{
	if (PG_ARGISNULL(n))
		return;
	def->shards = PG_GETARG_INT32(n);
	if (def->shards < 1)
		ddb_raise(DDB_VALIDATION, "An index has at least one shard");
}

/* add_index(tbl, index_name, partition_key, sort_key, projection, include, types ..., shards) */
Datum
ddb_fn_add_index(PG_FUNCTION_ARGS)
{
	DdbIndexDef def = {0};

	read_index_name(fcinfo, &def);
	def.npartition = 1;
	ddb_set_key_attr(&def.partition[0], required_text(fcinfo, 2, "partition_key"),
					 required_text(fcinfo, 6, "partition_key_type"));
	if (!PG_ARGISNULL(3))
	{
		def.nsort = 1;
		ddb_set_key_attr(&def.sort[0], text_to_cstring(PG_GETARG_TEXT_PP(3)),
						 required_text(fcinfo, 7, "sort_key_type"));
	}
	read_projection(fcinfo, 4, &def);
	read_shards(fcinfo, 8, &def);
	PG_RETURN_OID(ddb_index_create(ddb_arg_table(fcinfo, 0), &def));
}

/* Attributes and their types; types left out are S. */
static int
read_attributes(FunctionCallInfo fcinfo, int n, int types_n, DdbKeyAttr attrs[DDB_MAX_INDEX_KEYS])
{
	DdbName    *names;
	DdbName    *types;
	int			count = read_names(PG_GETARG_ARRAYTYPE_P(n), &names);
	int			ntypes = PG_ARGISNULL(types_n) ? 0 : read_names(PG_GETARG_ARRAYTYPE_P(types_n), &types);

	if (count < 1 || count > DDB_MAX_INDEX_KEYS)
		ddb_raise(DDB_VALIDATION, "A key of an index has 1 to %d attributes", DDB_MAX_INDEX_KEYS);
	if (ntypes > 0 && ntypes != count)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("there are %d key attributes, but %d types", count, ntypes)));
	for (int i = 0; i < count; i++)
		ddb_set_key_attr(&attrs[i], pnstrdup(names[i].data, names[i].len),
						 ntypes ? pnstrdup(types[i].data, types[i].len) : ddb_type_name(DDB_S));
	return count;
}

Datum
ddb_fn_add_index_many(PG_FUNCTION_ARGS)
{
	DdbIndexDef def = {0};

	read_index_name(fcinfo, &def);
	if (PG_ARGISNULL(2))
		null_argument("partition_key");
	def.npartition = read_attributes(fcinfo, 2, 6, def.partition);
	if (!PG_ARGISNULL(3))
		def.nsort = read_attributes(fcinfo, 3, 7, def.sort);
	read_projection(fcinfo, 4, &def);
	read_shards(fcinfo, 8, &def);
	PG_RETURN_OID(ddb_index_create(ddb_arg_table(fcinfo, 0), &def));
}

/* add_local_index(tbl, index_name, sort_key, sort_key_type, projection, include) */
Datum
ddb_fn_add_local_index(PG_FUNCTION_ARGS)
{
	DdbIndexDef def = {.local = true, .nsort = 1};

	read_index_name(fcinfo, &def);
	ddb_set_key_attr(&def.sort[0], required_text(fcinfo, 2, "sort_key"),
					 required_text(fcinfo, 3, "sort_key_type"));
	read_projection(fcinfo, 4, &def);
	PG_RETURN_OID(ddb_index_create(ddb_arg_table(fcinfo, 0), &def));
}

Datum
ddb_fn_drop_index(PG_FUNCTION_ARGS)
{
	text	   *name = PG_GETARG_TEXT_PP(1);

	ddb_index_drop(PG_GETARG_OID(0), VARDATA_ANY(name), VARSIZE_ANY_EXHDR(name));
	PG_RETURN_VOID();
}

Datum
ddb_fn_index_table(PG_FUNCTION_ARGS)
{
	text	   *name = PG_GETARG_TEXT_PP(1);
	const DdbIndexDef *def = ddb_index_find(PG_GETARG_OID(0), VARDATA_ANY(name),
											VARSIZE_ANY_EXHDR(name));

	if (def == NULL)
		ddb_raise(DDB_VALIDATION, "The table does not have the specified index: %s",
				  text_to_cstring(name));
	PG_RETURN_OID(def->relid);
}
