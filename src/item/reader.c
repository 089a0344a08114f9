/*-------------------------------------------------------------------------
 *
 * reader.c
 *	  Views of values: lookup, iteration, and one attribute of a toasted item.
 *
 * Everything here trusts its bytes: they were written by builder.c or have
 * passed ddb_item_validate().  The format is drawn in item_int.h.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "item/item_int.h"

static const char *const type_names[DDB_NTYPES] = {
	"NULL", "BOOL", "N", "S", "B", "NS", "SS", "BS", "L", "M"
};

/* By types, as drawn in item_int.h; the last six rows are strings of 15 bytes and more. */
const uint8 ddb_element_takes[256] = {
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0,
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0,
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0,
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0,
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0,
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0,
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0,
	1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
	32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
	48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
	64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79,
	80, 81, 82, 83, 84, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94, 95,
	96, 97, 98, 99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111,
};

const char *
ddb_type_name(DdbType type)
{
	return type_names[type];
}

/* Read for every value of DynamoDB JSON, hence not a search of the table. */
bool
ddb_type_from_name(const char *s, size_t len, DdbType *type)
{
	if (len == 1)
		*type = *s == 'S' ? DDB_S : *s == 'N' ? DDB_N : *s == 'B' ? DDB_B :
			*s == 'M' ? DDB_M : DDB_L;
	else if (len == 2)
		*type = *s == 'S' ? DDB_SS : *s == 'N' ? DDB_NS : DDB_BS;
	else if (len == 4)
		*type = *s == 'B' ? DDB_BOOL : DDB_NULL;
	else
		return false;
	return memcmp(s, type_names[*type], len) == 0;
}

/* A varint of two bytes or more. */
const uint8 *
ddb_varint_long(const uint8 *p, uint32 *v)
{
	uint32		result = 0;
	int			shift = 0;

	for (;;)
	{
		uint8		byte = *p++;

		result |= (uint32) (byte & 0x7F) << shift;
		if (byte < 0x80)
			break;
		shift += 7;
	}
	*v = result;
	return p;
}

/* Reads a body's first varint; returns what follows it. */
static inline const uint8 *
open_body(const uint8 *p, uint32 *count, uint32 *form)
{
	uint32		head;

	p = ddb_varint(p, &head);
	*form = head & DDB_FORM_MASK;
	*count = head >> DDB_FORM_BITS;
	return p;
}

DdbValue
ddb_item_map(const DdbItem *item)
{
	DdbValue	map;

	Assert(!VARATT_IS_EXTERNAL(item) && !VARATT_IS_COMPRESSED(item));
	map.type = DDB_M;
	map.boolean = false;
	map.len = VARSIZE_ANY_EXHDR(item) - 1;
	map.data = (const uint8 *) VARDATA_ANY(item) + 1;
	return map;
}

/*
 * Finds a name in a short body; names are in order, so most misses end early.
 * No name is empty, so where lengths agree there is a first byte.
 */
static bool
find_short(const uint8 *p, uint32 count, const char *name, uint32 len, DdbValue *value)
{
	while (count-- > 0)
	{
		uint32		n;

		p = ddb_varint(p, &n);
		if (n == len)
		{
			int			cmp = *p - (uint8) *name;

			if (cmp == 0)
				cmp = memcmp(p, name, len);
			if (cmp == 0)
			{
				ddb_element(p + n, value);
				return true;
			}
			if (cmp > 0)
				return false;
		}
		else if (n > len)
			return false;
		p = ddb_skip_element(p + n);
	}
	return false;
}

