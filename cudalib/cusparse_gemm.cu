/*
 * cuSPARSE, sparse results: C = alpha A B + beta C (SpGEMM) and C = alpha A + beta B (csrgeam2), all of CSR.
 *
 * A thread takes a row of C. It lists the products that fall in the row, each by its column and number, and sorts them:
 * products of one column are then side by side, and their order, so the sum, is that of A's and B's elements. The list
 * stays in the descriptor: SpGEMMreuse takes new values of the same pattern with it.
 */
#include "cusparse_matrix.cuh"

struct cusparseSpGEMMDescr {
	int64_t rows, products, nnz;
	int64_t *starts;          /* first product of each row */
	int64_t *offsets;         /* row offsets of C, from 0 */
	int64_t *column, *number; /* sorted; number: index into the arrays below */
	int64_t *of_a, *of_b;     /* places of the two factors in A and B */
};

static __global__ void sparse_count_products(cusparseSpMatDescr a, cusparseSpMatDescr b, int64_t *starts)
{
	int64_t i = THREAD_INDEX, n = 0;
	if (i >= a.rows)
		return;
	for (int64_t k = a.first(i); k < a.last(i); k++)
		n += b.last(a.minor_at(k)) - b.first(a.minor_at(k));
	starts[i + 1] = n;
}
static __global__ void sparse_list_products(cusparseSpMatDescr a, cusparseSpMatDescr b, cusparseSpGEMMDescr p)
{
	int64_t i = THREAD_INDEX;
	if (i >= a.rows)
		return;
	int64_t begin = p.starts[i], at = begin, distinct = 0;
	for (int64_t k = a.first(i); k < a.last(i); k++) {
		int64_t row = a.minor_at(k);
		for (int64_t q = b.first(row); q < b.last(row); q++, at++) {
			p.column[at] = b.minor_at(q);
			p.number[at] = at;
			p.of_a[at] = k;
			p.of_b[at] = q;
		}
	}
	sort_pairs(p.column + begin, p.number + begin, at - begin);
	for (int64_t k = begin; k < at; k++)
		distinct += k == begin || p.column[k] != p.column[k - 1];
	p.offsets[i + 1] = distinct;
}
static __global__ void sparse_pattern(cusparseSpGEMMDescr p, cusparseSpMatDescr c)
{
	int64_t i = THREAD_INDEX;
	if (i > p.rows)
		return;
	index_put(c.major, c.major_type, i, p.offsets[i] + c.base);
	if (i == p.rows)
		return;
	int64_t to = p.offsets[i];
	for (int64_t k = p.starts[i]; k < p.starts[i + 1]; k++)
		if (k == p.starts[i] || p.column[k] != p.column[k - 1])
			index_put(c.minor, c.minor_type, to++, p.column[k] + c.base);
}
template <class T>
static __global__ void sparse_sum_products(cusparseSpGEMMDescr p, const T *a, const T *b, T *c, scalar<T> alpha, scalar<T> beta)
{
	int64_t i = THREAD_INDEX;
	if (i >= p.rows)
		return;
	T al = alpha.get(), be = beta.get();
	int64_t to = p.offsets[i], end = p.starts[i + 1];
	for (int64_t k = p.starts[i]; k < end; to++) {
		T sum = of_real<T>(0);
		int64_t column = p.column[k];
		for (; k < end && p.column[k] == column; k++)
			sum = add(sum, mul(a[p.of_a[p.number[k]]], b[p.of_b[p.number[k]]]));
		c[to] = is_zero(be) ? mul(al, sum) : add(mul(al, sum), mul(be, c[to]));
	}
}

