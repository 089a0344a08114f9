/*-------------------------------------------------------------------------
 *
 * fn_api.c
 *	  ddb.api(operation, request).
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(ddb_api);

/* The reply is built where it is returned from: a varlena from its first byte. */
Datum
ddb_api(PG_FUNCTION_ARGS)
{
	char	   *operation = text_to_cstring(PG_GETARG_TEXT_PP(0));
	text	   *request = PG_GETARG_TEXT_PP(1);
	StringInfoData reply;

	initStringInfo(&reply);
	appendStringInfoSpaces(&reply, VARHDRSZ);
	ddb_api_call(operation, VARDATA_ANY(request), VARSIZE_ANY_EXHDR(request), &reply);
	SET_VARSIZE(reply.data, reply.len);
	PG_RETURN_TEXT_P(reply.data);
}
