/*-------------------------------------------------------------------------
 *
 * query.c
 *	  Query and Scan: one cursor for the API's pages and SQL's streams.
 *
 * A page ends at the Limit or at 1 MB, both counted before the filter, the
 * item that crosses the line included; it then has a LastEvaluatedKey even
 * when nothing lies behind.  SQL has no pages: its limit counts the items
 * returned.
 *
 * Filter and projection leave garbage behind, so each row is worked on in a
 * memory context that is reset for the next one; only the result is made in
 * the caller's.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "miscadmin.h"
#include "ops/query_int.h"
#include "utils/acl.h"
#include "utils/memutils.h"

/* ----------------------------------------------------------------------
 * What is asked for
 * ---------------------------------------------------------------------- */

static void
add_legacy(DdbCursor *c, DdbExprSet *set, const DdbLegacy *legacy)
{
	if (legacy->conditions)
		c->filter = ddb_exprs_add_legacy_conditions(set, DDB_EXPR_FILTER, legacy->conditions,
													legacy->nconditions, legacy->any);
	if (legacy->attributes)
		c->projection = ddb_exprs_add_legacy_projection(set, legacy->attributes, legacy->nattributes);
	if (legacy->keys)
		c->key_condition = ddb_exprs_add_legacy_conditions(set, DDB_EXPR_KEY_CONDITION, legacy->keys,
														   legacy->nkeys, false);
}

static void
parse_expressions(DdbCursor *c)
{
	const DdbRead *read = &c->read;
	DdbExprSet *set;

	if (!read->key_condition.data && !read->filter.data && !read->projection.data && !read->legacy &&
		!read->placeholders.names && !read->placeholders.values)
		return;
	set = ddb_exprs_begin(read->placeholders.names, read->placeholders.values);
	if (!read->is_scan)
		ddb_exprs_accept(set, DDB_EXPR_KEY_CONDITION);
	ddb_exprs_accept(set, DDB_EXPR_FILTER);
	if (read->key_condition.data)
		c->key_condition = ddb_exprs_add(set, DDB_EXPR_KEY_CONDITION,
										 read->key_condition.data, read->key_condition.len);
	if (read->filter.data)
		c->filter = ddb_exprs_add(set, DDB_EXPR_FILTER, read->filter.data, read->filter.len);
	if (read->projection.data)
		c->projection = ddb_exprs_add(set, DDB_EXPR_PROJECTION,
									  read->projection.data, read->projection.len);
	if (read->legacy)
		add_legacy(c, set, read->legacy);
	ddb_exprs_finish(set);
}

void
ddb_read_check_segment(const DdbRead *read)
{
	if (read->segment >= 0 && read->total_segments < 0)
		ddb_raise(DDB_VALIDATION, "The TotalSegments parameter is required but was not present "
				  "in the request when Segment parameter is present");
	if (read->segment < 0 && read->total_segments >= 0)
		ddb_raise(DDB_VALIDATION, "The Segment parameter is required but was not present "
				  "in the request when parameter TotalSegments is present");
	if (read->segment >= 0 && read->segment >= read->total_segments)
		ddb_raise(DDB_VALIDATION, "The Segment parameter is zero-based and must be less than "
				  "parameter TotalSegments: Segment: %d is not less than TotalSegments: %d",
				  read->segment, read->total_segments);
}

static void
check_filter_attrs(const DdbCursor *c, const DdbKeyAttr *attrs, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (ddb_expr_mentions(c->filter, attrs[i].name, attrs[i].len))
			ddb_raise(DDB_VALIDATION, "%s can only contain non-primary key attributes: "
					  "Primary key attribute: %s",
					  c->read.filter.data ? "Filter Expression" : "QueryFilter", attrs[i].name);
	}
}

/* A Query reads its key attributes by the key condition alone. */
static void
check_filter(const DdbCursor *c)
{
	if (c->read.is_scan || !c->filter)
		return;
	check_filter_attrs(c, c->key.partition, c->key.npartition);
	check_filter_attrs(c, c->key.sort, c->key.nsort);
}

/* ----------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------- */

/* How many rows will be taken, where that is known. */
static uint32
limit_hint(const DdbCursor *c)
{
	if (c->read.limit <= 0 || (c->filter && !c->read.paged))
		return 0;
	return (uint32) Min(c->read.limit, PG_UINT32_MAX);
}

