#include "mem/port.h"

#include <assert.h>
#include "base/arena.h"
#include "mem/icnt.h"
#include "mem/wires.h"

void credit_line_new(struct credit_line *l, struct arena *a, unsigned receivers, unsigned flits)
{
	l->mask = ring_round(flits) - 1;
	l->to = ARENA_ARRAY(a, struct credit, receivers);
	l->ring = ARENA_ARRAY(a, uint64_t, (size_t)receivers * (l->mask + 2));
	for (unsigned i = 0; i < receivers; i++)
		l->to[i].free = flits;
}

/* Sets destination and size in flits, once per message. */
static void address_message(struct port *p, struct msg *m)
{
	if (m->flits)
		return;
	m->sm = p->sm;
	m->dest = addrmap_near(p->map, addrmap_dest(p->map, m->addr), p->half);
	m->flits =
		p->unlimited ? 0 : flits_of(p->flit, p->header, m->kind == MSG_READ ? 0 : m->bytes);
}

/* A flit may enter in core cycle `now` when the link is free before the cycle ends. */
static bool link_free(const struct port *p, cycle_t now)
{
	return p->inject < ratio_up(p->to_icnt, now + 1);
}

bool port_ready(struct port *p, cycle_t now, struct msg *m)
{
	if (p->outstanding >= p->limit)
		return false;
	if (p->perfect || p->unlimited)
		return true;
	if (!link_free(p, now))
		return false;
	address_message(p, m);
	unsigned to = p->one_class ? 0 : m->dest;
	const struct credit *c = &p->credits.to[to];
	if (c->free < m->flits) {
		icnt_take(p->net, m->dest);
		credit_collect(&p->credits, to, now);
	}
	return c->free >= m->flits;
}

cycle_t port_retry(struct port *p, cycle_t now, const struct msg *m)
{
	if (p->outstanding >= p->limit) {
		cycle_t t = port_next(p);
		return t > now ? t : now + 1;
	}
	if (!link_free(p, now)) {
		cycle_t t = ratio_down(p->to_core, p->inject);
		return t > now ? t : now + 1;
	}
	cycle_t t = credit_next(&p->credits, p->one_class ? 0 : m->dest);
	return t == CYCLE_NEVER || t > now ? t : now + 1;
}

int port_lacks(const struct port *p, const struct msg *m)
{
	if (p->outstanding >= p->limit || p->perfect || p->unlimited)
		return -1;
	return p->credits.to[p->one_class ? 0 : m->dest].free < m->flits ? (int)m->dest : -1;
}

cycle_t port_credit(const struct port *p, int slice)
{
	return slice < 0 ? CYCLE_NEVER
			 : credit_next(&p->credits, p->one_class ? 0 : (unsigned)slice);
}

/* Records the cycle of a request for data, for the SM's next fence. */
static void note_sent(struct port *p, cycle_t now, const struct msg *m)
{
	if (m->class == MSG_INST || m->class == MSG_CONST)
		return;
	if (p->map->half_dests < p->map->dests && addrmap_dest(p->map, m->addr) != m->dest)
		p->sent_far = now;
	else
		p->sent_near = now;
}

void port_send(struct port *p, cycle_t now, struct msg *m)
{
	assert(p->outstanding < p->limit);
	address_message(p, m);
	note_sent(p, now, m);
	m->sent = (uint32_t)now;
	m->done = 0;
	p->outstanding++;
	p->requests++;
	if (p->perfect) {
		m->time = now;
		p->in[p->in_tail++ & p->in_mask] = *m;
		return;
	}
	cycle_t t = ratio_up(p->to_icnt, now);
	if (!p->unlimited) {
		struct credit *c = &p->credits.to[p->one_class ? 0 : m->dest];
		assert(c->free >= m->flits);
		if (p->inject > t)
			t = p->inject;
		p->inject = t + m->flits;
		c->free -= m->flits;
		if (m->kind != MSG_READ)
			wires_note_pieces(p->wires, WIRES_OUT, m->addr, m->pieces);
	}
	m->time = t;
	outbox_put(&p->out, &p->net->request, p->sm, m, m->dest);
}

void port_sort_last(struct port *p)
{
	uint32_t at = p->in_tail - 1;
	struct msg m = p->in[at & p->in_mask];
	for (; at != p->in_head && p->in[(at - 1) & p->in_mask].time > m.time; at--)
		p->in[at & p->in_mask] = p->in[(at - 1) & p->in_mask];
	p->in[at & p->in_mask] = m;
}
