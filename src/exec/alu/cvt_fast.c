/* Vectorised loops for frequent conversions. Other conversions, and modifiers not mentioned here,
 * run through cvt.c; the results are equal bit for bit. */
#include "exec/alu/cvt.h"
#include "exec/alu/float.h"

#define OP_D_Q(name, TA, EXPR)                                                                     \
	OP_ROWS(name, 1, {                                                                         \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		LANE_LOOP {                                                                        \
			TA a = (TA)pair_get(pa, i);                                                \
			out[i] = (uint32_t)(EXPR);                                                 \
		}                                                                                  \
	})
#define OP_Q_D(name, TA, EXPR)                                                                     \
	OP_ROWS(name, 2, {                                                                         \
		const uint32_t *pa = row_u32(w, u->a);                                             \
		LANE_LOOP {                                                                        \
			TA a = (TA)pa[i];                                                          \
			uint64_t r = (uint64_t)(EXPR);                                             \
			pair_put(out, i, r);                                                       \
		}                                                                                  \
	})

/* ---- integer to integer: cut or extended once; `wide` fills the upper row too ---- */

OP_D_A(zext8, uint32_t, (uint8_t)a)
OP_D_A(sext8, uint32_t, (int8_t)a)
OP_D_A(zext16, uint32_t, (uint16_t)a)
OP_D_A(sext16, uint32_t, (int16_t)a)
OP_D_A(copy32, uint32_t, a)
OP_Q_D(zext8_wide, uint8_t, a)
OP_Q_D(sext8_wide, int8_t, (int64_t)a)
OP_Q_D(zext16_wide, uint16_t, a)
OP_Q_D(sext16_wide, int16_t, (int64_t)a)
OP_Q_D(zext32_wide, uint32_t, a)
OP_Q_D(sext32_wide, int32_t, (int64_t)a)
OP_Q_Q(copy64, uint64_t, a)

static bool bind_extend(struct uop *u, unsigned bits, bool sign)
{
	bool wide = u->aux == 2;
	switch (bits) {
	case 8:
		return bind_pair(u, wide   ? sign ? FN(sext8_wide) : FN(zext8_wide)
				      : sign ? FN(sext8)
					   : FN(zext8));
	case 16:
		return bind_pair(u, wide   ? sign ? FN(sext16_wide) : FN(zext16_wide)
				      : sign ? FN(sext16)
					   : FN(zext16));
	case 32: return bind_pair(u, wide ? sign ? FN(sext32_wide) : FN(zext32_wide) : FN(copy32));
	case 64: return bind_pair(u, FN(copy64));
	default: return false;
	}
}

static bool bind_int_int(const struct inst *in, struct uop *u)
{
	unsigned from = type_bits(in->stype), to = type_bits(in->type);
	bool sfrom = type_is_signed(in->stype), sto = type_is_signed(in->type);
	if (in->mods & M_SAT)
		return false;
	if (to <= from)
		return bind_extend(u, to, sto);
	if (sfrom && !sto && to < type_bits(inst_dst(in, 0)->type))
		return false; /* the result would be extended twice, once signed and once unsigned */
	return bind_extend(u, from, sfrom);
}

/* ---- integer to float, nearest even ---- */

OP_D_A(f32_u8, uint32_t, f32_bits((float)(uint8_t)a))
OP_D_A(f32_s8, uint32_t, f32_bits((float)(int8_t)a))
OP_D_A(f32_u16, uint32_t, f32_bits((float)(uint16_t)a))
OP_D_A(f32_s16, uint32_t, f32_bits((float)(int16_t)a))
OP_D_A(f32_u32, uint32_t, f32_bits((float)a))
OP_D_A(f32_s32, int32_t, f32_bits((float)a))
/* Compilers for vectors without this conversion go through double (clang 14 on aarch64) and round
 * twice. An integer above 53 bits whose lower 11 bits are merged into bit 11 is exact in double and
 * rounds correctly, because the deciding bits are far above. */
