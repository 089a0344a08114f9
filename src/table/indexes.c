/*-------------------------------------------------------------------------
 *
 * indexes.c
 *	  Which secondary indexes a table has: ddb.secondary_index, cached.
 *
 * A row of ddb.secondary_index says what an index is, keyed by names as text
 * like ddb.catalog, and for the same reason.  An index lives in its table's
 * schema (events.c keeps it there), so schema, table and the index's relation
 * name say where both are.  A row is believed only while they fit: a
 * materialized view of the table's owner under the table's access method, or an
 * index of the table.  (The owner: else whoever came by the name would be
 * handed the table's items, and have his functions run as its owner.)  Rows
 * that do not fit, or that nobody can read, are as if they were not there.
 *
 * The access method asks for a table's indexes at every write, so they are
 * kept in a cache by the table's OID, loaded by a scan of the catalog without
 * SPI and without a lock on any index.  Whatever changes a row of the catalog
 * invalidates the table's relcache entry (ddb.index_changed(), a trigger), and
 * what becomes of the relations themselves comes as their own invalidations:
 * either marks the kept set as stale.  It is freed when its table is asked for
 * again, so an answer stays readable while its caller works with it.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/index.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "table/table_int.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

/* Columns of ddb.secondary_index. */
enum
{
	SCHEMA_NAME = 1,
	RELATION_NAME,
	INDEX_NAME,
	INDEX_RELATION,
	DEFINITION,
};

typedef struct CachedSet
{
	Oid			relid;			/* hash key: the table */
	bool		valid;
	MemoryContext context;		/* of the set; NULL while there is none */
	DdbIndexSet *set;			/* NULL: no indexes */
} CachedSet;

typedef struct CachedIndex
{
	Oid			relid;			/* hash key: an index's relation */
	Oid			base;
} CachedIndex;

static HTAB *sets = NULL;
static HTAB *indexes = NULL;
static CachedSet *last = NULL;	/* asked for; entries never go */

/* ----------------------------------------------------------------------
 * Invalidation
 * ---------------------------------------------------------------------- */

static void
invalidate_set(Oid relid)
{
	CachedSet  *cached = hash_search(sets, &relid, HASH_FIND, NULL);

	if (cached)
		cached->valid = false;
}

static void
invalidated(Datum arg, Oid relid)
{
	CachedIndex *index;

	if (relid == InvalidOid)
	{
		HASH_SEQ_STATUS all;
		CachedSet  *cached;

		hash_seq_init(&all, sets);
		while ((cached = hash_seq_search(&all)) != NULL)
			cached->valid = false;
		return;
	}
	invalidate_set(relid);
	index = hash_search(indexes, &relid, HASH_FIND, NULL);
	if (index)
		invalidate_set(index->base);
}

static void
make_cache(void)
{
	HASHCTL		ctl = {.keysize = sizeof(Oid), .hcxt = CacheMemoryContext};

	ctl.entrysize = sizeof(CachedIndex);
	indexes = hash_create("ddb indexes", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	ctl.entrysize = sizeof(CachedSet);
	sets = hash_create("ddb tables with indexes", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	CacheRegisterRelcacheCallback(invalidated, (Datum) 0);
}

/* ----------------------------------------------------------------------
 * Loading
 * ---------------------------------------------------------------------- */

static bool
relation_form(Oid relid, FormData_pg_class *form)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));

	if (!HeapTupleIsValid(tuple))
		return false;
	memcpy(form, GETSTRUCT(tuple), sizeof(*form));
	ReleaseSysCache(tuple);
	return true;
}

/* Is that relation what the definition says, of this table? */
static bool
relation_fits(const FormData_pg_class *table, const DdbIndexDef *def)
{
	FormData_pg_class index;

	if (!OidIsValid(def->relid) || !relation_form(def->relid, &index))
		return false;
	if (def->local)
		return index.relkind == RELKIND_INDEX && IndexGetRelation(def->relid, true) == table->oid;
	return index.relkind == RELKIND_MATVIEW && index.relam == table->relam &&
		index.relowner == table->relowner;
}

