/*
 * A 16-bit floating-point type and its pair, written once for half and bfloat16. The including
 * header defines
 *   __HD_T, __HD_T2, __HD_RAW, __HD_RAW2   the types
 *   __HD_N, __HD_N2                        their names inside function names
 *   __HD_S                                 namespace with the conversions of bits and the arithmetic:
 *                                          one instruction each where the architecture has it
 *   __HD_OTHER                             the other 16-bit type; cuda_bf16.h defines the conversions
 * and undefines nothing: this header does that at its end. No include guard, it is included twice.
 */
#define __HD_CAT_(__a, __b, __c)       __a##__b##__c
#define __HD_CAT(__a, __b, __c)        __HD_CAT_(__a, __b, __c)
#define __HD_CAT4_(__a, __b, __c, __d) __a##__b##__c##__d
#define __HD_CAT4(__a, __b, __c, __d)  __HD_CAT4_(__a, __b, __c, __d)

struct __attribute__((aligned(2))) __HD_RAW {
	unsigned short x;
};
struct __attribute__((aligned(4))) __HD_RAW2 {
	unsigned short x, y;
};

struct __HD_OTHER;
struct __attribute__((aligned(2))) __HD_T {
	unsigned short __x;
	__HD_T() = default;
	__HD_CX __HD_T(const __HD_RAW &__r) : __x(__r.x) {}
	__HD_C __HD_T(float __f) : __x(__HD_S::__from(__f)) {}
	__HD_C __HD_T(double __f) : __x(__HD_S::__from_double(__f)) {}
	__HD_C __HD_T(short __v) : __x(__HD_S::__from_short_rn(__v)) {}
	__HD_C __HD_T(unsigned short __v) : __x(__HD_S::__from_ushort_rn(__v)) {}
	__HD_C __HD_T(int __v) : __x(__HD_S::__from_int_rn(__v)) {}
	__HD_C __HD_T(unsigned int __v) : __x(__HD_S::__from_uint_rn(__v)) {}
	__HD_C __HD_T(long __v) : __x(__HD_S::__from_ll_rn(__v)) {}
	__HD_C __HD_T(unsigned long __v) : __x(__HD_S::__from_ull_rn(__v)) {}
	__HD_C __HD_T(long long __v) : __x(__HD_S::__from_ll_rn(__v)) {}
	__HD_C __HD_T(unsigned long long __v) : __x(__HD_S::__from_ull_rn(__v)) {}
	__HD_C explicit __HD_T(const __HD_OTHER __v);
	__HD_C operator float() const { return __HD_S::__to(__x); }
	__HD_C operator __HD_RAW() const
	{
		__HD_RAW __r;
		__r.x = __x;
		return __r;
	}
	__HD_CX operator bool() const { return (__x & 0x7fff) != 0; }
	__HD_C operator signed char() const { return (signed char)__HD_S::__to(__x); }
	__HD_C operator unsigned char() const { return (unsigned char)__HD_S::__to(__x); }
	__HD_C operator char() const { return (char)__HD_S::__to(__x); }
	__HD_C operator short() const { return (short)__HD_S::__to(__x); }
	__HD_C operator unsigned short() const { return (unsigned short)__HD_S::__to(__x); }
	__HD_C operator int() const { return (int)__HD_S::__to(__x); }
	__HD_C operator unsigned int() const { return (unsigned int)__HD_S::__to(__x); }
	__HD_C operator long() const { return (long)__HD_S::__to(__x); }
	__HD_C operator unsigned long() const { return (unsigned long)__HD_S::__to(__x); }
	__HD_C operator long long() const { return (long long)__HD_S::__to(__x); }
	__HD_C operator unsigned long long() const { return (unsigned long long)__HD_S::__to(__x); }
	__HD_C __HD_T &operator=(const __HD_RAW &__r)
	{
		__x = __r.x;
		return *this;
	}
	__HD_C __HD_T &operator=(float __f)
	{
		__x = __HD_S::__from(__f);
		return *this;
	}
	__HD_C __HD_T &operator=(double __f)
	{
		__x = __HD_S::__from_double(__f);
		return *this;
	}
	__HD_C __HD_T &operator=(int __v) { return *this = __HD_T(__v); }
	__HD_C __HD_T &operator=(unsigned int __v) { return *this = __HD_T(__v); }
	__HD_C __HD_T &operator=(short __v) { return *this = __HD_T(__v); }
	__HD_C __HD_T &operator=(unsigned short __v) { return *this = __HD_T(__v); }
	__HD_C __HD_T &operator=(long long __v) { return *this = __HD_T(__v); }
	__HD_C __HD_T &operator=(unsigned long long __v) { return *this = __HD_T(__v); }
};

