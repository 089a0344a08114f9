/*-------------------------------------------------------------------------
 *
 * keycond.c
 *	  Key conditions: which items of one collection a Query wants.
 *
 * A key condition is parsed as a condition.  What it may be is much less: one
 * or two simple conditions joined by AND, each on one key attribute and
 * :values.  The first half of the checks needs the expression only and runs
 * when the request's parsing ends; the second needs the schema of the table
 * or index that is queried.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "expr/expr_int.h"
#include "miscadmin.h"

/* ----------------------------------------------------------------------
 * The expression's form
 * ---------------------------------------------------------------------- */

static void pg_attribute_noreturn()
raise_operator(const char *name)
{
	ddb_raise(DDB_VALIDATION, "Invalid operator used in KeyConditionExpression: %s", name);
}

static void pg_attribute_noreturn()
raise_form(const char *rule)
{
	ddb_raise(DDB_VALIDATION, "Invalid KeyConditionExpression: KeyConditionExpressions %s", rule);
}

/* Refuses conditions of kinds that no key condition has. */
static void
check_operator(const ExprNode *node)
{
	switch (node->type)
	{
		case NODE_OR:
			raise_operator("OR");
		case NODE_NOT:
			raise_operator("NOT");
		case NODE_IN:
			raise_operator("IN");
		case NODE_NE:
			raise_operator("<>");
		case NODE_PREDICATE:
			if (node->op != FUNCTION_BEGINS_WITH)
				raise_operator(ddb_functions[node->op].name);
			break;
	}
}

/*
 * The one operand that is a key attribute.  The others are :values, as long
 * as there is no second attribute and no size().
 */
static const ExprNode *
find_attribute(const DdbExpr *expr, const ExprNode *node, int *position)
{
	const ExprNode *operand = first_operand(expr, node);
	const ExprNode *attribute = NULL;

	for (int i = 0; i < node->count; i++, operand = next_operand(expr, operand))
	{
		if (operand->type == NODE_FUNCTION)
			raise_form("cannot contain nested operations");
		if (operand->type != NODE_PATH)
			continue;
		if (attribute)
			ddb_raise(DDB_VALIDATION, "Invalid condition in KeyConditionExpression: Multiple attribute names used in one condition");
		if (operand->count > 1)
			raise_form("cannot have conditions on nested attributes");
		attribute = operand;
		*position = i;
	}
	if (attribute == NULL)
		ddb_raise(DDB_VALIDATION, "Invalid condition in KeyConditionExpression: No key attribute specified");
	return attribute;
}

/* The operator with the attribute on the left: "5 < a" is "a > 5". */
static DdbKeyOp
key_op(const ExprNode *node, bool swapped)
{
	switch (node->type)
	{
		case NODE_EQ:
			return DDB_KEY_EQ;
		case NODE_LT:
			return swapped ? DDB_KEY_GT : DDB_KEY_LT;
		case NODE_LE:
			return swapped ? DDB_KEY_GE : DDB_KEY_LE;
		case NODE_GT:
			return swapped ? DDB_KEY_LT : DDB_KEY_GT;
		case NODE_GE:
			return swapped ? DDB_KEY_LE : DDB_KEY_GE;
		case NODE_BETWEEN:
			return DDB_KEY_BETWEEN;
		default:
			return DDB_KEY_BEGINS_WITH;
	}
}

static void
add_clause(DdbExpr *expr, KeyClause clause)
{
	for (int i = 0; i < expr->nclauses; i++)
	{
		DdbName		other = expr->clauses[i].attribute;

		if (other.len == clause.attribute.len &&
			memcmp(other.data, clause.attribute.data, other.len) == 0)
			raise_form("must only contain one condition per key");
	}
	expr->clauses[expr->nclauses++] = clause;
}

static void
prepare_clause(DdbExpr *expr, const ExprNode *node)
{
	const ExprNode *first = first_operand(expr, node);
	const ExprNode *second = next_operand(expr, first);
	const ExprNode *attribute;
	KeyClause	clause = {0};
	int			position = 0;

	check_operator(node);
	if ((node->type == NODE_BETWEEN || node->type == NODE_PREDICATE) && first->type == NODE_VALUE)
		ddb_raise(DDB_VALIDATION,
				  "Invalid condition in KeyConditionExpression: %s operator must have the key attribute as its first operand",
				  node->type == NODE_BETWEEN ? "BETWEEN" : ddb_functions[node->op].name);

	attribute = find_attribute(expr, node, &position);
	clause.attribute = step_name(expr, path_steps(expr, attribute));
	clause.op = key_op(node, position > 0);
	clause.low = expr->refs[position > 0 ? first->first : second->first];
	if (node->type == NODE_BETWEEN)
		clause.high = expr->refs[next_operand(expr, second)->first];
	add_clause(expr, clause);
}

