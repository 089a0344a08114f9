/*-------------------------------------------------------------------------
 *
 * definition.c
 *	  What a secondary index is, as ddb.secondary_index keeps it.
 *
 * A definition is a JSON object:
 *
 *		{"partition": [{"name": "status", "type": "S"}],
 *		 "sort": [{"name": "at", "type": "N"}],		of a local index: one
 *		 "projection": "INCLUDE", "include": ["total"],
 *		 "project": ["at", "status", "total"],		what entries hold; not with ALL
 *		 "shards": 8, "local": true}				only if so
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "table/table_int.h"

const char *
ddb_projection_name(DdbProjectionType projection)
{
	static const char *const names[DDB_NPROJECTIONS] = {
		[DDB_PROJECT_ALL] = "ALL",
		[DDB_PROJECT_KEYS_ONLY] = "KEYS_ONLY",
		[DDB_PROJECT_INCLUDE] = "INCLUDE",
	};

	return names[projection];
}

/* ----------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------- */

static DdbName
copy_name(DdbValue value)
{
	DdbName		name = {pnstrdup((const char *) value.data, value.len), value.len};

	return name;
}

static bool
get_member(DdbValue map, const char *name, DdbType type, DdbValue *value)
{
	return ddb_map_get(map, name, strlen(name), value) && value->type == type;
}

/* {"name": ..., "type": ...} */
static bool
read_attribute(DdbValue element, DdbKeyAttr *attr)
{
	DdbValue	name,
				tag;
	DdbType		type;

	if (element.type != DDB_M ||
		!get_member(element, "name", DDB_S, &name) || name.len == 0 || name.len > DDB_MAX_KEY_NAME ||
		!get_member(element, "type", DDB_S, &tag) ||
		!ddb_type_from_name((const char *) tag.data, tag.len, &type) ||
		(type != DDB_S && type != DDB_N && type != DDB_B))
		return false;
	attr->len = name.len;
	attr->type = type;
	memcpy(attr->name, name.data, name.len);
	return true;
}

/* The key attributes, or -1 when they are not well. */
static int
read_attributes(DdbValue definition, const char *member, DdbKeyAttr *attrs)
{
	DdbValue	list,
				element;
	DdbName		unused;
	DdbIter		it;
	int			n = 0;

	if (!get_member(definition, member, DDB_L, &list))
		return 0;
	ddb_iter_begin(&it, list);
	while (ddb_iter_next(&it, &unused, &element))
	{
		if (n == DDB_MAX_INDEX_KEYS || !read_attribute(element, &attrs[n]))
			return -1;
		n++;
	}
	return n;
}

static bool
read_names(DdbValue definition, const char *member, int *n, DdbName **names)
{
	DdbValue	list,
				element;
	DdbName		unused;
	DdbIter		it;

	*n = 0;
	if (!get_member(definition, member, DDB_L, &list))
		return true;
	ddb_iter_begin(&it, list);
	*names = palloc_array(DdbName, it.count + 1);
	while (ddb_iter_next(&it, &unused, &element))
	{
		if (element.type != DDB_S)
			return false;
		(*names)[(*n)++] = copy_name(element);
	}
	return true;
}

static bool
read_projection(DdbValue definition, DdbProjectionType *projection)
{
	DdbValue	value;

	if (!get_member(definition, "projection", DDB_S, &value))
		return false;
	for (int i = 0; i < DDB_NPROJECTIONS; i++)
	{
		const char *name = ddb_projection_name(i);

		if (strlen(name) == value.len && memcmp(name, value.data, value.len) == 0)
		{
			*projection = i;
			return true;
		}
	}
	return false;
}

static bool
read_shards(DdbValue definition, int *shards)
{
	DdbValue	value;
	char		text[DDB_NUMBER_TEXT];

	*shards = 0;
	if (!ddb_map_get(definition, "shards", strlen("shards"), &value))
		return true;
	if (value.type != DDB_N)
		return false;
	ddb_number_print(value.data, value.len, text);
	*shards = atoi(text);
	return *shards >= 1 && *shards <= DDB_MAX_SHARDS;
}

bool
ddb_index_definition_read(Jsonb *jsonb, DdbIndexDef *def)
{
	DdbValue	definition;
	DdbValue	local;

	if (!JB_ROOT_IS_OBJECT(jsonb))
		return false;
	definition = ddb_map_from_jsonb(jsonb);
	def->local = get_member(definition, "local", DDB_BOOL, &local) && local.boolean;
	def->npartition = read_attributes(definition, "partition", def->partition);
	def->nsort = read_attributes(definition, "sort", def->sort);
	return def->npartition >= 1 && def->nsort >= 0 &&
		(!def->local || (def->npartition == 1 && def->nsort == 1)) &&
		read_projection(definition, &def->projection) &&
		read_names(definition, "include", &def->ninclude, &def->include) &&
		read_names(definition, "project", &def->nproject, &def->project) &&
		read_shards(definition, &def->shards);
}

/* ----------------------------------------------------------------------
 * Writing
 * ---------------------------------------------------------------------- */

static void
write_attributes(StringInfo out, const char *member, const DdbKeyAttr *attrs, int n)
{
	appendStringInfo(out, "\"%s\": [", member);
	for (int i = 0; i < n; i++)
	{
		appendStringInfo(out, "%s{\"name\": ", i ? ", " : "");
		ddb_json_string(out, attrs[i].name, attrs[i].len);
		appendStringInfo(out, ", \"type\": \"%s\"}", ddb_type_name(attrs[i].type));
	}
	appendStringInfoString(out, "], ");
}

static void
write_names(StringInfo out, const char *member, const DdbName *names, int n)
{
	appendStringInfo(out, ", \"%s\": [", member);
	for (int i = 0; i < n; i++)
	{
		if (i > 0)
			appendStringInfoString(out, ", ");
		ddb_json_string(out, names[i].data, names[i].len);
	}
	appendStringInfoChar(out, ']');
}

char *
ddb_index_definition_text(const DdbIndexDef *def)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	write_attributes(&out, "partition", def->partition, def->npartition);
	if (def->nsort > 0)
		write_attributes(&out, "sort", def->sort, def->nsort);
	appendStringInfo(&out, "\"projection\": \"%s\"", ddb_projection_name(def->projection));
	if (def->ninclude > 0)
		write_names(&out, "include", def->include, def->ninclude);
	if (def->projection != DDB_PROJECT_ALL)
		write_names(&out, "project", def->project, def->nproject);
	if (def->shards > 0)
		appendStringInfo(&out, ", \"shards\": %d", def->shards);
	if (def->local)
		appendStringInfoString(&out, ", \"local\": true");
	appendStringInfoChar(&out, '}');
	return out.data;
}