LANE_FN uint64_t sticky(uint64_t a, bool wide)
{
	return wide ? (a | ((a & 0x7ff) + 0x7ff)) & ~0x7ffull : a;
}
OP_D_Q(f32_u64, uint64_t, f32_bits((float)sticky(a, a >> 53 != 0)))
/* clang-format off */
OP_D_Q(f32_s64, int64_t, f32_bits((float)(int64_t)sticky((uint64_t)a, ((uint64_t)a + (1ull << 53)) >> 54 != 0)))
/* clang-format on */
OP_Q_D(f64_u8, uint8_t, f64_bits((double)a))
OP_Q_D(f64_s8, int8_t, f64_bits((double)a))
OP_Q_D(f64_u16, uint16_t, f64_bits((double)a))
OP_Q_D(f64_s16, int16_t, f64_bits((double)a))
OP_Q_D(f64_u32, uint32_t, f64_bits((double)a))
OP_Q_D(f64_s32, int32_t, f64_bits((double)a))
OP_Q_Q(f64_u64, uint64_t, f64_bits((double)a))
OP_Q_Q(f64_s64, int64_t, f64_bits((double)a))
OP_D_A(f16_u16, uint32_t, f32_to_f16((float)(uint16_t)a))
OP_D_A(f16_s16, uint32_t, f32_to_f16((float)(int16_t)a))
OP_D_A(f16_u32, uint32_t, f32_to_f16(f32_odd((double)a)))
OP_D_A(f16_s32, int32_t, f32_to_f16(f32_odd((double)a)))
OP_D_A(bf16_u32, uint32_t, f32_to_bf16(f32_odd((double)a)))
OP_D_A(bf16_s32, int32_t, f32_to_bf16(f32_odd((double)a)))

/* In a directed rounding, as quotients of integers need: a double holds the integer. */
#define OP_INT_DIRECTED(name, T)                                                                   \
	OP_ROWS(name, 1, {                                                                         \
		double s[LANES];                                                                   \
		float r[LANES];                                                                    \
		const T *a = row_at(w, u->a);                                                      \
		LANE_LOOP                                                                          \
			s[i] = a[i];                                                               \
		memory_fence(s);                                                                   \
		round_set(u->in->rnd, r);                                                          \
		LANE_LOOP                                                                          \
			r[i] = (float)s[i];                                                        \
		round_reset(u->in->rnd, r);                                                        \
		memcpy(out, r, sizeof r);                                                          \
	})
OP_INT_DIRECTED(f32_u32_directed, uint32_t)
OP_INT_DIRECTED(f32_s32_directed, int32_t)

#define FNI(name)                                                                                  \
	{                                                                                          \
		name##_full, name##_part                                                           \
	}
static const struct {
	uint8_t to, from;
	struct fnpair fn;
} from_int[] = {
	{T_F32, T_U8, FNI(f32_u8)},     {T_F32, T_S8, FNI(f32_s8)},
	{T_F32, T_U16, FNI(f32_u16)},   {T_F32, T_S16, FNI(f32_s16)},
	{T_F32, T_U32, FNI(f32_u32)},   {T_F32, T_S32, FNI(f32_s32)},
	{T_F32, T_U64, FNI(f32_u64)},   {T_F32, T_S64, FNI(f32_s64)},
	{T_F64, T_U8, FNI(f64_u8)},     {T_F64, T_S8, FNI(f64_s8)},
	{T_F64, T_U16, FNI(f64_u16)},   {T_F64, T_S16, FNI(f64_s16)},
	{T_F64, T_U32, FNI(f64_u32)},   {T_F64, T_S32, FNI(f64_s32)},
	{T_F64, T_U64, FNI(f64_u64)},   {T_F64, T_S64, FNI(f64_s64)},
	{T_F16, T_U16, FNI(f16_u16)},   {T_F16, T_S16, FNI(f16_s16)},
	{T_F16, T_U32, FNI(f16_u32)},   {T_F16, T_S32, FNI(f16_s32)},
	{T_BF16, T_U32, FNI(bf16_u32)}, {T_BF16, T_S32, FNI(bf16_s32)},
};

static bool bind_int_float(const struct inst *in, struct uop *u)
{
	if (in->mods & (M_SAT | M_RELU | M_SATFINITE))
		return false;
	if (in->rnd == RND_RZ || in->rnd == RND_RM || in->rnd == RND_RP)
		return in->type == T_F32 &&
		       (in->stype == T_U32   ? bind_pair(u, FN(f32_u32_directed))
			: in->stype == T_S32 ? bind_pair(u, FN(f32_s32_directed))
					     : false);
	if (in->rnd != RND_NONE && in->rnd != RND_RN)
		return false;
	for (unsigned k = 0; k < sizeof from_int / sizeof *from_int; k++)
		if (from_int[k].to == in->type && from_int[k].from == in->stype)
			return bind_pair(u, from_int[k].fn);
	return false;
}

/* ---- float to integer: rounded into a temporary row, then clamped and converted ---- */

