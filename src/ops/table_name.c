/*-------------------------------------------------------------------------
 *
 * table_name.c
 *	  How a request names a table: by its name or by its ARN.
 *
 * An ARN reads arn:aws:dynamodb:REGION:ACCOUNT:table/NAME.  Region and account
 * mean nothing here, so only the name counts; what is no ARN of a table is
 * taken as a name, which it then fails to be.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "ops/ops.h"

DdbName
ddb_request_table_name(DdbName text)
{
	static const char arn[] = "arn:";
	static const char table[] = ":table/";

	if (text.len < strlen(arn) || memcmp(text.data, arn, strlen(arn)) != 0)
		return text;
	for (uint32 i = 0; i + strlen(table) <= text.len; i++)
	{
		if (memcmp(text.data + i, table, strlen(table)) == 0)
			return (DdbName) {text.data + i + strlen(table), text.len - i - strlen(table)};
	}
	return text;
}
