/* Sites: the call of the program that is being executed, for messages: "cudaMalloc at x.cu:12". The
 * line is known if the program has line tables, as `heddle cc` makes them, and addr2line is
 * installed; otherwise the function is named. */
#ifndef CUDA_SITE_H
#define CUDA_SITE_H
#include <stdint.h>

enum { SITE_FRAMES = 6 };
struct site {
	const void *entry; /* entry point of this library that the program called; NULL: none */
	const void *pc
		[SITE_FRAMES]; /* return addresses in the program, innermost first; NULL: no more */
};
/* Returns the library call that the calling thread is executing. */
struct site site_here(void);
/* site_at: makes a site of an address in the program itself. fault_pc: returns the program counter
 * of a faulting access, from the context of a signal handler. */
const void *fault_pc(const void *context);
struct site site_at(const void *pc);
/* Returns a text that is kept forever; equal sites have one text. */
const char *site_text(const struct site *s);

/* Remember the calls that allocated and freed memory; site_freeing() in a call that frees the
 * memory later. */
void site_keep(uint64_t addr);
void site_freeing(uint64_t addr);
void site_forget(uint64_t addr);
/* Returns "cudaMalloc at x.cu:12", for freed memory followed by ", freed by cudaFree at x.cu:20";
 * NULL: unknown. */
const char *site_of(void *arg, uint64_t addr);
#endif
