/* Prints decoded instructions and modules as PTXPlus: operands in PTX's spelling, kernel parameters
 * of Fermi as k[], shared memory of Tesla as s[], constants by their bank. ptxplus.h describes the
 * language. */
#include "front/sass/ptxplus.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct px {
	struct text t;
	const char *kernel;
	bool stack;
};

enum {
	LONG_NAME = 256
}; /* longest name of a kernel by which its bank is called; longer ones go
			   * by number */

#define put(o, ...) text_put(&(o)->t, __VA_ARGS__)

static void lower_case(struct px *o, const char *s)
{
	for (; *s; s++)
		put(o, "%c", tolower((unsigned char)*s));
}

/* Names of the launch's dimensions, which are words of constant bank 0 on Fermi and half words of
 * shared memory on Tesla. */
const char *ptxplus_shape(enum native_isa isa, unsigned place)
{
	static const char *const fermi[] = {"%ntid.x",   "%ntid.y",   "%ntid.z",
					    "%nctaid.x", "%nctaid.y", "%nctaid.z"};
	static const char *const tesla[] = {"%ntid.x",   "%ntid.y",  "%ntid.z", "%nctaid.x",
					    "%nctaid.y", "%ctaid.x", "%ctaid.y"};
	if (isa == NATIVE_TESLA)
		return place >= 2 && place < 0x10 && place % 2 == 0 ? tesla[place / 2 - 1] : NULL;
	return place >= 8 && place < 0x20 && place % 4 == 0 ? fermi[place / 4 - 2] : NULL;
}

static void put_reg(struct px *o, unsigned r) { put(o, r == 63 ? "0x00" : "$r%u", r); }

/* Prints the inside of Tesla's brackets. Tesla's offsets count in units of the access; PTXPlus
 * counts bytes. */
static void put_indexed(struct px *o, const struct nop *a)
{
	if (a->index != NREG_NONE)
		put(o, a->postinc ? "$ofs%u+=" : "$ofs%u+", a->index);
	put(o, "0x%04x]", (unsigned)a->off * (a->unit ? a->unit : 1));
}

static void put_access(struct px *o, unsigned sel)
{
	static const char *const t[] = {"", ".u8", ".u16", ".s16", ".u32", ".s8"};
	put(o, "%s", t[sel < 6 ? sel : 0]);
}

/* Constant bank 0 of Fermi holds launch dimensions and parameters. PTXPlus counts parameters from
 * 0x10. */
static void put_const(struct px *o, const struct ninst *in, const struct nop *a)
{
	bool plain = a->index == NREG_NONE, own = a->bank == (in->isa == NATIVE_FERMI ? 16 : 1);
	if (in->isa == NATIVE_FERMI && a->bank == 0 && plain) {
		const char *shape = ptxplus_shape(NATIVE_FERMI, (unsigned)a->off);
		if (shape)
			put(o, "%s", shape);
		else
			put(o, "k [0x%04x]", (unsigned)(a->off - 0x10));
		return;
	}
	if (own && strlen(o->kernel) < LONG_NAME)
		put(o, "constant1%s[", o->kernel);
	else
		put(o, "constant%u[", a->bank);
	if (in->isa == NATIVE_TESLA) {
		put_indexed(o, a);
		put_access(o, a->sel);
		return;
	}
	if (!plain)
		put(o, "$r%u+", a->index);
	put(o, "0x%04x]", (unsigned)a->off);
}

void ptxplus_sreg(struct text *t, enum native_isa isa, unsigned n)
{
	static const char *const three[] = {"%tid", "%ctaid", "%ntid", "%nctaid"};
	bool fermi = isa == NATIVE_FERMI;
	if (fermi && n >= 33 && n <= 47 && (n - 32) % 4)
		text_put(t, "%s.%c", three[(n - 32) / 4], 'w' + (int)((n - 32) % 4));
	else if (fermi && n == 0)
		text_put(t, "%%laneid");
	else if (n == (fermi ? 80 : 1))
		text_put(t, "%%clock");
	else
		text_put(t, "%%sr%u", n);
}

