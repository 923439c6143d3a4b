/* Calls through pointers, and recursion, without a call instruction.
 *
 * A pointer to a function holds its number; a call through a pointer compares it with the number of each
 * function that it may call, and contains a copy of each.
 *
 * A recursive function has one copy, in which a call of itself is a jump to the beginning. Its variables, and
 * those of all functions copied into it, lie in a frame of a stack in local memory. A call
 *
 * 	stores the registers that are live across it in the frame, and its number in the next frame;
 * 	writes the arguments; sp = sp + frame; state = 0; jumps to the beginning;
 *
 * the function ends with
 *
 * 	n = the number in its frame; n == 0: continues after the first call;
 * 	sp = sp - frame; state = n; jumps to the beginning
 *
 * and the beginning jumps to call `state`, which takes the results and restores its registers, or to the
 * function's code. So all of it is one loop with one beginning and one end, where the threads of a warp meet
 * (tokens.c). Copies inside each other share sp and the size of the frame, that of the outermost function. A
 * frame has one call under way, so all calls store in one place after the variables. */
#include <stdlib.h>
#include <string.h>
#include "back/lower/inline.h"

/* Bytes of stack per thread; sm_13 has 16 KB of local memory per thread. */
enum { STACK_TESLA = 8192, STACK_FERMI = 32768 };

enum base { OF_NEXT, OF_BOTTOM, OF_SAVED };

uint64_t call_address(const struct func *f) { return inline_defined(f)->index + 1; }

/* ---- through a pointer ---- */

static void set_register(struct inliner *x, uint32_t reg, uint64_t n)
{
	inline_put(x, OP_MOV, T_U32, 1, 1,
		   (struct opnd[]){opnd_reg(reg, T_U32), opnd_imm(n, T_U32)});
}

static bool same_sizes(struct var *const *a, struct var *const *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i]->size != b[i]->size)
			return false;
	return true;
}

static bool may_mean(const struct call *c, const struct func *f)
{
	for (uint32_t i = 0; i < c->ntarget; i++)
		if (inline_defined(c->target[i]) == f)
			return true;
	const struct proto *p = &c->proto, *q = &f->proto;
	return !c->ntarget && f->addr_taken && f->defined && !f->entry &&
	       (!f->def || f->def == f) && p->nparam == q->nparam && p->nret == q->nret &&
	       same_sizes(p->param, q->param, p->nparam) && same_sizes(p->ret, q->ret, p->nret);
}

static size_t branch_unless_equal(struct inliner *x, struct opnd a, uint64_t n)
{
	uint32_t p = inline_reg(x, T_PRED);
	unsigned type = type_bits(a.type) == 64 ? T_U64 : T_U32;
	struct inst *in = inline_put(x, OP_SETP, T_PRED, 1, 2,
				     (struct opnd[]){opnd_reg(p, T_PRED), a, opnd_imm(n, type)});
	in->stype = (uint8_t)type;
	in->cmp = CMP_NE;
	inline_put(x, OP_BRA, T_NONE, 0, 0, NULL)->guard = p;
	return x->out->code.n - 1;
}

void call_indirect(struct inliner *x, struct work *w, const struct inst *in)
{
	const struct call *c = &w->f->calls.v[in->imm];
	struct opnd pointer = inline_opnd(x, w, &in->opnd[in->nd]);
	VEC(uint32_t) done = {0};
	pointer.type = x->out->regs.v[pointer.reg].type;
	for (size_t i = 0; i < x->m->funcs.n && !x->bad; i++) {
		const struct func *f = x->m->funcs.v[i];
		if (!may_mean(c, f))
			continue;
		size_t other = branch_unless_equal(x, pointer, call_address(f));
		inline_call(x, w, in, f);
		inline_put(x, OP_BRA, T_NONE, 0, 0, NULL);
		vec_push(&done, (uint32_t)x->out->code.n - 1);
		x->out->code.v[other].target = (uint32_t)x->out->code.n;
	}
	/* A pointer to none of the functions faults. After a trap no code follows, and threads that
	 * called different functions would have no place to meet. */
	uint32_t zero = inline_reg(x, T_U32);
	set_register(x, zero, 0);
	inline_put(x, OP_ST, T_B32, 0, 2,
		   (struct opnd[]){opnd_local(NO_REG, 0, T_B32), opnd_reg(zero, T_U32)})
		->space = SP_GLOBAL;
	for (size_t i = 0; i < done.n; i++)
		x->out->code.v[done.v[i]].target = (uint32_t)x->out->code.n;
	vec_free(&done);
}

