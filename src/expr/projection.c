/*-------------------------------------------------------------------------
 *
 * projection.c
 *	  The parts of an item that paths reach, inside their bare parents.
 *
 * A nested value comes out within its map or list, without its neighbours:
 * list elements close up in the order of their indexes.  A parent of which
 * nothing is wanted is left out.  UPDATED_OLD and UPDATED_NEW are projections
 * by an update's target paths.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "expr/expr_int.h"

static bool project_inside(const DdbExpr *expr, const Target *targets, uint32 count, int depth,
						   DdbValue *value);

/*
 * What these targets, which agree in their first steps, leave of the value
 * that those steps reached.  depth counts the steps.
 */
static bool
project_value(const DdbExpr *expr, const Target *targets, uint32 count, int depth, DdbValue *value)
{
	if (targets[0].path->count == depth)
		return true;			/* the whole value; no other target is below it */
	return project_inside(expr, targets, count, depth, value);
}

static bool
project_inside(const DdbExpr *expr, const Target *targets, uint32 count, int depth, DdbValue *value)
{
	DdbType		type = path_steps(expr, targets[0].path)[depth].is_index ? DDB_L : DDB_M;
	DdbBuilder *builder = NULL;

	if (value->type != type)
		return false;
	for (uint32 i = 0, run; i < count; i += run)
	{
		const PathStep *step = path_steps(expr, targets[i].path) + depth;
		DdbValue	child;

		run = ddb_targets_run(expr, &targets[i], count - i, depth);
		if (!ddb_path_step(expr, step, *value, &child) ||
			!project_value(expr, &targets[i], run, depth + 1, &child))
			continue;
		if (builder == NULL)
			builder = ddb_builder_begin(type);
		if (type == DDB_L)
			ddb_builder_add(builder, child);
		else
			ddb_builder_put(builder, step_name(expr, step).data, step_name(expr, step).len, child);
	}
	if (builder == NULL)
		return false;
	*value = ddb_builder_finish(builder, DDB_DUPLICATES_ERROR);
	return true;
}

static DdbValue
project(const DdbExpr *expr, const DdbRecord *record)
{
	DdbBuilder *builder = ddb_builder_begin(DDB_M);

	for (uint32 i = 0, run; i < expr->ntargets; i += run)
	{
		const Target *target = &expr->targets[i];
		DdbName		name = step_name(expr, path_steps(expr, target->path));
		DdbValue	value;

		run = ddb_targets_run(expr, target, expr->ntargets - i, 0);
		if (ddb_record_get(record, name.data, name.len, &value) &&
			project_value(expr, target, run, 1, &value))
			ddb_builder_put(builder, name.data, name.len, value);
	}
	return ddb_builder_finish(builder, DDB_DUPLICATES_ERROR);
}

DdbValue
ddb_projection_apply(const DdbExpr *projection, const DdbRecord *record)
{
	return project(projection, record);
}

DdbValue
ddb_update_touched(const DdbExpr *update, const DdbRecord *record)
{
	return project(update, record);
}

int
ddb_projection_count(const DdbExpr *projection)
{
	return projection->ntargets;
}

DdbName
ddb_projection_attribute(const DdbExpr *projection, int i)
{
	return step_name(projection, path_steps(projection, projection->targets[i].path));
}
