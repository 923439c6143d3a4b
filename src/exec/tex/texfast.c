/* Plain fetches of a whole warp from one texture: tex.{1d,2d,3d} without level, offset or sampler.
 * The results equal those of sample.c, lane by lane and bit for bit; here each step is a loop over
 * 32 lanes that the compiler vectorises, only the reads of texels are scalar. A warp's fetch of one
 * float channel takes 0.17 us instead of 0.75 (point) and 0.52 instead of 2.2 (bilinear) on a
 * Neoverse V1.
 *
 * Inactive lanes take part with whatever coordinates they have: indices are inside the texture
 * after addressing, so their reads are safe, and their results are not written. */
#include "exec/tex/sample.h"

#include "exec/alu/float.h"

struct axis_rows {
	int32_t i[2][LANES];    /* texel indices, always inside */
	uint32_t out[2][LANES]; /* per lane: all ones if the border is read */
	uint32_t w[2][LANES];   /* weights in 256ths */
};

/* Choices between floats are made on their bits, and the Makefile promises that no code examines
 * floating-point exceptions: otherwise the loops stay scalar. */
static inline float pick_f32(uint32_t on, float x, float y)
{
	return as_f32(lane_pick(on, f32_bits(x), f32_bits(y)));
}

static inline float floor_lane(float x)
{
	uint32_t small = (f32_bits(x) & ~F32_SIGN) < 0x4b000000; /* below 2^23 */
	float s = as_f32(lane_pick(small, f32_bits(x), 0)), t = (float)(int32_t)s;
	t -= (float)(int32_t)(t > s);
	return pick_f32(small, t, x);
}

/* Coordinates in texels, never NaN. */
static void compute_positions(const struct tex_view *v, unsigned k, const float *c, float *p)
{
	float n = (float)v->size[k];
	if (!v->t->normalized_coords) {
		LANE_LOOP
			p[i] = c[i] == c[i] ? c[i] : 0.0f;
		return;
	}
	if (v->mode[k] == HEDDLE_WRAP) {
		LANE_LOOP
			p[i] = c[i] - floor_lane(c[i]);
	} else if (v->mode[k] == HEDDLE_MIRROR) {
		LANE_LOOP {
			float period = floor_lane(c[i]), half = period * 0.5f, x = c[i] - period;
			p[i] = pick_f32(half != floor_lane(half), 1.0f - x, x);
		}
	} else {
		memcpy(p, c, ROW);
	}
	LANE_LOOP {
		float x = p[i] * n;
		p[i] = x == x ? x : 0.0f;
	}
}

/* Maps indices that may lie outside to those of texels; for linear filtering side 1 is the next
 * texel. */
static void compute_addresses(const struct tex_view *v, unsigned k, struct axis_rows *a,
			      unsigned sides)
{
	int32_t n = (int32_t)v->size[k];
	unsigned mode = v->mode[k];
	for (unsigned s = 0; s < sides; s++) {
		int32_t *x = a->i[s];
		uint32_t *out = a->out[s];
		LANE_LOOP
			out[i] = mode == HEDDLE_BORDER && (x[i] < 0 || x[i] >= n) ? ~0u : 0;
		if (mode == HEDDLE_WRAP) /* frac(x) <= 1: at most one texel outside */
			LANE_LOOP
				x[i] = x[i] < 0 ? x[i] + n : x[i] >= n ? x[i] - n : x[i];
		LANE_LOOP {
			int32_t y = x[i] < 0 ? 0 : x[i];
			x[i] = y > n - 1 ? n - 1 : y;
		}
	}
}

/* An integral float as an index: n + 1 and -2 stand for everything further out. */
static inline int32_t near_index(float f, float n)
{
	f = pick_f32(f < -2.0f, -2.0f, f);
	return (int32_t)pick_f32(f > n + 1.0f, n + 1.0f, f);
}

static void axis_point_rows(const struct tex_view *v, unsigned k, const float *c,
			    struct axis_rows *a)
{
	float p[LANES], n = (float)v->size[k];
	compute_positions(v, k, c, p);
	LANE_LOOP
		a->i[0][i] = near_index(floor_lane(p[i]), n);
	compute_addresses(v, k, a, 1);
}

static void axis_linear_rows(const struct tex_view *v, unsigned k, const float *c,
			     struct axis_rows *a)
{
	float p[LANES], n = (float)v->size[k];
	compute_positions(v, k, c, p);
	LANE_LOOP {
		float b = p[i] - 0.5f, f = floor_lane(b), q = (b - f) * 256.0f;
		q = pick_f32(q > 0.0f, q, 0.0f); /* an infinite b gives NaN */
		int32_t w = (int32_t)q;
		w += q - (float)w >= 0.5f;
		a->w[0][i] = 256 - (uint32_t)w;
		a->w[1][i] = (uint32_t)w;
		a->i[0][i] = near_index(f, n);
		a->i[1][i] = a->i[0][i] + 1;
	}
	compute_addresses(v, k, a, 2);
}

