/*-------------------------------------------------------------------------
 *
 * batch.c
 *	  BatchGetItem and BatchWriteItem.
 *
 * A batch is checked whole before anything is read or written.  Its writes
 * take their rows in the one global order (ddb_key_lock_order), so that two
 * batches, or a batch and a transaction, never deadlock each other.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "miscadmin.h"
#include "ops/ops_int.h"

#define DUPLICATE_KEYS "Provided list of item keys contains duplicates"

static DdbKeyRef *
sort_writes(DdbPlan *plans, int n)
{
	DdbKeyRef  *refs = palloc_array(DdbKeyRef, n);

	for (int i = 0; i < n; i++)
		refs[i] = (DdbKeyRef) {plans[i].write->relid, &plans[i].key, i};
	if (ddb_sort_keys(refs, n) >= 0)
		ddb_raise(DDB_VALIDATION, DUPLICATE_KEYS);
	return refs;
}

/* In a batch the key of an item is spoken of as a key is, not as an item's. */
static void
check_item_key(const DdbPlan *plan)
{
	if (plan->write->action != DDB_ACTION_PUT)
		return;
	for (int i = 0; i < plan->schema->nkeys; i++)
	{
		const DdbKeyAttr *attr = &plan->schema->attr[i];
		DdbValue	value;

		if (!ddb_map_get(plan->write->item, attr->name, attr->len, &value) ||
			value.type != attr->type)
			ddb_raise(DDB_VALIDATION, DDB_KEY_MISMATCH_MESSAGE);
	}
}

void
ddb_batch_write(const DdbWrite *writes, int n)
{
	DdbPlan    *plans = palloc_array(DdbPlan, n);
	DdbKeyRef  *refs;
	uint64		bytes = 0;

	if (n > DDB_MAX_BATCH_WRITE)
		ddb_raise(DDB_VALIDATION, "Too many items requested for the BatchWriteItem call");
	for (int i = 0; i < n; i++)
		ddb_plan_parse(&plans[i], &writes[i]);
	for (int i = 0; i < n; i++)
		ddb_plan_open(&plans[i]);
	for (int i = 0; i < n; i++)
	{
		check_item_key(&plans[i]);
		ddb_plan_key(&plans[i]);
		bytes += plans[i].size;
	}
	if (bytes > DDB_MAX_BATCH_BYTES)
		ddb_raise(DDB_VALIDATION, "Batch write request exceeds the maximum size of 16 MB");
	refs = sort_writes(plans, n);

	for (int i = 0; i < n; i++)
	{
		DdbPlan    *plan = &plans[refs[i].place];

		CHECK_FOR_INTERRUPTS();
		ddb_row_write(plan->table, &plan->key, ddb_plan_decide, plan);
	}
}

void
ddb_batch_get(const DdbGet *gets, int n, Size max_bytes, DdbValue *items, DdbFound *found)
{
	DdbGetPlan *plans = palloc_array(DdbGetPlan, n);
	DdbKeyRef  *refs = palloc_array(DdbKeyRef, n);
	Size		bytes = 0;

	if (n > DDB_MAX_BATCH_GET)
		ddb_raise(DDB_VALIDATION, "Too many items requested for the BatchGetItem call");
	for (int i = 0; i < n; i++)
		ddb_get_parse(&plans[i], &gets[i]);
	for (int i = 0; i < n; i++)
		ddb_get_open(&plans[i], &gets[i]);
	for (int i = 0; i < n; i++)
	{
		ddb_get_key(&plans[i], &gets[i]);
		refs[i] = (DdbKeyRef) {gets[i].relid, &plans[i].key, i};
	}
	if (ddb_sort_keys(refs, n) >= 0)
		ddb_raise(DDB_VALIDATION, DUPLICATE_KEYS);

	/* In the request's order, since what is left unprocessed is its tail. */
	for (int i = 0; i < n; i++)
	{
		uint32		size;

		CHECK_FOR_INTERRUPTS();
		found[i] = DDB_UNPROCESSED;
		if (max_bytes > 0 && bytes >= max_bytes)
			continue;
		if (!ddb_get_read(&plans[i], &items[i], &size))
		{
			found[i] = DDB_ABSENT;
			continue;
		}
		bytes += size;
		if (max_bytes == 0 || bytes <= max_bytes)
			found[i] = DDB_FOUND;
	}
}
