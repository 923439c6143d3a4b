/* One kernel per function and precision. */
__device__ float pow_basef(float x) { return powf(x, 2.375f); }
__device__ double pow_base(double x) { return pow(x, 2.375); }
__device__ float pow_expf(float x) { return powf(2.375f, x); }
__device__ double pow_exp(double x) { return pow(2.375, x); }
__device__ float atan2_yf(float x) { return atan2f(x, 0.75f); }
__device__ double atan2_y(double x) { return atan2(x, 0.75); }
__device__ float hypot_xf(float x) { return hypotf(x, 3.25f); }
__device__ double hypot_x(double x) { return hypot(x, 3.25); }
__device__ float fmod_xf(float x) { return fmodf(x, 0.375f); }
__device__ double fmod_x(double x) { return fmod(x, 0.375); }
__device__ float remainder_xf(float x) { return remainderf(x, 0.375f); }
__device__ double remainder_x(double x) { return remainder(x, 0.375); }
__device__ float sincos_sumf(float x) { float s, c; sincosf(x, &s, &c); return fabsf(s) + fabsf(c); }
__device__ double sincos_sum(double x) { double s, c; sincos(x, &s, &c); return fabs(s) + fabs(c); }

#define F(n, lo, hi, uf, ud, ref) \
extern "C" __global__ void n##_f32(const float *in, float *out, unsigned count) \
{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) out[i] = n##f(in[i]); } \
extern "C" __global__ void n##_f64(const double *in, double *out, unsigned count) \
{ unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) out[i] = n(in[i]); }
#include "functions.def"
