/*
 * NW: Needleman-Wunsch global alignment of two protein sequences: the matrix of best scores, tile
 *   by tile along the anti-diagonals.
 *
 * Used by: stsimt (Table II: two kernels, 1 to 128 blocks of 16 threads; SIMD efficiency below 50
 *   %).
 * Geometry: a block is half a warp and computes a tile of 16x16 scores, in 31 steps along the
 *   tile's own anti-diagonals with a barrier after each. One launch an anti-diagonal of tiles:
 *   `grow` for the upper left half, 1 to 128 blocks at 2048x2048, `shrink` for the lower right one,
 *   127 to 1.
 * Memory: 2,180 bytes of shared memory a block: 17x17 scores with halo and 16x16 similarities.
 * Input: two random sequences over the 20 amino acids, uniform; BLOSUM62; gap penalty 10. The host
 *   looks up the similarities of all pairs first.
 * Check: the textbook recurrence, row by row on the CPU; and a walk back through the device's
 *   matrix must account for the final score.
 */
#include "../common/workload.h"
#include <algorithm>

enum { T = 16, GAP = 10 };

/* BLOSUM62, A R N D C Q E G H I L K M F P S T W Y V; the lower triangle. */
static const signed char blosum62[] = {
	 4,
	-1,  5,
	-2,  0,  6,
	-2, -2,  1,  6,
	 0, -3, -3, -3,  9,
	-1,  1,  0,  0, -3,  5,
	-1,  0,  0,  2, -4,  2,  5,
	 0, -2,  0, -1, -3, -2, -2,  6,
	-2,  0,  1, -1, -3,  0,  0, -2,  8,
	-1, -3, -3, -3, -1, -3, -3, -4, -3,  4,
	-1, -2, -3, -4, -1, -2, -3, -4, -3,  2,  4,
	-1,  2,  0, -1, -3,  1,  1, -2, -1, -3, -2,  5,
	-1, -1, -2, -3, -1,  0, -2, -3, -2,  1,  2, -1,  5,
	-2, -3, -3, -3, -2, -3, -3, -3, -1,  0,  0, -3,  0,  6,
	-1, -2, -2, -1, -3, -1, -1, -2, -2, -3, -3, -1, -2, -4,  7,
	 1, -1,  1,  0, -1,  0,  0,  0, -1, -2, -2,  0, -1, -2, -1,  4,
	 0, -1,  0, -1, -1, -1, -1, -2, -2, -1, -1, -1, -1, -2, -1,  1,  5,
	-3, -3, -4, -4, -2, -2, -3, -2, -2, -3, -2, -3, -1,  1, -4, -3, -2, 11,
	-2, -2, -2, -3, -2, -1, -2, -3,  2, -1, -1, -2, -1,  3, -3, -2, -2,  2,  7,
	 0, -3, -3, -3, -1, -2, -2, -3, -3,  3,  1, -2,  1, -1, -2, -2,  0, -3, -1,  4,
};

static int similarity(int a, int b)
{
	if (a < b)
		std::swap(a, b);
	return blosum62[a * (a + 1) / 2 + b];
}

static __device__ int best_of(int a, int b, int c)
{
	int m = a > b ? a : b;
	return m > c ? m : c;
}

/* The tile (tx, ty) of the matrix of width n + 1, whose row 0 and column 0 are the border. */
static __device__ __forceinline__ void tile_score(int *score, const int *similar, int n, int tx,
                                                  int ty, int gap)
{
	__shared__ int s[T + 1][T + 1];
	__shared__ int sim[T][T];
	int t = threadIdx.x, width = n + 1;
	int corner = ty * T * width + tx * T;        /* the halo's upper left element */
	const int *from = similar + ty * T * n + tx * T;

	if (t == 0)
		s[0][0] = score[corner];
	for (int i = 0; i < T; i++)
		sim[i][t] = from[i * n + t];
	s[t + 1][0] = score[corner + (t + 1) * width];
	s[0][t + 1] = score[corner + t + 1];
	__syncthreads();

	for (int d = 0; d < T; d++) {
		if (t <= d) {
			int x = t + 1, y = d - t + 1;
			s[y][x] = best_of(s[y - 1][x - 1] + sim[y - 1][x - 1], s[y][x - 1] - gap,
			                  s[y - 1][x] - gap);
		}
		__syncthreads();
	}
	for (int d = T - 2; d >= 0; d--) {
		if (t <= d) {
			int x = t + T - d, y = T - t;
			s[y][x] = best_of(s[y - 1][x - 1] + sim[y - 1][x - 1], s[y][x - 1] - gap,
			                  s[y - 1][x] - gap);
		}
		__syncthreads();
	}
	for (int i = 0; i < T; i++)
		score[corner + (i + 1) * width + t + 1] = s[i + 1][t + 1];
}

