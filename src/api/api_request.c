/*-------------------------------------------------------------------------
 *
 * api_request.c
 *	  Reads members of a checked request.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"

bool
ddb_api_member_is(const DdbJson *structure, const char *name, const char *value)
{
	const DdbJson *member = ddb_json_member(structure, name);

	return member && member->text.len == strlen(value) &&
		memcmp(member->text.data, value, member->text.len) == 0;
}

bool
ddb_api_boolean(const DdbJson *structure, const char *name, bool absent)
{
	const DdbJson *member = ddb_json_member(structure, name);

	return member ? member->type == DDB_JSON_TRUE : absent;
}

/* A JSON number as the service reads it into a Long: cut to an integer. */
int64
ddb_api_integer(const DdbJson *number)
{
	char		buf[64];
	double		d;

	if (number->text.len >= sizeof(buf))
		return number->text.data[0] == '-' ? PG_INT64_MIN : PG_INT64_MAX;
	memcpy(buf, number->text.data, number->text.len);
	buf[number->text.len] = '\0';
	if (strpbrk(buf, ".eE") == NULL)
		return strtoll(buf, NULL, 10);	/* saturates */
	d = strtod(buf, NULL);
	if (d >= (double) PG_INT64_MAX)
		return PG_INT64_MAX;
	return d <= (double) PG_INT64_MIN ? PG_INT64_MIN : (int64) d;
}

int64
ddb_api_int_member(const DdbJson *structure, const char *name, int64 absent)
{
	const DdbJson *member = ddb_json_member(structure, name);

	return member ? ddb_api_integer(member) : absent;
}
