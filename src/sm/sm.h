/* A streaming multiprocessor (SM), cycle by cycle.
 *
 *   fetch -> instruction buffers -> scoreboard -> schedulers -> operand collectors -> units -> write-back
 *
 * State. A group of threads (group.h) is always in exactly one state, enum gstate. A state changes
 * only by an event: a result is written, instructions arrive, a barrier opens, a window ends. The
 * event calls sm_group_changed(), which computes the group's state again; no cycle polls groups.
 * Each scheduler counts its groups per state. In a cycle in which a scheduler issues nothing, the
 * state nearest to issue among its groups is the cause that the cycle is counted under.
 *
 * Effect. An instruction has its effect when it issues, in the program order of its warp. An
 * operation that communicates between blocks is deferred to the end of the window (gpu/run.c);
 * exec.c keeps the other instructions of the warp from observing the delay.
 *
 * Read next: group.h (groups and their policies), run_cycle() in sm.c (a cycle), gstate.c,
 * schedulers.c, issue.c, exec.c. */
#ifndef SM_SM_H
#define SM_SM_H
#include "conf/machine.h"
#include "exec/dispatch.h"
#include "exec/memory/pending.h"
#include "sm/block.h"
#include "sm/group.h"
#include "sm/lanes.h"
#include "stat/stat.h"

enum { MAX_SCHEDS = 64 };

/* clang-format off */
enum gstate {
	GS_FREE,
	GS_DRAIN,                   /* the threads have ended; their last instructions are in flight */
	GS_BARRIER, GS_SYNC, GS_FENCE, GS_ORDERED, GS_IBUFFER, GS_LOCKED,
	GS_SCORE,                   /* + enum wait_kind */
	GS_READY = GS_SCORE + W_COUNT, /* + enum unit */
	GS_COUNT = GS_READY + UNIT_COUNT,
};
/* clang-format on */
/* True if a group in the state will not issue for many cycles. */
static inline bool gstate_is_long(unsigned s)
{
	const uint32_t set = 1u << GS_DRAIN | 1u << GS_BARRIER | 1u << GS_SYNC | 1u << GS_FENCE |
			     1u << (GS_SCORE + W_GLOBAL) | 1u << (GS_SCORE + W_TEX);
	return set >> s & 1;
}