static void product_free(cusparseSpGEMMDescr_t p)
{
	cudaFree(p->starts);
	cudaFree(p->column);
	*p = {};
}
static cusparseStatus_t total(cudaStream_t s, const int64_t *at, int64_t *n)
{
	return cudaMemcpyAsync(n, at, sizeof *n, cudaMemcpyDeviceToHost, s) || cudaStreamSynchronize(s) ? CUSPARSE_STATUS_EXECUTION_FAILED :
		launched();
}
static cusparseStatus_t check(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, cusparseConstSpMatDescr_t a,
			      cusparseConstSpMatDescr_t b, cusparseConstSpMatDescr_t c, cusparseSpGEMMDescr_t p)
{
	if (!h)
		return CUSPARSE_STATUS_NOT_INITIALIZED;
	if (!a || !b || !c || !p || a->cols != b->rows || a->rows != c->rows || b->cols != c->cols)
		return CUSPARSE_STATUS_INVALID_VALUE;
	const cusparseFormat_t csr = CUSPARSE_FORMAT_CSR;
	if (turned(opa) || turned(opb) || a->format != csr || b->format != csr || c->format != csr)
		return refuse("a product of sparse matrices other than CSR, or transposed,");
	return CUSPARSE_STATUS_SUCCESS;
}
/* Counts the products. */
static cusparseStatus_t count_products(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
				       cusparseSpGEMMDescr_t p)
{
	product_free(p);
	p->rows = a->rows;
	if (cudaMalloc(&p->starts, 2 * (p->rows + 1) * sizeof(int64_t)))
		return CUSPARSE_STATUS_ALLOC_FAILED;
	p->offsets = p->starts + p->rows + 1;
	LAUNCH(sparse_count_products, a->rows, h->stream, *a, *b, p->starts);
	sparse_scan(h->stream, p->starts, CUSPARSE_INDEX_64I, p->rows, 0);
	return total(h->stream, p->starts + p->rows, &p->products);
}
/* Finds the pattern of C and its number of elements. */
static cusparseStatus_t list_products(cusparseHandle_t h, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
				      cusparseSpMatDescr_t c, cusparseSpGEMMDescr_t p)
{
	if (!p->starts)
		if (cusparseStatus_t bad = count_products(h, a, b, p))
			return bad;
	cudaFree(p->column);
	p->column = NULL;
	if (cudaMalloc(&p->column, 4 * (p->products + 1) * sizeof(int64_t)))
		return CUSPARSE_STATUS_INSUFFICIENT_RESOURCES;
	p->number = p->column + p->products;
	p->of_a = p->number + p->products;
	p->of_b = p->of_a + p->products;
	LAUNCH(sparse_list_products, a->rows, h->stream, *a, *b, *p);
	sparse_scan(h->stream, p->offsets, CUSPARSE_INDEX_64I, p->rows, 0);
	cusparseStatus_t s = total(h->stream, p->offsets + p->rows, &p->nnz);
	c->nnz = p->nnz;
	return s;
}
static cusparseStatus_t copy_pattern(cusparseHandle_t h, cusparseSpMatDescr_t c, cusparseSpGEMMDescr_t p)
{
	if (!p->column)
		return CUSPARSE_STATUS_INVALID_VALUE;
	LAUNCH(sparse_pattern, p->rows + 1, h->stream, *p, *c);
	return launched();
}
template <class T>
static cusparseStatus_t sum_products(cusparseHandle_t h, cusparseSpGEMMDescr_t p, const void *alpha, cusparseConstSpMatDescr_t a,
				     cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c)
{
	if (!p->column)
		return CUSPARSE_STATUS_INVALID_VALUE;
	LAUNCH(sparse_sum_products<T>, p->rows, h->stream, *p, (const T *)a->values, (const T *)b->values, (T *)c->values,
	       scalar_of<T>(h, alpha), scalar_of<T>(h, beta));
	return launched();
}

/* ---- alpha A + beta B ---- */

