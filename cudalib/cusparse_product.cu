/*
 * cuSPARSE, products: C = alpha op(A) op(B) + beta C with A sparse and B, C dense (a vector is a matrix of one column), the
 * same where C is sparse, and operations on sparse vectors. First C is scaled, one element per thread; then a thread takes a line
 * of A and one column of B, and adds its products to C. Where several threads meet in an element of C, which is where a
 * line is not a row of op(A), they add atomically.
 */
#include "cusparse_matrix.cuh"

static __device__ void add_to(float *p, float x) { atomicAdd(p, x); }
static __device__ void add_to(double *p, double x) { atomicAdd(p, x); }
template <class C> static __device__ void add_to(C *p, C x)
{
	atomicAdd(&p->x, x.x);
	atomicAdd(&p->y, x.y);
}

/* T is the type in memory, A that of sums. */
template <class T, class A> static __global__ void sparse_scale(dense c, scalar<A> beta)
{
	int64_t i = THREAD_INDEX;
	if (i >= c.rows * c.cols)
		return;
	T *p = (T *)c.at + blockIdx.y * c.apart + i % c.rows * c.row + i / c.rows * c.col;
	A b = beta.get();
	*p = as<T, A>(is_zero(b) ? of_real<A>(0) : mul(b, as<A, T>(*p)));
}

template <class T, class A>
static __global__ void sparse_product(cusparseSpMatDescr a, cusparseOperation_t op, dense b, bool conjugate_b, dense c,
				      scalar<A> alpha)
{
	int64_t i = THREAD_INDEX, n = a.lines();
	if (i >= n * c.cols)
		return;
	bool transposed = op != CUSPARSE_OPERATION_NON_TRANSPOSE, own = transposed ? a.format == CUSPARSE_FORMAT_CSC : a.by_rows();
	a.choose(blockIdx.y, sizeof(T));
	const T *x = (const T *)b.at + blockIdx.y * b.apart + i / n * b.col, *values = (const T *)a.values;
	T *y = (T *)c.at + blockIdx.y * c.apart + i / n * c.col;
	A sum = of_real<A>(0), by = alpha.get();
	i %= n;
	for (int64_t k = a.first(i); k < a.last(i); k++) {
		entry e = a.get(i, k);
		if (e.col < 0)
			continue;
		int64_t row = transposed ? e.col : e.row, col = transposed ? e.row : e.col;
		A v = as<A, T>(values[e.at]), w = as<A, T>(x[col * b.row]);
		v = mul(op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(v) : v, conjugate_b ? conjugate(w) : w);
		if (own)
			sum = add(sum, v);
		else if constexpr (std::is_same<T, A>::value)
			add_to(y + row * c.row, mul(by, v));
	}
	if (own)
		y[i * c.row] = as<T, A>(add(as<A, T>(y[i * c.row]), mul(by, sum)));
}

template <class T, class A = T>
static cusparseStatus_t product(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, const cusparseSpMatDescr &a,
				dense b, bool conjugate_b, const void *beta, dense c)
{
	int64_t scaled = c.rows * c.cols, added = a.lines() * c.cols;
	if (!std::is_same<T, A>::value && !(turned(op) ? a.format == CUSPARSE_FORMAT_CSC : a.by_rows()))
		return refuse("a product of halves other than by rows");
	if (scaled && c.count)
		sparse_scale<T, A><<<dim3(grid_for(scaled), c.count), SPARSE_THREADS, 0, h->stream>>>(c, scalar_of<A>(h, beta));
	if (added && c.count)
		sparse_product<T, A><<<dim3(grid_for(added), c.count), SPARSE_THREADS, 0, h->stream>>>(
			a, op, b, conjugate_b, c, scalar_of<A>(h, alpha));
	return launched();
}

cusparseStatus_t sparse_any_product(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
				    dense b, bool conjugate_b, const void *beta, dense c, cudaDataType type)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	bool t = turned(op);
	if (!a || !alpha || !beta || c.rows != (t ? a->cols : a->rows) || b.rows != (t ? a->rows : a->cols) || b.cols != c.cols)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if ((a->count > 1 && a->count != c.count) || (b.count > 1 && b.count != c.count))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (type == CUDA_R_32F && a->type == CUDA_R_16F)
		return product<__half, float>(h, op, alpha, *a, b, conjugate_b, beta, c);
	if (type == CUDA_R_32F && a->type == CUDA_R_16BF)
		return product<__nv_bfloat16, float>(h, op, alpha, *a, b, conjugate_b, beta, c);
	if (type != a->type)
		return refuse("a product of mixed types");
	BY_TYPE(type, product<T>(h, op, alpha, *a, b, conjugate_b, beta, c))
}

