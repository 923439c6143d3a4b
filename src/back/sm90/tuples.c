/* Gives the accumulators of wgmma their registers in a row. Selection names them one by one (wgmma.c); here each product gets a tuple,
 * a value of as many words, with copies before and after it:
 *
 *	GATHER x0, x1;                          MOV T.0, x0;  MOV T.1, x1;
 *	HGMMA ?, gdesc[UR8], ?, UP0;            HGMMA T, gdesc[UR8], T, UP0;
 *	SCATTER y0, y1;                         MOV y0, T.0;  MOV y1, T.1;
 *
 * Then x0, y0 and word 0 of T become one place if they are never live with different contents, and tuples that copies join become one
 * tuple: the accumulators of a loop stay where they are. Copies of inner loops are tried first. A copy that is left stands between
 * products, which then run one after the other (flight.c).
 *
 * A variable is a word of a tuple, or a value of one word that copies join to one. Its slot is the number of the word. */
#include <stdlib.h>
#include <string.h>
#include "back/mir/blocks.h"
#include "back/sm90/sm90.h"

enum { NONE = UINT32_MAX, MOST_WORDS = 128, TOP = 8 };

struct variable {
	uint32_t value;
	uint8_t word;
	uint32_t slot;
	uint32_t parent;  /* union-find over the variables of one place */
	uint32_t next;    /* ring of the variables of one place */
	uint32_t tuple;   /* in a root: a tuple that has a word at this register; NONE: none */
	uint32_t members; /* in a root: number of members */
	VEC(uint32_t) rival;
};

struct tuple {
	uint32_t value, first; /* first: number of its word 0 as a variable */
	uint32_t words, parent;
	uint32_t largest; /* in a root: the tuple with the most words */
};

struct copy {
	uint32_t at, depth;
};

struct gather {
	struct mfunc *m;
	VEC(struct mi) code;
	VEC(struct tuple) tuple;
	VEC(struct variable) var;
	uint32_t *of_value; /* [value]: number of its first variable, plus 1; 0: none */
	VEC(struct copy) copy;
	struct mblocks b;
	bool general; /* the tuples are all values of several words */
	bool *alone; /* [value]: written under a guard where its old contents are lost; such values keep their place */
	uint32_t across; /* 64-bit words per set of variables */
	uint64_t *in;    /* [block * across]: variables live at its start */
	uint32_t *slots; /* variables in the order of their slots */
	uint32_t begin[MOST_WORDS + 1];
};

/* ---- insertion of copies around tuples ---- */

static struct mi copy_inst(const struct mi *like, struct mo to, struct mo from)
{
	return (struct mi){.name = "MOV",
			   .guard = like->guard,
			   .guard_neg = like->guard_neg,
			   .line = like->line,
			   .nd = 1,
			   .n = 2,
			   .o = {to, from}};
}

/* Operands of products in other registers, which they may read until the group is waited for. */
struct held {
	VEC(struct mo) o;
};

static void hold_operands(struct held *h, const struct mi *in)
{
	for (unsigned k = 1; k < in->n; k++)
		if (in->o[k].kind == MO_REG && in->o[k].v != in->o[0].v)
			vec_push(&h->o, in->o[k]);
}

/* Keeps those registers up to this place. */
static void release_operands(struct gather *g, struct held *h)
{
	for (size_t i = 0; i < h->o.n; i += MI_OPS) {
		struct mi use = {.name = "USE", .guard = V_TRUE};
		for (size_t k = i; k < h->o.n && use.n < MI_OPS; k++)
			use.o[use.n++] = h->o.v[k];
		vec_push(&g->code, use);
	}
	h->o.n = 0;
}

static unsigned count_named(const struct gather *g, size_t from, const char *name)
{
	unsigned n = 0;
	for (size_t i = from; i < g->m->code.n; i++) {
		const struct mi *in = &g->m->code.v[i];
		if (!in->name || !mi_is(in, name))
			break;
		n += in->n;
	}
	return n;
}

