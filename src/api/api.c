/*-------------------------------------------------------------------------
 *
 * api.c
 *	  The door for everything that speaks DynamoDB: one table of operations.
 *
 * A request is parsed, checked against the model (model.c) and given to its
 * operation's handler, which calls ops/ and writes the reply.  An operation is
 * one entry in the table below; its validation comes from the model.
 *
 * Failures are raised, never returned, as base/errors.h has it.  Those of
 * PostgreSQL that DynamoDB has an exception for are raised again as that
 * exception: a lost race (serialization failure, deadlock) is a
 * TransactionConflictException, or cancels the transaction it happened in; a
 * missing privilege is an AccessDeniedException.  All others pass as they are.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"
#include "base/errors.h"

static const struct
{
	const char *name;
	ApiHandler	handle;
}			operations[] = {
	{"BatchGetItem", ddb_api_batch_get_item},
	{"BatchWriteItem", ddb_api_batch_write_item},
	{"CreateTable", ddb_api_create_table},
	{"DeleteItem", ddb_api_delete_item},
	{"DeleteTable", ddb_api_delete_table},
	{"DescribeTable", ddb_api_describe_table},
	{"GetItem", ddb_api_get_item},
	{"ListTables", ddb_api_list_tables},
	{"PutItem", ddb_api_put_item},
	{"Query", ddb_api_query},
	{"Scan", ddb_api_scan},
	{"TransactGetItems", ddb_api_transact_get_items},
	{"TransactWriteItems", ddb_api_transact_write_items},
	{"UpdateItem", ddb_api_update_item},
	{"UpdateTable", ddb_api_update_table},
};

static ApiHandler
find_handler(const char *operation)
{
	for (int i = 0; i < lengthof(operations); i++)
		if (strcmp(operations[i].name, operation) == 0)
			return operations[i].handle;
	ddb_raise_hint(DDB_UNKNOWN_OPERATION, "Operations are named as in DynamoDB's API: \"PutItem\".",
				   "Unknown operation: %s", operation);
}

static void raise_conflict(const char *operation, const DdbJson *request) pg_attribute_noreturn();

/* Which of a transaction's actions lost the race is not known: all are told. */
static void
raise_conflict(const char *operation, const DdbJson *request)
{
	static const char message[] = "Transaction is ongoing for the item";
	StringInfoData codes;
	StringInfoData reasons;

	if (strncmp(operation, "Transact", strlen("Transact")) != 0)
		ddb_raise(DDB_TRANSACTION_CONFLICT, "%s", message);

	initStringInfo(&codes);
	initStringInfo(&reasons);
	for (uint32 i = 0; i < ddb_json_get(request, "TransactItems")->count; i++)
	{
		appendStringInfo(&codes, "%sTransactionConflict", i ? ", " : "");
		appendStringInfo(&reasons, "%s{\"Code\":\"TransactionConflict\",\"Message\":\"%s\"}",
						 i ? "," : "", message);
	}
	ddb_raise_reply(DDB_TRANSACTION_CANCELED, psprintf("\"CancellationReasons\":[%s]", reasons.data),
					"Transaction cancelled, please refer cancellation reasons for specific reasons [%s]",
					codes.data);
}

/* Raises PostgreSQL's error as DynamoDB's, if there is one for it. */
static void
translate_error(const char *operation, const DdbJson *request)
{
	ErrorData  *error;

	switch (geterrcode())
	{
		case ERRCODE_T_R_SERIALIZATION_FAILURE:
		case ERRCODE_T_R_DEADLOCK_DETECTED:
			FlushErrorState();
			raise_conflict(operation, request);
			break;
		case ERRCODE_INSUFFICIENT_PRIVILEGE:
			error = CopyErrorData();
			FlushErrorState();
			ddb_raise(DDB_ACCESS_DENIED, "%s", error->message);
			break;
	}
}

void
ddb_api_call(const char *operation, const char *request, size_t len, StringInfo reply)
{
	ApiHandler	handle = find_handler(operation);
	DdbJson    *tree = ddb_json_parse(request, len);
	MemoryContext context = CurrentMemoryContext;

	ddb_api_validate(operation, tree);
	appendStringInfoChar(reply, '{');
	PG_TRY();
	{
		handle(tree, reply);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		translate_error(operation, tree);
		PG_RE_THROW();
	}
	PG_END_TRY();
	appendStringInfoChar(reply, '}');
}
