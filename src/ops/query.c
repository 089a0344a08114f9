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
#include "ops/ops_int.h"
#include "utils/acl.h"
#include "utils/memutils.h"

#define START_KEY_INVALID "The provided starting key is invalid"

struct DdbCursor
{
	DdbRead		read;
	DdbKeySchema schema;		/* a copy: the table may be reopened between calls */
	DdbExpr    *key_condition;
	DdbExpr    *filter;
	DdbExpr    *projection;
	DdbKeyCondition condition;	/* Query: the range */
	DdbScan    *scan;			/* NULL: the range is empty */
	DdbRecord	record;			/* the current row */
	MemoryContext cursor_context;
	MemoryContext row_context;
	int64		bytes;			/* of the page, before the filter */
	bool		ended;
	DdbPage		page;
};

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

/* A Query reads its key attributes by the key condition alone. */
static void
check_filter(const DdbCursor *c)
{
	if (c->read.is_scan || !c->filter)
		return;
	for (int i = 0; i < c->schema.nkeys; i++)
	{
		const DdbKeyAttr *attr = &c->schema.attr[i];

		if (ddb_expr_mentions(c->filter, attr->name, attr->len))
			ddb_raise(DDB_VALIDATION, "%s can only contain non-primary key attributes: "
					  "Primary key attribute: %s",
					  c->read.filter.data ? "Filter Expression" : "QueryFilter", attr->name);
	}
}

/* ----------------------------------------------------------------------
 * ddb.collection()'s range
 * ---------------------------------------------------------------------- */

static DdbValue
sort_key_part(const DdbCursor *c, const DdbKeyPart *part)
{
	if (c->schema.nkeys < 2)
		ddb_raise_hint(DDB_VALIDATION, "The table has no sort key.",
					   DDB_KEY_MISMATCH_MESSAGE);
	return ddb_key_part_value(&c->schema, 1, part);
}

/* Sets the key condition; false when the range is empty. */
static bool
resolve_collection(DdbCursor *c)
{
	const DdbCollection *range = c->read.collection;
	DdbKeyCondition *cond = &c->condition;
	bool		from = range->from.form != DDB_PART_NONE;
	bool		to = range->to.form != DDB_PART_NONE;

	cond->partition = ddb_key_part_value(&c->schema, 0, &range->partition);
	cond->op = DDB_KEY_ALL;
	if (range->begins_with.form != DDB_PART_NONE)
	{
		if (from || to)
			ddb_raise(DDB_VALIDATION, "begins_with cannot be combined with sk_from or sk_to");
		cond->low = sort_key_part(c, &range->begins_with);
		if (cond->low.type == DDB_N)
			ddb_raise(DDB_VALIDATION, "begins_with needs a sort key of type S or B");
		cond->op = DDB_KEY_BEGINS_WITH;
		return true;
	}
	if (from)
	{
		cond->op = DDB_KEY_GE;
		cond->low = sort_key_part(c, &range->from);
	}
	if (to)
	{
		DdbValue	high = sort_key_part(c, &range->to);

		cond->op = from ? DDB_KEY_BETWEEN : DDB_KEY_LE;
		*(from ? &cond->high : &cond->low) = high;
	}
	return cond->op != DDB_KEY_BETWEEN || ddb_value_compare(cond->low, cond->high) <= 0;
}

/*
 * `after` need not lie within the range: before it, it says nothing; behind
 * it, nothing is left.  Returns false in the latter case.
 */
static bool
resolve_after(DdbCursor *c, DdbKey *after, bool *has_after)
{
	const DdbKeyCondition *cond = &c->condition;
	DdbValue	sort_key;
	bool		below;

	*has_after = false;
	if (c->read.collection->after.form == DDB_PART_NONE)
		return true;
	sort_key = sort_key_part(c, &c->read.collection->after);
	after->values[0] = cond->partition;
	after->values[1] = sort_key;
	*has_after = ddb_key_condition_holds(cond, sort_key);
	if (*has_after)
		return true;
	/* LE alone has its operand above; all others have a lower one. */
	below = cond->op != DDB_KEY_LE && ddb_value_compare(sort_key, cond->low) < 0;
	return below == c->read.forward;
}

/* ----------------------------------------------------------------------
 * Where to start
 * ---------------------------------------------------------------------- */

static void raise_start_key(const DdbCursor *c) pg_attribute_noreturn();

