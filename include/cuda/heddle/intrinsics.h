/* Warp shuffles, votes and matches, read-only and cache-hinted loads, funnel shifts, dot products. */
#ifndef HEDDLE_INTRINSICS_H
#define HEDDLE_INTRINSICS_H

#define __HD_DEV static __device__ __HD_INLINE __attribute__((unused))

/* Address spaces. */
__HD_DEV unsigned int __isGlobal(const void *__p) { return __nvvm_isspacep_global(__p); }
__HD_DEV unsigned int __isShared(const void *__p) { return __nvvm_isspacep_shared(__p); }
__HD_DEV unsigned int __isConstant(const void *__p) { return __nvvm_isspacep_const(__p); }
__HD_DEV unsigned int __isLocal(const void *__p) { return __nvvm_isspacep_local(__p); }
__HD_DEV unsigned int __isGridConstant(const void *) { return 0; }
#define __HD_CVTA(__n, __as) \
__HD_DEV size_t __cvta_generic_to_##__n(const void *__p) \
{ return (size_t)(__attribute__((address_space(__as))) void *)const_cast<void *>(__p); } \
__HD_DEV void *__cvta_##__n##_to_generic(size_t __a) \
{ return (void *)(__attribute__((address_space(__as))) void *)__a; }
__HD_CVTA(global, 1)
__HD_CVTA(shared, 3)
__HD_CVTA(constant, 4)
__HD_CVTA(local, 5)
#undef __HD_CVTA
__HD_DEV unsigned int __nvvm_get_smem_pointer(void *__p)
{
	return (unsigned int)__cvta_generic_to_shared(__p);
}
extern "C" __device__ inline size_t __nv_cvta_generic_to_shared_impl(const void *__p)
{
	return __cvta_generic_to_shared(__p);
}

/* The one approximate function that clang's headers lack. */
__HD_DEV float __tanhf(float __a) { return __nv_fast_tanhf(__a); }

/* Shuffles. Eight-byte values are exchanged in two halves. */
#define __HD_SHFL_T(__n, __par, __mask, __t) \
__HD_DEV __t __n(__par __t __v, __HD_SHFL_ARG __o, int __w = 32) \
{ return (__t)__n(__mask (int)__v, __o, __w); }
#define __HD_SHFL_T8(__n, __par, __mask, __t) \
__HD_DEV __t __n(__par __t __v, __HD_SHFL_ARG __o, int __w = 32) \
{ \
	int __h[2]; \
	__t __r; \
	__builtin_memcpy(__h, &__v, 8); \
	__h[0] = __n(__mask __h[0], __o, __w); \
	__h[1] = __n(__mask __h[1], __o, __w); \
	__builtin_memcpy(&__r, __h, 8); \
	return __r; \
}
#define __HD_COMMA ,
#define __HD_SHFL(__n, __i32, __f32, __c, __par, __mask) \
__HD_DEV int __n(__par int __v, __HD_SHFL_ARG __o, int __w = 32) \
{ return __i32(__mask __v, __o, ((32 - __w) << 8) | (__c)); } \
__HD_DEV float __n(__par float __v, __HD_SHFL_ARG __o, int __w = 32) \
{ return __f32(__mask __v, __o, ((32 - __w) << 8) | (__c)); } \
__HD_SHFL_T(__n, __HD_P1(__par), __HD_P1(__mask), unsigned int) \
__HD_SHFL_T8(__n, __HD_P1(__par), __HD_P1(__mask), long) \
__HD_SHFL_T8(__n, __HD_P1(__par), __HD_P1(__mask), unsigned long) \
__HD_SHFL_T8(__n, __HD_P1(__par), __HD_P1(__mask), long long) \
__HD_SHFL_T8(__n, __HD_P1(__par), __HD_P1(__mask), unsigned long long) \
__HD_SHFL_T8(__n, __HD_P1(__par), __HD_P1(__mask), double)
#define __HD_P1(...) __VA_ARGS__
#define __HD_SYNCP unsigned int __m __HD_COMMA
#define __HD_SYNCM __m __HD_COMMA

