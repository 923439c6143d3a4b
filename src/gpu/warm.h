/* Warms the L2 with what functional launches access (func/touch.h), so that a timed launch finds it as if
 * the launches before it had been timed. First-level caches are left alone: a launch begins with an empty
 * one for data.
 *
 * The lines of a launch are collected in the order of their last access, which decides what a cache still
 * holds. The list does not depend on the machine, so a checkpoint keeps it, and a machine that starts from
 * the checkpoint finds the caches of one that has run the launches. */
#ifndef GPU_WARM_H
#define GPU_WARM_H
#include <stdbool.h>
#include <stdint.h>
#include "base/vec.h"

struct gpu;

/* A line of 128 bytes, with bits of its four sectors of 32 bytes. */
struct warm_line {
	uint64_t line; /* address / 128 */
	/* sectors that were read; that were written; that one access has written completely */
	uint8_t read, written, whole;
};
typedef VEC(struct warm_line) warm_lines;

/* Lines kept per launch, those accessed last: the contents of caches of 128 MB. */
enum { WARM_RECENT = 1024, WARM_MOST = 1 << 20 };

struct warm_entry {
	struct warm_line l;
	uint64_t stamp; /* number of the last access; 0: a free entry */
};

/* The lines of a launch that is running. */
struct warm {
	struct warm_entry *table; /* hash table with linear probing */
	size_t room, n;           /* room: a power of two, or 0 */
	uint64_t accesses;
	/* entries of recent accesses, found without the table: one per line, by the low bits of its
	 * number; NULL: none */
	struct warm_entry *recent[WARM_RECENT];
};

void warm_init(struct warm *w);
void warm_free(struct warm *w);
/* Implements see() of struct touch; `arg`: the struct warm. */
void warm_see(void *arg, uint64_t addr, uint32_t bytes, bool written);
/* Adds lines that were accessed in this order. */
void warm_add(struct warm *w, const warm_lines *lines);
/* Appends the lines in the order of their last access. */
void warm_list(const struct warm *w, warm_lines *out);
/* True if the machine has an L2. */
bool warm_helps(const struct gpu *g);
/* Accesses the lines. */
void warm_apply(struct gpu *g, const warm_lines *lines);

#endif
