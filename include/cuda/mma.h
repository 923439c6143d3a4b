/* Warp matrix functions: fragments, loads, stores and the multiply-accumulate of wmma. */
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

#if defined(__cplusplus) && defined(__CUDA__) && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700)
namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision { struct tf32 {}; }
namespace experimental {
namespace precision { struct u4 {}; struct s4 {}; struct b1 {}; }
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}

template <class __T, int __n> struct __frag_base {
	enum { num_elements = __n };
	enum { num_storage_elements = __n };
	typedef __T element_type;
	typedef __T storage_element_type;
	__T x[__n];
};
template <class __Use, int __m, int __n, int __k, class __T, class __Layout = void> class fragment;

#define __HD_W static __device__ __HD_INLINE __attribute__((unused))
#define __HD_FRAG(__use, __m, __n, __k, __t, __lay, __st, __cnt) \
template <> class fragment<__use, __m, __n, __k, __t, __lay> : public __frag_base<__st, __cnt> {};
#define __HD_FRAGAB(__m, __n, __k, __t, __st, __ca, __cb) \
__HD_FRAG(matrix_a, __m, __n, __k, __t, row_major, __st, __ca) __HD_FRAG(matrix_a, __m, __n, __k, __t, col_major, __st, __ca) \
__HD_FRAG(matrix_b, __m, __n, __k, __t, row_major, __st, __cb) __HD_FRAG(matrix_b, __m, __n, __k, __t, col_major, __st, __cb)
#define __HD_ACC(__m, __n, __k, __t, __cnt) \
template <> class fragment<accumulator, __m, __n, __k, __t, void> : public __frag_base<__t, __cnt> {};
#define __HD_SHAPES(__do) __do(16, 16, 16) __do(32, 8, 16) __do(8, 32, 16)
#define __HD_F16(__m, __n, __k) __HD_FRAGAB(__m, __n, __k, __half, __half, 16, 16) \
	__HD_ACC(__m, __n, __k, __half, 8) __HD_ACC(__m, __n, __k, float, 8) __HD_ACC(__m, __n, __k, int, 8)
__HD_SHAPES(__HD_F16)
__HD_FRAGAB(16, 16, 16, signed char, signed char, 8, 8) __HD_FRAGAB(16, 16, 16, unsigned char, unsigned char, 8, 8)
__HD_FRAGAB(32, 8, 16, signed char, signed char, 16, 4) __HD_FRAGAB(32, 8, 16, unsigned char, unsigned char, 16, 4)
__HD_FRAGAB(8, 32, 16, signed char, signed char, 4, 16) __HD_FRAGAB(8, 32, 16, unsigned char, unsigned char, 4, 16)
__HD_FRAGAB(16, 16, 16, __nv_bfloat16, __nv_bfloat16, 8, 8)
__HD_FRAGAB(32, 8, 16, __nv_bfloat16, __nv_bfloat16, 16, 4)
__HD_FRAGAB(8, 32, 16, __nv_bfloat16, __nv_bfloat16, 4, 16)
__HD_FRAGAB(16, 16, 8, precision::tf32, float, 4, 4)
__HD_ACC(16, 16, 8, float, 8)
__HD_FRAG(matrix_a, 8, 8, 4, double, row_major, double, 1) __HD_FRAG(matrix_a, 8, 8, 4, double, col_major, double, 1)
__HD_FRAG(matrix_b, 8, 8, 4, double, row_major, double, 1) __HD_FRAG(matrix_b, 8, 8, 4, double, col_major, double, 1)
__HD_ACC(8, 8, 4, double, 2)
/* Elements smaller than a byte: eight or thirty-two in one register, a by rows and b by columns. */
#define __HD_FRAGSUB(__use, __k, __t, __lay, __st, __cnt) \
template <> class fragment<__use, 8, 8, __k, experimental::precision::__t, __lay> : public __frag_base<__st, 1> \
{ public: enum { num_elements = __cnt }; typedef experimental::precision::__t element_type; };
#define __HD_FRAGSUB2(__k, __t, __st, __cnt) \
__HD_FRAGSUB(matrix_a, __k, __t, row_major, __st, __cnt) __HD_FRAGSUB(matrix_b, __k, __t, col_major, __st, __cnt)
__HD_FRAGSUB2(32, u4, unsigned int, 8) __HD_FRAGSUB2(32, s4, int, 8) __HD_FRAGSUB2(128, b1, unsigned int, 32)
__HD_ACC(8, 8, 32, int, 2) __HD_ACC(8, 8, 128, int, 2)
#undef __HD_FRAGSUB
#undef __HD_FRAGSUB2
#undef __HD_F16
#undef __HD_FRAG
#undef __HD_FRAGAB
#undef __HD_ACC

