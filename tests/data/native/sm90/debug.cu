// Code of nvcc -G: every function with a stack compares R1 with SR_LMEMHIOFF. debug.cubin.xz: nvcc 13.0 -G -arch=sm_90 -cubin.
struct base {
	__device__ virtual int value(int x) const = 0;
};
struct times : base {
	int n;
	__device__ times(int n) : n(n) {}
	__device__ int value(int x) const override { return x * n; }
};
struct plus : base {
	int n;
	__device__ plus(int n) : n(n) {}
	__device__ int value(int x) const override { return x + n; }
};
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

extern "C" __global__ void k(int *out, int n)
{
	int a[16];
	for (int i = 0; i < 16; i++)
		a[i] = 3 * i + n;
	int t = threadIdx.x;
	times first(n);
	plus second(n);
	const base *b = t & 1 ? (const base *)&first : (const base *)&second;
	out[t] = b->value(a[t + n & 15]) + fibonacci(t & 7);
}
