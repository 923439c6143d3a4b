// Launches and graphs of unordered streams that cannot overlap in this run, because each waits for
// other work, and accesses of the host during copies and fills. Comments as in kernels.cu; each is
// a function of the host.
#include <cstdlib>
#include "programs.cuh"

static int *pinned(size_t bytes = 8192)
{
	int *h;
	cudaMallocHost(&h, bytes);
	memset(h, 0, bytes);
	return h;
}
static cudaGraphExec_t graph_of(cudaStream_t s, int *in, int *out, int *h = NULL)
{
	cudaGraph_t g;
	cudaGraphExec_t e;
	cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
	if (h)
		cudaMemcpyAsync(in, h, 256, cudaMemcpyHostToDevice, s); // other graph_copies
	reads<<<1, 64, 0, s>>>(in, out);
	cudaStreamEndCapture(s, &g);
	cudaGraphInstantiate(&e, g, 0, 0, 0);
	return e;
}
__global__ void doubles(const int *p, int *out)
{
	out[TID] = 2 * p[TID];                                          // other behind_copy
}
__global__ void twice(const int *p, int *out)
{
	out[TID] = 2 * p[TID];                                          // here behind_copy
}

// bug behind_copy: in streams that nothing orders
TEST(behind_copy)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *x = zeros(), *y = zeros(), *out = zeros(), *h = pinned();
	cudaMemcpyAsync(x, h, 4096, cudaMemcpyHostToDevice, a);
	doubles<<<1, 64, 0, a>>>(x, out);
	cudaMemcpyAsync(y, h + 1024, 4096, cudaMemcpyHostToDevice, b);
	twice<<<1, 64, 0, b>>>(y, out);
}

// clean behind_copies
TEST(behind_copies)
{
	cudaStream_t s[2];
	two_streams(&s[0], &s[1]);
	int *in = zeros(), *out = zeros(), *h = pinned();
	for (int k = 0; k < 6; k++) {
		int i = k & 1;
		cudaMemcpyAsync(in + 512 * i, h + 1024 * i, 256, cudaMemcpyHostToDevice, s[i]);
		reads<<<1, 64, 0, s[i]>>>(in + 512 * i, out + 64 * i);
		cudaMemcpyAsync(h + 1024 * i, out + 64 * i, 256, cudaMemcpyDeviceToHost, s[i]);
	}
}

// bug graph_and_launch: in streams that nothing orders
__global__ void after_graph(const int *p, int *out)
{
	out[TID] = p[TID];                                              // here graph_and_launch
}
TEST(graph_and_launch)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *d = zeros();
	cudaGraphLaunch(graph_of(a, zeros(), d), a);
	after_graph<<<1, 64, 0, b>>>(d, zeros());
}

// bug launch_and_graph: in streams that nothing orders
__global__ void before_graph(const int *p, int *out)
{
	out[TID] = p[TID];                                              // other launch_and_graph
}
TEST(launch_and_graph)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *d = zeros();
	before_graph<<<1, 64, 0, b>>>(d, zeros());
	cudaGraphLaunch(graph_of(a, zeros(), d), a);
}

// clean graph_then_launch
TEST(graph_then_launch)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *d = zeros();
	cudaEvent_t e;
	cudaEventCreate(&e);
	cudaGraphLaunch(graph_of(a, zeros(), d), a);
	cudaEventRecord(e, a);
	cudaStreamWaitEvent(b, e, 0);
	reads<<<1, 64, 0, b>>>(d, zeros());
}

// bug two_graphs: in streams that nothing orders
TEST(two_graphs)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *d = zeros();
	cudaGraphExec_t x = graph_of(a, zeros(), d), y = graph_of(b, zeros(), d);
	cudaGraphLaunch(x, a);
	cudaGraphLaunch(y, b);
}

// clean two_graphs_apart
TEST(two_graphs_apart)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *in = zeros();
	cudaGraphExec_t x = graph_of(a, in, zeros()), y = graph_of(b, in, zeros());
	for (int i = 0; i < 3; i++) {
		cudaGraphLaunch(x, a);
		cudaGraphLaunch(y, b);
	}
}

// bug graph_copies: written by cudaMemcpyAsync at
__global__ void beside_copy(const int *p, int *out)
{
	out[TID] = p[TID];                                              // here graph_copies
}
TEST(graph_copies)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *d = zeros();
	cudaGraphLaunch(graph_of(a, d, zeros(), pinned()), a);
	beside_copy<<<1, 64, 0, b>>>(d, zeros());
}

// bug copy_beside_graph: written by cudaMemcpyAsync at
TEST(copy_beside_graph)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *d = zeros(), *h = pinned();
	cudaGraphLaunch(graph_of(a, d, zeros()), a);
	cudaMemcpyAsync(d, h, 256, cudaMemcpyHostToDevice, b);          // other copy_beside_graph
}

