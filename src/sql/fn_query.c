/*-------------------------------------------------------------------------
 *
 * fn_query.c
 *	  ddb.query, ddb.collection and ddb.scan, and how many rows to expect.
 *
 * In a FROM clause the executor keeps all rows of a function before it hands
 * out the first, so there the three fill its tuplestore themselves, and make
 * each item where its tuple needs it.  Elsewhere they return a value per call:
 * a target list streams.  A reader that is left before its end (LIMIT, CLOSE)
 * is ended by a callback of its expression context; after an error the resource
 * owner has cleaned up and nothing is left to end.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "base/errors.h"
#include "catalog/pg_class.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "sql/sql_int.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

PG_FUNCTION_INFO_V1(ddb_fn_query);
PG_FUNCTION_INFO_V1(ddb_fn_collection);
PG_FUNCTION_INFO_V1(ddb_fn_scan);
PG_FUNCTION_INFO_V1(ddb_fn_read_support);

/* One call's cursor and the arguments that it points at. */
typedef struct Reader
{
	DdbRead		read;
	DdbCollection collection;
	DdbValue	maps[2];
	DdbValue	start_key;
	DdbCursor  *cursor;
	ExprContext *econtext;
} Reader;

static void
end_reading(Datum arg)
{
	Reader	   *reader = (Reader *) DatumGetPointer(arg);

	ddb_read_end(reader->cursor, NULL);
}

/* max_items stands at 7 in all three functions. */
#define MAX_ITEMS 7

static void
take_common(FunctionCallInfo fcinfo, Reader *reader)
{
	DdbRead    *read = &reader->read;

	read->relid = ddb_arg_table(fcinfo, 0);
	read->forward = true;
	read->segment = read->total_segments = -1;
	read->limit = ddb_arg_int(fcinfo, MAX_ITEMS, 0);
	if (!PG_ARGISNULL(MAX_ITEMS) && read->limit < 1)
		ddb_raise(DDB_VALIDATION, "max_items must be at least 1");
}

static void
take_start_key(FunctionCallInfo fcinfo, int n, Reader *reader)
{
	if (ddb_arg_map(fcinfo, n, &reader->start_key))
		reader->read.start_key = &reader->start_key;
	reader->read.start_key_loose = true;
}

/*
 * query(tbl, key_condition, filter, projection, attr_names, attr_values,
 *		 scan_forward, max_items, start_key, index_name)
 */
static void
take_query(FunctionCallInfo fcinfo, Reader *reader)
{
	DdbRead    *read = &reader->read;

	take_common(fcinfo, reader);
	read->key_condition = ddb_arg_text(fcinfo, 1);
	if (read->key_condition.data == NULL)
		ddb_raise(DDB_VALIDATION, "key_condition must not be null");
	read->filter = ddb_arg_text(fcinfo, 2);
	read->projection = ddb_arg_text(fcinfo, 3);
	ddb_arg_placeholders(fcinfo, 4, true, reader->maps, &read->placeholders);
	read->forward = PG_ARGISNULL(6) || PG_GETARG_BOOL(6);
	take_start_key(fcinfo, 8, reader);
	read->index_name = ddb_arg_text(fcinfo, 9);
}

/*
 * collection(tbl, pk, begins_with, sk_from, sk_to, after, newest_first,
 *			  max_items, index_name, projection, attr_names)
 */
static void
take_collection(FunctionCallInfo fcinfo, Reader *reader)
{
	DdbRead    *read = &reader->read;
	DdbCollection *range = &reader->collection;

	take_common(fcinfo, reader);
	ddb_arg_key(fcinfo, 1, &range->partition);
	if (range->partition.form == DDB_PART_NONE)
		ddb_raise(DDB_VALIDATION, "pk must not be null");
	ddb_arg_key(fcinfo, 2, &range->begins_with);
	ddb_arg_key(fcinfo, 3, &range->from);
	ddb_arg_key(fcinfo, 4, &range->to);
	ddb_arg_key(fcinfo, 5, &range->after);
	read->collection = range;
	read->forward = PG_ARGISNULL(6) || !PG_GETARG_BOOL(6);
	read->index_name = ddb_arg_text(fcinfo, 8);
	read->projection = ddb_arg_text(fcinfo, 9);
	ddb_arg_placeholders(fcinfo, 10, false, reader->maps, &read->placeholders);
}

