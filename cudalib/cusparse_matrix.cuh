/*
 * Shared by the files of cuSPARSE: its descriptors, and iteration over a sparse matrix of any format. A matrix
 * is a number of lines (rows; of CSC columns; of COO single elements), each with places from first() to last(), and
 * get() says which element is there.
 */
#ifndef CUSPARSE_MATRIX_H
#define CUSPARSE_MATRIX_H
#include <new>
#include <type_traits>
#include <utility>
#include "cusparse.h"
#include "dense.cuh"
#include "fails.h"

enum { SPARSE_THREADS = 128 };

struct cusparseContext {
	cudaStream_t stream;
	cusparsePointerMode_t mode;
	void *result; /* device memory for a number on its way to the host */
};
struct cusparseMatDescr {
	cusparseMatrixType_t type;
	cusparseIndexBase_t base;
	cusparseFillMode_t fill;
	cusparseDiagType_t diag;
};
struct cusparseSpVecDescr {
	int64_t n, nnz;
	void *indices, *values;
	cusparseIndexType_t index_type;
	cusparseIndexBase_t base;
	cudaDataType type;
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
	int count;
	int64_t apart; /* matrices of a batch */
};

/* ---- indices ---- */

HD int64_t index_at(const void *p, cusparseIndexType_t t, int64_t k)
{
	return t == CUSPARSE_INDEX_64I ? ((const int64_t *)p)[k] : t == CUSPARSE_INDEX_16U ? ((const uint16_t *)p)[k]
											    : ((const int32_t *)p)[k];
}
HD void index_put(void *p, cusparseIndexType_t t, int64_t k, int64_t v)
{
	if (t == CUSPARSE_INDEX_64I)
		((int64_t *)p)[k] = v;
	else if (t == CUSPARSE_INDEX_16U)
		((uint16_t *)p)[k] = (uint16_t)v;
	else
		((int32_t *)p)[k] = (int32_t)v;
}
static inline size_t index_bytes(cusparseIndexType_t t) { return t == CUSPARSE_INDEX_64I ? 8 : t == CUSPARSE_INDEX_16U ? 2 : 4; }

/* ---- sparse matrices ---- */

struct entry {
	int64_t row, col, at; /* col -1: padding; at: of the value */
};

struct cusparseSpMatDescr {
	cusparseFormat_t format;
	int64_t rows, cols, nnz;
	void *major, *minor, *values; /* COO: row and column of each element; else where lines begin, and the other index */
	cusparseIndexType_t major_type, minor_type;
	cusparseIndexBase_t base;
	cudaDataType type;
	int64_t high, wide;    /* size of a block; sliced ELL: rows of a slice; blocked ELL: columns of all blocks of a row */
	cusparseOrder_t order; /* in a block */
	cusparseFillMode_t fill;
	cusparseDiagType_t diag;
	int count;                        /* matrices of a batch, and the distances between their arrays */
	int64_t major_apart, minor_apart, values_apart;

