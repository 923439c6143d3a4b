/* Blocks that wait for words of other blocks, more than one at a time: an independent set of a ring with chords, found
 * by threads that look at their neighbours' states again and again until all are decided; and a block that waits until
 * all others have written to a list of flags. */
#include "check.h"

enum { NODES = 3000, BLOCKS = 6, THREADS = 96, NEIGHBOURS = 6 };
enum { OUT = 0, IN = 0xfe };

__host__ __device__ int neighbour(int v, int i)
{
	const int step[] = {1, NODES - 1, 17, NODES - 17, 1201, NODES - 1201};
	return (v + step[i]) % NODES;
}

__global__ void start(unsigned char *state)
{
	for (int v = blockIdx.x * THREADS + threadIdx.x; v < NODES; v += BLOCKS * THREADS)
		state[v] = (v * 2654435761u >> 24) | 1;
}

/* A node is in the set if its state exceeds that of all its neighbours; ties go by number. */
__global__ void find(volatile unsigned char *state)
{
	bool missing;
	do {
		missing = false;
		for (int v = blockIdx.x * THREADS + threadIdx.x; v < NODES; v += BLOCKS * THREADS) {
			int mine = state[v], i = 0;
			if (!(mine & 1))
				continue;
			for (; i < NEIGHBOURS; i++) {
				int n = neighbour(v, i), its = state[n];
				if (its > mine || (its == mine && n > v))
					break;
			}
			if (i < NEIGHBOURS) {
				missing = true;
				continue;
			}
			for (i = 0; i < NEIGHBOURS; i++)
				state[neighbour(v, i)] = OUT;
			state[v] = IN;
		}
	} while (missing);
}

__global__ void gather(volatile int *flag, int *sum)
{
	if (blockIdx.x) {
		if (!threadIdx.x)
			flag[blockIdx.x - 1] = blockIdx.x;
		return;
	}
	for (bool all = false; !all;) {
		all = true;
		for (unsigned i = 0; i + 1 < gridDim.x; i++)
			all &= flag[i] != 0;
	}
	for (unsigned i = threadIdx.x; i + 1 < gridDim.x; i += blockDim.x)
		atomicAdd(sum, flag[i]);
}

int main()
{
	unsigned char *state;
	int *flag;
	CUDA(cudaMallocManaged(&state, NODES));
	CUDA(cudaMallocManaged(&flag, 101 * sizeof *flag));
	CUDA(cudaMemset(flag, 0, 101 * sizeof *flag));
	start<<<BLOCKS, THREADS>>>(state);
	find<<<BLOCKS, THREADS>>>(state);
	CUDA(cudaDeviceSynchronize());
	for (int v = 0; v < NODES; v++) {
		int in = 0;
		for (int i = 0; i < NEIGHBOURS; i++)
			in += state[neighbour(v, i)] == IN;
		if (state[v] != (in ? OUT : IN)) {
			printf("node %d: %d with %d neighbours in the set\n", v, state[v], in);
			failures++;
			break;
		}
	}
	gather<<<101, 64>>>(flag, flag + 100);
	CUDA(cudaDeviceSynchronize());
	CHECK(flag[100] == 5050);
	return failures != 0;
}
