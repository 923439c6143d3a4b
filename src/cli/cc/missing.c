/* A header that was not found and belongs to software outside of Heddle: what it is. */
#include "cli/cc/cc.h"

#include <stdio.h>
#include <string.h>

static const struct outside {
	const char *prefix, *what;
} outside[] = {
	{"thrust/", "NVIDIA's library Thrust"},
	{"cub/", "NVIDIA's library CUB"},
	{"cuda/std/", "NVIDIA's library libcu++"},
	{"cublas", "NVIDIA's library cuBLAS"},
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
	{"nvml", "NVIDIA's library NVML"},
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

void cc_note_missing(const char *messages)
{
	const char *end = strstr(messages, "' file not found"), *start = end;
	if (!end)
		return;
	while (start > messages && start[-1] != '\'' && start[-1] != '\n')
		start--;
	size_t n = (size_t)(end - start);
	for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
		if (!strncmp(start, outside[i].prefix, strlen(outside[i].prefix))) {
			fprintf(stderr, "heddle cc: %.*s is a header of %s, which is not part of Heddle; "
				"name its directory with -I if you have it\n", (int)n, start, outside[i].what);
			return;
		}
}
