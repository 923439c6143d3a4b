/* The sets of operations for different hosts: which set is chosen, and that a forced set is used.
 * The choice is made once per process, so each case runs in a child.                                   */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "exec/dispatch.h"

/* The name of the set that a process with this HEDDLE_ISA chooses. */
static void chosen_with(const char *want, char name[16])
{
	int fd[2], status;
	assert_int_equal(pipe(fd), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (want)
			setenv("HEDDLE_ISA", want, 1);
		else
			unsetenv("HEDDLE_ISA");
		bool complete = exec_ops()->bind && exec_ops()->ld_rows && exec_ops()->st_rows;
		ssize_t n = write(fd[1], exec_isa(), strlen(exec_isa()) + 1);
		_exit(n > 0 && complete ? 0 : 1);
	}
	close(fd[1]);
	memset(name, 0, 16);
	assert_true(read(fd[0], name, 15) > 0);
	close(fd[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void baseline_can_be_forced(void **state)
{
	char name[16];
	(void)state;
	chosen_with("baseline", name);
	assert_string_equal(name, "baseline");
}

static void unknown_names_change_nothing(void **state)
{
	char best[16], name[16];
	(void)state;
	chosen_with(NULL, best);
	chosen_with("v99", name);
	assert_string_equal(name, best);
}

static void best_is_chosen(void **state)
{
	char name[16];
	const char *best = "baseline";
	(void)state;
#ifdef __x86_64__
	if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
		best = __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
			       ? "v4"
			       : "v3";
#endif
	chosen_with(NULL, name);
	assert_string_equal(name, best);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(baseline_can_be_forced),
		cmocka_unit_test(unknown_names_change_nothing),
		cmocka_unit_test(best_is_chosen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
