/* heddle profile: runs a program, or reads a run's statistics, and prints metrics and sections as Nsight Compute
 * does; see profile.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/commands.h"
#include "cli/profile/profile.h"
#include "cli/run.h"

enum { O_PAGE, O_SECTION, O_KERNEL, O_CSV, O_JSON, O_HTML, O_OUTPUT, O_IMPORT };
static const struct cli_option opts[] = {
	[O_PAGE] = {"--page", "PAGE",
		    "details (sections, the default) or raw (all metrics by name)"},
	[O_SECTION] =
		{"--section", "LIST",
		 "only these sections, by identifier, separated by commas: SpeedOfLight, ComputeWorkloadAnalysis, "
		 "MemoryWorkloadAnalysis, SchedulerStats, WarpStateStats, InstructionStats, LaunchStats, Occupancy, "
		 "SourceCounters, Energy"},
	[O_KERNEL] = {"--kernel-name", "TEXT",
		      "only launches of kernels with this text in their name"},
	[O_CSV] = {"--csv", NULL, "write CSV: a row per launch and metric"},
	[O_JSON] = {"--json", NULL, "write JSON: an object per launch, metrics by name"},
	[O_HTML] =
		{"--html", NULL,
		 "write a page for a browser: bars of the speed of light and of stalls, all sections, hot lines"},
	[O_OUTPUT] = {"--output", "FILE", "write there instead of to standard output"},
	[O_IMPORT] =
		{"--import", "FILE",
		 "also show a report of the hardware: the output of ncu --csv with --page raw or --page "
		 "details. Launches are matched by kernel and order"},
	{NULL},
};
static const struct cli_page page_profile = {
	.usage = "profile [OPTIONS] STATS.json\n"
		 "profile [OPTIONS] [--] RUN-ARGUMENTS...",
	.text = "Prints a kernel's sections and metrics by Nsight Compute's names (n/a for metrics "
		"that the simulated machine does not have), then the two numbers of the roofline and "
		"the instructions at which warps spent their time. docs/use/profile.md says what each "
		"metric counts.\n\n"
		"Input is the file of a run in timing mode (heddle run --config ... --stats "
		"STATS.json), or the arguments of heddle run, which is then run first.\n\n"
		"With --import, values of a report from a real GPU are printed beside the simulated "
		"ones, with ratios and the likely cause of a difference in cycles: other code, other "
		"memory traffic, other occupancy, or the stall that differs most.",
	.opts = opts,
	.examples = "  $ heddle profile --config h200-sm90 ./app\n"
		    "  $ ncu --csv --page raw ./app >gpu.csv\n"
		    "  $ heddle profile --import gpu.csv --config h200-sm90 ./app\n",
};

struct profile_job {
	struct profile_view view;
	const char *output, *report;
	char **rest; /* a file of statistics, or the arguments of heddle run */
	int nrest;
};

static bool read_page(struct profile_job *j, const char *page)
{
	j->view.raw = !strcmp(page, "raw");
	if (j->view.raw || !strcmp(page, "details"))
		return true;
	cli_error("profile", "--page %s: expected details or raw", page);
	return false;
}

/* True if all words of the list are identifiers of sections. */
static bool check_sections(const char *list)
{
	char *copy = strdup(list), *save, *word;
	bool ok = copy != NULL;
	for (word = ok ? strtok_r(copy, ",", &save) : NULL; word && ok;
	     word = strtok_r(NULL, ",", &save)) {
		ok = false;
		for (unsigned i = 0; i < section_count() && !ok; i++)
			ok = !strcmp(section_at(i)->identifier, word);
		if (!ok)
			cli_error(
				"profile",
				"--section %s: unknown section; `heddle help profile` lists the sections",
				word);
	}
	free(copy);
	return ok;
}

/* Returns the number of arguments that a heddle run option takes on the command line, itself
 * included; 0: not such an option. */
static int run_option_words(const char *word)
{
	size_t n = strcspn(word, "=");
	for (const struct cli_option *o = page_run.opts; o->name; o++) {
		int words = 1;
		if (strlen(o->name) != n || strncmp(o->name, word, n))
			continue;
		for (const char *at = o->args; at && !word[n]; at = strchr(at + 1, ' '))
			words++;
		return words;
	}
	return 0;
}

/* Takes the options of this command, which may stand among those of heddle run; the first other word begins a file's
 * name or a program and its arguments. The words for heddle run move to the front of argv. */
