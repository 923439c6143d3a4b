/* Messages between two windows.
 *
 *	window n        sender --> its box, receivers on its label
 *	between         one thread reads the labels: which messages are for whom
 *	window n + 1    receiver takes its messages; sender fills the other set of boxes
 *
 * Senders are the SMs' ports and the slices' ends of the network. Mostly a receiver takes its
 * messages as its first action; if somebody needs that earlier, it is done then (struct turn). */
#ifndef MEM_MAIL_H
#define MEM_MAIL_H
#include <assert.h>
#include <stdatomic.h>
#include "base/arena.h"
#include "mem/msg.h"

struct label {
	uint32_t n;
	uint16_t to[]; /* the receiver of each message */
};

struct posted {
	uint32_t at, to; /* place among the boxes; receiver */
};

struct mail { /* of one direction */
	unsigned senders, receivers;
	unsigned round; /* windows whose boxes were closed; the last one's are read */
	uint32_t most;  /* messages of a sender in a window */
	size_t label_size;
	unsigned char *label[2]; /* each on lines of its own in the host's cache */
	struct msg *box[2];
	struct posted *posted;   /* all of the window */
	const struct msg **read; /* by receiver, sender and sequence */
	uint32_t *end;           /* of each receiver's, in `read` */
};

struct outbox { /* a sender's box */
	struct msg *v;
	struct label *label;
	uint32_t n;
	unsigned round; /* whose messages they are */
};

/* `most`: messages of one sender in a window; `all`: of all senders together. */
void mail_init(struct mail *m, struct arena *a, unsigned senders, unsigned receivers, uint32_t most,
	       size_t all);
void mail_close(struct mail *m); /* the window has ended */
void outbox_open(struct outbox *o, const struct mail *m, unsigned sender); /* an empty one */

static inline uint32_t outbox_count(const struct outbox *o, const struct mail *m)
{
	return o->round == m->round ? o->n : 0;
}

static inline void outbox_put(struct outbox *o, const struct mail *mail, unsigned sender,
			      const struct msg *m, unsigned to)
{
	if (o->round != mail->round)
		outbox_open(o, mail, sender);
	assert(o->n < mail->most);
	o->label->to[o->n] = (uint16_t)to;
	o->v[o->n++] = *m;
	o->label->n = o->n;
}

static inline uint32_t mail_count(const struct mail *m, unsigned to)
{
	return m->end[to] - (to ? m->end[to - 1] : 0);
}

/* Prefetches its messages into the host's cache. */
static inline void mail_prefetch(const struct mail *m, unsigned to)
{
	uint32_t n = to < m->receivers ? mail_count(m, to) : 0;
	for (uint32_t i = 1; i <= n; i++)
		__builtin_prefetch(m->read[m->end[to] - i]);
}

/* The last window's messages to a receiver, in (time, sender, sequence) order, all of them in v. */
void mail_read(const struct mail *m, unsigned to, const struct msg **v);

/* ---- once in a round ---- */

struct turn {
	_Alignas(ARENA_LINES) atomic_uint begun;
	atomic_uint done; /* the last round in which it was */
};

/* True: the caller must do it now, until turn_end(). False: it has been done. */
bool turn_begin(struct turn *t, unsigned round);

static inline bool turn_done(const struct turn *t, unsigned round)
{
	return atomic_load_explicit(&t->done, memory_order_acquire) == round;
}

static inline void turn_end(struct turn *t, unsigned round)
{
	atomic_store_explicit(&t->done, round, memory_order_release);
}

#endif
