/* Conversions between types and between address spaces on sm_90. */
#include "back/sm90/sm90.h"

const char *sm90_rounding(unsigned rnd)
{
	return rnd == RND_RM ? ".RM" : rnd == RND_RP ? ".RP" : rnd == RND_RZ ? ".RZ" : "";
}

static const char *to_integral(unsigned rnd)
{
	return rnd == RND_RZI   ? ".TRUNC"
	       : rnd == RND_RMI ? ".FLOOR"
	       : rnd == RND_RPI ? ".CEIL"
				: "";
}

/* An integer type after the mnemonic; S32 is not written. */
static const char *int_name(unsigned t)
{
	bool sg = type_is_signed(t);
	switch (type_bits(t)) {
	case 8: return sg ? ".S8" : ".U8";
	case 16: return sg ? ".S16" : ".U16";
	case 64: return sg ? ".S64" : ".U64";
	default: return sg ? "" : ".U32";
	}
}

static const char *float_name(unsigned t) { return t == T_F16 ? ".F16" : t == T_F64 ? ".F64" : ""; }

/* Between the limits of a type of at most 32 bits. */
static struct mo clamp_operand(struct sel *s, struct mo a, unsigned from, unsigned to)
{
	bool ss = type_is_signed(from), ds = type_is_signed(to);
	unsigned bits = type_bits(to);
	uint32_t most = ds ? (1u << (bits - 1)) - 1 : bits == 32 ? ~0u : (1u << bits) - 1;
	struct mo t = mo_reg(sel_temp(s, 1));
	if (ss) {
		if (!ds)
			OP(s, "VIMNMX", 1, t, a, ZERO, PF);
		else if (bits < 32)
			OP(s, "VIMNMX", 1, t, a, mo_imm((int64_t)(uint32_t)~most), PF);
		else
			return a;
		a = t;
		if (bits == 32)
			return a;
		OP(s, "VIMNMX", 1, t, a, mo_imm((int64_t)most), PT);
		return t;
	}
	if (most == ~0u)
		return a;
	OP(s, "VIMNMX.U32", 1, t, a, mo_imm((int64_t)most), PT);
	return t;
}

static void int_to_int(struct sel *s)
{
	const struct inst *in = s->in;
	unsigned db = type_bits(in->type), sb = type_bits(in->stype);
	bool ss = type_is_signed(in->stype), ds = type_is_signed(in->type);
	if (in->mods & M_SAT) {
		if (db == 64 || sb == 64) {
			sel_refuse(s, "");
			return;
		}
		sm90_put(s, clamp_operand(s, sm90_ext_reg(s, 0, in->stype), in->stype, in->type),
			 ds);
		return;
	}
	if (db == 64 && sb == 64) {
		uint32_t d = sel_dst(s, 0);
		for (unsigned w = 0; w < s->m.val.v[d].words; w++)
			sm90_mov(s, mo_word(d, w), sm90_src(s, 0, w))->fresh = !w;
		return;
	}
	if (db > sb) /* extended by the source's type */
		sm90_put(s, sm90_ext(s, 0, in->stype), ss);
	else
		sm90_put(s, sm90_ext(s, 0, db < 32 ? in->type : T_U32), ds);
}

static struct mo single_of(struct sel *s, struct mo half)
{
	struct mo t = mo_reg(sel_temp(s, 1));
	OP(s, "HADD2.F32", 1, t, mo_neg(ZERO),
	   (struct mo){.kind = MO_REG, .v = half.v, .word = half.word, .half = 1});
	return t;
}

