/*
 * cuSPARSE, a part: its handle and descriptors. Products are in cusparse_product.cu, conversions and sorts in
 * cusparse_order.cu, triangular systems in cusparse_solve.cu, sparse results in cusparse_gemm.cu.
 */
#include "cusparse_matrix.cuh"

template <class T, class... A> static cusparseStatus_t make(T **out, A... a)
{
	if (!out)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*out = new (std::nothrow) typename std::remove_const<T>::type{a...};
	return *out ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
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
template <class H, class T, class V> static cusparseStatus_t take(const H *p, T H::*field, V *v)
{
	if (!p || !v)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*v = p->*field;
	return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t make_matrix(cusparseSpMatDescr **m, cusparseFormat_t format, int64_t rows, int64_t cols, int64_t nnz,
				    const void *major, const void *minor, const void *values, cusparseIndexType_t major_type,
				    cusparseIndexType_t minor_type, cusparseIndexBase_t base, cudaDataType type,
				    int64_t high = 1, int64_t wide = 1, cusparseOrder_t order = CUSPARSE_ORDER_ROW)
{
	if (rows < 0 || cols < 0 || nnz < 0 || high < 1 || wide < 0 || (format == CUSPARSE_FORMAT_BLOCKED_ELL && (rows % high || wide % high)))
		return CUSPARSE_STATUS_INVALID_VALUE;
	return make(m, format, rows, cols, nnz, (void *)major, (void *)minor, (void *)values, major_type, minor_type, base, type, high,
		    wide, order, CUSPARSE_FILL_MODE_LOWER, CUSPARSE_DIAG_TYPE_NON_UNIT, 1, (int64_t)0, (int64_t)0, (int64_t)0);
}
static cusparseStatus_t set_arrays(cusparseSpMatDescr_t m, void *major, void *minor, void *values)
{
	if (!m)
		return CUSPARSE_STATUS_INVALID_VALUE;
	m->major = major;
	m->minor = minor;
	m->values = values;
	return CUSPARSE_STATUS_SUCCESS;
}
static cusparseStatus_t set_batch(cusparseSpMatDescr_t m, int count, int64_t major, int64_t minor, int64_t values)
{
	if (!m || count < 1)
		return CUSPARSE_STATUS_INVALID_VALUE;
	m->count = count;
	m->major_apart = major;
	m->minor_apart = minor;
	m->values_apart = values;
	return CUSPARSE_STATUS_SUCCESS;
}
/* Arrays with their types, of CSR and CSC. */
static cusparseStatus_t get_arrays(cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz, void **major,
				   void **minor, void **values, cusparseIndexType_t *major_type, cusparseIndexType_t *minor_type,
				   cusparseIndexBase_t *base, cudaDataType *type)
{
	if (!m)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*rows = m->rows, *cols = m->cols, *nnz = m->nnz;
	*major = m->major, *minor = m->minor, *values = m->values;
	*major_type = m->major_type, *minor_type = m->minor_type;
	*base = m->base, *type = m->type;
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

cusparseStatus_t cusparseCreate(cusparseHandle_t *h)
{
	cusparseStatus_t s = make(h);
	if (s || !cudaMalloc(&(*h)->result, sizeof(cuDoubleComplex)))
		return s;
	unmake(*h);
	return CUSPARSE_STATUS_ALLOC_FAILED;
}
cusparseStatus_t cusparseDestroy(cusparseHandle_t h)
{
	if (h)
		cudaFree(h->result);
	return unmake(h);
}
cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int *v)
{
	*v = CUSPARSE_VERSION;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseGetProperty(libraryPropertyType what, int *v)
{
	*v = what == MAJOR_VERSION ? CUSPARSE_VER_MAJOR : what == MINOR_VERSION ? CUSPARSE_VER_MINOR : CUSPARSE_VER_PATCH;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSetStream(cusparseHandle_t h, cudaStream_t s) { return put(h, &cusparseContext::stream, s); }
cusparseStatus_t cusparseGetStream(cusparseHandle_t h, cudaStream_t *s) { return take(h, &cusparseContext::stream, s); }
cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t h, cusparsePointerMode_t m) { return put(h, &cusparseContext::mode, m); }
cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t h, cusparsePointerMode_t *m) { return take(h, &cusparseContext::mode, m); }

cusparseStatus_t cusparseCreateMatDescr(cusparseMatDescr_t *d) { return make(d); }
cusparseStatus_t cusparseDestroyMatDescr(cusparseMatDescr_t d) { return unmake(d); }
cusparseStatus_t cusparseSetMatType(cusparseMatDescr_t d, cusparseMatrixType_t t) { return put(d, &cusparseMatDescr::type, t); }
cusparseStatus_t cusparseSetMatIndexBase(cusparseMatDescr_t d, cusparseIndexBase_t b) { return put(d, &cusparseMatDescr::base, b); }
cusparseStatus_t cusparseSetMatFillMode(cusparseMatDescr_t d, cusparseFillMode_t m) { return put(d, &cusparseMatDescr::fill, m); }
cusparseStatus_t cusparseSetMatDiagType(cusparseMatDescr_t d, cusparseDiagType_t t) { return put(d, &cusparseMatDescr::diag, t); }
cusparseMatrixType_t cusparseGetMatType(const cusparseMatDescr_t d) { return d->type; }
cusparseIndexBase_t cusparseGetMatIndexBase(const cusparseMatDescr_t d) { return d->base; }
cusparseFillMode_t cusparseGetMatFillMode(const cusparseMatDescr_t d) { return d->fill; }
cusparseDiagType_t cusparseGetMatDiagType(const cusparseMatDescr_t d) { return d->diag; }

/* Two forms of each: the arrays of the second are constant. */
#define BOTH(name, made, take_arguments, ...) \
cusparseStatus_t cusparseCreate##name(cusparse##made##Descr_t *m, take_arguments(void)) { return __VA_ARGS__; } \
cusparseStatus_t cusparseCreateConst##name(cusparseConst##made##Descr_t *p, take_arguments(const void)) \
{ \
	cusparse##made##Descr_t *m = (cusparse##made##Descr_t *)p; \
	return __VA_ARGS__; \
}
#define COMPRESSED(V) int64_t rows, int64_t cols, int64_t nnz, V *offsets, V *indices, V *values, \
	cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type
BOTH(Csr, SpMat, COMPRESSED, make_matrix(m, CUSPARSE_FORMAT_CSR, rows, cols, nnz, offsets, indices, values, offset_type, index_type, base, type))
BOTH(Csc, SpMat, COMPRESSED, make_matrix(m, CUSPARSE_FORMAT_CSC, rows, cols, nnz, offsets, indices, values, offset_type, index_type, base, type))
#define COO(V) int64_t rows, int64_t cols, int64_t nnz, V *row_indices, V *columns, V *values, \
	cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type
BOTH(Coo, SpMat, COO, make_matrix(m, CUSPARSE_FORMAT_COO, rows, cols, nnz, row_indices, columns, values, index_type, index_type, base, type))
#define BSR(V) int64_t rows, int64_t cols, int64_t blocks, int64_t high, int64_t wide, V *offsets, V *columns, V *values, \
	cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type, \
	cusparseOrder_t order
BOTH(Bsr, SpMat, BSR, make_matrix(m, CUSPARSE_FORMAT_BSR, rows * high, cols * wide, blocks * high * wide, offsets, columns, values,
				  offset_type, index_type, base, type, high, wide, order))
#define BLOCKED(V) int64_t rows, int64_t cols, int64_t size, int64_t ell_cols, V *columns, V *values, \
	cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type
BOTH(BlockedEll, SpMat, BLOCKED, make_matrix(m, CUSPARSE_FORMAT_BLOCKED_ELL, rows, cols, rows * ell_cols, nullptr, columns, values, index_type,
					     index_type, base, type, size, ell_cols))
#define SLICED(V) int64_t rows, int64_t cols, int64_t nnz, int64_t, int64_t size, V *offsets, V *columns, V *values, \
	cusparseIndexType_t offset_type, cusparseIndexType_t index_type, cusparseIndexBase_t base, cudaDataType type
BOTH(SlicedEll, SpMat, SLICED, make_matrix(m, CUSPARSE_FORMAT_SLICED_ELLPACK, rows, cols, nnz, offsets, columns, values, offset_type,
					   index_type, base, type, size))
#define SPARSE_VECTOR(V) int64_t n, int64_t nnz, V *indices, V *values, cusparseIndexType_t index_type, \
	cusparseIndexBase_t base, cudaDataType type
BOTH(SpVec, SpVec, SPARSE_VECTOR, make(m, n, nnz, (void *)indices, (void *)values, index_type, base, type))
#define DENSE_VECTOR(V) int64_t n, V *values, cudaDataType type
BOTH(DnVec, DnVec, DENSE_VECTOR, make(m, n, (void *)values, type))
#define DENSE_MATRIX(V) int64_t rows, int64_t cols, int64_t ld, V *values, cudaDataType type, cusparseOrder_t order
BOTH(DnMat, DnMat, DENSE_MATRIX, ld < (order == CUSPARSE_ORDER_COL ? rows : cols) ? CUSPARSE_STATUS_INVALID_VALUE :
	make(m, rows, cols, ld, (void *)values, type, order, 1, (int64_t)0))

cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t m) { return unmake(m); }
cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz)
{
	if (!m)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*rows = m->rows;
	*cols = m->cols;
	*nnz = m->nnz;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t m, cusparseFormat_t *f) { return take(m, &cusparseSpMatDescr::format, f); }
