/* The GPU's host threads: every task of every round is done exactly once, by any thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>
#include "gpu/gpu.h"

enum { JOBS = 200 };

struct work {
	/* owned by the task: a second thread in the task would be reported as a race */
	unsigned times[JOBS];
	unsigned round;
	atomic_uint all;
};

/* Job i works in every (i mod 3 + 1)th round. */
static bool task(void *arg, unsigned i)
{
	struct work *w = arg;
	w->times[i]++;
	atomic_fetch_add(&w->all, 1);
	return w->round % (i % 3 + 1) == 0;
}

static unsigned expect_busy(unsigned round, unsigned tasks)
{
	unsigned n = 0;
	for (unsigned i = 0; i < tasks; i++)
		n += round % (i % 3 + 1) == 0;
	return n;
}

static void rounds(struct workers *p, unsigned tasks, unsigned count)
{
	struct work w = {.round = 0};
	for (; w.round < count; w.round++) {
		bool alone = w.round % 5 == 4;
		assert_int_equal(workers_run(p, task, &w, tasks, alone),
				 expect_busy(w.round, tasks));
		assert_int_equal(atomic_load(&w.all), tasks * (w.round + 1));
	}
	for (unsigned i = 0; i < tasks; i++)
		assert_int_equal(w.times[i], count);
}

static void every_task_once(void **state)
{
	(void)state;
	static const unsigned threads[] = {1, 2, 3, 7, 64, 100}, tasks[] = {1, 2, 3, 21, JOBS};
	for (unsigned t = 0; t < sizeof threads / sizeof *threads; t++) {
		struct workers *p = workers_new(threads[t]);
		for (unsigned j = 0; j < sizeof tasks / sizeof *tasks; j++)
			rounds(p, tasks[j], 60);
		workers_free(p);
	}
}

/* Threads that are idle for long sleep, and do not miss later work. */
static void after_a_pause(void **state)
{
	(void)state;
	struct workers *p = workers_new(4);
	for (unsigned i = 0; i < 5; i++) {
		usleep(30000);
		rounds(p, 21, 20);
	}
	usleep(30000);
	workers_free(p);
}

static void nothing_to_do(void **state)
{
	(void)state;
	struct workers *p = workers_new(3);
	struct work w = {.round = 0};
	assert_int_equal(workers_run(p, task, &w, 0, false), 0);
	assert_int_equal(workers_run(p, task, &w, 0, true), 0);
	workers_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_task_once),
		cmocka_unit_test(after_a_pause),
		cmocka_unit_test(nothing_to_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
