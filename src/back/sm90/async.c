/* Asynchronous instructions on sm_90: copies from global to shared memory (LDGSTS), barriers in
 * shared memory (SYNCS), bulk and tensor copies (UBLK*, UTMA*), stores that signal a barrier (STAS,
 * REDAS), the cluster's barrier.
 *
 * The uniform datapath executes a bulk or tensor copy once per warp, so a loop performs it for each
 * thread whose guard is true:
 *
 * 	    todo = the instruction's guard
 * 	L:  @todo ELECT one;  @one R2UR UR8, R4;  @one todo = false;  UBLKCP.S.G [UR8], ...;  @todo BRA.U.ANY L;
 *
 * UR8 and those after it are free for this use. A group of copies is a count of counter 0
 * (cp.async) or 1 (bulk copies), which no other instruction of such a kernel uses (control.c). */
#include "back/sm90/sm90.h"

enum { COPY_COUNTER = 0, BULK_COUNTER = 1 };

/* ---- addresses ---- */

/* The address of source i in shared memory as a word, with the block's rank above it. */
static struct mo shared_word(struct sel *s, unsigned i)
{
	const struct opnd *o = inst_src(s->in, i);
	struct mo base = o->sym             ? sm90_symbol(s, o)
			 : o->reg == NO_REG ? sm90_word((uint32_t)o->imm)
					    : mo_word(s->value[o->reg], 0);
	if (o->sym || o->reg == NO_REG || !o->imm)
		return sm90_force(s, base);
	uint32_t t = sel_temp(s, 1);
	OP(s, "IADD3", 1, mo_reg(t), base, sm90_word((uint32_t)o->imm), ZERO);
	return mo_reg(t);
}

static struct mo at_word(struct mo r)
{
	return r.kind == MO_ZERO ? (struct mo){.kind = MO_MEM, .v = V_NONE}
				 : (struct mo){.kind = MO_MEM, .v = r.v, .word = r.word};
}

/* Sets w to the two words of the address of source i in global or generic memory. */
static void far_words(struct sel *s, unsigned i, struct mo w[2])
{
	struct mo m = sm90_address(s, i, SP_GENERIC, 0);
	w[0] = mo_word(m.v, 0);
	w[1] = mo_word(m.v, 1);
	if (!m.imm || s->bad)
		return;
	uint32_t t = sel_temp(s, 2);
	sm90_add64(s, t, w[0], w[1], sm90_word((uint32_t)m.imm),
		   sm90_word((uint32_t)((uint64_t)m.imm >> 32)), false);
	w[0] = mo_word(t, 0);
	w[1] = mo_word(t, 1);
}

/* ---- the loop over threads ---- */

struct each {
	struct inst plain; /* the instruction without its guard */
	const struct inst *was;
	uint32_t todo, one, again, over;
};

static struct mi *put_inst(struct sel *s, uint32_t guard, const char *name, unsigned nd, unsigned n,
			   const struct mo *o)
{
	struct mi *in = sel_op(s, name, nd, n, o);
	in->guard = guard;
	return in;
}
#define PUT(s, guard, name, nd, ...)                                                               \
	put_inst(s, guard, name, nd, sizeof((struct mo[]){__VA_ARGS__}) / sizeof(struct mo),       \
		 (struct mo[]){__VA_ARGS__})

static void put_predicate(struct sel *s, uint32_t guard, uint32_t p, bool value)
{
	PUT(s, guard, "PLOP3.LUT", 2, mo_pred(p), PT, PT, PT, PT, mo_imm(value ? 0x80 : 0x08),
	    mo_imm(0));
}

static void branch_any(struct sel *s, uint32_t guard, uint32_t label)
{
	struct mo to = {.kind = MO_LABEL, .imm = label};
	struct mi *in = PUT(s, guard, guard == V_TRUE ? "BRA" : "BRA.U.ANY", 0, to);
	in->ends = true;
	in->label = label + 1;
}

