// Microbenchmarks from which `heddle calibrate` makes a machine file, for any NVIDIA GPU since Ampere (docs/machine/calibrate.md):
//
//   nvcc -cudart shared -arch=native -O3 -o recipe recipe.cu && ./recipe >mine.tsv
//   heddle calibrate mine.tsv --out mine.ini
//   heddle run --quiet --code native --mode timing --config ./mine.ini ./recipe >simulated.tsv
//   heddle calibrate mine.tsv --simulated simulated.tsv
//
// Every row is a name, a value and a unit; cycles are those of the SM's clock. Latencies and rates are slopes between two loop counts, so the costs of starting and ending
// a kernel cancel. recipe.tsv is the output on an H200, where the program takes less than a second.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

typedef unsigned long long u64;
#define CHECK(x)                                                                                                       \
	do {                                                                                                           \
		cudaError_t e = (x);                                                                                   \
		if (e != cudaSuccess) {                                                                                \
			fprintf(stderr, "recipe.cu:%d: %s\n", __LINE__, cudaGetErrorString(e));                        \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)

static void row(const char *name, double value, const char *unit)
{
	printf("%s\t%.10g\t%s\n", name, value, unit);
	fflush(stdout);
}

// A warp's output: clocks before and after the work, and a value that keeps the compiler from
// removing the work.
struct mark {
	long long from, to;
	u64 sink;
};
static mark *marks; // on the device, one per warp

__device__ static void put_mark(mark *m, long long from, long long to, u64 sink)
{
	if (threadIdx.x % 32 == 0)
		m[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = {from, to, sink};
}

// The longest time between the first and the last clock of the warps of an SM; the warps of a
// launch are either all on one SM or all on different SMs.
static double span(unsigned warps_per_block, unsigned blocks)
{
	std::vector<mark> m(warps_per_block * blocks);
	CHECK(cudaMemcpy(m.data(), marks, m.size() * sizeof(mark), cudaMemcpyDeviceToHost));
	std::vector<double> each;
	for (unsigned b = 0; b < blocks; b++) {
		long long from = m[b * warps_per_block].from, to = 0;
		for (unsigned w = 0; w < warps_per_block; w++) {
			from = std::min(from, m[b * warps_per_block + w].from);
			to = std::max(to, m[b * warps_per_block + w].to);
		}
		each.push_back((double)(to - from));
	}
	std::nth_element(each.begin(), each.begin() + each.size() / 2, each.end());
	return each[each.size() / 2];
}

// Slope of a kernel's span between two loop counts, in cycles per iteration; the first launch of three warms the caches.
template <class F> static double slope(F launch, unsigned i1, unsigned i2, unsigned warps_per_block = 1, unsigned blocks = 1)
{
	double s[2] = {};
	for (int k = -1; k < 2; k++) {
		launch(k > 0 ? i2 : i1);
		CHECK(cudaDeviceSynchronize());
		s[k > 0] = span(warps_per_block, blocks);
	}
	return (s[1] - s[0]) / (i2 - i1);
}

// ---- latencies: one thread or warp, each operation waits for the one before ----

__global__ void fma_chain(mark *m, unsigned n, float a, float b)
{
	float x = threadIdx.x;
	long long t0 = clock64();
#pragma unroll 1
	for (unsigned i = 0; i < n; i++)
#pragma unroll
		for (int k = 0; k < 128; k++)
			asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x) : "f"(a), "f"(b));
	put_mark(m, t0, clock64(), __float_as_uint(x));
}

__global__ void shared_chain(mark *m, unsigned n)
{
	__shared__ unsigned s[256];
	unsigned at = (unsigned)__cvta_generic_to_shared(s) + 4 * threadIdx.x;
	s[threadIdx.x] = at;
	__syncthreads();
	long long t0 = clock64();
#pragma unroll 1
	for (unsigned i = 0; i < n; i++)
#pragma unroll
		for (int k = 0; k < 64; k++)
			asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
	put_mark(m, t0, clock64(), at);
}