cusparseStatus_t cusparseSpMatGetIndexBase(cusparseConstSpMatDescr_t m, cusparseIndexBase_t *b) { return take(m, &cusparseSpMatDescr::base, b); }
cusparseStatus_t cusparseSpMatGetValues(cusparseSpMatDescr_t m, void **values) { return take(m, &cusparseSpMatDescr::values, values); }
cusparseStatus_t cusparseSpMatSetValues(cusparseSpMatDescr_t m, void *values) { return put(m, &cusparseSpMatDescr::values, values); }
cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t m, cusparseSpMatAttribute_t what, void *data, size_t bytes)
{
	if (!m || !data || bytes != sizeof(int))
		return CUSPARSE_STATUS_INVALID_VALUE;
	if (what == CUSPARSE_SPMAT_FILL_MODE)
		m->fill = *(const cusparseFillMode_t *)data;
	else
		m->diag = *(const cusparseDiagType_t *)data;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetAttribute(cusparseConstSpMatDescr_t m, cusparseSpMatAttribute_t what, void *data, size_t bytes)
{
	if (!m || !data || bytes != sizeof(int))
		return CUSPARSE_STATUS_INVALID_VALUE;
	*(int *)data = what == CUSPARSE_SPMAT_FILL_MODE ? (int)m->fill : (int)m->diag;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t m, int *count) { return take(m, &cusparseSpMatDescr::count, count); }
cusparseStatus_t cusparseCsrSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t offsets, int64_t columns_values)
{
	return set_batch(m, count, offsets, columns_values, columns_values);
}
cusparseStatus_t cusparseCooSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t stride)
{
	return set_batch(m, count, stride, stride, stride);
}
cusparseStatus_t cusparseBsrSetStridedBatch(cusparseSpMatDescr_t m, int count, int64_t offsets, int64_t columns, int64_t values)
{
	return set_batch(m, count, offsets, columns, values);
}
cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void *offsets, void *columns, void *values) { return set_arrays(m, offsets, columns, values); }
cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t m, void *offsets, void *rows, void *values) { return set_arrays(m, offsets, rows, values); }
cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t m, void *rows, void *columns, void *values) { return set_arrays(m, rows, columns, values); }
cusparseStatus_t cusparseCsrGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets, void **columns,
	void **values, cusparseIndexType_t *offset_type, cusparseIndexType_t *column_type, cusparseIndexBase_t *base,
	cudaDataType *type)
{
	return get_arrays(m, rows, cols, nnz, offsets, columns, values, offset_type, column_type, base, type);
}
cusparseStatus_t cusparseCscGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz, void **offsets, void **indices,
	void **values, cusparseIndexType_t *offset_type, cusparseIndexType_t *row_type, cusparseIndexBase_t *base,
	cudaDataType *type)
{
	return get_arrays(m, rows, cols, nnz, offsets, indices, values, offset_type, row_type, base, type);
}
cusparseStatus_t cusparseCooGet(cusparseSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz, void **row_indices,
	void **columns, void **values, cusparseIndexType_t *index_type, cusparseIndexBase_t *base, cudaDataType *type)
{
	cusparseIndexType_t other;
	return get_arrays(m, rows, cols, nnz, row_indices, columns, values, index_type, &other, base, type);
}

