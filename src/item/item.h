/*-------------------------------------------------------------------------
 *
 * item.h
 *	  Items: attribute maps of DynamoDB's ten types, as bytes.
 *
 * The format is drawn in docs/item-format.md and at the top of item_int.h;
 * nothing above src/item/ knows a byte of it.  What is read is a DdbValue: a
 * view into bytes that somebody else owns.  What is built is bytes palloc'd
 * in the current memory context.  The bytes are canonical: equal values have
 * equal bytes, so equality and hashing are memcmp.
 *
 * Unless a function says otherwise: pointers are not NULL, strings are UTF-8
 * with a length (never NUL-terminated, they may hold U+0000), results live
 * in the current memory context, and errors are YD001 ValidationException.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_ITEM_H
#define DDB_ITEM_H

#include "base/compat.h"
#include "lib/stringinfo.h"
#include "utils/jsonb.h"
#include "utils/numeric.h"

/* The ten types.  The numbers are part of the on-disk format. */
typedef enum DdbType
{
	DDB_NULL = 0,
	DDB_BOOL = 1,
	DDB_N = 2,
	DDB_S = 3,
	DDB_B = 4,
	DDB_NS = 5,
	DDB_SS = 6,
	DDB_BS = 7,
	DDB_L = 8,
	DDB_M = 9,
} DdbType;
#define DDB_NTYPES 10

/* Limits of an item; the one place for each of them. */
#define DDB_MAX_ITEM_SIZE			(400 * 1024)	/* by DynamoDB's size rule */
#define DDB_MAX_DEPTH				32
#define DDB_MAX_NAME				65535
#define DDB_MAX_KEY_NAME			255
#define DDB_MAX_PARTITION_KEY		2048
#define DDB_MAX_SORT_KEY			1024
#define DDB_MAX_NUMBER_DIGITS		38

/* The varlena that a column of type ddb.item (or a ddb.doc parameter) holds. */
typedef struct varlena DdbItem;

/*
 * A view of one value.  `data` and `len` are the value's payload: the text of
 * a string, the octets of a binary, the ordered bytes of a number, the body
 * of a set, list or map.  NULL and BOOL have none.
 */
typedef struct DdbValue
{
	uint8		type;			/* DdbType */
	bool		boolean;		/* the value of a BOOL */
	uint32		len;
	const uint8 *data;
} DdbValue;

/* A counted string: an attribute's name, a placeholder. */
typedef struct DdbName
{
	const char *data;
	uint32		len;
} DdbName;

/* "S", "NS", "BOOL" ...: the type's DynamoDB tag. */
extern const char *ddb_type_name(DdbType type);

/* True and sets *type when the counted text is one of the ten tags. */
extern bool ddb_type_from_name(const char *s, size_t len, DdbType *type);

/* ----------------------------------------------------------------------
 * number.c: exact decimals of 38 digits
 *
 * A number is 1 to DDB_NUMBER_BYTES bytes whose memcmp order (a shorter one
 * first where one is a prefix of the other) is numeric order.
 * ---------------------------------------------------------------------- */
#define DDB_NUMBER_BYTES	24
#define DDB_NUMBER_TEXT		200 /* longest text, with a final NUL */

/* Parses decimal text; raises YD001 on malformed text, digits or range. */
extern uint32 ddb_number_parse(const char *s, size_t len, uint8 out[DDB_NUMBER_BYTES]);

/*
 * As above without raising: NULL when the number is well, else DynamoDB's
 * message, a constant string.
 */
extern const char *ddb_number_try_parse(const char *s, size_t len,
										uint8 out[DDB_NUMBER_BYTES], uint32 *outlen);

/* Writes DynamoDB's normal form, NUL-terminated; returns its length. */
extern uint32 ddb_number_print(const uint8 *n, uint32 len, char out[DDB_NUMBER_TEXT]);

/* Exact sum and difference; raises YD001 when 38 digits or the range are left. */
extern uint32 ddb_number_add(DdbValue a, DdbValue b, uint8 out[DDB_NUMBER_BYTES]);
extern uint32 ddb_number_subtract(DdbValue a, DdbValue b, uint8 out[DDB_NUMBER_BYTES]);

extern uint32 ddb_number_from_int64(int64 i, uint8 out[DDB_NUMBER_BYTES]);

