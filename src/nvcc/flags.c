#include "nvcc/flags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include "command/command.h"
#include "heddle.h"

/* Returns the standard for a CUDA source: the headers need at least C++11. */
static const char *cuda_std(const char *std)
{
	static const char *const old[] = {"c++98", "c++03", "gnu++98", "gnu++03", NULL};
	for (const char *const *p = old; *p; p++)
		if (!strcmp(*p, std))
			return "gnu++11";
	return std;
}

void cc_cuda_flags(const struct cc *cc, struct words *w, const char *std)
{
	/* clang-format off */
	static const char *const fixed[] = {
		"--cuda-path=/nonexistent", "-nocudainc", "-nocudalib", "-fsigned-char",
		"-Wno-unknown-warning-option", "-Wno-unknown-cuda-version", "-Qunused-arguments",
		"-Wno-c++11-narrowing", "-Wno-reserved-user-defined-literal", "-Wno-register",
		"-Wno-dynamic-exception-spec", "-Wno-writable-strings", "-Wno-deprecated-register",
		"-Wno-cuda-compat", "-Wno-linker-warnings", "-Wno-format-security", "-Wno-pass-failed",
		"-Wno-invalid-source-encoding", "-Wno-return-type", "-Wno-c++17-extensions",
		"-Wno-c++20-extensions", "-Wno-format", "-Wno-vla-cxx-extension", "-Wno-parentheses",
		"-Wno-deprecated-declarations", "-Wno-inline-asm", "-Wno-null-conversion",
		"-Wno-deprecated-non-prototype", "-Wno-asm-operand-widths", "-Wno-unused-value",
		"-Wno-unsequenced", "-Wno-constant-conversion", "-Wno-absolute-value",
		"-Wno-nontrivial-memcall", "-Wno-macro-redefined", "-Wno-switch",
		"-Wno-implicit-const-int-float-conversion", "-Wno-literal-conversion", "-Wno-enum-compare",
		"-Wno-error=reserved-user-defined-literal", "-Wno-error=static-float-init",
		"-fno-strict-aliasing", "-fno-delete-null-pointer-checks",
	};
	/* clang-format on */
	words_add(w, cc->tools.clang);
	for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
		words_add(w, fixed[i]);
	words_addf(w, "-std=%s", cuda_std(std));
	words_add(w, "-Xclang"); /* device code may declare functions with ..., as in nvcc */
	words_add(w, "-fcuda-allow-variadic-functions");
}

bool cc_is_alone(const struct cc *cc)
{
	return cc->goal == GOAL_PTX || cc->goal == GOAL_FATBIN || cc->goal == GOAL_CUBIN;
}

static void own_macros(const struct cc *cc, struct words *w)
{
	if (cc->tools.libdevice)
		words_add(w, "-D__HEDDLE_LIBDEVICE=1");
	if (cc->ftz)
		words_add(w, "-D__HEDDLE_FTZ=1");
	if (!cc->prec_sqrt)
		words_add(w, "-D__HEDDLE_APPROX_SQRT=1");
	if (!cc->prec_div)
		words_add(w, "-D__CUDA_PREC_DIV=0");
	if (cc->fast_math)
		words_add(w, "-D__USE_FAST_MATH__=1");
	if (cc->rdc)
		words_add(w, "-D__CUDACC_RDC__=1");
	if (cc_arch(cc) >= 900) /* no older compiler has this architecture */
		words_add(w, "-D__HEDDLE_COMPILER_12=1");
	if (cc->device_debug)
		words_add(w, "-D__CUDACC_DEBUG__=1");
	if (cc_is_alone(cc) && !cc->rdc) /* with -rdc, clang would define such a variable twice */
		words_add(w, "-D__HEDDLE_DEVICE_ALONE=1");
}

void cc_macro_flags(const struct cc *cc, struct words *w)
{
	if (cc->all_launches) {
		words_add(w, "-include");
		words_addf(w, "%s/host_defines.h", cc->tools.headers);
	}
	for (size_t i = 0; i < cc->cpp.n; i++)
		if (!strncmp(cc->cpp.v[i], "-D", 2) || !strncmp(cc->cpp.v[i], "-U", 2))
			words_add(w, cc->cpp.v[i]);
	own_macros(cc, w);
}

/* True if this -I names the headers of NVIDIA's toolkit. Makefiles contain such an -I whether or
 * not a toolkit is installed. */
static bool toolkit_headers(const struct cc *cc, const char *dir)
{
	char *p = cc_format("%s/cuda_runtime_api.h", dir);
	bool found = access(p, R_OK) == 0 && strcmp(dir, cc->tools.headers) != 0;
	free(p);
	return found;
}

void cc_path_flags(const struct cc *cc, struct words *w)
{
	struct words later = {0};
	words_add(&later, cc->tools.headers);
	for (size_t i = 0; i < cc->cpp.n; i++) {
		const char *flag = cc->cpp.v[i];
		bool path = !strcmp(flag, "-I") || !strcmp(flag, "-isystem");
		if (path && i + 1 < cc->cpp.n && toolkit_headers(cc, cc->cpp.v[i + 1]))
			words_add(&later, cc->cpp.v[++i]);
		else
			words_add(w, flag);
	}
	for (size_t i = 0; i < later.n; i++) {
		words_add(w, "-isystem");
		words_add(w, later.v[i]);
	}
	words_free(&later);
}

