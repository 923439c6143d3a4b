/* The interconnect between SM ports and L2 slices, by name; a policy is one file in icnt/. Messages between
 * one sender and one receiver arrive at least icnt.latency after they were sent, on any number of host
 * threads. SM ports are in mem/port.h, messages between windows in mem/mail.h.
 *
 * A message needs icnt.latency cycles in each direction whatever the traffic. The model charges
 * both directions to the reply: the memory side sees a request in the cycle of its injection, as
 * if its clock were icnt.latency ahead, which nothing can observe; its replies and credits arrive
 * at least `round` cycles later. So the SMs can simulate a window of that length first and the
 * memory side after them. Credits of the reply network, which go in the other direction, are
 * delayed likewise.
 *
 * The policy models contention, buffers and arbitration. If messages meet inside the network, the policy
 * moves them in two serial phases of a window; the slices run in between, on any number of threads.
 * If messages meet only at their receiver, the receiver takes them: with several threads, each
 * receiver takes the last window's messages on any thread, at the beginning of the next window or
 * when a thread needs the credits that this returns. A single thread takes all messages in
 * order of time, which is less work. */
#ifndef MEM_ICNT_H
#define MEM_ICNT_H
#include "base/diag.h"
#include "policy/registry.h"
#include "mem/port.h"
#include "mem/ring.h"
#include "stat/stat.h"

struct machine;

enum {
	ICNT_REPLIES = 2, /* replies that a slice may hand to the network per L2 cycle */
	ICNT_TRIPS = 20,  /* classes of round trips, by power of two */
};

/* A slice's end of the network. Only its slice touches it while partitions run. */
struct netend {
	RING(struct msg) in; /* requests, in (time, sm, seq) order; the network's last buffer */
	struct outbox out;   /* replies of this window, `time` in interconnect cycles */
	cycle_t inject;      /* interconnect cycle in which the next reply flit may enter */
	struct credit_line credits; /* for replies; times are interconnect cycles */
	bool unlimited, one_class;
	struct wires *wires; /* wires of the slice's link; NULL: power.data = mean */
};

#define ICNT_STATS(X)                                                                              \
	X(requests, STAT_SUM, 1, "packets", "from SMs to slices")                                  \
	X(replies, STAT_SUM, 1, "packets", "from slices to SMs")                                   \
	X(request_flits, STAT_SUM, 1, "flits", "from SMs to slices")                               \
	X(reply_flits, STAT_SUM, 1, "flits", "from slices to SMs")                                 \
	X(reply_wait, STAT_SUM, 1, "icnt cycles",                                                  \
	  "time that reply packets waited behind others at the SM's "                              \
	  "port")                                                                                  \
	X(hops, STAT_SUM, 1, "hops", "mesh: links traversed by packets")                           \
	X(flit_hops, STAT_SUM, 1, "flits x links",                                                 \
	  "links traversed by flits: one per flit, in a mesh those "                               \
	  "between routers")                                                                       \
	X(data_toggles, STAT_SUM, 1, "bits x links",                                               \
	  "power.data = counted: data bits of flits that differ from "                             \
	  "the previous flit's")                                                                   \
	X(other_bits, STAT_SUM, 1, "bits x links",                                                 \
	  "power.data = counted: bits of flits other than data")                                   \
	X(latency, STAT_SUM, ICNT_TRIPS, "core cycles",                                            \
	  "requests by round-trip time, by power of two")                                          \
	X(latency_sum, STAT_SUM, 1, "core cycles", "sum of all requests' round-trip times")        \
	X(latency_max, STAT_MAX, 1, "core cycles", "longest round-trip time of a request")
struct icnt_stats {
	STAT_FIELDS(ICNT_STATS)
};
extern const struct stat_table icnt_stat_table;

struct icnt_side {               /* counters and state of a receiver (SM or slice), written by one
			   * thread at a time */
	struct turn turn;        /* the right to take the receiver's messages */
	const struct msg **mail; /* messages of the last window, in order */
	uint64_t packets, flits; /* packets and flits that the receiver has taken so far, for
				  * icnt_sum() */
	uint64_t toggles;        /* transitions on the data wires of the link by which the
				  * receiver sends (wires.h) */
	/* SMs only: */
	cycle_t eject; /* interconnect cycle in which the port may take the next reply flit */
	uint64_t wait, trip, longest, trips[ICNT_TRIPS];
};

