/*-------------------------------------------------------------------------
 *
 * api_legacy.c
 *	  The parameters that expressions replaced, which old clients still send:
 *	  Expected, QueryFilter, ScanFilter, KeyConditions, AttributeUpdates,
 *	  AttributesToGet and ConditionalOperator.
 *
 * They are read into ops/'s DdbLegacy; what they mean is expr/'s business.
 * The rules between them and expressions are here, for only the API has both:
 * they do not mix, and ConditionalOperator joins two conditions at least.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "api/api_int.h"
#include "base/errors.h"

/* An operation's parameters of both kinds, in the order in which messages name them. */
typedef struct Parameters
{
	const char *expressions[4];
	const char *legacy[5];
	const char *conditions;		/* which of them ConditionalOperator joins */
} Parameters;

static const Parameters parameters[] = {
	[API_LEGACY_WRITE] = {
		{"ConditionExpression"},
		{"Expected", "ConditionalOperator"},
		"Expected"
	},
	[API_LEGACY_UPDATE] = {
		{"UpdateExpression", "ConditionExpression"},
		{"AttributeUpdates", "Expected", "ConditionalOperator"},
		"Expected"
	},
	[API_LEGACY_GET] = {
		{"ProjectionExpression"},
		{"AttributesToGet"},
	},
	[API_LEGACY_QUERY] = {
		{"ProjectionExpression", "FilterExpression", "KeyConditionExpression"},
		{"AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions"},
		"QueryFilter"
	},
	[API_LEGACY_SCAN] = {
		{"ProjectionExpression", "FilterExpression"},
		{"AttributesToGet", "ScanFilter", "ConditionalOperator"},
		"ScanFilter"
	},
};

/* ----------------------------------------------------------------------
 * Combinations
 * ---------------------------------------------------------------------- */

/* "AttributesToGet, QueryFilter": those of the members that are present. */
static char *
present_members(const DdbJson *structure, const char *const *names)
{
	StringInfoData out;

	initStringInfo(&out);
	for (; *names; names++)
		if (ddb_json_member(structure, *names))
			appendStringInfo(&out, "%s%s", out.len ? ", " : "", *names);
	return out.data;
}

/*
 * Beside other expressions KeyConditions may stand, if it is not doubled by
 * KeyConditionExpression; a Query has to have one of the two.
 */
static bool
only_key_conditions(const DdbJson *structure, const char *legacy)
{
	return strcmp(legacy, "KeyConditions") == 0 &&
		ddb_json_member(structure, "KeyConditionExpression") == NULL;
}

static void
refuse_mixing(const char *legacy, const char *expressions)
{
	if (expressions[0] != '\0' && legacy[0] != '\0')
		ddb_raise(DDB_VALIDATION, "Can not use both expression and non-expression parameters in the same request: "
				  "Non-expression parameters: {%s} Expression parameters: {%s}", legacy, expressions);
}

static void
check_mixing(const DdbJson *structure, const Parameters *p)
{
	char	   *expressions = present_members(structure, p->expressions);
	char	   *legacy = present_members(structure, p->legacy);
	char	   *last;

	if (only_key_conditions(structure, legacy))
		return;
	/* KeyConditions is the last of its list. */
	last = strrchr(legacy, ',');
	if (last && only_key_conditions(structure, last + strlen(", ")))
		*last = '\0';
	refuse_mixing(legacy, expressions);
}

static void
check_conditional_operator(const DdbJson *structure, const Parameters *p)
{
	const DdbJson *conditions;

	if (p->conditions == NULL || ddb_json_member(structure, "ConditionalOperator") == NULL)
		return;
	conditions = ddb_json_member(structure, p->conditions);
	if (conditions == NULL || conditions->count == 0)
		ddb_raise(DDB_VALIDATION, "ConditionalOperator cannot be used without Filter or Expected");
	if (conditions->count == 1)
		ddb_raise(DDB_VALIDATION, "ConditionalOperator can only be used when Filter or Expected "
				  "has two or more elements");
}

/* ----------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------- */

static const DdbValue *
read_value(const DdbJson *json)
{
	DdbValue   *value;

	if (json == NULL)
		return NULL;
	value = palloc(sizeof(DdbValue));
	*value = ddb_value_from_tree(json, DDB_JSON_TYPED);
	return value;
}

static void
read_value_list(const DdbJson *list, DdbLegacyCondition *condition)
{
	DdbValue   *values = palloc(list->count * sizeof(DdbValue));

	for (const DdbJson *child = list->child; child; child = child->next)
		values[condition->nvalues++] = ddb_value_from_tree(child, DDB_JSON_TYPED);
	condition->values = values;
	condition->has_list = true;
}

