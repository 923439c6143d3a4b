// options: -rdc=true
// Graph nodes of all kinds: conditional ones, by one structure, events, memory, objects of the program.
#include "check.h"
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void add(int *p, int n) { *p += n; }
__global__ void count_down(int *p, int *left, cudaGraphConditionalHandle h)
{
	*p += *left;
	cudaGraphSetConditional(h, --*left > 0);
}
__global__ void choose(cudaGraphConditionalHandle h, const int *which) { cudaGraphSetConditional(h, *which); }

#if CUDART_VERSION >= 13000
#define EDGE NULL,
#else
#define EDGE
#endif

static cudaGraphNodeParams kernel(void *fn, void **args)
{
	cudaGraphNodeParams p = {};
	p.type = cudaGraphNodeTypeKernel;
	p.kernel.func = fn;
	p.kernel.gridDim = p.kernel.blockDim = dim3(1);
	p.kernel.kernelParams = args;
	return p;
}

static int run(cudaGraphExec_t x, const int *p)
{
	int got = -1;
	OK(cudaGraphLaunch(x, 0));
	OK(cudaMemcpy(&got, p, sizeof got, cudaMemcpyDeviceToHost));
	return got;
}

/* 10 + 9 + ... + 1, one addition a round. */
static void loop()
{
	cudaGraph_t g;
	cudaGraphExec_t x;
	cudaGraphNode_t node, set, in;
	cudaGraphConditionalHandle h;
	int *p, *left;
	OK(cudaMalloc(&p, 4));
	OK(cudaMalloc(&left, 4));
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphConditionalHandleCreate(&h, g, 1, cudaGraphCondAssignDefault));
	cudaGraphNodeParams fill = {};
	fill.type = cudaGraphNodeTypeMemset;
	fill.memset.dst = left;
	fill.memset.value = 10;
	fill.memset.elementSize = 4;
	fill.memset.width = fill.memset.height = 1;
	OK(cudaGraphAddNode(&set, g, NULL, EDGE 0, &fill));
	fill.memset.dst = p;
	fill.memset.value = 0;
	OK(cudaGraphAddNode(&set, g, &set, EDGE 1, &fill));
	cudaGraphNodeParams loop = {};
	loop.type = cudaGraphNodeTypeConditional;
	loop.conditional.handle = h;
	loop.conditional.type = cudaGraphCondTypeWhile;
	loop.conditional.size = 2;
	IS(cudaGraphAddNode(&node, g, &set, EDGE 1, &loop), cudaErrorInvalidValue); /* one body */
	loop.conditional.size = 1;
	OK(cudaGraphAddNode(&node, g, &set, EDGE 1, &loop));
	cudaGraph_t body = loop.conditional.phGraph_out[0];
	void *args[] = {&p, &left, &h};
	cudaGraphNodeParams k = kernel((void *)count_down, args);
	OK(cudaGraphAddNode(&in, body, NULL, EDGE 0, &k));
	OK(cudaGraphInstantiateWithFlags(&x, g, 0));
	OK(cudaGraphDestroy(g));
	IS(run(x, p), 55);
	IS(run(x, p), 55); /* each launch begins with the first value */
	OK(cudaGraphExecDestroy(x));
	OK(cudaFree(p));
	OK(cudaFree(left));
}

/* A switch node with three bodies, one of which contains an if node with an else branch; one body
 * is filled by capture. */
