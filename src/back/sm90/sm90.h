/* Declarations that the files of the selection for sm_90 share. Operands stand in the order of the
 * machine's text (isa/sm70): results, then sources. A source is a register, RZ, a 32-bit number or
 * a word of a constant bank; mir/fold.c's table lists which of them each instruction accepts.
 *
 *   operand.c   operands of the current PTX instruction      float.c     single and double precision
 *   flow.c      branches, BSSY and BSYNC                     convert.c   conversions
 *   integer.c   integers of up to 32 bits                    memory.c    loads, stores, fences, addresses
 *   wide.c      integers of 64 bits                          lanes.c     between lanes, barriers
 *   quotient.c  quotients and roots of singles
 *   logic.c     bits, predicates, selections, moves          special.c   special registers
 *   half.c      floats of 16 bits
 *   matrix.c    tensor core products of a warp               async.c     copies and barriers in shared memory, clusters
 *   wgmma.c     tensor core products of a warp group         map.c       tensor maps in memory
 *   texture.c   textures, handles in uniform registers       surface.c   surfaces
 *   call.c      functions of the driver
 *
 *   fuse.c      two instructions become one
 *   tuples.c    consecutive registers for accumulators       flight.c    waits for products of warp groups
 *   emit.c      the view that the passes have of the machine; its instructions as text
 *   issue.c     operands, pipe and latency of an instruction
 *   schedule.c  the order of a block's instructions          control.c   stall counts, counters, wait masks
 *   code.c      words of code                                cubin.c     the file */
#ifndef BACK_SM90_SM90_H
#define BACK_SM90_SM90_H
#include "back/select/operations.h"

enum {
	SM90_PARAMS = 0x210, /* offset of the parameters in bank 0, in bytes */
	/* bytes of shared memory that the driver reserves before the program's */
	SM90_SHARED = 0x400,
	SM90_CONSTANTS = 3,       /* constant bank of the program's constant variables */
	SM90_ADDRESSES = 4,       /* constant bank with the addresses of variables */
	SM90_STACK = 0x28,        /* in bank 0: the stack's end */
	SM90_CONSTANTS_AT = 0xd0, /* in bank 0: generic address of the constant variables */
	SM90_CLUSTERED = 0x140,   /* in bank 0: 1 in a launch with clusters */
	SM90_GRAPH = 0x190,       /* in bank 0: the graph that the kernel runs in */
	SM90_PARAMS_AT = 0x198,   /* in bank 0: generic address of the parameters */
	SM90_LOCAL = 0x20,        /* in bank 0: generic address of local memory */
	SM90_DESCRIPTOR = 0x208,  /* in bank 0: descriptor of global memory */
	SM90_FEWEST = 24,         /* registers per thread that the driver assumes at least */
	SM90_BARRIERS = 15,       /* convergence barriers available to regions */
	SM90_KEPT_BARRIER = 6,    /* first convergence barrier that functions of the driver keep */
	SM90_UNIFORM = 63,        /* uniform registers */
	SM90_HANDLES = 32,        /* first uniform register of the handles that are parameters */
	/* first uniform register of the handles, in kernels that call functions of the driver */
	SM90_KEPT_HANDLES = 38,
};

/* ---- operand.c ---- */
struct mo sm90_word(uint32_t w); /* a number: RZ or an immediate */
/* source i as it is: register, number or constant */
struct mo sm90_src(struct sel *s, unsigned i, unsigned word);
struct mo sm90_symbol(struct sel *s,
		      /* lower word of the address of the variable that o names */
		      const struct opnd *o);
