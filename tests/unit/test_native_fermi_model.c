/* Fermi's integers, predicates, moves and video instructions, word by word, against a separate
 * model. */
#include "native_fermi_model.h"

/* ---- integers ---- */

/* x + y by the add mode: 1 negates y, 2 negates x, 3 adds one; with .X the carry replaces the
 * mode's addend. */
static void add(struct machine *m, uint64_t w, uint32_t x, uint32_t y, unsigned how, bool carry,
		bool sat)
{
	unsigned f, in = carry ? m->cc >> 2 & 1 : how != 0;
	uint32_t v = model_sum(how == 2 ? ~x : x, how == 1 ? ~y : y, in, sat, 32, &f);
	put(m, w, v, f);
}

static uint32_t product(uint32_t x, uint32_t y, uint64_t w)
{
	int64_t a = bits(w, 7, 1) ? (int64_t)(int32_t)x : (int64_t)x,
		b = bits(w, 5, 1) ? (int64_t)(int32_t)y : (int64_t)y;
	uint64_t p = (uint64_t)a * (uint64_t)b;
	return (uint32_t)(bits(w, 6, 1) ? p >> 32 : p);
}

static bool int_compare(unsigned code, bool lt, bool eq)
{
	return code >> (lt ? 0 : eq ? 1 : 2) & 1;
}

/* .X: the flags hold the comparison of the lower words. */
static bool iset_holds(struct machine *m, uint64_t w)
{
	uint32_t x = a32(m, w), y = b32(m, w);
	bool is_signed = bits(w, 5, 1), lt = is_signed ? (int32_t)x < (int32_t)y : x < y,
	     eq = x == y;
	if (bits(w, 6, 1)) {
		unsigned f;
		uint32_t r = model_sum(x, ~y, m->cc >> 2 & 1, false, 32, &f);
		eq = r == 0 && m->cc & 1;
		lt = is_signed ? (f >> 1 & 1) != (f >> 3 & 1) : !(f >> 2 & 1);
	}
	return int_compare(bits(w, 55, 3), lt, eq);
}

static void iadd(struct machine *m, uint64_t w)
{
	add(m, w, a32(m, w), b32(m, w), bits(w, 8, 2), bits(w, 6, 1), bits(w, 5, 1));
}
static void iadd32i(struct machine *m, uint64_t w)
{
	add(m, w, a32(m, w), bits(w, 26, 32), bits(w, 8, 2), bits(w, 6, 1), bits(w, 5, 1));
}
static void imad(struct machine *m, uint64_t w)
{
	add(m, w, product(a32(m, w), b32(m, w), w), c32(m, w), bits(w, 8, 2), bits(w, 55, 1),
	    bits(w, 56, 1));
}
static void imad32i(struct machine *m, uint64_t w)
{
	add(m, w, product(a32(m, w), bits(w, 26, 32), w), m->r[bits(w, 14, 6)], bits(w, 8, 2),
	    false, false);
}
static void imul(struct machine *m, uint64_t w) { put_zs(m, w, product(a32(m, w), b32(m, w), w)); }
static void imul32i(struct machine *m, uint64_t w)
{
	put_zs(m, w, product(a32(m, w), bits(w, 26, 32), w));
}
static void iscadd(struct machine *m, uint64_t w)
{
	add(m, w, a32(m, w) << bits(w, 5, 5), b32(m, w), bits(w, 55, 2), false, false);
}
static void iscadd32i(struct machine *m, uint64_t w)
{
	add(m, w, a32(m, w) << bits(w, 5, 5), bits(w, 26, 32), 0, false, false);
}
static void iset(struct machine *m, uint64_t w) { put_set(m, w, iset_holds(m, w), 7); }
static void isetp(struct machine *m, uint64_t w) { put_setp(m, w, iset_holds(m, w)); }

static void imnmx(struct machine *m, uint64_t w)
{
	uint32_t x = a32(m, w), y = b32(m, w);
	bool lt = bits(w, 5, 1) ? (int32_t)x < (int32_t)y : x < y;
	put_zs(m, w, lt == pred_at(m, w, 49) ? x : y);
}