static void add_tuple(struct gather *g, unsigned words)
{
	uint32_t v = mval_new(g->m, words), n = (uint32_t)g->tuple.n;
	g->m->val.v[v].group = TOP;
	vec_push(&g->tuple,
		 ((struct tuple){.value = v, .words = words, .parent = n, .largest = n}));
}

/* The second of a product's operands for the accumulators. */
static unsigned place_of_sum(const struct mi *in)
{
	unsigned k = 1;
	while (in->o[k].kind != MO_TEXT)
		k++;
	return k + 1;
}

static void put_product(struct gather *g, struct held *h, struct mi in, bool adds)
{
	uint32_t v = g->tuple.v[g->tuple.n - 1].value;
	in.nd = 1;
	in.keep = true;
	in.o[0] = mo_wide(v);
	if (adds)
		in.o[place_of_sum(&in)] = mo_wide(v);
	hold_operands(h, &in);
	vec_push(&g->code, in);
}

static bool is_empty(const struct mi *in)
{
	return in->o[1].kind == MO_TEXT && !strcmp(in->o[1].text, "gdesc[URZ]");
}

static void expand_products(struct gather *g)
{
	struct held held = {0};
	unsigned named = 0; /* words copied to the next product's tuple */
	unsigned left = 0;  /* words copied from the last product's tuple */
	for (size_t i = 0; i < g->m->code.n; i++) {
		const struct mi in = g->m->code.v[i];
		if (!in.name || in.label || in.ends)
			release_operands(g, &held);
		if (in.name && mi_is(&in, "GATHER")) {
			if (!named)
				add_tuple(g, count_named(g, i, "GATHER"));
			for (unsigned k = 0; k < in.n; k++, named++)
				vec_push(&g->code,
					 copy_inst(&in,
						   mo_word(g->tuple.v[g->tuple.n - 1].value, named),
						   in.o[k]));
		} else if (in.name && mi_is(&in, "SCATTER")) {
			for (unsigned k = 0; k < in.n; k++, left++)
				vec_push(
					&g->code,
					copy_inst(&in, in.o[k],
						  mo_word(g->tuple.v[g->tuple.n - 1].value, left)));
		} else if (sm90_is_product(&in) && !is_empty(&in)) {
			if (!named)
				add_tuple(g, count_named(g, i + 1, "SCATTER"));
			put_product(g, &held, in, named);
			named = left = 0;
		} else {
			vec_push(&g->code, in);
			if (in.name && !strncmp(in.name, "WARPGROUP.DEPBAR", 16))
				release_operands(g, &held);
		}
	}
	vec_free(&held.o);
	vec_free(&g->m->code);
	g->m->code.v = g->code.v;
	g->m->code.n = g->code.n;
	g->m->code.cap = g->code.cap;
}

/* ---- variables ---- */

static bool is_copy(const struct mi *in)
{
	const struct mo *d = &in->o[0], *s = &in->o[1];
	return in->name && !strcmp(in->name, "MOV") && in->nd == 1 && d->kind == MO_REG &&
	       s->kind == MO_REG && !s->neg && !s->abs && !s->inv && !s->half && !d->half;
}

static uint32_t var_of(const struct gather *g, const struct mo *o)
{
	uint32_t v = mo_value(o), first = v == V_NONE ? 0 : g->of_value[v];
	return first ? first - 1 + o->word : NONE;
}

static void add_variable(struct gather *g, uint32_t value, unsigned word, uint32_t slot,
			 uint32_t tuple)
{
	uint32_t n = (uint32_t)g->var.n;
	if (!word)
		g->of_value[value] = n + 1;
	vec_push(&g->var, ((struct variable){.value = value,
					     .word = (uint8_t)word,
					     .slot = slot,
					     .parent = n,
					     .next = n,
					     .tuple = tuple,
					     .members = 1}));
}

