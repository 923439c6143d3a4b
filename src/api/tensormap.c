/* Builds tensor maps for the host: converts the driver's numbers to the map's bits. */
#include <string.h>
#include "exec/tma/tensormap.h"
#include "heddle.h"

/* CU_TENSOR_MAP_DATA_TYPE_*: the map's own type, and whether values are read as tf32. */
static const struct {
	uint8_t type;
	bool tf32;
} driver_type[] = {
	{TENSOR_U8, false},     {TENSOR_U16, false},  {TENSOR_U32, false},     {TENSOR_S32, false},
	{TENSOR_U64, false},    {TENSOR_S64, false},  {TENSOR_F16, false},     {TENSOR_F32, false},
	{TENSOR_F64, false},    {TENSOR_BF16, false}, {TENSOR_F32_FTZ, false}, {TENSOR_F32, true},
	{TENSOR_F32_FTZ, true},
};

const char *heddle_tensor_map(const struct heddle_tensor_map *m, uint8_t out[128])
{
	if (m->type >= sizeof driver_type / sizeof *driver_type)
		return "there is no such element type";
	if (m->rank < 1 || m->rank > TENSOR_DIMS)
		return "a tensor has one to five dimensions";
	if (m->interleave > 2 || m->swizzle > 3 || m->l2 > 3 || m->fill > 1)
		return "there is no such interleave, swizzle, promotion or fill";
	struct tensormap t = {.addr = m->addr,
			      .rank = (uint8_t)m->rank,
			      .type = driver_type[m->type].type,
			      .interleave = (uint8_t)m->interleave,
			      .swizzle = (uint8_t)m->swizzle,
			      .l2 = (uint8_t)m->l2,
			      .im2col = m->im2col,
			      .tf32 = driver_type[m->type].tf32,
			      .nan = m->fill,
			      .channels = m->channels,
			      .pixels = m->pixels};
	t.stride[0] = tensor_type_bytes(t.type);
	for (unsigned i = 0; i < m->rank; i++) {
		t.dim[i] = m->dim[i];
		t.box[i] = m->box[i];
		t.element_stride[i] = m->element_stride[i];
		if (i)
			t.stride[i] = m->stride[i - 1];
	}
	memcpy(t.lower, m->lower, sizeof t.lower);
	memcpy(t.upper, m->upper, sizeof t.upper);
	const char *why = tensormap_refusal(&t);
	if (!why)
		tensormap_write(&t, out);
	return why;
}
