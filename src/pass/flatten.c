#include "pass/flatten.h"

#include <stdlib.h>

enum { MAX_CODE = 1 << 20, MAX_DEPTH = 256 };

struct label {              /* a label stack: its top label and the stack below */
	uint8_t kind;       /* enum native_ctl that pushed it */
	uint32_t pc, below; /* below: index of the stack below; 0: empty */
	uint32_t depth;
};
struct point {
	uint32_t pc, stack;
};
struct fix {
	uint32_t at;
	struct point to;
};

struct flat {
	const struct func *f;
	struct arena *a;
	struct diag *d;
	VEC(struct label) label;
	VEC(struct inst) code;
	VEC(struct point) todo;
	VEC(struct fix) fix; /* branches whose target is a point that has no pc yet */
	struct seen {
		struct point key;
		uint32_t at;
	} * seen;
	size_t nseen, cap;
	uint32_t pred;   /* predicate register reserved for comparisons */
	uint32_t *owner; /* [pc]: function of the code that the instruction is in; 0: the kernel */
	bool indirect;   /* an indirect branch was expanded: some targets may never be taken */
	bool bad;
};

/* ---- points already copied ---- */

static struct seen *slot_of(struct flat *x, struct point k)
{
	size_t i = (k.pc * 0x9e3779b1u ^ k.stack * 0x85ebca6bu) & (x->cap - 1);
	while (x->seen[i].at != NO_PC &&
	       (x->seen[i].key.pc != k.pc || x->seen[i].key.stack != k.stack))
		i = (i + 1) & (x->cap - 1);
	return &x->seen[i];
}

static void grow_tables(struct flat *x)
{
	struct seen *old = x->seen;
	size_t n = x->cap;
	x->cap = n ? n * 2 : 1024;
	x->seen = xmalloc(x->cap * sizeof *x->seen);
	for (size_t i = 0; i < x->cap; i++)
		x->seen[i].at = NO_PC;
	for (size_t i = 0; i < n; i++)
		if (old[i].at != NO_PC)
			*slot_of(x, old[i].key) = old[i];
	free(old);
}

/* ---- stacks ---- */

static void refuse_code(struct flat *x, const struct inst *in, const char *why)
{
	if (!x->bad)
		diag_error(x->d, "%s at 0x%x: %s: %s", x->f->name, in->native_pc, in->native, why);
	x->bad = true;
}

/* True if the same call of the function has already pushed the label: a loop that pushes without
 * popping would have infinitely many stacks. */
static bool on_stack(const struct flat *x, const struct inst *in, uint32_t stack)
{
	for (; stack; stack = x->label.v[stack].below) {
		const struct label *l = &x->label.v[stack];
		if (l->kind == NCTL_CAL || l->kind == NCTL_PRET)
			return false;
		if (l->kind == in->native_ctl && l->pc == in->target)
			return true;
	}
	return false;
}

static uint32_t push_label(struct flat *x, const struct inst *in, uint32_t stack, uint32_t pc)
{
	for (size_t i = 1; i < x->label.n; i++) /* equal stacks share one entry */
		if (x->label.v[i].kind == in->native_ctl && x->label.v[i].pc == pc &&
		    x->label.v[i].below == stack)
			return (uint32_t)i;
	uint32_t depth = x->label.v[stack].depth + 1;
	if (depth > MAX_DEPTH)
		refuse_code(x, in, "recursion has no static targets");
	vec_push(&x->label, (struct label){in->native_ctl, pc, stack, depth});
	return (uint32_t)x->label.n - 1;
}

/* The innermost label that an instruction of kind `leave` goes to; 0: none. */
static uint32_t find_innermost(const struct flat *x, unsigned leave, uint32_t stack)
{
	for (; stack; stack = x->label.v[stack].below) {
		unsigned k = x->label.v[stack].kind;
		bool it = leave == NCTL_POP || leave == NCTL_TPOP ||
			  (leave == NCTL_BRK && k == NCTL_PBK) ||
			  (leave == NCTL_CONT && k == NCTL_PCNT) ||
			  (leave == NCTL_LONGJMP && k == NCTL_PLONGJMP) ||
			  ((leave == NCTL_RET || leave == NCTL_TRET) &&
			   (k == NCTL_CAL || k == NCTL_PRET));
		if (it)
			return stack;
	}
	return 0;
}

/* ---- code ---- */

static void branch_to(struct flat *x, struct inst in, struct point to)
{
	in.op = OP_BRA;
	in.mode = 0;
	in.imm = 0;
	vec_push(&x->fix, (struct fix){(uint32_t)x->code.n, to});
	vec_push(&x->code, in);
	vec_push(&x->todo, to);
}

