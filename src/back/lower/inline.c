/* Makes a kernel without calls: a copy of the callee replaces each call, and the copy of a routine
 * (routines/) replaces each instruction that the machine lacks. Parameters and results that are
 * only read and written whole become registers. Calls through pointers and recursion are in
 * call.c. */
#include <stdlib.h>
#include <string.h>
#include "back/routines/expand.h"
#include "back/lower/inline.h"
#include "base/mangled.h"
#include "front/ptx/ptx.h"

enum { NESTING = 32, LIMIT = 1 << 20 };

void inline_refuse(struct inliner *x, const struct func *f, const struct inst *in, const char *why)
{
	struct srcloc at = {f->text_name, f->text, f->text_end, in->line, in->col};
	if (!x->bad)
		diag_at(x->d, DIAG_ERROR, &at, "%s code cannot have this call: %s (kernel %s)",
			x->target->name, why, plain_name(x->out->name).text);
	x->bad = true;
}

/* ---- variables ---- */

static bool whole_access(const struct inst *in, const struct opnd *o)
{
	const struct var *v = o->sym;
	return (in->op == OP_LD || in->op == OP_ST) && o->kind == OPND_MEM && !o->imm &&
	       o->reg == NO_REG && in->nd + in->ns == 2 && type_bytes(in->type) == v->size &&
	       in->type != T_PRED;
}

/* True if the variable is only used as a single value. */
static bool is_value(const struct func *f, const struct var *v)
{
	if (v->size != 4 && v->size != 8 && v->size != 1 && v->size != 2)
		return false;
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		for (unsigned k = 0; k < in->nd + in->ns; k++) {
			const struct opnd *o = &in->opnd[k];
			if (o->sym != v || o->kind == OPND_PVAR)
				continue;
			if (!whole_access(in, o))
				return false;
		}
	}
	return true;
}

uint32_t inline_reg(struct inliner *x, unsigned type)
{
	vec_push(&x->out->regs, (struct reg){"%inline", (uint8_t)type});
	return (uint32_t)x->out->regs.n - 1;
}

struct slot *inline_slot(struct inliner *x, struct work *w, const struct var *v)
{
	for (size_t i = 0; i < w->slot.n; i++)
		if (w->slot.v[i].var == v)
			return &w->slot.v[i];
	struct slot s = {.var = v, .reg = NO_REG};
	if (v->space == SP_FRAME && is_value(w->f, v)) {
		s.reg = inline_reg(x, v->size == 8 ? T_B64 : T_B32);
	} else if (w->stacked) {
		uint32_t al = v->align > 4 ? v->align : 4;
		s.at = (x->frame + al - 1) / al * al;
		x->frame = s.at + (uint32_t)((v->size + 3) / 4 * 4);
	} else {
		uint32_t al = v->align > 4 ? v->align : 4;
		s.copy = ARENA_NEW(x->a, struct var);
		*s.copy = *v;
		s.copy->space = SP_LOCAL;
		x->out->frame_bytes = (x->out->frame_bytes + al - 1) / al * al;
		s.copy->addr = x->out->frame_bytes;
		x->out->frame_bytes += (uint32_t)((v->size + 3) / 4 * 4);
	}
	vec_push(&w->slot, s);
	return &w->slot.v[w->slot.n - 1];
}

/* ---- new instructions ---- */

struct inst inline_inst(struct arena *a, const struct inst *like, unsigned op, unsigned type,
			unsigned nd, unsigned ns, const struct opnd *o)
{
	struct inst in = {.op = (uint16_t)op,
			  .type = (uint8_t)type,
			  .stype = (uint8_t)type,
			  .nd = (uint8_t)nd,
			  .ns = (uint8_t)ns,
			  .vec = 1,
			  .guard = NO_REG,
			  .target = NO_PC,
			  .reconv = NO_PC,
			  .line = like->line,
			  .col = like->col,
			  .text = like->text};
	in.opnd = ARENA_ARRAY(a, struct opnd, nd + ns + 1);
	if (nd + ns)
		memcpy(in.opnd, o, (nd + ns) * sizeof *o);
	return in;
}

