/*-------------------------------------------------------------------------
 *
 * fuzz_json.c
 *	  Any text as JSON, DynamoDB's (FUZZ_FORM=DDB_JSON_TYPED) or plain.
 *
 * What is read must come out as text that is read as the same bytes, and the
 * way through a tree must agree with the straight one.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "item/item.h"
#include "shim.h"

static void
run(const uint8 *data, size_t size)
{
	const char *text = (const char *) data;
	StringInfoData out;
	DdbValue	map = ddb_map_from_json(text, size, FUZZ_FORM);
	DdbValue	again;
	DdbItem    *item;

	MUST(ddb_value_equal(map, ddb_map_from_tree(ddb_json_parse(text, size), FUZZ_FORM)));
	initStringInfo(&out);
	ddb_map_to_json(&out, map, FUZZ_FORM);
	again = ddb_map_from_json(out.data, out.len, FUZZ_FORM);
	MUST(ddb_value_equal(map, again));

	item = ddb_item_from_map(map);
	if (ddb_map_size(map) <= DDB_MAX_ITEM_SIZE && ddb_value_depth(map) <= DDB_MAX_DEPTH)
		ddb_item_validate((const uint8 *) VARDATA(item), VARSIZE(item) - VARHDRSZ);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	shim_run(run, data, size);
	return 0;
}
