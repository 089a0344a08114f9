/*-------------------------------------------------------------------------
 *
 * replay.c
 *	  The fuzzers without a fuzzing engine: files, and small changes of them.
 *
 * replay CHANGES FILE... runs each file, which must be accepted (the changes of
 * one that is refused would find little), and so many changed copies of it.  The
 * changes are the same each time, so a failure is found again by running it
 * again.
 *
 *-------------------------------------------------------------------------
 */
#include "base/compat.h"

#include "shim.h"

extern int	LLVMFuzzerTestOneInput(const uint8 *data, size_t size);

#define LONGEST (1024 * 1024)

static uint64 state = 20261114;

static uint32
random_below(uint32 n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32) ((state >> 16) % n);
}

/* Makes one small change; the buffer has room for 16 bytes more. */
static size_t
change(uint8 *data, size_t size)
{
	size_t		at = random_below((uint32) size);
	size_t		n = 1 + random_below(8);

	n = Min(n, size - at);
	switch (random_below(5))
	{
		case 0:
			data[at] = (uint8) random_below(256);
			return size;
		case 1:
			data[at] ^= (uint8) (1 << random_below(8));
			return size;
		case 2:					/* cut a piece out */
			memmove(data + at, data + at + n, size - at - n);
			return size - n;
		case 3:					/* say a piece twice */
			memmove(data + at + n, data + at, size - at);
			return size + n;
		default:				/* copy a piece over another */
			memmove(data + at, data + random_below((uint32) (size - n + 1)), n);
			return size;
	}
}

/* Runs a copy of exactly this size, so that reading past its end is seen. */
static void
run_copy(const uint8 *data, size_t size)
{
	uint8	   *copy = malloc(size);

	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
}

int
main(int argc, char **argv)
{
	static uint8 original[LONGEST],
				changed[LONGEST + 64];
	int			changes = argc > 1 ? atoi(argv[1]) : 0;

	for (int i = 2; i < argc; i++)
	{
		FILE	   *file = fopen(argv[i], "rb");
		size_t		size = file ? fread(original, 1, LONGEST, file) : 0;

		if (file)
			fclose(file);
		run_copy(original, size);
		if (shim_refused)
		{
			fprintf(stderr, "%s is refused\n", argv[i]);
			return 1;
		}
		for (int k = 0; k < changes; k++)
		{
			size_t		n = size;

			memcpy(changed, original, size);
			for (uint32 times = 1 + random_below(3); times > 0 && n > 0; times--)
				n = change(changed, n);
			run_copy(changed, n);
		}
	}
	return 0;
}
