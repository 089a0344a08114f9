/*-------------------------------------------------------------------------
 *
 * number.c
 *	  Exact decimals of 38 digits, as bytes in numeric order.
 *
 * A number other than zero is +-d0.d1 d2 ... * 100^e with digits of base 100,
 * d0 not zero, the last one not zero.  The magnitudes 1E-130 to 9.99E+125
 * give e the range -65 to 62: 128 values, so that one byte holds the sign and
 * the exponent:
 *
 *		zero		0x80
 *		positive	0x80 + (e + 65), then for each digit d the byte d + 1
 *		negative	the same bytes inverted, then 0xFF
 *
 * Zero is a prefix of the smallest positive numbers and so precedes them; a
 * positive number is a prefix of those that go on with further digits.  A
 * negative one must follow those that go on, hence its final byte, which is
 * above every inverted digit.  memcmp, shorter first, is numeric order.
 *
 * Digits are paired from the decimal point, as DynamoDB itself seems to pair
 * them: its size rule counts exactly these bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "item/item_int.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#define MIN_EXPONENT	(-130)	/* decimal exponent of the first digit */
#define MAX_EXPONENT	125
#define MIN_EXPONENT100 (-65)
#define ZERO_BYTE		0x80
#define NEGATIVE_END	0xFF

/* 38 digits that start in the middle of a pair take 20 pairs. */
#define MAX_PAIRS		20

static const char msg_not_numeric[] = "The parameter cannot be converted to a numeric value";
static const char msg_digits[] = "Attempting to store more than 38 significant digits in a Number";
static const char msg_overflow[] = "Number overflow. Attempting to store a number with magnitude larger than supported range";
static const char msg_underflow[] = "Number underflow. Attempting to store a number with magnitude smaller than supported range";

/* A number taken apart; zero has no pairs. */
typedef struct Unpacked
{
	bool		negative;
	int			exponent;		/* of pair[0], base 100 */
	int			npairs;
	uint8		pair[MAX_PAIRS];
} Unpacked;

/* Writes a number's bytes.  It must be normal and in range. */
static uint32
pack(const Unpacked *u, uint8 *out)
{
	uint8		invert = u->negative ? 0xFF : 0;
	uint32		n = 0;

	if (u->npairs == 0)
	{
		out[0] = ZERO_BYTE;
		return 1;
	}
	out[n++] = (uint8) (ZERO_BYTE + (u->exponent - MIN_EXPONENT100)) ^ invert;
	for (int i = 0; i < u->npairs; i++)
		out[n++] = (uint8) (u->pair[i] + 1) ^ invert;
	if (u->negative)
		out[n++] = NEGATIVE_END;
	return n;
}

static void
unpack(const uint8 *n, uint32 len, Unpacked *u)
{
	uint8		invert = n[0] < ZERO_BYTE ? 0xFF : 0;

	u->negative = invert != 0;
	u->npairs = (int) len - 1 - u->negative;
	u->exponent = (n[0] ^ invert) - ZERO_BYTE + MIN_EXPONENT100;
	for (int i = 0; i < u->npairs; i++)
		u->pair[i] = (n[i + 1] ^ invert) - 1;
}

/* Significant decimal digits of pairs that begin and end with one. */
static int
count_digits(const uint8 *pair, int npairs)
{
	return npairs * 2 - (pair[0] < 10) - (pair[npairs - 1] % 10 == 0);
}

bool
ddb_number_valid(const uint8 *n, uint32 len)
{
	Unpacked	u;

	if (len == 0 || len > MAX_PAIRS + 2)
		return false;
	if (n[0] == ZERO_BYTE && len == 1)
		return true;
	if (n[0] < ZERO_BYTE && (len < 3 || n[len - 1] != NEGATIVE_END))
		return false;
	if (len - 1 - (n[0] < ZERO_BYTE) > MAX_PAIRS || len < 2)
		return false;
	unpack(n, len, &u);
	for (int i = 0; i < u.npairs; i++)
	{
		if (u.pair[i] > 99)
			return false;
	}
	return u.pair[0] != 0 && u.pair[u.npairs - 1] != 0 &&
		count_digits(u.pair, u.npairs) <= DDB_MAX_NUMBER_DIGITS;
}

/* ----- text ----- */

/* A decimal as it is being read: significant digits and where they stand. */
typedef struct Scanned
{
	bool		negative;
	bool		excess;			/* more than 38 significant digits */
	int			ndigits;		/* in digit[], the last one not zero */
	int64		exponent;		/* of digit[0], base 10 */
	uint8		digit[DDB_MAX_NUMBER_DIGITS + 1];
} Scanned;