static void icmp(struct machine *m, uint64_t w)
{
	uint32_t c = c32(m, w);
	bool lt = bits(w, 5, 1) && (int32_t)c < 0;
	put_zs(m, w, int_compare(bits(w, 55, 3), lt, c == 0) ? a32(m, w) : b32(m, w));
}

static void isad(struct machine *m, uint64_t w)
{
	uint32_t x = a32(m, w), y = b32(m, w);
	bool lt = bits(w, 5, 1) ? (int32_t)x < (int32_t)y : x < y;
	put_zs(m, w, (lt ? y - x : x - y) + c32(m, w));
}

static uint32_t reversed(uint32_t x)
{
	uint32_t r = 0;
	for (unsigned i = 0; i < 32; i++)
		r |= (x >> i & 1) << (31 - i);
	return r;
}

static void bfi(struct machine *m, uint64_t w)
{
	uint32_t b = b32(m, w), pos = b & 255, len = b >> 8 & 255, v = c32(m, w), x = a32(m, w);
	for (uint32_t i = 0; i < len && pos + i < 32; i++)
		v = (v & ~(1u << (pos + i))) | (i < 32 ? x >> i & 1 : 0) << (pos + i);
	put_zs(m, w, v);
}

static void bfe(struct machine *m, uint64_t w)
{
	uint32_t b = b32(m, w), pos = b & 255, len = b >> 8 & 255, x = a32(m, w), v = 0;
	x = bits(w, 8, 1) ? reversed(x) : x;
	uint32_t last = pos + len ? pos + len - 1 : 0;
	bool sign = bits(w, 5, 1) && len && x >> (last > 31 ? 31 : last) & 1;
	for (uint32_t i = 0; i < 32; i++)
		v |= (uint32_t)(i < len && pos + i < 32 ? x >> (pos + i) & 1 : sign) << i;
	put_zs(m, w, v);
}

static void flo(struct machine *m, uint64_t w)
{
	uint32_t x = b32(m, w), v = ~0u;
	x = bits(w, 8, 1) ? ~x : x;
	if (bits(w, 5, 1) && x >> 31)
		x = ~x;
	for (uint32_t i = 0; i < 32; i++)
		if (x >> i & 1)
			v = i;
	put_zs(m, w, bits(w, 6, 1) && v != ~0u ? 31 - v : v);
}

static void popc(struct machine *m, uint64_t w)
{
	uint32_t x = bits(w, 9, 1) ? ~a32(m, w) : a32(m, w),
		 y = bits(w, 8, 1) ? ~b32(m, w) : b32(m, w), n = 0;
	for (x &= y; x; x &= x - 1)
		n++;
	m->r[bits(w, 14, 6)] = n;
}

static void shift(struct machine *m, uint64_t w)
{
	uint32_t x = a32(m, w), n = b32(m, w);
	bool right = bits(w, 59, 5) == 11, sign;
	x = right && bits(w, 8, 1) ? reversed(x) : x;
	sign = right && bits(w, 5, 1) && x >> 31;
	n = bits(w, 9, 1) ? n & 31 : n;
	uint32_t v = right    ? (n > 31 ? (sign ? ~0u : 0)
					: (uint32_t)((((uint64_t)(sign ? ~0u : 0) << 32) | x) >> n))
		     : n > 31 ? 0
			      : x << n;
	put_zs(m, w, v);
}

static void logic(struct machine *m, uint64_t w, uint32_t y)
{
	uint32_t x = bits(w, 9, 1) ? ~a32(m, w) : a32(m, w);
	unsigned op = bits(w, 6, 2);
	y = bits(w, 8, 1) ? ~y : y;
	put_zs(m, w, op == 0 ? x & y : op == 1 ? x | y : op == 2 ? x ^ y : y);
}
static void lop(struct machine *m, uint64_t w) { logic(m, w, b32(m, w)); }
static void lop32i(struct machine *m, uint64_t w) { logic(m, w, bits(w, 26, 32)); }

/* ---- predicates and moves ---- */

