#include "exec/tex/sample.h"

#include "exec/alu/float.h"

static inline float floor_f32(float x)
{
	if (!(x < 0x1p23f && x > -0x1p23f))
		return x; /* an integer, infinite or NaN */
	float t = (float)(int32_t)x;
	return t > x ? t - 1.0f : t;
}

/* ---- one axis ---- */

/* The index of texel i of n, -1: border. */
static inline int64_t axis_index(int64_t i, uint32_t n, unsigned mode)
{
	int64_t size = n;
	if (i >= 0 && i < size)
		return i;
	switch (mode) {
	case HEDDLE_CLAMP: return i < 0 ? 0 : size - 1;
	case HEDDLE_WRAP: i %= size; return i < 0 ? i + size : i;
	case HEDDLE_MIRROR:
		i %= 2 * size;
		i = i < 0 ? i + 2 * size : i;
		return i < size ? i : 2 * size - 1 - i;
	default: return -1;
	}
}

/* A coordinate in texels; *back: mirrored, so that offsets count backwards. */
static inline float axis_position(float x, const struct tex_view *v, unsigned axis, bool *back)
{
	*back = false;
	if (v->t->normalized_coords) {
		if (v->mode[axis] == HEDDLE_WRAP) {
			x = x - floor_f32(x);
		} else if (v->mode[axis] == HEDDLE_MIRROR) {
			float period = floor_f32(x), half = period * 0.5f;
			x = x - period;
			if (half != floor_f32(half)) {
				x = 1.0f - x;
				*back = true;
			}
		}
		x = x * (float)v->size[axis];
	}
	return x == x ? x : 0.0f;
}

/* An integral float as an index; far outside stays outside. */
static inline int64_t to_index(float f)
{
	return f >= 0x1p31f ? 1ll << 31 : f <= -0x1p31f ? -(1ll << 31) : (int64_t)f;
}

struct axis {
	int64_t i[2];
	uint32_t weight[2]; /* in 256ths */
};

static inline void axis_linear(const struct tex_view *v, const struct texpos *p, unsigned k,
			       struct axis *a)
{
	bool back;
	float b = axis_position(p->c[k], v, k, &back) - 0.5f, f = floor_f32(b);
	int64_t i = to_index(f) + (back ? -(int64_t)p->off[k] : p->off[k]);
	float q = (b - f) * 256.0f; /* exact; NaN if b is infinite */
	uint32_t w = q > 0.0f ? (uint32_t)q : 0;
	w += q - (float)w >= 0.5f;
	a->i[0] = axis_index(i, v->size[k], v->mode[k]);
	a->i[1] = axis_index(i + 1, v->size[k], v->mode[k]);
	a->weight[0] = 256 - w;
	a->weight[1] = w;
}

static inline int64_t axis_point(const struct tex_view *v, const struct texpos *p, unsigned k)
{
	bool back;
	int64_t i = to_index(floor_f32(axis_position(p->c[k], v, k, &back)));
	return axis_index(i + (back ? -(int64_t)p->off[k] : p->off[k]), v->size[k], v->mode[k]);
}

/* ---- texels ---- */

static inline void read_or_border(const struct tex_view *v, int64_t x, int64_t y, int64_t z,
				  uint32_t out[4])
{
	if ((x | y | z) < 0)
		texel_border(v, out);
	else
		texel_read(v, x, y, z, out);
}

void sample_point(const struct tex_view *v, const struct texpos *p, uint32_t out[4])
{
	int64_t x = axis_point(v, p, 0), y = p->nd > 1 ? axis_point(v, p, 1) : 0;
	read_or_border(v, x, y, p->nd > 2 ? axis_point(v, p, 2) : p->slice, out);
}

void sample_linear(const struct tex_view *v, const struct texpos *p, uint32_t out[4])
{
	static const float scale[4] = {1.0f, 0x1p-8f, 0x1p-16f, 0x1p-24f};
	struct axis a[3];
	float sum[4] = {0};
	bool first = true;
	for (unsigned k = 0; k < p->nd; k++)
		axis_linear(v, p, k, &a[k]);
	for (unsigned c = 0; c < 1u << p->nd; c++) {
		int64_t at[3] = {0, 0, p->slice};
		uint32_t weight = 1, t[4];
		for (unsigned k = 0; k < p->nd; k++) {
			unsigned side = c >> k & 1;
			weight *= a[k].weight[side];
			at[k] = a[k].i[side];
		}
		if (!weight)
			continue;
		float w = (float)weight * scale[p->nd];
		read_or_border(v, at[0], at[1], at[2], t);
		for (unsigned k = 0; k < 4; k++) {
			float term = w * as_f32(t[k]);
			sum[k] = first ? term : sum[k] + term;
		}
		first = false;
	}
	for (unsigned k = 0; k < 4; k++)
		out[k] = f32_canon(sum[k]);
}

