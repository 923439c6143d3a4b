/* Textures and surfaces from PTX text to texels: every format, filter, addressing mode and kind of
 * coordinates against references written from the CUDA programming guide's formulas, one texel at a
 * time. */
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

static uint32_t rnd(void)
{
	seed = seed * 1664525u + 1013904223u;
	return seed >> 8;
}
static uint32_t bits(float f)
{
	uint32_t x;
	memcpy(&x, &f, 4);
	return x;
}
static float flt(uint32_t x)
{
	float f;
	memcpy(&f, &x, 4);
	return f;
}

/* ---- running one instruction ---- */

static enum heddle_status load(const char *instr, struct heddle_module **m)
{
	static char text[4096];
	snprintf(text, sizeof text,
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
		 "%s\nst.global.v4.u32 [%%b], {%%o0, %%o1, %%o2, %%o3};\nret;\n}\n", instr);
	struct heddle_text t = {"test.ptx", text, strlen(text)};
	return heddle_load(gpu, &t, 1, m);
}

/* One thread for each row of in[]; results in out[], which is also what the registers hold before. */
static enum heddle_status run2(const char *instr, uint64_t handle, uint64_t second)
{
	struct heddle_module *m;
	enum heddle_status st = load(instr, &m);
	if (st)
		print_message("%s\n", heddle_message(gpu));
	assert_int_equal(st, HEDDLE_OK);
	uint64_t params[4] = {handle, second, d_in, d_out};
	assert_int_equal(heddle_write(gpu, d_in, in, sizeof in), HEDDLE_OK);
	assert_int_equal(heddle_write(gpu, d_out, out, sizeof out), HEDDLE_OK);
	struct heddle_launch l = {heddle_kernel_find(m, "k"), {N / 64, 1, 1}, {64, 1, 1}, .params = params};
	st = heddle_launch(gpu, &l);
	assert_int_equal(heddle_read(gpu, out, d_out, sizeof out), HEDDLE_OK);
	heddle_unload(gpu, m);
	return st;
}
static void run(const char *instr, uint64_t handle)
{
	enum heddle_status st = run2(instr, handle, 0);
	if (st)
		print_message("%s\n", heddle_message(gpu));
	assert_int_equal(st, HEDDLE_OK);
}

static int setup(void **state)
{
	(void)state;
	struct heddle_options o = {.memory_bytes = 1 << 26};
	return heddle_open(&gpu, &o) || heddle_malloc(gpu, sizeof in, &d_in) || heddle_malloc(gpu, sizeof out, &d_out);
}
static int teardown(void **state)
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

static void make(struct made *m)
{
	struct heddle_tex *d = &m->d;
	uint32_t texel = d->channels * d->bits / 8u, h = d->height ? d->height : 1, z = d->depth ? d->depth : 1;
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
	if (d->chan == HEDDLE_CHAN_FLOAT) /* plain numbers, so that sums have no NaN of unknown bits */
		for (size_t i = 0; i + 4 <= m->size; i += d->bits / 8) {
			float f = (float)((int)(rnd() % 20001) - 10000) / 128.0f;
			uint16_t half = (uint16_t)(rnd() % 0x7800 | (rnd() & 1) << 15);
			memcpy(image + i, d->bits == 32 ? (void *)&f : (void *)&half, d->bits / 8);
		}
	assert_int_equal(heddle_malloc(gpu, m->size, &d->addr), HEDDLE_OK);
	assert_int_equal(heddle_write(gpu, d->addr, image, m->size), HEDDLE_OK);
	assert_int_equal(heddle_tex_create(gpu, d, &m->handle), HEDDLE_OK);
}
static void drop(struct made *m)
{
	assert_int_equal(heddle_tex_destroy(gpu, m->handle), HEDDLE_OK);
	assert_int_equal(heddle_free(gpu, m->d.addr), HEDDLE_OK);
}

/* ---- the reference ---- */

static bool is_real(const struct heddle_tex *d)
{
	return d->chan == HEDDLE_CHAN_FLOAT || (d->normalized_float && d->bits < 32);
}

static float half_value(uint16_t h)
{
	int e = h >> 10 & 31, m = h & 1023;
	double v = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return (float)(h & 0x8000 ? -v : v);
}

static void ref_texel(const struct heddle_tex *d, unsigned level, long x, long y, long z, uint32_t t[4])
{
	unsigned bytes = d->bits / 8u, texel = bytes * d->channels;
	long w = d->width >> level ? d->width >> level : 1, h = d->height >> level ? d->height >> level : 1;
	uint64_t at = level ? d->level_offset[level] + (uint64_t)(z * h * w + y * w + x) * texel
			    : (uint64_t)z * d->slice + (uint64_t)y * d->pitch + (uint64_t)x * texel;
	for (unsigned k = 0; k < 4; k++) {
		t[k] = k < 3 ? 0 : is_real(d) ? bits(1.0f) : 1;
		if (k >= d->channels)
			continue;
		uint32_t raw = 0;
		memcpy(&raw, image + at + k * bytes, bytes);
		int64_t v = d->chan == HEDDLE_CHAN_SIGNED ? (int64_t)((uint64_t)raw << (64 - d->bits)) >> (64 - d->bits) : raw;
		if (d->chan == HEDDLE_CHAN_FLOAT)
			t[k] = d->bits == 32 ? raw : bits(half_value((uint16_t)raw));
		else if (!is_real(d))
			t[k] = (uint32_t)v;
		else if (d->srgb && k < 3) {
			double c = (double)v / 255;
			t[k] = bits((float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4)));
		} else {
			double max = d->chan == HEDDLE_CHAN_SIGNED ? ldexp(1, d->bits - 1) - 1 : ldexp(1, d->bits) - 1;
			t[k] = bits((float)fmax(-1.0, (double)v / max));
		}
	}
}

/* Texel with index i of a row of n, -1: border. Counted on from the nearest whole period. */
static long ref_index(double i, long n, int mode)
{
	if (mode == HEDDLE_CLAMP)
		return i < 0 ? 0 : i > n - 1 ? n - 1 : (long)i;
	if (mode == HEDDLE_BORDER)
		return i < 0 || i > n - 1 ? -1 : (long)i;
	long period = mode == HEDDLE_MIRROR ? 2 * n : n;
	long r = (long)(i - (double)period * floor(i / (double)period));
	return r < n ? r : 2 * n - 1 - r;
}

