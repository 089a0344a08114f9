/*-------------------------------------------------------------------------
 *
 * executor.c
 *	  The same operations through SQL, on tables that are not plain.
 *
 * Triggers, foreign keys, rules, generated columns, constraints of the user's
 * and row security are the executor's business, so on tables that have them a
 * write locks the row, decides on it, and then is an UPDATE, INSERT or DELETE
 * like any other, with the caller's privileges.  Reads need it only where row
 * security filters rows.
 *
 * A trigger or policy may run anything, so an operation holds its table.
 *
 * Statements of one row are kept by their text, which names the relation and
 * its columns as they are called at the time.  Scans run the executor
 * themselves: a cursor has a name, by which others could close or replace it.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xact.h"
#include "access/stratnum.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/storage_int.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#define MAX_ARGS 6

/* A statement's text and arguments. */
typedef struct Statement
{
	StringInfoData text;
	bool		keep;			/* may its plan be kept? */
	int			nargs;
	Oid			types[MAX_ARGS];
	Datum		values[MAX_ARGS];
} Statement;

/* ----------------------------------------------------------------------
 * Texts
 * ---------------------------------------------------------------------- */
static const char *
relation_name(const DdbTable *table)
{
	return quote_qualified_identifier(get_namespace_name(RelationGetNamespace(table->heap)),
									  RelationGetRelationName(table->heap));
}

static const char *
column_name(const DdbTable *table, AttrNumber attno)
{
	return quote_identifier(NameStr(TupleDescAttr(RelationGetDescr(table->heap),
												  attno - 1)->attname));
}

static Oid
column_type(const DdbTable *table, AttrNumber attno)
{
	return TupleDescAttr(RelationGetDescr(table->heap), attno - 1)->atttypid;
}

/* "OPERATOR(schema.name)": a member of the key index's class. */
static char *
class_operator(const DdbTable *table, StrategyNumber strategy)
{
	Oid			type = table->index->rd_opcintype[0];
	Oid			oid = get_opfamily_member(table->index->rd_opfamily[0], type, type, strategy);
	HeapTuple	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(oid));
	Form_pg_operator form;
	char	   *text;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", oid);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	text = psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)),
					NameStr(form->oprname));
	ReleaseSysCache(tuple);
	return text;
}

/*
 * What a rule turns into nothing depends on nothing, so its plan would not be
 * forgotten with the rule: on a table with rules none is kept.
 */
static void
statement_begin(Statement *s, const DdbTable *table)
{
	initStringInfo(&s->text);
	s->keep = table->heap->rd_rules == NULL;
	s->nargs = 0;
}

static void
add_text(Statement *s, const char *fmt,...) pg_attribute_printf(2, 3);

static void
add_text(Statement *s, const char *fmt,...)
{
	for (;;)
	{
		va_list		args;
		int			needed;

		va_start(args, fmt);
		needed = appendStringInfoVA(&s->text, fmt, args);
		va_end(args);
		if (needed == 0)
			return;
		enlargeStringInfo(&s->text, needed);
	}
}

/* Adds an argument; returns its number. */
static int
add_arg(Statement *s, Oid type, Datum value)
{
	Assert(s->nargs < MAX_ARGS);
	s->types[s->nargs] = type;
	s->values[s->nargs] = value;
	return ++s->nargs;
}

static int
add_key_arg(Statement *s, const DdbTable *table, AttrNumber attno, DdbValue value)
{
	return add_arg(s, column_type(table, attno), ddb_key_to_datum(value));
}

static int
add_item_arg(Statement *s, const DdbTable *table, DdbValue rest)
{
	return add_arg(s, column_type(table, table->facts.item),
				   PointerGetDatum(ddb_item_from_map(rest)));
}

