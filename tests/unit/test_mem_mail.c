/* Messages between windows: their contents, their order, and the receivers that take them. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "mem/mail.h"

enum { SENDERS = 3, RECEIVERS = 2, MOST = 8 };

struct office {
	struct arena a;
	struct mail m;
	struct outbox out[SENDERS];
};

static void set_up(struct office *o)
{
	*o = (struct office){0};
	mail_init(&o->m, &o->a, SENDERS, RECEIVERS, MOST, SENDERS * MOST);
	for (unsigned i = 0; i < SENDERS; i++)
		outbox_open(&o->out[i], &o->m, i);
}

static void put(struct office *o, unsigned sender, unsigned to, cycle_t time, uint32_t id)
{
	struct msg m = {.time = time, .id = id};
	outbox_put(&o->out[sender], &o->m, sender, &m, to);
}

static void expect(struct office *o, unsigned to, const uint32_t *id, uint32_t n)
{
	const struct msg *v[SENDERS * MOST];
	assert_int_equal(mail_count(&o->m, to), n);
	mail_read(&o->m, to, v);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(v[i]->id, id[i]);
}

static void in_order_of_time_sender_and_sequence(void **state)
{
	(void)state;
	struct office o;
	set_up(&o);
	put(&o, 2, 0, 5, 20);
	put(&o, 0, 0, 5, 1);
	put(&o, 0, 1, 6, 2);
	put(&o, 0, 0, 7, 3);
	put(&o, 1, 0, 5, 10);
	put(&o, 1, 0, 5, 11);
	put(&o, 2, 0, 6, 21);
	mail_close(&o.m);
	expect(&o, 0, (uint32_t[]){1, 10, 11, 20, 21, 3}, 6);
	expect(&o, 1, (uint32_t[]){2}, 1);
	arena_free(&o.a);
}

/* Messages sent in a window do not touch those read in it, and are read only in the next window. */
static void read_in_the_next_window(void **state)
{
	(void)state;
	struct office o;
	set_up(&o);
	put(&o, 0, 1, 1, 7);
	expect(&o, 1, NULL, 0);
	mail_close(&o.m);
	put(&o, 0, 1, 17, 8);
	put(&o, 1, 1, 16, 9);
	assert_int_equal(outbox_count(&o.out[0], &o.m), 1);
	expect(&o, 1, (uint32_t[]){7}, 1);
	mail_close(&o.m);
	assert_int_equal(outbox_count(&o.out[0], &o.m), 0);
	expect(&o, 1, (uint32_t[]){9, 8}, 2);
	mail_close(&o.m);
	expect(&o, 1, NULL, 0);
	mail_close(&o.m); /* the box that held messages two windows ago */
	expect(&o, 1, NULL, 0);
	arena_free(&o.a);
}

static void a_full_box(void **state)
{
	(void)state;
	struct office o;
	uint32_t id[SENDERS * MOST];
	set_up(&o);
	for (unsigned i = 0; i < SENDERS * MOST; i++) {
		id[i] = i;
		put(&o, i / MOST, 1, 3, i);
	}
	mail_close(&o.m);
	expect(&o, 0, NULL, 0);
	expect(&o, 1, id, SENDERS * MOST);
	arena_free(&o.a);
}

enum { THREADS = 4, ROUNDS = 300 };

static struct turn turn;
static pthread_barrier_t window;
static unsigned work[ROUNDS + 1];

/* All threads need the work done in every round: the first to arrive does it, and all see that it
 * is done. */
static void *needs_it(void *arg)
{
	uintptr_t missed = 0;
	(void)arg;
	for (unsigned r = 1; r <= ROUNDS; r++) {
		pthread_barrier_wait(&window);
		if (turn_begin(&turn, r)) {
			work[r] += work[r - 1] + 1;
			turn_end(&turn, r);
		}
		missed += work[r] != r;
	}
	return (void *)missed;
}

static void once_in_a_round(void **state)
{
	(void)state;
	pthread_t id[THREADS];
	pthread_barrier_init(&window, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&id[i], NULL, needs_it, NULL), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		void *missed;
		pthread_join(id[i], &missed);
		assert_null(missed);
	}
	pthread_barrier_destroy(&window);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order_of_time_sender_and_sequence),
		cmocka_unit_test(read_in_the_next_window),
		cmocka_unit_test(a_full_box),
		cmocka_unit_test(once_in_a_round),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
