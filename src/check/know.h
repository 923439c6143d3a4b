/* --check race: vector clocks of the happens-before relation.
 *
 * Time is the launch's count of checked warp instructions, called stamps. That thread A knows thread
 * B up to a stamp means: everything B did until the stamp happens before the next action of A. A
 * full vector would have an entry for each thread of the grid. Here a vector has three parts:
 *
 *   seen    threads of one block: all of them up to `base`, a few up to a later stamp
 *   others  a radix tree from blocks to seen; equal parts are shared
 *   know    both; the thread's own block is separate, because it is asked for most
 *
 * All are reference-counted and never change: threads that a barrier released share one. A barrier
 * costs one object for all its threads, a release or acquire a path of the tree. */
#ifndef CHECK_KNOW_H
#define CHECK_KNOW_H
#include <stdbool.h>
#include <stdint.h>

struct seen {
	uint32_t refs, base, n;
	struct further {
		uint32_t thread, stamp; /* per thread whose stamp is above base: its number and
		                         * stamp */
	} of[];
};
struct others; /* NULL: no block is known */
struct know {
	uint32_t refs;
	struct seen *own; /* NULL: nothing of the block */
	struct others *others;
};

/* Functions that return an object give the caller a reference; NULL is a valid object, without any
 * knowledge. */
struct seen *seen_ref(struct seen *s);
void seen_drop(struct seen *s);
bool seen_knows_further(const struct seen *s, uint32_t thread, uint32_t stamp);
static inline bool seen_knows(const struct seen *s, uint32_t thread, uint32_t stamp)
{
	return s && (stamp <= s->base || seen_knows_further(s, thread, stamp));
}
struct seen *seen_all(uint32_t base); /* knowledge of every thread of the block up to base */
struct seen *seen_join(struct seen *a, struct seen *b);
/* returns s, plus thread first + i up to `stamp` for each bit i of lanes */
struct seen *seen_with(struct seen *s, uint32_t first, uint64_t lanes, uint32_t stamp);

struct others *others_ref(struct others *o);
void others_drop(struct others *o);
struct seen *others_get(const struct others *o, uint32_t block); /* the caller gets no reference */
struct others *others_join(struct others *a, struct others *b);
/* returns o with the entry of `block` replaced by s */
struct others *others_with(struct others *o, uint32_t block, struct seen *s);

/* takes over the caller's references to both */
struct know *know_new(struct seen *own, struct others *others);
struct know *know_ref(struct know *k);
void know_drop(struct know *k);
struct know *know_join(struct know *a, struct know *b);
/* returns k joined with the knowledge published in `others`; block: the block of the thread that
 * has k */
struct know *know_learn(struct know *k, struct others *others, uint32_t block);
static inline struct seen *know_own(const struct know *k) { return k ? k->own : 0; }
static inline struct others *know_others(const struct know *k) { return k ? k->others : 0; }

/* Each macro replaces the object that p points to by a new one, and drops the reference to the old
 * one. */
#define KNOW_SET(p, drop, ...)                                                                     \
	do {                                                                                       \
		__typeof__(*(p)) new_ = (__VA_ARGS__);                                             \
		drop(*(p));                                                                        \
		*(p) = new_;                                                                       \
	} while (0)

#endif
