/*-------------------------------------------------------------------------
 *
 * item_ops.c
 *	  PutItem, GetItem, UpdateItem, DeleteItem.
 *
 * A write is decided on the newest version of its item, and decided again
 * when another writer wins in between; so a decision depends on the plan and
 * the old record alone, and leaves in the plan what it decided last.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "ops/ops_int.h"
#include "utils/acl.h"

/* ----------------------------------------------------------------------
 * Parameters
 * ---------------------------------------------------------------------- */

DdbReturnValues
ddb_return_values(DdbText text, const char *member)
{
	static const char *const names[] = {
		[DDB_RETURN_NONE] = "NONE",
		[DDB_RETURN_ALL_OLD] = "ALL_OLD",
		[DDB_RETURN_UPDATED_OLD] = "UPDATED_OLD",
		[DDB_RETURN_ALL_NEW] = "ALL_NEW",
		[DDB_RETURN_UPDATED_NEW] = "UPDATED_NEW",
	};

	if (text.data == NULL)
		return DDB_RETURN_NONE;
	for (int i = 0; i < lengthof(names); i++)
		if (strlen(names[i]) == text.len && memcmp(names[i], text.data, text.len) == 0)
			return i;
	ddb_raise(DDB_VALIDATION, "1 validation error detected: Value '%.*s' at '%s' failed to "
			  "satisfy constraint: Member must satisfy enum value set: "
			  "[ALL_NEW, UPDATED_OLD, ALL_OLD, NONE, UPDATED_NEW]",
			  (int) text.len, text.data, member);
}

/* The size of what a put stores is known, and refused, before its table is. */
static void
check_item_size(DdbPlan *plan, const DdbWrite *write)
{
	plan->size = ddb_map_size(write->item);
	ddb_check_item_size(plan->size);
}

static DdbBeforeWrite before_write = NULL;

void
ddb_before_write(DdbBeforeWrite hook)
{
	before_write = hook;
}

/* Parses the expressions of one write; the first step. */
void
ddb_plan_parse(DdbPlan *plan, const DdbWrite *write)
{
	const DdbLegacy *legacy = write->legacy;
	DdbExprSet *set;

	memset(plan, 0, sizeof(*plan));
	plan->write = write;
	if (write->action != DDB_ACTION_UPDATE &&
		write->return_values != DDB_RETURN_NONE &&
		write->return_values != DDB_RETURN_ALL_OLD)
		ddb_raise(DDB_VALIDATION, "ReturnValues can only be ALL_OLD or NONE");
	if (before_write)
		before_write(write->relid);
	if (write->action == DDB_ACTION_PUT)
		check_item_size(plan, write);

	if (!write->condition.data && !write->update.data && !legacy &&
		!write->placeholders.names && !write->placeholders.values)
		return;
	set = ddb_exprs_begin(write->placeholders.names, write->placeholders.values);
	if (write->action == DDB_ACTION_UPDATE)
		ddb_exprs_accept(set, DDB_EXPR_UPDATE);
	ddb_exprs_accept(set, DDB_EXPR_CONDITION);
	if (write->update.data)
		plan->update = ddb_exprs_add(set, DDB_EXPR_UPDATE,
									 write->update.data, write->update.len);
	if (write->condition.data)
		plan->condition = ddb_exprs_add(set, DDB_EXPR_CONDITION,
										write->condition.data, write->condition.len);
	if (legacy && legacy->updates)
		plan->update = ddb_exprs_add_legacy_updates(set, legacy->updates, legacy->nupdates);
	if (legacy)
		plan->condition = ddb_exprs_add_legacy_conditions(set, DDB_EXPR_CONDITION, legacy->conditions,
														  legacy->nconditions, legacy->any);
	ddb_exprs_finish(set);
	if (plan->update)
		plan->nnames = ddb_update_attributes(plan->update, plan->names, DDB_PLAN_NAMES);
}

/*
 * The privileges of a write: what its SQL twin would need.  A condition and
 * returned attributes read; a check locks, as SELECT FOR UPDATE does.
 */
