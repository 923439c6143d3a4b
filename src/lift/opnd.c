/* Operands of native instructions as values: registers, constants, shared memory, immediates, with their modifiers applied. */
#include "lift/gen.h"

/* ---- registers ---- */

bool gen_is_zero(const struct ngen *g, unsigned r)
{
	return g->m->isa == NATIVE_FERMI ? r == 63 : r >= 124;
}

struct opnd gen_reg(struct ngen *g, unsigned r) { return gen_is_zero(g, r) ? imm(0) : val_r(r); }

struct opnd gen_dst(struct ngen *g, unsigned i)
{
	unsigned r = g->in->o[i].reg;
	return gen_is_zero(g, r) ? gen_t(g) : val_r(r);
}

struct opnd gen_copy(struct ngen *g, struct opnd s)
{
	struct opnd t = gen_t(g);
	gen(g, OP_MOV, T_U32, t, s);
	return t;
}

struct opnd gen_reg32(struct ngen *g, struct opnd s) { return is_imm(s) ? gen_copy(g, s) : s; }

void gen_data_regs(struct ngen *g, unsigned r, unsigned n, bool dst, struct opnd *out)
{
	for (unsigned i = 0; i < n; i++) {
		bool zero = gen_is_zero(g, r) || gen_is_zero(g, r + i);
		out[i] = zero ? gen_t(g) : val_r(r + i);
		if (zero && !dst)
			gen(g, OP_MOV, T_U32, out[i], imm(0));
	}
}

/* ---- constants ---- */

enum { LISTING_STACK = 1024 };

/* Bytes of local memory and stack. A listing does not give the number: then enough for usual
 * spills, if the code uses any. */
uint32_t gen_stack(const struct ngen *g)
{
	uint32_t n = g->k->local + g->k->stack;
	const struct nkernel *f;
	for (size_t i = 1; (f = native_part(g->m, g->k, i)); i++)
		n += f->local + f->stack +
		     (i == 1 ? LISTING_STACK : 0); /* functions may call each other */
	if (!g->m->from_text || n)
		return n;
	for (size_t i = 0; i < g->k->ninst; i++) {
		unsigned op = g->k->inst[i].op;
		if (op == NI_LDL || op == NI_STL || op == NI_LLD || op == NI_LST)
			return LISTING_STACK;
	}
	return 0;
}

uint32_t gen_param_base(const struct ngen *g) { return g->k->param_base ? g->k->param_base : 0x20; }

static void load_param(struct ngen *g, struct access a, const struct opnd *r, uint32_t off)
{
	gen_load(g, a, SP_PARAM, 0, r, mem_at(val_var(g->params), off));
}

static void load_bank(struct ngen *g, unsigned bank, struct access a, const struct opnd *r,
		      uint32_t off)
{
	struct var *v = gen_bank(g, bank);
	if (v)
		gen_load(g, a, SP_CONST, 0, r, mem_at(val_var(v), off));
	else
		gen_no_bank(g);
}

static void use_params(struct ngen *g, uint32_t end)
{
	g->env_used = end > g->env_used ? end : g->env_used;
}

struct opnd gen_param_word(struct ngen *g, uint32_t at)
{
	struct opnd t = gen_t(g);
	use_params(g, at + 4);
	load_param(g, (struct access){T_B32, 1}, &t, at);
	return t;
}

/* Reads the words that the driver puts below the stack's top in bank 1, for code generated from PTX
 * (back/fermi/misc.c): words of the environment, then those of ir/inst.h. False: no such word. */
static bool driver_word(struct ngen *g, uint32_t off, struct opnd t)
{
	static const uint8_t behind[] = {DRIVER_WORDS};
	unsigned n = off / 4;
	if (n >= DRIVER_ENVREGS + sizeof behind || gen_bank(g, 1))
		return false;
	if (n < DRIVER_ENVREGS)
		gen(g, OP_MOV, T_U32, t, sreg(SREG_ENVREG, n));
	else
		gen(g, OP_MOV, T_U32, t, sreg(behind[n - DRIVER_ENVREGS], 0));
	return true;
}

/* Returns a word of c[bank][off]; bank 0 holds the launch's environment and the parameters. */
static struct opnd const_word(struct ngen *g, unsigned bank, uint32_t off)
{
	static const struct access word = {T_B32, 1};
	struct opnd t = gen_t(g);
	uint32_t base = gen_param_base(g);
	if (bank == 0 && off >= 8 && off < 0x20) {
		unsigned n = (off - 8) / 4;
		gen(g, OP_MOV, T_U32, t, sreg(n < 3 ? SREG_NTID : SREG_NCTAID, n % 3));
	} else if (bank == 0 && off >= base) {
		use_params(g, off + 4 - base);
		load_param(g, word, &t, off - base);
	} else if (bank == 1 && off == 0x100) {
		gen(g, OP_MOV, T_U32, t, imm(gen_stack(g))); /* the stack grows down from here */
	} else if (bank == 1 && off < 0x100 && driver_word(g, off, t)) {
		return t;
	} else if (bank == 0) { /* generic windows */
		gen(g, OP_MOV, T_U32, t, imm(off == 0 ? 0x01000000u : 0x02000000u));
	} else {
		load_bank(g, bank, word, &t, off);
	}
	return t;
}

