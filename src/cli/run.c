/* heddle run: runs one kernel with buffers from and to files, or a whole CUDA program.
 * run_options.c reads the command line, command/program.c starts programs. */
#include "cli/commands.h"
#include "command/debugger.h"
#include "cli/run.h"
#include "cli/traces.h"
#include "cli/step/step.h"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- during the run ---- */

static struct heddle *volatile running;
static volatile sig_atomic_t ended_by; /* number of the signal; 0: none */

/* Ends the launch on the first Ctrl-C or SIGTERM, and still reports its figures; a second signal
 * ends the program. */
static void on_interrupt(int sig)
{
	ended_by = sig;
	if (running && heddle_interrupt(running))
		return;
	signal(sig, SIG_DFL);
	raise(sig);
}

static double seconds_since(const struct timespec *t)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - t->tv_sec) + 1e-9 * (double)(now.tv_nsec - t->tv_nsec);
}

static void show_progress(void *arg, uint64_t done, uint64_t blocks, uint64_t insts)
{
	struct run *r = arg;
	double s = seconds_since(&r->start);
	fprintf(stderr, "\r\033[K%llu of %llu blocks, %.1f M warp instructions/s",
		(unsigned long long)done, (unsigned long long)blocks,
		s > 0 ? (double)insts / s / 1e6 : 0);
	if (done)
		fprintf(stderr, ", %.0f s left", s * (double)(blocks - done) / (double)done);
	double cycles, half;
	if (running && heddle_sampled_cycles(running, &cycles, &half))
		fprintf(stderr, "; launches before: %.4g cycles +- %.2g %%", cycles,
			100 * half / cycles);
	r->drew = true;
}

static void print_summary(const struct heddle_stats *s, const char *note)
{
	fprintf(stderr, "%s: %llu block%s of %u threads\n", s->kernel,
		(unsigned long long)s->blocks, s->blocks == 1 ? "" : "s",
		s->block[0] * s->block[1] * s->block[2]);
	fprintf(stderr,
		"  %llu warp instructions, %llu thread instructions, SIMD efficiency %.1f %%\n",
		(unsigned long long)s->warp_instructions,
		(unsigned long long)s->thread_instructions, 100 * s->simd_efficiency);
	fprintf(stderr, "  %llu branches, %llu divergent\n", (unsigned long long)s->branches,
		(unsigned long long)s->divergent_branches);
	if (s->cycles)
		fprintf(stderr,
			"%llu cycles, %.2f thread instructions per cycle, %.6g s on the GPU\n",
			(unsigned long long)s->cycles,
			(double)s->thread_instructions / (double)s->cycles, s->gpu_seconds);
	if (s->cycles)
		fprintf(stderr, "  %.4g J, mean %.4g W (%s)\n", s->joule,
			s->gpu_seconds > 0 ? s->joule / s->gpu_seconds : 0, note);
	fprintf(stderr, "  %.3f s, %.1f M warp instructions/s\n", s->seconds,
		s->seconds > 0 ? (double)s->warp_instructions / s->seconds / 1e6 : 0);
}

/* ---- the run ---- */

static void list_kernels(struct heddle_module *m)
{
	unsigned n = heddle_kernel_count(m);
	for (unsigned i = 0; i < n; i++) {
		struct heddle_kernel_info info;
		heddle_kernel_info(heddle_kernel_at(m, i), &info);
		fprintf(stderr, "  %s\n", info.name);
	}
}

static const char *kernel_at(const void *m, unsigned i)
{
	static struct heddle_kernel_info info;
	if (i >= heddle_kernel_count(m))
		return NULL;
	heddle_kernel_info(heddle_kernel_at((struct heddle_module *)m, i), &info);
	return info.name;
}

