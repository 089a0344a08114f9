/*-------------------------------------------------------------------------
 *
 * ops_int.h
 *	  What the files of src/ops/ share: a write made ready in steps.
 *
 * A single write, a batch and a transaction do the same things in different
 * order: DynamoDB checks all expressions of a request before any table, and
 * all tables before any key.  So a write is a plan that goes through
 * ddb_plan_parse(), ddb_plan_open() and ddb_plan_key(), and is then decided
 * (ddb_plan_decide() is storage's DdbDecide) on the row as it is found.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_OPS_INT_H
#define DDB_OPS_INT_H

#include "ops/ops.h"

/* Attributes of an update's that storage is told of; of more it is told nothing. */
#define DDB_PLAN_NAMES 4

typedef struct DdbPlan
{
	const DdbWrite *write;
	DdbExpr    *condition;		/* or NULL */
	DdbExpr    *update;			/* or NULL: a bare upsert */
	int			nnames;			/* that it assigns or removes, or 0 */
	DdbName		names[DDB_PLAN_NAMES];
	DdbTable   *table;
	const DdbKeySchema *schema;
	DdbKey		key;
	DdbValue	rest;			/* the attributes to store, without the key's */
	uint32		size;			/* DynamoDB's size of what is stored */

	/* What became of it: set by each decision, the last one is true. */
	DdbDecision decision;
	bool		existed;
	bool		condition_failed;
	bool		has_attributes;
	DdbValue	attributes;		/* return_values, or the item of a failure */
} DdbPlan;

extern void ddb_plan_parse(DdbPlan *plan, const DdbWrite *write);
extern void ddb_plan_open(DdbPlan *plan);
extern void ddb_plan_key(DdbPlan *plan);
extern DdbDecision ddb_plan_decide(void *arg, const DdbRecord *old, DdbStored *stored);

/* What a plan that has been decided stores. */
extern void ddb_plan_stored(const DdbPlan *plan, DdbStored *stored);

/* The key of a request, from its parts or its map. */
extern void ddb_request_key(const DdbKeySchema *schema, const DdbKeyParts *parts,
							DdbValue map, DdbKey *key);

/* "Item":{...}, the member of an error's reply. */
extern void ddb_reply_item(StringInfo out, DdbValue item);

/* The only message of a false condition. */
#define DDB_CONDITION_FAILED_MESSAGE "The conditional request failed"

/* A key of other attributes or types than the table's. */
#define DDB_KEY_MISMATCH_MESSAGE "The provided key element does not match the schema"

/* A get made ready: projection, table and key. */
typedef struct DdbGetPlan
{
	DdbExpr    *projection;		/* or NULL */
	DdbTable   *table;
	DdbKey		key;
} DdbGetPlan;

extern void ddb_get_parse(DdbGetPlan *plan, const DdbGet *get);
extern void ddb_get_open(DdbGetPlan *plan, const DdbGet *get);
extern void ddb_get_key(DdbGetPlan *plan, const DdbGet *get);
extern bool ddb_get_read(const DdbGetPlan *plan, DdbValue *item, uint32 *size);

/*
 * The places 0 .. n - 1 of several keys, put into storage's lock order.
 * Returns the place of a key that stands twice, or -1.
 */
typedef struct DdbKeyRef
{
	Oid			relid;
	const DdbKey *key;
	int			place;
} DdbKeyRef;

extern int	ddb_sort_keys(DdbKeyRef *refs, int n);

/*
 * Remembers a client's token with the hash of what it asks for (token.c).
 * True when the request is new, false when this very request was done before;
 * raises YD009 when the token stands for another request.
 */
#define DDB_DIGEST_BYTES	32	/* SHA-256 */

extern bool ddb_token_claim(DdbText token, const uint8 content[DDB_DIGEST_BYTES]);

/* The hash of a transaction's content, by meaning: its values, not its text. */
extern void ddb_content_digest(const DdbWrite *writes, int n, uint8 digest[DDB_DIGEST_BYTES]);

#endif							/* DDB_OPS_INT_H */
