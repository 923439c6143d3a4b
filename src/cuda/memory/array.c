/* CUDA arrays: rows of texels in device memory, and copies to and from them. */
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/rt.h"

static uint64_t round_up(uint64_t x, uint64_t to) { return (x + to - 1) / to * to; }

/* Returns the bytes of an element; 0: an unsupported format. */
static unsigned element_bytes(const struct cudaChannelFormatDesc *d)
{
	int n = (d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0);
	if ((d->x != 8 && d->x != 16 && d->x != 32) || n == 3 || (n > 1 && d->y != d->x) ||
	    (n > 2 && (d->z != d->x || d->w != d->x)) ||
	    (unsigned)d->f > cudaChannelFormatKindSignedNormalized16X4 ||
	    d->f == cudaChannelFormatKindNone || d->f == cudaChannelFormatKindNV12)
		return 0;
	return (unsigned)(n * d->x / 8);
}

static void set_layout(struct cudaArray *a)
{
	a->pitch = round_up(a->width * a->elem, 32);
	a->slice = a->pitch * (a->height ? a->height : 1);
}

static bool make_array(struct cudaArray *a, const struct cudaChannelFormatDesc *d,
		       struct cudaExtent e, unsigned flags)
{
	const unsigned all = cudaArrayLayered | cudaArraySurfaceLoadStore | cudaArrayCubemap |
			     cudaArrayTextureGather | cudaArrayColorAttachment;
	*a = (struct cudaArray){.desc = *d,
				.width = e.width,
				.height = e.height,
				.depth = e.depth,
				.flags = flags,
				.elem = element_bytes(d)};
	if (!a->elem || !e.width || e.width > 1 << 28 || e.height > 1 << 20 || e.depth > 1 << 20 ||
	    (flags & ~all))
		return false;
	if ((flags & cudaArrayCubemap) && (e.width != e.height || !e.depth || e.depth % 6 ||
					   (!(flags & cudaArrayLayered) && e.depth != 6)))
		return false;
	set_layout(a);
	return true;
}

static uint64_t array_bytes(const struct cudaArray *a)
{
	return a->slice * (a->depth ? a->depth : 1);
}

cudaError_t array_new(struct cudaArray **out, const struct cudaChannelFormatDesc *d,
		      struct cudaExtent e, unsigned flags)
{
	struct cudaArray a;
	if (!out || !d || !make_array(&a, d, e, flags))
		return cudaErrorInvalidValue;
	cudaError_t err = mem_alloc(array_bytes(&a), &a.addr);
	if (err)
		return err;
	*out = rt_copy(&a, sizeof a);
	own_add(OWN_ARRAY, HANDLE(*out));
	return cudaSuccess;
}

static uint64_t level_extent(uint64_t x, unsigned level)
{
	return !x ? 0 : x >> level ? x >> level : 1;
}

cudaError_t mipmap_new(struct cudaMipmappedArray **out, const struct cudaChannelFormatDesc *d,
		       struct cudaExtent e, unsigned levels, unsigned flags)
{
	enum { MOST = 16 };
	uint64_t size = 0, longest = e.width > e.height ? e.width : e.height, at[MOST];
	bool stack = flags & (cudaArrayLayered | cudaArrayCubemap);
	if (!stack && e.depth > longest)
		longest = e.depth;
	unsigned most = 1;
	while (longest >> most && most < MOST)
		most++;
	levels = !levels ? 1 : levels > most ? most : levels;
	struct cudaArray *list = rt_alloc(levels * sizeof *list);
	for (unsigned i = 0; i < levels; i++) {
		struct cudaExtent le = {level_extent(e.width, i), level_extent(e.height, i),
					stack ? e.depth : level_extent(e.depth, i)};
		if (!out || !d || !make_array(&list[i], d, le, flags)) {
			free(list);
			return cudaErrorInvalidValue;
		}
		at[i] = size;
		size += round_up(array_bytes(&list[i]), 512);
	}
	uint64_t addr;
	cudaError_t err = mem_alloc(size, &addr);
	if (err) {
		free(list);
		return err;
	}
	struct cudaMipmappedArray *m = rt_alloc(sizeof *m);
	*m = (struct cudaMipmappedArray){list, levels, addr};
	for (unsigned i = 0; i < levels; i++) {
		list[i].addr = addr + at[i];
		list[i].owner = m;
		own_add_inner(OWN_ARRAY, HANDLE(&list[i]));
	}
	own_add(OWN_MIPMAP, HANDLE(m));
	*out = m;
	return cudaSuccess;
}

