#include "front/lift/gen_tesla.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- text ---- */

void gen_append(struct ngen *g, const char *s, size_t n)
{
	if (g->n + n + 1 > g->cap) {
		g->cap = (g->n + n + 1) * 2;
		g->text = xrealloc(g->text, g->cap);
	}
	memcpy(g->text + g->n, s, n);
	g->n += n;
	g->text[g->n] = 0;
}

__attribute__((format(printf, 3, 4))) static void line(struct ngen *g, uint32_t inst,
						       const char *fmt, ...)
{
	char buf[1024];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	gen_append(g, buf, (size_t)n);
	gen_append(g, "\n", 1);
	vec_push(&g->line, (struct nline){inst, g->kernel});
}

void gen_line(struct ngen *g, const char *fmt, ...)
{
	char buf[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	line(g, NLINE_NONE, "%s", buf);
}

void gen(struct ngen *g, const char *fmt, ...)
{
	char buf[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	line(g, g->inst, "%s%s;", g->guard, buf);
}

void gen_ctl(struct ngen *g, unsigned kind, uint32_t target, int64_t offset)
{
	gen(g, "nanosleep.u32 0");
	vec_push(&g->ctl, (struct nctl){(uint8_t)kind, target, offset, 7});
}

void gen_ctl_reg(struct ngen *g, unsigned kind, const char *reg, int64_t offset, unsigned pred)
{
	if (reg[0] != '%') {
		const char *t = gen_t(g);
		gen(g, "mov.u32 %s, %s", t, reg);
		reg = t;
	}
	gen(g, "nanosleep.u32 %s", reg);
	vec_push(&g->ctl, (struct nctl){(uint8_t)kind, 0, offset, (uint8_t)pred});
}

void gen_refuse(struct ngen *g, const char *why)
{
	char text[256];
	native_print(g->in, NSTYLE_FULL, text, sizeof text);
	diag_error(g->d, "%s: %s at 0x%x: %s is not supported%s%s", g->file, g->code->name,
		   g->in->pc, text, *why ? ": " : "", why);
	g->bad = true;
}

const char *gen_text(struct ngen *g, const char *fmt, ...)
{
	char buf[256];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(buf, sizeof buf, fmt, ap);
	va_end(ap);
	return arena_strdup(&g->arena, buf);
}

/* ---- registers ---- */

static const char *scratch(struct ngen *g, const char *name, unsigned *used, unsigned *max)
{
	unsigned i = (*used)++;
	if (*used > *max)
		*max = *used;
	return gen_text(g, "%%%s%u", name, i);
}
const char *gen_t(struct ngen *g) { return scratch(g, "t", &g->nt, &g->max_t); }
const char *gen_d(struct ngen *g) { return scratch(g, "d", &g->nd, &g->max_d); }
const char *gen_q(struct ngen *g) { return scratch(g, "q", &g->nq, &g->max_q); }

bool gen_is_zero(const struct ngen *g, unsigned r)
{
	return g->m->isa == NATIVE_FERMI ? r == 63 : r >= 124;
}

const char *gen_reg(struct ngen *g, unsigned r)
{
	return gen_is_zero(g, r) ? "0" : gen_text(g, "%%r%u", r);
}

const char *gen_dst(struct ngen *g, unsigned i)
{
	unsigned r = g->in->o[i].reg;
	return gen_is_zero(g, r) ? gen_t(g) : gen_text(g, "%%r%u", r);
}

/* ---- constants ---- */

enum { TESLA_SHARED = 16384, LISTING_STACK = 1024 };

/* Local memory a thread. A listing does not say: enough for what compilers spill, if it is used at all. */
static uint32_t stack_of(const struct ngen *g)
{
	uint32_t n = g->k->local + g->k->stack;
	const struct nkernel *f;
	for (size_t i = 1; (f = native_part(g->m, g->k, i)); i++)
		n += f->local + f->stack +
		     (i == 1 ? LISTING_STACK : 0); /* they may call each other */
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

/* One word of c[bank][off]; bank 0 is the launch's environment and the parameters. */
static const char *const_word(struct ngen *g, unsigned bank, uint32_t off)
{
	static const char *const env[] = {"%ntid.x",   "%ntid.y",   "%ntid.z",
					  "%nctaid.x", "%nctaid.y", "%nctaid.z"};
	const char *t = gen_t(g);
	uint32_t base = gen_param_base(g);
	if (bank == 0 && off >= 8 && off < 0x20) {
		gen(g, "mov.u32 %s, %s", t, env[(off - 8) / 4]);
	} else if (bank == 0 && off >= base) {
		if (off + 4 - base > g->env_used)
			g->env_used = off + 4 - base;
		gen(g, "ld.param.b32 %s, [nparams+%u]", t, off - base);
	} else if (bank == 1 && off == 0x100) {
		gen(g, "mov.u32 %s, %u", t, stack_of(g)); /* the stack grows down from here */
	} else if (bank == 0) {
		gen(g, "mov.u32 %s, %u", t,
		    off == 0 ? 0x01000000u : 0x02000000u); /* generic windows */
	} else if (gen_has_bank(g, bank)) {
		gen(g, "ld.const.b32 %s, [%s+%u]", t, gen_bank_name(g, bank), off);
	} else {
		gen_no_bank(g);
	}
	return t;
}

void gen_const_load(struct ngen *g, const struct nop *o, const char *type, const char *dst)
{
	uint32_t base = gen_param_base(g);
	if (o->index == NREG_NONE) {
		if (g->m->isa == NATIVE_FERMI && o->bank == 0 && (uint32_t)o->off >= base) {
			uint32_t end = (uint32_t)o->off + 16 - base;
			g->env_used = end > g->env_used ? end : g->env_used;
			gen(g, "ld.param.%s %s, [nparams+%u]", type, dst, (uint32_t)o->off - base);
		} else if (gen_has_bank(g, o->bank)) {
			gen(g, "ld.const.%s %s, [%s+%u]", type, dst, gen_bank_name(g, o->bank),
			    (unsigned)o->off);
		} else {
			gen_no_bank(g);
		}
		return;
	}
	const char *a = gen_t(g);
	if (o->bank == 0) {
		gen(g, "add.u32 %s, %s, %d", a, gen_reg(g, o->index), o->off - (int32_t)base);
		gen(g, "ld.param.%s %s, [%s]", type, dst, a);
	} else if (gen_has_bank(g, o->bank)) {
		gen(g, "mov.u32 %s, %s", a, gen_bank_name(g, o->bank));
		gen(g, "add.u32 %s, %s, %s", a, a, gen_reg(g, o->index));
		gen(g, "ld.const.%s %s, [%s+%d]", type, dst, a, o->off);
	} else {
		gen_no_bank(g);
	}
}

/* A word of c[bank][reg + off]. */
static const char *const_indexed(struct ngen *g, const struct nop *o)
{
	const char *t = gen_t(g);
	gen_const_load(g, o, "b32", t);
	return t;
}

/* ---- sources ---- */

static const char *word_of(struct ngen *g, const struct nop *o, unsigned w)
{
	switch (o->kind) {
	case NO_GPR: return gen_is_zero(g, o->reg) ? "0" : gen_text(g, "%%r%u", o->reg + w);
	case NO_IMM:
		if (g->reloc && o->imm_type != IMM_DEC)
			return gen_reloc_word(g);
		return gen_text(g, "0x%x", (uint32_t)(o->imm >> 32 * w));
	case NO_CONST: {
		struct nop at = *o;
		at.off += (int32_t)w * 4;
		return o->index == NREG_NONE ? const_word(g, o->bank, (uint32_t)at.off)
					     : const_indexed(g, &at);
	}
	default: gen_refuse(g, "operand"); return "0";
	}
}

const char *gen_raw(struct ngen *g, unsigned i) { return word_of(g, &g->in->o[i], 0); }

/* abs then neg, or inversion; on floats by the sign bit alone. */
static const char *modified(struct ngen *g, const struct nop *o, const char *s, enum nsrc kind)
{
	if (o->abs) {
		const char *t = gen_t(g);
		if (kind == NSRC_FLOAT)
			gen(g, "and.b32 %s, %s, 0x7fffffff", t, s);
		else
			gen(g, "abs.s32 %s, %s", t, s);
		s = t;
	}
	if (o->neg) {
		const char *t = gen_t(g);
		if (kind == NSRC_FLOAT)
			gen(g, "xor.b32 %s, %s, 0x80000000", t, s);
		else
			gen(g, "neg.s32 %s, %s", t, s);
		s = t;
	}
	if (o->inv) {
		const char *t = gen_t(g);
		gen(g, "not.b32 %s, %s", t, s);
		s = t;
	}
	return s;
}

const char *gen_src(struct ngen *g, unsigned i, enum nsrc kind)
{
	const struct nop *o = &g->in->o[i];
	const char *s = modified(g, o, word_of(g, o, 0), kind);
	if (kind == NSRC_FLOAT &&
	    s[0] == '0') { /* a literal: float operands want a register or 0f */
		unsigned long v = strtoul(s, NULL, 0);
		return gen_text(g, "0f%08lx", v);
	}
	return s;
}

const char *gen_src64(struct ngen *g, unsigned i, bool is_float)
{
	const struct nop *o = &g->in->o[i];
	const char *d = gen_d(g);
	const char *lo = word_of(g, o, 0), *hi = word_of(g, o, 1);
	if (lo[0] == '0' || hi[0] == '0') { /* literals go through registers */
		const char *a = gen_t(g), *b = gen_t(g);
		gen(g, "mov.u32 %s, %s", a, lo);
		gen(g, "mov.u32 %s, %s", b, hi);
		lo = a, hi = b;
	}
	gen(g, "mov.b64 %s, {%s, %s}", d, lo, hi);
	if (o->abs && is_float)
		gen(g, "and.b64 %s, %s, 0x7fffffffffffffff", d, d);
	if (o->neg && is_float)
		gen(g, "xor.b64 %s, %s, 0x8000000000000000", d, d);
	else if (o->neg)
		gen(g, "neg.s64 %s, %s", d, d);
	return d;
}

void gen_put64(struct ngen *g, unsigned i, const char *d)
{
	unsigned r = g->in->o[i].reg;
	if (!gen_is_zero(g, r))
		gen(g, "mov.b64 {%%r%u, %%r%u}, %s", r, r + 1, d);
}

const char *gen_pred(struct ngen *g, unsigned i)
{
	const struct nop *o = &g->in->o[i];
	if (o->reg == 7)
		return o->neg ? "%pf" : "%pt";
	return gen_text(g, "%s%%p%u", o->neg ? "!" : "", o->reg);
}

const char *gen_pred_dst(struct ngen *g, unsigned i)
{
	return g->in->o[i].reg == 7 ? gen_q(g) : gen_text(g, "%%p%u", g->in->o[i].reg);
}

/* ---- control ---- */

/* The number of the instruction at an address of the kernel's program, one past its own code included. */
static bool target_of(struct ngen *g, uint32_t addr, uint32_t *inst)
{
	const struct nkernel *p;
	uint32_t first = 0;
	for (size_t i = 0; (p = native_part(g->m, g->k, i)); first += (uint32_t)p->ninst, i++) {
		if (addr < p->base || addr - p->base > p->size)
			continue;
		size_t lo = 0, hi = p->ninst;
		while (lo < hi) {
			size_t mid = (lo + hi) / 2;
			if (p->inst[mid].pc < addr - p->base)
				lo = mid + 1;
			else
				hi = mid;
		}
		bool end = lo == p->ninst && !i;
		if (!end && (lo == p->ninst || p->inst[lo].pc != addr - p->base))
			continue;
		*inst = end ? GEN_END : first + (uint32_t)lo;
		return true;
	}
	gen_refuse(g, "its target is not an instruction");
	return false;
}

static const struct nop *target_opnd(const struct ninst *in)
{
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].kind == NO_TARGET)
			return &in->o[i];
	return NULL;
}

/* ---- condition codes ---- */

/* Flags Z S C O are bits 0 to 3 of a value; a test is the set of values for which it holds. */
static bool cc_holds(unsigned isa, unsigned test, unsigned v)
{
	bool z = v & 1, s = v & 2, c = v & 4, o = v & 8;
	switch (test) {
	case 0: return false;
	case 1: return (s && !z) != o;
	case 2: return z && !s;
	case 3: return s != (z || o);
	case 4: return !z && s == o;
	case 5: return !z;
	case 6: return s == o;
	case 7: return !z || !s;
	case 8: return z && s;
	case 9: return s != o;
	case 10: return z;
	case 11: return z || s != o;
	case 12: return !s != (z || o);
	case 13: return !z || s;
	case 14: return (!s || z) != o;
	case 15: return true;
	}
	if (isa == NATIVE_FERMI)
		switch (test) {
		case 16: return !o;
		case 17: return !c;
		case 18: return !s;
		case 19: return z || !c;
		case 20: return !z && c;
		case 21: return s;
		case 22: return c;
		default: return o;
		}
	switch (test) {
	case 0x10: return o;
	case 0x11: return c;
	case 0x12: return !z && c;
	case 0x13: return s;
	case 0x1c: return !s;
	case 0x1d: return z || !c;
	case 0x1e: return !c;
	default: return !o;
	}
}

const char *gen_cc_bit(struct ngen *g, const char *flags, unsigned test)
{
	unsigned table = 0;
	const char *t = gen_t(g);
	for (unsigned v = 0; v < 16; v++)
		table |= (unsigned)cc_holds(g->m->isa, test, v) << v;
	if (g->m->isa == NATIVE_FERMI && test > 23)
		gen_refuse(g, "a clip-state test");
	gen(g, "shr.u32 %s, 0x%x, %s", t, table, flags);
	gen(g, "and.b32 %s, %s, 1", t, t);
	return t;
}

const char *gen_cc(struct ngen *g)
{
	const char *t = gen_t(g);
	gen(g, "mov.u32 %s, %%native_cc", t);
	return t;
}

/* ---- control ---- */

/* The CC test of a control instruction joins its guard. */
static void control_test(struct ngen *g)
{
	const struct ninst *in = g->in;
	for (unsigned i = 0; i < in->nop; i++) {
		if (in->o[i].kind != NO_CC || !in->o[i].sel || in->o[i].reg == 15)
			continue;
		char guard[sizeof g->guard];
		memcpy(guard, g->guard, sizeof guard);
		g->guard[0] = 0;
		gen(g, "setp.ne.u32 %%pg, %s, 0", gen_cc_bit(g, gen_cc(g), in->o[i].reg));
		if (in->guard != 7 && in->guard_neg) {
			const char *q = gen_q(g);
			gen(g, "not.pred %s, %%p%u", q, in->guard);
			gen(g, "and.pred %%pg, %%pg, %s", q);
		} else if (in->guard != 7) {
			gen(g, "and.pred %%pg, %%pg, %%p%u", in->guard);
		}
		snprintf(g->guard, sizeof g->guard, "@%%pg ");
	}
}

static void gen_indirect(struct ngen *g)
{
	const struct ninst *in = g->in;
	int64_t base = in->op == NI_BRX ? (int64_t)in->pc + in->size + g->code->base : 0;
	for (unsigned i = 0; i < in->nop; i++) {
		const struct nop *o = &in->o[i];
		if (o->kind == NO_GPR) {
			int64_t off = i + 1u < in->nop && in->o[i + 1].kind == NO_IMM
					      ? (int64_t)in->o[i + 1].imm
					      : 0;
			gen_ctl_reg(g, NCTL_BRX, gen_reg(g, o->reg), base + off, 7);
			return;
		}
		if (o->kind == NO_CONST) { /* a table of addresses */
			gen_ctl_reg(g, NCTL_BRX,
				    in->isa == NATIVE_TESLA ? tesla_raw(g, i, false)
							    : gen_raw(g, i),
				    in->isa == NATIVE_TESLA ? 0 : base, 7);
			return;
		}
	}
	gen_refuse(g, "no target");
}

/* A target in constant memory: the file's word, which no program writes. Tables of targets are BRX's. */
static bool constant_word(struct ngen *g, const struct nop *o, uint32_t *v)
{
	const uint8_t *p = o->bank ? gen_bank_bytes(g, o->bank, (uint32_t)o->off, 4)
				   : NULL; /* 0: the launch's */
	if (!p)
		gen_refuse(g, "its target is not in the file");
	else
		*v = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	return p != NULL;
}

static bool gen_control(struct ngen *g)
{
	const struct ninst *in = g->in;
	const struct nop *t = target_opnd(in);
	bool tesla = in->isa == NATIVE_TESLA;
	uint32_t to = 0;
	static const struct {
		uint16_t op;
		uint8_t kind;
		bool target, unguarded;
	} rows[] = {
		{NI_SSY, NCTL_SSY, true, true},           {NI_PBK, NCTL_PBK, true, true},
		{NI_PCNT, NCTL_PCNT, true, true},         {NI_PRET, NCTL_PRET, true, true},
		{NI_PLONGJMP, NCTL_PLONGJMP, true, true}, {NI_CAL, NCTL_CAL, true, true},
		{NI_JCAL, NCTL_CAL, true, true},          {NI_BRA, NCTL_BRA, true, false},
		{NI_JMP, NCTL_BRA, true, false},          {NI_BRK, NCTL_BRK, false, false},
		{NI_CONT, NCTL_CONT, false, false},       {NI_LONGJMP, NCTL_LONGJMP, false, false},
		{NI_RET, NCTL_RET, false, false},         {NI_EXIT, NCTL_EXIT, false, false},
		{NI_KIL, NCTL_EXIT, false, false}, /* a killed fragment is a thread that ends */
	};
	if (in->op == NI_BRX || in->op == NI_JMX) {
		control_test(g);
		gen_indirect(g);
		return true;
	}
	if (in->op == NI_SAM || in->op == NI_RAM) { /* helper threads of quads: none in compute */
		g->guard[0] = 0;
		gen(g, "pmevent 0");
		return true;
	}
	if (in->op == NI_BPT || in->op == NI_RTT) { /* there is no trap handler to return from */
		bool trap = tesla || in->op == NI_RTT || in->mod[NM_MODE] == 3;
		g->guard[0] = 0;
		gen(g, trap ? "trap" : "pmevent 0");
		return true;
	}
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		if (rows[i].op != in->op)
			continue;
		bool absolute = in->op == NI_JMP || in->op == NI_JCAL;
		if (rows[i].unguarded)
			g->guard[0] = 0;
		if (g->reloc && in->op == NI_JCAL) {
			if (!gen_builtin(g, g->reloc->symbol))
				gen_refuse(g, gen_text(g, "there is no function %s",
						       g->reloc->symbol));
			return true;
		}
		uint32_t base = absolute ? 0 : g->code->base, at = t ? (uint32_t)t->imm : 0;
		if (rows[i].target && !t) {
			base += absolute ? 0 : in->pc + in->size;
			if (!constant_word(g, &in->o[in->nop - 1], &at))
				return true;
		}
		if (rows[i].target && !target_of(g, at + base, &to))
			return true;
		if (!rows[i].unguarded && !tesla)
			control_test(g);
		unsigned kind =
			rows[i].kind == NCTL_BRA && in->mod[NM_U] ? NCTL_BRA_U : rows[i].kind;
		gen_ctl(g, kind == NCTL_RET && tesla ? NCTL_TRET : kind, to, 0);
		return true;
	}
	return false;
}

