// cudaDeviceReset and cuCtxDestroy destroy everything that was made in the context. Handles that
// the program still has are refused, not dereferenced.
#include "check.h"
#include <cuda.h>
#include <thread>

enum { N = 64 };

__device__ int counter = 5;

__global__ void bump(int *p) { *p = ++counter; }

static const char ptx[] =
	".version 6.0\n.target sm_30\n.address_size 64\n"
	".visible .entry nothing()\n{\nret;\n}\n";

struct everything {
	cudaStream_t stream;
	cudaEvent_t event;
	cudaGraph_t graph;
	cudaGraphExec_t exec;
	cudaGraphNode_t node;
	cudaArray_t array;
	cudaMipmappedArray_t mipmap;
	cudaTextureObject_t texture;
	cudaSurfaceObject_t surface;
	cudaMemPool_t pool;
	void *device, *host, *managed;
};

static everything make()
{
	everything e;
	cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
	OK(cudaStreamCreate(&e.stream));
	OK(cudaEventCreate(&e.event));
	OK(cudaGraphCreate(&e.graph, 0));
	OK(cudaGraphAddEmptyNode(&e.node, e.graph, NULL, 0));
	OK(cudaGraphInstantiateWithFlags(&e.exec, e.graph, 0));
	OK(cudaMallocArray(&e.array, &format, N, N, cudaArraySurfaceLoadStore));
	OK(cudaMallocMipmappedArray(&e.mipmap, &format, make_cudaExtent(N, N, 0), 3));
	cudaResourceDesc res = {};
	cudaTextureDesc how = {};
	res.resType = cudaResourceTypeArray;
	res.res.array.array = e.array;
	OK(cudaCreateTextureObject(&e.texture, &res, &how, NULL));
	OK(cudaCreateSurfaceObject(&e.surface, &res));
	cudaMemPoolProps props = {};
	props.allocType = cudaMemAllocationTypePinned;
	props.location.type = cudaMemLocationTypeDevice;
	OK(cudaMemPoolCreate(&e.pool, &props));
	OK(cudaMalloc(&e.device, 1 << 20));
	OK(cudaMallocHost(&e.host, 1 << 20));
	OK(cudaMallocManaged(&e.managed, 1 << 20));
	return e;
}

static void refused(const everything &e)
{
	unsigned flags;
	size_t n = 0;
	cudaGraph_t g;
	cudaArray_t a;
	cudaExtent extent;
	cudaGraphNodeType type;
	cudaResourceDesc res;
	IS(cudaStreamSynchronize(e.stream), cudaErrorInvalidResourceHandle);
	IS(cudaStreamGetFlags(e.stream, &flags), cudaErrorInvalidResourceHandle);
	IS(cudaStreamDestroy(e.stream), cudaErrorInvalidResourceHandle);
	IS(cudaMemsetAsync(e.device, 0, 4, e.stream), cudaErrorInvalidResourceHandle);
	IS(cudaEventRecord(e.event, 0), cudaErrorInvalidResourceHandle);
	IS(cudaEventSynchronize(e.event), cudaErrorInvalidResourceHandle);
	IS(cudaStreamWaitEvent(0, e.event, 0), cudaErrorInvalidResourceHandle);
	IS(cudaEventDestroy(e.event), cudaErrorInvalidResourceHandle);
	IS(cudaGraphLaunch(e.exec, 0), cudaErrorInvalidValue);
	IS(cudaGraphExecDestroy(e.exec), cudaErrorInvalidValue);
	IS(cudaGraphGetNodes(e.graph, NULL, &n), cudaErrorInvalidValue);
	IS(cudaGraphClone(&g, e.graph), cudaErrorInvalidValue);
	IS(cudaGraphDestroy(e.graph), cudaErrorInvalidValue);
	IS(cudaGraphNodeGetType(e.node, &type), cudaErrorInvalidValue);
	IS(cudaArrayGetInfo(NULL, &extent, NULL, e.array), cudaErrorInvalidResourceHandle);
	IS(cudaGetMipmappedArrayLevel(&a, e.mipmap, 0), cudaErrorInvalidValue);
	CHECK(cudaFreeArray(e.array) != cudaSuccess);
	CHECK(cudaFreeMipmappedArray(e.mipmap) != cudaSuccess);
	IS(cudaGetTextureObjectResourceDesc(&res, e.texture), cudaErrorInvalidValue);
	IS(cudaDestroyTextureObject(e.texture), cudaErrorInvalidValue);
	IS(cudaDestroySurfaceObject(e.surface), cudaErrorInvalidValue);
	IS(cudaMemPoolDestroy(e.pool), cudaErrorInvalidValue);
	IS(cudaFree(e.device), cudaErrorInvalidValue);
	IS(cudaFreeHost(e.host), cudaErrorInvalidValue);
	IS(cudaFree(e.managed), cudaErrorInvalidValue);
	cudaGetLastError();
}

