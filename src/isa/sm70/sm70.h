/* Machine code of Turing to Blackwell (sm_75 to sm_120): 128-bit instructions, decoded.
 *
 * One table (rows in forms.def, modifiers in modifiers.def) says which bits select an instruction,
 * which modifiers its mnemonic carries, and which operands follow. Decoder, disassembler, assembler
 * and docs/reference/isa-sm70.md all read that table.
 *
 *   word --sm70_decode--> struct sm70_inst --sm70_print--> text
 *   text --sm70_assemble--> word (decoded and printed again: a wrong word is never returned)
 *
 * A consumer switches on `op`, finds operands by role (sm70_operand_of) and modifiers by slot:
 *
 *   FFMA.FTZ.RZ R4, -R6, c[0x0][0x160], R5
 *     op SM70_FFMA; mod[SM70_MOD_FTZ] == SM70_W_FTZ; mod[SM70_MOD_RND] == SM70_W_RZ
 *     o[0] D GPR 4; o[1] A GPR 6 neg; o[2] B CONST bank 0 off 0x160; o[3] C GPR 5
 */
#ifndef ISA_SM70_SM70_H
#define ISA_SM70_SM70_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Mnemonics (ops.def). Forms of an instruction share the mnemonic. */
enum sm70_op {
	SM70_NONE,
#define SM70_OP(x) SM70_##x,
#include "isa/sm70/ops.def"
#undef SM70_OP
	SM70_NOPS
};
const char *sm70_op_name(unsigned op);

/* Texts of modifiers (words.def): SM70_W_FTZ is "FTZ". 0, SM70_W_NONE: the modifier is absent, and
 * the mnemonic's default holds (RND: round to nearest even; SIZE: 32 bits; integer types: signed
 * where unsigned is spelled .U32, and the reverse). */
enum sm70_word {
	SM70_W_NONE,
#define SM70_WORD(x, text) SM70_W_##x,
#include "isa/sm70/words.def"
#undef SM70_WORD
	SM70_NWORDS,
	SM70_W_INVALID = 0xffff, /* a code without a meaning: printed as INVALIDn, not executable */
};
const char *sm70_word_text(unsigned w);

/* The subject of a modifier. An instruction has at most one modifier per subject. */
enum sm70_mod {
#define SM70_MOD(x, doc) SM70_MOD_##x,
#include "isa/sm70/slots.def"
#undef SM70_MOD
	SM70_MOD_COUNT
};

enum sm70_kind {
	SM70_K_NONE,
	SM70_K_GPR,     /* reg; 255: RZ */
	SM70_K_UGPR,    /* reg; 255: URZ, on every chip */
	SM70_K_PRED,    /* reg; 7: PT; neg: negated */
	SM70_K_UPRED,   /* reg; 7: UPT; neg: negated */
	SM70_K_PR,      /* all predicates as one value (P2R, R2P); UPR where reg is 1 */
	SM70_K_IMM,     /* the value as executed (an F64 field's 32 bits are its upper half) */
	SM70_K_CONST,   /* c[bank][off]; reg: index GPR, ureg: index UGPR; desc: bank is a UR */
	SM70_K_MEM,     /* [reg + ureg + off], descriptor in desc, desc + 1 */
	SM70_K_SREG,    /* special register number in reg, name by sm70_sreg_name */
	SM70_K_BARRIER, /* convergence barrier Bn in reg, or one of enum sm70_barrier */
	SM70_K_TARGET,  /* imm: byte address inside the function */
	SM70_K_OFFSET,  /* imm: signed distance in bytes, to add to a register (BRX) */
	SM70_K_GDESC, /* wgmma matrix descriptor: UR pair reg; flags: negA 1, negB 2, tnspA 4, tnspB 8 */
	SM70_K_SB,    /* scoreboard SBn in reg; gsb in HGMMA */
	SM70_K_SBSET, /* set of scoreboards {5,4,..}: bit mask in imm */
	SM70_K_RPC,   /* return pc: reg 0 LO, 1 HI, 2 both */
	SM70_K_WORD,  /* keyword as an operand, SM70_W_* in reg (2D, CUBE, ...) */
};
enum sm70_barrier {
	SM70_B_THREAD_STATE = 16, /* THREAD_STATE_ENUM.0 to .4: 16 to 20 */
	SM70_B_TRAP_LO = 22,      /* TRAP_RETURN_PC.LO */
	SM70_B_TRAP_HI,
	SM70_B_MEXITED,
	SM70_B_MKILL,
	SM70_B_MACTIVE,
	SM70_B_MATEXIT,
	SM70_B_OPT_STACK,
	SM70_B_API_CALL_DEPTH,
	SM70_B_ATEXIT_LO,
	SM70_B_ATEXIT_HI,
};

/* The role of an operand in the instruction; it does not depend on which operands are printed. */
enum sm70_role {
	SM70_R_NONE,
	SM70_R_D,   /* first destination register (also of uniform registers, barriers) */
	SM70_R_PD,  /* predicate written; IADD3: carry of the first addition; SETP: the result */
	SM70_R_PD2, /* second predicate written; SETP: the complement's */
	SM70_R_A,
	SM70_R_B,
	SM70_R_C,
	SM70_R_E,  /* fourth source register: sparse metadata, texture coordinates */
	SM70_R_M,  /* memory address */
	SM70_R_M2, /* second memory address: source of a copy */
	SM70_R_PA, /* predicate read */
	SM70_R_PB,
	SM70_R_PC,
	SM70_R_I, /* immediate beside A, B, C: LOP3's table, LEA's shift, P2R's mask, BAR's number ... */
	SM70_R_I2,
	SM70_R_T, /* branch target */
};

