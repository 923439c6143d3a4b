// Costs of the start and the end of a launch, and of the first touch of code, constants and data.
//
//   nvcc -arch=sm_90 -O3 -o first_touch first_touch.cu && ./first_touch > first_touch.tsv
//   ncu --clock-control none --cache-control none --metrics sm__cycles_active.max,smsp__inst_executed.sum ...
//
// Rows:
//   hops    latency of loads that depend on each other, in a fresh launch, by who wrote the lines last
//   const   latency of LDC of lines that no launch has read: bank 3, then kernel parameters
//   warps   clock of each warp's first instruction, relative to the first of the block
//   gap     from the end of a block to the start of the next one in its place, by what the block does last
//   span    first to last clock of a kernel (ncu's active cycles less this are start and end)
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

#define CHECK(x)                                                                                                       \
	do {                                                                                                           \
		cudaError_t e = (x);                                                                                   \
		if (e != cudaSuccess) {                                                                                \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(e));                     \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)
typedef unsigned long long u64;
enum { HOPS = 24, CONSTS = 16384, FULL = 200 << 10 };
__constant__ unsigned bank3[CONSTS];
struct params {
	unsigned w[900];
};

__device__ unsigned this_sm()
{
	unsigned s;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
	return s;
}
__device__ u64 now()
{
	u64 t;
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
	return t;
}

// Keeps the compiler from reading only the low half of the clock, which takes longer.
__device__ unsigned cycles(u64 d) { return d >> 40 ? ~0u : (unsigned)d; }
__device__ void store(char *a) { asm volatile("st.global.u32 [%0], 0;" ::"l"(a) : "memory"); }

// Lines are zero: the next address is the last address plus stride plus the value read.
__global__ void hops(char *a, unsigned stride, unsigned sm, unsigned *out)
{
	u64 t[HOPS + 1];
	if (this_sm() != sm)
		return;
	t[0] = now();
#pragma unroll
	for (int i = 0; i < HOPS; i++) {
		unsigned v;
		asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
		a += stride + v;
		asm volatile("add.u64 %0, %0, 0;" : "+l"(a));
		asm volatile("{ .reg .pred q; setp.eq.u64 q, %0, 1; @q trap; }" ::"l"(a) : "memory");
		t[i + 1] = now();
	}
	for (int i = 0; i < HOPS; i++)
		out[i] = cycles(t[i + 1] - t[i]);
}

__global__ void write_lines(char *a, unsigned n, unsigned sm, unsigned all)
{
	if (!all && this_sm() != sm)
		return;
	unsigned i = all ? blockIdx.x * blockDim.x + threadIdx.x : threadIdx.x, step = all ? gridDim.x * blockDim.x : blockDim.x;
	for (; i < n; i += step)
		store(a + 32ull * i);
}

__global__ void consts(unsigned start, unsigned step, unsigned *out, struct params p, int of_params)
{
	unsigned at = start;
	u64 t[17];
	t[0] = now();
#pragma unroll
	for (int i = 0; i < 16; i++) {
		unsigned v = of_params ? p.w[at] : bank3[at];
		at += step + v;
		asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 77777; @q trap; }" ::"r"(at) : "memory");
		t[i + 1] = now();
	}
	for (int i = 0; i < 16; i++)
		out[i] = cycles(t[i + 1] - t[i]);
}

__global__ void warps(unsigned *out)
{
	u64 t = now();
	if (threadIdx.x % 32 == 0)
		out[blockIdx.x * 32 + threadIdx.x / 32] = cycles(t & 0x7fffffff);
}

// kind: the last action of the block. 0 none, 1 a store, 2 stores to 32 lines, 3 a reduction, 4 a
// load whose result is unused.
template <int kind> __global__ void gap(char *a, unsigned wait, unsigned *out)
{
	u64 t0 = now(), t;
	if (threadIdx.x == 0) {
		out[blockIdx.x * 4] = this_sm();
		out[blockIdx.x * 4 + 1] = cycles(t0 & 0x7fffffff);
	}
	do
		t = now();
	while (t - t0 < wait);
	char *mine = a + (blockIdx.x * 32ull + threadIdx.x % 32) * (kind == 2 ? 128 : 4);
	if (kind == 1 || kind == 2)
		store(mine);
	if (kind == 3)
		asm volatile("red.global.add.u32 [%0], 0;" ::"l"(mine) : "memory");
	if (kind == 4) {
		unsigned v;
		asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(mine) : "memory");
	}
}

