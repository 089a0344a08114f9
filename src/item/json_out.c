/*-------------------------------------------------------------------------
 *
 * json_out.c
 *	  JSON from values.
 *
 * This is where most of the time of showing items goes, so: one buffer, no
 * allocation per value, strings in runs up to the next character that needs
 * an escape, punctuation and type tags as ready-made pieces.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "item/json_int.h"
#include "miscadmin.h"

/* Room for `size` more bytes and a NUL; returns where to write them. */
static inline char *
room(StringInfo out, int size)
{
	if (unlikely(out->maxlen - out->len <= size))
		enlargeStringInfo(out, size);
	return out->data + out->len;
}

/* Ends what room() began. */
static inline void
written(StringInfo out, char *end)
{
	out->len = end - out->data;
	*end = '\0';
}

static inline void
put(StringInfo out, const char *piece, size_t len)
{
	char	   *p = room(out, len);

	memcpy(p, piece, len);
	written(out, p + len);
}

#define PUT(out, literal) put(out, literal, sizeof(literal) - 1)

/* ----------------------------------------------------------------------
 * Strings
 * ---------------------------------------------------------------------- */

#define ONES(x)	(UINT64CONST(0x0101010101010101) * (x))

/* Steps over bytes that need no escape; high bytes are UTF-8 and need none. */
static inline const char *
skip_plain(const char *s, const char *end)
{
	while (end - s >= 8)
	{
		uint64		w;
		uint64		quote;
		uint64		slash;

		memcpy(&w, s, 8);
		quote = w ^ ONES('"');
		slash = w ^ ONES('\\');
		if (((((quote - ONES(1)) & ~quote) | ((slash - ONES(1)) & ~slash) |
			  ((w - ONES(0x20)) & ~w)) & ONES(0x80)) != 0)
			break;
		s += 8;
	}
	while (s < end && (uint8) *s >= 0x20 && *s != '"' && *s != '\\')
		s++;
	return s;
}

/* Writes one escape, at most 6 bytes; returns its end. */
static char *
escape(char *p, char c)
{
	static const char hex[] = "0123456789abcdef";
	const char *letter = c == '\0' ? NULL : strchr("\"\"\\\\\bb\ff\nn\rr\tt", c);

	*p++ = '\\';
	if (letter)
		*p++ = letter[1];
	else
	{
		memcpy(p, "u00", 3);
		p[3] = hex[(uint8) c >> 4];
		p[4] = hex[c & 15];
		p += 5;
	}
	return p;
}

void
ddb_json_string(StringInfo out, const char *s, uint32 len)
{
	const char *end = s + len;
	char	   *p = room(out, len + 2);

	*p++ = '"';
	for (;;)
	{
		const char *stop = skip_plain(s, end);

		memcpy(p, s, stop - s);
		p += stop - s;
		if (stop == end)
			break;
		written(out, p);
		p = room(out, end - stop + 7);
		p = escape(p, *stop);
		s = stop + 1;
	}
	*p++ = '"';
	written(out, p);
}

/* ----------------------------------------------------------------------
 * Values
 * ---------------------------------------------------------------------- */

static void write_value(StringInfo out, DdbValue value, DdbJsonForm form);

static void
write_number(StringInfo out, DdbValue value, DdbJsonForm form)
{
	char	   *p = room(out, DDB_NUMBER_TEXT + 2);

	if (form == DDB_JSON_TYPED)
		*p++ = '"';
	p += ddb_number_print(value.data, value.len, p);
	if (form == DDB_JSON_TYPED)
		*p++ = '"';
	written(out, p);
}

static void
write_map(StringInfo out, DdbValue map, DdbJsonForm form)
{
	DdbIter		it;
	DdbName		name;
	DdbValue	value;
	bool		first = true;

	CHECK_FOR_INTERRUPTS();
	PUT(out, "{");
	ddb_iter_begin(&it, map);
	while (ddb_iter_next(&it, &name, &value))
	{
		if (!first)
			PUT(out, ", ");
		first = false;
		ddb_json_string(out, name.data, name.len);
		PUT(out, ": ");
		ddb_value_to_json(out, value, form);
	}
	PUT(out, "}");
}

/* The elements of a list, the members of a set (which have no tag of their own). */
static void
write_array(StringInfo out, DdbValue array, DdbJsonForm form)
{
	DdbIter		it;
	DdbName		name;
	DdbValue	value;
	bool		first = true;

	CHECK_FOR_INTERRUPTS();
	PUT(out, "[");
	ddb_iter_begin(&it, array);
	while (ddb_iter_next(&it, &name, &value))
	{
		if (!first)
			PUT(out, ", ");
		first = false;
		if (array.type == DDB_L)
			ddb_value_to_json(out, value, form);
		else
			write_value(out, value, form);
	}
	PUT(out, "]");
}

/* The value without its tag. */
static void
write_value(StringInfo out, DdbValue value, DdbJsonForm form)
{
	switch ((DdbType) value.type)
	{
		case DDB_NULL:
			if (form == DDB_JSON_TYPED)
				PUT(out, "true");
			else
				PUT(out, "null");
			break;
		case DDB_BOOL:
			if (value.boolean)
				PUT(out, "true");
			else
				PUT(out, "false");
			break;
		case DDB_N:
			write_number(out, value, form);
			break;
		case DDB_S:
			ddb_json_string(out, (const char *) value.data, value.len);
			break;
		case DDB_B:
			PUT(out, "\"");
			ddb_append_base64(out, value.data, value.len);
			PUT(out, "\"");
			break;
		case DDB_NS:
		case DDB_SS:
		case DDB_BS:
		case DDB_L:
			write_array(out, value, form);
			break;
		case DDB_M:
			write_map(out, value, form);
			break;
	}
}

void
ddb_value_to_json(StringInfo out, DdbValue value, DdbJsonForm form)
{
	static const struct
	{
		uint8		len;
		char		text[11];
	}			tag[DDB_NTYPES] = {
		[DDB_NULL] = {9, "{\"NULL\": "},
		[DDB_BOOL] = {9, "{\"BOOL\": "},
		[DDB_N] = {6, "{\"N\": "},
		[DDB_S] = {6, "{\"S\": "},
		[DDB_B] = {6, "{\"B\": "},
		[DDB_NS] = {7, "{\"NS\": "},
		[DDB_SS] = {7, "{\"SS\": "},
		[DDB_BS] = {7, "{\"BS\": "},
		[DDB_L] = {6, "{\"L\": "},
		[DDB_M] = {6, "{\"M\": "},
	};

	if (form == DDB_JSON_PLAIN)
	{
		write_value(out, value, form);
		return;
	}
	put(out, tag[value.type].text, tag[value.type].len);
	write_value(out, value, form);
	PUT(out, "}");
}

void
ddb_map_to_json(StringInfo out, DdbValue map, DdbJsonForm form)
{
	write_map(out, map, form);
}
