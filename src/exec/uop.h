/* The instruction as the executor runs it: a function and the places of its operands. Types, widths
 * and modifiers are decided once, when a kernel is first launched (binding, below); nothing is looked
 * up while it runs.
 *
 * A row is one 32-bit word of each of the 32 lanes, 128 bytes side by side:
 *
 *   byte    0      4      8            124
 *         lane 0 lane 1 lane 2  ...  lane 31
 *
 * An operand is the byte offset of its first row from one of three bases. Rows are aligned to 128
 * bytes, so the low two bits of the offset are free and hold the base's number:
 *
 *   BASE_REG    registers of the current frame
 *   BASE_CONST  constants of the kernel (immediates, parameters, addresses), common to all warps
 *   BASE_FRAME  the current function's local frame: the word at byte address x is row x / 4
 *
 * A 64-bit value takes two consecutive rows, the low words first. A predicate is one 32-bit word
 * with a bit per lane. lanes.h says how operations are written, context.h what they see besides. */
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
	UOP_CTL = 1,     /* changes the flow of control: the run loop handles it */
	UOP_RECONV = 2,  /* a reconvergence point: the stack is examined before it runs */
	UOP_FAULTS = 4,  /* may fault or stop the warp: warp->stop is examined afterwards */
	UOP_ORDERED = 8, /* communicates between blocks: in block order (machine/determinism.md) */
	UOP_CROSS = 16,  /* reads other lanes: shfl, vote, ... */
	UOP_POLL = 32,   /* a load or atomic by which programs poll */
	UOP_GIVES_WAY = 64, /* a store to shared memory before which the block's other warps run
			     * (gives_way.c) */
	UOP_SCALAR = 128,   /* executed once per warp (kernel/once.h) */
	UOP_BRANCH = 256,   /* goes to `target` or to the next instruction: OF_BRANCH */
	UOP_NATIVE = 512,   /* control flow of native code; aux: enum native_ctl */
	UOP_SHOWN = 1024,   /* begins an instruction at which a debugger may stop (launch.debug) */
};

struct uop {           /* 64 bytes: one host cache line */
	exec_fn *full; /* all 32 lanes execute; may ignore warp->mask */
	exec_fn *part; /* lanes of warp->mask execute; others keep their values */
	/* first destination and first source: row operands, or indices of predicates */
	int32_t d, a;
	union {
		struct {
			int32_t b, c; /* second and third source */
		};
		/* branches and memory operations; the latter read their sources by v */
		struct {
			/* branch: pc in the image; memory: number of its window (memory/access.h) */
			uint32_t target;
			/* branch: pc where its lanes meet again; native SSY: pc of the branch that
			 * closes the lock loop (kernel/lock_loop.c) after it; NO_PC: none */
			uint32_t reconv;
		};
	};
	union {                      /* an immediate or table; the operation decides which member
				      * is valid */
		uint64_t imm;        /* inst.imm, until binding or lowering sets another */
		uint64_t offset;     /* memory: bytes added to the base register */
		uint64_t lut;        /* lop3: truth table */
		uint64_t shift;      /* shl, shr by a number */
		uint64_t selector;   /* prmt by a number */
		uint64_t piece_bits; /* mov of a vector: bits per piece */
		uint64_t compare;    /* set, setp: see alu/cmp.c */
		uint64_t simd;       /* SIMD video: enum simd (alu/video_simd.c) */
		uint64_t window;     /* cvta: added to the address */
		uint64_t frame_at;   /* address of a frame's variable: bytes */
		uint64_t align;      /* alloca: bytes, a power of two */
		uint64_t barrier;    /* b2r: number of the barrier */
		const struct targets *targets; /* brx (ir/module.h) */
		const struct call_uop *call;   /* call (kernel/call.h) */
		const struct async_copy *copy; /* fact OF_PARTS (exec/async/async.h) */
	};
	int16_t guard;  /* predicate index in the frame, -1: none */
	uint16_t flags; /* UOP_* */
	uint8_t guard_neg;
	uint8_t op;        /* enum op */
	uint8_t type, aux; /* aux: the operation's own */
	const int32_t *v;  /* all operands, destinations then sources, as for d, a, b, c */
	const struct inst *in;
};

_Static_assert(OP_COUNT <= 256, "uop.op has 8 bits");

enum { SINK = INT32_MIN }; /* value of a row operand that is absent or `_` */

/* True if any of the facts (OF_*) holds of the operation. */
static inline bool uop_is(const struct uop *u, uint64_t facts)
{
	return (op_info[u->op].facts & facts) != 0;
}
/* True for native control flow of this kind. */
static inline bool uop_is_native(const struct uop *u, enum native_ctl kind)
{
	return (u->flags & UOP_NATIVE) && u->aux == kind;
}

/* Binding picks the functions of an operation for the types and modifiers of u->in. It sets u->full
 * and u->part and, where the operation needs them, u->imm, u->aux and u->flags; d, a, b, c and v are
 * filled before. False: the instruction belongs to another family. */
typedef bool bind_fn(const struct inst *in, struct uop *u);
bind_fn bind_int, bind_logic, bind_cmp, bind_bits, bind_video;       /* integers and bits */
bind_fn bind_f32, bind_f64, bind_half, bind_cvt, bind_sfu, bind_mma; /* floating point, matrices */
bind_fn bind_mov, bind_atom, bind_warp, bind_tex, bind_sreg, bind_addr, bind_async;
bind_fn bind_local_addr, bind_native, bind_mbarrier, bind_bulk, bind_wgmma, bind_mma_sp;
/* Loads and stores; of rows: at constant addresses of parameters and of the local frame. */
bind_fn bind_ld, bind_st, bind_ld_rows, bind_st_rows;
/* The reason why bind_tex refused an instruction; NULL: it is not a texture instruction. */
const char *tex_refusal(const struct inst *in);
bool atom_commutes(const struct inst *in);
/* Tries the binders of all families. NULL: u is bound; otherwise the reason why the instruction
 * cannot run. */
const char *exec_bind(const struct inst *in, struct uop *u);

/* lock_loop.c: executes a loop that takes locks (kernel/lock_loop.c) until every active lane has
 * passed it. The loop is u[0 .. n - 1] and the branch after it. Adds to off[k] the number of
 * lanes that were masked off at u[k], summed over passes. Returns the number of passes; asks[i]:
 * lanes that took part in pass i. 0: nothing was executed, and the caller must run the loop step
 * by step. */
typedef uint32_t lock_loop_fn(struct warp *w, const struct uop *u, uint32_t n, uint32_t active,
			      uint64_t *off, uint32_t *asks);
lock_loop_fn lock_loop;

#endif
