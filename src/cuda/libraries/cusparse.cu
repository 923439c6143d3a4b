/*
 * cuSPARSE, a part: C = alpha op(A) B + beta C with A sparse and B, C dense; a vector is a matrix of one column.
 * First C is scaled, a thread an element; then a thread takes a row of CSR, or an element of COO, and one column of B, and
 * adds its products to C. Where several threads meet in an element of C, which is for COO and the transposed A, they add
 * atomically.
 */
#include <cusparse.h>
#include <type_traits>

struct cusparseContext {
	cudaStream_t stream;
	cusparsePointerMode_t mode;
};
struct cusparseMatDescr {
	cusparseMatrixType_t type;
	cusparseIndexBase_t base;
	cusparseFillMode_t fill;
	cusparseDiagType_t diag;
};
struct cusparseSpMatDescr {
	int64_t rows, cols, nnz;
	void *rows_at, *columns, *values; /* CSR: where rows begin; COO: the row of each element */
	cusparseIndexType_t row_type, column_type;
	cusparseIndexBase_t base;
	cudaDataType type;
	bool coo;
};
struct cusparseDnVecDescr {
	int64_t n;
	void *values;
	cudaDataType type;
};
struct cusparseDnMatDescr {
	int64_t rows, cols, ld;
	void *values;
	cudaDataType type;
	cusparseOrder_t order;
};

/* Steps between rows and columns of a dense matrix. */
struct dense {
	void *at;
	int64_t row, col, rows, cols;
};

template <class T> struct scalar { /* of the host, or where it is on the device */
	T value;
	const T *at;
	__device__ T get() const { return at ? *at : value; }
};

template <class T> __global__ void sparse_scale(dense c, scalar<T> beta)
{
	int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
	if (i >= c.rows * c.cols)
		return;
	T *p = (T *)c.at + i % c.rows * c.row + i / c.rows * c.col, b = beta.get();
	*p = b == T(0) ? T(0) : b * *p;
}

template <class T, class R, class I>
__global__ void sparse_product(cusparseSpMatDescr a, bool transposed, dense b, dense c, scalar<T> alpha)
{
	int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, n = a.coo ? a.nnz : a.rows;
	if (i >= n * c.cols)
		return;
	const T *x = (const T *)b.at + i / n * b.col, *values = (const T *)a.values;
	T *y = (T *)c.at + i / n * c.col, sum = 0, by = alpha.get();
	i %= n;
	int64_t from = a.coo ? i : ((const R *)a.rows_at)[i] - a.base, to = a.coo ? i + 1 : ((const R *)a.rows_at)[i + 1] - a.base;
	int64_t row = a.coo ? ((const R *)a.rows_at)[i] - a.base : i;
	for (int64_t k = from; k < to; k++) {
		int64_t col = ((const I *)a.columns)[k] - a.base;
		if (transposed)
			atomicAdd(y + col * c.row, by * values[k] * x[row * b.row]);
		else
			sum += values[k] * x[col * b.row];
	}
	if (!transposed && a.coo)
		atomicAdd(y + row * c.row, by * sum);
	else if (!transposed)
		y[row * c.row] += by * sum;
}

template <class T> static scalar<T> scalar_of(cusparseHandle_t h, const void *p)
{
	bool device = h->mode == CUSPARSE_POINTER_MODE_DEVICE;
	return {device ? T(0) : *(const T *)p, device ? (const T *)p : nullptr};
}

template <class T, class R, class I>
static cusparseStatus_t product(cusparseHandle_t h, bool transposed, const void *alpha, const cusparseSpMatDescr &a,
				dense b, const void *beta, dense c)
{
	const unsigned threads = 128;
	int64_t scaled = c.rows * c.cols, added = (a.coo ? a.nnz : a.rows) * c.cols;
	if (scaled)
		sparse_scale<T><<<(unsigned)((scaled + threads - 1) / threads), threads, 0, h->stream>>>(c, scalar_of<T>(h, beta));
	if (added)
		sparse_product<T, R, I><<<(unsigned)((added + threads - 1) / threads), threads, 0, h->stream>>>(
			a, transposed, b, c, scalar_of<T>(h, alpha));
	return cudaGetLastError() ? CUSPARSE_STATUS_EXECUTION_FAILED : CUSPARSE_STATUS_SUCCESS;
}

