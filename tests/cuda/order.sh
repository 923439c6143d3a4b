#!/bin/sh
# What launches of launches and lanes of a warp wait for: kernels that a kernel launches run before the host's next launch, a lock
# in shared memory goes from lane to lane, and a fence waits for stores that the first-level cache keeps, in every mode.
. "$(dirname "$0")/lib.sh"
cat >order.cu <<'END'
#include <cstdio>
__global__ void child(int *p) { *p = 5; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
__global__ void twice(int *p) { *p *= 2; }
int main()
{
	int *p, h;
	cudaMalloc(&p, 4);
	cudaMemset(p, 0, 4);
	for (int i = 0; i < 3; i++) {
		parent<<<1, 1>>>(p);
		twice<<<1, 1>>>(p);
	}
	cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
	printf("%d\n", h);
}
END
cat >lock.cu <<'END'
#include <cstdio>
__global__ void locked(int *p)
{
	__shared__ int lock, sum;
	if (!threadIdx.x)
		lock = sum = 0;
	__syncthreads();
	while (atomicCAS(&lock, 0, 1))
		;
	sum += threadIdx.x;
	__threadfence_block();
	atomicExch(&lock, 0);
	__syncthreads();
	p[threadIdx.x] = sum;
}
__global__ void fenced(int *p)
{
	p[threadIdx.x] += 1;
	__threadfence();
	p[64 + threadIdx.x] = 1;
}
int main()
{
	int *p, h[128];
	cudaMalloc(&p, sizeof h);
	cudaMemset(p, 0, sizeof h);
	locked<<<1, 16>>>(p);
	fenced<<<1, 16>>>(p);
	cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
	printf("%d %d\n", h[3], h[64]);
	return cudaDeviceSynchronize() != cudaSuccess;
}
END
$heddle cc order.cu -o order 2>log && $heddle cc -arch=sm_90 lock.cu -o lock 2>log || fail "they do not build"
for mode in functional timing sampled; do
	run 0 $heddle run --quiet --config gtx480 --mode $mode ./order
	[ "$(cat out)" = 10 ] || fail "$mode: $(cat out)"
done
for set in l1d.kind=wt l1d.kind=wb l1d.local_writes=keep l1d.sector=0; do
	run 0 $heddle run --quiet --config h200-sm90 --mode timing --max-cycles 2000000 --set $set ./lock
	[ "$(cat out)" = "121 1" ] || fail "$set: $(cat out log)"
done
exit $bad
