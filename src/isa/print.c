/* A decoded instruction as text, in the styles of cuobjdump. */
#include <math.h>
#include <string.h>
#include "base/text.h"
#include "isa/table.h"

struct out {
	struct text t;
	enum native_style st;
	enum native_isa isa;
	bool zero;     /* true: offsets of 0 are printed */
	bool signed32; /* true: all 32-bit integers are signed */
};

#define put(o, ...) text_put(&(o)->t, __VA_ARGS__)

/* True if the style has a blank before a bracket. */
static bool is_old_style(const struct out *o)
{
	return o->st != NSTYLE_CUDA5 && (o->st != NSTYLE_FULL || o->isa == NATIVE_FERMI);
}

static void put_signed(struct out *o, int64_t v)
{
	put(o, v < 0 ? "-0x%llx" : "0x%llx",
	    (unsigned long long)(v < 0 ? -(uint64_t)v : (uint64_t)v));
}

static void put_decimal(struct out *o, double d)
{
	if (isinf(d))
		put(o, d < 0 ? "-INF " : "+INF ");
	else if (isnan(d))
		put(o, signbit(d) ? "-QNAN " : "+QNAN ");
	else
		put(o, "%.20g", d);
}

static double imm_double(const struct nop *a)
{
	double d;
	float f;
	uint32_t u = (uint32_t)a->imm;
	memcpy(&d, &a->imm, 8);
	memcpy(&f, &u, 4);
	return a->imm_type == IMM_F64_20 ? d : (double)f;
}

/* True if a decimal number can express all bits of the float. A decimal can name one NaN of each
 * sign. */
static bool has_decimal(const struct nop *a)
{
	uint64_t quiet = a->imm_type == IMM_F64_20 ? 0x7ff8ull << 48 : 0x7fc00000u;
	uint64_t sign = a->imm_type == IMM_F64_20 ? 1ull << 63 : 1ull << 31;
	return !isnan(imm_double(a)) || (a->imm & ~sign) == quiet;
}

static void put_imm(struct out *o, const struct nop *a)
{
	bool flt = a->imm_type == IMM_F32_20 || a->imm_type == IMM_F64_20 || a->imm_type == IMM_F32;
	if (o->isa == NATIVE_TESLA && a->imm_type == IMM_F32) {
		/* The bits of a float as a signed number: -1 is -0x40800000. */
		put_signed(o, (int32_t)a->imm);
		put(o, "%s", a->neg ? ".NEG" : "");
		return;
	}
	if (o->isa == NATIVE_TESLA) {
		put(o, "%s0x%llx", a->neg ? "-" : "", (unsigned long long)a->imm);
		return;
	}
	const struct native_dialect *d = native_dialect(o->st);
	bool minus = d->unsigned20 && a->imm20 && a->neg;
	put(o, minus ? "-" : "");
	if (flt && d->decimal && has_decimal(a))
		put_decimal(o, imm_double(a));
	else if (a->imm_type == IMM_F32_20)
		put(o, "0x%llx", (unsigned long long)(a->imm >> 12));
	else if (a->imm_type == IMM_F64_20)
		put(o, "0x%llx", (unsigned long long)(a->imm >> 44));
	else if (a->imm20 && d->unsigned20)
		put(o, "0x%llx", (unsigned long long)(a->imm & 0xfffff));
	else if (a->imm_type == IMM_S)
		put_signed(o, (int64_t)a->imm);
	else if (o->signed32 && a->imm_type == IMM_U && a->imm >> 31 == 1)
		put_signed(o, (int32_t)a->imm);
	else
		put(o, "0x%llx", (unsigned long long)a->imm);
	put(o, "%s%s%s", a->abs ? ".ABS" : "", a->neg && !minus ? ".NEG" : "",
	    a->inv ? ".INV" : "");
}

static void put_reg(struct out *o, unsigned r)
{
	if (o->isa == NATIVE_FERMI && r == 63)
		put(o, "RZ");
	else
		put(o, "R%u", r);
}

/* Address register and offset inside brackets, Tesla. */
static void put_indexed(struct out *o, const struct nop *a)
{
	if (a->index != NREG_NONE)
		put(o, a->postinc ? "A%u+++" : "A%u+", a->index);
	put(o, "0x%x]", (unsigned)a->off);
}

static void put_access(struct out *o, unsigned sel)
{
	static const char *const t[] = {"", ".U8", ".U16", ".S16", ".U32", ".S8"};
	put(o, "%s", t[sel < 6 ? sel : 0]);
}

