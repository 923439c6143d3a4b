/* Plain stores to shared words that atomics of other threads may change at the same time. An atomic of shared
 * memory is a load that takes a lock of the machine, an operation, and a store that releases the lock. A plain
 * store between the two would be lost: for example the store that releases a lock of the program while another
 * thread tries to take it. Such a store becomes an exchange whose result is not used, since an exchange takes
 * the machine's lock too.
 *
 * A store may meet an atomic if one can be reached from the other, or both from one place, without a barrier
 * of the whole block in between, and if their addresses may belong to one variable. The address of a store may
 * be generic. If the kernel makes shared addresses generic anywhere, the store tests its address:
 *
 * 	st [a], x;     y = cvta.to.shared a; p = y is in the window; @p exch.shared [y], x; @!p st [a], x; */
#include <stdlib.h>
#include "back/lower/lower.h"

enum { WINDOW = 0x1000000 };

static const struct var any_var; /* an address of one of several variables, or of an unknown one */

struct pass {
	struct func *f;
	struct arena *a;
	unsigned sm;
	const struct var *
		*base; /* [register]: variable that its value points to; NULL: the value is no
		        * address */
	uint32_t *set; /* [instruction]: sets of instructions without a barrier between them, a
	                * forest */
	VEC(struct inst) code;
};

/* True for an atomic that uses a lock: on sm_13 all do; on sm_20 an atomic whose address may be of
 * any space is one instruction. */
static bool is_shared_atomic(const struct inst *in)
{
	return (in->op == OP_ATOM || in->op == OP_RED) && sel_space(in) == SP_SHARED;
}

/* ---- variables of addresses ---- */

static const struct var *join_variables(const struct var *a, const struct var *b)
{
	return !a || a == b ? b : !b ? a : &any_var;
}

static const struct var *points_to(const struct pass *x, const struct inst *in)
{
	const struct var *v = NULL;
	if (in->op == OP_LD || in->op == OP_LDU || in->op == OP_ATOM)
		return type_bits(in->type) == 64 ? &any_var : NULL;
	for (unsigned i = 0; i < in->ns; i++) {
		const struct opnd *o = inst_src(in, i);
		v = join_variables(v, o->kind == OPND_SYM   ? o->sym
				      : o->kind == OPND_REG ? x->base[o->reg]
							    : NULL);
	}
	return v;
}

static void find_bases(struct pass *x)
{
	x->base = ARENA_ARRAY(x->a, const struct var *, x->f->regs.n + 1);
	for (size_t r = 0; r < x->f->regs.n; r++)
		x->base[r] = NULL;
	for (bool change = true; change;) {
		change = false;
		for (size_t i = 0; i < x->f->code.n; i++) {
			const struct inst *in = &x->f->code.v[i];
			for (unsigned k = 0; k < in->nd; k++) {
				const struct opnd *d = inst_dst(in, k);
				if (d->kind != OPND_REG)
					continue;
				const struct var *v =
					join_variables(x->base[d->reg], points_to(x, in));
				change |= v != x->base[d->reg];
				x->base[d->reg] = v;
			}
		}
	}
}

/* The variable that an access goes to. */
static const struct var *find_variable(const struct pass *x, const struct inst *in)
{
	const struct opnd *o = inst_src(in, 0);
	const struct var *v = o->sym ? o->sym : o->reg != NO_REG ? x->base[o->reg] : NULL;
	return !v ? &any_var : v->def ? v->def : v;
}

/* True if the variables have different addresses. Variables without a size all begin after the
 * others. */
static bool bases_differ(const struct var *a, const struct var *b)
{
	return a != b && a != &any_var && b != &any_var && !(a->unsized && b->unsized);
}

/* ---- instructions without a barrier between them ---- */

static uint32_t find_root(struct pass *x, uint32_t i)
{
	while (x->set[i] != i)
		i = x->set[i] = x->set[x->set[i]];
	return i;
}

static void unite_sets(struct pass *x, uint32_t a, uint32_t b)
{
	x->set[find_root(x, a)] = find_root(x, b);
}

static bool parts_threads(const struct inst *in)
{
	return in->op == OP_BAR && in->mode != BAR_ARRIVE && in->guard == NO_REG &&
	       !(in->imm & BAR_HAS_COUNT);
}

static void find_sets(struct pass *x)
{
	uint32_t n = (uint32_t)x->f->code.n;
	x->set = ARENA_ARRAY(x->a, uint32_t, n + 1);
	for (uint32_t i = 0; i <= n; i++)
		x->set[i] = i;
	for (uint32_t i = 0; i < n; i++) {
		const struct inst *in = &x->f->code.v[i];
		bool always = in->guard == NO_REG,
		     leaves = always && (in->op == OP_BRA || in->op == OP_BRX || in->op == OP_RET ||
					 in->op == OP_EXIT);
		if (!leaves && !parts_threads(in))
			unite_sets(x, i, i + 1);
		if (in->op == OP_BRA && in->target != NO_PC)
			unite_sets(x, i, in->target);
		for (uint32_t k = 0; in->op == OP_BRX && k < x->f->targets.v[in->imm].n; k++)
			unite_sets(x, i, x->f->targets.v[in->imm].pc[k]);
	}
}

static bool meets_atomic(struct pass *x, uint32_t at)
{
	const struct var *v = find_variable(x, &x->f->code.v[at]);
	for (uint32_t i = 0; i < x->f->code.n; i++)
		if (is_shared_atomic(&x->f->code.v[i]) && find_root(x, i) == find_root(x, at) &&
		    !bases_differ(v, find_variable(x, &x->f->code.v[i])))
			return true;
	return false;
}

