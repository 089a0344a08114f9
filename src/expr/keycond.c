/*-------------------------------------------------------------------------
 *
 * keycond.c
 *	  Key conditions: which items of one collection a Query wants.
 *
 * A key condition is parsed as a condition.  What it may be is much less:
 * simple conditions joined by AND, each on one key attribute and :values.  The
 * first half of the checks needs the expression only and runs when the
 * request's parsing ends; the second needs the key of the table or index that
 * is queried.
 *
 * An index may have several attributes for its partition key, which must all
 * be equal to something, and for its sort key, of which some from the left
 * may be, and one more may have a range.
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
 * Against a key
 * ---------------------------------------------------------------------- */

/* The clauses by key attribute; of sort attributes the first `nsort` have one. */
typedef struct Clauses
{
	const KeyClause **partition;
	const KeyClause **sort;
	int			nsort;
} Clauses;

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
check_clause(const KeyClause *clause, const DdbKeyAttr *attr, bool partition)
{
	if (clause->low.type != attr->type ||
		(clause->op == DDB_KEY_BETWEEN && clause->high.type != attr->type))
		ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Condition parameter type does not match schema type");
	if (partition && clause->op != DDB_KEY_EQ)
		ddb_raise(DDB_VALIDATION, "Query key condition not supported");
	ddb_key_attr_check(attr, partition, clause->low);
	if (clause->op == DDB_KEY_BETWEEN)
		ddb_key_attr_check(attr, partition, clause->high);
}

static void pg_attribute_noreturn()
raise_not_equal(const DdbQueryKey *key, int earlier, int later)
{
	ddb_raise(DDB_VALIDATION, "RANGE key attributes %s must have equality conditions specified in the query because a condition is present on key attribute %s",
			  key->sort[earlier].name, key->sort[later].name);
}

/* A clause that could not be placed: on a later sort attribute, or on none. */
static void pg_attribute_noreturn()
raise_missed(const DdbExpr *expr, const DdbQueryKey *key, int missed)
{
	for (int i = missed + 1; i < key->nsort; i++)
	{
		if (find_clause(expr, &key->sort[i]))
			raise_not_equal(key, missed, i);
	}
	ddb_raise(DDB_VALIDATION, "Query condition missed key schema element: %s",
			  key->sort[missed].name);
}

/*
 * Every partition attribute has a clause, the sort attributes from the left,
 * and nothing else.
 */
static void
match_clauses(const DdbExpr *expr, const DdbQueryKey *key, Clauses *clauses)
{
	int			nkeys = key->npartition + key->nsort;

	if (expr->nclauses > nkeys)
		ddb_raise(DDB_VALIDATION, "The number of query conditions (%d) exceeds the number of key "
				  "attributes defined in the schema (%d)", expr->nclauses, nkeys);
	for (int i = 0; i < key->npartition; i++)
	{
		clauses->partition[i] = find_clause(expr, &key->partition[i]);
		if (clauses->partition[i] == NULL)
			ddb_raise(DDB_VALIDATION, "Query condition missed key schema element: %s",
					  key->partition[i].name);
	}
	clauses->nsort = expr->nclauses - key->npartition;
	for (int i = 0; i < clauses->nsort; i++)
	{
		clauses->sort[i] = find_clause(expr, &key->sort[i]);
		if (clauses->sort[i] == NULL)
			raise_missed(expr, key, i);
	}
	for (int i = 0; i < expr->nclauses; i++)
	{
		if (expr->clauses[i].refused)
			ddb_raise(DDB_VALIDATION, "Attempted conditional constraint is not an indexable operation");
	}
}

static void
check_clauses(const DdbQueryKey *key, const Clauses *clauses)
{
	for (int i = 0; i < key->npartition; i++)
		check_clause(clauses->partition[i], &key->partition[i], true);
	for (int i = 0; i < clauses->nsort; i++)
	{
		check_clause(clauses->sort[i], &key->sort[i], false);
		if (i > 0 && clauses->sort[i - 1]->op != DDB_KEY_EQ)
			raise_not_equal(key, i - 1, i);
	}
}

