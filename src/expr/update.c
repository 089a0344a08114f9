/*-------------------------------------------------------------------------
 *
 * update.c
 *	  UpdateItem's four clauses on an item.
 *
 * Two steps.  First every action's outcome is computed from the item as it
 * was: so "SET a = b, b = a" swaps, and list indexes mean the old positions
 * whatever the order of clauses.  Then the containers on the targets' paths are
 * made anew, from the attribute map downwards: the sorted targets say what
 * changes in each, and what no path touches is copied as it lies.  A list
 * closes up over its removed elements by itself, and what was set past its end
 * is appended in the order of the indexes.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "expr/expr_int.h"

typedef enum Effect
{
	EFFECT_NONE,				/* leave the target as it is */
	EFFECT_PUT,
	EFFECT_REMOVE,
} Effect;

/* What becomes of the target with the same index. */
typedef struct Outcome
{
	Effect		effect;
	DdbValue	value;
	uint8		number[DDB_NUMBER_BYTES];	/* where arithmetic puts its result */
} Outcome;

typedef struct Update
{
	const DdbExpr *expr;
	const DdbRecord *old;
	Outcome    *outcomes;
} Update;

static DdbValue value_of(const Update *u, const ExprNode *node, uint8 *number);

static void pg_attribute_noreturn()
raise_data_type(void)
{
	ddb_raise(DDB_VALIDATION, "An operand in the update expression has an incorrect data type");
}

static void pg_attribute_noreturn()
raise_bad_path(void)
{
	ddb_raise(DDB_VALIDATION, "The document path provided in the update expression is invalid for update");
}

/* ----------------------------------------------------------------------
 * Values of SET
 * ---------------------------------------------------------------------- */

static DdbValue
arithmetic(const Update *u, const ExprNode *node, uint8 *number)
{
	const ExprNode *left = first_operand(u->expr, node);
	uint8		numbers[2][DDB_NUMBER_BYTES];
	DdbValue	a = value_of(u, left, numbers[0]);
	DdbValue	b = value_of(u, next_operand(u->expr, left), numbers[1]);
	DdbValue	result = a;

	if (a.type != DDB_N || b.type != DDB_N)
		raise_data_type();
	if (node->type == NODE_PLUS)
		result.len = ddb_number_add(a, b, number);
	else
		result.len = ddb_number_subtract(a, b, number);
	result.data = number;
	return result;
}

static void
append_elements(DdbBuilder *builder, DdbValue list)
{
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	ddb_iter_begin(&it, list);
	while (ddb_iter_next(&it, &name, &value))
		ddb_builder_add(builder, value);
}

static DdbValue
concatenate(DdbValue a, DdbValue b)
{
	DdbBuilder *builder;

	if (a.type != DDB_L || b.type != DDB_L)
		raise_data_type();
	builder = ddb_builder_begin(DDB_L);
	append_elements(builder, a);
	append_elements(builder, b);
	return ddb_builder_finish(builder, DDB_DUPLICATES_ERROR);
}

static DdbValue
function_value(const Update *u, const ExprNode *node, uint8 *number)
{
	const ExprNode *first = first_operand(u->expr, node);
	const ExprNode *second = next_operand(u->expr, first);
	DdbValue	value;

	if (node->op == FUNCTION_LIST_APPEND)
	{
		value = value_of(u, first, number);
		return concatenate(value, value_of(u, second, number));
	}
	Assert(node->op == FUNCTION_IF_NOT_EXISTS);
	if (ddb_path_get(u->expr, first, u->old, &value))
		return value;
	return value_of(u, second, number);
}

/* Recursion is bounded by DDB_MAX_NESTING. */
static DdbValue
value_of(const Update *u, const ExprNode *node, uint8 *number)
{
	DdbValue	value;

	switch (node->type)
	{
		case NODE_VALUE:
			return u->expr->refs[node->first];
		case NODE_PATH:
			if (!ddb_path_get(u->expr, node, u->old, &value))
				ddb_raise(DDB_VALIDATION, "The provided expression refers to an attribute that does not exist in the item");
			return value;
		case NODE_FUNCTION:
			return function_value(u, node, number);
		default:
			return arithmetic(u, node, number);
	}
}

/* ----------------------------------------------------------------------
 * ADD and DELETE
 * ---------------------------------------------------------------------- */