// Clocks of a launch for comparison with active cycles. kind: 0 clocks only, 1 a load before the end, 2 fence at the end.
template <int kind> __global__ void span(unsigned *out, char *a)
{
	u64 t0 = now();
	unsigned v = 0;
	if (kind == 1) {
		asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(a + threadIdx.x * 4) : "memory");
		asm volatile("{ .reg .pred q; setp.eq.u32 q, %0, 77777; @q trap; }" ::"r"(v) : "memory");
	}
	u64 t1 = now();
	if (threadIdx.x % 32 == 0) {
		out[2 * (blockIdx.x * 32 + threadIdx.x / 32)] = cycles(t0 & 0x7fffffff);
		out[2 * (blockIdx.x * 32 + threadIdx.x / 32) + 1] = cycles(t1 & 0x7fffffff);
	}
	if (kind == 2)
		asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
__global__ void nothing() {}

static unsigned *out, host[1 << 16];
static void fetch(unsigned n)
{
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, out, n * 4, cudaMemcpyDeviceToHost));
}
static void row(const char *name, const char *what, unsigned n)
{
	printf("%s\t%s\t", name, what);
	for (unsigned i = 0; i < n; i++)
		printf("%u%s", host[i], i + 1 < n ? " " : "\n");
	fflush(stdout);
}

static char *zeros;
static void fill(const char *how, char *a, size_t bytes)
{
	if (!strcmp(how, "copied from the host"))
		CHECK(cudaMemcpy(a, zeros, bytes, cudaMemcpyHostToDevice));
	else if (!strcmp(how, "set by the host"))
		CHECK(cudaMemset(a, 0, bytes));
	else if (!strcmp(how, "written by the same SM"))
		write_lines<<<132, 512, FULL>>>(a, bytes / 32, 0, 0);
	else if (!strcmp(how, "written by an SM of the other half"))
		write_lines<<<132, 512, FULL>>>(a, bytes / 32, 6, 0);
	else if (!strcmp(how, "written by all SMs"))
		write_lines<<<132, 512, FULL>>>(a, bytes / 32, 0, 1);
	CHECK(cudaDeviceSynchronize());
}

static void do_hops(const char *how, char *a, size_t bytes, unsigned stride)
{
	char what[128];
	fill(how, a, bytes);
	for (int k = 0; k < 3; k++) {
		hops<<<132, 1, FULL>>>(a, stride, 0, out);
		fetch(HOPS);
		snprintf(what, sizeof what, "%s, %zu KB, stride %u, launch %d", how, bytes >> 10, stride, k + 1);
		row("hops", what, HOPS);
	}
}

template <int kind> static void do_gap(char *a, const char *what, unsigned threads)
{
	unsigned n = 132 * 8, k = 0, gaps[4096];
	CHECK(cudaFuncSetAttribute(gap<kind>, cudaFuncAttributeMaxDynamicSharedMemorySize, FULL));
	gap<kind><<<n, threads, FULL>>>(a, 3000, out);
	gap<kind><<<n, threads, FULL>>>(a, 3000, out);
	fetch(n * 4);
	for (unsigned i = 0; i < n; i++) { // the next start on the SM
		unsigned best = ~0u;
		for (unsigned j = 0; j < n; j++)
			if (host[j * 4] == host[i * 4] && (int)(host[j * 4 + 1] - host[i * 4 + 1]) > 0 &&
			    host[j * 4 + 1] - host[i * 4 + 1] < best)
				best = host[j * 4 + 1] - host[i * 4 + 1];
		if (best != ~0u && k < 4096)
			gaps[k++] = best - 3000;
	}
	for (unsigned i = 1; i < k; i++)
		for (unsigned j = i; j && gaps[j] < gaps[j - 1]; j--) {
			unsigned t = gaps[j];
			gaps[j] = gaps[j - 1];
			gaps[j - 1] = t;
		}
	unsigned q[5] = {gaps[0], gaps[k / 4], gaps[k / 2], gaps[k * 3 / 4], gaps[k - 1]};
	memcpy(host, q, sizeof q);
	row("gap", what, 5);
}

