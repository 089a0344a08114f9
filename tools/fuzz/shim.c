/*-------------------------------------------------------------------------
 *
 * shim.c
 *	  As much of PostgreSQL as src/item and src/expr need to run in a fuzzer.
 *
 * Memory is malloc's, so that the address sanitizer sees every block apart;
 * what an input has allocated is freed when it ends.  An error unwinds to
 * shim_run() as it would to a server's main loop.  UTF-8, hashing, sorting
 * and printf are PostgreSQL's own (libpgcommon, libpgport).
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "access/detoast.h"
#include "shim.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

#include <sanitizer/asan_interface.h>

/* ----- memory ----- */

typedef struct Chunk
{
	struct Chunk *next;
	struct Chunk *previous;
	Size		size;
	struct Chunk **list;
} Chunk;

#define HEADER MAXALIGN(sizeof(Chunk))

/* Blocks that end with the input, and those of contexts that outlive it. */
static Chunk *current_blocks;
static Chunk *lasting_blocks;

static MemoryContextData current_context,
			lasting_context;
MemoryContext CurrentMemoryContext = &current_context;
MemoryContext TopMemoryContext = &lasting_context;

static void *
allocate(Chunk **list, Size size, bool zero)
{
	Chunk	   *block;

	if (size > (Size) 1 << 30)
		elog(ERROR, "invalid memory alloc request size %zu", size);
	block = malloc(HEADER + size);
	block->size = size;
	block->list = list;
	block->previous = NULL;
	block->next = *list;
	if (*list)
	{
		ASAN_UNPOISON_MEMORY_REGION(*list, HEADER);
		(*list)->previous = block;
		ASAN_POISON_MEMORY_REGION(*list, HEADER);
	}
	*list = block;
	memset((char *) block + HEADER, zero ? 0 : 0xA5, size);
	ASAN_POISON_MEMORY_REGION(block, HEADER);
	return (char *) block + HEADER;
}

static Chunk *
block_of(void *pointer)
{
	Chunk	   *block = (Chunk *) ((char *) pointer - HEADER);

	ASAN_UNPOISON_MEMORY_REGION(block, HEADER);
	return block;
}

static void
set_link(Chunk *block, Chunk *next, Chunk *previous, bool is_next)
{
	if (block == NULL)
		return;
	ASAN_UNPOISON_MEMORY_REGION(block, HEADER);
	if (is_next)
		block->next = next;
	else
		block->previous = previous;
	ASAN_POISON_MEMORY_REGION(block, HEADER);
}

static void
free_blocks(Chunk **list)
{
	while (*list)
	{
		Chunk	   *block = *list;

		ASAN_UNPOISON_MEMORY_REGION(block, HEADER);
		*list = block->next;
		free(block);
	}
}

void *
palloc(Size size)
{
	return allocate(&current_blocks, size, false);
}

void *
palloc0(Size size)
{
	return allocate(&current_blocks, size, true);
}

void *
palloc_extended(Size size, int flags)
{
	return allocate(&current_blocks, size, (flags & MCXT_ALLOC_ZERO) != 0);
}

void
pfree(void *pointer)
{
	Chunk	   *block = block_of(pointer);

	if (block->previous)
		set_link(block->previous, block->next, NULL, true);
	else
		*block->list = block->next;
	set_link(block->next, NULL, block->previous, false);
	free(block);
}

/* What palloc_array() is in newer minor releases. */
extern void *palloc_mul(Size s1, Size s2);

void *
palloc_mul(Size s1, Size s2)
{
	return palloc(s2 > 0 && s1 > SIZE_MAX / s2 ? SIZE_MAX : s1 * s2);
}

void *
repalloc(void *pointer, Size size)
{
	Chunk	   *block = block_of(pointer);
	Chunk	  **list = block->list;
	Size		old = block->size;
	void	   *result;

	ASAN_POISON_MEMORY_REGION(block, HEADER);
	result = allocate(list, size, false);
	memcpy(result, pointer, Min(old, size));
	pfree(pointer);
	return result;
}

void *
repalloc_huge(void *pointer, Size size)
{
	return repalloc(pointer, size);
}

char *
pstrdup(const char *s)
{
	Size		len = strlen(s) + 1;

	return memcpy(palloc(len), s, len);
}

void *
MemoryContextAlloc(MemoryContext context, Size size)
{
	return allocate(context == &current_context ? &current_blocks : &lasting_blocks, size, false);
}

