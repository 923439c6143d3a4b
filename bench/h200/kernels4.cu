// Eight kernels for testing how the machine's model generalises: each checks itself against the processor.
//
//   nvcc -gencode arch=compute_90a,code=sm_90a -O3 -std=c++17 -o kernels4 kernels4.cu
//   ./kernels4 [repetitions] [name | list]
//
// One launch of the kernel NAME per repetition. kernels4.tsv has what Nsight Compute counted for them, warm and with
// flushed caches.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;
#define KERNEL extern "C" __global__ void
typedef unsigned u32;
typedef uint64_t u64;

static void check(cudaError_t e, int line)
{
	if (e != cudaSuccess) {
		printf("kernels4.cu:%d: %s\n", line, cudaGetErrorString(e));
		exit(2);
	}
}
#define CHECK(x) check((x), __LINE__)

static u32 hash(u32 i)
{
	i = (i ^ i >> 16) * 0x7feb352du;
	i = (i ^ i >> 15) * 0x846ca68bu;
	return i ^ i >> 16;
}
static float unit(u32 i) { return (hash(i) >> 8) * (1.0f / 16777216.0f); }

template <class T> struct array {
	std::vector<T> h;
	T *d;
	explicit array(size_t n) : h(n)
	{
		CHECK(cudaMalloc(&d, n * sizeof(T)));
		clear();
	}
	~array() { cudaFree(d); }
	void clear() { CHECK(cudaMemset(d, 0, h.size() * sizeof(T))); }
	void up() { CHECK(cudaMemcpy(d, h.data(), h.size() * sizeof(T), cudaMemcpyHostToDevice)); }
	void down()
	{
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaMemcpy(h.data(), d, h.size() * sizeof(T), cudaMemcpyDeviceToHost));
	}
};

static const char *current;
static int failures;
static void verdict(double worst, double tolerance)
{
	bool good = worst <= tolerance;
	printf("%s %s (largest error %.3g)\n", current, good ? "ok" : "WRONG", worst);
	failures += !good;
}
static double error(double got, double want) { return std::fabs(got - want) / (1 + std::fabs(want)); }

__device__ static u32 shared_address(const void *p) { return (u32)__cvta_generic_to_shared(p); }

// ---- a pass of a radix sort: 4 bits, 4,096 keys per block, ranks within the block by votes of warps ----

enum { DIGITS = 16, PASS_THREADS = 256, PASS_KEYS = 16 };
KERNEL __launch_bounds__(PASS_THREADS) radix_pass(u32 *out, const u32 *in, const u32 *base, int shift)
{
	__shared__ u32 count[8][DIGITS];
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, key[PASS_KEYS], rank[PASS_KEYS];
	const u32 *mine = in + (size_t)blockIdx.x * PASS_THREADS * PASS_KEYS + warp * 32 * PASS_KEYS;
	if (lane < DIGITS)
		count[warp][lane] = 0;
	__syncwarp();
#pragma unroll
	for (int k = 0; k < PASS_KEYS; k++)
		key[k] = mine[k * 32 + lane];
#pragma unroll
	for (int k = 0; k < PASS_KEYS; k++) {
		u32 digit = key[k] >> shift & (DIGITS - 1), same = ~0u;
#pragma unroll
		for (int b = 0; b < 4; b++) {
			u32 vote = __ballot_sync(~0u, digit >> b & 1);
			same &= digit >> b & 1 ? vote : ~vote;
		}
		u32 before = count[warp][digit];
		rank[k] = before + __popc(same & ((1u << lane) - 1));
		__syncwarp();
		if (!(same >> lane & ~1u)) // last of its kind
			count[warp][digit] = before + __popc(same);
		__syncwarp();
	}
	__syncthreads();
	if (threadIdx.x < DIGITS) {
		u32 sum = base[threadIdx.x * gridDim.x + blockIdx.x];
		for (int w = 0; w < 8; w++) {
			u32 n = count[w][threadIdx.x];
			count[w][threadIdx.x] = sum;
			sum += n;
		}
	}
	__syncthreads();
#pragma unroll
	for (int k = 0; k < PASS_KEYS; k++)
		out[count[warp][key[k] >> shift & (DIGITS - 1)] + rank[k]] = key[k];
}

