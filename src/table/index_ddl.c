/*-------------------------------------------------------------------------
 *
 * index_ddl.c
 *	  Creating and dropping secondary indexes.
 *
 * A global index is a materialized view under our access method, made by the
 * very commands that a person would write, run as the caller.  What DynamoDB
 * calls a global secondary index is just that: a view of the table, kept up
 * asynchronously.  Its query is the definition:
 *
 *		ipk			the index's partition key, of several attributes a tuple
 *		shard		only of a sharded index
 *		isk			only with a sort key
 *		pk, sk		the base row's key
 *		digest		stands for (pk, sk) in the view's key index
 *		item		the projected attributes but pk and sk
 *
 * The worker writes its rows through C; PostgreSQL refuses everybody else's
 * DML on a materialized view, dumps the query and never the rows, and leaves
 * it out of publications.  It begins WITH NO DATA, and being populated is what
 * says that the index is ACTIVE.  A row in pg_depend makes it go with the
 * table, as PostgreSQL's own indexes do.
 *
 * A local index is a btree on the table, which PostgreSQL keeps.
 *
 * Everything in the commands is qualified and quoted: whatever the caller's
 * search_path holds, and the empty one of a restore, means the same.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "base/errors.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_depend.h"
#include "commands/defrem.h"
#include "commands/tablecmds.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "storage/lmgr.h"
#include "table/table_int.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#define INVALID_PARAMETER	"One or more parameter values were invalid: "

/* The table that is to get an index. */
typedef struct Base
{
	Oid			relid;
	Oid			namespace;
	Oid			owner;
	char	   *relname;
	char	   *qualified;		/* quoted */
	char		persistence;
	bool		force_row_security;
	DdbKeySchema schema;
	const char *key_column[2];	/* quoted */
	const char *item_column;
} Base;

/* ----------------------------------------------------------------------
 * The table
 * ---------------------------------------------------------------------- */

static void
read_class(Base *base)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(base->relid));
	Form_pg_class form;

	if (!HeapTupleIsValid(tuple))
		ddb_raise(DDB_RESOURCE_NOT_FOUND, "Requested resource not found");
	form = (Form_pg_class) GETSTRUCT(tuple);
	base->namespace = form->relnamespace;
	base->owner = form->relowner;
	base->relname = pstrdup(NameStr(form->relname));
	base->persistence = form->relpersistence;
	base->force_row_security = form->relforcerowsecurity;
	base->qualified = quote_qualified_identifier(get_namespace_name(form->relnamespace),
												 NameStr(form->relname));
	ReleaseSysCache(tuple);
}

/*
 * The lock is held to the end of the transaction: the table's writers begin
 * to tell of their changes with the index's commit.
 */
static void
open_base(Base *base, Oid relid, LOCKMODE lockmode)
{
	LockRelationOid(relid, lockmode);
	base->relid = relid;
	read_class(base);
	if (!ddb_owns_relation(relid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_TABLE, base->relname);
}

static const char *
column_name(Oid relid, AttrNumber attno)
{
	return quote_identifier(get_attname(relid, attno, false));
}

static void
read_columns(Base *base)
{
	DdbColumns	columns;

	if (!ddb_relation_columns(base->relid, &base->schema, &columns))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a ddb table", base->relname)));
	base->key_column[0] = column_name(base->relid, columns.pk);
	if (base->schema.nkeys == 2)
		base->key_column[1] = column_name(base->relid, columns.sk);
	base->item_column = column_name(base->relid, columns.item);
}

static void
check_persistence(const Base *base, const DdbIndexDef *def)
{
	if (base->persistence == RELPERSISTENCE_TEMP)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("temporary tables cannot have secondary indexes")));
	if (!def->local)
		ddb_index_check_table(base->relname, base->persistence, base->force_row_security);
}

void
ddb_index_check_table(const char *relname, char persistence, bool force_row_security)
{
	if (persistence != RELPERSISTENCE_PERMANENT)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("table \"%s\" cannot be unlogged and have global secondary indexes", relname),
				 errdetail("After a crash the table would be empty, but not its indexes.")));
	if (force_row_security)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("table \"%s\" cannot force row security and have global secondary indexes", relname),
				 errdetail("An index that its owner sees in part would be wrong.")));
}

