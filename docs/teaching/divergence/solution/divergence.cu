// The block's items are sorted in shared memory before they are computed: by the loop that they take, and within a loop by
// how often it runs. Then the threads of a warp go one way, and end together.
// worst line: 28
__device__ unsigned compute(unsigned x)
{
	unsigned v = x, n = 8 + (x >> 8 & 31);
	switch (x & 3) {
	case 0:
#pragma unroll 1
		for (unsigned i = 0; i < n; i++)
			v = v * 1664525u + 1013904223u;
		break;
	case 1:
#pragma unroll 1
		for (unsigned i = 0; i < n; i++)
			v = (v << 5 ^ v >> 3) + i;
		break;
	case 2:
#pragma unroll 1
		for (unsigned i = 0; i < n; i++)
			v = v * 9 + (v >> 7);
		break;
	default:
#pragma unroll 1
		for (unsigned i = 0; i < 4 * n; i++)
			v = (v ^ i) * 5 + 1;
		break;
	}
	return v;
}

enum { BLOCK = 256, KEYS = 128 };

// Launched with blocks of 256 threads; n is a multiple of 256.
extern "C" __global__ void classify(const unsigned *in, unsigned *out, int n)
{
	__shared__ unsigned count[KEYS], start[KEYS], item[BLOCK], place[BLOCK];
	unsigned t = threadIdx.x, i = blockIdx.x * BLOCK + t;
	if (t < KEYS)
		count[t] = 0;
	__syncthreads();
	unsigned x = in[i], key = (x & 3) << 5 | (x >> 8 & 31);
	unsigned rank = atomicAdd(&count[key], 1);
	__syncthreads();
	// the keys' first places: sums of the counts before, by doubling
	if (t < KEYS)
		start[t] = count[t];
	__syncthreads();
	for (unsigned d = 1; d < KEYS; d *= 2) {
		unsigned before = t < KEYS && t >= d ? start[t - d] : 0;
		__syncthreads();
		if (t < KEYS)
			start[t] += before;
		__syncthreads();
	}
	unsigned at = start[key] - count[key] + rank;
	item[at] = x;
	place[at] = i;
	__syncthreads();
	out[place[t]] = compute(item[t]);
}