void cc_include_flags(const struct cc *cc, struct words *w)
{
	words_add(w, "-include"); /* included before the user's headers, which may use CUDA */
	words_add(w, "heddle/wrapper.h");
	cc_path_flags(cc, w);
	own_macros(cc, w);
	if (cc->openmp && cc->tools.omp_header) {
		words_add(w, "-ivfsoverlay");
		words_addf(w, "%s/openmp.overlay", cc->tmp);
		words_add(w, "-isystem");
		words_addf(w, "%s/openmp", cc->tmp);
	}
}

void cc_device_flags(const struct cc *cc, struct words *w)
{
	words_add(w, "--cuda-device-only");
	words_add(w, "-w"); /* no warnings, because the host pass prints them */
	cc_arch_flags(cc, w);
	if (cc->ftz)
		words_add(w, "-fcuda-flush-denormals-to-zero");
	if (cc->fast_math)
		words_add(w, "-fcuda-approx-transcendentals");
	/* fuses only instructions that are marked for fusing; instructions of the math library are
	 * not */
	words_add(w, "-Xclang");
	words_add(w, cc->fmad ? "-ffp-contract=fast-honor-pragmas" : "-ffp-contract=off");
	if (!cc->prec_div) {
		words_add(w, "-mllvm");
		words_addf(w, "-nvptx-prec-divf32=%d", cc->fast_math ? 0 : 1);
	}
	if (!cc->prec_sqrt) {
		words_add(w, "-mllvm");
		words_add(w, "-nvptx-prec-sqrtf32=0");
	}
	if (cc->rdc)
		words_add(w, "-fgpu-rdc");
}

/* Names the processor to clang. Clang derives features from the name alone, but the system may not
 * allow its SVE. */
static void processor_flags(const struct cc *cc, struct words *w)
{
#if defined(__aarch64__)
	for (size_t i = 0; i < cc->host.n; i++)
		if (!strcmp(cc->host.v[i], "-mcpu=native") && !(getauxval(AT_HWCAP) & HWCAP_SVE))
			words_add(w, "-mcpu=native+nosve");
#else
	(void)cc;
	(void)w;
#endif
}

void cc_host_flags(const struct cc *cc, struct words *w)
{
	words_add(w, "--cuda-host-only");
	words_add(w,
		  /* only the host: nvcc's device code assumes that signed overflow is impossible */
		  "-fwrapv");
	words_add(w, "-Xclang");
	words_add(w, "-target-sdk-version=11.0");
	words_add(w, "-ffp-contract=off");
	words_add(w, "-fno-strict-return");
	/* an uninitialised variable has some value, and printing it does not end the program */
	words_add(w, "-Xclang");
	words_add(w, cc->tools.version < 15 ? "-disable-noundef-analysis"
					    : "-no-enable-noundef-analysis");
	for (size_t i = 0; i < cc->host.n; i++)
		if (!words_have(&cc->foreign, cc->host.v[i], (unsigned)strlen(cc->host.v[i])))
			words_add(w, cc->host.v[i]);
	/* -Werror in a makefile was meant for a compiler with fewer warnings than clang */
	if (words_have(&cc->host, "-Werror", (unsigned)strlen("-Werror")))
		words_add(w, "-Wno-error");
	processor_flags(cc, w);
	if (cc->pic || cc->shared)
		words_add(w, "-fPIC");
	if (cc->openmp && cc->tools.omp_lib)
		words_add(w, "-fopenmp");
	if (cc->rdc)
		words_add(w, "-fgpu-rdc");
	/* otherwise clang 20 and later leave the registration to a linker of their own */
	if (cc->rdc && cc->tools.version >= 17)
		words_add(w, "--no-offload-new-driver");
}

void cc_unit_id(const struct cc *cc, struct words *w, const char *path, const char *out)
{
	unsigned long h = 5381;
	for (const char *p = path; *p; p++)
		h = h * 33 ^ (unsigned char)*p;
	for (const char *p = out ? out : ""; *p; p++)
		h = h * 33 ^ (unsigned char)*p;
	for (const char *p = cc->seed ? cc->seed : ""; *p; p++)
		h = h * 33 ^ (unsigned char)*p;
	words_addf(w, "-cuid=%08lx%x", h & 0xffffffff, cc->seed ? 0 : (unsigned)getpid());
}

void cc_index_checks(struct words *w)
{
	static const char *const flag[] = {"-fsanitize=array-bounds",
					   "-fsanitize-recover=array-bounds"};
	for (unsigned i = 0; i < sizeof flag / sizeof *flag; i++) {
		words_add(w, "-Xclang");
		words_add(w, flag[i]);
	}
}

void cc_line_tables(const struct cc *cc, struct words *w)
{
	if (cc->goal == GOAL_CUDA)
		return;
	if (!cc->debug)
		words_add(w, "-gline-tables-only");
	words_add(w, "-gdwarf-4");
	words_addf(w, "-fdebug-prefix-map=%s=.", cc->tmp);
}

void cc_dependency_flags(const struct cc *cc, const char *out, struct words *deps)
{
	bool target = false, file = false;
	if (!cc->deps.n)
		return;
	words_add_all(deps, &cc->deps);
	for (size_t i = 0; i < deps->n; i++) {
		target |= !strcmp(deps->v[i], "-MT") || !strcmp(deps->v[i], "-MQ");
		file |= !strcmp(deps->v[i], "-MF");
	}
	if (!target) {
		words_add(deps, "-MT");
		words_add(deps, out);
	}
	if (!file) {
		const char *dot = strrchr(out, '.');
		words_add(deps, "-MF");
		words_addf(deps, "%.*s.d", (int)(dot ? dot - out : (long)strlen(out)), out);
	}
}
