/* Textures of random texels, an instruction executed on them by each thread, and references written
 * from the formulas of the CUDA programming guide, one texel at a time. */
#ifndef TESTS_TEX_RIG_H
#define TESTS_TEX_RIG_H
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

enum { N = 320, WORDS = 8 }; /* threads of a run; operand words of each */

static struct heddle *gpu;
static uint64_t d_in, d_out;
static uint32_t in[N][WORDS], out[N][4];
static uint32_t seed = 1;

static inline uint32_t rnd(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}
static inline uint32_t bits(float f)
{
	uint32_t x;
	memcpy(&x, &f, 4);
	return x;
}
static inline float flt(uint32_t x)
{
	float f;
	memcpy(&f, &x, 4);
	return f;
}

/* ---- running one instruction ---- */

static inline enum heddle_status load(const char *instr, struct heddle_module **m)
{
	static char text[4096];
	snprintf(
		text, sizeof text,
		".version 7.5\n.target sm_75\n.address_size 64\n"
		".global .texref tref;\n.global .samplerref sref;\n.global .surfref uref;\n"
		".visible .entry k(.param .u64 ph, .param .u64 ph2, .param .u64 pin, .param .u64 pout)\n{\n"
		".reg .b64 %%h, %%g, %%a, %%b, %%t, %%q0, %%q1;\n.reg .b32 %%i<8>, %%o<4>, %%n, %%c, %%m;\n"
		".reg .pred %%p, %%odd;\n.reg .b16 %%s<4>;\n"
		"ld.param.u64 %%h, [ph];\nld.param.u64 %%g, [ph2];\nld.param.u64 %%a, [pin];\nld.param.u64 %%b, [pout];\n"
		"mov.u32 %%n, %%tid.x;\nmov.u32 %%c, %%ctaid.x;\nmov.u32 %%m, %%ntid.x;\nmad.lo.u32 %%n, %%c, %%m, %%n;\n"
		"mul.wide.u32 %%t, %%n, 32;\nadd.u64 %%a, %%a, %%t;\nmul.wide.u32 %%t, %%n, 16;\nadd.u64 %%b, %%b, %%t;\n"
		"ld.global.v4.u32 {%%i0, %%i1, %%i2, %%i3}, [%%a];\nld.global.v4.u32 {%%i4, %%i5, %%i6, %%i7}, [%%a+16];\n"
		"ld.global.v4.u32 {%%o0, %%o1, %%o2, %%o3}, [%%b];\n"
		"and.b32 %%c, %%n, 1;\nsetp.ne.u32 %%odd, %%c, 0;\nsetp.ne.u32 %%p, %%c, %%c;\n"
		"%s\nst.global.v4.u32 [%%b], {%%o0, %%o1, %%o2, %%o3};\nret;\n}\n",
		instr);
	struct heddle_text t = {"test.ptx", text, strlen(text)};
	return heddle_load(gpu, &t, 1, m);
}

/* One thread per row of in[]; out[] receives the results and supplies the registers' initial
 * values. */
static inline enum heddle_status run2(const char *instr, uint64_t handle, uint64_t second)
{
	struct heddle_module *m;
	enum heddle_status st = load(instr, &m);
	if (st)
		print_message("%s\n", heddle_message(gpu));
	assert_int_equal(st, HEDDLE_OK);
	uint64_t params[4] = {handle, second, d_in, d_out};
	assert_int_equal(heddle_write(gpu, d_in, in, sizeof in), HEDDLE_OK);
	assert_int_equal(heddle_write(gpu, d_out, out, sizeof out), HEDDLE_OK);
	struct heddle_launch l = {
		heddle_kernel_find(m, "k"), {N / 64, 1, 1}, {64, 1, 1}, .params = params};
	st = heddle_launch(gpu, &l);
	assert_int_equal(heddle_read(gpu, out, d_out, sizeof out), HEDDLE_OK);
	heddle_unload(gpu, m);
	return st;
}
static inline void run(const char *instr, uint64_t handle)
{
	enum heddle_status st = run2(instr, handle, 0);
	if (st)
		print_message("%s\n", heddle_message(gpu));
	assert_int_equal(st, HEDDLE_OK);
}

