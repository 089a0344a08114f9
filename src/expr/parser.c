/*-------------------------------------------------------------------------
 *
 * parser.c
 *	  Recursive descent for DynamoDB's expression languages.
 *
 *		condition  := and { OR and }
 *		and        := not { AND not }
 *		not        := { NOT } term
 *		term       := operand comparator operand
 *		            | operand BETWEEN operand AND operand
 *		            | operand IN "(" operand { "," operand } ")"
 *		            | function | "(" condition ")"
 *		operand    := path | :value | function | "(" operand ")"
 *		function   := name "(" operand { "," operand } ")"
 *		path       := name { "." name | "[" digits "]" }
 *
 *		update     := section { section }
 *		section    := SET path "=" value { "," path "=" value }
 *		            | REMOVE path { "," path }
 *		            | ADD path :value { "," path :value }
 *		            | DELETE path :value { "," path :value }
 *		value      := operand [ ( "+" | "-" ) operand ] | "(" value ")"
 *
 *		projection := path { "," path }
 *
 * A "(" may open a condition or an operand, so term() reads what is inside as
 * either and looks at what follows.  Key conditions are read as conditions:
 * keycond.c refuses what they may not contain, with messages of its own.
 *
 * A syntax error is raised where it is met.  What is wrong beyond syntax is
 * noted, and raised at the end in the order that DynamoDB has: the text's
 * first mistake of the gravest kind.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "expr/expr_int.h"
#include "miscadmin.h"

typedef enum Problem
{
	PROBLEM_PARENS,
	PROBLEM_OPERATORS,
	PROBLEM_FUNCTION,			/* unknown, or not of this language */
	PROBLEM_MISUSE,				/* a function where it cannot stand */
	PROBLEM_RESERVED,
	PROBLEM_SECTION,
	PROBLEM_PATH,
	NPROBLEMS
} Problem;

/* Updates look at names before they look at functions. */
static const Problem condition_order[NPROBLEMS] = {
	PROBLEM_PARENS, PROBLEM_OPERATORS, PROBLEM_FUNCTION, PROBLEM_MISUSE,
	PROBLEM_RESERVED, PROBLEM_SECTION, PROBLEM_PATH
};
static const Problem update_order[NPROBLEMS] = {
	PROBLEM_PARENS, PROBLEM_OPERATORS, PROBLEM_RESERVED, PROBLEM_FUNCTION,
	PROBLEM_MISUSE, PROBLEM_SECTION, PROBLEM_PATH
};

#define REDUNDANT_PARENS "The expression has redundant parentheses;"

typedef struct Parser
{
	DdbExprKind kind;
	const char *text;
	size_t		len;
	const ExprToken *tokens;
	uint32		at;				/* the token to read next */

	ExprNode	   *nodes;
	PathStep	   *steps;
	TextRef		   *refs;
	uint32		nnodes;
	uint32		nsteps;
	uint32		nrefs;

	int			nesting;
	int			operators;
	uint32		group_start;	/* the last parentheses closed */
	uint32		group_end;
	uint32		sections;		/* bits of TOKEN_SET .. TOKEN_DELETE seen */
	char	   *problems[NPROBLEMS];	/* the first of each */
} Parser;

static uint32 parse_condition(Parser *p);
static uint32 parse_operand(Parser *p);

const FunctionInfo ddb_functions[FUNCTION_UNKNOWN] = {
	[FUNCTION_ATTRIBUTE_EXISTS] = {"attribute_exists", 1, false, true},
	[FUNCTION_ATTRIBUTE_NOT_EXISTS] = {"attribute_not_exists", 1, false, true},
	[FUNCTION_ATTRIBUTE_TYPE] = {"attribute_type", 2, false, true},
	[FUNCTION_BEGINS_WITH] = {"begins_with", 2, false, true},
	[FUNCTION_CONTAINS] = {"contains", 2, false, true},
	[FUNCTION_SIZE] = {"size", 1, false, false},
	[FUNCTION_IF_NOT_EXISTS] = {"if_not_exists", 2, true, false},
	[FUNCTION_LIST_APPEND] = {"list_append", 2, true, false},
};

