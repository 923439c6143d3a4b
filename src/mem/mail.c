#include "mem/mail.h"

#include <sched.h>
#include <string.h>

void mail_init(struct mail *m, struct arena *a, unsigned senders, unsigned receivers, uint32_t most,
	       size_t all)
{
	most = (most + 3) / 4 * 4; /* rounded up to whole host cache lines */
	size_t size = sizeof(struct label) + most * sizeof(uint16_t);
	*m = (struct mail){.senders = senders, .receivers = receivers, .most = most};
	m->label_size = (size + ARENA_LINES - 1) / ARENA_LINES * ARENA_LINES;
	for (unsigned i = 0; i < 2; i++) {
		m->label[i] = ARENA_APART(a, unsigned char, senders * m->label_size);
		m->box[i] = ARENA_APART(a, struct msg, (size_t)senders * most);
	}
	m->posted = ARENA_APART(a, struct posted, all + 4);
	m->read = ARENA_APART(a, const struct msg *, all);
	m->end = ARENA_APART(a, uint32_t, receivers);
}

static struct label *label(const struct mail *m, unsigned half, unsigned sender)
{
	return (struct label *)(m->label[half] + sender * m->label_size);
}

void outbox_open(struct outbox *o, const struct mail *m, unsigned sender)
{
	unsigned half = m->round & 1;
	o->v = m->box[half] + (size_t)sender * m->most;
	o->label = label(m, half, sender);
	o->n = 0;
	o->round = m->round;
}

/* Appends the receivers of a sender's messages to the list of all and returns their number. Copies
 * several at once, past the end if need be, so that no branch depends on the number. */
static uint32_t list_receivers(struct label *l, uint32_t box, struct posted *all)
{
	enum { FEW = 4 }; /* mail.most is a multiple of FEW */
	uint32_t n = l->n;
	for (uint32_t k = 0; k < FEW; k++)
		all[k] = (struct posted){box + k, l->to[k]};
	for (uint32_t k = FEW; k < n; k++)
		all[k] = (struct posted){box + k, l->to[k]};
	if (n)
		l->n = 0;
	return n;
}

/* A counting sort by receiver, stable in sender and sequence. */
void mail_close(struct mail *m)
{
	unsigned half = m->round++ & 1;
	const struct msg *box = m->box[half];
	uint32_t n = 0, sum = 0;
	for (unsigned i = 0; i < m->senders; i++)
		n += list_receivers(label(m, half, i), i * m->most, m->posted + n);
	memset(m->end, 0, m->receivers * sizeof *m->end);
	for (uint32_t k = 0; k < n; k++)
		m->end[m->posted[k].to]++;
	for (unsigned i = 0; i < m->receivers; i++) {
		uint32_t c = m->end[i];
		m->end[i] = sum;
		sum += c;
	}
	for (uint32_t k = 0; k < n; k++)
		m->read[m->end[m->posted[k].to]++] = &box[m->posted[k].at];
}

/* Sorts by insertion: messages are few, and those of one sender are in order of time already. */
void mail_read(const struct mail *m, unsigned to, const struct msg **v)
{
	uint32_t n = mail_count(m, to);
	const struct msg **from = m->read + m->end[to] - n;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = i;
		for (; at && v[at - 1]->time > from[i]->time; at--)
			v[at] = v[at - 1];
		v[at] = from[i];
	}
}

bool turn_begin(struct turn *t, unsigned round)
{
	enum { SPINS = 8000 };
	if (turn_done(t, round))
		return false;
	unsigned last = atomic_load_explicit(&t->begun, memory_order_relaxed);
	if (last != round &&
	    atomic_compare_exchange_strong_explicit(&t->begun, &last, round, memory_order_relaxed,
						    memory_order_relaxed))
		return true;
	for (unsigned waits = 0; !turn_done(t, round); waits++)
		if (waits >= SPINS)
			sched_yield();
	return false;
}
