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
 * The order of checks is DynamoDB's: expressions, then the table, then its
 * key schema, then the item.  So a caller that found no table passes
 * InvalidOid, and the operation raises YD004 when its turn comes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_OPS_H
#define DDB_OPS_H

#include "expr/expr.h"
#include "storage/storage.h"

/* Limits; the one place for each of them. */
#define DDB_MAX_BATCH_WRITE		25
#define DDB_MAX_BATCH_GET		100
#define DDB_MAX_BATCH_BYTES		(16 * 1024 * 1024)
#define DDB_MAX_TRANSACT		100
#define DDB_MAX_TRANSACT_BYTES	(4 * 1024 * 1024)
#define DDB_MAX_PAGE_BYTES		(1024 * 1024)
#define DDB_MAX_SEGMENTS		1000000
#define DDB_MAX_CLIENT_TOKEN	36

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

/* ----------------------------------------------------------------------
 * Keys
 *
 * The API gives a key as a map of exactly the key attributes.  SQL gives it
 * in parts, as ddb.key arguments whose text is read by the table's key types,
 * as a column would read it.
 * ---------------------------------------------------------------------- */
typedef enum DdbPartForm
{
	DDB_PART_NONE,				/* not given */
	DDB_PART_TEXT,				/* text of a column: '42', '\x01ff' */
	DDB_PART_RAW,				/* received bytes: text, or octets for B */
	DDB_PART_VALUE,				/* has a type of its own, must fit the key's */
} DdbPartForm;

typedef struct DdbKeyPart
{
	DdbPartForm form;
	DdbValue	value;			/* data and len; type for VALUE only */
} DdbKeyPart;

typedef struct DdbKeyParts
{
	DdbKeyPart	part[2];		/* partition key, sort key */
} DdbKeyParts;

/* One part read as key attribute `which`; raises YD001. */
extern DdbValue ddb_key_part_value(const DdbKeySchema *schema, int which, const DdbKeyPart *part);

/* A whole key from its parts; raises YD001. */
extern void ddb_key_from_parts(const DdbKeySchema *schema, const DdbKeyParts *parts, DdbKey *key);

/* A key from a key map: exactly its attributes, right types; raises YD001. */
extern void ddb_key_from_map(DdbValue map, const DdbKeySchema *schema, DdbKey *key);

/*
 * A whole item taken apart, as ddb_map_split(); an error about a key that looks
 * like DynamoDB JSON read as plain JSON gets a hint that says so.
 */
extern void ddb_split_item(DdbValue item, const DdbKeySchema *schema, DdbKey *key, DdbValue *rest);

/* The key map of a key, as LastEvaluatedKey shows it. */
extern DdbValue ddb_key_map(const DdbKeySchema *schema, const DdbKey *key);

/*
 * The parameters that expressions replaced, which only the API takes.  What is
 * NULL was not given.
 */
typedef struct DdbLegacy
{
	DdbLegacyCondition *conditions; /* Expected, QueryFilter or ScanFilter */
	int			nconditions;
	bool		any;			/* ConditionalOperator is OR */
	DdbLegacyCondition *keys;	/* KeyConditions */
	int			nkeys;
	DdbLegacyUpdate *updates;	/* AttributeUpdates */
	int			nupdates;
	DdbName    *attributes;		/* AttributesToGet */
	int			nattributes;
} DdbLegacy;

/* ----------------------------------------------------------------------
 * Writes: PutItem, UpdateItem, DeleteItem, or an action of a transaction
 * ---------------------------------------------------------------------- */
