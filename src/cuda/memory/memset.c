/* cudaMemset() and its forms. */
#include "cuda/process/alloc.h"
#include "cuda/rt.h"

static bool is_inside(const struct fill *f)
{
	struct heddle_range r;
	uint64_t rows, slices, n, row;
	if (__builtin_mul_overflow(f->height - 1, f->pitch, &rows) ||
	    __builtin_mul_overflow(f->depth - 1, f->slice, &slices) ||
	    __builtin_mul_overflow(f->width, f->size, &row) ||
	    __builtin_add_overflow(rows, slices, &n) || __builtin_add_overflow(n, row, &n))
		return false;
	struct heddle *h = device_lock();
	bool ok = !heddle_range(h, f->addr, &r) && r.size - (f->addr - r.base) >= n &&
		  f->addr % f->size == 0;
	device_unlock();
	return ok;
}

cudaError_t fill_submit(const struct fill *f, cudaStream_t stream)
{
	struct CUstream_st *s = stream_of(stream);
	cudaError_t e = rt_open();
	if (e || !s)
		return e ? e : cudaErrorInvalidResourceHandle;
	if (!f->width || !f->height || !f->depth)
		return cudaSuccess;
	if (!is_inside(f))
		return cudaErrorInvalidValue;
	struct work w = {.kind = WORK_FILL, .fill = *f};
	return work_submit(s, &w);
}

static cudaError_t submit_fill(void *p, size_t pitch, size_t slice, int value, struct cudaExtent e,
			       cudaStream_t s)
{
	return rt_error(fill_submit(&(struct fill){(uint64_t)(uintptr_t)p, pitch, slice, e.width,
						   e.height, e.depth, (uint8_t)value, 1},
				    s));
}

RT(cudaMemsetAsync, (void *p, int value, size_t n, cudaStream_t s))
{
	return submit_fill(p, 0, 0, value, (struct cudaExtent){n, 1, 1}, s);
}
RT(cudaMemset, (void *p, int value, size_t n))
{
	return rt_cudaMemsetAsync(p, value, n, NULL);
}
RT(cudaMemset2DAsync, (void *p, size_t pitch, int value, size_t w, size_t h, cudaStream_t s))
{
	return submit_fill(p, pitch, 0, value, (struct cudaExtent){w, h, 1}, s);
}
RT(cudaMemset2D, (void *p, size_t pitch, int value, size_t w, size_t h))
{
	return rt_cudaMemset2DAsync(p, pitch, value, w, h, NULL);
}
RT(cudaMemset3DAsync, (struct cudaPitchedPtr p, int value, struct cudaExtent e, cudaStream_t s))
{
	return submit_fill(p.ptr, p.pitch, p.pitch * p.ysize, value, e, s);
}
RT(cudaMemset3D, (struct cudaPitchedPtr p, int value, struct cudaExtent e))
{
	return rt_cudaMemset3DAsync(p, value, e, NULL);
}
RT_PTSZ(cudaMemsetAsync, (void *p, int v, size_t n, cudaStream_t s), (p, v, n, s))
RT_PTDS(cudaMemset, (void *p, int v, size_t n), (p, v, n))
RT_PTSZ(cudaMemset2DAsync, (void *p, size_t i, int v, size_t w, size_t h, cudaStream_t s),
	(p, i, v, w, h, s))
RT_PTDS(cudaMemset2D, (void *p, size_t i, int v, size_t w, size_t h), (p, i, v, w, h))
RT_PTSZ(cudaMemset3DAsync, (struct cudaPitchedPtr p, int v, struct cudaExtent e, cudaStream_t s),
	(p, v, e, s))
RT_PTDS(cudaMemset3D, (struct cudaPitchedPtr p, int v, struct cudaExtent e), (p, v, e))