static int read_options(struct profile_job *j, int argc, char **argv)
{
	j->rest = argv + 1;
	for (int i = 1; i < argc; i++) {
		int o = -1;
		for (int k = 0; opts[k].name; k++)
			if (!strcmp(argv[i], opts[k].name))
				o = k;
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			return CLI_HELP;
		if (o < 0) {
			bool end = !strcmp(argv[i], "--");
			int words = end ? 0 : run_option_words(argv[i]);
			int last = words ? i + words : argc;
			for (i += end; i < last && i < argc; i++)
				j->rest[j->nrest++] = argv[i];
			i--;
			continue;
		}
		if (opts[o].args && ++i == argc) {
			cli_error("profile", "%s needs %s", opts[o].name, opts[o].args);
			return CLI_BAD;
		}
		switch (o) {
		case O_PAGE:
			if (!read_page(j, argv[i]))
				return CLI_BAD;
			break;
		case O_SECTION:
			j->view.sections = argv[i];
			if (!check_sections(argv[i]))
				return CLI_BAD;
			break;
		case O_KERNEL: j->view.kernels = argv[i]; break;
		case O_CSV: j->view.format = PROFILE_CSV; break;
		case O_JSON: j->view.format = PROFILE_JSON; break;
		case O_HTML: j->view.format = PROFILE_HTML; break;
		case O_OUTPUT: j->output = argv[i]; break;
		case O_IMPORT: j->report = argv[i]; break;
		}
	}
	if (j->nrest)
		return CLI_END;
	cli_error("profile",
		  "a file of statistics or a program is missing; `heddle help profile` shows how");
	return CLI_BAD;
}

/* Runs heddle run --stats FILE with the given arguments; returns its exit status. */
static int run_program(const struct profile_job *j, const char *stats)
{
	char **argv = calloc((size_t)j->nrest + 5, sizeof *argv);
	int n = 0, status = 0;
	if (!argv)
		return CLI_FAILED;
	argv[n++] = (char *)"heddle";
	argv[n++] = (char *)"run";
	argv[n++] = (char *)"--stats";
	argv[n++] = (char *)stats;
	memcpy(argv + n, j->rest, (size_t)j->nrest * sizeof *argv);
	pid_t pid = fork();
	if (!pid) {
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	bool waited = pid > 0 && waitpid(pid, &status, 0) == pid;
	free(argv);
	return waited && WIFEXITED(status) ? WEXITSTATUS(status) : CLI_FAILED;
}

static json_t *load_statistics(const struct profile_job *j, int *rc)
{
	const char *dot = strrchr(j->rest[0], '.');
	bool given = j->nrest == 1 && dot && !strcmp(dot, ".json");
	char *temp = given ? NULL : cli_temp("profile", ".json");
	const char *path = given ? j->rest[0] : temp;
	json_error_t e;
	*rc = given ? CLI_OK : temp ? run_program(j, temp) : CLI_FAILED;
	json_t *stats = *rc ? NULL : json_load_file(path, 0, &e);
	if (!*rc && (!stats || !json_object_get(stats, "launches"))) {
		cli_error("profile", "%s: %s", path,
			  stats ? "no \"launches\"; expected the statistics of a run" : e.text);
		json_decref(stats);
		stats = NULL;
		*rc = CLI_FAILED;
	}
	cli_temp_end(temp);
	return stats;
}

static int print_profile(const struct profile_job *j, const json_t *stats)
{
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	bool ok = f && (j->view.format == PROFILE_HTML ? profile_page : profile_print)(&j->view,
										       stats, f);
	struct cli_output o;
	if (f)
		fclose(f);
	if (ok && j->output)
		ok = cli_output_write("profile", &o, j->output, text, n) &&
		     cli_output_commit("profile", &o);
	else if (ok)
		ok = fwrite(text, 1, n, stdout) == n && !fflush(stdout);
	free(text);
	return ok ? CLI_OK : CLI_FAILED;
}

static int cmd_profile(int argc, char **argv)
{
	struct profile_job j = {0};
	struct imported report = {0};
	int o = read_options(&j, argc, argv), rc = CLI_FAILED;
	if (o != CLI_END)
		return o == CLI_HELP ? cli_help(&command_profile) : CLI_USAGE;
	if ((j.output && !cli_output_try("profile", j.output)) ||
	    (j.report && !report_read(j.report, &report)))
		return CLI_FAILED;
	j.view.beside = j.report ? &report : NULL;
	json_t *stats = load_statistics(&j, &rc);
	if (stats)
		rc = print_profile(&j, stats);
	json_decref(stats);
	report_free(&report);
	return rc;
}

const struct cli_command command_profile = {
	"profile",
	cmd_profile,
	"a run's figures by Nsight Compute's metrics and sections",
	&page_profile,
};
