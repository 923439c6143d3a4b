// What ends late and what begins cold: stores at a kernel's end, code that no launch has executed, memory that the host
// has copied, lines that the two SMs of a TPC read at once, and local memory.
//
//   nvcc -arch=sm_90 -O3 -o ends ends.cu
//   ./ends clocks > ends.tsv
//   ncu --clock-control none --cache-control none --metrics sm__cycles_active.max,sm__cycles_active.min ./ends launches
//
// With -DFEW it compiles in a minute and lacks the longest code. `clocks` prints rows that the program times by itself, `launches` one row per launch, in the order of ncu's.
// Rows:
//   stores   active cycles of kernels whose threads store once or four times and then wait
//   code     active cycles of straight code of n FFMA: launches 1 to 3, then one after a kernel that fills the caches of code
//   copy     lines of each sixteenth of a buffer that are near, far, and in DRAM after the host has copied it (not in ends.tsv)
//   pair     bytes per cycle of an SM that reads what the other SM of its TPC reads `skew` cycles earlier
//   local    cycles per local access of the SM: stores and loads of 4 and 16 bytes, one slot or any
//   again    active cycles of a kernel that reads each line once: first and later launches after a copy
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(x)                                                                                                       \
	do {                                                                                                           \
		cudaError_t e = (x);                                                                                   \
		if (e != cudaSuccess) {                                                                                \
			fprintf(stderr, "ends.cu:%d: %s\n", __LINE__, cudaGetErrorString(e));                          \
			exit(1);                                                                                       \
		}                                                                                                      \
	} while (0)
enum { MOST = 1 << 18 };
static unsigned *out, host[MOST];

__device__ unsigned now()
{
	unsigned t;
	asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
	return t;
}
static void fetch(unsigned n)
{
	CHECK(cudaDeviceSynchronize());
	CHECK(cudaMemcpy(host, out, n * 4, cudaMemcpyDeviceToHost));
}
static void launched(const char *row, const char *what)
{
	CHECK(cudaGetLastError());
	CHECK(cudaDeviceSynchronize());
	printf("%s\t%s\n", row, what);
}

// ---- stores at the end ----

enum { NO_STORE, WORDS, QUADS, ONE_LANE, FOUR_WORDS, SAME_LINE, REDUCTION, HALF_LINES };
static const char *const store_name[] = {"none", "4 bytes per lane", "16 bytes per lane", "one lane", "four of 4 bytes per lane", "one word for all", "reductions, 4 bytes per lane", "2 bytes per lane"};

template <int kind> __global__ void store_end(char *a, unsigned wait)
{
	size_t g = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
	unsigned t = wait ? now() : 0;
	if (kind == NO_STORE && a == (char *)77)
		*a = 1;
	if (kind == WORDS)
		asm volatile("st.global.u32 [%0], 0;" ::"l"(a + g * 4) : "memory");
	if (kind == QUADS)
		asm volatile("st.global.v4.u32 [%0], {0, 0, 0, 0};" ::"l"(a + g * 16) : "memory");
	if (kind == ONE_LANE && threadIdx.x % 32 == 0)
		asm volatile("st.global.u32 [%0], 0;" ::"l"(a + g * 4) : "memory");
	if (kind == FOUR_WORDS)
		for (int i = 0; i < 4; i++)
			asm volatile("st.global.u32 [%0], 0;" ::"l"(a + (g + i * (size_t)gridDim.x * blockDim.x) * 4) : "memory");
	if (kind == SAME_LINE)
		asm volatile("st.global.u32 [%0], 0;" ::"l"(a) : "memory");
	if (kind == REDUCTION)
		asm volatile("red.global.add.u32 [%0], 1;" ::"l"(a + g * 4) : "memory");
	if (kind == HALF_LINES)
		asm volatile("st.global.u16 [%0], 0;" ::"l"(a + g * 2) : "memory");
	while (wait && now() - t < wait)
		;
}

template <int kind> static void do_store(char *a, unsigned grid, unsigned block, unsigned wait, int times)
{
	char what[160];
	for (int k = 0; k < times; k++) {
		store_end<kind><<<grid, block>>>(a, wait);
		snprintf(what, sizeof what, "%s, %u blocks of %u threads, then %u cycles", store_name[kind], grid, block, wait);
		launched("stores", what);
	}
}

