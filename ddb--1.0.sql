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
GRANT USAGE ON SCHEMA ddb TO PUBLIC;

-------------------------------------------------------------------------------
-- item/: ddb.item, ddb.doc, their JSON, casts and operators
-------------------------------------------------------------------------------

-------------------------------------------------------------------------------
-- storage/: hash-ordered operator classes, the access method, ddb.compact
-------------------------------------------------------------------------------

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
	FUNCTION 4 btvarstrequalimage(oid),
	FUNCTION 5 ddb.key_options(internal);
COMMENT ON OPERATOR CLASS ddb.bytea_hash_ops USING btree IS
	'bytea ordered by a stable 64-bit hash, then by value';

CREATE FUNCTION ddb.tableam_handler(internal) RETURNS table_am_handler
	AS 'MODULE_PATHNAME', 'ddb_tableam_handler' LANGUAGE C;
COMMENT ON FUNCTION ddb.tableam_handler(internal) IS 'handler of access method ddb';
CREATE ACCESS METHOD ddb TYPE TABLE HANDLER ddb.tableam_handler;
COMMENT ON ACCESS METHOD ddb IS 'heap that keeps the items of a collection on few pages';

-------------------------------------------------------------------------------
-- table/: tables and the catalog
-------------------------------------------------------------------------------

-------------------------------------------------------------------------------
-- ops/: ddb.key and the item operations, query, batch, transact
-------------------------------------------------------------------------------

-------------------------------------------------------------------------------
-- api/: ddb.api
-------------------------------------------------------------------------------
