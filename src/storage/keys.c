/*-------------------------------------------------------------------------
 *
 * keys.c
 *	  Key columns: how key values stand in them, and their limits.
 *
 * PostgreSQL's text cannot hold U+0000, DynamoDB's strings can.  In a text key
 * column U+0000 is written U+0001 U+0001 and U+0001 is written U+0001 U+0002,
 * so order, prefixes and every ordinary key stay as they are.  All limits
 * count the value's own bytes, not the column's.
 *
 * The limits are checked in two places that share the code here: for the
 * functions' writes in rows.c, for SQL's by the table's CHECK constraint
 * (ddb.check_key), which also sees what only SQL can bring: malformed escapes,
 * numerics that are no DynamoDB numbers.
 *
 * One limit is PostgreSQL's: an index entry holds 2,704 bytes, less than the
 * longest keys of DynamoDB together.  What would not fit, even compressed as
 * the index compresses it, is refused here rather than by the btree.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "access/detoast.h"
#include "access/itup.h"
#include "access/nbtree.h"
#include "base/errors.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "storage/storage_int.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

/* ----------------------------------------------------------------------
 * Escapes
 * ---------------------------------------------------------------------- */

/*
 * How many bytes an escape adds to this string: hardly ever any, so eight
 * bytes are looked at together as long as none of them is below 2.
 */
static inline uint32
escapes_needed(const uint8 *s, uint32 len)
{
	const uint64 ones = UINT64CONST(0x0101010101010101);
	uint32		n = 0;
	uint32		i = 0;

	for (; i + sizeof(uint64) <= len; i += sizeof(uint64))
	{
		uint64		eight;

		memcpy(&eight, s + i, sizeof(eight));
		if (unlikely(((eight - 2 * ones) & ~eight & (ones << 7)) != 0))
			break;
	}
	for (; i < len; i++)
		n += s[i] <= 1;
	return n;
}

static void
escape(const uint8 *s, uint32 len, uint8 *out)
{
	for (uint32 i = 0; i < len; i++)
	{
		if (s[i] <= 1)
		{
			*out++ = 1;
			*out++ = s[i] + 1;
		}
		else
			*out++ = s[i];
	}
}

/* Writes at most len bytes; returns how many, or -1 on a malformed escape. */
static int
unescape(const uint8 *s, uint32 len, uint8 *out)
{
	uint8	   *start = out;

	for (uint32 i = 0; i < len; i++)
	{
		if (s[i] != 1)
			*out++ = s[i];
		else if (++i < len && (s[i] == 1 || s[i] == 2))
			*out++ = s[i] - 1;
		else
			return -1;
	}
	return (int) (out - start);
}

/* ----------------------------------------------------------------------
 * Values to datums and back
 * ---------------------------------------------------------------------- */

/*
 * Writes the datum's bytes to `buffer` if they fit into `size`, else palloc's
 * them.
 */
Datum
ddb_key_store(DdbValue value, char *buffer, Size size)
{
	uint32		extra = value.type == DDB_S ? escapes_needed(value.data, value.len) : 0;
	Size		needed = VARHDRSZ + value.len + extra;
	struct varlena *datum;

	if (value.type == DDB_N)
	{
		datum = (struct varlena *) ddb_number_to_numeric(value.data, value.len);
		if (VARSIZE(datum) > size)
			return PointerGetDatum(datum);
		memcpy(buffer, datum, VARSIZE(datum));
		pfree(datum);
		return PointerGetDatum(buffer);
	}
	datum = (struct varlena *) (needed <= size ? buffer : palloc(needed));
	SET_VARSIZE(datum, needed);
	if (extra)
		escape(value.data, value.len, (uint8 *) VARDATA(datum));
	else
		memcpy(VARDATA(datum), value.data, value.len);
	return PointerGetDatum(datum);
}

Datum
ddb_key_to_datum(DdbValue value)
{
	return ddb_key_store(value, NULL, 0);
}

DdbValue
ddb_key_from_datum(DdbType type, Datum datum)
{
	DdbValue	value = {.type = type};
	struct varlena *flat;
	uint8		number[DDB_NUMBER_BYTES];
	uint8	   *copy;
	int			len;

	if (type == DDB_N)
		return ddb_value_number(number, ddb_number_from_numeric(DatumGetNumeric(datum), number));

	flat = PG_DETOAST_DATUM_PACKED(datum);
	value.data = (const uint8 *) VARDATA_ANY(flat);
	value.len = VARSIZE_ANY_EXHDR(flat);
	if (type == DDB_S && memchr(value.data, 1, value.len) != NULL)
	{
		copy = palloc(value.len);
		len = unescape(value.data, value.len, copy);
		if (len < 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("a key holds a malformed escape")));
		value.data = copy;
		value.len = len;
	}
	return value;
}

int
ddb_datum_compare(DdbType type, Datum a, Datum b)
{
	struct varlena *left;
	struct varlena *right;
	uint32		len_a;
	uint32		len_b;
	int			order;

	if (type == DDB_N)
		return DatumGetInt32(DirectFunctionCall2(numeric_cmp, a, b));
	left = PG_DETOAST_DATUM_PACKED(a);
	right = PG_DETOAST_DATUM_PACKED(b);
	len_a = VARSIZE_ANY_EXHDR(left);
	len_b = VARSIZE_ANY_EXHDR(right);
	order = memcmp(VARDATA_ANY(left), VARDATA_ANY(right), Min(len_a, len_b));
	if (unlikely(left != (struct varlena *) DatumGetPointer(a)))
		pfree(left);
	if (unlikely(right != (struct varlena *) DatumGetPointer(b)))
		pfree(right);
	return order ? order : (len_a > len_b) - (len_a < len_b);
}

