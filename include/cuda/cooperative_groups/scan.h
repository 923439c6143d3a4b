/* inclusive_scan() and exclusive_scan() over tiles and coalesced groups. */
#ifndef HEDDLE_CG_SCAN_H
#define HEDDLE_CG_SCAN_H
#include "../cooperative_groups.h"
#if defined(__CUDA__)

namespace cooperative_groups {
template <class __G, class __T, class __Op>
__HD_CG auto inclusive_scan(const __G &__g, __T &&__v, __Op &&__op)
	-> typename std::decay<decltype(__op(__v, __v))>::type
{
	typename std::decay<decltype(__op(__v, __v))>::type __r = __v;
	for (unsigned int __d = 1; __d < (unsigned int)__g.size(); __d *= 2) {
		auto __o = __g.shfl_up(__r, __d);
		if ((unsigned int)__g.thread_rank() >= __d)
			__r = __op(__o, __r);
	}
	return __r;
}
template <class __G, class __T>
__HD_CG typename std::decay<__T>::type inclusive_scan(const __G &__g, __T &&__v)
{
	return inclusive_scan(__g, __v, plus<typename std::decay<__T>::type>());
}
template <class __G, class __T, class __Op>
__HD_CG auto exclusive_scan(const __G &__g, __T &&__v, __Op &&__op)
	-> typename std::decay<decltype(__op(__v, __v))>::type
{
	auto __o = __g.shfl_up(inclusive_scan(__g, __v, __op), 1);
	return __g.thread_rank() == 0 ? decltype(__o)() : __o;
}
template <class __G, class __T>
__HD_CG typename std::decay<__T>::type exclusive_scan(const __G &__g, __T &&__v)
{
	return exclusive_scan(__g, __v, plus<typename std::decay<__T>::type>());
}
/* Allocates ranges of a shared counter: the group's sum is added once, and each thread receives the
 * start (inclusive: the end) of its own range. */
template <class __G, class __A, class __T>
__HD_CG typename std::decay<__T>::type inclusive_scan_update(const __G &__g, __A &__dst, __T &&__v)
{
	typedef typename std::decay<__T>::type __V;
	__V __end = inclusive_scan(__g, __v), __base = __V();
	const unsigned int __last = (unsigned int)__g.size() - 1;
	if ((unsigned int)__g.thread_rank() == __last)
		__base = __dst.fetch_add(__end);
	return __g.shfl(__base, (int)__last) + __end;
}
template <class __G, class __A, class __T>
__HD_CG typename std::decay<__T>::type exclusive_scan_update(const __G &__g, __A &__dst, __T &&__v)
{
	return inclusive_scan_update(__g, __dst, __v) - __v;
}
}
#endif
#endif
