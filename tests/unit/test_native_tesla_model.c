/* Tesla's arithmetic, word by word, against a separate model: bits as the machine's tables define
 * them, results and flags as those tables and the measurements of open hardware tests give them. */
#include "native_model.h"

/* ---- the machine ---- */

enum {
	DST = 24,
	SRC = 8,
	SEEN = 12
}; /* field values: R24, R8 to R11; as halves R12L, R4L to R5H */
enum { CC_OUT = 1, WORDS = 60, BANK = 1, CONSTS = 8 };

struct machine {
	uint32_t r[32];
	unsigned c[4];
	uint32_t bank[CONSTS];
};

struct word {
	uint32_t a, b; /* w0, w1 */
	bool brief;    /* an instruction of four bytes */
	bool imm;
};

static uint32_t full(const struct machine *m, unsigned f) { return m->r[f]; }
static uint32_t half(const struct machine *m, unsigned f)
{
	return m->r[f >> 1] >> (f & 1 ? 16 : 0) & 0xffff;
}
static uint32_t sized(const struct machine *m, unsigned f, bool wide)
{
	return wide ? full(m, f) : half(m, f);
}
static uint64_t pair(const struct machine *m, unsigned f)
{
	return m->r[f] | (uint64_t)m->r[f + 1] << 32;
}

static unsigned dst(const struct word *w) { return bits(w->a, 2, w->brief || w->imm ? 6 : 7); }
static unsigned src1(const struct word *w) { return bits(w->a, 9, w->brief || w->imm ? 6 : 7); }
static unsigned src2(const struct word *w) { return bits(w->a, 16, w->brief ? 6 : 7); }
static unsigned src3(const struct word *w) { return bits(w->b, 14, 7); }
static uint32_t immediate(const struct word *w)
{
	return bits(w->a, 16, 6) | bits(w->b, 2, 26) << 6;
}

/* Word or half k of the constant bank. */
static uint32_t constant(const struct machine *m, unsigned k, bool wide)
{
	return wide ? m->bank[k % CONSTS] : m->bank[k / 2 % CONSTS] >> (k & 1 ? 16 : 0) & 0xffff;
}

/* The second source is a constant with bit 23, the third with bit 24; in a short form the field's
 * upper bit is the bank. */
static uint32_t second(const struct machine *m, const struct word *w, bool wide)
{
	unsigned f = src2(w);
	return bits(w->a, 23, 1) ? constant(m, w->brief ? f & 31 : f, wide) : sized(m, f, wide);
}

static uint32_t third(const struct machine *m, const struct word *w, bool wide)
{
	return bits(w->a, 24, 1) ? constant(m, src3(w), wide) : sized(m, src3(w), wide);
}

static void put(struct machine *m, unsigned f, bool wide, uint32_t v)
{
	if (wide)
		m->r[f] = v;
	else
		m->r[f >> 1] = (m->r[f >> 1] & (f & 1 ? 0xffffu : 0xffff0000u)) |
			       (v & 0xffff) << (f & 1 ? 16 : 0);
}

static void flags(struct machine *m, const struct word *w, unsigned f)
{
	if (!w->brief && !w->imm && bits(w->b, 6, 1))
		m->c[bits(w->b, 4, 2)] = f;
}

static int32_t sext(uint32_t v, unsigned width)
{
	return (int32_t)(v << (32 - width)) >> (32 - width);
}

/* ---- integers ---- */

static void iadd(struct machine *m, const struct word *w)
{
	bool small = w->brief || w->imm, wide = small ? bits(w->a, 15, 1) : bits(w->b, 26, 1);
	bool sat = small ? bits(w->a, 8, 1) : bits(w->b, 27, 1);
	unsigned mode = bits(w->a, 22, 1) | bits(w->a, 28, 1) << 1, f;
	uint32_t x = sized(m, src1(w), wide);
	uint32_t y = w->imm ? immediate(w) : (w->brief ? second(m, w, wide) : third(m, w, wide));
	unsigned carry = m->c[small ? 0 : bits(w->b, 12, 2)] >> 2 & 1;
	uint32_t v = model_sum(mode == 2 ? ~x : x, mode == 1 ? ~y : y,
			       mode == 3 ? carry : mode != 0, sat, wide ? 32 : 16, &f);
	put(m, dst(w), wide, v);
	flags(m, w, f);
}

