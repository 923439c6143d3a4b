/* A memory partition: L2 slices over one DRAM channel. No step is done in cycles without work: a slice
 * that can do nothing sleeps until `next`, the first L2 cycle in which it may work, and the part that
 * frees what the slice waits for wakes it. Slices are in mem/slice.h, the channel is in mem/dram.h.
 *
 *	network --> ROP path --> cache --(misses, passed writes, write-backs)--> DRAM channel
 *	   ^                       |                                                 |
 *	   +---- reply queue <-----+------------------- data <-----------------------+
 *
 * Atomics are done here: they need the line like a read and leave it dirty. Slices count L2 cycles.
 * Without an L2 every request goes to the channel.
 *
 * If the ROP path is longer than a window, nothing that SMs send in a window reaches the cache in
 * that window: the partition runs `beside` the SMs and takes their requests afterwards. A request
 * enters when the slice has room, so the slice notes when room was made in the meantime. */
#ifndef MEM_PARTITION_H
#define MEM_PARTITION_H
#include "mem/cache.h"
#include "mem/dram.h"
#include "mem/icnt.h"

struct timed_msg {
	cycle_t ready; /* L2 cycles */
	struct msg msg;
};

struct slice_pend {             /* a request with lines that are being fetched */
	uint32_t left;          /* lines outstanding */
	uint32_t next;          /* next element of the free list */
	bool closed;            /* all lines of the request have been looked up */
	bool linked;            /* the request came from the partner and answers the partner's fetch
		        * number `fetch`; only msg.kind is set */
	uint8_t answer_sectors; /* linked: number of sectors that the answer carries */
	uint32_t fetch;
	struct msg msg;
};

struct link_msg {      /* a request from the partner (far.h) */
	cycle_t ready; /* L2 cycle of its arrival */
	uint64_t addr; /* address of the line */
	uint32_t sectors, words, fetch;
	uint8_t kind; /* enum msg_kind */
	bool full;
};

struct slice_fetch { /* a read under way in the channel, or a far access under way in the partner */
	uint64_t addr;
	uint32_t sectors;
	/* MSHR that waits for the data; if passed, or without an L2: index of the request's
	 * slice_pend */
	uint32_t owner;
	uint32_t next;
	bool far;    /* the partner answers, not the channel */
	bool passed; /* a write or atomic that the partner performs; the answer fills no line */
};

struct slice_fill {
	cycle_t ready;
	uint32_t fetch;
};

#define SLICE_STATS(X)                                                                             \
	X(requests, STAT_SUM, 1, "requests", "requests taken from the network")                    \
	X(classes, STAT_SUM, MSG_CLASSES, "requests",                                              \
	  "requests by kind: global, local, constant, texture, "                                   \
	  "instruction")                                                                           \
	X(replies, STAT_SUM, 1, "requests", "requests answered")                                   \
	X(read_bytes, STAT_SUM, 1, "bytes", "bytes sent to SMs")                                   \
	X(write_bytes, STAT_SUM, 1, "bytes", "bytes received from SMs")                            \
	X(atomics, STAT_SUM, 1, "requests", "atomics performed")                                   \
	X(dram_reads, STAT_SUM, 1, "requests", "sent to the DRAM channel")                         \
	X(dram_writes, STAT_SUM, 1, "requests", "sent to the DRAM channel")                        \
	X(stall_input, STAT_SUM, 1, "events", "the network found the slice's input queue full")    \
	X(stall_reply, STAT_SUM, 1, "l2 cycles", "cycles in which a reply waited for the network") \
	X(stall_cache, STAT_SUM, 1, "tries", "attempts that the cache refused")                    \
	X(stall_dram, STAT_SUM, 1, "l2 cycles",                                                    \
	  "cycles in which the miss queue waited for the channel")                                 \
	X(steps, STAT_SUM, 1, "l2 cycles", "cycles in which the slice worked or tried to")
struct slice_stats {
	STAT_FIELDS(SLICE_STATS)
};
extern const struct stat_table slice_stat_table;

#define LINK_STATS(X)                                                                              \
	X(reads, STAT_SUM, 1, "requests", "lines requested from the partner in the other half")    \
	X(writes, STAT_SUM, 1, "requests", "writes passed to the partner")                         \
	X(atomics, STAT_SUM, 1, "requests", "atomics passed to the partner")                       \
	X(sectors, STAT_SUM, 1, "sectors", "sectors sent to the partner, in requests and answers")
