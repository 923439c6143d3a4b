/* The view that an SM's issue logic has of an instruction since Volta: its control bits, its pipe,
 * and the registers that it reads through the ports of the register file. Made once per instruction
 * from the decoded form (sm70.h); the timing model (sm/pipeline/volta.c) reads nothing else. */
#ifndef ISA_SM70_ISSUE_H
#define ISA_SM70_ISSUE_H
#include "isa/sm70/sm70.h"

enum sm70_pipe {
	SM70_PIPE_NONE,
	SM70_PIPE_ALU,
	SM70_PIPE_FMA,   /* FMA pipe, either half */
	SM70_PIPE_HEAVY, /* the half of the FMA pipe that also multiplies integers */
	SM70_PIPE_FP64,
	SM70_PIPE_XU,
	SM70_PIPE_TENSOR,
	SM70_PIPE_UNIFORM,
	SM70_PIPE_BRANCH,
	SM70_PIPE_MEMORY, /* queue of the sub-core before the SM's load/store unit */
	SM70_PIPES
};

enum sm70_class {
#define CLASS(name, pipe, interval, latency, read, text) SM70_CLASS_##name,
#include "isa/sm70/issue.def"
#undef CLASS
	SM70_CLASSES
};
struct sm70_class_info {
	const char *name, *text;
	uint8_t pipe; /* enum sm70_pipe */
	uint16_t interval, latency, read;
};
extern const struct sm70_class_info sm70_class_info[SM70_CLASSES];

enum { SM70_SLOTS = 3, SM70_ALL_SLOTS = (1 << SM70_SLOTS) - 1, SM70_NO_COUNTER = 7 };
/* Asynchronous operation that an instruction starts or waits for, in addition to the counters. */
enum sm70_async {
	SM70_SYNCHRONOUS,
	SM70_PRODUCT,       /* HGMMA and related instructions */
	SM70_GROUPS_WAIT,   /* WARPGROUP.DEPBAR */
	SM70_LANE_COPY,     /* LDGSTS */
	SM70_COPIES_WAIT,   /* LDGDEPBAR: its counter waits for the warp's LDGSTS */
	SM70_COPIES_ARRIVE, /* ARRIVES.LDGSTSBAR: the mbarrier waits for the warp's LDGSTS */
	SM70_COPY,          /* UBLKCP, UTMALDG and related instructions: the copy engine */
	SM70_STORES_WAIT, /* UTMACMDFLUSH: its counter waits for the warp's copies to global memory */
	SM70_PHASE_WAIT, /* SYNCS.PHASECHK */
};
/* Memory operations whose effects MEMBAR waits for are seen by the block, the GPU or the system. */
enum sm70_fence { SM70_FENCE_NONE, SM70_FENCE_BLOCK, SM70_FENCE_GPU, SM70_FENCE_SYSTEM };
struct sm70_issue {
	struct sm70_control control;
	uint8_t class;                 /* enum sm70_class */
	uint8_t reg[SM70_SLOTS];       /* first register of operand slots A, B, C; SM70_RZ: none */
	uint8_t registers[SM70_SLOTS]; /* number of consecutive registers per slot */
	uint8_t reads;                 /* sm70_bank_reads() of all slots */
	bool constant; /* an operand is c[const_bank][const_off], looked up at issue */
	bool branches; /* may change the pc */
	bool past;     /* LDGSTS whose data bypass the L1 */
	/* ATOMS.POPC.INC: the lanes that name one word are counted first, and their number is added
	 * once */
	bool counts;
	/* ATOMS.CAST.SPIN: of the lanes that name one word, one succeeds per pass */
	bool spins;
	bool empties;  /* CCTL.IVALL: empties the L1 */
	bool compares; /* ATOMS.CAS, arrivals at mbarriers: pass through shared memory twice */
	/* LDSM: each lane names a row of 16 bytes, and gets 4 bytes of each matrix */
	bool matrix;
	bool sleeps;          /* NANOSLEEP */
	uint32_t sleep_ns;    /* duration of NANOSLEEP in ns; 0: a register holds it */
	uint8_t fence;        /* enum sm70_fence */
	uint8_t asynchronous; /* enum sm70_async */
	/* product of a warp group: number of columns of the result; 0: another instruction */
	uint16_t columns;
	bool a_in_registers, ends_group; /* warp-group product: A is in registers; the product is
					  * the last of its group */
	/* WARPGROUP.DEPBAR: number of groups of products that may still be in flight */
	uint8_t groups_left;
	uint8_t const_bank;
	uint32_t const_off;
	uint8_t depbar_counter; /* DEPBAR.LE: waits until this counter is at most depbar_most; SM70_NO_COUNTER: none */
	uint8_t depbar_most;
};

struct sm70_issue sm70_issue_of(const struct sm70_inst *in);
/* Returns the number of registers that the more loaded of the two banks delivers to a set of slots,
 * one bit per slot. A register that two slots name is read once. */
unsigned sm70_bank_reads(const struct sm70_issue *i, unsigned slots);

#endif
