/* A DRAM channel: banks in groups, row buffers, one command per cycle, a shared data bus. Every command
 * keeps the timing parameters, whatever the scheduler picks, and cycles without a command cost no work:
 * the scheduler names the next command and the first cycle that allows it. Times are DRAM command
 * cycles. Schedulers are in mem/dramsched/; the address map is in mem/addrmap.h. */
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
	uint64_t age; /* number in order of arrival */
	cycle_t arrived;
	uint32_t row, token, next;
	uint16_t bank, bursts; /* bursts: bursts: column accesses that remain */
	bool write, started;
	uint8_t queue; /* index of the bank's list that holds the request */
};

struct dram_list {
	uint32_t first, last;
};

struct dram_bank {
	/* first cycle in which an activate, a precharge, a column access is allowed */
	cycle_t act_ok, pre_ok, col_ok;
	uint32_t row;
	bool open;
	uint16_t group;
	/* requests in order of arrival: [0] reads (or all, without a write queue), [1] writes */
	struct dram_list list[2];
};

struct dram_cmd {
	cycle_t time;
	uint32_t req;
	enum dram_op op;
};

/* A bank's next command, kept by the scheduler from one pick to the next. */
struct dram_cand {
	cycle_t ready;  /* first cycle that the bank's own limits allow */
	uint64_t order; /* rank among commands possible in one cycle; the smallest goes first */
	uint32_t req;
	uint8_t base; /* index in dram_bases() of the channel's limit for the command */
};

