/* Random kernels on random machines: with any divergence mechanism, lanes, scheduler and sizes, a
 * launch ends, leaves the memory of functional mode, executes equally many thread instructions, and
 * reports consistent figures. Every test run takes a few seeds; by hand:
 *
 * 	build/tests/test_random_kernels FIRST COUNT      prints failures and continues
 * 	build/tests/test_random_kernels show SEED        the settings and text of one seed */
#include "random_kernel.h"
#include "seeds.h"
#include "timing.h"

/* ---- machines ---- */

struct setting {
	char text[32][48];
	unsigned n, schedulers, threads;
	bool warp_ops; /* warps are as large as in functional mode */
	bool as_found; /* the machine of a seed that found an error is kept unchanged */
};

__attribute__((format(printf, 2, 3))) static void set(struct setting *s, const char *format, ...)
{
	va_list a;
	va_start(a, format);
	vsnprintf(s->text[s->n++], sizeof *s->text, format, a);
	va_end(a);
}

static unsigned draw(uint64_t *r, unsigned n) { return (unsigned)(random_next(r) >> 32) % n; }
static const char *one_of(uint64_t *r, const char *const *of, unsigned n) { return of[draw(r, n)]; }
#define ONE_OF(r, ...)                                                                             \
	one_of(r, (const char *const[]){__VA_ARGS__},                                              \
	       sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Draws hybrid warp sizes, if the mechanism and the pipeline permit them. */
static void set_lanes(struct setting *s, uint64_t *r, bool pools, bool locked, bool steps)
{
	bool squeeze = draw(r, 4), gpu = locked && draw(r, 2);
	set(s, "sm.lanes=hws");
	set(s, "hws.squeeze=%s", squeeze ? "yes" : "no");
	if (squeeze && !draw(r, 5))
		set(s, "sm.quirks=+squeeze-as-printed");
	if (squeeze && pools)
		set(s, "squeeze.when=%s", ONE_OF(r, "before-merge", "after-merge"));
	if (gpu)
		set(s, "scale.scope=gpu");
	if (gpu && steps && draw(r, 2))
		set(s, "scale.pipeline=steps");
}

static void set_sizes(struct setting *s, uint64_t *r, unsigned *warp, unsigned *width)
{
	static const uint8_t size[][2] = {{32, 8},  {32, 8}, {32, 8},  {32, 16}, {32, 32},
					  {32, 4},  {32, 1}, {4, 4},   {4, 2},   {8, 8},
					  {8, 2},   {16, 4}, {16, 16}, {64, 16}, {64, 8},
					  {64, 64}, {24, 8}, {33, 11}};
	unsigned i = draw(r, sizeof size / sizeof *size);
	*warp = size[i][0];
	*width = size[i][1];
	set(s, "gpu.warp_size=%u", *warp);
	set(s, "sm.simd_width=%u", *width);
	set(s, "sm.max_warps=%u", *warp < 8 ? 128u : 48u);
	s->warp_ops = *warp == 32;
}

/* Draws the scoreboard pipeline for mechanisms that split and merge groups, with lanes that support
 * them. */
static void set_scoreboard(struct setting *s, uint64_t *r, const char *mechanism, bool hws,
			   bool whole)
{
	set(s, "sm.pipeline=scoreboard");
	if (!draw(r, 4))
		set(s, "sm.issue_width=2");
	if (!draw(r, 3))
		set(s, "sm.quirks=+late-redirect");
	if (!draw(r, 4))
		set(s, "sm.quirks=+blocking-atomics");
	if (hws || !whole || !draw(r, 3))
		return;
	if (!strcmp(mechanism, "mimd")) {
		set(s, "sm.lanes=%s", ONE_OF(r, "tsimt", "tsimt-free"));
		s->schedulers = 8;
		return;
	}
	if (!draw(r, 4) && s->schedulers == 2) { /* units and registers divide by two */
		set(s, "sm.lanes=sub-cores");
		set(s, "sm.sp_units=2");
		set(s, "sm.sfu_units=2");
		set(s, "sm.dp_units=2");
		set(s, "sm.mma_units=2");
		return;
	}
	set(s, "sm.lanes=%s",
	    ONE_OF(r, "tsimt", "stsimt2", "stsimt4", "tsimt-free", "simt-scalar"));
}

static void random_machine(struct setting *s, uint64_t seed)
{
	uint64_t r = seed;
	const char *mechanism = ONE_OF(&r, "none", "pdom", "mimd", "dwf", "dwf", "en-dwf", "en-dwf",
				       "tbc", "thread-frontiers");
	bool pools = strstr(mechanism, "dwf"), mimd = !strcmp(mechanism, "mimd"),
	     hws = !mimd && draw(&r, 2), perfect = draw(&r, 2);
	bool locked =
		draw(&r, 3) || (strcmp(mechanism, "pdom") && strcmp(mechanism, "thread-frontiers"));
	unsigned warp, width;
	*s = (struct setting){
		.schedulers = 1, .threads = 1 + !draw(&r, 8), .as_found = s->as_found};
	set(s, "sm.divergence=%s", mechanism);
	set_sizes(s, &r, &warp, &width);
	set(s, "gpu.sms=%u", 1 + draw(&r, 3));
	set(s, "sm.max_blocks=%u", 1 + draw(&r, 8));
	set(s, "sm.max_threads=1536");
	set(s, "sm.registers=131072");
	set(s, "gpu.perfect_memory=%s", perfect ? "yes" : "no");
	if (!perfect)
		set(s, "l1d.kind=%s", ONE_OF(&r, "off", "wb", "we", "wt"));
	if (!locked)
		set(s, "sm.pipeline=scoreboard");
	if (!mimd && !draw(&r, 4))
		set(s, "sm.schedulers=%u", s->schedulers = 2 + 2 * draw(&r, 2));
	set(s, "sm.scheduler=%s",
	    ONE_OF(&r, "majority", "minority", "time-stamp", "program-counter",
		   pools ? "pdom-priority" : "lrr", "gto", "two-level-active", "two-level-groups",
		   "lrr"));
	if (mimd)
		s->schedulers = width;
	if (pools && draw(&r, 2))
		set(s, "dwf.on_conflict=threads");
	if (hws)
		set_lanes(s, &r, pools, locked, perfect && 24 % (warp / width) == 0);
	else if (!strcmp(mechanism, "en-dwf") && !draw(&r, 3))
		set(s, "en-dwf.lane_aware=no");
	bool gpu = false;
	for (unsigned i = 0; i < s->n; i++)
		gpu |= !strncmp(s->text[i], "scale.", 6);
	if (locked && !gpu && !s->as_found && draw(&r, 2))
		set_scoreboard(s, &r, mechanism, hws, warp == 32 && width == 8);
}

/* ---- a seed ---- */

enum {
	WHO_GOT_THE_LOCK = 9100169, /* the lock's holder yielded together with the others of its
				     * group */
	HALVES_POLL = 5114,         /* halves of a warp of 64 polled in vain at different times */
};

struct trial {
	struct setting machine;
	struct random_kernel kernel;
};

static void make_trial(struct trial *t, uint64_t seed)
{
	t->machine.as_found = seed == WHO_GOT_THE_LOCK || seed == HALVES_POLL;
	uint64_t r = ~seed;
	random_machine(&t->machine, random_next(&r));
	t->kernel = (struct random_kernel){.warp_ops = t->machine.warp_ops && draw(&r, 2),
					   .locks = !draw(&r, 4),
					   .barriers = draw(&r, 4),
					   .exits = draw(&r, 2),
					   .size = 4 + draw(&r, 30)};
	random_kernel_make(&t->kernel, seed);
}

static uint64_t thread_instructions(const struct timed *t)
{
	return (uint64_t)json_integer_value(json_object_get(t->launch, "thread_instructions"));
}

static void run_seed(uint64_t seed)
{
	struct trial t;
	make_trial(&t, seed);
	struct random_kernel *k = &t.kernel;
	uint8_t *want = malloc(k->bytes), *got = malloc(k->bytes);
	struct bench b = {.text = k->text,
			  .kernel = "k",
			  .n = {k->grid[0]},
			  .bytes = k->bytes,
			  .out = want,
			  .functional = true};
	memcpy(b.grid, k->grid, sizeof b.grid);
	memcpy(b.block, k->block, sizeof b.block);
	struct timed f = bench_run(&b);
	b.functional = false;
	b.config = "hws";
	for (unsigned i = 0; i < t.machine.n; i++)
		b.set[i] = t.machine.text[i];
	b.threads = t.machine.threads;
	b.max_cycles = 20000000;
	b.out = got;
	struct timed m = bench_run(&b);
	for (size_t i = 0; i < k->bytes; i += 4)
		if (memcmp(want + i, got + i, 4))
			fail_msg("seed %llu: word %zu of memory differs from functional mode",
				 (unsigned long long)seed, i / 4);
	assert_slots_add_up(&m, t.machine.schedulers);
	assert_int_equal(figure(&m, "sm", "warp_instructions"), m.warp_instructions);
	assert_int_equal(figure(&m, "sm", "thread_instructions"), thread_instructions(&m));
	if (!k->has_lock) /* the number of polls depends on the machine */
		assert_int_equal(thread_instructions(&m), thread_instructions(&f));
	timed_free(&f);
	timed_free(&m);
	free(want);
	free(got);
	free(k->text);
}

/* ---- by hand ---- */

static int show(uint64_t seed)
{
	struct trial t;
	make_trial(&t, seed);
	for (unsigned i = 0; i < t.machine.n; i++)
		printf("// --set %s\n", t.machine.text[i]);
	printf("// %u blocks of %u x %u x %u\n%s", t.kernel.grid[0], t.kernel.block[0],
	       t.kernel.block[1], t.kernel.block[2], t.kernel.text);
	free(t.kernel.text);
	return 0;
}

/* ---- in every test run ---- */

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SEEDS = 25 };
#else
enum { SEEDS = 150 };
#endif

static void the_memory_of_functional_mode(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		run_seed(seed);
	run_seed(WHO_GOT_THE_LOCK);
	run_seed(HALVES_POLL);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(the_memory_of_functional_mode)};
	const struct seeds seeds = {.run = run_seed, .show = show, .seconds = 120};
	int status;
	if (seeds_asked(&seeds, argc, argv, &status))
		return status;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
