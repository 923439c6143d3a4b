/* The labs of docs/teaching: see grade.h. Thresholds are factors relative to one of Heddle's
 * policies, measured in the same grading; the labs' solutions are a few percent better than
 * required. */
#include "cli/grade/grade.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "command/suite.h"

/* clang-format off */
/* {blocks threads n0 n1 every span own scan phase alu bar row}, points, full, none */
static const struct policy_workload scheduling[] = {
	{"rows", "each warp walks over rows of its own; with fewer warps at a time they stay in the L1",
	 {12, 256, 64, 0, 1, 64, 0, 0, 1000000, 0, 0, 80}, 60, 0.60, 0.95},
	{"stream", "nothing is read twice; every warp that waits hides another's latency",
	 {8, 256, 100, 0, 1, 100, 100, 0, 1000000, 2, 0, 0}, 12, 1.25, 1.80},
	{"barriers", "warps meet at a barrier; holding one back holds back its block",
	 {8, 256, 64, 0, 1, 16, 16, 0, 1000000, 6, 1, 0}, 13, 1.20, 1.80},
};
static const struct policy_workload dispatching[] = {
	{"few blocks", "there are fewer blocks than room; every SM should get its share",
	 {8, 128, 120, 0, 1, 16, 16, 0, 1000000, 4, 0, 0}, 45, 1.05, 1.80},
	{"many blocks", "an SM that has ended a block should get the next",
	 {48, 128, 40, 0, 1, 16, 16, 0, 1000000, 4, 0, 0}, 10, 1.05, 1.40},
	{"unequal blocks", "every fourth block takes six times as long; in turn, one SM gets all of them",
	 {16, 128, 60, 300, 4, 16, 16, 0, 1000000, 4, 0, 0}, 30, 0.70, 0.78},
};
static const struct policy_workload replacing[] = {
	{"loop", "the loop is larger than the cache: keep a part of it",
	 {1, 32, 600, 0, 1, 160, 0, 0, 1000000, 0, 0, 0}, 25, 0.80, 0.99},
	{"four loops", "the loops of four warps together are larger than the cache",
	 {1, 128, 300, 0, 1, 40, 40, 0, 1000000, 0, 0, 0}, 20, 0.80, 0.99},
	{"scan", "lines that are read once should not drive out lines that are read often",
	 {1, 32, 800, 0, 1, 40, 0, 4, 1000000, 0, 0, 0}, 20, 1.02, 1.10},
	{"moving window", "what was read often long ago is not read again",
	 {1, 32, 1600, 0, 1, 100, 0, 0, 400, 0, 0, 0}, 20, 1.35, 1.60},
};
/* clang-format on */

#define COUNT(rows) rows, sizeof(rows) / sizeof *(rows)

const struct lab all_labs[] = {
	{.name = "divergence",
	 .help = "find the line that loses most lanes, and remove the divergence",
	 .grade = divergence_grade},
	{.name = "scheduler",
	 .help = "write a warp scheduler that keeps the cache's contents",
	 .family = "sched",
	 .option = "sm.scheduler",
	 .baseline = "lrr",
	 .set = {"gpu.sms=1"},
	 COUNT(scheduling),
	 .grade = policy_grade},
	{.name = "dispatch",
	 .help = "write a dispatcher that gives SMs equal work",
	 .family = "disp",
	 .option = "gpu.dispatch",
	 .baseline = "block",
	 .set = {"gpu.sms=4"},
	 COUNT(dispatching),
	 .grade = policy_grade},
	{.name = "cache",
	 .help = "write a replacement policy that resists loops and scans",
	 .family = "repl",
	 .option = "l1d.replacement",
	 .baseline = "lru",
	 .set = {"gpu.sms=1"},
	 COUNT(replacing),
	 .grade = policy_grade},
	{.name = "gemm", .help = "multiply matrices: from a loop to wgmma", .grade = gemm_grade},
	{0},
};

static const char *name_at(const void *arg, unsigned i)
{
	(void)arg;
	return all_labs[i].name;
}

const struct lab *lab_find(const char *name)
{
	char all[200] = "";
	for (const struct lab *l = all_labs; l->name; l++) {
		if (!strcmp(l->name, name))
			return l;
		snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", *all ? ", " : "",
			 l->name);
	}
	const char *near = cli_nearest(name, name_at, NULL);
	if (near)
		cli_error("grade", "%s: no such lab; did you mean %s?", name, near);
	else
		cli_error("grade", "%s: no such lab; expected %s", name, all);
	return NULL;
}

char *teaching_file(const char *name)
{
	static const char *const places[] = {"../docs/teaching",
					     "../share/doc/heddle/docs/teaching"};
	for (unsigned i = 0; i < 2; i++) {
		char *path, *dir = suite_beside(places[i]);
		if (dir && asprintf(&path, "%s/%s", dir, name) >= 0) {
			free(dir);
			if (!access(path, R_OK))
				return path;
			free(path);
			continue;
		}
		free(dir);
	}
	return NULL;
}