/* The other end of a copy gets the slot, if it may share a place and has none yet. */
static void join_slot(struct gather *g, const struct mo *o, uint32_t slot)
{
	const struct mval *val = &g->m->val.v[o->v];
	if (g->of_value[o->v] || val->words != 1 || val->pinned || val->group ||
	    (g->alone && g->alone[o->v]))
		return;
	add_variable(g, o->v, 0, slot, NONE);
}

/* Words of tuples first, then what copies join to them, then what copies join to that. */
static void find_variables(struct gather *g)
{
	g->of_value = xcalloc(g->m->val.n + 1, sizeof *g->of_value);
	for (uint32_t t = 0; t < g->tuple.n; t++) {
		struct tuple *x = &g->tuple.v[t];
		x->first = (uint32_t)g->var.n;
		for (uint32_t w = 0; w < x->words; w++)
			add_variable(g, x->value, w, w, t);
	}
	for (uint32_t known = 0; known != g->var.n;) {
		known = (uint32_t)g->var.n;
		for (size_t i = 0; i < g->m->code.n; i++) {
			const struct mi *in = &g->m->code.v[i];
			if (!is_copy(in))
				continue;
			uint32_t d = var_of(g, &in->o[0]), s = var_of(g, &in->o[1]);
			if (d < known)
				join_slot(g, &in->o[1], g->var.v[d].slot);
			if (s < known)
				join_slot(g, &in->o[0], g->var.v[s].slot);
		}
	}
}

static void sort_slots(struct gather *g)
{
	uint32_t at[MOST_WORDS + 1] = {0}, n = 0;
	g->slots = xmalloc((g->var.n + 1) * sizeof *g->slots);
	memset(g->begin, 0, sizeof g->begin);
	for (uint32_t s = 0; s < MOST_WORDS; s++) {
		g->begin[s] = n;
		at[s] = n;
		for (uint32_t x = 0; x < g->var.n; x++)
			n += g->var.v[x].slot == s;
	}
	g->begin[MOST_WORDS] = n;
	for (uint32_t x = 0; x < g->var.n; x++)
		g->slots[at[g->var.v[x].slot]++] = x;
}

/* ---- liveness ---- */

static bool is_in(const uint64_t *set, uint32_t x) { return set[x / 64] >> x % 64 & 1; }
static void put_in(uint64_t *set, uint32_t x) { set[x / 64] |= 1ull << x % 64; }
static void take_out(uint64_t *set, uint32_t x) { set[x / 64] &= ~(1ull << x % 64); }

/* The variables that an operand names: n from *first on. */
static unsigned vars_of(const struct gather *g, const struct mo *o, uint32_t *first)
{
	uint32_t x = var_of(g, o);
	if (x == NONE)
		return 0;
	bool whole = o->wide && (o->kind == MO_REG || o->kind == MO_MEM);
	*first = whole ? g->of_value[o->v] - 1 : x;
	return whole ? g->m->val.v[o->v].words : 1;
}

static void step_back(const struct gather *g, const struct mi *in, uint64_t *live)
{
	uint32_t x = 0;
	for (unsigned k = 0; k < in->nd; k++)
		for (unsigned n = vars_of(g, &in->o[k], &x); n-- > 0;)
			if (in->guard == V_TRUE)
				take_out(live, x + n);
			else
				put_in(live, x + n);
	for (unsigned k = in->nd; k < in->n; k++)
		for (unsigned n = vars_of(g, &in->o[k], &x); n-- > 0;)
			put_in(live, x + n);
}

static void live_at_end(const struct gather *g, uint32_t b, uint64_t *live)
{
	uint32_t to[2];
	memset(live, 0, g->across * sizeof *live);
	for (unsigned n = mblocks_next(&g->b, g->m, b, to); n-- > 0;)
		for (uint32_t w = 0; w < g->across; w++)
			live[w] |= g->in[(size_t)to[n] * g->across + w];
}