// bug cooperative_beside: in streams that nothing orders
__global__ void cooperative(int *d, int *out)
{
	cg::this_grid().sync();
	d[TID] = 1;                                                     // other cooperative_beside
	out[TID] = 2;
}
__global__ void beside_it(const int *p, int *out)
{
	out[TID] = p[TID];                                              // here cooperative_beside
}
TEST(cooperative_beside)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *d = zeros(), *out = zeros();
	void *args[] = {&d, &out};
	cudaLaunchCooperativeKernel((void *)cooperative, dim3(1), dim3(64), args, 0, a);
	beside_it<<<1, 64, 0, b>>>(d, zeros());
}

// bug fill_read_early: which may be under way, read by the host at
TEST(fill_read_early)
{
	cudaStream_t a, b;
	int *m;
	two_streams(&a, &b);
	cudaMallocManaged(&m, 4096);
	cudaMemsetAsync(m, 0, 4096, a);
	printf("%d\n", m[3]);                                           // other fill_read_early
}

// clean fill_waited
TEST(fill_waited)
{
	cudaStream_t a, b;
	int *m;
	two_streams(&a, &b);
	cudaMallocManaged(&m, 4096);
	cudaMemsetAsync(m, 0, 4096, a);
	cudaStreamSynchronize(a);
	printf("%d\n", m[3]);
}

// bug registered_changed: which may be under way, written by the host at
TEST(registered_changed)
{
	int *h = (int *)aligned_alloc(1 << 16, 1 << 17), *d = zeros();
	memset(h, 0, 1 << 17);
	cudaHostRegister(h, 1 << 17, 0);
	cudaMemcpyAsync(d, h, 4096, cudaMemcpyHostToDevice);            // other registered_changed
	h[5] = 3;
}

// clean registered_waits
TEST(registered_waits)
{
	char *h = (char *)malloc(20000), *d = (char *)zeros(20000);
	memset(h, 1, 20000);
	cudaHostRegister(h, 20000, 0);
	cudaMemcpyAsync(d, h, 20000, cudaMemcpyHostToDevice);
	cudaStreamSynchronize(0);
	memset(h, 2, 20000);
	cudaMemcpyAsync(h, d, 20000, cudaMemcpyDeviceToHost);
	cudaHostUnregister(h);
	printf("%d\n", h[100]);
	free(h);
}

// bug held_back: read by cudaMemcpyAsync at
static volatile int let_go;
static void holds(void *)
{
	while (!let_go)
		;
}
__global__ void held(int *p) { p[TID] = TID; }                          // here held_back
TEST(held_back)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *d = zeros(), *h = pinned();
	cudaDeviceSynchronize();
	cudaLaunchHostFunc(a, holds, NULL);
	held<<<1, 64, 0, a>>>(d);
	reads<<<1, 64, 0, b>>>(zeros(), zeros());
	cudaStreamSynchronize(b);
	cudaMemcpyAsync(h, d, 256, cudaMemcpyDeviceToHost, b);          // other held_back
	let_go = 1;
}

// clean times_of_both
TEST(times_of_both)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	cudaEvent_t e, f;
	float ms = 0;
	cudaEventCreate(&e);
	cudaEventCreate(&f);
	cudaEventRecord(e, a);
	writes<<<1, 64, 0, a>>>(zeros());
	writes<<<1, 64, 0, b>>>(zeros());
	cudaEventRecord(f, a);
	cudaEventSynchronize(f);
	cudaEventElapsedTime(&ms, e, f);
	if (!(ms > 0))
		exit(1);
}

// clean same_graph_again
TEST(same_graph_again)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	cudaGraphExec_t x = graph_of(a, zeros(), zeros());
	for (int i = 0; i < 2; i++) { // the second launch of a graph waits for the first
		cudaGraphLaunch(x, a);
		cudaGraphLaunch(x, b);
	}
}

// clean ordered_by_host
static volatile int *told;
static void waits_for_kernel(void *)
{
	while (!*told)
		;
}
__global__ void tells(const int *p, int *out, volatile int *host)
{
	out[TID] = p[TID];
	__threadfence_system();
	__syncthreads();
	if (TID == 0)
		*host = 1;
}
TEST(ordered_by_host)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *d = zeros(), *x = zeros(), *h = pinned();
	told = h + 1024;
	cudaMemcpyAsync(x, pinned(), 256, cudaMemcpyHostToDevice, a);
	tells<<<1, 64, 0, a>>>(x, d, h + 1024);
	cudaLaunchHostFunc(b, waits_for_kernel, NULL);
	reads<<<1, 64, 0, b>>>(d, zeros());
}

MAIN
