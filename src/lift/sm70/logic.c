/* Lifts logic, shifts, permutations, moves and predicates. */
#include "lift/sm70/lift.h"

/* ---- truth tables ---- */

static struct opnd complement_of(struct lift *l, const struct sm70_operand *o)
{
	return lift_int(l, o);
}

/* d = table(a, b, c), with common tables as simpler operations. */
static void table_of(struct lift *l, struct opnd d, unsigned lut, struct opnd a, struct opnd b,
		     struct opnd c)
{
	gen_emit(
		&l->g,
		(struct inst) {
			.op = OP_LOP3
			, .type = T_B32, .imm = lut, .nd = 1
		},
		GEN_LIST(d, a, b, c));
}

static bool is_zero(struct opnd o) { return is_imm(o) && !(uint32_t)o.imm; }

static void do_lop3(struct lift *l)
{
	struct ngen *g = &l->g;
	const struct sm70_operand *po = opd(l, SM70_R_PD);
	unsigned lut = (unsigned)imm_of(l, SM70_R_I, 0) & 255;
	struct opnd a = complement_of(l, opd(l, SM70_R_A)), b = complement_of(l, opd(l, SM70_R_B)),
		    c = complement_of(l, opd(l, SM70_R_C));
	struct opnd d = lift_dst(l);
	/* if one source is zero, only half of the table matters */
	if (is_zero(c) && (lut & 0x55) == 0x40)
		gen(g, OP_AND, T_B32, d, a, b);
	else if (is_zero(c) && (lut & 0x55) == 0x54)
		gen(g, OP_OR, T_B32, d, a, b);
	else if (is_zero(c) && (lut & 0x55) == 0x14)
		gen(g, OP_XOR, T_B32, d, a, b);
	else
		table_of(l, d, lut, a, b, c);
	if (!po || po->reg == SM70_PT)
		return;
	struct opnd p = lift_pred_dst(l, SM70_R_PD);
	struct compare k = {.cmp = CMP_NE, .type = T_U32, .a = d, .b = imm(0)};
	if (has(l, SM70_W_PAND)) {
		k.bop = BOP_AND;
		k.p = lift_pred(l, SM70_R_PA);
	} else if (!lift_pred_is(l, SM70_R_PA, false)) { /* combined by or */
		k.bop = BOP_OR;
		k.p = lift_pred(l, SM70_R_PA);
	}
	gen_setp_with(g, &k, p);
}

/* A source of PLOP3, a predicate or a register's sign, as all ones or 0. */
static struct opnd plop3_source(struct lift *l, unsigned role, unsigned reg_role)
{
	const struct sm70_operand *r = opd(l, reg_role);
	if (r && (r->kind == SM70_K_GPR || r->kind == SM70_K_UGPR)) {
		struct opnd t = gen_t(&l->g);
		gen(&l->g, OP_SHR, T_S32, t, lift_reg(l, lift_int(l, r)), imm(31));
		return t;
	}
	return lift_pred_word(l, lift_pred(l, role), ~0u);
}

static void do_plop3(struct lift *l)
{
	struct ngen *g = &l->g;
	struct opnd a = plop3_source(l, SM70_R_PA, SM70_R_A),
		    b = plop3_source(l, SM70_R_PB, SM70_R_B),
		    c = plop3_source(l, SM70_R_PC, SM70_R_C);
	unsigned role[2] = {SM70_R_PD, SM70_R_PD2}, table[2] = {SM70_R_I, SM70_R_I2};
	for (unsigned i = 0; i < 2; i++) {
		const struct sm70_operand *o = opd(l, role[i]);
		if (!o || o->reg == SM70_PT)
			continue;
		struct opnd t = gen_t(g);
		table_of(l, t, (unsigned)imm_of(l, table[i], 0) & 255, a, b, c);
		gen_setp(g, CMP_NE, T_U32, lift_pred_dst(l, role[i]), t, imm(0));
	}
}

/* ---- shifts ---- */

/* SHF: shifts one word of a pair. L: the upper word of c:a, or (without HI) the lower word, a
 * alone; R: the lower word of c:a, or with HI the upper word, c alone. Counts are limited to the
 * width of the type, unless W. */