__constant__ unsigned ring_const[512];
__global__ void const_chain(mark *m, unsigned n)
{
	unsigned at = 0;
	long long t0 = clock64();
#pragma unroll 1
	for (unsigned i = 0; i < n; i++)
#pragma unroll
		for (int k = 0; k < 64; k++)
			at = *(const unsigned *)((const char *)ring_const + at);
	put_mark(m, t0, clock64(), at);
}

template <bool L1> __device__ static u64 load_next(u64 p)
{
	u64 v;
	if (L1)
		asm volatile("ld.global.ca.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	else
		asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(v) : "l"(p) : "memory");
	return v;
}

// Follows a ring of pointers: `warm` hops without and n hops with timing.
template <bool L1> __global__ void chase(mark *m, u64 p, unsigned warm, unsigned n)
{
	for (unsigned i = 0; i < warm; i++)
		p = load_next<L1>(p);
	long long t0 = clock64();
#pragma unroll 1
	for (unsigned i = 0; i < n; i += 16)
#pragma unroll
		for (int k = 0; k < 16; k++)
			p = load_next<L1>(p);
	put_mark(m, t0, clock64(), p);
}

// Clocks of single loads of neighbouring lines: the second of two passes.
__global__ void each_line(u64 p, unsigned lines, unsigned *cycles)
{
	for (int pass = 0; pass < 2; pass++)
		for (unsigned i = 0; i < lines; i++) {
			long long t0 = clock64();
			u64 v = load_next<false>(p + 128ull * i);
			asm volatile("{ .reg .pred q; setp.eq.u64 q, %0, 1; @q trap; }" ::"l"(v) : "memory");
			cycles[i] = (unsigned)(clock64() - t0);
		}
}

// Cycles per load of a ring of `bytes` with a pointer per `stride` bytes, in an order that no prefetcher follows.
static double ring_latency(u64 base, size_t bytes, size_t stride, bool l1, unsigned warm, unsigned hops)
{
	size_t n = bytes / stride;
	std::vector<u64> image(bytes / 8);
	for (size_t i = 0; i < n; i++) // n is a power of two: a full period
		image[i * stride / 8] = base + (i * 1664525 + 1013904223) % n * stride;
	CHECK(cudaMemcpy((void *)base, image.data(), bytes, cudaMemcpyHostToDevice));
	if (l1)
		chase<true><<<1, 1>>>(marks, base, warm, hops);
	else
		chase<false><<<1, 1>>>(marks, base, warm, hops);
	CHECK(cudaDeviceSynchronize());
	return span(1, 1) / hops;
}

// Bytes up to which a sequential ring stays in the L1, in steps of 8 KB.
static double l1_bytes(u64 base, double hit)
{
	size_t found = 0;
	for (size_t bytes = 16 << 10; bytes <= 256 << 10; bytes += 8 << 10) {
		size_t n = bytes / 128;
		std::vector<u64> image(bytes / 8);
		for (size_t i = 0; i < n; i++)
			image[i * 16] = base + (i + 1) % n * 128;
		CHECK(cudaMemcpy((void *)base, image.data(), bytes, cudaMemcpyHostToDevice));
		chase<true><<<1, 1>>>(marks, base, 2 * n, n);
		CHECK(cudaDeviceSynchronize());
		if (span(1, 1) / n > 1.2 * hit)
			break;
		found = bytes;
	}
	return (double)found;
}

// ---- rates ----

// Reads `elements` of 16 bytes `rounds` times, eight in flight per thread; blocks of 1024 threads.
template <bool L1> __global__ void stream(mark *m, const char *from, unsigned elements, unsigned rounds)
{
	enum { FLIGHT = 8 };
	unsigned g = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x, sum = 0;
	long long t0 = clock64();
#pragma unroll 1
	for (unsigned r = 0; r < rounds; r++)
#pragma unroll 1
		for (unsigned i = g; i < elements; i += FLIGHT * all) {
			uint4 v[FLIGHT];
#pragma unroll
			for (int k = 0; k < FLIGHT; k++) {
				unsigned at = i + k * all < elements ? i + k * all : i;
				if (L1)
					asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"
						     : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w)
						     : "l"(from + 16ull * at)
						     : "memory");
				else
					asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
						     : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w)
						     : "l"(from + 16ull * at)
						     : "memory");
			}