static void cases()
{
	cudaGraph_t g;
	cudaGraphExec_t x;
	cudaGraphNode_t first, node, in;
	cudaGraphConditionalHandle h, inner;
	cudaStream_t s;
	int *p, *which, one = 1, ten = 10, hundred = 100, thousand = 1000;
	OK(cudaStreamCreate(&s));
	OK(cudaMalloc(&p, 4));
	OK(cudaMalloc(&which, 4));
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphConditionalHandleCreate(&h, g, 0, 0));
	void *args[] = {&h, &which};
	cudaGraphNodeParams k = kernel((void *)choose, args);
	OK(cudaGraphAddNode(&first, g, NULL, EDGE 0, &k));
	cudaGraphNodeParams sw = {};
	sw.type = cudaGraphNodeTypeConditional;
	sw.conditional.handle = h;
	sw.conditional.type = cudaGraphCondTypeSwitch;
	sw.conditional.size = 3;
	OK(cudaGraphAddNode(&node, g, &first, EDGE 1, &sw));
	cudaGraph_t *body = sw.conditional.phGraph_out;
	void *add1[] = {&p, &one}, *add10[] = {&p, &ten}, *add100[] = {&p, &hundred}, *add1000[] = {&p, &thousand};
	k = kernel((void *)add, add1);
	OK(cudaGraphAddNode(&in, body[0], NULL, EDGE 0, &k));
	OK(cudaStreamBeginCaptureToGraph(s, body[1], NULL, NULL, 0, cudaStreamCaptureModeGlobal));
	add<<<1, 1, 0, s>>>(p, ten);
	OK(cudaStreamEndCapture(s, NULL));
	OK(cudaGraphConditionalHandleCreate(&inner, body[2], 0, cudaGraphCondAssignDefault));
	cudaGraphNodeParams either = {};
	either.type = cudaGraphNodeTypeConditional;
	either.conditional.handle = inner;
	either.conditional.type = cudaGraphCondTypeIf;
	either.conditional.size = 2;
	OK(cudaGraphAddNode(&in, body[2], NULL, EDGE 0, &either));
	k = kernel((void *)add, add100);
	OK(cudaGraphAddNode(&in, either.conditional.phGraph_out[0], NULL, EDGE 0, &k));
	k = kernel((void *)add, add1000);
	OK(cudaGraphAddNode(&in, either.conditional.phGraph_out[1], NULL, EDGE 0, &k));
	(void)add10;
	OK(cudaGraphInstantiateWithFlags(&x, g, 0));
	static const int want[] = {1, 11, 1011, 1011}; /* the last value selects no body */
	OK(cudaMemset(p, 0, 4));
	for (int i = 0; i < 4; i++) {
		OK(cudaMemcpy(which, &i, 4, cudaMemcpyHostToDevice));
		IS(run(x, p), want[i]);
	}
	OK(cudaGraphDebugDotPrint(g, "nodes.dot", 0));
	FILE *f = fopen("nodes.dot", "r");
	char text[4096] = "";
	CHECK(f && fread(text, 1, sizeof text - 1, f) > 0 && !fclose(f));
	CHECK(strstr(text, "digraph") && strstr(text, "CONDITIONAL") && strstr(text, "choose"));
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
	OK(cudaStreamDestroy(s));
}

static void bump(void *p) { ++*(int *)p; }

/* An object that a graph refers to is destroyed with the last graph or executable graph that refers
 * to it. */
static void objects()
{
	int gone = 0;
	cudaUserObject_t o;
	cudaGraph_t g, c;
	cudaGraphExec_t x;
	OK(cudaUserObjectCreate(&o, &gone, bump, 1, cudaUserObjectNoDestructorSync));
	IS(cudaUserObjectCreate(&o, &gone, bump, 1, 0), cudaErrorInvalidValue);
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphRetainUserObject(g, o, 1, cudaGraphUserObjectMove));
	OK(cudaGraphClone(&c, g));
	OK(cudaGraphInstantiateWithFlags(&x, g, 0));
	OK(cudaGraphDestroy(g));
	OK(cudaGraphReleaseUserObject(c, o, 1));
	OK(cudaGraphDestroy(c));
	IS(gone, 0);
	OK(cudaGraphExecDestroy(x));
	IS(gone, 1);
	CHECK(cudaUserObjectRelease(o, 1) != cudaSuccess);
	OK(cudaUserObjectCreate(&o, &gone, bump, 1, cudaUserObjectNoDestructorSync));
	OK(cudaUserObjectRetain(o, 2));
	OK(cudaUserObjectRelease(o, 3));
	IS(gone, 2);
}

