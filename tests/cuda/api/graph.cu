// Graphs: captured from streams, built by hand, cloned, updated, replayed.
#include "check.h"

__global__ void add(int *p, int v) { *p += v; }
__global__ void times(int *p, int v) { *p *= v; }

static int calls;
static void count(void *) { calls++; }
static int *d;

static int value()
{
	int h;
	OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
	return h;
}

static void captured()
{
	cudaStream_t a, b;
	cudaEvent_t fork, join;
	cudaGraph_t g;
	cudaGraphExec_t x;
	cudaStreamCaptureStatus status;
	size_t n;
	OK(cudaStreamCreate(&a));
	OK(cudaStreamCreate(&b));
	OK(cudaEventCreate(&fork));
	OK(cudaEventCreate(&join));
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	OK(cudaMemsetAsync(d, 0, 4, a));
	add<<<1, 1, 0, a>>>(d, 2);
	OK(cudaEventRecord(fork, a));
	OK(cudaStreamWaitEvent(b, fork, 0));
	times<<<1, 1, 0, b>>>(d, 10);
	OK(cudaLaunchHostFunc(b, count, NULL));
	OK(cudaEventRecord(join, b));
	OK(cudaStreamWaitEvent(a, join, 0));
	add<<<1, 1, 0, a>>>(d, 1);
	OK(cudaStreamIsCapturing(b, &status));
	IS(status, cudaStreamCaptureStatusActive);
	OK(cudaStreamEndCapture(a, &g));
	OK(cudaStreamIsCapturing(b, &status));
	IS(status, cudaStreamCaptureStatusNone);
	IS(calls, 0);
	OK(cudaGraphGetNodes(g, NULL, &n));
	IS(n, 5);
	OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
	OK(cudaGraphLaunch(x, a));
	OK(cudaGraphLaunch(x, a));
	OK(cudaStreamSynchronize(a));
	IS(value(), 21);
	IS(calls, 2);
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
	/* work that was not joined is refused */
	OK(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
	OK(cudaEventRecord(fork, a));
	OK(cudaStreamWaitEvent(b, fork, 0));
	add<<<1, 1, 0, b>>>(d, 1);
	IS(cudaStreamEndCapture(a, &g), cudaErrorStreamCaptureUnjoined);
	cudaGetLastError();
	IS(value(), 21);
	OK(cudaStreamDestroy(a));
	OK(cudaStreamDestroy(b));
}

static void built()
{
	cudaGraph_t g, clone;
	cudaGraphNode_t set, k1, k2, out, twin;
	cudaGraphExec_t x;
	int v1 = 5, v2 = 7, host = 0;
	OK(cudaGraphCreate(&g, 0));
	cudaMemsetParams m = {};
	m.dst = d;
	m.value = 1;
	m.elementSize = 4;
	m.width = m.height = 1;
	OK(cudaGraphAddMemsetNode(&set, g, NULL, 0, &m));
	void *a1[] = {&d, &v1}, *a2[] = {&d, &v2};
	cudaKernelNodeParams k = {};
	k.func = (void *)add;
	k.gridDim = k.blockDim = dim3(1);
	k.kernelParams = a1;
	OK(cudaGraphAddKernelNode(&k1, g, &set, 1, &k));
	k.func = (void *)times;
	k.kernelParams = a2;
	OK(cudaGraphAddKernelNode(&k2, g, NULL, 0, &k));
	OK(cudaGraphAddDependencies(g, &k1, &k2, NULL, 1));
	OK(cudaGraphAddMemcpyNode1D(&out, g, &k2, 1, &host, d, 4, cudaMemcpyDeviceToHost));
	OK(cudaGraphClone(&clone, g));
	OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
	OK(cudaGraphLaunch(x, 0));
	OK(cudaDeviceSynchronize());
	IS(host, 42);
	/* other arguments, in the executable graph only */
	v2 = 100;
	OK(cudaGraphExecKernelNodeSetParams(x, k2, &k));
	OK(cudaGraphLaunch(x, 0));
	OK(cudaDeviceSynchronize());
	IS(host, 600);
	/* in the clone, then by cudaGraphExecUpdate */
	OK(cudaGraphNodeFindInClone(&twin, k1, clone));
	OK(cudaGraphKernelNodeGetParams(twin, &k));
	CHECK(k.func == (void *)add);
	IS(*(int *)k.kernelParams[1], 5);
	v1 = 9;
	k.kernelParams = a1;
	OK(cudaGraphKernelNodeSetParams(twin, &k));
	cudaGraphExecUpdateResultInfo info;
	OK(cudaGraphExecUpdate(x, clone, &info));
	IS(info.result, cudaGraphExecUpdateSuccess);
	OK(cudaGraphLaunch(x, 0));
	OK(cudaDeviceSynchronize());
	IS(host, 70);
	OK(cudaGraphAddDependencies(g, &k2, &k1, NULL, 1)); /* a cycle */
	cudaGraphExec_t y;
	IS(cudaGraphInstantiate(&y, g, NULL, NULL, 0), cudaErrorInvalidValue);
	cudaGetLastError();
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
	OK(cudaGraphDestroy(clone));
}

static void allocating()
{
	cudaGraph_t g;
	cudaGraphNode_t alloc, k, copy, release;
	cudaGraphExec_t x;
	cudaMemAllocNodeParams p = {};
	int host = 0, v = 3;
	p.bytesize = 4;
	p.poolProps.allocType = cudaMemAllocationTypePinned;
	p.poolProps.location.type = cudaMemLocationTypeDevice;
	OK(cudaGraphCreate(&g, 0));
	OK(cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
	CHECK(p.dptr != NULL);
	cudaMemsetParams m = {};
	m.dst = p.dptr;
	m.elementSize = 1;
	m.width = 4;
	m.height = 1;
	cudaGraphNode_t set;
	OK(cudaGraphAddMemsetNode(&set, g, &alloc, 1, &m));
	void *args[] = {&p.dptr, &v};
	cudaKernelNodeParams kp = {};
	kp.func = (void *)add;
	kp.gridDim = kp.blockDim = dim3(1);
	kp.kernelParams = args;
	OK(cudaGraphAddKernelNode(&k, g, &set, 1, &kp));
	OK(cudaGraphAddMemcpyNode1D(&copy, g, &k, 1, &host, p.dptr, 4, cudaMemcpyDeviceToHost));
	OK(cudaGraphAddMemFreeNode(&release, g, &copy, 1, p.dptr));
	OK(cudaGraphInstantiate(&x, g, NULL, NULL, 0));
	for (int i = 0; i < 3; i++) {
		host = 0;
		OK(cudaGraphLaunch(x, 0));
		OK(cudaDeviceSynchronize());
		IS(host, 3);
	}
	OK(cudaGraphExecDestroy(x));
	OK(cudaGraphDestroy(g));
}

int main()
{
	OK(cudaMalloc(&d, 4));
	captured();
	built();
	allocating();
	DONE();
}