/* Does the instruction change its own guard? Then the value from before decides all of it. */
static bool writes_guard(const struct ninst *in)
{
	if (in->op == NI_R2P)
		return true;
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].kind == NO_PRED && in->o[i].reg == in->guard)
			return true;
	return in->pop;
}

static void fermi_guard(struct ngen *g)
{
	const struct ninst *in = g->in;
	if (in->guard == 7)
		return;
	snprintf(g->guard, sizeof g->guard, "@%s%%p%u ", in->guard_neg ? "!" : "", in->guard);
	if (!writes_guard(in))
		return;
	char guard[sizeof g->guard];
	memcpy(guard, g->guard, sizeof guard);
	g->guard[0] = 0;
	gen(g, "mov.pred %%pg, %%p%u", in->guard);
	snprintf(g->guard, sizeof g->guard, "@%s%%pg ", in->guard_neg ? "!" : "");
}

static bool control_op(const struct ninst *in)
{
	return in->op == NI_SSY || in->op == NI_PBK || in->op == NI_PCNT || in->op == NI_PRET ||
	       in->op == NI_PLONGJMP || in->op == NI_CAL || in->op == NI_JCAL || in->op == NI_SAM ||
	       in->op == NI_RAM || in->op == NI_BPT || in->op == NI_RTT;
}

