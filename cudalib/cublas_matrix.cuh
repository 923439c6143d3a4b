/* Kernels of cuBLAS for matrices: gemv, ger, gemm, geam, dgmm, trsm, the start of an inverse. */
#ifndef CUBLAS_MATRIX_H
#define CUBLAS_MATRIX_H
#include "cublas_vector.cuh"

/* Converts an element to the type of the sum. */
template <class A, class T> HD A element_as(const T *a, int lda, cublasOperation_t op, int i, int j)
{
	A x = as<A, T>(element(a, lda, op, i, j));
	return op == CUBLAS_OP_C ? conjugate(x) : x;
}

/* One row of op(A) per thread. */
template <class T>
static __global__ void blas_gemv(cublasOperation_t op, int rows, int cols, scalar<T> alpha, const T *a, int lda,
				 const T *x, int incx, scalar<T> beta, T *y, int incy)
{
	T al = alpha.get(), be = beta.get();
	FOR_EACH (i, rows) {
		T s;
		memset(&s, 0, sizeof s);
		for (int j = 0; j < cols; j++)
			s = add(s, mul(element_as<T>(a, lda, op, i, j), x[at(j, cols, incx)]));
		T *to = &y[at(i, rows, incy)];
		*to = is_zero(be) ? mul(al, s) : add(mul(al, s), mul(be, *to));
	}
}
template <class T>
static __global__ void blas_ger(int m, int n, bool conjugated, scalar<T> alpha, const T *x, int incx, const T *y, int incy, T *a,
				int lda)
{
	int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;
	if (i >= m || j >= n)
		return;
	T by = y[at(j, n, incy)], *to = &a[(size_t)j * lda + i];
	*to = add(*to, mul(alpha.get(), mul(x[at(i, m, incx)], conjugated ? conjugate(by) : by)));
}

/* C = alpha op(A) op(B) + beta C, one tile of TILE x TILE per block; z counts the matrices of a batch. In and Out are the
 * types in memory, A the one of the sum, S the one of alpha and beta. */
template <class In, class Out, class A, class S = A> struct gemm_args {
	cublasOperation_t opa, opb;
	int m, n, k, lda, ldb, ldc;
	scalar<S> alpha, beta;
	const In *a, *b;
	Out *c;
	long long stride_a, stride_b, stride_c;
	const In *const *list_a, *const *list_b; /* matrices of a batch given by pointers */
	Out *const *list_c;
};
template <class In, class Out, class A, class S> static __global__ void blas_gemm(gemm_args<In, Out, A, S> g)
{
	__shared__ A as_[TILE][TILE + 1], bs[TILE][TILE + 1];
	int z = blockIdx.z, tx = threadIdx.x, ty = threadIdx.y;
	const In *a = g.list_a ? g.list_a[z] : g.a + z * g.stride_a, *b = g.list_b ? g.list_b[z] : g.b + z * g.stride_b;
	Out *c = g.list_c ? g.list_c[z] : g.c + z * g.stride_c;
	int i = blockIdx.x * TILE + tx, j = blockIdx.y * TILE + ty;
	A s, zero;
	memset(&s, 0, sizeof s);
	memset(&zero, 0, sizeof zero);
	for (int k0 = 0; k0 < g.k; k0 += TILE) {
		as_[ty][tx] = i < g.m && k0 + ty < g.k ? element_as<A>(a, g.lda, g.opa, i, k0 + ty) : zero;
		bs[ty][tx] = j < g.n && k0 + tx < g.k ? element_as<A>(b, g.ldb, g.opb, k0 + tx, j) : zero;
		__syncthreads();
		for (int q = 0; q < TILE; q++)
			s = add(s, mul(as_[q][tx], bs[ty][q]));
		__syncthreads();
	}
	if (i >= g.m || j >= g.n)
		return;
	Out *to = &c[(size_t)j * g.ldc + i];
	A al = as<A, S>(g.alpha.get()), be = as<A, S>(g.beta.get()), r = mul(al, s);
	*to = as<Out, A>(is_zero(be) ? r : add(r, mul(be, as<A, Out>(*to))));
}
/* Products of 16-bit floats with a sum of 32 bits go through the tensor core, as in NVIDIA's library: its sums of 16 products
 * are truncated, so that results differ in their last bits from those of single products. A block of four warps has 64 x 64
 * elements of C, a warp 16 rows of them. */
template <class In> struct tensor_type { static constexpr bool yes = false; };
template <> struct tensor_type<__half> { static constexpr bool yes = true, brain = false; };
template <> struct tensor_type<__nv_bfloat16> { static constexpr bool yes = true, brain = true; };

