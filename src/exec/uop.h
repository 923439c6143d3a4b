/* The pre-decoded instruction: what the executor runs. Everything a string, hash or type switch
 * could decide is decided when a kernel is first launched; what is left is a function and rows.
 *
 * A row is 32 lanes x 32 bits, lane-contiguous (128 bytes). An operand is the byte offset of its
 * first row from one of three bases, the base's number in the low two bits (rows are 128-aligned):
 *   0  registers of the current frame
 *   1  constants of the kernel: immediates, parameters, addresses; the same for all warps
 *   2  the current function's local frame: byte address x is in row x / 4
 * 64-bit values are two consecutive rows, low word first.
 * Predicates are one 32-bit word each, bit i is lane i. */
#ifndef EXEC_UOP_H
#define EXEC_UOP_H
#include <stdbool.h>
#include <stdint.h>
#include "ir/inst.h"

struct warp;
struct uop;
typedef void exec_fn(struct warp *w, const struct uop *u);

enum { LANES = 32, ROW = LANES * 4 };
enum { BASE_REG, BASE_CONST, BASE_FRAME };

enum {
	UOP_CTL = 1,        /* changes the flow of control: the run loop handles it */
	UOP_RECONV = 2,     /* a reconvergence point: the stack is looked at before it runs */
	UOP_FAULTS = 4,     /* may fault or stop the warp: warp->stop is looked at afterwards */
	UOP_ORDERED = 8,    /* communicates between blocks: in block order (docs/determinism.md) */
	UOP_CROSS = 16,     /* reads other lanes: shfl, vote, ... */
	UOP_POLL = 32,      /* a load or atomic that programs wait with */
	UOP_GIVES_WAY = 64, /* a store to shared memory that other warps precede (gives_way.c) */
	UOP_SCALAR = 128,   /* executed once per warp (kernel/once.h) */
};

struct uop {           /* 64 bytes: one host cache line */
	exec_fn *full; /* all 32 lanes execute; may ignore warp->mask */
	exec_fn *part; /* lanes of warp->mask execute; others keep their values */
	/* first destination, first source: row operands, or predicate indices */
	int32_t d, a;
	union {
		struct {
			int32_t b, c; /* second and third source */
		};
		/* branches and memory operations (which read sources by v) */
		struct {
			uint32_t target; /* branch: pc in the image; memory: window, see access.h */
			/* branch: pc, or NO_PC; SSY: the end of the lock loop behind it, or NO_PC */
			uint32_t reconv;
		};
	};
	union {
		uint64_t imm;                  /* memory: offset; else the operation's own */
		const struct targets *targets; /* brx (ir/module.h) */
		const struct call_uop *call;   /* call (kernel/call.h) */
		const struct async_copy *copy; /* cp.async, cp.async.bulk (exec/async/async.h) */
	};
	int16_t guard; /* predicate index in the frame, -1: none */
	uint8_t guard_neg, flags;
	uint16_t op;
	uint8_t type, aux; /* aux: the operation's own */
	const int32_t *v;  /* all operands, destinations then sources, as for d, a, b, c */
	const struct inst *in;
};

enum { SINK = INT32_MIN }; /* operand that is not there, or `_` */

/* Binding: sets u->full, u->part (and u->imm, u->aux, flags as the operation needs) from u->in.
 * d, a, b, c, v are already filled. Each returns false if the operation is not its own. */
typedef bool bind_fn(const struct inst *in, struct uop *u);
bind_fn bind_int, bind_logic, bind_cmp, bind_bits, bind_video;       /* integer and logic */
bind_fn bind_f32, bind_f64, bind_half, bind_cvt, bind_sfu, bind_mma; /* floating point, tensor */
bind_fn bind_mov, bind_atom, bind_warp, bind_tex, bind_sreg, bind_addr, bind_async;
bind_fn bind_local_addr, bind_native;
/* what bind_tex does not do; NULL: not its matter */
const char *tex_refusal(const struct inst *in);
/* ld.c, st.c: by width; rows: constant addresses */
bind_fn bind_ld, bind_st, bind_ld_rows, bind_st_rows;
bool atom_commutes(const struct inst *in);
/* lock_loop.c: active lanes of w execute u[0 .. n - 1] and the branch behind it, the loop that takes locks
 * (kernel/lock_loop.c), until all have had their turn. off: counts of lanes that are off, from u on. Returns the number
 * of turns, with the lanes of each in asks[LANES]; 0: nothing is done, it is to be executed step by step. */
typedef uint32_t lock_loop_fn(struct warp *w, const struct uop *u, uint32_t n, uint32_t active,
			      uint64_t *off, uint32_t *asks);
lock_loop_fn lock_loop;
/* Tries them all; NULL if bound, else the reason why this instruction cannot run. */
const char *exec_bind(const struct inst *in, struct uop *u);

#endif