static void iset(struct machine *m, const struct word *w)
{
	bool wide = bits(w->b, 26, 1), is_signed = bits(w->b, 27, 1);
	uint32_t x = sized(m, src1(w), wide), y = second(m, w, wide);
	int64_t a = is_signed ? sext(x, wide ? 32 : 16) : (int64_t)x,
		b = is_signed ? sext(y, wide ? 32 : 16) : (int64_t)y;
	bool t = bits(w->b, 14, 3) >> (a < b ? 0 : a == b ? 1 : 2) & 1;
	put(m, dst(w), wide, t ? ~0u : 0);
	flags(m, w, t ? 2 : 1);
}

static void minmax(struct machine *m, const struct word *w)
{
	bool wide = bits(w->b, 26, 1), is_signed = bits(w->b, 27, 1), least = bits(w->b, 29, 1);
	uint32_t x = sized(m, src1(w), wide), y = second(m, w, wide);
	int64_t a = is_signed ? sext(x, wide ? 32 : 16) : (int64_t)x,
		b = is_signed ? sext(y, wide ? 32 : 16) : (int64_t)y;
	uint32_t v = (a < b) == least ? x : y;
	put(m, dst(w), wide, v);
	flags(m, w, model_zs(v, wide ? 32 : 16));
}

static void shift(struct machine *m, const struct word *w)
{
	bool wide = bits(w->b, 26, 1), right = bits(w->b, 29, 1),
	     is_signed = bits(w->b, 27, 1) && right;
	unsigned width = wide ? 32 : 16, f;
	uint32_t x = sized(m, src1(w), wide),
		 n = bits(w->b, 20, 1) ? bits(w->a, 16, 7) : second(m, w, wide);
	uint32_t sign = is_signed && x >> (width - 1) & 1 ? ~0u : 0, v;
	bool out;
	if (right) {
		v = n >= width ? sign : (uint32_t)((((uint64_t)sign << width) | x) >> n);
		out = n > 0 && n < width && x >> (n - 1) & 1;
	} else {
		v = n >= width ? 0 : x << n;
		out = n > 0 && n < width && x >> (width - n) & 1;
	}
	v &= wide ? ~0u : 0xffffu;
	f = model_zs(v, width) | (unsigned)out << 2;
	if (n == 1 && (v ^ x) >> (width - 1) & 1)
		f |= 8;
	put(m, dst(w), wide, v);
	flags(m, w, f);
}

static uint32_t mul24(uint32_t x, uint32_t y, bool is_signed, bool hi)
{
	int64_t p = is_signed ? (int64_t)sext(x, 24) * sext(y, 24)
			      : (int64_t)(x & 0xffffff) * (y & 0xffffff);
	return (uint32_t)(hi ? p >> 16 : p);
}

static uint32_t mul16(uint32_t x, uint32_t y, bool sx, bool sy)
{
	return (uint32_t)(sx ? sext(x, 16) : (int32_t)(x & 0xffff)) *
	       (uint32_t)(sy ? sext(y, 16) : (int32_t)(y & 0xffff));
}

static void imul(struct machine *m, const struct word *w)
{
	bool small = w->brief || w->imm, is24 = small ? bits(w->a, 22, 1) : bits(w->b, 16, 1);
	bool s1 = small ? bits(w->a, 15, 1) : bits(w->b, 15, 1),
	     s2 = small ? bits(w->a, 8, 1) : bits(w->b, 14, 1);
	uint32_t x = sized(m, src1(w), is24), y = w->imm ? immediate(w) : second(m, w, is24);
	uint32_t v = is24 ? mul24(x, y, s1, s2) : mul16(x, y, s1, s2);
	put(m, dst(w), true, v);
	flags(m, w, model_zs(v, 32));
}

/* Types 0 U16 1 S16 2 S16.SAT 3 U24 4 S24 5 S24.SAT 6 HI.U24 7 HI.S24 8 HI.S24.SAT. */
static void imad(struct machine *m, const struct word *w)
{
	bool small = w->brief || w->imm;
	unsigned type = small               ? bits(w->a, 15, 1) << 1 | bits(w->a, 8, 1)
			: bits(w->a, 28, 1) ? 8
					    : bits(w->b, 29, 3);
	unsigned mode = small ? bits(w->a, 22, 1) | bits(w->a, 28, 1) << 1 : bits(w->b, 26, 2), f;
	bool wide = type >= 3, is_signed = type != 0 && type != 3 && type != 6;
	uint32_t x = sized(m, src1(w), wide), y = w->imm ? immediate(w) : second(m, w, wide);
	uint32_t p = wide ? mul24(x, y, is_signed, type >= 6) : mul16(x, y, is_signed, is_signed);
	uint32_t c = (small ? full(m, dst(w)) : third(m, w, true));
	unsigned carry = m->c[small ? 0 : bits(w->b, 12, 2)] >> 2 & 1;
	uint32_t v =
		model_sum(mode == 2 ? ~p : p, mode == 1 ? ~c : c, mode == 3 ? carry : mode != 0,
			  type == 2 || type == 5 || type == 8, 32, &f);
	put(m, dst(w), true, v);
	flags(m, w, f);
}

