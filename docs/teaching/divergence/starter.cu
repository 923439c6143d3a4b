// Each item is computed by one of four loops, which the item's lowest bits choose; bits 8 to 12 say how often the loop
// runs. Consecutive threads get consecutive items, so the threads of a warp go different ways.
//
// Your work: the same results with fewer lanes off. And complete this line with the number of the line below whose
// instructions lose most lanes (heddle annotate tells):
// worst line: ?
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

// Launched with blocks of 256 threads; n is a multiple of 256.
extern "C" __global__ void classify(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		out[i] = compute(in[i]);
}