struct inst *inline_put(struct inliner *x, unsigned op, unsigned type, unsigned nd, unsigned ns,
			const struct opnd *o)
{
	vec_push(&x->out->code, inline_inst(x->a, x->like, op, type, nd, ns, o));
	return &x->out->code.v[x->out->code.n - 1];
}

static void put_move(struct inliner *x, uint32_t to, struct opnd from, unsigned type)
{
	inline_put(x, OP_MOV, type, 1, 1, (struct opnd[]){opnd_reg(to, type), from});
}

/* Emits one access to a variable in memory; next: in the next frame. */
static void put_access(struct inliner *x, const struct slot *s, int64_t off, bool next,
		       unsigned type, struct opnd v, bool store)
{
	struct opnd m = {.kind = OPND_MEM, .type = (uint8_t)type, .reg = NO_REG, .sym = s->copy};
	m.imm = off;
	if (!s->copy)
		m = opnd_local(x->sp, s->at + off, type);
	struct inst *in = inline_put(x, store ? OP_ST : OP_LD, type, !store, 1 + store,
				     store ? (struct opnd[]){m, v} : (struct opnd[]){v, m});
	in->space = SP_LOCAL;
	if (next && !s->copy)
		vec_push(&x->next, ((struct operand_at){(uint32_t)x->out->code.n - 1, !store}));
}

/* Source or destination of a copy between functions: a variable, or, if var is NULL, a register or
 * number. */
struct end {
	struct work *w;
	const struct var *var;
	struct opnd o;
	bool next; /* in the next frame */
};

static uint64_t end_bytes(const struct end *e)
{
	return e->var ? e->var->size : type_bits(e->o.type) > 32 ? 8 : 4;
}

/* True if the end is a variable in memory, with its slot; false: o is the operand. */
static bool in_memory(struct inliner *x, struct end *e, struct slot *s, unsigned type)
{
	if (!e->var)
		return false;
	*s = *inline_slot(x, e->w, e->var);
	if (s->reg == NO_REG)
		return true;
	e->o = opnd_reg(s->reg, type);
	return false;
}

/* Copies the value of one function's variable to another's. */
static void pass_argument(struct inliner *x, struct end from, struct end to)
{
	uint64_t a = end_bytes(&from), b = end_bytes(&to), n = a < b ? a : b;
	unsigned type = n == 8 ? T_B64 : T_B32;
	struct slot sa, sb;
	bool ma = in_memory(x, &from, &sa, type), mb = in_memory(x, &to, &sb, type);
	if (!ma && !mb) {
		put_move(x, to.o.reg, from.o, type);
	} else if (!ma) {
		put_access(x, &sb, 0, to.next, type, from.o, true);
	} else if (!mb) {
		put_access(x, &sa, 0, from.next, type, to.o, false);
	} else {
		struct opnd t = opnd_reg(inline_reg(x, T_B32), T_B32);
		for (uint64_t o = 0; o < n; o += 4) {
			put_access(x, &sa, (int64_t)o, from.next, T_B32, t, false);
			put_access(x, &sb, (int64_t)o, to.next, T_B32, t, true);
		}
	}
}

/* An argument or result of a call: a variable, a register, a number. */
static struct end call_end(struct inliner *x, struct work *w, const struct opnd *o)
{
	struct end e = {.w = w};
	if (o->kind == OPND_PVAR)
		e.var = o->sym;
	else
		e.o = inline_opnd(x, w, o);
	if (o->kind == OPND_REG)
		e.o.type = w->f->regs.v[o->reg].type;
	return e;
}

void inline_arguments(struct inliner *x, struct work *w, const struct inst *in, struct work *to,
		      bool next)
{
	const struct call *c = &w->f->calls.v[in->imm];
	const struct opnd *arg = in->opnd + in->nd + (c->func ? 0 : 1);
	for (uint32_t i = 0; i < c->narg && i < to->f->proto.nparam; i++)
		pass_argument(x, call_end(x, w, &arg[i]),
			      (struct end){.w = to, .var = to->f->proto.param[i], .next = next});
}