struct icnt {
	const struct icnt_ops *ops;
	struct port *port;
	struct netend **end;
	unsigned nport, nend;
	cycle_t round;                 /* round trip of an empty network, in interconnect cycles */
	struct ratio to_icnt, to_core; /* ratios from and to core cycles */
	unsigned flits;                /* credits per channel */
	unsigned reply_flits;          /* flits that a slice sends per cycle */
	bool hops;                     /* facts.hops */
	struct mail request, reply;
	/* threads on which receivers take their messages themselves; 0: one thread takes all */
	unsigned mailed;
	struct icnt_side *at_port, *at_end;
	void (*take)(struct netend *e); /* makes the slice take the requests that have arrived */
	void *state;                    /* owned by the policy */
	/* working arrays of the sort by time */
	const struct msg **sorted;
	uint32_t *bucket, span;
	struct icnt_stats stats;
};

/* A network: one file in mem/icnt/ with one table, `const struct icnt_ops icnt_NAME`. A policy may
 * change n->state, the rings and outboxes of ports and ends, credits, and the network's figures.
 * Within a window no packet arrives earlier than icnt.latency after it left: SMs and slices can
 * therefore be simulated one after the other. */
struct icnt_ops {
	struct policy p;
	bool unlimited, one_class; /* unlimited: no flits, no credits; one_class: credits are per
				    * port, not per destination */
	/* MUST. Sets up `state`; false and an error in d if the options do not fit. */
	bool (*init)(struct icnt *n, const struct machine *m, struct arena *a, struct diag *d);
	/* MAY, with `replies`. Takes the outboxes and simulates requests for interconnect cycles
	 * [from, to). NULL, like `replies`: messages meet at their receivers only. */
	void (*requests)(struct icnt *n, cycle_t from, cycle_t to);
	/* MUST. A slice took `m` from its `in` ring; the last flit left at cycle t. Called on any
	 * thread, but by one thread at a time for a slice. */
	void (*taken)(struct icnt *n, unsigned dest, const struct msg *m, cycle_t t);
	/* MAY, with `requests`. Takes the slices' replies and simulates them for [from, to). */
	void (*replies)(struct icnt *n, cycle_t from, cycle_t to);
	/* MAY. Without `replies`: an SM's port took `m`, its last flit at cycle t. Called on any
	 * thread, but by one thread at a time for an SM; NULL: the network need not know. */
	void (*delivered)(struct icnt *n, const struct msg *m, cycle_t t);
	/* MAY, with held(). First cycle in which packets inside the network want to move; NULL: the
	 * network never holds packets. */
	cycle_t (*next)(const struct icnt *n);
	unsigned (*held)(const struct icnt *n); /* number of packets inside; NULL: always 0 */
};
POLICY_FINDER(icnt)

/* Longest message, in flits. */
unsigned icnt_max_flits(const struct machine *m);
bool icnt_init(struct icnt *n, const struct machine *m, struct port *ports, struct netend **ends,
	       unsigned nend, struct arena *a, struct diag *d);

/* The network's phases of a window: icnt_requests() between SMs and slices, icnt_replies() after
 * the slices. */
void icnt_requests(struct icnt *n, cycle_t from, cycle_t to);
void icnt_replies(struct icnt *n, cycle_t from, cycle_t to);
/* Takes the last window's messages to a slice or an SM, unless they have been taken already. Called on
 * any thread while slices and SMs run, for each one before its own part of the window. */
void icnt_take(struct icnt *n, unsigned dest);
void icnt_deliver_all(struct icnt *n, unsigned sm);
/* The sum of all counters. */
struct icnt_stats icnt_sum(const struct icnt *n);
/* Updates in *sum only packets, flits, links and bits, which determine the network's energy. */
void icnt_sum_flits(const struct icnt *n, struct icnt_stats *sum);

/* ---- for policies ---- */
/* Puts all messages of the outboxes (of the SMs, of the slices) in (time, source, sequence) order into
 * n->sorted and empties the boxes; returns their number. Messages stay valid until the next window. */
unsigned icnt_sort_requests(struct icnt *n, cycle_t from);
unsigned icnt_sort_replies(struct icnt *n, cycle_t from);
/* A reply leaves the network: its first flit is at the SM's port at cycle t. Serialises the port,
 * puts the message into the inbox; returns the cycle after its last flit. */
cycle_t icnt_deliver(struct icnt *n, const struct msg *m, cycle_t t);
/* Delivers a reply when the policy has serialised the port: the last flit arrives before cycle
 * `end`. */
void icnt_arrived(struct icnt *n, const struct msg *m, cycle_t end);
/* Delivers a copy of a reply to a second SM whose read was merged with the first SM's inside the
 * network. The slice does not know of that read, and no figure counts it. Returns the core cycle of
 * arrival. */
cycle_t icnt_shared(struct icnt *n, const struct msg *m, cycle_t end);
void icnt_arrive(struct icnt *n, const struct msg *m,
		 cycle_t t); /* delivers a request to its slice's buffer */

#endif