/* Causes of issue slots. A slot is a cycle of a scheduler, and has one cause. */
#define SLOT_CAUSES(X)                                                                             \
	X(issued, STAT_SUM, 1, "slots", "an instruction was issued")                               \
	X(port, STAT_SUM, 1, "slots",                                                              \
	  "the issue port is still busy with the previous instruction")                            \
	X(no_warp, STAT_SUM, 1, "slots", "the scheduler has no warp")                              \
	X(drain, STAT_SUM, 1, "slots", "warps have ended and wait for their last instructions")    \
	X(barrier, STAT_SUM, 1, "slots", "all warps wait at a block barrier")                      \
	X(sync, STAT_SUM, 1, "slots", "lanes wait for other lanes of their warp")                  \
	X(fence, STAT_SUM, 1, "slots", "a fence waits for earlier memory operations")              \
	X(ordered, STAT_SUM, 1, "slots", "an operation between blocks has not been performed yet") \
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
/* The cause for a state of a group; why_not() in schedulers.c relies on the equal order. */
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
	  "instructions by number of threads in the warp, whatever "                               \
	  "their guards")                                                                          \
	X(issued_parts, STAT_SUM, 65, "instructions",                                              \
	  "instructions by number of parts of simd_width lanes that "                              \
	  "they took")                                                                             \
	X(squeezed_threads, STAT_SUM, 1, "threads", "threads moved by a squeeze at issue")         \
	X(warp_cycles, STAT_SUM, 1, "warps x cycles", "resident warps, summed over cycles")        \
	X(busy_cycles, STAT_SUM, 1, "cycles", "cycles with at least one resident warp")            \
	X(blocks, STAT_SUM, 1, "blocks", "blocks run")                                             \
	X(warps, STAT_SUM, 1, "warps", "warps run")                                                \
	X(fetches, STAT_SUM, 1, "fetches", "instruction fetches")                                  \
	X(fetch_misses, STAT_SUM, 1, "fetches",                                                    \
	  "instruction fetches that missed the instruction cache")                                 \
	X(bank_conflicts, STAT_SUM, 1, "cycles", "operand reads delayed by a register bank")       \
	X(port_conflicts, STAT_SUM, 1, "cycles", "results delayed by the write-back ports")        \
	X(shared_accesses, STAT_SUM, 1, "instructions", "shared memory instructions")              \
	X(shared_cycles, STAT_SUM, 1, "cycles",                                                    \
	  "cycles of shared memory instructions, conflicts included")                              \
	X(const_accesses, STAT_SUM, 1, "instructions", "constant memory instructions")             \
	X(const_cycles, STAT_SUM, 1, "cycles",                                                     \
	  "cycles of constant memory instructions, one per distinct "                              \
	  "address")                                                                               \
	X(mem_instructions, STAT_SUM, 1, "instructions", "global, local and texture instructions") \
	X(transactions, STAT_SUM, 1, "accesses",                                                   \
	  "cache or memory accesses that these instructions became")                               \
	X(mem_stalls, STAT_SUM, 1, "cycles",                                                       \
	  "cycles in which the memory system held up the load/store "                              \
	  "unit")                                                                                  \
	X(load_latency, STAT_SUM, 20, "instructions",                                              \
	  "global loads by cycles from issue to result, by power of "                              \
	  "two")                                                                                   \
	X(barriers, STAT_SUM, 1, "barriers", "block barriers opened")                              \
	X(divergent, STAT_SUM, 1, "branches", "divergent branches")                                \
	X(ops, STAT_SUM, OPC_COUNT, "instructions",                                                \
	  "warp instructions by class: `heddle power` lists the classes, unit_CLASS")              \
	X(op_threads, STAT_SUM, OPC_COUNT, "instructions", "thread instructions by class")         \
	X(unit_threads, STAT_SUM, OPC_COUNT, "threads",                                            \
	  "threads that units execute, by class; one per scalar "                                  \
	  "instruction")                                                                           \
	X(op_parts, STAT_SUM, OPC_COUNT, "parts", "parts of simd_width lanes by class")            \
	X(rf_reads, STAT_SUM, OPC_COUNT, "arrays",                                                 \
	  "register arrays read, by class; words with power.rf_gate = lane")                       \
	X(rf_writes, STAT_SUM, OPC_COUNT, "arrays", "register arrays written, by class")           \
	X(rf_words, STAT_SUM, OPC_COUNT, "words", "registers of threads written, by class")        \
	X(rf_bits, STAT_SUM, 1, "bits", "bits moved from and to the register file")                \
	X(operand_toggles, STAT_SUM, OPC_COUNT, "bits",                                            \
	  "power.data = counted: operand bits that differ from the "                               \
	  "lane's previous ones, by class")                                                        \
	X(result_toggles, STAT_SUM, OPC_COUNT, "bits",                                             \
	  "power.data = counted: result bits that differ from the "                                \
	  "lane's previous ones, by class")                                                        \
	X(scalar_reads, STAT_SUM, 1, "words", "words read from the scalar register file")          \
	X(scalar_writes, STAT_SUM, 1, "words", "words written to the scalar register file")        \
	X(broadcasts, STAT_SUM, 1, "words", "scalars sent to all lanes")                           \
	X(mma_products, STAT_SUM, 1, "products", "products computed by matrix multiplies")         \
	X(shared_words, STAT_SUM, 2, "words",                                                      \
	  "words of shared memory banks, after broadcast: read, "                                  \
	  "written")                                                                               \
	X(copied_words, STAT_SUM, 2, "words",                                                      \
	  "words of shared memory banks, by copies to and from "                                   \
	  "global memory: read, written")                                                          \
	X(lane_cycles, STAT_SUM, 1, "lanes x cycles", "lanes clocked")                             \
	X(alloc_registers, STAT_SUM, 1, "registers x cycles",                                      \
	  "registers held by blocks, summed over cycles")                                          \
	X(idle_cycles, STAT_SUM, 20, "cycles",                                                     \
	  "cycles without a resident warp, by length of the idle "                                 \
	  "time so far, by power of two")                                                          \
	X(gated_cycles, STAT_SUM, 1, "cycles", "idle cycles after power.gate_cycles")
struct sm_stats {
	STAT_FIELDS(SM_STATS)
};
extern const struct stat_table sm_stats;

/* A launch of a kernel as the SMs see it. */
struct prof;
struct kern {
	struct launch *l;
	const struct tinst *code;
	uint32_t ncode;        /* entries of `code`, not counting the sentinel past the end */
	const uint32_t *order; /* per pc: scheduling priority, smaller is earlier; NULL: no
			        * mechanism reads it (needs_order) */
	uint64_t code_base;    /* address of the first instruction */
	uint64_t blocks;       /* blocks to run: those of the grid times `cut` */
	uint32_t cut; /* blocks into which the dispatcher cuts each block of the grid; 1: blocks
		       * stay whole */
	uint32_t warps, threads; /* warps and threads of the largest block */
	uint32_t regs, shared;   /* registers and bytes of shared memory per block, rounded up */
	uint32_t last_regs; /* registers of a block's last, partly filled warp; 0: as many as any
			     * other warp */
	uint32_t fit;       /* blocks that an SM holds at most */
	struct cluster *cluster; /* cluster whose blocks are being placed */
	uint64_t next;           /* number of the next block to start */
	uint64_t done;           /* blocks that have ended */
	struct prof **prof;  /* per SM: ncode entries; NULL: it has had no block of the launch */
	struct exec **x;     /* executor state, per SM; NULL: it has had no block of the launch */
	struct arena *arena; /* memory of the launch, until its run ends */
};

