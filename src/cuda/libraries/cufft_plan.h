/* What the extended interface asks of a plan. */
#ifndef CUFFT_PLAN_H
#define CUFFT_PLAN_H
#include "cufft.h"

/* The bytes of all that a plan from complex to complex transforms; 0: the plan is not made, or of another type. */
size_t fft_complex_bytes(cufftHandle h);

#endif
