// Where the cycles of short kernels go: when warps begin, how long their loads take while all SMs load at once, when the last warp
// of an SM ends; fences behind accesses, stores to streams of words, and kernels that run at once.
//
//   nvcc -arch=sm_90a -O3 -o stages stages.cu && ./stages > stages.tsv
//
// Rows:
//   stage    kernel, grid: per warp from the SM's first clock to its own (median, nine tenths, largest); from there to its loads'
//            data (least, tenth, median, nine tenths, largest); per SM from the first clock to the last warp's last clock (least, median,
//            largest). First launch, then the third
//   fence    four rounds of an operation, a pause and a fence: cycles of each fence (medians over warps)
//   stream   cycles per store of an SM (median) whose lanes store words in `streams` places that move on
//   tile     cycles per round of an SM (median): 16-byte loads of a 64 x 128-byte tile or two, stores to shared memory, fences
//   rows     cycles of a warp whose lanes read 64 words in turn, each its own row: first pass, second pass (least, median, largest)
//   chain    cycles of a kernel's first dependent loads, in order
//   at once  kernels in streams of their own: first and last clock of each in nanoseconds, and how many SMs ran blocks of several
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x)                                                                                                       \
	do {                                                                                                           \
		cudaError_t e = (x);                                                                                   \
		if (e != cudaSuccess) {                                                                                \
			fprintf(stderr, "stages.cu:%d: %s\n", __LINE__, cudaGetErrorString(e));                        \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)
enum { MOST = 1 << 18, SMS = 132 };
static unsigned *out, *gate, host[MOST];

__device__ unsigned now()
{
	unsigned t;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
	return t;
}
__device__ unsigned sm()
{
	unsigned s;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(s));
	return s;
}
__host__ __device__ unsigned mix(unsigned i)
{
	i = (i ^ i >> 16) * 0x7feb352du;
	i = (i ^ i >> 15) * 0x846ca68bu;
	return i ^ i >> 16;
}
static void fetch(unsigned n)
{
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, out, n * 4, cudaMemcpyDeviceToHost));
}
__device__ void meet(unsigned *gate, unsigned blocks)
{
	__syncthreads();
	if (!threadIdx.x) {
		atomicAdd(gate, 1);
		unsigned seen;
		do
			asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(seen) : "l"(gate) : "memory");
		while (seen < blocks);
	}
	__syncthreads();
}

// ---- stages of short kernels ----

enum { NOTHING, ONE, TWO, QUAD, TILE, TRANSPOSE, SHARED_TILE, GATHER, BYTE, STENCIL, LOAD_ONLY, TWO_LOADS, KINDS };
static const char *const kind_name[] = {"nothing", "a word, stored", "two words, stored", "16 bytes, stored", "tile of 16 x 16, stored", "tile, stored transposed", "tile by shared memory",
					"gathered word, stored", "a byte, stored", "five words, stored", "a word", "two words"};
template <int kind> __global__ void stage(float *y, const float *x, const int *index, uint4 *o)
{
	unsigned t0 = now(), t1, i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned tx = threadIdx.x % 16, ty = threadIdx.x / 16, r = blockIdx.x / 32 * 16 + ty, c = blockIdx.x % 32 * 16 + tx;
	float v = 0;
	__shared__ float t[16][17];
	auto loaded = [&](float v) {
		asm volatile("{ .reg .pred p; setp.eq.f32 p, %0, 0f7f000001; @p trap; }" ::"f"(v) : "memory");
		t1 = now();
	};
	t1 = t0;
	if (kind == ONE || kind == LOAD_ONLY)
		v = x[i];
	if (kind == TWO || kind == TWO_LOADS)
		v = 2 * x[i] + y[i];
	if (kind == TILE || kind == TRANSPOSE || kind == SHARED_TILE)
		v = x[r * 512 + c];
	if (kind == GATHER)
		v = x[index[i]];
	if (kind == BYTE)
		v = ((const unsigned char *)x)[i];
	if (kind == STENCIL)
		v = x[i + 512] + x[i + 511] + x[i + 513] + x[i] + x[i + 1024];
	if (kind == QUAD) {
		float4 q = ((const float4 *)x)[i];
		loaded(q.x + q.w);
		((float4 *)y)[i] = q;
	} else if (kind) {
		loaded(v);
	}
	if (kind == ONE || kind == TWO || kind == GATHER || kind == STENCIL)
		y[i] = v;
	if (kind == TILE)
		y[r * 512 + c] = v;
	if (kind == TRANSPOSE)
		y[c * 512 + r] = v;
	if (kind == BYTE)
		((unsigned char *)y)[i] = (unsigned char)(int)v;
	if (kind == SHARED_TILE) {
		t[ty][tx] = v;
		__syncthreads();
		y[(blockIdx.x % 32 * 16 + ty) * 512 + blockIdx.x / 32 * 16 + tx] = t[tx][ty];
	}
	unsigned t2 = now();
	if (threadIdx.x % 32 == 0)
		o[i / 32] = make_uint4(sm(), t0, t1, t2);
}