static void begin_each(struct sel *s, struct each *x)
{
	*x = (struct each){.plain = *s->in, .was = s->in};
	x->todo = mval_new(&s->m, 0);
	x->one = mval_new(&s->m, 0);
	x->again = sel_label(s);
	x->over = sel_label(s);
	bool guarded = s->in->guard != NO_REG;
	struct mo p = guarded ? mo_pred(s->value[s->in->guard]) : PT;
	p.neg = guarded && s->in->guard_neg;
	x->plain.guard = NO_REG;
	s->in = &x->plain;
	PUT(s, V_TRUE, "PLOP3.LUT", 2, mo_pred(x->todo), PT, p, PT, PT, mo_imm(0x80), mo_imm(0));
	if (guarded) {
		branch_any(s, x->todo, x->again);
		branch_any(s, V_TRUE, x->over);
	}
}

/* Begins the loop: in each iteration x->one is true for one thread. */
static void begin_turn(struct sel *s, struct each *x)
{
	sel_place(s, x->again);
	put_predicate(s, V_TRUE, x->one, false);
	PUT(s, x->todo, "ELECT", 1, mo_pred(x->one), mo_text("URZ"), PT);
}

static void to_uniform(struct sel *s, struct each *x, unsigned ur, struct mo r)
{
	PUT(s, x->one, "R2UR", 0, mo_text(sel_text(s, "UR%u", ur)), r);
}

static void end_turn(struct sel *s, struct each *x) { put_predicate(s, x->one, x->todo, false); }

static void end_each(struct sel *s, struct each *x)
{
	branch_any(s, x->todo, x->again);
	if (x->was->guard != NO_REG)
		sel_place(s, x->over);
	s->in = x->was;
}

static struct mo at_uniform(struct sel *s, unsigned ur)
{
	return mo_text(sel_text(s, "[UR%u]", ur));
}

static struct mo uniform_operand(struct sel *s, unsigned ur)
{
	return mo_text(sel_text(s, "UR%u", ur));
}

/* ---- cp.async ---- */

static bool copies_in_block(const struct sel *s)
{
	for (size_t i = s->m.code.n; i-- > 0 && s->m.code.v[i].name && !s->m.code.v[i].label;)
		if (mi_is(&s->m.code.v[i], "LDGSTS"))
			return true;
	return false;
}

/* Emits three loads under a false guard before a block's first copy, as nvcc does to work around a
 * hardware fault. */
static void guard_copies(struct sel *s)
{
	struct mo none = {.kind = MO_MEM, .v = V_NONE};
	for (unsigned i = 0; i < 3 && !copies_in_block(s); i++) {
		struct mi *in = PUT(s, V_TRUE, "LDS", 0, ZERO, none);
		in->guard_neg = true;
		in->keep = true;
	}
}

/* A copy of fewer bytes is marked by the lowest bits of its address; if its predicate is false it
 * reads nothing. */
void sm90_copy(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned bytes = (unsigned)in->imm;
	const char *size = bytes == 16 ? ".128" : bytes == 8 ? ".64" : "";
	const char *cache = in->cop == COP_CG ? ".BYPASS" : "";
	struct mo to = sm90_address(s, 0, SP_SHARED, 0), from = sm90_address(s, 1, SP_GLOBAL, 0);
	if (to.v == V_NONE) { /* this address has no form without a register */
		uint32_t t = sel_temp(s, 1);
		sm90_mov(s, mo_reg(t), sm90_word((uint32_t)to.imm));
		to = (struct mo){.kind = MO_MEM, .v = t};
	}
	if (in->ns < 3) {
		guard_copies(s);
		OP(s, sel_text(s, "LDGSTS.E%s%s", cache, size), 0, to, from);
		return;
	}
	if (inst_src(in, 2)->kind == OPND_PRED || inst_src(in, 2)->type == T_PRED) {
		struct mo p = sel_predicate(s, 2); /* true: nothing is read */
		p.neg = !p.neg;
		guard_copies(s);
		OP(s, sel_text(s, "LDGSTS.E%s%s", cache, size), 0, to, from, p);
		return;
	}
	uint32_t t = sel_temp(s, 2), n = sel_temp(s, 1), q = sel_temp(s, 0);
	struct mo w[2], size_word = sm90_reg(s, 2, 0);
	far_words(s, 1, w);
	OP(s, "IADD3", 1, mo_reg(n), mo_neg(size_word), mo_imm(bytes), ZERO);
	sm90_lut(s, mo_reg(n), mo_reg(n), mo_imm(bytes - 1), ZERO, LUT_AND);
	sm90_add64(s, t, w[0], w[1], mo_reg(n), ZERO, false);
	OP(s, "ISETP.NE.AND", 2, mo_pred(q), PT, size_word, ZERO, PT);
	from = (struct mo){.kind = MO_MEM, .v = t, .wide = true, .bank = 1};
	struct mo p = mo_pred(q);
	guard_copies(s);
	OP(s, sel_text(s, "LDGSTS.E%s%s.ZFILL", cache, size), 0, to, from, p);
}

