/* The SM since Volta: four sub-cores whose dependences are the compiler's control bits.
 *
 * 	sub-core:  issue --> ports of two register banks --> ALU, FMA (two halves), FP64, XU, tensor, uniform
 * 	                                                 \-> queue --> the SM's load/store unit
 *
 * There is no scoreboard. An instruction says how many cycles its warp pauses after it (stall
 * count), which of the warp's six counters it holds until its result is written and its sources are
 * read, and which counters it waits for. A register that is read before it is written is not
 * noticed: values come from the executor, which runs in program order.
 *
 * A bank of registers gives one register per cycle, so an instruction keeps the ports for as many cycles as it
 * reads registers of the fuller bank. A register that the slot's operand cache holds costs nothing: the previous
 * instruction of the sub-core was of the same warp, read the register in the same slot, and set the slot's reuse bit.
 *
 * Code without control bits (PTX on such a machine) waits for registers as on a machine with a scoreboard; its
 * instructions take the times of the machine's classes (*_latency).
 *
 * Counters belong to a warp whose threads part and meet where machine code says so. Mechanisms that form groups decide
 * that themselves: they execute code without control bits, whose pending registers are followed by thread
 * (threads.h), and pauses after a start or a barrier belong to warps. */
#include "sm/pipeline.h"

#include <string.h>
#include "base/pages.h"
#include "exec/cluster.h"
#include "isa/sm70/issue.h"
#include "sm/engine.h"
#include "sm/flight.h"
#include "sm/equal.h"
#include "sm/l0c.h"
#include "sm/lanes/inside.h"
#include "sm/lsu.h"
#include "sm/share.h"
#include "sm/threads.h"

/* Address range of constant operands in l1c, separate from that of constants that LDC reads by
 * memory address. */
#define OPERAND_CONSTS (1ull << 45)

/* Offset of the parameters in bank 0. The launch brings their first line, so that kernels that read
 * no other constants start without a miss (first_touch). */
enum { FIRST_PARAM = 0x210, OPERAND_FIRST = 64 };

enum { COUNTERS = 6, HALVES = 2, GROUPS = 8 };
/* Warp-group products that a sub-core's tensor unit queues. Measured (micro3_wgmma): two warp
 * groups that each issue eight products and wait for them keep the unit busy without gaps, so all
 * eight of one queue behind the eight of the other. */
enum { PRODUCT_QUEUE = 8 };

struct options {
	uint32_t redirect, queue_delay, line_delay;
	uint32_t start, warp_start, block_start, warp_room;
	uint32_t const_miss, const_issue_miss, const_far, const_bank, const_interval, const_step,
		const_miss_interval;
	uint32_t operand_miss, operand_share;
	uint32_t replace, crowd, crowd_warp;
	uint32_t bar_interval, bar_latency, cluster_latency;
	uint32_t code_start, code_share;
	uint32_t fence, fence_near, fence_far, fence_system;
	uint32_t remote_latency, remote_atomic, remote_bytes;
	uint32_t shared_pass, sleep;
	uint32_t product_latency, product_shared;
	uint32_t fma_halves, fp64_interval, mma_interval;
	struct copy_times copy;
};
static const struct option rows[] = {
	OPTION_NUM(struct options, redirect, "volta.redirect", 10, 1, 100, "cycles",
		   "from a taken branch to the instruction at its target, at least"),
	OPTION_NUM(struct options, line_delay, "volta.line_delay", 17, 0, 10000, "cycles",
		   "time by which a code line missing from the instruction "
		   "cache reaches the stream buffers after the line before it"),
	OPTION_NUM(struct options, start, "volta.start", 0, 0, 10000, "cycles",
		   "from a block's arrival on an SM to its first instruction"),
	OPTION_NUM(
		struct options, code_start, "volta.code_start", 0, 0, 10000, "cycles",
		"time added to volta.start if the SM's instruction cache lacks the kernel's first line"),
	OPTION_NUM(struct options, code_share, "volta.code_share", 0, 0, 10000,
		   "hundredths of a cycle",
		   "time that each SM of the launch adds to volta.code_start"),
	OPTION_NUM(struct options, warp_start, "volta.warp_start", 0, 0, 1000, "cycles",
		   "from the start of a warp to the start of the block's next warp"),
	OPTION_NUM(
		struct options, block_start, "volta.block_start", 0, 0, 1000, "cycles",
		"from the start of a block to the start of the SM's next block, without volta.block_warp_start"),
	OPTION_NUM(struct options, warp_room, "volta.block_warp_start", 0, 0, 1000, "cycles",
		   "time that each warp of a block adds to volta.block_start"),
	OPTION_NUM(
		struct options, const_miss, "volta.constant_miss", 0, 0, 1000, "cycles",
		"from a constant that the first level (2 KB, lines of 64 bytes) lacks to its arrival "
		"from l1c; 0: the first level has all constants"),
	OPTION_NUM(
		struct options, const_issue_miss, "volta.constant_issue_miss", 0, 0, 1000, "cycles",
		"the same for a constant that an instruction reads at issue; 0: volta.constant_miss"),
	OPTION_NUM(
		struct options, operand_miss, "volta.operand_miss", 0, 0, 1000, "cycles",
		"from a parameter that an instruction reads at issue, and its sub-core's first level lacks, "
		"to its arrival; 0: the launch brings the first parameters to the first level"),
	OPTION_NUM(
		struct options, operand_share, "volta.operand_share", 0, 0, 10000,
		"hundredths of a cycle",
		"time between the arrivals of two lines of parameters in the sub-cores of the chip"),
	OPTION_NUM(struct options, const_far, "volta.constant_far", 0, 0, 10000, "cycles",
		   "time added to volta.constant_miss if l1c lacks the constant of an operand"),
	OPTION_NUM(
		struct options, const_bank, "volta.constant_bank", 0, 0, 10000, "cycles",
		"time added to volta.constant_miss for a launch's first constant of a bank other than 0 on an SM"),
	OPTION_NUM(struct options, const_interval, "volta.constant_interval", 1, 1, 100, "cycles",
		   "time between two addresses of an LDC"),
	OPTION_NUM(struct options, const_miss_interval, "volta.constant_miss_interval", 1, 1, 1000,
		   "cycles",
		   "time between two addresses of an LDC if the first level lacks the constant"),
	OPTION_NUM(
		struct options, replace, "volta.block_replace", 0, 0, 10000, "cycles",
		"time added to volta.start for a block that begins after another of its launch has ended on the SM"),
	OPTION_NUM(struct options, const_step, "volta.constant_step", 1, 1, 1000, "cycles",
		   "latency that each further address adds to an LDC"),
	OPTION_NUM(struct options, crowd, "volta.crowd", 0, 0, 10000, "cycles",
		   "head start of a launch's warps on an SM before volta.crowd_warp_start counts"),
	OPTION_NUM(
		struct options, crowd_warp, "volta.crowd_warp_start", 0, 0, 1000, "cycles",
		"time per warp of the launch on the SM, without volta.crowd, before which its sixth and later "
		"blocks and those behind 40 warps do not begin; 0: blocks begin one after the other"),
	OPTION_NUM(
		struct options, bar_interval, "volta.barrier_interval", 0, 0, 100, "cycles",
		"time that the SM's barrier unit takes for the arrival of a warp, or for a fence"),
	OPTION_NUM(
		struct options, bar_latency, "volta.barrier_latency", 0, 0, 1000, "cycles",
		"from the last arrival at a block's barrier to the next instruction of its warps"),
	OPTION_NUM(
		struct options, cluster_latency, "volta.cluster_latency", 0, 0, 1000, "cycles",
		"from the last arrival at a cluster's barrier to the next instruction of its warps"),
	OPTION_NUM(struct options, fence, "volta.fence", 0, 0, 10000, "cycles",
		   "time that a fence for the GPU takes, at least"),
	OPTION_NUM(struct options, fence_near, "volta.fence_near", 0, 0, 10000, "cycles",
		   "the same if the SM has sent requests to the L2 since its last fence"),
	OPTION_NUM(struct options, fence_far, "volta.fence_far", 0, 0, 10000, "cycles",
		   "the same if the home of their lines is in the other half of the L2"),
	OPTION_NUM(struct options, fence_system, "volta.fence_system", 0, 0, 100000, "cycles",
		   "time that a fence for the system takes, at least"),
	OPTION_NUM(
		struct options, remote_latency, "volta.remote_latency", 200, 0, 10000, "cycles",
		"from the load/store unit to the data of a load from another block's shared memory"),
	OPTION_NUM(struct options, remote_atomic, "volta.remote_atomic", 0, 0, 1000, "cycles",
		   "time added to volta.remote_latency for an atomic operation"),
	OPTION_NUM(
		struct options, shared_pass, "volta.shared_pass", 0, 0, 100, "cycles",
		"time between two passes of a sub-core's instructions through shared memory; 0: one "
		"per cycle, as the SM"),
	OPTION_NUM(
		struct options, sleep, "volta.sleep", 0, 0, 10000, "cycles",
		"least time of nanosleep, which takes the next power of two of nanoseconds from 64 on; "
		"0: nanosleep takes no time"),
	OPTION_NUM(struct options, remote_bytes, "volta.remote_bytes", 32, 1, 1024, "bytes",
		   "data that an SM exchanges with shared memory of other blocks, per cycle"),
	OPTION_NUM(struct options, product_latency, "volta.product_latency", 30, 0, 1000, "cycles",
		   "from the last cycle of a warp group's product in the tensor units to its end"),
	OPTION_NUM(struct options, product_shared, "volta.product_shared", 0, 0, 1000, "cycles",
		   "time added to volta.product_latency if matrix A is in shared memory"),
	OPTION_NUM(struct options, fma_halves, "volta.fma_halves", 2, 1, 2, "",
		   "halves of a sub-core's FMA pipe, 16 lanes each; one also multiplies integers"),
	OPTION_NUM(struct options, fp64_interval, "volta.fp64_interval", 2, 1, 1000, "cycles",
		   "time for which an instruction keeps a sub-core's FP64 pipe"),
	OPTION_NUM(
		struct options, mma_interval, "volta.mma_interval", 6, 2, 1000, "cycles",
		"time for which an mma instruction of full depth (m16n8k16 of 16 bits) keeps the "
		"tensor unit; of half that depth: half of it and one"),
	OPTION_NUM(struct options, copy.interval, "volta.copy_interval", 1, 1, 1000, "cycles",
		   "time between the starts of two copies of the copy engine"),
	OPTION_NUM(struct options, copy.store_interval, "volta.copy_store_interval", 1, 1, 1000,
		   "cycles", "the same after a copy from shared memory"),
	OPTION_NUM(struct options, copy.delay, "volta.copy_delay", 0, 0, 1000, "cycles",
		   "from the issue of a copy to the first request of the copy engine"),
	OPTION_NUM(
		struct options, copy.wake, "volta.copy_wake", 1, 1, 1000, "cycles",
		"from the end of an asynchronous copy to the results of instructions that wait for it"),
	OPTION_NUM(struct options, queue_delay, "volta.queue_delay", 6, 0, 100, "cycles",
		   "from the issue of a memory instruction to the load/store unit"),
};
static const struct option_table options = {OPTION_TABLE(rows, struct options), .alone = true};

