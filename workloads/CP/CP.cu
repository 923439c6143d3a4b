/*
 * CP: the Coulomb potential of point charges on the points of a grid plane.
 *
 * Used by: stsimt (Table II: 256 blocks of 128 threads).
 * Geometry: blocks of 16x8 threads, each thread two points 16 apart, for a plane of 256x256 points: a
 *   grid of 8x32 blocks. 200 charges, in batches of up to 4000.
 * Memory: charges (x, y, squared distance from the plane, charge) in constant memory, all threads
 *   reading the same one at a time; the plane in global memory, read and written once a batch.
 * Input: synthetic. Charges from -2 to 2 at random places in a box around the plane.
 * Check: every point in double precision.
 */
#include "../common/workload.h"

enum { BX = 16, BY = 8, POINTS = 2, BATCH = 4000 };
#define SPACING 0.1f

__constant__ float4 charges[BATCH];

__global__ void potential(float *plane, int n, int nx)
{
	int x = blockIdx.x * BX * POINTS + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
	float px = SPACING * x, py = SPACING * y, v0 = 0, v1 = 0;
	for (int i = 0; i < n; i++) {
		float4 c = charges[i];
		float dy = py - c.y, side = dy * dy + c.z;
		float dx0 = px - c.x, dx1 = dx0 + SPACING * BX;
		v0 += c.w * rsqrtf(dx0 * dx0 + side);
		v1 += c.w * rsqrtf(dx1 * dx1 + side);
	}
	plane[y * nx + x] += v0;
	plane[y * nx + x + BX] += v1;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("CP", argc, argv);
	int side = (int)workload_number(&w, "--side", workload_pick(&w, 64, 128, 256), 32, 4096);
	int n = (int)workload_number(&w, "--charges", workload_pick(&w, 100, 200, 200), 1, 1000000);
	workload_options_end(&w);
	if (side % (BX * POINTS)) {
		fprintf(stderr, "CP: --side must be a multiple of %d\n", BX * POINTS);
		return 2;
	}
	std::vector<float4> charge(n);
	float size = SPACING * side;
	for (float4 &c : charge) {
		c.x = rng_range(&w.rng, 0, size);
		c.y = rng_range(&w.rng, 0, size);
		float z = rng_range(&w.rng, 0.2f, size / 2);
		c.z = z * z;
		c.w = rng_range(&w.rng, -2, 2);
	}
	std::vector<float> plane((size_t)side * side);
	float *dplane = zeroed_on_device<float>(plane.size());
	for (int at = 0; at < n; at += BATCH) {
		int batch = n - at < BATCH ? n - at : (int)BATCH;
		CUDA(cudaMemcpyToSymbol(charges, &charge[at], batch * sizeof(float4)));
		potential<<<dim3(side / (BX * POINTS), side / BY), dim3(BX, BY)>>>(dplane, batch, side);
		CUDA_LAUNCHED();
	}
	from_device(plane, dplane);
	std::vector<double> want(plane.size(), 0);
	for (int y = 0; y < side; y++)
		for (int x = 0; x < side; x++)
			for (const float4 &c : charge) {
				double dx = (double)SPACING * x - c.x, dy = (double)SPACING * y - c.y;
				want[(size_t)y * side + x] += c.w / sqrt(dx * dx + dy * dy + c.z);
			}
	check_near(&w, "potential", plane, want, 3e-6, 10);
	return workload_finish(&w);
}
