/*-------------------------------------------------------------------------
 *
 * eval.c
 *	  Conditions and filters on an item.
 *
 * Operands are views into the item or the request; only size() makes a value,
 * and its bytes live on the stack of the comparison that uses it.  So nothing
 * here allocates.
 *
 * What is missing, or of a type that an operator cannot take, makes the
 * comparison false ("<>" true): a request's own values have been checked
 * before (check.c), so whatever does not fit comes from the item.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "expr/expr_int.h"
#include "miscadmin.h"

typedef struct Operand
{
	bool		found;
	DdbValue	value;
	uint8		number[DDB_NUMBER_BYTES];	/* where size() puts its result */
} Operand;

static bool eval(const DdbExpr *expr, const ExprNode *node, const DdbRecord *record);

/*
 * A string's length as DynamoDB counts it: in UTF-16 code units, which is one
 * for every character and one more for those beyond the basic plane.
 */
static int64
string_length(DdbValue string)
{
	int64		length = 0;

	for (uint32 i = 0; i < string.len; i++)
	{
		uint8		byte = string.data[i];

		length += (byte & 0xC0) != 0x80;
		length += byte >= 0xF0;
	}
	return length;
}

static bool
size_of(DdbValue value, int64 *size)
{
	switch (value.type)
	{
		case DDB_S:
			*size = string_length(value);
			return true;
		case DDB_B:
			*size = value.len;
			return true;
		case DDB_NS:
		case DDB_SS:
		case DDB_BS:
		case DDB_L:
		case DDB_M:
			*size = ddb_value_count(value);
			return true;
		default:
			return false;
	}
}

static void
get_operand(const DdbExpr *expr, const ExprNode *node, const DdbRecord *record, Operand *operand)
{
	int64		size;

	if (node->type == NODE_VALUE)
	{
		operand->found = true;
		operand->value = expr->refs[node->first];
		return;
	}
	if (node->type == NODE_PATH)
	{
		operand->found = ddb_path_get(expr, node, record, &operand->value);
		return;
	}

	/* The parser lets no other function be an operand. */
	Assert(node->type == NODE_FUNCTION && node->op == FUNCTION_SIZE);
	get_operand(expr, first_operand(expr, node), record, operand);
	operand->found = operand->found && size_of(operand->value, &size);
	if (operand->found)
	{
		operand->value.type = DDB_N;
		operand->value.len = ddb_number_from_int64(size, operand->number);
		operand->value.data = operand->number;
	}
}

static inline bool
has_order(DdbType type)
{
	return type == DDB_S || type == DDB_N || type == DDB_B;
}

/* Can the two be put in order, and how? */
static bool
compare(const Operand *a, const Operand *b, int *order)
{
	if (!a->found || !b->found || a->value.type != b->value.type || !has_order(a->value.type))
		return false;
	*order = ddb_value_compare(a->value, b->value);
	return true;
}

static bool
same(const Operand *a, const Operand *b)
{
	return a->found && b->found && ddb_value_equal(a->value, b->value);
}

static bool
eval_comparison(const DdbExpr *expr, const ExprNode *node, const DdbRecord *record)
{
	const ExprNode *left = first_operand(expr, node);
	Operand		a,
				b;
	int			order;

	get_operand(expr, left, record, &a);
	get_operand(expr, next_operand(expr, left), record, &b);
	switch (node->type)
	{
		case NODE_EQ:
			return same(&a, &b);
		case NODE_NE:
			/* size() of what has none makes even "<>" false */
			if ((!a.found && left->type == NODE_FUNCTION) ||
				(!b.found && next_operand(expr, left)->type == NODE_FUNCTION))
				return false;
			return !same(&a, &b);
		case NODE_LT:
			return compare(&a, &b, &order) && order < 0;
		case NODE_LE:
			return compare(&a, &b, &order) && order <= 0;
		case NODE_GT:
			return compare(&a, &b, &order) && order > 0;
		default:
			return compare(&a, &b, &order) && order >= 0;
	}
}