struct counter_event { /* event: a counter of a group is decremented */
	struct event ev;
	struct counter_event *next;
	uint16_t group, warp; /* number of the group; warp that must stay resident until then */
	uint8_t counter;
};

struct warp_state {    /* per group */
	cycle_t ready; /* cycle in which the stall count has elapsed */
	cycle_t fence; /* cycle in which the warp's current fence began; 0: no fence */
	uint8_t count[COUNTERS], held; /* held: set of counters that are not zero */
	bool waking;                   /* the event `wake` has been posted */
	cycle_t group[GROUPS];         /* a ring: end of each group of products */
	uint32_t groups;               /* groups begun */
	struct event wake;
};

struct sub_core { /* a sub-core, or a lane inside a sub-core with its own arithmetic pipes and
		   * ports */
	/* cycle in which each pipe accepts its next instruction; FMA: the earlier of its halves, the first of which
	 * is HEAVY; NONE: 0 */
	cycle_t pipe[SM70_PIPES], half[HALVES];
	cycle_t products; /* cycle in which the tensor unit has finished the
						 * warp groups' products */
	cycle_t path;     /* cycle in which the sub-core's path to shared memory is free */
	cycle_t ports;    /* cycle in which the register ports are free */
	int cached_warp;  /* warp whose registers the operand cache holds; -1: the cache is empty */
	uint8_t cached[SM70_SLOTS]; /* register per slot; SM70_RZ: none */
};

/* Requirements for the issue of a ready group's next instruction: its pipe, the register ports, and whether it needs more than
 * these (takes_more()). */
enum { NEEDS_PIPE = 0x3f, NEEDS_PORTS = 0x40, NEEDS_MORE = 0x80 };

