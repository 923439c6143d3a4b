/*
 * cuSPARSE, forms of a matrix: the elements of any format by rows or columns, from which come conversions and sorts; dense
 * from sparse and back. Rows are counted, the counts summed by one block, elements put in their rows in any order, and
 * each row sorted by a thread: so the result does not depend on which thread came first.
 */
#include "cusparse_matrix.cuh"

static __global__ void sparse_count(cusparseSpMatDescr a, bool transposed, unsigned long long *counts)
{
	int64_t i = THREAD_INDEX;
	if (i >= a.lines())
		return;
	for (int64_t k = a.first(i); k < a.last(i); k++) {
		entry e = a.get(i, k);
		if (e.col >= 0)
			atomicAdd(&counts[transposed ? e.col : e.row], 1ULL);
	}
}
static __global__ void sparse_place(cusparseSpMatDescr a, bool transposed, const int64_t *offsets, unsigned long long *used,
				    int64_t *columns, int64_t *at)
{
	int64_t i = THREAD_INDEX;
	if (i >= a.lines())
		return;
	for (int64_t k = a.first(i); k < a.last(i); k++) {
		entry e = a.get(i, k);
		if (e.col < 0)
			continue;
		int64_t row = transposed ? e.col : e.row, to = offsets[row] + (int64_t)atomicAdd(&used[row], 1ULL);
		columns[to] = transposed ? e.row : e.col;
		at[to] = e.at;
	}
}
static __global__ void sparse_sort_rows(ordered o)
{
	int64_t i = THREAD_INDEX;
	if (i < o.rows)
		sort_pairs(o.columns + o.offsets[i], o.at + o.offsets[i], o.offsets[i + 1] - o.offsets[i]);
}

static __global__ void sparse_sum_counts(void *offsets, cusparseIndexType_t type, int64_t lines, int64_t base)
{
	__shared__ int64_t part[SPARSE_THREADS];
	int64_t before = base;
	if (!threadIdx.x)
		index_put(offsets, type, 0, base);
	for (int64_t from = 0; from < lines; from += SPARSE_THREADS) {
		int64_t i = from + threadIdx.x;
		part[threadIdx.x] = i < lines ? index_at(offsets, type, i + 1) : 0;
		__syncthreads();
		for (unsigned d = 1; d < SPARSE_THREADS; d *= 2) {
			int64_t other = threadIdx.x >= d ? part[threadIdx.x - d] : 0;
			__syncthreads();
			part[threadIdx.x] += other;
			__syncthreads();
		}
		if (i < lines)
			index_put(offsets, type, i + 1, before + part[threadIdx.x]);
		before += part[SPARSE_THREADS - 1];
		__syncthreads();
	}
}
void sparse_scan(cudaStream_t s, void *offsets, cusparseIndexType_t type, int64_t lines, int64_t base)
{
	sparse_sum_counts<<<1, SPARSE_THREADS, 0, s>>>(offsets, type, lines, base);
}

void order_free(ordered *o)
{
	cudaFree(o->offsets);
	cudaFree(o->columns);
	*o = {};
}
cusparseStatus_t sparse_order(cudaStream_t s, const cusparseSpMatDescr &a, bool transposed, ordered *o)
{
	*o = {};
	o->rows = transposed ? a.cols : a.rows;
	o->nnz = a.stored();
	size_t rows = (o->rows + 1) * sizeof(int64_t);
	int64_t *used = NULL;
	if (cudaMalloc(&o->offsets, rows) || cudaMalloc(&used, rows) || cudaMalloc(&o->columns, 2 * (o->nnz + 1) * sizeof(int64_t))) {
		cudaFree(used);
		order_free(o);
		return CUSPARSE_STATUS_ALLOC_FAILED;
	}
	o->at = o->columns + o->nnz;
	cudaMemsetAsync(o->offsets, 0, rows, s);
	cudaMemsetAsync(used, 0, rows, s);
	LAUNCH(sparse_count, a.lines(), s, a, transposed, (unsigned long long *)o->offsets + 1);
	sparse_scan(s, o->offsets, CUSPARSE_INDEX_64I, o->rows, 0);
	LAUNCH(sparse_place, a.lines(), s, a, transposed, o->offsets, (unsigned long long *)used, o->columns, o->at);
	LAUNCH(sparse_sort_rows, o->rows, s, *o);
	cudaStreamSynchronize(s);
	cudaFree(used);
	return launched();
}

