/*-------------------------------------------------------------------------
 *
 * fn_ops.c
 *	  SQL functions of single items, batches and transactions.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "funcapi.h"
#include "sql/sql_int.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(ddb_fn_get_item);
PG_FUNCTION_INFO_V1(ddb_fn_put_item);
PG_FUNCTION_INFO_V1(ddb_fn_update_item);
PG_FUNCTION_INFO_V1(ddb_fn_delete_item);
PG_FUNCTION_INFO_V1(ddb_fn_try_put_item);
PG_FUNCTION_INFO_V1(ddb_fn_try_update_item);
PG_FUNCTION_INFO_V1(ddb_fn_try_delete_item);
PG_FUNCTION_INFO_V1(ddb_fn_batch_get_item);
PG_FUNCTION_INFO_V1(ddb_fn_batch_write_item);
PG_FUNCTION_INFO_V1(ddb_fn_transact_get_items);
PG_FUNCTION_INFO_V1(ddb_fn_transact_write_items);

/* ----------------------------------------------------------------------
 * One item
 * ---------------------------------------------------------------------- */

/* ddb.get_item(tbl, pk, sk, projection, attr_names) */
Datum
ddb_fn_get_item(PG_FUNCTION_ARGS)
{
	DdbKeyParts parts;
	DdbGet		get = {ddb_arg_table(fcinfo, 0)};
	DdbValue	maps[2];
	DdbValue	item;

	ddb_arg_key(fcinfo, 1, &parts.part[0]);
	ddb_arg_key(fcinfo, 2, &parts.part[1]);
	if (PG_ARGISNULL(3) && PG_ARGISNULL(4))
	{
		DdbItem    *found = ddb_get_item_by_key(get.relid, &parts);

		if (found == NULL)
			PG_RETURN_NULL();
		PG_RETURN_POINTER(found);
	}
	get.parts = &parts;
	get.projection = ddb_arg_text(fcinfo, 3);
	ddb_arg_placeholders(fcinfo, 4, false, maps, &get.placeholders);
	if (!ddb_get_item(&get, &item))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(ddb_item_from_map(item));
}

/*
 * A write and the arguments that it points at.  `guard` is the place of
 * condition, attr_names, attr_values.
 */
typedef struct WriteCall
{
	DdbWrite	write;
	DdbWriteResult result;
	DdbKeyParts parts;
	DdbValue	maps[2];
} WriteCall;

static void
begin_write(FunctionCallInfo fcinfo, WriteCall *call, DdbAction action, int guard)
{
	DdbWrite   *write = &call->write;

	memset(write, 0, sizeof(*write));
	write->action = action;
	write->relid = ddb_arg_table(fcinfo, 0);
	if (action == DDB_ACTION_PUT)
		write->item = ddb_item_map(ddb_arg_item(fcinfo, 1));
	else
	{
		ddb_arg_key(fcinfo, 1, &call->parts.part[0]);
		ddb_arg_key(fcinfo, 2, &call->parts.part[1]);
		write->parts = &call->parts;
	}
	write->condition = ddb_arg_text(fcinfo, guard);
	ddb_arg_placeholders(fcinfo, guard + 1, true, call->maps, &write->placeholders);
}

/* The two arguments about what to return follow the guard's. */
static Datum
finish_write(FunctionCallInfo fcinfo, WriteCall *call, int guard)
{
	DdbWrite   *write = &call->write;

	write->return_values = ddb_return_values(ddb_arg_text(fcinfo, guard + 3), "return_values");
	write->return_item_on_failure =
		ddb_return_values(ddb_arg_text(fcinfo, guard + 4),
						  "return_values_on_failure") == DDB_RETURN_ALL_OLD;
	ddb_write_item(write, &call->result);
	if (!call->result.has_attributes)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(ddb_item_from_map(call->result.attributes));
}

static void
try_write(WriteCall *call)
{
	call->write.try = true;
	ddb_write_item(&call->write, &call->result);
}

/*
 * A forgotten name would put the expression in sk's place, and an update
 * without one is legal: it would make an item whose sort key is the text.
 */
static void
take_update(FunctionCallInfo fcinfo, WriteCall *call)
{
	call->write.update = ddb_arg_text(fcinfo, 3);
	if (call->write.update.data == NULL)
		ddb_raise_hint(DDB_VALIDATION, "Name the argument: update => 'SET ...'. "
					   "The arguments before it are the key.",
					   "The update expression must not be null");
}

/* put_item(tbl, item, condition, attr_names, attr_values, return_values, ..._on_failure) */
Datum
ddb_fn_put_item(PG_FUNCTION_ARGS)
{
	WriteCall	call;

	begin_write(fcinfo, &call, DDB_ACTION_PUT, 2);
	return finish_write(fcinfo, &call, 2);
}

/* update_item(tbl, pk, sk, update, condition, ...) */
Datum
ddb_fn_update_item(PG_FUNCTION_ARGS)
{
	WriteCall	call;

	begin_write(fcinfo, &call, DDB_ACTION_UPDATE, 4);
	take_update(fcinfo, &call);
	return finish_write(fcinfo, &call, 4);
}

/* delete_item(tbl, pk, sk, condition, ...) */
Datum
ddb_fn_delete_item(PG_FUNCTION_ARGS)
{
	WriteCall	call;

	begin_write(fcinfo, &call, DDB_ACTION_DELETE, 3);
	return finish_write(fcinfo, &call, 3);
}

Datum
ddb_fn_try_put_item(PG_FUNCTION_ARGS)
{
	WriteCall	call;

	begin_write(fcinfo, &call, DDB_ACTION_PUT, 2);
	try_write(&call);
	PG_RETURN_BOOL(!call.result.condition_failed);
}

