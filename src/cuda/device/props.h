/* Device properties and attributes. props.def has one row for each, for all versions of CUDA. */
#ifndef CUDA_PROPS_H
#define CUDA_PROPS_H
#include "cuda/rt.h"

bool device_attribute(int attr, int *value); /* false: no attribute with that number */
/* Finds the device with a PCI address, written as domain, bus, device and function; parts may be
 * missing: 0:1:0.0 is 0000:01:00.0. */
cudaError_t device_by_bus_id(int *device, const char *id);

#endif
