/* txq and suq return fields of a descriptor, istypep the kind of a handle. Enumerations are PTX's
 * (addressing and filter modes, in its order) and OpenCL's (channel types and orders), as in the
 * PTX manual. */
#include "exec/tex/texel.h"

static uint32_t channel_type(const struct heddle_tex *t)
{
	enum {
		SNORM8 = 0x10d0,
		UNORM8 = 0x10d2,
		SIGNED8 = 0x10d7,
		UNSIGNED8 = 0x10da,
		HALF = 0x10dd,
		FLOAT
	};
	unsigned wide = t->bits == 8 ? 0 : t->bits == 16 ? 1 : 2;
	bool sign = t->chan == HEDDLE_CHAN_SIGNED;
	if (t->chan == HEDDLE_CHAN_FLOAT)
		return t->bits == 16 ? HALF : FLOAT;
	if (t->normalized_float && wide < 2)
		return (sign ? SNORM8 : UNORM8) + wide;
	return (sign ? SIGNED8 : UNSIGNED8) + wide;
}

static uint32_t channel_order(const struct heddle_tex *t)
{
	enum { R = 0x10b0, RG = 0x10b2, RGBA = 0x10b5 };
	return t->channels == 1 ? R : t->channels == 2 ? RG : RGBA;
}

static uint32_t addr_mode(const struct heddle_tex *t, unsigned k)
{
	enum { WRAP, MIRROR, CLAMP_OGL, CLAMP_TO_EDGE, CLAMP_TO_BORDER };
	static const uint8_t mode[] = {[HEDDLE_WRAP] = WRAP,
				       [HEDDLE_CLAMP] = CLAMP_TO_EDGE,
				       [HEDDLE_MIRROR] = MIRROR,
				       [HEDDLE_BORDER] = CLAMP_TO_BORDER};
	return mode[t->addr_mode[k] & 3];
}

static uint32_t array_size(const struct heddle_tex *t)
{
	uint32_t slices = t->depth ? t->depth : 1;
	return t->cubemap ? (t->layered ? (slices + 5) / 6 : 1) : t->layered ? slices : 0;
}

static uint32_t query(const struct heddle_tex *t, unsigned what, uint32_t level)
{
	bool stack = t->layered || t->cubemap;
	level = level > 31 ? 31 : level;
	switch (what) {
	case Q_WIDTH: return level_size(t->width, level);
	case Q_HEIGHT: return t->height ? level_size(t->height, level) : 0;
	case Q_DEPTH: return t->depth && !stack ? level_size(t->depth, level) : 0;
	case Q_CHANNEL_TYPE: return channel_type(t);
	case Q_CHANNEL_ORDER: return channel_order(t);
	case Q_NORMALIZED: return t->normalized_coords;
	case Q_FILTER_MODE: return t->linear;
	case Q_FORCE_UNNORMALIZED: return 0;
	case Q_ADDR_MODE_0: return addr_mode(t, 0);
	case Q_ADDR_MODE_1: return addr_mode(t, 1);
	case Q_ADDR_MODE_2: return addr_mode(t, 2);
	case Q_ARRAY_SIZE: return array_size(t);
	case Q_NUM_MIPMAP: return t->levels ? t->levels : 1;
	case Q_NUM_SAMPLES: return 1;
	case Q_MEMORY_LAYOUT: return 1; /* linear, the only layout */
	case Q_NATIVE_BASE_LO: return (uint32_t)t->addr;
	case Q_NATIVE_BASE_HI: return (uint32_t)(t->addr >> 32);
	case Q_NATIVE_PITCH: return (uint32_t)t->pitch;
	case Q_NATIVE_SLICE: return (uint32_t)t->slice;
	case Q_NATIVE_TEXEL: return t->channels * t->bits / 8u;
	default: return 0;
	}
}

static void query_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	const int32_t *src = u->v + u->in->nd;
	const uint32_t *h = row_u32(w, src[0]), *level = u->in->ns > 1 ? row_u32(w, src[1]) : NULL;
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		const struct heddle_tex *t = tex_resolve(w, u, i, pair_get(h, (int)i));
		if (!t)
			return;
		uint32_t x = query(t, u->in->query, level ? level[i] : 0);
		if (u->d != SINK)
			row_u32(w, u->d)[i] = x;
	}
}
OP_RUN(query)

static void istypep_run(struct warp *w, const struct uop *u, uint32_t mask)
{
	const uint32_t *h = row_u32(w, u->a);
	uint32_t yes = 0;
	for (uint32_t m = mask; m; m &= m - 1) {
		unsigned i = (unsigned)__builtin_ctz(m);
		if (textures_is(w->cta->l->tex, pair_get(h, (int)i), u->in->handle_type))
			yes |= 1u << i;
	}
	pred_write(w, u->d, yes, mask);
}
OP_RUN(istypep)

bool bind_texquery(const struct inst *in, struct uop *u)
{
	if (in->op == OP_ISTYPEP)
		return bind_pair(u, FN(istypep));
	if (in->op != OP_TXQ && in->op != OP_SUQ)
		return false;
	u->flags |= UOP_FAULTS;
	return bind_pair(u, FN(query));
}
