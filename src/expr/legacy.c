/*-------------------------------------------------------------------------
 *
 * legacy.c
 *	  The parameters that expressions replaced: Expected, QueryFilter,
 *	  ScanFilter, KeyConditions, AttributeUpdates, AttributesToGet.
 *
 * They are translated into the programs that an expression of the same
 * meaning would have parsed to, already bound: each attribute and each value
 * is a reference of its own.  What they check by themselves is checked here,
 * in their own words; from then on they are expressions like any other.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "expr/expr_int.h"

#define INVALID_PARAMETER "One or more parameter values were invalid: "

/* Which values a comparison takes: how many, and of which types. */
#define TYPE(t)			(1u << (t))
#define ANY_TYPE		0xFFFFu
#define SCALARS			(TYPE(DDB_S) | TYPE(DDB_N) | TYPE(DDB_B))

typedef struct Comparison
{
	const char *name;
	uint32		min;
	uint32		max;
	unsigned	types;
	bool		in_key;			/* may a key condition use it? */
	DdbKeyOp	key_op;
	NodeType	node;			/* NODE_PREDICATE: function */
	FunctionId	function;
} Comparison;

static const Comparison comparisons[] = {
	{"EQ", 1, 1, ANY_TYPE, true, DDB_KEY_EQ, NODE_EQ},
	{"NE", 1, 1, ANY_TYPE, false, 0, NODE_NE},
	{"LT", 1, 1, SCALARS, true, DDB_KEY_LT, NODE_LT},
	{"LE", 1, 1, SCALARS, true, DDB_KEY_LE, NODE_LE},
	{"GT", 1, 1, SCALARS, true, DDB_KEY_GT, NODE_GT},
	{"GE", 1, 1, SCALARS, true, DDB_KEY_GE, NODE_GE},
	{"BETWEEN", 2, 2, SCALARS, true, DDB_KEY_BETWEEN, NODE_BETWEEN},
	{"BEGINS_WITH", 1, 1, TYPE(DDB_S) | TYPE(DDB_B), true, DDB_KEY_BEGINS_WITH,
	NODE_PREDICATE, FUNCTION_BEGINS_WITH},
	{"IN", 1, PG_UINT16_MAX - 1, SCALARS, false, 0, NODE_IN},
	{"CONTAINS", 1, 1, SCALARS, false, 0, NODE_PREDICATE, FUNCTION_CONTAINS},
	{"NOT_CONTAINS", 1, 1, SCALARS, false, 0, NODE_NOT, FUNCTION_CONTAINS},
	{"NULL", 0, 0, ANY_TYPE, false, 0, NODE_PREDICATE, FUNCTION_ATTRIBUTE_NOT_EXISTS},
	{"NOT_NULL", 0, 0, ANY_TYPE, false, 0, NODE_PREDICATE, FUNCTION_ATTRIBUTE_EXISTS},
};

static bool
text_is(DdbName text, const char *word)
{
	return strlen(word) == text.len && memcmp(word, text.data, text.len) == 0;
}

static const Comparison *
find_comparison(DdbName name)
{
	for (int i = 0; i < lengthof(comparisons); i++)
	{
		if (text_is(name, comparisons[i].name))
			return &comparisons[i];
	}
	ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Unsupported ComparisonOperator: %.*s",
			  (int) name.len, name.data);
}

/* ----------------------------------------------------------------------
 * Programs without text
 * ---------------------------------------------------------------------- */

typedef struct Maker
{
	ExprNode   *nodes;
	PathStep   *steps;
	TextRef    *refs;			/* all empty: nothing is written anywhere */
	DdbValue   *bound;			/* what they stand for */
	uint32		nnodes;
	uint32		nsteps;
	uint32		nrefs;
} Maker;