struct volta {
	const struct options *o;
	struct warp_state *warp; /* per group */
	cycle_t *home;  /* per warp, with mechanisms that split and merge groups: cycle from which
		       * the warp's threads may issue */
	uint8_t *needs; /* per ready group: NEEDS_* of its next instruction; bytes, so that a
		        * scheduler's groups share host cache lines */
	struct sub_core *core; /* per lane of sub-cores.h; elements below `cores` are the
			        * sub-cores themselves */
	unsigned cores;
	bool divided; /* sub-cores have several lanes */
	bool plans; /* the organisation of the lanes decides how long an instruction keeps its pipe */
	bool uniform;       /* scalar instructions take the uniform datapath */
	cycle_t shuffle;    /* cycle in which the SM's crossbar of lanes is free */
	cycle_t barriers;   /* cycle in which the SM's barrier unit is free */
	cycle_t checks;     /* cycle in which the SM takes the next check of an mbarrier's phase */
	cycle_t first;      /* cycle of the first instruction of the block that is starting */
	cycle_t next_block; /* earliest cycle of the next block's first instruction */
	unsigned begun;     /* warps of the starting block that had begun earlier, because the
			     * block was granted in part */
	struct l0c *operands; /* per sub-core: cache of constants read at issue */
	struct l0c loads;     /* cache of constants read by LDC */
	cycle_t constant; /* cycle in which the data of the LDC's last address are available, not
			   * counting l1c.latency */
	cycle_t operand_free; /* cycle in which the next line of parameters can arrive at a
			       * sub-core */
	struct engine *engine;
	const struct kern
		*newest;        /* last launch of the run that had a block on this SM; NULL: none */
	cycle_t first_block;    /* cycle of the first instruction of newest's first block on the
				 * SM */
	uint32_t blocks, warps; /* blocks and warps of newest that have begun on the SM */
	uint64_t ended;         /* blocks that had ended on this SM when newest arrived */
	bool has_bank;          /* this launch has read a constant of a bank other than 0 */
	cycle_t fence_from, fence_to; /* begin and end of a fence under way; fence_to 0: none */
	cycle_t cleared;              /* cycle up to which requests have been covered by a fence */
	struct counter_event *unused;
	void *chunks;
};

/* ---- counters ---- */

static void more_events(struct volta *v)
{
	enum { CHUNK = 64 };
	struct chunk {
		void *next;
		struct counter_event e[CHUNK];
	} *c = xcalloc(1, sizeof *c);
	c->next = v->chunks;
	v->chunks = c;
	for (unsigned i = 0; i < CHUNK; i++) {
		c->e[i].next = v->unused;
		v->unused = &c->e[i];
	}
}

static void hold_counter(struct warp_state *w, unsigned c)
{
	w->count[c]++;
	w->held |= (uint8_t)(1u << c);
}

static void drop_counter(struct sm *sm, unsigned group, unsigned c)
{
	struct warp_state *w = &((struct volta *)sm->pipe_state)->warp[group];
	assert_hot(w->count[c]);
	if (!--w->count[c])
		w->held &= (uint8_t) ~(1u << c);
}

static void give_back(struct sm *sm, unsigned group, unsigned c)
{
	drop_counter(sm, group, c);
	if (sm->slot[group].state >= GS_SCORE && sm->slot[group].state < GS_READY)
		sm_group_changed(sm, (int)group);
}

static void give_back_at(struct sm *sm, const struct issue *i, unsigned c, cycle_t at)
{
	struct volta *v = sm->pipe_state;
	if (!v->unused)
		more_events(v);
	struct counter_event *e = v->unused;
	v->unused = e->next;
	e->group = (uint16_t)i->group;
	e->warp = (uint16_t)i->warp;
	e->counter = (uint8_t)c;
	e->ev.kind = EV_PIPE;
	sm->warp[e->warp].inflight++;
	wheel_post(&sm->wheel, &e->ev, at);
}

/* Handles an event of the pipeline: a stall count has elapsed, or a counter is decremented. */
static void event(struct sm *sm, struct event *ev)
{
	struct volta *v = sm->pipe_state;
	if (engine_event(sm, v->engine, ev))
		return;
	if (ev->arg) { /* arg - 1 is the group */
		v->warp[ev->arg - 1].waking = false;
		sm_group_changed(sm, (int)ev->arg - 1);
		return;
	}
	struct counter_event *e = (struct counter_event *)ev;
	give_back(sm, e->group, e->counter);
	sm->warp[e->warp].inflight--;
	sm_warp_maybe_done(sm, e->warp);
	e->next = v->unused;
	v->unused = e;
}

/* ---- reasons why a group cannot issue ---- */

/* The kind of operation that the group waits for: that of the youngest instruction in flight that
 * holds one of the awaited counters. */
static enum wait_kind find_producer(const struct gslot *s, unsigned wait)
{
	for (const struct flight *op = s->ops; op; op = op->next)
		if (op->t->issue && op->t->issue->control.write < COUNTERS &&
		    wait >> op->t->issue->control.write & 1)
			return op->t->wait;
	return W_SP;
}

static bool waits_for_counters(const struct warp_state *w, const struct sm70_issue *i)
{
	if (w->held & i->control.wait)
		return true;
	return i->depbar_counter < COUNTERS && w->count[i->depbar_counter] > i->depbar_most;
}

static void wake_at_ready(struct sm *sm, int g, struct warp_state *w)
{
	if (w->waking)
		return;
	w->waking = true;
	w->wake.kind = EV_PIPE;
	w->wake.arg = (uint32_t)g + 1;
	wheel_post(&sm->wheel, &w->wake, w->ready);
}

/* Cycles from now until a line of parameters arrives in a sub-core whose first level lacks it. When
 * a launch begins, the sub-cores of all SMs request the same few lines and are served one after the
 * other; the model makes each SM wait as if all SMs with blocks had requested at once. Line 0 is
 * prefetched, because kernels begin with an LDC of it. */
static cycle_t fetch_parameters(struct sm *sm, uint64_t addr)
{
	struct volta *v = sm->pipe_state;
	const struct options *o = v->o;
	uint64_t blocks = v->newest->blocks, sms = sm->m->sms;
	cycle_t share = o->operand_share * (blocks < sms ? blocks : sms) / 100;
	cycle_t turn = (v->operand_free > sm->now ? v->operand_free : sm->now) + share;
	cycle_t ready = sm->now + (addr < OPERAND_FIRST ? 1 : o->operand_miss);
	v->operand_free = turn;
	return ready > turn ? ready : turn;
}

/* Cycles until the instruction's constant operand is available: 0, or the rest of its fetch. */
static unsigned constant_late(struct sm *sm, unsigned sub_core, const struct sm70_issue *i)
{
	struct volta *v = sm->pipe_state;
	struct cache *behind = &sm->l1->cache[L1C];
	struct l0c *l0 = &v->operands[sub_core % v->cores];
	uint64_t addr = (uint64_t)i->const_bank << 32 | i->const_off;
	unsigned hit = v->o->const_issue_miss ? v->o->const_issue_miss : v->o->const_miss,
		 miss = hit;
	bool missed;
	if (!v->o->const_miss)
		return 0;
	if (v->o->operand_miss && !i->const_bank) {
		if (!l0c_has(l0, addr))
			miss = (unsigned)(fetch_parameters(sm, addr) - sm->now);
		return (unsigned)(l0c_look_up(l0, addr, sm->now, miss, &missed) - sm->now);
	}
	if (i->const_bank && sm->l1->on[L1C] &&
	    !cache_probe(behind, OPERAND_CONSTS + addr, behind->all))
		miss += v->o->const_far + (v->has_bank ? 0 : v->o->const_bank);
	cycle_t ready = l0c_look_up(l0, addr, sm->now, miss, &missed);
	if (missed && miss > hit) {
		cache_place(behind, OPERAND_CONSTS + addr, behind->all);
		v->has_bank = true;
	}
	return (unsigned)(ready - sm->now);
}

