/*
 * cuBLASLt, a part: products of matrices by descriptors. The product itself is cuBLAS's. With an epilogue, scales or 8-bit
 * results it is a matrix of floats, from which a kernel of its own makes D. 8-bit floats are exact as halves, which
 * replace them before the product. A matrix by rows is the transpose of one by columns.
 */
#include <cstring>
#include <new>
#include "cublasLt.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_fp8.h"
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
	void *bias;
	int64_t bias_stride;
	void *aux; /* the values before ReLU or GELU: written by _AUX, read by gradients */
	int64_t aux_ld, aux_stride;
	int aux_type; /* -1: as D */
	const float *scale_a, *scale_b, *scale_c, *scale_d; /* NULL: 1 */
	float *amax_d;                                      /* NULL: none */
};
static_assert(sizeof(layout) <= sizeof(cublasLtMatrixLayoutOpaque_t) && sizeof(matmul) <= sizeof(cublasLtMatmulDescOpaque_t), "");
enum { THREADS = 256, WARP = 32 };
/* The bits of an epilogue. */
enum { RELU = 2, BIAS = 4, DRELU = 8, BGRAD = 16, GELU = 32, DGELU = 64, AUX = 128, BGRADA = 256, BGRADB = 512, ALL_BITS = 1023 };

static layout *of(cublasLtMatrixLayout_t l) { return (layout *)l; }
static matmul *of(cublasLtMatmulDesc_t d) { return (matmul *)d; }

static __device__ float read_as_float(const void *p, int type, size_t i)
{
	switch (type) {
	case CUDA_R_64F: return (float)((const double *)p)[i];
	case CUDA_R_16F: return __half2float(((const __half *)p)[i]);
	case CUDA_R_16BF: return __bfloat162float(((const __nv_bfloat16 *)p)[i]);
	case CUDA_R_32I: return (float)((const int *)p)[i];
	case CUDA_R_8I: return (float)((const signed char *)p)[i];
	case CUDA_R_8F_E4M3: return __half2float(__half(__nv_cvt_fp8_to_halfraw(((const unsigned char *)p)[i], __NV_E4M3)));
	case CUDA_R_8F_E5M2: return __half2float(__half(__nv_cvt_fp8_to_halfraw(((const unsigned char *)p)[i], __NV_E5M2)));
	default: return ((const float *)p)[i];
	}
}
static __device__ void write_float(void *p, int type, size_t i, float x)
{
	switch (type) {
	case CUDA_R_64F: ((double *)p)[i] = x; break;
	case CUDA_R_16F: ((__half *)p)[i] = __float2half(x); break;
	case CUDA_R_16BF: ((__nv_bfloat16 *)p)[i] = __float2bfloat16(x); break;
	case CUDA_R_32I: ((int *)p)[i] = (int)rintf(x); break;
	case CUDA_R_8I: ((signed char *)p)[i] = (signed char)rintf(fminf(fmaxf(x, -128), 127)); break;
	case CUDA_R_8F_E4M3: ((unsigned char *)p)[i] = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3); break;
	case CUDA_R_8F_E5M2: ((unsigned char *)p)[i] = __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E5M2); break;
	default: ((float *)p)[i] = x; break;
	}
}
static __device__ float scale_of(const float *p) { return p ? *p : 1; }
static __device__ size_t place_of(const layout &l, size_t row, size_t col, unsigned z)
{
	return z * l.stride + (l.order == CUBLASLT_ORDER_COL ? col * l.ld + row : row * l.ld + col);
}
static __device__ float gelu(float x) { return 0.5f * x * (1 + tanhf(0.7978845608f * (x + 0.044715f * x * x * x))); }
static __device__ float gelu_slope(float x)
{
	float t = tanhf(0.7978845608f * (x + 0.044715f * x * x * x));
	return 0.5f * (1 + t) + 0.5f * x * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * x * x);
}

/* All elements of an 8-bit matrix as halves, which represent each of them. */
static __global__ void blaslt_widen(const void *from, int type, __half *to, size_t n)
{
	size_t i = blockIdx.x * (size_t)THREADS + threadIdx.x;
	if (i < n)
		to[i] = __float2half(read_as_float(from, type, i));
}

/* What makes D of the product, which is without gaps, by columns, float or int. */
struct finish {
	matmul p;
	layout c, d;
	float *product;
	bool ints;
	const void *from_c;
	void *to_d;
	const float *alpha, *beta; /* device memory; NULL: the values below */
	float alpha_value, beta_value;
	int bias_type, aux_type;
};