bool array_known(const struct cudaArray *a) { return own_has(OWN_ARRAY, HANDLE(a)); }
bool mipmap_known(const struct cudaMipmappedArray *m) { return own_has(OWN_MIPMAP, HANDLE(m)); }

cudaError_t array_free(struct cudaArray *a)
{
	if (!a)
		return cudaSuccess;
	if (!array_known(a) || a->owner)
		return cudaErrorInvalidResourceHandle;
	cudaError_t e = device_wait();
	own_remove(OWN_ARRAY, HANDLE(a));
	mem_free(a->addr);
	free(a);
	return e;
}

cudaError_t mipmap_free(struct cudaMipmappedArray *m)
{
	if (!m)
		return cudaSuccess;
	if (!mipmap_known(m))
		return cudaErrorInvalidResourceHandle;
	cudaError_t e = device_wait();
	own_remove(OWN_MIPMAP, HANDLE(m));
	for (unsigned i = 0; i < m->levels; i++)
		own_remove(OWN_ARRAY, HANDLE(&m->level[i]));
	mem_free(m->addr);
	free(m->level);
	free(m);
	return e;
}

RT(cudaMallocArray,
   (cudaArray_t * out, const struct cudaChannelFormatDesc *d, size_t w, size_t h, unsigned flags))
{
	RETURN_IF_ERROR(rt_open());
	return rt_error(array_new(out, d, (struct cudaExtent){w, h, 0}, flags));
}
RT(cudaMalloc3DArray,
   (cudaArray_t * out, const struct cudaChannelFormatDesc *d, struct cudaExtent e, unsigned flags))
{
	RETURN_IF_ERROR(rt_open());
	return rt_error(array_new(out, d, e, flags));
}
RT(cudaMallocMipmappedArray, (cudaMipmappedArray_t * out, const struct cudaChannelFormatDesc *d,
			      struct cudaExtent e, unsigned levels, unsigned flags))
{
	RETURN_IF_ERROR(rt_open());
	return rt_error(mipmap_new(out, d, e, levels, flags));
}
RT(cudaFreeArray, (cudaArray_t a))
{
	RETURN_IF_ERROR(rt_open());
	return rt_error(array_free(a));
}
RT(cudaFreeMipmappedArray, (cudaMipmappedArray_t m))
{
	RETURN_IF_ERROR(rt_open());
	return rt_error(mipmap_free(m));
}
RT(cudaGetMipmappedArrayLevel, (cudaArray_t * out, cudaMipmappedArray_const_t m, unsigned level))
{
	RETURN_IF_ERROR(rt_open());
	if (!out || !mipmap_known(m) || level >= m->levels)
		return rt_error(cudaErrorInvalidValue);
	*out = &m->level[level];
	return cudaSuccess;
}

RT(cudaArrayGetInfo,
   (struct cudaChannelFormatDesc * d, struct cudaExtent *e, unsigned *flags, cudaArray_t a))
{
	RETURN_IF_ERROR(rt_open());
	if (!array_known(a))
		return rt_error(cudaErrorInvalidResourceHandle);
	if (d)
		*d = a->desc;
	if (e)
		*e = (struct cudaExtent){a->width, a->height, a->depth};
	if (flags)
		*flags = a->flags;
	return cudaSuccess;
}
RT(cudaGetChannelDesc, (struct cudaChannelFormatDesc * d, cudaArray_const_t a))
{
	return rt_cudaArrayGetInfo(d, NULL, NULL, (cudaArray_t)(uintptr_t)a);
}
RT_TYPE(struct cudaChannelFormatDesc, cudaCreateChannelDesc,
	(int x, int y, int z, int w, enum cudaChannelFormatKind f))
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}
RT(cudaArrayGetPlane, (cudaArray_t * plane, cudaArray_t a, unsigned i))
{
	(void)plane, (void)a, (void)i;
	return rt_error(cudaErrorInvalidValue); /* no array has several planes */
}

/* ---- copies: offsets and widths in bytes ---- */

static cudaError_t place_rows(const struct cudaArray *a, size_t x, size_t y, size_t w, size_t h,
			      struct rows *out)
{
	if (!a)
		return cudaErrorInvalidResourceHandle;
	uint64_t row = a->width * a->elem,
		 rows = (a->height ? a->height : 1) * (a->depth ? a->depth : 1);
	if (x > row || w > row - x || y > rows || h > rows - y)
		return cudaErrorInvalidValue;
	*out = (struct rows){.addr = a->addr + y * a->pitch + x,
			     .pitch = a->pitch,
			     .device = true,
			     .array = (struct cudaArray *)(uintptr_t)a};
	return cudaSuccess;
}