/* C's elements = alpha op(A) op(B) + beta C's. */
template <class T>
static __global__ void sparse_sampled(dense a, bool conjugate_a, dense b, bool conjugate_b, cusparseSpMatDescr c,
				      scalar<T> alpha, scalar<T> beta)
{
	int64_t i = THREAD_INDEX;
	if (i >= c.lines())
		return;
	c.choose(blockIdx.y, sizeof(T));
	const T *x = (const T *)a.at + blockIdx.y * a.apart, *y = (const T *)b.at + blockIdx.y * b.apart;
	T al = alpha.get(), be = beta.get();
	for (int64_t k = c.first(i); k < c.last(i); k++) {
		entry e = c.get(i, k);
		if (e.col < 0)
			continue;
		T sum = of_real<T>(0), *to = (T *)c.values + e.at;
		for (int64_t q = 0; q < a.cols; q++) {
			T u = x[e.row * a.row + q * a.col], v = y[q * b.row + e.col * b.col];
			sum = add(sum, mul(conjugate_a ? conjugate(u) : u, conjugate_b ? conjugate(v) : v));
		}
		*to = is_zero(be) ? mul(al, sum) : add(mul(al, sum), mul(be, *to));
	}
}
template <class T>
static cusparseStatus_t sampled(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha, dense a,
				dense b, const void *beta, const cusparseSpMatDescr &c)
{
	const cusparseOperation_t conj = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
	if (c.lines() && c.count)
		sparse_sampled<T><<<dim3(grid_for(c.lines()), c.count), SPARSE_THREADS, 0, h->stream>>>(
			a, opa == conj, b, opb == conj, c, scalar_of<T>(h, alpha), scalar_of<T>(h, beta));
	return launched();
}

/* ---- vectors ---- */

enum vector_work { GATHER, SCATTER, AXPBY_SCALE, AXPBY_ADD, ROTATE };

/* One element of x per thread. ROTATE: c and s are alpha and beta. */
template <class T>
static __global__ void sparse_vector(vector_work what, cusparseSpVecDescr x, T *y, scalar<T> alpha, scalar<T> beta)
{
	int64_t i = THREAD_INDEX;
	if (what == AXPBY_SCALE) {
		if (i < x.n)
			y[i] = is_zero(beta.get()) ? of_real<T>(0) : mul(beta.get(), y[i]);
		return;
	}
	if (i >= x.nnz)
		return;
	T *u = (T *)x.values + i, *v = y + (index_at(x.indices, x.index_type, i) - x.base), was = *u;
	switch (what) {
	case GATHER: *u = *v; break;
	case SCATTER: *v = was; break;
	case AXPBY_ADD: *v = add(*v, mul(alpha.get(), was)); break;
	default:
		*u = add(mul(alpha.get(), was), mul(beta.get(), *v));
		*v = sub(mul(alpha.get(), *v), mul(conjugate(beta.get()), was));
	}
}
template <class T>
static cusparseStatus_t vector(cusparseHandle_t h, vector_work what, const cusparseSpVecDescr &x, void *y, const void *alpha,
			       const void *beta)
{
	scalar<T> none = {}, a = alpha ? scalar_of<T>(h, alpha) : none, b = beta ? scalar_of<T>(h, beta) : none;
	LAUNCH(sparse_vector<T>, what == AXPBY_SCALE ? x.n : x.nnz, h->stream, what, x, (T *)y, a, b);
	return launched();
}
static cusparseStatus_t any_vector(cusparseHandle_t h, vector_work what, cusparseConstSpVecDescr_t x, cusparseConstDnVecDescr_t y,
				   const void *alpha, const void *beta)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!x || !y || x->n != y->n || x->type != y->type)
		return CUSPARSE_STATUS_INVALID_VALUE;
	BY_TYPE(x->type, vector<T>(h, what, *x, y->values, alpha, beta))
}

