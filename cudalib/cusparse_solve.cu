/*
 * cuSPARSE, triangular systems and incomplete factors. The analysis finds levels: rows of a level depend only on rows
 * of earlier levels. A block then solves level after level, one row per thread; several right-hand sides take a block
 * each.
 */
#include <vector>
#include "cusparse_matrix.cuh"

/* op(A) by rows and its rows by level: those of level l are order[starts[l]] to order[starts[l + 1]]. */
struct levels {
	ordered rows;
	int64_t *order, *starts;
	int64_t count;
	bool lower; /* op(A) is lower triangular */
};
struct cusparseSpSVDescr : levels {};
struct cusparseSpSMDescr : levels {};
struct factor_info : levels {
	int *pivot; /* on the device: the first row, from 0, without a pivot; NO_PIVOT: all have one */
	int base;
};
struct csrsv2Info : levels {};
struct csrilu02Info : factor_info {};
struct csric02Info : factor_info {};
enum { NO_PIVOT = 0x7fffffff };

static void levels_free(levels *l)
{
	order_free(&l->rows);
	cudaFree(l->order);
	l->order = NULL;
}

static cusparseStatus_t levels_find(cudaStream_t s, const cusparseSpMatDescr &a, cusparseOperation_t op, bool lower, levels *l)
{
	if (a.rows != a.cols)
		return CUSPARSE_STATUS_INVALID_VALUE;
	levels_free(l);
	if (cusparseStatus_t bad = sparse_order(s, a, turned(op), &l->rows))
		return bad;
	int64_t n = l->rows.rows, nnz;
	l->lower = lower != turned(op);
	std::vector<int64_t> offsets(n + 1), level(n), order(n), starts;
	if (cudaMemcpy(offsets.data(), l->rows.offsets, (n + 1) * sizeof(int64_t), cudaMemcpyDeviceToHost))
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	nnz = offsets[n];
	std::vector<int64_t> columns(nnz);
	if (nnz && cudaMemcpy(columns.data(), l->rows.columns, nnz * sizeof(int64_t), cudaMemcpyDeviceToHost))
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	l->count = 0;
	for (int64_t step = 0; step < n; step++) {
		int64_t i = l->lower ? step : n - 1 - step;
		for (int64_t k = offsets[i]; k < offsets[i + 1]; k++)
			if ((l->lower ? columns[k] < i : columns[k] > i) && level[columns[k]] >= level[i])
				level[i] = level[columns[k]] + 1;
		l->count = level[i] >= l->count ? level[i] + 1 : l->count;
	}
	starts.assign(l->count + 1, 0);
	for (int64_t i = 0; i < n; i++)
		starts[level[i] + 1]++;
	for (int64_t k = 0; k < l->count; k++)
		starts[k + 1] += starts[k];
	std::vector<int64_t> next(starts);
	for (int64_t i = 0; i < n; i++)
		order[next[level[i]]++] = i;
	if (cudaMalloc(&l->order, (n + l->count + 1) * sizeof(int64_t)))
		return CUSPARSE_STATUS_ALLOC_FAILED;
	l->starts = l->order + n;
	cudaMemcpy(l->starts, starts.data(), starts.size() * sizeof(int64_t), cudaMemcpyHostToDevice);
	if (n)
		cudaMemcpy(l->order, order.data(), n * sizeof(int64_t), cudaMemcpyHostToDevice);
	return launched();
}

/* For each row i of each level, by one block. */
#define FOR_ROWS(l, i) \
	for (int64_t level_ = 0; level_ < (l).count; level_++, __syncthreads()) \
		for (int64_t r_ = (l).starts[level_] + threadIdx.x, i; r_ < (l).starts[level_ + 1] && (i = (l).order[r_], true); \
		     r_ += SPARSE_THREADS)

