/* Records of what an SM issued (--record): threads by lane and cycle, waiting warps, lives of
 * warps; and barriers of code older than sm_70, at which a waiting warp counts as a whole. */
#include "timing.h"

static const char guarded[] =
	HEAD ".reg .u32 %r<4>; .reg .pred %p;\n"
	     "mov.u32 %r1, %tid.x; setp.lt.u32 %p, %r1, 5; @%p add.u32 %r2, %r1, 1; ret;\n}\n";

static struct timed recorded(const char *config, const char *const *set, const char *text,
			     unsigned threads)
{
	struct bench b = {.text = text, .kernel = "k", .block = {threads}, .config = config};
	for (unsigned i = 0; set[i]; i++)
		b.set[i] = set[i];
	b.watch.record = "0:0:100000";
	return bench_run(&b);
}

static json_t *list_of(const struct timed *t, const char *key)
{
	return json_object_get(json_object_get(t->launch, "issues"), key);
}

static int64_t at(const json_t *list, size_t i)
{
	return json_integer_value(json_array_get(list, i));
}

static int64_t key(const json_t *o, const char *name)
{
	return json_integer_value(json_object_get(o, name));
}

enum { CYCLE, LANE, WARP, BLOCK, THREAD, EXECUTED }; /* columns of a thread's row */
enum { SLOT = 2, START, END, ISSUED };               /* columns of a warp's life */

/* Thread i of the warp is at the port in cycle i / 16, in lane i mod 16. */
static void a_warp_goes_through_the_lanes_in_parts(void **state)
{
	(void)state;
	struct timed t = recorded(
		"gtx480",
		(const char *[]){"gpu.sms=1", "sm.simd_width=16", "gpu.perfect_memory=yes", NULL},
		guarded, 32);
	json_t *list = list_of(&t, "list"), *lives = list_of(&t, "lives"), *issue;
	size_t n;
	assert_int_equal(json_array_size(list), 4);
	json_array_foreach (list, n, issue) {
		json_t *threads = json_object_get(issue, "threads"), *x;
		size_t i;
		assert_int_equal(key(issue, "pc"), n);
		assert_int_equal(key(issue, "port"), 2);
		assert_int_equal(json_array_size(threads), 32);
		assert_int_equal(json_array_size(json_object_get(issue, "pool")), 0);
		json_array_foreach (threads, i, x) {
			assert_int_equal(at(x, CYCLE), i / 16);
			assert_int_equal(at(x, LANE), i % 16);
			assert_int_equal(at(x, WARP), 0);
			assert_int_equal(at(x, THREAD), i);
			assert_int_equal(at(x, EXECUTED), n != 2 || i < 5);
		}
	}
	/* in the last cycle of its life a warp holds nothing */
	assert_int_equal(json_array_size(lives), 1);
	const json_t *life = json_array_get(lives, 0);
	assert_int_equal(at(life, END) - at(life, START) - 1, figure(&t, "sm", "busy_cycles"));
	assert_int_equal(at(life, ISSUED), 4);
	timed_free(&t);
}

/* A warp that does not issue is in the pool; each of the two lives lasts as long as the warp
 * occupies its slot. */
static void who_does_not_issue_is_in_the_pool(void **state)
{
	(void)state;
	struct timed t = recorded(
		"gtx480",
		(const char *[]){"gpu.sms=1", "sm.schedulers=1", "gpu.perfect_memory=yes", NULL},
		guarded, 64);
	json_t *list = list_of(&t, "list"), *lives = list_of(&t, "lives"), *issue, *life;
	size_t n, both = 0;
	uint64_t lived = 0;
	assert_int_equal(json_array_size(list), 8);
	json_array_foreach (list, n, issue) {
		json_t *pool = json_object_get(issue, "pool"),
		       *threads = json_object_get(issue, "threads");
		assert_true(json_array_size(pool) <= 1);
		if (!json_array_size(pool)) /* the other warp has ended */
			continue;
		const json_t *other = json_array_get(pool, 0);
		both++;
		assert_int_equal(at(other, 0), 1 - key(issue, "group"));
		assert_int_equal(at(other, 2), 1 - at(json_array_get(threads, 0), WARP));
		assert_int_equal(at(other, 3), 32);
	}
	assert_true(both >= 6);
	json_array_foreach (lives, n, life)
		lived += (uint64_t)(at(life, END) - at(life, START) - 1);
	assert_int_equal(lived, figure(&t, "sm", "warp_cycles"));
	timed_free(&t);
}