/* ---- detection of recursive functions ---- */

static bool reaches_call(struct inliner *x, const struct func *f, const struct func *goal,
			 bool *seen)
{
	for (size_t i = 0; i < f->calls.n; i++) {
		const struct call *c = &f->calls.v[i];
		for (size_t k = 0; k < x->m->funcs.n; k++) {
			const struct func *g = x->m->funcs.v[k];
			if (c->func ? inline_defined(c->func) != g : !may_mean(c, g))
				continue;
			if (g == goal)
				return true;
			if (!seen[k]) {
				seen[k] = true;
				if (reaches_call(x, g, goal, seen))
					return true;
			}
		}
	}
	return false;
}

bool call_recursive(struct inliner *x, const struct func *f)
{
	if (f->module == x->lib || !f->calls.n)
		return false;
	uint8_t *known = &x->recursive[f->index];
	if (!*known) {
		bool *seen = xcalloc(x->m->funcs.n + 1, sizeof *seen);
		*known = reaches_call(x, f, f, seen) ? 2 : 1;
		free(seen);
	}
	return *known == 2;
}

/* ---- the stack ---- */

/* Records an operand just written that needs an offset: that of the next frame, of the stack's
 * first frame, or of the bytes after the variables. */
static void patch_operands(struct inliner *x, enum base of, unsigned opnd)
{
	struct operand_at p = {(uint32_t)x->out->code.n - 1, opnd};
	if (of == OF_BOTTOM)
		vec_push(&x->bottom, p);
	else if (of == OF_NEXT)
		vec_push(&x->next, p);
	else
		vec_push(&x->save, p);
}

static void move_sp(struct inliner *x, unsigned op)
{
	inline_put(x, op, T_U32, 1, 2,
		   (struct opnd[]){opnd_reg(x->sp, T_U32), opnd_reg(x->sp, T_U32),
				   opnd_imm(0, T_U32)});
	patch_operands(x, OF_NEXT, 2);
}

static void store_word(struct inliner *x, uint32_t at, struct opnd v)
{
	inline_put(x, OP_ST, T_B32, 0, 2, (struct opnd[]){opnd_local(x->sp, at, T_B32), v})->space =
		SP_LOCAL;
}

/* Allocates 4 or 8 bytes, aligned, after *n bytes. */
static uint32_t place_slot(uint32_t *n, unsigned bytes)
{
	uint32_t at = (*n + bytes - 1) / bytes * bytes;
	*n = at + bytes;
	return at;
}

static void add_to(struct inliner *x, const struct operand_at *p, size_t n, uint32_t bytes)
{
	for (size_t i = 0; i < n; i++)
		x->out->code.v[p[i].inst].opnd[p[i].opnd].imm += bytes;
}

/* Called when the outermost recursive function has been copied: the size of its frame is known. */
static void settle_frame(struct inliner *x)
{
	uint32_t variables = (x->frame + 7) & ~7u;
	add_to(x, x->save.v, x->save.n, variables);
	add_to(x, x->next.v, x->next.n, (variables + x->saved + 15) & ~15u);
	x->save.n = x->next.n = 0;
	x->frame = x->saved = 0;
}

