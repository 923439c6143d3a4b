/* The run loop of native code: control flow by the token stack of Fermi and Tesla.
 *
 * A warp has an active mask and pc (stack[0] of its wstate, so that barriers and blocks see what they
 * always see) and a stack of tokens {type, mask, pc}:
 *
 *	SSY PBK PCNT PRET PLONGJMP   push {active, target}          CAL  pushes {active, next pc}
 *	divergent BRA                pushes DIV{taken, target}, the others go on
 *	.S BRK CONT RET EXIT         take their threads out of the active mask; when it is empty the stack
 *	                             is unwound
 *
 * Unwinding pops tokens until one has a thread that is neither exited nor broken, continued, returned or
 * long-jumped; PBK, PCNT, CALL and PRET, PLONGJMP end the state of their threads that BRK, CONT, RET and
 * LONGJMP began. An empty stack ends the warp; threads that are left then lost their way: a fault.
 *
 * launch.while_masks selects the other rule for backward branches: nothing is pushed per iteration, threads
 * that fail the test drop out, and when all have the mask of the first execution returns. The mask is kept
 * in a WHILE token on the same stack.                                                              */
#include "func/run.h"

#include "exec/lanes.h"
#include "exec/shadow.h"

enum { MAX_TOKENS = 1 << 16 };

struct flow { /* of the instruction at hand */
	struct wstate *ws;
	const struct uop *u;
	uint32_t pc, active, next; /* active and next: what comes of it */
};

static void fault(struct flow *f, enum heddle_fault_kind kind, const char *why)
{
	uint32_t m = f->active ? f->active : f->ws->w.live;
	exec_fault(&f->ws->w, f->u, m ? (unsigned)__builtin_ctz(m) : 0, kind, 0, 0, "%s", why);
}

static void push(struct flow *f, enum token_type type, uint32_t mask, uint32_t pc)
{
	struct wstate *ws = f->ws;
	if (ws->ntokens == MAX_TOKENS) {
		fault(f, HEDDLE_FAULT_STACK, "token stack overflow: 65536 tokens are on it");
		return;
	}
	if (ws->ntokens == ws->token_cap) {
		ws->token_cap = ws->token_cap ? ws->token_cap * 2 : 16;
		ws->token = xrealloc(ws->token, ws->token_cap * sizeof *ws->token);
	}
	ws->token[ws->ntokens++] = (struct token){(uint8_t)type, mask, pc};
}

/* Which state of its threads a token ends; OFF_COUNT: none. */
static unsigned ends(unsigned type)
{
	switch (type) {
	case TOKEN_PBK: return OFF_BROKEN;
	case TOKEN_PCNT: return OFF_CONTINUED;
	case TOKEN_CALL: case TOKEN_PRET: return OFF_RETURNED;
	case TOKEN_PLONGJMP: return OFF_LONGJUMPED;
	default: return OFF_COUNT;
	}
}

static uint32_t switched_off(const struct wstate *ws)
{
	uint32_t off = ~ws->w.live;
	for (unsigned i = 0; i < OFF_COUNT; i++)
		off |= ws->off[i];
	return off;
}

/* No thread is active: pops until one is. */
static void unwind(struct flow *f)
{
	struct wstate *ws = f->ws;
	while (!f->active && ws->ntokens) {
		struct token t = ws->token[--ws->ntokens];
		unsigned off = ends(t.type);
		if (off < OFF_COUNT)
			ws->off[off] &= ~t.mask;
		f->active = t.mask & ~switched_off(ws);
		f->next = t.pc;
	}
	if (!f->active && ws->w.live)
		fault(f, HEDDLE_FAULT_STACK, "token stack underflow: threads that have not exited have nowhere to go");
}

static void leave(struct flow *f, uint32_t t)
{
	f->active &= ~t;
	if (!f->active)
		unwind(f);
}

static void threads_exit(struct flow *f, uint32_t t)
{
	struct wstate *ws = f->ws;
	ws->w.live &= ~t;
	ws->w.cta->live -= (uint32_t)__builtin_popcount(t);
	leave(f, t);
	bar_exited(ws->w.cta);
}

/* The thesis's rule for backward branches. */
static void branch_back(struct flow *f, uint32_t t)
{
	struct wstate *ws = f->ws;
	struct token *top = ws->ntokens ? &ws->token[ws->ntokens - 1] : NULL;
	bool open = top && top->type == TOKEN_WHILE && top->pc == f->next;
	if (t == f->active && !open) {
		f->next = f->u->target;
	} else if (t) {
		if (!open)
			push(f, TOKEN_WHILE, f->active, f->next);
		f->active = t;
		f->next = f->u->target;
	} else if (open) {
		f->active = top->mask & ~switched_off(ws);
		ws->ntokens--;
	}
}

