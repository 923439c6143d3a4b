/*
 * NET: kernels of neural networks as GPUs of today run them: a matrix product by tensor cores (--kernel gemm), attention
 * that keeps no matrix of scores (flash), softmax of rows (softmax) and a prefix sum (scan).
 *
 * Used by: the study of old mechanisms on a modern GPU.
 * Geometry: gemm and flash: blocks of 4 warps for 64 x 64 elements and 64 queries; softmax: 256 threads a row; scan: 256
 *   threads for 1,024 elements.
 * Memory: operands go through shared memory, with rows padded against bank conflicts; products are mma.m16n8k16 of 16-bit
 *   floating point. flash renormalises its sums when a larger score comes (online softmax).
 * Input: synthetic, values -1 to 1; scan: integers below 16.
 * Check: gemm, flash and softmax against double precision from the rounded operands, scan exactly.
 */
#include <cuda_fp16.h>
#include "../common/workload.h"

enum { TILE = 64, DEPTH = 32, PITCH = DEPTH + 8, DIM = 64, WIDE = DIM + 8, ROW = 1024, CHUNK = 1024 };

static __device__ void multiply(float d[4], const unsigned a[4], unsigned b0, unsigned b1)
{
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
	             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
	             : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static __device__ unsigned pair(float lo, float hi)
{
	return __half_as_ushort(__float2half(lo)) | (unsigned)__half_as_ushort(__float2half(hi)) << 16;
}

/* c = a times b transposed; a warp has 32 x 32 elements. */
__global__ void __launch_bounds__(128) gemm(const uint4 *a, const uint4 *b, float *c, int n, int depth)
{
	__shared__ __align__(16) unsigned short sa[TILE * PITCH], sb[TILE * PITCH];
	int t = threadIdx.x, lane = t % 32, warp = t / 32, group = lane / 4, in = lane % 4 * 2;
	int row = blockIdx.y * TILE, column = blockIdx.x * TILE, wr = warp / 2 * 32, wc = warp % 2 * 32;
	float sum[2][4][4] = {};
	for (int k0 = 0; k0 < depth; k0 += DEPTH) {
		for (int i = t; i < TILE * DEPTH / 8; i += 128) {
			int r = i / (DEPTH / 8), q = i % (DEPTH / 8);
			*(uint4 *)&sa[r * PITCH + q * 8] = a[((row + r) * depth + k0) / 8 + q];
			*(uint4 *)&sb[r * PITCH + q * 8] = b[((column + r) * depth + k0) / 8 + q];
		}
		__syncthreads();
#pragma unroll
		for (int k = 0; k < DEPTH; k += 16) {
			unsigned fa[2][4];
#pragma unroll
			for (int i = 0; i < 2; i++) {
				const unsigned short *p = &sa[(wr + 16 * i + group) * PITCH + k + in];
				fa[i][0] = *(const unsigned *)p;
				fa[i][1] = *(const unsigned *)(p + 8 * PITCH);
				fa[i][2] = *(const unsigned *)(p + 8);
				fa[i][3] = *(const unsigned *)(p + 8 * PITCH + 8);
			}
#pragma unroll
			for (int j = 0; j < 4; j++) {
				const unsigned short *p = &sb[(wc + 8 * j + group) * PITCH + k + in];
				multiply(sum[0][j], fa[0], *(const unsigned *)p, *(const unsigned *)(p + 8));
				multiply(sum[1][j], fa[1], *(const unsigned *)p, *(const unsigned *)(p + 8));
			}
		}
		__syncthreads();
	}
#pragma unroll
	for (int i = 0; i < 2; i++)
#pragma unroll
		for (int j = 0; j < 4; j++) {
			float *p = &c[(row + wr + 16 * i + group) * n + column + wc + 8 * j + in];
			*(float2 *)p = make_float2(sum[i][j][0], sum[i][j][1]);
			*(float2 *)(p + 8 * n) = make_float2(sum[i][j][2], sum[i][j][3]);
		}
}

/* Attention of one head, all of n keys visible: a warp has 16 queries, a block goes through the keys 64 at a time. */
__global__ void __launch_bounds__(128) flash(const uint4 *q, const uint4 *k, const uint4 *v, float *o, int n)
{
	__shared__ __align__(16) unsigned short sk[64 * WIDE], sv[64 * WIDE];
	int t = threadIdx.x, lane = t % 32, group = lane / 4, in = lane % 4 * 2;
	size_t head = (size_t)blockIdx.y * n;
	int row = blockIdx.x * 64 + t / 32 * 16 + group;
	const unsigned *mine = (const unsigned *)q + (head + row) * (DIM / 2) + in / 2;
	unsigned fq[4][4];
#pragma unroll
	for (int i = 0; i < 4; i++) {
		fq[i][0] = mine[i * 8];
		fq[i][1] = mine[i * 8 + 8 * (DIM / 2)];
		fq[i][2] = mine[i * 8 + 4];
		fq[i][3] = mine[i * 8 + 8 * (DIM / 2) + 4];
	}
	float out[8][4] = {}, most[2] = {-1e30f, -1e30f}, total[2] = {0, 0};
	for (int k0 = 0; k0 < n; k0 += 64) {
		__syncthreads();
		for (int i = t; i < 64 * DIM / 8; i += 128) {
			int r = i / (DIM / 8), c = i % (DIM / 8);
			*(uint4 *)&sk[r * WIDE + c * 8] = k[(head + k0 + r) * (DIM / 8) + c];
			*(uint4 *)&sv[r * WIDE + c * 8] = v[(head + k0 + r) * (DIM / 8) + c];
		}
		__syncthreads();
		float s[8][4] = {};
#pragma unroll
		for (int j = 0; j < 8; j++)
#pragma unroll
			for (int i = 0; i < 4; i++) {
				const unsigned short *p = &sk[(8 * j + group) * WIDE + 16 * i + in];
				multiply(s[j], fq[i], *(const unsigned *)p, *(const unsigned *)(p + 8));
			}
#pragma unroll
		for (int h = 0; h < 2; h++) { /* rows group and group + 8 */
			float m = most[h], add = 0;
#pragma unroll
			for (int j = 0; j < 8; j++)
				m = fmaxf(m, fmaxf(s[j][2 * h], s[j][2 * h + 1]) * 0.125f);
			m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, 1));
			m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, 2));
			float scale = __expf(most[h] - m);
			most[h] = m;