/* A text column, palloc'd. */
static char *
get_text(Relation catalog, HeapTuple tuple, int column)
{
	bool		isnull;

	return TextDatumGetCString(heap_getattr(tuple, column, RelationGetDescr(catalog), &isnull));
}

static bool
read_row(Relation catalog, HeapTuple tuple, const FormData_pg_class *table, DdbIndexDef *def)
{
	bool		isnull;
	Datum		definition = heap_getattr(tuple, DEFINITION, RelationGetDescr(catalog), &isnull);
	char	   *name = get_text(catalog, tuple, INDEX_NAME);

	memset(def, 0, sizeof(*def));
	if (strlcpy(def->name, name, sizeof(def->name)) >= sizeof(def->name) ||
		!ddb_index_definition_read(DatumGetJsonbP(definition), def))
		return false;
	def->relid = get_relname_relid(get_text(catalog, tuple, INDEX_RELATION), table->relnamespace);
	return relation_fits(table, def);
}

/* Opens ddb's catalog of indexes and one of its btrees; NULL if it is not there (yet). */
static Relation
open_catalog(const char *btree, Oid *btree_oid)
{
	Oid			schema = get_namespace_oid("ddb", true);
	Oid			relid = OidIsValid(schema) ? get_relname_relid("secondary_index", schema) : InvalidOid;

	*btree_oid = OidIsValid(relid) ? get_relname_relid(btree, schema) : InvalidOid;
	return OidIsValid(*btree_oid) ? try_relation_open(relid, AccessShareLock) : NULL;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(((const DdbIndexDef *) a)->name, ((const DdbIndexDef *) b)->name);
}

/* What becomes of the relation, whether it fits or does not yet, is the table's affair. */
static void
remember_index(Oid relid, Oid base)
{
	CachedIndex *index = hash_search(indexes, &relid, HASH_ENTER, NULL);

	index->base = base;
}

/* Appends what the catalog has of this table to the set. */
static void
scan_catalog(Relation catalog, Oid btree, const FormData_pg_class *table, DdbIndexSet *set)
{
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	DdbIndexDef *def;
	int			room = 0;

	ScanKeyInit(&keys[0], SCHEMA_NAME, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(get_namespace_name(table->relnamespace)));
	ScanKeyInit(&keys[1], RELATION_NAME, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(NameStr(table->relname)));
	scan = systable_beginscan(catalog, btree, true, NULL, 2, keys);
	while (set->n < DDB_MAX_INDEXES && (tuple = systable_getnext(scan)) != NULL)
	{
		if (set->n == room)
		{
			room = room ? 2 * room : 4;
			set->index = set->index ? repalloc_array(set->index, DdbIndexDef, room)
				: palloc_array(DdbIndexDef, room);
		}
		def = &set->index[set->n];
		set->n += read_row(catalog, tuple, table, def);
		if (OidIsValid(def->relid))
			remember_index(def->relid, table->oid);
	}
	systable_endscan(scan);
	if (set->n > 1)
		qsort(set->index, set->n, sizeof(DdbIndexDef), compare_names);
}

/* ----- what all of them name ----- */

static int
compare_attrs(const void *a, const void *b)
{
	return ddb_map_order(((const DdbIndexAttr *) a)->name, ((const DdbIndexAttr *) b)->name);
}

static int
add_keys(DdbIndexAttr *attrs, const DdbKeyAttr *keys, int n, DdbIndexes index)
{
	for (int i = 0; i < n; i++)
		attrs[i] = (DdbIndexAttr) {{keys[i].name, keys[i].len}, index, index};
	return n;
}

