/*-------------------------------------------------------------------------
 *
 * query_index.c
 *	  Query and Scan of a secondary index: its key, and what it shows.
 *
 * A global index holds what it projects, and nothing else can be asked of it.
 * A local index shows what it projects unless more is asked for, which is
 * then read from the table: its rows are the table's anyway.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "ops/query_int.h"

/* ----------------------------------------------------------------------
 * Which index
 * ---------------------------------------------------------------------- */

/* The definition is the cache's, the cursor's copy lasts. */
static const DdbIndexDef *
copy_definition(const DdbIndexDef *def)
{
	DdbIndexDef *copy = palloc_object(DdbIndexDef);

	*copy = *def;
	copy->include = palloc_array(DdbName, def->ninclude + 1);
	for (int i = 0; i < def->ninclude; i++)
	{
		copy->include[i].len = def->include[i].len;
		copy->include[i].data = pnstrdup(def->include[i].data, def->include[i].len);
	}
	copy->nproject = 0;
	copy->project = NULL;
	return copy;
}

static DdbScanIndex
scan_index(const DdbIndexDef *def)
{
	return (DdbScanIndex)
	{
		.name = def->name,
		.relid = def->relid,
		.local = def->local,
		.partition = def->npartition > 1 ? DDB_B : def->partition[0].type,
		.has_sort = def->nsort > 0,
		.sort = def->nsort > 1 ? DDB_B : def->sort[0].type,
		.shards = def->shards,
	};
}

void
ddb_cursor_find_index(DdbCursor *c)
{
	DdbText		name = c->read.index_name;
	const DdbIndexDef *def;

	c->key = (DdbQueryKey) {1, c->schema.nkeys - 1, &c->schema.attr[0], &c->schema.attr[1]};
	if (name.data == NULL)
		return;
	def = ddb_index_find(c->read.relid, name.data, name.len);
	if (def == NULL)
		ddb_raise(DDB_VALIDATION, DDB_NO_INDEX_MESSAGE ": %.*s", (int) name.len, name.data);
	if (c->read.consistent && !def->local)
		ddb_raise(DDB_VALIDATION, "Consistent reads are not supported on global secondary indexes");
	c->index = def = copy_definition(def);
	c->key = (DdbQueryKey) {def->npartition, def->nsort, def->partition, def->sort};
	c->scan_index = scan_index(def);
}

/* ----------------------------------------------------------------------
 * What it projects
 * ---------------------------------------------------------------------- */
static bool
is_key_attr(const DdbKeyAttr *attrs, int n, DdbName name)
{
	for (int i = 0; i < n; i++)
	{
		if (attrs[i].len == name.len && memcmp(attrs[i].name, name.data, name.len) == 0)
			return true;
	}
	return false;
}

static bool
is_projected(const DdbCursor *c, DdbName name)
{
	const DdbIndexDef *def = c->index;

	if (is_key_attr(c->schema.attr, c->schema.nkeys, name) ||
		is_key_attr(def->partition, def->npartition, name) ||
		is_key_attr(def->sort, def->nsort, name))
		return true;
	for (int i = 0; i < def->ninclude; i++)
	{
		if (def->include[i].len == name.len &&
			memcmp(def->include[i].data, name.data, name.len) == 0)
			return true;
	}
	return false;
}

/* "a, b": the attributes named that are not projected; NULL when all are. */
static char *
unprojected(const DdbCursor *c, const DdbExpr *expr)
{
	StringInfoData list;
	DdbName		name;

	initStringInfo(&list);
	for (uint32 i = 0; ddb_expr_next_attribute(expr, &i, &name);)
	{
		if (is_projected(c, name))
			continue;
		if (list.len > 0)
			appendStringInfoString(&list, ", ");
		appendBinaryStringInfo(&list, name.data, name.len);
	}
	return list.len > 0 ? list.data : NULL;
}

static void
check_global(const DdbCursor *c)
{
	char	   *names;

	if (c->read.select == DDB_SELECT_ALL)
		ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not supported for global secondary index %s because its projection type is not ALL",
				  c->index->name);
	if (c->projection && (names = unprojected(c, c->projection)) != NULL)
		ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Global secondary index %s does not project [%s]",
				  c->index->name, names);
	if (c->filter && (names = unprojected(c, c->filter)) != NULL)
		ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Secondary index %s does not project one or more filter attributes: [%s]",
				  c->index->name, names);
}

static void
view_attrs(DdbName *view, int *n, const DdbKeyAttr *attrs, int nattrs)
{
	for (int i = 0; i < nattrs; i++)
		view[(*n)++] = (DdbName) {attrs[i].name, attrs[i].len};
}

/* A local index shows its keys, the table's, and what it includes. */
static void
set_view(DdbCursor *c)
{
	const DdbIndexDef *def = c->index;
	DdbName    *view = palloc_array(DdbName, c->schema.nkeys + def->nsort + def->ninclude);

	view_attrs(view, &c->nview, c->schema.attr, c->schema.nkeys);
	view_attrs(view, &c->nview, def->sort, def->nsort);
	for (int i = 0; i < def->ninclude; i++)
		view[c->nview++] = def->include[i];
	c->view = view;
}

void
ddb_cursor_check_projection(DdbCursor *c)
{
	if (c->index == NULL || c->index->projection == DDB_PROJECT_ALL)
		return;
	if (!c->index->local)
		check_global(c);
	else if (c->projection == NULL && c->read.select != DDB_SELECT_ALL)
		set_view(c);
}

DdbValue
ddb_cursor_view(const DdbCursor *c)
{
	DdbBuilder *b = ddb_builder_begin(DDB_M);

	for (int i = 0; i < c->nview; i++)
	{
		DdbName		name = c->view[i];
		DdbValue	value;

		if (ddb_record_get(&c->record, name.data, name.len, &value))
			ddb_builder_put(b, name.data, name.len, value);
	}
	return ddb_builder_finish(b, DDB_DUPLICATES_MERGE);
}

/* ----------------------------------------------------------------------
 * Where a page ended
 * ---------------------------------------------------------------------- */
static void
put_attrs(DdbBuilder *b, const DdbRecord *record, const DdbKeyAttr *attrs, int n)
{
	for (int i = 0; i < n; i++)
	{
		DdbValue	value;

		if (ddb_record_get(record, attrs[i].name, attrs[i].len, &value))
			ddb_builder_put(b, attrs[i].name, attrs[i].len, value);
	}
}

DdbValue
ddb_cursor_last_key(const DdbCursor *c)
{
	DdbBuilder *b;

	if (c->index == NULL)
		return ddb_key_map(&c->schema, &c->record.key);
	b = ddb_builder_begin(DDB_M);
	put_attrs(b, &c->record, c->schema.attr, c->schema.nkeys);
	put_attrs(b, &c->record, c->key.partition, c->key.npartition);
	put_attrs(b, &c->record, c->key.sort, c->key.nsort);
	/* An attribute may be a key of both. */
	return ddb_builder_finish(b, DDB_DUPLICATES_MERGE);
}