static void float_to_int(struct sel *s)
{
	const struct inst *in = s->in;
	const char *z = in->mods & M_FTZ ? ".FTZ" : "";
	uint32_t d = sel_dst(s, 0);
	bool wide = type_bits(in->type) == 64;
	unsigned from = in->stype;
	struct mo a = from == T_F64 ? sm90_pair(s, 0) : sm90_reg(s, 0, 0);
	uint32_t t = sel_temp(s, wide ? 2 : 1);
	if (from == T_F16 && a.kind == MO_REG) {
		a = single_of(s, a);
		from = T_F32;
	}
	/* PTX converts a NaN to 0 if both types are below 64 bits, else to the top bit */
	const char *zero = wide || from == T_F64 ? "" : ".NTZ";
	OP(s,
	   sel_text(s, "F2I%s%s%s%s%s", z, int_name(in->type),
		    from == T_F16 ? "" : float_name(from), to_integral(in->rnd), zero),
	   1, mo_wide(t), a);
	if (wide)
		sel_move(s, d, t);
	else /* conversion from a double clears the bits above a byte or halfword */
		sm90_put(s, from == T_F64 ? sm90_extend(s, mo_reg(t), in->type) : mo_reg(t),
			 type_is_signed(in->type));
}

static void int_to_float(struct sel *s)
{
	const struct inst *in = s->in;
	uint32_t d = sel_dst(s, 0), t = sel_temp(s, in->type == T_F64 ? 2 : 1);
	bool wide = type_bits(in->stype) == 64, sg = type_is_signed(in->stype);
	struct mo a = wide ? sm90_pair(s, 0) : sm90_ext_reg(s, 0, in->stype);
	unsigned st = type_bits(in->stype) < 32 ? (sg ? T_S32 : T_U32) : in->stype;
	if (in->mods & M_SAT) { /* 1 or 0: no integer lies in between */
		struct mo p = mo_pred(sel_temp(s, 0)), top = a, any = a;
		if (wide) {
			top = sm90_reg(s, 0, 1);
			any = mo_reg(sel_temp(s, 1));
			sm90_lut(s, any, sm90_reg(s, 0, 0), top, ZERO, LUT_OR);
		}
		OP(s, "ISETP.NE.AND", 2, p, PT, any, ZERO, PT);
		if (sg)
			OP(s, "ISETP.GE.AND", 2, p, PT, top, ZERO, p);
		uint32_t one = in->type == T_F64   ? 0x3ff00000
			       : in->type == T_F16 ? 0x3c00
						   : 0x3f800000;
		struct mo np = p;
		np.neg = true;
		if (in->type == T_F64)
			sm90_mov(s, mo_word(t, 0), ZERO)->fresh = true;
		OP(s, "SEL", 1, mo_word(t, in->type == T_F64), ZERO, mo_imm((int64_t)one), np);
		sel_move(s, d, t);
		return;
	}
	if (in->type == T_F32 && !wide &&
	    /* these conversions have a fixed latency */
	    (in->rnd == RND_RN || in->rnd == RND_RZ))
		OP(s, sel_text(s, "I2FP.F32.%s%s", sg ? "S32" : "U32", sm90_rounding(in->rnd)), 1,
		   mo_reg(t), a);
	else
		OP(s,
		   sel_text(s, "I2F%s%s%s", float_name(in->type), int_name(st),
			    sm90_rounding(in->rnd)),
		   1, mo_wide(t), a);
	sel_move(s, d, t);
}

/* Results between 0 and 1: the last step of a conversion to singles or doubles. */
static void saturate_result(struct sel *s, uint32_t t, bool wide, bool flush)
{
	if (!wide) {
		OP(s, flush ? "FADD.FTZ.SAT" : "FADD.SAT", 1, mo_reg(t), mo_reg(t), mo_neg(ZERO));
		return;
	}
	struct mo p = mo_pred(sel_temp(s, 0)), q = mo_pred(sel_temp(s, 0));
	struct mo one = sm90_pair_of(s, ZERO, mo_imm(0x3ff00000));
	OP(s, "DSETP.GT.AND", 2, p, PT, mo_wide(t), ZERO, PT);
	OP(s, "DSETP.GT.AND", 2, q, PT, mo_wide(t), one, PT);
	for (unsigned w = 0; w < 2; w++) {
		OP(s, "SEL", 1, mo_word(t, w), mo_word(t, w), ZERO, p);
		OP(s, "SEL", 1, mo_word(t, w), mo_word(one.v, w), mo_word(t, w), q);
	}
}

