/*
 * cuBLASLt, a part: products of matrices by descriptors. The product itself is cuBLAS's; a kernel of its own performs
 * the epilogue: a bias for each row of D, ReLU, GELU. A matrix by rows is the transpose of one by columns.
 */
#include <cstring>
#include <new>
#include "cublasLt.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "fails.h"

struct layout {
	cudaDataType type;
	int order;
	uint64_t rows, cols;
	int64_t ld, stride;
	int count;
};
struct matmul {
	cublasComputeType_t compute;
	cudaDataType scale;
	int mode, opa, opb, epilogue, bias_type; /* bias_type: -1, as D */
	const void *bias;
	int64_t bias_stride;
};
static_assert(sizeof(layout) <= sizeof(cublasLtMatrixLayoutOpaque_t) && sizeof(matmul) <= sizeof(cublasLtMatmulDescOpaque_t), "");
enum { THREADS = 256, EPILOGUES = CUBLASLT_EPILOGUE_DEFAULT | CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_GELU };

static layout *of(cublasLtMatrixLayout_t l) { return (layout *)l; }
static matmul *of(cublasLtMatmulDesc_t d) { return (matmul *)d; }

static __device__ float read_as_float(const void *p, int type, size_t i)
{
	switch (type) {
	case CUDA_R_64F: return (float)((const double *)p)[i];
	case CUDA_R_16F: return __half2float(((const __half *)p)[i]);
	case CUDA_R_16BF: return __bfloat162float(((const __nv_bfloat16 *)p)[i]);
	default: return ((const float *)p)[i];
	}
}
static __device__ void write_float(void *p, int type, size_t i, float x)
{
	switch (type) {
	case CUDA_R_64F: ((double *)p)[i] = x; break;
	case CUDA_R_16F: ((__half *)p)[i] = __float2half(x); break;
	case CUDA_R_16BF: ((__nv_bfloat16 *)p)[i] = __float2bfloat16(x); break;
	default: ((float *)p)[i] = x; break;
	}
}

/* One element of D per thread, one matrix of the batch per y of the grid. */
static __global__ void blaslt_epilogue(int epilogue, layout d, void *data, const void *bias, int bias_type, int64_t bias_stride)
{
	size_t e = blockIdx.x * (size_t)THREADS + threadIdx.x;
	if (e >= d.rows * d.cols)
		return;
	size_t row = e % d.rows, col = e / d.rows;
	size_t at = blockIdx.y * d.stride + (d.order == CUBLASLT_ORDER_COL ? col * d.ld + row : row * d.ld + col);
	float x = read_as_float(data, d.type, at);
	if (epilogue & CUBLASLT_EPILOGUE_BIAS)
		x += read_as_float(bias, bias_type, blockIdx.y * bias_stride + row);
	if (epilogue & CUBLASLT_EPILOGUE_RELU)
		x = x > 0 ? x : 0;
	if (epilogue & CUBLASLT_EPILOGUE_GELU)
		x = 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
	write_float(data, d.type, at, x);
}

static size_t width_of(cudaDataType type)
{
	switch (type) {
	case CUDA_R_8I: return 1;
	case CUDA_R_16F:
	case CUDA_R_16BF: return 2;
	case CUDA_R_64F:
	case CUDA_C_32F: return 8;
	case CUDA_C_64F: return 16;
	default: return 4;
	}
}

/* The reason why a product is not supported, or NULL. */
static const char *refusal(const matmul *p, const layout *a, const layout *b, const layout *c, const layout *d)
{
	if (p->epilogue & ~EPILOGUES)
		return "an epilogue other than bias, ReLU and GELU";
	if (a->order > CUBLASLT_ORDER_ROW || b->order > CUBLASLT_ORDER_ROW || d->order > CUBLASLT_ORDER_ROW)
		return "an order of elements other than by columns or rows";
	if (c->order != d->order || c->type != d->type)
		return "C of another type or order than D";
	if (p->epilogue != CUBLASLT_EPILOGUE_DEFAULT && d->type != CUDA_R_32F && d->type != CUDA_R_64F && d->type != CUDA_R_16F &&
	    d->type != CUDA_R_16BF)
		return "an epilogue of this type";
	bool turned = a->order == CUBLASLT_ORDER_ROW || b->order == CUBLASLT_ORDER_ROW || d->order == CUBLASLT_ORDER_ROW;
	if (turned && (p->opa == CUBLAS_OP_C || p->opb == CUBLAS_OP_C))
		return "a conjugate of a matrix by rows";
	return NULL;
}
static cublasStatus_t refuse(const char *why)
{
	library_fails("cuBLASLt: %s is not supported", why);
	return CUBLAS_STATUS_NOT_SUPPORTED;
}

