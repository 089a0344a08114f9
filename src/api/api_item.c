/*-------------------------------------------------------------------------
 *
 * api_item.c
 *	  PutItem, GetItem, UpdateItem, DeleteItem.
 *
 * Attributes and Item are absent from the reply when there are none.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"

static void
write_item(const DdbJson *request, DdbAction action, StringInfo reply)
{
	ApiLegacyKind kind = action == DDB_ACTION_UPDATE ? API_LEGACY_UPDATE : API_LEGACY_WRITE;
	DdbWrite	write;
	DdbWriteResult result;

	ddb_api_check_legacy(request, kind);
	ddb_request_write(request, action, &write);
	write.legacy = ddb_api_legacy(request, kind);
	ddb_write_item(&write, &result);
	if (result.has_attributes)
		ddb_reply_map(reply, "Attributes", result.attributes);
}

void
ddb_api_put_item(const DdbJson *request, StringInfo reply)
{
	write_item(request, DDB_ACTION_PUT, reply);
}

void
ddb_api_update_item(const DdbJson *request, StringInfo reply)
{
	write_item(request, DDB_ACTION_UPDATE, reply);
}

void
ddb_api_delete_item(const DdbJson *request, StringInfo reply)
{
	write_item(request, DDB_ACTION_DELETE, reply);
}

void
ddb_api_get_item(const DdbJson *request, StringInfo reply)
{
	DdbGet		get;
	DdbValue	item;

	ddb_api_check_legacy(request, API_LEGACY_GET);
	ddb_request_get(request, &get);
	get.legacy = ddb_api_legacy(request, API_LEGACY_GET);
	if (ddb_get_item(&get, &item))
		ddb_reply_map(reply, "Item", item);
}
