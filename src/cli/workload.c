/* heddle workload: builds one program of the suite when it has changed, then runs it. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/cli.h"
#include "cli/suite.h"

enum { O_SIZE, O_SEED, O_CONFIG, O_SET, O_MODE, O_THREADS, O_CHECK, O_STATS, O_QUIET, O_BUILD };
static const struct cli_option opts[] = {
	[O_SIZE] = {"--size", "test|small|paper", "how much to compute: test takes about a second in "
	            "functional mode, paper is what the papers ran (default small)"},
	[O_SEED] = {"--seed", "N", "another input of the same kind"},
	[O_CONFIG] = {"--config", "NAME", "the machine, as for heddle run"},
	[O_SET] = {"--set", "KEY=VALUE", "an option of the machine, as for heddle run"},
	[O_MODE] = {"--mode", "functional|timing", "as for heddle run"},
	[O_THREADS] = {"--threads", "N", "host threads; results do not depend on it"},
	[O_CHECK] = {"--check", "LIST", "further checks, as for heddle run: race, init"},
	[O_STATS] = {"--stats", "FILE.json", "write the figures of all launches"},
	[O_QUIET] = {"--quiet", NULL, "print no progress and no summary, only what the program prints"},
	[O_BUILD] = {"--build", NULL, "only build it, and print where the program is"},
	{NULL},
};
const struct cli_page page_workload = {
	.usage = "workload NAME [--size test|small|paper] [OPTIONS]",
	.text = "Runs a program of the workload suite under heddle run. It is compiled first if it has "
	        "not been yet or its source has changed; programs are kept beside the heddle command if "
	        "that is a build folder, else in $XDG_CACHE_HOME/heddle or ~/.cache/heddle "
	        "($HEDDLE_CACHE: elsewhere). The program computes everything a second time on the host "
	        "and prints PASS or FAIL; the exit status is 0 for PASS.\n\n"
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
	char **pass;               /* options for heddle run */
	int npass;
	char *source, *program;
};

/* ---- where programs are kept ---- */

static bool make_dirs(char *path)
{
	for (char *s = path + 1;; s++) {
		if (*s && *s != '/')
			continue;
		char was = *s;
		*s = 0;
		int rc = mkdir(path, 0777);
		*s = was;
		if (rc && errno != EEXIST && (errno != EACCES && errno != EROFS))
			return false;
		if (!was)
			return access(path, W_OK) == 0;
	}
}

