/* Passes over a kernel of PTX, before instruction selection. The machines have a token stack, no
 * calls and no registers of 128 bits, and atomics of shared memory that are a load and a store;
 * these passes rewrite the kernel so that it computes the same results on them. pipeline.c has
 * their order. */
#ifndef BACK_LOWER_LOWER_H
#define BACK_LOWER_LOWER_H
#include "back/lower/inline.h"
#include "back/pipeline.h"

/* Each pass has the name of its file. */
void lower_split(struct lowering *x);
void lower_handles(struct lowering *x);
void lower_locks(struct lowering *x);
void lower_barriers(struct lowering *x);
void lower_stores(struct lowering *x);
void lower_looks(struct lowering *x);
void lower_predicates(struct lowering *x);
void lower_arms(struct lowering *x);
void lower_headers(struct lowering *x);
void lower_uniform(struct lowering *x);
void lower_negations(struct lowering *x);
void lower_unroll(struct lowering *x);

/* Replace f's code. back_retarget: the branches of the new code, and f's tables of targets, still
 * have indices of the old code; to[i] is the new index of old instruction i. back_take_code makes
 * the new code f's code (barriers.c). */
void back_retarget(struct func *f, struct inst *code, size_t n, const uint32_t *to);
void back_take_code(struct func *f, struct inst *code, size_t n, size_t cap);
/* headers.c: inserts an empty block in front of a loop's header. Branches of the blocks in `in`
 * still go to the header, all others to the new block. */
void back_part_header(struct func *f, const struct cfg *c, uint32_t header, const uint8_t *in);
bool back_falls_on(const struct func *f, const struct cfg *c, uint32_t b); /* true: block b falls
                                                                            * through to the next
                                                                            * block */

#endif