static void put_mem(struct out *o, const struct nop *a)
{
	if (o->isa == NATIVE_TESLA) {
		if (a->space == NS_GLOBAL) {
			put(o, is_old_style(o) ? "global%u [R%u]" : "global%u[R%u]", a->bank,
			    a->reg);
			return;
		}
		if (a->space == NS_SHARED)
			put(o, a->bank && !is_old_style(o) ? "g[" : a->abs ? "|g| [" : "g [");
		else
			put(o, "local [");
		put_indexed(o, a);
		put_access(o, a->sel);
		return;
	}
	if (a->reg == 63) {
		put(o, "[0x%x]",
		    (unsigned)bits((uint64_t)(int64_t)a->off, 0, a->width ? a->width : 32));
		return;
	}
	put(o, "[R%u", a->reg);
	if (a->off) {
		put(o, "+");
		put_signed(o, a->off);
	}
	put(o, "]");
}

static void put_const(struct out *o, const struct nop *a)
{
	put(o,
	    is_old_style(o)        ? "c [0x%x] ["
	    : a->space == NS_CONST ? "c[0x%x] ["
				   : "c[0x%x][",
	    a->bank);
	if (o->isa == NATIVE_TESLA) {
		put_indexed(o, a);
		put_access(o, a->sel);
		return;
	}
	if (a->index != NREG_NONE)
		put(o, "R%u", a->index);
	bool off = a->off || o->zero;
	if (a->index != NREG_NONE && off)
		put(o, "+");
	if (a->index == NREG_NONE || off)
		put_signed(o, a->off);
	put(o, "]");
}

static void put_cc(struct out *o, const struct nop *a)
{
	put(o, "CC");
	if (a->sel)
		put(o, ".%s", native_cc_name(NATIVE_FERMI, a->reg));
}

static void put_sreg(struct out *o, unsigned n)
{
	const char *s = native_tab(o->isa)->sreg(n, o->st);
	if (s)
		put(o, "%s", s);
	else
		put(o, "SR%u", n);
}

static void put_body(struct out *o, const struct nop *a)
{
	static const char *const part[] = {"", ".B0", ".B1", ".B2", ".B3", ".H0", ".H1"};
	switch (a->kind) {
	case NO_GPR: put_reg(o, a->reg); break;
	case NO_HALF: put(o, "R%u%c", a->reg >> 1, a->reg & 1 ? 'H' : 'L'); break;
	case NO_PRED:
		if (a->reg == 7)
			put(o, o->st == NSTYLE_CUDA5 ? "PT" : "pt");
		else
			put(o, "P%u", a->reg);
		break;
	case NO_PR: put(o, "PR"); break;
	case NO_CC: put_cc(o, a); break;
	case NO_CCREG:
		put(o, "C%u", a->reg);
		if (a->sel)
			put(o, ".%s", native_cc_name(NATIVE_TESLA, (unsigned)a->off));
		break;
	case NO_CONST: put_const(o, a); break;
	case NO_MEM: put_mem(o, a); break;
	case NO_ADDR: put(o, "A%u", a->reg); break;
	case NO_SREG: put_sreg(o, a->reg); break;
	case NO_TARGET: put(o, "0x%llx", (unsigned long long)a->imm); break;
	case NO_WORD: put(o, "%s", a->word); break;
	case NO_DISCARD: put(o, is_old_style(o) ? "o [0x%x]" : "o[0x%x]", a->off); break;
	case NO_BAR: put(o, "b%u", a->reg); break;
	}
	if ((a->kind == NO_GPR || o->isa == NATIVE_FERMI) && a->sel <= 6 && a->kind != NO_CC)
		put(o, "%s", part[a->sel]);
	if (a->cc)
		put(o, ".CC");
}

static void put_operand(struct out *o, const struct nop *a)
{
	if (a->kind == NO_IMM) {
		put_imm(o, a);
		return;
	}
	if (a->kind == NO_PRED) {
		put(o, a->neg ? "!" : "");
		put_body(o, a);
		return;
	}
	bool bar = a->abs && !(a->kind == NO_MEM && a->space == NS_SHARED);
	put(o, "%s%s%s", a->neg ? "-" : "", a->inv ? "~" : "", bar ? "|" : "");
	put_body(o, a);
	put(o, bar ? "|" : "");
}

static void put_vtypes(struct out *o, const struct ninst *in)
{
	static const uint8_t size[8] = {8, 8, 8, 8, 16, 16, 32, 32};
	uint64_t w = in->word;
	unsigned a = size[bits(w, 44, 3)], b = bits(w, 47, 1) ? size[bits(w, 32, 3)] : 8;
	bool as = bits(w, 6, 1), bs = bits(w, 5, 1);
	if (a != 32 || b != 32 || !as || !bs)
		put(o, ".%c%u.%c%u", as ? 'S' : 'U', a, bs ? 'S' : 'U', b);
}

