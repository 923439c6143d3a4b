// A block that needs more than an SM has is refused at its launch without any other effect; the
// occupancy functions report zero blocks before.
#include "check.h"

__global__ void kernel(int *p) { atomicAdd(p, 1); }

int main(void)
{
	/* 32 registers per thread: 256 threads have 8192, the whole file */
	setenv("HEDDLE_SET", "sm.registers=8192,sm.registers_per_thread=32,sm.register_unit=256", 1);
	setenv("HEDDLE_MODE", "timing", 1);
	setenv("HEDDLE_QUIET", "1", 1);
	int *p, got, blocks = -1;
	OK(cudaMalloc(&p, 4));
	OK(cudaMemset(p, 0, 4));
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 256, 0));
	IS(blocks, 1);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 64, 0));
	IS(blocks, 4);
	OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, 288, 0));
	IS(blocks, 0);
	kernel<<<1, 288>>>(p);
	IS(cudaGetLastError(), cudaErrorLaunchOutOfResources);
	OK(cudaDeviceSynchronize());
	kernel<<<4, 256>>>(p);
	OK(cudaGetLastError());
	OK(cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost));
	IS(got, 1024);
	DONE();
}
