/* Texture and surface objects and references: entry points, and conversion of the program's
 * descriptions to descriptors. */
#include "cuda/process/alloc.h"
#include "cuda/process/handles.h"
#include "cuda/memory/texref.h"

/* ---- descriptors ---- */

bool tex_format(struct heddle_tex *t, const struct cudaChannelFormatDesc *d)
{
	int n = (d->x > 0) + (d->y > 0) + (d->z > 0) + (d->w > 0);
	if (n == 3 || !n || (d->x != 8 && d->x != 16 && d->x != 32))
		return false;
	t->channels = (uint8_t)n;
	t->bits = (uint8_t)d->x;
	switch (d->f) {
	case cudaChannelFormatKindSigned: t->chan = HEDDLE_CHAN_SIGNED; return true;
	case cudaChannelFormatKindUnsigned: t->chan = HEDDLE_CHAN_UNSIGNED; return true;
	case cudaChannelFormatKindFloat: t->chan = HEDDLE_CHAN_FLOAT; return d->x != 8;
	default: break;
	}
	if (d->f >= cudaChannelFormatKindUnsignedNormalized8X1 &&
	    d->f <= cudaChannelFormatKindSignedNormalized16X4) {
		t->chan = d->f <= cudaChannelFormatKindUnsignedNormalized16X4 ? HEDDLE_CHAN_UNSIGNED
									      : HEDDLE_CHAN_SIGNED;
		t->normalized_float = true;
		return true;
	}
	return false;
}

bool tex_from_array(struct heddle_tex *t, const struct cudaArray *a)
{
	t->addr = a->addr;
	t->width = (uint32_t)a->width;
	t->height = (uint32_t)a->height;
	t->depth = (uint32_t)a->depth;
	t->pitch = a->pitch;
	t->slice = a->slice;
	t->layered = a->flags & cudaArrayLayered;
	t->cubemap = a->flags & cudaArrayCubemap;
	t->levels = 1;
	return tex_format(t, &a->desc);
}

bool tex_from_mipmap(struct heddle_tex *t, const struct cudaMipmappedArray *m)
{
	if (!tex_from_array(t, &m->level[0]))
		return false;
	t->levels = m->levels;
	for (unsigned i = 0; i < m->levels && i < 16; i++) {
		t->level_offset[i] = m->level[i].addr - m->addr;
		t->level_pitch[i] = m->level[i].pitch;
		t->level_slice[i] = m->level[i].slice;
	}
	return true;
}

static bool set_linear(struct heddle_tex *t, const void *p, const struct cudaChannelFormatDesc *d,
		       size_t bytes)
{
	if (!tex_format(t, d))
		return false;
	unsigned elem = t->channels * t->bits / 8u;
	t->addr = (uint64_t)(uintptr_t)p;
	t->width = (uint32_t)(bytes / elem > UINT32_MAX ? UINT32_MAX : bytes / elem);
	t->pitch = t->slice = (uint64_t)t->width * elem;
	t->linear_memory = true;
	t->levels = 1;
	return t->width != 0;
}

static bool set_pitched(struct heddle_tex *t, const void *p, const struct cudaChannelFormatDesc *d,
			size_t w, size_t h, size_t pitch)
{
	if (!tex_format(t, d) || !w || pitch < w * t->channels * t->bits / 8)
		return false;
	t->addr = (uint64_t)(uintptr_t)p;
	t->width = (uint32_t)w;
	t->height = (uint32_t)h;
	t->pitch = pitch;
	t->slice = pitch * h;
	t->levels = 1;
	return true;
}

/* Applies a view, which shows the texels in another format of their size; levels and layers may be
 * restricted. */
static bool apply_view(struct heddle_tex *t, const struct cudaResourceViewDesc *v)
{
	static const struct {
		uint8_t bits, chan;
	} kind[] = {{8, HEDDLE_CHAN_UNSIGNED},  {8, HEDDLE_CHAN_SIGNED},
		    {16, HEDDLE_CHAN_UNSIGNED}, {16, HEDDLE_CHAN_SIGNED},
		    {32, HEDDLE_CHAN_UNSIGNED}, {32, HEDDLE_CHAN_SIGNED},
		    {16, HEDDLE_CHAN_FLOAT},    {32, HEDDLE_CHAN_FLOAT}};
	if (v->format != cudaResViewFormatNone) {
		unsigned i = (unsigned)v->format - 1, elem = t->channels * t->bits;
		if (i >= 24)
			return false; /* formats with block compression */
		t->channels = (uint8_t[]){1, 2, 4}[i % 3];
		t->bits = kind[i / 3].bits;
		t->chan = kind[i / 3].chan;
		if ((unsigned)t->channels * t->bits != elem)
			return false;
	}
	if (v->firstMipmapLevel || v->firstLayer ||
	    (v->lastMipmapLevel && v->lastMipmapLevel >= t->levels))
		return v->firstMipmapLevel == 0 && v->firstLayer == 0;
	if (v->lastMipmapLevel)
		t->levels = v->lastMipmapLevel + 1;
	return true;
}

