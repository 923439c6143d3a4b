/* Kernels of three streams side by side, then one alone: tests/cuda/energy.sh. */
__global__ void work(int n, unsigned *out)
{
	unsigned x = threadIdx.x;
	for (int i = 0; i < n; i++)
		x = x * 1664525 + 1013904223;
	out[blockIdx.x * blockDim.x + threadIdx.x] = x;
}
__global__ void copy(int n, const unsigned *in, unsigned *out)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		out[i] = in[i] * 3;
}
int main()
{
	cudaStream_t s[3];
	unsigned *b;
	cudaMalloc(&b, 1 << 22);
	for (int i = 0; i < 3; i++) cudaStreamCreate(&s[i]);
	for (int r = 0; r < 3; r++) {
		work<<<4, 128, 0, s[0]>>>(300 + 100 * r, b);
		copy<<<8, 128, 0, s[1]>>>(20000, b + 65536, b + 131072);
		work<<<2, 64, 0, s[2]>>>(900, b + 32768);
	}
	cudaDeviceSynchronize();
	work<<<4, 128>>>(100, b);
	cudaDeviceSynchronize();
	return 0;
}
