/*-------------------------------------------------------------------------
 *
 * projection.c
 *	  From an item to its entry in an index, and what an index refuses.
 *
 * An item stands in an index when it has all of the index's key attributes.
 * A write that gives one of them a wrong type, no length or too much of it is
 * refused; an item that was there before the index may have such an attribute
 * and is left out.  What the entries of a global index are is said twice: here
 * for the writers and the worker, and in the materialized view's query for
 * PostgreSQL (fn_index.c).  They must agree to the byte, for after a REFRESH
 * the worker goes on where the query left off.
 *
 * Limits of length are those of table keys, of several attributes together.
 * The key index's entry holds less than the longest keys of DynamoDB; what
 * would not fit is refused (storage/keys.c).
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "index/index.h"

/* What a global index's entry takes beside its key: digest, shard, alignment. */
#define ENTRY_REST 40

/* What is wrong with an item for an index; all but ABSENT refuse a write. */
typedef enum Fault
{
	FAULT_NONE,
	FAULT_ABSENT,				/* sparse: a key attribute is missing */
	FAULT_TYPE,
	FAULT_EMPTY,
	FAULT_LONG_PARTITION,
	FAULT_LONG_SORT,
	FAULT_LONG_ENTRY,
} Fault;

/* The index key's values, and where a fault is. */
typedef struct Keys
{
	DdbValue	partition[DDB_MAX_INDEX_KEYS];
	DdbValue	sort[DDB_MAX_INDEX_KEYS];
	uint32		partition_size;
	uint32		sort_size;
	const DdbKeyAttr *attr;		/* of FAULT_TYPE and FAULT_EMPTY */
	DdbValue	value;
} Keys;

static void
read_attributes(const DdbRecord *base, const DdbKeyAttr *attrs, int n, DdbValue *values,
				uint32 *size, Keys *keys, Fault *fault)
{
	*size = 0;
	for (int i = 0; i < n; i++)
	{
		const DdbKeyAttr *attr = &attrs[i];
		Fault		found = FAULT_NONE;

		if (!ddb_record_get(base, attr->name, attr->len, &values[i]))
			found = FAULT_ABSENT;
		else if (values[i].type != attr->type)
			found = FAULT_TYPE;
		else if (values[i].len == 0)
			found = FAULT_EMPTY;
		else
			*size += values[i].len;

		/* A missing attribute does not excuse another one's type. */
		if (found != FAULT_NONE && (*fault == FAULT_NONE || *fault == FAULT_ABSENT))
		{
			*fault = found;
			keys->attr = attr;
			keys->value = values[i];
		}
	}
}

/* By far the most keys need no closer look: an escape doubles a byte at most. */
static inline bool
surely_fits(uint32 size)
{
	return 2 * size <= DDB_KEY_ALWAYS_FITS;
}

/* A column of one attribute is typed, that of several is a tuple. */
static DdbValue
key_column(const DdbValue *values, int n)
{
	return n == 1 ? values[0] : ddb_tuple(values, n);
}

static bool
entry_fits(const Keys *keys, int npartition, int nsort)
{
	DdbValue	columns[2];
	int			n = 0;

	if (surely_fits(keys->partition_size + keys->sort_size))
		return true;
	columns[n++] = key_column(keys->partition, npartition);
	if (nsort > 0)
		columns[n++] = key_column(keys->sort, nsort);
	return ddb_key_columns_fit(columns, n, ENTRY_REST);
}

static bool
local_entry_fits(const DdbRecord *base, const Keys *keys)
{
	DdbValue	columns[3] = {base->key.values[0], keys->sort[0], base->key.values[1]};

	return surely_fits(keys->partition_size + keys->sort_size + columns[2].len) ||
		ddb_key_columns_fit(columns, 3, 0);
}

/* Of keys that are there and well. */
static Fault
check_lengths(const Keys *keys, int npartition, int nsort)
{
	if (keys->partition_size > DDB_MAX_PARTITION_KEY)
		return FAULT_LONG_PARTITION;
	if (keys->sort_size > DDB_MAX_SORT_KEY)
		return FAULT_LONG_SORT;
	return entry_fits(keys, npartition, nsort) ? FAULT_NONE : FAULT_LONG_ENTRY;
}

static Fault
read_keys(const DdbIndexDef *def, const DdbRecord *base, Keys *keys)
{
	Fault		fault = FAULT_NONE;

	if (base->schema == NULL)
		return FAULT_ABSENT;
	read_attributes(base, def->partition, def->npartition, keys->partition,
					&keys->partition_size, keys, &fault);
	read_attributes(base, def->sort, def->nsort, keys->sort, &keys->sort_size, keys, &fault);
	if (fault == FAULT_NONE)
		fault = check_lengths(keys, def->npartition, def->nsort);
	if (fault == FAULT_NONE && def->local && !local_entry_fits(base, keys))
		fault = FAULT_LONG_ENTRY;
	return fault;
}

bool
ddb_index_key_fits(const DdbValue *values, int npartition, int nsort)
{
	Keys		keys = {0};

	for (int i = 0; i < npartition; i++)
	{
		keys.partition[i] = values[i];
		keys.partition_size += values[i].len;
	}
	for (int i = 0; i < nsort; i++)
	{
		keys.sort[i] = values[npartition + i];
		keys.sort_size += values[npartition + i].len;
	}
	return check_lengths(&keys, npartition, nsort) == FAULT_NONE;
}

