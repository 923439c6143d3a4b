/* cuFFT's extended interface: its types and functions that Heddle has are those of cufft.h. */
#ifndef _CUFFTXT_H_
#define _CUFFTXT_H_
#include "cufft.h"
#include "library_types.h"
#endif
