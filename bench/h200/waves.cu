// Contention on an SM: several warps load constants that the first level lacks, all SMs store at
// once, and a block starts in the place of one that has ended.
//   nvcc -arch=sm_90 -O3 -cudart shared -o waves waves.cu && ./waves > waves.tsv
// Rows:
//   constants  LDC of one line of 64 bytes per warp instruction, lines in turn over a footprint: cycles per LDC of the SM
//   lanes      LDC whose 32 lanes read random words of a footprint: cycles per LDC of the SM
//   stores     clocks after each of 8 stores of a full line, less the clock before the first; first warp, last warp, the slowest of all blocks
//   gap        from the end of a block to the start of the next one in its place: least, quartiles, most
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x)                                                                                                       \
	do {                                                                                                           \
		cudaError_t e = (x);                                                                                   \
		if (e != cudaSuccess) {                                                                                \
			fprintf(stderr, "waves.cu:%d: %s\n", __LINE__, cudaGetErrorString(e));                         \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)
enum { WORDS = 16384, STORES = 8, MOST = 1 << 18 };
__constant__ unsigned table[WORDS]; // zeros
static unsigned *out, host[MOST];

__device__ unsigned now()
{
	unsigned t;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
	return t;
}
__device__ unsigned this_sm()
{
	unsigned s;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
	return s;
}
static void fetch(unsigned n)
{
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, out, n * 4, cudaMemcpyDeviceToHost));
}

// Each warp begins at another line.
template <bool lanes> __global__ void constants(unsigned *o, unsigned n, unsigned mask)
{
	unsigned warp = threadIdx.x / 32, at = lanes ? (threadIdx.x * 2654435761u >> 12) & mask : warp * 16 & mask, sum = 0;
	__syncthreads();
	unsigned t = now();
	for (unsigned i = 0; i < n; i++) {
#pragma unroll
		for (int k = 0; k < 8; k++) {
			unsigned v;
			asm volatile("{ .reg .u64 a, b; mov.u64 a, table; cvt.u64.u32 b, %1; add.u64 a, a, b; ld.const.u32 %0, [a]; }" : "=r"(v) : "r"(at * 4));
			sum += v;
			at = (at + (lanes ? 37 : 16)) & mask;
		}
	}
	if (sum == 1)
		o[100] = 1;
	if (threadIdx.x % 32 == 0) {
		o[2 * warp] = t;
		o[2 * warp + 1] = now();
	}
}

template <bool lanes> static void do_constants(const char *name, unsigned warps, unsigned bytes)
{
	double span[2];
	for (int k = -1; k < 2; k++) {
		constants<lanes><<<1, warps * 32>>>(out, k > 0 ? 40 : 8, bytes / 4 - 1);
		fetch(2 * warps);
		unsigned from = host[0], to = 0;
		for (unsigned w = 1; w < warps; w++)
			from = (int)(host[2 * w] - from) < 0 ? host[2 * w] : from;
		for (unsigned w = 0; w < warps; w++)
			to = std::max(to, host[2 * w + 1] - from);
		span[k > 0] = to;
	}
	printf("%s\t%u warps, %u bytes\t%.2f\n", name, warps, bytes, (span[1] - span[0]) / (32. * 8 * warps));
}

__global__ void stores(char *a, unsigned *o, unsigned width)
{
	unsigned t[STORES + 1], warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
	char *mine = a + (warp * STORES * 32ull + threadIdx.x % 32) * 4;
	t[0] = now();
#pragma unroll
	for (int i = 0; i < STORES; i++) {
		if (threadIdx.x % 32 < width)
			asm volatile("st.global.u32 [%0], 0;" ::"l"(mine + i * 128) : "memory");
		t[i + 1] = now();
	}
	if (threadIdx.x % 32 == 0)
		for (int i = 0; i < STORES; i++)
			o[warp * STORES + i] = t[i + 1] - t[0];
}