static inline int setup(void **state)
{
	(void)state;
	struct heddle_options o = {.memory_bytes = 1 << 26};
	return heddle_open(&gpu, &o) || heddle_malloc(gpu, sizeof in, &d_in) ||
	       heddle_malloc(gpu, sizeof out, &d_out);
}
static inline int teardown(void **state)
{
	(void)state;
	heddle_close(gpu);
	return 0;
}

/* ---- textures of random texels ---- */

static uint8_t image[1 << 16];
struct made {
	struct heddle_tex d;
	uint64_t handle;
	size_t size;
};

static inline void make(struct made *m)
{
	struct heddle_tex *d = &m->d;
	uint32_t texel = d->channels * d->bits / 8u, h = d->height ? d->height : 1,
		 z = d->depth ? d->depth : 1;
	if (!d->pitch)
		d->pitch = d->width * texel + 16;
	if (!d->slice)
		d->slice = d->pitch * h + 32;
	m->size = (size_t)(d->slice * z);
	for (unsigned l = 1; l < d->levels; l++)
		d->level_offset[l] = m->size, m->size += 4096;
	assert_true(m->size <= sizeof image);
	for (size_t i = 0; i < m->size; i++)
		image[i] = (uint8_t)rnd();
	/* ordinary numbers, so that no sum is a NaN of unknown bits */
	if (d->chan == HEDDLE_CHAN_FLOAT)
		for (size_t i = 0; i + 4 <= m->size; i += d->bits / 8) {
			float f = (float)((int)(rnd() % 20001) - 10000) / 128.0f;
			uint16_t half = (uint16_t)(rnd() % 0x7800 | (rnd() & 1) << 15);
			memcpy(image + i, d->bits == 32 ? (void *)&f : (void *)&half, d->bits / 8);
		}
	assert_int_equal(heddle_malloc(gpu, m->size, &d->addr), HEDDLE_OK);
	assert_int_equal(heddle_write(gpu, d->addr, image, m->size), HEDDLE_OK);
	assert_int_equal(heddle_tex_create(gpu, d, &m->handle), HEDDLE_OK);
}
static inline void drop(struct made *m)
{
	assert_int_equal(heddle_tex_destroy(gpu, m->handle), HEDDLE_OK);
	assert_int_equal(heddle_free(gpu, m->d.addr), HEDDLE_OK);
}

/* ---- the reference ---- */

static inline bool is_real(const struct heddle_tex *d)
{
	return d->chan == HEDDLE_CHAN_FLOAT || (d->normalized_float && d->bits < 32);
}

static inline float half_value(uint16_t h)
{
	int e = h >> 10 & 31, m = h & 1023;
	double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return (float)(h & 0x8000 ? -v : v);
}

static inline void ref_texel(const struct heddle_tex *d, unsigned level, long x, long y, long z,
			     uint32_t t[4])
{
	unsigned bytes = d->bits / 8u, texel = bytes * d->channels;
	long w = d->width >> level ? d->width >> level : 1,
	     h = d->height >> level ? d->height >> level : 1;
	uint64_t at = level ? d->level_offset[level] + (uint64_t)(z * h * w + y * w + x) * texel
			    : (uint64_t)z * d->slice + (uint64_t)y * d->pitch + (uint64_t)x * texel;
	for (unsigned k = 0; k < 4; k++) {
		t[k] = k < 3 ? 0 : is_real(d) ? bits(1.0f) : 1;
		if (k >= d->channels)
			continue;
		uint32_t raw = 0;
		memcpy(&raw, image + at + k * bytes, bytes);
		int64_t v = d->chan == HEDDLE_CHAN_SIGNED
				    ? (int64_t)((uint64_t)raw << (64 - d->bits)) >> (64 - d->bits)
				    : raw;
		if (d->chan == HEDDLE_CHAN_FLOAT)
			t[k] = d->bits == 32 ? raw : bits(half_value((uint16_t)raw));
		else if (!is_real(d))
			t[k] = (uint32_t)v;
		else if (d->srgb && k < 3) {
			double c = (double)v / 255;
			t[k] = bits(
				(float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)));
		} else {
			double max = d->chan == HEDDLE_CHAN_SIGNED ? ldexp(1, d->bits - 1) - 1
								   : ldexp(1, d->bits) - 1;
			t[k] = bits((float)fmax(-1.0, (double)v / max));
		}
	}
}

