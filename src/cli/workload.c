/* heddle workload: builds one program of the suite if it has changed, then runs it. built.c
 * builds. */
#include <stdlib.h>
#include <string.h>
#include "cli/built.h"
#include "cli/commands.h"

/* clang-format off */
enum { O_SIZE, O_SEED, O_CONFIG, O_SET, O_MODE, O_THREADS, O_CHECK, O_STATS, O_RECORD, O_QUIET, O_SERIES,
       O_SUMS, O_LAUNCHES, O_KERNELS, O_SKIP, O_WARM, O_ERROR, O_SAMPLE_SEED, O_SAVE, O_RESTORE, O_ACCESSES, O_EVERY, O_CODE, O_CUBINS, O_BUILD };
/* clang-format on */
static const struct cli_option opts[] = {
	[O_SIZE] =
		{"--size", "test|small|paper",
		 "input size: test takes about a second in functional mode, paper is the papers' size "
		 "(default small)"},
	[O_SEED] = {"--seed", "N", "another input of the same kind"},
	[O_CONFIG] = {"--config", "NAME", "the machine, as for heddle run"},
	[O_SET] = {"--set", "KEY=VALUE", "an option of the machine, as for heddle run"},
	[O_MODE] = {"--mode", "functional|timing|sampled", "as for heddle run"},
	[O_THREADS] = {"--threads", "N", "host threads; results do not depend on it"},
	[O_CHECK] = {"--check", "LIST",
		     "further checks, as for heddle run: race, init, scalar, warn, control-bits"},
	[O_STATS] = {"--stats", "FILE.json", "write the figures of all launches"},
	[O_RECORD] = {"--record", "SM:FROM:TO[:LAUNCH]", "as for heddle run"},
	[O_QUIET] = {"--quiet", NULL,
		     "print no progress and no summary, only what the program prints"},
	[O_SERIES] = {"--series", "N", "a time series in the figures, as for heddle run"},
	[O_SUMS] = {"--stats-sums", NULL, "as for heddle run"},
	[O_LAUNCHES] = {"--launches", "LIST", "time only these launches, as for heddle run"},
	[O_KERNELS] = {"--kernels", "LIST", "time only these kernels, as for heddle run"},
	[O_SKIP] = {"--skip", "N", "as for heddle run"},
	[O_WARM] = {"--warm", NULL, "as for heddle run"},
	[O_ERROR] = {"--error", "N%", "as for heddle run"},
	[O_SAMPLE_SEED] = {"--sample-seed", "N", "as --seed of heddle run"},
	[O_SAVE] = {"--save", "FILE", "write checkpoints, as for heddle run"},
	[O_RESTORE] = {"--restore", "FILE", "continue from checkpoints, as for heddle run"},
	[O_ACCESSES] = {"--accesses", NULL, "as for heddle run"},
	[O_EVERY] = {"--checkpoint-every", "N", "as for heddle run"},
	[O_CODE] = {"--code", "CODE",
		    "code that the program's PTX is compiled to, as for heddle run"},
	[O_CUBINS] = {"--cubins", "DIR", "machine code for its kernels, as for heddle run"},
	[O_BUILD] = {"--build", NULL, "only build the program, and print its path"},
	{NULL},
};
static const struct cli_page page_workload = {
	.usage = "workload NAME [--size test|small|paper] [OPTIONS]",
	.text = "Runs a program of the workload suite under heddle run. The program is compiled first "
		"if it is new or if anything that it is made from (its source, Heddle's CUDA headers, "
		"the compiler) has changed. Programs are kept beside the heddle command if that is in "
		"a build folder, else in $XDG_CACHE_HOME/heddle or ~/.cache/heddle ($HEDDLE_CACHE: "
		"elsewhere), a folder that may be deleted at any time. The program computes everything "
		"a second time on the host and prints PASS or FAIL; the exit status is 0 for PASS.\n\n"
		"`heddle workloads` lists the suite.",
	.opts = opts,
	.examples = "  $ heddle workload BFS --size test\n"
		    "  $ heddle workload MUM --size paper --threads 8 --stats mum.json\n",
};

struct job {
	struct suite suite;
	const struct workload_row *row;
	const char *name, *size, *seed;
	bool build_only, help;
	char **pass; /* options for heddle run */
	int npass;
	char *program;
};

/* ---- run ---- */

/* Runs heddle run OPTIONS PROGRAM --size S [--seed N] [the row's own options]. */
static int run_program(const struct job *j)
{
	char *own = strdup(j->row->options), *save, **argv;
	if (!own || !(argv = calloc((size_t)j->npass + strlen(own) + 8, sizeof *argv))) {
		free(own);
		return CLI_FAILED;
	}
	int n = 0;
	argv[n++] = "run";
	for (int i = 0; i < j->npass; i++)
		argv[n++] = j->pass[i];
	argv[n++] = j->program;
	argv[n++] = "--size";
	argv[n++] = (char *)j->size;
	if (j->seed) {
		argv[n++] = "--seed";
		argv[n++] = (char *)j->seed;
	}
	for (char *w = strtok_r(own, " ", &save); w; w = strtok_r(NULL, " ", &save))
		argv[n++] = w;
	fflush(NULL);
	int rc = command_run.run(n, argv);
	free(argv);
	free(own);
	return rc;
}

static bool read_options(struct job *j, int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_workload, argc, argv);
	j->size = "small";
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		switch (o) {
		case CLI_BAD: return false;
		case CLI_HELP: j->help = true; return true;
		case O_SIZE: j->size = w.arg[0]; break;
		case O_SEED: j->seed = w.arg[0]; break;
		case O_BUILD: j->build_only = true; break;
		case CLI_WORD:
			if (j->name) {
				cli_error("workload", "%s: one workload at a time", w.arg[0]);
				return false;
			}
			j->name = w.arg[0];
			break;
		default:
			j->pass[j->npass++] = o == O_SAMPLE_SEED ? "--seed" : (char *)opts[o].name;
			if (opts[o].args)
				j->pass[j->npass++] = w.arg[0];
		}
	}
	if (!j->name)
		cli_error("workload", "a name is missing; `heddle workloads` lists them");
	return j->name && suite_size_ok("workload", j->size);
}

static int run_workload(struct job *j, int argc, char **argv)
{
	if (!read_options(j, argc, argv))
		return CLI_USAGE;
	if (j->help)
		return cli_help(&command_workload);
	if (!suite_read(&j->suite, "workload"))
		return CLI_FAILED;
	j->row = suite_find(&j->suite, "workload", j->name);
	if (!j->row)
		return CLI_USAGE;
	j->program = built_program(&j->suite, j->row);
	if (!j->program)
		return CLI_FAILED;
	if (j->build_only) {
		puts(j->program);
		return CLI_OK;
	}
	return run_program(j);
}

static int cmd_workload(int argc, char **argv)
{
	struct job j = {.pass = calloc(2 * (size_t)argc + 1, sizeof *j.pass)};
	int rc = j.pass ? run_workload(&j, argc, argv) : CLI_FAILED;
	suite_free(&j.suite);
	free(j.program);
	free(j.pass);
	return rc;
}

const struct cli_command command_workload = {
	"workload",
	cmd_workload,
	"build and run a program of the workload suite",
	&page_workload,
};