static void
raise_start_key(const DdbCursor *c)
{
	if (c->read.start_key_loose)
		ddb_raise_hint(DDB_VALIDATION, "start_key needs the table's key attributes; "
					   "a projection that drops them gives no start.", START_KEY_INVALID);
	if (c->read.is_scan)
		ddb_raise(DDB_VALIDATION, START_KEY_INVALID
				  ": " DDB_KEY_MISMATCH_MESSAGE);
	ddb_raise(DDB_VALIDATION, START_KEY_INVALID);
}

/* Finds the key's attributes, and nothing but them unless any item will do. */
static void
find_start_key(const DdbCursor *c, DdbKey *start)
{
	DdbValue	map = *c->read.start_key;

	if (!c->read.start_key_loose && ddb_value_count(map) != c->schema.nkeys)
		raise_start_key(c);
	for (int i = 0; i < c->schema.nkeys; i++)
	{
		const DdbKeyAttr *attr = &c->schema.attr[i];

		if (!ddb_map_get(map, attr->name, attr->len, &start->values[i]))
			raise_start_key(c);
	}
}

static void
check_start_part(const DdbCursor *c, int which, const DdbKey *start)
{
	DdbValue	value = start->values[which];

	if (value.type != c->schema.attr[which].type)
	{
		if (c->read.is_scan || c->read.start_key_loose)
			raise_start_key(c);
		ddb_raise(DDB_VALIDATION, DDB_KEY_MISMATCH_MESSAGE);
	}
	ddb_key_check(&c->schema, which, value);
}

/* A start must be a place that the same request could have reached. */
static void
check_start_key(const DdbCursor *c, const DdbKey *start)
{
	if (!c->read.is_scan)
	{
		if (!ddb_value_equal(start->values[0], c->condition.partition))
			ddb_raise(DDB_VALIDATION, "The provided starting key is outside query boundaries "
					  "based on provided conditions");
		if (c->schema.nkeys == 2 &&
			!ddb_key_condition_holds(&c->condition, start->values[1]))
			ddb_raise(DDB_VALIDATION, "The provided starting key does not match the range key "
					  "predicate");
	}
	else if (c->read.total_segments > 0 &&
			 !ddb_key_in_segment(&c->schema, start, c->read.segment, c->read.total_segments))
		ddb_raise(DDB_VALIDATION, START_KEY_INVALID ": Invalid ExclusiveStartKey. Please use "
				  "ExclusiveStartKey with correct Segment. TotalSegments: %d Segment: %d",
				  c->read.total_segments, c->read.segment);
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

/* The start's partition key is looked at before the key condition is. */
static DdbScan *
start_scan(DdbCursor *c, DdbTable *table)
{
	DdbKey		start;
	bool		has_start = c->read.start_key != NULL;

	if (has_start)
	{
		find_start_key(c, &start);
		check_start_part(c, 0, &start);
	}

	if (c->read.collection)
	{
		if (!resolve_collection(c) || !resolve_after(c, &start, &has_start))
			return NULL;
	}
	else if (c->key_condition)
		ddb_key_condition_resolve(c->key_condition, &c->schema, &c->condition);
	if (c->read.start_key)
	{
		if (c->schema.nkeys == 2)
			check_start_part(c, 1, &start);
		check_start_key(c, &start);
	}

	if (c->read.is_scan)
		return ddb_scan_segment(table, Max(c->read.segment, 0), Max(c->read.total_segments, 1),
								has_start ? &start : NULL);
	return ddb_scan_collection(table, &c->condition, c->read.forward,
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
	if (read->index_name.data)
		ddb_raise(DDB_VALIDATION, "The table does not have the specified index: %.*s",
				  (int) read->index_name.len, read->index_name.data);
	check_filter(c);
	c->scan = start_scan(c, table);
	c->ended = c->scan == NULL;
	return c;
}

/* Counts the row into the page, and ends the page with it if that is full. */
static void
count_page(DdbCursor *c)
{
	c->bytes += ddb_record_size(&c->record);
	if (c->bytes < DDB_MAX_PAGE_BYTES &&
		(c->read.limit <= 0 || c->page.scanned_count < c->read.limit))
		return;
	c->ended = true;
	c->page.has_last_key = true;
	MemoryContextSwitchTo(c->cursor_context);
	c->page.last_key = ddb_key_map(&c->schema, &c->record.key);
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
	*item = c->projection ? ddb_projection_apply(c->projection, &c->record)
		: ddb_record_map(&c->record);
	return true;
}

DdbItem *
ddb_read_next_item(DdbCursor *c)
{
	if (!advance(c))
		return NULL;
	return c->projection ? ddb_item_from_map(ddb_projection_apply(c->projection, &c->record))
		: ddb_record_item(&c->record);
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
