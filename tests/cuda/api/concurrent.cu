/* Kernels of different streams in timing mode: they run together, events have the times of their
 * streams, and the host's speed changes nothing. */
#include <stdlib.h>
#include <unistd.h>
#include "check.h"

__global__ void work(int n, unsigned *out)
{
	unsigned x = threadIdx.x;
	for (int i = 0; i < n; i++)
		x = x * 1664525 + 1013904223;
	out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

__global__ void until(volatile unsigned *flag)
{
	while (!*flag)
		;
}

__global__ void raise(volatile unsigned *flag) { *flag = 1; }

static cudaStream_t s[2];
static cudaEvent_t start, end[2];
static unsigned *buffer;

struct times {
	float ms[2];
};

/* Two launches, in one stream or in two; `wait`: the second stream waits for the first one's event. */
static struct times two(bool streams, bool wait, useconds_t delay)
{
	struct times t;
	cudaStream_t second = s[streams];
	OK(cudaDeviceSynchronize());
	OK(cudaEventRecord(start, s[0]));
	work<<<1, 32, 0, s[0]>>>(500, buffer);
	OK(cudaEventRecord(end[0], s[0]));
	usleep(delay);
	if (wait)
		OK(cudaStreamWaitEvent(second, end[0], 0));
	work<<<1, 32, 0, second>>>(500, buffer + 4096);
	usleep(delay);
	OK(cudaEventRecord(end[1], second));
	OK(cudaDeviceSynchronize());
	OK(cudaEventElapsedTime(&t.ms[0], start, end[0]));
	OK(cudaEventElapsedTime(&t.ms[1], start, end[1]));
	return t;
}

int main(void)
{
	setenv("HEDDLE_SET", "gpu.sms=2", 1);
	setenv("HEDDLE_QUIET", "1", 1);
	cudaDeviceProp p;
	OK(cudaGetDeviceProperties(&p, 0));
	if (!p.concurrentKernels)
		DONE(); /* a machine of the time before */
	for (int i = 0; i < 2; i++) {
		OK(cudaStreamCreate(&s[i]));
		OK(cudaEventCreate(&end[i]));
	}
	OK(cudaEventCreate(&start));
	OK(cudaMalloc(&buffer, 65536));
	two(true, false, 0); /* the caches are warm now */

	struct times serial = two(false, false, 0), together = two(true, false, 0), chain = two(true, true, 0);
	CHECK(serial.ms[1] > 1.8f * serial.ms[0]);
	CHECK(together.ms[1] < 1.2f * together.ms[0] && together.ms[1] > 0.8f * together.ms[0]);
	CHECK(chain.ms[1] > 1.8f * chain.ms[0]);

	struct times slow = two(true, false, 20000), again = two(true, false, 0);
	CHECK(slow.ms[0] == again.ms[0] && slow.ms[1] == again.ms[1]);

	unsigned zero = 0, value;
	OK(cudaMemcpy(buffer, &zero, 4, cudaMemcpyHostToDevice));
	until<<<1, 1, 0, s[0]>>>(buffer);
	raise<<<1, 1, 0, s[1]>>>(buffer);
	OK(cudaStreamSynchronize(s[0])); /* would wait forever if one kernel ran after the other */
	OK(cudaMemcpy(&value, buffer, 4, cudaMemcpyDeviceToHost));
	CHECK(value == 1);

	/* Work of programs that only query (and never wait) gets done too. */
	work<<<1, 32, 0, s[1]>>>(10, buffer);
	while (cudaStreamQuery(s[1]) == cudaErrorNotReady)
		;
	OK(cudaEventRecord(end[0], s[0]));
	while (cudaEventQuery(end[0]) == cudaErrorNotReady)
		;
	DONE();
}
