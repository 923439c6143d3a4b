/* A streaming multiprocessor, cycle by cycle.
 *
 *   fetch -> instruction buffers -> scoreboard -> schedulers -> operand collectors -> units -> write-back
 *
 * A group of threads is always in exactly one state (enum gstate); something that can change the
 * state happens as an event (a result is written, instructions arrive, a barrier opens, a window
 * ends) and the group is looked at again then, never in between. Each scheduler keeps how many of
 * its groups are in each state: when it issues nothing, the state nearest to issue among them is
 * the cycle's cause.
 *
 * Instructions have their effect at issue, in program order of a warp. Those that communicate
 * between blocks are put off to the window's end (see gpu/run.c); sm/exec.c keeps a warp from
 * seeing that. */
#ifndef SM_SM_H
#define SM_SM_H
#include "conf/machine.h"
#include "sm/block.h"
#include "sm/group.h"
#include "sm/lanes.h"
#include "stat/stat.h"

enum { MAX_SCHEDS = 64 };

/* clang-format off */
enum gstate {
	GS_FREE,
	GS_DRAIN,                   /* its threads have ended, their last instructions have not */
	GS_BARRIER, GS_SYNC, GS_FENCE, GS_ORDERED, GS_IBUFFER, GS_LOCKED,
	GS_SCORE,                   /* + enum wait_kind */
	GS_READY = GS_SCORE + W_COUNT, /* + enum unit */
	GS_COUNT = GS_READY + UNIT_COUNT,
};
/* clang-format on */
static inline bool gstate_is_long(unsigned s) /* it will not issue for many cycles */
{
	const uint32_t set = 1u << GS_DRAIN | 1u << GS_BARRIER | 1u << GS_SYNC | 1u << GS_FENCE |
			     1u << (GS_SCORE + W_GLOBAL) | 1u << (GS_SCORE + W_TEX);
	return set >> s & 1;
}

/* Causes of an issue slot; each cycle of each scheduler counts for one. */
#define SLOT_CAUSES(X)                                                                             \
	X(issued, STAT_SUM, 1, "slots", "an instruction was issued")                               \
	X(port, STAT_SUM, 1, "slots", "the issue port still takes the lanes of the last one")      \
	X(no_warp, STAT_SUM, 1, "slots", "the scheduler has no warp")                              \
	X(drain, STAT_SUM, 1, "slots", "warps have ended and wait for their last instructions")    \
	X(barrier, STAT_SUM, 1, "slots", "all warps wait at a block barrier")                      \
	X(sync, STAT_SUM, 1, "slots", "lanes wait for others of their warp")                       \
	X(fence, STAT_SUM, 1, "slots", "a fence waits for earlier memory operations")              \
	X(ordered, STAT_SUM, 1, "slots", "an operation between blocks is not performed yet")       \
	X(ibuffer, STAT_SUM, 1, "slots", "instruction buffers are empty")                          \
	X(locked, STAT_SUM, 1, "slots", "each warp has its instruction in the locked pipeline")    \
	X(score_sp, STAT_SUM, 1, "slots", "operands come from an ALU")                             \
	X(score_sfu, STAT_SUM, 1, "slots", "operands come from the special function unit")         \
	X(score_dp, STAT_SUM, 1, "slots", "operands come from the double precision unit")          \
	X(score_mma, STAT_SUM, 1, "slots", "operands come from the matrix unit")                   \
	X(score_shared, STAT_SUM, 1, "slots", "operands come from shared memory")                  \
	X(score_const, STAT_SUM, 1, "slots", "operands come from constant memory")                 \
	X(score_tex, STAT_SUM, 1, "slots", "operands come from a texture")                         \
	X(score_global, STAT_SUM, 1, "slots", "operands come from global or local memory")         \
	X(unit_sp, STAT_SUM, 1, "slots", "no collector of the ALUs is free")                       \
	X(unit_sfu, STAT_SUM, 1, "slots", "no collector of the special function unit is free")     \
	X(unit_dp, STAT_SUM, 1, "slots", "no collector of the double precision unit is free")      \
	X(unit_mma, STAT_SUM, 1, "slots", "no collector of the matrix unit is free")               \
	X(unit_mem, STAT_SUM, 1, "slots", "the load/store unit is full")                           \
	X(memory, STAT_SUM, 1, "slots",                                                            \
	  "the load/store unit is full and waits for the memory system")                           \
	X(policy, STAT_SUM, 1, "slots", "the scheduler's policy held ready warps back")