static uint32_t constant(struct sm *sm, uint64_t addr, unsigned nth, uint32_t *busy, bool *known)
{
	struct volta *v = sm->pipe_state;
	const struct options *o = v->o;
	bool missed;
	*busy = o->const_interval;
	*known = addr >= PARAM_PHYS; /* the launch has brought the parameters */
	if (!o->const_miss)
		return 0;
	if (*known)
		addr = FIRST_PARAM + (addr & 0xffff);
	else
		addr += 1ull << 32; /* keeps addresses of other banks distinct from bank 0's */
	cycle_t ready = l0c_look_up(&v->loads, addr, sm->now, o->const_miss, &missed);
	if (missed && *busy < o->const_miss_interval)
		*busy = o->const_miss_interval;
	/* The addresses of an LDC are looked up one after the other; a miss is sent when the
	 * previous address has its data. */
	cycle_t last = nth ? v->constant + o->const_step : 0;
	last = last > sm->now ? last : sm->now;
	v->constant = missed ? last + o->const_miss : ready > last ? ready : last;
	uint32_t late = (uint32_t)(v->constant - sm->now);
	if (!*known && !v->has_bank) {
		v->has_bank = true;
		late += o->const_bank;
	}
	return late;
}

/* Cycle in which the barrier unit accepts an arrival or a fence; it handles them one after the
 * other. */
static cycle_t arrives(struct sm *sm)
{
	struct volta *v = sm->pipe_state;
	cycle_t at = v->barriers > sm->now ? v->barriers : sm->now;
	v->barriers = at + v->o->bar_interval;
	return at;
}

/* Cycles of a fence of GPU scope: it must reach every slice to which the SM has sent requests since
 * the last fence: none, slices in the SM's half of the L2, or also home slices in the other half. */
static cycle_t fence_takes(const struct volta *v, const struct port *p)
{
	const struct options *o = v->o;
	if (p->sent_far > v->cleared)
		return o->fence_far > o->fence_near ? o->fence_far : o->fence_near;
	return p->sent_near > v->cleared && o->fence_near > o->fence ? o->fence_near : o->fence;
}

/* The cycle in which the fence ends that began in cycle `from` and issues now, when all accesses of its warp have been
 * answered. */
static cycle_t fence_ends(struct sm *sm, cycle_t from, const struct sm70_issue *i)
{
	struct volta *v = sm->pipe_state;
	if (i->fence == SM70_FENCE_BLOCK)
		return from;
	if (v->fence_to && v->fence_to <= from) {
		v->cleared = v->fence_from;
		v->fence_to = 0;
	}
	cycle_t takes = fence_takes(v, sm->l1->port);
	if (i->fence == SM70_FENCE_SYSTEM && takes < v->o->fence_system)
		takes = v->o->fence_system;
	if (!v->fence_to) {
		v->fence_from = from;
		v->fence_to = from + takes;
	}
	return from + takes;
}

/* The first cycle in which no more groups of products are in flight than the instruction allows. */
static cycle_t products_end(const struct warp_state *w, const struct sm70_issue *i)
{
	uint32_t left = i->groups_left;
	return left < w->groups && left < GROUPS ? w->group[(w->groups - 1 - left) % GROUPS] : 0;
}

static const struct sm70_class_info *class_of(const struct tinst *t)
{
	return &sm70_class_info[t->issue->class];
}

/* The pipe of an instruction without control bits, by its unit. */
static unsigned pipe_of(const struct tinst *t)
{
	static const uint8_t of_unit[UNIT_COUNT] = {[UNIT_SP] = SM70_PIPE_ALU,
						    [UNIT_SFU] = SM70_PIPE_XU,
						    [UNIT_DP] = SM70_PIPE_FP64,
						    [UNIT_MMA] = SM70_PIPE_TENSOR,
						    [UNIT_MEM] = SM70_PIPE_MEMORY};
	return t->issue ? class_of(t)->pipe : of_unit[t->unit];
}

static uint8_t needs_of(const struct tinst *t)
{
	bool more = t->issue && (t->issue->class == SM70_CLASS_shuffle ||
				 t->issue->asynchronous == SM70_PRODUCT);
	bool ports = !t->issue || t->issue->reads;
	return (uint8_t)(pipe_of(t) | (ports ? NEEDS_PORTS : 0) | (more ? NEEDS_MORE : 0));
}

/* With mechanisms that split and merge groups, a group waits for the last of its home warps. */
static void wait_for_homes(struct sm *sm, int g, struct warp_state *w)
{
	const struct volta *v = sm->pipe_state;
	uint16_t home[MAX_LANES];
	for (unsigned n = share_homes(sm, &sm->div.group[g], home); n--;)
		if (w->ready < v->home[home[n]])
			w->ready = v->home[home[n]];
}

/* The reason that keeps an instruction without control bits from issuing where groups part and merge. */
static enum gstate holds_threads(struct sm *sm, int g, const struct tinst *t)
{
	const struct gslot *s = &sm->slot[g];
	if (regset_meets(&s->pend, &t->use))
		return GS_SCORE + threads_producer(sm, g, t);
	if (s->atomics || threads_wait_for_deferred(sm, &sm->div.group[g], t))
		return GS_ORDERED;
	return GS_READY + t->unit;
}

static enum gstate holds(struct sm *sm, int g, const struct tinst *t)
{
	struct volta *v = sm->pipe_state;
	const struct gslot *s = &sm->slot[g];
	const struct sm_warp *home = sm_home(sm, &sm->div.group[g]);
	struct warp_state *w = &v->warp[g];
	bool buffered = s->ib_n && s->ib_pc == sm->div.group[g].pc;
	unsigned late = buffered ? 0 : fetch_streamed(sm, g, v->o->line_delay);
	if (late && w->ready < sm->now + late)
		w->ready = sm->now + late;
	if (v->home)
		wait_for_homes(sm, g, w);
	if (w->ready > sm->now + (s->issuing != NULL)) { /* during issue the present cycle still
	                                                  * counts */
		wake_at_ready(sm, g, w);
		return GS_SCORE + W_SP;
	}
	if (v->home)
		return holds_threads(sm, g, t);
	unsigned constant =
		t->issue && t->issue->constant ? constant_late(sm, home->lane, t->issue) : 0;
	if (constant) {
		w->ready = sm->now + constant;
		wake_at_ready(sm, g, w);
		return GS_SCORE + W_CONST;
	}
	if (t->issue && t->issue->asynchronous == SM70_GROUPS_WAIT &&
	    products_end(w, t->issue) > sm->now) {
		w->ready = products_end(w, t->issue);
		wake_at_ready(sm, g, w);
		return GS_SCORE + W_MMA;
	}
	if (t->issue && waits_for_counters(w, t->issue))
		return GS_SCORE + find_producer(s, t->issue->control.wait);
	if ((!t->issue || home->deferred) && regset_meets(&s->pend, &t->use))
		return GS_SCORE + flight_producer(s, t);
	if (s->atomics || (home->deferred && flight_waits_for_deferred(home, t)))
		return GS_ORDERED;
	if (t->issue && t->issue->fence && !w->fence)
		w->fence = arrives(sm);
	v->needs[g] = needs_of(t);
	return GS_READY + t->unit;
}

