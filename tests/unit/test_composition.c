/* Random kernels on random compositions: a pipeline, a divergence mechanism, a lane organisation, a dispatcher, scalar
 * execution and a scheduler are drawn independently, until the machine is accepted. The launch leaves the memory of
 * functional mode and executes as many thread instructions. A few seeds in every test run; by hand:
 *
 *	build/tests/test_composition FIRST COUNT      prints what fails and goes on
 *	build/tests/test_composition show SEED        the settings and the text of one */
#include "random_kernel.h"
#include "seeds.h"
#include "timing.h"

enum { AXES = 6, OTHERS = 7 };

struct composition {
	char set[AXES][64];
	const char *all[AXES + OTHERS + 1];
	struct random_kernel kernel;
};

static const char *const axis[AXES][16] = {
	{"sm.pipeline", "scoreboard", "scoreboard", "scoreboard", "locked", "volta"},
	{"sm.divergence", "pdom", "thread-frontiers", "none", "mimd", "tbc", "dwf", "en-dwf",
	 "dual-path", "multi-path", "subwarps"},
	{"sm.lanes", "simt", "hws", "bcc", "scc", "tsimt", "stsimt2", "stsimt4", "tsimt-free",
	 "simt-scalar", "sub-cores"},
	{"gpu.dispatch", "block", "warp-temporal", "warp", "warp-threshold", "virtual-registers",
	 "gpc", "dyncta", "warp-dueling", "virtual-thread"},
	{"sm.scalar", "no", "all", "all", "convergent"},
	{"sm.scheduler", "lrr", "gto", "oldest", "two-level-active", "two-level-groups", "majority",
	 "program-counter"},
};
/* A small machine whose units, warps and registers divide by its two schedulers. */
static const char *const others[OTHERS] = {
	"gpu.sms=2",      "sm.simd_width=8", "sm.sfu_units=2",     "sm.dp_units=2",
	"sm.mma_units=2", "sm.max_warps=32", "sm.registers=131072"};

static unsigned draw(uint64_t *r, unsigned n) { return (unsigned)(random_next(r) >> 32) % n; }

static bool is_accepted(const struct composition *c)
{
	struct heddle *h;
	setenv("HEDDLE_CONF", "conf", 0);
	enum heddle_status s = heddle_open(
		&h, &(struct heddle_options){.config = "gtx480", .set = c->all, .timing = true});
	heddle_close(h);
	return s == HEDDLE_OK;
}

static void make_composition(struct composition *c, uint64_t seed)
{
	uint64_t r = ~seed;
	unsigned tries = 0;
	memcpy(c->all + AXES, others, sizeof others);
	c->all[AXES + OTHERS] = NULL;
	do {
		if (++tries > 1000)
			fail_msg("seed %llu: no composition is accepted", (unsigned long long)seed);
		for (unsigned i = 0; i < AXES; i++) {
			unsigned n = 1;
			while (n < 16 && axis[i][n])
				n++;
			snprintf(c->set[i], sizeof c->set[i], "%s=%s", axis[i][0],
				 axis[i][1 + draw(&r, n - 1)]);
			c->all[i] = c->set[i];
		}
	} while (!is_accepted(c));
	c->kernel = (struct random_kernel){.warp_ops = draw(&r, 2),
					   .locks = !draw(&r, 4),
					   .barriers = draw(&r, 4),
					   .exits = draw(&r, 2),
					   .size = 4 + draw(&r, 26)};
	random_kernel_make(&c->kernel, seed);
}

static uint64_t thread_instructions(const struct timed *t)
{
	return (uint64_t)json_integer_value(json_object_get(t->launch, "thread_instructions"));
}

static void run_seed(uint64_t seed)
{
	struct composition c;
	make_composition(&c, seed);
	struct random_kernel *k = &c.kernel;
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
	b.config = "gtx480";
	memcpy(b.set, c.all, sizeof c.all);
	b.max_cycles = 20000000;
	b.out = got;
	struct timed m = bench_run(&b);
	for (size_t i = 0; i < k->bytes; i += 4)
		if (memcmp(want + i, got + i, 4))
			fail_msg("seed %llu: word %zu of memory differs from functional mode",
				 (unsigned long long)seed, i / 4);
	/* the machine decides how often threads poll; machine code, which pdom runs on that pipeline, has other
	 * instructions */
	bool compiled =
		!strcmp(c.set[0], "sm.pipeline=volta") && !strcmp(c.set[1], "sm.divergence=pdom");
	if (!k->has_lock && !compiled)
		assert_int_equal(thread_instructions(&m), thread_instructions(&f));
	timed_free(&f);
	timed_free(&m);
	free(want);
	free(got);
	free(k->text);
}

static int show(uint64_t seed)
{
	struct composition c;
	make_composition(&c, seed);
	for (unsigned i = 0; c.all[i]; i++)
		printf("// --set %s\n", c.all[i]);
	printf("// %u blocks of %u x %u x %u\n%s", c.kernel.grid[0], c.kernel.block[0],
	       c.kernel.block[1], c.kernel.block[2], c.kernel.text);
	free(c.kernel.text);
	return 0;
}

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { SEEDS = 20 };
#else
enum { SEEDS = 80 };
#endif

static void the_memory_of_functional_mode(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= SEEDS; seed++)
		run_seed(seed);
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
