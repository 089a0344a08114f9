/* ddb--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION ddb" to load this file. \quit

DO $$
BEGIN
	IF pg_catalog.current_setting('server_encoding') <> 'UTF8' THEN
		RAISE EXCEPTION 'ddb works in UTF8 databases only'
			USING ERRCODE = 'feature_not_supported',
				  HINT = 'Create the database with ENCODING ''UTF8''.';
	END IF;
END
$$;

-- Functions and types live in schema ddb, operators in the extension's own
-- schema (public by default), or nobody would find them.
CREATE SCHEMA ddb;
COMMENT ON SCHEMA ddb IS 'functions and types of DynamoDB''s single-table model';
GRANT USAGE ON SCHEMA ddb TO PUBLIC;

-------------------------------------------------------------------------------
-- item/: ddb.item, ddb.doc, their JSON, casts and operators
-------------------------------------------------------------------------------

CREATE TYPE ddb.item;
COMMENT ON TYPE ddb.item IS 'an item: a map of attributes of DynamoDB''s ten types; its text is DynamoDB JSON';

CREATE FUNCTION ddb.item_in(cstring) RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_item_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_in(cstring) IS 'I/O: reads DynamoDB JSON';

CREATE FUNCTION ddb.item_out(ddb.item) RETURNS cstring
AS 'MODULE_PATHNAME', 'ddb_fn_item_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_out(ddb.item) IS 'I/O: writes DynamoDB JSON';

CREATE FUNCTION ddb.item_recv(internal) RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_item_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_recv(internal) IS 'I/O: takes an item''s bytes and checks them from end to end';

CREATE FUNCTION ddb.item_send(ddb.item) RETURNS bytea
AS 'MODULE_PATHNAME', 'ddb_fn_item_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_send(ddb.item) IS 'I/O: hands out an item''s bytes';

CREATE TYPE ddb.item (
	INPUT = ddb.item_in, OUTPUT = ddb.item_out, RECEIVE = ddb.item_recv, SEND = ddb.item_send,
	INTERNALLENGTH = VARIABLE, STORAGE = extended, CATEGORY = 'U'
);

CREATE TYPE ddb.doc;
COMMENT ON TYPE ddb.doc IS 'a parameter that takes plain JSON, as a literal, json, jsonb or an item; not for columns';

CREATE FUNCTION ddb.doc_in(cstring) RETURNS ddb.doc
AS 'MODULE_PATHNAME', 'ddb_fn_doc_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.doc_in(cstring) IS 'I/O: reads plain JSON';

CREATE FUNCTION ddb.doc_out(ddb.doc) RETURNS cstring
AS 'MODULE_PATHNAME', 'ddb_fn_doc_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.doc_out(ddb.doc) IS 'I/O: writes plain JSON';

CREATE FUNCTION ddb.doc_recv(internal) RETURNS ddb.doc
AS 'MODULE_PATHNAME', 'ddb_fn_doc_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.doc_recv(internal) IS 'I/O: reads plain JSON, as drivers send it in buffers';

CREATE FUNCTION ddb.doc_send(ddb.doc) RETURNS bytea
AS 'MODULE_PATHNAME', 'ddb_fn_doc_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.doc_send(ddb.doc) IS 'I/O: writes plain JSON';

CREATE TYPE ddb.doc (
	INPUT = ddb.doc_in, OUTPUT = ddb.doc_out, RECEIVE = ddb.doc_recv, SEND = ddb.doc_send,
	INTERNALLENGTH = VARIABLE, STORAGE = extended, CATEGORY = 'U'
);

-- Casts.  From an item to jsonb only on demand: both ways implicit would be
-- ambiguous for every operator that jsonb shares, and would let sets decay
-- to arrays unnoticed.  The cast to json is what PostgreSQL's JSON functions
-- look for: json_agg(item), to_jsonb(row) and the like nest objects by it.

CREATE FUNCTION ddb.to_item(jsonb) RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_jsonb_to_item' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.to_item(jsonb) IS 'the item that a JSON object is; nothing in it becomes a set or binary';

CREATE FUNCTION ddb.to_item(json) RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_json_to_item' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.to_item(json) IS 'the item that a JSON object is; nothing in it becomes a set or binary';

CREATE FUNCTION ddb.to_item(ddb.doc) RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_doc_to_item' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.to_item(ddb.doc) IS 'the item that a document is';

CREATE FUNCTION ddb.to_doc(jsonb) RETURNS ddb.doc
AS 'MODULE_PATHNAME', 'ddb_fn_jsonb_to_doc' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.to_doc(jsonb) IS 'the document that a JSON object is';

CREATE FUNCTION ddb.to_doc(json) RETURNS ddb.doc
AS 'MODULE_PATHNAME', 'ddb_fn_json_to_doc' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.to_doc(json) IS 'the document that a JSON object is';

CREATE FUNCTION ddb.to_jsonb(ddb.item) RETURNS jsonb
AS 'MODULE_PATHNAME', 'ddb_fn_item_to_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.to_jsonb(ddb.item) IS 'plain JSON; sets become arrays and binary base64, which loses the type';

CREATE FUNCTION ddb.to_json(ddb.item) RETURNS json
AS 'MODULE_PATHNAME', 'ddb_fn_item_to_json' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.to_json(ddb.item) IS 'plain JSON; sets become arrays and binary base64, which loses the type';

CREATE CAST (jsonb AS ddb.item) WITH FUNCTION ddb.to_item(jsonb) AS IMPLICIT;
COMMENT ON CAST (jsonb AS ddb.item) IS 'plain JSON where an item or document is wanted';
CREATE CAST (json AS ddb.item) WITH FUNCTION ddb.to_item(json) AS ASSIGNMENT;
COMMENT ON CAST (json AS ddb.item) IS 'plain JSON assigned to an item';
CREATE CAST (ddb.doc AS ddb.item) WITH FUNCTION ddb.to_item(ddb.doc) AS ASSIGNMENT;
COMMENT ON CAST (ddb.doc AS ddb.item) IS 'plain JSON assigned to an item';
CREATE CAST (jsonb AS ddb.doc) WITH FUNCTION ddb.to_doc(jsonb) AS IMPLICIT;
COMMENT ON CAST (jsonb AS ddb.doc) IS 'plain JSON where an item or document is wanted';
CREATE CAST (json AS ddb.doc) WITH FUNCTION ddb.to_doc(json) AS IMPLICIT;
COMMENT ON CAST (json AS ddb.doc) IS 'plain JSON where an item or document is wanted';
CREATE CAST (ddb.item AS jsonb) WITH FUNCTION ddb.to_jsonb(ddb.item);
COMMENT ON CAST (ddb.item AS jsonb) IS 'plain JSON; sets and binary lose their type';
CREATE CAST (ddb.item AS json) WITH FUNCTION ddb.to_json(ddb.item);
COMMENT ON CAST (ddb.item AS json) IS 'plain JSON; sets and binary lose their type';
CREATE CAST (ddb.item AS ddb.doc) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (ddb.item AS ddb.doc) IS 'an item where a document is wanted; sets and binary stay what they are';

-- Operators, shaped after jsonb's.

CREATE FUNCTION ddb.item_get(item ddb.item, name text) RETURNS jsonb
AS 'MODULE_PATHNAME', 'ddb_fn_item_get' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_get(item ddb.item, name text) IS 'an attribute as jsonb, NULL if there is none';

CREATE FUNCTION ddb.item_get_text(item ddb.item, name text) RETURNS text
AS 'MODULE_PATHNAME', 'ddb_fn_item_get_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_get_text(item ddb.item, name text) IS 'an attribute as text, NULL if there is none or it is null';

CREATE FUNCTION ddb.item_get_path(item ddb.item, path text[]) RETURNS jsonb
AS 'MODULE_PATHNAME', 'ddb_fn_item_get_path' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_get_path(item ddb.item, path text[]) IS 'what a path leads to, as jsonb';

CREATE FUNCTION ddb.item_get_path_text(item ddb.item, path text[]) RETURNS text
AS 'MODULE_PATHNAME', 'ddb_fn_item_get_path_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_get_path_text(item ddb.item, path text[]) IS 'what a path leads to, as text';

CREATE FUNCTION ddb.has(item ddb.item, name text) RETURNS boolean
AS 'MODULE_PATHNAME', 'ddb_fn_item_has' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.has(item ddb.item, name text) IS 'does the item have the attribute?';

CREATE FUNCTION ddb.item_has_any(item ddb.item, names text[]) RETURNS boolean
AS 'MODULE_PATHNAME', 'ddb_fn_item_has_any' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_has_any(item ddb.item, names text[]) IS 'does the item have any of the attributes?';

CREATE FUNCTION ddb.item_has_all(item ddb.item, names text[]) RETURNS boolean
AS 'MODULE_PATHNAME', 'ddb_fn_item_has_all' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_has_all(item ddb.item, names text[]) IS 'does the item have all of the attributes?';

CREATE FUNCTION ddb.item_contains(item ddb.item, part ddb.doc) RETURNS boolean
AS 'MODULE_PATHNAME', 'ddb_fn_item_contains' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_contains(item ddb.item, part ddb.doc) IS 'does the item contain these attributes with these values, at any depth?';

CREATE FUNCTION ddb.item_concat(item ddb.item, other ddb.doc) RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_item_concat' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_concat(item ddb.item, other ddb.doc) IS 'the attributes of both; the right one where both have it';

CREATE FUNCTION ddb.item_delete(item ddb.item, name text) RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_item_delete' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_delete(item ddb.item, name text) IS 'the item without the attribute';

CREATE FUNCTION ddb.item_delete(item ddb.item, names text[]) RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_item_delete_many' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_delete(item ddb.item, names text[]) IS 'the item without the attributes';

CREATE FUNCTION ddb.item_delete_path(item ddb.item, path text[]) RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_item_delete_path' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_delete_path(item ddb.item, path text[]) IS 'the item without what the path leads to';

CREATE FUNCTION ddb.item_eq(ddb.item, ddb.item) RETURNS boolean
AS 'MODULE_PATHNAME', 'ddb_fn_item_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_eq(ddb.item, ddb.item) IS 'are the items equal? Sets are without order, numbers equal by value';

CREATE FUNCTION ddb.item_ne(ddb.item, ddb.item) RETURNS boolean
AS 'MODULE_PATHNAME', 'ddb_fn_item_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_ne(ddb.item, ddb.item) IS 'are the items different?';

CREATE FUNCTION ddb.item_hash(ddb.item) RETURNS integer
AS 'MODULE_PATHNAME', 'ddb_fn_item_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_hash(ddb.item) IS 'hash';

CREATE FUNCTION ddb.item_hash_extended(ddb.item, bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'ddb_fn_item_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.item_hash_extended(ddb.item, bigint) IS '64-bit hash';

CREATE OPERATOR @extschema@.-> (
	FUNCTION = ddb.item_get, LEFTARG = ddb.item, RIGHTARG = text
);
COMMENT ON OPERATOR @extschema@.-> (ddb.item, text) IS 'an attribute as jsonb, NULL if there is none';

CREATE OPERATOR @extschema@.->> (
	FUNCTION = ddb.item_get_text, LEFTARG = ddb.item, RIGHTARG = text
);
COMMENT ON OPERATOR @extschema@.->> (ddb.item, text) IS 'an attribute as text, NULL if there is none or it is null';

CREATE OPERATOR @extschema@.#> (
	FUNCTION = ddb.item_get_path, LEFTARG = ddb.item, RIGHTARG = text[]
);
COMMENT ON OPERATOR @extschema@.#> (ddb.item, text[]) IS 'what a path leads to, as jsonb';

CREATE OPERATOR @extschema@.#>> (
	FUNCTION = ddb.item_get_path_text, LEFTARG = ddb.item, RIGHTARG = text[]
);
COMMENT ON OPERATOR @extschema@.#>> (ddb.item, text[]) IS 'what a path leads to, as text';

CREATE OPERATOR @extschema@.? (
	FUNCTION = ddb.has, LEFTARG = ddb.item, RIGHTARG = text,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @extschema@.? (ddb.item, text) IS 'does the item have the attribute?';

CREATE OPERATOR @extschema@.?| (
	FUNCTION = ddb.item_has_any, LEFTARG = ddb.item, RIGHTARG = text[],
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @extschema@.?| (ddb.item, text[]) IS 'does the item have any of the attributes?';

CREATE OPERATOR @extschema@.?& (
	FUNCTION = ddb.item_has_all, LEFTARG = ddb.item, RIGHTARG = text[],
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @extschema@.?& (ddb.item, text[]) IS 'does the item have all of the attributes?';

CREATE OPERATOR @extschema@.@> (
	FUNCTION = ddb.item_contains, LEFTARG = ddb.item, RIGHTARG = ddb.doc,
	RESTRICT = matchingsel, JOIN = matchingjoinsel
);
COMMENT ON OPERATOR @extschema@.@> (ddb.item, ddb.doc) IS 'does the item contain these attributes with these values, at any depth?';

CREATE OPERATOR @extschema@.|| (
	FUNCTION = ddb.item_concat, LEFTARG = ddb.item, RIGHTARG = ddb.doc
);
COMMENT ON OPERATOR @extschema@.|| (ddb.item, ddb.doc) IS 'the attributes of both; the right one where both have it';

CREATE OPERATOR @extschema@.- (
	FUNCTION = ddb.item_delete, LEFTARG = ddb.item, RIGHTARG = text
);
COMMENT ON OPERATOR @extschema@.- (ddb.item, text) IS 'the item without the attribute';

CREATE OPERATOR @extschema@.- (
	FUNCTION = ddb.item_delete, LEFTARG = ddb.item, RIGHTARG = text[]
);
COMMENT ON OPERATOR @extschema@.- (ddb.item, text[]) IS 'the item without the attributes';

CREATE OPERATOR @extschema@.#- (
	FUNCTION = ddb.item_delete_path, LEFTARG = ddb.item, RIGHTARG = text[]
);
COMMENT ON OPERATOR @extschema@.#- (ddb.item, text[]) IS 'the item without what the path leads to';

CREATE OPERATOR @extschema@.= (
	FUNCTION = ddb.item_eq, LEFTARG = ddb.item, RIGHTARG = ddb.item, COMMUTATOR = OPERATOR(@extschema@.=),
	NEGATOR = OPERATOR(@extschema@.<>), RESTRICT = eqsel, JOIN = eqjoinsel, HASHES
);
COMMENT ON OPERATOR @extschema@.= (ddb.item, ddb.item) IS 'are the items equal? Sets are without order, numbers equal by value';

CREATE OPERATOR @extschema@.<> (
	FUNCTION = ddb.item_ne, LEFTARG = ddb.item, RIGHTARG = ddb.item, COMMUTATOR = OPERATOR(@extschema@.<>),
	NEGATOR = OPERATOR(@extschema@.=), RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR @extschema@.<> (ddb.item, ddb.item) IS 'are the items different?';

CREATE OPERATOR CLASS ddb.item_ops DEFAULT FOR TYPE ddb.item USING hash AS
	OPERATOR 1 @extschema@.= (ddb.item, ddb.item),
	FUNCTION 1 ddb.item_hash(ddb.item),
	FUNCTION 2 (ddb.item, ddb.item) ddb.item_hash_extended(ddb.item, bigint);
COMMENT ON OPERATOR CLASS ddb.item_ops USING hash IS 'equality of items, for GROUP BY, DISTINCT and hash joins';
COMMENT ON OPERATOR FAMILY ddb.item_ops USING hash IS 'equality of items';

CREATE FUNCTION ddb.to_set(doc ddb.doc, VARIADIC attributes text[]) RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_to_set' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.to_set(doc ddb.doc, VARIADIC attributes text[]) IS 'turns these lists into sets of strings, numbers or binary';

-------------------------------------------------------------------------------
-- expr/: expressions on any item
-------------------------------------------------------------------------------

CREATE FUNCTION ddb.matches(item ddb.item, condition text, attr_names ddb.doc DEFAULT NULL,
	attr_values ddb.doc DEFAULT NULL) RETURNS boolean
AS 'MODULE_PATHNAME', 'ddb_fn_matches' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION ddb.matches(ddb.item, text, ddb.doc, ddb.doc)
	IS 'is the condition expression true of the item? for WHERE and CHECK';

CREATE FUNCTION ddb.apply(item ddb.item, update text, attr_names ddb.doc DEFAULT NULL,
	attr_values ddb.doc DEFAULT NULL) RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_apply' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION ddb.apply(ddb.item, text, ddb.doc, ddb.doc)
	IS 'the item after the update expression';

CREATE FUNCTION ddb.project(item ddb.item, projection text, attr_names ddb.doc DEFAULT NULL)
	RETURNS ddb.item
AS 'MODULE_PATHNAME', 'ddb_fn_project' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 20;
COMMENT ON FUNCTION ddb.project(ddb.item, text, ddb.doc)
	IS 'the parts of the item that the projection expression names';

-------------------------------------------------------------------------------
-- storage/: hash-ordered operator classes, the access method, ddb.compact
-------------------------------------------------------------------------------

-- src/storage/compact.c
CREATE FUNCTION ddb.compact(tbl regclass,
		OUT rows_moved bigint, OUT collections_moved bigint, OUT collections_seen bigint)
	AS 'MODULE_PATHNAME', 'ddb_fn_compact' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 100000;
COMMENT ON FUNCTION ddb.compact(regclass) IS
	'one pass that moves rows of scattered collections together; repeat until it moves none';

-- The order of partition keys: a stable 64-bit hash, then the value; equality
-- is the type's own (src/storage/hash.c).  The parameters name the attributes.
CREATE FUNCTION ddb.key_options(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'ddb_key_options' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key_options(internal) IS
	'parameters of the hash operator classes: partition_key, sort_key';

CREATE FUNCTION ddb.key_hash(text) RETURNS bigint
	AS 'MODULE_PATHNAME', 'ddb_text_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key_hash(text) IS 'the hash by which a text partition key is ordered';
CREATE FUNCTION ddb.text_hash_cmp(text, text) RETURNS integer
	AS 'MODULE_PATHNAME', 'ddb_text_hash_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.text_hash_cmp(text, text) IS 'order by hash, then value';
CREATE FUNCTION ddb.text_hash_sortsupport(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'ddb_text_hash_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.text_hash_sortsupport(internal) IS 'sort support for text_hash_ops';
CREATE FUNCTION ddb.text_hash_lt(text, text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_text_hash_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.text_hash_lt(text, text) IS 'implementation of #<# operator';
CREATE OPERATOR @extschema@.#<# (
	FUNCTION = ddb.text_hash_lt, LEFTARG = text, RIGHTARG = text,
	COMMUTATOR = #>#, NEGATOR = #>=#, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.#<# (text, text) IS 'less than by hash, then value';
CREATE FUNCTION ddb.text_hash_le(text, text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_text_hash_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.text_hash_le(text, text) IS 'implementation of #<=# operator';
CREATE OPERATOR @extschema@.#<=# (
	FUNCTION = ddb.text_hash_le, LEFTARG = text, RIGHTARG = text,
	COMMUTATOR = #>=#, NEGATOR = #>#, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.#<=# (text, text) IS 'less than or equal by hash, then value';
CREATE FUNCTION ddb.text_hash_ge(text, text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_text_hash_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.text_hash_ge(text, text) IS 'implementation of #>=# operator';
CREATE OPERATOR @extschema@.#>=# (
	FUNCTION = ddb.text_hash_ge, LEFTARG = text, RIGHTARG = text,
	COMMUTATOR = #<=#, NEGATOR = #<#, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.#>=# (text, text) IS 'greater than or equal by hash, then value';
CREATE FUNCTION ddb.text_hash_gt(text, text) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_text_hash_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.text_hash_gt(text, text) IS 'implementation of #># operator';
CREATE OPERATOR @extschema@.#># (
	FUNCTION = ddb.text_hash_gt, LEFTARG = text, RIGHTARG = text,
	COMMUTATOR = #<#, NEGATOR = #<=#, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.#># (text, text) IS 'greater than by hash, then value';
CREATE OPERATOR CLASS ddb.text_hash_ops FOR TYPE text USING btree AS
	OPERATOR 1 @extschema@.#<#,
	OPERATOR 2 @extschema@.#<=#,
	OPERATOR 3 =,
	OPERATOR 4 @extschema@.#>=#,
	OPERATOR 5 @extschema@.#>#,
	FUNCTION 1 ddb.text_hash_cmp(text, text),
	FUNCTION 2 ddb.text_hash_sortsupport(internal),
	FUNCTION 4 btvarstrequalimage(oid),
	FUNCTION 5 ddb.key_options(internal);
COMMENT ON OPERATOR CLASS ddb.text_hash_ops USING btree IS
	'text ordered by a stable 64-bit hash, then by value';
COMMENT ON OPERATOR FAMILY ddb.text_hash_ops USING btree IS 'the order of partition keys';

CREATE FUNCTION ddb.key_hash(numeric) RETURNS bigint
	AS 'MODULE_PATHNAME', 'ddb_numeric_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key_hash(numeric) IS 'the hash by which a numeric partition key is ordered';
CREATE FUNCTION ddb.numeric_hash_cmp(numeric, numeric) RETURNS integer
	AS 'MODULE_PATHNAME', 'ddb_numeric_hash_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.numeric_hash_cmp(numeric, numeric) IS 'order by hash, then value';
CREATE FUNCTION ddb.numeric_hash_sortsupport(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'ddb_numeric_hash_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.numeric_hash_sortsupport(internal) IS 'sort support for numeric_hash_ops';
CREATE FUNCTION ddb.numeric_hash_lt(numeric, numeric) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_numeric_hash_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.numeric_hash_lt(numeric, numeric) IS 'implementation of #<# operator';
CREATE OPERATOR @extschema@.#<# (
	FUNCTION = ddb.numeric_hash_lt, LEFTARG = numeric, RIGHTARG = numeric,
	COMMUTATOR = #>#, NEGATOR = #>=#, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.#<# (numeric, numeric) IS 'less than by hash, then value';
CREATE FUNCTION ddb.numeric_hash_le(numeric, numeric) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_numeric_hash_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.numeric_hash_le(numeric, numeric) IS 'implementation of #<=# operator';
CREATE OPERATOR @extschema@.#<=# (
	FUNCTION = ddb.numeric_hash_le, LEFTARG = numeric, RIGHTARG = numeric,
	COMMUTATOR = #>=#, NEGATOR = #>#, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.#<=# (numeric, numeric) IS 'less than or equal by hash, then value';
CREATE FUNCTION ddb.numeric_hash_ge(numeric, numeric) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_numeric_hash_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.numeric_hash_ge(numeric, numeric) IS 'implementation of #>=# operator';
CREATE OPERATOR @extschema@.#>=# (
	FUNCTION = ddb.numeric_hash_ge, LEFTARG = numeric, RIGHTARG = numeric,
	COMMUTATOR = #<=#, NEGATOR = #<#, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.#>=# (numeric, numeric) IS 'greater than or equal by hash, then value';
CREATE FUNCTION ddb.numeric_hash_gt(numeric, numeric) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_numeric_hash_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.numeric_hash_gt(numeric, numeric) IS 'implementation of #># operator';
CREATE OPERATOR @extschema@.#># (
	FUNCTION = ddb.numeric_hash_gt, LEFTARG = numeric, RIGHTARG = numeric,
	COMMUTATOR = #<#, NEGATOR = #<=#, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.#># (numeric, numeric) IS 'greater than by hash, then value';
CREATE OPERATOR CLASS ddb.numeric_hash_ops FOR TYPE numeric USING btree AS
	OPERATOR 1 @extschema@.#<#,
	OPERATOR 2 @extschema@.#<=#,
	OPERATOR 3 =,
	OPERATOR 4 @extschema@.#>=#,
	OPERATOR 5 @extschema@.#>#,
	FUNCTION 1 ddb.numeric_hash_cmp(numeric, numeric),
	FUNCTION 2 ddb.numeric_hash_sortsupport(internal),
	FUNCTION 5 ddb.key_options(internal);
COMMENT ON OPERATOR CLASS ddb.numeric_hash_ops USING btree IS
	'numeric ordered by a stable 64-bit hash, then by value';
COMMENT ON OPERATOR FAMILY ddb.numeric_hash_ops USING btree IS 'the order of partition keys';

CREATE FUNCTION ddb.key_hash(bytea) RETURNS bigint
	AS 'MODULE_PATHNAME', 'ddb_bytea_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key_hash(bytea) IS 'the hash by which a bytea partition key is ordered';
CREATE FUNCTION ddb.bytea_hash_cmp(bytea, bytea) RETURNS integer
	AS 'MODULE_PATHNAME', 'ddb_bytea_hash_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.bytea_hash_cmp(bytea, bytea) IS 'order by hash, then value';
CREATE FUNCTION ddb.bytea_hash_sortsupport(internal) RETURNS void
	AS 'MODULE_PATHNAME', 'ddb_bytea_hash_sortsupport' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.bytea_hash_sortsupport(internal) IS 'sort support for bytea_hash_ops';
CREATE FUNCTION ddb.bytea_hash_lt(bytea, bytea) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_bytea_hash_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.bytea_hash_lt(bytea, bytea) IS 'implementation of #<# operator';
CREATE OPERATOR @extschema@.#<# (
	FUNCTION = ddb.bytea_hash_lt, LEFTARG = bytea, RIGHTARG = bytea,
	COMMUTATOR = #>#, NEGATOR = #>=#, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR @extschema@.#<# (bytea, bytea) IS 'less than by hash, then value';
CREATE FUNCTION ddb.bytea_hash_le(bytea, bytea) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_bytea_hash_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.bytea_hash_le(bytea, bytea) IS 'implementation of #<=# operator';
CREATE OPERATOR @extschema@.#<=# (
	FUNCTION = ddb.bytea_hash_le, LEFTARG = bytea, RIGHTARG = bytea,
	COMMUTATOR = #>=#, NEGATOR = #>#, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR @extschema@.#<=# (bytea, bytea) IS 'less than or equal by hash, then value';
CREATE FUNCTION ddb.bytea_hash_ge(bytea, bytea) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_bytea_hash_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.bytea_hash_ge(bytea, bytea) IS 'implementation of #>=# operator';
CREATE OPERATOR @extschema@.#>=# (
	FUNCTION = ddb.bytea_hash_ge, LEFTARG = bytea, RIGHTARG = bytea,
	COMMUTATOR = #<=#, NEGATOR = #<#, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR @extschema@.#>=# (bytea, bytea) IS 'greater than or equal by hash, then value';
CREATE FUNCTION ddb.bytea_hash_gt(bytea, bytea) RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_bytea_hash_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.bytea_hash_gt(bytea, bytea) IS 'implementation of #># operator';
CREATE OPERATOR @extschema@.#># (
	FUNCTION = ddb.bytea_hash_gt, LEFTARG = bytea, RIGHTARG = bytea,
	COMMUTATOR = #<#, NEGATOR = #<=#, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR @extschema@.#># (bytea, bytea) IS 'greater than by hash, then value';
CREATE OPERATOR CLASS ddb.bytea_hash_ops FOR TYPE bytea USING btree AS
	OPERATOR 1 @extschema@.#<#,
	OPERATOR 2 @extschema@.#<=#,
	OPERATOR 3 =,
	OPERATOR 4 @extschema@.#>=#,
	OPERATOR 5 @extschema@.#>#,
	FUNCTION 1 ddb.bytea_hash_cmp(bytea, bytea),
	FUNCTION 2 ddb.bytea_hash_sortsupport(internal),
	FUNCTION 4 btequalimage(oid),
	FUNCTION 5 ddb.key_options(internal);
COMMENT ON OPERATOR CLASS ddb.bytea_hash_ops USING btree IS
	'bytea ordered by a stable 64-bit hash, then by value';
COMMENT ON OPERATOR FAMILY ddb.bytea_hash_ops USING btree IS 'the order of partition keys';

-- What a table's CHECK constraint calls.
CREATE FUNCTION ddb.check_key(VARIADIC "any") RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_check_key' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ddb.check_key(VARIADIC "any") IS
	'raises YD001 for key columns (pk, or pk and sk) that no DynamoDB key could be';

CREATE FUNCTION ddb.tableam_handler(internal) RETURNS table_am_handler
	AS 'MODULE_PATHNAME', 'ddb_tableam_handler' LANGUAGE C;
COMMENT ON FUNCTION ddb.tableam_handler(internal) IS 'handler of access method ddb';
CREATE ACCESS METHOD ddb TYPE TABLE HANDLER ddb.tableam_handler;
COMMENT ON ACCESS METHOD ddb IS 'heap that keeps the items of a collection on few pages';

-------------------------------------------------------------------------------
-- table/: tables and the catalog
-------------------------------------------------------------------------------

-- What a table cannot say of itself, keyed by names so that it survives
-- pg_dump (src/table/catalog.c).  Only ddb's own functions write here.
CREATE TABLE ddb.catalog (
	schema_name text COLLATE "C" NOT NULL,
	relation_name text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	id uuid NOT NULL DEFAULT gen_random_uuid(),
	created timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (schema_name, relation_name)
);
COMMENT ON TABLE ddb.catalog IS 'API names, ids and ages of the tables made by ddb.create_table';
GRANT SELECT ON ddb.catalog TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('ddb.catalog', '');
CREATE FUNCTION ddb.keep_local() RETURNS trigger
	AS 'MODULE_PATHNAME', 'ddb_keep_local' LANGUAGE C;
COMMENT ON FUNCTION ddb.keep_local() IS 'keeps replicated rows out of ddb''s own tables';
CREATE TRIGGER keep_local BEFORE INSERT OR UPDATE OR DELETE ON ddb.catalog
	FOR EACH ROW EXECUTE FUNCTION ddb.keep_local();
ALTER TABLE ddb.catalog ENABLE ALWAYS TRIGGER keep_local;

-- The secondary indexes of tables, keyed by names for the same reason
-- (src/table/indexes.c).
CREATE TABLE ddb.secondary_index (
	schema_name text COLLATE "C" NOT NULL,
	relation_name text COLLATE "C" NOT NULL,
	index_name text COLLATE "C" NOT NULL,
	index_relation text COLLATE "C" NOT NULL,
	definition jsonb NOT NULL,
	PRIMARY KEY (schema_name, relation_name, index_name),
	UNIQUE (schema_name, index_relation)
);
COMMENT ON TABLE ddb.secondary_index IS 'what the secondary indexes of tables are';
GRANT SELECT ON ddb.secondary_index TO PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('ddb.secondary_index', '');
CREATE TRIGGER keep_local BEFORE INSERT OR UPDATE OR DELETE ON ddb.secondary_index
	FOR EACH ROW EXECUTE FUNCTION ddb.keep_local();
ALTER TABLE ddb.secondary_index ENABLE ALWAYS TRIGGER keep_local;
CREATE FUNCTION ddb.index_changed() RETURNS trigger
	AS 'MODULE_PATHNAME', 'ddb_index_changed' LANGUAGE C;
COMMENT ON FUNCTION ddb.index_changed() IS 'tells every session that a table''s indexes are others';
CREATE TRIGGER index_changed AFTER INSERT OR UPDATE OR DELETE ON ddb.secondary_index
	FOR EACH ROW EXECUTE FUNCTION ddb.index_changed();
ALTER TABLE ddb.secondary_index ENABLE ALWAYS TRIGGER index_changed;

CREATE FUNCTION ddb.on_drop() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'ddb_on_drop' LANGUAGE C;
COMMENT ON FUNCTION ddb.on_drop() IS 'the catalog follows dropped tables and indexes';
CREATE EVENT TRIGGER ddb_on_drop ON sql_drop EXECUTE FUNCTION ddb.on_drop();
COMMENT ON EVENT TRIGGER ddb_on_drop IS 'the catalog follows dropped tables';
CREATE FUNCTION ddb.on_alter() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'ddb_on_alter' LANGUAGE C;
COMMENT ON FUNCTION ddb.on_alter() IS 'the catalog and indexes follow altered tables';
CREATE EVENT TRIGGER ddb_on_alter ON ddl_command_end EXECUTE FUNCTION ddb.on_alter();
COMMENT ON EVENT TRIGGER ddb_on_alter IS 'the catalog follows renamed and moved tables';
CREATE FUNCTION ddb.on_rewrite() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'ddb_on_rewrite' LANGUAGE C;
COMMENT ON FUNCTION ddb.on_rewrite() IS 'tables with secondary indexes stay what they are';
CREATE EVENT TRIGGER ddb_on_rewrite ON table_rewrite EXECUTE FUNCTION ddb.on_rewrite();
COMMENT ON EVENT TRIGGER ddb_on_rewrite IS 'tables with secondary indexes stay what they are';
CREATE FUNCTION ddb.on_refresh() RETURNS event_trigger
	AS 'MODULE_PATHNAME', 'ddb_on_refresh' LANGUAGE C;
COMMENT ON FUNCTION ddb.on_refresh() IS 'no index is refreshed concurrently';
CREATE EVENT TRIGGER ddb_on_refresh ON ddl_command_start
	WHEN TAG IN ('REFRESH MATERIALIZED VIEW') EXECUTE FUNCTION ddb.on_refresh();
COMMENT ON EVENT TRIGGER ddb_on_refresh IS 'no index is refreshed concurrently';

CREATE FUNCTION ddb.create_table(name text, partition_key text, sort_key text DEFAULT NULL,
		partition_key_type text DEFAULT 'S', sort_key_type text DEFAULT 'S')
	RETURNS regclass
	AS 'MODULE_PATHNAME', 'ddb_fn_create_table' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION ddb.create_table(text, text, text, text, text) IS
	'makes a table of items; key types are S, N, B';
CREATE FUNCTION ddb.drop_table(tbl regclass) RETURNS void
	AS 'MODULE_PATHNAME', 'ddb_fn_drop_table' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION ddb.drop_table(regclass) IS 'drops a table of items, as DROP TABLE does';
CREATE FUNCTION ddb.describe_table(tbl regclass, OUT name text,
		OUT partition_key text, OUT partition_key_type text,
		OUT sort_key text, OUT sort_key_type text,
		OUT item_count bigint, OUT size_bytes bigint, OUT plain boolean,
		OUT created timestamptz, OUT id uuid)
	AS 'MODULE_PATHNAME', 'ddb_fn_describe_table' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION ddb.describe_table(regclass) IS
	'keys and size of a table; item_count is an estimate';
CREATE FUNCTION ddb.list_tables(OUT tbl regclass, OUT name text,
		OUT partition_key text, OUT partition_key_type text,
		OUT sort_key text, OUT sort_key_type text)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'ddb_fn_list_tables' LANGUAGE C STABLE PARALLEL RESTRICTED;
COMMENT ON FUNCTION ddb.list_tables() IS 'all tables of items in this database';

CREATE FUNCTION ddb.full_item(record) RETURNS ddb.item
	AS 'MODULE_PATHNAME', 'ddb_fn_full_item' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.full_item(record) IS 'a row''s keys and attributes as one item';
CREATE FUNCTION ddb.populate_record(base anyelement, doc ddb.doc) RETURNS anyelement
	AS 'MODULE_PATHNAME', 'ddb_fn_populate_record' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION ddb.populate_record(anyelement, ddb.doc) IS
	'a whole item taken apart into a row: populate_record(NULL::shop, doc)';

-------------------------------------------------------------------------------
-- index/: what index definitions consist of, defining indexes, and their upkeep
-------------------------------------------------------------------------------

-- These stand in the definitions of materialized views and btrees: their
-- names, arguments and results never change (src/sql/fn_index.c).
CREATE FUNCTION ddb.index_s(item ddb.item, attribute text) RETURNS text
	AS 'MODULE_PATHNAME', 'ddb_fn_index_s' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ddb.index_s(ddb.item, text) IS 'a string as an index key, or NULL';
CREATE FUNCTION ddb.index_n(item ddb.item, attribute text) RETURNS numeric
	AS 'MODULE_PATHNAME', 'ddb_fn_index_n' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ddb.index_n(ddb.item, text) IS 'a number as an index key, or NULL';
CREATE FUNCTION ddb.index_b(item ddb.item, attribute text) RETURNS bytea
	AS 'MODULE_PATHNAME', 'ddb_fn_index_b' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ddb.index_b(ddb.item, text) IS 'a binary value as an index key, or NULL';
CREATE FUNCTION ddb.index_tuple(VARIADIC key "any") RETURNS bytea
	AS 'MODULE_PATHNAME', 'ddb_fn_index_tuple' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ddb.index_tuple(VARIADIC "any") IS 'several key values as bytes in their order, NULL if one is';
CREATE FUNCTION ddb.index_fits(partition_attributes integer, VARIADIC key "any") RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_fn_index_fits' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ddb.index_fits(integer, VARIADIC "any") IS 'are all key values there, and short enough for an index?';
CREATE FUNCTION ddb.index_item(item ddb.item, VARIADIC attributes text[]) RETURNS ddb.item
	AS 'MODULE_PATHNAME', 'ddb_fn_index_item' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ddb.index_item(ddb.item, VARIADIC text[]) IS 'the item with no other attributes than these';
CREATE FUNCTION ddb.index_digest(VARIADIC key "any") RETURNS bytea
	AS 'MODULE_PATHNAME', 'ddb_fn_index_digest' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ddb.index_digest(VARIADIC "any") IS '16 bytes that stand for a table''s key in its indexes';
CREATE FUNCTION ddb.index_shard(shards integer, VARIADIC key "any") RETURNS smallint
	AS 'MODULE_PATHNAME', 'ddb_fn_index_shard' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION ddb.index_shard(integer, VARIADIC "any") IS 'in which of so many shards the item with this key is';

CREATE FUNCTION ddb.add_index(tbl regclass, index_name text, partition_key text, sort_key text DEFAULT NULL,
		projection text DEFAULT 'ALL', include text[] DEFAULT NULL,
		partition_key_type text DEFAULT 'S', sort_key_type text DEFAULT 'S', shards integer DEFAULT NULL)
	RETURNS regclass
	AS 'MODULE_PATHNAME', 'ddb_fn_add_index' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION ddb.add_index(regclass, text, text, text, text, text[], text, text, integer) IS
	'adds a global secondary index; it is filled in the background';
CREATE FUNCTION ddb.add_index(tbl regclass, index_name text, partition_key text[], sort_key text[] DEFAULT NULL,
		projection text DEFAULT 'ALL', include text[] DEFAULT NULL,
		partition_key_type text[] DEFAULT NULL, sort_key_type text[] DEFAULT NULL, shards integer DEFAULT NULL)
	RETURNS regclass
	AS 'MODULE_PATHNAME', 'ddb_fn_add_index_many' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION ddb.add_index(regclass, text, text[], text[], text, text[], text[], text[], integer) IS
	'adds a global secondary index whose keys have several attributes';
CREATE FUNCTION ddb.add_local_index(tbl regclass, index_name text, sort_key text, sort_key_type text DEFAULT 'S',
		projection text DEFAULT 'ALL', include text[] DEFAULT NULL)
	RETURNS regclass
	AS 'MODULE_PATHNAME', 'ddb_fn_add_local_index' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION ddb.add_local_index(regclass, text, text, text, text, text[]) IS
	'adds a local secondary index: another sort key within each collection';
CREATE FUNCTION ddb.drop_index(tbl regclass, index_name text) RETURNS void
	AS 'MODULE_PATHNAME', 'ddb_fn_drop_index' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION ddb.drop_index(regclass, text) IS 'drops a secondary index';
CREATE FUNCTION ddb.index_table(tbl regclass, index_name text) RETURNS regclass
	AS 'MODULE_PATHNAME', 'ddb_fn_index_table' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.index_table(regclass, text) IS
	'an index''s relation: a materialized view, of a local index a btree';

-- What changes is logged here for the indexes to follow (src/storage/log.c,
-- src/index/changelog.c): a few tables in turn, more when there is need.  They
-- mean nothing elsewhere, so nothing of this is dumped or replicated.
CREATE TABLE ddb.index_log_1 (
	xid xid8 NOT NULL,
	tbl oid NOT NULL,
	key bytea NOT NULL,
	old bytea
) USING heap WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off, vacuum_truncate = off);
ALTER TABLE ddb.index_log_1 ALTER COLUMN key SET STORAGE MAIN, ALTER COLUMN old SET STORAGE MAIN;
CREATE TABLE ddb.index_log_2 (LIKE ddb.index_log_1 INCLUDING STORAGE)
	USING heap WITH (autovacuum_enabled = off, toast.autovacuum_enabled = off, vacuum_truncate = off);
COMMENT ON TABLE ddb.index_log_1 IS 'changes that global indexes have yet to follow';
COMMENT ON TABLE ddb.index_log_2 IS 'changes that global indexes have yet to follow';

CREATE TABLE ddb.index_cursor (
	index_oid oid PRIMARY KEY,
	table_oid oid NOT NULL,
	index_storage oid NOT NULL,
	table_storage oid NOT NULL,
	state text NOT NULL,
	snapshot pg_snapshot,
	until pg_snapshot,
	places text NOT NULL,
	backfill_key bytea,
	backfill_done bigint NOT NULL,
	backfill_total bigint,
	entries bigint NOT NULL,
	applied bigint NOT NULL,
	skipped bigint NOT NULL,
	failures integer NOT NULL,
	failing_since timestamptz,
	retry_at timestamptz,
	last_error text,
	applied_at timestamptz
) USING heap WITH (fillfactor = 50);
COMMENT ON TABLE ddb.index_cursor IS 'how far each global index has followed its table (src/index/cursor.c)';
CREATE TRIGGER keep_local BEFORE INSERT OR UPDATE OR DELETE ON ddb.index_cursor
	FOR EACH ROW EXECUTE FUNCTION ddb.keep_local();
ALTER TABLE ddb.index_cursor ENABLE ALWAYS TRIGGER keep_local;

CREATE FUNCTION ddb.run_maintenance() RETURNS bigint
	AS 'MODULE_PATHNAME', 'ddb_fn_run_maintenance' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION ddb.run_maintenance() IS
	'does what the background workers do, until nothing is left; how many changes and items that were';
REVOKE ALL ON FUNCTION ddb.run_maintenance() FROM PUBLIC;
CREATE FUNCTION ddb.verify_index(tbl regclass, index_name text, repair boolean DEFAULT false,
		OUT difference text, OUT key ddb.item)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'ddb_fn_verify_index' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION ddb.verify_index(regclass, text, boolean) IS
	'compares a global index with its table: entries missing, different or extra';

-- worker/: waiting for indexes and watching them.
CREATE FUNCTION ddb.index_token() RETURNS text
	AS 'MODULE_PATHNAME', 'ddb_fn_index_token' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION ddb.index_token() IS
	'stands for what this transaction has written, or for all committed before: for ddb.wait_for_index()';
CREATE FUNCTION ddb.wait_for_index(tbl regclass, index_name text DEFAULT NULL,
		token text DEFAULT NULL, timeout interval DEFAULT '5s') RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_fn_wait_for_index' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION ddb.wait_for_index(regclass, text, text, interval) IS
	'waits until a global index, or all of a table, show what the token stands for; false: not in time';
CREATE FUNCTION ddb.index_lag(index_oid oid, OUT rows_behind bigint, OUT seconds_behind double precision,
		OUT applied_per_second double precision, OUT worker text)
	AS 'MODULE_PATHNAME', 'ddb_fn_index_lag' LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED;
COMMENT ON FUNCTION ddb.index_lag(oid) IS
	'how far an index is behind: its rows are counted, the time is as a worker measured it';

CREATE VIEW ddb.index_status AS
	SELECT i.schema_name, i.relation_name AS table_name, i.index_name,
		CASE WHEN c.state IS NULL THEN 'CREATING' ELSE c.state END AS state,
		c.entries, l.rows_behind, round(l.seconds_behind::numeric, 3) AS seconds_behind,
		round(l.applied_per_second::numeric, 1) AS applied_per_second,
		c.backfill_done, c.backfill_total, c.skipped AS backfill_skipped,
		l.worker,
		CASE WHEN pg_catalog.has_table_privilege(r.oid, 'SELECT') THEN c.last_error END AS last_error
	FROM ddb.secondary_index i
		JOIN pg_catalog.pg_namespace n ON n.nspname = i.schema_name
		JOIN pg_catalog.pg_class r ON r.relnamespace = n.oid AND r.relname = i.index_relation
		LEFT JOIN ddb.index_cursor c ON c.index_oid = r.oid
		CROSS JOIN LATERAL ddb.index_lag(r.oid) l
	WHERE r.relkind = 'm';
COMMENT ON VIEW ddb.index_status IS
	'global secondary indexes: how far behind their tables they are, and what keeps them';
GRANT SELECT ON ddb.index_status TO PUBLIC;

CREATE FUNCTION ddb.compaction_progress(OUT table_oid oid, OUT state text, OUT table_rows bigint,
		OUT rows_written bigint, OUT due_at bigint, OUT rows_seen bigint, OUT rows_moved bigint,
		OUT finished timestamptz)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'ddb_fn_compaction_progress' LANGUAGE C VOLATILE PARALLEL RESTRICTED;
COMMENT ON FUNCTION ddb.compaction_progress() IS
	'what the worker that compacts this database''s tables remembers of them';

CREATE VIEW ddb.compaction_status AS
	SELECT n.nspname AS schema_name, r.relname AS table_name,
		coalesce(p.state, 'not looked at') AS state, p.table_rows, p.rows_written, p.due_at,
		p.rows_seen, p.rows_moved, p.finished
	FROM pg_catalog.pg_class r
		JOIN pg_catalog.pg_am a ON a.oid = r.relam
		JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
		LEFT JOIN ddb.compaction_progress() p ON p.table_oid = r.oid
	WHERE a.amname = 'ddb' AND r.relkind = 'r' AND r.relpersistence <> 't';
COMMENT ON VIEW ddb.compaction_status IS
	'tables: how the background compaction of each stands, and what it waits for';
GRANT SELECT ON ddb.compaction_status TO PUBLIC;

-------------------------------------------------------------------------------
-- ops/: ddb.key and the item operations, query, batch, transact
-------------------------------------------------------------------------------

-- A key value on its way into a function (src/sql/fn_key.c).
CREATE TYPE ddb.key;
CREATE FUNCTION ddb.key_in(cstring) RETURNS ddb.key
	AS 'MODULE_PATHNAME', 'ddb_fn_key_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key_in(cstring) IS 'I/O: keeps the text, which the table''s key type will read';
CREATE FUNCTION ddb.key_out(ddb.key) RETURNS cstring
	AS 'MODULE_PATHNAME', 'ddb_fn_key_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key_out(ddb.key) IS 'I/O: for people who look at one';
CREATE FUNCTION ddb.key_recv(internal) RETURNS ddb.key
	AS 'MODULE_PATHNAME', 'ddb_fn_key_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key_recv(internal) IS 'I/O: keeps the bytes, which the table''s key type will read';
CREATE TYPE ddb.key (
	INPUT = ddb.key_in, OUTPUT = ddb.key_out, RECEIVE = ddb.key_recv,
	INTERNALLENGTH = VARIABLE, STORAGE = extended
);
COMMENT ON TYPE ddb.key IS 'a key value as a parameter: read by the table''s key type';

-- Text stays text until the table's key type is known.
CREATE CAST (text AS ddb.key) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (text AS ddb.key) IS 'text, read by the table''s key type';
CREATE CAST (varchar AS ddb.key) WITHOUT FUNCTION AS IMPLICIT;
COMMENT ON CAST (varchar AS ddb.key) IS 'text, read by the table''s key type';
CREATE FUNCTION ddb.key(smallint) RETURNS ddb.key
	AS 'MODULE_PATHNAME', 'ddb_fn_key_from_int2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key(smallint) IS 'a number as a key value';
CREATE CAST (smallint AS ddb.key) WITH FUNCTION ddb.key(smallint) AS IMPLICIT;
COMMENT ON CAST (smallint AS ddb.key) IS 'a number, held against the table''s key type';
CREATE FUNCTION ddb.key(integer) RETURNS ddb.key
	AS 'MODULE_PATHNAME', 'ddb_fn_key_from_int4' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key(integer) IS 'a number as a key value';
CREATE CAST (integer AS ddb.key) WITH FUNCTION ddb.key(integer) AS IMPLICIT;
COMMENT ON CAST (integer AS ddb.key) IS 'a number, held against the table''s key type';
CREATE FUNCTION ddb.key(bigint) RETURNS ddb.key
	AS 'MODULE_PATHNAME', 'ddb_fn_key_from_int8' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key(bigint) IS 'a number as a key value';
CREATE CAST (bigint AS ddb.key) WITH FUNCTION ddb.key(bigint) AS IMPLICIT;
COMMENT ON CAST (bigint AS ddb.key) IS 'a number, held against the table''s key type';
CREATE FUNCTION ddb.key(numeric) RETURNS ddb.key
	AS 'MODULE_PATHNAME', 'ddb_fn_key_from_numeric' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key(numeric) IS 'a number as a key value';
CREATE CAST (numeric AS ddb.key) WITH FUNCTION ddb.key(numeric) AS IMPLICIT;
COMMENT ON CAST (numeric AS ddb.key) IS 'a number, held against the table''s key type';
CREATE FUNCTION ddb.key(bytea) RETURNS ddb.key
	AS 'MODULE_PATHNAME', 'ddb_fn_key_from_bytea' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key(bytea) IS 'binary as a key value';
CREATE CAST (bytea AS ddb.key) WITH FUNCTION ddb.key(bytea) AS IMPLICIT;
COMMENT ON CAST (bytea AS ddb.key) IS 'binary, held against the table''s key type';
CREATE FUNCTION ddb.key(uuid) RETURNS ddb.key
	AS 'MODULE_PATHNAME', 'ddb_fn_key_from_uuid' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.key(uuid) IS 'a string as a key value';
CREATE CAST (uuid AS ddb.key) WITH FUNCTION ddb.key(uuid) AS IMPLICIT;
COMMENT ON CAST (uuid AS ddb.key) IS 'a string, held against the table''s key type';

-- One item.  Everything after the keys has a default: name it.
CREATE FUNCTION ddb.get_item(tbl regclass, pk ddb.key, sk ddb.key DEFAULT NULL,
		projection text DEFAULT NULL, attr_names ddb.doc DEFAULT NULL)
	RETURNS ddb.item
	AS 'MODULE_PATHNAME', 'ddb_fn_get_item' LANGUAGE C STABLE PARALLEL RESTRICTED COST 50;
COMMENT ON FUNCTION ddb.get_item(regclass, ddb.key, ddb.key, text, ddb.doc) IS
	'the item with this key, or NULL';
CREATE FUNCTION ddb.put_item(tbl regclass, item ddb.doc,
		condition text DEFAULT NULL,
		attr_names ddb.doc DEFAULT NULL, attr_values ddb.doc DEFAULT NULL,
		return_values text DEFAULT 'NONE', return_values_on_failure text DEFAULT 'NONE')
	RETURNS ddb.item
	AS 'MODULE_PATHNAME', 'ddb_fn_put_item' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100;
COMMENT ON FUNCTION ddb.put_item(regclass, ddb.doc, text, ddb.doc, ddb.doc, text, text) IS
	'writes a whole item; false conditions raise YD002';
CREATE FUNCTION ddb.update_item(tbl regclass, pk ddb.key, sk ddb.key DEFAULT NULL, update text DEFAULT NULL,
		condition text DEFAULT NULL,
		attr_names ddb.doc DEFAULT NULL, attr_values ddb.doc DEFAULT NULL,
		return_values text DEFAULT 'ALL_NEW', return_values_on_failure text DEFAULT 'NONE')
	RETURNS ddb.item
	AS 'MODULE_PATHNAME', 'ddb_fn_update_item' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100;
COMMENT ON FUNCTION ddb.update_item(regclass, ddb.key, ddb.key, text, text, ddb.doc, ddb.doc, text, text) IS
	'changes an item by an update expression; answers with the new item';
CREATE FUNCTION ddb.delete_item(tbl regclass, pk ddb.key, sk ddb.key DEFAULT NULL,
		condition text DEFAULT NULL,
		attr_names ddb.doc DEFAULT NULL, attr_values ddb.doc DEFAULT NULL,
		return_values text DEFAULT 'ALL_OLD', return_values_on_failure text DEFAULT 'NONE')
	RETURNS ddb.item
	AS 'MODULE_PATHNAME', 'ddb_fn_delete_item' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100;
COMMENT ON FUNCTION ddb.delete_item(regclass, ddb.key, ddb.key, text, ddb.doc, ddb.doc, text, text) IS
	'deletes an item; answers with it, or NULL when there was none';

-- For those who would rather branch than trap: a false condition is an answer.
CREATE FUNCTION ddb.try_put_item(tbl regclass, item ddb.doc,
		condition text DEFAULT NULL,
		attr_names ddb.doc DEFAULT NULL, attr_values ddb.doc DEFAULT NULL)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_fn_try_put_item' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100;
COMMENT ON FUNCTION ddb.try_put_item(regclass, ddb.doc, text, ddb.doc, ddb.doc) IS
	'put_item; false when the condition is';
CREATE FUNCTION ddb.try_update_item(tbl regclass, pk ddb.key, sk ddb.key DEFAULT NULL, update text DEFAULT NULL,
		condition text DEFAULT NULL,
		attr_names ddb.doc DEFAULT NULL, attr_values ddb.doc DEFAULT NULL)
	RETURNS ddb.item
	AS 'MODULE_PATHNAME', 'ddb_fn_try_update_item' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100;
COMMENT ON FUNCTION ddb.try_update_item(regclass, ddb.key, ddb.key, text, text, ddb.doc, ddb.doc) IS
	'update_item; NULL when the condition is false';
CREATE FUNCTION ddb.try_delete_item(tbl regclass, pk ddb.key, sk ddb.key DEFAULT NULL,
		condition text DEFAULT NULL,
		attr_names ddb.doc DEFAULT NULL, attr_values ddb.doc DEFAULT NULL)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_fn_try_delete_item' LANGUAGE C VOLATILE PARALLEL UNSAFE COST 100;
COMMENT ON FUNCTION ddb.try_delete_item(regclass, ddb.key, ddb.key, text, ddb.doc, ddb.doc) IS
	'delete_item; true when an item was deleted';

-- Many items.
CREATE FUNCTION ddb.read_support(internal) RETURNS internal
	AS 'MODULE_PATHNAME', 'ddb_fn_read_support' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ddb.read_support(internal) IS 'row estimates of query, collection and scan';
CREATE FUNCTION ddb.query(tbl regclass, key_condition text, filter text DEFAULT NULL,
		projection text DEFAULT NULL,
		attr_names ddb.doc DEFAULT NULL, attr_values ddb.doc DEFAULT NULL,
		scan_forward boolean DEFAULT true, max_items integer DEFAULT NULL,
		start_key ddb.doc DEFAULT NULL, index_name text DEFAULT NULL)
	RETURNS SETOF ddb.item
	AS 'MODULE_PATHNAME', 'ddb_fn_query' LANGUAGE C STABLE PARALLEL RESTRICTED
	COST 1000 ROWS 50 SUPPORT ddb.read_support;
COMMENT ON FUNCTION ddb.query(regclass, text, text, text, ddb.doc, ddb.doc, boolean, integer,
		ddb.doc, text) IS 'items of one collection by a key condition';
CREATE FUNCTION ddb.collection(tbl regclass, pk ddb.key, begins_with ddb.key DEFAULT NULL,
		sk_from ddb.key DEFAULT NULL, sk_to ddb.key DEFAULT NULL, after ddb.key DEFAULT NULL,
		newest_first boolean DEFAULT false, max_items integer DEFAULT NULL,
		index_name text DEFAULT NULL, projection text DEFAULT NULL,
		attr_names ddb.doc DEFAULT NULL)
	RETURNS SETOF ddb.item
	AS 'MODULE_PATHNAME', 'ddb_fn_collection' LANGUAGE C STABLE PARALLEL RESTRICTED
	COST 1000 ROWS 50 SUPPORT ddb.read_support;
COMMENT ON FUNCTION ddb.collection(regclass, ddb.key, ddb.key, ddb.key, ddb.key, ddb.key, boolean,
		integer, text, text, ddb.doc) IS 'items of one collection by sort key';
CREATE FUNCTION ddb.scan(tbl regclass, filter text DEFAULT NULL, projection text DEFAULT NULL,
		attr_names ddb.doc DEFAULT NULL, attr_values ddb.doc DEFAULT NULL,
		segment integer DEFAULT NULL, total_segments integer DEFAULT NULL,
		max_items integer DEFAULT NULL, start_key ddb.doc DEFAULT NULL,
		index_name text DEFAULT NULL)
	RETURNS SETOF ddb.item
	AS 'MODULE_PATHNAME', 'ddb_fn_scan' LANGUAGE C STABLE PARALLEL RESTRICTED
	COST 1000 ROWS 1000 SUPPORT ddb.read_support;
COMMENT ON FUNCTION ddb.scan(regclass, text, text, ddb.doc, ddb.doc, integer, integer, integer,
		ddb.doc, text) IS 'all items, or those of one of total_segments segments';

-- Batches and transactions take the API's arrays word for word.
CREATE FUNCTION ddb.batch_get_item(request_items json, OUT table_name text, OUT item ddb.item)
	RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'ddb_fn_batch_get_item' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
	COST 1000 ROWS 25;
COMMENT ON FUNCTION ddb.batch_get_item(json) IS 'BatchGetItem''s RequestItems; the items found';
CREATE FUNCTION ddb.batch_write_item(request_items json) RETURNS integer
	AS 'MODULE_PATHNAME', 'ddb_fn_batch_write_item' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE
	COST 1000;
COMMENT ON FUNCTION ddb.batch_write_item(json) IS
	'BatchWriteItem''s RequestItems; how many were carried out: all of them';
CREATE FUNCTION ddb.transact_get_items(actions json) RETURNS SETOF ddb.item
	AS 'MODULE_PATHNAME', 'ddb_fn_transact_get_items' LANGUAGE C STABLE STRICT PARALLEL RESTRICTED
	COST 1000 ROWS 25;
COMMENT ON FUNCTION ddb.transact_get_items(json) IS
	'TransactGetItems'' TransactItems; an item or NULL for each, in order';
CREATE FUNCTION ddb.transact_write_items(actions json, client_token text DEFAULT NULL)
	RETURNS boolean
	AS 'MODULE_PATHNAME', 'ddb_fn_transact_write_items' LANGUAGE C VOLATILE PARALLEL UNSAFE
	COST 1000;
COMMENT ON FUNCTION ddb.transact_write_items(json, text) IS
	'TransactWriteItems'' TransactItems; false when client_token says they were done before';

-- ClientRequestToken (src/ops/token.c): whose, which and for what, as digests.
CREATE TABLE ddb.transaction_tokens (
	role oid NOT NULL,
	token bytea NOT NULL,
	content bytea NOT NULL,
	claimed timestamptz NOT NULL,
	PRIMARY KEY (role, token)
);
CREATE INDEX transaction_tokens_claimed ON ddb.transaction_tokens (claimed);
CREATE TRIGGER keep_local BEFORE INSERT OR UPDATE OR DELETE ON ddb.transaction_tokens
	FOR EACH ROW EXECUTE FUNCTION ddb.keep_local();
ALTER TABLE ddb.transaction_tokens ENABLE ALWAYS TRIGGER keep_local;
COMMENT ON TABLE ddb.transaction_tokens IS 'tokens of the transactions of the last ten minutes';

-------------------------------------------------------------------------------
-- api/: ddb.api
-------------------------------------------------------------------------------

CREATE FUNCTION ddb.api(operation text, request json) RETURNS json
	AS 'MODULE_PATHNAME', 'ddb_api' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 1000;
COMMENT ON FUNCTION ddb.api(text, json) IS
	'serves a request of DynamoDB''s JSON API: the operation''s name and the request body in, the reply body out';
