/*-------------------------------------------------------------------------
 *
 * api_int.h
 *	  What the files of src/api/ share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_API_INT_H
#define DDB_API_INT_H

#include "api/api.h"
#include "item/item.h"
#include "ops/ops.h"
#include "table/table.h"

/* How the service begins most of what it has against a request. */
#define DDB_INVALID_PARAMETER	"One or more parameter values were invalid: "

/* Throughput is neither limited nor counted. */
#define DDB_NO_THROUGHPUT		"{\"NumberOfDecreasesToday\":0,\"ReadCapacityUnits\":0,\"WriteCapacityUnits\":0}"

/*
 * An operation's handler: takes the checked request, appends the reply.  Each
 * stands in the table of api.c.
 */
typedef void (*ApiHandler) (const DdbJson *request, StringInfo reply);

/* api_item.c, api_read.c, api_batch.c, api_table.c */
extern void ddb_api_put_item(const DdbJson *request, StringInfo reply);
extern void ddb_api_get_item(const DdbJson *request, StringInfo reply);
extern void ddb_api_update_item(const DdbJson *request, StringInfo reply);
extern void ddb_api_delete_item(const DdbJson *request, StringInfo reply);
extern void ddb_api_query(const DdbJson *request, StringInfo reply);
extern void ddb_api_scan(const DdbJson *request, StringInfo reply);
extern void ddb_api_batch_get_item(const DdbJson *request, StringInfo reply);
extern void ddb_api_batch_write_item(const DdbJson *request, StringInfo reply);
extern void ddb_api_transact_get_items(const DdbJson *request, StringInfo reply);
extern void ddb_api_transact_write_items(const DdbJson *request, StringInfo reply);
extern void ddb_api_create_table(const DdbJson *request, StringInfo reply);
extern void ddb_api_describe_table(const DdbJson *request, StringInfo reply);
extern void ddb_api_list_tables(const DdbJson *request, StringInfo reply);
extern void ddb_api_delete_table(const DdbJson *request, StringInfo reply);
extern void ddb_api_update_table(const DdbJson *request, StringInfo reply);

/* ----- api_schema.c: KeySchema and AttributeDefinitions ----- */
extern void ddb_api_check_table_keys(const DdbJson *keys, const DdbJson *definitions);
extern void ddb_api_check_index_keys(const DdbJson *keys, const DdbJson *definitions, bool local);

/* As many definitions as keys, of a table without indexes. */
extern void ddb_api_check_definition_count(const DdbJson *keys, const DdbJson *definitions);

/* No definition twice, and none that is no key of the table or its indexes. */
extern void ddb_api_check_unused(const DdbJson *request, const DdbJson *definitions);

/* A key attribute; it has a definition. */
extern void ddb_api_read_key(const DdbJson *key, const DdbJson *definitions, DdbKeyAttr *attr);

extern void ddb_api_reply_definition(StringInfo reply, const DdbKeyAttr *attr);
extern void ddb_api_reply_keys(StringInfo reply, const DdbKeyAttr *partition, int npartition,
							   const DdbKeyAttr *sort, int nsort);

/* ----- api_index.c ----- */

/*
 * AttributeDefinitions must be of all attributes that are keys of CreateTable's
 * table and indexes, and of no others.
 */
extern void ddb_api_check_definitions(const DdbJson *request, const DdbJson *definitions);

/* CreateTable's indexes (DdbIndexDef *), checked; their definitions are well. */
extern List *ddb_api_read_indexes(const DdbJson *request, const DdbJson *definitions,
								  const DdbKeySchema *schema);

/*
 * Does what GlobalSecondaryIndexUpdates says but for a deletion, whose index
 * it returns (or NULL), so that the reply can still show it.
 */
extern const char *ddb_api_update_indexes(Oid relid, const DdbJson *updates,
										  const DdbJson *definitions);

/* The set may be NULL; `going` is the index that is being deleted, or NULL. */
extern void ddb_api_reply_indexes(StringInfo reply, const char *table_arn,
								  const DdbIndexSet *set, const char *going);
extern void ddb_api_reply_definitions(StringInfo reply, const DdbKeySchema *schema,
									  const DdbIndexSet *set);

/* ----- model.c ----- */

/*
 * Checks a request against the published model: JSON types first (YD015),
 * then lengths, ranges, patterns, enumerations and required members, all of
 * them in one YD001.  After it, a member that is present has the JSON type
 * its shape says, at every depth, and only attribute values stand null in a
 * list or map.
 */
extern void ddb_api_validate(const char *operation, const DdbJson *request);

/* ----- api_request.c ----- */

/* Does the member equal this text? */
extern bool ddb_api_member_is(const DdbJson *structure, const char *name, const char *value);

/* A boolean member, with its value when absent. */
extern bool ddb_api_boolean(const DdbJson *structure, const char *name, bool absent);

/* A JSON number cut to an integer, saturating. */
extern int64 ddb_api_integer(const DdbJson *number);

/* An integer member, with its value when absent. */
extern int64 ddb_api_int_member(const DdbJson *structure, const char *name, int64 absent);

/* ----- api_legacy.c ----- */

/* Which old-style parameters there are depends on the operation. */
typedef enum ApiLegacyKind
{
	API_LEGACY_WRITE,			/* PutItem, DeleteItem */
	API_LEGACY_UPDATE,
	API_LEGACY_GET,				/* GetItem, a table of BatchGetItem */
	API_LEGACY_QUERY,
	API_LEGACY_SCAN,
} ApiLegacyKind;

/* Raises YD001 where they mix with expressions, also from one table of BatchGetItem to another. */
extern void ddb_api_check_legacy(const DdbJson *structure, ApiLegacyKind kind);
extern void ddb_api_check_legacy_tables(const DdbJson *tables);

/* The structure's old-style parameters but KeyConditions, or NULL. */
extern DdbLegacy *ddb_api_legacy(const DdbJson *structure, ApiLegacyKind kind);

/* The same with KeyConditions, which are looked at after ExclusiveStartKey. */
extern DdbLegacy *ddb_api_legacy_keys(const DdbJson *request, DdbLegacy *legacy);

/* ----- api_reply.c: the reply is written straight into one buffer ----- */

/* A comma, unless the container was just opened. */
extern void ddb_reply_separate(StringInfo reply);

/* "name": with a comma before it if needed. */
extern void ddb_reply_member(StringInfo reply, const char *name);

extern void ddb_reply_text(StringInfo reply, const char *name, const char *value);
extern void ddb_reply_int(StringInfo reply, const char *name, int64 value);

/* An attribute map: an item, a key. */
extern void ddb_reply_map(StringInfo reply, const char *name, DdbValue map);

#endif							/* DDB_API_INT_H */
