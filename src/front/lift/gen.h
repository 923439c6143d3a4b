/* Native code as PTX text: each native instruction becomes one or more PTX statements, one a line, over
 * registers %r0 .. %r62 and predicates %p0 .. %p6, and the PTX reader does the rest. Control flow keeps its
 * native meaning: it stands in the text as `nanosleep.u32 N` and becomes NI_NATIVE (program.c).
 *
 *   gen.c          the text, operands, constants, control      gen_fermi.c  integer, predicates, moves
 *   gen_float.c    floats, conversions                         gen_video.c  video
 *   gen_mem.c      memory, atomics, barriers                   gen_tesla*.c Tesla
 *   gen_tex.c      textures, surfaces                          gen_add.c    sums with carry and saturation
 *   gen_data.c     constant banks, variables, their addresses  gen_call.c   calls of the simulator's functions
 *   program.c      reads the text, puts the control flow back                                          */
#ifndef FRONT_NATIVE_GEN_H
#define FRONT_NATIVE_GEN_H
#include "front/sass/module.h"
#include "front/lift/program.h"

struct ngen {
	const struct nmodule *m;
	const struct nkernel *k;
	const struct nkernel
		*code;     /* the part of it at hand: its own code, or a function of the file */
	uint32_t builtins; /* functions of the simulator that are declared, by bit */
	const struct ninst *in;
	uint32_t kernel, inst;
	char *text;
	size_t n, cap;
	char guard[32];
	unsigned nt, nd, nq; /* scratch in use: 32-bit, 64-bit, predicates */
	unsigned max_t, max_d, max_q;
	VEC(struct nline) line; /* [i]: what line i + 1 belongs to */
	VEC(struct nctl) ctl;
	struct diag *d;
	const char *file;
	bool bad;
	const struct nreloc *reloc; /* of the instruction at hand: its immediate is an address */
	VEC(const char *) external; /* variables of other files */
	uint32_t env_used;          /* highest byte of bank 0 that is read, plus one */
	struct arena arena;
};

