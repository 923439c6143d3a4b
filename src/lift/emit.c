/* Values, registers, and how an instruction is appended to the kernel: see emit.h. */
#include "lift/gen.h"

static const struct {
	const char *name;
	uint8_t type;
	bool scratch, single;
} classes[RC_COUNT] = {
	[RC_R] = {"%r", T_B32, false, false},         [RC_A] = {"%a", T_B32, false, false},
	[RC_C] = {"%c", T_PRED, false, false},        [RC_P] = {"%p", T_PRED, false, false},
	[RC_T] = {"%t", T_B32, true, false},          [RC_D] = {"%d", T_B64, true, false},
	[RC_Q] = {"%q", T_PRED, true, false},         [RC_PT] = {"%pt", T_PRED, true, true},
	[RC_PF] = {"%pf", T_PRED, true, true},        [RC_PG] = {"%pg", T_PRED, true, true},
	[RC_SHARED] = {"%shared", T_B32, true, true}, [RC_U] = {"%u", T_B32, false, false},
	[RC_UP] = {"%up", T_PRED, false, false},      [RC_B] = {"%b", T_B32, false, false},
	[RC_K] = {"%k", T_B32, false, false},         [RC_BAR] = {"%bar", T_B32, false, true},
	[RC_BARP] = {"%barp", T_PRED, false, true},   [RC_RPC] = {"%rpc", T_B32, false, false},
	[RC_END] = {"%end", T_B32, false, true},      [RC_WINDOW] = {"%window", T_B64, true, true},
};

struct opnd gen_t(struct ngen *g) { return val_reg(RC_T, g->nt++, T_B32); }
struct opnd gen_d(struct ngen *g) { return val_reg(RC_D, g->nd++, T_B64); }
struct opnd gen_q(struct ngen *g) { return val_reg(RC_Q, g->nq++, T_PRED); }

/* The number of a register in the kernel's code. Registers are numbered in the order of their first
 * use. */
static uint32_t number_of(struct ngen *g, uint32_t reg)
{
	unsigned c = reg >> 16, n = reg & 0xffff;
	while (g->number[c].n <= n)
		vec_push(&g->number[c], (uint32_t)NO_REG);
	uint32_t *id = &g->number[c].v[n];
	if (*id == NO_REG) {
		const char *name = classes[c].single ? classes[c].name
						     : arena_printf(&g->out->arena, "%s%u",
								    classes[c].name, n);
		*id = (uint32_t)g->f->regs.n;
		vec_push(&g->f->regs, (struct reg){name, classes[c].type, classes[c].scratch});
	}
	return *id;
}

uint32_t gen_number(struct ngen *g, struct opnd reg) { return number_of(g, reg.reg); }

/* The type that a literal gets as source i. */
static unsigned literal_type(const struct inst *in, unsigned i)
{
	switch (in->op) {
	case OP_SHL:
	case OP_SHR:
	case OP_BFE: return i ? T_U32 : in->type;
	case OP_BFI: return i > 1 ? T_U32 : in->type;
	case OP_SETP:
	case OP_SET:
	case OP_CVT: return in->stype;
	case OP_PACK: return T_B32;
	case OP_TEX: return in->stype == T_S32 ? T_S32 : T_F32; /* level of detail */
	case OP_BAR: return T_U32;
	default: return in->type;
	}
}

static void set_operand(struct ngen *g, const struct inst *in, unsigned i, struct opnd *o)
{
	if (o->kind == OPND_REG || o->kind == OPND_PRED ||
	    (o->kind == OPND_MEM && o->reg != NO_REG))
		o->reg = number_of(g, o->reg);
	if (o->kind != OPND_IMM)
		return;
	if (!o->type)
		o->type = (uint8_t)literal_type(in, i - in->nd);
	unsigned bits = type_bits(o->type);
	o->imm = (int64_t)((uint64_t)o->imm & (bits < 64 ? (1ull << bits) - 1 : ~0ull));
}