static void load_indexed(struct ngen *g, const struct nop *o, struct access a, const struct opnd *r)
{
	struct opnd at = gen_t(g);
	struct var *v = o->bank ? gen_bank(g, o->bank) : NULL;
	if (o->bank == 0) {
		gen(g, OP_ADD, T_U32, at, gen_reg(g, o->index),
		    imm((uint32_t)(o->off - (int32_t)gen_param_base(g))));
		gen_load(g, a, SP_PARAM, 0, r, mem_at(at, 0));
	} else if (v) {
		gen(g, OP_MOV, T_U32, at, val_var(v));
		gen(g, OP_ADD, T_U32, at, at, gen_reg(g, o->index));
		gen_load(g, a, SP_CONST, 0, r, mem_at(at, o->off));
	} else {
		gen_no_bank(g);
	}
}

void gen_const_load(struct ngen *g, const struct nop *o, struct access a, const struct opnd *r)
{
	uint32_t base = gen_param_base(g);
	if (o->index != NREG_NONE) {
		load_indexed(g, o, a, r);
	} else if (g->m->isa == NATIVE_FERMI && o->bank == 0 && (uint32_t)o->off >= base) {
		use_params(g, (uint32_t)o->off + 16 - base);
		load_param(g, a, r, (uint32_t)o->off - base);
	} else {
		load_bank(g, o->bank, a, r, (uint32_t)o->off);
	}
}

/* ---- sources ---- */

/* Word w of a constant operand. */
static struct opnd word_of(struct ngen *g, const struct nop *o, unsigned w)
{
	switch (o->kind) {
	case NO_GPR: return gen_is_zero(g, o->reg) ? imm(0) : val_r(o->reg + w);
	case NO_IMM:
		if (g->reloc && o->imm_type != IMM_DEC)
			return gen_reloc_word(g);
		return imm((uint32_t)(o->imm >> 32 * w));
	case NO_CONST: {
		struct nop at = *o;
		at.off += (int32_t)w * 4;
		if (o->index == NREG_NONE)
			return const_word(g, o->bank, (uint32_t)at.off);
		struct opnd t = gen_t(g); /* a word of c[bank][reg + off] */
		gen_const_load(g, &at, (struct access){T_B32, 1}, &t);
		return t;
	}
	default: gen_refuse(g, "operand"); return imm(0);
	}
}

struct opnd gen_raw(struct ngen *g, unsigned i) { return word_of(g, &g->in->o[i], 0); }

/* Applies abs then neg, or inversion; on floats by the sign bit only. */
struct opnd gen_src(struct ngen *g, unsigned i, enum nsrc kind)
{
	const struct nop *o = &g->in->o[i];
	struct opnd s = word_of(g, o, 0), t;
	if (o->abs) {
		t = gen_t(g);
		if (kind == NSRC_FLOAT)
			gen(g, OP_AND, T_B32, t, s, imm(0x7fffffff));
		else
			gen(g, OP_ABS, T_S32, t, s);
		s = t;
	}
	if (o->neg) {
		t = gen_t(g);
		if (kind == NSRC_FLOAT)
			gen(g, OP_XOR, T_B32, t, s, imm(0x80000000));
		else
			gen(g, OP_NEG, T_S32, t, s);
		s = t;
	}
	if (o->inv) {
		t = gen_t(g);
		gen(g, OP_NOT, T_B32, t, s);
		s = t;
	}
	return s;
}

struct opnd gen_src64(struct ngen *g, unsigned i, bool is_float)
{
	const struct nop *o = &g->in->o[i];
	struct opnd d = gen_d(g), lo = word_of(g, o, 0), hi = word_of(g, o, 1);
	if (is_imm(lo) || is_imm(hi)) { /* literals go through registers */
		struct opnd a = gen_t(g), b = gen_t(g);
		gen(g, OP_MOV, T_U32, a, lo);
		gen(g, OP_MOV, T_U32, b, hi);
		lo = a, hi = b;
	}
	gen_pack(g, d, lo, hi);
	if (o->abs && is_float) /* a NaN keeps its sign, as an operand of a subtraction does */
		gen(g, OP_ABS, T_F64, d, d);
	if (o->neg)
		gen(g, OP_NEG, is_float ? T_F64 : T_S64, d, d);
	return d;
}

void gen_put64(struct ngen *g, unsigned i, struct opnd d)
{
	unsigned r = g->in->o[i].reg;
	if (!gen_is_zero(g, r))
		gen_unpack(g, val_r(r), val_r(r + 1), d);
}

/* ---- predicates ---- */

struct opnd gen_pred(struct ngen *g, unsigned i)
{
	const struct nop *o = &g->in->o[i];
	if (o->reg == 7)
		return o->neg ? val_pf() : val_pt();
	return o->neg ? val_not(val_p(o->reg)) : val_p(o->reg);
}

struct opnd gen_pred_dst(struct ngen *g, unsigned i)
{
	return g->in->o[i].reg == 7 ? gen_q(g) : val_p(g->in->o[i].reg);
}
