/* Kernels whose results depend on the order in which blocks communicate. */
#include <cstdio>

extern "C" __global__ void tickets(unsigned *out, unsigned *state)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = atomicAdd(&state[0], 1);
	out[i] ^= atomicExch(&state[1], i) << 16;
}

extern "C" __global__ void floats(unsigned *out, unsigned *state)
{
	float *sum = (float *)state;
	float x = 1.0f / (float)(blockIdx.x * blockDim.x + threadIdx.x + 1);
	atomicAdd(sum, x);
	atomicAdd(sum + 1 + threadIdx.x % 3, -x * 3.0f);
	out[blockIdx.x * blockDim.x + threadIdx.x] = __float_as_uint(atomicAdd(sum + 5, x));
}

extern "C" __global__ void lastblock(unsigned *out, unsigned *state)
{
	__shared__ bool last;
	unsigned *partial = state + 16;
	unsigned n = blockIdx.x * 7 + 3;
	for (unsigned i = 0; i < blockIdx.x % 5; i++)
		n = n * 1664525u + 1013904223u;
	if (threadIdx.x == 0) {
		partial[blockIdx.x] = n;
		__threadfence();
		last = atomicAdd(&state[0], 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		unsigned sum = 0;
		for (unsigned i = 0; i < gridDim.x; i++)
			sum = sum * 31 + ((volatile unsigned *)partial)[i];
		out[0] = sum;
		out[1] = blockIdx.x;
	}
}

/* All blocks meet twice at a barrier that spins. */
extern "C" __global__ void spin(unsigned *out, unsigned *state)
{
	volatile unsigned *count = state, *value = state + 16;
	for (unsigned round = 1; round <= 2; round++) {
		if (threadIdx.x == 0) {
			value[blockIdx.x] += blockIdx.x * round + 1;
			__threadfence();
			atomicAdd(state, 1);
			while (*count < gridDim.x * round)
				;
		}
		__syncthreads();
		unsigned s = 0;
		for (unsigned i = 0; i < gridDim.x; i++)
			s += value[(i + threadIdx.x) % gridDim.x] * (i + 1);
		out[blockIdx.x * blockDim.x + threadIdx.x] += s;
		__syncthreads();
		if (threadIdx.x == 0) {
			__threadfence();
			atomicAdd(state + 1, 1);
			while (count[1] < gridDim.x * round)
				;
		}
		__syncthreads();
	}
}

extern "C" __global__ void lock(unsigned *out, unsigned *state)
{
	if (threadIdx.x % 32 == 0) {
		while (atomicCAS(&state[0], 0, 1) != 0)
			;
		__threadfence();
		volatile unsigned *v = state;
		v[1] = v[1] * 5 + blockIdx.x + threadIdx.x;
		out[blockIdx.x * blockDim.x + threadIdx.x] = v[1];
		__threadfence();
		atomicExch(&state[0], 0);
	}
}

/* Each warp takes tickets between long stretches of work. */
extern "C" __global__ void slices(unsigned *out, unsigned *state)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = i;
	for (unsigned k = 0; k < 4; k++) {
		for (unsigned j = 0; j < 3000; j++)
			n = n * 1664525u + (n >> 7);
		if (threadIdx.x % 32 == 0)
			n ^= atomicAdd(&state[k % 2], 1) << 8 * k;
	}
	out[i] = n;
}

/* Waits for an exact count: the last block to arrive must not raise it again before all have seen it. */
extern "C" __global__ void exact(unsigned *out, unsigned *state)
{
	for (unsigned round = 1; round <= 5; round++) {
		__syncthreads();
		if (threadIdx.x == 0) {
			out[blockIdx.x * blockDim.x + round] = atomicAdd(state, 1);
			while (atomicAdd(state, 0) != round * gridDim.x)
				;
		}
	}
}

extern "C" __global__ void print(unsigned *out, unsigned *state)
{
	unsigned n = 0;
	for (unsigned i = 0; i < 50 + blockIdx.x % 3 * 1000; i++)
		n = n * 3 + i;
	if (threadIdx.x < 2)
		printf("block %u thread %u: %u %.3f\n", blockIdx.x, threadIdx.x, n, n / 7.0);
	out[blockIdx.x * blockDim.x + threadIdx.x] = n + state[0];
}

extern "C" __global__ void reductions(unsigned *out, unsigned *state)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	for (unsigned k = 0; k < 20; k++) {
		atomicAdd(&state[i * k % 64], i);
		atomicMax(&state[64 + k], i ^ k);
		atomicXor(&state[100 + i % 7], i * 2654435761u);
	}
	out[i] = i;
}

extern "C" __global__ void mallocs(unsigned *out, unsigned *state)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned *p = (unsigned *)malloc(16 + i % 5 * 8);
	*p = i;
	out[i] = (unsigned)(unsigned long long)p + *p + state[0];
	if (i % 3)
		free(p);
}