static void emit_plain(struct flat *x, struct inst in, unsigned op)
{
	in.op = (uint16_t)op;
	in.mode = 0;
	in.nd = in.ns = 0;
	in.imm = 0;
	vec_push(&x->code, in);
}

/* True at the end of a function: functions with sections of their own stand behind the kernel, each
 * after an exit that belongs to no native instruction. */
static bool ends_function(const struct inst *in) { return inst_is(in, OF_EXITS) && !in->native[0]; }

static void find_parts(struct flat *x)
{
	uint32_t n = 0;
	x->owner = xmalloc(x->f->code.n * sizeof *x->owner);
	for (size_t i = 0; i < x->f->code.n; i++) {
		x->owner[i] = n;
		n += ends_function(&x->f->code.v[i]);
	}
}

/* True if the function `owner` is active: control is in it, or it waits for a call to return. */
static bool is_active(const struct flat *x, uint32_t owner, uint32_t here, uint32_t stack)
{
	bool active = owner == here;
	for (; stack && !active; stack = x->label.v[stack].below)
		active = x->owner[x->label.v[stack].pc] == owner;
	return active;
}

/* True if control cannot fall through to this instruction. */
static bool behind_transfer(const struct flat *x, uint32_t index)
{
	const struct inst *in = &x->f->code.v[index - 1];
	return inst_is(in, OF_EXITS) || (inst_is(in, OF_NATIVE) && in->guard == NO_REG &&
					 in->native_ctl >= NCTL_BRA && in->native_ctl <= NCTL_TPOP);
}

/* True if the indirect branch at `from` can go to native instruction i. A branch can reach any
 * instruction of its own function except the first. After PRET the branch is a call if there are
 * other functions: it can reach the functions that are not active. Calling an active function would
 * be recursion, which has no static targets. */
static bool is_target(const struct flat *x, uint32_t from, uint32_t i, uint32_t stack)
{
	uint32_t index = x->f->native->index[i];
	if (!index)
		return !x->owner[from];
	if (!behind_transfer(x, index) && !x->f->native->listed[i])
		return false;
	bool call = x->label.v[stack].kind == NCTL_PRET && x->owner[x->f->code.n - 1] > 0;
	if (call)
		return !is_active(x, x->owner[index], x->owner[from], stack);
	return x->owner[index] == x->owner[from] && !ends_function(&x->f->code.v[index - 1]);
}

/* Turns an indirect branch into a chain of comparisons with the addresses it can go to. */
static void expand_indirect(struct flat *x, uint32_t pc, uint32_t stack)
{
	const struct native_map *map = x->f->native;
	const struct inst *in = &x->f->code.v[pc];
	for (uint32_t i = 0; i < map->n; i++) {
		if (!is_target(x, pc, i, stack))
			continue;
		struct opnd *o = ARENA_ARRAY(x->a, struct opnd, 4);
		struct inst cmp = *in, bra = *in;
		o[0] = (struct opnd){.kind = OPND_PRED, .type = T_PRED, .reg = x->pred};
		o[1] = in->opnd[0];
		o[2] = (struct opnd){
			.kind = OPND_IMM,
			.type = T_U32,
			.imm = (int64_t)(uint32_t)(map->addr[i] - (uint32_t)in->offset)};
		o[3] = (struct opnd){.kind = OPND_PRED,
				     .type = T_PRED,
				     .reg = in->guard,
				     .mod = in->guard_neg ? OPND_NOT : 0};
		cmp.op = OP_SETP;
		cmp.mode = 0;
		cmp.imm = 0;
		cmp.cmp = CMP_EQ;
		cmp.stype = T_U32;
		cmp.type = 0;
		cmp.bop = in->guard == NO_REG ? BOP_NONE : BOP_AND;
		cmp.nd = 1;
		cmp.ns = in->guard == NO_REG ? 2 : 3;
		cmp.opnd = o;
		cmp.guard = NO_REG;
		cmp.guard_neg = 0;
		cmp.micro = 1;
		vec_push(&x->code, cmp);
		bra.nd = bra.ns = 0;
		bra.guard = x->pred;
		bra.guard_neg = 0;
		bra.micro = 1;
		branch_to(x, bra, (struct point){map->index[i], stack});
	}
	emit_plain(x, *in, OP_TRAP); /* no target matched */
}

/* Copies one instruction; false: control does not fall through. *stack becomes the stack after the
 * instruction. */