const char *
ddb_kind_name(DdbExprKind kind)
{
	static const char *const names[] = {
		[DDB_EXPR_CONDITION] = "ConditionExpression",
		[DDB_EXPR_FILTER] = "FilterExpression",
		[DDB_EXPR_KEY_CONDITION] = "KeyConditionExpression",
		[DDB_EXPR_UPDATE] = "UpdateExpression",
		[DDB_EXPR_PROJECTION] = "ProjectionExpression",
	};

	return names[kind];
}

/* ----------------------------------------------------------------------
 * Tokens and mistakes
 * ---------------------------------------------------------------------- */

static inline TokenType
peek(const Parser *p)
{
	return p->tokens[p->at].type;
}

/* The parser stands on the token that does not fit. */
static void pg_attribute_noreturn()
syntax_error(const Parser *p)
{
	const ExprToken *bad = &p->tokens[p->at];
	const ExprToken *first = p->at > 0 ? bad - 1 : bad;
	const ExprToken *last = bad->type == TOKEN_END ? bad - 1 : bad + 1;
	int			near_end = last->start + last->len;

	if (bad->type != TOKEN_END && last->type == TOKEN_END)
		near_end = bad->start + bad->len;

	ddb_raise(DDB_VALIDATION, "Invalid %s: Syntax error; token: \"%.*s\", near: \"%.*s\"",
			  ddb_kind_name(p->kind),
			  bad->type == TOKEN_END ? 5 : (int) bad->len,
			  bad->type == TOKEN_END ? "<EOF>" : p->text + bad->start,
			  near_end - first->start, p->text + first->start);
}

/* Reads the next token if it is of this type. */
static bool
accept(Parser *p, TokenType type)
{
	if (peek(p) != type)
		return false;
	p->at++;
	return true;
}

/* Reads the next token, which must be of this type. */
static const ExprToken *
expect(Parser *p, TokenType type)
{
	if (peek(p) != type)
		syntax_error(p);
	return &p->tokens[p->at++];
}

/* Notes a mistake unless one of its kind came before in the text. */
#define note_problem(p, problem, ...) \
	do { \
		if ((p)->problems[problem] == NULL) \
			(p)->problems[problem] = psprintf(__VA_ARGS__); \
	} while (0)

/* For "%.*s". */
#define TOKEN_TEXT(p, token) (int) (token)->len, (p)->text + (token)->start

static void
raise_problems(const Parser *p)
{
	const Problem *order = p->kind == DDB_EXPR_UPDATE ? update_order : condition_order;

	for (int i = 0; i < NPROBLEMS; i++)
	{
		if (p->problems[order[i]])
			ddb_raise(DDB_VALIDATION, "Invalid %s: %s",
					  ddb_kind_name(p->kind), p->problems[order[i]]);
	}
}

static void
count_operator(Parser *p)
{
	if (++p->operators > DDB_MAX_OPERATORS)
		note_problem(p, PROBLEM_OPERATORS,
					 "The expression contains too many operators; operator count: %d",
					 p->operators);
}

/*
 * Goes into parentheses.  What nests beyond the bound is raised for what is
 * wrong with it as far as it has been read, else for its nesting.
 */
static void
enter(Parser *p, Problem problem, const char *excess)
{
	check_stack_depth();
	if (++p->nesting <= DDB_MAX_NESTING)
		return;
	note_problem(p, problem, "%s", excess);
	raise_problems(p);
}

static void
leave(Parser *p)
{
	p->nesting--;
}

/* ----------------------------------------------------------------------
 * Nodes
 * ---------------------------------------------------------------------- */

static uint32
make_node(Parser *p, NodeType type, uint32 first, uint32 count)
{
	ExprNode	   *node = &p->nodes[p->nnodes];

	node->type = type;
	node->op = FUNCTION_UNKNOWN;
	node->first = first;
	node->count = count;
	node->next = 0;
	return p->nnodes++;
}

/* Makes a node of two operands. */
static uint32
make_pair(Parser *p, NodeType type, uint32 left, uint32 right)
{
	p->nodes[left].next = right;
	return make_node(p, type, left, 2);
}

static uint32
make_ref(Parser *p, const ExprToken *token)
{
	p->refs[p->nrefs].start = token->start;
	p->refs[p->nrefs].len = token->len;
	return p->nrefs++;
}

static bool
is_operand(const Parser *p, uint32 node)
{
	return p->nodes[node].type <= NODE_MINUS;
}

