/* cuFFT's extended interface, for one GPU: plans whose types are named by cudaDataType, and memory
 * by descriptors: memory of CUFFT_XT_FORMAT_INPLACE has room for input and output, with real
 * numbers padded. Halves are refused. Kernels of the file that sets a callback call it, because a
 * function's address is valid in its own module only. */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_
#include "cudalibxt.h"
#include "cufft.h"
#include "library_types.h"
#ifdef __cplusplus
extern "C" {
#endif
cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
				long long idist, cudaDataType input, long long *onembed, long long ostride,
				long long odist, cudaDataType output, long long batch, size_t *work,
				cudaDataType execution);
cufftResult cufftXtGetSizeMany(cufftHandle plan, int rank, long long *n, long long *inembed, long long istride,
			       long long idist, cudaDataType input, long long *onembed, long long ostride,
			       long long odist, cudaDataType output, long long batch, size_t *work,
			       cudaDataType execution);
/* The direction counts for complex to complex alone. */
cufftResult cufftXtExec(cufftHandle plan, void *in, void *out, int direction);

typedef enum cufftXtSubFormat_t {
	CUFFT_XT_FORMAT_INPUT, CUFFT_XT_FORMAT_OUTPUT, CUFFT_XT_FORMAT_INPLACE, CUFFT_XT_FORMAT_INPLACE_SHUFFLED,
	CUFFT_XT_FORMAT_1D_INPUT_SHUFFLED, CUFFT_XT_FORMAT_DISTRIBUTED_INPUT, CUFFT_XT_FORMAT_DISTRIBUTED_OUTPUT,
	CUFFT_FORMAT_UNDEFINED
} cufftXtSubFormat;
typedef enum cufftXtCopyType_t {
	CUFFT_COPY_HOST_TO_DEVICE, CUFFT_COPY_DEVICE_TO_HOST, CUFFT_COPY_DEVICE_TO_DEVICE, CUFFT_COPY_UNDEFINED
} cufftXtCopyType;
/* There is one GPU, 0: any other list is CUFFT_INVALID_DEVICE. */
cufftResult cufftXtSetGPUs(cufftHandle plan, int count, int *gpus);
cufftResult cufftXtMalloc(cufftHandle plan, cudaLibXtDesc **desc, cufftXtSubFormat format);
cufftResult cufftXtFree(cudaLibXtDesc *desc);
cufftResult cufftXtMemcpy(cufftHandle plan, void *to, void *from, cufftXtCopyType type);
cufftResult cufftXtExecDescriptor(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction);
cufftResult cufftXtExecDescriptorC2C(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction);
cufftResult cufftXtExecDescriptorZ2Z(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out, int direction);
cufftResult cufftXtExecDescriptorR2C(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out);
cufftResult cufftXtExecDescriptorC2R(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out);
cufftResult cufftXtExecDescriptorD2Z(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out);
cufftResult cufftXtExecDescriptorZ2D(cufftHandle plan, cudaLibXtDesc *in, cudaLibXtDesc *out);

typedef enum cufftXtCallbackType_t {
	CUFFT_CB_LD_COMPLEX = 0x0, CUFFT_CB_LD_COMPLEX_DOUBLE = 0x1, CUFFT_CB_LD_REAL = 0x2, CUFFT_CB_LD_REAL_DOUBLE = 0x3,
	CUFFT_CB_ST_COMPLEX = 0x4, CUFFT_CB_ST_COMPLEX_DOUBLE = 0x5, CUFFT_CB_ST_REAL = 0x6, CUFFT_CB_ST_REAL_DOUBLE = 0x7,
	CUFFT_CB_UNDEFINED = 0x8
} cufftXtCallbackType;
typedef cufftComplex (*cufftCallbackLoadC)(void *in, size_t offset, void *info, void *shared);
typedef cufftDoubleComplex (*cufftCallbackLoadZ)(void *in, size_t offset, void *info, void *shared);
typedef cufftReal (*cufftCallbackLoadR)(void *in, size_t offset, void *info, void *shared);
typedef cufftDoubleReal (*cufftCallbackLoadD)(void *in, size_t offset, void *info, void *shared);
typedef void (*cufftCallbackStoreC)(void *out, size_t offset, cufftComplex element, void *info, void *shared);
typedef void (*cufftCallbackStoreZ)(void *out, size_t offset, cufftDoubleComplex element, void *info, void *shared);
typedef void (*cufftCallbackStoreR)(void *out, size_t offset, cufftReal element, void *info, void *shared);
typedef void (*cufftCallbackStoreD)(void *out, size_t offset, cufftDoubleReal element, void *info, void *shared);

