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
#include "index/index_int.h"

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

/* The item's attributes, or what ddb_index_find_keys() has found of them. */
typedef struct Source
{
	const DdbRecord *base;
	const DdbValue *found;		/* or NULL: look for them */
} Source;

static inline bool
get_attribute(const Source *source, const DdbKeyAttr *attr, int place, DdbValue *value)
{
	if (source->found == NULL)
		return ddb_record_get(source->base, attr->name, attr->len, value);
	*value = source->found[place];
	return value->data != NULL;
}

static void
read_attributes(const Source *source, const DdbKeyAttr *attrs, const uint8 *places, int n,
				DdbValue *values, uint32 *size, Keys *keys, Fault *fault)
{
	*size = 0;
	for (int i = 0; i < n; i++)
	{
		const DdbKeyAttr *attr = &attrs[i];
		Fault		found = FAULT_NONE;

		if (!get_attribute(source, attr, places[i], &values[i]))
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
read_keys(const DdbIndexDef *def, const DdbRecord *base, const DdbValue *found, Keys *keys)
{
	Source		source = {base, found};
	Fault		fault = FAULT_NONE;

	if (base->schema == NULL)
		return FAULT_ABSENT;
	read_attributes(&source, def->partition, def->partition_at, def->npartition, keys->partition,
					&keys->partition_size, keys, &fault);
	read_attributes(&source, def->sort, def->sort_at, def->nsort, keys->sort, &keys->sort_size,
					keys, &fault);
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
 * All indexes of a table at once
 * ---------------------------------------------------------------------- */

void
ddb_index_find_keys(const DdbIndexSet *set, const DdbRecord *base, DdbValue *found)
{
	ddb_map_get_all(base->map, set->keys, set->nkeys, found);
	for (int k = 0; k < base->schema->nkeys; k++)
	{
		int			place = ddb_index_key_place(set, &base->schema->attr[k]);

		if (place >= 0)
			found[place] = base->key.values[k];
	}
}

int
ddb_index_key_place(const DdbIndexSet *set, const DdbKeyAttr *attr)
{
	for (int i = 0; i < set->nkeys && set->keys[i].len <= attr->len; i++)
	{
		if (set->keys[i].len == attr->len && set->keys[i].data[0] == attr->name[0] &&
			memcmp(set->keys[i].data, attr->name, attr->len) == 0)
			return i;
	}
	return -1;
}

/*
 * Nearly always nothing is wrong: types are right and all keys together so short
 * that they fit any entry.  Then an index has an entry unless it lacks an
 * attribute.  False: they must be looked at one by one.
 */
static bool
surely_well(const DdbIndexSet *set, const DdbRecord *base, const DdbValue *found,
			DdbIndexes *lacking)
{
	uint32		size = base->key.values[0].len;

	if (base->schema->nkeys == 2)
		size += base->key.values[1].len;
	*lacking = 0;
	for (int i = 0; i < set->nkeys; i++)
	{
		if (found[i].data == NULL)
			*lacking |= set->key_of[i];
		else if (found[i].type != set->key_type[i] || found[i].len == 0)
			return false;
		else
			size += found[i].len;
	}
	return size <= DDB_MAX_SORT_KEY && surely_fits(size);
}

DdbIndexes
ddb_index_standing(const DdbIndexSet *set, DdbIndexes among, const DdbRecord *base,
				   const DdbValue *found)
{
	DdbIndexes	lacking;
	DdbIndexes	result = 0;
	Keys		keys;

	if (surely_well(set, base, found, &lacking))
		return among & ~lacking;
	for (int i = 0; i < set->n; i++)
	{
		DdbIndexes	index = (DdbIndexes) 1 << i;

		if ((among & index) && read_keys(&set->index[i], base, found, &keys) == FAULT_NONE)
			result |= index;
	}
	return result;
}

/* ----------------------------------------------------------------------
 * Checks
 * ---------------------------------------------------------------------- */

bool
ddb_index_accepts(const DdbIndexDef *def, const DdbRecord *base)
{
	Keys		keys;

	return read_keys(def, base, NULL, &keys) <= FAULT_ABSENT;
}

static void
check(const DdbIndexDef *def, const DdbRecord *base, const DdbValue *found)
{
	Keys		keys;

	switch (read_keys(def, base, found, &keys))
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

void
ddb_index_check(const DdbIndexSet *set, const DdbRecord *base, const DdbValue *found)
{
	DdbIndexes	lacking;

	if (surely_well(set, base, found, &lacking))
		return;
	for (int i = 0; i < set->n; i++)
		check(&set->index[i], base, found);
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
	if (read_keys(def, base, NULL, &keys) != FAULT_NONE)
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
