/*
 * HS: the temperature of a chip from its power map (HotSpot), an explicit step of the heat equation.
 *
 * Used by: stsimt (Table II, HOTSP: 1849 blocks of 256), warpman (Table 2: 8 warps and 3 KB shared
 *   memory a block).
 * Geometry: blocks of 16x16 threads. A launch makes two steps: a block computes 16x16 points in the
 *   first and 14x14 of them in the second from what it has in shared memory, and keeps the inner
 *   12x12 (a halo of two points a side), so 512x512 points make 43x43 blocks.
 * Memory: temperature, power and the new temperature of the tile in shared memory (3 KB).
 * Input: synthetic. Temperatures around 330 K, a power map of a few hot rectangles on a low ground.
 * Check: every point against the same steps in double precision on the whole chip.
 */
#include "../common/workload.h"

enum { SIDE = 16, STEPS = 2 };

/* A step is t' = t + cap * (power + (n + s - 2t) / ry + (e + w - 2t) / rx + (amb - t) / rz). */
struct chip {
	float cap, rx1, ry1, rz1; /* step over capacity; one over the resistances */
};
#define AMBIENT 318.0f

__global__ void hotspot(float *out, const float *in, const float *power, int n, int steps, struct chip c)
{
	__shared__ float temp[SIDE][SIDE], heat[SIDE][SIDE], next[SIDE][SIDE];
	int tx = threadIdx.x, ty = threadIdx.y, keep = SIDE - 2 * STEPS;
	int x = blockIdx.x * keep + tx - STEPS, y = blockIdx.y * keep + ty - STEPS;
	bool inside = x >= 0 && x < n && y >= 0 && y < n;
	if (inside) {
		temp[ty][tx] = in[y * n + x];
		heat[ty][tx] = power[y * n + x];
	}
	__syncthreads();
	/* Neighbours outside the chip are the point itself: no heat flows there. */
	int up = y > 0 ? ty - 1 : ty, down = y < n - 1 ? ty + 1 : ty;
	int left = x > 0 ? tx - 1 : tx, right = x < n - 1 ? tx + 1 : tx;
	bool mine = false;
	for (int s = 1; s <= steps; s++) {
		mine = inside && tx >= s && tx < SIDE - s && ty >= s && ty < SIDE - s;
		if (mine) {
			float t = temp[ty][tx];
			next[ty][tx] = t + c.cap * (heat[ty][tx] +
			               (temp[up][tx] + temp[down][tx] - 2.0f * t) * c.ry1 +
			               (temp[ty][left] + temp[ty][right] - 2.0f * t) * c.rx1 + (AMBIENT - t) * c.rz1);
		}
		__syncthreads();
		if (s == steps)
			break;
		if (mine)
			temp[ty][tx] = next[ty][tx];
		__syncthreads();
	}
	if (mine && tx >= STEPS && tx < SIDE - STEPS && ty >= STEPS && ty < SIDE - STEPS)
		out[y * n + x] = next[ty][tx];
}

static void step(std::vector<double> &t, const std::vector<float> &power, int n, struct chip c)
{
	std::vector<double> old = t;
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			size_t i = (size_t)y * n + x;
			double v = old[i], flow = power[i] + (AMBIENT - v) * c.rz1;
			if (y > 0)
				flow += (old[i - n] - v) * c.ry1;
			if (y < n - 1)
				flow += (old[i + n] - v) * c.ry1;
			if (x > 0)
				flow += (old[i - 1] - v) * c.rx1;
			if (x < n - 1)
				flow += (old[i + 1] - v) * c.rx1;
			t[i] = v + c.cap * flow;
		}
}

/* A chip of 1.6 cm x 1.6 cm x 0.5 mm silicon, in time steps of half of what is stable. */
static struct chip make_chip(int n)
{
	const double size = 0.016, thick = 0.0005, conduct = 100;
	double cell = size / n, rx = 1 / (2 * conduct * thick), rz = thick / (conduct * cell * cell);
	struct chip c = {(float)(0.5 / (4 / rx + 1 / rz)), (float)(1 / rx), (float)(1 / rx), (float)(1 / rz)};
	return c;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("HS", argc, argv);
	int n = (int)workload_number(&w, "--side", workload_pick(&w, 128, 256, 512), 8, 8192);
	int steps = (int)workload_number(&w, "--steps", workload_pick(&w, 4, 6, 6), 1, 10000);
	workload_options_end(&w);
	std::vector<float> temp((size_t)n * n), power((size_t)n * n), out(temp.size());
	for (size_t i = 0; i < temp.size(); i++) {
		temp[i] = 330 + rng_range(&w.rng, -5, 5);
		power[i] = rng_range(&w.rng, 0, 0.02f);
	}
	for (int k = 0; k < 12; k++) { /* hot units */
		int x0 = (int)rng_below(&w.rng, n - n / 8), y0 = (int)rng_below(&w.rng, n - n / 8);
		for (int y = y0; y < y0 + n / 8; y++)
			for (int x = x0; x < x0 + n / 8; x++)
				power[(size_t)y * n + x] += 0.2f;
	}
	struct chip c = make_chip(n);
	std::vector<double> want(temp.begin(), temp.end());
	float *a = to_device(temp), *b = on_device<float>(temp.size()), *dpower = to_device(power);
	int blocks = (n + SIDE - 2 * STEPS - 1) / (SIDE - 2 * STEPS);
	for (int done = 0; done < steps; done += STEPS) {
		int now = steps - done < STEPS ? steps - done : (int)STEPS;
		hotspot<<<dim3(blocks, blocks), dim3(SIDE, SIDE)>>>(b, a, dpower, n, now, c);
		CUDA_LAUNCHED();
		std::swap(a, b);
	}
	for (int s = 0; s < steps; s++)
		step(want, power, n, c);
	from_device(out, a);
	check_near(&w, "temperature", out, want, 3e-7 * steps);
	return workload_finish(&w);
}
