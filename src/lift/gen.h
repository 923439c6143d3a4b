/* Tesla and Fermi machine code as decoded code: each native instruction becomes one or more instructions
 * of ir/inst.h over the machine's registers and scratch registers (emit.h). Control flow keeps its native
 * meaning, as OP_NATIVE.
 *
 *   program.c     the file as a whole               fermi/int.c    integers, shifts, moves
 *   gen.c         kernels, one instruction          fermi/add.c    sums with carry and saturation
 *   emit.c        values and instructions           fermi/pred.c   comparisons, predicates, flags
 *   opnd.c        operands                          fermi/float.c  floats
 *   control.c     control, condition codes          fermi/cvt.c    conversions
 *   tex.c         textures                          fermi/mem.c    memory, atomics, barriers
 *   data.c        constant banks, variables         fermi/surf.c   surfaces
 *   tidy.c        copies that are not needed        fermi/video.c  video
 *                                                   fermi/call.c   calls of the simulator's functions
 *   tesla/tesla.c, int.c, float.c, mem.c, flags.c   Tesla's instructions and condition codes
 *   tesla/poll.c  loads that wait for other threads */
#ifndef LIFT_GEN_H
#define LIFT_GEN_H
#include "lift/emit.h"
#include "front/native/module.h"

enum { GEN_SLOTS = 256 };  /* number of texture slots of a machine */
enum { GEN_BUILTINS = 4 }; /* number of functions that the simulator provides (fermi/call.c) */

/* The state of a translation: of the file, of the kernel being translated, of the instruction being
 * translated. */
struct ngen {
	const struct nmodule *m; /* the file */
	const struct nkernel *k; /* the kernel being translated */
	const struct nkernel
		/* the part of the kernel being translated: the kernel's own code, or a function of
		 * the file */
		*code;
	const struct ninst *in; /* the instruction being translated, in `code` */
	struct diag *d;
	const char *file;
	bool bad;           /* an instruction was refused */
	struct arena arena; /* memory that is freed when the file is done */

	/* The result. */
	struct module *out;
	const char *out_file; /* the file's name, in the module's arena */
	struct func *f;       /* the function being written */
	/* local memory of f in bytes: without and with the arguments of calls */
	uint32_t frame, frame_max;
	VEC(uint32_t) number[RC_COUNT]; /* [class][register]: number in f, or NO_REG */
	/* numbers of scratch registers in use: of 32 bits, of 64 bits, predicates */
	unsigned nt, nd, nq;
	struct guard guard; /* guard of the instructions that are emitted next */
	size_t first;       /* index in f's code of the first decoded instruction for `in` */
	const char *native; /* text of `in`, for profiles */
	uint32_t native_pc;
	/* source line of the instructions emitted next, as in struct inst */
	uint32_t src_file, src_line, inlined;
	uint16_t mnemonic;

	/* variables */
	struct var **symbol; /* [entry of the file's symbol table]; NULL: no variable */
	struct var *global, *global_init, *locks, *params;
	struct banks *banks; /* constant banks of the module, of kernels, of functions (data.c) */
	struct var *slot
		[2]
		[GEN_SLOTS]; /* [0] textures, [1] surfaces; NULL: no name or instruction uses the slot */
	/* Texture and surface objects, as number plus 1; 0: none. objects[k]: the first slot that
	 * holds objects (.objects). object_at[slot]: byte offset, in the kernel's parameters, of
	 * that slot's handle (.param+OFFSET). */
	uint32_t objects[2], object_at[GEN_SLOTS];
	VEC(struct var *) external; /* variables of other files */
	struct func *builtin[GEN_BUILTINS];
	/* relocation that makes the immediate of `in` an address; NULL: the immediate is a number */
	const struct nreloc *reloc;
	uint8_t flags_read
		/* Tesla, per C register: those of the flags Z S C O that some instruction of the
		 * kernel reads */
		[4];
	uint32_t env_used; /* bytes of bank 0 that the code reads: up to the highest of them */
};

