/* Marks branches that all threads of a warp take alike as uniform, by pass/scalar.h: such a branch
 * does not separate threads, so it needs no convergence barrier. */
#include "back/lower/lower.h"
#include "pass/scalar.h"

void lower_uniform(struct lowering *x)
{
	struct func *f = x->f;
	struct cfg *c = cfg_build(x->a, f);
	struct domtree pdom;
	struct live live;
	struct scalar s;
	bool any = false;
	for (uint32_t b = 0; b < c->n; b++)
		any |= cfg_reached(c, b) && c->block[b].end > c->block[b].first &&
		       inst_may_diverge(&f->code.v[c->block[b].end - 1]);
	if (!any)
		return;
	pdom_build(&pdom, c);
	live_build(&live, f, c);
	scalar_find(&s, x->a, f, c, &pdom, &live, SCALAR_ALL);
	for (uint32_t b = 0; b < c->n; b++) {
		uint32_t last = c->block[b].end - 1;
		if (cfg_reached(c, b) && c->block[b].end > c->block[b].first &&
		    inst_may_diverge(&f->code.v[last]) && s.why[last] == VEC_NOT)
			f->code.v[last].mods |= M_UNI;
	}
}
