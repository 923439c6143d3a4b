/* A kernel without calls: each is replaced by a copy of what it calls, and so are instructions that
 * routines stand for (lib.c). Parameters and results that are read and written whole become registers. */
#include <stdlib.h>
#include <string.h>
#include "back/sel.h"
#include "front/ptx/ptx.h"

enum { NESTING = 32, LIMIT = 1 << 20 };

struct slot { /* a variable of a function at work: a register, or one of the new frame */
	const struct var *var;
	uint32_t reg;
	struct var *copy;
};

struct work { /* a function being copied */
	const struct func *f;
	uint32_t base; /* its registers begin here */
	VEC(struct slot) slot;
	uint32_t *at; /* where its instructions have gone */
	struct work *outer;
};

struct inliner {
	struct module *m, *lib;
	const struct mtarget *target;
	struct func *out;
	struct arena *a;
	struct diag *d;
	const struct inst *like; /* whose line new instructions have */
	unsigned depth;
	bool bad;
};

static void refuse(struct inliner *x, const struct func *f, const struct inst *in, const char *why)
{
	struct srcloc at = {f->text_name, f->text, f->text_end, in->line, in->col};
	if (!x->bad)
		diag_at(x->d, DIAG_ERROR, &at, "%s code cannot have this call: %s", x->target->name,
			why);
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

/* Is the variable used as one value only? */
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

static uint32_t new_reg(struct inliner *x, unsigned type)
{
	vec_push(&x->out->regs, (struct reg){"%inline", (uint8_t)type});
	return (uint32_t)x->out->regs.n - 1;
}

static struct slot *slot_of(struct inliner *x, struct work *w, const struct var *v)
{
	for (size_t i = 0; i < w->slot.n; i++)
		if (w->slot.v[i].var == v)
			return &w->slot.v[i];
	struct slot s = {.var = v, .reg = NO_REG};
	if (v->space == SP_FRAME && is_value(w->f, v)) {
		s.reg = new_reg(x, v->size == 8 ? T_B64 : T_B32);
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

static struct opnd reg_opnd(uint32_t reg, unsigned type)
{
	return (struct opnd){.kind = OPND_REG, .type = (uint8_t)type, .reg = reg};
}

static struct inst *put(struct inliner *x, unsigned op, unsigned type, unsigned nd, unsigned ns,
			const struct opnd *o)
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
			  .line = x->like->line,
			  .col = x->like->col,
			  .text = x->like->text};
	in.opnd = ARENA_ARRAY(x->a, struct opnd, nd + ns + 1);
	if (nd + ns)
		memcpy(in.opnd, o, (nd + ns) * sizeof *o);
	vec_push(&x->out->code, in);
	return &x->out->code.v[x->out->code.n - 1];
}

static void move(struct inliner *x, uint32_t to, struct opnd from, unsigned type)
{
	put(x, OP_MOV, type, 1, 1, (struct opnd[]){reg_opnd(to, type), from});
}

static struct opnd at_var(const struct slot *s, int64_t off, unsigned type)
{
	return (struct opnd){
		.kind = OPND_MEM, .type = (uint8_t)type, .reg = NO_REG, .sym = s->copy, .imm = off};
}

/* The value of a variable of one function becomes that of another's. */
static void pass(struct inliner *x, struct work *from, const struct var *a, struct work *to,
		 const struct var *b)
{
	uint32_t ra = slot_of(x, from, a)->reg;
	uint32_t rb = slot_of(x, to, b)->reg;
	struct slot *sa = slot_of(x, from, a), *sb = slot_of(x, to, b);
	unsigned type = b->size == 8 ? T_B64 : T_B32;
	if (ra != NO_REG && rb != NO_REG) {
		move(x, rb, reg_opnd(ra, type), type);
		return;
	}
	if (ra != NO_REG) {
		put(x, OP_ST, type, 0, 2, (struct opnd[]){at_var(sb, 0, type), reg_opnd(ra, type)})
			->space = SP_LOCAL;
		return;
	}
	if (rb != NO_REG) {
		put(x, OP_LD, type, 1, 1, (struct opnd[]){reg_opnd(rb, type), at_var(sa, 0, type)})
			->space = SP_LOCAL;
		return;
	}
	uint32_t t = new_reg(x, T_B32);
	uint64_t n = a->size < b->size ? a->size : b->size;
	for (uint64_t o = 0; o < n; o += 4) {
		put(x, OP_LD, T_B32, 1, 1,
		    (struct opnd[]){reg_opnd(t, T_B32), at_var(sa, (int64_t)o, T_B32)})
			->space = SP_LOCAL;
		put(x, OP_ST, T_B32, 0, 2,
		    (struct opnd[]){at_var(sb, (int64_t)o, T_B32), reg_opnd(t, T_B32)})
			->space = SP_LOCAL;
	}
}

/* ---- copying ---- */

static void copy_func(struct inliner *x, struct work *w);

/* Over what follows where the guard does not hold; patched to the end. */
static size_t skip_unless(struct inliner *x, const struct inst *in, uint32_t base)
{
	struct inst *b = put(x, OP_BRA, T_NONE, 0, 0, NULL);
	b->guard = in->guard + base;
	b->guard_neg = !in->guard_neg;
	return x->out->code.n - 1;
}

static const struct func *defined(const struct func *f)
{
	while (f && (f->def || f->alias) && (f->def ? f->def : f->alias) != f)
		f = f->def ? f->def : f->alias;
	return f;
}

static struct work *enter(struct inliner *x, struct work *w, const struct func *f,
			  const struct inst *in)
{
	const char *why =
		!f || !f->defined ? "it is not direct, or to a function of the simulator" : NULL;
	for (struct work *o = w; o && f; o = o->outer)
		if (o->f == f)
			why = "it is recursive";
	if (x->depth >= NESTING || x->out->code.n > LIMIT)
		why = "too deep";
	if (why) {
		refuse(x, w->f, in, why);
		return NULL;
	}
	struct work *n = ARENA_NEW(x->a, struct work);
	*n = (struct work){.f = f, .outer = w, .base = (uint32_t)x->out->regs.n};
	for (uint32_t r = 0; r < f->regs.n; r++)
		vec_push(&x->out->regs, f->regs.v[r]);
	return n;
}

static void copy_call(struct inliner *x, struct work *w, const struct inst *in)
{
	const struct call *c = &w->f->calls.v[in->imm];
	const struct func *f = defined(c->func);
	struct work *n = enter(x, w, f, in);
	if (!n)
		return;
	size_t skip = in->guard == NO_REG ? 0 : skip_unless(x, in, w->base) + 1;
	const struct opnd *arg = in->opnd + in->nd + (c->func ? 0 : 1);
	for (uint32_t i = 0; i < c->narg && i < f->proto.nparam; i++)
		if (arg[i].kind == OPND_PVAR)
			pass(x, w, arg[i].sym, n, f->proto.param[i]);
	copy_func(x, n);
	for (uint32_t i = 0; i < c->nret && i < f->proto.nret; i++)
		if (in->opnd[i].kind == OPND_PVAR)
			pass(x, n, f->proto.ret[i], w, in->opnd[i].sym);
	vec_free(&n->slot);
	if (skip)
		x->out->code.v[skip - 1].target = (uint32_t)x->out->code.n;
}

static struct opnd moved(struct inliner *x, struct work *w, const struct opnd *o)
{
	struct opnd n = *o;
	bool is_reg = o->kind == OPND_REG || o->kind == OPND_PRED || o->kind == OPND_MEM;
	if (is_reg && o->reg != NO_REG)
		n.reg = o->reg + w->base;
	if ((o->kind == OPND_MEM || o->kind == OPND_SYM) && o->sym) {
		const struct var *v = o->sym;
		if (v->space == SP_FRAME || (v->space == SP_LOCAL && v->owner)) {
			struct slot *s = slot_of(x, w, v);
			if (s->reg == NO_REG)
				n.sym = s->copy;
		}
	}
	return n;
}

/* An instruction that a routine stands for: its sources are the routine's first parameters. */
static bool copy_routine(struct inliner *x, struct work *w, const struct inst *in)
{
	const char *name = x->target->sm < 20 ? tesla_routine(in) : NULL;
	if (!name)
		name = back_routine(in);
	if (!name)
		return false;
	struct symbol *y = map_get(&x->lib->symbols, name);
	struct work *n = enter(x, w, y ? y->func : NULL, in);
	if (!n)
		return true;
	const struct proto *pr = &n->f->proto;
	size_t skip = in->guard == NO_REG ? 0 : skip_unless(x, in, w->base) + 1;
	bool rcp = in->op == OP_RCP && pr->nparam == 2, narrow = type_bits(in->type) < 32;
	for (unsigned i = 0; i < pr->nparam; i++) {
		uint32_t r = slot_of(x, n, pr->param[i])->reg;
		struct opnd o;
		if (rcp && !i)
			o = (struct opnd){.kind = OPND_IMM,
					  .type = in->type,
					  .imm = in->type == T_F64 ? 0x3ff0000000000000
								   : 0x3f800000};
		else
			o = moved(x, w, inst_src(in, rcp ? i - 1 : i));
		unsigned bits = pr->param[i]->size == 8 ? T_B64 : T_B32;
		if (narrow) /* as a word */
			put(x, OP_CVT, type_is_signed(in->type) ? T_S32 : T_U32, 1, 1,
			    (struct opnd[]){reg_opnd(r, T_B32), o})
				->stype = in->type;
		else
			move(x, r, o, bits);
	}
	copy_func(x, n);
	uint32_t r = slot_of(x, n, pr->ret[in->op == OP_REM])->reg;
	unsigned type = type_bits(in->type) == 64 ? T_B64 : T_B32;
	struct opnd d = moved(x, w, inst_dst(in, 0));
	if (d.kind == OPND_REG)
		move(x, d.reg, reg_opnd(r, type), type);
	vec_free(&n->slot);
	if (skip)
		x->out->code.v[skip - 1].target = (uint32_t)x->out->code.n;
	return true;
}

/* A parameter that is a register: the access is a copy. */
static bool copy_access(struct inliner *x, struct work *w, const struct inst *in)
{
	if (in->op != OP_LD && in->op != OP_ST)
		return false;
	const struct opnd *o = inst_src(in, 0);
	const struct var *v = o->kind == OPND_MEM ? o->sym : NULL;
	if (!v || v->space != SP_FRAME)
		return false;
	struct slot *s = slot_of(x, w, v);
	if (s->reg == NO_REG)
		return false;
	uint32_t reg = s->reg;
	struct opnd other = moved(x, w, in->op == OP_LD ? inst_dst(in, 0) : inst_src(in, 1));
	unsigned type = v->size == 8 ? T_B64 : T_B32;
	struct inst *n;
	if (in->op == OP_ST) {
		n = put(x, OP_MOV, type, 1, 1, (struct opnd[]){reg_opnd(reg, type), other});
	} else if (v->size < 4 &&
		   x->out->regs.v[other.reg].type != T_B8) { /* extended by its type */
		n = put(x, OP_CVT, type_is_signed(in->type) ? T_S32 : T_U32, 1, 1,
			(struct opnd[]){other, reg_opnd(reg, T_B32)});
		n->stype = type_bits(in->type) == 8 ? (type_is_signed(in->type) ? T_S8 : T_U8)
						    : (type_is_signed(in->type) ? T_S16 : T_U16);
	} else {
		n = put(x, OP_MOV, type, 1, 1, (struct opnd[]){other, reg_opnd(reg, type)});
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
		n.opnd[k] = moved(x, w, &in->opnd[k]);
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
	} else if (in->op == OP_RET && w->outer) { /* on behind the call */
		struct inst *b = put(x, OP_BRA, T_NONE, 0, 0, NULL);
		b->guard = in->guard == NO_REG ? NO_REG : in->guard + w->base;
		b->guard_neg = in->guard_neg;
		b->target = (uint32_t)w->f->code.n;
	} else if (!copy_access(x, w, in) && !copy_routine(x, w, in)) {
		copy_plain(x, w, in);
	}
}

/* New code, and a library's (foreign), stands where the instruction stood that it is made for. */
static void set_places(struct inliner *x, size_t from, bool foreign)
{
	for (size_t i = from; i < x->out->code.n; i++) {
		struct inst *in = &x->out->code.v[i];
		if (foreign)
			in->line = x->like->line;
		if (foreign || !in->src_file) {
			in->src_file = x->like->src_file;
			in->src_line = x->like->src_line;
		}
	}
}

/* Targets are the callee's until its code is there. */
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
			 const struct func *f, struct arena *a, struct diag *d)
{
	struct func *out = ARENA_NEW(a, struct func);
	struct inliner x = {.m = m, .lib = lib, .target = target, .out = out, .a = a, .d = d};
	struct work w = {.f = f};
	static const struct inst none = {.text = ""};
	x.like = &none;
	*out = *f;
	memset(&out->regs, 0, sizeof out->regs);
	memset(&out->code, 0, sizeof out->code);
	memset(&out->targets, 0, sizeof out->targets);
	out->frame_bytes = m->local_bytes;
	out->module = m;
	for (uint32_t r = 0; r < f->regs.n; r++)
		vec_push(&out->regs, f->regs.v[r]);
	copy_func(&x, &w);
	vec_free(&w.slot);
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
