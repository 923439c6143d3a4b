/* Finds the compilers, our headers and libraries, and the device math library. */
#include "nvcc/cc.h"
#include <dirent.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command/command.h"

enum { CLANG_OLDEST = 14, CLANG_NEWEST = 40 };

static bool readable(const char *path) { return path && access(path, R_OK) == 0; }

/* Returns the path of the file that a command name stands for, with links resolved. */
char *cc_in_path(const char *name)
{
	const char *path = getenv("PATH");
	char *found = NULL;
	struct words dirs = {0};
	if (strchr(name, '/'))
		return access(name, X_OK) ? NULL : strdup(name);
	words_split(&dirs, path ? path : "/usr/bin:/bin", ":");
	for (size_t i = 0; i < dirs.n && !found; i++) {
		char *p = cc_format("%s/%s", dirs.v[i], name);
		if (access(p, X_OK) == 0)
			found = p;
		else
			free(p);
	}
	words_free(&dirs);
	return found;
}

/* Returns the compiler's major version: from Debian's path if it contains it, else by asking the
 * compiler. */
static int clang_version(const char *path)
{
	char real[PATH_MAX], line[256];
	int v = 0;
	if (realpath(path, real)) {
		const char *p = strstr(real, "/llvm-");
		if (p && sscanf(p, "/llvm-%d/", &v) == 1)
			return v;
	}
	char *cmd = cc_format("'%s' --version 2>/dev/null", path);
	FILE *f = popen(cmd, "r");
	while (f && fgets(line, sizeof line, f)) {
		const char *p = strstr(line, "clang version ");
		if (p && sscanf(p, "clang version %d", &v) == 1)
			break;
	}
	if (f)
		pclose(f);
	free(cmd);
	return v;
}

static bool use_clang(struct cc_tools *t, const char *name)
{
	char *p = cc_in_path(name);
	int v = p ? clang_version(p) : 0;
	if (v < CLANG_OLDEST) {
		free(p);
		return false;
	}
	t->clang = p;
	t->version = v;
	return true;
}

/* Finds clang: HEDDLE_CLANG or -ccbin with a clang, else the system's clang++, else the newest
 * one. */
static bool find_clang(struct cc *cc)
{
	struct cc_tools *t = &cc->tools;
	const char *env = getenv("HEDDLE_CLANG");
	const char *base = cc->ccbin ? strrchr(cc->ccbin, '/') : NULL;
	base = base ? base + 1 : cc->ccbin;
	if (env && *env) {
		if (use_clang(t, env))
			return true;
		cli_error("cc", "HEDDLE_CLANG is %s, which is not clang++ %d or later", env,
			  CLANG_OLDEST);
		return false;
	}
	if (base && !strncmp(base, "clang", 5) && use_clang(t, cc->ccbin))
		return true;
	if (use_clang(t, "clang++"))
		return true;
	for (int v = CLANG_NEWEST; v >= CLANG_OLDEST; v--) {
		char name[32];
		snprintf(name, sizeof name, "clang++-%d", v);
		if (use_clang(t, name))
			return true;
	}
	cli_error("cc",
		  "no clang++ of version %d or later found (Debian: apt install clang); "
		  "HEDDLE_CLANG names one elsewhere",
		  CLANG_OLDEST);
	return false;
}

/* -ccbin: returns the compiler, or the file with the usual name in a folder. NULL: there is
 * none. */
static char *find_named_host(const char *bin, const char *usual)
{
	struct stat st;
	if (stat(bin, &st) || !S_ISDIR(st.st_mode))
		return cc_in_path(bin);
	char *inside = cc_format("%s/%s", bin, usual), *found = cc_in_path(inside);
	free(inside);
	return found;
}

/* Finds the host compiler for .c and .cpp files. As in nvcc, that is gcc unless -ccbin names
 * another. */
static void find_host(struct cc *cc)
{
	struct cc_tools *t = &cc->tools;
	if (cc->ccbin) {
		t->cxx = find_named_host(cc->ccbin, "g++");
		t->c = find_named_host(cc->ccbin, "gcc");
		if (!t->cxx)
			fprintf(stderr, "heddle cc: host compiler %s not found; using g++\n",
				cc->ccbin);
	}
	if (!t->cxx)
		t->cxx = cc_in_path("g++");
	if (!t->c)
		t->c = cc_in_path("gcc");
	if (!t->cxx)
		t->cxx = strdup(t->clang);
	if (!t->c)
		t->c = strdup(t->clang);
}