/* A graph waits for events and records events; other streams see what it recorded. */
static void events()
{
	cudaGraph_t g;
	cudaGraphExec_t x;
	cudaGraphNode_t wait, work, mark;
	cudaEvent_t before, after, got;
	cudaStream_t s, t;
	int *p, *copy, three = 3, v = 0;
	OK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
	OK(cudaEventCreate(&before));
	OK(cudaEventCreate(&after));
	OK(cudaMalloc(&p, 4));
	OK(cudaMalloc(&copy, 4));
	OK(cudaGraphCreate(&g, 0));
	cudaGraphNodeParams w = {}, r = {};
	w.type = cudaGraphNodeTypeWaitEvent;
	w.eventWait.event = before;
	OK(cudaGraphAddNode(&wait, g, NULL, EDGE 0, &w));
	void *args[] = {&p, &three};
	cudaGraphNodeParams k = kernel((void *)add, args);
	OK(cudaGraphAddNode(&work, g, &wait, EDGE 1, &k));
	r.type = cudaGraphNodeTypeEventRecord;
	r.eventRecord.event = after;
	OK(cudaGraphAddNode(&mark, g, &work, EDGE 1, &r));
	OK(cudaGraphEventRecordNodeGetEvent(mark, &got));
	CHECK(got == after);
	OK(cudaGraphInstantiateWithFlags(&x, g, 0));
	OK(cudaMemsetAsync(p, 0, 4, t));
	OK(cudaEventRecord(before, t));
	OK(cudaGraphLaunch(x, s));
	OK(cudaStreamWaitEvent(t, after, 0));
	OK(cudaMemcpyAsync(copy, p, 4, cudaMemcpyDeviceToDevice, t));
	OK(cudaMemcpyAsync(&v, copy, 4, cudaMemcpyDeviceToHost, t));
	OK(cudaStreamSynchronize(t));
	IS(v, 3);
	float ms = -1;
	OK(cudaEventElapsedTime(&ms, before, after));
	CHECK(ms > 0);
	OK(cudaEventDestroy(after)); /* the node names an event that is no more */
	OK(cudaGraphLaunch(x, s));
	OK(cudaStreamSynchronize(s));
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
}

/* Parameters of nodes change, in the graph and in the executable graph. */
static void parameters()
{
	cudaGraph_t g;
	cudaGraphExec_t x;
	cudaGraphNode_t clear, work;
	int *p, two = 2, five = 5;
	OK(cudaMalloc(&p, 4));
	OK(cudaGraphCreate(&g, 0));
	cudaGraphNodeParams fill = {};
	fill.type = cudaGraphNodeTypeMemset;
	fill.memset.dst = p;
	fill.memset.elementSize = 4;
	fill.memset.width = fill.memset.height = 1;
	OK(cudaGraphAddNode(&clear, g, NULL, EDGE 0, &fill));
	void *by2[] = {&p, &two}, *by5[] = {&p, &five};
	cudaGraphNodeParams k = kernel((void *)add, by2);
	OK(cudaGraphAddNode(&work, g, &clear, EDGE 1, &k));
	OK(cudaGraphInstantiateWithFlags(&x, g, 0));
	IS(run(x, p), 2);
	k = kernel((void *)add, by5);
	OK(cudaGraphExecNodeSetParams(x, work, &k));
	fill.memset.value = 100;
	OK(cudaGraphExecNodeSetParams(x, clear, &fill));
	IS(run(x, p), 105);
	IS(cudaGraphNodeSetParams(work, &fill), cudaErrorInvalidValue); /* parameters of another kind of node */
	OK(cudaGraphNodeSetParams(clear, &fill));
	cudaMemsetParams is;
	OK(cudaGraphMemsetNodeGetParams(clear, &is));
	IS(is.value, 100);
	OK(cudaGraphExecDestroy(x));
	/* a child graph that is moved: its handle stays valid, and the parent owns it */
	cudaGraph_t parent;
	cudaGraphNode_t child;
	OK(cudaGraphCreate(&parent, 0));
	cudaGraphNodeParams c = {};
	c.type = cudaGraphNodeTypeGraph;
	c.graph.graph = g;
	c.graph.ownership = cudaGraphChildGraphOwnershipMove;
	OK(cudaGraphAddNode(&child, parent, NULL, EDGE 0, &c));
	IS(cudaGraphDestroy(g), cudaErrorInvalidValue);
	size_t n = 0;
	OK(cudaGraphGetNodes(g, NULL, &n));
	IS(n, 2);
	OK(cudaGraphInstantiateWithFlags(&x, parent, 0));
	OK(cudaGraphDestroy(parent));
	IS(run(x, p), 102);
	OK(cudaGraphExecDestroy(x));
}