/* ---- units and ports that an instruction occupies ---- */

static unsigned interval_of(const struct options *o, const struct tinst *t)
{
	if (!t->issue)
		return t->ii;
	switch (t->issue->class) {
	case SM70_CLASS_fp64: return o->fp64_interval;
	case SM70_CLASS_mma_full: return o->mma_interval;
	case SM70_CLASS_mma_half: return o->mma_interval / 2 + 1;
	default: return class_of(t)->interval;
	}
}

/* Cycles for which the instruction reads registers: the largest number that one bank delivers.
 * Fills the operand cache. */
static unsigned read_ports(struct sub_core *c, int warp, const struct sm70_issue *i)
{
	unsigned slots = SM70_ALL_SLOTS;
	for (unsigned s = 0; c->cached_warp == warp && s < SM70_SLOTS; s++)
		if (c->cached[s] == i->reg[s])
			slots &= ~(1u << s);
	c->cached_warp = i->control.reuse ? warp : -1;
	for (unsigned s = 0; i->control.reuse && s < SM70_SLOTS; s++)
		c->cached[s] = i->control.reuse >> s & 1 ? i->reg[s] : SM70_RZ;
	return slots == SM70_ALL_SLOTS ? i->reads : sm70_bank_reads(i, slots);
}

/* Cycles for which a warp group's product of n columns occupies the tensor unit: its multipliers
 * need n / 2, and shared memory delivers 128 bytes per cycle, of B, and of A if A is not in
 * registers. */
static uint32_t product_cycles(const struct sm70_issue *i)
{
	uint32_t n = i->columns, fetch = i->a_in_registers ? 13 : 16 + n / 4;
	return n / 2 > fetch ? n / 2 : fetch;
}

/* True if the pipe is divided among the lanes inside a sub-core. */
static bool is_divided(unsigned pipe) { return pipe >= SM70_PIPE_ALU && pipe <= SM70_PIPE_XU; }

/* The sub-core of a warp bound to the lane, or the lane itself if the pipe is divided. */
static struct sub_core *core_of(struct volta *v, unsigned lane, unsigned pipe)
{
	return &v->core[v->divided && !is_divided(pipe) ? lane % v->cores : lane];
}

/* The pipe is busy until `end`. */
static void keep_pipe(struct sub_core *c, unsigned pipe, cycle_t now, cycle_t end)
{
	if (pipe != SM70_PIPE_FMA && pipe != SM70_PIPE_HEAVY) {
		c->pipe[pipe] = pipe == SM70_PIPE_NONE ? 0 : end;
		return;
	}
	c->half[pipe == SM70_PIPE_FMA && c->half[1] <= now] = end;
	c->pipe[SM70_PIPE_HEAVY] = c->half[0];
	c->pipe[SM70_PIPE_FMA] = c->half[0] < c->half[1] ? c->half[0] : c->half[1];
}

/* The group's next instruction, if the group runs; NULL otherwise. */
static const struct tinst *next_of(const struct sm *sm, int g)
{
	const struct group *gr = &sm->div.group[g];
	return gr->wait == GROUP_RUNS ? &sm_home(sm, gr)->code[gr->pc] : NULL;
}

/* The cycle from which on the crossbar, or the tensor unit's queue, takes the instruction, too. */
static cycle_t takes_more(const struct volta *v, const struct sub_core *c,
			  const struct sm70_issue *i, cycle_t at)
{
	if (i->class == SM70_CLASS_shuffle && v->shuffle > at)
		at = v->shuffle;
	cycle_t queue = i->asynchronous == SM70_PRODUCT ? PRODUCT_QUEUE * product_cycles(i) : NEVER;
	return queue != NEVER && c->products > at + queue ? c->products - queue : at;
}

/* True if the sub-core of the lane could issue the group's next instruction in this cycle. */
static inline bool takes_in_lane(struct sm *sm, struct volta *v, int g, unsigned lane)
{
	/* groups that part and merge get other instructions while they are ready */
	unsigned needs = v->home ? needs_of(next_of(sm, g)) : v->needs[g];
	unsigned pipe = needs & NEEDS_PIPE;
	assert_hot(needs == needs_of(next_of(sm, g)));
	const struct sub_core *c = core_of(v, lane, pipe);
	cycle_t at = c->pipe[pipe], ports = v->core[lane].ports;
	if (needs & NEEDS_PORTS)
		at = ports > at ? ports : at;
	if (needs & NEEDS_MORE)
		at = takes_more(v, c, next_of(sm, g)->issue, at);
	if (at <= sm->now)
		return true;
	if (at < sm->unit_wake)
		sm->unit_wake = at;
	return false;
}

static unsigned lane_of(const struct sm *sm, int g) { return sm_home(sm, &sm->div.group[g])->lane; }

static bool takes(struct sm *sm, int g)
{
	return takes_in_lane(sm, sm->pipe_state, g, lane_of(sm, g));
}

/* The tensor unit serves the group that has waited longest, so that dependent chains of five to
 * eight warps of a sub-core progress evenly (micro3_mma). Removes the other candidates that need
 * the unit. */
static void serve_oldest(struct sm *sm, const struct volta *v, int g, int *oldest)
{
	if (*oldest >= 0) {
		bool older = v->warp[g].ready < v->warp[*oldest].ready;
		unsigned k = (unsigned)(older ? *oldest : g) / sm->nsched;
		sm->candidates[k / 64] &= ~(1ull << k % 64);
		if (!older)
			return;
	}
	*oldest = g;
}

/* The lane of a scheduler's warps has the scheduler's number, unless its sub-core has several. */
static bool keep(struct sm *sm, unsigned sched)
{
	struct volta *v = sm->pipe_state;
	bool several = v->divided || v->home, holds = sm->sched[sched].ops->holds;
	uint64_t any = 0;
	int oldest = -1;
	for (unsigned i = 0; i < sm->words; i++) {
		for (uint64_t set = sm->candidates[i]; set; set &= set - 1) {
			unsigned k = i * 64 + (unsigned)__builtin_ctzll(set);
			int g = (int)(k * sm->nsched + sched);
			assert_hot(several || lane_of(sm, g) == sched);
			if (!takes_in_lane(sm, v, g, several ? lane_of(sm, g) : sched))
				sm->candidates[i] &= ~(set & -set);
			else if (!several && !holds &&
				 (v->needs[g] & NEEDS_PIPE) == SM70_PIPE_TENSOR)
				serve_oldest(sm, v, g, &oldest);
		}
		any |= sm->candidates[i];
	}
	return any != 0;
}

