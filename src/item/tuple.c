/*-------------------------------------------------------------------------
 *
 * tuple.c
 *	  Several scalars as one string of bytes that sorts as they do.
 *
 * An index whose partition or sort key has several attributes keeps them in
 * one bytea column, and the digest of a key is taken over the same bytes.
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
 * The encoding, the digest and the shard are in rows on disk and in the
 * definitions of materialized views: they never change.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "common/cryptohash.h"
#include "common/sha2.h"
#include "item/item_int.h"
#include "utils/memutils.h"

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

/* ----------------------------------------------------------------------
 * What is computed from an item's key
 * ---------------------------------------------------------------------- */

/*
 * One item has an entry in each of several indexes: the last digest is kept,
 * and known again by the bytes that it was taken over.
 */
static struct
{
	StringInfoData bytes;
	uint8		digest[PG_SHA256_DIGEST_LENGTH];
	bool		valid;
}			kept;

static void
take_digest(void)
{
	pg_cryptohash_ctx *ctx = pg_cryptohash_create(PG_SHA256);

	if (ctx == NULL || pg_cryptohash_init(ctx) < 0 ||
		pg_cryptohash_update(ctx, (const uint8 *) kept.bytes.data, kept.bytes.len) < 0 ||
		pg_cryptohash_final(ctx, kept.digest, sizeof(kept.digest)) < 0)
		elog(ERROR, "could not compute a digest");
	pg_cryptohash_free(ctx);
}

void
ddb_key_digest(const DdbKeySchema *schema, const DdbKey *key, uint8 digest[DDB_ENTRY_DIGEST])
{
	static StringInfoData bytes;

	if (kept.bytes.data == NULL)
	{
		MemoryContext caller = MemoryContextSwitchTo(TopMemoryContext);

		initStringInfo(&bytes);
		initStringInfo(&kept.bytes);
		MemoryContextSwitchTo(caller);
	}
	resetStringInfo(&bytes);
	for (int k = 0; k < schema->nkeys; k++)
		ddb_tuple_append(&bytes, key->values[k], true);

	if (!kept.valid || bytes.len != kept.bytes.len ||
		memcmp(bytes.data, kept.bytes.data, bytes.len) != 0)
	{
		StringInfoData other = kept.bytes;

		kept.valid = false;
		kept.bytes = bytes;
		bytes = other;
		take_digest();
		kept.valid = true;
	}
	memcpy(digest, kept.digest, DDB_ENTRY_DIGEST);
}

int
ddb_key_shard(const uint8 digest[DDB_ENTRY_DIGEST], int shards)
{
	const uint8 *last = digest + DDB_ENTRY_DIGEST - 4;
	uint32		number = (uint32) last[0] << 24 | (uint32) last[1] << 16 | (uint32) last[2] << 8 | last[3];

	return (int) (number % (uint32) shards);
}