template <class T>
static __global__ void sparse_solve(levels l, const T *values, bool conjugated, bool unit, scalar<T> alpha, dense b, bool conjugate_b,
				    dense x)
{
	const T *from = (const T *)b.at + blockIdx.x * b.col;
	T *to = (T *)x.at + blockIdx.x * x.col, al = alpha.get();
	FOR_ROWS (l, i) {
		T s = from[i * b.row], d = of_real<T>(unit);
		s = mul(al, conjugate_b ? conjugate(s) : s);
		for (int64_t k = l.rows.offsets[i]; k < l.rows.offsets[i + 1]; k++) {
			int64_t j = l.rows.columns[k];
			T v = values[l.rows.at[k]];
			v = conjugated ? conjugate(v) : v;
			if (l.lower ? j < i : j > i)
				s = sub(s, mul(v, to[j * x.row]));
			else if (j == i && !unit)
				d = v;
		}
		to[i * x.row] = unit ? s : quotient(s, d);
	}
}
template <class T>
static cusparseStatus_t solve(cusparseHandle_t h, const levels &l, const void *values, cusparseOperation_t op, bool unit,
			      const void *alpha, dense b, bool conjugate_b, dense x)
{
	if (!l.order)
		return CUSPARSE_STATUS_INVALID_VALUE; /* no analysis */
	if (x.cols && l.rows.rows)
		sparse_solve<T><<<(unsigned)x.cols, SPARSE_THREADS, 0, h->stream>>>(l, (const T *)values,
			op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, unit, scalar_of<T>(h, alpha), b, conjugate_b, x);
	return launched();
}
static cusparseStatus_t any_solve(cusparseHandle_t h, const levels *l, cusparseOperation_t op, const void *alpha,
				  cusparseConstSpMatDescr_t a, dense b, bool conjugate_b, dense x, cudaDataType type)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!l || !alpha || !a || a->rows != b.rows || a->rows != x.rows || b.cols != x.cols)
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (a->type != type)
		return refuse("a solution of mixed types");
	bool unit = a->diag == CUSPARSE_DIAG_TYPE_UNIT;
	BY_TYPE(type, solve<T>(h, *l, a->values, op, unit, alpha, b, conjugate_b, x))
}
static cusparseStatus_t analysis(cusparseHandle_t h, cusparseOperation_t op, cusparseConstSpMatDescr_t a, levels *l)
{
	if (!h || !a || !l)
		return h ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_NOT_INITIALIZED;
	return levels_find(h->stream, *a, op, a->fill == CUSPARSE_FILL_MODE_LOWER, l);
}

template <class D> static cusparseStatus_t create(D **d)
{
	if (!d)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*d = new (std::nothrow) D();
	return *d ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}
template <class D> static cusparseStatus_t destroy(D *d)
{
	if (d)
		levels_free(d);
	delete d;
	return CUSPARSE_STATUS_SUCCESS;
}

/* ---- incomplete factors: of the pattern of A ---- */

/* The place of (i, j), or -1. */
static __device__ int64_t find(const ordered &o, int64_t i, int64_t j)
{
	int64_t low = o.offsets[i], high = o.offsets[i + 1];
	while (low < high) {
		int64_t middle = (low + high) / 2;
		if (o.columns[middle] < j)
			low = middle + 1;
		else
			high = middle;
	}
	return low < o.offsets[i + 1] && o.columns[low] == j ? o.at[low] : -1;
}
template <class T> static __device__ void note_pivot(int *pivot, int64_t i, T d)
{
	if (is_zero(d))
		atomicMin(pivot, (int)i);
}
template <class T> static __global__ void sparse_ilu(levels l, T *values, int *pivot)
{
	const ordered &o = l.rows;
	FOR_ROWS (l, i) {
		for (int64_t k = o.offsets[i]; k < o.offsets[i + 1] && o.columns[k] < i; k++) {
			int64_t j = o.columns[k], d = find(o, j, j);
			if (d < 0)
				continue;
			T f = values[o.at[k]] = quotient(values[o.at[k]], values[d]);
			for (int64_t q = o.offsets[j]; q < o.offsets[j + 1]; q++) {
				int64_t to = o.columns[q] > j ? find(o, i, o.columns[q]) : -1;
				if (to >= 0)
					values[to] = sub(values[to], mul(f, values[o.at[q]]));
			}
		}
		int64_t d = find(o, i, i);
		note_pivot(pivot, i, d < 0 ? of_real<T>(0) : values[d]);
	}
}
/* A = L L^H in the lower triangle. */
template <class T> static __global__ void sparse_ic(levels l, T *values, int *pivot)
{
	const ordered &o = l.rows;
	FOR_ROWS (l, i) {
		real<T> sum = 0;
		for (int64_t k = o.offsets[i]; k < o.offsets[i + 1] && o.columns[k] < i; k++) {
			int64_t j = o.columns[k], d = find(o, j, j);
			T s = values[o.at[k]];
			for (int64_t q = o.offsets[i]; q < k; q++) {
				int64_t other = find(o, j, o.columns[q]);
				if (other >= 0)
					s = sub(s, mul(values[o.at[q]], conjugate(values[other])));
			}
			s = d < 0 ? s : quotient(s, values[d]);
			values[o.at[k]] = s;
			sum += square(s);
		}
		int64_t d = find(o, i, i);
		real<T> left = d < 0 ? 0 : real_part(values[d]) - sum;
		if (d >= 0)
			values[d] = of_real<T>(root_of(left));
		note_pivot(pivot, i, left > 0 ? left : real<T>(0));
	}
}

