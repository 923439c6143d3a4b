/* Native machine code (Fermi sm_2x, Tesla sm_1x): one decoded form for both.
 *
 * Each ISA is one table of rows (fermi/table.c, tesla/table.c). A row says which bits select the
 * instruction, which modifiers its mnemonic carries and which operands follow, each by the bits
 * that hold it. Decoder, disassembler, assembler and the chapters in docs/ all read that table.
 *
 *   word --native_decode--> struct ninst --native_print--> text
 *   text --native_assemble--> word (decoded again and compared: a wrong word is never returned)
 */
#ifndef ISA_NATIVE_H
#define ISA_NATIVE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/diag.h"

enum native_isa { NATIVE_FERMI, NATIVE_TESLA };

/* Instructions of both ISAs by mnemonic (ops.def); forms of one instruction share the name. */
enum native_op {
	NATIVE_NONE,
#define NATIVE_OP(x, c) NI_##x,
#include "isa/ops.def"
#undef NATIVE_OP
	NATIVE_NOPS
};

/* The classes under which instruction sets are compared (heddle compare-isa). */
#define NATIVE_CLASSES(X)                                                                          \
	X(OTHER, "other")                                                                          \
	X(ADD, "add")                                                                              \
	X(SHIFT_ADD, "shift-add")                                                                  \
	X(MULTIPLY, "multiply")                                                                    \
	X(MULTIPLY_ADD, "multiply-add")                                                            \
	X(SHIFT, "shift")                                                                          \
	X(LOGIC, "logic")                                                                          \
	X(MINIMUM, "minimum")                                                                      \
	X(COMPARE, "compare")                                                                      \
	X(CONVERT, "convert")                                                                      \
	X(MOVE, "move")                                                                            \
	X(FUNCTION, "function")                                                                    \
	X(LOAD, "load")                                                                            \
	X(STORE, "store")                                                                          \
	X(ATOMIC, "atomic")                                                                        \
	X(TEXTURE, "texture")                                                                      \
	X(SYNCHRONISE, "synchronise")                                                              \
	X(CONTROL, "control")                                                                      \
	X(NOTHING, "nothing")                                                                      \
	X(VIDEO, "video")
#define X(e, s) NCLASS_##e,
enum native_class { NATIVE_CLASSES(X) NCLASS_COUNT };
#undef X
const char *native_class_name(unsigned c);
unsigned native_op_class(unsigned op); /* class of an enum native_op */

/* Meaning of a modifier field; the value is the field's code in the row's ISA. Codes agree between
 * the ISAs where both have the field (rounding: RN RM RP RZ; compare; logic). */
/* clang-format off */
enum native_mod {
	NM_FTZ,    /* 1: flush subnormals; 2: FMZ, also 0*x = 0 */
	/* 0 RN 1 RM 2 RP 3 RZ; F2F: 4-7 are these modes rounding to an integral value */
	NM_RND,
	NM_SAT,
	NM_CMP,    /* native_cmp */
	NM_LOGIC,  /* 0 AND 1 OR 2 XOR 3 PASS_B */
	NM_LOGIC2,
	NM_BF,     /* SET: float result */
	NM_X,      /* carry in; SHR: 2 X 3 XHI; IMNMX: 1 XLO 2 XMED 3 XHI */
	NM_PO,     /* add mode: 0 a+b 1 a-b 2 b-a 3 a+b+1 (Tesla: + carry) */
	NM_SIGN,   /* 1: signed */
	NM_TYPES,  /* IMAD, IMUL: bit 0 second signed, bit 1 first signed */
	NM_HI,
	NM_SCALE,  /* FMUL: 1 D2 2 D4 3 D8 4 M8 5 M4 6 M2 */
	NM_FN,     /* MUFU, RRO: function */
	NM_WRAP,   /* shifts: count modulo 32 */
	NM_BREV,
	NM_SH,     /* FLO.SH */
	NM_MODE,   /* PRMT, VOTE, BAR, MEMBAR, CCTL, surface, ATOM: operation */
	NM_KIND,
	NM_DT,     /* destination type */
	NM_ST,     /* source type */
	NM_SIZE,   /* memory: 0 U8 1 S8 2 U16 3 S16 4 32 5 64 6 128 */
	NM_COP,    /* cache operator */
	NM_E,      /* 64-bit address */
	NM_E2,     /* LD_LDU: LDU address is 64-bit */
	NM_U,      /* BRA.U */
	NM_LMT,
	NM_NOINC,  /* 1: the call depth is counted (nothing printed) */
	NM_TRIG,
	NM_H1,
	NM_SEC,    /* video: secondary operation */
	NM_UD,     /* video: 1 destination signed */
	NM_LANE, NM_NDV, NM_NODEP, NM_LOD, NM_DC, NM_AOFFI, NM_IND, NM_PHASE, NM_MS, NM_CL, NM_CLAMP,
	NM_DIM,
	NM_ROUND,  /* Tesla F2F: to integral */
	NM_W32,    /* Tesla: 1: 32-bit operation, 0: 16-bit */
	NM_LOCK, NM_SFU, NM_BYTE, NM_FULL, NM_ABSA, NM_LIVE,
	NM_COUNT
};