#pragma unroll
			for (int j = 0; j < 8; j++) {
				s[j][2 * h] = __expf(s[j][2 * h] * 0.125f - m);
				s[j][2 * h + 1] = __expf(s[j][2 * h + 1] * 0.125f - m);
				add += s[j][2 * h] + s[j][2 * h + 1];
				out[j][2 * h] *= scale;
				out[j][2 * h + 1] *= scale;
			}
			total[h] = total[h] * scale + add;
		}
#pragma unroll
		for (int i = 0; i < 4; i++) { /* 16 keys at a time */
			unsigned p[4] = {pair(s[2 * i][0], s[2 * i][1]), pair(s[2 * i][2], s[2 * i][3]),
			                 pair(s[2 * i + 1][0], s[2 * i + 1][1]), pair(s[2 * i + 1][2], s[2 * i + 1][3])};
#pragma unroll
			for (int j = 0; j < 8; j++) {
				const unsigned short *x = &sv[(16 * i + in) * WIDE + 8 * j + group];
				multiply(out[j], p, x[0] | (unsigned)x[WIDE] << 16,
				         x[8 * WIDE] | (unsigned)x[9 * WIDE] << 16);
			}
		}
	}
#pragma unroll
	for (int h = 0; h < 2; h++) {
		total[h] += __shfl_xor_sync(0xffffffffu, total[h], 1);
		total[h] += __shfl_xor_sync(0xffffffffu, total[h], 2);
#pragma unroll
		for (int j = 0; j < 8; j++)
			*(float2 *)&o[(head + row + 8 * h) * DIM + 8 * j + in] =
				make_float2(out[j][2 * h] / total[h], out[j][2 * h + 1] / total[h]);
	}
}