void inline_results(struct inliner *x, struct work *w, const struct inst *in, struct work *from,
		    bool next)
{
	const struct call *c = &w->f->calls.v[in->imm];
	for (uint32_t i = 0; i < c->nret && i < from->f->proto.nret; i++)
		if (in->opnd[i].kind != OPND_SINK)
			pass_argument(
				x,
				(struct end){.w = from, .var = from->f->proto.ret[i], .next = next},
				call_end(x, w, &in->opnd[i]));
}

/* ---- copying ---- */

static void copy_func(struct inliner *x, struct work *w);

/* Emits a branch over the following code if the guard is false; it is patched to the end. */
static size_t skip_unless(struct inliner *x, const struct inst *in, uint32_t base)
{
	struct inst *b = inline_put(x, OP_BRA, T_NONE, 0, 0, NULL);
	b->guard = in->guard + base;
	b->guard_neg = !in->guard_neg;
	return x->out->code.n - 1;
}

const struct func *inline_defined(const struct func *f)
{
	while (f && (f->def || f->alias) && (f->def ? f->def : f->alias) != f)
		f = f->def ? f->def : f->alias;
	return f;
}

static struct work *enter_function(struct inliner *x, struct work *w, const struct func *f,
				   const struct inst *in)
{
	const char *why = !f || !f->defined
				  ? "it is to a function of the driver, which it cannot call"
			  : x->depth >= NESTING || x->out->code.n > LIMIT ? "too deep"
									  : NULL;
	if (why) {
		inline_refuse(x, w->f, in, why);
		return NULL;
	}
	struct work *n = ARENA_NEW(x->a, struct work);
	*n = (struct work){.f = f, .outer = w, .base = (uint32_t)x->out->regs.n};
	n->recursive = call_recursive(x, f);
	n->stacked = w->stacked || n->recursive;
	for (uint32_t r = 0; r < f->regs.n; r++)
		vec_push(&x->out->regs, f->regs.v[r]);
	return n;
}

/* Emits a call of a function that the simulator provides: its arguments and result go to registers,
 * and the call stays a call. */
static void call_builtin(struct inliner *x, struct work *w, const struct inst *in,
			 const struct func *f)
{
	const struct call *c = &w->f->calls.v[in->imm];
	struct opnd o[8] = {0};
	unsigned nd = c->nret ? 1 : 0, n = nd;
	if (nd)
		o[0] = opnd_reg(inline_reg(x, f->proto.ret[0]->size == 8 ? T_B64 : T_B32),
				f->proto.ret[0]->size == 8 ? T_B64 : T_B32);
	for (uint32_t i = 0; i < c->narg && i < f->proto.nparam && n < 8; i++) {
		unsigned type = f->proto.param[i]->size == 8 ? T_B64 : T_B32;
		o[n] = opnd_reg(inline_reg(x, type), type);
		pass_argument(x, call_end(x, w, &in->opnd[in->nd + i]), (struct end){.o = o[n]});
		n++;
	}
	inline_put(x, OP_CALL, T_NONE, nd, n - nd, o)->imm = f->builtin;
	if (nd && in->opnd[0].kind != OPND_SINK)
		pass_argument(x, (struct end){.o = o[0]}, call_end(x, w, &in->opnd[0]));
}

void inline_call(struct inliner *x, struct work *w, const struct inst *in, const struct func *f)
{
	if (f && (f->builtin == BI_OUT_OF_BOUNDS || f->builtin == BI_INDEX_END) && !f->defined)
		return; /* machine code has no checks */
	if (f && f->builtin && !f->defined && x->target->sm >= 20) {
		call_builtin(x, w, in, f);
		return;
	}
	for (struct work *o = w; o; o = o->outer)
		if (o->f == f && o->recursive) {
			call_again(x, w, in, o);
			return;
		}
	struct work *n = enter_function(x, w, f, in);
	if (!n)
		return;
	if (n->recursive)
		call_enter(x, n);
	inline_arguments(x, w, in, n, false);
	if (n->recursive)
		call_begin(x, n);
	copy_func(x, n);
	if (n->recursive && !x->bad)
		call_leave(x, n);
	inline_results(x, w, in, n, false);
	vec_free(&n->slot);
}

