/* Declarations shared by inline.c and call.c, which make a kernel's copy with all calls in it. */
#ifndef BACK_LOWER_INLINE_H
#define BACK_LOWER_INLINE_H
#include "back/select/sel.h"
#include "pass/pass.h"

/* location of a variable of a function that is being copied: a register, or bytes of local memory */
struct slot {
	const struct var *var;
	uint32_t reg;
	struct var *copy; /* variable in the kernel's frame; NULL: in the stack's frame, at `at` */
	uint32_t at;
};

struct work { /* a function being copied */
	const struct func *f;
	uint32_t base; /* first of its registers in the copy */
	VEC(struct slot) slot;
	uint32_t *at; /* [instruction]: index in the copy */
	struct work *outer;
	uint32_t pc; /* index of the instruction that is being copied */
	struct live *live;
	bool stacked; /* the variables are in the stack's frame: the function, or a caller of it, is
	               * recursive */
	bool recursive;
	/* The next fields are for recursive functions only. */
	uint32_t entry; /* index at which its code begins */
	uint32_t state; /* register: number of the call that continues; 0: none */
	/* byte of the frame that holds the number of the call that entered the function; 0: the
	 * outermost call */
	uint32_t from;
	/* indices of the instructions after its calls, at which the calls return */
	VEC(uint32_t) site;
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
	const struct inst *like; /* instruction whose line new instructions get */
	unsigned depth;
	bool bad;
	uint8_t *recursive; /* [function]: 0 unknown, 1 no, 2 yes */
	/* The stack of recursive calls (call.c) */
	uint32_t sp;    /* register: address of the current frame */
	uint32_t frame; /* bytes of variables in a frame */
	uint32_t saved; /* most bytes that a call stores after the variables */
	/* Operands to complete for the outermost recursive function. next: add a frame's size;
	 * saved addresses: add the variables' bytes. */
	VEC(struct operand_at) next;
	VEC(struct operand_at) save;
	VEC(struct operand_at)
	bottom; /* operands to which the stack's place in local memory is added */
};

/* inline.c */
void inline_refuse(struct inliner *x, const struct func *f, const struct inst *in, const char *why);
uint32_t inline_reg(struct inliner *x, unsigned type);
/* An instruction without guard and target, with the line of `like`, and its operands in an
 * arena. */
struct inst inline_inst(struct arena *a, const struct inst *like, unsigned op, unsigned type,
			unsigned nd, unsigned ns, const struct opnd *o);
struct inst *inline_put(struct inliner *x, unsigned op, unsigned type, unsigned nd, unsigned ns,
			const struct opnd *o);
struct slot *inline_slot(struct inliner *x, struct work *w, const struct var *v);
/* Returns the operand of the copy that corresponds to an operand of the function. */
struct opnd inline_opnd(struct inliner *x, struct work *w, const struct opnd *o);
/* Emits a call of f, w's current instruction: as a copy of f, or, if f is being copied already
 * (recursion), as a jump to that copy. */
void inline_call(struct inliner *x, struct work *w, const struct inst *in, const struct func *f);
/* Copies arguments to the called function's parameters, or the results back; next: the parameters
 * are in the next frame. */
void inline_arguments(struct inliner *x, struct work *w, const struct inst *in, struct work *to,
		      bool next);
void inline_results(struct inliner *x, struct work *w, const struct inst *in, struct work *from,
		    bool next);
const struct func *inline_defined(const struct func *f);

/* call.c */
uint64_t call_address(const struct func *f); /* value of a pointer to the function */
void call_indirect(struct inliner *x, struct work *w, const struct inst *in);
bool call_recursive(struct inliner *x, const struct func *f);
void call_enter(struct inliner *x, struct work *w); /* emitted before the code of a recursive
                                                     * function */
void call_begin(struct inliner *x, struct work *w); /* emitted after the call's arguments */
void call_leave(struct inliner *x, struct work *w); /* emitted after the function's code */
void call_again(struct inliner *x, struct work *w, const struct inst *in, struct work *to);
void call_finish(struct inliner *x); /* called when the frame's size and the stack's place are
                                      * known */

/* The kernel f with all calls in it, in arena a; NULL: errors in d. back_func_free() frees it,
 * except the arena. */
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
