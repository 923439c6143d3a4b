/* Registers and shared memory of warp-group products (wgmma) that are still in flight (--check race).
 *
 *   wgmma.mma_async      |------------------------|  until wgmma.wait_group leaves no more groups than were
 *   another instruction     reads or writes D, or    committed after the product's own
 *                           writes A or B: an error
 *
 * Further products may use the accumulators of a product in flight. A mov does not count as a use:
 * compilers copy accumulators between products, and the copy then counts as in flight too.
 * Registers are tracked under their PTX names, in the kernel's own code; in machine code they are
 * not, because its assembler places the waits.
 *
 * For each warp and each 16 bytes of shared memory the last product that reads them is recorded. A store before
 * the wait is an error. The wait records these reads once more, so that the store must be ordered after the wait:
 *
 *   consumer   wgmma  commit  mbarrier.arrive  wait_group 0
 *   producer                            \--> wait, overwrites: a race, although the arrival comes after wgmma */
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
	bool commits = inst_is(in, OF_PRODUCT_GROUP);
	c->committed += commits;
	if (l->img->kernel->native || w->pc < f->start || w->pc >= f->end)
		return;
	if (inst_is(in, OF_PRODUCT)) {
		begin_product(w, u);
	} else if (commits) {
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

/* ---- shared memory ---- */

enum { UNIT = 16 };

static uint32_t unit_count(const struct cta *b) { return b->l->shared_bytes / UNIT + 1; }

void products_clear(struct cta *b)
{
	struct block_check *c = b->check;
	for (uint32_t i = 0; c->read_by && i < c->nwarps; i++)
		if (c->read_by[i])
			memset(c->read_by[i], 0, unit_count(b) * sizeof **c->read_by);
}

void products_free(struct block_check *c)
{
	for (uint32_t i = 0; c->read_by && i < c->nwarps; i++)
		free(c->read_by[i]);
	free(c->read_by);
}

void products_read(struct warp *w, uint32_t at, uint32_t n)
{
	struct block_check *c = w->cta->check;
	struct warp_check *k = &c->w[w->id];
	uint32_t from = at / UNIT, end = (at + n + UNIT - 1) / UNIT;
	if (!c->read_by)
		c->read_by = xcalloc(c->nwarps, sizeof *c->read_by);
	if (!c->read_by[w->id])
		c->read_by[w->id] = xcalloc(unit_count(w->cta), sizeof **c->read_by);
	for (uint32_t i = from; i < end && i < unit_count(w->cta); i++)
		c->read_by[w->id][i] = (struct product_read){w->pc, k->committed + 1};
	if (k->read_from == k->read_end)
		k->read_from = from;
	k->read_from = from < k->read_from ? from : k->read_from;
	k->read_end = end > k->read_end ? end : k->read_end;
}

/* Records the reads of the groups up to number `done`, which the warp has waited for: an order that
 * begins at an earlier action of the warp does not include them. */
static void record_reads(struct warp *w, const struct uop *u, unsigned lane, uint32_t done)
{
	struct warp_check *k = &w->cta->check->w[w->id];
	struct product_read *r = w->cta->check->read_by[w->id];
	uint32_t pc = w->pc, from = k->read_end, end = k->read_from;
	for (uint32_t i = k->read_from, n; i < k->read_end; i += n) {
		struct product_read first = r[i];
		for (n = 1; i + n < k->read_end && r[i + n].group == first.group &&
			    r[i + n].pc == first.pc;)
			n++;
		if (!first.group || first.group > done) {
			from = first.group && i < from ? i : from;
			end = first.group ? i + n : end;
			continue;
		}
		w->pc = first.pc;
		shadow_shared(w, u, lane, w->cta, i * UNIT, n * UNIT, ACC_READ);
		memset(&r[i], 0, n * sizeof *r);
	}
	w->pc = pc;
	k->read_from = from < end ? from : 0;
	k->read_end = from < end ? end : 0;
}

void products_wait(struct warp *w, const struct uop *u, unsigned lane, uint32_t left)
{
	struct warp_check *c = &w->cta->check->w[w->id];
	if (c->committed > left && c->committed - left > c->waited)
		c->waited = c->committed - left;
	if (c->read_from < c->read_end)
		record_reads(w, u, lane, c->waited);
	for (size_t i = c->products.n; i-- > 0;) {
		struct under_product *p = &c->products.v[i];
		if (p->group != NOT_COMMITTED && c->committed - p->group >= left)
			forget_register(c, p);
	}
}

static void report_overwrite(struct warp *w, const struct uop *u, unsigned lane,
			     const struct cta *owner, uint32_t at, uint32_t warp, uint32_t pc)
{
	const struct launch *l = w->cta->l;
	char place[PLACE_TEXT], whose[PLACE_TEXT], of[100];
	struct report *r =
		check_report(w, u, lane, HEDDLE_FAULT_RACE, at, UNIT, pc, "operand of a product");
	if (!r)
		return;
	check_where(l->img, pc, place, sizeof place);
	r->other_block = owner->index;
	r->other_thread = check_first(l, warp);
	report_text(
		r,
		"shared memory%s at 0x%x%s: written here, read by wgmma at %s, for which warp %u "
		"of block %llu has not waited by wgmma.wait_group",
		check_block(of, sizeof of, w, owner), at,
		check_whose(whose, sizeof whose, w, true, at), place, warp,
		(unsigned long long)owner->index);
}

void products_overwrite(struct warp *w, const struct uop *u, unsigned lane, const struct cta *owner,
			uint32_t at, uint32_t n)
{
	const struct block_check *c = owner->check;
	uint32_t from = at / UNIT, end = (at + n + UNIT - 1) / UNIT;
	for (uint32_t k = 0; c->read_by && n && k < c->nwarps; k++)
		for (uint32_t i = from < c->w[k].read_from ? c->w[k].read_from : from;
		     i < end && i < c->w[k].read_end; i++) {
			struct product_read *p = &c->read_by[k][i];
			if (!p->group)
				continue;
			report_overwrite(w, u, lane, owner, i * UNIT, k, p->pc);
			p->group = 0;
		}
}