static void do_stores(char *a, unsigned blocks, unsigned threads, unsigned width)
{
	unsigned per = threads / 32, n = blocks * per;
	for (int k = 0; k < 3; k++) {
		stores<<<blocks, threads>>>(a, out, width);
		fetch(n * STORES);
	}
	printf("stores\t%u blocks of %u threads, %u lanes\t", blocks, threads, width);
	for (int i = 0; i < STORES; i++)
		printf("%u ", host[i]);
	printf("; ");
	for (int i = 0; i < STORES; i++)
		printf("%u ", host[(per - 1) * STORES + i]);
	printf("; ");
	for (int i = 0; i < STORES; i++) {
		unsigned most = 0;
		for (unsigned w = 0; w < n; w++)
			most = std::max(most, host[w * STORES + i]);
		printf("%u%s", most, i + 1 < STORES ? " " : "\n");
	}
}

// Block i waits for `wait` cycles; blocks in odd places on their SM wait for `step` more.
__global__ void gap(unsigned *o, unsigned wait, unsigned step)
{
	unsigned t0 = now();
	extern __shared__ char room[];
	unsigned more = blockIdx.x / 132 % 8 * step;
	while (now() - t0 < wait + more)
		;
	if (threadIdx.x == 0) {
		o[blockIdx.x * 3] = this_sm();
		o[blockIdx.x * 3 + 1] = t0;
		o[blockIdx.x * 3 + 2] = now();
	}
}

static void do_gap(unsigned resident, unsigned threads, unsigned wait, unsigned step)
{
	unsigned shared = 220 * 1024 / resident - 1024, n = 132 * resident * 4;
	CHECK(cudaFuncSetAttribute(gap, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
	for (int k = 0; k < 2; k++) {
		gap<<<n, threads, shared>>>(out, wait, step);
		fetch(n * 3);
	}
	std::vector<unsigned> gaps;
	for (unsigned sm = 0; sm < 132; sm++) {
		std::vector<std::pair<unsigned, unsigned>> b; // start, end
		for (unsigned i = 0; i < n; i++)
			if (host[i * 3] == sm)
				b.push_back({host[i * 3 + 1], host[i * 3 + 2]});
		if (b.empty())
			continue;
		unsigned base = b[0].first;
		for (auto &x : b)
			base = (int)(x.first - base) < 0 ? x.first : base;
		std::vector<unsigned> start, end;
		for (auto &x : b) {
			start.push_back(x.first - base);
			end.push_back(x.second - base);
		}
		std::sort(start.begin(), start.end());
		std::sort(end.begin(), end.end());
		for (size_t i = resident; i < start.size(); i++) // the i-th start takes the place
		// of the (i - resident)-th end
			gaps.push_back(start[i] - end[i - resident]);
	}
	std::sort(gaps.begin(), gaps.end());
	size_t g = gaps.size();
	printf("gap\t%u blocks per SM of %u threads, %u + %u cycles\t%u %u %u %u %u\n", resident, threads, wait, step, gaps[0], gaps[g / 4],
	       gaps[g / 2], gaps[3 * g / 4], gaps[g - 1]);
}

int main(void)
{
	char *a;
	CHECK(cudaMalloc(&a, 64 << 20));
	CHECK(cudaMalloc(&out, sizeof host));
	CHECK(cudaMemset(a, 0, 64 << 20));
	CHECK(cudaMemset(out, 0, sizeof host));
	printf("row\twhat\tcycles\n");
	for (unsigned bytes = 1024; bytes <= 65536; bytes *= 2)
		for (unsigned warps = 1; warps <= 16; warps *= 4)
			do_constants<false>("constants", warps, bytes);
	for (unsigned bytes = 1024; bytes <= 65536; bytes *= 4)
		do_constants<true>("lanes", 8, bytes);
	do_constants<true>("lanes", 8, 8192);
	static const unsigned blocks[] = {1, 8, 16, 66, 132, 528, 1056};
	for (unsigned b : blocks)
		for (unsigned width = 1; width <= 32; width *= 32)
			do_stores(a, b, 256, width);
	do_stores(a, 132, 32, 32);
	do_stores(a, 132, 1024, 32);
	for (unsigned r = 1; r <= 8; r *= 2)
		for (unsigned t = 64; t <= 256; t *= 4) {
			do_gap(r, t, 3000, 0);
			do_gap(r, t, 3000, 700);
		}
	return 0;
}
