/* Entry points of CUDA that are not supported: each prints a message once and returns
 * cudaErrorNotSupported or its driver equivalent. */
/* defined here without parameters */
#define __HEDDLE_DRIVER_REFUSED_H
#include <cuda.h>
#include "cuda/rt.h"

/* The header renames some functions by macros; the symbols keep these names. */
#undef cuStreamBeginCapture

#define R(name)                                                                                    \
	RT(name, (void))                                                                           \
	{                                                                                          \
		return rt_unsupported(#name);                                                      \
	}
#define D(name)                                                                                    \
	CUresult name(void);                                                                       \
	CUresult name(void)                                                                        \
	{                                                                                          \
		rt_unsupported(#name);                                                             \
		return CUDA_ERROR_NOT_SUPPORTED;                                                   \
	}
#include "cuda/driver/unsupported.def"
