/*-------------------------------------------------------------------------
 *
 * api_index.c
 *	  Secondary indexes in requests about tables, and in the replies.
 *
 * An index is there when its request returns, but a global one is filled in
 * the background: CREATING and backfilling until it is ACTIVE.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"
#include "base/errors.h"
#include "index/index.h"
#include "nodes/pg_list.h"

/* ----------------------------------------------------------------------
 * Requests
 * ---------------------------------------------------------------------- */

static bool
text_equals(const DdbJson *text, const char *s)
{
	return text->text.len == strlen(s) && memcmp(text->text.data, s, text->text.len) == 0;
}

static void
read_projection(const DdbJson *projection, DdbIndexDef *def)
{
	const DdbJson *type = ddb_json_member(projection, "ProjectionType");
	const DdbJson *names = ddb_json_member(projection, "NonKeyAttributes");
	int			i = 0;

	if (type == NULL)
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "Unknown ProjectionType: null");
	while (i < DDB_NPROJECTIONS && !text_equals(type, ddb_projection_name(i)))
		i++;
	def->projection = i;
	if (names == NULL)
		return;
	def->include = palloc_array(DdbName, names->count + 1);
	for (const DdbJson *name = names->child; name; name = name->next)
		def->include[def->ninclude++] = name->text;
}

/* The definition in an index's structure, whose keys have been checked. */
static DdbIndexDef *
read_index(const DdbJson *index, const DdbJson *definitions, bool local)
{
	DdbIndexDef *def = palloc0_object(DdbIndexDef);
	DdbName		name = ddb_json_member(index, "IndexName")->text;

	def->local = local;
	memcpy(def->name, name.data, name.len);
	for (const DdbJson *key = ddb_json_member(index, "KeySchema")->child; key; key = key->next)
	{
		bool		partition = ddb_api_member_is(key, "KeyType", "HASH");
		int		   *n = partition ? &def->npartition : &def->nsort;

		if (*n == DDB_MAX_INDEX_KEYS)
			ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "The KeySchema exceeds the maximum allowed number of %s key attributes",
					  partition ? "HASH" : "RANGE");
		ddb_api_read_key(key, definitions, partition ? &def->partition[(*n)++] : &def->sort[(*n)++]);
	}
	read_projection(ddb_json_member(index, "Projection"), def);
	return def;
}

/* What a global index says of throughput must go with what the table says. */
static void
check_throughput(const DdbJson *index, bool per_request, const char *name)
{
	bool		given = ddb_json_member(index, "ProvisionedThroughput") != NULL;

	if (given && per_request)
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "ProvisionedThroughput should not be specified for index: %s when BillingMode is PAY_PER_REQUEST",
				  name);
	if (!given && !per_request)
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "ProvisionedThroughput is not specified for index: %s",
				  name);
}

static void
check_list(const DdbJson *request, const char *member, const DdbJson *definitions, bool local)
{
	const DdbJson *list = ddb_json_member(request, member);

	if (list && list->count == 0)
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "List of %s is empty", member);
	for (const DdbJson *index = list ? list->child : NULL; index; index = index->next)
		ddb_api_check_index_keys(ddb_json_member(index, "KeySchema"), definitions, local);
}

static List *
read_list(const DdbJson *request, const char *member, const DdbJson *definitions, bool local,
		  const DdbKeySchema *schema, List *before)
{
	const DdbJson *list = ddb_json_member(request, member);
	bool		per_request = ddb_api_member_is(request, "BillingMode", "PAY_PER_REQUEST");

	for (const DdbJson *index = list ? list->child : NULL; index; index = index->next)
	{
		DdbIndexDef *def = read_index(index, definitions, local);
		ListCell   *lc;

		ddb_index_check_definition(def, schema);
		if (!local)
			check_throughput(index, per_request, def->name);
		foreach(lc, before)
			if (strcmp(((DdbIndexDef *) lfirst(lc))->name, def->name) == 0)
				ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "Duplicate index name: %s", def->name);
		before = lappend(before, def);
	}
	return before;
}

static void
check_count(const DdbJson *list, int limit, const char *message)
{
	if (list && list->count > limit)
		ddb_raise(DDB_VALIDATION, "%s%s %d", DDB_INVALID_PARAMETER, message, limit);
}

void
ddb_api_check_definitions(const DdbJson *request, const DdbJson *definitions)
{
	const DdbJson *keys = ddb_json_member(request, "KeySchema");

	if (!ddb_json_member(request, "LocalSecondaryIndexes") && !ddb_json_member(request, "GlobalSecondaryIndexes"))
	{
		ddb_api_check_definition_count(keys, definitions);
		return;
	}
	ddb_api_check_index_keys(keys, definitions, true);
	check_list(request, "LocalSecondaryIndexes", definitions, true);
	check_list(request, "GlobalSecondaryIndexes", definitions, false);
	ddb_api_check_unused(request, definitions);
}