static void branch(struct flow *f, uint32_t t)
{
	struct exec *x = f->ws->w.cta->x;
	if (f->ws->w.cta->l->while_masks && f->u->target <= f->pc && f->u->in->mode == NCTL_BRA) {
		x->divergent[f->pc] += t && t != f->active;
		branch_back(f, t);
	} else if (t == f->active) {
		f->next = f->u->target;
	} else if (t && f->u->in->mode != NCTL_BRA_U) {
		x->divergent[f->pc]++;
		push(f, TOKEN_DIV, t, f->u->target);
		f->active &= ~t;
	}
}

/* Address of a native instruction -> pc in the image; NO_PC: there is none. */
static uint32_t find_address(const struct image *img, uint32_t addr)
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
	while (pc && code[pc - 1].in->native_pc == code[pc].in->native_pc && code[pc - 1].in->native[0])
		pc--;
	return pc;
}

/* BRX: the lowest lane's target first. Of two targets the other waits as DIV; of more, all others come
 * back to the BRX itself. */
static void branch_indirect(struct flow *f, uint32_t t)
{
	const struct image *img = f->ws->w.cta->l->img;
	const uint32_t *reg = row_u32(&f->ws->w, f->u->a);
	uint32_t off = (uint32_t)f->u->imm, self = instruction_start(img->code, f->pc);
	uint32_t target[LANES] = {0}, first = (uint32_t)__builtin_ctz(t), take = 0, second = NO_PC;
	bool more = false;
	for (uint32_t m = t; m; m &= m - 1) {
		uint32_t i = (uint32_t)__builtin_ctz(m);
		target[i] = find_address(img, reg[i] + off);
		if (target[i] == NO_PC) {
			exec_fault(&f->ws->w, f->u, i, HEDDLE_FAULT_BAD_CALL, reg[i] + off, 0,
				   "indirect branch to 0x%x, where no instruction begins", reg[i] + off);
			return;
		}
		if (target[i] == target[first])
			take |= 1u << i;
		else if (second == NO_PC)
			second = target[i];
		else
			more |= target[i] != second;
	}
	f->ws->w.cta->x->divergent[f->pc] += t != f->active || take != t;
	if (t != f->active) { /* guarded: the others go on first */
		push(f, TOKEN_DIV, t, self);
		f->active &= ~t;
		return;
	}
	if (take != t)
		push(f, TOKEN_DIV, t & ~take, more ? self : second);
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

/* Tesla's .S: the top token is popped; an SSY token goes on behind this instruction. */
static void tesla_pop(struct flow *f)
{
	struct wstate *ws = f->ws;
	f->active = 0;
	while (!f->active && ws->ntokens) {
		struct token t = ws->token[--ws->ntokens];
		unsigned off = ends(t.type);
		if (off < OFF_COUNT)
			ws->off[off] &= ~t.mask;
		f->active = t.mask & ~switched_off(ws);
		f->next = t.type == TOKEN_SSY ? f->pc + 1 : t.pc;
	}
	if (!f->active && ws->w.live)
		fault(f, HEDDLE_FAULT_STACK, "token stack underflow: .S with nothing to join");
}

/* The instruction's own effect on mask and pc, for threads t. */
static void native_control(struct flow *f, uint32_t t)
{
	struct wstate *ws = f->ws;
	const struct uop *u = f->u;
	switch (u->in->mode) {
	case NCTL_SSY: push(f, TOKEN_SSY, f->active, u->target); break;
	case NCTL_PBK: push(f, TOKEN_PBK, f->active, u->target); break;
	case NCTL_PCNT: push(f, TOKEN_PCNT, f->active, u->target); break;
	case NCTL_PRET: push(f, TOKEN_PRET, f->active, u->target); break;
	case NCTL_PLONGJMP: push(f, TOKEN_PLONGJMP, f->active, u->target); break;
	case NCTL_CAL:
		push(f, TOKEN_CALL, f->active, f->next);
		f->next = u->target;
		break;
	case NCTL_BRA: case NCTL_BRA_U: branch(f, t); break;
	case NCTL_BRX: branch_indirect(f, t); break;
	case NCTL_BRK: ws->off[OFF_BROKEN] |= t; leave(f, t); break;
	case NCTL_CONT: ws->off[OFF_CONTINUED] |= t; leave(f, t); break;
	case NCTL_LONGJMP: ws->off[OFF_LONGJUMPED] |= t; leave(f, t); break;
	case NCTL_TRET:
		if (!has_caller(ws)) {
			threads_exit(f, t);
			break;
		}
		/* fall through */
	case NCTL_RET: ws->off[OFF_RETURNED] |= t; leave(f, t); break;
	case NCTL_EXIT: threads_exit(f, t); break;
	case NCTL_POP: leave(f, t); break;
	case NCTL_TPOP: tesla_pop(f); break;
	default: break;
	}
}

/* Control by threads t (not empty, but for BRA of the while rule). False: the warp waits or stops. */
static void control(struct flow *f, uint32_t t)
{
	struct wstate *ws = f->ws;
	struct split *s = &ws->stack[0];
	switch (f->u->op) {
	case OP_NATIVE: native_control(f, t); break;
	case OP_EXIT: case OP_RET: threads_exit(f, t); break;
	case OP_TRAP: case OP_BRKPT: fault(f, HEDDLE_FAULT_TRAP, "trap executed"); break;
	case OP_BAR:
		s->pc = f->pc;
		s->mask = f->active;
		if (!bar_arrive(ws, f->u, t) && s->pc != f->pc)
			f->next = s->pc;
		if (s->state == SPLIT_BARRIER)
			f->next = f->pc;
		break;
	default: break;
	}
	s->pc = f->next;
	s->mask = f->active;
	if (!f->active)
		ws->sp = 0;
}

static void load_frame(struct wstate *ws)
{
	struct warp *w = &ws->w;
	w->base[BASE_REG] = ws->rows;
	w->base[BASE_FRAME] = w->local;
	w->pred = ws->preds;
	w->lbase = 0;
	w->active = ws->stack[0].mask;
}

static void count_run(struct wstate *ws, struct exec *x, uint32_t next, uint32_t active)
{
	int64_t n = (int64_t)next - ws->seg;
	int lanes = __builtin_popcount(active);
	x->issued[ws->seg]++;
	x->issued[next]--;
	x->lanes[ws->seg] += lanes;
	x->lanes[next] -= lanes;
	x->fuel -= n;
	ws->ninst += (uint64_t)n;
}

static inline bool starts_instruction(const struct uop *code, uint32_t pc)
{
	const struct inst *in = code[pc].in;
	return in->native[0] && (!pc || !code[pc - 1].in->native[0] || code[pc - 1].in->native_pc != in->native_pc);
}

static inline void execute(struct warp *w, const struct uop *u, uint32_t m)
{
	w->mask = m;
	if (m == ~0u)
		u->full(w, u);
	else if (m)
		u->part(w, u);
}

/* Runs the active threads until something changes mask or pc. STOP_NONE: go on. */
static enum stop run_path(struct wstate *ws)
{
	struct warp *w = &ws->w;
	struct cta *b = w->cta;
	struct exec *x = b->x;
	const struct launch *l = b->l;
	const struct uop *code = l->img->code;
	struct split *s = &ws->stack[0];
	uint32_t pc = s->pc, active = s->mask;
	ws->seg = pc;
	for (;; pc++) {
		const struct uop *u = &code[pc];
		uint32_t m = active;
		if (u->guard >= 0)
			m &= u->guard_neg ? ~w->pred[u->guard] : w->pred[u->guard];
		if (l->trace && starts_instruction(code, pc)) {
			s->pc = pc;
			l->trace(l->trace_arg, ws, pc);
		}
		if (m != active)
			x->off[pc] += (uint64_t)__builtin_popcount(active & ~m);
		if (!u->flags) {
			execute(w, u, m);
			continue;
		}
		w->pc = pc;
		bool empty_branch = l->while_masks && u->op == OP_NATIVE && u->in->mode == NCTL_BRA;
		if (!m && !empty_branch)
			continue;
		if (u->flags & UOP_ORDERED) {
			if (!b->turn)
				x->take_turn(b);
			if (l->check_race)
				shadow_communicate(b);
		}
		if (u->flags & UOP_CTL) {
			struct flow f = {ws, u, pc, active, pc + 1};
			count_run(ws, x, pc + 1, active);
			control(&f, m);
			return w->stop == STOP_FAULT ? STOP_FAULT : STOP_NONE;
		}
		execute(w, u, m);
		if (w->stop == STOP_FAULT)
			return STOP_FAULT;
		if ((u->flags & UOP_POLL) && warp_polls(ws, u, pc, m)) {
			count_run(ws, x, pc + 1, active);
			s->pc = pc + 1;
			ws->spins = 0;
			return STOP_YIELD;
		}
	}
}

enum stop tokens_run(struct wstate *ws)
{
	struct exec *x = ws->w.cta->x;
	for (;;) {
		if (x->fuel < 0) {
			enum stop st = x->refuel(x);
			return st ? st : STOP_BUDGET;
		}
		if (!ws->sp)
			return STOP_DONE;
		if (ws->stack[0].state == SPLIT_BARRIER)
			return STOP_BARRIER;
		load_frame(ws);
		enum stop st = run_path(ws);
		if (st)
			return st;
	}
}