/* ----- several attributes: tuples ----- */

/* The tuple of the first n sort clauses' values, and one more. */
static DdbValue
sort_tuple(const Clauses *clauses, int n, const DdbValue *last, bool whole)
{
	StringInfoData tuple;

	initStringInfo(&tuple);
	for (int i = 0; i < n; i++)
		ddb_tuple_append(&tuple, clauses->sort[i]->low, true);
	if (last)
		ddb_tuple_append(&tuple, *last, whole);
	return ddb_value_binary((const uint8 *) tuple.data, tuple.len);
}

/* What comes after all tuples that begin with this one; no bound if none does. */
static DdbValue
beyond(DdbValue tuple)
{
	DdbValue	next = {.type = DDB_B};

	(void) ddb_value_after_prefix(tuple, &next);
	return next;
}

/*
 * The range of tuples that begin with the values of the left clauses and go on
 * with one that satisfies the last.
 */
static void
resolve_tuples(const Clauses *clauses, const DdbQueryKey *key, DdbKeyCondition *condition)
{
	int			left = clauses->nsort - 1;
	const KeyClause *last = clauses->sort[left];
	DdbValue	prefix = sort_tuple(clauses, left, NULL, true);
	DdbValue	at = sort_tuple(clauses, left, &last->low, last->op != DDB_KEY_BEGINS_WITH);

	condition->op = DDB_KEY_WITHIN;
	condition->low = left > 0 ? prefix : (DdbValue) {.type = DDB_B};
	condition->high = beyond(prefix);
	switch (last->op)
	{
		case DDB_KEY_LT:
			condition->high = at;
			break;
		case DDB_KEY_LE:
			condition->high = beyond(at);
			break;
		case DDB_KEY_GT:
			condition->low = beyond(at);
			break;
		case DDB_KEY_GE:
			condition->low = at;
			break;
		case DDB_KEY_BETWEEN:
			condition->low = at;
			condition->high = beyond(sort_tuple(clauses, left, &last->high, true));
			break;
		default:
			condition->low = at;
			condition->high = beyond(at);
			break;
	}
}

static void
resolve_partition(const Clauses *clauses, const DdbQueryKey *key, DdbKeyCondition *condition)
{
	DdbValue   *values;

	if (key->npartition == 1)
	{
		condition->partition = clauses->partition[0]->low;
		return;
	}
	values = palloc_array(DdbValue, key->npartition);
	for (int i = 0; i < key->npartition; i++)
		values[i] = clauses->partition[i]->low;
	condition->partition = ddb_tuple(values, key->npartition);
}

void
ddb_key_condition_resolve(const DdbExpr *expr, const DdbQueryKey *key,
						  DdbKeyCondition *condition)
{
	const KeyClause *found[2] = {NULL, NULL};
	Clauses		clauses = {&found[0], &found[1], 0};

	if (key->npartition > 1 || key->nsort > 1)
	{
		clauses.partition = palloc_array(const KeyClause *, key->npartition);
		clauses.sort = palloc_array(const KeyClause *, key->nsort + 1);
	}
	match_clauses(expr, key, &clauses);
	check_clauses(key, &clauses);
	memset(condition, 0, sizeof(*condition));
	condition->op = DDB_KEY_ALL;
	resolve_partition(&clauses, key, condition);
	if (clauses.nsort > 0 && key->nsort > 1)
		resolve_tuples(&clauses, key, condition);
	else if (clauses.nsort > 0)
	{
		condition->op = clauses.sort[0]->op;
		condition->low = clauses.sort[0]->low;
		condition->high = clauses.sort[0]->high;
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
		case DDB_KEY_WITHIN:
			return (low.data == NULL || ddb_value_compare(sort_key, low) >= 0) &&
				(condition->high.data == NULL ||
				 ddb_value_compare(sort_key, condition->high) < 0);
	}
	return false;
}
