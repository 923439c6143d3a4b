/* An SM's end of the network: outbox, inbox, credits. During a window an SM touches only its own
 * port. Before its next one the memory system fills the inbox (memsys_deliver()); credits come back
 * while it runs, but the SM does not see them before it looks for them.
 *
 *	struct port *p = memsys_port(m, sm);
 *	if (port_ready(p, now, &msg))          may this request leave in this core cycle?
 *		port_send(p, now, &msg);       kind, class, addr, pieces, bytes, full, id set by the SM,
 *	                                       the rest 0; the port fills in where it goes
 *	while ((r = port_peek(p, now)))        replies that have arrived, in order
 *		use(r), port_pop(p);
 *
 * The SM can always take its replies: at most `limit` requests are outstanding. */
#ifndef MEM_PORT_H
#define MEM_PORT_H
#include <stddef.h>
#include "base/arena.h"
#include "mem/addrmap.h"
#include "mem/mail.h"

/* Credits on their way back to a sender: entries of time << 16 | flits, in order of time. Collecting
 * them late is safe: a sender with enough credits for its message does not need more. */
struct credit {
	uint32_t free; /* flits that may be sent: credits collected and not used */
	uint32_t head;
	cycle_t seen; /* slices: credits due by this time are still to be collected; 0: none */
};

struct credit_line { /* credits that one sender has for all receivers */
	struct credit *to;
	/* per receiver: tail and entries, which only the receiver writes, together on few host
	 * cache lines */
	uint64_t *ring;
	uint32_t mask; /* entries per receiver, less 1; there are as many entries as flits */
};

struct icnt;

struct port {
	_Alignas(ARENA_LINES)
		cycle_t inject; /* interconnect cycle at which the next flit may enter */
	uint32_t outstanding, limit;
	uint32_t in_head, in_tail, in_mask;
	struct msg *in; /* replies, a ring ordered by time */
	struct outbox out;
	struct credit_line credits; /* credits for requests; times are core cycles */
	bool perfect;   /* every access is answered at once and nothing crosses the network */
	bool unlimited; /* ideal network: no flits, no credits */
	bool one_class; /* credits are per port, not per destination */
	uint16_t sm;
	uint8_t half;          /* half of the L2 to which the SM sends its requests */
	uint16_t flit, header; /* bytes */
	struct ratio to_icnt, to_core;
	const struct addrmap *map;
	struct icnt *net;
	uint64_t requests, replies; /* requests sent, replies taken */
	/* cycle of the last request for data whose home is in the SM's half of the L2, and in the other half */
	cycle_t sent_near, sent_far;
	struct wires *wires; /* wires of the port's link; NULL: power.data = mean */
};

void credit_line_new(struct credit_line *l, struct arena *a, unsigned receivers, unsigned flits);

static inline uint64_t *credit_ring(const struct credit_line *l, unsigned r)
{
	return l->ring + (size_t)r * (l->mask + 2);
}

static inline void credit_collect(struct credit_line *l, unsigned r, cycle_t now)
{
	struct credit *c = &l->to[r];
	const uint64_t *ring = credit_ring(l, r);
	while (c->head != (uint32_t)ring[0] && ring[1 + (c->head & l->mask)] >> 16 <= now)
		c->free += ring[1 + (c->head++ & l->mask)] & 0xffff;
}

/* Posts a credit. `tail` is the receiver's own copy: the receiver only writes lines that the sender
 * reads, so it never waits for a line that another host core holds. */
static inline void credit_put(struct credit_line *l, unsigned r, uint32_t *tail, cycle_t time,
			      unsigned flits)
{
	uint64_t *ring = credit_ring(l, r);
	ring[1 + (*tail & l->mask)] = time << 16 | flits;
	ring[0] = ++*tail;
}

static inline void credit_return(struct credit_line *l, unsigned r, cycle_t time, unsigned flits)
{
	uint32_t tail = (uint32_t)credit_ring(l, r)[0];
	credit_put(l, r, &tail, time, flits);
}

/* Time of the next credit's arrival; CYCLE_NEVER: none under way. */
static inline cycle_t credit_next(const struct credit_line *l, unsigned r)
{
	const uint64_t *ring = credit_ring(l, r);
	uint32_t head = l->to[r].head;
	return head == (uint32_t)ring[0] ? CYCLE_NEVER : ring[1 + (head & l->mask)] >> 16;
}

/* Flits of a message: at least one, even for a read without a header. */
static inline unsigned flits_of(unsigned flit, unsigned header, unsigned data)
{
	unsigned bytes = header + data;
	return bytes ? (bytes + flit - 1) / flit : 1;
}

/* Moves the reply that was inserted last in front of replies that arrive later. */
void port_sort_last(struct port *p);

bool port_ready(struct port *p, cycle_t now, struct msg *m);
/* After port_ready() refused `m`: the first cycle worth trying again; CYCLE_NEVER: not before the
 * memory system's next window. */
cycle_t port_retry(struct port *p, cycle_t now, const struct msg *m);
/* After port_ready() refused `m`: the slice whose credits m lacks; -1: none. */
int port_lacks(const struct port *p, const struct msg *m);
/* The core cycle in which the slice's next credit comes; CYCLE_NEVER: none is under way. slice -1: none. */
cycle_t port_credit(const struct port *p, int slice);
void port_send(struct port *p, cycle_t now, struct msg *m);

static inline const struct msg *port_peek(const struct port *p, cycle_t now)
{
	const struct msg *m = &p->in[p->in_head & p->in_mask];
	return p->in_head != p->in_tail && m->time <= now ? m : NULL;
}

static inline void port_pop(struct port *p)
{
	if (++p->in_head ==
	    p->in_tail) /* empty: the ring starts over, in warm lines of the host's cache */
		p->in_head = p->in_tail = 0;
	p->outstanding--;
	p->replies++;
}

/* Arrival cycle of the next reply; CYCLE_NEVER: no reply is under way. */
static inline cycle_t port_next(const struct port *p)
{
	return p->in_head == p->in_tail ? CYCLE_NEVER : p->in[p->in_head & p->in_mask].time;
}

#endif
