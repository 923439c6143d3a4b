// What SMs share: answers for one line that several SMs ask for, scattered stores and fences of many SMs at once,
// scattered constants, and the part of the L1 that shared memory leaves.
//
//   nvcc -arch=sm_90 -O3 -o share share.cu
//   ./share clocks > share.tsv
//   ncu --clock-control none --cache-control none --metrics lts__t_sectors_srcunit_tex_op_read.sum,lts__t_requests_srcunit_tex_op_read.sum ./share launches
//
// `clocks` prints rows that the program times by itself, `launches` one row per launch, in the order of ncu's. Rows:
//   read     bytes per cycle of an SM (median) when SMs in groups read the same 256 KB
//   twin     latency of a load on one SM `skew` cycles after another SM has loaded the same line
//   store    cycles per store instruction of an SM whose lanes write words in n lines
//   fence    cycles of a fence behind stores: median and largest of the warps
//   ldc      cycles per LDC of an SM: addresses at random in a footprint
//   combine  launches of one warp per SM that stores 64 times to the next of n lines: sectors that reach the L2
//   after    latency of a load behind a store to the same line
//   carve    KB of a footprint that hit the L1 when they are read again, by shared memory per block
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x)                                                                                   \
	do {                                                                                       \
		cudaError_t e = (x);                                                               \
		if (e != cudaSuccess) {                                                            \
			fprintf(stderr, "share.cu:%d: %s\n", __LINE__, cudaGetErrorString(e));     \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)
enum { MOST = 1 << 18, SMS = 132 };
static unsigned *out, *gate, host[MOST];
static bool by_launch; // rows are launches that ncu counts

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
// All blocks of the grid are on SMs at once; they go on together, within some tens of cycles.
__device__ void meet(unsigned *gate, unsigned blocks)
{
	__syncthreads();
	if (!threadIdx.x) {
		atomicAdd(gate, 1);
		unsigned seen;
		do
			asm volatile("ld.global.cg.u32 %0, [%1];"
				     : "=r"(seen)
				     : "l"(gate)
				     : "memory");
		while (seen < blocks);
	}
	__syncthreads();
}

// ---- groups of SMs read the same ----

struct places {
	unsigned char of[SMS];
};
__global__ void __launch_bounds__(512) read(const char *a, unsigned lines, int depth, places p,
					    unsigned skew, unsigned *gate, unsigned *o)
{
	const char *mine = a + (size_t)p.of[sm()] * lines * 128 + threadIdx.x * 16;
	unsigned sum = 0;
	meet(gate, gridDim.x);
	unsigned t0 = now(), t;
	while (now() - t0 < skew * (mix(sm()) % 16))
		;
	t = now();
	for (unsigned k = 0; k < lines * 128; k += 512 * 16 * 4) {
		uint4 v[4];
		if (depth == 4) {
#pragma unroll
			for (int i = 0; i < 4; i++)
				asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
					     : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z),
					       "=r"(v[i].w)
					     : "l"(mine + k + i * 512 * 16));
#pragma unroll
			for (int i = 0; i < 4; i++)
				sum += v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
		} else {
#pragma unroll
			for (int i = 0; i < 4; i++) {
				asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
					     : "=r"(v[0].x), "=r"(v[0].y), "=r"(v[0].z),
					       "=r"(v[0].w)
					     : "l"(mine + k + i * 512 * 16 + (sum == 77 ? 16 : 0)));
				sum += v[0].x ^ v[0].y ^ v[0].z ^ v[0].w;
			}
		}
	}
	t = now() - t;
	if (!threadIdx.x)
		o[blockIdx.x] = t + (sum == 77);
}