/* ----------------------------------------------------------------------
 * Paths
 * ---------------------------------------------------------------------- */

/* One step by name: written directly, or as #name. */
static void
parse_name_step(Parser *p)
{
	const ExprToken *token = &p->tokens[p->at];

	if (token->type == TOKEN_NAME)
	{
		if (ddb_reserved_word(p->text + token->start, token->len))
			note_problem(p, PROBLEM_RESERVED,
						 "Attribute name is a reserved keyword; reserved keyword: %.*s",
						 TOKEN_TEXT(p, token));
	}
	else if (token->type != TOKEN_NAME_REF)
		syntax_error(p);
	p->at++;

	p->steps[p->nsteps].is_index = false;
	p->steps[p->nsteps].value = make_ref(p, token);
	p->nsteps++;
}

static void
parse_index_step(Parser *p)
{
	const ExprToken *token = expect(p, TOKEN_NUMBER);
	uint64		index = 0;

	for (int i = 0; i < token->len && index <= DDB_MAX_LIST_INDEX; i++)
		index = index * 10 + (p->text[token->start + i] - '0');
	if (index > DDB_MAX_LIST_INDEX)
		note_problem(p, PROBLEM_PATH,
					 "List index is not within the allowable range; index: [%.*s]",
					 TOKEN_TEXT(p, token));
	expect(p, ']');

	p->steps[p->nsteps].is_index = true;
	p->steps[p->nsteps].value = (uint32) index;
	p->nsteps++;
}

/* The steps that follow in a path whose first is steps[first]. */
static uint32
parse_path_rest(Parser *p, uint32 first)
{
	uint32		count;

	for (;;)
	{
		if (accept(p, '.'))
			parse_name_step(p);
		else if (accept(p, '['))
			parse_index_step(p);
		else
			break;
	}
	count = p->nsteps - first;
	if (count > DDB_MAX_DEPTH)
		note_problem(p, PROBLEM_PATH,
					 "The document path has too many nesting levels; nesting levels: %u", count);
	return count;
}

static uint32
parse_path(Parser *p)
{
	uint32		first = p->nsteps;
	uint32		count;

	parse_name_step(p);
	count = parse_path_rest(p, first);
	return make_node(p, NODE_PATH, first, count);
}

static uint32
parse_value_ref(Parser *p)
{
	const ExprToken *token = expect(p, TOKEN_VALUE_REF);

	return make_node(p, NODE_VALUE, make_ref(p, token), 0);
}

/* ----------------------------------------------------------------------
 * Parentheses
 *
 * "((x))" is an error where the inner pair encloses all of the outer one's
 * inside.  Every closed pair leaves its two tokens' positions behind.
 * ---------------------------------------------------------------------- */
static uint32
parse_group(Parser *p, uint32 (*inside) (Parser *))
{
	uint32		start = p->at;
	uint32		node;

	expect(p, '(');
	enter(p, PROBLEM_OPERATORS, REDUNDANT_PARENS);
	node = inside(p);
	leave(p);
	if (p->group_start == start + 1 && p->group_end == p->at - 1 &&
		p->group_end > p->group_start && peek(p) == ')')
		note_problem(p, PROBLEM_PARENS, REDUNDANT_PARENS);
	expect(p, ')');
	p->group_start = start;
	p->group_end = p->at - 1;
	return node;
}

/*
 * After "(a)": in a condition the path goes on, "(a).b" is a.b.  Its steps are
 * still the last ones made, so they are simply continued.
 */
static void
continue_path(Parser *p, uint32 node)
{
	if (p->kind != DDB_EXPR_UPDATE && p->nodes[node].type == NODE_PATH)
		p->nodes[node].count = parse_path_rest(p, p->nodes[node].first);
}

/* ----------------------------------------------------------------------
 * Functions and operands
 * ---------------------------------------------------------------------- */

static FunctionId
find_function(Parser *p, const ExprToken *name)
{
	bool		update = p->kind == DDB_EXPR_UPDATE;

	for (int i = 0; i < FUNCTION_UNKNOWN; i++)
	{
		const char *known = ddb_functions[i].name;

		if (strlen(known) != name->len || memcmp(known, p->text + name->start, name->len) != 0)
			continue;
		if (ddb_functions[i].in_update != update)
			note_problem(p, PROBLEM_FUNCTION, update ?
						 "The function is not allowed in an update expression; function: %s" :
						 "The function is not allowed in a condition expression; function: %s",
						 known);
		return i;
	}
	note_problem(p, PROBLEM_FUNCTION, "Invalid function name; function: %.*s",
				 TOKEN_TEXT(p, name));
	return FUNCTION_UNKNOWN;
}