static char *exe_dir(void)
{
	char buf[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", buf, sizeof buf - 1);
	if (n <= 0)
		return strdup(".");
	buf[n] = 0;
	char *slash = strrchr(buf, '/');
	if (slash)
		*slash = 0;
	return strdup(buf);
}

/* Returns the first of several places relative to the program that has the file. */
static char *find_beside(const char *exe, const char *const *places, const char *file)
{
	for (; *places; places++) {
		char *dir = cc_format("%s/%s", exe, *places), *p = cc_format("%s/%s", dir, file);
		bool ok = readable(p);
		free(p);
		char *real = ok ? realpath(dir, NULL) : NULL;
		free(dir);
		if (real)
			return real;
	}
	return NULL;
}

static bool find_ours(struct cc_tools *t)
{
	static const char *const headers[] = {"../include/cuda", "../share/heddle/include/cuda",
					      "../include/heddle/cuda", "../../include/cuda", NULL};
	static const char *const libs[] = {".", "cuda", "../lib/heddle", "../lib", NULL};
	const char *env = getenv("HEDDLE_CUDA_PATH");
	char *exe = exe_dir();
	if (env && *env) {
		char *p = cc_format("%s/heddle/wrapper.h", env);
		char *q = cc_format("%s/include/cuda", env);
		if (readable(p))
			t->headers = strdup(env);
		else
			t->headers = strdup(q);
		free(p);
		free(q);
	} else {
		t->headers = find_beside(exe, headers, "heddle/wrapper.h");
	}
	const char *lib = getenv("HEDDLE_CUDA_LIB");
	t->libdir = lib && *lib ? strdup(lib) : find_beside(exe, libs, "libcudart.so");
	free(exe);
	if (t->headers)
		return true;
	cli_error("cc", "Heddle's CUDA headers are not beside the program; HEDDLE_CUDA_PATH names "
			"their directory");
	return false;
}

static char *first_match(const char *pattern)
{
	glob_t g;
	char *p = NULL;
	if (glob(pattern, 0, NULL, &g) == 0 && g.gl_pathc)
		p = strdup(g.gl_pathv[g.gl_pathc - 1]);
	globfree(&g);
	return p;
}

/* Finds the device math library: NVIDIA's libdevice if the user names one, else libclc, in the
 * version for this clang if there are several. Newer clangs can read older bitcode. */
static void find_bitcode(struct cc_tools *t)
{
	const char *lib = getenv("HEDDLE_LIBDEVICE"), *clc = getenv("HEDDLE_LIBCLC");
	if (readable(lib)) {
		t->bitcode = strdup(lib);
		t->libdevice = true;
		return;
	}
	if (clc) {
		t->bitcode = readable(clc) ? strdup(clc) : NULL;
		return;
	}
	char *own[] = {
		cc_format("/usr/lib/llvm-%d/share/clc/nvptx64--nvidiacl.bc", t->version),
		cc_format("/usr/lib/llvm-%d/lib/clc/nvptx64--nvidiacl.bc", t->version),
		cc_format("/usr/lib/llvm-%d/lib/clang/%d/lib/*/nvptx64*nvidiacl.bc", t->version,
			  t->version),
		cc_format("/usr/lib/clc/nvptx64--nvidiacl.bc"),
		cc_format("/usr/share/clc/nvptx64--nvidiacl.bc"),
		cc_format("/usr/lib/clc/nvptx64--.bc"),
	};
	for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
		if (!t->bitcode)
			t->bitcode = first_match(own[i]);
		free(own[i]);
	}
}

/* Finds omp.h and libomp for OpenMP in host code, from another clang if this one has none. */
static void find_openmp(struct cc_tools *t)
{
	char *h = cc_format("/usr/lib/llvm-%d/lib/clang/*/include/omp.h", t->version);
	char *l = cc_format("/usr/lib/llvm-%d/lib/libomp.so", t->version);
	t->omp_header = first_match(h);
	t->omp_lib = first_match(l);
	if (!t->omp_header)
		t->omp_header = first_match("/usr/lib/llvm-*/lib/clang/*/include/omp.h");
	if (!t->omp_lib)
		t->omp_lib = first_match("/usr/lib/llvm-*/lib/libomp.so");
	free(h);
	free(l);
}

bool cc_find_tools(struct cc *cc)
{
	if (!find_clang(cc) || !find_ours(&cc->tools))
		return false;
	find_host(cc);
	find_bitcode(&cc->tools);
	if (cc->openmp)
		find_openmp(&cc->tools);
	return true;
}
