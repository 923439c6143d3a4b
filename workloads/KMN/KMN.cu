/*
 * KMN: k-means clustering, the step that assigns each point to the nearest centre.
 *
 * Used by: the studies of warp throttling and of caches, for which it is the most sensitive program; they take it from
 *   the Rodinia suite.
 * Geometry: one thread a point, blocks of 256.
 * Memory: a point's 34 features lie side by side, so the lanes of a warp read 32 different lines at a time, and a thread
 *   reads its own lines again for each of the eight centres. Centres are read by all threads alike.
 * Input: synthetic. Features are whole numbers 0 to 255 around eight hidden centres, so that all sums are exact.
 * Check: the cluster of every point after each of three steps; the CPU moves the centres between steps.
 */
#include "../common/workload.h"

enum { THREADS = 256, FEATURES = 34, CLUSTERS = 8, STEPS = 3 };

__global__ void assign(const float *point, const float *centre, int *cluster, int points)
{
	int p = blockIdx.x * THREADS + threadIdx.x;
	if (p >= points)
		return;
	int best = 0;
	float least = 3.0e38f;
	for (int c = 0; c < CLUSTERS; c++) {
		float sum = 0;
		for (int f = 0; f < FEATURES; f++) {
			float d = point[p * FEATURES + f] - centre[c * FEATURES + f];
			sum += d * d;
		}
		if (sum < least) {
			least = sum;
			best = c;
		}
	}
	cluster[p] = best;
}

static std::vector<int> assigned(const std::vector<float> &point, const std::vector<float> &centre, int points)
{
	std::vector<int> cluster(points);
	for (int p = 0; p < points; p++) {
		long least = -1;
		for (int c = 0; c < CLUSTERS; c++) {
			long sum = 0;
			for (int f = 0; f < FEATURES; f++) {
				long d = (long)point[(size_t)p * FEATURES + f] - (long)centre[(size_t)c * FEATURES + f];
				sum += d * d;
			}
			if (least < 0 || sum < least) {
				least = sum;
				cluster[p] = c;
			}
		}
	}
	return cluster;
}

/* The mean of each cluster's points, to whole numbers; an empty cluster's centre stays. */
static void move_centres(std::vector<float> &centre, const std::vector<float> &point, const std::vector<int> &cluster)
{
	std::vector<long> sum(CLUSTERS * FEATURES, 0), n(CLUSTERS, 0);
	for (size_t p = 0; p < cluster.size(); p++) {
		n[cluster[p]]++;
		for (int f = 0; f < FEATURES; f++)
			sum[cluster[p] * FEATURES + f] += (long)point[p * FEATURES + f];
	}
	for (int c = 0; c < CLUSTERS; c++)
		for (int f = 0; f < FEATURES && n[c]; f++)
			centre[c * FEATURES + f] = (float)(sum[c * FEATURES + f] / n[c]);
}

int main(int argc, char **argv)
{
	struct workload w = workload_start("KMN", argc, argv);
	int points = (int)workload_number(&w, "--points", workload_pick(&w, 1500, 10000, 100000), CLUSTERS, 1 << 22);
	workload_options_end(&w);
	std::vector<float> hidden(CLUSTERS * FEATURES), point((size_t)points * FEATURES), centre;
	for (float &x : hidden)
		x = (float)(40 + rng_below(&w.rng, 176));
	for (int p = 0; p < points; p++) {
		int c = (int)rng_below(&w.rng, CLUSTERS);
		for (int f = 0; f < FEATURES; f++)
			point[(size_t)p * FEATURES + f] = hidden[c * FEATURES + f] + (float)rng_below(&w.rng, 80) - 40;
	}
	centre.assign(point.begin(), point.begin() + CLUSTERS * FEATURES);
	float *dpoint = to_device(point), *dcentre = to_device(centre);
	int *dcluster = on_device<int>(points);
	std::vector<int> cluster(points);
	for (int step = 0; step < STEPS; step++) {
		CUDA(cudaMemcpy(dcentre, centre.data(), centre.size() * sizeof(float), cudaMemcpyHostToDevice));
		assign<<<(points + THREADS - 1) / THREADS, THREADS>>>(dpoint, dcentre, dcluster, points);
		CUDA_LAUNCHED();
		from_device(cluster, dcluster);
		check_equal(&w, "cluster", cluster, assigned(point, centre, points));
		move_centres(centre, point, cluster);
	}
	return workload_finish(&w);
}