static void find_live(struct gather *g)
{
	g->across = (uint32_t)(g->var.n + 63) / 64;
	g->in = xcalloc((size_t)g->b.n * g->across + 1, sizeof *g->in);
	uint64_t *live = xcalloc(g->across + 1, sizeof *live);
	for (bool change = true; change;) {
		change = false;
		for (uint32_t b = g->b.n; b-- > 0;) {
			uint64_t *in = g->in + (size_t)b * g->across;
			live_at_end(g, b, live);
			for (uint32_t i = g->b.first[b + 1]; i-- > g->b.first[b];)
				if (g->m->code.v[i].name)
					step_back(g, &g->m->code.v[i], live);
			change |= memcmp(in, live, g->across * sizeof *live) != 0;
			memcpy(in, live, g->across * sizeof *live);
		}
	}
	free(live);
}

/* ---- rivals: variables of one slot that are live at one point with different contents ---- */

static void note_rivals(struct gather *g, const struct mi *in, const uint64_t *live)
{
	uint32_t first = 0, but = is_copy(in) ? var_of(g, &in->o[1]) : NONE;
	for (unsigned k = 0; k < in->nd; k++)
		for (unsigned n = vars_of(g, &in->o[k], &first); n-- > 0;) {
			uint32_t x = first + n, slot = g->var.v[x].slot;
			for (uint32_t i = g->begin[slot]; i < g->begin[slot + 1]; i++) {
				uint32_t y = g->slots[i];
				if (y == x || y == but || !is_in(live, y))
					continue;
				vec_push(&g->var.v[x].rival, y);
				vec_push(&g->var.v[y].rival, x);
			}
		}
}

static void find_rivals(struct gather *g)
{
	uint64_t *live = xcalloc(g->across + 1, sizeof *live);
	for (uint32_t b = 0; b < g->b.n; b++) {
		live_at_end(g, b, live);
		for (uint32_t i = g->b.first[b + 1]; i-- > g->b.first[b];) {
			if (!g->m->code.v[i].name)
				continue;
			note_rivals(g, &g->m->code.v[i], live);
			step_back(g, &g->m->code.v[i], live);
		}
	}
	free(live);
}

/* ---- places ---- */

static uint32_t place_of(struct gather *g, uint32_t x)
{
	while (g->var.v[x].parent != x)
		x = g->var.v[x].parent = g->var.v[g->var.v[x].parent].parent;
	return x;
}

static uint32_t tuple_of(struct gather *g, uint32_t t)
{
	while (g->tuple.v[t].parent != t)
		t = g->tuple.v[t].parent = g->tuple.v[g->tuple.v[t].parent].parent;
	return t;
}

static bool may_share(struct gather *g, uint32_t a, uint32_t b)
{
	if (g->var.v[a].members > g->var.v[b].members) {
		uint32_t t = a;
		a = b;
		b = t;
	}
	uint32_t x = a;
	do {
		for (size_t i = 0; i < g->var.v[x].rival.n; i++)
			if (place_of(g, g->var.v[x].rival.v[i]) == b)
				return false;
		x = g->var.v[x].next;
	} while (x != a);
	return true;
}

static void share_place(struct gather *g, uint32_t a, uint32_t b)
{
	struct variable *x = &g->var.v[a], *y = &g->var.v[b];
	uint32_t next = x->next;
	x->next = y->next;
	y->next = next;
	y->parent = a;
	x->members += y->members;
	x->tuple = x->tuple == NONE ? y->tuple : x->tuple;
}

/* The place of word w of a tuple of the root t. */
static uint32_t word_place(struct gather *g, uint32_t t, uint32_t w)
{
	return place_of(g, g->tuple.v[g->tuple.v[t].largest].first + w);
}

