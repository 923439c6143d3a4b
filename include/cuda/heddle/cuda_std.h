/* cuda::std: the part of the C++ library that device code may use. Clang compiles constexpr
 * functions for host and device, so these are aliases of the host's library. */
#ifndef HEDDLE_CUDA_STD_H
#define HEDDLE_CUDA_STD_H

#include <cstddef>
#include "../host_defines.h"

namespace cuda {
namespace std {
using namespace ::std;
/* Constexpr since C++20 only. */
template <class __T> inline __host__ __device__ void swap(__T &__a, __T &__b)
{
	__T __t = static_cast<__T &&>(__a);
	__a = static_cast<__T &&>(__b);
	__b = static_cast<__T &&>(__t);
}
template <class __T, class __U = __T> inline __host__ __device__ __T exchange(__T &__a, __U &&__b)
{
	__T __t = static_cast<__T &&>(__a);
	__a = static_cast<__U &&>(__b);
	return __t;
}
}
}

#endif
