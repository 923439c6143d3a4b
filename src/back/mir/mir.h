/* Machine code over virtual registers: the result of instruction selection, which the passes up to register
 * allocation rewrite in place. The passes are declared at the end, with their files; pipeline.c has their order.
 *
 * A value is a virtual register of one, two or four words, or a predicate. Pairs and quads get aligned
 * registers. An operand names a value, or one word of it:
 *
 * 	IADD R1, R4, 0x8;      name "IADD", nd 1, n 3, o = {REG v7, REG v9 word 1, IMM 8}
 *
 * The code of a function is one list. A label is an entry of the list (name NULL); blocks are the pieces between
 * labels and branches (blocks.h). */
#ifndef BACK_MIR_MIR_H
#define BACK_MIR_MIR_H
#include "back/back.h"
#include "base/vec.h"

enum mo_kind {
	MO_NONE,
	MO_REG,  /* word `word` of value v; with `wide` the whole pair or quad */
	MO_ZERO, /* RZ */
	MO_PRED, /* value v; V_TRUE: pt */
	MO_IMM,  /* imm, as the instruction takes it: an integer, or the upper 20 bits of a float */
	MO_CONST, /* c[bank][v + imm]; v V_NONE: c[bank][imm] */
	/* [v + imm]; v V_NONE: [imm]; wide: v is a pair. sm_90: accesses of global and generic
	 * memory name a descriptor, which bank 1 stands for; a local access without a value is
	 * relative to the thread's frame */
	MO_MEM,
	MO_TEXT,  /* `text`, printed as it is: a special register, a symbol's address */
	MO_LABEL, /* label number imm */
	MO_CC,
	/* sm_13 only: */
	MO_SHARED, /* g[v + imm]: v is an address register or V_NONE, bank the bytes of the access */
	MO_LOCAL,  /* local[v + imm], with v and bank as in MO_SHARED */
	MO_GLOBAL,  /* global14[v] */
	MO_FLAG,    /* condition register v: as a result the flags, as a source the carry */
	MO_DISCARD, /* o[0x7f]: discards the result */
};
enum { V_NONE = 0xffffffff, V_TRUE = 0xfffffffe };

struct mo {
	uint8_t kind, word, bank;
	/* part of the word; 0: the whole word; sm_13: 1 the lower half, 2 the upper half; sm_20: 1
	 * to 3 that byte, 4 the upper half */
	uint8_t half;
	bool neg, abs, inv, wide;
	uint32_t v;
	int64_t imm;
	const char *text;
};

enum { MI_OPS = 8 };
struct mi {
	const char
		*name; /* mnemonic with modifiers; NULL: not an instruction but the label `label` */
	uint8_t nd, n; /* operands: o[0 .. nd) are results, o[nd .. n) sources */
	bool cc;       /* .CC: the first result also sets the condition code (sm_20) */
	/* a write of one word begins a new wide value: the other words of the old value are dead */
	bool fresh;
	bool keep; /* needed even if its results are not read, because it has another effect */
	bool pop;  /* .S: threads wait here for the other threads of the region (select/tokens.c) */
	bool ends; /* if the instruction has no guard, control does not continue after it */
	bool guard_neg;
	uint32_t guard; /* predicate under which it is executed; V_TRUE: always */
	/* a label (name NULL): its number; an instruction: number of the label that it may branch
	 * to, plus 1; 0: no target */
	uint32_t label;
	uint32_t line; /* line of the PTX text; 0: none */
	struct mo o[MI_OPS];
};

struct mval {
	uint8_t words; /* number of words: 1, 2, 4; 0: a predicate (sm_13: condition register), or
	                * an address register */
	bool address;
	uint8_t color; /* number of its register or predicate, once allocated */
	/* lives in local memory; each instruction that uses the value has a separate copy of it (a
	 * piece) */
	bool spilled;
	bool piece;     /* copy of a spilled value for one instruction; never spilled itself */
	uint8_t pinned; /* register that it must have, plus 1; 0: any */
	uint8_t group;  /* sm_90: an operand of a warp group's product: its registers begin at a
	                 * multiple of this number, at R24 or above, and are never spilled; 0: another value */
	bool temp; /* written and read under one guard only: a guarded write begins a new value */
};