/* All names, with duplicates and without order. */
static int
collect_attrs(const DdbIndexSet *set, DdbIndexAttr *attrs)
{
	int			n = 0;

	for (int i = 0; i < set->n; i++)
	{
		const DdbIndexDef *def = &set->index[i];
		DdbIndexes	index = (DdbIndexes) 1 << i;

		n += add_keys(attrs + n, def->partition, def->npartition, index);
		n += add_keys(attrs + n, def->sort, def->nsort, index);
		for (int k = 0; k < def->nproject; k++)
			attrs[n++] = (DdbIndexAttr) {def->project[k], 0, index};
	}
	return n;
}

static int
merge_attrs(DdbIndexAttr *attrs, int n)
{
	int			kept = 0;

	qsort(attrs, n, sizeof(DdbIndexAttr), compare_attrs);
	for (int i = 1; i < n; i++)
	{
		if (compare_attrs(&attrs[kept], &attrs[i]) != 0)
			attrs[++kept] = attrs[i];
		attrs[kept].keys |= attrs[i].keys;
		attrs[kept].held |= attrs[i].held;
	}
	return kept + 1;
}

static void
note_keys(const DdbIndexSet *set, const DdbKeyAttr *attrs, int n, uint8 *places)
{
	for (int i = 0; i < n; i++)
	{
		DdbName		name = {attrs[i].name, attrs[i].len};
		int			k = 0;

		while (ddb_map_order(set->keys[k], name) != 0)
			k++;
		places[i] = k;
		if (set->key_type[k] == DDB_NTYPES)
			set->key_type[k] = attrs[i].type;
		else if (set->key_type[k] != attrs[i].type)
			set->key_type[k] = DDB_NULL;
	}
}

static void
derive(DdbIndexSet *set)
{
	static uint64 version = 0;
	int			room = set->n * 2 * DDB_MAX_INDEX_KEYS;

	for (int i = 0; i < set->n; i++)
	{
		room += set->index[i].nproject;
		if (!set->index[i].local)
		{
			set->global |= (DdbIndexes) 1 << i;
			set->nglobal++;
		}
		if (set->index[i].projection == DDB_PROJECT_ALL)
			set->all |= (DdbIndexes) 1 << i;
	}
	set->version = ++version;
	set->attrs = palloc_array(DdbIndexAttr, room);
	set->nattrs = merge_attrs(set->attrs, collect_attrs(set, set->attrs));
	set->keys = palloc_array(DdbName, set->nattrs);
	set->key_of = palloc_array(DdbIndexes, set->nattrs);
	set->key_type = palloc_array(uint8, set->nattrs);
	memset(set->key_type, DDB_NTYPES, set->nattrs);
	for (int i = 0; i < set->nattrs; i++)
	{
		if (set->attrs[i].keys == 0)
			continue;
		set->keys[set->nkeys] = set->attrs[i].name;
		set->key_of[set->nkeys++] = set->attrs[i].keys;
	}
	for (int i = 0; i < set->n; i++)
	{
		DdbIndexDef *def = &set->index[i];

		note_keys(set, def->partition, def->npartition, def->partition_at);
		note_keys(set, def->sort, def->nsort, def->sort_at);
	}
}

static DdbIndexSet *
load_set(Oid relid)
{
	DdbIndexSet *set = palloc0_object(DdbIndexSet);
	FormData_pg_class table;
	Relation	catalog;
	Oid			btree;

	set->relid = relid;
	if (!relation_form(relid, &table))
		return NULL;
	catalog = open_catalog("secondary_index_pkey", &btree);
	if (catalog == NULL)
		return NULL;
	scan_catalog(catalog, btree, &table, set);
	table_close(catalog, AccessShareLock);
	if (set->n == 0)
		return NULL;
	derive(set);
	return set;
}

/* An error leaves the set stale. */
static void
reload(CachedSet *cached)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context;

	if (cached->context)
		MemoryContextDelete(cached->context);
	cached->set = NULL;
	cached->context = NULL;
	context = AllocSetContextCreate(CurrentMemoryContext, "ddb table's indexes", ALLOCSET_SMALL_SIZES);

	/* What is invalidated while it is read is read again next time. */
	cached->valid = true;
	PG_TRY();
	{
		MemoryContextSwitchTo(context);
		cached->set = load_set(cached->relid);
	}
	PG_CATCH();
	{
		cached->valid = false;
		PG_RE_THROW();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	if (cached->set == NULL)
		MemoryContextDelete(context);
	else
	{
		MemoryContextSetParent(context, CacheMemoryContext);
		cached->context = context;
	}
}

