/*-------------------------------------------------------------------------
 *
 * compare.c
 *	  Equality, order, hash and size of values.
 *
 * The bytes are canonical, so equality and hashing look at nothing else; a
 * number's bytes are in numeric order, so ordering does not either.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "common/hashfn.h"
#include "item/item_int.h"
#include "miscadmin.h"

bool
ddb_value_equal(DdbValue a, DdbValue b)
{
	return a.type == b.type && a.boolean == b.boolean && a.len == b.len &&
		(a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

int
ddb_map_differences(DdbValue a, DdbValue b, DdbName *names, int max)
{
	DdbIter		in_a;
	DdbIter		in_b;
	DdbName		name_a;
	DdbName		name_b;
	DdbValue	value_a;
	DdbValue	value_b;
	bool		has_a;
	bool		has_b;
	int			n = 0;

	ddb_iter_begin(&in_a, a);
	ddb_iter_begin(&in_b, b);
	has_a = ddb_iter_next(&in_a, &name_a, &value_a);
	has_b = ddb_iter_next(&in_b, &name_b, &value_b);
	while ((has_a || has_b) && n <= max)
	{
		int			order = !has_a ? 1 : !has_b ? -1 :
			ddb_name_compare(name_a.data, name_a.len, name_b.data, name_b.len);

		if (order != 0 || !ddb_value_equal(value_a, value_b))
		{
			if (n < max)
				names[n] = order <= 0 ? name_a : name_b;
			n++;
		}
		if (order <= 0)
			has_a = ddb_iter_next(&in_a, &name_a, &value_a);
		if (order >= 0)
			has_b = ddb_iter_next(&in_b, &name_b, &value_b);
	}
	return n;
}

int
ddb_value_compare(DdbValue a, DdbValue b)
{
	uint32		common = Min(a.len, b.len);
	int			cmp = common == 0 ? 0 : memcmp(a.data, b.data, common);

	Assert(a.type == b.type && a.type >= DDB_N && a.type <= DDB_B);
	if (cmp != 0)
		return cmp;
	return a.len < b.len ? -1 : a.len > b.len;
}

bool
ddb_value_after_prefix(DdbValue prefix, DdbValue *next)
{
	uint8	   *bytes = palloc(prefix.len + 1);
	uint32		len = prefix.len;

	memcpy(bytes, prefix.data, len);
	while (len > 0 && bytes[len - 1] == 0xFF)
		len--;
	if (len == 0)
		return false;
	bytes[len - 1]++;
	*next = prefix;
	next->data = bytes;
	next->len = len;
	return true;
}

bool
ddb_value_contains(DdbValue container, DdbValue member)
{
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	if (ddb_is_set(container.type) && member.type != ddb_member_type(container.type))
		return false;
	ddb_iter_begin(&it, container);
	while (ddb_iter_next(&it, &name, &value))
	{
		if (ddb_value_equal(value, member))
			return true;
	}
	return false;
}

uint64
ddb_value_hash(DdbValue value)
{
	uint64		seed = (uint64) value.type << 1 | value.boolean;

	return hash_bytes_extended(value.data, (int) value.len, seed);
}

/*
 * DynamoDB's size of a value.  Measured on the service, a number costs one
 * byte and one more for each pair of digits counted from the decimal point,
 * and one if it is negative: what our bytes take too.  A list or map costs
 * three bytes and one for each element or entry.
 */
uint32
ddb_value_size(DdbValue value)
{
	uint32		size = 0;
	DdbIter		it;
	DdbName		name;
	DdbValue	child;

	if (value.type <= DDB_BOOL)
		return 1;
	if (value.type <= DDB_B)
		return value.len;

	check_stack_depth();
	if (value.type == DDB_M)
		return 3 + ddb_value_count(value) + ddb_map_size(value);
	if (value.type == DDB_L)
		size = 3 + ddb_value_count(value);
	ddb_iter_begin(&it, value);
	while (ddb_iter_next(&it, &name, &child))
		size += ddb_value_size(child);
	return size;
}

uint32
ddb_map_size(DdbValue map)
{
	uint32		size = 0;
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	ddb_iter_begin(&it, map);
	while (ddb_iter_next(&it, &name, &value))
		size += name.len + ddb_value_size(value);
	return size;
}

void
ddb_check_item_size(uint64 size)
{
	if (size > DDB_MAX_ITEM_SIZE)
		ddb_raise(DDB_VALIDATION, "Item size has exceeded the maximum allowed size");
}

DdbValue
ddb_map_check_size(DdbValue map)
{
	/* No size is more than four times the bytes (an empty list in a list). */
	if (map.len > DDB_MAX_ITEM_SIZE / 4)
		ddb_check_item_size(ddb_map_size(map));
	return map;
}

int
ddb_value_depth(DdbValue value)
{
	int			depth = 0;
	DdbIter		it;
	DdbName		name;
	DdbValue	child;

	if (!ddb_is_container(value.type))
		return 0;
	check_stack_depth();
	ddb_iter_begin(&it, value);
	while (ddb_iter_next(&it, &name, &child))
	{
		int			below = ddb_value_depth(child);

		depth = Max(depth, below);
	}
	return depth + 1;
}
