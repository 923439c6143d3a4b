/* Lifts Tesla's instructions. Halves of registers are extracted and inserted by bit-field
 * operations. Shared memory begins with the launch's header and the parameters, which the start of
 * a block puts there (kernel/cta.c). */
#include <string.h>
#include "lift/tesla/tesla.h"

/* ---- tail ---- */

void tesla_tail(struct ngen *g)
{
	if (g->in->exit)
		gen_ctl(g, NCTL_EXIT, 0, 0);
	if (!g->in->pop)
		return;
	g->guard = (struct guard){0}; /* all active threads join */
	gen_ctl(g, NCTL_TPOP, 0, 0);
}

/* ---- operands ---- */

/* Address of an indexed operand: An + off, or An alone and then incremented. */
/* a = v << n, in 16 bits, sign-extended, so that a sum with an offset needs no truncation. Shared
 * and local memory end below 0x8000. */
static void put_address(struct ngen *g, struct opnd a, struct opnd v, unsigned n)
{
	struct opnd t = gen_t(g);
	gen(g, OP_SHL, T_B32, t, v, imm(n + 16));
	gen(g, OP_SHR, T_S32, a, t, imm(16));
}

/* Increments the address register of an operand; returns its old value. */
static struct opnd post_increment(struct ngen *g, const struct nop *o, uint32_t off)
{
	struct opnd a = val_a(o->index), was = gen_copy(g, a), t = gen_t(g);
	gen(g, OP_ADD, T_U32, t, a, imm(off));
	put_address(g, a, t, 0);
	return was;
}

static uint32_t offset_of(const struct nop *o)
{
	return (uint32_t)(o->off * (o->unit ? o->unit : 1));
}

struct opnd tesla_at(struct ngen *g, const struct nop *o)
{
	uint32_t off = offset_of(o);
	if (o->index == NREG_NONE)
		return mem_at(imm(off), 0);
	return o->postinc ? mem_at(post_increment(g, o, off), 0) : mem_at(val_a(o->index), off);
}

/* Returns a word of a constant bank at an address register, whose 16 bits are unsigned here. */
static struct opnd bank_at(struct ngen *g, const struct nop *o, struct var *base)
{
	uint32_t off = offset_of(o);
	struct opnd t = gen_t(g), a = o->postinc ? post_increment(g, o, off) : val_a(o->index);
	gen(g, OP_ADD, T_U32, t, a, imm(o->postinc ? 0 : off));
	gen(g, OP_AND, T_B32, t, t, imm(0xffff));
	gen(g, OP_ADD, T_U32, t, t, gen_copy(g, val_var(base)));
	return mem_at(t, 0);
}

unsigned tesla_mem_type(const struct nop *o)
{
	switch (o->sel) {
	case 1: return T_U8;
	case 2: return T_U16;
	case 3: return T_S16;
	default: return o->unit == 2 ? T_U16 : o->unit == 1 ? T_U8 : T_B32;
	}
}

static struct access access_of(const struct nop *o)
{
	return (struct access){(uint8_t)tesla_mem_type(o), 1};
}

static bool in_literals(const char *section)
{
	static const char name[] = ".nv.constant1";
	return section && !strncmp(section, name, sizeof name - 1) &&
	       (section[sizeof name - 1] < '0' || section[sizeof name - 1] > '9');
}

/* Finds a literal. Bank 1 holds the compiler's literals: the file's contents, unless a variable or
 * an address lies there. MVC remains a load. */
static bool find_literal(const struct ngen *g, const struct nop *o, unsigned w, uint32_t *v)
{
	uint32_t at = (uint32_t)(o->off * o->unit) + w * 4;
	const uint8_t *p = o->bank == 1 && o->index == NREG_NONE && g->in->op != NI_MVC
				   ? gen_bank_bytes(g, 1, at, o->unit)
				   : NULL;
	for (size_t i = 0; p && i < g->m->symbol.n; i++)
		p = in_literals(g->m->symbol.v[i].section) ? NULL : p;
	for (size_t i = 0; p && i < g->m->reloc.n; i++)
		p = in_literals(g->m->reloc.v[i].section) ? NULL : p;
	*v = 0;
	for (unsigned b = 0; p && b < o->unit; b++)
		*v |= (uint32_t)p[b] << 8 * b;
	return p;
}

