/*-------------------------------------------------------------------------
 *
 * hash.c
 *	  The order of partition keys: by a 64-bit hash, then by value.
 *
 * Hash first, so that collections spread over the index and a range of hashes
 * is a share of the table; then by value, so that a collection is contiguous.
 * Equality is the type's own "=", which is why the planner, ON CONFLICT and
 * foreign keys use such an index like any other.
 *
 * The hash is part of the on-disk format and never changes: XXH64 with seed 0
 * (github.com/Cyan4973/xxHash, doc/xxhash_spec.md), read as a signed integer
 * for the order, over
 *
 *		text, bytea		the column's bytes (U+0000 and U+0001 as keys.c
 *						escapes them)
 *		numeric			a byte 0 (positive) or 1 (negative), the weight of the
 *						first base-10000 digit as 2 bytes, and the digits
 *						without leading and trailing zeros as 2 bytes each,
 *						all little-endian: 1 and 1.00 are one key.  (NaN and
 *						infinities, which no ddb table holds: 2 and the two
 *						bytes that PostgreSQL marks them with.)
 *
 * A descent compares one search key with some twenty index entries, so the
 * search key's hash is computed once.  lookup.c announces the address of the
 * key it looks for, which is a buffer of its own whose content changes only
 * with another announcement; where an entry has that key, lookup.c decides
 * by the rest of the entry.  Other search keys are remembered by content:
 * whoever calls, and however its memory is reused, the hash fits the bytes.
 *
 * A scan that begins at a hash rather than at a key passes ddb_hash_bound() as
 * its search key.  It is known by its address and sorts before every key of
 * that hash.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/reloptions.h"
#include "catalog/pg_collation.h"
#include "port/pg_bswap.h"
#include "storage/storage_int.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/sortsupport.h"

/* ----------------------------------------------------------------------
 * XXH64
 * ---------------------------------------------------------------------- */
#define PRIME1 UINT64CONST(0x9E3779B185EBCA87)
#define PRIME2 UINT64CONST(0xC2B2AE3D27D4EB4F)
#define PRIME3 UINT64CONST(0x165667B19E3779F9)
#define PRIME4 UINT64CONST(0x85EBCA77C2B2AE63)
#define PRIME5 UINT64CONST(0x27D4EB2F165667C5)

static inline uint64
rotate(uint64 x, int bits)
{
	return (x << bits) | (x >> (64 - bits));
}

static inline uint64
read64(const uint8 *p)
{
	uint64		x;

	memcpy(&x, p, sizeof(x));
#ifdef WORDS_BIGENDIAN
	x = pg_bswap64(x);
#endif
	return x;
}

static inline uint32
read32(const uint8 *p)
{
	uint32		x;

	memcpy(&x, p, sizeof(x));
#ifdef WORDS_BIGENDIAN
	x = pg_bswap32(x);
#endif
	return x;
}

static inline uint64
mix(uint64 acc, uint64 input)
{
	return rotate(acc + input * PRIME2, 31) * PRIME1;
}

static inline uint64
merge(uint64 hash, uint64 acc)
{
	return (hash ^ mix(0, acc)) * PRIME1 + PRIME4;
}

/* The 32-byte stripes of a long input. */
static pg_noinline uint64
hash_stripes(const uint8 *p, size_t len)
{
	uint64		a = PRIME1 + PRIME2;
	uint64		b = PRIME2;
	uint64		c = 0;
	uint64		d = -PRIME1;
	uint64		hash;

	for (; len >= 32; p += 32, len -= 32)
	{
		a = mix(a, read64(p));
		b = mix(b, read64(p + 8));
		c = mix(c, read64(p + 16));
		d = mix(d, read64(p + 24));
	}
	hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
	hash = merge(hash, a);
	hash = merge(hash, b);
	hash = merge(hash, c);
	return merge(hash, d);
}