/* ----------------------------------------------------------------------
 * The definition: DynamoDB's rules, wherever it comes from
 * ---------------------------------------------------------------------- */

static void
check_name(const char *name)
{
	size_t		len = strlen(name);

	if (len < DDB_MIN_INDEX_NAME || len > DDB_MAX_INDEX_NAME ||
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") != len)
		ddb_raise(DDB_VALIDATION, "Invalid index name: an index's name has %d to %d of the characters a-z, A-Z, 0-9, '_', '-' and '.'",
				  DDB_MIN_INDEX_NAME, DDB_MAX_INDEX_NAME);
}

static bool
same_attribute(const DdbKeyAttr *a, const DdbKeyAttr *b)
{
	return a->len == b->len && memcmp(a->name, b->name, a->len) == 0;
}

/* The i-th key attribute, partition keys first. */
static const DdbKeyAttr *
key_attribute(const DdbIndexDef *def, int i)
{
	return i < def->npartition ? &def->partition[i] : &def->sort[i - def->npartition];
}

static void
check_keys(const DdbIndexDef *def)
{
	int			n = def->npartition + def->nsort;

	if (def->npartition > DDB_MAX_INDEX_KEYS)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "The KeySchema exceeds the maximum allowed number of HASH key attributes");
	if (def->nsort > DDB_MAX_INDEX_KEYS)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "The KeySchema exceeds the maximum allowed number of RANGE key attributes");
	for (int i = 0; i < n; i++)
	{
		const DdbKeyAttr *attr = key_attribute(def, i);

		if (attr->len < 1)
			ddb_raise(DDB_VALIDATION, "A key attribute's name must not be empty");
		if (memchr(attr->name, '\0', attr->len) != NULL)
			ddb_raise(DDB_VALIDATION, "A key attribute's name must not contain U+0000");
		for (int j = 0; j < i; j++)
		{
			if (!same_attribute(attr, key_attribute(def, j)))
				continue;
			if (n == 2)
				ddb_raise(DDB_VALIDATION, "Both the Hash Key and the Range Key element in the KeySchema "
						  "have the same name");
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "The KeySchema contains multiple key attributes with the same name");
		}
	}
	if (def->shards < 0 || def->shards > DDB_MAX_SHARDS)
		ddb_raise(DDB_VALIDATION, "An index has at most %d shards", DDB_MAX_SHARDS);
}

static void
check_projection(const DdbIndexDef *def)
{
	if (def->projection == DDB_PROJECT_INCLUDE && def->ninclude == 0)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
	if (def->projection != DDB_PROJECT_INCLUDE && def->ninclude > 0)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "ProjectionType is %s, but NonKeyAttributes is specified",
				  ddb_projection_name(def->projection));
	for (int i = 0; i < def->ninclude; i++)
	{
		const DdbName *name = &def->include[i];

		if (name->len < 1 || name->len > DDB_MAX_KEY_NAME || memchr(name->data, '\0', name->len) != NULL)
			ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "The name of a projected attribute has 1 to %d bytes, none of them zero",
					  DDB_MAX_KEY_NAME);
		for (int j = 0; j < i; j++)
		{
			if (name->len == def->include[j].len && memcmp(name->data, def->include[j].data, name->len) == 0)
				ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Duplicate element in NonKeyAttributes: %.*s",
						  (int) name->len, name->data);
		}
	}
}

/* ----- beside what the table has already ----- */

static void
append_schema(StringInfo out, const DdbKeyAttr *attr, bool partition)
{
	if (out->len > 0)
		appendStringInfoString(out, ", ");
	appendStringInfo(out, "SchemaElement: key{%s:%s:%s}", attr->name, ddb_type_name(attr->type),
					 partition ? "HASH" : "RANGE");
}

