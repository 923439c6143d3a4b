/*
 * The functions of cuBLAS for vectors that take types by number. Where all types are one, the function of that type is called;
 * numbers of 16 bits are computed as floats.
 */
#include "cublas_vector.cuh"
#include "fails.h"

static cublasStatus_t refuse(const char *what)
{
	library_fails("cuBLAS: %s of these types is not supported", what);
	return CUBLAS_STATUS_NOT_SUPPORTED;
}
static bool is_short(cudaDataType t) { return t == CUDA_R_16F || t == CUDA_R_16BF; }
/* Functions with numbers of 16 bits in memory and floats for all else. */
static bool is_short_by_float(cudaDataType t, cudaDataType by) { return is_short(t) && by == CUDA_R_32F; }

template <class E> static __global__ void blas_axpy_short(int n, scalar<float> alpha, const E *x, int incx, E *y, int incy)
{
	float a = alpha.get();
	FOR_EACH (i, n) {
		E *to = &y[at(i, n, incy)];
		*to = as<E, float>(a * as<float, E>(x[at(i, n, incx)]) + as<float, E>(*to));
	}
}
template <class E> static __global__ void blas_scal_short(int n, scalar<float> alpha, E *x, int incx)
{
	float a = alpha.get();
	FOR_EACH (i, n) {
		E *to = &x[at(i, n, incx)];
		*to = as<E, float>(a * as<float, E>(*to));
	}
}
template <class E>
static __global__ void blas_rot_short(int n, E *x, int incx, E *y, int incy, scalar<E> cosine, scalar<E> sine)
{
	float c = as<float, E>(cosine.get()), s = as<float, E>(sine.get());
	FOR_EACH (i, n) {
		E *u = &x[at(i, n, incx)], *v = &y[at(i, n, incy)];
		float p = as<float, E>(*u), q = as<float, E>(*v);
		*u = as<E, float>(c * p + s * q);
		*v = as<E, float>(c * q - s * p);
	}
}
template <class E> static __global__ void blas_shorten(const float *from, E *to) { *to = as<E, float>(*from); }

/* Terms of a sum, as floats. */
template <class F> struct widened {
	template <class E> static __device__ float term(E x, E y) { return F::term(as<float, E>(x), as<float, E>(y)); }
};
template <class F, class E>
static cublasStatus_t sum_short(cublasHandle_t h, int n, const void *x, int incx, const void *y, int incy, void *result, bool root)
{
	int blocks = grid_for(n) < BLOCKS ? grid_for(n) : BLOCKS;
	float *partial = (float *)h->partial;
	E *to = h->mode == CUBLAS_POINTER_MODE_DEVICE ? (E *)result : (E *)partial; /* which the total has read */
	blas_partial<widened<F>, E, float><<<blocks, THREADS, 0, h->stream>>>(n > 0 ? n : 0, (const E *)x, incx, (const E *)y, incy, partial);
	blas_total<float><<<1, THREADS, 0, h->stream>>>(blocks, partial, partial + BLOCKS, root);
	blas_shorten<E><<<1, 1, 0, h->stream>>>(partial + BLOCKS, to);
	return deliver(h, to, (E *)result);
}
template <class F>
static cublasStatus_t sum_of_shorts(cublasHandle_t h, cudaDataType t, int n, const void *x, int incx, const void *y, int incy, void *r,
				    bool root)
{
	NEED(h);
	return t == CUDA_R_16F ? sum_short<F, __half>(h, n, x, incx, y, incy, r, root) :
				 sum_short<F, __nv_bfloat16>(h, n, x, incx, y, incy, r, root);
}

/* The function of a type, whose name T has in the arguments. */
#define BY_TYPE(type, what, S, D, C, Z) \
	switch (type) { \
	case CUDA_R_32F: { typedef float T; return S; } \
	case CUDA_R_64F: { typedef double T; return D; } \
	case CUDA_C_32F: { typedef cuComplex T; return C; } \
	case CUDA_C_64F: { typedef cuDoubleComplex T; return Z; } \
	default: return refuse(what); \
	}
#define BY_REAL_TYPE(type, what, S, D) \
	switch (type) { \
	case CUDA_R_32F: { typedef float T; return S; } \
	case CUDA_R_64F: { typedef double T; return D; } \
	default: return refuse(what); \
	}
/* One of two types of 16 bits, E. */
#define OF_SHORT(type, statement) \
	do { \
		NEED(h); \
		if (type == CUDA_R_16F) { \
			typedef __half E; \
			statement; \
		} else { \
			typedef __nv_bfloat16 E; \
			statement; \
		} \
		return launched(); \
	} while (0)
/* The norm of complex numbers and the cosine of their rotation are real. */
static bool real_of(cudaDataType t, cudaDataType r)
{
	return r == (t == CUDA_C_32F ? CUDA_R_32F : t == CUDA_C_64F ? CUDA_R_64F : t);
}

