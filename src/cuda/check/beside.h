/* --check race: conflicts of copies, fills and the host with running kernels. Work that was
 * submitted since the program's last wait is examined at its next wait, before any of it runs
 * (stream/queue.c). touch.c records the host's accesses. */
#ifndef CUDA_BESIDE_H
#define CUDA_BESIDE_H
#include "cuda/check/touch.h"
#include "cuda/stream/queue.h"

/* Adds to each kernel in the list the concurrent work that is not ordered with it (struct
 * heddle_other). Accesses of the host to a copy's memory, and conflicts between two copies, are
 * reported at once. Call with process.lock. */
void beside_find(struct queued *first);
/* Like beside_find(), for entries submitted after its last call, when only part of the list is
 * about to run: accesses of the host are examined later, when the program waits. */
void beside_find_fresh(struct queued *first);
/* Call before and after a host function, with process.lock. Records accesses of the host function
 * to memory of unordered work in the list: conflicts with a copy are reported, a conflict with a
 * kernel is added to the kernel's list. */
void beside_host_begin(struct queued *first, const struct queued *e);
void beside_host_end(struct queued *first, const struct queued *e);
/* The memory accesses of a piece of work, and the call that submitted the work; the caller frees v. */
struct others {
	struct heddle_other *v;
	unsigned n;
};
void others_add(struct others *o, const struct work *w, const struct site *site);
/* appends an access, unless it is empty */
void others_put(struct others *o, struct heddle_other x);
/* beside_places: all address ranges of a copy or fill, host memory included, without the call.
 * beside_report: reports the bytes that two unordered pieces of work both access. Call with
 * process.lock. */
struct others beside_places(const struct work *w);
void beside_look(const struct others *x, const struct site *xs, const struct others *y,
		 const struct site *ys);

/* true: programs treat the fill as done when its call returns */
bool beside_is_done(const struct queued *older);
/* True for a copy or fill that may be under way after its call has returned. */
bool beside_is_late(const struct queued *e);
/* Returns the copy, or a fill as a copy that reads nothing. */
struct copy beside_copy(const struct work *w);
/* Watches managed memory that a kernel's parameters point to, and pinned memory of a copy, from
 * submission until the program waits: the first access to each page is recorded. held: the entry
 * has stayed in the list across a wait of the program; then pages that other memory shares are not
 * watched. Call with process.lock. */
void touch_watch(const struct queued *e, bool held);
void touch_end(void);
/* Attributes this thread's accesses from now on to host function number `of`. 0: to the program;
 * the pages watched for the host function are released. */
void touch_by_host(uint64_t of);
/* Watches the memory of e for the host function that this thread is about to run. */
void touch_watch_for_host(const struct queued *e);
unsigned touch_count(void);
const struct touch *touch_at(unsigned i);
#endif
