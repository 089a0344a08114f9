/*-------------------------------------------------------------------------
 *
 * query_start.c
 *	  Where a Query or Scan reads: its range, and the place to start after.
 *
 * A start key is the map of a LastEvaluatedKey: the table's key attributes and
 * the index's.  It may as well be written by hand; all that counts is that the
 * request could have come to that place.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "ops/query_int.h"

#define START_KEY_INVALID "The provided starting key is invalid"

/* The values of a start key. */
typedef struct StartKey
{
	DdbValue	partition[DDB_MAX_INDEX_KEYS];
	DdbValue	sort[DDB_MAX_INDEX_KEYS];
	DdbKey		key;			/* the item's */
} StartKey;

/* ----------------------------------------------------------------------
 * ddb.collection()'s range
 * ---------------------------------------------------------------------- */

/* A key part read by the type of the first partition or sort attribute. */
static DdbValue
part_value(const DdbCursor *c, bool partition, const DdbKeyPart *part)
{
	DdbKeySchema schema = {.nkeys = 2};

	schema.attr[partition ? 0 : 1] = partition ? c->key.partition[0] : c->key.sort[0];
	return ddb_key_part_value(&schema, partition ? 0 : 1, part);
}

static DdbValue
sort_key_part(const DdbCursor *c, const DdbKeyPart *part)
{
	if (c->key.nsort == 0)
		ddb_raise_hint(DDB_VALIDATION, c->index ? "The index has no sort key." :
					   "The table has no sort key.", DDB_KEY_MISMATCH_MESSAGE);
	return part_value(c, false, part);
}

