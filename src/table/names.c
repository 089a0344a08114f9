/*-------------------------------------------------------------------------
 *
 * names.c
 *	  The names of a table: the API's, SQL's and the relation's.
 *
 * The API's names have up to 255 characters, PostgreSQL's 63 bytes.  A name
 * that fits is the relation's name; of a longer one the relation gets the
 * first 46 bytes, an underscore and 16 hexadecimal digits of a hash, and the
 * catalog keeps the whole.  The hash is that of partition keys, the same on
 * every machine, so a dump may go anywhere.  A name leads to its relation by
 * computation, and only the way back may need the catalog.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "catalog/namespace.h"
#include "mb/pg_wchar.h"
#include "nodes/makefuncs.h"
#include "table/table_int.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"

#define HASH_DIGITS 16
#define PREFIX_BYTES (NAMEDATALEN - 1 - 1 - HASH_DIGITS)

void
ddb_shorten_name(const char *name, size_t len, char relname[NAMEDATALEN])
{
	uint64		hash;

	if (len < NAMEDATALEN)
	{
		memcpy(relname, name, len);
		relname[len] = '\0';
		return;
	}
	hash = (uint64) ddb_partition_hash(ddb_value_string(name, len));
	snprintf(relname, NAMEDATALEN, "%.*s_%016llx", pg_mbcliplen(name, len, PREFIX_BYTES), name,
			 (unsigned long long) hash);
}

/* What ddb_shorten_name() writes has this form; a user's own name may have it too. */
bool
ddb_relation_name_is_short_for(const char *relname)
{
	const char *digits = relname + PREFIX_BYTES + 1;

	return strlen(relname) == NAMEDATALEN - 1 && relname[PREFIX_BYTES] == '_' &&
		strspn(digits, "0123456789abcdef") == HASH_DIGITS;
}

/* ----------------------------------------------------------------------
 * From a name to a relation
 * ---------------------------------------------------------------------- */

void
ddb_exact_relation_name(const char *name, DdbRelationName *result)
{
	size_t		len = strlen(name);

	if (len == 0 || len > DDB_MAX_TABLE_NAME)
		ddb_raise(DDB_VALIDATION, "TableName must be at least 1 character long and at most %d "
				  "characters long", DDB_MAX_TABLE_NAME);
	ddb_shorten_name(name, len, result->relname);
	result->namespace =
		RangeVarGetCreationNamespace(makeRangeVar(NULL, result->relname, -1));
}

/*
 * PostgreSQL cuts identifiers that are too long, silently where they come in
 * a string: two tables could become one.
 */
static void
check_not_cut(const char *name)
{
	bool		quoted = false;
	int			len = 0;

	for (const char *p = name; *p; p++)
	{
		if (*p == '"' && !(quoted && p[1] == '"'))
		{
			quoted = !quoted;
			continue;
		}
		if (*p == '"')
			p++;
		len = *p == '.' && !quoted ? 0 : len + 1;
		if (len >= NAMEDATALEN)
			ereport(ERROR,
					(errcode(ERRCODE_NAME_TOO_LONG),
					 errmsg("table name \"%s\" is too long", name),
					 errdetail("Names in SQL have at most %d bytes, names in ddb.api up to %d.",
							   NAMEDATALEN - 1, DDB_MAX_TABLE_NAME)));
	}
}

static void
notice_folding(const char *name, const char *relname)
{
	if (strchr(name, '"') == NULL && strcmp(name, relname) != 0 &&
		pg_strcasecmp(name, relname) == 0)
		ereport(NOTICE,
				(errmsg("table name \"%s\" is folded to \"%s\"", name, relname),
				 errhint("To keep it as it is, write '\"%s\"'.", name)));
}

void
ddb_sql_relation_name(const char *name, DdbRelationName *result)
{
	RangeVar   *rv;

	check_not_cut(name);
	rv = makeRangeVarFromNameList(textToQualifiedNameList(cstring_to_text(name)));
	notice_folding(name, rv->relname);
	result->namespace = RangeVarGetCreationNamespace(rv);
	strlcpy(result->relname, rv->relname, NAMEDATALEN);
}

Oid
ddb_table_lookup(const char *name, size_t len)
{
	char		relname[NAMEDATALEN];
	DdbKeySchema schema;
	Oid			relid;

	if (len == 0 || len > DDB_MAX_TABLE_NAME || memchr(name, '\0', len) != NULL)
		return InvalidOid;
	ddb_shorten_name(name, len, relname);
	relid = RelnameGetRelid(relname);
	if (!OidIsValid(relid) || !ddb_relation_key_schema(relid, &schema))
		return InvalidOid;

	/* The short form of a longer name is no name of its own. */
	if (len < NAMEDATALEN && ddb_relation_name_is_short_for(relname) &&
		strcmp(ddb_table_name(relid), relname) != 0)
		return InvalidOid;
	return relid;
}

char *
ddb_table_name(Oid relid)
{
	char	   *relname = get_rel_name(relid);
	char	   *kept = NULL;

	if (relname == NULL)
		return NULL;
	if (ddb_relation_name_is_short_for(relname))
		kept = ddb_catalog_name(relid);
	return kept ? kept : relname;
}