#pragma unroll
			for (int k = 0; k < FLIGHT; k++)
				sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
		}
	put_mark(m, t0, clock64(), sum);
}

// Straight-line code of 2,048 instructions (32 KB), timed at the first launch of its kernel.
__global__ void straight(mark *m, float a)
{
	float x[8];
	for (int k = 0; k < 8; k++)
		x[k] = a + k;
	long long t0 = clock64();
#pragma unroll
	for (int k = 0; k < 2048; k++)
		asm volatile("add.rn.f32 %0, %0, 0f3F800000;" : "+f"(x[k % 8]));
	long long t1 = clock64();
	float sum = 0;
	for (int k = 0; k < 8; k++)
		sum += x[k];
	put_mark(m, t0, t1, __float_as_uint(sum));
}

__global__ void fill(unsigned *p, size_t n)
{
	for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		p[i] = (unsigned)i * 2654435761u;
}

// ---- the rows ----

static int attribute(cudaDeviceAttr a)
{
	int v = 0;
	cudaDeviceGetAttribute(&v, a, 0);
	return v;
}

static void properties()
{
	cudaDeviceProp p;
	CHECK(cudaGetDeviceProperties(&p, 0));
	printf("# %s\nrow\tvalue\tunit\n", p.name);
	row("sms", p.multiProcessorCount, "SMs");
	row("capability", 10 * p.major + p.minor, "-");
	row("core_clock", attribute(cudaDevAttrClockRate) / 1e3, "MHz");
	row("memory_clock", attribute(cudaDevAttrMemoryClockRate) / 1e3, "MHz");
	row("memory", (double)(p.totalGlobalMem >> 20), "MiB");
	row("max_threads", p.maxThreadsPerMultiProcessor, "threads per SM");
	row("max_blocks", attribute(cudaDevAttrMaxBlocksPerMultiprocessor), "blocks per SM");
	row("registers", p.regsPerMultiprocessor, "per SM");
	row("shared", (double)p.sharedMemPerMultiprocessor, "bytes per SM");
	row("l2", p.l2CacheSize, "bytes");
}

static void latencies(u64 ring)
{
	row("fma_latency", slope([&](unsigned n) { fma_chain<<<1, 32>>>(marks, n, 0.99f, 0.01f); }, 32, 160) / 128, "cycles");
	row("shared_latency", slope([&](unsigned n) { shared_chain<<<1, 32>>>(marks, n); }, 16, 80) / 64, "cycles");
	row("constant_latency", slope([&](unsigned n) { const_chain<<<1, 1>>>(marks, n); }, 16, 80) / 64, "cycles");
	double l1 = ring_latency(ring, 4 << 10, 32, true, 256, 1024);
	row("l1_latency", l1, "cycles");
	row("l1_size", l1_bytes(ring, l1), "bytes");
	row("l2_latency", ring_latency(ring, 1 << 20, 128, false, 16384, 8192), "cycles");
}

static void lines(u64 at)
{
	enum { LINES = 1024, FEWEST = LINES / 50 };
	unsigned *cycles;
	std::vector<unsigned> h(LINES);
	CHECK(cudaMalloc(&cycles, LINES * sizeof(unsigned)));
	each_line<<<1, 1>>>(at, LINES, cycles);
	CHECK(cudaMemcpy(h.data(), cycles, LINES * sizeof(unsigned), cudaMemcpyDeviceToHost));
	std::sort(h.begin(), h.end());
	row("l2_spread", h[LINES - 1 - FEWEST] - h[FEWEST], "cycles"); // without the fastest and the slowest fiftieth
	CHECK(cudaFree(cycles));
}

