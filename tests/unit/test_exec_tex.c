/* Texture reads from PTX text to texels: every format, filter, addressing mode and kind of
 * coordinates against the references of tex_rig.h. */
#include "tex_rig.h"

static void test_float_coordinates(void **state)
{
	(void)state;
	static const char *const instr[] = {
		"", "tex.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0}];",
		"tex.2d.v4.u32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];",
		"tex.3d.v4.s32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i3}];"};
	static const char *const lanewise[] = {
		"", /* not plain: no short cut for the warp */
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
						in[i][k] = bits(coordinate((&m.d.width)[k],
									   m.d.normalized_coords));
				run(instr[nd], m.handle);
				for (int i = 0; i < N; i++) {
					const float c[3] = {flt(in[i][0]), flt(in[i][1]),
							    flt(in[i][2])};
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
	struct made m = {.d = {.width = 4,
			       .channels = 1,
			       .bits = 32,
			       .chan = HEDDLE_CHAN_FLOAT,
			       .linear = true,
			       .addr_mode = {HEDDLE_CLAMP, HEDDLE_CLAMP, HEDDLE_CLAMP}}};
	make(&m);
	const float texel[4] = {INFINITY, 1.0f, NAN, -0.0f};
	const float at[8] = {0.5f, 0.75f, 1.5f, 1.75f, 2.5f, 3.25f, 3.5f, 9.0f};
	const uint32_t want[8] = {bits(INFINITY), bits(INFINITY), bits(1.0f),  0x7fffffff,
				  0x7fffffff,     0x7fffffff,     bits(-0.0f), bits(-0.0f)};
	assert_int_equal(heddle_write(gpu, m.d.addr, texel, sizeof texel), HEDDLE_OK);
	for (int i = 0; i < N; i++)
		in[i][0] = bits(at[i % 8]);
	for (int way = 0; way < 2; way++) {
		run(way ? "tex.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}|%p, [%h, {%i0}];"
			: "tex.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0}];",
		    m.handle);
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
			m.d.addr_mode[0] =
				HEDDLE_WRAP; /* offsets across a fold: see test_mirrored_offset */
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
		run("tex.a2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i2}], {%i3, %i4};",
		    m.handle);
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
			ref_sample(&m.d, 0, 1, c, in[i][0] < m.d.depth ? in[i][0] : m.d.depth - 1,
				   no_off, want);
			expect(want, i, "a1d", &m.d);
		}
		drop(&m);
	}
}

/* Mirrored, the texture reads 0 1 .. n-1 n-1 .. 1 0 0 1 ..: an offset moves along that sequence. */
static void test_mirrored_offset(void **state)
{
	(void)state;
	struct made m = {.d = {.width = 8,
			       .channels = 1,
			       .bits = 32,
			       .chan = HEDDLE_CHAN_FLOAT,
			       .normalized_coords = true,
			       .addr_mode = {HEDDLE_MIRROR, HEDDLE_MIRROR, HEDDLE_MIRROR}}};
	make(&m);
	for (int i = 0; i < N; i++) {
		in[i][0] = bits(((float)(i % 48) - 24.0f + 0.5f) / 8.0f);
		in[i][1] = (uint32_t)(i % 7 - 3);
	}
	run("tex.1d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0}], {%i1};", m.handle);
	for (int i = 0; i < N; i++) {
		uint32_t want[4];
		ref_texel(&m.d, 0, ref_index(i % 48 - 24 + (i % 7 - 3), 8, HEDDLE_MIRROR), 0, 0,
			  want);
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
				in[i][k] = rnd() % 8   ? rnd() % ((&m.d.width)[k] + 4) - 2
					   : rnd() & 1 ? 0x7fffffff
						       : 0x80000000;
		run("tex.3d.v4.s32.s32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i3}];",
		    m.handle);
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
	struct made m = {.d = {.width = 1000,
			       .channels = 2,
			       .bits = 16,
			       .chan = HEDDLE_CHAN_SIGNED,
			       .linear_memory = true,
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
	static const int axis[6][3][3] = {
		/* major axis, s, t of each face as directions */
		{{1, 0, 0}, {0, 0, -1}, {0, -1, 0}}, {{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
		{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},   {{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
		{{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},  {{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}}};
	for (int layers = 1; layers <= 3; layers += 2) {
		/* clang-format off */
		struct made m = {.d = {.width = 8, .height = 8, .depth = (uint32_t)(6 * layers), .channels = 4, .bits = 8,
				       .chan = HEDDLE_CHAN_UNSIGNED, .cubemap = true, .layered = layers > 1,
				       .normalized_coords = true, .addr_mode = {HEDDLE_CLAMP, HEDDLE_CLAMP, HEDDLE_CLAMP}}};
		/* clang-format on */
		long at[N][3];
		make(&m);
		for (int i = 0; i < N; i++) {
			int face = (int)(rnd() % 6), s = (int)(rnd() % 8), t = (int)(rnd() % 8),
			    layer = (int)(rnd() % (unsigned)layers);
			float scale = ldexpf(1.0f, (int)(rnd() % 20) - 10);
			in[i][0] = (uint32_t)layer;
			for (int k = 0; k < 3; k++)
				in[i][1 + k] =
					bits(scale * ((float)axis[face][0][k] +
						      (float)axis[face][1][k] *
							      ((float)(2 * s + 1) / 8.0f - 1.0f) +
						      (float)axis[face][2][k] *
							      ((float)(2 * t + 1) / 8.0f - 1.0f)));
			at[i][0] = s, at[i][1] = t, at[i][2] = layer * 6 + face;
		}
		run(layers > 1
			    ? "tex.acube.v4.u32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i3}];"
			    : "tex.cube.v4.u32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i1, %i2, %i3, %i0}];",
		    m.handle);
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
	static const char *const instr[] = {
		"tld4.r.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}];",
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
				long at[3] = {ref_index(floor(flt(in[i][0]) - 0.5f) + corner[k][0],
							m.d.width, m.d.addr_mode[0]),
					      ref_index(floor(flt(in[i][1]) - 0.5f) + corner[k][1],
							m.d.height, m.d.addr_mode[1]),
					      0};
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
		/* clang-format off */
		struct made m = {.d = {.width = 16, .height = 8, .channels = 1, .bits = 32, .chan = HEDDLE_CHAN_FLOAT, .levels = 5,
				       .normalized_coords = true, .linear = v & 1, .mip_linear = v >> 1 & 1, .mip_bias = v & 4 ? 0.5f : 0,
				       .mip_min = v & 8 ? 1.25f : 0, .mip_max = v & 8 ? 2.5f : 9}};
		/* clang-format on */
		make(&m);
		for (int i = 0; i < N; i++) {
			static const float odd[] = {-1, NAN, INFINITY, -INFINITY, 100};
			in[i][0] = bits(coordinate(16, true));
			in[i][1] = bits(coordinate(8, true));
			in[i][2] = bits(i < 5 ? odd[i] : (float)(rnd() % 6000) / 1000.0f);
			in[i][3] = rnd() % 8 - 1;
		}
		run("tex.level.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}], %i2;",
		    m.handle);
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
						want[k] = bits((1 - a) * flt(want[k]) +
							       a * flt(next[k]));
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
				in[i][2 + (rnd() & 1) * 2 + (unsigned)y] =
					bits(ldexpf(1, k) / (y ? 8.0f : 16.0f));
				in[i][6] = (uint32_t)k;
			}
			run("tex.grad.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}], {%i2, "
			    "%i3}, {%i4, %i5};",
			    m.handle);
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
		run("tex.level.2d.v4.f32.s32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}], %i3;",
		    m.handle);
		for (int i = 0; i < N; i++) {
			int l = (int)in[i][3] < 0 ? 0 : (int)in[i][3] > 4 ? 4 : (int)in[i][3];
			uint32_t want[4];
			ref_texel(&m.d, (unsigned)l, ref_index(in[i][0], 16 >> l, HEDDLE_CLAMP),
				  ref_index(in[i][1], 8 >> l ? 8 >> l : 1, HEDDLE_CLAMP), 0, want);
			expect(want, i, "integer level", &m.d);
		}
		drop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_float_coordinates),
		cmocka_unit_test(test_special_texels),
		cmocka_unit_test(test_offsets_and_layers),
		cmocka_unit_test(test_mirrored_offset),
		cmocka_unit_test(test_integer_coordinates),
		cmocka_unit_test(test_linear_memory),
		cmocka_unit_test(test_cubemap),
		cmocka_unit_test(test_gather),
		cmocka_unit_test(test_mip_levels),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
