/* Making a kernel's copy with all calls in it: what inline.c and call.c share. */
#ifndef BACK_LOWER_INLINE_H
#define BACK_LOWER_INLINE_H
#include "back/select/sel.h"
#include "pass/pass.h"

struct slot { /* a variable of a function at work: a register, or bytes of local memory */
	const struct var *var;
	uint32_t reg;
	struct var *copy; /* of the kernel's frame; NULL: of the stack's frame, at `at` */
	uint32_t at;
};

struct work { /* a function being copied */
	const struct func *f;
	uint32_t base; /* its registers begin here */
	VEC(struct slot) slot;
	uint32_t *at; /* where its instructions have gone */
	struct work *outer;
	uint32_t pc; /* the instruction being copied */
	struct live *live;
	bool stacked; /* its variables are in the stack's frame: it, or who calls it, is recursive */
	bool recursive;
	/* recursive: */
	uint32_t entry;     /* where its code begins */
	uint32_t state;     /* register: the call that goes on, 0: none */
	uint32_t from;      /* in the frame: which call it was entered by, 0: the first */
	VEC(uint32_t) site; /* where calls of it go on */
};

struct operand_at { /* an operand of a new instruction */
	uint32_t inst, opnd;
};

struct inliner {
	struct module *m, *lib;
	const struct mtarget *target;
	unsigned without; /* FUSE_* */
	struct func *out;
	struct arena *a;
	struct diag *d;
	const struct inst *like; /* whose line new instructions have */
	unsigned depth;
	bool bad;
	uint8_t *recursive; /* [function]: 0 not known, 1 no, 2 yes */
	/* The stack of recursive calls (call.c) */
	uint32_t sp;    /* register: where the current frame begins */
	uint32_t frame; /* bytes of variables in it */
	uint32_t saved; /* the most bytes that a call stores behind them */
	/* Numbers that a frame's size is added to; addresses of what a call stores, to which the
	 * variables' bytes are added: of the outermost recursive function at work. */
	VEC(struct operand_at) next;
	VEC(struct operand_at) save;
	VEC(struct operand_at)
	bottom; /* those that the stack's place in local memory is added to */
};

/* inline.c */
void inline_refuse(struct inliner *x, const struct func *f, const struct inst *in, const char *why);
uint32_t inline_reg(struct inliner *x, unsigned type);
/* An instruction without guard and target, of the line of another, with its operands in an
 * arena. */
struct inst inline_inst(struct arena *a, const struct inst *like, unsigned op, unsigned type,
			unsigned nd, unsigned ns, const struct opnd *o);
struct inst *inline_put(struct inliner *x, unsigned op, unsigned type, unsigned nd, unsigned ns,
			const struct opnd *o);
struct slot *inline_slot(struct inliner *x, struct work *w, const struct var *v);
/* An operand of a function in its copy. */
struct opnd inline_opnd(struct inliner *x, struct work *w, const struct opnd *o);
/* The current call is of f: a copy of it, or a jump to the one that is at work. */
void inline_call(struct inliner *x, struct work *w, const struct inst *in, const struct func *f);
/* Arguments to the called function's parameters, its results back; next: they are in the next
 * frame. */
void inline_arguments(struct inliner *x, struct work *w, const struct inst *in, struct work *to,
		      bool next);
void inline_results(struct inliner *x, struct work *w, const struct inst *in, struct work *from,
		    bool next);
const struct func *inline_defined(const struct func *f);

/* call.c */
uint64_t call_address(const struct func *f); /* what a pointer to it holds */
void call_indirect(struct inliner *x, struct work *w, const struct inst *in);
bool call_recursive(struct inliner *x, const struct func *f);
void call_enter(struct inliner *x, struct work *w); /* before the code of a recursive function */
void call_begin(struct inliner *x, struct work *w); /* behind its arguments */
void call_leave(struct inliner *x, struct work *w); /* behind the code */
void call_again(struct inliner *x, struct work *w, const struct inst *in, struct work *to);
void call_finish(struct inliner *x); /* the frame's size and the stack's place are known */

/* The kernel f with all calls in it, in arena a; NULL: errors in d. back_func_free frees it but for the arena. */
struct func *back_inline(struct module *m, struct module *lib, const struct mtarget *target,
			 unsigned without, const struct func *f, struct arena *a, struct diag *d);
void back_func_free(struct func *f);

static inline struct opnd opnd_reg(uint32_t reg, unsigned type)
{
	return (struct opnd){
		.kind = type == T_PRED ? OPND_PRED : OPND_REG, .type = (uint8_t)type, .reg = reg};
}
static inline struct opnd opnd_imm(uint64_t n, unsigned type)
{
	return (struct opnd){.kind = OPND_IMM, .type = (uint8_t)type, .imm = (int64_t)n};
}
static inline struct opnd opnd_local(uint32_t base, int64_t at, unsigned type)
{
	return (struct opnd){.kind = OPND_MEM, .type = (uint8_t)type, .reg = base, .imm = at};
}
#endif