	__host__ __device__ int64_t lines() const
	{
		return format == CUSPARSE_FORMAT_COO ? nnz : format == CUSPARSE_FORMAT_CSC ? cols : rows;
	}
	__host__ __device__ bool by_rows() const { return format != CUSPARSE_FORMAT_COO && format != CUSPARSE_FORMAT_CSC; }
	__host__ __device__ int64_t major_at(int64_t i) const { return index_at(major, major_type, i) - base; }
	__host__ __device__ int64_t minor_at(int64_t i) const { return index_at(minor, minor_type, i) - base; }
	__host__ __device__ int64_t first(int64_t i) const
	{
		switch (format) {
		case CUSPARSE_FORMAT_COO: return i;
		case CUSPARSE_FORMAT_BSR: return major_at(i / high) * wide;
		case CUSPARSE_FORMAT_BLOCKED_ELL:
		case CUSPARSE_FORMAT_SLICED_ELLPACK: return 0;
		default: return major_at(i);
		}
	}
	__host__ __device__ int64_t last(int64_t i) const
	{
		switch (format) {
		case CUSPARSE_FORMAT_COO: return i + 1;
		case CUSPARSE_FORMAT_BSR: return major_at(i / high + 1) * wide;
		case CUSPARSE_FORMAT_BLOCKED_ELL: return wide;
		case CUSPARSE_FORMAT_SLICED_ELLPACK: return (major_at(i / high + 1) - major_at(i / high)) / high;
		default: return major_at(i + 1);
		}
	}
	__host__ __device__ entry get(int64_t i, int64_t k) const
	{
		switch (format) {
		case CUSPARSE_FORMAT_COO: return {major_at(k), minor_at(k), k};
		case CUSPARSE_FORMAT_CSC: return {minor_at(k), i, k};
		case CUSPARSE_FORMAT_BSR: {
			int64_t b = k / wide, c = k % wide, r = i % high;
			return {i, minor_at(b) * wide + c, b * high * wide + (order == CUSPARSE_ORDER_ROW ? r * wide + c : c * high + r)};
		}
		case CUSPARSE_FORMAT_BLOCKED_ELL: {
			int64_t b = index_at(minor, minor_type, i / high * (wide / high) + k / high);
			return {i, b < 0 ? -1 : (b - base) * high + k % high, i * wide + k};
		}
		case CUSPARSE_FORMAT_SLICED_ELLPACK: {
			int64_t at = major_at(i / high) + k * high + i % high, c = index_at(minor, minor_type, at);
			return {i, c < 0 ? -1 : c - base, at};
		}
		default: return {i, minor_at(k), k};
		}
	}
	/* Values that are stored, with padding, of the formats that have it. */
	int64_t stored() const { return format == CUSPARSE_FORMAT_BLOCKED_ELL ? rows * wide : nnz; }
	__device__ void choose(int z, size_t value_bytes) /* matrix z of a batch */
	{
		major = (char *)major + z * major_apart * (major_type == CUSPARSE_INDEX_64I ? 8 : 4);
		minor = (char *)minor + z * minor_apart * (minor_type == CUSPARSE_INDEX_64I ? 8 : 4);
		values = (char *)values + z * values_apart * value_bytes;
	}
};

/* Steps between rows and columns of a dense matrix. */
struct dense {
	void *at;
	int64_t row, col, rows, cols, apart;
	int count;
};
static inline dense of_matrix(cusparseConstDnMatDescr_t m, bool transposed)
{
	bool col = m->order == CUSPARSE_ORDER_COL;
	dense d = {m->values, col ? 1 : m->ld, col ? m->ld : 1, m->rows, m->cols, m->apart, m->count};
	return transposed ? dense{d.at, d.col, d.row, d.cols, d.rows, d.apart, d.count} : d;
}
static inline dense of_vector(cusparseConstDnVecDescr_t v) { return {v->values, 1, v->n, v->n, 1, 0, 1}; }

/* ---- calls ---- */

static inline cusparseStatus_t launched()
{
	return cudaPeekAtLastError() ? CUSPARSE_STATUS_EXECUTION_FAILED : CUSPARSE_STATUS_SUCCESS;
}
static inline cusparseStatus_t refuse(const char *what)
{
	library_fails("cuSPARSE: %s is not supported", what);
	return CUSPARSE_STATUS_NOT_SUPPORTED;
}
static inline cusparseStatus_t no_buffer(size_t *n)
{
	*n = 0;
	return CUSPARSE_STATUS_SUCCESS;
}
static inline unsigned grid_for(int64_t n) { return (unsigned)((n + SPARSE_THREADS - 1) / SPARSE_THREADS); }
static inline bool turned(cusparseOperation_t op) { return op != CUSPARSE_OPERATION_NON_TRANSPOSE; }
template <class T> static scalar<T> scalar_of(cusparseHandle_t h, const void *p)
{
	return scalar_at<T>(h->mode == CUSPARSE_POINTER_MODE_DEVICE, p);
}
#define THREAD_INDEX (blockIdx.x * (int64_t)blockDim.x + threadIdx.x)
/* A launch with a thread for each of n; none for nothing. */
#define LAUNCH(kernel, n, stream, ...) \
	do { \
		if ((n) > 0) \
			kernel<<<grid_for(n), SPARSE_THREADS, 0, stream>>>(__VA_ARGS__); \
	} while (0)
