/*-------------------------------------------------------------------------
 *
 * token.c
 *	  ClientRequestToken: a transaction that is sent twice is done once.
 *
 * A token belongs to a role, is kept as a digest, and is good for ten
 * minutes.  It is a row written in the transaction that it names: rolled back
 * with it, durable with it, and whoever sends the same token at the same time
 * waits for the row.  The row holds a digest of the content, taken from the
 * values rather than the request's text.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/xact.h"
#include "base/errors.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "ops/ops_int.h"
#include "table/table.h"
#include "utils/builtins.h"

/* How many expired rows of anybody a claim takes away with it. */
#define CLAIM \
	"INSERT INTO ddb.transaction_tokens AS t (role, token, content, claimed)" \
	" VALUES ($1, $2, $3, clock_timestamp())" \
	" ON CONFLICT (role, token) DO UPDATE" \
	" SET content = excluded.content, claimed = excluded.claimed" \
	" WHERE t.claimed < excluded.claimed - interval '10 minutes'"
#define COMPARE \
	"SELECT content = $3 FROM ddb.transaction_tokens WHERE role = $1 AND token = $2"
#define SWEEP \
	"DELETE FROM ddb.transaction_tokens t USING (" \
	"SELECT role, token FROM ddb.transaction_tokens" \
	" WHERE claimed < clock_timestamp() - interval '10 minutes'" \
	" LIMIT 100 FOR UPDATE SKIP LOCKED) old" \
	" WHERE t.role = old.role AND t.token = old.token"

static bytea *
make_bytes(const void *data, Size len)
{
	bytea	   *bytes = palloc(VARHDRSZ + len);

	SET_VARSIZE(bytes, VARHDRSZ + len);
	memcpy(VARDATA(bytes), data, len);
	return bytes;
}

static Datum
digest_of(const void *data, Size len)
{
	return DirectFunctionCall1(sha256_bytea, PointerGetDatum(make_bytes(data, len)));
}

/* ----------------------------------------------------------------------
 * Content
 * ---------------------------------------------------------------------- */

static void
add_text(StringInfo out, DdbText text)
{
	appendBinaryStringInfo(out, (char *) &text.len, sizeof(text.len));
	if (text.data)
		appendBinaryStringInfo(out, text.data, text.len);
	appendStringInfoChar(out, text.data != NULL);
}

/* Equal values have equal bytes, however they were written. */
static void
add_value(StringInfo out, const DdbValue *value)
{
	if (value)
		add_text(out, (DdbText) {(const char *) value->data, value->len});
	appendStringInfoChar(out, value != NULL);
}

void
ddb_content_digest(const DdbWrite *writes, int n, uint8 digest[DDB_DIGEST_BYTES])
{
	StringInfoData content;
	bytea	   *result;

	initStringInfo(&content);
	for (int i = 0; i < n; i++)
	{
		const DdbWrite *w = &writes[i];

		appendStringInfoChar(&content, w->action);
		appendBinaryStringInfo(&content, (char *) &w->relid, sizeof(Oid));
		add_value(&content, &w->item);
		add_text(&content, w->condition);
		add_text(&content, w->update);
		add_value(&content, w->placeholders.names);
		add_value(&content, w->placeholders.values);
		appendStringInfoChar(&content, w->return_item_on_failure);
	}
	result = DatumGetByteaPP(digest_of(content.data, content.len));
	Assert(VARSIZE_ANY_EXHDR(result) == DDB_DIGEST_BYTES);
	memcpy(digest, VARDATA_ANY(result), DDB_DIGEST_BYTES);
	pfree(content.data);
}

/* ----------------------------------------------------------------------
 * Tokens
 * ---------------------------------------------------------------------- */

static int
execute(const char *command, Datum args[3])
{
	Oid			types[3] = {OIDOID, BYTEAOID, BYTEAOID};

	return SPI_execute_with_args(command, 3, types, args, NULL, false, 0);
}

/* The token is taken: was it taken for the same content? */
static void
check_same_content(Datum args[3])
{
	bool		isnull;

	if (execute(COMPARE, args) != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "a transaction token has vanished");
	if (!DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull)))
		ddb_raise(DDB_IDEMPOTENT_MISMATCH, "DynamoDB rejected the request because you retried a "
				  "request with a different payload but with an idempotent token that was "
				  "already used.");
}

bool
ddb_token_claim(DdbText token, const uint8 content[DDB_DIGEST_BYTES])
{
	DdbCatalogScope scope;
	Datum		args[3];
	bool		claimed;

	args[0] = ObjectIdGetDatum(GetUserId());
	args[1] = digest_of(token.data, token.len);
	args[2] = PointerGetDatum(make_bytes(content, DDB_DIGEST_BYTES));

	ddb_catalog_enter(&scope);
	if (execute(CLAIM, args) != SPI_OK_INSERT)
		elog(ERROR, "could not claim a transaction token");
	claimed = SPI_processed == 1;
	if (!claimed)
		check_same_content(args);

	/* With a fixed snapshot, a row that somebody else swept would be 40001. */
	else if (!IsolationUsesXactSnapshot() &&
			 SPI_execute(SWEEP, false, 0) != SPI_OK_DELETE)
		elog(ERROR, "could not sweep transaction tokens");
	ddb_catalog_leave(&scope);
	return claimed;
}