/* The forms without a mask as text: the compiler refuses their builtins from sm_70 on. */
#define __HD_SHFL_TEXT(__op) "{ " __HD_ACTIVE "shfl" __HD_SYNC "." __op ".b32 %0, %1, %2, %3" __HD_MASK "; }"
#define __HD_SHFL_ASM(__n, __op) \
__HD_DEV int __n##_i32(int __v, int __o, int __c) \
{ int __r; asm volatile(__HD_SHFL_TEXT(__op) : "=r"(__r) : "r"(__v), "r"(__o), "r"(__c)); return __r; } \
__HD_DEV float __n##_f32(float __v, int __o, int __c) \
{ float __r; asm volatile(__HD_SHFL_TEXT(__op) : "=f"(__r) : "f"(__v), "r"(__o), "r"(__c)); return __r; }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 300
__HD_SHFL_ASM(__hd_shfl_idx, "idx")
__HD_SHFL_ASM(__hd_shfl_bfly, "bfly")
__HD_SHFL_ASM(__hd_shfl_up, "up")
__HD_SHFL_ASM(__hd_shfl_down, "down")
#define __HD_SHFL_ARG int
__HD_SHFL(__shfl, __hd_shfl_idx_i32, __hd_shfl_idx_f32, 0x1f, , )
__HD_SHFL(__shfl_xor, __hd_shfl_bfly_i32, __hd_shfl_bfly_f32, 0x1f, , )
__HD_SHFL(__shfl_sync, __nvvm_shfl_sync_idx_i32, __nvvm_shfl_sync_idx_f32, 0x1f, __HD_SYNCP, __HD_SYNCM)
__HD_SHFL(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, __nvvm_shfl_sync_bfly_f32, 0x1f, __HD_SYNCP, __HD_SYNCM)
#undef __HD_SHFL_ARG
#define __HD_SHFL_ARG unsigned int
__HD_SHFL(__shfl_up, __hd_shfl_up_i32, __hd_shfl_up_f32, 0, , )
__HD_SHFL(__shfl_down, __hd_shfl_down_i32, __hd_shfl_down_f32, 0x1f, , )
__HD_SHFL(__shfl_up_sync, __nvvm_shfl_sync_up_i32, __nvvm_shfl_sync_up_f32, 0, __HD_SYNCP, __HD_SYNCM)
__HD_SHFL(__shfl_down_sync, __nvvm_shfl_sync_down_i32, __nvvm_shfl_sync_down_f32, 0x1f, __HD_SYNCP, __HD_SYNCM)
#undef __HD_SHFL_ARG

