/* Register allocation by colouring the interference graph of values, with spills to local memory.
 *
 * Values that are live at the same time get different registers. Quads and pairs choose first,
 * aligned, then single words, each in the order of the number of words they interfere with. Both
 * ends of a copy share a register where possible. If a value finds no register, it or a cheaper
 * value that interferes is spilled (spill.c; a predicate goes to a register), and allocation starts
 * again. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/crowd.h"

/* The first rounds spill one value, which may be enough, and in a long function one more per
 * TOGETHER values; the number doubles every MORE rounds. CROWD: with more live words than CROWD
 * times the registers no graph is built. From round LATE on several values that block one value go
 * at once: many short ones may hold all registers in turn. */
enum { ROUNDS = 256, TOGETHER = 512, MORE = 16, CROWD = 4, LATE = 160 };
enum { GROUP_FIRST = 24 }; /* first register of an operand of a warp group's product */

struct rivals {
	struct mfunc *m;
	uint32_t n; /* values */
	struct mlive live;
	VEC(uint32_t) pair; /* pairs of values that are live together */
	uint32_t *first;    /* [value], n + 1 entries: index in rival of its first interfering
	                     * value */
	uint32_t *end;      /* [value] */
	uint32_t *rival;
	float *cost;      /* cost of spilling it */
	uint32_t *weight; /* words that it interferes with */
	uint32_t *hint;   /* other end of a copy, or V_NONE */
	bool *across; /* [value]: lives across a call, which changes predicates and some registers; NULL: no calls */
};

/* ---- interference ---- */

static bool one_class(const struct mfunc *m, uint32_t a, uint32_t b)
{
	return !m->val.v[a].words == !m->val.v[b].words &&
	       m->val.v[a].address == m->val.v[b].address;
}

static void connect_values(struct rivals *g, uint32_t a, uint32_t b)
{
	if (a == b || !one_class(g->m, a, b))
		return;
	vec_push(&g->pair, a);
	vec_push(&g->pair, b);
}

static bool is_copy(const struct mi *in)
{
	return !strcmp(in->name, "MOV") && in->nd == 1 && in->o[0].kind == MO_REG &&
	       in->o[1].kind == MO_REG && !in->o[0].half && !in->o[1].half;
}

static void add_rivals(struct rivals *g, const struct mi *in, const struct mset *live)
{
	for (unsigned d = 0; d < in->nd; d++) {
		uint32_t v = mo_value(&in->o[d]);
		if (v == V_NONE)
			continue;
		/* both ends of a copy of a whole word may share a register */
		uint32_t but = is_copy(in) && g->m->val.v[v].words == 1 &&
					       g->m->val.v[in->o[1].v].words == 1
				       ? in->o[1].v
				       : V_NONE;
		for (uint32_t i = 0; i < live->n; i++)
			if (live->v[i] != but)
				connect_values(g, v, live->v[i]);
		for (unsigned e = 0; e < in->nd; e++)
			if (mo_value(&in->o[e]) != V_NONE)
				connect_values(g, v, mo_value(&in->o[e]));
	}
}

static void count_uses(struct rivals *g, const struct mi *in, float weight)
{
	for (unsigned i = 0; i < in->n; i++) {
		uint32_t v = mo_value(&in->o[i]);
		if (v != V_NONE)
			g->cost[v] += weight;
	}
	if (in->guard != V_TRUE)
		g->cost[in->guard] += weight;
	if (is_copy(in)) {
		g->hint[in->o[0].v] = in->o[1].v;
		if (g->hint[in->o[1].v] == V_NONE)
			g->hint[in->o[1].v] = in->o[0].v;
	}
}

/* The weight of an instruction: times ten for each loop around it, at most a million. */
static float *loop_weights(const struct rivals *g)
{
	const struct mfunc *m = g->m;
	float *w = xmalloc((m->code.n + 1) * sizeof *w);
	int *loops = xcalloc(m->code.n + 1, sizeof *loops),
	    depth = 0; /* loops that have begun less those that have ended */
	for (uint32_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		uint32_t to = in->name && in->label
				      ? g->live.b.first[g->live.b.of_label[in->label - 1]]
				      : UINT32_MAX;
		if (to <= i) {
			loops[to]++;
			loops[i + 1]--;
		}
	}
	for (uint32_t i = 0; i < m->code.n; i++) {
		depth += loops[i];
		w[i] = 1;
		for (int k = 0; k < depth && k < 6; k++)
			w[i] *= 10;
	}
	free(loops);
	return w;
}