static void isad(struct machine *m, const struct word *w)
{
	bool wide = w->brief ? bits(w->a, 15, 1) : bits(w->b, 26, 1),
	     is_signed = w->brief ? bits(w->a, 8, 1) : bits(w->b, 27, 1);
	uint32_t x = sized(m, src1(w), wide), y = second(m, w, wide);
	int64_t a = is_signed ? sext(x, wide ? 32 : 16) : (int64_t)x,
		b = is_signed ? sext(y, wide ? 32 : 16) : (int64_t)y;
	unsigned f;
	uint32_t v = model_sum((uint32_t)(a < b ? b - a : a - b),
			       (w->brief ? full(m, dst(w)) : third(m, w, true)), 0, false, 32, &f);
	put(m, dst(w), true, v);
	flags(m, w, f);
}

static void lop(struct machine *m, const struct word *w)
{
	bool wide = w->imm || bits(w->b, 26, 1);
	unsigned op = w->imm ? bits(w->a, 15, 1) << 1 | bits(w->a, 8, 1) : bits(w->b, 14, 2);
	uint32_t x = sized(m, src1(w), wide), y = w->imm ? immediate(w) : second(m, w, wide);
	x = (w->imm ? bits(w->a, 22, 1) : bits(w->b, 16, 1)) ? ~x : x;
	y = !w->imm && bits(w->b, 17, 1) ? ~y : y;
	uint32_t v = op == 0 ? x & y : op == 1 ? x | y : op == 2 ? x ^ y : y;
	put(m, dst(w), wide, v);
	flags(m, w, model_zs(v, wide ? 32 : 16));
}

static void mov(struct machine *m, const struct word *w)
{
	bool wide = w->brief ? bits(w->a, 15, 1) : bits(w->b, 26, 1);
	uint32_t v = sized(m, src1(w), wide);
	put(m, dst(w), wide, v);
	flags(m, w, model_zs(v, wide ? 32 : 16));
}

/* ---- conversions ---- */

/* The magnitude and sign of an integer source after its modifiers. */
static uint64_t int_source(const struct machine *m, const struct word *w, bool *neg)
{
	static const uint8_t width[8] = {16, 32, 8, 8, 16, 32, 8, 8};
	unsigned st = bits(w->b, 14, 3);
	bool big = bits(w->b, 22, 1), is_signed = st & 4;
	uint64_t v;
	if (big && st & 1)
		v = pair(m, src1(w));
	else if (big)
		v = is_signed ? (uint64_t)(int32_t)full(m, src1(w)) : full(m, src1(w));
	else if (is_signed)
		v = (uint64_t)(int64_t)sext(sized(m, src1(w), st & 1), width[st]);
	else
		v = sized(m, src1(w), st & 1) & (uint32_t)((1ull << width[st]) - 1);
	*neg = is_signed && (int64_t)v < 0;
	if (*neg)
		v = -v;
	if (bits(w->b, 20, 1))
		*neg = false;
	*neg ^= bits(w->b, 29, 1);
	return v;
}

static void i2i(struct machine *m, const struct word *w)
{
	bool neg, wide = bits(w->b, 26, 1), is_signed = bits(w->b, 27, 1);
	uint64_t v = int_source(m, w, &neg);
	unsigned width = bits(w->b, 19, 1) ? 8 : wide ? 32 : 16;
	uint64_t least = is_signed ? 1ull << (width - 1) : 0,
		 most = is_signed ? least - 1 : (1ull << width) - 1;
	uint32_t r = (uint32_t)(neg ? -(v > least ? least : v) : v > most ? most : v);
	put(m, dst(w), wide, r);
	flags(m, w, model_zs(r, wide ? 32 : 16));
}

static void i2f(struct machine *m, const struct word *w)
{
	bool neg, big = bits(w->b, 22, 1), more = bits(w->b, 26, 1);
	struct soft_fmt f = big ? (more ? F64 : F32) : more ? F32 : F16;
	uint64_t v = int_source(m, w, &neg);
	uint64_t r = soft_put(model_integer(v, neg), f, model_rnd[bits(w->b, 17, 2)], false);
	if (f.mbits == 52) {
		m->r[dst(w)] = (uint32_t)r;
		m->r[dst(w) + 1] = (uint32_t)(r >> 32);
	} else {
		put(m, dst(w), f.mbits == 23, (uint32_t)r);
	}
	flags(m, w, model_float_flags(soft_get(r, f, false)));
}

