/*-------------------------------------------------------------------------
 *
 * expr_int.h
 *	  What the files of src/expr/ share: tokens, programs, bound expressions.
 *
 * An expression goes through three states.
 *
 *	text		ddb_parse() checks everything that the text alone can tell and
 *				makes a program of it; program.c caches programs by kind and
 *				text.
 *	program		A flat block without pointers: nodes, path steps and references
 *				by index.  It can be copied, and thrown away at any time.
 *	DdbExpr		A program bound to a request's #names and :values by bind.c.  It
 *				owns a copy of its program, so the cache may forget the original
 *				while a cursor still evaluates.
 *
 * Nodes stand in the order in which their last token was read: operands come
 * before what combines them.  bind.c relies on it to report the first mistake
 * in the text.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_EXPR_INT_H
#define DDB_EXPR_INT_H

#include "base/errors.h"
#include "expr/expr.h"

/*
 * Levels that parentheses and function calls may nest.  Whatever nests deeper
 * within DDB_MAX_EXPRESSION bytes is wrong for another reason too: doubled
 * parentheses, more than DDB_MAX_OPERATORS, or functions that do not nest.
 */
#define DDB_MAX_NESTING			400

#define DDB_MAX_LIST_INDEX		PG_INT32_MAX

/* ----------------------------------------------------------------------
 * lexer.c
 * ---------------------------------------------------------------------- */

/* Single-character tokens are their character. */
typedef enum TokenType
{
	TOKEN_END = 0,
	TOKEN_OTHER = 128,			/* no token of the language: always an error */
	TOKEN_NAME,					/* title, begins_with */
	TOKEN_NAME_REF,				/* #n */
	TOKEN_VALUE_REF,			/* :v */
	TOKEN_NUMBER,				/* 12, a list index */
	TOKEN_NE, TOKEN_LE, TOKEN_GE,
	/* keywords of conditions */
	TOKEN_AND, TOKEN_OR, TOKEN_NOT, TOKEN_BETWEEN, TOKEN_IN,
	/* keywords of updates */
	TOKEN_SET, TOKEN_REMOVE, TOKEN_ADD, TOKEN_DELETE,
} TokenType;

typedef struct ExprToken
{
	uint16		type;			/* TokenType */
	uint16		start;			/* bytes of the text */
	uint16		len;
} ExprToken;

/* A letter, digit or underscore. */
extern bool ddb_is_name_char(char c);

/* Splits text into at most len tokens and a final TOKEN_END. */
extern uint32 ddb_lex(DdbExprKind kind, const char *text, size_t len, ExprToken *tokens);

/* ----------------------------------------------------------------------
 * parser.c: programs
 * ---------------------------------------------------------------------- */
typedef enum NodeType
{
	/* operands */
	NODE_PATH,					/* steps[first], count of them */
	NODE_VALUE,					/* refs[first] */
	NODE_FUNCTION,				/* op: FunctionId; as an operand */
	NODE_PLUS,
	NODE_MINUS,
	/* conditions without conditions inside; see is_leaf() */
	NODE_EQ, NODE_NE, NODE_LT, NODE_LE, NODE_GT, NODE_GE,
	NODE_BETWEEN,				/* operand, lower, upper */
	NODE_IN,					/* operand, then the list */
	NODE_PREDICATE,				/* a function as a condition; op: FunctionId */
	/* conditions of conditions */
	NODE_NOT,
	NODE_AND, NODE_OR,			/* two operands or more */
	/* an update's actions; the first operand is the target path */
	NODE_SET,					/* path, value */
	NODE_REMOVE,				/* path */
	NODE_ADD,					/* path, value reference */
	NODE_DELETE,				/* path, value reference */
	/* the root of an update (its actions) or a projection (its paths) */
	NODE_LIST,
} NodeType;

typedef struct ExprNode
{
	uint8		type;			/* NodeType */
	uint8		op;				/* FunctionId */
	uint16		count;			/* operands; a path's steps */
	uint16		first;			/* first operand; first step; reference */
	uint16		next;			/* next operand of the same node; 0 is none */
} ExprNode;

