/*-------------------------------------------------------------------------
 *
 * digest.c
 *	  What is computed from an item's key for its entries in indexes.
 *
 * An entry knows its item by a digest of the item's key: 16 bytes whatever the
 * key, which make entries with equal index keys distinct and give them an
 * order.  It is cryptographic, or somebody who may choose keys could make two
 * that an index cannot tell apart.  Which of an index's shards the item is in
 * follows from the same digest.
 *
 * Both are in rows on disk and in the definitions of materialized views: they
 * never change.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "common/cryptohash.h"
#include "common/sha2.h"
#include "item/item_int.h"
#include "utils/memutils.h"

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