static void put_mods(struct out *o, const struct ninst *in)
{
	const struct native_tab *t = native_tab(in->isa);
	bool same = native_dialect(o->st)->pass && in->isa == NATIVE_FERMI && in->op == NI_F2F &&
		    in->size == 8 && in->mod[NM_DT] == in->mod[NM_ST] &&
		    (!in->mod[NM_RND] || in->mod[NM_RND] >= 4); /* whether the result is rounded to
		                                                 * an integer */
	for (unsigned i = 0; i < ROW_MODS && in->row->mods[i]; i++) {
		const struct nmodf *m = &t->mod[in->row->mods[i]];
		unsigned v = in->mod[m->id];
		if (m->flags & NMF_FULL && o->st != NSTYLE_FULL)
			continue;
		if (same && (m->id == NM_DT || m->id == NM_ST) && !strcmp(m->val[v], ".F32"))
			continue;
		if (same && m->id == NM_RND && !v) {
			put(o, ".PASS");
			continue;
		}
		if (m->flags & NMF_VTYPES)
			put_vtypes(o, in);
		else
			put(o, "%s",
			    m->val[m->flags & NMF_WRAP ? v ^ native_dialect(o->st)->wrap_is_0 : v]);
	}
}

/* CUDA 5 and later print a difference as ISUB, with the constant or immediate first if a register
 * is subtracted from it. In a difference of two registers the sign is at the second operand
 * already. */
static bool as_difference(const struct ninst *in, enum native_style st, struct nop op[3])
{
	if (st != NSTYLE_CUDA5 || in->isa != NATIVE_FERMI || strcmp(in->row->name, "IADD") ||
	    in->o[1].neg == in->o[2].neg || (in->o[1].neg && in->o[2].kind == NO_GPR))
		return false;
	bool swap = in->o[1].neg;
	op[0] = in->o[0];
	op[1] = in->o[swap ? 2 : 1];
	op[2] = in->o[swap ? 1 : 2];
	op[2].neg = false;
	return true;
}

static void put_mnemonic(struct out *o, const struct ninst *in, const char *name)
{
	put(o, "%s", name);
	if (in->isa == NATIVE_TESLA && in->pop)
		put(o, ".S");
	put_mods(o, in);
	if (in->cc_write != NREG_NONE)
		put(o, ".C%u", in->cc_write);
	if (in->isa == NATIVE_FERMI && in->pop)
		put(o, ".S");
	if (in->row->form & NRF_SHORT)
		put(o, ".SHORT");
	if (o->st == NSTYLE_FULL && in->exit)
		put(o, ".EXIT");
}

static void put_test(struct out *o, const struct ninst *in, const char *fmt)
{
	put(o, fmt, in->cc_reg, native_cc_name(NATIVE_TESLA, in->cc_test));
}

size_t native_print(const struct ninst *in, enum native_style st, char *buf, size_t n)
{
	struct out o = {{buf, 0, n}, st, (enum native_isa)in->isa, false, false};
	const struct native_tab *t = native_tab(in->isa);
	buf[0] = 0;
	o.signed32 = native_dialect(st)->signed32 && in->size == 8;
	o.zero = native_dialect(st)->zero_offset && in->op == NI_BRX;
	if (in->guard != 7 || in->guard_neg)
		put(&o, in->guard == 7 ? (st == NSTYLE_CUDA5 ? "@%sPT " : "@%spt ") : "@%sP%u ",
		    in->guard_neg ? "!" : "", in->guard);
	struct nop diff[3], all[NATIVE_MAX_OPS];
	native_to_dialect(in, st, all);
	const struct nop *op = as_difference(in, st, diff) ? diff : all;
	put_mnemonic(&o, in, op == diff ? "ISUB" : in->row->name);
	unsigned shown = 0;
	bool test = in->isa == NATIVE_TESLA && in->cc_test != 15;
	if (test && in->row->form & NRF_TEST) {
		put_test(&o, in, " C%u.%s");
		shown++;
	}
	if (in->row->form & NRF_BARE && st != NSTYLE_FULL)
		return o.t.n;
	for (unsigned i = 0; i < in->nop; i++) {
		const struct nopf *f = &t->opf[in->row->ops[i]];
		if (in->o[i].optional && !(f->flags & NOF_CUDA4 && st != NSTYLE_CUDA5))
			continue;
		put(&o, !shown ? " " : f->flags & NOF_SPACE ? " " : ", ");
		put_operand(&o, &op[i]);
		if (!shown++ && test && in->row->form & NRF_LONG)
			put_test(&o, in, " (C%u.%s)");
	}
	if (!shown && test && in->row->form & NRF_LONG)
		put_test(&o, in, " (C%u.%s)");
	return o.t.n;
}