/* A float source: its format from bit 14 of w1, modifiers applied to its sign bit. */
static struct soft float_source(const struct machine *m, const struct word *w, struct soft_fmt *f)
{
	bool big = bits(w->b, 22, 1), more = bits(w->b, 14, 1);
	*f = big ? (more ? F64 : F32) : more ? F32 : F16;
	struct soft x =
		soft_get(f->mbits == 52 ? pair(m, src1(w)) : sized(m, src1(w), f->mbits == 23), *f,
			 f->mbits == 23);
	if (bits(w->b, 20, 1))
		x.neg = false;
	x.neg ^= bits(w->b, 29, 1);
	return x;
}

static void f2i(struct machine *m, const struct word *w)
{
	struct soft_fmt f;
	bool big = bits(w->b, 22, 1), more = bits(w->b, 26, 1);
	unsigned width = big ? (more ? 64 : 32) : more ? 32 : 16;
	uint64_t v = model_f2i(float_source(m, w, &f), model_rnd[bits(w->b, 17, 2)], width,
			       bits(w->b, 27, 1));
	if (width == 64) {
		m->r[dst(w)] = (uint32_t)v;
		m->r[dst(w) + 1] = (uint32_t)(v >> 32);
		flags(m, w, (v == 0) | (unsigned)(v >> 63) << 1);
		return;
	}
	put(m, dst(w), width == 32, (uint32_t)v);
	flags(m, w, model_zs((uint32_t)v, width));
}

static void f2f(struct machine *m, const struct word *w)
{
	struct soft_fmt from, to;
	struct soft x = float_source(m, w, &from);
	bool big = bits(w->b, 22, 1), more = bits(w->b, 26, 1), whole = bits(w->b, 27, 1);
	unsigned rnd = model_rnd[bits(w->b, 17, 2)];
	to = big ? (more ? F64 : F32) : more ? F32 : F16;
	if (whole)
		x = model_whole(x, rnd);
	uint64_t v = soft_put(x, to, whole ? RND_RZ : rnd, to.mbits == 23);
	if (bits(w->b, 19, 1))
		v = model_clamp(v, to);
	if (to.mbits == 52) {
		m->r[dst(w)] = (uint32_t)v;
		m->r[dst(w) + 1] = (uint32_t)(v >> 32);
	} else {
		put(m, dst(w), to.mbits == 23, (uint32_t)v);
	}
	flags(m, w, model_float_flags(soft_get(v, to, false)));
}

/* ---- singles: subnormals are zero ---- */

static struct soft single(uint32_t v, bool abs, bool neg)
{
	struct soft x = soft_get(v, F32, true);
	x.neg = (abs ? false : x.neg) != neg;
	return x;
}

static void put_single(struct machine *m, const struct word *w, struct soft x, unsigned rnd,
		       bool sat)
{
	uint32_t v = (uint32_t)soft_put(x, F32, rnd, true);
	if (sat)
		v = (uint32_t)model_clamp(v, F32);
	put(m, dst(w), true, v);
	flags(m, w, model_float_flags(soft_get(v, F32, true)));
}

static void fadd(struct machine *m, const struct word *w)
{
	bool small = w->brief || w->imm;
	unsigned rnd = small ? RND_RN : model_rnd[bits(w->a, 16, 2)];
	uint32_t y = w->imm ? immediate(w) : (w->brief ? second(m, w, true) : third(m, w, true));
	struct soft a =
		single(full(m, src1(w)), false, small ? bits(w->a, 15, 1) : bits(w->b, 26, 1));
	struct soft b = single(y, false, small ? bits(w->a, 22, 1) : bits(w->b, 27, 1));
	put_single(m, w, soft_add(a, b, rnd), rnd, small ? bits(w->a, 8, 1) : bits(w->b, 29, 1));
}

static void fmul(struct machine *m, const struct word *w)
{
	bool small = w->brief || w->imm;
	unsigned rnd = small ? RND_RN : model_rnd[bits(w->b, 14, 2)];
	struct soft a =
		single(full(m, src1(w)), false, small ? bits(w->a, 15, 1) : bits(w->b, 26, 1));
	struct soft b = single(w->imm ? immediate(w) : second(m, w, true), false,
			       small ? bits(w->a, 22, 1) : bits(w->b, 27, 1));
	put_single(m, w, soft_mul(a, b), rnd, small ? bits(w->a, 8, 1) : bits(w->b, 20, 1));
}

