/* The operations, built for one instruction set of the host. On x86-64 the build compiles each file
 * with operations three times, once per instruction set (files in the Makefile's EXEC_ONCE: once),
 * and hides all names of each copy except its table; elsewhere there is one set. All sets give
 * equal bits: only their speed differs. */
#ifndef EXEC_DISPATCH_H
#define EXEC_DISPATCH_H
#include "exec/uop.h"

struct pending;

struct exec_ops {
	const char *(*bind)(const struct inst *in, struct uop *u); /* exec_bind */
	bind_fn *ld_rows, *st_rows, *local_addr;
	lock_loop_fn *lock_loop;
	exec_fn *nothing; /* for instructions whose results exist already */
	/* Questions about operations, defined beside the operations (uop.h, async.h, places.h). */
	bool (*atom_commutes)(const struct inst *in);
	uint32_t (*cp_async_reads)(const struct warp *w, const struct uop *u, unsigned lane);
	uint32_t (*surface_addresses)(struct warp *w, const struct uop *u, uint32_t lanes,
				      uint64_t *addr);
	/* exec/memory/pending.h */
	bool (*pending_access)(struct warp *w, const struct uop *u);
	void (*pending_commit)(struct pending *p);
};

#ifndef EXEC_OPS
#define EXEC_OPS exec_ops_baseline
#endif
extern const struct exec_ops EXEC_OPS;

/* The set for this host: the best it can run, or the one that HEDDLE_ISA names (baseline, v3, v4)
 * if the host can run that one. Chosen at the first call. */
const struct exec_ops *exec_ops(void);
const char *exec_isa(void); /* name of the set */

#endif
