/*-------------------------------------------------------------------------
 *
 * scan_keys.c
 *	  What a scan reads, as scan keys of its index.
 *
 * The columns of an index are
 *
 *		a table's key index		partition key, [sort key]
 *		a local index			partition key, sort key, the table's sort key
 *		a global index			partition key, [shard], [sort key], digest
 *
 * A scan reads a range of places in the order of these columns.  It goes by
 * levels: at level n the first n columns are equal to at[], and column n has a
 * range.  A scan without a start has one level, its last: a collection's is
 * behind the partition key (and the shard), a segment's is 0, for its range is
 * one of partition keys.  A scan that starts after a place has that place in
 * at[] and begins at the last column: first what is equal in all columns but
 * the last and beyond the place there, then what is equal in all but the last
 * two, and so on to the last level.  So any well-formed place will do, whether
 * or not there is an entry.
 *
 * The index checks the scan keys of every entry it passes.  Where the descent
 * has settled a condition already (the bound at which a level begins), the
 * key's function is one that holds always.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/nbtree.h"
#include "storage/scan_int.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

/* ----------------------------------------------------------------------
 * The functions of scan keys
 * ---------------------------------------------------------------------- */
Datum
ddb_always(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(true);
}

#define BYTES_FUNCTION(name, condition) \
static Datum \
name(PG_FUNCTION_ARGS) \
{ \
	int			order = ddb_stored_compare(DDB_B, PG_GETARG_DATUM(0), PG_GETARG_DATUM(1)); \
\
	PG_RETURN_BOOL(condition); \
}

BYTES_FUNCTION(bytes_lt, order < 0)
BYTES_FUNCTION(bytes_le, order <= 0)
BYTES_FUNCTION(bytes_eq, order == 0)
BYTES_FUNCTION(bytes_ge, order >= 0)
BYTES_FUNCTION(bytes_gt, order > 0)

/*
 * By kind and strategy.  Of shards there is only equality, and a bound where a
 * level begins.
 */
static const PGFunction functions[][BTMaxStrategyNumber + 1] = {
	[SCAN_BYTES] = {NULL, bytes_lt, bytes_le, bytes_eq, bytes_ge, bytes_gt},
	[SCAN_NUMBER] = {NULL, numeric_lt, numeric_le, numeric_eq, numeric_ge, numeric_gt},
	[SCAN_SHARD] = {NULL, NULL, NULL, int2eq, NULL, NULL},
};

ScanKind
ddb_scan_kind(DdbType type)
{
	return type == DDB_N ? SCAN_NUMBER : SCAN_BYTES;
}

/* Does the partition key's hash come before the scan's end? */
static Datum
before_end_hash(PG_FUNCTION_ARGS)
{
	DdbScan    *scan = fcinfo->flinfo->fn_extra;
	DdbType		type = scan->kinds[0] == SCAN_NUMBER ? DDB_N : DDB_B;

	PG_RETURN_BOOL(ddb_datum_hash(type, PG_GETARG_DATUM(0)) < scan->end_hash);
}

static void
add_key(DdbScan *scan, int column, StrategyNumber strategy, Datum argument, PGFunction function)
{
	ScanKey		key = &scan->keys[scan->nkeys++];

	memset(key, 0, sizeof(*key));
	key->sk_attno = column + 1;
	key->sk_strategy = strategy;
	key->sk_collation = scan->index->rd_indcollation[column];
	key->sk_func.fn_addr = function;
	key->sk_func.fn_oid = F_BYTEAEQ;
	key->sk_func.fn_nargs = 2;
	key->sk_func.fn_strict = true;
	key->sk_func.fn_mcxt = scan->context;
	key->sk_func.fn_extra = scan;
	key->sk_argument = argument;
}

/* ----------------------------------------------------------------------
 * A level's keys
 * ---------------------------------------------------------------------- */

