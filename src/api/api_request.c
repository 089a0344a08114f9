/*-------------------------------------------------------------------------
 *
 * api_request.c
 *	  Reads members of a checked request, and the rules between them that only
 *	  the API knows.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"

const DdbJson *
ddb_api_member(const DdbJson *structure, const char *name)
{
	const DdbJson *member = ddb_json_get(structure, name);

	return member && member->type != DDB_JSON_NULL ? member : NULL;
}

bool
ddb_api_member_is(const DdbJson *structure, const char *name, const char *value)
{
	const DdbJson *member = ddb_api_member(structure, name);

	return member && member->text.len == strlen(value) &&
		memcmp(member->text.data, value, member->text.len) == 0;
}

bool
ddb_api_boolean(const DdbJson *structure, const char *name, bool absent)
{
	const DdbJson *member = ddb_api_member(structure, name);

	return member ? member->type == DDB_JSON_TRUE : absent;
}

int64
ddb_api_int_member(const DdbJson *structure, const char *name, int64 absent)
{
	const DdbJson *member = ddb_api_member(structure, name);

	return member ? ddb_api_integer(member) : absent;
}
