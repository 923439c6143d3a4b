/* Two instructions become one that does both: ISCADD, IMAD, VMNMX, VADD, PSETP, the third operand of
 * comparisons and the offset of an access on sm_20; IMAD of 16 and 24 bits on sm_13.
 *
 * 	SHL R1, R0, 2;  IADD R2, R1, R3;     ISCADD R2, R0, R3, 2;
 *
 * Both are in one block, and the first one's sources must not change in between; dead.c removes the first. Only
 * the second may read its result, except for ISCADD and IMAD: they cost one instruction, as the sum alone does,
 * even if other instructions read the product. Each kind can be left out (FUSE_*), to measure its share of a
 * program's instructions. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/mir.h"

enum { REACH = 64, SOURCES = 3 };

struct fuse {
	struct mfunc *m;
	unsigned without;
	uint32_t *reads, *writes, *def; /* [value]: number of reads, of writes; last definition plus
	                                 * 1 */
};

static void count_uses(struct fuse *f)
{
	for (size_t i = 0; i < f->m->code.n; i++) {
		const struct mi *in = &f->m->code.v[i];
		for (unsigned k = 0; in->name && k < in->n; k++) {
			uint32_t v = mo_value(&in->o[k]);
			if (v == V_NONE)
				continue;
			if (k >= in->nd)
				f->reads[v]++;
			else
				f->writes[v]++, f->def[v] = (uint32_t)i + 1;
		}
		if (in->name && in->guard != V_TRUE)
			f->reads[in->guard]++;
	}
}

static bool writes_value(const struct mi *in, uint32_t v)
{
	for (unsigned k = 0; k < in->nd; k++)
		if (mo_value(&in->o[k]) == v)
			return true;
	return false;
}

/* The instruction that computes operand o of instruction i; NULL: there is none, or it could not be
 * moved there. */
static const struct mi *find_maker(const struct fuse *f, size_t i, const struct mo *o)
{
	const struct mi *code = f->m->code.v;
	uint32_t v = mo_value(o);
	if (v == V_NONE || o->wide || f->writes[v] != 1 || f->m->val.v[v].words > 1)
		return NULL;
	size_t at = f->def[v] - 1;
	const struct mi *d = &code[at];
	if (at >= i || i - at > REACH || d->cc || d->pop ||
	    (d->guard != V_TRUE &&
	     (d->guard != code[i].guard || d->guard_neg != code[i].guard_neg)))
		return NULL;
	for (size_t k = at + 1; k < i; k++) {
		if (!code[k].name || code[k].label || code[k].ends)
			return NULL;
		if (d->guard != V_TRUE && writes_value(&code[k], d->guard))
			return NULL;
		for (unsigned s = d->nd; s < d->n; s++)
			if (mo_value(&d->o[s]) != V_NONE && writes_value(&code[k], d->o[s].v))
				return NULL;
	}
	return d;
}

static bool is_name(const struct mi *in, const char *name) { return !strcmp(in->name, name); }
static bool is_plain(const struct mo *o) { return !o->neg && !o->abs && !o->inv; }
static bool is_register(const struct mo *o)
{
	return (o->kind == MO_REG && is_plain(o)) || o->kind == MO_ZERO;
}

static void become_inst(struct mi *in, const char *name, const struct mo *src, unsigned n)
{
	in->name = name;
	in->n = (uint8_t)(in->nd + n);
	memcpy(&in->o[in->nd], src, n * sizeof *src);
}

/* Fuses IADD d, t, c with the instruction d that computes t. alone: no other instruction reads
 * t. */
static bool fuse_sum(const struct fuse *f, struct mi *in, const struct mi *d, const struct mo *c,
		     bool alone)
{
	const struct mo *a = &d->o[1], *b = &d->o[2];
	if (!(f->without & FUSE_ISCADD) && is_name(d, "SHL") && b->kind == MO_IMM && b->imm < 32 &&
	    is_register(a) && is_plain(c)) {
		become_inst(in, "ISCADD", (struct mo[]){*a, *c, *b}, 3);
		return true;
	}
	if (!(f->without & FUSE_IMAD) && (is_name(d, "IMUL") || is_name(d, "IMUL.U32.U32")) &&
	    is_register(a) && is_plain(b) && is_plain(c) &&
	    (c->kind == MO_REG || (c->kind == MO_CONST && b->kind == MO_REG))) {
		become_inst(in, "IMAD", (struct mo[]){*a, *b, *c}, 3);
		return true;
	}
	if (!alone)
		return false;
	if (!(f->without & FUSE_VMNMX) && (is_name(d, "IMNMX") || is_name(d, "IMNMX.U32")) &&
	    is_register(a) && is_register(b) && is_register(c)) {
		bool max = d->o[3].neg, u = !is_name(d, "IMNMX");
		become_inst(in,
			    max ? (u ? "VMNMX.U32.U32.MX.ACC" : "VMNMX.MX.ACC")
				: (u ? "VMNMX.U32.U32.ACC" : "VMNMX.ACC"),
			    (struct mo[]){*a, *b, *c}, 3);
		return true;
	}
	if (!(f->without & FUSE_VADD) && is_name(d, "IADD") && is_register(a) && is_register(b) &&
	    is_register(c) && a->kind == MO_REG && b->kind == MO_REG) {
		become_inst(in, "VADD.UD.U32.U32.ACC", (struct mo[]){*a, *b, *c}, 3);
		return true;
	}
	return false;
}

