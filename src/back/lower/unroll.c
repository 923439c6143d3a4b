/* Loops of one block are unrolled, as NVIDIA's assembler does (sm_90): fewer counts, tests and branches, sums of addresses
 * become offsets, and loads of several iterations stand together. The order of all other operations stays.
 *
 * A counter that begins with a number, changes by a number and is compared with a number gives the number of iterations n: the
 * body is repeated n times, or as many times as a divisor of n says.
 *
 *	mov r, 0;                                  mov r, 0;
 *	L: a; add r, r, 2; p = r != 34; @p bra L;  a; add r, r, 2; a; add r, r, 2; ...        (17 times)
 *
 * Where the number of iterations is not known, but the compiler has unrolled the loop (its counter changes by two or more), a
 * loop of four iterations stands in front of it, if all threads of a warp leave together and addresses become offsets. It is
 * for counters that are at least four steps from the end:
 *
 *	                                           t = m - r; q = t > 12; @!q bra L;
 *	                                           M: a; add r, r, 4; ... (4 times); t = m - r; q = t > 12; @q bra M; @!p bra X;
 *	L: a; add r, r, 4; p = r != m; @p bra L;   L: a; add r, r, 4; p = r != m; @p bra L;  X:
 */
#include <stdlib.h>
#include "back/lower/lower.h"
#include "pass/loop.h"

/* MOST_COUNT: limit of iterations that are counted. Limits of instructions: MOST_BODY: of an
 * unrolled loop; MOST_GROWTH: added to a kernel by all loops; the next: of a body whose number of
 * iterations is not known. TIMES_OPEN: copies of such a body. */
enum { MOST_COUNT = 4096, MOST_BODY = 512, MOST_GROWTH = 2500, MOST_OPEN = 60, TIMES_OPEN = 4 };

struct candidate {
	uint32_t first, end; /* instructions of the block: the last one is the branch */
	uint32_t add, test;
	int64_t step;
	uint32_t times;
	/* all: every iteration is unrolled, so no branch is left; open: the number of iterations is
	 * not known */
	bool all, open;
};

static bool writes_register(const struct inst *in, unsigned kind, uint32_t reg)
{
	for (unsigned d = 0; d < in->nd; d++)
		if (inst_dst(in, d)->kind == kind && inst_dst(in, d)->reg == reg)
			return true;
	return false;
}

/* The only instruction of a range that writes a register; NO_PC: none or several. */
static uint32_t only_writer(const struct func *f, uint32_t from, uint32_t to, unsigned kind,
			    uint32_t reg)
{
	uint32_t found = NO_PC;
	for (uint32_t i = from; i < to; i++)
		if (writes_register(&f->code.v[i], kind, reg)) {
			if (found != NO_PC)
				return NO_PC;
			found = i;
		}
	return found;
}

static bool is_plain(const struct inst *in, unsigned op)
{
	return in->op == op && in->guard == NO_REG && in->nd == 1;
}

/* Counts of 32 or 64 bits: add r, r, number. */
static bool is_count(const struct inst *in, uint32_t reg, int64_t *step)
{
	const struct opnd *a = in->nd + in->ns == 3 ? inst_src(in, 0) : NULL,
			  *b = a ? inst_src(in, 1) : NULL;
	unsigned bits = type_bits(in->type);
	if (!is_plain(in, OP_ADD) || !a || type_is_float(in->type) || (bits != 32 && bits != 64) ||
	    in->mods & (M_CC | M_SAT) || a->kind != OPND_REG || a->reg != reg ||
	    b->kind != OPND_IMM)
		return false;
	*step = bits == 32 ? (int32_t)b->imm : b->imm;
	return *step != 0;
}

static bool compares(unsigned cmp, unsigned type, uint64_t a, uint64_t b)
{
	bool sign = type_is_signed(type);
	int64_t x = (int64_t)a, y = (int64_t)b;
	if (type_bits(type) == 32) {
		a = (uint32_t)a;
		b = (uint32_t)b;
		x = (int32_t)a;
		y = (int32_t)b;
	}
	bool less = sign ? x < y : a < b, more = sign ? x > y : a > b;
	switch (cmp) {
	case CMP_EQ: return !less && !more;
	case CMP_NE: return less || more;
	case CMP_LT:
	case CMP_LO: return less;
	case CMP_LE:
	case CMP_LS: return !more;
	case CMP_GT:
	case CMP_HI: return more;
	default: return !less;
	}
}

/* Operations whose order or number matters beyond their own thread's registers and memory. */
static bool may_repeat(const struct inst *in)
{
	switch (in->op) {
	case OP_WGMMA:
	case OP_WGMMA_GROUP:
	case OP_MBARRIER:
	case OP_CP_BULK:
	case OP_CP_TENSOR:
	case OP_NANOSLEEP:
	case OP_CALL:
	case OP_BRX: return false;
	default: return !inst_may_poll(in);
	}
}

