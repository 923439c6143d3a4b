/* Lifts operations between the lanes of a warp, barriers of blocks, and special registers. */
#include "lift/sm70/memory.h"

#include <string.h>

/* ---- lanes ---- */

static struct opnd active_lanes(struct lift *l)
{
	struct opnd t = gen_t(&l->g);
	gen_emit(&l->g, (struct inst){.op = OP_ACTIVEMASK, .type = T_B32, .nd = 1}, &t, 1);
	return t;
}

static void do_shfl(struct lift *l)
{
	static const uint16_t word[] = {SM70_W_UP, SM70_W_DOWN, SM70_W_BFLY, SM70_W_IDX};
	static const uint8_t mode[] = {SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX};
	struct ngen *g = &l->g;
	unsigned m = SHFL_IDX;
	for (unsigned i = 0; i < 4; i++)
		if (has(l, word[i]))
			m = mode[i];
	struct opnd a = lift_reg(l, lift_raw(l, opd(l, SM70_R_A))),
		    b = lift_raw(l, opd(l, SM70_R_B)), c = lift_raw(l, opd(l, SM70_R_C));
	gen_emit(g, (struct inst){.op = OP_SHFL, .type = T_B32, .mode = (uint8_t)m, .nd = 2},
		 GEN_LIST(lift_dst(l), lift_pred_dst(l, SM70_R_PD), a, b, c, active_lanes(l)));
}

/* VOTE. D: the ballot; PD: the vote. */
static void do_vote(struct lift *l, bool uniform)
{
	struct ngen *g = &l->g;
	unsigned m = has(l, SM70_W_ANY) ? VOTE_ANY : has(l, SM70_W_EQ) ? VOTE_UNI : VOTE_ALL;
	const struct sm70_operand *d = opd(l, SM70_R_D), *p = opd(l, SM70_R_PD);
	if (d && d->reg != SM70_RZ) {
		struct opnd t = uniform ? gen_t(g) : lift_dst(l);
		gen_mode(g, OP_VOTE, T_B32, VOTE_BALLOT, t, lift_pred(l, SM70_R_PA));
		if (uniform)
			lift_broadcast(l, lift_dst(l), t);
	}
	if (!p || p->reg == SM70_PT)
		return;
	struct opnd q = uniform ? gen_q(g) : lift_pred_dst(l, SM70_R_PD);
	gen_mode(g, OP_VOTE, T_PRED, m, q, lift_pred(l, SM70_R_PA));
	if (!uniform)
		return;
	struct opnd t = gen_t(g);
	lift_broadcast(l, t, lift_pred_word(l, q, 1));
	gen_setp(g, CMP_NE, T_U32, lift_pred_dst(l, SM70_R_PD), t, imm(0));
}

static void do_match(struct lift *l)
{
	struct ngen *g = &l->g;
	bool wide = has(l, SM70_W_U64), all = has(l, SM70_W_ALL);
	const struct sm70_operand *ao = opd(l, SM70_R_A);
	struct opnd a = wide ? lift_reg(l, lift_raw64(l, ao)) : lift_reg(l, lift_raw(l, ao)),
		    mask = active_lanes(l);
	struct inst in = {.op = OP_MATCH,
			  .type = wide ? T_B64 : T_B32,
			  .mode = all ? VOTE_ALL : VOTE_ANY,
			  .nd = all ? 2 : 1};
	if (all)
		gen_emit(g, in, GEN_LIST(lift_dst(l), lift_pred_dst(l, SM70_R_PD), a, mask));
	else
		gen_emit(g, in, GEN_LIST(lift_dst(l), a, mask));
}

