/*
 * KNN: the ten records nearest to a place: a kernel computes every record's distance, the host
 *   picks the ten smallest.
 *
 * Used by: stsimt (as NN; Table II: 168 blocks of 256 threads).
 * Geometry: one thread a record, blocks of 256. The paper's 168 blocks are 42,764 records, the size
 *   of the data set that comes with the Rodinia suite.
 * Memory: one 8-byte load and one 4-byte store a thread in global memory, no shared memory.
 * Input: synthetic storm positions: half of them uniform over the ocean, half around eight tracks.
 * Check: all distances in double precision; the ten nearest by a full sort with ties by number.
 */
#include "../common/workload.h"
#include <algorithm>

enum { THREADS = 256, NEAREST = 10 };

struct place {
	float lat, lng;
};

__global__ void distances(const float2 *records, float *distance, int n, float lat, float lng)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		float2 r = records[i];
		distance[i] = sqrtf((lat - r.x) * (lat - r.x) + (lng - r.y) * (lng - r.y));
	}
}

static std::vector<float2> storms(struct workload *w, int n)
{
	float track[8][4];
	for (auto &t : track) {
		t[0] = rng_range(&w->rng, 8, 25);
		t[1] = rng_range(&w->rng, 20, 60);
		t[2] = rng_range(&w->rng, 0.1f, 0.5f);
		t[3] = rng_range(&w->rng, 0.3f, 1.0f);
	}
	std::vector<float2> v(n);
	for (float2 &r : v) {
		if (rng_below(&w->rng, 2)) {
			const float *t = track[rng_below(&w->rng, 8)];
			float hours = rng_range(&w->rng, 0, 60);
			r = make_float2(t[0] + t[2] * hours + rng_normal(&w->rng),
			                t[1] + t[3] * hours + rng_normal(&w->rng));
		} else {
			r = make_float2(rng_range(&w->rng, 7, 64), rng_range(&w->rng, 0, 359));
		}
	}
	return v;
}

/* Numbers of the k smallest values, by k passes that each keep the best not yet taken. */
static std::vector<int> pick_nearest(const std::vector<float> &d, int k)
{
	std::vector<int> best;
	std::vector<bool> taken(d.size());
	for (int j = 0; j < k; j++) {
		int b = -1;
		for (size_t i = 0; i < d.size(); i++)
			if (!taken[i] && (b < 0 || d[i] < d[b]))
				b = (int)i;
		taken[b] = true;
		best.push_back(b);
	}
	return best;
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("KNN", argc, argv);
	workload_options_end(&w);
	int n = workload_pick(&w, 3000, 20000, 42764);
	const struct place here = {30.0f, 90.0f};
	std::vector<float2> records = storms(&w, n);
	std::vector<float> got(n);
	float *ddist = on_device<float>(n);
	distances<<<(n + THREADS - 1) / THREADS, THREADS>>>(to_device(records), ddist, n, here.lat,
	                                                    here.lng);
	CUDA_LAUNCHED();
	from_device(got, ddist);
	std::vector<int> nearest = pick_nearest(got, NEAREST);

	std::vector<double> want(n);
	std::vector<int> order(n);
	for (int i = 0; i < n; i++) {
		want[i] = hypot((double)here.lat - records[i].x, (double)here.lng - records[i].y);
		order[i] = i;
	}
	check_near(&w, "distance", got, want, 1e-6);
	std::sort(order.begin(), order.end(), [&](int a, int b) {
		return want[a] != want[b] ? want[a] < want[b] : a < b;
	});
	/* Two records closer together than the float distance can tell may change places. */
	for (int j = 0; j < NEAREST; j++)
		check_true(&w, "nearest", fabs(want[nearest[j]] - want[order[j]]) < 1e-5);
	for (int j = 0; j < NEAREST; j++)
		printf("%2d. record %5d at %6.2f %6.2f, distance %.5f\n", j + 1, nearest[j],
		       records[nearest[j]].x, records[nearest[j]].y, got[nearest[j]]);
	return workload_finish(&w);
}