/* Index of the texel in a row of n; -1: border. Counts from the nearest whole period. */
static inline long ref_index(double i, long n, int mode)
{
	if (mode == HEDDLE_CLAMP)
		return i < 0 ? 0 : i > n - 1 ? n - 1 : (long)i;
	if (mode == HEDDLE_BORDER)
		return i < 0 || i > n - 1 ? -1 : (long)i;
	long period = mode == HEDDLE_MIRROR ? 2 * n : n;
	long r = (long)(i - (double)period * floor(i / (double)period));
	return r < n ? r : 2 * n - 1 - r;
}

static inline float ref_position(const struct heddle_tex *d, int mode, float x, long n)
{
	if (d->normalized_coords) {
		float f = floorf(x);
		if (mode == HEDDLE_WRAP)
			x = x - f;
		if (mode == HEDDLE_MIRROR)
			x = fmodf(f, 2.0f) != 0.0f ? 1.0f - (x - f) : x - f;
		x = x * (float)n;
	}
	return isnan(x) ? 0.0f : x;
}

static inline void ref_or_border(const struct heddle_tex *d, unsigned level, const long at[3],
				 uint32_t t[4])
{
	if (at[0] >= 0 && at[1] >= 0 && at[2] >= 0) {
		ref_texel(d, level, at[0], at[1], at[2], t);
		return;
	}
	ref_texel(d, 0, 0, 0, 0, t);
	for (unsigned k = 0; k < d->channels; k++)
		t[k] = bits(d->border[k]);
}

static inline void ref_sample(const struct heddle_tex *d, unsigned level, unsigned nd,
			      const float *c, long slice, const int *off, uint32_t out4[4])
{
	const uint32_t whole[3] = {d->width, d->height, d->depth};
	long size[3], i0[3] = {0, 0, slice}, at[3];
	float a[3] = {0};
	int mode[3];
	bool linear = d->linear && is_real(d);
	for (unsigned k = 0; k < nd; k++) {
		size[k] = whole[k] >> level ? whole[k] >> level : 1;
		mode[k] = d->addr_mode[k];
		if (!d->normalized_coords && (mode[k] == HEDDLE_WRAP || mode[k] == HEDDLE_MIRROR))
			mode[k] = HEDDLE_CLAMP;
		float x = ref_position(d, mode[k], c[k], size[k]) - (linear ? 0.5f : 0.0f);
		double f = floor((double)x);
		a[k] = isinf(x) ? 0.0f : (float)(floor(((double)x - f) * 256 + 0.5) / 256);
		f = f > 1e9 ? 1e9 : f < -1e9 ? -1e9 : f;
		i0[k] = (long)f + off[k];
	}
	if (!linear) {
		memcpy(at, i0, sizeof at);
		for (unsigned k = 0; k < nd; k++)
			at[k] = ref_index((double)i0[k], size[k], mode[k]);
		ref_or_border(d, level, at, out4);
		return;
	}
	float sum[4] = {0};
	int terms = 0;
	for (int dz = 0; dz <= (nd > 2); dz++)
		for (int dy = 0; dy <= (nd > 1); dy++)
			for (int dx = 0; dx <= 1; dx++) {
				const int side[3] = {dx, dy, dz};
				float w = 1.0f;
				at[1] = 0, at[2] = slice;
				for (unsigned k = 0; k < nd; k++) {
					w *= side[k] ? a[k] : 1.0f - a[k];
					at[k] = ref_index((double)i0[k] + side[k], size[k],
							  mode[k]);
				}
				uint32_t t[4];
				ref_or_border(d, level, at, t);
				if (w == 0.0f)
					continue;
				for (int k = 0; k < 4; k++)
					sum[k] = terms ? sum[k] + w * flt(t[k]) : w * flt(t[k]);
				terms++;
			}
	for (int k = 0; k < 4; k++)
		out4[k] = bits(sum[k]);
}

