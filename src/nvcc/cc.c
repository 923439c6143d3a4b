/* heddle cc: a compiler driver with the command line of nvcc. cc.h lists the files that do the
 * work. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "nvcc/flags.h"
#include "nvcc/cc.h"

/* Returns the output's name for a goal without -o. */
static char *output_name(struct cc *cc, const struct cc_input *in)
{
	static const char *const ext[] = {[GOAL_OBJECT] = ".o",
					  [GOAL_PTX] = ".ptx",
					  [GOAL_FATBIN] = ".fatbin",
					  [GOAL_CUBIN] = ".cubin",
					  [GOAL_CUDA] = ".cu.cpp.ii"};
	const char *slash = strrchr(in->path, '/'), *base = slash ? slash + 1 : in->path;
	const char *dot = strrchr(base, '.');
	int n = (int)(dot ? dot - base : (long)strlen(base));
	if (cc->out)
		return strdup(cc->out);
	return cc_format("%s%s%.*s%s", cc->outdir ? cc->outdir : "", cc->outdir ? "/" : "", n, base,
			 ext[cc->goal]);
}

static bool has_output(const struct cc *cc)
{
	return cc->goal == GOAL_OBJECT || cc_is_alone(cc) || cc->goal == GOAL_CUDA;
}

/* -clean: removes the files that the command would make without it. */
static bool remove_output(const char *path)
{
	if (!path || !unlink(path) || errno == ENOENT)
		return true;
	cli_error("cc", "cannot remove %s: %s", path, strerror(errno));
	return false;
}