enum native_cmp { NC_F, NC_LT, NC_EQ, NC_LE, NC_GT, NC_NE, NC_GE, NC_T_INT, NC_NUM = 7, NC_NAN,
	NC_LTU, NC_EQU, NC_LEU, NC_GTU, NC_NEU, NC_GEU, NC_T };
/* clang-format on */

enum nop_kind {
	NO_NONE,
	NO_GPR,     /* reg, width words; sel: byte or half */
	NO_HALF,    /* Tesla: reg*2 + (1: high) in `reg` */
	NO_PRED,    /* reg, neg = not */
	NO_PR,      /* all predicates and CC, as one value */
	NO_CC,      /* the condition code register; reg = test when `sel` is 1 */
	NO_CCREG,   /* Tesla Cn; sel 1: with a test, in `off` */
	NO_CONST,   /* c[bank][off], indexed by register or address register */
	NO_IMM,     /* imm, as `imm_type` says */
	NO_MEM,     /* [reg + off] of `space` */
	NO_ADDR,    /* Tesla An */
	NO_SREG,    /* special register, number in reg */
	NO_TARGET,  /* imm: byte address inside the function */
	NO_WORD,    /* keyword: text in the row's list, code in imm */
	NO_DISCARD, /* Tesla o[n] */
	NO_BAR,     /* Tesla bN */
	NO_LABEL,   /* parsed text only: symbolic target */
};

/* IMM_DEC: parsed text, a decimal number as a double's bits */
enum imm_type { IMM_U, IMM_S, IMM_F32_20, IMM_F64_20, IMM_F32, IMM_DEC };
enum native_space { NS_GENERIC, NS_SHARED, NS_LOCAL, NS_GLOBAL, NS_CONST };

enum { NREG_NONE = 255 };

struct nop {
	uint8_t kind;
	uint8_t reg;   /* register, predicate, special register, ... */
	uint8_t width; /* 32-bit words of a register operand: 1, 2, 4 */
	uint8_t space; /* NO_MEM */
	uint8_t bank;  /* NO_CONST: the bank; NO_MEM in global space: number of the space */
	uint8_t index; /* index register of a constant, address register; NREG_NONE: none */
	uint8_t sel;   /* part of a register: 0 whole, 1-4 B0-B3, 5 H0, 6 H1; g[]: access type */
	uint8_t unit;  /* number of bytes that one unit of `off` stands for */
	uint8_t imm_type;
	bool neg, abs, inv, cc, postinc;
	bool imm20;    /* the field has 20 bits; in parsed text: the number is unsigned */
	bool whole;    /* parsed text: a decimal number of digits only */
	bool minus;    /* parsed text: a minus sign stood before the number */
	bool wide;     /* address is a 64-bit pair */
	bool optional; /* the text may leave the operand out */
	int32_t off;
	uint64_t imm;     /* value as executed: f32 20 bits already shifted, and so on */
	const char *word; /* NO_WORD, NO_LABEL: text */
	uint32_t len;     /* length of `word` in parsed text */
};