static DdbValue
set_union(DdbValue a, DdbValue b)
{
	DdbBuilder *builder = ddb_builder_begin(a.type);

	append_elements(builder, a);
	append_elements(builder, b);
	return ddb_builder_finish(builder, DDB_DUPLICATES_MERGE);
}

/* False when nothing is left.  Both sets ascend, so one pass over both will do. */
static bool
set_difference(DdbValue from, DdbValue remove, DdbValue *result)
{
	DdbBuilder *builder = NULL;
	DdbIter		it;
	DdbIter		removed;
	DdbName		name;
	DdbValue	member;
	DdbValue	next;
	bool		more;

	ddb_iter_begin(&it, from);
	ddb_iter_begin(&removed, remove);
	more = ddb_iter_next(&removed, &name, &next);
	while (ddb_iter_next(&it, &name, &member))
	{
		int			cmp = 1;

		while (more && (cmp = ddb_value_compare(next, member)) < 0)
			more = ddb_iter_next(&removed, &name, &next);
		if (more && cmp == 0)
			continue;
		if (builder == NULL)
			builder = ddb_builder_begin(from.type);
		ddb_builder_add(builder, member);
	}
	if (builder == NULL)
		return false;
	*result = ddb_builder_finish(builder, DDB_DUPLICATES_ERROR);
	return true;
}

static DdbValue
add_to(const DdbExpr *expr, DdbValue old, DdbValue value, uint8 *number)
{
	if (old.type != value.type)
		raise_data_type();
	if (value.type == DDB_L)
		return concatenate(old, value);
	if (value.type != DDB_N)
		return set_union(old, value);
	value.len = ddb_number_add(old, value, number);
	value.data = number;
	return value;
}

static void
compute(const Update *u, const Target *target, Outcome *outcome)
{
	const ExprNode *action = target->action;
	const ExprNode *operand = next_operand(u->expr, target->path);
	DdbValue	old;

	outcome->effect = EFFECT_PUT;
	switch (action->type)
	{
		case NODE_SET:
			outcome->value = value_of(u, operand, outcome->number);
			break;
		case NODE_REMOVE:
			outcome->effect = EFFECT_REMOVE;
			break;
		case NODE_ADD:
			outcome->value = u->expr->refs[operand->first];
			if (ddb_path_get(u->expr, target->path, u->old, &old))
				outcome->value = add_to(u->expr, old, outcome->value, outcome->number);
			break;
		default:
			if (!ddb_path_get(u->expr, target->path, u->old, &old))
				outcome->effect = EFFECT_NONE;
			else if (old.type != u->expr->refs[operand->first].type)
				raise_data_type();
			else if (!set_difference(old, u->expr->refs[operand->first], &outcome->value))
				outcome->effect = EFFECT_REMOVE;
			break;
	}
	if (outcome->effect == EFFECT_PUT)
		ddb_check_depth(target->path->count + ddb_value_depth(outcome->value));
}

/* ----------------------------------------------------------------------
 * The new map
 *
 * Targets first .. first + count of the update share the steps that lead to a
 * container; their steps at `depth` are its entries or elements, in runs.
 * ---------------------------------------------------------------------- */

static DdbValue rebuild(const Update *u, uint32 first, uint32 count, int depth, DdbValue container);

/*
 * What becomes of an entry or element of which a run of targets wants
 * something.  *value is what was there, if `found`, and what is to be there.
 *
 * Paths that go on have no parent to stand in when nothing was there.  Only if
 * there is no item at all and nothing is to be put, then there is nothing to
 * remove either.
 */
static Effect
settle(const Update *u, uint32 first, uint32 count, int depth, bool found, DdbValue *value)
{
	const Outcome *outcome = &u->outcomes[first];

	if (u->expr->targets[first].path->count == depth + 1)
	{
		if (outcome->effect == EFFECT_PUT)
			*value = outcome->value;
		return outcome->effect;
	}
	if (found)
	{
		*value = rebuild(u, first, count, depth + 1, *value);
		return EFFECT_PUT;
	}
	for (uint32 i = 0; i < count; i++)
	{
		if (u->old->schema != NULL || outcome[i].effect == EFFECT_PUT)
			raise_bad_path();
	}
	return EFFECT_NONE;
}