/* Groups of copies: space SP_GLOBAL for bulk copies. */
void sm90_copy_wait(struct sel *s)
{
	const struct inst *in = s->in;
	bool bulk = in->space == SP_GLOBAL;
	int64_t left = 0;
	if (in->mode == CPW_COMMIT || in->mode == CPW_ALL)
		OP(s, bulk ? "UTMACMDFLUSH" : "LDGDEPBAR", 0);
	if (in->mode == CPW_COMMIT)
		return;
	if (in->mode == CPW_GROUP)
		sel_is_imm(s, 0, &left);
	OP(s, "DEPBAR.LE", 0, mo_text(bulk ? "SB1" : "SB0"), mo_imm(left));
	if (bulk)
		OP(s, "CCTL.IVALL", 0);
}

/* ---- mbarrier ---- */

static void release_to_cluster(struct sel *s)
{
	if (s->in->sem == SEM_RELAXED || s->in->scope == SCOPE_CTA)
		return;
	OP(s, "MEMBAR.ALL.GPU", 0);
	OP(s, "ERRBAR", 0);
	OP(s, "CGAERRBAR", 0);
}

/* Computes the word of a barrier that expects n arrivals: minus twice n above bit 20, and minus n
 * above bit 43. */
static void init_barrier(struct sel *s)
{
	struct each x;
	struct mo at = shared_word(s, 0), n = sm90_reg(s, 1, 0);
	uint32_t rest = sel_temp(s, 1), lo = sel_temp(s, 1), hi = sel_temp(s, 1);
	OP(s, "IADD3", 1, mo_reg(rest), mo_neg(n), mo_imm(0x100000), ZERO);
	OP(s, "SHF.L.U32", 1, mo_reg(lo), mo_reg(rest), mo_imm(1), ZERO);
	OP(s, "SHF.L.U32", 1, mo_reg(hi), mo_reg(rest), mo_imm(11), ZERO);
	begin_each(s, &x);
	begin_turn(s, &x);
	to_uniform(s, &x, 8, at);
	to_uniform(s, &x, 10, mo_reg(lo));
	to_uniform(s, &x, 11, mo_reg(hi));
	end_turn(s, &x);
	OP(s, "SYNCS.EXCH.64", 0, mo_text("URZ"), at_uniform(s, 8), uniform_operand(s, 10));
	end_each(s, &x);
}

static bool wants_state(const struct sel *s)
{
	return s->in->nd && inst_dst(s->in, 0)->kind != OPND_SINK;
}

/* An arrival of several lanes at once: the machine returns their mask and the state before. A
 * lane's own result also counts the arrivals of lower lanes. */
static void put_lanes_state(struct sel *s, uint32_t t, struct mo n)
{
	uint32_t below = sel_temp(s, 1), hi = sel_temp(s, 1), d = sel_dst(s, 0);
	OP(s, "S2R", 1, mo_reg(below), mo_text("SR_LTMASK"));
	sm90_lut(s, mo_reg(below), mo_reg(below), mo_word(t, 0), ZERO, LUT_AND);
	OP(s, "POPC", 1, mo_reg(below), mo_reg(below));
	OP(s, "SHF.L.U32", 1, mo_reg(below), mo_reg(below), mo_imm(11), ZERO);
	OP(s, "IMAD", 1, mo_reg(hi), mo_reg(below), n, mo_word(t, 1));
	sm90_mov(s, mo_word(d, 0), mo_word(t, 0))->fresh = true;
	sm90_mov(s, mo_word(d, 1), mo_reg(hi));
}