/* ----------------------------------------------------------------------
 * Checks
 * ---------------------------------------------------------------------- */

bool
ddb_index_accepts(const DdbIndexDef *def, const DdbRecord *base)
{
	Keys		keys;

	return read_keys(def, base, &keys) <= FAULT_ABSENT;
}

void
ddb_index_check(const DdbIndexDef *def, const DdbRecord *base)
{
	Keys		keys;

	switch (read_keys(def, base, &keys))
	{
		case FAULT_NONE:
		case FAULT_ABSENT:
			break;
		case FAULT_TYPE:
			ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Type mismatch for Index Key %s Expected: %s Actual: %s IndexName: %s",
					  keys.attr->name, ddb_type_name(keys.attr->type),
					  ddb_type_name(keys.value.type), def->name);
		case FAULT_EMPTY:
			ddb_raise(DDB_VALIDATION, "One or more parameter values are not valid. A value specified for a secondary index key is not supported. The AttributeValue for a key attribute cannot contain an empty %s value. IndexName: %s, IndexKey: %s",
					  keys.value.type == DDB_S ? "string" : "binary", def->name, keys.attr->name);
		case FAULT_LONG_PARTITION:
			ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of%d bytes. IndexName: %s",
					  DDB_MAX_PARTITION_KEY, def->name);
		case FAULT_LONG_SORT:
			ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of %d bytes. IndexName: %s",
					  DDB_MAX_SORT_KEY, def->name);
		case FAULT_LONG_ENTRY:
			ddb_raise_hint(DDB_VALIDATION,
						   "An index entry of PostgreSQL holds less than the longest keys of DynamoDB.",
						   "One or more parameter values were invalid: The key does not fit an index entry. IndexName: %s",
						   def->name);
	}
}

/* ----------------------------------------------------------------------
 * Entries
 * ---------------------------------------------------------------------- */

/* The value if it is one of these, which have been read. */
static bool
get_read(const DdbKeyAttr *attrs, const DdbValue *values, int n, const DdbName *name,
		 DdbValue *value)
{
	for (int i = 0; i < n; i++)
	{
		if (attrs[i].len == name->len && memcmp(attrs[i].name, name->data, name->len) == 0)
		{
			*value = values[i];
			return true;
		}
	}
	return false;
}

static DdbValue
project(const DdbIndexDef *def, DdbValue map, const Keys *keys)
{
	DdbBuilder *b;

	if (def->projection == DDB_PROJECT_ALL)
		return map;
	b = ddb_builder_begin(DDB_M);
	for (int i = 0; i < def->nproject; i++)
	{
		const DdbName *name = &def->project[i];
		DdbValue	value;

		if (get_read(def->partition, keys->partition, def->npartition, name, &value) ||
			get_read(def->sort, keys->sort, def->nsort, name, &value) ||
			ddb_map_get(map, name->data, name->len, &value))
			ddb_builder_put(b, name->data, name->len, value);
	}
	return ddb_builder_finish(b, DDB_DUPLICATES_ERROR);
}

void
ddb_index_entry_complete(const DdbIndexDef *def, const uint8 *digest, DdbEntry *entry)
{
	memcpy(entry->digest, digest, DDB_ENTRY_DIGEST);
	entry->shard = def->shards > 0 ? ddb_key_shard(digest, def->shards) : -1;
}

bool
ddb_index_entry(const DdbIndexDef *def, const DdbRecord *base, const uint8 *digest,
				DdbEntry *entry)
{
	Keys		keys;

	Assert(!def->local);
	if (read_keys(def, base, &keys) != FAULT_NONE)
		return false;
	memset(entry, 0, sizeof(*entry));
	entry->ipk = key_column(keys.partition, def->npartition);
	entry->has_isk = def->nsort > 0;
	if (entry->has_isk)
		entry->isk = key_column(keys.sort, def->nsort);
	if (digest)
	{
		ddb_index_entry_complete(def, digest, entry);
		entry->item = project(def, base->map, &keys);
	}
	return true;
}

/* ----- the same entry? ----- */

static bool
same_values(const DdbValue *a, const DdbValue *b, int n)
{
	for (int i = 0; i < n; i++)
		if (!ddb_value_equal(a[i], b[i]))
			return false;
	return true;
}

static bool
same_projection(const DdbIndexDef *def, DdbValue a, DdbValue b)
{
	if (def->projection == DDB_PROJECT_ALL)
		return ddb_value_equal(a, b);
	for (int i = 0; i < def->nproject; i++)
	{
		DdbName		name = def->project[i];
		DdbValue	x,
					y;
		bool		in_a = ddb_map_get(a, name.data, name.len, &x);
		bool		in_b = ddb_map_get(b, name.data, name.len, &y);

		if (in_a != in_b || (in_a && !ddb_value_equal(x, y)))
			return false;
	}
	return true;
}

bool
ddb_index_entry_same(const DdbIndexDef *def, const DdbRecord *a, const DdbRecord *b)
{
	Keys		x,
				y;
	bool		in_a = read_keys(def, a, &x) == FAULT_NONE;
	bool		in_b = read_keys(def, b, &y) == FAULT_NONE;

	if (!in_a || !in_b)
		return in_a == in_b;
	return same_values(x.partition, y.partition, def->npartition) &&
		same_values(x.sort, y.sort, def->nsort) &&
		same_values(a->key.values, b->key.values, a->schema->nkeys) &&
		same_projection(def, a->map, b->map);
}