#define SLOT_ENUM_(name, kind, slots, unit, help) SLOT_##name,
enum slot { SLOT_CAUSES(SLOT_ENUM_) SLOT_COUNT };
#undef SLOT_ENUM_
/* A slot's cause is the state of a group: why_not() counts on. */
#define SLOT_OF(state) (SLOT_drain + ((int)(state)-GS_DRAIN))
_Static_assert(SLOT_OF(GS_BARRIER) == SLOT_barrier && SLOT_OF(GS_SYNC) == SLOT_sync &&
		       SLOT_OF(GS_FENCE) == SLOT_fence && SLOT_OF(GS_ORDERED) == SLOT_ordered &&
		       SLOT_OF(GS_IBUFFER) == SLOT_ibuffer && SLOT_OF(GS_LOCKED) == SLOT_locked,
	       "causes follow enum gstate");
_Static_assert(SLOT_OF(GS_SCORE + W_SP) == SLOT_score_sp &&
		       SLOT_OF(GS_SCORE + W_GLOBAL) == SLOT_score_global &&
		       SLOT_score_global - SLOT_score_sp + 1 == W_COUNT,
	       "causes follow enum wait_kind");
_Static_assert(SLOT_OF(GS_READY + UNIT_SP) == SLOT_unit_sp &&
		       SLOT_OF(GS_READY + UNIT_MEM) == SLOT_unit_mem &&
		       SLOT_unit_mem + 1 == SLOT_memory,
	       "causes follow enum unit");
_Static_assert(GS_COUNT <= 32, "struct issuer has a bit for each");
struct slot_stats {
	STAT_FIELDS(SLOT_CAUSES)
};
extern const struct stat_table slot_stats;

