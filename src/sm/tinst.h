/* What the pipeline must know about an instruction, decided once for a kernel on a machine: its
 * unit, latency and interval, the registers it reads and writes, and what has to happen at its
 * issue.
 *
 * Registers are the executor's rows. The scoreboard has 256 bits for them (row modulo 256) and 64
 * for predicates; two registers that share a bit wait for each other, which costs a false
 * dependence and never a missed one. */
#ifndef SM_TINST_H
#define SM_TINST_H
#include "conf/machine.h"
#include "exec/context.h"
#include "power/opclass.h"

/* What a dependent instruction waits for; the issue-slot breakdown's "scoreboard by unit". */
enum wait_kind { W_SP, W_SFU, W_DP, W_MMA, W_SHARED, W_CONST, W_TEX, W_GLOBAL, W_COUNT };

enum {
	T_CTL = 1,        /* changes the flow of control */
	T_MEMORY = 2,     /* goes through the load/store unit */
	T_STORE = 4,      /* writes memory */
	T_ATOMIC = 8,     /* performed at the memory partition (or in shared memory) */
	T_DEFER = 16,     /* executed at the window's end: communicates between blocks */
	T_ALONE = 32,     /* deferred, and nothing of the warp is issued until it is done */
	T_FENCE = 64,     /* waits for the warp's memory operations */
	T_VISIBLE = 128,  /* other threads may see it or it sees theirs: waits for the warp's
	                     deferred ones */
	T_SYNC = 256,     /* .sync: waits for the lanes its member mask names */
	T_PAST = 1024,    /* a load that must not find an old value in the L1: it goes past it; with
	                     T_FENCE: drops the L1 */
	T_POLL = 512,     /* a load or atomic that programs wait with */
	T_GATHER = 2048,  /* crosses lanes without a member mask: for all live lanes of the warp */
	T_MATRIX = 8192,  /* wmma load or store: the executor says where its pieces are */
	T_BULK = 32768,   /* cp.async.bulk: each lane has a size of its own */
	T_PARAM = 4096,   /* a kernel's parameter, loaded as a constant */
	T_NATIVE = 16384, /* several uops of one native instruction, or control by the token stack:
	                     native.c */
	T_WHOLE = T_CTL | T_SYNC | T_GATHER, /* decides for, or asks, other threads of its warp */
};

struct regset {
	uint64_t row[4], pred; /* pred bit 63: the condition code */
};

struct tinst {
	struct regset use, def; /* use: all it reads or writes */
	const struct uop *u;    /* what it executes, the first of `n` */
	const uint16_t *read;   /* nread rows it reads, each once, then the nwrite it writes */
	const uint16_t *
		from; /* banks of what it reads, each register once, for warp 0; quirk named-banks */
	uint64_t to;  /* those of what it writes, a set */
	uint8_t nread, nwrite, nfrom;
	bool free_address; /* its address is in neither set: quirk free-atomic-address */
	bool scalar;       /* a warp executes it once: where lanes have that (lane_ops.scalars) */
	bool operands;     /* has registers or predicates to read, its guard apart */
	bool plain; /* no scalars, no matrix multiply: all it counts follows from its lanes */
	uint8_t unit, wait; /* enum unit, wait_kind of its result */
	uint16_t flags;
	uint8_t space; /* enum space of a memory operation; SP_GENERIC: by address */
	uint8_t bytes; /* a lane accesses */
	uint32_t lat, ii;
	uint32_t at;     /* its number in the code that is fetched */
	uint8_t n;       /* uops it stands for: 1, more for an instruction of native code */
	uint8_t main;    /* which of them accesses memory */
	uint8_t fetched; /* instructions that a fetch from here on brings */
	uint8_t opclass; /* enum opclass, for energy */
	uint8_t nscalar; /* rows it reads that scalar instructions alone write; 0: it is scalar itself */
	uint32_t products; /* of a matrix multiply, all lanes together */
};

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

/* One for each uop of the image, in the arena. `whole`: an instruction of native code is issued as
 * one (the entry of its first uop says all; the others are not issued). */
struct tinst *tinst_decode(const struct image *img, const struct machine *m, bool whole,
			   struct arena *a);

#endif