template <class T> static __global__ void sparse_dot(cusparseSpVecDescr x, bool conjugated, const T *y, T *result)
{
	T sum = of_real<T>(0);
	for (int64_t i = threadIdx.x; i < x.nnz; i += SPARSE_THREADS) {
		T u = ((const T *)x.values)[i];
		sum = add(sum, mul(conjugated ? conjugate(u) : u, y[index_at(x.indices, x.index_type, i) - x.base]));
	}
	sum = block_total<SPARSE_THREADS>(sum);
	if (!threadIdx.x)
		*result = sum;
}
template <class T>
static cusparseStatus_t dot(cusparseHandle_t h, bool conjugated, const cusparseSpVecDescr &x, const void *y, void *result)
{
	bool device = h->mode == CUSPARSE_POINTER_MODE_DEVICE;
	cudaStreamCaptureStatus captured = cudaStreamCaptureStatusNone;
	T *to = (T *)(device ? result : h->result);
	sparse_dot<T><<<1, SPARSE_THREADS, 0, h->stream>>>(x, conjugated, (const T *)y, to);
	if (device)
		return launched();
	cudaStreamIsCapturing(h->stream, &captured);
	if (cudaMemcpyAsync(result, to, sizeof(T), cudaMemcpyDeviceToHost, h->stream) ||
	    (!captured && cudaStreamSynchronize(h->stream)))
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	return launched();
}

template <class T>
static cusparseStatus_t csrmv(cusparseHandle_t h, cusparseOperation_t op, int m, int n, int nnz, const T *alpha,
			      cusparseMatDescr_t d, const T *values, const int *offsets, const int *columns, const T *x,
			      const T *beta, T *y)
{
	if (!d)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (d->type != CUSPARSE_MATRIX_TYPE_GENERAL)
		return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
	cusparseSpMatDescr a = csr_of(m, n, nnz, type_number<T>(), d->base, values, offsets, columns);
	cusparseDnVecDescr vx = {turned(op) ? m : n, (void *)x, a.type}, vy = {turned(op) ? n : m, y, a.type};
	return sparse_any_product(h, op, alpha, &a, of_vector(&vx), false, beta, of_vector(&vy), a.type);
}

/* C = alpha op(A) op(B) + beta C, A of m rows and k columns, the others dense and by columns. */
template <class T>
static cusparseStatus_t csrmm(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, int m, int n, int k, int nnz,
			      const T *alpha, cusparseMatDescr_t d, const T *values, const int *offsets, const int *columns,
			      const T *b, int ldb, const T *beta, T *c, int ldc)
{
	if (!d)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (d->type != CUSPARSE_MATRIX_TYPE_GENERAL)
		return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
	cusparseSpMatDescr a = csr_of(m, k, nnz, type_number<T>(), d->base, values, offsets, columns);
	int inner = turned(opa) ? m : k, rows = turned(opa) ? k : m;
	cusparseDnMatDescr mb = {turned(opb) ? n : inner, turned(opb) ? inner : n, ldb, (void *)b, a.type, CUSPARSE_ORDER_COL, 1, 0},
			   mc = {rows, n, ldc, c, a.type, CUSPARSE_ORDER_COL, 1, 0};
	if (ldb < mb.rows || ldc < mc.rows)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return sparse_any_product(h, opa, alpha, &a, of_matrix(&mb, turned(opb)), opb == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
				  beta, of_matrix(&mc, false), a.type);
}

extern "C" {
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void *, cusparseConstSpMatDescr_t,
	cusparseConstDnVecDescr_t, const void *, cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, size_t *n)
{
	return no_buffer(n);
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void *, cusparseConstSpMatDescr_t,
	cusparseConstDnVecDescr_t, const void *, cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void *)
{
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
	cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t, void *)
{
	if (!a || !x || !y || x->type != a->type || y->type != a->type)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return sparse_any_product(h, op, alpha, a, of_vector(x), false, beta, of_vector(y), type);
}
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
	cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void *, cusparseDnMatDescr_t, cudaDataType,
	cusparseSpMMAlg_t, size_t *n)
{
	return no_buffer(n);
}
cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
	cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void *, cusparseDnMatDescr_t, cudaDataType,
	cusparseSpMMAlg_t, void *)
{
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha,
	cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, cudaDataType type,
	cusparseSpMMAlg_t, void *)
{
	if (!a || !b || !c || b->type != a->type || c->type != a->type)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return sparse_any_product(h, opa, alpha, a, of_matrix(b, turned(opb)), opb == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, beta,
				  of_matrix(c, false), type);
}
cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
	cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t, const void *, cusparseSpMatDescr_t, cudaDataType,
	cusparseSDDMMAlg_t, size_t *n)
{
	return no_buffer(n);
}
cusparseStatus_t cusparseSDDMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
	cusparseConstDnMatDescr_t, cusparseConstDnMatDescr_t, const void *, cusparseSpMatDescr_t, cudaDataType,
	cusparseSDDMMAlg_t, void *)
{
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSDDMM(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha,
	cusparseConstDnMatDescr_t ma, cusparseConstDnMatDescr_t mb, const void *beta, cusparseSpMatDescr_t c, cudaDataType type,
	cusparseSDDMMAlg_t, void *)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!alpha || !ma || !mb || !beta || !c)
		return CUSPARSE_STATUS_INVALID_VALUE;
	dense a = of_matrix(ma, turned(opa)), b = of_matrix(mb, turned(opb));
	if (a.rows != c->rows || b.cols != c->cols || a.cols != b.rows || (a.count > 1 && a.count != c->count) ||
	    (b.count > 1 && b.count != c->count))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (ma->type != type || mb->type != type || c->type != type)
		return refuse("a sampled product of mixed types");
	BY_TYPE(type, sampled<T>(h, opa, opb, alpha, a, b, beta, *c))
}