#define SM_STATS(X)                                                                                \
	X(cycles, STAT_SUM, 1, "cycles", "core cycles of the launch")                              \
	X(warp_instructions, STAT_SUM, 1, "instructions", "warp instructions issued")              \
	X(thread_instructions, STAT_SUM, 1, "instructions", "thread instructions issued")          \
	X(active_lanes, STAT_SUM, 65, "instructions",                                              \
	  "instructions by number of lanes that executed")                                         \
	X(group_threads, STAT_SUM, 65, "instructions",                                             \
	  "instructions by number of threads in the warp, guarded off or not")                     \
	X(issued_parts, STAT_SUM, 65, "instructions",                                              \
	  "instructions by parts of simd_width lanes they took")                                   \
	X(squeezed_threads, STAT_SUM, 1, "threads", "threads moved by a squeeze at issue")         \
	X(warp_cycles, STAT_SUM, 1, "warps x cycles", "resident warps, summed over cycles")        \
	X(busy_cycles, STAT_SUM, 1, "cycles", "cycles with at least one resident warp")            \
	X(blocks, STAT_SUM, 1, "blocks", "blocks run")                                             \
	X(warps, STAT_SUM, 1, "warps", "warps run")                                                \
	X(fetches, STAT_SUM, 1, "fetches", "instruction fetches")                                  \
	X(fetch_misses, STAT_SUM, 1, "fetches", "of them not in the instruction cache at once")    \
	X(bank_conflicts, STAT_SUM, 1, "cycles", "operand reads delayed by a register bank")       \
	X(port_conflicts, STAT_SUM, 1, "cycles", "results delayed by the write-back ports")        \
	X(shared_accesses, STAT_SUM, 1, "instructions", "shared memory instructions")              \
	X(shared_cycles, STAT_SUM, 1, "cycles", "cycles they took, conflicts included")            \
	X(const_accesses, STAT_SUM, 1, "instructions", "constant memory instructions")             \
	X(const_cycles, STAT_SUM, 1, "cycles", "cycles they took, one for each address")           \
	X(mem_instructions, STAT_SUM, 1, "instructions", "global, local and texture instructions") \
	X(transactions, STAT_SUM, 1, "accesses", "cache or memory accesses they became")           \
	X(mem_stalls, STAT_SUM, 1, "cycles", "load/store unit held up by the memory system")       \
	X(load_latency, STAT_SUM, 20, "instructions",                                              \
	  "global loads by cycles from issue to result, powers of two")                            \
	X(barriers, STAT_SUM, 1, "barriers", "block barriers opened")                              \
	X(divergent, STAT_SUM, 1, "branches", "divergent branches")                                \
	X(ops, STAT_SUM, OPC_COUNT, "instructions",                                                \
	  "warp instructions by class: `heddle power` lists the classes, unit_CLASS")              \
	X(op_threads, STAT_SUM, OPC_COUNT, "instructions", "thread instructions by class")         \
	X(unit_threads, STAT_SUM, OPC_COUNT, "threads",                                            \
	  "that units execute, by class: one for a scalar instruction")                            \
	X(op_parts, STAT_SUM, OPC_COUNT, "parts", "parts of simd_width lanes by class")            \
	X(rf_reads, STAT_SUM, OPC_COUNT, "arrays",                                                 \
	  "register arrays read, by class; words with power.rf_gate = lane")                       \
	X(rf_writes, STAT_SUM, OPC_COUNT, "arrays", "register arrays written, by class")           \
	X(rf_words, STAT_SUM, OPC_COUNT, "words", "registers of threads written, by class")        \
	X(rf_bits, STAT_SUM, 1, "bits", "moved from and to the register file")                     \
	X(operand_toggles, STAT_SUM, OPC_COUNT, "bits",                                            \
	  "power.data = counted: bits of operands that differ from the lane's last, by class")     \
	X(result_toggles, STAT_SUM, OPC_COUNT, "bits", "the same of results")                      \
	X(scalar_reads, STAT_SUM, 1, "words", "read from a scalar register file")                  \
	X(scalar_writes, STAT_SUM, 1, "words", "written to it")                                    \
	X(broadcasts, STAT_SUM, 1, "words", "scalars sent to all lanes")                           \
	X(mma_products, STAT_SUM, 1, "products", "of matrix multiplies")                           \
	X(shared_words, STAT_SUM, 2, "words",                                                      \
	  "of shared memory banks, after broadcast: read, written")                                \
	X(copied_words, STAT_SUM, 2, "words",                                                      \
	  "of shared memory banks, by copies to and from global memory: read, written")            \
	X(lane_cycles, STAT_SUM, 1, "lanes x cycles", "lanes clocked")                             \
	X(alloc_registers, STAT_SUM, 1, "registers x cycles", "held by blocks")                    \
	X(idle_cycles, STAT_SUM, 20, "cycles",                                                     \
	  "without a warp, by how long there had been none: powers of two")                        \
	X(gated_cycles, STAT_SUM, 1, "cycles", "of them after power.gate_cycles")
struct sm_stats {
	STAT_FIELDS(SM_STATS)
};
extern const struct stat_table sm_stats;

/* A kernel as the SMs see it. */
struct prof;
struct kern {
	struct launch *l;
	const struct tinst *code;
	uint32_t ncode;
	const uint32_t
		*order; /* place of each pc in the order of priorities; NULL: nobody asks for it */
	uint64_t code_base;      /* address of its first instruction */
	uint64_t blocks;         /* to run; cut: the grid's times as many */
	uint32_t cut;            /* blocks that one of the grid is cut into; 1: it is not */
	uint32_t warps, threads; /* of a block, the largest */
	uint32_t regs, shared;   /* what a block takes, rounded */
	uint32_t
		last_regs; /* of its last warp, if that takes fewer than the others; 0: it does not */
	uint32_t fit;      /* blocks an SM holds, at most */
	uint64_t next;     /* block to start */
	uint64_t done;     /* blocks ended */
	struct prof *prof; /* ncode for each SM */
	struct exec *x;    /* of each SM */
};

/* Registers of warp i of a block, and of all before it; without last_regs those of a block are
 * shared out so that its warps' add up to them. */
