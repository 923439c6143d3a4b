/* Machine code over virtual registers: what instruction selection makes and the allocator rewrites.
 *
 * A value is a virtual register of one, two or four words (pairs and quads are aligned) or a
 * predicate. Operands name a value, or one word of it. Code is one list; labels stand in it as
 * instructions, so that blocks are what lies between them. */
#ifndef BACK_MIR_MIR_H
#define BACK_MIR_MIR_H
#include "back/back.h"
#include "base/vec.h"

enum mo_kind {
	MO_NONE,
	MO_REG,   /* value v, word `word` of it; wide: the whole pair or quad */
	MO_ZERO,  /* RZ */
	MO_PRED,  /* value v; V_TRUE: pt */
	MO_IMM,   /* imm, as the field takes it: integer, or the upper 20 bits of a float */
	MO_CONST, /* c[bank][imm], indexed by value v if that is not V_NONE */
	MO_MEM,   /* [v + imm]; wide: v is a pair; V_NONE: [imm] */
	MO_TEXT,  /* special register, symbol's address, ... */
	MO_LABEL, /* label imm */
	MO_CC,
	/* sm_13's: */
	MO_SHARED,  /* g[v + imm], v an address register or V_NONE; bank: bytes of the access */
	MO_LOCAL,   /* local[v + imm], likewise */
	MO_GLOBAL,  /* global14[v] */
	MO_FLAG,    /* value v: as a result .Cn, as a source the carry of Cn */
	MO_DISCARD, /* o[0x7f]: the result is not wanted */
};
enum { V_NONE = 0xffffffff, V_TRUE = 0xfffffffe };

struct mo {
	uint8_t kind, word, bank;
	uint8_t half; /* 0: the word; sm_13: 1 its lower half, 2 the upper one; sm_20: 1-3 a byte, 4 the upper half */
	bool neg, abs, inv, wide;
	uint32_t v;
	int64_t imm;
	const char *text;
};

enum { MI_OPS = 6 };
struct mi {
	const char *name; /* mnemonic with modifiers; NULL: label imm stands here */
	uint8_t nd, n;    /* of the operands the first nd are written */
	bool cc;          /* the first result is written with .CC */
	bool fresh; /* what it writes of a wide value begins a new one: no word of the old is left */
	bool keep;  /* needed though nobody reads its results */
	bool pop;   /* .S */
	bool ends;  /* control does not go on behind it, unless it is guarded */
	bool guard_neg;
	uint32_t guard; /* value, or V_TRUE */
	uint32_t
		label; /* name NULL: the label here; else, where control may go to, plus 1; 0: nowhere */
	uint32_t line; /* of the PTX */
	struct mo o[MI_OPS];
};

struct mval {
	uint8_t words; /* 1, 2, 4; 0: a predicate, a flag register, or with `address` an address register */
	bool address;
	uint8_t color; /* register or predicate, once allocated */
	bool spilled;  /* it lives in memory; such a one's pieces must not be spilled again */
	bool piece;
	uint8_t pinned; /* the register that it must have, plus 1; 0: any */
	bool temp;      /* written and read under one guard: a guarded write begins a new value */
};

struct mfunc;

/* What the passes need to know of the machine. */
struct mtarget {
	const char *name; /* sm_20 */
	unsigned sm;
	unsigned registers, predicates, addresses;
	/* Of a multiprocessor: registers, the warps and blocks it can hold, and in what unit a
	 * block's registers are given out, or a warp's. */
	unsigned file, warps, blocks, unit;
	bool by_warp;
	/* The instruction that puts a spilled value's piece into its place or takes it from there:
	 * a register for predicates, `at` in local memory for others. */
	struct mi (*spill)(const struct mfunc *m, uint32_t piece, uint32_t reg, uint32_t at,
			   bool store);
	void (*print)(const struct mfunc *m, const struct mi *in, FILE *f);
};
extern const struct mtarget target_fermi, target_tesla;