/* ---- sorts and conversions with indices of 32 bits ---- */

/* Writes the parts of `o` whose arrays are not null; permutation[k] becomes permutation_in of the element's old place. */
template <class T>
static __global__ void sparse_deliver(ordered o, int base, int *offsets, int *rows, int *columns, const int *permutation_in,
				      int *permutation, const T *values_in, T *values)
{
	int64_t i = THREAD_INDEX;
	if (i > o.rows)
		return;
	if (offsets)
		offsets[i] = (int)(o.offsets[i] + base);
	for (int64_t k = o.offsets[i]; i < o.rows && k < o.offsets[i + 1]; k++) {
		if (rows)
			rows[k] = (int)(i + base);
		if (columns)
			columns[k] = (int)(o.columns[k] + base);
		if (permutation)
			permutation[k] = permutation_in[o.at[k]];
		if (values)
			values[k] = values_in[o.at[k]];
	}
}

template <class T>
static cusparseStatus_t csr2csc(cusparseHandle_t h, const cusparseSpMatDescr &a, T *values, int *offsets, int *rows)
{
	ordered o;
	cusparseStatus_t s = sparse_order(h->stream, a, true, &o);
	if (s)
		return s;
	LAUNCH(sparse_deliver<T>, o.rows + 1, h->stream, o, a.base, offsets, NULL, rows, NULL, NULL, (const T *)a.values, values);
	s = launched();
	cudaStreamSynchronize(h->stream);
	order_free(&o);
	return s;
}

/* The indices of `a` and the permutation in the order of rows, or columns; lines, where not null, get the line of each. */
static cusparseStatus_t sort_indices(cusparseHandle_t h, const cusparseSpMatDescr &a, bool transposed, int *lines, int *others,
				     int *permutation)
{
	ordered o;
	int *old = NULL;
	cusparseStatus_t s = sparse_order(h->stream, a, transposed, &o);
	if (s)
		return s;
	if (permutation) {
		if (cudaMalloc(&old, (a.nnz + 1) * sizeof(int))) {
			order_free(&o);
			return CUSPARSE_STATUS_ALLOC_FAILED;
		}
		cudaMemcpyAsync(old, permutation, a.nnz * sizeof(int), cudaMemcpyDeviceToDevice, h->stream);
	}
	LAUNCH(sparse_deliver<float>, o.rows + 1, h->stream, o, a.base, NULL, lines, others, old, permutation, NULL, NULL);
	s = launched();
	cudaStreamSynchronize(h->stream);
	cudaFree(old);
	order_free(&o);
	return s;
}
/* The index base is not given: one more row and column hold indices of either base. */
static cusparseSpMatDescr coo_of(int m, int n, int nnz, const int *rows, const int *columns)
{
	cusparseSpMatDescr a = csr_of(m + 1, n + 1, nnz, CUDA_R_32F, CUSPARSE_INDEX_BASE_ZERO, NULL, rows, columns);
	a.format = CUSPARSE_FORMAT_COO;
	return a;
}

/* rows are sorted: row i begins where the first is not below it. */
static __global__ void sparse_coo2csr(const int *rows, int nnz, int m, int *offsets, int base)
{
	int64_t i = THREAD_INDEX;
	if (i > m)
		return;
	int low = 0, high = nnz;
	while (low < high) {
		int middle = (low + high) / 2;
		if (rows[middle] - base < i)
			low = middle + 1;
		else
			high = middle;
	}
	offsets[i] = low + base;
}
static __global__ void sparse_csr2coo(const int *offsets, int m, int *rows, int base)
{
	int64_t i = THREAD_INDEX;
	for (int k = i < m ? offsets[i] - base : 0, end = i < m ? offsets[i + 1] - base : 0; k < end; k++)
		rows[k] = (int)i + base;
}
static __global__ void sparse_identity(int n, int *p)
{
	int64_t i = THREAD_INDEX;
	if (i < n)
		p[i] = (int)i;
}

