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
 * tells of its going has been applied.)  Else it has for each index that is
 * concerned
 *
 *		relation (4 bytes), 0
 *		relation (4 bytes), 1, length (2), index partition key, length (2), index sort key
 *
 * in the machine's byte order: a log never leaves its machine.
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
static void
add_value(StringInfo out, DdbValue value)
{
	uint16		len = value.len;

	appendBinaryStringInfo(out, (char *) &len, sizeof(len));
	appendBinaryStringInfo(out, (const char *) value.data, value.len);
}

static void
add_index(StringInfo out, const DdbIndexDef *def, const DdbEntry *entry)
{
	appendBinaryStringInfo(out, (const char *) &def->relid, sizeof(Oid));
	appendStringInfoChar(out, entry != NULL);
	if (entry)
	{
		add_value(out, entry->ipk);
		add_value(out, entry->has_isk ? entry->isk : ddb_value_string("", 0));
	}
}

/* old: NULL or bytes. */
static void
append_row(Oid relid, const DdbRecord *record, const char *old, int old_len)
{
	DdbLogRow	row = {.table = relid, .old = (const uint8 *) old, .old_len = old_len};
	StringInfoData key;

	initStringInfo(&key);
	add_value(&key, record->key.values[0]);
	if (record->schema->nkeys == 2)
		appendBinaryStringInfo(&key, (const char *) record->key.values[1].data,
							   record->key.values[1].len);
	row.xid = U64FromFullTransactionId(GetTopFullTransactionId());
	row.key = (uint8 *) key.data;
	row.key_len = key.len;
	ddb_log_append(&row);
	ddb_index_has_work();
}

static bool
same_entry_key(const DdbEntry *a, const DdbEntry *b)
{
	return ddb_value_equal(a->ipk, b->ipk) &&
		(!a->has_isk || ddb_value_equal(a->isk, b->isk));
}

static void
inserted(Oid relid, const DdbIndexSet *set, const DdbRecord *new)
{
	DdbEntry	entry;

	for (int i = 0; i < set->n; i++)
	{
		if (!set->index[i].local && ddb_index_entry(&set->index[i], new, NULL, &entry))
		{
			append_row(relid, new, "", 0);
			return;
		}
	}
}

static void
deleted(Oid relid, const DdbIndexSet *set, const DdbRecord *old)
{
	StringInfoData lost;
	DdbEntry	entry;

	initStringInfo(&lost);
	for (int i = 0; i < set->n; i++)
	{
		if (!set->index[i].local && ddb_index_entry(&set->index[i], old, NULL, &entry))
			add_index(&lost, &set->index[i], &entry);
	}
	if (lost.len > 0)
		append_row(relid, old, lost.data, lost.len);
}

/* More changed attributes than this are looked for the other way round. */
#define MAX_NAMES 16

/* An update, and the attributes that it changes. */
typedef struct Update
{
	const DdbRecord *old;
	const DdbRecord *new;
	int			n;
	DdbName		names[MAX_NAMES];
} Update;

/*
 * Does the update change anything of what entries hold?  What is projected
 * includes the index's key.  Asked in this way, an update of one attribute
 * costs little more for ten indexes than for one.
 */
static bool
changes_entries(const Update *update, const DdbIndexDef *def)
{
	if (def->projection == DDB_PROJECT_ALL)
		return update->n > 0;
	if (update->n > MAX_NAMES)
		return !ddb_index_entry_same(def, update->old, update->new);
	for (int i = 0; i < update->n; i++)
	{
		for (int k = 0; k < def->nproject; k++)
		{
			if (def->project[k].len == update->names[i].len &&
				memcmp(def->project[k].data, update->names[i].data, update->names[i].len) == 0)
				return true;
		}
	}
	return false;
}

static void
updated(Oid relid, const DdbIndexSet *set, const DdbRecord *old, const DdbRecord *new)
{
	StringInfoData concerned;
	int			nconcerned = 0;
	bool		lost = false;
	Update		update = {.old = old, .new = new};

	update.n = ddb_map_differences(old->map, new->map, update.names, MAX_NAMES);
	initStringInfo(&concerned);
	for (int i = 0; i < set->n; i++)
	{
		const DdbIndexDef *def = &set->index[i];
		DdbEntry	was,
					is;
		bool		stood,
					stands,
					moved;

		if (def->local || !changes_entries(&update, def))
			continue;
		stood = ddb_index_entry(def, old, NULL, &was);
		stands = ddb_index_entry(def, new, NULL, &is);
		if (!stood && !stands)
			continue;
		moved = stood && !(stands && same_entry_key(&was, &is));
		add_index(&concerned, def, moved ? &was : NULL);
		nconcerned++;
		lost |= moved;
	}
	if (nconcerned == 0)
		return;
	if (lost || nconcerned < set->nglobal)
		append_row(relid, new, concerned.data, concerned.len);
	else
		append_row(relid, new, NULL, 0);
}

static bool
same_item_key(const DdbRecord *a, const DdbRecord *b)
{
	for (int k = 0; k < a->schema->nkeys; k++)
	{
		if (!ddb_value_equal(a->key.values[k], b->key.values[k]))
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

static void
check(Oid relid, const DdbRecord *row)
{
	const DdbIndexSet *set = ddb_table_indexes(relid);

	for (int i = 0; set && i < set->n; i++)
		ddb_index_check(&set->index[i], row);
}

static void
changed(Oid relid, const DdbRecord *old, const DdbRecord *new)
{
	const DdbIndexSet *set = ddb_table_indexes(relid);

	if (set == NULL || set->nglobal == 0)
		return;
	if (old && new && same_item_key(old, new))
	{
		updated(relid, set, old, new);
		return;
	}
	if (old)
		deleted(relid, set, old);
	/* Writing to the log may have brought news. */
	set = ddb_table_indexes(relid);
	if (new && set)
		inserted(relid, set, new);
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
	ddb_on_index_created(ddb_index_announce);
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

static DdbType
entry_type(const DdbKeyAttr *attrs, int n)
{
	return n == 1 ? attrs[0].type : DDB_B;
}

bool
ddb_change_is_insert(const DdbLogRow *row)
{
	return row->old != NULL && row->old_len == 0;
}

bool
ddb_change_concerns_all(const DdbLogRow *row)
{
	return row->old_len == 0;
}

bool
ddb_change_next(DdbChangeScan *scan)
{
	if (scan->len == 0)
		return false;
	memcpy(&scan->index, take(&scan->bytes, &scan->len, sizeof(Oid)), sizeof(Oid));
	scan->has_old = *take(&scan->bytes, &scan->len, 1) != 0;
	if (scan->has_old)
	{
		scan->ipk = take_value(&scan->bytes, &scan->len, DDB_B);
		scan->isk = take_value(&scan->bytes, &scan->len, DDB_B);
	}
	return true;
}

void
ddb_change_old(const DdbChangeScan *scan, const DdbIndexDef *def, const uint8 *digest,
			   DdbEntry *old)
{
	memset(old, 0, sizeof(*old));
	old->ipk = scan->ipk;
	old->ipk.type = entry_type(def->partition, def->npartition);
	old->has_isk = def->nsort > 0;
	if (old->has_isk)
	{
		old->isk = scan->isk;
		old->isk.type = entry_type(def->sort, def->nsort);
	}
	ddb_index_entry_complete(def, digest, old);
}
