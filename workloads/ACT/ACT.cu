/*
 * ACT: what an SM executes when only some threads of each warp do.
 *
 * Used by: stsimt (section 5.2, figure 5): arithmetic in which so many threads of each warp take part. How
 *   many warps an SM has is the machine's: sm.max_warps.
 * Geometry: 32 blocks of one warp, so that any power of two of them fills an SM again and again.
 * Options: --active N: threads of each warp that compute.
 * Check: each thread's sum is that of the additions it made; the others wrote nothing.
 */
#include "../common/workload.h"

/* Each addition waits for the one before it: only other warps hide the pipeline's latency, as in the paper. */
#define ADD(i) asm volatile("add.s32 %0, %0, " #i ";" : "+r"(sum))
#define ADD8 ADD(1); ADD(2); ADD(3); ADD(4); ADD(5); ADD(6); ADD(7); ADD(8)

__global__ void add(int *out, int active, int rounds)
{
	int lane = threadIdx.x % 32, sum = lane;
	if (lane >= active)
		return;
#pragma unroll 1
	for (int i = 0; i < rounds; i++) {
		ADD8;
		ADD8;
		ADD8;
		ADD8;
	}
	out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("ACT", argc, argv);
	int active = (int)workload_number(&w, "--active", 32, 1, 32);
	workload_options_end(&w);
	int blocks = 32, rounds = workload_pick(&w, 100, 200, 400);
	std::vector<int> out(blocks * 32), want(blocks * 32, -1);
	int *d = to_device(want);
	add<<<blocks, 32>>>(d, active, rounds);
	CUDA_LAUNCHED();
	from_device(out, d);
	for (int i = 0; i < blocks * 32; i++)
		if (i % 32 < active)
			want[i] = i % 32 + rounds * (4 * 36);
	check_equal(&w, "sums", out, want);
	return workload_finish(&w);
}