/* The bit of an element whose value before ReLU was positive. */
static __device__ void write_mask(const finish &f, size_t bit, bool positive)
{
	unsigned *word = (unsigned *)f.p.aux + bit / WARP, mask = 1u << bit % WARP;
	if (positive)
		atomicOr(word, mask);
	else
		atomicAnd(word, ~mask);
}

/* One element of D per thread, one matrix of the batch per y of the grid. The value before the last scale replaces the
 * product, for sums. */
static __global__ void blaslt_finish(finish f)
{
	size_t e = blockIdx.x * (size_t)THREADS + threadIdx.x, n = f.d.rows * f.d.cols;
	unsigned z = blockIdx.y;
	if (e >= n)
		return;
	size_t row = e % f.d.rows, col = e / f.d.rows, at = z * n + e;
	float beta = f.beta ? *f.beta : f.beta_value, x = f.ints ? (float)((int *)f.product)[at] : f.product[at];
	int what = f.p.epilogue;
	x *= (f.alpha ? *f.alpha : f.alpha_value) * scale_of(f.p.scale_a) * scale_of(f.p.scale_b);
	if (beta != 0)
		x += beta * scale_of(f.p.scale_c) * read_as_float(f.from_c, f.c.type, place_of(f.c, row, col, z));
	if (what & BIAS)
		x += read_as_float(f.p.bias, f.bias_type, z * f.p.bias_stride + row);
	size_t aux = z * f.p.aux_stride + col * f.p.aux_ld + row;
	if (what & AUX && what & GELU)
		write_float(f.p.aux, f.aux_type, aux, x);
	if (what & AUX && what & RELU)
		write_mask(f, aux, x > 0);
	if (what & RELU)
		x = x > 0 ? x : 0;
	if (what & GELU)
		x = gelu(x);
	if (what & DGELU)
		x *= gelu_slope(read_as_float(f.p.aux, f.aux_type, aux));
	if (what & DRELU)
		x = ((const unsigned *)f.p.aux)[aux / WARP] >> aux % WARP & 1 ? x : 0;
	f.product[at] = x;
	if (f.p.amax_d) /* magnitudes are ordered as their bits */
		atomicMax((int *)f.p.amax_d, __float_as_int(fabsf(x)));
	write_float(f.to_d, f.d.type, place_of(f.d, row, col, z), x * scale_of(f.p.scale_d));
}

/* Gradient of the bias: a sum per block, in an order that does not depend on the machine. Element i of line b is at
 * b * across + i * along of matrix z. */
static __global__ void blaslt_sums(const void *from, int type, size_t across, size_t along, size_t n, int64_t stride, void *bias,
				   int bias_type, int64_t bias_stride)
{
	__shared__ float part[THREADS];
	float sum = 0;
	for (size_t i = threadIdx.x; i < n; i += THREADS)
		sum += read_as_float(from, type, blockIdx.y * stride + blockIdx.x * across + i * along);
	part[threadIdx.x] = sum;
	for (unsigned half = THREADS / 2; half; half /= 2) {
		__syncthreads();
		if (threadIdx.x < half)
			part[threadIdx.x] += part[threadIdx.x + half];
	}
	if (!threadIdx.x)
		write_float(bias, bias_type, blockIdx.y * bias_stride + blockIdx.x, part[0]);
}

static size_t width_of(cudaDataType type)
{
	switch (type) {
	case CUDA_R_8I:
	case CUDA_R_8F_E4M3:
	case CUDA_R_8F_E5M2: return 1;
	case CUDA_R_16F:
	case CUDA_R_16BF: return 2;
	case CUDA_R_64F:
	case CUDA_C_32F: return 8;
	case CUDA_C_64F: return 16;
	default: return 4;
	}
}

static bool is_fp8(const layout *l) { return l->type == CUDA_R_8F_E4M3 || l->type == CUDA_R_8F_E5M2; }
static bool is_complex(const layout *l) { return l->type == CUDA_C_32F || l->type == CUDA_C_64F; }

/* True if D is made of a product of its own; else cuBLAS writes it. */
static bool needs_finish(const matmul *p, const layout *a, const layout *b, const layout *c, const layout *d)
{
	return p->epilogue != CUBLASLT_EPILOGUE_DEFAULT || is_fp8(a) || is_fp8(b) || d->type == CUDA_R_8I || c->type != d->type ||
	       p->scale_a || p->scale_b || p->scale_c || p->scale_d || p->amax_d;
}