cudaError_t tex_resource(struct heddle_tex *t, const struct cudaResourceDesc *r,
			 const struct cudaResourceViewDesc *v)
{
	bool ok = false;
	switch (r->resType) {
	case cudaResourceTypeArray:
		ok = array_known(r->res.array.array) && tex_from_array(t, r->res.array.array);
		break;
	case cudaResourceTypeMipmappedArray:
		ok = mipmap_known(r->res.mipmap.mipmap) && tex_from_mipmap(t, r->res.mipmap.mipmap);
		break;
	case cudaResourceTypeLinear:
		ok = r->res.linear.devPtr &&
		     set_linear(t, r->res.linear.devPtr, &r->res.linear.desc,
				r->res.linear.sizeInBytes);
		break;
	case cudaResourceTypePitch2D:
		ok = r->res.pitch2D.devPtr &&
		     set_pitched(t, r->res.pitch2D.devPtr, &r->res.pitch2D.desc,
				 r->res.pitch2D.width, r->res.pitch2D.height,
				 r->res.pitch2D.pitchInBytes);
		break;
	default: break;
	}
	if (ok && v && !apply_view(t, v))
		return rt_unsupported("a resource view of a part of an array");
	return ok ? cudaSuccess : cudaErrorInvalidValue;
}

/* ---- objects ---- */

struct object {
	struct cudaResourceDesc res;
	struct cudaTextureDesc tex;
	struct cudaResourceViewDesc view;
	bool surface;
};

static struct object *object_of(unsigned long long handle, bool surface)
{
	pthread_mutex_lock(&process.lock);
	struct object *o =
		handle ? ptrmap_get(&process.memory.textures, (void *)(uintptr_t)handle) : NULL;
	pthread_mutex_unlock(&process.lock);
	return o && o->surface == surface ? o : NULL;
}

cudaError_t tex_create(const struct heddle_tex *t, unsigned long long *out)
{
	uint64_t handle;
	struct heddle *h = device_lock();
	enum heddle_status st = heddle_tex_create(h, t, &handle);
	device_unlock();
	*out = st ? 0 : handle;
	return rt_status(st);
}

cudaError_t tex_destroy(unsigned long long handle)
{
	cudaError_t e = device_wait(); /* kernels that use the object end first */
	struct heddle *h = device_lock();
	enum heddle_status st = heddle_tex_destroy(h, handle);
	device_unlock();
	return e ? e : rt_status(st);
}

static void set_sampling(struct heddle_tex *t, const struct cudaTextureDesc *d)
{
	for (int i = 0; i < 3; i++)
		t->addr_mode[i] = (uint8_t)d->addressMode[i];
	t->linear = d->filterMode == cudaFilterModeLinear;
	t->normalized_float |=
		d->readMode == cudaReadModeNormalizedFloat && t->chan != HEDDLE_CHAN_FLOAT;
	t->normalized_coords = d->normalizedCoords != 0;
	t->srgb = d->sRGB != 0;
	memcpy(t->border, d->borderColor, sizeof t->border);
	t->mip_linear = d->mipmapFilterMode == cudaFilterModeLinear;
	t->mip_bias = d->mipmapLevelBias;
	t->mip_min = d->minMipmapLevelClamp;
	t->mip_max = d->maxMipmapLevelClamp;
}

static bool sampling_ok(const struct heddle_tex *t, const struct cudaTextureDesc *d)
{
	for (int i = 0; i < 3; i++)
		if ((unsigned)d->addressMode[i] > cudaAddressModeBorder)
			return false;
	if ((unsigned)d->filterMode > cudaFilterModeLinear ||
	    (unsigned)d->readMode > cudaReadModeNormalizedFloat)
		return false;
	/* integers cannot be filtered, and 32-bit integers cannot be read as fractions */
	bool fraction = d->readMode == cudaReadModeNormalizedFloat ||
			t->chan == HEDDLE_CHAN_FLOAT || t->normalized_float;
	if (t->linear_memory)
		return true;
	if (d->filterMode == cudaFilterModeLinear && !fraction)
		return false;
	return !(d->readMode == cudaReadModeNormalizedFloat && t->bits == 32 &&
		 t->chan != HEDDLE_CHAN_FLOAT);
}

static unsigned long long remember_object(unsigned long long handle, const struct object *o)
{
	pthread_mutex_lock(&process.lock);
	ptrmap_put(&process.memory.textures, (void *)(uintptr_t)handle, rt_copy(o, sizeof *o));
	pthread_mutex_unlock(&process.lock);
	own_add(o->surface ? OWN_SURFACE : OWN_TEXTURE, handle);
	return handle;
}

