/* Blocks that race by plain accesses (tests/ptx/races.cu), and copy engines that reduce the same cells: in
 * timing mode memory, cycles and all figures are equal for any number of host threads, on machines of
 * several generations. Reductions of copy engines are not races: they are complete in every mode. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "heddle.h"

enum { GRID = 21, BLOCK = 64, WORDS = GRID * BLOCK, STATE = 256, TEXT = 1 << 17 };

struct outcome {
	uint32_t out[WORDS], state[STATE];
	char *figures; /* statistics as JSON */
};

static char races[TEXT];

/* Each block adds its singles to 64 cells by one copy, then stores a part of the sums that it
 * reads. */
static const char bulk[] =
	".version 8.0\n.target sm_90\n.address_size 64\n"
	".visible .entry bulk(.param .u64 out, .param .u64 state) {\n"
	" .reg .b64 %o, %s; .reg .b32 %t, %c, %a, %v, %i; .reg .f32 %f; .reg .pred %p;\n"
	" .shared .align 128 .b8 tile[256];\n"
	" ld.param.u64 %o, [out]; ld.param.u64 %s, [state];\n"
	" mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %a, tile;\n"
	" mad.lo.u32 %v, %t, 4, %a;\n"
	" add.u32 %i, %c, %t; cvt.rn.f32.u32 %f, %i; div.rn.f32 %f, 0f3F800000, %f;\n"
	" setp.eq.u32 %p, %i, 0; @%p mov.f32 %f, 0f40000000;\n"
	" st.shared.f32 [%v], %f; bar.sync 0; fence.proxy.async;\n"
	" setp.ne.u32 %p, %t, 0; @%p bra DONE;\n"
	" cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%s], [%a], 256;\n"
	" cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%s+512], [%a], 256;\n"
	" cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n"
	"DONE: bar.sync 0;\n"
	" mad.lo.u32 %i, %c, 64, %t; mad.wide.u32 %o, %i, 4, %o;\n"
	" mad.wide.u32 %s, %t, 4, %s; ld.global.u32 %v, [%s]; st.global.u32 [%o], %v; ret; }\n";

static void check(struct heddle *h, enum heddle_status s)
{
	if (s)
		fail_msg("%s", heddle_message(h));
}

/* Times of the host are no figures of the run. */
static void drop_seconds(char *json)
{
	for (char *at = json; (at = strstr(at, "seconds\":"));) {
		at += strlen("seconds\":");
		size_t n = strcspn(at, ",\n");
		memmove(at, at + n, strlen(at + n) + 1);
	}
}

static void run(const char *text, const char *kernel, const char *machine, unsigned threads,
		struct outcome *o)
{
	struct heddle *h = NULL;
	struct heddle_module *m;
	uint64_t params[2];
	free(o->figures);
	memset(o, 0, sizeof *o);
	check(h, heddle_open(&h, &(struct heddle_options){.threads = threads,
							  .config = machine,
							  .timing = machine != NULL}));
	check(h, heddle_load(h, &(struct heddle_text){"races.ptx", text, strlen(text)}, 1, &m));
	check(h, heddle_malloc(h, sizeof o->out, &params[0]));
	check(h, heddle_malloc(h, sizeof o->state, &params[1]));
	check(h, heddle_write(h, params[0], o->out, sizeof o->out));
	check(h, heddle_write(h, params[1], o->state, sizeof o->state));
	struct heddle_launch l = {.kernel = heddle_kernel_find(m, kernel),
				  .grid = {GRID, 1, 1},
				  .block = {BLOCK, 1, 1},
				  .params = params};
	assert_non_null(l.kernel);
	check(h, heddle_launch(h, &l));
	check(h, heddle_read(h, o->out, params[0], sizeof o->out));
	check(h, heddle_read(h, o->state, params[1], sizeof o->state));
	o->figures = heddle_stats_json(h);
	drop_seconds(o->figures);
	heddle_close(h);
}

static void expect_same(const char *kernel, const char *machine, unsigned threads,
			const struct outcome *a, const struct outcome *b)
{
	if (memcmp(a->out, b->out, sizeof a->out) || memcmp(a->state, b->state, sizeof a->state))
		fail_msg("%s on %s: memory differs between one host thread and %u", kernel, machine,
			 threads);
	for (size_t i = 0; a->figures[i] || b->figures[i]; i++)
		if (a->figures[i] != b->figures[i])
			fail_msg("%s on %s: figures differ between one host thread and %u: %.60s, "
				 "and %.60s",
				 kernel, machine, threads, a->figures + (i < 30 ? 0 : i - 30),
				 b->figures + (i < 30 ? 0 : i - 30));
}

