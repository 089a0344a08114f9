/*-------------------------------------------------------------------------
 *
 * changelog.c
 *	  What is logged of a change, in the transaction that makes it.
 *
 * Applying goes by state: a row of the log says that an item changed, and what
 * its entries ought to be is read from the item.  Only where the entry *was*
 * cannot be read any more; so a row tells that, and only if it moved or went.
 * Nothing is logged of a change that no entry shows.
 *
 * A row's key is the item's:
 *
 *		length of the partition key (2 bytes), partition key, sort key
 *
 * each as a DdbValue's payload, numbers included.  Its `old` is NULL when every
 * index may be concerned and none has lost an entry.  It is empty when, beyond
 * that, the item is new: nothing stood under its key when it was written.  (A
 * hint: an entry of an item that went before may still stand, until the row that
 * tells of its going has been applied.)  Else it is
 *
 *		number of the indexes concerned (1 byte), 0 for all, and the relation of each
 *		(4 bytes); the attributes that told where lost entries stood, as a map
 *
 * the map being left out when none was lost.  An index that is concerned and
 * finds all of its key's attributes there has lost an entry, or has one where it
 * had: nobody need tell which.  Numbers are in the machine's byte order: a log
 * never leaves its machine.
 *
 * An update that changes the item's own key is two changes: one item goes,
 * another comes.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xact.h"
#include "index/index_int.h"
#include "lib/stringinfo.h"
#include "port/pg_bitutils.h"
#include "utils/guc.h"

static DdbLogWritten log_written = NULL;

void
ddb_index_on_log(DdbLogWritten hook)
{
	log_written = hook;
}

void
ddb_index_has_work(void)
{
	if (log_written)
		log_written();
}

/* ----------------------------------------------------------------------
 * Writing
 * ---------------------------------------------------------------------- */
/* Puts the item's key together. */
static uint32
put_key(uint8 *out, const DdbRecord *record)
{
	DdbValue	partition = record->key.values[0];
	uint16		len = partition.len;

	memcpy(out, &len, sizeof(len));
	memcpy(out + sizeof(len), partition.data, len);
	if (record->schema->nkeys == 1)
		return sizeof(len) + len;
	memcpy(out + sizeof(len) + len, record->key.values[1].data, record->key.values[1].len);
	return sizeof(len) + len + record->key.values[1].len;
}

/* old: NULL or bytes. */
static void
append_row(Oid relid, const DdbRecord *record, const char *old, int old_len)
{
	uint8		key[sizeof(uint16) + DDB_MAX_PARTITION_KEY + DDB_MAX_SORT_KEY];
	DdbLogRow	row = {
		.xid = U64FromFullTransactionId(GetTopFullTransactionId()),
		.table = relid,
		.key = key,
		.key_len = put_key(key, record),
		.old = (const uint8 *) old,
		.old_len = old_len,
	};

	ddb_log_append(&row);
	ddb_index_has_work();
}

/* Adds what told where the entries of these indexes stood. */
static void
add_lost(StringInfo out, const DdbIndexSet *set, const DdbRecord *record, const DdbValue *found,
		 DdbIndexes lost)
{
	DdbValue	values[DDB_MAX_SET_KEYS];

	for (int i = 0; i < set->nkeys; i++)
	{
		values[i] = found[i];
		if ((set->key_of[i] & lost) == 0)
			values[i].data = NULL;
	}
	/* The item's own key is in the row. */
	for (int k = 0; k < record->schema->nkeys; k++)
	{
		int			place = ddb_index_key_place(set, &record->schema->attr[k]);

		if (place >= 0)
			values[place].data = NULL;
	}
	ddb_map_append(out, set->keys, values, set->nkeys);
}

/* A row for some indexes; found is of the item as it was, if some have lost an entry. */
static void
append_for(const DdbIndexSet *set, const DdbRecord *record, DdbIndexes concerned,
		   const DdbValue *found, DdbIndexes lost)
{
	bool		all = concerned == set->global;
	StringInfoData old;

	if (all && lost == 0)
	{
		append_row(set->relid, record, NULL, 0);
		return;
	}
	initStringInfo(&old);
	appendStringInfoChar(&old, all ? 0 : pg_popcount32(concerned));
	for (int i = 0; !all && i < set->n; i++)
	{
		if (concerned & (DdbIndexes) 1 << i)
			appendBinaryStringInfo(&old, (const char *) &set->index[i].relid, sizeof(Oid));
	}
	if (lost)
		add_lost(&old, set, record, found, lost);
	append_row(set->relid, record, old.data, old.len);
}