static inline uint32_t kern_regs_before(const struct kern *k, uint32_t i)
{
	if (k->last_regs)
		return i < k->warps ? (k->regs - k->last_regs) / (k->warps - (k->warps > 1)) * i
				    : k->regs;
	return (uint32_t)((uint64_t)k->regs * i / k->warps);
}
/* What a lane with registers of its own gives a whole warp, and warp i: where a block's do not
 * divide by its warps, each takes as many as the largest share. */
static inline uint32_t kern_whole_regs(const struct kern *k)
{
	return k->last_regs ? kern_regs_before(k, 1) : (k->regs + k->warps - 1) / k->warps;
}
static inline uint32_t kern_warp_regs(const struct kern *k, unsigned i)
{
	return i + 1 == k->warps && k->last_regs ? k->last_regs : kern_whole_regs(k);
}

struct flight {          /* an instruction in flight; as long as one of the host's cache lines */
	struct event ev; /* arg: its place in sm->flights. Memory: `when` is that of the last
				       answer so far, until the last of all is there */
	struct flight *next, *prev; /* of the group */
	const struct tinst *t;
	uint32_t pc;
	uint16_t group, warp; /* warp: GROUP_MIXED: see flight_homes() */
	union {
		uint16_t unanswered; /* memory: accesses not answered yet */
		uint16_t tail;       /* sm.chaining: cycles from its first result to its last */
	};
	bool fenced : 1; /* counts as outstanding */
	bool direct : 1; /* its last access was a hit that needs no write-back port */
	bool begun : 1;  /* sm.chaining: its first thread has its result */
	uint8_t lane;    /* whose units serve it */
	uint32_t issued; /* low bits of the cycle: see flight_issued() */
};
_Static_assert(sizeof(struct flight) == HOST_LINE, "one line each");

struct sm_warp { /* the first of the host's cache lines has what each instruction asks for */
	_Alignas(HOST_LINE) struct block *b; /* NULL: free */
	uint8_t *rows;                       /* registers of ws[0], outermost frame first */
	const struct tinst *code;            /* of its kernel */
	struct prof *prof;                   /* of its kernel on this SM */
	lanemask live;
	uint32_t inflight;    /* instructions */
	uint32_t outstanding; /* memory accesses without answer, stores included */
	uint32_t issued;      /* instructions, since its start */
	uint32_t deferred;    /* put off to the window's end */
	struct wstate *ws[2]; /* the second, of warps of 64, is behind the line */
	uint32_t writes;      /* of the outstanding those whose instruction is done */
	uint32_t hwthread;    /* of its lane 0: its place among the words of local memory */
	bool alone;           /* one of those put off lets nothing pass */
	uint8_t lane;         /* it is bound to, where lanes bind warps */
	uint16_t index;       /* its number in its block */
	cycle_t start;
	struct regset war;          /* registers they still read */
	lanemask at_bar[NBARRIERS]; /* lanes counted there since it opened last */
};

struct gslot { /* a group's place in the pipeline: two of the host's cache lines */
	uint8_t state, sched;
	uint16_t k; /* its number in its scheduler */
	bool fetching, locked;
	bool stale;       /* the buffer holds instructions of another path */
	bool yields;      /* others go first */
	uint16_t atomics; /* under way, if that blocks */
	uint16_t chained; /* instructions in flight whose threads go on one by one: sm.chaining */
	uint8_t nhomes;   /* mixed: warps of the instruction in the locked pipeline */
	uint8_t ib_n;     /* instructions in its buffer, from ib_pc on */
	uint32_t ib_pc, fetch_pc;
	struct regset pend; /* registers to be written */
	struct flight *ops;
	const struct tinst *issuing; /* not yet among ops */
	struct event fill;
	/* watched: the instruction it waits to issue (no kernel: none), since when; up to there it
	 * is counted */
	const struct kern *at_kern;
	uint32_t at_pc;
	uint32_t fetch_at; /* where the L1I had the line of its last fetch */
	cycle_t since;
};
_Static_assert(sizeof(struct gslot) == 2 * HOST_LINE, "two lines each");

/* Why a group waits before its next instruction: its state; of a group that is ready the unit that was full, or the
 * memory behind the load/store unit, else that its scheduler chose another group. In the order of enum slot. */