static void copy_call(struct inliner *x, struct work *w, const struct inst *in)
{
	const struct call *c = &w->f->calls.v[in->imm];
	size_t skip = in->guard == NO_REG ? 0 : skip_unless(x, in, w->base) + 1;
	if (c->func)
		inline_call(x, w, in, inline_defined(c->func));
	else
		call_indirect(x, w, in);
	if (skip)
		x->out->code.v[skip - 1].target = (uint32_t)x->out->code.n;
}

/* The address of a variable of the stack's frame. */
static struct opnd frame_address(struct inliner *x, const struct slot *s, const struct opnd *o,
				 unsigned type)
{
	bool wide = type_bits(type) == 64;
	uint32_t t = inline_reg(x, T_U32), d = wide ? inline_reg(x, T_U64) : t;
	inline_put(x, OP_ADD, T_U32, 1, 2,
		   (struct opnd[]){opnd_reg(t, T_U32), opnd_reg(x->sp, T_U32),
				   opnd_imm(s->at + (uint64_t)o->imm, T_U32)});
	if (wide)
		inline_put(x, OP_CVT, T_U64, 1, 1,
			   (struct opnd[]){opnd_reg(d, T_U64), opnd_reg(t, T_U32)})
			->stype = T_U32;
	return opnd_reg(d, wide ? T_U64 : T_U32);
}

struct opnd inline_opnd(struct inliner *x, struct work *w, const struct opnd *o)
{
	struct opnd n = *o;
	bool is_reg = o->kind == OPND_REG || o->kind == OPND_PRED || o->kind == OPND_MEM;
	if (o->kind == OPND_FUNC)
		return opnd_imm(call_address(o->sym), o->type);
	if (is_reg && o->reg != NO_REG)
		n.reg = o->reg + w->base;
	if ((o->kind == OPND_MEM || o->kind == OPND_SYM) && o->sym) {
		const struct var *v = o->sym;
		if (v->space == SP_FRAME || (v->space == SP_LOCAL && v->owner)) {
			struct slot s = *inline_slot(x, w, v);
			if (s.reg != NO_REG)
				return n;
			if (!s.copy && o->kind == OPND_MEM)
				return opnd_local(x->sp, s.at + o->imm, o->type);
			if (!s.copy)
				return frame_address(x, &s, o, o->type);
			n.sym = s.copy;
		}
	}
	return n;
}

/* to = from, of a type of 8 bits or more, extended to the given number of bytes. */
static void put_extension(struct inliner *x, uint32_t to, struct opnd from, unsigned type,
			  unsigned bytes)
{
	bool sg = type_is_signed(type);
	unsigned as = bytes == 8 ? (sg ? T_S64 : T_U64) : (sg ? T_S32 : T_U32);
	inline_put(x, OP_CVT, as, 1, 1, (struct opnd[]){opnd_reg(to, as), from})->stype =
		(uint8_t)type;
}

const char *back_routine_for(const struct inst *in, unsigned sm, unsigned without,
			     char name[ROUTINE_NAME])
{
	const char *own = sm < 20 ? tesla_routine(in) : NULL;
	bool divide = !(without & FUSE_DIVIDE) && expand_divide(in, sm, NULL);
	if (back_routine_atom(in, sm, name) || (divide && back_expands(in, sm, name)))
		return name;
	if (sm >= 70 && in->op == OP_SQRT && in->type == T_F32 && in->mods & M_APPROX)
		return NULL; /* MUFU.SQRT */
	if (sm >= 70 && sm90_has_quotient(in))
		return NULL;
	own = own ? own : back_routine(in);
	return own ? own : back_expands(in, sm, name) ? name : NULL;
}

/* Computes the address of a memory operand in a register of 64 bits. */
static void put_address(struct inliner *x, uint32_t to, struct opnd o)
{
	bool wide = o.sym || o.reg == NO_REG || type_bits(x->out->regs.v[o.reg].type) == 64;
	struct opnd base = o.sym ? (struct opnd){.kind = OPND_SYM, .type = T_U64, .sym = o.sym}
			   : o.reg == NO_REG ? opnd_imm(0, T_U64)
					     : opnd_reg(o.reg, wide ? T_U64 : T_U32);
	if (wide)
		put_move(x, to, base, T_U64);
	else
		put_extension(x, to, base, T_U32, 8);
	if (o.imm)
		inline_put(x, OP_ADD, T_U64, 1, 2,
			   (struct opnd[]){opnd_reg(to, T_U64), opnd_reg(to, T_U64),
					   opnd_imm((uint64_t)o.imm, T_U64)});
}