/* Registers that warps 0 to i - 1 of a block hold together. Without last_regs the shares of two
 * warps differ by at most one, so that all shares sum to k->regs. */
static inline uint32_t kern_regs_before(const struct kern *k, uint32_t i)
{
	if (k->last_regs)
		return i < k->warps ? (k->regs - k->last_regs) / (k->warps - (k->warps > 1)) * i
				    : k->regs;
	return (uint32_t)((uint64_t)k->regs * i / k->warps);
}
/* Registers that a full warp (kern_whole_regs) and warp i (kern_warp_regs) take in a lane with its
 * own register file. If k->regs is not a multiple of k->warps, every warp is charged the largest
 * share. */
static inline uint32_t kern_whole_regs(const struct kern *k)
{
	return k->last_regs ? kern_regs_before(k, 1) : (k->regs + k->warps - 1) / k->warps;
}
static inline uint32_t kern_warp_regs(const struct kern *k, unsigned i)
{
	return i + 1 == k->warps && k->last_regs ? k->last_regs : kern_whole_regs(k);
}

/* An instruction in flight: issued, its result not yet written. One cache line of the host. */
struct flight {
	struct event ev;            /* arg: arg: index in sm->flights; when: cycle of the next
				     * pipeline step; memory: cycle of the latest reply, until
				     * all have arrived */
	struct flight *next, *prev; /* list of the group, newest first */
	const struct tinst *t;
	uint32_t pc;
	uint16_t group, warp; /* warp: GROUP_MIXED: flight_homes() names the warps */
	union {
		uint16_t unanswered; /* memory: accesses without an answer */
		uint16_t tail;       /* sm.chaining: cycles from the first result to the last */
	};
	bool fenced : 1; /* the instruction counts in sm_warp.outstanding */
	bool direct : 1; /* memory: the last access was a hit that needs no write-back port */
	bool begun : 1;  /* sm.chaining: the first thread has its result */
	uint8_t passes : 5; /* lsu.data_cycles: passes of a load's data through the banks after the first */
	uint8_t lane;    /* number of the lane whose units execute the instruction */
	uint32_t issued; /* cycle of issue, low 32 bits; flight_issued() returns all bits */
};
_Static_assert(sizeof(struct flight) == HOST_LINE, "one line each");

/* A warp slot. The fields that every instruction reads are in the first cache line of the host. */
struct sm_warp {
	_Alignas(HOST_LINE) struct block *b; /* block of the warp; NULL: the slot is free */
	uint8_t *rows;                       /* registers of ws[0], outermost frame first */
	const struct tinst *code;            /* code of the warp's kernel */
	struct prof *prof;                   /* profile of that kernel on this SM */
	lanemask live;                       /* lanes whose thread has not ended */
	uint32_t inflight;                   /* instructions in flight */
	uint32_t outstanding;                /* memory accesses without answer, stores included */
	uint32_t issued;                     /* instructions issued since the warp's start */
	uint32_t deferred;                   /* operations deferred to the window's end */
	struct wstate *ws[2];                /* architectural state; ws[1]: lanes 32 to 63 */
	uint32_t writes;   /* accesses among `outstanding` whose instruction has retired: its
			    * stores */
	uint32_t posted;   /* unacknowledged writes of earlier warps of the slot */
	uint32_t hwthread; /* number of lane 0's thread, from which addresses of local memory
			    * follow */
	bool alone;        /* a deferred operation of this warp (T_ALONE) blocks all further issue
			      until the window ends */
	uint8_t lane;      /* lane that the warp is bound to; 0 where lanes bind no warps */
	uint16_t index;    /* number in the block */
	cycle_t start;     /* cycle in which the warp started */
	struct regset war; /* registers that deferred operations have yet to read; writers wait */
	lanemask at_bar[NBARRIERS]; /* per barrier: lanes counted since it opened last */
};

/* The pipeline's side of a group, by the group's number: two cache lines of the host. */
struct gslot {
	uint8_t state, sched;        /* enum gstate; number of the scheduler that has the group */
	uint16_t k;                  /* number of the group in that scheduler */
	bool fetching;               /* a fetch for the group is under way */
	bool locked;                 /* the locked pipeline has an instruction of the group */
	bool stale;                  /* the instruction buffer holds another path's instructions */
	bool yields;                 /* the group polls in vain: other groups issue first */
	uint16_t atomics;            /* atomics in flight, counted with quirk blocking-atomics */
	uint16_t chained;            /* sm.chaining: instructions whose threads finish one by one */
	uint8_t nhomes;              /* mixed group: home warps of its instruction in flight */
	uint8_t ib_n;                /* instructions in the buffer, from ib_pc on */
	uint32_t ib_pc, fetch_pc;    /* ib_pc: pc of the buffer's first instruction; fetch_pc: pc
				      * of the next fetch */
	struct regset pend;          /* scoreboard: scoreboard: registers that instructions in
				      * flight will write */
	struct flight *ops;          /* instructions in flight, newest first */
	const struct tinst *issuing; /* instruction that is being issued, before it is in `ops` */
	struct event fill;           /* arrival of fetched instructions */
	/* With sm->watch: the instruction (kernel, pc) that the group waits to issue. Stall cycles
	 * before `since` have been counted. at_kern NULL: the group waits for no instruction. */
	const struct kern *at_kern;
	uint32_t at_pc;
	uint32_t fetch_at; /* index of the L1I line that the last fetch hit */
	cycle_t since;
};
_Static_assert(sizeof(struct gslot) == 2 * HOST_LINE, "two lines each");

