/* Scalar video instructions: vadd vsub vabsdiff vmin vmax vshl vshr vset vmad, as the PTX manual
 * defines them: operands are a byte, half or word, extended by their own type to more than 32 bits;
 * the result is optionally limited to the destination's range, then combined with c (add, min, max)
 * or merged into a part of it. Recent GPUs lack these instructions and emulate some forms
 * differently. They run one lane at a time, because no program's speed depends on them. */
#include "exec/alu/video.h"

/* Position of a byte or half in its word. */
static const struct subword {
	uint8_t at, bits;
} where[] = {
	[VPART_WORD] = {0, 32}, [VPART_B0] = {0, 8},  [VPART_B1] = {8, 8},   [VPART_B2] = {16, 8},
	[VPART_B3] = {24, 8},   [VPART_H0] = {0, 16}, [VPART_H1] = {16, 16},
};
/* The byte or half that a secondary operation merges into. */
static const uint8_t merge_into[] = {
	[VSEC_MRG_B0] = VPART_B0, [VSEC_MRG_B1] = VPART_B1, [VSEC_MRG_B2] = VPART_B2,
	[VSEC_MRG_B3] = VPART_B3, [VSEC_MRG_H0] = VPART_H0, [VSEC_MRG_H1] = VPART_H1,
};

static inline int64_t operand(uint32_t x, unsigned sel, unsigned type)
{
	return video_part(x, where[sel].at, where[sel].bits, type == T_S32);
}

/* Shifts need more than 64 bits: a 33-bit value by up to 32. */
static inline __int128 primary(const struct inst *in, int64_t a, int64_t b)
{
	switch (in->op) {
	case OP_VADD: return a + b;
	case OP_VSUB: return a - b;
	case OP_VABSDIFF: return a < b ? b - a : a - b;
	case OP_VMIN: return a < b ? a : b;
	case OP_VMAX: return a > b ? a : b;
	case OP_VSET: return video_compare(in->cmp, a, b);
	}
	unsigned n = in->mods & M_WRAP ? b & 31 : b > 32 ? 32 : (unsigned)b;
	return in->op == OP_VSHL ? (__int128)a * (INT64_C(1) << n) : a >> n;
}

/* t and c are 32-bit numbers of the destination's type here. */
static inline uint32_t secondary(const struct inst *in, uint32_t t, uint32_t c)
{
	uint32_t sign = in->type == T_S32
				? 1u << 31
				: 0; /* without sign the order is that of unsigned numbers */
	uint32_t x = t ^ sign, y = c ^ sign;
	switch (in->second) {
	case VSEC_NONE: return t;
	case VSEC_ADD: return t + c;
	case VSEC_MIN: return (x < y ? x : y) ^ sign;
	case VSEC_MAX: return (x > y ? x : y) ^ sign;
	}
	struct subword p = where[merge_into[in->second]];
	uint32_t m = (p.bits == 8 ? 0xffu : 0xffffu) << p.at;
	return (t << p.at & m) | (c & ~m);
}

OP_EACH(vop, {
	const struct inst *in = u->in;
	const uint32_t *pa = row_u32(w, u->a);
	const uint32_t *pb = row_u32(w, u->b);
	const uint32_t *pc = in->second == VSEC_NONE ? pa : row_u32(w, u->c);
	unsigned bits = in->second >= VSEC_MRG_B0 ? where[merge_into[in->second]].bits : 32;
	EACH_LANE {
		int64_t a = operand(pa[i], in->vsel[1], in->atype);
		int64_t b = operand(pb[i], in->vsel[2], in->btype);
		__int128 t = primary(in, a, b);
		if (in->mods & M_SAT)
			t = video_clamp(t, bits, in->type == T_S32);
		SET(0, secondary(in, (uint32_t)t, pc[i]));
	}
})

/* a * b + c; exactly one negated factor negates the product, by complement and a one in the sum. */
OP_EACH(vmad, {
	const struct inst *in = u->in;
	const uint32_t *pa = row_u32(w, u->a);
	const uint32_t *pb = row_u32(w, u->b);
	const uint32_t *pc = row_u32(w, u->c);
	bool neg_c = inst_src(in, 2)->mod & OPND_NEG;
	bool neg_p = ((inst_src(in, 0)->mod ^ inst_src(in, 1)->mod) & OPND_NEG) != 0;
	bool sign = in->atype == T_S32 || in->btype == T_S32 || neg_p || neg_c;
	EACH_LANE {
		__int128 t = (__int128)operand(pa[i], in->vsel[1], in->atype) *
			     operand(pb[i], in->vsel[2], in->btype);
		uint32_t c = neg_c ? ~pc[i] : pc[i];
		t = (neg_p ? ~t : t) + (sign ? (__int128)(int32_t)c : (__int128)c) +
		    (neg_p || neg_c || in->mods & M_PO);
		t >>= in->scale;
		if (in->mods & M_SAT)
			t = video_clamp(t, 32, sign);
		SET(0, t);
	}
})

bool bind_video(const struct inst *in, struct uop *u)
{
	switch (in->op) {
	case OP_VADD:
	case OP_VSUB:
	case OP_VABSDIFF:
	case OP_VMIN:
	case OP_VMAX:
	case OP_VSHL:
	case OP_VSHR:
	case OP_VSET: return bind_pair(u, FN(vop));
	case OP_VMAD: return bind_pair(u, FN(vmad));
	}
	return bind_video_simd(in, u);
}
