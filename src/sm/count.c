/* Figures of instructions that do not take the fast path of count.h. */
#include "sm/count.h"

/* Counts aligned runs of `lanes` lanes, a power of two, with at least one lane of m. */
static inline unsigned runs_touched(lanemask m, unsigned lanes, lanemask each)
{
	for (unsigned i = 1; i < lanes; i <<= 1)
		m |= m >> i;
	return lanes_in(m & each);
}

/* Counts an instruction that some lanes execute, or that takes an unusual number of parts. */
static __attribute__((noinline)) void count_partial(struct sm *sm, struct prof *p,
						    const struct tinst *t, lanemask m,
						    unsigned lanes, unsigned parts)
{
	const struct rf_count *f = &sm->rf;
	struct op_count *c = &sm->op[t->opclass];
	unsigned read = parts * f->arrays, write = runs_touched(m, f->lanes, f->each_array),
		 words = lanes;
	if (t->scalar && lanes) { /* operands that are scalars are read once for all lanes */
		c->saved += lanes - 1;
		read = write = words = 1;
		if (sm->m->facts.scalar_file) {
			STAT(&sm->stats, scalar_reads) += t->nread;
			STAT(&sm->stats, scalar_writes) += t->nwrite;
			read = write = words = 0;
		}
	} else if (f->gate == GATE_LANE)
		read = lanes;
	else if (f->gate == GATE_PART)
		read = runs_touched(m, f->unit, f->each_unit) * (f->unit / f->lanes);
	c->ops++;
	c->threads += lanes;
	c->more_parts += (uint64_t)parts - f->parts;
	c->reads += t->nread * read;
	c->writes += t->nwrite * write;
	c->words += t->nwrite * words;
	p->reads += read;
	p->writes += write;
}

/* Counts the instruction's class and register accesses, for energy. A branch reads no register per
 * lane. */
static inline void count_class(struct sm *sm, struct prof *p, const struct tinst *t, lanemask m,
			       unsigned lanes, unsigned parts)
{
	struct op_count *c = &sm->op[t->opclass];
	if (t->nscalar && sm->m->facts.scalar_file)
		STAT(&sm->stats, broadcasts) += t->nscalar;
	if (parts != sm->rf.parts || t->scalar || (m != sm->rf.full && sm->rf.gate != GATE_NONE)) {
		count_partial(sm, p, t, m, lanes, parts);
	} else if (m != sm->rf.full) { /* operands are read as for a full warp */
		unsigned write = runs_touched(m, sm->rf.lanes, sm->rf.each_array);
		c->ops++;
		c->threads += lanes;
		c->full_reads += t->nread;
		c->writes += t->nwrite * write;
		c->words += t->nwrite * lanes;
		p->reads += parts * sm->rf.arrays;
		p->writes += write;
	} else {
		c->full++;
		c->full_reads += t->nread;
		c->full_writes += t->nwrite;
		p->full++;
	}
}

void count_issue(struct sm *sm, struct prof *p, const struct uop *u, const struct tinst *t,
		 lanemask m, lanemask active, unsigned parts)
{
	unsigned threads = active == sm->rf.full ? sm->m->warp_size : lanes_in(active);
	unsigned lanes = (u->flags & UOP_BRANCH) || m == active ? threads : lanes_in(m);
	p->issued++;
	p->lanes += lanes;
	if ((u->flags & UOP_BRANCH) && m && m != active) {
		p->divergent++;
		STAT(&sm->stats, divergent)++;
	}
	sm->stats.active_lanes[lanes]++;
	sm->stats.group_threads[threads]++;
	if (t->products)
		STAT(&sm->stats, mma_products) += t->products;
	count_class(sm, p, t, (u->flags & UOP_BRANCH) ? active : m, lanes, parts);
}
