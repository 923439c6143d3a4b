// Latency of single cold loads from DRAM, one after the other on one SM. Between a twelfth and an
// eighth of the loads take up to 700 cycles more. They differ from launch to launch, so the time
// decides and not the address: the load's bank is being refreshed. dram_lines.tsv has the
// histograms.
//   nvcc -arch=sm_90 -O3 -o dram_lines dram_lines.cu && ./dram_lines
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void lines(char *p, unsigned n, unsigned stride, unsigned *latency, unsigned sm)
{
	unsigned here;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(here));
	if (here != sm)
		return;
	for (unsigned i = 0; i < n; i++) {
		unsigned long long v, at = (unsigned long long)(p + (size_t)i * stride);
		long long t0 = clock64();
		asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(at) : "memory");
		asm volatile("{ .reg .pred q; setp.eq.u64 q, %0, 1; @q trap; }" ::"l"(v) : "memory");
		latency[i] = (unsigned)(clock64() - t0);
	}
}

__global__ void flush(char *p, size_t n)
{
	for (size_t i = (blockIdx.x * blockDim.x + threadIdx.x) * 16ull; i < n; i += gridDim.x * blockDim.x * 16ull) {
		int v;
		asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + i));
		if (v == 77)
			asm volatile("trap;");
	}
}

int main()
{
	enum { LINES = 1 << 15, BYTES = 1 << 30 };
	static const struct {
		unsigned sm, stride;
	} launch[] = {{0, 128}, {6, 128}, {0, 32}, {0, 4096}, {0, 128}};
	char *mem, *other;
	unsigned *latency, *h = (unsigned *)malloc(LINES * sizeof *h);
	cudaMalloc(&mem, BYTES);
	cudaMalloc(&other, BYTES);
	cudaMalloc(&latency, LINES * sizeof *latency);
	cudaMemset(mem, 0, BYTES);
	cudaMemset(other, 0, BYTES);
	for (auto &l : launch) {
		flush<<<264, 1024>>>(other, BYTES);
		lines<<<132, 1>>>(mem, LINES, l.stride, latency, l.sm);
		if (cudaMemcpy(h, latency, LINES * sizeof *h, cudaMemcpyDeviceToHost) != cudaSuccess)
			return 1;
		printf("%u\t%u", l.sm, l.stride);
		for (unsigned i = 0; i < LINES; i++)
			printf("\t%u", h[i]);
		printf("\n");
	}
	return 0;
}