/* Parentheses make ANDs of ANDs; the parser bounds how deep. */
static void
prepare(DdbExpr *expr, const ExprNode *node)
{
	const ExprNode *operand;

	if (node->type != NODE_AND)
	{
		prepare_clause(expr, node);
		return;
	}
	check_stack_depth();
	operand = first_operand(expr, node);
	for (int i = 0; i < node->count; i++, operand = next_operand(expr, operand))
		prepare(expr, operand);
}

void
ddb_key_condition_prepare(DdbExpr *expr)
{
	/* A condition has two operands at least. */
	expr->clauses = palloc((expr->program->nnodes / 3 + 1) * sizeof(KeyClause));
	prepare(expr, expr_root(expr));
}

/* ----------------------------------------------------------------------
 * Against a schema
 * ---------------------------------------------------------------------- */

static const KeyClause *
find_clause(const DdbExpr *expr, const DdbKeyAttr *attr)
{
	for (int i = 0; i < expr->nclauses; i++)
	{
		DdbName		name = expr->clauses[i].attribute;

		if (name.len == attr->len && memcmp(name.data, attr->name, attr->len) == 0)
			return &expr->clauses[i];
	}
	return NULL;
}

static void
check_clause(const KeyClause *clause, const DdbKeySchema *schema, int which)
{
	uint8		type = schema->attr[which].type;

	if (clause->low.type != type || (clause->op == DDB_KEY_BETWEEN && clause->high.type != type))
		ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Condition parameter type does not match schema type");
	if (which == 0 && clause->op != DDB_KEY_EQ)
		ddb_raise(DDB_VALIDATION, "Query key condition not supported");
	ddb_key_check(schema, which, clause->low);
	if (clause->op == DDB_KEY_BETWEEN)
		ddb_key_check(schema, which, clause->high);
}

/* The clauses in the schema's order; the second is NULL when there is one only. */
static void
match_clauses(const DdbExpr *expr, const DdbKeySchema *schema, const KeyClause *clauses[2])
{
	if (expr->nclauses > schema->nkeys)
		ddb_raise(DDB_VALIDATION, "The number of query conditions (%d) exceeds the number of key "
				  "attributes defined in the schema (%d)", expr->nclauses, schema->nkeys);
	for (int which = 0; which < expr->nclauses; which++)
	{
		clauses[which] = find_clause(expr, &schema->attr[which]);
		if (clauses[which] == NULL)
			ddb_raise(DDB_VALIDATION, "Query condition missed key schema element: %s",
					  schema->attr[which].name);
	}
	for (int which = 0; which < expr->nclauses; which++)
	{
		if (clauses[which]->refused)
			ddb_raise(DDB_VALIDATION, "Attempted conditional constraint is not an indexable operation");
	}
}

void
ddb_key_condition_resolve(const DdbExpr *expr, const DdbKeySchema *schema,
						  DdbKeyCondition *condition)
{
	const KeyClause *clauses[2] = {NULL, NULL};

	match_clauses(expr, schema, clauses);
	memset(condition, 0, sizeof(*condition));
	condition->op = DDB_KEY_ALL;
	check_clause(clauses[0], schema, 0);
	condition->partition = clauses[0]->low;
	if (clauses[1])
	{
		check_clause(clauses[1], schema, 1);
		condition->op = clauses[1]->op;
		condition->low = clauses[1]->low;
		condition->high = clauses[1]->high;
	}
}

bool
ddb_key_condition_holds(const DdbKeyCondition *condition, DdbValue sort_key)
{
	DdbValue	low = condition->low;

	switch (condition->op)
	{
		case DDB_KEY_ALL:
			return true;
		case DDB_KEY_EQ:
			return ddb_value_compare(sort_key, low) == 0;
		case DDB_KEY_LT:
			return ddb_value_compare(sort_key, low) < 0;
		case DDB_KEY_LE:
			return ddb_value_compare(sort_key, low) <= 0;
		case DDB_KEY_GT:
			return ddb_value_compare(sort_key, low) > 0;
		case DDB_KEY_GE:
			return ddb_value_compare(sort_key, low) >= 0;
		case DDB_KEY_BETWEEN:
			return ddb_value_compare(sort_key, low) >= 0 &&
				ddb_value_compare(sort_key, condition->high) <= 0;
		case DDB_KEY_BEGINS_WITH:
			return sort_key.len >= low.len && memcmp(sort_key.data, low.data, low.len) == 0;
	}
	return false;
}
