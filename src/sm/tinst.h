/* Timing instructions: what the pipeline must know about an instruction, computed once per kernel and
 * machine. That is its unit, latency and interval, the registers it reads and writes, and what has
 * to happen at its issue. tinst_decode() makes an array of them with an entry per uop of the image.
 *
 * Registers are the executor's rows. The scoreboard has 256 bits for rows (row modulo 256) and 64
 * for predicates. Two registers with the same bit wait for each other: a false dependence is
 * possible, a missed one is not. */
#ifndef SM_TINST_H
#define SM_TINST_H
#include "conf/machine.h"
#include "exec/context.h"
#include "power/opclass.h"

/* The unit whose result a dependent instruction waits for; statistics count issue slots by it. */
enum wait_kind { W_SP, W_SFU, W_DP, W_MMA, W_SHARED, W_CONST, W_TEX, W_GLOBAL, W_COUNT };

enum {
	T_CTL = 1,        /* changes the flow of control */
	T_MEMORY = 2,     /* executed by the load/store unit */
	T_STORE = 4,      /* writes memory */
	T_ATOMIC = 8,     /* performed at the memory partition (or in shared memory) */
	T_DEFER = 16,     /* deferred to the window's end, because it communicates between blocks */
	T_ALONE = 32,     /* deferred, and the warp issues nothing until it is done */
	T_FENCE = 64,     /* waits for the warp's memory operations */
	T_VISIBLE = 128,  /* other threads may observe the instruction, or it observes their
			   * effects: waits for deferred operations of the warp */
	T_SYNC = 256,     /* .sync: waits for the lanes in its member mask */
	T_PAST = 1024,    /* a load that bypasses the L1, where it could find an old value; with
	                     T_FENCE: empties the L1 */
	T_POLL = 512,     /* a load or atomic with which programs wait for others */
	T_GATHER = 2048,  /* exchanges values between all live lanes, without a member mask */
	T_MATRIX = 8192,  /* wmma load or store: the executor says which places it accesses */
	T_BULK = 32768,   /* cp.async.bulk: each lane has a size of its own */
	T_PARAM = 4096,   /* a kernel's parameter, loaded as a constant */
	T_NATIVE = 16384, /* several uops of one native instruction, or control by the token stack:
	                     native.c */
	T_WHOLE = T_CTL | T_SYNC | T_GATHER, /* affects, or depends on, other threads of the warp */
};

/* A set of registers, as bits of the scoreboard. */
struct regset {
	uint64_t row[4], pred; /* bit 63 of pred: the condition code */
};

struct tinst {
	struct regset use, def; /* use: registers read or written; def: registers written */
	const struct sm70_issue
		*issue;       /* machine code of sm_70 on: what its issue depends on; else NULL */
	const struct uop *u;  /* uop that the instruction executes, or the first of `n` uops */
	const uint16_t *read; /* nread rows that the instruction reads, each once, followed by
			       * nwrite rows that it writes */
	const uint16_t *from; /* banks of its operands for warp 0, each register once */
	uint64_t to;          /* set of the banks of its results, for warp 0 */
	uint8_t nread, nwrite, nfrom;
	bool free_address;  /* `use` lacks the address register: quirk free-atomic-address */
	bool scalar;        /* one thread executes it for all, where lanes can (lane_ops.scalars) */
	bool operands;      /* the instruction reads registers or predicates beside its guard */
	bool plain;         /* neither scalar operands nor a matrix multiply: the figures follow
			     * from the number of lanes */
	uint8_t unit, wait; /* enum unit; enum wait_kind of its result */
	uint16_t flags;     /* T_* */
	uint8_t space;      /* memory: enum space; SP_GENERIC: the address decides */
	uint8_t bytes;      /* memory: bytes per lane */
	uint32_t lat, ii;   /* cycles from the unit's entrance to the result; cycles until the
			    * unit is free again */
	uint32_t at;        /* index of the instruction in the code as fetched from memory */
	uint8_t n;          /* number of uops: 1, or more for a native instruction */
	uint8_t main;       /* index, among the n uops, of the uop that accesses memory */
	uint8_t fetched;    /* instructions that a fetch from here on brings */
	uint8_t opclass;    /* enum opclass, for energy */
	uint8_t nscalar;    /* operands that only scalar instructions write; 0 if scalar itself */
	uint32_t products;  /* matrix multiply: products of all lanes together */
	const struct tinst
		*once; /* the instruction executed by one thread, where operands are equal
				   * (sm/equal.h); NULL: each thread executes it */
};

/* True if the sets have a register in common. */
static inline bool regset_meets(const struct regset *a, const struct regset *b)
{
	return ((a->row[0] & b->row[0]) | (a->row[1] & b->row[1]) | (a->row[2] & b->row[2]) |
		(a->row[3] & b->row[3]) | (a->pred & b->pred)) != 0;
}
static inline void regset_add(struct regset *a, const struct regset *b)
{
	a->row[0] |= b->row[0];
	a->row[1] |= b->row[1];
	a->row[2] |= b->row[2];
	a->row[3] |= b->row[3];
	a->pred |= b->pred;
}
static inline void regset_sub(struct regset *a, const struct regset *b)
{
	a->row[0] &= ~b->row[0];
	a->row[1] &= ~b->row[1];
	a->row[2] &= ~b->row[2];
	a->row[3] &= ~b->row[3];
	a->pred &= ~b->pred;
}

/* Makes an array with an entry per uop of the image, in the arena. whole: a native instruction
 * issues as one, and only the entry of its first uop is used. */
struct tinst *tinst_decode(const struct image *img, const struct machine *m, bool whole,
			   struct arena *a);

#endif