static bool is_negation(const struct mi *d)
{
	return d && is_name(d, "IADD") && d->nd == 1 && d->o[1].kind == MO_ZERO &&
	       d->o[2].kind == MO_REG && d->o[2].neg;
}

/* True if the operand is the negation of a value, which is written to `of`. */
static bool find_negated(const struct fuse *f, size_t i, const struct mo *o, struct mo *of)
{
	if (o->kind != MO_REG || o->wide || o->abs || o->inv)
		return false;
	const struct mi *d = o->neg ? NULL : find_maker(f, i, o);
	*of = is_negation(d) ? d->o[2] : *o;
	of->neg = false;
	return o->neg || is_negation(d);
}

/* Sums of negated values take the values with the other sign: a PTX compiler negates the result of
 * `set`, adds it up and subtracts the sum. An IADD cannot negate both its operands. */
static void fuse_signs(const struct fuse *f, size_t i)
{
	struct mi *in = &f->m->code.v[i];
	for (unsigned k = 0; k < 2 && is_name(in, "IADD") && !in->cc && in->nd == 1; k++) {
		struct mo *t = &in->o[1 + k], *other = &in->o[2 - k];
		const struct mi *d = t->kind == MO_REG && !t->wide ? find_maker(f, i, t) : NULL;
		if (is_negation(d) && (t->neg || !other->neg)) {
			bool neg = !t->neg;
			*t = d->o[2];
			t->neg = neg;
		} else if (d && t->neg && f->reads[t->v] == 1 && is_name(d, "IADD") && d->nd == 1 &&
			   is_register(other) && other->kind == MO_REG) {
			struct mo s[] = {mo_zero(), mo_zero(), *other};
			if (find_negated(f, i, &d->o[1], &s[0]) &&
			    find_negated(f, i, &d->o[2], &s[1]))
				become_inst(in, "VADD.UD.U32.U32.ACC", s, 3);
		}
	}
}

static void fuse_add(const struct fuse *f, size_t i)
{
	struct mi *in = &f->m->code.v[i];
	if (!(f->without & FUSE_VADD))
		fuse_signs(f, i);
	for (unsigned k = 0; k < 2 && is_name(in, "IADD") && !in->cc; k++) {
		const struct mo *t = &in->o[1 + k];
		const struct mi *d = t->kind == MO_REG && is_plain(t) ? find_maker(f, i, t) : NULL;
		if (d && d->nd == 1) {
			struct mo c = in->o[2 - k];
			fuse_sum(f, in, d, &c, f->reads[t->v] == 1);
		}
	}
}

/* sm_13: fuses IADD d, t, c, where t is a product of 16 or 24 bits that no other instruction
 * reads. */
static void add_product(const struct fuse *f, size_t i)
{
	static const char *const pair[][2] = {{"IMUL.S24.S24", "IMAD.S24"},
					      {"IMUL.U24.U24", "IMAD.U24"},
					      {"IMUL.U16.U16", "IMAD.U16"}};
	struct mi *in = &f->m->code.v[i];
	for (unsigned k = 0; k < 2 && is_name(in, "IADD") && in->nd == 1; k++) {
		const struct mo *t = &in->o[1 + k], c = in->o[2 - k];
		const struct mi *d =
			t->kind == MO_REG && is_plain(t) && !t->half && f->reads[t->v] == 1
				? find_maker(f, i, t)
				: NULL;
		for (size_t n = 0; d && d->nd == 1 && c.kind == MO_REG && is_plain(&c) && !c.half &&
				   n < sizeof pair / sizeof *pair;
		     n++)
			if (is_name(d, pair[n][0])) {
				become_inst(in, pair[n][1], (struct mo[]){d->o[1], d->o[2], c}, 3);
				return;
			}
	}
}

/* Makes the sum of a register and a number the address of an access. */
static void fuse_address(const struct fuse *f, struct mi *in, size_t i)
{
	bool narrow = in->name[2] == 'S' || in->name[2] == 'L';
	for (unsigned k = 0; k < in->n && !(f->without & FUSE_ADDRESS); k++) {
		struct mo *o = &in->o[k];
		const struct mi *d = o->kind == MO_MEM ? find_maker(f, i, o) : NULL;
		if (!d || !is_name(d, "IADD") || d->o[1].kind != MO_REG || !is_plain(&d->o[1]) ||
		    d->o[2].kind != MO_IMM)
			continue;
		int64_t at = o->imm + d->o[2].imm, most = narrow ? 1 << 23 : INT64_C(1) << 31;
		if (at < -most || at >= most)
			continue;
		o->v = d->o[1].v;
		o->word = d->o[1].word;
		o->imm = at;
	}
}

