/* Fermi's memory instructions, atomics and barriers as PTX statements. */
#include "isa/fermi/fermi.h"
#include "front/lift/gen.h"

#include <string.h>

static const char *const size_type[] = {"u8", "s8", "u16", "s16", "b32", "v2.b32", "v4.b32", ""};

/* The address of a memory operand: "reg+off" for shared and local (32 bits), a 64-bit generic register. */
static const char *address(struct ngen *g, const struct nop *o)
{
	if (o->space == NS_SHARED || o->space == NS_LOCAL) {
		if (gen_is_zero(g, o->reg))
			return gen_text(g, "%u", (unsigned)o->off & 0xffffff);
		if (!o->off)
			return gen_text(g, "%%r%u", o->reg);
		const char *t = gen_t(g);
		gen(g, "add.u32 %s, %%r%u, %d", t, o->reg, o->off);
		return t;
	}
	const char *d = gen_d(g);
	if (gen_is_zero(g, o->reg)) {
		gen(g, "mov.u64 %s, %u", d, (unsigned)o->off);
	} else if (o->wide) {
		gen(g, "mov.b64 %s, {%%r%u, %%r%u}", d, o->reg, o->reg + 1);
		if (o->off)
			gen(g, "add.u64 %s, %s, %d", d, d, o->off);
	} else { /* 32-bit addresses wrap */
		const char *t = gen_t(g);
		gen(g, "add.u32 %s, %%r%u, %d", t, o->reg, o->off);
		gen(g, "cvt.u64.u32 %s, %s", d, t);
	}
	return d;
}

static const char *space_of(const struct nop *o)
{
	return o->space == NS_SHARED ? ".shared" : o->space == NS_LOCAL ? ".local" : "";
}

/* Registers from o on: "%r4", or "{%r4, %r5}". Sources: RZ is a zero in a register. */
static const char *data_regs(struct ngen *g, const struct nop *o, unsigned size, bool dst)
{
	unsigned n = size == 5 ? 2 : size == 6 ? 4 : 1;
	const char *r[4];
	for (unsigned i = 0; i < n; i++) {
		r[i] = gen_is_zero(g, o->reg) ? gen_t(g) : gen_text(g, "%%r%u", o->reg + i);
		if (gen_is_zero(g, o->reg) && !dst)
			gen(g, "mov.u32 %s, 0", r[i]);
	}
	return n == 1   ? r[0]
	       : n == 2 ? gen_text(g, "{%s, %s}", r[0], r[1])
			: gen_text(g, "{%s, %s, %s, %s}", r[0], r[1], r[2], r[3]);
}

static const struct nop *operand(const struct ninst *in, unsigned kind)
{
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].kind == kind)
			return &in->o[i];
	return NULL;
}

/* CV: somebody else may change it. */
static const char *cop(const struct ninst *in)
{
	return in->mod[NM_COP] == 3 && in->size == 8 ? ".volatile" : "";
}

static void gen_load(struct ngen *g, const struct nop *d, const struct nop *m, unsigned size)
{
	const char *a = address(g, m), *r = data_regs(g, d, size, true);
	gen(g, "ld%s%s.%s %s, [%s]", cop(g->in), space_of(m), size_type[size], r, a);
}

static void gen_store(struct ngen *g, const struct nop *s, const struct nop *m, unsigned size)
{
	const char *a = address(g, m), *r = data_regs(g, s, size, false), *type = size_type[size];
	gen(g, "st%s%s.%s [%s], %s", cop(g->in), space_of(m), type, a, r);
}

/* LD_LDU, LDS_LDU: both addresses are read before either destination is written. */
static void gen_two_loads(struct ngen *g)
{
	const struct ninst *in = g->in;
	unsigned ld, ldu;
	fermi_ldldu_sizes(in->mod[NM_SIZE], &ld, &ldu);
	const char *a = address(g, &in->o[2]), *b = address(g, &in->o[3]);
	if (a[0] == '%' && a[1] == 'r') {
		const char *t = gen_t(g);
		gen(g, "mov.u32 %s, %s", t, a);
		a = t;
	}
	gen(g, "ld%s.%s %s, [%s]", space_of(&in->o[2]), size_type[ld],
	    data_regs(g, &in->o[0], ld, true), a);
	gen(g, "ld.%s %s, [%s]", size_type[ldu], data_regs(g, &in->o[1], ldu, true), b);
}

/* One statement for the threads of the instruction where a comparison of v with 0 holds. */
void gen_where(struct ngen *g, const char *cmp, const char *v, const char *statement)
{
	const char *q = gen_q(g);
	char guard[sizeof g->guard];
	memcpy(guard, g->guard, sizeof guard);
	g->guard[0] = 0;
	gen(g, "mov.pred %s, %%pf", q);
	memcpy(g->guard, guard, sizeof guard);
	gen(g, "setp.%s.u32 %s, %s, 0", cmp, q, v);
	snprintf(g->guard, sizeof g->guard, "@%s ", q);
	gen(g, "%s", statement);
	memcpy(g->guard, guard, sizeof guard);
}