/* The global indexes whose entries hold something that changes, and whose keys do. */
typedef struct Touched
{
	DdbIndexes	held;
	DdbIndexes	keys;
} Touched;

/* Adds an attribute that changes; *from is where it is looked for, and the next one after. */
static inline void
touch(Touched *touched, const DdbIndexSet *set, DdbName name, int *from)
{
	int			i = *from;

	while (i < set->nattrs && ddb_map_order(set->attrs[i].name, name) < 0)
		i++;
	*from = i;
	touched->held |= set->all & set->global;
	if (i < set->nattrs && ddb_map_order(set->attrs[i].name, name) == 0)
	{
		touched->held |= set->attrs[i].held & set->global;
		touched->keys |= set->attrs[i].keys & set->global;
	}
}

static Touched
touched_by_difference(const DdbIndexSet *set, const DdbRecord *old, const DdbRecord *new)
{
	Touched		touched = {0};
	DdbDifferences differences;
	DdbName		name;
	int			from = 0;

	ddb_differences_begin(&differences, old->map, new->map);
	while (ddb_differences_next(&differences, &name))
		touch(&touched, set, name, &from);
	return touched;
}

/*
 * If it is known which attributes an update assigns, both versions are compared
 * only where one of them matters, and not in detail if it is the only one.
 */
static Touched
find_touched(const DdbIndexSet *set, const DdbRecord *old, const DdbRecord *new,
			 const DdbRowNotes *notes)
{
	Touched		touched = {0};

	if (notes == NULL || notes->nnames == 0)
		return touched_by_difference(set, old, new);
	for (int i = 0; i < notes->nnames; i++)
	{
		int			from = 0;

		touch(&touched, set, notes->names[i], &from);
	}
	if (touched.held == 0)
		return touched;
	if (notes->nnames > 1)
		return touched_by_difference(set, old, new);
	return ddb_value_equal(old->map, new->map) ? (Touched) {0} : touched;
}

/* For which indexes a change must be logged, and which of them lose an entry. */
typedef struct Effect
{
	DdbIndexes	concerned;
	DdbIndexes	lost;
} Effect;

/*
 * An entry whose key has not changed stands if it stood; one whose key has, and
 * which stood, is lost where it was.  found: of new.
 */
static Effect
update_effect(const DdbIndexSet *set, const DdbRecord *old, const DdbRecord *new,
			  const DdbValue *found, const DdbRowNotes *notes)
{
	Effect		effect = {0};
	Touched		touched = find_touched(set, old, new, notes);
	DdbValue	was[DDB_MAX_SET_KEYS];

	if (touched.held == 0)
		return effect;
	if (touched.keys)
	{
		ddb_index_find_keys(set, old, was);
		effect.lost = ddb_index_standing(set, touched.keys, old, was);
	}
	effect.concerned = effect.lost | ddb_index_standing(set, touched.held, new, found);
	return effect;
}

/* old NULL: the item is new. */
static Effect
effect_of(const DdbIndexSet *set, const DdbRecord *old, const DdbRecord *new,
		  const DdbValue *found, const DdbRowNotes *notes)
{
	if (old)
		return update_effect(set, old, new, found, notes);
	return (Effect) {ddb_index_standing(set, set->global, new, found)};
}

static void
written(const DdbIndexSet *set, const DdbRecord *old, const DdbRecord *new,
		const DdbRowNotes *notes)
{
	DdbValue	found[DDB_MAX_SET_KEYS];
	Effect		effect;

	if (notes && notes->version == set->version)
		effect = (Effect) {notes->what[0], notes->what[1]};
	else
	{
		ddb_index_find_keys(set, new, found);
		effect = effect_of(set, old, new, found, NULL);
	}
	if (effect.concerned == 0)
		return;
	if (old == NULL)
	{
		append_row(set->relid, new, "", 0);
		return;
	}
	if (effect.lost)
		ddb_index_find_keys(set, old, found);
	append_for(set, old, effect.concerned, found, effect.lost);
}

static void
deleted(const DdbIndexSet *set, const DdbRecord *old)
{
	DdbValue	found[DDB_MAX_SET_KEYS];
	DdbIndexes	stood;

	ddb_index_find_keys(set, old, found);
	stood = ddb_index_standing(set, set->global, old, found);
	if (stood)
		append_for(set, old, stood, found, stood);
}

static bool
same_item_key(const DdbRecord *a, const DdbRecord *b)
{
	for (int k = 0; k < a->schema->nkeys; k++)
	{
		if (a->key.values[k].data != b->key.values[k].data &&
			!ddb_value_equal(a->key.values[k], b->key.values[k]))
			return false;
	}
	return true;
}