/* ---- dense matrices ---- */

template <class T> static __global__ void sparse_clear(dense d)
{
	int64_t i = THREAD_INDEX;
	if (i < d.rows * d.cols)
		((T *)d.at)[i % d.rows * d.row + i / d.rows * d.col] = of_real<T>(0);
}
template <class T> static __global__ void sparse_to_dense(cusparseSpMatDescr a, dense d)
{
	int64_t i = THREAD_INDEX;
	if (i >= a.lines())
		return;
	for (int64_t k = a.first(i); k < a.last(i); k++) {
		entry e = a.get(i, k);
		if (e.col >= 0)
			((T *)d.at)[e.row * d.row + e.col * d.col] = ((const T *)a.values)[e.at];
	}
}
template <class T> static cusparseStatus_t to_dense(cusparseHandle_t h, const cusparseSpMatDescr &a, dense d)
{
	LAUNCH(sparse_clear<T>, d.rows * d.cols, h->stream, d);
	LAUNCH(sparse_to_dense<T>, a.lines(), h->stream, a, d);
	return launched();
}

/* Writes the number of non-zero elements of row i to counts[i + 1]. */
template <class T> static __global__ void sparse_count_dense(dense d, void *counts, cusparseIndexType_t type)
{
	int64_t i = THREAD_INDEX, n = 0;
	if (i >= d.rows)
		return;
	for (int64_t j = 0; j < d.cols; j++)
		n += !is_zero(((const T *)d.at)[i * d.row + j * d.col]);
	index_put(counts, type, i + 1, n);
}
/* offsets are from `from`; lines: of COO. */
template <class T>
static __global__ void sparse_from_dense(dense d, const void *offsets, cusparseIndexType_t type, int64_t from, cusparseSpMatDescr a)
{
	int64_t i = THREAD_INDEX;
	if (i >= d.rows)
		return;
	int64_t k = index_at(offsets, type, i) - from;
	for (int64_t j = 0; j < d.cols; j++) {
		T x = ((const T *)d.at)[i * d.row + j * d.col];
		if (is_zero(x))
			continue;
		if (a.format == CUSPARSE_FORMAT_COO)
			index_put(a.major, a.major_type, k, i + a.base);
		index_put(a.minor, a.minor_type, k, j + a.base);
		((T *)a.values)[k++] = x;
	}
}
/* The pattern is given, as that of blocks. */
template <class T> static __global__ void sparse_fill(dense d, cusparseSpMatDescr a)
{
	int64_t i = THREAD_INDEX;
	if (i >= a.lines())
		return;
	for (int64_t k = a.first(i); k < a.last(i); k++) {
		entry e = a.get(i, k);
		((T *)a.values)[e.at] = e.col < 0 ? of_real<T>(0) : ((const T *)d.at)[e.row * d.row + e.col * d.col];
	}
}