/* Where the level begins, settled by the descent. */
static void
add_begin(DdbScan *scan)
{
	bool		forward = ScanDirectionIsForward(scan->direction);
	int			column = scan->level;

	if (scan->starts_after)
		add_key(scan, column, forward ? BTGreaterStrategyNumber : BTLessStrategyNumber,
				scan->at[column], ddb_always);
	else if (scan->begins_at_hash)
		add_key(scan, column, BTGreaterEqualStrategyNumber, ddb_hash_bound(scan->first_hash),
				ddb_always);
	else if (scan->begin.given && forward)
		add_key(scan, column, scan->begin.inclusive ? BTGreaterEqualStrategyNumber :
				BTGreaterStrategyNumber, ddb_key_to_datum(scan->begin.value), ddb_always);
	else if (scan->begin.given)
		add_key(scan, column, scan->begin.inclusive ? BTLessEqualStrategyNumber :
				BTLessStrategyNumber, ddb_key_to_datum(scan->begin.value), ddb_always);
}

/* Where the last level ends. */
static void
add_end(DdbScan *scan)
{
	StrategyNumber strategy;

	if (scan->ends_at_hash)
		add_key(scan, 0, BTLessStrategyNumber, PointerGetDatum(scan), before_end_hash);
	if (!scan->end.given)
		return;
	if (ScanDirectionIsForward(scan->direction))
		strategy = scan->end.inclusive ? BTLessEqualStrategyNumber : BTLessStrategyNumber;
	else
		strategy = scan->end.inclusive ? BTGreaterEqualStrategyNumber : BTGreaterStrategyNumber;
	add_key(scan, scan->level, strategy, ddb_key_to_datum(scan->end.value),
			functions[scan->kinds[scan->level]][strategy]);
}

void
ddb_scan_level_keys(DdbScan *scan)
{
	scan->nkeys = 0;
	for (int i = 0; i < scan->level; i++)
		add_key(scan, i, BTEqualStrategyNumber, scan->at[i],
				functions[scan->kinds[i]][BTEqualStrategyNumber]);
	add_begin(scan);
	if (scan->level == scan->last_level)
		add_end(scan);
}

/* ----------------------------------------------------------------------
 * Places
 * ---------------------------------------------------------------------- */

/*
 * What the index tells equal keys apart by: the item's own sort key, or the
 * digest of its key, which also tells the shard.
 */
static void
set_tie(DdbScan *scan, const DdbKey *key)
{
	uint8		digest[DDB_ENTRY_DIGEST];

	if (!scan->by_digest)
	{
		scan->at[scan->tie_at] = ddb_key_to_datum(key->values[1]);
		return;
	}
	ddb_key_digest(&scan->facts.schema, key, digest);
	scan->at[scan->tie_at] = ddb_key_to_datum(ddb_value_binary(digest, sizeof(digest)));
	if (scan->shard_at && scan->last_level < scan->shard_at)
		scan->at[scan->shard_at] = Int16GetDatum(ddb_key_shard(digest, scan->shards));
}

/*
 * Starts after the place, at the last column, or without an item's key after
 * all items of its sort key; its partition is set already.
 */
static void
begin_after(DdbScan *scan, const DdbPlace *after)
{
	if (scan->sort_at)
		scan->at[scan->sort_at] = ddb_key_to_datum(after->sort);
	scan->level = scan->sort_at;
	if (scan->tie_at && after->key.values[0].data)
	{
		set_tie(scan, &after->key);
		scan->level = scan->tie_at;
	}
	scan->starts_after = true;
	scan->done = scan->level < scan->last_level;
}

/* ----------------------------------------------------------------------
 * Collections
 * ---------------------------------------------------------------------- */