List *
ddb_api_read_indexes(const DdbJson *request, const DdbJson *definitions, const DdbKeySchema *schema)
{
	List	   *indexes = NIL;

	indexes = read_list(request, "LocalSecondaryIndexes", definitions, true, schema, indexes);
	check_count(ddb_json_member(request, "LocalSecondaryIndexes"), DDB_MAX_LOCAL_INDEXES,
				"Number of LocalSecondaryIndexes exceeds per-table limit of");
	indexes = read_list(request, "GlobalSecondaryIndexes", definitions, false, schema, indexes);
	check_count(ddb_json_member(request, "GlobalSecondaryIndexes"), DDB_MAX_GLOBAL_INDEXES,
				"GlobalSecondaryIndex count exceeds the per-table limit of");
	return indexes;
}

/* ----------------------------------------------------------------------
 * Replies
 * ---------------------------------------------------------------------- */

static void
reply_projection(StringInfo reply, const DdbIndexDef *def)
{
	ddb_reply_member(reply, "Projection");
	appendStringInfoChar(reply, '{');
	if (def->ninclude > 0)
	{
		ddb_reply_member(reply, "NonKeyAttributes");
		appendStringInfoChar(reply, '[');
		for (int i = 0; i < def->ninclude; i++)
		{
			ddb_reply_separate(reply);
			ddb_json_string(reply, def->include[i].data, def->include[i].len);
		}
		appendStringInfoChar(reply, ']');
	}
	ddb_reply_text(reply, "ProjectionType", ddb_projection_name(def->projection));
	appendStringInfoChar(reply, '}');
}

/* An index that is given up waits to be rebuilt, which the API has no word for. */
static void
reply_status(StringInfo reply, const DdbIndexDef *def, const char *going)
{
	static const char *const status[] = {
		[DDB_INDEX_CREATING] = "CREATING",
		[DDB_INDEX_ACTIVE] = "ACTIVE",
		[DDB_INDEX_INACTIVE] = "UPDATING",
	};
	DdbIndexState state;

	if (going && strcmp(going, def->name) == 0)
	{
		ddb_reply_text(reply, "IndexStatus", "DELETING");
		return;
	}
	state = ddb_index_state(def->relid);
	ddb_reply_text(reply, "IndexStatus", status[state]);
	if (state == DDB_INDEX_CREATING)
	{
		ddb_reply_member(reply, "Backfilling");
		appendStringInfoString(reply, "true");
	}
}

static void
reply_index(StringInfo reply, const char *table_arn, const DdbIndexDef *def, const char *going)
{
	DdbIndexFacts facts;

	ddb_index_facts(def, &facts);
	ddb_reply_separate(reply);
	appendStringInfoChar(reply, '{');
	ddb_reply_text(reply, "IndexName", def->name);
	ddb_api_reply_keys(reply, def->partition, def->npartition, def->sort, def->nsort);
	reply_projection(reply, def);
	if (!def->local)
	{
		reply_status(reply, def, going);
		ddb_reply_member(reply, "ProvisionedThroughput");
		appendStringInfoString(reply, DDB_NO_THROUGHPUT);
	}
	ddb_reply_int(reply, "IndexSizeBytes", facts.size_bytes);
	ddb_reply_int(reply, "ItemCount", facts.item_count);
	ddb_reply_text(reply, "IndexArn", psprintf("%s/index/%s", table_arn, def->name));
	appendStringInfoChar(reply, '}');
}

static void
reply_list(StringInfo reply, const char *member, const char *table_arn, const DdbIndexSet *set,
		   bool local, const char *going)
{
	ddb_reply_member(reply, member);
	appendStringInfoChar(reply, '[');
	for (int i = 0; i < set->n; i++)
		if (set->index[i].local == local)
			reply_index(reply, table_arn, &set->index[i], going);
	appendStringInfoChar(reply, ']');
}

void
ddb_api_reply_indexes(StringInfo reply, const char *table_arn, const DdbIndexSet *set,
					  const char *going)
{
	if (set && set->n > set->nglobal)
		reply_list(reply, "LocalSecondaryIndexes", table_arn, set, true, going);
	if (set && set->nglobal > 0)
		reply_list(reply, "GlobalSecondaryIndexes", table_arn, set, false, going);
}

/* ----- the attributes that are keys of anything ----- */

