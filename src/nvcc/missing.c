/* Names the software outside of Heddle that an unknown header, function or library belongs to. */
#include "nvcc/cc.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct outside {
	const char *prefix, *what;
} outside[] = {
	{"cublasXt", "NVIDIA's library cuBLAS"},
	{"cufftw", "NVIDIA's library cuFFTW"},
	{"cufft", "NVIDIA's library cuFFT"},
	{"cusparse", "NVIDIA's library cuSPARSE"},
	{"cusolver", "NVIDIA's library cuSOLVER"},
	{"cudnn", "NVIDIA's library cuDNN"},
	{"cutlass/", "NVIDIA's library CUTLASS"},
	{"cute/", "NVIDIA's library CUTLASS"},
	{"npp", "NVIDIA's library NPP"},
	{"nvjpeg", "NVIDIA's library nvJPEG"},
	{"nvgraph", "NVIDIA's library nvGRAPH"},
	{"nvrtc", "NVIDIA's run-time compiler NVRTC"},
	{"nvFatbin", "NVIDIA's library nvFatbin"},
	{"nvfatbin", "NVIDIA's library nvFatbin"},
	{"nvvm", "NVIDIA's compiler library libNVVM"},
	{"cufile", "NVIDIA's library cuFile"},
	{"cudla", "NVIDIA's library cuDLA"},
	{"nccl", "NVIDIA's library NCCL"},
	{"nvshmem", "NVIDIA's library NVSHMEM"},
	{"cupti", "NVIDIA's library CUPTI"},
	{"nvSci", "NVIDIA's library NvSci"},
	{"cuda_gl_interop", "OpenGL interoperability"},
	{"cudaGL", "OpenGL interoperability"},
	{"cuda_egl_interop", "EGL interoperability"},
	{"cudaEGL", "EGL interoperability"},
	{"cuda_d3d", "Direct3D interoperability"},
	{"cuda_vdpau", "VDPAU interoperability"},
	{"GL/", "OpenGL"},
	{"GLFW/", "OpenGL"},
	{"mpi.h", "MPI"},
};

/* Libraries that Debian and Ubuntu package; once installed, the compiler finds them by itself. */
static const struct outside packaged[] = {
	{"thrust/", "NVIDIA's library Thrust"},
	{"cub/", "NVIDIA's library CUB"},
};

/* Libraries of which Heddle has some headers, which do not mix with the library's own. */
static const struct outside partly[] = {
	{"cuda/", "NVIDIA's library libcu++"},
};

/* Libraries of which Heddle has some functions, or only types. */
static const struct part {
	struct outside of;
	const char *library;
} parts[] = {
	{{"cublas", "NVIDIA's library cuBLAS"}, "libcublas.so"},
	{{"cufft", "NVIDIA's library cuFFT"}, "libcufft.so"},
	{{"cusolver", "NVIDIA's library cuSOLVER"}, "libcusolver.so"},
	{{"cusparse", "NVIDIA's library cuSPARSE"}, "libcusparse.so"},
	{{"curand", "NVIDIA's library cuRAND"}, "libcurand.so"},
	{{"nvrtc", "NVIDIA's library NVRTC"}, "libnvrtc.so"},
	{{"nvml", "NVIDIA's library NVML"}, NULL},
	{{"nvPTXCompiler", "NVIDIA's PTX compiler library"}, NULL},
};

static const struct outside *find_software(const struct outside *o, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(name, o[i].prefix, strlen(o[i].prefix)))
			return &o[i];
	return NULL;
}

const char *cc_outside(const char *name)
{
	const struct outside *o = find_software(outside, sizeof outside / sizeof *outside, name);
	return o ? o->what : "This library";
}

/* Returns the end of the first header's name that clang or gcc did not find; NULL: none. */
static const char *not_found(const char *messages)
{
	const char *clang = strstr(messages, "' file not found");
	const char *gcc = strstr(messages, ": fatal error: ");
	gcc = gcc ? strstr(gcc, ": No such file or directory") : NULL;
	return clang ? clang : gcc;
}

