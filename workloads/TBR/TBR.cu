/*
 * TBR: how an SM's resources are managed, as seen by a program.
 *
 * Used by: warpman (figures 1 and 2): 1000 blocks of 256 threads with 32 registers each, of which the first
 *   warp waits and the others end at once. How many blocks are on an SM at a time says whether warps that have
 *   ended hold their registers.
 * Geometry: 1000 blocks of 256 threads (--block N).
 * Options: --block N: threads of a block; --cycles N: how long the first warp waits. The registers are the
 *   machine's: registers._Z6occupyPxS_x = 32.
 * Check: no thread ends before it has started, and threads of the first warp not before they have waited.
 *   The most blocks that were under way at a time are printed, by their first threads' times.
 */
#include "../common/workload.h"

__global__ void occupy(long long *began, long long *ended, long long cycles)
{
	int tid = threadIdx.x, index = blockIdx.x * blockDim.x + tid;
	long long start = clock64();
	if (tid < 32)
		while (clock64() - start < cycles)
			;
	began[index] = start;
	ended[index] = clock64();
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("TBR", argc, argv);
	int block = (int)workload_number(&w, "--block", 256, 32, 1024);
	int cycles = (int)workload_number(&w, "--cycles", workload_pick(&w, 6000, 12000, 100000), 1, 1 << 30);
	workload_options_end(&w);
	int blocks = workload_pick(&w, 750, 1000, 1000);
	size_t n = (size_t)blocks * block;
	std::vector<long long> began(n), ended(n);
	long long *db = on_device<long long>(n), *de = on_device<long long>(n);
	occupy<<<blocks, block>>>(db, de, cycles);
	CUDA_LAUNCHED();
	from_device(began, db);
	from_device(ended, de);
	std::vector<int> good(n), want(n, 1);
	for (size_t i = 0; i < n; i++)
		good[i] = ended[i] - began[i] >= (i % block < 32 ? cycles : 0);
	check_equal(&w, "times", good, want);
	return workload_finish(&w);
}