static void do_shf(struct lift *l)
{
	struct ngen *g = &l->g;
	bool right = mod(l, SM70_MOD_DIR) == SM70_W_R, wrap = mod(l, SM70_MOD_WRAP) != SM70_W_NONE;
	bool hi = has(l, SM70_W_HI);
	unsigned type = mod(l, SM70_MOD_TYPE);
	bool s = type == SM70_W_S32 || type == SM70_W_S64,
	     wide = type == SM70_W_U64 || type == SM70_W_S64;
	struct opnd a = lift_raw(l, opd(l, SM70_R_A)), n = lift_raw(l, opd(l, SM70_R_B)),
		    c = lift_raw(l, opd(l, SM70_R_C));
	struct opnd d = lift_dst(l), count = n;
	if (is_imm(n)) {
		uint32_t most = wide ? 64 : 32, v = (uint32_t)n.imm;
		count = imm(wrap ? v & (most - 1) : v < most ? v : most);
	} else {
		count = gen_t(g);
		if (wrap)
			gen(g, OP_AND, T_B32, count, n, imm(wide ? 63 : 31));
		else
			gen(g, OP_MIN, T_U32, count, n, imm(wide ? 64 : 32));
	}
	/* one word alone */
	if (!right && !hi && !wide) {
		gen(g, OP_SHL, T_B32, d, a, count);
		return;
	}
	if (right && hi && !wide && is_zero(a)) {
		gen(g, OP_SHR, s ? T_S32 : T_U32, d, c, count);
		return;
	}
	/* the pair as 64 bits */
	struct opnd pair = gen_d(g), r = gen_d(g);
	gen_pack(g, pair, lift_reg(l, a), lift_reg(l, c));
	gen(g, right ? OP_SHR : OP_SHL, right && s ? T_S64 : right ? T_U64 : T_B64, r, pair, count);
	struct opnd lo = gen_t(g), up = gen_t(g);
	gen_unpack(g, lo, up, r);
	if (!wide && right &&
	    hi) /* the upper word shifted alone, without bits from the lower word */
		gen(g, OP_MOV, T_U32, d, up);
	else
		gen(g, OP_MOV, T_U32, d, hi ? up : lo);
}

static void do_bmsk(struct lift *l)
{
	bool wrap = mod(l, SM70_MOD_WRAP) != SM70_W_NONE;
	gen_emit(&l->g,
		 (struct inst){
			 .op = OP_BMSK, .type = T_B32, .mode = wrap ? WM_WRAP : WM_CLAMP, .nd = 1},
		 GEN_LIST(lift_dst(l), lift_raw(l, opd(l, SM70_R_A)),
			  lift_raw(l, opd(l, SM70_R_B))));
}

static void do_sgxt(struct lift *l)
{
	bool wrap = mod(l, SM70_MOD_WRAP) != SM70_W_NONE;
	gen_emit(&l->g,
		 (struct inst){.op = OP_SZEXT,
			       .type = has(l, SM70_W_U32) ? T_U32 : T_S32,
			       .mode = wrap ? WM_WRAP : WM_CLAMP,
			       .nd = 1},
		 GEN_LIST(lift_dst(l), lift_raw(l, opd(l, SM70_R_A)),
			  lift_raw(l, opd(l, SM70_R_B))));
}

/* The source of instructions that have only one, whichever slot it is in. */
static const struct sm70_operand *only_source(const struct lift *l)
{
	const struct sm70_operand *o = opd(l, SM70_R_B);
	o = o ? o : opd(l, SM70_R_A);
	return o ? o : opd(l, SM70_R_C);
}

static void do_flo(struct lift *l)
{
	struct ngen *g = &l->g;
	struct opnd x = lift_int(l, only_source(l)), d = lift_dst(l);
	gen_mods(g, OP_BFIND, has(l, SM70_W_U32) ? T_U32 : T_S32,
		 mod(l, SM70_MOD_SH) ? M_SHIFTAMT : 0, d, x);
	const struct sm70_operand *p = opd(l, SM70_R_PD);
	if (p && p->reg != SM70_PT)
		gen_setp(g, CMP_NE, T_U32, lift_pred_dst(l, SM70_R_PD), d, imm(0xffffffff));
}

static void do_prmt(struct lift *l)
{
	static const struct {
		uint16_t word;
		uint8_t mode;
	} modes[] = {{SM70_W_F4E, PRMT_F4E}, {SM70_W_B4E, PRMT_B4E}, {SM70_W_RC8, PRMT_RC8},
		     {SM70_W_ECL, PRMT_ECL}, {SM70_W_ECR, PRMT_ECR}, {SM70_W_RC16, PRMT_RC16}};
	unsigned m = PRMT_INDEX;
	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (has(l, modes[i].word))
			m = modes[i].mode;
	struct opnd a = lift_raw(l, opd(l, SM70_R_A)), sel = lift_raw(l, opd(l, SM70_R_B)),
		    c = lift_raw(l, opd(l, SM70_R_C));
	gen_mode(&l->g, OP_PRMT, T_B32, m, lift_dst(l), a, c, sel);
}

/* ---- moves, selections ---- */

static void do_sel(struct lift *l, bool is_float)
{
	struct opnd (*source)(struct lift *, const struct sm70_operand *) =
		is_float ? lift_f32 : lift_int;
	struct opnd a = source(l, opd(l, SM70_R_A)), b = source(l, opd(l, SM70_R_B));
	gen(&l->g, OP_SELP, T_B32, lift_dst(l), a, b, lift_pred(l, SM70_R_PA));
}

/* ---- predicates and registers ---- */

