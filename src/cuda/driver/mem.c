/* Driver API: memory, copies, fills, arrays. */
#include "cuda/driver/driver.h"
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"

/* ---- allocation ---- */

CUresult cuMemGetInfo(size_t *f, size_t *t) { RETURN_DRIVER(rt_cudaMemGetInfo(f, t)); }

CUresult cuMemAlloc(CUdeviceptr *p, size_t n)
{
	void *at;
	CONTEXT_OR_RETURN();
	if (!p || !n)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult r = drv(rt_cudaMalloc(&at, n));
	if (!r)
		*p = (CUdeviceptr)(uintptr_t)at;
	return r;
}

CUresult cuMemAllocPitch(CUdeviceptr *p, size_t *pitch, size_t w, size_t h, unsigned elem)
{
	void *at;
	CONTEXT_OR_RETURN();
	if (elem != 4 && elem != 8 && elem != 16)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult r = drv(rt_cudaMallocPitch(&at, pitch, w, h));
	if (!r)
		*p = (CUdeviceptr)(uintptr_t)at;
	return r;
}

CUresult cuMemFree(CUdeviceptr p) { RETURN_NAMED(rt_cudaFree(PTR(p))); }
CUresult cuMemAllocHost(void **p, size_t n) { RETURN_DRIVER(rt_cudaHostAlloc(p, n, 0)); }
CUresult cuMemHostAlloc(void **p, size_t n, unsigned flags)
{
	RETURN_DRIVER(rt_cudaHostAlloc(p, n, flags));
}
CUresult cuMemFreeHost(void *p) { RETURN_DRIVER(rt_cudaFreeHost(p)); }
CUresult cuMemHostGetFlags(unsigned *flags, void *p)
{
	RETURN_DRIVER(rt_cudaHostGetFlags(flags, p));
}
CUresult cuMemHostRegister(void *p, size_t n, unsigned flags)
{
	RETURN_DRIVER(rt_cudaHostRegister(p, n, flags));
}
CUresult cuMemHostUnregister(void *p) { RETURN_DRIVER(rt_cudaHostUnregister(p)); }

CUresult cuMemHostGetDevicePointer(CUdeviceptr *d, void *p, unsigned flags)
{
	void *at;
	CONTEXT_OR_RETURN();
	CUresult r = drv(rt_cudaHostGetDevicePointer(&at, p, flags));
	if (!r)
		*d = (CUdeviceptr)(uintptr_t)at;
	return r;
}

CUresult cuMemAllocManaged(CUdeviceptr *d, size_t n, unsigned flags)
{
	void *at;
	CONTEXT_OR_RETURN();
	CUresult r = drv(rt_cudaMallocManaged(&at, n, flags));
	if (!r)
		*d = (CUdeviceptr)(uintptr_t)at;
	return r;
}

static cudaError_t alloc_async(CUdeviceptr *d, size_t n, CUstream s)
{
	void *at;
	cudaError_t e = rt_cudaMallocAsync(&at, n, s);
	if (!e)
		*d = (CUdeviceptr)(uintptr_t)at;
	return e;
}
CUresult cuMemAllocAsync(CUdeviceptr *d, size_t n, CUstream s)
{
	RETURN_ON(s, alloc_async(d, n, s));
}
CUresult cuMemFreeAsync(CUdeviceptr d, CUstream s) { RETURN_ON(s, rt_cudaFreeAsync(PTR(d), s)); }

