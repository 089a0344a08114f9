/*-------------------------------------------------------------------------
 *
 * api_reply.c
 *	  Writes replies: JSON appended to one buffer, as it goes out.
 *
 * The buffer itself remembers whether a comma is due: what stands before the
 * next member is either the bracket that opened the container or a member.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"

void
ddb_reply_separate(StringInfo reply)
{
	char		last = reply->data[reply->len - 1];

	if (last != '{' && last != '[')
		appendStringInfoChar(reply, ',');
}

void
ddb_reply_member(StringInfo reply, const char *name)
{
	ddb_reply_separate(reply);
	ddb_json_string(reply, name, strlen(name));
	appendStringInfoChar(reply, ':');
}

void
ddb_reply_text(StringInfo reply, const char *name, const char *value)
{
	ddb_reply_member(reply, name);
	ddb_json_string(reply, value, strlen(value));
}

void
ddb_reply_int(StringInfo reply, const char *name, int64 value)
{
	ddb_reply_member(reply, name);
	appendStringInfo(reply, INT64_FORMAT, value);
}

void
ddb_reply_map(StringInfo reply, const char *name, DdbValue map)
{
	ddb_reply_member(reply, name);
	ddb_map_to_json(reply, map, DDB_JSON_WIRE);
}
