/*-------------------------------------------------------------------------
 *
 * fn_table.c
 *	  SQL functions of tables: create, drop, describe, list, and rows seen as
 *	  whole items.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "base/errors.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "sql/sql_int.h"
#include "table/table.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"
#include "utils/typcache.h"
#include "utils/uuid.h"

PG_FUNCTION_INFO_V1(ddb_fn_create_table);
PG_FUNCTION_INFO_V1(ddb_fn_drop_table);
PG_FUNCTION_INFO_V1(ddb_fn_compact);
PG_FUNCTION_INFO_V1(ddb_fn_describe_table);
PG_FUNCTION_INFO_V1(ddb_fn_list_tables);
PG_FUNCTION_INFO_V1(ddb_fn_full_item);
PG_FUNCTION_INFO_V1(ddb_fn_populate_record);

/* ----------------------------------------------------------------------
 * Creating and describing
 * ---------------------------------------------------------------------- */

Datum
ddb_fn_create_table(PG_FUNCTION_ARGS)
{
	DdbTableDefinition definition = {0};

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1) || PG_ARGISNULL(3) || PG_ARGISNULL(4))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("only sort_key may be null in ddb.create_table")));
	definition.name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	definition.schema.nkeys = PG_ARGISNULL(2) ? 1 : 2;
	ddb_set_key_attr(&definition.schema.attr[0], text_to_cstring(PG_GETARG_TEXT_PP(1)),
					 text_to_cstring(PG_GETARG_TEXT_PP(3)));
	if (!PG_ARGISNULL(2))
		ddb_set_key_attr(&definition.schema.attr[1], text_to_cstring(PG_GETARG_TEXT_PP(2)),
				text_to_cstring(PG_GETARG_TEXT_PP(4)));
	PG_RETURN_OID(ddb_table_create(&definition));
}

Datum
ddb_fn_drop_table(PG_FUNCTION_ARGS)
{
	ddb_table_drop(PG_GETARG_OID(0));
	PG_RETURN_VOID();
}

static TupleDesc
result_desc(FunctionCallInfo fcinfo)
{
	TupleDesc	desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	return BlessTupleDesc(desc);
}

Datum
ddb_fn_compact(PG_FUNCTION_ARGS)
{
	static const bool nulls[3] = {false};
	TupleDesc	desc = result_desc(fcinfo);
	DdbCompaction done;
	Datum		values[3];

	ddb_table_compact(PG_GETARG_OID(0), &done);
	values[0] = Int64GetDatum(done.rows_moved);
	values[1] = Int64GetDatum(done.collections_moved);
	values[2] = Int64GetDatum(done.collections_seen);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, (bool *) nulls)));
}

/* The key's four columns, the last two NULL with a simple key. */
static void
key_columns(const DdbKeySchema *schema, Datum *values, bool *nulls)
{
	for (int i = 0; i < 2; i++)
	{
		const DdbKeyAttr *attr = &schema->attr[i];

		nulls[2 * i] = nulls[2 * i + 1] = i >= schema->nkeys;
		if (i >= schema->nkeys)
			continue;
		values[2 * i] = CStringGetTextDatum(attr->name);
		values[2 * i + 1] = CStringGetTextDatum(ddb_type_name(attr->type));
	}
}

static TimestampTz
from_epoch(double seconds)
{
	return DatumGetTimestampTz(DirectFunctionCall1(float8_timestamptz, Float8GetDatum(seconds)));
}

Datum
ddb_fn_describe_table(PG_FUNCTION_ARGS)
{
	TupleDesc	desc = result_desc(fcinfo);
	DdbTableFacts facts;
	Datum		values[10];
	bool		nulls[10] = {false};

	ddb_table_facts(PG_GETARG_OID(0), &facts);
	values[0] = CStringGetTextDatum(facts.name);
	key_columns(&facts.schema, values + 1, nulls + 1);
	values[5] = Int64GetDatum(facts.item_count);
	values[6] = Int64GetDatum(facts.size_bytes);
	values[7] = BoolGetDatum(facts.plain);
	values[8] = TimestampTzGetDatum(from_epoch(facts.created));
	nulls[8] = facts.created == 0;
	values[9] = DirectFunctionCall1(uuid_in, CStringGetDatum(facts.id));
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}

