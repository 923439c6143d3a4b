/* Random tests by hand: a range of seeds, each in a process of its own, so that a seed that crashes or
 * hangs ends only its own process.
 *
 *   build/tests/test_NAME FIRST COUNT     which of these seeds fail
 *   build/tests/test_NAME show SEED       what a seed is                                            */
#ifndef TESTS_SEEDS_H
#define TESTS_SEEDS_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

struct seeds {
	void (*run)(uint64_t seed); /* fails by cmocka's assertions */
	int (*show)(uint64_t seed);
	unsigned seconds; /* limit of processor time per seed */
	const unsigned *
		refused; /* counts refused seeds, which are not failures; NULL: no seed is refused */
};

enum { SEED_REFUSED = 3 };

static const struct seeds *seeds_of;
static uint64_t seed_now;

static inline void seed_test(void **state)
{
	(void)state;
	seeds_of->run(seed_now);
}

/* Result of a seed. 0: passed; SEED_REFUSED; otherwise the exit status, or 128 plus the signal. */
static inline int seed_status(const struct seeds *s, uint64_t seed)
{
	int status;
	fflush(stdout);
	pid_t pid = fork();
	if (!pid) {
		const struct CMUnitTest test[] = {cmocka_unit_test(seed_test)};
		seeds_of = s;
		seed_now = seed;
		setrlimit(RLIMIT_CPU, &(struct rlimit){s->seconds, s->seconds});
		cmocka_set_message_output(CM_OUTPUT_TAP);
		if (!freopen("/dev/null", "w", stdout))
			_exit(2);
		int bad = cmocka_run_group_tests(test, NULL, NULL);
		_exit(bad ? 1 : s->refused && *s->refused ? SEED_REFUSED : 0);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline int seeds_range(const struct seeds *s, uint64_t first, uint64_t count)
{
	unsigned failed = 0, refused = 0;
	for (uint64_t seed = first; seed < first + count; seed++) {
		int r = seed_status(s, seed);
		refused += r == SEED_REFUSED;
		if (!r || r == SEED_REFUSED)
			continue;
		printf("seed %llu fails: %s %d\n", (unsigned long long)seed,
		       r > 128 ? "signal" : "status", r > 128 ? r - 128 : r);
		failed++;
	}
	printf("%llu seeds, %u refused, %u failed\n", (unsigned long long)count, refused, failed);
	return failed != 0;
}

/* True if the command line names seeds; *status is then main()'s result. */
static inline bool seeds_asked(const struct seeds *s, int argc, char **argv, int *status)
{
	if (argc != 3)
		return false;
	uint64_t n = strtoull(argv[2], NULL, 0);
	*status = strcmp(argv[1], "show") ? seeds_range(s, strtoull(argv[1], NULL, 0), n)
					  : s->show(n);
	return true;
}

#endif