static cusparseStatus_t factor_analysis(cusparseHandle_t h, int m, int nnz, cusparseMatDescr_t d, const void *values,
					const int *offsets, const int *columns, factor_info *info, cudaDataType type)
{
	if (!h || !d || !info)
		return h ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_NOT_INITIALIZED;
	int none = NO_PIVOT;
	if (!info->pivot && cudaMalloc(&info->pivot, sizeof(int)))
		return CUSPARSE_STATUS_ALLOC_FAILED;
	cudaMemcpy(info->pivot, &none, sizeof none, cudaMemcpyHostToDevice);
	info->base = d->base;
	cusparseSpMatDescr a = csr_of(m, m, nnz, type, d->base, values, offsets, columns);
	return levels_find(h->stream, a, CUSPARSE_OPERATION_NON_TRANSPOSE, true, info);
}
static cusparseStatus_t zero_pivot(cusparseHandle_t h, const factor_info *info, int *position)
{
	int row = NO_PIVOT;
	if (!h || !info || !position)
		return CUSPARSE_STATUS_INVALID_VALUE;
	cudaStreamSynchronize(h->stream);
	if (info->pivot)
		cudaMemcpy(&row, info->pivot, sizeof row, cudaMemcpyDeviceToHost);
	row = row == NO_PIVOT ? -1 : row + info->base;
	cudaMemcpy(position, &row, sizeof row, cudaMemcpyDefault);
	return row < 0 ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ZERO_PIVOT;
}
template <class I> static cusparseStatus_t destroy_factor(I *info)
{
	if (info)
		cudaFree(info->pivot);
	return destroy(info);
}

extern "C" {
cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *d) { return create(d); }
cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t d) { return destroy(d); }
cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void *, cusparseConstSpMatDescr_t,
	cusparseConstDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t, cusparseSpSVDescr_t, size_t *n)
{
	return no_buffer(n);
}
cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t h, cusparseOperation_t op, const void *, cusparseConstSpMatDescr_t a,
	cusparseConstDnVecDescr_t, cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t, cusparseSpSVDescr_t d, void *)
{
	return analysis(h, op, a, d);
}
cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t h, cusparseOperation_t op, const void *alpha, cusparseConstSpMatDescr_t a,
	cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y, cudaDataType type, cusparseSpSVAlg_t, cusparseSpSVDescr_t d)
{
	if (!a || !x || !y || x->type != a->type || y->type != a->type)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return any_solve(h, d, op, alpha, a, of_vector(x), false, of_vector(y), type);
}
/* The solution uses the present values of the matrix. */
cusparseStatus_t cusparseSpSV_updateMatrix(cusparseHandle_t h, cusparseSpSVDescr_t d, void *, cusparseSpSVUpdate_t)
{
	return h && d ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

cusparseStatus_t cusparseSpSM_createDescr(cusparseSpSMDescr_t *d) { return create(d); }
cusparseStatus_t cusparseSpSM_destroyDescr(cusparseSpSMDescr_t d) { return destroy(d); }
cusparseStatus_t cusparseSpSM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
	cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, cusparseDnMatDescr_t, cudaDataType, cusparseSpSMAlg_t,
	cusparseSpSMDescr_t, size_t *n)
{
	return no_buffer(n);
}
cusparseStatus_t cusparseSpSM_analysis(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t, const void *,
	cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t, cusparseDnMatDescr_t, cudaDataType, cusparseSpSMAlg_t,
	cusparseSpSMDescr_t d, void *)
{
	return analysis(h, opa, a, d);
}
cusparseStatus_t cusparseSpSM_solve(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha,
	cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpSMAlg_t,
	cusparseSpSMDescr_t d)
{
	if (!a || !b || !c || b->type != a->type || c->type != a->type)
		return CUSPARSE_STATUS_INVALID_VALUE;
	return any_solve(h, d, opa, alpha, a, of_matrix(b, turned(opb)), opb == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE,
			 of_matrix(c, false), type);
}