/* Reasons for a group's stall cycles, in the order of enum slot. A group that is not ready: its
 * state, from GS_BARRIER on. A ready group: the unit that was full, the memory behind the
 * load/store unit, or another group that was chosen (STALL_READY). */
enum {
	STALL_UNIT = GS_READY - GS_BARRIER,
	STALL_MEMORY = STALL_UNIT + UNIT_COUNT,
	STALL_READY,
	STALL_COUNT
};

/* The profile of a pc on an SM. The fields that an issue counts are in the first cache line of the
 * host. */
struct prof {
	uint64_t issued, lanes, divergent, transactions;
	uint64_t full;  /* issues among `issued` by all lanes of a warp, in as many parts as a full
		       * warp takes (rf.parts) */
	uint64_t whole; /* full-warp issues counted only here on the fast path; added to issued,
			   lanes and full when figures are read (sm_count_until) */
	uint64_t reads, writes;      /* issues not counted in full: register arrays accessed, per
				 * operand; per result */
	uint64_t stall[STALL_COUNT]; /* with sm->watch: cycles that groups waited to issue this
				      * pc, by reason */
	/* with sm->watch: cycles of bank conflicts; 32-byte sectors that accesses to global and local
	 * memory touch; mean distance in bytes between neighbouring lanes, summed over accesses to
	 * global memory */
	uint64_t conflicts, sectors, apart;
};
_Static_assert(sizeof(struct prof) % HOST_LINE == 0, "whole lines");

/* An operation deferred to the end of the window. A mixed group's instruction is one such operation
 * per home warp. */
struct defer {
	cycle_t when;     /* cycle of issue */
	uint32_t seq, sm; /* order among operations of a cycle: by SM, then by sequence */
	const struct uop *u;
	uint32_t pc;
	uint16_t group, warp;
	lanemask lanes, active; /* lanes that execute; lanes of the group */
	struct frame frame;
	unsigned more;  /* native code: uops of the instruction that wait for this one */
	uint16_t share; /* index of this warp's part of the instruction */
	bool last;      /* this is the instruction's final part */
};

/* The addresses of a memory instruction, by position of the group. */
struct lane_access {
	uint64_t addr[MAX_LANES];
	uint32_t thread[MAX_LANES]; /* mixed groups: number of the thread, for local memory */
	uint32_t size[MAX_LANES];   /* T_BULK: bytes from the address on */
	lanemask lanes;             /* positions that access memory */
	bool mixed;                 /* `thread` is filled in */
	uint8_t space, bytes;       /* enum space; bytes per lane */
	bool write, atomic;
	bool remote; /* shared memory of another block of the cluster */
};

/* A group's unsuccessful polls at one place, counted while its registers stay unchanged
 * (still.c). */
struct still {
	uint32_t pc, polls;
	uint32_t others; /* polls at other pcs since the last poll at `pc` */
	uint32_t seen;   /* value of `polls` when sm_is_still() last examined the group */
	uint64_t hash;   /* hash of the group's registers at the last poll */
};

enum { POLLS = 4 };
/* A thread's recent polls, from which exec.c recognises that the thread waits for others. */
struct poll {
	struct {
		uint32_t pc;
		uint64_t key;
	} at[POLLS];
	uint32_t n;
};

/* A scheduler's summary of its groups: one cache line of the host. sm_set() has the sets. */
struct issuer {
	cycle_t port_free;        /* cycle from which the issue port is free */
	uint32_t states;          /* mask of states with groups: bit s is set if count[s] is not
				   * 0 */
	uint16_t count[GS_COUNT]; /* groups per state */
	uint16_t nstale;          /* groups in SET_STALE */
};

/* Findings of a scheduler about its groups at its last look. While the scheduler rests,
 * looking again would find the same cause. */
