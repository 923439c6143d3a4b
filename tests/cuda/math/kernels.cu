/* One kernel a function and precision. */
#define F(n, lo, hi, uf, ud, ref) \
extern "C" __global__ void n##_f32(const float *in, float *out, unsigned count) \
{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) out[i] = n##f(in[i]); } \
extern "C" __global__ void n##_f64(const double *in, double *out, unsigned count) \
{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) out[i] = n(in[i]); }
#include "functions.def"
