/* Builds programs of the workload suite when needed, and finds built ones. built.h explains the
 * names. */
#include "cli/built.h"
#include <errno.h>
#include <fts.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "nvcc/cc.h"
#include "command/command.h"

/* Hash of the driver's sources, set by the Makefile. */
#ifndef CC_DRIVER
#define CC_DRIVER 0
#endif

/* ---- places of programs ---- */

static char *cache_dir(void)
{
	const char *env = getenv("HEDDLE_CACHE"), *xdg = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	char *makefile = suite_beside("../Makefile");
	bool tree = makefile && !access(makefile, R_OK);
	free(makefile);
	if (env && *env)
		return cc_format("%s/workloads", env);
	if (tree) {
		char *dir = suite_beside("workloads");
		if (dir && cli_make_dirs(dir))
			return dir;
		free(dir);
	}
	if (xdg && *xdg)
		return cc_format("%s/heddle/workloads", xdg);
	return cc_format("%s/.cache/heddle/workloads", home && *home ? home : ".");
}

/* ---- the fingerprint ---- */

/* Mixes data into a 64-bit FNV-1a hash, which distinguishes a few hundred versions well enough. */
static void mix_bytes(uint64_t *h, const void *data, size_t n)
{
	const unsigned char *p = data;
	for (size_t i = 0; i < n; i++)
		*h = (*h ^ p[i]) * 0x100000001b3;
}

static void mix_name(uint64_t *h, const char *s)
{
	mix_bytes(h, s ? s : "", s ? strlen(s) + 1 : 1);
}

/* Mixes a tool's size and modification time, because a tool changes with its package. */
static void mix_tool(uint64_t *h, const char *path)
{
	struct stat st;
	mix_name(h, path);
	if (path && !stat(path, &st)) {
		uint64_t id[3] = {(uint64_t)st.st_size, (uint64_t)st.st_mtim.tv_sec,
				  (uint64_t)st.st_mtim.tv_nsec};
		mix_bytes(h, id, sizeof id);
	}
}

static bool mix_file(uint64_t *h, const char *path)
{
	size_t n;
	char *text = cc_slurp(path, &n);
	if (text)
		mix_bytes(h, text, n);
	free(text);
	return text;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

/* Mixes the names and contents of all files under a folder, in sorted order. */
static bool mix_folder(uint64_t *h, char *path)
{
	bool ok = true;
	FTS *t = fts_open((char *[]){path, NULL}, FTS_LOGICAL | FTS_NOCHDIR, by_name);
	for (FTSENT *e; ok && t && (e = fts_read(t));) {
		if (e->fts_info == FTS_F) {
			mix_name(h, e->fts_name);
			ok = mix_file(h, e->fts_accpath);
		} else if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR ||
			   e->fts_info == FTS_NS) {
			ok = false;
		}
	}
	if (t)
		fts_close(t);
	if (!ok || !t)
		cli_error("workload", "%s: cannot be read", path);
	return ok && t;
}

static void tools_free(struct cc_tools *t)
{
	free(t->clang);
	free(t->cxx);
	free(t->c);
	free(t->headers);
	free(t->libdir);
	free(t->bitcode);
}

static bool hash_sources(const char *own, const char *common, uint64_t *h)
{
	struct cc cc = {0};
	if (!cc_find_tools(&cc)) {
		tools_free(&cc.tools);
		return false;
	}
	*h = 0xcbf29ce484222325;
	uint64_t driver[2] = {CC_DRIVER, (uint64_t)cc.tools.version};
	mix_bytes(h, driver, sizeof driver);
	mix_tool(h, cc.tools.clang);
	mix_tool(h, cc.tools.cxx);
	mix_tool(h, cc.tools.bitcode);
	mix_name(h, cc.tools.libdir);
	bool ok = mix_folder(h, cc.tools.headers) && mix_folder(h, (char *)common) &&
		  mix_folder(h, (char *)own);
	tools_free(&cc.tools);
	return ok;
}

/* ---- build ---- */

/* Runs this program with other arguments and waits for it. */
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

/* Compiles under a temporary name, so that two concurrent builds do no harm and a failed build
 * leaves no file. */
static bool build_program(char *source, const char *program)
{
	char *temp = cc_format("%s.%ld", program, (long)getpid());
	fprintf(stderr, "heddle workload: compiling %s\n", source);
	/* Short pointers bring a kernel's registers, and so the number of blocks on an SM, close to
	 * the results of the papers' compilers. */
	bool ok = !run_self(
		(char *[]){"heddle", "cc", "-O3", "--short-pointers", "-o", temp, source, NULL});
	if (!ok)
		cli_error("workload", "%s does not compile", source);
	else if (rename(temp, program)) {
		cli_error("workload", "%s: %s", program, strerror(errno));
		ok = false;
	}
	unlink(temp);
	free(temp);
	return ok;
}

char *built_program(const struct suite *s, const struct workload_row *row)
{
	const char *slash = strrchr(row->source, '/'), *base = slash ? slash + 1 : row->source;
	char *dir = cache_dir(), *source = cc_format("%s/%s", s->dir, row->source), *program = NULL;
	char *own = cc_format("%s/%.*s", s->dir, (int)(base - row->source), row->source);
	char *common = cc_format("%s/common", s->dir);
	uint64_t h;
	if (access(source, R_OK))
		cli_error("workload", "%s: %s", source, strerror(errno));
	else if (!cli_make_dirs(dir))
		cli_error("workload", "%s: %s", dir, strerror(errno));
	else if (hash_sources(own, common, &h))
		program = cc_format("%s/%.*s-%016" PRIx64, dir, (int)strcspn(base, "."), base, h);
	if (program && access(program, X_OK) && !build_program(source, program)) {
		free(program);
		program = NULL;
	}
	free(dir);
	free(source);
	free(own);
	free(common);
	return program;
}
