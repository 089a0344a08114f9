/*-------------------------------------------------------------------------
 *
 * patch.c
 *	  A map with some of its entries changed.
 *
 * An update touches few attributes, so what it does not touch should cost no
 * more than its bytes.  In a short body the entries between two changes are
 * copied as they lie; a long one goes through a builder, because a change
 * moves its whole directory anyway.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "item/item_int.h"

static int
compare_changes(const void *a, const void *b)
{
	const DdbName *x = &((const DdbMapChange *) a)->name;
	const DdbName *y = &((const DdbMapChange *) b)->name;

	return ddb_name_compare(x->data, x->len, y->data, y->len);
}

static uint8 *
put_entry(uint8 *p, DdbName name, DdbValue value)
{
	p = ddb_put_varint(p, name.len);
	memcpy(p, name.data, name.len);
	return ddb_put_element(p + name.len, value);
}

void
ddb_map_append(StringInfo out, const DdbName *names, const DdbValue *values, int n)
{
	Size		size = 5;
	uint32		count = 0;
	uint8	   *p;

	for (int i = 0; i < n; i++)
	{
		if (values[i].data == NULL)
			continue;
		size += 5 + names[i].len + ddb_element_size(values[i]);
		count++;
	}
	enlargeStringInfo(out, size);
	p = ddb_put_varint((uint8 *) out->data + out->len, count << DDB_FORM_BITS | DDB_FORM_SHORT);
	for (int i = 0; i < n; i++)
	{
		if (values[i].data != NULL)
			p = put_entry(p, names[i], values[i]);
	}
	out->len = (char *) p - out->data;
}

static uint8 *
put_run(uint8 *p, const uint8 *from, const uint8 *to)
{
	memcpy(p, from, to - from);
	return p + (to - from);
}

/* Merges changes into the entries from .. end; counts the entries written. */
static uint8 *
merge_short(const uint8 *from, const uint8 *end, uint32 *count,
			const DdbMapChange *change, uint32 n, uint8 *p)
{
	const uint8 *copied = from;

	while (n > 0 && from < end)
	{
		uint32		len;
		const uint8 *name = ddb_varint(from, &len);
		int			cmp = ddb_name_compare((const char *) name, len,
										   change->name.data, change->name.len);

		if (cmp < 0)
		{
			from = ddb_skip_element(name + len);
			continue;
		}
		p = put_run(p, copied, from);
		if (cmp == 0)
		{
			from = ddb_skip_element(name + len);
			(*count)--;
		}
		copied = from;
		if (!change->remove)
		{
			p = put_entry(p, change->name, change->value);
			(*count)++;
		}
		change++;
		n--;
	}
	p = put_run(p, copied, end);
	for (; n > 0; change++, n--)
	{
		if (change->remove)
			continue;
		p = put_entry(p, change->name, change->value);
		(*count)++;
	}
	return p;
}

/* False when the map is not short, before or after. */
static bool
patch_short(DdbValue map, const DdbMapChange *changes, uint32 n, DdbValue *result)
{
	uint32		head;
	const uint8 *entries = ddb_varint(map.data, &head);
	uint32		count = head >> DDB_FORM_BITS;
	uint32		reserved = ddb_varint_size((count + n) << DDB_FORM_BITS);
	Size		bound = map.len + reserved;
	uint32		used;
	uint8	   *body,
			   *end;

	if ((head & DDB_FORM_MASK) != DDB_FORM_SHORT)
		return false;
	for (uint32 i = 0; i < n; i++)
	{
		if (!changes[i].remove)
			bound += 5 + changes[i].name.len + ddb_element_size(changes[i].value);
	}
	if (bound > 2 * DDB_SHORT_BODY)
		return false;

	body = palloc(bound);
	end = merge_short(entries, map.data + map.len, &count, changes, n, body + reserved);
	used = ddb_varint_size(count << DDB_FORM_BITS);
	if (used + (end - (body + reserved)) > DDB_SHORT_BODY)
	{
		pfree(body);
		return false;
	}
	if (used < reserved)
		memmove(body + used, body + reserved, end - (body + reserved));
	ddb_put_varint(body, count << DDB_FORM_BITS);
	*result = map;
	result->data = body;
	result->len = end - body - (reserved - used);
	return true;
}

static void
put_change(DdbBuilder *b, const DdbMapChange *change)
{
	if (!change->remove)
		ddb_builder_put(b, change->name.data, change->name.len, change->value);
}

static DdbValue
patch_long(DdbValue map, const DdbMapChange *change, uint32 n)
{
	DdbBuilder *b = ddb_builder_begin(DDB_M);
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	ddb_iter_begin(&it, map);
	while (ddb_iter_next(&it, &name, &value))
	{
		int			cmp = 1;

		while (n > 0 && (cmp = ddb_name_compare(change->name.data, change->name.len,
												name.data, name.len)) <= 0)
		{
			put_change(b, change++);
			n--;
			if (cmp == 0)
				break;
		}
		if (cmp != 0)
			ddb_builder_put(b, name.data, name.len, value);
	}
	for (; n > 0; n--)
		put_change(b, change++);
	return ddb_builder_finish(b, DDB_DUPLICATES_ERROR);
}

DdbValue
ddb_map_patch(DdbValue map, DdbMapChange *changes, uint32 n)
{
	DdbValue	result;

	Assert(map.type == DDB_M);
	for (uint32 i = 0; i < n; i++)
		ddb_check_name(changes[i].name.len);
	if (n > 1)
		qsort(changes, n, sizeof(DdbMapChange), compare_changes);
	if (patch_short(map, changes, n, &result))
		return result;
	return patch_long(map, changes, n);
}