/* One statement, guarded as the instruction is. */
void gen(struct ngen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Control operation, guarded. */
void gen_ctl(struct ngen *g, unsigned kind, uint32_t target, int64_t offset);
/* One that reads a register: BRX, UNLOCK, SETCC, BAR_WAIT; LOCK also writes predicate `pred` (7: none); B2R
 * writes the register. */
void gen_ctl_reg(struct ngen *g, unsigned kind, const char *reg, int64_t offset, unsigned pred);
void gen_refuse(struct ngen *g, const char *why);

/* Operands as PTX text. Sources: modifiers applied, constants loaded. i: operand number. */
enum nsrc { NSRC_INT, NSRC_FLOAT };
const char *gen_src(struct ngen *g, unsigned i, enum nsrc kind);
const char *gen_src64(struct ngen *g, unsigned i, bool is_float);
const char *gen_raw(struct ngen *g, unsigned i); /* without modifiers */
const char *gen_dst(struct ngen *g, unsigned i); /* "%r5", RZ: scratch */
const char *gen_reg(struct ngen *g, unsigned r); /* source register by number */
void gen_put64(struct ngen *g, unsigned i,
	       const char *d); /* pair at operand i = 64-bit register d */
/* ld of c[bank][index + off], of a type, to registers as ld.param and ld.const take them. */
void gen_const_load(struct ngen *g, const struct nop *o, const char *type, const char *dst);
uint32_t gen_param_base(const struct ngen *g); /* where in bank 0 parameters begin */
const char *gen_bank_name(struct ngen *g, unsigned bank);
bool gen_has_bank(const struct ngen *g, unsigned bank);
void gen_no_bank(struct ngen *g); /* refuses the instruction that reads it */
const uint8_t *gen_bank_bytes(const struct ngen *g, unsigned bank, uint32_t at,
			      uint32_t n);            /* NULL: not there */
const char *gen_pred(struct ngen *g, unsigned i);     /* source predicate, negation applied */
const char *gen_pred_dst(struct ngen *g, unsigned i); /* "%p3", PT: scratch */
const char *gen_t(struct ngen *g);                    /* new 32-bit scratch register */
const char *gen_d(struct ngen *g);
const char *gen_q(struct ngen *g);
const char *gen_text(struct ngen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

bool gen_is_zero(const struct ngen *g, unsigned r); /* the register that reads zero */
const char *gen_cc(struct ngen *g);                 /* flags Z S C O as bits 0 to 3 */
const char *gen_cc_bit(struct ngen *g, const char *flags,
		       unsigned test); /* 1 where the test holds, else 0 */

bool gen_fermi(struct ngen *g); /* false: not a data instruction it knows */
bool gen_float(struct ngen *g); /* single, double, conversions */
bool gen_video(struct ngen *g);
bool gen_memory(struct ngen *g);
bool gen_tex(struct ngen *g);
int gen_texture_slot(const struct ninst *in, bool *is_surface); /* -1: it names none */
const char *gen_texture(struct ngen *g, unsigned slot,
			bool is_surface); /* the reference in the text */
enum { GEN_SLOTS = 256 };
bool gen_has_texture(const struct ngen *g, unsigned slot,
		     bool is_surface); /* is one declared for the slot? */
/* Tesla: the condition of the instruction, the instruction, what follows it (flags, .S, EXIT). */
void tesla_guard(struct ngen *g);
bool gen_tesla(struct ngen *g);
void tesla_tail(struct ngen *g);

enum { GEN_LOCKS = 256 };      /* of global memory: words of nlocks */
enum { GEN_END = 0xffffffff }; /* target: behind the last instruction */

/* Shared by both ISAs. */
/* FSWZ: a is another lane's of the quad, each lane of the quad has its own operation with its b. */
const char *gen_quad(struct ngen *g, const char *a, const char *b, const char *mode);
/* One statement for the threads of the instruction where a comparison of v with 0 holds. */
void gen_where(struct ngen *g, const char *cmp, const char *v, const char *statement);
/* An integer of 64 bits as a float of a type, with the sign modifiers and rounding of the instruction. */
const char *gen_signed_i2f(struct ngen *g, const char *s, bool is_signed, const char *dt,
			   bool zero);
/* d, the integer (wide: of 64 bits) that s of a float type became: 0 where s is no number. */
void gen_no_number(struct ngen *g, const char *d, bool wide, const char *type, const char *s);
const char *gen_reg32(struct ngen *g, const char *s); /* a literal in a scratch register */

/* gen_add.c: x + y, an operand complemented where it is negated; returns the register with the sum. */
struct gen_sum {
	const char *x, *y;
	const char *
		carry; /* flags whose C comes in, in place of the one that a negation adds; NULL: none */
	const char *flags; /* register for Z S C O; NULL: not wanted */
	bool neg_x, neg_y, plus_one, saturate;
	unsigned bits; /* 16 or 32 */
};
const char *gen_sum(struct ngen *g, const struct gen_sum *a);

/* gen_call.c: a call of a function that the simulator has (vprintf, malloc, ...); false: it has none of that name. */
bool gen_builtin(struct ngen *g, const char *name);
void gen_builtin_declare(struct ngen *g, const char *name); /* once, before it is called */

/* Text of its own, outside instructions. */
void gen_append(struct ngen *g, const char *s, size_t n);
void gen_line(struct ngen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* gen_data.c: constant banks (a kernel's own or the module's), variables. */
void gen_banks(struct ngen *g, const struct nbank *v, size_t n,
	       const char *of); /* of: "", "_KERNEL" or "_fFUNCTION" */
void gen_module_data(struct ngen *g);
const char *gen_symbol(struct ngen *g,
		       const char *name);   /* its name in the text; NULL: it has none */
const char *gen_reloc_word(struct ngen *g); /* the address g->reloc asks for */
/* The variable of the text that holds a section's data; NULL: none does. */
const char *gen_section_var(struct ngen *g, const char *section);
void gen_describe_data(struct ngen *g, struct nprog *p);

/* The whole module. False: errors in d. */
bool gen_module(struct ngen *g);
void gen_free(struct ngen *g);

#endif