/* A word (or half word) of constant memory; w: number of the word in a pair. */
static struct opnd constant_word(struct ngen *g, const struct nop *o, unsigned w)
{
	uint32_t known;
	if (find_literal(g, o, w, &known))
		return imm(known);
	struct opnd t = gen_t(g);
	if (o->index == NREG_NONE) {
		struct nop at = *o;
		at.off = o->off * o->unit + (int32_t)w * 4;
		at.unit = 1;
		gen_const_load(g, &at, access_of(o), &t);
		return t;
	}
	struct var *base = gen_bank(g, o->bank);
	if (base)
		gen_load(g, access_of(o), SP_CONST, 0, &t, bank_at(g, o, base));
	else
		gen_no_bank(g);
	return t;
}

/* Operand i as 32 bits, with halves extended as `sext` says, and without sign modifiers. */
struct opnd tesla_raw(struct ngen *g, unsigned i, bool sext)
{
	const struct nop *o = &g->in->o[i];
	struct opnd t;
	switch (o->kind) {
	case NO_GPR: return gen_reg(g, o->reg);
	case NO_HALF:
		if (gen_is_zero(g, o->reg >> 1))
			return imm(0);
		t = gen_t(g);
		if (o->reg & 1)
			gen(g, OP_SHR, sext ? T_S32 : T_U32, t, val_r(o->reg >> 1), imm(16));
		else if (sext)
			gen(g, OP_BFE, T_S32, t, val_r(o->reg >> 1), imm(0), imm(16));
		else
			gen(g, OP_AND, T_B32, t, val_r(o->reg >> 1), imm(0xffff));
		return t;
	case NO_IMM: return imm((uint32_t)o->imm);
	case NO_CONST: t = constant_word(g, o, 0); break;
	case NO_MEM:
		t = gen_t(g);
		gen_load(g, access_of(o), SP_SHARED, 0, &t, tesla_at(g, o));
		break;
	default: gen_refuse(g, "operand"); return imm(0);
	}
	if (o->unit == 2 && sext && is_imm(t))
		return imm((uint32_t)(int16_t)t.imm);
	if (o->unit == 2 && sext)
		gen(g, OP_BFE, T_S32, t, t, imm(0), imm(16));
	return t;
}

struct opnd tesla_source(struct ngen *g, unsigned i, bool sext)
{
	const struct nop *o = &g->in->o[i];
	struct opnd s = tesla_raw(g, i, sext);
	if (!o->neg && !o->abs && !o->inv)
		return s;
	struct opnd t = gen_t(g);
	if (o->inv && !o->abs && !o->neg) {
		gen(g, OP_NOT, T_B32, t, s);
		return t;
	}
	gen(g, OP_MOV, T_U32, t, s);
	if (o->abs)
		gen(g, OP_ABS, T_S32, t, t);
	if (o->neg)
		gen(g, OP_NEG, T_S32, t, t);
	if (o->inv)
		gen(g, OP_NOT, T_B32, t, t);
	return t;
}

struct opnd tesla_fsource(struct ngen *g, unsigned i)
{
	const struct nop *o = &g->in->o[i];
	struct opnd s = tesla_raw(g, i, false), t = s;
	if (o->abs) {
		t = gen_t(g);
		gen(g, OP_AND, T_B32, t, s, imm(0x7fffffff));
	}
	if (o->neg) {
		s = t;
		t = gen_t(g);
		gen(g, OP_XOR, T_B32, t, s, imm(0x80000000));
	}
	return t;
}

