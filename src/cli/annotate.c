/* heddle annotate: prints the program's text with the cost of each line, from the statistics of a
 * run. command/lines.c sums the costs. */
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/commands.h"
#include "command/lines.h"
#include "heddle.h"

enum { O_KERNEL, O_BY, O_ENERGY, O_JSON, O_SCALAR };
static const struct cli_option opts[] = {
	[O_KERNEL] = {"--kernel", "NAME", "only this kernel"},
	[O_BY] =
		{"--by", "TEXT",
		 "ptx: lines of the PTX text; source: lines of the CUDA source, where the PTX names them "
		 "(.loc); the default is source where it is known"},
	[O_ENERGY] =
		{"--energy", NULL,
		 "also print energy: J of the line's events, pJ of one of its thread instructions and, "
		 "separately, its share of the energy that depends on time, by issue slots"},
	[O_JSON] = {"--json", NULL,
		    "print JSON instead of text; the output of a new run goes to standard error"},
	[O_SCALAR] =
		{"--scalar", "all|convergent",
		 "with a PTX file: print which instructions a warp may execute once, and why not the "
		 "others; convergent: none under a branch that may diverge"},
	{NULL},
};
static const struct cli_page page_annotate = {
	.usage =
		"annotate [--kernel NAME] [--by ptx|source] [--energy] [--json] STATS.json | run ARGS...\n"
		"annotate --scalar all|convergent [--kernel NAME] FILE.ptx",
	.text = "Prints a kernel's text with figures of each line. They come from STATS.json, which "
		"`heddle run --stats` wrote, or from a new run, with the options and "
		"arguments of `heddle run`.\n\n"
		"The columns are: warp instructions and their share of the kernel's; SIMD, the "
		"fraction of the lanes that executed them; lost, the lanes' slots left empty at this "
		"line (because lanes took another path or predicates were false) as a fraction of all "
		"slots of the kernel, which is the cost of divergence here; divergent branches. In "
		"timing mode there are also the cycles in which warps waited to issue the line, as a "
		"fraction of all such cycles; the most frequent reason (named like the issue slots of "
		"docs/reference/statistics.md; ready: other warps were issued); and the memory "
		"transactions. Expensive accesses are explained below their line: sectors of 32 bytes "
		"per request and the distance between lanes, bank conflicts, local memory.\n\n"
		"With --json a new run prints on standard error, so that standard output "
		"is JSON alone.",
	.opts = opts,
	.examples =
		"  $ heddle annotate --by source run ./zoom 256 192 zoom.pgm\n"
		"  $ heddle run --config gtx480 --stats s.json k.ptx --grid 64 --block 256 --out 65536 c.bin\n"
		"  $ heddle annotate s.json\n"
		"  $ heddle annotate --scalar all k.ptx\n",
};

/* ---- text ---- */

static double share_of(uint64_t a, uint64_t of) { return of ? (double)a / (double)of : 0; }

static void print_head(const struct view *v)
{
	uint64_t n = json_number(v->kernel, "launches"), most;
	printf("%s: %" PRIu64 " launch%s, %" PRIu64
	       " warp instructions, SIMD efficiency %.1f %%, %.1f %% of the lanes' slots lost\n",
	       json_string_value(json_object_get(v->kernel, "kernel")), n, n == 1 ? "" : "es",
	       v->sum.issued, 100 * line_efficiency(v, &v->sum), 100 * line_lost(v, &v->sum));
	if (v->energy)
		printf("  %.4g J by events, %.4g J with time%s\n", v->sum.joule, v->sum.joule_time,
		       v->timed || v->sum.joule_time > 0
			       ? ""
			       : " (functional mode: events of SMs only)");
	if (v->timed) {
		const char *cause = line_cause(&v->sum, &most);
		printf("  %" PRIu64 " cycles of warps waiting, %.0f %% of them: %s; %" PRIu64
		       " memory transactions\n",
		       v->sum.stall, 100 * share_of(most, v->sum.stall), cause,
		       v->sum.transactions);
	}
	printf("%12s %6s %6s %6s %10s", "instructions", "%", "SIMD", "lost", "divergent");
	if (v->timed)
		printf(" %6s %-18s %10s", "wait", "most of it", "transact.");
	if (v->energy)
		printf(" %10s %9s %10s", "J, events", "pJ/thread", "J, time");
	putchar('\n');
}