void call_enter(struct inliner *x, struct work *w)
{
	if (!w->outer->stacked) { /* the outermost call: the stack is empty */
		if (x->sp == NO_REG)
			x->sp = inline_reg(x, T_U32);
		set_register(x, x->sp, 0);
		patch_operands(x, OF_BOTTOM, 1);
	}
	w->state = inline_reg(x, T_U32);
	w->from = place_slot(&x->frame, 4);
	set_register(x, w->state, 0);
	store_word(x, w->from, opnd_reg(w->state, T_U32));
	for (uint32_t i = 0; i < w->f->proto.nret; i++) /* results count as variables, so that calls
	                                                 * inside store them */
		inline_slot(x, w, w->f->proto.ret[i]);
}

void call_begin(struct inliner *x, struct work *w)
{
	inline_put(x, OP_BRA, T_NONE, 0, 0, NULL);
	w->entry = (uint32_t)x->out->code.n;
}

void call_leave(struct inliner *x, struct work *w)
{
	uint32_t n = inline_reg(x, T_U32);
	struct opnd from = opnd_reg(n, T_U32), state = opnd_reg(w->state, T_U32);
	inline_put(x, OP_LD, T_U32, 1, 1, (struct opnd[]){from, opnd_local(x->sp, w->from, T_U32)})
		->space = SP_LOCAL;
	size_t again = branch_unless_equal(x, from, 0);
	inline_put(x, OP_BRA, T_NONE, 0, 0, NULL);
	size_t out = x->out->code.n - 1;
	x->out->code.v[again].target = (uint32_t)x->out->code.n;
	move_sp(x, OP_SUB);
	inline_put(x, OP_MOV, T_U32, 1, 1, (struct opnd[]){state, from});
	uint32_t beginning = (uint32_t)x->out->code.n;
	for (size_t i = 0; i < w->site.n; i++) {
		size_t other = branch_unless_equal(x, state, i + 1);
		inline_put(x, OP_BRA, T_NONE, 0, 0, NULL)->target = w->site.v[i];
		x->out->code.v[other].target = (uint32_t)x->out->code.n;
		x->out->code.v[w->site.v[i] - 1].target = beginning;
	}
	inline_put(x, OP_BRA, T_NONE, 0, 0, NULL)->target = w->entry;
	x->out->code.v[w->entry - 1].target = beginning;
	x->out->code.v[out].target = (uint32_t)x->out->code.n;
	vec_free(&w->site);
	if (!w->outer->stacked)
		settle_frame(x);
}

/* ---- a recursive call ---- */

struct saved {
	uint32_t reg, at, end; /* at: byte in the frame, after the variables */
};
typedef VEC(struct saved) saved_vec;

static void save_live(struct inliner *x, saved_vec *v, uint32_t reg)
{
	unsigned type = x->out->regs.v[reg].type, bits = type_bits(type);
	uint32_t n = v->n ? v->v[v->n - 1].end : 0;
	struct saved s = {.reg = reg, .at = place_slot(&n, bits > 32 ? 8 : 4), .end = n};
	x->saved = n > x->saved ? n : x->saved;
	vec_push(v, s);
	if (type == T_PRED) {
		uint32_t t = inline_reg(x, T_U32);
		inline_put(x, OP_SELP, T_B32, 1, 3,
			   (struct opnd[]){opnd_reg(t, T_U32), opnd_imm(1, T_U32),
					   opnd_imm(0, T_U32), opnd_reg(reg, T_PRED)});
		store_word(x, s.at, opnd_reg(t, T_U32));
	} else if (bits <= 32) {
		store_word(x, s.at, opnd_reg(reg, T_B32));
	} else {
		inline_put(x, OP_ST, T_B64, 0, 2,
			   (struct opnd[]){opnd_local(x->sp, s.at, T_B64), opnd_reg(reg, T_B64)})
			->space = SP_LOCAL;
	}
	patch_operands(x, OF_SAVED, 0);
}

static void restore_live(struct inliner *x, const struct saved *s)
{
	unsigned type = x->out->regs.v[s->reg].type, bits = type_bits(type);
	uint32_t to = type == T_PRED ? inline_reg(x, T_U32) : s->reg;
	unsigned word = bits > 32 ? T_B64 : T_B32;
	inline_put(x, OP_LD, word, 1, 1,
		   (struct opnd[]){opnd_reg(to, word), opnd_local(x->sp, s->at, word)})
		->space = SP_LOCAL;
	patch_operands(x, OF_SAVED, 1);
	if (type != T_PRED)
		return;
	struct inst *in = inline_put(
		x, OP_SETP, T_PRED, 1, 2,
		(struct opnd[]){opnd_reg(s->reg, T_PRED), opnd_reg(to, T_U32), opnd_imm(0, T_U32)});
	in->stype = T_U32;
	in->cmp = CMP_NE;
}

