/*-------------------------------------------------------------------------
 *
 * errors.h
 *	  How ddb fails: one SQLSTATE of class YD per DynamoDB exception.
 *
 * A failure carries the SQLSTATE, DynamoDB's message text, and in DETAIL the
 * reply body as JSON (__type, message, and what the exception has beside).
 * DETAIL may carry items, so the server log gets a DETAIL without them.
 * elog() is for what cannot happen; whatever a user can cause comes here.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_ERRORS_H
#define DDB_ERRORS_H

#include "base/compat.h"

/*
 * The number is the SQLSTATE's last three digits (YD001 ...) and part of the
 * public interface: append, never renumber.
 */
typedef enum DdbError
{
	DDB_VALIDATION = 1,
	DDB_CONDITION_FAILED = 2,
	DDB_TRANSACTION_CANCELED = 3,
	DDB_RESOURCE_NOT_FOUND = 4,
	DDB_RESOURCE_IN_USE = 5,
	DDB_THROUGHPUT_EXCEEDED = 6,
	DDB_COLLECTION_SIZE_EXCEEDED = 7,
	DDB_TRANSACTION_CONFLICT = 8,
	DDB_IDEMPOTENT_MISMATCH = 9,
	DDB_LIMIT_EXCEEDED = 10,
	DDB_DUPLICATE_ITEM = 11,
	DDB_TRANSACTION_IN_PROGRESS = 12,
	DDB_THROTTLING = 13,
	DDB_ACCESS_DENIED = 14,
	DDB_SERIALIZATION = 15,
	DDB_UNKNOWN_OPERATION = 16,
} DdbError;

/* The SQLSTATE of an error, for ereport's errcode() and for catching it. */
extern int	ddb_sqlstate(DdbError error);

/*
 * Raises the error with this message.  The message's arguments may hold any
 * bytes of a user's request that are valid UTF-8 without NUL.
 */
extern void ddb_raise(DdbError error, const char *fmt,...)
			pg_attribute_printf(2, 3) pg_attribute_noreturn();

/* As above, with a HINT for people (not part of DynamoDB's reply). */
extern void ddb_raise_hint(DdbError error, const char *hint, const char *fmt,...)
			pg_attribute_printf(3, 4) pg_attribute_noreturn();

/*
 * As ddb_raise(), with further members of the reply body: `members` is JSON
 * text such as "\"Item\":{...}", without braces, or NULL.  They reach the
 * client in DETAIL and never the server log.
 */
extern void ddb_raise_reply(DdbError error, const char *members, const char *fmt,...)
			pg_attribute_printf(3, 4) pg_attribute_noreturn();

#endif							/* DDB_ERRORS_H */
