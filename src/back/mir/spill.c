/* Moves values out of their registers: to local memory, or a predicate to a register. Each
 * instruction that uses a spilled value has a separate piece, which is loaded before the
 * instruction and stored after it. Instructions in a row share the piece of a predicate; a predicate
 * whose comparison gives the same result at each of its readers is not kept at all (sm_90). */
#include <stdlib.h>
#include "back/mir/blocks.h"

struct place {
	bool goes;
	uint32_t at, reg; /* byte in local memory; for a predicate, the register */
	uint32_t piece;   /* the piece in the present instruction */
	uint32_t used;    /* time at which the piece was last used */
	uint32_t
		test; /* a predicate that is computed again by its only writer: the writer's number plus 1 */
	bool reads, writes;
};

struct spiller {
	struct mfunc *m;
	struct place *place; /* [value] */
	uint32_t n;          /* number of values before spilling */
	/* position of the present instruction; a block's beginning adds two */
	uint32_t time;
	VEC(struct mi) code;
};

static bool is_spilled(const struct spiller *s, uint32_t v) { return v < s->n && s->place[v].goes; }

static void move_piece(struct spiller *s, const struct place *p, bool store)
{
	unsigned words = s->m->val.v[p->piece].words;
	if (p->test) {
		struct mi in = s->m->code.v[p->test - 1];
		in.o[0].v = p->piece;
		vec_push(&s->code, in);
		return;
	}
	vec_push(&s->code, s->m->target->spill(s->m, p->piece, p->reg, p->at, store));
	*(store ? &s->m->spill_stores : &s->m->spill_loads) += words;
}

/* Returns the piece that replaces a spilled value in the present instruction. */
static uint32_t piece_of(struct spiller *s, uint32_t v, bool reads, bool writes)
{
	struct place *p = &s->place[v];
	bool again =
		!s->m->val.v[v].words && p->used && p->used + 1 == s->time && !s->m->val.v[v].temp;
	if (again) { /* the instruction before has loaded or written it */
		p->writes |= writes;
		p->used = s->time;
		return p->piece;
	}
	if (p->used != s->time) {
		p->piece = mval_new(s->m, s->m->val.v[v].words);
		s->m->val.v[p->piece].piece = true;
		s->m->val.v[p->piece].temp = s->m->val.v[v].temp;
	}
	p->used = s->time;
	p->reads |= reads;
	p->writes |= writes;
	return p->piece;
}

static void rewrite_inst(struct spiller *s, struct mi in)
{
	uint32_t v[MI_OPS + 1];
	struct mi was = in;
	unsigned n = 0;
	if (in.nd && is_spilled(s, mo_value(&in.o[0])) && s->place[in.o[0].v].test)
		return; /* each reader computes it */
	for (unsigned i = 0; i <= in.n; i++) {
		bool guard = i == in.n, writes = i < in.nd;
		uint32_t of = guard ? in.guard : mo_value(&in.o[i]);
		if (!is_spilled(s, of))
			continue;
		*(guard ? &in.guard : &in.o[i].v) =
			piece_of(s, of, !writes || !mi_begins(s->m, &was, i), writes);
		v[n++] = of;
	}
	for (unsigned i = 0; i < n; i++)
		if (s->place[v[i]].reads) {
			move_piece(s, &s->place[v[i]], false);
			s->place[v[i]].reads = false;
		}
	vec_push(&s->code, in);
	for (unsigned i = 0; i < n; i++)
		if (s->place[v[i]].writes) {
			move_piece(s, &s->place[v[i]], true);
			s->place[v[i]].writes = false;
		}
}

static void give_place(struct mfunc *m, uint32_t v, struct place *p)
{
	unsigned bytes = 4u * m->val.v[v].words;
	p->goes = true;
	m->val.v[v].spilled = true;
	if (bytes) {
		p->at = (m->local + bytes - 1) / bytes * bytes;
		m->local = p->at + bytes;
	} else {
		p->reg = mval_new(m, 1);
	}
}

/* ---- predicates that are computed again ---- */

struct writer {
	uint32_t n, at; /* instructions that write the value; number of the last of them */
};

struct tests {
	const struct spiller *s;
	struct mblocks b;
	uint32_t *block;       /* [instruction]: its block */
	struct writer *writer; /* [value] */
	uint32_t once;         /* first instruction that a branch backwards may reach */
};