struct __attribute__((aligned(4))) __HD_T2 {
	__HD_T x, y;
	__HD_T2() = default;
#if defined(__CUDA_ARCH__)
	/* one move, where the members' stores would be a shift and an or */
	__HD_CX __HD_T2(const __HD_T &__a, const __HD_T &__b)
#if __cplusplus >= 201402L
		: x(__a), y(__b)
#endif
	{
#if __cplusplus >= 201402L
		if (!__builtin_is_constant_evaluated())
#endif
			*this = __builtin_bit_cast(__HD_T2, __hd::__pair(__a.__x, __b.__x));
	}
#else
	__HD_CX __HD_T2(const __HD_T &__a, const __HD_T &__b) : x(__a), y(__b) {}
#endif
	__HD_C __HD_T2(const __HD_RAW2 &__r)
	{
		x.__x = __r.x;
		y.__x = __r.y;
	}
	__HD_C operator __HD_RAW2() const
	{
		__HD_RAW2 __r;
		__r.x = x.__x;
		__r.y = y.__x;
		return __r;
	}
};

/* Bits. */
__HD_HD unsigned short __HD_CAT(__, __HD_N, _as_ushort)(const __HD_T __a) { return __a.__x; }
__HD_HD short __HD_CAT(__, __HD_N, _as_short)(const __HD_T __a) { return (short)__a.__x; }
__HD_HD __HD_T __HD_CAT(__ushort_as_, __HD_N, )(unsigned short __b)
{
	__HD_T __r;
	__r.__x = __b;
	return __r;
}
__HD_HD __HD_T __HD_CAT(__short_as_, __HD_N, )(short __b)
{
	__HD_T __r;
	__r.__x = (unsigned short)__b;
	return __r;
}
namespace __HD_S
{
__HD_HD __HD_T __mk(unsigned short __b)
{
	__HD_T __r;
	__r.__x = __b;
	return __r;
}
__HD_HD __HD_T2 __mk2(unsigned int __b) { return __builtin_bit_cast(__HD_T2, __b); }
__HD_HD unsigned int __bits(const __HD_T2 __a) { return __builtin_bit_cast(unsigned int, __a); }
__HD_HD unsigned short __lo(const __HD_T2 __a) { return __hd::__split(__bits(__a)).__lo; }
__HD_HD unsigned short __hi(const __HD_T2 __a) { return __hd::__split(__bits(__a)).__hi; }
} // namespace __HD_S