CUresult cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr p)
{
	struct heddle_range r;
	CONTEXT_OR_RETURN();
	struct heddle *h = device_lock();
	enum heddle_status st = heddle_range(h, p, &r);
	device_unlock();
	if (st)
		return CUDA_ERROR_NOT_FOUND;
	if (base)
		*base = r.base;
	if (size)
		*size = r.size;
	return CUDA_SUCCESS;
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attr, CUdeviceptr p)
{
	struct cudaPointerAttributes a;
	CUdeviceptr base;
	size_t size;
	CONTEXT_OR_RETURN();
	cudaError_t e = rt_cudaPointerGetAttributes(&a, PTR(p));
	if (e || a.type == cudaMemoryTypeUnregistered)
		return e ? drv(e) : CUDA_ERROR_INVALID_VALUE;
	cuMemGetAddressRange(&base, &size, p);
	switch ((int)attr) {
	case CU_POINTER_ATTRIBUTE_CONTEXT:
		*(CUcontext *)data = own_context(OWN_MEMORY, base);
		return *(CUcontext *)data ? CUDA_SUCCESS : cuCtxGetCurrent(data);
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)data =
			a.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
		*(void **)data = a.devicePointer;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_HOST_POINTER:
		*(void **)data = a.hostPointer;
		return a.hostPointer ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
	case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS: *(unsigned *)data = 0; return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_BUFFER_ID:
	case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
		*(unsigned long long *)data = base;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned *)data = a.type == cudaMemoryTypeManaged;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = 0; return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
	case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
		*(CUdeviceptr *)data = base;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
	case CU_POINTER_ATTRIBUTE_MAPPING_SIZE: *(size_t *)data = size; return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
		*(CUmemoryPool *)data = pool_of(base);
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
		*(unsigned *)data = CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
		return CUDA_SUCCESS;
	/* no memory can be given to other processes or devices */
	case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
		*(unsigned long long *)data = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
	case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
		*(unsigned *)data = 0;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_MAPPED: *(unsigned char *)data = 1; return CUDA_SUCCESS;
	default: return CUDA_ERROR_NOT_SUPPORTED;
	}
}

cudaError_t rt11_prefetch(const void *p, size_t n, int device, cudaStream_t s);
cudaError_t rt11_advise(const void *p, size_t n, enum cudaMemoryAdvise advice, int device);
CUresult cuMemAdvise(CUdeviceptr p, size_t n, CUmem_advise a, CUdevice dev)
{
	RETURN_DRIVER(rt11_advise(PTR(p), n, (enum cudaMemoryAdvise)a, dev));
}
CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t n, CUdevice dev, CUstream s)
{
	RETURN_ON(s, rt11_prefetch(PTR(p), n, dev, s));
}

/* ---- copies ---- */