/* Rows of both are sorted by column. With `columns` writes C's elements, else only their number: offsets[i + 1]. */
template <class T>
static __global__ void sparse_add(cusparseSpMatDescr a, cusparseSpMatDescr b, scalar<T> alpha, scalar<T> beta, int base, int *offsets,
				  int *columns, T *values)
{
	int64_t i = THREAD_INDEX;
	if (i >= a.rows)
		return;
	int64_t x = a.first(i), y = b.first(i), xe = a.last(i), ye = b.last(i);
	int to = columns ? offsets[i] - base : 0;
	for (; x < xe || y < ye; to++) {
		int64_t ca = x < xe ? a.minor_at(x) : a.cols, cb = y < ye ? b.minor_at(y) : a.cols, col = ca < cb ? ca : cb;
		if (columns) {
			T sum = of_real<T>(0);
			if (ca == col)
				sum = mul(alpha.get(), ((const T *)a.values)[x]);
			if (cb == col)
				sum = add(sum, mul(beta.get(), ((const T *)b.values)[y]));
			columns[to] = (int)col + base;
			values[to] = sum;
		}
		x += ca == col;
		y += cb == col;
	}
	if (!columns)
		offsets[i + 1] = to;
}
static __global__ void sparse_last(const int *offsets, int m, int base, int *n) { *n = offsets[m] - base; }

extern "C" {
cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *p)
{
	*p = new (std::nothrow) cusparseSpGEMMDescr();
	return *p ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}
cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t p)
{
	if (p)
		product_free(p);
	delete p;
	return CUSPARSE_STATUS_SUCCESS;
}
/* A first call asks for the size of a buffer, and needs none: work is done where one is given. */
cusparseStatus_t cusparseSpGEMM_workEstimation(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *,
	cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *, cusparseSpMatDescr_t c, cudaDataType,
	cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t p, size_t *bytes, void *buffer)
{
	cusparseStatus_t s = check(h, opa, opb, a, b, c, p);
	*bytes = 4;
	return s || !buffer ? s : count_products(h, a, b, p);
}
cusparseStatus_t cusparseSpGEMM_getNumProducts(cusparseSpGEMMDescr_t p, int64_t *n)
{
	*n = p->products;
	return CUSPARSE_STATUS_SUCCESS;
}
cusparseStatus_t cusparseSpGEMM_estimateMemory(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *,
	cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *, cusparseSpMatDescr_t c, cudaDataType,
	cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t p, float, size_t *bytes, void *, size_t *more)
{
	*bytes = 4;
	if (more)
		*more = 4;
	return check(h, opa, opb, a, b, c, p);
}
cusparseStatus_t cusparseSpGEMM_compute(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *,
	cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *, cusparseSpMatDescr_t c, cudaDataType,
	cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t p, size_t *bytes, void *buffer)
{
	cusparseStatus_t s = check(h, opa, opb, a, b, c, p);
	*bytes = 4;
	return s || !buffer ? s : list_products(h, a, b, c, p);
}
cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb, const void *alpha,
	cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c, cudaDataType type,
	cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t p)
{
	cusparseStatus_t s = check(h, opa, opb, a, b, c, p);
	s = s ? s : copy_pattern(h, c, p);
	if (s)
		return s;
	if (a->type != type || b->type != type || c->type != type)
		return refuse("a product of mixed types");
	BY_TYPE(type, sum_products<T>(h, p, alpha, a, b, beta, c))
}
cusparseStatus_t cusparseSpGEMMreuse_workEstimation(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb,
	cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t,
	cusparseSpGEMMDescr_t p, size_t *bytes, void *buffer)
{
	cusparseStatus_t s = check(h, opa, opb, a, b, c, p);
	*bytes = 4;
	return s || !buffer ? s : count_products(h, a, b, p);
}
cusparseStatus_t cusparseSpGEMMreuse_nnz(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb,
	cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t,
	cusparseSpGEMMDescr_t p, size_t *bytes2, void *buffer2, size_t *bytes3, void *, size_t *bytes4, void *)
{
	cusparseStatus_t s = check(h, opa, opb, a, b, c, p);
	*bytes2 = *bytes3 = *bytes4 = 4;
	return s || !buffer2 ? s : list_products(h, a, b, c, p);
}
cusparseStatus_t cusparseSpGEMMreuse_copy(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb,
	cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, cusparseSpMatDescr_t c, cusparseSpGEMMAlg_t,
	cusparseSpGEMMDescr_t p, size_t *bytes, void *buffer)
{
	cusparseStatus_t s = check(h, opa, opb, a, b, c, p);
	*bytes = 4;
	return s || !buffer ? s : copy_pattern(h, c, p);
}
cusparseStatus_t cusparseSpGEMMreuse_compute(cusparseHandle_t h, cusparseOperation_t opa, cusparseOperation_t opb,
	const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b, const void *beta, cusparseSpMatDescr_t c,
	cudaDataType type, cusparseSpGEMMAlg_t, cusparseSpGEMMDescr_t p)
{
	cusparseStatus_t s = check(h, opa, opb, a, b, c, p);
	if (s)
		return s;
	if (a->type != type || b->type != type || c->type != type)
		return refuse("a product of mixed types");
	BY_TYPE(type, sum_products<T>(h, p, alpha, a, b, beta, c))
}