/* Operand i as 64 bits, without sign modifiers. */
struct opnd tesla_pair(struct ngen *g, unsigned i)
{
	const struct nop *o = &g->in->o[i];
	struct opnd d = gen_d(g), lo, hi;
	if (o->kind == NO_CONST) {
		lo = gen_reg32(g, constant_word(g, o, 0));
		hi = gen_reg32(g, constant_word(g, o, 1));
		gen_pack(g, d, lo, hi);
	} else if (o->kind == NO_GPR) {
		lo = gen_reg32(g, gen_reg(g, o->reg));
		hi = gen_reg32(g, gen_is_zero(g, o->reg) ? imm(0) : gen_reg(g, o->reg + 1u));
		gen_pack(g, d, lo, hi);
	} else if (o->kind == NO_MEM && o->space == NS_SHARED) {
		gen_load(g, (struct access){T_B64, 1}, SP_SHARED, 0, &d, tesla_at(g, o));
	} else {
		gen_refuse(g, "operand");
	}
	return d;
}

struct opnd tesla_dsource(struct ngen *g, unsigned i)
{
	const struct nop *o = &g->in->o[i];
	struct opnd d = tesla_pair(g, i);
	if (o->abs)
		gen(g, OP_ABS, T_F64, d, d);
	if (o->neg)
		gen(g, OP_NEG, T_F64, d, d);
	return d;
}

/* ---- results ---- */

bool tesla_half_dst(const struct ninst *in) { return in->o[0].kind == NO_HALF; }

void tesla_put_word(struct ngen *g, struct opnd v)
{
	const struct nop *o = &g->in->o[0];
	if (o->kind == NO_GPR && !gen_is_zero(g, o->reg))
		gen(g, OP_MOV, T_B32, val_r(o->reg), v);
	else if (o->kind == NO_HALF && !gen_is_zero(g, o->reg >> 1))
		gen(g, OP_BFI, T_B32, val_r(o->reg >> 1), gen_reg32(g, v), val_r(o->reg >> 1),
		    imm(o->reg & 1 ? 16 : 0), imm(16));
}

/* Writes the result and, if the instruction writes them, flags Z and S. wide: 32 bits. */
void tesla_put_int(struct ngen *g, struct opnd v, bool wide)
{
	if (g->in->cc_write != NREG_NONE) {
		struct opnd t = v;
		if (!wide) {
			t = gen_t(g);
			gen(g, OP_SHL, T_B32, t, v, imm(16));
		}
		tesla_flags_of(g, T_S32, t);
	}
	tesla_put_word(g, v);
}

/* Writes a single, or a half if the register is one. */
void tesla_put_float(struct ngen *g, struct opnd v)
{
	if (g->in->cc_write != NREG_NONE) {
		struct opnd t = v;
		if (tesla_half_dst(g->in)) {
			t = gen_t(g);
			gen_cvt(g, T_F32, T_F16, t, v);
		}
		tesla_flags_of(g, T_F32, t);
	}
	tesla_put_word(g, v);
}

void tesla_put_pair(struct ngen *g, struct opnd d, bool is_float)
{
	if (g->in->cc_write != NREG_NONE)
		tesla_flags_of(g, is_float ? T_F64 : T_S64, d);
	if (g->in->o[0].kind == NO_GPR)
		gen_put64(g, 0, d);
}

/* ---- special moves ---- */