enum {
	STALL_UNIT = GS_READY - GS_BARRIER,
	STALL_MEMORY = STALL_UNIT + UNIT_COUNT,
	STALL_READY,
	STALL_COUNT
};

struct prof { /* of one pc; the first of the host's cache lines has what an issue counts */
	uint64_t issued, lanes, divergent, transactions;
	uint64_t full;          /* of `issued`: all lanes executed, in the usual number of parts */
	uint64_t whole;         /* as many more of those, counted nowhere else: sm.whole */
	uint64_t reads, writes; /* of the others: register arrays, for one operand and one result */
	uint64_t stall[STALL_COUNT]; /* watched: cycles groups waited here */
	/* watched: cycles of bank conflicts; 32-byte sectors that accesses to global and local memory touch; mean distance
	 * in bytes between neighbouring lanes, summed over accesses to global memory */
	uint64_t conflicts, sectors, apart;
};
_Static_assert(sizeof(struct prof) % HOST_LINE == 0, "whole lines");

struct defer { /* an operation put off to the window's end */
	cycle_t when;
	uint32_t seq, sm;
	const struct uop *u;
	uint32_t pc;
	uint16_t group, warp;
	lanemask lanes, active;
	struct frame frame;
	unsigned more;  /* native code: uops behind it that wait for it */
	uint16_t share; /* of a mixed group's instruction, one for each warp: its number, */
	bool last;      /* and that none follows */
};

struct lane_access { /* addresses of a memory instruction's lanes, by position */
	uint64_t addr[MAX_LANES];
	uint32_t thread[MAX_LANES]; /* mixed groups: whose local memory */
	uint32_t size[MAX_LANES];   /* T_BULK: bytes from the address on */
	lanemask lanes;
	bool mixed;
	uint8_t space, bytes;
	bool write, atomic;
};

enum { POLLS = 4 };
struct poll { /* recent polls of a thread, to notice one that waits for others */
	struct {
		uint32_t pc;
		uint64_t key;
	} at[POLLS];
	uint32_t n;
};

/* What a scheduler has of its groups, in one of the host's cache lines; its sets of them are in the
 * next. */
struct issuer {
	cycle_t port_free;
	uint32_t states;          /* states with a count */
	uint16_t count[GS_COUNT]; /* its groups by state */
	uint16_t nstale;          /* SET_STALE's members */
	uint8_t cause;            /* of its last slot */
};
enum issuer_set {
	SET_READY,                         /* + enum unit */
	SET_BUSY = SET_READY + UNIT_COUNT, /* groups that are not free */
	SET_STALE,    /* those that the scheduler has to come to, to see that */
	SET_YIELDING, /* those that let others go first */
	SET_COUNT,
};

/* Which register arrays an operand of some lanes is in: power.rf_width, power.rf_gate. */
struct rf_count {
	enum rf_gate gate;
	uint8_t lanes, unit;                  /* of an array; read together: both powers of two */
	uint8_t arrays;                       /* of a part */
	uint8_t parts;                        /* of a full warp */
	uint8_t beat;                         /* lanes of a part */
	lanemask full, each_array, each_unit; /* all lanes; the first of each array, unit */
	uint16_t width;                       /* bits of an array, or of a word */
};

/* Counts of a class of instructions, side by side where they are counted; figures are made of them
 * later. Those of full warps, which are most, need three numbers; the others are counted as they
 * are. */
struct op_count {
	uint64_t full, full_reads, full_writes; /* instructions, their operands and results */
	uint64_t ops, threads, reads, writes, words;
	uint64_t more_parts; /* than the usual number, all together; may be less than zero */
	uint64_t saved;      /* threads that scalar instructions did not execute */
};

/* Options that are asked for with each access, as values. */
struct access_rules {
	uint32_t const_unit;    /* bytes that one access of constants covers: 1 is a word */
	uint32_t perfect_delay; /* gpu.perfect_memory: cycles of an access */
	bool local_by_block;    /* quirk local-by-block */
	bool first_word;        /* quirk first-word-conflicts */
	bool serial_atomics;    /* not quirk free-shared-atomics */
	bool keep_local;        /* l1d.local_writes = keep */
};