/* Conversions of key columns.  NaN, infinities and excess raise YD001. */
extern uint32 ddb_number_from_numeric(Numeric num, uint8 out[DDB_NUMBER_BYTES]);
extern Numeric ddb_number_to_numeric(const uint8 *n, uint32 len);

/* Are these bytes what ddb_number_parse() would write for some number? */
extern bool ddb_number_valid(const uint8 *n, uint32 len);

/* ----------------------------------------------------------------------
 * reader.c: views of values; validate.c: distrust of bytes
 * ---------------------------------------------------------------------- */

/* The item's attribute map.  The item must be detoasted (packed is enough). */
extern DdbValue ddb_item_map(const DdbItem *item);

/* Finds a map's entry; false when it has none. */
extern bool ddb_map_get(DdbValue map, const char *name, uint32 len, DdbValue *value);

/*
 * The same for several names, which are distinct and in the format's order;
 * where there is no such entry, the value's data is NULL.
 */
extern void ddb_map_get_all(DdbValue map, const DdbName *names, int n, DdbValue *values);

/* The format's order of names: the shorter one first, then by bytes. */
extern int	ddb_map_order(DdbName a, DdbName b);

/* Finds a list's element; false past the end. */
extern bool ddb_list_get(DdbValue list, uint32 index, DdbValue *value);

/* Entries of a map, elements of a list or set. */
extern uint32 ddb_value_count(DdbValue container);

/*
 * Walks a map (in the format's name order), a list (in its order) or a set
 * (in ascending order of its members).  `name` is set for maps only.
 *
 *		DdbIter		it;
 *
 *		ddb_iter_begin(&it, map);
 *		while (ddb_iter_next(&it, &name, &value)) ...
 */
typedef struct DdbIter
{
	DdbValue	container;
	uint32		index;
	uint32		count;
	const uint8 *next;			/* private to reader.c */
	uint32		form;			/* private to reader.c */
} DdbIter;

extern void ddb_iter_begin(DdbIter *it, DdbValue container);
extern bool ddb_iter_next(DdbIter *it, DdbName *name, DdbValue *value);

/*
 * One top-level attribute of a stored item, reading no more of a toasted
 * datum than that takes.  False when the item has no such attribute.
 */
extern bool ddb_datum_get(Datum item, const char *name, uint32 len, DdbValue *value);

/*
 * Checks bytes of unknown origin from end to end: form, bounds, order,
 * duplicates, UTF-8, canonical numbers, depth, size.  Raises
 * ERRCODE_INVALID_BINARY_REPRESENTATION.  What passes is safe for every reader.
 */
extern void ddb_item_validate(const uint8 *data, size_t len);

/* ----------------------------------------------------------------------
 * builder.c: bytes from values
 *
 * Values are given as views: their payload must stay until finish, which
 * copies it.  Containers are built from the inside out.
 * ---------------------------------------------------------------------- */
typedef struct DdbBuilder DdbBuilder;

/* type: DDB_M, DDB_L, DDB_SS, DDB_NS or DDB_BS */
extern DdbBuilder *ddb_builder_begin(DdbType type);

/* Map entries in any order. */
extern void ddb_builder_put(DdbBuilder *b, const char *name, uint32 len, DdbValue value);

/* The next element of a list, or a member of a set in any order. */
extern void ddb_builder_add(DdbBuilder *b, DdbValue value);

/* What is done about equal members of a set, and entries of one name in a map. */
typedef enum DdbDuplicates
{
	DDB_DUPLICATES_ERROR,		/* "contains duplicates", for input */
	DDB_DUPLICATES_MERGE,		/* keep the last: set union, repeated JSON members */
} DdbDuplicates;

/* The built value, palloc'd.  An empty set is an error. Frees the builder. */
extern DdbValue ddb_builder_finish(DdbBuilder *b, DdbDuplicates duplicates);

/*
 * Appends a map of these entries, in the format's order of names, whose data is
 * not NULL.  Short whatever its length: for ddb_map_get(), not to be stored.
 */
extern void ddb_map_append(StringInfo out, const DdbName *names, const DdbValue *values, int n);

/* An entry of a map to put, or to remove if it is there (patch.c). */
typedef struct DdbMapChange
{
	DdbName		name;
	bool		remove;
	DdbValue	value;
} DdbMapChange;