/* Votes and warp barriers. */
__HD_DEV void __syncwarp(unsigned int __m = 0xffffffffu) { asm volatile("bar.warp.sync %0;" :: "r"(__m) : "memory"); }
__HD_DEV void __barrier_sync(unsigned int __id) { __nvvm_barrier_sync(__id); }
__HD_DEV void __barrier_sync_count(unsigned int __id, unsigned int __n)
{
	__nvvm_barrier_sync_cnt(__id, __n);
}
__HD_DEV int __all_sync(unsigned int __m, int __p) { return __nvvm_vote_all_sync(__m, __p); }
__HD_DEV int __any_sync(unsigned int __m, int __p) { return __nvvm_vote_any_sync(__m, __p); }
__HD_DEV int __uni_sync(unsigned int __m, int __p) { return __nvvm_vote_uni_sync(__m, __p); }
__HD_DEV unsigned int __ballot_sync(unsigned int __m, int __p)
{
	return __nvvm_vote_ballot_sync(__m, __p);
}
__HD_DEV unsigned int __activemask(void)
{
	unsigned int __m;
	asm volatile("activemask.b32 %0;" : "=r"(__m));
	return __m;
}
__HD_DEV unsigned int __fns(unsigned int __m, unsigned int __base, int __off)
{
	return __nvvm_fns(__m, __base, __off);
}
#endif
#undef __HD_SHFL
#undef __HD_SHFL_ASM
#undef __HD_SHFL_TEXT
#undef __HD_ACTIVE
#undef __HD_SYNC
#undef __HD_MASK
#undef __HD_SHFL_T
#undef __HD_SHFL_T8
#undef __HD_P1
#undef __HD_SYNCP
#undef __HD_SYNCM
#undef __HD_COMMA

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
template <class __T> __HD_DEV unsigned int __match_any_sync(unsigned int __m, __T __v)
{
	static_assert(sizeof(__T) == 4 || sizeof(__T) == 8, "match takes 4 or 8 bytes");
	unsigned int __r;
	if (sizeof(__T) == 4) {
		unsigned int __u = 0;
		__builtin_memcpy(&__u, &__v, sizeof(__T) == 4 ? 4 : 0);
		asm volatile("match.any.sync.b32 %0, %1, %2;" : "=r"(__r) : "r"(__u), "r"(__m));
	} else {
		unsigned long long __u = 0;
		__builtin_memcpy(&__u, &__v, sizeof(__T));
		asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(__r) : "l"(__u), "r"(__m));
	}
	return __r;
}
template <class __T> __HD_DEV unsigned int __match_all_sync(unsigned int __m, __T __v, int *__p)
{
	static_assert(sizeof(__T) == 4 || sizeof(__T) == 8, "match takes 4 or 8 bytes");
	unsigned int __r, __q;
	if (sizeof(__T) == 4) {
		unsigned int __u = 0;
		__builtin_memcpy(&__u, &__v, sizeof(__T) == 4 ? 4 : 0);
		asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, %3; selp.u32 %1, 1, 0, p; }"
			: "=r"(__r), "=r"(__q) : "r"(__u), "r"(__m));
	} else {
		unsigned long long __u = 0;
		__builtin_memcpy(&__u, &__v, sizeof(__T));
		asm volatile("{ .reg .pred p; match.all.sync.b64 %0|p, %2, %3; selp.u32 %1, 1, 0, p; }"
			: "=r"(__r), "=r"(__q) : "l"(__u), "r"(__m));
	}
	*__p = (int)__q;
	return __r;
}
/* A launch's order after the launch before it, and its leave for the next one to begin. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__HD_DEV void cudaGridDependencySynchronize(void) { asm volatile("griddepcontrol.wait;" ::: "memory"); }
__HD_DEV void cudaTriggerProgrammaticLaunchCompletion(void)
{
	asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
#endif
__HD_DEV void __nanosleep(unsigned int __ns)
{
	asm volatile("nanosleep.u32 %0;" :: "r"(__ns));
}
#endif

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __HD_REDUX(__n, __op, __t, __s) \
__HD_DEV __t __reduce_##__n##_sync(unsigned int __m, __t __v) \
{ __t __r; asm volatile("redux.sync." __op "." __s " %0, %1, %2;" : "=r"(__r) : "r"(__v), "r"(__m)); return __r; }
__HD_REDUX(add, "add", unsigned int, "u32")
__HD_REDUX(add, "add", int, "s32")
__HD_REDUX(min, "min", unsigned int, "u32")
__HD_REDUX(min, "min", int, "s32")
__HD_REDUX(max, "max", unsigned int, "u32")
__HD_REDUX(max, "max", int, "s32")
__HD_REDUX(and, "and", unsigned int, "b32")
__HD_REDUX(or, "or", unsigned int, "b32")
__HD_REDUX(xor, "xor", unsigned int, "b32")
#undef __HD_REDUX
#endif

/*
 * Loads and stores with a cache operator, for every scalar type and the vectors the hardware
 * accesses as one. The third column is the constraint, the fourth the type's name in PTX.
 */
#define __HD_LD1(__n, __op, __t, __c, __r, __cl) \
__HD_DEV __t __n(const __t *__p) \
{ __r __v; asm volatile("ld." __op " %0, [%1];" : "=" __c(__v) : "l"(__p) : __cl); return (__t)__v; }
#define __HD_LD2(__n, __op, __t, __e, __c, __r, __cl) \
__HD_DEV __t __n(const __t *__p) \
{ __r __a, __b; asm volatile("ld." __op " {%0, %1}, [%2];" : "=" __c(__a), "=" __c(__b) : "l"(__p) : __cl); \
	__t __v; __v.x = (__e)__a; __v.y = (__e)__b; return __v; }
#define __HD_LD4(__n, __op, __t, __e, __c, __r, __cl) \
__HD_DEV __t __n(const __t *__p) \
{ __r __a, __b, __g, __d; asm volatile("ld." __op " {%0, %1, %2, %3}, [%4];" \
	: "=" __c(__a), "=" __c(__b), "=" __c(__g), "=" __c(__d) : "l"(__p) : __cl); \
	__t __v; __v.x = (__e)__a; __v.y = (__e)__b; __v.z = (__e)__g; __v.w = (__e)__d; return __v; }
