#include "kernel/exchange.h"

#include "exec/lanes.h"
#include "kernel/poll.h"

struct exchange {
	uint32_t published, ready; /* lanes with sources; lanes with results */
	uint32_t kind[LANES];      /* inst_meets() of the operation at which a lane waits */
	/* sources: the value (64 bits: two words), bounds, member mask, predicate */
	uint32_t a[LANES], high[LANES], b[LANES], c[LANES], members[LANES], pred;
	uint32_t result[LANES], answer; /* results: words, predicates */
};

/* Rows and predicates of the common execution. */
enum { ROW_D, ROW_A, ROW_HIGH, ROW_B, ROW_C, ROW_MEMBERS, ROWS };
enum { PRED_D, PRED_A, PREDS };

static const uint32_t *source(const struct warp *w, const struct uop *u, unsigned i)
{
	return row_u32(w, u->v[u->in->nd + i]);
}

static uint32_t source_bits(const struct warp *w, const struct uop *u)
{
	const struct opnd *o = inst_src(u->in, 0);
	if (o->kind == OPND_IMM)
		return o->imm ? ~0u : 0;
	uint32_t p = w->pred[u->v[u->in->nd]];
	return o->mod & OPND_NOT ? ~p : p;
}

static void copy_lanes(uint32_t *to, const uint32_t *from, uint32_t m)
{
	for (; m; m &= m - 1)
		to[__builtin_ctz(m)] = from[__builtin_ctz(m)];
}

void exchange_publish(struct wstate *ws, const struct uop *u, uint32_t m)
{
	const struct warp *w = &ws->w;
	struct exchange *x = ws->exchange;
	enum exchange_kind kind = inst_exchange(u->in);
	if (!kind)
		return;
	if (!x)
		x = ws->exchange = xcalloc(1, sizeof *x);
	m &= ~x->ready;
	x->published |= m;
	copy_lanes(x->members, source(w, u, u->in->ns - 1u), m);
	for (uint32_t q = m; q; q &= q - 1)
		x->kind[__builtin_ctz(q)] = inst_meets(u->in);
	if (kind == EXCHANGE_VOTE)
		x->pred = (x->pred & ~m) | (source_bits(w, u) & m);
	else if (kind != EXCHANGE_ELECT)
		copy_lanes(x->a, source(w, u, 0), m);
	if (kind == EXCHANGE_MATCH && type_bits(u->in->type) == 64)
		copy_lanes(x->high, source(w, u, 0) + LANES, m);
	if (kind == EXCHANGE_SHUFFLE) {
		copy_lanes(x->b, source(w, u, 1), m);
		copy_lanes(x->c, source(w, u, 2), m);
	}
}

bool exchange_pending(const struct wstate *ws)
{
	return ws->exchange && (ws->exchange->published | ws->exchange->ready);
}

/* Lanes m and those that have met them at other places; m if a lane that they name has not come. */
static uint32_t find_partners(const struct wstate *ws, const struct uop *u, uint32_t m)
{
	const struct exchange *x = ws->exchange;
	uint32_t have = m, need = warp_members(&ws->w, u, m), more;
	do {
		more = 0;
		for (uint32_t q = x->published & ws->w.live & need & ~have; q; q &= q - 1)
			if (x->kind[__builtin_ctz(q)] == inst_meets(u->in)) {
				more |= q & -q;
				need |= x->members[__builtin_ctz(q)];
			}
		have |= more;
	} while (more);
	return need & ws->w.live & ~have ? m : have;
}

/* Computes the results of lanes m from their sources, with the operation's own function. */
static void compute_results(struct wstate *ws, const struct uop *u, uint32_t m)
{
	struct exchange *x = ws->exchange;
	struct warp *w = &ws->w;
	_Alignas(ROW) uint32_t row[ROWS][LANES];
	uint32_t pred[PREDS] = {0, x->pred};
	memset(row, 0, sizeof row);
	memcpy(row[ROW_A], x->a, ROW);
	memcpy(row[ROW_HIGH], x->high, ROW);
	memcpy(row[ROW_B], x->b, ROW);
	memcpy(row[ROW_C], x->c, ROW);
	memcpy(row[ROW_MEMBERS], x->members, ROW);
	int32_t v[6], n = 0;
	struct opnd o[6] = {0};
	struct inst in = *u->in;
	struct uop t = *u;
	enum exchange_kind kind = inst_exchange(u->in);
	bool vote = kind == EXCHANGE_VOTE;
	v[n++] = vote && in.vote != VOTE_BALLOT ? PRED_D : ROW_D * ROW;
	if (kind == EXCHANGE_SHUFFLE || kind == EXCHANGE_MATCH || kind == EXCHANGE_ELECT)
		v[n++] = PRED_D;
	in.nd = (uint8_t)n;
	if (kind != EXCHANGE_ELECT)
		v[n++] = vote ? PRED_A : ROW_A * ROW;
	if (kind == EXCHANGE_SHUFFLE) {
		v[n++] = ROW_B * ROW;
		v[n++] = ROW_C * ROW;
	}
	v[n++] = ROW_MEMBERS * ROW;
	in.ns = (uint8_t)(n - in.nd);
	o[in.nd].kind = vote ? OPND_PRED : OPND_REG;
	in.opnd = o;
	t.in = &in;
	t.v = v;
	t.d = v[0];
	t.a = v[in.nd];
	uint8_t *rows = w->base[BASE_REG];
	uint32_t *preds = w->pred;
	w->base[BASE_REG] = (uint8_t *)row;
	w->pred = pred;
	w->mask = m;
	u->part(w, &t);
	w->base[BASE_REG] = rows;
	w->pred = preds;
	copy_lanes(x->result, row[ROW_D], m);
	x->answer = (x->answer & ~m) | (pred[PRED_D] & m);
	x->published &= ~m;
	x->ready |= m;
}

static void take_results(struct wstate *ws, const struct uop *u, uint32_t m)
{
	struct exchange *x = ws->exchange;
	if (inst_exchange(u->in) == EXCHANGE_VOTE && u->in->vote != VOTE_BALLOT)
		pred_write(&ws->w, u->v[0], x->answer, m);
	else if (u->v[0] != SINK)
		copy_lanes(row_u32(&ws->w, u->v[0]), x->result, m);
	if (u->in->nd > 1)
		pred_write(&ws->w, u->v[1], x->answer, m);
	x->ready &= ~m;
}

void exchange_run(struct wstate *ws, const struct uop *u, uint32_t m)
{
	struct exchange *x = ws->exchange;
	uint32_t alone = m & ~x->ready;
	if (alone && find_partners(ws, u, alone) != alone) {
		exchange_publish(ws, u, alone);
		compute_results(ws, u, find_partners(ws, u, alone));
		alone = 0;
	}
	if (m & ~alone)
		take_results(ws, u, m & ~alone);
	x->published &= ~alone;
	ws->w.mask = alone;
	if (alone)
		u->part(&ws->w, u);
	ws->w.mask = m;
}