static void find_costs(struct rivals *g)
{
	float *w = loop_weights(g);
	for (uint32_t b = 0; b < g->live.b.n; b++)
		for (uint32_t i = g->live.b.first[b + 1]; i-- > g->live.b.first[b];)
			if (g->m->code.v[i].name)
				count_uses(g, &g->m->code.v[i], w[i]);
	free(w);
}

/* Marks the values that live across a call (sm90/call.c), or are its operands without a place of their own. */
static void mark_across(struct rivals *g, const struct mi *in, const struct mset *live)
{
	for (uint32_t i = 0; i < live->n; i++)
		g->across[live->v[i]] = true;
	for (unsigned k = 0; k < in->n; k++)
		if (mo_value(&in->o[k]) != V_NONE)
			g->across[in->o[k].v] = !g->m->val.v[in->o[k].v].pinned;
}

static void find_pairs(struct rivals *g)
{
	struct mset live;
	mset_new(&live, g->m);
	for (uint32_t b = 0; b < g->live.b.n; b++) {
		mlive_end(&g->live, b, &live);
		for (uint32_t i = g->live.b.first[b + 1]; i-- > g->live.b.first[b];) {
			const struct mi *in = &g->m->code.v[i];
			if (!in->name)
				continue;
			add_rivals(g, in, &live);
			if (g->across && mi_is(in, "CALL"))
				mark_across(g, in, &live);
			mset_back(&live, g->m, in);
		}
	}
	/* values that are read before they are written begin at the start */
	if (g->live.b.n)
		mlive_begin(&g->live, 0, &live);
	for (uint32_t i = 0; g->live.b.n && i < live.n; i++)
		for (uint32_t k = i + 1; k < live.n; k++)
			connect_values(g, live.v[i], live.v[k]);
	mset_free(&live);
}

/* Turns pairs, which may repeat, into a list of interfering values for each value, without
 * repetition. */
static void find_rivals(struct rivals *g)
{
	uint32_t *seen = xcalloc(g->n + 1, sizeof *seen); /* [value]: value, plus 1, whose list last
	                                                   * got it */
	g->first = xcalloc(g->n + 2, sizeof *g->first);
	g->end = xmalloc((g->n + 1) * sizeof *g->end);
	g->rival = xmalloc((g->pair.n + 1) * sizeof *g->rival);
	for (size_t i = 0; i < g->pair.n; i++)
		g->first[g->pair.v[i] + 1]++;
	for (uint32_t v = 0; v < g->n; v++) {
		g->first[v + 1] += g->first[v];
		g->end[v] = g->first[v];
	}
	for (size_t i = 0; i < g->pair.n; i++)
		g->rival[g->end[g->pair.v[i]]++] = g->pair.v[i ^ 1];
	for (uint32_t v = 0; v < g->n; v++) {
		uint32_t to = g->first[v];
		for (uint32_t i = to; i < g->end[v]; i++) {
			uint32_t o = g->rival[i];
			if (seen[o] == v + 1)
				continue;
			seen[o] = v + 1;
			g->rival[to++] = o;
			g->weight[v] += g->m->val.v[o].words ? g->m->val.v[o].words : 1;
		}
		g->end[v] = to;
	}
	vec_free(&g->pair);
	free(seen);
}

/* ---- colours ---- */

/* Registers as bits; a value of four words may begin at the last register. */
struct bank {
	uint64_t w[5];
};

static void take_registers(struct bank *b, unsigned at, unsigned n)
{
	for (unsigned i = at; i < at + n; i++)
		b->w[i / 64] |= 1ull << i % 64;
}

static bool are_free(const struct bank *b, unsigned at, unsigned n)
{
	for (unsigned i = at; i < at + n; i++)
		if (b->w[i / 64] >> i % 64 & 1)
			return false;
	return true;
}

