/*-------------------------------------------------------------------------
 *
 * facts.c
 *	  What a relation is: its key index, its columns, and whether it is plain.
 *
 * A ddb table is found from itself.  Its key index is a valid unique btree
 * without expressions or predicate, on columns that are NOT NULL, whose first
 * column stands in one of our classes and names the partition key attribute; a
 * second column, in its type's default class and in byte order, is the sort
 * key, of another name.  The item is the column `item`.
 *
 * A table is plain when nothing in it would notice that a write did not come
 * through the executor: it has the columns, the constraint and the indexes
 * that ddb.create_table() makes, at most other indexes that refuse nothing, no
 * triggers (so no foreign keys either way), no rules, and is no partition.
 * Row security depends on the user too: table.c.
 *
 * The facts hang on the heap relation's rd_amcache (heap does not use it), so
 * PostgreSQL forgets them whenever the relation, its indexes, triggers, rules,
 * policies or constraints change.  But they are found by looking at the
 * catalogs, which is when such news arrives: a trigger that a reader learns of
 * when it opens an index was not there when it looked for triggers, and no
 * second message would ever come.  So facts that news came between are found
 * again.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "access/nbtree.h"
#include "access/relation.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "storage/storage_int.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

/* The type of a key column, or false when it cannot be one. */
bool
ddb_key_type(Oid typid, uint8 *type)
{
	switch (typid)
	{
		case TEXTOID:
			*type = DDB_S;
			return true;
		case NUMERICOID:
			*type = DDB_N;
			return true;
		case BYTEAOID:
			*type = DDB_B;
			return true;
		default:
			return false;
	}
}

static const char *
option_text(const DdbKeyOptions *options, int offset)
{
	return offset ? (const char *) options + offset : "";
}

static void
set_attr(DdbKeyAttr *attr, const DdbKeyOptions *options, int offset)
{
	const char *name = option_text(options, offset);

	attr->len = strlen(name);
	memcpy(attr->name, name, attr->len + 1);
}

bool
ddb_in_hash_class(Relation index)
{
	PGFunction	order = index_getprocinfo(index, 1, BTORDER_PROC)->fn_addr;

	return order == ddb_text_hash_cmp || order == ddb_numeric_hash_cmp ||
		order == ddb_bytea_hash_cmp;
}

bool
ddb_in_byte_order(Relation index, int column)
{
	switch (index_getprocid(index, column, BTORDER_PROC))
	{
		case F_BTTEXTCMP:
			return index->rd_indcollation[column - 1] == C_COLLATION_OID;
		case F_NUMERIC_CMP:
		case F_BYTEACMP:
			return true;
		default:
			return false;
	}
}

/* If this is a key index, takes what it says. */
static bool
read_key_index(Relation rel, Relation index, DdbFacts *facts)
{
	Form_pg_index form = index->rd_index;
	int			nkeys = IndexRelationGetNumberOfKeyAttributes(index);
	DdbKeyOptions *options;

	if (index->rd_rel->relam != BTREE_AM_OID || !form->indisunique || !form->indimmediate ||
		!form->indisvalid || !form->indisready || !form->indislive || nkeys > 2 ||
		IndexRelationGetNumberOfAttributes(index) != nkeys ||
		!heap_attisnull(index->rd_indextuple, Anum_pg_index_indpred, NULL) ||
		!ddb_in_hash_class(index))
		return false;
	for (int i = 0; i < nkeys; i++)
	{
		AttrNumber	attno = form->indkey.values[i];

		if (attno <= 0 || index->rd_indoption[i] != 0 ||
			!TupleDescAttr(rel->rd_att, attno - 1)->attnotnull ||
			!ddb_key_type(TupleDescAttr(rel->rd_att, attno - 1)->atttypid,
						  &facts->schema.attr[i].type))
			return false;
	}
	options = (DdbKeyOptions *) RelationGetIndexAttOptions(index, false)[0];
	if (options == NULL || options->partition_key == 0 ||
		(nkeys == 2 && (options->sort_key == 0 || !ddb_in_byte_order(index, 2) ||
						strcmp(option_text(options, options->partition_key),
							   option_text(options, options->sort_key)) == 0)))
		return false;

	facts->key_index = RelationGetRelid(index);
	facts->pk = form->indkey.values[0];
	facts->sk = nkeys == 2 ? form->indkey.values[1] : InvalidAttrNumber;
	facts->schema.nkeys = nkeys;
	set_attr(&facts->schema.attr[0], options, options->partition_key);
	set_attr(&facts->schema.attr[1], options, nkeys == 2 ? options->sort_key : 0);
	return true;
}

/* The column `item` of type ddb.item, or 0. */
static AttrNumber
find_item_column(TupleDesc desc)
{
	Oid			schema = get_namespace_oid("ddb", true);
	Oid			type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid,
									   CStringGetDatum("item"), ObjectIdGetDatum(schema));

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (!att->attisdropped && att->atttypid == type &&
			strcmp(NameStr(att->attname), "item") == 0)
			return att->attnum;
	}
	return InvalidAttrNumber;
}

static bool
is_column(Node *node, AttrNumber attno)
{
	return IsA(node, Var) && ((Var *) node)->varattno == attno;
}

