/* Registers for the values of a function: colours of an interference graph, spills to local memory.
 * Values live at the same time get different registers. Quads and pairs choose first, aligned, then
 * single words, each in the order of the words it competes with; the two ends of a copy share a
 * register where they can. A value that finds none is spilled to local memory (a predicate: to a
 * register), or a cheaper one in its way, and allocation starts again. */
#include <stdlib.h>
#include <string.h>
#include "back/blocks.h"

typedef uint64_t bits_t;
typedef VEC(uint32_t) value_list;
/* A round spills one value, since that may be enough, and of a long function one more for each
 * TOGETHER values. */
enum { WORD = 64, ROUNDS = 1200, TOGETHER = 512 };

struct rivals {
	struct mfunc *m;
	uint32_t n, words; /* values; 64-bit words of a set of them */
	struct mblocks b;
	bits_t *in, *out; /* of blocks: live values */
	bits_t *edge;     /* n sets: who a value competes with */
	float *cost;      /* of spilling it */
	uint32_t *weight; /* words it competes with */
	uint32_t *hint;   /* the other end of a copy, or V_NONE */
};

static bool has(const bits_t *s, uint32_t i) { return s[i / WORD] >> (i % WORD) & 1; }
static void add(bits_t *s, uint32_t i) { s[i / WORD] |= (bits_t)1 << (i % WORD); }
static void drop(bits_t *s, uint32_t i) { s[i / WORD] &= ~((bits_t)1 << (i % WORD)); }

/* ---- liveness ---- */

static void step_back(const struct mfunc *m, const struct mi *in, bits_t *live)
{
	for (unsigned d = 0; d < in->nd; d++) {
		uint32_t v = mo_value(&in->o[d]);
		if (v != V_NONE && mi_begins(m, in, d))
			drop(live, v);
		else if (v != V_NONE)
			add(live, v);
	}
	for (unsigned s = in->nd; s < in->n; s++) {
		uint32_t v = mo_value(&in->o[s]);
		if (v != V_NONE)
			add(live, v);
	}
	if (in->guard != V_TRUE)
		add(live, in->guard);
}

static bool merge(bits_t *to, const bits_t *from, uint32_t n)
{
	bits_t change = 0;
	for (uint32_t i = 0; i < n; i++) {
		change |= from[i] & ~to[i];
		to[i] |= from[i];
	}
	return change != 0;
}

static void live_out(struct rivals *g, uint32_t b)
{
	uint32_t to[2];
	unsigned n = mblocks_next(&g->b, g->m, b, to);
	for (unsigned i = 0; i < n; i++)
		merge(g->out + (size_t)b * g->words, g->in + (size_t)to[i] * g->words, g->words);
}

static void find_live(struct rivals *g)
{
	bits_t *live = xmalloc((g->words + 1) * sizeof *live);
	g->in = xcalloc((size_t)g->b.n * g->words + 1, sizeof *g->in);
	g->out = xcalloc((size_t)g->b.n * g->words + 1, sizeof *g->out);
	for (bool change = true; change;) {
		change = false;
		for (uint32_t b = g->b.n; b-- > 0;) {
			live_out(g, b);
			memcpy(live, g->out + (size_t)b * g->words, g->words * sizeof *live);
			for (uint32_t i = g->b.first[b + 1]; i-- > g->b.first[b];)
				if (g->m->code.v[i].name)
					step_back(g->m, &g->m->code.v[i], live);
			change |= merge(g->in + (size_t)b * g->words, live, g->words);
		}
	}
	free(live);
}

/* ---- interference ---- */

static bool one_class(const struct mfunc *m, uint32_t a, uint32_t b)
{
	return !m->val.v[a].words == !m->val.v[b].words &&
	       m->val.v[a].address == m->val.v[b].address;
}

static void connect(struct rivals *g, uint32_t a, uint32_t b)
{
	bits_t *ea = g->edge + (size_t)a * g->words;
	if (a == b || !one_class(g->m, a, b) || has(ea, b))
		return;
	add(ea, b);
	add(g->edge + (size_t)b * g->words, a);
	g->weight[a] += g->m->val.v[b].words ? g->m->val.v[b].words : 1;
	g->weight[b] += g->m->val.v[a].words ? g->m->val.v[a].words : 1;
}

static bool is_copy(const struct mi *in)
{
	return !strcmp(in->name, "MOV") && in->nd == 1 && in->o[0].kind == MO_REG &&
	       in->o[1].kind == MO_REG && !in->o[0].half && !in->o[1].half;
}

