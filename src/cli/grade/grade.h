/* heddle grade: grades a student's file.
 *
 *   grade.c     the command: options, the table of points, JSON
 *   labs.c      the labs: their parts, workloads and thresholds
 *   policy.c    labs that ask for a policy in C: a scheduler, a dispatcher, a replacement
 *   kernel.c    labs that ask for a kernel in CUDA C++ or PTX
 *   build.c     checks and compiles a policy's source
 *   apart.c     runs a part of the grading in a separate process, with limits
 *   walk.c      the kernel that policies are measured with
 *
 * A policy's code runs inside this program, so it is checked first: it may include the headers of
 * its family and call the helpers of its family, and nothing else. A kernel runs in the simulator
 * and can do no harm. */
#ifndef CLI_GRADE_GRADE_H
#define CLI_GRADE_GRADE_H
#include <stdbool.h>
#include <stdint.h>
#include "command/command.h"
#include "heddle.h"

enum { GRADE_TEXT = 2000, GRADE_PARTS = 24 };

/* A part of the grading: its points, and the comment on it. */
struct grade_part {
	char name[80];
	double points, most;
	char text[GRADE_TEXT];
};

struct grade {
	const char *file;
	uint32_t seed; /* varies the hidden workloads */
	struct grade_part part[GRADE_PARTS];
	unsigned n;
};
/* Adds a part; the text may be longer than fits. */
struct grade_part *grade_add(struct grade *g, const char *name, double points, double most,
			     const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* ---- apart.c ---- */

/* The result of running fn of apart_run() once. */
struct outcome {
	bool ok;
	char why[GRADE_TEXT]; /* if not ok */
	uint64_t cycles, warp_instructions, thread_instructions,
		hash; /* hash: of the output buffers */
	double simd_efficiency;
	char worst_line[80]; /* kernel labs: the source line that wastes most lanes */
};
/* Calls fn in a separate process, limited to `seconds` of processor time. If fn crashes, hangs or
 * exits without a result, out->why has the reason. */
void apart_run(void (*fn)(void *arg, struct outcome *out), void *arg, unsigned seconds,
	       struct outcome *out);

/* ---- build.c ---- */

enum { BUILD_TABLE = 64 };
struct policy_build {
	char *folder, *object; /* removed by build_free() */
	char table
		[BUILD_TABLE]; /* name of the table without the family, with dashes: the policy's name */
};
/* Compiles the file, which must define one table of the family ("sched"). False: b->why has the
 * reason. */
bool build_policy(struct policy_build *b, const char *file, const char *family, char *why,
		  size_t n);
void build_free(struct policy_build *b);
/* Compiles CUDA C++ to PTX; a .ptx file is only read. Malloc'ed; NULL: `why` has the reason. */
char *build_kernel(const char *file, char *why, size_t n);

/* ---- labs ---- */

struct walk { /* a launch of the kernel in walk.c */
	uint32_t blocks, threads, n0, n1, every, span, own, scan, phase, alu, bar, row;
};
extern const char walk_ptx[];
enum { WALK_LINES = 32768 };

struct policy_workload {
	const char *name, *hint; /* hint: printed if points are missing */
	struct walk walk;
	double most; /* points for the full result */
	double full,
		/* cycles relative to the baseline's: all points are given at `full` or below, none
		 * at `none` or above */
		none;
};

struct lab {
	const char *name, *help;
	/* labs with a policy: its family, the option that selects it, the baseline, the machine;
	 * NULL: a lab with a kernel */
	const char *family, *option, *baseline;
	const char *set[6];
	const struct policy_workload *workload;
	unsigned nworkloads;
	/* labs of a kernel */
	void (*grade)(struct grade *g, const struct lab *l);
};
extern const struct lab all_labs[];
const struct lab *lab_find(const char *name); /* NULL: already reported */

void policy_grade(struct grade *g, const struct lab *l);
void divergence_grade(struct grade *g, const struct lab *l);
void gemm_grade(struct grade *g, const struct lab *l);
/* Returns the path of a file of docs/teaching, in the source tree or installed; malloc'ed. NULL:
 * not found. */
char *teaching_file(const char *name);

#endif
