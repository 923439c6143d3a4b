/* Machine code of Turing to Hopper as decoded code. Each native instruction becomes one or more
 * instructions of ir/inst.h over the machine's registers (emit.h). A kernel is translated when it is
 * first launched, so that a file of thousands of kernels costs only the time of those that run.
 *
 *   module.c   a cubin: variables, functions, constant banks      float.c    single and double precision
 *   kernel.c   one kernel: decoding, constants, registers         half.c     halves, bfloat16
 *   opnd.c     operands                                           convert.c  conversions
 *   integer.c  sums, products, comparisons                        memory.c   loads, stores, atomics, constants
 *   logic.c    bits, shifts, predicates                           warp.c     between lanes, barriers, special registers
 *   control.c  branches, calls, convergence barriers              matrix.c   tensor cores
 *   texture.c  textures                                           surface.c  surfaces
 *   lines.c    source lines                                       async.c    Hopper's barriers and copies
 *   control_check.c  --check control-bits
 *   reloc.c    addresses in code                                  builtin.c  functions of the driver
 *
 * Uniform registers are rows like other registers; an instruction that writes them is executed for all 32
 * lanes (inst.uniform), so that they have one value per warp. A convergence barrier is a register too: each
 * lane in it holds the mask of the lanes it waits for, so that paths of a warp that use one barrier at a
 * time do not disturb each other. BSYNC and WARPSYNC wait for a mask (NCTL_MEET). */
#ifndef LIFT_SM70_LIFT_H
#define LIFT_SM70_LIFT_H
#include "front/elf/cuelf.h"
#include "lift/gen.h"
#include "isa/sm70/sm70.h"

/* A constant bank as the kernel's code reads it. */
struct lift_bank {
	struct var *var; /* NULL: the file has no such bank */
	uint64_t size;
};
enum { LIFT_BANKS = 8 };

/* The data of a file that the translation of its kernels needs, kept from the load until the module
 * is freed. */
struct lift_file {
	struct cuelf elf;
	uint8_t *bytes; /* contents of the file, relocated */
	struct module *module;
	const char *name;
	uint32_t *code_base; /* [section]: address of its code in the program of every kernel */
	/* [section]: its code contains calls; the file does not state the stack that they need */
	bool *has_calls;
	struct var **section_var, **symbol_var; /* variables of sections and symbols; NULL: none */
	struct lift_bank bank[LIFT_BANKS];      /* banks that all kernels share: 3 and 4 */
	uint32_t source_base; /* number of the module's source files before those of
	                       * elf.line_file */
	struct func *builtin[GEN_BUILTINS];
};

/* A kernel that has not been translated yet: the argument of func.make. */
struct lift_kernel {
	struct lift_file *file;
	const struct cuelf_func *f;
	struct lift_bank bank[LIFT_BANKS];
	struct var *shared, *local;
};

struct lift {
	struct ngen g; /* the code being written (emit.h) */
	struct lift_file *file;
	const struct lift_kernel *k;
	const struct sm70_inst *in;
	/* pieces of code: the kernel's section, and functions in other sections */
	struct lift_part *part;
	unsigned nparts;
	/* constants that are operands, as bank << 16
	 * offset, in ascending order */
	VEC(uint32_t) word;
	/* texts of the modifiers that the current instruction has */
	const char *said[SM70_MOD_COUNT];
	unsigned nsaid;
	bool refused, calls;
	uint32_t stack;
};

/* Code of one section, at the address that it has in the kernel's program. */
struct lift_part {
	uint32_t section, base, n, first; /* n instructions; first: number of the first one */
	struct sm70_inst *inst;
};

