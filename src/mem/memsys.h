/* The memory system as the GPU's driver sees it: everything behind the SMs' ports. Time advances in
 * windows of at most memsys_window_max() core cycles. In each, first the SMs simulate [from, to)
 * and put requests into their ports; then the memory side simulates the same cycles and puts
 * replies and credits, none due before `to`, into the ports.
 *
 *	memsys_deliver(m, sm) for every SM      any thread, any order; before the SM's part of the window
 *	memsys_requests(m, from, to);           one thread
 *	memsys_part(m, p, to) for every p       any thread, any order, each once
 *	memsys_replies(m, from, to);            one thread
 *
 * If memsys_beside(), nothing that SMs send in a window reaches the partitions in the same window.
 * Then partitions must run before memsys_requests(), and may run at the same time as the SMs.
 *
 * The result does not depend on threads. Cycles may be skipped between windows while no SM has
 * anything to do, up to memsys_idle_until(). */
#ifndef MEM_MEMSYS_H
#define MEM_MEMSYS_H
#include <stdio.h>
#include "mem/dram.h"
#include "mem/port.h"

struct machine;
struct devmem;
struct diag;
struct memsys;
struct stat_report;

/* NULL, and errors in d, if the options conflict. */
struct memsys *memsys_new(const struct machine *m, struct diag *d);
void memsys_free(struct memsys *s);
/* Sets the number of threads that will run the memory system, so that serial work can be spread.
 * Called before the first window; no result depends on it. */
void memsys_share(struct memsys *s, unsigned threads);
struct port *memsys_port(struct memsys *s, unsigned sm);
cycle_t memsys_window_max(const struct memsys *s);
unsigned memsys_parts(const struct memsys *s);

bool memsys_beside(const struct memsys *s);
void memsys_deliver(struct memsys *s,
		    unsigned sm); /* fills the port with the last window's replies */
void memsys_requests(struct memsys *s, cycle_t from, cycle_t to);
bool memsys_part(struct memsys *s, unsigned part,
		 cycle_t to); /* false: the partition had nothing to do */
void memsys_replies(struct memsys *s, cycle_t from, cycle_t to);
void memsys_window(struct memsys *s, cycle_t from,
		   cycle_t to); /* all phases in one thread, replies delivered */
/* Called after a window, before figures are read: takes the requests and replies that SMs and
 * partitions would otherwise take at the beginning of the next window. */
void memsys_exchange(struct memsys *s);

/* The first core cycle in which the memory side has an event, CYCLE_NEVER if it is empty.
 * Messages that are already in ports are left to the SMs (port_next()). */
cycle_t memsys_idle_until(struct memsys *s);
/* Runs until the memory side is empty (write-backs, acknowledged writes). Returns the cycle after. */
cycle_t memsys_drain(struct memsys *s, cycle_t from);
/* At the end of a run: every request must have its reply, and no queue may hold anything. Each error
 * in d names a holder. */
bool memsys_check(struct memsys *s, struct diag *d);
/* At the end of a run: figures that contradict each other are errors in d. */
void memsys_check_figures(struct memsys *s, struct diag *d);
/* Prints what each part holds, for a report of a run that makes no progress. */
void memsys_holders(struct memsys *s, FILE *f);
/* The host has copied to or from these addresses while nothing was in flight. Afterwards the L2
 * holds the last lines of the range; first_half: only lines whose home is the first half. */
void memsys_host_copied(struct memsys *s, uint64_t addr, uint64_t bytes, bool first_half);
/* power.data = counted: counts bit transitions of the data that crossed wires since the last call,
 * as if the data were memory's contents at the call. */
void memsys_count_data(struct memsys *s, const struct devmem *mem);
/* Brings all counters up to date at core cycle `at`: some are summed only on demand. */
void memsys_count_until(struct memsys *s, cycle_t at);
/* memsys_count_network() brings only the network's flit counters up to date; memsys_count_channel()
 * only those of one channel, at a cycle of the channel's clock. */
void memsys_count_network(struct memsys *s);
void memsys_count_channel(struct memsys *s, unsigned part, cycle_t dram_cycle);
cycle_t memsys_dram_cycle(const struct memsys *s, cycle_t at);
/* Returns a value that changes whenever a counter of the channel or its slices does, except cycles in
 * `state`, which are left to the caller. 0: the channel is between states, nothing can be skipped. */
uint64_t memsys_part_rest(const struct memsys *s, unsigned part, cycle_t dram_cycle,
			  enum dram_state *state);
void memsys_report(struct memsys *s, struct stat_report *r);

#endif
