/*-------------------------------------------------------------------------
 *
 * check.c
 *	  Operands whose kind is known before any item is read.
 *
 * A type that an operator cannot take is an error when the request brought
 * it, and only then: what comes from an item makes a condition false.  So the
 * types of :values are checked once, here, whatever the item may hold.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "expr/expr_int.h"

/* Sets of types, as bits. */
#define TYPE(t)			(1u << (t))
#define TYPES_ORDERED	(TYPE(DDB_S) | TYPE(DDB_N) | TYPE(DDB_B))
#define TYPES_SETS		(TYPE(DDB_SS) | TYPE(DDB_NS) | TYPE(DDB_BS))
#define TYPES_SIZED		(TYPE(DDB_S) | TYPE(DDB_B) | TYPES_SETS | TYPE(DDB_L) | TYPE(DDB_M))

/* The type an operand has in every item, or false when the item decides. */
static bool
known_type(const DdbExpr *expr, const ExprNode *operand, DdbType *type)
{
	if (operand->type == NODE_VALUE)
		return *type = expr->refs[operand->first].type, true;
	if (operand->type == NODE_FUNCTION && operand->op == FUNCTION_SIZE)
		return *type = DDB_N, true;
	if (operand->type == NODE_FUNCTION && operand->op == FUNCTION_LIST_APPEND)
		return *type = DDB_L, true;
	return false;
}

/* "<", "BETWEEN", "size": how messages call a node. */
static const char *
operator_name(const ExprNode *node)
{
	static const char *const names[] = {
		[NODE_PLUS] = "+", [NODE_MINUS] = "-",
		[NODE_EQ] = "=", [NODE_NE] = "<>", [NODE_LT] = "<", [NODE_LE] = "<=",
		[NODE_GT] = ">", [NODE_GE] = ">=", [NODE_BETWEEN] = "BETWEEN", [NODE_IN] = "IN",
	};

	if (node->type == NODE_FUNCTION || node->type == NODE_PREDICATE)
		return ddb_functions[node->op].name;
	return names[node->type];
}

static void pg_attribute_noreturn()
raise_operand_type(const DdbExpr *expr, const ExprNode *node, const char *type)
{
	ddb_raise(DDB_VALIDATION,
			  "Invalid %s: Incorrect operand type for operator or function; operator or function: %s, operand type: %s",
			  ddb_kind_name(expr->kind), operator_name(node), type);
}

/* Every operand whose type is known must be one of these. */
static void
require_types(const DdbExpr *expr, const ExprNode *node, unsigned types)
{
	const ExprNode *operand = first_operand(expr, node);

	for (int i = 0; i < node->count; i++, operand = next_operand(expr, operand))
	{
		DdbType		type;

		if (known_type(expr, operand, &type) && !(types & TYPE(type)))
			raise_operand_type(expr, node, ddb_type_name(type));
	}
}

static void
require_path(const DdbExpr *expr, const ExprNode *node)
{
	if (first_operand(expr, node)->type != NODE_PATH)
		ddb_raise(DDB_VALIDATION,
				  "Invalid %s: Operator or function requires a document path; operator or function: %s",
				  ddb_kind_name(expr->kind), operator_name(node));
}

/* The first operand may not be repeated among the others. */
static void
require_distinct(const DdbExpr *expr, const ExprNode *node)
{
	const ExprNode *first = first_operand(expr, node);
	const ExprNode *other = first;

	if (first->type != NODE_PATH)
		return;
	for (int i = 1; i < node->count; i++)
	{
		other = next_operand(expr, other);
		if (other->type == NODE_PATH && ddb_path_equal(expr, first, other))
			ddb_raise(DDB_VALIDATION,
					  "Invalid %s: The first operand must be distinct from the remaining operands for this operator or function; operator: %s, first operand: %s",
					  ddb_kind_name(expr->kind), operator_name(node), ddb_path_text(expr, first));
	}
}

/* attribute_type() wants the name of a type, given as a :value. */
static void
check_type_name(const DdbExpr *expr, const ExprNode *node)
{
	const ExprNode *operand = next_operand(expr, first_operand(expr, node));
	const DdbValue *name;
	DdbType		type;

	if (operand->type != NODE_VALUE)
		raise_operand_type(expr, node, operand->type == NODE_PATH ?
						   "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}" : ddb_type_name(DDB_N));
	name = &expr->refs[operand->first];
	if (name->type != DDB_S)
		raise_operand_type(expr, node, ddb_type_name(name->type));
	if (!ddb_type_from_name((const char *) name->data, name->len, &type))
		ddb_raise(DDB_VALIDATION,
				  "Invalid %s: Invalid attribute type name found; type: %.*s, valid types: {B,NULL,SS,BOOL,L,BS,N,NS,S,M}",
				  ddb_kind_name(expr->kind), (int) name->len, (const char *) name->data);
}

/* "AttributeValue: {S:abc}", as BETWEEN's messages show a bound. */
static char *
bound_text(DdbValue bound)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "AttributeValue: {%s:", ddb_type_name(bound.type));
	if (bound.type == DDB_S)
		appendBinaryStringInfo(&text, (const char *) bound.data, bound.len);
	else
		ddb_value_to_json(&text, bound, DDB_JSON_PLAIN);
	appendStringInfoChar(&text, '}');
	return text.data;
}

