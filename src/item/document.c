/*-------------------------------------------------------------------------
 *
 * document.c
 *	  What PostgreSQL's users do with documents: contain, merge, cut, dig.
 *
 * These are the meanings of SQL operators that DynamoDB does not have, so
 * they follow jsonb's of the same names, with sets where jsonb has none.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "item/item.h"
#include "miscadmin.h"

/* ----------------------------------------------------------------------
 * Containment
 * ---------------------------------------------------------------------- */

static bool
is_set(DdbValue value)
{
	return value.type == DDB_NS || value.type == DDB_SS || value.type == DDB_BS;
}

/* Is there an element of the list that contains this one? */
static bool
list_covers_element(DdbValue list, DdbValue inner)
{
	DdbIter		it;
	DdbName		name;
	DdbValue	element;

	ddb_iter_begin(&it, list);
	while (ddb_iter_next(&it, &name, &element))
	{
		if (ddb_value_covers(element, inner))
			return true;
	}
	return false;
}

static bool
covers_element(DdbValue outer, DdbName name, DdbValue inner)
{
	DdbValue	value;

	if (outer.type == DDB_M)
		return ddb_map_get(outer, name.data, name.len, &value) && ddb_value_covers(value, inner);
	if (outer.type == DDB_L)
		return list_covers_element(outer, inner);
	return ddb_value_contains(outer, inner);
}

bool
ddb_value_covers(DdbValue outer, DdbValue inner)
{
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	if (inner.type < DDB_NS)
		return ddb_value_equal(outer, inner);
	if (outer.type != inner.type && !(is_set(outer) && inner.type == DDB_L))
		return false;
	ddb_iter_begin(&it, inner);
	while (ddb_iter_next(&it, &name, &value))
	{
		/* Two long lists take the product of their lengths. */
		CHECK_FOR_INTERRUPTS();
		if (!covers_element(outer, name, value))
			return false;
	}
	return true;
}

/* ----------------------------------------------------------------------
 * Paths
 * ---------------------------------------------------------------------- */

/* Reads an index; a negative one counts from the end.  False when there is none such. */
static bool
read_index(DdbName step, uint32 count, uint32 *index)
{
	bool		back = step.len > 0 && step.data[0] == '-';
	uint32		n = 0;

	if (step.len == back || step.len > 9)
		return false;
	for (uint32 i = back; i < step.len; i++)
	{
		if (step.data[i] < '0' || step.data[i] > '9')
			return false;
		n = n * 10 + (step.data[i] - '0');
	}
	if (back)
		n = count - n;			/* wraps to something large when out of range */
	*index = n;
	return n < count;
}

bool
ddb_value_step(DdbValue container, DdbName step, DdbValue *value)
{
	DdbIter		it;
	DdbName		name;
	uint32		index;

	if (container.type == DDB_M)
		return ddb_map_get(container, step.data, step.len, value);
	if (container.type < DDB_NS || !read_index(step, ddb_value_count(container), &index))
		return false;
	if (container.type == DDB_L)
		return ddb_list_get(container, index, value);

	ddb_iter_begin(&it, container);
	while (ddb_iter_next(&it, &name, value))
	{
		if (index-- == 0)
			return true;
	}
	return false;
}

/*
 * A map or list in which one entry is replaced, or left out when `child` is
 * NULL.  The step is known to lead somewhere.
 */
static DdbValue
rebuild(DdbValue container, DdbName step, const DdbValue *child)
{
	DdbBuilder *builder = ddb_builder_begin(container.type);
	uint32		index = 0;
	uint32		n = 0;
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	if (container.type == DDB_L)
		read_index(step, ddb_value_count(container), &index);
	ddb_iter_begin(&it, container);
	while (ddb_iter_next(&it, &name, &value))
	{
		bool		here = container.type == DDB_L ? n++ == index :
			name.len == step.len && memcmp(name.data, step.data, name.len) == 0;

		if (here && child == NULL)
			continue;
		if (here)
			value = *child;
		if (container.type == DDB_L)
			ddb_builder_add(builder, value);
		else
			ddb_builder_put(builder, name.data, name.len, value);
	}
	return ddb_builder_finish(builder, DDB_DUPLICATES_ERROR);
}

