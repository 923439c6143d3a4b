/* Lowering: a function's decoded instructions to uops. Registers become rows, immediates and
 * parameters become constant rows, symbols become addresses, and each uop is bound to the function
 * that runs it. */
#include "kernel/image.h"

#include "exec/memory/access.h"
#include "exec/async/async.h"
#include "check/check.h"
#include "exec/dispatch.h"
#include "kernel/call.h"
#include "kernel/fixed.h"
#include "pass/brief.h"
#include "pass/pass.h"

struct fctx {
	struct lower *l;
	struct image_func *f;
	const struct pass_info *p;
	/* per register: constant rows if it is fixed, else SINK; NULL: no register is fixed */
	int32_t *fixed;
};

static void report_refused(const struct func *f, const struct inst *in, struct diag *d,
			   const char *why)
{
	struct srcloc at = {.file = f->text_name,
			    .text = f->text,
			    .end = f->text_end,
			    .line = in->line,
			    .col = in->col};
	diag_at(d, DIAG_ERROR, &at, "instruction %s is not supported: %s",
		in->text ? in->text : op_info[in->op].name, why);
}

/* ---- constants ---- */

/* Allocates rows for `n` words whose values are known or are given at launch. */
static int32_t new_rows(struct lower *l, const uint32_t *words, unsigned n)
{
	int32_t at = (int32_t)l->const_value.n * ROW | BASE_CONST;
	for (unsigned k = 0; k < n; k++)
		vec_push(&l->const_value, words ? words[k] : 0);
	return at;
}

