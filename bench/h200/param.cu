// Parameters when a kernel begins; fences by the home of the lines before them, and behind other warps' stores.
//
//   nvcc -arch=sm_90 -O3 -o param param.cu && ./param > param.tsv
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>
static unsigned *out, host[1 << 18];
struct words { unsigned w[64]; };
__device__ unsigned now() { unsigned t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory"); return t; }
#define DEP(v) asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x1234567; @p trap; }" ::"r"(v) : "memory");
__global__ void param(unsigned *o, words p)
{
	unsigned t[8], z, v;
	t[0] = now();
	asm volatile("mov.u32 %0, %%nsmid;" : "=r"(z));
	z = z >> 20;
	DEP(z)
	t[1] = now();
	v = p.w[z]; DEP(v) t[2] = now();
	v = p.w[z + v + 1]; DEP(v) t[3] = now();
	v = p.w[z + v + 20]; DEP(v) t[4] = now();
	v = p.w[z + v + 21]; DEP(v) t[5] = now();
	v = p.w[z + v + 40]; DEP(v) t[6] = now();
	unsigned w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	if (threadIdx.x % 32 == 0)
		for (int i = 0; i < 6; i++)
			o[w * 6 + i] = t[i + 1] - t[i];
}
__global__ void pages(unsigned *a, unsigned n, unsigned *o)
{
	for (unsigned k = 0; k < n; k++) {
		unsigned *at = a + k * 1024, t[8], v;
		__threadfence();
		asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(at) : "memory"); DEP(v)
		t[0] = now();
		asm volatile("atom.global.add.u32 %0, [%1], 0;" : "=r"(v) : "l"(at + v) : "memory"); DEP(v)
		t[1] = now();
		__threadfence();
		t[2] = now();
		__threadfence();
		t[3] = now();
		asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at + 8) : "memory"); DEP(v)
		t[4] = now();
		__threadfence();
		t[5] = now();
		asm volatile("st.global.u32 [%0], 0;" ::"l"(at + 16) : "memory");
		t[6] = now();
		__threadfence();
		t[7] = now();
		for (int i = 0; i < 7; i++) // no store of the SM between a fence and what it follows
			o[k * 7 + i] = t[i + 1] - t[i];
	}
}
// Warp 0 stores or loads, warp 1 fences after a while.
__global__ void other(unsigned *a, int what, unsigned *o)
{
	unsigned w = threadIdx.x / 32, v = 0, t = now(), f[3] = {0, 0, 0};
	if (w == 0 && what == 1) asm volatile("st.global.u32 [%0], 0;" ::"l"(a) : "memory");
	if (w == 0 && what == 2) { asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory"); DEP(v) }
	while (now() - t < 3000)
		;
	if (w == 1)
		for (int i = 0; i < 3; i++) {
			t = now();
			__threadfence();
			f[i] = now() - t;
		}
	else
		while (now() - t < 6000)
			;
	if (threadIdx.x == 32)
		for (int i = 0; i < 3; i++)
			o[i] = f[i];
}
static void get(unsigned n) { cudaDeviceSynchronize(); cudaMemcpy(host, out, n * 4, cudaMemcpyDeviceToHost); }
int main()
{
	unsigned *a;
	words p = {};
	cudaMalloc(&out, sizeof host);
	cudaMalloc(&a, 8 << 20);
	cudaMemset(a, 0, 8 << 20);
	for (unsigned grid = 1; grid <= 132; grid += 131)
		for (unsigned warps = 1; warps <= 8; warps += 7)
			for (int k = 0; k < 3; k++) {
				param<<<grid, warps * 32>>>(out, p);
				get(grid * warps * 6);
				printf("param\t%u SMs of %u warps, launch %d\t", grid, warps, k + 1);
				for (int i = 0; i < 6; i++) {
					std::vector<unsigned> v;
					for (unsigned w = 0; w < grid * warps; w++) v.push_back(host[w * 6 + i]);
					std::sort(v.begin(), v.end());
					printf(" %u/%u/%u", v[0], v[v.size() / 2], v.back());
				}
				printf("\n");
			}
	for (int k = 0; k < 2; k++)
		pages<<<1, 1>>>(a, 32, out);
	get(32 * 7);
	for (int k = 0; k < 32; k++) {
		printf("pages\tpage %d: atomic, fence, fence, load, fence, store, fence\t", k);
		for (int i = 0; i < 7; i++) printf(" %u", host[k * 7 + i]);
		printf("\n");
	}
	for (int what = 0; what < 3; what++)
		for (int page = 0; page < 4; page++) {
			for (int k = 0; k < 2; k++) other<<<1, 64>>>(a + page * 1024, what, out);
			get(3);
			printf("other\t%s of another warp, page %d\t%u %u %u\n", what == 0 ? "nothing" : what == 1 ? "a store" : "a load", page, host[0], host[1], host[2]);
		}
	return 0;
}