/* Returns the columns to the left of the text. */
static int left_width(const struct view *v) { return (v->timed ? 81 : 44) + (v->energy ? 32 : 0); }

static void print_line(const struct view *v, const struct line *l, uint64_t no, const char *text)
{
	if (!l) {
		printf("%*s | %5" PRIu64 " %s\n", left_width(v), "", no, text);
		return;
	}
	printf("%12" PRIu64 " %6.1f %6.1f %6.1f ", l->issued,
	       100 * share_of(l->issued, v->sum.issued), 100 * line_efficiency(v, l),
	       100 * line_lost(v, l));
	if (l->divergent)
		printf("%10" PRIu64, l->divergent);
	else
		printf("%10s", "");
	if (v->timed) {
		char cause[32] = "", trans[24] = "";
		uint64_t most;
		const char *name = line_cause(l, &most);
		if (most)
			snprintf(cause, sizeof cause, "%s %.0f%%", name,
				 100 * share_of(most, l->stall));
		if (l->transactions)
			snprintf(trans, sizeof trans, "%" PRIu64, l->transactions);
		printf(" %6.1f %-18s %10s", 100 * share_of(l->stall, v->sum.stall), cause, trans);
	}
	if (v->energy)
		printf(" %10.4g %9.4g %10.4g", l->joule,
		       l->lanes ? 1e12 * l->joule / (double)l->lanes : 0, l->joule_time);
	if (l->number)
		printf(" | %5" PRIu64 " %s\n", l->number, text ? text : "");
	else
		printf(" | %s%s\n", l->text ? l->text : "", l->text ? "" : "(no line known)");
	char remark[200];
	line_remark(l, remark, sizeof remark);
	if (*remark)
		printf("%*s | ----- %s\n", left_width(v), "", remark);
}

static void print_file_lines(const struct view *v, size_t from, size_t to)
{
	enum { GAP = 4 };
	char *text;
	size_t count = 0;
	char **line = lines_read(v->line[from].file, v->line[from].file_len, &text, &count);
	printf("%.*s%s\n", (int)v->line[from].file_len, v->line[from].file,
	       line || !v->line[from].number ? "" : " (no such file here)");
	for (size_t i = from; i < to; i++) {
		const struct line *l = &v->line[i];
		uint64_t before = i > from ? v->line[i - 1].number + 1 : l->number;
		if (line && l->number > before + GAP)
			printf("%*s | ...\n", left_width(v), "");
		else
			for (uint64_t k = before; line && k < l->number && k <= count; k++)
				print_line(v, NULL, k, line[k - 1]);
		print_line(v, l, l->number,
			   line && l->number && l->number <= count ? line[l->number - 1] : "");
	}
	free(line);
	free(text);
}

static void print_listing(const struct view *v, const json_t *listing)
{
	const char *file = json_string_value(json_object_get(listing, "file"));
	uint64_t first = json_number(listing, "first");
	size_t i;
	json_t *text;
	printf("%s\n", file ? file : "");
	json_array_foreach (json_object_get(listing, "lines"), i, text)
		print_line(v, lines_find(v, file ? file : "", first + i), first + i,
			   json_string_value(text));
}

static void print_text(const struct view *v)
{
	const json_t *texts = json_object_get(v->kernel, "listing");
	size_t i;
	json_t *l;
	print_head(v);
	if (!v->by_source && json_array_size(texts)) {
		json_array_foreach (texts, i, l)
			print_listing(v, l);
		return;
	}
	for (size_t from = 0, to; from < v->n; from = to) {
		for (to = from + 1;
		     to < v->n && v->line[to].file_len == v->line[from].file_len &&
		     !memcmp(v->line[to].file, v->line[from].file, v->line[from].file_len);)
			to++;
		print_file_lines(v, from, to);
	}
}

/* ---- JSON ---- */