#define __HD_LOADS(__n, __o, __cl) \
__HD_LD1(__n, __o ".s8", char, "h", short, __cl) \
__HD_LD1(__n, __o ".s8", signed char, "h", short, __cl) \
__HD_LD1(__n, __o ".u8", unsigned char, "h", unsigned short, __cl) \
__HD_LD1(__n, __o ".s16", short, "h", short, __cl) \
__HD_LD1(__n, __o ".u16", unsigned short, "h", unsigned short, __cl) \
__HD_LD1(__n, __o ".s32", int, "r", int, __cl) \
__HD_LD1(__n, __o ".u32", unsigned int, "r", unsigned int, __cl) \
__HD_LD1(__n, __o ".s64", long, "l", long, __cl) \
__HD_LD1(__n, __o ".u64", unsigned long, "l", unsigned long, __cl) \
__HD_LD1(__n, __o ".s64", long long, "l", long long, __cl) \
__HD_LD1(__n, __o ".u64", unsigned long long, "l", unsigned long long, __cl) \
__HD_LD1(__n, __o ".f32", float, "f", float, __cl) \
__HD_LD1(__n, __o ".f64", double, "d", double, __cl) \
__HD_LD2(__n, __o ".v2.s8", char2, signed char, "h", short, __cl) \
__HD_LD2(__n, __o ".v2.u8", uchar2, unsigned char, "h", unsigned short, __cl) \
__HD_LD2(__n, __o ".v2.s16", short2, short, "h", short, __cl) \
__HD_LD2(__n, __o ".v2.u16", ushort2, unsigned short, "h", unsigned short, __cl) \
__HD_LD2(__n, __o ".v2.s32", int2, int, "r", int, __cl) \
__HD_LD2(__n, __o ".v2.u32", uint2, unsigned int, "r", unsigned int, __cl) \
__HD_LD2(__n, __o ".v2.s64", longlong2, long long, "l", long long, __cl) \
__HD_LD2(__n, __o ".v2.u64", ulonglong2, unsigned long long, "l", unsigned long long, __cl) \
__HD_LD2(__n, __o ".v2.f32", float2, float, "f", float, __cl) \
__HD_LD2(__n, __o ".v2.f64", double2, double, "d", double, __cl) \
__HD_LD4(__n, __o ".v4.s8", char4, signed char, "h", short, __cl) \
__HD_LD4(__n, __o ".v4.u8", uchar4, unsigned char, "h", unsigned short, __cl) \
__HD_LD4(__n, __o ".v4.s16", short4, short, "h", short, __cl) \
__HD_LD4(__n, __o ".v4.u16", ushort4, unsigned short, "h", unsigned short, __cl) \
__HD_LD4(__n, __o ".v4.s32", int4, int, "r", int, __cl) \
__HD_LD4(__n, __o ".v4.u32", uint4, unsigned int, "r", unsigned int, __cl) \
__HD_LD4(__n, __o ".v4.f32", float4, float, "f", float, __cl)
__HD_LOADS(__ldcg, "cg", "memory")
__HD_LOADS(__ldca, "ca", "memory")
__HD_LOADS(__ldcs, "cs", "memory")
__HD_LOADS(__ldlu, "lu", "memory")
__HD_LOADS(__ldcv, "cv", "memory")
#undef __HD_LOADS
#undef __HD_LD1
#undef __HD_LD2
#undef __HD_LD4

#define __HD_ST1(__n, __op, __t, __c, __r) \
__HD_DEV void __n(__t *__p, __t __v) \
{ asm volatile("st." __op " [%0], %1;" :: "l"(__p), __c((__r)__v) : "memory"); }
#define __HD_ST2(__n, __op, __t, __c, __r) \
__HD_DEV void __n(__t *__p, __t __v) \
{ asm volatile("st." __op " [%0], {%1, %2};" :: "l"(__p), __c((__r)__v.x), __c((__r)__v.y) : "memory"); }
#define __HD_ST4(__n, __op, __t, __c, __r) \
__HD_DEV void __n(__t *__p, __t __v) \
{ asm volatile("st." __op " [%0], {%1, %2, %3, %4};" :: "l"(__p), __c((__r)__v.x), __c((__r)__v.y), \
	__c((__r)__v.z), __c((__r)__v.w) : "memory"); }
