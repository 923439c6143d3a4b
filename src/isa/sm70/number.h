/* Floating-point immediates as nvdisasm writes them. Each function fills buf and returns it. */
#ifndef ISA_SM70_NUMBER_H
#define ISA_SM70_NUMBER_H
#include <stdint.h>
const char *sm70_float_text(uint32_t bits, char buf[48]);
const char *sm70_double_text(uint64_t bits, char buf[48]);
const char *sm70_half_text(uint32_t bits, char buf[48]);
const char *sm70_bf16_text(uint32_t bits, char buf[48]);
#endif