/*
 * scan(tbl, filter, projection, attr_names, attr_values, segment,
 *		total_segments, max_items, start_key, index_name)
 */
static void
take_scan(FunctionCallInfo fcinfo, Reader *reader)
{
	DdbRead    *read = &reader->read;

	take_common(fcinfo, reader);
	read->is_scan = true;
	read->filter = ddb_arg_text(fcinfo, 1);
	read->projection = ddb_arg_text(fcinfo, 2);
	ddb_arg_placeholders(fcinfo, 3, true, reader->maps, &read->placeholders);
	read->segment = ddb_arg_int(fcinfo, 5, -1);
	read->total_segments = ddb_arg_int(fcinfo, 6, -1);
	if ((!PG_ARGISNULL(5) && read->segment < 0) ||
		(!PG_ARGISNULL(6) && (read->total_segments < 1 ||
							  read->total_segments > DDB_MAX_SEGMENTS)))
		ddb_raise(DDB_VALIDATION, "segment must be at least 0 and total_segments from 1 to %d",
				  DDB_MAX_SEGMENTS);
	take_start_key(fcinfo, 8, reader);
	read->index_name = ddb_arg_text(fcinfo, 9);
}

static void
begin_reading(FunctionCallInfo fcinfo, void (*take) (FunctionCallInfo, Reader *))
{
	FuncCallContext *context = SRF_FIRSTCALL_INIT();
	MemoryContext caller = MemoryContextSwitchTo(context->multi_call_memory_ctx);
	Reader	   *reader = palloc0_object(Reader);

	/* The arguments may go before the last call: keep copies. */
	for (int i = 0; i < fcinfo->nargs; i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i);

		if (!PG_ARGISNULL(i) && type != REGCLASSOID && type != BOOLOID && type != INT4OID)
			fcinfo->args[i].value = PointerGetDatum(PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(i)));
	}
	take(fcinfo, reader);
	reader->cursor = ddb_read_begin(&reader->read);
	reader->econtext = ((ReturnSetInfo *) fcinfo->resultinfo)->econtext;
	RegisterExprContextCallback(reader->econtext, end_reading, PointerGetDatum(reader));
	context->user_fctx = reader;
	MemoryContextSwitchTo(caller);
}

/* Where a tuple's first column begins. */
#define TUPLE_HEADER MAXALIGN(SizeofHeapTupleHeader)

/* A tuple of one column, in whose buffer the item has room for its header. */
static void
put_tuple(Tuplestorestate *store, DdbItem *item)
{
	HeapTupleHeader header = (HeapTupleHeader) ((char *) item - TUPLE_HEADER);
	HeapTupleData tuple = {.t_len = TUPLE_HEADER + VARSIZE(item), .t_data = header};

	memset(header, 0, TUPLE_HEADER);
	HeapTupleHeaderSetNatts(header, 1);
	header->t_infomask = HEAP_HASVARWIDTH;
	header->t_hoff = TUPLE_HEADER;
	tuplestore_puttuple(store, &tuple);
}

/* All rows at once; arguments and reader live until the call returns. */
static Datum
materialize(FunctionCallInfo fcinfo, void (*take) (FunctionCallInfo, Reader *))
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	bool		random = (result->allowedModes & SFRM_Materialize_Random) != 0;
	DdbItemBuffer buffer = {.context = CurrentMemoryContext,.headroom = TUPLE_HEADER};
	Reader		reader = {0};
	MemoryContext caller;
	DdbItem    *item;

	caller = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	result->returnMode = SFRM_Materialize;
	result->setResult = tuplestore_begin_heap(random, false, work_mem);
	MemoryContextSwitchTo(caller);

	take(fcinfo, &reader);
	reader.cursor = ddb_read_begin(&reader.read);
	while ((item = ddb_read_next_into(reader.cursor, &buffer)) != NULL)
		put_tuple(result->setResult, item);
	ddb_read_end(reader.cursor, NULL);
	PG_RETURN_NULL();
}

