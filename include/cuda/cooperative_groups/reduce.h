/* reduce() over tiles and coalesced groups. */
#ifndef HEDDLE_CG_REDUCE_H
#define HEDDLE_CG_REDUCE_H
#include "../cooperative_groups.h"
#if defined(__CUDA__)

namespace cooperative_groups {
namespace details {
template <unsigned int __n, class __P, class __T, class __Op>
__HD_CG __T __reduce(const thread_block_tile<__n, __P> &__g, __T __r, __Op &&__op, std::true_type)
{
#pragma unroll
	for (unsigned int __d = __n / 2; __d > 0; __d /= 2)
		__r = __op(__r, __g.shfl_xor(__r, __d));
	return __r;
}
/* Several warps: each warp reduces its lanes, then the warps' values are combined in order. */
template <unsigned int __n, class __P, class __T, class __Op>
__HD_CG __T __reduce(const thread_block_tile<__n, __P> &__g, __T __r, __Op &&__op, std::false_type)
{
	__r = __reduce(thread_block_tile<32, void>(0, 1), __r, __op, std::true_type());
	__g.__exchange(__r, [&](const __T *__s) __HD_QUIET {
		__r = __s[0];
		for (unsigned int __i = 1; __i < __n / 32; __i++)
			__r = __op(__r, __s[__i]);
	});
	return __r;
}
}
template <unsigned int __n, class __P, class __T, class __Op>
__HD_CG auto reduce(const thread_block_tile<__n, __P> &__g, __T &&__v, __Op &&__op)
	-> typename std::decay<decltype(__op(__v, __v))>::type
{
	typename std::decay<decltype(__op(__v, __v))>::type __r = __v;
	return details::__reduce(__g, __r, __op, std::integral_constant<bool, __n <= 32>());
}
/* Reduces towards lower ranks, so that every thread's result is combined in one order, then
 * broadcasts from rank 0. */
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
template <class __A, class __T> __HD_CG void __update(__A &__d, __T __v, plus<__T>) { __d.fetch_add(__v); }
template <class __A, class __T> __HD_CG void __update(__A &__d, __T __v, less<__T>) { __d.fetch_min(__v); }
template <class __A, class __T> __HD_CG void __update(__A &__d, __T __v, greater<__T>) { __d.fetch_max(__v); }
template <class __A, class __T> __HD_CG void __update(__A &__d, __T __v, bit_and<__T>) { __d.fetch_and(__v); }
template <class __A, class __T> __HD_CG void __update(__A &__d, __T __v, bit_or<__T>) { __d.fetch_or(__v); }
template <class __A, class __T> __HD_CG void __update(__A &__d, __T __v, bit_xor<__T>) { __d.fetch_xor(__v); }
}
/* Stores into a cuda::atomic: combined with its value, or replacing it. */
template <class __G, class __T, class __A, class __Op>
__HD_CG void reduce_update_async(const __G &__g, __A &__dst, __T &&__v, __Op &&__op)
{
	auto __r = reduce(__g, __v, __op);
	if (__g.thread_rank() == 0)
		details::__update(__dst, __r, __op);
}
template <class __G, class __T, class __A, class __Op>
__HD_CG void reduce_store_async(const __G &__g, __A &__dst, __T &&__v, __Op &&__op)
{
	auto __r = reduce(__g, __v, __op);
	if (__g.thread_rank() == 0)
		__dst.store(__r);
}
}
#endif
#endif