struct mfunc {
	const struct mtarget *target;
	VEC(struct mi) code;
	VEC(struct mval) val;
	uint32_t labels;
	uint32_t
		inputs; /* sm_13: bytes of shared memory before the first variable; nobody writes them */
	uint32_t local; /* bytes of local memory, the spills included */
	uint32_t registers, spill_stores, spill_loads;
	VEC(uint32_t) literal; /* sm_13: words of bank 1 */
	uint32_t block_warps;  /* of a block, as far as it is known */
	struct arena *a;
};

/* sm_13: the number w as an operand in bank 1; false: the bank is full. */
enum { LITERAL_BANK = 1, LITERALS = 64 }; /* a half word's index has 7 bits */
bool mir_literal(struct mfunc *m, uint32_t w, struct mo *o);
void mfunc_free(struct mfunc *m); /* but for its arena */
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

/* The value that an operand reads or writes; V_NONE: none. */
uint32_t mo_value(const struct mo *o);

/* True if `base` is the name up to its first dot. */
bool mi_is(const struct mi *in, const char *base);
/* True if the instruction's result d begins a new value: nothing of the old one is left. */
bool mi_begins(const struct mfunc *m, const struct mi *in, unsigned d);
/* True if it reads the condition code (sm_20). */
bool mi_reads_cc(const struct mi *in);

/* dead.c: removes instructions whose results nobody needs, word by word. */
void mir_dead(struct mfunc *m);
/* rename.c: gives each use of a register a value of its own. */
void mir_rename(struct mfunc *m);
/* fold.c: replaces copies by their sources; loads: on sm_13 also loads of shared words. */
void mir_fold(struct mfunc *m, bool loads);
/* fermi/constant.c: an instruction with these sources as a copy of its result; false: it is unknown. */
bool mir_constant(struct mi *in, const uint32_t *v);
/* common.c: reuses what was computed before, at most `reach` instructions away; farther where no more than `registers`
 * are in use in between (0: nowhere). */
void mir_common(struct mfunc *m, uint32_t reach, uint32_t registers);
/* fermi/join.c: makes one load of several neighbouring words of shared and local memory; fold.c removes the copies. */
void fermi_join(struct mfunc *m);
/* fuse.c: joins two instructions into one; `without`: FUSE_* kinds to leave out. sm_20. */
void mir_fuse(struct mfunc *m, unsigned without);
/* tesla/index.c: address registers take over the sums and shifts that make them. */
void tesla_index(struct mfunc *m);
/* fermi/ldu.c: a load of a word of the thread's own and of one of the block's become one. */
void fermi_ldu(struct mfunc *m);
/* coalesce.c: drops copies of results. */
void mir_coalesce(struct mfunc *m);
/* fermi/skip.c: branches over guarded code that no thread needs. Behind alloc.c. */
void fermi_skip(struct mfunc *m);
/* tail.c: joins the end of a path to the instruction before it. Behind alloc.c. */
void mir_tail(struct mfunc *m);
/* spill.c: moves these values to local memory, predicates to registers. */
void mir_spill(struct mfunc *m, const uint32_t *v, size_t n);
/* slots.c: spilled values that are never live together share a place behind `base` bytes. */
void mir_slots(struct mfunc *m, uint32_t base);
/* alloc.c: allocates registers for all values; where `may_spill` is true some go to local memory.
 * False: not possible even so. */
bool mir_allocate(struct mfunc *m, unsigned registers, bool may_spill);
/* finish.c: all passes above in the order of pipeline.c, with as much sharing as the machine has registers for; false:
 * `registers` are too few. */
bool mir_finish(struct mfunc *m, unsigned registers, unsigned without);
static inline bool mo_same(const struct mo *a, const struct mo *b)
{
	return a->kind == b->kind && a->v == b->v && a->word == b->word && a->imm == b->imm &&
	       a->bank == b->bank && a->half == b->half && a->neg == b->neg && a->abs == b->abs &&
	       a->inv == b->inv && a->wide == b->wide && a->text == b->text;
}

#endif
