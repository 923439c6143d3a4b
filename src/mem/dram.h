/* A DRAM channel: banks in groups, row buffers, one command in a cycle, a shared data bus. It
 * counts DRAM command cycles and works by commands: the scheduler names the next one and when the
 * timing parameters allow it; nothing is done in between. */
#ifndef MEM_DRAM_H
#define MEM_DRAM_H
#include "policy/registry.h"
#include "mem/addrmap.h"
#include "mem/clock.h"
#include "mem/ring.h"
#include "stat/stat.h"

enum { DRAM_NONE = UINT32_MAX };
enum dram_op { DRAM_ACT, DRAM_PRE, DRAM_COL };

struct dram_req {
	uint64_t age; /* order of arrival */
	cycle_t arrived;
	uint32_t row, token, next;
	uint16_t bank, bursts; /* column accesses left */
	bool write, started;
	uint8_t queue; /* which list it is in */
};

struct dram_list {
	uint32_t first, last;
};

struct dram_bank {
	cycle_t act_ok, pre_ok, col_ok; /* from when on each command is allowed */
	uint32_t row;
	bool open;
	uint16_t group;
	struct dram_list
		list[2]; /* in order of arrival: reads (or all, without a write queue), writes */
};

struct dram_cmd {
	cycle_t time;
	uint32_t req;
	enum dram_op op;
};

/* What a bank would do next, kept by the scheduler from one pick to the next. */
struct dram_cand {
	cycle_t ready;  /* the bank's own limit */
	uint64_t order; /* among commands possible at one time: smaller goes first */
	uint32_t req;
	uint8_t base; /* which of dram_bases() limits it too */
};

struct dram_arrival { /* on the fixed path before the queue */
	cycle_t ready;
	uint64_t local;
	uint32_t token;
	uint16_t bytes;
	bool write;
};

struct dram_done {
	cycle_t time;
	uint32_t token;
};

#define DRAM_STATS(X)                                                                              \
	X(reads, STAT_SUM, 1, "requests", "reads finished")                                        \
	X(writes, STAT_SUM, 1, "requests", "writes finished")                                      \
	X(row_hits, STAT_SUM, 1, "requests", "row was open")                                       \
	X(row_misses, STAT_SUM, 1, "requests", "bank had no open row")                             \
	X(row_conflicts, STAT_SUM, 1, "requests", "another row was open")                          \
	X(activates, STAT_SUM, 1, "commands", "rows opened")                                       \
	X(precharges, STAT_SUM, 1, "commands", "rows closed for another")                          \
	X(read_bursts, STAT_SUM, 1, "commands", "column reads")                                    \
	X(write_bursts, STAT_SUM, 1, "commands", "column writes")                                  \
	X(refreshes, STAT_SUM, 1, "commands", "refreshes of all banks")                            \
	X(bus_cycles, STAT_SUM, 1, "dram cycles", "data bus in use")                               \
	X(turns, STAT_SUM, 1, "", "changes of the bus from reading to writing or back")            \
	X(cycles, STAT_SUM, 1, "dram cycles", "of the launch, counted with the next three")        \
	X(open_cycles, STAT_SUM, 1, "dram cycles", "a row is open")                                \
	X(closed_cycles, STAT_SUM, 1, "dram cycles", "none is")                                    \
	X(idle_cycles, STAT_SUM, 1, "dram cycles",                                                 \
	  "none is, for longer than power.dram_idle: powered down")                                \
	X(read_toggles, STAT_SUM, 1, "bits",                                                       \
	  "power.data = counted: of data read, that differ from the beat before")                  \
	X(write_toggles, STAT_SUM, 1, "bits", "the same of data written")                          \
	X(queue_cycles, STAT_SUM, 1, "dram cycles",                                                \
	  "from arrival in the queue to the last column access, all requests")                     \
	X(queue_peak, STAT_MAX, 1, "requests", "most queued, without those in the write queue")    \
	X(write_peak, STAT_MAX, 1, "requests", "most in the write queue")
struct dram_stats {
	STAT_FIELDS(DRAM_STATS)
};
extern const struct stat_table dram_stat_table;

