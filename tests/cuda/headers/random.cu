/* curand_kernel.h: states, skipping, distributions. */
#include <curand_kernel.h>
__global__ void setup(curandState *s, curandStatePhilox4_32_10_t *p)
{
	int i = threadIdx.x + blockIdx.x * blockDim.x;
	curand_init(1234, i, 0, &s[i]);
	curand_init(1234ULL, i, 7, p + i);
}
template <class S> __device__ double draw(S *s)
{
	S local = *s;
	double r = curand(&local) + curand_uniform(&local) + curand_uniform_double(&local) + curand_normal(&local) +
		curand_normal_double(&local) + curand_normal2(&local).y + curand_log_normal(&local, 0.f, 1.f);
	skipahead(100, &local);
	skipahead_sequence(2, &local);
	*s = local;
	return r;
}
__global__ void use(curandStateXORWOW_t *s, curandStatePhilox4_32_10_t *p, double *r)
{
	r[0] = draw(s) + draw(p);
	uint4 u = curand4(p);
	float4 f = curand_uniform4(p);
	r[1] = u.x + f.w + curand_normal4(p).z;
}
int main()
{
	setup<<<1, 32>>>(0, 0);
	use<<<1, 1>>>(0, 0, 0);
	return 0;
}