static void axis_fetch_rows(const struct tex_view *v, unsigned k, const int32_t *c,
			    struct axis_rows *a)
{
	int32_t n = (int32_t)v->size[k];
	bool border = v->mode[k] == HEDDLE_BORDER || v->t->linear_memory;
	LANE_LOOP {
		int32_t y = c[i] < 0 ? 0 : c[i];
		a->out[0][i] = border && (c[i] < 0 || c[i] >= n) ? ~0u : 0;
		a->i[0][i] = y > n - 1 ? n - 1 : y;
	}
}

/* ---- texels: out[k][lane], k < channels ---- */

static void read_words(const struct tex_view *v, const uint32_t *at, uint32_t (*t)[LANES])
{
	const uint8_t *p = v->host;
	switch (v->channels) {
	case 1:
		for (int i = 0; i < LANES; i++)
			memcpy(&t[0][i], p + at[i], 4);
		break;
	case 2:
		for (int i = 0; i < LANES; i++) {
			memcpy(&t[0][i], p + at[i], 4);
			memcpy(&t[1][i], p + at[i] + 4, 4);
		}
		break;
	default:
		for (int i = 0; i < LANES; i++)
			for (int k = 0; k < 4; k++)
				memcpy(&t[k][i], p + at[i] + 4 * k, 4);
	}
}

static void read_raw(const struct tex_view *v, const uint32_t *at, uint32_t (*t)[LANES])
{
	unsigned n = v->channels;
	if (v->format == TF_32) {
		read_words(v, at, t);
	} else if (v->texel == n) {
		for (unsigned k = 0; k < n; k++)
			for (int i = 0; i < LANES; i++)
				t[k][i] = v->host[at[i] + k];
	} else {
		for (unsigned k = 0; k < n; k++)
			for (int i = 0; i < LANES; i++) {
				uint16_t h;
				memcpy(&h, v->host + at[i] + 2 * k, 2);
				t[k][i] = h;
			}
	}
}

static inline uint32_t snorm_lane(int32_t x, int32_t max)
{
	return f32_bits((float)(x < -max ? -max : x) / (float)max);
}

static void convert_texel(const struct tex_view *v, unsigned k, uint32_t *t)
{
	switch (v->format) {
	case TF_S8:
		LANE_LOOP
			t[i] = (uint32_t)(int8_t)t[i];
		break;
	case TF_S16:
		LANE_LOOP
			t[i] = (uint32_t)(int16_t)t[i];
		break;
	case TF_F16:
		LANE_LOOP
			t[i] = f32_canon(f16_to_f32(t[i]));
		break;
	case TF_UN8:
		LANE_LOOP
			t[i] = f32_bits((float)(int32_t)t[i] / 255.0f);
		break;
	case TF_SN8:
		LANE_LOOP
			t[i] = snorm_lane((int8_t)t[i], 127);
		break;
	case TF_UN16:
		LANE_LOOP
			t[i] = f32_bits((float)(int32_t)t[i] / 65535.0f);
		break;
	case TF_SN16:
		LANE_LOOP
			t[i] = snorm_lane((int16_t)t[i], 32767);
		break;
	case TF_SRGB:
		for (int i = 0; i < LANES; i++)
			t[i] = srgb_decode(t[i], k);
		break;
	}
}

static void read_texels(const struct tex_view *v, const uint32_t *at, const uint32_t *out,
			uint32_t (*t)[LANES])
{
	uint32_t border[4] = {0};
	read_raw(v, at, t);
	if (!v->t->linear_memory)
		texel_border(v, border);
	for (unsigned k = 0; k < v->channels; k++) {
		uint32_t b = border[k];
		convert_texel(v, k, t[k]);
		LANE_LOOP
			t[k][i] = lane_pick(out[i], b, t[k][i]);
	}
}

/* Computes the offsets of one corner, and the lanes that read the border there. */
static void gather_corner(const struct tex_view *v, const struct axis_rows *a, unsigned nd,
			  unsigned c, uint32_t *at, uint32_t *out)
{
	uint32_t step[3] = {v->texel, (uint32_t)v->pitch, (uint32_t)v->slice};
	memset(at, 0, ROW);
	memset(out, 0, ROW);
	for (unsigned k = 0; k < nd; k++) {
		const int32_t *x = a[k].i[c >> k & 1];
		const uint32_t *o = a[k].out[c >> k & 1], s = step[k];
		LANE_LOOP {
			at[i] += (uint32_t)x[i] * s;
			out[i] |= o[i];
		}
	}
}