static void select_arrive(struct sel *s)
{
	const struct inst *in = s->in;
	bool remote = in->mods & M_CLUSTER || in->imm & MBF_REMOTE,
	     drop = in->mode == MB_ARRIVE_DROP, state = wants_state(s),
	     lanes = in->imm & MBF_NOCOMPLETE;
	unsigned after = 1;
	struct mo at = at_word(shared_word(s, 0)),
		  n = in->ns > after ? sm90_reg(s, after, 0) : ZERO;
	const char *what = in->imm & MBF_EXPECT_TX ? "" : in->ns > after ? ".ART0" : ".A1T0";
	if (lanes && in->ns <= after) {
		uint32_t one = sel_temp(s, 1);
		sm90_mov(s, mo_reg(one), mo_imm(1));
		n = mo_reg(one);
		what = ".ART0";
	}
	if (remote)
		release_to_cluster(s);
	uint32_t t = sel_temp(s, 2);
	const char *name = sel_text(s, "SYNCS.ARRIVE.TRANS64%s%s%s",
				    remote  ? ".RED"
				    : lanes ? ".TMASK"
					    : "",
				    drop ? ".OPTOUT" : "", what);
	if (remote || (!state && !lanes)) {
		OP(s, name, 0, ZERO, at, n);
		return;
	}
	OP(s, name, 1, mo_wide(t), at, n)->keep = true;
	if (!state)
		return;
	if (lanes)
		put_lanes_state(s, t, n);
	else
		sel_move(s, sel_dst(s, 0), t);
}

/* The operand of a wait: the phase that must have ended is the upper half of a state, or a parity
 * moved to the highest bit. */
static void wait_phase(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo at = at_word(shared_word(s, 0)), phase;
	if (in->imm & MBF_PARITY) {
		uint32_t t = sel_temp(s, 1);
		OP(s, "SHF.L.U32", 1, mo_reg(t), sm90_reg(s, 1, 0), mo_imm(31), ZERO);
		phase = mo_reg(t);
	} else {
		phase = sm90_reg(s, 1, 1);
	}
	OP(s, in->mode == MB_TRY_WAIT ? "SYNCS.PHASECHK.TRANS64.TRYWAIT" : "SYNCS.PHASECHK.TRANS64",
	   1, mo_pred(sel_dst(s, 0)), at, phase)
		->keep = true;
	if (in->sem != SEM_RELAXED && in->scope != SCOPE_CTA && in->scope != SCOPE_NONE)
		OP(s, "CCTL.IVALL", 0);
}

static void count_pending(struct sel *s)
{
	uint32_t t = sel_temp(s, 1);
	OP(s, "SHF.R.U32.HI", 1, mo_reg(t), ZERO, mo_imm(11), sm90_reg(s, 0, 1));
	sm90_lut(s, mo_reg(t), mo_reg(t), mo_imm(0xfffff), ZERO, LUT_AND);
	OP(s, "IADD3", 1, mo_reg(sel_dst(s, 0)), mo_neg(mo_reg(t)), mo_imm(0x100000), ZERO);
}

/* The barrier arrives when the thread's copies are done; without .noinc the arrival is first added
 * to the expected ones. The barrier's address must be uniform: threads with equal addresses share
 * an iteration. */
static void copies_arrive(struct sel *s)
{
	struct each x;
	struct mo at = shared_word(s, 0);
	begin_each(s, &x);
	sel_place(s, x.again);
	put_predicate(s, V_TRUE, x.one, true); /* true: not this turn */
	PUT(s, x.todo, "R2UR", 1, mo_pred(x.one), mo_text("UR8"), at);
	PUT(s, x.todo, "PLOP3.LUT", 2, mo_pred(x.todo), PT, mo_pred(x.one), PT, PT, mo_imm(0x80),
	    mo_imm(0));
	if (!(s->in->mods & M_NOINC))
		PUT(s, x.one, "SYNCS.ARRIVE.TRANS64.RED.A0T1", 0, ZERO, at_uniform(s, 8), ZERO)
			->guard_neg = true;
	PUT(s, x.one,
	    s->in->mods & M_NOINC ? "ARRIVES.LDGSTSBAR.64.ARVCNT" : "ARRIVES.LDGSTSBAR.64.TRANSCNT",
	    0, at_uniform(s, 8))
		->guard_neg = true;
	end_each(s, &x);
}

