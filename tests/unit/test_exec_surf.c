/* Surfaces from PTX text to texels, and queries of textures and surfaces. */
#include "tex_rig.h"

static struct made surface(uint8_t channels, uint8_t width_bits, uint8_t chan)
{
	/* clang-format off */
	struct made m = {.d = {.width = 13, .height = 7, .depth = 3, .channels = channels, .bits = width_bits, .chan = chan}};
	/* clang-format on */
	make(&m);
	return m;
}

/* Coordinates (x, y, z), in range or not; x in units of `unit` bytes, of which a row has `n`. */
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
	return (int)in[i][0] >= 0 && in[i][0] < unit * n && in[i][1] < d->height &&
	       in[i][2] < d->depth;
}
static long clampl(uint32_t x, long n) { return (int)x < 0 ? 0 : (int)x > n - 1 ? n - 1 : (int)x; }

static void test_surface_load(void **state)
{
	(void)state;
	static const struct {
		const char *ld;
		unsigned bytes;
		bool array, zero;
	} form[] = {
		{"suld.b.3d.b8.zero %s0, [%h, {%i0, %i1, %i2, %i2}]; cvt.u32.u16 %o0, %s0;", 1, 0,
		 1},
		{"suld.b.3d.v2.b16.clamp {%s0, %s1}, [%h, {%i0, %i1, %i2, %i2}]; mov.b32 %o0, {%s0, %s1};",
		 4, 0, 0},
		{"suld.b.3d.v4.b32.zero {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i2}];", 16, 0,
		 1},
		{"suld.b.a2d.v4.b32.clamp {%o0, %o1, %o2, %o3}, [%h, {%i2, %i0, %i1, %i1}];", 16, 1,
		 0},
		{"suld.b.3d.v2.b64.clamp {%q0, %q1}, [%h, {%i0, %i1, %i2, %i2}]; mov.b64 {%o0, %o1}, %q0; mov.b64 {%o2, %o3}, %q1;",
		 16, 0, 0},
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
				memcpy(want,
				       image + (uint64_t)clampl(in[i][2], 3) * m.d.slice +
					       (uint64_t)clampl(in[i][1], 7) * m.d.pitch +
					       clampl(in[i][0], 13 * 16 - form[f].bytes + 1),
				       form[f].bytes);
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
		in[i][0] = (uint32_t)(i % 13 * 8), in[i][1] = (uint32_t)(i / 13 % 7),
		in[i][2] = (uint32_t)(i / 91), in[i][4] = rnd(), in[i][5] = rnd();
	run("sust.b.3d.v2.b32.zero [%h, {%i0, %i1, %i2, %i2}], {%i4, %i5};", m.handle);
	assert_int_equal(heddle_read(gpu, got, m.d.addr, m.size), HEDDLE_OK);
	for (int i = 0; i < 13 * 7 * 3; i++)
		memcpy(image + in[i][2] * m.d.slice + in[i][1] * m.d.pitch + in[i][0], &in[i][4],
		       8);
	assert_memory_equal(got, image, m.size);
	for (int i = 0; i < N; i++)
		in[i][2] = 0;
	assert_int_equal(run2("sust.b.3d.b16.trap [%h, {%i0, %i1, %i2, %i2}], %s0;", m.handle, 0),
			 HEDDLE_OK);
	in[200][1] = 7;
	assert_int_equal(run2("sust.b.3d.b16.trap [%h, {%i0, %i1, %i2, %i2}], %s0;", m.handle, 0),
			 HEDDLE_FAULT);
	assert_int_equal(heddle_fault(gpu)->kind, HEDDLE_FAULT_BOUNDS);
	in[200][1] = 0;
	in[200][0] = 3;
	assert_int_equal(run2("sust.b.3d.b32.trap [%h, {%i0, %i1, %i2, %i2}], %i4;", m.handle, 0),
			 HEDDLE_FAULT);
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
		ref_texel(&m.d, 0, clampl(in[i][0], 13), clampl(in[i][1], 7), clampl(in[i][2], 3),
			  want);
		expect(want, i, "suld.p", &m.d);
	}
	for (int i = 0; i < N; i++)
		in[i][0] = (uint32_t)(i % 13), in[i][1] = 2, in[i][2] = 1, in[i][4] = 100000,
		in[i][5] = -200000u, in[i][6] = 5, in[i][7] = -6u;
	run("sust.p.3d.v4.b32.trap [%h, {%i0, %i1, %i2, %i2}], {%i4, %i5, %i6, %i7};\n"
	    "suld.p.3d.v4.b32.trap {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i2}];",
	    m.handle);
	for (int i = 0; i < N; i++) {
		const uint32_t want[4] = {127, -128u, 5, -6u};
		expect(want, i, "sust.p", &m.d);
	}
	drop(&m);
	m = surface(2, 16, HEDDLE_CHAN_FLOAT);
	for (int i = 0; i < N; i++)
		in[i][4] = bits(1.0f / 3.0f), in[i][5] = bits(-65536.0f);
	run("sust.p.2d.v2.b32.trap [%h, {%i0, %i1}], {%i4, %i5};\nsuld.p.2d.v2.f32.trap {%o0, "
	    "%o1}, [%h, {%i0, %i1}];",
	    m.handle);
	for (int i = 0; i < N; i++) {
		assert_int_equal(out[i][0], bits(0x1.554p-2f));
		assert_int_equal(out[i][1], bits(-INFINITY));
	}
	drop(&m);
}

