// Driver API of CUDA 11.2 and later: memory pools, launches with attributes, names of functions,
// graphs built by hand.
#include "check.h"
#include <cuda.h>

static const char ptx[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .entry scale(.param .u64 p, .param .u32 by)\n"
	"{\n"
	"	.reg .u64 %a; .reg .u32 %v, %k, %t;\n"
	"	ld.param.u64 %a, [p];\n"
	"	ld.param.u32 %k, [by];\n"
	"	mov.u32 %t, %tid.x;\n"
	"	mad.wide.u32 %a, %t, 4, %a;\n"
	"	ld.global.u32 %v, [%a];\n"
	"	mul.lo.u32 %v, %v, %k;\n"
	"	st.global.u32 [%a], %v;\n"
	"	ret;\n"
	"}\n";

enum { N = 32 };

static void names(CUmodule m, CUfunction f)
{
	const char *name;
	CUmodule of;
	size_t offset, size;
	CUfunctionLoadingState state;
	OK(cuFuncGetName(&name, f));
	CHECK(!strcmp(name, "scale"));
	OK(cuFuncGetModule(&of, f));
	CHECK(of == m);
	OK(cuFuncGetParamInfo(f, 1, &offset, &size));
	IS(offset, 8);
	IS(size, 4);
	IS(cuFuncGetParamInfo(f, 2, &offset, &size), CUDA_ERROR_INVALID_VALUE);
	OK(cuFuncLoad(f));
	OK(cuFuncIsLoaded(&state, f));
	IS(state, CU_FUNCTION_LOADING_STATE_LOADED);
}

static void pools(CUfunction f)
{
	CUmemPoolProps props = {};
	CUmemoryPool pool, now;
	CUstream s;
	CUevent start, end;
	CUdeviceptr d;
	unsigned by = 3, v[N];
	float ms = -1;
	cuuint64_t keep = 1 << 20, got = 0;
	props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	OK(cuMemPoolCreate(&pool, &props));
	OK(cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &keep));
	OK(cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &got));
	IS(got, keep);
	OK(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
	OK(cuEventCreate(&start, 0));
	OK(cuEventCreate(&end, 0));
	OK(cuEventRecordWithFlags(start, s, 0));
	OK(cuMemAllocFromPoolAsync(&d, sizeof v, pool, s));
	OK(cuMemsetD2D32Async(d, sizeof v, 5, N, 1, s));
	CUlaunchAttribute attr = {};
	attr.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
	attr.value.cooperative = 1;
	CUlaunchConfig c = {};
	c.gridDimX = c.gridDimY = c.gridDimZ = c.blockDimY = c.blockDimZ = 1;
	c.blockDimX = N;
	c.hStream = s;
	c.attrs = &attr;
	c.numAttrs = 1;
	void *args[] = {&d, &by};
	OK(cuLaunchKernelEx(&c, f, args, NULL));
	c.numAttrs = 0;
	OK(cuLaunchKernelEx(&c, f, args, NULL));
	OK(cuMemcpyDtoHAsync(v, d, sizeof v, s));
	OK(cuMemFreeAsync(d, s));
	OK(cuEventRecord(end, s));
	OK(cuStreamSynchronize(s));
	for (int i = 0; i < N; i++)
		IS(v[i], 45);
	OK(cuEventElapsedTime(&ms, start, end));
	CHECK(ms > 0);
	OK(cuDeviceSetMemPool(0, pool));
	OK(cuDeviceGetMemPool(&now, 0));
	CHECK(now == pool);
	OK(cuDeviceGetDefaultMemPool(&now, 0));
	OK(cuDeviceSetMemPool(0, now));
	OK(cuMemPoolDestroy(pool));
	OK(cuStreamDestroy(s));
}

static void CUDA_CB count(void *p) { ++*(int *)p; }

static void graphs(CUfunction f)
{
	CUdeviceptr d;
	CUgraph g, child;
	CUgraphNode set, run, out, host, nested, all[8];
	CUgraphExec x;
	CUgraphNodeType type;
	size_t n = 8;
	unsigned by = 6, v[N] = {};
	int calls = 0;
	OK(cuMemAlloc(&d, sizeof v));
	OK(cuGraphCreate(&g, 0));
	CUDA_MEMSET_NODE_PARAMS m = {};
	m.dst = d;
	m.value = 7;
	m.elementSize = 4;
	m.width = N;
	m.height = 1;
	CUcontext ctx;
	OK(cuCtxGetCurrent(&ctx));
	OK(cuGraphAddMemsetNode(&set, g, NULL, 0, &m, ctx));
	void *args[] = {&d, &by};
	CUDA_KERNEL_NODE_PARAMS k = {};
	k.func = f;
	k.gridDimX = k.gridDimY = k.gridDimZ = k.blockDimY = k.blockDimZ = 1;
	k.blockDimX = N;
	k.kernelParams = args;
	OK(cuGraphAddKernelNode(&run, g, &set, 1, &k));
	CUDA_MEMCPY3D c = {};
	c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	c.srcDevice = d;
	c.dstMemoryType = CU_MEMORYTYPE_HOST;
	c.dstHost = v;
	c.WidthInBytes = sizeof v;
	c.Height = c.Depth = 1;
	OK(cuGraphAddMemcpyNode(&out, g, &run, 1, &c, ctx));
	OK(cuGraphCreate(&child, 0));
	CUDA_HOST_NODE_PARAMS h = {};
	h.fn = count;
	h.userData = &calls;
	OK(cuGraphAddHostNode(&host, child, NULL, 0, &h));
	OK(cuGraphAddChildGraphNode(&nested, g, &out, 1, child));
	OK(cuGraphGetNodes(g, all, &n));
	IS(n, 4);
	OK(cuGraphNodeGetType(nested, &type));
	IS(type, CU_GRAPH_NODE_TYPE_GRAPH);
	OK(cuGraphInstantiate(&x, g, 0));
	OK(cuGraphLaunch(x, 0));
	OK(cuCtxSynchronize());
	IS(v[N - 1], 42);
	IS(calls, 1);
	by = 2;
	OK(cuGraphExecKernelNodeSetParams(x, run, &k));
	OK(cuGraphLaunch(x, 0));
	OK(cuCtxSynchronize());
	IS(v[0], 14);
	IS(calls, 2);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(child));
	OK(cuGraphDestroy(g));
	OK(cuMemFree(d));
}

int main()
{
	CUdevice dev;
	CUcontext c;
	CUmodule m;
	CUfunction f;
	OK(cuInit(0));
	OK(cuDeviceGet(&dev, 0));
	OK(cuCtxCreate(&c, NULL, 0, dev));
	OK(cuModuleLoadData(&m, ptx));
	OK(cuModuleGetFunction(&f, m, "scale"));
	names(m, f);
	pools(f);
	graphs(f);
	OK(cuModuleUnload(m));
	OK(cuCtxDestroy(c));
	DONE();
}
