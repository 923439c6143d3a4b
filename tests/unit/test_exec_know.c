/* Knowledge of threads about each other: every operation of the shared trees against full vector
 * clocks with one entry per thread, on a few hundred random histories. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>
#include "check/know.h"

/* Block numbers with one digit, two and more, neighbours among each; threads of two warps. */
static const uint32_t blocks[] = {0, 1, 15, 16, 17, 255, 256, 4097, 0xfffffff0};
enum { BLOCKS = sizeof blocks / sizeof *blocks, THREADS = 40, OWN = 3 };

struct clock {
	uint32_t of[BLOCKS][THREADS];
};

static uint64_t seed;
static uint32_t draw(uint32_t n)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % n;
}

static void join(uint32_t *a, const uint32_t *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		a[i] = a[i] > b[i] ? a[i] : b[i];
}

static void assert_seen(const struct seen *s, const uint32_t *want)
{
	for (unsigned t = 0; t < THREADS; t++) {
		assert_true(!want[t] || seen_knows(s, t, want[t]));
		assert_false(seen_knows(s, t, want[t] + 1));
	}
}

static void assert_others(const struct others *o, const struct clock *c)
{
	for (unsigned b = 0; b < BLOCKS; b++)
		assert_seen(others_get(o, blocks[b]), c->of[b]);
	assert_null(others_get(o, 0x12345));
}

/* Random knowledge of one block: some threads up to a stamp, all threads up to a stamp, or both. */
static struct seen *random_seen(uint32_t *clock)
{
	struct seen *s = NULL;
	memset(clock, 0, THREADS * sizeof *clock);
	for (unsigned n = draw(4) + 1; n--;) {
		uint32_t stamp = draw(50) + 1, first = draw(2) * 8, all[THREADS];
		uint64_t lanes = (uint64_t)draw(1u << 30) << 30 >> draw(40) | 1;
		lanes &= (1ull << (THREADS - first)) - 1;
		if (draw(4)) {
			for (unsigned t = 0; t < THREADS; t++)
				if (t >= first && lanes >> (t - first) & 1)
					join(&clock[t], &stamp, 1);
			KNOW_SET(&s, seen_drop, seen_with(s, first, lanes, stamp));
		} else {
			struct seen *every = seen_all(stamp);
			for (unsigned t = 0; t < THREADS; t++)
				all[t] = stamp;
			join(clock, all, THREADS);
			KNOW_SET(&s, seen_drop,
				 draw(2) ? seen_join(s, every) : seen_join(every, s));
			seen_drop(every);
		}
		assert_seen(s, clock);
	}
	return s;
}

static struct others *random_others(struct clock *c)
{
	struct others *o = NULL;
	*c = (struct clock){0};
	for (unsigned n = draw(5); n--;) {
		uint32_t clock[THREADS];
		unsigned b = draw(BLOCKS);
		struct seen *s = random_seen(clock);
		join(c->of[b], clock, THREADS);
		KNOW_SET(&o, others_drop, others_with(o, blocks[b], s));
		seen_drop(s);
		assert_others(o, c);
	}
	return o;
}

static void joined_clocks_know_what_either_knew(void **state)
{
	(void)state;
	for (seed = 1; seed < 200; seed++) {
		uint64_t next = seed;
		uint32_t a[THREADS], b[THREADS];
		struct seen *x = random_seen(a), *y = random_seen(b), *z = seen_join(x, y);
		join(a, b, THREADS);
		assert_seen(z, a);
		assert_seen(y, b); /* as it was */
		seen_drop(x);
		seen_drop(y);
		seen_drop(z);
		seed = next;
	}
}

static void joined_trees_know_what_either_knew(void **state)
{
	(void)state;
	for (seed = 1; seed < 200; seed++) {
		uint64_t next = seed;
		struct clock a, b;
		struct others *x = random_others(&a), *y = random_others(&b),
			      *z = others_join(x, y);
		join(a.of[0], b.of[0], BLOCKS * THREADS);
		assert_others(z, &a);
		assert_others(y, &b);
		/* Joining nothing new returns the first tree: threads share it. */
		struct others *same = others_join(z, y);
		assert_ptr_equal(same, z);
		others_drop(same);
		others_drop(x);
		others_drop(y);
		others_drop(z);
		seed = next;
	}
}

/* A thread's knowledge of its own block is kept apart from the rest; published knowledge may cover
 * that block too. */
static void a_thread_learns_what_is_published(void **state)
{
	(void)state;
	for (seed = 1; seed < 200; seed++) {
		uint64_t next = seed;
		struct clock theirs, told;
		uint32_t own[THREADS], more[THREADS];
		struct seen *s = random_seen(own), *t = random_seen(more);
		struct know *k = know_new(s, random_others(&theirs)), *b = know_new(t, NULL);
		struct others *o = random_others(&told);

		struct know *both = know_join(k, b);
		join(more, own, THREADS);
		assert_seen(know_own(both), more);
		assert_others(know_others(both), &theirs);

		struct know *learnt = know_learn(k, o, blocks[OWN]);
		join(own, told.of[OWN], THREADS);
		assert_seen(know_own(learnt), own);
		join(theirs.of[0], told.of[0], BLOCKS * THREADS);
		assert_others(know_others(learnt), &theirs);

		struct know *again = know_learn(learnt, o, blocks[OWN]);
		assert_ptr_equal(again, learnt); /* a poll that learned nothing new */
		know_drop(again);
		know_drop(learnt);
		know_drop(both);
		know_drop(b);
		know_drop(k);
		others_drop(o);
		seed = next;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joined_clocks_know_what_either_knew),
		cmocka_unit_test(joined_trees_know_what_either_knew),
		cmocka_unit_test(a_thread_learns_what_is_published),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