struct finding {
	cycle_t again; /* cycle in which the scheduler has to look again; 0: in the next cycle */
	uint8_t cause; /* enum slot of the last cycle */
	uint8_t lsu;   /* state of the load/store unit for which the cause holds; ANY_LSU: for
		      * every state */
};
enum { ANY_LSU = 4 };
enum issuer_set {
	SET_READY,                         /* + enum unit: ready groups, by the unit they need */
	SET_BUSY = SET_READY + UNIT_COUNT, /* groups that are not free */
	SET_STALE,    /* groups with a stale buffer, kept until the scheduler considers the group */
	SET_YIELDING, /* groups that poll in vain and let others issue first */
	SET_PAUSED,   /* groups of blocks that the dispatcher has paused (block_pause()) */
	SET_COUNT,
};

/* How operands lie in the arrays of the register file: power.rf_width, power.rf_gate. */
struct rf_count {
	enum rf_gate gate;
	uint8_t lanes;       /* lanes that one array serves, a power of two */
	uint8_t unit;        /* lanes that one read activates (power.rf_bundle), a power of two,
			      * at least `lanes` */
	uint8_t arrays;      /* arrays that a part of a group spans */
	uint8_t parts;       /* parts of a full warp */
	uint8_t beat;        /* lanes per part */
	lanemask full;       /* all lanes of a warp */
	lanemask each_array; /* the first lane of each array */
	lanemask each_unit;  /* the first lane of each set of `unit` lanes */
	uint16_t width;      /* bits of an array, or of a word */
};

/* Counts of a class of instructions, from which figures are computed when they are read. Most
 * instructions are of full warps and need three counts; all others are counted in the fields after
 * them. */
struct op_count {
	uint64_t full, full_reads, full_writes;      /* full warps in rf.parts parts: instructions;
						 * register operands read; results written */
	uint64_t ops, threads, reads, writes, words; /* all other instructions */
	uint64_t more_parts; /* parts beyond rf.parts per instruction, summed; modulo 2^64 if
			      * there were fewer */
	uint64_t saved;      /* threads that scalar instructions did not execute */
};

/* Options that every access reads, copied here for speed. */
struct access_rules {
	uint32_t const_unit;    /* bytes of constants that one access covers; 1: one word */
	uint32_t perfect_delay; /* gpu.perfect_memory: cycles per access */
	bool local_by_block;    /* quirk local-by-block */
	bool first_word;        /* quirk first-word-conflicts */
	bool serial_atomics;    /* not quirk free-shared-atomics */
	bool keep_local;        /* l1d.local_writes = keep */
};

struct lsu;
struct l1;
struct pipe_ops;
struct port;
struct equal;
struct threads;
struct sm {
	const struct machine *m;
	unsigned id;
	cycle_t now, window_end;
	const struct pipe_ops *pipe;
	void *pipe_state; /* state of the pipeline, or NULL */
	bool asks_pipe; /* the pipeline has to be asked whether a group can issue, because more than
	                 * its buffer and registers may hold it (pipe_ops.holds_more, locked) */
	bool locked;    /* a group has at most one instruction in flight: facts.locked_depth is
			 * not 0 */
	bool perfect;   /* gpu.perfect_memory */
	bool follows;   /* threads (threads.h) or values (equal.h) are tracked */
	bool busy_turns;         /* quirk busy-turns */
	bool serial;             /* locked pipeline with gpu.perfect_memory: accesses that perfect.*
			  * names run one after the other, each with a delay */
	bool watch;              /* stalls are counted by pc and events are traced (watch.c) */
	struct watched *watched; /* counts by scheduler and group; NULL: never watched */
	bool tells; /* each change of a group's state is reported, to watch.c or to the lanes */
	struct access_rules rule;
	struct trace *trace; /* events noted while `watch` is set; NULL: none are kept */

	/* warps and groups */
	struct div div;
	struct gslot *slot;
	unsigned ngroups, nwarps;
	uint16_t *homes;     /* per group: home warps of its instruction; NULL: none is mixed */
	struct poll *poll;   /* per thread; NULL: a warp is one group */
	struct equal *equal; /* scalar execution by value: equal.h; NULL: the compiler's facts */
	uint8_t *able_lane;  /* per group: lane in which the group counts as able to issue */
	struct threads
		*threads;    /* scoreboard by thread: threads.h; NULL: groups keep their threads */
	struct still *still; /* per group */
	uint32_t mixed_writes; /* writes of mixed groups that are not acknowledged */
	struct sm_warp *warp;
	unsigned warps_used;
	struct blocks blocks;
	uint64_t next_age;