/* An attribute has one type, whichever keys it is in. */
static void
check_types(const DdbIndexDef *def, const DdbKeyAttr *const *theirs, int n, int npartition)
{
	StringInfoData existing,
				new;
	bool		conflict = false;

	for (int i = 0; i < def->npartition + def->nsort; i++)
	{
		const DdbKeyAttr *attr = key_attribute(def, i);

		for (int j = 0; j < n; j++)
			conflict |= same_attribute(attr, theirs[j]) && attr->type != theirs[j]->type;
	}
	if (!conflict)
		return;
	initStringInfo(&existing);
	initStringInfo(&new);
	for (int j = 0; j < n; j++)
		append_schema(&existing, theirs[j], j < npartition);
	for (int i = 0; i < def->npartition + def->nsort; i++)
		append_schema(&new, key_attribute(def, i), i < def->npartition);
	ddb_raise(DDB_VALIDATION, "Attributes cannot be redefined. Please check that your attribute has the same type as previously defined. "
			  "Existing schema: Schema:[%s] New schema: Schema:[%s]", existing.data, new.data);
}

/* A local index has the table's partition key and one sort attribute. */
static void
check_local(const DdbIndexDef *def, const DdbKeySchema *schema)
{
	if (schema->nkeys != 2)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Table KeySchema does not have a range key, which is required when specifying a LocalSecondaryIndex");
	if (def->nsort != 1)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Index KeySchema does not have a range key for index: %s",
				  def->name);
	if (def->npartition != 1 || !same_attribute(&def->partition[0], &schema->attr[0]))
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Index KeySchema does not have the same leading hash key as table KeySchema for index: %s. index hash key: %s, table hash key: %s",
				  def->name, def->partition[0].name, schema->attr[0].name);
}

void
ddb_index_check_definition(const DdbIndexDef *def, const DdbKeySchema *schema)
{
	const DdbKeyAttr *keys[2] = {&schema->attr[0], &schema->attr[1]};

	check_name(def->name);
	check_keys(def);
	if (def->local)
		check_local(def, schema);
	check_projection(def);
	check_types(def, keys, schema->nkeys, 1);
}

void
ddb_index_raise_exists(void)
{
	ddb_raise(DDB_VALIDATION, "Attempting to create an index which already exists");
}

static void
check_beside(const Base *base, const DdbIndexDef *def)
{
	const DdbIndexSet *set = ddb_table_indexes(base->relid);
	const DdbKeyAttr *theirs[2 * DDB_MAX_INDEX_KEYS];
	int			projected = def->ninclude;

	if (ddb_index_find(base->relid, def->name, strlen(def->name)))
		ddb_index_raise_exists();
	for (int i = 0; set && i < set->n; i++)
	{
		const DdbIndexDef *other = &set->index[i];

		for (int k = 0; k < other->npartition + other->nsort; k++)
			theirs[k] = key_attribute(other, k);
		check_types(def, theirs, other->npartition + other->nsort, other->npartition);
		projected += other->ninclude;
	}
	if (projected > DDB_MAX_PROJECTED)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Number of NonKeyAttributes of all indexes exceeds per-table limit of %d",
				  DDB_MAX_PROJECTED);
	if (!def->local && set && set->nglobal >= DDB_MAX_GLOBAL_INDEXES)
		ddb_raise(DDB_LIMIT_EXCEEDED, "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit of %d",
				  DDB_MAX_GLOBAL_INDEXES);
	if (def->local && set && set->n - set->nglobal >= DDB_MAX_LOCAL_INDEXES)
		ddb_raise(DDB_VALIDATION, INVALID_PARAMETER "Number of LocalSecondaryIndexes exceeds per-table limit of %d",
				  DDB_MAX_LOCAL_INDEXES);
}

/* ----------------------------------------------------------------------
 * The commands
 * ---------------------------------------------------------------------- */

static void
run(const char *command)
{
	int			rc = SPI_execute(command, false, 0);

	if (rc != SPI_OK_UTILITY)
		elog(ERROR, "%s: %s", SPI_result_code_string(rc), command);
}

static const char *
letter(DdbType type)
{
	return type == DDB_N ? "n" : type == DDB_B ? "b" : "s";
}

/* A key attribute of an index, as an expression on a base row. */
static const char *
attribute_value(const Base *base, const DdbKeyAttr *attr)
{
	for (int k = 0; k < base->schema.nkeys; k++)
	{
		if (same_attribute(attr, &base->schema.attr[k]))
			return base->key_column[k];
	}
	return psprintf("ddb.index_%s(%s, %s)", letter(attr->type), base->item_column,
					quote_literal_cstr(attr->name));
}