static void gen_special(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd t = gen_t(g);
	switch (in->op) {
	case NI_C2R: tesla_put_int(g, tesla_flags(g, in->o[1].reg), true); break;
	case NI_A2R:
		gen(g, OP_AND, T_B32, t, val_a(in->o[1].reg), imm(0xffff));
		tesla_put_int(g, t, true);
		break;
	case NI_R2C: tesla_flags_put(g, in->o[0].reg, tesla_raw(g, 1, false)); break;
	case NI_R2A:
		if (in->o[0].reg)
			put_address(g, val_a(in->o[0].reg), tesla_raw(g, 1, false),
				    (unsigned)in->o[2].imm & 15);
		break;
	case NI_ADA:
		gen(g, OP_ADD, T_U32, t, val_a(in->o[1].reg), imm((unsigned)in->o[2].imm));
		if (in->o[0].reg)
			put_address(g, val_a(in->o[0].reg), t, 0);
		break;
	case NI_S2R: {
		struct opnd u = gen_t(g);
		unsigned n = in->o[1].reg;
		if (n == 0) { /* thread number in bits 0 to 7, warp in 8 to 15, processor above
		               * 16 */
			gen(g, OP_MOV, T_U32, t, sreg(SREG_LANEID, 0));
			gen(g, OP_MOV, T_U32, u, sreg(SREG_WARPID, 0));
			gen(g, OP_BFI, T_B32, t, u, t, imm(8), imm(8));
			gen(g, OP_MOV, T_U32, u, sreg(SREG_SMID, 0));
			gen(g, OP_BFI, T_B32, t, u, t, imm(16), imm(8));
		} else {
			gen(g, OP_MOV, T_U32, t, n == 1 ? sreg(SREG_CLOCK, 0) : imm(0));
		}
		tesla_put_int(g, t, true);
		break;
	}
	default: { /* VOTE */
		struct opnd q = gen_q(g), b = tesla_test(g, in->o[1].reg, (unsigned)in->o[1].off);
		gen_setp(g, CMP_NE, T_U32, q, b, imm(0));
		gen_mode(g, OP_VOTE, T_PRED, in->mod[NM_MODE] == 2 ? VOTE_ALL : VOTE_ANY, q, q);
		tesla_flags_nonzero(g, in->o[0].reg, q);
	}
	}
}

static void gen_mov(struct ngen *g)
{
	const struct ninst *in = g->in;
	struct opnd s = tesla_raw(g, 1, false);
	if (in->nop > 2 && in->o[2].kind == NO_IMM && in->o[2].imm != 15)
		gen_refuse(g, "a part of each quad");
	tesla_put_int(g, s, !tesla_half_dst(in));
}

/* A barrier counts warps. .ARV adds the warp; .WAIT waits until all warps of the block have
 * arrived, or as many threads as the operand gives (0xfff: all). */
static void gen_bar(struct ngen *g)
{
	const struct ninst *in = g->in;
	bool arrive = in->mod[NM_MODE], wait = in->mod[NM_KIND];
	enum { ALL = 0xfff, WARP = 32 };
	unsigned n = in->nop > 1 ? (unsigned)in->o[1].imm : ALL;
	if (n != ALL && (!n || n % WARP)) {
		gen_refuse(
			g,
			"a barrier is for whole warps, a multiple of 0x20 threads, or for all (0xfff)");
		return;
	}
	struct opnd number = imm(in->o[0].reg), count = {0};
	if (n != ALL)
		count = imm(n);
	else if (!wait) /* 0: all threads of the block */
		count = imm(0);
	if (arrive) {
		gen_barrier(g, wait ? BAR_SYNC : BAR_ARRIVE, number, count);
	} else if (wait) {
		number = gen_copy(g, number);
		gen_emit(g, (struct inst){.op = OP_BAR, .type = T_U32, .mode = BAR_WAIT}, &number,
			 1);
	}
}

bool gen_tesla(struct ngen *g)
{
	switch (g->in->op) {
	case NI_MOV:
	case NI_MVC: gen_mov(g); return true;
	case NI_C2R:
	case NI_A2R:
	case NI_R2C:
	case NI_R2A:
	case NI_ADA:
	case NI_S2R:
	case NI_VOTE: gen_special(g); return true;
	case NI_BAR: gen_bar(g); return true;
	case NI_NOP: return true;
	default: return tesla_integer(g) || tesla_float(g) || tesla_memory(g);
	}
}
