/* Special registers and functions of the driver on sm_90. */
#include "back/sm90/sm90.h"

/* Numbers of warps: fields of two special registers. */
static bool unit_number(struct sel *s, unsigned reg, struct mo d)
{
	bool warp = reg == SREG_WARPID, warps = reg == SREG_NWARPID;
	if (!warp && !warps)
		return false;
	struct mo t = mo_reg(sel_temp(s, 1)), u = mo_reg(sel_temp(s, 1));
	OP(s, "S2R", 1, t, mo_text(warps ? "SR_VIRTCFG" : "SR_VIRTID"));
	OP(s, "SHF.R.U32.HI", 1, u, ZERO, mo_imm(8), t);
	OP(s, "SGXT.U32", 1, d, u, mo_imm(warps ? 8 : 7))->fresh = true;
	return true;
}

/* Words of bank 0 below the parameters, where the driver writes them. */
static bool driver_word(struct sel *s, const struct opnd *o, struct mo d)
{
	unsigned at;
	switch (o->reg) {
	case SREG_NTID: at = 4u * o->sub; break;
	case SREG_NCTAID: at = 0xc + 4u * o->sub; break;
	case SREG_DYNAMIC_SMEM_SIZE: at = 0x2c; break;
	case SREG_GRIDID: at = 0x30; break;
	case SREG_ENVREG: at = 0x40 + 4u * o->sub; break;
	case SREG_NSMID: at = 0x10c; break;
	default: return false;
	}
	if (o->sub > 2 && o->reg != SREG_ENVREG)
		sm90_mov(s, d, ZERO)->fresh = true;
	else
		sm90_mov(s, d, mo_const(0, at))->fresh = true;
	return true;
}

void sm90_special(struct sel *s)
{
	static const struct {
		uint8_t sreg, n;
		const char *name[3];
	} rows[] = {{SREG_TID, 3, {"SR_TID.X", "SR_TID.Y", "SR_TID.Z"}},
		    {SREG_CTAID, 3, {"SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z"}},
		    {SREG_LANEID, 1, {"SR_LANEID"}},
		    {SREG_SMID, 1, {"SR_VIRTUALSMID"}},
		    {SREG_LANEMASK_EQ, 1, {"SR_EQMASK"}},
		    {SREG_LANEMASK_LT, 1, {"SR_LTMASK"}},
		    {SREG_LANEMASK_LE, 1, {"SR_LEMASK"}},
		    {SREG_LANEMASK_GT, 1, {"SR_GTMASK"}},
		    {SREG_LANEMASK_GE, 1, {"SR_GEMASK"}},
		    {SREG_TOTAL_SMEM_SIZE, 1, {"SR_SMEMSZ"}},
		    {SREG_CLOCK, 1, {"SR_CLOCKLO"}},
		    {SREG_CLOCK_HI, 1, {"SR_CLOCKHI"}},
		    {SREG_GLOBALTIMER_LO, 1, {"SR_GLOBALTIMERLO"}},
		    {SREG_GLOBALTIMER_HI, 1, {"SR_GLOBALTIMERHI"}}};
	const struct opnd *o = inst_src(s->in, 0);
	uint32_t d = sel_dst(s, 0);
	bool wide = s->m.val.v[d].words == 2;
	struct mo lo = mo_word(d, 0);
	if (o->reg == SREG_CLOCK64 || o->reg == SREG_GLOBALTIMER) {
		uint32_t t = sel_temp(s, 2);
		OP(s, "CS2R", 1, mo_wide(t),
		   mo_text(o->reg == SREG_CLOCK64 ? "SR_CLOCKLO" : "SR_GLOBALTIMERLO"))
			->keep = true;
		for (unsigned w = 0; w < s->m.val.v[d].words; w++)
			sm90_mov(s, mo_word(d, w), mo_word(t, w))->fresh = !w;
		return;
	}
	if ((o->reg == SREG_TID || o->reg == SREG_CTAID) && o->sub == 3) {
		sm90_mov(s, lo, ZERO)->fresh = true;
	} else if (!driver_word(s, o, lo) && !unit_number(s, o->reg, lo)) {
		const char *name = NULL;
		for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
			if (rows[i].sreg == o->reg && o->sub < rows[i].n)
				name = rows[i].name[o->sub];
		if (!name) {
			sel_refuse(s, sel_text(s, "the special register %%%s",
					       sreg_info[o->reg].name));
			return;
		}
		bool clock = o->reg == SREG_CLOCK || o->reg == SREG_CLOCK_HI;
		struct mi *in = OP(s, clock ? "CS2R.32" : "S2R", 1, lo, mo_text(name));
		in->fresh = true;
		in->keep = clock;
	}
	if (wide)
		sm90_mov(s, mo_word(d, 1), o->reg == SREG_GRIDID ? mo_const(0, 0x34) : ZERO);
}

void sm90_nanosleep(struct sel *s)
{
	struct mo a = sm90_src(s, 0, 0);
	OP(s, "NANOSLEEP", 0, a.kind == MO_ZERO ? sm90_force(s, a) : a);
}

void sm90_call(struct sel *s) { sel_refuse(s, "calls of the driver's functions"); }
