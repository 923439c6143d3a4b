/* Instruction selection: declarations that its files share. Each PTX instruction becomes machine
 * instructions over the values of its registers, all with its guard. A register of 8 or 16 bits is
 * a word with undefined upper bits: readers extend it first. */
#ifndef BACK_SELECT_SEL_H
#define BACK_SELECT_SEL_H
#include "back/mir/mir.h"

struct layout;
struct sel;

/* How one machine's instructions are selected. */
struct selector {
	void (*begin)(struct sel *s); /* before the first block; may be NULL */
	unsigned column;              /* column in the table of operations (operations.h) */
	/* Emits a branch to a label under a predicate (V_TRUE: always); pop: the branch ends a
	 * region, where threads wait for each other. */
	void (*branch)(struct sel *s, bool pop, uint32_t label, uint32_t pred, bool neg);
	void (*block)(struct sel *s); /* called when a block begins; may be NULL */
	void (*push)(struct sel *s, uint32_t label,
		     /* emits SSY; level: number of regions that enclose the new one */
		     unsigned level);
	/* emits the instruction at which threads meet; NULL: the machine has none, and the branches
	 * into the meeting point wait */
	void (*joins)(struct sel *s, unsigned level);
	/* SSY names the instruction after the meeting point, not the meeting point itself */
	bool behind_join;
	/* a backward branch may have any predicate, because the machine has no token stack */
	bool any_branch;
	bool quads;      /* the machine has atomics of 128 bits */
	unsigned levels; /* limit of nested regions; 0: none */
	/* limit of nested regions in kernels that call functions of the driver */
	unsigned levels_with_calls;
	void (*leave)(struct sel *s);                 /* ends the thread: ret, exit, trap */
	uint32_t (*equal)(struct sel *s, uint32_t n); /* a predicate that is true if source 0 equals
	                                               * n */
	struct mi *(*op)(struct sel *s, const char *name, unsigned nd, unsigned n,
			 const struct mo *o);                       /* adds an instruction */
	struct mo (*reg)(struct sel *s, unsigned i, unsigned word); /* source i in a register */
	/* returns a register with f(b, c), bit by bit, where bit 2 * b + c of the table is the
	 * result for b, c */
	struct mo (*logic)(struct sel *s, unsigned table, struct mo b, struct mo c);
	/* The fields from here on are for sel_src() and sel_extend(), which sm_90 does not call. */
	struct mo (*number)(struct sel *s, uint32_t w); /* a number as an operand */
	/* a word of the address of global variable v, plus offset */
	struct mo (*global)(struct sel *s, const struct var *v, int64_t offset, unsigned word);
	const char *right; /* the instruction that shifts a signed word right */
};
extern const struct selector selector_fermi, selector_tesla, selector_sm90;

struct stub { /* code after all other code that jumps from one block to another */
	uint32_t label, from, to;
	const struct inst *in;
};

enum { SEL_HANDLES = 14 };
struct sel {
	struct mfunc m;
	const struct selector *how;
	const struct func *f;
	const struct inst *in;
	uint32_t *value; /* [register]: its value; V_NONE: not used yet */
	uint32_t *block_label, *join_label;
	VEC(struct stub) stubs;
	/* sm_13; sm_90 has only the carry: */
	uint32_t *truth; /* [predicate register]: value of the predicate as a word, 0 or all ones */
	/* [register]: upper bound of the significant bits; state space that it points to
	 * (tesla/range.c) */
	uint8_t *bits, *space;
	bool mixed;  /* pointers to shared or local memory are stored in memory */
	bool ranked; /* the kernel may name other blocks' shared memory: addresses have the
	              * block's rank above them (sm_90) */
	/* threads of a warp may arrive at the current instruction one after the other (sm_90) */
	bool apart;
	uint32_t handle
		/* byte offsets of the parameters whose handles are in uniform registers (sm_90) */
		[SEL_HANDLES];
	unsigned handles;
	VEC(const struct var *)
	reference; /* references to textures and surfaces whose handles follow the parameters (sm_90) */
	/* carry: flag register of add.cc; tid: value of R0 at the kernel's start, thread and block
	 * indices */
	uint32_t carry, tid;
	uint32_t addr_base[4], addr_value[4], addr_age[4],
		addr_clock; /* address registers of the current block, with the time of their last
		               * use */
	uint32_t argument
		/* values of registers that pass arguments. sm_20: R4 to R7, and R8; sm_90: R4 to
		 * R7, R8 to R11, R12 and R13; V_NONE: not used yet */
		[3];
	uint32_t
		/* sm_90: value of R20 and R21, the return address of functions of the driver;
		 * V_NONE: not used yet */
		link;
	struct layout *lay;
	struct diag *d;
	bool bad;
};