/* The same in the order of its bytes. */
static char *
attribute_expression(const Base *base, const DdbKeyAttr *attr)
{
	return psprintf("(%s%s)", attribute_value(base, attr),
					attr->type == DDB_S ? " COLLATE pg_catalog.\"C\"" : "");
}

static void
append_attributes(StringInfo out, const Base *base, const DdbKeyAttr *attrs, int n)
{
	for (int i = 0; i < n; i++)
		appendStringInfo(out, "%s%s", i ? ", " : "", attribute_expression(base, &attrs[i]));
}

/* One column of an index key. */
static void
append_key(StringInfo out, const Base *base, const DdbKeyAttr *attrs, int n)
{
	if (n > 1)
		appendStringInfoString(out, "ddb.index_tuple(");
	append_attributes(out, base, attrs, n);
	if (n > 1)
		appendStringInfoChar(out, ')');
}

static void
append_projection(StringInfo out, const Base *base, const DdbIndexDef *def)
{
	if (def->projection == DDB_PROJECT_ALL)
	{
		appendStringInfoString(out, base->item_column);
		return;
	}
	appendStringInfo(out, "ddb.index_item(%s, VARIADIC ARRAY[", base->item_column);
	for (int i = 0; i < def->nproject; i++)
		appendStringInfo(out, "%s%s", i ? ", " : "",
						 quote_literal_cstr(pnstrdup(def->project[i].data, def->project[i].len)));
	appendStringInfoString(out, "]::pg_catalog.text[])");
}

/* The definition of a global index. */
static void
append_query(StringInfo out, const Base *base, const DdbIndexDef *def)
{
	const char *key = base->schema.nkeys == 2 ? psprintf("%s, %s", base->key_column[0], base->key_column[1])
		: base->key_column[0];

	appendStringInfoString(out, "SELECT ");
	append_key(out, base, def->partition, def->npartition);
	if (def->shards > 0)
		appendStringInfo(out, ", ddb.index_shard(%d, %s)", def->shards, key);
	if (def->nsort > 0)
	{
		appendStringInfoString(out, ", ");
		append_key(out, base, def->sort, def->nsort);
	}
	appendStringInfo(out, ", %s, ddb.index_digest(%s), ", key, key);
	append_projection(out, base, def);
	appendStringInfo(out, " FROM %s WHERE ddb.index_fits(%d, ", base->qualified, def->npartition);
	append_attributes(out, base, def->partition, def->npartition);
	if (def->nsort > 0)
		appendStringInfoString(out, ", ");
	append_attributes(out, base, def->sort, def->nsort);
	appendStringInfoChar(out, ')');
}

static void
create_view(const char *relation, const Base *base, const DdbIndexDef *def)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE MATERIALIZED VIEW %s (ipk%s%s, pk%s, digest, item) USING ddb"
					 " WITH (toast_tuple_target = 8160) AS ",
					 relation, def->shards > 0 ? ", shard" : "", def->nsort > 0 ? ", isk" : "",
					 base->schema.nkeys == 2 ? ", sk" : "");
	append_query(&sql, base, def);
	appendStringInfoString(&sql, " WITH NO DATA");
	run(sql.data);
	run(psprintf("ALTER MATERIALIZED VIEW %s ALTER COLUMN item SET STORAGE MAIN", relation));
}

/*
 * The parameters name the attributes of a key of one; those of a tuple stand
 * in the definition alone.
 */
