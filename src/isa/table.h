/* The shape of an ISA's table, shared by the codec and the two tables. */
#ifndef ISA_TABLE_H
#define ISA_TABLE_H
#include "isa/native.h"

/* A modifier: a field of the word (optionally in two pieces, the second on top) whose code selects
 * a text. A NULL text makes the code invalid: such a word is refused. */
struct nmodf {
	uint8_t id; /* enum native_mod */
	uint8_t lo, w, lo2, w2;
	uint8_t flags, n;
	const char *const *val;
};
enum {
	NMF_FULL = 1,   /* printed in the full style only */
	NMF_WRAP = 2,   /* .W, which CUDA 4.0 printed where the bit is 0 */
	NMF_VTYPES = 4, /* video operand types, spread over sign and selector fields */
};

/* An operand: kind and position of its field. Bit 0 is never a sign bit, so 0 means: none. */
struct nopf {
	uint8_t kind; /* private to the ISA */
	uint8_t lo, w;
	/* positions of the bits for negation, absolute value, complement; 0: none */
	uint8_t neg, abs, inv;
	uint8_t xneg; /* neg applies only while this bit is clear (add modes) */
	/* position of the bit: the destination also writes CC; 0: none */
	uint8_t cc;
	uint8_t sz;    /* Tesla: bit that makes it a full register; SZ_HALF: always a half */
	uint8_t width; /* number of registers */
	uint8_t imm;   /* enum imm_type */
	uint8_t space;
	uint8_t flags;
	uint8_t def; /* default value, which is not printed with NOF_OPT */
	uint8_t nwords;
	const char *const *words;
	const char *doc; /* the operand in the documentation's syntax */
};
enum { SZ_HALF = 255 };
enum {
	NOF_OPT = 1,   /* not printed when it has its default value */
	NOF_SPACE = 2, /* separated by a blank, not a comma */
	NOF_CUDA4 = 4, /* still printed, except in the CUDA 5 style */
};

enum { ROW_MODS = 9, ROW_OPS = NATIVE_MAX_OPS };

struct native_row {
	uint16_t op;
	uint8_t size;
	uint8_t form; /* NRF_* */
	const char *name;
	uint64_t match, mask;
	uint64_t set; /* bits outside of the fields that the assembler sets */
	uint8_t mods[ROW_MODS], ops[ROW_OPS];
};
enum {
	NRF_GUARD = 1,   /* Fermi: guard predicate in bits 10-13 */
	NRF_POP = 2,     /* carries .S */
	NRF_LONG = 4,    /* Tesla: condition test, C register, tail */
	NRF_TEST = 8,    /* Tesla control: test printed as first operand */
	NRF_NOTEST = 16, /* Tesla: the test field is ignored */
	NRF_BARE = 32,   /* operands printed in the full style only */
	NRF_SHORT = 64,  /* Fermi 4-byte form: mnemonic printed with .SHORT */
	NRF_ANY = 128,   /* Tesla: the C register written is an operand */
};

struct native_tab {
	enum native_isa isa;
	const char *title;
	const struct native_row *row;
	unsigned nrow;
	const struct nmodf *mod;
	const struct nopf *opf;
	/* get: reads an operand from a word, and fails if the bits are not an operand; put: writes one
	 * into a word, and fails if the operand does not fit the field. */
	bool (*get)(const struct nopf *f, uint64_t w, const struct ninst *in, struct nop *o);
	bool (*put)(const struct nopf *f, const struct nop *o, uint64_t *w, const struct ninst *in);
	/* sets widths that depend on modifiers */
	void (*finish)(struct ninst *in);
	const char *(*sreg)(unsigned n, enum native_style st); /* name, or NULL */
};
extern const struct native_tab fermi_tab, tesla_tab;

const struct native_tab *native_tab(enum native_isa isa);
const char *native_cc_name(enum native_isa isa, unsigned test); /* NULL: none */

static inline uint64_t bits(uint64_t w, unsigned lo, unsigned n)
{
	return n ? w >> lo & (~0ull >> (64 - n)) : 0;
}

static inline int64_t sbits(uint64_t w, unsigned lo, unsigned n)
{
	return (int64_t)(bits(w, lo, n) << (64 - n)) >> (64 - n);
}

/* True if v fits n bits, signed. */
static inline bool fits_s(int64_t v, unsigned n)
{
	return v >= -(1ll << (n - 1)) && v < 1ll << (n - 1);
}

/* The pieces of one instruction's text, as parse.c fills them in. */
struct ntext {
	bool guard, guard_neg;
	uint8_t guard_reg;
	const char *mnem; /* base and modifiers, not terminated */
	uint32_t mnem_len;
	bool has_test; /* Tesla (Cn.test) after the first operand, or before a target */
	uint8_t cc_reg, cc_test;
	uint8_t nop;
	struct nop o[NATIVE_MAX_OPS];
};
bool native_parse(enum native_isa isa, const char *s, size_t len, struct ntext *t, char *err,
		  size_t nerr);
/* The differences of a style's text from the full style (dialect.c). */
struct native_dialect {
	const char *name;
	bool decimal;     /* float immediates are decimal numbers */
	bool wrap_is_0;   /* .W is printed where the bit is 0 */
	bool backwards;   /* inputs of PSET and PSETP: third, second, first */
	bool product_b;   /* the negation of a fused product stands at B */
	bool unsigned20;  /* 20-bit integers are unsigned; a minus sign is the operand's negation */
	bool signed32;    /* all 32-bit integers are signed */
	bool zero_offset; /* BRX c [bank] [R+0x0] */
	bool pass;        /* F2F.PASS for F2F.F32.F32, F2F.TRUNC for F2F.F32.F32.TRUNC */
};
const struct native_dialect *native_dialect(enum native_style st);
/* Rewrites a parsed text of this style into the full style. */
void native_from_dialect(struct ntext *t, enum native_style st);
/* Writes an instruction's operands, as the style prints them, to `to`, whose size suffices for all. */
void native_to_dialect(const struct ninst *in, enum native_style st, struct nop *to);
/* Turns a decimal number into an integer for an integer field. False: the number is not an integer. */
bool nop_whole(struct nop *o);
bool nop_equal(const struct nop *a, const struct nop *b);
#endif