/* Converts a double to a single that is 0 if its exact value, rounded to 24 bits, is below 2^-126.
 * The conversion's own .FTZ would test the result, which rounding may have raised to 2^-126. A
 * product with 2^-126 keeps the sign of the flushed value. */
static void flush_to_single(struct sel *s, uint32_t t, struct mo a, bool saturates)
{
	/* [word]: the smallest magnitudes that are kept when rounding to nearest, away from 0,
	 * towards 0 */
	static const uint32_t nearest[] = {0xf0000000, 0x380fffff}, up[] = {0xe0000001, 0x380fffff},
			      down[] = {0, 0x38100000};
	unsigned rnd = s->in->rnd;
	struct mo p = mo_pred(sel_temp(s, 0)), m = a;
	m.abs = true;
	OP(s, sel_text(s, "F2F.F32.F64%s", sm90_rounding(rnd)), 1, mo_reg(t), a);
	if (rnd == RND_RZ) {
		struct mo r = mo_reg(t);
		r.abs = true;
		OP(s, "FSETP.GEU.AND", 2, p, PT, r, mo_imm(0x00800000), PT);
	} else if (rnd == RND_RM || rnd == RND_RP) { /* away from 0 for one sign only */
		uint32_t bound = sel_temp(s, 2);
		struct mo negative = mo_pred(sel_temp(s, 0)), away = negative;
		OP(s, "ISETP.LT.AND", 2, negative, PT, sm90_reg(s, 0, 1), ZERO, PT);
		away.neg = rnd == RND_RP;
		for (unsigned w = 0; w < 2; w++)
			OP(s, "SEL", 1, mo_word(bound, w), sm90_force(s, sm90_word(up[w])),
			   sm90_word(down[w]), away)
				->fresh = !w;
		OP(s, "DSETP.GEU.AND", 2, p, PT, m, mo_wide(bound), PT);
	} else {
		struct mo bound = sm90_pair_of(s, sm90_word(nearest[0]), sm90_word(nearest[1]));
		OP(s, "DSETP.GEU.AND", 2, p, PT, m, bound, PT);
	}
	if (saturates)
		OP(s, "FADD.SAT", 1, mo_reg(t), mo_reg(t), mo_neg(ZERO));
	struct mo flushed = mo_reg(sel_temp(s, 1));
	OP(s, "FMUL", 1, flushed, mo_reg(t), mo_imm(0x00800000));
	OP(s, "FSEL", 1, mo_reg(t), mo_reg(t), flushed, p);
}

