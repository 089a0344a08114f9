/*-------------------------------------------------------------------------
 *
 * transact.c
 *	  TransactWriteItems and TransactGetItems.
 *
 * A transaction first locks its items, all in the one global order, so that
 * two transactions or batches never deadlock each other.  With the items
 * held it decides every action, and only when all of them pass does it write.
 * A failure therefore knows a reason for every action, and nothing has to be
 * undone.
 *
 * What is wrong with the request as it reads is an error of the whole.  What
 * only a table's schema or an item can tell of one action (a key that does not
 * fit, operands, the size after an update) is that action's reason.  Such errors
 * come from code that only computes, so catching them needs no subtransaction:
 * nothing was opened, locked or written between PG_TRY and the error.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "miscadmin.h"
#include "ops/ops_int.h"
#include "utils/memutils.h"

/* Why an action stops its transaction; code is NULL when it does not. */
typedef struct Reason
{
	const char *code;
	const char *message;
	bool		has_item;
	DdbValue	item;
} Reason;

typedef struct Action
{
	DdbPlan		plan;
	Reason		reason;
} Action;

static void
check_count(int n)
{
	if (n < 1)
		ddb_raise(DDB_VALIDATION, "1 validation error detected: Value '[]' at 'transactItems' "
				  "failed to satisfy constraint: Member must have length greater than or "
				  "equal to 1");
	if (n > DDB_MAX_TRANSACT)
		ddb_raise(DDB_VALIDATION, "1 validation error detected: Value at 'transactItems' failed "
				  "to satisfy constraint: Member must have length less than or equal to %d",
				  DDB_MAX_TRANSACT);
}

static void
check_token(DdbText token)
{
	if (token.data && (token.len < 1 || token.len > DDB_MAX_CLIENT_TOKEN))
		ddb_raise(DDB_VALIDATION, "1 validation error detected: Value at 'clientRequestToken' "
				  "failed to satisfy constraint: Member must have length less than or equal to "
				  "%d, Member must have length greater than or equal to 1", DDB_MAX_CLIENT_TOKEN);
}

static void
check_bytes(uint64 bytes)
{
	if (bytes > DDB_MAX_TRANSACT_BYTES)
		ddb_raise(DDB_VALIDATION, "The aggregate size of the items in the transaction "
				  "cannot exceed 4 MB");
}

/* ----------------------------------------------------------------------
 * Reasons
 * ---------------------------------------------------------------------- */

/* In PG_CATCH: makes a validation error the reason, throws others on. */
static void
catch_validation(Reason *reason, MemoryContext context)
{
	ErrorData  *error;

	if (geterrcode() != ddb_sqlstate(DDB_VALIDATION))
		PG_RE_THROW();
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	reason->code = "ValidationError";
	reason->message = error->message;
}

static void
append_reason(StringInfo out, const Reason *reason)
{
	if (!reason->code)
	{
		appendStringInfoString(out, "{\"Code\":\"None\"}");
		return;
	}
	appendStringInfo(out, "{\"Code\":\"%s\",\"Message\":", reason->code);
	ddb_json_string(out, reason->message, strlen(reason->message));
	if (reason->has_item)
	{
		appendStringInfoChar(out, ',');
		ddb_reply_item(out, reason->item);
	}
	appendStringInfoChar(out, '}');
}

/* Raises YD003 if any action has a reason; `stride` walks the actions. */
static void
raise_if_canceled(const Reason *first, Size stride, int n)
{
	StringInfoData codes;
	StringInfoData members;
	bool		canceled = false;

	initStringInfo(&codes);
	initStringInfo(&members);
	appendStringInfoString(&members, "\"CancellationReasons\":[");
	for (int i = 0; i < n; i++)
	{
		const Reason *reason = (const Reason *) ((const char *) first + i * stride);

		canceled |= reason->code != NULL;
		if (i > 0)
		{
			appendStringInfoString(&codes, ", ");
			appendStringInfoChar(&members, ',');
		}
		appendStringInfoString(&codes, reason->code ? reason->code : "None");
		append_reason(&members, reason);
	}
	appendStringInfoChar(&members, ']');
	if (canceled)
		ddb_raise_reply(DDB_TRANSACTION_CANCELED, members.data,
						"Transaction cancelled, please refer cancellation reasons for "
						"specific reasons [%s]", codes.data);
}

