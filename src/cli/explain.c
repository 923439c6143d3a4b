/* heddle explain: draws the threads that an SM issued in a range of cycles. It runs the program
 * with a recording or reads a recorded run; diagram.c and lives.c draw. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/commands.h"
#include "cli/diagram.h"
#include "cli/lives.h"

enum { O_LIVES, O_SM, O_WARP, O_FROM, O_TO, O_LAUNCH, O_BESIDE, O_OUTPUT };
static const struct cli_option opts[] = {
	[O_LIVES] =
		{"--lives", "sm|BLOCK",
		 "draw from when to when each warp runs: all warps of the SM in their slots, or the "
		 "warps of one block (its number in the grid)"},
	[O_SM] = {"--sm", "N", "number of the SM (default: the first that gets a block)"},
	[O_WARP] = {"--warp", "N", "highlight the threads of this warp of the SM"},
	[O_FROM] =
		{"--from", "CYCLE",
		 "first cycle of the launch to draw (default: the SM's first issue; with --to, 0)"},
	[O_TO] = {"--to", "CYCLE",
		  "cycle before which the drawing ends (default: 96 cycles after the first)"},
	[O_LAUNCH] = {"--launch", "N", "number of the kernel launch to draw, from 0 (default 0)"},
	[O_BESIDE] =
		{"--beside", "SETTINGS",
		 "draw a second run with these settings below the first: key=value, separated by blanks"},
	[O_OUTPUT] = {"-o", "FILE.svg", "the picture (default explain.svg)"},
	{NULL},
};
static const struct cli_page page_explain = {
	.usage = "explain [OPTIONS] FILE.ptx|PROGRAM|STATS.json [ARGUMENTS] | workload NAME "
		 "[ARGUMENTS]",
	.text = "Runs a kernel or a program in timing mode and draws, for one SM and a range of "
		"cycles, which thread is in which lane of the SIMD pipeline in each cycle, and how "
		"long its instruction takes: lanes by cycles, coloured by warp, so that unused lanes "
		"are visible. Where threads moved, each warp is drawn before the move and the lanes "
		"after it. The groups that wait meanwhile are shown with their instruction. It works "
		"with every machine and mechanism.\n\n"
		"With --lives it draws when each warp starts and ends, over the whole launch, and how "
		"long its block waits for its last warp.\n\n"
		"ARGUMENTS are as for heddle run or heddle workload. A STATS.json is the file of an "
		"earlier run with --stats and --record. --beside draws two machines, one below the "
		"other, in one scale.",
	.opts = opts,
	.examples = "  $ heddle explain workload NQU --size test --config hws --from 2000 --to "
		    "2100 -o nqu.svg\n"
		    "  $ heddle explain k.ptx --grid 1 --block 64 --config hws --set sm.lanes=hws "
		    "-o k.svg\n",
};

#define ANY_SM UINT64_MAX

struct job {
	uint64_t sm, from, to, launch; /* sm: ANY_SM: the first that gets a block */
	bool given_from;
	int warp;
	bool lives;
	long block; /* lives: the block to draw; -1: all blocks */
	const char *output, *beside;
	bool help;
	char **rest; /* command to run: run or workload, with its words */
	int nrest;
};

static bool number(const char *name, const char *s, uint64_t max, uint64_t *out)
{
	if (cli_u64(s, out) && *out <= max)
		return true;
	cli_error("explain", "%s %s: expected a number from 0 to %llu", name, s,
		  (unsigned long long)max);
	return false;
}

/* Takes one of this command's own options, which may stand anywhere; other words belong to the
 * command that is run. */
static bool take_option(struct job *j, int o, const char *arg)
{
	uint64_t n = 0;
	switch (o) {
	case O_LIVES:
		j->lives = true;
		j->block = -1;
		if (!strcmp(arg, "sm"))
			return true;
		j->block = number("--lives", arg, INT32_MAX, &n) ? (long)n : -1;
		return j->block >= 0;
	case O_SM: return number("--sm", arg, 1023, &j->sm);
	case O_FROM: j->given_from = true; return number("--from", arg, UINT64_MAX / 2, &j->from);
	case O_TO: return number("--to", arg, UINT64_MAX / 2, &j->to);
	case O_LAUNCH: return number("--launch", arg, 1u << 30, &j->launch);
	case O_OUTPUT: j->output = arg; return true;
	case O_BESIDE: j->beside = arg; return true;
	default:
		if (!number("--warp", arg, 65535, &n))
			return false;
		j->warp = (int)n;
		return true;
	}
}

