/*
 * IDCT: inverse transform of H.264 video: 4x4 and 8x8 blocks of coefficients become differences
 *   that are added to the predicted picture.
 *
 * Used by: stsimt (Table II: two kernels, 192 threads, grids of 252, 231, 100 and 130 blocks).
 * Geometry: only blocks with coefficients are sent, in a compact list with their places. `idct4x4`:
 *   four threads a block of coefficients, 48 blocks; `idct8x8`: eight threads, 24 blocks. Two
 *   pictures, each with one launch of either kernel: 252 and 100 blocks of threads, then 231 and
 *   130.
 * Memory: rows go to columns and back through shared memory (3,840 and 6,912 bytes); bytes of the
 *   picture are read and written four and eight at a time.
 * Input: synthetic 1920x1088 pictures; macroblocks choose one of the two transforms, half of their
 *   blocks have coefficients: a strong one at the lowest frequency and a few more that fall off
 *   with frequency.
 * Check: bit by bit against the standard's equations on whole blocks; and within one grey value of
 *   the exact matrix product, which knows nothing of the equations' shifts.
 */
#include "../common/workload.h"
#include <algorithm>

enum { THREADS = 192 };

static __device__ unsigned char clip(int v)
{
	return v < 0 ? 0 : v > 255 ? 255 : v;
}

static __device__ void transform4(int &a, int &b, int &c, int &d)
{
	int e0 = a + c, e1 = a - c, e2 = (b >> 1) - d, e3 = b + (d >> 1);
	a = e0 + e3;
	b = e1 + e2;
	c = e1 - e2;
	d = e0 - e3;
}

static __device__ void transform8(int *x)
{
	int a0 = x[0] + x[4], a4 = x[0] - x[4], a2 = (x[2] >> 1) - x[6], a6 = x[2] + (x[6] >> 1);
	int b0 = a0 + a6, b2 = a4 + a2, b4 = a4 - a2, b6 = a0 - a6;
	int a1 = x[5] - x[3] - x[7] - (x[7] >> 1);
	int a3 = x[1] + x[7] - x[3] - (x[3] >> 1);
	int a5 = x[7] - x[1] + x[5] + (x[5] >> 1);
	int a7 = x[3] + x[5] + x[1] + (x[1] >> 1);
	int b1 = a1 + (a7 >> 2), b7 = a7 - (a1 >> 2), b3 = a3 + (a5 >> 2), b5 = (a3 >> 2) - a5;
	x[0] = b0 + b7;
	x[1] = b2 + b5;
	x[2] = b4 + b3;
	x[3] = b6 + b1;
	x[4] = b6 - b1;
	x[5] = b4 - b3;
	x[6] = b2 - b5;
	x[7] = b0 - b7;
}

/* place[i] is the offset of block i's upper left pixel. */
__global__ void idct4x4(unsigned char *picture, int stride, const short4 *coefficients,
                        const int *place, int blocks)
{
	__shared__ int s[THREADS / 4][4][5];
	int mine = threadIdx.x / 4, r = threadIdx.x % 4;
	int block = blockIdx.x * (THREADS / 4) + mine;
	bool in = block < blocks;
	if (in) {
		short4 c = coefficients[block * 4 + r];
		int a = c.x, b = c.y, d = c.z, e = c.w;
		transform4(a, b, d, e);
		s[mine][r][0] = a;
		s[mine][r][1] = b;
		s[mine][r][2] = d;
		s[mine][r][3] = e;
	}
	__syncthreads();
	if (in)
		transform4(s[mine][0][r], s[mine][1][r], s[mine][2][r], s[mine][3][r]);
	__syncthreads();
	if (in) {
		const int *row = s[mine][r];
		uchar4 *at = (uchar4 *)(picture + place[block] + r * stride);
		uchar4 p = *at;
		p.x = clip(p.x + ((row[0] + 32) >> 6));
		p.y = clip(p.y + ((row[1] + 32) >> 6));
		p.z = clip(p.z + ((row[2] + 32) >> 6));
		p.w = clip(p.w + ((row[3] + 32) >> 6));
		*at = p;
	}
}

static __device__ unsigned add4(unsigned pixels, const int *difference)
{
	unsigned sum = 0;
#pragma unroll
	for (int i = 0; i < 4; i++)
		sum |= (unsigned)clip((int)(pixels >> 8 * i & 255) + ((difference[i] + 32) >> 6))
		       << 8 * i;
	return sum;
}

