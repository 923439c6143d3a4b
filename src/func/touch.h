/* Reports the global memory that a functional launch reads and writes, warp by warp, in the order
 * of execution, to warm caches as if the launch had been timed. Loads, stores and atomics of global
 * and generic addresses are reported; textures, copies between spaces and local memory are not. */
#ifndef FUNC_TOUCH_H
#define FUNC_TOUCH_H
#include "exec/context.h"

struct touch {
	/* Called for each run of bytes that neighbouring lanes of a warp access within one line of 128 bytes. */
	void (*see)(void *arg, const struct warp *w, uint64_t addr, uint32_t bytes, bool written);
	void *arg;
	uint8_t *bytes; /* per pc: bytes per lane; 0: not reported */
};

/* Finds the instructions whose accesses are reported. */
void touch_init(struct touch *t, const struct image *img);
void touch_free(struct touch *t);
/* Lanes `mask` are about to execute u at pc. */
void touch_lanes(const struct touch *t, const struct warp *w, const struct uop *u, uint32_t pc,
		 uint32_t mask);

#endif
