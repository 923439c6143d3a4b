// Clocks of one warp on the machines since Ampere: dependent loads of shared memory, and sums of f64.
// nvcc -arch=sm_NN -cubin -o machines.sm_NN.cubin machines.cu, for NN = 80, 86, 89, 90
extern "C" __global__ void clocks(unsigned *out, unsigned zero)
{
	__shared__ unsigned ring[32];
	unsigned x = threadIdx.x;
	double a = x, b = x + 1, c = x + 2, d = x + 3;
	ring[x] = zero;
	__syncthreads();
	long long t0 = clock64();
#pragma unroll
	for (int i = 0; i < 64; i++)
		x = ring[x & zero];
	long long t1 = clock64();
	for (unsigned i = 0; i < 64 + x; i += 4) {
		a += b;
		b += c;
		c += d;
		d += a;
	}
	long long t2 = clock64();
	if (threadIdx.x == 0) {
		out[0] = (unsigned)(t1 - t0) / 64;
		out[1] = (unsigned)(t2 - t1) / 64;
		out[2] = (unsigned)(long long)(a + b + c + d);
	}
}
