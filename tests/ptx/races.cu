/* Kernels whose blocks race with each other by plain stores and loads: their results do not matter, but
 * must not depend on the number of host threads. They diverge and finish at times that depend on the values
 * read, so their cycles depend on these too. */

/* A breadth-first search that tests and marks nodes without atomics. */
extern "C" __global__ void marks(unsigned *out, unsigned *state)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x, x = i * 2654435761u;
	for (unsigned k = 0; k < 40; k++) {
		unsigned v = x % n;
		if (!out[v]) {
			out[v] = i + 1;
			state[i % 64] = k;
		} else {
			x += out[v] + state[v % 64];
		}
		x = x * 1664525u + 1013904223u;
	}
}

/* Bytes and halfwords of the same words by different blocks. */
extern "C" __global__ void bytes(unsigned *out, unsigned *state)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
	unsigned char *b = (unsigned char *)state;
	unsigned short *h = (unsigned short *)(state + 64);
	for (unsigned k = 0; k < 30; k++) {
		b[(i * 7 + k) % 256] = (unsigned char)(i + s);
		h[(i * 5 + k * 3) % 128] = (unsigned short)(s + k);
		s += b[(i + k * 11) % 256] * 3 + h[(i * 3 + k) % 128];
		if (s & 1)
			s += ((unsigned long long *)state)[(i + s) % 64] >> 7;
	}
	out[i] = s;
}

/* Reductions whose sums other blocks read without waiting. */
extern "C" __global__ void looks(unsigned *out, unsigned *state)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, s = 0;
	for (unsigned k = 0; k < 30; k++) {
		atomicAdd(&state[(i + k) % 64], s % 5 + 1);
		atomicMax(&state[64 + (i * k) % 32], i ^ s);
		s += state[(i * 3 + k) % 96];
		if (s % 7 == 3)
			state[(i + s) % 64] = s;
		atomicXor((unsigned long long *)&state[128 + (i + k) % 8 * 2], (unsigned long long)s << (k % 32));
		s += state[128 + i % 16];
	}
	out[i] = s;
}

/* A smoothing in place, four words at a time, without a barrier between blocks. */
extern "C" __global__ void smooth(unsigned *out, unsigned *state)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
	uint4 *v = (uint4 *)out;
	for (unsigned k = 0; k < 12; k++) {
		unsigned at = (i * 5 + k * blockDim.x) % (n / 4);
		uint4 a = v[at], b = v[(at + 1) % (n / 4)];
		a.x += b.w + i;
		a.y ^= b.z * 3 + k;
		a.z += a.x >> 3;
		a.w = a.w * 5 + b.x;
		if (a.x % 3)
			v[at] = a;
		__syncthreads();
	}
	state[i % 64] = out[(i * 31) % n];
}