struct lsu;
struct l1;
struct pipe_ops;
struct port;
struct sm {
	const struct machine *m;
	unsigned id;
	cycle_t now, window_end;
	const struct pipe_ops *pipe;
	bool locked; /* facts.locked_depth */
	bool perfect;
	bool busy_turns; /* quirk busy-turns */
	bool serial; /* locked, perfect: some accesses take their cycles all the same (perfect.*) */
	bool watch;  /* see watch.c */
	struct watched *watched; /* its counts; NULL: it has never been watched */
	bool tells; /* all states of groups: it is watched, or its lanes want to know */
	struct access_rules rule;
	struct trace *trace; /* watched: events are kept here, or NULL */

	/* warps and groups */
	struct div div;
	struct gslot *slot;
	unsigned ngroups, nwarps;
	uint16_t *homes;       /* mixed: of each group's instruction in flight; NULL: none mixes */
	struct poll *poll;     /* of each thread; NULL: one group a warp */
	uint32_t mixed_writes; /* of mixed groups, not acknowledged */
	struct sm_warp *warp;
	unsigned warps_used;
	struct blocks blocks;
	uint64_t next_age;

	/* schedulers */
	unsigned nsched, words; /* words: of a set of one's groups */
	struct sched *sched;
	struct issuer *issuer;
	uint64_t *sets; /* SET_COUNT for each: see sm_set() */
	uint64_t *candidates;
	unsigned turn,
		next_turn; /* who is first in cycle c: (c + turn) mod nsched; quirk busy-turns: after a pause */
	cycle_t unit_wake; /* when what ready groups wait for is free */
	bool may_settle;   /* schedulers ask for nothing but their groups' states, units and lsu */
	bool settled; /* all found nothing to issue, and no group has changed or become stale since */
	uint8_t settled_lsu; /* how the load/store unit was then */
	unsigned nyielding;
	int lent;           /* mimd: the lane that issues another one's thread; -1: none */
	bool late_redirect; /* quirk late-redirect */
	bool woken;         /* a group became ready outside sm_run */
	uint32_t depth;     /* locked pipeline: cycles from issue to commit */
	uint16_t step;      /* most cycles at a port of what was issued in this window */
	struct event *
		*stage; /* scale.pipeline = steps: what commits so many steps from now, a ring */
	unsigned nstages, at_stage, staged;

	/* front end */
	uint64_t *want_fetch;
	unsigned fetch_words, fetch_last;
	bool fetch_any;
	bool one_fill;          /* quirk one-fill */
	unsigned fetch_refused; /* lookups refused since the cache last took one or got an answer */

	/* back end */
	struct lanes lanes;
	struct flight *free_ops;
	VEC(struct flight *) flights; /* by id */
	void *op_chunks;
	struct lsu *lsu;
	struct l1 *l1;
	struct place_log *places; /* of textures and matrices: instead of acc */
	lanemask native_lanes;    /* that executed the last native instruction */

	/* effects */
	struct exec x; /* what those of the kernels begin with */
	VEC(struct defer) deferred;
	uint32_t seq;
	const struct barrier *opening; /* whose waiters are being let go */
	bool in_vain;                  /* so have all shares of the last operation put off polled */
	bool stopped;                  /* a fault */
	bool progress;                 /* something happened in this cycle */

	struct record *record;   /* NULL: nobody wants it */
	struct toggles *toggles; /* NULL: power.data = mean */

	/* figures */
	struct sm_stats stats;
	uint64_t slots[SLOT_COUNT];
	struct rf_count rf;
	struct op_count op[OPC_COUNT];
	/* Instructions of full warps: most are. What follows from their number is added when
	 * figures are asked for, see sm_count_until(). */
	uint64_t whole;
	cycle_t accounted; /* warp_cycles are summed up to here */
	cycle_t workless;  /* no warp is resident since */
	cycle_t idle_from; /* no warp since; NEVER: there are some */
	uint64_t wakings;  /* how often warps came */
	uint64_t moved_at; /* sm_rest() when figures that follow from others were computed */

