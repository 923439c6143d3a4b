/* Textures and surfaces in an SM: the memory accesses that reads and writes of images become. */
#include "timing.h"

/* A texture of 32 x 32 floats, rows of 128 bytes, which is the line of the texture cache. Lane l
 * reads texel (l * dx, l * dy). */
static const char sampler[] =
	".version 6.4\n.target sm_70\n.address_size 64\n.global .texref tx;\n"
	".visible .entry k(.param .u32 dx, .param .u32 dy)\n{\n"
	".reg .u32 %r<8>; .reg .f32 %f<8>; ld.param.u32 %r1, [dx]; ld.param.u32 %r2, [dy]; mov.u32 "
	"%r3, %laneid;\n"
	"mul.lo.u32 %r1, %r1, %r3; mul.lo.u32 %r2, %r2, %r3; cvt.rn.f32.u32 %f1, %r1; "
	"cvt.rn.f32.u32 %f2, %r2;\n"
	"tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [tx, {%f1, %f2}];\nret;\n}\n";

/* Runs `text` with one warp on an image of 32 x 32 words, where lane l accesses the word at step *
 * l; returns word 0 of the image afterwards. */
static const char *image_set[2]; /* settings of the machine */
static json_t *on_image(const char *config, const char *text, const uint32_t *step, bool linear,
			unsigned chan, uint32_t *word)
{
	struct heddle *h;
	struct heddle_module *m;
	uint64_t data;
	setenv("HEDDLE_CONF", "conf", 0);
	assert_int_equal(heddle_open(&h, &(struct heddle_options){.config = config,
								  .set = image_set,
								  .timing = true}),
			 HEDDLE_OK);
	if (heddle_load(h, &(struct heddle_text){"t.ptx", text, strlen(text)}, 1, &m))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_malloc(h, 32 * 128, &data), HEDDLE_OK);
	struct heddle_tex t = {.addr = data,
			       .width = 32,
			       .height = 32,
			       .pitch = 128,
			       .channels = 1,
			       .bits = 32,
			       .chan = chan,
			       .linear = linear,
			       .addr_mode = {HEDDLE_CLAMP, HEDDLE_CLAMP, HEDDLE_CLAMP}};
	assert_int_equal(heddle_tex_bind(h, m, "tx", &t), HEDDLE_OK);
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, "k"),
				  .grid = {1, 1, 1},
				  .block = {32, 1, 1},
				  .params = step};
	if (heddle_launch(h, &l))
		fail_msg("%s", heddle_message(h));
	assert_int_equal(heddle_read(h, word, data, 4), HEDDLE_OK);
	char *stats = heddle_stats_json(h);
	json_t *all = json_loads(stats, 0, NULL);
	free(stats);
	heddle_close(h);
	return all;
}

static void texels_go_through_the_texture_cache(void **state)
{
	(void)state;
	static const struct {
		uint32_t step[2];
		bool linear;
		unsigned lines;
	} c[] = {
		{{1, 0}, false, 1},  /* a row */
		{{0, 1}, false, 32}, /* a column */
		{{1, 1}, false, 32}, /* the diagonal */
		{{0, 0}, false, 1},  /* all lanes at one point */
		{{1, 0}, true, 1},   /* between row -1, which is row 0, and row 0 */
		{{0, 1}, true, 32},  /* each lane two rows, each but the ends shared by two lanes */
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		uint32_t word;
		json_t *all = on_image("gtx480", sampler, c[i].step, c[i].linear, HEDDLE_CHAN_FLOAT,
				       &word);
		struct timed r = {.launch = json_array_get(json_object_get(all, "launches"), 0)};
		assert_int_equal(figure(&r, "l1t", "accesses"), c[i].lines);
		assert_int_equal(figure(&r, "l1t", "misses"), c[i].lines);
		json_decref(all);
	}
}

/* A read of a column, followed by reads of memory or texels that no lane executes. */
static void reads_that_no_lane_executes_access_nothing(void **state)
{
	(void)state;
	static const char *const read[] = {
		"", "@%p1 ld.global.u32 %r4, [%rd1];",
		"@%p1 tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [tx, {%f1, %f2}];"};
	for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
		char text[4096];
		uint32_t word;
		const char *ret = strstr(sampler, "ret;");
		snprintf(text, sizeof text,
			 "%.*s.reg .pred %%p<2>; .reg .u64 %%rd<2>; mov.u64 %%rd1, 0; "
			 "setp.gt.u32 %%p1, %%r3, 99; %s %s",
			 (int)(ret - sampler), sampler, read[i], ret);
		json_t *all = on_image("gtx480", text, (uint32_t[]){0, 1}, false, HEDDLE_CHAN_FLOAT,
				       &word);
		struct timed r = {.launch = json_array_get(json_object_get(all, "launches"), 0)};
		assert_int_equal(figure(&r, "l1t", "accesses"), 32);
		assert_int_equal(figure(&r, "sm", "transactions"), 32);
		json_decref(all);
	}
}

/* Reads texel 0 repeatedly, each read depending on the last; a hit takes 3 cycles from issue to
 * tags, l1t.latency = 1, and 3 for write-back, as in GPGPU-Sim's queues. */