extern "C" {
#define DOT_EX(name, F, C, Z) \
cublasStatus_t name(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx, const void *y, cudaDataType ty, int incy, void *r, \
		    cudaDataType tr, cudaDataType by) \
{ \
	if (ty == tx && tr == tx && is_short_by_float(tx, by)) \
		return sum_of_shorts<F>(h, tx, n, x, incx, y, incy, r, false); \
	if (ty != tx || tr != tx || by != tx) \
		return refuse("a scalar product"); \
	BY_TYPE(tx, "a scalar product", cublasSdot_v2 ARGS, cublasDdot_v2 ARGS, C ARGS, Z ARGS) \
}
#define ARGS (h, n, (const T *)x, incx, (const T *)y, incy, (T *)r)
DOT_EX(cublasDotEx, take_dot, cublasCdotu_v2, cublasZdotu_v2)
DOT_EX(cublasDotcEx, take_dotc, cublasCdotc_v2, cublasZdotc_v2)
#undef ARGS
#define NORM_EX(name, what, F, root, S, D, C, Z) \
cublasStatus_t name(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx, void *r, cudaDataType tr, cudaDataType by) \
{ \
	if (tr == tx && is_short_by_float(tx, by)) \
		return sum_of_shorts<F>(h, tx, n, x, incx, x, incx, r, root); \
	if (!real_of(tx, tr) || !real_of(tx, by)) \
		return refuse(what); \
	BY_TYPE(tx, what, S ARGS, D ARGS, C ARGS, Z ARGS) \
}
#define ARGS (h, n, (const T *)x, incx, (real<T> *)r)
NORM_EX(cublasNrm2Ex, "a norm", take_square, true, cublasSnrm2_v2, cublasDnrm2_v2, cublasScnrm2_v2, cublasDznrm2_v2)
NORM_EX(cublasAsumEx, "a sum of magnitudes", take_magnitude, false, cublasSasum_v2, cublasDasum_v2, cublasScasum_v2, cublasDzasum_v2)
#undef ARGS
#define EXTREME_EX(name, largest, S, D, C, Z) \
cublasStatus_t name(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx, int *r) \
{ \
	if (tx == CUDA_R_16F) \
		return extreme<float>(h, n, (const __half *)x, incx, largest, r); \
	if (tx == CUDA_R_16BF) \
		return extreme<float>(h, n, (const __nv_bfloat16 *)x, incx, largest, r); \
	BY_TYPE(tx, "the place of a largest or smallest number", S ARGS, D ARGS, C ARGS, Z ARGS) \
}
#define ARGS (h, n, (const T *)x, incx, r)
EXTREME_EX(cublasIamaxEx, true, cublasIsamax_v2, cublasIdamax_v2, cublasIcamax_v2, cublasIzamax_v2)
EXTREME_EX(cublasIaminEx, false, cublasIsamin_v2, cublasIdamin_v2, cublasIcamin_v2, cublasIzamin_v2)
#undef ARGS
cublasStatus_t cublasCopyEx(cublasHandle_t h, int n, const void *x, cudaDataType tx, int incx, void *y, cudaDataType ty, int incy)
{
	if (tx != ty)
		return refuse("a copy");
	if (is_short(tx))
		OF_SHORT(tx, (blas_copy<E><<<grid_for(n), THREADS, 0, h->stream>>>(n, (const E *)x, incx, (E *)y, incy)));
#define ARGS (h, n, (const T *)x, incx, (T *)y, incy)
	BY_TYPE(tx, "a copy", cublasScopy_v2 ARGS, cublasDcopy_v2 ARGS, cublasCcopy_v2 ARGS, cublasZcopy_v2 ARGS)
#undef ARGS
}
cublasStatus_t cublasSwapEx(cublasHandle_t h, int n, void *x, cudaDataType tx, int incx, void *y, cudaDataType ty, int incy)
{
	if (tx != ty)
		return refuse("an exchange");
	if (is_short(tx))
		OF_SHORT(tx, (blas_swap<E><<<grid_for(n), THREADS, 0, h->stream>>>(n, (E *)x, incx, (E *)y, incy)));
#define ARGS (h, n, (T *)x, incx, (T *)y, incy)
	BY_TYPE(tx, "an exchange", cublasSswap_v2 ARGS, cublasDswap_v2 ARGS, cublasCswap_v2 ARGS, cublasZswap_v2 ARGS)
#undef ARGS
}
cublasStatus_t cublasAxpyEx(cublasHandle_t h, int n, const void *alpha, cudaDataType ta, const void *x, cudaDataType tx,
			    int incx, void *y, cudaDataType ty, int incy, cudaDataType by)
{
	if (ta == CUDA_R_32F && ty == tx && is_short_by_float(tx, by))
		OF_SHORT(tx, (blas_axpy_short<E><<<grid_for(n), THREADS, 0, h->stream>>>(n, scalar_of(h, (const float *)alpha), (const E *)x,
											 incx, (E *)y, incy)));
	if (ta != tx || ty != tx || by != tx)
		return refuse("an axpy");
#define ARGS (h, n, (const T *)alpha, (const T *)x, incx, (T *)y, incy)
	BY_TYPE(tx, "an axpy", cublasSaxpy_v2 ARGS, cublasDaxpy_v2 ARGS, cublasCaxpy_v2 ARGS, cublasZaxpy_v2 ARGS)
#undef ARGS
}
cublasStatus_t cublasScalEx(cublasHandle_t h, int n, const void *alpha, cudaDataType ta, void *x, cudaDataType tx,
			    int incx, cudaDataType by)
{
	if (ta == CUDA_R_32F && is_short_by_float(tx, by))
		OF_SHORT(tx, (blas_scal_short<E><<<grid_for(n), THREADS, 0, h->stream>>>(n, scalar_of(h, (const float *)alpha), (E *)x, incx)));
	if (ta != tx || by != tx)
		return refuse("a scal");
#define ARGS (h, n, (const T *)alpha, (T *)x, incx)
	BY_TYPE(tx, "a scal", cublasSscal_v2 ARGS, cublasDscal_v2 ARGS, cublasCscal_v2 ARGS, cublasZscal_v2 ARGS)
#undef ARGS
}
cublasStatus_t cublasRotEx(cublasHandle_t h, int n, void *x, cudaDataType tx, int incx, void *y, cudaDataType ty, int incy, const void *c,
			   const void *s, cudaDataType ts, cudaDataType by)
{
	if (ty == tx && ts == tx && is_short_by_float(tx, by))
		OF_SHORT(tx, (blas_rot_short<E><<<grid_for(n), THREADS, 0, h->stream>>>(n, (E *)x, incx, (E *)y, incy,
											scalar_of(h, (const E *)c),
											scalar_of(h, (const E *)s))));
	if (ty != tx || by != tx || (ts != tx && !real_of(tx, ts)))
		return refuse("a rotation");
#define ARGS(S) (h, n, (T *)x, incx, (T *)y, incy, (const real<T> *)c, (const S *)s)
	if (ts != tx)
		return tx == CUDA_C_32F ? cublasCsrot_v2(h, n, (cuComplex *)x, incx, (cuComplex *)y, incy, (const float *)c, (const float *)s) :
					  cublasZdrot_v2(h, n, (cuDoubleComplex *)x, incx, (cuDoubleComplex *)y, incy, (const double *)c,
							 (const double *)s);
	BY_TYPE(tx, "a rotation", cublasSrot_v2 ARGS(T), cublasDrot_v2 ARGS(T), cublasCrot_v2 ARGS(T), cublasZrot_v2 ARGS(T))
#undef ARGS
}
cublasStatus_t cublasRotgEx(cublasHandle_t h, void *a, void *b, cudaDataType t, void *c, void *s, cudaDataType ts, cudaDataType by)
{
	if (!real_of(t, ts) && ts != t)
		return refuse("a rotation");
	if (by != t)
		return refuse("a rotation");
#define ARGS (h, (T *)a, (T *)b, (real<T> *)c, (T *)s)
	BY_TYPE(t, "a rotation", cublasSrotg_v2 ARGS, cublasDrotg_v2 ARGS, cublasCrotg_v2 ARGS, cublasZrotg_v2 ARGS)
#undef ARGS
}
cublasStatus_t cublasRotmEx(cublasHandle_t h, int n, void *x, cudaDataType tx, int incx, void *y, cudaDataType ty, int incy,
			    const void *param, cudaDataType tp, cudaDataType by)
{
	if (ty != tx || tp != tx || by != tx)
		return refuse("a modified rotation");
#define ARGS (h, n, (T *)x, incx, (T *)y, incy, (const T *)param)
	BY_REAL_TYPE(tx, "a modified rotation", cublasSrotm_v2 ARGS, cublasDrotm_v2 ARGS)
#undef ARGS
}
cublasStatus_t cublasRotmgEx(cublasHandle_t h, void *d1, cudaDataType t1, void *d2, cudaDataType t2, void *x1, cudaDataType tx,
			     const void *y1, cudaDataType ty, void *param, cudaDataType tp, cudaDataType by)
{
	if (t2 != t1 || tx != t1 || ty != t1 || tp != t1 || by != t1)
		return refuse("a modified rotation");
#define ARGS (h, (T *)d1, (T *)d2, (T *)x1, (const T *)y1, (T *)param)
	BY_REAL_TYPE(t1, "a modified rotation", cublasSrotmg_v2 ARGS, cublasDrotmg_v2 ARGS)
#undef ARGS
}
} /* extern "C" */