static void quantiles(std::vector<unsigned> &v, std::vector<double> at)
{
	std::sort(v.begin(), v.end());
	for (double a : at)
		printf(" %u", v.empty() ? 0 : v[std::min(v.size() - 1, (size_t)(a * v.size()))]);
}
static void show_stages(const char *name, unsigned grid, int launch)
{
	unsigned warps = grid * 8;
	std::vector<unsigned> first(SMS), begin, load, span, last(SMS), seen(SMS);
	fetch(warps * 4);
	for (unsigned w = 0; w < warps; w++) {
		unsigned s = host[4 * w], t = host[4 * w + 1];
		if (!seen[s]++ || (int)(t - first[s]) < 0)
			first[s] = t;
	}
	for (unsigned w = 0; w < warps; w++) {
		unsigned s = host[4 * w], *t = &host[4 * w + 1];
		begin.push_back(t[0] - first[s]);
		load.push_back(t[1] - t[0]);
		last[s] = std::max(last[s], t[2] - first[s]);
	}
	for (unsigned s = 0; s < SMS; s++)
		if (seen[s])
			span.push_back(last[s]);
	printf("stage\t%s, %u blocks, launch %d\t", name, grid, launch);
	quantiles(begin, {.5, .9, 1});
	printf(" ;");
	quantiles(load, {0, .1, .5, .9, 1});
	printf(" ;");
	quantiles(span, {0, .5, 1});
	printf("\n");
}
template <int kind> static void do_stage(float *a)
{
	static const unsigned grids[] = {1, 132, 256, 512, 1024};
	for (unsigned grid : grids)
		for (int k = 1; k <= 3; k++) {
			stage<kind><<<grid, 256>>>(a + (4 << 20), a, (const int *)(a + (8 << 20)), (uint4 *)out);
			CHECK(cudaDeviceSynchronize());
			if (k != 2)
				show_stages(kind_name[kind], grid, k);
		}
}

// ---- fences ----

enum { F_NONE, F_LOAD, F_LOAD_L1, F_STORE, F_RED, F_ATOM, F_SHARED, F_BARRIER, F_OPS };
static const char *const op_name[] = {"nothing", "a load past the L1", "a load", "a store", "a reduction", "an atomic", "a store to shared memory", "a barrier"};
template <int op> __global__ void fences(unsigned *a, unsigned pause, unsigned *o)
{
	__shared__ unsigned room[1024];
	unsigned g = blockIdx.x * blockDim.x + threadIdx.x, t, v = 0;
	for (int k = 0; k < 4; k++) {
		unsigned *at = a + g + (k & 1) * gridDim.x * blockDim.x;
		if (op == F_LOAD)
			asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
		if (op == F_LOAD_L1)
			asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
		if (op == F_STORE)
			asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(g) : "memory");
		if (op == F_RED)
			asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
		if (op == F_ATOM)
			asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(v) : "l"(at) : "memory");
		if (op == F_SHARED)
			((volatile unsigned *)room)[threadIdx.x] = g;
		if (op == F_BARRIER)
			__syncthreads();
		asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x87654321; @p trap; }" ::"r"(v) : "memory");
		t = now();
		while (pause && now() - t < pause)
			;
		t = now();
		__threadfence();
		t = now() - t;
		if (threadIdx.x % 32 == 0)
			o[g / 32 * 4 + k] = t;
	}
	if (op == F_SHARED && room[0] == 77)
		o[0] = 1;
}
template <int op> static void do_fence(unsigned *a)
{
	for (unsigned grid = 1; grid <= SMS; grid = grid == 1 ? 16 : grid == 16 ? 132 : 133)
		for (unsigned warps = 1; warps <= 32; warps *= warps == 1 ? 8 : 4)
			for (unsigned pause = 0; pause <= 2000; pause += 2000) {
				for (int k = 0; k < 3; k++)
					fences<op><<<grid, warps * 32>>>(a, pause, out);
				fetch(grid * warps * 4);
				printf("fence\t%s, %u cycles, %u SMs of %u warps\t", op_name[op], pause, grid, warps);
				for (int k = 0; k < 4; k++) {
					std::vector<unsigned> v;
					for (unsigned w = 0; w < grid * warps; w++)
						v.push_back(host[w * 4 + k]);
					quantiles(v, {.1, .5, .9});
					printf(" ;");
				}
				printf("\n");
			}
}