template <class T>
static cusparseStatus_t by_index(cusparseHandle_t h, bool t, const void *alpha, const cusparseSpMatDescr &a, dense b,
				 const void *beta, dense c)
{
	if (a.row_type == CUSPARSE_INDEX_32I && a.column_type == CUSPARSE_INDEX_32I)
		return product<T, int, int>(h, t, alpha, a, b, beta, c);
	if (a.row_type == CUSPARSE_INDEX_64I && a.column_type == CUSPARSE_INDEX_64I)
		return product<T, int64_t, int64_t>(h, t, alpha, a, b, beta, c);
	if (a.row_type == CUSPARSE_INDEX_64I && a.column_type == CUSPARSE_INDEX_32I)
		return product<T, int64_t, int>(h, t, alpha, a, b, beta, c);
	return CUSPARSE_STATUS_NOT_SUPPORTED;
}

static cusparseStatus_t any_product(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseSpMatDescr_t a,
				    dense b, const void *beta, dense c, cudaDataType type)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	bool t = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
	if (!a || !alpha || !beta || c.rows != (t ? a->cols : a->rows) || b.rows != (t ? a->rows : a->cols) || b.cols != c.cols)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (type != a->type || (type != CUDA_R_32F && type != CUDA_R_64F))
		return CUSPARSE_STATUS_NOT_SUPPORTED;
	return type == CUDA_R_32F ? by_index<float>(h, t, alpha, *a, b, beta, c)
				  : by_index<double>(h, t, alpha, *a, b, beta, c);
}

static dense of_matrix(cusparseDnMatDescr_t m, bool transposed)
{
	bool col = m->order == CUSPARSE_ORDER_COL;
	dense d = {m->values, col ? 1 : m->ld, col ? m->ld : 1, m->rows, m->cols};
	return transposed ? dense{d.at, d.col, d.row, d.cols, d.rows} : d;
}

static dense of_vector(cusparseDnVecDescr_t v) { return {v->values, 1, v->n, v->n, 1}; }

template <class T, class... A> static cusparseStatus_t make(T **out, A... a)
{
	if (!out)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*out = new T{a...};
	return CUSPARSE_STATUS_SUCCESS;
}

template <class T> static cusparseStatus_t unmake(T *p)
{
	delete p;
	return CUSPARSE_STATUS_SUCCESS;
}

template <class H, class T, class V> static cusparseStatus_t put(H *p, T H::*field, V v)
{
	if (!p)
		return CUSPARSE_STATUS_INVALID_VALUE;
	p->*field = v;
	return CUSPARSE_STATUS_SUCCESS;
}

extern "C" {

const char *cusparseGetErrorName(cusparseStatus_t s)
{
#define NAME(x) "CUSPARSE_STATUS_" #x
	static const char *const names[] = {
		NAME(SUCCESS), NAME(NOT_INITIALIZED), NAME(ALLOC_FAILED),
		NAME(INVALID_VALUE), NAME(ARCH_MISMATCH), NAME(MAPPING_ERROR),
		NAME(EXECUTION_FAILED), NAME(INTERNAL_ERROR), NAME(MATRIX_TYPE_NOT_SUPPORTED),
		NAME(ZERO_PIVOT), NAME(NOT_SUPPORTED), NAME(INSUFFICIENT_RESOURCES),
	};
#undef NAME
	return (unsigned)s < sizeof names / sizeof *names ? names[s] : "CUSPARSE_STATUS unknown";
}
const char *cusparseGetErrorString(cusparseStatus_t s) { return cusparseGetErrorName(s); }

cusparseStatus_t cusparseCreate(cusparseHandle_t *h) { return make(h); }
cusparseStatus_t cusparseDestroy(cusparseHandle_t h) { return unmake(h); }
cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int *v)
{
	*v = CUSPARSE_VERSION;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t h, cudaStream_t s) { return put(h, &cusparseContext::stream, s); }
cusparseStatus_t cusparseGetStream(cusparseHandle_t h, cudaStream_t *s)
{
	*s = h->stream;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t h, cusparsePointerMode_t m) { return put(h, &cusparseContext::mode, m); }
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t h, cusparsePointerMode_t *m)
{
	*m = h->mode;
	return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *d) { return make(d); }
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t d) { return unmake(d); }
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t d, cusparseMatrixType_t t) { return put(d, &cusparseMatDescr::type, t); }
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t d, cusparseIndexBase_t b) { return put(d, &cusparseMatDescr::base, b); }
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t d, cusparseFillMode_t m) { return put(d, &cusparseMatDescr::fill, m); }
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t d, cusparseDiagType_t t) { return put(d, &cusparseMatDescr::diag, t); }

cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *offsets,
	void *columns, void *values, cusparseIndexType_t offset_type, cusparseIndexType_t column_type,
	cusparseIndexBase_t base, cudaDataType type)
{
	return make(m, rows, cols, nnz, offsets, columns, values, offset_type, column_type, base, type, false);
}
cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *m, int64_t rows, int64_t cols, int64_t nnz, void *row_indices,
	void *columns, void *values, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type)
{
	return make(m, rows, cols, nnz, row_indices, columns, values, index_type, index_type, base, type, true);
}
cusparseStatus_t cusparseDestroySpMat(cusparseSpMatDescr_t m) { return unmake(m); }
cusparseStatus_t cusparseSpMatGetSize(cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz)
{
	*rows = m->rows;
	*cols = m->cols;
	*nnz = m->nnz;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void *offsets, void *columns, void *values)
{
	m->rows_at = offsets;
	m->columns = columns;
	m->values = values;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *v, int64_t n, void *values, cudaDataType type) { return make(v, n, values, type); }
cusparseStatus_t cusparseDestroyDnVec(cusparseDnVecDescr_t v) { return unmake(v); }
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *values) { return put(v, &cusparseDnVecDescr::values, values); }
cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *m, int64_t rows, int64_t cols, int64_t ld, void *values,
	cudaDataType type, cusparseOrder_t order)
{
	return make(m, rows, cols, ld, values, type, order);
}
cusparseStatus_t cusparseDestroyDnMat(cusparseDnMatDescr_t m) { return unmake(m); }

static cusparseStatus_t no_buffer(size_t *n)
{
	*n = 0;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void *, cusparseSpMatDescr_t,
	cusparseDnVecDescr_t, const void *, cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, size_t *n)
{
	return no_buffer(n);
}
cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void *, cusparseSpMatDescr_t,
	cusparseDnVecDescr_t, const void *, cusparseDnVecDescr_t, cudaDataType, cusparseSpMVAlg_t, void *)
{
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMV(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseSpMatDescr_t a,
	cusparseDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t, void *)
{
	if (!x || !y || x->type != type || y->type != type)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return any_product(h, op, alpha, a, of_vector(x), beta, of_vector(y), type);
}
cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
	cusparseSpMatDescr_t, cusparseDnMatDescr_t, const void *, cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, size_t *n)
{
	return no_buffer(n);
}
cusparseStatus_t cusparseSpMM(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha,
	cusparseSpMatDescr_t a, cusparseDnMatDescr_t b, const void *beta, cusparseDnMatDescr_t c, cudaDataType type,
	cusparseSpMMAlg_t, void *)
{
	if (!b || !c || b->type != type || c->type != type)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return any_product(h, opa, alpha, a, of_matrix(b, opb != CUSPARSE_OPERATION_NON_TRANSPOSE), beta, of_matrix(c, false), type);
}
}

template <class T>
static cusparseStatus_t csrmv(cusparseHandle_t h, cusparseOperation_t op, int m, int n, int nnz, const T *alpha,
			      cusparseMatDescr_t d, const T *values, const int *offsets, const int *columns, const T *x,
			      const T *beta, T *y)
{
	cudaDataType type = sizeof(T) == 4 ? CUDA_R_32F : CUDA_R_64F;
	if (!d)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (d->type != CUSPARSE_MATRIX_TYPE_GENERAL)
		return CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
	cusparseSpMatDescr a = {m, n, nnz, (void *)offsets, (void *)columns, (void *)values, CUSPARSE_INDEX_32I,
				CUSPARSE_INDEX_32I, d->base, type, false};
	bool t = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
	cusparseDnVecDescr vx = {t ? m : n, (void *)x, type}, vy = {t ? n : m, y, type};
	return any_product(h, op, alpha, &a, of_vector(&vx), beta, of_vector(&vy), type);
}

extern "C" {
cusparseStatus_t cusparseScsrmv(cusparseHandle_t h, cusparseOperation_t op, int m, int n, int nnz, const float *alpha,
	const cusparseMatDescr_t d, const float *values, const int *offsets, const int *columns, const float *x,
	const float *beta, float *y)
{
	return csrmv(h, op, m, n, nnz, alpha, d, values, offsets, columns, x, beta, y);
}
cusparseStatus_t cusparseDcsrmv(cusparseHandle_t h, cusparseOperation_t op, int m, int n, int nnz, const double *alpha,
	const cusparseMatDescr_t d, const double *values, const int *offsets, const int *columns, const double *x,
	const double *beta, double *y)
{
	return csrmv(h, op, m, n, nnz, alpha, d, values, offsets, columns, x, beta, y);
}
}
