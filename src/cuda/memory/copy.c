/* Copies and fills: every form becomes rows between two places. */
#include <sys/mman.h>
#include "cuda/process/alloc.h"
#include "cuda/rt.h"

/* ---- places ---- */

/* Bytes from the first of the rows to behind the last. */
static bool span(const struct rows *p, const struct copy *c, uint64_t *n)
{
	uint64_t rows, slices;
	if (__builtin_mul_overflow(c->height - 1, p->pitch, &rows) ||
	    __builtin_mul_overflow(c->depth - 1, p->slice, &slices) ||
	    __builtin_add_overflow(rows, slices, n) || __builtin_add_overflow(*n, c->width, n))
		return false;
	return true;
}

/* 1: device memory, 0: host memory, -1: device memory that does not hold the span. */
static int where(struct heddle *h, const struct rows *p, const struct copy *c, bool *pinned)
{
	struct heddle_range r;
	uint64_t n;
	*pinned = false;
	if (!span(p, c, &n))
		return -1;
	if (heddle_range(h, p->addr, &r))
		return 0;
	*pinned = r.kind == HEDDLE_MEM_HOST;
	if (r.size - (p->addr - r.base) < n)
		return r.kind == HEDDLE_MEM_HOST ? 0
						 : -1; /* part of a host buffer may be registered */
	return 1;
}

static const struct {
	int8_t dst, src;
} wanted[] = {
	[cudaMemcpyHostToHost] = {0, 0},   [cudaMemcpyHostToDevice] = {1, 0},
	[cudaMemcpyDeviceToHost] = {0, 1}, [cudaMemcpyDeviceToDevice] = {1, 1},
	[cudaMemcpyDefault] = {-1, -1},
};

/* Host memory that the device sees may stand on either side. If the program's heap is low, a device
 * address may also be one of the program's own; then the program's word counts. */
static bool fits(int8_t want, int *is, bool pinned, uint64_t addr)
{
	unsigned char there;
	if (want < 0 || pinned || want == *is)
		return true;
	if (want == 1 || mincore((void *)(uintptr_t)(addr & ~(uint64_t)4095), 1, &there))
		return false;
	*is = 0;
	return true;
}

static cudaError_t resolve(struct copy *c, enum cudaMemcpyKind kind, bool *src_pinned,
			   bool *dst_pinned)
{
	*src_pinned = *dst_pinned = false;
	if ((unsigned)kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!c->width || !c->height || !c->depth)
		return cudaSuccess;
	struct heddle *h = device_lock();
	int d = where(h, &c->dst, c, dst_pinned), s = where(h, &c->src, c, src_pinned);
	device_unlock();
	if (d < 0 || s < 0 || !c->dst.addr || !c->src.addr)
		return cudaErrorInvalidValue;
	if (!fits(wanted[kind].dst, &d, *dst_pinned, c->dst.addr) ||
	    !fits(wanted[kind].src, &s, *src_pinned, c->src.addr))
		return cudaErrorInvalidValue;
	c->dst.device = d;
	c->src.device = s;
	return cudaSuccess;
}

cudaError_t copy_resolve(struct copy *c, enum cudaMemcpyKind kind)
{
	bool a, b;
	return resolve(c, kind, &a, &b);
}

/* ---- running ---- */

static enum heddle_status copy_row(struct heddle *h, const struct copy *c, uint64_t dst,
				   uint64_t src, uint64_t n)
{
	if (c->dst.device && c->src.device)
		return heddle_copy(h, dst, src, n);
	if (c->dst.device)
		return heddle_write(h, dst, (void *)(uintptr_t)src, n);
	if (c->src.device)
		return heddle_read(h, (void *)(uintptr_t)dst, src, n);
	memmove((void *)(uintptr_t)dst, (void *)(uintptr_t)src, n);
	return HEDDLE_OK;
}

cudaError_t copy_run(const struct copy *c)
{
	enum heddle_status st = HEDDLE_OK;
	struct copy k = *c;
	if (!k.width || !k.height || !k.depth)
		return cudaSuccess;
	if (k.staged) { /* rows packed tightly */
		k.src = (struct rows){.addr = (uint64_t)(uintptr_t)k.staged,
				      .pitch = k.width,
				      .slice = k.width * k.height};
	}
	if (k.dst.pitch == k.width && k.src.pitch == k.width && k.depth == 1) {
		k.width *= k.height;
		k.height = 1;
	}
	struct heddle *h = device_lock();
	for (uint64_t z = 0; z < k.depth && !st; z++)
		for (uint64_t y = 0; y < k.height && !st; y++)
			st = copy_row(h, &k, k.dst.addr + z * k.dst.slice + y * k.dst.pitch,
				      k.src.addr + z * k.src.slice + y * k.src.pitch, k.width);
	device_unlock();
	return st ? cudaErrorIllegalAddress : cudaSuccess;
}

