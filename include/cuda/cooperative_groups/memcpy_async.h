/* memcpy_async(): the group copies together; wait() is its barrier. */
#ifndef HEDDLE_CG_MEMCPY_ASYNC_H
#define HEDDLE_CG_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"

namespace cooperative_groups {
namespace details {
/* Sixteen bytes at a time where both sides allow it, else four, else single bytes. */
template <class __G> __HD_CG void __copy(const __G &__g, char *__d, const char *__s, size_t __n)
{
	size_t __r = (size_t)__g.thread_rank(), __step = (size_t)__g.size(), __done = 0;
	size_t __al = (size_t)__d | (size_t)__s;
	if (__al % 16 == 0) {
		for (size_t __i = __r; __i < __n / 16; __i += __step)
			((uint4 *)__d)[__i] = ((const uint4 *)__s)[__i];
		__done = __n / 16 * 16;
	} else if (__al % 4 == 0) {
		for (size_t __i = __r; __i < __n / 4; __i += __step)
			((unsigned int *)__d)[__i] = ((const unsigned int *)__s)[__i];
		__done = __n / 4 * 4;
	}
	for (size_t __i = __done + __r; __i < __n; __i += __step)
		__d[__i] = __s[__i];
}
}
template <class __G, class __D, class __S>
__HD_CG void memcpy_async(const __G &__g, __D *__dst, const __S *__src, size_t __bytes)
{
	details::__copy(__g, (char *)__dst, (const char *)__src, __bytes);
}
/* In elements, both sides with their room. */
template <class __G, class __D, class __S>
__HD_CG void memcpy_async(const __G &__g, __D *__dst, size_t __nd, const __S *__src, size_t __ns)
{
	size_t __bd = __nd * sizeof(__D), __bs = __ns * sizeof(__S);
	details::__copy(__g, (char *)__dst, (const char *)__src, __bd < __bs ? __bd : __bs);
}
template <class __G> __HD_CG void wait(const __G &__g) { __g.sync(); }
template <unsigned int __stages, class __G> __HD_CG void wait_prior(const __G &__g) { __g.sync(); }
}
#endif