static pg_attribute_always_inline uint64
hash_bytes_inline(const uint8 *p, size_t len)
{
	const uint8 *end = p + len;
	uint64		hash = PRIME5;

	if (unlikely(len >= 32))
	{
		hash = hash_stripes(p, len);
		p += len & ~(size_t) 31;
	}
	hash += len;
	for (; p + 8 <= end; p += 8)
		hash = rotate(hash ^ mix(0, read64(p)), 27) * PRIME1 + PRIME4;
	if (p + 4 <= end)
	{
		hash = rotate(hash ^ (read32(p) * PRIME1), 23) * PRIME2 + PRIME3;
		p += 4;
	}
	for (; p < end; p++)
		hash = rotate(hash ^ (*p * PRIME5), 11) * PRIME1;

	hash = (hash ^ (hash >> 33)) * PRIME2;
	hash = (hash ^ (hash >> 29)) * PRIME3;
	return hash ^ (hash >> 32);
}

uint64
ddb_hash_bytes(const uint8 *data, size_t len)
{
	return hash_bytes_inline(data, len);
}

/* ----------------------------------------------------------------------
 * Hashes of the three types
 * ---------------------------------------------------------------------- */

/* A varlena's payload, wherever it lies. */
typedef struct Bytes
{
	const uint8 *data;
	uint32		len;
	struct varlena *copy;		/* to be freed, or NULL */
} Bytes;

static pg_noinline Bytes
bytes_open_toasted(Datum datum)
{
	struct varlena *given = (struct varlena *) DatumGetPointer(datum);
	struct varlena *flat = PG_DETOAST_DATUM_PACKED(datum);
	Bytes		bytes = {(const uint8 *) VARDATA_ANY(flat), VARSIZE_ANY_EXHDR(flat),
	flat == given ? NULL : flat};

	return bytes;
}

static inline Bytes
bytes_open(Datum datum)
{
	struct varlena *given = (struct varlena *) DatumGetPointer(datum);

	if (likely(VARATT_IS_1B(given) && !VARATT_IS_1B_E(given)))
		return (Bytes) {(const uint8 *) VARDATA_1B(given), VARSIZE_1B(given) - VARHDRSZ_SHORT};
	if (likely(VARATT_IS_4B_U(given)))
		return (Bytes) {(const uint8 *) VARDATA_4B(given), VARSIZE_4B(given) - VARHDRSZ};
	return bytes_open_toasted(datum);
}

static inline void
bytes_close(Bytes bytes)
{
	if (unlikely(bytes.copy))
		pfree(bytes.copy);
}