static Datum
read_items(FunctionCallInfo fcinfo, void (*take) (FunctionCallInfo, Reader *))
{
	FuncCallContext *context;
	Reader	   *reader;
	DdbItem    *item;

	if (fcinfo->resultinfo && IsA(fcinfo->resultinfo, ReturnSetInfo) &&
		((ReturnSetInfo *) fcinfo->resultinfo)->allowedModes & SFRM_Materialize_Preferred)
		return materialize(fcinfo, take);
	if (SRF_IS_FIRSTCALL())
		begin_reading(fcinfo, take);
	context = SRF_PERCALL_SETUP();
	reader = context->user_fctx;
	item = ddb_read_next_item(reader->cursor);
	if (item)
		SRF_RETURN_NEXT(context, PointerGetDatum(item));
	UnregisterExprContextCallback(reader->econtext, end_reading, PointerGetDatum(reader));
	ddb_read_end(reader->cursor, NULL);
	SRF_RETURN_DONE(context);
}

Datum
ddb_fn_query(PG_FUNCTION_ARGS)
{
	return read_items(fcinfo, take_query);
}

Datum
ddb_fn_collection(PG_FUNCTION_ARGS)
{
	return read_items(fcinfo, take_collection);
}

Datum
ddb_fn_scan(PG_FUNCTION_ARGS)
{
	return read_items(fcinfo, take_scan);
}

/* ----------------------------------------------------------------------
 * Estimates
 * ---------------------------------------------------------------------- */

/* A collection's size where nothing is known of the table. */
#define UNKNOWN_COLLECTION 50

/* The table's rows when it was last analyzed, or -1. */
static double
table_rows(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	double		rows = -1;

	if (HeapTupleIsValid(tuple))
	{
		rows = ((Form_pg_class) GETSTRUCT(tuple))->reltuples;
		ReleaseSysCache(tuple);
	}
	return rows;
}

/* Rows for each distinct partition key, from the statistics of its column. */
static double
collection_rows(Oid relid, double rows)
{
	DdbKeySchema schema;
	DdbColumns	columns;
	HeapTuple	tuple;
	double		distinct = 0;

	if (rows < 0 || !ddb_relation_columns(relid, &schema, &columns))
		return UNKNOWN_COLLECTION;
	tuple = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(relid),
							Int16GetDatum(columns.pk), BoolGetDatum(false));
	if (HeapTupleIsValid(tuple))
	{
		distinct = ((Form_pg_statistic) GETSTRUCT(tuple))->stadistinct;
		ReleaseSysCache(tuple);
	}
	if (distinct < 0)
		return -1 / distinct;
	return distinct > 0 ? rows / distinct : Min(rows, UNKNOWN_COLLECTION);
}

static double
estimate_rows(PlannerInfo *root, List *args)
{
	Node	   *table = estimate_expression_value(root, linitial(args));
	Node	   *max_items = estimate_expression_value(root, list_nth(args, MAX_ITEMS));
	bool		is_scan = exprType(list_nth(args, MAX_ITEMS - 1)) == INT4OID;
	double		rows = UNKNOWN_COLLECTION;

	if (IsA(table, Const) && !((Const *) table)->constisnull)
	{
		Oid			relid = DatumGetObjectId(((Const *) table)->constvalue);

		rows = table_rows(relid);
		if (!is_scan)
			rows = collection_rows(relid, rows);
		else if (rows < 0)
			rows = 1000;
	}
	if (IsA(max_items, Const) && !((Const *) max_items)->constisnull)
		rows = Min(rows, DatumGetInt32(((Const *) max_items)->constvalue));
	return Max(rows, 1);
}

/* Support function of the three. */
Datum
ddb_fn_read_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestRows))
	{
		SupportRequestRows *rows = (SupportRequestRows *) request;

		if (rows->node && IsA(rows->node, FuncExpr))
		{
			rows->rows = estimate_rows(rows->root, ((FuncExpr *) rows->node)->args);
			PG_RETURN_POINTER(request);
		}
	}
	PG_RETURN_POINTER(NULL);
}
