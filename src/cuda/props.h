/* Device properties and attributes, from one table. */
#ifndef CUDA_PROPS_H
#define CUDA_PROPS_H
#include "cuda/rt.h"

bool device_attribute(int attr, int *value); /* false: no such attribute */

#endif
