/* Runs kernels of the suite, prints their figures as a Markdown table, and checks that the launches
 * are those that the registry promises. */
#include "cli/measure.h"
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "command/command.h"
#include "heddle.h"

enum { KERNELS = 32 };

/* Sums over all launches of one kernel. */
struct kernel {
	char name[64];
	unsigned launches;
	/* blocks and threads of the first and of the last launch */
	long blocks, last_blocks, threads, last_threads;
	long registers, shared;
	double warp, thread, branches;
};

/* Copies the last part of a name in namespaces: "kernel" of "_ZN5space6kernelE...". */
static void last_name(char *out, size_t size, const char *name)
{
	char plain[256];
	const char *full = heddle_plain_name(name, plain, sizeof plain),
		   *colon = strrchr(full, ':');
	snprintf(out, size, "%s", colon ? colon + 1 : full);
}

static long integer_of(const json_t *o, const char *key)
{
	return (long)json_integer_value(json_object_get(o, key));
}

/* Returns the threads of a launch's block. */
static long block_size(const json_t *l)
{
	const json_t *dim = json_object_get(l, "block");
	long n = 1;
	for (size_t i = 0; i < json_array_size(dim); i++)
		n *= (long)json_integer_value(json_array_get(dim, i));
	return n;
}

static void add_launch(struct kernel *k, unsigned *n, const json_t *l)
{
	char name[sizeof k->name];
	const char *full = json_string_value(json_object_get(l, "kernel"));
	last_name(name, sizeof name, full ? full : "?");
	unsigned i = 0;
	while (i < *n && strcmp(k[i].name, name))
		i++;
	if (i == KERNELS)
		return;
	k += i;
	if (i == *n) {
		*k = (struct kernel){.blocks = integer_of(l, "blocks"), .threads = block_size(l)};
		memcpy(k->name, name, sizeof name);
		++*n;
	}
	k->launches++;
	k->last_blocks = integer_of(l, "blocks");
	k->last_threads = block_size(l);
	if (integer_of(l, "registers") > k->registers)
		k->registers = integer_of(l, "registers");
	if (integer_of(l, "shared_bytes") > k->shared)
		k->shared = integer_of(l, "shared_bytes");
	k->warp += (double)integer_of(l, "warp_instructions");
	k->thread += (double)integer_of(l, "thread_instructions");
	k->branches += (double)integer_of(l, "branches");
}

bool measure_run(const char *const *argv)
{
	pid_t pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_WRONLY);
		dup2(null, STDOUT_FILENO);
		execv("/proc/self/exe", (char *const *)argv);
		_exit(127);
	}
	int st = 1;
	while (pid > 0 && waitpid(pid, &st, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(st) && !WEXITSTATUS(st);
}

static bool run_workload(const struct measure *m, const struct workload_row *r, const char *stats)
{
	const char *const argv[] = {
		"heddle",  "workload", r->name, "--size",    m->size,
		"--quiet", "--stats",  stats,   "--threads", m->threads ? m->threads : "1",
		NULL};
	return measure_run(argv);
}

static unsigned read_stats(const char *path, struct kernel *k)
{
	json_t *all = json_load_file(path, 0, NULL), *list = json_object_get(all, "launches"), *l;
	unsigned n = 0;
	size_t i;
	json_array_foreach (list, i, l)
		add_launch(k, &n, l);
	json_decref(all);
	return n;
}

/* Prints the value of the first launch, or the range to that of the last: "268", "1..128". */
static void print_range(char *out, size_t size, long first, long last)
{
	if (first == last)
		snprintf(out, size, "%ld", first);
	else
		snprintf(out, size, "%ld..%ld", first, last);
}

static void print_kernel(const char *workload, const struct kernel *k)
{
	char blocks[48], threads[48];
	print_range(blocks, sizeof blocks, k->blocks, k->last_blocks);
	print_range(threads, sizeof threads, k->threads, k->last_threads);
	printf("| %s | %s | %u | %s | %s | %ld | %ld | %.2f | %.1f | %.1f |\n", workload, k->name,
	       k->launches, blocks, threads, k->registers, k->shared, k->thread / 1e6,
	       k->warp > 0 ? 100 * k->thread / (32 * k->warp) : 0,
	       k->warp > 0 ? 100 * k->branches / k->warp : 0);
}

static const struct kernel *find_kernel(const struct kernel *k, unsigned n, const char *name)
{
	for (unsigned i = 0; i < n; i++)
		if (!strcmp(k[i].name, name))
			return &k[i];
	return NULL;
}

/* Reads one promise of the registry, "kernel BLOCKSxTHREADS" or "kernel BLOCKS..BLOCKSxTHREADS";
 * false: other words. */
static bool read_promise(const char *s, struct kernel *out)
{
	int end;
	if (sscanf(s, " %63[A-Za-z0-9_] %ld%n", out->name, &out->blocks, &end) != 2)
		return false;
	const char *x = strchr(s + end, 'x');
	out->threads = x ? strtol(x + 1, NULL, 10) : 0;
	return true;
}

/* True if the launches agree with the registry. At the papers' size the first launch of every
 * kernel must be as promised; a smaller size may launch fewer kernels, but no others. */
static bool is_as_promised(const struct measure *m, const struct workload_row *r,
			   const struct kernel *k, unsigned n)
{
	bool ok = true, paper = !strcmp(m->size, "paper");
	unsigned known = 0;
	for (const char *s = r->kernels; *s; s += strcspn(s, ","), s += *s == ',') {
		struct kernel want;
		if (!read_promise(s, &want))
			continue;
		const struct kernel *found = find_kernel(k, n, want.name);
		known += found != NULL;
		if (!paper ||
		    (found && found->blocks == want.blocks && found->threads == want.threads))
			continue;
		cli_error("workloads", "%s: %s should be launched as %ldx%ld, not %ldx%ld", r->name,
			  want.name, want.blocks, want.threads, found ? found->blocks : 0,
			  found ? found->threads : 0);
		ok = false;
	}
	if (known < n)
		cli_error("workloads", "%s: %u kernels are not in the registry", r->name,
			  n - known);
	return ok && known == n;
}

void measure_head(void)
{
	puts("| workload | kernel | launches | blocks | threads | registers | shared, bytes | "
	     "thread instructions, "
	     "millions | SIMD efficiency, % | branches, % |\n"
	     "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |");
}

void measure_row(struct measure *m, const struct workload_row *r)
{
	struct kernel *k = calloc(KERNELS, sizeof *k);
	char *path = cli_temp("workloads", "");
	if (!k || !path || !run_workload(m, r, path)) {
		cli_error("workloads", "%s fails", r->name);
		m->failed++;
	} else {
		unsigned n = read_stats(path, k);
		for (unsigned i = 0; i < n; i++)
			print_kernel(i ? "" : r->name, &k[i]);
		m->failed += !is_as_promised(m, r, k, n);
		fflush(stdout);
	}
	cli_temp_end(path);
	free(k);
}
