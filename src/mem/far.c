#include "mem/far.h"

/* The link carries l2.link_bytes per L2 cycle in each direction; a message without data takes a cycle. */
static cycle_t cross_link(struct slice *s, cycle_t now, unsigned sectors)
{
	cycle_t start = s->link_free > now ? s->link_free : now;
	uint32_t width = s->partition->link_bytes;
	s->link_free = start + (sectors ? (sectors * MSG_PIECE + width - 1) / width : 1);
	STAT(&s->link_stats, sectors) += sectors;
	return s->link_free - 1 + s->partition->link;
}

static void send_request(struct slice *s, cycle_t now, const struct far_pass *p)
{
	struct slice *to = s->partner;
	unsigned data = p->kind == MSG_READ ? 0 : (unsigned)__builtin_popcount(p->sectors);
	struct link_msg *m = ring_push(&to->link);
	*m = (struct link_msg){.ready = cross_link(s, now, data),
			       .addr = p->line,
			       .sectors = p->sectors,
			       .words = p->words,
			       .fetch = p->fetch,
			       .kind = p->kind,
			       .full = p->full};
	slice_wake(to, m->ready);
}

void far_fetch(struct slice *s, cycle_t now, uint64_t line, uint32_t sectors, uint32_t fetch)
{
	STAT(&s->link_stats, reads)++;
	send_request(s, now,
		     &(struct far_pass){
			     .line = line, .sectors = sectors, .kind = MSG_READ, .fetch = fetch});
}

void far_pass(struct slice *s, cycle_t now, const struct far_pass *p)
{
	if (p->kind == MSG_ATOMIC) {
		STAT(&s->link_stats, atomics)++;
		cache_invalidate(&s->cache, p->line);
	} else {
		STAT(&s->link_stats, writes)++;
	}
	send_request(s, now, p);
}

void far_answer(struct slice *s, const struct slice_pend *q, cycle_t now)
{
	unsigned data = q->msg.kind == MSG_WRITE ? 0 : q->answer_sectors;
	slice_data(s->partner, q->fetch, cross_link(s, now, data));
}

/* Looks the request's line up. True: the cache has accepted the request. *missed: data from the
 * channel are needed. */
static bool look_up(struct slice *s, const struct link_msg *m, uint32_t pend, bool *missed)
{
	static const enum cache_op op[] = {
		[MSG_READ] = CACHE_READ, [MSG_WRITE] = CACHE_WRITE, [MSG_ATOMIC] = CACHE_ATOMIC};
	switch (cache_access(&s->cache, op[m->kind], m->addr, m->sectors, m->full, pend)) {
	case CACHE_FAIL: return false;
	case CACHE_MISS:
	case CACHE_HIT_RESERVED: *missed = true; return true;
	default:
		*missed = false;
		if (s->cache.wrote && m->kind == MSG_WRITE && !m->full)
			cache_wrote(&s->cache, m->addr, m->words);
		return true;
	}
}

bool far_step(struct slice *s, cycle_t now)
{
	if (ring_empty(&s->link) || ring_front(&s->link)->ready > now || s->link_blocked)
		return false;
	const struct link_msg *m = ring_front(&s->link);
	uint32_t i = slice_pend_new(s);
	struct slice_pend *q = &s->pend[i];
	bool missed;
	q->linked = true;
	s->nlinked++;
	if (!look_up(s, m, i, &missed)) {
		STAT(&s->stats, stall_cache)++;
		s->link_blocked = true;
		slice_pend_free(s, i);
		return false;
	}
	q->left = missed;
	q->closed = true;
	q->fetch = m->fetch;
	q->msg.kind = m->kind;
	q->answer_sectors = (uint8_t)__builtin_popcount(m->sectors);
	if (m->kind == MSG_ATOMIC)
		s->busy = now + slice_atomic_cycles(s, (unsigned)__builtin_popcount(m->sectors),
						    m->words);
	if (m->kind == MSG_WRITE)
		s->busy = now + slice_write_cycles(s, q->answer_sectors * MSG_PIECE, m->full);
	ring_pop(&s->link);
	if (!missed) {
		far_answer(s, q, now + s->partition->hit);
		slice_pend_free(s, i);
	}
	return true;
}