void *
MemoryContextAllocZero(MemoryContext context, Size size)
{
	return allocate(context == &current_context ? &current_blocks : &lasting_blocks, size, true);
}

MemoryContext
AllocSetContextCreateInternal(MemoryContext parent, const char *name, Size minContextSize,
							  Size initBlockSize, Size maxBlockSize)
{
	return parent;
}

/* Only the cache's own context is ever reset. */
void
MemoryContextReset(MemoryContext context)
{
	free_blocks(context == &current_context ? &current_blocks : &lasting_blocks);
}

/* ----- errors ----- */

sigjmp_buf *PG_exception_stack;
ErrorContextCallback *error_context_stack;

static int	error_level;
static int	error_code;
static char *error_message;
static unsigned long errors;

bool
errstart(int elevel, const char *domain)
{
	error_level = elevel;
	error_code = ERRCODE_INTERNAL_ERROR;
	error_message = NULL;
	return true;
}

bool
errstart_cold(int elevel, const char *domain)
{
	return errstart(elevel, domain);
}

void
pg_re_throw(void)
{
	siglongjmp(*PG_exception_stack, 1);
}

/*
 * elog(ERROR) says "cannot happen", and an internal error that an input can
 * cause is a finding.
 */
void
errfinish(const char *filename, int lineno, const char *funcname)
{
	if (error_level < ERROR)
		return;
	if (error_code == ERRCODE_INTERNAL_ERROR)
	{
		fprintf(stderr, "%s:%d: internal error: %s\n", filename, lineno, error_message);
		abort();
	}
	errors++;
	pg_re_throw();
}

int
errcode(int sqlerrcode)
{
	error_code = sqlerrcode;
	return 0;
}

int
geterrcode(void)
{
	return error_code;
}

/* The text is made, so that its arguments are read, and must be UTF-8. */
static int
take_text(const char *fmt, va_list args)
{
	StringInfoData buf;

	initStringInfo(&buf);
	for (;;)
	{
		va_list		copy;
		int			needed;

		va_copy(copy, args);
		needed = appendStringInfoVA(&buf, fmt, copy);
		va_end(copy);
		if (needed == 0)
			break;
		enlargeStringInfo(&buf, needed);
	}
	if (pg_encoding_verifymbstr(PG_UTF8, buf.data, buf.len) != buf.len)
	{
		fprintf(stderr, "a message is not valid UTF-8: %s\n", buf.data);
		abort();
	}
	error_message = buf.data;
	return 0;
}

#define TAKE_TEXT(function) \
int \
function(const char *fmt,...) \
{ \
	va_list		args; \
	va_start(args, fmt); \
	take_text(fmt, args); \
	va_end(args); \
	return 0; \
}

TAKE_TEXT(errmsg)
TAKE_TEXT(errmsg_internal)
TAKE_TEXT(errdetail)
TAKE_TEXT(errdetail_internal)
TAKE_TEXT(errdetail_log)
TAKE_TEXT(errhint)

ErrorData *
CopyErrorData(void)
{
	ErrorData  *edata = palloc0(sizeof(ErrorData));

	edata->sqlerrcode = error_code;
	edata->message = error_message;
	return edata;
}

void
FlushErrorState(void)
{
}

void
ReThrowError(ErrorData *edata)
{
	error_code = edata->sqlerrcode;
	error_message = edata->message;
	pg_re_throw();
}

/* Under a name of our own, for its arguments differ between versions. */
extern void shim_assertion(const char *condition) __asm__("ExceptionalCondition");

void
shim_assertion(const char *condition)
{
	fprintf(stderr, "assertion failed: %s\n", condition);
	abort();
}

/* ----- strings ----- */

void
initStringInfo(StringInfo str)
{
	str->maxlen = 1024;
	str->data = palloc(str->maxlen);
	resetStringInfo(str);
}

void
resetStringInfo(StringInfo str)
{
	str->data[0] = '\0';
	str->len = 0;
	str->cursor = 0;
}

void
enlargeStringInfo(StringInfo str, int needed)
{
	Size		size = str->maxlen;

	while (size < (Size) str->len + needed + 1)
		size *= 2;
	if (size == str->maxlen)
		return;
	str->data = repalloc(str->data, size);
	str->maxlen = (int) size;
}