static void
condition_bounds(const DdbKeyCondition *condition, ScanBound *low, ScanBound *high)
{
	ScanBound	first = {true, true, condition->low};
	ScanBound	second = {true, true, condition->high};

	switch (condition->op)
	{
		case DDB_KEY_ALL:
			break;
		case DDB_KEY_EQ:
			*low = *high = first;
			break;
		case DDB_KEY_LT:
			first.inclusive = false;
			/* FALLTHROUGH */
		case DDB_KEY_LE:
			*high = first;
			break;
		case DDB_KEY_GT:
			first.inclusive = false;
			/* FALLTHROUGH */
		case DDB_KEY_GE:
			*low = first;
			break;
		case DDB_KEY_BETWEEN:
			*low = first;
			*high = second;
			break;
		case DDB_KEY_BEGINS_WITH:
			*low = first;
			high->given = ddb_value_after_prefix(condition->low, &high->value);
			high->inclusive = false;
			break;
		case DDB_KEY_WITHIN:
			*low = first;
			*high = second;
			high->inclusive = false;
			low->given = condition->low.data != NULL;
			high->given = condition->high.data != NULL;
			break;
	}
}

/* Where a place stands to a bound, seen in the scan's direction. */
static int
order_in_direction(const DdbScan *scan, DdbValue value, const ScanBound *bound)
{
	int			order = ddb_value_compare(value, bound->value);

	return ScanDirectionIsForward(scan->direction) ? order : -order;
}

/*
 * The place may lie before the range, which then begins as it would without,
 * or behind it.
 */
static void
collection_after(DdbScan *scan, const DdbPlace *after)
{
	int			order;

	if (scan->sort_at && scan->begin.given)
	{
		order = order_in_direction(scan, after->sort, &scan->begin);
		if (order < 0 || (order == 0 && !scan->begin.inclusive))
			return;
	}
	if (scan->sort_at && scan->end.given)
	{
		order = order_in_direction(scan, after->sort, &scan->end);
		if (order > 0 || (order == 0 && !scan->end.inclusive))
		{
			scan->done = true;
			return;
		}
		/* What is left is the rest of the last sort key. */
		if (order == 0)
		{
			scan->last_level++;
			scan->end.given = false;
		}
	}
	begin_after(scan, after);
}

void
ddb_scan_set_collection(DdbScan *scan, const DdbKeyCondition *condition, const DdbPlace *after,
						int shard)
{
	bool		forward = ScanDirectionIsForward(scan->direction);

	if (scan->sort_at)
		condition_bounds(condition, forward ? &scan->begin : &scan->end,
						 forward ? &scan->end : &scan->begin);
	scan->at[0] = ddb_key_to_datum(condition->partition);
	if (scan->shard_at)
		scan->at[scan->shard_at] = Int16GetDatum(shard);
	scan->level = scan->last_level = scan->shard_at + 1;
	if (after)
		collection_after(scan, after);
}

/* ----------------------------------------------------------------------
 * Segments: shares of the range of hashes
 * ---------------------------------------------------------------------- */
#define POSITION(hash) ((uint64) (hash) + (UINT64CONST(1) << 63))
#define HASH_AT(position) ((int64) ((position) - (UINT64CONST(1) << 63)))

static inline uint64
segment_width(uint32 total)
{
	return PG_UINT64_MAX / total;
}

bool
ddb_in_segment(DdbValue partition, uint32 segment, uint32 total)
{
	uint64		position = POSITION(ddb_partition_hash(partition));

	return Min(position / segment_width(total), total - 1) == segment;
}

void
ddb_scan_set_segment(DdbScan *scan, uint32 segment, uint32 total, const DdbPlace *after)
{
	scan->begins_at_hash = segment > 0;
	scan->first_hash = HASH_AT(segment * segment_width(total));
	scan->ends_at_hash = segment + 1 < total;
	scan->end_hash = HASH_AT((segment + 1) * segment_width(total));
	scan->level = scan->last_level = 0;
	if (after == NULL)
		return;
	scan->at[0] = ddb_key_to_datum(after->partition);
	begin_after(scan, after);
}