/* Switch and events again through the driver API. */
static void driver()
{
	CUgraph g;
	CUgraphExec x;
	CUgraphNode clear, copy, host, alloc, list[8];
	CUdeviceptr d;
	unsigned v = 0;
	int called = 0;
	size_t n;
	OK(cuMemAlloc(&d, 64));
	OK(cuGraphCreate(&g, 0));
	CUDA_MEM_ALLOC_NODE_PARAMS a = {};
	a.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
	a.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	a.bytesize = 4096;
	OK(cuGraphAddMemAllocNode(&alloc, g, NULL, 0, &a));
	CHECK(a.dptr);
	CUDA_MEMSET_NODE_PARAMS m = {}, m2 = {};
	m.dst = a.dptr;
	m.elementSize = 4;
	m.value = 9;
	m.width = 4;
	m.height = 1;
	OK(cuGraphAddMemsetNode(&clear, g, &alloc, 1, &m, 0));
	OK(cuGraphMemsetNodeGetParams(clear, &m2));
	CHECK(m2.dst == a.dptr && m2.value == 9 && m2.width == 4);
	CUDA_MEMCPY3D c = {}, c2 = {};
	c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
	c.srcDevice = a.dptr;
	c.dstMemoryType = CU_MEMORYTYPE_HOST;
	c.dstHost = &v;
	c.WidthInBytes = 4;
	c.Height = c.Depth = 1;
	OK(cuGraphAddMemcpyNode(&copy, g, &clear, 1, &c, 0));
	OK(cuGraphMemcpyNodeGetParams(copy, &c2));
	CHECK(c2.srcDevice == a.dptr && c2.dstHost == &v && c2.WidthInBytes == 4 &&
	      c2.srcMemoryType == CU_MEMORYTYPE_DEVICE && c2.dstMemoryType == CU_MEMORYTYPE_HOST);
	CUDA_HOST_NODE_PARAMS h = {bump, &called}, h2 = {};
	OK(cuGraphAddHostNode(&host, g, &copy, 1, &h));
	OK(cuGraphHostNodeGetParams(host, &h2));
	CHECK(h2.fn == bump && h2.userData == &called);
	n = 8;
#if CUDA_VERSION >= 13000
	OK(cuGraphNodeGetDependencies(host, list, NULL, &n));
#else
	OK(cuGraphNodeGetDependencies(host, list, &n));
#endif
	IS(n, 1);
	CHECK(list[0] == copy);
	CUDA_GRAPH_INSTANTIATE_PARAMS how = {};
	OK(cuGraphInstantiateWithParams(&x, g, &how));
	IS(how.result_out, CUDA_GRAPH_INSTANTIATE_SUCCESS);
	OK(cuGraphLaunch(x, 0));
	OK(cuStreamSynchronize(0));
	IS(v, 9);
	IS(called, 1);
	m.value = 13;
	OK(cuGraphExecMemsetNodeSetParams(x, clear, &m, 0));
	OK(cuGraphNodeSetEnabled(x, copy, 0));
	OK(cuGraphLaunch(x, 0));
	OK(cuStreamSynchronize(0));
	IS(v, 9);
	OK(cuGraphNodeSetEnabled(x, copy, 1));
	OK(cuGraphLaunch(x, 0));
	OK(cuStreamSynchronize(0));
	IS(v, 13);
	CUgraphExecUpdateResultInfo info = {};
	OK(cuGraphMemsetNodeSetParams(clear, &(m.value = 21, m)));
#if CUDA_VERSION >= 12000
	OK(cuGraphExecUpdate(x, g, &info));
#else
	OK(cuGraphExecUpdate_v2(x, g, &info));
#endif
	IS(info.result, CU_GRAPH_EXEC_UPDATE_SUCCESS);
	OK(cuGraphLaunch(x, 0));
	OK(cuStreamSynchronize(0));
	IS(v, 21);
	OK(cuGraphExecDestroy(x));
	OK(cuGraphDestroy(g));
	OK(cuMemFree(d));
}

int main()
{
	loop();
	cases();
	objects();
	events();
	parameters();
	driver();
	DONE();
}
