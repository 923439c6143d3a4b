/* cudaMemcpy() and its forms: every form becomes a copy of rows between two places. copy.c moves
 * the bytes. */
#include "cuda/process/alloc.h"
#include "cuda/rt.h"

static void stage_source(struct copy *c)
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

/* Submits a copy. As in CUDA, a copy from pageable memory has read the bytes before the call
 * returns, and a copy to pageable memory is done when the call returns. */
cudaError_t copy_submit(struct copy *c, enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
	bool src_pinned, dst_pinned;
	struct CUstream_st *s = stream_of(stream);
	cudaError_t e = rt_open();
	if (e || !s)
		return e ? e : cudaErrorInvalidResourceHandle;
	if ((e = copy_resolve_pinned(c, kind, &src_pinned, &dst_pinned)))
		return e;
	if (!c->width || !c->height || !c->depth)
		return wait ? stream_wait(s) : cudaSuccess;
	if (wait && s->capture)
		return cudaErrorStreamCaptureUnsupported;
	if (!s->capture) {
		if (!c->src.device && !src_pinned && !wait)
			stage_source(c);
		wait |= !c->dst.device && !dst_pinned;
	}
	struct work w = {.kind = WORK_COPY, .copy = *c};
	e = work_submit(s, &w);
	return e || !wait ? e : stream_wait(s);
}

/* ---- one dimension ---- */

static cudaError_t submit_copy1(void *dst, const void *src, size_t n, enum cudaMemcpyKind kind,
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
	return submit_copy1(dst, src, n, kind, NULL, true);
}
RT_PTDS(cudaMemcpy, (void *d, const void *s, size_t n, enum cudaMemcpyKind k), (d, s, n, k))

RT(cudaMemcpyAsync,
   (void *dst, const void *src, size_t n, enum cudaMemcpyKind kind, cudaStream_t s))
{
	return submit_copy1(dst, src, n, kind, s, false);
}
RT_PTSZ(cudaMemcpyAsync, (void *d, const void *s, size_t n, enum cudaMemcpyKind k, cudaStream_t t),
	(d, s, n, k, t))

static cudaError_t check_peers(int a, int b)
{
	return a || b ? rt_error(cudaErrorInvalidDevice) : cudaSuccess;
}

RT(cudaMemcpyPeer, (void *dst, int a, const void *src, int b, size_t n))
{
	RETURN_IF_ERROR(check_peers(a, b));
	return submit_copy1(dst, src, n, cudaMemcpyDeviceToDevice, NULL, true);
}

RT(cudaMemcpyPeerAsync, (void *dst, int a, const void *src, int b, size_t n, cudaStream_t s))
{
	RETURN_IF_ERROR(check_peers(a, b));
	return submit_copy1(dst, src, n, cudaMemcpyDeviceToDevice, s, false);
}

/* ---- two dimensions ---- */

static cudaError_t submit_copy2(void *dst, size_t dpitch, const void *src, size_t spitch, size_t w,
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
	return submit_copy2(dst, dpitch, src, spitch, w, h, kind, NULL, true);
}
RT_PTDS(cudaMemcpy2D,
	(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind k),
	(d, dp, s, sp, w, h, k))

RT(cudaMemcpy2DAsync, (void *dst, size_t dpitch, const void *src, size_t spitch, size_t w, size_t h,
		       enum cudaMemcpyKind kind, cudaStream_t s))
{
	return submit_copy2(dst, dpitch, src, spitch, w, h, kind, s, false);
}
RT_PTSZ(cudaMemcpy2DAsync,
	(void *d, size_t dp, const void *s, size_t sp, size_t w, size_t h, enum cudaMemcpyKind k,
	 cudaStream_t t),
	(d, dp, s, sp, w, h, k, t))

/* ---- three dimensions ---- */

static cudaError_t submit_copy3(const struct cudaMemcpy3DParms *p, cudaStream_t s, bool wait)
{
	struct copy c;
	RETURN_IF_ERROR(rt_open());
	RETURN_IF_ERROR(copy_from_parms(&c, p));
	return rt_error(copy_submit(&c, p->kind, s, wait));
}

RT(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p))
{
	return submit_copy3(p, NULL, true);
}
RT_PTDS(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), (p))
RT(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t s))
{
	return submit_copy3(p, s, false);
}
RT_PTSZ(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t s), (p, s))

static cudaError_t copy3_peer(const struct cudaMemcpy3DPeerParms *p, cudaStream_t s, bool wait)
{
	struct cudaMemcpy3DParms q = {p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
				      p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
	RETURN_IF_ERROR(check_peers(p->srcDevice, p->dstDevice));
	return submit_copy3(&q, s, wait);
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