static void
add_where_key(Statement *s, const DdbTable *table, const DdbKey *key)
{
	const DdbFacts *facts = &table->facts;

	add_text(s, " WHERE %s OPERATOR(pg_catalog.=) $%d", column_name(table, facts->pk),
			 add_key_arg(s, table, facts->pk, key->values[0]));
	if (facts->sk)
		add_text(s, " AND %s OPERATOR(pg_catalog.=) $%d", column_name(table, facts->sk),
				 add_key_arg(s, table, facts->sk, key->values[1]));
}

/* ----------------------------------------------------------------------
 * Running
 * ---------------------------------------------------------------------- */

/* Saved plans by text and types of arguments, the latest first. */
#define MAX_PLANS 64

typedef struct SavedPlan
{
	char	   *text;
	int			nargs;
	Oid			types[MAX_ARGS];
	SPIPlanPtr	plan;
} SavedPlan;

static SavedPlan plans[MAX_PLANS];
static int	nplans = 0;
static int	running = 0;		/* statements that wait for what they called */

static inline bool
is_plan_of(const SavedPlan *saved, const Statement *s)
{
	return saved->nargs == s->nargs &&
		memcmp(saved->types, s->types, sizeof(Oid) * s->nargs) == 0 &&
		strcmp(saved->text, s->text.data) == 0;
}

static SavedPlan
save_plan(Statement *s, SPIPlanPtr plan)
{
	SavedPlan	saved = {.nargs = s->nargs, .plan = plan};

	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "could not keep the plan of: %s", s->text.data);
	memcpy(saved.types, s->types, sizeof(Oid) * s->nargs);
	saved.text = MemoryContextStrdup(TopMemoryContext, s->text.data);
	return saved;
}

static SPIPlanPtr
prepare(Statement *s)
{
	SPIPlanPtr	plan = SPI_prepare(s->text.data, s->nargs, s->types);

	if (plan == NULL)
		elog(ERROR, "could not prepare: %s", s->text.data);
	return plan;
}

/*
 * The statement's plan.  A plan that runs must not be thrown out: while one
 * does, a new plan that finds no room is used once.
 */
static SPIPlanPtr
find_plan(Statement *s)
{
	SavedPlan	found;
	int			i;

	if (!s->keep)
		return prepare(s);
	for (i = 0; i < nplans && !is_plan_of(&plans[i], s); i++)
		;
	if (i < nplans)
		found = plans[i];
	else
	{
		SPIPlanPtr	plan = prepare(s);

		if (nplans == MAX_PLANS && running > 0)
			return plan;
		found = save_plan(s, plan);
		if (nplans < MAX_PLANS)
			nplans++;
		else
		{
			i = nplans - 1;
			pfree(plans[i].text);
			SPI_freeplan(plans[i].plan);
		}
	}
	memmove(&plans[1], &plans[0], sizeof(SavedPlan) * i);
	plans[0] = found;
	return found.plan;
}

/* Runs the statement; how many rows it returned or changed. */
static uint64
run(Statement *s, bool read_only)
{
	SPIPlanPtr	plan = find_plan(s);
	int			rc;

	running++;
	PG_TRY();
	{
		rc = SPI_execute_plan(plan, s->values, NULL, read_only, 0);
	}
	PG_FINALLY();
	{
		running--;
	}
	PG_END_TRY();
	if (rc < 0)
		elog(ERROR, "%s: %s", SPI_result_code_string(rc), s->text.data);
	return SPI_processed;
}

static uint64
run_write(Statement *s)
{
	uint64		processed;

	SPI_connect();
	processed = run(s, false);
	SPI_finish();
	return processed;
}

/* The item of the first row returned, detoasted, in memory of `context`. */
static DdbItem *
result_item(MemoryContext context)
{
	MemoryContext caller = MemoryContextSwitchTo(context);
	bool		isnull;
	Datum		datum = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	DdbItem    *item;

	if (isnull)
		ddb_raise_null();
	item = (DdbItem *) PG_DETOAST_DATUM_COPY(datum);
	MemoryContextSwitchTo(caller);
	return item;
}

static Datum
not_null(TupleTableSlot *slot, int column)
{
	if (slot->tts_isnull[column])
		ddb_raise_null();
	return slot->tts_values[column];
}