#define INTEGRAL(T, name, sfx)                                                                     \
	static inline void name(T *r, unsigned rnd)                                                \
	{                                                                                          \
		switch (rnd) {                                                                     \
		case RND_RNI:                                                                      \
			LANE_LOOP                                                                  \
				r[i] = rint##sfx(r[i]);                                            \
			break;                                                                     \
		case RND_RMI:                                                                      \
			LANE_LOOP                                                                  \
				r[i] = floor##sfx(r[i]);                                           \
			break;                                                                     \
		case RND_RPI:                                                                      \
			LANE_LOOP                                                                  \
				r[i] = ceil##sfx(r[i]);                                            \
			break;                                                                     \
		default:                                                                           \
			LANE_LOOP                                                                  \
				r[i] = trunc##sfx(r[i]);                                           \
			break;                                                                     \
		}                                                                                  \
	}
INTEGRAL(float, integral_f32, f)
INTEGRAL(double, integral_f64, )

LANE_FN void load_f32(float *r, const uint32_t *a, bool ftz)
{
	if (ftz)
		LANE_LOOP
			r[i] = as_f32(f32_flush(a[i]));
	else
		LANE_LOOP
			r[i] = as_f32(a[i]);
}

/* Limits x to [lo, hi], with NaN becoming `nan`, so that it may be cast. hi is the largest value of
 * the float type that the integer type holds. */
LANE_FN float clamp_f32(float x, float lo, float hi, float nan)
{
	float y = x > lo ? x : lo;
	y = y < hi ? y : hi;
	return x == x ? y : nan;
}
LANE_FN double clamp_f64(double x, double lo, double hi, double nan)
{
	double y = x > lo ? x : lo;
	y = y < hi ? y : hi;
	return x == x ? y : nan;
}

/* Rounds the row r[]; EXPR computes the integer from x = r[i]. */
/* clang-format off */
#define OP_F32_INT(name, rows, T, EXPR, PUT)                                                       \
	OP_ROWS(name, rows, {                                                                      \
		float r[LANES];                                                                    \
		load_f32(r, row_u32(w, u->a), u->in->mods & M_FTZ);                                \
		integral_f32(r, u->in->rnd);                                                       \
		LANE_LOOP {                                                                        \
			float x = r[i];                                                            \
			T v = (EXPR);                                                              \
			PUT;                                                                       \
		}                                                                                  \
	})
/* clang-format on */
#define OP_F64_INT(name, rows, T, EXPR, PUT)                                                       \
	OP_ROWS(name, rows, {                                                                      \
		double r[LANES];                                                                   \
		const uint32_t *a = row_u32(w, u->a);                                              \
		LANE_LOOP                                                                          \
			r[i] = as_f64(pair_get(a, i));                                             \
		integral_f64(r, u->in->rnd);                                                       \
		LANE_LOOP {                                                                        \
			double x = r[i];                                                           \
			T v = (EXPR);                                                              \
			PUT;                                                                       \
		}                                                                                  \
	})
#define PUT_D       out[i] = (uint32_t)v
#define PUT_Q       pair_put(out, i, (uint64_t)v)
#define F32_S32_MAX 0x1.fffffep30f
#define F32_U32_MAX 0x1.fffffep31f
#define F32_S64_MAX 0x1.fffffep62f
#define F32_U64_MAX 0x1.fffffep63f
#define F64_S64_MAX 0x1.fffffffffffffp62
#define F64_U64_MAX 0x1.fffffffffffffp63

