/* The shape of the table (forms.def, modifiers.def), as compiled by table.c, shared by decoder,
 * printer, assembler and documentation.
 *
 * A row of forms.def is FORM(mnemonic, opcode, nibbles, chips, syntax). `opcode` are bits 0-8 (with
 * nibbles 0: bits 0-11). `nibbles` says which codes of bits 9-11 the row has; they select what B
 * and C are:
 *
 *     code  1        2    3      4    5      6     7
 *     B     reg 32   64   64     imm  const  UR    64      (64: register in bits 64-71)
 *     C     reg 64   imm  const  64   64     64    UR
 *
 * `syntax` lists what the text has, in order, separated by blanks. Items:
 *
 *     .list@lo+w    modifier: the list of modifiers.def, its bits (+1 may be left out; pieces of a
 *                   split field are joined by commas, the low one first)
 *     #lo+w=n       bits that must be n: they select the row (n pow2: a power of 2, not 1, not 2^16;
 *                   a|b|c: one of these numbers below 64, the legal combinations of modifiers)
 *     !lo+w=n       bits without a meaning that an assembled word has as n
 *     R24 U24       register, uniform register; D, A: R16, R24
 *     P81 Q81       predicate, uniform predicate written; p87 q87: read, with a negation above
 *     B C S         the flexible operands; S: alone, of nibbles 1, 2 (4), 3 (5), 6 (7)
 *     I32+8         unsigned immediate;  J32+8: signed
 *     m(kind)       memory address (address.c)
 *     others        see kinds[] in table.c
 *
 * After an operand: -n |n ~n bits of negation, absolute value, complement (without n: those of the
 * slot), % negation that .X turns into a complement, ^ a blank instead of the comma before it,
 * & of HFMA2: sign and part by slot, ! the predicate's number is stored inverted,
 * ? hidden at its default, ?o hidden on chips before sm_100 only, =n default of a hidden field,
 * :letter type of an immediate, /list@lo+w part of the register, <role>.
 * Before an item, [a,b] are conditions: SLOT, !SLOT, SLOT=WORD, SLOT!WORD, >=100, <100. */
#ifndef ISA_SM70_TABLE_H
#define ISA_SM70_TABLE_H
#include "isa/sm70/sm70.h"

typedef unsigned __int128 u128;

enum { LIST_MAX = 128, FORM_ITEMS = 24, FIELD_PIECES = 3, ITEM_CONDS = 3 };

struct sm70_list {
	const char *name;
	uint8_t slot;
	uint8_t n;
	bool question;           /* codes without a word print as ???n, not INVALIDn */
	uint16_t word[LIST_MAX]; /* SM70_W_*; W_BAD: the code is not an instruction; W_MISSING:
	                          * INVALIDn */
};
enum { W_BAD = 0xfffe, W_MISSING = SM70_W_INVALID };

struct sm70_field {
	uint8_t n;
	uint8_t lo[FIELD_PIECES], w[FIELD_PIECES];
};

enum item_kind {
	IT_END,
	IT_MOD,
	IT_MATCH, /* bits that select the row */
	IT_POW2,  /* bits that are a power of 2 other than 1, 2^16 */
	IT_AMONG, /* bits that have one of the values in `among` */
	IT_SET,   /* bits without a meaning, as the assembler sets them */
	IT_B,     /* flexible */
	IT_C,
	IT_S,
	IT_OPERAND, /* everything else: the decoded kind is in `kind` */
};

struct sm70_cond {
	uint8_t kind; /* enum cond_kind */
	uint8_t slot;
	uint16_t word;
};
enum cond_kind { CD_NONE, CD_SET, CD_CLEAR, CD_IS, CD_ISNT, CD_FROM, CD_BEFORE };

enum { ITEM_NOBIT = 0 };
enum {
	IF_HIDE = 1,     /* hidden at its default */
	IF_HIDE_OLD = 2, /* hidden at its default before sm_100 */
	IF_XINV = 4,     /* the negation bit means complement if .X is set */
	IF_BLANK = 8,    /* printed after a blank instead of a comma */
	IF_SIGNED = 16,
	IF_UNIFORM = 32, /* uniform predicate or register */
	IF_REL = 64,     /* immediate relative to the next instruction */
	IF_OUT = 128,    /* predicate written: no negation */
	IF_FLIP = 256,   /* the field holds 7 minus the predicate's number */
	IF_HALVES = 512, /* HFMA2: sign and part of a register in bits 64-71 are stored in bits
	                  * 81-84 */
};