static void
misused(Parser *p, uint32 node)
{
	/* An unknown function has been noted already, and ranks higher. */
	if (p->nodes[node].op != FUNCTION_UNKNOWN)
		note_problem(p, PROBLEM_MISUSE,
					 "The function is not allowed to be used this way in an expression; function: %s",
					 ddb_functions[p->nodes[node].op].name);
}

/* A function that gives true or false is no value to compare. */
static void
require_value(Parser *p, uint32 node)
{
	const ExprNode *n = &p->nodes[node];

	if (n->type == NODE_FUNCTION && n->op != FUNCTION_UNKNOWN && ddb_functions[n->op].is_condition)
		misused(p, node);
}

/* Nor can a function take list_append(): DynamoDB nests if_not_exists() only. */
static void
require_argument(Parser *p, uint32 node)
{
	const ExprNode *n = &p->nodes[node];

	require_value(p, node);
	if (n->type == NODE_FUNCTION && n->op == FUNCTION_LIST_APPEND)
		misused(p, node);
}

/* "operand { , operand } )": links them, returns the first and their number. */
static uint32
parse_operands(Parser *p, uint32 *count)
{
	uint32		first = parse_operand(p);
	uint32		last = first;

	require_argument(p, first);
	*count = 1;
	while (accept(p, ','))
	{
		uint32		operand = parse_operand(p);

		require_argument(p, operand);
		p->nodes[last].next = operand;
		last = operand;
		(*count)++;
	}
	expect(p, ')');
	return first;
}

static uint32
parse_function(Parser *p)
{
	FunctionId	function = find_function(p, &p->tokens[p->at]);
	uint32		first;
	uint32		count;
	uint32		node;

	p->at += 2;					/* the name and its parenthesis */
	enter(p, PROBLEM_MISUSE, "The expression has too many nested functions;");
	first = parse_operands(p, &count);
	leave(p);
	node = make_node(p, NODE_FUNCTION, first, count);
	p->nodes[node].op = function;
	return node;
}

/* An operand without parentheses around it. */
static uint32
parse_plain_operand(Parser *p)
{
	if (peek(p) == TOKEN_VALUE_REF)
		return parse_value_ref(p);
	if (peek(p) == TOKEN_NAME && p->tokens[p->at + 1].type == '(')
		return parse_function(p);
	return parse_path(p);
}

static uint32
parse_operand(Parser *p)
{
	uint32		node;

	if (peek(p) != '(')
		return parse_plain_operand(p);
	node = parse_group(p, parse_operand);
	continue_path(p, node);
	return node;
}

/* ----------------------------------------------------------------------
 * Conditions
 *
 * While parentheses are open, what was read may turn out to be an operand or
 * a condition; require_condition() is where it must have become one.
 * ---------------------------------------------------------------------- */

static void
require_condition(Parser *p, uint32 node)
{
	ExprNode	   *n = &p->nodes[node];

	if (!is_operand(p, node))
		return;
	if (n->type != NODE_FUNCTION)
		syntax_error(p);
	if (n->op != FUNCTION_UNKNOWN && !ddb_functions[n->op].is_condition)
		misused(p, node);
	n->type = NODE_PREDICATE;
}

static bool
comparator(TokenType token, NodeType *type)
{
	switch ((int) token)
	{
		case '=':
			return *type = NODE_EQ, true;
		case TOKEN_NE:
			return *type = NODE_NE, true;
		case '<':
			return *type = NODE_LT, true;
		case TOKEN_LE:
			return *type = NODE_LE, true;
		case '>':
			return *type = NODE_GT, true;
		case TOKEN_GE:
			return *type = NODE_GE, true;
		default:
			return false;
	}
}

static uint32
parse_between(Parser *p, uint32 operand)
{
	uint32		lower = parse_operand(p);
	uint32		upper;

	expect(p, TOKEN_AND);
	upper = parse_operand(p);
	require_value(p, lower);
	require_value(p, upper);
	p->nodes[operand].next = lower;
	p->nodes[lower].next = upper;
	return make_node(p, NODE_BETWEEN, operand, 3);
}