int main(void)
{
	char *a;
	size_t bytes = 256 << 20;
	static struct params p;
	zeros = (char *)calloc(1, bytes);
	CHECK(cudaMalloc(&a, bytes));
	CHECK(cudaMalloc(&out, sizeof host));
	CHECK(cudaMemset(a, 0, bytes));
	CHECK(cudaMemset(out, 0, sizeof host));
	CHECK(cudaFuncSetAttribute(hops, cudaFuncAttributeMaxDynamicSharedMemorySize, FULL));
	CHECK(cudaFuncSetAttribute(write_lines, cudaFuncAttributeMaxDynamicSharedMemorySize, FULL));
	printf("row\twhat\tcycles\n");
	for (unsigned k = 0; k < 4; k++) { // cold constants: each launch reads a range that no launch has read
		consts<<<1, 1>>>(k * 2048, 16, out, p, 0);
		fetch(16);
		row("const", "bank 3, lines of 64 bytes never read", 16);
	}
	consts<<<1, 1>>>(0, 16, out, p, 0);
	fetch(16);
	row("const", "bank 3, read by an earlier launch", 16);
	for (unsigned k = 0; k < 3; k++) {
		consts<<<1, 1>>>(0, 16, out, p, 1);
		fetch(16);
		row("const", "parameters, lines of 64 bytes", 16);
	}
	static const char *const how[] = {"copied from the host", "set by the host", "written by the same SM",
					  "written by an SM of the other half", "written by all SMs"};
	for (unsigned i = 0; i < 5; i++) {
		do_hops(how[i], a, 16 << 10, 128);
		do_hops(how[i], a + (8 << 20), 1 << 20, 4096);
		do_hops(how[i], a + (16 << 20), 8 << 20, 256 << 10);
	}
	do_hops("copied from the host", a, 128 << 20, 4 << 20);
	for (unsigned t = 32; t <= 1024; t *= 2)
		for (int k = 0; k < 2; k++) {
			warps<<<1, t>>>(out);
			fetch(32);
			for (unsigned i = 31; i + 1 > 0; i--)
				host[i] -= host[0];
			char what[32];
			snprintf(what, sizeof what, "%u threads", t);
			row("warps", what, t / 32);
		}
	do_gap<0>(a, "nothing, 32 threads", 32);
	do_gap<1>(a, "store, 32 threads", 32);
	do_gap<2>(a, "stores to 32 lines, 32 threads", 32);
	do_gap<3>(a, "reduction, 32 threads", 32);
	do_gap<4>(a, "load, 32 threads", 32);
	do_gap<0>(a, "nothing, 512 threads", 512);
	do_gap<1>(a, "store, 512 threads", 512);
	do_gap<2>(a, "stores to 32 lines, 512 threads", 512);
	for (int k = 0; k < 3; k++) {
		static const unsigned grid[] = {1, 8, 132}, block[] = {32, 256, 512, 1024};
		for (unsigned g = 0; g < 3; g++)
			for (unsigned b = 0; b < 4; b++) {
				nothing<<<grid[g], block[b]>>>();
				span<0><<<grid[g], block[b]>>>(out, a);
				fetch(64);
				row("span", "clocks of block 0", block[b] / 16);
				span<1><<<grid[g], block[b]>>>(out, a);
				fetch(64);
				row("span", "load, clocks of block 0", block[b] / 16);
				span<2><<<grid[g], block[b]>>>(out, a);
				fetch(64);
				row("span", "fence, clocks of block 0", block[b] / 16);
			}
	}
	return 0;
}