struct link_stats {
	STAT_FIELDS(LINK_STATS)
};
extern const struct stat_table link_stat_table;

struct slice {
	cycle_t next; /* L2 cycle of the next step; credits may make it earlier: see slice_next() */
	cycle_t stepped; /* the cycle after the slice's last step */
	int credit;      /* SM whose credits the slice's first reply waits for; -1: none */
	cycle_t busy;    /* L2 cycle until which a request occupies the slice */
	struct partition *partition;
	unsigned dest, index; /* number among all slices; number in the partition */
	struct netend end;
	cycle_t taking; /* interconnect cycle in which the network's output port is free */
	RING(struct timed_msg)
	rop;             /* requests on the path of fixed latency, and requests that wait for the
			  * cache */
	cycle_t *room;   /* partition.beside: L2 cycles of this window in which requests left rop */
	uint32_t rest;   /* time of atomics that has not yet filled a whole cycle, in hundredths
			  * of a cycle */
	uint32_t unseen; /* entries of `room` that have not been reported to the network */
	RING(struct timed_msg)
	hits, filled; /* replies in the cache's pipeline; replies after a fill */
	RING(struct slice_fill) fills;
	bool has_cache, head_open; /* head_open: head_open: the first request of rop has a
				    * slice_pend */
	bool wants_dram;           /* the channel's path was full */
	bool blocked; /* the cache refused the first request of rop, and its state has not
		       * changed since */
	uint32_t head_pend;
	struct cache cache;
	struct slice_pend *pend;
	struct slice_fetch *fetch;
	/* first free elements; elements in use; capacities */
	uint32_t free_pend, free_fetch, npend, nfetch, pends, fetches;
	/* elements ever used; never-used elements follow the last element of the free list */
	uint32_t top_pend, top_fetch;
	struct slice_stats stats;
	/* l2.halves = 2 only: */
	struct slice *partner;      /* the slice of the other half; NULL: the L2 is undivided */
	RING(struct link_msg) link; /* requests of the partner */
	bool link_blocked;   /* the cache refused the first request of `link`, and its state has
			    * not changed since */
	cycle_t link_free;   /* L2 cycle in which the link to the partner takes the next sector */
	uint32_t nfar, fars; /* far accesses that wait for the partner; the most that may wait at
			      * a time */
	uint32_t nlinked;    /* requests in progress for which the partner waits */
	struct link_stats link_stats;
};

struct partition {
	_Alignas(ARENA_LINES) struct dram dram;
	struct slice *slice;
	unsigned nslice, turn;
	bool beside; /* the partition may simulate a window concurrently with the SMs */
	const struct addrmap *map;
	struct icnt *net;
	uint32_t rop, hit, atomic; /* L2 cycles */
	uint32_t link;             /* L2 cycles to the partner, one way */
	uint32_t link_bytes;       /* bytes of data per L2 cycle on the link to the partner */
	uint32_t port;             /* bytes that an access moves per slice cycle; 0: unlimited */
	uint32_t atomic_sector,
		atomic_word; /* time per sector and per word of an atomic, in hundredths of a
			      * cycle */
	uint32_t write_port; /* bytes of a write per cycle; 0: unlimited */
	uint32_t write_part; /* additional cycles of a write that covers sectors only in part */
	bool by_sector;      /* sectors of a miss are fetched one by one */
	bool split;          /* pieces of a request are looked up and answered one by one */
	cycle_t path;        /* DRAM cycles to the channel's queue */
	cycle_t late; /* interconnect cycle from which on credits must be collected at once */
	struct ratio icnt_to_l2, l2_to_icnt, l2_to_dram, dram_to_l2, core_to_l2, core_to_dram,
		l2_to_core, dram_to_core;
	unsigned flit, header;
};

struct machine;
bool partition_init(struct partition *p, unsigned index, const struct machine *m,
		    const struct addrmap *map, struct icnt *net, struct arena *a, struct diag *d);
void partition_take(struct netend *e); /* a slice takes the requests that have arrived */
/* Runs all events before core cycle `to`; false: there were none. */
bool partition_run(struct partition *p, cycle_t to);
cycle_t
partition_next(const struct partition *p); /* core cycle of the next event; CYCLE_NEVER: none */
/* Adds an error to d, with the holder's name, for every request that is still held. */
bool partition_check(const struct partition *p, struct diag *d);

#endif
