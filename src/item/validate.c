/*-------------------------------------------------------------------------
 *
 * validate.c
 *	  Distrust of bytes: is this an item as builder.c would have written it?
 *
 * Every reader believes what it reads, so bytes that come from outside must
 * pass here first.  Nothing is read before it is known to lie inside, all
 * arithmetic on lengths is done on what remains (never on sums that could
 * wrap), and whatever has two spellings is refused in all but one.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "item/item_int.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

/* What remains to be read. */
typedef struct Bytes
{
	const uint8 *p;
	const uint8 *end;
} Bytes;

static void refuse(const char *why) pg_attribute_noreturn();

static void
refuse(const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid item"),
			 errdetail_internal("%s", why)));
	pg_unreachable();
}

static inline size_t
remaining(const Bytes *in)
{
	return in->end - in->p;
}

static const uint8 *
take(Bytes *in, size_t len)
{
	const uint8 *p = in->p;

	if (len > remaining(in))
		refuse("The bytes end too early.");
	in->p += len;
	return p;
}

static uint32
take_varint(Bytes *in)
{
	uint64		v = 0;
	int			shift = 0;
	uint8		byte;

	do
	{
		byte = *take(in, 1);
		v |= (uint64) (byte & 0x7F) << shift;
		shift += 7;
	} while (byte >= 0x80 && shift < 35);
	if (byte >= 0x80 || v > PG_UINT32_MAX || (byte == 0 && shift > 7))
		refuse("A length or count is malformed.");
	return (uint32) v;
}

bool
ddb_utf8_valid(const uint8 *s, size_t len)
{
	while (len > 0)
	{
		/* PostgreSQL's check stops at a NUL, which our strings may hold. */
		size_t		good = pg_encoding_verifymbstr(PG_UTF8, (const char *) s, (int) len);

		if (good < len)
		{
			if (s[good] != '\0')
				return false;
			good++;
		}
		s += good;
		len -= good;
	}
	return true;
}

static void
check_scalar(DdbValue value)
{
	if (value.type == DDB_S && !ddb_utf8_valid(value.data, value.len))
		refuse("A string is not valid UTF-8.");
	if (value.type == DDB_N && !ddb_number_valid(value.data, value.len))
		refuse("A number is malformed.");
}

static void
check_set(DdbValue set)
{
	Bytes		in = {set.data, set.data + set.len};
	uint32		count = take_varint(&in);
	DdbValue	last = {.type = DDB_NULL};

	if (count == 0)
		refuse("A set is empty.");
	for (uint32 i = 0; i < count; i++)
	{
		DdbValue	member = {.type = ddb_member_type(set.type)};

		member.len = take_varint(&in);
		member.data = take(&in, member.len);
		check_scalar(member);
		if (i > 0 && ddb_value_compare(last, member) >= 0)
			refuse("A set is not in ascending order.");
		last = member;
	}
	if (remaining(&in) > 0)
		refuse("A set is longer than its members.");
}

static void check_body(DdbValue container, int depth);

/* Reads and checks an element; returns its whole length. */
static uint32
take_element(Bytes *in, int depth)
{
	const uint8 *start = in->p;
	uint8		head = *take(in, 1);
	DdbValue	value = {.type = head >> 4};

	value.len = head & 0x0F;
	if (head >= DDB_STRING_HEAD)
	{
		value.type = DDB_S;
		value.len = head - DDB_STRING_HEAD + DDB_STRING_LEAST;
	}
	if (value.type <= DDB_BOOL)
	{
		if (value.len > value.type)
			refuse("A NULL or BOOL is malformed.");
		return 1;
	}
	if (value.len == 15 && head < DDB_STRING_HEAD)
	{
		uint32		more = take_varint(in);

		if (more > DDB_MAX_BODY)
			refuse("A value is too long.");
		value.len += more;
		if (ddb_is_middling_string(value.type, value.len))
			refuse("A header is longer than it need be.");
	}
	value.data = take(in, value.len);
	if (ddb_is_set(value.type))
		check_set(value);
	else if (ddb_is_container(value.type))
		check_body(value, depth + 1);
	else
		check_scalar(value);
	return (uint32) (in->p - start);
}

static void
check_name(DdbName name, DdbName last, bool first)
{
	if (name.len == 0 || name.len > DDB_MAX_NAME)
		refuse("An attribute name is empty or too long.");
	if (!ddb_utf8_valid((const uint8 *) name.data, name.len))
		refuse("An attribute name is not valid UTF-8.");
	if (!first && ddb_name_compare(last.data, last.len, name.data, name.len) >= 0)
		refuse("Attribute names are out of order.");
}