static void run_radix(int reps)
{
	int blocks = 96, per = PASS_THREADS * PASS_KEYS, n = blocks * per;
	array<u32> in(n), out(n), base(DIGITS * blocks);
	for (int i = 0; i < n; i++)
		in.h[i] = hash(i);
	in.up();
	std::vector<u32> count(DIGITS * blocks);
	for (int i = 0; i < n; i++)
		count[(in.h[i] >> 8 & 15) * blocks + i / per]++;
	for (u32 i = 0, sum = 0; i < count.size(); sum += count[i++])
		base.h[i] = sum;
	base.up();
	for (int r = 0; r < reps; r++)
		radix_pass<<<blocks, PASS_THREADS>>>(out.d, in.d, base.d, 8);
	out.down();
	std::stable_sort(in.h.begin(), in.h.end(), [](u32 a, u32 b) { return (a >> 8 & 15) < (b >> 8 & 15); });
	verdict(in.h != out.h, 0);
}

// ---- a stencil of seven points in three dimensions, planes in shared memory ----

enum { SX = 160, SY = 96, SZ = 48, TX = 32, TY = 8, TZ = 12 };
KERNEL __launch_bounds__(TX *TY) stencil3d(float *out, const float *in)
{
	__shared__ float plane[TY + 2][TX + 2];
	int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TX + tx + 1, y = blockIdx.y * TY + ty + 1, z = blockIdx.z * TZ + 1;
	const int row = SX + 2, slab = (SX + 2) * (SY + 2);
	const float *p = in + z * slab + y * row + x;
	float below = p[-slab], here = p[0];
	for (int k = 0; k < TZ; k++, p += slab) {
		float above = p[slab];
		__syncthreads();
		plane[ty + 1][tx + 1] = here;
		if (!tx)
			plane[ty + 1][0] = p[-1];
		if (tx == TX - 1)
			plane[ty + 1][TX + 1] = p[1];
		if (!ty)
			plane[0][tx + 1] = p[-row];
		if (ty == TY - 1)
			plane[TY + 1][tx + 1] = p[row];
		__syncthreads();
		out[(z + k) * slab + y * row + x] = 0.4f * here + 0.1f * (below + above + plane[ty + 1][tx] + plane[ty + 1][tx + 2] + plane[ty][tx + 1] + plane[ty + 2][tx + 1]);
		below = here;
		here = above;
	}
}

static void run_stencil(int reps)
{
	int row = SX + 2, slab = row * (SY + 2), n = slab * (SZ + 2);
	array<float> in(n), out(n);
	for (int i = 0; i < n; i++)
		in.h[i] = unit(i);
	in.up();
	for (int r = 0; r < reps; r++)
		stencil3d<<<dim3(SX / TX, SY / TY, SZ / TZ), dim3(TX, TY)>>>(out.d, in.d);
	out.down();
	double worst = 0;
	for (int z = 1; z <= SZ; z++)
		for (int y = 1; y <= SY; y++)
			for (int x = 1; x <= SX; x++) {
				const float *p = &in.h[z * slab + y * row + x];
				worst = std::max(worst, error(out.h[z * slab + y * row + x], 0.4 * p[0] + 0.1 * ((double)p[-1] + p[1] + p[-row] + p[row] + p[-slab] + p[slab])));
			}
	verdict(worst, 1e-5);
}

// ---- one warp fetches with cp.async, four warps compute; a ring of stages between them, guarded by mbarriers ----

