/*-------------------------------------------------------------------------
 *
 * bind.c
 *	  A request's expressions and its #names and :values.
 *
 * Everything about a request that needs no item is checked here, for all its
 * expressions and before any of them is evaluated: so a condition that stops
 * early, or an item that is not there, never changes what is an error.  The
 * order is DynamoDB's: the maps of names and values; each expression in turn,
 * its text, its references, its operands; and at the end what nobody used.
 *
 * Binding is cheap, a request that repeats a known text does not parse: the
 * program is copied, and each reference looked up once.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "expr/expr_int.h"
#include "miscadmin.h"

/* ----------------------------------------------------------------------
 * The maps
 * ---------------------------------------------------------------------- */

/* "#n" or ":v": the mark, then letters, digits and underscores. */
static bool
is_placeholder(DdbName key, char mark)
{
	if (key.len < 2 || key.data[0] != mark)
		return false;
	for (uint32 i = 1; i < key.len; i++)
	{
		if (!ddb_is_name_char(key.data[i]))
			return false;
	}
	return true;
}

void
ddb_exprs_check_placeholder(DdbName key, char mark)
{
	const char *map = mark == '#' ? DDB_NAMES : DDB_VALUES;

	if (key.len > DDB_MAX_PLACEHOLDER)
		ddb_raise(DDB_VALIDATION,
				  "%s contains invalid key: The expression attribute map contains a key that is too long; size of key: %u",
				  map, key.len);
	if (!is_placeholder(key, mark))
		ddb_raise(DDB_VALIDATION, "%s contains invalid key: Syntax error; key: \"%.*s\"",
				  map, (int) key.len, key.data);
}

static void
check_name_value(DdbName key, DdbValue value)
{
	if (value.type != DDB_S)
		ddb_raise(DDB_VALIDATION, DDB_NAMES " contains invalid value: Attribute name must be a string for key %.*s",
				  (int) key.len, key.data);
	if (value.len == 0)
		ddb_raise(DDB_VALIDATION, DDB_NAMES " contains invalid value: Empty attribute name for key %.*s",
				  (int) key.len, key.data);
	if (value.len > DDB_MAX_NAME)
		ddb_raise(DDB_VALIDATION, DDB_NAMES " contains invalid value: Attribute name is too large, must be less than %d bytes for key %.*s",
				  DDB_MAX_NAME + 1, (int) key.len, key.data);
}

/* The number of entries, which is never zero. */
static uint32
count_entries(const DdbValue *given, char mark)
{
	uint32		count = ddb_value_count(*given);

	if (count == 0)
		ddb_raise(DDB_VALIDATION, "%s must not be empty", mark == '#' ? DDB_NAMES : DDB_VALUES);
	return count;
}

static void
check_entry(DdbName key, DdbValue value, char mark)
{
	ddb_exprs_check_placeholder(key, mark);
	if (mark == '#')
		check_name_value(key, value);
}

void
ddb_exprs_check_names(const DdbValue *names)
{
	DdbIter		it;
	DdbName		key;
	DdbValue	value;

	count_entries(names, '#');
	ddb_iter_begin(&it, *names);
	while (ddb_iter_next(&it, &key, &value))
		check_entry(key, value, '#');
}

static int
compare_keys(const void *a, const void *b)
{
	return ddb_name_order(((const Placeholder *) a)->key, ((const Placeholder *) b)->key);
}

/* Checks every entry and puts them in order. */
static void
read_map(Placeholders *placeholders, char mark)
{
	DdbIter		it;
	Placeholder *entry;

	if (placeholders->given == NULL)
		return;
	placeholders->count = count_entries(placeholders->given, mark);
	entry = placeholders->entries =
		palloc_extended(placeholders->count * sizeof(Placeholder), MCXT_ALLOC_HUGE);
	ddb_iter_begin(&it, *placeholders->given);
	for (; ddb_iter_next(&it, &entry->key, &entry->value); entry++)
	{
		check_entry(entry->key, entry->value, mark);
		entry->used = false;
	}
	if (placeholders->count > 1)
		qsort(placeholders->entries, placeholders->count, sizeof(Placeholder), compare_keys);
}

/* ----------------------------------------------------------------------
 * References
 * ---------------------------------------------------------------------- */

static DdbName
ref_text(const DdbExpr *expr, uint32 ref)
{
	const TextRef *r = &program_refs(expr->program)[ref];

	return (DdbName) {program_text(expr->program) + r->start, r->len};
}