Datum
ddb_fn_list_tables(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	List	   *tables;
	DdbTableEntry *entry;
	DdbKeySchema schema;
	Datum		values[6];
	bool		nulls[6] = {false};

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext caller;

		context = SRF_FIRSTCALL_INIT();
		caller = MemoryContextSwitchTo(context->multi_call_memory_ctx);
		context->tuple_desc = result_desc(fcinfo);
		context->user_fctx = ddb_table_list();
		MemoryContextSwitchTo(caller);
	}
	context = SRF_PERCALL_SETUP();
	tables = context->user_fctx;
	do
	{
		if (context->call_cntr >= list_length(tables))
			SRF_RETURN_DONE(context);
		entry = list_nth(tables, context->call_cntr);
		if (ddb_relation_key_schema(entry->relid, &schema))
			break;
		/* It has been dropped since the first call. */
		context->call_cntr++;
	} while (true);

	values[0] = ObjectIdGetDatum(entry->relid);
	values[1] = CStringGetTextDatum(entry->name);
	key_columns(&schema, values + 2, nulls + 2);
	SRF_RETURN_NEXT(context, HeapTupleGetDatum(heap_form_tuple(context->tuple_desc,
															   values, nulls)));
}

/* ----------------------------------------------------------------------
 * Rows as whole items
 * ---------------------------------------------------------------------- */

/* What a row type says of its table, kept from call to call until it changes. */
typedef struct RowType
{
	Oid			type;
	uint64		version;
	DdbKeySchema schema;
	DdbColumns	columns;
} RowType;

static RowType *
row_type(FunctionCallInfo fcinfo, Oid type)
{
	RowType    *row = fcinfo->flinfo->fn_extra;
	Oid			relid;

	if (row && row->type == type && row->version == assign_record_type_identifier(type, -1))
		return row;
	relid = get_typ_typrelid(type);
	if (row == NULL)
		row = fcinfo->flinfo->fn_extra =
			MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(RowType));
	row->type = InvalidOid;
	if (!OidIsValid(relid) || !ddb_relation_columns(relid, &row->schema, &row->columns))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("%s is not a row of a ddb table", format_type_be(type)),
				 errhint("Name the table: ddb.full_item(s) FROM shop s, "
						 "or ddb.populate_record(NULL::shop, ...).")));
	row->type = type;
	row->version = assign_record_type_identifier(type, -1);
	return row;
}

Datum
ddb_fn_full_item(PG_FUNCTION_ARGS)
{
	HeapTupleHeader header = PG_GETARG_HEAPTUPLEHEADER(0);
	RowType    *row = row_type(fcinfo, HeapTupleHeaderGetTypeId(header));
	AttrNumber	attnos[3] = {row->columns.pk, row->columns.sk, row->columns.item};
	DdbRecord	record = {&row->schema};

	for (int i = 0; i < 3; i++)
	{
		bool		isnull;
		Datum		datum;

		if (attnos[i] == InvalidAttrNumber)
			continue;
		datum = GetAttributeByNum(header, attnos[i], &isnull);
		/* An outer join's empty row is no item. */
		if (isnull)
			PG_RETURN_NULL();
		if (i < 2)
			record.key.values[i] = ddb_key_from_datum(row->schema.attr[i].type, datum);
		else
			record.map = ddb_item_map((DdbItem *) PG_DETOAST_DATUM_PACKED(datum));
	}
	PG_RETURN_POINTER(ddb_record_item(&record));
}

/* The base row's values, or all NULL. */
static void
deform_base(FunctionCallInfo fcinfo, TupleDesc desc, Datum *values, bool *nulls)
{
	memset(nulls, true, desc->natts);
	if (!PG_ARGISNULL(0))
	{
		HeapTupleHeader header = PG_GETARG_HEAPTUPLEHEADER(0);
		HeapTupleData tuple = {0};

		tuple.t_len = HeapTupleHeaderGetDatumLength(header);
		tuple.t_data = header;
		heap_deform_tuple(&tuple, desc, values, nulls);
	}
}

Datum
ddb_fn_populate_record(PG_FUNCTION_ARGS)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	RowType    *row = row_type(fcinfo, type);
	TupleDesc	desc = lookup_rowtype_tupdesc_copy(type, -1);
	Datum	   *values = palloc0_array(Datum, desc->natts);
	bool	   *nulls = palloc_array(bool, desc->natts);
	AttrNumber	attnos[2] = {row->columns.pk, row->columns.sk};
	DdbKey		key;
	DdbValue	rest;

	if (PG_ARGISNULL(1))
		PG_RETURN_NULL();
	deform_base(fcinfo, desc, values, nulls);
	ddb_split_item(ddb_item_map(ddb_arg_item(fcinfo, 1)), &row->schema, &key, &rest);
	for (int i = 0; i < row->schema.nkeys; i++)
	{
		values[attnos[i] - 1] = ddb_key_to_datum(key.values[i]);
		nulls[attnos[i] - 1] = false;
	}
	values[row->columns.item - 1] = PointerGetDatum(ddb_item_from_map(rest));
	nulls[row->columns.item - 1] = false;
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(desc, values, nulls)));
}