/* Writes a predicate as 0 or 1. */
static void put_truth(struct inliner *x, uint32_t to, struct opnd p)
{
	bool not = p.mod & OPND_NOT;
	p.mod = 0;
	inline_put(x, OP_SELP, T_B32, 1, 3,
		   (struct opnd[]){opnd_reg(to, T_B32), opnd_imm(!not, T_B32), opnd_imm(not, T_B32),
				   p});
}

/* Copies the routine's result in r to the result d of `in`. */
static void put_result(struct inliner *x, const struct inst *in, struct opnd d, uint32_t r,
		       unsigned type)
{
	if (d.kind == OPND_PRED)
		inline_put(x, OP_SETP, T_U32, 1, 2,
			   (struct opnd[]){d, opnd_reg(r, T_U32), opnd_imm(0, T_U32)})
			->cmp = CMP_NE;
	else if (in->op == OP_CVT && d.kind == OPND_REG && !type_is_float(in->type))
		put_extension(x, d.reg, opnd_reg(r, type), in->type,
			      type_bytes(x->out->regs.v[d.reg].type));
	else if (d.kind == OPND_REG)
		put_move(x, d.reg, opnd_reg(r, type), type);
}

enum fence_side { FENCE_BEFORE, FENCE_AFTER };

/* Emits the fences of an atomic with a memory order that a routine of relaxed instructions
 * replaces: before the routine if the atomic releases, after it if the atomic acquires. */
static void put_order(struct inliner *x, const struct inst *in, enum fence_side side)
{
	unsigned one_way = side == FENCE_BEFORE ? SEM_RELEASE : SEM_ACQUIRE;
	if (x->target->sm < 70 || !inst_is_atomic(in) ||
	    (in->sem != one_way && in->sem != SEM_ACQ_REL))
		return;
	struct inst *n = inline_put(x, OP_MEMBAR, 0, 0, 0, NULL);
	n->sem = SEM_ACQ_REL;
	n->scope = in->scope;
}

/* Replaces an instruction by its routine, whose first parameters are the instruction's sources. */
static bool copy_routine(struct inliner *x, struct work *w, const struct inst *in)
{
	char room[ROUTINE_NAME];
	const char *name = back_routine_for(in, x->target->sm, x->without, room);
	if (!name)
		return false;
	struct symbol *y = map_get(&x->lib->symbols, name);
	struct work *n = enter_function(x, w, y ? y->func : NULL, in);
	if (!n)
		return true;
	const struct proto *pr = &n->f->proto;
	size_t skip = in->guard == NO_REG ? 0 : skip_unless(x, in, w->base) + 1;
	put_order(x, in, FENCE_BEFORE);
	bool rcp = in->op == OP_RCP && pr->nparam == 2,
	     made = name == room && back_expands(in, x->target->sm, room);
	bool other = in->op == OP_CVT || in->op == OP_TESTP; /* the type of the source, which
	                                                      * differs from the result's */
	unsigned from = other ? in->stype : in->type;
	for (unsigned i = 0; i < pr->nparam; i++) {
		uint32_t r = inline_slot(x, n, pr->param[i])->reg;
		struct opnd o;
		if (rcp && !i)
			o = (struct opnd){.kind = OPND_IMM,
					  .type = in->type,
					  .imm = in->type == T_F64 ? 0x3ff0000000000000
								   : 0x3f800000};
		else
			o = inline_opnd(x, w, inst_src(in, rcp ? i - 1 : i));
		unsigned bits = pr->param[i]->size == 8 ? T_B64 : T_B32;
		if (o.kind == OPND_MEM)
			put_address(x, r, o);
		else if (o.kind == OPND_PRED)
			put_truth(x, r, o);
		else if (made)
			put_move(x, r, o, bits); /* the routine takes the significant bits */
		else if (type_bits(from) < 32 || (in->op == OP_CVT && type_bits(from) == 32))
			put_extension(x, r, o, from, pr->param[i]->size); /* as one or two words */
		else
			put_move(x, r, o, bits);
	}
	copy_func(x, n);
	for (unsigned i = 0; i < in->nd; i++) {
		const struct var *ret = pr->ret[in->op == OP_REM && !made ? 1 : i];
		put_result(x, in, inline_opnd(x, w, inst_dst(in, i)), inline_slot(x, n, ret)->reg,
			   ret->size == 8 ? T_B64 : T_B32);
	}
	put_order(x, in, FENCE_AFTER);
	vec_free(&n->slot);
	if (skip)
		x->out->code.v[skip - 1].target = (uint32_t)x->out->code.n;
	return true;
}