static void
create_view_key(const char *relation, const char *relname, const Base *base, const DdbIndexDef *def)
{
	DdbType		type = def->npartition == 1 ? def->partition[0].type : DDB_B;
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE UNIQUE INDEX %s ON %s USING btree (ipk %s (partition_key = %s",
					 quote_identifier(ChooseRelationName(relname, NULL, "key", base->namespace, false)),
					 relation, ddb_key_class(type), quote_literal_cstr(def->partition[0].name));
	if (def->nsort > 0)
		appendStringInfo(&sql, ", sort_key = %s", quote_literal_cstr(def->sort[0].name));
	appendStringInfo(&sql, ")%s%s, digest)", def->shards > 0 ? ", shard" : "",
					 def->nsort > 0 ? ", isk" : "");
	run(sql.data);
}

/*
 * Default privileges may have granted something to somebody.  Reading through
 * the table asks for its privileges; who may read the index as a table is its
 * owner's to say.
 */
static void
revoke_defaults(Oid relid, const char *relation)
{
	StringInfoData roles;

	initStringInfo(&roles);
	SPI_execute(psprintf("SELECT DISTINCT CASE WHEN a.grantee OPERATOR(pg_catalog.=) 0 THEN 'PUBLIC'"
						 " ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END"
						 " FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) a"
						 " WHERE c.oid OPERATOR(pg_catalog.=) %u"
						 " AND a.grantee OPERATOR(pg_catalog.<>) c.relowner", relid), false, 0);
	for (uint64 i = 0; i < SPI_processed; i++)
		appendStringInfo(&roles, "%s%s", i ? ", " : "",
						 SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1));
	if (roles.len > 0)
		run(psprintf("REVOKE ALL ON TABLE %s FROM %s", relation, roles.data));
}

static Oid
create_global(const char *relname, const Base *base, const DdbIndexDef *def)
{
	char	   *relation = quote_qualified_identifier(get_namespace_name(base->namespace), relname);
	Oid			relid;

	create_view(relation, base, def);
	create_view_key(relation, relname, base, def);
	relid = get_relname_relid(relname, base->namespace);
	ddb_index_adopt(base->relid, relid);
	revoke_defaults(relid, relation);
	return relid;
}

static Oid
create_local(const char *relname, const Base *base, const DdbIndexDef *def)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE INDEX %s ON %s USING btree (%s %s (partition_key = %s, sort_key = %s), %s, %s)"
					 " WHERE %s IS NOT NULL",
					 quote_identifier(relname), base->qualified, base->key_column[0],
					 ddb_key_class(base->schema.attr[0].type),
					 quote_literal_cstr(base->schema.attr[0].name), quote_literal_cstr(def->sort[0].name),
					 attribute_expression(base, &def->sort[0]), base->key_column[1],
					 attribute_value(base, &def->sort[0]));
	run(sql.data);
	return get_relname_relid(relname, base->namespace);
}

/* ----------------------------------------------------------------------
 * An index follows its table
 * ---------------------------------------------------------------------- */

static bool
depends_on(Oid relid, Oid base)
{
	Relation	depend = table_open(DependRelationId, AccessShareLock);
	ScanKeyData keys[2];
	SysScanDesc scan;
	HeapTuple	tuple;
	bool		found = false;

	ScanKeyInit(&keys[0], Anum_pg_depend_classid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(RelationRelationId));
	ScanKeyInit(&keys[1], Anum_pg_depend_objid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(relid));
	scan = systable_beginscan(depend, DependDependerIndexId, true, NULL, 2, keys);
	while (!found && (tuple = systable_getnext(scan)) != NULL)
	{
		Form_pg_depend form = (Form_pg_depend) GETSTRUCT(tuple);

		found = form->refclassid == RelationRelationId && form->refobjid == base &&
			form->deptype == DEPENDENCY_AUTO;
	}
	systable_endscan(scan);
	table_close(depend, AccessShareLock);
	return found;
}

void
ddb_index_depend(Oid relid, Oid index)
{
	ObjectAddress view;
	ObjectAddress table;

	if (depends_on(index, relid))
		return;
	ObjectAddressSet(view, RelationRelationId, index);
	ObjectAddressSet(table, RelationRelationId, relid);
	recordDependencyOn(&view, &table, DEPENDENCY_AUTO);
}

Oid
ddb_relation_owner(Oid relid)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid			owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

void
ddb_index_adopt(Oid relid, Oid index)
{
	Oid			owner = ddb_relation_owner(relid);
	Oid			now = ddb_relation_owner(index);

	if (!OidIsValid(owner) || !OidIsValid(now))
		return;
	ddb_index_depend(relid, index);
	/* As PostgreSQL's own indexes go over to a table's new owner: nobody is asked. */
	if (now != owner)
		ATExecChangeOwner(index, owner, true, AccessExclusiveLock);
	CommandCounterIncrement();
}