static bool
is_new(const DdbKeyAttr **seen, int n, const DdbKeyAttr *attr)
{
	for (int i = 0; i < n; i++)
		if (seen[i]->len == attr->len && memcmp(seen[i]->name, attr->name, attr->len) == 0)
			return false;
	return true;
}

void
ddb_api_reply_definitions(StringInfo reply, const DdbKeySchema *schema, const DdbIndexSet *set)
{
	int			room = 2 + 2 * DDB_MAX_INDEX_KEYS * (set ? set->n : 0);
	const DdbKeyAttr **seen = palloc_array(const DdbKeyAttr *, room);
	int			n = 0;

	for (int k = 0; k < schema->nkeys; k++)
		seen[n++] = &schema->attr[k];
	for (int i = 0; set && i < set->n; i++)
	{
		const DdbIndexDef *def = &set->index[i];

		for (int k = 0; k < def->npartition + def->nsort; k++)
		{
			const DdbKeyAttr *attr = k < def->npartition ? &def->partition[k] : &def->sort[k - def->npartition];

			if (is_new(seen, n, attr))
				seen[n++] = attr;
		}
	}
	ddb_reply_member(reply, "AttributeDefinitions");
	appendStringInfoChar(reply, '[');
	for (int i = 0; i < n; i++)
		ddb_api_reply_definition(reply, seen[i]);
	appendStringInfoChar(reply, ']');
}

/* ----------------------------------------------------------------------
 * UpdateTable's GlobalSecondaryIndexUpdates
 * ---------------------------------------------------------------------- */

static const char *const actions[] = {"Update", "Create", "Delete"};

/* An update's one action, and which it is. */
static const DdbJson *
get_action(const DdbJson *update, int *which)
{
	const DdbJson *found = NULL;

	for (int i = 0; i < lengthof(actions); i++)
	{
		const DdbJson *action = ddb_json_member(update, actions[i]);

		if (action && found)
			ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "Only one global secondary index action is allowed per GlobalSecondaryIndexUpdate object");
		if (action)
		{
			found = action;
			*which = i;
		}
	}
	if (found == NULL)
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, GlobalSecondaryIndexUpdate.Delete must not be null");
	return found;
}

static DdbName
action_index(const DdbJson *update)
{
	int			which;

	return ddb_json_member(get_action(update, &which), "IndexName")->text;
}

static void
check_updates(const DdbJson *updates)
{
	int			changes = 0;

	for (const DdbJson *update = updates->child; update; update = update->next)
	{
		DdbName		name = action_index(update);
		int			which;

		for (const DdbJson *other = updates->child; other != update; other = other->next)
		{
			DdbName		other_name = action_index(other);

			if (name.len == other_name.len && memcmp(name.data, other_name.data, name.len) == 0)
				ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "Only one global secondary index update per index is allowed simultaneously. Index: %.*s",
						  (int) name.len, name.data);
		}
		get_action(update, &which);
		changes += which > 0;
	}
	if (changes > 1)
		ddb_raise(DDB_LIMIT_EXCEEDED, "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously per table");
}

static void
create_index(Oid relid, const DdbJson *action, const DdbJson *definitions)
{
	DdbName		name = ddb_json_member(action, "IndexName")->text;
	const DdbJson *keys = ddb_json_member(action, "KeySchema");

	if (ddb_index_find(relid, name.data, name.len))
		ddb_index_raise_exists();
	if (definitions == NULL)
		ddb_raise(DDB_VALIDATION, DDB_INVALID_PARAMETER "AttributeDefinitions is not specified for index: %.*s",
				  (int) name.len, name.data);
	ddb_api_check_index_keys(keys, definitions, false);
	ddb_index_create(relid, read_index(action, definitions, false));
}

/* The index that an update is about, which must be a global one. */
static void
require_global(Oid relid, const char *verb, DdbName name)
{
	const DdbIndexDef *def = ddb_index_find(relid, name.data, name.len);

	if (def == NULL)
		ddb_raise(DDB_RESOURCE_NOT_FOUND, "Requested resource not found");
	if (def->local)
		ddb_raise(DDB_VALIDATION, "Cannot %s an index that is not a GlobalSecondaryIndex: %s",
				  verb, def->name);
}

const char *
ddb_api_update_indexes(Oid relid, const DdbJson *updates, const DdbJson *definitions)
{
	const char *going = NULL;

	check_updates(updates);
	for (const DdbJson *update = updates->child; update; update = update->next)
	{
		int			which;
		const DdbJson *action = get_action(update, &which);
		DdbName		name = action_index(update);

		if (which == 1)
			create_index(relid, action, definitions);
		else
			require_global(relid, which == 0 ? "update" : "delete", name);
		if (which == 2)
			going = pnstrdup(name.data, name.len);
	}
	return going;
}