/* Sets the key condition; false when the range is empty. */
static bool
resolve_collection(DdbCursor *c)
{
	const DdbCollection *range = c->read.collection;
	DdbKeyCondition *cond = &c->condition;
	bool		from = range->from.form != DDB_PART_NONE;
	bool		to = range->to.form != DDB_PART_NONE;

	if (c->key.npartition > 1 || c->key.nsort > 1)
		ddb_raise_hint(DDB_VALIDATION, "Use ddb.query with a key condition.",
					   "ddb.collection cannot read index %s, whose keys have several attributes",
					   c->index->name);
	cond->partition = part_value(c, true, &range->partition);
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
 * `after` is a sort key: in an index the start is behind all its items.  It
 * need not lie within the range: before it, it says nothing; behind it,
 * nothing is left.  Returns false in the latter case.
 */
static bool
resolve_after(DdbCursor *c, DdbPlace *start, bool *has_start)
{
	const DdbKeyCondition *cond = &c->condition;
	bool		below;

	*has_start = false;
	if (c->read.collection->after.form == DDB_PART_NONE)
		return true;
	memset(start, 0, sizeof(*start));
	start->partition = cond->partition;
	start->sort = sort_key_part(c, &c->read.collection->after);
	*has_start = ddb_key_condition_holds(cond, start->sort);
	if (*has_start)
		return true;
	/* LE alone has its operand above; all others have a lower one. */
	below = cond->op != DDB_KEY_LE && ddb_value_compare(start->sort, cond->low) < 0;
	return below == c->read.forward;
}

/* ----------------------------------------------------------------------
 * Start keys
 * ---------------------------------------------------------------------- */

static void raise_start_key(const DdbCursor *c) pg_attribute_noreturn();

static void
raise_start_key(const DdbCursor *c)
{
	if (c->read.start_key_loose)
		ddb_raise_hint(DDB_VALIDATION, c->index ?
					   "start_key needs the key attributes of table and index; a projection that drops them gives no start." :
					   "start_key needs the table's key attributes; a projection that drops them gives no start.",
					   START_KEY_INVALID);
	if (c->read.is_scan && c->index == NULL)
		ddb_raise(DDB_VALIDATION, START_KEY_INVALID
				  ": " DDB_KEY_MISMATCH_MESSAGE);
	ddb_raise(DDB_VALIDATION, START_KEY_INVALID);
}

static bool
is_table_key(const DdbCursor *c, const DdbKeyAttr *attr)
{
	for (int i = 0; i < c->schema.nkeys; i++)
	{
		if (strcmp(c->schema.attr[i].name, attr->name) == 0)
			return true;
	}
	return false;
}

/* Of these attributes, those that are not the table's keys. */
static int
count_others(const DdbCursor *c, const DdbKeyAttr *attrs, int n)
{
	int			count = 0;

	for (int i = 0; i < n; i++)
		count += !is_table_key(c, &attrs[i]);
	return count;
}

static void
find_values(const DdbCursor *c, const DdbKeyAttr *attrs, int n, DdbValue *values)
{
	for (int i = 0; i < n; i++)
	{
		if (!ddb_map_get(*c->read.start_key, attrs[i].name, attrs[i].len, &values[i]))
			raise_start_key(c);
	}
}

/* Finds the key's attributes, and nothing but them unless any item will do. */
static void
find_start_key(const DdbCursor *c, StartKey *start)
{
	uint32		expected = c->schema.nkeys;

	if (c->index)
		expected += count_others(c, c->key.partition, c->key.npartition) +
			count_others(c, c->key.sort, c->key.nsort);
	if (!c->read.start_key_loose && ddb_value_count(*c->read.start_key) != expected)
		raise_start_key(c);
	find_values(c, c->schema.attr, c->schema.nkeys, start->key.values);
	find_values(c, c->key.partition, c->key.npartition, start->partition);
	find_values(c, c->key.sort, c->key.nsort, start->sort);
}

static void
check_values(const DdbCursor *c, const DdbKeyAttr *attrs, int n, const DdbValue *values,
			 bool partition)
{
	for (int i = 0; i < n; i++)
	{
		if (values[i].type != attrs[i].type)
		{
			if ((c->read.is_scan && c->index == NULL) || c->read.start_key_loose)
				raise_start_key(c);
			ddb_raise(DDB_VALIDATION, DDB_KEY_MISMATCH_MESSAGE);
		}
		ddb_key_attr_check(&attrs[i], partition, values[i]);
	}
}

/* The item's own key, in an index's start key. */
static void
check_item_key(const DdbCursor *c, const StartKey *start)
{
	for (int i = 0; i < c->schema.nkeys; i++)
	{
		if (start->key.values[i].type != c->schema.attr[i].type)
			ddb_raise(DDB_VALIDATION, START_KEY_INVALID ": " DDB_KEY_MISMATCH_MESSAGE);
		ddb_key_check(&c->schema, i, start->key.values[i]);
	}
}

/* A start must be a place that the same request could have reached. */
static void
check_place(const DdbCursor *c, const DdbPlace *start)
{
	if (!c->read.is_scan)
	{
		if (!ddb_value_equal(start->partition, c->condition.partition))
			ddb_raise(DDB_VALIDATION, "The provided starting key is outside query boundaries "
					  "based on provided conditions");
		if (c->key.nsort > 0 && !ddb_key_condition_holds(&c->condition, start->sort))
			ddb_raise(DDB_VALIDATION, "The provided starting key does not match the range key "
					  "predicate");
	}
	else if (c->read.total_segments > 0 &&
			 !ddb_in_segment(start->partition, c->read.segment, c->read.total_segments))
		ddb_raise(DDB_VALIDATION, START_KEY_INVALID ": Invalid ExclusiveStartKey. Please use "
				  "ExclusiveStartKey with correct Segment. TotalSegments: %d Segment: %d",
				  c->read.total_segments, c->read.segment);
}

static DdbPlace
start_place(const DdbCursor *c, const StartKey *start)
{
	DdbPlace	place = {.key = start->key};

	place.partition = c->key.npartition == 1 ? start->partition[0] :
		ddb_tuple(start->partition, c->key.npartition);
	if (c->key.nsort > 0)
		place.sort = c->key.nsort == 1 ? start->sort[0] : ddb_tuple(start->sort, c->key.nsort);
	return place;
}

/* The start's partition key is looked at before the key condition is. */
bool
ddb_cursor_resolve(DdbCursor *c, DdbPlace *start, bool *has_start)
{
	StartKey	key;

	*has_start = c->read.start_key != NULL;
	if (*has_start)
	{
		find_start_key(c, &key);
		check_values(c, c->key.partition, c->key.npartition, key.partition, true);
	}
	if (c->read.collection)
		return resolve_collection(c) && resolve_after(c, start, has_start);
	if (c->key_condition)
		ddb_key_condition_resolve(c->key_condition, &c->key, &c->condition);
	if (*has_start)
	{
		check_values(c, c->key.sort, c->key.nsort, key.sort, false);
		if (c->index)
			check_item_key(c, &key);
		*start = start_place(c, &key);
		check_place(c, start);
	}
	return true;
}