struct mo sm90_reg(struct sel *s, unsigned i, unsigned word); /* source i in a register */
struct mo sm90_force(struct sel *s, struct mo o);             /* o in a register */
/* source i in a register, extended from 8 or 16 bits to 32 */
struct mo sm90_ext(struct sel *s, unsigned i, unsigned type);
struct mo sm90_ext_reg(struct sel *s, unsigned i, unsigned type);
struct mo sm90_extend(struct sel *s, struct mo o, unsigned type);
/* source i, 64 bits, in a pair; or RZ */
struct mo sm90_pair(struct sel *s, unsigned i);
struct mo sm90_pair_of(struct sel *s, struct mo lo, struct mo hi); /* two words as a pair */
/* Sources 0 and 1 of a commutative operation: *a is a register, *b any operand. */
void sm90_two(struct sel *s, unsigned word, struct mo *a, struct mo *b);
/* d = a, one word. */
struct mi *sm90_mov(struct sel *s, struct mo d, struct mo a);
/* Writes word w to the result of 32 or 64 bits, extended by its sign or by 0. */
void sm90_put(struct sel *s, struct mo w, bool sign);
/* d = a + b, of 64 bits, without regard to the current instruction's carries. */
void sm90_add64(struct sel *s, uint32_t d, struct mo alo, struct mo ahi, struct mo blo,
		struct mo bhi, bool sub);
/* Returns the constant that holds a word of a variable's address; v NULL: of the address of the
 * constant bank itself. */
struct mo sm90_address_word(struct sel *s, const struct var *v, unsigned word);

static inline struct mo sm90_pt(void) { return mo_pred(V_TRUE); }
static inline struct mo sm90_pf(void) { return mo_not(V_TRUE); }
#define PT   sm90_pt()
#define PF   sm90_pf()
#define ZERO mo_zero()

/* Emits d = table(a, b, c), bit by bit. */
enum {
	LUT_A = 0xf0,
	LUT_B = 0xcc,
	LUT_C = 0xaa,
	LUT_AND = 0xc0,
	LUT_OR = 0xfc,
	LUT_XOR = 0x3c,
	LUT_NOT_B = 0x33
};
struct mi *sm90_lut(struct sel *s, struct mo d, struct mo a, struct mo b, struct mo c,
		    unsigned table);

/* ---- integer.c ---- */
/* d = a + b or a - b, between the limits of 32 bits. */
void sm90_saturating(struct sel *s, struct mo d, struct mo a, struct mo b, bool sub);

/* ---- quotient.c ---- */
void sm90_exact_reciprocal(struct sel *s);
void sm90_exact_root(struct sel *s);

/* ---- convert.c ---- */
const char *sm90_rounding(unsigned rnd); /* ".RM", or "" for the nearest */

/* ---- memory.c ---- */
const char *sm90_size(unsigned type);
/* Operand for an access to [source i + more] in the given space. */
struct mo sm90_address(struct sel *s, unsigned i, unsigned space, int64_t more);
bool sm90_is_far(unsigned space); /* true: global or generic memory */
/* Returns the space that an instruction accesses; SP_GENERIC for shared memory of other blocks. */
unsigned sm90_space(const struct inst *in);

/* ---- wgmma.c ---- */
bool sm90_is_product(const struct mi *in); /* true for a product of a warp group */
bool sm90_ends_group(const struct mi *in); /* true for the last product of its group */
struct mi sm90_empty_group(void);
void sm90_wgmma_wait(struct sel *s);

/* ---- lanes.c ---- */
void sm90_cluster_barrier(struct sel *s);      /* async.c */
void sm90_converge(struct sel *s, unsigned i); /* waits until the lanes of mask i have arrived */

/* ---- texture.c ---- */
/* Emits the loads of the handles that are kernel parameters into uniform registers, where all code
 * of the kernel finds them. */
void sm90_load_handles(struct sel *s);
/* The handle of the current instruction, source 0, in a uniform register. Between
 * sm90_begin_handle() and sm90_end_handle() exactly one machine instruction is emitted; a loop
 * surrounds it if lanes may have different handles. */
struct sm90_handle {
	unsigned ur; /* number of the register */
	bool loops;
	struct inst plain;
	const struct inst *was;
	uint32_t todo, other, again, over;
};
uint32_t sm90_references_at(const struct func *f);
bool sm90_begin_handle(struct sel *s, struct sm90_handle *h); /* false: refused */
void sm90_end_handle(struct sel *s, struct sm90_handle *h, struct mi *access);

/* ---- emit.c ---- */
enum { SM90_TEXT = 200 };
/* Prints an instruction over registers; labels[number]: the address of a label. */
void sm90_text(const struct mfunc *m, const struct mi *in, const uint32_t *labels, char *buf,
	       size_t n);

#endif
