/* heddle cuda-home: makes a folder that looks like NVIDIA's toolkit to build systems.
 *
 *   DIR/bin/nvcc       the heddle command, which is `heddle cc` under this name
 *   DIR/bin/__nvcc_device_query  the heddle command too, which under this name prints the simulated architecture
 *   DIR/include        our CUDA headers
 *   DIR/lib64          files that linkers look for, and the libraries themselves; DIR/lib is a link to it
 *   DIR/lib64/stubs    links to our libraries in lib64: `heddle cc` searches this folder before the program's -L
 *   DIR/nvvm/libdevice empty: CMake finds the root by it
 *   DIR/nvvm/lib64     an empty stand-in for a library, like some of lib64
 *   DIR/version.txt    the release whose interface the headers have
 *
 * A program linked by plain gcc with -lcudart must find the library when it runs, with no -rpath on
 * its command line. So the file that the linker reads is not the library but an outline of it: the
 * same names, with the library's whole path as its DT_SONAME, which the linker copies into the
 * program. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "nvcc/cc.h"
#include "cli/commands.h"

static const struct cli_page page_cuda_home = {
	.usage = "cuda-home DIR",
	.text = "Makes DIR a folder that build systems take for NVIDIA's toolkit: bin/nvcc, which is "
		"`heddle cc`, include and lib64. Give it to a makefile as CUDA_HOME, CUDA_PATH or "
		"CUDA_INSTALL_PATH, to a configure script as --with-cuda or the like, to CMake as "
		"-DCMAKE_CUDA_COMPILER=DIR/bin/nvcc (and -DCUDA_TOOLKIT_ROOT_DIR=DIR for old files); "
		"or put DIR/bin first in PATH. Programs that gcc links with -LDIR/lib64 -lcudart find "
		"the library when they run. The folder names this build of Heddle; it must stay where "
		"it is. What DIR had of an earlier call is replaced.",
	.examples = "  $ heddle cuda-home ~/cuda\n"
		    "  $ make CUDA_HOME=~/cuda\n"
		    "  $ cmake -B out -DCMAKE_CUDA_COMPILER=$HOME/cuda/bin/nvcc\n",
};

/* The libraries, by the names that programs ask for at run time and that linkers look for. */
static const struct {
	const char *link, *name;
} libraries[] = {
	{"libcudart.so", "libcudart.so.11.0"},   {"libcuda.so", "libcuda.so.1"},
	{"libcublas.so", "libcublas.so.11"},     {"libcublasLt.so", "libcublasLt.so.11"},
	{"libcufft.so", "libcufft.so.10"},       {"libnvJitLink.so", "libnvJitLink.so.12"},
	{"libcurand.so", "libcurand.so.10"},     {"libnvrtc.so", "libnvrtc.so.11.2"},
	{"libcusparse.so", "libcusparse.so.11"}, {"libcusolver.so", "libcusolver.so.11"},
};

/* Linker scripts in place of libraries: each names one of ours. NULL: an empty script, because the
 * library's functions are in its header or ours does without the library. */
static const struct {
	const char *name, *library;
} scripts[] = {
	{"libcudart_static.a", "libcudart.so"},
	{"libnvidia-ml.so", "libcudart.so"},
	{"libnvptxcompiler_static.a", "libcudart.so"},
	{"libcublas_static.a", "libcublas.so"},
	{"libcublasLt_static.a", "libcublasLt.so"},
	{"libcufft_static.a", "libcufft.so"},
	{"libcufft_static_nocallback.a", "libcufft.so"},
	{"libcurand_static.a", "libcurand.so"},
	{"libcusparse_static.a", "libcusparse.so"},
	{"libcusolver_static.a", "libcusolver.so"},
	{"libnvrtc_static.a", "libnvrtc.so"},
	{"libnvJitLink_static.a", "libnvJitLink.so"},
	{"libnvToolsExt.so", NULL},
	{"libculibos.a", NULL},
	{"libcusolver_lapack_static.a", NULL},
	{"libcusolver_metis_static.a", NULL},
	{"libnvrtc-builtins.so", NULL},
	{"libnvrtc-builtins_static.a", NULL},
};

/* Libraries that toolkits have and Heddle lacks. A build system asks for the files of all of them
 * when it configures, even for parts of the project that are not built; so each file exists as an
 * object without functions, with a linker warning. CUPTI is not among them, because projects work
 * without it; nor is OpenCL, which other packages provide. */
