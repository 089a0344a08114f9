/*-------------------------------------------------------------------------
 *
 * record.c
 *	  Whole items and their two parts: the key, and the other attributes.
 *
 * A row keeps its key attributes in columns and all others in an item.  Most
 * items are short bodies, and for those both directions are one pass over the
 * entries with one allocation: the key's entries are merged into, or dropped
 * from, entries that are in order already.  Long bodies go through a builder.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "base/errors.h"
#include "item/item_int.h"

static inline bool
same_name(const DdbKeyAttr *attr, const char *name, uint32 len)
{
	return attr->len == len && memcmp(attr->name, name, len) == 0;
}

/* Which key attribute has this name, or -1. */
static inline int
key_index(const DdbKeySchema *schema, const char *name, uint32 len)
{
	for (int k = 0; k < schema->nkeys; k++)
	{
		if (same_name(&schema->attr[k], name, len))
			return k;
	}
	return -1;
}

bool
ddb_record_get(const DdbRecord *record, const char *name, uint32 len, DdbValue *value)
{
	int			k;

	if (record->schema == NULL)
		return false;
	k = key_index(record->schema, name, len);
	if (k >= 0)
	{
		*value = record->key.values[k];
		return true;
	}
	return ddb_map_get(record->map, name, len, value);
}

uint32
ddb_record_size(const DdbRecord *record)
{
	uint32		size;

	if (record->schema == NULL)
		return 0;
	size = ddb_map_size(record->map);
	for (int k = 0; k < record->schema->nkeys; k++)
		size += record->schema->attr[k].len + ddb_value_size(record->key.values[k]);
	return size;
}

/* ----- putting together ----- */

/* The key attributes in the order in which names stand in a body. */
static void
key_order(const DdbKeySchema *schema, int order[2])
{
	order[0] = 0;
	order[1] = 1;
	if (schema->nkeys == 2 &&
		ddb_name_compare(schema->attr[0].name, schema->attr[0].len,
						 schema->attr[1].name, schema->attr[1].len) > 0)
	{
		order[0] = 1;
		order[1] = 0;
	}
}

static inline uint8 *
put_key(uint8 *p, const DdbRecord *record, int k)
{
	const DdbKeyAttr *attr = &record->schema->attr[k];

	p = ddb_put_varint(p, attr->len);
	ddb_copy(p, attr->name, attr->len);
	return ddb_put_element(p + attr->len, record->key.values[k]);
}

/*
 * Merges the key's entries into a short body's at p.  False when the body
 * already has an attribute of that name, which only plain SQL can bring
 * about; the column then goes before it.
 */
static bool
merge_entries(const DdbRecord *record, const uint8 *from, const uint8 *end, uint8 *p, uint8 **written)
{
	const uint8 *copied = from;
	int			order[2];
	int			k = 0;

	key_order(record->schema, order);
	while (k < record->schema->nkeys && from < end)
	{
		const DdbKeyAttr *attr = &record->schema->attr[order[k]];
		uint32		len;
		const uint8 *name = ddb_varint(from, &len);
		int			cmp = ddb_name_compare((const char *) name, len, attr->name, attr->len);

		if (cmp == 0)
			return false;
		if (cmp > 0)
		{
			if (from > copied)
				memcpy(p, copied, from - copied);
			p = put_key(p + (from - copied), record, order[k++]);
			copied = from;
		}
		else
			from = ddb_skip_element(name + len);
	}
	memcpy(p, copied, end - copied);
	p += end - copied;
	for (; k < record->schema->nkeys; k++)
		p = put_key(p, record, order[k]);
	*written = p;
	return true;
}

/*
 * The short way: the body, behind `headroom` free bytes, in the buffer or memory
 * of its own.  NULL when the whole is not short.
 */
static uint8 *
assemble_short(const DdbRecord *record, DdbItemBuffer *buffer, Size headroom, uint32 *len)
{
	const DdbValue *map = &record->map;
	uint32		head;
	const uint8 *entries = ddb_varint(map->data, &head);
	const uint8 *end = map->data + map->len;
	Size		size;
	uint8	   *result,
			   *p;

	if ((head & DDB_FORM_MASK) != DDB_FORM_SHORT)
		return NULL;
	head += record->schema->nkeys << DDB_FORM_BITS;
	size = ddb_varint_size(head) + (end - entries);
	for (int k = 0; k < record->schema->nkeys; k++)
	{
		uint32		namelen = record->schema->attr[k].len;

		size += ddb_varint_size(namelen) + namelen + ddb_element_size(record->key.values[k]);
	}
	if (size > DDB_SHORT_BODY)
		return NULL;

	result = buffer ? ddb_buffer_reserve(buffer, headroom + size) : palloc(headroom + size);
	p = ddb_put_varint(result + headroom, head);
	if (!merge_entries(record, entries, end, p, &p))
	{
		if (buffer == NULL)
			pfree(result);
		return NULL;
	}
	Assert(p == result + headroom + size);
	*len = (uint32) size;
	return result;
}