typedef struct DdbWrite
{
	DdbAction	action;
	Oid			relid;			/* InvalidOid: there is no such table */
	DdbValue	item;			/* PUT: the whole item; others: the key map */
	const DdbKeyParts *parts;	/* instead of a key map, or NULL */
	DdbText		condition;
	DdbText		update;			/* UPDATE only; not given: a bare upsert */
	DdbPlaceholders placeholders;
	const DdbLegacy *legacy;	/* instead of expressions, or NULL */
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

/*
 * Somebody above may hold up or refuse a write before it takes its first lock;
 * registered once, at load.
 */
typedef void (*DdbBeforeWrite) (Oid relid);
extern void ddb_before_write(DdbBeforeWrite hook);

/*
 * ReturnValues by its name (case-sensitive), NONE when it was not given;
 * raises YD001 naming the member.  Whether the action knows the value is
 * checked by the action.
 */
extern DdbReturnValues ddb_return_values(DdbText text, const char *member);

/* ----------------------------------------------------------------------
 * GetItem
 * ---------------------------------------------------------------------- */
typedef struct DdbGet
{
	Oid			relid;
	DdbValue	key;			/* the key map */
	const DdbKeyParts *parts;	/* instead of a key map, or NULL */
	DdbText		projection;
	DdbPlaceholders placeholders;
	const DdbLegacy *legacy;	/* instead of a projection, or NULL */
} DdbGet;

/* False when there is no such item. */
extern bool ddb_get_item(const DdbGet *get, DdbValue *item);

/* The path without maps, for ddb.get_item(tbl, pk, sk): NULL when absent. */
extern DdbItem *ddb_get_item_by_key(Oid relid, const DdbKeyParts *parts);

/* ----------------------------------------------------------------------
 * Query and Scan
 * ---------------------------------------------------------------------- */

/* The range of ddb.collection(): instead of a key condition's text. */
typedef struct DdbCollection
{
	DdbKeyPart	partition;
	DdbKeyPart	begins_with;
	DdbKeyPart	from;			/* inclusive */
	DdbKeyPart	to;				/* inclusive */
	DdbKeyPart	after;			/* exclusive, in reading direction */
} DdbCollection;

/* What is shown of the items. */
typedef enum DdbSelect
{
	DDB_SELECT_DEFAULT,			/* the projection; without one all of a table, what an index projects */
	DDB_SELECT_ALL,				/* ALL_ATTRIBUTES */
} DdbSelect;

typedef struct DdbRead
{
	Oid			relid;
	DdbText		index_name;
	bool		is_scan;
	DdbText		key_condition;	/* Query only */
	const DdbCollection *collection;	/* instead of key_condition, or NULL */
	DdbText		filter;
	DdbText		projection;
	DdbPlaceholders placeholders;
	const DdbLegacy *legacy;	/* for what no expression was given, or NULL */
	bool		forward;
	bool		consistent;
	DdbSelect	select;
	bool		count_only;		/* items are counted, never made */
	bool		paged;			/* the API's pages: limit before the filter, 1 MB */
	int64		limit;			/* 0: none; unpaged it counts items returned */
	const DdbValue *start_key;	/* ExclusiveStartKey, or NULL */
	bool		start_key_loose;	/* SQL: a whole last item will do */
	int32		segment;		/* -1: not given */
	int32		total_segments; /* -1: not given */
} DdbRead;

typedef struct DdbCursor DdbCursor;

/* Checks how the segment's two members go together; the first of the checks. */
extern void ddb_read_check_segment(const DdbRead *read);

/*
 * Checks everything and starts reading.  What `read` points at must outlive
 * the cursor.  The cursor lives in the current memory context; whoever gives
 * it up early calls ddb_read_end().
 */
extern DdbCursor *ddb_read_begin(const DdbRead *read);

/*
 * The next item that passes the filter, projected; false at the end or at the
 * page's.  With count_only it counts to the end of the page and is false.
 */
extern bool ddb_read_next(DdbCursor *cursor, DdbValue *item);

/* The same as an item of its own, or in the buffer: NULL at the end. */
extern DdbItem *ddb_read_next_item(DdbCursor *cursor);
extern DdbItem *ddb_read_next_into(DdbCursor *cursor, DdbItemBuffer *buffer);

typedef struct DdbPage
{
	int64		count;
	int64		scanned_count;
	bool		has_last_key;
	DdbValue	last_key;		/* LastEvaluatedKey */
} DdbPage;

/* Ends reading; page may be NULL. */
extern void ddb_read_end(DdbCursor *cursor, DdbPage *page);

/* ----------------------------------------------------------------------
 * Transactions and batches
 * ---------------------------------------------------------------------- */

/*
 * TransactWriteItems: all of it, or YD003 with a reason for each action.
 * `token` is ClientRequestToken; false when it says that these very actions
 * have been done before, and nothing was written.
 */
extern bool ddb_transact_write(const DdbWrite *writes, int n, DdbText token);

/* TransactGetItems, of one snapshot. */
extern void ddb_transact_get(const DdbGet *gets, int n, DdbValue *items, bool *found);

/* BatchWriteItem: puts and deletes without conditions. */
extern void ddb_batch_write(const DdbWrite *writes, int n);

/*
 * BatchGetItem.  Items beyond max_bytes (0: no limit) are not read: the API
 * answers them as UnprocessedKeys.
 */
typedef enum DdbFound
{
	DDB_ABSENT, DDB_FOUND, DDB_UNPROCESSED
} DdbFound;

extern void ddb_batch_get(const DdbGet *gets, int n, Size max_bytes,
						  DdbValue *items, DdbFound *found);

/* ----------------------------------------------------------------------
 * Requests: the members that name, guard and shape an operation, read from
 * the API's JSON into the structs above (request.c).  Table names are looked
 * up exactly, on the search_path.  Raises YD015 for members of the wrong JSON
 * type and YD001 for missing ones.
 * ---------------------------------------------------------------------- */

/* PutItem, UpdateItem, DeleteItem, or the body of a transaction's action. */
extern void ddb_request_write(const DdbJson *body, DdbAction action, DdbWrite *write);

/* GetItem, or the body of a transaction's Get. */
extern void ddb_request_get(const DdbJson *body, DdbGet *get);

/* TransactItems: [{"Put": {...}}, ...] and [{"Get": {...}}, ...]. */
extern DdbWrite *ddb_request_transact_write(const DdbJson *actions, int *n);
extern DdbGet *ddb_request_transact_get(const DdbJson *actions, int *n);

/*
 * RequestItems: {"table": [{"PutRequest": {...}}, ...], ...} and
 * {"table": {"Keys": [...], ...}, ...}.  tables[i] is the table's name as
 * the request gives it, entries follow one another table by table.
 */
extern DdbWrite *ddb_request_batch_write(const DdbJson *items, int *n, DdbText **tables);
extern DdbGet *ddb_request_batch_get(const DdbJson *items, int *n, DdbText **tables);

/*
 * Members that several operations share.  A table's ARN stands for its name
 * wherever a table is named, in TableName as in RequestItems.
 */
extern DdbName ddb_request_table_name(DdbName text);
extern DdbText ddb_request_text(const DdbJson *body, const char *member);
extern Oid	ddb_request_table(const DdbJson *body);

/* Refuses names and values without an expression of these kinds (bits). */
extern void ddb_request_check_given(const DdbJson *body, unsigned kinds);

/* Names and values, to be read when all else of the request has been. */
extern void ddb_request_placeholders(const DdbJson *body, DdbPlaceholders *placeholders);

#endif							/* DDB_OPS_H */