static bool counted(cusparseFormat_t f)
{
	return f == CUSPARSE_FORMAT_CSR || f == CUSPARSE_FORMAT_CSC || f == CUSPARSE_FORMAT_COO;
}
/* Offsets of the lines and their base: the matrix's own array, or the buffer for COO. */
static void *offsets_of(cusparseConstSpMatDescr_t a, void *buffer, cusparseIndexType_t *type, int64_t *from)
{
	bool coo = a->format == CUSPARSE_FORMAT_COO;
	*type = coo ? CUSPARSE_INDEX_64I : a->major_type;
	*from = coo ? 0 : a->base;
	return coo ? buffer : a->major;
}
template <class T> static cusparseStatus_t analyse(cusparseHandle_t h, dense d, cusparseSpMatDescr_t a, void *buffer)
{
	cusparseIndexType_t type;
	int64_t from, nnz = 0;
	void *offsets = offsets_of(a, buffer, &type, &from);
	LAUNCH(sparse_count_dense<T>, d.rows, h->stream, d, offsets, type);
	sparse_scan(h->stream, offsets, type, d.rows, from);
	if (cudaMemcpyAsync(&nnz, (char *)offsets + d.rows * index_bytes(type), index_bytes(type), cudaMemcpyDeviceToHost, h->stream) ||
	    cudaStreamSynchronize(h->stream))
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	a->nnz = nnz - from;
	return launched();
}
template <class T> static cusparseStatus_t convert(cusparseHandle_t h, dense d, cusparseSpMatDescr_t a, void *buffer)
{
	cusparseIndexType_t type;
	int64_t from;
	void *offsets = offsets_of(a, buffer, &type, &from);
	if (counted(a->format))
		LAUNCH(sparse_from_dense<T>, d.rows, h->stream, d, offsets, type, from, *a);
	else
		LAUNCH(sparse_fill<T>, a->lines(), h->stream, d, *a);
	return launched();
}
static cusparseStatus_t check_dense(cusparseHandle_t h, cusparseConstDnMatDescr_t d, cusparseConstSpMatDescr_t a)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	return !d || !a || d->rows != a->rows || d->cols != a->cols || d->type != a->type ? CUSPARSE_STATUS_INVALID_VALUE :
		CUSPARSE_STATUS_SUCCESS;
}

template <class T> static __global__ void sparse_total(int n, const int *counts, int *total)
{
	int sum = 0;
	for (int i = threadIdx.x; i < n; i += SPARSE_THREADS)
		sum += counts[i];
	T all = block_total<SPARSE_THREADS>((T)sum);
	if (!threadIdx.x)
		*total = (int)all;
}
template <class T>
static cusparseStatus_t nnz(cusparseHandle_t h, cusparseDirection_t direction, int m, int n, const T *a, int lda, int *counts,
			    int *total)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (m < 0 || n < 0 || lda < (m > 1 ? m : 1) || !counts || !total)
		return CUSPARSE_STATUS_INVALID_VALUE;
	bool rows = direction == CUSPARSE_DIRECTION_ROW, device = h->mode == CUSPARSE_POINTER_MODE_DEVICE;
	dense d = {(void *)a, rows ? 1 : lda, rows ? lda : 1, rows ? m : n, rows ? n : m, 0, 1};
	int *to = total;
	if (!device && cudaMalloc(&to, sizeof *to))
		return CUSPARSE_STATUS_ALLOC_FAILED;
	LAUNCH(sparse_count_dense<T>, d.rows, h->stream, d, counts - 1, CUSPARSE_INDEX_32I);
	sparse_total<double><<<1, SPARSE_THREADS, 0, h->stream>>>((int)d.rows, counts, to);
	cusparseStatus_t s = launched();
	if (!device) {
		if (cudaMemcpyAsync(total, to, sizeof *to, cudaMemcpyDeviceToHost, h->stream) || cudaStreamSynchronize(h->stream))
			s = CUSPARSE_STATUS_EXECUTION_FAILED;
		cudaFree(to);
	}
	return s;
}

/* A matrix by columns and its elements by lines: rows of it, or columns (of CSC the lines are those of the transposed). */
static bool lines_of(int m, int n, int lda, const void *a, bool columns, dense *d)
{
	*d = columns ? dense{(void *)a, lda, 1, n, m, 0, 1} : dense{(void *)a, 1, lda, m, n, 0, 1};
	return m >= 0 && n >= 0 && lda >= (m > 1 ? m : 1);
}
template <class T>
static cusparseStatus_t from_dense(cusparseHandle_t h, int m, int n, cusparseMatDescr_t descr, const T *a, int lda, T *values,
				   int *offsets, int *indices, bool columns)
{
	dense d;
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!descr || !lines_of(m, n, lda, a, columns, &d))
		return CUSPARSE_STATUS_INVALID_VALUE;
	cusparseSpMatDescr to = csr_of(d.rows, d.cols, 0, type_number<T>(), descr->base, values, offsets, indices);
	cusparseStatus_t s = analyse<T>(h, d, &to, NULL);
	return s ? s : convert<T>(h, d, &to, NULL);
}
template <class T>
static cusparseStatus_t fill_dense(cusparseHandle_t h, int m, int n, cusparseMatDescr_t descr, const T *values, const int *offsets,
				   const int *indices, T *a, int lda, bool columns)
{
	dense d;
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!descr || !lines_of(m, n, lda, a, columns, &d))
		return CUSPARSE_STATUS_INVALID_VALUE;
	return to_dense<T>(h, csr_of(d.rows, d.cols, 0, type_number<T>(), descr->base, values, offsets, indices), d);
}

