/*
 * PB: six linear algebra programs of which each thread walks along a row or down a column (--kernel NAME):
 *   atax     y = A^T (A x)                       bicg   s = A^T r,  q = A p
 *   mvt      x1 += A y1,  x2 += A^T y2           gesummv   y = alpha A x + beta B x
 *   syrk     C = alpha A A^T + beta C            syr2k  C = alpha (A B^T + B A^T) + beta C
 *
 * Used by: the studies of warp throttling and of caches (rows ATAX to SYR2K of the suite), which take them from the
 *   PolyBench collection.
 * Geometry: vectors: one thread a row or column, blocks of 256; matrices: one thread an element, blocks of 32 x 8, as
 *   the collection's GPU version has them.
 * Memory: row-major matrices in global memory, no shared memory. Where lanes have a row each, a load of a warp touches
 *   32 lines, and the next 31 loads the same ones: they hit if the L1D holds the lines of all warps that run.
 * Input: synthetic. Random values -1 to 1.
 * Check: every value against sums in double precision.
 */
#include "../common/workload.h"

enum { THREADS = 256, TX = 32, TY = 8 };

/* out[i] = in[i] + the sum over j of a[i][j] x[j]: a thread's row is its own. */
__global__ void along_rows(const float *a, const float *x, const float *in, float *out, int n)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i >= n)
		return;
	float sum = in[i];
	for (int j = 0; j < n; j++)
		sum += a[(size_t)i * n + j] * x[j];
	out[i] = sum;
}

/* out[j] = in[j] + the sum over i of a[i][j] x[i]: neighbouring threads read neighbouring words. */
__global__ void down_columns(const float *a, const float *x, const float *in, float *out, int n)
{
	int j = blockIdx.x * THREADS + threadIdx.x;
	if (j >= n)
		return;
	float sum = in[j];
	for (int i = 0; i < n; i++)
		sum += a[(size_t)i * n + j] * x[i];
	out[j] = sum;
}

__global__ void two_products(const float *a, const float *b, const float *x, float *y, float alpha, float beta, int n)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i >= n)
		return;
	float s = 0, t = 0;
	for (int j = 0; j < n; j++) {
		s += a[(size_t)i * n + j] * x[j];
		t += b[(size_t)i * n + j] * x[j];
	}
	y[i] = alpha * s + beta * t;
}

__global__ void rank_k(const float *a, const float *in, float *out, float alpha, float beta, int n)
{
	int j = blockIdx.x * TX + threadIdx.x, i = blockIdx.y * TY + threadIdx.y;
	if (i >= n || j >= n)
		return;
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += a[(size_t)i * n + k] * a[(size_t)j * n + k];
	out[(size_t)i * n + j] = beta * in[(size_t)i * n + j] + alpha * sum;
}

__global__ void rank_2k(const float *a, const float *b, const float *in, float *out, float alpha, float beta, int n)
{
	int j = blockIdx.x * TX + threadIdx.x, i = blockIdx.y * TY + threadIdx.y;
	if (i >= n || j >= n)
		return;
	float sum = 0;
	for (int k = 0; k < n; k++)
		sum += a[(size_t)i * n + k] * b[(size_t)j * n + k] + b[(size_t)i * n + k] * a[(size_t)j * n + k];
	out[(size_t)i * n + j] = beta * in[(size_t)i * n + j] + alpha * sum;
}

static std::vector<float> random_values(struct workload *w, size_t n)
{
	std::vector<float> v(n);
	for (float &x : v)
		x = rng_range(&w->rng, -1, 1);
	return v;
}

/* in + A x, or in + A^T x, in double precision. */
static std::vector<double> product(const std::vector<float> &a, const std::vector<double> &x,
                                   const std::vector<float> &in, int n, bool transposed)
{
	std::vector<double> out(in.begin(), in.end());
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++) {
			double v = a[(size_t)i * n + j];
			if (transposed)
				out[j] += v * x[i];
			else
				out[i] += v * x[j];
		}
	return out;
}

static std::vector<double> widened(const std::vector<float> &v)
{
	return std::vector<double>(v.begin(), v.end());
}