static bool read_options(struct job *j, int argc, char **argv)
{
	enum { MOST = 1024 };
	for (int i = 1; i < argc; i++) {
		int o = 0;
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			j->help = true;
			return true;
		}
		while (opts[o].name && strcmp(opts[o].name, argv[i]))
			o++;
		if (!opts[o].name) {
			j->rest[j->nrest++] = argv[i];
		} else if (++i == argc) {
			cli_error("explain", "%s needs %s", opts[o].name, opts[o].args);
			return false;
		} else if (!take_option(j, o, argv[i])) {
			return false;
		}
	}
	if (j->beside && j->nrest == 1 && strstr(j->rest[0], ".json")) {
		cli_error("explain", "--beside runs the program twice: name it in place of %s",
			  j->rest[0]);
		return false;
	}
	if (!j->nrest) {
		cli_error("explain",
			  "nothing to run is given: a PTX file, a program, or workload NAME");
		return false;
	}
	enum { USUAL = 96 };
	j->given_from |= j->to != 0;
	if (!j->to)
		j->to = j->from + USUAL;
	if (j->lives)
		return true;
	if (j->to <= j->from || j->to - j->from > MOST) {
		cli_error("explain",
			  "--from %llu --to %llu: expected at least one cycle, and at most %d to "
			  "draw",
			  (unsigned long long)j->from, (unsigned long long)j->to, MOST);
		return false;
	}
	return true;
}

/* True for a setting of a key that --beside sets too. */
static bool set_beside(const char *beside, const char *setting)
{
	size_t key = strcspn(setting, "=");
	for (const char *w = beside; *w; w += strcspn(w, " ")) {
		w += strspn(w, " ");
		if (strcspn(w, "= ") == key && !strncmp(w, setting, key))
			return true;
	}
	return false;
}

/* Runs heddle run|workload WORDS --mode timing --record ... --stats FILE */
static int run_recorded(const struct job *j, const char *stats, const char *beside)
{
	bool workload = !strcmp(j->rest[0], "workload");
	char *range, *more = strdup(beside), *save = NULL;
	char **argv = calloc((size_t)j->nrest + 16 + 2 * strlen(beside), sizeof *argv);
	int n = 0, st = 1;
	char sm[24] = "any", from[24] = "first";
	if (j->sm != ANY_SM)
		snprintf(sm, sizeof sm, "%llu", (unsigned long long)j->sm);
	if (j->given_from)
		snprintf(from, sizeof from, "%llu", (unsigned long long)j->from);
	if (!argv || asprintf(&range, "%s:%s:%llu:%llu", sm, from, (unsigned long long)j->to,
			      (unsigned long long)j->launch) < 0) {
		free(more);
		free(argv);
		return CLI_FAILED;
	}
	argv[n++] = "heddle";
	argv[n++] = workload ? "workload" : "run";
	/* the options for heddle stand before the program's own words */
	char *own[] = {"--mode", "timing", "--record", range, "--stats", (char *)stats, "--quiet"};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		argv[n++] = own[i];
	for (char *w = more ? strtok_r(more, " ", &save) : NULL; w;
	     w = strtok_r(NULL, " ", &save)) {
		argv[n++] = "--set";
		argv[n++] = w;
	}
	/* the last setting of a key counts, so the second machine's settings follow */
	for (int i = workload; i < j->nrest; i++) {
		char *word = j->rest[i];
		if (!strncmp(word, "--set=", 6) && set_beside(beside, word + 6))
			continue;
		if (i + 1 < j->nrest && !strcmp(word, "--set") &&
		    set_beside(beside, j->rest[i + 1]))
			i++;
		else
			argv[n++] = word;
	}
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		setenv("HEDDLE_SPEAKER", "explain", 1);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	free(range);
	free(more);
	free(argv);
	return pid > 0 && WIFEXITED(st) ? WEXITSTATUS(st) : CLI_FAILED;
}

/* Reports an empty range, with the SMs and cycles that have issues. */
static void complain_empty(const json_t *launch)
{
	const json_t *timing = json_object_get(launch, "timing"),
		     *issues = json_object_get(launch, "issues");
	char name[32], busy[64] = "none";
	for (unsigned i = 0, n = 0; n < 4 && i < 1024; i++) {
		snprintf(name, sizeof name, "sm.%u", i);
		if (!json_integer_value(json_object_get(json_object_get(timing, name), "blocks")))
			continue;
		size_t used = n ? strlen(busy) : 0;
		snprintf(busy + used, sizeof busy - used, "%s%u%s", n ? ", " : "", i,
			 n == 3 ? ", ..." : "");
		n++;
	}
	cli_error("explain",
		  "SM %lld issues nothing in these cycles; the launch has %lld cycles, and blocks "
		  "on SMs %s",
		  (long long)json_integer_value(json_object_get(issues, "sm")),
		  (long long)json_integer_value(json_object_get(launch, "cycles")), busy);
}

