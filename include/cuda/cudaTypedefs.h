/* Types of pointers to the functions of the driver API: PFN_cuInit, and with the release that gave the function its
 * present form, PFN_cuInit_v2000. They follow from the declarations in cuda.h. */
#ifndef __CUDA_TYPEDEFS_H__
#define __CUDA_TYPEDEFS_H__
#include <cuda.h>

#define __HD_PFN(__function, __release) \
typedef __typeof__(&__function) PFN_##__function; \
typedef PFN_##__function PFN_##__function##_v##__release;
#include "heddle/driver_releases.def"
#undef __HD_PFN
#endif
