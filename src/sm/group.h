/* Groups and the three families of policies around them.
 *
 * A group is what may issue together: threads at one pc, in one call frame. A reconvergence stack
 * exposes one group a warp, dynamic warp formation forms and dissolves them, MIMD has one a thread; the
 * SM never asks which. Divergence handlers own the groups; schedulers choose among them; lanes say how
 * long an issued one occupies the hardware.                                                         */
#ifndef SM_GROUP_H
#define SM_GROUP_H
#include "base/policy.h"
#include "base/wheel.h"
#include "exec/context.h"
#include "sm/tinst.h"

typedef uint64_t lanemask;
enum { MAX_LANES = 64, GROUP_MIXED = 0xffff };

enum group_wait { GROUP_RUNS, GROUP_BARRIER, GROUP_SYNC, GROUP_NONE }; /* NONE: no lanes */

struct group {
	uint32_t pc;
	uint16_t warp;              /* home warp of all lanes, or GROUP_MIXED */
	uint8_t wait;               /* enum group_wait */
	uint64_t age;               /* the smaller the older */
	lanemask active;
	struct frame frame;
	const uint16_t *home;       /* MIXED: home warp of each lane position */
};

struct sm;
struct div {
	const struct div_ops *ops;
	struct sm *sm;
	struct group *group;
	unsigned ngroups, nwarps;
	void *state;                /* the policy's own */
};

/* Lanes that waited at a barrier at `pc` are let go. */
typedef void div_wake_fn(struct sm *sm, unsigned warp, uint32_t pc, lanemask lanes, const struct frame *f);

/* Every function leaves the groups it touched consistent and reports each to sm_group_changed(). */
struct div_ops {
	struct policy p;
	unsigned groups_per_warp;   /* 0: one a thread */
	bool locked_only;           /* regroups threads: needs the pipeline that locks them */
	bool needs_order;           /* asks for kern.order */
	void (*init)(struct div *);
	void (*fini)(struct div *);
	void (*start)(struct div *, unsigned warp, lanemask live, uint32_t pc, uint64_t age);
	/* A group goes on at `next`, all its lanes. */
	void (*step)(struct div *, int g, uint32_t next);
	/* Lanes `taken` go to u->target, the others to the next instruction; neither is empty. */
	void (*branch)(struct div *, int g, const struct uop *u, lanemask taken);
	/* Lanes `who` go each to its own target, the others on. */
	void (*ibranch)(struct div *, int g, const struct uop *u, lanemask who, const uint32_t *target);
	/* Lanes enter a function at `pc` with frame `f` and come back to `ret`. An indirect call enters
	 * several, one after the other. */
	void (*call)(struct div *, int g, lanemask lanes, uint32_t pc, const struct frame *f, uint32_t ret);
	/* Where lanes of the group's function return to, and that they do. */
	void (*caller)(struct div *, int g, struct frame *f, uint32_t *ret);
	void (*ret)(struct div *, int g, lanemask lanes);
	void (*exit)(struct div *, int g, lanemask done);
	/* Lanes wait at a barrier (the others go on); those of a warp that wait at it are let go, `fn`
	 * called for each set of them; which wait there (NBARRIERS: at any). */
	void (*wait)(struct div *, int g, lanemask lanes, unsigned bar);
	void (*wake)(struct div *, unsigned warp, unsigned bar, div_wake_fn *fn);
	lanemask (*waiting)(const struct div *, unsigned warp, unsigned bar);
	/* A .sync operation that names lanes `need`: those to execute it for now, or 0: the group waits. */
	lanemask (*sync)(struct div *, int g, lanemask lanes, lanemask need);
	/* The group polls for what other lanes of its warp may have to do: they run first. */
	void (*yield)(struct div *, int g);
	bool (*check)(const struct div *, struct diag *why); /* invariants, for tests */
};

struct sched {
	const struct sched_ops *ops;
	struct sm *sm;
	unsigned id, n, words;      /* its groups are 0 .. n-1, group g of the SM is k * nsched + id */
	unsigned active;            /* two-level: size of the active set */
	void *state;
};
struct sched_ops {
	struct policy p;
	void (*init)(struct sched *);
	/* One of the ready groups; -1: none of them now. */
	int (*pick)(struct sched *, const uint64_t *ready);
	void (*issued)(struct sched *, int k);
	/* It cannot issue for long: waits for memory or at a barrier. */
	void (*blocked)(struct sched *, int k);
	void (*left)(struct sched *, int k);
	/* Does it come to a before b? NULL: it looks at all groups in every cycle. */
	bool (*before)(const struct sched *, int a, int b);
};

struct plan {
	uint16_t port;              /* cycles at the issue port (locked pipeline) */
	uint16_t beats;             /* cycles of a pass through simd_width lanes */
};
struct lane_ops {
	struct policy p;
	void (*plan)(const struct machine *m, const struct group *g, const struct tinst *t, struct plan *out);
};

const struct sched_ops *sched_find(const char *name);
const struct div_ops *div_find(const char *name);
const struct lane_ops *lane_find(const char *name);
/* All policies of the three families. */
void policies_each(void (*fn)(const struct policy *p, FILE *f), FILE *f);

#endif
