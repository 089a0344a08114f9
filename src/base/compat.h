/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  PostgreSQL itself, and every difference between its versions 15 to 18
 *	  that ddb meets.  No other file names PG_VERSION_NUM.
 *
 * Include this first in every .c file: it brings postgres.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_COMPAT_H
#define DDB_COMPAT_H

#include "postgres.h"

#include "access/genam.h"
#include "access/tableam.h"
#include "fmgr.h"

/* 16 split the varlena macros out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 16 tells summarizing indexes apart; before, an update needs all index entries or none. */
#if PG_VERSION_NUM >= 160000
typedef TU_UpdateIndexes DdbUpdateIndexes;
#else
typedef bool DdbUpdateIndexes;
#define TU_None false
#define TU_All true
#endif

#endif							/* DDB_COMPAT_H */