__global__ void idct8x8(unsigned char *picture, int stride, const int4 *coefficients,
                        const int *place, int blocks)
{
	__shared__ int s[THREADS / 8][8][9];
	int mine = threadIdx.x / 8, r = threadIdx.x % 8, x[8];
	int block = blockIdx.x * (THREADS / 8) + mine;
	bool in = block < blocks;
	if (in) {
		int4 c = coefficients[block * 8 + r];        /* eight 16-bit numbers */
		int pair[4] = {c.x, c.y, c.z, c.w};
#pragma unroll
		for (int i = 0; i < 4; i++) {
			x[2 * i] = (short)pair[i];
			x[2 * i + 1] = pair[i] >> 16;
		}
		transform8(x);
#pragma unroll
		for (int i = 0; i < 8; i++)
			s[mine][r][i] = x[i];
	}
	__syncthreads();
	if (in) {
#pragma unroll
		for (int i = 0; i < 8; i++)
			x[i] = s[mine][i][r];
		transform8(x);
#pragma unroll
		for (int i = 0; i < 8; i++)
			s[mine][i][r] = x[i];
	}
	__syncthreads();
	if (in) {
		uint2 *at = (uint2 *)(picture + place[block] + r * stride), p = *at;
		p.x = add4(p.x, s[mine][r]);
		p.y = add4(p.y, s[mine][r] + 4);
		*at = p;
	}
}

/* One picture's input: coefficients and places of the 4x4 ([0]) and the 8x8 blocks ([1]). */
struct residual {
	std::vector<short> coefficients[2];
	std::vector<int> place[2];
};

static const int sides[2] = {4, 8};

static void block_fill(struct workload *w, short *c, int side)
{
	for (int y = 0; y < side; y++)
		for (int x = 0; x < side; x++) {
			int f = x + y;
			bool there = f == 0 || rng_below(&w->rng, 1 + f) == 0;
			c[y * side + x] =
			        there ? (short)(rng_normal(&w->rng) * 600.0f / (1 + f)) : 0;
		}
}

/* Takes macroblocks at random until there are count[0] blocks of 4x4 and count[1] of 8x8; the lists
 * are in the order of macroblocks, as a decoder meets them. */
static struct residual residual_make(struct workload *w, int width, int height, const int *count)
{
	int across = width / 16, macroblocks = across * (height / 16);
	std::vector<int> order(macroblocks), kind(macroblocks, -1);
	for (int i = 0; i < macroblocks; i++)
		order[i] = i;
	for (int i = macroblocks - 1; i > 0; i--)
		std::swap(order[i], order[rng_below(&w->rng, (uint32_t)i + 1)]);
	struct residual r;
	size_t next = 0;
	for (int k = 0; k < 2; k++) {
		int per_side = 16 / sides[k];
		std::vector<std::pair<int, int>> at;             /* macroblock, block inside it */
		while ((int)at.size() < count[k]) {
			int mb = order[next++ % order.size()];
			for (int b = 0; b < per_side * per_side && (int)at.size() < count[k]; b++)
				if (rng_below(&w->rng, 2))
					at.push_back({mb, b});
		}
		std::sort(at.begin(), at.end());
		r.coefficients[k].resize((size_t)count[k] * sides[k] * sides[k]);
		for (int i = 0; i < count[k]; i++) {
			int x = at[i].first % across * 16 + at[i].second % per_side * sides[k];
			int y = at[i].first / across * 16 + at[i].second / per_side * sides[k];
			r.place[k].push_back(y * width + x);
			block_fill(w, &r.coefficients[k][(size_t)i * sides[k] * sides[k]],
			           sides[k]);
		}
	}
	return r;
}

/* The standard's equations over n numbers `step` apart (8.5.12.2 and 8.5.13). */
static void standard_1d(int n, int *v, int step)
{
	auto at = [=](int i) -> int & { return v[i * step]; };
	if (n == 4) {
		int e[4] = {at(0) + at(2), at(0) - at(2), at(1) / 2 - at(3), at(1) + at(3) / 2};
		/* Division rounds to zero where the standard's shift rounds down. */
		e[2] -= at(1) < 0 && at(1) % 2;
		e[3] -= at(3) < 0 && at(3) % 2;
		for (int i = 0; i < 2; i++) {
			int even = e[i], odd = e[3 - i];
			at(i) = even + odd;
			at(3 - i) = even - odd;
		}
		return;
	}
	auto half = [](int x) { return (int)floor(x / 2.0); };
	auto quarter = [](int x) { return (int)floor(x / 4.0); };
	int even[4] = {at(0) + at(4), at(0) - at(4), at(0) - at(4), at(0) + at(4)};
	int side[4] = {at(2) + half(at(6)), half(at(2)) - at(6), at(6) - half(at(2)),
	               -at(2) - half(at(6))};
	int o1 = -at(3) + at(5) - at(7) - half(at(7)), o3 = at(1) + at(7) - at(3) - half(at(3));
	int o5 = -at(1) + at(7) + at(5) + half(at(5)), o7 = at(3) + at(5) + at(1) + half(at(1));
	int odd[4] = {o7 - quarter(o1), quarter(o3) - o5, o3 + quarter(o5), o1 + quarter(o7)};
	for (int i = 0; i < 4; i++) {
		int e = even[i] + side[i];
		at(i) = e + odd[i];
		at(7 - i) = e - odd[i];
	}
}