/* Room for this many conditions or actions and the values of all of them. */
static void
maker_begin(Maker *m, uint32 entries, uint32 values)
{
	/* An entry makes two paths at most, and four nodes beside its values. */
	uint32		refs = 2 * entries + values;
	uint32		nodes = 6 * entries + values + 1;

	if (nodes > PG_UINT16_MAX)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Too many attributes or values");
	memset(m, 0, sizeof(*m));
	m->nodes = palloc0(nodes * sizeof(ExprNode));
	m->steps = palloc0((2 * entries + 1) * sizeof(PathStep));
	m->refs = palloc0((refs + 1) * sizeof(TextRef));
	m->bound = palloc((refs + 1) * sizeof(DdbValue));
}

static uint32
make_node(Maker *m, NodeType type, FunctionId op, uint32 first, uint32 count)
{
	ExprNode   *node = &m->nodes[m->nnodes];

	node->type = type;
	node->op = op;
	node->first = first;
	node->count = count;
	return m->nnodes++;
}

static uint32
make_ref(Maker *m, DdbValue value)
{
	m->bound[m->nrefs] = value;
	return m->nrefs++;
}

static uint32
make_path(Maker *m, DdbName name)
{
	m->steps[m->nsteps].value = make_ref(m, ddb_value_string(name.data, name.len));
	return make_node(m, NODE_PATH, FUNCTION_UNKNOWN, m->nsteps++, 1);
}

static uint32
make_value(Maker *m, DdbValue value)
{
	return make_node(m, NODE_VALUE, FUNCTION_UNKNOWN, make_ref(m, value), 0);
}

static DdbExpr *
maker_finish(Maker *m, DdbExprSet *set, DdbExprKind kind, uint32 root)
{
	DdbExpr    *expr = ddb_expr_new(set, ddb_program_make(kind, root, m->nodes, m->nnodes,
														  m->steps, m->nsteps,
														  m->refs, m->nrefs, "", 0));

	expr->legacy = true;
	memcpy(unconstify(DdbValue *, expr->refs), m->bound, m->nrefs * sizeof(DdbValue));
	return expr;
}

/* ----------------------------------------------------------------------
 * Conditions
 * ---------------------------------------------------------------------- */

/*
 * Expected's two forms: an operator with its values, or Value and Exists.
 * Brings the second into the first.
 */
static void
normalize_expected(DdbLegacyCondition *c)
{
	int			len = c->attribute.len;
	const char *name = c->attribute.data;

	if (c->has_list && c->value)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Value and AttributeValueList cannot be used together for Attribute: %.*s", len, name);
	if (c->comparison.data)
	{
		if (c->exists != DDB_EXISTS_NOT_GIVEN)
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Exists and ComparisonOperator cannot be used together for Attribute: %.*s", len, name);
		if (!c->has_list && !c->value && find_comparison(c->comparison)->max > 0)
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Value or AttributeValueList must be used with ComparisonOperator: %.*s for Attribute: %.*s",
					  (int) c->comparison.len, c->comparison.data, len, name);
	}
	else if (c->has_list)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "AttributeValueList can only be used with a ComparisonOperator for Attribute: %.*s", len, name);
	else if (c->exists == DDB_EXISTS_FALSE)
	{
		if (c->value)
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Value cannot be used when Exists is false for Attribute: %.*s", len, name);
		c->comparison = (DdbName) {"NULL", 4};
	}
	else
	{
		if (!c->value)
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Value must be provided when Exists is %s for Attribute: %.*s",
					  c->exists == DDB_EXISTS_TRUE ? "true" : "null", len, name);
		c->comparison = (DdbName) {"EQ", 2};
	}
	if (c->value)
	{
		c->values = c->value;
		c->nvalues = 1;
	}
}

