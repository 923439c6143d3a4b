/* State of a random kernel that is being written; its random numbers; functions that draw values
 * and predicates. */
#ifndef TESTS_RANDOM_KERNEL_DRAW_H
#define TESTS_RANDOM_KERNEL_DRAW_H
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
	RK_VALUES = 8,
	RK_INPUT = 256,
	RK_COUNTERS = 8,
	RK_LOCAL = 8,
	RK_FUNCTIONS = 4,
	RK_THREADS = 192,
	RK_BLOCKS = 6
};

struct random_kernel {
	/* Features that the kernel may contain; set before drawing. */
	bool warp_ops, locks, barriers, exits;
	unsigned size; /* statements, about */
	/* Largest numbers of threads per block, blocks and functions; 0: no limit. */
	unsigned most_threads, most_blocks, most_functions;
	/* A kernel of few instructions: a short beginning and end, 16 non-zero words of input, no unused function. */
	bool small;
	/* Shape of the drawn kernel. */
	uint32_t grid[3], block[3];
	unsigned threads; /* per block */
	size_t bytes;     /* size of the output */
	bool has_lock;
	char *text;
	/* State while the text is written. */
	uint64_t state;
	FILE *f;
	unsigned labels, temps, left;
	bool function;           /* in a function */
	bool called;             /* a function is called */
	const char *stop, *next; /* labels for break and continue; NULL: none */
};

static inline uint64_t random_next(uint64_t *s)
{
	uint64_t z = (*s += 0x9e3779b97f4a7c15u); /* splitmix64 */
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}
static inline unsigned rk_up_to(struct random_kernel *k, unsigned n)
{
	return (unsigned)(random_next(&k->state) >> 32) % n;
}
static inline bool rk_chance(struct random_kernel *k, unsigned percent)
{
	return rk_up_to(k, 100) < percent;
}
static inline unsigned rk_value(struct random_kernel *k) { return rk_up_to(k, RK_VALUES); }
static inline unsigned rk_temp(struct random_kernel *k) { return k->temps++; }

__attribute__((format(printf, 2, 3))) static inline void rk_emit(struct random_kernel *k,
								 const char *format, ...)
{
	va_list a;
	va_start(a, format);
	vfprintf(k->f, format, a);
	va_end(a);
}

/* Draws a predicate of the thread's values, true in about half of the threads or in few. */
static inline unsigned rk_predicate(struct random_kernel *k)
{
	static const char *const compare[] = {"lt", "gt", "eq", "ne", "ge", "le"};
	unsigned t = rk_temp(k), p = rk_temp(k), bits = 1 + rk_up_to(k, 4);
	rk_emit(k, "shr.u32 %%t%u, %%v%u, %u; and.b32 %%t%u, %%t%u, %u;\n", t, rk_value(k),
		rk_up_to(k, 20), t, t, (1u << bits) - 1);
	rk_emit(k, "setp.%s.u32 %%p%u, %%t%u, %u;\n", compare[rk_up_to(k, 6)], p, t,
		rk_up_to(k, 1u << bits));
	return p;
}

#endif
