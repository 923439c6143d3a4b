/* Moves values out of their registers: to local memory, or a predicate to a register. Each
 * instruction that uses a spilled value has a separate piece, which is loaded before the
 * instruction and stored after it. */
#include "back/mir/mir.h"

struct place {
	bool goes;
	uint32_t at, reg; /* byte in local memory; for a predicate, the register */
	uint32_t piece;   /* the piece in the present instruction */
	bool reads, writes;
};

struct spiller {
	struct mfunc *m;
	struct place *place; /* [value] */
	uint32_t n;          /* number of values before spilling */
	VEC(struct mi) code;
};

static bool is_spilled(const struct spiller *s, uint32_t v) { return v < s->n && s->place[v].goes; }

static void move_piece(struct spiller *s, const struct place *p, bool store)
{
	unsigned words = s->m->val.v[p->piece].words;
	vec_push(&s->code, s->m->target->spill(s->m, p->piece, p->reg, p->at, store));
	*(store ? &s->m->spill_stores : &s->m->spill_loads) += words;
}

/* The piece that stands for a value in the present instruction. */
static uint32_t piece_of(struct spiller *s, uint32_t v, bool reads, bool writes)
{
	struct place *p = &s->place[v];
	if (!p->reads && !p->writes) {
		p->piece = mval_new(s->m, s->m->val.v[v].words);
		s->m->val.v[p->piece].piece = true;
		s->m->val.v[p->piece].temp = s->m->val.v[v].temp;
	}
	p->reads |= reads;
	p->writes |= writes;
	return p->piece;
}

static void rewrite_inst(struct spiller *s, struct mi in)
{
	uint32_t v[MI_OPS + 1];
	struct mi was = in;
	unsigned n = 0;
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

void mir_spill(struct mfunc *m, const uint32_t *v, size_t n)
{
	struct spiller s = {.m = m, .n = (uint32_t)m->val.n};
	s.place = xcalloc(s.n + 1, sizeof *s.place);
	for (size_t i = 0; i < n; i++)
		give_place(m, v[i], &s.place[v[i]]);
	vec_reserve(&s.code, m->code.n);
	for (size_t i = 0; i < m->code.n; i++)
		if (m->code.v[i].name)
			rewrite_inst(&s, m->code.v[i]);
		else
			vec_push(&s.code, m->code.v[i]);
	vec_free(&m->code);
	m->code.v = s.code.v;
	m->code.n = s.code.n;
	m->code.cap = s.code.cap;
	free(s.place);
}