void sample_gather(const struct tex_view *v, const struct texpos *p, unsigned channel,
		   uint32_t out[4])
{
	static const uint8_t corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
	struct axis x, y;
	axis_linear(v, p, 0, &x);
	axis_linear(v, p, 1, &y);
	for (unsigned k = 0; k < 4; k++) {
		uint32_t t[4];
		read_or_border(v, x.i[corner[k][0]], y.i[corner[k][1]], p->slice, t);
		out[k] = t[channel];
	}
}

void sample_fetch(const struct tex_view *v, const int32_t c[3], const struct texpos *p,
		  uint32_t out[4])
{
	int64_t at[3] = {0, 0, p->slice};
	for (unsigned k = 0; k < p->nd; k++) {
		unsigned mode = v->mode[k] == HEDDLE_BORDER ? HEDDLE_BORDER : HEDDLE_CLAMP;
		int64_t i = (int64_t)c[k] + p->off[k];
		if (v->t->linear_memory && (i < 0 || i >= v->size[k])) {
			memset(out, 0, 16);
			return;
		}
		at[k] = axis_index(i, v->size[k], mode);
	}
	read_or_border(v, at[0], at[1], at[2], out);
}

/* ---- cubes ---- */

/* For each face: which of x, y, z is the major axis, s and t, and the signs of s and t. */
static const struct face {
	uint8_t m, s, t;
	float ms, ss, ts;
} faces[6] = {
	{0, 2, 1, 1.0f, -1.0f, -1.0f}, {0, 2, 1, -1.0f, 1.0f, -1.0f},
	{1, 0, 2, 1.0f, 1.0f, 1.0f},   {1, 0, 2, -1.0f, 1.0f, -1.0f},
	{2, 0, 1, 1.0f, 1.0f, -1.0f},  {2, 0, 1, -1.0f, -1.0f, -1.0f},
};

static unsigned major_face(const float d[3])
{
	float x = d[0] < 0 ? -d[0] : d[0], y = d[1] < 0 ? -d[1] : d[1], z = d[2] < 0 ? -d[2] : d[2];
	if (x >= y && x >= z)
		return d[0] < 0;
	if (y >= z)
		return 2 + (d[1] < 0);
	return 4 + (d[2] < 0);
}

unsigned cube_face(const float d[3], float st[2])
{
	unsigned f = major_face(d);
	const struct face *q = &faces[f];
	float m = d[q->m] * q->ms;
	st[0] = (d[q->s] * q->ss / m + 1.0f) * 0.5f;
	st[1] = (d[q->t] * q->ts / m + 1.0f) * 0.5f;
	return f;
}

void cube_gradient(const float d[3], const float dd[3], float dst[2])
{
	const struct face *q = &faces[major_face(d)];
	float m = d[q->m] * q->ms, dm = dd[q->m] * q->ms;
	float s = d[q->s] * q->ss, t = d[q->t] * q->ts;
	dst[0] = (dd[q->s] * q->ss * m - s * dm) / (m * m) * 0.5f;
	dst[1] = (dd[q->t] * q->ts * m - t * dm) / (m * m) * 0.5f;
}

/* ---- mip levels ---- */

struct lod lod_select(const struct heddle_tex *t, float level)
{
	if (t->levels < 2)
		return (struct lod){0, 0, 0};
	float top = (float)(t->levels - 1), l = level + t->mip_bias;
	l = l == l ? l : 0.0f;
	l = l < t->mip_min ? t->mip_min : l;
	l = l > t->mip_max ? t->mip_max : l;
	l = l > 0.0f ? l : 0.0f; /* a NaN in the limits, too */
	l = l > top ? top : l;
	if (!t->mip_linear) {
		unsigned n = (unsigned)(l + 0.5f);
		return (struct lod){n, n, 0};
	}
	unsigned n = (unsigned)l;
	unsigned a = (unsigned)((l - (float)n) * 256.0f + 0.5f);
	return (struct lod){n, n + 1 < t->levels ? n + 1 : n, a};
}

/* log2 of a positive float, by squaring: the result's bits come out one at a time. */
static float log2_bits(float x)
{
	enum { BITS = 12 };
	uint32_t b = f32_bits(x), r = 0;
	int32_t e = (int32_t)(b >> 23) - 127;
	uint64_t m = (uint64_t)(b & 0x7fffff) << 8 | 1ull << 31; /* [1, 2) in 31 bits of fraction */
	for (int i = 0; i < BITS; i++) {
		m = m * m >> 31;
		r = r << 1 | (uint32_t)(m >> 32);
		m >>= m >> 32;
	}
	return (float)e + (float)r * (1.0f / (1 << BITS));
}

float lod_gradient(const struct heddle_tex *t, unsigned nd, const float *dx, const float *dy)
{
	const uint32_t size[3] = {t->width, t->height, t->depth};
	float x2 = 0.0f, y2 = 0.0f;
	for (unsigned k = 0; k < nd; k++) {
		float n = t->normalized_coords ? (float)(size[k] ? size[k] : 1) : 1.0f;
		float x = dx[k] * n, y = dy[k] * n;
		x2 = x2 + x * x;
		y2 = y2 + y * y;
	}
	float d2 = x2 > y2 ? x2 : y2;
	return d2 >= 0x1p-126f ? 0.5f * log2_bits(d2) : -64.0f;
}
