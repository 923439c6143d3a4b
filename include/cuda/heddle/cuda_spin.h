/* A pause between two reads of a word that another thread changes: the host lets other threads run. */
#ifndef HEDDLE_CUDA_SPIN_H
#define HEDDLE_CUDA_SPIN_H
#include <sched.h>

namespace cuda {
namespace __detail {
static __host__ __device__ __HD_INLINE __attribute__((unused)) void __spin()
{
#if !defined(__CUDA_ARCH__)
	sched_yield();
#endif
}
}
}
#endif
