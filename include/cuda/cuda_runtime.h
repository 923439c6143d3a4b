/*
 * The CUDA runtime for programs: types, the C API, and in C++ the overloads that take typed
 * pointers, symbols, kernels and texture references.
 */
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#if defined(__cplusplus)
#include <cstdlib>
#include <cstring>
#include <cmath>
#endif
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(__cplusplus) && defined(__CUDACC__)
/* Headers of functions that device code calls without including them: assert, printf and placement new. */
#include <assert.h>
#include <new>
#include <stdio.h>
#endif

#include "host_defines.h"
#include "library_types.h"
#include "builtin_types.h"
#include "cuda_runtime_api.h"
#include "channel_descriptor.h"
#include "driver_functions.h"
#include "vector_functions.h"

#if defined(__cplusplus)
#include "heddle/runtime_cxx.h"
#include "heddle/runtime_newer.h"
#endif

#endif