static struct heddle_kernel *choose_kernel(const struct run *r, struct heddle_module *m)
{
	unsigned n = heddle_kernel_count(m);
	struct heddle_kernel *k = r->kernel ? heddle_kernel_find(m, r->kernel)
				  : n == 1  ? heddle_kernel_at(m, 0)
					    : NULL;
	if (k)
		return k;
	if (!n) {
		cli_error("run", "%s has no kernel (.entry)", r->file);
	} else if (!r->kernel) {
		cli_error("run", "%s has %u kernels; choose one with --kernel:", r->file, n);
		list_kernels(m);
	} else {
		const char *near = cli_nearest(r->kernel, kernel_at, m);
		cli_error("run",
			  near ? "%s has no kernel %s; did you mean %s?"
			       : "%s has no kernel %s; it has:",
			  r->file, r->kernel, near);
		if (!near)
			list_kernels(m);
	}
	return NULL;
}

static enum heddle_status launch(struct run *r, struct heddle *h)
{
	struct sigaction act = {.sa_handler = on_interrupt}, old[2];
	running = h;
	sigaction(SIGINT, &act, &old[0]);
	sigaction(SIGTERM, &act, &old[1]);
	enum heddle_status s = heddle_launch(h, &r->launch);
	sigaction(SIGINT, &old[0], NULL);
	sigaction(SIGTERM, &old[1], NULL);
	running = NULL;
	if (r->drew)
		fprintf(stderr, "\r\033[K");
	return s;
}

static bool save_stats(const struct run *r, const struct heddle *h)
{
	if (!r->stats || !heddle_stats_count(h))
		return true;
	char *text = heddle_stats_print(h, r->stats);
	struct cli_output o;
	bool ok = text && cli_output_write("run", &o, r->stats, text, strlen(text));
	free(text);
	return ok && cli_output_commit("run", &o);
}

/* Writes output files if the launches ran to their end; writes statistics always. */
static bool save_outputs(struct run *r, struct heddle *h, bool done)
{
	if (done && (!arglist_save(&r->args, h) || !images_save(&r->images, h)))
		return false;
	return save_stats(r, h) &&
	       (!done || (arglist_commit(&r->args) && images_commit(&r->images)));
}

static int run_on(struct run *r, struct heddle *h, const struct heddle_text *text)
{
	struct heddle_module *m;
	if (heddle_load(h, text, 1, &m)) {
		cli_print(stderr, heddle_message(h));
		fputc('\n', stderr);
		return CLI_FAILED;
	}
	if (*heddle_message(h) && !r->quiet)
		fprintf(stderr, "%s\n", heddle_message(h));
	r->launch.kernel = choose_kernel(r, m);
	if (!r->launch.kernel || !arglist_check(&r->args, r->launch.kernel))
		return CLI_USAGE;
	char *block = calloc(1, arglist_bytes(&r->args, r->launch.kernel) + 1u);
	if (!block)
		return CLI_FAILED;
	int rc = CLI_FAILED;
	if (images_bind(&r->images, h, m) && arglist_bind(&r->args, h, r->launch.kernel, block)) {
		r->launch.params = block;
		clock_gettime(CLOCK_MONOTONIC, &r->start);
		enum heddle_status s = launch(r, h);
		if (s) {
			cli_error("run", "%s", heddle_message(h));
			rc = s == HEDDLE_INTERRUPTED && ended_by ? 128 + ended_by : CLI_FAILED;
		}
		if (save_outputs(r, h, !s) && !s)
			rc = CLI_OK;
		char *unused = heddle_unused(h);
		if (unused)
			cli_note("run", "%s: the program has no such kernel", unused);
		free(unused);
		if (heddle_finish(h)) {
			cli_error("run", "%s", heddle_message(h));
			rc = rc ? rc : CLI_FAILED;
		}
		unsigned n = heddle_stats_count(h);
		if ((rc == CLI_OK || s == HEDDLE_INTERRUPTED) && !r->quiet && n)
			print_summary(heddle_stats_at(h, n - 1), heddle_energy_note(h));
	}
	free(block);
	return rc;
}

/* Runs the launches of a step in place of a single kernel; the step has its own files and
 * figures. */
