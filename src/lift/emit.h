/* Writing decoded instructions: values, registers, and how an instruction over values is appended to the kernel's code.
 *
 *   gen(g, OP_AND, T_B32, t, s, imm(0x7fffffff));   t = s & 0x7fffffff, under the current guard
 *
 * A value is an operand (struct opnd) whose register has a class and a number in the class (enum reg_class). gen_emit() gives
 * each register that is used a number in the kernel, in the order of first use, and gives each literal the type that the
 * operation wants. */
#ifndef LIFT_EMIT_H
#define LIFT_EMIT_H
#include "ir/module.h"

struct ngen;
struct ninst;

/* Classes of registers: the machine's, then those that the translation adds. */
enum reg_class {
	RC_R, /* general */
	RC_A, /* Tesla: addresses */
	/* Tesla: flags of condition codes, four registers per C register (tesla/flags.c) */
	RC_C,
	RC_P,      /* Fermi: predicates */
	RC_T,      /* scratch of 32 bits */
	RC_D,      /* scratch of 64 bits */
	RC_Q,      /* scratch predicates */
	RC_PT,     /* the predicate that is true */
	RC_PF,     /* the predicate that is always false */
	RC_PG,     /* the guard of the current instruction */
	RC_SHARED, /* the address of shared memory */
	RC_U,      /* sm_75 on: uniform registers */
	RC_UP,     /* uniform predicates */
	RC_B,      /* convergence barriers: masks of lanes */
	RC_K,      /* words of constant banks, loaded once per warp */
	RC_BAR,    /* result of a block barrier's reduction: a count */
	RC_BARP,   /* result of a block barrier's reduction: a predicate */
	RC_RPC,    /* the return pc: two words */
	RC_END, /* where a lane goes on after the common instruction of WARPSYNC.COLLECTIVE; 0: there */
	RC_WINDOW, /* offset added to generic addresses of shared memory, 64 bits */
	RC_COUNT
};

struct guard {
	struct opnd pred; /* predicate; kind OPND_NONE: no guard */
	bool neg;
};

/* ---- values ---- */

static inline struct opnd val_reg(enum reg_class c, unsigned n, unsigned type)
{
	return (struct opnd){.kind = type == T_PRED ? OPND_PRED : OPND_REG,
			     .type = (uint8_t)type,
			     .reg = (uint32_t)c << 16 | n};
}
static inline struct opnd val_r(unsigned n) { return val_reg(RC_R, n, T_B32); }
static inline struct opnd val_a(unsigned n) { return val_reg(RC_A, n, T_B32); } /* Tesla: address */
static inline struct opnd val_p(unsigned n) { return val_reg(RC_P, n, T_PRED); }
static inline struct opnd val_pt(void) { return val_reg(RC_PT, 0, T_PRED); } /* true */
static inline struct opnd val_pf(void) { return val_reg(RC_PF, 0, T_PRED); } /* false */
static inline struct opnd val_pg(void)
{
	return val_reg(RC_PG, 0, T_PRED);
} /* the guard of the
   * current
   * instruction */
static inline struct opnd imm(uint64_t bits)
{
	return (struct opnd){.kind = OPND_IMM, .imm = (int64_t)bits};
}
static inline struct opnd sreg(enum sreg r, unsigned component)
{
	return (struct opnd){.kind = OPND_SREG,
			     .type = sreg_info[r].type,
			     .reg = (uint32_t)r,
			     .sub = (uint8_t)component};
}
static inline struct opnd val_var(struct var *v) /* address of the variable */
{
	v->used = true;
	return (struct opnd){.kind = OPND_SYM, .type = T_U64, .reg = NO_REG, .sym = v};
}
static inline struct opnd val_not(struct opnd pred)
{
	pred.mod ^= OPND_NOT;
	return pred;
}
static inline bool is_imm(struct opnd o) { return o.kind == OPND_IMM; }
/* Memory at a register, a variable or a number, plus an offset. */
struct opnd mem_at(struct opnd base, int64_t offset);

/* New scratch registers of 32 and 64 bits, and predicates. */
struct opnd gen_t(struct ngen *g);
struct opnd gen_d(struct ngen *g);
struct opnd gen_q(struct ngen *g);

/* ---- instructions, guarded as the native one is ---- */

/* Returns the number of a register in the kernel's code, assigned now if the register has none.
 * Numbers assigned one after the other are adjacent, as pairs of registers need. */
uint32_t gen_number(struct ngen *g, struct opnd reg);