/* The operation on a matrix by columns that equals `op` on a matrix of layout l. */
static cublasOperation_t by_columns(int op, const layout *l, bool turned)
{
	bool flip = (l->order == CUBLASLT_ORDER_ROW) != turned;
	return (cublasOperation_t)(!flip ? op : op == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N);
}

/* A field, or no such attribute; the size must be the one the attribute has. */
template <class T> static cublasStatus_t put(T *field, const void *value, size_t size)
{
	if (!value || size != sizeof(T))
		return CUBLAS_STATUS_INVALID_VALUE;
	memcpy(field, value, size);
	return CUBLAS_STATUS_SUCCESS;
}
template <class O, class T> static cublasStatus_t make(O **out, const T &from)
{
	*out = new (std::nothrow) O();
	if (!*out)
		return CUBLAS_STATUS_ALLOC_FAILED;
	memcpy(*out, &from, sizeof from);
	return CUBLAS_STATUS_SUCCESS;
}
static layout first_layout(cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld) { return {type, CUBLASLT_ORDER_COL, rows, cols, ld, 0, 1}; }
static matmul first_matmul(cublasComputeType_t compute, cudaDataType scale)
{
	return {compute, scale, CUBLASLT_POINTER_MODE_HOST, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, -1, NULL, 0};
}

extern "C" {
cublasStatus_t cublasLtCreate(cublasLtHandle_t *h) { return cublasCreate_v2(h); }
cublasStatus_t cublasLtDestroy(cublasLtHandle_t h) { return cublasDestroy_v2(h); }
size_t cublasLtGetVersion(void) { return CUBLAS_VERSION; }
size_t cublasLtGetCudartVersion(void) { return cublasGetCudartVersion(); }
cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int *value) { return cublasGetProperty(type, value); }
const char *cublasLtGetStatusName(cublasStatus_t status) { return cublasGetStatusName(status); }
const char *cublasLtGetStatusString(cublasStatus_t status) { return cublasGetStatusString(status); }

cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t l, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
	*of(l) = first_layout(type, rows, cols, ld);
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *l, cudaDataType type, uint64_t rows, uint64_t cols, int64_t ld)
{
	return make(l, first_layout(type, rows, cols, ld));
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t l)
{
	delete l;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t l, cublasLtMatrixLayoutAttribute_t which,
	const void *value, size_t size)
{
	switch (which) {
	case CUBLASLT_MATRIX_LAYOUT_TYPE: return put(&of(l)->type, value, size);
	case CUBLASLT_MATRIX_LAYOUT_ORDER: return put(&of(l)->order, value, size);
	case CUBLASLT_MATRIX_LAYOUT_ROWS: return put(&of(l)->rows, value, size);
	case CUBLASLT_MATRIX_LAYOUT_COLS: return put(&of(l)->cols, value, size);
	case CUBLASLT_MATRIX_LAYOUT_LD: return put(&of(l)->ld, value, size);
	case CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT: return put(&of(l)->count, value, size);
	case CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET: return put(&of(l)->stride, value, size);
	default: return refuse("an attribute of a layout");
	}
}
cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t d, cublasComputeType_t compute, cudaDataType_t scale)
{
	*of(d) = first_matmul(compute, scale);
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *d, cublasComputeType_t compute, cudaDataType_t scale)
{
	return make(d, first_matmul(compute, scale));
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t d)
{
	delete d;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t d, cublasLtMatmulDescAttributes_t which, const void *value,
	size_t size)
{
	switch (which) {
	case CUBLASLT_MATMUL_DESC_COMPUTE_TYPE: return put(&of(d)->compute, value, size);
	case CUBLASLT_MATMUL_DESC_SCALE_TYPE: return put(&of(d)->scale, value, size);
	case CUBLASLT_MATMUL_DESC_POINTER_MODE: return put(&of(d)->mode, value, size);
	case CUBLASLT_MATMUL_DESC_TRANSA: return put(&of(d)->opa, value, size);
	case CUBLASLT_MATMUL_DESC_TRANSB: return put(&of(d)->opb, value, size);
	case CUBLASLT_MATMUL_DESC_EPILOGUE: return put(&of(d)->epilogue, value, size);
	case CUBLASLT_MATMUL_DESC_BIAS_POINTER: return put(&of(d)->bias, value, size);
	case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE: return put(&of(d)->bias_type, value, size);
	case CUBLASLT_MATMUL_DESC_BIAS_BATCH_STRIDE: return put(&of(d)->bias_stride, value, size);
	case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
	case CUBLASLT_MATMUL_DESC_FAST_ACCUM: return CUBLAS_STATUS_SUCCESS; /* affects speed only */
	default: return refuse("an attribute of a product (scales, auxiliary outputs)");
	}
}
/* Preferences affect speed only, and there is one algorithm. */
cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t p)
{
	memset(p, 0, sizeof *p);
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *p) { return make(p, cublasLtMatmulPreferenceOpaque_t()); }
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t p)
{
	delete p;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t p, cublasLtMatmulPreferenceAttributes_t,
	const void *value, size_t)
{
	return p && value ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t h, cublasLtMatmulDesc_t p, cublasLtMatrixLayout_t a,
	cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d, cublasLtMatmulPreference_t, int most,
	cublasLtMatmulHeuristicResult_t results[], int *count)
{
	if (!h || !p || !a || !b || !c || !d || !count || most < 1)
		return CUBLAS_STATUS_INVALID_VALUE;
	*count = 0;
	if (const char *why = refusal(of(p), of(a), of(b), of(c), of(d)))
		return refuse(why);
	memset(results, 0, sizeof *results);
	results->wavesCount = 1;
	*count = 1;
	return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmul(cublasLtHandle_t h, cublasLtMatmulDesc_t desc, const void *alpha, const void *a,
	cublasLtMatrixLayout_t layout_a, const void *b, cublasLtMatrixLayout_t layout_b, const void *beta, const void *c,
	cublasLtMatrixLayout_t layout_c, void *d, cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t *, void *,
	size_t, cudaStream_t stream)
{
	if (!h || !desc || !layout_a || !layout_b || !layout_c || !layout_d || !alpha || !beta || !a || !b || !d)
		return CUBLAS_STATUS_INVALID_VALUE;
	const matmul *p = of(desc);
	const layout *la = of(layout_a), *lb = of(layout_b), *lc = of(layout_c), *ld = of(layout_d);
	if (const char *why = refusal(p, la, lb, lc, ld))
		return refuse(why);
	int m = (int)ld->rows, n = (int)ld->cols, k = (int)(p->opa == CUBLAS_OP_N ? la->cols : la->rows);
	if ((p->opa == CUBLAS_OP_N ? la->rows : la->cols) != ld->rows || (p->opb == CUBLAS_OP_N ? lb->cols : lb->rows) != ld->cols ||
	    (p->opb == CUBLAS_OP_N ? lb->rows : lb->cols) != (uint64_t)k || la->count != ld->count || lb->count != ld->count)
		return CUBLAS_STATUS_INVALID_VALUE;
	/* D by rows: its transpose is op(B)^T op(A)^T, by columns */
	bool turned = ld->order == CUBLASLT_ORDER_ROW;
	size_t width = width_of(ld->type), line = (turned ? n : m) * width, lines = turned ? m : n;
	for (int z = 0; c && c != d && z < ld->count; z++)
		if (cudaMemcpy2DAsync((char *)d + z * ld->stride * width, ld->ld * width, (const char *)c + z * lc->stride * width,
				      lc->ld * width, line, lines, cudaMemcpyDeviceToDevice, stream))
			return CUBLAS_STATUS_EXECUTION_FAILED;
	cudaStream_t old_stream = NULL;
	cublasPointerMode_t old_mode = CUBLAS_POINTER_MODE_HOST;
	cublasGetStream_v2(h, &old_stream);
	cublasGetPointerMode_v2(h, &old_mode);
	cublasSetStream_v2(h, stream);
	cublasSetPointerMode_v2(h, p->mode == CUBLASLT_POINTER_MODE_HOST ? CUBLAS_POINTER_MODE_HOST : CUBLAS_POINTER_MODE_DEVICE);
	cublasOperation_t opa = by_columns(p->opa, la, turned), opb = by_columns(p->opb, lb, turned);
	cublasStatus_t st = turned ?
		cublasGemmStridedBatchedEx(h, opb, opa, n, m, k, alpha, b, lb->type, (int)lb->ld, lb->stride, a, la->type,
					   (int)la->ld, la->stride, beta, d, ld->type, (int)ld->ld, ld->stride, ld->count,
					   p->compute, CUBLAS_GEMM_DEFAULT) :
		cublasGemmStridedBatchedEx(h, opa, opb, m, n, k, alpha, a, la->type, (int)la->ld, la->stride, b, lb->type,
					   (int)lb->ld, lb->stride, beta, d, ld->type, (int)ld->ld, ld->stride, ld->count,
					   p->compute, CUBLAS_GEMM_DEFAULT);
	cublasSetStream_v2(h, old_stream);
	cublasSetPointerMode_v2(h, old_mode);
	if (st == CUBLAS_STATUS_NOT_SUPPORTED)
		return refuse("a product of these types");
	if (st || p->epilogue == CUBLASLT_EPILOGUE_DEFAULT || !m || !n)
		return st;
	dim3 grid((unsigned)(((size_t)m * n + THREADS - 1) / THREADS), ld->count);
	blaslt_epilogue<<<grid, THREADS, 0, stream>>>(p->epilogue, *ld, d, p->bias, p->bias_type < 0 ? (int)ld->type : p->bias_type,
						      p->bias_stride);
	return cudaPeekAtLastError() ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
}
} /* extern "C" */