/*
 * Reads digits and a point.  Zeros after a significant digit are held back
 * until another one follows, so that those at the end never count.
 */
static const char *
scan_digits(const char *p, const char *end, Scanned *s)
{
	int64		integers = 0;	/* from the first significant digit to the point */
	int64		zeros = 0;		/* held back, or before the first one */
	bool		point = false;
	bool		any = false;

	s->ndigits = 0;
	s->excess = false;
	for (; p < end; p++)
	{
		uint8		d = (uint8) (*p - '0');

		if (*p == '.' && !point)
		{
			point = true;
			continue;
		}
		if (d > 9)
			break;
		any = true;
		if (d == 0 && s->ndigits == 0)
			integers -= point;
		else
		{
			integers += !point;
			if (d == 0)
				zeros++;
			else if (s->ndigits + zeros >= DDB_MAX_NUMBER_DIGITS)
				s->excess = true;
			else
			{
				for (; zeros > 0; zeros--)
					s->digit[s->ndigits++] = 0;
				s->digit[s->ndigits++] = d;
			}
		}
	}
	s->exponent = integers - 1;
	return any ? p : NULL;
}

/* Reads what follows E; a huge exponent stays huge and does not wrap. */
static const char *
scan_exponent(const char *p, const char *end, int64 *exponent)
{
	bool		negative = p < end && *p == '-';
	int64		value = 0;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	if (p == end)
		return NULL;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
	{
		if (value < PG_INT64_MAX / 100)
			value = value * 10 + (*p - '0');
	}
	*exponent += negative ? -value : value;
	return p;
}

static bool
scan_number(const char *s, size_t len, Scanned *scanned)
{
	const char *end = s + len;
	const char *p = s;

	scanned->negative = p < end && *p == '-';
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	p = scan_digits(p, end, scanned);
	if (p && p < end && (*p == 'e' || *p == 'E'))
		p = scan_exponent(p + 1, end, &scanned->exponent);
	return p != NULL && p == end;
}

/* Pairs the digits from the decimal point. */
static void
pair_digits(const Scanned *s, Unpacked *u)
{
	int			exponent = (int) s->exponent;
	int			i = 0;

	u->negative = s->negative;
	u->exponent = exponent >= 0 ? exponent / 2 : -((1 - exponent) / 2);
	u->npairs = 0;
	if (exponent == 2 * u->exponent)
		u->pair[u->npairs++] = s->digit[i++];
	for (; i < s->ndigits; i += 2)
		u->pair[u->npairs++] = s->digit[i] * 10 + (i + 1 < s->ndigits ? s->digit[i + 1] : 0);
}

const char *
ddb_number_try_parse(const char *s, size_t len, uint8 out[DDB_NUMBER_BYTES], uint32 *outlen)
{
	Scanned		scanned;
	Unpacked	u;

	if (!scan_number(s, len, &scanned))
		return msg_not_numeric;
	if (scanned.ndigits == 0)
	{
		out[0] = ZERO_BYTE;
		*outlen = 1;
		return NULL;
	}
	if (scanned.exponent > MAX_EXPONENT)
		return msg_overflow;
	if (scanned.exponent < MIN_EXPONENT)
		return msg_underflow;
	if (scanned.excess)
		return msg_digits;
	pair_digits(&scanned, &u);
	*outlen = pack(&u, out);
	return NULL;
}

uint32
ddb_number_parse(const char *s, size_t len, uint8 out[DDB_NUMBER_BYTES])
{
	uint32		outlen;
	const char *message = ddb_number_try_parse(s, len, out, &outlen);

	if (message == msg_not_numeric && len > 0)
		ddb_raise(DDB_VALIDATION, "%s: %.*s", message, pg_mbcliplen(s, (int) len, 1024), s);
	if (message)
		ddb_raise(DDB_VALIDATION, "%s", message);
	return outlen;
}

static inline char *
put_zeros(char *p, int n)
{
	memset(p, '0', n);
	return p + n;
}