static void compete(struct rivals *g, const struct mi *in, const bits_t *live)
{
	for (unsigned d = 0; d < in->nd; d++) {
		uint32_t v = mo_value(&in->o[d]);
		if (v == V_NONE)
			continue;
		/* Both ends of a whole-word copy may share a register. */
		uint32_t but = is_copy(in) && g->m->val.v[v].words == 1 &&
					       g->m->val.v[in->o[1].v].words == 1
				       ? in->o[1].v
				       : V_NONE;
		for (uint32_t w = 0; w < g->words; w++)
			for (bits_t x = live[w]; x; x &= x - 1) {
				uint32_t o = w * WORD + (uint32_t)__builtin_ctzll(x);
				if (o != but)
					connect(g, v, o);
			}
		for (unsigned e = 0; e < in->nd; e++)
			if (mo_value(&in->o[e]) != V_NONE)
				connect(g, v, mo_value(&in->o[e]));
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

/* The weight of an instruction: ten times as much for each loop around it. */
static float *loop_weights(const struct rivals *g)
{
	const struct mfunc *m = g->m;
	float *w = xmalloc((m->code.n + 1) * sizeof *w);
	for (size_t i = 0; i < m->code.n; i++)
		w[i] = 1;
	for (uint32_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		if (!in->name || !in->label)
			continue;
		uint32_t to = g->b.first[g->b.of_label[in->label - 1]];
		for (uint32_t k = to; k <= i && to <= i; k++)
			w[k] = w[k] < 1e6f ? w[k] * 10 : w[k];
	}
	return w;
}

static void find_edges(struct rivals *g)
{
	bits_t *live = xmalloc((g->words + 1) * sizeof *live);
	float *w = loop_weights(g);
	g->edge = xcalloc((size_t)g->n * g->words + 1, sizeof *g->edge);
	for (uint32_t b = 0; b < g->b.n; b++) {
		memcpy(live, g->out + (size_t)b * g->words, g->words * sizeof *live);
		for (uint32_t i = g->b.first[b + 1]; i-- > g->b.first[b];) {
			const struct mi *in = &g->m->code.v[i];
			if (!in->name)
				continue;
			compete(g, in, live);
			count_uses(g, in, w[i]);
			step_back(g->m, in, live);
		}
	}
	/* Values that are read before they are written all begin at the start. */
	for (uint32_t v = 0; v < g->n && g->b.n; v++)
		for (uint32_t o = v + 1; has(g->in, v) && o < g->n; o++)
			if (has(g->in, o))
				connect(g, v, o);
	free(live);
	free(w);
}

/* ---- colours ---- */

static uint64_t taken(const struct rivals *g, uint32_t v)
{
	uint64_t used = 0;
	const bits_t *e = g->edge + (size_t)v * g->words;
	for (uint32_t w = 0; w < g->words; w++)
		for (bits_t x = e[w]; x; x &= x - 1) {
			const struct mval *o =
				&g->m->val.v[w * WORD + (uint32_t)__builtin_ctzll(x)];
			if (o->color != 255)
				used |= ((1ull << (o->words ? o->words : 1)) - 1) << o->color;
		}
	return used;
}

static bool color(struct rivals *g, uint32_t v, unsigned registers)
{
	struct mval *x = &g->m->val.v[v];
	const struct mtarget *mach = g->m->target;
	unsigned n = x->words ? x->words : 1, top = x->words     ? registers
						    : x->address ? mach->addresses
								 : mach->predicates;
	uint64_t used = taken(g, v), want = (1ull << n) - 1;
	uint32_t h = g->hint[v];
	if (x->pinned) { /* the first of all to get one */
		x->color = (uint8_t)(x->pinned - 1);
		return !(used & want << x->color);
	}
	if (h != V_NONE && g->m->val.v[h].color != 255 && g->m->val.v[h].words == x->words &&
	    !(used & want << g->m->val.v[h].color)) {
		x->color = g->m->val.v[h].color;
		return true;
	}
	for (unsigned c = 0; c + n <= top; c += n)
		if (!(used & want << c)) {
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

/* The value to spill so that v finds a register: the cheapest among it and its competitors. */
static uint32_t victim(const struct rivals *g, uint32_t v)
{
	uint32_t best = V_NONE;
	for (uint32_t o = 0; o < g->n; o++) {
		const struct mval *x = &g->m->val.v[o];
		if (x->piece || x->pinned || x->spilled || x->address ||
		    (o != v && !has(g->edge + (size_t)v * g->words, o)))
			continue;
		float c = g->cost[o] / (float)(g->weight[o] + 1);
		if (best == V_NONE || c < g->cost[best] / (float)(g->weight[best] + 1))
			best = o;
	}
	return best;
}

/* Colours all values. False: those in `spills`, at most `most`, are to be spilled; if there is none,
 * it is not possible. */
static bool color_all(struct rivals *g, unsigned registers, value_list *spills, uint32_t most)
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
		if (val[r[i].v].spilled || color(g, r[i].v, registers))
			continue;
		ok = false;
		uint32_t no = victim(g, r[i].v);
		if (no == V_NONE)
			break;
		vec_push(spills, no);
		val[no].spilled = true;
		val[no].color = 255;
		if (no != r[i].v)
			color(g, r[i].v, registers);
	}
	free(r);
	return ok;
}

/* ---- spills ---- */

struct spiller {
	struct mfunc *m;
	uint32_t v, at, reg; /* the value; its place in memory, or the register of a predicate */
	VEC(struct mi) code;
};

static void move_piece(struct spiller *s, uint32_t piece, bool store)
{
	vec_push(&s->code, s->m->target->spill(s->m, piece, s->reg, s->at, store));
	if (s->m->val.v[piece].words)
		++*(store ? &s->m->spill_stores : &s->m->spill_loads);
}

/* One instruction with the value in a piece of its own. */
static void rewrite(struct spiller *s, struct mi in)
{
	bool reads = in.guard == s->v, writes = false;
	for (unsigned i = 0; i < in.n; i++)
		if (mo_value(&in.o[i]) == s->v) {
			writes |= i < in.nd;
			reads |= i >= in.nd || !mi_begins(s->m, &in, i);
		}
	if (!reads && !writes) {
		vec_push(&s->code, in);
		return;
	}
	uint32_t piece = mval_new(s->m, s->m->val.v[s->v].words);
	s->m->val.v[piece].piece = true;
	s->m->val.v[piece].temp = s->m->val.v[s->v].temp;
	if (reads)
		move_piece(s, piece, false);
	for (unsigned i = 0; i < in.n; i++)
		if (mo_value(&in.o[i]) == s->v)
			in.o[i].v = piece;
	if (in.guard == s->v)
		in.guard = piece;
	vec_push(&s->code, in);
	if (writes)
		move_piece(s, piece, true);
}

static void spill(struct mfunc *m, uint32_t v)
{
	struct spiller s = {.m = m, .v = v};
	unsigned bytes = 4u * m->val.v[v].words;
	if (bytes) {
		s.at = (m->local + bytes - 1) / bytes * bytes;
		m->local = s.at + bytes;
	} else {
		s.reg = mval_new(m, 1);
	}
	m->val.v[v].spilled = true;
	for (size_t i = 0; i < m->code.n; i++)
		if (m->code.v[i].name)
			rewrite(&s, m->code.v[i]);
		else
			vec_push(&s.code, m->code.v[i]);
	vec_free(&m->code);
	m->code.v = s.code.v;
	m->code.n = s.code.n;
	m->code.cap = s.code.cap;
}

static void rivals_free(struct rivals *g)
{
	mblocks_free(&g->b);
	free(g->in);
	free(g->out);
	free(g->edge);
	free(g->cost);
	free(g->weight);
	free(g->hint);
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

/* Numbers the values that the code still has from 0 on, in their order: the sets are squares of
 * their number, and most of a long function's went in the passes before. */
static void renumber(struct mfunc *m)
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

/* Spills what did not fit. False: there is nothing, or a register that must not go to memory. */
static bool spill_all(struct mfunc *m, const value_list *spills, bool may_spill)
{
	for (size_t i = 0; i < spills->n; i++)
		if (!may_spill && m->val.v[spills->v[i]].words)
			return false;
	for (size_t i = 0; i < spills->n; i++)
		spill(m, spills->v[i]);
	return spills->n;
}

bool mir_allocate(struct mfunc *m, unsigned registers, bool may_spill)
{
	bool ok = false, more = true;
	value_list spills = {0};
	renumber(m);
	for (unsigned round = 0; round < ROUNDS && more && !ok; round++) {
		struct rivals g = {.m = m, .n = (uint32_t)m->val.n};
		g.words = (g.n + WORD - 1) / WORD;
		g.cost = xcalloc(g.n + 1, sizeof *g.cost);
		g.weight = xcalloc(g.n + 1, sizeof *g.weight);
		g.hint = xmalloc((g.n + 1) * sizeof *g.hint);
		memset(g.hint, 0xff, (g.n + 1) * sizeof *g.hint);
		mblocks_find(&g.b, m);
		find_live(&g);
		find_edges(&g);
		spills.n = 0;
		ok = color_all(&g, registers, &spills, 1 + g.n / TOGETHER);
		rivals_free(&g);
		more = !ok && spill_all(m, &spills, may_spill);
	}
	vec_free(&spills);
	if (ok)
		count_registers(m);
	return ok;
}