static void note_header(const char *messages)
{
	const char *end = not_found(messages), *start = end;
	if (!end)
		return;
	while (start > messages && !strchr("' \n", start[-1]))
		start--;
	int n = (int)(end - start);
	const struct outside *o = find_software(outside, sizeof outside / sizeof *outside, start);
	if (o)
		fprintf(stderr,
			"heddle cc: %.*s is a header of %s, which is not part of Heddle; "
			"name its directory with -I if you have it\n",
			n, start, o->what);
	else if ((o = find_software(packaged, sizeof packaged / sizeof *packaged, start)))
		fprintf(stderr,
			"heddle cc: %.*s is a header of %s, which is not part of Heddle; install the "
			"package libthrust-dev (version 1), or name its directory with -I\n",
			n, start, o->what);
	else if ((o = find_software(partly, sizeof partly / sizeof *partly, start)))
		fprintf(stderr, "heddle cc: %.*s is a header of %s that Heddle does not have\n", n,
			start, o->what);
}

/* True if our library has the function: then its header or -l is missing, not the function.
 * cublas_v2.h gives some functions longer names. */
static bool library_has(const struct cc *cc, const char *library, const char *name)
{
	struct words names = {0};
	char *path = cc_format("%s/%s", cc->tools.libdir ? cc->tools.libdir : "", library);
	char *second = cc_format("%s_v2", name);
	cc_exports(path, &names);
	bool found = words_have(&names, name, (unsigned)strlen(name)) ||
		     words_have(&names, second, (unsigned)strlen(second));
	words_free(&names);
	free(second);
	free(path);
	return found;
}

static bool note_name(const struct cc *cc, const char *name)
{
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		const struct part *p = &parts[i];
		if (strncmp(name, p->of.prefix, strlen(p->of.prefix)))
			continue;
		if (p->library && library_has(cc, p->library, name))
			return false;
		fprintf(stderr, "heddle cc: %s is a function of %s that Heddle does not have\n",
			name, p->of.what);
		return true;
	}
	return false;
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Reports the name that a message of clang, gcc or the linker quotes; quotes have one or three
 * bytes. */
static void note_function(const struct cc *cc, const char *messages)
{
	static const struct {
		const char *says;
		bool before;
	} of[] = {{"use of undeclared identifier ", false},
		  {"implicit declaration of function ", false},
		  {"undefined reference to ", false},
		  {" was not declared in this scope", true}};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++)
		for (const char *p = messages; (p = strstr(p, of[i].says)); p++) {
			const char *from = p, *to;
			if (of[i].before) {
				while (from > messages && !in_name(from[-1]) && from[-1] != '\n')
					from--;
				for (to = from; from > messages && in_name(from[-1]);)
					from--;
			} else {
				from += strlen(of[i].says);
				from += strspn(from, "'`\xe2\x80\x98");
				for (to = from; in_name(*to);)
					to++;
			}
			char *name = cc_format("%.*s", (int)(to - from), from);
			bool noted = note_name(cc, name);
			free(name);
			if (noted)
				return;
		}
}

/* Reports a library that the linker does not find. */
static void note_library(const char *messages)
{
	static const char says[] = "cannot find -l";
	for (const char *p = messages; (p = strstr(p, says));) {
		p += strlen(says);
		const struct outside *o =
			find_software(outside, sizeof outside / sizeof *outside, p);
		if (!o)
			continue;
		fprintf(stderr,
			"heddle cc: -l%.*s is %s, which is not part of Heddle; name its directory "
			"with -L if you have it\n",
			(int)strcspn(p, ": \n"), p, o->what);
		return;
	}
}

bool cc_refuses_launch(const char *messages)
{
	static const char *const of[] = {"reference to __global__ function ",
					 "reference to __host__ function 'cudaConfigureCall'",
					 "reference to __host__ function '__cudaPushCall"};
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		const char *p = strstr(messages, of[i]);
		if (p && strstr(p, " in __"))
			return true;
	}
	return false;
}

static void note_launch(const char *messages)
{
	if (cc_refuses_launch(messages))
		fprintf(stderr,
			"heddle cc: device code names a kernel where it can be neither launched nor "
			"its address taken\n");
}

bool cc_is_missing(const char *messages)
{
	return strstr(messages, "' file not found") || cc_refuses_launch(messages);
}

void cc_note_missing(const struct cc *cc, const char *messages)
{
	note_header(messages);
	note_function(cc, messages);
	note_library(messages);
	note_launch(messages);
}

bool cc_run_noting(struct cc *cc, const struct words *argv)
{
	char *err = cc_temp(cc, ".err");
	bool ok = cc_wait(cc, cc_start(cc, argv, err, -1));
	size_t n;
	char *text = cc->dry_run ? NULL : cc_slurp(err, &n);
	if (text) {
		fwrite(text, 1, n, stderr);
		cc_note_missing(cc, text);
	}
	free(text);
	free(err);
	return ok;
}