/* Sets are leaves here: cutting a set's last member would leave no legal set. */
DdbValue
ddb_map_without_path(DdbValue map, const DdbName *path, int count)
{
	DdbValue	child;

	check_stack_depth();
	if (count == 0 || map.type < DDB_L || !ddb_value_step(map, path[0], &child))
		return map;
	if (count == 1)
		return rebuild(map, path[0], NULL);
	child = ddb_map_without_path(child, path + 1, count - 1);
	return rebuild(map, path[0], &child);
}

/* ----------------------------------------------------------------------
 * Whole attributes
 * ---------------------------------------------------------------------- */

DdbValue
ddb_map_merge(DdbValue left, DdbValue right)
{
	DdbBuilder *builder = ddb_builder_begin(DDB_M);
	DdbIter		it;
	DdbName		name;
	DdbValue	value;
	DdbValue	ignored;

	ddb_iter_begin(&it, left);
	while (ddb_iter_next(&it, &name, &value))
	{
		if (!ddb_map_get(right, name.data, name.len, &ignored))
			ddb_builder_put(builder, name.data, name.len, value);
	}
	ddb_iter_begin(&it, right);
	while (ddb_iter_next(&it, &name, &value))
		ddb_builder_put(builder, name.data, name.len, value);
	return ddb_builder_finish(builder, DDB_DUPLICATES_ERROR);
}

static bool
is_among(DdbName name, const DdbName *names, int count)
{
	CHECK_FOR_INTERRUPTS();
	for (int i = 0; i < count; i++)
	{
		if (names[i].len == name.len && memcmp(names[i].data, name.data, name.len) == 0)
			return true;
	}
	return false;
}

DdbValue
ddb_map_without(DdbValue map, const DdbName *names, int count)
{
	DdbBuilder *builder = ddb_builder_begin(DDB_M);
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	ddb_iter_begin(&it, map);
	while (ddb_iter_next(&it, &name, &value))
	{
		if (!is_among(name, names, count))
			ddb_builder_put(builder, name.data, name.len, value);
	}
	return ddb_builder_finish(builder, DDB_DUPLICATES_ERROR);
}

/* The set of a list's elements.  Its type is that of the first. */
static DdbValue
list_to_set(DdbName name, DdbValue list)
{
	DdbBuilder *builder = NULL;
	DdbType		type = DDB_SS;
	DdbIter		it;
	DdbName		ignored;
	DdbValue	value;

	ddb_iter_begin(&it, list);
	while (ddb_iter_next(&it, &ignored, &value))
	{
		if (builder == NULL)
		{
			type = value.type == DDB_N ? DDB_NS : value.type == DDB_B ? DDB_BS : DDB_SS;
			builder = ddb_builder_begin(type);
		}
		if (value.type != (type == DDB_NS ? DDB_N : type == DDB_BS ? DDB_B : DDB_S))
			ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: "
					  "attribute \"%.*s\" cannot become a set, for not all its elements are "
					  "strings, or all numbers, or all binary", (int) name.len, name.data);
		ddb_builder_add(builder, value);
	}
	return ddb_builder_finish(builder ? builder : ddb_builder_begin(DDB_SS), DDB_DUPLICATES_ERROR);
}

DdbValue
ddb_map_to_sets(DdbValue map, const DdbName *names, int count)
{
	DdbBuilder *builder = ddb_builder_begin(DDB_M);
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	ddb_iter_begin(&it, map);
	while (ddb_iter_next(&it, &name, &value))
	{
		if (is_among(name, names, count) && !is_set(value))
		{
			if (value.type != DDB_L)
				ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: "
						  "attribute \"%.*s\" is no list and cannot become a set",
						  (int) name.len, name.data);
			value = list_to_set(name, value);
		}
		ddb_builder_put(builder, name.data, name.len, value);
	}
	return ddb_builder_finish(builder, DDB_DUPLICATES_ERROR);
}
