/*-------------------------------------------------------------------------
 *
 * fn_key.c
 *	  The SQL type ddb.key: a key value on its way into a function.
 *
 * What a key value means depends on the table's key type, which only the
 * operation knows.  So a ddb.key keeps what it was given: text or received
 * bytes, to be read by that type, or a value with a type of its own, to be
 * held against it.  It is a parameter type, never a column or a result.
 *
 * Text is kept as it is, so the casts from text and varchar cost nothing.  All
 * else begins with a byte that UTF-8 text never has, then a form character:
 * R received bytes, and for values S text, N a number's ordered bytes, B octets.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "libpq/pqformat.h"
#include "sql/sql_int.h"
#include "utils/builtins.h"
#include "utils/uuid.h"

#define NOT_TEXT		0xFF
#define FORM_RECEIVED	'R'

PG_FUNCTION_INFO_V1(ddb_fn_key_in);
PG_FUNCTION_INFO_V1(ddb_fn_key_out);
PG_FUNCTION_INFO_V1(ddb_fn_key_recv);
PG_FUNCTION_INFO_V1(ddb_fn_key_from_int2);
PG_FUNCTION_INFO_V1(ddb_fn_key_from_int4);
PG_FUNCTION_INFO_V1(ddb_fn_key_from_int8);
PG_FUNCTION_INFO_V1(ddb_fn_key_from_numeric);
PG_FUNCTION_INFO_V1(ddb_fn_key_from_bytea);
PG_FUNCTION_INFO_V1(ddb_fn_key_from_uuid);

static Datum
make_key(char form, const void *data, Size len)
{
	struct varlena *key = palloc(VARHDRSZ + 2 + len);

	SET_VARSIZE(key, VARHDRSZ + 2 + len);
	VARDATA(key)[0] = (char) NOT_TEXT;
	VARDATA(key)[1] = form;
	memcpy(VARDATA(key) + 2, data, len);
	return PointerGetDatum(key);
}

void
ddb_arg_key(FunctionCallInfo fcinfo, int n, DdbKeyPart *part)
{
	struct varlena *key;
	const uint8 *data;
	uint32		len;

	part->form = DDB_PART_NONE;
	if (PG_ARGISNULL(n))
		return;
	key = PG_GETARG_VARLENA_PP(n);
	data = (const uint8 *) VARDATA_ANY(key);
	len = VARSIZE_ANY_EXHDR(key);
	if (len < 2 || data[0] != NOT_TEXT)
	{
		part->form = DDB_PART_TEXT;
		part->value = (DdbValue) {DDB_S, false, len, data};
		return;
	}
	part->form = data[1] == FORM_RECEIVED ? DDB_PART_RAW : DDB_PART_VALUE;
	part->value = (DdbValue) {DDB_S, false, len - 2, data + 2};
	if (data[1] == 'N')
		part->value.type = DDB_N;
	else if (data[1] == 'B')
		part->value.type = DDB_B;
}

Datum
ddb_fn_key_in(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(PG_GETARG_CSTRING(0)));
}

Datum
ddb_fn_key_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			len = buf->len - buf->cursor;

	return make_key(FORM_RECEIVED, pq_getmsgbytes(buf, len), len);
}

/* For people who look at one: text as it is, octets in hexadecimal. */
Datum
ddb_fn_key_out(PG_FUNCTION_ARGS)
{
	DdbKeyPart	part;
	char		number[DDB_NUMBER_TEXT];
	char	   *hex;
	DdbValue   *value = &part.value;

	ddb_arg_key(fcinfo, 0, &part);
	if (part.form == DDB_PART_VALUE && value->type == DDB_N)
	{
		ddb_number_print(value->data, value->len, number);
		PG_RETURN_CSTRING(pstrdup(number));
	}
	if (part.form == DDB_PART_TEXT || (part.form == DDB_PART_VALUE && value->type == DDB_S))
		PG_RETURN_CSTRING(pnstrdup((const char *) value->data, value->len));
	hex = palloc(2 + 2 * value->len + 1);
	strcpy(hex, "\\x");
	hex_encode((const char *) value->data, value->len, hex + 2);
	hex[2 + 2 * value->len] = '\0';
	PG_RETURN_CSTRING(hex);
}

/* ----------------------------------------------------------------------
 * Casts of values that have a type
 * ---------------------------------------------------------------------- */

static Datum
key_from_int(int64 i)
{
	uint8		number[DDB_NUMBER_BYTES];

	return make_key('N', number, ddb_number_from_int64(i, number));
}

Datum
ddb_fn_key_from_int2(PG_FUNCTION_ARGS)
{
	return key_from_int(PG_GETARG_INT16(0));
}

Datum
ddb_fn_key_from_int4(PG_FUNCTION_ARGS)
{
	return key_from_int(PG_GETARG_INT32(0));
}

Datum
ddb_fn_key_from_int8(PG_FUNCTION_ARGS)
{
	return key_from_int(PG_GETARG_INT64(0));
}

Datum
ddb_fn_key_from_numeric(PG_FUNCTION_ARGS)
{
	uint8		number[DDB_NUMBER_BYTES];
	uint32		len = ddb_number_from_numeric(PG_GETARG_NUMERIC(0), number);

	return make_key('N', number, len);
}

Datum
ddb_fn_key_from_bytea(PG_FUNCTION_ARGS)
{
	bytea	   *b = PG_GETARG_BYTEA_PP(0);

	return make_key('B', VARDATA_ANY(b), VARSIZE_ANY_EXHDR(b));
}

Datum
ddb_fn_key_from_uuid(PG_FUNCTION_ARGS)
{
	char	   *text = DatumGetCString(DirectFunctionCall1(uuid_out, PG_GETARG_DATUM(0)));

	return make_key('S', text, strlen(text));
}
