/* Values, instructions and operands of machine code: see mir.h. */
#include <string.h>
#include "back/mir/mir.h"

void mfunc_free(struct mfunc *m)
{
	vec_free(&m->code);
	vec_free(&m->val);
	vec_free(&m->literal);
}

uint32_t mval_new(struct mfunc *m, unsigned words)
{
	vec_push(&m->val, (struct mval){.words = (uint8_t)words});
	return (uint32_t)m->val.n - 1;
}

struct mi *mi_add(struct mfunc *m, const char *name, unsigned nd, unsigned n, const struct mo *o)
{
	struct mi in = {.name = name, .nd = (uint8_t)nd, .n = (uint8_t)n, .guard = V_TRUE};
	for (unsigned i = 0; i < n; i++)
		in.o[i] = o[i];
	vec_push(&m->code, in);
	return &m->code.v[m->code.n - 1];
}

bool mi_reads_cc(const struct mi *in)
{
	if (!strncmp(in->name, "IADD3", 5)) /* sm_90: carries of this instruction are predicates */
		return false;
	for (const char *x = strstr(in->name, ".X"); x; x = strstr(x + 1, ".X"))
		if (!x[2] || x[2] == '.')
			return true;
	for (unsigned i = in->nd; i < in->n; i++)
		if (in->o[i].kind == MO_CC)
			return true;
	return false;
}

bool mi_begins(const struct mfunc *m, const struct mi *in, unsigned d)
{
	const struct mo *o = &in->o[d];
	const struct mval *v = &m->val.v[o->v];
	if (in->guard != V_TRUE && !v->temp)
		return false;
	return v->words <= 1 || o->wide || in->fresh;
}

bool mir_literal(struct mfunc *m, uint32_t w, struct mo *o)
{
	size_t i = 0;
	while (i < m->literal.n && m->literal.v[i] != w)
		i++;
	if (i == LITERALS)
		return false;
	if (i == m->literal.n)
		vec_push(&m->literal, w);
	*o = mo_const(LITERAL_BANK, 4 * (uint32_t)i);
	return true;
}