static bool cc_holds(const struct machine *m, uint64_t w)
{
	unsigned code = bits(w, 20, 5), cc = m->cc;
	bool z = cc & 1, s = cc & 2, c = cc & 4, o = cc & 8;
	const bool more[8] = {!o, !c, !s, z || !c, !z && c, s, c, o};
	return code < 16 ? model_test(code, cc) : more[code & 7];
}
static void cset(struct machine *m, uint64_t w) { put_set(m, w, cc_holds(m, w), 5); }
static void csetp(struct machine *m, uint64_t w) { put_setp(m, w, cc_holds(m, w)); }
static bool two_preds(const struct machine *m, uint64_t w)
{
	return combine(pred_at(m, w, 20), pred_at(m, w, 26), bits(w, 30, 2));
}
static void pset(struct machine *m, uint64_t w)
{
	bool q = combine(two_preds(m, w), pred_at(m, w, 49), bits(w, 53, 2));
	put_zs(m, w, !q ? 0 : bits(w, 5, 1) ? 0x3f800000 : ~0u);
}
static void psetp(struct machine *m, uint64_t w) { put_setp(m, w, two_preds(m, w)); }
static void sel(struct machine *m, uint64_t w)
{
	m->r[bits(w, 14, 6)] = pred_at(m, w, 49) ? a32(m, w) : b32(m, w);
}
static void mov(struct machine *m, uint64_t w) { m->r[bits(w, 14, 6)] = b32(m, w); }
static void mov32i(struct machine *m, uint64_t w) { m->r[bits(w, 14, 6)] = bits(w, 26, 32); }

static void p2r(struct machine *m, uint64_t w)
{
	m->r[bits(w, 14, 6)] = a32(m, w) | (view(m) & b32(m, w));
}
static void r2p(struct machine *m, uint64_t w)
{
	set_view(m, (view(m) & ~b32(m, w)) | (a32(m, w) & b32(m, w)));
}

static void prmt(struct machine *m, uint64_t w)
{
	static const uint8_t f4e[4][4] = {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}},
			     b4e[4][4] = {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}},
			     ecl[4][4] = {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}},
			     ecr[4][4] = {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}};
	uint64_t pool = a32(m, w) | (uint64_t)c32(m, w) << 32;
	uint32_t selector = b32(m, w), s = selector & 3, v = 0;
	for (unsigned i = 0; i < 4; i++) {
		unsigned k = 3 - i, from, how = bits(w, 5, 3);
		from = how == 0   ? selector >> 4 * i & 7
		       : how == 1 ? f4e[s][k]
		       : how == 2 ? b4e[s][k]
		       : how == 3 ? s
		       : how == 4 ? ecl[s][k]
		       : how == 5 ? ecr[s][k]
				  : (i & 1) + (s & 1 ? 2 : 0);
		uint32_t byte = pool >> 8 * from & 255;
		if (how == 0 && selector >> (4 * i + 3) & 1)
			byte = byte & 128 ? 255 : 0;
		v |= byte << 8 * i;
	}
	put_zs(m, w, v);
}

/* ---- video: 8.2 parts of words ---- */

static int64_t part(uint32_t v, unsigned selector, bool is_signed)
{
	unsigned width = selector < 4 ? 8 : selector < 6 ? 16 : 32;
	unsigned at = selector < 4 ? 8 * selector : selector == 5 ? 16 : 0;
	v = (uint32_t)(v >> at);
	if (width == 32)
		return is_signed ? (int64_t)(int32_t)v : (int64_t)v;
	v &= (1u << width) - 1;
	return is_signed ? (int64_t)((int32_t)(v << (32 - width)) >> (32 - width)) : (int64_t)v;
}

static int64_t video_a(const struct machine *m, uint64_t w)
{
	return part(a32(m, w), bits(w, 44, 3), bits(w, 6, 1));
}
static int64_t video_b(const struct machine *m, uint64_t w)
{
	if (bits(w, 47, 1))
		return part(m->r[bits(w, 26, 6)], bits(w, 32, 3), bits(w, 5, 1));
	return part(bits(w, 26, 16), 4,
		    bits(w, 5, 1)); /* 16 bits, extended as their type demands */
}