bool copy_is_unwritten(const struct copy *c)
{
	struct heddle_range r;
	struct heddle *h = device_lock();
	bool to_host = !c->dst.device ||
		       (!heddle_range(h, c->dst.addr, &r) && r.kind == HEDDLE_MEM_HOST),
	     any = !to_host || !c->src.device || !c->width || !c->height || !c->depth;
	for (uint64_t z = 0; z < c->depth && !any; z++)
		for (uint64_t y = 0; y < c->height && !any; y++)
			any = heddle_written(h, c->src.addr + z * c->src.slice + y * c->src.pitch,
					     c->width);
	device_unlock();
	return !any;
}

static void stage(struct copy *c)
{
	char *p = rt_alloc(c->width * c->height * c->depth);
	c->staged = p;
	for (uint64_t z = 0; z < c->depth; z++)
		for (uint64_t y = 0; y < c->height; y++, p += c->width)
			memcpy(p,
			       (void *)(uintptr_t)(c->src.addr + z * c->src.slice +
						   y * c->src.pitch),
			       c->width);
}

/* As in CUDA: a copy from pageable memory takes the bytes before the call returns; a copy to
 * pageable memory is done when the call returns. */
cudaError_t copy_submit(struct copy *c, enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
	bool src_pinned, dst_pinned;
	struct CUstream_st *s = stream_of(stream);
	cudaError_t e = rt_open();
	if (e || !s)
		return e ? e : cudaErrorInvalidResourceHandle;
	if ((e = resolve(c, kind, &src_pinned, &dst_pinned)))
		return e;
	if (!c->width || !c->height || !c->depth)
		return wait ? stream_wait(s) : cudaSuccess;
	if (wait && s->capture)
		return cudaErrorStreamCaptureUnsupported;
	if (!s->capture) {
		if (!c->src.device && !src_pinned && !wait)
			stage(c);
		wait |= !c->dst.device && !dst_pinned;
	}
	struct work w = {.kind = WORK_COPY, .copy = *c};
	e = work_submit(s, &w);
	return e || !wait ? e : stream_wait(s);
}

/* ---- one dimension ---- */

static cudaError_t copy1(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind,
			 cudaStream_t s, bool wait)
{
	struct copy c = {.dst = {.addr = (uint64_t)(uintptr_t)dst, .pitch = n},
			 .src = {.addr = (uint64_t)(uintptr_t)src, .pitch = n},
			 .width = n,
			 .height = 1,
			 .depth = 1};
	return rt_error(copy_submit(&c, kind, s, wait));
}

RT(cudaMemcpy, (void *dst, const void *src, size_t n, enum cudaMemcpyKind kind))
{
	return copy1(dst, src, n, kind, NULL, true);
}
RT_PTDS(cudaMemcpy, (void *d, const void *s, size_t n, enum cudaMemcpyKind k), (d, s, n, k))

RT(cudaMemcpyAsync,
   (void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, cudaStream_t s))
{
	return copy1(dst, src, n, kind, s, false);
}
RT_PTSZ(cudaMemcpyAsync, (void *d, const void *s, size_t n, enum cudaMemcpyKind k, cudaStream_t t),
	(d, s, n, k, t))

static cudaError_t check_peers(int a, int b)
{
	return a || b ? rt_error(cudaErrorInvalidDevice) : cudaSuccess;
}

RT(cudaMemcpyPeer, (void *dst, int a, const void *src, int b, size_t n))
{
	TRY(check_peers(a, b));
	return copy1(dst, src, n, cudaMemcpyDeviceToDevice, NULL, true);
}

RT(cudaMemcpyPeerAsync, (void *dst, int a, const void *src, int b, size_t n, cudaStream_t s))
{
	TRY(check_peers(a, b));
	return copy1(dst, src, n, cudaMemcpyDeviceToDevice, s, false);
}

/* ---- two dimensions ---- */