int
appendStringInfoVA(StringInfo str, const char *fmt, va_list args)
{
	int			room = str->maxlen - str->len;
	int			n = pg_vsnprintf(str->data + str->len, room, fmt, args);

	if (n < room)
	{
		str->len += n;
		return 0;
	}
	str->data[str->len] = '\0';
	return n + 1;
}

void
appendStringInfo(StringInfo str, const char *fmt,...)
{
	for (;;)
	{
		va_list		args;
		int			needed;

		va_start(args, fmt);
		needed = appendStringInfoVA(str, fmt, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(str, needed);
	}
}

/* Its argument's type differs between versions too. */
extern void shim_append(StringInfo str, const void *data, int datalen) __asm__("appendBinaryStringInfo");

void
shim_append(StringInfo str, const void *data, int datalen)
{
	enlargeStringInfo(str, datalen);
	memcpy(str->data + str->len, data, datalen);
	str->len += datalen;
	str->data[str->len] = '\0';
}

void
appendStringInfoString(StringInfo str, const char *s)
{
	shim_append(str, s, (int) strlen(s));
}

void
appendStringInfoChar(StringInfo str, char ch)
{
	shim_append(str, &ch, 1);
}

char *
psprintf(const char *fmt,...)
{
	StringInfoData buf;

	initStringInfo(&buf);
	for (;;)
	{
		va_list		args;
		int			needed;

		va_start(args, fmt);
		needed = appendStringInfoVA(&buf, fmt, args);
		va_end(args);
		if (needed == 0)
			return buf.data;
		enlargeStringInfo(&buf, needed);
	}
}

/* Only errors.c uses this, for a body that nobody reads here. */
void
escape_json(StringInfo buf, const char *str)
{
	appendStringInfo(buf, "\"%s\"", str);
}

int
pg_mbcliplen(const char *mbstr, int len, int limit)
{
	int			cut = Min(len, limit);

	if (cut < len)
	{
		while (cut > 0 && ((uint8) mbstr[cut] & 0xC0) == 0x80)
			cut--;
	}
	return cut;
}

/* ----- what a server would do ----- */

volatile sig_atomic_t InterruptPending;

void
ProcessInterrupts(void)
{
}

static char *stack_base;

/* Far less than a server has, so that unbounded recursion shows. */
void
check_stack_depth(void)
{
	char		here;

	if (stack_base - &here > 512 * 1024)
		ereport(ERROR, (errcode(ERRCODE_STATEMENT_TOO_COMPLEX), errmsg("stack depth limit exceeded")));
}

struct varlena *
pg_detoast_datum(struct varlena *datum)
{
	return datum;
}

struct varlena *
pg_detoast_datum_packed(struct varlena *datum)
{
	return datum;
}

/* A slice of a plain value, as if it had been toasted. */
struct varlena *
pg_detoast_datum_slice(struct varlena *datum, int32 first, int32 count)
{
	int32		total = (int32) VARSIZE_ANY_EXHDR(datum);
	int32		len = Max(0, Min(count, total - first));
	struct varlena *result = palloc(VARHDRSZ + len);

	SET_VARSIZE(result, VARHDRSZ + len);
	memcpy(VARDATA(result), VARDATA_ANY(datum) + first, len);
	return result;
}

Size
toast_raw_datum_size(Datum value)
{
	return VARSIZE_ANY_EXHDR(DatumGetPointer(value)) + VARHDRSZ;
}

/* Key columns' conversions need a server. */
#define ABSENT(result, function, ...) result function(__VA_ARGS__) { abort(); }

ABSENT(Datum, numeric_send, FunctionCallInfo fcinfo)
ABSENT(Datum, numeric_recv, FunctionCallInfo fcinfo)
ABSENT(char *, numeric_normalize, Numeric num)
ABSENT(Datum, DirectFunctionCall1Coll, PGFunction f, Oid c, Datum a)
ABSENT(Datum, DirectFunctionCall3Coll, PGFunction f, Oid c, Datum a, Datum b, Datum d)

/* ----- the loop ----- */

bool		shim_refused;

void
shim_run(void (*body) (const uint8 *data, size_t size), const uint8 *data, size_t size)
{
	sigjmp_buf	jump;
	char		here;
	bool		failed = false;

	stack_base = &here;
	PG_exception_stack = &jump;
	if (sigsetjmp(jump, 0) == 0)
		body(data, size);
	else
		failed = true;
	PG_exception_stack = NULL;
	free_blocks(&current_blocks);
	shim_refused = failed;
}