	/* schedulers */
	unsigned nsched, words; /* words: per set of a scheduler's groups */
	struct sched *sched;
	void *sched_shared, *sched_stats; /* sched.shared and sched.stats of all of them */
	struct issuer *issuer;
	struct finding *found; /* per scheduler */
	uint64_t *sets;        /* SET_COUNT per scheduler: sm_set() */
	uint64_t *candidates;  /* the set that pick() chooses from */
	unsigned turn;         /* scheduler (c + turn) mod nsched issues first in cycle c */
	unsigned next_turn;    /* quirk busy-turns: `turn` after a pause without blocks */
	cycle_t unit_wake;     /* cycle in which a unit that ready groups wait for is free */
	bool may_rest; /* a scheduler's decision depends only on states of its groups, units and
		        * load/store unit, so it may rest */
	unsigned nyielding; /* groups that poll in vain */
	unsigned npaused;   /* blocks that the dispatcher has paused */
	bool hears;         /* the schedulers' policy takes events of the L1D (sched_ops.l1d) */
	int lent;           /* mimd: idle lane that issues another lane's thread in this cycle;
			     * -1: none */
	bool late_redirect; /* quirk late-redirect */
	bool woken;         /* a group became ready outside of sm_run() */
	uint32_t depth;     /* locked pipeline: cycles from issue to commit */
	uint16_t step;      /* greatest number of cycles for which an issue of this window
			     * occupied a port */
	/* scale.pipeline = steps: a ring of nstages lists of events. The list i places after
	 * at_stage commits i steps from now; list at_stage, which takes new events, after nstages
	 * steps. staged: events in the ring. */
	struct event **stage;
	unsigned nstages, at_stage, staged;

	/* front end */
	uint64_t *want_fetch;
	unsigned fetch_words, fetch_last;
	bool fetch_any;
	bool one_fill;          /* quirk one-fill */
	unsigned fetch_refused; /* lookups refused since the L1I last accepted a lookup or
				 * received a reply */

	/* back end */
	struct lanes lanes;
	struct flight *free_ops;
	VEC(struct flight *) flights; /* instructions in flight, indexed by struct event.arg */
	void *op_chunks;
	struct lsu *lsu;
	struct l1 *l1;
	struct copy_log *copies;  /* record of the last copy instruction (exec/tma/log.h) */
	struct place_log *places; /* places accessed by textures and matrices, which use this
				   * instead of `acc` */
	lanemask native_lanes;    /* lanes that executed the last native instruction */

	/* effects */
	struct exec x;          /* initial executor state of every kernel */
	struct pending pending; /* bytes that the SM has written to global memory in this window */
	const struct exec_ops *ops;
	VEC(struct defer) deferred;
	uint32_t seq;                  /* sequence number of the next deferred operation */
	const struct barrier *opening; /* barrier whose waiters are being released; NULL: none */
	bool in_vain; /* every part performed so far of the current deferred poll got the old answer */
	bool stopped;  /* a fault has ended the run */
	bool progress; /* something happened in this cycle */

	struct record *record;   /* NULL: nothing is recorded */
	struct toggles *toggles; /* NULL: power.data = mean */

	/* figures */
	struct sm_stats stats;
	uint64_t slots[SLOT_COUNT];
	struct rf_count rf;
	struct op_count op[OPC_COUNT];
	/* Full-warp issues counted only here on the fast path; figures that follow from their number
	 * are added when figures are read: sm_count_until(). */
	uint64_t whole;
	cycle_t accounted; /* cycle up to which warp_cycles have been summed */
	cycle_t workless;  /* cycle since which no warp has been resident */
	cycle_t idle_from; /* cycle up to which issue slots without a warp are counted; NEVER:
			    * there are warps */
	uint64_t wakings;  /* times that the SM received warps while it had none */
	uint64_t moved_at; /* value of sm_rest() when derived figures were last computed; nonzero
			    * and unchanged: they are up to date */

	/* Large members come last, so that members used in every cycle have short offsets. */
	struct wheel wheel;
	struct lane_access acc; /* addresses of the memory instruction that is being issued */
};

/* ---- sm.c ---- */
struct sm *sm_new(const struct machine *m, const struct block_rule *r, unsigned id,
		  struct port *port, struct diag *d);
void sm_free(struct sm *sm);
/* A run begins at cycle `at`: figures start from zero. */
void sm_begin(struct sm *sm, cycle_t at);
/* Brings all figures up to date at cycle `at`; some are otherwise summed only later. */
void sm_count_until(struct sm *sm, cycle_t at);
/* Instructions issued since the run began; may be called at any time. */
uint64_t sm_warp_instructions(const struct sm *sm);
uint64_t sm_thread_instructions(const struct sm *sm);
void sm_end(struct sm *sm, cycle_t at); /* the run ends at cycle `at`: figures are complete */
/* The SM, which may have no warp, receives warps at cycle `at`. */
void sm_awake(struct sm *sm, cycle_t at);
/* Called when the SM's last warp has ended. */
void sm_sleeps(struct sm *sm);
/* Returns 0 while the SM is busy or may still become power gated; otherwise a number that changes
 * with each waking. While two calls return one nonzero value, the SM counts no event, and every
 * cycle between them counts alike. */