static DdbLegacyCondition *
read_conditions(const DdbJson *map, int *n)
{
	DdbLegacyCondition *conditions = palloc0((map->count + 1) * sizeof(DdbLegacyCondition));

	*n = 0;
	for (const DdbJson *child = map->child; child; child = child->next)
	{
		DdbLegacyCondition *condition = &conditions[(*n)++];
		const DdbJson *list = ddb_json_member(child, "AttributeValueList");
		const DdbJson *exists = ddb_json_member(child, "Exists");

		condition->attribute = child->name;
		condition->comparison = ddb_request_text(child, "ComparisonOperator");
		condition->value = read_value(ddb_json_member(child, "Value"));
		if (list)
			read_value_list(list, condition);
		if (exists)
			condition->exists = exists->type == DDB_JSON_TRUE ? DDB_EXISTS_TRUE : DDB_EXISTS_FALSE;
	}
	return conditions;
}

static DdbLegacyUpdate *
read_updates(const DdbJson *map, int *n)
{
	DdbLegacyUpdate *updates = palloc0((map->count + 1) * sizeof(DdbLegacyUpdate));

	*n = 0;
	for (const DdbJson *child = map->child; child; child = child->next)
	{
		DdbLegacyUpdate *update = &updates[(*n)++];

		update->attribute = child->name;
		update->action = ddb_request_text(child, "Action");
		update->value = read_value(ddb_json_member(child, "Value"));
	}
	return updates;
}

static DdbName *
read_names(const DdbJson *list, int *n)
{
	DdbName    *names = palloc((list->count + 1) * sizeof(DdbName));

	*n = 0;
	for (const DdbJson *child = list->child; child; child = child->next)
		names[(*n)++] = child->text;
	return names;
}

void
ddb_api_check_legacy(const DdbJson *structure, ApiLegacyKind kind)
{
	check_mixing(structure, &parameters[kind]);
}

void
ddb_api_check_legacy_tables(const DdbJson *tables)
{
	const Parameters *p = &parameters[API_LEGACY_GET];
	const char *expressions = "";
	const char *legacy = "";

	for (const DdbJson *table = tables->child; table; table = table->next)
	{
		if (expressions[0] == '\0')
			expressions = present_members(table, p->expressions);
		if (legacy[0] == '\0')
			legacy = present_members(table, p->legacy);
	}
	refuse_mixing(legacy, expressions);
}

static DdbLegacyCondition *
read_checked_conditions(const DdbJson *map, int *n)
{
	DdbLegacyCondition *conditions = read_conditions(map, n);

	ddb_legacy_check_conditions(conditions, *n);
	return conditions;
}

DdbLegacy *
ddb_api_legacy(const DdbJson *structure, ApiLegacyKind kind)
{
	const Parameters *p = &parameters[kind];
	bool		write = kind == API_LEGACY_WRITE || kind == API_LEGACY_UPDATE;
	const DdbJson *conditions = p->conditions ? ddb_json_member(structure, p->conditions) : NULL;
	const DdbJson *updates = kind == API_LEGACY_UPDATE ? ddb_json_member(structure, "AttributeUpdates") : NULL;
	const DdbJson *names = write ? NULL : ddb_json_member(structure, "AttributesToGet");
	DdbLegacy  *legacy;

	check_conditional_operator(structure, p);
	if (!conditions && !updates && !names)
		return NULL;

	legacy = palloc0(sizeof(DdbLegacy));
	legacy->any = ddb_api_member_is(structure, "ConditionalOperator", "OR");
	if (conditions)
		legacy->conditions = write ? read_conditions(conditions, &legacy->nconditions) :
			read_checked_conditions(conditions, &legacy->nconditions);
	if (updates)
		legacy->updates = read_updates(updates, &legacy->nupdates);
	if (names)
	{
		legacy->attributes = read_names(names, &legacy->nattributes);
		ddb_legacy_check_attributes(legacy->attributes, legacy->nattributes);
	}
	return legacy;
}

DdbLegacy *
ddb_api_legacy_keys(const DdbJson *request, DdbLegacy *legacy)
{
	const DdbJson *keys = ddb_json_member(request, "KeyConditions");

	if (keys == NULL)
		return legacy;
	if (legacy == NULL)
		legacy = palloc0(sizeof(DdbLegacy));
	legacy->keys = read_checked_conditions(keys, &legacy->nkeys);
	return legacy;
}
