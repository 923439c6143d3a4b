/* Warms the L2 with what functional launches access (func/touch.h), so that a timed launch finds it as if
 * the launches before it had been timed. First-level caches are left alone: a launch begins with an empty
 * one for data.
 *
 * The lines of a launch are collected with the block and the place in its warp of their last access, and with the block of
 * the first. Functional
 * mode runs one warp after the other, a machine a wave of blocks side by side: so the lines are accessed wave by
 * wave, and within a wave in the order of their places in the warps. The list does not depend on the machine, so
 * a checkpoint keeps it for all machines. */
#ifndef GPU_WARM_H
#define GPU_WARM_H
#include <stdbool.h>
#include <stdint.h>
#include "base/vec.h"

struct gpu;
struct launch;
struct prof;
struct warp;

/* A line of 128 bytes, with bits of its four sectors of 32 bytes. */
struct warm_line {
	uint64_t line; /* address / 128 */
	/* last access: number of the block; warp instructions that the warp had executed, at most
	 * UINT32_MAX */
	uint32_t block, progress;
	uint32_t first; /* number of the block of the first access */
	bool several;   /* blocks other than `first` and `block` accessed the line too */
	/* masks of sectors that were read; that were written; that a single access has written
	 * completely */
	uint8_t read : 4, written : 4, whole : 4;
	uint8_t used : 1; /* the table's entry holds a line */
};
typedef VEC(struct warm_line) warm_lines;

/* Lines kept per launch, those accessed last: the contents of caches of 128 MB. */
enum { WARM_RECENT = 1024, WARM_MOST = 1 << 20 };

/* The lines of a launch that is running. */
struct warm {
	struct warm_line *table; /* hash table with linear probing */
	size_t room, n;          /* room: a power of two, or 0 */
	/* entries of recent accesses, found without the table: one per line, by the low bits of its
	 * number; NULL: none */
	struct warm_line *recent[WARM_RECENT];
};

void warm_init(struct warm *w);
void warm_free(struct warm *w);
/* Implements see() of struct touch; `arg`: the struct warm. */
void warm_see(void *arg, const struct warp *w, uint64_t addr, uint32_t bytes, bool written);
/* Adds a list of lines that were accessed after those of w. */
void warm_add(struct warm *w, const warm_lines *lines);
/* Appends the lines in the order of blocks and of places in their warps. */
void warm_list(const struct warm *w, warm_lines *out);
/* True if the machine has an L2. */
bool warm_helps(const struct gpu *g);
/* Accesses the lines. wave: blocks that the GPU holds. */
void warm_apply(struct gpu *g, const warm_lines *lines, uint64_t wave);

/* Inserts the code that the launch has executed into the L2 and into the instruction caches of the
 * SMs that run its blocks. prof: counts of each pc. */
void warm_code(struct gpu *g, struct launch *l, const struct prof *prof);

#endif
