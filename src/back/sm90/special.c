/* Special registers of sm_90. */
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

/* Special registers that the driver stores in bank 0, below the parameters. */
static bool driver_word(struct sel *s, const struct opnd *o, struct mo d)
{
	unsigned at;
	switch (o->reg) {
	case SREG_NTID: at = 4u * o->sub; break;
	case SREG_NCTAID: at = 0xc + 4u * o->sub; break;
	case SREG_DYNAMIC_SMEM_SIZE: at = 0x2c; break;
	case SREG_GRIDID: at = 0x30; break;
	case SREG_ENVREG: at = 0x40 + 4u * o->sub; break;
	case SREG_RESERVED_SMEM_END: at = 0x68; break;
	case SREG_NSMID: at = 0x10c; break;
	case SREG_CLUSTER_NCTAID: at = 0x144 + 4u * o->sub; break;
	case SREG_NCLUSTERID: at = 0x15c + 4u * o->sub; break;
	case SREG_CLUSTER_NCTARANK: at = 0x188; break;
	default: return false;
	}
	if (o->sub > 2 && o->reg != SREG_ENVREG)
		sm90_mov(s, d, ZERO)->fresh = true;
	else
		sm90_mov(s, d, mo_const(0, at))->fresh = true;
	return true;
}

/* The cluster's index, or the block's index in its cluster: quotient and remainder of the block's
 * index. The floating-point quotient is off by at most one. */
static bool cluster_index(struct sel *s, const struct opnd *o, struct mo d)
{
	static const char *const index[] = {"SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z"};
	if (o->reg != SREG_CLUSTERID && o->reg != SREG_CLUSTER_CTAID)
		return false;
	if (o->sub > 2) {
		sm90_mov(s, d, ZERO)->fresh = true;
		return true;
	}
	struct mo at = mo_reg(sel_temp(s, 1)), n = mo_reg(sel_temp(s, 1)),
		  f = mo_reg(sel_temp(s, 1)), g = mo_reg(sel_temp(s, 1)),
		  h = mo_reg(sel_temp(s, 1)), e = mo_reg(sel_temp(s, 1)),
		  q = mo_reg(sel_temp(s, 1)), r = mo_reg(sel_temp(s, 1));
	OP(s, "S2R", 1, at, mo_text(index[o->sub]));
	sm90_mov(s, n, mo_const(0, 0x144 + 4u * o->sub));
	OP(s, "I2FP.F32.U32", 1, f, n);
	OP(s, "I2FP.F32.U32", 1, g, at);
	OP(s, "MUFU.RCP", 1, h, f);
	OP(s, "FMUL", 1, e, g, h);
	OP(s, "F2I.U32.TRUNC.NTZ", 1, q, e);
	for (unsigned i = 0; i < 2;
	     i++) { /* corrects a quotient one too large, then one too small */
		struct mo p = mo_pred(sel_temp(s, 0)), no = p, u = mo_reg(sel_temp(s, 1)),
			  w = mo_reg(sel_temp(s, 1));
		struct mo rest = mo_reg(sel_temp(s, 1)), minus = mo_reg(sel_temp(s, 1));
		OP(s, "IADD3", 1, minus, mo_neg(q), ZERO, ZERO);
		OP(s, "IMAD", 1, rest, minus, n, at);
		if (i)
			OP(s, "ISETP.GE.U32.AND", 2, p, PT, rest, n, PT);
		else
			OP(s, "ISETP.LT.AND", 2, p, PT, rest, ZERO, PT);
		OP(s, "IADD3", 1, u, q, i ? mo_imm(1) : mo_imm(0xffffffff), ZERO);
		no.neg = true;
		OP(s, "SEL", 1, w, q, u, no);
		q = w;
	}
	uint32_t minus = sel_temp(s, 1);
	OP(s, "IADD3", 1, mo_reg(minus), mo_neg(q), ZERO, ZERO);
	OP(s, "IMAD", 1, r, mo_reg(minus), n, at);
	sm90_mov(s, d, o->reg == SREG_CLUSTERID ? q : r)->fresh = true;
	return true;
}

/* Sizes of shared memory: the machine's size is that of the launch with the driver's part; 0x13c: with the part that other
 * blocks may use. */
static bool shared_size(struct sel *s, unsigned reg, struct mo d)
{
	if (reg != SREG_TOTAL_SMEM_SIZE && reg != SREG_AGGR_SMEM_SIZE)
		return false;
	struct mo t = mo_reg(sel_temp(s, 1));
	OP(s, "S2R", 1, t, mo_text("SR_SMEMSZ"));
	if (reg == SREG_TOTAL_SMEM_SIZE) {
		struct mo reserved = mo_reg(sel_temp(s, 1)), minus = reserved;
		sm90_mov(s, reserved, mo_const(0, 0x114));
		minus.neg = true;
		OP(s, "IADD3", 1, d, t, minus, ZERO)->fresh = true;
	} else {
		OP(s, "VIMNMX.U32", 1, d, t, mo_const(0, 0x13c), PT)->fresh = true;
	}
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
		    {SREG_CLUSTER_CTARANK, 1, {"SR_CgaCtaId"}},
		    {SREG_CLOCK, 1, {"SR_CLOCKLO"}},
		    {SREG_CLOCK_HI, 1, {"SR_CLOCKHI"}},
		    {SREG_GLOBALTIMER_LO, 1, {"SR_GLOBALTIMERLO"}},
		    {SREG_GLOBALTIMER_HI, 1, {"SR_GLOBALTIMERHI"}}};
	const struct opnd *o = inst_src(s->in, 0);
	uint32_t d = sel_dst(s, 0);
	bool wide = s->m.val.v[d].words == 2;
	struct mo lo = mo_word(d, 0);
	if (o->reg == SREG_IS_EXPLICIT_CLUSTER) {
		struct mo t = sm90_force(s, mo_const(0, SM90_CLUSTERED));
		OP(s, "ISETP.EQ.AND", 2, mo_pred(d), PT, t, mo_imm(1), PT);
		return;
	}
	if (o->reg == SREG_CURRENT_GRAPH_EXEC) {
		for (unsigned w = 0; w < s->m.val.v[d].words; w++)
			sm90_mov(s, mo_word(d, w), mo_const(0, SM90_GRAPH + 4 * w))->fresh = !w;
		return;
	}
	if (o->reg == SREG_PM || o->reg == SREG_PM64) {
		const char *counter = sel_text(s, "SR_PM%u", o->sub);
		struct mi *in = o->reg == SREG_PM64 ? OP(s, "CS2R", 1, mo_wide(d), mo_text(counter))
						    : OP(s, "CS2R.32", 1, lo, mo_text(counter));
		in->fresh = true;
		in->keep = true;
		if (o->reg == SREG_PM && wide)
			sm90_mov(s, mo_word(d, 1), ZERO);
		return;
	}
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
	} else if (o->reg == SREG_RESERVED_SMEM_BEGIN || o->reg == SREG_RESERVED_SMEM_CAP) {
		bool cap = o->reg == SREG_RESERVED_SMEM_CAP;
		sm90_mov(s, lo, cap ? mo_imm(SM90_SHARED) : ZERO)->fresh = true;
	} else if (!driver_word(s, o, lo) && !unit_number(s, o->reg, lo) &&
		   !shared_size(s, o->reg, lo) && !cluster_index(s, o, lo)) {
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