/* Appends an instruction. The fields in.nd and those of the operation are set; o: destinations,
 * then sources. Literals that have a type keep it. */
void gen_emit(struct ngen *g, struct inst in, const struct opnd *o, size_t n);
#define GEN_LIST(...)                                                                              \
	(const struct opnd[]){__VA_ARGS__},                                                        \
		sizeof((struct opnd[]){__VA_ARGS__}) / sizeof(struct opnd)
/* Instructions with one destination: plain, with modifiers M_*, with a mode, of floats. */
#define gen(g, o, t, ...)                                                                          \
	gen_emit(g, (struct inst){.op = (o), .type = (uint8_t)(t), .nd = 1}, GEN_LIST(__VA_ARGS__))
#define gen_mods(g, o, t, m, ...)                                                                  \
	gen_emit(g, (struct inst){.op = (o), .type = (uint8_t)(t), .mods = (m), .nd = 1},          \
		 GEN_LIST(__VA_ARGS__))
#define gen_mode(g, o, t, m, ...)                                                                  \
	gen_emit(g, (struct inst){.op = (o), .type = (uint8_t)(t), .mode = (uint8_t)(m), .nd = 1}, \
		 GEN_LIST(__VA_ARGS__))
#define gen_float_op(g, o, t, r, m, ...)                                                           \
	gen_emit(g,                                                                                \
		 (struct inst){.op = (o),                                                          \
			       .type = (uint8_t)(t),                                               \
			       .rnd = (uint8_t)(r),                                                \
			       .mods = (m),                                                        \
			       .nd = 1},                                                           \
		 GEN_LIST(__VA_ARGS__))
void gen_plain(struct ngen *g, enum op op); /* without operands */

void gen_cvt(struct ngen *g, unsigned dt, unsigned st, struct opnd d, struct opnd s);
void gen_cvt_as(struct ngen *g, unsigned dt, unsigned st, unsigned rnd, unsigned mods,
		struct opnd d, struct opnd s);
void gen_pack(struct ngen *g, struct opnd d, struct opnd lo, struct opnd hi);
void gen_unpack(struct ngen *g, struct opnd lo, struct opnd hi, struct opnd d);
void gen_setp(struct ngen *g, unsigned cmp, unsigned type, struct opnd d, struct opnd a,
	      struct opnd b);
/* A comparison joined with predicate p; the second result of setp uses the complement of the
 * comparison. */
struct compare {
	unsigned cmp, bop, type, mods;
	struct opnd a, b, p;
};
void gen_setp_with(struct ngen *g, const struct compare *c, struct opnd d);
void gen_setp_both(struct ngen *g, const struct compare *c, struct opnd d, struct opnd e);
void gen_set_with(struct ngen *g, const struct compare *c, unsigned dt, struct opnd d);
/* Up to four elements of a type, in registers r[0], ... */
struct access {
	uint8_t type, vec;
	uint8_t cop; /* enum cop */
};
void gen_load(struct ngen *g, struct access a, unsigned space, unsigned mods, const struct opnd *r,
	      struct opnd mem);
void gen_store(struct ngen *g, struct access a, unsigned space, unsigned mods, struct opnd mem,
	       const struct opnd *r);
/* Emits a control operation of ir/inst.h; target: number of a native instruction. */
void gen_ctl(struct ngen *g, enum native_ctl kind, uint32_t target, int64_t offset);
/* Emits control operations that read a register: BRX, SETCC. */
void gen_ctl_reg(struct ngen *g, enum native_ctl kind, struct opnd reg, int64_t offset);

/* Emits LOCK of a mem_at(), whose predicate says whether the lock was obtained; and B2R. */
void gen_ctl_lock(struct ngen *g, struct opnd obtained, struct opnd at);
void gen_ctl_b2r(struct ngen *g, struct opnd d, unsigned barrier);

/* Sets the guard of the instructions that follow; returns the previous one. */
struct guard gen_guard(struct ngen *g, struct guard now);

/* ---- a kernel ---- */

void gen_begin_code(struct ngen *g, struct func *f);
/* The instructions emitted from now on belong to the native instruction `in` at address pc, or
 * (NULL) to none. */
void gen_begin_inst(struct ngen *g, const struct ninst *in, uint32_t pc);
void gen_tidy(struct ngen *g);     /* tidy.c */
void gen_end_inst(struct ngen *g); /* ends a native instruction; statistics count its last decoded
                                    * one */
#endif