	/* Large: behind what every cycle asks for, so that its offsets stay short. */
	struct wheel wheel;
	struct lane_access acc; /* of the memory instruction that is issued */
};

/* ---- sm.c ---- */
struct sm *sm_new(const struct machine *m, const struct block_rule *r, unsigned id,
		  struct port *port, struct diag *d);
void sm_free(struct sm *sm);
/* A run begins at cycle `at`: figures start from zero. */
void sm_begin(struct sm *sm, cycle_t at);
void sm_count_until(struct sm *sm, cycle_t at); /* figures that are summed up later, now */
/* Instructions issued since the run began, at any time. */
uint64_t sm_warp_instructions(const struct sm *sm);
uint64_t sm_thread_instructions(const struct sm *sm);
void sm_end(struct sm *sm, cycle_t at); /* it ended there: the figures are complete */
/* Warps come at cycle `at`, to an SM that may have had none; its last warp has ended. */
void sm_awake(struct sm *sm, cycle_t at);
void sm_sleeps(struct sm *sm);
/* Not 0: no warp is resident, nothing is under way, and the SM is gated if it can be. It counts no
 * event while the value stays, and all cycles count alike. */
uint64_t sm_rest(const struct sm *sm, cycle_t at);
bool sm_run(struct sm *sm, cycle_t end); /* false: nothing happened */
bool sm_quiet(const struct sm *sm);      /* nothing is under way */
cycle_t sm_wake(const struct sm *sm);    /* nothing happens here before; NEVER: not by itself */
bool sm_asleep(const struct sm *sm);     /* it has nothing to do until a block comes */
/* A policy with one group a thread: it has formed a group at `pc`, whose threads last issued at
 * `last`. */
void sm_group_formed(struct sm *sm, int g, uint32_t pc, cycle_t last);
void sm_group_yields(struct sm *sm, int g, bool yes); /* until it issues, others go first */
void sm_warp_accessed(struct sm *sm, unsigned warp);  /* one of its memory operations is complete */
void sm_fences_changed(struct sm *sm); /* fences may have waited for what is complete now */
void sm_warp_maybe_done(struct sm *sm, unsigned warp);
void sm_describe(const struct sm *sm, FILE *f); /* who waits for what */

/* ---- watch.c: only where sm->watch, but for the first ---- */
void sm_watch(struct sm *sm, bool yes);
void watch_free(struct sm *sm);
void watch_state(struct sm *sm, int g, enum gstate from, enum gstate to);
void watch_cycle(struct sm *sm); /* after all schedulers have had their turn */
void watch_conflicts(struct sm *sm, const struct flight *op, unsigned cycles);
struct lsu_entry;
void watch_access(struct sm *sm, const struct lsu_entry *e, const struct lane_access *a);
void watch_issue(struct sm *sm, int g, lanemask m);        /* before it has its effect */
void watch_result(struct sm *sm, const struct flight *op); /* before it is retired */
void watch_block_end(struct sm *sm, const struct block *b);
struct msg;
void watch_reply(struct sm *sm, const struct msg *m); /* where sm->trace */
const char *sm_stall_name(unsigned i);                /* of struct prof's stall[] */

/* ---- fetch.c ---- */
void fetch_init(struct sm *sm);
static inline void fetch_want(struct sm *sm, int g)
{
	if (sm->slot[g].fetching)
		return;
	sm->want_fetch[g / 64] |= 1ull << g % 64;
	sm->fetch_any = true;
}
void fetch_cycle(struct sm *sm);           /* where sm->fetch_any */
bool fetch_has_next(struct sm *sm, int g); /* the group's next instruction is in its buffer */
/* The scheduler is about to issue its group k (-1: none); those it came to before are looked at.
 * Where it has stale ones. */
void fetch_looked_at(struct sm *sm, unsigned sched, int k);
void fetch_arrived(struct sm *sm, int g); /* its instructions came from memory */
void fetch_filled(struct sm *sm, int g);

/* ---- issue.c ---- */
void issue_init(struct sm *sm);
void issue_cycle(struct sm *sm);
void sm_group_changed(struct sm *sm, int g); /* look at the group's state again */