/* The d-th anti-diagonal (from 1) of the upper left half: tiles (0, d-1) to (d-1, 0). */
__global__ void grow(int *score, const int *similar, int n, int gap, int d)
{
	tile_score(score, similar, n, blockIdx.x, d - 1 - blockIdx.x, gap);
}

/* An anti-diagonal of d tiles of the lower right half, which is `tiles` tiles wide. */
__global__ void shrink(int *score, const int *similar, int n, int gap, int d, int tiles)
{
	tile_score(score, similar, n, blockIdx.x + tiles - d, tiles - 1 - blockIdx.x, gap);
}

static std::vector<int> reference(const std::vector<int> &a, const std::vector<int> &b)
{
	size_t width = b.size() + 1;
	std::vector<int> f(width * (a.size() + 1));
	for (size_t j = 0; j < width; j++)
		f[j] = -GAP * (int)j;
	for (size_t i = 1; i <= a.size(); i++) {
		f[i * width] = -GAP * (int)i;
		for (size_t j = 1; j < width; j++) {
			int match = f[(i - 1) * width + j - 1] + similarity(a[i - 1], b[j - 1]);
			int skip = std::max(f[(i - 1) * width + j], f[i * width + j - 1]) - GAP;
			f[i * width + j] = std::max(match, skip);
		}
	}
	return f;
}

/* Walks an optimal alignment back from the end and adds up what its steps are worth. */
static int alignment_worth(const std::vector<int> &f, const std::vector<int> &a,
                           const std::vector<int> &b)
{
	size_t i = a.size(), j = b.size(), width = b.size() + 1;
	int sum = 0;
	while (i || j) {
		int here = f[i * width + j];
		if (i && j && here == f[(i - 1) * width + j - 1] + similarity(a[i - 1], b[j - 1])) {
			sum += similarity(a[--i], b[--j]);
		} else {
			sum -= GAP;
			if (i && here == f[(i - 1) * width + j] - GAP)
				i--;
			else if (j)
				j--;
			else
				return INT32_MIN;
		}
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("NW", argc, argv);
	workload_options_end(&w);
	int n = workload_pick(&w, 128, 512, 2048), width = n + 1, tiles = n / T;
	std::vector<int> a(n), b(n), similar((size_t)n * n), score((size_t)width * width);
	for (int i = 0; i < n; i++) {
		a[i] = (int)rng_below(&w.rng, 20);
		b[i] = (int)rng_below(&w.rng, 20);
	}
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			similar[(size_t)i * n + j] = similarity(a[i], b[j]);
	for (int i = 0; i <= n; i++)
		score[i] = score[(size_t)i * width] = -GAP * i;

	int *dscore = to_device(score), *dsimilar = to_device(similar);
	for (int d = 1; d <= tiles; d++)
		grow<<<d, T>>>(dscore, dsimilar, n, GAP, d);
	for (int d = tiles - 1; d >= 1; d--)
		shrink<<<d, T>>>(dscore, dsimilar, n, GAP, d, tiles);
	CUDA_LAUNCHED();
	from_device(score, dscore);
	check_equal(&w, "score", score, reference(a, b));
	check_true(&w, "alignment's worth", alignment_worth(score, a, b) == score.back());
	return workload_finish(&w);
}