/* Is this CHECK constraint ours: ddb.check_key(pk [, sk])? */
static bool
is_key_check(const char *expression, const DdbFacts *facts)
{
	FuncExpr   *call = (FuncExpr *) stringToNode(expression);
	FmgrInfo	function;

	if (!IsA(call, FuncExpr) || list_length(call->args) != facts->schema.nkeys ||
		!is_column(linitial(call->args), facts->pk) ||
		(facts->sk && !is_column(lsecond(call->args), facts->sk)))
		return false;
	fmgr_info(call->funcid, &function);
	return function.fn_addr == ddb_check_key;
}

/* Are columns and constraints as we make them? */
static bool
columns_are_plain(TupleDesc desc, const DdbFacts *facts)
{
	int			ncolumns = 0;

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute att = TupleDescAttr(desc, i);

		if (att->attisdropped)
			continue;
		ncolumns++;
		if (!att->attnotnull || att->attgenerated || att->attidentity || att->atttypmod != -1)
			return false;
	}
	if (ncolumns != facts->schema.nkeys + 1)
		return false;
	if (desc->constr == NULL)
		return true;
	for (int i = 0; i < desc->constr->num_check; i++)
	{
		if (!is_key_check(desc->constr->check[i].ccbin, facts))
			return false;
	}
	return true;
}

/* What an index beside the key index means: does it refuse rows? */
static void
note_other_index(Relation index, DdbFacts *facts)
{
	facts->other_indexes = true;
	if (index->rd_index->indisunique || index->rd_index->indisexclusion)
		facts->plain = false;
}

static void
read_indexes(Relation rel, DdbFacts *facts)
{
	List	   *indexes = RelationGetIndexList(rel);
	ListCell   *lc;

	foreach(lc, indexes)
	{
		Relation	index = index_open(lfirst_oid(lc), AccessShareLock);

		if (OidIsValid(facts->key_index) || !read_key_index(rel, index, facts))
			note_other_index(index, facts);
		index_close(index, AccessShareLock);
	}
	list_free(indexes);
}

/*
 * A row of the usual form is read by hand: the columns follow each other, and
 * there are neither nulls nor, short of them, columns that came later.
 */
bool
ddb_read_columns(HeapTuple tuple, const DdbFacts *facts, TupleDesc desc, DdbColumnValues *values)
{
	HeapTupleHeader header = tuple->t_data;
	bool		isnull = false;
	bool		null_sk = false;
	bool		null_item = false;

	if (likely(facts->in_order && !HeapTupleHasNulls(tuple) &&
			   HeapTupleHeaderGetNatts(header) >= facts->item))
	{
		char	   *at = (char *) header + header->t_hoff;

		values->pk = ddb_next_varlena(&at);
		if (facts->sk)
			values->sk = ddb_next_varlena(&at);
		values->item = ddb_next_varlena(&at);
		return true;
	}
	values->pk = heap_getattr(tuple, facts->pk, desc, &isnull);
	if (facts->sk)
		values->sk = heap_getattr(tuple, facts->sk, desc, &null_sk);
	values->item = heap_getattr(tuple, facts->item, desc, &null_item);
	return !isnull && !null_sk && !null_item;
}

static void
find_facts(Relation rel, DdbFacts *facts)
{
	memset(facts, 0, sizeof(*facts));
	facts->item = find_item_column(RelationGetDescr(rel));
	if (facts->item == InvalidAttrNumber)
		return;
	facts->plain = rel->rd_rel->relkind == RELKIND_RELATION && !rel->rd_rel->relispartition &&
		rel->trigdesc == NULL && rel->rd_rules == NULL;
	read_indexes(rel, facts);
	facts->in_order = facts->pk == 1 && facts->item == facts->schema.nkeys + 1 &&
		(facts->sk == InvalidAttrNumber || facts->sk == 2);
	if (!OidIsValid(facts->key_index) || !columns_are_plain(RelationGetDescr(rel), facts))
		facts->plain = false;
	if (OidIsValid(facts->key_index))
		facts->observed = ddb_capture_wanted(RelationGetRelid(rel));
}

/* News of the relation whose facts are being found. */
static Oid	finding = InvalidOid;
static bool news = false;

static void
invalidated(Datum arg, Oid relid)
{
	if (relid == InvalidOid || relid == finding)
		news = true;
}

void
ddb_facts_init(void)
{
	CacheRegisterRelcacheCallback(invalidated, (Datum) 0);
}

/*
 * Until no news came, or such as changed nothing: a server that discards its
 * caches all the time has news without end.
 */
static void
find_settled_facts(Relation rel, DdbFacts *facts)
{
	DdbFacts	before;

	memset(facts, 0, sizeof(*facts));
	do
	{
		before = *facts;
		finding = RelationGetRelid(rel);
		news = false;
		find_facts(rel, facts);
	} while (news && memcmp(&before, facts, sizeof(before)) != 0);
}

const DdbFacts *
ddb_facts(Relation rel)
{
	DdbFacts	facts;
	DdbFacts   *kept;

	if (likely(rel->rd_amcache))
		return rel->rd_amcache;
	find_settled_facts(rel, &facts);
	kept = MemoryContextAlloc(CacheMemoryContext, sizeof(DdbFacts));
	*kept = facts;
	rel->rd_amcache = kept;
	return kept;
}

bool
ddb_relation_columns(Oid relid, DdbKeySchema *schema, DdbColumns *columns)
{
	Relation	rel;
	const DdbFacts *facts;

	if (!ddb_relation_key_schema(relid, schema))
		return false;
	rel = relation_open(relid, AccessShareLock);
	facts = ddb_facts(rel);
	*columns = (DdbColumns) {facts->pk, facts->sk, facts->item};
	relation_close(rel, AccessShareLock);
	return true;
}
