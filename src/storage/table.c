/*-------------------------------------------------------------------------
 *
 * table.c
 *	  The tables kept open.
 *
 * Opening a relation, its index, a scan and two slots costs more than reading
 * a row, so they are kept from call to call, with what was checked once:
 * privileges, read-only, replica identity.
 *
 * Ownership.  The relations, the scan and the slots belong to a resource
 * owner of the table's, a child of the top transaction's; the locks belong to
 * the top transaction's owner and stay to its end, like any statement's.  No
 * buffer stays pinned between calls: pins belong to the caller's owner, which
 * may be gone by the next one.
 *
 * End of keeping.  A DdbTable's address is good to the end of the transaction;
 * what it holds open is closed, and opened again when next wanted,
 *
 *		before any utility statement (ALTER and DROP refuse a relation that the
 *		session has open)							utility_hook()
 *		after a relcache invalidation of it			invalidated()
 *		when a subtransaction aborts: the error may have come out of the middle
 *		of a scan, so nothing is closed in order, the owner just lets go
 *													subtransaction_ended()
 *		before commit and prepare					transaction_ended()
 *
 * At abort PostgreSQL releases the owners itself and we only forget.
 *
 * Users' code in the middle.  Triggers, policies and the functions of index
 * expressions run while an operation is under way, and may do anything: call
 * ddb's functions on the same table, run utility commands, fail and be caught.
 * For that time the operation holds its table.  A held table is nobody else's:
 * who opens the relation meanwhile gets another DdbTable.  Nor is it closed,
 * so ALTER and DROP refuse it, as they refuse what any running statement uses.
 * It goes with the subtransaction that the operation itself runs in, but not
 * with one begun and rolled back by what it called.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xact.h"
#include "base/errors.h"
#include "catalog/pg_class.h"
#include "catalog/index.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "storage/lmgr.h"
#include "storage/storage_int.h"
#include "tcop/utility.h"
#include "utils/acl.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/rls.h"
#include "utils/syscache.h"

static DdbTable *tables = NULL; /* of this transaction */
static DdbTable *last = NULL;	/* the one opened last */
static MemoryContext tables_context = NULL;

static ProcessUtility_hook_type next_utility_hook = NULL;

/* ----------------------------------------------------------------------
 * Closing
 * ---------------------------------------------------------------------- */

static void
forget_open(DdbTable *table)
{
	if (table->context)
	{
		ddb_hash_withdraw();
		MemoryContextDelete(table->context);
	}
	table->context = NULL;
	table->owner = NULL;
	table->open = false;
	table->held = 0;
	table->granted = 0;
}

/* Closes in good order: nothing may be in the middle of a scan. */
static void
close_table(DdbTable *table)
{
	ResourceOwner caller = CurrentResourceOwner;

	if (!table->open)
		return;
	CurrentResourceOwner = table->owner;
	index_endscan(table->scan);
	ExecDropSingleTupleTableSlot(table->slot);
	ExecDropSingleTupleTableSlot(table->new_slot);
	index_close(table->index, NoLock);
	table_close(table->heap, NoLock);
	CurrentResourceOwner = caller;
	ResourceOwnerDelete(table->owner);
	forget_open(table);
}

static void
close_tables(void)
{
	for (DdbTable *table = tables; table; table = table->next)
	{
		if (!table->held)
			close_table(table);
	}
	ddb_log_close();
}

/* Lets go without order, after an error. */
static void
drop_table(DdbTable *table)
{
	if (table->owner)
	{
		ResourceOwnerRelease(table->owner, RESOURCE_RELEASE_BEFORE_LOCKS, false, false);
		ResourceOwnerRelease(table->owner, RESOURCE_RELEASE_LOCKS, false, false);
		ResourceOwnerRelease(table->owner, RESOURCE_RELEASE_AFTER_LOCKS, false, false);
		ResourceOwnerDelete(table->owner);
	}
	forget_open(table);
}

static void
forget_tables(void)
{
	ddb_hash_withdraw();
	ddb_log_forget();
	tables = last = NULL;
	tables_context = NULL;
}

static void
transaction_ended(XactEvent event, void *arg)
{
	switch (event)
	{
		case XACT_EVENT_PRE_COMMIT:
		case XACT_EVENT_PARALLEL_PRE_COMMIT:
		case XACT_EVENT_PRE_PREPARE:
			close_tables();
			break;
		default:
			forget_tables();
			break;
	}
}

