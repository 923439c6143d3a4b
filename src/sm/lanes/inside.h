/* Organisations of the lanes inside a sub-core, for pipelines whose units belong to sub-cores.
 *
 * A pipe that an instruction keeps for i cycles is warp_size / i threads wide: on an H200 16 for logic and floating point,
 * 8 for addresses of loads, 4 for special functions. A warp passes it in i aligned parts, and organisations differ in the
 * parts that take no cycle:
 *
 *	threads    x..x .... .x.. .x..     a pipe of 4: 4 cycles
 *	aligned    x..x      .x.. .x..     3: bcc, and hws without squeezing
 *	squeezed   xx.x      .x..          2: hws, threads stay in their lanes
 *	packed     xxxx                    1: scc
 *
 * The code's stall counts are those of full warps; a pipe that is free sooner serves other warps, and the warp's next
 * instruction where the stall count is not longer than the pipe was busy.
 *
 * With temporal lanes the pipes are divided: a sub-core of 16 has 16 / width lanes, each with its part of the pipes, the
 * ports and the registers. A warp is bound to a lane and passes bundle after bundle, so its last bundle enters later than
 * stall counts expect: they begin when it has entered. Tensor units, branches, the uniform datapath and the queue of
 * memory instructions remain those of the sub-core.
 *
 * A scalar instruction (sm.scalar, found by value: equal.h) is one part, or takes the uniform datapath (simt-scalar). */
#ifndef SM_LANES_INSIDE_H
#define SM_LANES_INSIDE_H
#include "sm/lanes/channels.h"
#include "sm/lanes/sub-cores.h"

enum part_rule { PARTS_ALL, PARTS_ALIGNED, PARTS_SQUEEZED, PARTS_PACKED };

struct inside_preset {
	enum part_rule rule;
	uint8_t width; /* temporal lanes: threads side by side in a lane; 0: the pipes are not divided */
	bool uniform; /* scalar instructions take the uniform datapath */
	/* MAY. Returns the preset that the machine's options select; NULL: this preset always
	 * applies. */
	const struct inside_preset *(*choose)(const struct machine *m);
};

/* Lanes of a sub-core with registers of their own: 1 unless the organisation is temporal. */
unsigned inside_lanes(const struct machine *m);
/* True if scalar instructions take the uniform datapath of their sub-core. */
bool inside_takes_uniform(const struct machine *m);
const char *inside_refuses(const struct machine *m, const struct div_ops *div, char *buf, size_t n);
unsigned inside_most(const struct machine *m, unsigned warps, uint32_t regs, uint32_t last);
void inside_init(struct lanes *l);
void inside_take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out);

struct inside_state {
	struct room_left room; /* must be first: sub-cores.h reads lanes.state as a struct
			        * room_left */
	const struct inside_preset *preset;
};

#define INSIDE_POLICY .stats = &channel_stats, .state_size = sizeof(struct inside_state)
#define INSIDE_OPS    .refuses = inside_refuses, INSIDE_OPS_BUT_REFUSES
#define INSIDE_OPS_BUT_REFUSES                                                                     \
	.by_scheduler = true, .in_pipes = true, .scalars = true, .count = sub_cores_count,         \
	.most = inside_most, .init = inside_init, .room = sub_cores_room, .bind = sub_cores_bind,  \
	.unbind = sub_cores_unbind, .can = sub_cores_can, .take = inside_take

#endif
