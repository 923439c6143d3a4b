/* The token stack of Fermi and Tesla. The interface for both modes is kernel/token_flow.h.
 *
 * A warp has an active mask and pc (path[0] of the mode's stack) and a stack of tokens {type,
 * mask, pc}:
 *
 *	SSY PBK PCNT PRET PLONGJMP   push {active, target}; CAL pushes {active, next pc}
 *	divergent BRA                pushes DIV{taken, target}, the others go on
 *	.S BRK CONT RET EXIT         take their threads out of the active mask; when it is
 *	                             empty the stack is unwound
 *
 * Unwinding pops tokens until one has a thread that is neither exited nor broken, continued,
 * returned or long-jumped. Tokens of PBK, PCNT, CALL and PRET, PLONGJMP end the state that
 * BRK, CONT, RET and LONGJMP began for their threads. An empty stack ends the warp; threads that are
 * left then have no way to go on: a fault.
 *
 * launch.while_masks selects another rule for backward branches: nothing is pushed per iteration,
 * threads that fail the test drop out, and when all have dropped out, the mask of the first execution
 * is restored. That mask is kept in a WHILE token on the same stack. */
#include "kernel/token_flow.h"

#include "exec/lanes.h"
#include "kernel/control.h"

enum { MAX_TOKENS = 1 << 16 };

static void token_fault(struct token_flow *f, enum heddle_fault_kind kind, const char *why)
{
	uint32_t m = f->active ? f->active : f->ws->w.live;
	exec_fault(&f->ws->w, f->u, m ? (unsigned)__builtin_ctz(m) : 0, kind, 0, 0, "%s", why);
}

static void push_token(struct token_flow *f, enum token_type type, uint32_t mask, uint32_t pc)
{
	struct wstate *ws = f->ws;
	if (ws->ntokens == MAX_TOKENS) {
		token_fault(f, HEDDLE_FAULT_STACK, "token stack overflow: 65536 tokens are on it");
		return;
	}
	if (ws->ntokens == ws->token_cap) {
		ws->token_cap = ws->token_cap ? ws->token_cap * 2 : 16;
		ws->token = xrealloc(ws->token, ws->token_cap * sizeof *ws->token);
	}
	ws->token[ws->ntokens++] = (struct token){(uint8_t)type, mask, pc};
}

/* The OFF_* state that popping a token of this type ends; OFF_COUNT: none. */
static unsigned ended_state(unsigned type)
{
	switch (type) {
	case TOKEN_PBK: return OFF_BROKEN;
	case TOKEN_PCNT: return OFF_CONTINUED;
	case TOKEN_CALL:
	case TOKEN_PRET: return OFF_RETURNED;
	case TOKEN_PLONGJMP: return OFF_LONGJUMPED;
	default: return OFF_COUNT;
	}
}

/* The pc at which a token's threads continue. Tesla's SSY names the instruction whose .S the
 * threads waited at; they continue after that .S. */
static uint32_t resume_at(const struct token_flow *f, const struct token *t)
{
	const struct image *img = f->ws->w.cta->l->img;
	const struct uop *code = img->code;
	if (t->type != TOKEN_SSY || !img->kernel->native->shared_header)
		return t->pc;
	for (uint32_t pc = t->pc; code[pc].in->native_pc == code[t->pc].in->native_pc; pc++)
		if (inst_is_native(code[pc].in, NCTL_TPOP))
			return pc + 1;
	return t->pc;
}

/* Pops tokens until a thread is active. ssy: pc at which threads of an SSY token continue; NO_PC:
 * the token's pc. */
static void unwind_stack(struct token_flow *f, uint32_t ssy, const char *underflow)
{
	struct wstate *ws = f->ws;
	while (!f->active && ws->ntokens) {
		struct token t = ws->token[--ws->ntokens];
		unsigned off = ended_state(t.type);
		if (off < OFF_COUNT)
			ws->off[off] &= ~t.mask;
		f->active = t.mask & ~token_off(ws);
		f->next = t.type == TOKEN_SSY && ssy != NO_PC ? ssy : resume_at(f, &t);
	}
	if (!f->active && ws->w.live)
		token_fault(f, HEDDLE_FAULT_STACK, underflow);
}

static void leave_mask(struct token_flow *f, uint32_t t)
{
	f->active &= ~t;
	if (!f->active)
		unwind_stack(
			f, NO_PC,
			"token stack underflow: threads that have not exited have nowhere to go");
}

/* Called when threads t have ended and are no longer counted as live. */
static void remove_ended(struct token_flow *f, uint32_t t)
{
	f->exited |= t;
	leave_mask(f, t);
}

static void exit_threads(struct token_flow *f, uint32_t t)
{
	control_end_lanes(f->ws, t, f->pc);
	remove_ended(f, t);
}

/* Takes a backward branch by the rule of launch.while_masks. */
static void branch_back(struct token_flow *f, uint32_t t)
{
	struct wstate *ws = f->ws;
	struct token *top = ws->ntokens ? &ws->token[ws->ntokens - 1] : NULL;
	bool open = top && top->type == TOKEN_WHILE && top->pc == f->next;
	if (t == f->active && !open) {
		f->next = f->u->target;
	} else if (t) {
		if (!open)
			push_token(f, TOKEN_WHILE, f->active, f->next);
		f->active = t;
		f->next = f->u->target;
	} else if (open) {
		f->active = top->mask & ~token_off(ws);
		ws->ntokens--;
	}
}