struct mfunc;

/* A machine as the passes need to know it; fermi/emit.c, tesla/emit.c and sm90/emit.c have one
 * each. */
struct mtarget {
	const char *name; /* architecture: "sm_20" */
	unsigned sm;
	unsigned registers, predicates, addresses;
	unsigned extra;    /* additional registers per thread, for the machine's own use */
	unsigned reserved; /* number of a register that no value may have, plus 1; 0: none */
	/* Per multiprocessor: registers, warps, blocks. Registers are allocated in multiples of
	 * `unit`, per warp or per block. */
	unsigned file, warps, blocks, unit;
	bool by_warp;
	/* Returns the instruction that stores a piece of a spilled value, or loads it. A spilled
	 * predicate lives in register `reg`, any other value at byte `at` of local memory. */
	struct mi (*spill)(const struct mfunc *m, uint32_t piece, uint32_t reg, uint32_t at,
			   bool store);
	void (*print)(const struct mfunc *m, const struct mi *in, FILE *f);
};
extern const struct mtarget target_fermi, target_tesla, target_sm90;

struct mfunc {
	const struct mtarget *target;
	VEC(struct mi) code;
	VEC(struct mval) val;
	uint32_t labels;
	uint32_t inputs; /* sm_13: bytes of shared memory with the launch and the parameters, which
	                  * are never written */
	uint32_t local;  /* bytes of local memory per thread, with spills */
	bool calls;      /* the code calls functions of the driver (sm_90) */
	uint32_t
		called; /* functions of the driver that selected code calls, as bits 1 << BI_* (sm_90) */
	uint32_t registers, spill_stores, spill_loads;
	VEC(uint32_t) literal; /* sm_13: numbers stored in constant bank 1 */
	/* warps per block: the kernel's limit if it states one, otherwise a usual number */
	uint32_t block_warps;
	struct arena *a;
};

/* sm_13: makes *o an operand in bank 1 with the number w; false: the bank is full. */
enum { LITERAL_BANK = 1, LITERALS = 64 }; /* the index of a half word has 7 bits */
bool mir_literal(struct mfunc *m, uint32_t w, struct mo *o);
void mfunc_free(struct mfunc *m); /* frees all but its arena */
uint32_t mval_new(struct mfunc *m, unsigned words);
struct mi *mi_add(struct mfunc *m, const char *name, unsigned nd, unsigned n, const struct mo *o);

static inline struct mo mo_reg(uint32_t v) { return (struct mo){.kind = MO_REG, .v = v}; }
static inline struct mo mo_word(uint32_t v, unsigned w)
{
	return (struct mo){.kind = MO_REG, .v = v, .word = (uint8_t)w};
}
static inline struct mo mo_wide(uint32_t v)
{
	return (struct mo){.kind = MO_REG, .v = v, .wide = true};
}
static inline struct mo mo_pred(uint32_t v) { return (struct mo){.kind = MO_PRED, .v = v}; }
static inline struct mo mo_not(uint32_t v)
{
	return (struct mo){.kind = MO_PRED, .v = v, .neg = true};
}
static inline struct mo mo_imm(int64_t v) { return (struct mo){.kind = MO_IMM, .imm = v}; }
static inline struct mo mo_zero(void) { return (struct mo){.kind = MO_ZERO}; }
static inline struct mo mo_text(const char *s) { return (struct mo){.kind = MO_TEXT, .text = s}; }
static inline struct mo mo_const(unsigned bank, uint32_t off)
{
	return (struct mo){.kind = MO_CONST, .bank = (uint8_t)bank, .imm = off, .v = V_NONE};
}
static inline struct mo mo_neg(struct mo o)
{
	o.neg = !o.neg;
	return o;
}

/* Returns the value that an operand reads or writes; V_NONE: none. */
static inline uint32_t mo_value(const struct mo *o)
{
	const unsigned values = 1u << MO_REG | 1u << MO_CONST | 1u << MO_SHARED | 1u << MO_LOCAL |
				1u << MO_GLOBAL | 1u << MO_FLAG | 1u << MO_MEM | 1u << MO_PRED;
	return values >> o->kind & 1 && o->v != V_TRUE ? o->v : V_NONE;
}