struct dram_arrival { /* a request on the path of fixed latency before the queue */
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
	X(row_hits, STAT_SUM, 1, "requests", "requests whose row was open")                        \
	X(row_misses, STAT_SUM, 1, "requests", "requests whose bank had no open row")              \
	X(row_conflicts, STAT_SUM, 1, "requests", "requests whose bank had another row open")      \
	X(activates, STAT_SUM, 1, "commands", "rows opened")                                       \
	X(precharges, STAT_SUM, 1, "commands", "rows closed for another")                          \
	X(read_bursts, STAT_SUM, 1, "commands", "column reads")                                    \
	X(write_bursts, STAT_SUM, 1, "commands", "column writes")                                  \
	X(refreshes, STAT_SUM, 1, "commands", "refreshes of all banks")                            \
	X(bus_cycles, STAT_SUM, 1, "dram cycles", "cycles in which the data bus was in use")       \
	X(turns, STAT_SUM, 1, "", "changes of the bus from reading to writing or back")            \
	X(cycles, STAT_SUM, 1, "dram cycles",                                                      \
	  "cycles of the launch; equals the sum of the next three")                                \
	X(open_cycles, STAT_SUM, 1, "dram cycles", "cycles with an open row")                      \
	X(closed_cycles, STAT_SUM, 1, "dram cycles", "cycles without an open row")                 \
	X(idle_cycles, STAT_SUM, 1, "dram cycles",                                                 \
	  "cycles powered down: no row was open for longer than "                                  \
	  "power.dram_idle")                                                                       \
	X(read_toggles, STAT_SUM, 1, "bits",                                                       \
	  "power.data = counted: bits of data read that differ from "                              \
	  "the previous beat")                                                                     \
	X(write_toggles, STAT_SUM, 1, "bits",                                                      \
	  "power.data = counted: bits of data written that differ "                                \
	  "from the previous data")                                                                \
	X(queue_cycles, STAT_SUM, 1, "dram cycles",                                                \
	  "time from arrival in the queue to the last column access, "                             \
	  "summed over requests")                                                                  \
	X(queue_peak, STAT_MAX, 1, "requests", "most requests queued, without the write queue")    \
	X(write_peak, STAT_MAX, 1, "requests", "most requests in the write queue")
struct dram_stats {
	STAT_FIELDS(DRAM_STATS)
};
extern const struct stat_table dram_stat_table;

struct dram {
	cycle_t next; /* cycle of the next dram_step(); CYCLE_NEVER: idle */
	struct dram_bank *bank;
	struct dram_req *req;
	uint32_t free;
	uint32_t queued[2], cap[2];
	uint64_t busy[2];  /* per queue: mask of banks with requests */
	uint64_t stale[2]; /* per queue: mask of banks whose `cand` is out of date */
	struct dram_cand cand[2][64];
	bool writing; /* draining the write queue */
	bool picked;  /* `pick` is valid: nothing changed since */
	uint8_t pick_queue;
	bool separate; /* writes have their own queue */
	struct dram_cmd pick;
	/* limits of the whole channel */
	cycle_t cmd_ok, act_ok; /* first cycle that allows any command, an activate */
	cycle_t col_ok[2];      /* first cycle that allows a column read, a column write */
	cycle_t group_ok[16];   /* per bank group: first cycle that allows a column access */
	/* per activate of the last four: first cycle that allows a fifth (tFAW) */
	cycle_t faw_ok[4];
	cycle_t refresh_due;
	/* cycles between refreshes: of all banks, or of one (dram.refresh) */
	uint32_t refresh_step;
	uint32_t refresh_bank; /* bank that is refreshed next; DRAM_NONE: all at once */
	uint32_t faw_at;
	bool any_col, last_was_write;
	uint64_t age;
	uint32_t nopen; /* number of banks with an open row */
	/* cycle up to which states are counted; cycle since which no row is open */
	cycle_t counted, none_since;
	uint64_t steps;
	cycle_t power_down; /* cycles without an open row before power-down; CYCLE_NEVER: no power-down */
	RING(struct dram_arrival) path;
	RING(struct dram_done) done;
	const struct dramsched_ops *sched;
	const struct addrmap *map;
	uint32_t bl, burst_bytes; /* length of a column access: cycles; bytes */
	uint8_t burst_bits;       /* log2 of burst_bytes; 0: not a power of two */
	uint32_t nbanks, ngroups, high, low;
	uint32_t rcd, rp, ras, rc, rrd, ccd, ccdl, cl, wl, wr, wtr, rtp, tfaw, refi, rfc, rtw;
	/* wires of the data bus, in the order of requests; NULL: power.data = mean */
	struct wires *wires;
	struct dram_stats stats;
};

struct machine;
struct diag;
/* `path_cycles`: DRAM cycles of the fixed path before the queue. */
void dram_init(struct dram *d, const struct machine *m, const struct addrmap *map,
	       cycle_t path_cycles, struct arena *a);
static inline bool dram_has_room(const struct dram *d) { return !ring_full(&d->path); }
/* Adds a request, which reaches the queue at `ready`; the path must have room. Reads come back
 * through `done`, writes send no reply. */
void dram_push(struct dram *d, cycle_t ready, uint64_t local, uint32_t bytes, bool write,
	       uint32_t token);
/* Runs cycle `now` == d->next; true if the path has moved (and may have room again). */
bool dram_step(struct dram *d, cycle_t now);
bool dram_idle(const struct dram *d);
/* Counts the cycles by state up to `now`. Cycles already counted are not counted twice. */
void dram_count_until(struct dram *d, cycle_t now);
/* Returns a value that is not 0, and does not change while only cycles in `state` pass. 0: the state
 * itself is about to change. */
enum dram_state { DRAM_OPEN, DRAM_CLOSED, DRAM_IDLE, DRAM_STATES };
uint64_t dram_rest(const struct dram *d, cycle_t now, enum dram_state *state);

/* For schedulers: the command that `req` needs next, at the earliest cycle it may be given. */
struct dram_cmd dram_command(const struct dram *d, uint32_t req);
/* The two parts of dram_command(), which schedulers keep because most of it stays valid: the channel's
 * limit per kind of command (column accesses in group g: DRAM_BASE_READ + g, DRAM_BASE_WRITE + g), and
 * a bank's candidate. */
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
 * dramsched_NAME`. A policy may change d->cand, d->stale and, in arrived(), d->pick, and is called on the
 * host thread of its partition. */
struct dramsched_ops {
	struct policy p;
	/* MUST. The next command among the requests of list `queue`, which is not empty, and the
	 * first cycle in which the timing parameters allow it. Called when the last pick is no
	 * longer valid. The policy fills in `cand`; the channel has added to `stale` the banks
	 * whose row, limits or list of requests changed otherwise. */
	struct dram_cmd (*pick)(struct dram *d, unsigned queue);
	/* MUST. Request `i` was added to its bank's list (a list that was empty is not yet in
	 * `busy`). False: the pick is still valid; true: another pick is needed. The policy may
	 * make a request that precedes the pick the new pick here. */
	bool (*arrived)(struct dram *d, uint32_t i);
};
POLICY_FINDER(dramsched)

#endif