/* Addresses of variables: layout.c. */
enum { LAYOUT_CALLED = BI_FREE + 1 };
struct layout {
	const struct module *m;
	VEC(const struct var *) constant; /* variables in bank 2, at constant_at */
	VEC(uint32_t) constant_at;
	uint32_t constant_bytes;
	VEC(const struct var *) texture; /* [slot]: the texture reference bound to it */
	/* Slots of texture objects follow those of references. sm_20: all objects of the device, by
	 * number; sm_13: objects whose handles are the parameters at these bytes. */
	VEC(uint32_t) object;
	VEC(const struct var *) surface; /* [number]: the surface reference */
	bool objects, surface_objects;
	VEC(const struct var *) global; /* variables whose addresses are words of bank 14 */
	uint8_t called
		/* functions of the driver whose addresses follow the variables' in bank 14, in the
		 * order of their first call (sm_90) */
		[LAYOUT_CALLED];
	unsigned ncalled;
	const struct var *exchange; /* shared memory in which lanes exchange words; may be NULL */
	uint32_t shared_base;       /* first byte of a kernel's shared variables */
	bool modern;                /* sm_90 */
	bool address32;             /* addresses have 32 bits */
};
enum { MODERN_SHARED = 0x400 }; /* sm_90: bytes of shared memory that the driver reserves */
enum { TESLA_HEADER = 16 };     /* bytes of shared memory before the parameters */
/* Places the variables of m for a machine; errors in d. */
void layout_make(struct layout *l, const struct module *m, unsigned sm, bool address32,
		 struct diag *d);
void layout_free(struct layout *l);
/* The name of a function that the driver provides; NULL: it is not one. */
const char *layout_function(unsigned builtin);
bool layout_is_reference(const struct var *v); /* true for a reference to a texture, a sampler, a
                                                * surface */
/* Returns the texture slot of v; -1: none. */
int layout_texture(const struct layout *l, const struct var *v);
int layout_surface(const struct layout *l, const struct var *v);
/* Return a variable's offset in its space: in constant bank 2, or in the shared memory of kernel f. */
uint32_t layout_const(const struct layout *l, const struct var *v);
uint32_t layout_shared(const struct layout *l, const struct func *f, const struct var *v);
uint32_t layout_shared_bytes(const struct layout *l, const struct func *f);

/* Reports that the machine cannot execute the instruction. */
void sel_refuse(struct sel *s, const char *why);

/* Emission, under the guard of the current PTX instruction. */
struct mi *sel_op(struct sel *s, const char *name, unsigned nd, unsigned n, const struct mo *o);
#define OP(s, name, nd, ...)                                                                       \
	sel_op(s, name, nd, sizeof((struct mo[]){__VA_ARGS__}) / sizeof(struct mo),                \
	       (struct mo[]){__VA_ARGS__})