// GPC of each SM: TPC k has SMs 2k and 2k + 1 (block_schedule).
static const char gpc[] = "ABCDEFGHABCDEFGHABCDEFGHABCDEFGHBCDEFGHBCDEFGHBCDEFGHBCDEFGHGHIIII";
static places grouped(const char *how)
{
	places p;
	std::vector<int> seen(256, 0);
	for (int s = 0; s < SMS; s++) {
		int g = gpc[s / 2], nth = seen[g]++;
		if (!strcmp(how, "own"))
			p.of[s] = s;
		else if (!strcmp(how, "TPC"))
			p.of[s] = s / 2;
		else if (!strcmp(how, "two TPCs of a GPC, first SMs with first SMs"))
			p.of[s] = (g - 'A') * 10 + nth / 4 * 2 + s % 2;
		else if (!strcmp(how, "four SMs, two TPCs of a GPC"))
			p.of[s] = (g - 'A') * 10 + nth / 4;
		else if (!strcmp(how, "GPC"))
			p.of[s] = g - 'A';
		else if (!strcmp(how, "pairs of two GPCs"))
			p.of[s] = s % 66;
		else if (!strcmp(how, "no SM of a TPC the same, all first SMs the same"))
			p.of[s] = s % 2;
		else
			p.of[s] = 0;
	}
	return p;
}

static void do_read(const char *a)
{
	static const char *const ways[] = {"own",
					   "TPC",
					   "two TPCs of a GPC, first SMs with first SMs",
					   "four SMs, two TPCs of a GPC",
					   "GPC",
					   "pairs of two GPCs",
					   "no SM of a TPC the same, all first SMs the same",
					   "all"};
	CHECK(cudaFuncSetAttribute(read, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10));
	for (int depth = 1; depth <= 4; depth += 3)
		for (const char *how : ways)
			for (unsigned skew = 0; skew <= 128; skew = skew ? skew * 4 : 8) {
				if (by_launch && depth == 1 && skew)
					continue;
				places p = grouped(how);
				for (int k = 0; k < 2; k++) {
					CHECK(cudaMemset(gate, 0, 4));
					read<<<SMS, 512, 120 << 10>>>(a, 2048, depth, p, skew, gate,
								      out);
					fetch(SMS);
					if (by_launch)
						printf("read\t%s, %d loads in flight, skews 0 to %u, launch %d\n",
						       how, depth, skew * 15, k);
				}
				std::sort(host, host + SMS);
				if (!by_launch)
					printf("read\t%s, %d loads in flight, skews 0 to %u\t%.2f\n",
					       how, depth, skew * 15, 2048 * 128. / host[SMS / 2]);
			}
}

// ---- a line that another SM has just asked for ----

// Block 0 and the block on SM `other` meet in shared time: each knows the other's clock from messages in both ways.
__global__ void twin(const unsigned *a, volatile unsigned *box, unsigned first, unsigned second,
		     int skew, unsigned lines, unsigned *o)
{
	unsigned me = sm(), sum = 0;
	if (threadIdx.x || (me != first && me != second))
		return;
	bool is_first = me == first;
	int offset = 0, best = 1 << 30; // second's clock minus first's
	for (unsigned r = 1; r <= 64; r++) {
		if (is_first) {
			unsigned t0 = now();
			box[0] = r;
			while (box[32] != r)
				;
			unsigned t1 = now(), there = box[33];
			if ((int)(t1 - t0) < best) {
				best = t1 - t0;
				offset = (int)(there - (t0 + (t1 - t0) / 2));
			}
		} else {
			while (box[0] != r)
				;
			box[33] = now();
			__threadfence();
			box[32] = r;
		}
	}
	if (is_first) {
		box[64] = offset;
		__threadfence();
		box[65] = 1;
	} else {
		while (!box[65])
			;
		offset = box[64];
	}
	for (unsigned k = 0; k < lines; k++) {
		const unsigned *at = a + (size_t)k * 4096 + mix(k) % 32 * 32;
		if (is_first) { // the first chooses a time that lies ahead of both
			box[96] = now() + 4000;
			__threadfence();
			box[97] = k + 1;
		} else
			while (box[97] != k + 1)
				;
		unsigned start = box[96] + (is_first ? 0 : offset + skew), t;
		while ((int)(now() - start) < 0)
			;
		t = now();
		unsigned v;
		asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(at) : "memory");
		sum += v;
		unsigned d = now() - t + (v == 77);
		o[(is_first ? 0 : lines) + k] = d;
		while (now() - t < 3000)
			;
	}
	if (sum == 77)
		*o = 0;
}