/* ----------------------------------------------------------------------
 * The observer
 * ---------------------------------------------------------------------- */
static bool
wanted(Oid relid)
{
	return ddb_table_indexes(relid) != NULL;
}

static bool
check(Oid relid, const DdbRecord *old, const DdbRecord *row, DdbRowNotes *notes)
{
	const DdbIndexSet *set = ddb_table_indexes(relid);
	DdbValue	found[DDB_MAX_SET_KEYS];
	Effect		effect;

	if (set == NULL)
		return false;
	ddb_index_find_keys(set, row, found);
	ddb_index_check(set, row, found);
	if (notes == NULL)
		return true;
	effect = effect_of(set, old, row, found, notes);
	notes->version = set->version;
	notes->what[0] = effect.concerned;
	notes->what[1] = effect.lost;
	return effect.concerned != 0;
}

static void
changed(Oid relid, const DdbRecord *old, const DdbRecord *new, const DdbRowNotes *notes)
{
	const DdbIndexSet *set = ddb_table_indexes(relid);

	if (set == NULL || set->global == 0)
		return;
	if (new == NULL)
		deleted(set, old);
	else if (old && !same_item_key(old, new))
	{
		deleted(set, old);
		/* Writing to the log may have brought news. */
		set = ddb_table_indexes(relid);
		if (set)
			written(set, NULL, new, NULL);
	}
	else
		written(set, old, new, notes);
}

static bool
is_index(Oid relid)
{
	return OidIsValid(ddb_index_base(relid));
}

static bool
closed(Oid index)
{
	return ddb_index_state(index) == DDB_INDEX_ACTIVE;
}

static const DdbRowObserver observer = {wanted, check, changed, is_index, closed, ddb_index_has_work};

void
ddb_index_init(void)
{
	ddb_observe_rows(&observer);
	ddb_on_index_created(ddb_index_begin);
	ddb_on_table_altered(ddb_index_follow_row_security);
	DefineCustomIntVariable("ddb.index_log_size",
							"Size at which the log of changes for indexes goes on in another table.",
							NULL, &ddb_log_size, 16 * 1024, 64, 1024 * 1024, PGC_SUSET,
							GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("ddb.index_give_up",
							"How long an index may fail before it becomes INACTIVE.",
							NULL, &ddb_index_give_up, 3600, 0, INT_MAX / 1000, PGC_SUSET,
							GUC_UNIT_S, NULL, NULL, NULL);
}

/* ----------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------- */

/* Takes n bytes off the front. */
static const uint8 *
take(const uint8 **bytes, uint32 *len, uint32 n)
{
	const uint8 *taken = *bytes;

	if (n > *len)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("a row of the index log is too short")));
	*bytes += n;
	*len -= n;
	return taken;
}

static DdbValue
take_value(const uint8 **bytes, uint32 *len, DdbType type)
{
	DdbValue	value = {.type = type};
	uint16		size;

	memcpy(&size, take(bytes, len, sizeof(size)), sizeof(size));
	value.data = take(bytes, len, size);
	value.len = size;
	return value;
}

void
ddb_change_key(const DdbKeySchema *schema, const uint8 *bytes, uint32 len, DdbKey *key)
{
	memset(key, 0, sizeof(*key));
	key->values[0] = take_value(&bytes, &len, schema->attr[0].type);
	if (schema->nkeys == 2)
	{
		key->values[1].type = schema->attr[1].type;
		key->values[1].data = bytes;
		key->values[1].len = len;
	}
}

bool
ddb_change_is_insert(const DdbLogRow *row)
{
	return row->old != NULL && row->old_len == 0;
}

void
ddb_change_read(DdbChange *change, const DdbLogRow *row)
{
	const uint8 *bytes = row->old;
	uint32		len = row->old_len;

	*change = (DdbChange) {.lost = {.type = DDB_M}};
	if (len == 0)
		return;
	change->n = *take(&bytes, &len, 1);
	change->indexes = take(&bytes, &len, change->n * sizeof(Oid));
	change->lost.data = bytes;
	change->lost.len = len;
}

Oid
ddb_change_index(const DdbChange *change, int i)
{
	Oid			index;

	memcpy(&index, change->indexes + i * sizeof(Oid), sizeof(Oid));
	return index;
}

bool
ddb_change_old(const DdbChange *change, const DdbIndexDef *def, const DdbKeySchema *schema,
			   const DdbKey *key, const uint8 *digest, DdbEntry *old)
{
	DdbRecord	was = {schema, *key, change->lost};

	if (change->lost.len == 0 || !ddb_index_entry(def, &was, NULL, old))
		return false;
	ddb_index_entry_complete(def, digest, old);
	return true;
}