/* In `call`, T is the type in memory. */
#define BY_TYPE(type, call) \
	switch (type) { \
	case CUDA_R_32F: { typedef float T; return call; } \
	case CUDA_R_64F: { typedef double T; return call; } \
	case CUDA_C_32F: { typedef cuComplex T; return call; } \
	case CUDA_C_64F: { typedef cuDoubleComplex T; return call; } \
	default: return refuse("a matrix of this type"); \
	}
template <class T> constexpr cudaDataType type_number()
{
	return std::is_same<T, float>::value ? CUDA_R_32F : std::is_same<T, double>::value ? CUDA_R_64F :
		std::is_same<T, cuComplex>::value ? CUDA_C_32F : CUDA_C_64F;
}
/* The four types of the old interface. */
#define FOR_TYPES(F) F(S, float) F(D, double) F(C, cuComplex) F(Z, cuDoubleComplex)

static inline cusparseSpMatDescr csr_of(int64_t m, int64_t n, int64_t nnz, cudaDataType type, cusparseIndexBase_t base,
					const void *values, const int *offsets, const int *columns)
{
	cusparseSpMatDescr a = {};
	a.format = CUSPARSE_FORMAT_CSR;
	a.rows = m, a.cols = n, a.nnz = nnz;
	a.major = (void *)offsets, a.minor = (void *)columns, a.values = (void *)values;
	a.major_type = a.minor_type = CUSPARSE_INDEX_32I;
	a.base = base;
	a.type = type;
	a.count = 1;
	return a;
}
/* The product of any_product, for the old interface. */
cusparseStatus_t sparse_any_product(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
				    dense b, bool conjugate_b, const void *beta, dense c, cudaDataType type);

/* ---- the order of elements ---- */

/* The elements of op(A) by rows, in each by column: where rows begin, the column, the place of the value in A. */
struct ordered {
	int64_t rows, nnz, *offsets, *columns, *at;
};
/* The arrays are device memory, which order_free() frees. */
cusparseStatus_t sparse_order(cudaStream_t s, const cusparseSpMatDescr &a, bool transposed, ordered *o);
void order_free(ordered *o);
/* offsets[i + 1] is the number of elements of line i; it becomes where line i + 1 begins, from `base`. */
void sparse_scan(cudaStream_t s, void *offsets, cusparseIndexType_t type, int64_t lines, int64_t base);

/* Sorts n keys in rising order, equal keys by the value beside them. */
static __device__ inline void sift(int64_t *key, int64_t *with, int64_t from, int64_t n)
{
	int64_t k = key[from], w = with[from];
	for (int64_t child; (child = 2 * from + 1) < n; from = child) {
		if (child + 1 < n && (key[child] < key[child + 1] || (key[child] == key[child + 1] && with[child] < with[child + 1])))
			child++;
		if (k > key[child] || (k == key[child] && w >= with[child]))
			break;
		key[from] = key[child], with[from] = with[child];
	}
	key[from] = k, with[from] = w;
}
static __device__ inline void sort_pairs(int64_t *key, int64_t *with, int64_t n)
{
	bool done = true;
	for (int64_t i = 1; i < n && done; i++)
		done = key[i - 1] < key[i] || (key[i - 1] == key[i] && with[i - 1] <= with[i]);
	if (done)
		return;
	for (int64_t i = n / 2; i-- > 0;)
		sift(key, with, i, n);
	for (int64_t last = n - 1; last > 0; last--) {
		int64_t k = key[0], w = with[0];
		key[0] = key[last], with[0] = with[last];
		key[last] = k, with[last] = w;
		sift(key, with, 0, last);
	}
}
#endif
