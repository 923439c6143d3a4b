/* `heddle cc -G`: references to the element past the end of an array (src/nvcc/elements.c). Before all other headers. */
#ifndef HEDDLE_ELEMENTS_H
#define HEDDLE_ELEMENTS_H

extern "C" __attribute__((device)) void __heddle_index_end(unsigned long long __index,
							   unsigned long long __size);

#define __HD_ELEMENT inline __attribute__((host, device, always_inline, nodebug)) constexpr
template <class _T, decltype(sizeof 0) _N, class _I>
__HD_ELEMENT int __hd_element(_T (&)[_N], const _I &__i)
{
	/* a last member of one element may stand for more */
	return !__builtin_is_constant_evaluated() && _N > 1 &&
			       static_cast<unsigned long long>(__i) == _N
		       ? (__heddle_index_end(_N, _N), 0)
		       : 0;
}
template <class _A, class _I> __HD_ELEMENT int __hd_element(const _A &, const _I &) { return 0; }
#undef __HD_ELEMENT

#endif
