/* Operations between the lanes of a warp, and barriers of the block, on sm_90. */
#include "back/sm90/sm90.h"

void sm90_converge(struct sel *s, unsigned i)
{
	int64_t v;
	if (i >= s->in->ns || !(s->in->mods & M_SYNC) || !s->apart)
		return;
	if (sel_is_imm(s, i, &v) && (uint32_t)v == 0xffffffff)
		OP(s, "WARPSYNC.ALL", 0);
	else
		OP(s, "WARPSYNC", 0, sm90_reg(s, i, 0));
}

void sm90_warpsync(struct sel *s)
{
	int64_t v;
	if (sel_is_imm(s, 0, &v) && (uint32_t)v == 0xffffffff)
		OP(s, "WARPSYNC.ALL", 0);
	else
		OP(s, "WARPSYNC", 0, sm90_reg(s, 0, 0));
}

/* A lane number or bound: an immediate reduced to the mask's bits, or a register. */
static struct mo bits_of(struct sel *s, unsigned i, uint32_t mask)
{
	int64_t v;
	if (sel_is_imm(s, i, &v))
		return mo_imm((int64_t)((uint32_t)v & mask));
	return sm90_reg(s, i, 0);
}

void sm90_shuffle(struct sel *s)
{
	static const char *const name[] = {[SHFL_UP] = "SHFL.UP",
					   [SHFL_DOWN] = "SHFL.DOWN",
					   [SHFL_BFLY] = "SHFL.BFLY",
					   [SHFL_IDX] = "SHFL.IDX"};
	const struct inst *in = s->in;
	struct mo b = bits_of(s, 1, 31), c = bits_of(s, 2, 0x1fff), a = sm90_reg(s, 0, 0);
	struct mo d =
		inst_dst(in, 0)->kind == OPND_SINK ? mo_reg(sel_temp(s, 1)) : mo_reg(sel_dst(s, 0));
	sm90_converge(s, 3);
	OP(s, name[in->mode], 2,
	   in->nd > 1 && inst_dst(in, 1)->kind != OPND_SINK ? mo_pred(sel_dst(s, 1)) : PT, d, a, b,
	   c)
		->keep = true;
}

static struct mo vote_word(struct sel *s, struct mo p)
{
	struct mo t = mo_reg(sel_temp(s, 1));
	OP(s, "VOTE.ANY", 2, t, PT, p)->keep = true;
	return t;
}

static bool names_all(struct sel *s, unsigned i)
{
	int64_t v;
	return i >= s->in->ns || (sel_is_imm(s, i, &v) && (uint32_t)v == 0xffffffff);
}

/* Votes of the lanes that a mask names: counts the lanes with a true and with a false predicate. */
static void vote_of_some(struct sel *s, struct mo p, struct mo mask)
{
	const struct inst *in = s->in;
	struct mo d = mo_pred(sel_dst(s, 0)), no = p, q = mo_pred(sel_temp(s, 0));
	no.neg = !no.neg;
	struct mo w = vote_word(s, in->mode == VOTE_ANY ? p : no), t = mo_reg(sel_temp(s, 1));
	sm90_lut(s, t, w, mask, ZERO, LUT_AND);
	if (in->mode != VOTE_UNI) {
		OP(s, in->mode == VOTE_ANY ? "ISETP.NE.AND" : "ISETP.EQ.AND", 2, d, PT, t, ZERO,
		   PT);
		return;
	}
	struct mo y = vote_word(s, p), u = mo_reg(sel_temp(s, 1));
	sm90_lut(s, u, y, mask, ZERO, LUT_AND);
	OP(s, "ISETP.EQ.AND", 2, q, PT, t, ZERO, PT);
	OP(s, "ISETP.EQ.OR", 2, d, PT, u, ZERO, q);
}

void sm90_vote(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo p = sel_predicate(s, 0), mask = names_all(s, 1) ? ZERO : sm90_reg(s, 1, 0);
	sm90_converge(s, 1);
	if (in->mode == VOTE_BALLOT) {
		struct mo t = vote_word(s, p), d = mo_reg(sel_dst(s, 0));
		if (names_all(s, 1))
			sm90_mov(s, d, t);
		else
			sm90_lut(s, d, t, mask, ZERO, LUT_AND);
		return;
	}
	if (!names_all(s, 1)) {
		vote_of_some(s, p, mask);
		return;
	}
	OP(s,
	   in->mode == VOTE_ALL   ? "VOTE.ALL"
	   : in->mode == VOTE_ANY ? "VOTE.ANY"
				  : "VOTE.EQ",
	   1, mo_pred(sel_dst(s, 0)), p)
		->keep = true;
}

void sm90_activemask(struct sel *s) { sm90_mov(s, mo_reg(sel_dst(s, 0)), vote_word(s, PT)); }

/* The machine compares with all active lanes; lanes that the mask does not name are removed from
 * the result. */
