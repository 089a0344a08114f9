/*-------------------------------------------------------------------------
 *
 * program.c
 *	  The backend's cache of parsed expressions.
 *
 * An application sends the same few texts over and over, so a text is parsed
 * once and found again by kind and bytes.  The cache is two-way set
 * associative: a text has two places, a new one takes the place used least
 * recently.  It is bounded in entries by its form and in bytes by CACHE_BYTES;
 * when the bytes are used up, all entries go, which costs a parse each and
 * happens to nobody who has less than a few thousand texts.
 *
 * It lives in a memory context of its own beneath TopMemoryContext, outlives
 * transactions, and holds only finished programs: a parse error raises before
 * anything here is touched.  Nothing in a program depends on a catalog, a
 * role or a setting, so entries never become wrong.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "common/hashfn.h"
#include "expr/expr_int.h"
#include "utils/memutils.h"

#define CACHE_SETS		512		/* a power of two */
#define CACHE_WAYS		2
#define CACHE_BYTES		(2 * 1024 * 1024)

static MemoryContext cache_context = NULL;
static Program *(*cache)[CACHE_WAYS] = NULL;
static size_t cache_bytes = 0;

static bool
is_program_of(const Program *program, DdbExprKind kind, const char *text, size_t len)
{
	return program != NULL && program->kind == kind && program->textlen == len &&
		memcmp(program_text(program), text, len) == 0;
}

/* Makes the cache, or makes it empty. */
static void
reset_cache(void)
{
	cache = NULL;
	cache_bytes = 0;
	if (cache_context == NULL)
		cache_context = AllocSetContextCreate(TopMemoryContext, "ddb expressions",
											  ALLOCSET_DEFAULT_SIZES);
	MemoryContextReset(cache_context);
	cache = MemoryContextAllocZero(cache_context, CACHE_SETS * sizeof(*cache));
}

/* Keeps a copy of the program as the newest of its set. */
static Program *
remember(const Program *program, uint32 set)
{
	Program    *copy;

	if (cache == NULL || cache_bytes + program->size > CACHE_BYTES)
		reset_cache();
	copy = MemoryContextAlloc(cache_context, program->size);
	memcpy(copy, program, program->size);
	cache_bytes += program->size;

	if (cache[set][1])
	{
		cache_bytes -= cache[set][1]->size;
		pfree(cache[set][1]);
	}
	cache[set][1] = cache[set][0];
	cache[set][0] = copy;
	return copy;
}

const Program *
ddb_program_get(DdbExprKind kind, const char *text, size_t len)
{
	uint32		set = hash_bytes((const unsigned char *) text, len) & (CACHE_SETS - 1);
	Program    *program;

	if (cache)
	{
		if (is_program_of(cache[set][0], kind, text, len))
			return cache[set][0];
		if (is_program_of(cache[set][1], kind, text, len))
		{
			program = cache[set][1];
			cache[set][1] = cache[set][0];
			return cache[set][0] = program;
		}
	}
	return remember(ddb_parse(kind, text, len), set);
}