static inline int
bytes_compare(Bytes a, Bytes b)
{
	int			order = memcmp(a.data, b.data, Min(a.len, b.len));

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

static int64
hash_plain(const uint8 *data, uint32 len)
{
	return (int64) ddb_hash_bytes(data, len);
}

/*
 * A numeric's stored form (numeric.c) read byte by byte, because an index entry
 * is not aligned: pg_upgrade keeps that form as it keeps ours.
 */
#define NUMERIC_FORM(h)		((h) & 0xC000)
#define NUMERIC_IS_SHORT	0x8000
#define NUMERIC_IS_SPECIAL	0xC000
#define NUMERIC_IS_NEGATIVE 0x4000

static int64
hash_numeric_bytes(const uint8 *data, uint32 len)
{
	uint8		local[64];
	uint8	   *form = len + 4 > sizeof(local) ? palloc(len + 4) : local;
	uint16		header;
	int16		weight;
	uint32		skip;
	uint32		n = 3;
	int64		hash;

	memcpy(&header, data, sizeof(header));
	if (NUMERIC_FORM(header) == NUMERIC_IS_SPECIAL)
	{
		form[0] = 2;
		weight = (int16) header;
		skip = len;
	}
	else if (NUMERIC_FORM(header) == NUMERIC_IS_SHORT)
	{
		form[0] = (header & 0x2000) != 0;
		weight = (header & 0x0040) ? (int16) (~0x003F | (header & 0x003F)) : header & 0x003F;
		skip = sizeof(header);
	}
	else
	{
		form[0] = NUMERIC_FORM(header) == NUMERIC_IS_NEGATIVE;
		memcpy(&weight, data + sizeof(header), sizeof(weight));
		skip = sizeof(header) + sizeof(weight);
	}
	form[1] = (uint16) weight & 0xFF;
	form[2] = (uint16) weight >> 8;
	for (; skip + sizeof(uint16) <= len; skip += sizeof(uint16), n += sizeof(uint16))
	{
		uint16		digit;

		memcpy(&digit, data + skip, sizeof(digit));
		form[n] = digit & 0xFF;
		form[n + 1] = digit >> 8;
	}
	hash = (int64) ddb_hash_bytes(form, n);
	if (form != local)
		pfree(form);
	return hash;
}

/* ----------------------------------------------------------------------
 * Comparison
 * ---------------------------------------------------------------------- */

/* What makes one class differ from another. */
typedef struct HashClass
{
	int64		(*hash) (const uint8 *data, uint32 len);
	bool		numeric;		/* ties are broken by value, not by bytes */
} HashClass;

static const HashClass text_class = {hash_plain, false};
static const HashClass numeric_class = {hash_numeric_bytes, true};
static const HashClass bytea_class = {hash_plain, false};

/*
 * The search keys whose hash is known: by address the one that lookup.c looks
 * for, by content the last one of anybody else's.
 */
static struct
{
	const void *address;
	Bytes		bytes;
	uint64		tail;			/* its last eight bytes, if it has as many */
	int64		hash;
	DdbEntryOrder rest;
}			announced;

static struct
{
	const HashClass *class;
	uint32		len;
	uint64		head;			/* its first and last eight bytes, if it has as many */
	uint64		tail;
	int64		hash;
	uint8		data[DDB_MAX_PARTITION_KEY];
}			last;

static inline uint64
tail_of(Bytes bytes)
{
	uint64		tail = 0;

	if (likely(bytes.len >= sizeof(tail)))
		memcpy(&tail, bytes.data + bytes.len - sizeof(tail), sizeof(tail));
	return tail;
}

static inline uint64
head_of(Bytes bytes)
{
	uint64		head = 0;

	if (likely(bytes.len >= sizeof(head)))
		memcpy(&head, bytes.data, sizeof(head));
	return head;
}

void
ddb_hash_announce(Datum key, DdbType type, DdbEntryOrder rest)
{
	announced.address = DatumGetPointer(key);
	announced.bytes = bytes_open(key);
	announced.tail = tail_of(announced.bytes);
	announced.hash = ddb_datum_hash(type, key);
	announced.rest = rest;
}

/* Are these the announced key's bytes?  The tail mostly tells. */
static inline bool
is_announced(Bytes bytes)
{
	return bytes.len == announced.bytes.len && tail_of(bytes) == announced.tail &&
		memcmp(bytes.data, announced.bytes.data, bytes.len) == 0;
}

void
ddb_hash_withdraw(void)
{
	announced.address = NULL;
}

/* From eight to sixteen bytes, head and tail are all there is. */
static inline bool
is_last(const HashClass *class, Bytes key)
{
	if (last.class != class || last.len != key.len || last.tail != tail_of(key) ||
		last.head != head_of(key))
		return false;
	return (key.len >= sizeof(last.head) && key.len <= 2 * sizeof(last.head)) ||
		memcmp(last.data, key.data, key.len) == 0;
}

static pg_noinline int64
remember(const HashClass *class, Bytes key)
{
	if (key.len > sizeof(last.data))
		return class->hash(key.data, key.len);
	last.class = class;
	last.len = key.len;
	last.head = head_of(key);
	last.tail = tail_of(key);
	last.hash = class->hash(key.data, key.len);
	memcpy(last.data, key.data, key.len);
	return last.hash;
}

/* The search key that is a hash: an empty varlena, and what it stands for. */
static struct
{
	int32		header;
	int64		hash;
}			bound;

Datum
ddb_hash_bound(int64 hash)
{
	SET_VARSIZE(&bound, VARHDRSZ);
	bound.hash = hash;
	return PointerGetDatum(&bound);
}

static pg_noinline int
break_tie(const HashClass *class, Datum a, Datum b)
{
	Bytes		left;
	Bytes		right;
	int			order;

	if (class->numeric)
		return DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
	left = bytes_open(a);
	right = bytes_open(b);
	order = bytes_compare(left, right);
	bytes_close(left);
	bytes_close(right);
	return order;
}

/* `hash` is the hash of `a`. */
static pg_noinline int
compare_remembered(const HashClass *class, int64 hash, Datum a, Datum b)
{
	Bytes		right;
	int64		other;

	if (DatumGetPointer(b) == (Pointer) &bound)
		return hash < bound.hash ? -1 : 1;
	right = bytes_open(b);
	other = likely(is_last(class, right)) ? last.hash : remember(class, right);
	bytes_close(right);
	if (hash != other)
		return hash < other ? -1 : 1;
	return break_tie(class, a, b);
}

static pg_noinline int
break_announced_tie(const HashClass *class, Datum a, Datum b)
{
	int			order = break_tie(class, a, b);

	return order ? order : announced.rest(a);
}

/* `b` is the search key, where one side is. */
static pg_attribute_always_inline int
hash_compare(const HashClass *class, Datum a, Datum b)
{
	Bytes		left = bytes_open(a);
	bool		sought = likely(DatumGetPointer(b) == announced.address);
	int64		hash;

	/* The entries of the key's own collection need no hash. */
	if (sought && is_announced(left))
	{
		bytes_close(left);
		return announced.rest(a);
	}
	hash = class->numeric ? class->hash(left.data, left.len) :
		(int64) hash_bytes_inline(left.data, left.len);
	bytes_close(left);
	if (unlikely(!sought))
		return compare_remembered(class, hash, a, b);
	if (likely(hash != announced.hash))
		return hash < announced.hash ? -1 : 1;
	return break_announced_tie(class, a, b);
}

/*
 * "=" of a nondeterministic collation holds for unequal bytes, which have
 * unequal hashes: such a column cannot be ordered by them.
 */
static pg_noinline void
check_other_collation(Oid collation)
{
	if (collation == DEFAULT_COLLATION_OID || !OidIsValid(collation) ||
		get_collation_isdeterministic(collation))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("nondeterministic collations are not supported for operator class \"%s\"",
					"text_hash_ops")));
}