/* Is the node a condition whose operands are no conditions? */
static inline bool
is_leaf(const ExprNode *node)
{
	return node->type >= NODE_EQ && node->type <= NODE_PREDICATE;
}

/* Paths start with a name; each further step is a name or a list index. */
typedef struct PathStep
{
	bool		is_index;
	uint32		value;			/* the index; a name's reference */
} PathStep;

/* A stretch of the text that binding replaces: a name, #name or :value. */
typedef struct TextRef
{
	uint16		start;
	uint16		len;
} TextRef;

typedef struct Program
{
	DdbExprKind kind;
	uint32		size;			/* of the whole block, in bytes */
	uint16		root;
	uint16		nnodes;
	uint16		nsteps;
	uint16		nrefs;
	uint16		textlen;
	/* then nodes, steps, refs and the text: see program_nodes() and so on */
} Program;

#define PROGRAM_HEADER MAXALIGN(sizeof(Program))

static inline const ExprNode *
program_nodes(const Program *program)
{
	return (const ExprNode *) ((const char *) program + PROGRAM_HEADER);
}

static inline const PathStep *
program_steps(const Program *program)
{
	return (const PathStep *) (program_nodes(program) + program->nnodes);
}

static inline const TextRef *
program_refs(const Program *program)
{
	return (const TextRef *) (program_steps(program) + program->nsteps);
}

static inline const char *
program_text(const Program *program)
{
	return (const char *) (program_refs(program) + program->nrefs);
}

typedef enum FunctionId
{
	FUNCTION_ATTRIBUTE_EXISTS,
	FUNCTION_ATTRIBUTE_NOT_EXISTS,
	FUNCTION_ATTRIBUTE_TYPE,
	FUNCTION_BEGINS_WITH,
	FUNCTION_CONTAINS,
	FUNCTION_SIZE,
	FUNCTION_IF_NOT_EXISTS,
	FUNCTION_LIST_APPEND,
	FUNCTION_UNKNOWN,
} FunctionId;

typedef struct FunctionInfo
{
	const char *name;
	uint8		operands;		/* how many it takes */
	bool		in_update;		/* of updates, else of conditions */
	bool		is_condition;	/* gives true or false, else a value */
} FunctionInfo;

extern const FunctionInfo ddb_functions[FUNCTION_UNKNOWN];

/* Parses; raises YD001.  The program is one palloc'd block. */
extern Program *ddb_parse(DdbExprKind kind, const char *text, size_t len);

/* Assembles a program's block from its parts. */
extern Program *ddb_program_make(DdbExprKind kind, uint16 root,
								 const ExprNode *nodes, uint32 nnodes,
								 const PathStep *steps, uint32 nsteps,
								 const TextRef *refs, uint32 nrefs,
								 const char *text, size_t textlen);

/* ----------------------------------------------------------------------
 * program.c: the cache.  The program found is good until the next call.
 * ---------------------------------------------------------------------- */
extern const Program *ddb_program_get(DdbExprKind kind, const char *text, size_t len);

/* ----------------------------------------------------------------------
 * bind.c: bound expressions
 * ---------------------------------------------------------------------- */

/*
 * What a path of an update or a projection reaches.  Targets are sorted by
 * path, so those that share a beginning stand together and list indexes
 * ascend: update.c and projection.c walk them beside the item.
 */
typedef struct Target
{
	const ExprNode *path;
	const ExprNode *action;		/* NULL in a projection */
} Target;

/* One side of a key condition; the operands are :values. */
typedef struct KeyClause
{
	DdbName		attribute;
	bool		refused;		/* an old-style comparison that no index serves */
	DdbKeyOp	op;
	DdbValue	low;
	DdbValue	high;
} KeyClause;