static void do_twin(const unsigned *a)
{
	enum { LINES = 64 };
	static const unsigned seconds[] = {1, 16, 2, 4}; // of the TPC, of the GPC, of other GPCs
	for (unsigned second : seconds)
		for (int skew = -60; skew <= 420; skew += 40) {
			for (int k = 0; k < 3; k++) {
				CHECK(cudaMemset(gate, 0, 1024));
				twin<<<SMS, 32>>>(a, gate, 0, second, skew, LINES, out);
				fetch(2 * LINES);
			}
			std::sort(host, host + LINES);
			std::sort(host + LINES, host + 2 * LINES);
			printf("twin\tSM %u %d cycles after SM 0 (latency of SM 0, of SM %u: a quarter, half, three quarters)\t%u %u %u, %u %u %u\n",
			       second, skew, second, host[LINES / 4], host[LINES / 2],
			       host[LINES * 3 / 4], host[LINES + LINES / 4],
			       host[LINES + LINES / 2], host[LINES + LINES * 3 / 4]);
		}
}

// ---- scattered stores ----

__global__ void store(unsigned *a, unsigned mask, unsigned lines, unsigned stay, unsigned n,
		      unsigned *gate, unsigned *o)
{
	unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	meet(gate, gridDim.x);
	unsigned t = now(), at = mix(warp * lines + lane % lines) * 32;
	for (unsigned k = 0; k < n; k++) {
		asm volatile(
			"st.global.u32 [%0], %1;" ::"l"(a + (at & mask) + (lane / lines + k) % 32),
			"r"(k)
			: "memory");
		if (k % stay == stay - 1)
			at = (at * 5 + 32 * 12345);
	}
	__syncthreads();
	if (!threadIdx.x)
		o[blockIdx.x] = now() - t;
}

static void do_store(unsigned *a)
{
	static const unsigned grids[] = {1, 8, 33, 132};
	for (unsigned grid : grids)
		for (unsigned stay = 1; stay <= 32; stay *= grid < 132 ? 32 : 4)
			for (unsigned lines = 1; lines <= 32; lines *= 2)
				for (unsigned warps = 4; warps <= 32; warps *= 8) {
					double t[2];
					for (int k = -1; k < 2; k++) {
						CHECK(cudaMemset(gate, 0, 4));
						store<<<grid, warps * 32>>>(a, (1 << 21) - 1, lines,
									    stay, k > 0 ? 96 : 32,
									    gate, out);
						fetch(grid);
						std::sort(host, host + grid);
						t[k > 0] = host[grid / 2];
					}
					printf("store\t%u lines, %u stores to each, %u SMs of %u warps\t%.2f\n",
					       lines, stay, grid, warps,
					       (t[1] - t[0]) / 64 / warps);
				}
}

// ---- stores that meet in the L1 ----

// Stores to `lines` lines in turn: whole lines or a word per line, of one warp or of each in turn.
__global__ void combine(unsigned *a, unsigned lines, unsigned n, unsigned wait, int kind)
{
	unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	unsigned *mine = a + (size_t)blockIdx.x * 65536;
	for (unsigned k = 0; k < n; k++) {
		unsigned *at = mine + (k % lines) * 32 + (kind == 2 ? warp * lines * 32 : 0);
		if (kind != 1)
			asm volatile("st.global.u32 [%0], %1;" ::"l"(at + lane), "r"(k) : "memory");
		else if (!lane)
			asm volatile("st.global.u32 [%0], %1;" ::"l"(at + k / lines % 32), "r"(k)
				     : "memory");
		unsigned t = now();
		while (wait && now() - t < wait)
			;
	}
}

