/*-------------------------------------------------------------------------
 *
 * item_int.h
 *	  The bytes of an item, and the few inline functions that know them.
 *
 * Only src/item/ includes this.  docs/item-format.md says the same at length.
 *
 *	item			+------+----------------+
 *					| 0x10 | body of a map  |		version 1 << 4 | flags 0
 *					+------+----------------+
 *
 *	element			+--------------+-----------+---------+
 *					| type<<4 | n  | [varint]  | payload |
 *					+--------------+-----------+---------+
 *					n < 15 is the payload's length; n = 15: a varint
 *					follows, the length is 15 more.  NULL: n = 0; BOOL: n is
 *					the value; neither has a payload.  A string of 15 to 110
 *					bytes, as most are, has one byte from 0xA0 to 0xFF before
 *					it instead.
 *
 *	short body		+------------------+-----------------------------------+
 *	of a map		| varint count<<2  | count x (varint length, name,     |
 *					|                  |          element)                 |
 *					+------------------+-----------------------------------+
 *	of a list		| varint count<<2  | count x element                   |
 *					+------------------+-----------------------------------+
 *
 *	long body		+----------------------+-------------------------------+
 *	of a map		| varint count<<2 | f  | count x (name end, offset)    |
 *					+----------------------+-------------------------------+
 *					| names, without lengths | elements, smallest first    |
 *					+------------------------+-----------------------------+
 *	of a list		+----------------------+------------------+------------+
 *					| varint count<<2 | f  | count x (offset) | elements   |
 *					+----------------------+------------------+------------+
 *					f = 1: directory fields of 2 bytes, f = 2: of 4 bytes,
 *					little-endian.  A name ends `name end` bytes after the
 *					names' start (and begins where the one before it ends); an
 *					element begins `offset` bytes after the elements' start.
 *
 *	set				+---------------+----------------------------------+
 *					| varint count  | count x (varint length, member)  |
 *					+---------------+----------------------------------+
 *
 * Names are in order of length, then of bytes; that is also the directory's
 * order.  A long map's elements lie in order of their whole length, then of
 * their names: so the first two kilobytes of a large item hold its directory
 * and everything small.  Set members are in ascending order.
 *
 * The bytes of a value are canonical.  A body is short if and only if its
 * short form takes at most DDB_SHORT_BODY bytes.  Directory fields have 2
 * bytes if and only if the names together and the elements together take at
 * most 65535 bytes each.  Varints (7 bits a byte, low ones first) have no
 * needless byte.  A number is as number.c writes it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_ITEM_INT_H
#define DDB_ITEM_INT_H

#include "item/item.h"

#define DDB_ITEM_VERSION	0x10
#define DDB_SHORT_BODY		1024	/* a linear scan of this is as quick as a search */

/*
 * No body is larger.  The item limit is counted by DynamoDB's rule, which
 * bounds the bytes only by a factor (an element of one byte may have four in
 * the directory), so this is a fence for builders, far beyond any legal item.
 */
#define DDB_MAX_BODY		(64 * 1024 * 1024)

typedef enum DdbForm
{
	DDB_FORM_SHORT = 0,
	DDB_FORM_LONG2 = 1,			/* directory fields of 2 bytes */
	DDB_FORM_LONG4 = 2,			/* of 4 bytes */
} DdbForm;
#define DDB_FORM_MASK		3
#define DDB_FORM_BITS		2

/* Bytes of one field of a long body's directory. */
#define DDB_FIELD_WIDTH(form) ((form) == DDB_FORM_LONG2 ? 2 : 4)

static inline bool
ddb_is_container(uint8 type)
{
	return type >= DDB_L;
}

static inline bool
ddb_is_set(uint8 type)
{
	return type >= DDB_NS && type <= DDB_BS;
}

/* The type of a set's members. */
static inline DdbType
ddb_member_type(uint8 set)
{
	return (DdbType) (set - DDB_NS + DDB_N);
}

/* ----- varints ----- */

extern const uint8 *ddb_varint_long(const uint8 *p, uint32 *v);

/* Reads a varint that is known to be well formed; returns what follows it. */
static inline const uint8 *
ddb_varint(const uint8 *p, uint32 *v)
{
	if (likely(*p < 0x80))
	{
		*v = *p;
		return p + 1;
	}
	return ddb_varint_long(p, v);
}

static inline uint32
ddb_varint_size(uint32 v)
{
	return v < 0x80 ? 1 : v < 0x4000 ? 2 : v < 0x200000 ? 3 : v < 0x10000000 ? 4 : 5;
}

static inline uint8 *
ddb_put_varint(uint8 *p, uint32 v)
{
	while (v >= 0x80)
	{
		*p++ = (uint8) (v | 0x80);
		v >>= 7;
	}
	*p++ = (uint8) v;
	return p;
}

/* ----- elements ----- */

/* The header of a string of 15 bytes; those up to 110 follow. */
#define DDB_STRING_HEAD		0xA0
#define DDB_STRING_LEAST	15
#define DDB_STRING_MOST		(DDB_STRING_LEAST + 0xFF - DDB_STRING_HEAD)

/* Has it a header of its own? */
static inline bool
ddb_is_middling_string(DdbType type, uint32 len)
{
	return type == DDB_S && len >= DDB_STRING_LEAST && len <= DDB_STRING_MOST;
}

