/* Split barriers (mbarrier) and asynchronous copies (cp.async) as single instructions, for cuda/barrier,
 * cuda/pipeline and their C forms. Barriers are 64 bits of shared memory, given by their generic address.
 * Below sm_80, which has no cp.async, copies are loads and stores, as with nvcc. */
#ifndef HEDDLE_MBARRIER_H
#define HEDDLE_MBARRIER_H
#include "../cuda_runtime.h"

#define __HD_MB static __device__ __HD_INLINE __attribute__((unused))
#if defined(__CUDA_ARCH__)
__HD_MB unsigned int __hd_smem(const void *__p) { return (unsigned int)__cvta_generic_to_shared(__p); }
__HD_MB void __hd_mb_init(unsigned long long *__b, unsigned int __n)
{
	asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(__hd_smem(__b)), "r"(__n) : "memory");
}
__HD_MB void __hd_mb_inval(unsigned long long *__b)
{
	asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(__hd_smem(__b)) : "memory");
}
__HD_MB unsigned long long __hd_mb_arrive(unsigned long long *__b, unsigned int __n)
{
	unsigned long long __t;
	asm volatile("mbarrier.arrive.shared.b64 %0, [%1], %2;" : "=l"(__t) : "r"(__hd_smem(__b)), "r"(__n) : "memory");
	return __t;
}
__HD_MB unsigned long long __hd_mb_drop(unsigned long long *__b, unsigned int __n)
{
	unsigned long long __t;
	asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1], %2;"
		: "=l"(__t) : "r"(__hd_smem(__b)), "r"(__n) : "memory");
	return __t;
}
__HD_MB bool __hd_mb_test(const unsigned long long *__b, unsigned long long __t)
{
	int __r;
	asm volatile("{\n\t.reg .pred %%hdp;\n\tmbarrier.test_wait.shared.b64 %%hdp, [%1], %2;\n\t"
		"selp.s32 %0, 1, 0, %%hdp;\n\t}" : "=r"(__r) : "r"(__hd_smem(__b)), "l"(__t) : "memory");
	return __r;
}
__HD_MB bool __hd_mb_test_parity(const unsigned long long *__b, unsigned int __phase)
{
	int __r;
	asm volatile("{\n\t.reg .pred %%hdp;\n\tmbarrier.test_wait.parity.shared.b64 %%hdp, [%1], %2;\n\t"
		"selp.s32 %0, 1, 0, %%hdp;\n\t}" : "=r"(__r) : "r"(__hd_smem(__b)), "r"(__phase) : "memory");
	return __r;
}
__HD_MB unsigned int __hd_mb_pending(unsigned long long __t)
{
	unsigned int __n;
	asm("mbarrier.pending_count.b64 %0, %1;" : "=r"(__n) : "l"(__t));
	return __n;
}
#if __CUDA_ARCH__ >= 800
/* Attaches the thread's earlier copies to the barrier; the thread must still arrive itself. */
__HD_MB void __hd_cp_arrive(unsigned long long *__b)
{
	asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" :: "r"(__hd_smem(__b)) : "memory");
}
__HD_MB void __hd_cp_commit(void) { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int __n> __HD_MB void __hd_cp_wait(void) { asm volatile("cp.async.wait_group %0;" :: "n"(__n) : "memory"); }
template <int __n> __HD_MB void __hd_cp(void *__d, const void *__s, unsigned int __have = __n)
{
	if (__n == 16)
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" :: "r"(__hd_smem(__d)),
			"l"(__cvta_generic_to_global(__s)), "r"(__have) : "memory");
	else
		asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" :: "r"(__hd_smem(__d)),
			"l"(__cvta_generic_to_global(__s)), "n"(__n), "r"(__have) : "memory");
}
__HD_MB bool __hd_cp_able(const void *__d, const void *__s) { return __isShared(__d) && __isGlobal(__s); }
#else
__HD_MB void __hd_cp_arrive(unsigned long long *) {}
__HD_MB void __hd_cp_commit(void) {}
template <int __n> __HD_MB void __hd_cp_wait(void) {}
template <int __n> __HD_MB void __hd_cp(void *, const void *, unsigned int = __n) {}
__HD_MB bool __hd_cp_able(const void *, const void *) { return false; }
#endif
#else
__HD_MB void __hd_mb_init(unsigned long long *, unsigned int) {}
__HD_MB void __hd_mb_inval(unsigned long long *) {}
__HD_MB unsigned long long __hd_mb_arrive(unsigned long long *, unsigned int) { return 0; }
__HD_MB unsigned long long __hd_mb_drop(unsigned long long *, unsigned int) { return 0; }
__HD_MB bool __hd_mb_test(const unsigned long long *, unsigned long long) { return true; }
__HD_MB bool __hd_mb_test_parity(const unsigned long long *, unsigned int) { return true; }
__HD_MB unsigned int __hd_mb_pending(unsigned long long) { return 0; }
__HD_MB void __hd_cp_arrive(unsigned long long *) {}
__HD_MB void __hd_cp_commit(void) {}
template <int __n> __HD_MB void __hd_cp_wait(void) {}
template <int __n> __HD_MB void __hd_cp(void *, const void *, unsigned int = __n) {}
__HD_MB bool __hd_cp_able(const void *, const void *) { return false; }
#endif

/* Waits until at most __prior groups are in flight. The instruction requires a constant. */
__HD_MB void __hd_cp_wait_prior(size_t __prior)
{
	switch (__prior) {
	case 0: __hd_cp_wait<0>(); break;
	case 1: __hd_cp_wait<1>(); break;
	case 2: __hd_cp_wait<2>(); break;
	case 3: __hd_cp_wait<3>(); break;
	case 4: __hd_cp_wait<4>(); break;
	case 5: __hd_cp_wait<5>(); break;
	case 6: __hd_cp_wait<6>(); break;
	case 7: __hd_cp_wait<7>(); break;
	default: __hd_cp_wait<8>(); break;
	}
}

/* Pieces __rank, __rank + __step, ... of __n bytes, in pieces of T. */
template <class __T> __HD_MB void __hd_copy_as(char *__d, const char *__s, size_t __n, size_t __rank, size_t __step)
{
	bool __async = sizeof(__T) >= 4 && __hd_cp_able(__d, __s);
	for (size_t __i = __rank; __i < __n / sizeof(__T); __i += __step)
		if (__async)
			__hd_cp<sizeof(__T) < 4 ? 4 : (int)sizeof(__T)>(__d + __i * sizeof(__T), __s + __i * sizeof(__T));
		else
			((__T *)__d)[__i] = ((const __T *)__s)[__i];
}

/* __step threads, of which this is number __rank, copy __n bytes together, asynchronously if the
 * GPU supports it. */
__HD_MB void __hd_copy(void *__to, const void *__from, size_t __n, size_t __rank = 0, size_t __step = 1)
{
	char *__d = (char *)__to;
	const char *__s = (const char *)__from;
	size_t __al = (size_t)__d | (size_t)__s | __n;
	if (__al % 16 == 0)
		__hd_copy_as<uint4>(__d, __s, __n, __rank, __step);
	else if (__al % 8 == 0)
		__hd_copy_as<uint2>(__d, __s, __n, __rank, __step);
	else if (__al % 4 == 0)
		__hd_copy_as<unsigned int>(__d, __s, __n, __rank, __step);
	else
		__hd_copy_as<char>(__d, __s, __n, __rank, __step);
}
#endif