/* True if an instruction of a range reads the predicate, as a guard or a source. */
static bool reads_predicate(const struct func *f, uint32_t from, uint32_t to, uint32_t p)
{
	for (uint32_t i = from; i < to; i++) {
		const struct inst *in = &f->code.v[i];
		if (in->guard == p)
			return true;
		for (unsigned k = 0; k < in->ns; k++)
			if (inst_src(in, k)->kind == OPND_PRED && inst_src(in, k)->reg == p)
				return true;
	}
	return false;
}

/* The counter, its test and its step; false: the block is no such loop. Only the branch reads the test, which repeated
 * bodies leave out. */
static bool find_count(const struct func *f, struct candidate *x, const struct inst **test)
{
	const struct inst *bra = &f->code.v[x->end - 1];
	if (bra->op != OP_BRA || bra->guard == NO_REG || bra->target != x->first)
		return false;
	x->test = only_writer(f, x->first, x->end, OPND_PRED, bra->guard);
	if (x->test == NO_PC || reads_predicate(f, x->first, x->end - 1, bra->guard))
		return false;
	const struct inst *t = *test = &f->code.v[x->test];
	unsigned bits = type_bits(t->stype);
	if (!is_plain(t, OP_SETP) || t->ns != 2 || type_is_float(t->stype) ||
	    (bits != 32 && bits != 64) || t->cmp < CMP_EQ || t->cmp > CMP_HS ||
	    inst_src(t, 0)->kind != OPND_REG)
		return false;
	uint32_t r = inst_src(t, 0)->reg;
	x->add = only_writer(f, x->first, x->end, OPND_REG, r);
	if (x->add == NO_PC || x->add > x->test || !is_count(&f->code.v[x->add], r, &x->step) ||
	    type_bits(f->code.v[x->add].type) != bits)
		return false;
	for (uint32_t i = x->first; i + 1 < x->end; i++)
		if (!may_repeat(&f->code.v[i]))
			return false;
	return true;
}

/* True if every path that comes to the loop `block` again, once it has left it, passes block `from`: natural loops do not
 * say so where a cycle has two entries. */
static bool begins_again(const struct cfg *c, uint32_t block, uint32_t from)
{
	bool *seen = xcalloc(c->n + 1, sizeof *seen), again = true;
	uint32_t *stack = xmalloc((c->n + 1) * sizeof *stack), n = 0;
	stack[n++] = block;
	seen[from] = true;
	while (n && again) {
		uint32_t b = stack[--n];
		for (uint32_t k = c->g.succ_at[b]; k < c->g.succ_at[b + 1]; k++) {
			uint32_t to = c->g.succ[k];
			again &= to != block || b == block;
			if (to != block && !seen[to]) {
				seen[to] = true;
				stack[n++] = to;
			}
		}
	}
	free(seen);
	free(stack);
	return again;
}

/* The number with which the counter begins, whenever control comes to the loop. */
static bool find_start(const struct func *f, const struct cfg *c, const struct domtree *dom,
		       const struct loops *l, const struct candidate *x, uint32_t reg,
		       uint64_t *start)
{
	uint32_t before = only_writer(f, 0, x->first, OPND_REG, reg),
		 after = only_writer(f, x->end, (uint32_t)f->code.n, OPND_REG, reg),
		 at = before != NO_PC ? before : after;
	if ((before == NO_PC) == (after == NO_PC))
		return false;
	for (uint32_t i = 0; i < f->code.n; i++)
		if (i != at && i != x->add && writes_register(&f->code.v[i], OPND_REG, reg))
			return false;
	const struct inst *in = &f->code.v[at];
	uint32_t block = c->block_of[x->first], from = c->block_of[at];
	if (!is_plain(in, OP_MOV) || inst_src(in, 0)->kind != OPND_IMM || !cfg_reached(c, from) ||
	    !dominates(dom, from, block) || l->loop_of[block] == NO_NODE ||
	    l->loop[l->loop_of[block]].header != block ||
	    l->loop_of[from] != l->loop[l->loop_of[block]].parent || !begins_again(c, block, from))
		return false;
	*start = (uint64_t)inst_src(in, 0)->imm;
	return true;
}

/* Number of iterations from a start; 0: too many. */
static uint32_t count_iterations(const struct inst *test, bool neg, uint64_t r, int64_t step)
{
	for (uint32_t n = 1; n <= MOST_COUNT; n++) {
		r += (uint64_t)step;
		if (compares(test->cmp, test->stype, r, (uint64_t)inst_src(test, 1)->imm) == neg)
			return n;
	}
	return 0;
}

