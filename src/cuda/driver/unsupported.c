/* Entry points of CUDA that are not supported: each says so once and returns the error for it. */
/* here they have no parameters */
#define __HEDDLE_DRIVER_REFUSED_H
#include <cuda.h>
#include "cuda/rt.h"

/* The header names some by macros; these are the names of the symbols. */
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