static void do_stores(char *a)
{
	static const unsigned grids[] = {1, 8, 33, 66, 132, 264, 528, 1056};
	for (unsigned g : grids) {
		do_store<NO_STORE>(a, g, 256, 0, 2);
		do_store<WORDS>(a, g, 256, 0, 2);
		do_store<QUADS>(a, g, 256, 0, 2);
		do_store<ONE_LANE>(a, g, 256, 0, 2);
		do_store<FOUR_WORDS>(a, g, 256, 0, 2);
		do_store<SAME_LINE>(a, g, 256, 0, 2);
		do_store<REDUCTION>(a, g, 256, 0, 2);
		do_store<HALF_LINES>(a, g, 256, 0, 2);
	}
	for (unsigned block = 32; block <= 1024; block *= 2) {
		do_store<NO_STORE>(a, 132, block, 0, 2);
		do_store<WORDS>(a, 132, block, 0, 2);
		do_store<WORDS>(a, 1, block, 0, 2);
	}
	for (unsigned wait = 100; wait <= 1600; wait *= 2) {
		do_store<NO_STORE>(a, 132, 256, wait, 1);
		do_store<WORDS>(a, 132, 256, wait, 1);
		do_store<NO_STORE>(a, 1056, 256, wait, 1);
		do_store<WORDS>(a, 1056, 256, wait, 1);
		do_store<FOUR_WORDS>(a, 1056, 256, wait, 1);
		do_store<FOUR_WORDS>(a, 132, 256, wait, 1);
	}
}

// ---- cold code ----

template <int n, int id> __global__ void code(float *o, float a, float b)
{
	float x = a + id, y = b;
#pragma unroll
	for (int i = 0; i < n / 2; i++) {
		asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(b));
		asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y) : "f"(a));
	}
	if (x + y == 77)
		*o = x;
}

template <int n, int id> static void run_code(const char *when)
{
	static const unsigned grids[] = {1, 132, 1056};
	char what[100];
	code<n, id><<<grids[id % 3], 256>>>((float *)out, 1, 0);
	snprintf(what, sizeof what, "%d FFMA, %u blocks of 256 threads, %s", n, grids[id % 3], when);
	launched("code", what);
}
template <int id> static void run_codes(const char *when)
{
	run_code<16, id>(when);
	run_code<64, id>(when);
	run_code<256, id>(when);
	run_code<1024, id>(when);
#ifndef FEW
	run_code<4096, id>(when);
#endif
}
static void do_code(char *a)
{
	static const char *const when[] = {"launch 1", "launch 2", "launch 3", "after 256 KB of other code", "after a copy of 256 MB", "after 1 MB of other data"};
	for (int k = 0; k < 6; k++) {
#ifndef FEW
		if (k == 3)
			run_code<16384, 9>("between");
#endif
		if (k == 4)
			CHECK(cudaMemset(a, 0, 256 << 20));
		if (k == 5)
			do_store<WORDS>(a, 1056, 256, 0, 1);
		run_codes<0>(when[k]);
		run_codes<1>(when[k]);
		run_codes<2>(when[k]);
		run_codes<3>(when[k]);
	}
	for (int k = 0; k < 3; k++) { // in turn with nothing else between
		run_code<256, 2>("again");
		run_code<256, 5>("again");
	}
}

// ---- copies of the host ----

enum { HOPS = 256 };
__global__ void touch(char *a, unsigned step, unsigned *o, unsigned sm)
{
	unsigned id;
	asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
	if (id != sm)
		return;
	for (int i = 0; i < HOPS; i++) {
		unsigned t = now(), v;
		asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
		a += step + (v == 0x12345 ? 4 : 0);
		asm volatile("{ .reg .pred p; setp.eq.u32 p, %0, 77777; @p trap; }" ::"r"(v) : "memory");
		o[i] = now() - t;
	}
}