static bool is_result(const struct inst *in, const struct var *v)
{
	for (unsigned i = 0; i < in->nd; i++)
		if (in->opnd[i].kind == OPND_PVAR && in->opnd[i].sym == v)
			return true;
	return false;
}

static struct live *find_liveness(struct inliner *x, struct work *w)
{
	if (!w->live) {
		w->live = ARENA_NEW(x->a, struct live);
		live_build(w->live, w->f, cfg_build(x->a, w->f));
	}
	return w->live;
}

/* Saves the registers that function w needs after its call; w is on the way to the recursive
 * function. */
static void save_level(struct inliner *x, struct work *w, const struct inst *in, saved_vec *v)
{
	const struct inst *at = &w->f->code.v[w->pc];
	const struct live *l = find_liveness(x, w);
	for (uint32_t r = 0; r < w->f->regs.n && !x->bad; r++) {
		bool result = false;
		for (unsigned i = 0; at == in && i < in->nd; i++)
			result |= in->opnd[i].kind == OPND_REG && in->opnd[i].reg == r;
		if (result || !live_at(l, r, 2 * w->pc + 1))
			continue;
		if (type_bits(w->f->regs.v[r].type) > 64)
			inline_refuse(x, w->f, at, "it is recursive, with registers of 128 bits");
		save_live(x, v, w->base + r);
	}
	for (size_t i = 0; i < w->slot.n; i++)
		if (w->slot.v[i].reg != NO_REG && !(at == in && is_result(in, w->slot.v[i].var)))
			save_live(x, v, w->slot.v[i].reg);
}

void call_again(struct inliner *x, struct work *w, const struct inst *in, struct work *to)
{
	saved_vec v = {0};
	for (uint32_t i = 0; i < w->f->calls.v[in->imm].nret; i++) /* not part of what is stored */
		if (in->opnd[i].kind == OPND_PVAR)
			inline_slot(x, w, in->opnd[i].sym);
	for (struct work *k = w;; k = k->outer) {
		save_level(x, k, in, &v);
		if (k == to)
			break;
	}
	uint32_t n = inline_reg(x, T_U32);
	set_register(x, n, to->site.n + 1);
	store_word(x, to->from, opnd_reg(n, T_U32));
	patch_operands(x, OF_NEXT, 0);
	inline_arguments(x, w, in, to, true);
	move_sp(x, OP_ADD);
	set_register(x, to->state, 0);
	inline_put(x, OP_BRA, T_NONE, 0, 0, NULL); /* jumps to the beginning */
	vec_push(&to->site, (uint32_t)x->out->code.n);
	inline_results(x, w, in, to, true);
	for (size_t i = 0; i < v.n; i++)
		restore_live(x, &v.v[i]);
	vec_free(&v);
}

void call_finish(struct inliner *x)
{
	if (x->sp == NO_REG)
		return;
	uint32_t bottom = (x->out->frame_bytes + 15) & ~15u;
	struct var *stack = ARENA_NEW(x->a, struct var);
	*stack = (struct var){.name = "stack", .space = SP_LOCAL, .addr = bottom, .align = 16};
	for (size_t i = 0; i < x->bottom.n; i++)
		x->out->code.v[x->bottom.v[i].inst].opnd[x->bottom.v[i].opnd] =
			(struct opnd){.kind = OPND_SYM, .type = T_U32, .sym = stack};
	x->out->frame_bytes = bottom + (x->target->sm < 20 ? STACK_TESLA : STACK_FERMI);
	vec_free(&x->next);
	vec_free(&x->save);
	vec_free(&x->bottom);
}