static void a_texture_hit_takes_seven_cycles(void **state)
{
	(void)state;
	uint64_t cycles[2];
	for (unsigned k = 0; k < 2; k++) {
		char text[4096];
		int n = snprintf(
			text, sizeof text,
			".version 6.4\n.target sm_70\n.address_size 64\n.global .texref tx;\n"
			".visible .entry k(.param .u32 dx, .param .u32 dy)\n{\n"
			".reg .f32 %%f<8>; mov.f32 %%f1, 0f00000000; mov.f32 %%f3, %%f1;\n");
		for (unsigned i = 0; i < (k ? 12 : 4); i++) /* one line of the instruction cache */
			n += snprintf(text + n, sizeof text - (size_t)n,
				      "tex.2d.v4.f32.f32 {%%f3, %%f4, %%f5, %%f6}, [tx, {%%f3, "
				      "%%f1}];\n");
		snprintf(text + n, sizeof text - (size_t)n, "ret;\n}\n");
		uint32_t word;
		json_t *all = on_image("gtx480-700", text, (uint32_t[]){0, 0}, false,
				       HEDDLE_CHAN_FLOAT, &word);
		json_t *l = json_array_get(json_object_get(all, "launches"), 0);
		cycles[k] = (uint64_t)json_integer_value(json_object_get(l, "cycles"));
		json_decref(all);
	}
	assert_int_equal(cycles[1] - cycles[0], 8 * 7);
}

/* Each lane adds 3 at these coordinates of a surface; gtx480's lines have 64 bytes. */
static const char reducer[] =
	".version 6.4\n.target sm_70\n.address_size 64\n.global .surfref tx;\n"
	".visible .entry k(.param .u32 dx, .param .u32 dy)\n{\n"
	".reg .u32 %r<8>; ld.param.u32 %r1, [dx]; ld.param.u32 %r2, [dy]; mov.u32 %r3, %laneid;\n"
	"mul.lo.u32 %r1, %r1, %r3; mul.lo.u32 %r2, %r2, %r3; shl.b32 %r1, %r1, 2; mov.u32 %r4, 3;\n"
	"sured.b.add.2d.u32.trap [tx, {%r1, %r2}], %r4;\nret;\n}\n";

static void reductions_in_surfaces_are_atomics(void **state)
{
	(void)state;
	static const struct {
		uint32_t step[2];
		unsigned atomics;
		uint32_t word;
	} c[] = {
		{{1, 0}, 2, 3},   /* a row: two lines */
		{{0, 1}, 32, 3},  /* a column */
		{{0, 0}, 32, 96}, /* all at one word: serialised */
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		uint32_t word;
		json_t *all =
			on_image("gtx480", reducer, c[i].step, false, HEDDLE_CHAN_UNSIGNED, &word);
		struct timed r = {.launch = json_array_get(json_object_get(all, "launches"), 0)};
		assert_int_equal(figure(&r, "slice", "atomics"), c[i].atomics);
		assert_int_equal(figure(&r, "l1t", "accesses"), 0);
		assert_int_equal(word, c[i].word);
		json_decref(all);
	}
}

/* Lane l stores its number in a row or a column of the image. Coordinates outside are ignored;
 * nothing is counted as local memory. */
static void stores_to_surfaces_are_writes_of_lines(void **state)
{
	(void)state;
	static const char storer[] =
		".version 6.4\n.target sm_70\n.address_size 64\n.global .surfref tx;\n"
		".visible .entry k(.param .u32 dx, .param .u32 dy)\n{\n"
		".reg .u32 %r<8>; ld.param.u32 %r1, [dx]; ld.param.u32 %r2, [dy]; mov.u32 %r3, %laneid;\n"
		"sub.u32 %r4, 31, %r3; mul.lo.u32 %r1, %r1, %r4; mul.lo.u32 %r2, %r2, %r4; shl.b32 %r1, %r1, 2;\n"
		"sust.b.2d.b32.zero [tx, {%r1, %r2}], %r3; sured.b.add.2d.u32.zero [tx, {%r1, %r2}], %r3;\n"
		"ret;\n}\n";
	static const struct {
		uint32_t step[2];
		unsigned writes, atomics;
	} c[] = {
		{{1, 0}, 1, 2},   /* a row: one texture line, two lines for atomics */
		{{2, 0}, 1, 2},   /* lanes 16 to 31 are inside, two words apart */
		{{0, 1}, 32, 32}, /* a column */
	};
	for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
		uint32_t word;
		json_t *all =
			on_image("gtx480", storer, c[i].step, false, HEDDLE_CHAN_UNSIGNED, &word);
		struct timed r = {.launch = json_array_get(json_object_get(all, "launches"), 0)};
		struct agreement a = {""};
		agree_launch(&a, r.launch);
		if (a.why[0])
			fail_msg("%s", a.why);
		const json_t *class = json_object_get(
			json_object_get(json_object_get(r.launch, "timing"), "slice"), "classes");
		assert_int_equal(json_integer_value(json_array_get(class, 1)), 0);
		assert_int_equal(figure(&r, "slice", "atomics"), c[i].atomics);
		assert_true(figure(&r, "slice", "write_bytes") > 0);
		if (!image_set[0])
			assert_int_equal(figure(&r, "l1d", "writes"), c[i].writes);
		assert_int_equal(word, 62); /* lane 31 stores and adds at word 0 */
		json_decref(all);
		image_set[0] = i == 1 ? "l1d.kind=off" : NULL;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texels_go_through_the_texture_cache),
		cmocka_unit_test(reads_that_no_lane_executes_access_nothing),
		cmocka_unit_test(a_texture_hit_takes_seven_cycles),
		cmocka_unit_test(reductions_in_surfaces_are_atomics),
		cmocka_unit_test(stores_to_surfaces_are_writes_of_lines),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