const char *sel_text(struct sel *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
uint32_t sel_temp(struct sel *s, unsigned words); /* words 0: a predicate */
uint32_t sel_label(struct sel *s);
void sel_place(struct sel *s, uint32_t label);

/* Operands. i: number of the source; word: word of a 64-bit source. */
uint32_t sel_dst(struct sel *s, unsigned i); /* the value that result i goes to */
/* Returns source i as a register, a number, or the address of a variable: the offset in its space,
 * or for a global variable a word of the address. */
struct mo sel_src(struct sel *s, unsigned i, unsigned word);
struct mo fermi_global(struct sel *s, const struct var *v, int64_t offset, unsigned word);
struct mo sel_reg(struct sel *s, unsigned i, unsigned word); /* a register */
struct mo sel_logic2(struct sel *s, unsigned table, struct mo b, struct mo c);
struct mo sel_force(struct sel *s, struct mo o); /* copies an operand to a register */
/* source i in a register, extended from 8 or 16 bits to 32 */
struct mo sel_ext(struct sel *s, unsigned i, unsigned type);
struct mo sel_word(struct sel *s,
		   uint32_t w); /* a 32-bit number: RZ, an immediate, or a register */
struct mo sel_float(struct sel *s, unsigned i); /* f32: register or 20-bit immediate */
struct mo sel_float_word(struct sel *s,
			 uint32_t w); /* the bits w, if an immediate is the upper part of a
			               * single */
struct mo sel_double(struct sel *s, unsigned i); /* f64: a pair or an immediate */
struct mo sel_predicate(struct sel *s, unsigned i);
bool sel_is_imm(const struct sel *s, unsigned i, int64_t *v);
void sel_move(struct sel *s, uint32_t dst, uint32_t src); /* copies all words of src to dst */
/* Sets d, of two words, to w extended: the upper word is w's sign, or 0. */
void sel_extend(struct sel *s, uint32_t d, struct mo w, bool is_signed);
/* Sets result 0, of one or two words, to w, extended if there are two. */
void sel_put_word(struct sel *s, struct mo w, bool is_signed);
/* Sets result i to the value `from` that a load of this type left in a register. */
void sel_put_loaded(struct sel *s, unsigned i, uint32_t from, unsigned type);
void sel_mov(struct sel *s, struct mo dst, struct mo src); /* one word */

/* True if the operation is a difference: sums and differences share their functions. */
static inline bool sel_subtracts(const struct sel *s)
{
	return s->in->op == OP_SUB || s->in->op == OP_SUBC;
}

/* names of conversions, by source and destination type */
struct conversions { /* by source and destination type */
	void (*float_to_float)(struct sel *s), (*float_to_int)(struct sel *s),
		(*int_to_float)(struct sel *s), (*int_to_int)(struct sel *s);
};
void sel_convert(struct sel *s, const struct conversions *by);
/* Sets *at to the offset of a variable in its space; false: the variable is in global memory. */
bool sel_offset(const struct sel *s, const struct var *v, uint64_t *at);
void sel_add64(struct sel *s, uint32_t d, struct mo alo, struct mo ahi, struct mo blo,
	       struct mo bhi, bool sub);
/* the top bit of an integer type, as a mask of its upper word */
uint32_t sel_lowest(unsigned type);
/* the word that `set` writes for a true comparison: all ones or 1.0f */
uint32_t sel_truth(unsigned type);
const char *sel_cmp(struct sel *s, unsigned cmp, bool is_float);
const char *sel_int_name(unsigned type);   /* the type in a conversion's name: "S16" */
const char *sel_float_name(unsigned type); /* "F32" */
unsigned sel_width(const struct sel *s, uint32_t reg);
unsigned sel_space(const struct inst *in); /* the space that the code accesses */
/* true if the instruction does not name a state space */
bool sel_any_space(const struct inst *in);
bool sel_has_shared(
	/* true for an atomic of shared memory that the machine can perform with its locks */
	const struct inst *in);

/* kernel.c: selects a whole kernel. */
bool sel_kernel(struct sel *s, const struct func *f, struct layout *l, struct diag *d);

/* True if o is the handle in the parameter at a byte (lower/handle.c). */
bool handle_param(const struct func *f, const struct opnd *o, uint32_t *at);
/* The mode of a branch: threads that take it run last (lower/arms.c). */
enum { BRA_LAST = 1 };

/* tokens.c: which blocks push SSY for which meeting points. */
struct region {
	uint32_t push,
		/* block whose last branch SSY precedes; block in which the threads meet */
		meet;
};
struct tokens {
	struct region *region; /* all regions, sorted by the block that pushes them */
	uint32_t n;
	uint32_t *first; /* [block], one more: index of its first region */
	bool *meets;     /* [block]: some region meets there */
	/* [block]: number of regions that enclose the one whose threads meet in the block */
	uint8_t *level;
	/* [block]: block at whose beginning the threads that leave this block wait for others;
	 * NO_NODE: none */
	uint32_t *waits;
	/* [block]: threads of a warp may arrive at the block one after the other; NULL unless
	 * tokens_place() was called with `apart` */
	bool *apart;
};
struct cfg;
/* Places regions, at most `levels` deep (0: DEPTH). apart: threads need not wait at the end of a
 * loop in which other threads may wait for them; for machines that schedule threads independently. */
void tokens_place(struct tokens *t, const struct func *f, const struct cfg *c, struct arena *a,
		  unsigned levels, bool apart);
/* True if the instruction completes only when all threads of the warp have arrived at it. */
bool tokens_gathers(const struct inst *in);
static inline bool tokens_pop(const struct tokens *t, uint32_t from, uint32_t to)
{
	return t->waits[from] == to;
}
#endif