/* ----------------------------------------------------------------------
 * Asking
 * ---------------------------------------------------------------------- */

const DdbIndexSet *
ddb_table_indexes(Oid relid)
{
	CachedSet  *cached;
	bool		found;

	if (likely(last && last->relid == relid && last->valid))
		return last->set;
	if (unlikely(sets == NULL))
		make_cache();
	cached = hash_search(sets, &relid, HASH_ENTER, &found);
	if (!found)
	{
		cached->valid = false;
		cached->context = NULL;
		cached->set = NULL;
	}
	if (unlikely(!cached->valid))
		reload(cached);
	last = cached;
	return cached->set;
}

static DdbName *
copy_names(const DdbName *names, int n)
{
	DdbName    *copy = palloc_array(DdbName, n + 1);

	for (int i = 0; i < n; i++)
		copy[i] = (DdbName) {pnstrdup(names[i].data, names[i].len), names[i].len};
	return copy;
}

DdbIndexSet *
ddb_table_indexes_copy(Oid relid)
{
	const DdbIndexSet *set = ddb_table_indexes(relid);
	DdbIndexSet *copy;

	if (set == NULL)
		return NULL;
	copy = palloc_object(DdbIndexSet);
	*copy = *set;
	copy->nattrs = copy->nkeys = 0;
	copy->index = palloc_array(DdbIndexDef, set->n);
	memcpy(copy->index, set->index, set->n * sizeof(DdbIndexDef));
	for (int i = 0; i < set->n; i++)
	{
		copy->index[i].include = copy_names(set->index[i].include, set->index[i].ninclude);
		copy->index[i].project = copy_names(set->index[i].project, set->index[i].nproject);
	}
	return copy;
}

const DdbIndexDef *
ddb_index_find(Oid relid, const char *name, size_t len)
{
	const DdbIndexSet *set = ddb_table_indexes(relid);

	for (int i = 0; set && i < set->n; i++)
	{
		const DdbIndexDef *def = &set->index[i];

		if (strlen(def->name) == len && memcmp(def->name, name, len) == 0)
			return def;
	}
	return NULL;
}

/* The table that the catalog names as this materialized view's. */
static Oid
find_base(const FormData_pg_class *index)
{
	Oid			btree;
	Relation	catalog = open_catalog("secondary_index_schema_name_index_relation_key", &btree);
	Oid			base = InvalidOid;
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;

	if (catalog == NULL)
		return InvalidOid;
	ScanKeyInit(&keys[0], SCHEMA_NAME, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(get_namespace_name(index->relnamespace)));
	ScanKeyInit(&keys[1], INDEX_RELATION, BTEqualStrategyNumber, F_TEXTEQ,
				CStringGetTextDatum(NameStr(index->relname)));
	scan = systable_beginscan(catalog, btree, true, NULL, 2, keys);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		base = get_relname_relid(get_text(catalog, tuple, RELATION_NAME), index->relnamespace);
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return base;
}

Oid
ddb_index_base(Oid index_relid)
{
	FormData_pg_class form;
	const DdbIndexSet *set;
	Oid			base = InvalidOid;

	if (!relation_form(index_relid, &form))
		return InvalidOid;
	if (form.relkind == RELKIND_INDEX)
		base = IndexGetRelation(index_relid, true);
	else if (form.relkind == RELKIND_MATVIEW)
		base = find_base(&form);
	if (!OidIsValid(base))
		return InvalidOid;
	set = ddb_table_indexes(base);
	for (int i = 0; set && i < set->n; i++)
		if (set->index[i].relid == index_relid)
			return base;
	return InvalidOid;
}