// ---- stores to streams ----

// Lane l of warp w stores to stream l % streams; a stream is the block's (kind 0), the warp's (1), or all blocks' in turn (2), and moves on by the
// words that have been stored to it.
template <int kind> __global__ void stream(unsigned *a, unsigned streams, unsigned n, unsigned *gate, unsigned *o)
{
	unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32, each = 32 / streams;
	meet(gate, gridDim.x);
	unsigned t = now();
	for (unsigned k = 0; k < n; k++) {
		unsigned s = lane % streams, at;
		if (kind == 0)
			at = (blockIdx.x * streams + s) * (8192 / streams) + (warp * n + k) * each + lane / streams;
		else if (kind == 1)
			at = ((blockIdx.x * warps + warp) * streams + s) * (1024 / streams) + k * each + lane / streams;
		else
			at = s * (8192 * SMS / streams) + blockIdx.x * (warps * n * each) + (warp * n + k) * each + lane / streams;
		asm volatile("st.global.u32 [%0], %1;" ::"l"(a + at), "r"(k) : "memory");
	}
	__syncthreads();
	if (!threadIdx.x)
		o[blockIdx.x] = now() - t;
}
template <int kind> static void do_stream(unsigned *a)
{
	static const char *const name[] = {"of a block", "of a warp", "of all blocks"};
	for (unsigned grid = 1; grid <= SMS; grid = grid == 1 ? 16 : grid == 16 ? 96 : grid == 96 ? 132 : 133)
		for (unsigned streams = 1; streams <= 32; streams *= 2) {
			double t[2];
			for (int k = -1; k < 2; k++) {
				CHECK(cudaMemset(gate, 0, 4));
				stream<kind><<<grid, 256>>>(a, streams, k > 0 ? 24 : 8, gate, out);
				fetch(grid);
				std::sort(host, host + grid);
				t[k > 0] = host[grid / 2];
			}
			printf("stream\t%u streams %s, %u SMs of 8 warps\t%.2f\t(8 stores a warp: %.0f)\n", streams, name[kind], grid, (t[1] - t[0]) / 16 / 8, t[0]);
		}
}

// ---- tiles for products ----