/* The product is truncated to a single, or rounded if a zero is added. */
static void fmad(struct machine *m, const struct word *w)
{
	bool small = w->brief || w->imm;
	unsigned rnd = small ? RND_RN : model_rnd[bits(w->b, 22, 2)];
	struct soft a =
		single(full(m, src1(w)), false, small ? bits(w->a, 15, 1) : bits(w->b, 26, 1));
	struct soft b = single(w->imm ? immediate(w) : second(m, w, true), false, false);
	struct soft c = single((small ? full(m, dst(w)) : third(m, w, true)), false,
			       small ? bits(w->a, 22, 1) : bits(w->b, 27, 1));
	bool zero = c.cls == SOFT_FINITE && !c.sig;
	struct soft p =
		soft_get(soft_put(soft_mul(a, b), F32, zero ? rnd : RND_RZ, true), F32, true);
	put_single(m, w, soft_add(p, c, rnd), rnd, small ? bits(w->a, 8, 1) : bits(w->b, 29, 1));
}

static void fset(struct machine *m, const struct word *w)
{
	bool wide = bits(w->a, 28, 4) == 14;
	struct soft a = wide ? soft_get(pair(m, src1(w)), F64, false)
			     : single(full(m, src1(w)), false, false);
	struct soft b = wide ? soft_get(pair(m, src2(w)), F64, false)
			     : single(second(m, w, true), false, false);
	a.neg = (bits(w->b, 20, 1) ? false : a.neg) != bits(w->b, 26, 1);
	b.neg = (bits(w->b, 19, 1) ? false : b.neg) != bits(w->b, 27, 1);
	bool t = bits(w->b, 14, 4) & model_order(a, b);
	put(m, dst(w), true, t ? ~0u : 0);
	flags(m, w, t ? 2 : 1);
}

static void fminmax(struct machine *m, const struct word *w)
{
	struct soft a = single(full(m, src1(w)), bits(w->b, 20, 1), bits(w->b, 26, 1));
	struct soft b = single(second(m, w, true), bits(w->b, 19, 1), bits(w->b, 27, 1));
	put_single(m, w, model_lesser(a, b, bits(w->b, 29, 1)), RND_RN, false);
}

static void fcmp(struct machine *m, const struct word *w)
{
	struct soft c = single(third(m, w, true), false, bits(w->b, 29, 1)),
		    zero = {.cls = SOFT_FINITE};
	uint32_t v = model_order(c, zero) & 6 ? full(m, src1(w)) : second(m, w, true);
	put(m, dst(w), true, v);
	flags(m, w, v << 1 ? v >> 31 << 1 : 1);
}

/* ---- doubles ---- */

static struct soft wide_source(const struct machine *m, unsigned f, bool abs, bool neg)
{
	struct soft x = soft_get(pair(m, f), F64, false);
	x.neg = (abs ? false : x.neg) != neg;
	return x;
}

static void put_double(struct machine *m, const struct word *w, struct soft x, unsigned rnd)
{
	uint64_t v = soft_put(x, F64, rnd, false);
	m->r[dst(w)] = (uint32_t)v;
	m->r[dst(w) + 1] = (uint32_t)(v >> 32);
	flags(m, w, model_float_flags(soft_get(v, F64, false)));
}

static void dadd(struct machine *m, const struct word *w)
{
	unsigned rnd = model_rnd[bits(w->a, 16, 2)];
	struct soft a = wide_source(m, src1(w), false, bits(w->b, 26, 1)),
		    b = wide_source(m, src3(w), false, bits(w->b, 27, 1));
	put_double(m, w, soft_add(a, b, rnd), rnd);
}

static void dmul(struct machine *m, const struct word *w)
{
	struct soft a = wide_source(m, src1(w), false, bits(w->b, 26, 1)),
		    b = wide_source(m, src2(w), false, bits(w->b, 27, 1));
	put_double(m, w, soft_mul(a, b), model_rnd[bits(w->b, 17, 2)]);
}

static void dfma(struct machine *m, const struct word *w)
{
	unsigned rnd = model_rnd[bits(w->b, 22, 2)];
	struct soft a = wide_source(m, src1(w), false, bits(w->b, 26, 1)),
		    b = wide_source(m, src2(w), false, false);
	put_double(m, w,
		   soft_add(soft_mul(a, b), wide_source(m, src3(w), false, bits(w->b, 27, 1)), rnd),
		   rnd);
}

static void dminmax(struct machine *m, const struct word *w)
{
	struct soft a = wide_source(m, src1(w), bits(w->b, 20, 1), bits(w->b, 26, 1));
	struct soft b = wide_source(m, src2(w), bits(w->b, 19, 1), bits(w->b, 27, 1));
	put_double(m, w, model_lesser(a, b, bits(w->b, 29, 3) == 5), RND_RN);
}

/* ---- words ---- */

enum form { LONG, BRIEF, IMM };