/* Conversions. */
__HD_HD __HD_T __HD_CAT(__float2, __HD_N, )(float __a) { return __HD_S::__mk(__HD_S::__from(__a)); }
__HD_HD __HD_T __HD_CAT(__float2, __HD_N, _rn)(float __a)
{
	return __HD_S::__mk(__HD_S::__from(__a));
}
__HD_HD __HD_T __HD_CAT(__float2, __HD_N, _rz)(float __a)
{
	return __HD_S::__mk(__HD_S::__from_rz(__a));
}
__HD_HD __HD_T __HD_CAT(__float2, __HD_N, _rd)(float __a)
{
	return __HD_S::__mk(__HD_S::__from_rd(__a));
}
__HD_HD __HD_T __HD_CAT(__float2, __HD_N, _ru)(float __a)
{
	return __HD_S::__mk(__HD_S::__from_ru(__a));
}
__HD_HD __HD_T __HD_CAT(__double2, __HD_N, )(double __a)
{
	return __HD_S::__mk(__HD_S::__from_double(__a));
}
__HD_HD float __HD_CAT(__, __HD_N, 2float)(const __HD_T __a) { return __HD_S::__to(__a.__x); }
__HD_HD __HD_T2 __HD_CAT(__float2, __HD_N2, _rn)(float __a)
{
	__HD_T __h(__a);
	return __HD_T2(__h, __h);
}
__HD_HD __HD_T2 __HD_CAT(__floats2, __HD_N2, _rn)(float __a, float __b)
{
	return __HD_S::__mk2(__HD_S::__from2(__a, __b));
}
__HD_HD __HD_T2 __HD_CAT(__float22, __HD_N2, _rn)(float2 __a)
{
	return __HD_S::__mk2(__HD_S::__from2(__a.x, __a.y));
}
__HD_HD float2 __HD_CAT(__, __HD_N2, 2float2)(const __HD_T2 __a)
{
	return make_float2(__HD_S::__to_lo(__HD_S::__bits(__a)),
			   __HD_S::__to_hi(__HD_S::__bits(__a)));
}
__HD_HD float __low2float(const __HD_T2 __a) { return __HD_S::__to_lo(__HD_S::__bits(__a)); }
__HD_HD float __high2float(const __HD_T2 __a) { return __HD_S::__to_hi(__HD_S::__bits(__a)); }
__HD_HD __HD_T2 __HD_CAT4(__, __HD_N, 2, __HD_N2)(const __HD_T __a) { return __HD_T2(__a, __a); }
__HD_HD __HD_T2 __HD_CAT(__halves2, __HD_N2, )(const __HD_T __a, const __HD_T __b)
{
	return __HD_T2(__a, __b);
}
__HD_HD __HD_T __HD_CAT(__low2, __HD_N, )(const __HD_T2 __a)
{
	return __HD_S::__mk(__HD_S::__lo(__a));
}
__HD_HD __HD_T __HD_CAT(__high2, __HD_N, )(const __HD_T2 __a)
{
	return __HD_S::__mk(__HD_S::__hi(__a));
}
__HD_HD __HD_T2 __HD_CAT(__low2, __HD_N2, )(const __HD_T2 __a)
{
	return __HD_S::__mk2(__hd::__pair(__HD_S::__lo(__a), __HD_S::__lo(__a)));
}
__HD_HD __HD_T2 __HD_CAT(__high2, __HD_N2, )(const __HD_T2 __a)
{
	return __HD_S::__mk2(__hd::__pair(__HD_S::__hi(__a), __HD_S::__hi(__a)));
}
__HD_HD __HD_T2 __HD_CAT(__lows2, __HD_N2, )(const __HD_T2 __a, const __HD_T2 __b)
{
	return __HD_S::__mk2(__hd::__pair(__HD_S::__lo(__a), __HD_S::__lo(__b)));
}
__HD_HD __HD_T2 __HD_CAT(__highs2, __HD_N2, )(const __HD_T2 __a, const __HD_T2 __b)
{
	return __HD_S::__mk2(__hd::__pair(__HD_S::__hi(__a), __HD_S::__hi(__b)));
}
__HD_HD __HD_T2 __lowhigh2highlow(const __HD_T2 __a)
{
	return __HD_S::__mk2(__hd::__pair(__HD_S::__hi(__a), __HD_S::__lo(__a)));
}
__HD_HD __HD_T2 __HD_CAT(make_, __HD_N2, )(const __HD_T __a, const __HD_T __b)
{
	return __HD_T2(__a, __b);
}

