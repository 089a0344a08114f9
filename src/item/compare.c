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
ddb_map_order(DdbName a, DdbName b)
{
	return ddb_name_compare(a.data, a.len, b.data, b.len);
}

/* ----------------------------------------------------------------------
 * Differences
 *
 * Most updates change little, so equal bytes are not taken apart: of two short
 * bodies, what comes before the first different byte is stepped over in one of
 * them, and the walk ends where both have only their equal ends left.
 * ---------------------------------------------------------------------- */

/* Do the eight bytes at both places differ? */
static inline uint64
word_differs(const uint8 *a, const uint8 *b)
{
	uint64		x;
	uint64		y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x ^ y;
}

/* How many bytes are equal from here on. */
static Size
equal_bytes(const uint8 *a, const uint8 *b, Size n)
{
	Size		i = 0;

	while (i + 32 <= n &&
		   (word_differs(a + i, b + i) | word_differs(a + i + 8, b + i + 8) |
			word_differs(a + i + 16, b + i + 16) | word_differs(a + i + 24, b + i + 24)) == 0)
		i += 32;
	while (i + 8 <= n && word_differs(a + i, b + i) == 0)
		i += 8;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* And how many before these ends. */
static Size
equal_bytes_before(const uint8 *a, const uint8 *b, Size n)
{
	Size		i = 0;

	while (i + 8 <= n && word_differs(a - i - 8, b - i - 8) == 0)
		i += 8;
	while (i < n && *(a - i - 1) == *(b - i - 1))
		i++;
	return i;
}

/* Both begin alike, so what is stepped over in one of them is there in the other. */
static void
skip_equal_entries(DdbSide *a, DdbSide *b, Size *tail)
{
	const uint8 *p = a->next;
	Size		n = Min(a->end - p, b->end - b->next);
	Size		equal = equal_bytes(p, b->next, n);
	const uint8 *limit = p + equal;

	*tail = equal_bytes_before(a->end, b->end, n - equal);
	while (p < a->end)
	{
		uint32		len;
		const uint8 *name = ddb_varint(p, &len);
		const uint8 *next = ddb_skip_element(name + len);

		if (next > limit)
			break;
		p = next;
	}
	b->next += p - a->next;
	a->next = p;
}

static void
side_begin(DdbSide *side, DdbValue map)
{
	ddb_iter_begin(&side->it, map);
	side->is_short = side->it.form == DDB_FORM_SHORT;
	side->next = side->it.next;
	side->end = map.data + map.len;
	side->wanted = true;
}

void
ddb_differences_begin(DdbDifferences *d, DdbValue a, DdbValue b)
{
	side_begin(&d->a, a);
	side_begin(&d->b, b);
	d->tail = 0;
	if (d->a.is_short && d->b.is_short)
		skip_equal_entries(&d->a, &d->b, &d->tail);
}

/* The side's next entry. */
static inline void
side_next(DdbSide *side)
{
	if (side->is_short)
	{
		side->has = side->next < side->end;
		if (side->has)
		{
			side->name.data = (const char *) ddb_varint(side->next, &side->name.len);
			side->next = ddb_element((const uint8 *) side->name.data + side->name.len,
									 &side->value);
		}
	}
	else
		side->has = ddb_iter_next(&side->it, &side->name, &side->value);
}

/* Are both at their ends, which are equal?  (Of a long one, `next` is its beginning.) */
static inline bool
only_tail(const DdbDifferences *d)
{
	return d->a.end - d->a.next == d->b.end - d->b.next &&
		(Size) (d->a.end - d->a.next) <= d->tail;
}

bool
ddb_differences_next(DdbDifferences *d, DdbName *name)
{
	for (;;)
	{
		int			order;

		if (d->a.wanted && d->b.wanted && only_tail(d))
			return false;
		if (d->a.wanted)
			side_next(&d->a);
		if (d->b.wanted)
			side_next(&d->b);
		if (!d->a.has && !d->b.has)
			return false;
		order = !d->a.has ? 1 : !d->b.has ? -1 :
			ddb_name_compare(d->a.name.data, d->a.name.len, d->b.name.data, d->b.name.len);
		d->a.wanted = order <= 0;
		d->b.wanted = order >= 0;
		if (order != 0 || !ddb_value_equal(d->a.value, d->b.value))
		{
			*name = order <= 0 ? d->a.name : d->b.name;
			return true;
		}
	}
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
