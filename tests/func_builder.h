/* Small functions built by hand for tests of passes: no text, no parser.
 *
 *	struct fb b = fb_new(true);
 *	uint32_t p = fb_reg(&b, T_PRED);
 *	fb_bra(&b, p, 2);          index 0: @p bra 2
 *	fb_ret(&b, NO_REG);        index 1
 *	fb_ret(&b, NO_REG);        index 2
 *	... &b.f ...
 *	fb_free(&b);                                                                            */
#ifndef TESTS_FUNC_BUILDER_H
#define TESTS_FUNC_BUILDER_H
#include "ir/module.h"

struct fb {
	struct func f;
	struct arena arena;
};

static inline struct fb fb_new(bool entry)
{
	struct fb b = {.f = {.name = "f", .entry = entry, .defined = true}};
	return b;
}

static inline void fb_free(struct fb *b)
{
	vec_free(&b->f.regs);
	vec_free(&b->f.code);
	vec_free(&b->f.targets);
	vec_free(&b->f.calls);
	arena_free(&b->arena);
}

static inline uint32_t fb_reg(struct fb *b, enum type t)
{
	const char *prefix = t == T_PRED ? "p" : type_rows(t) == 1 ? "r" : "rd";
	const char *name = arena_printf(&b->arena, "%%%s%zu", prefix, b->f.regs.n);
	vec_push(&b->f.regs, (struct reg){name, (uint8_t)t});
	return (uint32_t)b->f.regs.n - 1;
}

/* An operation on registers: nd destinations, then ns sources, NO_REG for a sink. */
static inline struct inst *fb_op(struct fb *b, enum op op, enum type t, unsigned nd, unsigned ns,
				 const uint32_t *reg)
{
	/* clang-format off */
	struct inst in = {.op = op, .type = t, .nd = nd, .ns = ns, .guard = NO_REG,
			  .target = NO_PC, .reconv = NO_PC};
	/* clang-format on */
	in.opnd = ARENA_ARRAY(&b->arena, struct opnd, nd + ns);
	for (unsigned i = 0; i < nd + ns; i++) {
		struct opnd *o = &in.opnd[i];
		o->reg = reg[i];
		if (reg[i] == NO_REG) {
			o->kind = OPND_SINK;
			continue;
		}
		o->type = b->f.regs.v[reg[i]].type;
		o->kind = o->type == T_PRED ? OPND_PRED : OPND_REG;
	}
	vec_push(&b->f.code, in);
	return &b->f.code.v[b->f.code.n - 1];
}
#define fb_reg_op(b, op, t, nd, ns, ...) fb_op(b, op, t, nd, ns, (const uint32_t[]){__VA_ARGS__})

static inline struct inst *fb_ctl(struct fb *b, enum op op, uint32_t guard)
{
	struct inst *in = fb_op(b, op, T_NONE, 0, 0, NULL);
	in->guard = guard;
	return in;
}

static inline void fb_nop(struct fb *b) { fb_ctl(b, OP_NOP, NO_REG); }
static inline void fb_ret(struct fb *b, uint32_t guard) { fb_ctl(b, OP_RET, guard); }
static inline void fb_exit(struct fb *b, uint32_t guard) { fb_ctl(b, OP_EXIT, guard); }
static inline void fb_trap(struct fb *b, uint32_t guard) { fb_ctl(b, OP_TRAP, guard); }
static inline void fb_bra(struct fb *b, uint32_t guard, uint32_t target)
{
	fb_ctl(b, OP_BRA, guard)->target = target;
}
static inline void fb_brx(struct fb *b, uint32_t index, unsigned n, const uint32_t *pc)
{
	struct targets t = {n, ARENA_ARRAY(&b->arena, uint32_t, n)};
	memcpy(t.pc, pc, n * sizeof *pc);
	fb_op(b, OP_BRX, T_U32, 0, 1, &index)->imm = b->f.targets.n;
	vec_push(&b->f.targets, t);
}
static inline void fb_call(struct fb *b, const struct func *callee, uint32_t guard)
{
	fb_ctl(b, OP_CALL, guard)->imm = b->f.calls.n;
	vec_push(&b->f.calls, (struct call){.func = callee, .name = callee->name});
}

/* Random numbers that are equal on every machine: splitmix64. */
struct fb_rng {
	uint64_t s;
};
static inline uint64_t fb_rand(struct fb_rng *r)
{
	uint64_t z = r->s += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}
static inline uint32_t fb_below(struct fb_rng *r, uint32_t n) { return (uint32_t)(fb_rand(r) % n); }

#endif