/* Two products with the matrix, of which the second may take the first one's result (chain). */
static void run_vectors(struct workload *w, int n, bool first_transposed, bool chain, bool adds)
{
	std::vector<float> a = random_values(w, (size_t)n * n), x = random_values(w, n), y = random_values(w, n);
	std::vector<float> in1(n, 0), in2(n, 0), out1(n), out2(n);
	if (adds) {
		in1 = random_values(w, n);
		in2 = random_values(w, n);
	}
	float *da = to_device(a), *dx = to_device(x), *dy = to_device(y), *di1 = to_device(in1), *di2 = to_device(in2);
	float *do1 = on_device<float>(n), *do2 = on_device<float>(n);
	int blocks = (n + THREADS - 1) / THREADS;
	if (first_transposed) {
		down_columns<<<blocks, THREADS>>>(da, dx, di1, do1, n);
		CUDA_LAUNCHED();
		along_rows<<<blocks, THREADS>>>(da, chain ? do1 : dy, di2, do2, n);
	} else {
		along_rows<<<blocks, THREADS>>>(da, dx, di1, do1, n);
		CUDA_LAUNCHED();
		down_columns<<<blocks, THREADS>>>(da, chain ? do1 : dy, di2, do2, n);
	}
	CUDA_LAUNCHED();
	from_device(out1, do1);
	from_device(out2, do2);
	std::vector<double> want1 = product(a, widened(x), in1, n, first_transposed);
	std::vector<double> want2 = product(a, chain ? want1 : widened(y), in2, n, !first_transposed);
	check_near(w, "first product", out1, want1, 1e-4, sqrt((double)n));
	check_near(w, "second product", out2, want2, 1e-4, chain ? n : sqrt((double)n));
}

static void run_two_products(struct workload *w, int n)
{
	const float alpha = 1.5f, beta = -0.75f;
	std::vector<float> a = random_values(w, (size_t)n * n), b = random_values(w, (size_t)n * n);
	std::vector<float> x = random_values(w, n), y(n), zero(n, 0);
	float *da = to_device(a), *db = to_device(b), *dx = to_device(x), *dy = on_device<float>(n);
	two_products<<<(n + THREADS - 1) / THREADS, THREADS>>>(da, db, dx, dy, alpha, beta, n);
	CUDA_LAUNCHED();
	from_device(y, dy);
	std::vector<double> s = product(a, widened(x), zero, n, false), t = product(b, widened(x), zero, n, false);
	for (int i = 0; i < n; i++)
		s[i] = alpha * s[i] + beta * t[i];
	check_near(w, "y", y, s, 1e-4, sqrt((double)n));
}

static void run_rank(struct workload *w, int n, bool two)
{
	const float alpha = 1.5f, beta = -0.75f;
	std::vector<float> a = random_values(w, (size_t)n * n), b, c = random_values(w, (size_t)n * n), out((size_t)n * n);
	if (two)
		b = random_values(w, (size_t)n * n);
	const std::vector<float> &second = two ? b : a;
	float *da = to_device(a), *db = two ? to_device(b) : da, *dc = to_device(c), *dout = on_device<float>((size_t)n * n);
	dim3 grid((n + TX - 1) / TX, (n + TY - 1) / TY), block(TX, TY);
	if (two)
		rank_2k<<<grid, block>>>(da, db, dc, dout, alpha, beta, n);
	else
		rank_k<<<grid, block>>>(da, dc, dout, alpha, beta, n);
	CUDA_LAUNCHED();
	from_device(out, dout);
	std::vector<double> want((size_t)n * n);
	for (int i = 0; i < n; i++)
		for (int j = 0; j <= i; j++) {
			double sum = 0;
			const float *ai = &a[(size_t)i * n], *aj = &a[(size_t)j * n];
			const float *bi = &second[(size_t)i * n], *bj = &second[(size_t)j * n];
			for (int k = 0; k < n; k++)
				sum += two ? (double)ai[k] * bj[k] + (double)bi[k] * aj[k] : (double)ai[k] * aj[k];
			want[(size_t)i * n + j] = alpha * sum + (double)beta * c[(size_t)i * n + j];
			want[(size_t)j * n + i] = alpha * sum + (double)beta * c[(size_t)j * n + i];
		}
	check_near(w, "C", out, want, 1e-4, sqrt((double)n));
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("PB", argc, argv);
	const char *kernel = workload_option(&w, "--kernel", "atax");
	bool matrix = !strcmp(kernel, "syrk") || !strcmp(kernel, "syr2k");
	int n = (int)workload_number(&w, "--n",
	                             matrix ? workload_pick(&w, 64, 192, 512) : workload_pick(&w, 512, 2048, 4096), 1, 1 << 14);
	workload_options_end(&w);
	if (!strcmp(kernel, "atax"))
		run_vectors(&w, n, false, true, false);
	else if (!strcmp(kernel, "bicg"))
		run_vectors(&w, n, true, false, false);
	else if (!strcmp(kernel, "mvt"))
		run_vectors(&w, n, false, false, true);
	else if (!strcmp(kernel, "gesummv"))
		run_two_products(&w, n);
	else if (matrix)
		run_rank(&w, n, !strcmp(kernel, "syr2k"));
	else {
		fprintf(stderr, "PB: --kernel %s: expected atax, bicg, mvt, gesummv, syrk or syr2k\n", kernel);
		return 2;
	}
	return workload_finish(&w);
}