static bool has_warp(const json_t *launch, int warp)
{
	const json_t *list = json_object_get(json_object_get(launch, "issues"), "list"), *issue, *t;
	size_t i, k;
	json_array_foreach (list, i, issue)
		json_array_foreach (json_object_get(issue, "threads"), k, t)
			if (json_integer_value(json_array_get(t, 2)) == warp)
				return true;
	return !json_array_size(list); /* reported elsewhere */
}

/* Returns the recorded launch of a --stats file; NULL: an error, reported. */
static const json_t *recorded_launch(const struct job *j, const json_t *stats)
{
	const json_t *launch = NULL, *list = json_object_get(stats, "launches");
	for (size_t i = 0; !launch && i < json_array_size(list); i++)
		if (json_object_get(json_array_get(list, i), "issues"))
			launch = json_array_get(list, i);
	if (!launch)
		cli_error("explain", "%s",
			  json_array_size(list)
				  ? "nothing was recorded: the program has fewer launches, or ran "
				    "without --record"
				  : "no statistics of a launch");
	else if (j->warp >= 0 && !j->lives && !has_warp(launch, j->warp)) {
		cli_error("explain", "--warp %d: SM %d issues nothing of it in these cycles",
			  j->warp,
			  (int)json_integer_value(
				  json_object_get(json_object_get(launch, "issues"), "sm")));
		return NULL;
	}
	return launch;
}

static int draw_recorded(const struct job *j, json_t *const *stats, unsigned count)
{
	struct diagram d[2];
	for (unsigned i = 0; i < count; i++) {
		const char *machine = json_string_value(json_object_get(stats[i], "config"));
		const json_t *launch = recorded_launch(j, stats[i]);
		if (!launch)
			return CLI_FAILED;
		d[i] = (struct diagram){launch, machine ? machine : "the default machine", j->warp};
	}
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct lives l = {d[0].launch, d[0].machine, j->block};
	bool ok = f && (j->lives ? lives_draw(&l, f) : diagram_draw(d, count, f));
	if (f)
		fclose(f);
	if (!ok && j->lives && j->block >= 0)
		cli_error("explain", "--lives %ld: no warp of this block ends on SM %lld", j->block,
			  (long long)json_integer_value(
				  json_object_get(json_object_get(d[0].launch, "issues"), "sm")));
	else if (!ok)
		complain_empty(d[0].launch);
	if (!ok) {
		free(text);
		return CLI_FAILED;
	}
	struct cli_output o;
	ok = cli_output_write("explain", &o, j->output, text, n) &&
	     cli_output_commit("explain", &o);
	free(text);
	return ok ? CLI_OK : CLI_FAILED;
}

static bool is_stats(const char *word)
{
	const char *dot = strrchr(word, '.');
	return dot && !strcmp(dot, ".json");
}

/* Returns the statistics of a run with the settings of --beside, or of a file. NULL: *rc is the
 * exit status. */
static json_t *load_statistics(const struct job *j, const char *beside, int *rc)
{
	bool given = j->nrest == 1 && is_stats(j->rest[0]);
	char *temp = given ? NULL : cli_temp("explain", ".json");
	const char *path = given ? j->rest[0] : temp;
	*rc = given ? CLI_OK : !temp ? CLI_FAILED : run_recorded(j, path, beside);
	json_error_t e;
	json_t *stats = *rc ? NULL : json_load_file(path, 0, &e);
	if (!*rc && !stats) {
		cli_error("explain", "%s: %s", path, e.text);
		*rc = CLI_FAILED;
	}
	cli_temp_end(temp);
	return stats;
}

static int explain_run(const struct job *j)
{
	int rc;
	json_t *stats[2] = {load_statistics(j, "", &rc), NULL};
	if (!rc && j->beside)
		stats[1] = load_statistics(j, j->beside, &rc);
	if (!rc)
		rc = draw_recorded(j, stats, j->beside ? 2 : 1);
	json_decref(stats[0]);
	json_decref(stats[1]);
	return rc;
}

static int cmd_explain(int argc, char **argv)
{
	struct job j = {.warp = -1,
			.sm = ANY_SM,
			.output = "explain.svg",
			.rest = calloc((size_t)argc + 1, sizeof *j.rest)};
	int rc = !j.rest ? CLI_FAILED : !read_options(&j, argc, argv) ? CLI_USAGE : CLI_OK;
	if (rc == CLI_OK)
		rc = j.help ? cli_help(&command_explain) : explain_run(&j);
	free(j.rest);
	return rc;
}

const struct cli_command command_explain = {
	"explain",
	cmd_explain,
	"draw what an SM issues, lane by lane and cycle by cycle",
	&page_explain,
};