/* ----------------------------------------------------------------------
 * One row
 * ---------------------------------------------------------------------- */

/* What the caller may see of the row. */
static bool
select_row(DdbTable *table, const DdbKey *key, MemoryContext context, bool read_only,
		   DdbRecord *record)
{
	Statement	s;
	bool		found;

	statement_begin(&s, table);
	add_text(&s, "SELECT %s FROM ONLY %s", column_name(table, table->facts.item),
			 relation_name(table));
	add_where_key(&s, table, key);
	SPI_connect();
	found = run(&s, read_only) > 0;
	if (found)
	{
		record->schema = &table->facts.schema;
		record->key = *key;
		record->map = ddb_item_map(result_item(context));
	}
	else
		record->schema = NULL;
	SPI_finish();
	return found;
}

bool
ddb_exec_get(DdbTable *table, const DdbKey *key, DdbRecord *record)
{
	bool		found;

	ddb_table_hold(table);
	MemoryContextReset(table->row_context);
	found = select_row(table, key, table->row_context, true, record);
	ddb_table_let_go(table);
	return found;
}

/*
 * INSERT; does nothing when the key is taken.  A row that the caller may not
 * see is no reason to look again: then the key's own error is the answer.  So
 * it is on a table with rules, which know no ON CONFLICT.
 */
static uint64
insert_row(DdbTable *table, const DdbKey *key, DdbValue rest, bool hidden)
{
	const DdbFacts *facts = &table->facts;
	const char *columns = column_name(table, facts->pk);
	Statement	s;

	statement_begin(&s, table);
	if (facts->sk)
		columns = psprintf("%s, %s", columns, column_name(table, facts->sk));
	add_text(&s, "INSERT INTO %s (%s, %s) VALUES ($%d", relation_name(table), columns,
			 column_name(table, facts->item), add_key_arg(&s, table, facts->pk, key->values[0]));
	if (facts->sk)
		add_text(&s, ", $%d", add_key_arg(&s, table, facts->sk, key->values[1]));
	add_text(&s, ", $%d)", add_item_arg(&s, table, rest));
	if (!hidden && table->heap->rd_rules == NULL)
		add_text(&s, " ON CONFLICT (%s) DO NOTHING", columns);
	return run_write(&s);
}

static uint64
update_row(DdbTable *table, const DdbKey *key, DdbValue rest)
{
	Statement	s;

	statement_begin(&s, table);
	add_text(&s, "UPDATE ONLY %s SET %s = $%d", relation_name(table),
			 column_name(table, table->facts.item), add_item_arg(&s, table, rest));
	add_where_key(&s, table, key);
	return run_write(&s);
}

static uint64
delete_row(DdbTable *table, const DdbKey *key)
{
	Statement	s;

	statement_begin(&s, table);
	add_text(&s, "DELETE FROM ONLY %s", relation_name(table));
	add_where_key(&s, table, key);
	return run_write(&s);
}

/*
 * Nothing was changed of a row that is there and locked.  Triggers and rules
 * may want it so; but a policy that shows a row and guards it refuses.
 */
static void
check_changed(const DdbTable *table, uint64 processed)
{
	if (processed == 0 && table->row_security)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("row-level security policy for table \"%s\" allows no change of this row",
						RelationGetRelationName(table->heap))));
}

/* A copy of the row that is locked, or of what the caller may see of it. */
static bool
old_record(DdbTable *table, const DdbKey *key, DdbRecord *old)
{
	struct varlena *item;

	if (table->row_security)
		return select_row(table, key, CurrentMemoryContext, false, old);
	*old = *ddb_slot_record(table);
	item = palloc(old->map.len);
	memcpy(item, old->map.data, old->map.len);
	old->map.data = (uint8 *) item;
	old->key = *key;
	return true;
}

/*
 * One attempt; false when it must be made again.  *inserted: an INSERT has
 * already done nothing, so if the key is still free, a trigger or rule wants
 * it so.
 */
