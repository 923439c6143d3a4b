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
	/* accesses seen lately, which change nothing when they come again: a place per line of 128 bytes, by
	 * the low bits of its number; 0: none */
	uint64_t recent[WARM_RECENT];
};

/* Whether there is an L2 to warm. */
bool warm_init(struct warm *w, struct gpu *g);
/* A struct touch's see(); `arg`: the struct warm. */
void warm_see(void *arg, uint64_t addr, uint32_t bytes, bool written);

#endif
