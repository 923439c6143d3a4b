// Faults: returned when the program waits, sticky, gone after a reset.
#include "check.h"

__global__ void wild(int *p) { p[1 << 20] = 1; }
__global__ void fine(int *p) { *p = 3; }
__global__ void stop() { asm("trap;"); }

int main()
{
	int *d, h = 0;
	OK(cudaMalloc(&d, 4));
	wild<<<1, 1>>>(d);
	OK(cudaGetLastError()); /* the launch itself succeeded */
	IS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
	IS(cudaGetLastError(), cudaErrorIllegalAddress);
	IS(cudaMalloc(&d, 4), cudaErrorIllegalAddress);
	IS(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost), cudaErrorIllegalAddress);
	fine<<<1, 1>>>(d);
	IS(cudaPeekAtLastError(), cudaErrorIllegalAddress);
	CHECK(!strcmp(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress"));
	CHECK(!strcmp(cudaGetErrorString(cudaErrorIllegalAddress), "an illegal memory access was encountered"));
	OK(cudaDeviceReset());
	cudaGetLastError();
	OK(cudaMalloc(&d, 4));
	fine<<<1, 1>>>(d);
	OK(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
	IS(h, 3);
	stop<<<1, 1>>>();
	IS(cudaDeviceSynchronize(), cudaErrorLaunchFailure);
	cudaDeviceReset();
	DONE();
}