/* The map with these changes, of distinct names; puts `changes` in order. */
extern DdbValue ddb_map_patch(DdbValue map, DdbMapChange *changes, uint32 n);

/* An item (a varlena of its own) with the attributes of this map. */
extern DdbItem *ddb_item_from_map(DdbValue map);

/* Memory for one item at a time, behind some bytes that are the owner's. */
typedef struct DdbItemBuffer
{
	MemoryContext context;
	Size		headroom;		/* aligned */
	Size		size;
	uint8	   *bytes;			/* NULL until there was an item */
} DdbItemBuffer;

extern DdbItem *ddb_buffer_map(DdbItemBuffer *buffer, DdbValue map);

/* Scalars.  Strings and binaries are not copied. */
extern DdbValue ddb_value_string(const char *s, uint32 len);
extern DdbValue ddb_value_binary(const uint8 *b, uint32 len);
extern DdbValue ddb_value_bool(bool b);
extern DdbValue ddb_value_null(void);
/* Copies a number's bytes. */
extern DdbValue ddb_value_number(const uint8 *n, uint32 len);
/* A copy of a value and its payload in the current memory context. */
extern DdbValue ddb_value_copy(DdbValue value);

/* ----------------------------------------------------------------------
 * compare.c: equality, order and size
 * ---------------------------------------------------------------------- */
extern bool ddb_value_equal(DdbValue a, DdbValue b);

/*
 * Walks the names of the attributes that two maps do not have alike, in the
 * format's order.
 *
 *		DdbDifferences d;
 *
 *		ddb_differences_begin(&d, a, b);
 *		while (ddb_differences_next(&d, &name)) ...
 */
typedef struct DdbSide
{
	DdbIter		it;				/* private to compare.c, all of it */
	bool		is_short;
	bool		wanted;
	bool		has;
	const uint8 *next;
	const uint8 *end;
	DdbName		name;
	DdbValue	value;
} DdbSide;

typedef struct DdbDifferences
{
	DdbSide		a;				/* private to compare.c, too */
	DdbSide		b;
	Size		tail;
} DdbDifferences;

extern void ddb_differences_begin(DdbDifferences *d, DdbValue a, DdbValue b);
extern bool ddb_differences_next(DdbDifferences *d, DdbName *name);

/* Order of two S, N or B of one type: by bytes, numbers by value. */
extern int	ddb_value_compare(DdbValue a, DdbValue b);

/* The least value beyond all that begin with this one; false if there is none. */
extern bool ddb_value_after_prefix(DdbValue prefix, DdbValue *next);

/* Is `member` (S, N or B) in the set, or any value in the list? */
extern bool ddb_value_contains(DdbValue container, DdbValue member);

extern uint64 ddb_value_hash(DdbValue value);

/* DynamoDB's size in bytes: of a value, and of a map with its names. */
extern uint32 ddb_value_size(DdbValue value);
extern uint32 ddb_map_size(DdbValue map);

/* Raises "Item size has exceeded ..." for more than an item may hold. */
extern void ddb_check_item_size(uint64 size);

/* The same for an item of this map; returns it. */
extern DdbValue ddb_map_check_size(DdbValue map);

/* Containers within containers: 0 for a scalar, 1 for a map of scalars. */
extern int	ddb_value_depth(DdbValue value);

/* Raises YD001 for a container inside too many others; an item's own map is the first. */
extern void ddb_check_depth(int depth);

/* ----------------------------------------------------------------------
 * Keys and records: how rows look to the layers above storage
 * ---------------------------------------------------------------------- */

/* One key attribute: its name and type (DDB_S, DDB_N or DDB_B). */
typedef struct DdbKeyAttr
{
	uint16		len;
	uint8		type;			/* DdbType */
	char		name[DDB_MAX_KEY_NAME + 1]; /* NUL-terminated too */
} DdbKeyAttr;

typedef struct DdbKeySchema
{
	int			nkeys;			/* 1, or 2 with a sort key */
	DdbKeyAttr	attr[2];		/* partition key, sort key */
} DdbKeySchema;

/* A key: values[0] is the partition key, values[1] the sort key if any. */
typedef struct DdbKey
{
	DdbValue	values[2];
} DdbKey;

/*
 * A stored item as it lies: the key attributes apart, the others in `map`.
 * Reading it needs no assembly.  schema == NULL means there is no item: every
 * attribute is missing.
 */
