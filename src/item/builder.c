/*-------------------------------------------------------------------------
 *
 * builder.c
 *	  Bytes from values: maps, lists and sets in their canonical form.
 *
 * A builder collects views and writes nothing before finish, when sizes and
 * order are known: then the body is one allocation, filled front to back.
 * A container is position-independent, so a nested one is built first and
 * copied into its parent like any other payload.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "item/item_int.h"
#include "item/json_int.h"
#include "miscadmin.h"

typedef struct Entry
{
	const char *name;			/* of a map's entry */
	uint32		namelen;
	uint32		ordinal;		/* place in which it was added */
	DdbValue	value;
} Entry;

/* Most containers fit these without a second allocation. */
#define INLINE_ENTRIES 16

struct DdbBuilder
{
	DdbType		type;
	uint32		count;
	uint32		capacity;
	Entry	   *entries;		/* inlined, or palloc'd */
	Entry		inlined[INLINE_ENTRIES];
};

DdbBuilder *
ddb_builder_begin(DdbType type)
{
	DdbBuilder *b = palloc(sizeof(DdbBuilder));

	b->type = type;
	b->count = 0;
	b->capacity = INLINE_ENTRIES;
	b->entries = b->inlined;
	return b;
}

static void
grow(DdbBuilder *b)
{
	/* An entry is at least a byte of the body, so this bounds both. */
	if (b->capacity >= DDB_MAX_BODY / 4)
		ddb_check_item_size(PG_UINT64_MAX);
	b->capacity *= 2;
	if (b->entries == b->inlined)
	{
		b->entries = palloc(b->capacity * sizeof(Entry));
		memcpy(b->entries, b->inlined, sizeof(b->inlined));
	}
	else
		b->entries = repalloc_huge(b->entries, b->capacity * sizeof(Entry));
}

static inline Entry *
add_entry(DdbBuilder *b)
{
	if (unlikely(b->count == b->capacity))
		grow(b);
	return &b->entries[b->count++];
}

void
ddb_check_name(uint32 len)
{
	if (unlikely(len == 0))
		ddb_raise(DDB_VALIDATION, "Empty attribute name");
	if (unlikely(len > DDB_MAX_NAME))
		ddb_raise(DDB_VALIDATION, "Attribute name is too large, must be less than 65536 bytes");
}

void
ddb_builder_put(DdbBuilder *b, const char *name, uint32 len, DdbValue value)
{
	Entry	   *entry = add_entry(b);

	Assert(b->type == DDB_M);
	ddb_check_name(len);
	entry->name = name;
	entry->namelen = len;
	entry->ordinal = b->count;
	entry->value = value;
}

void
ddb_builder_add(DdbBuilder *b, DdbValue value)
{
	Entry	   *entry = add_entry(b);

	Assert(b->type == DDB_L || (ddb_is_set(b->type) && value.type == ddb_member_type(b->type)));
	entry->ordinal = b->count;
	entry->value = value;
}

/* ----- order ----- */

static inline int
compare_names(const Entry *a, const Entry *b)
{
	return ddb_name_compare(a->name, a->namelen, b->name, b->namelen);
}

static inline int
compare_members(const Entry *a, const Entry *b)
{
	return ddb_value_compare(a->value, b->value);
}

static int
qsort_names(const void *a, const void *b)
{
	int			cmp = compare_names(a, b);

	/* Equal names keep their order, for the last one counts. */
	return cmp != 0 ? cmp : ((const Entry *) a)->ordinal < ((const Entry *) b)->ordinal ? -1 : 1;
}

static int
qsort_members(const void *a, const void *b)
{
	return compare_members(a, b);
}

static pg_attribute_always_inline bool
any_equal(const DdbBuilder *b, int (*compare) (const Entry *, const Entry *))
{
	for (uint32 i = 1; i < b->count; i++)
	{
		if (compare(&b->entries[i - 1], &b->entries[i]) == 0)
			return true;
	}
	return false;
}