struct dram {
	cycle_t next; /* when dram_step() has something to do; CYCLE_NEVER: idle */
	struct dram_bank *bank;
	struct dram_req *req;
	uint32_t free;
	uint32_t queued[2], cap[2];
	uint64_t busy[2];  /* banks with requests in each queue */
	uint64_t stale[2]; /* banks whose `cand` no longer holds */
	struct dram_cand cand[2][64];
	bool writing; /* draining the write queue */
	bool picked;  /* `pick` holds, nothing changed since */
	uint8_t pick_queue;
	bool separate; /* writes have a queue of their own */
	struct dram_cmd pick;
	/* channel */
	cycle_t cmd_ok, act_ok; /* from when on any command, an activate is allowed */
	cycle_t col_ok[2];      /* a column read, a column write */
	cycle_t group_ok[16];   /* a column access of each group */
	cycle_t faw_ok[4];      /* after each of the last four activates: when a fifth is allowed */
	cycle_t refresh_due;
	uint32_t
		refresh_step; /* cycles between refreshes of the channel: of all banks, or of one */
	uint32_t refresh_bank; /* that is next; DRAM_NONE: all at once */
	uint32_t faw_at;
	bool any_col, last_was_write;
	uint64_t age;
	uint32_t nopen;              /* banks with an open row */
	cycle_t counted, none_since; /* states are counted up to here; no row is open since */
	uint64_t steps;
	cycle_t power_down; /* cycles without an open row before power-down; CYCLE_NEVER */
	RING(struct dram_arrival) path;
	RING(struct dram_done) done;
	const struct dramsched_ops *sched;
	const struct addrmap *map;
	uint32_t bl, burst_bytes; /* cycles and bytes of a column access */
	uint8_t burst_bits;       /* burst_bytes is two to this; 0: not a power of two */
	uint32_t nbanks, ngroups, high, low;
	uint32_t rcd, rp, ras, rc, rrd, ccd, ccdl, cl, wl, wr, wtr, rtp, tfaw, refi, rfc, rtw;
	struct wires *wires; /* of its bus, in the order of requests; NULL: power.data = mean */
	struct dram_stats stats;
};

struct machine;
struct diag;
/* `path_cycles`: dram cycles of the fixed path before the queue. */
void dram_init(struct dram *d, const struct machine *m, const struct addrmap *map,
	       cycle_t path_cycles, struct arena *a);
static inline bool dram_has_room(const struct dram *d) { return !ring_full(&d->path); }
/* There must be room. Reaches the queue at `ready`. Reads come back through `done`, writes do not.
 */
void dram_push(struct dram *d, cycle_t ready, uint64_t local, uint32_t bytes, bool write,
	       uint32_t token);
/* Does what is due at `now` == d->next; true if the path has moved (there may be room again). */
bool dram_step(struct dram *d, cycle_t now);
bool dram_idle(const struct dram *d);
/* Counts the cycles by state up to `now`, unless they are counted already. */
void dram_count_until(struct dram *d, cycle_t now);
/* Equal to what it was at an earlier cycle, and not 0, if only cycles in `state` have passed since. */
enum dram_state { DRAM_OPEN, DRAM_CLOSED, DRAM_IDLE, DRAM_STATES };
uint64_t dram_rest(const struct dram *d, cycle_t now, enum dram_state *state);

/* For schedulers: the command that `req` needs next, at the earliest cycle it may be given. */
struct dram_cmd dram_command(const struct dram *d, uint32_t req);
/* The same in two parts, because most of it stays valid: what the channel allows for each kind of
 * command (column accesses in group g: DRAM_BASE_READ + g, DRAM_BASE_WRITE + g), and a bank's
 * candidate. */
enum {
	DRAM_BASE_ACT,
	DRAM_BASE_PRE,
	DRAM_BASE_READ,
	DRAM_BASE_WRITE = DRAM_BASE_READ + 16,
	DRAM_BASES = DRAM_BASE_WRITE + 16
};
void dram_bases(const struct dram *d, unsigned queue, cycle_t base[DRAM_BASES]);
static inline struct dram_cand dram_candidate(const struct dram *d, uint32_t req)
{
	const struct dram_req *r = &d->req[req];
	const struct dram_bank *b = &d->bank[r->bank];
	if (b->open && b->row == r->row)
		return (struct dram_cand){
			b->col_ok, r->age, req,
			(uint8_t)((r->write ? DRAM_BASE_WRITE : DRAM_BASE_READ) + b->group)};
	uint64_t order = r->age | 1ull << 63; /* after all column accesses */
	if (b->open)
		return (struct dram_cand){b->pre_ok, order, req, DRAM_BASE_PRE};
	return (struct dram_cand){b->act_ok, order, req, DRAM_BASE_ACT};
}
static inline enum dram_op dram_op_of(unsigned base)
{
	return base == DRAM_BASE_ACT ? DRAM_ACT : base == DRAM_BASE_PRE ? DRAM_PRE : DRAM_COL;
}

/* A scheduling policy: one file in mem/dramsched/ with one table, `const struct dramsched_ops
 * dramsched_NAME`. It may change d->cand, d->stale and, in arrived(), d->pick. It runs on the host
 * thread of its partition. */
struct dramsched_ops {
	struct policy p;
	/* MUST. The next command among the requests of list `queue`, which is not empty, and the
	 * first cycle in which the timing parameters allow it. Asked when the last pick no longer
	 * holds. `cand` is the policy's to fill; `stale` has grown by the banks whose row, limits
	 * or list of requests changed otherwise. */
	struct dram_cmd (*pick)(struct dram *d, unsigned queue);
	/* MUST. Request `i` was added to its bank's list (which is not yet in `busy` if it was
	 * empty). False: the pick still holds; true: there must be another. A request that goes
	 * before the pick may be made the pick here. */
	bool (*arrived)(struct dram *d, uint32_t i);
};
POLICY_FINDER(dramsched)

#endif