static void do_redux(struct lift *l)
{
	static const uint16_t word[] = {SM70_W_OR, SM70_W_XOR, SM70_W_SUM, SM70_W_MIN, SM70_W_MAX};
	static const uint8_t mode[] = {ATOM_OR, ATOM_XOR, ATOM_ADD, ATOM_MIN, ATOM_MAX};
	struct ngen *g = &l->g;
	unsigned m = ATOM_AND;
	for (unsigned i = 0; i < 5; i++)
		if (has(l, word[i]))
			m = mode[i];
	unsigned type = has(l, SM70_W_F32)                               ? T_F32
			: has(l, SM70_W_S32)                             ? T_S32
			: m == ATOM_AND || m == ATOM_OR || m == ATOM_XOR ? T_B32
									 : T_U32;
	unsigned mods = (has(l, SM70_W_NAN) ? M_NAN : 0) | (has(l, SM70_W_ABS) ? M_ABS : 0);
	struct opnd a = lift_reg(l, lift_raw(l, opd(l, SM70_R_A))), t = gen_t(g);
	gen_emit(g,
		 (struct inst){.op = OP_REDUX,
			       .type = (uint8_t)type,
			       .mode = (uint8_t)m,
			       .mods = mods,
			       .nd = 1},
		 GEN_LIST(t, a, active_lanes(l)));
	lift_broadcast(l, lift_dst(l), t);
}

static void do_elect(struct lift *l)
{
	struct ngen *g = &l->g;
	struct opnd t = gen_t(g), p = lift_pred_dst(l, SM70_R_PD);
	gen_emit(g, (struct inst){.op = OP_ELECT, .type = T_B32, .nd = 2},
		 GEN_LIST(t, p, active_lanes(l)));
	lift_broadcast(l, lift_dst(l), t);
}

/* ---- barriers of the block ---- */

/* The result of BAR.RED, kept until B2R.RESULT. */
static struct opnd bar_word(void) { return val_reg(RC_BAR, 0, T_B32); }
static struct opnd bar_pred(void) { return val_reg(RC_BARP, 0, T_PRED); }

static void do_bar(struct lift *l)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *id = NULL, *count = NULL;
	for (unsigned i = 0; i < l->in->nop; i++) { /* the barrier's number, then the number of
	                                             * threads */
		const struct sm70_operand *o = &l->in->o[i];
		if (o->kind != SM70_K_GPR && o->kind != SM70_K_IMM && o->kind != SM70_K_UGPR)
			continue;
		if (!id)
			id = o;
		else if (!count && !(o->kind == SM70_K_GPR && o->reg == SM70_RZ) && !o->hidden)
			count = o;
	}
	struct opnd o[5];
	unsigned n = 0;
	struct inst in = {.op = OP_BAR, .type = T_U32};
	if (has(l, SM70_W_SCAN)) {
		lift_refuse(l, "%s", "");
		return;
	}
	in.mode = has(l, SM70_W_ARV) ? BAR_ARRIVE : has(l, SM70_W_RED) ? BAR_RED : BAR_SYNC;
	if (in.mode == BAR_RED) {
		in.bop = has(l, SM70_W_POPC) ? BOP_POPC : has(l, SM70_W_AND) ? BOP_AND : BOP_OR;
		in.nd = 1;
		o[n++] = in.bop == BOP_POPC ? bar_word() : bar_pred();
	}
	if (id && count && id->kind == SM70_K_GPR && count->kind == SM70_K_GPR &&
	    id->reg == count->reg) {
		/* one register has the number in its lower bits and the threads in its upper
		 * half */
		struct opnd number = gen_t(g), threads = gen_t(g);
		gen(g, OP_AND, T_B32, number, lift_raw(l, id), imm(15));
		gen(g, OP_BFE, T_U32, threads, lift_raw(l, id), imm_as(T_U32, 16),
		    imm_as(T_U32, 12));
		o[n++] = number;
		in.imm |= BAR_HAS_COUNT;
		o[n++] = threads;
		count = NULL;
	} else {
		o[n++] = id ? lift_raw(l, id) : imm(0);
	}
	if (is_imm(o[n - 1]))
		o[n - 1] = imm_as(T_U32, (uint64_t)o[n - 1].imm);
	if (count) {
		in.imm |= BAR_HAS_COUNT;
		o[n++] = lift_raw(l, count);
	}
	if (in.mode == BAR_RED) {
		in.imm |= BAR_HAS_PRED;
		o[n++] = lift_pred(l, SM70_R_PA);
	}
	gen_emit(g, in, o, n);
}