static int run_steps(struct run *r, struct heddle *h, struct step *s)
{
	int rc = step_run(s, r, h, launch);
	if (!save_stats(r, h))
		rc = rc ? rc : CLI_FAILED;
	if (heddle_finish(h)) {
		cli_error("run", "%s", heddle_message(h));
		rc = rc ? rc : CLI_FAILED;
	}
	return rc;
}

/* Runs the kernels of traces instead of one kernel. */
static int run_traces(struct run *r, struct heddle *h)
{
	int rc = traces_run(r, h, launch);
	if (!save_stats(r, h))
		rc = rc ? rc : CLI_FAILED;
	if (heddle_finish(h)) {
		cli_error("run", "%s", heddle_message(h));
		rc = rc ? rc : CLI_FAILED;
	}
	return rc;
}

static void note_ineffective(const struct run *r)
{
	const struct heddle_options *o = &r->opt;
	const struct {
		bool given;
		const char *text;
	} rows[] = {
		{o->max_cycles && !o->timing, "--max-cycles has no effect in functional mode"},
		{o->reverse && o->timing, "--reverse has no effect in timing mode"},
		{o->record && !r->stats, "--record has no effect without --stats"},
		{o->warm && !o->launches && !o->kernels && !o->skip,
		 "--warm has no effect without --launches, --kernels or --skip"},
		{(o->series || o->sums) && !r->stats,
		 "--series and --stats-sums have no effect without --stats"},
		{(r->given.error || r->given.seed) && !o->sampled,
		 "--error and --seed have no effect without --mode sampled"},
		{(o->accesses || o->checkpoint_every) && !o->save,
		 "--accesses and --checkpoint-every have no effect without --save"},
		{o->check_report && !r->check, "--check-report has no effect without --check"},
		{o->sample_file && !o->sample, "--sample-file has no effect without --sample"},
		{(o->trace_from || o->trace_to || o->trace_sm) && !o->trace_file,
		 "--trace-from, --trace-to and --trace-sm have no effect without --trace"},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].given)
			cli_note("run", "%s", rows[i].text);
}

/* Checks that every output file can be written, before anything runs. */
static bool try_outputs(const struct run *r)
{
	note_ineffective(r);
	const char *own[] = {r->stats, r->opt.trace_file, r->check ? r->opt.check_report : NULL,
			     r->opt.sample ? r->opt.sample_file : NULL};
	bool ok = true;
	for (size_t i = 0; i < sizeof own / sizeof *own; i++)
		ok &= !own[i] || cli_output_try("run", own[i]);
	for (unsigned i = 0; i < r->args.n; i++)
		ok &= !r->args.arg[i].out || cli_output_try("run", r->args.arg[i].out);
	for (unsigned i = 0; i < r->images.n; i++)
		ok &= !r->images.v[i].out || cli_output_try("run", r->images.v[i].out);
	return ok;
}

/* Checks that the files of --native NAME=FILE,... can be read. */
static bool native_readable(const struct run *r)
{
	bool ok = true;
	char *list = r->native ? strdup(r->native) : NULL, *save;
	for (char *w = list ? strtok_r(list, ",", &save) : NULL; w;
	     w = strtok_r(NULL, ",", &save)) {
		size_t n;
		char *data = cli_read("run", strchr(w, '=') + 1, &n);
		ok &= data != NULL;
		free(data);
	}
	free(list);
	return ok;
}

static int run_program(const struct run *r)
{
	struct program_options o = r->given;
	o.mode = r->mode;
	o.native = r->native;
	o.native_stack = r->stack;
	o.code = r->code;
	o.config = r->opt.config;
	o.stats = r->stats;
	o.threads = r->threads;
	o.check = r->opt.no_check ? "none" : r->check;
	o.set = r->set;
	o.quiet = r->quiet;
	o.max_instructions = r->max_instructions;
	o.check_report = r->opt.check_report;
	o.max_cycles = r->max_cycles;
	o.record = r->opt.record;
	o.debug = *r->channel ? r->channel : NULL;
	if (r->kernel || r->args.n || r->images.n || r->launch.grid[0] || r->launch.block[0] ||
	    r->launch.shared_bytes) {
		cli_error("run", "%s is a program: it launches its own kernels", r->file);
		return CLI_USAGE;
	}
	if (!native_readable(r))
		return CLI_FAILED;
	char *text = NULL; /* without a device, the program's own message would be less clear */
	bool ok = (!r->opt.config && !r->nsettings) ||
		  heddle_config_show(r->opt.config, r->settings, &text);
	if (!ok)
		cli_print(stderr, text);
	free(text);
	return ok ? program_exec(&o, r->program) : CLI_FAILED;
}