void sm90_match(struct sel *s)
{
	const struct inst *in = s->in;
	bool wide = type_bits(in->type) == 64, all = in->mode != VOTE_ANY;
	struct mo a = wide ? sm90_pair(s, 0) : sm90_reg(s, 0, 0), mask = sm90_reg(s, 1, 0);
	struct mo t = mo_reg(sel_temp(s, 1)), u = mo_reg(sel_temp(s, 1)), d = mo_reg(sel_dst(s, 0));
	sm90_converge(s, 1);
	OP(s, wide ? "MATCH.ANY.U64" : "MATCH.ANY", 1, t, a)->keep = true;
	if (!all) {
		sm90_lut(s, d, t, mask, ZERO, LUT_AND);
		return;
	}
	struct mo here = vote_word(s, PT),
		  p = in->nd > 1 ? mo_pred(sel_dst(s, 1)) : mo_pred(sel_temp(s, 0)), np = p;
	np.neg = true;
	sm90_lut(s, t, t, mask, ZERO, LUT_AND);
	sm90_lut(s, u, here, mask, ZERO, LUT_AND);
	OP(s, "ISETP.EQ.AND", 2, p, PT, t, u, PT);
	OP(s, "SEL", 1, d, ZERO, t, np);
}

/* The result is the warp's, in a uniform register. */
void sm90_reduce(struct sel *s)
{
	static const char *const name[] = {
		[ATOM_ADD] = ".SUM", [ATOM_AND] = "",     [ATOM_OR] = ".OR",
		[ATOM_XOR] = ".XOR", [ATOM_MIN] = ".MIN", [ATOM_MAX] = ".MAX"};
	const struct inst *in = s->in;
	bool sign = type_is_signed(in->type) && (in->mode == ATOM_MIN || in->mode == ATOM_MAX);
	if (type_is_float(in->type)) {
		sel_refuse(s, "");
		return;
	}
	struct mo a = sm90_reg(s, 0, 0);
	sm90_converge(s, 1);
	OP(s, sel_text(s, "REDUX%s%s", name[in->mode], sign ? ".S32" : ""), 0, mo_text("UR6"), a);
	sm90_mov(s, mo_reg(sel_dst(s, 0)), mo_text("UR6"))->keep = true;
}

/* Elects the lowest lane of the mask that executes the instruction. */
void sm90_elect(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo mask = sm90_reg(s, 0, 0), t = mo_reg(sel_temp(s, 1)), u = mo_reg(sel_temp(s, 1)),
		  lane = mo_reg(sel_temp(s, 1));
	sm90_converge(s, 0);
	if (names_all(s, 0) && in->nd > 1 && inst_dst(in, 1)->kind != OPND_SINK &&
	    inst_dst(in, 0)->kind == OPND_SINK) {
		OP(s, "ELECT", 1, mo_pred(sel_dst(s, 1)), mo_text("URZ"), PT)->keep = true;
		return;
	}
	sm90_lut(s, t, vote_word(s, PT), mask, ZERO, LUT_AND);
	OP(s, "BREV", 1, u, t);
	OP(s, "FLO.U32.SH", 1, t, u);
	if (inst_dst(in, 0)->kind != OPND_SINK)
		sm90_mov(s, mo_reg(sel_dst(s, 0)), t);
	if (in->nd < 2 || inst_dst(in, 1)->kind == OPND_SINK)
		return;
	OP(s, "S2R", 1, lane, mo_text("SR_LANEID"));
	OP(s, "ISETP.EQ.AND", 2, mo_pred(sel_dst(s, 1)), PT, lane, t, PT);
}

/* ---- barriers of the block ---- */

/* A barrier's number in the lower and its number of threads in the upper half of a register. */
static struct mo pack_barrier(struct sel *s, struct mo id, struct mo count)
{
	struct mo t = mo_reg(sel_temp(s, 1));
	OP(s, "LEA", 1, t, sm90_force(s, count), sm90_force(s, id), mo_imm(16));
	return t;
}

void sm90_barrier(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned k = 1;
	if (in->imm & BAR_CLUSTER) {
		sm90_cluster_barrier(s);
		return;
	}
	if (in->imm & BAR_WARPGROUP) {
		sm90_wgmma_wait(s);
		return;
	}
	if (in->mode == BAR_WAIT) {
		sel_refuse(s, "barriers of groups of warps");
		return;
	}
	struct mo id = sm90_src(s, 0, 0), count = ZERO, with[3];
	bool has_count = in->imm & BAR_HAS_COUNT;
	unsigned n = 0;
	if (has_count)
		count = sm90_src(s, k++, 0);
	if (id.kind == MO_ZERO)
		id = mo_imm(0);
	if (!has_count)
		with[n++] = id;
	else if (count.kind == MO_IMM) {
		with[n++] = id;
		with[n++] = count;
	} else if (id.kind == MO_IMM) {
		with[n++] = id;
		with[n++] = sm90_force(s, count);
	} else {
		with[0] = with[1] = pack_barrier(s, id, count);
		n = 2;
	}
	if (in->mode == BAR_RED)
		with[n++] = sel_predicate(s, k);
	if (s->apart) /* the machine counts a warp when the first of its threads arrives */
		OP(s, "WARPSYNC.ALL", 0);
	const char *name = in->mode == BAR_ARRIVE ? "BAR.ARV"
			   : in->mode == BAR_SYNC ? "BAR.SYNC.DEFER_BLOCKING"
			   : in->bop == BOP_POPC  ? "BAR.RED.POPC.DEFER_BLOCKING"
			   : in->bop == BOP_AND   ? "BAR.RED.AND.DEFER_BLOCKING"
						  : "BAR.RED.OR.DEFER_BLOCKING";
	sel_op(s, name, 0, n, with);
	if (in->mode != BAR_RED)
		return;
	if (in->bop == BOP_POPC)
		OP(s, "B2R.RESULT", 1, mo_reg(sel_dst(s, 0)))->keep = true;
	else
		OP(s, "B2R.RESULT", 2, ZERO, mo_pred(sel_dst(s, 0)))->keep = true;
}
