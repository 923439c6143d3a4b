/* Registers of warp-group products (wgmma) that are still in flight (--check race).
 *
 *   wgmma.mma_async      |------------------------|  until wgmma.wait_group leaves no more groups than were
 *   another instruction     reads or writes D, or    committed after the product's own
 *                           writes A: an error
 *
 * Further products may use the accumulators of a product in flight. A mov does not count as a use:
 * compilers copy accumulators between products, and the copy then counts as in flight too.
 * Registers are tracked under their PTX names, in the kernel's own code. Machine code is not
 * checked, because its assembler places the waits. */
#include <stdio.h>
#include "check/check.h"

static struct under_product *find_register(struct warp_check *c, uint32_t reg)
{
	for (size_t i = 0; i < c->products.n; i++)
		if (c->products.v[i].reg == reg)
			return &c->products.v[i];
	return NULL;
}

static void forget_register(struct warp_check *c, struct under_product *p)
{
	*p = c->products.v[--c->products.n];
}

static void report_register(struct warp *w, const struct uop *u, const struct under_product *p,
			    bool writes)
{
	const struct image *img = w->cta->l->img;
	const struct reg *r = &img->funcs[0].f->regs.v[p->reg];
	char place[PLACE_TEXT];
	struct report *x = check_report(w, u, (unsigned)__builtin_ctz(w->mask), HEDDLE_FAULT_RACE,
					0, 0, p->pc, writes ? "product written" : "product read");
	if (!x)
		return;
	check_where(img, p->pc, place, sizeof place);
	x->other_block = w->cta->index;
	x->other_thread = check_first(w->cta->l, w->id);
	report_text(x,
		    "register %s, %s of wgmma.mma_async at %s: %s here, before a wgmma.wait_group "
		    "has waited for the product",
		    r->name ? r->name : "without name", p->result ? "an accumulator" : "matrix A",
		    place, writes ? "written" : "read");
}

static void use_register(struct warp *w, const struct uop *u, uint32_t reg, bool writes)
{
	struct warp_check *c = &w->cta->check->w[w->id];
	struct under_product *p = find_register(c, reg);
	if (!p || (!writes && !p->result))
		return;
	report_register(w, u, p, writes);
	forget_register(c, p);
}

static void begin_register(struct warp *w, uint32_t reg, bool result)
{
	struct warp_check *c = &w->cta->check->w[w->id];
	struct under_product *p = find_register(c, reg);
	struct under_product now = {reg, w->pc, NOT_COMMITTED, result};
	if (p)
		*p = now;
	else
		vec_push(&c->products, now);
}

static void begin_product(struct warp *w, const struct uop *u)
{
	const struct inst *in = u->in;
	struct warp_check *c = &w->cta->check->w[w->id];
	const struct opnd *a = inst_src(in, in->grp[0]);
	for (unsigned i = 0; i < in->grp[1]; i++)
		if (a[i].kind == OPND_REG)
			use_register(w, u, a[i].reg, false);
	for (unsigned i = 0; i < in->nd; i++) {
		struct under_product *p =
			in->opnd[i].kind == OPND_REG ? find_register(c, in->opnd[i].reg) : NULL;
		if (p && !p->result)
			use_register(w, u, in->opnd[i].reg, true);
	}
	for (unsigned i = 0; i < in->grp[1]; i++)
		if (a[i].kind == OPND_REG)
			begin_register(w, a[i].reg, false);
	for (unsigned i = 0; i < in->nd; i++)
		if (in->opnd[i].kind == OPND_REG)
			begin_register(w, in->opnd[i].reg, true);
}

/* Handles a copy of a register in flight: the copy is in flight too. True: the instruction was such
 * a copy. */
static bool copy_register(struct warp *w, const struct inst *in)
{
	struct warp_check *c = &w->cta->check->w[w->id];
	const struct opnd *d = &in->opnd[0], *s = &in->opnd[1];
	if (!inst_is(in, OF_COPIES) || in->nd != 1 || in->ns != 1 || d->kind != OPND_REG ||
	    s->kind != OPND_REG)
		return false;
	struct under_product *p = find_register(c, s->reg), *to = find_register(c, d->reg);
	if (!p || !p->result)
		return false;
	struct under_product copy = *p;
	copy.reg = d->reg;
	if (to)
		*to = copy;
	else
		vec_push(&c->products, copy);
	return true;
}

bool products_watch(const struct inst *in)
{
	return inst_is(in, OF_PRODUCT | OF_PRODUCT_GROUP) || in->nd || in->ns;
}

void products_look(struct warp *w, const struct uop *u)
{
	const struct launch *l = w->cta->l;
	const struct image_func *f = &l->img->funcs[0];
	const struct inst *in = u->in;
	struct warp_check *c = &w->cta->check->w[w->id];
	if (l->img->kernel->native || w->pc < f->start || w->pc >= f->end)
		return;
	if (inst_is(in, OF_PRODUCT)) {
		begin_product(w, u);
	} else if (inst_is(in, OF_PRODUCT_GROUP) && in->mode == WGG_COMMIT) {
		c->committed++;
		for (size_t i = 0; i < c->products.n; i++)
			if (c->products.v[i].group == NOT_COMMITTED)
				c->products.v[i].group = c->committed;
	} else if (c->products.n && !copy_register(w, in)) {
		unsigned n = in->nd + in->ns; /* sources are read before results are written */
		for (unsigned i = 0; i < n && c->products.n; i++) {
			unsigned k = i < in->ns ? in->nd + i : i - in->ns;
			const struct opnd *o = &in->opnd[k];
			if ((o->kind == OPND_REG || o->kind == OPND_MEM) && o->reg != NO_REG)
				use_register(w, u, o->reg, k < in->nd && o->kind == OPND_REG);
		}
	}
}

void products_wait(struct warp *w, uint32_t left)
{
	struct warp_check *c = &w->cta->check->w[w->id];
	for (size_t i = c->products.n; i-- > 0;) {
		struct under_product *p = &c->products.v[i];
		if (p->group != NOT_COMMITTED && c->committed - p->group >= left)
			forget_register(c, p);
	}
}