static const int no_off[3] = {0, 0, 0};

static inline void expect(const uint32_t want[4], int i, const char *what,
			  const struct heddle_tex *d)
{
	for (int k = 0; k < 4; k++) {
		if (out[i][k] == want[k] ||
		    (isnan(flt(want[k])) && out[i][k] == 0x7fffffff && is_real(d) && d->linear))
			continue;
		if (d->srgb && k < 3 && fabsf(flt(out[i][k]) - flt(want[k])) <= 2e-7f)
			continue;
		fail_msg("%s: thread %d component %d: 0x%08x (%g), want 0x%08x (%g); coordinates "
			 "%g %g %g; modes %d %d %d "
			 "linear %d normalised %d chan %d bits %d x %d",
			 what, i, k, out[i][k], flt(out[i][k]), want[k], flt(want[k]),
			 flt(in[i][0]), flt(in[i][1]), flt(in[i][2]), d->addr_mode[0],
			 d->addr_mode[1], d->addr_mode[2], d->linear, d->normalized_coords, d->chan,
			 d->bits, d->channels);
	}
}

/* Coordinates near texels, between them, outside on both sides, huge, and NaN. */
static inline float coordinate(long n, bool normalized)
{
	static const float odd[] = {0.0f,         -0.0f,    0.5f,      1.0f,          -1.0f,
				    1e-10f,       -1e-10f,  1e9f,      -1e9f,         3e38f,
				    -3e38f,       INFINITY, -INFINITY, NAN,           16777216.0f,
				    -16777217.0f, 2.5f,     -3.5f,     2147483648.0f, 1e-40f};
	switch (rnd() % 4) {
	case 0: return odd[rnd() % (sizeof odd / sizeof *odd)];
	case 1:
		return (float)((int)(rnd() % (unsigned)(4 * n)) - (int)n) /
		       (normalized ? (float)n : 1.0f);
	default: {
		float x = ((float)(rnd() % 65536) / 65536.0f * 3.0f - 1.0f) * (float)n;
		return normalized ? x / (float)n : x;
	}
	}
}

static const struct {
	uint8_t chan, bits;
	bool norm, srgb;
} formats[] = {
	{HEDDLE_CHAN_UNSIGNED, 8, 0, 0},  {HEDDLE_CHAN_SIGNED, 8, 0, 0},
	{HEDDLE_CHAN_UNSIGNED, 16, 0, 0}, {HEDDLE_CHAN_SIGNED, 16, 0, 0},
	{HEDDLE_CHAN_UNSIGNED, 32, 0, 0}, {HEDDLE_CHAN_SIGNED, 32, 1, 0},
	{HEDDLE_CHAN_UNSIGNED, 8, 1, 0},  {HEDDLE_CHAN_SIGNED, 8, 1, 0},
	{HEDDLE_CHAN_UNSIGNED, 16, 1, 0}, {HEDDLE_CHAN_SIGNED, 16, 1, 0},
	{HEDDLE_CHAN_FLOAT, 16, 0, 0},    {HEDDLE_CHAN_FLOAT, 32, 0, 0},
	{HEDDLE_CHAN_UNSIGNED, 8, 1, 1},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static inline struct made any(unsigned f, unsigned nd)
{
	static const uint8_t channels[] = {1, 2, 4};
	/* clang-format off */
	struct made m = {.d = {.width = 1 + rnd() % 19, .height = nd > 1 ? 1 + rnd() % 13 : 0,
			       .depth = nd > 2 ? 1 + rnd() % 7 : 0, .channels = channels[rnd() % 3], .bits = formats[f].bits,
			       .chan = formats[f].chan, .normalized_float = formats[f].norm, .srgb = formats[f].srgb,
			       .border = {0.25f, -3.0f, 7.5f, 0.125f}}};
	/* clang-format on */
	return m;
}

#endif