static cudaError_t copy_array(struct cudaArray *dst, size_t dx, size_t dy,
			      const struct cudaArray *src, size_t sx, size_t sy, struct rows other,
			      size_t w, size_t h, enum cudaMemcpyKind kind, cudaStream_t s,
			      bool wait)
{
	struct copy c = {.dst = other, .src = other, .width = w, .height = h, .depth = 1};
	RETURN_IF_ERROR(rt_open());
	if (dst)
		RETURN_IF_ERROR(place_rows(dst, dx, dy, w, h, &c.dst));
	if (src)
		RETURN_IF_ERROR(place_rows(src, sx, sy, w, h, &c.src));
	if (h > 1 && (c.dst.pitch < w || c.src.pitch < w))
		return rt_error(cudaErrorInvalidPitchValue);
	return rt_error(copy_submit(&c, kind, s, wait));
}

#define LINEAR(p, n)                                                                               \
	(struct rows) { .addr = (uint64_t)(uintptr_t)(p), .pitch = (n) }
#define RETURN_UNLESS_ARRAY(a)                                                                     \
	if (!array_known(a))                                                                       \
	return rt_error(cudaErrorInvalidResourceHandle)

RT(cudaMemcpy2DToArrayAsync, (cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
			      size_t w, size_t h, enum cudaMemcpyKind kind, cudaStream_t s))
{
	RETURN_UNLESS_ARRAY(dst);
	return copy_array(dst, x, y, NULL, 0, 0, LINEAR(src, pitch), w, h, kind, s, false);
}
RT(cudaMemcpy2DToArray, (cudaArray_t dst, size_t x, size_t y, const void *src, size_t pitch,
			 size_t w, size_t h, enum cudaMemcpyKind kind))
{
	RETURN_UNLESS_ARRAY(dst);
	return copy_array(dst, x, y, NULL, 0, 0, LINEAR(src, pitch), w, h, kind, NULL, true);
}
RT(cudaMemcpy2DFromArrayAsync, (void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y,
				size_t w, size_t h, enum cudaMemcpyKind kind, cudaStream_t s))
{
	RETURN_UNLESS_ARRAY(src);
	return copy_array(NULL, 0, 0, src, x, y, LINEAR(dst, pitch), w, h, kind, s, false);
}
RT(cudaMemcpy2DFromArray, (void *dst, size_t pitch, cudaArray_const_t src, size_t x, size_t y,
			   size_t w, size_t h, enum cudaMemcpyKind kind))
{
	RETURN_UNLESS_ARRAY(src);
	return copy_array(NULL, 0, 0, src, x, y, LINEAR(dst, pitch), w, h, kind, NULL, true);
}
RT(cudaMemcpy2DArrayToArray, (cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src,
			      size_t sx, size_t sy, size_t w, size_t h, enum cudaMemcpyKind kind))
{
	RETURN_UNLESS_ARRAY(dst);
	RETURN_UNLESS_ARRAY(src);
	return copy_array(dst, dx, dy, src, sx, sy, (struct rows){0}, w, h, kind, NULL, true);
}

/* A piece of a copy in the old forms, which copy `count` bytes row by row, possibly from the middle
 * of a row. */
struct run {
	struct cudaArray *a;
	size_t x, y;
};

static cudaError_t copy_run1(struct run *d, struct run *s, uint64_t *linear, size_t n,
			     enum cudaMemcpyKind kind, cudaStream_t stream, bool wait)
{
	while (n) {
		struct run *r = d ? d : s;
		size_t row = r->a->width * r->a->elem, w = row - r->x;
		if (r->x >= row)
			return rt_error(cudaErrorInvalidValue);
		if (d && s && s->a->width * s->a->elem - s->x < w)
			w = s->a->width * s->a->elem - s->x;
		w = n < w ? n : w;
		/* as many whole rows as possible at once */
		size_t h =
			r->x == 0 && w == row &&
					(!d || !s || (s->x == 0 && s->a->width * s->a->elem == row))
				? n / row
				: 1;
		struct rows p = {.addr = *linear, .pitch = w};
		RETURN_IF_ERROR(copy_array(d ? d->a : NULL, d ? d->x : 0, d ? d->y : 0,
					   s ? s->a : NULL, s ? s->x : 0, s ? s->y : 0, p, w, h,
					   kind, stream, wait));
		n -= w * h;
		*linear += w * h;
		for (int i = 0; i < 2; i++) {
			struct run *q = i ? s : d;
			if (!q)
				continue;
			q->x += w;
			if (q->x == q->a->width * q->a->elem) {
				q->x = 0;
				q->y += h;
			}
		}
	}
	return cudaSuccess;
}

