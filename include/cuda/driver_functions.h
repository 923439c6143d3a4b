/* Small constructors for the runtime's structures. */
#ifndef __DRIVER_FUNCTIONS_H__
#define __DRIVER_FUNCTIONS_H__
#include "driver_types.h"
static __inline__ struct cudaPitchedPtr make_cudaPitchedPtr(void *__d, size_t __p, size_t __xsz,
	size_t __ysz)
{
	struct cudaPitchedPtr __s;
	__s.ptr = __d;
	__s.pitch = __p;
	__s.xsize = __xsz;
	__s.ysize = __ysz;
	return __s;
}
static __inline__ struct cudaPos make_cudaPos(size_t __x, size_t __y, size_t __z)
{
	struct cudaPos __p;
	__p.x = __x;
	__p.y = __y;
	__p.z = __z;
	return __p;
}
static __inline__ struct cudaExtent make_cudaExtent(size_t __w, size_t __h, size_t __d)
{
	struct cudaExtent __e;
	__e.width = __w;
	__e.height = __h;
	__e.depth = __d;
	return __e;
}
#endif
