/*-------------------------------------------------------------------------
 *
 * module.c
 *	  The library's entry point.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

PG_MODULE_MAGIC;

void		_PG_init(void);

void
_PG_init(void)
{
}