/*
 * Sorts the entries and says whether two are equal.  Most containers are
 * short or already in order (taken from an item), and insertion sort is the
 * quickest for both, and stable; others cost it more than a few moves and go to
 * qsort.  Inlined, so that each caller has its own with `compare` inlined too.
 */
static pg_attribute_always_inline bool
sort_entries(DdbBuilder *b, int (*compare) (const Entry *, const Entry *),
			 int (*qsort_compare) (const void *, const void *))
{
	Entry	   *e = b->entries;
	uint32		moves = 0;
	bool		equal = false;

	for (uint32 i = 1; i < b->count; i++)
	{
		uint32		j = i;
		Entry		moving;
		int			cmp = compare(&e[i - 1], &e[i]);

		if (cmp > 0)
		{
			moving = e[i];
			do
			{
				e[j] = e[j - 1];
				j--;
				moves++;
			} while (j > 0 && (cmp = compare(&e[j - 1], &moving)) > 0);
			e[j] = moving;
		}
		equal |= cmp == 0;
		if (moves > INLINE_ENTRIES * INLINE_ENTRIES)
		{
			CHECK_FOR_INTERRUPTS();
			qsort(e, b->count, sizeof(Entry), qsort_compare);
			return any_equal(b, compare);
		}
	}
	return equal;
}

/* ----- writing ----- */

/* Allocates a body, refusing what no item could hold. */
static uint8 *
new_body(uint64 size)
{
	if (size > DDB_MAX_BODY)
		ddb_check_item_size(size);
	return palloc((Size) size);
}

static DdbValue
built(DdbType type, uint8 *body, uint64 size)
{
	DdbValue	value;

	value.type = type;
	value.boolean = false;
	value.len = (uint32) size;
	value.data = body;
	return value;
}

static DdbValue
write_short(DdbBuilder *b, uint64 size)
{
	uint8	   *body = new_body(size);
	uint8	   *p = ddb_put_varint(body, b->count << DDB_FORM_BITS | DDB_FORM_SHORT);

	for (uint32 i = 0; i < b->count; i++)
	{
		const Entry *e = &b->entries[i];

		if (b->type == DDB_M)
		{
			p = ddb_put_varint(p, e->namelen);
			memcpy(p, e->name, e->namelen);
			p += e->namelen;
		}
		p = ddb_put_element(p, e->value);
	}
	Assert(p == body + size);
	return built(b->type, body, size);
}

/* Orders (element size << 32 | index): by size, then by name. */
static int
qsort_ranks(const void *a, const void *b)
{
	uint64		x = *(const uint64 *) a,
				y = *(const uint64 *) b;

	return x < y ? -1 : x > y;
}

/* The order in which a long body's elements lie: indexes into entries. */
static uint64 *
rank_elements(const DdbBuilder *b)
{
	uint64	   *ranks = palloc_extended(b->count * sizeof(uint64), MCXT_ALLOC_HUGE);

	for (uint32 i = 0; i < b->count; i++)
		ranks[i] = (uint64) ddb_element_size(b->entries[i].value) << 32 | i;
	if (b->type == DDB_M)
		qsort(ranks, b->count, sizeof(uint64), qsort_ranks);
	return ranks;
}

