/* The driver API over the runtime's device, streams and memory. Handles are those of the runtime: a
 * CUstream is a cudaStream_t, a CUfunction a struct kernel, a CUarray a cudaArray_t. */
#ifndef CUDA_DRIVER_H
#define CUDA_DRIVER_H
#include <cuda.h>
#include "cuda/rt.h"

/* Defines the symbol of a function's first version as another name of the function: programs that
 * load the library by hand ask dlsym() for it, and no program uses its 32-bit sizes any more. */
#define FIRST_NAME(f, version)                                                                     \
	extern __typeof__(f##version) f##_first __asm__(#f) __attribute__((alias(#f #version)))

/* Converts an error of the runtime to the driver's code (most are equal), without making it the
 * runtime's last error. */
CUresult drv(cudaError_t e);
/* Launches a kernel of any shape (module.c). */
CUresult drv_launch(CUfunction f, const struct launch_conf *c, void **params, void **extra);
/* Returns CUDA_SUCCESS if the driver is initialised and the thread has a current context. */
CUresult drv_context(void);
#define CONTEXT_OR_RETURN()                                                                        \
	do {                                                                                       \
		CUresult context_ = drv_context();                                                 \
		if (context_)                                                                      \
			return context_;                                                           \
	} while (0)
#define RETURN_DRIVER(...)                                                                         \
	do {                                                                                       \
		CONTEXT_OR_RETURN();                                                               \
		return drv(__VA_ARGS__);                                                           \
	} while (0)
/* Returns CUDA_SUCCESS if the driver is initialised. That is enough for calls whose argument names
 * the object: an address, a pool, memory without a context. */
CUresult drv_initialised(void);
#define INITIALISED_OR_RETURN()                                                                    \
	do {                                                                                       \
		CUresult initialised_ = drv_initialised();                                         \
		if (initialised_)                                                                  \
			return initialised_;                                                       \
	} while (0)
/* Runs an entry point of the runtime in a context: a thread without a context has `context`, or the
 * primary one (NULL), for the duration of the call. */
#define RETURN_IN(context, ...)                                                                    \
	do {                                                                                       \
		INITIALISED_OR_RETURN();                                                           \
		bool borrowed_ = context_borrow(context);                                          \
		CUresult wrapped_ = drv(__VA_ARGS__);                                              \
		context_give_back(borrowed_);                                                      \
		return wrapped_;                                                                   \
	} while (0)
#define RETURN_NAMED(...) RETURN_IN(NULL, __VA_ARGS__)
/* Returns from the calling function if the stream's or event's context is not usable. A stream or
 * an event names its context; default streams belong to the current one. */
#define CONTEXT_OF_OR_RETURN(s)                                                                    \
	do {                                                                                       \
		if (!own_context(OWN_STREAM, HANDLE(s)))                                           \
			CONTEXT_OR_RETURN();                                                       \
		INITIALISED_OR_RETURN();                                                           \
	} while (0)
#define RETURN_OF(kind, handle, ...)                                                               \
	do {                                                                                       \
		CUcontext of_ = own_context(kind, HANDLE(handle));                                 \
		if (!of_)                                                                          \
			CONTEXT_OR_RETURN();                                                       \
		RETURN_IN(of_, __VA_ARGS__);                                                       \
	} while (0)
#define RETURN_ON(s, ...) RETURN_OF(OWN_STREAM, s, __VA_ARGS__)
#define PTR(p)            ((void *)(uintptr_t)(p))
/* Defines struct kernel *k for a handle and loads it; returns from the calling function on an
 * error. */
#define KERNEL_OR_RETURN(k, f)                                                                     \
	struct kernel *k;                                                                          \
	CONTEXT_OR_RETURN();                                                                       \
	if (!kernel_known(f))                                                                      \
		return CUDA_ERROR_INVALID_HANDLE;                                                  \
	do {                                                                                       \
		cudaError_t kernel_ = kernel_of(f, &k);                                            \
		if (kernel_)                                                                       \
			return drv(kernel_);                                                       \
	} while (0)

static inline struct cudaArray *array_of(CUarray a) { return (struct cudaArray *)a; }
static inline struct module *module_handle(CUmodule m) { return (struct module *)m; }
/* Writes the loader's logs into the buffers that a program passed as options, and the sizes of the
 * logs. */
void jit_log(CUresult r, unsigned n, const CUjit_option *opt, void **val);
/* Converts a driver's copy to the runtime's parameters; false: the copy is impossible. */
bool copy_params(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p);
bool channel_desc(CUarray_format f, unsigned channels, struct cudaChannelFormatDesc *out);
CUarray_format format_of(const struct cudaChannelFormatDesc *d, unsigned *channels);

/* Entry points of the runtime that implement entry points of the driver. */
#define RT_DECL(name, ...) cudaError_t rt_##name __VA_ARGS__
RT_DECL(cudaGetLastError, (void));
RT_DECL(cudaMallocManaged, (void **, size_t, unsigned));
RT_DECL(cudaHostAlloc, (void **, size_t, unsigned));
RT_DECL(cudaFreeHost, (void *));
RT_DECL(cudaFree, (void *));
RT_DECL(cudaMalloc, (void **, size_t));
RT_DECL(cudaMallocPitch, (void **, size_t *, size_t, size_t));
RT_DECL(cudaHostRegister, (void *, size_t, unsigned));
RT_DECL(cudaHostUnregister, (void *));
RT_DECL(cudaHostGetDevicePointer, (void **, void *, unsigned));
RT_DECL(cudaHostGetFlags, (unsigned *, void *));
RT_DECL(cudaMemGetInfo, (size_t *, size_t *));
RT_DECL(cudaMemcpy, (void *, const void *, size_t, enum cudaMemcpyKind));
RT_DECL(cudaMemcpyAsync, (void *, const void *, size_t, enum cudaMemcpyKind, cudaStream_t));
RT_DECL(cudaMemcpyToArray,
	(cudaArray_t, size_t, size_t, const void *, size_t, enum cudaMemcpyKind));
RT_DECL(cudaMemcpyFromArray,
	(void *, cudaArray_const_t, size_t, size_t, size_t, enum cudaMemcpyKind));
RT_DECL(cudaMemcpyToArrayAsync,
	(cudaArray_t, size_t, size_t, const void *, size_t, enum cudaMemcpyKind, cudaStream_t));
RT_DECL(cudaMemcpyFromArrayAsync,
	(void *, cudaArray_const_t, size_t, size_t, size_t, enum cudaMemcpyKind, cudaStream_t));
RT_DECL(cudaMemcpyArrayToArray, (cudaArray_t, size_t, size_t, cudaArray_const_t, size_t, size_t,
				 size_t, enum cudaMemcpyKind));
RT_DECL(cudaPointerGetAttributes, (struct cudaPointerAttributes *, const void *));
RT_DECL(cudaStreamAttachMemAsync, (cudaStream_t, void *, size_t, unsigned));
RT_DECL(cudaMallocAsync, (void **, size_t, cudaStream_t));
RT_DECL(cudaFreeAsync, (void *, cudaStream_t));
RT_DECL(cudaDeviceGetDefaultMemPool, (cudaMemPool_t *, int));
RT_DECL(cudaStreamCreateWithPriority, (cudaStream_t *, unsigned, int));
RT_DECL(cudaStreamDestroy, (cudaStream_t));
RT_DECL(cudaStreamGetPriority, (cudaStream_t, int *));
RT_DECL(cudaStreamGetFlags, (cudaStream_t, unsigned *));
RT_DECL(cudaStreamSynchronize, (cudaStream_t));
RT_DECL(cudaStreamQuery, (cudaStream_t));
RT_DECL(cudaStreamWaitEvent, (cudaStream_t, cudaEvent_t, unsigned));
RT_DECL(cudaStreamAddCallback, (cudaStream_t, cudaStreamCallback_t, void *, unsigned));
RT_DECL(cudaLaunchHostFunc, (cudaStream_t, cudaHostFn_t, void *));
RT_DECL(cudaStreamBeginCapture, (cudaStream_t, enum cudaStreamCaptureMode));
RT_DECL(cudaStreamEndCapture, (cudaStream_t, cudaGraph_t *));
RT_DECL(cudaDeviceGetStreamPriorityRange, (int *, int *));
RT_DECL(cudaEventCreateWithFlags, (cudaEvent_t *, unsigned));
RT_DECL(cudaEventDestroy, (cudaEvent_t));
RT_DECL(cudaEventRecord, (cudaEvent_t, cudaStream_t));
RT_DECL(cudaEventQuery, (cudaEvent_t));
RT_DECL(cudaEventSynchronize, (cudaEvent_t));
RT_DECL(cudaEventElapsedTime, (float *, cudaEvent_t, cudaEvent_t));
RT_DECL(cudaGraphLaunch, (cudaGraphExec_t, cudaStream_t));
RT_DECL(cudaGraphDestroy, (cudaGraph_t));
RT_DECL(cudaGraphExecDestroy, (cudaGraphExec_t));
RT_DECL(cudaDeviceSetLimit, (enum cudaLimit, size_t));
RT_DECL(cudaDeviceGetLimit, (size_t *, enum cudaLimit));
RT_DECL(cudaDeviceReset, (void));
RT_DECL(cudaFuncGetAttributes, (struct cudaFuncAttributes *, const void *));
RT_DECL(cudaFuncSetAttribute, (const void *, enum cudaFuncAttribute, int));
RT_DECL(cudaCreateTextureObject,
	(cudaTextureObject_t *, const struct cudaResourceDesc *, const struct cudaTextureDesc *,
	 const struct cudaResourceViewDesc *));
RT_DECL(cudaDestroyTextureObject, (cudaTextureObject_t));
RT_DECL(cudaCreateSurfaceObject, (cudaSurfaceObject_t *, const struct cudaResourceDesc *));
RT_DECL(cudaDestroySurfaceObject, (cudaSurfaceObject_t));
RT_DECL(cudaMemPoolCreate, (cudaMemPool_t *, const struct cudaMemPoolProps *));

#endif