/* The relocation of the instruction at hand; one that its 32-bit immediate cannot hold is refused. */
static const struct nreloc *find_reloc(struct ngen *g)
{
	for (size_t i = 0; i < g->code->reloc.n; i++) {
		const struct nreloc *r = &g->code->reloc.v[i];
		if (r->offset < g->in->pc || r->offset >= g->in->pc + g->in->size)
			continue;
		bool word = r->type == NREL_ABS32_26 || r->type == NREL_ABS32_LO_26 ||
			    r->type == NREL_ABS32_HI_26;
		if (word && (gen_symbol(g, r->symbol) || g->in->op == NI_JCAL))
			return r;
		gen_refuse(g, gen_text(g, "it wants the address of %s (relocation type %u)",
				       r->symbol ? r->symbol : "a symbol", r->type));
	}
	return NULL;
}

static void gen_inst(struct ngen *g)
{
	const struct ninst *in = g->in;
	g->reloc = g->code->reloc.n ? find_reloc(g) : NULL;
	size_t before = g->line.n;
	g->nt = g->nd = g->nq = 0;
	g->guard[0] = 0;
	if (in->isa == NATIVE_TESLA) {
		tesla_guard(g);
		if (!gen_control(g) && !gen_tex(g) && !gen_tesla(g))
			gen_refuse(g, "");
		tesla_tail(g);
	} else if (in->guard == 7 && in->guard_neg && !control_op(in)) {
		; /* never executed */
	} else {
		fermi_guard(g);
		if (gen_control(g))
			return;
		if (!gen_fermi(g) && !gen_memory(g) && !gen_tex(g))
			gen_refuse(g, "");
		if (in->pop)
			gen_ctl(g, NCTL_POP, 0, 0);
	}
	if (g->line.n == before) { /* it is issued all the same */
		g->guard[0] = 0;
		gen(g, "pmevent 0");
	}
}