struct DdbExpr
{
	DdbExprKind kind;
	bool		legacy;			/* made of old-style parameters; its refs have no text */
	const Program *program;		/* a copy of its own */
	const ExprNode *nodes;
	const PathStep *steps;
	const DdbValue *refs;		/* what each reference stands for; names are strings */
	Target	   *targets;		/* of updates and projections */
	uint32		ntargets;
	KeyClause  *clauses;		/* of key conditions */
	int			nclauses;
	DdbExpr    *next;			/* in its set */
};

/* An entry of ExpressionAttributeNames or ExpressionAttributeValues. */
typedef struct Placeholder
{
	DdbName		key;			/* "#n", ":v" */
	DdbValue	value;
	bool		used;			/* has an expression referred to it? */
} Placeholder;

typedef struct Placeholders
{
	const DdbValue *given;		/* the map, or NULL */
	Placeholder *entries;		/* sorted by key; NULL until the map is read */
	uint32		count;
} Placeholders;

struct DdbExprSet
{
	Placeholders names;
	Placeholders values;
	bool		read;			/* have both been? */
	unsigned	accepts;		/* bits of DdbExprKind; 0: not told */
	DdbExpr    *first;
	DdbExpr    *last;
};

/* Copies a program into a new expression of the set, nothing bound yet. */
extern DdbExpr *ddb_expr_new(DdbExprSet *set, const Program *program);

static inline const ExprNode *
expr_root(const DdbExpr *expr)
{
	return &expr->nodes[expr->program->root];
}

/* The operands of a node (never of a path or value). */
static inline const ExprNode *
first_operand(const DdbExpr *expr, const ExprNode *node)
{
	return &expr->nodes[node->first];
}

static inline const ExprNode *
next_operand(const DdbExpr *expr, const ExprNode *node)
{
	return &expr->nodes[node->next];
}

static inline const PathStep *
path_steps(const DdbExpr *expr, const ExprNode *path)
{
	return &expr->steps[path->first];
}

static inline DdbName
step_name(const DdbExpr *expr, const PathStep *step)
{
	const DdbValue *name = &expr->refs[step->value];

	return (DdbName) {(const char *) name->data, name->len};
}

/* ----------------------------------------------------------------------
 * path.c
 * ---------------------------------------------------------------------- */

/* What the path reaches in the record; false when it reaches nothing. */
extern bool ddb_path_get(const DdbExpr *expr, const ExprNode *path, const DdbRecord *record,
						 DdbValue *value);

/* One step down into a value. */
extern bool ddb_path_step(const DdbExpr *expr, const PathStep *step, DdbValue container,
						  DdbValue *value);

/* By bytes, a shorter name before those that it begins. */
extern int	ddb_name_order(DdbName a, DdbName b);

/* Orders list indexes before names, each among themselves. */
extern int	ddb_step_compare(const DdbExpr *expr, const PathStep *a, const PathStep *b);

extern bool ddb_path_equal(const DdbExpr *expr, const ExprNode *a, const ExprNode *b);

/* "[a, b, [0]]", as messages write a path. */
extern char *ddb_path_text(const DdbExpr *expr, const ExprNode *path);

/* Fills in targets; raises when two of them overlap or conflict. */
extern void ddb_expr_find_targets(DdbExpr *expr);

/*
 * Targets that agree in a path's beginning: the run of targets[0 .. count)
 * that shares the first one's step at this depth.
 */
extern uint32 ddb_targets_run(const DdbExpr *expr, const Target *targets, uint32 count, int depth);

/* ----------------------------------------------------------------------
 * check.c: operands that come from the request
 * ---------------------------------------------------------------------- */

/* Numbers of operands, then their kinds, of nodes[first .. last]. */
extern void ddb_check_operands(const DdbExpr *expr, uint32 first, uint32 last);

/* An update's ADD and DELETE. */
extern void ddb_check_actions(const DdbExpr *expr);

/* ----------------------------------------------------------------------
 * keycond.c
 * ---------------------------------------------------------------------- */

/* Finds the clauses; raises for what a key condition may not contain. */
extern void ddb_key_condition_prepare(DdbExpr *expr);

#endif							/* DDB_EXPR_INT_H */