/* A lane takes one thread per cycle: the first thread of an instruction follows the last thread of
 * the previous one, whatever their units. */
static void threads_enter_a_temporal_lane_one_by_one(void **state)
{
	(void)state;
	static const char text[] =
		HEAD ".reg .u32 %r<8>; .reg .f32 %f<8>; mov.u32 %r1, %tid.x;\n"
		     "add.u32 %r2, %r2, 1; sin.approx.f32 %f1, %f0; add.u32 %r3, %r3, 1;\n"
		     "sin.approx.f32 %f2, %f0; add.u32 %r4, %r4, 1; ret;\n}\n";
	struct timed t = recorded(
		"stsimt",
		(const char *[]){"gpu.sms=1", "sm.lanes=tsimt", "gpu.perfect_memory=yes", NULL},
		text, 32);
	json_t *issue, *list = list_of(&t, "list");
	int64_t last = -1;
	size_t n;
	assert_int_equal(json_array_size(list), 7);
	json_array_foreach (list, n, issue) {
		json_t *threads = json_object_get(issue, "threads"), *x;
		size_t i;
		assert_int_equal(json_array_size(threads), 32);
		json_array_foreach (threads, i, x) {
			int64_t when = key(issue, "cycle") + at(x, CYCLE);
			assert_true(when > last);
			if (i)
				assert_int_equal(when, last + 1);
			last = when;
			assert_int_equal(at(x, LANE), 0);
		}
	}
	timed_free(&t);
}

/* ---- barriers of old code ---- */

#define OLD                                                                                        \
	".version 6.0\n.target sm_35\n.address_size 64\n.visible .entry k()\n{\n"                  \
	".reg .u32 %r<4>; .reg .pred %p<3>; mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 31;\n"          \
	"setp.lt.u32 %p1, %r2, 16; setp.ge.u32 %p2, %r1, 32;\n"
static struct timed old_code(const char *text, enum heddle_status want, char *message)
{
	struct bench b = {.text = text,
			  .kernel = "k",
			  .block = {64},
			  .config = "gtx480",
			  .want = want,
			  .max_cycles = 100000,
			  .set = {"gpu.sms=1", "gpu.perfect_memory=yes"}};
	struct timed t = bench_run(&b);
	snprintf(message, sizeof b.message, "%s", b.message);
	return t;
}

/* Half of each warp reaches the first barrier while the other half waits for it after the barrier:
 * both warps have arrived, so the barrier opens; so does the second, where all wait. */
static void a_waiting_warp_has_arrived_as_a_whole(void **state)
{
	(void)state;
	char message[4096];
	struct timed t = old_code(OLD "@!%p1 bra J; bar.sync 0; J: bar.sync 0; ret;\n}\n",
				  HEDDLE_OK, message);
	assert_int_equal(figure(&t, "sm", "barriers"), 2);
	timed_free(&t);
}

/* The other warp waits at another barrier: neither opens. */
static void all_warps_must_wait_at_the_same_barrier(void **state)
{
	(void)state;
	char message[4096];
	struct timed t = old_code(
		OLD "@%p2 bra B; @!%p1 bra J; bar.sync 0; J: ret;\nB: bar.sync 1; ret;\n}\n",
		HEDDLE_FAULT, message);
	if (!strstr(message, "barrier"))
		fail_msg("%s", message);
	timed_free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_warp_goes_through_the_lanes_in_parts),
		cmocka_unit_test(who_does_not_issue_is_in_the_pool),
		cmocka_unit_test(threads_enter_a_temporal_lane_one_by_one),
		cmocka_unit_test(a_waiting_warp_has_arrived_as_a_whole),
		cmocka_unit_test(all_warps_must_wait_at_the_same_barrier),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
