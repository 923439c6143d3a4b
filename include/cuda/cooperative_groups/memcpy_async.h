/* memcpy_async(): the group copies together; wait() is the end of its copies and its barrier. */
#ifndef HEDDLE_CG_MEMCPY_ASYNC_H
#define HEDDLE_CG_MEMCPY_ASYNC_H
#include "../cooperative_groups.h"
#if defined(__CUDA__)
#include "../heddle/mbarrier.h"

namespace cooperative_groups {
template <class __G, class __D, class __S>
__HD_CG void memcpy_async(const __G &__g, __D *__dst, const __S *__src, size_t __bytes)
{
	__hd_copy(__dst, __src, __bytes, (size_t)__g.thread_rank(), (size_t)__g.size());
	__hd_cp_commit();
}
/* Sizes in elements; `from` and `to` each have their own. */
template <class __G, class __D, class __S>
__HD_CG void memcpy_async(const __G &__g, __D *__dst, size_t __nd, const __S *__src, size_t __ns)
{
	size_t __bd = __nd * sizeof(__D), __bs = __ns * sizeof(__S);
	memcpy_async(__g, __dst, __src, __bd < __bs ? __bd : __bs);
}
template <class __G> __HD_CG void wait(const __G &__g)
{
	__hd_cp_wait_prior(0);
	__g.sync();
}
template <unsigned int __stages, class __G> __HD_CG void wait_prior(const __G &__g)
{
	__hd_cp_wait_prior(__stages);
	__g.sync();
}
}
#endif
#endif