static int64_t within(__int128 t, bool is_signed, unsigned width)
{
	int64_t lo = is_signed ? -(1ll << (width - 1)) : 0,
		hi = is_signed ? (1ll << (width - 1)) - 1 : (1ll << width) - 1;
	return t < lo ? lo : t > hi ? hi : (int64_t)t;
}

/* The secondary operation. */
/* A word shifted by 32 needs more than 63 bits. */
static void put_video(struct machine *m, uint64_t w, __int128 t)
{
	static const uint8_t width[8] = {16, 16, 8, 8, 32, 32, 32, 32}, at[4] = {16, 0, 0, 16};
	bool is_signed = bits(w, 42, 1);
	unsigned sec = bits(w, 55, 3);
	uint32_t c = m->r[bits(w, 49, 6)], v;
	if (bits(w, 9, 1) && bits(w, 59, 5) != 0x1b)
		t = within(t, is_signed, width[sec]);
	v = (uint32_t)t;
	if (sec < 4) {
		uint32_t mask = (1u << width[sec]) - 1;
		v = (c & ~(mask << at[sec])) | (v & mask) << at[sec];
	} else if (sec == 4) {
		v += c;
	} else if (sec < 7) {
		bool lt = is_signed ? (int32_t)v < (int32_t)c : v < c;
		v = lt == (sec == 5) ? v : c;
	}
	put_zs(m, w, v);
}

static bool video_compare(const struct machine *m, uint64_t w)
{
	int64_t a = video_a(m, w), b = video_b(m, w);
	return int_compare(bits(w, 7, 3), a < b, a == b);
}

static void video(struct machine *m, uint64_t w)
{
	int64_t a = video_a(m, w), b = video_b(m, w);
	__int128 t;
	uint32_t n = (uint32_t)b;
	switch (bits(w, 59, 5)) {
	case 0x18:
		t = bits(w, 7, 2) == 1   ? a - b
		    : bits(w, 7, 2) == 2 ? b - a
					 : a + b + (bits(w, 7, 2) == 3);
		break;
	case 0x19: t = (a < b) != bits(w, 7, 1) ? a : b; break;
	case 0x1a: t = a < b ? b - a : a - b; break;
	case 0x1b: t = video_compare(m, w); break;
	default: /* shifts */
		n = bits(w, 7, 1) ? n & 31 : n > 32 ? 32 : n;
		t = bits(w, 59, 5) == 0x1c ? a >> n : (__int128)a * (1ll << n);
	}
	put_video(m, w, t);
}

static void vsetp(struct machine *m, uint64_t w) { put_setp(m, w, video_compare(m, w)); }

/* ---- words ---- */

