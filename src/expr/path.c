/*-------------------------------------------------------------------------
 *
 * path.c
 *	  Document paths: against an item, and against each other.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "expr/expr_int.h"

bool
ddb_path_step(const DdbExpr *expr, const PathStep *step, DdbValue container, DdbValue *value)
{
	DdbName		name;

	if (step->is_index)
		return container.type == DDB_L && ddb_list_get(container, step->value, value);
	if (container.type != DDB_M)
		return false;
	name = step_name(expr, step);
	return ddb_map_get(container, name.data, name.len, value);
}

bool
ddb_path_get(const DdbExpr *expr, const ExprNode *path, const DdbRecord *record, DdbValue *value)
{
	const PathStep *steps = path_steps(expr, path);
	DdbName		name = step_name(expr, &steps[0]);

	if (!ddb_record_get(record, name.data, name.len, value))
		return false;
	for (int i = 1; i < path->count; i++)
	{
		if (!ddb_path_step(expr, &steps[i], *value, value))
			return false;
	}
	return true;
}

int
ddb_name_order(DdbName a, DdbName b)
{
	int			cmp = memcmp(a.data, b.data, Min(a.len, b.len));

	if (cmp != 0)
		return cmp;
	return a.len < b.len ? -1 : a.len > b.len;
}

int
ddb_step_compare(const DdbExpr *expr, const PathStep *a, const PathStep *b)
{
	if (a->is_index != b->is_index)
		return a->is_index ? -1 : 1;
	if (a->is_index)
		return a->value < b->value ? -1 : a->value > b->value;
	return ddb_name_order(step_name(expr, a), step_name(expr, b));
}

bool
ddb_path_equal(const DdbExpr *expr, const ExprNode *a, const ExprNode *b)
{
	if (a->count != b->count)
		return false;
	for (int i = 0; i < a->count; i++)
	{
		if (ddb_step_compare(expr, path_steps(expr, a) + i, path_steps(expr, b) + i) != 0)
			return false;
	}
	return true;
}

char *
ddb_path_text(const DdbExpr *expr, const ExprNode *path)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < path->count; i++)
	{
		const PathStep *step = path_steps(expr, path) + i;

		appendStringInfoString(&text, i == 0 ? "[" : ", ");
		if (step->is_index)
			appendStringInfo(&text, "[%u]", step->value);
		else
			appendBinaryStringInfo(&text, step_name(expr, step).data, step_name(expr, step).len);
	}
	appendStringInfoChar(&text, ']');
	return text.data;
}

/* ----------------------------------------------------------------------
 * Targets
 * ---------------------------------------------------------------------- */

/* A path comes directly before those that it is the beginning of. */
static int
compare_targets(const void *a, const void *b, void *arg)
{
	const DdbExpr *expr = arg;
	const ExprNode *x = ((const Target *) a)->path;
	const ExprNode *y = ((const Target *) b)->path;

	for (int i = 0; i < Min(x->count, y->count); i++)
	{
		int			cmp = ddb_step_compare(expr, path_steps(expr, x) + i, path_steps(expr, y) + i);

		if (cmp != 0)
			return cmp;
	}
	if (x->count != y->count)
		return x->count < y->count ? -1 : 1;
	return x < y ? -1 : x > y;	/* nodes stand in the text's order */
}

static int
common_steps(const DdbExpr *expr, const ExprNode *a, const ExprNode *b)
{
	int			i = 0;

	while (i < Min(a->count, b->count) &&
		   ddb_step_compare(expr, path_steps(expr, a) + i, path_steps(expr, b) + i) == 0)
		i++;
	return i;
}

static void pg_attribute_noreturn()
raise_clash(const DdbExpr *expr, const char *what, const ExprNode *a, const ExprNode *b)
{
	const ExprNode *one = Min(a, b);
	const ExprNode *two = Max(a, b);

	ddb_raise(DDB_VALIDATION,
			  "Invalid %s: Two document paths %s with each other; must remove or rewrite one of these paths; path one: %s, path two: %s",
			  ddb_kind_name(expr->kind), what, ddb_path_text(expr, one), ddb_path_text(expr, two));
}

/*
 * Two paths overlap when one begins the other, and conflict when they take
 * one value for both a list and a map.  In sorted order both show between
 * neighbours: what shares a beginning is contiguous, and indexes come before
 * names.  Overlaps are reported first.
 */
static void
check_clashes(const DdbExpr *expr)
{
	const Target *t = expr->targets;

	for (uint32 i = 1; i < expr->ntargets; i++)
	{
		if (common_steps(expr, t[i - 1].path, t[i].path) == t[i - 1].path->count)
			raise_clash(expr, "overlap", t[i - 1].path, t[i].path);
	}
	for (uint32 i = 1; i < expr->ntargets; i++)
	{
		int			common = common_steps(expr, t[i - 1].path, t[i].path);

		if (path_steps(expr, t[i - 1].path)[common].is_index !=
			path_steps(expr, t[i].path)[common].is_index)
			raise_clash(expr, "conflict", t[i - 1].path, t[i].path);
	}
}

void
ddb_expr_find_targets(DdbExpr *expr)
{
	const ExprNode *root = expr_root(expr);
	const ExprNode *node = first_operand(expr, root);

	expr->ntargets = root->count;
	expr->targets = palloc(root->count * sizeof(Target));
	for (uint32 i = 0; i < expr->ntargets; i++, node = next_operand(expr, node))
	{
		bool		is_path = node->type == NODE_PATH;

		expr->targets[i].path = is_path ? node : first_operand(expr, node);
		expr->targets[i].action = is_path ? NULL : node;
	}
	if (expr->ntargets < 2)
		return;
	qsort_arg(expr->targets, expr->ntargets, sizeof(Target), compare_targets, expr);
	check_clashes(expr);
}

uint32
ddb_targets_run(const DdbExpr *expr, const Target *targets, uint32 count, int depth)
{
	const PathStep *step = path_steps(expr, targets[0].path) + depth;
	uint32		n = 1;

	/* No target ends before this depth: it would overlap with the others. */
	while (n < count &&
		   ddb_step_compare(expr, step, path_steps(expr, targets[n].path) + depth) == 0)
		n++;
	return n;
}