static void find_writers(struct tests *t)
{
	const struct mfunc *m = t->s->m;
	for (uint32_t i = 0; i < m->code.n; i++)
		for (unsigned d = 0; m->code.v[i].name && d < m->code.v[i].nd; d++) {
			uint32_t v = mo_value(&m->code.v[i].o[d]);
			if (v == V_NONE)
				continue;
			t->writer[v].n++;
			t->writer[v].at = i;
		}
}

static void find_blocks(struct tests *t)
{
	const struct mfunc *m = t->s->m;
	mblocks_find(&t->b, m);
	t->once = mblocks_first_loop(m);
	for (uint32_t k = 0; k < t->b.n; k++) {
		for (uint32_t i = t->b.first[k]; i < t->b.first[k + 1]; i++)
			t->block[i] = k;
	}
}

static bool reads_between(const struct mfunc *m, uint32_t p, uint32_t from, uint32_t to)
{
	for (uint32_t i = from + 1; i < to; i++) {
		const struct mi *in = &m->code.v[i];
		if (!in->name)
			continue;
		if (in->guard == p)
			return true;
		for (unsigned k = in->nd; k < in->n; k++)
			if (mo_value(&in->o[k]) == p)
				return true;
	}
	return false;
}

/* True if every reader of predicate p, which instruction `at` writes, finds in v what `at` found: v is written once in
 * the kernel's life, or before `at` in its block, with no reader of the old p in between. The piece of a spilled value
 * cannot be spilled, so it does not have to last that long. */
static bool keeps_operand(const struct tests *t, uint32_t p, uint32_t at, uint32_t v)
{
	const struct writer *w = &t->writer[v];
	if (!t->s->m->val.v[v].words || t->s->m->val.v[v].piece || is_spilled(t->s, v) || w->n != 1)
		return false;
	return w->at < t->once || (t->block[w->at] == t->block[at] && w->at < at &&
				   !reads_between(t->s->m, p, w->at, at));
}

/* True for a comparison of words that gives the same result before each reader of its predicate. */
static bool is_steady(const struct tests *t, uint32_t at)
{
	const struct mi *in = &t->s->m->code.v[at];
	if ((!mi_is(in, "ISETP") && !mi_is(in, "FSETP")) || in->guard != V_TRUE || in->nd != 2 ||
	    in->o[1].kind != MO_PRED || in->o[1].v != V_TRUE)
		return false;
	for (unsigned k = in->nd; k < in->n; k++) {
		uint32_t v = mo_value(&in->o[k]);
		if (v != V_NONE && !keeps_operand(t, in->o[0].v, at, v))
			return false;
	}
	return true;
}

/* Finds the spilled predicates that their readers compute again. */
static void find_tests(struct spiller *s)
{
	const struct mfunc *m = s->m;
	struct tests t = {.s = s};
	t.block = xcalloc(m->code.n + 1, sizeof *t.block);
	t.writer = xcalloc(m->val.n + 1, sizeof *t.writer);
	find_writers(&t);
	find_blocks(&t);
	for (uint32_t v = 0; v < s->n; v++)
		if (is_spilled(s, v) && !m->val.v[v].words && t.writer[v].n == 1 &&
		    mo_value(&m->code.v[t.writer[v].at].o[0]) == v && is_steady(&t, t.writer[v].at))
			s->place[v].test = t.writer[v].at + 1;
	mblocks_free(&t.b);
	free(t.block);
	free(t.writer);
}

void mir_spill(struct mfunc *m, const uint32_t *v, size_t n)
{
	struct spiller s = {.m = m, .n = (uint32_t)m->val.n};
	s.place = xcalloc(s.n + 1, sizeof *s.place);
	for (size_t i = 0; i < n; i++)
		give_place(m, v[i], &s.place[v[i]]);
	if (m->target->sm >= 70)
		find_tests(&s);
	vec_reserve(&s.code, m->code.n);
	for (size_t i = 0; i < m->code.n; i++) {
		const struct mi *in = &m->code.v[i];
		s.time += !in->name || in->label || in->ends ? 2 : 1;
		if (in->name)
			rewrite_inst(&s, *in);
		else
			vec_push(&s.code, *in);
	}
	vec_free(&m->code);
	m->code.v = s.code.v;
	m->code.n = s.code.n;
	m->code.cap = s.code.cap;
	free(s.place);
}
