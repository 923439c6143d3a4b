/* The registry of dispatchers, and what several of them do alike. */
#include "gpu/dispatch.h"

#include "kernel/image.h"

#define POLICY(x) extern const struct disp_ops disp_##x;
#include "gpu_dispatch.def"
#undef POLICY
static const struct disp_ops *const all[] = {
#define POLICY(x) &disp_##x,
#include "gpu_dispatch.def"
#undef POLICY
};

const struct disp_ops *disp_find(const char *name)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(all[i]->p.name, name))
			return all[i];
	return NULL;
}

void disp_each(void (*fn)(const struct policy *p, void *arg), void *arg)
{
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		fn(&all[i]->p, arg);
}

/* SMs are asked in turn, so blocks spread. */
static int in_turn(struct disp *d, const struct kern *k,
		   bool (*fits)(const struct sm *, const struct kern *))
{
	for (unsigned i = 1; i <= d->nsm; i++) {
		unsigned n = (d->last + i) % d->nsm;
		if (fits(d->sm[n], k)) {
			d->last = n;
			return (int)n;
		}
	}
	return -1;
}

int disp_whole(struct disp *d, const struct kern *k) { return in_turn(d, k, block_fits); }
int disp_part(struct disp *d, const struct kern *k) { return in_turn(d, k, block_fits_partly); }

int disp_whole_or_part(struct disp *d, const struct kern *k)
{
	int n = disp_whole(d, k);
	return n >= 0 || k->l->cooperative ? n : disp_part(d, k);
}

void disp_rule_warp(const struct machine *m, struct block_rule *r)
{
	r->hold = HOLD_WARP;
	r->partial = m->partial_blocks;
}

const char *disp_refuses_warp(const struct machine *m, const struct div_ops *div, char *buf,
			      size_t n)
{
	if (!div->block_wide)
		return NULL;
	snprintf(buf, n,
		 "gpu.dispatch = %s gives a warp's place away when its threads have ended: "
		 "sm.divergence = %s forms warps of a whole block and keeps its places until the "
		 "block ends",
		 m->dispatch, m->diverge);
	return buf;
}

bool disp_has_barrier(const struct kern *k)
{
	for (uint32_t pc = 0; pc < k->l->img->ncode; pc++)
		if (k->l->img->code[pc].op == OP_BAR)
			return true;
	return false;
}

const char *disp_refuses_partial(const struct machine *m, const struct kern *k, char *buf, size_t n)
{
	if (m->partial_blocks < 2 || !disp_has_barrier(k))
		return NULL;
	snprintf(buf, n,
		 "warp.partial_blocks = %u: the kernel has barriers, and two blocks that wait at "
		 "one for warps without room could wait for each other",
		 m->partial_blocks);
	return buf;
}
