/*-------------------------------------------------------------------------
 *
 * shim.h
 *	  Running a piece of ddb on one input, outside a server.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_SHIM_H
#define DDB_SHIM_H

/* Runs body on an input, and says whether that ended with an error. */
extern void shim_run(void (*body) (const uint8 *data, size_t size),
					 const uint8 *data, size_t size);
extern bool shim_refused;

/* Ends the run: two things that must agree do not. */
#define MUST(condition) \
	do { \
		if (!(condition)) \
		{ \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
			abort(); \
		} \
	} while (0)

#endif							/* DDB_SHIM_H */
