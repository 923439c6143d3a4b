/* PTX front end: text -> struct module.
 *
 *   lex.c     bytes -> tokens
 *   parse.h   tokens -> directives, variables, functions, statements (names resolved by scope)
 *   decode*.c one statement -> struct inst, by the opcode table; refuses unknown forms by name
 *
 * A statement reaches the decoder as its dotted mnemonic and a list of operands in which every name
 * has been resolved to a register, variable, function, special register or label. */
#ifndef FRONT_PTX_PTX_H
#define FRONT_PTX_PTX_H
#include "ir/module.h"

/* Reads one text into `m` (several texts may be read into one module, then module_link()). Reports
 * every error found, up to DIAG_MAX; returns false if there was one. `text` need not end in NUL. */
bool ptx_read(struct module *m, const char *name, const char *text, size_t len, struct diag *d);

/* ---- between parser and decoder ---- */

enum ptx_opnd_kind {
	PO_REG, /* reg, type; `not` for !%p, `neg` for -%r; sel: what follows the register's dot in a
	             video instruction (b0, h1, h10, b3120). Vector registers arrive as PO_VEC, their
	             components (%v.x) as plain registers. */
	/* imm (two's complement); is_unsigned with a U suffix; a minus sign has been applied */
	PO_INT,
	PO_F32, /* imm: bits of a 0f literal */
	PO_F64, /* imm: bits of a 0d literal or a decimal floating literal */
	PO_SREG, /* reg: enum sreg, sub: component or number; type. A whole %tid is a PO_VEC of these */
	PO_SYM,   /* var (+ imm) */
	PO_FUNC,  /* func */
	PO_LABEL, /* reg: label id, to be used as inst.target; patched at the function's end */
	PO_VEC,   /* {item[0..n-1]} */
	/* [item[0] + imm], item[0] is PO_REG, PO_SYM or PO_INT (an absolute address); further
	 * items of a tex or surface operand follow: [t, s, {x,y}] */
	PO_MEM,
	/* (item, item): call results and arguments. The parser has turned registers and
	 * constants in it into frame variables: items are PO_SYM or PO_SINK */
	PO_LIST,
	PO_PAIR, /* item[0] | item[1]: setp, shfl, match, elect */
	PO_SINK, /* _ */
};

struct ptx_opnd {
	uint8_t kind, type, sub;
	bool neg, not, is_unsigned;
	uint32_t reg;
	int64_t imm;
	struct var *var;
	struct func *func;
	struct ptx_opnd *item;
	unsigned n;
	uint32_t line, col;
	const char *name; /* identifiers as written */
	unsigned len;
	const char *sel; /* PO_REG: selector after the dot, NULL: none */
	unsigned sellen;
};

struct ptx_word { /* one part of a mnemonic between dots */
	const char *s;
	unsigned len;
	uint32_t col;
};

enum { PTX_MAX_WORDS = 24 };

struct ptx_stmt {
	struct ptx_word word[PTX_MAX_WORDS]; /* word[0] is the opcode; "L2::128B" is one word */
	unsigned nword;
	struct ptx_opnd *opnd;
	unsigned nopnd;
	uint32_t guard; /* register id; NO_REG: none */
	bool guard_neg;
	uint32_t line, col;
};

struct ptx_parser; /* state of the parser, which the decoder reads through these functions */
struct module *ptx_module(struct ptx_parser *p);
struct func *ptx_func(struct ptx_parser *p); /* the function whose body is being read */
void ptx_error(struct ptx_parser *p, uint32_t line, uint32_t col, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Lists that a label names: targets of brx.idx and .branchtargets, .calltargets, .callprototype. */
struct ptx_list {
	enum { PL_BRANCH, PL_CALLS, PL_PROTO } kind;
	uint32_t *label; /* PL_BRANCH: label ids */
	const struct func **func;
	uint32_t n;
	struct proto proto;
};
const struct ptx_list *ptx_list_find(struct ptx_parser *p, uint32_t label);

/* Decodes a statement into `out` (operands in the module's arena). The parser has filled in guard,
 * line, col, src_*, text, NO_PC targets and zeroed the rest; it lowers mov.v2/v4 of vectors to
 * scalar movs and turns a vector register into the PO_VEC of its components. On error reports
 * through ptx_error and returns false. The caller sets src_file, src_line and text (NULL: the
 * decoder makes a text). Branch targets (inst.target, targets.pc) are label ids here: the parser
 * turns them into code indices when the function ends. Before it returns, the decoder may push a
 * helper instruction to the function's code (cvt from a special register). */
bool ptx_decode(struct ptx_parser *p, const struct ptx_stmt *s, struct inst *out);

/* Prints the opcode table as a Markdown page, ordered by opcode (docs/reference/ptx-support.md). */
void ptx_print_table(FILE *f);

#endif
