/* Special registers, barriers and votes on sm_20. */
#include "back/select/operations.h"

/* Reads the numbers of warps and processors, which are fields of two special registers. */
static bool unit_number(struct sel *s, unsigned reg, struct mo d)
{
	bool count = reg == SREG_NWARPID || reg == SREG_NSMID;
	bool warp = reg == SREG_WARPID || reg == SREG_NWARPID;
	if (!count && !warp && reg != SREG_SMID)
		return false;
	uint32_t t = sel_temp(s, 1);
	OP(s, "S2R", 1, mo_reg(t), mo_text(count ? "SR_VirtCfg" : "SR_VirtId"));
	OP(s, "BFE.U32", 1, d, mo_reg(t), mo_imm(warp ? 0xc08 : 0xc14))->fresh = true;
	return true;
}

/* Reads the launch's properties that the driver writes to bank 1. */
static bool driver_word(struct sel *s, const struct opnd *o, struct mo d)
{
	static const uint8_t behind[] = {DRIVER_WORDS};
	unsigned n = 0;
	if (o->reg == SREG_ENVREG) {
		n = o->sub;
	} else {
		while (n < sizeof behind && behind[n] != o->reg)
			n++;
		if (n == sizeof behind)
			return false;
		n += DRIVER_ENVREGS;
	}
	OP(s, "MOV", 1, d, mo_const(1, 4 * n))->fresh = true;
	return true;
}

void fermi_special(struct sel *s)
{
	static const struct {
		uint8_t sreg, n;
		const char *name[3];
	} rows[] = {{SREG_TID, 3, {"SR_Tid_X", "SR_Tid_Y", "SR_Tid_Z"}},
		    {SREG_CTAID, 3, {"SR_CTAid_X", "SR_CTAid_Y", "SR_CTAid_Z"}},
		    {SREG_LANEID, 1, {"SR_LaneId"}},
		    {SREG_LANEMASK_EQ, 1, {"SR_EqMask"}},
		    {SREG_LANEMASK_LT, 1, {"SR_LtMask"}},
		    {SREG_LANEMASK_LE, 1, {"SR_LeMask"}},
		    {SREG_LANEMASK_GT, 1, {"SR_GtMask"}},
		    {SREG_LANEMASK_GE, 1, {"SR_GeMask"}},
		    {SREG_CLOCK, 1, {"SR_ClockLo"}},
		    {SREG_CLOCK_HI, 1, {"SR_ClockHi"}}};
	const struct opnd *o = inst_src(s->in, 0);
	uint32_t d = sel_dst(s, 0);
	bool wide = s->m.val.v[d].words == 2;
	struct mo lo = mo_word(d, 0);
	if (o->reg == SREG_CLOCK64) {
		OP(s, "S2R", 1, lo, mo_text("SR_ClockLo"))->fresh = true;
		OP(s, "S2R", 1, mo_word(d, 1), mo_text("SR_ClockHi"))->keep = true;
		return;
	}
	if (o->reg == SREG_NTID && o->sub < 3)
		OP(s, "MOV", 1, lo, mo_const(0, 8 + 4u * o->sub))->fresh = true;
	else if (o->reg == SREG_NCTAID && o->sub < 3)
		OP(s, "MOV", 1, lo, mo_const(0, 0x14 + 4u * o->sub))->fresh = true;
	else if ((o->reg == SREG_TID || o->reg == SREG_CTAID || o->reg == SREG_NTID ||
		  o->reg == SREG_NCTAID) &&
		 o->sub == 3)
		OP(s, "MOV", 1, lo, mo_zero())->fresh = true;
	else if (!unit_number(s, o->reg, lo) && !driver_word(s, o, lo)) {
		const char *name = NULL;
		for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
			if (rows[i].sreg == o->reg && o->sub < rows[i].n)
				name = rows[i].name[o->sub];
		if (!name) {
			sel_refuse(s, sel_text(s, "the special register %%%s",
					       sreg_info[o->reg].name));
			return;
		}
		OP(s, "S2R", 1, lo, mo_text(name))->fresh = true;
	}
	if (wide)
		OP(s, "MOV", 1, mo_word(d, 1), mo_zero());
}

static struct mo bar_number(struct sel *s, unsigned i)
{
	struct mo o = sel_src(s, i, 0);
	return o;
}

void fermi_barrier(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned k = 1;
	if (in->imm & BAR_CLUSTER || in->mode == BAR_WAIT) {
		sel_refuse(s, "");
		return;
	}
	struct mo id = bar_number(s, 0),
		  count = in->imm & BAR_HAS_COUNT ? bar_number(s, k++) : mo_zero();
	if (in->mode == BAR_ARRIVE) {
		OP(s, "BAR.ARV", 0, id, count);
		return;
	}
	if (in->mode == BAR_SYNC) {
		OP(s, "BAR.RED.POPC", 0, mo_zero(), id, count);
		return;
	}
	struct mo p = sel_predicate(s, k);
	if (in->bop == BOP_POPC)
		OP(s, "BAR.RED.POPC", 1, mo_reg(sel_dst(s, 0)), id, count, p)->keep = true;
	else
		OP(s, in->bop == BOP_AND ? "BAR.RED.AND" : "BAR.RED.OR", 2, mo_zero(),
		   mo_pred(sel_dst(s, 0)), id, count, p)
			->keep = true;
}

void fermi_vote(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo p = sel_predicate(s, 0);
	if (in->mode == VOTE_BALLOT) {
		uint32_t d = sel_dst(s, 0);
		OP(s, "VOTE.ANY", 1, mo_reg(d), mo_pred(V_TRUE), p);
		int64_t mask;
		if (in->ns > 1 && !(sel_is_imm(s, 1, &mask) && (uint32_t)mask == 0xffffffff))
			OP(s, "LOP.AND", 1, mo_reg(d), mo_reg(d), sel_reg(s, 1, 0));
		return;
	}
	OP(s,
	   in->mode == VOTE_ALL   ? "VOTE.ALL"
	   : in->mode == VOTE_ANY ? "VOTE.ANY"
				  : "VOTE.EQ",
	   2, mo_zero(), mo_pred(sel_dst(s, 0)), p);
}

void fermi_activemask(struct sel *s)
{
	OP(s, "VOTE.ANY", 1, mo_reg(sel_dst(s, 0)), mo_pred(V_TRUE), mo_pred(V_TRUE));
}