static bool is_access(const struct mi *in)
{
	return mi_is(in, "LD") || mi_is(in, "ST") || mi_is(in, "LDS") || mi_is(in, "STS") ||
	       mi_is(in, "LDL") || mi_is(in, "STL");
}

/* PSETP.op.AND q, pt, p, r, pt */
static void fuse_logic(const struct fuse *f, size_t i)
{
	struct mi *in = &f->m->code.v[i];
	if (f->without & FUSE_PSETP || strncmp(in->name, "PSETP.", 6) || in->o[4].v != V_TRUE ||
	    in->o[4].neg)
		return;
	char op[8] = "";
	sscanf(in->name + 6, "%7[A-Z]", op);
	for (unsigned k = 0; k < 2; k++) {
		const struct mo *p = &in->o[2 + k], r = in->o[3 - k];
		const struct mi *d = p->v != V_TRUE && !p->neg && f->reads[p->v] == 1
					     ? find_maker(f, i, p)
					     : NULL;
		if (!d || d->nd != 2 || d->o[1].v != V_TRUE)
			continue;
		const struct mo *last = &d->o[d->n - 1];
		size_t n = strlen(d->name);
		bool compare = (!strncmp(d->name, "ISETP", 5) || !strncmp(d->name, "FSETP", 5) ||
				!strncmp(d->name, "DSETP", 5)) &&
			       !strstr(d->name, ".X.");
		bool free_third = last->kind == MO_PRED && last->v == V_TRUE && !last->neg;
		if (!free_third || n < 4 || strcmp(d->name + n - 4, ".AND"))
			continue;
		bool psetp = !strncmp(d->name, "PSETP", 5);
		if (!compare && !psetp)
			continue;
		char text[64];
		snprintf(text, sizeof text, "%.*s.%s", (int)(n - 4), d->name, op);
		struct mo src[3] = {d->o[2], d->o[3], r};
		become_inst(in, arena_strdup(f->m->a, text), src, 3);
		return;
	}
}

/* Splits IMAD into product and sum if the kind is left out. */
static void split_products(struct mfunc *m)
{
	VEC(struct mi) code = {0};
	for (size_t i = 0; i < m->code.n; i++) {
		struct mi in = m->code.v[i];
		if (in.name && is_name(&in, "IMAD") && !in.cc) {
			uint32_t t = mval_new(m, 1);
			struct mi mul = in;
			m->val.v[t].temp = true;
			mul.name = "IMUL";
			mul.n = 3;
			mul.o[0] = mo_reg(t);
			vec_push(&code, mul);
			in.name = "IADD";
			in.n = 3;
			in.o[2] = in.o[3];
			in.o[1] = mo_reg(t);
		}
		vec_push(&code, in);
	}
	vec_free(&m->code);
	m->code.v = code.v;
	m->code.n = code.n;
	m->code.cap = code.cap;
}

/* Turns products with a power of two into shifts. */
static void fuse_shifts(struct mfunc *m)
{
	for (size_t i = 0; i < m->code.n; i++) {
		struct mi *in = &m->code.v[i];
		if (!in->name || (!is_name(in, "IMUL") && !is_name(in, "IMUL.U32.U32")) || in->cc ||
		    in->o[2].kind != MO_IMM || in->o[2].imm <= 0 ||
		    in->o[2].imm & (in->o[2].imm - 1) || !is_plain(&in->o[1]))
			continue;
		in->name = "SHL";
		in->o[2].imm = __builtin_ctzll((unsigned long long)in->o[2].imm);
		if (!in->o[2].imm)
			in->o[2] = mo_zero();
	}
}

static void fuse_inst(const struct fuse *f, size_t i)
{
	struct mi *in = &f->m->code.v[i];
	if (!in->name)
		return;
	if (f->m->target->sm < 20)
		add_product(f, i);
	else if (is_name(in, "IADD"))
		fuse_add(f, i);
	else if (is_access(in))
		fuse_address(f, in, i);
	else
		fuse_logic(f, i);
}

void mir_fuse(struct mfunc *m, unsigned without)
{
	bool old = m->target->sm < 20;
	if (without & FUSE_IMAD && !old)
		split_products(m);
	if (old ? without & FUSE_IMAD : (without & FUSE_PAIRS) == FUSE_PAIRS)
		return;
	if (!old)
		fuse_shifts(m);
	for (unsigned round = 0; round < 2; round++) {
		struct fuse f = {.m = m, .without = without};
		f.reads = xcalloc(m->val.n + 1, sizeof *f.reads);
		f.writes = xcalloc(m->val.n + 1, sizeof *f.writes);
		f.def = xcalloc(m->val.n + 1, sizeof *f.def);
		count_uses(&f);
		for (size_t i = 0; i < m->code.n; i++)
			fuse_inst(&f, i);
		free(f.reads);
		free(f.writes);
		free(f.def);
		mir_dead(m);
	}
}