static DdbValue
write_long(DdbBuilder *b, uint64 names, uint64 elements)
{
	uint32		form = Max(names, elements) <= PG_UINT16_MAX ? DDB_FORM_LONG2 : DDB_FORM_LONG4;
	uint32		width = DDB_FIELD_WIDTH(form);
	uint32		head = b->count << DDB_FORM_BITS | form;
	uint32		step = b->type == DDB_M ? 2 * width : width;
	uint64		size = ddb_varint_size(head) + (uint64) b->count * step + names + elements;
	uint8	   *body = new_body(size);
	uint8	   *directory = ddb_put_varint(body, head);
	uint8	   *p = directory + (size_t) b->count * step;
	uint64	   *ranks = rank_elements(b);
	const uint8 *start = p;

	if (b->type == DDB_M)
	{
		for (uint32 i = 0; i < b->count; i++)
		{
			memcpy(p, b->entries[i].name, b->entries[i].namelen);
			p += b->entries[i].namelen;
			ddb_put_field(directory + (size_t) i * step, width, (uint32) (p - start));
		}
		start = p;
	}
	for (uint32 r = 0; r < b->count; r++)
	{
		uint32		i = (uint32) ranks[r];

		ddb_put_field(directory + (size_t) (i + 1) * step - width, width, (uint32) (p - start));
		p = ddb_put_element(p, b->entries[i].value);
	}
	pfree(ranks);
	Assert(p == body + size);
	return built(b->type, body, size);
}

/* A map or list: short where that is short. */
static DdbValue
write_container(DdbBuilder *b)
{
	uint64		prefixes = ddb_varint_size(b->count << DDB_FORM_BITS);
	uint64		names = 0;
	uint64		elements = 0;

	for (uint32 i = 0; i < b->count; i++)
	{
		const Entry *e = &b->entries[i];

		elements += ddb_element_size(e->value);
		if (b->type == DDB_M)
		{
			prefixes += ddb_varint_size(e->namelen);
			names += e->namelen;
		}
	}
	if (prefixes + names + elements <= DDB_SHORT_BODY)
		return write_short(b, prefixes + names + elements);
	return write_long(b, names, elements);
}

static DdbValue
write_set(DdbBuilder *b)
{
	uint64		size = ddb_varint_size(b->count);
	uint8	   *body,
			   *p;

	for (uint32 i = 0; i < b->count; i++)
		size += (uint64) ddb_varint_size(b->entries[i].value.len) + b->entries[i].value.len;
	body = new_body(size);
	p = ddb_put_varint(body, b->count);
	for (uint32 i = 0; i < b->count; i++)
	{
		const DdbValue *member = &b->entries[i].value;

		p = ddb_put_varint(p, member->len);
		memcpy(p, member->data, member->len);
		p += member->len;
	}
	Assert(p == body + size);
	return built(b->type, body, size);
}

/* ----- sets ----- */

static void
check_nonempty(const DdbBuilder *b)
{
	if (b->count > 0)
		return;
	if (b->type == DDB_BS)
		ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Binary sets should not be empty");
	ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: An %s set  may not be empty",
			  b->type == DDB_SS ? "string" : "number");
}

/* Of equal entries the last one stays. */
static void
drop_equal(DdbBuilder *b, int (*compare) (const Entry *, const Entry *))
{
	uint32		kept = 0;

	for (uint32 i = 1; i < b->count; i++)
	{
		if (compare(&b->entries[kept], &b->entries[i]) != 0)
			kept++;
		b->entries[kept] = b->entries[i];
	}
	b->count = kept + 1;
}

static int
qsort_ordinals(const void *a, const void *b)
{
	uint32		x = ((const Entry *) a)->ordinal,
				y = ((const Entry *) b)->ordinal;

	return x < y ? -1 : x > y;
}

/*
 * The service shows a set's members as they came, and has three ways to say
 * this.  Past MAX_SHOWN bytes the rest is left out.
 */
#define MAX_SHOWN 8192

static void
duplicate_members(DdbBuilder *b)
{
	StringInfoData list;

	if (b->type == DDB_NS)
		ddb_raise(DDB_VALIDATION, "Input collection contains duplicates");

	qsort(b->entries, b->count, sizeof(Entry), qsort_ordinals);
	initStringInfo(&list);
	for (uint32 i = 0; i < b->count && list.len < MAX_SHOWN; i++)
	{
		const DdbValue *member = &b->entries[i].value;

		if (i > 0)
			appendStringInfoString(&list, ", ");
		if (b->type == DDB_BS)
			ddb_append_base64(&list, member->data, member->len);
		else
			appendBinaryStringInfo(&list, (const char *) member->data, member->len);
	}
	ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Input collection [%s]%s contains duplicates.",
			  list.data, b->type == DDB_BS ? "of type BS" : "");
}