/* The reason why a product is not supported, or NULL. */
static const char *refusal(const matmul *p, const layout *a, const layout *b, const layout *c, const layout *d)
{
	bool finish = needs_finish(p, a, b, c, d);
	if (p->epilogue & ~ALL_BITS)
		return "an epilogue that CUDA 11 does not have";
	if (a->order > CUBLASLT_ORDER_ROW || b->order > CUBLASLT_ORDER_ROW || d->order > CUBLASLT_ORDER_ROW)
		return "an order of elements other than by columns or rows";
	if (c->order != d->order)
		return "C of another order than D";
	if (finish && (is_complex(d) || is_complex(a) || d->type == CUDA_R_64F || a->type == CUDA_R_64F || p->scale != CUDA_R_32F))
		return "an epilogue, a scale or two result types with other factors than floats";
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
	return {compute, scale, CUBLASLT_POINTER_MODE_HOST, CUBLAS_OP_N, CUBLAS_OP_N, CUBLASLT_EPILOGUE_DEFAULT, -1, NULL, 0,
		NULL, 0, 0, -1, NULL, NULL, NULL, NULL, NULL};
}

/* Elements of memory that a batch of matrices spans. */
static size_t span_of(const layout *l)
{
	size_t lines = l->order == CUBLASLT_ORDER_COL ? l->cols : l->rows;
	return (l->count > 1 ? (l->count - 1) * l->stride : 0) + lines * l->ld;
}

/* A batch as cuBLAS takes it: as it is, or 8-bit floats as halves, which the caller frees. */
static const void *widen(const void *data, layout *l, void **copy, cudaStream_t stream)
{
	*copy = NULL;
	if (!is_fp8(l))
		return data;
	size_t n = span_of(l);
	if (cudaMallocAsync(copy, n * sizeof(__half), stream))
		return NULL;
	blaslt_widen<<<(unsigned)((n + THREADS - 1) / THREADS), THREADS, 0, stream>>>(data, l->type, (__half *)*copy, n);
	l->type = CUDA_R_16F;
	return *copy;
}

/* The gradient of the bias: sums of D's rows, of op(A)'s rows or of op(B)'s columns. */
static void sum_bias(const finish &f, const layout *a, const void *data_a, const layout *b, const void *data_b, cudaStream_t stream)
{
	const matmul *p = &f.p;
	int what = p->epilogue;
	if (what & BGRAD) {
		dim3 grid((unsigned)f.d.rows, f.d.count);
		blaslt_sums<<<grid, THREADS, 0, stream>>>(f.product, CUDA_R_32F, 1, f.d.rows, f.d.cols, f.d.rows * f.d.cols, p->bias,
							  f.bias_type, p->bias_stride);
	}
	for (int side = 0; side < 2; side++) {
		const layout *l = side ? b : a;
		int op = side ? p->opb : p->opa;
		/* lines: rows of op(A), columns of op(B) */
		bool by_row = (op == CUBLAS_OP_N) != side, near = by_row == (l->order == CUBLASLT_ORDER_COL);
		size_t lines = by_row ? l->rows : l->cols, n = by_row ? l->cols : l->rows;
		dim3 grid((unsigned)lines, l->count);
		if (what & (side ? BGRADB : BGRADA))
			blaslt_sums<<<grid, THREADS, 0, stream>>>(side ? data_b : data_a, l->type, near ? 1 : l->ld, near ? l->ld : 1, n,
								  l->stride, p->bias, f.bias_type, p->bias_stride);
	}
}

