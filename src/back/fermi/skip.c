/* Skips guarded code that no thread of a warp needs (sm_20): a BRA.U before three or more instructions
 * under one guard.
 *
 * 	@P0 LD R1, [R0];                 @!P0 BRA.U L;
 * 	@P0 IADD R1, R1, 1;              @P0 LD R1, [R0];
 * 	@P0 ST [R0], R1;                 @P0 IADD R1, R1, 1;
 * 	                                 @P0 ST [R0], R1;
 * 	                                 L:
 *
 * Runs on allocated registers, so that guarded code is straight code for all other passes. */
#include <string.h>
#include "back/mir/mir.h"

enum { SKIPPED = 3 };

static bool is_body(const struct mi *in)
{
	return in->name && in->guard != V_TRUE && !in->ends && !in->label && !in->pop &&
	       strcmp(in->name, "EXIT") && !mi_is(in, "BAR") && !mi_is(in, "VOTE");
}

/* True if the guards are certainly equal: one register and one sense. */
static bool same_guard(const struct mfunc *m, const struct mi *a, const struct mi *b)
{
	return m->val.v[a->guard].color == m->val.v[b->guard].color && a->guard_neg == b->guard_neg;
}

static bool writes_guard(const struct mfunc *m, const struct mi *in)
{
	for (unsigned d = 0; d < in->nd; d++)
		if (in->o[d].kind == MO_PRED && in->o[d].v != V_TRUE &&
		    m->val.v[in->o[d].v].color == m->val.v[in->guard].color)
			return true;
	return false;
}

/* The end of the run of instructions under one guard that begins at i. */
static size_t run_end(const struct mfunc *m, size_t i)
{
	size_t k = i;
	while (k < m->code.n && is_body(&m->code.v[k]) &&
	       same_guard(m, &m->code.v[i], &m->code.v[k])) {
		k++;
		if (writes_guard(m, &m->code.v[k - 1]))
			break;
	}
	return k;
}

void fermi_skip(struct mfunc *m)
{
	VEC(struct mi) out = {0};
	for (size_t i = 0; i < m->code.n;) {
		size_t end = run_end(m, i), n = end > i ? end - i : 1;
		uint32_t label = n >= SKIPPED ? m->labels++ : 0;
		if (n >= SKIPPED) {
			const struct mi *first = &m->code.v[i];
			vec_push(&out, ((struct mi){.name = "BRA.U",
						    .n = 1,
						    .ends = true,
						    .guard = first->guard,
						    .guard_neg = !first->guard_neg,
						    .label = label + 1,
						    .line = first->line,
						    .o = {{.kind = MO_LABEL, .imm = label}}}));
		}
		for (size_t k = 0; k < n; k++)
			vec_push(&out, m->code.v[i + k]);
		if (n >= SKIPPED)
			vec_push(&out, ((struct mi){.label = label, .guard = V_TRUE}));
		i += n;
	}
	vec_free(&m->code);
	m->code.v = out.v;
	m->code.n = out.n;
	m->code.cap = out.cap;
}
