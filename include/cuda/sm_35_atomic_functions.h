/* Its contents come with cuda_runtime.h and, in CUDA sources, with the compiler. */
#include "cuda_runtime.h"