static void
sort_map(DdbBuilder *b, DdbDuplicates duplicates)
{
	if (!sort_entries(b, compare_names, qsort_names))
		return;
	if (duplicates == DDB_DUPLICATES_ERROR)
		ddb_raise(DDB_VALIDATION, "Duplicate attribute name");
	drop_equal(b, compare_names);
}

static void
sort_set(DdbBuilder *b, DdbDuplicates duplicates)
{
	check_nonempty(b);
	if (!sort_entries(b, compare_members, qsort_members))
		return;
	if (duplicates == DDB_DUPLICATES_ERROR)
		duplicate_members(b);
	drop_equal(b, compare_members);
}

DdbValue
ddb_builder_finish(DdbBuilder *b, DdbDuplicates duplicates)
{
	DdbValue	value;

	if (ddb_is_set(b->type))
	{
		sort_set(b, duplicates);
		value = write_set(b);
	}
	else
	{
		if (b->type == DDB_M)
			sort_map(b, duplicates);
		value = write_container(b);
	}
	if (b->entries != b->inlined)
		pfree(b->entries);
	pfree(b);
	return value;
}

static DdbItem *
set_item(void *memory, DdbValue map)
{
	Size		size = VARHDRSZ + 1 + (Size) map.len;
	uint8	   *p = (uint8 *) VARDATA(memory);

	Assert(map.type == DDB_M);
	SET_VARSIZE(memory, size);
	*p = DDB_ITEM_VERSION;
	memcpy(p + 1, map.data, map.len);
	return memory;
}

DdbItem *
ddb_item_from_map(DdbValue map)
{
	return set_item(palloc(VARHDRSZ + 1 + (Size) map.len), map);
}

uint8 *
ddb_buffer_reserve(DdbItemBuffer *buffer, Size size)
{
	size += buffer->headroom;
	if (unlikely(size > buffer->size))
	{
		if (buffer->bytes)
			pfree(buffer->bytes);
		buffer->bytes = NULL;
		buffer->size = Max(size, 2 * buffer->size);
		buffer->bytes = MemoryContextAlloc(buffer->context, buffer->size);
	}
	return buffer->bytes + buffer->headroom;
}

DdbItem *
ddb_buffer_map(DdbItemBuffer *buffer, DdbValue map)
{
	return set_item(ddb_buffer_reserve(buffer, VARHDRSZ + 1 + (Size) map.len), map);
}

/* ----- scalars ----- */

static inline DdbValue
scalar(DdbType type, const uint8 *data, uint32 len)
{
	DdbValue	value;

	value.type = type;
	value.boolean = false;
	value.len = len;
	value.data = data;
	return value;
}

DdbValue
ddb_value_string(const char *s, uint32 len)
{
	return scalar(DDB_S, (const uint8 *) s, len);
}

DdbValue
ddb_value_binary(const uint8 *b, uint32 len)
{
	return scalar(DDB_B, b, len);
}

DdbValue
ddb_value_bool(bool b)
{
	DdbValue	value = scalar(DDB_BOOL, NULL, 0);

	value.boolean = b;
	return value;
}

DdbValue
ddb_value_null(void)
{
	return scalar(DDB_NULL, NULL, 0);
}

DdbValue
ddb_value_number(const uint8 *n, uint32 len)
{
	uint8	   *copy = palloc(len);

	memcpy(copy, n, len);
	return scalar(DDB_N, copy, len);
}

DdbValue
ddb_value_copy(DdbValue value)
{
	if (value.len > 0)
	{
		uint8	   *copy = palloc(value.len);

		memcpy(copy, value.data, value.len);
		value.data = copy;
	}
	return value;
}