static void do_copies(char *a, char *source, char *pinned)
{
	static const char *const how[] = {"copied from pageable memory", "copied from pinned memory", "set", "copied on the device", "two buffers copied from pageable memory, the first"};
	for (int h = 0; h < 5; h++)
		for (size_t bytes = 256 << 10; bytes <= 64 << 20; bytes *= 2) {
			CHECK(cudaMemset(a, 0, 256 << 20)); // what was there before
			CHECK(cudaMemset(a + (256 << 20), 0, 256 << 20));
			if (h == 0 || h == 4)
				CHECK(cudaMemcpy(a, source, bytes, cudaMemcpyHostToDevice));
			if (h == 1)
				CHECK(cudaMemcpy(a, pinned, bytes, cudaMemcpyHostToDevice));
			if (h == 2)
				CHECK(cudaMemset(a, 0, bytes));
			if (h == 3)
				CHECK(cudaMemcpy(a, a + (256 << 20), bytes, cudaMemcpyDeviceToDevice));
			if (h == 4)
				CHECK(cudaMemcpy(a + (128 << 20), source, bytes, cudaMemcpyHostToDevice));
			for (int k = 0; k < 2; k++) {
				touch<<<132, 1>>>(a, bytes / HOPS, out, 0);
				fetch(HOPS);
				printf("copy\t%s, %zu KB, launch %d\t", how[h], bytes >> 10, k + 1);
				for (int s = 0; s < 16; s++) {
					int near = 0, far = 0, dram = 0;
					for (int i = 0; i < HOPS / 16; i++) {
						unsigned t = host[s * HOPS / 16 + i];
						(t < 420 ? near : t < 580 ? far : dram)++;
					}
					printf("%d/%d/%d%s", near, far, dram, s < 15 ? " " : "\n");
				}
			}
		}
}

__global__ void read_all(const uint4 *a, size_t n, unsigned *o)
{
	uint4 s = {0, 0, 0, 0};
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (size_t)blockDim.x) {
		uint4 v = a[i];
		s.x ^= v.x ^ v.y ^ v.z ^ v.w;
	}
	if (s.x == 77)
		*o = 1;
}
static void do_again(char *a, char *source)
{
	char what[100];
	for (size_t bytes = 1 << 20; bytes <= 32 << 20; bytes *= 2) {
		CHECK(cudaMemset(a, 0, 256 << 20));
		CHECK(cudaMemcpy(a, source, bytes, cudaMemcpyHostToDevice));
		for (int k = 0; k < 3; k++) {
			read_all<<<264, 512>>>((const uint4 *)a, bytes / 16, out);
			snprintf(what, sizeof what, "%zu KB copied from pageable memory, read, launch %d", bytes >> 10, k + 1);
			launched("again", what);
		}
	}
}

// ---- the two SMs of a TPC ----

__global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(512) pair(const char *a, unsigned lines, unsigned skew, int shared, int depth, unsigned *o)
{
	extern __shared__ char room[];
	unsigned rank = blockIdx.x & 1, t0, t;
	const char *mine = a + (size_t)(shared == 2 ? 0 : shared ? blockIdx.x / 2 : blockIdx.x) * lines * 128 + threadIdx.x * 16;
	unsigned sum = 0;
	asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
	t0 = now();
	while (rank && now() - t0 < skew)
		;
	t = now();
	for (unsigned k = 0; k < lines * 128; k += 512 * 16 * 4) {
		uint4 v[4];
		if (depth == 4) {
#pragma unroll
			for (int i = 0; i < 4; i++)
				asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[i].x), "=r"(v[i].y), "=r"(v[i].z), "=r"(v[i].w) : "l"(mine + k + i * 512 * 16));
#pragma unroll
			for (int i = 0; i < 4; i++)
				sum += v[i].x ^ v[i].y ^ v[i].z ^ v[i].w;
		} else {
#pragma unroll
			for (int i = 0; i < 4; i++) {
				asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[0].x), "=r"(v[0].y), "=r"(v[0].z), "=r"(v[0].w) : "l"(mine + k + i * 512 * 16 + (sum == 77 ? 16 : 0)));
				sum += v[0].x ^ v[0].y ^ v[0].z ^ v[0].w;
			}
		}
	}
	t = now() - t;
	if (!threadIdx.x)
		o[blockIdx.x] = t + (sum == 77);
}