struct sm70_item {
	uint8_t it;   /* enum item_kind */
	uint8_t kind; /* enum sm70_kind */
	uint8_t role;
	uint16_t flags;
	uint8_t sub;   /* row of the address kinds, or another detail of the kind */
	uint8_t type;  /* enum sm70_imm */
	uint16_t list; /* IT_MOD: index of the list; operands: index of the part's list */
	uint8_t neg, abs, inv;
	uint8_t shift; /* immediate's unit: bytes << shift */
	bool has_def;
	uint32_t def;
	uint64_t among; /* IT_AMONG: bit n set: the value n is legal */
	struct sm70_field f, part;
	struct sm70_cond cond[ITEM_CONDS];
};

struct sm70_form {
	uint16_t op;
	uint16_t code;       /* bits 0-11, or 0-8 */
	uint8_t nibbles;     /* bit n: code n of bits 9-11; 0: code has 12 bits */
	uint8_t first, last; /* first and last chip that has the form */
	bool uniform;        /* guard is a uniform predicate */
	bool no91;           /* bit 91 has another use in this form */
	uint8_t nitem;
	const char *name, *syntax;
	struct sm70_item item[FORM_ITEMS];
};

struct sm70_table {
	const struct sm70_form *form;
	unsigned nform, nlist;
	const struct sm70_list *list;
	/* Forms with a code of 12 bits are a linked list per code: i = first[code], next[i], ...
	 * until ~0; i stands for form[which[i]]. */
	const uint16_t *first, *next, *which;
};
const struct sm70_table *sm70_table(void);
const char *sm70_table_error(void); /* NULL, or the first mistake in the table */
const char *sm70_slot_name(unsigned slot);

/* Location and kind of an item's flexible operand in a word. */
enum flex { FX_NONE, FX_GPR32, FX_GPR64, FX_IMM, FX_CONST, FX_UGPR };
static inline enum flex flex_of(unsigned it, unsigned nibble)
{
	static const uint8_t b[8] = {FX_NONE, FX_GPR32, FX_GPR64, FX_GPR64,
				     FX_IMM,  FX_CONST, FX_UGPR,  FX_GPR64};
	static const uint8_t c[8] = {FX_NONE,  FX_GPR64, FX_IMM,   FX_CONST,
				     FX_GPR64, FX_GPR64, FX_GPR64, FX_UGPR};
	static const uint8_t s[8] = {FX_NONE, FX_GPR32, FX_IMM,  FX_CONST,
				     FX_IMM,  FX_CONST, FX_UGPR, FX_UGPR};
	return it == IT_B ? b[nibble] : it == IT_C ? c[nibble] : s[nibble];
}

/* True if the conditions of the item hold for an instruction with these modifiers. */
bool sm70_item_holds(const struct sm70_item *it, const uint16_t *mod, unsigned sm);
/* Positions of an operand's sign bits; those of a flexible operand depend on its slot. */
struct sign_bits {
	uint8_t neg, abs, inv; /* 0: none */
};
/* Returns the field that says which part of the register is read. */
struct sm70_field sm70_part_field(const struct sm70_item *it, enum flex fx);
struct sign_bits sm70_sign_bits(const struct sm70_item *it, enum flex fx);
/* Uniform register numbers: the zero register is all ones of the chip's 6 or 8 bits. */
static inline unsigned ureg_bits(unsigned sm) { return sm < 100 ? 6 : 8; }
/* Returns the bits of the word that its text does not show: the word xor the word assembled from
 * the text. False: the text cannot be assembled. */
bool sm70_unshown(const struct sm70_inst *in, uint64_t rest[2]);
/* returns the name of a special barrier; NULL: print Bn */
const char *sm70_barrier_name(unsigned n);
/* True if the form's word has a uniform register among its sources; bit 91 says so. */
bool sm70_reads_uniform(const struct sm70_form *f, unsigned nibble);

static inline u128 bits128(u128 w, unsigned lo, unsigned n)
{
	return w >> lo & (((u128)1 << n) - 1);
}

static inline uint64_t field_get(const struct sm70_field *f, u128 w)
{
	uint64_t v = 0;
	unsigned at = 0;
	for (unsigned i = 0; i < f->n; at += f->w[i++])
		v |= (uint64_t)bits128(w, f->lo[i], f->w[i]) << at;
	return v;
}

static inline unsigned field_width(const struct sm70_field *f)
{
	unsigned n = 0;
	for (unsigned i = 0; i < f->n; i++)
		n += f->w[i];
	return n;
}

static inline void field_put(const struct sm70_field *f, u128 *w, uint64_t v)
{
	for (unsigned i = 0; i < f->n; v = f->w[i] < 64 ? v >> f->w[i] : 0, i++) {
		u128 m = (((u128)1 << f->w[i]) - 1) << f->lo[i];
		*w = (*w & ~m) | ((u128)v << f->lo[i] & m);
	}
}
#endif