/* Puts the keys into lock order; one that stands twice is refused. */
static void
sort_distinct(DdbKeyRef *refs, int n)
{
	if (ddb_sort_keys(refs, n) >= 0)
		ddb_raise(DDB_VALIDATION,
				  "Transaction request cannot include multiple operations on one item");
}

/* An empty key is the request's error, not its action's. */
static void
refuse_empty_key(const DdbKeySchema *schema, DdbValue map)
{
	for (int i = 0; i < schema->nkeys; i++)
	{
		const DdbKeyAttr *attr = &schema->attr[i];
		DdbValue	value;

		if (ddb_map_get(map, attr->name, attr->len, &value) &&
			value.type == attr->type && value.len == 0)
			ddb_key_check(schema, i, value);
	}
}

/* ----------------------------------------------------------------------
 * TransactWriteItems
 * ---------------------------------------------------------------------- */

static void
find_key(Action *action)
{
	MemoryContext context = CurrentMemoryContext;

	refuse_empty_key(action->plan.schema, action->plan.write->item);
	PG_TRY();
	{
		ddb_plan_key(&action->plan);
	}
	PG_CATCH();
	{
		catch_validation(&action->reason, context);
	}
	PG_END_TRY();
}

/* Parses, opens and finds the keys of all actions. */
static Action *
prepare_actions(const DdbWrite *writes, int n)
{
	Action	   *actions = palloc0_array(Action, n);
	uint64		bytes = 0;

	for (int i = 0; i < n; i++)
		ddb_plan_parse(&actions[i].plan, &writes[i]);
	for (int i = 0; i < n; i++)
		ddb_plan_open(&actions[i].plan);
	for (int i = 0; i < n; i++)
	{
		find_key(&actions[i]);
		bytes += actions[i].plan.size;
	}
	check_bytes(bytes);
	return actions;
}

/* The actions in lock order. */
static DdbKeyRef *
sort_actions(Action *actions, int n)
{
	DdbKeyRef  *refs = palloc_array(DdbKeyRef, n);
	int			known = 0;

	for (int i = 0; i < n; i++)
		if (!actions[i].reason.code)
			refs[known++] = (DdbKeyRef) {ddb_table_oid(actions[i].plan.table),
			&actions[i].plan.key, i};
	sort_distinct(refs, known);
	return refs;
}

/* Could the item as it is now stop the action or change what it stores? */
static bool
depends_on_item(const DdbPlan *plan)
{
	return plan->condition || plan->write->action == DDB_ACTION_UPDATE;
}

/* A DdbDecide that only finds out: the row stays as it is. */
static DdbDecision
try_decision(void *arg, const DdbRecord *old, DdbStored *stored)
{
	Action	   *action = arg;
	MemoryContext context = CurrentMemoryContext;

	memset(&action->reason, 0, sizeof(Reason));
	PG_TRY();
	{
		ddb_plan_decide(&action->plan, old, stored);
	}
	PG_CATCH();
	{
		catch_validation(&action->reason, context);
	}
	PG_END_TRY();

	if (!action->reason.code && action->plan.condition_failed)
		action->reason = (Reason) {"ConditionalCheckFailed", DDB_CONDITION_FAILED_MESSAGE,
		action->plan.has_attributes, action->plan.attributes};
	return DDB_KEEP;
}

/* A DdbDecide that does what was decided. */
static DdbDecision
carry_out(void *arg, const DdbRecord *old, DdbStored *stored)
{
	DdbPlan    *plan = arg;

	ddb_plan_stored(plan, stored);
	return plan->decision;
}

