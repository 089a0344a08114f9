/*-------------------------------------------------------------------------
 *
 * json_lex.c
 *	  The one JSON lexer, and the tree for requests.
 *
 * PostgreSQL's own JSON parser cannot be used: it hands out NUL-terminated
 * strings, and DynamoDB's may hold U+0000.  This one works on counted text,
 * copies nothing that needs no decoding, and accepts exactly RFC 8259:
 * strings are valid UTF-8 without raw control characters, escaped surrogates
 * come in pairs, numbers have JSON's shape, and nothing follows the value.
 *
 * Of members with one name in an object, the last one counts, in every form
 * of JSON that ddb reads: so jsonb does, and so do the JSON libraries that
 * DynamoDB's clients use; a reader that took the first would let a value be
 * checked that is not the one written.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "item/json_int.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"

void
ddb_lex_begin(DdbLexer *lex, const char *json, size_t len)
{
	lex->start = lex->at = json;
	lex->end = json + len;
}

/* Raises YD015 at the current byte. */
void
ddb_lex_fail(DdbLexer *lex, const char *what)
{
	if (lex->at >= lex->end)
		ddb_raise(DDB_SERIALIZATION, "Malformed JSON: %s at the end of the text", what);
	ddb_raise(DDB_SERIALIZATION, "Malformed JSON: %s at byte %zu",
			  what, (size_t) (lex->at - lex->start) + 1);
}

/* ----------------------------------------------------------------------
 * Strings
 * ---------------------------------------------------------------------- */

#define ONES(x)	(UINT64CONST(0x0101010101010101) * (x))

/* Is any of these eight bytes a quote, a backslash, a control or not ASCII? */
static inline bool
has_special(uint64 w)
{
	uint64		quote = w ^ ONES('"');
	uint64		slash = w ^ ONES('\\');

	return (((quote - ONES(1)) | (slash - ONES(1)) | (w - ONES(0x20)) | w) & ONES(0x80)) != 0;
}

/* Steps over bytes that stand for themselves. */
static inline const char *
skip_plain(const char *s, const char *end)
{
	while (end - s >= 8)
	{
		uint64		w;

		memcpy(&w, s, 8);
		if (has_special(w))
			break;
		s += 8;
	}
	while (s < end && (uint8) *s >= 0x20 && (uint8) *s < 0x80 && *s != '"' && *s != '\\')
		s++;
	return s;
}