RT(cudaMemcpyToArrayAsync, (cudaArray_t dst, size_t x, size_t y, const void *src, size_t n,
			    enum cudaMemcpyKind kind, cudaStream_t s))
{
	RETURN_UNLESS_ARRAY(dst);
	uint64_t p = (uint64_t)(uintptr_t)src;
	return copy_run1(&(struct run){dst, x, y}, NULL, &p, n, kind, s, false);
}
RT(cudaMemcpyToArray,
   (cudaArray_t dst, size_t x, size_t y, const void *src, size_t n, enum cudaMemcpyKind kind))
{
	RETURN_UNLESS_ARRAY(dst);
	uint64_t p = (uint64_t)(uintptr_t)src;
	return copy_run1(&(struct run){dst, x, y}, NULL, &p, n, kind, NULL, true);
}
RT(cudaMemcpyFromArrayAsync, (void *dst, cudaArray_const_t src, size_t x, size_t y, size_t n,
			      enum cudaMemcpyKind kind, cudaStream_t s))
{
	RETURN_UNLESS_ARRAY(src);
	uint64_t p = (uint64_t)(uintptr_t)dst;
	return copy_run1(NULL, &(struct run){(cudaArray_t)(uintptr_t)src, x, y}, &p, n, kind, s,
			 false);
}
RT(cudaMemcpyFromArray,
   (void *dst, cudaArray_const_t src, size_t x, size_t y, size_t n, enum cudaMemcpyKind kind))
{
	RETURN_UNLESS_ARRAY(src);
	uint64_t p = (uint64_t)(uintptr_t)dst;
	return copy_run1(NULL, &(struct run){(cudaArray_t)(uintptr_t)src, x, y}, &p, n, kind, NULL,
			 true);
}
RT(cudaMemcpyArrayToArray, (cudaArray_t dst, size_t dx, size_t dy, cudaArray_const_t src, size_t sx,
			    size_t sy, size_t n, enum cudaMemcpyKind kind))
{
	RETURN_UNLESS_ARRAY(dst);
	RETURN_UNLESS_ARRAY(src);
	uint64_t p = 0;
	return copy_run1(&(struct run){dst, dx, dy},
			 &(struct run){(cudaArray_t)(uintptr_t)src, sx, sy}, &p, n, kind, NULL,
			 true);
}

typedef enum cudaMemcpyKind kind_t;
RT_PTSZ(cudaMemcpy2DToArrayAsync,
	(cudaArray_t d, size_t x, size_t y, const void *p, size_t i, size_t w, size_t h, kind_t k,
	 cudaStream_t s),
	(d, x, y, p, i, w, h, k, s))
RT_PTDS(cudaMemcpy2DToArray,
	(cudaArray_t d, size_t x, size_t y, const void *p, size_t i, size_t w, size_t h, kind_t k),
	(d, x, y, p, i, w, h, k))
RT_PTSZ(cudaMemcpy2DFromArrayAsync,
	(void *p, size_t i, cudaArray_const_t a, size_t x, size_t y, size_t w, size_t h, kind_t k,
	 cudaStream_t s),
	(p, i, a, x, y, w, h, k, s))
RT_PTDS(cudaMemcpy2DFromArray,
	(void *p, size_t i, cudaArray_const_t a, size_t x, size_t y, size_t w, size_t h, kind_t k),
	(p, i, a, x, y, w, h, k))
RT_PTDS(cudaMemcpy2DArrayToArray,
	(cudaArray_t d, size_t x, size_t y, cudaArray_const_t a, size_t u, size_t v, size_t w,
	 size_t h, kind_t k),
	(d, x, y, a, u, v, w, h, k))
RT_PTSZ(cudaMemcpyToArrayAsync,
	(cudaArray_t d, size_t x, size_t y, const void *p, size_t n, kind_t k, cudaStream_t s),
	(d, x, y, p, n, k, s))
RT_PTDS(cudaMemcpyToArray, (cudaArray_t d, size_t x, size_t y, const void *p, size_t n, kind_t k),
	(d, x, y, p, n, k))
RT_PTSZ(cudaMemcpyFromArrayAsync,
	(void *p, cudaArray_const_t a, size_t x, size_t y, size_t n, kind_t k, cudaStream_t s),
	(p, a, x, y, n, k, s))
RT_PTDS(cudaMemcpyFromArray, (void *p, cudaArray_const_t a, size_t x, size_t y, size_t n, kind_t k),
	(p, a, x, y, n, k))
RT_PTDS(cudaMemcpyArrayToArray,
	(cudaArray_t d, size_t x, size_t y, cudaArray_const_t a, size_t u, size_t v, size_t n,
	 kind_t k),
	(d, x, y, a, u, v, n, k))
