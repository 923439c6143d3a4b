/* How texture instructions name their texture, sampler, lanes and results, and the errors in
 * each. */
#include "tex_rig.h"

/* A false guard keeps a lane's registers; handles may differ between lanes; results may overwrite
 * coordinates; components may be discarded; residency is true. */
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
	assert_int_equal(run2("@%odd mov.u64 %h, %g; tex.2d.v4.f32.f32 {%i0, %i1, %o2, _}|%p, [%h, "
			      "{%i0, %i1}];\n"
			      "mov.b32 %o0, %i0; mov.b32 %o1, %i1; selp.u32 %o3, 7, 8, %p;",
			      a.handle, b.handle),
			 HEDDLE_OK);
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
		uint32_t want[4] = {(uint32_t)i * 4, (uint32_t)i * 4 + 1, (uint32_t)i * 4 + 2,
				    (uint32_t)i * 4 + 3};
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
	struct made m = any(10, 2); /* f16 texels are returned unchanged */
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
	assert_int_equal(
		load("mov.u64 %t, tref; tex.1d.v4.u32.s32 {%o0, %o1, %o2, %o3}, [%t, {%i0}];\n"
		     "tex.1d.v4.u32.s32 {%o1, %o2, %o3, _}, [tref, {%i0}];",
		     &mod),
		HEDDLE_OK);
	uint64_t params[4] = {0, 0, d_in, d_out};
	struct heddle_launch l = {
		heddle_kernel_find(mod, "k"), {N / 64, 1, 1}, {64, 1, 1}, .params = params};
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
		in[i][0] = bits(coordinate(m.d.width, true)),
		in[i][1] = bits(coordinate(m.d.height, true));
	assert_int_equal(
		load("tex.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, sref, {%i0, %i1}];", &mod),
		HEDDLE_OK);
	assert_int_equal(heddle_tex_bind(gpu, mod, "sref", &s), HEDDLE_OK);
	assert_int_equal(heddle_write(gpu, d_in, in, sizeof in), HEDDLE_OK);
	uint64_t params[4] = {m.handle, 0, d_in, d_out};
	struct heddle_launch l = {
		heddle_kernel_find(mod, "k"), {N / 64, 1, 1}, {64, 1, 1}, .params = params};
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

	/* A descriptor larger than its memory is valid until a texel outside is read. */
	struct made m = {.d = {.width = 16,
			       .height = 4,
			       .channels = 1,
			       .bits = 32,
			       .chan = HEDDLE_CHAN_FLOAT,
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
	assert_int_not_equal(
		load("tex.2d.v4.f32.f32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1}], {%i2, %i3}, %i4;",
		     &m),
		HEDDLE_OK);
	assert_non_null(strstr(heddle_message(gpu), "depth comparison"));
	assert_int_not_equal(
		load("tex.2dms.v4.f32.s32 {%o0, %o1, %o2, %o3}, [%h, {%i0, %i1, %i2, %i3}];", &m),
		HEDDLE_OK);
	assert_non_null(strstr(heddle_message(gpu), "multisample"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lanes),      cmocka_unit_test(test_half_results),
		cmocka_unit_test(test_references), cmocka_unit_test(test_sampler),
		cmocka_unit_test(test_faults),     cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
