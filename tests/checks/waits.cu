// Programs that wait for other work than that whose results they use, and correct programs with several waits. Comments as in kernels.cu; each is a
// function of the host.
#include <atomic>
#include <thread>
#include <unistd.h>
#include "programs.cuh"

struct streams {
	cudaStream_t a, b;
	int *x = zeros(), *y = zeros(), *out = zeros(), *h, *m;
	streams()
	{
		two_streams(&a, &b);
		cudaMallocHost(&h, 8192);
		memset(h, 0, 8192);
		cudaMallocManaged(&m, 8192);
		memset(m, 0, 8192);
		cudaDeviceSynchronize();
	}
};
#define SHOW(p) printf("%d\n", (p)[3])

__global__ void makes(int *p)
{
	p[TID] = TID;                                                   // other waits_other_stream
}
__global__ void takes(const int *p, int *out)
{
	out[TID] = p[TID] + 1;                                          // here waits_other_stream
}
// bug waits_other_stream: in streams that nothing orders
TEST(waits_other_stream)
{
	streams s;
	makes<<<1, 64, 0, s.a>>>(s.x);
	writes<<<1, 64, 0, s.b>>>(s.y);
	cudaStreamSynchronize(s.b);
	takes<<<1, 64, 0, s.b>>>(s.x, s.out);
}

__global__ void looks(const int *p, int *out)
{
	out[TID] = p[TID] + 1;                                          // other waits_before_store
}
__global__ void fills_it(int *p)
{
	p[TID] = TID;                                                   // here waits_before_store
}
// bug waits_before_store: in streams that nothing orders
TEST(waits_before_store)
{
	streams s;
	looks<<<1, 64, 0, s.a>>>(s.x, s.out);
	cudaStreamSynchronize(s.b);
	fills_it<<<1, 64, 0, s.b>>>(s.x);
}

// bug waits_other_copy: which may be under way, read by the host at
TEST(waits_other_copy)
{
	streams s;
	writes<<<1, 64, 0, s.a>>>(s.x);
	cudaMemcpyAsync(s.h, s.x, 4096, cudaMemcpyDeviceToHost, s.a);   // other waits_other_copy
	cudaStreamSynchronize(s.b);
	SHOW(s.h);
}

__global__ void makes_managed(int *p)
{
	p[TID] = TID;                                                   // here waits_other_managed
}
// bug waits_other_managed: read by the host at
TEST(waits_other_managed)
{
	streams s;
	makes_managed<<<1, 64, 0, s.a>>>(s.m);
	writes<<<1, 64, 0, s.b>>>(s.y);
	cudaStreamSynchronize(s.b);
	SHOW(s.m);                                                      // other waits_other_managed
}

__global__ void makes_late(int *p)
{
	p[TID] = TID;                                                   // here event_too_early
}
// bug event_too_early: read by the host at
TEST(event_too_early)
{
	streams s;
	cudaEvent_t e;
	cudaEventCreate(&e);
	writes<<<1, 64, 0, s.a>>>(s.x);
	cudaEventRecord(e, s.a);
	makes_late<<<1, 64, 0, s.a>>>(s.m);
	cudaEventSynchronize(e);
	SHOW(s.m);                                                      // other event_too_early
}

__global__ void makes_apart(int *p)
{
	p[TID] = TID;                                                   // here default_not_all
}
// bug default_not_all: read by cudaMemcpy at
TEST(default_not_all)
{
	streams s;
	int h[64];
	makes_apart<<<1, 64, 0, s.a>>>(s.x);
	cudaStreamSynchronize(0);
	cudaMemcpy(h, s.x, sizeof h, cudaMemcpyDeviceToHost);           // other default_not_all
	printf("%d\n", h[3]);
}

// bug asks_other_stream: which may be under way, read by the host at
TEST(asks_other_stream)
{
	streams s;
	cudaMemcpyAsync(s.h, s.x, 4096, cudaMemcpyDeviceToHost, s.a);   // other asks_other_stream
	writes<<<1, 64, 0, s.b>>>(s.y);
	while (cudaStreamQuery(s.b) == cudaErrorNotReady)
		usleep(100);
	SHOW(s.h);
}