cusparseStatus_t cusparseGather(cusparseHandle_t h, cusparseConstDnVecDescr_t y, cusparseSpVecDescr_t x)
{
	return any_vector(h, GATHER, x, y, NULL, NULL);
}
cusparseStatus_t cusparseScatter(cusparseHandle_t h, cusparseConstSpVecDescr_t x, cusparseDnVecDescr_t y)
{
	return any_vector(h, SCATTER, x, y, NULL, NULL);
}
cusparseStatus_t cusparseAxpby(cusparseHandle_t h, const void *alpha, cusparseConstSpVecDescr_t x, const void *beta,
	cusparseDnVecDescr_t y)
{
	cusparseStatus_t s = any_vector(h, AXPBY_SCALE, x, y, alpha, beta);
	return s ? s : any_vector(h, AXPBY_ADD, x, y, alpha, beta);
}
cusparseStatus_t cusparseRot(cusparseHandle_t h, const void *c, const void *s, cusparseSpVecDescr_t x, cusparseDnVecDescr_t y)
{
	return any_vector(h, ROTATE, x, y, c, s);
}
cusparseStatus_t cusparseSpVV_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseConstSpVecDescr_t,
	cusparseConstDnVecDescr_t, const void *, cudaDataType, size_t *n)
{
	return no_buffer(n);
}
cusparseStatus_t cusparseSpVV(cusparseHandle_t h, cusparseOperation_t op, cusparseConstSpVecDescr_t x,
	cusparseConstDnVecDescr_t y, void *result, cudaDataType type, void *)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!x || !y || !result || x->n != y->n)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (x->type != type || y->type != type)
		return refuse("a product of mixed types");
	BY_TYPE(type, dot<T>(h, op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, *x, y->values, result))
}

#define CSRMV(L, T) \
cusparseStatus_t cusparse##L##csrmv(cusparseHandle_t h, cusparseOperation_t op, int m, int n, int nnz, const T *alpha, \
	const cusparseMatDescr_t d, const T *values, const int *offsets, const int *columns, const T *x, const T *beta, T *y) \
{ \
	return csrmv(h, op, m, n, nnz, alpha, d, values, offsets, columns, x, beta, y); \
}
FOR_TYPES(CSRMV)

#define CSRMM(L, T) \
cusparseStatus_t cusparse##L##csrmm(cusparseHandle_t h, cusparseOperation_t op, int m, int n, int k, int nnz, const T *alpha, \
	const cusparseMatDescr_t d, const T *values, const int *offsets, const int *columns, const T *b, int ldb, const T *beta, \
	T *c, int ldc) \
{ \
	return csrmm(h, op, CUSPARSE_OPERATION_NON_TRANSPOSE, m, n, k, nnz, alpha, d, values, offsets, columns, b, ldb, beta, c, ldc); \
} \
cusparseStatus_t cusparse##L##csrmm2(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, int m, int n, int k, \
	int nnz, const T *alpha, const cusparseMatDescr_t d, const T *values, const int *offsets, const int *columns, const T *b, \
	int ldb, const T *beta, T *c, int ldc) \
{ \
	return csrmm(h, opa, opb, m, n, k, nnz, alpha, d, values, offsets, columns, b, ldb, beta, c, ldc); \
}
FOR_TYPES(CSRMM)
} /* extern "C" */
