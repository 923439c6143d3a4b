/* Runs the kernels of a list of traces one after the other. A kernel's trace is read just before
 * the kernel runs and freed afterwards, since traces are large. Copies between host and device in
 * the list are skipped: the list has no data for them, and a replay needs none. */
#include "cli/traces.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char list_name[] = "kernelslist.g";

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

static bool is_list(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	return !strncmp(name, "kernelslist", 11);
}

bool traces_are(const char *path)
{
	struct stat st;
	char *list = NULL;
	bool folder = !stat(path, &st) && S_ISDIR(st.st_mode);
	if (folder)
		folder = asprintf(&list, "%s/%s", path, list_name) >= 0 && !stat(list, &st);
	free(list);
	return folder || is_list(path) || ends_with(path, ".traceg") ||
	       ends_with(path, ".traceg.gz") || ends_with(path, ".traceg.xz") ||
	       ends_with(path, ".tracez");
}

static void print_launch(const struct heddle_stats *f, const char *name)
{
	char plain[256];
	fprintf(stderr, "%s %s: %llu warp instructions, %llu cycles, %.6g s, %.4g J\n", name,
		heddle_plain_name(f->kernel, plain, sizeof plain),
		(unsigned long long)f->warp_instructions, (unsigned long long)f->cycles,
		f->gpu_seconds, f->joule);
}

static int launch_trace(struct run *r, struct heddle *h, struct heddle_module *m, const char *path,
			enum heddle_status (*launch)(struct run *r, struct heddle *h))
{
	struct heddle_kernel_info info;
	struct heddle_kernel *k = heddle_kernel_count(m) ? heddle_kernel_at(m, 0) : NULL;
	if (k)
		heddle_kernel_info(k, &info);
	if (!k || !info.grid[0]) {
		cli_error("run", "%s is not a trace", path);
		return CLI_FAILED;
	}
	r->launch = (struct heddle_launch){.kernel = k, .params = ""};
	memcpy(r->launch.grid, info.grid, sizeof info.grid);
	memcpy(r->launch.block, info.block, sizeof info.block);
	clock_gettime(CLOCK_MONOTONIC, &r->start);
	enum heddle_status s = launch(r, h);
	if (!s)
		return CLI_OK;
	cli_error("run", "%s: %s", path, heddle_message(h));
	return s == HEDDLE_INTERRUPTED ? 130 : CLI_FAILED;
}

static int run_trace(struct run *r, struct heddle *h, const char *path,
		     enum heddle_status (*launch)(struct run *r, struct heddle *h))
{
	size_t size;
	char *data = cli_unpack("run", path, &size);
	struct heddle_module *m = NULL;
	struct heddle_text text = {path, data, size, NULL};
	unsigned before = heddle_stats_count(h);
	if (!data)
		return CLI_FAILED;
	enum heddle_status s = heddle_load(h, &text, 1, &m);
	free(data);
	if (s) {
		cli_print(stderr, heddle_message(h));
		fputc('\n', stderr);
		return CLI_FAILED;
	}
	int rc = launch_trace(r, h, m, path, launch);
	if (!rc && !r->quiet && heddle_stats_count(h) > before) {
		const char *slash = strrchr(path, '/');
		print_launch(heddle_stats_at(h, before), slash ? slash + 1 : path);
	}
	heddle_unload(h, m);
	return rc;
}

/* Path of a trace that the list names, packed or not; malloc'ed. NULL: reported. Tools that pack the
 * traces leave the list as it is: kernel-1.traceg may be there as .traceg.xz, .traceg.gz or .tracez. */
static char *find_trace(const char *list, unsigned line, const char *name)
{
	static const char *const packed[] = {"", ".xz", ".gz", ".tracez"};
	const char *slash = strrchr(list, '/');
	int folder = slash ? (int)(slash - list) + 1 : 0, n = (int)strlen(name);
	int stem = ends_with(name, ".traceg") ? n - (int)strlen(".traceg") : n;
	struct stat st;
	for (unsigned i = 0; i < sizeof packed / sizeof *packed; i++) {
		char *path;
		int length = ends_with(packed[i], ".tracez") ? stem : n;
		if (asprintf(&path, "%.*s%.*s%s", folder, list, length, name, packed[i]) < 0)
			return NULL;
		if (!stat(path, &st))
			return path;
		free(path);
	}
	cli_error("run", "%s:%u: %s does not exist", list, line, name);
	return NULL;
}

static int run_list(struct run *r, struct heddle *h, const char *list,
		    enum heddle_status (*launch)(struct run *r, struct heddle *h))
{
	size_t size;
	char *text = cli_read("run", list, &size), *save = NULL;
	int rc = text ? CLI_OK : CLI_FAILED;
	unsigned line = 0, kernels = 0;
	for (char *at = text, *end; at && *at && !rc; at = end) {
		end = at + strcspn(at, "\n");
		end += *end == '\n';
		char *copy = strndup(at, (size_t)(end - at));
		const char *word = copy ? strtok_r(copy, " \t\r\n", &save) : NULL;
		line++;
		if (word && !strncmp(word, "kernel", 6)) {
			char *path = find_trace(list, line, word);
			rc = path ? run_trace(r, h, path, launch) : CLI_FAILED;
			free(path);
			kernels++;
		} else if (word && strncmp(word, "Memcpy", 6) && strncmp(word, "nccl", 4)) {
			cli_error("run", "%s:%u: '%s': expected a kernel's trace or a copy", list,
				  line, word);
			rc = CLI_FAILED;
		}
		free(copy);
	}
	if (!rc && !kernels) {
		cli_error("run", "%s: names no kernel's trace", list);
		rc = CLI_FAILED;
	}
	free(text);
	return rc;
}

int traces_run(struct run *r, struct heddle *h,
	       enum heddle_status (*launch)(struct run *r, struct heddle *h))
{
	struct stat st;
	if (is_list(r->file))
		return run_list(r, h, r->file, launch);
	if (stat(r->file, &st) || !S_ISDIR(st.st_mode))
		return run_trace(r, h, r->file, launch);
	char *list;
	if (asprintf(&list, "%s/%s", r->file, list_name) < 0)
		return CLI_FAILED;
	int rc = run_list(r, h, list, launch);
	free(list);
	return rc;
}