static void
subtransaction_ended(SubXactEvent event, SubTransactionId sub, SubTransactionId parent, void *arg)
{
	int			level = GetCurrentTransactionNestLevel();

	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	for (DdbTable *table = tables; table; table = table->next)
	{
		if (!table->held || table->held >= level)
			drop_table(table);
	}
}

static void
invalidated(Datum arg, Oid relid)
{
	for (DdbTable *table = tables; table; table = table->next)
	{
		if (relid == InvalidOid || relid == table->relid || relid == table->facts.key_index)
			table->stale = true;
	}
}

/* Who is in which role, or may do anything, has changed. */
static void
roles_changed(Datum arg, int cacheid, uint32 hash)
{
	for (DdbTable *table = tables; table; table = table->next)
		table->stale = true;
}

static void
utility_hook(PlannedStmt *pstmt, const char *query, bool read_only_tree,
			 ProcessUtilityContext context, ParamListInfo params,
			 QueryEnvironment *environment, DestReceiver *dest, QueryCompletion *completion)
{
	close_tables();
	if (next_utility_hook)
		next_utility_hook(pstmt, query, read_only_tree, context, params, environment, dest,
						  completion);
	else
		standard_ProcessUtility(pstmt, query, read_only_tree, context, params, environment,
								dest, completion);
}

void
ddb_storage_init(void)
{
	ddb_facts_init();
	RegisterXactCallback(transaction_ended, NULL);
	RegisterSubXactCallback(subtransaction_ended, NULL);
	CacheRegisterRelcacheCallback(invalidated, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHOID, roles_changed, (Datum) 0);
	CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, roles_changed, (Datum) 0);
	next_utility_hook = ProcessUtility_hook;
	ProcessUtility_hook = utility_hook;
}

/* ----------------------------------------------------------------------
 * Opening
 * ---------------------------------------------------------------------- */
void
ddb_not_a_table(Oid relid)
{
	ereport(ERROR,
			(errcode(ERRCODE_WRONG_OBJECT_TYPE),
			 errmsg("\"%s\" is not a ddb table", get_rel_name(relid)),
			 errhint("Such tables are made by ddb.create_table().")));
}

static bool
is_write(AclMode need)
{
	return (need & ~ACL_SELECT) != 0;
}

/* The lock of a transaction is the transaction's, whoever asks first. */
static void
lock_relation(Oid relid, LOCKMODE lockmode)
{
	ResourceOwner caller = CurrentResourceOwner;

	CurrentResourceOwner = TopTransactionResourceOwner;
	PG_TRY();
	{
		LockRelationOid(relid, lockmode);
	}
	PG_FINALLY();
	{
		CurrentResourceOwner = caller;
	}
	PG_END_TRY();
}

/* All the privileges, on the table or else on each of its columns. */
static void
check_privileges(DdbTable *table, AclMode need)
{
	for (AclMode bit = 1; bit <= need; bit <<= 1)
	{
		if ((need & bit) == 0 ||
			pg_class_aclcheck(table->relid, table->userid, bit) == ACLCHECK_OK)
			continue;
		if ((bit & (ACL_SELECT | ACL_INSERT | ACL_UPDATE)) == 0 ||
			pg_attribute_aclcheck_all(table->relid, table->userid, bit,
									  ACLMASK_ALL) != ACLCHECK_OK)
			aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(table->relid));
	}
}

static void
check_need(DdbTable *table, AclMode need)
{
	if (is_write(need))
	{
		if (!RelationUsesLocalBuffers(table->heap))
			PreventCommandIfReadOnly("a ddb write");
		PreventCommandIfParallelMode("a ddb write");
		PreventCommandDuringRecovery("a ddb write");
	}
	check_privileges(table, need);
	if (need & ACL_UPDATE)
		CheckCmdReplicaIdentity(table->heap, CMD_UPDATE);
	if (need & ACL_DELETE)
		CheckCmdReplicaIdentity(table->heap, CMD_DELETE);
	table->granted |= need;
}

/* Opens the table and its key index, both locked. */
static void
open_relations(DdbTable *table)
{
	table->heap = try_relation_open(table->relid, NoLock);
	if (table->heap == NULL)
		ddb_raise(DDB_RESOURCE_NOT_FOUND, "Requested resource not found");
	do
	{
		if (!ddb_is_ours(table->heap) || !OidIsValid(ddb_facts(table->heap)->key_index))
			ddb_not_a_table(table->relid);
		table->facts = *ddb_facts(table->heap);
		lock_relation(table->facts.key_index, table->lockmode);
		/* Which may have brought the news of another key index. */
	} while (table->facts.key_index != ddb_facts(table->heap)->key_index);
	table->facts = *ddb_facts(table->heap);
	table->stale = false;
	table->index = index_open(table->facts.key_index, NoLock);
}