template <class __T, int __n, class __V> __HD_W void fill_fragment(__frag_base<__T, __n> &__f, const __V &__v)
{
#pragma unroll
	for (int __i = 0; __i < __n; __i++)
		__f.x[__i] = __T(__v);
}

/* Register lists: text, outputs and inputs of 1, 2, 4 and 8 registers starting at operand 0. */
#define __HD_OUT1(__c, __r) "=" __c(__r[0])
#define __HD_OUT2(__c, __r) __HD_OUT1(__c, __r), "=" __c(__r[1])
#define __HD_OUT4(__c, __r) __HD_OUT2(__c, __r), "=" __c(__r[2]), "=" __c(__r[3])
#define __HD_OUT8(__c, __r) __HD_OUT4(__c, __r), "=" __c(__r[4]), "=" __c(__r[5]), "=" __c(__r[6]), "=" __c(__r[7])
#define __HD_IN1(__c, __r) __c(__r[0])
#define __HD_IN2(__c, __r) __HD_IN1(__c, __r), __c(__r[1])
#define __HD_IN4(__c, __r) __HD_IN2(__c, __r), __c(__r[2]), __c(__r[3])
#define __HD_IN8(__c, __r) __HD_IN4(__c, __r), __c(__r[4]), __c(__r[5]), __c(__r[6]), __c(__r[7])
#define __HD_T1 "{%0}, [%1], %2;"
#define __HD_T2_ "{%0, %1}, [%2], %3;"
#define __HD_T4 "{%0, %1, %2, %3}, [%4], %5;"
#define __HD_T8 "{%0, %1, %2, %3, %4, %5, %6, %7}, [%8], %9;"
#define __HD_T2 __HD_T2_
#define __HD_S2 "[%0], {%2, %3}, %1;"
#define __HD_S4 "[%0], {%2, %3, %4, %5}, %1;"
#define __HD_S8 "[%0], {%2, %3, %4, %5, %6, %7, %8, %9}, %1;"

