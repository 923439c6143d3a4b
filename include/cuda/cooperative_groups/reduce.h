/* reduce() over tiles and coalesced groups. */
#ifndef HEDDLE_CG_REDUCE_H
#define HEDDLE_CG_REDUCE_H
#include "../cooperative_groups.h"

namespace cooperative_groups {
template <unsigned int __n, class __P, class __T, class __Op>
__HD_CG auto reduce(const thread_block_tile<__n, __P> &__g, __T &&__v, __Op &&__op)
	-> typename std::decay<decltype(__op(__v, __v))>::type
{
	typename std::decay<decltype(__op(__v, __v))>::type __r = __v;
#pragma unroll
	for (unsigned int __d = __n / 2; __d > 0; __d /= 2)
		__r = __op(__r, __g.shfl_xor(__r, __d));
	return __r;
}
/* Down the ranks, so that every thread combines in the same order, then from rank 0 to all. */
template <class __T, class __Op>
__HD_CG auto reduce(const coalesced_group &__g, __T &&__v, __Op &&__op)
	-> typename std::decay<decltype(__op(__v, __v))>::type
{
	typename std::decay<decltype(__op(__v, __v))>::type __r = __v;
	for (unsigned int __d = 1; __d < __g.size(); __d *= 2) {
		auto __o = __g.shfl_down(__r, (int)__d);
		if (__g.thread_rank() + __d < __g.size() && __g.thread_rank() % (2 * __d) == 0)
			__r = __op(__r, __o);
	}
	return __g.shfl(__r, 0);
}
namespace details {
template <class __T> __HD_CG void __atomic_op(__T *__p, __T __v, plus<__T>) { atomicAdd(__p, __v); }
template <class __T> __HD_CG void __atomic_op(__T *__p, __T __v, less<__T>) { atomicMin(__p, __v); }
template <class __T> __HD_CG void __atomic_op(__T *__p, __T __v, greater<__T>) { atomicMax(__p, __v); }
template <class __T> __HD_CG void __atomic_op(__T *__p, __T __v, bit_and<__T>) { atomicAnd(__p, __v); }
template <class __T> __HD_CG void __atomic_op(__T *__p, __T __v, bit_or<__T>) { atomicOr(__p, __v); }
template <class __T> __HD_CG void __atomic_op(__T *__p, __T __v, bit_xor<__T>) { atomicXor(__p, __v); }
}
template <class __G, class __T, class __A, class __Op>
__HD_CG void reduce_update_async(const __G &__g, __A &__dst, __T &&__v, __Op &&__op)
{
	auto __r = reduce(__g, __v, __op);
	if (__g.thread_rank() == 0)
		__dst.fetch_add(__r);
}
}
#endif