static void filter_rows(const struct tex_view *v, const struct axis_rows *a, unsigned nd,
			uint32_t (*r)[LANES])
{
	static const float scale[4] = {1.0f, 0x1p-8f, 0x1p-16f, 0x1p-24f};
	float sum[4][LANES];
	for (unsigned k = 0; k < v->channels; k++)
		LANE_LOOP
			sum[k][i] = -0.0f; /* -0: the only initial value that changes no sum, not
					    * even -0 */
	for (unsigned c = 0; c < 1u << nd; c++) {
		uint32_t at[LANES], out[LANES], w[LANES], t[4][LANES];
		gather_corner(v, a, nd, c, at, out);
		read_texels(v, at, out, t);
		memcpy(w, a[0].w[c & 1], ROW);
		for (unsigned k = 1; k < nd; k++) {
			const uint32_t *x = a[k].w[c >> k & 1];
			LANE_LOOP
				w[i] *= x[i];
		}
		for (unsigned k = 0; k < v->channels; k++)
			LANE_LOOP {
				float term = (float)(int32_t)w[i] * scale[nd] * as_f32(t[k][i]);
				sum[k][i] += as_f32(lane_pick(w[i], f32_bits(term), F32_SIGN));
			}
	}
	for (unsigned k = 0; k < v->channels; k++)
		LANE_LOOP
			r[k][i] = f32_canon(sum[k][i]);
}

/* ---- the instruction ---- */

static bool view_fits(const struct tex_view *v, unsigned nd, bool ints)
{
	uint64_t span = (v->size[2] - 1ull) * v->slice + (v->size[1] - 1ull) * v->pitch +
			(uint64_t)v->size[0] * v->texel;
	if (!v->host || span > UINT32_MAX || v->pitch > UINT32_MAX || v->slice > UINT32_MAX)
		return false;
	for (unsigned k = 0; k < nd; k++)
		if (v->size[k] > (ints ? INT32_MAX : 1u << 22))
			return false; /* float steps finer than half a texel, indices of 32 bits */
	return true;
}

bool tex_fast(struct warp *w, const struct uop *u, uint32_t mask)
{
	const struct inst *in = u->in;
	const int32_t *src = u->v + in->nd;
	const uint32_t *handle = row_u32(w, src[0]);
	unsigned nd = in->grp[1];
	bool ints = in->coord_type == T_S32;
	struct tex_view v;
	struct axis_rows a[3];
	uint32_t r[4][LANES], at[LANES], out[LANES];
	/* accesses that an observer records are executed lane by lane */
	if (!mask || w->cta->x->places || !handle_uniform(handle, mask))
		return false;
	unsigned first = (unsigned)__builtin_ctz(mask);
	const struct heddle_tex *t = textures_get(w->cta->l->tex, pair_get(handle, (int)first));
	if (!t)
		return false;
	view_open(&v, w, u, t, 0);
	v.lane = first;
	if (!view_fits(&v, nd, ints))
		return false;
	bool linear = !ints && t->linear && v.real;
	for (unsigned k = 0; k < nd; k++) {
		const void *c = row_at(w, src[1 + k]);
		if (ints)
			axis_fetch_rows(&v, k, c, &a[k]);
		else if (linear)
			axis_linear_rows(&v, k, c, &a[k]);
		else
			axis_point_rows(&v, k, c, &a[k]);
	}
	if (linear) {
		filter_rows(&v, a, nd, r);
	} else {
		gather_corner(&v, a, nd, 0, at, out);
		read_texels(&v, at, out, r);
	}
	uint32_t one = v.real ? f32_bits(1.0f) : 1;
	for (unsigned k = v.channels; k < 4; k++) /* fetches outside linear memory are all zero */
		LANE_LOOP
			r[k][i] = k < 3 || (ints && t->linear_memory && out[i]) ? 0 : one;
	for (unsigned k = 0; k < in->vec; k++) {
		if (u->v[k] == SINK)
			continue;
		if (mask == ~0u)
			memcpy(row_u32(w, u->v[k]), r[k], ROW);
		else
			row_blend(row_u32(w, u->v[k]), r[k], mask);
	}
	return true;
}

bool tex_is_plain(const struct inst *in)
{
	return in->op == OP_TEX && (in->texmode == TEX_PLAIN || in->texmode == TEX_BASE) &&
	       !in->grp[0] && !in->grp[3] &&
	       (in->geom == GEOM_1D || in->geom == GEOM_2D || in->geom == GEOM_3D) &&
	       in->type != T_F16X2 && in->vec == 4 && !(in->tex_flags & TEX_RESIDENT);
}
