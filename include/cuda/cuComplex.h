/* Complex numbers as pairs. */
#ifndef CU_COMPLEX_H_
#define CU_COMPLEX_H_

#include <math.h>
#include "vector_types.h"
#include "vector_functions.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define __HD_CX static __inline__ __host__ __device__ __attribute__((unused))
#define __HD_COMPLEX(__C, __r, __f, __fabs, __sqrt) \
__HD_CX __r cuCreal##__f(__C __x) { return __x.x; } \
__HD_CX __r cuCimag##__f(__C __x) { return __x.y; } \
__HD_CX __C cuConj##__f(__C __x) { __x.y = -__x.y; return __x; } \
__HD_CX __C cuCadd##__f(__C __x, __C __y) { __x.x += __y.x; __x.y += __y.y; return __x; } \
__HD_CX __C cuCsub##__f(__C __x, __C __y) { __x.x -= __y.x; __x.y -= __y.y; return __x; } \
__HD_CX __C cuCmul##__f(__C __x, __C __y) \
{ __C __z; __z.x = __x.x * __y.x - __x.y * __y.y; __z.y = __x.x * __y.y + __x.y * __y.x; return __z; } \
__HD_CX __C cuCdiv##__f(__C __x, __C __y) \
{ \
	__r __s = __fabs(__y.x) + __fabs(__y.y), __o = (__r)1 / __s; \
	__r __a = __x.x * __o, __b = __x.y * __o, __c = __y.x * __o, __d = __y.y * __o; \
	__s = __c * __c + __d * __d; \
	__o = (__r)1 / __s; \
	__C __z; __z.x = (__a * __c + __b * __d) * __o; __z.y = (__b * __c - __a * __d) * __o; return __z; \
} \
__HD_CX __r cuCabs##__f(__C __x) \
{ \
	__r __a = __fabs(__x.x), __b = __fabs(__x.y), __v, __w; \
	if (__a > __b) { __v = __a; __w = __b; } else { __v = __b; __w = __a; } \
	if (__v == 0 || __v > (__r)(sizeof(__r) == 4 ? 3.402823466e38 : 1.79769313486231570e+308) || \
		__w > (__r)(sizeof(__r) == 4 ? 3.402823466e38 : 1.79769313486231570e+308)) return __v + __w; \
	__r __t = __w / __v; \
	return __v * __sqrt((__r)1 + __t * __t); \
} \
__HD_CX __C cuCfma##__f(__C __x, __C __y, __C __d) \
{ \
	__r __re = __x.x * __y.x + __d.x, __im = __x.x * __y.y + __d.y; \
	__C __z; __z.x = -(__x.y * __y.y) + __re; __z.y = __x.y * __y.x + __im; return __z; \
}
__HD_COMPLEX(cuFloatComplex, float, f, fabsf, sqrtf)
__HD_COMPLEX(cuDoubleComplex, double, , fabs, sqrt)
#undef __HD_COMPLEX

__HD_CX cuFloatComplex make_cuFloatComplex(float __r, float __i) { return make_float2(__r, __i); }
__HD_CX cuDoubleComplex make_cuDoubleComplex(double __r, double __i) { return make_double2(__r, __i); }
__HD_CX cuComplex make_cuComplex(float __r, float __i) { return make_float2(__r, __i); }
__HD_CX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex __c) { return make_double2(__c.x, __c.y); }
__HD_CX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex __c)
{
	return make_float2((float)__c.x, (float)__c.y);
}
#undef __HD_CX

#endif