/* Makes what is kept, in the table's context. */
static void
make_kept(DdbTable *table)
{
	table->index_info = BuildIndexInfo(table->index);
	table->slot = MakeSingleTupleTableSlot(RelationGetDescr(table->heap),
										   &TTSOpsBufferHeapTuple);
	table->new_slot = MakeSingleTupleTableSlot(RelationGetDescr(table->heap), &TTSOpsVirtual);
	table->row_context = AllocSetContextCreate(table->context, "ddb row",
											   ALLOCSET_SMALL_SIZES);
	table->row = NULL;
	table->row_size = 0;
	table->record.schema = &table->facts.schema;
	ddb_lookup_begin(table);
}

/*
 * An error leaves the table not open; what it had opened by then goes with
 * our owner when the error ends the (sub)transaction.
 */
static void
open_table(DdbTable *table, AclMode need)
{
	ResourceOwner caller_owner = CurrentResourceOwner;
	MemoryContext caller_context = CurrentMemoryContext;

	table->lockmode = Max(table->lockmode, is_write(need) ? RowExclusiveLock : AccessShareLock);
	lock_relation(table->relid, table->lockmode);
	table->owner = ResourceOwnerCreate(TopTransactionResourceOwner, "ddb table");
	table->context = AllocSetContextCreate(tables_context, "ddb table", ALLOCSET_DEFAULT_SIZES);
	PG_TRY();
	{
		MemoryContextSwitchTo(table->context);
		CurrentResourceOwner = table->owner;
		open_relations(table);
		make_kept(table);
		table->open = true;
	}
	PG_FINALLY();
	{
		CurrentResourceOwner = caller_owner;
		MemoryContextSwitchTo(caller_context);
	}
	PG_END_TRY();
	table->row_security = check_enable_rls(table->relid, table->userid, false) == RLS_ENABLED;
	check_need(table, need);
}

void
ddb_table_reopen(DdbTable *table)
{
	AclMode		need = table->granted;

	close_table(table);
	open_table(table, need);
}

static DdbTable *
find_table(Oid relid)
{
	Oid			userid = GetUserId();
	DdbTable   *table;

	for (table = tables; table; table = table->next)
	{
		if (table->relid == relid && table->userid == userid && !table->held)
			return table;
	}
	if (tables_context == NULL)
		tables_context = AllocSetContextCreate(TopTransactionContext, "ddb tables",
											   ALLOCSET_DEFAULT_SIZES);
	table = MemoryContextAllocZero(tables_context, sizeof(DdbTable));
	table->relid = relid;
	table->userid = userid;
	table->next = tables;
	tables = table;
	return table;
}

DdbTable *
ddb_table_open(Oid relid, AclMode need)
{
	DdbTable   *table = last;

	if (table == NULL || table->relid != relid || table->userid != GetUserId() || table->held)
		table = last = find_table(relid);
	if (unlikely(!table->open || table->stale ||
				 (is_write(need) && table->lockmode != RowExclusiveLock)))
	{
		need |= table->granted;
		close_table(table);
		open_table(table, need);
	}
	else if ((need & ~table->granted) != 0 || (unlikely(XactReadOnly) && is_write(need)))
		check_need(table, need);
	return table;
}

void
ddb_table_hold(DdbTable *table)
{
	Assert(!table->held);
	/* Users' code may compare the very datum that is being looked for. */
	ddb_hash_withdraw();
	table->held = GetCurrentTransactionNestLevel();
}

void
ddb_table_let_go(DdbTable *table)
{
	table->held = 0;
}

/* ----------------------------------------------------------------------
 * What others may know of it
 * ---------------------------------------------------------------------- */
const DdbKeySchema *
ddb_table_schema(const DdbTable *table)
{
	return &table->facts.schema;
}

Oid
ddb_table_oid(const DdbTable *table)
{
	return table->relid;
}

bool
ddb_table_is_plain(const DdbTable *table)
{
	return table->facts.plain && !table->row_security;
}

bool
ddb_relation_key_schema(Oid relid, DdbKeySchema *schema)
{
	Relation	rel = try_relation_open(relid, AccessShareLock);
	bool		found = false;

	if (rel == NULL)
		return false;
	if (ddb_is_ours(rel) && OidIsValid(ddb_facts(rel)->key_index))
	{
		*schema = ddb_facts(rel)->schema;
		found = true;
	}
	relation_close(rel, AccessShareLock);
	return found;
}