enum { STAGES = 4, STAGE = 1024 };
__device__ static void barrier_init(u64 *b, u32 n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(n)); }
__device__ static void barrier_arrive(u64 *b) { asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(shared_address(b)) : "memory"); }
__device__ static void barrier_wait(u64 *b, u32 parity)
{
	asm volatile("{\n.reg .pred p;\nagain: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra again;\n}" ::"r"(shared_address(b)), "r"(parity) : "memory");
}
KERNEL __launch_bounds__(160) warp_pipeline(float *out, const float *in, int tiles)
{
	__shared__ __align__(16) float ring[STAGES][STAGE];
	__shared__ u64 full[STAGES], empty[STAGES];
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	if (!threadIdx.x)
		for (int s = 0; s < STAGES; s++) {
			barrier_init(&full[s], 32);
			barrier_init(&empty[s], 4);
		}
	__syncthreads();
	const float *mine = in + (size_t)blockIdx.x * tiles * STAGE;
	if (warp == 4) {
		for (int t = 0; t < tiles; t++) {
			int s = t % STAGES;
			if (t >= STAGES)
				barrier_wait(&empty[s], (t / STAGES - 1) & 1);
			for (int k = 0; k < STAGE / 128; k++)
				asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&ring[s][(k * 32 + lane) * 4])), "l"(mine + t * STAGE + (k * 32 + lane) * 4) : "memory");
			asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&full[s])) : "memory");
		}
		return;
	}
	float sum = 0;
	for (int t = 0; t < tiles; t++) {
		int s = t % STAGES;
		barrier_wait(&full[s], t / STAGES & 1);
		for (int k = 0; k < STAGE / 512; k++) {
			float4 v = *(const float4 *)&ring[s][(k * 128 + threadIdx.x) * 4];
			sum += ((v.x * 0.5f + 1) * v.y + v.z) * v.w;
		}
		__syncwarp();
		if (!lane)
			barrier_arrive(&empty[s]);
	}
	out[blockIdx.x * 128 + threadIdx.x] = sum;
}

static void run_pipeline(int reps)
{
	int blocks = 200, tiles = 16;
	array<float> in((size_t)blocks * tiles * STAGE), out(blocks * 128);
	for (size_t i = 0; i < in.h.size(); i++)
		in.h[i] = unit(i);
	in.up();
	for (int r = 0; r < reps; r++)
		warp_pipeline<<<blocks, 160>>>(out.d, in.d, tiles);
	out.down();
	double worst = 0;
	for (int b = 0; b < blocks; b++)
		for (int t = 0; t < 128; t++) {
			double sum = 0;
			for (int k = 0; k < tiles * STAGE / 512; k++) {
				const float *v = &in.h[(size_t)b * tiles * STAGE + (k * 128 + t) * 4];
				sum += ((v[0] * 0.5 + 1) * v[1] + v[2]) * v[3];
			}
			worst = std::max(worst, error(out.h[b * 128 + t], sum));
		}
	verdict(worst, 1e-4);
}

// ---- an inclusive scan in one pass: blocks look back at the sums of earlier blocks ----

enum { SCAN_THREADS = 256, SCAN_EACH = 8 };
KERNEL __launch_bounds__(SCAN_THREADS) lookback_scan(u32 *out, const u32 *in, u64 *state, u32 *ticket)
{
	__shared__ u32 block, warps[8], before;
	u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32, v[SCAN_EACH];
	if (!threadIdx.x)
		block = atomicAdd(ticket, 1);
	__syncthreads();
	size_t at = ((size_t)block * SCAN_THREADS + threadIdx.x) * SCAN_EACH;
	*(uint4 *)&v[0] = *(const uint4 *)&in[at];
	*(uint4 *)&v[4] = *(const uint4 *)&in[at + 4];
	for (int k = 1; k < SCAN_EACH; k++)
		v[k] += v[k - 1];
	u32 sum = v[SCAN_EACH - 1], up = sum;
	for (int d = 1; d < 32; d *= 2) {
		u32 o = __shfl_up_sync(~0u, up, d);
		up += lane >= d ? o : 0;
	}
	if (lane == 31)
		warps[warp] = up;
	__syncthreads();
	u32 prefix = up - sum, all = 0;
	for (u32 w = 0; w < 8; w++) {
		prefix += w < warp ? warps[w] : 0;
		all += warps[w];
	}
	volatile u64 *s = state; // upper half: 1 the block's sum, 2 the sum of all to it
	if (!threadIdx.x)
		s[block] = (u64)(block ? 1 : 2) << 32 | all;
	if (!warp) {
		u32 sums = 0;
		for (int from = (int)block - 1; from >= 0; from -= 32) {
			int i = from - (int)lane;
			u64 w;
			do
				w = i >= 0 ? s[i] : (u64)2 << 32;
			while (__any_sync(~0u, !(w >> 32)));
			u32 ends = __ballot_sync(~0u, w >> 32 == 2), take = ends ? __ffs(ends) : 32;
			u32 part = lane < take ? (u32)w : 0;
			for (int d = 16; d; d /= 2)
				part += __shfl_xor_sync(~0u, part, d);
			sums += part;
			if (ends)
				break;
		}
		if (!lane) {
			if (block)
				s[block] = (u64)2 << 32 | (sums + all);
			before = sums;
		}
	}
	__syncthreads();
	prefix += before;
	for (int k = 0; k < SCAN_EACH; k++)
		v[k] += prefix;
	*(uint4 *)&out[at] = *(uint4 *)&v[0];
	*(uint4 *)&out[at + 4] = *(uint4 *)&v[4];
}

