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

/* Early minor releases of 15 lack these. */
#ifndef palloc_array
#define palloc_object(type) ((type *) palloc(sizeof(type)))
#define palloc0_object(type) ((type *) palloc0(sizeof(type)))
#define palloc_array(type, count) ((type *) palloc(sizeof(type) * (Size) (count)))
#define repalloc_array(old, type, count) ((type *) repalloc(old, sizeof(type) * (Size) (count)))
#define palloc0_array(type, count) ((type *) palloc0(sizeof(type) * (Size) (count)))
#endif

/* 18 marks such functions with pg_noreturn, in front of the declaration. */
#ifndef pg_attribute_noreturn
#define pg_attribute_noreturn() __attribute__((noreturn))
#endif

/* 16 tells summarizing indexes apart; before, an update needs all index entries or none. */
#if PG_VERSION_NUM >= 160000
typedef TU_UpdateIndexes DdbUpdateIndexes;
#else
typedef bool DdbUpdateIndexes;
#define TU_None false
#define TU_All true
#endif

/* 18 counts an index scan's searches for EXPLAIN. */
#if PG_VERSION_NUM >= 180000
#define ddb_index_beginscan(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, NULL, nkeys, 0)
#else
#define ddb_index_beginscan(heap, index, snapshot, nkeys) \
	index_beginscan(heap, index, snapshot, nkeys, 0)
#endif

/* 16 can leave all but summarizing indexes alone. */
#if PG_VERSION_NUM >= 160000
#define ddb_exec_insert_index_tuples(result, slot, estate, update, conflict, arbiters) \
	ExecInsertIndexTuples(result, slot, estate, update, true, conflict, arbiters, false)
#else
#define ddb_exec_insert_index_tuples(result, slot, estate, update, conflict, arbiters) \
	ExecInsertIndexTuples(result, slot, estate, update, true, conflict, arbiters)
#endif

/* 18 dropped the promise, false here, that a query is run only once. */
#if PG_VERSION_NUM >= 180000
#define ddb_executor_run(query, count) ExecutorRun(query, ForwardScanDirection, count)
#else
#define ddb_executor_run(query, count) ExecutorRun(query, ForwardScanDirection, count, false)
#endif

/* 16 has one ownership test for all kinds of objects. */
#if PG_VERSION_NUM >= 160000
#define ddb_owns_relation(relid, role) object_ownercheck(RelationRelationId, relid, role)
#else
#define ddb_owns_relation(relid, role) pg_class_ownercheck(relid, role)
#endif

/*
 * 17 ends sessions whose transaction takes long.  Here that is settled: neither
 * the configuration nor a function of a user's index can set it again.
 */
#if PG_VERSION_NUM >= 170000
#include "utils/guc_tables.h"
static inline void
ddb_no_transaction_timeout(void)
{
	SetConfigOption("transaction_timeout", "0", PGC_SUSET, PGC_S_OVERRIDE);
	find_option("transaction_timeout", false, false, ERROR)->context = PGC_INTERNAL;
}
#else
#define ddb_no_transaction_timeout() ((void) 0)
#endif

/* 18 asks whether an ANALYZE is to be delayed. */
#if PG_VERSION_NUM >= 180000
#define ddb_vacuum_delay_point() vacuum_delay_point(false)
#else
#define ddb_vacuum_delay_point() vacuum_delay_point()
#endif

/* A descent of a btree: 16 added the heap, 17 took the snapshot away. */
#if PG_VERSION_NUM >= 170000
#define ddb_bt_search(index, heap, key, buffer) _bt_search(index, heap, key, buffer, BT_READ)
#elif PG_VERSION_NUM >= 160000
#define ddb_bt_search(index, heap, key, buffer) _bt_search(index, heap, key, buffer, BT_READ, NULL)
#else
#define ddb_bt_search(index, heap, key, buffer) _bt_search(index, key, buffer, BT_READ, NULL)
#endif

/* 16 renamed what has to do with a relation's storage: giving it new, empty one, for one. */
#if PG_VERSION_NUM >= 160000
#define relation_set_new_filenode relation_set_new_filelocator
#define RelFileNode RelFileLocator
#define ddb_relation_set_new_storage(rel) \
	RelationSetNewRelfilenumber(rel, (rel)->rd_rel->relpersistence)
#else
#define ddb_relation_set_new_storage(rel) \
	RelationSetNewRelfilenode(rel, (rel)->rd_rel->relpersistence)
#endif

/* 17 names the statement that asks for the index builds: here there is none. */
#if PG_VERSION_NUM >= 170000
#define ddb_reindex_relation(relid, flags) \
	((void) reindex_relation(NULL, relid, flags, &(ReindexParams) {0}))
#else
#define ddb_reindex_relation(relid, flags) \
	((void) reindex_relation(relid, flags, &(ReindexParams) {0}))
#endif

/* 18 vacuums the largest tables sooner: at so many dead rows at the latest; -1: it does not. */
#if PG_VERSION_NUM >= 180000
#define ddb_autovacuum_most(options) \
	((options) && (options)->autovacuum.vacuum_max_threshold >= -1 ? \
	 (options)->autovacuum.vacuum_max_threshold : autovacuum_vac_max_thresh)
#else
#define ddb_autovacuum_most(options) (-1)
#endif

/* 16 renamed what is known of a table's rows. */
#if PG_VERSION_NUM < 160000
#define live_tuples n_live_tuples
#define dead_tuples n_dead_tuples
#endif

#endif							/* DDB_COMPAT_H */