#define __HD_STORES(__n, __o) \
__HD_ST1(__n, __o ".s8", char, "h", short) \
__HD_ST1(__n, __o ".s8", signed char, "h", short) \
__HD_ST1(__n, __o ".u8", unsigned char, "h", unsigned short) \
__HD_ST1(__n, __o ".s16", short, "h", short) \
__HD_ST1(__n, __o ".u16", unsigned short, "h", unsigned short) \
__HD_ST1(__n, __o ".s32", int, "r", int) \
__HD_ST1(__n, __o ".u32", unsigned int, "r", unsigned int) \
__HD_ST1(__n, __o ".s64", long, "l", long) \
__HD_ST1(__n, __o ".u64", unsigned long, "l", unsigned long) \
__HD_ST1(__n, __o ".s64", long long, "l", long long) \
__HD_ST1(__n, __o ".u64", unsigned long long, "l", unsigned long long) \
__HD_ST1(__n, __o ".f32", float, "f", float) \
__HD_ST1(__n, __o ".f64", double, "d", double) \
__HD_ST2(__n, __o ".v2.s8", char2, "h", short) \
__HD_ST2(__n, __o ".v2.u8", uchar2, "h", unsigned short) \
__HD_ST2(__n, __o ".v2.s16", short2, "h", short) \
__HD_ST2(__n, __o ".v2.u16", ushort2, "h", unsigned short) \
__HD_ST2(__n, __o ".v2.s32", int2, "r", int) \
__HD_ST2(__n, __o ".v2.u32", uint2, "r", unsigned int) \
__HD_ST2(__n, __o ".v2.s64", longlong2, "l", long long) \
__HD_ST2(__n, __o ".v2.u64", ulonglong2, "l", unsigned long long) \
__HD_ST2(__n, __o ".v2.f32", float2, "f", float) \
__HD_ST2(__n, __o ".v2.f64", double2, "d", double) \
__HD_ST4(__n, __o ".v4.s8", char4, "h", short) \
__HD_ST4(__n, __o ".v4.u8", uchar4, "h", unsigned short) \
__HD_ST4(__n, __o ".v4.s16", short4, "h", short) \
__HD_ST4(__n, __o ".v4.u16", ushort4, "h", unsigned short) \
__HD_ST4(__n, __o ".v4.s32", int4, "r", int) \
__HD_ST4(__n, __o ".v4.u32", uint4, "r", unsigned int) \
__HD_ST4(__n, __o ".v4.f32", float4, "f", float)
__HD_STORES(__stwb, "wb")
__HD_STORES(__stcg, "cg")
__HD_STORES(__stcs, "cs")
__HD_STORES(__stwt, "wt")
#undef __HD_STORES
#undef __HD_ST1
#undef __HD_ST2
#undef __HD_ST4