/* Makes the instruction occupy its pipe and the register ports. Returns the cycles by which its
 * last threads enter the pipe later than in a full warp that passes in undivided parts. */
static unsigned occupy_pipe(struct sm *sm, const struct issue *is)
{
	struct volta *v = sm->pipe_state;
	const struct tinst *t = is->t;
	bool uniform = v->uniform && t->scalar;
	unsigned warp = v->home ? threads_first_home(sm) : is->warp;
	unsigned lane = sm->warp[warp].lane, pipe = uniform ? SM70_PIPE_UNIFORM : pipe_of(t);
	struct sub_core *c = core_of(v, lane, pipe), *ports = &v->core[lane];
	unsigned whole = interval_of(v->o, t);
	unsigned interval = !v->plans ? whole
			    : uniform ? sm70_class_info[SM70_CLASS_uniform].interval
				      : is->plan.ii;
	unsigned reads = t->issue ? read_ports(ports, (int)is->warp, t->issue) : 0;
	cycle_t end = sm->now + interval;
	keep_pipe(c, pipe, sm->now, end);
	if (v->divided && is_divided(pipe) && interval > whole)
		reads = (reads * interval + whole - 1) / whole;
	if (reads > 1)
		ports->ports = sm->now + reads;
	if (t->issue && t->issue->class == SM70_CLASS_shuffle)
		v->shuffle = sm->now + 1;
	return interval > whole && !uniform ? interval - whole : 0;
}

/* Cycles by which the result is there later than the code's stall count says. */
static unsigned result_late(const struct sm *sm, const struct tinst *t)
{
	const struct volta *v = sm->pipe_state;
	unsigned late = sm->equal && t->nwrite; /* the result is compared (equal.h) */
	unsigned uniform = sm70_class_info[SM70_CLASS_uniform].latency;
	if (v->uniform && t->scalar && t->issue && class_of(t)->latency < uniform)
		late += uniform - class_of(t)->latency;
	return late;
}

/* ---- the way of an instruction ---- */

/* Cycles of a nanosleep: the time is rounded up to a power of two of nanoseconds. A time in a
 * register is not known to the pipeline; such an instruction takes the least time. */
static cycle_t sleep_cycles(const struct sm *sm, const struct sm70_issue *i)
{
	const struct volta *v = sm->pipe_state;
	uint64_t ns = 64, most = 1 << 20;
	while (ns < i->sleep_ns && ns < most)
		ns *= 2;
	cycle_t cycles = (cycle_t)((double)ns * sm->m->core_mhz / 1000);
	return i->sleep_ns > 32 && cycles > v->o->sleep ? cycles : v->o->sleep;
}

static void issued(struct sm *sm, int g, const struct tinst *t)
{
	struct volta *v = sm->pipe_state;
	struct warp_state *w = &v->warp[g];
	pipe_pend(sm, g, t);
	w->ready = sm->now + 1;
	if (!t->issue)
		return;
	const struct sm70_control *c = &t->issue->control;
	w->ready = sm->now + (c->stall ? c->stall : 1);
	if (c->yield && c->stall < 2)
		w->ready = sm->now + 2;
	if (t->issue->sleeps && v->o->sleep && w->ready < sm->now + sleep_cycles(sm, t->issue))
		w->ready = sm->now + sleep_cycles(sm, t->issue);
	cycle_t fenced = w->fence ? fence_ends(sm, w->fence, t->issue) : 0;
	if (w->ready < fenced)
		w->ready = fenced;
	w->fence = 0;
	if (c->write < COUNTERS)
		hold_counter(w, c->write);
	if (c->read < COUNTERS)
		hold_counter(w, c->read);
	if (!(t->flags & T_DEFER)) /* the compiler guarantees order; registers are not checked */
		regset_sub(&sm->slot[g].pend, &t->def);
}

/* Restarts fetch at the target after a taken branch. */
static void redirect_fetch(struct sm *sm, const struct issue *i)
{
	struct volta *v = sm->pipe_state;
	const struct group *gr = &sm->div.group[i->group];
	struct warp_state *w = &v->warp[i->group];
	if (gr->pc != i->pc + i->t->n && w->ready < sm->now + v->o->redirect)
		w->ready = sm->now + v->o->redirect;
}

static cycle_t latency_of(const struct tinst *t)
{
	return t->issue ? class_of(t)->latency : t->lat;
}

/* True if any lane has executed the instruction. If none has, the instruction does not enter the
 * load/store unit. */
static bool executes(const struct sm *sm, const struct tinst *t)
{
	return !(t->flags & T_NATIVE) || sm->native_lanes != 0;
}

/* True if the instruction reads its constant when it issues, so that it does not enter the
 * load/store unit. */
static bool reads_at_issue(const struct tinst *t)
{
	return t->issue && t->issue->class == SM70_CLASS_uniform_constant;
}

/* Starts a warp's part of a warp-group product. */
static void start_product(struct sm *sm, struct sub_core *c, struct warp_state *w,
			  const struct sm70_issue *i)
{
	const struct options *o = ((const struct volta *)sm->pipe_state)->o;
	cycle_t begin = c->products > sm->now ? c->products : sm->now;
	c->products = begin + product_cycles(i);
	/* Operands of the next product are read while this product is multiplied: slow reads delay
	 * the next product, not the end of this one. */
	if (i->ends_group)
		w->group[w->groups++ % GROUPS] = begin + i->columns / 2 + o->product_latency +
						 (i->a_in_registers ? 0 : o->product_shared);
}

/* A sub-core's path to shared memory takes longer for a pass than shared memory, which the sub-cores share. The
 * sub-core goes on to issue while no more accesses wait for the path than its queue holds. */
static void keep_path(const struct sm *sm, struct sub_core *c, uint32_t passes)
{
	enum { QUEUED = 4 };
	cycle_t takes = (cycle_t)passes * ((const struct volta *)sm->pipe_state)->o->shared_pass;
	c->path = (c->path > sm->now ? c->path : sm->now) + takes;
	if (c->path > c->pipe[SM70_PIPE_MEMORY] + QUEUED * takes)
		c->pipe[SM70_PIPE_MEMORY] = c->path - QUEUED * takes;
}

/* Offset of the instruction's mbarrier in the block's shared memory. */
static uint32_t mbarrier_at(const struct sm *sm)
{
	return sm->acc.lanes ? (uint32_t)sm->acc.addr[__builtin_ctzll(sm->acc.lanes)] & RANK_PLACE
			     : 0;
}