static void reset()
{
	size_t before, after, total;
	int got, *p;
	OK(cudaMemGetInfo(&before, &total));
	everything e = make();
	OK(cudaMalloc(&p, sizeof *p));
	bump<<<1, 1>>>(p);
	OK(cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost));
	IS(got, 6);
	bump<<<1, 1, 0, e.stream>>>(p); /* running when the reset comes */
	OK(cudaDeviceReset());
	OK(cudaMemGetInfo(&after, &total));
	IS(after, before);
	refused(e);
	OK(cudaMalloc(&p, sizeof *p)); /* the device works again, with variables at their initial
		 * values */
	bump<<<1, 1>>>(p);
	OK(cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost));
	IS(got, 6);
	OK(cudaFree(p));
}

static void contexts()
{
	CUcontext a, b, now;
	CUdevice dev;
	CUmodule m, kept;
	CUfunction f;
	CUdeviceptr mine, theirs;
	size_t before, after, total, n;
	unsigned value;
	OK(cuInit(0));
	OK(cuDeviceGet(&dev, 0));
	OK(cudaMemGetInfo(&before, &total));
	OK(cuCtxCreate(&a, NULL, 0, dev));
	OK(cuMemAlloc(&mine, 4096));
	OK(cuMemsetD32(mine, 77, 1024));
	OK(cuModuleLoadData(&kept, ptx));
	OK(cuCtxCreate(&b, NULL, 0, dev));
	OK(cuMemAlloc(&theirs, 1 << 20));
	OK(cuModuleLoadData(&m, ptx));
	OK(cuModuleGetFunction(&f, m, "nothing"));
	everything e = make(); /* the runtime works in the current context */
	OK(cuCtxDestroy(b));
	OK(cuCtxGetCurrent(&now));
	CHECK(now == a);
	IS(cuMemGetAddressRange(NULL, &n, theirs), CUDA_ERROR_NOT_FOUND);
	IS(cuModuleGetFunction(&f, m, "nothing"), CUDA_ERROR_INVALID_HANDLE);
	IS(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0), CUDA_ERROR_INVALID_HANDLE);
	IS(cuModuleUnload(m), CUDA_ERROR_INVALID_HANDLE);
	IS(cuCtxPushCurrent(b), CUDA_ERROR_CONTEXT_IS_DESTROYED);
	IS(cuCtxDestroy(b), CUDA_ERROR_INVALID_CONTEXT);
	refused(e);
	OK(cuMemcpyDtoH(&value, mine + 4092, 4)); /* memory of the other context is unchanged */
	IS(value, 77);
	OK(cuModuleGetFunction(&f, kept, "nothing"));
	OK(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
	OK(cuCtxSynchronize());
	OK(cuCtxDestroy(a));
	OK(cudaMemGetInfo(&after, &total));
	IS(after, before);
}

/* A thread has a context after it set one, or after it called the runtime. */
static void threads()
{
	std::thread([] {
		CUdeviceptr p;
		CUcontext now;
		OK(cuInit(0));
		OK(cuCtxGetCurrent(&now));
		CHECK(now == NULL);
		IS(cuMemAlloc(&p, 4), CUDA_ERROR_INVALID_CONTEXT);
		OK(cudaFree(0));
		OK(cuMemAlloc(&p, 4));
		OK(cuMemFree(p));
	}).join();
}

/* A call that names its object by address or handle needs no current context, and makes none
 * current. */