/* Replaces an access to a parameter that is a register by a copy. */
static bool copy_access(struct inliner *x, struct work *w, const struct inst *in)
{
	if (in->op != OP_LD && in->op != OP_ST)
		return false;
	const struct opnd *o = inst_src(in, 0);
	const struct var *v = o->kind == OPND_MEM ? o->sym : NULL;
	if (!v || v->space != SP_FRAME)
		return false;
	struct slot *s = inline_slot(x, w, v);
	if (s->reg == NO_REG)
		return false;
	uint32_t reg = s->reg;
	struct opnd other = inline_opnd(x, w, in->op == OP_LD ? inst_dst(in, 0) : inst_src(in, 1));
	unsigned type = v->size == 8 ? T_B64 : T_B32;
	struct inst *n;
	if (in->op == OP_ST) {
		n = inline_put(x, OP_MOV, type, 1, 1, (struct opnd[]){opnd_reg(reg, type), other});
	} else if ((v->size < 4 && x->out->regs.v[other.reg].type != T_B8) ||
		   v->size < type_bytes(x->out->regs.v[other.reg].type)) { /* extended as its type
		                                                            * says */
		static const uint8_t of[2][3] = {{T_U8, T_U16, T_U32}, {T_S8, T_S16, T_S32}};
		put_extension(x, other.reg, opnd_reg(reg, T_B32),
			      of[type_is_signed(in->type)][v->size == 4 ? 2 : v->size - 1],
			      type_bytes(x->out->regs.v[other.reg].type));
		n = &x->out->code.v[x->out->code.n - 1];
	} else {
		n = inline_put(x, OP_MOV, type, 1, 1, (struct opnd[]){other, opnd_reg(reg, type)});
	}
	n->guard = in->guard == NO_REG ? NO_REG : in->guard + w->base;
	n->guard_neg = in->guard_neg;
	return true;
}

static void copy_plain(struct inliner *x, struct work *w, const struct inst *in)
{
	struct inst n = *in;
	n.opnd = ARENA_ARRAY(x->a, struct opnd, in->nd + in->ns + 1);
	for (unsigned k = 0; k < in->nd + in->ns; k++)
		n.opnd[k] = inline_opnd(x, w, &in->opnd[k]);
	const struct opnd *m = in->nd < in->nd + in->ns ? &in->opnd[in->nd] : NULL;
	if (m && m->kind == OPND_MEM && m->sym && !n.opnd[in->nd].sym && n.space == SP_NONE)
		n.space = SP_LOCAL; /* the variable determined the space */
	if (in->guard != NO_REG)
		n.guard = in->guard + w->base;
	if (in->op == OP_BRX) {
		const struct targets *t = &w->f->targets.v[in->imm];
		struct targets c = {t->n, ARENA_ARRAY(x->a, uint32_t, t->n + 1)};
		memcpy(c.pc, t->pc, t->n * sizeof *t->pc);
		n.imm = x->out->targets.n;
		vec_push(&x->out->targets, c);
	}
	vec_push(&x->out->code, n);
}