/* The transform as an exact matrix product, in units of 1/64. */
static double exact(int n, const short *c, int x, int y)
{
	static const double four[4][4] = {
		{1, 1, 1, 1}, {1, 0.5, -0.5, -1}, {1, -1, -1, 1}, {0.5, -1, 1, -0.5},
	};
	static const double eight[8][8] = {
		{8, 8, 8, 8, 8, 8, 8, 8},       {12, 10, 6, 3, -3, -6, -10, -12},
		{8, 4, -4, -8, -8, -4, 4, 8},   {10, -3, -12, -6, 6, 12, 3, -10},
		{8, -8, -8, 8, 8, -8, -8, 8},   {6, -12, 3, 10, -10, -3, 12, -6},
		{4, -8, 8, -4, -4, 8, -8, 4},   {3, -6, 10, -12, 12, -10, 6, -3},
	};
	double sum = 0;
	for (int v = 0; v < n; v++)
		for (int u = 0; u < n; u++)
			sum += n == 4 ? c[v * n + u] * four[v][y] * four[u][x]
			              : c[v * n + u] * eight[v][y] * eight[u][x] / 64;
	return sum;
}

static void reference(const struct residual *r, int k, int width, std::vector<unsigned char> &bits,
                      std::vector<double> &real)
{
	int n = sides[k];
	for (size_t i = 0; i < r->place[k].size(); i++) {
		const short *c = &r->coefficients[k][i * n * n];
		int v[64];
		std::copy(c, c + n * n, v);
		for (int row = 0; row < n; row++)
			standard_1d(n, v + row * n, 1);
		for (int col = 0; col < n; col++)
			standard_1d(n, v + col, n);
		for (int y = 0; y < n; y++)
			for (int x = 0; x < n; x++) {
				size_t at = (size_t)r->place[k][i] + (size_t)y * width + x;
				real[at] = std::min(
				        255.0, std::max(0.0, bits[at] + exact(n, c, x, y) / 64));
				int p = bits[at] + (int)floor((v[y * n + x] + 32) / 64.0);
				bits[at] = (unsigned char)std::min(255, std::max(0, p));
			}
	}
}

/* Up and down between 0 and `most`; no libm in the inputs, so that they are the same everywhere. */
static int wave(int i, int most)
{
	int at = i % (2 * most);
	return at < most ? at : 2 * most - at;
}

/* One picture: predict, transform on the device and here, compare. */
static void run_picture(struct workload *w, int width, int height, const int *grid)
{
	/* The last block of threads is not full. */
	int count[2] = {grid[0] * (THREADS / 4) - 13, grid[1] * (THREADS / 8) - 5};
	struct residual r = residual_make(w, width, height, count);
	std::vector<unsigned char> picture((size_t)width * height);
	for (size_t i = 0; i < picture.size(); i++)
		picture[i] = (unsigned char)(20 + wave((int)(i % width), 110) +
		                             wave((int)(i / width), 95) + rng_below(&w->rng, 8));
	unsigned char *d = to_device(picture);
	idct4x4<<<grid[0], THREADS>>>(d, width, (const short4 *)to_device(r.coefficients[0]),
	                              to_device(r.place[0]), count[0]);
	idct8x8<<<grid[1], THREADS>>>(d, width, (const int4 *)to_device(r.coefficients[1]),
	                              to_device(r.place[1]), count[1]);
	CUDA_LAUNCHED();
	std::vector<double> real(picture.begin(), picture.end());
	std::vector<unsigned char> bits = picture;
	for (int k = 0; k < 2; k++)
		reference(&r, k, width, bits, real);
	from_device(picture, d);
	check_equal(w, "pixel", picture, bits);
	check_near(w, "pixel by matrix", picture, real, 1, 1 / 255.0);
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("IDCT", argc, argv);
	workload_options_end(&w);
	int width = workload_pick(&w, 352, 1920, 1920), height = workload_pick(&w, 288, 1088, 1088);
	const int grids[3][2][2] = {
		{{12, 7}, {9, 11}}, {{63, 25}, {58, 33}}, {{252, 100}, {231, 130}},
	};
	for (int p = 0; p < 2; p++)
		run_picture(&w, width, height, grids[w.size][p]);
	return workload_finish(&w);
}