cudaError_t object_free(unsigned long long handle, bool surface)
{
	struct object *o = object_of(handle, surface);
	if (!o)
		return cudaErrorInvalidValue;
	own_remove(surface ? OWN_SURFACE : OWN_TEXTURE, handle);
	pthread_mutex_lock(&process.lock);
	ptrmap_put(&process.memory.textures, (void *)(uintptr_t)handle, NULL);
	pthread_mutex_unlock(&process.lock);
	free(o);
	return tex_destroy(handle);
}

RT(cudaCreateTextureObject, (cudaTextureObject_t * out, const struct cudaResourceDesc *r,
			     const struct cudaTextureDesc *d, const struct cudaResourceViewDesc *v))
{
	struct heddle_tex t = {0};
	struct object o = {0};
	unsigned long long handle;
	if (!out || !r || !d)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	RETURN_IF_ERROR(tex_resource(&t, r, v));
	if (!sampling_ok(&t, d))
		return rt_error(cudaErrorInvalidValue);
	set_sampling(&t, d);
	RETURN_IF_ERROR(tex_create(&t, &handle));
	o.res = *r;
	o.tex = *d;
	if (v)
		o.view = *v;
	*out = remember_object(handle, &o);
	return cudaSuccess;
}
EXPORT_11(rt_cudaCreateTextureObject, cudaCreateTextureObject_v2)
EXPORT_12(rt_cudaCreateTextureObject, cudaCreateTextureObject_v2)

RT(cudaDestroyTextureObject, (cudaTextureObject_t handle))
{
	RETURN_IF_ERROR(rt_open());
	return handle ? rt_error(object_free(handle, false)) : cudaSuccess;
}

#define RETURN_OBJECT(handle, surface, out, field)                                                 \
	struct object *o = object_of(handle, surface);                                             \
	if (!o || !(out))                                                                          \
		return rt_error(cudaErrorInvalidValue);                                            \
	*(out) = o->field;                                                                         \
	return cudaSuccess

RT(cudaGetTextureObjectResourceDesc, (struct cudaResourceDesc * d, cudaTextureObject_t t))
{
	RETURN_OBJECT(t, false, d, res);
}
RT(cudaGetTextureObjectTextureDesc, (struct cudaTextureDesc * d, cudaTextureObject_t t))
{
	RETURN_OBJECT(t, false, d, tex);
}
RT(cudaGetTextureObjectResourceViewDesc, (struct cudaResourceViewDesc * d, cudaTextureObject_t t))
{
	RETURN_OBJECT(t, false, d, view);
}
RT(cudaGetSurfaceObjectResourceDesc, (struct cudaResourceDesc * d, cudaSurfaceObject_t t))
{
	RETURN_OBJECT(t, true, d, res);
}

RT(cudaCreateSurfaceObject, (cudaSurfaceObject_t * out, const struct cudaResourceDesc *r))
{
	struct heddle_tex t = {0};
	unsigned long long handle;
	if (!out || !r || r->resType != cudaResourceTypeArray)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	RETURN_IF_ERROR(tex_resource(&t, r, NULL));
	RETURN_IF_ERROR(tex_create(&t, &handle));
	*out = remember_object(handle, &(struct object){.res = *r, .surface = true});
	return cudaSuccess;
}

RT(cudaDestroySurfaceObject, (cudaSurfaceObject_t handle))
{
	RETURN_IF_ERROR(rt_open());
	return handle ? rt_error(object_free(handle, true)) : cudaSuccess;
}

/* ---- references ---- */

/* Binds a reference for later launches: launches in flight end first. */
cudaError_t tex_bind(struct module *m, const char *name, const struct heddle_tex *t)
{
	cudaError_t e = device_wait();
	struct heddle *h = device_lock();
	enum heddle_status st = heddle_tex_bind(h, m->m, name, t);
	device_unlock();
	return e ? e : st == HEDDLE_NOT_FOUND ? cudaErrorInvalidTexture : rt_status(st);
}

static cudaError_t bind_reference(const struct textureReference *ref, struct heddle_tex *t)
{
	struct symbol *s;
	cudaError_t e = symbol_of(ref, &s);
	if (e || s->kind != SYM_TEXTURE)
		return rt_error(e == cudaErrorInvalidSymbol || !e ? cudaErrorInvalidTexture : e);
	struct cudaTextureDesc d = {
		.addressMode = {ref->addressMode[0], ref->addressMode[1], ref->addressMode[2]},
		.filterMode = ref->filterMode,
		.readMode = s->norm ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
		.sRGB = ref->sRGB,
		.normalizedCoords = ref->normalized,
		.mipmapFilterMode = ref->mipmapFilterMode,
		.mipmapLevelBias = ref->mipmapLevelBias,
		.minMipmapLevelClamp = ref->minMipmapLevelClamp,
		.maxMipmapLevelClamp = ref->maxMipmapLevelClamp};
	if (!sampling_ok(t, &d))
		return rt_error(d.filterMode == cudaFilterModeLinear ? cudaErrorInvalidFilterSetting
								     : cudaErrorInvalidNormSetting);
	set_sampling(t, &d);
	RETURN_IF_ERROR(tex_bind(s->m, s->name, t));
	if (!s->ref)
		s->ref = rt_alloc(sizeof *s->ref);
	s->ref->t = *t;
	s->ref->offset = 0;
	return cudaSuccess;
}

