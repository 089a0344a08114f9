/*-------------------------------------------------------------------------
 *
 * lexer.c
 *	  Splits an expression's text into tokens.
 *
 * A name is a letter and then letters, digits and underscores; a reference is
 * '#' or ':' and then at least one of those.  Keywords are keywords in any
 * case, but only in their own language: "set" is a name in a condition.
 * Whatever fits nothing becomes TOKEN_OTHER, one character long, and the
 * parser reports it when (and if) it gets there.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "expr/expr_int.h"
#include "mb/pg_wchar.h"

typedef struct Keyword
{
	const char *word;
	TokenType	type;
} Keyword;

static const Keyword condition_keywords[] = {
	{"and", TOKEN_AND}, {"or", TOKEN_OR}, {"not", TOKEN_NOT},
	{"between", TOKEN_BETWEEN}, {"in", TOKEN_IN}, {NULL}
};

static const Keyword update_keywords[] = {
	{"set", TOKEN_SET}, {"remove", TOKEN_REMOVE}, {"add", TOKEN_ADD},
	{"delete", TOKEN_DELETE}, {NULL}
};

static const Keyword no_keywords[] = {{NULL}};

static inline bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool
ddb_is_name_char(char c)
{
	return is_letter(c) || is_digit(c) || c == '_';
}

static TokenType
word_type(const Keyword *keywords, const char *s, size_t len)
{
	for (; keywords->word; keywords++)
	{
		if (strlen(keywords->word) == len && pg_strncasecmp(keywords->word, s, len) == 0)
			return keywords->type;
	}
	return TOKEN_NAME;
}

/* The length of the run of name characters at s. */
static size_t
name_chars(const char *s, const char *end)
{
	const char *p = s;

	while (p < end && ddb_is_name_char(*p))
		p++;
	return p - s;
}

static size_t
digits(const char *s, const char *end)
{
	const char *p = s;

	while (p < end && is_digit(*p))
		p++;
	return p - s;
}

/* Comparators and punctuation; the two-character ones are tried first. */
static size_t
punctuation(const char *s, const char *end, TokenType *type)
{
	char		second = s + 1 < end ? s[1] : '\0';

	if (s[0] == '<' && second == '>')
		return *type = TOKEN_NE, 2;
	if (s[0] == '<' && second == '=')
		return *type = TOKEN_LE, 2;
	if (s[0] == '>' && second == '=')
		return *type = TOKEN_GE, 2;
	if (s[0] != '\0' && strchr("()[],.=<>+-", s[0]) != NULL)
		return *type = (TokenType) s[0], 1;

	/* A whole character, so that it can stand in a message. */
	*type = TOKEN_OTHER;
	return Min(pg_utf_mblen((const unsigned char *) s), end - s);
}

/* The token at s: sets its type and returns its length. */
static size_t
next_token(const Keyword *keywords, const char *s, const char *end, TokenType *type)
{
	if (is_letter(*s))
	{
		size_t		len = name_chars(s, end);

		*type = word_type(keywords, s, len);
		return len;
	}
	if (is_digit(*s))
		return *type = TOKEN_NUMBER, digits(s, end);
	if ((*s == '#' || *s == ':') && s + 1 < end && ddb_is_name_char(s[1]))
	{
		*type = *s == '#' ? TOKEN_NAME_REF : TOKEN_VALUE_REF;
		return 1 + name_chars(s + 1, end);
	}
	return punctuation(s, end, type);
}

uint32
ddb_lex(DdbExprKind kind, const char *text, size_t len, ExprToken *tokens)
{
	const Keyword *keywords = kind == DDB_EXPR_UPDATE ? update_keywords :
		kind == DDB_EXPR_PROJECTION ? no_keywords : condition_keywords;
	const char *end = text + len;
	const char *s = text;
	uint32		n = 0;

	for (;;)
	{
		TokenType	type;
		size_t		token_len;

		while (s < end && (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n'))
			s++;
		if (s == end)
			break;
		token_len = next_token(keywords, s, end, &type);
		tokens[n].type = type;
		tokens[n].start = s - text;
		tokens[n].len = token_len;
		n++;
		s += token_len;
	}
	tokens[n].type = TOKEN_END;
	tokens[n].start = len;
	tokens[n].len = 0;
	return n + 1;
}