int64
ddb_long_find(const DdbLong *l, const char *name, uint32 len)
{
	uint32		low = 0,
				high = l->count;

	while (low < high)
	{
		uint32		mid = low + (high - low) / 2;
		uint32		end,
					start = ddb_long_name(l, mid, &end);
		int			cmp = ddb_name_compare(name, len, (const char *) l->names + start, end - start);

		if (cmp == 0)
			return mid;
		if (cmp < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return -1;
}

bool
ddb_map_get(DdbValue map, const char *name, uint32 len, DdbValue *value)
{
	uint32		count,
				form;
	const uint8 *p = open_body(map.data, &count, &form);
	DdbLong		l;
	int64		i;

	Assert(map.type == DDB_M);
	if (form == DDB_FORM_SHORT)
		return find_short(p, count, name, len, value);
	ddb_long_open(&l, DDB_M, p, count, form);
	i = ddb_long_find(&l, name, len);
	if (i < 0)
		return false;
	ddb_element(l.elements + ddb_long_offset(&l, DDB_M, (uint32) i), value);
	return true;
}

/* In a short body both the entries and the names wanted are in order: one walk. */
static void
find_all_short(const uint8 *p, const uint8 *end, const DdbName *names, int n, DdbValue *values)
{
	for (int i = 0; i < n; i++)
	{
		uint32		wanted = names[i].len;

		values[i].data = NULL;
		while (p < end)
		{
			uint32		len;
			const uint8 *name = ddb_varint(p, &len);

			if (len >= wanted)
			{
				int			cmp = len > wanted ? 1 : *name - (uint8) names[i].data[0];

				if (cmp == 0)
					cmp = memcmp(name, names[i].data, len);

				if (cmp == 0)
					p = ddb_element(name + len, &values[i]);
				if (cmp >= 0)
					break;
			}
			p = ddb_skip_element(name + len);
		}
	}
}

void
ddb_map_get_all(DdbValue map, const DdbName *names, int n, DdbValue *values)
{
	uint32		count,
				form;
	const uint8 *p = open_body(map.data, &count, &form);

	if (form == DDB_FORM_SHORT)
		find_all_short(p, map.data + map.len, names, n, values);
	else
	{
		for (int i = 0; i < n; i++)
		{
			if (!ddb_map_get(map, names[i].data, names[i].len, &values[i]))
				values[i].data = NULL;
		}
	}
}

bool
ddb_list_get(DdbValue list, uint32 index, DdbValue *value)
{
	uint32		count,
				form;
	const uint8 *p = open_body(list.data, &count, &form);

	Assert(list.type == DDB_L);
	if (index >= count)
		return false;
	if (form == DDB_FORM_SHORT)
	{
		while (index-- > 0)
			p = ddb_skip_element(p);
	}
	else
	{
		DdbLong		l;

		ddb_long_open(&l, DDB_L, p, count, form);
		p = l.elements + ddb_long_offset(&l, DDB_L, index);
	}
	ddb_element(p, value);
	return true;
}

uint32
ddb_value_count(DdbValue container)
{
	uint32		head;

	ddb_varint(container.data, &head);
	return ddb_is_set(container.type) ? head : head >> DDB_FORM_BITS;
}

void
ddb_iter_begin(DdbIter *it, DdbValue container)
{
	it->container = container;
	it->index = 0;
	if (ddb_is_set(container.type))
	{
		it->form = DDB_FORM_SHORT;
		it->next = ddb_varint(container.data, &it->count);
	}
	else
		it->next = open_body(container.data, &it->count, &it->form);

	/* A long list's elements lie in its own order: step over the directory. */
	if (container.type == DDB_L && it->form != DDB_FORM_SHORT)
		it->next += (size_t) it->count * DDB_FIELD_WIDTH(it->form);
}

/* The next entry of a long map: `next` stays on its directory. */
static void
next_long(DdbIter *it, DdbName *name, DdbValue *value)
{
	DdbLong		l;
	uint32		start,
				end;

	ddb_long_open(&l, DDB_M, it->next, it->count, it->form);
	start = ddb_long_name(&l, it->index, &end);
	name->data = (const char *) l.names + start;
	name->len = end - start;
	ddb_element(l.elements + ddb_long_offset(&l, DDB_M, it->index), value);
}

bool
ddb_iter_next(DdbIter *it, DdbName *name, DdbValue *value)
{
	if (it->index >= it->count)
		return false;

	if (it->container.type == DDB_L)
		it->next = ddb_element(it->next, value);
	else if (it->container.type != DDB_M)
	{
		value->type = ddb_member_type(it->container.type);
		value->boolean = false;
		value->data = ddb_varint(it->next, &value->len);
		it->next = value->data + value->len;
	}
	else if (it->form == DDB_FORM_SHORT)
	{
		const uint8 *p = ddb_varint(it->next, &name->len);

		name->data = (const char *) p;
		it->next = ddb_element(p + name->len, value);
	}
	else
		next_long(it, name, value);

	it->index++;
	return true;
}

/* ----------------------------------------------------------------------
 * One attribute of a toasted item
 *
 * Three reads at most, however large the item is: its first TOAST chunk,
 * which holds the directory and the small attributes; the rest of a directory
 * longer than that; and the value, once its place is known.
 * ---------------------------------------------------------------------- */

/* Bytes [from, from + len) of a toasted item, cut at its end. */
static const uint8 *
slice(Datum item, uint32 from, uint32 len)
{
	struct varlena *part = PG_DETOAST_DATUM_SLICE(item, from, len);

	return (const uint8 *) VARDATA_ANY(part);
}

/* The element at this offset of the item, `have` bytes of which are at p. */
static void
slice_element(Datum item, uint32 offset, const uint8 *p, uint32 have, DdbValue *value)
{
	uint32		total = (uint32) toast_raw_datum_size(item) - VARHDRSZ;
	uint32		need;

	/* The header has 6 bytes at most; one read usually brings all of it. */
	if (have < Min(6, total - offset))
	{
		have = Min(TOAST_MAX_CHUNK_SIZE, total - offset);
		p = slice(item, offset, have);
	}
	ddb_element(p, value);
	need = (uint32) (value->data - p) + value->len;
	if (need > have)
		ddb_element(slice(item, offset, need), value);
}

static bool
toasted_get(Datum item, const char *name, uint32 len, DdbValue *value)
{
	uint32		total = (uint32) toast_raw_datum_size(item) - VARHDRSZ;
	uint32		have = Min(TOAST_MAX_CHUNK_SIZE, total);
	const uint8 *p = slice(item, 0, have);
	const uint8 *directory;
	uint32		count,
				form,
				offset,
				need;
	DdbLong		l;
	int64		i;

	directory = open_body(p + 1, &count, &form);
	if (form == DDB_FORM_SHORT)
		return find_short(directory, count, name, len, value);

	/* First the directory, which says how long the names are, then those. */
	need = (uint32) (directory - p) + count * 2 * DDB_FIELD_WIDTH(form);
	for (int part = 0; part < 2; part++)
	{
		if (need > have)
		{
			have = Min(total, need + TOAST_MAX_CHUNK_SIZE);
			p = slice(item, 0, have);
			directory = open_body(p + 1, &count, &form);
		}
		ddb_long_open(&l, DDB_M, directory, count, form);
		need = (uint32) (l.elements - p);
	}

	i = ddb_long_find(&l, name, len);
	if (i < 0)
		return false;
	offset = need + ddb_long_offset(&l, DDB_M, (uint32) i);
	if (offset < have)
		slice_element(item, offset, p + offset, have - offset, value);
	else
		slice_element(item, offset, NULL, 0, value);
	return true;
}

bool
ddb_datum_get(Datum item, const char *name, uint32 len, DdbValue *value)
{
	struct varlena *attr = (struct varlena *) DatumGetPointer(item);

	if (VARATT_IS_COMPRESSED(attr) || VARATT_IS_EXTERNAL_ONDISK(attr))
		return toasted_get(item, name, len, value);
	if (VARATT_IS_EXTERNAL(attr))
		attr = PG_DETOAST_DATUM(item);
	return ddb_map_get(ddb_item_map(attr), name, len, value);
}