/* Every device address is sufficiently aligned, so the offset is always 0. */
RT(cudaBindTexture, (size_t * offset, const struct textureReference *ref, const void *p,
		     const struct cudaChannelFormatDesc *d, size_t size))
{
	struct heddle_tex t = {0};
	struct heddle_range r;
	if (!ref || !d)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	struct heddle *h = device_lock();
	bool known = !heddle_range(h, (uint64_t)(uintptr_t)p, &r);
	device_unlock();
	if (!known)
		return rt_error(cudaErrorInvalidValue);
	uint64_t left = r.size - ((uint64_t)(uintptr_t)p - r.base);
	if (!set_linear(&t, p, d, size < left ? size : left))
		return rt_error(cudaErrorInvalidChannelDescriptor);
	if (offset)
		*offset = 0;
	return bind_reference(ref, &t);
}

RT(cudaBindTexture2D, (size_t * offset, const struct textureReference *ref, const void *p,
		       const struct cudaChannelFormatDesc *d, size_t w, size_t h, size_t pitch))
{
	struct heddle_tex t = {0};
	if (!ref || !d || !set_pitched(&t, p, d, w, h, pitch))
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	if (offset)
		*offset = 0;
	return bind_reference(ref, &t);
}

RT(cudaBindTextureToArray,
   (const struct textureReference *ref, cudaArray_const_t a, const struct cudaChannelFormatDesc *d))
{
	struct heddle_tex t = {0};
	if (!ref || !array_known(a) || !tex_from_array(&t, a) || (d && !tex_format(&t, d)))
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	return bind_reference(ref, &t);
}

RT(cudaBindTextureToMipmappedArray,
   (const struct textureReference *ref, cudaMipmappedArray_const_t m,
    const struct cudaChannelFormatDesc *d))
{
	struct heddle_tex t = {0};
	if (!ref || !mipmap_known(m) || !tex_from_mipmap(&t, m) || (d && !tex_format(&t, d)))
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(rt_open());
	return bind_reference(ref, &t);
}

RT(cudaUnbindTexture, (const struct textureReference *ref))
{
	struct symbol *s;
	RETURN_IF_ERROR(symbol_of(ref, &s));
	if (s->kind != SYM_TEXTURE)
		return rt_error(cudaErrorInvalidTexture);
	texref_free(s->ref);
	s->ref = NULL;
	return rt_error(tex_bind(s->m, s->name, NULL));
}

RT(cudaGetTextureAlignmentOffset, (size_t * offset, const struct textureReference *ref))
{
	struct symbol *s;
	RETURN_IF_ERROR(symbol_of(ref, &s));
	if (!offset || !s->ref)
		return rt_error(offset ? cudaErrorInvalidTextureBinding : cudaErrorInvalidValue);
	*offset = s->ref->offset;
	return cudaSuccess;
}

RT(cudaGetTextureReference, (const struct textureReference **ref, const void *symbol))
{
	struct symbol *s;
	if (!ref)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(symbol_of(symbol, &s));
	if (s->kind != SYM_TEXTURE)
		return rt_error(cudaErrorInvalidTexture);
	*ref = s->host;
	return cudaSuccess;
}

RT(cudaBindSurfaceToArray,
   (const struct surfaceReference *ref, cudaArray_const_t a, const struct cudaChannelFormatDesc *d))
{
	struct heddle_tex t = {0};
	struct symbol *s;
	RETURN_IF_ERROR(symbol_of(ref, &s));
	if (!array_known(a) || s->kind != SYM_SURFACE || !tex_from_array(&t, a) ||
	    (d && d->x && !tex_format(&t, d)))
		return rt_error(cudaErrorInvalidSurface);
	return rt_error(tex_bind(s->m, s->name, &t));
}

RT(cudaGetSurfaceReference, (const struct surfaceReference **ref, const void *symbol))
{
	struct symbol *s;
	if (!ref)
		return rt_error(cudaErrorInvalidValue);
	RETURN_IF_ERROR(symbol_of(symbol, &s));
	if (s->kind != SYM_SURFACE)
		return rt_error(cudaErrorInvalidSurface);
	*ref = s->host;
	return cudaSuccess;
}