/* Read-only loads through the compiler's builtins, so that it can fold addresses into them. */
#define __HD_LDG1(__t, __b, __bt) \
__HD_DEV __t __ldg(const __t *__p) { return (__t)__nvvm_ldg_##__b((const __bt *)__p); }
#define __HD_LDG2(__t, __b, __bt) \
__HD_DEV __t __ldg(const __t *__p) \
{ typedef __bt __v2 __attribute__((ext_vector_type(2))); \
	__v2 __r = __nvvm_ldg_##__b##2((const __v2 *)__p); \
	__t __v; __v.x = __r[0]; __v.y = __r[1]; return __v; }
#define __HD_LDG4(__t, __b, __bt) \
__HD_DEV __t __ldg(const __t *__p) \
{ typedef __bt __v4 __attribute__((ext_vector_type(4))); \
	__v4 __r = __nvvm_ldg_##__b##4((const __v4 *)__p); \
	__t __v; __v.x = __r[0]; __v.y = __r[1]; __v.z = __r[2]; __v.w = __r[3]; return __v; }
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 320
__HD_LDG1(char, c, char)
__HD_LDG1(signed char, c, char)
__HD_LDG1(unsigned char, uc, unsigned char)
__HD_LDG1(short, s, short)
__HD_LDG1(unsigned short, us, unsigned short)
__HD_LDG1(int, i, int)
__HD_LDG1(unsigned int, ui, unsigned int)
__HD_LDG1(long, ll, long long)
__HD_LDG1(unsigned long, ull, unsigned long long)
__HD_LDG1(long long, ll, long long)
__HD_LDG1(unsigned long long, ull, unsigned long long)
__HD_LDG1(float, f, float)
__HD_LDG1(double, d, double)
__HD_LDG2(char2, c, char)
__HD_LDG2(uchar2, uc, unsigned char)
__HD_LDG2(short2, s, short)
__HD_LDG2(ushort2, us, unsigned short)
__HD_LDG2(int2, i, int)
__HD_LDG2(uint2, ui, unsigned int)
__HD_LDG2(longlong2, ll, long long)
__HD_LDG2(ulonglong2, ull, unsigned long long)
__HD_LDG2(float2, f, float)
__HD_LDG2(double2, d, double)
__HD_LDG4(char4, c, char)
__HD_LDG4(uchar4, uc, unsigned char)
__HD_LDG4(short4, s, short)
__HD_LDG4(ushort4, us, unsigned short)
__HD_LDG4(int4, i, int)
__HD_LDG4(uint4, ui, unsigned int)
__HD_LDG4(float4, f, float)

#define __HD_SHF(__n, __op) \
__HD_DEV unsigned int __n(unsigned int __lo, unsigned int __hi, unsigned int __s) \
{ unsigned int __r; asm(__op " %0, %1, %2, %3;" : "=r"(__r) : "r"(__lo), "r"(__hi), "r"(__s)); return __r; }
__HD_SHF(__funnelshift_l, "shf.l.wrap.b32")
__HD_SHF(__funnelshift_lc, "shf.l.clamp.b32")
__HD_SHF(__funnelshift_r, "shf.r.wrap.b32")
__HD_SHF(__funnelshift_rc, "shf.r.clamp.b32")
#undef __HD_SHF
#else
/* Without the read-only path the load is a plain one. */
template <class __T> __HD_DEV __T __ldg(const __T *__p) { return *__p; }
#endif
#undef __HD_LDG1
#undef __HD_LDG2
#undef __HD_LDG4

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 610
#define __HD_DP(__n, __op, __ta, __tb, __tc) \
__HD_DEV __tc __n(__ta __a, __tb __b, __tc __c) \
{ __tc __r; unsigned int __ua, __ub; __builtin_memcpy(&__ua, &__a, 4); __builtin_memcpy(&__ub, &__b, sizeof(__b)); \
	asm(__op " %0, %1, %2, %3;" : "=r"(__r) : "r"(__ua), "r"(__ub), "r"(__c)); return __r; }
__HD_DP(__dp4a, "dp4a.s32.s32", int, int, int)
__HD_DP(__dp4a, "dp4a.u32.u32", unsigned int, unsigned int, unsigned int)
__HD_DP(__dp4a, "dp4a.s32.s32", char4, char4, int)
__HD_DP(__dp4a, "dp4a.u32.u32", uchar4, uchar4, unsigned int)
__HD_DP(__dp2a_lo, "dp2a.lo.s32.s32", int, int, int)
__HD_DP(__dp2a_lo, "dp2a.lo.u32.u32", unsigned int, unsigned int, unsigned int)
__HD_DP(__dp2a_lo, "dp2a.lo.s32.s32", short2, char4, int)
__HD_DP(__dp2a_lo, "dp2a.lo.u32.u32", ushort2, uchar4, unsigned int)
__HD_DP(__dp2a_hi, "dp2a.hi.s32.s32", int, int, int)
__HD_DP(__dp2a_hi, "dp2a.hi.u32.u32", unsigned int, unsigned int, unsigned int)
__HD_DP(__dp2a_hi, "dp2a.hi.s32.s32", short2, char4, int)
__HD_DP(__dp2a_hi, "dp2a.hi.u32.u32", ushort2, uchar4, unsigned int)
#undef __HD_DP
#endif

/* Reverses the order of the bytes. */
__HD_DEV unsigned short __nv_bswap16(unsigned short __x) { return __builtin_bswap16(__x); }
__HD_DEV unsigned int __nv_bswap32(unsigned int __x) { return __builtin_bswap32(__x); }
__HD_DEV unsigned long long __nv_bswap64(unsigned long long __x) { return __builtin_bswap64(__x); }

/* Pairs of numbers, as GPUs from sm_100 on add and multiply them. */
#define __HD_PAIR(__r)                                                                             \
	__HD_DEV float2 __fadd2_##__r(float2 __a, float2 __b)                                      \
	{                                                                                          \
		return float2{__fadd_##__r(__a.x, __b.x), __fadd_##__r(__a.y, __b.y)};             \
	}                                                                                          \
	__HD_DEV float2 __fmul2_##__r(float2 __a, float2 __b)                                      \
	{                                                                                          \
		return float2{__fmul_##__r(__a.x, __b.x), __fmul_##__r(__a.y, __b.y)};             \
	}                                                                                          \
	__HD_DEV float2 __ffma2_##__r(float2 __a, float2 __b, float2 __c)                          \
	{                                                                                          \
		return float2{__fmaf_##__r(__a.x, __b.x, __c.x),                                   \
			__fmaf_##__r(__a.y, __b.y, __c.y)};                                        \
	}
__HD_PAIR(rn)
__HD_PAIR(rz)
__HD_PAIR(ru)
__HD_PAIR(rd)
#undef __HD_PAIR


#endif