static float ref_position(const struct heddle_tex *d, int mode, float x, long n)
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

static void ref_or_border(const struct heddle_tex *d, unsigned level, const long at[3], uint32_t t[4])
{
	if (at[0] >= 0 && at[1] >= 0 && at[2] >= 0) {
		ref_texel(d, level, at[0], at[1], at[2], t);
		return;
	}
	ref_texel(d, 0, 0, 0, 0, t);
	for (unsigned k = 0; k < d->channels; k++)
		t[k] = bits(d->border[k]);
}

static void ref_sample(const struct heddle_tex *d, unsigned level, unsigned nd, const float *c, long slice,
                       const int *off, uint32_t out4[4])
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
					at[k] = ref_index((double)i0[k] + side[k], size[k], mode[k]);
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

static void expect(const uint32_t want[4], int i, const char *what, const struct heddle_tex *d)
{
	for (int k = 0; k < 4; k++) {
		if (out[i][k] == want[k] || (isnan(flt(want[k])) && out[i][k] == 0x7fffffff && is_real(d) && d->linear))
			continue;
		if (d->srgb && k < 3 && fabsf(flt(out[i][k]) - flt(want[k])) <= 2e-7f)
			continue;
		fail_msg("%s: thread %d component %d: 0x%08x (%g), want 0x%08x (%g); coordinates %g %g %g; modes %d %d %d "
			 "linear %d normalised %d chan %d bits %d x %d", what, i, k, out[i][k], flt(out[i][k]), want[k],
			 flt(want[k]), flt(in[i][0]), flt(in[i][1]), flt(in[i][2]), d->addr_mode[0], d->addr_mode[1],
			 d->addr_mode[2], d->linear, d->normalized_coords, d->chan, d->bits, d->channels);
	}
}

/* Coordinates near texels, between them, outside on both sides, huge, and no numbers. */
static float coordinate(long n, bool normalized)
{
	static const float odd[] = {0.0f, -0.0f, 0.5f, 1.0f, -1.0f, 1e-10f, -1e-10f, 1e9f, -1e9f, 3e38f, -3e38f, INFINITY,
				    -INFINITY, NAN, 16777216.0f, -16777217.0f, 2.5f, -3.5f, 2147483648.0f, 1e-40f};
	switch (rnd() % 4) {
	case 0: return odd[rnd() % (sizeof odd / sizeof *odd)];
	case 1: return (float)((int)(rnd() % (unsigned)(4 * n)) - (int)n) / (normalized ? (float)n : 1.0f);
	default: {
		float x = ((float)(rnd() % 65536) / 65536.0f * 3.0f - 1.0f) * (float)n;
		return normalized ? x / (float)n : x;
	}
	}
}

/* ---- tests ---- */

static const struct {
	uint8_t chan, bits;
	bool norm, srgb;
} formats[] = {
	{HEDDLE_CHAN_UNSIGNED, 8, 0, 0}, {HEDDLE_CHAN_SIGNED, 8, 0, 0}, {HEDDLE_CHAN_UNSIGNED, 16, 0, 0},
	{HEDDLE_CHAN_SIGNED, 16, 0, 0}, {HEDDLE_CHAN_UNSIGNED, 32, 0, 0}, {HEDDLE_CHAN_SIGNED, 32, 1, 0},
	{HEDDLE_CHAN_UNSIGNED, 8, 1, 0}, {HEDDLE_CHAN_SIGNED, 8, 1, 0}, {HEDDLE_CHAN_UNSIGNED, 16, 1, 0},
	{HEDDLE_CHAN_SIGNED, 16, 1, 0}, {HEDDLE_CHAN_FLOAT, 16, 0, 0}, {HEDDLE_CHAN_FLOAT, 32, 0, 0},
	{HEDDLE_CHAN_UNSIGNED, 8, 1, 1},
};
enum { FORMATS = sizeof formats / sizeof *formats };

static struct made any(unsigned f, unsigned nd)
{
	static const uint8_t channels[] = {1, 2, 4};
	struct made m = {.d = {.width = 1 + rnd() % 19, .height = nd > 1 ? 1 + rnd() % 13 : 0,
			       .depth = nd > 2 ? 1 + rnd() % 7 : 0, .channels = channels[rnd() % 3], .bits = formats[f].bits,
			       .chan = formats[f].chan, .normalized_float = formats[f].norm, .srgb = formats[f].srgb,
			       .border = {0.25f, -3.0f, 7.5f, 0.125f}}};
	return m;
}

static void test_float_coordinates(void **state)
{
	(void)state;
	static const char *const instr[] = {"", "tex.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0}];",
		"tex.2d.v4.u32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];",
		"tex.3d.v4.s32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i3}];"};
	static const char *const lanewise[] = {"", /* not plain: no short cut for the warp */
		"tex.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}|%p, [%h, {%i0}];",
		"tex.2d.v4.u32.f32 {%o0, %o1, %o2, %o3}|%p, [%h, {%i0, %i1}];",
		"tex.3d.v4.s32.f32 {%o0, %o1, %o2, %o3}|%p, [%h, {%i0, %i1, %i2, %i3}];"};
	for (unsigned nd = 1; nd <= 3; nd++)
		for (unsigned f = 0; f < FORMATS; f++)
			for (unsigned v = 0; v < 16; v++) {
				struct made m = any(f, nd);
				m.d.linear = v & 1;
				m.d.normalized_coords = v >> 1 & 1;
				m.d.addr_mode[0] = (uint8_t)(v >> 2);
				m.d.addr_mode[1] = (uint8_t)((v >> 2) + rnd() % 2) % 4;
				m.d.addr_mode[2] = (uint8_t)(rnd() % 4);
				make(&m);
				for (int i = 0; i < N; i++)
					for (unsigned k = 0; k < nd; k++)
						in[i][k] = bits(coordinate((&m.d.width)[k], m.d.normalized_coords));
				run(instr[nd], m.handle);
				for (int i = 0; i < N; i++) {
					const float c[3] = {flt(in[i][0]), flt(in[i][1]), flt(in[i][2])};
					uint32_t want[4];
					ref_sample(&m.d, 0, nd, c, 0, no_off, want);
					expect(want, i, instr[nd], &m.d);
				}
				static uint32_t plain[N][4];
				memcpy(plain, out, sizeof out);
				memset(out, 0xee, sizeof out);
				run(lanewise[nd], m.handle);
				assert_memory_equal(plain, out, sizeof out);
				drop(&m);
			}
}