/* ----------------------------------------------------------------------
 * Creating and dropping
 * ---------------------------------------------------------------------- */

/* "<table>_<index>", and a number if that is taken. */
static void
choose_name(const Base *base, const DdbIndexDef *def, char relname[NAMEDATALEN])
{
	char	   *full = psprintf("%s_%s", base->relname, def->name);

	ddb_shorten_name(full, strlen(full), relname);
	for (int i = 1; OidIsValid(get_relname_relid(relname, base->namespace)); i++)
	{
		full = psprintf("%s_%s_%d", base->relname, def->name, i);
		ddb_shorten_name(full, strlen(full), relname);
	}
}

/* ----- the names that entries hold ----- */

static bool
is_listed(const DdbIndexDef *def, const char *name, uint32 len)
{
	for (int i = 0; i < def->nproject; i++)
		if (def->project[i].len == len && memcmp(def->project[i].data, name, len) == 0)
			return true;
	return false;
}

static void
add_projected(const Base *base, DdbIndexDef *def, const char *name, uint32 len)
{
	for (int k = 0; k < base->schema.nkeys; k++)
		if (base->schema.attr[k].len == len && memcmp(base->schema.attr[k].name, name, len) == 0)
			return;
	if (!is_listed(def, name, len))
		def->project[def->nproject++] = (DdbName) {name, len};
}

/* The index's keys and the included attributes, without the table's keys. */
static void
list_projected(const Base *base, DdbIndexDef *def)
{
	def->nproject = 0;
	def->project = NULL;
	if (def->projection == DDB_PROJECT_ALL)
		return;
	def->project = palloc_array(DdbName, 2 * DDB_MAX_INDEX_KEYS + def->ninclude);
	for (int i = 0; i < def->npartition + def->nsort; i++)
		add_projected(base, def, key_attribute(def, i)->name, key_attribute(def, i)->len);
	for (int i = 0; i < def->ninclude; i++)
		add_projected(base, def, def->include[i].data, def->include[i].len);
}

static DdbIndexHook index_created = NULL;

void
ddb_on_index_created(DdbIndexHook hook)
{
	index_created = hook;
}

/* A table that is written to can be given an index; who writes waits for the commit. */
Oid
ddb_index_create(Oid relid, const DdbIndexDef *wanted)
{
	DdbIndexDef def = *wanted;
	char		relname[NAMEDATALEN];
	Base		base = {0};
	Oid			index;

	open_base(&base, relid, ShareRowExclusiveLock);
	read_columns(&base);
	check_persistence(&base, &def);
	if (def.local && def.npartition == 0)
		def.partition[def.npartition++] = base.schema.attr[0];
	ddb_index_check_definition(&def, &base.schema);
	check_beside(&base, &def);
	list_projected(&base, &def);
	choose_name(&base, &def, relname);

	SPI_connect();
	index = def.local ? create_local(relname, &base, &def) : create_global(relname, &base, &def);
	SPI_finish();
	ddb_catalog_insert_index(get_namespace_name(base.namespace), base.relname, def.name, relname,
							 ddb_index_definition_text(&def));
	if (def.local)
		ereport(NOTICE,
				(errmsg("local secondary index \"%s\" ends HOT updates of table \"%s\"",
						def.name, base.relname)));
	else if (index_created)
		index_created(relid, index);
	return index;
}

void
ddb_index_drop(Oid relid, const char *name, size_t len)
{
	const DdbIndexDef *def;
	char	   *schema;
	char	   *relname;
	bool		local;
	Base		base = {0};

	open_base(&base, relid, ShareUpdateExclusiveLock);
	def = ddb_index_find(relid, name, len);
	if (def == NULL)
		ddb_raise(DDB_RESOURCE_NOT_FOUND, "Requested resource not found");
	local = def->local;
	schema = get_namespace_name(base.namespace);
	relname = get_rel_name(def->relid);

	SPI_connect();
	run(psprintf("DROP %s %s", local ? "INDEX" : "MATERIALIZED VIEW",
				 quote_qualified_identifier(schema, relname)));
	SPI_finish();
	ddb_catalog_delete_index(schema, relname);
}