/* The lowest bit of the byte that a modifier or the part of an operand names. */
static unsigned byte_at(const struct lift *l, const struct sm70_operand *o)
{
	static const uint16_t word[] = {SM70_W_B0, SM70_W_B1, SM70_W_B2, SM70_W_B3};
	for (unsigned i = 1; i < 4; i++)
		if (has(l, word[i]) || (o && o->part == word[i]))
			return 8 * i;
	return 0;
}

/* The mask of the predicates that P2R and R2P move: the last operand. */
static struct opnd predicate_mask(struct lift *l)
{
	const struct sm70_operand *o = opd(l, SM70_R_I);
	o = o ? o : opd(l, SM70_R_B);
	return lift_raw(l, o ? o : opd(l, SM70_R_C));
}

/* A new word with the predicates that the mask has, one bit each. */
static struct opnd pack_predicates(struct lift *l, bool uniform, struct opnd mask)
{
	struct ngen *g = &l->g;
	struct opnd all = gen_t(g), t = gen_t(g);
	gen(g, OP_MOV, T_U32, all, imm(0));
	for (unsigned i = 0; i < 7; i++) {
		if (is_imm(mask) && !(mask.imm >> i & 1))
			continue;
		gen(g, OP_SELP, T_B32, t, imm(1u << i), imm(0),
		    val_reg(uniform ? RC_UP : RC_P, i, T_PRED));
		gen(g, OP_OR, T_B32, all, all, t);
	}
	return all;
}

static void do_p2r(struct lift *l, bool uniform)
{
	struct ngen *g = &l->g;
	struct opnd d = lift_dst(l), a = lift_raw(l, opd(l, SM70_R_A)), m = predicate_mask(l);
	struct opnd all = pack_predicates(l, uniform, m);
	unsigned at = byte_at(l, opd(l, SM70_R_A));
	if (at) { /* inserts into one byte of a */
		struct opnd up = gen_t(g);
		gen(g, OP_SHL, T_B32, all, all, imm(at));
		gen(g, OP_SHL, T_B32, up, m, imm(at));
		m = up;
	}
	table_of(l, d, 0xca, m, all, a); /* m ? predicates : a */
}

static void do_r2p(struct lift *l, bool uniform)
{
	struct ngen *g = &l->g;
	struct opnd a = lift_raw(l, opd(l, SM70_R_A)), m = predicate_mask(l), t = gen_t(g);
	unsigned at = byte_at(l, opd(l, SM70_R_A));
	if (!is_imm(m)) { /* every predicate is written, some with the value that they have */
		struct opnd old = pack_predicates(l, uniform, imm(0x7f)), now = gen_t(g);
		gen(g, OP_SHR, T_U32, now, lift_reg(l, a), imm(at));
		table_of(l, now, 0xca, m, now, old); /* m ? a : predicates */
		a = now;
		m = imm(0x7f);
		at = 0;
	}
	for (unsigned i = 0; i < 7; i++) {
		if (!(m.imm >> i & 1))
			continue;
		gen(g, OP_AND, T_B32, t, a, imm(1u << (i + at)));
		gen_setp(g, CMP_NE, T_U32, val_reg(uniform ? RC_UP : RC_P, i, T_PRED), t, imm(0));
	}
}

bool lift_logic(struct lift *l)
{
	struct ngen *g = &l->g;
	switch (l->in->op) {
	case SM70_LOP3:
	case SM70_ULOP3: do_lop3(l); return true;
	case SM70_PLOP3:
	case SM70_UPLOP3: do_plop3(l); return true;
	case SM70_SHF:
	case SM70_USHF: do_shf(l); return true;
	case SM70_BMSK:
	case SM70_UBMSK: do_bmsk(l); return true;
	case SM70_SGXT:
	case SM70_USGXT: do_sgxt(l); return true;
	case SM70_FLO:
	case SM70_UFLO: do_flo(l); return true;
	case SM70_POPC:
	case SM70_UPOPC:
		gen(g, OP_POPC, T_B32, lift_dst(l), lift_int(l, only_source(l)));
		return true;
	case SM70_BREV:
	case SM70_UBREV:
		gen(g, OP_BREV, T_B32, lift_dst(l), lift_int(l, only_source(l)));
		return true;
	case SM70_PRMT:
	case SM70_UPRMT: do_prmt(l); return true;
	case SM70_MOV:
	case SM70_UMOV:
		gen(g, OP_MOV, T_U32, lift_dst(l), lift_raw(l, only_source(l)));
		return true;
	case SM70_SEL:
	case SM70_USEL: do_sel(l, false); return true;
	case SM70_FSEL: do_sel(l, true); return true;
	case SM70_P2R: do_p2r(l, false); return true;
	case SM70_UP2UR: do_p2r(l, true); return true;
	case SM70_R2P: do_r2p(l, false); return true;
	case SM70_UR2UP: do_r2p(l, true); return true;
	default: return false;
	}
}