/*
 * Holds all items and decides all actions that depend on them.  Returns false
 * when none does: then the writes, in the same order, are locks enough.
 */
static bool
decide_actions(Action *actions, const DdbKeyRef *refs, int n)
{
	bool		depends = false;
	uint64		bytes = 0;

	for (int i = 0; i < n && !depends; i++)
		depends = depends_on_item(&actions[i].plan);
	if (!depends)
		return false;

	for (int i = 0; i < n; i++)
	{
		DdbPlan    *plan = &actions[refs[i].place].plan;

		CHECK_FOR_INTERRUPTS();
		ddb_row_lock(plan->table, &plan->key);
	}
	for (int i = 0; i < n; i++)
	{
		Action	   *action = &actions[refs[i].place];

		CHECK_FOR_INTERRUPTS();
		ddb_row_write(action->plan.table, &action->plan.key, try_decision, action);
		bytes += action->plan.size;
	}
	raise_if_canceled(&actions[0].reason, sizeof(Action), n);
	check_bytes(bytes);
	return true;
}

bool
ddb_transact_write(const DdbWrite *writes, int n, DdbText token)
{
	Action	   *actions;
	DdbKeyRef  *refs;
	bool		decided;

	check_count(n);
	check_token(token);
	actions = prepare_actions(writes, n);
	refs = sort_actions(actions, n);
	raise_if_canceled(&actions[0].reason, sizeof(Action), n);
	if (token.data)
	{
		uint8		digest[DDB_DIGEST_BYTES];

		ddb_content_digest(writes, n, digest);
		if (!ddb_token_claim(token, digest))
			return false;
	}

	decided = decide_actions(actions, refs, n);
	for (int i = 0; i < n; i++)
	{
		DdbPlan    *plan = &actions[refs[i].place].plan;

		CHECK_FOR_INTERRUPTS();
		if (!decided || plan->decision != DDB_KEEP)
			ddb_row_write(plan->table, &plan->key, decided ? carry_out : ddb_plan_decide, plan);
	}
	return true;
}

/* ----------------------------------------------------------------------
 * TransactGetItems
 * ---------------------------------------------------------------------- */

static void
find_get_key(DdbGetPlan *plan, const DdbGet *get, Reason *reason)
{
	MemoryContext context = CurrentMemoryContext;

	refuse_empty_key(ddb_table_schema(plan->table), get->key);
	PG_TRY();
	{
		ddb_get_key(plan, get);
	}
	PG_CATCH();
	{
		catch_validation(reason, context);
	}
	PG_END_TRY();
}

/* All reads see the caller's one snapshot, so they are of one moment. */
void
ddb_transact_get(const DdbGet *gets, int n, DdbValue *items, bool *found)
{
	DdbGetPlan *plans;
	Reason	   *reasons;
	DdbKeyRef  *refs;
	int			known = 0;
	uint64		bytes = 0;

	check_count(n);
	plans = palloc_array(DdbGetPlan, n);
	reasons = palloc0_array(Reason, n);
	refs = palloc_array(DdbKeyRef, n);
	for (int i = 0; i < n; i++)
		ddb_get_parse(&plans[i], &gets[i]);
	for (int i = 0; i < n; i++)
		ddb_get_open(&plans[i], &gets[i]);
	for (int i = 0; i < n; i++)
	{
		find_get_key(&plans[i], &gets[i], &reasons[i]);
		if (!reasons[i].code)
			refs[known++] = (DdbKeyRef) {ddb_table_oid(plans[i].table), &plans[i].key, i};
	}
	sort_distinct(refs, known);
	raise_if_canceled(reasons, sizeof(Reason), n);

	for (int i = 0; i < n; i++)
	{
		uint32		size = 0;

		CHECK_FOR_INTERRUPTS();
		found[i] = ddb_get_read(&plans[i], &items[i], &size);
		bytes += size;
		check_bytes(bytes);
	}
}