static void
check_short(DdbValue container, Bytes *in, uint32 count, int depth)
{
	DdbName		last = {NULL, 0};

	if (container.len > DDB_SHORT_BODY)
		refuse("A short body is too long.");
	for (uint32 i = 0; i < count; i++)
	{
		if (container.type == DDB_M)
		{
			DdbName		name;

			name.len = take_varint(in);
			name.data = (const char *) take(in, name.len);
			check_name(name, last, i == 0);
			last = name;
		}
		take_element(in, depth);
	}
}

/* The names of a long map; returns the bytes that a short form adds to them. */
static uint64
check_long_names(const DdbLong *l, Bytes *in)
{
	DdbName		last = {NULL, 0};
	uint32		begin = 0;
	uint64		prefixes = 0;

	for (uint32 i = 0; i < l->count; i++)
	{
		DdbName		name;
		uint32		end = ddb_get_field(l->directory + (size_t) i * 2 * l->width, l->width);

		if (end < begin)
			refuse("A directory is malformed.");
		name.len = end - begin;
		name.data = (const char *) take(in, name.len);
		check_name(name, last, i == 0);
		prefixes += ddb_varint_size(name.len);
		last = name;
		begin = end;
	}
	return prefixes;
}

/* (offset << 32 | index) of each directory entry, in ascending order. */
static int
qsort_places(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a,
				y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/*
 * The elements of a long body: each begins where the one before it ends, in
 * the order of the list, or of a map's element sizes and then names.
 */
static void
check_long_elements(const DdbLong *l, uint8 type, Bytes *in, int depth)
{
	const uint8 *start = in->p;
	uint64	   *places = palloc_extended(l->count * sizeof(uint64), MCXT_ALLOC_HUGE);
	uint32		last_size = 0;
	uint32		last_index = 0;

	for (uint32 i = 0; i < l->count; i++)
		places[i] = (uint64) ddb_long_offset(l, type, i) << 32 | i;
	if (type == DDB_M)
		qsort(places, l->count, sizeof(uint64), qsort_places);

	for (uint32 i = 0; i < l->count; i++)
	{
		uint32		offset = (uint32) (places[i] >> 32);
		uint32		index = (uint32) places[i];
		uint32		size;

		if (offset != (size_t) (in->p - start))
			refuse("A directory does not fit its elements.");
		size = take_element(in, depth);
		if (type == DDB_M && (size < last_size || (size == last_size && index < last_index)))
			refuse("Elements are not in order of size.");
		last_size = size;
		last_index = index;
	}
	pfree(places);
}

static void
check_long(DdbValue container, Bytes *in, uint32 count, uint32 form, int depth)
{
	bool		map = container.type == DDB_M;
	size_t		entry = DDB_FIELD_WIDTH(form) * (map ? 2 : 1);
	DdbLong		l;
	const uint8 *names;
	uint64		size = ddb_varint_size(count << DDB_FORM_BITS);

	/* Each entry needs more than a byte, so this bounds the count as well. */
	if (count == 0 || count > remaining(in) / entry)
		refuse("A directory is too long.");
	l.count = count;
	l.width = DDB_FIELD_WIDTH(form);
	l.directory = take(in, count * entry);

	names = in->p;
	if (map)
		size += check_long_names(&l, in);
	l.names = names;
	l.elements = in->p;
	check_long_elements(&l, container.type, in, depth);

	if (size + (in->p - names) <= DDB_SHORT_BODY)
		refuse("A long body should be short.");
	if ((form == DDB_FORM_LONG2) !=
		(Max(l.elements - names, in->p - l.elements) <= PG_UINT16_MAX))
		refuse("A directory has the wrong width.");
}

static void
check_body(DdbValue container, int depth)
{
	Bytes		in = {container.data, container.data + container.len};
	uint32		head;
	uint32		form;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (depth > DDB_MAX_DEPTH)
		refuse("Lists and maps are nested too deeply.");
	head = take_varint(&in);
	form = head & DDB_FORM_MASK;
	if (form == DDB_FORM_SHORT)
		check_short(container, &in, head >> DDB_FORM_BITS, depth);
	else if (form <= DDB_FORM_LONG4)
		check_long(container, &in, head >> DDB_FORM_BITS, form, depth);
	else
		refuse("A form is unknown.");
	if (remaining(&in) > 0)
		refuse("A list or map is longer than its contents.");
}

void
ddb_item_validate(const uint8 *data, size_t len)
{
	DdbValue	map = {.type = DDB_M};

	if (len < 2 || data[0] != DDB_ITEM_VERSION)
		refuse("The version is unknown.");
	if (len - 1 > DDB_MAX_BODY)
		refuse("The item is too large.");
	map.data = data + 1;
	map.len = (uint32) (len - 1);
	check_body(map, 1);
	if (ddb_map_size(map) > DDB_MAX_ITEM_SIZE)
		refuse("The item is too large.");
}