static bool copy_inst(struct flat *x, uint32_t pc, uint32_t *stack)
{
	const struct inst *in = &x->f->code.v[pc];
	if (!inst_is_native_flow(in)) {
		vec_push(&x->code, *in);
		return !inst_is(in, OF_EXITS) || in->guard != NO_REG;
	}
	bool guarded = in->guard != NO_REG;
	switch (in->native_ctl) {
	case NCTL_SSY:
	case NCTL_PBK:
	case NCTL_PCNT:
	case NCTL_PRET:
	case NCTL_PLONGJMP:
		/* the address is compared with an indirect branch's, but never its target */
		if (x->indirect && on_stack(x, in, *stack)) {
			emit_plain(x, *in, OP_TRAP);
			return false;
		}
		*stack = push_label(x, in, *stack, in->target);
		emit_plain(x, *in, OP_PMEVENT);
		return true;
	case NCTL_CAL:
		branch_to(x, *in, (struct point){in->target, push_label(x, in, *stack, pc + 1)});
		return guarded;
	case NCTL_BRA:
	case NCTL_BRA_U: branch_to(x, *in, (struct point){in->target, *stack}); return guarded;
	case NCTL_BRX:
		x->indirect = true;
		expand_indirect(x, pc, *stack);
		return guarded;
	case NCTL_EXIT: emit_plain(x, *in, OP_EXIT); return guarded;
	default: break;
	}
	uint32_t at = find_innermost(x, in->native_ctl, *stack);
	if (!at) {
		/* the token stack would fault here */
		emit_plain(x, *in, in->native_ctl == NCTL_TRET ? OP_EXIT : OP_TRAP);
		return guarded;
	}
	struct label l = x->label.v[at];
	if (in->native_ctl == NCTL_TPOP &&
	    l.kind == NCTL_SSY) { /* control continues after the instruction with .S */
		emit_plain(x, *in, OP_PMEVENT);
		*stack = l.below;
		return true;
	}
	branch_to(x, *in, (struct point){l.pc, l.below});
	return guarded && in->native_ctl != NCTL_TPOP;
}

/* Copies the path from one point to a point that was copied before, or to the path's end. */
static void trace_path(struct flat *x, struct point p)
{
	uint32_t stack = p.stack;
	if (slot_of(x, p)->at != NO_PC)
		return;
	for (uint32_t pc = p.pc; !x->bad; pc++) {
		struct point here = {pc, stack};
		if (x->code.n > MAX_CODE) {
			refuse_code(x, &x->f->code.v[pc], "the code grows beyond bounds");
			return;
		}
		if (slot_of(x, here)->at != NO_PC) {
			struct inst in = {.micro = 1, .native = "", .guard = NO_REG, .text = "BRA"};
			branch_to(x, in, here);
			return;
		}
		if (2 * ++x->nseen > x->cap)
			grow_tables(x);
		*slot_of(x, here) = (struct seen){here, (uint32_t)x->code.n};
		if (!copy_inst(x, pc, &stack))
			return;
	}
}

struct func *native_flatten(const struct func *f, struct arena *a, struct diag *d)
{
	struct flat x = {.f = f, .a = a, .d = d, .pred = (uint32_t)f->regs.n};
	struct func *out = NULL;
	grow_tables(&x);
	find_parts(&x);
	vec_push(&x.label, (struct label){0});
	vec_push(&x.todo, (struct point){0, 0});
	while (x.todo.n && !x.bad)
		trace_path(&x, x.todo.v[--x.todo.n]);
	for (size_t i = 0; i < x.fix.n && !x.bad; i++)
		x.code.v[x.fix.v[i].at].target = slot_of(&x, x.fix.v[i].to)->at;
	if (!x.bad) {
		out = ARENA_NEW(a, struct func);
		*out = *f;
		out->regs.v = ARENA_ARRAY(a, struct reg, f->regs.n + 1);
		memcpy(out->regs.v, f->regs.v, f->regs.n * sizeof *f->regs.v);
		out->regs.v[f->regs.n] = (struct reg){"%target", T_PRED};
		out->regs.n = out->regs.cap = f->regs.n + 1;
		out->code.v = ARENA_ARRAY(a, struct inst, x.code.n);
		out->code.n = out->code.cap = x.code.n;
		memcpy(out->code.v, x.code.v, x.code.n * sizeof *x.code.v);
	}
	free(x.owner);
	vec_free(&x.label);
	vec_free(&x.code);
	vec_free(&x.todo);
	vec_free(&x.fix);
	free(x.seen);
	return out;
}
