/* The functions of the special unit (MUFU), bit for bit as NVIDIA's chips since Turing compute
 * them. A function takes a row of 32 lanes and fills another, which may be the same. Arguments and
 * results are singles; subnormal ones count as zero unless a comment says otherwise. mufu.c
 * describes the unit and the origin of its tables. */
#ifndef EXEC_MUFU_H
#define EXEC_MUFU_H
#include <stdint.h>

void mufu_rcp(const uint32_t *a, uint32_t *d);
void mufu_rsq(const uint32_t *a, uint32_t *d);
void mufu_sqrt(const uint32_t *a, uint32_t *d);
void mufu_ex2(const uint32_t *a, uint32_t *d);
void mufu_lg2(const uint32_t *a, uint32_t *d);
void mufu_sin(const uint32_t *a, uint32_t *d); /* sine of an angle in turns */
void mufu_cos(const uint32_t *a, uint32_t *d);
void mufu_tanh(const uint32_t *a, uint32_t *d); /* for a subnormal argument: the argument itself */
void mufu_rcp64h(const uint32_t *a, uint32_t *d); /* upper words of doubles in and out */
void mufu_rsq64h(const uint32_t *a, uint32_t *d);

#endif
