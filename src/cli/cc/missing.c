/* Names the software outside of Heddle that an unknown header or function belongs to. */
#include "cli/cc/cc.h"

#include <stdio.h>
#include <string.h>

static const struct outside {
	const char *prefix, *what;
} outside[] = {
	{"cublasXt", "NVIDIA's library cuBLAS"},
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

/* Debian and Ubuntu have a package of these, which the compiler then finds by itself. */
static const struct outside packaged[] = {
	{"thrust/", "NVIDIA's library Thrust"},
	{"cub/", "NVIDIA's library CUB"},
};

/* Heddle has some headers of these, which do not mix with the library's own. */
static const struct outside partly[] = {
	{"cuda/", "NVIDIA's library libcu++"},
};

/* Heddle has part of their functions, or only the types. */
static const struct outside functions[] = {
	{"cublasLt", "NVIDIA's library cuBLASLt"}, {"cublas", "NVIDIA's library cuBLAS"},
	{"cufft", "NVIDIA's library cuFFT"},       {"cusolver", "NVIDIA's library cuSOLVER"},
	{"cusparse", "NVIDIA's library cuSPARSE"}, {"curand", "NVIDIA's library cuRAND"},
	{"nvml", "NVIDIA's library NVML"},
};

static const struct outside *find(const struct outside *o, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strncmp(name, o[i].prefix, strlen(o[i].prefix)))
			return &o[i];
	return NULL;
}

/* The end of the first header's name that clang or gcc did not find; NULL: none. */
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
	const struct outside *o = find(outside, sizeof outside / sizeof *outside, start);
	if (o)
		fprintf(stderr,
			"heddle cc: %.*s is a header of %s, which is not part of Heddle; "
			"name its directory with -I if you have it\n",
			n, start, o->what);
	else if ((o = find(packaged, sizeof packaged / sizeof *packaged, start)))
		fprintf(stderr,
			"heddle cc: %.*s is a header of %s, which is not part of Heddle; install the "
			"package libthrust-dev (version 1), or name its directory with -I\n",
			n, start, o->what);
	else if ((o = find(partly, sizeof partly / sizeof *partly, start)))
		fprintf(stderr, "heddle cc: %.*s is a header of %s that Heddle does not have\n", n,
			start, o->what);
}

static void note_function(const char *messages)
{
	static const char says[] = "use of undeclared identifier '";
	for (const char *p = messages; (p = strstr(p, says));) {
		p += strlen(says);
		const struct outside *o = find(functions, sizeof functions / sizeof *functions, p);
		if (!o)
			continue;
		fprintf(stderr, "heddle cc: %.*s is a function of %s that Heddle does not have\n",
			(int)strcspn(p, "'\n"), p, o->what);
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
			"its address taken: outside of a function's body\n");
}

bool cc_is_missing(const char *messages)
{
	return strstr(messages, "' file not found") || cc_refuses_launch(messages);
}

void cc_note_missing(const char *messages)
{
	note_header(messages);
	note_function(messages);
	note_launch(messages);
}