/* What the reference stands for; false when it is not defined. */
static bool
find_placeholder(Placeholders *placeholders, DdbName key, DdbValue *value)
{
	uint32		low = 0;
	uint32		high = placeholders->count;

	while (low < high)
	{
		uint32		mid = (low + high) / 2;
		Placeholder *entry = &placeholders->entries[mid];
		int			cmp = ddb_name_order(key, entry->key);

		if (cmp == 0)
		{
			entry->used = true;
			*value = entry->value;
			return true;
		}
		if (cmp < 0)
			high = mid;
		else
			low = mid + 1;
	}
	return false;
}

/* Looks up what a path's names stand for. */
static void
bind_path(DdbExprSet *set, DdbExpr *expr, const ExprNode *path)
{
	for (int i = 0; i < path->count; i++)
	{
		const PathStep *step = path_steps(expr, path) + i;
		DdbValue   *bound;
		DdbName		text;

		if (step->is_index)
			continue;
		text = ref_text(expr, step->value);
		bound = unconstify(DdbValue *, &expr->refs[step->value]);
		if (text.data[0] != '#')
			*bound = ddb_value_string(text.data, text.len);
		else if (!find_placeholder(&set->names, text, bound))
			ddb_raise(DDB_VALIDATION,
					  "Invalid %s: An expression attribute name used in the document path is not defined; attribute name: %.*s",
					  ddb_kind_name(expr->kind), (int) text.len, text.data);
	}
}

static void
bind_value(DdbExprSet *set, DdbExpr *expr, const ExprNode *node)
{
	DdbName		text = ref_text(expr, node->first);

	if (!find_placeholder(&set->values, text, unconstify(DdbValue *, &expr->refs[node->first])))
		ddb_raise(DDB_VALIDATION,
				  "Invalid %s: An expression attribute value used in expression is not defined; attribute value: %.*s",
				  ddb_kind_name(expr->kind), (int) text.len, text.data);
}

/*
 * Each simple condition is done with before the next is looked at.  Operands
 * come before their operator, so a condition's are what came since the last.
 */
static void
bind_condition(DdbExprSet *set, DdbExpr *expr)
{
	uint32		first = 0;

	for (uint32 i = 0; i < expr->program->nnodes; i++)
	{
		const ExprNode *node = &expr->nodes[i];

		if (node->type == NODE_PATH)
			bind_path(set, expr, node);
		else if (node->type == NODE_VALUE)
			bind_value(set, expr, node);
		else if (is_leaf(node))
		{
			ddb_check_operands(expr, first, i);
			first = i + 1;
		}
	}
}

/* An update's names all come first, then its values, then their kinds. */
static void
bind_update(DdbExprSet *set, DdbExpr *expr)
{
	uint32		nnodes = expr->program->nnodes;

	for (uint32 i = 0; i < nnodes; i++)
	{
		if (expr->nodes[i].type == NODE_PATH)
			bind_path(set, expr, &expr->nodes[i]);
	}
	for (uint32 i = 0; i < nnodes; i++)
	{
		if (expr->nodes[i].type == NODE_VALUE)
			bind_value(set, expr, &expr->nodes[i]);
	}
	ddb_expr_find_targets(expr);
	ddb_check_actions(expr);
	ddb_check_operands(expr, 0, nnodes - 1);
}

static void
bind_projection(DdbExprSet *set, DdbExpr *expr)
{
	for (uint32 i = 0; i < expr->program->nnodes; i++)
	{
		if (expr->nodes[i].type == NODE_PATH)
			bind_path(set, expr, &expr->nodes[i]);
	}
	ddb_expr_find_targets(expr);
}

/* ----------------------------------------------------------------------
 * Sets
 * ---------------------------------------------------------------------- */

DdbExprSet *
ddb_exprs_begin(const DdbValue *names, const DdbValue *values)
{
	DdbExprSet *set = palloc0(sizeof(DdbExprSet));

	set->names.given = names;
	set->values.given = values;
	return set;
}

void
ddb_exprs_accept(DdbExprSet *set, DdbExprKind kind)
{
	set->accepts |= DDB_EXPR_BIT(kind);
}

DdbExpr *
ddb_expr_new(DdbExprSet *set, const Program *program)
{
	size_t		head = MAXALIGN(sizeof(DdbExpr));
	size_t		refs = MAXALIGN(program->nrefs * sizeof(DdbValue));
	char	   *block = palloc(head + refs + program->size);
	DdbExpr    *expr = (DdbExpr *) block;
	Program    *copy = (Program *) (block + head + refs);

	memset(expr, 0, sizeof(DdbExpr));
	memcpy(copy, program, program->size);
	expr->kind = program->kind;
	expr->program = copy;
	expr->nodes = program_nodes(copy);
	expr->steps = program_steps(copy);
	expr->refs = (DdbValue *) (block + head);

	if (set->last)
		set->last->next = expr;
	else
		set->first = expr;
	set->last = expr;
	return expr;
}

