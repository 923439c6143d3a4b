/* The PTX opcode table, compiled for matching. opcodes.def has the rows, words.c the words.
 *
 * Every word that a form may contain has a number; a form is a list of qualifiers, each a set of
 * word numbers and the field of the instruction that the word sets. The table is built once, on
 * first use. */
#ifndef FRONT_PTX_OPCODES_H
#define FRONT_PTX_OPCODES_H
#include "front/ptx/ptx.h"

struct dec;

/* clang-format off */
enum field { /* fields of struct inst that a word can set */
	FIELD_NONE, FIELD_TYPE, FIELD_STYPE, FIELD_ATYPE, FIELD_BTYPE, FIELD_MODE, FIELD_RND,
	FIELD_CMP, FIELD_BOP, FIELD_SPACE, FIELD_SCOPE, FIELD_SEM, FIELD_COP, FIELD_GEOM, FIELD_VEC,
	FIELD_SUOP, FIELD_IMM, FIELD_MODS, FIELD_POLICY,
};
/* clang-format on */

struct word_value {
	const char *word;
	uint32_t value;
};

struct domain { /* words that exclude one another, and the field that they set */
	const char *name;
	uint8_t field;
	const struct word_value *value;
	unsigned n;
};
extern const struct domain ptx_domain[];
extern const unsigned ptx_ndomain;
const struct domain *ptx_domain_find(const char *name, size_t len);

enum { MAX_QUALIFIERS = 16, MAX_SPECS = 8, WORD_SETS = 8, MAX_WORDS = 64 * WORD_SETS };

struct qualifier {
	const struct domain *dom; /* NULL: a type field or a plain word */
	uint8_t field;
	bool is_type, optional;
	uint64_t accept[WORD_SETS]; /* bit set, by word number */
	const char *text;           /* the qualifier's text in the form, for messages */
	unsigned len;
};

/* clang-format off */
enum spec_kind {
	SPEC_VALUE, SPEC_VEC, SPEC_MEM, SPEC_IMM, SPEC_BPRED, SPEC_ADR, SPEC_CPSRC, SPEC_POLICY,
};
/* clang-format on */
enum { SEL_D = T_COUNT, SEL_S, SEL_A, SEL_B, SEL_W }; /* spec.type: a type, or the form's */

struct spec {                       /* one operand */
	uint8_t kind, type, second; /* second: type after `|`; T_NONE: the operand is no pair */
	uint8_t space;              /* SPEC_MEM only; SP_NONE: the instruction's space */
	bool dst, optional, sink, relaxed, second_optional;
};

enum legacy { ALWAYS, V13, SM1, V63 };
#define NOT_SUPPORTED 0xffff

struct form {        /* one row of opcodes.def */
	uint16_t op; /* enum op, or NOT_SUPPORTED */
	const char *text, *operands;
	bool (*handler)(struct dec *);
	uint64_t preset;
	uint8_t legacy;
	/* The fields from here on are set by the compilation of the table. */
	unsigned oplen; /* length of the opcode in text */
	unsigned nqualifier, nspec;
	bool has_ftz;
	struct qualifier *qualifier;
	struct spec spec[MAX_SPECS];
};

struct opcode {           /* all rows of one opcode */
	const char *name; /* `len` characters, not terminated */
	unsigned len;
	struct form *form;
	unsigned nform;
};

const struct opcode *ptx_opcode_find(const char *name, unsigned len);
/* returns the known opcode that is most similar; NULL: none is similar */
const char *ptx_opcode_nearest(const char *name, unsigned len);
/* returns the word's number; -1: no form contains the word */
int ptx_word_number(const char *s, unsigned len);
/* Returns the i-th word that the qualifier accepts, in the order of the table, and sets *len to its
 * length; NULL: no more words. */
const char *qualifier_word(const struct qualifier *s, unsigned i, unsigned *len);
/* Returns the value that the word gives to the qualifier's field. */
uint32_t qualifier_value(const struct qualifier *s, int word);
static inline bool qualifier_accepts(const struct qualifier *s, int word)
{
	return word >= 0 && s->accept[word / 64] >> (word % 64) & 1;
}

#endif