static void join_tuples(struct gather *g, uint32_t t, uint32_t u)
{
	uint32_t nt = g->tuple.v[g->tuple.v[t].largest].words,
		 nu = g->tuple.v[g->tuple.v[u].largest].words, n = nt < nu ? nt : nu;
	if (g->general && nt != nu) /* operands name whole values */
		return;
	for (uint32_t w = 0; w < n; w++)
		if (!may_share(g, word_place(g, t, w), word_place(g, u, w)))
			return;
	for (uint32_t w = 0; w < n; w++)
		share_place(g, word_place(g, t, w), word_place(g, u, w));
	g->tuple.v[u].parent = t;
	if (nu > nt)
		g->tuple.v[t].largest = g->tuple.v[u].largest;
}

static void try_copy(struct gather *g, const struct mi *in)
{
	uint32_t d = var_of(g, &in->o[0]), s = var_of(g, &in->o[1]);
	if (d == NONE || s == NONE || g->var.v[d].slot != g->var.v[s].slot)
		return;
	uint32_t a = place_of(g, d), b = place_of(g, s), t = g->var.v[a].tuple,
		 u = g->var.v[b].tuple;
	if (a == b)
		return;
	if (t != NONE && u != NONE && tuple_of(g, t) != tuple_of(g, u))
		join_tuples(g, tuple_of(g, t), tuple_of(g, u));
	else if (may_share(g, a, b))
		share_place(g, a, b);
}

static int by_depth(const void *a, const void *b)
{
	const struct copy *x = a, *y = b;
	return x->depth != y->depth ? (x->depth > y->depth ? -1 : 1) : x->at < y->at ? -1 : 1;
}

static void find_copies(struct gather *g)
{
	uint32_t n = (uint32_t)g->m->code.n;
	int *loops = xcalloc(n + 1, sizeof *loops), depth = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct mi *in = &g->m->code.v[i];
		uint32_t to = in->name && in->label ? g->b.first[g->b.of_label[in->label - 1]]
						    : UINT32_MAX;
		if (to <= i) {
			loops[to]++;
			loops[i + 1]--;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		depth += loops[i];
		if (is_copy(&g->m->code.v[i]))
			vec_push(&g->copy, ((struct copy){i, (uint32_t)depth}));
	}
	free(loops);
	if (g->copy.n)
		qsort(g->copy.v, g->copy.n, sizeof *g->copy.v, by_depth);
}

/* ---- the code with the tuples ---- */

/* True if any word of the tuple's value is live. */
static bool is_live(struct gather *g, const uint64_t *live, uint32_t root)
{
	for (uint32_t x = 0; x < g->var.n; x++) {
		uint32_t t = is_in(live, x) ? g->var.v[place_of(g, x)].tuple : NONE;
		if (t != NONE && tuple_of(g, t) == root)
			return true;
	}
	return false;
}

/* Does the work of is_live() for few words of many variables. */
static bool has_live_word(struct gather *g, const uint64_t *live, uint32_t root)
{
	uint32_t words = g->tuple.v[g->tuple.v[root].largest].words;
	for (uint32_t w = 0; w < words; w++) {
		uint32_t first = word_place(g, root, w), x = first;
		do {
			if (is_in(live, x))
				return true;
			x = g->var.v[x].next;
		} while (x != first);
	}
	return false;
}

/* The first write of a word when no word is live begins the tuple's value. */
static void mark_beginnings(struct gather *g)
{
	uint64_t *live = xcalloc(g->across + 1, sizeof *live);
	for (uint32_t b = 0; b < g->b.n; b++) {
		live_at_end(g, b, live);
		for (uint32_t i = g->b.first[b + 1]; i-- > g->b.first[b];) {
			struct mi *in = &g->m->code.v[i];
			if (!in->name)
				continue;
			step_back(g, in, live);
			bool begins = true, named = false;
			for (unsigned k = 0; k < in->nd && in->guard == V_TRUE; k++) {
				uint32_t x = var_of(g, &in->o[k]);
				uint32_t t = x == NONE ? NONE : g->var.v[place_of(g, x)].tuple;
				if (t != NONE && g->general)
					named = true,
					begins &= !has_live_word(g, live, tuple_of(g, t));
				else if (t != NONE && !is_live(g, live, tuple_of(g, t)))
					in->fresh = true;
			}
			if (named)
				in->fresh = begins;
		}
	}
	free(live);
}