extern "C" {
cusparseStatus_t cusparseCsr2cscEx2_bufferSize(cusparseHandle_t, int, int, int, const void *, const int *, const int *, void *,
	int *, int *, cudaDataType, cusparseAction_t, cusparseIndexBase_t, cusparseCsr2CscAlg_t, size_t *n)
{
	return no_buffer(n);
}
cusparseStatus_t cusparseCsr2cscEx2(cusparseHandle_t h, int m, int n, int nnz, const void *values, const int *offsets,
	const int *columns, void *csc_values, int *csc_offsets, int *rows, cudaDataType type, cusparseAction_t action,
	cusparseIndexBase_t base, cusparseCsr2CscAlg_t, void *)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (m < 0 || n < 0 || nnz < 0)
		return CUSPARSE_STATUS_INVALID_VALUE;
	cusparseSpMatDescr a = csr_of(m, n, nnz, type, base, values, offsets, columns);
	bool copied = action == CUSPARSE_ACTION_NUMERIC;
	BY_TYPE(type, csr2csc<T>(h, a, copied ? (T *)csc_values : NULL, csc_offsets, rows))
}
cusparseStatus_t cusparseXcoo2csr(cusparseHandle_t h, const int *rows, int nnz, int m, int *offsets, cusparseIndexBase_t base)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	LAUNCH(sparse_coo2csr, m + 1, h->stream, rows, nnz, m, offsets, base);
	return launched();
}
cusparseStatus_t cusparseXcsr2coo(cusparseHandle_t h, const int *offsets, int, int m, int *rows, cusparseIndexBase_t base)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	LAUNCH(sparse_csr2coo, m, h->stream, offsets, m, rows, base);
	return launched();
}
cusparseStatus_t cusparseCreateIdentityPermutation(cusparseHandle_t h, int n, int *p)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	LAUNCH(sparse_identity, n, h->stream, n, p);
	return launched();
}
#define SORT_SIZE(name) \
cusparseStatus_t name##_bufferSizeExt(cusparseHandle_t, int, int, int, const int *, const int *, size_t *n) { return no_buffer(n); }
SORT_SIZE(cusparseXcoosort)
SORT_SIZE(cusparseXcsrsort)
SORT_SIZE(cusparseXcscsort)
cusparseStatus_t cusparseXcoosortByRow(cusparseHandle_t h, int m, int n, int nnz, int *rows, int *columns, int *p, void *)
{
	return h ? sort_indices(h, coo_of(m, n, nnz, rows, columns), false, rows, columns, p) : CUSPARSE_STATUS_NOT_INITIALIZED;
}
cusparseStatus_t cusparseXcoosortByColumn(cusparseHandle_t h, int m, int n, int nnz, int *rows, int *columns, int *p, void *)
{
	return h ? sort_indices(h, coo_of(m, n, nnz, rows, columns), true, columns, rows, p) : CUSPARSE_STATUS_NOT_INITIALIZED;
}
cusparseStatus_t cusparseXcsrsort(cusparseHandle_t h, int m, int n, int nnz, const cusparseMatDescr_t d, const int *offsets,
	int *columns, int *p, void *)
{
	if (!h || !d)
		return h ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_NOT_INITIALIZED;
	return sort_indices(h, csr_of(m, n, nnz, CUDA_R_32F, d->base, NULL, offsets, columns), false, NULL, columns, p);
}
cusparseStatus_t cusparseXcscsort(cusparseHandle_t h, int m, int n, int nnz, const cusparseMatDescr_t d, const int *offsets,
	int *rows, int *p, void *buffer)
{
	return cusparseXcsrsort(h, n, m, nnz, d, offsets, rows, p, buffer);
}