/* DynamoDB's normal form: plain decimals, never an exponent. */
uint32
ddb_number_print(const uint8 *n, uint32 len, char out[DDB_NUMBER_TEXT])
{
	Unpacked	u;
	char	   *p = out;
	int			i = 0;

	unpack(n, len, &u);
	if (u.negative)
		*p++ = '-';

	/* The integer part: its first pair without a leading zero. */
	if (u.npairs == 0 || u.exponent < 0)
		*p++ = '0';
	else
	{
		if (u.pair[0] >= 10)
			*p++ = '0' + u.pair[0] / 10;
		*p++ = '0' + u.pair[0] % 10;
		for (i = 1; i <= u.exponent && i < u.npairs; i++)
		{
			*p++ = '0' + u.pair[i] / 10;
			*p++ = '0' + u.pair[i] % 10;
		}
		if (i <= u.exponent)
			p = put_zeros(p, 2 * (u.exponent + 1 - i));
	}

	/* The fraction: its last pair without a trailing zero. */
	if (i < u.npairs)
	{
		*p++ = '.';
		if (u.exponent < -1)
			p = put_zeros(p, 2 * (-1 - u.exponent));
		for (; i < u.npairs; i++)
		{
			*p++ = '0' + u.pair[i] / 10;
			*p++ = '0' + u.pair[i] % 10;
		}
		if (p[-1] == '0')
			p--;
	}
	*p = '\0';
	return (uint32) (p - out);
}

/* ----- sums ----- */

/*
 * Two numbers whose pairs span more than this have a sum of more than 38
 * digits: only the highest two pairs can cancel away, the lowest cannot.
 */
#define MAX_SPAN (MAX_PAIRS + 2)

/* Adds the pairs of u, with a sign, to sums; sums[0] is at `lowest`. */
static void
accumulate(int *sums, int lowest, const Unpacked *u, int sign)
{
	for (int i = 0; i < u->npairs; i++)
		sums[u->exponent - i - lowest] += sign * u->pair[i];
}

/* Carries, so that all but sums[n - 1] are 0 to 99.  True if negative. */
static bool
carry(int *sums, int n)
{
	for (int i = 0; i < n - 1; i++)
	{
		int			over = sums[i] >= 0 ? sums[i] / 100 : -((99 - sums[i]) / 100);

		sums[i] -= over * 100;
		sums[i + 1] += over;
	}
	return sums[n - 1] < 0;
}

/* Makes a number of n sums and writes it; returns a message if it cannot. */
static const char *
pack_sums(const int *sums, int n, int lowest, bool negative, uint8 *out, uint32 *outlen)
{
	Unpacked	u;
	int			first = n - 1;
	int			last = 0;

	while (first >= 0 && sums[first] == 0)
		first--;
	while (last < first && sums[last] == 0)
		last++;
	u.npairs = 0;
	u.negative = negative;
	u.exponent = lowest + first;
	if (first >= 0)
	{
		if (first - last + 1 > MAX_PAIRS)
			return msg_digits;
		for (int i = first; i >= last; i--)
			u.pair[u.npairs++] = (uint8) sums[i];
		if (u.exponent * 2 + (u.pair[0] >= 10) > MAX_EXPONENT)
			return msg_overflow;
		if (u.exponent * 2 + (u.pair[0] >= 10) < MIN_EXPONENT)
			return msg_underflow;
		if (count_digits(u.pair, u.npairs) > DDB_MAX_NUMBER_DIGITS)
			return msg_digits;
	}
	*outlen = pack(&u, out);
	return NULL;
}

static const char *
add(const Unpacked *a, const Unpacked *b, uint8 *out, uint32 *outlen)
{
	int			sums[MAX_SPAN + 1] = {0};
	int			highest = Max(a->exponent, b->exponent);
	int			lowest = Min(a->exponent - a->npairs, b->exponent - b->npairs) + 1;
	int			n = highest - lowest + 2;
	bool		negative;

	if (n > MAX_SPAN + 1)
		return msg_digits;
	accumulate(sums, lowest, a, a->negative ? -1 : 1);
	accumulate(sums, lowest, b, b->negative ? -1 : 1);
	negative = carry(sums, n);
	if (negative)
	{
		for (int i = 0; i < n; i++)
			sums[i] = -sums[i];
		carry(sums, n);
	}
	return pack_sums(sums, n, lowest, negative, out, outlen);
}

static uint32
add_values(DdbValue a, DdbValue b, bool subtract, uint8 *out)
{
	Unpacked	ua,
				ub;
	uint32		len;
	const char *message;

	unpack(a.data, a.len, &ua);
	unpack(b.data, b.len, &ub);
	if (subtract)
		ub.negative = !ub.negative;

	/* Zero has no place among the pairs. */
	if (ua.npairs == 0)
		return pack(&ub, out);
	if (ub.npairs == 0)
		return pack(&ua, out);
	/* The service calls a sum of too many digits an overflow. */
	message = add(&ua, &ub, out, &len);
	if (message)
		ddb_raise(DDB_VALIDATION, "%s", message == msg_digits ? msg_overflow : message);
	return len;
}