typedef struct DdbRecord
{
	const DdbKeySchema *schema;
	DdbKey		key;
	DdbValue	map;
} DdbRecord;

/*
 * The key of what is queried: of a table, or of an index with several
 * attributes for its partition key or its sort key.
 */
typedef struct DdbQueryKey
{
	int			npartition;
	int			nsort;			/* 0: there is no sort key */
	const DdbKeyAttr *partition;
	const DdbKeyAttr *sort;
} DdbQueryKey;

/*
 * Which items of a collection are wanted: made by expr/, read by storage/.
 * low and high are of the sort key's type.  Where a key has several attributes
 * its values are tuples (tuple.c), and the conditions on sort attributes
 * become one range of tuples.
 */
typedef enum DdbKeyOp
{
	DDB_KEY_ALL,				/* the whole collection */
	DDB_KEY_EQ, DDB_KEY_LT, DDB_KEY_LE, DDB_KEY_GT, DDB_KEY_GE,
	DDB_KEY_BETWEEN,			/* low and high, both inclusive */
	DDB_KEY_BEGINS_WITH,
	DDB_KEY_WITHIN,				/* from low to before high; no data is no bound */
} DdbKeyOp;

typedef struct DdbKeyCondition
{
	DdbValue	partition;
	DdbKeyOp	op;
	DdbValue	low;			/* the operand; BETWEEN's first */
	DdbValue	high;			/* BETWEEN's second */
} DdbKeyCondition;

/* A top-level attribute of the record, a key attribute included. */
extern bool ddb_record_get(const DdbRecord *record, const char *name, uint32 len, DdbValue *value);

/* The whole item: keys and attributes together (record.c). */
extern DdbItem *ddb_record_item(const DdbRecord *record);
extern DdbItem *ddb_buffer_record(DdbItemBuffer *buffer, const DdbRecord *record);
extern DdbValue ddb_record_map(const DdbRecord *record);
extern uint32 ddb_record_size(const DdbRecord *record);

/*
 * Takes a whole item apart: the key into *key (views into map), the other
 * attributes into *rest.  Raises YD001 in DynamoDB's words for a missing key,
 * a key of the wrong type, an empty or an over-long one.
 */
extern void ddb_map_split(DdbValue map, const DdbKeySchema *schema, DdbKey *key, DdbValue *rest);

/* Checks one key value's type, emptiness and length; raises YD001. */
extern void ddb_key_check(const DdbKeySchema *schema, int which, DdbValue value);
extern void ddb_key_attr_check(const DdbKeyAttr *attr, bool partition, DdbValue value);

/* ----------------------------------------------------------------------
 * tuple.c: several scalars as bytes that sort as they do
 * ---------------------------------------------------------------------- */

/*
 * Appends a value; not whole: as the beginning of a value, so that the bytes
 * are a prefix of every tuple whose value at this place begins with it.
 */
extern void ddb_tuple_append(StringInfo out, DdbValue value, bool whole);

/* The values as one B, palloc'd. */
extern DdbValue ddb_tuple(const DdbValue *values, int n);

/* ----------------------------------------------------------------------
 * digest.c: what entries in indexes know their item by
 * ---------------------------------------------------------------------- */

/*
 * What an index entry knows its item by: the first half of the SHA-256 of the
 * key as a tuple.  And which of n shards the item with this digest is in.
 */
#define DDB_ENTRY_DIGEST	16

extern void ddb_key_digest(const DdbKeySchema *schema, const DdbKey *key,
						   uint8 digest[DDB_ENTRY_DIGEST]);
extern int	ddb_key_shard(const uint8 digest[DDB_ENTRY_DIGEST], int shards);

/* ----------------------------------------------------------------------
 * json.c: DynamoDB JSON {"a":{"N":"1"}} and plain JSON {"a":1}
 * ---------------------------------------------------------------------- */
typedef enum DdbJsonForm
{
	DDB_JSON_TYPED,				/* DynamoDB JSON: lossless */
	DDB_JSON_PLAIN,				/* sets as arrays, binary as base64 */
	DDB_JSON_WIRE,				/* written only: TYPED without blanks */
} DdbJsonForm;