static json_t *view_json(const struct view *v)
{
	json_t *lines = json_array();
	for (size_t i = 0; i < v->n; i++) {
		const struct line *l = &v->line[i];
		json_t *o = json_pack("{s:s%, s:I, s:I, s:I, s:f, s:f, s:I}", "file", l->file,
				      l->file_len, "line", (json_int_t)l->number, "issued",
				      (json_int_t)l->issued, "lanes", (json_int_t)l->lanes,
				      "simd_efficiency", line_efficiency(v, l), "lost",
				      line_lost(v, l), "divergent", (json_int_t)l->divergent);
		if (!l->number && l->text)
			json_object_update_new(o, json_pack("{s:I, s:s}", "pc", (json_int_t)l->pc,
							    "text", l->text));
		if (v->timed)
			json_object_update_new(o, json_pack("{s:I, s:I, s:O}", "transactions",
							    (json_int_t)l->transactions,
							    "stall_cycles", (json_int_t)l->stall,
							    "stalls", l->stalls));
		if (l->requests)
			json_object_update_new(o,
					       json_pack("{s:I, s:I, s:I, s:f}", "requests",
							 (json_int_t)l->requests, "sectors",
							 (json_int_t)l->sectors, "local_requests",
							 (json_int_t)l->local, "lane_bytes",
							 l->apart / (double)l->requests));
		if (l->conflicts)
			json_object_set_new(o, "conflict_cycles",
					    json_integer((json_int_t)l->conflicts));
		if (v->energy)
			json_object_update_new(o, json_pack("{s:f, s:f}", "joule", l->joule,
							    "joule_time", l->joule_time));
		json_array_append_new(lines, o);
	}
	return json_pack("{s:O, s:O, s:I, s:I, s:f, s:f, s:o}", "kernel",
			 json_object_get(v->kernel, "kernel"), "launches",
			 json_object_get(v->kernel, "launches"), "issued",
			 (json_int_t)v->sum.issued, "lanes", (json_int_t)v->sum.lanes,
			 "simd_efficiency", line_efficiency(v, &v->sum), "lost",
			 line_lost(v, &v->sum), "lines", lines);
}

/* ---- the command ---- */

struct annotate {
	const char *kernel, *by, *stats, *scalar;
	bool json, help, energy;
	char **run; /* arguments of a run; NULL: none */
};

static bool read_options(struct annotate *a, int argc, char **argv)
{
	struct cli_walk w;
	cli_walk_start(&w, &page_annotate, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		switch (o) {
		case CLI_HELP: a->help = true; return true;
		case CLI_BAD: return false;
		case O_KERNEL: a->kernel = w.arg[0]; break;
		case O_BY:
			a->by = w.arg[0];
			if (strcmp(a->by, "ptx") && strcmp(a->by, "source")) {
				cli_error("annotate", "--by %s: expected ptx or source", a->by);
				return false;
			}
			break;
		case O_ENERGY: a->energy = true; break;
		case O_JSON: a->json = true; break;
		case O_SCALAR:
			a->scalar = w.arg[0];
			if (strcmp(a->scalar, "all") && strcmp(a->scalar, "convergent")) {
				cli_error("annotate", "--scalar %s: expected all or convergent",
					  a->scalar);
				return false;
			}
			break;
		default:
			if (!a->stats && !a->scalar && !strcmp(w.arg[0], "run")) {
				a->run = argv + w.next;
				return true;
			}
			if (a->stats) {
				cli_error("annotate", "%s: one file of statistics at a time",
					  w.arg[0]);
				return false;
			}
			a->stats = w.arg[0];
		}
	}
	if (!a->stats)
		cli_error("annotate", a->scalar ? "expected a PTX file"
						: "expected a file of statistics, or run and its "
						  "arguments");
	return a->stats != NULL;
}

/* Runs `heddle run --stats FILE ...` as a separate process, whose output goes to standard error if
 * `aside` is set. The measurements are used even if the run fails. */