cusparseStatus_t cusparseSparseToDense_bufferSize(cusparseHandle_t, cusparseConstSpMatDescr_t, cusparseDnMatDescr_t,
	cusparseSparseToDenseAlg_t, size_t *n)
{
	return no_buffer(n);
}
cusparseStatus_t cusparseSparseToDense(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseDnMatDescr_t d,
	cusparseSparseToDenseAlg_t, void *)
{
	if (cusparseStatus_t bad = check_dense(h, d, a))
		return bad;
	BY_TYPE(a->type, to_dense<T>(h, *a, of_matrix(d, false)))
}
cusparseStatus_t cusparseDenseToSparse_bufferSize(cusparseHandle_t, cusparseConstDnMatDescr_t, cusparseSpMatDescr_t a,
	cusparseDenseToSparseAlg_t, size_t *n)
{
	*n = (a->rows + 1) * sizeof(int64_t); /* COO: the buffer of line offsets */
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDenseToSparse_analysis(cusparseHandle_t h, cusparseConstDnMatDescr_t d, cusparseSpMatDescr_t a,
	cusparseDenseToSparseAlg_t, void *buffer)
{
	if (cusparseStatus_t bad = check_dense(h, d, a))
		return bad;
	if (!counted(a->format))
		return CUSPARSE_STATUS_SUCCESS;
	BY_TYPE(a->type, analyse<T>(h, of_matrix(d, a->format == CUSPARSE_FORMAT_CSC), a, buffer))
}
cusparseStatus_t cusparseDenseToSparse_convert(cusparseHandle_t h, cusparseConstDnMatDescr_t d, cusparseSpMatDescr_t a,
	cusparseDenseToSparseAlg_t, void *buffer)
{
	if (cusparseStatus_t bad = check_dense(h, d, a))
		return bad;
	BY_TYPE(a->type, convert<T>(h, of_matrix(d, a->format == CUSPARSE_FORMAT_CSC), a, buffer))
}
#define NNZ(L, T) \
cusparseStatus_t cusparse##L##nnz(cusparseHandle_t h, cusparseDirection_t direction, int m, int n, const cusparseMatDescr_t, \
	const T *a, int lda, int *counts, int *total) \
{ \
	return nnz(h, direction, m, n, a, lda, counts, total); \
}
FOR_TYPES(NNZ)
#define DENSE(L, T) \
cusparseStatus_t cusparse##L##dense2csr(cusparseHandle_t h, int m, int n, const cusparseMatDescr_t d, const T *a, int lda, \
	const int *, T *values, int *offsets, int *columns) \
{ \
	return from_dense(h, m, n, d, a, lda, values, offsets, columns, false); \
} \
cusparseStatus_t cusparse##L##dense2csc(cusparseHandle_t h, int m, int n, const cusparseMatDescr_t d, const T *a, int lda, \
	const int *, T *values, int *rows, int *offsets) \
{ \
	return from_dense(h, m, n, d, a, lda, values, offsets, rows, true); \
} \
cusparseStatus_t cusparse##L##csr2dense(cusparseHandle_t h, int m, int n, const cusparseMatDescr_t d, const T *values, \
	const int *offsets, const int *columns, T *a, int lda) \
{ \
	return fill_dense(h, m, n, d, values, offsets, columns, a, lda, false); \
} \
cusparseStatus_t cusparse##L##csc2dense(cusparseHandle_t h, int m, int n, const cusparseMatDescr_t d, const T *values, \
	const int *rows, const int *offsets, T *a, int lda) \
{ \
	return fill_dense(h, m, n, d, values, offsets, rows, a, lda, true); \
}
FOR_TYPES(DENSE)
} /* extern "C" */