/* LDC.IL, .IS, .ISL: the banks are one space of segments of 64 KB. Register plus offset is an address in it, relative
 * to the bank named. A bank that the file does not have is outside constant memory. */
static void gen_segmented(struct ngen *g, const struct nop *c, const char *type, const char *dst)
{
	enum { BANKS = 32, NOWHERE = 0x7fff0000 };
	const char *at = gen_t(g), *bank = gen_t(g), *base = gen_t(g), *t = gen_t(g), *q = gen_q(g);
	gen(g, "mov.u32 %s, %s", at, c->index == NREG_NONE ? "0" : gen_reg(g, c->index));
	gen(g, "add.u32 %s, %s, %d", at, at, c->off);
	gen(g, "shr.u32 %s, %s, 16", bank, at);
	gen(g, "add.u32 %s, %s, %u", bank, bank, c->bank);
	gen(g, "and.b32 %s, %s, 0xffff", at, at);
	gen(g, "mov.u32 %s, %u", base, NOWHERE);
	for (unsigned n = 1; n < BANKS; n++) {
		if (!gen_has_bank(g, n))
			continue;
		gen(g, "mov.u32 %s, %s", t, gen_bank_name(g, n));
		gen(g, "setp.eq.u32 %s, %s, %u", q, bank, n);
		gen(g, "selp.b32 %s, %s, %s, %s", base, t, base, q);
	}
	gen(g, "add.u32 %s, %s, %s", base, base, at);
	gen(g, "sub.u32 %s, %s, %u", at, at, gen_param_base(g));
	gen_where(g, "ne", bank, gen_text(g, "ld.const.%s %s, [%s]", type, dst, base));
	gen_where(g, "eq", bank, gen_text(g, "ld.param.%s %s, [%s]", type, dst, at));
}

static void gen_ldc(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *c = &in->o[1];
	unsigned size = in->mod[NM_SIZE];
	const char *type = size_type[size], *dst = data_regs(g, &in->o[0], size, true);
	if (in->mod[NM_MODE])
		gen_segmented(g, c, type, dst);
	else
		gen_const_load(g, c, type, dst);
}

/* Type codes 4 u32 5 u64 7 s32 11 f32. */
static void gen_atomic(struct ngen *g)
{
	static const char *const name[] = {"add", "min", "max", "inc",  "dec",
					   "and", "or",  "xor", "exch", "cas"};
	const struct ninst *in = g->in;
	bool red = in->op == NI_RED, wide = in->mod[NM_DT] == 5;
	unsigned op = in->mod[NM_MODE], v = red ? 1 : 2;
	bool bitwise = op >= 5;
	bool counts = op == 3 || op == 4; /* without sign, whatever the type says */
	const char *type = wide                             ? (bitwise ? "b64" : "u64")
			   : bitwise                        ? "b32"
			   : in->mod[NM_DT] == 7 && !counts ? "s32"
			   : in->mod[NM_DT] == 11           ? "f32"
							    : "u32";
	bool moves = op == 0 || op == 8 ||
		     op == 9; /* sums and exchanges: all that floats and 64 bits have */
	if (op > 9 || ((in->mod[NM_DT] == 11 || wide) && !moves)) {
		gen_refuse(g, "this operation on this type");
		return;
	}
	const char *a = address(g, operand(in, NO_MEM));
	const char *x = wide ? gen_src64(g, v, false) : gen_reg32(g, gen_raw(g, v)), *y = "";
	if (op == 9)
		y = gen_text(g, ", %s",
			     wide ? gen_src64(g, v + 1, false) : gen_reg32(g, gen_raw(g, v + 1)));
	if (red) {
		gen(g, "red.%s.%s [%s], %s", name[op], type, a, x);
		return;
	}
	if (!wide) {
		gen(g, "atom.%s.%s %s, [%s], %s%s", name[op], type, gen_dst(g, 0), a, x, y);
		return;
	}
	const char *d = gen_d(g);
	gen(g, "atom.%s.%s %s, [%s], %s%s", name[op], type, d, a, x, y);
	gen_put64(g, 0, d);
}

/* A barrier's number or count: immediate, or register (RZ: 0). */
static const char *barrier_opnd(struct ngen *g, const struct nop *o)
{
	return o->kind == NO_IMM ? gen_text(g, "%u", (unsigned)o->imm) : gen_reg(g, o->reg);
}