/* ---- kernels ---- */

/* The declarations are known when the body is: it is made first and put behind them. */
static void gen_kernel(struct ngen *g)
{
	const struct nkernel *k = g->k;
	gen_banks(g, k->bank.v, k->bank.n, gen_text(g, "_%u", g->kernel));
	size_t at = g->n, line_at = g->line.n;
	g->max_t = g->max_d = g->max_q = 0;
	bool tesla = g->m->isa == NATIVE_TESLA;
	bool unsized = g->m->from_text; /* a listing says nothing about memory */
	g->env_used = k->param_size ? k->param_size : tesla ? TESLA_PARAMS : 0;
	g->inst = 0;
	for (size_t i = 0; (g->code = native_part(g->m, k, i)); i++) {
		if (i) /* nothing runs over into a function */
			line(g, NLINE_NONE, "exit;");
		for (size_t j = 0; j < g->code->ninst && !g->bad; j++, g->inst++) {
			g->in = &g->code->inst[j];
			gen_inst(g);
		}
	}
	g->code = k;
	char *body = xmalloc(g->n - at + 1);
	size_t body_n = g->n - at, body_lines = g->line.n - line_at;
	struct nline *lines = xmalloc((body_lines + 1) * sizeof *lines);
	memcpy(body, g->text + at, body_n);
	memcpy(lines, g->line.v + line_at, body_lines * sizeof *lines);
	g->n = at;
	g->line.n = line_at;
	line(g, NLINE_NONE, ".visible .entry nkernel%u(.param .align 8 .b8 nparams[%u])", g->kernel,
	     g->env_used ? (g->env_used + 3) & ~3u : 4);
	line(g, NLINE_NONE, "{");
	line(g, NLINE_NONE, ".reg .b32 %%r<132>, %%t<%u>, %%a<8>, %%c<4>;", g->max_t + 1);
	line(g, NLINE_NONE, ".reg .b64 %%d<%u>;", g->max_d + 1);
	line(g, NLINE_NONE, ".reg .pred %%p<7>, %%q<%u>, %%pt, %%pf, %%pg;", g->max_q + 1);
	uint32_t shared = k->shared ? k->shared : unsized && tesla ? TESLA_SHARED : 0;
	uint32_t least = tesla ? TESLA_PARAM_BASE + (k->param_size ? k->param_size : TESLA_PARAMS)
			       : 0; /* header and parameters */
	shared = shared > least ? shared : least;
	if (shared)
		line(g, NLINE_NONE, ".shared .align 16 .b8 nshared%u[%u];", g->kernel, shared);
	else
		line(g, NLINE_NONE, ".extern .shared .align 16 .b8 nshared%u[];", g->kernel);
	if (stack_of(g))
		line(g, NLINE_NONE, ".local .align 16 .b8 nlocal[%u];", (stack_of(g) + 15) & ~15u);
	line(g, NLINE_NONE, "setp.eq.u32 %%pt, 0, 0;");
	line(g, NLINE_NONE, "setp.ne.u32 %%pf, 0, 0;");
	line(g, NLINE_NONE, "mov.u32 %%t%u, nshared%u;", g->max_t,
	     g->kernel); /* so that it is laid out */
	if (tesla) {     /* the thread's indices, packed */
		line(g, NLINE_NONE, "mov.u32 %%r0, %%tid.x;");
		line(g, NLINE_NONE, "mov.u32 %%r1, %%tid.y;");
		line(g, NLINE_NONE, "bfi.b32 %%r0, %%r1, %%r0, 16, 10;");
		line(g, NLINE_NONE, "mov.u32 %%r1, %%tid.z;");
		line(g, NLINE_NONE, "bfi.b32 %%r0, %%r1, %%r0, 26, 6;");
		line(g, NLINE_NONE, "mov.u32 %%r1, 0;");
	}
	gen_append(g, body, body_n);
	for (size_t i = 0; i < body_lines; i++)
		vec_push(&g->line, lines[i]);
	line(g, NLINE_NONE, "exit;");
	line(g, NLINE_NONE, "}");
	free(body);
	free(lines);
}

bool gen_module(struct ngen *g)
{
	line(g, NLINE_NONE, ".version 7.0");
	line(g, NLINE_NONE, ".target sm_60");
	line(g, NLINE_NONE, ".address_size 64");
	gen_module_data(g);
	for (size_t i = 0; i < g->m->kernel.n && !g->bad; i++) {
		g->k = &g->m->kernel.v[i];
		g->kernel = (uint32_t)i;
		gen_kernel(g);
	}
	return !g->bad;
}

void gen_free(struct ngen *g)
{
	free(g->text);
	vec_free(&g->line);
	vec_free(&g->ctl);
	vec_free(&g->external);
	arena_free(&g->arena);
}