static DdbValue
assemble_long(const DdbRecord *record)
{
	DdbBuilder *b = ddb_builder_begin(DDB_M);
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	ddb_iter_begin(&it, record->map);
	while (ddb_iter_next(&it, &name, &value))
	{
		if (key_index(record->schema, name.data, name.len) < 0)
			ddb_builder_put(b, name.data, name.len, value);
	}
	for (int k = 0; k < record->schema->nkeys; k++)
		ddb_builder_put(b, record->schema->attr[k].name, record->schema->attr[k].len,
						record->key.values[k]);
	return ddb_builder_finish(b, DDB_DUPLICATES_ERROR);
}

static inline DdbItem *
short_item(const DdbRecord *record, DdbItemBuffer *buffer)
{
	Size		headroom = VARHDRSZ + 1;
	uint32		len;
	uint8	   *bytes = assemble_short(record, buffer, headroom, &len);

	if (bytes)
	{
		SET_VARSIZE(bytes, headroom + len);
		bytes[VARHDRSZ] = DDB_ITEM_VERSION;
	}
	return (DdbItem *) bytes;
}

DdbItem *
ddb_record_item(const DdbRecord *record)
{
	DdbItem    *item = short_item(record, NULL);

	return item ? item : ddb_item_from_map(assemble_long(record));
}

DdbItem *
ddb_buffer_record(DdbItemBuffer *buffer, const DdbRecord *record)
{
	DdbItem    *item = short_item(record, buffer);

	return item ? item : ddb_buffer_map(buffer, assemble_long(record));
}

DdbValue
ddb_record_map(const DdbRecord *record)
{
	DdbValue	map;
	uint8	   *bytes = assemble_short(record, NULL, 0, &map.len);

	if (bytes == NULL)
		return assemble_long(record);
	map.type = DDB_M;
	map.boolean = false;
	map.data = bytes;
	return map;
}

/* ----- taking apart ----- */

void
ddb_key_attr_check(const DdbKeyAttr *attr, bool partition, DdbValue value)
{
	if (value.type != attr->type)
		ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Type mismatch for key %s expected: %s actual: %s",
				  attr->name, ddb_type_name(attr->type), ddb_type_name(value.type));
	if (value.len == 0)
		ddb_raise(DDB_VALIDATION, "One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s",
				  value.type == DDB_S ? "string" : "binary", attr->name);
	if (partition && value.len > DDB_MAX_PARTITION_KEY)
		ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Size of hashkey has exceeded the maximum size limit of%d bytes",
				  DDB_MAX_PARTITION_KEY);
	if (!partition && value.len > DDB_MAX_SORT_KEY)
		ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Aggregated size of all range keys has exceeded the size limit of %d bytes",
				  DDB_MAX_SORT_KEY);
}

void
ddb_key_check(const DdbKeySchema *schema, int which, DdbValue value)
{
	ddb_key_attr_check(&schema->attr[which], which == 0, value);
}

/*
 * Copies a short body's entries except the key's, which go into *key.
 * `found` gets a bit for each key attribute met; the result is good only if
 * that is all of them.
 */
static DdbValue
split_short(DdbValue map, const DdbKeySchema *schema, DdbKey *key, int *found)
{
	uint32		head;
	const uint8 *from = ddb_varint(map.data, &head);
	const uint8 *end = map.data + map.len;
	const uint8 *copied = from;
	uint8	   *body = palloc(map.len);
	uint8	   *p = ddb_put_varint(body, head - (schema->nkeys << DDB_FORM_BITS));
	DdbValue	rest = map;

	while (from < end)
	{
		uint32		len;
		const uint8 *name = ddb_varint(from, &len);
		int			k = key_index(schema, (const char *) name, len);

		if (k < 0)
		{
			from = ddb_skip_element(name + len);
			continue;
		}
		memcpy(p, copied, from - copied);
		p += from - copied;
		from = copied = ddb_element(name + len, &key->values[k]);
		*found |= 1 << k;
	}
	memcpy(p, copied, end - copied);
	p += end - copied;

	rest.data = body;
	rest.len = (uint32) (p - body);
	return rest;
}

static DdbValue
split_long(DdbValue map, const DdbKeySchema *schema, DdbKey *key, int *found)
{
	DdbBuilder *b = ddb_builder_begin(DDB_M);
	DdbIter		it;
	DdbName		name;
	DdbValue	value;

	ddb_iter_begin(&it, map);
	while (ddb_iter_next(&it, &name, &value))
	{
		int			k = key_index(schema, name.data, name.len);

		if (k < 0)
			ddb_builder_put(b, name.data, name.len, value);
		else
		{
			key->values[k] = value;
			*found |= 1 << k;
		}
	}
	return ddb_builder_finish(b, DDB_DUPLICATES_ERROR);
}

void
ddb_map_split(DdbValue map, const DdbKeySchema *schema, DdbKey *key, DdbValue *rest)
{
	uint32		head;
	int			found = 0;

	ddb_varint(map.data, &head);
	if ((head & DDB_FORM_MASK) == DDB_FORM_SHORT && (head >> DDB_FORM_BITS) >= schema->nkeys)
		*rest = split_short(map, schema, key, &found);
	else
		*rest = split_long(map, schema, key, &found);

	for (int k = 0; k < schema->nkeys; k++)
	{
		if ((found & 1 << k) == 0)
			ddb_raise(DDB_VALIDATION, "One or more parameter values were invalid: Missing the key %s in the item",
					  schema->attr[k].name);
		ddb_key_check(schema, k, key->values[k]);
	}
}