static const struct {
	const char *name;
	bool also_static;
} absent[] = {
	{"nppc", true},    {"nppial", true}, {"nppicc", true}, {"nppicom", true},
	{"nppidei", true}, {"nppif", true},  {"nppig", true},  {"nppim", true},
	{"nppist", true},  {"nppisu", true}, {"nppitc", true}, {"npps", true},
	{"nppi", false},   {"npp", false},   {"nvjpeg", true}, {"nvfatbin", true},
	{"nvgraph", true}, {"cufftw", true}, {"cufile", true}, {"cufile_rdma", true},
	{"cudla", false},  {"nvvm", false},
};

static bool report_failure(const char *path)
{
	cli_error("cuda-home", "%s: %s", path, strerror(errno));
	return false;
}

static bool make_dir(const char *home, const char *name)
{
	char *path = cc_format("%s/%s", home, name);
	bool ok = cli_make_dirs(path) || report_failure(path);
	free(path);
	return ok;
}

static bool make_link(const char *home, const char *name, const char *target)
{
	char *path = cc_format("%s/%s", home, name);
	bool ok = (!unlink(path) || errno == ENOENT) && !symlink(target, path);
	if (!ok)
		report_failure(path);
	free(path);
	return ok;
}

static bool make_file(const char *home, const char *name, const char *text)
{
	char *path = cc_format("%s/%s", home, name);
	unlink(path);
	bool ok = cc_spill(path, text, strlen(text));
	free(path);
	return ok;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Writes an assembler source with a label for each of the names. */
static bool write_labels(struct words *names, const char *path)
{
	FILE *f = fopen(path, "w");
	if (!f)
		return report_failure(path);
	qsort(names->v, names->n, sizeof *names->v, by_name);
	fputs(".section .note.GNU-stack,\"\",%progbits\n.text\n", f);
	for (size_t i = 0; i < names->n; i++)
		if (!i || strcmp(names->v[i], names->v[i - 1]))
			fprintf(f, ".globl %s\n.type %s, %%function\n%s:\n", names->v[i],
				names->v[i], names->v[i]);
	return !fclose(f) || report_failure(path);
}

/* Makes lib64/LINK, the outline of lib64/NAME. */
static bool make_outline(struct cc *cc, const char *home, const char *link, const char *name)
{
	char *library = cc_format("%s/lib64/%s", home, name), *src = cc_temp(cc, ".s"),
	     *out = cc_format("%s/lib64/%s", home, link);
	struct words names = {0}, w = {0};
	cc_exports(library, &names);
	bool ok = names.n && write_labels(&names, src);
	if (!names.n)
		cli_error("cuda-home", "%s: not a library that programs can be linked with",
			  library);
	unlink(out);
	words_add(&w, cc->tools.c);
	words_add(&w, "-shared");
	words_add(&w, "-nostdlib");
	words_addf(&w, "-Wl,-soname,%s", library);
	words_add(&w, src);
	words_add(&w, "-o");
	words_add(&w, out);
	ok = ok && cc_run(cc, &w);
	words_free(&names);
	words_free(&w);
	free(library);
	free(src);
	free(out);
	return ok;
}

/* Makes an object without functions that contains a warning for the linker to print. */
static char *make_warning(struct cc *cc, const char *what, size_t *n)
{
	char *src = cc_temp(cc, ".s"), *obj = cc_temp(cc, ".o"), *object = NULL;
	char *text =
		cc_format(".section .note.GNU-stack,\"\",%%progbits\n"
			  ".section .gnu.warning,\"\",%%progbits\n"
			  ".ascii \"%s is not part of Heddle: none of its functions is here\"\n",
			  what);
	struct words w = {0};
	words_add(&w, cc->tools.c);
	words_add(&w, "-c");
	words_add(&w, src);
	words_add(&w, "-o");
	words_add(&w, obj);
	if (cc_spill(src, text, strlen(text)) && cc_run(cc, &w))
		object = cc_slurp(obj, n);
	words_free(&w);
	free(text);
	free(src);
	free(obj);
	return object;
}

static bool make_absent_file(const char *home, const char *dir, const char *name, const char *end,
			     const char *object, size_t n)
{
	char *path = cc_format("%s/%s/lib%s%s", home, dir, name, end);
	unlink(path);
	bool ok = cc_spill(path, object, n);
	free(path);
	return ok;
}

static bool make_absent(struct cc *cc, const char *home)
{
	const char *of = NULL;
	char *object = NULL;
	size_t n = 0;
	bool ok = true;
	for (size_t i = 0; i < sizeof absent / sizeof *absent && ok; i++) {
		const char *name = absent[i].name, *what = cc_outside(name);
		const char *dir = strcmp(name, "nvvm") ? "lib64" : "nvvm/lib64";
		if (!of || strcmp(of, what)) {
			free(object);
			object = make_warning(cc, what, &n);
			of = what;
		}
		ok = object && make_absent_file(home, dir, name, ".so", object, n) &&
		     (!absent[i].also_static ||
		      make_absent_file(home, dir, name, "_static.a", object, n));
	}
	free(object);
	return ok;
}

/* Makes lib64/stubs/NAME a link to the file of that name in lib64, if there is one. */
static bool make_stub(const char *home, const char *name)
{
	char *path = cc_format("%s/lib64/%s", home, name),
	     *stub = cc_format("lib64/stubs/%s", name), *target = cc_format("../%s", name);
	bool ok = access(path, R_OK) || make_link(home, stub, target);
	free(path);
	free(stub);
	free(target);
	return ok;
}

static bool make_stubs(const char *home)
{
	bool ok = make_stub(home, "libcudadevrt.a");
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries && ok; i++)
		ok = make_stub(home, libraries[i].link);
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts && ok; i++)
		ok = make_stub(home, scripts[i].name);
	return ok;
}

