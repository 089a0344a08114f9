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

-------------------------------------------------------------------------------
-- table/: tables and the catalog
-------------------------------------------------------------------------------

-------------------------------------------------------------------------------
-- ops/: ddb.key and the item operations, query, batch, transact
-------------------------------------------------------------------------------

-------------------------------------------------------------------------------
-- api/: ddb.api
-------------------------------------------------------------------------------