/* Four hexadecimal digits at `at`, which moves on. */
static uint32
lex_hex4(DdbLexer *lex)
{
	uint32		value = 0;

	for (int i = 0; i < 4; i++, lex->at++)
	{
		char		c = lex->at < lex->end ? *lex->at : '\0';

		if (c >= '0' && c <= '9')
			value = value << 4 | (c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			value = value << 4 | ((c | 0x20) - 'a' + 10);
		else
			ddb_lex_fail(lex, "four hexadecimal digits expected");
	}
	return value;
}

/* The code point of a \u escape, `at` being behind the u. */
static pg_wchar
lex_code_point(DdbLexer *lex)
{
	uint32		c = lex_hex4(lex);

	if (is_utf16_surrogate_first(c))
	{
		uint32		second;

		if (lex->end - lex->at < 2 || lex->at[0] != '\\' || lex->at[1] != 'u')
			ddb_lex_fail(lex, "second half of a surrogate pair expected");
		lex->at += 2;
		second = lex_hex4(lex);
		if (!is_utf16_surrogate_second(second))
			ddb_lex_fail(lex, "second half of a surrogate pair expected");
		return surrogate_pair_to_codepoint(c, second);
	}
	if (is_utf16_surrogate_second(c))
		ddb_lex_fail(lex, "lone second half of a surrogate pair");
	return c;
}

/* Decodes an escape, `at` being behind the backslash; returns the output's end. */
static char *
lex_escape(DdbLexer *lex, char *out)
{
	char		c = lex->at < lex->end ? *lex->at : '\0';

	switch (c)
	{
		case '"':
		case '\\':
		case '/':
			break;
		case 'b':
			c = '\b';
			break;
		case 'f':
			c = '\f';
			break;
		case 'n':
			c = '\n';
			break;
		case 'r':
			c = '\r';
			break;
		case 't':
			c = '\t';
			break;
		case 'u':
			lex->at++;
			unicode_to_utf8(lex_code_point(lex), (unsigned char *) out);
			return out + pg_utf_mblen((unsigned char *) out);
		default:
			ddb_lex_fail(lex, "invalid escape");
	}
	lex->at++;
	*out = c;
	return out + 1;
}

/* Steps over one character that is not ASCII. */
static void
lex_multibyte(DdbLexer *lex)
{
	int			len = pg_utf_mblen((const unsigned char *) lex->at);

	if (lex->end - lex->at < len || !pg_utf8_islegal((const unsigned char *) lex->at, len))
		ddb_lex_fail(lex, "invalid UTF-8");
	lex->at += len;
}

/*
 * Decodes the rest of a string from its first escape on.  `text` is where the
 * string began; what it decodes to is never longer than what is written, and
 * what is written ends before the next quote that no backslash precedes.
 */
static DdbName
lex_escaped_string(DdbLexer *lex, const char *text)
{
	const char *close = lex->at;
	DdbName		name;
	char	   *buf;
	char	   *out;

	while (close < lex->end && *close != '"')
		close += *close == '\\' ? 2 : 1;
	buf = palloc(Min(close, lex->end) - text + 1);
	memcpy(buf, text, lex->at - text);
	out = buf + (lex->at - text);

	for (;;)
	{
		const char *run = lex->at;

		lex->at = skip_plain(lex->at, lex->end);
		if (lex->at < lex->end && IS_HIGHBIT_SET(*lex->at))
			lex_multibyte(lex);
		memcpy(out, run, lex->at - run);
		out += lex->at - run;
		if (lex->at >= lex->end)
			ddb_lex_fail(lex, "string not closed");
		if (*lex->at == '\\')
		{
			lex->at++;
			out = lex_escape(lex, out);
		}
		else if (*lex->at == '"')
			break;
		else if ((uint8) *lex->at < 0x20)
			ddb_lex_fail(lex, "control character in a string");
	}
	lex->at++;
	name.data = buf;
	name.len = out - buf;
	return name;
}

DdbName
ddb_lex_string(DdbLexer *lex)
{
	const char *text;
	DdbName		name;

	if (ddb_lex_peek(lex) != '"')
		ddb_lex_fail(lex, "string expected");
	text = ++lex->at;
	for (;;)
	{
		lex->at = skip_plain(lex->at, lex->end);
		if (lex->at >= lex->end)
			ddb_lex_fail(lex, "string not closed");
		if (*lex->at == '"')
			break;
		if (*lex->at == '\\')
			return lex_escaped_string(lex, text);
		if ((uint8) *lex->at < 0x20)
			ddb_lex_fail(lex, "control character in a string");
		lex_multibyte(lex);
	}
	name.data = text;
	name.len = lex->at - text;
	lex->at++;
	return name;
}

/* ----------------------------------------------------------------------
 * The other tokens
 * ---------------------------------------------------------------------- */

DdbName
ddb_lex_name(DdbLexer *lex)
{
	DdbName		name;

	if (ddb_lex_peek(lex) != '"')
		ddb_lex_fail(lex, "member name expected");
	name = ddb_lex_string(lex);
	if (ddb_lex_peek(lex) != ':')
		ddb_lex_fail(lex, "\":\" expected");
	lex->at++;
	return name;
}

/* One or more digits. */
static void
lex_digits(DdbLexer *lex)
{
	const char *first = lex->at;

	while (lex->at < lex->end && *lex->at >= '0' && *lex->at <= '9')
		lex->at++;
	if (lex->at == first)
		ddb_lex_fail(lex, "digit expected");
}

DdbName
ddb_lex_number(DdbLexer *lex)
{
	DdbName		number;

	number.data = lex->at;
	if (*lex->at == '-')
		lex->at++;
	if (lex->at < lex->end && *lex->at == '0')
		lex->at++;
	else
		lex_digits(lex);
	if (lex->at < lex->end && *lex->at == '.')
	{
		lex->at++;
		lex_digits(lex);
	}
	if (lex->at < lex->end && (*lex->at | 0x20) == 'e')
	{
		lex->at++;
		if (lex->at < lex->end && (*lex->at == '+' || *lex->at == '-'))
			lex->at++;
		lex_digits(lex);
	}
	number.len = lex->at - number.data;
	return number;
}

char
ddb_lex_word(DdbLexer *lex)
{
	size_t		left = lex->end - lex->at;
	char		first = left > 0 ? *lex->at : '\0';

	if (left >= 4 && (memcmp(lex->at, "true", 4) == 0 || memcmp(lex->at, "null", 4) == 0))
		lex->at += 4;
	else if (left >= 5 && memcmp(lex->at, "false", 5) == 0)
		lex->at += 5;
	else
		ddb_lex_fail(lex, "value expected");
	return first;
}

bool
ddb_lex_open(DdbLexer *lex, char close)
{
	lex->at++;
	if (ddb_lex_peek(lex) != close)
		return true;
	lex->at++;
	return false;
}

bool
ddb_lex_more(DdbLexer *lex, char close)
{
	char		c = ddb_lex_peek(lex);

	if (c != ',' && c != close)
		ddb_lex_fail(lex, close == '}' ? "\",\" or \"}\" expected" : "\",\" or \"]\" expected");
	lex->at++;
	return c == ',';
}

void
ddb_lex_finish(DdbLexer *lex)
{
	ddb_lex_peek(lex);
	if (lex->at < lex->end)
		ddb_lex_fail(lex, "unexpected text behind the value");
}

/* Refuses JSON that nests too deep for the stack. */
static void
check_depth(DdbLexer *lex, int depth)
{
	if (depth > JSON_MAX_DEPTH)
		ddb_lex_fail(lex, "too many levels");
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
}

void
ddb_lex_skip(DdbLexer *lex, int depth)
{
	char		c = ddb_lex_peek(lex);

	check_depth(lex, depth);
	if (c == '{')
	{
		for (bool more = ddb_lex_open(lex, '}'); more; more = ddb_lex_more(lex, '}'))
		{
			ddb_lex_name(lex);
			ddb_lex_skip(lex, depth + 1);
		}
	}
	else if (c == '[')
	{
		for (bool more = ddb_lex_open(lex, ']'); more; more = ddb_lex_more(lex, ']'))
			ddb_lex_skip(lex, depth + 1);
	}
	else if (c == '"')
		ddb_lex_string(lex);
	else if (c == '-' || (c >= '0' && c <= '9'))
		ddb_lex_number(lex);
	else
		ddb_lex_word(lex);
}

/* ----------------------------------------------------------------------
 * The tree
 * ---------------------------------------------------------------------- */

static DdbJson *tree_value(DdbLexer *lex, int depth);

static void
tree_children(DdbLexer *lex, DdbJson *parent, int depth)
{
	bool		object = parent->type == DDB_JSON_OBJECT;
	char		close = object ? '}' : ']';
	DdbJson   **link = &parent->child;

	for (bool more = ddb_lex_open(lex, close); more; more = ddb_lex_more(lex, close))
	{
		DdbName		name = {0};

		if (object)
			name = ddb_lex_name(lex);
		*link = tree_value(lex, depth + 1);
		(*link)->name = name;
		link = &(*link)->next;
		parent->count++;
	}
}

static DdbJson *
tree_value(DdbLexer *lex, int depth)
{
	DdbJson    *node = palloc0(sizeof(DdbJson));
	char		c = ddb_lex_peek(lex);

	check_depth(lex, depth);
	node->source.data = lex->at;
	if (c == '{' || c == '[')
	{
		node->type = c == '{' ? DDB_JSON_OBJECT : DDB_JSON_ARRAY;
		tree_children(lex, node, depth);
	}
	else if (c == '"')
	{
		node->type = DDB_JSON_STRING;
		node->text = ddb_lex_string(lex);
	}
	else if (c == '-' || (c >= '0' && c <= '9'))
	{
		node->type = DDB_JSON_NUMBER;
		node->text = ddb_lex_number(lex);
	}
	else
	{
		c = ddb_lex_word(lex);
		node->type = c == 't' ? DDB_JSON_TRUE : c == 'f' ? DDB_JSON_FALSE : DDB_JSON_NULL;
	}
	node->source.len = lex->at - node->source.data;
	return node;
}

DdbJson *
ddb_json_parse(const char *json, size_t len)
{
	DdbLexer	lex;
	DdbJson    *tree;

	ddb_lex_begin(&lex, json, len);
	tree = tree_value(&lex, 0);
	ddb_lex_finish(&lex);
	return tree;
}

/* The last member of the name, if there are several: it is the one that counts. */
const DdbJson *
ddb_json_get(const DdbJson *object, const char *name)
{
	size_t		len = strlen(name);
	const DdbJson *found = NULL;

	if (object->type != DDB_JSON_OBJECT)
		return NULL;
	for (const DdbJson *member = object->child; member; member = member->next)
	{
		if (member->name.len == len && memcmp(member->name.data, name, len) == 0)
			found = member;
	}
	return found;
}

const DdbJson *
ddb_json_member(const DdbJson *object, const char *name)
{
	const DdbJson *member = ddb_json_get(object, name);

	return member && member->type != DDB_JSON_NULL ? member : NULL;
}