static DdbScan *
start_scan(DdbCursor *c, DdbTable *table)
{
	const DdbScanIndex *index = c->index ? &c->scan_index : NULL;
	DdbPlace	start;
	bool		has_start;
	bool		empty = !ddb_cursor_resolve(c, &start, &has_start);

	ddb_cursor_check_projection(c);
	if (empty)
		return NULL;
	if (c->read.is_scan)
		return ddb_scan_segment(table, index, Max(c->read.segment, 0),
								Max(c->read.total_segments, 1), has_start ? &start : NULL);
	return ddb_scan_collection(table, index, &c->condition, c->read.forward,
							   has_start ? &start : NULL, limit_hint(c));
}

DdbCursor *
ddb_read_begin(const DdbRead *read)
{
	DdbCursor  *c = palloc0(sizeof(DdbCursor));
	DdbTable   *table;

	c->read = *read;
	c->cursor_context = CurrentMemoryContext;
	c->row_context = AllocSetContextCreate(CurrentMemoryContext, "ddb row", ALLOCSET_DEFAULT_SIZES);
	ddb_read_check_segment(read);
	parse_expressions(c);
	table = ddb_table_open(read->relid, ACL_SELECT);
	c->schema = *ddb_table_schema(table);
	ddb_cursor_find_index(c);
	check_filter(c);
	c->scan = start_scan(c, table);
	c->ended = c->scan == NULL;
	return c;
}

/* Counts the row into the page, and ends the page with it if that is full. */
static void
count_page(DdbCursor *c)
{
	c->bytes += c->view ? ddb_map_size(c->seen) : ddb_record_size(&c->record);
	if (c->bytes < DDB_MAX_PAGE_BYTES &&
		(c->read.limit <= 0 || c->page.scanned_count < c->read.limit))
		return;
	c->ended = true;
	c->page.has_last_key = true;
	MemoryContextSwitchTo(c->cursor_context);
	c->page.last_key = ddb_cursor_last_key(c);
	MemoryContextSwitchTo(c->row_context);
}

/* Finds the next row that passes the filter. */
static bool
next_row(DdbCursor *c)
{
	while (!c->ended)
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(c->row_context);
		if (!ddb_scan_next(c->scan, &c->record))
		{
			c->ended = true;
			break;
		}
		c->page.scanned_count++;
		if (c->view)
			c->seen = ddb_cursor_view(c);
		if (c->read.paged)
			count_page(c);
		if (c->filter && !ddb_condition_eval(c->filter, &c->record))
			continue;
		c->page.count++;
		if (!c->read.paged && c->page.count == c->read.limit)
			c->ended = true;
		if (!c->read.count_only)
			return true;
	}
	return false;
}

/* The next row, leaving the caller's memory context as it was. */
static bool
advance(DdbCursor *c)
{
	MemoryContext caller = MemoryContextSwitchTo(c->row_context);
	bool		found = next_row(c);

	MemoryContextSwitchTo(caller);
	return found;
}

bool
ddb_read_next(DdbCursor *c, DdbValue *item)
{
	if (!advance(c))
		return false;
	if (c->projection)
		*item = ddb_projection_apply(c->projection, &c->record);
	else
		*item = c->view ? c->seen : ddb_record_map(&c->record);
	return true;
}

DdbItem *
ddb_read_next_item(DdbCursor *c)
{
	if (!advance(c))
		return NULL;
	if (c->projection)
		return ddb_item_from_map(ddb_projection_apply(c->projection, &c->record));
	return c->view ? ddb_item_from_map(c->seen) : ddb_record_item(&c->record);
}

DdbItem *
ddb_read_next_into(DdbCursor *c, DdbItemBuffer *buffer)
{
	MemoryContext caller = MemoryContextSwitchTo(c->row_context);
	DdbItem    *item = NULL;

	if (next_row(c))
	{
		if (c->projection)
			item = ddb_buffer_map(buffer, ddb_projection_apply(c->projection, &c->record));
		else
			item = c->view ? ddb_buffer_map(buffer, c->seen) :
				ddb_buffer_record(buffer, &c->record);
	}
	MemoryContextSwitchTo(caller);
	return item;
}

void
ddb_read_end(DdbCursor *c, DdbPage *page)
{
	if (c->scan)
		ddb_scan_end(c->scan);
	c->scan = NULL;
	c->ended = true;
	if (page)
		*page = c->page;
	MemoryContextDelete(c->row_context);
}
