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

/* Where the next byte goes; the StringInfo learns of it at the end. */
typedef struct Out
{
	StringInfo	buf;
	char	   *p;
	char	   *end;			/* there is room up to here, and for a NUL behind it */
	DdbJsonForm form;
	int			gap;			/* blanks behind a comma or colon: 1, on the wire 0 */
} Out;

static inline void
out_begin(Out *o, StringInfo buf, DdbJsonForm form)
{
	o->buf = buf;
	o->p = buf->data + buf->len;
	o->end = buf->data + buf->maxlen - 1;
	o->form = form;
	o->gap = form != DDB_JSON_WIRE;
}

static inline void
out_finish(Out *o)
{
	o->buf->len = o->p - o->buf->data;
	*o->p = '\0';
}

static pg_noinline void
grow(Out *o, int size)
{
	out_finish(o);
	enlargeStringInfo(o->buf, size);
	out_begin(o, o->buf, o->form);
}

/* Makes room for `size` more bytes. */
static inline void
need(Out *o, int size)
{
	if (unlikely(o->end - o->p < size))
		grow(o, size);
}

static inline void
put(Out *o, const char *piece, int len)
{
	need(o, len);
	memcpy(o->p, piece, len);
	o->p += len;
}

#define PUT(o, literal) put(o, literal, sizeof(literal) - 1)

/* A piece that ends with a blank, which is left out on the wire. */
static inline void
put_gapped(Out *o, const char *piece, int len)
{
	put(o, piece, len);
	o->p -= 1 - o->gap;
}

#define PUT_GAPPED(o, literal) put_gapped(o, literal, sizeof(literal) - 1)

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

/* Writes one escape, of at most 6 bytes. */
static void
escape(Out *o, char c)
{
	static const char hex[] = "0123456789abcdef";
	const char *letter = c == '\0' ? NULL : strchr("\"\"\\\\\bb\ff\nn\rr\tt", c);

	PUT(o, "\\");
	if (letter)
		put(o, letter + 1, 1);
	else
	{
		PUT(o, "u00");
		put(o, &hex[(uint8) c >> 4], 1);
		put(o, &hex[c & 15], 1);
	}
}

/* A string with its quotes. */
static inline void
write_string(Out *o, const char *s, uint32 len)
{
	const char *end = s + len;

	PUT(o, "\"");
	for (;;)
	{
		const char *stop = skip_plain(s, end);

		put(o, s, stop - s);
		if (stop == end)
			break;
		escape(o, *stop);
		s = stop + 1;
	}
	PUT(o, "\"");
}

void
ddb_json_string(StringInfo out, const char *s, uint32 len)
{
	Out			o;

	out_begin(&o, out, DDB_JSON_PLAIN);
	write_string(&o, s, len);
	out_finish(&o);
}

/* ----------------------------------------------------------------------
 * Values
 * ---------------------------------------------------------------------- */

static void write_value(Out *o, DdbValue value);

static void
write_binary(Out *o, DdbValue value)
{
	size_t		size = BASE64_ENCODED(value.len);

	PUT(o, "\"");
	need(o, size);
	ddb_base64_encode(value.data, value.len, o->p);
	o->p += size;
	PUT(o, "\"");
}

static void
write_number(Out *o, DdbValue value)
{
	if (o->form != DDB_JSON_PLAIN)
		PUT(o, "\"");
	need(o, DDB_NUMBER_TEXT);
	o->p += ddb_number_print(value.data, value.len, o->p);
	if (o->form != DDB_JSON_PLAIN)
		PUT(o, "\"");
}

static void write_tagged(Out *o, DdbValue value);

static void
write_map(Out *o, DdbValue map)
{
	DdbIter		it;
	DdbName		name;
	DdbValue	value;
	bool		first = true;

	CHECK_FOR_INTERRUPTS();
	PUT(o, "{");
	ddb_iter_begin(&it, map);
	while (ddb_iter_next(&it, &name, &value))
	{
		if (!first)
			PUT_GAPPED(o, ", ");
		first = false;
		write_string(o, name.data, name.len);
		PUT_GAPPED(o, ": ");
		write_tagged(o, value);
	}
	PUT(o, "}");
}

/* The elements of a list, the members of a set (which have no tag of their own). */
static void
write_array(Out *o, DdbValue array)
{
	DdbIter		it;
	DdbName		name;
	DdbValue	value;
	bool		first = true;

	CHECK_FOR_INTERRUPTS();
	PUT(o, "[");
	ddb_iter_begin(&it, array);
	while (ddb_iter_next(&it, &name, &value))
	{
		if (!first)
			PUT_GAPPED(o, ", ");
		first = false;
		if (array.type == DDB_L)
			write_tagged(o, value);
		else
			write_value(o, value);
	}
	PUT(o, "]");
}

/* The value without its tag. */
static void
write_value(Out *o, DdbValue value)
{
	switch ((DdbType) value.type)
	{
		case DDB_NULL:
		case DDB_BOOL:
			if (value.boolean || (value.type == DDB_NULL && o->form != DDB_JSON_PLAIN))
				PUT(o, "true");
			else if (value.type == DDB_BOOL)
				PUT(o, "false");
			else
				PUT(o, "null");
			break;
		case DDB_N:
			write_number(o, value);
			break;
		case DDB_S:
			write_string(o, (const char *) value.data, value.len);
			break;
		case DDB_B:
			write_binary(o, value);
			break;
		case DDB_NS:
		case DDB_SS:
		case DDB_BS:
		case DDB_L:
			write_array(o, value);
			break;
		case DDB_M:
			write_map(o, value);
			break;
	}
}

/* The value in its tag, where the form has tags. */
static void
write_tagged(Out *o, DdbValue value)
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

	if (o->form == DDB_JSON_PLAIN)
	{
		write_value(o, value);
		return;
	}
	put_gapped(o, tag[value.type].text, tag[value.type].len);
	write_value(o, value);
	PUT(o, "}");
}

void
ddb_value_to_json(StringInfo out, DdbValue value, DdbJsonForm form)
{
	Out			o;

	out_begin(&o, out, form);
	write_tagged(&o, value);
	out_finish(&o);
}

void
ddb_map_to_json(StringInfo out, DdbValue map, DdbJsonForm form)
{
	Out			o;

	out_begin(&o, out, form);
	write_map(&o, map);
	out_finish(&o);
}
