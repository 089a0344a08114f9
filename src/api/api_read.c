/*-------------------------------------------------------------------------
 *
 * api_read.c
 *	  Query and Scan, page by page.
 *
 * The items go into the reply as they are read, so a page costs one item's
 * memory beside the reply.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"
#include "base/errors.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Which projection parameter the request has, or NULL. */
static const char *
projection_parameter(const DdbJson *request)
{
	if (ddb_json_member(request, "ProjectionExpression"))
		return "ProjectionExpression";
	return ddb_json_member(request, "AttributesToGet") ? "AttributesToGet" : NULL;
}

/* Select and the projection parameters exclude each other, but for one Select. */
static void
check_select(const DdbJson *request)
{
	const DdbJson *select = ddb_json_member(request, "Select");
	const char *projection = projection_parameter(request);

	if (select == NULL)
		return;
	if (ddb_api_member_is(request, "Select", "SPECIFIC_ATTRIBUTES"))
	{
		if (projection == NULL)
			ddb_raise(DDB_VALIDATION, "Must specify the AttributesToGet or ProjectionExpression "
					  "when choosing to get SPECIFIC_ATTRIBUTES");
		return;
	}
	if (projection)
		ddb_raise(DDB_VALIDATION, "Cannot specify the %s when choosing to get %s", projection,
				  ddb_api_member_is(request, "Select", "COUNT") ? "only the Count" :
				  pnstrdup(select->text.data, select->text.len));
	if (ddb_api_member_is(request, "Select", "ALL_PROJECTED_ATTRIBUTES") &&
		ddb_json_member(request, "IndexName") == NULL)
		ddb_raise(DDB_VALIDATION, "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName");
}

/* What Query and Scan share. */
static void
read_request(const DdbJson *request, DdbRead *read, DdbValue *start_key)
{
	const DdbJson *start = ddb_json_member(request, "ExclusiveStartKey");

	read->index_name = ddb_request_text(request, "IndexName");
	read->filter = ddb_request_text(request, "FilterExpression");
	read->projection = ddb_request_text(request, "ProjectionExpression");
	read->consistent = ddb_api_boolean(request, "ConsistentRead", false);
	read->count_only = ddb_api_member_is(request, "Select", "COUNT");
	if (ddb_api_member_is(request, "Select", "ALL_ATTRIBUTES"))
		read->select = DDB_SELECT_ALL;
	read->forward = ddb_api_boolean(request, "ScanIndexForward", true);
	read->limit = ddb_api_int_member(request, "Limit", 0);
	read->paged = true;
	read->segment = ddb_api_int_member(request, "Segment", -1);
	read->total_segments = ddb_api_int_member(request, "TotalSegments", -1);
	if (start)
	{
		*start_key = ddb_map_from_tree(start, DDB_JSON_TYPED);
		read->start_key = start_key;
	}
	ddb_read_check_segment(read);
	ddb_request_placeholders(request, &read->placeholders);
	read->relid = ddb_request_table(request);
}

/* Reads one page into the reply. */
static void
reply_page(const DdbRead *read, StringInfo reply)
{
	DdbCursor  *cursor = ddb_read_begin(read);
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "ddb page", ALLOCSET_DEFAULT_SIZES);
	MemoryContext outer = MemoryContextSwitchTo(scratch);
	DdbValue	item;
	DdbPage		page;

	if (!read->count_only)
	{
		ddb_reply_member(reply, "Items");
		appendStringInfoChar(reply, '[');
	}
	while (ddb_read_next(cursor, &item))
	{
		ddb_reply_separate(reply);
		ddb_map_to_json(reply, item, DDB_JSON_WIRE);
		MemoryContextReset(scratch);
		CHECK_FOR_INTERRUPTS();
	}
	if (!read->count_only)
		appendStringInfoChar(reply, ']');
	MemoryContextSwitchTo(outer);
	MemoryContextDelete(scratch);

	ddb_read_end(cursor, &page);
	ddb_reply_int(reply, "Count", page.count);
	ddb_reply_int(reply, "ScannedCount", page.scanned_count);
	if (page.has_last_key)
		ddb_reply_map(reply, "LastEvaluatedKey", page.last_key);
}

void
ddb_api_query(const DdbJson *request, StringInfo reply)
{
	DdbRead		read = {0};
	DdbValue	start_key;
	DdbLegacy  *legacy;

	ddb_api_check_legacy(request, API_LEGACY_QUERY);
	ddb_request_check_given(request, DDB_EXPR_BIT(DDB_EXPR_KEY_CONDITION) |
							DDB_EXPR_BIT(DDB_EXPR_FILTER) | DDB_EXPR_BIT(DDB_EXPR_PROJECTION));
	check_select(request);
	legacy = ddb_api_legacy(request, API_LEGACY_QUERY);
	read_request(request, &read, &start_key);
	read.legacy = ddb_api_legacy_keys(request, legacy);
	read.key_condition = ddb_request_text(request, "KeyConditionExpression");
	if (read.key_condition.data == NULL && ddb_json_member(request, "KeyConditions") == NULL)
		ddb_raise(DDB_VALIDATION, "Either the KeyConditions or KeyConditionExpression parameter "
				  "must be specified in the request.");
	reply_page(&read, reply);
}

void
ddb_api_scan(const DdbJson *request, StringInfo reply)
{
	DdbRead		read = {.is_scan = true};
	DdbValue	start_key;

	ddb_api_check_legacy(request, API_LEGACY_SCAN);
	ddb_request_check_given(request, DDB_EXPR_BIT(DDB_EXPR_FILTER) | DDB_EXPR_BIT(DDB_EXPR_PROJECTION));
	check_select(request);
	read.legacy = ddb_api_legacy(request, API_LEGACY_SCAN);
	read_request(request, &read, &start_key);
	reply_page(&read, reply);
}