#define INFO(Kind, kind, end) \
cusparseStatus_t cusparseCreate##Kind##Info(kind##Info_t *info) { return create(info); } \
cusparseStatus_t cusparseDestroy##Kind##Info(kind##Info_t info) { return end(info); }
INFO(Csrsv2, csrsv2, destroy)
INFO(Csrilu02, csrilu02, destroy_factor)
INFO(Csric02, csric02, destroy_factor)
cusparseStatus_t cusparseXcsrilu02_zeroPivot(cusparseHandle_t h, csrilu02Info_t info, int *p) { return zero_pivot(h, info, p); }
cusparseStatus_t cusparseXcsric02_zeroPivot(cusparseHandle_t h, csric02Info_t info, int *p) { return zero_pivot(h, info, p); }

#define FACTOR(L, T, kind, kernel) \
cusparseStatus_t cusparse##L##kind##_bufferSize(cusparseHandle_t, int, int, const cusparseMatDescr_t, T *, const int *, \
	const int *, kind##Info_t, int *n) \
{ \
	*n = 4; \
	return CUSPARSE_STATUS_SUCCESS; \
} \
cusparseStatus_t cusparse##L##kind##_analysis(cusparseHandle_t h, int m, int nnz, const cusparseMatDescr_t d, const T *values, \
	const int *offsets, const int *columns, kind##Info_t info, cusparseSolvePolicy_t, void *) \
{ \
	return factor_analysis(h, m, nnz, d, values, offsets, columns, info, type_number<T>()); \
} \
cusparseStatus_t cusparse##L##kind(cusparseHandle_t h, int, int, const cusparseMatDescr_t, T *values, const int *, \
	const int *, kind##Info_t info, cusparseSolvePolicy_t, void *) \
{ \
	if (!h || !info || !info->order) \
		return h ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_NOT_INITIALIZED; \
	kernel<T><<<1, SPARSE_THREADS, 0, h->stream>>>(*info, values, info->pivot); \
	return launched(); \
}
#define FACTORS(L, T) \
FACTOR(L, T, csrilu02, sparse_ilu) \
FACTOR(L, T, csric02, sparse_ic) \
cusparseStatus_t cusparse##L##csrsv2_bufferSize(cusparseHandle_t, cusparseOperation_t, int, int, const cusparseMatDescr_t, T *, \
	const int *, const int *, csrsv2Info_t, int *n) \
{ \
	*n = 4; \
	return CUSPARSE_STATUS_SUCCESS; \
} \
cusparseStatus_t cusparse##L##csrsv2_analysis(cusparseHandle_t h, cusparseOperation_t op, int m, int nnz, \
	const cusparseMatDescr_t d, const T *values, const int *offsets, const int *columns, csrsv2Info_t info, \
	cusparseSolvePolicy_t, void *) \
{ \
	if (!h || !d || !info) \
		return h ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_NOT_INITIALIZED; \
	cusparseSpMatDescr a = csr_of(m, m, nnz, type_number<T>(), d->base, values, offsets, columns); \
	return levels_find(h->stream, a, op, d->fill == CUSPARSE_FILL_MODE_LOWER, info); \
} \
cusparseStatus_t cusparse##L##csrsv2_solve(cusparseHandle_t h, cusparseOperation_t op, int m, int, const T *alpha, \
	const cusparseMatDescr_t d, const T *values, const int *, const int *, csrsv2Info_t info, const T *f, T *x, \
	cusparseSolvePolicy_t, void *) \
{ \
	if (!h || !d || !info) \
		return h ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_NOT_INITIALIZED; \
	dense from = {(void *)f, 1, m, m, 1, 0, 1}, to = {x, 1, m, m, 1, 0, 1}; \
	return solve<T>(h, *info, values, op, d->diag == CUSPARSE_DIAG_TYPE_UNIT, alpha, from, false, to); \
}
FOR_TYPES(FACTORS)
} /* extern "C" */
