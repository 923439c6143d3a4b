/* Finds the blocks of machine code and the edges between them (blocks.h). */
#include "back/mir/blocks.h"
#include <stdlib.h>

static bool is_leader(const struct mfunc *m, uint32_t i)
{
	if (!i || !m->code.v[i].name)
		return true;
	const struct mi *p = &m->code.v[i - 1];
	return p->name && (p->label || p->ends);
}

void mblocks_find(struct mblocks *b, const struct mfunc *m)
{
	b->n = 0;
	b->first = xmalloc((m->code.n + 1) * sizeof *b->first);
	b->of_label = xcalloc(m->labels + 1, sizeof *b->of_label);
	for (uint32_t i = 0; i < m->code.n; i++) {
		if (is_leader(m, i))
			b->first[b->n++] = i;
		if (!m->code.v[i].name)
			b->of_label[m->code.v[i].label] = b->n - 1;
	}
	b->first[b->n] = (uint32_t)m->code.n;
}

void mblocks_free(struct mblocks *b)
{
	free(b->first);
	free(b->of_label);
}

unsigned mblocks_next(const struct mblocks *b, const struct mfunc *m, uint32_t k, uint32_t to[2])
{
	const struct mi *last = &m->code.v[b->first[k + 1] - 1];
	bool falls = !last->name || !last->ends || last->guard != V_TRUE;
	unsigned n = 0;
	if (falls && k + 1 < b->n)
		to[n++] = k + 1;
	if (last->name && last->label)
		to[n++] = b->of_label[last->label - 1];
	return n;
}

void mblocks_graph(const struct mblocks *b, const struct mfunc *m, struct graph *g, struct arena *a)
{
	edge_vec e = {0};
	for (uint32_t k = 0; k < b->n; k++) {
		uint32_t to[2];
		unsigned n = mblocks_next(b, m, k, to);
		for (unsigned i = 0; i < n; i++)
			vec_push(&e, ((struct edge){k, to[i]}));
	}
	graph_build(g, a, b->n, e.v, e.n);
	vec_free(&e);
}

uint32_t mblocks_first_loop(const struct mfunc *m)
{
	uint32_t *at = xcalloc(m->labels + 1, sizeof *at), first = (uint32_t)m->code.n;
	for (uint32_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		if (!in->name)
			at[in->label] = i + 1;
		else if (in->label && at[in->label - 1] && at[in->label - 1] - 1 < first)
			first = at[in->label - 1] - 1;
	}
	free(at);
	return first;
}