static void put_mem(struct px *o, const struct ninst *in, const struct nop *a)
{
	const char *shape;
	if (in->isa == NATIVE_TESLA) {
		bool half = a->space == NS_SHARED && a->index == NREG_NONE && a->sel == 2;
		if (half && (shape = ptxplus_shape(NATIVE_TESLA, (unsigned)a->off * 2)))
			put(o, "%s", shape);
		else if (a->space == NS_GLOBAL)
			put(o, a->bank == 14 ? "[$r%u]" : "[$r%u].%u", a->reg, a->bank);
		else {
			put(o, a->space == NS_SHARED ? "s[" : "l[");
			put_indexed(o, a);
			put_access(o, a->sel);
		}
		return;
	}
	bool flat = ptxplus_flat(in->op);
	put(o, flat ? "" : "[");
	put_reg(o, a->reg);
	if (a->off)
		put(o, flat ? ", 0x%08x" : "+0x%08x", (unsigned)a->off);
	else if (in->op == NI_LDU)
		put(o, ", 0x00");
	put(o, flat ? "" : "]");
}

static void put_gpr(struct px *o, const struct ninst *in, const struct nop *a)
{
	static const char *const part[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
	if (in->isa == NATIVE_FERMI) {
		put_reg(o, a->reg);
		put(o, "%s", part[a->sel < 7 ? a->sel : 0]);
	} else if (a->width == 2) {
		put(o, "{$r%u,$r%u}", a->reg, a->reg + 1);
	} else if (a->width == 4) {
		put(o, "{$r%u,$r%u,$r%u,$r%u}", a->reg, a->reg + 1, a->reg + 2, a->reg + 3);
	} else {
		put(o, "$r%u", a->reg);
	}
	put(o, a->cc ? ".cc" : "");
}

/* Prints tests of Tesla's condition codes, spelled as PTX's parser expects. */
static void put_test(struct px *o, unsigned reg, unsigned test)
{
	put(o, "$p%u.", reg);
	lower_case(o, native_cc_name(NATIVE_TESLA, test));
}

static void put_target(struct px *o, const struct ninst *in, uint64_t to)
{
	bool label = in->isa == NATIVE_TESLA || in->op == NI_BRA;
	put(o, label ? "l0x%08llx" : "0x%08llx", (unsigned long long)to);
}

static void put_body(struct px *o, const struct ninst *in, const struct nop *a)
{
	bool wide = a->imm_type == IMM_F64_20;
	switch (a->kind) {
	case NO_GPR: put_gpr(o, in, a); break;
	case NO_HALF: put(o, "$r%u.%s", a->reg >> 1, a->reg & 1 ? "hi" : "lo"); break;
	case NO_PRED: put(o, a->reg == 7 ? "pt" : "$p%u", a->reg); break;
	case NO_CONST: put_const(o, in, a); break;
	case NO_SREG: ptxplus_sreg(&o->t, in->isa, a->reg); break;
	case NO_IMM:
		put(o, wide ? "0x%016llx" : "0x%08llx",
		    (unsigned long long)(wide ? a->imm : a->imm & 0xffffffffu));
		break;
	case NO_TARGET: put_target(o, in, a->imm); break;
	case NO_MEM: put_mem(o, in, a); break;
	case NO_ADDR: put(o, "$ofs%u", a->reg); break;
	case NO_DISCARD: put(o, "$o%u", (unsigned)a->off); break;
	case NO_BAR: put(o, "0x%08x", a->reg); break;
	case NO_CCREG:
		if (a->sel)
			put_test(o, a->reg, (unsigned)a->off);
		else
			put(o, "$p%u", a->reg);
		break;
	case NO_PR: put(o, "pr"); break;
	case NO_CC:
		put(o, a->sel ? "cc." : "cc");
		lower_case(o, a->sel ? native_cc_name(NATIVE_FERMI, a->reg) : "");
		break;
	case NO_WORD: lower_case(o, a->word); break;
	}
}

static void put_operand(struct px *o, const struct ninst *in, const struct nop *a)
{
	static const char *const part[] = {"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"};
	if (a->kind == NO_PRED)
		put(o, a->neg ? "!" : "");
	else
		put(o, "%s%s%s", a->neg ? "-" : "", a->inv ? "~" : "", a->abs ? "|" : "");
	/* initialisation of the stack pointer, which the thesis's programs never use */
	if (!o->stack && in->isa == NATIVE_FERMI && in->op == NI_MOV && in->o[0].reg == 1 &&
	    a->kind == NO_CONST && a->bank == 1 && a->off == 0x100 && a->index == NREG_NONE)
		put(o, "0x00000000");
	else
		put_body(o, in, a);
	if (in->isa == NATIVE_FERMI && a->kind == NO_CONST)
		put(o, "%s", part[a->sel < 7 ? a->sel : 0]);
	put(o, a->abs ? "|" : "");
}

/* True for operands that the name implies, and for the count of a barrier of all threads: neither
 * is printed. */
static bool is_implied(const struct ninst *in, unsigned i, bool word)
{
	const struct nop *a = &in->o[i];
	if (in->isa == NATIVE_TESLA && in->op == NI_BAR && i == 1 && a->imm == 0xfff)
		return false;
	return !a->optional && !(word && a->kind == NO_WORD);
}

size_t native_ptxplus(const struct ninst *in, const char *kernel, bool stack, char *buf, size_t n)
{
	struct px o = {{buf, 0, n}, kernel, stack};
	buf[0] = 0;
	if (in->isa == NATIVE_FERMI && (in->guard != 7 || in->guard_neg)) {
		put(&o, "@%s", in->guard_neg ? "!" : "");
		put(&o, in->guard == 7 ? "pt " : "$p%u ", in->guard);
	}
	if (in->isa == NATIVE_TESLA && in->cc_test != 15) {
		put(&o, "@");
		put_test(&o, in->cc_reg, in->cc_test);
		put(&o, " ");
	}
	bool word = ptxplus_name(&o.t, in);
	unsigned shown = 0;
	if (in->isa == NATIVE_TESLA && in->cc_write != NREG_NONE)
		put(&o, " $p%u|", in->cc_write);
	for (unsigned i = 0; i < in->nop; i++)
		if (is_implied(in, i, word)) {
			bool first = !shown++;
			put(&o, !first ? ", " : o.t.n && o.t.b[o.t.n - 1] == '|' ? "" : " ");
			put_operand(&o, in, &in->o[i]);
		}
	put(&o, ";");
	return o.t.n;
}

static bool names_r1(const struct nop *a)
{
	if (a->kind == NO_GPR || a->kind == NO_MEM)
		return a->reg <= 1 && a->reg + (a->width ? a->width : 1u) + a->wide > 1;
	return a->kind == NO_CONST && a->index == 1;
}

bool native_uses_stack(const struct nkernel *k)
{
	unsigned n = 0;
	for (size_t i = 0; i < k->ninst; i++)
		for (unsigned j = 0; j < k->inst[i].nop; j++)
			n += names_r1(&k->inst[i].o[j]);
	return n > 1;
}

static int by_address(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

/* Collects addresses that operands name as labels, in rising order. */
static size_t labels_of(const struct nkernel *k, uint32_t **out)
{
	size_t n = 0;
	uint32_t *v = xcalloc(k->ninst + 1, sizeof(*v));
	for (size_t i = 0; i < k->ninst; i++)
		for (unsigned j = 0; j < k->inst[i].nop; j++)
			if (k->inst[i].o[j].kind == NO_TARGET && n < k->ninst &&
			    (k->inst[i].isa == NATIVE_TESLA || k->inst[i].op == NI_BRA))
				v[n++] = (uint32_t)k->inst[i].o[j].imm;
	qsort(v, n, sizeof(*v), by_address);
	*out = v;
	return n;
}

void native_ptxplus_code(const struct nkernel *k, FILE *f)
{
	char b[640];
	uint32_t *label;
	size_t n = labels_of(k, &label);
	bool stack = native_uses_stack(k);
	for (size_t i = 0; i < k->ninst; i++) {
		struct ninst in = native_in_file(k, &k->inst[i]);
		if (bsearch(&in.pc, label, n, sizeof(*label), by_address))
			fprintf(f, "l0x%08x:\n", in.pc);
		native_ptxplus(&in, k->name, stack, b, sizeof(b));
		fprintf(f, "\t%s\n", b);
	}
	free(label);
}
