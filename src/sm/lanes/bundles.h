/* Temporal lanes: a warp's threads go through a narrow lane one bundle after the other (Lucas et
 * al. 2015).
 *
 * 	sm.simd_width = 8, width 1: 8 lanes     width 4: 2 lanes
 * 	  lane 0   W0: t0 t1 t3 t7 ...            lane 0   W0: t0-3 t4-7 ...     a bundle of `width`
 * 	  lane 1   W1: t0 t1 t2                   lane 1   W1: t8-11             threads without an
 * 	  ...                                                                    active one is skipped
 *
 * The lanes together have the units of the SM: where a full warp takes n cycles of a unit as wide
 * as the SM, each bundle takes n * simd_width / warp_size cycles of its lane's unit. A scalar
 * instruction (pass/scalar.h) is one bundle. Each lane has its own collectors and banks, and a slice of
 * the register file with all registers of its warps; a warp belongs to one lane from start to end,
 * unless lanes are free for all. Where a partly filled warp takes registers for its threads alone
 * (sm.register_grain), it goes to a lane where it does not cost the room of a full warp, if there is
 * one. A lane's instruction register holds one instruction until its last thread has entered, or each
 * kind of unit has such a register (temporal.register). One memory address per cycle leaves a lane; an
 * instruction is coalesced when its last address has left. Shared memory sees the lanes' accesses of
 * one cycle together: threads of different lanes conflict, and threads of one warp only inside a
 * bundle. */
#ifndef SM_LANES_BUNDLES_H
#define SM_LANES_BUNDLES_H
#include "sm/sm.h"

enum { TEMPORAL_LANES = 64 };

/* The policies differ in the threads side by side in a lane, and in whether a warp stays in one
 * lane. */
struct temporal_preset {
	unsigned width;
	bool bound;
};

extern const struct option_table temporal_options;
extern const struct stat_table temporal_stats;
void temporal_describe(const struct machine *m, struct facts *f);
const char *temporal_refuses(const struct machine *m, const struct div_ops *div, char *buf,
			     size_t n);
unsigned temporal_count(const struct machine *m);
unsigned temporal_schedulers(const struct machine *m, const struct div_ops *div);
unsigned temporal_most(const struct machine *m, unsigned warps, uint32_t regs, uint32_t last);
void temporal_init(struct lanes *l);
void temporal_fini(struct lanes *l);
bool temporal_room(const struct lanes *l, const struct kern *k, unsigned from, unsigned n);
unsigned temporal_bind(struct lanes *l, const struct kern *k, unsigned i);
void temporal_unbind(struct lanes *l, const struct kern *k, unsigned i, unsigned lane);
void temporal_usable(struct lanes *l, unsigned lane, bool yes);
bool temporal_can(struct lanes *l, const struct group *g, unsigned unit);
void temporal_take(struct lanes *l, const struct group *g, const struct tinst *t, struct plan *out);
unsigned temporal_shared(struct lanes *l, unsigned lane, cycle_t last, const struct lane_access *a);

/* Selects the preset of sm.lanes = temporal inside sub-cores, by the machine's options. */
struct inside_preset;
const struct inside_preset *temporal_inside(const struct machine *m);
/* Why the options do not bind warps to lanes, which sub-cores require; NULL: they do. */
const char *temporal_unbound(const struct machine *m, char *buf, size_t n);

struct temporal_state {
	unsigned width, beats; /* beats: cycles of a full warp on all lanes together */
	bool bound;
	uint32_t slice, free[TEMPORAL_LANES]; /* registers per lane; registers free in each lane */
	uint16_t warps[TEMPORAL_LANES], ready_warps[TEMPORAL_LANES];
	unsigned used, able; /* lanes with a warp; lanes with a warp that can issue soon */
	cycle_t since;
	cycle_t asked; /* cycle of the last query, and the lanes that could take an instruction
		        * in that cycle */
	uint64_t ready;
	cycle_t entrance[TEMPORAL_LANES]; /* per lane: cycle in which the last thread issued so
					   * far enters */
	bool one_register;                /* a lane has one instruction register: it takes an
	                                   * instruction when the last one's threads have entered */
	bool in_turn;                     /* warps are bound to lanes round robin, `next` first */
	unsigned next;
	uint64_t *banks; /* per cycle (mod WB_AHEAD): set of shared-memory banks in use */
	uint32_t *round;
};

/* A policy consists of these members and .preset, a struct temporal_preset; NULL: the options
 * temporal.width and temporal.bind decide. */
#define TEMPORAL_POLICY                                                                            \
	.stats = &temporal_stats, .state_size = sizeof(struct temporal_state),                     \
	.options = {&temporal_options}, .describe = temporal_describe
#define TEMPORAL_OPS                                                                               \
	.by_lane = true, .scalars = true, .refuses = temporal_refuses, .count = temporal_count,    \
	.schedulers = temporal_schedulers, .most = temporal_most, .init = temporal_init,           \
	.fini = temporal_fini, .room = temporal_room, .bind = temporal_bind,                       \
	.unbind = temporal_unbind, .usable = temporal_usable, .can = temporal_can,                 \
	.take = temporal_take, .shared = temporal_shared

#endif