static void do_b2r(struct lift *l)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *d = opd(l, SM70_R_D), *p = opd(l, SM70_R_PD);
	if (!has(l, SM70_W_RESULT)) {
		lift_refuse(l, "%s", "");
		return;
	}
	if (d && d->reg != SM70_RZ)
		gen(g, OP_MOV, T_U32, lift_dst(l), bar_word());
	if (p && p->reg != SM70_PT)
		gen(g, OP_MOV, T_PRED, lift_pred_dst(l, SM70_R_PD), bar_pred());
}

/* ---- special registers ---- */

static bool special_register(struct lift *l, const char *name, struct opnd d)
{
	static const struct {
		const char *name;
		uint8_t reg, component;
	} rows[] = {{"SR_LANEID", SREG_LANEID, 0},
		    {"SR_TID.X", SREG_TID, 0},
		    {"SR_TID.Y", SREG_TID, 1},
		    {"SR_TID.Z", SREG_TID, 2},
		    {"SR_CTAID.X", SREG_CTAID, 0},
		    {"SR_CTAID.Y", SREG_CTAID, 1},
		    {"SR_CTAID.Z", SREG_CTAID, 2},
		    {"SR_NTID.X", SREG_NTID, 0},
		    {"SR_NTID.Y", SREG_NTID, 1},
		    {"SR_NTID.Z", SREG_NTID, 2},
		    {"SR_EQMASK", SREG_LANEMASK_EQ, 0},
		    {"SR_LTMASK", SREG_LANEMASK_LT, 0},
		    {"SR_LEMASK", SREG_LANEMASK_LE, 0},
		    {"SR_GTMASK", SREG_LANEMASK_GT, 0},
		    {"SR_GEMASK", SREG_LANEMASK_GE, 0},
		    {"SR_CLOCKLO", SREG_CLOCK, 0},
		    {"SR_CLOCKHI", SREG_CLOCK_HI, 0},
		    {"SR_GLOBALTIMERLO", SREG_GLOBALTIMER_LO, 0},
		    {"SR_GLOBALTIMERHI", SREG_GLOBALTIMER_HI, 0},
		    {"SR_VIRTUALSMID", SREG_SMID, 0},
		    {"SR_CgaCtaId", SREG_CLUSTER_CTARANK, 0}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strcmp(rows[i].name, name)) {
			gen(&l->g, OP_MOV, T_U32, d, sreg(rows[i].reg, rows[i].component));
			return true;
		}
	return false;
}

/* The numbers of the warp and the processor, packed. */
static void pack_virtid(struct lift *l, struct opnd d)
{
	struct ngen *g = &l->g;
	struct opnd w = gen_t(g), s = gen_t(g);
	gen(g, OP_MOV, T_U32, w, sreg(SREG_WARPID, 0));
	gen(g, OP_SHL, T_B32, w, w, imm(8));
	gen(g, OP_MOV, T_U32, s, sreg(SREG_SMID, 0));
	gen(g, OP_SHL, T_B32, s, s, imm(20));
	gen(g, OP_OR, T_B32, d, w, s);
}

/* Bytes of the block's shared memory. From sm_90 on they include those of the system, which a block has even if the
 * program uses none. */
static void shared_size(struct lift *l, struct opnd d)
{
	gen(&l->g, OP_MOV, T_U32, d, sreg(SREG_TOTAL_SMEM_SIZE, 0));
	if (l->file->elf.sm >= 90)
		gen(&l->g, OP_MAX, T_U32, d, d, imm(LIFT_SHARED_RESERVED));
}

/* Most warps of a processor. */
static unsigned most_warps(unsigned sm) { return sm < 80 ? 32 : sm == 86 || sm == 89 ? 48 : 64; }