cusparseStatus_t cusparseXcsrgeam2Nnz(cusparseHandle_t h, int m, int n, const cusparseMatDescr_t da, int nnza, const int *ra,
	const int *ca, const cusparseMatDescr_t db, int nnzb, const int *rb, const int *cb, const cusparseMatDescr_t dc, int *rc,
	int *nnz, void *)
{
	if (!h || !da || !db || !dc)
		return h ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_NOT_INITIALIZED;
	cusparseSpMatDescr a = csr_of(m, n, nnza, CUDA_R_32F, da->base, NULL, ra, ca), b = csr_of(m, n, nnzb, CUDA_R_32F, db->base, NULL, rb, cb);
	scalar<float> none = {};
	LAUNCH(sparse_add<float>, m, h->stream, a, b, none, none, dc->base, rc, NULL, NULL);
	sparse_scan(h->stream, rc, CUSPARSE_INDEX_32I, m, dc->base);
	if (!nnz)
		return launched();
	if (h->mode == CUSPARSE_POINTER_MODE_DEVICE) {
		sparse_last<<<1, 1, 0, h->stream>>>(rc, m, dc->base, nnz);
		return launched();
	}
	if (cudaMemcpyAsync(nnz, rc + m, sizeof *nnz, cudaMemcpyDeviceToHost, h->stream) || cudaStreamSynchronize(h->stream))
		return CUSPARSE_STATUS_EXECUTION_FAILED;
	*nnz -= dc->base;
	return launched();
}
#define GEAM(L, T) \
cusparseStatus_t cusparse##L##csrgeam2_bufferSizeExt(cusparseHandle_t, int, int, const T *, const cusparseMatDescr_t, int, \
	const T *, const int *, const int *, const T *, const cusparseMatDescr_t, int, const T *, const int *, const int *, \
	const cusparseMatDescr_t, const T *, const int *, const int *, size_t *bytes) \
{ \
	return no_buffer(bytes); \
} \
cusparseStatus_t cusparse##L##csrgeam2(cusparseHandle_t h, int m, int n, const T *alpha, const cusparseMatDescr_t da, int nnza, \
	const T *va, const int *ra, const int *ca, const T *beta, const cusparseMatDescr_t db, int nnzb, const T *vb, \
	const int *rb, const int *cb, const cusparseMatDescr_t dc, T *vc, int *rc, int *cc, void *) \
{ \
	if (!h || !da || !db || !dc) \
		return h ? CUSPARSE_STATUS_INVALID_VALUE : CUSPARSE_STATUS_NOT_INITIALIZED; \
	cusparseSpMatDescr a = csr_of(m, n, nnza, type_number<T>(), da->base, va, ra, ca); \
	cusparseSpMatDescr b = csr_of(m, n, nnzb, type_number<T>(), db->base, vb, rb, cb); \
	if (cc) \
		LAUNCH(sparse_add<T>, m, h->stream, a, b, scalar_of<T>(h, alpha), scalar_of<T>(h, beta), dc->base, rc, cc, vc); \
	return launched(); \
}
FOR_TYPES(GEAM)
} /* extern "C" */