static AclMode
privileges(const DdbPlan *plan)
{
	const DdbWrite *write = plan->write;
	AclMode		reads = 0;

	if (plan->condition || write->return_item_on_failure ||
		write->return_values != DDB_RETURN_NONE)
		reads = ACL_SELECT;
	switch (write->action)
	{
		case DDB_ACTION_PUT:
			return ACL_INSERT | ACL_UPDATE | reads;
		case DDB_ACTION_UPDATE:
			return ACL_INSERT | ACL_UPDATE | ACL_SELECT;
		case DDB_ACTION_DELETE:
			/* try_delete_item() tells whether there was an item. */
			return ACL_DELETE | reads | (write->try ? ACL_SELECT : 0);
		case DDB_ACTION_CHECK:
			return ACL_SELECT | ACL_UPDATE;
	}
	pg_unreachable();
}

/* Opens the write's table; the second step. */
void
ddb_plan_open(DdbPlan *plan)
{
	plan->table = ddb_table_open(plan->write->relid, privileges(plan));
	plan->schema = ddb_table_schema(plan->table);
}

/* Finds the write's key, and what a put stores; the third step. */
void
ddb_plan_key(DdbPlan *plan)
{
	const DdbWrite *write = plan->write;

	if (plan->update)
		ddb_update_check_keys(plan->update, plan->schema);
	if (write->action != DDB_ACTION_PUT)
	{
		ddb_request_key(plan->schema, write->parts, write->item, &plan->key);
		return;
	}
	ddb_split_item(write->item, plan->schema, &plan->key, &plan->rest);
}

/* ----------------------------------------------------------------------
 * Decisions
 * ---------------------------------------------------------------------- */

static void
return_attributes(DdbPlan *plan, DdbValue attributes)
{
	plan->has_attributes = true;
	plan->attributes = attributes;
}

/* What an update returns; `updated` has no schema when nothing was stored. */
static void
return_updated(DdbPlan *plan, const DdbRecord *old, const DdbRecord *updated)
{
	DdbReturnValues wanted = plan->write->return_values;
	const DdbRecord *record =
		(wanted == DDB_RETURN_ALL_OLD || wanted == DDB_RETURN_UPDATED_OLD) ? old : updated;
	DdbValue	touched;

	if (wanted == DDB_RETURN_NONE || !record->schema)
		return;
	if (wanted == DDB_RETURN_ALL_OLD || wanted == DDB_RETURN_ALL_NEW)
	{
		return_attributes(plan, ddb_record_map(record));
		return;
	}
	if (!plan->update)
		return;
	touched = ddb_update_touched(plan->update, record);
	if (ddb_value_count(touched) > 0)
		return_attributes(plan, touched);
}

static DdbValue
empty_map(void)
{
	return ddb_builder_finish(ddb_builder_begin(DDB_M), DDB_DUPLICATES_ERROR);
}

static DdbDecision
decide_update(DdbPlan *plan, const DdbRecord *old)
{
	DdbRecord	updated = {plan->schema, plan->key};

	/* Only removing from nothing leaves nothing. */
	if (!old->schema && plan->update && ddb_update_only_removes(plan->update))
		return DDB_KEEP;
	if (old->schema && !plan->update)
	{
		return_updated(plan, old, old);
		return DDB_KEEP;
	}

	plan->rest = plan->update ? ddb_update_apply(plan->update, old) : empty_map();
	updated.map = plan->rest;
	plan->size = ddb_record_size(&updated);
	if (plan->size > DDB_MAX_ITEM_SIZE)
		ddb_raise(DDB_VALIDATION, "Item size to update has exceeded the maximum allowed size");
	return_updated(plan, old, &updated);
	return DDB_STORE;
}

void
ddb_plan_stored(const DdbPlan *plan, DdbStored *stored)
{
	stored->rest = plan->rest;
	stored->nnames = plan->nnames;
	stored->names = plan->names;
}

DdbDecision
ddb_plan_decide(void *arg, const DdbRecord *old, DdbStored *stored)
{
	DdbPlan    *plan = arg;
	const DdbWrite *write = plan->write;

	plan->decision = DDB_KEEP;
	plan->existed = old->schema != NULL;
	plan->has_attributes = false;
	plan->condition_failed = plan->condition && !ddb_condition_eval(plan->condition, old);
	if (plan->condition_failed)
	{
		if (write->return_item_on_failure && plan->existed)
			return_attributes(plan, ddb_record_map(old));
		return DDB_KEEP;
	}

	switch (write->action)
	{
		case DDB_ACTION_PUT:
			plan->decision = DDB_STORE;
			break;
		case DDB_ACTION_UPDATE:
			plan->decision = decide_update(plan, old);
			break;
		case DDB_ACTION_DELETE:
			plan->decision = plan->existed ? DDB_REMOVE : DDB_KEEP;
			break;
		case DDB_ACTION_CHECK:
			break;
	}
	if (write->action != DDB_ACTION_UPDATE && plan->existed &&
		write->return_values == DDB_RETURN_ALL_OLD)
		return_attributes(plan, ddb_record_map(old));
	ddb_plan_stored(plan, stored);
	return plan->decision;
}

