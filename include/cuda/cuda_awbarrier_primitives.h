/* The C form of split barriers in shared memory. */
#ifndef _CUDA_AWBARRIER_PRIMITIVES_H_
#define _CUDA_AWBARRIER_PRIMITIVES_H_
#include <stdint.h>
#include "heddle/mbarrier.h"
typedef unsigned long long __mbarrier_t;
typedef unsigned long long __mbarrier_token_t;
#define __HD_AW static __device__ __HD_INLINE __attribute__((unused))
__HD_AW uint32_t __mbarrier_maximum_count() { return (1u << 20) - 1; }
__HD_AW void __mbarrier_init(__mbarrier_t *__b, uint32_t __n) { __hd_mb_init(__b, __n); }
__HD_AW void __mbarrier_inval(__mbarrier_t *__b) { __hd_mb_inval(__b); }
__HD_AW __mbarrier_token_t __mbarrier_arrive(__mbarrier_t *__b) { return __hd_mb_arrive(__b, 1); }
__HD_AW __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t *__b) { return __hd_mb_drop(__b, 1); }
__HD_AW bool __mbarrier_test_wait(__mbarrier_t *__b, __mbarrier_token_t __t) { return __hd_mb_test(__b, __t); }
__HD_AW bool __mbarrier_test_wait_parity(__mbarrier_t *__b, bool __phase) { return __hd_mb_test_parity(__b, __phase); }
__HD_AW bool __mbarrier_try_wait(__mbarrier_t *__b, __mbarrier_token_t __t, uint32_t) { return __hd_mb_test(__b, __t); }
__HD_AW bool __mbarrier_try_wait_parity(__mbarrier_t *__b, bool __phase, uint32_t)
{
	return __hd_mb_test_parity(__b, __phase);
}
__HD_AW uint32_t __mbarrier_token_pending_count(__mbarrier_token_t __t) { return __hd_mb_pending(__t); }
#undef __HD_AW
#endif