enum { T_LOADS, T_SHARED, T_PROXY, T_KINDS };
template <int kind> __global__ void __launch_bounds__(128) tile(const char *a, unsigned pitch, unsigned n, unsigned own, unsigned *o)
{
	__shared__ __align__(1024) unsigned char as[8192], bs[8192];
	unsigned t = threadIdx.x, begin = 0, sum = 0;
	const char *b = a + (size_t)(own ? blockIdx.x : blockIdx.x / 8) * 64 * pitch;
	a += (size_t)(own ? blockIdx.x + gridDim.x : blockIdx.x % 8 + 64) * 64 * pitch;
	for (unsigned k = 0; k < n + 2; k++) {
		if (k == 2)
			begin = now();
		uint4 v[8];
#pragma unroll
		for (int i = 0; i < 4; i++) {
			unsigned q = t + i * 128, r = q >> 3, x = q & 7;
			v[2 * i] = *(const uint4 *)(a + (size_t)r * pitch + (k % 16) * 128 + x * 16);
			v[2 * i + 1] = *(const uint4 *)(b + (size_t)r * pitch + (k % 16) * 128 + x * 16);
		}
#pragma unroll
		for (int i = 0; i < 4; i++) {
			unsigned q = t + i * 128, r = q >> 3, x = q & 7, at = r * 128 + ((x ^ (r & 7)) << 4);
			if (kind == T_LOADS) {
				sum += v[2 * i].x ^ v[2 * i].w ^ v[2 * i + 1].x ^ v[2 * i + 1].w;
			} else {
				*(uint4 *)&as[at] = v[2 * i];
				*(uint4 *)&bs[at] = v[2 * i + 1];
			}
		}
		if (kind == T_PROXY)
			asm volatile("fence.proxy.async;" ::: "memory");
		asm volatile("" ::"r"(sum) : "memory");
		__syncthreads();
		__syncthreads();
	}
	begin = now() - begin;
	if (!t)
		o[blockIdx.x] = begin + (sum == 77) + (as[0] + bs[5] == 777);
}
template <int kind> static void do_tile(const char *a)
{
	static const char *const name[] = {"loads", "stored to shared memory", "and a fence for asynchronous access"};
	static const unsigned grids[] = {1, 8, 64, 132};
	for (unsigned grid : grids)
		for (unsigned own = 0; own < 2; own++)
			for (unsigned n = 12; n <= 14; n += 2) {
				for (int k = 0; k < 3; k++) {
					tile<kind><<<grid, 128>>>(a, 2048, n, own, out);
					fetch(grid);
				}
				std::vector<unsigned> v(host, host + grid);
				printf("tile\t%s, %u SMs, %s, %u rounds\t", name[kind], grid, own ? "each its own" : "eight share", n);
				for (auto &x : v)
					x /= n;
				quantiles(v, {0, .5, 1});
				printf("\n");
			}
}

// ---- lanes that read rows of their own ----

template <int unroll> __global__ void rows(const unsigned *a, unsigned pitch, unsigned n, unsigned *o)
{
	unsigned g = blockIdx.x * blockDim.x + threadIdx.x, sum = 0, t[2];
	t[0] = now();
	for (int pass = 0; pass < 2; pass++) {
		unsigned begin = now();
#pragma unroll 1
		for (unsigned k = 0; k < n; k += unroll) {
			unsigned v[unroll];
#pragma unroll
			for (int i = 0; i < unroll; i++)
				asm volatile("ld.global.u32 %0, [%1];" : "=r"(v[i]) : "l"(a + (size_t)g * pitch + k + i) : "memory");
#pragma unroll
			for (int i = 0; i < unroll; i++)
				sum += v[i];
			asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 0x87654321; @p trap; }" ::"r"(sum) : "memory");
		}
		t[pass] = now() - begin;
	}
	if (threadIdx.x % 32 == 0) {
		o[g / 32 * 2] = t[0];
		o[g / 32 * 2 + 1] = t[1];
	}
}
template <int unroll> static void do_rows(const unsigned *a)
{
	static const unsigned pitches[] = {1, 8, 16, 32, 64, 65};
	for (unsigned grid = 1; grid <= 64; grid *= 64)
		for (unsigned warps = 1; warps <= 8; warps *= 2)
			for (unsigned pitch : pitches) {
				for (int k = 0; k < 3; k++)
					rows<unroll><<<grid, warps * 32>>>(a, pitch, 64, out);
				fetch(grid * warps * 2);
				printf("rows\t%u words in turn, %u at once, rows %u words apart, %u SMs of %u warps\t", 64, unroll, pitch, grid, warps);
				for (int i = 0; i < 2; i++) {
					std::vector<unsigned> v;
					for (unsigned w = 0; w < grid * warps; w++)
						v.push_back(host[w * 2 + i]);
					quantiles(v, {0, .5, 1});
					printf(" ;");
				}
				printf("\n");
			}
}

// ---- the first loads of a kernel ----