static void take_branch(struct token_flow *f, uint32_t t)
{
	if (f->ws->w.cta->l->while_masks && f->u->target <= f->pc && f->u->aux == NCTL_BRA) {
		f->diverges = t && t != f->active;
		branch_back(f, t);
	} else if (t == f->active) {
		f->next = f->u->target;
	} else if (t && f->u->aux != NCTL_BRA_U) {
		f->diverges = true;
		push_token(f, TOKEN_DIV, t, f->u->target);
		f->active &= ~t;
	}
}

uint32_t native_address(const struct image *img, uint32_t addr)
{
	const struct native_map *m = img->kernel->native;
	uint32_t lo = 0, hi = m->n;
	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;
		if (m->addr[mid] < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo <= m->n && m->addr[lo] == addr ? img->funcs[0].start + m->index[lo] : NO_PC;
}

/* First pc of the native instruction that pc belongs to. */
static uint32_t instruction_start(const struct uop *code, uint32_t pc)
{
	while (pc && code[pc - 1].in->native_pc == code[pc].in->native_pc &&
	       code[pc - 1].in->native[0])
		pc--;
	return pc;
}

/* BRX: takes the lowest lane's target first. If there are two targets, the threads of the other one
 * wait in a DIV token; if there are more, all other threads return to the BRX itself. */
static void branch_indirect(struct token_flow *f, uint32_t t)
{
	const struct image *img = f->ws->w.cta->l->img;
	const uint32_t *reg = row_u32(&f->ws->w, f->u->a);
	uint32_t off = (uint32_t)f->u->offset, self = instruction_start(img->code, f->pc);
	uint32_t target[LANES] = {0}, first = (uint32_t)__builtin_ctz(t), take = 0, second = NO_PC;
	bool more = false;
	for (uint32_t m = t; m; m &= m - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(m);
		target[i] = native_address(img, reg[i] + off);
		if (target[i] == NO_PC) {
			exec_fault(&f->ws->w, f->u, i, HEDDLE_FAULT_BAD_CALL, reg[i] + off, 0,
				   "indirect branch to 0x%x, where no instruction begins",
				   reg[i] + off);
			return;
		}
		if (target[i] == target[first])
			take |= 1u << i;
		else if (second == NO_PC)
			second = target[i];
		else
			more |= target[i] != second;
	}
	f->diverges = t != f->active || take != t;
	if (t != f->active) { /* guarded: the threads whose guard is false continue first */
		push_token(f, TOKEN_DIV, t, self);
		f->active &= ~t;
		return;
	}
	if (take != t)
		push_token(f, TOKEN_DIV, t & ~take, more ? self : second);
	f->active = take;
	f->next = target[first];
}

static bool has_caller(const struct wstate *ws)
{
	for (uint32_t i = 0; i < ws->ntokens; i++)
		if (ws->token[i].type == TOKEN_CALL || ws->token[i].type == TOKEN_PRET)
			return true;
	return false;
}

/* Tesla's .S: pops the top token; threads of an SSY token continue after this instruction. */
static void tesla_pop(struct token_flow *f)
{
	f->active = 0;
	unwind_stack(f, f->pc + 1, "token stack underflow: .S with nothing to join");
}

static void run_native(struct token_flow *f, uint32_t t)
{
	struct wstate *ws = f->ws;
	const struct uop *u = f->u;
	switch (u->aux) {
	case NCTL_SSY: push_token(f, TOKEN_SSY, f->active, u->target); break;
	case NCTL_PBK: push_token(f, TOKEN_PBK, f->active, u->target); break;
	case NCTL_PCNT: push_token(f, TOKEN_PCNT, f->active, u->target); break;
	case NCTL_PRET: push_token(f, TOKEN_PRET, f->active, u->target); break;
	case NCTL_PLONGJMP: push_token(f, TOKEN_PLONGJMP, f->active, u->target); break;
	case NCTL_CAL:
		push_token(f, TOKEN_CALL, f->active, f->next);
		f->next = u->target;
		break;
	case NCTL_BRA:
	case NCTL_BRA_U: take_branch(f, t); break;
	case NCTL_BRX: branch_indirect(f, t); break;
	case NCTL_BRK:
		ws->off[OFF_BROKEN] |= t;
		leave_mask(f, t);
		break;
	case NCTL_CONT:
		ws->off[OFF_CONTINUED] |= t;
		leave_mask(f, t);
		break;
	case NCTL_LONGJMP:
		ws->off[OFF_LONGJUMPED] |= t;
		leave_mask(f, t);
		break;
	case NCTL_TRET:
		if (!has_caller(ws)) {
			exit_threads(f, t);
			break;
		}
		/* fall through */
	case NCTL_RET:
		ws->off[OFF_RETURNED] |= t;
		leave_mask(f, t);
		break;
	case NCTL_EXIT: exit_threads(f, t); break;
	case NCTL_POP: leave_mask(f, t); break;
	case NCTL_TPOP: tesla_pop(f); break;
	default: break;
	}
}

/* ---- exits, traps, calls of built-in functions (kernel/control.h) ---- */

static void step(const struct control *c, uint32_t pc)
{
	((struct token_flow *)c->mode)->next = pc;
}

static void ended(const struct control *c) { remove_ended(c->mode, (uint32_t)c->lanes); }

static const struct control_ops token_ops = {.step = step, .ended = ended};

void token_control(struct token_flow *f, uint32_t t)
{
	if (f->u->flags & UOP_NATIVE) {
		run_native(f, t);
		return;
	}
	struct share all = {.ws = f->ws, .lanes = t, .active = f->active, .pos = t};
	control_run(&(struct control){.ops = &token_ops,
				      .mode = f,
				      .u = f->u,
				      .pc = f->pc,
				      .lanes = t,
				      .frame = *f->frame,
				      .share = &all,
				      .n = 1});
}
