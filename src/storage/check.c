/*-------------------------------------------------------------------------
 *
 * check.c
 *	  What the access method demands of a row, on whatever path it comes.
 *
 * Key values live in their columns only.  An item that holds a key attribute
 * is refused, unless its value is the column's: then the attribute is dropped
 * (a whole item may be inserted as it is).  Keys and attributes together obey
 * the size limit.
 *
 * A table has these rules once it has its key index, which is what names the
 * key attributes: a restore loads rows first, from a table that had them.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "base/errors.h"
#include "storage/storage_int.h"

void
ddb_raise_null(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_NOT_NULL_VIOLATION),
			 errmsg("a row of a ddb table has a null")));
}

static AttrNumber
key_column(const DdbFacts *facts, int which)
{
	return which == 0 ? facts->pk : facts->sk;
}

/* Does the item hold this key attribute?  If so it must equal the column. */
static bool
holds_key(const DdbFacts *facts, int which, TupleTableSlot *slot, Datum item)
{
	const DdbKeyAttr *attr = &facts->schema.attr[which];
	Datum		column = slot->tts_values[key_column(facts, which) - 1];
	DdbValue	value;

	if (likely(!ddb_datum_get(item, attr->name, attr->len, &value)))
		return false;
	if (!ddb_value_equal(value, ddb_key_from_datum(attr->type, column)))
		ddb_raise_hint(DDB_VALIDATION,
					   "Key attributes are kept in their columns and need not be in the item.",
					   "One or more parameter values were invalid: The key attribute %s in the item differs from its column",
					   attr->name);
	return true;
}

/* The same row, its item without the key attributes. */
static void
drop_keys(const DdbFacts *facts, TupleTableSlot *slot)
{
	TupleDesc	desc = slot->tts_tupleDescriptor;
	Datum	   *values = palloc(sizeof(Datum) * desc->natts);
	DdbBuilder *b = ddb_builder_begin(DDB_M);
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	memcpy(values, slot->tts_values, sizeof(Datum) * desc->natts);
	ddb_iter_begin(&it, ddb_item_map(PG_DETOAST_DATUM_PACKED(values[facts->item - 1])));
	while (ddb_iter_next(&it, &name, &value))
	{
		bool		is_key = false;

		for (int k = 0; k < facts->schema.nkeys; k++)
			is_key |= facts->schema.attr[k].len == name.len &&
				memcmp(facts->schema.attr[k].name, name.data, name.len) == 0;
		if (!is_key)
			ddb_builder_put(b, name.data, name.len, value);
	}
	value = ddb_builder_finish(b, DDB_DUPLICATES_ERROR);
	values[facts->item - 1] = PointerGetDatum(ddb_item_from_map(value));
	ExecForceStoreHeapTuple(heap_form_tuple(desc, values, slot->tts_isnull), slot, true);
	slot_getallattrs(slot);
}

/* Is the size of a row so close to the limit that it must be counted? */
static bool
may_be_too_large(Datum item)
{
	Size		keys = DDB_MAX_PARTITION_KEY + DDB_MAX_SORT_KEY + 2 * DDB_MAX_KEY_NAME;

	return toast_raw_datum_size(item) > (DDB_MAX_ITEM_SIZE - keys) / 4;
}

static void
check_size(const DdbFacts *facts, TupleTableSlot *slot, Datum item)
{
	DdbRecord	record = {.schema = &facts->schema};

	for (int k = 0; k < facts->schema.nkeys; k++)
		record.key.values[k] = ddb_key_from_datum(facts->schema.attr[k].type,
												  slot->tts_values[key_column(facts, k) - 1]);
	record.map = ddb_item_map(PG_DETOAST_DATUM_PACKED(item));
	ddb_check_item_size(ddb_record_size(&record));
}

void
ddb_check_row(const DdbFacts *facts, TupleTableSlot *slot)
{
	bool		held = false;
	Datum		item;

	if (!OidIsValid(facts->key_index))
		return;
	slot_getallattrs(slot);
	if (slot->tts_isnull[facts->item - 1])
		return;
	item = slot->tts_values[facts->item - 1];
	for (int k = 0; k < facts->schema.nkeys; k++)
		held |= holds_key(facts, k, slot, item);
	if (unlikely(held))
	{
		drop_keys(facts, slot);
		item = slot->tts_values[facts->item - 1];
	}
	if (unlikely(may_be_too_large(item)))
		check_size(facts, slot, item);
}
