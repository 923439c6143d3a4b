/* Messages between two windows. The order in which a receiver sees them is (time, sender, sequence),
 * whatever the threads. Senders are the SMs' ports (mem/port.h) and the slices' ends of the network
 * (mem/icnt.h).
 *
 *	window n        sender --> its box, receivers on its label
 *	between         one thread reads the labels: which messages are for whom
 *	window n + 1    receiver takes its messages; sender fills the other set of boxes
 *
 * A receiver usually takes its messages as its first action; a thread that needs the result earlier
 * takes them itself (struct turn). */
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
	uint32_t at, to; /* at: index among the boxes */
};

struct mail { /* all messages of one direction */
	unsigned senders, receivers;
	unsigned round; /* number of closed windows; receivers read the boxes of the last closed
			 * window */
	uint32_t most;  /* most messages that a sender posts in a window */
	size_t label_size;
	unsigned char *label[2]; /* per set of boxes: labels, each on separate host cache lines */
	struct msg *box[2];
	struct posted *posted;   /* all messages of the window */
	const struct msg **read; /* messages by receiver, sender and sequence */
	uint32_t *end;           /* per receiver: end of its messages in `read` */
};

struct outbox { /* a sender's box */
	struct msg *v;
	struct label *label;
	uint32_t n;
	unsigned round; /* round of the messages in the box */
};

/* `most`: messages of one sender in a window; `all`: of all senders together. */
void mail_init(struct mail *m, struct arena *a, unsigned senders, unsigned receivers, uint32_t most,
	       size_t all);
void mail_close(struct mail *m); /* called at the end of a window */
void outbox_open(struct outbox *o, const struct mail *m,
		 unsigned sender); /* gives the sender an empty box for the window */

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

/* Prefetches a receiver's messages into the host's cache. */
static inline void mail_prefetch(const struct mail *m, unsigned to)
{
	uint32_t n = to < m->receivers ? mail_count(m, to) : 0;
	for (uint32_t i = 1; i <= n; i++)
		__builtin_prefetch(m->read[m->end[to] - i]);
}

/* Writes the last window's messages to a receiver to v, in (time, sender, sequence) order. */
void mail_read(const struct mail *m, unsigned to, const struct msg **v);

/* ---- work done once per round ---- */

struct turn {
	_Alignas(ARENA_LINES) atomic_uint begun;
	atomic_uint done; /* last round in which the work was done */
};

/* True: the caller must do the work, until turn_end(). False: another thread has done it. */
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
