/*-------------------------------------------------------------------------
 *
 * base64.c
 *	  Binary values as text.
 *
 * DynamoDB takes exactly one spelling for each binary value: padded to a
 * multiple of four, no white space, and no stray bits in the last character.
 * PostgreSQL's own decoder allows white space and stray bits, so two texts
 * could mean one value; hence this small one.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "item/json_int.h"
#include "mb/pg_wchar.h"

static const char alphabet[] =
"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* A character's six bits plus one, so that 0 marks what is no digit. */
static const uint8 digits[256] = {
	['A'] = 1, ['B'] = 2, ['C'] = 3, ['D'] = 4, ['E'] = 5, ['F'] = 6, ['G'] = 7,
	['H'] = 8, ['I'] = 9, ['J'] = 10, ['K'] = 11, ['L'] = 12, ['M'] = 13,
	['N'] = 14, ['O'] = 15, ['P'] = 16, ['Q'] = 17, ['R'] = 18, ['S'] = 19,
	['T'] = 20, ['U'] = 21, ['V'] = 22, ['W'] = 23, ['X'] = 24, ['Y'] = 25,
	['Z'] = 26, ['a'] = 27, ['b'] = 28, ['c'] = 29, ['d'] = 30, ['e'] = 31,
	['f'] = 32, ['g'] = 33, ['h'] = 34, ['i'] = 35, ['j'] = 36, ['k'] = 37,
	['l'] = 38, ['m'] = 39, ['n'] = 40, ['o'] = 41, ['p'] = 42, ['q'] = 43,
	['r'] = 44, ['s'] = 45, ['t'] = 46, ['u'] = 47, ['v'] = 48, ['w'] = 49,
	['x'] = 50, ['y'] = 51, ['z'] = 52, ['0'] = 53, ['1'] = 54, ['2'] = 55,
	['3'] = 56, ['4'] = 57, ['5'] = 58, ['6'] = 59, ['7'] = 60, ['8'] = 61,
	['9'] = 62, ['+'] = 63, ['/'] = 64,
};

void
ddb_base64_encode(const uint8 *data, uint32 len, char *out)
{
	const uint8 *end = data + len / 3 * 3;
	uint32		bits;

	for (; data < end; data += 3)
	{
		bits = data[0] << 16 | data[1] << 8 | data[2];
		*out++ = alphabet[bits >> 18];
		*out++ = alphabet[bits >> 12 & 63];
		*out++ = alphabet[bits >> 6 & 63];
		*out++ = alphabet[bits & 63];
	}
	if (len % 3 == 0)
		return;
	bits = data[0] << 16 | (len % 3 == 2 ? data[1] << 8 : 0);
	*out++ = alphabet[bits >> 18];
	*out++ = alphabet[bits >> 12 & 63];
	*out++ = len % 3 == 2 ? alphabet[bits >> 6 & 63] : '=';
	*out = '=';
}

void
ddb_append_base64(StringInfo out, const uint8 *data, uint32 len)
{
	size_t		size = BASE64_ENCODED(len);

	enlargeStringInfo(out, size);
	ddb_base64_encode(data, len, out->data + out->len);
	out->len += size;
	out->data[out->len] = '\0';
}

/* Says what is wrong with four characters, of which the first `want` are no padding. */
static void
quartet_fail(const char *q, int want)
{
	for (int i = 0; i < want; i++)
	{
		if (digits[(uint8) q[i]] == 0 && q[i] != '=')
			ddb_raise(DDB_SERIALIZATION, "Invalid Base64 character: '%.*s'",
					  pg_utf_mblen((const unsigned char *) q + i), q + i);
	}
	/* The service's own spelling. */
	ddb_raise(DDB_SERIALIZATION, "Invalid last non-pad Base64 character dectected");
}

uint32
ddb_base64_decode(const char *text, uint32 len, uint8 *out)
{
	uint8	   *begin = out;
	int			want = 4;		/* characters of a quartet before its padding */

	if (len % 4 != 0)
		ddb_raise(DDB_SERIALIZATION,
				  "Base64 encoded length is expected a multiple of 4 bytes but found: %u", len);

	for (; len > 0; text += 4, len -= 4)
	{
		uint32		bits = 0;

		if (len == 4 && text[3] == '=')
			want = text[2] == '=' ? 2 : 3;
		for (int i = 0; i < 4; i++)
		{
			uint8		digit = i < want ? digits[(uint8) text[i]] : 1;

			if (digit == 0)
				quartet_fail(text, want);
			bits = bits << 6 | (digit - 1);
		}
		/* The bits that the padding drops must be zero. */
		if ((bits & (want == 2 ? 0xffff : want == 3 ? 0xff : 0)) != 0)
			quartet_fail(text, want);
		*out++ = bits >> 16;
		if (want > 2)
			*out++ = bits >> 8;
		if (want > 3)
			*out++ = bits;
	}
	return out - begin;
}