void sm90_mbarrier(struct sel *s)
{
	switch (s->in->mode) {
	case MB_INIT: init_barrier(s); return;
	case MB_INVAL: OP(s, "SYNCS.CCTL.IV", 0, at_word(shared_word(s, 0))); return;
	case MB_ARRIVE:
	case MB_ARRIVE_DROP: select_arrive(s); return;
	case MB_TEST_WAIT:
	case MB_TRY_WAIT: wait_phase(s); return;
	case MB_EXPECT_TX:
	case MB_COMPLETE_TX: {
		struct mo at = at_word(shared_word(s, 0)), n = sm90_reg(s, 1, 0);
		OP(s,
		   s->in->mode == MB_EXPECT_TX ? "SYNCS.ARRIVE.TRANS64.RED.A0TR"
					       : "SYNCS.ARRIVE.TRANS64.RED.A0TX",
		   0, ZERO, at, n);
		return;
	}
	case MB_PENDING_COUNT: count_pending(s); return;
	case MB_CP_ASYNC_ARRIVE: copies_arrive(s); return;
	default: sel_refuse(s, ""); return;
	}
}

/* ---- bulk and tensor copies ---- */

static const char *reduction_name(unsigned mode)
{
	static const char *const name[] = {
		[ATOM_ADD] = ".ADD", [ATOM_MIN] = ".MIN", [ATOM_MAX] = ".MAX", [ATOM_INC] = ".INC",
		[ATOM_DEC] = ".DEC", [ATOM_AND] = ".AND", [ATOM_OR] = ".OR",   [ATOM_XOR] = ".XOR"};
	return mode < sizeof name / sizeof *name && name[mode] ? name[mode] : NULL;
}

static const char *reduced_type(unsigned type, unsigned mode)
{
	bool bits = mode == ATOM_AND || mode == ATOM_OR || mode == ATOM_XOR;
	switch (type) {
	case T_U32:
	case T_B32: return "";
	case T_S32: return bits ? "" : ".S32";
	case T_U64:
	case T_B64: return ".U64";
	case T_S64: return ".S64";
	case T_F32: return ".F32.RN";
	case T_F64: return ".F64.RN";
	case T_F16: return ".F16.RN";
	case T_BF16: return ".BF16.RN";
	default: return NULL;
	}
}

/* A word with the size in units of 16 bytes in its lower half and the mask of a multicast's blocks
 * in its upper half. */
static struct mo size_word(struct sel *s, struct mo bytes, const struct mo *blocks)
{
	uint32_t n = sel_temp(s, 1), t = sel_temp(s, 1);
	OP(s, "SHF.R.U32.HI", 1, mo_reg(n), ZERO, mo_imm(4), bytes);
	OP(s, "PRMT", 1, mo_reg(t), mo_reg(n), mo_imm(0x5410), blocks ? *blocks : ZERO);
	return mo_reg(t);
}

void sm90_bulk(struct sel *s)
{
	const struct inst *in = s->in;
	bool to_shared = in->space == SP_SHARED,
	     from_shared = !to_shared || in->imm & CPF_FROM_SHARED, cast = in->imm & CPF_MULTICAST,
	     reduces = in->mode == CPB_REDUCE;
	const char *op = reduces ? reduction_name(in->vsel[0]) : "",
		   *type = reduces ? reduced_type(in->type, in->vsel[0]) : "";
	struct mo to[2], from[2], mask;
	struct each x;
	if (!op || !type) {
		sel_refuse(s, "");
		return;
	}
	if (to_shared) {
		to[0] = shared_word(s, 0);
		to[1] = shared_word(s, 3);
	} else {
		far_words(s, 0, to);
	}
	if (from_shared)
		from[0] = shared_word(s, 1);
	else
		far_words(s, 1, from);
	if (cast)
		mask = sm90_reg(s, 4, 0);
	struct mo size = size_word(s, sm90_reg(s, 2, 0), cast ? &mask : NULL);
	begin_each(s, &x);
	begin_turn(s, &x);
	to_uniform(s, &x, 8, to[0]);
	to_uniform(s, &x, 9, to[1]);
	to_uniform(s, &x, 12, from[0]);
	if (!from_shared)
		to_uniform(s, &x, 13, from[1]);
	to_uniform(s, &x, 16, size);
	end_turn(s, &x);
	OP(s,
	   sel_text(s, "%s.%s.%s%s%s%s", reduces ? "UBLKRED" : "UBLKCP", to_shared ? "S" : "G",
		    from_shared ? "S" : "G", op, type, cast ? ".MULTICAST" : ""),
	   0, at_uniform(s, 8), at_uniform(s, 12), uniform_operand(s, 16));
	end_each(s, &x);
}