static void gen_bar(struct ngen *g)
{
	static const char *const op[] = {"popc", "and", "or"};
	const struct ninst *in = g->in;
	bool arrive = in->size == 4 ? (in->word >> 27 & 31) == 11 : in->word >> 7 & 1;
	if (in->size == 4) {
		const char *n = barrier_opnd(g, &in->o[0]);
		gen(g, arrive ? "bar.arrive %s, 0" : "bar.sync %s",
		    n); /* 0: all threads of the block */
		return;
	}
	if (arrive) {
		const char *n = barrier_opnd(g, &in->o[0]);
		gen(g, "bar.arrive %s, %s", n, barrier_opnd(g, &in->o[1]));
		return;
	}
	const struct nop *count = &in->o[3], *pred = &in->o[4];
	const char *n = barrier_opnd(g, &in->o[2]), *c = "";
	if (!(count->kind == NO_GPR && count->reg == 63))
		c = gen_text(g, ", %s", barrier_opnd(g, count));
	bool popc = in->mod[NM_MODE] == 0;
	if (pred->reg == 7 && !pred->neg && (popc ? in->o[0].reg == 63 : in->o[1].reg == 7)) {
		gen(g, "bar.sync %s%s", n, c);
		return;
	}
	const char *d = popc ? gen_dst(g, 0) : gen_pred_dst(g, 1);
	gen(g, "bar.red.%s.%s %s, %s%s, %s", op[in->mod[NM_MODE] % 3], popc ? "u32" : "pred", d, n,
	    c, gen_pred(g, 4));
}

/* The state of a barrier is the number of warps that have arrived. */
static void gen_b2r(struct ngen *g)
{
	enum { BARRIERS = 16 };
	const char *t = gen_t(g);
	if (g->in->o[1].imm >= BARRIERS) {
		gen_refuse(g, "a barrier's number is 0 to 15");
		return;
	}
	gen_ctl_reg(g, NCTL_B2R, t, (int64_t)g->in->o[1].imm, 7);
	gen(g, "mov.u32 %s, %s", gen_dst(g, 0), t);
}

/* Of the threads that ask for a lock that is free one gets it. It is asked for before the load: between the two
 * nobody else can have it. All threads load, as the hardware does it. */
static void gen_lock(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *m = operand(in, NO_MEM);
	if (in->op == NI_LDSLK) {
		gen_ctl_reg(g, NCTL_LOCK, address(g, m), 0, in->o[0].reg);
		gen_load(g, &in->o[1], m, in->mod[NM_SIZE]);
	} else {
		gen_store(g, &in->o[1], m, in->mod[NM_SIZE]);
		gen_ctl_reg(g, NCTL_UNLOCK, address(g, m), 0, 7);
	}
}

/* The same for global memory: the locks are words of a table that all blocks share, by the same bits of the
 * address. They are taken and given back by atomics, after and before which no access of the thread passes. */
static void gen_global_lock(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *m = operand(in, NO_MEM);
	const char *a = address(g, m), *at = gen_d(g), *n = gen_t(g), *old = gen_t(g);
	unsigned size = in->mod[NM_SIZE];
	gen(g, "cvt.u32.u64 %s, %s", n, a);
	gen(g, "and.b32 %s, %s, 0x%x", n, n, (GEN_LOCKS - 1) << 2);
	gen(g, "mov.u64 %s, nlocks", at);
	gen(g, "mad.wide.u32 %s, %s, 1, %s", at, n, at);
	if (in->op == NI_STUL) {
		gen(g, "st.volatile.%s [%s], %s", size_type[size], a,
		    data_regs(g, &in->o[1], size, false));
		gen(g, "atom.global.exch.b32 %s, [%s], 0", old, at);
		return;
	}
	gen(g, "atom.global.exch.b32 %s, [%s], 1", old, at);
	gen(g, "ld.volatile.%s %s, [%s]", size_type[size], data_regs(g, &in->o[1], size, true), a);
	gen(g, "setp.eq.u32 %s, %s, 0", gen_pred_dst(g, 0), old);
}

bool gen_memory(struct ngen *g)
{
	static const char *const level[] = {"cta", "gl", "sys"};
	const struct ninst *in = g->in;
	switch (in->op) {
	case NI_LD:
	case NI_LDU:
	case NI_LDL:
	case NI_LDS: gen_load(g, &in->o[0], &in->o[1], in->mod[NM_SIZE]); return true;
	case NI_ST:
	case NI_STL:
	case NI_STS: gen_store(g, &in->o[1], &in->o[0], in->mod[NM_SIZE]); return true;
	case NI_LD_LDU:
	case NI_LDS_LDU: gen_two_loads(g); return true;
	case NI_LDC: gen_ldc(g); return true;
	case NI_ATOM:
	case NI_RED: gen_atomic(g); return true;
	case NI_BAR: gen_bar(g); return true;
	case NI_B2R: gen_b2r(g); return true;
	case NI_LDSLK:
	case NI_STSUL: gen_lock(g); return true;
	case NI_LDLK:
	case NI_STUL: gen_global_lock(g); return true;
	case NI_MEMBAR: gen(g, "membar.%s", level[in->mod[NM_MODE] % 3]); return true;
	case NI_CCTL:
	case NI_CCTLL: return true; /* caches do not show */
	default: return false;
	}
}
