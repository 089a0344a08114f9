/*-------------------------------------------------------------------------
 *
 * fuzz_item.c
 *	  Any bytes as an item: either refused, or safe and canonical.
 *
 * What passes ddb_item_validate() is walked by every reader and built anew
 * from its values, which must give the same bytes: no value has two
 * spellings that both pass.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "item/item.h"
#include "shim.h"

static DdbValue rebuild(DdbValue value);

/* Reads a child again by its name or index: lookup agrees with the walk. */
static void
look_up(DdbValue parent, const DdbName *name, uint32 index, DdbValue child)
{
	DdbValue	found;

	if (parent.type == DDB_M)
		MUST(ddb_map_get(parent, name->data, name->len, &found));
	else if (parent.type == DDB_L)
		MUST(ddb_list_get(parent, index, &found));
	else
		return;
	MUST(found.data == child.data && ddb_value_equal(found, child));
}

static DdbValue
rebuild_children(DdbValue value)
{
	DdbBuilder *b = ddb_builder_begin((DdbType) value.type);
	DdbIter		it;
	DdbName		name = {NULL, 0};
	DdbValue	child;
	uint32		n = 0;

	ddb_iter_begin(&it, value);
	while (ddb_iter_next(&it, &name, &child))
	{
		look_up(value, &name, n++, child);
		if (value.type == DDB_M)
			ddb_builder_put(b, name.data, name.len, rebuild(child));
		else
			ddb_builder_add(b, rebuild(child));
		if (value.type != DDB_M)
			MUST(ddb_value_contains(value, child));
	}
	MUST(n == ddb_value_count(value));
	return ddb_builder_finish(b, DDB_DUPLICATES_ERROR);
}

static DdbValue
rebuild(DdbValue value)
{
	char		text[DDB_NUMBER_TEXT];
	uint8		number[DDB_NUMBER_BYTES];
	uint32		len;

	if (value.type >= DDB_NS)
		return rebuild_children(value);
	if (value.type != DDB_N)
		return value;

	/* A number through its text. */
	len = ddb_number_print(value.data, value.len, text);
	MUST(len == strlen(text));
	MUST(ddb_number_try_parse(text, len, number, &len) == NULL);
	return ddb_value_number(number, len);
}

/* Takes "a" and "b" for the key, if they can be, and puts them back. */
static void
split(DdbValue map)
{
	DdbKeySchema schema = {.nkeys = 2, .attr = {{1, DDB_S, "b"}, {1, DDB_N, "a"}}};
	DdbRecord	record = {.schema = &schema};
	DdbValue	whole;

	for (int k = 0; k < schema.nkeys; k++)
	{
		const DdbKeyAttr *attr = &schema.attr[k];

		if (!ddb_map_get(map, attr->name, attr->len, &whole) || whole.type != attr->type ||
			whole.len == 0)
			return;
	}
	ddb_map_split(map, &schema, &record.key, &record.map);
	whole = ddb_record_map(&record);
	MUST(ddb_value_equal(whole, map));
	MUST(ddb_record_size(&record) == ddb_map_size(map));
}

/* Reads each attribute again as from a toasted item. */
static void
read_slices(DdbItem *item, DdbValue map)
{
	struct varlena *toasted = palloc(VARSIZE(item));
	DdbIter		it;
	DdbName		name;
	DdbValue	value,
				sliced;

	/* The shim's compression compresses nothing. */
	memcpy(toasted, item, VARSIZE(item));
	SET_VARSIZE_COMPRESSED(toasted, VARSIZE(item));
	ddb_iter_begin(&it, map);
	while (ddb_iter_next(&it, &name, &value))
	{
		MUST(ddb_datum_get(PointerGetDatum(toasted), name.data, name.len, &sliced));
		MUST(ddb_value_equal(value, sliced));
	}
	MUST(!ddb_datum_get(PointerGetDatum(toasted), "", 0, &sliced));
}

static void
run(const uint8 *data, size_t size)
{
	DdbItem    *item;
	DdbValue	map;

	ddb_item_validate(data, size);
	item = palloc(VARHDRSZ + size);
	SET_VARSIZE(item, VARHDRSZ + size);
	memcpy(VARDATA(item), data, size);
	map = ddb_item_map(item);
	MUST(ddb_value_equal(map, rebuild(map)));
	MUST(ddb_value_depth(map) <= DDB_MAX_DEPTH);
	MUST(ddb_map_size(map) <= DDB_MAX_ITEM_SIZE);
	(void) ddb_value_hash(map);

	read_slices(item, map);
	split(map);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	shim_run(run, data, size);
	return 0;
}