static void run_scan(int reps)
{
	int blocks = 300, n = blocks * SCAN_THREADS * SCAN_EACH;
	array<u32> in(n), out(n), ticket(1);
	array<u64> state(blocks);
	for (int i = 0; i < n; i++)
		in.h[i] = hash(i);
	in.up();
	for (int r = 0; r < reps; r++) {
		ticket.clear();
		state.clear();
		lookback_scan<<<blocks, SCAN_THREADS>>>(out.d, in.d, state.d, ticket.d);
	}
	out.down();
	int bad = 0;
	u32 sum = 0;
	for (int i = 0; i < n; i++)
		bad += (sum += in.h[i]) != out.h[i];
	verdict(bad, 0);
}

// ---- a product whose inner dimension is shared out over blocks, with wgmma; parts meet in reductions ----

__device__ static u64 tile_descriptor(const void *s) { return (u64)((shared_address(s) & 0x3ffff) >> 4) | (u64)1 << 16 | (u64)64 << 32 | (u64)1 << 62; }
#define D8(b) "+f"(d[b]), "+f"(d[b + 1]), "+f"(d[b + 2]), "+f"(d[b + 3]), "+f"(d[b + 4]), "+f"(d[b + 5]), "+f"(d[b + 6]), "+f"(d[b + 7])
__device__ static void product(float (&d)[32], u64 a, u64 b)
{
	asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, %32, %33, 1, 1, 1, 0, 0;"
		     : D8(0), D8(8), D8(16), D8(24)
		     : "l"(a), "l"(b));
}
KERNEL __launch_bounds__(128) splitk_wgmma(float *c, const __half *a, const __half *b, int n, int k, int part)
{
	__shared__ __align__(1024) unsigned char as[2][8192], bs[2][8192];
	int t = threadIdx.x;
	float d[32];
	for (int i = 0; i < 32; i++)
		d[i] = 0;
	a += (size_t)blockIdx.y * 64 * k + blockIdx.z * part;
	b += (size_t)blockIdx.x * 64 * k + blockIdx.z * part;
	auto fetch = [&](int k0, int s) {
#pragma unroll
		for (int i = 0; i < 4; i++) {
			int q = t + i * 128, r = q >> 3, x = q & 7, at = r * 128 + ((x ^ (r & 7)) << 4);
			asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&as[s][at])), "l"(a + (size_t)r * k + k0 + x * 8) : "memory");
			asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&bs[s][at])), "l"(b + (size_t)r * k + k0 + x * 8) : "memory");
		}
		asm volatile("cp.async.commit_group;" ::: "memory");
	};
	fetch(0, 0);
	for (int k0 = 0, s = 0; k0 < part; k0 += 64, s ^= 1) {
		if (k0 + 64 < part) {
			fetch(k0 + 64, s ^ 1);
			asm volatile("cp.async.wait_group 1;" ::: "memory");
		} else {
			asm volatile("cp.async.wait_group 0;" ::: "memory");
		}
		asm volatile("fence.proxy.async;" ::: "memory");
		__syncthreads();
		asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
		u64 da = tile_descriptor(as[s]), db = tile_descriptor(bs[s]);
#pragma unroll
		for (int q = 0; q < 4; q++)
			product(d, da + 2 * q, db + 2 * q);
		asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
		__syncthreads();
	}
	int row = blockIdx.y * 64 + (t >> 5) * 16 + ((t & 31) >> 2), col = blockIdx.x * 64 + (t & 3) * 2;