/* ---- lsu.c ---- */
struct lsu *lsu_new(struct sm *sm);
void lsu_free(struct lsu *l);
void lsu_put(struct sm *sm, struct flight *op, cycle_t at, struct lane_access *a);
void lsu_answer(struct sm *sm, uint32_t token);      /* an access of flight `token` has its data */
void lsu_acknowledged(struct sm *sm, unsigned warp); /* a write of the warp is performed */
void lsu_cycle(struct sm *sm);                       /* when lsu_wake() says so */

/* ---- exec.c ---- */
/* Lanes of the group whose guard is true; the instruction has one. */
lanemask exec_guarded(const struct sm *sm, const struct group *g, const struct uop *u);
static inline lanemask exec_lanes(const struct sm *sm, const struct group *g, const struct uop *u)
{
	return u->guard < 0 ? g->active : exec_guarded(sm, g, u);
}
/* .sync operations: the lanes to execute for; 0: the group waits for others. */
lanemask exec_sync(struct sm *sm, int g, const struct uop *u, lanemask m);
/* The same with several groups a warp: false: its threads wait for others of their home warps. */
bool exec_meet(struct sm *sm, int g, const struct uop *u, const struct tinst *t, lanemask m);
/* sm/common_step.c: what is staged commits when as many steps have begun as the pipeline has
 * stages. */
void sm_stages_init(struct sm *sm);
void sm_stage(struct sm *sm, struct event *commit);
void sm_next_step(struct sm *sm, cycle_t at); /* the step that begins with cycle `at` */

/* Executes (or puts off) the group's next instruction for lanes m, moves it on, and leaves the
 * addresses of a memory instruction in sm->acc. */
void exec_step(struct sm *sm, int g, const struct uop *u, const struct tinst *t, lanemask m);
/* Parts of it, for native.c: addresses; an operation on its executor warps; putting one off. */
struct share;
void exec_gather(struct sm *sm, const struct group *g, const struct share *p, unsigned n,
		 const struct uop *u, const struct tinst *t);
void exec_run(struct sm *sm, const struct share *p, const struct frame *f, const struct uop *u,
	      uint32_t pc);
void exec_put_off(struct sm *sm, int g, const struct uop *u, const struct tinst *t, uint32_t pc,
		  lanemask m, unsigned more);
void exec_deferred(struct sm *sm, const struct defer *d);
/* Nothing can happen any more: if that is because threads wait to meet others of their warp, a
 * fault. */
bool exec_unmet(struct sm *sm);

/* ---- native.c ---- */
void native_step(struct sm *sm, int g, const struct uop *u, const struct tinst *t);

/* ---- bar.c ---- */
struct share;
void bar_step(struct sm *sm, int g, const struct share *p, unsigned n, const struct uop *u,
	      lanemask m);
void bar_threads_exited(struct sm *sm, struct block *b);

enum { EV_WRITE, EV_FILL };

/* When an instruction in flight was issued. */
static inline cycle_t flight_issued(const struct sm *sm, const struct flight *op)
{
	return sm->now - (uint32_t)((uint32_t)sm->now - op->issued);
}

/* The home warps of an instruction in flight; how many. */
static inline unsigned flight_homes(const struct sm *sm, const struct flight *op,
				    const uint16_t **list)
{
	if (op->warp != GROUP_MIXED) {
		*list = &op->warp;
		return 1;
	}
	*list = sm->homes + (size_t)op->group * sm->m->warp_size;
	return sm->slot[op->group].nhomes;
}

/* A set of groups of scheduler n: word k / 64 bit k % 64 is its group k. */
static inline uint64_t *sm_set(const struct sm *sm, unsigned n, unsigned which)
{
	return sm->sets + (size_t)(n * SET_COUNT + which) * sm->words;
}

static inline struct group *sched_group(const struct sched *s, int k)
{
	return &s->sm->div.group[(unsigned)k * s->sm->nsched + s->id];
}

/* The home warp of a group's lowest lane; it has one, or a warp. */
static inline struct sm_warp *sm_home(const struct sm *sm, const struct group *g)
{
	return &sm->warp[g->warp != GROUP_MIXED ? g->warp : g->home[__builtin_ctzll(g->active)]];
}

#endif
