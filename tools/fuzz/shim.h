/*-------------------------------------------------------------------------
 *
 * shim.h
 *	  Running a piece of ddb on one input, outside a server.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DDB_SHIM_H
#define DDB_SHIM_H

/* Runs body on an input; 1 if it ended with an error, else 0. */
extern int shim_run(void (*body) (const uint8 *data, size_t size),
					const uint8 *data, size_t size);

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