#pragma unroll
	for (int j = 0; j < 8; j++) {
		float *p = &c[(size_t)row * n + col + j * 8];
		atomicAdd(p, d[4 * j]);
		atomicAdd(p + 1, d[4 * j + 1]);
		atomicAdd(p + 8 * n, d[4 * j + 2]);
		atomicAdd(p + 8 * n + 1, d[4 * j + 3]);
	}
}

static void run_splitk(int reps)
{
	int m = 256, n = 256, k = 2048, parts = 8;
	array<__half> a(m * k), b(n * k);
	array<float> c(m * n);
	for (int i = 0; i < m * k; i++)
		a.h[i] = __float2half(unit(i) - 0.5f);
	for (int i = 0; i < n * k; i++)
		b.h[i] = __float2half(unit(i + 9999999) - 0.5f);
	a.up();
	b.up();
	for (int r = 0; r < reps; r++) {
		c.clear();
		splitk_wgmma<<<dim3(n / 64, m / 64, parts), 128>>>(c.d, a.d, b.d, n, k, k / parts);
	}
	c.down();
	double worst = 0;
	for (int q = 0; q < 2048; q++) {
		int i = hash(q) % m, j = hash(q + 5000) % n;
		double s = 0;
		for (int x = 0; x < k; x++)
			s += (double)__half2float(a.h[i * k + x]) * __half2float(b.h[j * k + x]);
		worst = std::max(worst, error(c.h[i * n + j], s));
	}
	verdict(worst, 2e-3);
}

// ---- a histogram with atomics of shared memory, of values that prefer few bins ----

