/* --check race: what copies, fills and the host may do to memory while a kernel runs. Work that was
 * submitted since the program last waited is examined when it waits again, before any of it runs
 * (queue.c). */
#ifndef CUDA_BESIDE_H
#define CUDA_BESIDE_H
#include "cuda/check/touch.h"
#include "cuda/stream/queue.h"

/* With process.lock, for the whole list: tells each kernel about other work that nothing orders with it
 * (struct heddle_other). What the host did to a copy's memory, and what two copies do to the same
 * bytes, is reported at once. */
void beside_find(struct queued *first);
/* The same before some of it runs, for work that was submitted since: what the host did is left for the wait. */
void beside_find_fresh(struct queued *first);
/* With process.lock, around a host function: what it touches of memory that work in the list uses which nothing orders with it. A
 * copy's is reported, a kernel is told. */
void beside_host_begin(struct queued *first, const struct queued *e);
void beside_host_end(struct queued *first, const struct queued *e);
/* What such work does to memory, by the call that asked for it; v is the caller's to free. */
struct others {
	struct heddle_other *v;
	unsigned n;
};
void others_add(struct others *o, const struct work *w, const struct site *site);
void others_put(struct others *o, struct heddle_other x); /* one more, unless it is empty */
/* With process.lock: all places of a copy or fill, in the host's memory too, without the call; and the
 * report of bytes that two of them, which nothing orders, use at once. */
struct others beside_places(const struct work *w);
void beside_look(const struct others *x, const struct site *xs, const struct others *y,
		 const struct site *ys);

bool beside_is_done(const struct queued *older); /* programs take it as done at once */
/* A copy or fill that may be under way when its call has returned. */
bool beside_is_late(const struct queued *e);
/* A copy, or what a fill writes as one that reads nothing. */
struct copy beside_copy(const struct work *w);
/* Watches the managed memory that a kernel's parameters point to, and the pinned memory of a copy,
 * from submission until the program waits: the first touch of each page is recorded. held: the program has
 * waited for something else since; then pages that other memory shares are not watched. With process.lock. */
void touch_watch(const struct queued *e, bool held);
void touch_end(void);
/* What this thread touches from now on is that of a host function; 0: of none, and what was watched for it no longer is. */
void touch_by_host(uint64_t of);
/* Watches the memory of e for the host function that this thread is about to run. */
void touch_watch_for_host(const struct queued *e);
unsigned touch_count(void);
const struct touch *touch_at(unsigned i);
#endif
