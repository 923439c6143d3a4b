#include "exec/dispatch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The Makefile defines the sets that the build has; without it there is only the baseline. */
#if !defined EXEC_HAS_v3 && !defined EXEC_HAS_v4 && !defined EXEC_HAS_baseline
#define EXEC_HAS_baseline
#endif

/* Host features that -march=x86-64-v3 and -v4 let the compiler use and that a host may lack. */
#if defined EXEC_HAS_v3 || defined EXEC_HAS_v4
static bool has_v3(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
	       __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
}
#endif
#ifdef EXEC_HAS_v3
extern const struct exec_ops exec_ops_v3;
#endif
#ifdef EXEC_HAS_v4
extern const struct exec_ops exec_ops_v4;
static bool has_v4(void)
{
	return has_v3() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
#endif
#ifdef EXEC_HAS_baseline
static bool always(void) { return true; }
#endif

static const struct isa {
	const char *name;
	const struct exec_ops *ops;
	bool (*runs)(void);
} isas[] = {
/* the best first */
#ifdef EXEC_HAS_v4
	{"v4", &exec_ops_v4, has_v4},
#endif
#ifdef EXEC_HAS_v3
	{"v3", &exec_ops_v3, has_v3},
#endif
#ifdef EXEC_HAS_baseline
	{"baseline", &exec_ops_baseline, always},
#endif
};

static const struct isa *chosen;

static void choose_function(void)
{
	const char *want = getenv("HEDDLE_ISA");
	for (size_t i = 0; i < sizeof isas / sizeof *isas; i++) {
		if (!isas[i].runs())
			continue;
		if (!chosen)
			chosen = &isas[i];
		if (want && !strcmp(want, isas[i].name))
			chosen = &isas[i];
	}
	if (chosen)
		return;
	fputs("heddle: this build is for hosts with AVX2 alone, which this one lacks: "
	      "build it here (./bootstrap build)\n",
	      stderr);
	exit(EXIT_FAILURE);
}

static const struct isa *isa(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, choose_function);
	return chosen;
}

const struct exec_ops *exec_ops(void) { return isa()->ops; }
const char *exec_isa(void) { return isa()->name; }

const char *exec_bind(const struct inst *in, struct uop *u) { return exec_ops()->bind(in, u); }