KERNEL __launch_bounds__(512) shared_histogram(u32 *bins, const uint4 *in, int n)
{
	__shared__ u32 s[256];
	if (threadIdx.x < 256)
		s[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
		uint4 v = in[i];
		u32 w[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
		for (int k = 0; k < 4; k++) {
			atomicAdd(&s[w[k] & 255], 1);
			atomicAdd(&s[w[k] >> 16 & 255], 1);
		}
	}
	__syncthreads();
	if (threadIdx.x < 256)
		atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}

static void run_histogram(int reps)
{
	int n = 1 << 17;
	array<u32> in(n * 4), bins(256);
	for (int i = 0; i < n * 4; i++)
		in.h[i] = hash(2 * i) & hash(2 * i + 1);
	in.up();
	for (int r = 0; r < reps; r++) {
		bins.clear();
		shared_histogram<<<132, 512>>>(bins.d, (const uint4 *)in.d, n);
	}
	bins.down();
	std::vector<u32> want(256);
	for (u32 v : in.h) {
		want[v & 255]++;
		want[v >> 16 & 255]++;
	}
	verdict(want != bins.h, 0);
}

// ---- rows of a table, summed by index; some rows are wanted often ----

enum { ROW = 64, BAG = 40 };
KERNEL embedding_bag(float2 *out, const float2 *table, const int *index)
{
	int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
	float x = 0, y = 0;
	for (int k = 0; k < BAG; k++) {
		float2 v = table[(size_t)index[bag * BAG + k] * (ROW / 2) + lane];
		x += v.x;
		y += v.y;
	}
	out[bag * (ROW / 2) + lane] = make_float2(x, y);
}

static void run_bag(int reps)
{
	int rows = 20000, bags = 3000;
	array<float> table(rows * ROW), out(bags * ROW);
	array<int> index(bags * BAG);
	for (size_t i = 0; i < table.h.size(); i++)
		table.h[i] = unit(i);
	for (size_t i = 0; i < index.h.size(); i++)
		index.h[i] = (int)(rows * std::pow(unit(i + 77), 4));
	table.up();
	index.up();
	for (int r = 0; r < reps; r++)
		embedding_bag<<<bags / 8, 256>>>((float2 *)out.d, (const float2 *)table.d, index.d);
	out.down();
	double worst = 0;
	for (int b = 0; b < bags; b++)
		for (int i = 0; i < ROW; i++) {
			double s = 0;
			for (int k = 0; k < BAG; k++)
				s += table.h[(size_t)index.h[b * BAG + k] * ROW + i];
			worst = std::max(worst, error(out.h[b * ROW + i], s));
		}
	verdict(worst, 1e-5);
}

// ---- softmax of long rows: four blocks of a cluster hold a row and exchange its largest element and sum ----

enum { SOFT = 2048 };
KERNEL __cluster_dims__(4, 1, 1) __launch_bounds__(256) cluster_softmax(float *out, const float *in)
{
	__shared__ float s[8], part[2];
	cg::cluster_group cluster = cg::this_cluster();
	int t = threadIdx.x;
	const float *p = in + (size_t)blockIdx.x * SOFT;
	float v[SOFT / 256], most = -1e30f, sum = 0;
	for (int k = 0; k < SOFT / 256; k++)
		most = fmaxf(most, v[k] = p[k * 256 + t]);
	auto together = [&](float x, bool add) {
		for (int d = 16; d; d /= 2) {
			float o = __shfl_xor_sync(~0u, x, d);
			x = add ? x + o : fmaxf(x, o);
		}
		if (!(t & 31))
			s[t / 32] = x;
		__syncthreads();
		if (!t) {
			for (int w = 1; w < 8; w++)
				x = add ? x + s[w] : fmaxf(x, s[w]);
			part[add] = x;
		}
		cluster.sync();
		x = *cluster.map_shared_rank(&part[add], 0);
		for (int r = 1; r < 4; r++) {
			float o = *cluster.map_shared_rank(&part[add], r);
			x = add ? x + o : fmaxf(x, o);
		}
		return x;
	};
	most = together(most, false);
	for (int k = 0; k < SOFT / 256; k++)
		sum += v[k] = __expf(v[k] - most);
	sum = 1 / together(sum, true);
	for (int k = 0; k < SOFT / 256; k++)
		out[(size_t)blockIdx.x * SOFT + k * 256 + t] = v[k] * sum;
	cluster.sync();
}

static void run_softmax(int reps)
{
	int rows = 96, n = 4 * SOFT;
	array<float> in((size_t)rows * n), out((size_t)rows * n);
	for (size_t i = 0; i < in.h.size(); i++)
		in.h[i] = 8 * unit(i);
	in.up();
	for (int r = 0; r < reps; r++)
		cluster_softmax<<<rows * 4, 256>>>(out.d, in.d);
	out.down();
	double worst = 0;
	for (int r = 0; r < rows; r++) {
		double sum = 0;
		for (int i = 0; i < n; i++)
			sum += exp((double)in.h[(size_t)r * n + i]);
		for (int i = 0; i < n; i++)
			worst = std::max(worst, std::fabs(out.h[(size_t)r * n + i] * sum / exp((double)in.h[(size_t)r * n + i]) - 1));
	}
	verdict(worst, 1e-3);
}

static const struct {
	const char *name;
	void (*run)(int);
} cases[] = {{"radix_pass", run_radix},		    {"stencil3d", run_stencil},	  {"warp_pipeline", run_pipeline}, {"lookback_scan", run_scan},
	     {"splitk_wgmma", run_splitk},	    {"shared_histogram", run_histogram}, {"embedding_bag", run_bag},	   {"cluster_softmax", run_softmax}};

int main(int argc, char **argv)
{
	int reps = argc > 1 ? atoi(argv[1]) : 1;
	bool list = argc > 2 && !strcmp(argv[2], "list");
	for (auto &c : cases) {
		current = c.name;
		if (list)
			printf("%s\n", c.name);
		else if (argc < 3 || !strcmp(argv[2], c.name))
			c.run(reps);
	}
	return failures ? 1 : 0;
}
