/* The __nv_* functions that clang's CUDA headers call, each one PTX instruction or a few. Bodies
 * that need more (transcendental functions) are in libm.h. If the user supplies NVIDIA's libdevice,
 * clang's declarations replace both. */
#ifndef HEDDLE_LIBDEVICE_H
#define HEDDLE_LIBDEVICE_H

#define __HD_NV static __device__ __HD_INLINE __attribute__((unused))

/* Flush-to-zero is a property of the compilation: pick the instruction's variant by it. */
#if defined(__HEDDLE_FTZ)
#define __HD_FZ(__a, __b) __a##ftz_##__b
#else
#define __HD_FZ(__a, __b) __a##__b
#endif

/* Arithmetic with a rounding mode: CUDA's name of the mode and PTX's. */
#define __HD_ROUND(__c, __p)                                                                       \
	__HD_NV float __nv_fadd_##__c(float __a, float __b)                                        \
	{                                                                                          \
		return __HD_FZ(__nvvm_add_##__p##_, f)(__a, __b);                                  \
	}                                                                                          \
	__HD_NV float __nv_fsub_##__c(float __a, float __b)                                        \
	{                                                                                          \
		return __HD_FZ(__nvvm_add_##__p##_, f)(__a, -__b);                                 \
	}                                                                                          \
	__HD_NV float __nv_fmul_##__c(float __a, float __b)                                        \
	{                                                                                          \
		return __HD_FZ(__nvvm_mul_##__p##_, f)(__a, __b);                                  \
	}                                                                                          \
	__HD_NV float __nv_fdiv_##__c(float __a, float __b)                                        \
	{                                                                                          \
		return __HD_FZ(__nvvm_div_##__p##_, f)(__a, __b);                                  \
	}                                                                                          \
	__HD_NV float __nv_frcp_##__c(float __a) { return __HD_FZ(__nvvm_rcp_##__p##_, f)(__a); }  \
	__HD_NV float __nv_fsqrt_##__c(float __a)                                                  \
	{                                                                                          \
		return __HD_FZ(__nvvm_sqrt_##__p##_, f)(__a);                                      \
	}                                                                                          \
	__HD_NV float __nv_fmaf_##__c(float __a, float __b, float __d)                             \
	{                                                                                          \
		return __HD_FZ(__nvvm_fma_##__p##_, f)(__a, __b, __d);                             \
	}                                                                                          \
	__HD_NV float __nv_fmaf_ieee_##__c(float __a, float __b, float __d)                        \
	{                                                                                          \
		return __nvvm_fma_##__p##_f(__a, __b, __d);                                        \
	}                                                                                          \
	__HD_NV double __nv_dadd_##__c(double __a, double __b)                                     \
	{                                                                                          \
		return __nvvm_add_##__p##_d(__a, __b);                                             \
	}                                                                                          \
	__HD_NV double __nv_dsub_##__c(double __a, double __b)                                     \
	{                                                                                          \
		return __nvvm_add_##__p##_d(__a, -__b);                                            \
	}                                                                                          \
	__HD_NV double __nv_dmul_##__c(double __a, double __b)                                     \
	{                                                                                          \
		return __nvvm_mul_##__p##_d(__a, __b);                                             \
	}                                                                                          \
	__HD_NV double __nv_ddiv_##__c(double __a, double __b)                                     \
	{                                                                                          \
		return __nvvm_div_##__p##_d(__a, __b);                                             \
	}                                                                                          \
	__HD_NV double __nv_drcp_##__c(double __a) { return __nvvm_rcp_##__p##_d(__a); }           \
	__HD_NV double __nv_dsqrt_##__c(double __a) { return __nvvm_sqrt_##__p##_d(__a); }         \
	__HD_NV double __nv_fma_##__c(double __a, double __b, double __d)                          \
	{                                                                                          \
		return __nvvm_fma_##__p##_d(__a, __b, __d);                                        \
	}                                                                                          \
	__HD_NV float __nv_double2float_##__c(double __a)                                          \
	{                                                                                          \
		return __HD_FZ(__nvvm_d2f_##__p, )(__a);                                           \
	}                                                                                          \
	__HD_NV int __nv_double2int_##__c(double __a) { return __nvvm_d2i_##__p(__a); }            \
	__HD_NV unsigned int __nv_double2uint_##__c(double __a) { return __nvvm_d2ui_##__p(__a); } \
	__HD_NV long long __nv_double2ll_##__c(double __a) { return __nvvm_d2ll_##__p(__a); }      \
	__HD_NV unsigned long long __nv_double2ull_##__c(double __a)                               \
	{                                                                                          \
		return __nvvm_d2ull_##__p(__a);                                                    \
	}                                                                                          \
	__HD_NV int __nv_float2int_##__c(float __a) { return __nvvm_f2i_##__p(__a); }              \
	__HD_NV unsigned int __nv_float2uint_##__c(float __a) { return __nvvm_f2ui_##__p(__a); }   \
	__HD_NV long long __nv_float2ll_##__c(float __a) { return __nvvm_f2ll_##__p(__a); }        \
	__HD_NV unsigned long long __nv_float2ull_##__c(float __a)                                 \
	{                                                                                          \
		return __nvvm_f2ull_##__p(__a);                                                    \
	}                                                                                          \
	__HD_NV float __nv_int2float_##__c(int __a) { return __nvvm_i2f_##__p(__a); }              \
	__HD_NV float __nv_uint2float_##__c(unsigned int __a) { return __nvvm_ui2f_##__p(__a); }   \
	__HD_NV float __nv_ll2float_##__c(long long __a) { return __nvvm_ll2f_##__p(__a); }        \
	__HD_NV float __nv_ull2float_##__c(unsigned long long __a)                                 \
	{                                                                                          \
		return __nvvm_ull2f_##__p(__a);                                                    \
	}                                                                                          \
	__HD_NV double __nv_ll2double_##__c(long long __a) { return __nvvm_ll2d_##__p(__a); }      \
	__HD_NV double __nv_ull2double_##__c(unsigned long long __a)                               \
	{                                                                                          \
		return __nvvm_ull2d_##__p(__a);                                                    \
	}
#if defined(__HEDDLE_FTZ)
#define __nvvm_d2f_rnftz_ __nvvm_d2f_rn_ftz
#define __nvvm_d2f_rzftz_ __nvvm_d2f_rz_ftz
#define __nvvm_d2f_rmftz_ __nvvm_d2f_rm_ftz
#define __nvvm_d2f_rpftz_ __nvvm_d2f_rp_ftz
#endif
__HD_ROUND(rn, rn)
__HD_ROUND(rz, rz)
__HD_ROUND(rd, rm)
__HD_ROUND(ru, rp)
#undef __HD_ROUND
__HD_NV double __nv_int2double_rn(int __a) { return __a; }
__HD_NV double __nv_uint2double_rn(unsigned int __a) { return __a; }
__HD_NV double __nv_rcp64h(double __a) { return __nvvm_rcp_approx_ftz_d(__a); }
__HD_NV float __nv_frsqrt_rn(float __a) { return __HD_FZ(__nvvm_rsqrt_approx_, f)(__a); }

/* Bits. */
__HD_NV int __nv_float_as_int(float __a) { return __builtin_bit_cast(int, __a); }
__HD_NV unsigned int __nv_float_as_uint(float __a) { return __builtin_bit_cast(unsigned int, __a); }
__HD_NV float __nv_int_as_float(int __a) { return __builtin_bit_cast(float, __a); }
__HD_NV float __nv_uint_as_float(unsigned int __a) { return __builtin_bit_cast(float, __a); }
__HD_NV unsigned long long __nv_double_as_longlong(double __a)
{
	return __builtin_bit_cast(unsigned long long, __a);
}
__HD_NV double __nv_longlong_as_double(long long __a) { return __builtin_bit_cast(double, __a); }
__HD_NV int __nv_double2hiint(double __a)
{
	return (int)(__builtin_bit_cast(unsigned long long, __a) >> 32);
}
__HD_NV int __nv_double2loint(double __a)
{
	return (int)__builtin_bit_cast(unsigned long long, __a);
}
__HD_NV double __nv_hiloint2double(int __hi, int __lo)
{
	return __builtin_bit_cast(double, (unsigned long long)(unsigned int)__hi << 32 |
						  (unsigned int)__lo);
}
__HD_NV int __nv_brev(int __a) { return (int)__builtin_bitreverse32((unsigned int)__a); }
__HD_NV long long __nv_brevll(long long __a)
{
	return (long long)__builtin_bitreverse64((unsigned long long)__a);
}
__HD_NV int __nv_byte_perm(int __a, int __b, int __c)
{
	int __r;
	asm("prmt.b32 %0, %1, %2, %3;" : "=r"(__r) : "r"(__a), "r"(__b), "r"(__c & 0x7777));
	return __r;
}
__HD_NV int __nv_clz(int __a) { return __a ? __builtin_clz((unsigned int)__a) : 32; }
__HD_NV int __nv_clzll(long long __a)
{
	return __a ? __builtin_clzll((unsigned long long)__a) : 64;
}
__HD_NV int __nv_popc(unsigned int __a) { return __builtin_popcount(__a); }
__HD_NV int __nv_popcll(unsigned long long __a) { return __builtin_popcountll(__a); }
__HD_NV int __nv_ffs(int __a) { return 32 - __nv_clz(__a & -__a); }
__HD_NV int __nv_ffsll(long long __a)
{
	return 64 - __nv_clzll((long long)((unsigned long long)__a & -(unsigned long long)__a));
}

/* Integers. */
__HD_NV int __nv_abs(int __a) { return __a < 0 ? (int)-(unsigned int)__a : __a; }
__HD_NV long long __nv_llabs(long long __a)
{
	return __a < 0 ? (long long)-(unsigned long long)__a : __a;
}
__HD_NV int __nv_min(int __a, int __b) { return __a < __b ? __a : __b; }
__HD_NV int __nv_max(int __a, int __b) { return __a > __b ? __a : __b; }
__HD_NV unsigned int __nv_umin(unsigned int __a, unsigned int __b) { return __a < __b ? __a : __b; }
__HD_NV unsigned int __nv_umax(unsigned int __a, unsigned int __b) { return __a > __b ? __a : __b; }
__HD_NV long long __nv_llmin(long long __a, long long __b) { return __a < __b ? __a : __b; }
__HD_NV long long __nv_llmax(long long __a, long long __b) { return __a > __b ? __a : __b; }
__HD_NV unsigned long long __nv_ullmin(unsigned long long __a, unsigned long long __b)
{
	return __a < __b ? __a : __b;
}
__HD_NV unsigned long long __nv_ullmax(unsigned long long __a, unsigned long long __b)
{
	return __a > __b ? __a : __b;
}
__HD_NV int __nv_mul24(int __a, int __b) { return __nvvm_mul24_i(__a, __b); }
__HD_NV unsigned int __nv_umul24(unsigned int __a, unsigned int __b)
{
	return __nvvm_mul24_ui(__a, __b);
}
__HD_NV int __nv_mulhi(int __a, int __b) { return __nvvm_mulhi_i(__a, __b); }
__HD_NV unsigned int __nv_umulhi(unsigned int __a, unsigned int __b)
{
	return __nvvm_mulhi_ui(__a, __b);
}
__HD_NV long long __nv_mul64hi(long long __a, long long __b) { return __nvvm_mulhi_ll(__a, __b); }
__HD_NV unsigned long long __nv_umul64hi(unsigned long long __a, unsigned long long __b)
{
	return __nvvm_mulhi_ull(__a, __b);
}
__HD_NV int __nv_hadd(int __a, int __b) { return (int)(((long long)__a + __b) >> 1); }
__HD_NV int __nv_rhadd(int __a, int __b) { return (int)(((long long)__a + __b + 1) >> 1); }
__HD_NV int __nv_uhadd(unsigned int __a, unsigned int __b)
{
	return (int)(((unsigned long long)__a + __b) >> 1);
}
__HD_NV unsigned int __nv_urhadd(unsigned int __a, unsigned int __b)
{
	return (unsigned int)(((unsigned long long)__a + __b + 1) >> 1);
}
__HD_NV int __nv_sad(int __a, int __b, int __c)
{
	int __r;
	asm("sad.s32 %0, %1, %2, %3;" : "=r"(__r) : "r"(__a), "r"(__b), "r"(__c));
	return __r;
}
__HD_NV unsigned int __nv_usad(unsigned int __a, unsigned int __b, unsigned int __c)
{
	unsigned int __r;
	asm("sad.u32 %0, %1, %2, %3;" : "=r"(__r) : "r"(__a), "r"(__b), "r"(__c));
	return __r;
}

/* Simple floating point. */
__HD_NV float __nv_fabsf(float __a) { return __builtin_fabsf(__a); }
__HD_NV double __nv_fabs(double __a) { return __builtin_fabs(__a); }
__HD_NV float __nv_floorf(float __a) { return __builtin_floorf(__a); }
__HD_NV double __nv_floor(double __a) { return __builtin_floor(__a); }
__HD_NV float __nv_ceilf(float __a) { return __builtin_ceilf(__a); }
__HD_NV double __nv_ceil(double __a) { return __builtin_ceil(__a); }
__HD_NV float __nv_truncf(float __a) { return __builtin_truncf(__a); }
__HD_NV double __nv_trunc(double __a) { return __builtin_trunc(__a); }
__HD_NV float __nv_rintf(float __a) { return __builtin_rintf(__a); }
__HD_NV double __nv_rint(double __a) { return __builtin_rint(__a); }
__HD_NV float __nv_nearbyintf(float __a) { return __builtin_rintf(__a); }
__HD_NV double __nv_nearbyint(double __a) { return __builtin_rint(__a); }
__HD_NV float __nv_copysignf(float __a, float __b)
{
	float __r;
	asm("copysign.f32 %0, %1, %2;" : "=f"(__r) : "f"(__b), "f"(__a));
	return __r;
}
__HD_NV double __nv_copysign(double __a, double __b)
{
	double __r;
	asm("copysign.f64 %0, %1, %2;" : "=d"(__r) : "d"(__b), "d"(__a));
	return __r;
}
__HD_NV float __nv_fminf(float __a, float __b) { return __builtin_fminf(__a, __b); }
__HD_NV float __nv_fmaxf(float __a, float __b) { return __builtin_fmaxf(__a, __b); }
__HD_NV double __nv_fmin(double __a, double __b) { return __builtin_fmin(__a, __b); }
__HD_NV double __nv_fmax(double __a, double __b) { return __builtin_fmax(__a, __b); }
__HD_NV float __nv_fmaf(float __a, float __b, float __c)
{
	return __HD_FZ(__nvvm_fma_rn_, f)(__a, __b, __c);
}
__HD_NV double __nv_fma(double __a, double __b, double __c)
{
	return __nvvm_fma_rn_d(__a, __b, __c);
}
__HD_NV float __nv_saturatef(float __a) { return __HD_FZ(__nvvm_saturate_, f)(__a); }
/* Exact or approximate, as the compiler option -prec-sqrt says. */
#if defined(__HEDDLE_APPROX_SQRT)
__HD_NV float __nv_sqrtf(float __a) { return __HD_FZ(__nvvm_sqrt_approx_, f)(__a); }
#else
__HD_NV float __nv_sqrtf(float __a) { return __HD_FZ(__nvvm_sqrt_rn_, f)(__a); }
#endif
__HD_NV double __nv_sqrt(double __a) { return __nvvm_sqrt_rn_d(__a); }
__HD_NV float __nv_rsqrtf(float __a) { return __HD_FZ(__nvvm_rsqrt_approx_, f)(__a); }
/* Halves away from 0: half of the last unit more, towards 0, cut off. */
__HD_NV float __nv_roundf(float __a)
{
	return __builtin_truncf(__HD_FZ(__nvvm_add_rz_, f)(__a, __nv_copysignf(0.5f, __a)));
}
__HD_NV double __nv_round(double __a)
{
	return __builtin_trunc(__nvvm_add_rz_d(__a, __nv_copysign(0.5, __a)));
}
__HD_NV long long __nv_llrintf(float __a) { return __nvvm_f2ll_rn(__a); }
__HD_NV long long __nv_llrint(double __a) { return __nvvm_d2ll_rn(__a); }
__HD_NV long long __nv_llroundf(float __a) { return __nvvm_f2ll_rz(__nv_roundf(__a)); }
__HD_NV long long __nv_llround(double __a) { return __nvvm_d2ll_rz(__nv_round(__a)); }
__HD_NV int __nv_signbitf(float __a) { return __nv_float_as_int(__a) < 0; }
__HD_NV int __nv_signbitd(double __a) { return __nv_double2hiint(__a) < 0; }
__HD_NV int __nv_isnanf(float __a) { return (__nv_float_as_uint(__a) & 0x7fffffffu) > 0x7f800000u; }
__HD_NV int __nv_isinff(float __a)
{
	return (__nv_float_as_uint(__a) & 0x7fffffffu) == 0x7f800000u;
}
__HD_NV int __nv_finitef(float __a)
{
	return (__nv_float_as_uint(__a) & 0x7fffffffu) < 0x7f800000u;
}
__HD_NV int __nv_isnand(double __a)
{
	return (__nv_double_as_longlong(__a) & 0x7fffffffffffffffull) > 0x7ff0000000000000ull;
}
__HD_NV int __nv_isinfd(double __a)
{
	return (__nv_double_as_longlong(__a) & 0x7fffffffffffffffull) == 0x7ff0000000000000ull;
}
__HD_NV int __nv_isfinited(double __a)
{
	return (__nv_double_as_longlong(__a) & 0x7fffffffffffffffull) < 0x7ff0000000000000ull;
}
__HD_NV float __nv_fdimf(float __a, float __b) { return __a <= __b ? 0.0f : __a - __b; }
__HD_NV double __nv_fdim(double __a, double __b) { return __a <= __b ? 0.0 : __a - __b; }
__HD_NV unsigned short __nv_float2half_rn(float __a)
{
	unsigned short __r;
	asm("cvt.rn.f16.f32 %0, %1;" : "=h"(__r) : "f"(__a));
	return __r;
}
__HD_NV float __nv_half2float(unsigned short __a)
{
	float __r;
	asm("cvt.f32.f16 %0, %1;" : "=f"(__r) : "h"(__a));
	return __r;
}
__HD_NV float __nv_nanf(const signed char *) { return __nv_uint_as_float(0x7fffffffu); }
__HD_NV double __nv_nan(const signed char *)
{
	return __nv_longlong_as_double(0x7ff8000000000000ll);
}

/* The approximate functions, compiled as by nvcc for __sinf() and its relatives. */
__HD_NV float __hd_ex2(float __a) { return __HD_FZ(__nvvm_ex2_approx_, f)(__a); }
__HD_NV float __hd_lg2(float __a) { return __HD_FZ(__nvvm_lg2_approx_, f)(__a); }
__HD_NV float __nv_fast_sinf(float __a) { return __HD_FZ(__nvvm_sin_approx_, f)(__a); }
__HD_NV float __nv_fast_cosf(float __a) { return __HD_FZ(__nvvm_cos_approx_, f)(__a); }
__HD_NV void __nv_fast_sincosf(float __a, float *__s, float *__c)
{
	*__s = __nv_fast_sinf(__a);
	*__c = __nv_fast_cosf(__a);
}
__HD_NV float __nv_fast_fdividef(float __a, float __b)
{
	return __HD_FZ(__nvvm_div_approx_, f)(__a, __b);
}
__HD_NV float __nv_fast_tanf(float __a)
{
	return __nv_fast_fdividef(__nv_fast_sinf(__a), __nv_fast_cosf(__a));
}
__HD_NV float __nv_fast_expf(float __a) { return __hd_ex2(__a * 1.4426950408889634f); }
__HD_NV float __nv_fast_exp10f(float __a) { return __hd_ex2(__a * 3.3219280948873622f); }
__HD_NV float __nv_fast_log2f(float __a) { return __hd_lg2(__a); }
__HD_NV float __nv_fast_logf(float __a) { return __hd_lg2(__a) * 0.69314718055994531f; }
__HD_NV float __nv_fast_log10f(float __a) { return __hd_lg2(__a) * 0.30102999566398120f; }
__HD_NV float __nv_fast_powf(float __a, float __b) { return __hd_ex2(__b * __hd_lg2(__a)); }

#include "libm.h"

#endif