static bool run_first(char **args, const char *file, bool aside, int *status)
{
	size_t n = 0;
	while (args[n])
		n++;
	char **argv = calloc(n + 6, sizeof *argv);
	if (!argv)
		return false;
	argv[0] = "heddle";
	argv[1] = "run";
	argv[2] = "--stats";
	argv[3] = (char *)file;
	memcpy(argv + 4, args, n * sizeof *argv);
	void (*old)(int) = signal(SIGINT, SIG_IGN);
	fflush(stdout);
	pid_t pid = fork();
	if (!pid) {
		signal(SIGINT, old);
		if (aside)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	*status = 0;
	bool ok = pid > 0;
	while (ok && waitpid(pid, status, 0) < 0)
		ok = errno == EINTR;
	signal(SIGINT, old);
	free(argv);
	return ok;
}

static int annotate(const struct annotate *a, const char *path)
{
	json_error_t err = {.line = -1};
	size_t i, n, shown = 0;
	char *text = cli_read("annotate", path, &n);
	if (!text)
		return CLI_FAILED;
	json_t *top = json_loadb(text, n, 0, &err), *kernel;
	json_t *profile = json_object_get(top, "profile"), *out = json_array();
	free(text);
	if (!top)
		cli_error("annotate", "%s:%d: %s: expected what `heddle run --stats` writes", path,
			  err.line, err.text);
	else if (!json_is_array(profile))
		cli_error("annotate",
			  "%s has no profile: expected what `heddle run --stats` writes", path);
	json_array_foreach (profile, i, kernel) {
		const char *name = json_string_value(json_object_get(kernel, "kernel"));
		struct view v = {.kernel = kernel,
				 .warp = (double)json_number(top, "warp_size"),
				 .energy = a->energy};
		if (!name || (a->kernel && strcmp(name, a->kernel)))
			continue;
		v.by_source = a->by ? !strcmp(a->by, "source") : lines_have_source(kernel);
		if (lines_gather(&v) && a->json)
			json_array_append_new(out, view_json(&v));
		else if (v.line)
			print_text(&v);
		if (!a->json && i + 1 < json_array_size(profile) && !a->kernel)
			putchar('\n');
		lines_free(&v);
		shown++;
	}
	if (json_is_array(profile) && !shown)
		cli_error("annotate",
			  a->kernel ? "%s: no kernel %s was launched"
				    : "%s: no kernel was launched",
			  path, a->kernel);
	if (shown && a->json && !json_dumpf(out, stdout, JSON_INDENT(1)))
		putchar('\n');
	json_decref(out);
	json_decref(top);
	return shown ? CLI_OK : CLI_FAILED;
}

/* Prints the classes of the instructions of a file's kernels. */
static int print_classes(const struct annotate *a)
{
	size_t size;
	struct heddle *h = NULL;
	struct heddle_module *m;
	int rc = CLI_FAILED;
	char *data = cli_read("annotate", a->stats, &size), *text;
	if (!data)
		return CLI_FAILED;
	if (heddle_open(&h, &(struct heddle_options){0})) {
		cli_error("annotate", "%s", h ? heddle_message(h) : "out of memory");
	} else if (heddle_load(h, &(struct heddle_text){a->stats, data, size}, 1, &m)) {
		cli_print(stderr, heddle_message(h));
		fputc('\n', stderr);
	} else {
		for (unsigned i = 0; i < heddle_kernel_count(m); i++) {
			struct heddle_kernel *k = heddle_kernel_at(m, i);
			struct heddle_kernel_info info;
			heddle_kernel_info(k, &info);
			if (a->kernel && strcmp(a->kernel, info.name))
				continue;
			text = heddle_scalar_text(k, a->scalar[0] == 'c');
			printf("%s%s", rc == CLI_OK ? "\n" : "", text ? text : "");
			free(text);
			rc = CLI_OK;
		}
		if (rc != CLI_OK)
			cli_error("annotate", "%s: no kernel %s", a->stats,
				  a->kernel ? a->kernel : "");
	}
	if (h)
		heddle_close(h);
	free(data);
	return rc;
}

static int cmd_annotate(int argc, char **argv)
{
	struct annotate a = {0};
	int status = 0;
	if (!read_options(&a, argc, argv))
		return CLI_USAGE;
	if (a.help)
		return cli_help(&command_annotate);
	if (a.scalar)
		return print_classes(&a);
	if (!a.run)
		return annotate(&a, a.stats);
	char *temp = cli_temp("annotate", ".json");
	if (!temp)
		return CLI_FAILED;
	struct stat st = {0};
	int rc = CLI_FAILED;
	if (run_first(a.run, temp, a.json, &status) && !stat(temp, &st) && st.st_size)
		rc = annotate(&a, temp);
	cli_temp_end(temp);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CLI_USAGE)
		return CLI_USAGE;
	return WIFEXITED(status) && !WEXITSTATUS(status) ? rc : CLI_FAILED;
}

const struct cli_command command_annotate = {
	"annotate",
	cmd_annotate,
	"print a program with what each line cost",
	&page_annotate,
};