static void
check_values(const Comparison *comparison, const DdbLegacyCondition *c)
{
	if (c->nvalues < comparison->min || c->nvalues > comparison->max)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Invalid number of argument(s) for the %s ComparisonOperator",
				  comparison->name);
	for (uint32 i = 0; i < c->nvalues; i++)
	{
		if (c->values[i].type != c->values[0].type)
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "AttributeValues inside AttributeValueList must be of same type");
	}
	if (c->nvalues > 0 && !(comparison->types & TYPE(c->values[0].type)))
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "ComparisonOperator %s is not valid for %s AttributeValue type",
				  comparison->name, ddb_type_name(c->values[0].type));
	if (comparison->node == NODE_BETWEEN && ddb_value_compare(c->values[0], c->values[1]) > 0)
		ddb_raise(DDB_VALIDATION, "The BETWEEN condition was provided a range where the lower bound is greater than the upper bound");
}

void
ddb_legacy_check_conditions(const DdbLegacyCondition *conditions, int n)
{
	for (int i = 0; i < n; i++)
		check_values(find_comparison(conditions[i].comparison), &conditions[i]);
}

/* The attribute, then the values: the operands of most comparisons. */
static uint32
make_operands(Maker *m, const DdbLegacyCondition *c)
{
	uint32		first = make_path(m, c->attribute);
	uint32		last = first;

	for (uint32 i = 0; i < c->nvalues; i++)
	{
		uint32		value = make_value(m, c->values[i]);

		m->nodes[last].next = value;
		last = value;
	}
	return first;
}

static uint32
make_condition(Maker *m, const Comparison *comparison, const DdbLegacyCondition *c)
{
	NodeType	type = comparison->node == NODE_NOT ? NODE_PREDICATE : comparison->node;
	uint32		node = make_node(m, type, comparison->function, make_operands(m, c), c->nvalues + 1);
	uint32		exists;

	/* NOT_CONTAINS is false, too, where there is no such attribute. */
	if (comparison->node != NODE_NOT)
		return node;
	node = make_node(m, NODE_NOT, FUNCTION_UNKNOWN, node, 1);
	exists = make_node(m, NODE_PREDICATE, FUNCTION_ATTRIBUTE_EXISTS, make_path(m, c->attribute), 1);
	m->nodes[node].next = exists;
	return make_node(m, NODE_AND, FUNCTION_UNKNOWN, node, 2);
}

static uint32
count_values(const DdbLegacyCondition *conditions, int n)
{
	uint32		values = 0;

	for (int i = 0; i < n; i++)
		values += Min(conditions[i].nvalues, PG_UINT16_MAX) + 1;
	return values;
}

static DdbExpr *
add_key_conditions(DdbExprSet *set, const DdbLegacyCondition *conditions, int n)
{
	Maker		m;
	DdbExpr    *expr;

	if (n < 1 || n > 2)
		ddb_raise(DDB_VALIDATION, "Conditions can be of length 1 or 2 only");
	maker_begin(&m, n, 0);
	for (int i = 0; i < n; i++)
		make_path(&m, conditions[i].attribute);
	expr = maker_finish(&m, set, DDB_EXPR_KEY_CONDITION, 0);
	expr->clauses = palloc0(n * sizeof(KeyClause));
	for (int i = 0; i < n; i++)
	{
		const Comparison *comparison = find_comparison(conditions[i].comparison);
		KeyClause  *clause = &expr->clauses[i];

		clause->attribute = conditions[i].attribute;
		clause->refused = !comparison->in_key;
		if (clause->refused)
			continue;
		clause->op = comparison->key_op;
		clause->low = conditions[i].values[0];
		if (comparison->key_op == DDB_KEY_BETWEEN)
			clause->high = conditions[i].values[1];
	}
	expr->nclauses = n;
	return expr;
}

