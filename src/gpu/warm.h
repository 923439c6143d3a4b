/* Warms the L2 with what functional launches access (func/touch.h), so that a timed launch finds it as if
 * the launches before it had been timed. First-level caches are left alone: a launch begins with an empty
 * one for data. */
#ifndef GPU_WARM_H
#define GPU_WARM_H
#include <stdbool.h>
#include <stdint.h>

struct gpu;
enum { WARM_RECENT = 1024 };

struct warm {
	struct gpu *g;
	/* recent accesses, whose repetition changes nothing: one entry per 128-byte line, indexed
	 * by the low bits of its number; 0: none */
	uint64_t recent[WARM_RECENT];
};

/* False: there is no L2 to warm. */
bool warm_init(struct warm *w, struct gpu *g);
/* Implements see() of struct touch; `arg`: the struct warm. */
void warm_see(void *arg, uint64_t addr, uint32_t bytes, bool written);

#endif
