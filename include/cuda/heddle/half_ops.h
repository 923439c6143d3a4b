/*
 * Operations on the bits of a 16-bit floating-point type: NAME on an element, NAME2 on a pair. The including header
 * defines __HD_S, the namespace, with __from(), __to(), __add(), __sub(), __mul(), __fma(), their pairs, and __inf and
 * __one, the floats __to_lo() and __to_hi() of a pair, and which operations are instructions:
 *   __HD_TYPE          the type's name in PTX
 *   __HD_HAS_SIGN      neg and abs
 *   __HD_HAS_MINMAX    min, max, min.NaN, max.NaN, fma.relu
 *   __HD_HAS_SAT       add.sat, sub.sat, mul.sat, fma.sat
 *   __HD_HAS_SET       comparisons of pairs
 * Operations without an instruction are computed from others here. No include guard: the file is included twice.
 */
#define __HD_BOTH2(__n)                                                                            \
	__HD_HD unsigned int __n##2(unsigned int __a, unsigned int __b)                            \
	{                                                                                          \
		__hd::__halves __x = __hd::__split(__a), __y = __hd::__split(__b);                 \
		return __hd::__pair(__n(__x.__lo, __y.__lo), __n(__x.__hi, __y.__hi));             \
	}
#define __HD_BOTH3(__n)                                                                            \
	__HD_HD unsigned int __n##2(unsigned int __a, unsigned int __b, unsigned int __c)          \
	{                                                                                          \
		__hd::__halves __x = __hd::__split(__a), __y = __hd::__split(__b),                 \
			       __z = __hd::__split(__c);                                           \
		return __hd::__pair(__n(__x.__lo, __y.__lo, __z.__lo),                             \
				    __n(__x.__hi, __y.__hi, __z.__hi));                            \
	}