__global__ void chain(const unsigned *a, unsigned lines, unsigned stride, unsigned *o)
{
	unsigned at = blockIdx.x * 4096, t[9];
	unsigned s = sm();
#pragma unroll
	for (int k = 0; k < 8; k++) {
		t[k] = now();
		unsigned v;
		asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a + at + threadIdx.x) : "memory");
		at += stride + v;
		asm volatile("" ::"r"(at) : "memory");
	}
	t[8] = now() + (at == 77);
	if (threadIdx.x % 32 == 0)
		for (int k = 0; k < 8; k++)
			o[(blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 8 + k] = t[k + 1] - t[k] + (s == 777);
}
static void do_chain(const unsigned *a)
{
	for (unsigned grid = 1; grid <= SMS; grid *= SMS)
		for (unsigned warps = 1; warps <= 8; warps *= 8)
			for (int k = 0; k < 3; k++) {
				chain<<<grid, warps * 32>>>(a, 0, 256, out);
				fetch(grid * warps * 8);
				printf("chain\t%u SMs of %u warps, launch %d (tenth, median, nine tenths)\t", grid, warps, k + 1);
				for (int i = 0; i < 8; i++) {
					std::vector<unsigned> v;
					for (unsigned w = 0; w < grid * warps; w++)
						v.push_back(host[w * 8 + i]);
					quantiles(v, {.1, .5, .9});
					printf(" ;");
				}
				printf("\n");
			}
}

// ---- several kernels at once ----

__device__ unsigned long long nanoseconds()
{
	unsigned long long t;
	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
	return t;
}
// Each block computes or streams for some time, then notes its SM and its first and last clock.
template <int reads> __global__ void work(const uint4 *a, unsigned n, unsigned long long *o)
{
	unsigned long long t0 = nanoseconds();
	unsigned sum = 0;
	float x = threadIdx.x;
	if (reads)
		for (unsigned k = 0; k < n; k++) {
			uint4 v = a[((k * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x) & ((1 << 20) - 1)];
			sum += v.x ^ v.w;
		}
	else
		for (unsigned k = 0; k < n; k++)
#pragma unroll
			for (int i = 0; i < 16; i++)
				x = x * 0.5f + 1.0f;
	__syncthreads();
	if (!threadIdx.x) {
		o[blockIdx.x * 4] = sm();
		o[blockIdx.x * 4 + 1] = t0;
		o[blockIdx.x * 4 + 2] = nanoseconds() + (sum == 77) + (x == 77);
	}
}
__global__ void hold(unsigned *flag)
{
	while (*(volatile unsigned *)flag == 0)
		;
}
static unsigned long long record[64 << 10];
static bool holds = true; // the kernels wait for one that the host ends when all have been launched
template <int reads> static void at_once(const uint4 *a, unsigned kernels, unsigned grid, unsigned threads, unsigned n, bool separate)
{
	static cudaStream_t st[8];
	static unsigned *flag;
	unsigned long long *o = (unsigned long long *)out;
	if (!st[0]) {
		for (auto &s : st)
			CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
		CHECK(cudaMallocHost(&flag, 64));
	}
	for (int again = 0; again < 3; again++) {
		*(volatile unsigned *)flag = 0;
		cudaEvent_t go;
		CHECK(cudaEventCreateWithFlags(&go, cudaEventDisableTiming));
		if (holds)
			hold<<<1, 1, 0, st[7]>>>(flag);
		CHECK(cudaEventRecord(go, st[7]));
		for (unsigned k = 0; k < kernels; k++) {
			cudaStream_t s = separate ? st[k] : st[0];
			if (separate || !k)
				CHECK(cudaStreamWaitEvent(s, go, 0));
			work<reads><<<grid, threads, 0, s>>>(a + (size_t)k * (1 << 16), n, o + k * grid * 4);
		}
		*(volatile unsigned *)flag = 1;
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaEventDestroy(go));
	}
	CHECK(cudaMemcpy(record, o, kernels * grid * 32, cudaMemcpyDeviceToHost));
	unsigned long long first = ~0ull;
	for (unsigned b = 0; b < kernels * grid; b++)
		first = std::min(first, record[b * 4 + 1]);
	std::vector<std::vector<unsigned>> of(SMS, std::vector<unsigned>(8, 0));
	printf("at once\t%u kernels of %u blocks of %u threads %s, %s\t", kernels, grid, threads, reads ? "read" : "compute", separate ? "own streams" : "one stream");
	for (unsigned k = 0; k < kernels; k++) {
		unsigned long long from = ~0ull, to = 0;
		for (unsigned b = 0; b < grid; b++) {
			unsigned long long *r = &record[(k * grid + b) * 4];
			from = std::min(from, r[1]);
			to = std::max(to, r[2]);
			of[r[0]][k]++;
		}
		printf(" %llu-%llu", from - first, to - first);
	}
	unsigned several = 0, used = 0;
	for (auto &s : of) {
		unsigned n = 0;
		for (unsigned x : s)
			n += x > 0;
		several += n > 1;
		used += n > 0;
	}
	printf(" ; %u SMs used, %u by several\n", used, several);
}
static void do_at_once(const uint4 *a)
{
	for (int separate = 0; separate < 2; separate++) {
		for (unsigned kernels = 1; kernels <= 4; kernels *= 2) {
			at_once<0>(a, kernels, 33, 256, 1000, separate);
			at_once<0>(a, kernels, 66, 256, 1000, separate);
			at_once<0>(a, kernels, 132, 256, 1000, separate);
			at_once<0>(a, kernels, 132, 1024, 1000, separate);
			at_once<0>(a, kernels, 264, 1024, 1000, separate);
			at_once<1>(a, kernels, 66, 512, 64, separate);
			at_once<1>(a, kernels, 132, 512, 64, separate);
			at_once<1>(a, kernels, 264, 512, 64, separate);
		}
	}
}

