/* Hopper's asynchronous instructions: barriers in shared memory (SYNCS), bulk and tensor copies (UBLK*,
 * UTMA*), stores and reductions that signal a barrier (STAS, REDAS), the cluster's barrier. Each becomes
 * the operation of ir/inst.h that PTX has for it, so that exec/tma is the one place that knows their
 * meaning.
 *
 * Operands of a copy are fields of consecutive uniform registers, from the one that an address names:
 *
 *   UBLKCP.S.G   [to, mbarrier], [from, 64 bits], bytes / 16 | blocks << 16
 *   UBLKCP.S.S   [to, mbarrier], [from], bytes / 16
 *   UBLKCP.G.S   [to, 64 bits], [from], bytes / 16                           UBLKRED is like UBLKCP
 *   UTMALDG      [to, mbarrier, coordinates ...], [map, 64 bits], offsets | blocks << 16
 *   UTMASTG      [from, coordinates ...], [map]                              also UTMAREDG
 *   UTMAPF       [coordinates ...], [map], offsets
 *
 * Offsets of im2col have 16, 8 or 5 bits each if there are 1, 2 or 3 of them. The uniform datapath executes
 * such an instruction once per warp: the code around it elects one lane after the other. Here the lowest
 * executing lane performs it. */
#include "lift/sm70/memory.h"

static struct opnd uniform_word(const struct sm70_operand *o, unsigned n)
{
	unsigned reg = o->kind == SM70_K_MEM ? o->ureg : o->reg;
	return reg >= SM70_URZ ? imm(0) : val_u(reg + n);
}

static struct opnd uniform_pair(struct lift *l, const struct sm70_operand *o)
{
	return lift_pair(l, uniform_word(o, 0), uniform_word(o, 1));
}

/* The uniform register beside the addresses, with sizes, masks, offsets. NULL: there is none. */
static const struct sm70_operand *uniform_beside(const struct lift *l)
{
	for (unsigned i = 0; i < l->in->nop; i++)
		if (l->in->o[i].kind == SM70_K_UGPR && l->in->o[i].role != SM70_R_D)
			return &l->in->o[i];
	return NULL;
}

/* Restricts the code that follows to the lowest executing lane. */
static void choose_lane(struct lift *l)
{
	struct ngen *g = &l->g;
	struct opnd q = gen_q(g), mask = gen_t(g), leader = gen_t(g);
	struct guard was = gen_guard(g, (struct guard){0});
	gen_setp(g, CMP_NE, T_U32, q, imm(0), imm(0));
	g->guard = was;
	gen_emit(g, (struct inst){.op = OP_ACTIVEMASK, .type = T_B32, .nd = 1}, &mask, 1);
	gen_emit(g, (struct inst){.op = OP_ELECT, .type = T_B32, .nd = 2},
		 GEN_LIST(leader, q, mask));
	g->guard = (struct guard){q, false};
}

static struct opnd bits_of(struct lift *l, struct opnd s, unsigned at, unsigned n)
{
	struct opnd t = gen_t(&l->g);
	gen(&l->g, OP_BFE, T_U32, t, lift_reg(l, s), imm_as(T_U32, at), imm_as(T_U32, n));
	return t;
}

static struct opnd shared_at(struct lift *l, struct opnd s) { return mem_at(lift_reg(l, s), 0); }

/* ---- SYNCS: barriers in shared memory ---- */

static const struct sm70_operand *value_operand(const struct lift *l)
{
	const struct sm70_operand *o = opd(l, SM70_R_B);
	return o ? o : opd(l, SM70_R_C);
}

/* EXCH.64 is mbarrier.init in machine code; the word has been computed before. */
static void do_exchange(struct lift *l)
{
	const struct sm70_operand *m = opd(l, SM70_R_M), *d = opd(l, SM70_R_D);
	const struct sm70_operand *v = uniform_beside(l);
	struct inst in = {
		.op = OP_MBARRIER, .type = T_B64, .mode = MB_EXCHANGE, .space = SP_SHARED};
	struct opnd o[3], at = mem_at(lift_reg(l, uniform_word(m, 0)), m->off);
	unsigned n = 0;
	if (!v) {
		lift_refuse(l, "it has no value");
		return;
	}
	choose_lane(l);
	if (d && d->reg != SM70_URZ) {
		in.nd = 1;
		o[n++] = gen_d(&l->g);
	}
	o[n++] = at;
	o[n++] = uniform_pair(l, v);
	gen_emit(&l->g, in, o, n);
	if (in.nd) {
		struct opnd lo = gen_t(&l->g), hi = gen_t(&l->g);
		gen_unpack(&l->g, lo, hi, o[0]);
		lift_broadcast(l, lift_dst_word(l, 0), lo);
		lift_broadcast(l, lift_dst_word(l, 1), hi);
	}
}

