/*-------------------------------------------------------------------------
 *
 * ops.h
 *	  The operations: C structs in and out, beneath both doors (sql/ and api/).
 *
 * Every rule of an operation lives here once: parameter combinations,
 * expressions, key schema, sizes, return values.  What the JSON model can
 * check (required members, lengths, enumerations) api/ has checked before.
 * Results live in the current memory context.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_OPS_H
#define DDB_OPS_H

#include "expr/expr.h"
#include "storage/storage.h"

/* A text parameter: data NULL when it was not given. */
typedef DdbName DdbText;

typedef enum DdbReturnValues
{
	DDB_RETURN_NONE, DDB_RETURN_ALL_OLD, DDB_RETURN_UPDATED_OLD,
	DDB_RETURN_ALL_NEW, DDB_RETURN_UPDATED_NEW
} DdbReturnValues;

typedef enum DdbAction
{
	DDB_ACTION_PUT, DDB_ACTION_UPDATE, DDB_ACTION_DELETE, DDB_ACTION_CHECK
} DdbAction;

/* The placeholders of a request; NULL when not given. */
typedef struct DdbPlaceholders
{
	const DdbValue *names;
	const DdbValue *values;
} DdbPlaceholders;

/* One write: PutItem, UpdateItem, DeleteItem, or an action of a transaction. */
typedef struct DdbWrite
{
	DdbAction	action;
	Oid			relid;
	DdbValue	item;			/* PUT: the whole item; others: the key map */
	DdbText		condition;
	DdbText		update;			/* UPDATE only */
	DdbPlaceholders placeholders;
	DdbReturnValues return_values;
	bool		return_item_on_failure; /* ReturnValuesOnConditionCheckFailure */
	bool		try;			/* a false condition is an answer, not YD002 */
} DdbWrite;

typedef struct DdbWriteResult
{
	bool		condition_failed;	/* only with try */
	bool		existed;		/* was there an item before? */
	bool		has_attributes;
	DdbValue	attributes;		/* what return_values asked for */
} DdbWriteResult;

extern void ddb_write_item(const DdbWrite *write, DdbWriteResult *result);

/* GetItem: false when there is no such item. */
typedef struct DdbGet
{
	Oid			relid;
	DdbValue	key;			/* the key map: exactly the key attributes */
	DdbText		projection;
	DdbPlaceholders placeholders;
} DdbGet;

extern bool ddb_get_item(const DdbGet *get, DdbValue *item);

/* The path without maps, for ddb.get_item(tbl, pk, sk) without projection. */
extern DdbItem *ddb_get_item_by_key(Oid relid, const DdbKey *key);

/* Query and Scan. */
typedef struct DdbRead
{
	Oid			relid;
	bool		is_scan;
	DdbText		key_condition;	/* Query only */
	const DdbKeyCondition *range;	/* instead of key_condition, from ddb.collection() */
	DdbText		filter;
	DdbText		projection;
	DdbPlaceholders placeholders;
	bool		forward;
	bool		count_only;
	bool		paged;			/* the API's pages: limit before the filter, 1 MB */
	int64		limit;			/* 0: none */
	const DdbValue *start_key;	/* ExclusiveStartKey, or NULL */
	bool		start_key_loose;	/* SQL: a whole last item will do */
	uint32		segment;
	uint32		total_segments; /* 0: not a parallel scan */
} DdbRead;

typedef struct DdbCursor DdbCursor;

/* Checks everything and starts reading. */
extern DdbCursor *ddb_read_begin(const DdbRead *read);

/* The next item that passes the filter, projected; false at the end or at the page's. */
extern bool ddb_read_next(DdbCursor *cursor, DdbValue *item);

typedef struct DdbPage
{
	int64		count;
	int64		scanned_count;
	bool		has_last_key;
	DdbValue	last_key;		/* LastEvaluatedKey */
} DdbPage;

extern void ddb_read_end(DdbCursor *cursor, DdbPage *page);

/* TransactWriteItems: all or YD003; token is NULL or ClientRequestToken. */
extern void ddb_transact_write(const DdbWrite *writes, int n, DdbText token, uint64 content_hash);
/* TransactGetItems: items[i].data is NULL where there is none. */
extern void ddb_transact_get(const DdbGet *gets, int n, DdbValue *items, bool *found);
/* BatchWriteItem and BatchGetItem; duplicates and counts are checked here. */
extern void ddb_batch_write(const DdbWrite *writes, int n);
extern void ddb_batch_get(const DdbGet *gets, int n, DdbValue *items, bool *found);

/* A key map for a table from its parts, as SQL's (pk, sk) arguments. */
extern DdbValue ddb_key_map(const DdbKeySchema *schema, const DdbKey *key);
/* A key from a key map: exactly its attributes, right types; raises YD001. */
extern void ddb_key_from_map(DdbValue map, const DdbKeySchema *schema, DdbKey *key);

#endif							/* DDB_OPS_H */