static void run_free(struct run *r)
{
	arglist_free(&r->args);
	images_free(&r->images);
	free(r->set);
	free(r->native);
	free(r->settings);
}

/* Opens the GPU, whose warnings are printed first, and runs one kernel of a text or a step. */
static int run_opened(struct run *r, struct heddle **h, const struct heddle_text *text,
		      struct step *step)
{
	r->opt.arg = r;
	r->opt.keep_code = true;
	if (!r->quiet && !r->opt.debug && isatty(STDERR_FILENO))
		r->opt.progress = show_progress;
	if (heddle_open(h, &r->opt)) {
		cli_error("run", "%s", *h ? heddle_message(*h) : "out of memory");
		return CLI_FAILED;
	}
	if (!r->quiet && *heddle_message(*h))
		fprintf(stderr, "%s\n", heddle_message(*h));
	return r->traces ? run_traces(r, *h) : step ? run_steps(r, *h, step) : run_on(r, *h, text);
}

/* Opens the debugger's channel; false: already reported. */
static bool open_debugger(struct run *r)
{
	int fd[2] = {STDIN_FILENO, STDOUT_FILENO};
	if (!r->debug && !r->gdb)
		return true;
	if (r->gdb && !debugger_listen(r->gdb, r->quiet, fd))
		return false;
	r->opt.debug = r->gdb ? HEDDLE_DEBUG_GDB : HEDDLE_DEBUG_PROMPT;
	r->opt.debug_in = fd[0];
	r->opt.debug_out = fd[1];
	snprintf(r->channel, sizeof r->channel, "%s:%d:%d", r->gdb ? "gdb" : "prompt", fd[0],
		 fd[1]);
	return true;
}

static bool is_native(const struct run *r) { return r->code && !strcmp(r->code, "native"); }

static int cmd_run(int argc, char **argv)
{
	struct run r = {.opt.error = 0.02,
			.args = {.arg = calloc((size_t)argc, sizeof *r.args.arg), .cmd = "run"}};
	if (!r.args.arg || !run_parse(&r, argc, argv)) {
		run_free(&r);
		return r.absent ? CLI_FAILED : CLI_USAGE;
	}
	int rc = CLI_FAILED;
	size_t size;
	char *data = NULL;
	struct heddle *h = NULL;
	struct step step = {0};
	if (r.help) {
		rc = cli_help(&command_run);
	} else if (!try_outputs(&r) || !open_debugger(&r)) {
		rc = CLI_FAILED;
	} else if (r.program) {
		rc = run_program(&r);
	} else if (r.traces) {
		rc = run_opened(&r, &h, NULL, NULL);
	} else if (r.triton) {
		rc = step_from_options(&step, &r) ? run_opened(&r, &h, NULL, &step) : CLI_USAGE;
	} else if ((data = cli_read("run", r.file, &size))) {
		struct heddle_text text = {r.file, data, size, r.dialect};
		if (step_is(data, size)) {
			rc = step_read(&step, r.file, data, size, is_native(&r))
				     ? run_opened(&r, &h, NULL, &step)
				     : CLI_USAGE;
		} else {
			rc = run_opened(&r, &h, &text, NULL);
		}
	}
	step_free(&step);
	if (h)
		heddle_close(h);
	free(data);
	run_free(&r);
	return rc;
}

const struct cli_command command_run = {
	"run",
	cmd_run,
	"run a CUDA program, or one kernel of a file",
	&page_run,
};