Datum
ddb_fn_try_update_item(PG_FUNCTION_ARGS)
{
	WriteCall	call;

	begin_write(fcinfo, &call, DDB_ACTION_UPDATE, 4);
	take_update(fcinfo, &call);
	call.write.return_values = DDB_RETURN_ALL_NEW;
	try_write(&call);
	if (call.result.condition_failed || !call.result.has_attributes)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(ddb_item_from_map(call.result.attributes));
}

Datum
ddb_fn_try_delete_item(PG_FUNCTION_ARGS)
{
	WriteCall	call;

	begin_write(fcinfo, &call, DDB_ACTION_DELETE, 3);
	try_write(&call);
	PG_RETURN_BOOL(!call.result.condition_failed && call.result.existed);
}

/* ----------------------------------------------------------------------
 * Batches and transactions: the API's arrays, word for word
 * ---------------------------------------------------------------------- */

static const DdbJson *
arg_json(FunctionCallInfo fcinfo, int n)
{
	DdbText		json = ddb_arg_text(fcinfo, n);

	if (json.data == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the request must not be null")));
	return ddb_json_parse(json.data, json.len);
}

/* batch_write_item(request_items) returns how many requests it carried out. */
Datum
ddb_fn_batch_write_item(PG_FUNCTION_ARGS)
{
	DdbText    *tables;
	int			n;
	DdbWrite   *writes = ddb_request_batch_write(arg_json(fcinfo, 0), &n, &tables);

	ddb_batch_write(writes, n);
	PG_RETURN_INT32(n);
}

/* transact_write_items(actions, client_token): false when done before. */
Datum
ddb_fn_transact_write_items(PG_FUNCTION_ARGS)
{
	DdbText		token = ddb_arg_text(fcinfo, 1);
	int			n;
	DdbWrite   *writes = ddb_request_transact_write(arg_json(fcinfo, 0), &n);

	PG_RETURN_BOOL(ddb_transact_write(writes, n, token));
}

/* The answers of a batch or transaction, handed out one a call. */
typedef struct Answers
{
	int			n;
	DdbText    *tables;			/* a batch's */
	DdbValue   *items;
	bool	   *found;
} Answers;

static Answers *
transact_get(FunctionCallInfo fcinfo)
{
	Answers    *answers = palloc0_object(Answers);
	DdbGet	   *gets = ddb_request_transact_get(arg_json(fcinfo, 0), &answers->n);

	answers->items = palloc_array(DdbValue, answers->n);
	answers->found = palloc_array(bool, answers->n);
	ddb_transact_get(gets, answers->n, answers->items, answers->found);
	return answers;
}

/* A batch's answers: those found only, in the request's order. */
static Answers *
batch_get(FunctionCallInfo fcinfo)
{
	Answers    *answers = palloc0_object(Answers);
	int			n;
	DdbGet	   *gets = ddb_request_batch_get(arg_json(fcinfo, 0), &n, &answers->tables);
	DdbFound   *found = palloc_array(DdbFound, n);

	answers->items = palloc_array(DdbValue, n);
	ddb_batch_get(gets, n, 0, answers->items, found);
	for (int i = 0; i < n; i++)
	{
		if (found[i] != DDB_FOUND)
			continue;
		answers->tables[answers->n] = answers->tables[i];
		answers->items[answers->n++] = answers->items[i];
	}
	return answers;
}

static Answers *
first_call(FunctionCallInfo fcinfo, Answers *(*ask) (FunctionCallInfo), bool rows)
{
	FuncCallContext *context = SRF_FIRSTCALL_INIT();
	MemoryContext caller = MemoryContextSwitchTo(context->multi_call_memory_ctx);

	if (rows && get_call_result_type(fcinfo, NULL, &context->tuple_desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (rows)
		BlessTupleDesc(context->tuple_desc);
	context->user_fctx = ask(fcinfo);
	MemoryContextSwitchTo(caller);
	return context->user_fctx;
}

/* transact_get_items(actions): an item or NULL for each action, in order. */
Datum
ddb_fn_transact_get_items(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	Answers    *answers;
	int			i;

	if (SRF_IS_FIRSTCALL())
		first_call(fcinfo, transact_get, false);
	context = SRF_PERCALL_SETUP();
	answers = context->user_fctx;
	i = context->call_cntr;
	if (i >= answers->n)
		SRF_RETURN_DONE(context);
	if (!answers->found[i])
		SRF_RETURN_NEXT_NULL(context);
	SRF_RETURN_NEXT(context, PointerGetDatum(ddb_item_from_map(answers->items[i])));
}

/* batch_get_item(request_items): (table_name, item) for each item found. */
Datum
ddb_fn_batch_get_item(PG_FUNCTION_ARGS)
{
	FuncCallContext *context;
	Answers    *answers;
	int			i;
	Datum		values[2];
	bool		nulls[2] = {false};

	if (SRF_IS_FIRSTCALL())
		first_call(fcinfo, batch_get, true);
	context = SRF_PERCALL_SETUP();
	answers = context->user_fctx;
	i = context->call_cntr;
	if (i >= answers->n)
		SRF_RETURN_DONE(context);
	values[0] = PointerGetDatum(cstring_to_text_with_len(answers->tables[i].data,
														 answers->tables[i].len));
	values[1] = PointerGetDatum(ddb_item_from_map(answers->items[i]));
	SRF_RETURN_NEXT(context, HeapTupleGetDatum(heap_form_tuple(context->tuple_desc,
															   values, nulls)));
}