static void do_combine(unsigned *a)
{
	static const char *const kinds[] = {"whole lines", "a word",
					    "whole lines, each warp its own"};
	for (int kind = 0; kind < 3; kind++)
		for (unsigned warps = 1; warps <= 8; warps *= 8)
			for (unsigned lines = 4; lines <= 64; lines += lines < 24   ? 20
								       : lines < 32 ? 4
										    : 16)
				for (unsigned wait = 0; wait <= 5000;
				     wait = wait ? wait * 50 : 100) {
					if (kind == 2 && warps == 1)
						continue;
					combine<<<1, warps * 32>>>(a, lines, 192, wait, kind);
					CHECK(cudaDeviceSynchronize());
					if (by_launch)
						printf("combine\t%s, %u warps, 192 stores to %u lines, %u cycles between\n",
						       kinds[kind], warps, lines, wait);
				}
}

template <int kind> __global__ void after(unsigned *a, unsigned n, unsigned *o)
{
	unsigned lane = threadIdx.x, sum = 0, v;
	for (unsigned k = 0; k < n; k++) {
		unsigned *at = a + k * 32;
		if (kind == 0 || kind == 1)
			asm volatile("st.global.u32 [%0], %1;" ::"l"(at + lane), "r"(k) : "memory");
		else if (lane % 8 == 0)
			asm volatile("st.global.u32 [%0], %1;" ::"l"(at + lane), "r"(k) : "memory");
		unsigned t = now();
		if (kind == 1)
			while (now() - t < 2000)
				;
		t = now();
		if (kind == 3)
			asm volatile("ld.global.ca.u32 %0, [%1];"
				     : "=r"(v)
				     : "l"(at + lane / 8 * 8)
				     : "memory");
		else
			asm volatile("ld.global.ca.u32 %0, [%1];"
				     : "=r"(v)
				     : "l"(at + lane)
				     : "memory");
		sum += v;
		asm volatile("" ::"r"(sum) : "memory");
		t = now() - t + (sum == 77);
		if (!lane)
			o[k] = t;
	}
}

static void row_after(const char *what)
{
	fetch(32);
	std::sort(host, host + 32);
	printf("after\t%s (quarter, half, three quarters)\t%u %u %u\n", what, host[8], host[16],
	       host[24]);
}
static void do_after(unsigned *a)
{
	for (int k = 0; k < 2; k++) {
		after<0><<<1, 32>>>(a, 32, out);
		row_after("whole line stored, then loaded");
		after<1><<<1, 32>>>(a, 32, out);
		row_after("whole line stored, 2,000 cycles, then loaded");
		after<2><<<1, 32>>>(a, 32, out);
		row_after("a word of each sector stored, then the line loaded");
		after<3><<<1, 32>>>(a, 32, out);
		row_after("a word of each sector stored, then these words loaded");
	}
}

// ---- fences of many SMs at once ----

__global__ void fences(unsigned *a, unsigned stores, unsigned *gate, unsigned *o)
{
	unsigned g = blockIdx.x * blockDim.x + threadIdx.x;
	meet(gate, gridDim.x);
	for (unsigned k = 0; k < stores; k++)
		asm volatile("st.global.u32 [%0], %1;" ::"l"(a + g + k * gridDim.x * blockDim.x),
			     "r"(k)
			     : "memory");
	unsigned t = now();
	__threadfence();
	t = now() - t;
	if (threadIdx.x % 32 == 0)
		o[g / 32] = t;
}