static const struct row rows[] = {
	{"IMNMX", OP5(1) | 3, 1ull << 5 | PRED49 | CCBIT, AB, imnmx},
	{"ISET", OP5(2) | 3, 7ull << 5 | PRED49 | 7ull << 55 | CCBIT, AB | COMBINES, iset},
	{"ISETP", OP5(3) | 3, 3ull << 5 | PRED49 | 7ull << 55, AB | SETP | COMBINES, isetp},
	{"IMAD", OP5(4) | 3, 31ull << 5 | 3ull << 55 | CCBIT, ABC, imad},
	{"BFI", OP5(5) | 3, CCBIT, ABC, bfi},
	{"ICMP", OP5(6) | 3, 1ull << 5 | 7ull << 55 | CCBIT, ABC, icmp},
	{"ISAD", OP5(7) | 3, 1ull << 5 | CCBIT, ABC, isad},
	{"ISCADD", OP5(8) | 3, 31ull << 5 | 3ull << 55 | CCBIT, AB, iscadd},
	{"IADD", OP5(9) | 3, 31ull << 5 | CCBIT, AB, iadd},
	{"IMUL", OP5(10) | 3, 7ull << 5 | CCBIT, AB, imul},
	{"SHR", OP5(11) | 3, 1ull << 5 | 3ull << 8 | CCBIT, AB, shift},
	{"SHL", OP5(12) | 3, 1ull << 9 | CCBIT, AB, shift},
	{"LOP", OP5(13) | 3, 15ull << 6 | CCBIT, AB, lop},
	{"BFE", OP5(14) | 3, 1ull << 5 | 1ull << 8 | CCBIT, AB, bfe},
	{"FLO", OP5(15) | 3, 3ull << 5 | 1ull << 8 | CCBIT, AB | NO_A, flo},
	{"IMAD32I", OP5(0) | 2, 31ull << 5 | 1ull << 58, IMM32, imad32i},
	{"IADD32I", OP5(1) | 2, 31ull << 5 | 1ull << 58, IMM32, iadd32i},
	{"IMUL32I", OP5(2) | 2, 7ull << 5 | 1ull << 58, IMM32, imul32i},
	{"MOV32I", OP5(3) | 2 | 15ull << 5, 0, IMM32 | NO_A, mov32i},
	{"LOP32I", OP5(7) | 2, 15ull << 6 | 1ull << 58, IMM32, lop32i},
	{"ISCADD32I", OP5(8) | 2, 31ull << 5 | 1ull << 58, IMM32, iscadd32i},
	{"CSET", OP6(0) | 4, 1ull << 5 | 7ull << 20 | PRED49 | CCBIT, NO_A | COMBINES, cset},
	{"CSET", OP6(0) | 4 | 1ull << 23, 1ull << 5 | 7ull << 20 | PRED49, NO_A | COMBINES, cset},
	{"CSET", OP6(0) | 4 | 1ull << 24, 1ull << 5 | 7ull << 20 | PRED49, NO_A | COMBINES, cset},
	{"CSETP", OP6(1) | 4, 15ull << 20 | PRED49, NO_A | SETP | COMBINES, csetp},
	{"PSET", OP6(2) | 4, 1ull << 5 | 15ull << 20 | 15ull << 26 | PRED49 | CCBIT,
	 NO_A | COMBINES | TWO_PREDS, pset},
	{"PSETP", OP6(3) | 4, 15ull << 20 | 15ull << 26 | PRED49,
	 NO_A | SETP | COMBINES | TWO_PREDS, psetp},
	{"SEL", OP6(8) | 4, PRED49, AB, sel},
	{"PRMT", OP6(9) | 4, 3ull << 5 | CCBIT, ABC, prmt},
	{"PRMT", OP6(9) | 4 | 1ull << 7, 1ull << 5, ABC, prmt},
	{"PRMT.RC16", OP6(9) | 4 | 6ull << 5, 0, ABC, prmt},
	{"MOV", OP6(10) | 4 | 15ull << 5, 0, AB | NO_A, mov},
	{"P2R", OP6(12) | 4, 0, AB, p2r},
	{"R2P", OP6(13) | 4, 0, AB | NO_DST, r2p},
	{"POPC", OP6(0x15) | 4, 3ull << 8, AB, popc},
#define VBITS (3ull << 5 | 1ull << 42 | 7ull << 55 | CCBIT)
	{"VADD", OP5(0x18) | 4, VBITS | 7ull << 7, VIDEO, video},
	{"VMNMX", OP5(0x19) | 4, VBITS | 1ull << 7 | 1ull << 9, VIDEO, video},
	{"VABSDIFF", OP5(0x1a) | 4, VBITS | 1ull << 9, VIDEO, video},
	{"VSET", OP5(0x1b) | 4, VBITS | 7ull << 7, VIDEO, video},
	{"VSHR", OP5(0x1c) | 4, VBITS | 1ull << 7 | 1ull << 9, VIDEO, video},
	{"VSHL", OP5(0x1d) | 4, VBITS | 1ull << 7 | 1ull << 9, VIDEO, video},
	{"VSETP", OP5(0x1f) | 4, 3ull << 5 | 7ull << 7 | PRED49, VIDEO | SETP | COMBINES, vsetp},
};

static void words(void **state)
{
	(void)state;
	check_rows(rows, sizeof rows / sizeof *rows, 60);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