/* Infinite and NaN texels count only where their weight is not zero. */
static void test_special_texels(void **state)
{
	(void)state;
	struct made m = {.d = {.width = 4, .channels = 1, .bits = 32, .chan = HEDDLE_CHAN_FLOAT, .linear = true,
			       .addr_mode = {HEDDLE_CLAMP, HEDDLE_CLAMP, HEDDLE_CLAMP}}};
	make(&m);
	const float texel[4] = {INFINITY, 1.0f, NAN, -0.0f};
	const float at[8] = {0.5f, 0.75f, 1.5f, 1.75f, 2.5f, 3.25f, 3.5f, 9.0f};
	const uint32_t want[8] = {bits(INFINITY), bits(INFINITY), bits(1.0f), 0x7fffffff, 0x7fffffff, 0x7fffffff,
				  bits(-0.0f), bits(-0.0f)};
	assert_int_equal(heddle_write(gpu, m.d.addr, texel, sizeof texel), HEDDLE_OK);
	for (int i = 0; i < N; i++)
		in[i][0] = bits(at[i % 8]);
	for (int way = 0; way < 2; way++) {
		run(way ? "tex.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}|%p, [%h, {%i0}];"
			: "tex.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0}];", m.handle);
		for (int i = 0; i < N; i++)
			assert_int_equal(out[i][0], want[i % 8]);
	}
	drop(&m);
}

static void test_offsets_and_layers(void **state)
{
	(void)state;
	for (unsigned v = 0; v < 64; v++) {
		struct made m = any(FORMATS - 2, 3);
		m.d.layered = true;
		m.d.linear = v & 1;
		m.d.normalized_coords = v >> 1 & 1;
		m.d.addr_mode[0] = (uint8_t)(v >> 2) % 4;
		m.d.addr_mode[1] = (uint8_t)(v >> 4);
		if (m.d.linear && m.d.addr_mode[0] == HEDDLE_MIRROR)
			m.d.addr_mode[0] = HEDDLE_WRAP; /* offsets over a fold: see test_mirrored_offset */
		if (m.d.addr_mode[1] == HEDDLE_MIRROR)
			m.d.addr_mode[1] = HEDDLE_CLAMP;
		if (m.d.addr_mode[0] == HEDDLE_MIRROR)
			m.d.addr_mode[0] = HEDDLE_BORDER;
		make(&m);
		for (int i = 0; i < N; i++) {
			in[i][0] = rnd() % (m.d.depth + 2);
			in[i][1] = bits(coordinate(m.d.width, m.d.normalized_coords));
			in[i][2] = bits(coordinate(m.d.height, m.d.normalized_coords));
			in[i][3] = rnd() % 16 - 8;
			in[i][4] = rnd() % 16 - 8;
		}
		run("tex.a2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i2}], {%i3, %i4};", m.handle);
		for (int i = 0; i < N; i++) {
			const float c[3] = {flt(in[i][1]), flt(in[i][2])};
			const int off[3] = {(int)in[i][3], (int)in[i][4]};
			long layer = in[i][0] < m.d.depth ? in[i][0] : m.d.depth - 1;
			uint32_t want[4];
			ref_sample(&m.d, 0, 2, c, layer, off, want);
			expect(want, i, "a2d with offsets", &m.d);
		}
		m.d.height = 0;
		assert_int_equal(heddle_tex_destroy(gpu, m.handle), HEDDLE_OK);
		assert_int_equal(heddle_tex_create(gpu, &m.d, &m.handle), HEDDLE_OK);
		run("tex.a1d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];", m.handle);
		for (int i = 0; i < N; i++) {
			const float c[3] = {flt(in[i][1])};
			uint32_t want[4];
			ref_sample(&m.d, 0, 1, c, in[i][0] < m.d.depth ? in[i][0] : m.d.depth - 1, no_off, want);
			expect(want, i, "a1d", &m.d);
		}
		drop(&m);
	}
}

/* Mirrored, the texture reads 0 1 .. n-1 n-1 .. 1 0 0 1 ..: an offset moves along that sequence. */
static void test_mirrored_offset(void **state)
{
	(void)state;
	struct made m = {.d = {.width = 8, .channels = 1, .bits = 32, .chan = HEDDLE_CHAN_FLOAT, .normalized_coords = true,
			       .addr_mode = {HEDDLE_MIRROR, HEDDLE_MIRROR, HEDDLE_MIRROR}}};
	make(&m);
	for (int i = 0; i < N; i++) {
		in[i][0] = bits(((float)(i % 48) - 24.0f + 0.5f) / 8.0f);
		in[i][1] = (uint32_t)(i % 7 - 3);
	}
	run("tex.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0}], {%i1};", m.handle);
	for (int i = 0; i < N; i++) {
		uint32_t want[4];
		ref_texel(&m.d, 0, ref_index(i % 48 - 24 + (i % 7 - 3), 8, HEDDLE_MIRROR), 0, 0, want);
		expect(want, i, "mirrored offset", &m.d);
	}
	drop(&m);
}

static void test_integer_coordinates(void **state)
{
	(void)state;
	for (unsigned v = 0; v < 24; v++) {
		struct made m = any(v % FORMATS, 3);
		m.d.linear = v & 1; /* must not matter */
		m.d.normalized_coords = v >> 1 & 1;
		for (int k = 0; k < 3; k++)
			m.d.addr_mode[k] = (uint8_t)(v >> 2) % 4;
		make(&m);
		for (int i = 0; i < N; i++)
			for (unsigned k = 0; k < 3; k++)
				in[i][k] = rnd() % 8 ? rnd() % ((&m.d.width)[k] + 4) - 2 : rnd() & 1 ? 0x7fffffff : 0x80000000;
		run("tex.3d.v4.s32.s32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i3}];", m.handle);
		for (int i = 0; i < N; i++) {
			long at[3];
			int mode = m.d.addr_mode[0] == HEDDLE_BORDER ? HEDDLE_BORDER : HEDDLE_CLAMP;
			for (unsigned k = 0; k < 3; k++)
				at[k] = ref_index((int)in[i][k], (&m.d.width)[k], mode);
			uint32_t want[4];
			ref_or_border(&m.d, 0, at, want);
			expect(want, i, "3d integer coordinates", &m.d);
		}
		drop(&m);
	}
}