/* Starts the operation of an asynchronous instruction. True: the instruction needs nothing else. */
static bool start_asynchronous(struct sm *sm, const struct issue *i)
{
	struct volta *v = sm->pipe_state;
	const struct tinst *t = i->t;
	const struct cta *b = sm->warp[i->warp].b->cta;
	const struct sm70_control *control = &t->issue->control;
	bool counted = control->write < COUNTERS ||
		       (t->issue->asynchronous == SM70_STORES_WAIT && control->read < COUNTERS);
	struct flight *op;
	cycle_t at;
	switch (t->issue->asynchronous) {
	case SM70_PRODUCT:
		start_product(sm, &v->core[i->plan.lane], &v->warp[i->group], t->issue);
		return false;
	case SM70_LANE_COPY:
		if (executes(sm, t))
			engine_lanes(v->engine, i->warp);
		return false;
	case SM70_COPIES_ARRIVE:
		engine_arrive(v->engine, i->warp, b, mbarrier_at(sm));
		return false;
	case SM70_COPY:
		if (!executes(sm, t))
			return false;
		engine_copy(sm, v->engine, op_new(sm, i->group, i->warp, i->pc, t));
		return true;
	case SM70_PHASE_WAIT:
		op = op_new(sm, i->group, i->warp, i->pc, t);
		op->lane = (uint8_t)i->plan.lane;
		at = v->checks > sm->now ? v->checks : sm->now;
		v->checks = at + class_of(t)->interval;
		if (!executes(sm, t) || !engine_wait_barrier(sm, v->engine, op, b, mbarrier_at(sm)))
			wheel_post(&sm->wheel, &op->ev, at + class_of(t)->latency);
		return true;
	case SM70_COPIES_WAIT:
	case SM70_STORES_WAIT:
		if (!counted)
			return false;
		op = op_new(sm, i->group, i->warp, i->pc, t);
		if (!(t->issue->asynchronous == SM70_COPIES_WAIT
			      ? engine_wait_lanes(v->engine, op)
			      : engine_wait_stores(v->engine, op)))
			wheel_post(&sm->wheel, &op->ev, sm->now + v->o->copy.wake);
		return true;
	default: return false;
	}
}

/* True if the access that a ready group has just issued may keep its next instruction from issuing: a fence waits
 * for it, and others may if it is deferred. */
static bool may_have_to_wait(const struct sm *sm, int g)
{
	const struct tinst *next = next_of(sm, g);
	return !next || next->flags & T_FENCE || sm_home(sm, &sm->div.group[g])->deferred;
}

static void start(struct sm *sm, const struct issue *i)
{
	struct volta *v = sm->pipe_state;
	const struct tinst *t = i->t;
	bool counted = t->issue && t->issue->control.write < COUNTERS;
	unsigned late = occupy_pipe(sm, i);
	if (v->plans)
		late += result_late(sm, t);
	if (late) {
		v->warp[i->group].ready += late;
		sm_group_changed(sm, i->group);
	}
	if (t->flags & T_CTL)
		redirect_fetch(sm, i);
	if (t->issue && t->issue->control.read < COUNTERS &&
	    t->issue->asynchronous != SM70_STORES_WAIT)
		give_back_at(sm, i, t->issue->control.read, sm->now + class_of(t)->read);
	if (t->issue && t->issue->asynchronous && start_asynchronous(sm, i))
		return;
	if (t->issue && t->issue->empties)
		l1_fence(sm->l1);
	if (t->unit == UNIT_MEM && executes(sm, t) && !reads_at_issue(t)) {
		struct flight *op = op_new(sm, i->group, i->warp, i->pc, t);
		op->lane = (uint8_t)i->plan.lane;
		uint32_t passes = lsu_put(sm, op, sm->now + v->o->queue_delay, &sm->acc);
		if (t->space == SP_SHARED && v->o->shared_pass)
			keep_path(sm, core_of(v, i->plan.lane, SM70_PIPE_MEMORY), passes);
		if (sm->slot[i->group].state >= GS_READY && may_have_to_wait(sm, i->group))
			sm_group_changed(sm, i->group);
	} else if (counted || (t->flags & T_DEFER) || (!t->issue && (t->nwrite || t->def.pred))) {
		struct flight *op = op_new(sm, i->group, i->warp, i->pc, t);
		cycle_t at = sm->now + latency_of(t);
		op->lane = (uint8_t)i->plan.lane;
		if ((t->flags & T_DEFER) && at < sm->window_end)
			at = sm->window_end;
		wheel_post(&sm->wheel, &op->ev, at);
	}
}

/* ---- the start of launches, blocks and warps ---- */

static void begin_launch(struct sm *sm)
{
	struct volta *v = sm->pipe_state;
	bool missed;
	l0c_clear(&v->loads);
	l0c_look_up(&v->loads, FIRST_PARAM, sm->now, 0, &missed);
	for (unsigned i = 0; i < v->cores; i++) {
		l0c_clear(&v->operands[i]);
		if (!v->o->operand_miss)
			l0c_look_up(&v->operands[i], FIRST_PARAM, sm->now, 0, &missed);
	}
	v->operand_free = 0;
	v->warps = v->blocks = 0;
	v->has_bank = false;
}

static void launch(struct sm *sm)
{
	struct volta *v = sm->pipe_state;
	begin_launch(sm);
	v->cleared = sm->now;
	v->fence_to = 0;
	v->newest = NULL;
	v->next_block = 0;
}

/* The first cycle in which the launch's next block on the SM may begin, unless it replaces one. The first blocks of an SM
 * begin at once; from the CROWD_BLOCKS-th block or the CROWD_WARPS-th warp on it takes time for every warp, that of the
 * warps before included. */
static cycle_t crowd_begins(const struct volta *v)
{
	enum { CROWD_BLOCKS = 5, CROWD_WARPS = 40 };
	const struct options *o = v->o;
	cycle_t at = v->first_block + (cycle_t)v->warps * o->crowd_warp;
	if (v->blocks < CROWD_BLOCKS && v->warps < CROWD_WARPS)
		return 0;
	return at > o->crowd ? at - o->crowd : 0;
}

/* Cycles by which a launch's first block on the SM starts later because its code is not cached. All
 * SMs of the launch request the same lines. */
static cycle_t code_late(const struct sm *sm, const struct kern *k)
{
	const struct options *o = ((const struct volta *)sm->pipe_state)->o;
	struct cache *c = &sm->l1->cache[L1I];
	uint64_t blocks = k->blocks, sms = sm->m->sms;
	if (sm->perfect || !sm->l1->on[L1I] || cache_probe(c, k->code_base, c->all))
		return 0;
	return o->code_start + o->code_share * (blocks < sms ? blocks : sms) / 100;
}