/* One value of all threads of the block: the largest, or the sum. */
template <bool sum>
static __device__ float of_block(float x, float *shared)
{
	for (int d = 16; d; d /= 2) {
		float y = __shfl_xor_sync(0xffffffffu, x, d);
		x = sum ? x + y : fmaxf(x, y);
	}
	__syncthreads();
	if (threadIdx.x % 32 == 0)
		shared[threadIdx.x / 32] = x;
	__syncthreads();
	x = shared[0];
	for (int i = 1; i < 8; i++)
		x = sum ? x + shared[i] : fmaxf(x, shared[i]);
	return x;
}

__global__ void softmax(const float4 *in, float4 *out)
{
	__shared__ float shared[8];
	float4 v = in[blockIdx.x * 256 + threadIdx.x];
	float m = of_block<false>(fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)), shared);
	v = make_float4(__expf(v.x - m), __expf(v.y - m), __expf(v.z - m), __expf(v.w - m));
	float r = 1 / of_block<true>(v.x + v.y + v.z + v.w, shared);
	out[blockIdx.x * 256 + threadIdx.x] = make_float4(v.x * r, v.y * r, v.z * r, v.w * r);
}

/* Sums of each chunk up to each element; sums[b]: of chunk b. */
__global__ void scan_chunks(const int4 *in, int4 *out, int *sums)
{
	__shared__ int shared[8];
	int t = threadIdx.x, lane = t % 32;
	int4 v = in[blockIdx.x * 256 + t];
	v.y += v.x, v.z += v.y, v.w += v.z;
	int x = v.w;
	for (int d = 1; d < 32; d *= 2) {
		int y = __shfl_up_sync(0xffffffffu, x, d);
		if (lane >= d)
			x += y;
	}
	if (lane == 31)
		shared[t / 32] = x;
	__syncthreads();
	int before = x - v.w;
	for (int i = 0; i < t / 32; i++)
		before += shared[i];
	out[blockIdx.x * 256 + t] = make_int4(v.x + before, v.y + before, v.z + before, v.w + before);
	if (t == 255)
		sums[blockIdx.x] = before + v.w;
}

__global__ void add_before(int4 *out, const int *before)
{
	int4 v = out[blockIdx.x * 256 + threadIdx.x];
	int b = blockIdx.x ? before[blockIdx.x - 1] : 0;
	out[blockIdx.x * 256 + threadIdx.x] = make_int4(v.x + b, v.y + b, v.z + b, v.w + b);
}

/* ---- host ---- */

static std::vector<unsigned short> halves(struct workload *w, size_t n, std::vector<float> *rounded)
{
	std::vector<unsigned short> v(n);
	rounded->resize(n);
	for (size_t i = 0; i < n; i++) {
		/* multiples of 1/512 below 1 are exact in 16 bits */
		int x = (int)rng_below(&w->rng, 1023) - 511;
		(*rounded)[i] = x / 512.0f;
		__half h = __float2half((*rounded)[i]);
		memcpy(&v[i], &h, sizeof h);
	}
	return v;
}

static void run_gemm(struct workload *w)
{
	int n = workload_pick(w, 256, 512, 1024), depth = workload_pick(w, 128, 256, 1024);
	std::vector<float> fa, fb, c((size_t)n * n);
	std::vector<unsigned short> a = halves(w, (size_t)n * depth, &fa), b = halves(w, (size_t)n * depth, &fb);
	const uint4 *da = (const uint4 *)to_device(a), *db = (const uint4 *)to_device(b);
	float *dc = on_device<float>(c.size());
	gemm<<<dim3(n / TILE, n / TILE), 128>>>(da, db, dc, n, depth);
	CUDA_LAUNCHED();
	from_device(c, dc);
	std::vector<double> want(c.size());
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double s = 0;
			for (int k = 0; k < depth; k++)
				s += (double)fa[(size_t)i * depth + k] * fb[(size_t)j * depth + k];
			want[(size_t)i * n + j] = s;
		}
	check_near(w, "c", c, want, 1e-4, 16);
}

