/* Driver API: texture and surface references and objects. */
#include "cuda/driver/driver.h"
#include "cuda/process/alloc.h"
#include "cuda/memory/texref.h"

static struct texref *ref_of(CUtexref r) { return (struct texref *)r; }

/* ---- references: a setting takes effect immediately, if the reference is bound ---- */

static CUresult find_reference(struct module *m, const char *name, bool surface,
			       struct texref **out)
{
	CONTEXT_OR_RETURN();
	if (!m || !name)
		return CUDA_ERROR_INVALID_VALUE;
	for (struct symbol *s = m->symbols; s; s = s->next)
		if (s->ref && !strcmp(s->name, name)) {
			*out = s->ref;
			return CUDA_SUCCESS;
		}
	if (tex_bind(m, name, NULL))
		return CUDA_ERROR_NOT_FOUND;
	struct texref *r = rt_alloc(sizeof *r);
	*r = (struct texref){.m = m,
			     .name = rt_string(name),
			     .surface = surface,
			     .format = CU_AD_FORMAT_FLOAT,
			     .channels = 1};
	for (int i = 0; i < 3; i++)
		r->t.addr_mode[i] = HEDDLE_CLAMP;
	symbol_add(m, &(struct symbol){.kind = surface ? SYM_SURFACE : SYM_TEXTURE,
				       .name = r->name,
				       .host = r,
				       .ref = r});
	*out = r;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetTexRef(CUtexref *out, CUmodule m, const char *name)
{
	return find_reference(module_handle(m), name, false, (struct texref **)out);
}
CUresult cuModuleGetSurfRef(CUsurfref *out, CUmodule m, const char *name)
{
	return find_reference(module_handle(m), name, true, (struct texref **)out);
}

static CUresult rebind_texref(struct texref *r)
{
	if (!r->t.width || !r->m)
		return CUDA_SUCCESS; /* nothing is bound yet */
	struct heddle_tex t = r->t;
	t.normalized_coords = r->flags & CU_TRSF_NORMALIZED_COORDINATES;
	t.srgb = r->flags & CU_TRSF_SRGB;
	t.normalized_float =
		t.chan != HEDDLE_CHAN_FLOAT && t.bits < 32 && !(r->flags & CU_TRSF_READ_AS_INTEGER);
	return drv(tex_bind(r->m, r->name, &t));
}

static bool set_format(struct texref *r)
{
	struct cudaChannelFormatDesc d;
	return channel_desc((CUarray_format)r->format, (unsigned)r->channels, &d) &&
	       tex_format(&r->t, &d);
}

/* Returns how the reference samples texels, without their place. */
static struct heddle_tex sampling_of(const struct texref *r)
{
	struct heddle_tex t = {.linear = r->t.linear,
			       .mip_linear = r->t.mip_linear,
			       .mip_bias = r->t.mip_bias,
			       .mip_min = r->t.mip_min,
			       .mip_max = r->t.mip_max};
	memcpy(t.addr_mode, r->t.addr_mode, sizeof t.addr_mode);
	memcpy(t.border, r->t.border, sizeof t.border);
	return t;
}

CUresult cuTexRefCreate(CUtexref *out)
{
	CONTEXT_OR_RETURN();
	*out = rt_alloc(sizeof(struct texref));
	return CUDA_SUCCESS;
}
CUresult cuTexRefDestroy(CUtexref r)
{
	CONTEXT_OR_RETURN();
	if (ref_of(r)->m)
		/* the reference belongs to a module, so it is not the program's to destroy */
		return CUDA_ERROR_INVALID_VALUE;
	texref_free(ref_of(r));
	return CUDA_SUCCESS;
}

CUresult cuTexRefSetArray(CUtexref ref, CUarray array, unsigned flags)
{
	struct texref *r = ref_of(ref);
	CONTEXT_OR_RETURN();
	if (!array_known(array_of(array)) || !(flags & CU_TRSA_OVERRIDE_FORMAT))
		return CUDA_ERROR_INVALID_VALUE;
	r->t = sampling_of(r);
	r->array = array_of(array);
	if (!tex_from_array(&r->t, r->array))
		return CUDA_ERROR_INVALID_VALUE;
	unsigned n;
	r->format = (int)format_of(&r->array->desc, &n);
	r->channels = (int)n;
	return rebind_texref(r);
}

CUresult cuTexRefSetMipmappedArray(CUtexref ref, CUmipmappedArray array, unsigned flags);
CUresult cuTexRefSetMipmappedArray(CUtexref ref, CUmipmappedArray array, unsigned flags)
{
	struct texref *r = ref_of(ref);
	(void)flags;
	CONTEXT_OR_RETURN();
	r->t = sampling_of(r);
	r->mipmap = (struct cudaMipmappedArray *)array;
	if (!mipmap_known(r->mipmap) || !tex_from_mipmap(&r->t, r->mipmap))
		return CUDA_ERROR_INVALID_VALUE;
	return rebind_texref(r);
}

CUresult cuTexRefSetAddress(size_t *offset, CUtexref ref, CUdeviceptr p, size_t n)
{
	struct texref *r = ref_of(ref);
	CONTEXT_OR_RETURN();
	r->t = sampling_of(r);
	if (!set_format(r))
		return CUDA_ERROR_INVALID_VALUE;
	unsigned elem = r->t.channels * r->t.bits / 8u;
	r->t.addr = p;
	r->t.width = (uint32_t)(n / elem);
	r->t.pitch = r->t.slice = n;
	r->t.linear_memory = true;
	r->t.levels = 1;
	if (offset)
		*offset = 0;
	return rebind_texref(r);
}

CUresult cuTexRefSetAddress2D(CUtexref ref, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr p,
			      size_t pitch)
{
	struct texref *r = ref_of(ref);
	CONTEXT_OR_RETURN();
	r->t = sampling_of(r);
	r->format = (int)d->Format;
	r->channels = (int)d->NumChannels;
	if (!set_format(r))
		return CUDA_ERROR_INVALID_VALUE;
	r->t.addr = p;
	r->t.width = (uint32_t)d->Width;
	r->t.height = (uint32_t)d->Height;
	r->t.pitch = pitch;
	r->t.slice = pitch * d->Height;
	r->t.levels = 1;
	return rebind_texref(r);
}
CUresult cuTexRefSetAddress2D_v2(CUtexref ref, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr p,
				 size_t pitch);
CUresult cuTexRefSetAddress2D_v2(CUtexref ref, const CUDA_ARRAY_DESCRIPTOR *d, CUdeviceptr p,
				 size_t pitch)
{
	return cuTexRefSetAddress2D(ref, d, p, pitch);
}

CUresult cuTexRefSetFormat(CUtexref ref, CUarray_format f, int n)
{
	struct texref *r = ref_of(ref);
	struct cudaChannelFormatDesc d;
	CONTEXT_OR_RETURN();
	if (!channel_desc(f, (unsigned)n, &d))
		return CUDA_ERROR_INVALID_VALUE;
	r->format = (int)f;
	r->channels = n;
	return CUDA_SUCCESS;
}
CUresult cuTexRefSetAddressMode(CUtexref ref, int dim, CUaddress_mode mode)
{
	CONTEXT_OR_RETURN();
	if (dim < 0 || dim > 2 || (unsigned)mode > CU_TR_ADDRESS_MODE_BORDER)
		return CUDA_ERROR_INVALID_VALUE;
	ref_of(ref)->t.addr_mode[dim] = (uint8_t)mode;
	return rebind_texref(ref_of(ref));
}
CUresult cuTexRefSetFilterMode(CUtexref ref, CUfilter_mode mode)
{
	CONTEXT_OR_RETURN();
	ref_of(ref)->t.linear = mode == CU_TR_FILTER_MODE_LINEAR;
	return rebind_texref(ref_of(ref));
}
CUresult cuTexRefSetFlags(CUtexref ref, unsigned flags)
{
	CONTEXT_OR_RETURN();
	ref_of(ref)->flags = flags;
	return rebind_texref(ref_of(ref));
}

CUresult cuTexRefGetAddress(CUdeviceptr *p, CUtexref r)
{
	*p = ref_of(r)->t.addr;
	return *p ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuTexRefGetArray(CUarray *a, CUtexref r)
{
	*a = (CUarray)ref_of(r)->array;
	return *a ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuTexRefGetAddressMode(CUaddress_mode *m, CUtexref r, int dim)
{
	if (dim < 0 || dim > 2)
		return CUDA_ERROR_INVALID_VALUE;
	*m = (CUaddress_mode)ref_of(r)->t.addr_mode[dim];
	return CUDA_SUCCESS;
}
CUresult cuTexRefGetFilterMode(CUfilter_mode *m, CUtexref r)
{
	*m = ref_of(r)->t.linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
	return CUDA_SUCCESS;
}
CUresult cuTexRefGetFormat(CUarray_format *f, int *n, CUtexref r)
{
	*f = (CUarray_format)ref_of(r)->format;
	*n = ref_of(r)->channels;
	return CUDA_SUCCESS;
}
CUresult cuTexRefGetFlags(unsigned *flags, CUtexref r)
{
	*flags = ref_of(r)->flags;
	return CUDA_SUCCESS;
}

/* Sampling of mipmaps and borders. */
CUresult cuTexRefSetBorderColor(CUtexref ref, float *color)
{
	CONTEXT_OR_RETURN();
	if (!color)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(ref_of(ref)->t.border, color, sizeof ref_of(ref)->t.border);
	return rebind_texref(ref_of(ref));
}
CUresult cuTexRefGetBorderColor(float *color, CUtexref r)
{
	if (!color)
		return CUDA_ERROR_INVALID_VALUE;
	memcpy(color, ref_of(r)->t.border, sizeof ref_of(r)->t.border);
	return CUDA_SUCCESS;
}
CUresult cuTexRefSetMipmapFilterMode(CUtexref ref, CUfilter_mode mode)
{
	CONTEXT_OR_RETURN();
	ref_of(ref)->t.mip_linear = mode == CU_TR_FILTER_MODE_LINEAR;
	return rebind_texref(ref_of(ref));
}
CUresult cuTexRefGetMipmapFilterMode(CUfilter_mode *mode, CUtexref r)
{
	*mode = ref_of(r)->t.mip_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT;
	return CUDA_SUCCESS;
}
CUresult cuTexRefSetMipmapLevelBias(CUtexref ref, float bias)
{
	CONTEXT_OR_RETURN();
	ref_of(ref)->t.mip_bias = bias;
	return rebind_texref(ref_of(ref));
}
CUresult cuTexRefGetMipmapLevelBias(float *bias, CUtexref r)
{
	*bias = ref_of(r)->t.mip_bias;
	return CUDA_SUCCESS;
}
CUresult cuTexRefSetMipmapLevelClamp(CUtexref ref, float least, float most)
{
	CONTEXT_OR_RETURN();
	ref_of(ref)->t.mip_min = least;
	ref_of(ref)->t.mip_max = most;
	return rebind_texref(ref_of(ref));
}
CUresult cuTexRefGetMipmapLevelClamp(float *least, float *most, CUtexref r)
{
	*least = ref_of(r)->t.mip_min;
	*most = ref_of(r)->t.mip_max;
	return CUDA_SUCCESS;
}
CUresult cuTexRefGetMipmappedArray(CUmipmappedArray *m, CUtexref r)
{
	*m = (CUmipmappedArray)ref_of(r)->mipmap;
	return *m ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
/* stored; filtering is never anisotropic */
CUresult cuTexRefSetMaxAnisotropy(CUtexref ref, unsigned n)
{
	CONTEXT_OR_RETURN();
	ref_of(ref)->anisotropy = n;
	return CUDA_SUCCESS;
}
CUresult cuTexRefGetMaxAnisotropy(int *n, CUtexref r)
{
	*n = (int)ref_of(r)->anisotropy;
	return CUDA_SUCCESS;
}

CUresult cuSurfRefSetArray(CUsurfref ref, CUarray a, unsigned flags)
{
	struct texref *r = (struct texref *)ref;
	struct heddle_tex t = {0};
	(void)flags;
	CONTEXT_OR_RETURN();
	if (!array_known(array_of(a)) || !tex_from_array(&t, array_of(a)))
		return CUDA_ERROR_INVALID_VALUE;
	r->array = array_of(a);
	return drv(tex_bind(r->m, r->name, &t));
}
CUresult cuSurfRefGetArray(CUarray *a, CUsurfref r)
{
	*a = (CUarray)((struct texref *)r)->array;
	return *a ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* ---- objects ---- */

static bool convert_resource(const CUDA_RESOURCE_DESC *in, struct cudaResourceDesc *out)
{
	out->resType = (enum cudaResourceType)in->resType;
	switch ((int)in->resType) {
	case CU_RESOURCE_TYPE_ARRAY:
		out->res.array.array = array_of(in->res.array.hArray);
		return true;
	case CU_RESOURCE_TYPE_MIPMAPPED_ARRAY:
		out->res.mipmap.mipmap = (cudaMipmappedArray_t)in->res.mipmap.hMipmappedArray;
		return true;
	case CU_RESOURCE_TYPE_LINEAR:
		out->res.linear.devPtr = PTR(in->res.linear.devPtr);
		out->res.linear.sizeInBytes = in->res.linear.sizeInBytes;
		return channel_desc(in->res.linear.format, in->res.linear.numChannels,
				    &out->res.linear.desc);
	case CU_RESOURCE_TYPE_PITCH2D:
		out->res.pitch2D.devPtr = PTR(in->res.pitch2D.devPtr);
		out->res.pitch2D.width = in->res.pitch2D.width;
		out->res.pitch2D.height = in->res.pitch2D.height;
		out->res.pitch2D.pitchInBytes = in->res.pitch2D.pitchInBytes;
		return channel_desc(in->res.pitch2D.format, in->res.pitch2D.numChannels,
				    &out->res.pitch2D.desc);
	default: return false;
	}
}

/* Returns the format of a resource's texels. */
static struct cudaChannelFormatDesc desc_of(const struct cudaResourceDesc *r)
{
	switch (r->resType) {
	case cudaResourceTypeArray: return r->res.array.array->desc;
	case cudaResourceTypeMipmappedArray: return r->res.mipmap.mipmap->level[0].desc;
	case cudaResourceTypeLinear: return r->res.linear.desc;
	default: return r->res.pitch2D.desc;
	}
}

CUresult cuTexObjectCreate(CUtexObject *out, const CUDA_RESOURCE_DESC *res,
			   const CUDA_TEXTURE_DESC *d, const CUDA_RESOURCE_VIEW_DESC *v)
{
	struct cudaResourceDesc r = {0};
	CONTEXT_OR_RETURN();
	if (!res || !d || !convert_resource(res, &r) ||
	    (res->resType == CU_RESOURCE_TYPE_ARRAY && !r.res.array.array) ||
	    (res->resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY && !r.res.mipmap.mipmap))
		return CUDA_ERROR_INVALID_VALUE;
	struct cudaChannelFormatDesc f = desc_of(&r);
	bool fraction = !(d->flags & CU_TRSF_READ_AS_INTEGER) &&
			f.f != cudaChannelFormatKindFloat && f.x < 32;
	struct cudaTextureDesc t = {
		.filterMode = (enum cudaTextureFilterMode)d->filterMode,
		.readMode = fraction ? cudaReadModeNormalizedFloat : cudaReadModeElementType,
		.sRGB = (d->flags & CU_TRSF_SRGB) != 0,
		.normalizedCoords = (d->flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
		.maxAnisotropy = d->maxAnisotropy,
		.mipmapFilterMode = (enum cudaTextureFilterMode)d->mipmapFilterMode,
		.mipmapLevelBias = d->mipmapLevelBias,
		.minMipmapLevelClamp = d->minMipmapLevelClamp,
		.maxMipmapLevelClamp = d->maxMipmapLevelClamp};
	for (int i = 0; i < 3; i++)
		t.addressMode[i] = (enum cudaTextureAddressMode)d->addressMode[i];
	memcpy(t.borderColor, d->borderColor, sizeof t.borderColor);
	struct cudaResourceViewDesc view = {0};
	if (v)
		view = (struct cudaResourceViewDesc){(enum cudaResourceViewFormat)v->format,
						     v->width,
						     v->height,
						     v->depth,
						     v->firstMipmapLevel,
						     v->lastMipmapLevel,
						     v->firstLayer,
						     v->lastLayer};
	return drv(rt_cudaCreateTextureObject(out, &r, &t, v ? &view : NULL));
}
CUresult cuTexObjectDestroy(CUtexObject t) { RETURN_DRIVER(rt_cudaDestroyTextureObject(t)); }
CUresult cuSurfObjectCreate(CUsurfObject *out, const CUDA_RESOURCE_DESC *res)
{
	struct cudaResourceDesc r = {0};
	CONTEXT_OR_RETURN();
	return res && convert_resource(res, &r) ? drv(rt_cudaCreateSurfaceObject(out, &r))
						: CUDA_ERROR_INVALID_VALUE;
}
CUresult cuSurfObjectDestroy(CUsurfObject s) { RETURN_DRIVER(rt_cudaDestroySurfaceObject(s)); }

/* Converts the description of the resource that an object was made from to the driver's form. */
static CUresult describe_resource(CUDA_RESOURCE_DESC *out, cudaError_t e,
				  const struct cudaResourceDesc *r)
{
	unsigned n = 0;
	if (e || !out)
		return e ? drv(e) : CUDA_ERROR_INVALID_VALUE;
	*out = (CUDA_RESOURCE_DESC){.resType = (CUresourcetype)r->resType};
	switch (r->resType) {
	case cudaResourceTypeArray: out->res.array.hArray = (CUarray)r->res.array.array; break;
	case cudaResourceTypeMipmappedArray:
		out->res.mipmap.hMipmappedArray = (CUmipmappedArray)r->res.mipmap.mipmap;
		break;
	case cudaResourceTypeLinear:
		out->res.linear.devPtr = (CUdeviceptr)(uintptr_t)r->res.linear.devPtr;
		out->res.linear.format = format_of(&r->res.linear.desc, &n);
		out->res.linear.numChannels = n;
		out->res.linear.sizeInBytes = r->res.linear.sizeInBytes;
		break;
	default:
		out->res.pitch2D.devPtr = (CUdeviceptr)(uintptr_t)r->res.pitch2D.devPtr;
		out->res.pitch2D.format = format_of(&r->res.pitch2D.desc, &n);
		out->res.pitch2D.numChannels = n;
		out->res.pitch2D.width = r->res.pitch2D.width;
		out->res.pitch2D.height = r->res.pitch2D.height;
		out->res.pitch2D.pitchInBytes = r->res.pitch2D.pitchInBytes;
	}
	return CUDA_SUCCESS;
}

RT_DECL(cudaGetTextureObjectResourceDesc, (struct cudaResourceDesc *, cudaTextureObject_t));
RT_DECL(cudaGetTextureObjectTextureDesc, (struct cudaTextureDesc *, cudaTextureObject_t));
RT_DECL(cudaGetTextureObjectResourceViewDesc, (struct cudaResourceViewDesc *, cudaTextureObject_t));
RT_DECL(cudaGetSurfaceObjectResourceDesc, (struct cudaResourceDesc *, cudaSurfaceObject_t));

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUtexObject t)
{
	struct cudaResourceDesc r;
	CONTEXT_OR_RETURN();
	return describe_resource(out, rt_cudaGetTextureObjectResourceDesc(&r, t), &r);
}
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC *out, CUsurfObject t)
{
	struct cudaResourceDesc r;
	CONTEXT_OR_RETURN();
	return describe_resource(out, rt_cudaGetSurfaceObjectResourceDesc(&r, t), &r);
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC *out, CUtexObject t)
{
	struct cudaTextureDesc d;
	CONTEXT_OR_RETURN();
	cudaError_t e = out ? rt_cudaGetTextureObjectTextureDesc(&d, t) : cudaErrorInvalidValue;
	if (e)
		return drv(e);
	*out = (CUDA_TEXTURE_DESC){
		.filterMode = (CUfilter_mode)d.filterMode,
		.flags = (d.readMode == cudaReadModeElementType ? CU_TRSF_READ_AS_INTEGER : 0u) |
			 (d.normalizedCoords ? CU_TRSF_NORMALIZED_COORDINATES : 0u) |
			 (d.sRGB ? CU_TRSF_SRGB : 0u),
		.maxAnisotropy = d.maxAnisotropy,
		.mipmapFilterMode = (CUfilter_mode)d.mipmapFilterMode,
		.mipmapLevelBias = d.mipmapLevelBias,
		.minMipmapLevelClamp = d.minMipmapLevelClamp,
		.maxMipmapLevelClamp = d.maxMipmapLevelClamp};
	for (int i = 0; i < 3; i++)
		out->addressMode[i] = (CUaddress_mode)d.addressMode[i];
	memcpy(out->borderColor, d.borderColor, sizeof out->borderColor);
	return CUDA_SUCCESS;
}
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC *out, CUtexObject t)
{
	struct cudaResourceViewDesc v;
	CONTEXT_OR_RETURN();
	cudaError_t e =
		out ? rt_cudaGetTextureObjectResourceViewDesc(&v, t) : cudaErrorInvalidValue;
	if (!e)
		*out = (CUDA_RESOURCE_VIEW_DESC){.format = (int)v.format,
						 .width = v.width,
						 .height = v.height,
						 .depth = v.depth,
						 .firstMipmapLevel = v.firstMipmapLevel,
						 .lastMipmapLevel = v.lastMipmapLevel,
						 .firstLayer = v.firstLayer,
						 .lastLayer = v.lastLayer};
	return drv(e);
}

/* ---- first versions ---- */

FIRST_NAME(cuTexRefGetAddress, _v2);
FIRST_NAME(cuTexRefSetAddress, _v2);
FIRST_NAME(cuTexRefSetAddress2D, _v3);
