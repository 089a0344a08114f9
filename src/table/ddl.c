/*-------------------------------------------------------------------------
 *
 * ddl.c
 *	  Creating and dropping tables.
 *
 * A table is made by the very commands that a person would write, run as the
 * caller: so privileges, defaults, event triggers and ownership are
 * PostgreSQL's own.  See the architecture's section 2 for what it looks like.
 *
 * The item column is kept in line as long as a row fits its page (STORAGE
 * MAIN, toast_tuple_target 8160): 20 items of 5 KB then cost 22 buffer accesses
 * instead of 70 by PostgreSQL's default.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_namespace.h"
#include "commands/defrem.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "storage/lmgr.h"
#include "table/table_int.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

/* How the three key types look in a table. */
typedef struct KeyColumn
{
	const char *type;			/* with its collation */
	const char *class;			/* of a partition key */
} KeyColumn;

static const KeyColumn *
key_column(DdbType type)
{
	static const KeyColumn columns[] = {
		[DDB_S] = {"pg_catalog.text COLLATE pg_catalog.\"C\"", "ddb.text_hash_ops"},
		[DDB_N] = {"pg_catalog.numeric", "ddb.numeric_hash_ops"},
		[DDB_B] = {"pg_catalog.bytea", "ddb.bytea_hash_ops"},
	};

	Assert(type == DDB_S || type == DDB_N || type == DDB_B);
	return &columns[type];
}

const char *
ddb_key_class(DdbType type)
{
	return key_column(type)->class;
}

static void
check_schema(const DdbKeySchema *schema)
{
	for (int i = 0; i < schema->nkeys; i++)
	{
		const DdbKeyAttr *attr = &schema->attr[i];

		if (attr->len < 1)
			ddb_raise(DDB_VALIDATION, "A key attribute's name must not be empty");
		if (memchr(attr->name, '\0', attr->len) != NULL)
			ddb_raise(DDB_VALIDATION, "A key attribute's name must not contain U+0000");
	}
	if (schema->nkeys == 2 && schema->attr[0].len == schema->attr[1].len &&
		memcmp(schema->attr[0].name, schema->attr[1].name, schema->attr[0].len) == 0)
		ddb_raise(DDB_VALIDATION, "Both the Hash Key and the Range Key element in the KeySchema "
				  "have the same name");
}

/*
 * Refuses a name that is taken.  The lock is a name's own, so that of two
 * callers the second waits and then learns that it came second.
 */
static void
check_free(const DdbRelationName *where, const char *name)
{
	uint32		hash = hash_bytes((const unsigned char *) where->relname, strlen(where->relname));

	LockDatabaseObject(NamespaceRelationId, where->namespace, (uint16) hash | 1, ExclusiveLock);
	if (OidIsValid(get_relname_relid(where->relname, where->namespace)))
		ddb_raise(DDB_RESOURCE_IN_USE, "Table already exists: %s", name);
}

static void
run_command(const char *command)
{
	int			rc = SPI_execute(command, false, 0);

	if (rc != SPI_OK_UTILITY)
		elog(ERROR, "%s: %s", SPI_result_code_string(rc), command);
}

/* CREATE TABLE and what 15 cannot yet say in it. */
static void
create_relation(const char *relation, const DdbRelationName *where, const DdbKeySchema *schema)
{
	char	   *constraint = makeObjectName(where->relname, NULL, "key_check");
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE TABLE %s (pk %s NOT NULL, ", relation,
					 key_column(schema->attr[0].type)->type);
	if (schema->nkeys == 2)
		appendStringInfo(&sql, "sk %s NOT NULL, ", key_column(schema->attr[1].type)->type);
	appendStringInfo(&sql, "item ddb.item NOT NULL, CONSTRAINT %s CHECK (ddb.check_key(pk%s)))"
					 " USING ddb WITH (toast_tuple_target = 8160)",
					 quote_identifier(constraint), schema->nkeys == 2 ? ", sk" : "");
	run_command(sql.data);
	run_command(psprintf("ALTER TABLE %s ALTER COLUMN item SET STORAGE MAIN", relation));
}

/* The key index, which makes the relation a ddb table, and its identity. */
static void
create_key_index(const char *relation, const DdbRelationName *where, const DdbKeySchema *schema)
{
	char	   *index = ChooseRelationName(where->relname, NULL, "key", where->namespace, false);
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql, "CREATE UNIQUE INDEX %s ON %s USING btree (pk %s (partition_key = %s",
					 quote_identifier(index), relation, key_column(schema->attr[0].type)->class,
					 quote_literal_cstr(schema->attr[0].name));
	if (schema->nkeys == 2)
		appendStringInfo(&sql, ", sort_key = %s), sk)", quote_literal_cstr(schema->attr[1].name));
	else
		appendStringInfoString(&sql, "))");
	run_command(sql.data);
	run_command(psprintf("ALTER TABLE %s REPLICA IDENTITY USING INDEX %s",
						 relation, quote_identifier(index)));
}

Oid
ddb_table_create(const DdbTableDefinition *definition)
{
	DdbRelationName where;
	const char *name = definition->name;
	char	   *schema_name;
	char	   *relation;

	check_schema(&definition->schema);
	if (definition->exact)
		ddb_exact_relation_name(name, &where);
	else
		ddb_sql_relation_name(name, &where);
	if (!definition->exact)
		name = where.relname;
	schema_name = get_namespace_name(where.namespace);
	relation = quote_qualified_identifier(schema_name, where.relname);
	check_free(&where, name);

	SPI_connect();
	create_relation(relation, &where, &definition->schema);
	create_key_index(relation, &where, &definition->schema);
	SPI_finish();

	/* A temporary table has no name in the API and leaves without a trace. */
	if (!isAnyTempNamespace(where.namespace))
		ddb_catalog_insert(schema_name, where.relname, name);
	return get_relname_relid(where.relname, where.namespace);
}

void
ddb_table_drop(Oid relid)
{
	char	   *relname = get_rel_name(relid);
	DdbKeySchema schema;

	if (relname == NULL)
		ddb_raise(DDB_RESOURCE_NOT_FOUND, "Requested resource not found");
	if (!ddb_relation_key_schema(relid, &schema))
		ereport(ERROR,
				(errcode(ERRCODE_WRONG_OBJECT_TYPE),
				 errmsg("\"%s\" is not a ddb table", relname),
				 errhint("Use DROP TABLE.")));
	SPI_connect();
	run_command(psprintf("DROP TABLE %s",
						 quote_qualified_identifier(get_namespace_name(get_rel_namespace(relid)),
													relname)));
	SPI_finish();
}
