/*-------------------------------------------------------------------------
 *
 * api.h
 *	  DynamoDB's JSON API: a request in, a reply out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_API_H
#define DDB_API_H

#include "base/compat.h"
#include "lib/stringinfo.h"

/*
 * Serves one request: appends the reply's JSON, or raises the exception that
 * DynamoDB would answer with (base/errors.h).
 */
extern void ddb_api_call(const char *operation, const char *request, size_t len,
						 StringInfo reply);

#endif							/* DDB_API_H */