/* ----------------------------------------------------------------------
 * Limits
 * ---------------------------------------------------------------------- */

/* What btree allows, whatever the key's compression. */
#define MAX_ENTRY \
	MAXALIGN_DOWN((BLCKSZ - MAXALIGN(SizeOfPageHeaderData + 3 * sizeof(ItemIdData)) - \
				   MAXALIGN(sizeof(BTPageOpaqueData))) / 3 - MAXALIGN(sizeof(ItemPointerData)))

/* As many columns as a local index has. */
#define MAX_COLUMNS 3

/* Columns as an index entry has them. */
static TupleDesc
entry_descriptor(const uint8 *types, int n)
{
	static const Oid oids[] = {[DDB_N] = NUMERICOID, [DDB_S] = TEXTOID, [DDB_B] = BYTEAOID};
	TupleDesc	desc = CreateTemplateTupleDesc(n);

	for (int k = 0; k < n; k++)
		TupleDescInitEntry(desc, k + 1, NULL, oids[types[k]], -1, 0);
	return desc;
}

/*
 * The size of an index entry of these columns.  One that fits uncompressed is
 * not made to be measured.
 */
static Size
entry_size(const uint8 *types, const Datum *datums, int n)
{
	bool		isnull[MAX_COLUMNS] = {false};
	Datum		values[MAX_COLUMNS];
	Size		size = MAXALIGN(sizeof(IndexTupleData));
	TupleDesc	desc;
	IndexTuple	entry;

	Assert(n <= MAX_COLUMNS);
	for (int k = 0; k < n; k++)
	{
		values[k] = datums[k];
		size += toast_raw_datum_size(datums[k]) + MAXIMUM_ALIGNOF;
	}
	if (likely(size <= MAX_ENTRY))
		return size;
	desc = entry_descriptor(types, n);
	entry = index_form_tuple(desc, values, isnull);
	size = IndexTupleSize(entry);
	pfree(entry);
	FreeTupleDesc(desc);
	return size;
}

void
ddb_key_check_entry(const DdbKeySchema *schema, const Datum *datums)
{
	uint8		types[2] = {schema->attr[0].type, schema->attr[1].type};
	Size		size = entry_size(types, datums, schema->nkeys);

	if (size > MAX_ENTRY)
		ddb_raise_hint(DDB_VALIDATION,
					   "An index entry of PostgreSQL holds less than the longest keys of DynamoDB.",
					   "One or more parameter values were invalid: The key takes %zu bytes in the index, more than the limit of %zu bytes",
					   size, (Size) MAX_ENTRY);
}

bool
ddb_key_columns_fit(const DdbValue *columns, int n, Size rest)
{
	uint8		types[MAX_COLUMNS];
	Datum		datums[MAX_COLUMNS];

	for (int k = 0; k < n; k++)
	{
		types[k] = columns[k].type;
		datums[k] = ddb_key_to_datum(columns[k]);
	}
	return entry_size(types, datums, n) + rest <= MAX_ENTRY;
}

/* The value of a key column, checked as ddb.check_key checks it. */
static DdbValue
checked_value(const DdbKeySchema *schema, int which, Datum datum)
{
	DdbType		type = schema->attr[which].type;
	DdbValue	value;

	if (type == DDB_S)
	{
		text	   *t = DatumGetTextPP(datum);
		uint8	   *copy = palloc(VARSIZE_ANY_EXHDR(t) + 1);
		int			len = unescape((uint8 *) VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), copy);

		if (len < 0)
			ddb_raise_hint(DDB_VALIDATION,
						   "In a key column U+0000 is written U+0001 U+0001, and U+0001 is written U+0001 U+0002.",
						   "One or more parameter values were invalid: Malformed escape in key: %s",
						   schema->attr[which].name);
		value = ddb_value_string((char *) copy, len);
	}
	else
		value = ddb_key_from_datum(type, datum);
	ddb_key_check(schema, which, value);
	return value;
}

/*
 * ddb.check_key(pk [, sk]) → true, or YD001: the table's CHECK constraint.  The
 * messages name the columns, for the constraint knows nothing else.
 */
PG_FUNCTION_INFO_V1(ddb_check_key);

Datum
ddb_check_key(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"pk", "sk"};
	DdbKeySchema schema = {.nkeys = PG_NARGS()};
	Datum		datums[2];

	if (schema.nkeys > lengthof(names))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a table has at most two key columns")));
	for (int k = 0; k < schema.nkeys; k++)
	{
		if (PG_ARGISNULL(k))
			PG_RETURN_NULL();
		if (!ddb_key_type(get_fn_expr_argtype(fcinfo->flinfo, k), &schema.attr[k].type))
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("a key column is of type text, numeric or bytea")));
		schema.attr[k].len = strlen(names[k]);
		strcpy(schema.attr[k].name, names[k]);
	}
	for (int k = 0; k < schema.nkeys; k++)
	{
		datums[k] = PG_GETARG_DATUM(k);
		checked_value(&schema, k, datums[k]);
	}
	ddb_key_check_entry(&schema, datums);
	PG_RETURN_BOOL(true);
}

/* ----------------------------------------------------------------------
 * Order and locks
 * ---------------------------------------------------------------------- */
int
ddb_key_lock_order(Oid relid_a, const DdbKey *a, Oid relid_b, const DdbKey *b)
{
	int			order = (relid_a > relid_b) - (relid_a < relid_b);

	if (order == 0)
		order = ddb_value_compare(a->values[0], b->values[0]);
	if (order == 0 && a->values[1].data && b->values[1].data)
		order = ddb_value_compare(a->values[1], b->values[1]);
	return order;
}