namespace __HD_S
{
__HD_HD bool __isnan(unsigned short __a) { return (__a & 0x7fff) > __inf; }

#if defined(__HD_HAS_SIGN)
__HD_OPCODE1(__neg, "neg", __HD_TYPE)
__HD_OPCODE1(__abs, "abs", __HD_TYPE)
#else
__HD_HD unsigned short __neg(unsigned short __a) { return __a ^ 0x8000; }
__HD_HD unsigned int __neg2(unsigned int __a) { return __a ^ 0x80008000u; }
__HD_HD unsigned short __abs(unsigned short __a) { return __a & 0x7fff; }
__HD_HD unsigned int __abs2(unsigned int __a) { return __a & 0x7fff7fffu; }
#endif

#if defined(__HD_HAS_MINMAX)
__HD_OPCODE2(__max, "max", __HD_TYPE)
__HD_OPCODE2(__min, "min", __HD_TYPE)
__HD_OPCODE2(__max_nan, "max.NaN",
	     __HD_TYPE) __HD_OPCODE2(__min_nan, "min.NaN",
				     __HD_TYPE) __HD_OPCODE3(__fma_relu, "fma.rn.relu", __HD_TYPE)
#else
#if defined(__CUDA_ARCH__)
__HD_HD unsigned short __max(unsigned short __a, unsigned short __b)
{
	float __r;
	asm("max.f32 %0, %1, %2;" : "=f"(__r) : "f"(__to(__a)), "f"(__to(__b)));
	return __from(__r);
}
__HD_HD unsigned short __min(unsigned short __a, unsigned short __b)
{
	float __r;
	asm("min.f32 %0, %1, %2;" : "=f"(__r) : "f"(__to(__a)), "f"(__to(__b)));
	return __from(__r);
}
#else
__HD_HD unsigned short __max(unsigned short __a, unsigned short __b)
{
	if (__isnan(__a) || __isnan(__b))
		return __isnan(__a) && __isnan(__b) ? 0x7fff : __isnan(__a) ? __b : __a;
	return __to(__a) > __to(__b) || ((__a | __b) == 0x8000 && __a == 0) ? __a : __b;
}
__HD_HD unsigned short __min(unsigned short __a, unsigned short __b)
{
	if (__isnan(__a) || __isnan(__b))
		return __isnan(__a) && __isnan(__b) ? 0x7fff : __isnan(__a) ? __b : __a;
	return __to(__a) < __to(__b) || ((__a | __b) == 0x8000 && __a != 0) ? __a : __b;
}
#endif
__HD_HD unsigned short __max_nan(unsigned short __a, unsigned short __b)
{
	return __isnan(__a) || __isnan(__b) ? 0x7fff : __max(__a, __b);
}
__HD_HD unsigned short __min_nan(unsigned short __a, unsigned short __b)
{
	return __isnan(__a) || __isnan(__b) ? 0x7fff : __min(__a, __b);
}
__HD_HD unsigned short __fma_relu(unsigned short __a, unsigned short __b, unsigned short __c)
{
	return __max_nan(__fma(__a, __b, __c), 0);
}
__HD_BOTH2(__max)
__HD_BOTH2(__min)
__HD_BOTH2(__max_nan)
__HD_BOTH2(__min_nan) __HD_BOTH3(__fma_relu)
#endif

/* Results between 0 and 1; NaN becomes 0. */
#if defined(__HD_HAS_SAT)
	__HD_OPCODE2(__add_sat, "add.sat", __HD_TYPE) __HD_OPCODE2(__sub_sat, "sub.sat", __HD_TYPE)
		__HD_OPCODE2(__mul_sat, "mul.sat", __HD_TYPE)
			__HD_OPCODE3(__fma_sat, "fma.rn.sat", __HD_TYPE)
#else
	__HD_HD unsigned short __clamp(unsigned short __a)
{
	return __min(__max(__a, 0), __one);
}
__HD_HD unsigned int __clamp2(unsigned int __a) { return __min2(__max2(__a, 0), __one * 0x10001u); }
#define __HD_SAT2(__n)                                                                             \
	__HD_HD unsigned short __n##_sat(unsigned short __a, unsigned short __b)                   \
	{                                                                                          \
		return __clamp(__n(__a, __b));                                                     \
	}                                                                                          \
	__HD_HD unsigned int __n##_sat2(unsigned int __a, unsigned int __b)                        \
	{                                                                                          \
		return __clamp2(__n##2(__a, __b));                                                 \
	}
__HD_SAT2(__add)
__HD_SAT2(__sub)
__HD_SAT2(__mul)
#undef __HD_SAT2
__HD_HD unsigned short __fma_sat(unsigned short __a, unsigned short __b, unsigned short __c)
{
	return __clamp(__fma(__a, __b, __c));
}
__HD_HD unsigned int __fma_sat2(unsigned int __a, unsigned int __b, unsigned int __c)
{
	return __clamp2(__fma2(__a, __b, __c));
}
#endif

/* Comparisons of pairs: 1.0 or 0 for each element, all bits or none. Those with u hold for NaN. */
#if defined(__HD_HAS_SET)
#define __HD_SET(__n, __rel, __not)                                                                \
	__HD_HD unsigned int __##__n##_ones(unsigned int __a, unsigned int __b)                    \
	{                                                                                          \
		unsigned int __r;                                                                  \
		asm("set." #__n "." __HD_TYPE "x2." __HD_TYPE "x2 %0, %1, %2;"                     \
		    : "=r"(__r)                                                                    \
		    : "r"(__a), "r"(__b));                                                         \
		return __r;                                                                        \
	}                                                                                          \
	__HD_HD unsigned int __##__n##_mask(unsigned int __a, unsigned int __b)                    \
	{                                                                                          \
		unsigned int __r;                                                                  \
		asm("set." #__n ".u32." __HD_TYPE "x2 %0, %1, %2;"                                 \
		    : "=r"(__r)                                                                    \
		    : "r"(__a), "r"(__b));                                                         \
		return __r;                                                                        \
	}
#else
#define __HD_SET(__n, __rel, __not)                                                                \
	__HD_HD unsigned int __##__n##_mask(unsigned int __a, unsigned int __b)                    \
	{                                                                                          \
		float __c = __to_lo(__a), __d = __to_lo(__b), __e = __to_hi(__a),                  \
		      __f = __to_hi(__b);                                                          \
		return (__not(__c __rel __d) ? 0xffffu : 0) |                                      \
		       (__not(__e __rel __f) ? 0xffff0000u : 0);                                   \
	}                                                                                          \
	__HD_HD unsigned int __##__n##_ones(unsigned int __a, unsigned int __b)                    \
	{                                                                                          \
		return __##__n##_mask(__a, __b) & (__one * 0x10001u);                              \
	}
#endif
				__HD_SET(eq, ==, ) __HD_SET(le, <=, ) __HD_SET(ge, >=, )
					__HD_SET(lt, <, ) __HD_SET(gt, >, ) __HD_SET(neu, ==, !)
						__HD_SET(leu, >, !) __HD_SET(geu, <, !)
							__HD_SET(ltu, >=, !) __HD_SET(gtu, <=, !)
#if defined(__HD_HAS_SET)
								__HD_SET(ne, , ) __HD_SET(equ, , )
#else
__HD_HD unsigned int __ne_mask(unsigned int __a, unsigned int __b)
{
	float __c = __to_lo(__a), __d = __to_lo(__b), __e = __to_hi(__a), __f = __to_hi(__b);
	return (__builtin_islessgreater(__c, __d) ? 0xffffu : 0) |
	       (__builtin_islessgreater(__e, __f) ? 0xffff0000u : 0);
}
__HD_HD unsigned int __equ_mask(unsigned int __a, unsigned int __b) { return ~__ne_mask(__a, __b); }
__HD_HD unsigned int __ne_ones(unsigned int __a, unsigned int __b)
{
	return __ne_mask(__a, __b) & (__one * 0x10001u);
}
__HD_HD unsigned int __equ_ones(unsigned int __a, unsigned int __b)
{
	return __equ_mask(__a, __b) & (__one * 0x10001u);
}
#endif
#undef __HD_SET
} // namespace __HD_S
#undef __HD_BOTH2
#undef __HD_BOTH3
#undef __HD_TYPE
#undef __HD_HAS_SIGN
#undef __HD_HAS_MINMAX
#undef __HD_HAS_SAT
#undef __HD_HAS_SET