/* True if the output would not overwrite a source. */
static bool is_no_input(const struct cc *cc, const char *out)
{
	struct stat a, b;
	for (size_t i = 0; i < cc->nin && !stat(out, &a); i++)
		if (!stat(cc->in[i].path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino &&
		    S_ISREG(a.st_mode)) {
			cli_error("cc", "the output %s is one of the inputs", out);
			return false;
		}
	return true;
}

static bool compile_each(struct cc *cc)
{
	for (size_t i = 0; i < cc->nin; i++) {
		const struct cc_input *in = &cc->in[i];
		if (in->lang == LANG_OBJECT)
			continue;
		char *out = has_output(cc) ? output_name(cc, in) : NULL;
		const char *written = out ? out : cc->out;
		bool ok = (!written || is_no_input(cc, written)) &&
			  (cc->clean ? remove_output(out) : cc_compile(cc, in, out));
		free(out);
		if (!ok)
			return false;
	}
	return true;
}

static bool write_archive(struct cc *cc, const struct words *objects, const char *out)
{
	struct words w = {0};
	words_add(&w, "ar");
	words_add(&w, "rcs");
	words_add(&w, out);
	words_add_all(&w, objects);
	bool ok = cc_run(cc, &w);
	words_free(&w);
	return ok;
}

static const char *build_name(const struct cc *cc)
{
	return cc->out                  ? cc->out
	       : cc->goal == GOAL_LIB   ? "a.a"
	       : cc->goal == GOAL_DLINK ? "a_dlink.o"
					: "a.out";
}

static bool build_all(struct cc *cc)
{
	struct words objects = {0};
	bool ok = true;
	if (!is_no_input(cc, build_name(cc)))
		return false;
	if (cc->clean)
		return remove_output(build_name(cc));
	for (size_t i = 0; i < cc->nin && ok; i++) {
		const struct cc_input *in = &cc->in[i];
		if (in->lang == LANG_OBJECT) {
			words_add(&objects, in->path);
			continue;
		}
		char *obj = cc_temp(cc, ".o");
		words_add(&objects, obj);
		ok = cc_compile(cc, in, obj);
		free(obj);
	}
	if (ok && cc->goal == GOAL_LIB)
		ok = write_archive(cc, &objects, build_name(cc));
	else if (ok && cc->goal == GOAL_DLINK)
		ok = cc_dlink(cc, &objects, build_name(cc));
	else if (ok)
		ok = cc_link(cc, &objects, build_name(cc));
	words_free(&objects);
	return ok;
}

void cc_free(struct cc *cc)
{
	struct words *lists[] = {&cc->cpp,     &cc->host,     &cc->device,     &cc->link,
				 &cc->deps,    &cc->run_args, &cc->templates,  &cc->places,
				 &cc->foreign, &cc->kernels,  &cc->both_sides, &cc->calls_said};
	char *strings[] = {cc->keep_dir,     cc->seed,          cc->out,
			   cc->outdir,       cc->std,           cc->ccbin,
			   cc->tmp,          cc->home,          cc->tools.clang,
			   cc->tools.cxx,    cc->tools.c,       cc->tools.headers,
			   cc->tools.libdir, cc->tools.bitcode, cc->tools.omp_header,
			   cc->tools.omp_lib};
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		words_free(lists[i]);
	for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
		free(strings[i]);
	for (size_t i = 0; i < cc->nin; i++)
		free(cc->in[i].path);
	free(cc->in);
}

/* Returns the folder above bin/nvcc if this program was started as nvcc and the folder is a CUDA
 * home (heddle cuda-home): build systems ask nvcc for the places of its parts. */
static char *find_home(const char *self)
{
	const char *base = strrchr(self, '/');
	if (strncmp(base ? base + 1 : self, "nvcc", 4))
		return NULL;
	char *path = cc_in_path(self), *header = NULL, *home = NULL;
	char *slash = path ? strrchr(path, '/') : NULL;
	if (slash) {
		*slash = 0;
		header = cc_format("%s/../include/cuda_runtime.h", path);
		char *up = cc_format("%s/..", path);
		home = access(header, R_OK) ? NULL : realpath(up, NULL);
		free(up);
	}
	free(path);
	free(header);
	return home;
}

/* Prints the lines with which nvcc describes itself before its commands, because CMake reads
 * them. */
static void print_places(const struct cc *cc)
{
	static const char *const added[] = {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"};
	for (int i = 0; i < 2; i++)
		if (getenv(added[i]))
			fprintf(stderr, "#$ %s=\"%s\"\n", added[i], getenv(added[i]));
	const char *top = cc->home ? cc->home : cc->tools.libdir, *path = getenv("PATH");
	fprintf(stderr, "#$ TOP=%s\n#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n", top ? top : "",
		top ? top : "");
	fprintf(stderr, "#$ PATH=%s\n#$ INCLUDES=-I%s%s\n", path ? path : "",
		cc->home ? cc->home : cc->tools.headers, cc->home ? "/include" : "");
	if (cc->home || cc->tools.libdir)
		fprintf(stderr, "#$ LIBRARIES=-L%s%s\n", cc->home ? cc->home : cc->tools.libdir,
			cc->home ? "/lib64" : "");
	fprintf(stderr, "#$ ARCHITECTURE=-arch compute_%d%c\n", cc_arch(cc) / 10,
		cc->arch_suffix ? cc->arch_suffix : ' ');
}

/* -run: replaces this process by the built program. */
static int run_built(struct cc *cc)
{
	const char *name = build_name(cc);
	struct words w = {0};
	words_addf(&w, "%s%s", strchr(name, '/') ? "" : "./", name);
	words_add_all(&w, &cc->run_args);
	execv(w.v[0], w.v);
	cli_error("cc", "%s: %s", w.v[0], strerror(errno));
	words_free(&w);
	return CLI_FAILED;
}

/* Copies a source from standard input to a file, whose lines are those of <stdin>. */
static bool take_stdin(struct cc *cc, struct cc_input *in)
{
	static const char *const ends[] = {
		[LANG_CU] = "cu", [LANG_CXX] = "cpp", [LANG_C] = "c", [LANG_PTX] = "ptx"};
	if (in->lang == LANG_OBJECT) {
		cli_error("cc", "a source of standard input (-) needs its language (-x cu)");
		return false;
	}
	size_t n;
	char *text = cc_slurp("/dev/stdin", &n), *other = cc_temp(cc, "");
	char *path =
		cc_format("%.*s/-.%s", (int)(strrchr(other, '/') - other), other, ends[in->lang]);
	char *all = cc_format("%s%s", in->lang == LANG_PTX ? "" : "#line 1 \"<stdin>\"\n",
			      text ? text : "");
	bool ok = text && cc_spill(path, all, strlen(all));
	if (!text)
		cli_error("cc", "cannot read standard input");
	free(in->path);
	in->path = path;
	free(all);
	free(other);
	free(text);
	return ok;
}

static int run_command(struct cc *cc, int argc, char **argv)
{
	cc->home = find_home(argv[0]);
	int st = cc_parse(cc, argc, argv);
	if (st >= 0)
		return st;
	bool single = cc->goal != GOAL_LINK && cc->goal != GOAL_LIB && cc->goal != GOAL_DLINK;
	size_t sources = 0;
	for (size_t i = 0; i < cc->nin; i++)
		sources += cc->in[i].lang != LANG_OBJECT;
	if (single && cc->out && sources > 1) {
		cli_error("cc", "-o %s cannot name the output of %zu sources", cc->out, sources);
		return CLI_USAGE;
	}
	if (!cc_find_tools(cc))
		return CLI_FAILED;
	if (cc->verbose || cc->dry_run)
		print_places(cc);
	cc_begin();
	bool ok = true;
	for (size_t i = 0; i < cc->nin && ok && !cc->dry_run; i++)
		ok = strcmp(cc->in[i].path, "-") || take_stdin(cc, &cc->in[i]);
	ok = ok && (single ? compile_each(cc) : build_all(cc));
	cc_end(cc);
	if (ok && cc->run && cc->goal == GOAL_LINK && !cc->clean && !cc->dry_run)
		return run_built(cc);
	return ok ? CLI_OK : CLI_FAILED;
}

static int cmd_cc(int argc, char **argv)
{
	struct cc cc = {.goal = GOAL_LINK};
	int st = run_command(&cc, argc, argv);
	cc_free(&cc);
	return st;
}

const struct cli_command command_cc = {
	"cc",
	cmd_cc,
	"compile CUDA programs, with nvcc's options",
	NULL,
};