static void rename_operand(struct gather *g, struct mo *o)
{
	uint32_t x = var_of(g, o), t = x == NONE ? NONE : g->var.v[place_of(g, x)].tuple;
	if (t == NONE)
		return;
	bool whole = o->kind != MO_CONST && o->wide && g->m->val.v[o->v].words > 1;
	o->v = g->tuple.v[g->tuple.v[tuple_of(g, t)].largest].value;
	o->wide = whole;
	o->word = whole ? 0 : (uint8_t)g->var.v[x].slot;
}

static void rewrite_code(struct gather *g)
{
	struct mfunc *m = g->m;
	size_t to = 0;
	for (size_t i = 0; i < m->code.n; i++) {
		struct mi in = m->code.v[i];
		for (unsigned k = 0; in.name && k < in.n; k++)
			rename_operand(g, &in.o[k]);
		bool same = is_copy(&in) && in.o[0].v == in.o[1].v && in.o[0].word == in.o[1].word;
		if (!same)
			m->code.v[to++] = in;
	}
	m->code.n = to;
}

static bool has_products(const struct mfunc *m)
{
	for (size_t i = 0; i < m->code.n; i++)
		if (sm90_is_product(&m->code.v[i]) && !is_empty(&m->code.v[i]))
			return true;
	return false;
}

static void join_places(struct gather *g)
{
	struct mfunc *m = g->m;
	mblocks_find(&g->b, m);
	find_variables(g);
	sort_slots(g);
	find_live(g);
	find_rivals(g);
	find_copies(g);
	for (size_t i = 0; i < g->copy.n; i++)
		try_copy(g, &m->code.v[g->copy.v[i].at]);
	mark_beginnings(g);
	rewrite_code(g);
	for (size_t x = 0; x < g->var.n; x++)
		vec_free(&g->var.v[x].rival);
	mblocks_free(&g->b);
	vec_free(&g->tuple);
	vec_free(&g->var);
	vec_free(&g->copy);
	free(g->of_value);
	free(g->in);
	free(g->slots);
}

void sm90_tuples(struct mfunc *m)
{
	struct gather g = {.m = m};
	if (!has_products(m))
		return;
	expand_products(&g);
	join_places(&g);
}

/* Pairs and quads whose words are copied. The allocator of registers lets both ends of a copy share a register if both are
 * single words. */
void sm90_join_words(struct mfunc *m)
{
	enum { MOST_CODE = 20000 };
	struct gather g = {.m = m, .general = true};
	bool *copied = xcalloc(m->val.n + 1, sizeof *copied);
	g.alone = xcalloc(m->val.n + 1, sizeof *g.alone);
	for (size_t i = 0; i < m->code.n && m->code.n < MOST_CODE; i++) {
		const struct mi *in = &m->code.v[i];
		if (is_copy(in))
			copied[in->o[0].v] = copied[in->o[1].v] = true;
		for (unsigned k = 0; in->name && in->guard != V_TRUE && k < in->nd; k++)
			if (mo_value(&in->o[k]) != V_NONE && m->val.v[in->o[k].v].temp)
				g.alone[in->o[k].v] = true;
	}
	for (uint32_t v = 0; v < m->val.n; v++) {
		struct mval *x = &m->val.v[v];
		uint32_t n = (uint32_t)g.tuple.n;
		if (!copied[v] || x->words < 2 || x->pinned || x->group || x->spilled || g.alone[v])
			continue;
		vec_push(
			&g.tuple,
			((struct tuple){.value = v, .words = x->words, .parent = n, .largest = n}));
		x->temp = false;
	}
	if (g.tuple.n)
		join_places(&g);
	free(copied);
	free(g.alone);
}