/* ----------------------------------------------------------------------
 * The operations
 * ---------------------------------------------------------------------- */

void
ddb_reply_item(StringInfo out, DdbValue item)
{
	appendStringInfoString(out, "\"Item\":");
	ddb_map_to_json(out, item, DDB_JSON_WIRE);
}

static void
raise_condition_failed(const DdbPlan *plan)
{
	StringInfoData members;

	if (!plan->has_attributes)
		ddb_raise(DDB_CONDITION_FAILED, DDB_CONDITION_FAILED_MESSAGE);
	initStringInfo(&members);
	ddb_reply_item(&members, plan->attributes);
	ddb_raise_reply(DDB_CONDITION_FAILED, members.data, DDB_CONDITION_FAILED_MESSAGE);
}

void
ddb_write_item(const DdbWrite *write, DdbWriteResult *result)
{
	DdbPlan		plan;

	ddb_plan_parse(&plan, write);
	ddb_plan_open(&plan);
	ddb_plan_key(&plan);
	ddb_row_write(plan.table, &plan.key, ddb_plan_decide, &plan);

	if (plan.condition_failed && !write->try)
		raise_condition_failed(&plan);
	result->condition_failed = plan.condition_failed;
	result->existed = plan.existed;
	result->has_attributes = plan.has_attributes;
	result->attributes = plan.attributes;
}

/* Parses a get's projection. */
void
ddb_get_parse(DdbGetPlan *plan, const DdbGet *get)
{
	memset(plan, 0, sizeof(*plan));
	if (get->projection.data || get->legacy || get->placeholders.names || get->placeholders.values)
	{
		DdbExprSet *set = ddb_exprs_begin(get->placeholders.names, get->placeholders.values);

		ddb_exprs_accept(set, DDB_EXPR_PROJECTION);
		if (get->projection.data)
			plan->projection = ddb_exprs_add(set, DDB_EXPR_PROJECTION,
											 get->projection.data, get->projection.len);
		if (get->legacy)
			plan->projection = ddb_exprs_add_legacy_projection(set, get->legacy->attributes,
															   get->legacy->nattributes);
		ddb_exprs_finish(set);
	}
}

void
ddb_get_open(DdbGetPlan *plan, const DdbGet *get)
{
	plan->table = ddb_table_open(get->relid, ACL_SELECT);
}

void
ddb_get_key(DdbGetPlan *plan, const DdbGet *get)
{
	ddb_request_key(ddb_table_schema(plan->table), get->parts, get->key, &plan->key);
}

/* Reads the item; *size is its size before the projection. */
bool
ddb_get_read(const DdbGetPlan *plan, DdbValue *item, uint32 *size)
{
	DdbRecord	record;

	if (!ddb_row_get(plan->table, &plan->key, &record))
		return false;
	if (size)
		*size = ddb_record_size(&record);
	*item = plan->projection ? ddb_projection_apply(plan->projection, &record)
		: ddb_record_map(&record);
	return true;
}

bool
ddb_get_item(const DdbGet *get, DdbValue *item)
{
	DdbGetPlan	plan;

	ddb_get_parse(&plan, get);
	ddb_get_open(&plan, get);
	ddb_get_key(&plan, get);
	return ddb_get_read(&plan, item, NULL);
}

DdbItem *
ddb_get_item_by_key(Oid relid, const DdbKeyParts *parts)
{
	DdbTable   *table = ddb_table_open(relid, ACL_SELECT);
	DdbKey		key;
	DdbRecord	record;

	ddb_key_from_parts(ddb_table_schema(table), parts, &key);
	return ddb_row_get(table, &key, &record) ? ddb_record_item(&record) : NULL;
}