/* ARRIVE.TRANS64. AaTt gives the amounts added to the arrivals and to the bytes awaited: 0, 1, or R
 * (the register); TX: bytes that have arrived. Without such a word: A1TR. */
static void do_arrive(struct lift *l)
{
	const struct sm70_operand *d = opd(l, SM70_R_D);
	bool counts = has(l, SM70_W_ART0), one = has(l, SM70_W_A1T0);
	bool expects = has(l, SM70_W_A0TR) || has(l, SM70_W_A0T1), comes = has(l, SM70_W_A0TX);
	struct inst in = {.op = OP_MBARRIER,
			  .type = T_B64,
			  .space = SP_SHARED,
			  .mods = has(l, SM70_W_RED) ? M_CLUSTER : 0};
	struct opnd o[3];
	unsigned n = 0;
	in.mode = expects                 ? MB_EXPECT_TX
		  : comes                 ? MB_COMPLETE_TX
		  : has(l, SM70_W_OPTOUT) ? MB_ARRIVE_DROP
					  : MB_ARRIVE;
	if (!counts && !one && !expects && !comes)
		in.imm |= MBF_EXPECT_TX;
	if (has(l, SM70_W_TMASK))
		in.imm |= MBF_LANES;
	if (d && d->reg != SM70_RZ && !expects && !comes) {
		in.nd = 1;
		o[n] = lift_dst64(l);
		o[n++].type = T_B64;
	}
	o[n++] = lift_address(l, opd(l, SM70_R_M), SP_SHARED);
	if (has(l, SM70_W_A0T1))
		o[n++] = lift_reg(l, imm(1));
	else if (!one)
		o[n++] = lift_reg(l, lift_raw(l, value_operand(l)));
	gen_emit(&l->g, in, o, n);
}

/* PHASECHK: the register's highest bit is the phase that must have ended, as in the upper half of a
 * state. */
static void do_phase(struct lift *l)
{
	struct ngen *g = &l->g;
	struct opnd at = lift_address(l, opd(l, SM70_R_M), SP_SHARED), phase = gen_t(g);
	gen(g, OP_SHR, T_U32, phase, lift_reg(l, lift_raw(l, value_operand(l))), imm(31));
	gen_emit(g,
		 (struct inst){.op = OP_MBARRIER,
			       .type = T_B64,
			       .mode = has(l, SM70_W_TRYWAIT) ? MB_TRY_WAIT : MB_TEST_WAIT,
			       .space = SP_SHARED,
			       .imm = MBF_PARITY,
			       .nd = 1},
		 GEN_LIST(lift_pred_dst(l, SM70_R_PD), at, phase));
}

static void do_syncs(struct lift *l)
{
	struct opnd at;
	if (has(l, SM70_W_EXCH)) {
		do_exchange(l);
	} else if (has(l, SM70_W_ARRIVE)) {
		do_arrive(l);
	} else if (has(l, SM70_W_PHASECHK)) {
		do_phase(l);
	} else if (has(l, SM70_W_IV)) {
		at = lift_address(l, opd(l, SM70_R_M), SP_SHARED);
		gen_emit(&l->g,
			 (struct inst){.op = OP_MBARRIER,
				       .type = T_B64,
				       .mode = MB_INVAL,
				       .space = SP_SHARED},
			 &at, 1);
	} else if (!has(l, SM70_W_IVALL) && !has(l, SM70_W_WB)) {
		lift_refuse(l, "an operation of no known meaning");
	}
}

/* ARRIVES.LDGSTSBAR.64: ARVCNT arrives when the thread's copies are done; TRANSCNT also counts
 * itself as expected first. */
static void do_arrives(struct lift *l)
{
	gen_emit(&l->g,
		 (struct inst){.op = OP_MBARRIER,
			       .type = T_B64,
			       .mode = MB_CP_ASYNC_ARRIVE,
			       .space = SP_SHARED,
			       .mods = has(l, SM70_W_ARVCNT) ? M_NOINC : 0},
		 GEN_LIST(lift_address(l, opd(l, SM70_R_M), SP_SHARED)));
}

/* ---- bulk copies ---- */

static const struct {
	uint16_t word;
	uint8_t mode;
} reductions[] = {{SM70_W_ADD, ATOM_ADD}, {SM70_W_MIN, ATOM_MIN}, {SM70_W_MAX, ATOM_MAX},
		  {SM70_W_INC, ATOM_INC}, {SM70_W_DEC, ATOM_DEC}, {SM70_W_AND, ATOM_AND},
		  {SM70_W_OR, ATOM_OR},   {SM70_W_XOR, ATOM_XOR}};