enum { NATIVE_MAX_OPS = 8 };

struct native_row;

struct ninst {
	const struct native_row *row;
	uint64_t word; /* Tesla: w0 | w1 << 32 */
	uint32_t pc;
	uint16_t op;       /* enum native_op */
	uint8_t isa, size; /* isa: enum native_isa; size: 4 or 8 bytes */
	uint8_t nop;
	uint8_t guard; /* Fermi predicate, 7 = always */
	bool guard_neg;
	bool pop;        /* .S */
	bool exit;       /* Tesla: thread ends after the instruction */
	uint8_t cc_test; /* Tesla: condition test, 15 = always; of register cc_reg */
	uint8_t cc_reg;
	uint8_t cc_write; /* Tesla: C register written; NREG_NONE: none */
	uint8_t mod[NM_COUNT];
	struct nop o[NATIVE_MAX_OPS];
};

/* Styles of text: that of cuobjdump of CUDA 4.2; that of CUDA 5 and later; a full style that shows
 * every meaningful bit (the EXIT tail, TEX operands); and the dialects of CUDA 4.0 and 4.1.
 * dialect.c describes the differences. */
enum native_style {
	NSTYLE_CUDA4,
	NSTYLE_CUDA5,
	NSTYLE_FULL,
	NSTYLE_CUDA40,
	NSTYLE_CUDA41,
	NSTYLE_COUNT
};
const char *native_style_name(enum native_style st);
bool native_style_named(const char *name, size_t len, enum native_style *st);

/* Returns the size of an instruction, 4 or 8 bytes, from its first 32-bit word. */
unsigned native_size(enum native_isa isa, uint32_t w0);
bool native_decode(enum native_isa isa, uint64_t word, uint32_t pc, struct ninst *out);
/* Prints an instruction without guard spacing, address or semicolon; returns the length (never more
 * than n - 1). */
size_t native_print(const struct ninst *in, enum native_style style, char *buf, size_t n);
/* Prints the full style, followed by braces with the bits that no operand or modifier shows, so
 * that the assembler can reproduce any word. */
size_t native_print_exact(const struct ninst *in, char *buf, size_t n);
/* The style in which each ISA's reference text is written. */
enum native_style native_default_style(enum native_isa isa);

struct native_label {
	const char *name;
	uint32_t len;
	uint32_t addr;
};
struct native_labels {
	const struct native_label *v;
	size_t n;
};
/* Assembles one instruction's text at pc. Returns its word, or false with a reason in err. */
bool native_assemble(enum native_isa isa, const char *text, size_t len, uint32_t pc,
		     const struct native_labels *labels, enum native_style style, struct ninst *out,
		     char *err, size_t nerr);
/* True if the text of a listing line, read in the given style, and its word mean one instruction.
 * Bits that the text does not show (the EXIT tail) are taken from the word. False: err says why;
 * out is still the word's instruction, or its row is NULL if the word is not an instruction. */
bool native_agrees(enum native_isa isa, const char *text, size_t len, uint32_t pc, uint64_t word,
		   const struct native_labels *labels, enum native_style style, struct ninst *out,
		   char *err, size_t nerr);

/* True for instructions whose guard the machine ignores (SSY, PBK, CAL, ...). Text may have one. */
bool native_ignores_guard(const struct ninst *in);

/* Returns the highest general register that the instruction names, plus one (pairs and quads
 * counted). */
unsigned native_regs(const struct ninst *in);
void native_table_print(enum native_isa isa, FILE *f); /* markdown chapter */
const char *native_op_name(unsigned op);
/* native_mnemonic: the number under which statistics count an instruction: of its row's mnemonic,
 * with a separate one for BRA.U; never 0. Below: the mnemonic's text (rows with different numbers
 * may share a text) and operation. */
unsigned native_mnemonic(const struct ninst *in);
unsigned native_sm70_mnemonic(unsigned op); /* enum sm70_op */
const char *native_mnemonic_text(unsigned n);
unsigned native_mnemonic_op(unsigned n);

#endif
