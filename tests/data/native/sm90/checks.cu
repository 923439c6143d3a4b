// Wrong kernels, one kind of error each, and a correct one: tests/program/native-checks.test.
// checks.cubin.xz is what nvcc 13.0 makes of them: nvcc -lineinfo -arch=sm_90 -cubin, with `#line 1 "/heddle/checks.cu"`
// in front, so that the file names no folder of the machine it was made on.
__shared__ int table[64];
__device__ __forceinline__ int next_of(const int *p, int i)
{
	return p[i + 1];
}

// Reads past the end of an allocation of one int per thread.
extern "C" __global__ void bounds(int *p)
{
	p[threadIdx.x] = next_of(p, threadIdx.x);
}

// Writes a word at an odd address.
extern "C" __global__ void misaligned(char *p)
{
	*(int *)(p + 4 * threadIdx.x + 1) = threadIdx.x;
}

// A barrier is missing between the writes and the reads of other warps.
extern "C" __global__ void race(int *p)
{
	table[threadIdx.x] = p[threadIdx.x];
	p[threadIdx.x] = table[63 - threadIdx.x];
}

// All blocks store to one word.
extern "C" __global__ void race_blocks(int *p)
{
	if (threadIdx.x == 0)
		p[0] = blockIdx.x * p[1];
}

// Reads shared memory that was not written.
extern "C" __global__ void uninitialised(int *p)
{
	p[threadIdx.x] = table[threadIdx.x];
}

// A barrier of twice as many threads as the block has.
extern "C" __global__ void barrier(int *p)
{
	p[threadIdx.x] = 1;
	asm volatile("bar.sync 1, 128;" ::: "memory");
}

// A lock that is taken is never given back.
extern "C" __global__ void deadlock(int *p)
{
	while (atomicCAS(p, 0, 1))
		;
}

// Correct: a sum over a warp by shared memory, a lock between lanes.
extern "C" __global__ void correct(int *p)
{
	table[threadIdx.x] = threadIdx.x;
	for (int d = 16; d; d /= 2) {
		__syncwarp();
		int x = table[threadIdx.x ^ d];
		__syncwarp();
		table[threadIdx.x] += x;
	}
	for (bool done = false; !done;)
		if (!atomicCAS(p, 0, 1)) {
			__threadfence();
			p[1] += table[threadIdx.x];
			__threadfence();
			atomicExch(p, 0);
			done = true;
		}
	__syncthreads();
	p[2 + threadIdx.x] = table[63 - threadIdx.x];
}
