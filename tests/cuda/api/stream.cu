// Streams, events, host functions, callbacks: the order of work.
#include "check.h"
#include <pthread.h>
#include <unistd.h>

__global__ void add(int *p, int v) { atomicAdd(p, v); }
__global__ void append(int *list, int *n, int v) { list[(*n)++] = v; }
__global__ void wait_for(volatile int *flag, int *out) { while (!*flag) {} *out = 1; }
__global__ void wait_for_all(volatile int *flag, int n, int *out)
{
	for (int i = 0; i < n; i = flag[i] ? i + 1 : 0) {}
	*out = 2;
}

static int seen[8], nseen;
static void note(void *arg) { seen[nseen++] = (int)(size_t)arg; }
static void callback(cudaStream_t, cudaError_t e, void *arg) { seen[nseen++] = (int)(size_t)arg + (int)e; }
static volatile int release;
static void block(void *) { while (!release) usleep(100); }

/* A host function that waits for a later action of main() holds back only its own stream. */
static void independent()
{
	cudaStream_t a, b;
	int *n, host[2] = {0, 0};
	OK(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
	OK(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
	OK(cudaMalloc(&n, 8));
	OK(cudaMemset(n, 0, 8));
	OK(cudaDeviceSynchronize());
	OK(cudaLaunchHostFunc(a, block, NULL));
	add<<<1, 1, 0, a>>>(n, 1);
	add<<<1, 1, 0, b>>>(n + 1, 2);
	OK(cudaStreamSynchronize(b));
	IS(cudaStreamQuery(a), cudaErrorNotReady);
	OK(cudaMemcpyAsync(host, n, 8, cudaMemcpyDeviceToHost, b));
	IS(host[0], 0);
	IS(host[1], 2);
	release = 1;
	OK(cudaStreamSynchronize(a));
	OK(cudaStreamQuery(a));
	OK(cudaMemcpy(host, n, 8, cudaMemcpyDeviceToHost));
	IS(host[0], 1);
	OK(cudaStreamDestroy(a));
	OK(cudaStreamDestroy(b));
	OK(cudaFree(n));
}

static void events()
{
	cudaStream_t a, b;
	cudaEvent_t e, never, t0, t1;
	int *list, *n, host[4] = {};
	float ms = -1;
	OK(cudaStreamCreate(&a));
	OK(cudaStreamCreate(&b));
	OK(cudaEventCreateWithFlags(&e, cudaEventDisableTiming));
	OK(cudaEventCreate(&never));
	OK(cudaEventCreate(&t0));
	OK(cudaEventCreate(&t1));
	OK(cudaMalloc(&list, 16));
	OK(cudaMalloc(&n, 4));
	OK(cudaMemset(n, 0, 4));
	OK(cudaStreamWaitEvent(b, never, 0)); /* never recorded: no wait */
	OK(cudaEventRecord(t0));
	append<<<1, 1, 0, a>>>(list, n, 1);
	OK(cudaEventRecord(e, a));
	OK(cudaStreamWaitEvent(b, e, 0));
	append<<<1, 1, 0, b>>>(list, n, 2);
	append<<<1, 1>>>(list, n, 3); /* the legacy stream waits for both */
	append<<<1, 1, 0, a>>>(list, n, 4);
	OK(cudaEventRecord(t1, a));
	OK(cudaEventSynchronize(t1));
	OK(cudaEventQuery(e));
	OK(cudaEventElapsedTime(&ms, t0, t1));
	CHECK(ms > 0);
	IS(cudaEventElapsedTime(&ms, e, t1), cudaErrorInvalidResourceHandle);
	IS(cudaEventElapsedTime(&ms, never, t1), cudaErrorInvalidResourceHandle);
	cudaGetLastError();
	OK(cudaMemcpy(host, list, 16, cudaMemcpyDeviceToHost));
	IS(host[0], 1);
	IS(host[1], 2);
	IS(host[2], 3);
	IS(host[3], 4);
	OK(cudaEventDestroy(e));
	OK(cudaStreamDestroy(a));
	OK(cudaStreamDestroy(b));
}

/* A host function may query an event, but not wait for it. */
struct asked {
	cudaEvent_t before, after;
	cudaStream_t stream;
	cudaError_t of_before, of_after, waited, of_stream;
};
static void ask(void *data)
{
	asked *a = (asked *)data;
	a->of_before = cudaEventQuery(a->before);
	a->of_after = cudaEventQuery(a->after);
	a->waited = cudaEventSynchronize(a->after);
	a->of_stream = cudaStreamSynchronize(a->stream);
}
static void asks()
{
	asked a;
	OK(cudaStreamCreate(&a.stream));
	OK(cudaEventCreate(&a.before));
	OK(cudaEventCreate(&a.after));
	OK(cudaEventRecord(a.before, a.stream));
	release = 0;
	OK(cudaLaunchHostFunc(a.stream, block, NULL));
	OK(cudaLaunchHostFunc(a.stream, ask, &a));
	OK(cudaEventRecord(a.after, a.stream));
	release = 1;
	OK(cudaStreamSynchronize(a.stream));
	IS(a.of_before, cudaSuccess);
	IS(a.of_after, cudaErrorNotReady);
	IS(a.waited, cudaErrorNotPermitted);
	IS(a.of_stream, cudaErrorNotPermitted);
	OK(cudaEventDestroy(a.before));
	OK(cudaEventDestroy(a.after));
	OK(cudaStreamDestroy(a.stream));
	cudaGetLastError();
}

static void host_functions()
{
	cudaStream_t s;
	OK(cudaStreamCreate(&s));
	OK(cudaLaunchHostFunc(s, note, (void *)1));
	OK(cudaStreamAddCallback(s, callback, (void *)2, 0));
	OK(cudaLaunchHostFunc(s, note, (void *)3));
	OK(cudaStreamSynchronize(s));
	IS(nseen, 3);
	IS(seen[0], 1);
	IS(seen[1], 2);
	IS(seen[2], 3);
	OK(cudaStreamDestroy(s));
	IS(cudaStreamSynchronize(s), cudaErrorInvalidResourceHandle);
	cudaGetLastError();
}

/* A kernel may wait for the host: launches do not wait. */
static void concurrent()
{
	int *flag, *out;
	OK(cudaHostAlloc((void **)&flag, 4, cudaHostAllocMapped));
	OK(cudaHostAlloc((void **)&out, 4, cudaHostAllocMapped));
	*(volatile int *)flag = 0;
	*out = 0;
	wait_for<<<1, 1>>>(flag, out);
	IS(cudaStreamQuery(0), cudaErrorNotReady);
	IS(*out, 0);
	usleep(50000); /* long enough to be taken for one that waits for ever */
	*(volatile int *)flag = 1;
	OK(cudaDeviceSynchronize());
	IS(*out, 1);
	/* Host functions may also set several words that one kernel waits for, one of them
	 * later. */
	int *flags;
	OK(cudaHostAlloc((void **)&flags, 16, cudaHostAllocMapped));
	for (int i = 0; i < 4; i++)
		((volatile int *)flags)[i] = i != 2;
	wait_for_all<<<1, 1>>>(flags, 4, out);
	usleep(50000);
	((volatile int *)flags)[2] = 1;
	OK(cudaDeviceSynchronize());
	IS(*out, 2);
}

/* Pageable memory is copied during the call. */
static void staged()
{
	int *d, source = 5, got = 0;
	cudaStream_t s;
	release = 0;
	OK(cudaStreamCreate(&s));
	OK(cudaMalloc(&d, 4));
	OK(cudaLaunchHostFunc(s, block, NULL));
	OK(cudaMemcpyAsync(d, &source, 4, cudaMemcpyHostToDevice, s));
	source = 6;
	release = 1;
	OK(cudaMemcpyAsync(&got, d, 4, cudaMemcpyDeviceToHost, s));
	IS(got, 5);
	OK(cudaStreamDestroy(s));
	OK(cudaFree(d));
}

static void *thread(void *arg)
{
	int *d = (int *)arg;
	cudaStream_t s;
	cudaStreamCreate(&s);
	for (int i = 0; i < 20; i++)
		add<<<1, 32, 0, s>>>(d, 1);
	cudaStreamSynchronize(s);
	cudaStreamDestroy(s);
	return NULL;
}

static void threads()
{
	pthread_t t[4];
	int *d, got;
	OK(cudaMalloc(&d, 4));
	OK(cudaMemset(d, 0, 4));
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, thread, d);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	OK(cudaMemcpy(&got, d, 4, cudaMemcpyDeviceToHost));
	IS(got, 4 * 20 * 32);
}

int main()
{
	int least, greatest;
	OK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
	CHECK(greatest < least);
	independent();
	events();
	host_functions();
	concurrent();
	staged();
	threads();
	asks();
	DONE();
}