/*
 * Parses an attribute map, or one value.  Malformed JSON or a member of the
 * wrong JSON type is YD015 SerializationException, a bad value YD001; the
 * whole text is checked for the first before anything is said of the second.
 * Of members with one name in an object the last one counts.
 */
extern DdbValue ddb_map_from_json(const char *json, size_t len, DdbJsonForm form);

/*
 * Appends JSON text: of an attribute map {"a": {"N": "1"}}, or of one value
 * {"N": "1"}.  A plain string with U+0000 comes out as \u0000.
 */
extern void ddb_map_to_json(StringInfo out, DdbValue map, DdbJsonForm form);
extern void ddb_value_to_json(StringInfo out, DdbValue value, DdbJsonForm form);

/*
 * The JSON reader beneath, for requests: a tree whose strings are decoded
 * (UTF-8 with a length, U+0000 allowed).  It points into the text, which must
 * stay.  Raises YD015; depth is bounded.
 */
typedef enum DdbJsonType
{
	DDB_JSON_NULL, DDB_JSON_FALSE, DDB_JSON_TRUE, DDB_JSON_NUMBER,
	DDB_JSON_STRING, DDB_JSON_ARRAY, DDB_JSON_OBJECT
} DdbJsonType;

typedef struct DdbJson DdbJson;
struct DdbJson
{
	DdbJsonType type;
	DdbName		name;			/* in an object: the member's name */
	DdbName		text;			/* STRING: decoded; NUMBER: as written */
	DdbName		source;			/* the value's own JSON text */
	uint32		count;			/* members or elements */
	DdbJson    *child;			/* the first */
	DdbJson    *next;			/* the next in the same parent */
};

extern DdbJson *ddb_json_parse(const char *json, size_t len);
/* A member of an object by name (the last such), or NULL. */
extern const DdbJson *ddb_json_get(const DdbJson *object, const char *name);
/* The same, and NULL for a null: what a request leaves out. */
extern const DdbJson *ddb_json_member(const DdbJson *object, const char *name);
/* Values from a tree already parsed, by the same rules as from text. */
extern DdbValue ddb_map_from_tree(const DdbJson *tree, DdbJsonForm form);
extern DdbValue ddb_value_from_tree(const DdbJson *tree, DdbJsonForm form);
/*
 * Checks the JSON types in one value of DynamoDB JSON and nothing else
 * (YD015): a request's members are all checked so before any of them is read.
 */
extern void ddb_value_check_tree(const DdbJson *tree);
/* Appends a JSON string literal with its quotes. */
extern void ddb_json_string(StringInfo out, const char *s, uint32 len);

/* ----------------------------------------------------------------------
 * jsonb.c: plain JSON in PostgreSQL's binary form
 * ---------------------------------------------------------------------- */
extern DdbValue ddb_map_from_jsonb(Jsonb *jsonb);

/* Raise where a string holds U+0000; the error names the attribute. */
extern Jsonb *ddb_map_to_jsonb(DdbValue map);
extern Jsonb *ddb_attribute_to_jsonb(DdbName attribute, DdbValue value);

/* Raises if the string, found in this attribute, holds U+0000. */
extern void ddb_text_check(DdbName attribute, const char *s, uint32 len);

/* ----------------------------------------------------------------------
 * document.c: what PostgreSQL's users do with documents
 * ---------------------------------------------------------------------- */

/*
 * Containment as jsonb has it: a map contains each attribute of the other, a
 * list contains each element somewhere, a set each member, and a set contains
 * a list of members too, for plain JSON has no sets.
 */
extern bool ddb_value_covers(DdbValue outer, DdbValue inner);

/* One step of a path: an attribute's name, or an index as text (-1 is the last). */
extern bool ddb_value_step(DdbValue container, DdbName step, DdbValue *value);

/* The attributes of both; the right one's where both have it. */
extern DdbValue ddb_map_merge(DdbValue left, DdbValue right);

extern DdbValue ddb_map_without(DdbValue map, const DdbName *names, int count);

/* Without what the path names; a path that leads nowhere changes nothing. */
extern DdbValue ddb_map_without_path(DdbValue map, const DdbName *path, int count);

/* These attributes, lists in the map, become sets.  Absent ones and sets stay as they are. */
extern DdbValue ddb_map_to_sets(DdbValue map, const DdbName *names, int count);

#endif							/* DDB_ITEM_H */