/* ---- exchanges ---- */

static struct inst *put_inst(struct pass *x, const struct inst *like, unsigned op, unsigned type,
			     unsigned nd, unsigned ns, const struct opnd *o)
{
	vec_push(&x->code, inline_inst(x->a, like, op, type, nd, ns, o));
	return &x->code.v[x->code.n - 1];
}

static uint32_t new_reg(struct pass *x, unsigned type)
{
	vec_push(&x->f->regs, (struct reg){"%store", (uint8_t)type});
	return (uint32_t)x->f->regs.n - 1;
}

/* Exchanges each element of a vector separately; `at`: the address in shared memory. */
static void put_exchange(struct pass *x, const struct inst *in, struct opnd at, uint32_t guard,
			 bool neg)
{
	unsigned bytes = type_bytes(in->type);
	unsigned type = bytes == 8 ? T_B64 : bytes == 4 ? T_B32 : bytes == 2 ? T_B16 : T_B8;
	for (unsigned i = 1; i < in->ns; i++, at.imm += bytes) {
		struct inst *n =
			put_inst(x, in, OP_ATOM, type, 0, 2, (struct opnd[]){at, *inst_src(in, i)});
		n->mode = ATOM_EXCH;
		n->space = SP_SHARED;
		n->guard = guard;
		n->guard_neg = neg;
	}
}

/* p = the store's guard, and s is (or, with CMP_HS, is not) an offset in the window. */
static void put_test(struct pass *x, const struct inst *in, uint32_t p, uint32_t s, unsigned cmp)
{
	struct opnd o[] = {opnd_reg(p, T_PRED), opnd_reg(s, T_U32), opnd_imm(WINDOW, T_U32),
			   opnd_reg(in->guard, T_PRED)};
	bool guarded = in->guard != NO_REG;
	o[3].mod = in->guard_neg ? OPND_NOT : 0;
	struct inst *n = put_inst(x, in, OP_SETP, T_PRED, 1, guarded ? 3 : 2, o);
	n->stype = T_U32;
	n->cmp = (uint8_t)cmp;
	n->bop = guarded ? BOP_AND : BOP_NONE;
}

static void exchange_where_shared(struct pass *x, const struct inst *in)
{
	const struct opnd *o = inst_src(in, 0);
	unsigned type = x->f->regs.v[o->reg].type;
	bool wide = type_bits(type) == 64;
	uint32_t y = new_reg(x, type), word = wide ? new_reg(x, T_U32) : y, p = new_reg(x, T_PRED),
		 q = new_reg(x, T_PRED), s = word;
	struct opnd from = opnd_reg(o->reg, type), to = opnd_reg(y, type);
	struct inst *n =
		put_inst(x, in, OP_CVTA, wide ? T_U64 : T_U32, 1, 1, (struct opnd[]){to, from});
	n->mods = M_TO;
	n->space = SP_SHARED;
	if (wide)
		put_inst(x, in, OP_CVT, T_U32, 1, 1,
			 (struct opnd[]){opnd_reg(word, T_U32), x->sm < 20 ? from : to})
			->stype = T_U64;
	if (x->sm < 20) { /* the window begins at an address equal to its size, and cvta only drops
	                   * that bit */
		s = new_reg(x, T_U32);
		put_inst(x, in, OP_SUB, T_U32, 1, 2,
			 (struct opnd[]){opnd_reg(s, T_U32), wide ? opnd_reg(word, T_U32) : from,
					 opnd_imm(WINDOW, T_U32)});
	}
	put_test(x, in, p, s, CMP_LT);
	put_test(x, in, q, s, CMP_GE);
	put_exchange(x, in, opnd_local(y, o->imm, o->type), p, false);
	vec_push(&x->code, *in);
	x->code.v[x->code.n - 1].guard = q;
	x->code.v[x->code.n - 1].guard_neg = 0;
}

static void copy_inst(struct pass *x, uint32_t i, bool generic)
{
	const struct inst *in = &x->f->code.v[i];
	const struct var *v = in->op == OP_ST ? find_variable(x, in) : NULL;
	bool any = v && generic && sel_any_space(in) && inst_src(in, 0)->reg != NO_REG &&
		   (v == &any_var || v->space == SP_SHARED);
	if (v && type_bits(in->type) <= 64 && (sel_space(in) == SP_SHARED || any) &&
	    meets_atomic(x, i)) {
		if (any)
			exchange_where_shared(x, in);
		else
			put_exchange(x, in, *inst_src(in, 0), in->guard, in->guard_neg);
	} else {
		vec_push(&x->code, *in);
	}
}

void lower_stores(struct lowering *lowering)
{
	struct func *f = lowering->f;
	struct pass x = {.f = f, .a = lowering->a, .sm = lowering->target->sm};
	bool atomic = false, generic = false;
	for (size_t i = 0; i < f->code.n; i++) {
		const struct inst *in = &f->code.v[i];
		atomic |= is_shared_atomic(in);
		generic |= in->op == OP_CVTA && !(in->mods & M_TO) && in->space == SP_SHARED;
	}
	if (!atomic)
		return;
	find_bases(&x);
	find_sets(&x);
	uint32_t *to = xmalloc((f->code.n + 1) * sizeof *to);
	for (uint32_t i = 0; i < f->code.n; i++) {
		to[i] = (uint32_t)x.code.n;
		copy_inst(&x, i, generic);
	}
	to[f->code.n] = (uint32_t)x.code.n;
	back_retarget(f, x.code.v, x.code.n, to);
	back_take_code(f, x.code.v, x.code.n, x.code.cap);
	free(to);
}