static void read_special(struct lift *l, const char *name, struct opnd d)
{
	struct ngen *g = &l->g;
	if (special_register(l, name, d))
		return;
	if (!strcmp(name, "SR_SWINHI"))
		gen(g, OP_MOV, T_U32, d, imm(LIFT_SHARED_HIGH));
	else if (!strcmp(name, "SRZ"))
		gen(g, OP_MOV, T_U32, d, imm(0));
	else if (!strcmp(name, "SR_VIRTID"))
		pack_virtid(l, d);
	else if (!strcmp(name, "SR_LMEMHIOFF"))
		gen(g, OP_MOV, T_U32, d,
		    imm(0)); /* lowest address of the stack; nvcc -G compares R1 with it */
	else if (!strcmp(name, "SR_SMEMSZ"))
		shared_size(l, d);
	else if (!strcmp(name, "SR_VIRTCFG"))
		gen(g, OP_MOV, T_U32, d, imm(most_warps(l->file->elf.sm) << 8));
	else if (!strncmp(name, "SR_PM", 5)) /* performance counters, which nothing has set up */
		gen(g, OP_MOV, T_U32, d, imm(0));
	else
		lift_refuse(l, "a special register of no known meaning");
}

static void do_s2r(struct lift *l)
{
	char name[40] = "", next[40] = "", buf[40];
	const struct sm70_operand *s = NULL;
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_SREG)
			s = &l->in->o[i];
	if (!s) {
		lift_refuse(l, "%s", "");
		return;
	}
	snprintf(name, sizeof name, "%s", sm70_sreg_name(l->file->elf.sm, s->reg, buf));
	bool wide = l->in->op == SM70_CS2R && !has(l, SM70_W__32);
	read_special(l, name, lift_dst(l));
	if (!wide)
		return;
	if (!strcmp(name, "SRZ"))
		strcpy(next, "SRZ");
	else if (!strcmp(name, "SR_CLOCKLO"))
		strcpy(next, "SR_CLOCKHI");
	else if (!strcmp(name, "SR_GLOBALTIMERLO"))
		strcpy(next, "SR_GLOBALTIMERHI");
	else
		snprintf(next, sizeof next, "%s",
			 sm70_sreg_name(l->file->elf.sm, s->reg + 1u, buf));
	read_special(l, next, lift_dst_word(l, 1));
}

bool lift_warp(struct lift *l)
{
	struct ngen *g = &l->g;
	switch (l->in->op) {
	case SM70_SHFL: do_shfl(l); return true;
	case SM70_VOTE: do_vote(l, false); return true;
	case SM70_VOTEU: do_vote(l, true); return true;
	case SM70_MATCH: do_match(l); return true;
	case SM70_REDUX:
	case SM70_CREDUX: do_redux(l); return true;
	case SM70_ELECT: do_elect(l); return true;
	case SM70_R2UR: {
		if (has(l, SM70_W_FILL)) {
			lift_refuse(l, "a fill");
			return true;
		}
		const struct sm70_operand *p = opd(l, SM70_R_PD);
		struct opnd s = lift_reg(l, lift_raw(l, opd(l, SM70_R_A) ? opd(l, SM70_R_A)
									 : opd(l, SM70_R_B))),
			    t = gen_t(g);
		lift_broadcast(l, t, s);
		if (p &&
		    p->reg !=
			    SM70_PT) { /* lanes with a different value; OR: lanes named before count
			                * too */
			struct opnd q = lift_pred_dst(l, SM70_R_PD), differs = gen_q(g);
			gen_setp(g, CMP_NE, T_U32, differs, s, t);
			if (has(l, SM70_W_OR))
				gen(g, OP_OR, T_PRED, q, q, differs);
			else
				gen(g, OP_MOV, T_PRED, q, differs);
		}
		const struct sm70_operand *d = opd(l, SM70_R_D);
		if (d && d->reg != SM70_URZ)
			lift_broadcast(l, lift_dst(l), s);
		return true;
	}
	case SM70_BAR: do_bar(l); return true;
	case SM70_B2R: do_b2r(l); return true;
	case SM70_S2R:
	case SM70_S2UR:
	case SM70_CS2R: do_s2r(l); return true;
	default: return false;
	}
}
