/*-------------------------------------------------------------------------
 *
 * module.c
 *	  The library's entry point.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "index/index.h"
#include "storage/storage.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
	ddb_storage_init();
	ddb_index_init();
}
