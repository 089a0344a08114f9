/*-------------------------------------------------------------------------
 *
 * wait.c
 *	  A reader waits for its own write.
 *
 * A token is the id of the transaction that wrote, asked for within it; asked
 * for outside, where the transaction that asks has written nothing, it is "now":
 * the next id to be given out, so that everything committed by then counts.
 * Tokens are text and hold no session's state, so any connection may wait for
 * another's write.
 *
 * The index shows a transaction when its cursor's snapshot contains it, or
 * when it has logged nothing that the index lacks.  So waiting is looking
 * again, each time with a new snapshot; which is why a caller whose snapshot is
 * fixed is refused: it could wait, and would still see nothing.
 *
 * To wait is to read: it takes SELECT on the table or on the indexes, or on a
 * column of theirs.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/transam.h"
#include "access/xact.h"
#include "base/errors.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"
#include "worker/worker_int.h"

#define SHORTEST_PAUSE_MS 1
#define LONGEST_PAUSE_MS 50

char *
ddb_index_token(void)
{
	FullTransactionId xid = GetTopFullTransactionIdIfAny();

	if (FullTransactionIdIsValid(xid))
		return psprintf("x" UINT64_FORMAT, U64FromFullTransactionId(xid));
	xid = ReadNextFullTransactionId();
	return psprintf("n" UINT64_FORMAT, U64FromFullTransactionId(xid));
}

/* A token's form ('x': a transaction, 'n': all before) and its id. */
static char
read_token(const char *token, FullTransactionId *xid)
{
	char	   *end;
	uint64		value;

	errno = 0;
	value = strtoull(token[0] ? token + 1 : token, &end, 10);
	if ((token[0] != 'x' && token[0] != 'n') || end == token + 1 || *end != '\0' ||
		errno != 0 || token[1] < '0' || token[1] > '9' ||
		value > U64FromFullTransactionId(ReadNextFullTransactionId()))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("invalid index token: \"%s\"", token),
				 errhint("Tokens come from ddb.index_token() of this database.")));
	*xid = FullTransactionIdFromU64(value);
	return token[0];
}

/* A given-up index follows nothing until it is repaired. */
static void
refuse_inactive(List *indexes)
{
	ListCell   *lc;

	foreach(lc, indexes)
	{
		if (ddb_index_state(lfirst_oid(lc)) == DDB_INDEX_INACTIVE)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("index \"%s\" is INACTIVE", ddb_index_name(lfirst_oid(lc))),
					 errdetail("It has failed for longer than ddb.index_give_up; ddb.index_status shows why."),
					 errhint("ddb.verify_index(..., repair => true) has it built again.")));
	}
}

static bool
may_read(Oid relid)
{
	return pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK ||
		pg_attribute_aclcheck_all(relid, GetUserId(), ACL_SELECT, ACLMASK_ANY) == ACLCHECK_OK;
}

static void
check_privileges(Oid table, List *indexes)
{
	bool		indexes_will_do = indexes != NIL;
	ListCell   *lc;

	foreach(lc, indexes)
		indexes_will_do = indexes_will_do && may_read(lfirst_oid(lc));
	if (!indexes_will_do && !may_read(table))
		aclcheck_error(ACLCHECK_NO_PRIV, OBJECT_TABLE, get_rel_name(table));
}

/* What can never come true is said at once. */
static void
refuse_vain_waiting(char form, FullTransactionId xid)
{
	if (IsolationUsesXactSnapshot())
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("cannot wait for an index in a transaction whose snapshot is fixed"),
				 errhint("Wait in READ COMMITTED, before the transaction that reads.")));
	if (form == 'x' && TransactionIdIsCurrentTransactionId(XidFromFullTransactionId(xid)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot wait for the index entries of this transaction's own writes"),
				 errhint("Commit first: an index follows what is committed.")));
}

static bool
reached(List *indexes, char form, FullTransactionId xid)
{
	ListCell   *lc;

	foreach(lc, indexes)
	{
		if (form == 'x' ? !ddb_index_reached(lfirst_oid(lc), xid) :
			!ddb_index_reached_all(lfirst_oid(lc), xid))
			return false;
	}
	return true;
}

bool
ddb_wait_for_index(Oid table, const char *index_name, const char *token, int64 timeout_ms)
{
	TimestampTz end = GetCurrentTimestamp() + timeout_ms * INT64CONST(1000);
	List	   *indexes = ddb_index_list(table, index_name);
	FullTransactionId xid = ReadNextFullTransactionId();
	char		form = 'n';
	long		pause = SHORTEST_PAUSE_MS;

	check_privileges(table, indexes);
	if (token)
		form = read_token(token, &xid);
	refuse_vain_waiting(form, xid);
	while (!reached(indexes, form, xid))
	{
		refuse_inactive(indexes);
		if (GetCurrentTimestamp() >= end)
			return false;
		ddb_workers_wake();
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, pause,
						 PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();

		/* A worker may have given the index other storage. */
		AcceptInvalidationMessages();
		pause = Min(pause * 2, LONGEST_PAUSE_MS);
	}
	return true;
}