template <bool brain> static __device__ void multiply_tile(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1)
{
	if (brain)
		asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
	else
		asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
		    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
		    : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

enum { TENSOR_TILE = 64, TENSOR_DEPTH = 16, TENSOR_THREADS = 128 };

/* Copies rows first.. of op(X), or columns of op(Y), and 16 of the inner dimension to shared memory, zeros where there are none.
 * Neighbouring threads read neighbouring elements. */
template <class In>
static __device__ void load_tensor_tile(In (&to)[TENSOR_TILE][TENSOR_DEPTH + 2], const In *x, int ld, bool along_k, int first, int count,
					int k0, int k)
{
	for (int e = threadIdx.x; e < TENSOR_TILE * TENSOR_DEPTH; e += TENSOR_THREADS) {
		int r = along_k ? e / TENSOR_DEPTH : e % TENSOR_TILE, q = along_k ? e % TENSOR_DEPTH : e / TENSOR_TILE;
		int i = first + r, j = k0 + q;
		In v;
		memset(&v, 0, sizeof v);
		if (i < count && j < k)
			v = x[along_k ? (size_t)i * ld + j : (size_t)j * ld + i];
		to[r][q] = v;
	}
}

template <class In, class Out, class A, class S>
static __global__ void __launch_bounds__(TENSOR_THREADS) blas_gemm_tensor(gemm_args<In, Out, A, S> g)
{
	__shared__ __align__(4) In as_[TENSOR_TILE][TENSOR_DEPTH + 2], bs[TENSOR_TILE][TENSOR_DEPTH + 2];
	int z = blockIdx.z, group = threadIdx.x % 32 / 4, pair = threadIdx.x % 4, row = threadIdx.x / 32 * 16 + group;
	const In *a = g.list_a ? g.list_a[z] : g.a + z * g.stride_a, *b = g.list_b ? g.list_b[z] : g.b + z * g.stride_b;
	Out *c = g.list_c ? g.list_c[z] : g.c + z * g.stride_c;
	int i0 = blockIdx.x * TENSOR_TILE, j0 = blockIdx.y * TENSOR_TILE;
	float s[TENSOR_TILE / 8][4] = {};
	for (int k0 = 0; k0 < g.k; k0 += TENSOR_DEPTH) {
		load_tensor_tile(as_, a, g.lda, g.opa != CUBLAS_OP_N, i0, g.m, k0, g.k);
		load_tensor_tile(bs, b, g.ldb, g.opb == CUBLAS_OP_N, j0, g.n, k0, g.k);
		__syncthreads();
		unsigned x[4];
#pragma unroll
		for (int q = 0; q < 4; q++)
			x[q] = *(const unsigned *)&as_[row + q % 2 * 8][pair * 2 + q / 2 * 8];
#pragma unroll
		for (int t = 0; t < TENSOR_TILE / 8; t++)
			multiply_tile<tensor_type<In>::brain>(s[t], x, *(const unsigned *)&bs[t * 8 + group][pair * 2],
							      *(const unsigned *)&bs[t * 8 + group][pair * 2 + 8]);
		__syncthreads();
	}
	A al = as<A, S>(g.alpha.get()), be = as<A, S>(g.beta.get());
#pragma unroll
	for (int e = 0; e < TENSOR_TILE / 2; e++) {
		int i = i0 + row + e % 4 / 2 * 8, j = j0 + e / 4 * 8 + pair * 2 + e % 2;
		if (i >= g.m || j >= g.n)
			continue;
		Out *to = &c[(size_t)j * g.ldc + i];
		A r = mul(al, s[e / 4][e % 4]);
		*to = as<Out, A>(is_zero(be) ? r : add(r, mul(be, as<A, Out>(*to))));
	}
}

template <class In, class Out, class A, class S = A>
static cublasStatus_t gemm(cublasHandle_t h, const gemm_args<In, Out, A, S> &g, int count)
{
	if (!h)
		return CUBLAS_STATUS_NOT_INITIALIZED;
	int rows_a = g.opa == CUBLAS_OP_N ? g.m : g.k, rows_b = g.opb == CUBLAS_OP_N ? g.k : g.n;
	if (g.m < 0 || g.n < 0 || g.k < 0 || count < 0 || g.lda < (rows_a > 1 ? rows_a : 1) ||
	    g.ldb < (rows_b > 1 ? rows_b : 1) || g.ldc < (g.m > 1 ? g.m : 1))
		return CUBLAS_STATUS_INVALID_VALUE;
	if (!g.m || !g.n || !count)
		return CUBLAS_STATUS_SUCCESS;
	if constexpr (tensor_type<In>::yes && ::std::is_same<A, float>::value) {
		dim3 tiles((g.m + TENSOR_TILE - 1) / TENSOR_TILE, (g.n + TENSOR_TILE - 1) / TENSOR_TILE, count);
		blas_gemm_tensor<In, Out, A, S><<<tiles, TENSOR_THREADS, 0, h->stream>>>(g);
		return launched();
	}
	dim3 grid((g.m + TILE - 1) / TILE, (g.n + TILE - 1) / TILE, count), block(TILE, TILE);
	blas_gemm<In, Out, A, S><<<grid, block, 0, h->stream>>>(g);
	return launched();
}

template <class T>
static __global__ void blas_geam(cublasOperation_t opa, cublasOperation_t opb, int m, int n, scalar<T> alpha, const T *a,
				 int lda, scalar<T> beta, const T *b, int ldb, T *c, int ldc)
{
	int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;
	if (i >= m || j >= n)
		return;
	T al = alpha.get(), be = beta.get(), r, zero;
	memset(&zero, 0, sizeof zero);
	r = is_zero(al) ? zero : mul(al, element_as<T>(a, lda, opa, i, j));
	c[(size_t)j * ldc + i] = is_zero(be) ? r : add(r, mul(be, element_as<T>(b, ldb, opb, i, j)));
}

template <class T>
static __global__ void blas_dgmm(bool left, int m, int n, const T *a, int lda, const T *x, int incx, T *c, int ldc)
{
	int i = blockIdx.x * TILE + threadIdx.x, j = blockIdx.y * TILE + threadIdx.y;
	if (i < m && j < n)
		c[(size_t)j * ldc + i] = mul(a[(size_t)j * lda + i], x[left ? at(i, m, incx) : at(j, n, incx)]);
}

/* Starts an inverse: C becomes the unit matrix. info: the first zero on the diagonal of A's factor U, from 1. */
template <class T>
static __global__ void blas_unit(int n, const T *const *a, int lda, T *const *c, int ldc, int *info)
{
	int z = blockIdx.x;
	for (int e = threadIdx.x; e < n * n; e += THREADS)
		c[z][(size_t)(e / n) * ldc + e % n] = of_real<T>(e / n == e % n);
	if (threadIdx.x)
		return;
	info[z] = 0;
	for (int i = n; i--;)
		if (is_zero(a[z][(size_t)i * lda + i]))
			info[z] = i + 1;
}

/* Solves op(A) x = alpha b, one right-hand side per thread: a column of B (stride 1 in it), or for X op(A) = alpha B a row, for
 * which the system is transposed. Of a batch, y of the grid counts the matrices. */
template <class T>
static __global__ void blas_trsm(bool lower, cublasOperation_t op, bool turned, bool unit, int size, int count,
				 scalar<T> alpha, const T *a, const T *const *list_a, int lda, T *b, T *const *list_b, int stride,
				 int apart)
{
	a = list_a ? list_a[blockIdx.y] : a;
	b = list_b ? list_b[blockIdx.y] : b;
	triangle<T> t = {a, lda, op, size, lower, turned, unit};
	T al = alpha.get();
	FOR_EACH (q, count)
		t.solve(al, b + (size_t)q * apart, stride);
}
template <class T>
static cublasStatus_t trsm(cublasHandle_t h, bool left, cublasFillMode_t uplo, cublasOperation_t op,
			   cublasDiagType_t diag, int m, int n, scalar<T> alpha, const T *a, const T *const *list_a, int lda, T *b,
			   T *const *list_b, int ldb, int batch)
{
	bool lower = (uplo == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N); /* op(A) is lower triangular */
	int size = left ? m : n, count = left ? n : m;
	if (!left)
		lower = !lower;
	if (m <= 0 || n <= 0 || batch <= 0)
		return m < 0 || n < 0 || batch < 0 ? CUBLAS_STATUS_INVALID_VALUE : CUBLAS_STATUS_SUCCESS;
	blas_trsm<T><<<dim3(grid_for(count), batch), THREADS, 0, h->stream>>>(lower, op, !left, diag == CUBLAS_DIAG_UNIT, size, count, alpha,
									     a, list_a, lda, b, list_b, left ? 1 : ldb,
									     left ? ldb : 1);
	return launched();
}
#endif