static void copy_inst(struct inliner *x, struct work *w, const struct inst *in)
{
	if (in->op == OP_CALL) {
		copy_call(x, w, in);
	} else if (in->op == OP_RET && w->outer) { /* continues after the call */
		struct inst *b = inline_put(x, OP_BRA, T_NONE, 0, 0, NULL);
		b->guard = in->guard == NO_REG ? NO_REG : in->guard + w->base;
		b->guard_neg = in->guard_neg;
		b->target = (uint32_t)w->f->code.n;
	} else if (!copy_access(x, w, in) && !copy_routine(x, w, in)) {
		copy_plain(x, w, in);
	}
}

/* Gives new code, and library code (foreign), the source line of the instruction that it
 * implements. */
static void set_places(struct inliner *x, size_t from, bool foreign)
{
	for (size_t i = from; i < x->out->code.n; i++) {
		struct inst *in = &x->out->code.v[i];
		if (foreign)
			in->line = x->like->line;
		if (foreign || !in->src_file) {
			in->src_file = x->like->src_file;
			in->src_line = x->like->src_line;
			in->src_col = x->like->src_col;
		}
	}
}

/* Branch targets are the callee's indices until all of its code has been copied. */
static void copy_func(struct inliner *x, struct work *w)
{
	const struct func *f = w->f;
	const struct inst *was = x->like;
	VEC(uint32_t) branch = {0};
	VEC(uint32_t) table = {0};
	w->at = xmalloc((f->code.n + 1) * sizeof *w->at);
	x->depth++;
	for (size_t i = 0; i < f->code.n && !x->bad; i++) {
		const struct inst *in = &f->code.v[i];
		if (!w->outer || f->module == x->out->module)
			x->like = in;
		w->pc = (uint32_t)i;
		w->at[i] = (uint32_t)x->out->code.n;
		size_t before = x->out->code.n;
		copy_inst(x, w, in);
		set_places(x, before, x->like != in);
		if ((in->op == OP_BRA || (in->op == OP_RET && w->outer)) &&
		    x->out->code.n == before + 1)
			vec_push(&branch, (uint32_t)before);
		if (in->op == OP_BRX)
			vec_push(&table, (uint32_t)x->out->code.v[before].imm);
	}
	w->at[f->code.n] = (uint32_t)x->out->code.n;
	for (size_t i = 0; i < branch.n && !x->bad; i++) {
		struct inst *b = &x->out->code.v[branch.v[i]];
		b->target = w->at[b->target];
	}
	for (size_t i = 0; i < table.n && !x->bad; i++) {
		struct targets *t = &x->out->targets.v[table.v[i]];
		for (uint32_t k = 0; k < t->n; k++)
			t->pc[k] = w->at[t->pc[k]];
	}
	x->depth--;
	x->like = was;
	vec_free(&branch);
	vec_free(&table);
	free(w->at);
}

struct func *back_inline(struct module *m, struct module *lib, const struct mtarget *target,
			 unsigned without, const struct func *f, struct arena *a, struct diag *d)
{
	struct func *out = ARENA_NEW(a, struct func);
	struct inliner x = {.m = m, .lib = lib, .target = target, .out = out, .a = a, .d = d};
	x.without = without;
	struct work w = {.f = f};
	static const struct inst none = {.text = ""};
	x.like = &none;
	x.sp = NO_REG;
	x.recursive = ARENA_ARRAY(a, uint8_t, m->funcs.n + 1);
	memset(x.recursive, 0, m->funcs.n + 1);
	*out = *f;
	memset(&out->regs, 0, sizeof out->regs);
	memset(&out->code, 0, sizeof out->code);
	memset(&out->targets, 0, sizeof out->targets);
	memset(&out->calls, 0, sizeof out->calls); /* calls of builtins have entries of their own */
	out->frame_bytes = m->local_bytes;
	out->module = m;
	for (uint32_t r = 0; r < f->regs.n; r++)
		vec_push(&out->regs, f->regs.v[r]);
	copy_func(&x, &w);
	vec_free(&w.slot);
	call_finish(&x);
	if (!x.bad)
		return out;
	back_func_free(out);
	return NULL;
}

void back_func_free(struct func *f)
{
	vec_free(&f->regs);
	vec_free(&f->code);
	vec_free(&f->targets);
}