// Each of n cold lines, 16 KB and a line apart.
__global__ void cold_lines(u64 p, unsigned n, unsigned *cycles)
{
	for (unsigned i = 0; i < n; i++) {
		u64 at = p + ((u64)i * (16384 + 128) & ((64 << 20) - 1));
		long long t0 = clock64();
		u64 v = load_next<false>(at);
		asm volatile("{ .reg .pred q; setp.eq.u64 q, %0, 1; @q trap; }" ::"l"(v) : "memory");
		cycles[i] = (unsigned)(clock64() - t0);
	}
}

// Loads from lines that have not been accessed since their allocation.
static void dram(unsigned sms)
{
	enum { BYTES = 64 << 20, HOPS = 4096 };
	char *fresh;
	CHECK(cudaMalloc(&fresh, BYTES + (2 << 20)));
	u64 base = ((u64)fresh + (2 << 20) - 1) & ~(u64)((2 << 20) - 1);
	unsigned *cycles;
	std::vector<unsigned> h(HOPS);
	CHECK(cudaMalloc(&cycles, HOPS * sizeof(unsigned)));
	cold_lines<<<1, 1>>>(base, HOPS, cycles);
	CHECK(cudaMemcpy(h.data(), cycles, HOPS * sizeof(unsigned), cudaMemcpyDeviceToHost));
	std::sort(h.begin(), h.end());
	row("dram_latency", h[HOPS / 2], "cycles"); // the median: refresh and far lines are in the upper half
	CHECK(cudaFree(cycles));
	char *large;
	CHECK(cudaMalloc(&large, 160 << 20));
	stream<false><<<sms, 1024>>>(marks, large, (160 << 20) / 16, 1);
	CHECK(cudaDeviceSynchronize());
	row("dram_rate", (160 << 20) / span(32, sms), "bytes per cycle");
	CHECK(cudaFree(large));
	CHECK(cudaFree(fresh));
}

static void rates(unsigned sms)
{
	char *p;
	enum { SMALL = 1 << 20, LARGE = 16 << 20, TINY = 128 << 10 };
	CHECK(cudaMalloc(&p, LARGE));
	fill<<<sms, 1024>>>((unsigned *)p, LARGE / 4);
	CHECK(cudaDeviceSynchronize());
	row("l1_rate", TINY / slope([&](unsigned n) { stream<true><<<1, 1024>>>(marks, p, TINY / 16, n); }, 2, 10, 32), "bytes per cycle and SM");
	row("l2_rate_one_sm", SMALL / slope([&](unsigned n) { stream<false><<<1, 1024>>>(marks, p, SMALL / 16, n); }, 1, 3, 32), "bytes per cycle");
	row("l2_rate", LARGE / slope([&](unsigned n) { stream<false><<<sms, 1024>>>(marks, p, LARGE / 16, n); }, 1, 4, 32, sms), "bytes per cycle");
	CHECK(cudaFree(p));
}

int main()
{
	unsigned ring[512];
	for (unsigned i = 0; i < 512; i++)
		ring[i] = (i + 16) % 512 * 4; // a pointer every 64 bytes
	CHECK(cudaMemcpyToSymbol(ring_const, ring, sizeof ring));
	char *memory;
	CHECK(cudaMalloc(&memory, 4 << 20));
	u64 base = ((u64)memory + (1 << 20) - 1) & ~(u64)((1 << 20) - 1);
	unsigned sms = attribute(cudaDevAttrMultiProcessorCount);
	CHECK(cudaMalloc(&marks, sms * 32 * sizeof(mark)));
	properties();
	straight<<<1, 32>>>(marks, 0.99f);
	CHECK(cudaDeviceSynchronize());
	row("straight_code", span(1, 1) / (2048 / 32), "cycles per 512 bytes");
	latencies(base);
	lines(base);
	rates(sms);
	dram(sms);
	return 0;
}