// clean waits_by_event: the event carries what came before it in another stream
TEST(waits_by_event)
{
	streams s;
	cudaEvent_t e;
	cudaEventCreate(&e);
	writes<<<1, 64, 0, s.a>>>(s.m);
	cudaEventRecord(e, s.a);
	cudaStreamWaitEvent(s.b, e, 0);
	reads<<<1, 64, 0, s.b>>>(s.m, s.out);
	cudaStreamSynchronize(s.b);
	SHOW(s.m);
}

// clean waits_for_both
TEST(waits_for_both)
{
	streams s;
	writes<<<1, 64, 0, s.a>>>(s.m);
	writes<<<1, 64, 0, s.b>>>(s.x);
	cudaStreamSynchronize(s.b);
	reads<<<1, 64, 0, s.b>>>(s.x, s.out);
	cudaStreamSynchronize(s.a);
	SHOW(s.m);
	reads<<<1, 64, 0, s.b>>>(s.m, s.out);
}

// clean halves: a system call fills one half while the other is copied
TEST(halves)
{
	streams s;
	int fd[2];
	if (pipe(fd) || write(fd[1], "0123456789abcdef", 16) != 16)
		return;
	cudaMemcpyAsync(s.x, s.h, 4096, cudaMemcpyHostToDevice, s.a);
	cudaMemcpyAsync(s.y, s.h + 1024, 4096, cudaMemcpyHostToDevice, s.b);
	cudaStreamSynchronize(s.a);
	if (read(fd[0], s.h, 16) != 16)
		cudaMemcpy(s.x, s.h, 1 << 20, cudaMemcpyHostToDevice); // is told
	cudaMemcpyAsync(s.x, s.h, 4096, cudaMemcpyHostToDevice, s.a);
}

__global__ void raises(device_int *f) { f->store(1); }
__global__ void polls_for(device_int *f)
{
	while (!f->load())
		;
}
// clean kernel_polls: a kernel waits for one of another stream, the host for it alone
TEST(kernel_polls)
{
	streams s;
	raises<<<1, 1, 0, s.a>>>((device_int *)s.x);
	polls_for<<<1, 64, 0, s.b>>>((device_int *)s.x);
	cudaStreamSynchronize(s.b);
}

__global__ void adds_to(int *p) { atomicAdd_system(p, 1); }
// clean both_count: the host and a kernel, both by atomic operations
TEST(both_count)
{
	streams s;
	adds_to<<<2, 32, 0, s.a>>>(s.m);
	for (int i = 0; i < 100; i++)
		__atomic_fetch_add(s.m, 1, __ATOMIC_SEQ_CST);
	cudaStreamSynchronize(s.a);
}

__global__ void adds_within(int *p)
{
	atomicAdd(p, 1);                                                // here counts_within
}
// bug counts_within: by the host at
TEST(counts_within)
{
	streams s;
	adds_within<<<2, 32, 0, s.a>>>(s.m);
	__atomic_fetch_add(s.m, 1, __ATOMIC_SEQ_CST);
	cudaStreamSynchronize(s.a);
}

static std::atomic<int> called;
static void CUDART_CB calls(void *) { called = 1; }
// clean host_function_tells: the host learns by a variable that the other stream has come so far
TEST(host_function_tells)
{
	cudaStream_t a, b;
	two_streams(&a, &b);
	int *x = zeros(), *y = zeros();
	cudaDeviceSynchronize();
	writes<<<1, 64, 0, a>>>(x);
	cudaLaunchHostFunc(a, calls, NULL);
	writes<<<1, 64, 0, b>>>(y);
	cudaStreamSynchronize(b);
	while (!called)
		usleep(100);
	cudaStreamSynchronize(a);
}

static void turns(cudaStream_t s, int *m, int *out)
{
	for (int k = 0; k < 4; k++) {
		writes<<<1, 64, 0, s>>>(m);
		reads<<<1, 64, 0, s>>>(m, out);
		cudaStreamSynchronize(s);
		if (m[63] != 63)
			_exit(1);
	}
}
// clean thread_a_stream
TEST(thread_a_stream)
{
	streams s;
	std::thread t([&] { turns(s.a, s.m, s.out); });
	turns(s.b, s.m + 1024, s.out + 512);
	t.join();
}

// clean many_held: more than are held back
TEST(many_held)
{
	streams s;
	for (int k = 0; k < 300; k++) {
		writes<<<1, 32, 0, s.a>>>(s.x);
		cudaStreamSynchronize(s.b);
	}
	cudaStreamSynchronize(s.a);
	reads<<<1, 32, 0, s.b>>>(s.x, s.out);
}
MAIN
