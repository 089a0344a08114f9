/*-------------------------------------------------------------------------
 *
 * json_int.h
 *	  What the files of the JSON reader and writer share with each other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_JSON_INT_H
#define DDB_JSON_INT_H

#include "item/item.h"

/*
 * How deep JSON itself may nest.  DynamoDB JSON spends two levels on each of
 * an item's 32, a request a few more around them.
 */
#define JSON_MAX_DEPTH	256

/* ----------------------------------------------------------------------
 * json_lex.c: tokens.  Everything malformed raises YD015 and names the byte.
 * ---------------------------------------------------------------------- */
typedef struct DdbLexer
{
	const char *start;
	const char *at;				/* the next byte to read */
	const char *end;
} DdbLexer;

extern void ddb_lex_begin(DdbLexer *lex, const char *json, size_t len);

/* Skips white space; the next byte, or 0 at the end of the text. */
static inline char
ddb_lex_peek(DdbLexer *lex)
{
	while (lex->at < lex->end)
	{
		char		c = *lex->at;

		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			return c;
		lex->at++;
	}
	return '\0';
}

/*
 * A string, decoded.  It points into the text when nothing had to be decoded,
 * else to palloc'd memory.
 */
extern DdbName ddb_lex_string(DdbLexer *lex);

/* An object member's name and the colon behind it. */
extern DdbName ddb_lex_name(DdbLexer *lex);

/* A number, as it is written. */
extern DdbName ddb_lex_number(DdbLexer *lex);

/* true, false or null; the answer is its first letter. */
extern char ddb_lex_word(DdbLexer *lex);

/* Steps over '{' or '['; false when the container is empty, then over `close` too. */
extern bool ddb_lex_open(DdbLexer *lex, char close);

/* After a member: true and past the comma when another follows, else past `close`. */
extern bool ddb_lex_more(DdbLexer *lex, char close);

/* Steps over any value, checking its syntax. */
extern void ddb_lex_skip(DdbLexer *lex, int depth);

/* Nothing but white space may follow. */
extern void ddb_lex_finish(DdbLexer *lex);

extern void ddb_lex_fail(DdbLexer *lex, const char *what) pg_attribute_noreturn();

/* ----------------------------------------------------------------------
 * base64.c: RFC 4648, one spelling for each value
 * ---------------------------------------------------------------------- */
#define BASE64_ENCODED(n)	(((size_t) (n) + 2) / 3 * 4)
#define BASE64_DECODED(n)	((size_t) (n) / 4 * 3)

/* Writes BASE64_ENCODED(len) characters. */
extern void ddb_base64_encode(const uint8 *data, uint32 len, char *out);

extern void ddb_append_base64(StringInfo out, const uint8 *data, uint32 len);

/* Writes at most BASE64_DECODED(len) bytes, returns how many; raises YD015. */
extern uint32 ddb_base64_decode(const char *text, uint32 len, uint8 *out);

#endif							/* DDB_JSON_INT_H */