static bool
eval_between(const DdbExpr *expr, const ExprNode *node, const DdbRecord *record)
{
	const ExprNode *value = first_operand(expr, node);
	const ExprNode *lower = next_operand(expr, value);
	Operand		v,
				bound;
	int			order;

	get_operand(expr, value, record, &v);
	get_operand(expr, lower, record, &bound);
	if (!compare(&v, &bound, &order) || order < 0)
		return false;
	get_operand(expr, next_operand(expr, lower), record, &bound);
	return compare(&v, &bound, &order) && order <= 0;
}

static bool
eval_in(const DdbExpr *expr, const ExprNode *node, const DdbRecord *record)
{
	const ExprNode *candidate = first_operand(expr, node);
	Operand		v,
				c;

	get_operand(expr, candidate, record, &v);
	if (!v.found)
		return false;
	for (int i = 1; i < node->count; i++)
	{
		candidate = next_operand(expr, candidate);
		get_operand(expr, candidate, record, &c);
		if (same(&v, &c))
			return true;
	}
	return false;
}

static bool
begins_with(DdbValue whole, DdbValue start)
{
	return (start.type == DDB_S || start.type == DDB_B) && whole.type == start.type &&
		whole.len >= start.len && memcmp(whole.data, start.data, start.len) == 0;
}

/* On bytes: UTF-8 never matches in the middle of a character. */
static bool
has_substring(DdbValue whole, DdbValue part)
{
	return part.len == 0 || memmem(whole.data, whole.len, part.data, part.len) != NULL;
}

static bool
contains(DdbValue container, DdbValue part)
{
	switch (container.type)
	{
		case DDB_S:
		case DDB_B:
			return part.type == container.type && has_substring(container, part);
		case DDB_NS:
		case DDB_SS:
		case DDB_BS:
		case DDB_L:
			return ddb_value_contains(container, part);
		default:
			return false;
	}
}

static bool
eval_predicate(const DdbExpr *expr, const ExprNode *node, const DdbRecord *record)
{
	const ExprNode *operand = first_operand(expr, node);
	DdbType		type;
	Operand		a,
				b;

	get_operand(expr, operand, record, &a);
	if (node->op == FUNCTION_ATTRIBUTE_EXISTS)
		return a.found;
	if (node->op == FUNCTION_ATTRIBUTE_NOT_EXISTS)
		return !a.found;

	get_operand(expr, next_operand(expr, operand), record, &b);
	if (!a.found || !b.found)
		return false;
	if (node->op == FUNCTION_BEGINS_WITH)
		return begins_with(a.value, b.value);
	if (node->op == FUNCTION_CONTAINS)
		return contains(a.value, b.value);
	return ddb_type_from_name((const char *) b.value.data, b.value.len, &type) &&
		a.value.type == type;
}

/* AND stops at the first false one, OR at the first true one. */
static bool
eval_chain(const DdbExpr *expr, const ExprNode *node, const DdbRecord *record, bool stop)
{
	const ExprNode *operand = first_operand(expr, node);

	for (int i = 1; i < node->count; i++)
	{
		if (eval(expr, operand, record) == stop)
			return stop;
		operand = next_operand(expr, operand);
	}
	return eval(expr, operand, record);
}

/* Recursion is bounded by DDB_MAX_NESTING and DDB_MAX_OPERATORS. */
static bool
eval(const DdbExpr *expr, const ExprNode *node, const DdbRecord *record)
{
	switch (node->type)
	{
		case NODE_AND:
		case NODE_OR:
			check_stack_depth();
			return eval_chain(expr, node, record, node->type == NODE_OR);
		case NODE_NOT:
			check_stack_depth();
			return !eval(expr, first_operand(expr, node), record);
		case NODE_BETWEEN:
			return eval_between(expr, node, record);
		case NODE_IN:
			return eval_in(expr, node, record);
		case NODE_PREDICATE:
			return eval_predicate(expr, node, record);
		default:
			return eval_comparison(expr, node, record);
	}
}

bool
ddb_condition_eval(const DdbExpr *condition, const DdbRecord *record)
{
	return eval(condition, expr_root(condition), record);
}