/* Opcode bits; bits drawn at random; `doubles`: inputs are doubles in even registers. */
static const struct row {
	const char *name;
	enum form form;
	uint32_t a, b, any_a, any_b;
	void (*model)(struct machine *m, const struct word *w);
	bool doubles;
} rows[] = {
	{"MOV", LONG, 0x10000000, 0x0003c000, 0, 1u << 26, mov, false},
	{"IADD", LONG, 0x20000000, 0, 1u << 22 | 1u << 28, 3u << 26, iadd, false},
	{"ISET", LONG, 0x30000000, 0x60000000, 0, 3u << 26 | 7u << 14, iset, false},
	{"IMAX, IMIN", LONG, 0x30000000, 0x80000000, 0, 3u << 26 | 1u << 29, minmax, false},
	{"SHL, SHR", LONG, 0x30000000, 0xc0000000, 0, 3u << 26 | 1u << 29, shift, false},
	{"SHL, SHR by a number", LONG, 0x30000000, 0xc0100000, 0x3f << 16, 3u << 26 | 1u << 29,
	 shift, false},
	{"IMUL", LONG, 0x40000000, 0, 0, 7u << 14, imul, false},
	{"ISAD", LONG, 0x50000000, 0, 0, 3u << 26, isad, false},
	{"IMAD", LONG, 0x60000000, 0, 0, 3u << 26 | 7u << 29, imad, false},
	{"IMAD.HI.S24.SAT", LONG, 0x70000000, 0, 0, 3u << 26, imad, false},
	{"LOP", LONG, 0xd0000000, 0, 0, 15u << 14 | 1u << 26, lop, false},
	{"I2I", LONG, 0xa0000000, 0, 0, 7u << 14 | 3u << 19 | 3u << 26 | 1u << 29, i2i, false},
	{"I2F", LONG, 0xa0000000, 0x44000000, 0, 31u << 14 | 1u << 20 | 1u << 29, i2f, false},
	{"I2F, 64 bits", LONG, 0xa0000000, 0x40400000, 0,
	 1u << 14 | 7u << 16 | 1u << 20 | 1u << 26 | 1u << 29, i2f, true},
	{"F2I", LONG, 0xa0000000, 0x80000000, 0,
	 1u << 14 | 3u << 17 | 1u << 20 | 3u << 26 | 1u << 29, f2i, false},
	{"F2I, 64 bits", LONG, 0xa0000000, 0x80400000, 0,
	 1u << 14 | 3u << 17 | 1u << 20 | 3u << 26 | 1u << 29, f2i, true},
	{"F2F to singles", LONG, 0xa0000000, 0xc4000000, 0,
	 1u << 14 | 15u << 17 | 1u << 27 | 1u << 29, f2f, false},
	{"F2F to halves", LONG, 0xa0000000, 0xc0000000, 0,
	 1u << 14 | 1u << 19 | 1u << 20 | 1u << 27 | 1u << 29, f2f, false},
	{"F2F, doubles", LONG, 0xa0000000, 0xc0400000, 0,
	 1u << 14 | 3u << 17 | 1u << 20 | 3u << 26 | 1u << 29, f2f, true},
	{"FADD", LONG, 0xb0000000, 0, 3u << 16, 3u << 26 | 1u << 29, fadd, false},
	{"FSET", LONG, 0xb0000000, 0x60000000, 0, 15u << 14 | 3u << 19 | 3u << 26, fset, false},
	{"FMAX, FMIN", LONG, 0xb0000000, 0x80000000, 0, 3u << 19 | 3u << 26 | 1u << 29, fminmax,
	 false},
	{"FMUL", LONG, 0xc0000000, 0, 0, 3u << 14 | 1u << 20 | 3u << 26, fmul, false},
	{"FCMP", LONG, 0xc0000000, 0x40000000, 0, 1u << 29, fcmp, false},
	{"FMAD", LONG, 0xe0000000, 0, 0, 3u << 22 | 3u << 26 | 1u << 29, fmad, false},
	{"DFMA", LONG, 0xe0000000, 0x40000000, 0, 3u << 22 | 3u << 26, dfma, true},
	{"DADD", LONG, 0xe0000000, 0x60000000, 3u << 16, 3u << 26, dadd, true},
	{"DMUL", LONG, 0xe0000000, 0x80000000, 0, 3u << 17 | 3u << 26, dmul, true},
	{"DMIN", LONG, 0xe0000000, 0xa0000000, 0, 3u << 19 | 3u << 26, dminmax, true},
	{"DMAX", LONG, 0xe0000000, 0xc0000000, 0, 3u << 19 | 3u << 26, dminmax, true},
	{"DSET", LONG, 0xe0000000, 0xe0000000, 0, 15u << 14 | 3u << 19 | 3u << 26, fset, true},
	{"MOV32", BRIEF, 0x10000000, 0, 1u << 15, 0, mov, false},
	{"IADD32", BRIEF, 0x20000000, 0, 1u << 8 | 1u << 15 | 1u << 22 | 1u << 28, 0, iadd, false},
	{"IMUL32", BRIEF, 0x40000000, 0, 1u << 8 | 1u << 15 | 1u << 22, 0, imul, false},
	{"ISAD32", BRIEF, 0x50000000, 0, 1u << 8 | 1u << 15, 0, isad, false},
	{"IMAD32", BRIEF, 0x60000000, 0, 1u << 8 | 1u << 15 | 1u << 22 | 1u << 28, 0, imad, false},
	{"FADD32", BRIEF, 0xb0000000, 0, 1u << 8 | 1u << 15 | 1u << 22, 0, fadd, false},
	{"FMUL32", BRIEF, 0xc0000000, 0, 1u << 8 | 1u << 15 | 1u << 22, 0, fmul, false},
	{"FMAD32", BRIEF, 0xe0000000, 0, 1u << 8 | 1u << 15 | 1u << 22, 0, fmad, false},
	{"IADD32I", IMM, 0x20000000, 0, 1u << 8 | 1u << 15 | 1u << 22 | 1u << 28, 0, iadd, false},
	{"IMUL32I", IMM, 0x40000000, 0, 1u << 8 | 1u << 15 | 1u << 22, 0, imul, false},
	{"IMAD32I", IMM, 0x60000000, 0, 1u << 8 | 1u << 15 | 1u << 22 | 1u << 28, 0, imad, false},
	{"FADD32I", IMM, 0xb0000000, 0, 1u << 8 | 1u << 15 | 1u << 22, 0, fadd, false},
	{"FMUL32I", IMM, 0xc0000000, 0, 1u << 8 | 1u << 15 | 1u << 22, 0, fmul, false},
	{"LOP32I", IMM, 0xd0000000, 0, 1u << 8 | 1u << 15 | 1u << 22, 0, lop, false},
	{"FMAD32I", IMM, 0xe0000000, 0, 1u << 8 | 1u << 15 | 1u << 22, 0, fmad, false},
};