static void run_flash(struct workload *w)
{
	int n = workload_pick(w, 128, 512, 1024), heads = workload_pick(w, 8, 8, 16);
	size_t all = (size_t)heads * n * DIM;
	std::vector<float> q, k, v, o(all);
	std::vector<unsigned short> hq = halves(w, all, &q), hk = halves(w, all, &k), hv = halves(w, all, &v);
	float *d = on_device<float>(all);
	const uint4 *dq = (const uint4 *)to_device(hq), *dk = (const uint4 *)to_device(hk), *dv = (const uint4 *)to_device(hv);
	flash<<<dim3(n / 64, heads), 128>>>(dq, dk, dv, d, n);
	CUDA_LAUNCHED();
	from_device(o, d);
	std::vector<double> want(all, 0), p(n);
	for (int h = 0; h < heads; h++)
		for (int i = 0; i < n; i++) {
			const size_t head = (size_t)h * n;
			double most = -1e30, total = 0;
			for (int j = 0; j < n; j++) {
				p[j] = 0;
				for (int c = 0; c < DIM; c++)
					p[j] += (double)q[(head + i) * DIM + c] * k[(head + j) * DIM + c] / 8;
				most = fmax(most, p[j]);
			}
			for (int j = 0; j < n; j++)
				total += p[j] = exp(p[j] - most);
			for (int j = 0; j < n; j++)
				for (int c = 0; c < DIM; c++)
					want[(head + i) * DIM + c] += p[j] / total * v[(head + j) * DIM + c];
		}
	check_near(w, "o", o, want, 5e-3);
}

static void run_softmax(struct workload *w)
{
	int rows = workload_pick(w, 64, 1024, 8192);
	std::vector<float> x((size_t)rows * ROW), y(x.size());
	for (float &f : x)
		f = rng_range(&w->rng, -4, 4);
	const float4 *in = (const float4 *)to_device(x);
	float *out = on_device<float>(y.size());
	softmax<<<rows, ROW / 4>>>(in, (float4 *)out);
	CUDA_LAUNCHED();
	from_device(y, out);
	std::vector<double> want(x.size());
	for (int r = 0; r < rows; r++) {
		double total = 0;
		for (int i = 0; i < ROW; i++)
			total += exp((double)x[(size_t)r * ROW + i]);
		for (int i = 0; i < ROW; i++)
			want[(size_t)r * ROW + i] = exp((double)x[(size_t)r * ROW + i]) / total * 1000;
	}
	for (float &f : y)
		f *= 1000;
	check_near(w, "y", y, want, 1e-4);
}

static void run_scan(struct workload *w)
{
	int chunks = workload_pick(w, 64, 1024, 1024);
	std::vector<int> x((size_t)chunks * CHUNK), y(x.size()), want(x.size());
	for (int &i : x)
		i = (int)rng_below(&w->rng, 16);
	const int4 *in = (const int4 *)to_device(x);
	int *out = on_device<int>(x.size()), *sums = zeroed_on_device<int>(CHUNK), *before = on_device<int>(CHUNK), *all = on_device<int>(1);
	scan_chunks<<<chunks, 256>>>(in, (int4 *)out, sums);
	scan_chunks<<<1, 256>>>((const int4 *)sums, (int4 *)before, all);
	add_before<<<chunks, 256>>>((int4 *)out, before);
	CUDA_LAUNCHED();
	from_device(y, out);
	int sum = 0;
	for (size_t i = 0; i < x.size(); i++)
		want[i] = sum += x[i];
	check_equal(w, "y", y, want);
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("NET", argc, argv);
	const char *kernel = workload_option(&w, "--kernel", "gemm");
	workload_options_end(&w);
	static const struct {
		const char *name;
		void (*run)(struct workload *w);
	} kernels[] = {{"gemm", run_gemm}, {"flash", run_flash}, {"softmax", run_softmax}, {"scan", run_scan}};
	for (auto &k : kernels)
		if (!strcmp(kernel, k.name)) {
			k.run(&w);
			return workload_finish(&w);
		}
	fprintf(stderr, "NET: --kernel %s: expected gemm, flash, softmax or scan\n", kernel);
	return 2;
}