static uint32_t largest_divisor(uint32_t n, uint32_t most)
{
	for (uint32_t k = most < n ? most : n; k > 1; k--)
		if (n % k == 0)
			return k;
	return 1;
}

/* True if the loop loads, and all its sums of 64 bits are of numbers: its addresses become offsets. */
static bool loads_at_offsets(const struct func *f, const struct candidate *x)
{
	bool loads = false;
	for (uint32_t i = x->first; i < x->end; i++) {
		const struct inst *in = &f->code.v[i];
		loads |= in->op == OP_LD;
		if (in->op == OP_ADD && type_bits(in->type) == 64 && !type_is_float(in->type) &&
		    inst_src(in, 0)->kind != OPND_IMM && inst_src(in, 1)->kind != OPND_IMM)
			return false;
	}
	return loads;
}

/* True if the loop may be split in front: its counter is compared with a register that it does not change, or a number. */
static bool is_open(const struct func *f, const struct candidate *x, const struct inst *test)
{
	const struct inst *bra = &f->code.v[x->end - 1];
	const struct opnd *m = inst_src(test, 1);
	bool up = x->step > 0,
	     fits = test->cmp == CMP_NE || (up ? test->cmp == CMP_LT || test->cmp == CMP_LO
					       : test->cmp == CMP_GT || test->cmp == CMP_HI);
	if (!fits || bra->guard_neg || !(bra->mods & M_UNI) || type_bits(test->stype) != 32 ||
	    llabs(x->step) < 2 || llabs(x->step) > 64 || x->end - x->first > MOST_OPEN ||
	    !loads_at_offsets(f, x))
		return false;
	if (m->kind == OPND_IMM)
		return true;
	for (uint32_t i = x->first; m->kind == OPND_REG && i < x->end; i++)
		if (writes_register(&f->code.v[i], OPND_REG, m->reg))
			return false;
	return m->kind == OPND_REG;
}

static bool choose_loop(const struct func *f, const struct cfg *c, const struct domtree *dom,
			const struct loops *l, struct candidate *x)
{
	const struct inst *test;
	uint64_t start;
	if (!find_count(f, x, &test))
		return false;
	uint32_t size = x->end - x->first, n = 0;
	if (inst_src(test, 1)->kind == OPND_IMM &&
	    find_start(f, c, dom, l, x, inst_src(test, 0)->reg, &start))
		n = count_iterations(test, f->code.v[x->end - 1].guard_neg, start, x->step);
	if (n) {
		x->times = largest_divisor(n, MOST_BODY / size);
		x->all = x->times == n;
		return n > 1 && x->times > 1;
	}
	x->open = is_open(f, x, test);
	x->times = TIMES_OPEN;
	return x->open;
}

/* ---- new code ---- */

struct output {
	struct func *f;
	struct arena *a;
	VEC(struct inst) code;
};

static struct inst *put_inst(struct output *o, const struct inst *like, unsigned op, unsigned type,
			     unsigned nd, unsigned ns, const struct opnd *opnd)
{
	vec_push(&o->code, inline_inst(o->a, like, op, type, nd, ns, opnd));
	return &o->code.v[o->code.n - 1];
}

static void copy_inst(struct output *o, const struct inst *in)
{
	unsigned n = in->nd + in->ns;
	struct inst copy = *in;
	copy.opnd = ARENA_ARRAY(o->a, struct opnd, n + 1);
	for (unsigned k = 0; k < n; k++)
		copy.opnd[k] = in->opnd[k];
	vec_push(&o->code, copy);
}

static void put_bodies(struct output *o, const struct candidate *x)
{
	for (uint32_t n = 0; n < x->times; n++)
		for (uint32_t i = x->first; i + 1 < x->end; i++)
			if (i != x->test || n + 1 == x->times)
				copy_inst(o, &o->f->code.v[i]);
}

static uint32_t new_register(struct output *o, const char *name, unsigned type)
{
	vec_push(&o->f->regs, (struct reg){name, (uint8_t)type});
	return (uint32_t)o->f->regs.n - 1;
}

/* The predicate q: the counter is more than times - 1 steps from the end, and on this side of it. */
static void put_distance(struct output *o, const struct candidate *x, uint32_t t, uint32_t q)
{
	const struct inst *test = &o->f->code.v[x->test];
	const struct opnd r = opnd_reg(inst_src(test, 0)->reg, T_U32), m = *inst_src(test, 1);
	bool up = x->step > 0;
	struct opnd sub[] = {opnd_reg(t, T_U32), up ? m : r, up ? r : m};
	struct opnd far[] = {opnd_reg(q, T_PRED), opnd_reg(t, T_U32),
			     opnd_imm((x->times - 1) * llabs(x->step), T_U32)};
	put_inst(o, test, OP_SUB, T_U32, 1, 2, sub);
	struct inst *in = put_inst(o, test, OP_SETP, T_PRED, 1, 2, far);
	in->stype = T_U32;
	in->cmp = CMP_HI;
	if (test->cmp == CMP_NE)
		return;
	uint32_t side = new_register(o, "%side", T_PRED);
	struct opnd before[] = {opnd_reg(side, T_PRED), r, m};
	in = put_inst(o, test, OP_SETP, T_PRED, 1, 2, before);
	in->stype = test->stype;
	in->cmp = test->cmp;
	struct opnd both[] = {far[0], far[0], before[0]};
	put_inst(o, test, OP_AND, T_PRED, 1, 2, both);
}