/* Reads an element's header and payload; returns what follows them. */
static inline const uint8 *
ddb_element(const uint8 *p, DdbValue *value)
{
	uint8		head = *p++;
	uint32		n = head & 0x0F;

	value->type = head >> 4;
	value->boolean = false;
	if (head >= DDB_STRING_HEAD)
	{
		value->type = DDB_S;
		n = head - DDB_STRING_HEAD + DDB_STRING_LEAST;
	}
	else if (value->type <= DDB_BOOL)
	{
		value->boolean = n != 0;
		n = 0;
	}
	else if (unlikely(n == 15))
	{
		p = ddb_varint(p, &n);
		n += 15;
	}
	value->len = n;
	value->data = p;
	return p + n;
}

/* What an element of this header takes, or 0 where a varint tells (reader.c). */
extern const uint8 ddb_element_takes[256];

/* Steps over an element without looking at it. */
static inline const uint8 *
ddb_skip_element(const uint8 *p)
{
	uint32		n = ddb_element_takes[*p];

	if (likely(n != 0))
		return p + n;
	p = ddb_varint(p + 1, &n);
	return p + n + 15;
}

/* The length of the element that ddb_put_element() writes. */
static inline uint32
ddb_element_size(DdbValue value)
{
	if (value.type <= DDB_BOOL)
		return 1;
	if (value.len < 15 || ddb_is_middling_string(value.type, value.len))
		return 1 + value.len;
	return 1 + ddb_varint_size(value.len - 15) + value.len;
}

/* memcpy(), without a call for the few bytes that most names and values have. */
static inline void
ddb_copy(uint8 *to, const void *from, uint32 len)
{
	const uint8 *source = from;

	if (len > 16)
		memcpy(to, source, len);
	else if (len >= 8)
	{
		uint64		first,
					last;

		memcpy(&first, source, 8);
		memcpy(&last, source + len - 8, 8);
		memcpy(to, &first, 8);
		memcpy(to + len - 8, &last, 8);
	}
	else
	{
		for (uint32 i = 0; i < len; i++)
			to[i] = source[i];
	}
}

static inline uint8 *
ddb_put_element(uint8 *p, DdbValue value)
{
	if (value.type <= DDB_BOOL)
	{
		*p++ = (uint8) (value.type << 4 | (value.type == DDB_BOOL && value.boolean));
		return p;
	}
	if (value.len < 15)
		*p++ = (uint8) (value.type << 4 | value.len);
	else if (ddb_is_middling_string(value.type, value.len))
		*p++ = (uint8) (DDB_STRING_HEAD + value.len - DDB_STRING_LEAST);
	else
	{
		*p++ = (uint8) (value.type << 4 | 15);
		p = ddb_put_varint(p, value.len - 15);
	}
	ddb_copy(p, value.data, value.len);
	return p + value.len;
}

/* ----- directories ----- */

static inline uint32
ddb_get_field(const uint8 *p, uint32 width)
{
	if (width == 2)
		return p[0] | (uint32) p[1] << 8;
	return p[0] | (uint32) p[1] << 8 | (uint32) p[2] << 16 | (uint32) p[3] << 24;
}

static inline uint8 *
ddb_put_field(uint8 *p, uint32 width, uint32 v)
{
	p[0] = (uint8) v;
	p[1] = (uint8) (v >> 8);
	if (width == 4)
	{
		p[2] = (uint8) (v >> 16);
		p[3] = (uint8) (v >> 24);
	}
	return p + width;
}

/* The places of a long body's parts. */
typedef struct DdbLong
{
	uint32		count;
	uint32		width;			/* of a directory field */
	const uint8 *directory;
	const uint8 *names;			/* of a map; else the elements' start */
	const uint8 *elements;
} DdbLong;

static inline void
ddb_long_open(DdbLong *l, uint8 type, const uint8 *directory, uint32 count, uint32 form)
{
	l->count = count;
	l->width = DDB_FIELD_WIDTH(form);
	l->directory = directory;
	l->names = directory + (size_t) count * l->width * (type == DDB_M ? 2 : 1);
	l->elements = l->names;
	if (type == DDB_M)
		l->elements += ddb_get_field(l->names - 2 * l->width, l->width);
}

/* Where name i begins and ends, from the names' start. */
static inline uint32
ddb_long_name(const DdbLong *l, uint32 i, uint32 *end)
{
	const uint8 *entry = l->directory + (size_t) i * 2 * l->width;

	*end = ddb_get_field(entry, l->width);
	return i == 0 ? 0 : ddb_get_field(entry - 2 * l->width, l->width);
}

/* Where element i begins, from the elements' start. */
static inline uint32
ddb_long_offset(const DdbLong *l, uint8 type, uint32 i)
{
	if (type == DDB_M)
		return ddb_get_field(l->directory + ((size_t) i * 2 + 1) * l->width, l->width);
	return ddb_get_field(l->directory + (size_t) i * l->width, l->width);
}

/* The index of a name in a long map's directory, or -1. */
extern int64 ddb_long_find(const DdbLong *l, const char *name, uint32 len);

/* Memory in the buffer, behind its headroom (builder.c). */
extern uint8 *ddb_buffer_reserve(DdbItemBuffer *buffer, Size size);

/* ----- names ----- */

/*
 * The order of names: the shorter one first, then by bytes, of which the first
 * decides mostly.
 */
static inline int
ddb_name_compare(const char *a, uint32 alen, const char *b, uint32 blen)
{
	if (alen != blen)
		return alen < blen ? -1 : 1;
	if (alen > 0 && *a != *b)
		return (uint8) *a < (uint8) *b ? -1 : 1;
	return memcmp(a, b, alen);
}

/* Raises YD001 for a name that no attribute may have (builder.c). */
extern void ddb_check_name(uint32 len);

/* Is this UTF-8?  U+0000 is, unlike in PostgreSQL's text. */
extern bool ddb_utf8_valid(const uint8 *s, size_t len);

#endif							/* DDB_ITEM_INT_H */