/* A product whose D is made by blaslt_finish. */
static cublasStatus_t finished(cublasHandle_t h, const finish &from, layout a, const void *data_a, layout b, const void *data_b,
			       cudaStream_t stream)
{
	finish f = from;
	void *wide_a = NULL, *wide_b = NULL, *product = NULL;
	const layout first_a = a, first_b = b;
	int m = (int)f.d.rows, n = (int)f.d.cols, k = (int)(f.p.opa == CUBLAS_OP_N ? a.cols : a.rows);
	size_t each = (size_t)m * n;
	const void *from_a = widen(data_a, &a, &wide_a, stream), *from_b = widen(data_b, &b, &wide_b, stream);
	f.ints = a.type == CUDA_R_8I && b.type == CUDA_R_8I;
	cublasStatus_t st = CUBLAS_STATUS_ALLOC_FAILED;
	if (from_a && from_b && !cudaMallocAsync(&product, each * f.d.count * sizeof(float), stream)) {
		static const float one = 1, zero = 0;
		static const int one_int = 1, zero_int = 0;
		st = cublasGemmStridedBatchedEx(h, by_columns(f.p.opa, &a, false), by_columns(f.p.opb, &b, false), m, n, k,
			f.ints ? (const void *)&one_int : &one, from_a, a.type, (int)a.ld, a.stride, from_b, b.type, (int)b.ld, b.stride,
			f.ints ? (const void *)&zero_int : &zero, product, f.ints ? CUDA_R_32I : CUDA_R_32F, m, each, f.d.count,
			f.ints ? CUBLAS_COMPUTE_32I : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
	}
	if (!st) {
		f.product = (float *)product;
		if (f.p.amax_d)
			cudaMemsetAsync(f.p.amax_d, 0, sizeof(float), stream);
		dim3 grid((unsigned)((each + THREADS - 1) / THREADS), f.d.count);
		blaslt_finish<<<grid, THREADS, 0, stream>>>(f);
		sum_bias(f, &first_a, data_a, &first_b, data_b, stream);
		st = cudaPeekAtLastError() ? CUBLAS_STATUS_EXECUTION_FAILED : CUBLAS_STATUS_SUCCESS;
	}
	cudaFreeAsync(product, stream);
	cudaFreeAsync(wide_a, stream);
	cudaFreeAsync(wide_b, stream);
	return st;
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
	case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER: return put(&of(d)->aux, value, size);
	case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD: return put(&of(d)->aux_ld, value, size);
	case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE: return put(&of(d)->aux_stride, value, size);
	case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_DATA_TYPE: return put(&of(d)->aux_type, value, size);
	case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER: return put(&of(d)->scale_a, value, size);
	case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER: return put(&of(d)->scale_b, value, size);
	case CUBLASLT_MATMUL_DESC_C_SCALE_POINTER: return put(&of(d)->scale_c, value, size);
	case CUBLASLT_MATMUL_DESC_D_SCALE_POINTER: return put(&of(d)->scale_d, value, size);
	case CUBLASLT_MATMUL_DESC_AMAX_D_POINTER: return put(&of(d)->amax_d, value, size);
	case CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET:
	case CUBLASLT_MATMUL_DESC_FAST_ACCUM: return CUBLAS_STATUS_SUCCESS; /* affects speed only */
	default: return refuse("this attribute of a product");
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
	bool finish_it = needs_finish(p, la, lb, lc, ld);
	if (finish_it && ((p->epilogue & (BIAS | BGRAD | BGRADA | BGRADB) && !p->bias) || (p->epilogue & AUX && (!p->aux || p->aux_ld < m))))
		return CUBLAS_STATUS_INVALID_VALUE;
	for (int z = 0; !finish_it && c && c != d && z < ld->count; z++)
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
	cublasStatus_t st = CUBLAS_STATUS_SUCCESS;
	bool on_device = p->mode != CUBLASLT_POINTER_MODE_HOST;
	if (finish_it && m && n) {
		cublasSetPointerMode_v2(h, CUBLAS_POINTER_MODE_HOST);
		st = finished(h, {*p, *lc, *ld, NULL, false, c, d, on_device ? (const float *)alpha : NULL, on_device ? (const float *)beta : NULL,
				  on_device ? 0 : *(const float *)alpha, on_device ? 0 : *(const float *)beta,
				  p->bias_type < 0 ? (int)ld->type : p->bias_type, p->aux_type < 0 ? (int)ld->type : p->aux_type},
			      *la, a, *lb, b, stream);
	} else if (m && n) {
		st = turned ?
		cublasGemmStridedBatchedEx(h, opb, opa, n, m, k, alpha, b, lb->type, (int)lb->ld, lb->stride, a, la->type,
					   (int)la->ld, la->stride, beta, d, ld->type, (int)ld->ld, ld->stride, ld->count,
					   p->compute, CUBLAS_GEMM_DEFAULT) :
		cublasGemmStridedBatchedEx(h, opa, opb, m, n, k, alpha, a, la->type, (int)la->ld, la->stride, b, lb->type,
					   (int)lb->ld, lb->stride, beta, d, ld->type, (int)ld->ld, ld->stride, ld->count,
					   p->compute, CUBLAS_GEMM_DEFAULT);
	}
	cublasSetStream_v2(h, old_stream);
	cublasSetPointerMode_v2(h, old_mode);
	if (st == CUBLAS_STATUS_NOT_SUPPORTED)
		return refuse("a product of these types");
	return st;
}
} /* extern "C" */