static unsigned any_source(bool even)
{
	return SRC + (unsigned)(model_random() % 4 & (even ? 2 : 3));
}

static struct word draw(const struct row *r)
{
	struct word w = {.brief = r->form == BRIEF, .imm = r->form == IMM};
	uint32_t x = (uint32_t)model_random(), imm = model_word();
	unsigned d = DST + (r->doubles ? 0 : x & 1);
	w.a = r->a | ((uint32_t)model_random() & r->any_a) | d << 2 | any_source(r->doubles) << 9;
	if (w.brief) {
		bool constant = r->model != isad && r->model != mov &&
				x >> 20 & 1; /* the operand is in constant bank 1 */
		w.a |= constant ? 1u << 23 | (32 + (x >> 21) % CONSTS) << 16
				: any_source(false) << 16;
		return w;
	}
	w.a |= 1;
	if (w.imm) {
		w.a |= (imm & 63) << 16;
		w.b = imm >> 6 << 2 | 3;
		return w;
	}
	w.b = r->b | ((uint32_t)model_random() & r->any_b) | CC_OUT << 4 | (x >> 1 & 1) << 6;
	w.b |= (x & 4 ? 15 : x >> 3 & 15) << 7 | (x >> 8 & 3) << 12; /* the condition */
	bool has2 = !(r->any_a >> 16 & 0x7f) && !(r->a >> 16 & 0x7f),
	     has3 = !((r->any_b | r->b) >> 14 & 0x7f);
	bool banks = !r->doubles && !((r->any_b | r->b) >> 22 & 15) && !bits(r->b, 20, 1) &&
		     r->model != mov && r->a >> 28 != 10; /* conversions have none */
	bool alone =
		r->model == iadd || r->model == fadd; /* the third source is the second operand */
	unsigned which = banks ? x >> 20 & 3 : 0,
		 k = (x >> 22) % CONSTS; /* 1: the second is a constant, 2: the third */
	which = which == 3 || (which == 1 && (!has2 || alone)) || (which == 2 && !has3) ? 0 : which;
	w.a |= which << 23;
	w.b |= which ? BANK << 22 : 0;
	if (has2)
		w.a |= (which == 1 ? k : any_source(r->doubles)) << 16;
	if (has3)
		w.b |= (which == 2 ? k : any_source(r->doubles)) << 14;
	return w;
}