static DdbValue
rebuild_map(const Update *u, uint32 first, uint32 count, int depth, DdbValue map)
{
	DdbMapChange *changes = palloc(count * sizeof(DdbMapChange));
	uint32		nchanges = 0;
	DdbValue	result;

	for (uint32 i = 0, run; i < count; i += run)
	{
		const Target *target = &u->expr->targets[first + i];
		DdbMapChange *change = &changes[nchanges];
		Effect		effect;
		bool		found;

		run = ddb_targets_run(u->expr, target, count - i, depth);
		change->name = step_name(u->expr, path_steps(u->expr, target->path) + depth);
		found = ddb_map_get(map, change->name.data, change->name.len, &change->value);
		effect = settle(u, first + i, run, depth, found, &change->value);
		change->remove = effect == EFFECT_REMOVE;
		nchanges += effect != EFFECT_NONE;
	}
	result = ddb_map_patch(map, changes, nchanges);
	pfree(changes);
	return result;
}

/* Runs are in the order of their indexes, so one pass over the list will do. */
static DdbValue
rebuild_list(const Update *u, uint32 first, uint32 count, int depth, DdbValue list)
{
	DdbBuilder *builder = ddb_builder_begin(DDB_L);
	uint32		length = ddb_value_count(list);
	uint32		index = 0;
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	ddb_iter_begin(&it, list);
	for (uint32 i = 0, run; i < count; i += run)
	{
		const Target *target = &u->expr->targets[first + i];
		uint32		wanted = (path_steps(u->expr, target->path) + depth)->value;
		Effect		effect;

		run = ddb_targets_run(u->expr, target, count - i, depth);
		for (; index < Min(wanted, length) && ddb_iter_next(&it, &name, &value); index++)
			ddb_builder_add(builder, value);
		if (wanted < length)
		{
			(void) ddb_iter_next(&it, &name, &value);
			index++;
		}
		effect = settle(u, first + i, run, depth, wanted < length, &value);
		if (effect == EFFECT_PUT || (effect == EFFECT_NONE && wanted < length))
			ddb_builder_add(builder, value);
	}
	while (ddb_iter_next(&it, &name, &value))
		ddb_builder_add(builder, value);
	return ddb_builder_finish(builder, DDB_DUPLICATES_ERROR);
}

static DdbValue
rebuild(const Update *u, uint32 first, uint32 count, int depth, DdbValue container)
{
	const PathStep *step = path_steps(u->expr, u->expr->targets[first].path) + depth;

	if (container.type != (step->is_index ? DDB_L : DDB_M))
		raise_bad_path();
	if (step->is_index)
		return rebuild_list(u, first, count, depth, container);
	return rebuild_map(u, first, count, depth, container);
}

DdbValue
ddb_update_apply(const DdbExpr *update, const DdbRecord *old)
{
	Update		u = {.expr = update, .old = old};
	DdbValue	map = old->map;

	if (old->schema == NULL)
		map = ddb_builder_finish(ddb_builder_begin(DDB_M), DDB_DUPLICATES_ERROR);
	if (update->ntargets == 0)
		return map;
	u.outcomes = palloc(update->ntargets * sizeof(Outcome));
	for (uint32 i = 0; i < update->ntargets; i++)
		compute(&u, &update->targets[i], &u.outcomes[i]);
	return rebuild(&u, 0, update->ntargets, 0, map);
}

/* ----------------------------------------------------------------------
 * About an update
 * ---------------------------------------------------------------------- */

void
ddb_update_check_keys(const DdbExpr *update, const DdbKeySchema *schema)
{
	for (uint32 i = 0; i < update->ntargets; i++)
	{
		DdbName		name = step_name(update, path_steps(update, update->targets[i].path));

		for (int k = 0; k < schema->nkeys; k++)
		{
			const DdbKeyAttr *attr = &schema->attr[k];

			if (name.len == attr->len && memcmp(name.data, attr->name, attr->len) == 0)
				ddb_raise(DDB_VALIDATION,
						  "One or more parameter values were invalid: Cannot update attribute %s. This attribute is part of the key",
						  attr->name);
		}
	}
}

int
ddb_update_attributes(const DdbExpr *update, DdbName *names, int max)
{
	if (update->ntargets > max)
		return 0;
	for (uint32 i = 0; i < update->ntargets; i++)
		names[i] = step_name(update, path_steps(update, update->targets[i].path));
	return update->ntargets;
}

bool
ddb_update_only_removes(const DdbExpr *update)
{
	for (uint32 i = 0; i < update->ntargets; i++)
	{
		uint8		type = update->targets[i].action->type;

		if (type == NODE_SET || type == NODE_ADD)
			return false;
	}
	return update->ntargets > 0;
}
