/* Accesses of the host that --check race has recorded. They are a part of struct process, because a
 * handler of SIGSEGV fills them in; beside.h has the functions. */
#ifndef CUDA_TOUCH_H
#define CUDA_TOUCH_H
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { TOUCHES = 256, WATCHED = 64 };

/* The first read or write of a watched page since the kernel or copy was submitted. */
struct touch {
	uint64_t addr;
	bool writes;
	const void *pc;
	uint64_t seq;  /* number of the last work submitted before the access */
	uint64_t host; /* number of the host function that made the access; 0: the program */
};
struct watched {
	uintptr_t lo, hi; /* address range of the watched bytes; 0: no longer watched */
	/* number of the host function that the pages are watched for; 0: the program */
	uint64_t host;
};
struct touches {
	struct watched watched[WATCHED];
	struct touch list[TOUCHES];
	/* numbers of entries in `watched` and in `touch`; the signal handler only increments n */
	unsigned nwatched, n;
	volatile uint64_t seq; /* number of the last work submitted */
	struct sigaction old;  /* the handler before ours */
};

#endif