static void float_to_float(struct sel *s)
{
	const struct inst *in = s->in;
	bool same = in->type == in->stype, integral = in->rnd >= RND_RNI && in->rnd <= RND_RPI;
	bool flush = in->mods & M_FTZ, wide = in->type == T_F64;
	if (in->mods & (M_RELU | M_SATFINITE) || (in->type == T_F16 && in->mods & M_SAT)) {
		sel_refuse(s, "");
		return;
	}
	struct mo a = in->stype == T_F64 ? sm90_pair(s, 0) : sm90_reg(s, 0, 0);
	uint32_t d = sel_dst(s, 0), t = sel_temp(s, wide ? 2 : 1);
	if (flush && in->stype == T_F64 && in->type == T_F32 && !integral && a.kind == MO_REG) {
		flush_to_single(s, t, a, in->mods & M_SAT);
		sel_move(s, d, t);
		return;
	}
	if (flush && wide && in->stype == T_F32) { /* .FTZ of F2F lets NaNs through as they are */
		struct mo x = mo_reg(sel_temp(s, 1));
		OP(s, "FADD.FTZ", 1, x, a, mo_neg(ZERO));
		a = x;
		flush = false;
	}
	if (same && !integral && !(in->mods & (M_SAT | M_FTZ)) && in->type != T_F16) {
		for (unsigned w = 0; w < s->m.val.v[d].words; w++)
			sm90_mov(s, mo_word(d, w), a.kind == MO_REG ? mo_word(a.v, w) : ZERO)
				->fresh = !w;
		return;
	}
	if (same && integral)
		OP(s,
		   sel_text(s, "FRND%s%s%s", flush && !wide ? ".FTZ" : "", float_name(in->type),
			    to_integral(in->rnd)),
		   1, mo_wide(t), a);
	else if (same && in->type == T_F16) { /* .FTZ of F2F passes NaNs unchanged */
		OP(s, "F2F.F16.F32", 1, mo_reg(t), a.kind == MO_REG ? single_of(s, a) : a);
	} else if (same && in->type == T_F32)
		OP(s, flush ? "FADD.FTZ" : "FADD", 1, mo_reg(t), a, mo_neg(ZERO));
	else if (same)
		OP(s, "DADD", 1, mo_wide(t), a, mo_neg(ZERO));
	else if (in->stype == T_F16 && in->type == T_F32 && !integral)
		sm90_mov(s, mo_reg(t), a.kind == MO_REG ? single_of(s, a) : a);
	else {
		struct mo x = a;
		if (integral) { /* an integral value of the wider type first */
			bool from_wide = in->stype == T_F64;
			x = mo_wide(sel_temp(s, from_wide ? 2 : 1));
			OP(s,
			   sel_text(s, "FRND%s%s%s", flush && in->stype == T_F32 ? ".FTZ" : "",
				    float_name(in->stype), to_integral(in->rnd)),
			   1, x, a);
		}
		const char *from = in->stype == T_F64   ? ".F64"
				   : in->stype == T_F16 ? ".F16"
							: ".F32";
		const char *to = wide ? ".F64" : in->type == T_F16 ? ".F16" : ".F32";
		OP(s,
		   sel_text(s, "F2F%s%s%s%s", flush && in->type != T_F16 ? ".FTZ" : "", to, from,
			    integral ? "" : sm90_rounding(in->rnd)),
		   1, mo_wide(t), x);
	}
	if (in->mods & M_SAT)
		saturate_result(s, t, wide, flush);
	sel_move(s, d, t);
}

/* An offset in the constant bank and the bank's generic address. */
static void cvta_constant(struct sel *s, uint32_t d)
{
	uint32_t t = sel_temp(s, 2);
	struct mo hi = s->m.val.v[d].words > 1 ? sm90_reg(s, 0, 1) : ZERO;
	sm90_add64(s, t, sm90_reg(s, 0, 0), hi, sm90_address_word(s, NULL, 0),
		   sm90_address_word(s, NULL, 1), s->in->mods & M_TO);
	for (unsigned w = 0; w < s->m.val.v[d].words; w++)
		sm90_mov(s, mo_word(d, w), mo_word(t, w))->fresh = !w;
}

/* Shared memory is a window of the generic addresses whose upper word is a special register; local
 * memory begins at an address in two words of bank 0. */
void sm90_cvta(struct sel *s)
{
	const struct inst *in = s->in;
	uint32_t d = sel_dst(s, 0), t = sel_temp(s, 2);
	bool to = in->mods & M_TO;
	if (in->space == SP_CONST) {
		cvta_constant(s, d);
		return;
	}
	if (in->space == SP_PARAM) {
		struct mo hi = s->m.val.v[d].words > 1 ? sm90_src(s, 0, 1) : ZERO;
		sm90_add64(s, t, sm90_reg(s, 0, 0), hi, mo_const(0, SM90_PARAMS_AT),
			   mo_const(0, SM90_PARAMS_AT + 4), to);
		for (unsigned w = 0; w < s->m.val.v[d].words; w++)
			sm90_mov(s, mo_word(d, w), mo_word(t, w))->fresh = !w;
		return;
	}
	if (in->space == SP_LOCAL) {
		struct mo hi = s->m.val.v[d].words > 1 ? sm90_src(s, 0, 1) : ZERO;
		sm90_add64(s, t, sm90_reg(s, 0, 0), hi, mo_const(0, SM90_LOCAL),
			   mo_const(0, SM90_LOCAL + 4), to);
		if (to) /* the offset is one word */
			sm90_mov(s, mo_word(t, 1), ZERO);
	} else {
		sm90_mov(s, mo_word(t, 0), sm90_src(s, 0, 0))->fresh = true;
		if (in->space == SP_SHARED && !to)
			OP(s, "S2R", 1, mo_word(t, 1), mo_text("SR_SWINHI"));
		else if (in->space == SP_SHARED)
			sm90_mov(s, mo_word(t, 1), ZERO);
		else if (in->space == SP_GLOBAL)
			sm90_mov(s, mo_word(t, 1),
				 s->m.val.v[d].words > 1 ? sm90_src(s, 0, 1) : ZERO);
		else {
			sel_refuse(s, "generic addresses of this space");
			return;
		}
	}
	for (unsigned w = 0; w < s->m.val.v[d].words; w++)
		sm90_mov(s, mo_word(d, w), mo_word(t, w))->fresh = !w;
}