static void any_threads(void **state)
{
	static struct outcome one, other;
	static const char *const machine[] = {"gtx480", "h200-sm90", "hws", "stsimt"};
	const char *kernel = *state;
	bool copies = !strcmp(kernel, "bulk");
	for (unsigned i = 0; i < sizeof machine / sizeof *machine; i++) {
		if (copies && strcmp(machine[i], "h200-sm90") != 0)
			continue;
		run(copies ? bulk : races, kernel, machine[i], 1, &one);
		for (unsigned threads = 2; threads <= (i && !copies ? 2 : 4); threads++) {
			run(copies ? bulk : races, kernel, machine[i], threads, &other);
			expect_same(kernel, machine[i], threads, &one, &other);
		}
	}
}

/* Sums of integers are exact in any order; sums of singles equal functional mode's, which adds
 * block by block. */
static void copies_reduce(void **state)
{
	static struct outcome o;
	(void)state;
	for (unsigned threads = 0; threads <= 4; threads++) {
		float sum[BLOCK] = {0};
		uint32_t bits[BLOCK] = {0};
		run(bulk, "bulk", threads ? NULL : "h200-sm90", threads ? threads : 3, &o);
		for (uint32_t b = 0; b < GRID; b++)
			for (uint32_t t = 0; t < BLOCK; t++) {
				float x = b + t ? 1.0f / (float)(b + t) : 2.0f;
				uint32_t u;
				memcpy(&u, &x, 4);
				sum[t] += x;
				bits[t] += u;
			}
		assert_memory_equal(o.state + 128, bits, sizeof bits);
		if (threads)
			assert_memory_equal(o.state, sum, sizeof sum);
	}
}

/* A warp sees its own stores and reductions in every mode; here it reads before the window ends. */
static void own_writes(void **state)
{
	static struct outcome o;
	static const char text[] =
		".version 7.0\n.target sm_70\n.address_size 64\n"
		".visible .entry own(.param .u64 out, .param .u64 state) {\n"
		" .reg .b64 %o, %s, %d; .reg .b32 %t, %c, %i, %v, %x; .reg .b16 %h;\n"
		" ld.param.u64 %o, [out]; ld.param.u64 %s, [state];\n"
		" mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x;\n"
		" mad.lo.u32 %i, %c, 64, %t; mad.wide.u32 %o, %i, 4, %o;\n"
		" st.global.u32 [%o], %i;\n"
		" red.global.add.u32 [%o], 256;\n"
		" ld.global.u32 %v, [%o];\n" /* i + 256 */
		" st.global.u8 [%o+1], 7;\n"
		" red.global.or.b32 [%o], 0x80000000;\n"
		" ld.global.u16 %h, [%o]; cvt.u32.u16 %x, %h;\n" /* 0x700 | i & 255 */
		" add.u32 %v, %v, %x; ld.global.u32 %x, [%o]; xor.b32 %v, %v, %x;\n"
		" st.global.u32 [%o], %v; ret; }\n";
	(void)state;
	for (unsigned threads = 0; threads <= 2; threads++) {
		run(text, "own", threads ? threads == 1 ? "gtx480" : "h200-sm90" : NULL, 1, &o);
		for (uint32_t i = 0; i < WORDS; i++) {
			uint32_t low = 0x700 | (i & 255), word = i + 256;
			uint32_t all = 0x80000000u | (word & ~0xff00u) | 0x700;
			assert_int_equal(o.out[i], (word + low) ^ all);
		}
	}
}

int main(void)
{
	setenv("HEDDLE_CONF", "conf", 0);
	FILE *f = fopen("tests/ptx/races.ptx", "rb");
	if (!f)
		return 1;
	size_t n = fread(races, 1, sizeof races - 1, f);
	races[n] = '\0';
	fclose(f);
	static char *const kernel[] = {"marks", "bytes", "looks", "smooth", "bulk"};
	enum { N = sizeof kernel / sizeof *kernel };
	struct CMUnitTest tests[N + 2] = {cmocka_unit_test(copies_reduce),
					  cmocka_unit_test(own_writes)};
	for (unsigned i = 0; i < N; i++)
		tests[i + 2] = (struct CMUnitTest){
			.name = kernel[i], .test_func = any_threads, .initial_state = kernel[i]};
	return _cmocka_run_group_tests("races", tests, N + 2, NULL, NULL);
}