static bool
try_write(DdbTable *table, const DdbKey *key, DdbDecide decide, void *arg, bool *inserted)
{
	DdbRecord	old = {.schema = NULL};
	DdbStored	stored = {0};
	bool		visible = false;
	bool		found = ddb_look(table, NULL);

	if (!found && *inserted)
		return true;
	if (found)
	{
		if (!ddb_lock_found(table))
			return false;
		visible = old_record(table, key, &old);
	}
	ddb_lookup_end(table);
	switch (decide(arg, &old, &stored))
	{
		case DDB_STORE:
			if (visible)
				check_changed(table, update_row(table, key, stored.rest));
			else
				return *inserted = true, insert_row(table, key, stored.rest, found) > 0;
			break;
		case DDB_REMOVE:
			if (visible)
				check_changed(table, delete_row(table, key));
			break;
		case DDB_KEEP:
			break;
	}
	return true;
}

void
ddb_exec_write(DdbTable *table, const DdbKey *key, DdbDecide decide, void *arg)
{
	bool		inserted = false;
	bool		done;

	ddb_table_hold(table);
	do
	{
		CommandCounterIncrement();
		ddb_lookup_key(table, key);
		done = try_write(table, key, decide, arg, &inserted);
		ddb_lookup_end(table);
	} while (!done);
	CommandCounterIncrement();
	ddb_table_let_go(table);
}

/* ----------------------------------------------------------------------
 * Many rows: a query that is asked for one row a call
 * ---------------------------------------------------------------------- */
struct DdbExecScan
{
	DestReceiver receiver;		/* first: the executor hands it the row */
	QueryDesc  *query;			/* NULL: there are no more rows */
	DdbKeySchema schema;
	MemoryContext context;		/* where the row goes */
	DdbRecord  *record;
	bool		received;
};

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	DdbExecScan *scan = (DdbExecScan *) self;
	MemoryContext caller = MemoryContextSwitchTo(scan->context);
	int			nkeys = scan->schema.nkeys;
	Datum		item;

	slot_getallattrs(slot);
	scan->record->schema = &scan->schema;
	for (int k = 0; k < nkeys; k++)
		scan->record->key.values[k] =
			ddb_key_from_datum(scan->schema.attr[k].type,
							   PointerGetDatum(PG_DETOAST_DATUM_COPY(not_null(slot, k))));
	item = PointerGetDatum(PG_DETOAST_DATUM_COPY(not_null(slot, nkeys)));
	scan->record->map = ddb_item_map((DdbItem *) DatumGetPointer(item));
	scan->received = true;
	MemoryContextSwitchTo(caller);
	return true;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc desc)
{
}

static void
receiver_nothing(DestReceiver *self)
{
}

static ParamListInfo
parameters(const Statement *s)
{
	ParamListInfo params = makeParamList(s->nargs);

	for (int i = 0; i < s->nargs; i++)
		params->params[i] = (ParamExternData) {.value = s->values[i], .ptype = s->types[i],
			.pflags = PARAM_FLAG_CONST
		};
	return params;
}

static DdbExecScan *
begin_query(DdbTable *table, Statement *s)
{
	DdbExecScan *scan = palloc0(sizeof(DdbExecScan));
	ParamListInfo params;
	List	   *tree;
	PlannedStmt *plan;

	scan->receiver = (DestReceiver) {receive_row, receiver_startup, receiver_nothing,
	receiver_nothing, DestNone};
	scan->schema = table->facts.schema;
	if (s == NULL)
		return scan;
	params = parameters(s);
	tree = pg_parse_query(s->text.data);
	tree = pg_analyze_and_rewrite_fixedparams(linitial_node(RawStmt, tree), s->text.data, s->types,
											  s->nargs, NULL);
	plan = pg_plan_query(linitial_node(Query, tree), s->text.data, 0, params);
	scan->query = CreateQueryDesc(plan, s->text.data, GetActiveSnapshot(), InvalidSnapshot,
								  &scan->receiver, params, NULL, 0);
	ExecutorStart(scan->query, 0);
	return scan;
}

