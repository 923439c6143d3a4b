/* Copies of rows of bytes between two places: finds the memory of each place and moves the bytes.
 * memcpy.c has the entry points. */
#include <sys/mman.h>
#include "cuda/process/alloc.h"
#include "cuda/memory/memory.h"

/* ---- places ---- */

/* Computes the number of bytes from the first row's start to past the last row. False:
 * overflow. */
static bool find_span(const struct rows *p, const struct copy *c, uint64_t *n)
{
	uint64_t rows, slices;
	if (__builtin_mul_overflow(c->height - 1, p->pitch, &rows) ||
	    __builtin_mul_overflow(c->depth - 1, p->slice, &slices) ||
	    __builtin_add_overflow(rows, slices, n) || __builtin_add_overflow(*n, c->width, n))
		return false;
	return true;
}

/* Returns 1 for device memory, 0 for host memory, -1 for device memory that does not contain the
 * whole span. */
static int find_place(struct heddle *h, const struct rows *p, const struct copy *c, bool *pinned)
{
	struct heddle_range r;
	uint64_t n;
	*pinned = false;
	if (!find_span(p, c, &n))
		return -1;
	if (heddle_range(h, p->addr, &r))
		return 0;
	*pinned = r.kind == HEDDLE_MEM_HOST;
	if (r.size - (p->addr - r.base) < n)
		return r.kind == HEDDLE_MEM_HOST ? 0
						 /* a part of a host buffer may be registered */
						 : -1;
	return 1;
}

static const struct {
	int8_t dst, src;
} wanted[] = {
	[cudaMemcpyHostToHost] = {0, 0},   [cudaMemcpyHostToDevice] = {1, 0},
	[cudaMemcpyDeviceToHost] = {0, 1}, [cudaMemcpyDeviceToDevice] = {1, 1},
	[cudaMemcpyDefault] = {-1, -1},
};

/* True if a place fits the program's kind of copy. As measured on a GPU, memory that the device knows
 * (its own, managed, pinned, registered) may be on either side of any kind; other host memory may
 * not be where the kind says device. If the program's heap is at low addresses, a device address
 * may also be valid on the host; then the kind decides. */
static bool fits_kind(int8_t want, int *is, bool pinned, uint64_t addr)
{
	unsigned char there;
	if (want == 1)
		return *is || pinned;
	if (want == 0 && *is && !pinned &&
	    !mincore((void *)(uintptr_t)(addr & ~(uint64_t)4095), 1, &there))
		*is = 0;
	return true;
}

cudaError_t copy_resolve_pinned(struct copy *c, enum cudaMemcpyKind kind, bool *src_pinned,
				bool *dst_pinned)
{
	*src_pinned = *dst_pinned = false;
	if ((unsigned)kind > cudaMemcpyDefault)
		return cudaErrorInvalidMemcpyDirection;
	if (!c->width || !c->height || !c->depth)
		return cudaSuccess;
	struct heddle *h = device_lock();
	int d = find_place(h, &c->dst, c, dst_pinned), s = find_place(h, &c->src, c, src_pinned);
	device_unlock();
	if (d < 0 || s < 0 || !c->dst.addr || !c->src.addr)
		return cudaErrorInvalidValue;
	if (!fits_kind(wanted[kind].dst, &d, *dst_pinned, c->dst.addr) ||
	    !fits_kind(wanted[kind].src, &s, *src_pinned, c->src.addr))
		return cudaErrorInvalidValue;
	c->dst.device = d;
	c->src.device = s;
	return cudaSuccess;
}

cudaError_t copy_resolve(struct copy *c, enum cudaMemcpyKind kind)
{
	bool a, b;
	return copy_resolve_pinned(c, kind, &a, &b);
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
	if (k.staged) { /* the source was staged with its rows packed */
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
static bool is_inside(const struct cudaArray *a, const struct cudaPos *pos,
		      const struct cudaExtent *e)
{
	uint64_t h = a->height ? a->height : 1, d = a->depth ? a->depth : 1;
	if (a->height == 0 && a->depth) /* in 1D layered arrays, depth counts the layers */
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
	if ((p->srcArray && !is_inside(p->srcArray, &p->srcPos, &p->extent)) ||
	    (p->dstArray && !is_inside(p->dstArray, &p->dstPos, &p->extent)))
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
