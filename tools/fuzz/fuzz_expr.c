/*-------------------------------------------------------------------------
 *
 * fuzz_expr.c
 *	  Any text as an expression of any kind, bound and evaluated.
 *
 * An input is four lines: a letter for the kind (Condition, Filter, Key
 * condition, Update, Projection) and the expression; the #names in plain
 * JSON; the :values in DynamoDB JSON; the item in DynamoDB JSON.  A line that
 * is missing or empty is a parameter not given, or no item.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "expr/expr.h"
#include "item/item_int.h"
#include "shim.h"

static const DdbKeySchema schema = {.nkeys = 2, .attr = {{2, DDB_S, "pk"}, {2, DDB_N, "sk"}}};
static const DdbQueryKey query_key = {1, 1, &schema.attr[0], &schema.attr[1]};

/* Cuts the next line off; its own copy, so that a reader past its end shows. */
static char *
take_line(const uint8 **data, size_t *size, size_t *len)
{
	const uint8 *end = memchr(*data, '\n', *size);
	char	   *line;

	*len = end ? end - *data : *size;
	line = memcpy(palloc(*len), *data, *len);
	*data += *len + (end != NULL);
	*size -= *len + (end != NULL);
	return line;
}

/* A parameter that is a map, or NULL. */
static DdbValue *
take_map(const uint8 **data, size_t *size, DdbJsonForm form)
{
	size_t		len;
	char	   *line = take_line(data, size, &len);
	DdbValue   *map;

	if (len == 0)
		return NULL;
	map = palloc(sizeof(DdbValue));
	*map = ddb_map_from_json(line, len, form);
	return map;
}

/* What an update or projection gives must be a map that we would store. */
static void
check_map(DdbValue map)
{
	DdbItem    *item = ddb_item_from_map(map);

	MUST(map.type == DDB_M);
	if (ddb_map_size(map) <= DDB_MAX_ITEM_SIZE && ddb_value_depth(map) <= DDB_MAX_DEPTH)
		ddb_item_validate((const uint8 *) VARDATA(item), VARSIZE(item) - VARHDRSZ);
}

static void
update(const DdbExpr *expr, const DdbRecord *record)
{
	DdbRecord	after = *record;

	ddb_update_check_keys(expr, &schema);
	(void) ddb_update_only_removes(expr);
	after.map = ddb_update_apply(expr, record);
	after.schema = &schema;
	check_map(after.map);
	check_map(ddb_update_touched(expr, record));
	if (record->schema)
		check_map(ddb_update_touched(expr, &after));
}

static void
evaluate(DdbExprKind kind, const DdbExpr *expr, const DdbRecord *record)
{
	DdbKeyCondition condition;

	(void) ddb_expr_mentions(expr, "a", 1);
	switch (kind)
	{
		case DDB_EXPR_CONDITION:
		case DDB_EXPR_FILTER:
			(void) ddb_condition_eval(expr, record);
			break;
		case DDB_EXPR_KEY_CONDITION:
			ddb_key_condition_resolve(expr, &query_key, &condition);
			if (record->schema)
				(void) ddb_key_condition_holds(&condition, record->key.values[1]);
			break;
		case DDB_EXPR_UPDATE:
			update(expr, record);
			break;
		case DDB_EXPR_PROJECTION:
			for (int i = 0; i < ddb_projection_count(expr); i++)
				MUST(ddb_projection_attribute(expr, i).len > 0);
			check_map(ddb_projection_apply(expr, record));
			break;
	}
}

static void
run(const uint8 *data, size_t size)
{
	static const char kinds[] = "CFKUP";
	const char *letter = memchr(kinds, size > 0 ? data[0] : 0, strlen(kinds));
	size_t		len;
	char	   *text;
	DdbValue   *names,
			   *values,
			   *item;
	DdbRecord	record = {.schema = NULL};
	DdbExprSet *set;
	DdbExpr    *expr;

	if (letter == NULL)
		return;
	data++;
	size--;
	text = take_line(&data, &size, &len);
	/* A server hands in nothing else, but U+0000 may come out of JSON. */
	if (!ddb_utf8_valid((const uint8 *) text, len))
		return;
	names = take_map(&data, &size, DDB_JSON_PLAIN);
	values = take_map(&data, &size, DDB_JSON_TYPED);
	item = take_map(&data, &size, DDB_JSON_TYPED);
	if (item)
	{
		record.schema = &schema;
		ddb_map_split(*item, &schema, &record.key, &record.map);
	}

	set = ddb_exprs_begin(names, values);
	expr = ddb_exprs_add(set, (DdbExprKind) (letter - kinds), text, len);
	ddb_exprs_finish(set);
	evaluate((DdbExprKind) (letter - kinds), expr, &record);
}

int
LLVMFuzzerTestOneInput(const uint8 *data, size_t size)
{
	shim_run(run, data, size);
	return 0;
}
