/* Selection for sm_13: declarations that its files share.
 *
 * A predicate of PTX is two values: a flag register, which guards and branches test (NE: true), and
 * a word of 0 or all ones, which logic and selections read. One ISET writes both; unread results
 * are pruned. Instructions that write only temporaries carry no guard, so that they can use the
 * forms with 32-bit immediates, which have none. Half registers and those forms reach R63, so code
 * uses R0 to R63. */
#ifndef BACK_TESLA_TESLA_H
#define BACK_TESLA_TESLA_H
#include "back/select/sel.h"

enum {
	ADDRESS_BANK = 14,
	SHARED_OPERANDS = 32, /* words that an operand's offset reaches */
	PARAM_AT = 0x10,
	WINDOW_SHARED = 0x01000000, /* generic addresses; global memory begins above */
	WINDOW_LOCAL = 0x02000000,
	WINDOW_GLOBAL = 0x10000000,
};

struct mi *t_op(struct sel *s, const char *name, unsigned nd, unsigned n, const struct mo *o);
#define T(s, name, nd, ...)                                                                        \
	t_op(s, name, nd, sizeof((struct mo[]){__VA_ARGS__}) / sizeof(struct mo),                  \
	     (struct mo[]){__VA_ARGS__})

uint32_t t_value(struct sel *s,
		 /* a new value that is written word by word, or in the two arms of a choice */
		 unsigned words);
struct mo t_logic2(struct sel *s, unsigned table, struct mo b, struct mo c);
/* word `word` of source i, in a register */
struct mo t_reg(struct sel *s, unsigned i, unsigned word);
struct mo t_global(struct sel *s, const struct var *v, int64_t offset, unsigned word);
struct mo t_lit(struct sel *s, uint32_t w); /* a number as operand B or C */
struct mo t_num(struct sel *s, uint32_t w); /* a number in a register */
struct mo t_ext(struct sel *s, unsigned i,
		/* source i in a register, extended from 8 or 16 bits to 32 */
		unsigned type);
struct mo t_pair(struct sel *s, unsigned i); /* 64 bits in an even pair */
struct mo t_lo(struct mo r);
struct mo t_hi(struct mo r);
struct mo t_flag(uint32_t v);
struct mo t_inv(struct mo o);
/* true if an instruction that writes d needs no guard, because d is a temporary */
bool t_free(const struct sel *s, struct mo d);

void t_set(struct sel *s, struct mo d, uint32_t w);               /* d = number */
void t_mov(struct sel *s, struct mo d, struct mo a);              /* d = register or constant */
void t_addi(struct sel *s, struct mo d, struct mo a, uint32_t k); /* d = a + number */
void t_logi(struct sel *s, const char *op, struct mo d, struct mo a, uint32_t k);
void t_shift(struct sel *s, const char *name, struct mo d, struct mo a, unsigned n);
/* d = p ? a : b, word by word; p: predicate as a word (0 or all ones) */
void t_choose(struct sel *s, uint32_t d, const struct mo *a, const struct mo *b, unsigned words,
	      uint32_t flag, bool neg);

/* Predicates. */
struct tpred {
	uint32_t word, flag;
};
struct tpred t_pred_new(struct sel *s);
struct tpred t_pred_dst(struct sel *s, unsigned i);
struct mo t_pred_word(struct sel *s, unsigned i); /* source i as a word, perhaps inverted */
/* source i as a flag register to test; *neg: the test is inverted */
uint32_t t_pred_flag(struct sel *s, unsigned i, bool *neg);
/* Combines the comparison c, a word, with the instruction's boolean operand and writes its
 * results. */
void t_pred_put(struct sel *s, struct tpred c);
/* Returns the instruction's own destination if the comparison is not combined with another
 * predicate; otherwise a new predicate. */
struct tpred t_pred_for(struct sel *s);
void t_set_from(struct sel *s, struct tpred c); /* result of set: 0 or all ones, or 1.0f */

void t_product(struct sel *s, struct mo d, struct mo a, struct mo b, unsigned abits,
	       unsigned bbits);
void t_high(struct sel *s, struct mo d, struct mo a, struct mo b, bool is_signed);
void t_add64(struct sel *s, uint32_t d, const struct mo a[2], const struct mo b[2], bool sub);
/* upper bound of the number of significant bits of source i */
unsigned t_bits(const struct sel *s, unsigned i);

/* mem.c */
struct mo t_shared(struct sel *s, unsigned bytes, int64_t more);
uint32_t t_address(struct sel *s, struct mo r); /* an address register that holds r */
void t_address_forget(struct sel *s);           /* called at a block's start */
void t_address_written(struct sel *s, uint32_t v);

void tesla_ranges(struct sel *s);
#endif
