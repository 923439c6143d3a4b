/* struct cudaDeviceProp in the layouts of CUDA 10, 11, 12 and 13, and device attributes by number. */
#include "cuda/device/props.h"

#include <stdio.h>
#include <string.h>

static const struct heddle_device *begin_query(const void *out, int device, cudaError_t *e)
{
	*e = rt_open();
	if (!*e && !out)
		*e = cudaErrorInvalidValue;
	if (!*e && device)
		*e = cudaErrorInvalidDevice;
	rt_error(*e);
	return device_info();
}

#define NONE(type, name, dim, ...)
#define VERSION 10
#define OLD     FIELDS
#define ELEVEN  NONE
#define NEW     NONE
#include "cuda/device/props_version.h"
#define VERSION 11
#define OLD     FIELDS
#define ELEVEN  FIELDS
#define NEW     NONE
#include "cuda/device/props_version.h"
#define VERSION 12
#define OLD     FIELDS
#define ELEVEN  FIELDS
#define NEW     FIELDS
#include "cuda/device/props_version.h"
#define VERSION 13
#define OLD     NONE
#define ELEVEN  FIELDS
#define NEW     FIELDS
#include "cuda/device/props_version.h"

_Static_assert(sizeof(struct prop11) == sizeof(struct cudaDeviceProp), "layout of the headers");
/* Sizes of the structures in CUDA's own headers. */
_Static_assert(sizeof(struct prop10) == 712 || sizeof(void *) != 8, "layout of CUDA 10");
_Static_assert(sizeof(struct prop11) == 728 || sizeof(void *) != 8, "layout of CUDA 11");
_Static_assert(sizeof(struct prop13) == 1008 || sizeof(void *) != 8, "layout of CUDA 13");

EXPORT_10(rt10_properties, cudaGetDeviceProperties)
EXPORT_11_ALONE(rt11_properties, cudaGetDeviceProperties)
EXPORT_12(rt11_properties, cudaGetDeviceProperties)
EXPORT_12(rt12_properties, cudaGetDeviceProperties_v2)
EXPORT_11(rt12_properties, cudaGetDeviceProperties_v2)
EXPORT_13(rt13_properties, cudaGetDeviceProperties)

/* ---- attributes ---- */

/* clang-format off */
#define ATTRIBUTES(X)                                                                              \
	X(1, d->threads_per_block) X(2, 1024) X(3, 1024) X(4, 64) X(5, 0x7fffffff) X(6, 65535)     \
	X(7, 65535) X(8, d->shared_per_block) X(9, d->const_bytes) X(10, d->warp_size)             \
	X(11, 0x7fffffff) X(12, d->registers_per_block) X(13, d->clock_khz) X(14, 512) X(15, 1)    \
	X(16, d->sms) X(17, 0) X(18, 0) X(19, 1) X(20, 0) X(21, 131072) X(22, 131072) X(23, 65536) \
	X(24, 16384) X(25, 16384) X(26, 16384) X(27, 32768) X(28, 32768) X(29, 2048) X(30, 512)    \
	X(31, d->concurrent_kernels > 1) X(32, 0) X(33, 1) X(34, 0) X(35, 0) X(36, d->memory_clock_khz)                    \
	X(37, d->memory_bus_bits) X(38, d->l2_bytes) X(39, d->threads_per_sm) X(40, 2) X(41, 1)    \
	X(42, 32768) X(43, 2048) X(44, 0) X(45, 32768) X(46, 32768) X(47, 8192) X(48, 8192)        \
	X(49, 32768) X(50, 0) X(51, 32) X(52, 32768) X(53, 32768) X(54, 2046) X(55, 32768)         \
	X(56, 131072) X(57, 65536) X(58, 16384) X(59, 16384) X(60, 16384) X(61, 32768) X(62, 2048) \
	X(63, 32768) X(64, 32768) X(65, 2048) X(66, 32768) X(67, 32768) X(68, 2046) X(69, 1 << 28) \
	X(70, 131072) X(71, 65000) X(72, 2097120) X(73, 32768) X(74, 32768) X(75, d->major)        \
	X(76, d->minor) X(77, 32768) X(78, 1) X(79, 1) X(80, 1) X(81, d->shared_per_sm)            \
	X(82, d->registers_per_sm) X(83, 1) X(84, 0) X(85, 0) X(86, 0) X(87, 2) X(88, 0) X(89, 1)  \
	X(90, 1) X(91, 1) X(92, 1) X(93, 1) X(94, 1) X(95, 1) X(96, 0)                             \
	X(97, d->shared_per_block_optin) X(98, 0) X(99, 1) X(100, 0) X(101, 1) X(102, 1) X(103, 0) \
	X(104, 0) X(105, 0) X(106, d->blocks_per_sm) X(107, 0) X(108, d->l2_bytes / 4 * 3)         \
	X(109, d->l2_bytes) X(110, 0) X(111, 1024) X(112, 0) X(113, 1) X(114, 0) X(115, 1)         \
	X(116, 0) X(117, 0) X(118, 0) X(119, 0) X(120, 0) X(121, 0) X(122, 1) X(123, 1) X(124, 0)  \
	X(125, 0) X(126, 0) X(127, 0) X(128, 0) X(129, 0) X(130, 0) X(131, 0) X(132, 0) X(133, 0) \
	X(134, (uint64_t)-1) X(135, 0) X(136, 0) X(137, 0) X(138, 0) X(139, 0) X(140, 0)
/* clang-format on */

bool device_attribute(int attr, int *value)
{
	const struct heddle_device *d = device_info();
	switch (attr) {
#define X(n, v)                                                                                    \
	case n: *value = (int)(v); return true;
		ATTRIBUTES(X)
#undef X
	default: return false;
	}
}