uint64_t sm_rest(const struct sm *sm, cycle_t at);
/* Simulates the cycles up to `end`. False: nothing happened in them. */
bool sm_run(struct sm *sm, cycle_t end);
bool sm_quiet(const struct sm *sm);   /* true if nothing is under way */
cycle_t sm_wake(const struct sm *sm); /* first cycle with something to do; NEVER: none by itself */
bool sm_asleep(const struct sm *sm);  /* true if there is nothing to do until a block comes */
/* Group g has been formed at `pc`; its threads last issued in cycle `last`. */
void sm_group_formed(struct sm *sm, int g, uint32_t pc, cycle_t last);
/* Sets whether group g polls in vain. If so, other groups issue first until g has issued. */
void sm_group_yields(struct sm *sm, int g, bool yes);
void sm_warp_accessed(struct sm *sm, unsigned warp); /* a memory operation of the warp is
                                                      * complete */
void sm_fences_changed(struct sm *sm); /* an operation that fences may wait for has completed */
/* Ends the warp if its threads have ended and nothing of it is in flight. */
void sm_warp_maybe_done(struct sm *sm, unsigned warp);
/* For mechanisms that put threads of other warps into a warp's slot: sm_warp_keep() makes the warp
 * keep its slot after its own threads have ended, until sm_warp_let_go(). */
void sm_warp_keep(struct sm *sm, unsigned warp);
void sm_warp_let_go(struct sm *sm, unsigned warp);
/* still.c. sm_note_poll: lanes of group g have polled; `same`: the answer was that of their last
 * poll. sm_is_still: true if all groups of this SM wait for ever; reports whether any of them
 * polls. */
void sm_note_poll(struct sm *sm, int g, uint32_t pc, lanemask lanes, bool same);
bool sm_is_still(struct sm *sm, bool *any);
void sm_describe_still(const struct sm *sm, FILE *f,
		       unsigned *shown);        /* prints the polling and waiting groups, one line
		                                 * each */
void sm_describe(const struct sm *sm, FILE *f); /* prints what each warp waits for */

/* ---- watch.c ---- */
void sm_watch(struct sm *sm, bool yes);
void watch_free(struct sm *sm);
/* The functions below are called only where sm->watch is set, watch_reply() only where sm->trace
 * is. */
void watch_state(struct sm *sm, int g, enum gstate from, enum gstate to);
void watch_cycle(struct sm *sm); /* called after all schedulers have run in this cycle */
void watch_conflicts(struct sm *sm, const struct flight *op, unsigned cycles);
struct lsu_entry;
void watch_access(struct sm *sm, const struct lsu_entry *e, const struct lane_access *a);
void watch_issue(struct sm *sm, int g, lanemask m);        /* before the effect */
void watch_result(struct sm *sm, const struct flight *op); /* before op is retired */
void watch_block_end(struct sm *sm, const struct block *b);
struct msg;
void watch_reply(struct sm *sm, const struct msg *m);
const char *sm_stall_name(unsigned i); /* name of an entry of struct prof's stall[] */

/* ---- fetch.c ---- */
void fetch_init(struct sm *sm);
static inline void fetch_want(struct sm *sm, int g)
{
	if (sm->slot[g].fetching)
		return;
	sm->want_fetch[g / 64] |= 1ull << g % 64;
	sm->fetch_any = true;
}
void fetch_cycle(struct sm *sm); /* called in cycles with sm->fetch_any */
/* True if the group's next instruction is in its buffer. Marks the buffer stale if it holds another
 * path. */
bool fetch_has_next(struct sm *sm, int g);
/* On a machine whose stream buffers run ahead of the warps: brings the group's next instructions
 * into its buffer. Returns the cycles until they arrive: 0, or `miss` if the instruction cache
 * lacked their line, which is then inserted. */
unsigned fetch_streamed(struct sm *sm, int g, unsigned miss);
/* Scheduler `sched` is about to issue its group k (-1: no group). A stale buffer is discarded when
 * the policy considers its group, so this discards the buffers of the stale groups that the policy
 * ranks before k. Called only if the scheduler has stale groups. */
void fetch_looked_at(struct sm *sm, unsigned sched, int k);
void fetch_arrived(struct sm *sm, int g); /* instructions for the group arrived from memory */
void fetch_filled(struct sm *sm, int g);

/* ---- gstate.c ---- */
void sm_group_changed(struct sm *sm, int g); /* computes the group's state again */

/* ---- schedulers.c ---- */
void schedulers_init(struct sm *sm);
void schedulers_cycle(struct sm *sm); /* called in cycles with warps */

/* ---- lsu.c ---- */
struct lsu *lsu_new(struct sm *sm);
void lsu_free(struct lsu *l);
/* Queues the access of flight op, which enters the unit in cycle `at`. Returns the cycles for which
 * a fixed delay occupies shared memory; 0: the queue decides. */
uint32_t lsu_put(struct sm *sm, struct flight *op, cycle_t at, struct lane_access *a);
void lsu_answer(struct sm *sm, uint32_t token);      /* an access of flight `token` has its data */
void lsu_acknowledged(struct sm *sm, unsigned warp); /* a write of the warp is performed */
void lsu_cycle(struct sm *sm);                       /* called in the cycle of lsu_wake() */