static void test_surface_reduce(void **state)
{
	(void)state;
	static const struct {
		const char *instr;
		int op;
	} form[] = {
		{"sured.b.add.2d.u32.trap [%h, {%i0, %i1}], %i4;", 0},
		{"sured.b.min.2d.s32.trap [%h, {%i0, %i1}], %i4;", 1},
		{"sured.b.max.2d.u32.trap [%h, {%i0, %i1}], %i4;", 2},
		{"sured.b.and.2d.b32.trap [%h, {%i0, %i1}], %i4;", 3},
		{"sured.b.or.2d.b32.zero [%h, {%i0, %i1}], %i4;", 4},
		{"sured.p.min.2d.b32.trap [%h, {%i5, %i1}], %i4;", 1},
	};
	for (unsigned f = 0; f < sizeof form / sizeof *form; f++) {
		struct made m = surface(1, 32, HEDDLE_CHAN_SIGNED);
		uint32_t want[7][13], got;
		for (int y = 0; y < 7; y++)
			memcpy(want[y], image + (unsigned)y * m.d.pitch, 52);
		for (int i = 0; i < N; i++) {
			uint32_t x = rnd() % 13, y = rnd() % 7, b = rnd() << 8 ^ rnd(),
				 *a = &want[y][x];
			in[i][0] = x * 4, in[i][1] = y, in[i][4] = b, in[i][5] = x;
			*a = form[f].op == 0   ? *a + b
			     : form[f].op == 1 ? ((int)b < (int)*a ? b : *a)
			     : form[f].op == 2 ? (b > *a ? b : *a)
			     : form[f].op == 3 ? (*a & b)
					       : (*a | b);
		}
		run(form[f].instr, m.handle);
		for (int y = 0; y < 7; y++)
			for (int x = 0; x < 13; x++) {
				assert_int_equal(heddle_read(gpu, &got,
							     m.d.addr + (unsigned)y * m.d.pitch +
								     (unsigned)x * 4,
							     4),
						 HEDDLE_OK);
				assert_int_equal(got, want[y][x]);
			}
		drop(&m);
	}
}

static void test_queries(void **state)
{
	(void)state;
	/* clang-format off */
	struct made m = {.d = {.width = 20, .height = 10, .depth = 6, .channels = 2, .bits = 16, .chan = HEDDLE_CHAN_UNSIGNED, .levels = 3,
			       .normalized_coords = true, .linear = true, .normalized_float = true,
			       .addr_mode = {HEDDLE_MIRROR, HEDDLE_BORDER, HEDDLE_CLAMP}}};
	/* clang-format on */
	make(&m);
	run("txq.width.b32 %o0, [%h]; txq.height.b32 %o1, [%h]; txq.depth.b32 %o2, [%h]; "
	    "txq.num_mipmap_levels.b32 %o3, [%h];",
	    m.handle);
	const uint32_t size[4] = {20, 10, 6, 3};
	assert_memory_equal(out[9], size, 16);
	run("txq.addr_mode_0.b32 %o0, [%h]; txq.addr_mode_1.b32 %o1, [%h]; txq.addr_mode_2.b32 "
	    "%o2, [%h]; txq.filter_mode.b32 %o3, [%h];",
	    m.handle);
	const uint32_t modes[4] = {1, 4, 3, 1};
	assert_memory_equal(out[9], modes, 16);
	run("txq.channel_data_type.b32 %o0, [%h]; txq.channel_order.b32 %o1, [%h]; txq.normalized_coords.b32 %o2, [%h]; mov.u32 %i0, 2; txq.level.width.b32 %o3, [%h], %i0;",
	    m.handle);
	const uint32_t kind[4] = {0x10d3, 0x10b2, 1, 5};
	assert_memory_equal(out[9], kind, 16);
	run("suq.width.b32 %o0, [%h]; suq.height.b32 %o1, [%h]; suq.array_size.b32 %o2, [%h]; "
	    "mov.u64 %t, sref;\n"
	    "istypep.texref %p, %h; selp.u32 %o3, 1, 0, %p; istypep.samplerref %p, %t; @%p add.u32 "
	    "%o3, %o3, 2;\n"
	    "istypep.surfref %p, %t; @%p add.u32 %o3, %o3, 4; istypep.surfref %p, %h; @%p add.u32 "
	    "%o3, %o3, 8;\n"
	    "istypep.texref %p, %g; @%p add.u32 %o3, %o3, 16;",
	    m.handle);
	const uint32_t rest[4] = {20, 10, 0, 11};
	assert_memory_equal(out[9], rest, 16);
	drop(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_surface_load),      cmocka_unit_test(test_surface_store),
		cmocka_unit_test(test_surface_formatted), cmocka_unit_test(test_surface_reduce),
		cmocka_unit_test(test_queries),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
