/* Tensor maps: the 128 bytes by which cp.async.bulk.tensor knows a tensor in global memory, the box it copies
 * and how the box lies in shared memory. Bits from the lowest on:
 *
 *     0  address                      256 + 32 i  size of dimension i, less 1
 *    64  1: im2col                    416 +  3 i  element stride, less 1
 *    68  rank - 1 (3)                 440 +  8 i  box, less 1
 *    71  type (4)                       im2col: 440 channels - 1, 480 pixels - 1, corners of the
 *    75  interleave (2)                 bounding box: 448 lower, 464 upper, 16, 8 or 5 bits each
 *    77  swizzle (2)                  512  bytes of a box, by the rule of box_bytes()
 *    79  1: NaN fill                  576  16, 256, 512, 1024 by swizzle
 *    80  1: tf32
 *    81  L2 promotion (2)
 *    96 + 32 i  stride of dimension i + 1 in 16 bytes; its bits from 36 on: 224 + 4 i
 *
 * PTX, machine code and the driver's encode calls share it. */
#ifndef EXEC_TENSORMAP_H
#define EXEC_TENSORMAP_H
#include <stdbool.h>
#include <stdint.h>

enum { TENSORMAP_BYTES = 128, TENSOR_DIMS = 5 };

/* Element types as the map numbers them. */
enum tensor_type {
	TENSOR_U8,
	TENSOR_U16,
	TENSOR_U32,
	TENSOR_S32,
	TENSOR_U64,
	TENSOR_S64,
	TENSOR_F16,
	TENSOR_F32,
	TENSOR_F32_FTZ,
	TENSOR_F64,
	TENSOR_BF16,
	TENSOR_TYPES
};

struct tensormap {
	uint64_t addr;
	uint64_t dim[TENSOR_DIMS];    /* elements */
	uint64_t stride[TENSOR_DIMS]; /* bytes; of dimension 0: an element */
	uint32_t box[TENSOR_DIMS], element_stride[TENSOR_DIMS];
	int32_t lower[3], upper[3]; /* im2col: corners in dimensions 1 to rank - 2 */
	uint32_t channels, pixels;  /* im2col */
	uint8_t rank, type, interleave, swizzle, l2;
	bool im2col, tf32, nan;
};

/* Bytes of an element; 0: no such type. */
unsigned tensor_type_bytes(unsigned type);

/* False: the bytes are not a map: the rank is over 5 or the type does not exist. */
bool tensormap_read(const uint8_t bytes[TENSORMAP_BYTES], struct tensormap *t);
void tensormap_write(const struct tensormap *t, uint8_t bytes[TENSORMAP_BYTES]);
/* The rule of the driver's encode calls that the map breaks, or NULL. */
const char *tensormap_refusal(const struct tensormap *t);
/* The text of a refusal, which lasts until the host thread's next one. */
const char *tensor_refuse(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* tensormap.replace: its fields, and the change of one. `ord`: number of the dimension. A value
 * that does not fit the field is truncated, as in hardware. */
enum tensormap_field {
	TMF_ADDRESS,
	TMF_RANK,
	TMF_BOX,
	TMF_DIM,
	TMF_STRIDE,
	TMF_ELEMENT_STRIDE,
	TMF_TYPE,
	TMF_INTERLEAVE,
	TMF_SWIZZLE,
	TMF_FILL
};
void tensormap_replace(uint8_t bytes[TENSORMAP_BYTES], unsigned field, unsigned ord,
		       uint64_t value);

#endif