cusparseStatus_t cusparseDestroySpVec(cusparseConstSpVecDescr_t v) { return unmake(v); }
cusparseStatus_t cusparseSpVecGetIndexBase(cusparseConstSpVecDescr_t v, cusparseIndexBase_t *b) { return take(v, &cusparseSpVecDescr::base, b); }
cusparseStatus_t cusparseSpVecGetValues(cusparseSpVecDescr_t v, void **values) { return take(v, &cusparseSpVecDescr::values, values); }
cusparseStatus_t cusparseSpVecSetValues(cusparseSpVecDescr_t v, void *values) { return put(v, &cusparseSpVecDescr::values, values); }
cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t v) { return unmake(v); }
cusparseStatus_t cusparseDnVecGet(cusparseDnVecDescr_t v, int64_t *n, void **values, cudaDataType *type)
{
	if (!v)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*n = v->n, *values = v->values, *type = v->type;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnVecGetValues(cusparseDnVecDescr_t v, void **values) { return take(v, &cusparseDnVecDescr::values, values); }
cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *values) { return put(v, &cusparseDnVecDescr::values, values); }
cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t m) { return unmake(m); }
cusparseStatus_t cusparseDnMatGet(cusparseDnMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *ld, void **values,
	cudaDataType *type, cusparseOrder_t *order)
{
	if (!m)
		return CUSPARSE_STATUS_INVALID_VALUE;
	*rows = m->rows, *cols = m->cols, *ld = m->ld;
	*values = m->values, *type = m->type, *order = m->order;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseDnMatGetValues(cusparseDnMatDescr_t m, void **values) { return take(m, &cusparseDnMatDescr::values, values); }
cusparseStatus_t cusparseDnMatSetValues(cusparseDnMatDescr_t m, void *values) { return put(m, &cusparseDnMatDescr::values, values); }
cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int count, int64_t apart)
{
	if (!m || count < 1)
		return CUSPARSE_STATUS_INVALID_VALUE;
	m->count = count;
	m->apart = apart;
	return CUSPARSE_STATUS_SUCCESS;
}
} /* extern "C" */