void gen_emit(struct ngen *g, struct inst in, const struct opnd *o, size_t n)
{
	in.guard = g->guard.pred.kind ? number_of(g, g->guard.pred.reg) : (uint32_t)NO_REG;
	in.guard_neg = g->guard.neg;
	in.reconv = NO_PC;
	if (in.op != OP_NATIVE)
		in.target = NO_PC;
	in.vec = in.vec ? in.vec : 1;
	in.ns = (uint8_t)(n - in.nd);
	if (in.op == OP_MOV && o[1].kind == OPND_SREG) {
		in.op = OP_SREG;
		in.stype = in.type;
	}
	in.opnd = ARENA_ARRAY(&g->out->arena, struct opnd, n);
	for (unsigned i = 0; i < n; i++) {
		in.opnd[i] = o[i];
		set_operand(g, &in, i, &in.opnd[i]);
	}
	in.native = g->native;
	in.native_pc = g->native_pc;
	in.src_file = g->src_file;
	in.src_line = g->src_line;
	in.inlined = g->inlined;
	in.mnemonic = g->mnemonic;
	in.text = g->mnemonic ? native_mnemonic_text(g->mnemonic) : NULL;
	in.micro = 1;
	in.lone_load = g->in && (g->in->op == NI_LDC || g->in->op == NI_MVC);
	vec_push(&g->f->code, in);
}

void gen_plain(struct ngen *g, enum op op) { gen_emit(g, (struct inst){.op = op}, NULL, 0); }

struct opnd mem_at(struct opnd base, int64_t offset)
{
	struct opnd o = {.kind = OPND_MEM, .type = T_U64, .reg = NO_REG, .imm = offset};
	if (base.kind == OPND_REG)
		o.reg = base.reg, o.type = base.type;
	else if (base.kind == OPND_SYM)
		o.sym = base.sym;
	else
		o.imm += base.imm;
	return o;
}

/* ---- operations of more fields ---- */

void gen_cvt(struct ngen *g, unsigned dt, unsigned st, struct opnd d, struct opnd s)
{
	gen_cvt_as(g, dt, st, RND_NONE, 0, d, s);
}

void gen_cvt_as(struct ngen *g, unsigned dt, unsigned st, unsigned rnd, unsigned mods,
		struct opnd d, struct opnd s)
{
	gen_emit(g,
		 (struct inst){.op = OP_CVT,
			       .type = (uint8_t)dt,
			       .stype = (uint8_t)st,
			       .rnd = (uint8_t)rnd,
			       .mods = mods,
			       .nd = 1},
		 GEN_LIST(d, s));
}

void gen_pack(struct ngen *g, struct opnd d, struct opnd lo, struct opnd hi)
{
	gen(g, OP_PACK, T_B64, d, lo, hi);
}

void gen_unpack(struct ngen *g, struct opnd lo, struct opnd hi, struct opnd d)
{
	gen_emit(g, (struct inst){.op = OP_UNPACK, .type = T_B64, .nd = 2}, GEN_LIST(lo, hi, d));
}

void gen_setp(struct ngen *g, unsigned cmp, unsigned type, struct opnd d, struct opnd a,
	      struct opnd b)
{
	gen_setp_with(g, &(struct compare){.cmp = cmp, .type = type, .a = a, .b = b}, d);
}

/* Emits a comparison with o[0 .. nd-1] as destinations; the operands follow them in o. */
static void emit_comparison(struct ngen *g, struct inst in, const struct compare *c, struct opnd *o)
{
	in.stype = (uint8_t)c->type;
	in.cmp = (uint8_t)c->cmp;
	in.bop = (uint8_t)c->bop;
	in.mods = c->mods;
	o[in.nd] = c->a;
	o[in.nd + 1] = c->b;
	o[in.nd + 2] = c->p;
	gen_emit(g, in, o, in.nd + (c->bop ? 3u : 2u));
}

void gen_setp_with(struct ngen *g, const struct compare *c, struct opnd d)
{
	struct opnd o[4] = {d};
	emit_comparison(g, (struct inst){.op = OP_SETP, .nd = 1}, c, o);
}

void gen_setp_both(struct ngen *g, const struct compare *c, struct opnd d, struct opnd e)
{
	struct opnd o[5] = {d, e};
	emit_comparison(g, (struct inst){.op = OP_SETP, .nd = 2}, c, o);
}