static char *cache_dir(void)
{
	const char *env = getenv("HEDDLE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char *dir = NULL, *makefile = suite_beside("../Makefile");
	bool tree = makefile && !access(makefile, R_OK);
	free(makefile);
	if (env && *env)
		return asprintf(&dir, "%s/workloads", env) < 0 ? NULL : dir;
	if (tree) {
		dir = suite_beside("workloads");
		if (dir && make_dirs(dir))
			return dir;
		free(dir);
	}
	if (xdg && *xdg)
		return asprintf(&dir, "%s/heddle/workloads", xdg) < 0 ? NULL : dir;
	return asprintf(&dir, "%s/.cache/heddle/workloads", home && *home ? home : ".") < 0 ? NULL : dir;
}

/* ---- build ---- */

static bool newer(const char *a, const struct stat *b)
{
	struct stat st;
	if (stat(a, &st))
		return false;
	return st.st_mtim.tv_sec > b->st_mtim.tv_sec ||
	       (st.st_mtim.tv_sec == b->st_mtim.tv_sec && st.st_mtim.tv_nsec > b->st_mtim.tv_nsec);
}

/* Whether any source in a folder is newer. */
static bool folder_newer(const char *path, const struct stat *b)
{
	DIR *d = opendir(path);
	bool found = false;
	for (struct dirent *e; d && !found && (e = readdir(d));) {
		const char *dot = strrchr(e->d_name, '.');
		char *file;
		if (!dot || (strcmp(dot, ".h") && strcmp(dot, ".cu")) || asprintf(&file, "%s/%s", path, e->d_name) < 0)
			continue;
		found = newer(file, b);
		free(file);
	}
	if (d)
		closedir(d);
	return found;
}

/* A program is old when a file of its folder, a shared header or the compiler driver is newer. */
static bool up_to_date(const struct job *j)
{
	struct stat st;
	char *own = NULL, *common = NULL;
	bool old = stat(j->program, &st) || newer("/proc/self/exe", &st) ||
	           asprintf(&own, "%.*s", (int)(strrchr(j->source, '/') - j->source), j->source) < 0 ||
	           asprintf(&common, "%s/common", j->suite.dir) < 0 || folder_newer(own, &st) ||
	           folder_newer(common, &st);
	free(own);
	free(common);
	return !old;
}

/* Runs this very command with other arguments and waits. */
static int run_self(char **argv)
{
	pid_t pid = fork();
	if (!pid) {
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	int st;
	while (pid > 0 && waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(st) ? WEXITSTATUS(st) : 1;
}

/* Compiled under a temporary name, so that two builds at once do no harm. */
static bool build(struct job *j)
{
	char *temp;
	if (asprintf(&temp, "%s.%ld", j->program, (long)getpid()) < 0)
		return false;
	fprintf(stderr, "heddle workload: compiling %s\n", j->row->source);
	/* Short pointers: a kernel's registers, and so how many blocks an SM holds, are then close to
	 * what the papers' compilers gave. */
	bool ok = !run_self((char *[]){"heddle", "cc", "-O3", "--short-pointers", "-o", temp, j->source,
	                               NULL});
	if (!ok)
		cli_error("workload", "%s does not compile", j->source);
	else if (rename(temp, j->program)) {
		cli_error("workload", "%s: %s", j->program, strerror(errno));
		ok = false;
	}
	unlink(temp);
	free(temp);
	return ok;
}

static bool locate(struct job *j)
{
	char *dir = cache_dir();
	const char *slash = strrchr(j->row->source, '/'), *base = slash ? slash + 1 : j->row->source;
	bool ok = dir && asprintf(&j->source, "%s/%s", j->suite.dir, j->row->source) > 0 &&
	          asprintf(&j->program, "%s/%.*s", dir, (int)strcspn(base, "."), base) > 0;
	if (ok && !make_dirs(dir)) {
		cli_error("workload", "%s: %s", dir, strerror(errno));
		ok = false;
	}
	free(dir);
	return ok;
}

/* ---- run ---- */

/* heddle run OPTIONS PROGRAM --size S [--seed N] [the row's own options] */
static int run(const struct job *j)
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
	int rc = cmd_run(n, argv);
	free(argv);
	free(own);
	return rc;
}

static bool parse(struct job *j, int argc, char **argv)
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
			j->pass[j->npass++] = (char *)opts[o].name;
			if (opts[o].args)
				j->pass[j->npass++] = w.arg[0];
		}
	}
	if (!j->name)
		cli_error("workload", "a name is missing; `heddle workloads` lists them");
	if (strcmp(j->size, "test") && strcmp(j->size, "small") && strcmp(j->size, "paper")) {
		cli_error("workload", "--size %s: expected test, small or paper", j->size);
		return false;
	}
	return j->name != NULL;
}

static int work(struct job *j, int argc, char **argv)
{
	if (!parse(j, argc, argv))
		return CLI_USAGE;
	if (j->help)
		return cmd_help(2, (char *[]){"help", "workload", NULL});
	if (!suite_read(&j->suite, "workload"))
		return CLI_FAILED;
	j->row = suite_find(&j->suite, "workload", j->name);
	if (!j->row)
		return CLI_USAGE;
	if (!locate(j) || (!up_to_date(j) && !build(j)))
		return CLI_FAILED;
	if (j->build_only) {
		puts(j->program);
		return CLI_OK;
	}
	return run(j);
}

int cmd_workload(int argc, char **argv)
{
	struct job j = {.pass = calloc(2 * (size_t)argc + 1, sizeof *j.pass)};
	int rc = j.pass ? work(&j, argc, argv) : CLI_FAILED;
	suite_free(&j.suite);
	free(j.source);
	free(j.program);
	free(j.pass);
	return rc;
}
