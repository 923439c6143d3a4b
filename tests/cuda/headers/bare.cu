/* A file that includes nothing: nvcc's implicit headers declare assert, printf and placement new
 * for host and device. */
__global__ void first(int *p)
{
	assert(p);
	int *q = new (p + 1) int(5);
	printf("%d\n", p[0] + *q);
}
int main()
{
	int *p;
	assert(cudaMallocManaged(&p, 16) == cudaSuccess);
	first<<<1, 1>>>(p);
	cudaDeviceSynchronize();
	printf("%d\n", p[1]);
	return 0;
}