static inline void
check_collation(Oid collation)
{
	if (unlikely(collation != C_COLLATION_OID))
		check_other_collation(collation);
}

#define no_collation(collation) ((void) 0)

/* The SQL functions of a class: order, the four inequalities, the hash. */
#define HASH_CLASS_FUNCTION(name, type, check, result) \
PG_FUNCTION_INFO_V1(name); \
Datum \
name(PG_FUNCTION_ARGS) \
{ \
	int			order; \
\
	check(PG_GET_COLLATION()); \
	order = hash_compare(&type##_class, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)); \
	result; \
}

#define HASH_CLASS_FUNCTIONS(type, check) \
extern Datum ddb_##type##_hash_lt(PG_FUNCTION_ARGS); \
extern Datum ddb_##type##_hash_le(PG_FUNCTION_ARGS); \
extern Datum ddb_##type##_hash_ge(PG_FUNCTION_ARGS); \
extern Datum ddb_##type##_hash_gt(PG_FUNCTION_ARGS); \
HASH_CLASS_FUNCTION(ddb_##type##_hash_cmp, type, check, PG_RETURN_INT32(order)) \
HASH_CLASS_FUNCTION(ddb_##type##_hash_lt, type, check, PG_RETURN_BOOL(order < 0)) \
HASH_CLASS_FUNCTION(ddb_##type##_hash_le, type, check, PG_RETURN_BOOL(order <= 0)) \
HASH_CLASS_FUNCTION(ddb_##type##_hash_ge, type, check, PG_RETURN_BOOL(order >= 0)) \
HASH_CLASS_FUNCTION(ddb_##type##_hash_gt, type, check, PG_RETURN_BOOL(order > 0)) \
PG_FUNCTION_INFO_V1(ddb_##type##_hash); \
extern Datum ddb_##type##_hash(PG_FUNCTION_ARGS); \
Datum \
ddb_##type##_hash(PG_FUNCTION_ARGS) \
{ \
	Bytes		key = bytes_open(PG_GETARG_DATUM(0)); \
\
	PG_RETURN_INT64(type##_class.hash(key.data, key.len)); \
}

HASH_CLASS_FUNCTIONS(text, check_collation)
HASH_CLASS_FUNCTIONS(numeric, no_collation)
HASH_CLASS_FUNCTIONS(bytea, no_collation)

/* The hash of key columns' values: of a partition key, and for key locks. */
int64
ddb_datum_hash(DdbType type, Datum datum)
{
	Bytes		key = bytes_open(datum);
	int64		hash = type == DDB_N ? hash_numeric_bytes(key.data, key.len) :
		hash_plain(key.data, key.len);

	bytes_close(key);
	return hash;
}

int64
ddb_partition_hash(DdbValue partition_key)
{
	Datum		datum = ddb_key_to_datum(partition_key);
	int64		hash = ddb_datum_hash(partition_key.type, datum);

	pfree(DatumGetPointer(datum));
	return hash;
}

/* ----------------------------------------------------------------------
 * Sorting: the hash is the abbreviated key, and hardly ever ties
 * ---------------------------------------------------------------------- */
static int
sort_compare(Datum a, Datum b, SortSupport ssup)
{
	const HashClass *class = ssup->ssup_extra;
	Bytes		left = bytes_open(a);
	Bytes		right = bytes_open(b);
	int64		hash = class->hash(left.data, left.len);
	int64		other = class->hash(right.data, right.len);

	bytes_close(left);
	bytes_close(right);
	if (hash != other)
		return hash < other ? -1 : 1;
	return break_tie(class, a, b);
}

#if SIZEOF_DATUM >= 8
static Datum
abbreviate(Datum original, SortSupport ssup)
{
	const HashClass *class = ssup->ssup_extra;
	Bytes		key = bytes_open(original);
	int64		hash = class->hash(key.data, key.len);

	bytes_close(key);
	return Int64GetDatum(hash);
}

static bool
never_abort(int memtupcount, SortSupport ssup)
{
	return false;
}
#endif

static void
sort_setup(SortSupport ssup, const HashClass *class)
{
	ssup->ssup_extra = unconstify(HashClass *, class);
	ssup->comparator = sort_compare;
#if SIZEOF_DATUM >= 8
	if (ssup->abbreviate)
	{
		ssup->comparator = ssup_datum_signed_cmp;
		ssup->abbrev_converter = abbreviate;
		ssup->abbrev_abort = never_abort;
		ssup->abbrev_full_comparator = sort_compare;
	}
#endif
}

PG_FUNCTION_INFO_V1(ddb_text_hash_sortsupport);
PG_FUNCTION_INFO_V1(ddb_numeric_hash_sortsupport);
PG_FUNCTION_INFO_V1(ddb_bytea_hash_sortsupport);
extern Datum ddb_text_hash_sortsupport(PG_FUNCTION_ARGS);
extern Datum ddb_numeric_hash_sortsupport(PG_FUNCTION_ARGS);
extern Datum ddb_bytea_hash_sortsupport(PG_FUNCTION_ARGS);

Datum
ddb_text_hash_sortsupport(PG_FUNCTION_ARGS)
{
	SortSupport ssup = (SortSupport) PG_GETARG_POINTER(0);

	check_collation(ssup->ssup_collation);
	sort_setup(ssup, &text_class);
	PG_RETURN_VOID();
}

Datum
ddb_numeric_hash_sortsupport(PG_FUNCTION_ARGS)
{
	sort_setup((SortSupport) PG_GETARG_POINTER(0), &numeric_class);
	PG_RETURN_VOID();
}

Datum
ddb_bytea_hash_sortsupport(PG_FUNCTION_ARGS)
{
	sort_setup((SortSupport) PG_GETARG_POINTER(0), &bytea_class);
	PG_RETURN_VOID();
}

/* ----------------------------------------------------------------------
 * The classes' parameters: the names of the key attributes
 * ---------------------------------------------------------------------- */
static void
check_key_name(const char *name)
{
	if (name && strlen(name) > DDB_MAX_KEY_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the name of a key attribute has at most %d bytes", DDB_MAX_KEY_NAME)));
	if (name && name[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the name of a key attribute must not be empty")));
}

PG_FUNCTION_INFO_V1(ddb_key_options);
extern Datum ddb_key_options(PG_FUNCTION_ARGS);

Datum
ddb_key_options(PG_FUNCTION_ARGS)
{
	local_relopts *relopts = (local_relopts *) PG_GETARG_POINTER(0);

	init_local_reloptions(relopts, sizeof(DdbKeyOptions));
	add_local_string_reloption(relopts, "partition_key", "name of the partition key attribute",
							   NULL, check_key_name, NULL,
							   offsetof(DdbKeyOptions, partition_key));
	add_local_string_reloption(relopts, "sort_key", "name of the sort key attribute",
							   NULL, check_key_name, NULL,
							   offsetof(DdbKeyOptions, sort_key));
	PG_RETURN_VOID();
}
