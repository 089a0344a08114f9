/*-------------------------------------------------------------------------
 *
 * errors.c
 *	  Raises DynamoDB's exceptions as PostgreSQL errors.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "lib/stringinfo.h"
#include "utils/json.h"

/*
 * Indexed by DdbError.  The prefix is what stands before '#' in __type: the
 * service's own exceptions have one, those of its web framework another.  How
 * the message's member is spelled differs too, as the API's model has it.
 */
#define SERVICE "com.amazonaws.dynamodb.v20120810"
#define FRAMEWORK "com.amazon.coral.service"

static const struct
{
	const char *prefix;
	const char *name;
	bool		capital;		/* "Message", not "message" */
}			exceptions[] = {
	[DDB_VALIDATION] = {"com.amazon.coral.validate", "ValidationException"},
	[DDB_CONDITION_FAILED] = {SERVICE, "ConditionalCheckFailedException"},
	[DDB_TRANSACTION_CANCELED] = {SERVICE, "TransactionCanceledException", true},
	[DDB_RESOURCE_NOT_FOUND] = {SERVICE, "ResourceNotFoundException"},
	[DDB_RESOURCE_IN_USE] = {SERVICE, "ResourceInUseException"},
	[DDB_THROUGHPUT_EXCEEDED] = {SERVICE, "ProvisionedThroughputExceededException"},
	[DDB_COLLECTION_SIZE_EXCEEDED] = {SERVICE, "ItemCollectionSizeLimitExceededException"},
	[DDB_TRANSACTION_CONFLICT] = {SERVICE, "TransactionConflictException"},
	[DDB_IDEMPOTENT_MISMATCH] = {SERVICE, "IdempotentParameterMismatchException", true},
	[DDB_LIMIT_EXCEEDED] = {SERVICE, "LimitExceededException"},
	[DDB_DUPLICATE_ITEM] = {SERVICE, "DuplicateItemException"},
	[DDB_TRANSACTION_IN_PROGRESS] = {SERVICE, "TransactionInProgressException", true},
	[DDB_THROTTLING] = {SERVICE, "ThrottlingException"},
	[DDB_ACCESS_DENIED] = {FRAMEWORK, "AccessDeniedException", true},
	[DDB_SERIALIZATION] = {FRAMEWORK, "SerializationException", true},
	[DDB_UNKNOWN_OPERATION] = {FRAMEWORK, "UnknownOperationException", true},
};

int
ddb_sqlstate(DdbError error)
{
	return MAKE_SQLSTATE('Y', 'D', '0' + error / 100, '0' + error / 10 % 10, '0' + error % 10);
}

/* The reply body: {"__type": ..., "message": ..., members}. */
static char *
reply_body(DdbError error, const char *message, const char *members)
{
	StringInfoData body;

	initStringInfo(&body);
	appendStringInfo(&body, "{\"__type\":\"%s#%s\",\"%s\":",
					 exceptions[error].prefix, exceptions[error].name,
					 exceptions[error].capital ? "Message" : "message");
	escape_json(&body, message);
	if (members)
		appendStringInfo(&body, ",%s", members);
	appendStringInfoChar(&body, '}');
	return body.data;
}

static void raise_error(DdbError error, const char *hint, const char *members,
						const char *fmt, va_list args)
			pg_attribute_printf(4, 0) pg_attribute_noreturn();

static void
raise_error(DdbError error, const char *hint, const char *members,
			const char *fmt, va_list args)
{
	char	   *message = NULL;
	StringInfoData buf;

	initStringInfo(&buf);
	for (;;)
	{
		va_list		copy;
		int			needed;

		va_copy(copy, args);
		needed = appendStringInfoVA(&buf, fmt, copy);
		va_end(copy);
		if (needed == 0)
			break;
		enlargeStringInfo(&buf, needed);
	}
	message = buf.data;

	ereport(ERROR,
			(errcode(ddb_sqlstate(error)),
			 errmsg_internal("%s", message),
			 errdetail_internal("%s", reply_body(error, message, members)),
			 members ? errdetail_log("%s; the items are withheld from the log.",
									 exceptions[error].name) : 0,
			 hint ? errhint("%s", hint) : 0));
	pg_unreachable();
}

void
ddb_raise(DdbError error, const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	raise_error(error, NULL, NULL, fmt, args);
}

void
ddb_raise_hint(DdbError error, const char *hint, const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	raise_error(error, hint, NULL, fmt, args);
}

void
ddb_raise_reply(DdbError error, const char *members, const char *fmt,...)
{
	va_list		args;

	va_start(args, fmt);
	raise_error(error, NULL, members, fmt, args);
}
