/* Moves sums and shifts that only compute an address register into the register's instruction and the accesses:
 *
 * 	SHL R7, R7, 0x2;                     R2A A1, R7, 0x2;
 * 	IADD R7, R7, c[0x1][0x0];     ->     G2R R8, g [A1+0xa];
 * 	R2A A1, R7;
 * 	G2R R8, g [A1+0x0];
 *
 * Address registers and sums with them have 16 bits, so the result is exact. Every access must
 * have room for the offset; operands of arithmetic reach 32 words. */
#include <stdlib.h>
#include <string.h>
#include "back/tesla/tesla.h"

enum { REACH = 64, MOST = 0x7fff };

struct use {                        /* an operand that an address register indexes */
	uint32_t at, operand, next; /* next: next use of the value, plus 1 */
};
struct index {
	struct mfunc *m;
	uint32_t *reads, *writes, *uses; /* [value]: number of reads, of writes; first use plus 1 */
	VEC(struct use) use;
};

static bool is_indexed(const struct mo *o)
{
	return (o->kind == MO_SHARED || o->kind == MO_LOCAL || o->kind == MO_CONST) &&
	       o->v != V_NONE;
}

static void count_uses(struct index *x)
{
	for (uint32_t i = 0; i < x->m->code.n; i++) {
		const struct mi *in = &x->m->code.v[i];
		for (unsigned k = 0; in->name && k < in->n; k++) {
			uint32_t v = mo_value(&in->o[k]);
			if (v == V_NONE)
				continue;
			if (is_indexed(&in->o[k])) {
				vec_push(&x->use, ((struct use){i, k, x->uses[v]}));
				x->uses[v] = (uint32_t)x->use.n;
			}
			(k < in->nd && !is_indexed(&in->o[k]) ? x->writes : x->reads)[v]++;
		}
	}
}

static bool writes_value(const struct mi *in, uint32_t v)
{
	for (unsigned k = 0; k < in->nd; k++)
		if (!is_indexed(&in->o[k]) && mo_value(&in->o[k]) == v)
			return true;
	return false;
}

/* The instruction before i that computes v for instruction i only; NULL: its register source has
 * changed since, or it is of another kind. */
static const struct mi *find_maker(const struct index *x, size_t i, uint32_t v)
{
	const struct mi *code = x->m->code.v, *d = NULL;
	size_t at = i;
	if (x->writes[v] != 1 || x->reads[v] != 1)
		return NULL;
	while (!d && at-- > 0 && i - at < REACH) {
		if (!code[at].name || code[at].label || code[at].ends)
			return NULL;
		if (writes_value(&code[at], v))
			d = &code[at];
	}
	if (!d || d->nd != 1 || d->n != 3 || d->cc || d->guard != V_TRUE || d->o[0].half ||
	    d->o[1].kind != MO_REG || d->o[1].neg || d->o[1].abs || d->o[1].inv || d->o[1].half ||
	    d->o[1].wide)
		return NULL;
	for (size_t k = at + 1; k < i; k++)
		if (writes_value(&code[k], d->o[1].v))
			return NULL;
	return d;
}

/* The number that an IADD adds; false: it does not add a number. */
static bool find_addend(const struct mfunc *m, const struct mi *d, int64_t *n)
{
	const struct mo *o = &d->o[2];
	if (!strcmp(d->name, "IADD32I") && o->kind == MO_IMM)
		*n = (int32_t)o->imm;
	else if (!strcmp(d->name, "IADD") && o->kind == MO_CONST && o->bank == LITERAL_BANK &&
		 o->v == V_NONE && !o->half)
		*n = (int32_t)m->literal.v[o->imm / 4];
	else
		return false;
	if (o->neg)
		*n = -*n;
	return !o->inv && !o->abs;
}

static bool is_access(const struct mi *in)
{
	static const char *const name[] = {"G2R", "R2G", "LLD", "LST", "MVC"};
	for (unsigned i = 0; i < sizeof name / sizeof *name; i++)
		if (mi_is(in, name[i]))
			return true;
	return false;
}

/* True if all accesses by address register a reach n bytes further. */
static bool accesses_reach(const struct index *x, uint32_t a, int64_t n)
{
	for (uint32_t u = x->uses[a]; u; u = x->use.v[u - 1].next) {
		const struct mi *in = &x->m->code.v[x->use.v[u - 1].at];
		const struct mo *o = &in->o[x->use.v[u - 1].operand];
		int64_t unit = o->kind == MO_CONST ? (o->half ? o->half : 4) : o->bank,
			off = o->imm + n;
		if (off < 0 || off > MOST || off % unit ||
		    (!is_access(in) && off / unit >= SHARED_OPERANDS / 2))
			return false;
	}
	return true;
}

static void move_accesses(struct index *x, uint32_t a, int64_t n)
{
	for (uint32_t u = x->uses[a]; u; u = x->use.v[u - 1].next)
		x->m->code.v[x->use.v[u - 1].at].o[x->use.v[u - 1].operand].imm += n;
}

/* Moves the instructions that compute the source of the R2A at i into the R2A, one after the other,
 * until one cannot be moved. */
static void take_over(struct index *x, size_t i)
{
	struct mi *in = &x->m->code.v[i];
	uint32_t a = in->o[0].v;
	int64_t shift = 0, n;
	while (in->o[1].kind == MO_REG && !in->o[1].half && !in->o[1].wide &&
	       x->m->val.v[in->o[1].v].words == 1) {
		const struct mi *d = find_maker(x, i, in->o[1].v);
		if (!d)
			break;
		if (!strcmp(d->name, "SHL") && d->o[2].kind == MO_IMM && !shift &&
		    d->o[2].imm < 16) {
			shift = d->o[2].imm;
		} else if (find_addend(x->m, d, &n) && accesses_reach(x, a, n * (1 << shift))) {
			move_accesses(x, a, n * (1 << shift));
		} else {
			break;
		}
		in->o[1] = d->o[1];
	}
	if (shift) {
		in->o[2] = mo_imm(shift);
		in->n = 3;
	}
}

void tesla_index(struct mfunc *m)
{
	struct index x = {.m = m};
	x.reads = xcalloc(m->val.n + 1, sizeof *x.reads);
	x.writes = xcalloc(m->val.n + 1, sizeof *x.writes);
	x.uses = xcalloc(m->val.n + 1, sizeof *x.uses);
	count_uses(&x);
	for (size_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		if (in->name && !strcmp(in->name, "R2A") && in->n == 2 && x.writes[in->o[0].v] == 1)
			take_over(&x, i);
	}
	free(x.reads);
	free(x.writes);
	free(x.uses);
	vec_free(&x.use);
	mir_dead(m);
}