/* The registers that a call changes: predicates, R0 to R15, R20 and R21. */
static void take_changed(struct bank *b, unsigned words)
{
	if (!words) {
		take_registers(b, 0, 8);
		return;
	}
	take_registers(b, 0, 16);
	take_registers(b, 20, 2);
}

static void find_taken(const struct rivals *g, uint32_t v, struct bank *used)
{
	*used = (struct bank){{0}};
	if (g->m->val.v[v].words && g->m->target->reserved)
		take_registers(used, g->m->target->reserved - 1, 1);
	if (g->across && g->across[v] && !g->m->val.v[v].pinned)
		take_changed(used, g->m->val.v[v].words);
	for (uint32_t i = g->first[v]; i < g->end[v]; i++) {
		const struct mval *o = &g->m->val.v[g->rival[i]];
		if (o->color != 255)
			take_registers(used, o->color, o->words ? o->words : 1);
	}
}

static bool color_value(struct rivals *g, uint32_t v, unsigned registers)
{
	struct mval *x = &g->m->val.v[v];
	const struct mtarget *mach = g->m->target;
	unsigned n = x->words ? x->words : 1, top = x->words     ? registers
						    : x->address ? mach->addresses
								 : mach->predicates;
	struct bank used;
	uint32_t h = g->hint[v];
	find_taken(g, v, &used);
	if (x->pinned) { /* pinned values get their registers first */
		x->color = (uint8_t)(x->pinned - 1);
		return are_free(&used, x->color, n);
	}
	if (h != V_NONE && g->m->val.v[h].color != 255 && g->m->val.v[h].words == x->words &&
	    are_free(&used, g->m->val.v[h].color, n)) {
		x->color = g->m->val.v[h].color;
		return true;
	}
	unsigned step = x->group ? x->group : n;
	for (unsigned c = x->group ? GROUP_FIRST : 0; c + n <= top; c += step)
		if (are_free(&used, c, n)) {
			x->color = (uint8_t)c;
			return true;
		}
	return false;
}

struct rank {
	uint32_t v, words, weight;
	bool pinned;
};
static int by_need(const void *a, const void *b)
{
	const struct rank *x = a, *y = b;
	if (x->pinned != y->pinned)
		return x->pinned ? -1 : 1;
	if (x->words != y->words)
		return x->words > y->words ? -1 : 1;
	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->v < y->v ? -1 : x->v > y->v;
}

static float price_of(const struct rivals *g, uint32_t v)
{
	return g->cost[v] / (float)(g->weight[v] + 1);
}

/* The value to spill so that v finds a register: the cheapest among v and the values it interferes
 * with. */
static uint32_t choose_victim(const struct rivals *g, uint32_t v)
{
	uint32_t best = mval_may_go(&g->m->val.v[v]) ? v : V_NONE;
	if (g->across && g->across[v] && !g->m->val.v[v].words)
		return best; /* no predicate survives a call */
	for (uint32_t i = g->first[v]; i < g->end[v]; i++) {
		uint32_t o = g->rival[i];
		if (!mval_may_go(&g->m->val.v[o]))
			continue;
		float c = price_of(g, o), than = best == V_NONE ? 0 : price_of(g, best);
		if (best == V_NONE || c < than || (c == than && o < best))
			best = o;
	}
	return best;
}

/* Chooses up to `each` values to spill for v, which has found no register; false: no value can be
 * spilled. */
static bool make_room(struct rivals *g, uint32_t v, unsigned each, mvalue_list *spills)
{
	for (unsigned k = 0; k < each; k++) {
		uint32_t no = choose_victim(g, v);
		if (no == V_NONE)
			return k > 0;
		vec_push(spills, no);
		g->m->val.v[no].spilled = true;
		g->m->val.v[no].color = 255;
		if (no == v)
			return true;
	}
	return true;
}

/* Colours all values. False: the values in `spills`, about `most`, have to be spilled, `each` per
 * value that finds no register; if the list is empty, colouring is impossible. */
