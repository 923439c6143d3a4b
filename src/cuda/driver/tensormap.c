/* Driver API: tensor maps and clusters. The library checks and encodes tensor maps
 * (heddle_tensor_map()). */
#include "cuda/driver/driver.h"

#include <string.h>
#include "cuda/process/failure.h"

static CUresult encode_map(const char *call, const struct heddle_tensor_map *m, CUtensorMap *out)
{
	const char *why = out ? heddle_tensor_map(m, (uint8_t *)out->opaque)
			      : "the pointer to the tensor map is NULL";
	if (!why)
		return CUDA_SUCCESS;
	rt_fail("%s: %s", call, why);
	return CUDA_ERROR_INVALID_VALUE;
}

/* Sets dimensions, strides and steps, which both kinds of maps have. False: a pointer is missing
 * (`others`: none of those that only one kind has), or there are too many dimensions. */
static bool set_shape(const char *call, struct heddle_tensor_map *m, unsigned rank,
		      const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *steps,
		      bool others)
{
	if (!rank || rank > 5) {
		rt_fail("%s: a tensor of %u dimensions: 1 to 5 are possible", call, rank);
		return false;
	}
	if (!sizes || !steps || !strides || !others) {
		rt_fail("%s: a pointer to sizes, strides, the box or element strides is NULL",
			call);
		return false;
	}
	m->rank = rank;
	for (unsigned i = 0; i < rank; i++) {
		m->dim[i] = sizes[i];
		m->element_stride[i] = steps[i];
		if (i + 1 < rank)
			m->stride[i] = strides[i];
	}
	return true;
}

CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
				void *at, const cuuint64_t *sizes, const cuuint64_t *strides,
				const cuuint32_t *box, const cuuint32_t *steps,
				CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
	struct heddle_tensor_map m = {.type = (unsigned)type,
				      .addr = (uint64_t)(uintptr_t)at,
				      .interleave = (unsigned)interleave,
				      .swizzle = (unsigned)swizzle,
				      .l2 = (unsigned)promotion,
				      .fill = (unsigned)fill};
	CONTEXT_OR_RETURN();
	if (!set_shape("cuTensorMapEncodeTiled", &m, rank, sizes, strides, steps, box))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < rank; i++)
		m.box[i] = box[i];
	return encode_map("cuTensorMapEncodeTiled", &m, map);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank,
				 void *at, const cuuint64_t *sizes, const cuuint64_t *strides,
				 const int *lower, const int *upper, cuuint32_t channels,
				 cuuint32_t pixels, const cuuint32_t *steps,
				 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
				 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill)
{
	struct heddle_tensor_map m = {.im2col = true,
				      .type = (unsigned)type,
				      .addr = (uint64_t)(uintptr_t)at,
				      .channels = channels,
				      .pixels = pixels,
				      .interleave = (unsigned)interleave,
				      .swizzle = (unsigned)swizzle,
				      .l2 = (unsigned)promotion,
				      .fill = (unsigned)fill};
	CONTEXT_OR_RETURN();
	if (!set_shape("cuTensorMapEncodeIm2col", &m, rank, sizes, strides, steps, lower && upper))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i + 2 < rank; i++) {
		m.lower[i] = lower[i];
		m.upper[i] = upper[i];
	}
	return encode_map("cuTensorMapEncodeIm2col", &m, map);
}

/* The address has 57 bits of the map's first word. */
CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *at)
{
	const uint64_t most = (1ull << 57) - 1;
	uint64_t a = (uintptr_t)at;
	const char *why = !map       ? "the map is NULL"
			  : a % 16   ? "the address is not a multiple of 16"
			  : !a       ? "the address is NULL"
			  : a > most ? "the address is not below 2^57"
				     : NULL;
	CONTEXT_OR_RETURN();
	if (why) {
		rt_fail("cuTensorMapReplaceAddress: %s", why);
		return CUDA_ERROR_INVALID_VALUE;
	}
	map->opaque[0] = (map->opaque[0] & ~most) | a;
	return CUDA_SUCCESS;
}