/* Integers, with a rounding mode. */
#define __HD_INT(__t, __n, __m)                                                                    \
	__HD_HD __t __HD_CAT4(__, __HD_N, 2##__n, _##__m)(const __HD_T __a)                        \
	{                                                                                          \
		return __HD_S::__to_##__n##_##__m(__a.__x);                                        \
	}                                                                                          \
	__HD_HD __HD_T __HD_CAT4(__, __n##2, __HD_N, _##__m)(__t __v)                              \
	{                                                                                          \
		return __HD_S::__mk(__HD_S::__from_##__n##_##__m(__v));                            \
	}
#define __HD_INTS(__t, __n)                                                                        \
	__HD_INT(__t, __n, rn) __HD_INT(__t, __n, rz) __HD_INT(__t, __n, rd) __HD_INT(__t, __n, ru)
__HD_INTS(int, int)
__HD_INTS(unsigned int, uint)
__HD_INTS(short, short)
__HD_INTS(unsigned short, ushort) __HD_INTS(long long, ll) __HD_INTS(unsigned long long, ull)
#undef __HD_INT
#undef __HD_INTS
	__HD_HD signed char __HD_CAT(__, __HD_N, 2char_rz)(const __HD_T __a)
{
	float __f = __HD_S::__to(__a.__x);
	return __f != __f ? 0 : __f > 127.0f ? 127 : __f < -128.0f ? -128 : (signed char)__f;
}
__HD_HD unsigned char __HD_CAT(__, __HD_N, 2uchar_rz)(const __HD_T __a)
{
	float __f = __HD_S::__to(__a.__x);
	return !(__f > 0.0f) ? 0 : __f > 255.0f ? 255 : (unsigned char)__f;
}

/* Arithmetic. */
#define __HD_OP2(__n, __e)                                                                         \
	__HD_HD __HD_T __n(const __HD_T __a, const __HD_T __b)                                     \
	{                                                                                          \
		return __HD_S::__mk(__HD_S::__e(__a.__x, __b.__x));                                \
	}
#define __HD_OP2V(__n, __e)                                                                        \
	__HD_HD __HD_T2 __n(const __HD_T2 __a, const __HD_T2 __b)                                  \
	{                                                                                          \
		return __HD_S::__mk2(__HD_S::__e##2(__HD_S::__bits(__a), __HD_S::__bits(__b)));    \
	}
__HD_OP2(__hadd, __add)
__HD_OP2(__hsub, __sub)
__HD_OP2(__hmul, __mul)
__HD_OP2(__hdiv, __div) __HD_OP2(__hadd_rn, __add) __HD_OP2(__hsub_rn, __sub)
	__HD_OP2(__hmul_rn, __mul) __HD_OP2V(__hadd2, __add) __HD_OP2V(__hsub2, __sub)
		__HD_OP2V(__hmul2, __mul) __HD_OP2V(__hadd2_rn, __add) __HD_OP2V(__hsub2_rn, __sub)
			__HD_OP2V(__hmul2_rn, __mul) __HD_HD __HD_T2
	__h2div(const __HD_T2 __a, const __HD_T2 __b)
{
	unsigned int __x = __HD_S::__bits(__a), __y = __HD_S::__bits(__b);
	return __HD_S::__mk2(__HD_S::__from2(__HD_S::__to_lo(__x) / __HD_S::__to_lo(__y),
					     __HD_S::__to_hi(__x) / __HD_S::__to_hi(__y)));
}
__HD_HD __HD_T __hfma(const __HD_T __a, const __HD_T __b, const __HD_T __c)
{
	return __HD_S::__mk(__HD_S::__fma(__a.__x, __b.__x, __c.__x));
}
__HD_HD __HD_T2 __hfma2(const __HD_T2 __a, const __HD_T2 __b, const __HD_T2 __c)
{
	return __HD_S::__mk2(
		__HD_S::__fma2(__HD_S::__bits(__a), __HD_S::__bits(__b), __HD_S::__bits(__c)));
}
#define __HD_SAT(__n, __e)                                                                         \
	__HD_HD __HD_T __h##__n##_sat(const __HD_T __a, const __HD_T __b)                          \
	{                                                                                          \
		return __HD_S::__mk(__HD_S::__e##_sat(__a.__x, __b.__x));                          \
	}                                                                                          \
	__HD_HD __HD_T2 __h##__n##2_sat(const __HD_T2 __a, const __HD_T2 __b)                      \
	{                                                                                          \
		return __HD_S::__mk2(                                                              \
			__HD_S::__e##_sat2(__HD_S::__bits(__a), __HD_S::__bits(__b)));             \
	}
__HD_SAT(add, __add)
__HD_SAT(sub, __sub)
__HD_SAT(mul, __mul)
#undef __HD_SAT
#define __HD_FMA(__n)                                                                              \
	__HD_HD __HD_T __hfma_##__n(const __HD_T __a, const __HD_T __b, const __HD_T __c)          \
	{                                                                                          \
		return __HD_S::__mk(__HD_S::__fma_##__n(__a.__x, __b.__x, __c.__x));               \
	}                                                                                          \
	__HD_HD __HD_T2 __hfma2_##__n(const __HD_T2 __a, const __HD_T2 __b, const __HD_T2 __c)     \
	{                                                                                          \
		return __HD_S::__mk2(__HD_S::__fma_##__n##2(                                       \
			__HD_S::__bits(__a), __HD_S::__bits(__b), __HD_S::__bits(__c)));           \
	}
__HD_FMA(sat)
__HD_FMA(relu)
#undef __HD_FMA
	__HD_HD __HD_T2 __hcmadd(const __HD_T2 __a, const __HD_T2 __b, const __HD_T2 __c)
{
	__HD_T __re = __hfma(__a.x, __b.x, __c.x), __im = __hfma(__a.x, __b.y, __c.y);
	return __HD_T2(__hfma(__HD_S::__mk(__HD_S::__neg(__a.y.__x)), __b.y, __re),
		       __hfma(__a.y, __b.x, __im));
}
__HD_HD __HD_T __hneg(const __HD_T __a) { return __HD_S::__mk(__HD_S::__neg(__a.__x)); }
__HD_HD __HD_T __habs(const __HD_T __a) { return __HD_S::__mk(__HD_S::__abs(__a.__x)); }
__HD_HD __HD_T2 __hneg2(const __HD_T2 __a)
{
	return __HD_S::__mk2(__HD_S::__neg2(__HD_S::__bits(__a)));
}
__HD_HD __HD_T2 __habs2(const __HD_T2 __a)
{
	return __HD_S::__mk2(__HD_S::__abs2(__HD_S::__bits(__a)));
}

/* Comparison. The pairs give 1.0 or 0, a mask, or whether both hold. */
__HD_HD bool __hisnan(const __HD_T __a) { return (__a.__x & 0x7fff) > __HD_S::__inf; }
__HD_HD int __hisinf(const __HD_T __a)
{
	return (__a.__x & 0x7fff) == __HD_S::__inf ? (__a.__x >> 15 ? -1 : 1) : 0;
}
__HD_HD __HD_T2 __hisnan2(const __HD_T2 __a)
{
	return __HD_T2(__HD_S::__mk(__hisnan(__a.x) ? __HD_S::__one : 0),
		       __HD_S::__mk(__hisnan(__a.y) ? __HD_S::__one : 0));
}
#define __HD_CMP(__n, __op)                                                                        \
	__HD_HD bool __h##__n(const __HD_T __a, const __HD_T __b)                                  \
	{                                                                                          \
		return __HD_S::__to(__a.__x) __op __HD_S::__to(__b.__x);                           \
	}                                                                                          \
	__HD_CMP2(__n)
#define __HD_CMPU(__n, __inv)                                                                      \
	__HD_HD bool __h##__n(const __HD_T __a, const __HD_T __b)                                  \
	{                                                                                          \
		return !(__HD_S::__to(__a.__x) __inv __HD_S::__to(__b.__x));                       \
	}                                                                                          \
	__HD_CMP2(__n)
#define __HD_CMP2(__n)                                                                             \
	__HD_HD __HD_T2 __h##__n##2(const __HD_T2 __a, const __HD_T2 __b)                          \
	{                                                                                          \
		return __HD_S::__mk2(                                                              \
			__HD_S::__##__n##_ones(__HD_S::__bits(__a), __HD_S::__bits(__b)));         \
	}                                                                                          \
	__HD_HD unsigned int __h##__n##2_mask(const __HD_T2 __a, const __HD_T2 __b)                \
	{                                                                                          \
		return __HD_S::__##__n##_mask(__HD_S::__bits(__a), __HD_S::__bits(__b));           \
	}                                                                                          \
	__HD_HD bool __hb##__n##2(const __HD_T2 __a, const __HD_T2 __b)                            \
	{                                                                                          \
		return __HD_S::__##__n##_mask(__HD_S::__bits(__a), __HD_S::__bits(__b)) ==         \
		       0xffffffffu;                                                                \
	}
__HD_CMP(eq, ==)
__HD_CMP(le, <=)
__HD_CMP(ge, >=)
__HD_CMP(lt, <) __HD_CMP(gt, >) __HD_HD bool __hne(const __HD_T __a, const __HD_T __b)
{
	float __x = __HD_S::__to(__a.__x), __y = __HD_S::__to(__b.__x);
	return __x < __y || __x > __y;
}
__HD_CMP2(ne)
__HD_HD bool __hequ(const __HD_T __a, const __HD_T __b) { return !__hne(__a, __b); }
__HD_CMP2(equ)
__HD_CMPU(neu, ==)
__HD_CMPU(leu, >)
__HD_CMPU(geu, <)
__HD_CMPU(ltu, >=) __HD_CMPU(gtu, <=)
#undef __HD_CMP
#undef __HD_CMPU
#undef __HD_CMP2
	__HD_OP2(__hmax, __max) __HD_OP2(__hmin, __min) __HD_OP2(__hmax_nan, __max_nan)
		__HD_OP2(__hmin_nan, __min_nan) __HD_OP2V(__hmax2, __max)
			__HD_OP2V(__hmin2, __min) __HD_HD __HD_T2
	__hmax2_nan(const __HD_T2 __a, const __HD_T2 __b)
{
	return __HD_S::__mk2(__HD_S::__max_nan2(__HD_S::__bits(__a), __HD_S::__bits(__b)));
}
__HD_HD __HD_T2 __hmin2_nan(const __HD_T2 __a, const __HD_T2 __b)
{
	return __HD_S::__mk2(__HD_S::__min_nan2(__HD_S::__bits(__a), __HD_S::__bits(__b)));
}

/* Operators. */
#define __HD_BIN(__op, __f)                                                                        \
	__HD_HD __HD_T operator __op(const __HD_T &__a, const __HD_T &__b)                         \
	{                                                                                          \
		return __h##__f(__a, __b);                                                         \
	}                                                                                          \
	__HD_HD __HD_T &operator __op##=(__HD_T &__a, const __HD_T &__b)                           \
	{                                                                                          \
		__a = __h##__f(__a, __b);                                                          \
		return __a;                                                                        \
	}                                                                                          \
	__HD_HD __HD_T2 operator __op(const __HD_T2 &__a, const __HD_T2 &__b)                      \
	{                                                                                          \
		return __HD_BIN2_##__f(__a, __b);                                                  \
	}                                                                                          \
	__HD_HD __HD_T2 &operator __op##=(__HD_T2 &__a, const __HD_T2 &__b)                        \
	{                                                                                          \
		__a = __HD_BIN2_##__f(__a, __b);                                                   \
		return __a;                                                                        \
	}
#define __HD_BIN2_add __hadd2
#define __HD_BIN2_sub __hsub2
#define __HD_BIN2_mul __hmul2
#define __HD_BIN2_div __h2div
__HD_BIN(+, add)
__HD_BIN(-, sub)
__HD_BIN(*, mul)
__HD_BIN(/, div)
#undef __HD_BIN
#undef __HD_BIN2_add
#undef __HD_BIN2_sub
#undef __HD_BIN2_mul
#undef __HD_BIN2_div
	__HD_HD __HD_T
	operator+(const __HD_T &__a)
{
	return __a;
}
__HD_HD __HD_T operator-(const __HD_T &__a) { return __hneg(__a); }
__HD_HD __HD_T2 operator+(const __HD_T2 &__a) { return __a; }
__HD_HD __HD_T2 operator-(const __HD_T2 &__a) { return __hneg2(__a); }
__HD_HD __HD_T &operator++(__HD_T &__a)
{
	__a = __hadd(__a, __HD_S::__mk(__HD_S::__one));
	return __a;
}
__HD_HD __HD_T &operator--(__HD_T &__a)
{
	__a = __hsub(__a, __HD_S::__mk(__HD_S::__one));
	return __a;
}
__HD_HD __HD_T operator++(__HD_T &__a, int)
{
	__HD_T __r = __a;
	++__a;
	return __r;
}
__HD_HD __HD_T operator--(__HD_T &__a, int)
{
	__HD_T __r = __a;
	--__a;
	return __r;
}
#define __HD_REL(__op, __n)                                                                        \
	__HD_HD bool operator __op(const __HD_T &__a, const __HD_T &__b)                           \
	{                                                                                          \
		return __h##__n(__a, __b);                                                         \
	}                                                                                          \
	__HD_HD bool operator __op(const __HD_T2 &__a, const __HD_T2 &__b)                         \
	{                                                                                          \
		return __hb##__n##2(__a, __b);                                                     \
	}
__HD_REL(==, eq)
__HD_REL(!=, neu)
__HD_REL(<, lt)
__HD_REL(<=, le) __HD_REL(>, gt) __HD_REL(>=, ge)
#undef __HD_REL

/* Functions: bits to bits in the type's namespace. */
#define __HD_FN(__n)                                                                               \
	__HD_HD __HD_T h##__n(const __HD_T __h)                                                    \
	{                                                                                          \
		return __HD_S::__mk(__HD_S::__fn_##__n(__h.__x));                                  \
	}                                                                                          \
	__HD_HD __HD_T2 h2##__n(const __HD_T2 __h)                                                 \
	{                                                                                          \
		return __HD_S::__mk2(__HD_S::__fn_##__n##2(__HD_S::__bits(__h)));                  \
	}
	__HD_FN(trunc) __HD_FN(ceil) __HD_FN(floor) __HD_FN(rint) __HD_FN(sqrt) __HD_FN(rcp)
#if defined(__CUDA__)
		__HD_FN(rsqrt) __HD_FN(sin) __HD_FN(cos) __HD_FN(exp) __HD_FN(exp2) __HD_FN(exp10)
			__HD_FN(log) __HD_FN(log2) __HD_FN(log10) __HD_FN(tanh)
#endif
#undef __HD_FN

#if defined(__CUDA__)
/*
 * Shuffles and loads. CUDA 11 has none for bfloat16 before sm_80, and programs define their own
 * there; as templates, Heddle's yield to those.
 */
#if defined(__HD_YIELDS)
#define __HD_DY template <int = 0> __HD_D
#else
#define __HD_DY __HD_D
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
#define __HD_SH(__n, __ot)                                                                         \
	__HD_DY __HD_T __n(unsigned int __m, __HD_T __v, __ot __o, int __w = 32)                   \
	{                                                                                          \
		return __HD_S::__mk((unsigned short)::__n(__m, (unsigned int)__v.__x, __o, __w));  \
	}                                                                                          \
	__HD_DY __HD_T2 __n(unsigned int __m, __HD_T2 __v, __ot __o, int __w = 32)                 \
	{                                                                                          \
		return __HD_S::__mk2(::__n(__m, __HD_S::__bits(__v), __o, __w));                   \
	}
				__HD_SH(__shfl_sync, int) __HD_SH(__shfl_xor_sync, int) __HD_SH(
					__shfl_up_sync, unsigned int) __HD_SH(__shfl_down_sync,
									      unsigned int)
#undef __HD_SH
#endif
#define __HD_LD(__n)                                                                               \
	__HD_DY __HD_T __n(const __HD_T *__p)                                                      \
	{                                                                                          \
		return __HD_S::__mk(::__n((const unsigned short *)__p));                           \
	}                                                                                          \
	__HD_DY __HD_T2 __n(const __HD_T2 *__p)                                                    \
	{                                                                                          \
		return __HD_S::__mk2(::__n((const unsigned int *)__p));                            \
	}
					__HD_LD(__ldg) __HD_LD(__ldcg) __HD_LD(__ldca)
						__HD_LD(__ldcs) __HD_LD(__ldlu) __HD_LD(__ldcv)
#undef __HD_LD
#define __HD_ST(__n)                                                                               \
	__HD_DY void __n(__HD_T *__p, const __HD_T __v) { ::__n((unsigned short *)__p, __v.__x); } \
	__HD_DY void __n(__HD_T2 *__p, const __HD_T2 __v)                                          \
	{                                                                                          \
		::__n((unsigned int *)__p, __HD_S::__bits(__v));                                   \
	}
							__HD_ST(__stwb) __HD_ST(__stcg)
								__HD_ST(__stcs) __HD_ST(__stwt)
#undef __HD_ST
#undef __HD_DY
#endif

#undef __HD_OP2
#undef __HD_OP2V
#undef __HD_CAT
#undef __HD_CAT_
#undef __HD_CAT4
#undef __HD_CAT4_
#undef __HD_T
#undef __HD_T2
#undef __HD_RAW
#undef __HD_RAW2
#undef __HD_N
#undef __HD_N2
#undef __HD_S
#undef __HD_OTHER
