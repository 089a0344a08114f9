/*-------------------------------------------------------------------------
 *
 * module.c
 *	  The library's entry point.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "index/index.h"
#include "ops/ops.h"
#include "utils/guc.h"
#include "worker/worker.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
	ddb_storage_init();
	ddb_index_init();
	ddb_worker_init();
	ddb_before_write(ddb_worker_gate);
	/* A misspelt setting is an error, or a warning where it stood already. */
	MarkGUCPrefixReserved("ddb");
}