static uint32
parse_in(Parser *p, uint32 operand)
{
	uint32		count;

	expect(p, '(');
	p->nodes[operand].next = parse_operands(p, &count);
	count++;					/* the operand before IN is one of them */
	if (count > DDB_MAX_IN_OPERANDS)
		note_problem(p, PROBLEM_OPERATORS,
					 "The IN operator is provided with too many operands; number of operands: %u",
					 count);
	return make_node(p, NODE_IN, operand, count);
}

static uint32
parse_term(Parser *p)
{
	NodeType	type;
	uint32		left;

	if (peek(p) == '(')
	{
		left = parse_group(p, parse_condition);
		continue_path(p, left);
	}
	else
		left = parse_plain_operand(p);

	if (!is_operand(p, left))
		return left;

	if (comparator(peek(p), &type))
	{
		uint32		right;

		p->at++;
		count_operator(p);
		right = parse_operand(p);
		require_value(p, left);
		require_value(p, right);
		return make_pair(p, type, left, right);
	}
	if (peek(p) != TOKEN_BETWEEN && peek(p) != TOKEN_IN)
		return left;

	count_operator(p);
	require_value(p, left);
	return accept(p, TOKEN_BETWEEN) ? parse_between(p, left) : (p->at++, parse_in(p, left));
}

/*
 * Two NOTs cancel out, so a long row of them makes no deep tree.  A key
 * condition keeps one, to be refused for it.
 */
static uint32
parse_not(Parser *p)
{
	bool		any = false;
	bool		negate = false;
	uint32		node;

	while (accept(p, TOKEN_NOT))
	{
		count_operator(p);
		any = true;
		negate = !negate;
	}
	node = parse_term(p);
	if (any)
		require_condition(p, node);
	if (negate || (any && p->kind == DDB_EXPR_KEY_CONDITION))
		return make_node(p, NODE_NOT, node, 1);
	return node;
}

/* "x AND y AND z" is one node of three operands. */
static uint32
parse_chain(Parser *p, TokenType token, NodeType type, uint32 (*inside) (Parser *))
{
	uint32		first = inside(p);
	uint32		last = first;
	uint32		count = 1;

	while (peek(p) == token)
	{
		uint32		next;

		require_condition(p, last);
		p->at++;
		count_operator(p);
		next = inside(p);
		require_condition(p, next);
		p->nodes[last].next = next;
		last = next;
		count++;
	}
	return count == 1 ? first : make_node(p, type, first, count);
}

static uint32
parse_and(Parser *p)
{
	return parse_chain(p, TOKEN_AND, NODE_AND, parse_not);
}

static uint32
parse_condition(Parser *p)
{
	return parse_chain(p, TOKEN_OR, NODE_OR, parse_and);
}

/* ----------------------------------------------------------------------
 * Updates
 * ---------------------------------------------------------------------- */

/* "a", "a + b", "(a + b)" */
static uint32
parse_set_value(Parser *p)
{
	uint32		left;
	NodeType	type;

	left = peek(p) == '(' ? parse_group(p, parse_set_value) : parse_plain_operand(p);
	if (peek(p) != '+' && peek(p) != '-')
		return left;
	if (p->nodes[left].type == NODE_PLUS || p->nodes[left].type == NODE_MINUS)
		syntax_error(p);

	type = peek(p) == '+' ? NODE_PLUS : NODE_MINUS;
	p->at++;
	count_operator(p);
	return make_pair(p, type, left, parse_operand(p));
}

static uint32
parse_action(Parser *p, TokenType section)
{
	uint32		path = parse_path(p);

	switch (section)
	{
		case TOKEN_SET:
			expect(p, '=');
			return make_pair(p, NODE_SET, path, parse_set_value(p));
		case TOKEN_REMOVE:
			return make_node(p, NODE_REMOVE, path, 1);
		case TOKEN_ADD:
			return make_pair(p, NODE_ADD, path, parse_value_ref(p));
		default:
			return make_pair(p, NODE_DELETE, path, parse_value_ref(p));
	}
}