CUresult cuMemcpyHtoD(CUdeviceptr d, const void *s, size_t n)
{
	RETURN_DRIVER(rt_cudaMemcpy(PTR(d), s, n, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void *d, CUdeviceptr s, size_t n)
{
	RETURN_DRIVER(rt_cudaMemcpy(d, PTR(s), n, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr d, CUdeviceptr s, size_t n)
{
	RETURN_DRIVER(rt_cudaMemcpy(PTR(d), PTR(s), n, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpy(CUdeviceptr d, CUdeviceptr s, size_t n)
{
	RETURN_DRIVER(rt_cudaMemcpy(PTR(d), PTR(s), n, cudaMemcpyDefault));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr d, const void *s, size_t n, CUstream t)
{
	RETURN_ON(t, rt_cudaMemcpyAsync(PTR(d), s, n, cudaMemcpyHostToDevice, t));
}
CUresult cuMemcpyDtoHAsync(void *d, CUdeviceptr s, size_t n, CUstream t)
{
	RETURN_ON(t, rt_cudaMemcpyAsync(d, PTR(s), n, cudaMemcpyDeviceToHost, t));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream t)
{
	RETURN_ON(t, rt_cudaMemcpyAsync(PTR(d), PTR(s), n, cudaMemcpyDeviceToDevice, t));
}
CUresult cuMemcpyAsync(CUdeviceptr d, CUdeviceptr s, size_t n, CUstream t)
{
	RETURN_DRIVER(rt_cudaMemcpyAsync(PTR(d), PTR(s), n, cudaMemcpyDefault, t));
}
CUresult cuMemcpyPeer(CUdeviceptr d, CUcontext a, CUdeviceptr s, CUcontext b, size_t n)
{
	(void)a, (void)b;
	return cuMemcpyDtoD(d, s, n);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr d, CUcontext a, CUdeviceptr s, CUcontext b, size_t n,
			   CUstream t)
{
	(void)a, (void)b;
	return cuMemcpyDtoDAsync(d, s, n, t);
}

/* Offsets into arrays count bytes from the first row. */
CUresult cuMemcpyHtoA(CUarray d, size_t off, const void *s, size_t n)
{
	RETURN_DRIVER(rt_cudaMemcpyToArray(array_of(d), off, 0, s, n, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoA(CUarray d, size_t off, CUdeviceptr s, size_t n)
{
	RETURN_DRIVER(
		rt_cudaMemcpyToArray(array_of(d), off, 0, PTR(s), n, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyAtoH(void *d, CUarray s, size_t off, size_t n)
{
	RETURN_DRIVER(rt_cudaMemcpyFromArray(d, array_of(s), off, 0, n, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyAtoD(CUdeviceptr d, CUarray s, size_t off, size_t n)
{
	RETURN_DRIVER(
		rt_cudaMemcpyFromArray(PTR(d), array_of(s), off, 0, n, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyHtoAAsync(CUarray d, size_t off, const void *s, size_t n, CUstream t)
{
	RETURN_ON(t,
		  rt_cudaMemcpyToArrayAsync(array_of(d), off, 0, s, n, cudaMemcpyHostToDevice, t));
}
CUresult cuMemcpyAtoHAsync(void *d, CUarray s, size_t off, size_t n, CUstream t)
{
	RETURN_ON(t, rt_cudaMemcpyFromArrayAsync(d, array_of(s), off, 0, n, cudaMemcpyDeviceToHost,
						 t));
}
CUresult cuMemcpyAtoA(CUarray d, size_t doff, CUarray s, size_t soff, size_t n)
{
	RETURN_DRIVER(rt_cudaMemcpyArrayToArray(array_of(d), doff, 0, array_of(s), soff, 0, n,
						cudaMemcpyDeviceToDevice));
}

struct side {
	CUmemorytype type;
	const void *host;
	CUdeviceptr device;
	CUarray array;
	size_t x, y, z, pitch, height;
};

static bool side_rows(const struct side *s, const struct copy *c, struct rows *p)
{
	if (s->type == CU_MEMORYTYPE_ARRAY) {
		const struct cudaArray *a = array_of(s->array);
		if (!a || s->x + c->width > a->width * a->elem ||
		    s->y + c->height > (a->height ? a->height : 1) ||
		    s->z + c->depth > (a->depth ? a->depth : 1))
			return false;
		*p = (struct rows){.addr = a->addr + s->z * a->slice + s->y * a->pitch + s->x,
				   .pitch = a->pitch,
				   .slice = a->slice,
				   .device = true};
		return true;
	}
	uint64_t base = s->type == CU_MEMORYTYPE_HOST ? (uint64_t)(uintptr_t)s->host : s->device;
	size_t pitch = s->pitch ? s->pitch : s->x + c->width;
	size_t slice = pitch * (s->height ? s->height : s->y + c->height);
	*p = (struct rows){
		.addr = base + s->z * slice + s->y * pitch + s->x, .pitch = pitch, .slice = slice};
	return pitch >= c->width;
}

static cudaError_t copy_sides(const struct side *d, const struct side *s, size_t w, size_t h,
			      size_t depth, CUstream t, bool wait)
{
	struct copy c = {.width = w, .height = h, .depth = depth};
	if (!side_rows(d, &c, &c.dst) || !side_rows(s, &c, &c.src))
		return cudaErrorInvalidValue;
	bool dh = d->type == CU_MEMORYTYPE_HOST, sh = s->type == CU_MEMORYTYPE_HOST;
	enum cudaMemcpyKind kind =
		d->type == CU_MEMORYTYPE_UNIFIED || s->type == CU_MEMORYTYPE_UNIFIED
			? cudaMemcpyDefault
		: dh ? (sh ? cudaMemcpyHostToHost : cudaMemcpyDeviceToHost)
		: sh ? cudaMemcpyHostToDevice
		     : cudaMemcpyDeviceToDevice;
	return copy_submit(&c, kind, t, wait);
}

#define SIDE(c, s, zz, hh)                                                                         \
	(struct side)                                                                              \
	{                                                                                          \
		(c)->s##MemoryType, (c)->s##Host, (c)->s##Device, (c)->s##Array, (c)->s##XInBytes, \
			(c)->s##Y, zz, (c)->s##Pitch, hh                                           \
	}

static CUresult run_copy2(const CUDA_MEMCPY2D *c, CUstream s, bool wait)
{
	RETURN_ON(s, copy_sides(&SIDE(c, dst, 0, 0), &SIDE(c, src, 0, 0), c->WidthInBytes,
				c->Height, 1, s, wait));
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *c) { return run_copy2(c, NULL, true); }
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *c) { return run_copy2(c, NULL, true); }
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *c, CUstream s) { return run_copy2(c, s, false); }

static CUresult run_copy3(const CUDA_MEMCPY3D *c, CUstream s, bool wait)
{
	RETURN_ON(s, copy_sides(&SIDE(c, dst, c->dstZ, c->dstHeight),
				&SIDE(c, src, c->srcZ, c->srcHeight), c->WidthInBytes, c->Height,
				c->Depth, s, wait));
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *c) { return run_copy3(c, NULL, true); }
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *c, CUstream s) { return run_copy3(c, s, false); }

/* ---- fills ---- */

#define RETURN_FILL(p, pitch, v, size, w, h, s)                                                    \
	RETURN_ON(s, fill_submit(&(struct fill){p, pitch, 0, w, h, 1, v, size}, s))

CUresult cuMemsetD8(CUdeviceptr p, unsigned char v, size_t n)
{
	RETURN_FILL(p, 0, v, 1, n, 1, NULL);
}
CUresult cuMemsetD16(CUdeviceptr p, unsigned short v, size_t n)
{
	RETURN_FILL(p, 0, v, 2, n, 1, NULL);
}
CUresult cuMemsetD32(CUdeviceptr p, unsigned v, size_t n) { RETURN_FILL(p, 0, v, 4, n, 1, NULL); }
CUresult cuMemsetD8Async(CUdeviceptr p, unsigned char v, size_t n, CUstream s)
{
	RETURN_FILL(p, 0, v, 1, n, 1, s);
}
CUresult cuMemsetD16Async(CUdeviceptr p, unsigned short v, size_t n, CUstream s)
{
	RETURN_FILL(p, 0, v, 2, n, 1, s);
}
CUresult cuMemsetD32Async(CUdeviceptr p, unsigned v, size_t n, CUstream s)
{
	RETURN_FILL(p, 0, v, 4, n, 1, s);
}
CUresult cuMemsetD2D8(CUdeviceptr p, size_t pitch, unsigned char v, size_t w, size_t h)
{
	RETURN_FILL(p, pitch, v, 1, w, h, NULL);
}
CUresult cuMemsetD2D16(CUdeviceptr p, size_t pitch, unsigned short v, size_t w, size_t h)
{
	RETURN_FILL(p, pitch, v, 2, w, h, NULL);
}
CUresult cuMemsetD2D32(CUdeviceptr p, size_t pitch, unsigned v, size_t w, size_t h)
{
	RETURN_FILL(p, pitch, v, 4, w, h, NULL);
}

/* ---- arrays ---- */

bool channel_desc(CUarray_format f, unsigned channels, struct cudaChannelFormatDesc *out)
{
	int bits;
	enum cudaChannelFormatKind kind = cudaChannelFormatKindUnsigned;
	switch ((int)f) {
	case CU_AD_FORMAT_UNSIGNED_INT8: bits = 8; break;
	case CU_AD_FORMAT_UNSIGNED_INT16: bits = 16; break;
	case CU_AD_FORMAT_UNSIGNED_INT32: bits = 32; break;
	case CU_AD_FORMAT_SIGNED_INT8:
		bits = 8;
		kind = cudaChannelFormatKindSigned;
		break;
	case CU_AD_FORMAT_SIGNED_INT16:
		bits = 16;
		kind = cudaChannelFormatKindSigned;
		break;
	case CU_AD_FORMAT_SIGNED_INT32:
		bits = 32;
		kind = cudaChannelFormatKindSigned;
		break;
	case CU_AD_FORMAT_HALF:
		bits = 16;
		kind = cudaChannelFormatKindFloat;
		break;
	case CU_AD_FORMAT_FLOAT:
		bits = 32;
		kind = cudaChannelFormatKindFloat;
		break;
	default: return false;
	}
	*out = (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0,
					      channels > 2 ? bits : 0, channels > 3 ? bits : 0,
					      kind};
	return channels == 1 || channels == 2 || channels == 4;
}

CUarray_format format_of(const struct cudaChannelFormatDesc *d, unsigned *channels)
{
	*channels = (unsigned)((d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0));
	if (d->f == cudaChannelFormatKindFloat)
		return d->x == 16 ? CU_AD_FORMAT_HALF : CU_AD_FORMAT_FLOAT;
	int size = d->x == 8 ? 0 : d->x == 16 ? 1 : 2;
	return (CUarray_format)((d->f == cudaChannelFormatKindSigned ? CU_AD_FORMAT_SIGNED_INT8
								     : CU_AD_FORMAT_UNSIGNED_INT8) +
				size);
}

CUresult cuArray3DCreate(CUarray *out, const CUDA_ARRAY3D_DESCRIPTOR *d)
{
	struct cudaChannelFormatDesc f;
	CONTEXT_OR_RETURN();
	if (!d || !channel_desc(d->Format, d->NumChannels, &f))
		return CUDA_ERROR_INVALID_VALUE;
	return drv(array_new((struct cudaArray **)out, &f,
			     (struct cudaExtent){d->Width, d->Height, d->Depth}, d->Flags));
}
CUresult cuArrayCreate(CUarray *out, const CUDA_ARRAY_DESCRIPTOR *d)
{
	return cuArray3DCreate(out, &(CUDA_ARRAY3D_DESCRIPTOR){d->Width, d->Height, 0, d->Format,
							       d->NumChannels, 0});
}
CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *d, CUarray array)
{
	CONTEXT_OR_RETURN();
	const struct cudaArray *a = array_of(array);
	*d = (CUDA_ARRAY3D_DESCRIPTOR){
		.Width = a->width, .Height = a->height, .Depth = a->depth, .Flags = a->flags};
	d->Format = format_of(&a->desc, &d->NumChannels);
	return CUDA_SUCCESS;
}
CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *d, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR e;
	CUresult r = cuArray3DGetDescriptor(&e, array);
	if (!r)
		*d = (CUDA_ARRAY_DESCRIPTOR){e.Width, e.Height, e.Format, e.NumChannels};
	return r;
}
CUresult cuArrayDestroy(CUarray a) { RETURN_DRIVER(array_free(array_of(a))); }

CUresult cuMipmappedArrayCreate(CUmipmappedArray *out, const CUDA_ARRAY3D_DESCRIPTOR *d,
				unsigned levels)
{
	struct cudaChannelFormatDesc f;
	CONTEXT_OR_RETURN();
	if (!d || !channel_desc(d->Format, d->NumChannels, &f))
		return CUDA_ERROR_INVALID_VALUE;
	return drv(mipmap_new((struct cudaMipmappedArray **)out, &f,
			      (struct cudaExtent){d->Width, d->Height, d->Depth}, levels,
			      d->Flags));
}
CUresult cuMipmappedArrayGetLevel(CUarray *out, CUmipmappedArray m, unsigned level)
{
	struct cudaMipmappedArray *a = (struct cudaMipmappedArray *)m;
	CONTEXT_OR_RETURN();
	if (!a || level >= a->levels)
		return CUDA_ERROR_INVALID_VALUE;
	*out = (CUarray)&a->level[level];
	return CUDA_SUCCESS;
}
CUresult cuMipmappedArrayDestroy(CUmipmappedArray m)
{
	RETURN_DRIVER(mipmap_free((struct cudaMipmappedArray *)m));
}

/* ---- not supported ---- */

CUresult cuIpcGetMemHandle(CUipcMemHandle *h, CUdeviceptr p)
{
	(void)h, (void)p;
	return drv(rt_unsupported("cuIpcGetMemHandle"));
}
CUresult cuIpcOpenMemHandle(CUdeviceptr *p, CUipcMemHandle h, unsigned flags)
{
	(void)h, (void)p, (void)flags;
	return drv(rt_unsupported("cuIpcOpenMemHandle"));
}
CUresult cuIpcCloseMemHandle(CUdeviceptr p)
{
	(void)p;
	return drv(rt_unsupported("cuIpcCloseMemHandle"));
}
CUresult cuMemPeerRegister(void *p, CUcontext peer, size_t n, unsigned flags)
{
	(void)p, (void)peer, (void)n, (void)flags;
	return drv(rt_unsupported("cuMemPeerRegister"));
}
CUresult cuMemPeerUnregister(void *p, CUcontext peer)
{
	(void)p, (void)peer;
	return drv(rt_unsupported("cuMemPeerUnregister"));
}
CUresult cuMemPeerGetDevicePointer(CUdeviceptr *d, void *p, CUcontext peer, unsigned flags)
{
	(void)d, (void)p, (void)peer, (void)flags;
	return drv(rt_unsupported("cuMemPeerGetDevicePointer"));
}

/* ---- first versions ---- */

FIRST_NAME(cuArray3DCreate, _v2);
FIRST_NAME(cuArray3DGetDescriptor, _v2);
FIRST_NAME(cuArrayCreate, _v2);
FIRST_NAME(cuArrayGetDescriptor, _v2);
FIRST_NAME(cuIpcOpenMemHandle, _v2);
FIRST_NAME(cuMemAlloc, _v2);
FIRST_NAME(cuMemAllocHost, _v2);
FIRST_NAME(cuMemAllocPitch, _v2);
FIRST_NAME(cuMemFree, _v2);
FIRST_NAME(cuMemGetAddressRange, _v2);
FIRST_NAME(cuMemGetInfo, _v2);
FIRST_NAME(cuMemHostGetDevicePointer, _v2);
FIRST_NAME(cuMemcpy2D, _v2);
FIRST_NAME(cuMemcpy2DAsync, _v2);
FIRST_NAME(cuMemcpy2DUnaligned, _v2);
FIRST_NAME(cuMemcpy3D, _v2);
FIRST_NAME(cuMemcpy3DAsync, _v2);
FIRST_NAME(cuMemcpyAtoA, _v2);
FIRST_NAME(cuMemcpyAtoD, _v2);
FIRST_NAME(cuMemcpyAtoH, _v2);
FIRST_NAME(cuMemcpyAtoHAsync, _v2);
FIRST_NAME(cuMemcpyDtoA, _v2);
FIRST_NAME(cuMemcpyDtoD, _v2);
FIRST_NAME(cuMemcpyDtoDAsync, _v2);
FIRST_NAME(cuMemcpyDtoH, _v2);
FIRST_NAME(cuMemcpyDtoHAsync, _v2);
FIRST_NAME(cuMemcpyHtoA, _v2);
FIRST_NAME(cuMemcpyHtoAAsync, _v2);
FIRST_NAME(cuMemcpyHtoD, _v2);
FIRST_NAME(cuMemcpyHtoDAsync, _v2);
FIRST_NAME(cuMemsetD16, _v2);
FIRST_NAME(cuMemsetD2D16, _v2);
FIRST_NAME(cuMemsetD2D32, _v2);
FIRST_NAME(cuMemsetD2D8, _v2);
FIRST_NAME(cuMemsetD32, _v2);
FIRST_NAME(cuMemsetD8, _v2);