enum { LOAD, STORE, REDUCE, PREFETCH }; /* enum tensor_copy of exec/tma/copy.h */

/* im2col has one to three offsets, of 16, 8 or 5 bits; the mask of a multicast's blocks is the
 * upper half of the word. */
static struct mo word_beside(struct sel *s, unsigned first, unsigned n, bool cast)
{
	static const uint8_t bits[] = {16, 16, 8, 5};
	struct mo sum = ZERO;
	for (unsigned i = 0; i < n; i++) {
		uint32_t t = sel_temp(s, 1), u = sel_temp(s, 1);
		sm90_lut(s, mo_reg(t), sm90_reg(s, first + i, 0), mo_imm((1 << bits[n]) - 1), ZERO,
			 LUT_AND);
		OP(s, "SHF.L.U32", 1, mo_reg(u), mo_reg(t), mo_imm(i * bits[n]), ZERO);
		if (i) {
			t = sel_temp(s, 1);
			sm90_lut(s, mo_reg(t), sum, mo_reg(u), ZERO, LUT_OR);
			u = t;
		}
		sum = mo_reg(u);
	}
	if (cast) {
		uint32_t t = sel_temp(s, 1);
		OP(s, "PRMT", 1, mo_reg(t), sum, mo_imm(0x5410), sm90_reg(s, first + n, 0));
		sum = mo_reg(t);
	}
	return sum;
}

void sm90_tensor(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned rank = in->vec, n = 0, mode = in->mode, after = 2 + rank;
	bool load = mode == LOAD, offsets = in->geom && (load || mode == PREFETCH),
	     cast = in->imm & CPF_MULTICAST;
	const char *op = mode == REDUCE ? reduction_name(in->vsel[0]) : "";
	struct mo map[2], box[7], beside = ZERO;
	struct each x;
	if (!op) {
		sel_refuse(s, "");
		return;
	}
	far_words(s, 0, map);
	if (mode != PREFETCH)
		box[n++] = shared_word(s, 1);
	if (load)
		box[n++] = shared_word(s, after++);
	for (unsigned i = 0; i < rank; i++)
		box[n++] = sm90_reg(s, 2 + i, 0);
	if (offsets || cast)
		beside = word_beside(s, after, offsets ? rank - 2 : 0, cast);
	begin_each(s, &x);
	begin_turn(s, &x);
	for (unsigned i = 0; i < n; i++)
		to_uniform(s, &x, 8 + i, box[i]);
	to_uniform(s, &x, 16, map[0]);
	to_uniform(s, &x, 17, map[1]);
	if (offsets || cast)
		to_uniform(s, &x, 18, beside);
	end_turn(s, &x);
	static const char *const name[] = {"UTMALDG", "UTMASTG", "UTMAREDG", "UTMAPF.L2"};
	const char *text = sel_text(s, "%s.%uD%s%s%s", name[mode], rank, in->geom ? ".IM2COL" : "",
				    op, cast ? ".MULTICAST" : "");
	if (offsets || cast)
		OP(s, text, 0, at_uniform(s, 8), at_uniform(s, 16), uniform_operand(s, 18));
	else
		OP(s, text, 0, at_uniform(s, 8), at_uniform(s, 16));
	end_each(s, &x);
}

/* ---- st.async, red.async ---- */