/* Loads of a and b. */
#define __HD_LOAD(__use, __l, __m, __n, __k, __t, __pt, __ptx, __lay, __ls, __cnt, __rt, __c) \
__HD_W void load_matrix_sync(fragment<__use, __m, __n, __k, __t, __lay> &__f, const __pt *__p, unsigned int __ld) \
{ __rt __r[__cnt]; \
	asm volatile("wmma.load." __l ".sync.aligned." __ls ".m" #__m "n" #__n "k" #__k "." __ptx " " __HD_T##__cnt \
		: __HD_OUT##__cnt(__c, __r) : "l"(__p), "r"(__ld) : "memory"); \
	__builtin_memcpy(__f.x, __r, sizeof(__r)); }
#define __HD_LOADS(__m, __n, __k, __t, __pt, __ptx, __ca, __cb, __rt, __c) \
__HD_LOAD(matrix_a, "a", __m, __n, __k, __t, __pt, __ptx, row_major, "row", __ca, __rt, __c) \
__HD_LOAD(matrix_a, "a", __m, __n, __k, __t, __pt, __ptx, col_major, "col", __ca, __rt, __c) \
__HD_LOAD(matrix_b, "b", __m, __n, __k, __t, __pt, __ptx, row_major, "row", __cb, __rt, __c) \
__HD_LOAD(matrix_b, "b", __m, __n, __k, __t, __pt, __ptx, col_major, "col", __cb, __rt, __c)
#define __HD_R32 unsigned int, "r"
#define __HD_LOADS_(...) __HD_LOADS(__VA_ARGS__)
__HD_LOADS_(16, 16, 16, __half, __half, "f16", 8, 8, __HD_R32)
__HD_LOADS_(32, 8, 16, __half, __half, "f16", 8, 8, __HD_R32)
__HD_LOADS_(8, 32, 16, __half, __half, "f16", 8, 8, __HD_R32)
__HD_LOADS_(16, 16, 16, signed char, signed char, "s8", 2, 2, __HD_R32)
__HD_LOADS_(32, 8, 16, signed char, signed char, "s8", 4, 1, __HD_R32)
__HD_LOADS_(8, 32, 16, signed char, signed char, "s8", 1, 4, __HD_R32)
__HD_LOADS_(16, 16, 16, unsigned char, unsigned char, "u8", 2, 2, __HD_R32)
__HD_LOADS_(32, 8, 16, unsigned char, unsigned char, "u8", 4, 1, __HD_R32)
__HD_LOADS_(8, 32, 16, unsigned char, unsigned char, "u8", 1, 4, __HD_R32)
__HD_LOADS_(16, 16, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 4, 4, __HD_R32)
__HD_LOADS_(32, 8, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 8, 2, __HD_R32)
__HD_LOADS_(8, 32, 16, __nv_bfloat16, __nv_bfloat16, "bf16", 2, 8, __HD_R32)
__HD_LOADS_(16, 16, 8, precision::tf32, float, "tf32", 4, 4, __HD_R32)
__HD_LOADS_(8, 8, 4, double, double, "f64", 1, 1, double, "d")
#define __HD_LOADSUB(__k, __t) \
__HD_LOAD(matrix_a, "a", 8, 8, __k, experimental::precision::__t, void, #__t, row_major, "row", 1, unsigned int, "r") \
__HD_LOAD(matrix_b, "b", 8, 8, __k, experimental::precision::__t, void, #__t, col_major, "col", 1, unsigned int, "r")
__HD_LOADSUB(32, u4) __HD_LOADSUB(32, s4) __HD_LOADSUB(128, b1)
#undef __HD_LOADSUB

/* Loads and stores of accumulators, whose layout is an argument. */
#define __HD_ACC(__m, __n, __k, __t, __ptx, __cnt, __rt, __c) \
__HD_W void load_matrix_sync(fragment<accumulator, __m, __n, __k, __t> &__f, const __t *__p, unsigned int __ld, layout_t __lay) \
{ __rt __r[__cnt]; \
	if (__lay == mem_row_major) \
		asm volatile("wmma.load.c.sync.aligned.row.m" #__m "n" #__n "k" #__k "." __ptx " " __HD_T##__cnt \
			: __HD_OUT##__cnt(__c, __r) : "l"(__p), "r"(__ld) : "memory"); \
	else \
		asm volatile("wmma.load.c.sync.aligned.col.m" #__m "n" #__n "k" #__k "." __ptx " " __HD_T##__cnt \
			: __HD_OUT##__cnt(__c, __r) : "l"(__p), "r"(__ld) : "memory"); \
	__builtin_memcpy(__f.x, __r, sizeof(__r)); } \
__HD_W void store_matrix_sync(__t *__p, const fragment<accumulator, __m, __n, __k, __t> &__f, unsigned int __ld, layout_t __lay) \
{ __rt __r[__cnt]; \
	__builtin_memcpy(__r, __f.x, sizeof(__r)); \
	if (__lay == mem_row_major) \
		asm volatile("wmma.store.d.sync.aligned.row.m" #__m "n" #__n "k" #__k "." __ptx " " __HD_S##__cnt \
			:: "l"(__p), "r"(__ld), __HD_IN##__cnt(__c, __r) : "memory"); \
	else \
		asm volatile("wmma.store.d.sync.aligned.col.m" #__m "n" #__n "k" #__k "." __ptx " " __HD_S##__cnt \
			:: "l"(__p), "r"(__ld), __HD_IN##__cnt(__c, __r) : "memory"); }
#define __HD_ACCS(__m, __n, __k) \
__HD_ACC(__m, __n, __k, __half, "f16", 4, unsigned int, "r") __HD_ACC(__m, __n, __k, float, "f32", 8, float, "f") \
__HD_ACC(__m, __n, __k, int, "s32", 8, int, "r")
__HD_SHAPES(__HD_ACCS)
__HD_ACC(16, 16, 8, float, "f32", 8, float, "f")
__HD_ACC(8, 8, 4, double, "f64", 2, double, "d")
__HD_ACC(8, 8, 32, int, "s32", 2, int, "r")
__HD_ACC(8, 8, 128, int, "s32", 2, int, "r")

/* Multiply and accumulate: the operand text for each combination of register counts d, a, b, c. */
#define __HD_M8888 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, {%24,%25,%26,%27,%28,%29,%30,%31};"
#define __HD_M8884 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23}, {%24,%25,%26,%27};"
#define __HD_M4888 "{%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19}, {%20,%21,%22,%23,%24,%25,%26,%27};"
#define __HD_M4884 "{%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19}, {%20,%21,%22,%23};"
#define __HD_M8228 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19};"
#define __HD_M8418 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12}, {%13,%14,%15,%16,%17,%18,%19,%20};"
#define __HD_M8148 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8}, {%9,%10,%11,%12}, {%13,%14,%15,%16,%17,%18,%19,%20};"
#define __HD_M8448 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19,%20,%21,%22,%23};"
#define __HD_M8828 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9,%10,%11,%12,%13,%14,%15}, {%16,%17}, {%18,%19,%20,%21,%22,%23,%24,%25};"
#define __HD_M8288 "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13,%14,%15,%16,%17}, {%18,%19,%20,%21,%22,%23,%24,%25};"
#define __HD_M2112 "{%0,%1}, {%2}, {%3}, {%4,%5};"
#define __HD_MMA(__m, __n, __k, __t, __la, __lb, __sa, __sb, __td, __tc, __types, __nd, __na, __nb, __nc, __rd, __cd, __ra, __ca, __rc, __cc, __sat) \
__HD_W void mma_sync(fragment<accumulator, __m, __n, __k, __td> &__d, const fragment<matrix_a, __m, __n, __k, __t, __la> &__a, \
	const fragment<matrix_b, __m, __n, __k, __t, __lb> &__b, const fragment<accumulator, __m, __n, __k, __tc> &__c, bool __satf = false) \
{ __rd __qd[__nd]; __ra __qa[__na], __qb[__nb]; __rc __qc[__nc]; \
	__builtin_memcpy(__qa, __a.x, sizeof(__qa)); __builtin_memcpy(__qb, __b.x, sizeof(__qb)); __builtin_memcpy(__qc, __c.x, sizeof(__qc)); \
	if (__satf) \
		asm volatile("wmma.mma.sync.aligned." __sa "." __sb ".m" #__m "n" #__n "k" #__k "." __types __sat " " __HD_M##__nd##__na##__nb##__nc \
			: __HD_OUT##__nd(__cd, __qd) : __HD_IN##__na(__ca, __qa), __HD_IN##__nb(__ca, __qb), __HD_IN##__nc(__cc, __qc)); \
	else \
		asm volatile("wmma.mma.sync.aligned." __sa "." __sb ".m" #__m "n" #__n "k" #__k "." __types " " __HD_M##__nd##__na##__nb##__nc \
			: __HD_OUT##__nd(__cd, __qd) : __HD_IN##__na(__ca, __qa), __HD_IN##__nb(__ca, __qb), __HD_IN##__nc(__cc, __qc)); \
	__builtin_memcpy(__d.x, __qd, sizeof(__qd)); }
#define __HD_MMA4(__m, __n, __k, __t, ...) \
__HD_MMA(__m, __n, __k, __t, row_major, row_major, "row", "row", __VA_ARGS__) \
__HD_MMA(__m, __n, __k, __t, row_major, col_major, "row", "col", __VA_ARGS__) \
__HD_MMA(__m, __n, __k, __t, col_major, row_major, "col", "row", __VA_ARGS__) \
__HD_MMA(__m, __n, __k, __t, col_major, col_major, "col", "col", __VA_ARGS__)
#define __HD_U unsigned int
#define __HD_MMAF16(__m, __n, __k) \
__HD_MMA4(__m, __n, __k, __half, float, float, "f32.f32", 8, 8, 8, 8, float, "f", __HD_U, "r", float, "f", ".satfinite") \
__HD_MMA4(__m, __n, __k, __half, float, __half, "f32.f16", 8, 8, 8, 4, float, "f", __HD_U, "r", __HD_U, "r", ".satfinite") \
__HD_MMA4(__m, __n, __k, __half, __half, float, "f16.f32", 4, 8, 8, 8, __HD_U, "r", __HD_U, "r", float, "f", ".satfinite") \
__HD_MMA4(__m, __n, __k, __half, __half, __half, "f16.f16", 4, 8, 8, 4, __HD_U, "r", __HD_U, "r", __HD_U, "r", ".satfinite")
__HD_SHAPES(__HD_MMAF16)
#define __HD_MMAI(__m, __n, __k, __a, __b) \
__HD_MMA4(__m, __n, __k, signed char, int, int, "s32.s8.s8.s32", 8, __a, __b, 8, int, "r", __HD_U, "r", int, "r", ".satfinite") \
__HD_MMA4(__m, __n, __k, unsigned char, int, int, "s32.u8.u8.s32", 8, __a, __b, 8, int, "r", __HD_U, "r", int, "r", ".satfinite")
__HD_MMAI(16, 16, 16, 2, 2)
__HD_MMAI(32, 8, 16, 4, 1)
__HD_MMAI(8, 32, 16, 1, 4)
#define __HD_MMAB(__m, __n, __k, __a, __b) \
__HD_MMA4(__m, __n, __k, __nv_bfloat16, float, float, "f32.bf16.bf16.f32", 8, __a, __b, 8, float, "f", __HD_U, "r", float, "f", "")
__HD_MMAB(16, 16, 16, 4, 4)
__HD_MMAB(32, 8, 16, 8, 2)
__HD_MMAB(8, 32, 16, 2, 8)
__HD_MMA4(16, 16, 8, precision::tf32, float, float, "f32.tf32.tf32.f32", 8, 4, 4, 8, float, "f", __HD_U, "r", float, "f", "")
__HD_MMA4(8, 8, 4, double, double, double, "f64.f64.f64.f64", 2, 1, 1, 2, double, "d", double, "d", double, "d", "")

#define __HD_MMASUB(__t, __types) __HD_MMA(8, 8, 32, experimental::precision::__t, row_major, col_major, "row", "col", int, int, \
	__types, 2, 1, 1, 2, int, "r", __HD_U, "r", int, "r", ".satfinite")
__HD_MMASUB(u4, "s32.u4.u4.s32")
__HD_MMASUB(s4, "s32.s4.s4.s32")
#undef __HD_MMASUB
#define __HD_BMMA(__op) \
	asm volatile("wmma.mma." __op ".popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 " __HD_M2112 \
		: __HD_OUT2("r", __d.x) : "r"(__a.x[0]), "r"(__b.x[0]), __HD_IN2("r", __c.x))
__HD_W void bmma_sync(fragment<accumulator, 8, 8, 128, int> &__d,
	const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &__a,
	const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &__b,
	const fragment<accumulator, 8, 8, 128, int> &__c, experimental::bmmaBitOp __op = experimental::bmmaBitOpXOR,
	experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
	if (__op == experimental::bmmaBitOpXOR)
		__HD_BMMA("xor");
	else
		__HD_BMMA("and");
}
#undef __HD_BMMA

__HD_W float __float_to_tf32(float __a)
{
	unsigned int __r;
	asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(__r) : "f"(__a));
	return __uint_as_float(__r);
}

#undef __HD_W
#undef __HD_U
#undef __HD_R32
#undef __HD_LOAD
#undef __HD_LOADS
#undef __HD_LOADS_
#undef __HD_ACC
#undef __HD_ACCS
#undef __HD_MMA
#undef __HD_MMA4
#undef __HD_MMAF16
#undef __HD_MMAI
#undef __HD_MMAB
#undef __HD_SHAPES
} /* namespace wmma */
} /* namespace nvcuda */
#endif

#endif