static void test_linear_memory(void **state)
{
	(void)state;
	struct made m = {.d = {.width = 1000, .channels = 2, .bits = 16, .chan = HEDDLE_CHAN_SIGNED, .linear_memory = true,
			       .addr_mode = {HEDDLE_CLAMP, HEDDLE_CLAMP, HEDDLE_CLAMP}}};
	make(&m);
	for (int i = 0; i < N; i++)
		in[i][0] = (uint32_t)(i * 7 - 400);
	run("tex.1d.v4.s32.s32 {%o0, %o1, %o2, %o3}, [%h, {%i0}];", m.handle);
	for (int i = 0; i < N; i++) {
		uint32_t want[4] = {0};
		if (i * 7 - 400 >= 0 && i * 7 - 400 < 1000)
			ref_texel(&m.d, 0, i * 7 - 400, 0, 0, want);
		expect(want, i, "linear memory", &m.d);
	}
	drop(&m);
}

/* A direction through the middle of a texel of a face must give that texel. */
static void test_cubemap(void **state)
{
	(void)state;
	static const int axis[6][3][3] = { /* major axis, s, t of each face as directions */
		{{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}}, {{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
		{{0, -1, 0}, {1, 0, 0}, {0, 0, -1}}, {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}}, {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}};
	for (int layers = 1; layers <= 3; layers += 2) {
		struct made m = {.d = {.width = 8, .height = 8, .depth = (uint32_t)(6 * layers), .channels = 4, .bits = 8,
				       .chan = HEDDLE_CHAN_UNSIGNED, .cubemap = true, .layered = layers > 1,
				       .normalized_coords = true, .addr_mode = {HEDDLE_CLAMP, HEDDLE_CLAMP, HEDDLE_CLAMP}}};
		long at[N][3];
		make(&m);
		for (int i = 0; i < N; i++) {
			int face = (int)(rnd() % 6), s = (int)(rnd() % 8), t = (int)(rnd() % 8), layer = (int)(rnd() % (unsigned)layers);
			float scale = ldexpf(1.0f, (int)(rnd() % 20) - 10);
			in[i][0] = (uint32_t)layer;
			for (int k = 0; k < 3; k++)
				in[i][1 + k] = bits(scale * ((float)axis[face][0][k] + (float)axis[face][1][k] * ((float)(2 * s + 1) / 8.0f - 1.0f) +
							     (float)axis[face][2][k] * ((float)(2 * t + 1) / 8.0f - 1.0f)));
			at[i][0] = s, at[i][1] = t, at[i][2] = layer * 6 + face;
		}
		run(layers > 1 ? "tex.acube.v4.u32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i3}];"
			       : "tex.cube.v4.u32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i1, %i2, %i3, %i0}];", m.handle);
		for (int i = 0; i < N; i++) {
			uint32_t want[4];
			ref_texel(&m.d, 0, at[i][0], at[i][1], at[i][2], want);
			expect(want, i, "cubemap", &m.d);
		}
		drop(&m);
	}
}

static void test_gather(void **state)
{
	(void)state;
	static const char *const instr[] = {"tld4.r.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];",
		"tld4.g.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];",
		"tld4.b.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];",
		"tld4.a.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];"};
	static const int corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
	for (unsigned v = 0; v < 32; v++) {
		struct made m = any(v % FORMATS == FORMATS - 1 ? 0 : v % FORMATS, 2);
		m.d.addr_mode[0] = m.d.addr_mode[1] = v & 1 ? HEDDLE_CLAMP : HEDDLE_BORDER;
		make(&m);
		for (int i = 0; i < N; i++)
			for (unsigned k = 0; k < 2; k++)
				in[i][k] = bits((float)((int)(rnd() % 100) - 20) / 4.0f + 0.1f);
		run(instr[v / 2 % 4], m.handle);
		for (int i = 0; i < N; i++) {
			uint32_t want[4], t[4];
			for (int k = 0; k < 4; k++) {
				long at[3] = {ref_index(floor(flt(in[i][0]) - 0.5f) + corner[k][0], m.d.width, m.d.addr_mode[0]),
					      ref_index(floor(flt(in[i][1]) - 0.5f) + corner[k][1], m.d.height, m.d.addr_mode[1]), 0};
				ref_or_border(&m.d, 0, at, t);
				want[k] = t[v / 2 % 4];
			}
			expect(want, i, instr[v / 2 % 4], &m.d);
		}
		drop(&m);
	}
}

static void test_mip_levels(void **state)
{
	(void)state;
	for (unsigned v = 0; v < 16; v++) {
		struct made m = {.d = {.width = 16, .height = 8, .channels = 1, .bits = 32, .chan = HEDDLE_CHAN_FLOAT, .levels = 5,
				       .normalized_coords = true, .linear = v & 1, .mip_linear = v >> 1 & 1, .mip_bias = v & 4 ? 0.5f : 0,
				       .mip_min = v & 8 ? 1.25f : 0, .mip_max = v & 8 ? 2.5f : 9}};
		make(&m);
		for (int i = 0; i < N; i++) {
			static const float odd[] = {-1, NAN, INFINITY, -INFINITY, 100};
			in[i][0] = bits(coordinate(16, true));
			in[i][1] = bits(coordinate(8, true));
			in[i][2] = bits(i < 5 ? odd[i] : (float)(rnd() % 6000) / 1000.0f);
			in[i][3] = rnd() % 8 - 1;
		}
		run("tex.level.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}], %i2;", m.handle);
		for (int i = 0; i < N; i++) {
			const float c[3] = {flt(in[i][0]), flt(in[i][1])};
			float l = flt(in[i][2]) + m.d.mip_bias;
			l = isnan(l) ? 0 : l;
			l = fminf(fmaxf(fminf(fmaxf(l, m.d.mip_min), m.d.mip_max), 0), 4);
			uint32_t want[4], next[4];
			if (!m.d.mip_linear) {
				ref_sample(&m.d, (unsigned)floor(l + 0.5), 2, c, 0, no_off, want);
			} else {
				unsigned l0 = (unsigned)l;
				float a = (float)floor((l - (float)l0) * 256.0 + 0.5) / 256.0f;
				ref_sample(&m.d, l0, 2, c, 0, no_off, want);
				if (a > 0) {
					ref_sample(&m.d, l0 + 1, 2, c, 0, no_off, next);
					for (int k = 0; k < 4; k++)
						want[k] = bits((1 - a) * flt(want[k]) + a * flt(next[k]));
				}
			}
			expect(want, i, "level", &m.d);
		}
		run("tex.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];", m.handle);
		for (int i = 0; i < N; i++) {
			const float c[3] = {flt(in[i][0]), flt(in[i][1])};
			uint32_t want[4];
			ref_sample(&m.d, 0, 2, c, 0, no_off, want);
			expect(want, i, "no level: level 0", &m.d);
		}
		if (v < 4) { /* a gradient of 2^k texels is level k */
			m.d.mip_linear = true;
			for (int i = 0; i < N; i++) {
				int k = (int)(rnd() % 4), y = rnd() & 1;
				memset(&in[i][2], 0, 16);
				in[i][2 + (rnd() & 1) * 2 + (unsigned)y] = bits(ldexpf(1, k) / (y ? 8.0f : 16.0f));
				in[i][6] = (uint32_t)k;
			}
			run("tex.grad.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}], {%i2, %i3}, {%i4, %i5};", m.handle);
			for (int i = 0; i < N && !m.d.mip_bias; i++) {
				const float c[3] = {flt(in[i][0]), flt(in[i][1])};
				uint32_t want[4];
				ref_sample(&m.d, in[i][6], 2, c, 0, no_off, want);
				expect(want, i, "gradient", &m.d);
			}
		}
		for (int i = 0; i < N; i++)
			in[i][0] = rnd() % 20, in[i][1] = rnd() % 10;
		for (int i = 0; i < N; i++)
			in[i][3] = rnd() % 8 - 1;
		run("tex.level.2d.v4.f32.s32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}], %i3;", m.handle);
		for (int i = 0; i < N; i++) {
			int l = (int)in[i][3] < 0 ? 0 : (int)in[i][3] > 4 ? 4 : (int)in[i][3];
			uint32_t want[4];
			ref_texel(&m.d, (unsigned)l, ref_index(in[i][0], 16 >> l, HEDDLE_CLAMP), ref_index(in[i][1], 8 >> l ? 8 >> l : 1, HEDDLE_CLAMP),
				  0, want);
			expect(want, i, "integer level", &m.d);
		}
		drop(&m);
	}
}

/* Guards keep the other lanes, handles may differ from lane to lane, results may overwrite coordinates,
 * components may be dropped, residency is true. */
static void test_lanes(void **state)
{
	(void)state;
	struct made a = any(FORMATS - 2, 2);
	a.d.channels = 4;
	struct made b = a;
	b.d.width += 3;
	make(&b);
	static uint8_t image_b[sizeof image];
	memcpy(image_b, image, sizeof image);
	make(&a);
	for (int i = 0; i < N; i++) {
		in[i][0] = bits((float)(rnd() % 20)), in[i][1] = bits((float)(rnd() % 14));
		for (int k = 0; k < 4; k++)
			out[i][k] = (uint32_t)(i * 4 + k);
	}
	assert_int_equal(run2("@%odd mov.u64 %h, %g; tex.2d.v4.f32.f32 {%i0, %i1, %o2, _}|%p, [%h, {%i0, %i1}];\n"
			      "mov.b32 %o0, %i0; mov.b32 %o1, %i1; selp.u32 %o3, 7, 8, %p;", a.handle, b.handle), HEDDLE_OK);
	for (int i = 0; i < N; i++) {
		const float c[3] = {flt(in[i][0]), flt(in[i][1])};
		uint32_t want[4];
		static uint8_t keep[sizeof image];
		memcpy(keep, image, sizeof image);
		if (i & 1)
			memcpy(image, image_b, sizeof image);
		ref_sample(i & 1 ? &b.d : &a.d, 0, 2, c, 0, no_off, want);
		memcpy(image, keep, sizeof image);
		want[3] = 7;
		expect(want, i, "two handles", &a.d);
	}
	for (int i = 0; i < N; i++)
		for (int k = 0; k < 4; k++)
			out[i][k] = (uint32_t)(i * 4 + k);
	run("@%odd tex.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];", a.handle);
	for (int i = 0; i < N; i++) {
		const float c[3] = {flt(in[i][0]), flt(in[i][1])};
		uint32_t want[4] = {(uint32_t)i * 4, (uint32_t)i * 4 + 1, (uint32_t)i * 4 + 2, (uint32_t)i * 4 + 3};
		if (i & 1)
			ref_sample(&a.d, 0, 2, c, 0, no_off, want);
		expect(want, i, "guard", &a.d);
	}
	drop(&a);
	drop(&b);
}

static void test_half_results(void **state)
{
	(void)state;
	struct made m = any(10, 2); /* f16 texels come back as they are */
	m.d.channels = 4;
	make(&m);
	for (int i = 0; i < N; i++)
		in[i][0] = rnd() % m.d.width, in[i][1] = rnd() % m.d.height;
	run("tex.2d.v2.f16x2.s32 {%o0, %o1}, [%h, {%i0, %i1}];", m.handle);
	for (int i = 0; i < N; i++)
		assert_memory_equal(out[i], image + in[i][1] * m.d.pitch + in[i][0] * 8, 8);
	drop(&m);
}

static void test_references(void **state)
{
	(void)state;
	struct made m = any(0, 1);
	struct heddle_module *mod;
	make(&m);
	memset(in, 0, sizeof in);
	assert_int_equal(heddle_write(gpu, d_in, in, sizeof in), HEDDLE_OK);
	assert_int_equal(load("mov.u64 %t, tref; tex.1d.v4.u32.s32 {%o0, %o1, %o2, %o3}, [%t, {%i0}];\n"
			      "tex.1d.v4.u32.s32 {%o1, %o2, %o3, _}, [tref, {%i0}];", &mod), HEDDLE_OK);
	uint64_t params[4] = {0, 0, d_in, d_out};
	struct heddle_launch l = {heddle_kernel_find(mod, "k"), {N / 64, 1, 1}, {64, 1, 1}, .params = params};
	assert_int_equal(heddle_launch(gpu, &l), HEDDLE_FAULT);
	assert_int_equal(heddle_fault(gpu)->kind, HEDDLE_FAULT_TEXTURE);
	assert_int_equal(heddle_tex_bind(gpu, mod, "tref", &m.d), HEDDLE_OK);
	assert_int_equal(heddle_launch(gpu, &l), HEDDLE_OK);
	assert_int_equal(heddle_read(gpu, out, d_out, sizeof out), HEDDLE_OK);
	assert_int_equal(out[5][0], image[0]);
	assert_int_equal(out[5][1], image[0]);
	assert_int_equal(heddle_tex_bind(gpu, mod, "tref", NULL), HEDDLE_OK);
	assert_int_equal(heddle_launch(gpu, &l), HEDDLE_FAULT);
	assert_non_null(strstr(heddle_message(gpu), "nothing is bound"));
	heddle_unload(gpu, mod);
	drop(&m);
}

static void test_sampler(void **state)
{
	(void)state;
	struct made m = any(FORMATS - 2, 2);
	struct heddle_module *mod;
	m.d.addr_mode[0] = m.d.addr_mode[1] = HEDDLE_CLAMP;
	make(&m);
	struct heddle_tex s = m.d, both = m.d;
	s.linear = both.linear = true;
	s.normalized_coords = both.normalized_coords = true;
	s.addr_mode[0] = both.addr_mode[0] = HEDDLE_WRAP;
	for (int i = 0; i < N; i++)
		in[i][0] = bits(coordinate(m.d.width, true)), in[i][1] = bits(coordinate(m.d.height, true));
	assert_int_equal(load("tex.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, sref, {%i0, %i1}];", &mod), HEDDLE_OK);
	assert_int_equal(heddle_tex_bind(gpu, mod, "sref", &s), HEDDLE_OK);
	assert_int_equal(heddle_write(gpu, d_in, in, sizeof in), HEDDLE_OK);
	uint64_t params[4] = {m.handle, 0, d_in, d_out};
	struct heddle_launch l = {heddle_kernel_find(mod, "k"), {N / 64, 1, 1}, {64, 1, 1}, .params = params};
	assert_int_equal(heddle_launch(gpu, &l), HEDDLE_OK);
	assert_int_equal(heddle_read(gpu, out, d_out, sizeof out), HEDDLE_OK);
	for (int i = 0; i < N; i++) {
		const float c[3] = {flt(in[i][0]), flt(in[i][1])};
		uint32_t want[4];
		ref_sample(&both, 0, 2, c, 0, no_off, want);
		expect(want, i, "separate sampler", &both);
	}
	heddle_unload(gpu, mod);
	drop(&m);
}

static void test_faults(void **state)
{
	(void)state;
	const char *tex = "tex.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];";
	memset(in, 0, sizeof in);
	assert_int_equal(run2(tex, 0, 0), HEDDLE_FAULT);
	assert_int_equal(heddle_fault(gpu)->kind, HEDDLE_FAULT_TEXTURE);
	assert_non_null(strstr(heddle_message(gpu), "null"));
	assert_int_equal(run2(tex, 12345, 0), HEDDLE_FAULT);
	assert_int_equal(heddle_fault(gpu)->kind, HEDDLE_FAULT_TEXTURE);
	assert_int_equal(run2("suld.b.1d.b32.trap %o0, [%h, {%i0}];", 0, 0), HEDDLE_FAULT);
	assert_int_equal(heddle_fault(gpu)->kind, HEDDLE_FAULT_TEXTURE);
	assert_int_equal(run2("txq.width.b32 %o0, [%h];", 99, 0), HEDDLE_FAULT);
	assert_int_equal(heddle_fault(gpu)->kind, HEDDLE_FAULT_TEXTURE);

	/* A descriptor larger than the memory behind it: fine until a texel outside is read. */
	struct made m = {.d = {.width = 16, .height = 4, .channels = 1, .bits = 32, .chan = HEDDLE_CHAN_FLOAT,
			       .addr_mode = {HEDDLE_CLAMP, HEDDLE_CLAMP, HEDDLE_CLAMP}}};
	make(&m);
	m.d.height = 1 << 20;
	assert_int_equal(heddle_tex_destroy(gpu, m.handle), HEDDLE_OK);
	assert_int_equal(heddle_tex_create(gpu, &m.d, &m.handle), HEDDLE_OK);
	for (int i = 0; i < N; i++)
		in[i][1] = bits((float)(i % 4));
	assert_int_equal(run2(tex, m.handle, 0), HEDDLE_OK);
	for (int i = 0; i < N; i++) {
		uint32_t want[4];
		ref_texel(&m.d, 0, 0, i % 4, 0, want);
		expect(want, i, "partly backed", &m.d);
	}
	in[77][1] = bits(100000.0f);
	assert_int_equal(run2(tex, m.handle, 0), HEDDLE_FAULT);
	assert_int_equal(heddle_fault(gpu)->kind, HEDDLE_FAULT_BOUNDS);
	assert_int_equal(heddle_fault(gpu)->block[0] * 64 + heddle_fault(gpu)->thread[0], 77);
	uint64_t freed = m.d.addr;
	assert_int_equal(heddle_free(gpu, freed), HEDDLE_OK);
	assert_int_equal(run2(tex, m.handle, 0), HEDDLE_FAULT);
	assert_int_equal(heddle_fault(gpu)->kind, HEDDLE_FAULT_FREED);
	assert_int_equal(heddle_tex_destroy(gpu, m.handle), HEDDLE_OK);
}

static void test_refused(void **state)
{
	(void)state;
	struct heddle_module *m;
	assert_int_not_equal(load("tex.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}], {%i2, %i3}, %i4;", &m), HEDDLE_OK);
	assert_non_null(strstr(heddle_message(gpu), "depth comparison"));
	assert_int_not_equal(load("tex.2dms.v4.f32.s32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i3}];", &m), HEDDLE_OK);
	assert_non_null(strstr(heddle_message(gpu), "multisample"));
}

/* ---- surfaces ---- */

static struct made surface(uint8_t channels, uint8_t width_bits, uint8_t chan)
{
	struct made m = {.d = {.width = 13, .height = 7, .depth = 3, .channels = channels, .bits = width_bits, .chan = chan}};
	make(&m);
	return m;
}

/* (x, y, z) in range or not, x in units of `unit` of which a row has `n`. */
static void surface_coords(const struct heddle_tex *d, unsigned unit, unsigned n)
{
	for (int i = 0; i < N; i++) {
		in[i][0] = (rnd() % (n + 6) - 3) * unit;
		in[i][1] = rnd() % (d->height + 4) - 2;
		in[i][2] = rnd() % (d->depth + 2) - 1;
		if (i % 50 == 49)
			in[i][i / 50 % 3] = 0x7fffffffu / unit * unit;
	}
}
static bool inside(const struct heddle_tex *d, int i, unsigned unit, unsigned n)
{
	return (int)in[i][0] >= 0 && in[i][0] < unit * n && in[i][1] < d->height && in[i][2] < d->depth;
}
static long clampl(uint32_t x, long n) { return (int)x < 0 ? 0 : (int)x > n - 1 ? n - 1 : (int)x; }

static void test_surface_load(void **state)
{
	(void)state;
	static const struct { const char *ld; unsigned bytes; bool array, zero; } form[] = {
		{"suld.b.3d.b8.zero %s0, [%h, {%i0, %i1, %i2, %i2}]; cvt.u32.u16 %o0, %s0;", 1, 0, 1},
		{"suld.b.3d.v2.b16.clamp {%s0, %s1}, [%h, {%i0, %i1, %i2, %i2}]; mov.b32 %o0, {%s0, %s1};", 4, 0, 0},
		{"suld.b.3d.v4.b32.zero {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i2}];", 16, 0, 1},
		{"suld.b.a2d.v4.b32.clamp {%o0, %o1, %o2, %o3}, [%h, {%i2, %i0, %i1, %i1}];", 16, 1, 0},
		{"suld.b.3d.v2.b64.clamp {%q0, %q1}, [%h, {%i0, %i1, %i2, %i2}]; mov.b64 {%o0, %o1}, %q0; mov.b64 {%o2, %o3}, %q1;", 16, 0, 0},
	};
	for (unsigned f = 0; f < sizeof form / sizeof *form; f++) {
		struct made m = surface(4, 32, HEDDLE_CHAN_UNSIGNED);
		unsigned n = 13 * 16 / form[f].bytes;
		m.d.layered = form[f].array;
		surface_coords(&m.d, form[f].bytes, n);
		memset(out, 0, sizeof out);
		run(form[f].ld, m.handle);
		for (int i = 0; i < N; i++) {
			uint8_t want[16] = {0};
			if (!form[f].zero || inside(&m.d, i, form[f].bytes, n))
				memcpy(want, image + (uint64_t)clampl(in[i][2], 3) * m.d.slice + (uint64_t)clampl(in[i][1], 7) * m.d.pitch +
					       clampl(in[i][0], 13 * 16 - form[f].bytes + 1), form[f].bytes);
			assert_memory_equal(out[i], want, 16);
		}
		drop(&m);
	}
}

static void test_surface_store(void **state)
{
	(void)state;
	struct made m = surface(2, 32, HEDDLE_CHAN_UNSIGNED);
	static uint8_t got[sizeof image];
	for (int i = 0; i < N; i++) /* one thread a texel, the rest outside */
		in[i][0] = (uint32_t)(i % 13 * 8), in[i][1] = (uint32_t)(i / 13 % 7), in[i][2] = (uint32_t)(i / 91), in[i][4] = rnd(), in[i][5] = rnd();
	run("sust.b.3d.v2.b32.zero [%h, {%i0, %i1, %i2, %i2}], {%i4, %i5};", m.handle);
	assert_int_equal(heddle_read(gpu, got, m.d.addr, m.size), HEDDLE_OK);
	for (int i = 0; i < 13 * 7 * 3; i++)
		memcpy(image + in[i][2] * m.d.slice + in[i][1] * m.d.pitch + in[i][0], &in[i][4], 8);
	assert_memory_equal(got, image, m.size);
	for (int i = 0; i < N; i++)
		in[i][2] = 0;
	assert_int_equal(run2("sust.b.3d.b16.trap [%h, {%i0, %i1, %i2, %i2}], %s0;", m.handle, 0), HEDDLE_OK);
	in[200][1] = 7;
	assert_int_equal(run2("sust.b.3d.b16.trap [%h, {%i0, %i1, %i2, %i2}], %s0;", m.handle, 0), HEDDLE_FAULT);
	assert_int_equal(heddle_fault(gpu)->kind, HEDDLE_FAULT_BOUNDS);
	in[200][1] = 0;
	in[200][0] = 3;
	assert_int_equal(run2("sust.b.3d.b32.trap [%h, {%i0, %i1, %i2, %i2}], %i4;", m.handle, 0), HEDDLE_FAULT);
	assert_int_equal(heddle_fault(gpu)->kind, HEDDLE_FAULT_MISALIGNED);
	drop(&m);
}

static void test_surface_formatted(void **state)
{
	(void)state;
	struct made m = surface(4, 8, HEDDLE_CHAN_SIGNED);
	surface_coords(&m.d, 1, 13);
	run("suld.p.3d.v4.s32.clamp {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i2}];", m.handle);
	for (int i = 0; i < N; i++) {
		uint32_t want[4];
		ref_texel(&m.d, 0, clampl(in[i][0], 13), clampl(in[i][1], 7), clampl(in[i][2], 3), want);
		expect(want, i, "suld.p", &m.d);
	}
	for (int i = 0; i < N; i++)
		in[i][0] = (uint32_t)(i % 13), in[i][1] = 2, in[i][2] = 1, in[i][4] = 100000, in[i][5] = -200000u, in[i][6] = 5, in[i][7] = -6u;
	run("sust.p.3d.v4.b32.trap [%h, {%i0, %i1, %i2, %i2}], {%i4, %i5, %i6, %i7};\n"
	    "suld.p.3d.v4.b32.trap {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i2}];", m.handle);
	for (int i = 0; i < N; i++) {
		const uint32_t want[4] = {127, -128u, 5, -6u};
		expect(want, i, "sust.p", &m.d);
	}
	drop(&m);
	m = surface(2, 16, HEDDLE_CHAN_FLOAT);
	for (int i = 0; i < N; i++)
		in[i][4] = bits(1.0f / 3.0f), in[i][5] = bits(-65536.0f);
	run("sust.p.2d.v2.b32.trap [%h, {%i0, %i1}], {%i4, %i5};\nsuld.p.2d.v2.f32.trap {%o0, %o1}, [%h, {%i0, %i1}];", m.handle);
	for (int i = 0; i < N; i++) {
		assert_int_equal(out[i][0], bits(0x1.554p-2f));
		assert_int_equal(out[i][1], bits(-INFINITY));
	}
	drop(&m);
}

static void test_surface_reduce(void **state)
{
	(void)state;
	static const struct { const char *instr; int op; } form[] = {
		{"sured.b.add.2d.u32.trap [%h, {%i0, %i1}], %i4;", 0}, {"sured.b.min.2d.s32.trap [%h, {%i0, %i1}], %i4;", 1},
		{"sured.b.max.2d.u32.trap [%h, {%i0, %i1}], %i4;", 2}, {"sured.b.and.2d.b32.trap [%h, {%i0, %i1}], %i4;", 3},
		{"sured.b.or.2d.b32.zero [%h, {%i0, %i1}], %i4;", 4}, {"sured.p.min.2d.b32.trap [%h, {%i5, %i1}], %i4;", 1},
	};
	for (unsigned f = 0; f < sizeof form / sizeof *form; f++) {
		struct made m = surface(1, 32, HEDDLE_CHAN_SIGNED);
		uint32_t want[7][13], got;
		for (int y = 0; y < 7; y++)
			memcpy(want[y], image + (unsigned)y * m.d.pitch, 52);
		for (int i = 0; i < N; i++) {
			uint32_t x = rnd() % 13, y = rnd() % 7, b = rnd() << 8 ^ rnd(), *a = &want[y][x];
			in[i][0] = x * 4, in[i][1] = y, in[i][4] = b, in[i][5] = x;
			*a = form[f].op == 0 ? *a + b : form[f].op == 1 ? ((int)b < (int)*a ? b : *a) : form[f].op == 2 ? (b > *a ? b : *a)
			   : form[f].op == 3 ? (*a & b) : (*a | b);
		}
		run(form[f].instr, m.handle);
		for (int y = 0; y < 7; y++)
			for (int x = 0; x < 13; x++) {
				assert_int_equal(heddle_read(gpu, &got, m.d.addr + (unsigned)y * m.d.pitch + (unsigned)x * 4, 4), HEDDLE_OK);
				assert_int_equal(got, want[y][x]);
			}
		drop(&m);
	}
}

static void test_queries(void **state)
{
	(void)state;
	struct made m = {.d = {.width = 20, .height = 10, .depth = 6, .channels = 2, .bits = 16, .chan = HEDDLE_CHAN_UNSIGNED, .levels = 3,
			       .normalized_coords = true, .linear = true, .normalized_float = true,
			       .addr_mode = {HEDDLE_MIRROR, HEDDLE_BORDER, HEDDLE_CLAMP}}};
	make(&m);
	run("txq.width.b32 %o0, [%h]; txq.height.b32 %o1, [%h]; txq.depth.b32 %o2, [%h]; txq.num_mipmap_levels.b32 %o3, [%h];", m.handle);
	const uint32_t size[4] = {20, 10, 6, 3};
	assert_memory_equal(out[9], size, 16);
	run("txq.addr_mode_0.b32 %o0, [%h]; txq.addr_mode_1.b32 %o1, [%h]; txq.addr_mode_2.b32 %o2, [%h]; txq.filter_mode.b32 %o3, [%h];", m.handle);
	const uint32_t modes[4] = {1, 4, 3, 1};
	assert_memory_equal(out[9], modes, 16);
	run("txq.channel_data_type.b32 %o0, [%h]; txq.channel_order.b32 %o1, [%h]; txq.normalized_coords.b32 %o2, [%h]; mov.u32 %i0, 2; txq.level.width.b32 %o3, [%h], %i0;", m.handle);
	const uint32_t kind[4] = {0x10d3, 0x10b2, 1, 5};
	assert_memory_equal(out[9], kind, 16);
	run("suq.width.b32 %o0, [%h]; suq.height.b32 %o1, [%h]; suq.array_size.b32 %o2, [%h]; mov.u64 %t, sref;\n"
	    "istypep.texref %p, %h; selp.u32 %o3, 1, 0, %p; istypep.samplerref %p, %t; @%p add.u32 %o3, %o3, 2;\n"
	    "istypep.surfref %p, %t; @%p add.u32 %o3, %o3, 4; istypep.surfref %p, %h; @%p add.u32 %o3, %o3, 8;\n"
	    "istypep.texref %p, %g; @%p add.u32 %o3, %o3, 16;", m.handle);
	const uint32_t rest[4] = {20, 10, 0, 11};
	assert_memory_equal(out[9], rest, 16);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_float_coordinates), cmocka_unit_test(test_special_texels),
		cmocka_unit_test(test_offsets_and_layers),
		cmocka_unit_test(test_mirrored_offset), cmocka_unit_test(test_integer_coordinates),
		cmocka_unit_test(test_linear_memory), cmocka_unit_test(test_cubemap), cmocka_unit_test(test_gather),
		cmocka_unit_test(test_mip_levels), cmocka_unit_test(test_lanes), cmocka_unit_test(test_half_results),
		cmocka_unit_test(test_references), cmocka_unit_test(test_sampler), cmocka_unit_test(test_faults),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_surface_load), cmocka_unit_test(test_surface_store),
		cmocka_unit_test(test_surface_formatted), cmocka_unit_test(test_surface_reduce), cmocka_unit_test(test_queries),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