/* ---- exec.c ---- */
/* Returns the lanes of the group for which the guard of u is true. u must have a guard. */
lanemask exec_guarded(const struct sm *sm, const struct group *g, const struct uop *u);
static inline lanemask exec_lanes(const struct sm *sm, const struct group *g, const struct uop *u)
{
	return u->guard < 0 ? g->active : exec_guarded(sm, g, u);
}
/* Lanes m of the group reach a .sync operation. Returns the lanes that execute it now; 0: the group
 * waits. */
lanemask exec_sync(struct sm *sm, int g, const struct uop *u, lanemask m);
/* A .sync operation where a warp can be several groups: true if the group executes it; false: its
 * threads wait for others of their home warps. */
bool exec_meet(struct sm *sm, int g, const struct uop *u, const struct tinst *t, lanemask m);
/* pipeline/common_step.c: sm_stage() makes an event commit after as many steps as the pipeline has
 * stages. */
void sm_stages_init(struct sm *sm);
void sm_stage(struct sm *sm, struct event *commit);
void sm_next_step(struct sm *sm, cycle_t at); /* begins the step that starts in cycle `at` */

/* Executes or defers the group's next instruction for lanes m, moves the group on, and leaves the
 * addresses of a memory instruction in sm->acc. */
void exec_step(struct sm *sm, int g, const struct uop *u, const struct tinst *t, lanemask m);
/* Parts of exec_step(), for native.c: collecting addresses, executing, deferring. */
struct share;
void exec_gather(struct sm *sm, const struct group *g, const struct share *p, unsigned n,
		 const struct uop *u, const struct tinst *t);
void exec_run(struct sm *sm, const struct share *p, const struct frame *f, const struct uop *u,
	      uint32_t pc);
/* True if the executed operation is a poll that failed for every lane of the share. *same stays
 * true only if each lane's answer equals the answer of its previous poll. */
bool exec_polls_in_vain(struct sm *sm, const struct share *p, const struct uop *u, uint32_t pc,
			bool *same);
/* Lets other lanes of the group's warp (chosen by the divergence mechanism) and other warps (chosen
 * by the scheduler) run first. */
void exec_give_way(struct sm *sm, int g);
/* Defers operation u of the group, for lanes m, to the window's end. more: later uops of the
 * native instruction that wait for it. */
void exec_put_off(struct sm *sm, int g, const struct uop *u, const struct tinst *t, uint32_t pc,
		  lanemask m, unsigned more);
/* Performs a deferred operation. Called at the window's end. */
void exec_deferred(struct sm *sm, const struct defer *d);
/* Called when the SM can make no further progress. True: threads wait at an operation for lanes of
 * their warp that will never reach it; a fault is raised. */
bool exec_unmet(struct sm *sm);

/* ---- native.c ---- */
void native_step(struct sm *sm, int g, const struct uop *u, const struct tinst *t);

/* ---- bar.c ---- */
struct share;
void bar_step(struct sm *sm, int g, const struct share *p, unsigned n, const struct uop *u,
	      lanemask m);
/* The barrier of the block's cluster is full: releases the threads of this block. */
void bar_open_cluster(struct sm *sm, struct block *b);
void bar_threads_exited(struct sm *sm, struct block *b);

enum { EV_WRITE, EV_FILL, EV_PIPE };

/* Cycle in which an instruction in flight was issued. */
static inline cycle_t flight_issued(const struct sm *sm, const struct flight *op)
{
	return sm->now - (uint32_t)((uint32_t)sm->now - op->issued);
}

/* Points *list at the home warps of an instruction in flight; returns how many there are. */
unsigned threads_homes(const struct sm *sm, const struct flight *op, const uint16_t **list);
static inline unsigned flight_homes(const struct sm *sm, const struct flight *op,
				    const uint16_t **list)
{
	if (op->warp != GROUP_MIXED) {
		*list = &op->warp;
		return 1;
	}
	if (sm->threads)
		return threads_homes(sm, op, list);
	*list = sm->homes + (size_t)op->group * sm->m->warp_size;
	return sm->slot[op->group].nhomes;
}

/* Set `which` (enum issuer_set) of scheduler n: bit k % 64 of word k / 64 is its group k. */
static inline uint64_t *sm_set(const struct sm *sm, unsigned n, unsigned which)
{
	return sm->sets + (size_t)(n * SET_COUNT + which) * sm->words;
}

/* Group k of a scheduler. */
static inline struct group *sched_group(const struct sched *s, int k)
{
	return &s->sm->div.group[(unsigned)k * s->sm->nsched + s->id];
}

/* The home warp of a group, or of its lowest position if the group is mixed. The group has threads
 * or a warp. */
static inline struct sm_warp *sm_home(const struct sm *sm, const struct group *g)
{
	return &sm->warp[g->warp != GROUP_MIXED ? g->warp : g->home[__builtin_ctzll(g->active)]];
}

#endif