LANE_FN uint32_t s32_of_f32(float x)
{
	int32_t v = (int32_t)clamp_f32(x, -0x1p31f, F32_S32_MAX, 0.0f);
	return x > F32_S32_MAX ? INT32_MAX : (uint32_t)v;
}
LANE_FN uint32_t u32_of_f32(float x)
{
	uint32_t v = (uint32_t)clamp_f32(x, 0.0f, F32_U32_MAX, 0.0f);
	return x > F32_U32_MAX ? UINT32_MAX : v;
}
LANE_FN uint64_t s64_of_f32(float x)
{
	int64_t v = (int64_t)clamp_f32(x, -0x1p63f, F32_S64_MAX, -0x1p63f);
	return x > F32_S64_MAX ? INT64_MAX : (uint64_t)v;
}
LANE_FN uint64_t u64_of_f32(float x)
{
	uint64_t v = (uint64_t)clamp_f32(x, 0.0f, F32_U64_MAX, 0x1p63f);
	return x > F32_U64_MAX ? UINT64_MAX : v;
}
LANE_FN uint64_t s64_of_f64(double x)
{
	int64_t v = (int64_t)clamp_f64(x, -0x1p63, F64_S64_MAX, -0x1p63);
	return x > F64_S64_MAX ? INT64_MAX : (uint64_t)v;
}
LANE_FN uint64_t u64_of_f64(double x)
{
	uint64_t v = (uint64_t)clamp_f64(x, 0.0, F64_U64_MAX, 0x1p63);
	return x > F64_U64_MAX ? UINT64_MAX : v;
}
OP_F32_INT(s32_f32, 1, uint32_t, s32_of_f32(x), PUT_D)
OP_F32_INT(u32_f32, 1, uint32_t, u32_of_f32(x), PUT_D)
OP_F32_INT(s64_f32, 2, uint64_t, s64_of_f32(x), PUT_Q)
OP_F32_INT(u64_f32, 2, uint64_t, u64_of_f32(x), PUT_Q)
OP_F32_INT(s16_f32, 1, int32_t, (int32_t)clamp_f32(x, -32768.0f, 32767.0f, 0.0f), PUT_D)
OP_F32_INT(u16_f32, 1, int32_t, (int32_t)clamp_f32(x, 0.0f, 65535.0f, 0.0f), PUT_D)
OP_F32_INT(s8_f32, 1, int32_t, (int32_t)clamp_f32(x, -128.0f, 127.0f, 0.0f), PUT_D)
OP_F32_INT(u8_f32, 1, int32_t, (int32_t)clamp_f32(x, 0.0f, 255.0f, 0.0f), PUT_D)
OP_F64_INT(s32_f64, 1, int32_t, (int32_t)clamp_f64(x, -0x1p31, 0x1.fffffffcp30, -0x1p31), PUT_D)
OP_F64_INT(u32_f64, 1, uint32_t, (uint32_t)clamp_f64(x, 0.0, 0x1.fffffffep31, 0x1p31), PUT_D)
OP_F64_INT(s64_f64, 2, uint64_t, s64_of_f64(x), PUT_Q)
OP_F64_INT(u64_f64, 2, uint64_t, u64_of_f64(x), PUT_Q)

static bool bind_float_int(const struct inst *in, struct uop *u)
{
	bool f64 = in->stype == T_F64;
	if ((!f64 && in->stype != T_F32) || in->rnd < RND_RNI || in->rnd > RND_RPI ||
	    u->aux != type_rows(in->type))
		return false;
	switch (in->type) {
	case T_S32: return bind_pair(u, f64 ? FN(s32_f64) : FN(s32_f32));
	case T_U32: return bind_pair(u, f64 ? FN(u32_f64) : FN(u32_f32));
	case T_S64: return bind_pair(u, f64 ? FN(s64_f64) : FN(s64_f32));
	case T_U64: return bind_pair(u, f64 ? FN(u64_f64) : FN(u64_f32));
	case T_S16: return !f64 && bind_pair(u, FN(s16_f32));
	case T_U16: return !f64 && bind_pair(u, FN(u16_f32));
	case T_S8: return !f64 && bind_pair(u, FN(s8_f32));
	case T_U8: return !f64 && bind_pair(u, FN(u8_f32));
	default: return false;
	}
}

/* ---- float to float ---- */

LANE_FN uint64_t f64_of_f32(uint32_t a, bool ftz)
{
	uint64_t nan = ftz ? 0x7fffffffe0000000ull
			   : (uint64_t)(a & F32_SIGN) << 32 | F64_INF | F64_QUIET |
				       (uint64_t)(a & 0x7fffff) << 29;
	return f32_is_nan(a) ? nan : f64_bits((double)f32_in(a, ftz));
}
LANE_FN uint32_t f32_of_f64(uint64_t a, bool ftz)
{
	double x = as_f64(a);
	uint32_t nan =
		(uint32_t)(a >> 32 & F32_SIGN) | 0x7fc00000 | ((uint32_t)(a >> 29) & 0x7fffff);
	uint32_t r = f32_bits((float)x);
	if (ftz) /* tiny after rounding to 24 bits */
		r = fabs(x) < 0x1p-126 - 0x1p-151 ? r & F32_SIGN : r;
	return f64_is_nan(a) ? nan : r;
}
OP_Q_D(f64_f32, uint32_t, f64_of_f32(a, false))
OP_Q_D(f64_f32_ftz, uint32_t, f64_of_f32(a, true))
OP_D_Q(f32_f64, uint64_t, f32_of_f64(a, false))
OP_D_Q(f32_f64_ftz, uint64_t, f32_of_f64(a, true))
OP_D_A(f32_f16, uint32_t, f32_canon(f16_to_f32(a)))
OP_D_A(f16_f32, float, f32_to_f16(a))
OP_D_A(f16_f32_ftz, uint32_t, f32_to_f16(as_f32(f32_flush(a))))
OP_D_A(f32_bf16, uint32_t, a << 16)
OP_D_A(bf16_f32, float, f32_to_bf16(a))
OP_D_A(f32_sat, float, f32_sat(a))
OP_D_A(f32_sat_ftz, uint32_t, f32_sat(as_f32(f32_flush(a))))
OP_D_A(f32_ftz, uint32_t, f32_is_nan(a) ? F32_NAN : f32_flush(a))
OP_D_AB(f16x2_f32, float, float, f32_to_f16(a) << 16 | f32_to_f16(b))
OP_D_AB(bf16x2_f32, float, float, f32_to_bf16(a) << 16 | f32_to_bf16(b))

