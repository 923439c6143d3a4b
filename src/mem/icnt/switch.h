/* The common part of switched networks (input-queued, islip): two planes, one per direction, each
 * simulated cycle by cycle while it holds packets. Packets leave in order of the cycles simulated;
 * credits are returned by switch_taken(). The interface of all networks is mem/icnt.h.
 *
 *   SM ports --> request plane --> slices' buffers (credits: `slices`)
 *   SM ports <-- reply plane   <-- slices
 *
 * A policy's state begins with a struct xswitch and its planes with a struct plane. The policy
 * provides the functions below: how a packet enters a plane and what happens in a cycle. */
#ifndef MEM_ICNT_SWITCH_H
#define MEM_ICNT_SWITCH_H
#include "mem/icnt.h"

struct plane {
	unsigned nin, nout, words; /* words: 64-bit words of a set of inputs */
	unsigned held;             /* packets inside the plane */
	cycle_t now;               /* cycle up to which the plane is simulated */
	bool to_slices;            /* true: the request plane */
};

struct xswitch {
	struct plane *request, *reply;
	struct credit_line slices; /* credits for the slices' last buffers */
	/* MUST. Message m enters the plane at an input, for an output. */
	void (*enter)(struct icnt *n, struct plane *p, unsigned from, unsigned to,
		      const struct msg *m);
	/* MUST. Simulates cycle t of the plane, which holds packets. */
	void (*cycle)(struct icnt *n, struct plane *p, cycle_t t);
};

/* Sets up both planes, which the policy has allocated: fills in their sizes. */
void switch_init(struct icnt *n, struct xswitch *s, struct plane *request, struct plane *reply,
		 struct arena *a);

void switch_requests(struct icnt *n, cycle_t from, cycle_t to);
void switch_taken(struct icnt *n, unsigned dest, const struct msg *m, cycle_t t);
void switch_replies(struct icnt *n, cycle_t from, cycle_t to);
cycle_t switch_next(const struct icnt *n);
unsigned switch_held(const struct icnt *n);

#define SWITCH_OPS                                                                                 \
	.requests = switch_requests, .taken = switch_taken, .replies = switch_replies,             \
	.next = switch_next, .held = switch_held

#endif
