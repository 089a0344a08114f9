/*-------------------------------------------------------------------------
 *
 * owner.c
 *	  Acting as a table's owner, in the background with a search path that
 *	  nobody can change.
 *
 * What maintains a table runs the functions of its indexes.  They are its
 * owner's code, whoever has asked for the maintenance.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "miscadmin.h"
#include "storage/storage.h"
#include "utils/guc.h"

void
ddb_owner_enter(DdbOwnerScope *scope, Oid owner)
{
	ddb_owner_enter_called(scope, owner);
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
}

void
ddb_owner_enter_called(DdbOwnerScope *scope, Oid owner)
{
	GetUserIdAndSecContext(&scope->user, &scope->security);
	SetUserIdAndSecContext(owner, scope->security | SECURITY_RESTRICTED_OPERATION);
	scope->guc_level = NewGUCNestLevel();
}

/* What the owner's functions have set goes with them, as in PostgreSQL's own maintenance. */
void
ddb_owner_leave(DdbOwnerScope *scope)
{
	AtEOXact_GUC(false, scope->guc_level);
	SetUserIdAndSecContext(scope->user, scope->security);
}
