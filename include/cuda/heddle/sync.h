/* Barriers and fences. LLVM up to 15 takes its barrier intrinsics for calls that cannot touch
 * __shared__ variables whose address is never taken, and moves loads of such variables across them;
 * it does respect inline assembly with a memory clobber. */
#ifndef HEDDLE_SYNC_H
#define HEDDLE_SYNC_H
#if defined(__CUDA_ARCH__)

__HD_DEV void __hd_syncthreads(void) { asm volatile("bar.sync 0;" ::: "memory"); }
#define __HD_BAR_RED(__n, __op, __res) \
__HD_DEV int __hd_syncthreads_##__n(int __p) \
{ \
	int __r; \
	asm volatile("{\n\t.reg .pred %%hdp, %%hdq;\n\tsetp.ne.s32 %%hdp, %1, 0;\n\t" __op __res "}" \
		: "=r"(__r) : "r"(__p) : "memory"); \
	return __r; \
}
__HD_BAR_RED(and, "bar.red.and.pred %%hdq, 0, %%hdp;\n\t", "selp.s32 %0, 1, 0, %%hdq;\n\t")
__HD_BAR_RED(or, "bar.red.or.pred %%hdq, 0, %%hdp;\n\t", "selp.s32 %0, 1, 0, %%hdq;\n\t")
__HD_BAR_RED(count, "bar.red.popc.u32 %0, 0, %%hdp;\n\t", "")
#undef __HD_BAR_RED
__HD_DEV void __hd_threadfence(void) { asm volatile("membar.gl;" ::: "memory"); }
__HD_DEV void __hd_threadfence_block(void) { asm volatile("membar.cta;" ::: "memory"); }
__HD_DEV void __hd_threadfence_system(void) { asm volatile("membar.sys;" ::: "memory"); }

#define __syncthreads() __hd_syncthreads()
#define __syncthreads_and(__p) __hd_syncthreads_and(__p)
#define __syncthreads_or(__p) __hd_syncthreads_or(__p)
#define __syncthreads_count(__p) __hd_syncthreads_count(__p)
#define __threadfence() __hd_threadfence()
#define __threadfence_block() __hd_threadfence_block()
#define __threadfence_system() __hd_threadfence_system()

#endif
#endif
