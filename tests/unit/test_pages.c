/* Memory in huge pages: pieces are zero, apart from each other, and used again when they have been freed. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>
#include "base/arena.h"
#include "base/pages.h"

enum { PIECES = 120, THREADS = 4 };

static size_t size_of(unsigned i) { return i % 7 ? (size_t)i * i * 3 + 1 : (size_t)i * 8192; }

static bool is_all(const unsigned char *p, size_t size, unsigned value)
{
	for (size_t i = 0; i < size; i++)
		if (p[i] != (unsigned char)value)
			return false;
	return true;
}

/* True if each piece is as it should be. Fills all pieces, frees every third and takes it again, and then finds each as it was left. */
static void *use_pieces(void *seed)
{
	static _Thread_local unsigned char *p[PIECES];
	unsigned mark = (unsigned)(uintptr_t)seed;
	bool good = true;
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < PIECES; i++) {
			p[i] = pages_new(size_of(i));
			good &= (uintptr_t)p[i] % PAGES_ALIGN == 0 && is_all(p[i], size_of(i), 0);
			memset(p[i], (int)(mark + i), size_of(i));
		}
		for (unsigned i = 0; i < PIECES; i += 3) {
			pages_free(p[i]);
			p[i] = pages_new(size_of(i));
			good &= is_all(p[i], size_of(i), 0);
			memset(p[i], (int)(mark + i), size_of(i));
		}
		for (unsigned i = 0; i < PIECES; i++) {
			good &= is_all(p[i], size_of(i), mark + i);
			pages_free(p[i]);
		}
	}
	return good ? seed : NULL;
}

static void one_thread(void **state)
{
	(void)state;
	assert_non_null(use_pieces((void *)7));
}

static void threads(void **state)
{
	(void)state;
	pthread_t t[THREADS];
	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, use_pieces, (void *)(i * 50 + 1)), 0);
	for (unsigned i = 0; i < THREADS; i++) {
		void *good;
		pthread_join(t[i], &good);
		assert_non_null(good);
	}
}

/* A piece larger than a region's eighth has a region of its own. */
static void a_large_piece(void **state)
{
	(void)state;
	enum { SIZE = 40 << 20 };
	unsigned char *p = pages_new(SIZE);
	assert_true(!p[0] && !p[SIZE - 1]);
	p[0] = p[SIZE - 1] = 1;
	pages_free(p);
	pages_free(NULL);
}

/* An arena in pages gives zeroed memory again after it was freed. */
static void an_arena(void **state)
{
	(void)state;
	struct arena a = {0};
	for (unsigned round = 0; round < 2; round++) {
		arena_use_pages(&a);
		for (unsigned i = 1; i < PIECES; i++) {
			unsigned char *p = arena_alloc(&a, i * 700);
			assert_true(is_all(p, i * 700, 0));
			memset(p, 0xff, i * 700);
		}
		arena_free(&a);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_thread),
		cmocka_unit_test(threads),
		cmocka_unit_test(a_large_piece),
		cmocka_unit_test(an_arena),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