/* The low bits of R4 are the flags, in all C registers; a sum with carry reads its carry from the
 * tested register. */
static void expect(const struct row *r, const struct word *w, const uint32_t *bank,
		   const uint32_t *in, uint32_t *out)
{
	struct machine m = {{0}, {0}, {0}};
	memcpy(m.bank, bank, sizeof m.bank);
	memcpy(m.r + 4, in, MODEL_IN * 4);
	for (unsigned c = 0; c < 4; c++)
		m.c[c] = in[0] & 15;
	m.r[SEEN] = m.r[DST] = m.r[DST + 1] = in[1];
	if (r->form != LONG || model_test(bits(w->b, 7, 5), m.c[bits(w->b, 12, 2)]))
		r->model(&m, w);
	out[0] = m.r[SEEN], out[1] = m.r[DST], out[2] = m.r[DST + 1], out[3] = m.c[CC_OUT];
}

/* Which of several NaN operands becomes the result is not tested here. */
static void one_nan(const struct row *r, const struct word *w, uint32_t *out)
{
	bool to_float = r->doubles && r->model != f2i && r->model != fset;
	bool wide = bits(w->a, 28, 4) == 14 || bits(w->b, 26, 1);
	uint64_t d = out[1] | (uint64_t)out[2] << 32;
	if (to_float && wide && soft_get(d, F64, false).cls == SOFT_NAN)
		out[1] = ~0u, out[2] = 0x7fffffff;
	else if (to_float && !wide && soft_get(out[1], F32, false).cls == SOFT_NAN)
		out[1] = 0x7fffffff;
}

static void same(const struct row *r, const struct word *w, const uint32_t *bank, const char *text,
		 uint32_t (*in)[MODEL_IN], uint32_t (*out)[MODEL_OUT])
{
	for (unsigned i = 0; i < MODEL_LANES; i++) {
		uint32_t want[MODEL_OUT];
		expect(r, w, bank, in[i], want);
		one_nan(r, w, want);
		one_nan(r, w, out[i]);
		if (memcmp(want, out[i], sizeof want))
			fail_msg("%s: %s (%08x %08x) of %08x %08x %08x %08x, %08x %08x %08x %08x:\n"
				 "R12 %08x R24 %08x R25 %08x C1 %x, not %08x %08x %08x %x",
				 r->name, text, w->a, w->b, in[i][0], in[i][1], in[i][2], in[i][3],
				 in[i][4], in[i][5], in[i][6], in[i][7], out[i][0], out[i][1],
				 out[i][2], out[i][3], want[0], want[1], want[2], want[3]);
	}
}

static void one_word(const struct row *r)
{
	char text[256], file[1 << 12];
	uint32_t in[MODEL_LANES][MODEL_IN], out[MODEL_LANES][MODEL_OUT], bank[CONSTS];
	struct word w = draw(r);
	struct ninst n;
	if (!native_decode(NATIVE_TESLA, w.a | (uint64_t)w.b << 32, 0, &n))
		fail_msg("%s: %08x %08x is no instruction", r->name, w.a, w.b);
	native_print(&n, NSTYLE_FULL, text, sizeof text);
	int at = snprintf(file, sizeof file, "code for sm_13\nFunction : k\n.params 4 4\n.const %d",
			  BANK);
	for (unsigned i = 0; i < CONSTS; i++)
		at += snprintf(file + at, sizeof file - (size_t)at, " 0x%x",
			       bank[i] = model_word());
	snprintf(file + at, sizeof file - (size_t)at,
		 "\nI2I.U32.U16 R1, R0L;\nSHL R2, R1, 0x5;\nIADD R3, g [0x5], R2;\nGLD.S128 R4, "
		 "global14 [R3];\n"
		 "MVI R2, 0x10;\nIADD R3, R3, R2;\nGLD.S128 R8, global14 [R3];\n"
		 "MOV R12, R5;\nMOV R24, R5;\nMOV R25, R5;\nR2C C0, R4;\nR2C C1, R4;\nR2C C2, "
		 "R4;\nR2C C3, R4;\n%s;\n%s"
		 "MOV R16, R12;\nMOV R17, R24;\nMOV R18, R25;\nC2R R19, C1;\nSHL R2, R1, "
		 "0x4;\nIADD R3, g [0x4], R2;\n"
		 "GST.S128 global14 [R3], R16;\nRET;\n",
		 text, w.brief ? "MOV32 R1, R1;\n" : "");
	model_inputs(in, r->doubles);
	model_run(file, in, out);
	same(r, &w, bank, text, in, out);
}

static void words(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned k = 0; k < WORDS; k++)
			one_word(&rows[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