uint32
ddb_number_add(DdbValue a, DdbValue b, uint8 out[DDB_NUMBER_BYTES])
{
	return add_values(a, b, false, out);
}

uint32
ddb_number_subtract(DdbValue a, DdbValue b, uint8 out[DDB_NUMBER_BYTES])
{
	return add_values(a, b, true, out);
}

/* ----- conversions ----- */

uint32
ddb_number_from_int64(int64 i, uint8 out[DDB_NUMBER_BYTES])
{
	uint64		rest = i < 0 ? -(uint64) i : (uint64) i;
	int			sums[10];
	int			n = 0;
	uint32		len = 0;

	for (; rest > 0; rest /= 100)
		sums[n++] = (int) (rest % 100);
	(void) pack_sums(sums, n, 0, i < 0, out, &len);
	return len;
}

/*
 * PostgreSQL's numeric has base 10000 and no public access to its digits but
 * its wire form, all of 16 bits: number of digits, weight (the exponent of
 * the first one), sign, scale (decimals shown), digits.
 */
#define WIRE_HEADER		4
#define WIRE_NEGATIVE	0x4000
#define WIRE_SPECIAL	0xC000	/* and 0xD000, 0xF000 */
#define MAX_WIRE_DIGITS (MAX_PAIRS / 2 + 1)

static inline int
wire_get(const uint8 *wire, int i)
{
	return wire[2 * i] << 8 | wire[2 * i + 1];
}

static inline void
wire_put(uint8 *wire, int i, int v)
{
	wire[2 * i] = (uint8) ((uint32) v >> 8);
	wire[2 * i + 1] = (uint8) v;
}

uint32
ddb_number_from_numeric(Numeric num, uint8 out[DDB_NUMBER_BYTES])
{
	bytea	   *sent = DatumGetByteaPP(DirectFunctionCall1(numeric_send, NumericGetDatum(num)));
	const uint8 *wire = (const uint8 *) VARDATA_ANY(sent);
	int			ndigits = wire_get(wire, 0);
	int			weight = (int16) wire_get(wire, 1);
	int			sign = wire_get(wire, 2);
	int			sums[2 * MAX_WIRE_DIGITS];
	const char *message = msg_digits;
	uint32		len = 0;

	if (sign >= WIRE_SPECIAL)
		ddb_raise(DDB_VALIDATION, "%s: %s", msg_not_numeric, numeric_normalize(num));
	if (ndigits <= MAX_WIRE_DIGITS)
	{
		for (int i = 0; i < ndigits; i++)
		{
			int			digit = wire_get(wire, WIRE_HEADER + i);
			int			place = 2 * (ndigits - 1 - i);

			sums[place] = digit % 100;
			sums[place + 1] = digit / 100;
		}
		message = pack_sums(sums, 2 * ndigits, 2 * (weight - ndigits + 1),
							sign == WIRE_NEGATIVE, out, &len);
	}
	if (message)
		ddb_raise(DDB_VALIDATION, "%s", message);
	pfree(sent);
	return len;
}

Numeric
ddb_number_to_numeric(const uint8 *n, uint32 len)
{
	Unpacked	u;
	uint8		wire[2 * (WIRE_HEADER + MAX_WIRE_DIGITS)];
	StringInfoData buf;
	int			ndigits = 0;
	int			weight = 0;
	int			scale = 0;

	unpack(n, len, &u);
	if (u.npairs > 0)
	{
		int			lowest = u.exponent - u.npairs + 1;
		int			i = 0;

		weight = u.exponent >= 0 ? u.exponent / 2 : -((1 - u.exponent) / 2);
		if (u.exponent == 2 * weight)
			wire_put(wire, WIRE_HEADER + ndigits++, u.pair[i++]);
		for (; i < u.npairs; i += 2)
			wire_put(wire, WIRE_HEADER + ndigits++,
					 u.pair[i] * 100 + (i + 1 < u.npairs ? u.pair[i + 1] : 0));
		if (lowest < 0)
			scale = -2 * lowest - (u.pair[u.npairs - 1] % 10 == 0);
	}
	wire_put(wire, 0, ndigits);
	wire_put(wire, 1, weight);
	wire_put(wire, 2, u.negative ? WIRE_NEGATIVE : 0);
	wire_put(wire, 3, scale);

	buf.data = (char *) wire;
	buf.len = buf.maxlen = 2 * (WIRE_HEADER + ndigits);
	buf.cursor = 0;
	return DatumGetNumeric(DirectFunctionCall3(numeric_recv, PointerGetDatum(&buf),
											   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}
