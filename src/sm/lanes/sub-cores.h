/* What organisations that divide an SM into sub-cores share: which sub-core a warp is bound to, and where its registers
 * are. divided.c has the picture. A sub-core may have several lanes with registers of their own (inside.h):
 *
 *	scheduler 0    lanes 0, 4, 8 ...      scheduler 1    lanes 1, 5, 9 ...
 *
 * A warp goes to the sub-core with the fewest warps, and there to the lane with most free registers. */
#ifndef SM_LANES_SUB_CORES_H
#define SM_LANES_SUB_CORES_H
#include "sm/sm.h"

enum { MAX_SUB_CORES = 8, MAX_INSIDE = 32 };

struct room_left {                                 /* free resources */
	uint32_t cores, inside;                    /* sub-cores of the SM; lanes of a sub-core */
	uint32_t warps[MAX_SUB_CORES];             /* per sub-core */
	uint32_t regs[MAX_SUB_CORES * MAX_INSIDE]; /* per lane */
};

unsigned sub_cores_count(const struct machine *m);
const char *sub_cores_refuse(const struct machine *m, const struct div_ops *div, char *buf,
			     size_t n);
/* Blocks that an empty SM binds: lane_ops.most with `inside` lanes in each sub-core. */
unsigned sub_cores_fit(const struct machine *m, unsigned inside, unsigned warps, uint32_t regs,
		       uint32_t last);
/* For init(): divides units, collectors and registers; l->state is a struct room_left. */
void sub_cores_divide(struct lanes *l, unsigned inside);
bool sub_cores_room(const struct lanes *l, const struct kern *k, unsigned from, unsigned n);
unsigned sub_cores_bind(struct lanes *l, const struct kern *k, unsigned i);
void sub_cores_unbind(struct lanes *l, const struct kern *k, unsigned i, unsigned lane);
bool sub_cores_can(struct lanes *l, const struct group *g, unsigned unit);

/* The functions of the policy `sub-cores`, which organisations inside sub-cores use too. */
unsigned sub_cores_most(const struct machine *m, unsigned warps, uint32_t regs, uint32_t last);
void sub_cores_describe(const struct machine *m, struct facts *f);
void sub_cores_init(struct lanes *l);
unsigned sub_cores_bind_warp(struct lanes *l, const struct kern *k, unsigned i);
void sub_cores_take(struct lanes *l, const struct group *g, const struct tinst *t,
		    struct plan *out);
extern const struct stat_table sub_cores_table;
extern const struct lane_ops sub_cores_ops;
/* clang-format off */
#define SUB_CORES_OPS                                                                              \
	{                                                                                          \
		.p = {"sub-cores", "each scheduler has its own units, collectors and registers",   \
		      "NVIDIA's SMs since Maxwell", .stats = &sub_cores_table,                     \
		      .state_size = sizeof(struct room_left), .describe = sub_cores_describe},     \
		.by_scheduler = true, .inside = &sub_cores_ops, .refuses = sub_cores_refuse,       \
		.count = sub_cores_count, .most = sub_cores_most, .init = sub_cores_init,          \
		.room = sub_cores_room, .bind = sub_cores_bind_warp, .unbind = sub_cores_unbind,   \
		.can = sub_cores_can, .take = sub_cores_take                                       \
	}
/* clang-format on */

#endif