static void named()
{
	CUdeviceptr freed, later, managed;
	CUcontext of;
	OK(cuCtxGetCurrent(&of));
	CUstream stream;
	CUevent event;
	OK(cuMemAlloc(&freed, 64));
	OK(cuEventCreate(&event, 0));
	OK(cuMemAllocManaged(&managed, 64, CU_MEM_ATTACH_GLOBAL));
	OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
	OK(cuMemAllocAsync(&later, 64, stream));
	CUmodule module;
	OK(cuModuleLoadData(&module, ".version 6.0\n.target sm_50\n.address_size 64\n"
				     ".visible .global .u32 word;\n.visible .entry k()\n{\nret;\n}\n"));
	std::thread([=] {
		CUfunction function;
		size_t bytes;
		int threads;
		CUmemAllocationProp prop = {};
		CUmemPoolProps props = {};
		CUmemGenericAllocationHandle h;
		CUmemoryPool pool;
		CUdeviceptr a;
		CUcontext now;
		size_t g;
		prop.type = props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
		prop.location.type = props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
		OK(cuMemGetAllocationGranularity(&g, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
		OK(cuMemAddressReserve(&a, g, 0, 0, 0));
		OK(cuMemCreate(&h, g, &prop, 0));
		OK(cuMemMap(a, g, 0, h, 0));
		OK(cuMemUnmap(a, g));
		OK(cuMemRelease(h));
		OK(cuMemAddressFree(a, g));
		OK(cuMemPoolCreate(&pool, &props));
		OK(cuMemPoolTrimTo(pool, 0));
		IS(cuMemAllocFromPoolAsync(&a, 64, pool, 0), CUDA_ERROR_INVALID_CONTEXT);
		OK(cuMemAllocFromPoolAsync(&a, 64, pool, stream));
		OK(cuMemFreeAsync(a, stream));
		OK(cuMemAllocAsync(&a, 64, stream));
		OK(cuMemsetD32Async(a, 5, 16, stream));
		int priority, value = 0;
		CUDA_MEMCPY2D copy = {};
		copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
		copy.srcDevice = a;
		copy.dstMemoryType = CU_MEMORYTYPE_HOST;
		copy.dstHost = &value;
		copy.WidthInBytes = 4;
		copy.Height = 1;
		OK(cuMemcpy2DAsync(&copy, stream));
		OK(cuStreamGetPriority(stream, &priority));
		OK(cuStreamGetCtx(stream, &now));
		CHECK(now == of);
		OK(cuEventRecord(event, stream));
		OK(cuStreamWaitEvent(stream, event, 0));
		OK(cuStreamSynchronize(stream));
		OK(cuEventQuery(event));
		IS(value, 5);
		IS(cuStreamSynchronize(0), CUDA_ERROR_INVALID_CONTEXT);
		OK(cuMemFreeAsync(a, stream));
		OK(cuMemPoolDestroy(pool));
		OK(cuMemFree(freed));
		OK(cuMemFree(managed));
		IS(cuMemFreeAsync(later, 0), CUDA_ERROR_INVALID_CONTEXT);
		OK(cuMemFreeAsync(later, stream));
		OK(cuModuleGetGlobal(&a, &bytes, module, "word"));
		CHECK(a != 0);
		IS(bytes, 4);
		OK(cuModuleGetFunction(&function, module, "k"));
		OK(cuFuncGetAttribute(&threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
		OK(cuModuleUnload(module));
		OK(cuCtxGetCurrent(&now));
		CHECK(now == NULL);
	}).join();
	IS(cuMemFree(freed), CUDA_ERROR_INVALID_VALUE);
	OK(cuEventDestroy(event));
	OK(cuStreamDestroy(stream));
}

static void primary()
{
	CUcontext c, now;
	CUdevice dev;
	CUdeviceptr p;
	unsigned flags;
	int active;
	OK(cudaDeviceReset());
	OK(cuDeviceGet(&dev, 0));
	OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
	IS(active, 0);
	OK(cuDevicePrimaryCtxRetain(&c, dev));
	OK(cuCtxPushCurrent(c));
	OK(cuMemAlloc(&p, 4096));
	OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
	IS(active, 1);
	OK(cuCtxPopCurrent(&now));
	CHECK(now == c);
	OK(cuDevicePrimaryCtxRelease(dev)); /* the last reference: the context's contents are
		 * destroyed */
	OK(cuDevicePrimaryCtxGetState(dev, &flags, &active));
	IS(active, 0);
	IS(cuDevicePrimaryCtxRelease(dev), CUDA_ERROR_INVALID_CONTEXT);
	IS(cudaFree((void *)p), cudaErrorInvalidValue);
	cudaGetLastError();
}

int main()
{
	OK(cudaFree(0));
	reset();
	contexts();
	threads();
	named();
	primary();
	DONE();
}