int main(int argc, char **argv)
{
	char *a;
	const char *what = argc > 1 ? argv[1] : "";
	auto wanted = [&](const char *s) { return !*what || strstr(what, s); };
	CHECK(cudaMalloc(&a, 128 << 20));
	CHECK(cudaMalloc(&out, MOST * 4));
	CHECK(cudaMalloc(&gate, 4096));
	CHECK(cudaMemset(a, 0, 128 << 20));
	holds = !strstr(what, "free");
	printf("row\twhat\tcycles\n");
	if (wanted("stage")) {
		std::vector<int> index(1 << 18);
		for (unsigned i = 0; i < index.size(); i++)
			index[i] = mix(i) & ((1 << 18) - 1);
		CHECK(cudaMemcpy(a + (32 << 20), index.data(), index.size() * 4, cudaMemcpyHostToDevice));
		do_stage<NOTHING>((float *)a);
		do_stage<LOAD_ONLY>((float *)a);
		do_stage<TWO_LOADS>((float *)a);
		do_stage<ONE>((float *)a);
		do_stage<TWO>((float *)a);
		do_stage<QUAD>((float *)a);
		do_stage<TILE>((float *)a);
		do_stage<TRANSPOSE>((float *)a);
		do_stage<SHARED_TILE>((float *)a);
		do_stage<GATHER>((float *)a);
		do_stage<BYTE>((float *)a);
		do_stage<STENCIL>((float *)a);
	}
	if (wanted("fence")) {
		do_fence<F_NONE>((unsigned *)a);
		do_fence<F_LOAD>((unsigned *)a);
		do_fence<F_LOAD_L1>((unsigned *)a);
		do_fence<F_STORE>((unsigned *)a);
		do_fence<F_RED>((unsigned *)a);
		do_fence<F_ATOM>((unsigned *)a);
		do_fence<F_SHARED>((unsigned *)a);
		do_fence<F_BARRIER>((unsigned *)a);
	}
	CHECK(cudaMemset(a, 0, 128 << 20));
	if (wanted("stream")) {
		do_stream<0>((unsigned *)a);
		do_stream<1>((unsigned *)a);
		do_stream<2>((unsigned *)a);
	}
	CHECK(cudaMemset(a, 0, 128 << 20));
	if (wanted("tile")) {
		do_tile<T_LOADS>(a);
		do_tile<T_SHARED>(a);
		do_tile<T_PROXY>(a);
	}
	if (wanted("rows")) {
		do_rows<1>((const unsigned *)a);
		do_rows<4>((const unsigned *)a);
	}
	if (wanted("chain"))
		do_chain((const unsigned *)a);
	if (wanted("once"))
		do_at_once((const uint4 *)a);
	return 0;
}