/* True if `base` is the name up to its first dot. */
static inline bool mi_is(const struct mi *in, const char *base)
{
	const char *name = in->name;
	while (*base && *base == *name) {
		base++;
		name++;
	}
	return !*base && (!*name || *name == '.');
}
/* True if the instruction's result d begins a new value: no word of the old value stays live. */
bool mi_begins(const struct mfunc *m, const struct mi *in, unsigned d);
/* True if the instruction reads the condition code (sm_20). */
bool mi_reads_cc(const struct mi *in);

/* dead.c: removes instructions whose results are not needed, word by word. */
void mir_dead(struct mfunc *m);
/* rename.c: gives each use of a register a value of its own. */
void mir_rename(struct mfunc *m);
/* fold.c: replaces copies by their sources; loads: on sm_13 also loads of shared words. */
void mir_fold(struct mfunc *m, bool loads);
/* fermi/constant.c: if all sources are known numbers v, turns the instruction into a copy of its
 * result. False: the result is not known. */
bool mir_constant(struct mi *in, const uint32_t *v);
/* common.c: reuses results computed at most `reach` instructions earlier; and earlier ones, if at
 * most `registers` registers are in use in between (0: never). */
void mir_common(struct mfunc *m, uint32_t reach, uint32_t registers);
/* fermi/join.c: joins loads of neighbouring words of shared and local memory; fold.c removes the
 * copies that remain. */
void fermi_join(struct mfunc *m);
/* fuse.c: fuses pairs of instructions; `without`: FUSE_* kinds to leave out. sm_20. */
void mir_fuse(struct mfunc *m, unsigned without);
/* tesla/index.c: moves sums and shifts into address registers. */
void tesla_index(struct mfunc *m);
/* sm90/fuse.c: joins two instructions of sm_90 into one. */
void sm90_fuse(struct mfunc *m);
/* sm90/tuples.c: gives the accumulators of a warp group's products consecutive registers. */
void sm90_tuples(struct mfunc *m);
/* sm90/tuples.c: drops copies between the words of pairs or quads and other values, where both can
 * share a register. */
void sm90_join_words(struct mfunc *m);
/* sm90/flight.c: delays accesses to registers that a product in flight may still change or read.
 * Runs after alloc.c. */
void sm90_flight(struct mfunc *m);
/* sm90/flow.c: turns branches to the end of a thread into ends. Runs after alloc.c. */
void sm90_ends(struct mfunc *m);
/* sm90/schedule.c: orders the instructions of each block for a machine with `registers` registers
 * per thread. */
void sm90_schedule(struct mfunc *m, unsigned registers);
/* fermi/ldu.c: joins a load of a word per thread with a load of a word per block. */
void fermi_ldu(struct mfunc *m);
/* coalesce.c: drops copies of results. */
void mir_coalesce(struct mfunc *m);
/* fermi/skip.c: branches over guarded code that no thread needs. Runs after alloc.c. */
void fermi_skip(struct mfunc *m);
/* tail.c: joins the end of a path to the instruction before it. Runs after alloc.c. */
void mir_tail(struct mfunc *m);
/* spill.c: moves the n values v to local memory, and predicates to registers. */
void mir_spill(struct mfunc *m, const uint32_t *v, size_t n);
/* slots.c: spilled values that are never live together share bytes of local memory, from `base` on. */
void mir_slots(struct mfunc *m, uint32_t base);
/* alloc.c: allocates registers for all values; may_spill: values may go to local memory. False:
 * impossible. */
bool mir_allocate(struct mfunc *m, unsigned registers, bool may_spill);
/* finish.c: runs all passes above in the order of pipeline.c, and shares as many values as the
 * machine's registers permit; false: `registers` are too few. */
bool mir_finish(struct mfunc *m, unsigned registers, unsigned without);
static inline bool mo_same(const struct mo *a, const struct mo *b)
{
	return a->kind == b->kind && a->v == b->v && a->word == b->word && a->imm == b->imm &&
	       a->bank == b->bank && a->half == b->half && a->neg == b->neg && a->abs == b->abs &&
	       a->inv == b->inv && a->wide == b->wide && a->text == b->text;
}

#endif