static cudaError_t copy2(void *dst, size_t dpitch, const void *src, size_t spitch, size_t w,
			 size_t h, enum cudaMemcpyKind kind, cudaStream_t s, bool wait)
{
	if (h > 1 && (dpitch < w || spitch < w))
		return rt_error(cudaErrorInvalidPitchValue);
	struct copy c = {.dst = {.addr = (uint64_t)(uintptr_t)dst, .pitch = dpitch},
			 .src = {.addr = (uint64_t)(uintptr_t)src, .pitch = spitch},
			 .width = w,
			 .height = h,
			 .depth = 1};
	return rt_error(copy_submit(&c, kind, s, wait));
}

RT(cudaMemcpy2D, (void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h,
		  enum cudaMemcpyKind kind))
{
	return copy2(dst, dpitch, src, spitch, w, h, kind, NULL, true);
}
RT_PTDS(cudaMemcpy2D,
	(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind k),
	(d, dp, s, sp, w, h, k))

RT(cudaMemcpy2DAsync, (void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h,
		       enum cudaMemcpyKind kind, cudaStream_t s))
{
	return copy2(dst, dpitch, src, spitch, w, h, kind, s, false);
}
RT_PTSZ(cudaMemcpy2DAsync,
	(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind k,
	 cudaStream_t t),
	(d, dp, s, sp, w, h, k, t))

/* ---- three dimensions ---- */

static struct rows rows_of(struct cudaArray *a, const struct cudaPitchedPtr *p,
			   const struct cudaPos *pos)
{
	if (a)
		return (struct rows){.addr = a->addr + pos->z * a->slice + pos->y * a->pitch +
					     pos->x * a->elem,
				     .pitch = a->pitch,
				     .slice = a->slice,
				     .device = true,
				     .array = a};
	return (struct rows){.addr = (uint64_t)(uintptr_t)p->ptr + pos->z * p->pitch * p->ysize +
				     pos->y * p->pitch + pos->x,
			     .pitch = p->pitch,
			     .slice = p->pitch * p->ysize};
}

/* True if the box fits into the array. */
static bool inside(const struct cudaArray *a, const struct cudaPos *pos, const struct cudaExtent *e)
{
	uint64_t h = a->height ? a->height : 1, d = a->depth ? a->depth : 1;
	if (a->height == 0 && a->depth) /* 1D layered: layers are depth */
		h = 1;
	return pos->x <= a->width && e->width <= a->width - pos->x && pos->y <= h &&
	       e->height <= h - pos->y && pos->z <= d && e->depth <= d - pos->z;
}

cudaError_t copy_from_parms(struct copy *c, const struct cudaMemcpy3DParms *p)
{
	if (!p || (!p->srcArray && !p->srcPtr.ptr) || (!p->dstArray && !p->dstPtr.ptr) ||
	    (p->srcArray && p->srcPtr.ptr) || (p->dstArray && p->dstPtr.ptr))
		return cudaErrorInvalidValue;
	if (p->srcArray && p->dstArray && p->srcArray->elem != p->dstArray->elem)
		return cudaErrorInvalidValue;
	if ((p->srcArray && !inside(p->srcArray, &p->srcPos, &p->extent)) ||
	    (p->dstArray && !inside(p->dstArray, &p->dstPos, &p->extent)))
		return cudaErrorInvalidValue;
	unsigned elem = p->srcArray ? p->srcArray->elem : p->dstArray ? p->dstArray->elem : 1;
	*c = (struct copy){.dst = rows_of(p->dstArray, &p->dstPtr, &p->dstPos),
			   .src = rows_of(p->srcArray, &p->srcPtr, &p->srcPos),
			   .width = p->extent.width * elem,
			   .height = p->extent.height,
			   .depth = p->extent.depth};
	if (c->height > 1 && (c->dst.pitch < c->width || c->src.pitch < c->width))
		return cudaErrorInvalidPitchValue;
	return cudaSuccess;
}

static cudaError_t copy3(const struct cudaMemcpy3DParms *p, cudaStream_t s, bool wait)
{
	struct copy c;
	TRY(rt_open());
	TRY(copy_from_parms(&c, p));
	return rt_error(copy_submit(&c, p->kind, s, wait));
}

RT(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p))
{
	return copy3(p, NULL, true);
}
RT_PTDS(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), (p))
RT(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t s))
{
	return copy3(p, s, false);
}
RT_PTSZ(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t s), (p, s))

static cudaError_t copy3_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t s, bool wait)
{
	struct cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
				      p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
	TRY(check_peers(p->srcDevice, p->dstDevice));
	return copy3(&q, s, wait);
}
RT(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p))
{
	return copy3_peer(p, NULL, true);
}
RT_PTDS(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), (p))
RT(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t s))
{
	return copy3_peer(p, s, false);
}
RT_PTSZ(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t s), (p, s))
