// options: -lcuda
/* Unsupported driver functions have their types and parameters and return an error; names are
 * demangled, and attributes of streams are accepted by their driver names. */
#include "check.h"
#include <cuda.h>
#if __has_include(<GL/gl.h>)
#include <cudaGL.h>
#include <cuda_gl_interop.h>
#endif
#include <nv_decode.h>
#include <stdlib.h>
#include <string.h>

#define REFUSED(call) CHECK((call) == CUDA_ERROR_NOT_SUPPORTED)

/* A map is a parameter of kernels. */
static_assert(sizeof(CUtensorMap) == 128 && alignof(CUtensorMap) == 64, "as kernels take it");
__global__ void copies(const __grid_constant__ CUtensorMap map, float *to) { *to = (float)(size_t)&map; }

int main()
{
	CUevent event;
	CUstream stream;
	CUipcEventHandle handle;
	CUmemPoolPtrExportData data;
	CUDA_EXTERNAL_MEMORY_HANDLE_DESC desc = {};
	CUexternalMemory memory;
	CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC sem_desc = {};
	CUexternalSemaphore semaphore;
	CUDA_BATCH_MEM_OP_NODE_PARAMS batch = {};
	CUgraph graph;
	CUgraphNode node;
	CUstreamAttrValue policy = {};
	CUDA(cudaFree(0));
	CHECK(!cuEventCreate(&event, CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS) || !cuEventCreate(&event, 0));
	CHECK(!cuStreamCreate(&stream, 0) && !cuGraphCreate(&graph, 0));
	REFUSED(cuIpcGetEventHandle(&handle, event));
	REFUSED(cuMemPoolExportPointer(&data, 0));
	desc.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
	desc.handle.fd = -1;
	REFUSED(cuImportExternalMemory(&memory, &desc));
	sem_desc.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
	REFUSED(cuImportExternalSemaphore(&semaphore, &sem_desc));
	REFUSED(cuGraphAddBatchMemOpNode(&node, graph, 0, 0, &batch));
#ifdef CUDAGL_H
	/* A program that can run without a window builds, and learns at run time that there is
	 * none. */
	cudaGraphicsResource *shared = nullptr;
	CUgraphicsResource driver = nullptr;
	void *at;
	size_t bytes;
	CHECK(!cudaGLSetGLDevice(0) && cudaGLSetGLDevice(99) == cudaErrorInvalidDevice);
	CHECK(cudaGraphicsGLRegisterBuffer(&shared, 1, cudaGraphicsRegisterFlagsNone) == cudaErrorNotSupported);
	CHECK(cudaGraphicsMapResources(1, &shared) == cudaErrorNotSupported);
	CHECK(cudaGraphicsResourceGetMappedPointer(&at, &bytes, shared) == cudaErrorNotSupported);
	REFUSED(cuGraphicsGLRegisterBuffer(&driver, 1, CU_GRAPHICS_REGISTER_FLAGS_NONE));
	REFUSED(cuGraphicsUnmapResources(1, &driver, stream));
	cudaGetLastError();
#endif
	policy.syncPolicy = CU_SYNC_POLICY_YIELD;
	CHECK(!cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &policy));
	policy.syncPolicy = CU_SYNC_POLICY_AUTO;
	CHECK(!cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &policy) &&
	      policy.syncPolicy == CU_SYNC_POLICY_YIELD);
	int status = 1;
	char *name = __cu_demangle("_Z6kernelIiLi3EEvPT_", 0, 0, &status);
	CHECK(!status && name && !strcmp(name, "void kernel<int, 3>(int*)"));
	free(name);
	CHECK(!__cu_demangle("kernel<int", 0, 0, &status) && status == -2);
	return failures != 0;
}
