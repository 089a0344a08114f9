/*-------------------------------------------------------------------------
 *
 * expr.h
 *	  DynamoDB's five expression languages: key condition, condition, filter,
 *	  update, projection.
 *
 * An expression's text is parsed once into a program, kept in a bounded cache
 * by kind and text.  A request binds programs to its #names and :values,
 * which checks all of them together (semantics 17: before anything is
 * evaluated), and evaluates the bound expressions many times.
 *
 * All failures are YD001 with DynamoDB's message.  Nothing here opens a
 * table, and no evaluation recurses deeper than the parser allowed.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_EXPR_H
#define DDB_EXPR_H

#include "item/item.h"

/* Limits; the one place for each of them. */
#define DDB_MAX_EXPRESSION		4096	/* bytes */
#define DDB_MAX_OPERATORS		300
#define DDB_MAX_IN_OPERANDS		100
#define DDB_MAX_PLACEHOLDER		255

/* A request's members that hold the #names and the :values. */
#define DDB_NAMES	"ExpressionAttributeNames"
#define DDB_VALUES	"ExpressionAttributeValues"

typedef enum DdbExprKind
{
	DDB_EXPR_CONDITION,
	DDB_EXPR_FILTER,
	DDB_EXPR_KEY_CONDITION,
	DDB_EXPR_UPDATE,
	DDB_EXPR_PROJECTION,
} DdbExprKind;

typedef struct DdbExpr DdbExpr; /* an expression bound to its request */
typedef struct DdbExprSet DdbExprSet;	/* all expressions of one request */

/*
 * Begins a request.  `names` maps "#n" to strings, `values` maps ":v" to
 * values; NULL when the parameter was not given.  Both must outlive the set.
 * The set and all it makes live in the current memory context.
 */
extern DdbExprSet *ddb_exprs_begin(const DdbValue *names, const DdbValue *values);

/*
 * Tells which kinds the operation takes, once for each, only so that a message
 * can name what is missing when :values come without an expression.
 */
extern void ddb_exprs_accept(DdbExprSet *set, DdbExprKind kind);

/*
 * What a request in JSON is refused for before its values are read; a set
 * checks the same by itself.  Kinds are bits.  The first: names or values that
 * no expression could use.  The others: the two maps, of which only the keys
 * of the second are known yet.
 */
#define DDB_EXPR_BIT(kind) (1u << (kind))
extern void ddb_exprs_check_given(unsigned accepted, unsigned given, bool names, bool values);
extern void ddb_exprs_check_names(const DdbValue *names);
extern void ddb_exprs_check_placeholder(DdbName key, char mark);

/* "ConditionExpression" and so on: the request's member, and messages' name. */
extern const char *ddb_kind_name(DdbExprKind kind);

/* Parses (or finds parsed) and adds one expression. */
extern DdbExpr *ddb_exprs_add(DdbExprSet *set, DdbExprKind kind, const char *text, size_t len);

/*
 * Ends the request's parsing: undefined and unused placeholders, operand
 * types that come from the request, overlapping paths.  No evaluation may
 * come before it.
 */
extern void ddb_exprs_finish(DdbExprSet *set);

/* Conditions and filters.  A record without schema has no attributes. */
extern bool ddb_condition_eval(const DdbExpr *condition, const DdbRecord *record);

/* Does a condition, filter or projection name this top-level attribute? */
extern bool ddb_expr_mentions(const DdbExpr *expr, const char *name, uint32 len);

/*
 * Walks the top-level attributes that it names, *next beginning at 0; one may
 * come several times.
 */
extern bool ddb_expr_next_attribute(const DdbExpr *expr, uint32 *next, DdbName *name);

/* Projection of a record, keys included only when named. */
extern DdbValue ddb_projection_apply(const DdbExpr *projection, const DdbRecord *record);

/* The number of paths of a projection, and a path's first step. */
extern int	ddb_projection_count(const DdbExpr *projection);
extern DdbName ddb_projection_attribute(const DdbExpr *projection, int i);

/* ----- updates ----- */

/* Raises YD001 if a clause assigns a key attribute. */
extern void ddb_update_check_keys(const DdbExpr *update, const DdbKeySchema *schema);

/* The attributes, maybe repeated, that the update assigns or removes; 0 for more than max. */
extern int	ddb_update_attributes(const DdbExpr *update, DdbName *names, int max);

/* Does the update only remove (so that a missing item is not created)? */
extern bool ddb_update_only_removes(const DdbExpr *update);

/*
 * The attributes (without the key's) after the update.  `old` without schema
 * is a missing item.
 */
extern DdbValue ddb_update_apply(const DdbExpr *update, const DdbRecord *old);

/*
 * UPDATED_OLD (of the old record) or UPDATED_NEW (of the new one): the parts
 * that the update's paths touch.  An empty map when there are none.
 */
extern DdbValue ddb_update_touched(const DdbExpr *update, const DdbRecord *record);

/* ----- key conditions ----- */

/* Resolves a key condition against the key of what is queried; raises YD001. */
extern void ddb_key_condition_resolve(const DdbExpr *expr, const DdbQueryKey *key,
									  DdbKeyCondition *condition);

/* Is this sort-key value inside the condition? */
extern bool ddb_key_condition_holds(const DdbKeyCondition *condition, DdbValue sort_key);

/* ----- old-style parameters (legacy.c) -----
 *
 * They become expressions of the set like any other, without names and values
 * of their own.  That they do not mix with expressions is for the caller to
 * see, who knows what the parameters are called.
 */

typedef enum DdbExists
{
	DDB_EXISTS_NOT_GIVEN, DDB_EXISTS_FALSE, DDB_EXISTS_TRUE
} DdbExists;

/* A member of Expected, QueryFilter, ScanFilter or KeyConditions. */
typedef struct DdbLegacyCondition
{
	DdbName		attribute;
	DdbName		comparison;		/* ComparisonOperator; data NULL if not given */
	const DdbValue *values;		/* AttributeValueList */
	uint32		nvalues;
	bool		has_list;		/* was it given? */
	const DdbValue *value;		/* Expected: Value, or NULL */
	DdbExists	exists;			/* Expected */
} DdbLegacyCondition;

/* A member of AttributeUpdates. */
typedef struct DdbLegacyUpdate
{
	DdbName		attribute;
	DdbName		action;			/* data NULL if not given: PUT */
	const DdbValue *value;		/* or NULL */
} DdbLegacyUpdate;

/*
 * What is wrong with filters, KeyConditions and AttributesToGet by themselves.
 * Whoever reads them asks here first, each in its turn; Expected is checked as
 * it is added.
 */
extern void ddb_legacy_check_conditions(const DdbLegacyCondition *conditions, int n);
extern void ddb_legacy_check_attributes(const DdbName *attributes, int n);

/*
 * Expected is kind CONDITION, the filters FILTER, KeyConditions KEY_CONDITION.
 * They are joined by OR if `any`, else by AND.  Conditions are brought into
 * one form in place.  NULL when there are none, which is always true.
 */
extern DdbExpr *ddb_exprs_add_legacy_conditions(DdbExprSet *set, DdbExprKind kind,
												DdbLegacyCondition *conditions, int n, bool any);
extern DdbExpr *ddb_exprs_add_legacy_updates(DdbExprSet *set, const DdbLegacyUpdate *updates, int n);
extern DdbExpr *ddb_exprs_add_legacy_projection(DdbExprSet *set, const DdbName *attributes, int n);

/* Is the word reserved (any case)? */
extern bool ddb_reserved_word(const char *s, size_t len);

#endif							/* DDB_EXPR_H */
