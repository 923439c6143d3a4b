/* What --check race has seen the host touch: a part of struct process, because a handler of SIGSEGV
 * fills it in. beside.h has the functions. */
#ifndef CUDA_TOUCH_H
#define CUDA_TOUCH_H
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { TOUCHES = 256, WATCHED = 64 };

/* The first read or the first write of a watched page since the kernel or copy was submitted. */
struct touch {
	uint64_t addr;
	bool writes;
	const void *pc;
	uint64_t seq;  /* number of the last work submitted before */
	uint64_t host; /* number of the host function that did it, or 0 */
};
struct watched {
	uintptr_t lo, hi; /* 0: not watched any more */
	uint64_t host;    /* number of the host function that it is watched for; 0: the program */
};
struct touches {
	struct watched watched[WATCHED];
	struct touch list[TOUCHES];
	unsigned nwatched, n;  /* the handler only adds to n */
	volatile uint64_t seq; /* number of the last work submitted */
	struct sigaction old;  /* the handler before ours */
};

#endif
