/* Which call of the program this is, for messages: "cudaMalloc at x.cu:12". The line is known if
 * the program has line tables, as `heddle cc` makes them, and addr2line is installed; otherwise the
 * function is named. */
#ifndef CUDA_SITE_H
#define CUDA_SITE_H
#include <stdint.h>

enum { SITE_FRAMES = 6 };
struct site {
	const void *entry; /* in this library, called by the program; NULL: none */
	const void *pc
		[SITE_FRAMES]; /* return addresses of the program, innermost first; NULL: no more */
};
/* The call that this thread is in. */
struct site site_here(void);
/* A place of the program itself. fault_pc: of an access, as a signal's handler is told. */
const void *fault_pc(const void *context);
struct site site_at(const void *pc);
/* Kept for ever, the same text for the same place. */
const char *site_text(const struct site *s);

/* Who allocated what, and freed it: site_freeing() in a call that frees later on. */
void site_keep(uint64_t addr);
void site_freeing(uint64_t addr);
void site_forget(uint64_t addr);
/* "cudaMalloc at x.cu:12", of freed memory with ", freed by cudaFree at x.cu:20"; NULL: not
 * known. */
const char *site_of(void *arg, uint64_t addr);
#endif