/* Reports a message about the current instruction; the kernel cannot be launched. */
void lift_refuse(struct lift *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- modifiers and operands ---- */

/* True if a modifier is `word`, or contains it between points (STRONG.GPU). */
bool has(const struct lift *l, unsigned word);
static inline unsigned mod(const struct lift *l, enum sm70_mod slot) { return l->in->mod[slot]; }
static inline const struct sm70_operand *opd(const struct lift *l, unsigned role)
{
	return sm70_operand_of(l->in, role);
}
static inline uint64_t imm_of(const struct lift *l, unsigned role, uint64_t none)
{
	const struct sm70_operand *o = opd(l, role);
	return o ? o->imm : none;
}
/* A literal whose type is given, whatever the operation's type is. */
static inline struct opnd imm_as(unsigned type, uint64_t bits)
{
	struct opnd o = imm(bits);
	o.type = (uint8_t)type;
	return o;
}
/* True for a constant at a fixed offset of a fixed bank. */
static inline bool is_fixed_const(const struct sm70_operand *o)
{
	return o->kind == SM70_K_CONST && (o->reg == SM70_NOREG || o->reg == SM70_RZ) &&
	       (o->ureg == SM70_NOREG || o->ureg == SM70_URZ) && o->desc == SM70_NOREG;
}
static inline struct opnd val_u(unsigned n) { return val_reg(RC_U, n, T_B32); }
static inline bool is_uniform(const struct lift *l, const struct sm70_operand *o)
{
	(void)l;
	return o && (o->kind == SM70_K_UGPR || o->kind == SM70_K_UPRED);
}

/* Return sources of 32 bits. In the order of the declarations: without modifiers; as integers,
 * complemented or negated; as floats; as pairs of halves with their parts chosen. o NULL: the
 * number 0. */
struct opnd lift_raw(struct lift *l, const struct sm70_operand *o);
struct opnd lift_int(struct lift *l, const struct sm70_operand *o);
struct opnd lift_f32(struct lift *l, const struct sm70_operand *o);
struct opnd lift_half(struct lift *l, const struct sm70_operand *o, bool bf16);
/* Return sources of 64 bits: without modifiers; as doubles. */
struct opnd lift_raw64(struct lift *l, const struct sm70_operand *o);
struct opnd lift_f64(struct lift *l, const struct sm70_operand *o);
/* Returns the register n numbers after the operand's; RZ: the number 0. */
struct opnd lift_word(struct lift *l, const struct sm70_operand *o, unsigned n);
/* Destinations; RZ, PT or an absent operand: scratch. lift_dst_word: word n of the destination. */
struct opnd lift_dst(struct lift *l);
struct opnd lift_dst_word(struct lift *l, unsigned n);
struct opnd lift_dst64(struct lift *l);
struct opnd lift_pred_dst(struct lift *l, unsigned role);
/* Returns a source predicate, with its negation as OPND_NOT; absent: true. */
struct opnd lift_pred(struct lift *l, unsigned role);
bool lift_pred_is(const struct lift *l, unsigned role, bool value); /* true if the predicate is this
                                                                     * constant */
/* Returns a predicate as a word: 0 or `yes`. */
struct opnd lift_pred_word(struct lift *l, struct opnd pred, uint32_t yes);
struct opnd lift_reg(struct lift *l, struct opnd s); /* copies a literal to a scratch register */
/* Copies the value of the lowest executing lane to d in all 32 lanes. */
void lift_broadcast(struct lift *l, struct opnd d, struct opnd s);
/* Returns a 64-bit register for two words: a pair of neighbouring registers is used directly. */
struct opnd lift_pair(struct lift *l, struct opnd lo, struct opnd hi);

/* Returns a register with c[bank][offset], of 4 or 8 bytes. */
struct opnd lift_const(struct lift *l, unsigned bank, uint32_t offset, unsigned n);
/* builtin.c: functions that the driver provides for device code. Returns the address at which code
 * calls the function of that name; 0: no function has the name. */
uint32_t lift_builtin_address(const char *name);
/* Returns the number of the function at an address; -1: no function begins there. */
int lift_builtin_number(uint64_t addr);
unsigned lift_builtins(struct lift *l, uint32_t *addr,
		       uint32_t *index);    /* code of all functions; returns their number */
void lift_builtins_declare(struct lift *l); /* before the kernel's code begins */

/* kernel.c: loads all constants that are operands into registers, once per warp */
void lift_constants(struct lift *l);
struct opnd lift_env(struct lift *l,
		     /* memory.c: returns a word of bank 0 below the parameters */
		     uint32_t offset);

/* ---- instructions, by file; false: the file does not handle this one ---- */
bool lift_integer(struct lift *l);
bool lift_logic(struct lift *l);
bool lift_float(struct lift *l);
bool lift_halves(struct lift *l);
bool lift_convert(struct lift *l);
bool lift_memory(struct lift *l);
bool lift_warp(struct lift *l);
bool lift_control(struct lift *l);
bool lift_matrix(struct lift *l);
bool lift_texture(struct lift *l);
bool lift_surface(struct lift *l);
bool lift_async(struct lift *l);
/* Number of registers in the result of HGMMA and related instructions. */
unsigned lift_accumulators(const struct sm70_inst *in);

/* texture.c: returns the 64-bit handle of the current instruction's texture or surface. False: the
 * instruction names none. */
bool lift_handle(struct lift *l, struct opnd *handle);

unsigned lift_cmp(const struct lift *l, bool is_float); /* enum cmp of the modifier */
unsigned lift_bool(const struct lift *l);               /* enum bop */
unsigned lift_rounding(const struct lift *l);           /* enum rnd; nearest if none is given */

/* lines.c. lift_add_sources: adds the source files of a cubin to its module. The other function:
 * sets the source line of the instructions emitted next, for code at an offset of a section. */
void lift_add_sources(struct lift_file *f);
void lift_place(struct lift *l, uint32_t section, uint32_t offset);

/* ---- module.c, kernel.c ---- */
bool lift_module(struct module *out, const char *file, const void *data, size_t n, struct diag *d);
bool lift_make(struct func *f, struct diag *d); /* func.make */
/* reloc.c: the relocations of a section of code, sorted by offset. at: index of the first
 * relocation that is not yet applied. */
struct lift_relocs {
	const struct cuelf_reloc **v;
	size_t n, at;
};
void lift_find_relocs(struct lift *l, uint32_t section, struct lift_relocs *r);
/* Fills in the addresses that the instruction at an offset names; called with ascending offsets.
 * *target: address of a called function, 0: none. */
bool lift_relocate(struct lift *l, struct lift_relocs *r, uint32_t offset, uint64_t word[2],
		   uint64_t *target);
#endif