void gen_refuse(struct ngen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* opnd.c: sources, with modifiers applied and constants loaded. i: index of the operand. */
enum nsrc { NSRC_INT, NSRC_FLOAT };
struct opnd gen_src(struct ngen *g, unsigned i, enum nsrc kind);
struct opnd gen_src64(struct ngen *g, unsigned i, bool is_float);
struct opnd gen_raw(struct ngen *g, unsigned i); /* without its modifiers */
struct opnd gen_dst(struct ngen *g, unsigned i); /* RZ: a scratch register */
/* source register by number; RZ: the number 0 */
struct opnd gen_reg(struct ngen *g, unsigned r);
struct opnd gen_reg32(struct ngen *g, struct opnd s); /* copies a literal to a scratch
                                                            * register */
struct opnd gen_copy(struct ngen *g, struct opnd s);  /* copies any value to a scratch
                                                            * register */
/* true for the register that always reads as zero */
bool gen_is_zero(const struct ngen *g, unsigned r);
void gen_put64(struct ngen *g, unsigned i, struct opnd d); /* pair at operand i = d */
struct opnd gen_pred(struct ngen *g, unsigned i);          /* source predicate, negation applied */
struct opnd gen_pred_dst(struct ngen *g, unsigned i);      /* PT: a scratch predicate */
/* Loads c[bank][index + off] into a.vec registers. */
void gen_const_load(struct ngen *g, const struct nop *o, struct access a, const struct opnd *r);
uint32_t gen_param_base(const struct ngen *g);           /* offset in bank 0 at which parameters
                                                          * begin */
struct opnd gen_param_word(struct ngen *g, uint32_t at); /* word of the launch's parameters */
uint32_t gen_stack(const struct ngen *g);                /* bytes of local memory per thread */
/* Returns registers from r on that an access reads or writes; RZ: zeros to read, scratch registers
 * to write. */
void gen_data_regs(struct ngen *g, unsigned r, unsigned n, bool dst, struct opnd *out);

/* control.c */
bool gen_control(struct ngen *g);                     /* false: not a control instruction */
struct opnd gen_cc(struct ngen *g);                   /* flags Z S C O as bits 0 to 3 */
unsigned gen_cc_table(struct ngen *g, unsigned test); /* bit v: the test is true for flags v */
struct opnd gen_cc_bit(struct ngen *g, struct opnd flags, unsigned test); /* 1 if the test is true
                                                                           * for the flags, else
                                                                           * 0 */
/* target of a branch to the kernel's end, after the last instruction */
enum { GEN_END = 0xffffffff };

/* Instructions by kind. false: this function does not handle the instruction. */
bool gen_fermi(struct ngen *g);
bool gen_predicate(struct ngen *g); /* comparisons and predicates */
bool gen_float(struct ngen *g);
bool gen_convert(struct ngen *g);
bool gen_video(struct ngen *g);
bool gen_memory(struct ngen *g);
bool gen_tex(struct ngen *g);
bool gen_surface(struct ngen *g);
/* Tesla. Emit, in this order: the condition of the instruction, the instruction, its tail (flags,
 * .S, EXIT). */
void tesla_guard(struct ngen *g);
bool gen_tesla(struct ngen *g);
void tesla_tail(struct ngen *g);
void gen_polls(struct ngen *g); /* tesla/poll.c, once the kernel's code is complete */

/* ---- used by both ISAs, and by several files ---- */

extern const uint8_t gen_rounding[4], gen_integral[4]; /* enum rnd for the codes of NM_RND */
extern const uint8_t gen_int_cmp[8], gen_float_cmp[16];
/* enum op, enum bop of the codes AND, OR, XOR of NM_LOGIC */
extern const uint8_t gen_logic[3], gen_bop[3];
unsigned gen_ftz(const struct ninst *in); /* M_FTZ or 0 */
unsigned gen_sat(const struct ninst *in);
void gen_flags_of(struct ngen *g, struct opnd d); /* if .CC: sets Z and S, clears C and O */
/* Flags of a result: Z if it is zero, S if it is negative, both for a NaN. to: the register for the
 * flags; kind OPND_NONE: scratch. */
struct opnd gen_sign_flags(struct ngen *g, unsigned type, struct opnd d, struct opnd to);
/* If .CC: sets the flags as Fermi defines them for the type. */
void gen_type_flags(struct ngen *g, unsigned type, struct opnd d);
/* FSWZ: `a` is the value of another lane of the quad; each lane performs its own operation on `a`
 * and its own b. */
struct opnd gen_quad(struct ngen *g, struct opnd a, struct opnd b, unsigned rnd, unsigned mods);
/* Narrows the guard to the threads for which v compares with 0 as `cmp` says. gen_guard(g, returned
 * guard) undoes this. */
struct guard gen_where(struct ngen *g, unsigned cmp, struct opnd v);
/* Converts a 64-bit integer to a float of type dt, with the instruction's sign modifiers and
 * rounding. */
struct opnd gen_signed_i2f(struct ngen *g, struct opnd s, bool is_signed, unsigned dt, bool zero);
/* If float s is NaN, sets d, the integer that s was converted to, to 0 (wide: d has 64 bits). */
void gen_no_number(struct ngen *g, struct opnd d, bool wide, unsigned type, struct opnd s);
/* Emits an atomic operation, which writes the old value to d (kind OPND_NONE: nowhere). y: the new
 * value of cas. */
void gen_atom(struct ngen *g, unsigned mode, unsigned type, unsigned space, struct opnd d,
	      struct opnd at, struct opnd x, struct opnd y);
/* Emits bar.sync or bar.arrive; count of kind OPND_NONE: all threads. */
void gen_barrier(struct ngen *g, enum bar mode, struct opnd number, struct opnd count);

/* tex.c */
struct opnd gen_texture(struct ngen *g, unsigned slot, bool is_surface); /* the reference */
struct opnd gen_texture_by(struct ngen *g, struct opnd number, unsigned base, bool is_surface);
bool gen_texture_is_object(const struct ngen *g, unsigned slot, bool is_surface);
int gen_texture_slot(const struct ninst *in, bool *is_surface); /* -1: the instruction names no
                                                                 * slot */
/* Returns registers from r on as n coordinates. */
void gen_coords(struct ngen *g, unsigned r, unsigned n, struct opnd *out);
void gen_put_components(struct ngen *g, unsigned d, unsigned mask, const struct opnd t[4]);
/* bits lo and up of the instruction's word */
unsigned gen_field(const struct ninst *in, unsigned lo, unsigned n);

/* fermi/add.c: x + y, where neg_x, neg_y complement an operand and add 1. Returns the register with
 * the sum. */
struct gen_sum {
	struct opnd x, y;
	/* register with flags whose C is added instead of the 1 of a negation; kind OPND_NONE: none */
	struct opnd carry;
	struct opnd flags; /* register for Z S C O; kind OPND_NONE: not wanted */
	bool neg_x, neg_y, plus_one, saturate;
	unsigned bits; /* 16 or 32 */
};
struct opnd gen_sum(struct ngen *g, const struct gen_sum *a);

/* fermi/call.c: functions that the simulator provides (vprintf, malloc, ...). */
bool gen_builtin(struct ngen *g, const char *name); /* true: the call was lifted; false: no function
                                                     * has that name */
void gen_builtin_declare(struct ngen *g, const char *name); /* called once, before the first call of
                                                             * the function */

/* data.c: the module's variables. */
void gen_module_data(struct ngen *g);
void gen_kernel_banks(struct ngen *g, size_t kernel);
/* called when all variables exist: fills in the addresses that initial values contain, and the
 * variables that are parts of sections */
void gen_finish_data(struct ngen *g);
struct var *gen_var(struct ngen *g, const char *name, unsigned space, uint32_t align,
		    /* makes a variable for the current kernel; no list contains it */
		    uint64_t size);
/* returns the constant bank; NULL: the code has no such bank */
struct var *gen_bank(struct ngen *g, unsigned bank);
/* refuses the current instruction, which reads a bank that does not exist */
void gen_no_bank(struct ngen *g);
const uint8_t *gen_bank_bytes(const struct ngen *g, unsigned bank, uint32_t at,
			      uint32_t n);                /* NULL: absent */
struct var *gen_symbol(struct ngen *g, const char *name); /* NULL: no variable has that name */
/* returns the address that g->reloc stands for */
struct opnd gen_reloc_word(struct ngen *g);

enum { GEN_LOCKS = 256 }; /* number of locks of global memory: words of nlocks */

/* gen.c: translates kernel number i of the file; fills the map's index. */
void gen_kernel(struct ngen *g, size_t i, struct native_map *map);
#endif