cufftResult cufftXtClearCallback(cufftHandle plan, cufftXtCallbackType type);
cufftResult cufftXtSetCallbackSharedSize(cufftHandle plan, cufftXtCallbackType type, size_t bytes);

/* Places of the elements that callbacks see: element (x0, x1, x2) of transform b, 0 <= x < n, is number
 * b dist + stride ((x0 embed1 + x1) embed2 + x2). */
struct __heddle_fft_places {
	int rank, n[3], embed[3];
	long long stride, dist, count; /* count: elements of all transforms */
};
/* Calls the routine for each element: a load's results go to `dense`, one after the other; a store's elements come from there. */
typedef void (*__heddle_fft_step)(void *routine, void *data, void *info, void *dense,
				  const struct __heddle_fft_places *places, size_t shared, cudaStream_t stream);
cufftResult __heddle_fft_callback(cufftHandle plan, void *routine, cufftXtCallbackType type, void *info,
				  __heddle_fft_step step);
#if !defined __cplusplus || !defined __CUDACC__
/* Refused: no kernel of this file could call the routine. */
cufftResult cufftXtSetCallback(cufftHandle plan, void **routine, cufftXtCallbackType type, void **info);
#endif
#ifdef __cplusplus
}
#endif

#if defined __cplusplus && defined __CUDACC__
static __device__ __forceinline__ size_t __heddle_fft_place(const struct __heddle_fft_places &p, long long i)
{
	long long at = 0, step = 1;
	for (int d = p.rank - 1; d >= 0; d--) {
		at += i % p.n[d] * step;
		i /= p.n[d];
		step *= p.embed[d];
	}
	return (size_t)(i * p.dist + at * p.stride);
}
template <class T>
static __global__ void fft_load(T (*routine)(void *, size_t, void *, void *), void *in, void *info, T *dense,
				struct __heddle_fft_places p)
{
	extern __shared__ double2 __heddle_fft_shared[];
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.count)
		dense[i] = routine(in, __heddle_fft_place(p, i), info, __heddle_fft_shared);
}
template <class T>
static __global__ void fft_store(void (*routine)(void *, size_t, T, void *, void *), void *out, void *info,
				 const T *dense, struct __heddle_fft_places p)
{
	extern __shared__ double2 __heddle_fft_shared[];
	long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
	if (i < p.count)
		routine(out, __heddle_fft_place(p, i), dense[i], info, __heddle_fft_shared);
}
template <class T>
static void __heddle_fft_loads(void *routine, void *data, void *info, void *dense,
			       const struct __heddle_fft_places *p, size_t shared, cudaStream_t stream)
{
	fft_load<T><<<(unsigned)((p->count + 127) / 128), 128, shared, stream>>>(
		(T(*)(void *, size_t, void *, void *))routine, data, info, (T *)dense, *p);
}
template <class T>
static void __heddle_fft_stores(void *routine, void *data, void *info, void *dense,
				const struct __heddle_fft_places *p, size_t shared, cudaStream_t stream)
{
	fft_store<T><<<(unsigned)((p->count + 127) / 128), 128, shared, stream>>>(
		(void (*)(void *, size_t, T, void *, void *))routine, data, info, (const T *)dense, *p);
}
/* A template, so that files without callbacks contain no such kernels. */
template <class = void>
static cufftResult cufftXtSetCallback(cufftHandle plan, void **routine, cufftXtCallbackType type, void **info)
{
	static const __heddle_fft_step steps[] = {
		__heddle_fft_loads<cufftComplex>, __heddle_fft_loads<cufftDoubleComplex>,
		__heddle_fft_loads<cufftReal>, __heddle_fft_loads<cufftDoubleReal>,
		__heddle_fft_stores<cufftComplex>, __heddle_fft_stores<cufftDoubleComplex>,
		__heddle_fft_stores<cufftReal>, __heddle_fft_stores<cufftDoubleReal>};
	if (!routine || (unsigned)type >= CUFFT_CB_UNDEFINED)
		return CUFFT_INVALID_VALUE;
	return __heddle_fft_callback(plan, *routine, type, info ? *info : NULL, steps[type]);
}
#endif
#endif
