/*-------------------------------------------------------------------------
 *
 * tuple.c
 *	  Several scalars as one string of bytes that sorts as they do.
 *
 * An index whose partition or sort key has several attributes keeps them in
 * one bytea column, and the digest of a key is taken over the same bytes (digest.c).
 * Each value is written as
 *
 *		its payload, in which a byte 00 becomes 00 FF, and then 00 01
 *
 * The payload of an S, N or B sorts bytewise already (a number by its value),
 * and 00 01 sorts below whatever may continue a longer value, so tuples of the
 * same types sort as their values do, the first one first.  No tuple is a
 * prefix of another one of as many values, and the tuples that begin with
 * given values are exactly those that begin with their bytes: equality on the
 * left attributes and a range on the next is a range of bytes.
 *
 * The encoding is in rows on disk and in the definitions of materialized
 * views: it never changes.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "item/item_int.h"

void
ddb_tuple_append(StringInfo out, DdbValue value, bool whole)
{
	const uint8 *data = value.data;
	const uint8 *end = data + value.len;

	while (data < end)
	{
		const uint8 *zero = memchr(data, 0, end - data);
		const uint8 *stop = zero ? zero + 1 : end;

		appendBinaryStringInfo(out, (const char *) data, stop - data);
		if (zero)
			appendStringInfoChar(out, (char) 0xFF);
		data = stop;
	}
	if (whole)
		appendBinaryStringInfo(out, "\0\1", 2);
}

DdbValue
ddb_tuple(const DdbValue *values, int n)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < n; i++)
		ddb_tuple_append(&out, values[i], true);
	return ddb_value_binary((const uint8 *) out.data, out.len);
}