static void
check_bounds(const DdbExpr *expr, const ExprNode *node)
{
	const ExprNode *lower = next_operand(expr, first_operand(expr, node));
	const ExprNode *upper = next_operand(expr, lower);
	const char *wrong;
	DdbValue	low,
				high;

	if (lower->type != NODE_VALUE || upper->type != NODE_VALUE)
		return;
	low = expr->refs[lower->first];
	high = expr->refs[upper->first];
	if (low.type != high.type)
		wrong = "requires same data type for lower and upper bounds";
	else if (ddb_value_compare(low, high) > 0)
		wrong = "requires upper bound to be greater than or equal to lower bound";
	else
		return;
	ddb_raise(DDB_VALIDATION,
			  "Invalid %s: The BETWEEN operator %s; lower bound operand: %s, upper bound operand: %s",
			  ddb_kind_name(expr->kind), wrong, bound_text(low), bound_text(high));
}

static void
check_function(const DdbExpr *expr, const ExprNode *node)
{
	switch (node->op)
	{
		case FUNCTION_ATTRIBUTE_EXISTS:
		case FUNCTION_ATTRIBUTE_NOT_EXISTS:
		case FUNCTION_IF_NOT_EXISTS:
			require_path(expr, node);
			break;
		case FUNCTION_ATTRIBUTE_TYPE:
			require_distinct(expr, node);
			check_type_name(expr, node);
			break;
		case FUNCTION_BEGINS_WITH:
			require_distinct(expr, node);
			require_types(expr, node, TYPE(DDB_S) | TYPE(DDB_B));
			break;
		case FUNCTION_CONTAINS:
			require_distinct(expr, node);
			break;
		case FUNCTION_SIZE:
			require_types(expr, node, TYPES_SIZED);
			break;
		case FUNCTION_LIST_APPEND:
			require_types(expr, node, TYPE(DDB_L));
			break;
	}
}

static void
check_node(const DdbExpr *expr, const ExprNode *node)
{
	switch (node->type)
	{
		case NODE_FUNCTION:
		case NODE_PREDICATE:
			check_function(expr, node);
			break;
		case NODE_PLUS:
		case NODE_MINUS:
			require_types(expr, node, TYPE(DDB_N));
			break;
		case NODE_EQ:
		case NODE_NE:
		case NODE_IN:
			require_distinct(expr, node);
			break;
		case NODE_LT:
		case NODE_LE:
		case NODE_GT:
		case NODE_GE:
			require_distinct(expr, node);
			require_types(expr, node, TYPES_ORDERED);
			break;
		case NODE_BETWEEN:
			require_distinct(expr, node);
			require_types(expr, node, TYPES_ORDERED);
			check_bounds(expr, node);
			break;
	}
}

void
ddb_check_operands(const DdbExpr *expr, uint32 first, uint32 last)
{
	for (uint32 i = first; i <= last; i++)
	{
		const ExprNode *node = &expr->nodes[i];

		if ((node->type == NODE_FUNCTION || node->type == NODE_PREDICATE) &&
			node->count != ddb_functions[node->op].operands)
			ddb_raise(DDB_VALIDATION,
					  "Invalid %s: Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d",
					  ddb_kind_name(expr->kind), operator_name(node), node->count);
	}
	for (uint32 i = first; i <= last; i++)
		check_node(expr, &expr->nodes[i]);
}

/* ----------------------------------------------------------------------
 * ADD and DELETE
 * ---------------------------------------------------------------------- */

/* Types as messages about actions call them; sets never appear there but in DELETE. */
static const char *
long_type_name(DdbType type)
{
	static const char *const names[DDB_NTYPES] = {
		[DDB_NULL] = "NULL", [DDB_BOOL] = "BOOLEAN", [DDB_N] = "NUMBER",
		[DDB_S] = "STRING", [DDB_B] = "BINARY", [DDB_NS] = "NUMBER_SET",
		[DDB_SS] = "STRING_SET", [DDB_BS] = "BINARY_SET", [DDB_L] = "LIST", [DDB_M] = "MAP",
	};

	return names[type];
}

void
ddb_check_actions(const DdbExpr *expr)
{
	const ExprNode *action = first_operand(expr, expr_root(expr));

	for (int i = 0; i < expr_root(expr)->count; i++, action = next_operand(expr, action))
	{
		const char *word = action->type == NODE_ADD ? "ADD" : "DELETE";
		DdbType		type;

		if (action->type != NODE_ADD && action->type != NODE_DELETE)
			continue;
		type = expr->refs[next_operand(expr, first_operand(expr, action))->first].type;
		if (TYPES_SETS & TYPE(type) || (action->type == NODE_ADD && type == DDB_N))
			continue;
		ddb_raise_hint(DDB_VALIDATION,
					   type == DDB_L ?
					   "Plain JSON has no sets: cast the values to ddb.item, or make them with ddb.to_set()." : NULL,
					   "Invalid %s: Incorrect operand type for operator or function; operator: %s, operand type: %s, typeSet: ALLOWED_FOR_%s_OPERAND",
					   ddb_kind_name(expr->kind), word, long_type_name(type), word);
	}
}
