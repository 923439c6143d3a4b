// The second source file of rdc.cu.
__device__ int shared_counter = 10;
__device__ int triple(int x) { return 3 * x; }
static __global__ void look(int *p)
{
	shared_counter += 100;
	*p = shared_counter;
}
cudaError_t other(int *p)
{
	look<<<1, 1>>>(p);
	return cudaGetLastError();
}