static void do_pair(const char *a)
{
	CHECK(cudaFuncSetAttribute(pair, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10));
	static const unsigned skews[] = {0, 30, 100, 200, 300, 500, 1000, 3000};
	static const char *const shares[] = {"each SM its own", "both SMs of a TPC the same", "all SMs the same"};
	for (int depth = 1; depth <= 4; depth += 3)
		for (unsigned grid = 2; grid <= 132; grid *= 66)
			for (int s = 0; s < 3; s++)
				for (unsigned skew : skews) {
					if (!s && skew)
						continue;
					for (int k = 0; k < 2; k++) {
						pair<<<grid, 512, 120 << 10>>>(a, 2048, skew, s, depth, out);
						fetch(grid);
					}
					std::vector<unsigned> r[2];
					for (unsigned b = 0; b < grid; b++)
						r[b & 1].push_back(host[b]);
					std::sort(r[0].begin(), r[0].end());
					std::sort(r[1].begin(), r[1].end());
					printf("pair\t%u SMs, %s, %d loads in flight, skew %u\t%.2f %.2f\n", grid, shares[s], depth, skew, 2048 * 128. / r[0][r[0].size() / 2],
					       2048 * 128. / r[1][r[1].size() / 2]);
				}
}

// ---- local memory ----

template <int wide, bool load, bool spread> __global__ void local(unsigned *o, unsigned n, unsigned mask)
{
	uint4 slot[16];
	unsigned at = spread ? threadIdx.x * 5 : 0, sum = 0, warp = threadIdx.x / 32;
	for (int i = 0; i < 16; i++)
		slot[i + (mask == 99)] = make_uint4(i, n, mask, i);
	__syncthreads();
	unsigned t = now();
	for (unsigned i = 0; i < n; i++) {
#pragma unroll
		for (int k = 0; k < 8; k++) {
			unsigned s = (at + k + i) & mask;
			if (load && wide)
				sum += slot[s].x ^ slot[s].y ^ slot[s].z ^ slot[s].w;
			else if (load)
				sum += slot[s].x;
			else if (wide)
				slot[s] = make_uint4(i, s, i, s);
			else
				slot[s].x = i;
		}
		asm volatile("" ::: "memory");
	}
	unsigned end = now();
	for (int i = 0; i < 16; i++)
		sum += slot[(i + sum) & mask].x;
	if (sum == 1)
		o[4000] = 1;
	if (threadIdx.x % 32 == 0) {
		o[(blockIdx.x * 32 + warp) * 2] = t;
		o[(blockIdx.x * 32 + warp) * 2 + 1] = end;
	}
}

template <int wide, bool load, bool spread> static void do_local()
{
	for (unsigned grid = 1; grid <= 132; grid += 131)
		for (unsigned warps = 1; warps <= 32; warps *= 2) {
			double span[2];
			for (int k = -1; k < 2; k++) {
				local<wide, load, spread><<<grid, warps * 32>>>(out, k > 0 ? 40 : 8, 15);
				fetch(64);
				unsigned from = host[0], to = 0;
				for (unsigned w = 1; w < warps; w++)
					from = (int)(host[2 * w] - from) < 0 ? host[2 * w] : from;
				for (unsigned w = 0; w < warps; w++)
					to = std::max(to, host[2 * w + 1] - from);
				span[k > 0] = to;
			}
			printf("local\t%s of %d bytes, %s, %u blocks of %u warps\t%.2f\n", load ? "loads" : "stores", wide ? 16 : 4, spread ? "slots by lane" : "one slot", grid, warps,
			       (span[1] - span[0]) / (32. * 8 * warps));
		}
}

int main(int argc, char **argv)
{
	char *a, *source, *pinned;
	CHECK(cudaMalloc(&a, 512 << 20));
	CHECK(cudaMalloc(&out, sizeof host));
	CHECK(cudaMemset(a, 0, 512 << 20));
	CHECK(cudaMemset(out, 0, sizeof host));
	source = (char *)calloc(1, 64 << 20);
	CHECK(cudaMallocHost(&pinned, 64 << 20));
	memset(pinned, 0, 64 << 20);
	if (argc > 1 && !strcmp(argv[1], "stores")) {
		do_stores(a);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "launches")) {
		do_code(a);
		do_stores(a);
		do_again(a, source);
		return 0;
	}
	printf("row\twhat\tcycles\n");
	do_copies(a, source, pinned);
	do_pair(a);
	do_local<0, false, false>();
	do_local<1, false, false>();
	do_local<0, true, false>();
	do_local<1, true, false>();
	do_local<0, false, true>();
	do_local<0, true, true>();
	return 0;
}
