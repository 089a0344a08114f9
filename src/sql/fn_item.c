/*-------------------------------------------------------------------------
 *
 * fn_item.c
 *	  The SQL types ddb.item and ddb.doc: input, output, casts.
 *
 * Both have the same bytes.  They differ in how text is read: an item's text
 * is DynamoDB JSON, a doc's is plain JSON.  Only an item is ever stored, so
 * only what becomes an item is held to the size limit; a doc may also be the
 * values of an expression.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "item/item.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#define ITEM_RETURN(map) PG_RETURN_POINTER(ddb_item_from_map(ddb_map_check_size(map)))
#define DOC_RETURN(map) PG_RETURN_POINTER(ddb_item_from_map(map))

static void
init_json(StringInfo out, const DdbItem *item, DdbJsonForm form)
{
	initStringInfo(out);
	enlargeStringInfo(out, VARSIZE_ANY_EXHDR(item) * 3);
	ddb_map_to_json(out, ddb_item_map(item), form);
}

/* ----------------------------------------------------------------------
 * ddb.item
 * ---------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(ddb_fn_item_in);
Datum
ddb_fn_item_in(PG_FUNCTION_ARGS)
{
	char	   *text = PG_GETARG_CSTRING(0);

	ITEM_RETURN(ddb_map_from_json(text, strlen(text), DDB_JSON_TYPED));
}

PG_FUNCTION_INFO_V1(ddb_fn_item_out);
Datum
ddb_fn_item_out(PG_FUNCTION_ARGS)
{
	StringInfoData json;

	init_json(&json, PG_GETARG_VARLENA_PP(0), DDB_JSON_TYPED);
	PG_RETURN_CSTRING(json.data);
}

/* The bytes as they are stored, their version first; trusted only once validated. */
PG_FUNCTION_INFO_V1(ddb_fn_item_recv);
Datum
ddb_fn_item_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;
	const char *data = pq_getmsgbytes(buf, len);

	ddb_item_validate((const uint8 *) data, len);
	PG_RETURN_BYTEA_P(cstring_to_text_with_len(data, len));
}

PG_FUNCTION_INFO_V1(ddb_fn_item_send);
Datum
ddb_fn_item_send(PG_FUNCTION_ARGS)
{
	DdbItem    *item = PG_GETARG_VARLENA_PP(0);

	PG_RETURN_BYTEA_P(cstring_to_text_with_len(VARDATA_ANY(item), VARSIZE_ANY_EXHDR(item)));
}

/* ----------------------------------------------------------------------
 * ddb.doc
 * ---------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(ddb_fn_doc_in);
Datum
ddb_fn_doc_in(PG_FUNCTION_ARGS)
{
	char	   *text = PG_GETARG_CSTRING(0);

	DOC_RETURN(ddb_map_from_json(text, strlen(text), DDB_JSON_PLAIN));
}

PG_FUNCTION_INFO_V1(ddb_fn_doc_out);
Datum
ddb_fn_doc_out(PG_FUNCTION_ARGS)
{
	StringInfoData json;

	init_json(&json, PG_GETARG_VARLENA_PP(0), DDB_JSON_PLAIN);
	PG_RETURN_CSTRING(json.data);
}

/* JSON text: a driver that sends a buffer sends what it would send as text. */
PG_FUNCTION_INFO_V1(ddb_fn_doc_recv);
Datum
ddb_fn_doc_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len;
	char	   *text = pq_getmsgtext(buf, buf->len - buf->cursor, &len);

	DOC_RETURN(ddb_map_from_json(text, len, DDB_JSON_PLAIN));
}

PG_FUNCTION_INFO_V1(ddb_fn_doc_send);
Datum
ddb_fn_doc_send(PG_FUNCTION_ARGS)
{
	StringInfoData json;
	StringInfoData buf;

	init_json(&json, PG_GETARG_VARLENA_PP(0), DDB_JSON_PLAIN);
	pq_begintypsend(&buf);
	pq_sendtext(&buf, json.data, json.len);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

/* ----------------------------------------------------------------------
 * Casts
 * ---------------------------------------------------------------------- */

PG_FUNCTION_INFO_V1(ddb_fn_jsonb_to_item);
Datum
ddb_fn_jsonb_to_item(PG_FUNCTION_ARGS)
{
	ITEM_RETURN(ddb_map_from_jsonb(PG_GETARG_JSONB_P(0)));
}

PG_FUNCTION_INFO_V1(ddb_fn_jsonb_to_doc);
Datum
ddb_fn_jsonb_to_doc(PG_FUNCTION_ARGS)
{
	DOC_RETURN(ddb_map_from_jsonb(PG_GETARG_JSONB_P(0)));
}

static DdbValue
map_from_text(const text *json)
{
	return ddb_map_from_json(VARDATA_ANY(json), VARSIZE_ANY_EXHDR(json), DDB_JSON_PLAIN);
}

PG_FUNCTION_INFO_V1(ddb_fn_json_to_item);
Datum
ddb_fn_json_to_item(PG_FUNCTION_ARGS)
{
	ITEM_RETURN(map_from_text(PG_GETARG_TEXT_PP(0)));
}

PG_FUNCTION_INFO_V1(ddb_fn_json_to_doc);
Datum
ddb_fn_json_to_doc(PG_FUNCTION_ARGS)
{
	DOC_RETURN(map_from_text(PG_GETARG_TEXT_PP(0)));
}

/* The bytes are the same; only the limit is new. */
PG_FUNCTION_INFO_V1(ddb_fn_doc_to_item);
Datum
ddb_fn_doc_to_item(PG_FUNCTION_ARGS)
{
	DdbItem    *doc = PG_GETARG_VARLENA_PP(0);

	ddb_map_check_size(ddb_item_map(doc));
	PG_RETURN_POINTER(doc);
}

PG_FUNCTION_INFO_V1(ddb_fn_item_to_jsonb);
Datum
ddb_fn_item_to_jsonb(PG_FUNCTION_ARGS)
{
	PG_RETURN_JSONB_P(ddb_map_to_jsonb(ddb_item_map(PG_GETARG_VARLENA_PP(0))));
}

PG_FUNCTION_INFO_V1(ddb_fn_item_to_json);
Datum
ddb_fn_item_to_json(PG_FUNCTION_ARGS)
{
	StringInfoData json;

	init_json(&json, PG_GETARG_VARLENA_PP(0), DDB_JSON_PLAIN);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(json.data, json.len));
}