static bool color_all(struct rivals *g, unsigned registers, mvalue_list *spills, uint32_t most,
		      unsigned each)
{
	struct rank *r = xmalloc((g->n + 1) * sizeof *r);
	struct mval *val = g->m->val.v;
	bool ok = true;
	for (uint32_t v = 0; v < g->n; v++) {
		r[v] = (struct rank){v, val[v].words, g->weight[v] + (val[v].piece ? 1u << 30 : 0),
				     val[v].pinned != 0};
		val[v].color = 255;
	}
	qsort(r, g->n, sizeof *r, by_need);
	for (uint32_t i = 0; i < g->n && spills->n < most; i++) {
		if (val[r[i].v].spilled || color_value(g, r[i].v, registers))
			continue;
		ok = false;
		if (!make_room(g, r[i].v, each, spills))
			break;
		if (!val[r[i].v].spilled)
			color_value(g, r[i].v, registers);
	}
	free(r);
	return ok;
}

static void rivals_free(struct rivals *g)
{
	mlive_free(&g->live);
	vec_free(&g->pair);
	free(g->first);
	free(g->end);
	free(g->rival);
	free(g->cost);
	free(g->weight);
	free(g->hint);
	free(g->across);
}

static void count_registers(struct mfunc *m)
{
	m->registers = 0;
	for (size_t v = 0; v < m->val.n; v++) {
		const struct mval *x = &m->val.v[v];
		if (x->words && !x->spilled && x->color + x->words > m->registers)
			m->registers = x->color + x->words;
	}
}

/* Renumbers the values that the code still has, from 0 on in their order: most of a long function's
 * were removed by earlier passes. */
static void renumber_values(struct mfunc *m)
{
	uint32_t *to = xcalloc(m->val.n + 1, sizeof *to), n = 0;
	for (size_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		for (unsigned k = 0; in->name && k < in->n; k++)
			if (mo_value(&in->o[k]) != V_NONE)
				to[in->o[k].v] = 1;
		if (in->name && in->guard != V_TRUE)
			to[in->guard] = 1;
	}
	for (size_t v = 0; v < m->val.n; v++)
		if (to[v]) {
			m->val.v[n] = m->val.v[v];
			to[v] = n++;
		}
	m->val.n = n;
	for (size_t i = 0; i < m->code.n; i++) {
		struct mi *in = &m->code.v[i];
		for (unsigned k = 0; in->name && k < in->n; k++)
			if (mo_value(&in->o[k]) != V_NONE)
				in->o[k].v = to[in->o[k].v];
		if (in->name && in->guard != V_TRUE)
			in->guard = to[in->guard];
	}
	free(to);
}

/* Tries once to colour all values; on failure `spills` has the values to spill before the next
 * attempt. */
static bool try_colors(struct mfunc *m, unsigned registers, unsigned round, mvalue_list *spills)
{
	struct rivals g = {.m = m, .n = (uint32_t)m->val.n};
	bool ok = false;
	g.cost = xcalloc(g.n + 1, sizeof *g.cost);
	g.weight = xcalloc(g.n + 1, sizeof *g.weight);
	g.hint = xmalloc((g.n + 1) * sizeof *g.hint);
	memset(g.hint, 0xff, (g.n + 1) * sizeof *g.hint);
	if (m->calls)
		g.across = xcalloc(g.n + 1, sizeof *g.across);
	mlive_find(&g.live, m);
	find_costs(&g);
	mir_crowd(m, &g.live, g.cost, CROWD * registers, CROWD * registers, spills);
	if (!spills->n) {
		find_pairs(&g);
		find_rivals(&g);
		ok = color_all(&g, registers, spills, (1 + g.n / TOGETHER) << round / MORE,
			       round < LATE ? 1 : 2u << (round - LATE) / MORE);
	}
	rivals_free(&g);
	return ok;
}

static bool has_words(const struct mfunc *m, const mvalue_list *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (m->val.v[v->v[i]].words)
			return true;
	return false;
}

bool mir_allocate(struct mfunc *m, unsigned registers, bool may_spill)
{
	bool ok = false;
	mvalue_list spills = {0};
	uint32_t base = m->local;
	renumber_values(m);
	for (unsigned round = 0; round < ROUNDS && !ok; round++) {
		spills.n = 0;
		ok = try_colors(m, registers, round, &spills);
		if (ok)
			count_registers(m);
		else if (!spills.n || (!may_spill && has_words(m, &spills)))
			break;
		else
			mir_spill(m, spills.v, spills.n);
	}
	vec_free(&spills);
	if (ok)
		mir_slots(m, base);
	return ok;
}