// Four fences one after the other, each timed, behind an operation of every warp.
__global__ void fence_row(unsigned *a, int before, unsigned *o)
{
	unsigned g = blockIdx.x * blockDim.x + threadIdx.x, t[5], v = 0;
	if (before == 1)
		__syncthreads();
	if (before == 2)
		asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a + g) : "memory");
	if (before == 3)
		asm volatile("st.global.u32 [%0], %1;" ::"l"(a + g), "r"(g) : "memory");
	if (before == 4)
		asm volatile("red.global.add.u32 [%0], 1;" ::"l"(a + g) : "memory");
	v = v == 77;
	asm volatile("" ::"r"(v) : "memory");
#pragma unroll
	for (int k = 0; k < 4; k++) {
		t[k] = now();
		__threadfence();
	}
	t[4] = now();
	if (threadIdx.x % 32 == 0)
		for (int k = 0; k < 4; k++)
			o[g / 32 * 4 + k] = t[k + 1] - t[k] + v;
}

static void do_fence_row(unsigned *a)
{
	static const char *const what[] = {"nothing", "a barrier", "a load", "a store",
					   "a reduction"};
	for (int before = 0; before < 5; before++)
		for (unsigned grid = 1; grid <= SMS; grid *= SMS)
			for (unsigned warps = 1; warps <= 8; warps *= 8) {
				for (int k = 0; k < 3; k++) {
					fence_row<<<grid, warps * 32>>>(a, before, out);
					fetch(grid * warps * 4);
				}
				unsigned m[4];
				for (int k = 0; k < 4; k++) {
					std::vector<unsigned> x;
					for (unsigned w = 0; w < grid * warps; w++)
						x.push_back(host[w * 4 + k]);
					std::sort(x.begin(), x.end());
					m[k] = x[x.size() / 2];
				}
				printf("fence\tfour in a row behind %s, %u SMs of %u warps (medians)\t%u %u %u %u\n",
				       what[before], grid, warps, m[0], m[1], m[2], m[3]);
			}
}

static void do_fence(unsigned *a)
{
	static const unsigned grids[] = {1, 2, 8, 33, 66, 132}, counts[] = {0, 1, 4};
	for (unsigned stores : counts)
		for (unsigned grid : grids)
			for (unsigned warps = 1; warps <= 32; warps *= warps < 8 ? 8 : 4) {
				for (int k = 0; k < 3; k++) {
					CHECK(cudaMemset(gate, 0, 4));
					fences<<<grid, warps * 32>>>(a, stores, gate, out);
					fetch(grid * warps);
				}
				std::sort(host, host + grid * warps);
				printf("fence\t%u stores, %u SMs of %u warps\t%u %u %u\n", stores,
				       grid, warps, host[0], host[grid * warps / 2],
				       host[grid * warps - 1]);
			}
}

// ---- constants at random ----

enum { WORDS = 16384 };
__constant__ unsigned table[WORDS];
__global__ void ldc(unsigned words, unsigned distinct, unsigned n, unsigned skip, unsigned *o)
{
	unsigned lane = threadIdx.x % 32,
		 at = mix(threadIdx.x / 32 * 32 + lane % distinct) & (words - 1), t = 0;
	for (unsigned k = 0; k < n + skip; k++) {
		if (k == skip) {
			__syncthreads();
			t = now();
		}
		unsigned v = table[at];
		at = (at * 5 + 12345 + v) & (words - 1);
	}
	__syncthreads();
	t = now() - t;
	if (!threadIdx.x)
		o[blockIdx.x] = t + (at == words);
}