DdbExpr *
ddb_exprs_add(DdbExprSet *set, DdbExprKind kind, const char *text, size_t len)
{
	DdbExpr    *expr;

	/* The maps come before the first expression's text. */
	if (!set->read)
	{
		set->read = true;
		read_map(&set->names, '#');
		read_map(&set->values, ':');
	}
	expr = ddb_expr_new(set, ddb_program_get(kind, text, len));
	if (kind == DDB_EXPR_UPDATE)
		bind_update(set, expr);
	else if (kind == DDB_EXPR_PROJECTION)
		bind_projection(set, expr);
	else
		bind_condition(set, expr);
	return expr;
}

/* ----------------------------------------------------------------------
 * What nobody used
 * ---------------------------------------------------------------------- */

static void
check_unused(const char *map, const Placeholders *placeholders)
{
	StringInfoData unused;

	unused.data = NULL;
	for (uint32 i = 0; i < placeholders->count; i++)
	{
		const Placeholder *entry = &placeholders->entries[i];

		if (entry->used)
			continue;
		if (unused.data == NULL)
			initStringInfo(&unused);
		else
			appendStringInfoString(&unused, ", ");
		appendBinaryStringInfo(&unused, entry->key.data, entry->key.len);
	}
	if (unused.data)
		ddb_raise(DDB_VALIDATION, "Value provided in %s unused in expressions: keys: {%s}",
				  map, unused.data);
}

/* ": UpdateExpression and ConditionExpression are null", as far as we were told. */
static char *
null_expressions(unsigned accepted)
{
	static const DdbExprKind order[] = {
		DDB_EXPR_UPDATE, DDB_EXPR_CONDITION, DDB_EXPR_FILTER, DDB_EXPR_KEY_CONDITION
	};
	StringInfoData text;
	int			n = 0;

	initStringInfo(&text);
	for (int i = 0; i < lengthof(order); i++)
	{
		if (!(accepted & DDB_EXPR_BIT(order[i])))
			continue;
		appendStringInfo(&text, "%s%s", n++ == 0 ? ": " : " and ", ddb_kind_name(order[i]));
	}
	if (n > 0)
		appendStringInfoString(&text, n == 1 ? " is null" : " are null");
	return text.data;
}

/* A projection uses no :values. */
void
ddb_exprs_check_given(unsigned accepted, unsigned given, bool names, bool values)
{
	if (names && given == 0)
		ddb_raise(DDB_VALIDATION, DDB_NAMES " can only be specified when using expressions");
	if (values && (given & ~DDB_EXPR_BIT(DDB_EXPR_PROJECTION)) == 0)
		ddb_raise(DDB_VALIDATION, DDB_VALUES " can only be specified when using expressions%s",
				  null_expressions(accepted));
}

void
ddb_exprs_finish(DdbExprSet *set)
{
	unsigned	given = 0;

	for (const DdbExpr *expr = set->first; expr; expr = expr->next)
	{
		if (!expr->legacy)
			given |= DDB_EXPR_BIT(expr->kind);
	}
	ddb_exprs_check_given(set->accepts, given, set->names.given != NULL, set->values.given != NULL);

	check_unused(DDB_NAMES, &set->names);
	check_unused(DDB_VALUES, &set->values);
	for (DdbExpr *expr = set->first; expr; expr = expr->next)
	{
		if (expr->kind == DDB_EXPR_KEY_CONDITION && !expr->legacy)
			ddb_key_condition_prepare(expr);
	}
}

bool
ddb_expr_next_attribute(const DdbExpr *expr, uint32 *next, DdbName *name)
{
	while (*next < expr->program->nnodes)
	{
		const ExprNode *node = &expr->nodes[(*next)++];

		if (node->type == NODE_PATH)
		{
			*name = step_name(expr, path_steps(expr, node));
			return true;
		}
	}
	return false;
}

bool
ddb_expr_mentions(const DdbExpr *expr, const char *name, uint32 len)
{
	DdbName		first;

	for (uint32 i = 0; ddb_expr_next_attribute(expr, &i, &first);)
	{
		if (first.len == len && memcmp(first.data, name, len) == 0)
			return true;
	}
	return false;
}