/* Blocks of an SM start one after the other. */
static void block(struct sm *sm, const struct block *b)
{
	struct volta *v = sm->pipe_state;
	cycle_t first = sm->now + v->o->start, next = v->next_block;
	if (b->k > v->newest) { /* launches of a run are consecutive in memory */
		if (v->newest) {
			l1_fence(sm->l1);
			begin_launch(sm);
		}
		v->newest = b->k;
		v->ended = STAT(&sm->blocks.stats, ended);
		first += code_late(sm, b->k);
	}
	if (STAT(&sm->blocks.stats, ended) != v->ended)
		first += v->o->replace;
	else if (crowd_begins(v) > next)
		next = crowd_begins(v);
	uint32_t warps = b->granted - b->started;
	v->begun = b->started;
	if (v->begun) /* the block had begun earlier; only further warps of it begin */
		first = sm->now;
	v->first = first > next ? first : next;
	v->next_block = v->first + warps * v->o->warp_room + (v->begun ? 0 : v->o->block_start);
	if (!v->blocks)
		v->first_block = v->first;
	v->blocks += !v->begun;
	v->warps += warps;
}

static void begins(struct sm *sm, unsigned warp, unsigned index)
{
	struct volta *v = sm->pipe_state;
	if (v->home) {
		v->home[warp] = v->first + (index - v->begun) * v->o->warp_start;
		return;
	}
	v->warp[warp].ready = v->first + (index - v->begun) * v->o->warp_start;
	v->warp[warp].fence = 0;
	v->warp[warp].groups = 0;
}

/* ---- barriers ---- */

static void released(struct sm *sm, unsigned warp, cycle_t last, bool cluster)
{
	struct volta *v = sm->pipe_state;
	cycle_t *ready = v->home ? &v->home[warp] : &v->warp[warp].ready;
	cycle_t at = last + (cluster ? v->o->cluster_latency : v->o->bar_latency);
	if (*ready < at)
		*ready = at;
}

/* A group forms after a branch or where groups merge: its first instruction issues no earlier than
 * the target of a branch would. */
static void formed(struct sm *sm, int g)
{
	struct volta *v = sm->pipe_state;
	struct warp_state *w = &v->warp[g];
	if (w->ready < sm->now + v->o->redirect)
		w->ready = sm->now + v->o->redirect;
}

static uint32_t remote(struct sm *sm, uint32_t bytes, bool atomic, uint32_t *busy)
{
	const struct options *o = ((const struct volta *)sm->pipe_state)->o;
	*busy = (bytes + o->remote_bytes - 1) / o->remote_bytes;
	return o->remote_latency + (atomic ? o->remote_atomic : 0);
}

static cycle_t answered(const struct sm *sm, const struct flight *op, cycle_t at)
{
	(void)op;
	return at + sm->m->write_lat;
}

/* True if the group's next instruction is a fence, whose time depends on instructions in flight. */
static bool comes_to_fence_next(const struct sm *sm, int g)
{
	const struct tinst *next = next_of(sm, g);
	return next && next->issue && next->issue->fence;
}

/* The group's state is computed once, in op_done(), except before a fence: the instruction is among those that the
 * fence finds. */
static void finish(struct sm *sm, struct flight *op)
{
	const struct sm70_issue *i = op->t->issue;
	if (i && i->asynchronous == SM70_STORES_WAIT && i->control.read < COUNTERS)
		give_back(sm, op->group, i->control.read); /* the copies have read their sources */
	if (!i || i->control.write >= COUNTERS)
		;
	else if (sm->threads || sm->div.ops->commit || comes_to_fence_next(sm, op->group))
		give_back(sm, op->group, i->control.write);
	else
		drop_counter(sm, op->group, i->control.write);
	engine_ended(sm, ((struct volta *)sm->pipe_state)->engine, op);
	op_done(sm, op);
}

/* ---- an SM ---- */

static const char *refuses(const struct machine *m, char *buf, size_t n)
{
	const struct options *o = machine_own(m, &options);
	if (o->const_step < o->const_interval)
		snprintf(buf, n,
			 "volta.constant_step = %u is less than volta.constant_interval = %u",
			 o->const_step, o->const_interval);
	else if (!lanes_in_use(m)->by_scheduler)
		snprintf(
			buf, n,
			"sm.pipeline = volta: its units belong to sub-cores, sm.lanes = %s binds no warp to "
			"one: a wire from all registers to all units would be missing",
			policy_name(m->lanes));
	else
		return NULL;
	return buf;
}

static void init(struct sm *sm)
{
	struct volta *v = sm->pipe_state = PAGES_ARRAY(struct volta, 1);
	v->o = machine_own(sm->m, &options);
	v->warp = PAGES_ARRAY(struct warp_state, sm->ngroups);
	v->home = sm->threads ? xcalloc(sm->nwarps, sizeof *v->home) : NULL;
	v->needs = PAGES_ARRAY(uint8_t, sm->ngroups);
	v->engine = engine_new(&v->o->copy);
	unsigned inside = inside_lanes(sm->m);
	v->cores = sm->lanes.n;
	v->divided = inside > 1;
	v->plans = sm->lanes.ops->in_pipes;
	v->uniform = v->plans && inside_takes_uniform(sm->m);
	v->core = PAGES_ARRAY(struct sub_core, (size_t)v->cores * inside);
	for (unsigned i = 0; i < v->cores * inside; i++) {
		v->core[i].cached_warp = -1;
		v->core[i].half[1] = v->o->fma_halves > 1 ? 0 : NEVER;
	}
	v->operands = PAGES_ARRAY(struct l0c, v->cores);
}

static void fini(struct sm *sm)
{
	struct volta *v = sm->pipe_state;
	for (void **c = v->chunks; c;) {
		void **next = *c;
		free(c);
		c = next;
	}
	engine_free(v->engine);
	pages_free(v->operands);
	pages_free(v->core);
	pages_free(v->needs);
	pages_free(v->warp);
	free(v->home);
	pages_free(v);
}

static void describe(const struct machine *m, struct facts *f)
{
	f->control_bits = true;
	f->register_files = m->schedulers;
	f->compares_values = equal_is_needed(m);
	f->thread_scoreboard = m->diverge->groups_per_warp != 1;
}

const struct pipe_ops pipe_volta = {
	.p = {"volta", "sub-cores whose dependences are the compiler's control bits",
	      "NVIDIA's SMs since Volta; Huerta et al., MICRO 2025", .options = {&options},
	      .describe = describe},
	.posts = true,
	.sub_cores = true,
	.parts_groups = true,
	.holds_more = true,
	.refuses = refuses,
	.init = init,
	.fini = fini,
	.launch = launch,
	.block = block,
	.begins = begins,
	.constant = constant,
	.remote = remote,
	.arrives = arrives,
	.released = released,
	.formed = formed,
	.holds = holds,
	.takes = takes,
	.keep = keep,
	.issued = issued,
	.start = start,
	.answered = answered,
	.finish = finish,
	.event = event,
};