static TokenType
parse_section_word(Parser *p)
{
	static const char *const words[] = {"SET", "REMOVE", "ADD", "DELETE"};
	TokenType	section = peek(p);

	if (section < TOKEN_SET || section > TOKEN_DELETE)
		syntax_error(p);
	p->at++;
	if (p->sections & (1 << (section - TOKEN_SET)))
		note_problem(p, PROBLEM_SECTION,
					 "The \"%s\" section can only be used once in an update expression;",
					 words[section - TOKEN_SET]);
	p->sections |= 1 << (section - TOKEN_SET);
	return section;
}

static uint32
parse_update(Parser *p)
{
	TokenType	section = parse_section_word(p);
	uint32		first = parse_action(p, section);
	uint32		last = first;
	uint32		count = 1;

	while (peek(p) != TOKEN_END)
	{
		uint32		action;

		if (!accept(p, ','))
			section = parse_section_word(p);
		action = parse_action(p, section);
		p->nodes[last].next = action;
		last = action;
		count++;
	}
	return make_node(p, NODE_LIST, first, count);
}

static uint32
parse_projection(Parser *p)
{
	uint32		first = parse_path(p);
	uint32		last = first;
	uint32		count = 1;

	while (accept(p, ','))
	{
		uint32		path = parse_path(p);

		p->nodes[last].next = path;
		last = path;
		count++;
	}
	return make_node(p, NODE_LIST, first, count);
}

/* ----------------------------------------------------------------------
 * Programs
 * ---------------------------------------------------------------------- */

static uint32
parse_root(Parser *p)
{
	uint32		root;

	if (p->kind == DDB_EXPR_UPDATE)
		root = parse_update(p);
	else if (p->kind == DDB_EXPR_PROJECTION)
		root = parse_projection(p);
	else
	{
		root = parse_condition(p);
		require_condition(p, root);
	}
	if (peek(p) != TOKEN_END)
		syntax_error(p);
	return root;
}

Program *
ddb_program_make(DdbExprKind kind, uint16 root,
				 const ExprNode *nodes, uint32 nnodes, const PathStep *steps, uint32 nsteps,
				 const TextRef *refs, uint32 nrefs, const char *text, size_t textlen)
{
	size_t		size = PROGRAM_HEADER + nnodes * sizeof(ExprNode) + nsteps * sizeof(PathStep) +
		nrefs * sizeof(TextRef) + textlen;
	Program    *program = palloc(size);

	program->kind = kind;
	program->size = size;
	program->root = root;
	program->nnodes = nnodes;
	program->nsteps = nsteps;
	program->nrefs = nrefs;
	program->textlen = textlen;
	memcpy(unconstify(ExprNode *, program_nodes(program)), nodes, nnodes * sizeof(ExprNode));
	memcpy(unconstify(PathStep *, program_steps(program)), steps, nsteps * sizeof(PathStep));
	memcpy(unconstify(TextRef *, program_refs(program)), refs, nrefs * sizeof(TextRef));
	memcpy(unconstify(char *, program_text(program)), text, textlen);
	return program;
}

Program *
ddb_parse(DdbExprKind kind, const char *text, size_t len)
{
	Parser		p = {.kind = kind, .text = text, .len = len};
	ExprToken	   *tokens;
	uint32		ntokens;
	uint32		root;

	if (len > DDB_MAX_EXPRESSION)
		ddb_raise(DDB_VALIDATION, "Invalid %s: Expression size has exceeded the maximum allowed size; expression size: %zu",
				  ddb_kind_name(kind), len);
	tokens = palloc((len + 1) * sizeof(ExprToken));
	ntokens = ddb_lex(kind, text, len, tokens);
	if (ntokens == 1)
		ddb_raise(DDB_VALIDATION, "Invalid %s: The expression can not be empty;", ddb_kind_name(kind));

	/* Every token makes at most one of each, an update's path makes two nodes. */
	p.tokens = tokens;
	p.nodes = palloc((2 * ntokens + 1) * sizeof(ExprNode));
	p.steps = palloc(ntokens * sizeof(PathStep));
	p.refs = palloc(ntokens * sizeof(TextRef));
	root = parse_root(&p);
	raise_problems(&p);
	return ddb_program_make(kind, root, p.nodes, p.nnodes, p.steps, p.nsteps,
							p.refs, p.nrefs, text, len);
}
