/* The functions for dynamic programming ("DPX"): sums, minima and maxima of two and three values in
 * one call, of 32-bit numbers and of the two 16-bit halves of a word; "relu" raises negative
 * results to 0. Sums wrap around. For host and device. */
#ifndef HEDDLE_DPX_H
#define HEDDLE_DPX_H

#define __HD_DPX static __inline__ __host__ __device__ __attribute__((unused))

/* Operations of the functions on one number; __T is its type. */
#define __HD_MAX(__T, __a, __b) ((__T)(__a) > (__T)(__b) ? (__T)(__a) : (__T)(__b))
#define __HD_MIN(__T, __a, __b) ((__T)(__a) < (__T)(__b) ? (__T)(__a) : (__T)(__b))
#define __HD_ADD(__T, __a, __b) ((__T)((unsigned)(__a) + (unsigned)(__b)))
/* The two halves of a word. */
#define __HD_LO(__a) ((unsigned short)(__a))
#define __HD_HI(__a) ((unsigned short)((__a) >> 16))
#define __HD_BOTH(__lo, __hi) \
	((unsigned int)(unsigned short)(__lo) | (unsigned int)(unsigned short)(__hi) << 16)

/* Defines name(a, b, c) with value __V, and its form for both halves; __R and __T: types of the
 * 32-bit and 16-bit numbers. */
#define __HD_THREE(__name, __R, __T, __s, __V)                                                     \
	__HD_DPX __R __name##__s##32(const __R __a, const __R __b, const __R __c)                  \
	{                                                                                          \
		return __V(__R, __a, __b, __c);                                                    \
	}                                                                                          \
	__HD_DPX unsigned int __name##__s##16x2(const unsigned int __a, const unsigned int __b,    \
		const unsigned int __c)                                                            \
	{                                                                                          \
		return __HD_BOTH(__V(__T, __HD_LO(__a), __HD_LO(__b), __HD_LO(__c)),               \
			__V(__T, __HD_HI(__a), __HD_HI(__b), __HD_HI(__c)));                       \
	}
#define __HD_THREE_RELU(__name, __V)                                                               \
	__HD_DPX int __name##s32_relu(const int __a, const int __b, const int __c)                 \
	{                                                                                          \
		return __HD_MAX(int, __V(int, __a, __b, __c), 0);                                  \
	}                                                                                          \
	__HD_DPX unsigned int __name##s16x2_relu(const unsigned int __a, const unsigned int __b,   \
		const unsigned int __c)                                                            \
	{                                                                                          \
		return __HD_BOTH(                                                                  \
			__HD_MAX(short, __V(short, __HD_LO(__a), __HD_LO(__b), __HD_LO(__c)), 0),  \
			__HD_MAX(short, __V(short, __HD_HI(__a), __HD_HI(__b), __HD_HI(__c)), 0)); \
	}
#define __HD_FAMILY(__name, __V)                                                                   \
	__HD_THREE(__name, int, short, s, __V)                                                     \
	__HD_THREE(__name, unsigned int, unsigned short, u, __V)                                   \
	__HD_THREE_RELU(__name, __V)

#define __HD_MAX3(__T, __a, __b, __c) __HD_MAX(__T, __HD_MAX(__T, __a, __b), __c)
#define __HD_MIN3(__T, __a, __b, __c) __HD_MIN(__T, __HD_MIN(__T, __a, __b), __c)
#define __HD_ADDMAX(__T, __a, __b, __c) __HD_MAX(__T, __HD_ADD(__T, __a, __b), __c)
#define __HD_ADDMIN(__T, __a, __b, __c) __HD_MIN(__T, __HD_ADD(__T, __a, __b), __c)
__HD_FAMILY(__vimax3_, __HD_MAX3)
__HD_FAMILY(__vimin3_, __HD_MIN3)
__HD_FAMILY(__viaddmax_, __HD_ADDMAX)
__HD_FAMILY(__viaddmin_, __HD_ADDMIN)

/* Functions of two values, with a result of at least 0. */
#define __HD_RELU(__name, __V)                                                                     \
	__HD_DPX int __name##s32_relu(const int __a, const int __b)                                \
	{                                                                                          \
		return __HD_MAX(int, __V(int, __a, __b), 0);                                       \
	}                                                                                          \
	__HD_DPX unsigned int __name##s16x2_relu(const unsigned int __a, const unsigned int __b)   \
	{                                                                                          \
		return __HD_BOTH(__HD_MAX(short, __V(short, __HD_LO(__a), __HD_LO(__b)), 0),       \
			__HD_MAX(short, __V(short, __HD_HI(__a), __HD_HI(__b)), 0));               \
	}
__HD_RELU(__vimax_, __HD_MAX)
__HD_RELU(__vimin_, __HD_MIN)

/* Functions of two values that also report whether the result is the first value, or both are
 * equal. */
#define __HD_CHOICE(__name, __R, __T, __s, __op)                                                   \
	__HD_DPX __R __name##__s##32(const __R __a, const __R __b, bool *const __first)            \
	{                                                                                          \
		*__first = __a __op __b;                                                           \
		return *__first ? __a : __b;                                                       \
	}                                                                                          \
	__HD_DPX unsigned int __name##__s##16x2(const unsigned int __a, const unsigned int __b,    \
		bool *const __first_hi, bool *const __first_lo)                                    \
	{                                                                                          \
		*__first_hi = (__T)__HD_HI(__a) __op(__T) __HD_HI(__b);                            \
		*__first_lo = (__T)__HD_LO(__a) __op(__T) __HD_LO(__b);                            \
		return __HD_BOTH(*__first_lo ? __HD_LO(__a) : __HD_LO(__b),                        \
			*__first_hi ? __HD_HI(__a) : __HD_HI(__b));                                \
	}
__HD_CHOICE(__vibmax_, int, short, s, >=)
__HD_CHOICE(__vibmax_, unsigned int, unsigned short, u, >=)
__HD_CHOICE(__vibmin_, int, short, s, <=)
__HD_CHOICE(__vibmin_, unsigned int, unsigned short, u, <=)

#undef __HD_DPX
#undef __HD_MAX
#undef __HD_MIN
#undef __HD_ADD
#undef __HD_LO
#undef __HD_HI
#undef __HD_BOTH
#undef __HD_THREE
#undef __HD_THREE_RELU
#undef __HD_FAMILY
#undef __HD_MAX3
#undef __HD_MIN3
#undef __HD_ADDMAX
#undef __HD_ADDMIN
#undef __HD_RELU
#undef __HD_CHOICE

#endif