static void do_ldc()
{
	for (unsigned grid = 1; grid <= SMS; grid = grid < 2 ? 2 : grid * 66)
		for (unsigned words = 256; words <= WORDS; words *= grid == 1 ? 2 : 4)
			for (unsigned distinct = 1; distinct <= 32;
			     distinct *= distinct < 4 ? 4 : 8)
				for (unsigned warps = 1; warps <= 8; warps *= 8) {
					double t[2];
					for (int k = -1; k < 2; k++) {
						ldc<<<grid, warps * 32>>>(
							words, distinct, k > 0 ? 192 : 64, 16, out);
						fetch(grid);
						std::sort(host, host + grid);
						t[k > 0] = host[grid / 2];
					}
					printf("ldc\t%u words, %u addresses, %u SMs of %u warps\t%.2f\n",
					       words, distinct, grid, warps,
					       (t[1] - t[0]) / 128 / warps);
				}
	// the first accesses of a launch, each warp once: all SMs at once
	for (unsigned grid = 1; grid <= SMS; grid *= SMS)
		for (unsigned words = 256; words <= 4096; words *= 4) {
			double t = 0;
			for (int k = 0; k < 3; k++) {
				ldc<<<grid, 256>>>(words, 32, 8, 0, out);
				fetch(grid);
				std::sort(host, host + grid);
				t = host[grid / 2];
			}
			printf("ldc\t%u words, 32 addresses, 8 warps, the first 8 of a launch, %u SMs\t%.0f\n",
			       words, grid, t);
		}
}

// ---- what shared memory leaves of the L1 ----

__global__ void carve(const char *a, unsigned lines, unsigned *o)
{
	extern __shared__ unsigned room[];
	unsigned hits = 0, sum = 0;
	if (threadIdx.x >= 32 || blockIdx.x)
		return;
	for (int pass = 0; pass < 2; pass++)
		for (unsigned k = 0; k < lines; k++) {
			unsigned t = now(), v;
			asm volatile("ld.global.ca.u32 %0, [%1];"
				     : "=r"(v)
				     : "l"(a + k * 128 + threadIdx.x * 4)
				     : "memory");
			sum += v;
			asm volatile("" ::"r"(sum) : "memory"); // the load has ended
			t = now() - t;
			hits += pass && t < 120;
		}
	if (!threadIdx.x)
		o[0] = hits;
	if (lines == 7)
		room[threadIdx.x] = hits + sum;
}

static void do_carve(const char *a)
{
	CHECK(cudaFuncSetAttribute(carve, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 << 10));
	static const unsigned kb[] = {0,  4,  7,  8,   15,  16,  24,  31, 32,
				      48, 64, 99, 100, 131, 164, 200, 227};
	for (unsigned threads = 32; threads <= 1024; threads *= threads < 256 ? 8 : 4)
		for (unsigned blocks = 1; blocks <= 264; blocks *= 264)
			for (unsigned shared : kb) {
				std::string row;
				for (unsigned foot = 16; foot <= 240; foot += 16) {
					carve<<<blocks, threads, shared << 10>>>(a, foot * 8, out);
					fetch(1);
					row += (foot > 16 ? " " : "") + std::to_string(host[0] / 8);
				}
				printf("carve\t%u KB, %u threads, %u blocks, footprints 16 to 240\t%s\n",
				       shared, threads, blocks, row.c_str());
			}
}

int main(int argc, char **argv)
{
	char *a;
	const char *what = argc > 1 ? argv[1] : "clocks";
	by_launch = !strcmp(what, "launches");
	CHECK(cudaMalloc(&a, 64 << 20));
	CHECK(cudaMalloc(&out, MOST * 4));
	CHECK(cudaMalloc(&gate, 4096));
	CHECK(cudaMemset(a, 0, 64 << 20));
	printf("row\twhat\tcycles\n");
	bool rest = !strcmp(what, "rest"); // without the rows that take longest
	if (!rest)
		do_read(a);
	if (by_launch) {
		do_combine((unsigned *)a);
		return 0;
	}
	do_after((unsigned *)a);
	if (!rest)
		do_twin((const unsigned *)a);
	do_store((unsigned *)a);
	do_fence((unsigned *)a);
	do_fence_row((unsigned *)a);
	CHECK(cudaMemset(a, 0, 64 << 20));
	do_ldc();
	do_carve(a);
	return 0;
}
