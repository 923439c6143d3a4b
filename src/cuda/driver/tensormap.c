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

/* Sets dimensions, strides and steps, which both kinds of maps have. False: a pointer is missing,
 * or there are too many dimensions. */
static bool set_shape(struct heddle_tensor_map *m, unsigned rank, const cuuint64_t *sizes,
		      const cuuint64_t *strides, const cuuint32_t *steps)
{
	if (!rank || rank > 5 || !sizes || !steps || (rank > 1 && !strides))
		return false;
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
	if (!box || !set_shape(&m, rank, sizes, strides, steps))
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
	if (!lower || !upper || !set_shape(&m, rank, sizes, strides, steps))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i + 2 < rank; i++) {
		m.lower[i] = lower[i];
		m.upper[i] = upper[i];
	}
	return encode_map("cuTensorMapEncodeIm2col", &m, map);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *at)
{
	if (!map || (uintptr_t)at % 16)
		return CUDA_ERROR_INVALID_VALUE;
	map->opaque[0] = (uintptr_t)at;
	return CUDA_SUCCESS;
}