static void put_branch(struct output *o, const struct inst *like, uint32_t q, bool neg)
{
	struct inst *in = put_inst(o, like, OP_BRA, T_NONE, 0, 0, NULL);
	in->guard = q;
	in->guard_neg = neg;
	in->mods |= like->mods & M_UNI;
}

/* A branch of the new code to an index of the new code; back_retarget() must not change it. */
struct jump {
	uint32_t at, to;
};
enum { JUMPS = 4 };

static void copy_loop(struct output *o, const struct candidate *x)
{
	for (uint32_t i = x->first; i < x->end; i++)
		copy_inst(o, &o->f->code.v[i]);
}

/* Emits the loop of TIMES_OPEN iterations in front (M: in the head's drawing), then the original
 * loop (L:). */
static void unroll_open(struct output *o, const struct candidate *x, struct jump j[JUMPS])
{
	const struct inst *bra = &o->f->code.v[x->end - 1];
	uint32_t t = new_register(o, "%left", T_U32), q = new_register(o, "%far", T_PRED);
	put_distance(o, x, t, q);
	put_branch(o, bra, q, true);
	j[0].at = (uint32_t)o->code.n - 1;
	j[1].to = (uint32_t)o->code.n;
	put_bodies(o, x);
	put_distance(o, x, t, q);
	put_branch(o, bra, q, false);
	j[1].at = (uint32_t)o->code.n - 1;
	put_branch(o, bra, bra->guard, !bra->guard_neg);
	j[2].at = (uint32_t)o->code.n - 1;
	j[0].to = j[3].to = (uint32_t)o->code.n;
	copy_loop(o, x);
	j[3].at = (uint32_t)o->code.n - 1;
	j[2].to = (uint32_t)o->code.n;
}

static void unroll_counted(struct output *o, const struct candidate *x)
{
	put_bodies(o, x);
	if (!x->all)
		copy_inst(o, &o->f->code.v[x->end - 1]);
}

void lower_unroll(struct lowering *x)
{
	struct func *f = x->f;
	struct cfg *c = cfg_build(x->a, f);
	struct domtree dom;
	struct loops loops;
	struct output o = {.f = f, .a = x->a};
	VEC(struct candidate) cand = {0};
	VEC(struct jump) jumps = {0};
	uint32_t growth = 0;
	if (x->without & FUSE_UNROLL)
		return;
	dom_build(&dom, c);
	loop_build(&loops, c, &dom);
	for (uint32_t b = 0; b < c->n; b++) {
		struct candidate k = {.first = c->block[b].first, .end = c->block[b].end};
		if (!cfg_reached(c, b) || k.end <= k.first + 2 ||
		    !choose_loop(f, c, &dom, &loops, &k) ||
		    growth + k.times * (k.end - k.first) > MOST_GROWTH)
			continue;
		growth += k.times * (k.end - k.first);
		vec_push(&cand, k);
	}
	uint32_t n = (uint32_t)f->code.n, *to = xmalloc((n + 1) * sizeof *to), next = 0;
	for (uint32_t i = 0; i < n && cand.n;) {
		to[i] = (uint32_t)o.code.n;
		if (next == cand.n || cand.v[next].first != i) {
			vec_push(&o.code, f->code.v[i++]);
			continue;
		}
		const struct candidate *k = &cand.v[next++];
		struct jump j[JUMPS];
		for (uint32_t m = k->first; m < k->end; m++)
			to[m] = to[i];
		if (k->open) {
			unroll_open(&o, k, j);
			for (unsigned m = 0; m < JUMPS; m++)
				vec_push(&jumps, j[m]);
		} else {
			unroll_counted(&o, k);
		}
		i = k->end;
	}
	to[n] = (uint32_t)o.code.n;
	if (cand.n) {
		back_retarget(f, o.code.v, o.code.n, to);
		for (size_t m = 0; m < jumps.n; m++)
			o.code.v[jumps.v[m].at].target = jumps.v[m].to;
		back_take_code(f, o.code.v, o.code.n, o.code.cap);
	}
	vec_free(&cand);
	vec_free(&jumps);
	free(to);
}