/* p: a generic address is one of `bytes` from the address in two words of bank 0 on. */
static void is_between(struct sel *s, struct mo p, uint32_t at, uint32_t bytes)
{
	uint32_t t = sel_temp(s, 2);
	struct mo q = mo_pred(sel_temp(s, 0));
	sm90_add64(s, t, sm90_reg(s, 0, 0), sm90_reg(s, 0, 1), mo_const(0, at), mo_const(0, at + 4),
		   true);
	OP(s, "ISETP.LT.U32.AND", 2, q, PT, mo_word(t, 0), sm90_word(bytes), PT);
	OP(s, "ISETP.EQ.AND", 2, p, PT, mo_word(t, 1), ZERO, q);
}

/* True if the kernel turns addresses of its parameters into generic ones. */
static bool names_params(const struct func *f)
{
	for (size_t i = 0; i < f->code.n; i++)
		if (f->code.v[i].op == OP_CVTA && f->code.v[i].space == SP_PARAM)
			return true;
	return false;
}

/* Tests whether a generic address belongs to a space. */
void sm90_isspacep(struct sel *s)
{
	const struct inst *in = s->in;
	struct mo p = mo_pred(sel_dst(s, 0)), a = sm90_pair(s, 0), q = mo_pred(sel_temp(s, 0));
	if (a.kind == MO_ZERO)
		a = sm90_pair_of(s, ZERO, ZERO);
	struct mo at = {.kind = MO_MEM, .v = a.v, .wide = true};
	if (in->space == SP_SHARED || in->space == SP_LOCAL) {
		OP(s,
		   in->space == SP_LOCAL  ? "QSPC.E.L"
		   : in->mods & M_CLUSTER ? "QSPC.E.D"
					  : "QSPC.E.S",
		   1, p, ZERO, at);
	} else if (in->space == SP_GLOBAL) {
		OP(s, "QSPC.E.S", 1, q, ZERO, at);
		OP(s, "QSPC.E.L", 1, p, ZERO, at);
		OP(s, "PLOP3.LUT", 2, p, PT, p, q, PT, mo_imm(0x03), mo_imm(0));
		/* an address in a constant bank is not global */
		for (unsigned i = 0; i < 2; i++) {
			struct mo other = mo_pred(sel_temp(s, 0));
			if (i ? !names_params(s->f) : !s->lay->constant_bytes)
				continue;
			is_between(s, other, i ? SM90_PARAMS_AT : SM90_CONSTANTS_AT,
				   i ? s->f->param_bytes : s->lay->constant_bytes);
			other.neg = true;
			OP(s, "PLOP3.LUT", 2, p, PT, p, other, PT, mo_imm(0x80), mo_imm(0));
		}
	} else if (in->space == SP_CONST) {
		is_between(s, p, SM90_CONSTANTS_AT, s->lay->constant_bytes);
	} else if (in->space == SP_PARAM) {
		is_between(s, p, SM90_PARAMS_AT, s->f->param_bytes);
	} else {
		sel_refuse(s, "addresses of this space");
	}
}

void sm90_cvt(struct sel *s)
{
	sel_convert(s,
		    &(struct conversions){float_to_float, float_to_int, int_to_float, int_to_int});
}