void sm90_store_async(struct sel *s)
{
	const struct inst *in = s->in;
	bool reduces = in->op == OP_RED_ASYNC;
	unsigned words = type_bits(in->type) / 32, n = reduces ? 1 : in->vec, all = n * words;
	const char *op = reduces ? reduction_name(in->vsel[0]) : "",
		   *type = reduces ? (words == 2 ? ".64" : reduced_type(in->type, in->vsel[0]))
				   : (all == 4   ? ".128"
				      : all == 2 ? ".64"
						 : "");
	if (!op || !type || !words) {
		sel_refuse(s, "");
		return;
	}
	unsigned last = in->ns - 1u, value = 1;
	if (inst_src(in, 1)->kind == OPND_MEM) { /* [to], [mbarrier], values */
		last = 1;
		value = 2;
	}
	uint32_t to = sel_temp(s, 2), v = sel_temp(s, all);
	sm90_mov(s, mo_word(to, 0), shared_word(s, 0))->fresh = true;
	sm90_mov(s, mo_word(to, 1), shared_word(s, last));
	for (unsigned i = 0; i < n; i++)
		for (unsigned w = 0; w < words; w++)
			sm90_mov(s, all == 1 ? mo_reg(v) : mo_word(v, i * words + w),
				 sm90_src(s, value + i, w))
				->fresh = !i && !w;
	struct mo at = {.kind = MO_MEM, .v = to, .wide = true};
	OP(s, sel_text(s, "%s%s%s", reduces ? "REDAS" : "STAS", op, type), 0, at,
	   all == 1 ? mo_reg(v) : mo_wide(v));
}

/* ---- the cluster ---- */

void sm90_mapa(struct sel *s)
{
	uint32_t d = sel_dst(s, 0), t = sel_temp(s, 1);
	struct mo lo = sm90_reg(s, 0, 0), rank = sm90_reg(s, 1, 0);
	bool wide = s->m.val.v[d].words == 2;
	OP(s, "PRMT", 1, mo_reg(t), rank, mo_imm(0x654), lo);
	if (wide) {
		struct mo hi = sm90_src(s, 0, 1);
		uint32_t u = sel_temp(s, 2);
		sm90_mov(s, mo_word(u, 0), mo_reg(t))->fresh = true;
		sm90_mov(s, mo_word(u, 1), hi);
		sel_move(s, d, u);
	} else {
		sm90_mov(s, mo_reg(d), mo_reg(t));
	}
}

void sm90_ctarank(struct sel *s)
{
	OP(s, "SHF.R.U32.HI", 1, mo_reg(sel_dst(s, 0)), ZERO, mo_imm(24), sm90_reg(s, 0, 0));
}

/* Without clusters each block is a one-block cluster, and the cluster's barrier is the block's. */
void sm90_cluster_barrier(struct sel *s)
{
	const struct inst *in = s->in;
	bool arrives = in->mode == BAR_ARRIVE, known = s->f->cluster[0];
	uint32_t alone = sel_label(s), over = sel_label(s), p = sel_temp(s, 0);
	if (in->guard != NO_REG) {
		sel_refuse(s, "with a guard");
		return;
	}
	if (s->apart)
		OP(s, "WARPSYNC.ALL", 0);
	if (!known) {
		OP(s, "ISETP.NE.AND", 2, mo_pred(p), PT, sm90_force(s, mo_const(0, SM90_CLUSTERED)),
		   mo_imm(1), PT);
		branch_any(s, p, alone);
	}
	if (arrives && in->sem != SEM_RELAXED) {
		OP(s, "MEMBAR.ALL.GPU", 0);
		OP(s, "ERRBAR", 0);
		OP(s, "CGAERRBAR", 0);
	}
	OP(s, arrives ? "UCGABAR_ARV" : "UCGABAR_WAIT", 0);
	if (!arrives)
		OP(s, "CCTL.IVALL", 0);
	if (known)
		return;
	branch_any(s, V_TRUE, over);
	sel_place(s, alone);
	if (!arrives)
		OP(s, "BAR.SYNC.DEFER_BLOCKING", 0, mo_imm(0));
	sel_place(s, over);
}

/* griddepcontrol, and setmaxnreg, which moves registers between groups of warps: without effect,
 * since code that keeps its number of registers stays correct. */
void sm90_nop(struct sel *s)
{
	enum { LAUNCH_DEPENDENTS = 2, WAIT = 3 };
	if (s->in->mode == LAUNCH_DEPENDENTS)
		OP(s, "PREEXIT", 0);
	else if (s->in->mode == WAIT)
		OP(s, "ACQBULK", 0);
}
