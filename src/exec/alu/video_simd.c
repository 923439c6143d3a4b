/* SIMD video instructions: vadd vsub vavrg vabsdiff vmin vmax vset on two halves or four bytes.
 *
 * An element's operands come from any element of a and b (inst.h has the encoding of the choice).
 * Results of the elements in vmask are assembled, the other elements are c's; with .add the results
 * are summed and added to c. */
#include "exec/alu/video.h"

enum simd { SIMD_ADD, SIMD_SUB, SIMD_AVRG, SIMD_ABSDIFF, SIMD_MIN, SIMD_MAX, SIMD_SET };

static inline int32_t element(enum simd op, unsigned cmp, int32_t a, int32_t b)
{
	switch (op) {
	case SIMD_ADD: return a + b;
	case SIMD_SUB: return a - b;
	case SIMD_AVRG: return (a + b + (a + b >= 0)) >> 1;
	case SIMD_ABSDIFF: return a < b ? b - a : a - b;
	case SIMD_MIN: return a < b ? a : b;
	case SIMD_MAX: return a > b ? a : b;
	default: /* SIMD_SET */ return video_compare(cmp, a, b);
	}
}

/* Element k of b:a, n elements of `bits` in a word. */
static inline int32_t choose_element(uint32_t a, uint32_t b, unsigned k, unsigned bits,
				     unsigned type)
{
	unsigned n = 32 / bits;
	return (int32_t)video_part(k & n ? b : a, (k & (n - 1)) * bits, bits, type == T_S32);
}

static inline __attribute__((always_inline)) void simd(struct warp *w, const struct uop *u,
						       uint32_t mask, unsigned bits)
{
	const struct inst *in = u->in;
	uint32_t *d = row_u32(w, u->d);
	const uint32_t *pa = row_u32(w, u->a), *pb = row_u32(w, u->b), *pc = row_u32(w, u->c);
	uint32_t ones = bits == 16 ? 0xffff : 0xff;

	EACH_LANE {
		uint32_t c = pc[i], r = c, sum = c;
		for (unsigned k = 0; k < 32 / bits; k++) {
			if (!(in->vmask >> k & 1))
				continue;
			int32_t x = choose_element(pa[i], pb[i], in->vsel[k] & 15, bits, in->atype);
			int32_t y = choose_element(pa[i], pb[i], in->vsel[k] >> 4, bits, in->btype);
			int32_t t = element((enum simd)u->simd, in->cmp, x, y);
			if (in->mods & M_SAT)
				t = (int32_t)video_clamp(t, bits, in->type == T_S32);
			sum += (uint32_t)t;
			r = (r & ~(ones << k * bits)) | ((uint32_t)t & ones) << k * bits;
		}
		d[i] = in->second == VSEC_ADD ? sum : r;
	}
}

static void simd2_run(struct warp *w, const struct uop *u, uint32_t mask) { simd(w, u, mask, 16); }
static void simd4_run(struct warp *w, const struct uop *u, uint32_t mask) { simd(w, u, mask, 8); }
OP_RUN(simd2)
OP_RUN(simd4)

bool bind_video_simd(const struct inst *in, struct uop *u)
{
	static const struct row {
		uint16_t two, four;
	} ops[] = {
		[SIMD_ADD] = {OP_VADD2, OP_VADD4},    [SIMD_SUB] = {OP_VSUB2, OP_VSUB4},
		[SIMD_AVRG] = {OP_VAVRG2, OP_VAVRG4}, [SIMD_ABSDIFF] = {OP_VABSDIFF2, OP_VABSDIFF4},
		[SIMD_MIN] = {OP_VMIN2, OP_VMIN4},    [SIMD_MAX] = {OP_VMAX2, OP_VMAX4},
		[SIMD_SET] = {OP_VSET2, OP_VSET4},
	};
	for (unsigned k = 0; k < sizeof ops / sizeof *ops; k++)
		if (in->op == ops[k].two || in->op == ops[k].four) {
			u->simd = k;
			return bind_pair(u, in->op == ops[k].two ? FN(simd2) : FN(simd4));
		}
	return false;
}
