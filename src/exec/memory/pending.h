/* Global memory that an SM has written in the current window (timing mode).
 *
 * SMs run a window side by side, so none of them may change memory that another one loads: stores and
 * reductions go into a table of the SM's own and reach memory at the window's end, SM after SM. The SM's
 * own loads see its table. So results do not depend on the number of host threads, even if accesses of
 * different SMs race. Operations between blocks (UOP_ORDERED) run after that, on memory itself.
 *
 *   sector 0x..40   bytes   a b c d . . . .     a, b: stored by this SM; memory gets them at the window's end
 *                   stored  1 1 0 0 0 0 0 0     c, d: seen by this SM's loads as the result of a reduction,
 *                   seen    1 1 1 1 0 0 0 0       which memory gets from the list of late reductions
 *
 * The table itself is in pending.c; which way an instruction takes, in pending_access.c. gpu/run.c ends the
 * window. */
#ifndef EXEC_PENDING_H
#define EXEC_PENDING_H
#include "base/vec.h"
#include "exec/context.h"
#include "exec/uop.h"

enum { PENDING_BYTES = 32 }; /* bytes per sector of the table */

struct sector {
	uintptr_t at;          /* host address, a multiple of PENDING_BYTES; 0: the entry is free */
	uint32_t stored, seen; /* a bit per byte; `seen` includes `stored` */
	uint8_t bytes[PENDING_BYTES];
};

/* A reduction that memory has not received yet. It is not stored as a value, because that would overwrite
 * reductions of other SMs. */
struct late_reduction {
	uint8_t *cell;
	uint64_t operand;
	uint8_t op, type; /* enum atom, enum type */
	bool plain;       /* floats are added as shared memory does (exec/memory/atom.h) */
};

struct pending {
	bool on; /* false: accesses go to memory at once */
	struct sector
		*sector; /* hash table with open addressing, of `size` entries, a power of two;
			  * NULL: never used */
	uint32_t *used;  /* indices of the n occupied entries */
	uint32_t n, size;
	uintptr_t lo, hi; /* all sectors lie in [lo, hi) */
	VEC(struct late_reduction) late;
};

static inline uint32_t pending_place(const struct pending *p, uintptr_t at)
{
	return (uint32_t)((at / PENDING_BYTES * 0x9e3779b97f4a7c15u) >> 40) & (p->size - 1);
}

/* The sector at host address `at`, a multiple of PENDING_BYTES; NULL: not in the table. */
static inline struct sector *pending_find(const struct pending *p, uintptr_t at)
{
	if (at < p->lo || at >= p->hi)
		return NULL;
	for (uint32_t i = pending_place(p, at);; i = (i + 1) & (p->size - 1)) {
		if (p->sector[i].at == at)
			return &p->sector[i];
		if (!p->sector[i].at)
			return NULL;
	}
}

/* The table of the SM that runs the warp; NULL: accesses go to memory at once. */
static inline struct pending *pending_of(const struct warp *w)
{
	struct pending *p = w->cta->x->pending;
	return p && p->on ? p : NULL;
}

/* Stores `from` at [at, at + n): the SM's loads see the bytes at once, memory at the window's
 * end. */
void pending_store(struct pending *p, const uint8_t *at, const void *from, uint32_t n);
/* Overwrites, among the n bytes loaded from `at`, those that are in the table. */
void pending_load(const struct pending *p, const uint8_t *at, void *bytes, uint32_t n);
/* True if the table has any byte of [at, at + n). */
bool pending_meets(const struct pending *p, const uint8_t *at, uint64_t n);
/* Makes the SM's loads see `value` in the n bytes of a cell, whose reduction memory receives
 * later. */
void pending_show(struct pending *p, const uint8_t *cell, uint64_t value, uint32_t n);
/* Writes the stored bytes to memory and empties the table. */
void pending_flush(struct pending *p);
void pending_free(struct pending *p);

/* A reduction of an element of n bytes: 2, 4 or 8. Returns the value that the SM saw there
 * before. */
uint64_t pending_reduce(struct pending *p, const struct late_reduction *r, uint32_t n);
/* Executes a load or store of lanes w->mask if it accesses global memory that concerns the table.
 * False: nothing was done, and the instruction may access memory directly. */
bool pending_access(struct warp *w, const struct uop *u);
/* Called at the window's end: writes everything to memory and empties the table. */
void pending_commit(struct pending *p);

#endif