enum { SM70_RZ = 255, SM70_URZ = 255, SM70_PT = 7, SM70_NOREG = 0xffff };

struct sm70_operand {
	uint8_t kind, role; /* enum sm70_kind, sm70_role */
	uint16_t reg;       /* number of the register; MEM, CONST: SM70_NOREG: none */
	uint16_t ureg;      /* MEM, CONST: uniform register added; SM70_NOREG: none */
	uint16_t desc;      /* MEM: descriptor's uniform register; SM70_NOREG: none */
	uint8_t bank;       /* CONST: number of the bank */
	uint8_t flags;      /* GDESC: flags, see SM70_K_GDESC */
	uint8_t type;       /* enum sm70_imm: how an immediate is printed */
	uint16_t
		part; /* SM70_W_*: part of the register read (H0_H0, H1_H1, B0 ... B3, SIGN, ROW) */
	uint16_t scale; /* SM70_W_*: width or scale of MEM's register: 64 (pair), U32, X4, X8, X16;
	                 * NONE: 32 bits */
	bool neg, abs, inv; /* inv: bitwise complement */
	bool reuse;         /* the operand cache keeps the value */
	bool hidden;        /* the operand has its default (PT, ...) and is therefore not in the
	                     * text */
	int64_t off;        /* MEM, CONST: bytes */
	uint64_t imm;
};
enum sm70_imm {
	SM70_I_HEX,  /* signed or unsigned integer */
	SM70_I_SHEX, /* printed with a sign */
	SM70_I_F32,
	SM70_I_F64,   /* imm has 64 bits, the lower half 0 */
	SM70_I_F16X2, /* two halves; printed upper, lower */
	SM70_I_BF16X2,
	SM70_I_F16,
	SM70_I_BF16,
};

/* Control bits: the compiler's instructions to the issue logic. */
struct sm70_control {
	uint8_t stall; /* cycles until the warp may issue again */
	bool yield;    /* the scheduler may prefer another warp (bit 109 clear) */
	uint8_t write; /* counter decremented at write-back; 7: none */
	uint8_t read;  /* counter decremented when the sources have been read; 7: none */
	uint8_t wait;  /* mask of counters that must be 0 before issue */
	uint8_t reuse; /* one bit per operand slot: 24-31, 32-39, 64-71, and a fourth */
};

enum { SM70_MAX_OPS = 10 };

struct sm70_inst {
	const struct sm70_form *form; /* row of the table */
	uint64_t word[2];             /* low half first */
	uint64_t pc;
	uint16_t op; /* enum sm70_op */
	uint8_t sm;  /* 75, 80, 86, 87, 89, 90, 100, 120 */
	uint8_t nop;
	uint8_t guard; /* predicate; 7: always */
	bool guard_neg, guard_uniform;
	struct sm70_control control;
	bool invalid; /* a modifier or part is SM70_W_INVALID: the text says INVALIDn, nothing can execute it */
	uint16_t mod[SM70_MOD_COUNT];        /* SM70_W_* */
	struct sm70_operand o[SM70_MAX_OPS]; /* in the order of the text */
};

/* Returns the operand with that role; NULL: none. */
static inline const struct sm70_operand *sm70_operand_of(const struct sm70_inst *in, unsigned role)
{
	for (unsigned i = 0; i < in->nop; i++)
		if (in->o[i].role == role)
			return &in->o[i];
	return NULL;
}

/* Returns the chip number of "sm_90", "sm_90a", "90"; 0: not a chip of this ISA. */
unsigned sm70_chip(const char *name);

/* Decodes a word. False: the word is not an instruction of that chip; err has the reason (opcode,
 * or the field that is illegal). */
bool sm70_decode(unsigned sm, const uint64_t word[2], uint64_t pc, struct sm70_inst *out, char *err,
		 size_t nerr);

/* Styles: nvdisasm's text; or that text with the control bits before it and, in braces after it,
 * the bits that no operand or modifier shows, so that the assembler makes the word again:
 * [B01----:R-:W2:Y:S04] FADD R4, R5, R6 {72: 1}. */
enum sm70_style { SM70_PLAIN, SM70_FULL };
/* Returns the length, never more than n - 1. No semicolon. */
size_t sm70_print(const struct sm70_inst *in, enum sm70_style style, char *buf, size_t n);

struct sm70_label {
	const char *name;
	uint32_t len;
	uint64_t addr;
};
/* Assembles a line of text in either style. Text without control bits gets a cautious stall of 15
 * and no counters. False: err says what is wrong. */
bool sm70_assemble(unsigned sm, const char *text, size_t len, uint64_t pc,
		   const struct sm70_label *labels, size_t nlabels, struct sm70_inst *out,
		   char *err, size_t nerr);

const char *sm70_sreg_name(unsigned sm, unsigned n, char buf[40]);
void sm70_table_print(FILE *f); /* the ISA reference in Markdown */

#endif