static void
add_select(Statement *s, const DdbTable *table)
{
	const DdbFacts *facts = &table->facts;

	add_text(s, "SELECT %s, ", column_name(table, facts->pk));
	if (facts->sk)
		add_text(s, "%s, ", column_name(table, facts->sk));
	add_text(s, "%s FROM ONLY %s", column_name(table, facts->item), relation_name(table));
}

static void
add_sk_bound(Statement *s, const DdbTable *table, const DdbValue *bound, const char *operator)
{
	if (bound)
		add_text(s, " AND %s OPERATOR(pg_catalog.%s) $%d", column_name(table, table->facts.sk),
				 operator, add_key_arg(s, table, table->facts.sk, *bound));
}

DdbExecScan *
ddb_exec_collection(DdbTable *table, DdbValue partition, const DdbValue *low, bool low_inclusive,
					const DdbValue *high, bool high_inclusive, bool forward, bool nothing)
{
	Statement	s;

	if (nothing)
		return begin_query(table, NULL);
	statement_begin(&s, table);
	add_select(&s, table);
	add_text(&s, " WHERE %s OPERATOR(pg_catalog.=) $%d", column_name(table, table->facts.pk),
			 add_key_arg(&s, table, table->facts.pk, partition));
	add_sk_bound(&s, table, low, low_inclusive ? ">=" : ">");
	add_sk_bound(&s, table, high, high_inclusive ? "<=" : "<");
	if (table->facts.sk)
		add_text(&s, " ORDER BY %s%s", column_name(table, table->facts.sk),
				 forward ? "" : " DESC");
	return begin_query(table, &s);
}

DdbExecScan *
ddb_exec_segment(DdbTable *table, const int64 *first, const int64 *end, const DdbKey *after)
{
	const char *pk = column_name(table, table->facts.pk);
	Statement	s;

	statement_begin(&s, table);
	add_select(&s, table);
	add_text(&s, " WHERE true");
	if (first)
		add_text(&s, " AND ddb.key_hash(%s) OPERATOR(pg_catalog.>=) $%d", pk,
				 add_arg(&s, INT8OID, Int64GetDatum(*first)));
	if (end)
		add_text(&s, " AND ddb.key_hash(%s) OPERATOR(pg_catalog.<) $%d", pk,
				 add_arg(&s, INT8OID, Int64GetDatum(*end)));
	if (after)
	{
		int			arg = add_key_arg(&s, table, table->facts.pk, after->values[0]);
		char	   *greater = class_operator(table, BTGreaterStrategyNumber);

		add_text(&s, " AND %s %s $%d AND (%s %s $%d", pk,
				 class_operator(table, BTGreaterEqualStrategyNumber), arg, pk, greater, arg);
		if (table->facts.sk)
			add_text(&s, " OR %s OPERATOR(pg_catalog.>) $%d", column_name(table, table->facts.sk),
					 add_key_arg(&s, table, table->facts.sk, after->values[1]));
		add_text(&s, ")");
	}
	add_text(&s, " ORDER BY %s USING %s", pk, class_operator(table, BTLessStrategyNumber));
	if (table->facts.sk)
		add_text(&s, ", %s", column_name(table, table->facts.sk));
	return begin_query(table, &s);
}

bool
ddb_exec_next(DdbExecScan *scan, MemoryContext context, DdbRecord *record)
{
	if (scan->query == NULL)
		return false;
	MemoryContextReset(context);
	scan->context = context;
	scan->record = record;
	scan->received = false;
	ddb_executor_run(scan->query, 1);
	if (!scan->received)
		ddb_exec_end(scan);
	return scan->received;
}

void
ddb_exec_end(DdbExecScan *scan)
{
	if (scan->query == NULL)
		return;
	ExecutorFinish(scan->query);
	ExecutorEnd(scan->query);
	FreeQueryDesc(scan->query);
	scan->query = NULL;
}
