/* Device properties and attributes, from one table. */
#ifndef CUDA_PROPS_H
#define CUDA_PROPS_H
#include "cuda/rt.h"

bool device_attribute(int attr, int *value); /* false: no such attribute */
/* The device of a PCI address: domain, bus, device and function, or less; 0:1:0.0 is 0000:01:00.0. */
cudaError_t device_by_bus_id(int *device, const char *id);

#endif