void gen_set_with(struct ngen *g, const struct compare *c, unsigned dt, struct opnd d)
{
	struct opnd o[4] = {d};
	emit_comparison(g, (struct inst){.op = OP_SET, .type = (uint8_t)dt, .nd = 1}, c, o);
}

void gen_load(struct ngen *g, struct access a, unsigned space, unsigned mods, const struct opnd *r,
	      struct opnd mem)
{
	struct opnd o[5];
	memcpy(o, r, a.vec * sizeof *o);
	o[a.vec] = mem;
	gen_emit(g,
		 (struct inst){.op = OP_LD,
			       .type = a.type,
			       .vec = a.vec,
			       .space = (uint8_t)space,
			       .mods = mods,
			       .cop = a.cop,
			       .nd = a.vec},
		 o, a.vec + 1u);
}

void gen_store(struct ngen *g, struct access a, unsigned space, unsigned mods, struct opnd mem,
	       const struct opnd *r)
{
	struct opnd o[5] = {mem};
	memcpy(o + 1, r, a.vec * sizeof *o);
	gen_emit(g,
		 (struct inst){.op = OP_ST,
			       .type = a.type,
			       .vec = a.vec,
			       .space = (uint8_t)space,
			       .mods = mods,
			       .cop = a.cop},
		 o, a.vec + 1u);
}

/* ---- control ---- */

static struct inst make_control(enum native_ctl kind, uint32_t target, int64_t offset)
{
	return (struct inst){.op = OP_NATIVE,
			     .type = T_U32,
			     .mode = (uint8_t)kind,
			     .target = target,
			     .imm = (uint64_t)offset};
}

void gen_ctl(struct ngen *g, enum native_ctl kind, uint32_t target, int64_t offset)
{
	gen_emit(g, make_control(kind, target, offset), NULL, 0);
}

void gen_ctl_reg(struct ngen *g, enum native_ctl kind, struct opnd reg, int64_t offset)
{
	reg = gen_reg32(g, reg);
	gen_emit(g, make_control(kind, 0, offset), &reg, 1);
}

void gen_ctl_lock(struct ngen *g, struct opnd obtained, struct opnd at)
{
	struct inst in = make_control(NCTL_LOCK, 0, at.imm);
	struct opnd base = {.kind = OPND_REG, .type = at.type, .reg = at.reg};
	in.nd = 1;
	base = at.reg == NO_REG ? gen_reg32(g, imm(0)) : base;
	gen_emit(g, in, GEN_LIST(obtained, base));
}

void gen_ctl_b2r(struct ngen *g, struct opnd d, unsigned barrier)
{
	struct inst in = make_control(NCTL_B2R, 0, barrier);
	in.nd = 1;
	gen_emit(g, in, &d, 1);
}

struct guard gen_guard(struct ngen *g, struct guard now)
{
	struct guard was = g->guard;
	g->guard = now;
	return was;
}

/* ---- a kernel ---- */

void gen_begin_code(struct ngen *g, struct func *f)
{
	g->f = f;
	for (unsigned c = 0; c < RC_COUNT; c++)
		g->number[c].n = 0;
	g->guard = (struct guard){0};
	g->nt = g->nd = g->nq = 0;
	for (unsigned c = RC_PT; c <= RC_PG; c++)
		number_of(g, c << 16);
	gen_begin_inst(g, NULL, 0);
}

void gen_begin_inst(struct ngen *g, const struct ninst *in, uint32_t pc)
{
	char text[256];
	g->in = in;
	g->nt = g->nd = g->nq = 0;
	g->guard = (struct guard){0};
	g->first = g->f->code.n;
	g->native = "";
	g->native_pc = pc;
	g->mnemonic = 0;
	if (!in)
		return;
	native_print(in, NSTYLE_FULL, text, sizeof text);
	g->native = arena_strdup(&g->out->arena, text);
	g->mnemonic = (uint16_t)native_mnemonic(in);
}

void gen_end_inst(struct ngen *g)
{
	gen_tidy(g);
	if (g->f->code.n > g->first)
		g->f->code.v[g->f->code.n - 1].micro = 0;
}
