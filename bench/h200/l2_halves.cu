// Shows in which half the L2 keeps a line: latency histograms of single loads, from SMs of both
// halves.
// One thread on a chosen SM follows a ring of 128-byte lines and sorts every hop's latency into
// bins of 8 cycles.
// Each scenario is a row: who warmed the lines, who reads them, how many lines, in which order.
// `homes` finds the
// half of each SM by the latency of one line from every SM.
//   nvcc -arch=sm_90 -O3 -o l2_halves l2_halves.cu && ./l2_halves > l2_halves.tsv
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { BINS = 256, BIN = 8 };
#define CHECK(x)                                                                                                       \
	do {                                                                                                           \
		cudaError_t e = (x);                                                                                   \
		if (e != cudaSuccess) {                                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));                     \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

__device__ unsigned this_sm()
{
	unsigned s;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
	return s;
}

__global__ void make_ring(char *base, unsigned n, unsigned mul, unsigned add)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		*(unsigned long long *)(base + 128ull * i) =
			(unsigned long long)(base + 128ull * (unsigned)(((unsigned long long)i * mul + add) % n));
}

// Makes `hops` loads on SM `sm`; outputs the histogram of their latencies and the sum. store: every
// line is written after it is read.
__global__ void chase(char *start, unsigned hops, unsigned sm, int store, unsigned *hist, unsigned long long *sum)
{
	__shared__ unsigned bin[BINS];
	if (this_sm() != sm)
		return;
	for (int i = 0; i < BINS; i++)
		bin[i] = 0;
	unsigned long long p = (unsigned long long)start, total = 0;
	for (unsigned i = 0; i < hops; i++) {
		unsigned long long next;
		long long t0 = clock64();
		asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(next) : "l"(p) : "memory");
		asm volatile("add.u64 %0, %0, 0;" : "+l"(next));
		unsigned long long seen = next;
		asm volatile("{ .reg .pred q; setp.eq.u64 q, %0, 1; @q trap; }" ::"l"(seen) : "memory");
		long long t1 = clock64();
		unsigned d = (unsigned)(t1 - t0);
		total += d;
		bin[d / BIN < BINS ? d / BIN : BINS - 1]++;
		if (store)
			asm volatile("st.global.u64 [%0], %1;" ::"l"(p + 8), "l"(total) : "memory");
		p = next;
	}
	for (int i = 0; i < BINS; i++)
		hist[i] = bin[i];
	*sum = total;
}

static unsigned *hist;
static unsigned long long *sum;

static void read_lines(const char *name, char *base, unsigned n, unsigned hops, unsigned sm, int store, int print)
{
	chase<<<132 * 2, 32 * 32, 100 << 10>>>(base, 0, 9999, 0, hist, sum);
	CHECK(cudaMemset(hist, 0, BINS * sizeof *hist));
	chase<<<132, 1, 120 << 10>>>(base, hops, sm, store, hist, sum);
	CHECK(cudaDeviceSynchronize());
	if (!print)
		return;
	unsigned h[BINS];
	unsigned long long s;
	CHECK(cudaMemcpy(h, hist, sizeof h, cudaMemcpyDeviceToHost));
	CHECK(cudaMemcpy(&s, sum, sizeof s, cudaMemcpyDeviceToHost));
	printf("%s\t%u\t%u\t%u\t%.1f\t", name, n * 128u / 1024, hops, sm, (double)s / hops);
	for (int i = 0; i < BINS; i++)
		if (h[i])
			printf("%d:%u ", i * BIN, h[i]);
	printf("\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	unsigned a = argc > 1 ? atoi(argv[1]) : 0, b = argc > 2 ? atoi(argv[2]) : 2;
	char *mem;
	size_t bytes = 1ull << 30;
	CHECK(cudaFuncSetAttribute(chase, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10));
	CHECK(cudaMalloc(&mem, bytes));
	CHECK(cudaMalloc(&hist, BINS * sizeof *hist));
	CHECK(cudaMalloc(&sum, 8));
	CHECK(cudaMemset(mem, 0, bytes));
	printf("scenario\tkilobytes\thops\tsm\tmean\tlatency:count in bins of %d cycles\n", BIN);
	make_ring<<<32, 256>>>(mem, 8192, 1, 1);
	for (unsigned sm = 0; sm < 132; sm++) { // one line from every SM: shows the SM's half
		make_ring<<<1, 1>>>(mem, 1, 1, 0);
		read_lines("one line warm", mem, 1, 64, sm, 0, 0);
		read_lines("one line warm", mem, 1, 64, sm, 0, 1);
	}
	static const unsigned mb[] = {1, 8, 16, 24, 28, 32, 36, 40, 48, 56, 60, 64, 72, 96, 200};
	for (int random = 0; random < 2; random++) {
		for (unsigned k = 0; k < sizeof mb / sizeof *mb; k++) {
			unsigned n = mb[k] << 13;
			if (random && (n & (n - 1))) // the generator has a full period only modulo
			// powers of two
				continue;
			make_ring<<<(n + 255) / 256, 256>>>(mem, n, random ? 1664525 : 1, random ? 1013904223 : 1);
			CHECK(cudaDeviceSynchronize());
			read_lines("warm", mem, n, n < 300000 ? n : 300000, a, 0, 0);
			read_lines("warm", mem, n, n, a, 0, 0);
			read_lines(random ? "own pass 3, lcg" : "own pass 3, sequential", mem, n, n, a, 0, 1);
		}
	}
	// Lines that one half has read or written, then read by the other half.
	for (unsigned k = 0; k < 5; k++) {
		unsigned n = mb[k] << 13;
		char *far = mem + (512 << 20);
		make_ring<<<(n + 255) / 256, 256>>>(mem, n, 1, 1);
		make_ring<<<8192, 256>>>(far, 1 << 21, 1, 1);
		read_lines("flush", far, 1 << 21, 1 << 21, a, 0, 0);
		read_lines("flush", far, 1 << 21, 1 << 21, b, 0, 0);
		read_lines("first touch by A", mem, n, n, a, 0, 1);
		read_lines("then A", mem, n, n, a, 0, 1);
		read_lines("then B", mem, n, n, b, 0, 1);
		read_lines("then B", mem, n, n, b, 0, 1);
		read_lines("then A", mem, n, n, a, 0, 1);
		read_lines("A writes", mem, n, n, a, 1, 1);
		read_lines("then A reads", mem, n, n, a, 0, 1);
		read_lines("then B reads", mem, n, n, b, 0, 1);
		read_lines("then A reads", mem, n, n, a, 0, 1);
		read_lines("A writes", mem, n, n, a, 1, 1);
		read_lines("then B reads", mem, n, n, b, 0, 1);
		read_lines("B writes", mem, n, n, b, 1, 1);
		read_lines("then A reads", mem, n, n, a, 0, 1);
	}
	return 0;
}