DdbExpr *
ddb_exprs_add_legacy_conditions(DdbExprSet *set, DdbExprKind kind,
								DdbLegacyCondition *conditions, int n, bool any)
{
	Maker		m;
	uint32		first = 0;
	uint32		last = 0;

	if (kind == DDB_EXPR_CONDITION)
	{
		for (int i = 0; i < n; i++)
			normalize_expected(&conditions[i]);
		ddb_legacy_check_conditions(conditions, n);
	}
	if (kind == DDB_EXPR_KEY_CONDITION)
		return add_key_conditions(set, conditions, n);
	if (n == 0)
		return NULL;

	maker_begin(&m, n, count_values(conditions, n));
	for (int i = 0; i < n; i++)
	{
		uint32		node = make_condition(&m, find_comparison(conditions[i].comparison),
										  &conditions[i]);

		if (i == 0)
			first = node;
		else
			m.nodes[last].next = node;
		last = node;
	}
	if (n > 1)
		last = make_node(&m, any ? NODE_OR : NODE_AND, FUNCTION_UNKNOWN, first, n);
	return maker_finish(&m, set, kind, last);
}

/* ----------------------------------------------------------------------
 * AttributeUpdates and AttributesToGet
 * ---------------------------------------------------------------------- */

static NodeType
update_action(const DdbLegacyUpdate *u)
{
	const char *type = u->value ? ddb_type_name(u->value->type) : NULL;
	bool		set = u->value && u->value->type >= DDB_NS && u->value->type <= DDB_BS;

	if (u->action.data && text_is(u->action, "DELETE"))
	{
		if (u->value == NULL)
			return NODE_REMOVE;
		if (!set)
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "DELETE action with value is not supported for the type %s", type);
		return NODE_DELETE;
	}
	if (u->value == NULL)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Only DELETE action is allowed when no attribute value is specified");
	if (u->action.data && text_is(u->action, "ADD"))
	{
		if (!set && u->value->type != DDB_N && u->value->type != DDB_L)
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "ADD action is not supported for the type %s", type);
		return NODE_ADD;
	}
	return NODE_SET;
}

/* Links entries into the list that is the root, and finds the targets. */
static DdbExpr *
finish_list(Maker *m, DdbExprSet *set, DdbExprKind kind, const uint32 *entries, uint32 n)
{
	DdbExpr    *expr;

	for (uint32 i = 1; i < n; i++)
		m->nodes[entries[i - 1]].next = entries[i];
	expr = maker_finish(m, set, kind,
						make_node(m, NODE_LIST, FUNCTION_UNKNOWN, n > 0 ? entries[0] : 0, n));
	ddb_expr_find_targets(expr);
	return expr;
}

DdbExpr *
ddb_exprs_add_legacy_updates(DdbExprSet *set, const DdbLegacyUpdate *updates, int n)
{
	uint32	   *actions = palloc(n * sizeof(uint32));
	Maker		m;

	maker_begin(&m, n, n);
	for (int i = 0; i < n; i++)
	{
		NodeType	type = update_action(&updates[i]);
		uint32		path = make_path(&m, updates[i].attribute);

		if (type != NODE_REMOVE)
			m.nodes[path].next = make_value(&m, *updates[i].value);
		actions[i] = make_node(&m, type, FUNCTION_UNKNOWN, path, type == NODE_REMOVE ? 1 : 2);
	}
	return finish_list(&m, set, DDB_EXPR_UPDATE, actions, n);
}

void
ddb_legacy_check_attributes(const DdbName *attributes, int n)
{
	for (int i = 1; i < n; i++)
	{
		for (int j = 0; j < i; j++)
		{
			if (ddb_name_order(attributes[i], attributes[j]) == 0)
				ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Duplicate value in attribute name: %.*s",
						  (int) attributes[i].len, attributes[i].data);
		}
	}
}

DdbExpr *
ddb_exprs_add_legacy_projection(DdbExprSet *set, const DdbName *attributes, int n)
{
	uint32	   *paths = palloc(n * sizeof(uint32));
	Maker		m;

	maker_begin(&m, n, 0);
	for (int i = 0; i < n; i++)
		paths[i] = make_path(&m, attributes[i]);
	return finish_list(&m, set, DDB_EXPR_PROJECTION, paths, n);
}