/* rna truncates a NaN as if it were a number. */
OP_D_A(tf32_rna, uint32_t, (f32_is_nan(a) ? a : a + 0x1000) & ~0x1fffu)

/* clang-format off */
OP_ROWS(f32_integral, 1, {
	float r[LANES];
	load_f32(r, row_u32(w, u->a), u->in->mods & M_FTZ);
	integral_f32(r, u->in->rnd);
	LANE_LOOP out[i] = f32_canon(r[i]);
})
OP_ROWS(f64_integral, 2, {
	double r[LANES];
	const uint32_t *a = row_u32(w, u->a);
	LANE_LOOP r[i] = as_f64(pair_get(a, i));
	integral_f64(r, u->in->rnd);
	LANE_LOOP {
		uint64_t x = pair_get(a, i);
		uint64_t v = f64_is_nan(x) ? x | F64_QUIET : f64_bits(r[i]);
		pair_put(out, i, v);
	}
})
/* clang-format on */

static bool is_integral_rnd(const struct inst *in)
{
	return in->rnd >= RND_RNI && in->rnd <= RND_RPI;
}

static bool bind_to_f32(const struct inst *in, struct uop *u)
{
	bool ftz = in->mods & M_FTZ, sat = in->mods & M_SAT,
	     near = in->rnd == RND_NONE || in->rnd == RND_RN;
	switch (in->stype) {
	case T_F64: return !sat && near && bind_pair(u, ftz ? FN(f32_f64_ftz) : FN(f32_f64));
	case T_F16: return !sat && bind_pair(u, FN(f32_f16)); /* .ftz: halves are normal as f32 */
	case T_BF16: return !sat && !ftz && bind_pair(u, FN(f32_bf16));
	case T_F32:
		if (is_integral_rnd(in))
			return !sat && bind_pair(u, FN(f32_integral));
		if (sat)
			return bind_pair(u, ftz ? FN(f32_sat_ftz) : FN(f32_sat));
		return in->rnd == RND_NONE && bind_pair(u, ftz ? FN(f32_ftz) : FN(copy32));
	default: return false;
	}
}

static bool bind_to_f64(const struct inst *in, struct uop *u)
{
	if (in->mods & M_SAT)
		return false;
	if (in->stype == T_F32)
		return bind_pair(u, in->mods & M_FTZ ? FN(f64_f32_ftz) : FN(f64_f32));
	if (in->stype != T_F64)
		return false;
	return is_integral_rnd(in) ? bind_pair(u, FN(f64_integral))
				   : in->rnd == RND_NONE && bind_pair(u, FN(copy64));
}

static bool bind_to_half(const struct inst *in, struct uop *u)
{
	bool ftz = in->mods & M_FTZ;
	if (in->stype != T_F32 || in->rnd != RND_RN || in->mods & (M_SAT | M_RELU | M_SATFINITE))
		return false;
	switch (in->type) {
	case T_F16: return bind_pair(u, ftz ? FN(f16_f32_ftz) : FN(f16_f32));
	case T_BF16: return !ftz && bind_pair(u, FN(bf16_f32));
	case T_F16X2: return !ftz && bind_pair(u, FN(f16x2_f32));
	case T_BF16X2: return !ftz && bind_pair(u, FN(bf16x2_f32));
	default: return false;
	}
}

bool cvt_bind_fast(const struct inst *in, struct uop *u)
{
	bool ffrom = type_is_float(in->stype), fto = type_is_float(in->type);
	if (!ffrom && !fto)
		return bind_int_int(in, u);
	if (!fto)
		return bind_float_int(in, u);
	if (u->aux != type_rows(in->type) || in->mods & (M_RELU | M_SATFINITE))
		return false;
	if (!ffrom)
		return bind_int_float(in, u);
	if (in->type == T_TF32)
		return in->rnd == RND_RNA && bind_pair(u, FN(tf32_rna));
	return in->type == T_F32   ? bind_to_f32(in, u)
	       : in->type == T_F64 ? bind_to_f64(in, u)
				   : bind_to_half(in, u);
}