int32_t lower_const(struct lower *l, uint64_t value)
{
	uint64_t at;
	char key[20];
	snprintf(key, sizeof key, "%016llx", (unsigned long long)value);
	if (map_find(&l->consts, key, &at))
		return (int32_t)at;
	uint32_t w[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
	int32_t o = new_rows(l, w, 2);
	map_put_num(&l->consts, arena_strdup(&l->img->arena, key), (uint32_t)o);
	return o;
}

/* An address of shared memory: blocks of a cluster other than the first add their rank. */
static int32_t lower_shared(struct lower *l, uint64_t value)
{
	uint64_t at;
	char key[20];
	snprintf(key, sizeof key, "s%08x", (uint32_t)value);
	if (map_find(&l->consts, key, &at))
		return (int32_t)at;
	uint32_t w[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
	int32_t o = new_rows(l, w, 2);
	vec_push(&l->shared_rows, (uint32_t)(o / ROW));
	map_put_num(&l->consts, arena_strdup(&l->img->arena, key), (uint32_t)o);
	return o;
}

/* ---- addresses ---- */

static const struct var *var_def(const void *sym)
{
	const struct var *v = sym;
	return v->def ? v->def : v;
}

static bool in_frame(const struct var *v) { return v->space == SP_LOCAL || v->space == SP_FRAME; }

/* Byte offset of a variable in the frame. In checked images the offset includes one gap per .local
 * variable before it. */
static uint64_t frame_address(const struct image_func *f, const struct var *v)
{
	uint64_t at = v->addr;
	for (uint32_t i = 0; i < f->nlocal && (v->owner || v->space == SP_FRAME); i++)
		if (f->local[i].at + f->local[i].size <= at)
			at += VAR_GAP;
	return at;
}

static uint64_t var_address(const struct fctx *c, const struct var *v)
{
	return v->space == SP_SHARED ? c->l->shared_at[v->index]
	       : in_frame(v)         ? frame_address(c->f, v)
				     : v->addr;
}

static int32_t row_of(const struct fctx *c, uint32_t reg)
{
	if (c->fixed && c->fixed[reg] != SINK)
		return c->fixed[reg];
	int32_t r = c->p->rows.row[reg];
	return r < 0 ? SINK : r * ROW | BASE_REG;
}

static int32_t lower_opnd(const struct fctx *c, const struct opnd *o)
{
	switch (o->kind) {
	case OPND_REG: return row_of(c, o->reg);
	case OPND_PRED: return c->p->rows.row[o->reg];
	case OPND_IMM: return lower_const(c->l, (uint64_t)o->imm);
	case OPND_MEM: return o->reg == NO_REG ? SINK : row_of(c, o->reg);
	case OPND_SYM: {
		const struct var *v = var_def(o->sym);
		uint64_t at = var_address(c, v) + (uint64_t)o->imm;
		return v->space == SP_SHARED ? lower_shared(c->l, at) : lower_const(c->l, at);
	}
	case OPND_FUNC: {
		const struct func *f = o->sym;
		f = f->def ? f->def : f;
		return lower_const(c->l, FUNC_BASE + (uint64_t)f->index * FUNC_STEP);
	}
	default: return SINK;
	}
}

/* Fills a, offset, aux, target of a memory operand. */
static void lower_mem(const struct fctx *c, const struct opnd *o, unsigned space, struct uop *u)
{
	const struct func *f = c->f->f;
	u->aux = (uint8_t)(space == SP_FRAME ? SP_LOCAL : space == SP_NONE ? SP_GENERIC : space);
	u->offset = (uint64_t)o->imm;
	u->a = o->reg == NO_REG ? SINK : row_of(c, o->reg);
	/* an address of shared memory has 32 bits, whatever the register: sums wrap there */
	bool wide = o->reg != NO_REG && (type_rows(f->regs.v[o->reg].type) == 2 ||
					 (c->l->img->converges && type_rows(o->type) == 2));
	if (wide && space != SP_SHARED)
		u->aux |= AUX_A64;
	if (o->sym) {
		const struct var *v = var_def(o->sym);
		u->offset += var_address(c, v);
		if (in_frame(v))
			u->aux |= AUX_FRAME;
	}
	u->target = c->l->img->nwindows++;
	if (space == SP_SHARED && u->in && (u->in->mods & M_CLUSTER) && !inst_is(u->in, OF_PARTS))
		u->aux |= AUX_CLUSTER;
}

/* Lowers one part of an operation with several addresses. */
static void lower_part(const struct fctx *c, const struct inst *in, const struct inst_part *p,
		       struct uop *u)
{
	if (p->source == NO_OPERAND) { /* the executor supplies this part's address */
		u->a = SINK;
		u->offset = 0;
		u->aux = p->space;
		u->target = c->l->img->nwindows++;
		return;
	}
	lower_mem(c, inst_src(in, p->source), p->space, u);
	if (p->elsewhere && (in->mods & M_CLUSTER))
		u->aux |= AUX_CLUSTER;
}

static void lower_parts(const struct fctx *c, const struct inst *in, struct uop *u)
{
	struct async_copy *ac = ARENA_NEW(&c->l->img->arena, struct async_copy);
	struct inst_part p[PART_COUNT];
	for (unsigned k = 0; k < PART_COUNT; k++)
		ac->part[k] = *u;
	for (unsigned k = 0, n = inst_parts(in, p); k < n; k++) {
		lower_part(c, in, &p[k], &ac->part[p[k].part]);
		if (p[k].timed)
			ac->timed = &ac->part[p[k].part];
	}
	u->copy = ac;
}

static bool has_mem(const struct inst *in)
{
	return in->ns && inst_src(in, 0)->kind == OPND_MEM && !inst_is(in, OF_PARTS);
}

/* ---- parameters that are rows ---- */

static bool exact_rows(const struct inst *in)
{
	unsigned es = type_bytes(in->type);
	for (unsigned k = 0; k < in->nd; k++)
		if (in->opnd[k].kind != OPND_REG || type_rows(in->opnd[k].type) != (es + 3) / 4)
			return false;
	return es <= 8;
}

/* Lowers ld.param of a kernel at a constant offset: constant rows filled at launch. */
static bool lower_ld_param(const struct fctx *c, const struct inst *in, struct uop *u)
{
	const struct opnd *m = inst_src(in, 0);
	unsigned es = type_bytes(in->type), words = (es + 3) / 4 * in->nd;
	uint64_t at = u->offset, n = (uint64_t)es * in->nd;
	if (m->reg != NO_REG || !exact_rows(in) || at + n > c->f->f->param_bytes || at % es ||
	    words > 8)
		return false;
	u->a = new_rows(c->l, NULL, words);
	for (unsigned k = 0; k < words; k++) {
		unsigned size = es < 4 ? es : 4;
		vec_push(&c->l->params, (struct param_row){.row = (uint32_t)(u->a / ROW) + k,
							   .offset = (uint32_t)at + k * size,
							   .size = (uint8_t)size,
							   .sext = type_is_signed(in->type)});
	}
	return exec_ops()->ld_rows(in, u);
}

/* Lowers ld.param and st.param of frame variables at constant, aligned offsets: moves of rows. */
static bool lower_frame_access(const struct fctx *c, const struct inst *in, struct uop *u)
{
	const struct opnd *m = inst_src(in, 0);
	unsigned es = type_bytes(in->type);
	if (m->reg != NO_REG || !m->sym || (es != 4 && es != 8) || u->offset % es ||
	    u->offset > (1u << 26))
		return false;
	bool store = inst_is(in, OF_STORE);
	unsigned n = store ? in->ns - 1u : in->nd;
	if (u->offset + (uint64_t)es * n > c->f->frame_bytes || (!store && !exact_rows(in)))
		return false;
	u->a = (int32_t)(u->offset / 4 * ROW) | BASE_FRAME;
	return store ? exec_ops()->st_rows(in, u) : exec_ops()->ld_rows(in, u);
}

/* ---- calls ---- */

/* The offset of a prototype's result or parameter in the callee's frame: results then parameters,
 * each at its alignment. */
static uint32_t place_formal(uint32_t *at, const struct var *v)
{
	uint32_t align = v->align > FRAME_UNIT ? v->align : FRAME_UNIT;
	*at = (*at + align - 1) & ~(align - 1);
	uint32_t here = *at;
	*at += ((uint32_t)v->size + FRAME_UNIT - 1) & ~(uint32_t)(FRAME_UNIT - 1);
	return here;
}

static struct call_copy lower_copy(const struct fctx *c, const struct opnd *o,
				   const struct var *formal, uint32_t at)
{
	struct call_copy cp = {.at = at, .words = (uint32_t)(formal->size + 3) / 4, .from = SINK};
	if (o->kind == OPND_PVAR || o->kind == OPND_SYM) {
		const struct var *v = var_def(o->sym);
		cp.from = (int32_t)(frame_address(c->f, v) / 4 * ROW) | BASE_FRAME;
		if (formal->unsized) /* variadic: the bytes that this call passes */
			cp.words = (uint32_t)(v->size + 3) / 4;
	} else {
		cp.from = lower_opnd(c, o);
	}
	return cp;
}

static bool lower_call(const struct fctx *c, const struct inst *in, struct uop *u)
{
	struct image *img = c->l->img;
	const struct call *call = &c->f->f->calls.v[in->call];
	const struct func *callee =
		call->func ? (call->func->def ? call->func->def : call->func) : NULL;
	const struct proto *p = callee ? &callee->proto : &call->proto;
	struct call_uop *cu = ARENA_NEW(&img->arena, struct call_uop);
	uint32_t first = callee ? 0 : 1, at = 0;
	bool fewer = p->nparam && p->param[p->nparam - 1]->unsized && in->ns < p->nparam + first;
	uint32_t narg = p->nparam - fewer;
	if (p->nret != in->nd || narg + first != in->ns) {
		report_refused(c->f->f, in, c->l->d, "arguments do not fit the callee");
		return false;
	}
	cu->nret = p->nret;
	cu->narg = narg;
	cu->ret = ARENA_ARRAY(&img->arena, struct call_copy, p->nret + 1);
	cu->arg = ARENA_ARRAY(&img->arena, struct call_copy, p->nparam + 1);
	for (uint32_t k = 0; k < p->nret; k++) {
		uint32_t off = place_formal(&at, p->ret[k]);
		cu->ret[k] = lower_copy(c, inst_dst(in, k), p->ret[k], off);
	}
	for (uint32_t k = 0; k < narg; k++) {
		uint32_t off = place_formal(&at, p->param[k]);
		cu->arg[k] = lower_copy(c, inst_src(in, first + k), p->param[k], off);
	}
	cu->rows = c->f->nrows;
	cu->preds = c->f->npreds;
	cu->lbase = c->f->frame_bytes;
	if (callee && callee->builtin) {
		cu->builtin = callee;
	} else if (callee) {
		cu->callee = &img->funcs[img->func_of[callee->index]];
	} else {
		cu->target = lower_opnd(c, inst_src(in, 0));
		cu->target64 = type_rows(inst_src(in, 0)->type) == 2;
	}
	u->call = cu;
	return true;
}

static void lower_brx(const struct fctx *c, const struct inst *in, struct uop *u)
{
	struct arena *a = &c->l->img->arena;
	const struct targets *t = &c->f->f->targets.v[in->list];
	struct targets *n = ARENA_NEW(a, struct targets);
	n->n = t->n;
	n->pc = ARENA_ARRAY(a, uint32_t, t->n + 1);
	for (uint32_t k = 0; k < t->n; k++)
		n->pc[k] = c->f->start + t->pc[k];
	u->targets = n;
}

/* ---- one instruction ---- */

/* Lowers a move of a frame variable's own address, as a local or a generic one. */
static bool lower_local_address(const struct fctx *c, const struct inst *in, struct uop *u)
{
	const struct opnd *s = inst_src(in, 0);
	if (s->kind != OPND_SYM || !in_frame(var_def(s->sym)))
		return false;
	u->frame_at = frame_address(c->f, var_def(s->sym)) + (uint64_t)s->imm +
		      (inst_is(in, OF_REBASES) ? LOCAL_BASE : 0);
	exec_ops()->local_addr(in, u);
	return true;
}

/* Lowers an access to parameters or to the local frame at a constant address to moves of rows. */
static bool lower_rows(const struct fctx *c, const struct inst *in, struct uop *u)
{
	if (inst_is(in, OF_STORE))
		return in->space == SP_FRAME && lower_frame_access(c, in, u);
	if (in->space == SP_PARAM && lower_ld_param(c, in, u))
		return true;
	return (in->space == SP_FRAME || in->space == SP_PARAM) && lower_frame_access(c, in, u) &&
	       (u->a & 3) == BASE_FRAME;
}

/* Fills in the operation's fields other than its operands. True: u's functions are set as well. */
static bool lower_special(const struct fctx *c, const struct inst *in, struct uop *u)
{
	uint64_t facts = op_info[in->op].facts;
	if (facts & OF_PARTS)
		lower_parts(c, in, u);
	else if (facts & OF_COPIES)
		return lower_local_address(c, in, u);
	else if (facts & (OF_LOAD | OF_STORE))
		return lower_rows(c, in, u);
	else if (facts & OF_GROWS)
		u->target = c->f->frame_bytes;
	else if (inst_reaches_texels(in))
		u->target = c->l->img->nwindows++;
	else if (facts & OF_INDEXED)
		lower_brx(c, in, u);
	else if ((facts & OF_BRANCH) || inst_is_native_flow(in))
		u->target = c->f->start + in->target;
	return false;
}

/* True if u writes a row that only brief registers have, whatever its lanes (pass/brief.h). */
static bool writes_brief(const struct fctx *c, const struct inst *in, const struct uop *u)
{
	const struct rows *r = &c->p->rows;
	return r->nbrief && !u->flags && u->guard < 0 && brief_op(in) &&
	       in->opnd[0].kind == OPND_REG &&
	       r->row[in->opnd[0].reg] >= (int32_t)(r->nrows - r->nbrief);
}

static bool lower_inst(const struct fctx *c, const struct inst *in, struct uop *u)
{
	struct lower *l = c->l;
	unsigned n = in->nd + in->ns;
	bool checked = l->opts->check_race || l->opts->check_init;
	int32_t *v = ARENA_ARRAY(&l->img->arena, int32_t, n + 1 + (checked ? CHECKED_ROOM : 0));
	for (unsigned k = 0; k < n; k++)
		v[k] = lower_opnd(c, &in->opnd[k]);
	*u = (struct uop){.in = in,
			  .v = v,
			  .op = (uint8_t)in->op,
			  .type = in->type,
			  .guard = -1,
			  .imm = in->imm};
	u->d = in->nd ? v[0] : SINK;
	u->a = in->ns > 0 ? v[in->nd] : SINK;
	u->b = in->ns > 1 ? v[in->nd + 1] : SINK;
	u->c = in->ns > 2 ? v[in->nd + 2] : SINK;
	if (in->guard != NO_REG) {
		u->guard = (int16_t)c->p->rows.row[in->guard];
		u->guard_neg = in->guard_neg;
	}
	if (inst_is(in, OF_BRANCH | OF_INDEXED))
		u->reconv = in->reconv == NO_PC ? NO_PC : c->f->start + in->reconv;
	if (has_mem(in))
		lower_mem(c, inst_src(in, 0), in->space, u);
	const char *why = lower_special(c, in, u) ? NULL : exec_bind(in, u);
	if (why) {
		report_refused(c->f->f, in, l->d, why);
		return false;
	}
	if (checked)
		checked_bind(u, v + n + 1, l->img->products);
	if (writes_brief(c, in, u))
		u->part = u->full; /* no register keeps a value in the columns of inactive lanes */
	if (in->uniform && !u->flags && !inst_is(in, OF_NATIVE))
		u->part = u->full;
	return !inst_is(in, OF_CALL) || lower_call(c, in, u);
}

/* ---- registers with fixed rows ---- */

/* True if the instruction copies constant rows into a register of as many rows. */
static bool copies_constant(const struct fctx *c, const struct inst *in)
{
	const struct opnd *s = in->ns ? inst_src(in, 0) : NULL;
	if (in->nd != 1 || !s || in->opnd[0].kind != OPND_REG ||
	    type_rows(in->opnd[0].type) != type_rows(in->type))
		return false;
	bool fixed = s->kind == OPND_REG && c->fixed[s->reg] != SINK &&
		     type_rows(s->type) == type_rows(in->type);
	if (inst_is(in, OF_LOAD))
		return in->space == SP_PARAM && s->reg == NO_REG; /* [p], not [%rd1] */
	if (inst_is(in, OF_REBASES))
		return fixed && in->space == SP_GLOBAL;
	return inst_is(in, OF_COPIES) && (fixed || s->kind == OPND_IMM) && type_rows(in->type) <= 2;
}

/* Lowers the writes of fixed registers, before all reads of them. */
static bool lower_fixed(struct fctx *c, struct arena *a)
{
	const struct func *f = c->f->f;
	const bool *once = fixed_candidates(a, f, &c->p->live);
	bool ok = true;
	c->fixed = ARENA_ARRAY(a, int32_t, f->regs.n + 1);
	for (size_t r = 0; r < f->regs.n; r++)
		c->fixed[r] = SINK;
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		struct uop *u = &c->l->img->code[c->f->start + i];
		if (!copies_constant(c, in) || !once[in->opnd[0].reg])
			continue;
		ok &= lower_inst(c, in, u);
		if (u->a == SINK || (u->a & 3) != BASE_CONST)
			continue; /* the parameter is not in rows: it is too long, or lies after
				   * the last row */
		c->fixed[in->opnd[0].reg] = u->a;
		u->full = u->part = exec_ops()->nothing;
	}
	return ok;
}

bool lower_func(struct lower *l, struct image_func *f, const struct pass_info *p)
{
	struct fctx c = {.l = l, .f = f, .p = p};
	struct uop *code = l->img->code;
	struct arena a = {0};
	bool ok = !l->fix_rows || lower_fixed(&c, &a);
	for (size_t i = 0; i < f->f->code.n; i++)
		if (!code[f->start + i].in)
			ok &= lower_inst(&c, &f->f->code.v[i], &code[f->start + i]);
	arena_free(&a);
	for (uint32_t pc = f->start; pc < f->end && ok; pc++)
		if (uop_is(&code[pc], OF_BRANCH | OF_INDEXED) && code[pc].reconv < f->end)
			code[code[pc].reconv].flags |= UOP_RECONV;
	return ok;
}

enum { MOST_OPERANDS = 272 }; /* wgmma of 256 columns */

bool image_check_inst(const struct func *f, const struct inst *in, struct diag *d)
{
	int32_t v[MOST_OPERANDS] = {0};
	struct uop u = {.in = in, .v = v, .op = (uint8_t)in->op, .type = in->type, .guard = -1};
	u.aux = (uint8_t)(in->space == SP_FRAME ? SP_LOCAL : in->space);
	const char *why = in->nd + in->ns > MOST_OPERANDS ? "too many operands" : exec_bind(in, &u);
	if (why)
		report_refused(f, in, d, why);
	return !why;
}
