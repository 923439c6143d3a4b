/* Functions of a plan for the extended interface. */
#ifndef CUFFT_PLAN_H
#define CUFFT_PLAN_H
#include "cufft.h"

/* The plan's input, its output, or both in one place, where real numbers are padded. */
enum fft_side { FFT_INPUT, FFT_OUTPUT, FFT_BOTH };
/* Bytes of all elements that the plan transforms; 0: the plan is not made. */
size_t fft_bytes(cufftHandle h, enum fft_side side);

#endif