/* The enum atom of a reduction. */
static unsigned reduction_of(struct lift *l)
{
	for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
		if (has(l, reductions[i].word))
			return reductions[i].mode;
	lift_refuse(l, "a reduction of no known meaning");
	return ATOM_ADD;
}

static unsigned reduced_type(const struct lift *l)
{
	static const struct {
		uint16_t word;
		uint8_t type;
	} rows[] = {{SM70_W_S32, T_S32},   {SM70_W_U64, T_U64}, {SM70_W_S64, T_S64},
		    {SM70_W_F16, T_F16},   {SM70_W_F32, T_F32}, {SM70_W_F64, T_F64},
		    {SM70_W_BF16, T_BF16}, {SM70_W__64, T_U64}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (has(l, rows[i].word))
			return rows[i].type;
	return T_U32;
}

static void do_bulk(struct lift *l, bool reduces)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *to = opd(l, SM70_R_M), *from = opd(l, SM70_R_M2);
	const struct sm70_operand *size = uniform_beside(l);
	bool to_shared = mod(l, SM70_MOD_MODE) == SM70_W_S;
	bool from_shared = mod(l, SM70_MOD_MODE2) == SM70_W_S;
	struct inst in = {.op = OP_CP_BULK,
			  .type = reduces ? (uint8_t)reduced_type(l) : 0,
			  .mode = reduces ? CPB_REDUCE : CPB_COPY,
			  .space = to_shared ? SP_SHARED : SP_GLOBAL,
			  .mods = to_shared ? M_CLUSTER : 0};
	struct opnd o[5];
	unsigned n = 0;
	if (!size || (!to_shared && !from_shared)) {
		lift_refuse(l, "a copy of no known meaning");
		return;
	}
	if (reduces)
		in.vsel[0] = (uint8_t)reduction_of(l);
	choose_lane(l);
	struct opnd count = lift_reg(l, uniform_word(size, 0)), bytes = bits_of(l, count, 0, 16);
	gen(g, OP_SHL, T_B32, bytes, bytes, imm(4));
	o[n++] = to_shared ? shared_at(l, uniform_word(to, 0)) : mem_at(uniform_pair(l, to), 0);
	o[n++] = from_shared ? shared_at(l, uniform_word(from, 0))
			     : mem_at(uniform_pair(l, from), 0);
	o[n++] = bytes;
	if (to_shared)
		o[n++] = shared_at(l, uniform_word(to, 1));
	in.imm = to_shared && from_shared ? CPF_FROM_SHARED : 0;
	if (has(l, SM70_W_MULTICAST)) {
		in.imm |= CPF_MULTICAST;
		o[n++] = bits_of(l, count, 16, 16);
	}
	gen_emit(g, in, o, n);
}

/* ---- tensor copies ---- */

enum { LOAD, STORE, REDUCE, PREFETCH }; /* enum tensor_copy of exec/tma/copy.h */

static unsigned dimensions(struct lift *l)
{
	static const uint16_t word[] = {SM70_W__1D, SM70_W__2D, SM70_W__3D, SM70_W__4D, SM70_W__5D};
	for (unsigned i = 0; i < sizeof word / sizeof *word; i++)
		if (mod(l, SM70_MOD_DIM) == word[i])
			return i + 1;
	lift_refuse(l, "a number of dimensions of no known meaning");
	return 1;
}

static void do_tensor(struct lift *l, unsigned mode)
{
	static const uint8_t offset_bits[] = {16, 16, 8, 5};
	const struct sm70_operand *box = opd(l, SM70_R_M), *map = opd(l, SM70_R_M2);
	const struct sm70_operand *beside = uniform_beside(l);
	bool load = mode == LOAD, im2col = mod(l, SM70_MOD_IM2COL) != SM70_W_NONE;
	unsigned rank = dimensions(l), n = 0, at = load ? 2 : mode == PREFETCH ? 0 : 1;
	bool offsets = im2col && (load || mode == PREFETCH);
	struct inst in = {.op = OP_CP_TENSOR,
			  .mode = (uint8_t)mode,
			  .vec = (uint8_t)rank,
			  .geom = im2col,
			  .space = load ? SP_SHARED : SP_GLOBAL,
			  .mods = load ? M_CLUSTER : 0};
	struct opnd o[16];
	if ((im2col && rank < 3) || ((offsets || has(l, SM70_W_MULTICAST)) && !beside)) {
		lift_refuse(l, "a copy of no known meaning");
		return;
	}
	if (mode == REDUCE)
		in.vsel[0] = (uint8_t)reduction_of(l);
	choose_lane(l);
	o[n++] = lift_generic(l, uniform_pair(l, map), 0);
	if (mode == PREFETCH)
		o[n++] = o[0];
	else
		o[n++] = shared_at(l, uniform_word(box, 0));
	for (unsigned i = 0; i < rank; i++)
		o[n++] = lift_reg(l, uniform_word(box, at + i));
	if (load)
		o[n++] = shared_at(l, uniform_word(box, 1));
	for (unsigned i = 0; offsets && i < rank - 2; i++)
		o[n++] = bits_of(l, uniform_word(beside, 0), i * offset_bits[rank - 2],
				 offset_bits[rank - 2]);
	if (has(l, SM70_W_MULTICAST)) {
		in.imm |= CPF_MULTICAST;
		o[n++] = bits_of(l, uniform_word(beside, 0), 16, 16);
	}
	gen_emit(&l->g, in, o, n);
}