static bool make_script(const char *home, const char *script, const char *library)
{
	char *name = cc_format("lib64/%s", script);
	char *path = cc_format("%s/lib64/%s", home, library ? library : "");
	char *text = library ? cc_format("INPUT ( %s )\n", path)
			     : cc_format("/* nothing is to be linked */\n");
	bool ok = access(path, R_OK) || make_file(home, name, text);
	free(text);
	free(path);
	free(name);
	return ok;
}

static bool make_libraries(struct cc *cc, const char *home)
{
	bool ok = true;
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries && ok; i++) {
		char *real = cc_format("%s/%s", cc->tools.libdir, libraries[i].name);
		char *name = cc_format("lib64/%s", libraries[i].name);
		/* not every build contains the mathematical libraries */
		bool there = i < 2 || !access(real, R_OK);
		ok = !there || (make_link(home, name, real) &&
				make_outline(cc, home, libraries[i].link, libraries[i].name));
		free(real);
		free(name);
	}
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts && ok; i++)
		ok = make_script(home, scripts[i].name, scripts[i].library);
	return ok && make_file(home, "lib64/libcudadevrt.a", "!<arch>\n") && make_stubs(home) &&
	       make_absent(cc, home) && make_link(home, "lib", "lib64");
}

static bool make_home(struct cc *cc, const char *home)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	if (n < 0)
		return report_failure("/proc/self/exe");
	exe[n] = 0;
	return make_dir(home, "bin") && make_dir(home, "lib64/stubs") &&
	       make_dir(home, "nvvm/libdevice") && make_dir(home, "nvvm/lib64") &&
	       make_link(home, "bin/nvcc", exe) &&
	       make_link(home, "bin/__nvcc_device_query", exe) &&
	       make_link(home, "include", cc->tools.headers) && make_libraries(cc, home) &&
	       make_file(home, "version.txt", "CUDA Version " CC_CUDA_VERSION "\n") &&
	       make_file(home, "version.json",
			 "{\"cuda\": {\"name\": \"Heddle's CUDA interface\", \"version\": "
			 "\"" CC_CUDA_VERSION "\"}}\n");
}

int cuda_home_device_query(void)
{
	int arch = cc_native_arch();
	if (!arch)
		return CLI_FAILED;
	printf("%d\n", arch / 10);
	return CLI_OK;
}

static int cmd_cuda_home(int argc, char **argv)
{
	struct cli_walk w;
	const char *dir = NULL;
	cli_walk_start(&w, &page_cuda_home, argc, argv);
	for (int o; (o = cli_walk_next(&w)) != CLI_END;) {
		if (o == CLI_HELP)
			return cli_help(&command_cuda_home);
		if (o == CLI_BAD)
			return CLI_USAGE;
		if (dir) {
			cli_error("cuda-home", "one folder is made, %s and %s are given", dir,
				  w.arg[0]);
			return CLI_USAGE;
		}
		dir = w.arg[0];
	}
	if (!dir || !*dir) {
		cli_error("cuda-home", "needs the folder to make");
		return CLI_USAGE;
	}
	struct cc cc = {0};
	char *made = strdup(dir);
	bool ok = made && (cli_make_dirs(made) || report_failure(dir)) && cc_find_tools(&cc);
	char *home = ok ? realpath(dir, NULL) : NULL;
	if (ok && !cc.tools.libdir) {
		cli_error("cuda-home", "libcudart.so is not beside the program; HEDDLE_CUDA_LIB "
				       "names its directory");
		ok = false;
	}
	ok = ok && home && make_home(&cc, home);
	cc_end(&cc);
	cc_free(&cc);
	free(made);
	free(home);
	return ok ? CLI_OK : CLI_FAILED;
}

const struct cli_command command_cuda_home = {
	"cuda-home",
	cmd_cuda_home,
	"make a folder that build systems take for CUDA's toolkit",
	&page_cuda_home,
};
