/*-------------------------------------------------------------------------
 *
 * compact_guard.c
 *	  Which tables compaction leaves alone when nobody has asked for it.
 *
 * To move a row is an update that changes nothing.  Where updates are sent to
 * subscribers it would be sent too, so a table in a publication of updates is
 * left alone while WAL is logical, and so is every table while the database has
 * a slot whose plugin knows nothing of publications.  ddb.compact() remains.
 *
 * What a sweep leaves behind, old index entries before all, is taken away by
 * VACUUM.  So it never gets further ahead of it than the number of dead rows at
 * which autovacuum would come, and they take turns.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/catalog.h"
#include "catalog/pg_class.h"
#include "catalog/pg_publication.h"
#include "commands/defrem.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/autovacuum.h"
#include "replication/slot.h"
#include "storage/bufmgr.h"
#include "storage/compact_int.h"
#include "storage/lmgr.h"
#include "storage/lwlock.h"

#define LEAST_PAGES		256

/* ----------------------------------------------------------------------
 * Logical replication
 * ---------------------------------------------------------------------- */

/* Is there a slot of this database that may send every table's changes? */
static bool
has_foreign_slot(void)
{
	bool		found = false;

	LWLockAcquire(ReplicationSlotControlLock, LW_SHARED);
	for (int i = 0; i < max_replication_slots && !found; i++)
	{
		ReplicationSlot *slot = &ReplicationSlotCtl->replication_slots[i];

		found = slot->in_use && SlotIsLogical(slot) && slot->data.database == MyDatabaseId &&
			strcmp(NameStr(slot->data.plugin), "pgoutput") != 0;
	}
	LWLockRelease(ReplicationSlotControlLock);
	return found;
}

static bool
is_replicated(Relation heap)
{
	PublicationDesc published;

	if (!RelationIsLogicallyLogged(heap))
		return false;
	RelationBuildPublicationDesc(heap, &published);
	return published.pubactions.pubupdate || has_foreign_slot();
}

/* ----------------------------------------------------------------------
 * VACUUM
 * ---------------------------------------------------------------------- */

/* Is autovacuum due, or would be?  By its own rule. */
static DdbSliceEnd
vacuum_guard(Relation heap)
{
	const PgStat_StatTabEntry *stats = pgstat_fetch_stat_tabentry(RelationGetRelid(heap));
	const StdRdOptions *options = (const StdRdOptions *) heap->rd_options;
	double		limit = autovacuum_vac_thresh;
	double		scale = autovacuum_vac_scale;
	int			most = ddb_autovacuum_most(options);
	bool		comes = AutoVacuumingActive();

	if (options)
	{
		if (options->autovacuum.vacuum_threshold >= 0)
			limit = options->autovacuum.vacuum_threshold;
		if (options->autovacuum.vacuum_scale_factor >= 0)
			scale = options->autovacuum.vacuum_scale_factor;
		comes &= options->autovacuum.enabled;
	}
	limit += scale * Max(heap->rd_rel->reltuples, 0);
	if (most >= 0)
		limit = Min(limit, most);
	if (stats == NULL || stats->dead_tuples <= limit)
		return DDB_SLICE_MORE;
	return comes ? DDB_SLICE_UNVACUUMED : DDB_SLICE_NO_VACUUM;
}

DdbSliceEnd
ddb_compact_guard(Relation heap)
{
	if (heap->rd_rel->relkind != RELKIND_RELATION)
		return DDB_SLICE_GONE;
	if (RelationGetNumberOfBlocks(heap) < LEAST_PAGES)
		return DDB_SLICE_SMALL;
	if (is_replicated(heap))
		return DDB_SLICE_REPLICATED;
	return vacuum_guard(heap);
}

/* ----------------------------------------------------------------------
 * The tables there are
 * ---------------------------------------------------------------------- */
static DdbWritten *
table_written(Oid table)
{
	const PgStat_StatTabEntry *stats = pgstat_fetch_stat_tabentry(table);
	DdbWritten *written = palloc0_object(DdbWritten);

	written->table = table;
	if (stats)
	{
		written->rows = stats->live_tuples;
		written->written = stats->tuples_inserted + stats->tuples_deleted +
			stats->tuples_updated - stats->tuples_hot_updated;
	}
	return written;
}

/* By its size, which is known at once; what is counted is told up to seconds later. */
static bool
is_large(Oid table)
{
	Relation	rel;
	bool		large;

	if (!ConditionalLockRelationOid(table, AccessShareLock))
		return false;
	rel = try_relation_open(table, NoLock);
	large = rel && RelationGetNumberOfBlocks(rel) >= LEAST_PAGES;
	if (rel)
		relation_close(rel, NoLock);
	UnlockRelationOid(table, AccessShareLock);
	return large;
}

List *
ddb_tables_written(void)
{
	Oid			method = get_table_am_oid("ddb", true);
	Relation	catalog = table_open(RelationRelationId, AccessShareLock);
	SysScanDesc scan = systable_beginscan(catalog, InvalidOid, false, NULL, 0, NULL);
	List	   *list = NIL;
	HeapTuple	tuple;

	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		Form_pg_class form = (Form_pg_class) GETSTRUCT(tuple);

		if (form->relam == method && form->relkind == RELKIND_RELATION &&
			form->relpersistence != RELPERSISTENCE_TEMP && is_large(form->oid))
			list = lappend(list, table_written(form->oid));
	}
	systable_endscan(scan);
	table_close(catalog, AccessShareLock);
	return list;
}