/* ---- STAS, REDAS: [register: place, next register: mbarrier] ---- */

static void do_stas(struct lift *l, bool reduces)
{
	const struct sm70_operand *m = opd(l, SM70_R_M), *v = value_operand(l);
	unsigned type = reduces ? reduced_type(l) : T_B32, n = 0;
	unsigned words = has(l, SM70_W__128) ? 4 : has(l, SM70_W__64) ? 2 : 1;
	struct inst in = {.op = reduces ? OP_RED_ASYNC : OP_ST_ASYNC,
			  .type = (uint8_t)type,
			  .vec = reduces ? 1 : (uint8_t)words,
			  .space = SP_SHARED,
			  .mods = M_CLUSTER};
	struct opnd o[6];
	if (!m || !v || (m->ureg != SM70_NOREG && m->ureg != SM70_URZ) || m->scale != SM70_W__64) {
		lift_refuse(l, "an address of no known meaning");
		return;
	}
	if (reduces)
		in.vsel[0] = (uint8_t)reduction_of(l);
	bool none = m->reg == SM70_RZ;
	o[n++] = mem_at(lift_reg(l, none ? imm(0) : val_r(m->reg)), m->off);
	o[n++] = mem_at(lift_reg(l, none ? imm(0) : val_r(m->reg + 1u)), 0);
	if (reduces && type_rows(type) == 2)
		o[n++] = lift_reg(l, lift_pair(l, lift_word(l, v, 0), lift_word(l, v, 1)));
	else
		for (unsigned i = 0; i < (reduces ? 1 : words); i++)
			o[n++] = lift_reg(l, lift_word(l, v, i));
	gen_emit(&l->g, in, o, n);
}

/* ---- the cluster ---- */

static void cluster_barrier(struct lift *l, enum bar mode)
{
	gen_emit(&l->g,
		 (struct inst){
			 .op = OP_BAR, .type = T_U32, .mode = (uint8_t)mode, .imm = BAR_CLUSTER},
		 NULL, 0);
}

/* USETMAXREG.TRY_ALLOC always succeeds: the simulator's registers are never short. */
static void do_maxreg(struct lift *l)
{
	const struct sm70_operand *p = opd(l, SM70_R_PD);
	if (p && p->reg != SM70_PT)
		gen(&l->g, OP_MOV, T_PRED, lift_pred_dst(l, SM70_R_PD), val_pt());
}

bool lift_async(struct lift *l)
{
	switch (l->in->op) {
	case SM70_SYNCS: do_syncs(l); return true;
	case SM70_ARRIVES: do_arrives(l); return true;
	case SM70_UBLKCP: do_bulk(l, false); return true;
	case SM70_UBLKRED: do_bulk(l, true); return true;
	case SM70_UTMALDG: do_tensor(l, LOAD); return true;
	case SM70_UTMASTG: do_tensor(l, STORE); return true;
	case SM70_UTMAREDG: do_tensor(l, REDUCE); return true;
	case SM70_UTMAPF: do_tensor(l, PREFETCH); return true;
	case SM70_STAS: do_stas(l, false); return true;
	case SM70_REDAS: do_stas(l, true); return true;
	case SM70_UCGABAR_ARV: cluster_barrier(l, BAR_ARRIVE); return true;
	case SM70_UCGABAR_WAIT: cluster_barrier(l, BAR_WAIT); return true;
	case SM70_USETMAXREG: do_maxreg(l); return true;
	case SM70_UBLKPF:
	case SM70_UTMACCTL:
	case SM70_UTMACMDFLUSH:
		return true; /* copies are performed at once, and no cache holds old
		              * data */
	default: return false;
	}
}
